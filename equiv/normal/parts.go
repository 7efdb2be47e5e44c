package normal

import (
	"slices"

	"tv/semantics/index"
)

// How many summands there are at least where parts of one are looked for (of fewer the digits are few), and how many may be
// taken for such a part in vain.
const (
	minStretches = 3
	maxStretches = 4
	mostPlaces   = 1 << 40 // of a range whose parts are looked for
)

// stretches puts the parts of a sum together again that are taken one after the other: Σ over k < 16 of f(k), and of f(k + 16), ...,
// where f divides. Taken into digits each by itself, parts that end within a digit have few digits in common, and there are many.
// That f is the same is seen by putting the places of each part in it.
func (e *Engine) stretches(ctx *index.Context, x sum) sum {
	if len(x) < minStretches {
		return x
	}
	var done sum
	left, tried := slices.Clone(x), map[*summand]bool{}
	for range maxStretches {
		model, most := (*summand)(nil), 0 // the one that shows the most of f
		for _, s := range left {
			if n := divisions(s); n > most && !tried[s] {
				model, most = s, n
			}
		}
		if model == nil {
			break
		}
		tried[model] = true
		if whole, rest := e.stretched(ctx, model, left); whole != nil {
			done, left = append(done, whole), rest
			e.used |= UsedCuts
		}
	}
	return append(done, left...)
}

// divisions counts those of the only variable of a summand in what it reads; without numbers for ends it has none.
func divisions(s *summand) (n int) {
	if len(s.vars) != 1 {
		return 0
	}
	if _, _, ok := numbers(s.vars[0]); !ok {
		return 0
	}
	s.eachOffset(func(_ int, at *index.Expr) {
		eachFloor(at, func(a *index.Atom) {
			if a.Num.Mentions(s.vars[0]) {
				n++
			}
		})
	})
	return n
}

// stretched takes summands in as parts before and behind a model until there are none, and returns the sum of it and them, and what
// is left; nil where there are none.
func (e *Engine) stretched(ctx *index.Context, model *summand, all sum) (*summand, sum) {
	v := model.vars[0]
	lo, hi, _ := numbers(v)
	var rest sum
	var reach int64
	for _, s := range all {
		if s == model {
			continue
		}
		rest = append(rest, s)
		if len(s.vars) == 1 {
			if a, b, ok := numbers(s.vars[0]); ok {
				reach = min(reach+b-a, mostPlaces)
			}
		}
	}
	w := e.b.NewVar(v.Name, e.b.Const(lo-reach), e.b.Const(hi+reach))
	whole := *model
	whole.vars = []*index.Atom{w}
	f := e.substSummand(ctx, &whole, map[*index.Atom]*index.Expr{v: w.Expr()})
	if len(f) != 1 || len(f[0].vars) != 1 || !e.at(ctx, f[0], w, model, 0) {
		return nil, nil
	}
	parts := 1
	for more := true; more; {
		more = false
		rest = slices.DeleteFunc(rest, func(s *summand) bool {
			if len(s.vars) != 1 || len(s.factors) != len(model.factors) || len(s.guards) != len(model.guards) || s.coef.Cmp(model.coef) != 0 {
				return false
			}
			a, b, ok := numbers(s.vars[0])
			switch {
			case !ok:
				return false
			case e.at(ctx, f[0], w, s, hi-a):
				hi += b - a
			case e.at(ctx, f[0], w, s, lo-b):
				lo -= b - a
			default:
				return false
			}
			more = true
			parts++
			return true
		})
	}
	if parts == 1 {
		return nil, nil
	}
	k := e.b.NewVar(v.Name, e.b.Const(lo), e.b.Const(hi))
	f[0].vars = []*index.Atom{k}
	out := e.substSummand(ctx, f[0], map[*index.Atom]*index.Expr{w: k.Expr()})
	if len(out) != 1 {
		return nil, nil
	}
	return out[0], rest
}

// at reports whether a summand is f with so much added to its variable.
func (e *Engine) at(ctx *index.Context, f *summand, w *index.Atom, s *summand, by int64) bool {
	e.spend(1)
	t := *f
	t.vars = s.vars
	back := e.substSummand(ctx, &t, map[*index.Atom]*index.Expr{w: e.b.AddInt(s.vars[0].Expr(), by)})
	return len(back) == 1 && len(back[0].vars) == 1 && e.same(ctx, back[0], s)
}

// numbers are the ends of the range of a variable, if these are, and not too far apart.
func numbers(v *index.Atom) (lo, hi int64, ok bool) {
	a, okA := v.Lo.Const()
	b, okB := v.Hi.Const()
	if !okA || !okB {
		return 0, 0, false
	}
	lo, okA = a.Int64()
	hi, okB = b.Int64()
	return lo, hi, okA && okB && -mostPlaces < lo && lo < hi && hi < mostPlaces
}
