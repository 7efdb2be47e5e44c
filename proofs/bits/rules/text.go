package rules

import (
	"maps"
	"sort"
	"strconv"
	"strings"
)

// A list is an atom or a list.
type list struct {
	atom string
	of   []list
	leaf bool
}

func (x list) head() string {
	if !x.leaf && len(x.of) > 0 && x.of[0].leaf {
		return x.of[0].atom
	}
	return ""
}

const deepest = 500

// readList reads the only list of a text, and what texts in quotes hold as atoms that begin with a quote.
func readList(text string) list {
	var stack []list
	top := list{}
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case strings.IndexByte(" \t\r\n", c) >= 0:
			i++
		case c == ';':
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case c == '(':
			need(len(stack) < deepest, "lists nest too deeply")
			stack, top = append(stack, top), list{}
			i++
		case c == ')':
			need(len(stack) > 0, "a list ends that did not begin")
			outer := stack[len(stack)-1]
			outer.of = append(outer.of, top)
			stack, top = stack[:len(stack)-1], outer
			i++
		case c == '"':
			j := strings.IndexByte(text[i+1:], '"')
			need(j >= 0, "a text does not end")
			top.of = append(top.of, list{atom: text[i : i+j+1], leaf: true})
			i += j + 2
		default:
			j := i
			for j < len(text) && strings.IndexByte(" \t\r\n();\"", text[j]) < 0 {
				j++
			}
			top.of = append(top.of, list{atom: text[i:j], leaf: true})
			i = j
		}
	}
	need(len(stack) == 0 && len(top.of) == 1, "no single rule")
	return top.of[0]
}

// A sum is a polynomial in names: coefficients by the sorted names of a product, with blanks between them.
type sum map[string]int64

func plain(n int64) sum {
	s := sum{}
	s.put("", n)
	return s
}

func (s sum) put(product string, n int64) {
	if s[product] += n; s[product] == 0 {
		delete(s, product)
	}
	need(s[product] < 1<<40 && s[product] > -1<<40, "a number that is too large")
}

func (s sum) minus(k int64, o sum) sum {
	out := maps.Clone(s)
	for p, n := range o {
		need(n < 1<<20 && n > -1<<20 && k < 1<<20 && k > -1<<20, "a number that is too large")
		out.put(p, -k*n)
	}
	return out
}

func (s sum) times(o sum) sum {
	out := sum{}
	for p, n := range s {
		for q, m := range o {
			names := strings.Fields(p + " " + q)
			need(len(names) <= 6 && n < 1<<20 && n > -1<<20 && m < 1<<20 && m > -1<<20, "a number that is too large")
			sort.Strings(names)
			out.put(strings.Join(names, " "), n*m)
		}
	}
	return out
}

func (s sum) is(o sum) bool { return maps.Equal(s, o) }

func (s sum) number() (int64, bool) { return s[""], len(s) == 0 || len(s) == 1 && s[""] != 0 }

func (s sum) at(values map[string]int) int64 {
	total := int64(0)
	for p, n := range s {
		for _, name := range strings.Fields(p) {
			n *= int64(values[name])
		}
		total += n
	}
	return total
}

// A variable has a width, or is a Bool.
type variable struct {
	name  string
	width sum
	bool  bool
}

// A term is an operation of terms. Op is "var", "literal", "number" or a word of SMT-LIB's.
type term struct {
	op     string
	at     []sum
	args   []*term
	text   string
	truth  bool // a Bool
	signal *variable
	width  sum // once it is known
}

// A rule is a text.
type rule struct {
	name   string
	names  []string
	least  []int
	vars   []*variable
	where  []list
	sides  [2]*term
	closed bool // no name may be added
}

