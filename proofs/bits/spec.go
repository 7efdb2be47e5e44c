package bits

import (
	"math/big"
	"strconv"
	"strings"
)

// A form is an atom or a list.
type form struct {
	atom string
	list []form
	leaf bool
}

func (x form) head() string {
	if !x.leaf && len(x.list) > 0 && x.list[0].leaf {
		return x.list[0].atom
	}
	return ""
}

// deepest is how deep lists, terms, expressions and modules nest.
const deepest = 4000

// forms reads lists. Comments go from ; to the end of the line.
func forms(text string) []form {
	var stack [][]form
	var top []form
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		case c == ';':
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case c == '(':
			need(len(stack) < deepest, "lists nest too deeply")
			stack = append(stack, top)
			top = nil
			i++
		case c == ')':
			need(len(stack) > 0, "a list ends that did not begin")
			x := form{list: top}
			top = append(stack[len(stack)-1], x)
			stack = stack[:len(stack)-1]
			i++
		default:
			need(c > ' ' && c < 0x7f && c != '"' && c != '|', "a character that begins no word")
			j := i
			for j < len(text) && !strings.ContainsRune(" \t\r\n();\"", rune(text[j])) {
				j++
			}
			top = append(top, form{atom: text[i:j], leaf: true})
			i = j
		}
	}
	need(len(stack) == 0, "a list does not end")
	return top
}

func width(x form) int {
	n, err := strconv.Atoi(x.atom)
	need(x.leaf && err == nil && n >= 1 && n <= 1<<16 && x.atom == strconv.Itoa(n), "no width")
	return n
}

func index(x form) int {
	n, err := strconv.Atoi(x.atom)
	need(x.leaf && err == nil && n >= 0 && n <= 1<<16 && x.atom == strconv.Itoa(n), "no number")
	return n
}

// A port is an input or output.
type port struct {
	name  string
	width int
}

// A circuit is a text: its ports, and the bits of its outputs and assumptions a number of cycles
// ago.
type circuit struct {
	in, out []port
	outputs func(name string, delay int) vec
	assume  func(delay int) []lit
	texts   []string // of assumptions
	late    int      // cycles that a specification itself says its outputs are late
	clock   string
	trusts  []string
}

// spec is a specification.
type spec struct {
	g      *graph
	widths map[string]int
}

// readSpec reads a specification over bit-vectors. One with registers is refused.
func readSpec(g *graph, text string) *circuit {
	top := forms(strings.TrimPrefix(text, "\ufeff"))
	need(len(top) == 1 && top[0].head() == "spec", "no single (spec ..)")
	s := &spec{g, map[string]int{}}
	c := &circuit{}
	terms := map[string]form{}
	var assumptions []form
	for _, x := range top[0].list[1:] {
		switch h := x.head(); h {
		case "in":
			need(len(x.list) == 3 && x.list[1].leaf, "no input")
			name, w := x.list[1].atom, width(x.list[2])
			need(s.widths[name] == 0 && w <= 4096, "input %s", name)
			s.widths[name] = w
			c.in = append(c.in, port{name, w})
		case "out":
			need(len(x.list) == 4 && x.list[1].leaf, "no output")
			name, w := x.list[1].atom, width(x.list[2])
			_, twice := terms[name]
			need(!twice && w <= 4096, "output %s", name)
			terms[name] = x.list[3]
			c.out = append(c.out, port{name, w})
		case "assume":
			need(len(x.list) == 2, "no assumption")
			assumptions = append(assumptions, x.list[1])
			c.texts = append(c.texts, shown(x.list[1]))
		case "clock":
			need(len(x.list) == 2 && x.list[1].leaf && c.clock == "", "no clock")
			c.clock = x.list[1].atom
		case "latency":
			need(len(x.list) == 2 && c.late == 0, "no latency")
			c.late = index(x.list[1])
		default:
			refuse("%s in a specification", h)
		}
	}
	for _, p := range c.out {
		need(s.widths[p.name] == 0, "output %s is an input", p.name)
	}
	c.outputs = func(name string, delay int) vec {
		for _, p := range c.out {
			if p.name == name {
				return s.word(terms[name], nil, delay, 0).of(p.width)
			}
		}
		refuse("no output %s", name)
		return nil
	}
	c.assume = func(delay int) []lit {
		var out []lit
		for _, x := range assumptions {
			out = append(out, s.word(x, nil, delay, 0).truth())
		}
		return out
	}
	return c
}

// shown is a term on one line.
func shown(x form) string {
	if x.leaf {
		return x.atom
	}
	parts := make([]string, len(x.list))
	for i, y := range x.list {
		parts[i] = shown(y)
	}
	return "(" + strings.Join(parts, " ") + ")"
}

// A value is a word, or a Bool, of one bit.
type value struct {
	vec
	isBool bool
}

func (v value) truth() lit {
	need(v.isBool, "a Bool is expected")
	return v.vec[0]
}

func (v value) bits() vec {
	need(!v.isBool, "a word is expected")
	return v.vec
}

