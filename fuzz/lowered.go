package fuzz

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"

	"tv/fuzz/programs"
	"tv/internal/mix"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/index"
	"tv/semantics/term"
	"tv/semantics/value"
)

// Elements of a program by its lowering, held against its evaluator: terms are computed by the arithmetic that evaluators
// have, so that what is compared is what the lowering makes of a program.

// loweredElements is the number of elements of a component that are compared at a point.
const loweredElements = 12

// lowered compares a program's lowering with its evaluator on samples and says where they differ. What terms cannot be
// computed here is left out.
func lowered(p semantics.Program, arith domain.Arith, seed uint64) (how string, err error) {
	least := programs.LeastSizes(p.Source().Declarations().Inputs, nil)
	b := term.NewBuilder()
	low, err := p.Lower(b, semantics.LowerOptions{Arith: arith, Whole: true, Size: func(name string) *index.Expr {
		n, less := least[name]
		if !less {
			n = 1
		}
		return b.Index.Size(index.Spelt(name), n)
	}})
	if err != nil {
		return "", err
	}
	rng := rand.New(rand.NewPCG(seed, 0x6c6f776572))
	for i, c := range low.Components {
		at := make([]*index.Expr, len(c.Array.Dims))
		vars := make([]*index.Atom, len(at))
		for axis, n := range c.Array.Dims {
			vars[axis] = b.Index.NewVar("i", b.Index.Const(0), n)
			at[axis] = vars[axis].Expr()
		}
		element := c.Array.Element(b.Index.Root(), at)
		for _, pt := range domainPoints(p, seed) {
			in := draw(mix.Spread(seed+uint64(i)), arith, p.Inputs())
			e, err := p.Evaluate(arith, pt, in, nil)
			if err != nil {
				return "", err
			}
			for _, at := range programs.Indices(rng, e.Dims(c.Path), loweredElements) {
				w := &termEvaluator{arith: arith, point: pt, in: in, vars: map[*index.Atom]int64{}}
				for axis, v := range vars {
					w.vars[v] = at[axis]
				}
				if how := w.differ(element, e, c.Path, at); how != "" {
					return fmt.Sprintf("%s at element %v%v of %v, inputs of seed %d", how, c.Path, at, pt, seed), nil
				}
			}
		}
	}
	return "", nil
}

// A termEvaluator computes terms at a point. It is made for one element.
type termEvaluator struct {
	arith value.Arith
	point domain.Point
	in    value.Inputs
	vars  map[*index.Atom]int64
	err   error // why something could not be computed
}

// differ says how the value of a term differs from that of an evaluator.
func (w *termEvaluator) differ(t *term.Term, e semantics.Evaluator, path []int, at []int64) string {
	want, err := e.Element(path, at)
	if err != nil {
		return ""
	}
	got := w.value(t)
	if err := got.Err(); w.err != nil || errors.Is(err, value.ErrUndecided) {
		return ""
	} else if err != nil {
		return fmt.Sprintf("%v by the evaluator, %v by the lowering", want, err)
	}
	if value.Compare(want, got) == value.Different {
		return fmt.Sprintf("%v by the evaluator, %v by the lowering", want, got)
	}
	return ""
}

// number is an index expression's value.
func (w *termEvaluator) number(e *index.Expr) int64 {
	n, err := e.Eval(func(a *index.Atom) *big.Int {
		if a.Kind == index.Size {
			return big.NewInt(w.point[a.Name])
		}
		return big.NewInt(w.vars[a])
	})
	if err != nil {
		w.err = err
		return 0
	}
	return n.Int64()
}

// elemOf is the element type of a sort; of the reals any will do.
func elemOf(s term.Sort) domain.Elem {
	kinds := map[term.SortKind]domain.ElemKind{term.Float: domain.ElemFloat, term.Signed: domain.ElemInt,
		term.Unsigned: domain.ElemUint, term.Bool: domain.ElemBool, term.Saturate: domain.ElemSat, term.Fixed: domain.ElemFix,
		term.Adaptive: domain.ElemAdaptive}
	return domain.Elem{Kind: kinds[s.Kind], Width: s.Width, Frac: s.Frac}
}

// value is that of a term, anything where it has none that is known here: then err is set.
func (w *termEvaluator) value(t *term.Term) value.Value {
	of := value.Of(w.arith, elemOf(t.Sort))
	arg := func(i int) value.Value { return w.value(t.Args[i]) }
	switch t.Op {
	case term.Const:
		if t.Name == "" {
			return of.Constant(t.Value)
		}
	case term.Read:
		offset := int64(0)
		for axis, d := range t.Tensor.Dims {
			n, at := w.number(d), w.number(t.Index[axis])
			if at < 0 || at >= n {
				return value.Undefinedf("%s is read at %d on axis %d, whose dim is %d", t.Tensor.Name, at, axis, n)
			}
			offset = offset*n + at
		}
		return w.in.Element(t.Tensor.Name, offset)
	case term.Number:
		return of.Integer(w.number(t.Index[0]))
	case term.Add:
		return of.Add(arg(0), arg(1))
	case term.Mul:
		return of.Mul(arg(0), arg(1))
	case term.Neg:
		return of.Neg(arg(0))
	case term.Max:
		return of.Max(arg(0), arg(1))
	case term.Min:
		return of.Min(arg(0), arg(1))
	case term.If:
		if w.number(t.Index[0]) >= 0 {
			return arg(0)
		}
		return arg(1)
	case term.Reduce:
		if t.Fold == term.Sum {
			return w.sum(of, t)
		}
	case term.Apply:
		if t.Name == "subtract" {
			return of.Sub(arg(0), arg(1))
		}
	case term.Convert:
		from := t.Args[0]
		if from.Op == term.Const && from.Sort.Kind == term.Real && from.Name == "" {
			return of.Constant(from.Value)
		}
		return value.Cast(w.arith, arg(0), elemOf(from.Sort), elemOf(t.Sort))
	}
	w.err = fmt.Errorf("%s is not computed here", t)
	return value.Value{}
}

// sum adds the values over a box, the last variable varying fastest, from the first one on; of nothing it is 0.
func (w *termEvaluator) sum(of value.Arithmetic, t *term.Term) value.Value {
	total, some := of.Zero(), false
	outer := map[*index.Atom]int64{}
	for _, v := range t.Vars {
		outer[v] = w.vars[v]
	}
	var walk func(vars []*index.Atom)
	walk = func(vars []*index.Atom) {
		if len(vars) == 0 {
			if x := w.value(t.Args[0]); some {
				total = of.Add(total, x)
			} else {
				total, some = x, true
			}
			return
		}
		for k, hi := w.number(vars[0].Lo), w.number(vars[0].Hi); k < hi && w.err == nil; k++ {
			w.vars[vars[0]] = k
			walk(vars[1:])
		}
	}
	walk(slices.Clone(t.Vars))
	for v, n := range outer { // a sum inside may have the variable of one that it is not inside of
		w.vars[v] = n
	}
	return total
}
