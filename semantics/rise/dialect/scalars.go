package dialect

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"tv/semantics/rise/syntax"
)

// A scalarOp is an operation on numbers, which stands in rise.embed.
type scalarOp struct {
	name  string // in the core
	kinds string // of the operands: i integers, f floats
	arity int
	to    string // of a conversion: the kind of the result
}

// scalars are the operations on numbers, by their names of today without arith.
var scalars = func() map[string]*scalarOp {
	out := map[string]*scalarOp{
		"addf": {"add", "f", 2, ""}, "subf": {"sub", "f", 2, ""}, "mulf": {"mult", "f", 2, ""}, "divf": {"div", "f", 2, ""},
		"addi": {"add", "i", 2, ""}, "subi": {"sub", "i", 2, ""}, "muli": {"mult", "i", 2, ""}, "negf": {"neg", "f", 1, ""},
		"maxsi": {"max", "i", 2, ""}, "minsi": {"min", "i", 2, ""}, "maximumf": {"maximumf", "f", 2, ""},
		"minimumf": {"minimumf", "f", 2, ""}, "maxnumf": {"max", "f", 2, ""}, "minnumf": {"min", "f", 2, ""},
		"cmpf": {"", "f", 2, ""}, "cmpi": {"", "i", 2, ""}, "select": {"select", "if", 3, ""},
		"sitofp": {"cast", "i", 1, "f"}, "extf": {"cast", "f", 1, "f"}, "truncf": {"cast", "f", 1, "f"},
		"extsi": {"cast", "i", 1, "i"}, "trunci": {"cast", "i", 1, "i"},
	}
	return out
}()

// older are names that operations had before.
var older = map[string]string{"maxf": "maximumf", "minf": "minimumf", "fpext": "extf", "fptrunc": "truncf", "sexti": "extsi"}

// scalarName is the name of today of an operation on numbers.
func scalarName(name string) string {
	name = strings.TrimPrefix(strings.TrimPrefix(name, "arith."), "std.")
	if today, ok := older[name]; ok {
		return today
	}
	return name
}

// comparisons of the core by predicates: the number that the generic form has, and the word. Those of floats are false of NaN.
var (
	comparedInts = map[string]string{"eq": "==", "slt": "<", "sle": "<=", "sgt": ">", "sge": ">=",
		"0": "==", "2": "<", "3": "<=", "4": ">", "5": ">="}
	comparedFloats = map[string]string{"oeq": "==", "ogt": ">", "oge": ">=", "olt": "<", "ole": "<=",
		"1": "==", "2": ">", "3": ">=", "4": "<", "5": "<="}
)

// embed hands numbers to operations on numbers, and makes one of rise of what they return.
func (e *elaboration) embed(b *block, op *operation, t *typ) func() *syntax.Core {
	if !e.counts(op, -1, 1, 1) {
		return nil
	}
	r := op.regions[0]
	inner := &block{scope: newScope(b.scope), numbers: true}
	var types []*typ
	for i, name := range op.operands {
		v := e.use(b.scope, name)
		types = append(types, v.typ)
		of := &typ{kind: plain, elem: v.typ.found().elem}
		switch k := v.typ.found().kind; {
		case k == unknown:
			of = fresh()
		case k != scalar:
			e.fault(name.span, "type-mismatch", "%s is %s, where a number should be", name.text, v.typ)
			of = fresh()
		}
		inside := &val{name: v.name, at: v.at, typ: of, param: v.param}
		if !op.generic && r.params == nil {
			inner.vals[name.text] = inside
			continue
		}
		if i < len(r.params) {
			q := r.params[i]
			inside.name, inside.at = q.name.text, q.name.span
			if q.typ.typ != nil {
				e.same(q.typ.at, "the type that is written", q.typ.typ, of)
			}
			if inner.find(q.name.text) != nil {
				e.fault(q.name.span, "redefined-name", "%s is defined already", q.name.text)
			}
			inner.vals[q.name.text] = inside
		}
	}
	if r.params != nil && len(r.params) != len(op.operands) {
		e.fault(r.at, "wrong-arity", "the block takes %d numbers, and embed has %d operands", len(r.params), len(op.operands))
	}
	returned := fresh()
	back := e.body(inner, r, returned)
	switch of := returned.found(); {
	case of.kind == plain:
		unify(t, number(of.elem))
	case of.kind != unknown:
		e.fault(op.at, "type-mismatch", "%s is returned by embed, where a number should be", of)
	}
	e.annotated(op, types, t)
	return func() *syntax.Core { return inner.core(back) }
}

// scalar elaborates an operation on numbers.
func (e *elaboration) scalar(b *block, op *operation) {
	t, build := fresh(), (func() *syntax.Core)(nil)
	name := scalarName(op.name)
	so := scalars[name]
	switch {
	case name == "constant":
		build = e.constant(op, t)
	case so == nil:
		e.fault(op.at, "unsupported-op", "%s is not read in embed%s", op.name, suggest(op.name, operations()))
	case e.counts(op, so.arity, 1, 0):
		build = e.arithmetic(b, op, name, so, t)
	}
	for _, name := range op.results {
		b.bindings = append(b.bindings, binding{e.define(b.scope, name, t), build})
	}
}

