package dialect

import (
	"cmp"
	"math/big"
	"slices"
	"strings"

	"tv/internal/source"
	"tv/semantics/rise/syntax"
)

// A val is a value of the text.
type val struct {
	name  string
	at    source.Span
	typ   *typ
	param *syntax.Param // which it is in the core
	used  bool
}

// A binding is an operation with a result; build is called when all types are known.
type binding struct {
	val   *val
	build func() *syntax.Core
}

// A scope has the names of a region, and those around it.
type scope struct {
	vals  map[string]*val
	outer *scope
}

func (s *scope) find(name string) *val {
	for ; s != nil; s = s.outer {
		if v := s.vals[name]; v != nil {
			return v
		}
	}
	return nil
}

// A block is what stands in a region.
type block struct {
	*scope
	bindings []binding
	numbers  bool // of rise.embed: its operations are on numbers
}

type elaboration struct {
	errs  source.Errors
	args  []*argument
	vals  []*val
	later []func() // what is looked at when all types are known
	// lowered: the text has operations of the intermediate form, which write elsewhere than by rise.out.
	lowered bool
}

// An argument is a parameter of the function.
type argument struct {
	val
	taken   source.Span // by rise.in; none where File is nil
	written *val        // by rise.out
	out     source.Span
}

func (e *elaboration) fault(at source.Span, code, format string, args ...any) {
	e.errs = append(e.errs, source.Errorf(at, code, format, args...))
}

// define makes a value of a name; a second one of it in reach is told.
func (e *elaboration) define(s *scope, name token, t *typ) *val {
	v := &val{name: name.text, at: name.span, typ: t, param: &syntax.Param{Name: name.text, Span: name.span}}
	if old := s.find(name.text); old != nil && name.text != "" {
		e.fault(name.span, "redefined-name", "%s is defined already, at %s", name.text, old.at.Position())
	}
	s.vals[name.text] = v
	e.vals = append(e.vals, v)
	return v
}

// use is the value of a name.
func (e *elaboration) use(s *scope, name token) *val {
	if v := s.find(name.text); v != nil {
		v.used = true
		return v
	}
	if len(name.text) > 1 { // a lone % was told of
		var known []string
		for o := s; o != nil; o = o.outer {
			for n := range o.vals {
				known = append(known, n)
			}
		}
		e.fault(name.span, "unbound-name", "%s is not defined before%s", name.text, suggest(name.text, known))
	}
	return &val{name: name.text, at: name.span, typ: fresh(), param: &syntax.Param{Name: name.text, Span: name.span}}
}

// same unifies what is there with what should be, and tells where it is not.
func (e *elaboration) same(at source.Span, what string, is, want *typ) {
	if !unify(want, is) {
		e.fault(at, "type-mismatch", "%s is %s, where %s should be", what, is, want)
	}
}

func newScope(outer *scope) *scope { return &scope{vals: map[string]*val{}, outer: outer} }

// function elaborates a function.
func (e *elaboration) function(fn *funct) *block {
	b := &block{scope: newScope(nil)}
	for _, q := range fn.body.params {
		t := &typ{kind: memref, a: fresh()}
		if q.typ.typ != nil {
			if t = q.typ.typ; t.found().kind != memref {
				e.fault(q.typ.at, "unsupported-op", "a parameter of a function of rise is a memref, not %s", t)
				t = &typ{kind: memref, a: fresh()}
			}
		}
		a := &argument{val: *e.define(b.scope, q.name, t)}
		b.scope.vals[q.name.text] = &a.val
		e.args = append(e.args, a)
	}
	e.operations(b, fn.body.ops)
	if !e.lowered && !slices.ContainsFunc(e.args, func(a *argument) bool { return a.written != nil }) {
		e.fault(fn.at, "output-unknown", "no rise.out says what %s computes", fn.name)
	}
	return b
}

