package rise

import (
	"slices"
	"strconv"
	"strings"

	"tv/internal/source"
	"tv/proofs/algebra"
	"tv/proofs/procedures"
	"tv/semantics/domain"
)

// RuleReading reads a side of a rule of RISE: the text is that of the rule, and the function of the
// file says which side is meant, lhs or rhs.
type RuleReading struct{}

// A rule is what the text of one declares. Its naturals are the dims of a last input, which nobody
// reads: so they have their least values.
type rule struct {
	least map[string]int64
	types map[string]*typ // of which nothing is known
	free  []*symbol
	equal *variable // what a guard says to be the same as with; nil if none does
	with  *node
}

// A symbol is a function of which nothing is known but laws, or that is one of the patterns; or it
// is the unit of one.
type symbol struct {
	*variable
	is  *pattern
	sum bool // a commutative monoid, unless there is another one of its type
	// Of an operation on elements alone that is no such sum:
	associative, commutative, unital bool
	of                               *symbol // that it is the unit of
}

// A clause is a list or a word of the text.
type clause struct {
	at   source.Span
	word string
	list []*clause
}

const naturals = "nats"

// Read implements algebra.Reading.
func (RuleReading) Read(file *source.File) (algebra.Source, error) {
	var out *program
	err := procedures.Caught(func() {
		list := clauses(file)
		if out = side(list, file.Function); file.Function == "rhs" {
			x, y := side(list, "lhs").body.typ.shape(maxNested), out.body.typ.shape(maxNested)
			check(x == y && !strings.Contains(x, "..."), span(file, 0, len(file.Text)),
				"type-mismatch", "the sides are %s and %s", x, y)
		}
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// side is the one of a name.
func side(list []*clause, name string) *program {
	out := &program{rule: &rule{least: map[string]int64{}, types: map[string]*typ{}}}
	f := newInference(out)
	out.body = f.text(f.declare(list, name))
	f.finish()
	return out
}

// text parses what a word holds.
func (f *inference) text(c *clause) (n *node) {
	parse(c, func(p *parser) { n = p.expression() })
	f.deep = max(f.deep, n.depth())
	return n
}

// parse takes apart what a word holds.
func parse(c *clause, with func(*parser)) {
	file := source.NewFile(c.at.File.Name, c.word)
	err := procedures.Read(file, word(), " \t\r\n#", func(w *procedures.Words) {
		with(&parser{Words: w})
		w.Expect("")
	})
	if err != nil {
		panic(source.AsErrors(err))
	}
}

// clauses are those of the only rule of a text.
func clauses(file *source.File) []*clause {
	open := []*clause{{}}
	for at := 0; at < len(file.Text); {
		text, end := file.Text[at:], at+1
		top := open[len(open)-1]
		switch c := text[0]; {
		case strings.ContainsRune(" \t\r\n", rune(c)):
		case c == ';':
			end = at + 1 + len(strings.SplitN(text, "\n", 2)[0])
		case c == '(':
			x := &clause{at: source.Span{File: file, Start: at, End: end}}
			top.list, open = append(top.list, x), append(open, x)
		case c == ')':
			check(len(open) > 1, span(file, at, end), "unopened-list", "it closes nothing")
			open = open[:len(open)-1]
		case c == '"':
			n := strings.IndexByte(text[1:], '"')
			check(n >= 0, span(file, at, end), "unclosed-quote", "this quote is not closed")
			end = at + n + 2
			top.list = append(top.list, &clause{span(file, at, end), text[1 : n+1], nil})
		default:
			if n := strings.IndexAny(text, " \t\r\n();\""); n >= 0 {
				text = text[:n]
			}
			end = at + len(text)
			top.list = append(top.list, &clause{span(file, at, end), text, nil})
		}
		at = end
	}
	whole, top := span(file, 0, len(file.Text)), open[0].list
	check(len(open) == 1 && len(top) == 1 && len(top[0].list) > 2 && top[0].list[0].word == "rule",
		whole, "bad-rule", "a rule is wanted")
	return top[0].list[2:]
}

func span(file *source.File, start, end int) source.Span {
	return source.Span{File: file, Start: start, End: end}
}

// declare reads what a rule declares, and returns its side of a name.
func (f *inference) declare(list []*clause, name string) (side *clause) {
	known := map[string]*clause{}
	for _, c := range list {
		check(len(c.list) > 0, c.at, "bad-rule", "a clause is wanted")
		head := c.list[0].word
		read := strings.Fields("lang nats data funs vars where lhs rhs want arith doc source")
		check(slices.Contains(read, head), c.at, "bad-rule", "the checker does not read %q", head)
		check(known[head] == nil, c.at, "bad-rule", "a second %s", head)
		known[head] = c
	}
	items := func(head string) []*clause {
		if c := known[head]; c != nil {
			return c.list[1:]
		}
		return nil
	}
	lang := items("lang")
	check(len(lang) == 1 && lang[0].word == "rise", list[0].at, "bad-rule", "no rule of RISE")
	for _, c := range items("nats") {
		f.natural(c)
	}
	for _, c := range items("data") {
		check(c.word != "" && f.rule.types[c.word] == nil && elems[c.word] == "", c.at,
			"redefined-name", "%s is declared already", c.word)
		f.rule.types[c.word] = &typ{kind: scalar, elem: domain.Float32, free: c.word}
	}
	units := unitsOf(items("funs"))
	isUnit := func(c *clause) bool {
		return len(c.list) > 0 && slices.Contains(units, c.list[0].word)
	}
	for _, c := range items("vars") {
		if !isUnit(c) {
			f.tensorOf(c)
		}
	}
	for _, c := range items("funs") {
		f.function(c)
	}
	for _, c := range items("vars") {
		if isUnit(c) {
			f.tensorOf(c)
		}
	}
	nats := &procedures.Param{Name: naturals, Elem: domain.Float32}
	for _, u := range f.Sizes {
		nats.Dims = append(nats.Dims, domain.NamedSize(u.Name))
	}
	f.Declare(nats)
	for _, c := range items("where") {
		f.guard(c, name == "lhs")
	}
	check(name == "lhs" || name == "rhs", list[0].at, "bad-rule", "%q is no side", name)
	side = known[name]
	check(side != nil && len(side.list) == 2, list[0].at, "bad-rule", "no %s", name)
	return side.list[1]
}

// pairOf takes a list of a name and something else, and of more where that is allowed.
func pairOf(c *clause, more bool) (name, of *clause) {
	check(len(c.list) == 2 || more && len(c.list) > 2, c.at, "bad-rule", "a name and what it is")
	name = c.list[0]
	check(startsWith(name.at, letters) && name.list == nil && name.word != naturals, name.at,
		"bad-rule", "a name is wanted")
	return name, c.list[1]
}

const letters = "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

func (f *inference) natural(c *clause) {
	name, of := pairOf(c, false)
	least, err := strconv.ParseInt(of.word, 10, 32)
	_, known := f.rule.least[name.word]
	check(err == nil && least >= 0 && !known && schemes()[name.word] == nil, c.at, "bad-rule",
		"a natural has a name of its own and a least value")
	f.rule.least[name.word] = least
	f.Sizes = append(f.Sizes, domain.SizeUse{Name: name.word, Span: name.at})
}

// typeOf is the type that a word holds.
func (f *inference) typeOf(c *clause) (t *typ) {
	parse(c, func(p *parser) { t = f.read(p.function(), nil) })
	return t
}

// visible adds a variable that both sides see.
func (f *inference) visible(name *clause, t *typ) *variable {
	_, size := f.rule.least[name.word]
	check(!f.variables[name.word] && !size, name.at, "redefined-name", "%s is declared already",
		name.word)
	f.variables[name.word] = true
	v := &variable{name: name.word, typ: t}
	f.scope = &scope{v, f.scope}
	return v
}

// unitsOf are the names of the units of functions.
func unitsOf(functions []*clause) (names []string) {
	for _, c := range functions {
		for _, law := range c.list {
			if len(law.list) == 2 && law.list[0].word == "unit" {
				names = append(names, law.list[1].word)
			}
		}
	}
	return names
}

func (f *inference) tensorOf(c *clause) {
	name, of := pairOf(c, false)
	for _, s := range f.rule.free {
		if s.of != nil && s.name == name.word { // a unit is an element already
			f.unify(of.at, f.typeOf(of), s.typ)
			return
		}
	}
	f.input(name.at, f.visible(name, f.typeOf(of)))
}

// function reads the declaration of one, with laws or what it is.
func (f *inference) function(c *clause) {
	name, of := pairOf(c, true)
	t := f.typeOf(of)
	check(t.find().kind == function, of.at, "type-mismatch", "%s is no function", name.word)
	s := &symbol{variable: f.visible(name, t)}
	f.rule.free = append(f.rule.free, s)
	if laws := c.list[2:]; len(laws) == 2 && laws[0].word == "=" {
		is := laws[1].word
		known := schemes()[is]
		check(known != nil && (known.typ == "t -> t -> t" || is == "neg"), laws[1].at,
			"unsupported-op", "the checker does not read a function that is %s", is)
		var whole *typ
		s.is, whole = f.instance(name.at, is, nil)
		f.unify(of.at, whole, t)
		check(s.is.types["t"].number(), of.at, "type-mismatch", "%s is of numbers", is)
		return
	}
	associative, commutative := false, false
	for _, law := range c.list[2:] {
		switch {
		case law.word == "assoc":
			associative = true
		case law.word == "comm":
			commutative = true
		default:
			unital := len(law.list) == 2 && law.list[0].word == "unit" && law.list[1].word != ""
			check(unital, law.at, "bad-rule", "no law that is known")
			unit := f.visible(law.list[1], t.part(0))
			f.rule.free = append(f.rule.free, &symbol{variable: unit, of: s})
			s.unital = true
		}
	}
	s.associative, s.commutative = associative, commutative
	s.sum = associative && commutative && f.monoid(t)
}

// monoid reports whether t is that of an operation on a type of which nothing else is known.
func (f *inference) monoid(t *typ) bool {
	x := t.part(0)
	same := func(y *typ) bool { return y.find().kind == scalar && y.find().free == x.free }
	if x.kind != scalar || x.free == "" || t.part(1).kind != function ||
		!same(t.part(1).part(0)) || !same(t.part(1).part(1)) {
		return false
	}
	return !slices.ContainsFunc(f.rule.free, func(s *symbol) bool {
		return s.sum && s.typ.part(0).free == x.free
	})
}

// guard reads a condition: on naturals, which the left side assumes, or an equation that says what
// a variable is.
func (f *inference) guard(c *clause, assumed bool) {
	var n *node
	parse(c, func(p *parser) { // x == y |> f is x == (y |> f): nothing takes a comparison
		x := p.binary(2)
		at := p.Expect(comparisons...)
		n = &node{op: at.Text(), at: at, args: []*node{x, p.expression()}}
	})
	f.deep = max(f.deep, n.depth())
	x, y := n.args[0], n.args[1]
	if !f.closed(x, f.scope) || !f.closed(y, f.scope) {
		f.same(c, n)
		return
	}
	if !assumed {
		return
	}
	var p *domain.Pred
	if zero := y.op == "number" && y.text == "0"; n.op == "==" && x.op == "%" && zero {
		p = domain.Divides(f.sizeOf(x.args[1], nil), f.sizeOf(x.args[0], nil))
	} else {
		a, b := f.sizeOf(x, nil), f.sizeOf(y, nil)
		switch n.op {
		case "<":
			p = domain.Lt(a, b)
		case ">":
			p = domain.Lt(b, a)
		case "<=":
			p = domain.Le(a, b)
		case ">=":
			p = domain.Le(b, a)
		default:
			p = domain.Eq(a, b)
		}
	}
	f.assumes = append(f.assumes, &domain.Assume{Pred: p, Span: c.at})
}

// same reads an equation of a variable of the rule and an expression of the others: the only one.
func (f *inference) same(c *clause, n *node) {
	v, with := f.scope.find(n.args[0].at.Text()), n.args[1]
	known := n.op == "==" && n.args[0].op == "name" && v != nil && v.param > 0
	check(known && f.rule.equal == nil && !with.mentions(v.name), c.at, "unsupported-op",
		"the checker does not read this guard")
	f.infer(with, f.scope, v.typ)
	f.rule.equal, f.rule.with = v, with
}

func (n *node) mentions(name string) bool {
	return n.op == "name" && n.at.Text() == name ||
		slices.ContainsFunc(n.args, func(a *node) bool { return a.mentions(name) })
}
