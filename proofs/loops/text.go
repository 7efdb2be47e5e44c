package loops

import (
	"fmt"
	"math/big"
	"slices"

	"tv/semantics/domain"
)

// A Text is one of a language on its way into the form, where it is now. Its integers of control
// are sizes: made of those of the procedure by their names, and of counters by names with #.
type Text struct {
	Out      *[]Stmt
	Facts    []domain.Size // that are not negative
	Within   *Ranges       // of the names
	ranges   map[string][2]*big.Int
	counters map[string]*For
}

var size0, size1 = domain.IntSize(0), domain.IntSize(1)

// NewText begins a text that becomes the body of a procedure, whose limits are known.
func NewText(p *Procedure) *Text {
	t := &Text{Out: &p.Body, ranges: map[string][2]*big.Int{}, counters: map[string]*For{}}
	t.Within = &Ranges{Count: Beyond(p.Limits.Counts), Of: func(name string) (*big.Int, *big.Int) {
		if r, ok := t.ranges[name]; ok {
			return r[0], r[1]
		}
		if slices.Contains(p.Sizes, name) {
			return big.NewInt(1), p.MostOf()
		}
		return nil, nil
	}}
	return t
}

// MostOf is what a size of the text is at most, nil if that is not known: twice what one of a
// question is, as it may stand for twice that, or a sum.
func (p *Procedure) MostOf() *big.Int {
	if p.Limits.Sizes == 0 {
		return nil
	}
	return new(big.Int).Sub(Beyond(p.Limits.Sizes+1), big.NewInt(1))
}

// Counter is the counter of a loop, between two numbers. They may be narrowed once it is known.
func (t *Text) Counter(f *For, least, most *big.Int) domain.Size {
	name := fmt.Sprintf("#%d", len(t.counters))
	t.counters[name] = f
	c := domain.NamedSize(name)
	t.Narrow(c, least, most)
	return c
}

// Narrow says between which numbers a counter is.
func (t *Text) Narrow(c domain.Size, least, most *big.Int) {
	t.ranges[c.Name()] = [2]*big.Int{least, most}
}

// Emit adds a statement.
func (t *Text) Emit(s Stmt) { *t.Out = append(*t.Out, s) }

// Under returns the statements of what is done where some integers are not negative.
func (t *Text) Under(facts []domain.Size, do func()) (block []Stmt) {
	out, n := t.Out, len(t.Facts)
	t.Out, t.Facts = &block, append(t.Facts[:n:n], facts...)
	do()
	t.Out, t.Facts = out, t.Facts[:n]
	return block
}

// Nonneg reports whether x is known not to be negative where the text is now.
func (t *Text) Nonneg(x domain.Size) bool {
	return t.Within.Nonneg(x) || slices.ContainsFunc(t.Facts, func(f domain.Size) bool {
		return t.Within.Nonneg(x.Sub(f)) // x = f + (x - f)
	})
}

// Integer is x as the form has it.
func (t *Text) Integer(x domain.Size) *Int { return IntOf(x, t.counters) }

// IntOf is x as the form has it: names of counters stand for those of their loops.
func IntOf(x domain.Size, counters map[string]*For) *Int {
	if n, ok := x.Const(); ok {
		return &Int{Op: IntNumber, N: n}
	}
	if name := x.Name(); name != "" {
		if f := counters[name]; f != nil {
			return CounterOf(f)
		}
		return SizeOf(name)
	}
	var args []*Int
	for _, y := range x.Operands() {
		args = append(args, IntOf(y, counters))
	}
	if x.Op() == domain.SizeMod { // x - y*(x div y)
		again := []*Int{IntOf(x.Operands()[0], counters), IntOf(x.Operands()[1], counters)}
		return Minus(args[0], IntMul.Of(args[1], IntDiv.Of(again[0], again[1])))
	}
	op := map[domain.SizeOp]IntOp{domain.SizeAdd: IntAdd, domain.SizeMul: IntMul,
		domain.SizeDiv: IntDiv, domain.SizeMax: IntMax, domain.SizeMin: IntMin}
	return op[x.Op()].Of(args...)
}

// Integers are those of a list.
func (t *Text) Integers(list []domain.Size) (out []*Int) {
	for _, x := range list {
		out = append(out, t.Integer(x))
	}
	return out
}

// Constant reports whether no counter occurs in x.
func Constant(x domain.Size) bool {
	return !slices.ContainsFunc(x.Names(), func(s string) bool { return s[0] == '#' })
}

// Negative is -x, with what is rounded up for numbers as what is rounded down: -(y div d) is
// (d - 1 - y) div d.
func Negative(x domain.Size) (out domain.Size) {
	terms := []domain.Size{x}
	if x.Op() == domain.SizeAdd {
		terms = x.Operands()
	}
	for _, t := range terms {
		if t.Op() == domain.SizeDiv {
			if d, ok := t.Operands()[1].Const(); ok && d.Sign() > 0 {
				d := domain.BigSize(d)
				out = out.Add(d.Sub(size1).Sub(t.Operands()[0]).Div(d))
				continue
			}
		}
		out = out.Sub(t)
	}
	return out
}