func readRule(text string) *rule {
	x := readList(text)
	need(x.head() == "rule" && len(x.of) > 2 && x.of[1].leaf, "no rule")
	r := &rule{name: x.of[1].atom}
	clauses := map[string][]list{}
	for _, c := range x.of[2:] {
		h := c.head()
		_, twice := clauses[h]
		need(h != "" && !twice, "the clause %q", h)
		switch h {
		case "lang", "vars", "widths", "nats", "where", "lhs", "rhs", "want", "source", "doc":
		default:
			refuse("the clause %q", h)
		}
		clauses[h] = c.of[1:]
	}
	lang := clauses["lang"]
	need(len(lang) == 1 && lang[0].atom == "bv", "the rule is not one over bit-vectors")
	for _, n := range clauses["widths"] {
		r.declare(n, 1)
	}
	for _, n := range clauses["nats"] {
		r.declare(n, 0)
	}
	for _, v := range clauses["vars"] {
		r.variable(v)
	}
	r.closed = true
	r.where = clauses["where"]
	for i, h := range []string{"lhs", "rhs"} {
		need(len(clauses[h]) == 1, "%s has no single term", h)
		r.sides[i] = r.term(clauses[h][0])
	}
	need(r.sides[0].truth == r.sides[1].truth, "one side is a Bool")
	return r
}

func (r *rule) index(name string) int {
	for i, n := range r.names {
		if n == name {
			return i
		}
	}
	return -1
}

func (r *rule) declare(x list, least int) {
	need(isName(x) && r.index(x.atom) < 0, "the name %q", x.atom)
	r.names, r.least = append(r.names, x.atom), append(r.least, least)
}

func isName(x list) bool {
	if !x.leaf || x.atom == "" || x.atom == "true" || x.atom == "false" || x.atom == output {
		return false
	}
	for i, c := range x.atom {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || !(c >= '0' && c <= '9' || c == '_' || c == '-')) {
			return false
		}
	}
	return true
}

func (r *rule) variable(x list) {
	need(!x.leaf && len(x.of) == 2 && isName(x.of[0]), "no variable")
	v := &variable{name: x.of[0].atom, bool: x.of[1].leaf && x.of[1].atom == "Bool"}
	if !v.bool {
		v.width = r.number(x.of[1])
	}
	need(r.named(v.name) == nil, "%s is declared twice", v.name)
	r.vars = append(r.vars, v)
}

func (r *rule) named(name string) *variable {
	for _, v := range r.vars {
		if v.name == name {
			return v
		}
	}
	return nil
}

// number reads what is computed from names.
func (r *rule) number(x list) sum {
	if x.leaf {
		if n, err := strconv.ParseInt(x.atom, 10, 32); err == nil {
			need(n < 1<<20 && n > -1<<20, "a number that is too large")
			return plain(n)
		}
		need(isName(x), "no number %q", x.atom)
		if r.index(x.atom) < 0 {
			need(!r.closed, "nothing is named %s", x.atom)
			r.declare(x, 1)
		}
		return sum{x.atom: 1}
	}
	op := x.head()
	need(len(x.of) >= 2 && (op == "-" || len(x.of) >= 3), "no number")
	s := r.number(x.of[1])
	if len(x.of) == 2 {
		return sum{}.minus(1, s)
	}
	for _, y := range x.of[2:] {
		switch op {
		case "+":
			s = s.minus(-1, r.number(y))
		case "-":
			s = s.minus(1, r.number(y))
		case "*":
			s = s.times(r.number(y))
		default:
			refuse("numbers are not made by %q", op)
		}
	}
	return s
}

func (r *rule) term(x list) *term {
	if x.leaf {
		return r.leaf(x)
	}
	need(len(x.of) > 0, "an empty term")
	t := &term{op: x.head()}
	rest := x.of[1:]
	switch t.op {
	case "_":
		return r.constant(rest)
	case "var":
		need(len(rest) == 2 && rest[0].leaf, "no variable")
		v := r.named(rest[0].atom)
		need(v != nil && !v.bool && v.width.is(r.number(rest[1])), "the variable %s", rest[0].atom)
		return &term{op: "var", signal: v}
	case "":
		h := x.of[0]
		need(h.head() == "_" && len(h.of) > 2 && h.of[1].leaf, "no operation")
		t.op = h.of[1].atom
		for _, i := range h.of[2:] {
			t.at = append(t.at, r.number(i))
		}
	}
	for _, a := range rest {
		t.args = append(t.args, r.term(a))
	}
	t.kind()
	return t
}

