// Package bv reads specifications over bit-vectors (.bv) for the checker: terms of SMT-LIB 2 by its
// letter.
//
//	forms.go  atoms and lists
//	bv.go     specifications and what their terms mean
package bv

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"tv/proofs/bits/circuit"
	"tv/proofs/bits/gates"
)

func width(x form) int {
	n, err := strconv.Atoi(x.atom)
	gates.Need(x.leaf && err == nil && n >= 1 && n <= 1<<16 && x.atom == strconv.Itoa(n),
		"no width")
	return n
}

func index(x form) int {
	n, err := strconv.Atoi(x.atom)
	gates.Need(x.leaf && err == nil && n >= 0 && n <= 1<<16 && x.atom == strconv.Itoa(n),
		"no number")
	return n
}

// spec is a specification.
type spec struct {
	*circuit.View
	widths map[string]int            // of inputs
	states map[string][]circuit.Wire // what registers hold
}

// Read reads a specification over bit-vectors.
func Read(v *circuit.View, text string) *circuit.Circuit {
	top := forms(strings.TrimPrefix(text, "\ufeff"))
	gates.Need(len(top) == 1 && top[0].head() == "spec", "no single (spec ..)")
	s := &spec{v, map[string]int{}, map[string][]circuit.Wire{}}
	c := &circuit.Circuit{}
	terms := map[string]form{}
	var assumptions []form
	for _, x := range top[0].list[1:] {
		switch h := x.head(); h {
		case "in":
			gates.Need(len(x.list) == 3 && x.list[1].leaf, "no input")
			name, w := x.list[1].atom, width(x.list[2])
			gates.Need(s.isNew(name) && w <= 4096, "input %s", name)
			s.widths[name] = w
			c.In = append(c.In, circuit.Port{Name: name, Width: w})
		case "out":
			gates.Need(len(x.list) == 4 && x.list[1].leaf, "no output")
			name, w := x.list[1].atom, width(x.list[2])
			_, twice := terms[name]
			gates.Need(!twice && w <= 4096, "output %s", name)
			terms[name] = x.list[3]
			c.Out = append(c.Out, circuit.Port{Name: name, Width: w})
		case "assume":
			gates.Need(len(x.list) == 2, "no assumption")
			assumptions = append(assumptions, x.list[1])
		case "state":
			gates.Need(len(x.list) == 5 && x.list[1].leaf, "no state")
			c.Registers = append(c.Registers, s.state(x.list[1].atom, width(x.list[2]),
				x.list[3], x.list[4]))
		case "clock":
			gates.Need(len(x.list) == 2 && x.list[1].leaf && c.Clock == "", "no clock")
			c.Clock = x.list[1].atom
		case "latency":
			gates.Need(len(x.list) == 2 && c.Late == 0, "no latency")
			c.Late = index(x.list[1])
		default:
			gates.Refuse("%s in a specification", h)
		}
	}
	for _, p := range c.Out {
		gates.Need(s.widths[p.Name] == 0, "output %s is an input", p.Name)
	}
	c.Outputs = func(name string, delay int) gates.Vec {
		for _, p := range c.Out {
			if p.Name == name {
				return s.word(terms[name], nil, delay, 0).of(p.Width)
			}
		}
		gates.Refuse("no output %s", name)
		return nil
	}
	for _, x := range assumptions {
		holds := circuit.Once(func(delay int) gates.Lit { return s.word(x, nil, delay, 0).truth() })
		c.Assumed = append(c.Assumed, circuit.Assumption{Text: shown(x), Holds: holds,
			IsState: s.readsState(x)})
	}
	return c
}

// readsState tells whether the name of a register is in a term.
func (s *spec) readsState(x form) bool {
	return x.leaf && s.states[x.atom] != nil || slices.ContainsFunc(x.list, s.readsState)
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
	word   gates.Vec
	isBool bool
}

func (v value) truth() gates.Lit {
	gates.Need(v.isBool, "a Bool is expected")
	return v.word[0]
}

func (v value) bits() gates.Vec {
	gates.Need(!v.isBool, "a word is expected")
	return v.word
}

func (v value) of(width int) gates.Vec {
	gates.Need(len(v.bits()) == width, "a word of another width")
	return v.word
}

// A scope is what lets bind.
type scope struct {
	name  string
	value value
	outer *scope
}

func constant(digits string, base, width int) gates.Vec {
	gates.Need(digits != "" && strings.Trim(digits, "0123456789abcdefABCDEF") == "", "no constant")
	n, ok := new(big.Int).SetString(digits, base)
	gates.Need(ok && n.BitLen() <= width && width <= 1<<16, "no constant of %d bits", width)
	v := make(gates.Vec, width)
	for i := range v {
		v[i] = gates.Bit(n.Bit(i) == 1)
	}
	return v
}