// Quotient is x / y, rounded towards 0, for a y that is positive.
func (t *Text) Quotient(x, y domain.Size) domain.Size {
	switch minus := Negative(x); {
	case t.Nonneg(x):
		return x.Div(y)
	case t.Nonneg(minus):
		return Negative(minus.Div(y))
	default:
		return x.Div(y).Max(size0).Add(Negative(minus.Div(y)).Min(size0))
	}
}

// Apart takes the greatest one of several sizes, or with SizeMin the least, apart.
func Apart(x domain.Size, op domain.SizeOp) (out []domain.Size) {
	rest, list := size0, []domain.Size(nil)
	switch x.Op() {
	case op:
		list = x.Operands()
	case domain.SizeAdd:
		terms := x.Operands()
		k := slices.IndexFunc(terms, func(t domain.Size) bool { return t.Op() == op })
		if k >= 0 {
			rest, list = x.Sub(terms[k]), terms[k].Operands()
		}
	}
	if list == nil {
		return []domain.Size{x}
	}
	for _, y := range list {
		out = append(out, Apart(rest.Add(y), op)...)
	}
	return out
}

// A Test is a condition on integers of control; of CondLess, CondLessEqual and CondEqual X and Y.
type Test struct {
	Op   CondOp
	X, Y domain.Size
	Of   []*Test
}

// Not is that a condition does not hold.
func Not(c *Test) *Test { return &Test{Op: CondNot, Of: []*Test{c}} }

// Form is c as the form has it.
func (t *Text) Form(c *Test) *Cond {
	out := &Cond{Op: c.Op}
	for _, d := range c.Of {
		out.Conds = append(out.Conds, t.Form(d))
	}
	if c.Op <= CondEqual {
		out.X, out.Y = t.Integer(c.X), t.Integer(c.Y)
	}
	return out
}

// AtMost is x <= y.
func (t *Text) AtMost(x, y domain.Size) *Cond {
	return &Cond{Op: CondLessEqual, X: t.Integer(x), Y: t.Integer(y)}
}

// Follows are integers that are not negative where c holds, or with no does not hold.
func (c *Test) Follows(no bool) (out []domain.Size) {
	switch {
	case c.Op == CondNot:
		return c.Of[0].Follows(!no)
	case c.Op == CondAll && !no, c.Op == CondAny && no:
		for _, d := range c.Of {
			out = append(out, d.Follows(no)...)
		}
		return out
	case c.Op > CondEqual, c.Op == CondEqual && no:
		return nil
	case c.Op == CondEqual:
		return []domain.Size{c.X.Sub(c.Y), c.Y.Sub(c.X)}
	}
	less := map[bool]domain.Size{true: size1}[c.Op == CondLess]
	if no {
		return []domain.Size{c.X.Sub(c.Y).Sub(size1.Sub(less))}
	}
	return []domain.Size{c.Y.Sub(c.X).Sub(less)}
}

// decided is 1 where c is known to hold, -1 where it is known not to, else 0.
func (t *Text) decided(c *Test) int {
	if c.Op == CondNot {
		return -t.decided(c.Of[0])
	}
	for k, sign := range []int{1, -1} {
		negative := func(x domain.Size) bool { return !t.Nonneg(x) }
		exact := c.Op < CondEqual || c.Op == CondEqual && k == 0
		if exact && !slices.ContainsFunc(c.Follows(k == 1), negative) {
			return sign
		}
	}
	return 0
}

// Choice is c ? x : y, if that is one integer of control whatever holds.
func (t *Text) Choice(c *Test, x, y domain.Size) (domain.Size, bool) {
	d, known := x.Sub(y), t.decided(c)
	switch {
	case known > 0 || x.Equal(y):
		return x, true
	case known < 0:
		return y, true
	case c.Op == CondNot:
		return t.Choice(c.Of[0], y, x)
	}
	if c.Op > CondLessEqual {
		return size0, false
	}
	// between integers, x < y is x + 1 <= y: for a difference of 0 both choices are one
	step := map[CondOp]domain.Size{CondLess: size1, CondLessEqual: size0.Sub(size1)}[c.Op]
	below, above := d.Sub(c.X.Sub(c.Y)), d.Sub(c.Y.Sub(c.X))
	switch {
	case below.Equal(size0) || below.Equal(step):
		return x.Min(y), true
	case above.Equal(size0) || above.Equal(size0.Sub(step)):
		return x.Max(y), true
	}
	return size0, false
}

// EmitIf does one of two things, or nothing for nil, by a condition.
func (t *Text) EmitIf(s *If, c *Test, then, other func()) {
	if then != nil {
		s.Then = t.Under(c.Follows(false), then)
	}
	if other != nil {
		s.Else = t.Under(c.Follows(true), other)
	}
	if s.Then != nil || s.Else != nil {
		s.Cond = t.Form(c)
		t.Emit(s)
	}
}

// Same reports whether two elements are one, at one place.
func Same(x, y *Data) bool {
	return x.Op == y.Op && x.Elem == y.Elem && x.Text == y.Text && x.Checked == y.Checked &&
		SameAccess(x.From, y.From) &&
		slices.EqualFunc(x.Args, y.Args, Same) && (x.Op != DataInt || sameInt(x.Int, y.Int))
}

// SameAccess reports whether two accesses are to one element.
func SameAccess(x, y Access) bool {
	return x.Buffer == y.Buffer && slices.EqualFunc(x.At, y.At, sameInt)
}
