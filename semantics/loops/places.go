package loops

import (
	"fmt"
	"slices"
	"strings"

	"tv/semantics/domain"
)

// A Place is where a statement stands.
type Place struct {
	Stmt   Stmt
	Parent *Place // nil of a statement of the body
	Block  []Stmt // that it is in
	Number int    // of it in the block
	Else   bool   // the block is the second branch of its parent
	Name   string // of a For: what its counter is called in Sizes, unlike any size
	ID     int    // from 0, in the order of the text
}

// Places are those of all statements of a procedure.
type Places map[Stmt]*Place

// PlacesOf finds them.
func PlacesOf(p *Procedure) Places {
	all := Places{}
	all.add(p.Body, nil, false)
	return all
}

func (all Places) add(block []Stmt, parent *Place, second bool) {
	for i, s := range block {
		pl := &Place{Stmt: s, Parent: parent, Block: block, Number: i, Else: second, ID: len(all)}
		all[s] = pl
		switch s := s.(type) {
		case *For:
			pl.Name = fmt.Sprintf("%s#%d", s.Name, pl.ID)
			all.add(s.Body, pl, false)
		case *If:
			all.add(s.Then, pl, false)
			all.add(s.Else, pl, true)
		case *When:
			all.add(s.Then, pl, false)
			all.add(s.Else, pl, true)
		}
	}
}

// Around lists the loops around a place, outermost first, and itself if it is one.
func (pl *Place) Around() (out []*Place) {
	for ; pl != nil; pl = pl.Parent {
		if _, ok := pl.Stmt.(*For); ok {
			out = append([]*Place{pl}, out...)
		}
	}
	return out
}

// Size returns an integer of control as a size, in which counters have the names of their places. It fails where
// a condition decides between two, or a divisor is neither a number nor a product of sizes.
func (all Places) Size(x *Int) (domain.Size, bool) {
	args := make([]domain.Size, len(x.Args))
	for i, a := range x.Args {
		var ok bool
		if args[i], ok = all.Size(a); !ok {
			return domain.Size{}, false
		}
	}
	switch x.Op {
	case Number:
		return domain.IntSize(x.N), true
	case Size:
		return domain.NamedSize(x.Name), true
	case Counter:
		return domain.NamedSize(all[x.Loop].Name), true
	case Choose:
		return domain.Size{}, false
	case Plus, Times, Least, Greatest:
		combine := map[IntOp]func(x, y domain.Size) domain.Size{Plus: domain.Size.Add, Times: domain.Size.Mul,
			Least: domain.Size.Min, Greatest: domain.Size.Max}[x.Op]
		out := args[0]
		for _, a := range args[1:] {
			out = combine(out, a)
		}
		return out, true
	}
	return division(x.Op, args[0], args[1])
}

// aboveZero tells whether x is a size of the text, which is above 0, or a product of such and of numbers above 0.
func aboveZero(x domain.Size) bool {
	n, number := x.Int64()
	switch {
	case number:
		return n > 0
	case x.Op() == domain.SizeMul:
		return !slices.ContainsFunc(x.Operands(), func(y domain.Size) bool { return !aboveZero(y) })
	}
	return x.Op() == domain.SizeName && !strings.Contains(x.Name(), "#")
}

// division is one by a number that is not 0, or by sizes: those of a text are above 0.
func division(op IntOp, x, y domain.Size) (domain.Size, bool) {
	if n, ok := y.Int64(); ok && n < 0 { // a negative divisor of both: the quotient is the same
		x, y = domain.IntSize(0).Sub(x), domain.IntSize(-n)
		if op == FloorMod || op == TruncMod {
			return domain.Size{}, false
		}
	} else if ok && n == 0 || !ok && !aboveZero(y) {
		return domain.Size{}, false
	}
	zero := domain.IntSize(0)
	up := x.Add(y).Sub(domain.IntSize(1)).Div(y)
	trunc := x.Max(zero).Div(y).Sub(zero.Sub(x).Max(zero).Div(y)) // one of the two is 0
	switch op {
	case FloorDiv:
		return x.Div(y), true
	case CeilDiv:
		return up, true
	case FloorMod:
		return x.Mod(y), true
	case TruncDiv:
		return trunc, true
	case TruncMod:
		return x.Sub(y.Mul(trunc)), true
	}
	return domain.Size{}, false
}
