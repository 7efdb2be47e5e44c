package rise

import (
	"math/big"
	"slices"
	"strings"

	"tv/internal/source"
	"tv/proofs/algebra"
	"tv/semantics/domain"
)

// A builder makes expressions of operations. Types that are written are made one with those that
// are found, so that they agree.
type builder struct {
	*inference
	made       *procedure
	scopes     []map[string]*held
	block      *block
	parameters []*parameter
	literals   []*node
	inside     int // regions of functions and of embed that are open
}

// A held value is what a name stands for: a value of rise, a number, or a parameter's memory.
type held struct {
	*variable
	as     form
	memory *parameter
}

// A block has what the operations of a region compute, in order.
type block struct {
	names  []*param
	values []*node
}

// opened does something in a region of its own.
func (b *builder) opened(do func()) *block {
	outer := b.block
	b.block = &block{}
	b.scopes = append(b.scopes, map[string]*held{})
	do()
	b.scopes = b.scopes[:len(b.scopes)-1]
	out := b.block
	b.block = outer
	return out
}

// find returns what a name stands for, nil if it is not defined.
func (b *builder) find(name string) *held {
	for _, s := range slices.Backward(b.scopes) {
		if v := s[name]; v != nil {
			return v
		}
	}
	return nil
}

func (b *builder) define(at source.Span, v *held) {
	check(b.find(at.Text()) == nil, at, "redefined-name", "%s is defined twice", at.Text())
	b.scopes[len(b.scopes)-1][at.Text()] = v
}

// used is a use of a value of a form.
func (b *builder) used(at source.Span, as form) *held {
	v := b.find(at.Text())
	check(v != nil, at, "unbound-name", "%s is not defined", at.Text())
	check(v.variable != nil && v.as == as, at, "type-mismatch", "%s is of another kind", at.Text())
	return v
}

// stored is a use of a parameter's memory.
func (b *builder) stored(at source.Span) *parameter {
	v := b.find(at.Text())
	check(v != nil, at, "unbound-name", "%s is not defined", at.Text())
	check(v.memory != nil, at, "type-mismatch", "%s is no memref", at.Text())
	return v.memory
}

// node makes an expression.
func (b *builder) node(op string, at source.Span, t *typ, args ...*node) *node {
	n := &node{op: op, at: at, args: args, typing: typing{typ: t}}
	b.nodes = append(b.nodes, n)
	return n
}

// use is that of a value as an expression.
func (b *builder) use(at source.Span, as form) *node {
	v := b.used(at, as)
	n := b.node("name", at, v.typ)
	n.of = v.variable
	return n
}

// same makes two types one that are written.
func (b *builder) same(x, y *noted) {
	if x != nil && y != nil {
		check(x.as == y.as, y.at, "type-mismatch", "types of two kinds")
		b.unify(y.at, x.typ, y.typ)
	}
}

// is says that what is written is a type of a form, if it is written.
func (b *builder) is(w *noted, t *typ, as form) {
	b.same(&noted{typ: t, as: as}, w)
}

// outside reads the operations of a function, or of a lowering unit.
func (b *builder) outside(r *region) {
	for i, o := range r.body {
		last := i == len(r.body)-1
		switch {
		case last && len(o.args) == 0 && o.name == map[bool]string{true: "func.return",
			false: "rise.return"}[len(b.scopes) == 1]:
			b.plain(o, "")
		case o.name == "rise.lowering_unit":
			b.plain(o, "")
			check(o.region != nil && len(o.region.params)+len(o.args) == 0, o.at, "bad-syntax",
				"a region without parameters")
			b.scopes = append(b.scopes, map[string]*held{})
			b.outside(o.region)
			b.scopes = b.scopes[:len(b.scopes)-1]
		case o.name == "rise.out":
			b.plain(o, "")
			check(len(o.args) == 2 && o.region == nil, o.at, "wrong-arity", "a memref and a value")
			q, v := b.stored(o.args[0]), b.used(o.args[1], wrapped)
			q.done = true
			b.unify(o.at, q.typ, v.typ)
			b.operands(o, []*typ{q.typ, v.typ}, memory, wrapped)
			b.Steps = append(b.Steps, slices.Index(b.parameters, q))
			b.made.outs = append(b.made.outs, v.variable)
		case o.name == "rise.in":
			b.plain(o, " ")
			check(len(o.args) == 1 && o.region == nil, o.at, "wrong-arity", "one memref")
			q := b.stored(o.args[0])
			q.taken = true
			b.operands(o, []*typ{q.typ}, memory)
			v := b.taken(q, wrapped)
			b.is(o.written, v.typ, wrapped)
			b.define(o.result, v)
		default:
			b.operation(o)
		}
	}
}

