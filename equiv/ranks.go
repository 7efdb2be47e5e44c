package equiv

import (
	"fmt"
	"slices"

	"tv/equiv/sample"
	"tv/equiv/sizes"
	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/arrays"
	"tv/semantics/domain"
	"tv/semantics/index"
	"tv/semantics/term"
	"tv/semantics/value"
)

// Parameters in memory are their contents in row-major order: A[M][N], A[M*N] and a bare pointer bind to each other where the
// numbers of elements are equal. Elements of inputs are known by their offsets everywhere, so nothing is done about those;
// results of AFTER get the shapes of BEFORE's.

// A match is a parameter of AFTER, and what it is bound to.
type match struct {
	semantics.Parameter
	of   string        // BEFORE's name; empty: a result alone
	dims []domain.Size // BEFORE's
}

// A count is a condition that two tensors have as many elements. Where it fails they do not bind.
type count struct {
	pred *domain.Pred
	at   source.Span
	msg  string
}

// inRows tells whether two tensors have other dims that hold as many elements, or may.
func inRows(x, y []domain.Size) bool {
	if len(x) != len(y) {
		return true
	}
	return !slices.EqualFunc(x, y, domain.Size.Equal) && elements(x).Equal(elements(y))
}

// rowMajor tells whether a tensor binds to one of another rank.
func (m *meeting) rowMajor() bool { return m.before.RowMajor || m.after.RowMajor }

// first finds the first dim of a tensor of another rank than what it is bound to, where that is a name, and the others
// divide the number of elements.
func (m *meeting) first(p semantics.Parameter, dims []domain.Size) {
	if !m.rowMajor() || len(p.Dims) == 0 || len(p.Dims) > 1 && !p.Unsized {
		return
	}
	all, rest := elements(dims), m.out.env.Size(elements(p.Dims[1:]))
	if n := all.Div(rest); n.Mul(rest).Equal(all) {
		m.is(p.Dims[0].Name(), n)
	}
}

// elements is the number of them in a tensor.
func elements(dims []domain.Size) domain.Size {
	n := domain.IntSize(1)
	for _, d := range dims {
		n = n.Mul(d)
	}
	return n
}

// counted states of each tensor that has other dims than what it is bound to that it has as many elements, now that sizes are
// known. A program that is no procedure then has the dims of its own text.
func (m *meeting) counted(known map[string]bool) {
	all := slices.Clone(m.bound)
	for _, r := range m.results {
		if !slices.ContainsFunc(all, func(b match) bool { return b.Name == r.Name }) {
			all = append(all, r)
		}
	}
	for _, b := range all {
		if !b.Typed || !m.inRows(b.Parameter, b.dims) {
			continue
		}
		m.sized(b.Parameter, known)
		here, there := m.out.env.Size(elements(b.Dims)), elements(b.dims)
		if !here.Equal(there) {
			msg := fmt.Sprintf("%s has %s elements, and what it is bound to %s", b.Name, here.Formula(), there.Formula())
			pred := domain.Eq(here, there)
			m.out.counts = append(m.out.counts, count{pred, b.Span, msg})
			m.out.conditions = append(m.out.conditions, extent{pred, b.of, msg})
		}
		if b.of != "" {
			t := m.out.env.Tensors[b.of]
			t.Dims = m.dims(b.Parameter)
			m.out.env.Tensors[b.of] = t
		}
	}
}

// inRows tells whether a parameter of AFTER is known by the contents alone of what has some dims.
func (m *meeting) inRows(p semantics.Parameter, dims []domain.Size) bool {
	return m.rowMajor() && inRows(m.dims(p), dims)
}

// dims are those of a parameter of AFTER in BEFORE's sizes.
func (m *meeting) dims(p semantics.Parameter) (out []domain.Size) {
	for _, d := range p.Dims {
		out = append(out, m.out.env.Size(d))
	}
	return out
}

// sized fails where a dim of AFTER is nothing of BEFORE.
func (m *meeting) sized(p semantics.Parameter, known map[string]bool) {
	for i, d := range p.Dims {
		for _, name := range m.out.env.Size(d).Names() {
			switch {
			case known[name]:
			case p.Unsized && i == 0:
				m.fail(p.Span, "size-unbound", "the text does not say how many elements %s has, and its other extents do not "+
					"divide the number of those that it is bound to", p.Name)
			default:
				m.fail(p.Span, "size-unbound", "%s is no size of BEFORE, and no extent says what it is", name)
			}
		}
	}
}

// unequal is the error where tensors of different ranks do not have the same number of elements at a point.
func (c *correspondence) unequal(points []domain.Point) error {
	if c == nil {
		return nil
	}
	for _, n := range c.counts {
		for _, pt := range points {
			if ok, err := n.pred.Eval(pt); err == nil && !ok {
				return source.Errors{source.Errorf(n.at, "input-conflict", "%s: not as many at %s", n.msg,
					sizes.FormatPoint(pt))}
			}
		}
	}
	return nil
}

