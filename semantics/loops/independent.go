package loops

import (
	"slices"

	"tv/internal/source"
	"tv/semantics/domain"
)

// A touch is an access of a buffer by a statement in a parallel loop.
type touch struct {
	at      *Place
	access  Access
	write   bool
	perhaps bool // it depends on elements whether it is executed
	folds   Op   // of an update that the loop declares, else Read
}

// independent states that no two iterations of a parallel loop meet in a cell that one of them writes, but to update it as
// the loop declares. Of two such iterations that have the counters around the loop in common the cells are equated, and
// the rest is eliminated as for any other condition.
func (t *Typed) independent(loop *Place, p *Parallel) *source.Error {
	list := t.touches(loop, p)
	for _, w := range list {
		if !w.write {
			continue
		}
		for _, a := range list {
			if a.access.Buffer != w.access.Buffer || w.folds != Read && w.folds == a.folds {
				continue
			}
			systems, ok := t.meetings(loop, w, a)
			msg := "iterations of the loop over " + loop.Stmt.(*For).Name + " in any order: one writes a cell of " +
				w.access.Buffer.Name + " that another accesses"
			if !ok {
				return unstated(loop.Stmt.Span(), msg)
			}
			if err := t.excluded(systems, w.perhaps || a.perhaps, string(Independent), msg, w.access.Where); err != nil {
				return err
			}
		}
	}
	return nil
}

// touches lists the accesses in a loop, but those of locals that begin in its iterations.
func (t *Typed) touches(loop *Place, p *Parallel) (out []touch) {
	private := map[*Buffer]bool{}
	for _, pl := range t.Places.Ordered() {
		if a, ok := pl.Stmt.(*Alloc); ok && pl.inside(loop) {
			private[a.Buffer] = true
		}
	}
	add := func(x touch) {
		if !private[x.access.Buffer] && x.access.Buffer != t.Ends { // whose sum is the same in any order
			out = append(out, x)
		}
	}
	for _, pl := range t.Places.Ordered() {
		if !pl.inside(loop) {
			continue
		}
		var reads func(e *Expr, perhaps bool, own *Expr, folds Op)
		reads = func(e *Expr, perhaps bool, own *Expr, folds Op) {
			if e.Op == Read {
				x := touch{at: pl, access: e.From, perhaps: perhaps}
				if e == own {
					x.folds = folds
				}
				add(x)
			}
			for i, a := range e.Args {
				reads(a, perhaps || e.Op == Choice && i > 0, own, folds)
			}
		}
		switch s := pl.Stmt.(type) {
		case *Assign:
			own := updates(s, p.Reductions)
			folds := Read
			if own != nil {
				folds = s.Value.Op
			}
			add(touch{pl, s.To, true, data(pl), folds})
			reads(s.Value, data(pl), own, folds)
		case *When:
			reads(s.Cond, data(pl), nil, Read)
		}
	}
	return out
}

// updates returns the read of x in x = op(x, e), where op is one of a list; nil in other statements.
func updates(s *Assign, list []Op) *Expr {
	if !slices.Contains(list, s.Value.Op) {
		return nil
	}
	for _, a := range s.Value.Args {
		if a.Op == Read && a.From.Same(s.To) {
			return a
		}
	}
	return nil
}

// inside tells whether a place is in a loop.
func (pl *Place) inside(loop *Place) bool {
	for pl = pl.Parent; pl != nil; pl = pl.Parent {
		if pl == loop {
			return true
		}
	}
	return false
}

// meetings are the instances of two accesses in different iterations of a loop that are of one cell.
func (t *Typed) meetings(loop *Place, w, a touch) (out []*System, ok bool) {
	first, ok := t.Places.Instances(w.at, nil, t.Sign)
	second, okA := t.Places.Instances(a.at, nil, t.Sign)
	if !ok || !okA {
		return nil, false
	}
	around := map[string]bool{}
	for _, pl := range loop.Around() {
		if pl != loop {
			around[pl.Iteration()] = true
		}
	}
	iteration := loop.Iteration()
	for _, x := range first {
		for _, y := range second {
			both := x.Clone()
			renamed := y.renamed(func(name string) string {
				if around[name] {
					return name
				}
				return name + "*"
			})
			for _, u := range renamed.Unknowns {
				if !around[u] {
					both.Unknowns = append(both.Unknowns, u)
				}
			}
			both.Zero = append(both.Zero, renamed.Zero...)
			both.Natural = append(both.Natural, renamed.Natural...)
			for axis, at := range w.access.At {
				here, ok := t.Places.Size(at)
				there, okThere := t.Places.Size(a.access.At[axis])
				if !ok || !okThere {
					return nil, false
				}
				there = there.Subst(y.Values).Subst(renamed.names)
				both.Zero = append(both.Zero, here.Subst(x.Values).Sub(there))
			}
			way := domain.NamedSize(iteration + "*").Sub(domain.NamedSize(iteration))
			for _, apart := range []domain.Size{way, minus(way)} {
				next := both.Clone()
				next.Natural = append(next.Natural, apart.Sub(domain.IntSize(1)))
				out = append(out, next)
			}
		}
	}
	return out, true
}

// A renaming is a system whose unknowns have other names.
type renaming struct {
	*System
	names map[string]domain.Size
}

func (s *System) renamed(to func(string) string) renaming {
	out := renaming{s.Clone(), map[string]domain.Size{}}
	for i, u := range s.Unknowns {
		out.Unknowns[i] = to(u)
		out.names[u] = domain.NamedSize(to(u))
	}
	for _, list := range [][]domain.Size{out.Zero, out.Natural} {
		for i, x := range list {
			list[i] = x.Subst(out.names)
		}
	}
	return out
}