// plain checks that an operation has a result or none, and no attributes but some.
func (b *builder) plain(o *operation, result string, attrs ...string) {
	named := o.result.Text() != ""
	check(named == (result != ""), o.at, "bad-syntax", "%s: the number of results", o.name)
	check(len(o.listed) == 0, o.at, "bad-syntax", "%s has no such attributes", o.name)
	for name, a := range o.attrs {
		check(slices.Contains(attrs, name), a.at, "unsupported-op", "the attribute %s", name)
	}
}

// operands holds the types of operands, where they are written, against those that they have.
func (b *builder) operands(o *operation, types []*typ, as ...form) {
	for i, w := range o.operand {
		b.is(w, types[i], as[min(i, len(as)-1)])
	}
}

// operation reads one that computes a value.
func (b *builder) operation(o *operation) {
	defer b.deeperIn(o.at)()
	name, ok := strings.CutPrefix(o.name, "rise.")
	if !ok {
		check(strings.HasPrefix(o.name, "arith."), o.at, "unsupported-op",
			"the checker does not read %s here", o.name)
		b.set(o, b.numbers(o), raw)
		return
	}
	check(o.result.Text() != "", o.at, "bad-syntax", "%s without a name for its result", o.name)
	if name != "lambda" && name != "embed" {
		check(o.region == nil, o.at, "unsupported-op", "%s with a region", o.name)
	}
	switch name {
	case "literal":
		b.set(o, b.literal(o), wrapped)
	case "lambda":
		b.set(o, b.lambda(o), wrapped)
	case "embed":
		b.set(o, b.embed(o), wrapped)
	case "apply":
		b.apply(o)
	default:
		b.set(o, b.pattern(o, name), wrapped)
	}
}

func (b *builder) deeperIn(at source.Span) func() {
	b.inside++
	check(b.inside < maxNested, at, "too-deep", "more than %d deep", maxNested)
	return func() { b.inside-- }
}

// set gives the result of an operation its name.
func (b *builder) set(o *operation, n *node, as form) {
	b.is(o.written, n.typ, as)
	v := &variable{name: o.result.Text(), typ: n.typ}
	b.define(o.result, &held{variable: v, as: as})
	b.block.names = append(b.block.names, &param{at: o.result, variable: v})
	b.block.values = append(b.block.values, n)
}

// literal is a number that is written. Its type may be left to its place.
func (b *builder) literal(o *operation) *node {
	a := o.attrs["literal"]
	if len(o.listed) == 1 && a == nil {
		a, o.listed = o.listed[0], nil
	}
	b.plain(o, " ", "literal")
	check(a != nil && strings.HasPrefix(a.at.Text(), "#") && a.text != "" && a.text != nat &&
		len(o.args) == 0, o.at, "bad-literal", "one number")
	n := b.spelled(a.at, a.text)
	b.is(a.is, n.typ, wrapped)
	return n
}

func (b *builder) spelled(at source.Span, text string) *node {
	n := b.node("number", at, &typ{})
	n.text = text
	b.inference.numbers = append(b.inference.numbers, n)
	b.literals = append(b.literals, n)
	return n
}

// spells reports whether a number is one that an integer type has.
func (b *builder) spells(n *node, e domain.Elem) bool {
	v, ok := new(big.Int).SetString(n.text, 10)
	return ok && algebra.Exact(e, new(big.Rat).SetInt(v))
}

// closed is the expression that a region is, with what its last operation returns.
func (b *builder) closed(r *region, as form, before func()) *node {
	var result *node
	in := b.opened(func() {
		before()
		n := len(r.body) - 1
		check(n >= 0, r.end, "bad-syntax", "a region without an end")
		for _, o := range r.body[:n] {
			check(as == wrapped || strings.HasPrefix(o.name, "arith."), o.at, "unsupported-op",
				"the checker does not read %s here", o.name)
			b.operation(o)
		}
		o := r.body[n]
		check((o.name == "rise.return" || o.name == "func.return") && len(o.args) == 1, o.at,
			"bad-syntax", "a region ends with a return of one value")
		b.plain(o, "")
		check(o.region == nil, o.at, "unsupported-op", "a return with a region")
		result = b.use(o.args[0], as)
		b.operands(o, []*typ{result.typ}, as)
	})
	n := b.node("block", r.end, result.typ, append(in.values, result)...)
	n.params = in.names
	return n
}

// lambda is a function.
func (b *builder) lambda(o *operation) *node {
	b.plain(o, " ", "to")
	r := o.region
	check(r != nil && len(o.args) == 0 && len(r.params) > 0, o.at, "bad-syntax",
		"a region with parameters")
	var params []*param
	body := b.closed(r, wrapped, func() {
		for _, q := range r.params {
			v := &variable{name: q.at.Text(), typ: &typ{}}
			b.is(q.is, v.typ, wrapped)
			b.define(q.at, &held{variable: v})
			params = append(params, &param{at: q.at, variable: v})
		}
	})
	if a := o.attrs["to"]; a != nil {
		check(a.is != nil && !o.generic, o.at, "unsupported-op", "the attribute to")
		b.is(a.is, body.typ, wrapped)
	}
	t := body.typ
	for _, q := range slices.Backward(params) {
		t = arrow(q.typ, t)
	}
	n := b.node("fun", o.at, t, body)
	n.params = params
	return n
}