// operations elaborates those of a function or a lowering unit.
func (e *elaboration) operations(b *block, ops []*operation) {
	for i, op := range ops {
		switch op.name {
		case "lowering_unit":
			inner := &block{scope: newScope(b.scope)}
			for _, r := range op.regions {
				e.operations(inner, r.ops)
			}
			b.bindings = append(b.bindings, inner.bindings...)
		case "affine.for":
			e.intermediate(op)
			inner := &block{scope: newScope(b.scope)}
			for _, name := range op.results {
				e.define(inner.scope, name, fresh())
			}
			for _, r := range op.regions {
				e.operations(inner, r.ops)
			}
		case "out":
			e.out(b, op)
		case "return", "func.return", "std.return":
			if len(op.operands) > 0 {
				e.fault(op.operands[0].span, "type-mismatch", "a function of rise returns nothing: rise.out writes")
			}
			if i+1 < len(ops) {
				e.fault(ops[i+1].at, "bad-syntax", "nothing stands behind return")
			}
		default:
			e.operation(b, op)
		}
	}
}

// argument is the parameter that a name is, nil where it is none.
func (e *elaboration) argument(b *block, name token) *argument {
	v := e.use(b.scope, name)
	for _, a := range e.args {
		if &a.val == v {
			return a
		}
	}
	if b.find(name.text) != nil {
		e.fault(name.span, "type-mismatch", "%s is no parameter of the function", name.text)
	}
	return nil
}

// out is rise.out %m <- %v.
func (e *elaboration) out(b *block, op *operation) {
	if !e.counts(op, 2, 0, 0) {
		return
	}
	a, v := e.argument(b, op.operands[0]), e.use(b.scope, op.operands[1])
	if a == nil {
		return
	}
	e.same(op.operands[1].span, v.name, v.typ, a.typ.found().a)
	e.annotated(op, []*typ{a.typ, v.typ}, nil)
	switch {
	case a.written != nil:
		e.fault(op.at, "unsupported-op", "%s is written already, at %s", a.name, a.out.Position())
	case a.taken.File != nil:
		e.fault(op.at, "unsupported-op", "%s is taken in too, at %s", a.name, a.taken.Position())
	}
	a.written, a.out = v, op.at
}

// counts tells whether an operation has so many operands, results and regions; what is wrong is told.
func (e *elaboration) counts(op *operation, operands, results, regions int) bool {
	switch {
	case operands >= 0 && len(op.operands) != operands:
		e.fault(op.at, "wrong-arity", "%s has %d operands, not %d", op.name, operands, len(op.operands))
	case len(op.results) > results:
		e.fault(op.results[results].span, "wrong-arity", "%s has %d results", op.name, results)
	case len(op.regions) != regions:
		e.fault(op.at, "wrong-arity", "%s has %d regions, not %d", op.name, regions, len(op.regions))
	default:
		return true
	}
	for _, name := range op.results {
		if name.text != "" {
			return false
		}
	}
	return false
}

// annotated compares the types that are written with those that there are. The pretty form has that of the result alone.
func (e *elaboration) annotated(op *operation, operands []*typ, result *typ) {
	compare := func(list []written, with []*typ, what string) {
		if len(list) != len(with) {
			e.fault(op.at, "wrong-arity", "%s has %d %s, and %d types of such are written", op.name, len(with), what, len(list))
			return
		}
		for i, t := range list {
			e.same(t.at, "the type that is written", t.typ, with[i])
		}
	}
	results := []*typ{result}
	if result == nil {
		results = nil
	}
	switch {
	case op.arrow:
		compare(op.types, operands, "operands")
		compare(op.result, results, "results")
	case len(op.result) > 0 && result == nil: // rise.return %x : T
		compare(op.result, operands, "operands")
	case len(op.result) > 0:
		compare(op.result, results, "results")
	}
}

