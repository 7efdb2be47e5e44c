package recur

import (
	"context"
	"fmt"
	"slices"

	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/loops"
)

// An Asked is a question about two programs.
type Asked struct {
	Before, After semantics.Program
	Names         []string         // of sizes
	Mins          map[string]int64 // of each
	Preds         []*domain.Pred   // that hold
	Arith         domain.Arith
	Holds         func(domain.Point) bool // whether a point is one of the domain
	From          int64                   // sizes that runs begin at; 0: small ones
}

// A question is one under way.
type question struct {
	*names
	before, after *side
	ordered       bool // no law of arithmetic holds
}

// A Proof is a relation that was shown.
type Proof struct {
	*question
	pieces  []*piece
	results []result
}

// A nest is a program that is a procedure.
type nest interface{ Loops() *loops.Typed }

// Prove looks for a relation of the instances of two procedures, and shows it. An error says why there is none.
func Prove(ctx context.Context, a Asked) (out *Proof, err error) {
	x, ok := a.Before.(nest)
	y, okAfter := a.After.(nest)
	if !ok || !okAfter {
		return nil, fmt.Errorf("a program is no nest of loops")
	}
	defer func() {
		if e := recover(); e != nil {
			switch e := e.(type) {
			case lost:
				out, err = nil, e
			case tooLarge:
				out, err = nil, fmt.Errorf("numbers are too large")
			default:
				panic(e)
			}
		}
	}()
	q := newQuestion(a, x.Loops(), y.Loops())
	for _, s := range []*side{q.before, q.after} {
		for _, st := range slices.Concat(s.stmts, s.ends) {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			for k := range st.reads {
				st.trees[k] = s.source(st, k)
			}
		}
	}
	for _, fine := range []bool{false, true} {
		if out, err = q.attempt(ctx, a, fine); err == nil {
			return out, nil
		}
	}
	return nil, err
}

func newQuestion(a Asked, x, y *loops.Typed) *question {
	n := &names{sizes: slices.Clone(a.Names), next: len(a.Names), quotients: map[int]quotient{}, interned: map[string]int{}}
	for i, name := range n.sizes {
		n.sizeFacts = append(n.sizeFacts, natural(variable(i).add(-a.Mins[name])))
	}
	for _, p := range a.Preds {
		n.sizeFacts = append(n.sizeFacts, n.said(p)...)
	}
	return &question{names: n, before: newSide(n, x), after: newSide(n, y), ordered: a.Arith == domain.Exact}
}

// said is what a condition of the domain says, as far as it is a conjunction and affine.
func (n *names) said(p *domain.Pred) (out []fact) {
	if p.Op == domain.PredAnd {
		for _, q := range p.Args {
			out = append(out, n.said(q)...)
		}
		return out
	}
	if p.Op != domain.PredEq && p.Op != domain.PredLt && p.Op != domain.PredLe {
		return nil
	}
	a, ok := n.maybe(p.A)
	b, okB := n.maybe(p.B)
	if !ok || !okB {
		return nil
	}
	switch p.Op {
	case domain.PredEq:
		return []fact{equation(b.minus(a))}
	case domain.PredLt:
		return []fact{natural(b.minus(a).add(-1))}
	}
	return []fact{natural(b.minus(a))}
}

// maybe is a size as a lin, if it is one.
func (n *names) maybe(x domain.Size) (a lin, ok bool) {
	defer func() {
		if e := recover(); e != nil {
			if _, is := e.(lost); !is {
				panic(e)
			}
			ok = false
		}
	}()
	return n.sized(x, source.Span{}), true
}

// attempt guesses a relation and shows it.
func (q *question) attempt(ctx context.Context, a Asked, fine bool) (out *Proof, err error) {
	defer func() {
		if e := recover(); e != nil {
			l, ok := e.(lost)
			if !ok {
				panic(e)
			}
			out, err = nil, l
		}
	}()
	g := &guess{question: q, fine: fine, index: map[clusterKey]*cluster{}, matching: map[[2]*stmt][][2]int{}}
	for _, sizes := range q.points(a) {
		g.observe(sizes)
	}
	p := &prover{question: q, pieces: g.pieces()}
	results := p.all()
	return &Proof{q, p.pieces, results}, nil
}

// points are small ones of which no size is determined by the others.
func (q *question) points(a Asked) (out [][]int64) {
	n := len(q.sizes)
	base := make([]int64, n)
	for i, name := range q.sizes {
		base[i] = max(a.From+5, a.Mins[name]+4) + int64(i)%2
	}
	try := func(p []int64) {
		pt := domain.Point{}
		for i, name := range q.sizes {
			pt[name] = p[i]
		}
		if a.Holds == nil || a.Holds(pt) {
			out = append(out, p)
		}
	}
	try(base)
	for i := range base {
		p := slices.Clone(base)
		p[i] += 2
		try(p)
	}
	if len(out) < 3 {
		p := slices.Clone(base)
		for i := range p {
			p[i]++
		}
		try(p)
	}
	if len(out) == 0 {
		give(source.Span{}, "no small point is in the domain")
	}
	return out
}
