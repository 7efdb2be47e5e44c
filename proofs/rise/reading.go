// Package rise is the checker's reading of RISE in the notation of papers: functions that apply
// patterns to arrays. It was written from what the patterns mean alone.
//
//	reading.go   texts, their types and parts, conditions on sizes
//	syntax.go    words and expressions
//	types.go     types, made one; infer.go those of expressions
//	patterns.go  the types of the patterns
//	sizes.go     the sizes that types have: equations of naturals, and what is asked for
//	values.go    values: an array is what it has at a place
//	elements.go  the values of expressions
//	state.go     those of the patterns
//	folds.go     reductions and scans
//	rules.go     rules: their texts; symbols.go functions of which nothing is known
//
//	operations.go  operations of MLIR: words, types, attributes; forms.go what is written how
//	procedure.go   procedures of such operations
//	meaning.go     what operations are, as expressions; embedded.go those on numbers
//
// # What is read
//
// A text is a function of parameters with types of scalars and arrays of scalars. A result that is
// a pair, or an array of pairs, is several tensors: an array of pairs is the same as the pair of
// arrays, but for rules, whose sides have one type. Names are looked for among parameters, then
// patterns; what is left are sizes, and no name is both a size and a parameter. Where types are
// not written they are inferred; a natural that a pattern takes stands where the pattern is
// applied, and has no variables in it.
//
// Sizes of arrays are naturals that equations determine: of a split of N elements in chunks of n,
// m is N/n, and n is at least 1 and divides N; where sizes have to be equal and are not by
// themselves, that is asked for. These are the conditions on sizes. Where places are computed, as
// by idx and reorder, it has to be known in each case that they lie within the array, whether an
// element is asked for or not. What idx and gather take at a place that is an element has no value
// where that is beyond the array.
//
// A fold is read where each component of what is accumulated depends on itself alone: by one sum,
// product, maximum or minimum, or by any step, which has to be the same on both sides then; or
// where its length is a number that is small.
//
// An element of scatter is the one whose place that is, which the place and all places say: where
// these are elements, nothing else is known of it.
//
// Refused are: sizes that depend on variables; inputs of pairs, and results of bool;
// quotients of integers but by positive numbers; a choice by elements of what may have no value; a
// conversion of floats to integers.
package rise

import (
	"math/big"
	"slices"

	"tv/internal/source"
	"tv/proofs/algebra"
	"tv/proofs/procedures"
	"tv/semantics/domain"
)

// Reading reads RISE.
type Reading struct{}

// A program is a text that was read.
type program struct {
	procedures.Program // the parameters
	Sizes              []domain.SizeUse
	scope              *scope
	body               *node
	nodes              []*node // all of the body
	asked              []condition
	assumes            []*domain.Assume
	deep               int
	rule               *rule // that it is a side of
}

