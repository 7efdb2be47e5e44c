package ila

import (
	"tv/semantics/index"
	"tv/semantics/term"
)

// MaxMicroSteps bounds the steps of the children of one instruction, for all executors alike.
const MaxMicroSteps = 1 << 28

// Linked is what executors need of a model: its variables by their slots, terms that occur twice, sums of products.
type Linked struct {
	Model    *Model
	Scalars  []*Var // inputs and bit-vectors, by slot
	Memories []*Var // by slot
	ByTerm   map[*term.Term]*Var
	Shared   map[*term.Term]int // slot of a term that is computed once a step
	Dots     map[*term.Term]Dot
	Decodes  map[*Model]*Decodes
	Most     int // the greatest number of a term of an instruction
}

// Link prepares a model that Validate accepts for executors.
func Link(m *Model) *Linked {
	l := &Linked{Model: m, ByTerm: map[*term.Term]*Var{}, Shared: map[*term.Term]int{}, Dots: map[*term.Term]Dot{}, Decodes: map[*Model]*Decodes{}}
	l.Scalars, l.Memories = m.Layout()
	for _, v := range append(append([]*Var(nil), l.Scalars...), l.Memories...) {
		l.ByTerm[v.Term] = v
	}
	m.Walk(func(c *Model) {
		l.shareDecodes(c)
		if d := l.decodes(c); d != nil {
			l.Decodes[c] = d
		}
		for _, i := range c.Instructions {
			seen := map[*term.Term]bool{}
			i.terms(func(t *term.Term) { l.share(t, seen, false) })
		}
	})
	return l
}

// shareDecodes finds conditions of instructions that those of others ask too, as that of everything else does: all are
// asked in one state.
func (l *Linked) shareDecodes(m *Model) {
	decodes := map[*term.Term]bool{}
	for _, i := range m.Instructions {
		decodes[i.Decode] = len(i.Decode.Args) > 0
	}
	seen := map[*term.Term]bool{}
	var visit func(t *term.Term)
	visit = func(t *term.Term) {
		for _, a := range t.Args {
			if _, ok := l.Shared[a]; !ok && decodes[a] {
				l.Shared[a] = len(l.Shared)
			}
			if !seen[a] {
				seen[a] = true
				visit(a)
			}
		}
	}
	for _, i := range m.Instructions {
		visit(i.Decode)
	}
}

// share finds terms that occur more than once in an instruction; those below a sum are computed there.
func (l *Linked) share(t *term.Term, seen map[*term.Term]bool, below bool) {
	l.Most = max(l.Most, t.ID())
	if t.Op == term.Const || t.Op == term.Number || t.Op == term.Read {
		return
	}
	if !below && seen[t] {
		if _, ok := l.Shared[t]; !ok {
			l.Shared[t] = len(l.Shared)
		}
		return
	}
	seen[t] = true
	if d, ok := l.dotOf(t); ok {
		l.Dots[t] = d
		l.share(d.BaseL, seen, below)
		l.share(d.BaseR, seen, below)
		return
	}
	for _, a := range t.Args {
		l.share(a, seen, below || t.Op == term.Reduce)
	}
}

// A Dot is a sum over a counter of the products of two signed loads at consecutive addresses: N products, of the cells
// of Left from BaseL on and those of Right from BaseR on. Executors treat it as a whole: terms of other forms mean the
// same and run slower.
type Dot struct {
	N            int
	Left, Right  *Var
	BaseL, BaseR *term.Term
}

// dotOf recognises a Dot.
func (l *Linked) dotOf(t *term.Term) (d Dot, ok bool) {
	if t.Op != term.Reduce || t.Fold != term.Sum || len(t.Vars) != 1 || t.Args[0].Op != term.Mul {
		return d, false
	}
	k := t.Vars[0]
	side := func(x *term.Term) (*Var, *term.Term) {
		if x.Op != term.ExtendS || x.Args[0].Op != term.Load {
			return nil, nil
		}
		load := x.Args[0]
		at := load.Args[1]
		if at.Op != term.Add || !isCounter(at.Args[1], k) || Mentions(at.Args[0], k) {
			return nil, nil
		}
		return l.ByTerm[load.Args[0]], at.Args[0]
	}
	d.N = Iterations(k)
	if d.Left, d.BaseL = side(t.Args[0].Args[0]); d.Left == nil {
		return d, false
	}
	if d.Right, d.BaseR = side(t.Args[0].Args[1]); d.Right == nil {
		return d, false
	}
	return d, true
}

// Limit returns what the counter of an Each has to be below for its stores to take place, where that is what all of them
// ask, and it is the same for all values of the counter; else nil.
func (e Each) Limit() *term.Term {
	if e.Var == nil || len(e.Stores) == 0 {
		return nil
	}
	when := e.Stores[0].When
	if when == nil || when.Op != term.LessU || !isCounter(when.Args[0], e.Var) || Mentions(when.Args[1], e.Var) {
		return nil
	}
	for _, s := range e.Stores {
		if s.When != when {
			return nil
		}
	}
	return when.Args[1]
}

func isCounter(t *term.Term, k *index.Atom) bool {
	if t.Op != term.Number {
		return false
	}
	free := t.Index[0].Free()
	return len(free) == 1 && free[0] == k && t.Index[0] == k.Expr()
}
