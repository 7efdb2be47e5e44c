package loops

import (
	"fmt"
	"math/big"
	"slices"

	"tv/internal/source"
	"tv/semantics/domain"
)

// What a call may end at, as contents decide: a division of integers, a shift by data, and an operation that is Checked. That one program ends at none at
// which another does not is a question about values: both count what they execute, with a function of the operands of which
// nothing is known. If the sums are equal whatever that function is, both execute the same, each as often.

// Ends is how the names of such functions begin.
const (
	Ends         = "ends "
	endsDivision = Ends + "division of " // and a type: of a dividend and a divisor, of an unsigned type of the divisor
	endsShift    = Ends + "shift of "    // and a type: of what is shifted by
	endsOverflow = Ends + "overflow of " // and an operation and a type: of its operands
)

// tally is the element type of the sums: in real numbers none is lost, however often an operation is executed.
var tally = domain.Elem{Kind: domain.ElemFloat, Width: 64}

// Counting returns statements that do what a body does and count what may end the call, and the scalar in which they do. That
// is nil where nothing may, or where it cannot be counted in front of the statement that executes it.
func (p *Procedure) Counting(body []Stmt) ([]Stmt, *Buffer) {
	c := &counting{wide: p.Wide, to: &Buffer{Name: "ends", Kind: Local, Elem: tally, Span: p.Span}}
	all := PlacesOf(&Procedure{Body: body}).Ordered()
	if !slices.ContainsFunc(all, c.mayEnd) {
		return body, nil
	}
	out := c.block(copier{}.block(body))
	if !c.some || c.lost {
		return body, nil
	}
	zero := &Expr{Op: Literal, Elem: tally, Number: new(big.Rat), At: p.Span}
	first := []Stmt{&Alloc{Buffer: c.to, At: p.Span}, &Assign{To: c.cell(p.Span), Value: zero, At: p.Span}}
	return append(first, out...), c.to
}

// A counting is the work on one body.
type counting struct {
	to   *Buffer
	wide bool
	some bool // there is something that may end the call
	lost bool // some of it is not counted
}

// mayEnd tells whether a statement executes, of itself, what may end the call.
func (c *counting) mayEnd(pl *Place) bool {
	var any func(e *Expr) bool
	any = func(e *Expr) bool { return c.ending(e) != nil || slices.ContainsFunc(e.Args, any) }
	switch s := pl.Stmt.(type) {
	case *Assign:
		return any(s.Value)
	case *When:
		return any(s.Cond)
	}
	return false
}

func (c *counting) block(list []Stmt) (out []Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *Assign:
			out = append(append(out, c.sites(s.Value, nil)...), s)
		case *When:
			out = append(append(out, c.when(s, nil, &[]*Buffer{})...), s)
		case *For:
			s.Body = c.block(s.Body)
			out = append(out, s)
		case *If:
			s.Then, s.Else = c.block(s.Then), c.block(s.Else)
			out = append(out, s)
		default:
			out = append(out, s)
		}
	}
	return out
}

// A guarding is a condition under which something is executed, or else the opposite.
type guarding struct {
	cond *Expr
	not  bool
}

// when counts in front of a When what it executes, if nothing that it writes before is read there.
func (c *counting) when(s *When, under []guarding, written *[]*Buffer) (out []Stmt) {
	look := func(x *Expr, under []guarding) {
		list := c.sites(x, under)
		for _, a := range list {
			c.lost = c.lost || reads(a.(*Assign).Value, *written)
		}
		out = append(out, list...)
	}
	look(s.Cond, under)
	for k, list := range [][]Stmt{s.Then, s.Else} {
		in := append(slices.Clip(under), guarding{s.Cond, k == 1})
		for _, t := range list {
			switch t := t.(type) {
			case *Assign:
				look(t.Value, in)
				*written = append(*written, t.To.Buffer)
			case *When:
				out = append(out, c.when(t, in, written)...)
			}
		}
	}
	return out
}

// reads tells whether an element is made of others of some buffers.
func reads(e *Expr, list []*Buffer) bool {
	return e.Op == Read && slices.Contains(list, e.From.Buffer) ||
		slices.ContainsFunc(e.Args, func(a *Expr) bool { return reads(a, list) })
}

// sites count what an element executes.
func (c *counting) sites(e *Expr, under []guarding) (out []Stmt) {
	for k, a := range e.Args {
		in := under
		if e.Op == Choice && k > 0 {
			in = append(slices.Clip(under), guarding{e.Args[0], k == 2})
		}
		out = append(out, c.sites(a, in)...)
	}
	one := c.ending(e)
	if one == nil {
		return out
	}
	c.some = true
	for _, g := range slices.Backward(under) {
		zero := &Expr{Op: Literal, Elem: tally, Number: new(big.Rat), At: e.At}
		yes, no := one, zero
		if g.not {
			yes, no = no, yes
		}
		one = &Expr{Op: Choice, Elem: tally, Args: []*Expr{g.cond, yes, no}, At: e.At}
	}
	sum := &Expr{Op: Add, Elem: tally, Args: []*Expr{Element(c.cell(e.At)), one}, At: e.At}
	return append(out, &Assign{To: c.cell(e.At), Value: sum, At: e.At})
}

func (c *counting) cell(at source.Span) Access { return Access{Buffer: c.to, Where: at} }