// Read implements algebra.Reading.
func (Reading) Read(file *source.File) (algebra.Source, error) {
	if inOperations.MatchString(file.Text) {
		return readOperations(file)
	}
	out := &program{}
	err := procedures.Read(file, word(), " \t\r\n#", func(w *procedures.Words) {
		p := &parser{Words: w}
		out.body = p.expression()
		p.Expect("")
		out.deep = out.body.depth()
		f := newInference(out)
		f.heading()
		f.finish()
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (n *node) depth() (deep int) {
	for _, a := range n.args {
		deep = max(deep, a.depth())
	}
	return deep + 1
}

// heading takes the parameters of the program: those of the functions that it begins with, whose
// types are written.
func (f *inference) heading() {
	typed := func(n *node) bool {
		return n.op == "fun" && !slices.ContainsFunc(n.params, func(q *param) bool {
			return q.written == nil
		})
	}
	check(typed(f.body), f.body.at, "unknown-type",
		"a program is a function of parameters whose types are written")
	for n := f.body; typed(n); n = n.args[0] {
		for _, q := range n.params {
			v := &variable{name: q.at.Text(), typ: f.read(q.written, nil)}
			f.input(q.at, v)
			f.variables[v.name] = true
			f.scope = &scope{v, f.scope}
		}
		f.program.body = n.args[0]
	}
}

// input makes a variable an input.
func (f *inference) input(at source.Span, v *variable) {
	dims, elem, ok := v.typ.dims()
	check(ok, at, "unsupported-op", "the checker does not read inputs of pairs")
	f.Declare(&procedures.Param{Name: v.name, Elem: elem, Dims: dims, Span: at})
	v.param = len(f.Params)
}

// outputs checks that the result is one of tensors.
func (f *inference) outputs() {
	t := f.body.typ.find()
	check(t.data(), f.body.at, "no-result", "the result is %s, which is no data", t.shape(5))
	for _, r := range leaves(t, nil, nil, nil) {
		check(r.Elem != algebra.Truth, f.body.at, "unsupported-op",
			"the checker does not read results of bool")
	}
}

// leaves adds the tensors that a value of type t is, in arrays of dims.
func leaves(t *typ, dims []size, path []int, to []algebra.Tensor) []algebra.Tensor {
	switch t = t.find(); t.kind {
	case array:
		return leaves(t.parts[0], append(slices.Clip(dims), t.size), path, to)
	case pair:
		to = leaves(t.parts[0], dims, append(slices.Clip(path), 0), to)
		return leaves(t.parts[1], dims, append(slices.Clip(path), 1), to)
	}
	return append(to, algebra.Tensor{Path: path, Dims: slices.Clone(dims), Elem: t.elem})
}

// Declarations implements algebra.Source.
func (p *program) Declarations() domain.Declarations {
	out := p.Program.Declarations()
	out.Sizes, out.Assumes = p.Sizes, p.assumes
	if p.rule != nil {
		for _, in := range out.Inputs {
			for i, d := range in.Dims {
				in.Dims[i].Min = p.rule.least[d.Size.Name()]
			}
		}
	}
	return out
}

// Depth implements algebra.Source.
func (p *program) Depth() int { return p.deep }

// A typed is a program whose sizes stand for those of a question. Its parts are the parameters, in
// order, and the result.
type typed struct {
	*procedures.Typing
	p     *program
	asked []algebra.Condition
}

// Type implements algebra.Source.
func (p *program) Type(env *domain.Env) (algebra.Program, error) {
	t, err := p.under(env)
	if err != nil {
		return nil, err
	}
	return t, nil
}

func (p *program) under(env *domain.Env) (*typed, error) {
	under, err := p.Under(env)
	if err != nil {
		return nil, err
	}
	t, errs, known := &typed{Typing: under, p: p}, source.Errors(nil), map[string]bool{}
	for _, c := range p.asked {
		pred := c.pred.Subst(env.Sizes)
		a, aNumber := pred.A.Const()
		b, bNumber := pred.B.Const()
		key := pred.String()
		switch text := "it is not so that " + key; {
		case evident(pred, env.Mins), known[key]:
		case aNumber && bNumber && pred.Op == domain.PredLe && a.Cmp(b) > 0,
			aNumber && bNumber && pred.Op == domain.PredDivides:
			errs = append(errs, source.Errorf(c.at, c.code, "%s", text))
		default:
			known[key] = true
			t.asked = append(t.asked, algebra.Condition{Pred: pred, Msg: text})
		}
	}
	if errs != nil {
		return nil, errs
	}
	return t, nil
}

// evident reports whether a condition holds whatever the sizes are.
func evident(p *domain.Pred, mins map[string]int64) bool {
	switch p.Op {
	case domain.PredLe:
		n, ok := least(p.B.Sub(p.A), mins)
		return ok && n.Sign() >= 0
	case domain.PredEq:
		return p.A.Equal(p.B)
	case domain.PredDivides:
		a, number := p.A.Const()
		b, also := p.B.Const()
		return number && a.Sign() > 0 && (a.Cmp(big.NewInt(1)) == 0 ||
			also && new(big.Int).Mod(b, a).Sign() == 0)
	}
	return false
}

// least is a number that x is not below, if one is evident.
func least(x size, mins map[string]int64) (n *big.Int, ok bool) {
	if v, number := x.Const(); number {
		return v, true
	}
	if x.Op() == domain.SizeName {
		if v, declared := mins[x.Name()]; declared {
			return big.NewInt(v), true
		}
		return big.NewInt(1), true
	}
	var all []*big.Int
	for _, a := range x.Operands() {
		v, ok := least(a, mins)
		if !ok {
			return nil, false
		}
		all = append(all, v)
	}
	n = all[0]
	switch x.Op() {
	case domain.SizeAdd:
		for _, v := range all[1:] {
			n = new(big.Int).Add(n, v)
		}
		return n, true
	case domain.SizeMul:
		for i, v := range all {
			if v.Sign() < 0 {
				return nil, false
			} else if i > 0 {
				n = new(big.Int).Mul(n, v)
			}
		}
		return n, true
	case domain.SizeDiv:
		return new(big.Int), all[0].Sign() >= 0 && all[1].Sign() > 0
	}
	return nil, false
}

// Conditions implements algebra.Program.
func (t *typed) Conditions() []algebra.Condition {
	return append(t.Typing.Conditions(), t.asked...)
}

// Sizes implements algebra.Program.
func (t *typed) Sizes() (out []domain.Size) {
	for _, s := range t.p.Sizes {
		out = append(out, t.Env.Size(domain.NamedSize(s.Name)))
	}
	return out
}

// Elems implements algebra.Program: those that an element is computed in too.
func (t *typed) Elems() []domain.Elem {
	var out []domain.Elem
	for _, q := range t.Params {
		if q.Elem != algebra.Truth { // which is no number
			out = append(out, q.Elem)
		}
	}
	var within func(*typ)
	within = func(e *typ) {
		e = e.find()
		if e.kind == scalar && e.elem != algebra.Truth && !slices.Contains(out, e.elem) {
			out = append(out, e.elem)
		}
		for _, part := range e.parts {
			if part != nil {
				within(part)
			}
		}
	}
	for _, n := range t.p.nodes {
		within(n.typ)
	}
	return out
}

// Results implements algebra.Program.
func (t *typed) Results() []algebra.Tensor {
	out := leaves(t.p.body.typ, nil, nil, nil)
	for i, r := range out {
		for k, d := range r.Dims {
			out[i].Dims[k] = t.Env.Size(d)
		}
		out[i].Text = tensorText(out[i].Dims, r.Elem)
	}
	return out
}

// Root implements algebra.Program.
func (t *typed) Root() int { return len(t.Params) }

// Part implements algebra.Program.
func (t *typed) Part(n int) (algebra.Tensor, bool) {
	if results := t.Results(); n == t.Root() && len(results) == 1 && results[0].Path == nil {
		return results[0], true
	}
	return t.Typing.Part(n)
}