func (v value) of(width int) vec {
	need(len(v.bits()) == width, "a word of another width")
	return v.vec
}

// A scope is what lets bind.
type scope struct {
	name  string
	value value
	outer *scope
}

func constant(digits string, base, width int) vec {
	need(digits != "" && strings.Trim(digits, "0123456789abcdefABCDEF") == "", "no constant")
	n, ok := new(big.Int).SetString(digits, base)
	need(ok && n.BitLen() <= width && width <= 1<<16, "no constant of %d bits", width)
	v := make(vec, width)
	for i := range v {
		v[i] = bit(n.Bit(i) == 1)
	}
	return v
}

func (s *spec) word(x form, in *scope, delay, depth int) value {
	need(depth < deepest, "terms nest too deeply")
	if x.leaf {
		return s.leaf(x.atom, in, delay)
	}
	need(len(x.list) > 0, "an empty term")
	op, rest := x.head(), x.list[1:]
	var at []int
	switch {
	case op == "_":
		need(len(rest) == 2 && rest[0].leaf && strings.HasPrefix(rest[0].atom, "bv"), "no constant")
		return value{vec: constant(rest[0].atom[2:], 10, width(rest[1]))}
	case op == "let":
		need(len(rest) == 2 && !rest[0].leaf, "no let")
		inner := in
		names := map[string]bool{}
		for _, b := range rest[0].list {
			need(!b.leaf && len(b.list) == 2 && b.list[0].leaf && !names[b.list[0].atom], "no let")
			names[b.list[0].atom] = true
			inner = &scope{b.list[0].atom, s.word(b.list[1], in, delay, depth+1), inner}
		}
		return s.word(rest[1], inner, delay, depth+1)
	case op == "var":
		need(len(rest) == 2 && rest[0].leaf, "no variable")
		v := s.input(rest[0].atom, delay)
		need(len(v) == width(rest[1]), "a variable of another width")
		return value{vec: v}
	case op == "":
		h := x.list[0]
		need(h.head() == "_" && len(h.list) > 2 && h.list[1].leaf, "no operation")
		op = h.list[1].atom
		for _, i := range h.list[2:] {
			at = append(at, index(i))
		}
	case op == "bool->bitvector" && len(rest) == 2:
		at, rest = []int{width(rest[1])}, rest[:1]
	}
	args := make([]value, len(rest))
	for i, a := range rest {
		args[i] = s.word(a, in, delay, depth+1)
	}
	need(len(args) > 0, "%s of nothing", op)
	return s.apply(op, at, args)
}

func (s *spec) input(name string, delay int) vec {
	w := s.widths[name]
	need(w > 0, "nothing is named %s", name)
	v := make(vec, w)
	for i := range v {
		v[i] = s.g.input(signal{name, i, delay})
	}
	return v
}

func (s *spec) leaf(a string, in *scope, delay int) value {
	switch {
	case a == "true" || a == "#t":
		return value{vec{yes}, true}
	case a == "false" || a == "#f":
		return value{vec{no}, true}
	case strings.HasPrefix(a, "#b"):
		return value{vec: constant(a[2:], 2, len(a)-2)}
	case strings.HasPrefix(a, "#x"):
		return value{vec: constant(a[2:], 16, 4*(len(a)-2))}
	}
	for ; in != nil; in = in.outer {
		if in.name == a {
			return in.value
		}
	}
	return value{vec: s.input(a, delay)}
}