// shaped is the type of AFTER's result with the dims of BEFORE's where it is in rows, and nil where none is.
func shaped(x, y *semantics.Type) *semantics.Type {
	out, some := *y, inRows(x.Dims, y.Dims)
	if x.Tuple != y.Tuple || len(x.Items) != len(y.Items) {
		return nil
	}
	if out.Dims = y.Dims; some {
		out.Dims = x.Dims
	}
	out.Items = slices.Clone(y.Items)
	for i := range y.Items {
		if item := shaped(x.Items[i], y.Items[i]); item != nil {
			out.Items[i], some = item, true
		}
	}
	if !some {
		return nil
	}
	return &out
}

// Result implements semantics.Program.
func (g *guest) Result() *semantics.Type {
	if g.result != nil {
		return g.result
	}
	return g.Program.Result()
}

// Inputs implements semantics.Program: tensors have the dims that BEFORE knows them with.
func (g *guest) Inputs() []domain.Tensor {
	list := slices.Clone(g.Program.Inputs())
	for i, t := range list {
		if b, ok := g.env.Tensors[t.Name]; ok {
			list[i].Dims = b.Dims
		}
	}
	return list
}

// Lower implements semantics.Program.
func (g *guest) Lower(b *term.Builder, o semantics.LowerOptions) (*semantics.Lowered, error) {
	out, err := g.Program.Lower(b, o)
	if err != nil || g.result == nil || !o.Whole {
		return out, err
	}
	own := g.Program.Result().Components()
	for i, c := range g.result.Components() {
		a := out.Components[i].Array
		if !inRows(c.Dims, own[i].Dims) {
			continue
		}
		dims := make([]*index.Expr, len(c.Dims))
		for k, d := range c.Dims {
			if dims[k], err = arrays.Size(b.Index, o.Size, d); err != nil {
				return nil, err
			}
		}
		out.Components[i].Array.Dims = dims
		out.Components[i].Array.Element = func(ctx *index.Context, at []*index.Expr) *term.Term {
			return a.Element(ctx, b.Reshaped(ctx, at, dims, a.Dims))
		}
	}
	return out, nil
}

// Evaluate implements semantics.Program.
func (g *guest) Evaluate(a value.Arith, pt domain.Point, in value.Inputs, standing semantics.Standing) (semantics.Evaluator, error) {
	e, err := g.Program.Evaluate(a, pt, in, standing)
	if err != nil || g.result == nil {
		return e, err
	}
	out := shapedEvaluator{e, g.result, pt}
	for _, c := range g.result.Components() {
		if sample.Product(out.Dims(c.Path)) != sample.Product(e.Dims(c.Path)) {
			return nil, source.Errorf(g.Program.Source().Root(), "extent-conflict", "a result has another number of elements than BEFORE's")
		}
	}
	if who, ok := e.(semantics.Chronicle); ok {
		return shapedChronicle{out, who}, nil
	}
	return out, nil
}

// A shapedEvaluator gives results in the shapes of a type.
type shapedEvaluator struct {
	semantics.Evaluator
	result *semantics.Type
	point  domain.Point
}

// Dims implements semantics.Evaluator.
func (e shapedEvaluator) Dims(path []int) []int64 {
	t := e.result
	for _, i := range path {
		t = t.Items[i]
	}
	return sample.DimsAt(t.Dims, e.point)
}

// Element implements semantics.Evaluator.
func (e shapedEvaluator) Element(path []int, at []int64) (value.Value, error) {
	return e.Evaluator.Element(path, e.moved(path, at))
}

// moved is the index in AFTER's own shape.
func (e shapedEvaluator) moved(path []int, at []int64) []int64 {
	offset := int64(0)
	for i, d := range e.Dims(path) {
		offset = offset*d + at[i]
	}
	own := e.Evaluator.Dims(path)
	out := make([]int64, len(own))
	for i := len(own) - 1; i >= 0; i-- {
		out[i], offset = offset%own[i], offset/own[i]
	}
	return out
}

// Worked implements semantics.Worker.
func (e shapedEvaluator) Worked() int {
	if w, ok := e.Evaluator.(semantics.Worker); ok {
		return w.Worked()
	}
	return 0
}

// Bound implements semantics.Worker.
func (e shapedEvaluator) Bound(most int) bool {
	w, ok := e.Evaluator.(semantics.Worker)
	return !ok || w.Bound(most)
}

// A shapedChronicle is one that knows who wrote an element last.
type shapedChronicle struct {
	shapedEvaluator
	who semantics.Chronicle
}

// LastWrite implements semantics.Chronicle.
func (e shapedChronicle) LastWrite(path []int, at []int64) (semantics.Write, error) {
	return e.who.LastWrite(path, e.moved(path, at))
}