func (s *spec) word(x form, in *scope, delay, depth int) value {
	gates.Need(depth < deepest, "terms nest too deeply")
	if x.leaf {
		return s.leaf(x.atom, in, delay)
	}
	gates.Need(len(x.list) > 0, "an empty term")
	op, rest := x.head(), x.list[1:]
	var at []int
	switch {
	case op == "_":
		gates.Need(len(rest) == 2 && rest[0].leaf && strings.HasPrefix(rest[0].atom, "bv"),
			"no constant")
		return value{word: constant(rest[0].atom[2:], 10, width(rest[1]))}
	case op == "let":
		gates.Need(len(rest) == 2 && !rest[0].leaf, "no let")
		inner := in
		names := map[string]bool{}
		for _, b := range rest[0].list {
			gates.Need(!b.leaf && len(b.list) == 2 && b.list[0].leaf && !names[b.list[0].atom],
				"no let")
			names[b.list[0].atom] = true
			inner = &scope{b.list[0].atom, s.word(b.list[1], in, delay, depth+1), inner}
		}
		return s.word(rest[1], inner, delay, depth+1)
	case op == "var":
		gates.Need(len(rest) == 2 && rest[0].leaf, "no variable")
		v := s.named(rest[0].atom, delay)
		gates.Need(len(v) == width(rest[1]), "a variable of another width")
		return value{word: v}
	case op == "":
		h := x.list[0]
		gates.Need(h.head() == "_" && len(h.list) > 2 && h.list[1].leaf, "no operation")
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
	gates.Need(len(args) > 0, "%s of nothing", op)
	return s.apply(op, at, args)
}

// isNew tells whether nothing has a name yet.
func (s *spec) isNew(name string) bool { return s.widths[name] == 0 && s.states[name] == nil }

// state declares a register. What it holds next may name registers that are declared later.
func (s *spec) state(name string, width int, initial, next form) *circuit.Register {
	gates.Need(s.isNew(name) && width <= 4096, "state %s", name)
	r := &circuit.Register{Name: name}
	s.states[name] = s.Held(r, width)
	if initial.leaf && initial.atom == "any" {
		r.Initial = slices.Repeat(gates.Vec{circuit.Unknown}, width)
	} else {
		r.Initial = s.word(initial, nil, 0, 0).of(width)
		for _, l := range r.Initial {
			gates.Need(l <= gates.Yes, "the initial value of %s is no constant", name)
		}
	}
	r.Next = circuit.Whole(width, func(delay int) gates.Vec {
		return s.word(next, nil, delay, 0).of(width)
	})
	return r
}

// named is what an input or a register holds.
func (s *spec) named(name string, delay int) gates.Vec {
	if w := s.states[name]; w != nil {
		return circuit.At(w, delay)
	}
	w := s.widths[name]
	gates.Need(w > 0, "nothing is named %s", name)
	v := make(gates.Vec, w)
	for i := range v {
		v[i] = s.Input(name, i)(delay)
	}
	return v
}

func (s *spec) leaf(a string, in *scope, delay int) value {
	switch {
	case a == "true" || a == "#t":
		return value{gates.Vec{gates.Yes}, true}
	case a == "false" || a == "#f":
		return value{gates.Vec{gates.No}, true}
	case strings.HasPrefix(a, "#b"):
		return value{word: constant(a[2:], 2, len(a)-2)}
	case strings.HasPrefix(a, "#x"):
		return value{word: constant(a[2:], 16, 4*(len(a)-2))}
	}
	for ; in != nil; in = in.outer {
		if in.name == a {
			return in.value
		}
	}
	return value{word: s.named(a, delay)}
}

// apply is an operation of SMT-LIB 2, or one of Rosette's.
func (s *spec) apply(op string, at []int, args []value) value {
	g := s.Graph
	indices := map[string]int{"extract": 2, "zero_extend": 1, "sign_extend": 1, "repeat": 1,
		"rotate_left": 1, "rotate_right": 1}[op]
	if op == "bool->bitvector" {
		indices = len(at)
	}
	gates.Need(len(at) == indices, "%s with %d indices", op, len(at))
	count := func(n int) { gates.Need(len(args) == n, "%s of %d", op, len(args)) }
	same := func() []gates.Vec {
		out := make([]gates.Vec, len(args))
		for i, a := range args {
			out[i] = a.of(len(args[0].word))
		}
		return out
	}
	two := func() (a, b gates.Vec) {
		count(2)
		v := same()
		return v[0], v[1]
	}
	wordOf := func(v gates.Vec) value { return value{word: v} }
	boolOf := func(l gates.Lit) value { return value{gates.Vec{l}, true} }
	fold := func(f func(a, b gates.Vec) gates.Vec) value {
		gates.Need(len(args) >= 2, "%s of one", op)
		v := same()
		w := v[0]
		for _, x := range v[1:] {
			w = f(w, x)
		}
		return wordOf(w)
	}
	gate := func(f func(a, b gates.Lit) gates.Lit) value {
		return fold(func(a, b gates.Vec) gates.Vec { return gates.Each(f, a, b) })
	}
	bools := func(f func(a, b gates.Lit) gates.Lit) value {
		gates.Need(len(args) >= 2, "%s of one", op)
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
			return wordOf(args[0].bits().Not())
		}
		return wordOf(g.Neg(args[0].bits()))
	case "bvand":
		return gate(g.And)
	case "bvor":
		return gate(g.Or)
	case "bvxor":
		return gate(g.Xor)
	case "bvnand", "bvnor", "bvxnor":
		count(2)
		f := map[string]func(a, b gates.Lit) gates.Lit{"bvnand": g.And, "bvnor": g.Or,
			"bvxnor": g.Xor}[op]
		return wordOf(gate(f).word.Not())
	case "bvadd":
		return fold(g.Sum)
	case "bvmul":
		return fold(g.Mul)
	case "bvsub":
		return wordOf(g.Sub(two()))
	case "bvudiv":
		q, _ := g.Divide(two())
		return wordOf(q)
	case "bvurem":
		_, r := g.Divide(two())
		return wordOf(r)
	case "bvsdiv":
		return wordOf(g.Sdiv(two()))
	case "bvsrem":
		return wordOf(g.Srem(two()))
	case "bvsmod":
		return wordOf(g.Smod(two()))
	case "bvshl", "bvlshr", "bvashr":
		a, b := two()
		fill := gates.No
		if op == "bvashr" {
			fill = a.Top()
		}
		return wordOf(g.Shift(a, b, op == "bvshl", fill))
	case "bvcomp":
		return wordOf(gates.Vec{g.Equal(two())})
	case "bveq":
		return boolOf(g.Equal(two()))
	case "bvult", "bvule", "bvugt", "bvuge", "bvslt", "bvsle", "bvsgt", "bvsge":
		a, b := two()
		less := g.Below
		if op[2] == 's' {
			less = g.BelowSigned
		}
		switch op[3:] {
		case "lt":
			return boolOf(less(a, b))
		case "gt":
			return boolOf(less(b, a))
		case "le":
			return boolOf(less(b, a).Not())
		}
		return boolOf(less(a, b).Not())
	case "concat":
		gates.Need(len(args) >= 2, "concat of one")
		var v gates.Vec
		for i := len(args) - 1; i >= 0; i-- {
			v = append(v, args[i].bits()...)
		}
		gates.Need(len(v) <= 1<<16, "a word that is too wide")
		return wordOf(v)
	case "extract":
		count(1)
		v, hi, lo := args[0].bits(), at[0], at[1]
		gates.Need(lo <= hi && hi < len(v), "bits that are not there")
		return wordOf(v[lo : hi+1])
	case "zero_extend", "sign_extend":
		count(1)
		v, fill := args[0].bits(), gates.No
		if op == "sign_extend" {
			fill = v.Top()
		}
		gates.Need(len(v)+at[0] <= 1<<16, "a word that is too wide")
		return wordOf(v.Wide(len(v)+at[0], fill))
	case "repeat":
		count(1)
		v := args[0].bits()
		gates.Need(at[0] >= 1 && at[0]*len(v) <= 1<<16, "repeated %d times", at[0])
		var out gates.Vec
		for range at[0] {
			out = append(out, v...)
		}
		return wordOf(out)
	case "rotate_left", "rotate_right":
		count(1)
		v := args[0].bits()
		w := make(gates.Vec, len(v))
		for i := range v {
			to := i + at[0]
			if op == "rotate_right" {
				to = i + len(v) - at[0]%len(v)
			}
			w[to%len(v)] = v[i]
		}
		return wordOf(w)
	case "=", "distinct":
		gates.Need(len(args) >= 2, "%s of one", op)
		for _, a := range args {
			first := args[0]
			gates.Need(a.isBool == first.isBool && len(a.word) == len(first.word),
				"%s of two kinds", op)
		}
		all, some := gates.Yes, false
		for i := range args {
			for j := i + 1; j < len(args) && (op == "distinct" || j == i+1); j++ {
				l := g.Equal(args[i].word, args[j].word)
				if op == "distinct" {
					l = l.Not()
				}
				if !some {
					all, some = l, true
				} else {
					all = g.And(all, l)
				}
			}
		}
		return boolOf(all)
	case "ite":
		count(3)
		a, b := args[1], args[2]
		gates.Need(a.isBool == b.isBool && len(a.word) == len(b.word), "ite of two kinds")
		return value{g.Choose(args[0].truth(), a.word, b.word), a.isBool}
	case "not":
		count(1)
		return boolOf(args[0].truth().Not())
	case "and":
		return bools(g.And)
	case "or":
		return bools(g.Or)
	case "xor":
		return bools(g.Xor)
	case "=>":
		gates.Need(len(args) >= 2, "=> of one")
		l := args[len(args)-1].truth()
		for i := len(args) - 2; i >= 0; i-- {
			l = g.Or(args[i].truth().Not(), l)
		}
		return boolOf(l)
	case "bool->bitvector":
		count(1)
		n := 1
		if len(at) > 0 {
			n = at[0]
		}
		return wordOf(gates.Vec{args[0].truth()}.Wide(n, gates.No))
	case "bitvector->bool":
		count(1)
		return boolOf(gates.Along(g.Or, args[0].bits()))
	}
	gates.Refuse("no operation %s", op)
	return value{}
}