// apply is an operation of SMT-LIB 2, or one of Rosette's.
func (s *spec) apply(op string, at []int, args []value) value {
	g := s.g
	indices := map[string]int{"extract": 2, "zero_extend": 1, "sign_extend": 1, "repeat": 1,
		"rotate_left": 1, "rotate_right": 1}[op]
	if op == "bool->bitvector" {
		indices = len(at)
	}
	need(len(at) == indices, "%s with %d indices", op, len(at))
	count := func(n int) { need(len(args) == n, "%s of %d", op, len(args)) }
	same := func() []vec {
		out := make([]vec, len(args))
		for i, a := range args {
			out[i] = a.of(len(args[0].vec))
		}
		return out
	}
	two := func() (a, b vec) {
		count(2)
		v := same()
		return v[0], v[1]
	}
	wordOf := func(v vec) value { return value{vec: v} }
	boolOf := func(l lit) value { return value{vec{l}, true} }
	fold := func(f func(a, b vec) vec) value {
		need(len(args) >= 2, "%s of one", op)
		v := same()
		w := v[0]
		for _, x := range v[1:] {
			w = f(w, x)
		}
		return wordOf(w)
	}
	gate := func(f func(a, b lit) lit) value {
		return fold(func(a, b vec) vec { return each(f, a, b) })
	}
	bools := func(f func(a, b lit) lit) value {
		need(len(args) >= 2, "%s of one", op)
		l := args[0].truth()
		for _, a := range args[1:] {
			l = f(l, a.truth())
		}
		return boolOf(l)
	}
	switch op {
	case "bvnot", "bvneg":
		count(1)
		if op == "bvnot" {
			return wordOf(args[0].bits().not())
		}
		return wordOf(g.neg(args[0].bits()))
	case "bvand":
		return gate(g.and)
	case "bvor":
		return gate(g.or)
	case "bvxor":
		return gate(g.xor)
	case "bvnand", "bvnor", "bvxnor":
		count(2)
		f := map[string]func(a, b lit) lit{"bvnand": g.and, "bvnor": g.or, "bvxnor": g.xor}[op]
		return wordOf(gate(f).vec.not())
	case "bvadd":
		return fold(g.sum)
	case "bvmul":
		return fold(g.mul)
	case "bvsub":
		return wordOf(g.sub(two()))
	case "bvudiv":
		q, _ := g.divide(two())
		return wordOf(q)
	case "bvurem":
		_, r := g.divide(two())
		return wordOf(r)
	case "bvsdiv":
		return wordOf(g.sdiv(two()))
	case "bvsrem":
		return wordOf(g.srem(two()))
	case "bvsmod":
		return wordOf(g.smod(two()))
	case "bvshl", "bvlshr", "bvashr":
		a, b := two()
		fill := no
		if op == "bvashr" {
			fill = a.top()
		}
		return wordOf(g.shift(a, b, op == "bvshl", fill))
	case "bvcomp":
		return wordOf(vec{g.equal(two())})
	case "bveq":
		return boolOf(g.equal(two()))
	case "bvult", "bvule", "bvugt", "bvuge", "bvslt", "bvsle", "bvsgt", "bvsge":
		a, b := two()
		less := g.below
		if op[2] == 's' {
			less = g.belowSigned
		}
		switch op[3:] {
		case "lt":
			return boolOf(less(a, b))
		case "gt":
			return boolOf(less(b, a))
		case "le":
			return boolOf(less(b, a).not())
		}
		return boolOf(less(a, b).not())
	case "concat":
		need(len(args) >= 2, "concat of one")
		var v vec
		for i := len(args) - 1; i >= 0; i-- {
			v = append(v, args[i].bits()...)
		}
		need(len(v) <= 1<<16, "a word that is too wide")
		return wordOf(v)
	case "extract":
		count(1)
		v, hi, lo := args[0].bits(), at[0], at[1]
		need(lo <= hi && hi < len(v), "bits that are not there")
		return wordOf(v[lo : hi+1])
	case "zero_extend", "sign_extend":
		count(1)
		v, fill := args[0].bits(), no
		if op == "sign_extend" {
			fill = v.top()
		}
		need(len(v)+at[0] <= 1<<16, "a word that is too wide")
		return wordOf(v.wide(len(v)+at[0], fill))
	case "repeat":
		count(1)
		v := args[0].bits()
		need(at[0] >= 1 && at[0]*len(v) <= 1<<16, "repeated %d times", at[0])
		var out vec
		for range at[0] {
			out = append(out, v...)
		}
		return wordOf(out)
	case "rotate_left", "rotate_right":
		count(1)
		v := args[0].bits()
		w := make(vec, len(v))
		for i := range v {
			to := i + at[0]
			if op == "rotate_right" {
				to = i + len(v) - at[0]%len(v)
			}
			w[to%len(v)] = v[i]
		}
		return wordOf(w)
	case "=", "distinct":
		need(len(args) >= 2, "%s of one", op)
		for _, a := range args {
			first := args[0]
			need(a.isBool == first.isBool && len(a.vec) == len(first.vec), "%s of two kinds", op)
		}
		all, some := yes, false
		for i := range args {
			for j := i + 1; j < len(args) && (op == "distinct" || j == i+1); j++ {
				l := g.equal(args[i].vec, args[j].vec)
				if op == "distinct" {
					l = l.not()
				}
				if !some {
					all, some = l, true
				} else {
					all = g.and(all, l)
				}
			}
		}
		return boolOf(all)
	case "ite":
		count(3)
		a, b := args[1], args[2]
		need(a.isBool == b.isBool && len(a.vec) == len(b.vec), "ite of two kinds")
		return value{g.choose(args[0].truth(), a.vec, b.vec), a.isBool}
	case "not":
		count(1)
		return boolOf(args[0].truth().not())
	case "and":
		return bools(g.and)
	case "or":
		return bools(g.or)
	case "xor":
		return bools(g.xor)
	case "=>":
		need(len(args) >= 2, "=> of one")
		l := args[len(args)-1].truth()
		for i := len(args) - 2; i >= 0; i-- {
			l = g.or(args[i].truth().not(), l)
		}
		return boolOf(l)
	case "bool->bitvector":
		count(1)
		n := 1
		if len(at) > 0 {
			n = at[0]
		}
		return wordOf(vec{args[0].truth()}.wide(n, no))
	case "bitvector->bool":
		count(1)
		return boolOf(along(g.or, args[0].bits()))
	}
	refuse("no operation %s", op)
	return value{}
}