// apply is a call, of fewer operands than the function has perhaps. A type behind it is that of
// the result or, of a function, the one that is applied.
func (b *builder) apply(o *operation) {
	b.plain(o, " ")
	check(len(o.args) > 1, o.at, "wrong-arity", "a function, and what it is applied to")
	var args []*node
	var types []*typ
	for _, at := range o.args {
		args = append(args, b.use(at, wrapped))
		types = append(types, args[len(args)-1].typ)
	}
	b.operands(o, types, wrapped)
	t := types[0]
	for i, x := range types[1:] {
		to := &typ{}
		b.unify(o.args[i+1], t, arrow(x, to))
		t = to
	}
	w := o.written
	if w != nil && !o.generic && w.typ.kind == function && t.find().kind != function {
		b.is(w, types[0], wrapped)
		o.written = nil
	}
	b.set(o, b.node("call", o.at, t, args...), wrapped)
}

// operationPatterns are the patterns that operations are, and their attributes in order: naturals
// and types by the names that those have there.
var operationPatterns = map[string]struct{ scheme, attrs string }{
	"map": {"map", "n s t"}, "mapSeq": {"map", "n s t"}, "mapPar": {"map", "n s t"},
	"reduceSeq": {"rise.reduce", "n s t"}, "reduce": {"rise.reduce", "n t"},
	"zip": {"zip", "n s t"}, "tuple": {"makePair", "s t"}, "fst": {"fst", "s t"},
	"snd": {"snd", "s t"}, "transpose": {"transpose", "n m t"}, "split": {"split", "n m t"},
	"join": {"join", "n m t"}, "slide": {"slide", "n sz sp t"}, "pad": {"pad", "n l r t"},
	"add": {"add", "t"}, "mult": {"mult", "t"},
}

// pattern is one with all that is left open in its type.
func (b *builder) pattern(o *operation, name string) *node {
	of, known := operationPatterns[name]
	check(known, o.at, "unsupported-op", "the checker does not read %s", o.name)
	check(len(o.args) == 0, o.at, "wrong-arity", "%s has no operands", o.name)
	nats, types := b.attributes(o, strings.Fields(of.attrs))
	var given []size
	for _, n := range strings.Fields(schemes()[of.scheme].nats) {
		given = append(given, nats[n])
		delete(nats, n)
	}
	n := b.node("name", o.at, &typ{})
	var t *typ
	n.pattern, t = b.instance(o.at, of.scheme, given)
	for name, x := range nats {
		y := n.pattern.sizes[name]
		if of.scheme == "slide" { // which counts all windows but the first
			y = y.Add(one)
		}
		b.equate(o.at, x, y)
	}
	for name, x := range types {
		b.unify(o.at, x, n.pattern.types[name])
	}
	if name == "reduce" {
		b.unify(o.at, n.pattern.types["s"], n.pattern.types["t"])
	}
	if pairwise[of.scheme] {
		b.wide = append(b.wide, n)
	} else {
		b.unify(o.at, n.typ, t)
	}
	return n
}

// attributes are the naturals and types of a pattern by their names: all are given, by name or all
// in order.
func (b *builder) attributes(o *operation, names []string) (map[string]size, map[string]*typ) {
	if a := o.attrs["to"]; a != nil {
		check(slices.Contains([]string{"affine", "scf", "loop"}, a.text) && names[0] == "n" &&
			strings.Contains(o.name, "Seq"), a.at, "unsupported-op", "the attribute to")
		delete(o.attrs, "to")
	}
	if len(o.attrs) == 0 && !o.generic {
		check(len(o.listed) == len(names), o.at, "wrong-arity", "%s is given %s", o.name, names)
		for i, name := range names {
			o.attrs[name] = o.listed[i]
		}
		o.listed = nil
	}
	b.plain(o, " ", names...)
	nats, types := map[string]size{}, map[string]*typ{}
	for _, name := range names {
		a := o.attrs[name]
		check(a != nil, o.at, "wrong-arity", "%s is given %s", o.name, names)
		if name == "s" || name == "t" {
			check(a.is != nil && a.text == "" && a.is.as == wrapped && a.is.typ.data(), a.at,
				"type-mismatch", "%s is a type of data", name)
			types[name] = a.is.typ
			continue
		}
		check(a.text == nat, a.at, "type-mismatch", "%s is a natural", name)
		check(name == "l" || name == "r" || a.nat.Sign() > 0, a.at, "zero-size", "%s is 0", name)
		nats[name] = a.nat
	}
	return nats, types
}