// ending is what a call may end at, as one operation, nil if that is none.
func (c *counting) ending(e *Expr) *Expr {
	out := &Expr{Op: Function, Elem: tally, At: e.At}
	if e.Checked {
		out.Name, out.Args = fmt.Sprintf("%s%d in %s", endsOverflow, e.Op, e.Elem), e.Args
		if e.Op == Add || e.Op == Mul { // whichever comes first
			swapped := *out
			swapped.Args = []*Expr{e.Args[1], e.Args[0]}
			return &Expr{Op: Add, Elem: tally, Args: []*Expr{out, &swapped}, At: e.At}
		}
		return out
	}
	switch e.Op {
	case Div, Rem, DivDown, DivUp:
		if e.Elem.Kind == domain.ElemFloat || positive(e.Args[1], c.wide) {
			return nil
		}
		if out.Name, out.Args = endsDivision+e.Elem.String(), e.Args; e.Elem.Kind == domain.ElemUint {
			out.Args = e.Args[1:]
		}
	case ShiftLeft, ShiftRight:
		if _, ok := Short(e); ok || inside(e.Args[1], e.Elem.Width) {
			return nil
		}
		out.Name, out.Args = endsShift+e.Elem.String(), e.Args[1:]
	default:
		return nil
	}
	return out
}

// MayEnd tells whether an operation may end the call as its operands say. Wide is that of the procedure.
func MayEnd(e *Expr, wide bool) bool { return (&counting{wide: wide}).ending(e) != nil }

// positive tells whether a divisor is surely above 0: a number, or a size in a type that has it.
func positive(e *Expr, wide bool) bool {
	for e.Op == Convert && e.Elem.Width >= e.Args[0].Elem.Width && e.Args[0].Elem.Kind != domain.ElemFloat {
		e = e.Args[0]
	}
	if n, ok := e.number(); ok {
		return n.Sign() > 0
	}
	integer := e.Elem.Kind == domain.ElemInt || e.Elem.Kind == domain.ElemUint
	return integer && e.Op == FromInt && e.Int.Op == Size && (e.Elem.Width >= 64 || e.Elem.Width >= 32 && !wide)
}

// number is the number that an element is, if it is one of its type.
func (e *Expr) number() (*big.Rat, bool) {
	switch {
	case e.Op == Literal:
		return e.Number, true
	case e.Op == FromInt && e.Int.Op == Number && e.Int.N >= 0 && big.NewInt(e.Int.N).BitLen() < e.Elem.Width:
		return new(big.Rat).SetInt64(e.Int.N), true
	case e.Op == Convert && e.Args[0].Elem.Kind != domain.ElemFloat:
		n, ok := e.Args[0].number()
		return n, ok && n.IsInt() && n.Sign() >= 0 && n.Num().BitLen() < e.Elem.Width
	}
	return nil, false
}

// Short returns by how much an element is shifted, if it is a number that is less than the width.
func Short(e *Expr) (by int64, ok bool) {
	n, ok := e.Args[1].number()
	if !ok || !n.IsInt() || n.Sign() < 0 || n.Cmp(big.NewRat(int64(e.Elem.Width), 1)) >= 0 {
		return 0, false
	}
	return n.Num().Int64(), true
}

// inside tells whether what is shifted by is surely one of 0 ... width-1: as x & 31 is, and a counter between such numbers.
func inside(by *Expr, width int) bool {
	for by.Op == Convert && by.Elem.Width >= 8 && by.Args[0].Elem.Kind != domain.ElemFloat {
		by = by.Args[0]
	}
	if by.Elem.Width < 8 { // what is below 64 keeps its value in others
		return false
	}
	if by.Op == FromInt {
		lo, hi, ok := by.Int.ends()
		return ok && lo >= 0 && hi < int64(width)
	}
	return by.Op == BitAnd && slices.ContainsFunc(by.Args, func(a *Expr) bool {
		n, ok := a.number()
		return ok && n.Sign() >= 0 && n.Cmp(big.NewRat(int64(width), 1)) < 0
	})
}

// mostEnd bounds the numbers that ends are made of: their sums and products fit.
const mostEnd = 1 << 20

// ends are numbers between which x lies wherever it is executed: one that is made of numbers and of counters between numbers.
func (x *Int) ends() (lo, hi int64, ok bool) {
	switch {
	case x.Op == Number:
		lo, hi = x.N, x.N
	case x.Op == Counter && x.Loop != nil:
		return x.Loop.ends()
	case (x.Op == Plus || x.Op == Times) && len(x.Args) == 2:
		a, b, okX := x.Args[0].ends()
		c, d, okY := x.Args[1].ends()
		if !okX || !okY {
			return 0, 0, false
		}
		lo, hi = a+c, b+d
		if x.Op == Times {
			lo, hi = min(a*c, a*d, b*c, b*d), max(a*c, a*d, b*c, b*d)
		}
	default:
		return 0, 0, false
	}
	return lo, hi, -mostEnd < lo && hi < mostEnd
}

// ends are those of the counter of a loop, whose steps are a number, in its iterations.
func (s *For) ends() (lo, hi int64, ok bool) {
	if s.Step.Op != Number || s.Step.N == 0 {
		return 0, 0, false
	}
	number := func(list []*Int) (n int64, ok bool) {
		for _, x := range list {
			if x.Op == Number {
				return x.N, -mostEnd < x.N && x.N < mostEnd
			}
		}
		return 0, false
	}
	first, okFirst := number(s.Lo)
	end, okEnd := number(s.Hi)
	if s.Step.N < 0 {
		return end + 1, first, okFirst && okEnd
	}
	return first, end - 1, okFirst && okEnd
}