func (r *rule) leaf(x list) *term {
	a := x.atom
	if a == "true" || a == "false" {
		return &term{op: "literal", text: a, truth: true}
	}
	if strings.HasPrefix(a, "#") {
		need(len(a) > 2 && (a[1] == 'b' && strings.Trim(a[2:], "01") == "" || a[1] == 'x' && strings.Trim(a[2:], "0123456789abcdefABCDEF") == ""), "no constant %s", a)
		return &term{op: "literal", text: a}
	}
	v := r.named(a)
	need(v != nil, "nothing is named %s", a)
	return &term{op: "var", signal: v, truth: v.bool}
}

// constant reads bvN w, bvNAME w and bv N w.
func (r *rule) constant(rest []list) *term {
	need(len(rest) >= 2 && rest[0].leaf && strings.HasPrefix(rest[0].atom, "bv"), "no constant")
	if digits := rest[0].atom[2:]; digits != "" {
		rest = append([]list{{atom: digits, leaf: true}}, rest[1:]...)
	} else {
		rest = rest[1:]
	}
	need(len(rest) == 2, "no constant")
	return &term{op: "number", at: []sum{r.number(rest[0]), r.number(rest[1])}}
}

// words, comparisons and connectives by their numbers of arguments; 0 stands for two or more.
var (
	ofWords = map[string]int{"bvnot": 1, "bvneg": 1, "bvand": 0, "bvor": 0, "bvxor": 0, "bvnand": 2, "bvnor": 2, "bvxnor": 2, "bvadd": 0, "bvmul": 0,
		"bvsub": 2, "bvudiv": 2, "bvurem": 2, "bvsdiv": 2, "bvsrem": 2, "bvsmod": 2, "bvshl": 2, "bvlshr": 2, "bvashr": 2, "bvcomp": 2, "concat": 0,
		"extract": 1, "zero_extend": 1, "sign_extend": 1, "repeat": 1, "rotate_left": 1, "rotate_right": 1}
	comparing = map[string]int{"bvult": 2, "bvule": 2, "bvugt": 2, "bvuge": 2, "bvslt": 2, "bvsle": 2, "bvsgt": 2, "bvsge": 2, "bveq": 2, "bitvector->bool": 1}
	ofBools   = map[string]int{"not": 1, "and": 0, "or": 0, "xor": 0, "=>": 0}
	indices   = map[string]int{"extract": 2, "zero_extend": 1, "sign_extend": 1, "repeat": 1, "rotate_left": 1, "rotate_right": 1}
)

// kind holds a term to what its operation takes.
func (t *term) kind() {
	need(len(t.at) == indices[t.op], "%s with %d numbers", t.op, len(t.at))
	all := func(truth bool, from []*term) {
		for _, a := range from {
			need(a.truth == truth, "an argument of %s is of another kind", t.op)
		}
	}
	n := 0
	var ok bool
	if n, ok = ofWords[t.op]; ok {
		all(false, t.args)
	} else if n, ok = comparing[t.op]; ok {
		all(false, t.args)
		t.truth = true
	} else if n, ok = ofBools[t.op]; ok {
		all(true, t.args)
		t.truth = true
	} else {
		switch t.op {
		case "bool->bitvector":
			n = 1
			all(true, t.args)
		case "=", "distinct":
			need(len(t.args) >= 2, "%s of one", t.op)
			all(t.args[0].truth, t.args)
			t.truth = true
		case "ite":
			n = 3
			need(len(t.args) == 3 && t.args[0].truth, "no condition")
			all(t.args[1].truth, t.args[1:])
			t.truth = t.args[1].truth
		default:
			refuse("no operation %s", t.op)
		}
	}
	need(n == 0 && len(t.args) >= 2 || n > 0 && len(t.args) == n, "%s of %d arguments", t.op, len(t.args))
}