// operation elaborates one with a result.
func (e *elaboration) operation(b *block, op *operation) {
	t, build := fresh(), (func() *syntax.Core)(nil)
	if strings.HasPrefix(op.name, "codegen.") {
		e.intermediate(op)
		for _, name := range op.operands {
			e.use(b.scope, name)
		}
		for _, name := range op.results {
			e.define(b.scope, name, t)
		}
		return
	}
	if scalarName(op.name) == "constant" { // operations in embed may use it
		e.scalar(b, op)
		return
	}
	switch op.name {
	case "in":
		build = e.in(b, op, t)
	case "literal":
		build = e.literal(op, t)
	case "lambda":
		build = e.lambda(b, op, t)
	case "apply":
		build = e.apply(b, op, t)
	case "embed":
		build = e.embed(b, op, t)
	default:
		pt := patterns[op.name]
		if pt == nil {
			e.fault(op.at, "unsupported-op", "%s is not read here%s", op.name, suggest(op.name, operations()))
			break
		}
		if !e.counts(op, 0, 1, 0) {
			break
		}
		g := e.given(op, pt)
		of := pt.typ(g)
		unify(t, of)
		e.annotated(op, nil, t)
		build = func() *syntax.Core { return pt.of(op, g, t.core()) }
	}
	for _, name := range op.results {
		v := e.define(b.scope, name, t)
		b.bindings = append(b.bindings, binding{v, build})
	}
}

// intermediate tells once that what programs are lowered into is not read. The names in it are looked at all the same.
func (e *elaboration) intermediate(op *operation) {
	if !e.lowered {
		e.fault(op.at, "unsupported-op", "%s is of the form that programs of rise are lowered into, which is not read", op.name)
	}
	e.lowered = true
}

// ref is a value in the core.
func (v *val) ref(at source.Span) *syntax.Core {
	return &syntax.Core{Form: syntax.Variable, Param: v.param, Type: v.typ.core(), Span: at}
}

// in is rise.in %m : T.
func (e *elaboration) in(b *block, op *operation, t *typ) func() *syntax.Core {
	if !e.counts(op, 1, 1, 0) {
		return nil
	}
	a := e.argument(b, op.operands[0])
	if a == nil {
		return nil
	}
	if a.written != nil {
		e.fault(op.at, "unsupported-op", "%s is written, at %s", a.name, a.out.Position())
	}
	a.taken = op.at
	unify(t, a.typ.found().a)
	e.annotated(op, []*typ{a.typ}, t)
	return func() *syntax.Core { return a.ref(op.operands[0].span) }
}

// literal is rise.literal #rise.lit<0.0, scalar<f32>>.
func (e *elaboration) literal(op *operation, t *typ) func() *syntax.Core {
	a := op.attrs["literal"]
	if len(op.order) > 0 {
		a = op.order[0]
	}
	if !e.counts(op, 0, 1, 0) {
		return nil
	}
	if a == nil || a.value == nil {
		e.fault(op.at, "wrong-arity", "literal is given a number, as in #rise.lit<0.0, scalar<f32>>")
		return nil
	}
	if a.typ != nil {
		unify(t, a.typ)
	}
	e.annotated(op, nil, t)
	return e.number(a, t, op.at)
}

// number is a literal of a type; what the type does not have is told.
func (e *elaboration) number(a *attr, t *typ, at source.Span) func() *syntax.Core {
	e.later = append(e.later, func() {
		switch of := t.found(); {
		case of.kind == unknown:
		case of.kind != scalar && of.kind != plain:
			e.fault(at, "type-mismatch", "a literal is a number, and %s should be here", t)
		case of.elem[0] == 'i' && !fits(a.value, bits(of.elem)):
			e.fault(a.span, "type-mismatch", "%s has no number %s", of.elem, a.value.RatString())
		}
	})
	return func() *syntax.Core {
		return &syntax.Core{Form: syntax.Literal, Type: t.core(), Value: a.value, Span: at}
	}
}

// fits tells whether a number is one of a signed integer of so many bits, or 0 or 1 of one.
func fits(value *big.Rat, bits int) bool {
	if !value.IsInt() {
		return false
	}
	n := new(big.Int).Set(value.Num())
	if n.Sign() < 0 {
		n.Not(n) // -2^31 is one, and 2^31 is none
	}
	return n.BitLen() <= max(bits-1, 1) && (bits > 1 || value.Sign() >= 0)
}