// constant is constant 0.0 : f32; in the generic form it is an attribute.
func (e *elaboration) constant(op *operation, t *typ) func() *syntax.Core {
	a := op.attrs["value"]
	if len(op.order) > 0 {
		a = op.order[0]
	}
	if a != nil && a.value == nil {
		a.value, _ = new(big.Rat).SetString(a.text)
	}
	if a == nil || a.value == nil || len(op.results) != 1 {
		e.fault(op.at, "wrong-arity", "constant is given a number, and has a result")
		return nil
	}
	if e.annotated(op, nil, t); t.found().kind != plain {
		e.fault(op.at, "type-mismatch", "the type of the constant is missing")
	}
	return e.number(a, t, op.at)
}

// operand is a number that an operation of numbers takes; kinds are the first letters of the types that it may have.
func (e *elaboration) operand(b *block, name token, kinds string) *val {
	v := e.use(b.scope, name)
	switch t := v.typ.found(); {
	case t.kind == unknown:
	case t.kind != plain:
		e.fault(name.span, "type-mismatch", "%s is %s: a number is handed to rise.embed as an operand", name.text, t)
		v = &val{name: v.name, at: v.at, typ: fresh(), param: v.param}
	case !strings.Contains(kinds, t.elem[:1]) || t.elem == "i1" && kinds == "i":
		e.fault(name.span, "type-mismatch", "%s is %s, which the operation does not take", name.text, t)
		v = &val{name: v.name, at: v.at, typ: fresh(), param: v.param}
	}
	return v
}

// arithmetic is an operation of operands of one type, but for the condition of select.
func (e *elaboration) arithmetic(b *block, op *operation, name string, so *scalarOp, t *typ) func() *syntax.Core {
	args, types := []*val(nil), []*typ(nil)
	of, core := fresh(), so.name
	for i, x := range op.operands {
		v := e.operand(b, x, so.kinds)
		want := of
		if name == "select" && i == 0 {
			want = &typ{kind: plain, elem: "i1"}
		}
		e.same(x.span, x.text, v.typ, want)
		args, types = append(args, v), append(types, v.typ)
	}
	result := of
	switch {
	case so.name == "":
		result = &typ{kind: plain, elem: "i1"}
		core = e.predicate(op, name)
	case so.to != "":
		result = fresh()
	}
	unify(t, result)
	e.scalarTypes(op, name, so, of, types, t)
	return func() *syntax.Core {
		f := t.core()
		for i := len(args) - 1; i >= 0; i-- {
			f = &syntax.Type{Kind: syntax.Func, A: args[i].typ.core(), B: f}
		}
		c := &syntax.Core{Form: syntax.Pattern, Name: core, Type: f, Span: op.at}
		for i, x := range args {
			c = &syntax.Core{Form: syntax.Apply, Args: []*syntax.Core{c, x.ref(op.operands[i].span)}, Span: op.at, Type: c.Type.B}
		}
		return c
	}
}

// scalarTypes compares the types that are written: in the pretty form one, of the operands.
func (e *elaboration) scalarTypes(op *operation, name string, so *scalarOp, of *typ, types []*typ, t *typ) {
	switch {
	case op.arrow && so.to != "" && !op.generic: // f32 to f64
		e.annotated(op, types, t)
	case op.arrow:
		e.annotated(op, types, t)
	case len(op.result) == 2 && name == "select":
		e.same(op.result[0].at, "the type that is written", op.result[0].typ, &typ{kind: plain, elem: "i1"})
		e.same(op.result[1].at, "the type that is written", op.result[1].typ, of)
	case len(op.result) > 0:
		e.same(op.result[0].at, "the type that is written", op.result[0].typ, of)
	}
	if to := t.found(); so.to != "" {
		from := of.found()
		wider := map[string]bool{"extf": true, "extsi": true}[name]
		narrower := map[string]bool{"truncf": true, "trunci": true}[name]
		switch {
		case to.kind != plain:
			e.fault(op.at, "type-mismatch", "the type that %s converts to is missing", name)
		case from.kind == plain && (to.elem[:1] != so.to || wider && bits(to.elem) <= bits(from.elem) ||
			narrower && bits(to.elem) >= bits(from.elem)):
			e.fault(op.result[len(op.result)-1].at, "type-mismatch", "%s does not make %s of %s", name, to, from)
		}
	}
}

func bits(elem string) int {
	n, _ := strconv.Atoi(elem[1:])
	return n
}

// predicate is the comparison that cmpi or cmpf is.
func (e *elaboration) predicate(op *operation, name string) string {
	a := op.attrs["predicate"]
	if len(op.order) > 0 {
		a = op.order[0]
	}
	table := comparedInts
	if name == "cmpf" {
		table = comparedFloats
	}
	at, word := op.at, ""
	if a != nil {
		at, word = a.span, a.text
	}
	if core, ok := table[word]; ok {
		return core
	}
	var known []string
	for w := range table {
		if !isDigit(w) {
			known = append(known, w)
		}
	}
	slices.Sort(known)
	e.fault(at, "unsupported-op", "of comparisons %s are read", strings.Join(known, ", "))
	return "<"
}