// lambda is a function; its region returns one value.
func (e *elaboration) lambda(b *block, op *operation, t *typ) func() *syntax.Core {
	if !e.counts(op, 0, 1, 1) {
		return nil
	}
	r := op.regions[0]
	inner := &block{scope: newScope(b.scope)}
	params, types := []*val(nil), []*typ(nil)
	for _, q := range r.params {
		of := fresh()
		if q.typ.typ != nil {
			of = q.typ.typ
		}
		params = append(params, e.define(inner.scope, q.name, of))
		types = append(types, of)
	}
	if len(params) == 0 {
		e.fault(op.at, "wrong-arity", "a function without parameters")
		return nil
	}
	result := fresh()
	if r.result != nil {
		result = r.result.typ
	}
	of := function(append(types, result)...)
	unify(t, of)
	for _, w := range op.result { // that of the function, before its body is looked at
		e.same(w.at, "the type that is written", w.typ, t)
	}
	back := e.body(inner, r, result)
	return func() *syntax.Core {
		c := inner.core(back)
		for i := len(params) - 1; i >= 0; i-- {
			c = &syntax.Core{Form: syntax.Lambda, Param: params[i].param, Args: []*syntax.Core{c}, Span: op.at,
				Type: &syntax.Type{Kind: syntax.Func, A: params[i].typ.core(), B: c.Type}}
		}
		return c
	}
}

// body elaborates the operations of a function or of rise.embed, and returns the value that it returns.
func (e *elaboration) body(b *block, r *region, result *typ) (back *val) {
	for i, op := range r.ops {
		switch {
		case op.name != "return":
			if b.numbers {
				e.scalar(b, op)
			} else {
				e.operation(b, op)
			}
			continue
		case len(op.operands) != 1:
			e.fault(op.at, "wrong-arity", "one value is returned, not %d", len(op.operands))
			return nil
		case i+1 < len(r.ops):
			e.fault(r.ops[i+1].at, "bad-syntax", "nothing stands behind return")
		}
		back = e.use(b.scope, op.operands[0])
		e.same(op.operands[0].span, back.name, back.typ, result)
		e.annotated(&operation{name: "return", at: op.at, types: op.types, result: op.result}, []*typ{back.typ}, nil)
		return back
	}
	e.fault(r.at, "bad-syntax", "nothing is returned")
	return nil
}

// apply is a function of its operands, one after the other.
func (e *elaboration) apply(b *block, op *operation, t *typ) func() *syntax.Core {
	if len(op.operands) < 2 {
		e.fault(op.at, "wrong-arity", "apply has a function, and what it is applied to")
		return nil
	}
	if !e.counts(op, -1, 1, 0) {
		return nil
	}
	f := e.use(b.scope, op.operands[0])
	args, types := []*val(nil), []*typ{f.typ}
	at := f.typ
	for i, name := range op.operands[1:] {
		x := e.use(b.scope, name)
		args, types = append(args, x), append(types, x.typ)
		if at.found().kind == unknown && !unify(at, function(x.typ, fresh())) { // add and mult
			e.fault(name.span, "type-mismatch", "%s is %s, which %s does not take", name.text, x.typ, f.name)
			return nil
		}
		of := at.found()
		if of.kind != fun {
			e.fault(name.span, "wrong-arity", "%s takes %d operands: it is %s", f.name, i, f.typ)
			return nil
		}
		e.same(name.span, name.text, x.typ, of.a)
		at = of.b
	}
	unify(t, at)
	whole := len(op.result) == 1 && !op.arrow && op.result[0].found().kind == fun && at.found().kind != fun
	if whole { // of 2019: the type of the function
		e.same(op.result[0].at, "the type that is written", op.result[0].typ, f.typ)
	} else {
		e.annotated(op, types, t)
	}
	return func() *syntax.Core {
		c := f.ref(op.operands[0].span)
		for i, x := range args {
			c = &syntax.Core{Form: syntax.Apply, Args: []*syntax.Core{c, x.ref(op.operands[i+1].span)}, Span: op.at, Type: c.Type.B}
		}
		return c
	}
}

// sorted are errors in the order of the text.
func sorted(errs source.Errors) source.Errors {
	slices.SortStableFunc(errs, func(a, b *source.Error) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
	return errs
}
