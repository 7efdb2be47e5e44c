package domain

import (
	"math/big"
	"slices"
	"strings"
)

// PredOp is the operation of a Pred.
type PredOp uint8

const (
	PredEq      PredOp = iota // A = B
	PredLt                    // A < B
	PredLe                    // A <= B
	PredDivides               // A >= 1 and B mod A = 0
	PredNot                   // not Args[0]
	PredAnd                   // all Args
	PredOr                    // some of Args
)

var predOpNames = [...]string{
	PredEq: "=", PredLt: "<", PredLe: "<=", PredDivides: "divides", PredNot: "not", PredAnd: "and",
	PredOr: "or",
}

// A Pred is a condition on sizes.
type Pred struct {
	Op   PredOp
	A, B Size
	Args []*Pred
}

// Eval tells whether p holds at a point. Where an atom has no value (a divisor that is not positive, a name
// without a value) so have its negation, a conjunction of which no other part is false and a disjunction of
// which no other part is true: then the result is false and an error.
func (p *Pred) Eval(point Point) (bool, error) {
	switch p.Op {
	case PredNot:
		v, err := p.Args[0].Eval(point)
		return !v && err == nil, err
	case PredAnd, PredOr:
		var undefined error
		for _, q := range p.Args {
			v, err := q.Eval(point)
			if err != nil {
				undefined = err
			} else if v == (p.Op == PredOr) {
				return v, nil
			}
		}
		return p.Op == PredAnd && undefined == nil, undefined
	}
	if x, ok := p.A.Word(point); ok {
		if y, ok := p.B.Word(point); ok {
			return p.Op.holdsWords(x, y), nil
		}
	}
	a, err := p.A.Eval(point)
	if err != nil {
		return false, err
	}
	b, err := p.B.Eval(point)
	if err != nil {
		return false, err
	}
	return p.Op.holds(a, b), nil
}

func (op PredOp) holds(a, b *big.Int) bool {
	switch op {
	case PredEq:
		return a.Cmp(b) == 0
	case PredLt:
		return a.Cmp(b) < 0
	case PredLe:
		return a.Cmp(b) <= 0
	default:
		return a.Sign() > 0 && new(big.Int).Mod(b, a).Sign() == 0
	}
}

func (op PredOp) holdsWords(a, b int64) bool {
	switch op {
	case PredEq:
		return a == b
	case PredLt:
		return a < b
	case PredLe:
		return a <= b
	default:
		return a > 0 && b%a == 0
	}
}

// Names returns the names that occur, sorted, each once.
func (p *Pred) Names() []string {
	set := map[string]bool{}
	p.addNames(set)
	return sorted(set)
}

func (p *Pred) addNames(set map[string]bool) {
	p.A.addNames(set)
	p.B.addNames(set)
	for _, q := range p.Args {
		q.addNames(set)
	}
}

// String prints an S-expression that a program may assume: (<= 3 N), (or (= M N) (= M 1)).
func (p *Pred) String() string {
	var b strings.Builder
	p.write(&b)
	return b.String()
}

func (p *Pred) write(b *strings.Builder) {
	b.WriteByte('(')
	b.WriteString(predOpNames[p.Op])
	if p.Op < PredNot {
		b.WriteByte(' ')
		p.A.write(b)
		b.WriteByte(' ')
		p.B.write(b)
	}
	for _, q := range p.Args {
		b.WriteByte(' ')
		q.write(b)
	}
	b.WriteByte(')')
}

func Eq(a, b Size) *Pred      { return &Pred{Op: PredEq, A: a, B: b} }
func Lt(a, b Size) *Pred      { return &Pred{Op: PredLt, A: a, B: b} }
func Le(a, b Size) *Pred      { return &Pred{Op: PredLe, A: a, B: b} }
func Divides(a, b Size) *Pred { return &Pred{Op: PredDivides, A: a, B: b} }
func Or(args ...*Pred) *Pred  { return &Pred{Op: PredOr, Args: args} }

// Truth is what is known of a condition at every point of a domain.
type Truth uint8

const (
	Undecided Truth = iota // true at some points, or not decided
	Always
	Never
)

func not(t Truth) Truth {
	switch t {
	case Always:
		return Never
	case Never:
		return Always
	}
	return Undecided
}

// Facts are what holds at every point of a domain.
type Facts struct {
	Mins     map[string]int64 // least values of names; 1 for a name that is not there
	naturals []Size           // sizes that are not negative
}

// Learn adds what a condition says, if it is an inequality.
func (f *Facts) Learn(p *Pred) {
	if len(f.naturals) == maxFacts {
		return
	}
	switch p.Op {
	case PredLe:
		f.naturals = append(f.naturals, p.B.Sub(p.A))
	case PredLt:
		f.naturals = append(f.naturals, p.B.Sub(p.A).Sub(IntSize(1)))
	}
}

// Decide tells whether p holds at every point where the facts do, or at none. Sums of products are
// compared by their coefficients only, so that open says nothing about p.
func (p *Pred) Decide(known *Facts) Truth {
	switch p.Op {
	case PredNot:
		return not(p.Args[0].Decide(known))
	case PredAnd, PredOr:
		strong, weak := Always, Never // of or: one that is always true decides
		if p.Op == PredAnd {
			strong, weak = Never, Always
		}
		result := weak
		for _, q := range p.Args {
			switch q.Decide(known) {
			case strong:
				return strong
			case Undecided:
				result = Undecided
			}
		}
		return result
	case PredEq:
		d := p.A.Sub(p.B)
		if c, ok := d.Const(); ok {
			return decided(c.Sign() == 0)
		}
		if d.AtLeastGiven(1, known) || p.B.Sub(p.A).AtLeastGiven(1, known) {
			return Never
		}
		return Undecided
	case PredLt, PredLe:
		margin := int64(0)
		if p.Op == PredLt {
			margin = 1
		}
		switch {
		case p.B.Sub(p.A).AtLeastGiven(margin, known):
			return Always
		case p.A.Sub(p.B).AtLeastGiven(1-margin, known):
			return Never
		}
		return Undecided
	default:
		a, ok := p.A.Const()
		if !ok {
			if p.A.Equal(p.B) && p.A.AtLeastGiven(1, known) {
				return Always
			}
			return Undecided
		}
		if a.Sign() <= 0 {
			return Never
		}
		if r, ok := p.B.Mod(p.A).Const(); ok {
			return decided(r.Sign() == 0)
		}
		return Undecided
	}
}

// TooLarge tells whether a size in p has outgrown what programs may hold.
func (p *Pred) TooLarge() bool {
	for _, q := range p.Args {
		if q.TooLarge() {
			return true
		}
	}
	return p.A.TooLarge() || p.B.TooLarge()
}

// Simplified drops the parts of a disjunction that hold nowhere.
func (p *Pred) Simplified(known *Facts) *Pred {
	if p.Op != PredOr {
		return p
	}
	var args []*Pred
	for _, q := range p.Args {
		if q.Decide(known) != Never {
			args = append(args, q)
		}
	}
	if len(args) == 1 {
		return args[0]
	}
	return Or(args...)
}

func decided(holds bool) Truth {
	if holds {
		return Always
	}
	return Never
}

// AtLeastGiven tells whether a >= bound follows from the least values of the names.
func (a Size) AtLeastGiven(bound int64, known *Facts) bool {
	if a.e == nil {
		return a.n >= bound
	}
	least, ok := a.lowerBound(known)
	if ok && least.Cmp(big.NewInt(bound)) >= 0 {
		return true
	}
	if x, _ := a.subtractedDivision(known); x == nil {
		return false // the rest would find the same bound
	}
	// For p = a - bound and some d >= 1 with d*p >= b, b >= -(d-1) gives p > -1.
	b, d := a.Sub(IntSize(bound)).withoutDivisions(known)
	least, ok = b.lowerBound(known)
	return ok && least.Cmp(new(big.Int).Sub(bigOne, d)) >= 0
}

// withoutDivisions returns a size b and a number d >= 1 with d*a >= b: where a quotient or remainder by a
// constant is subtracted, it is replaced by what it is at most, (x div e)*e <= x and x mod e <= e-1.
func (a Size) withoutDivisions(known *Facts) (b Size, d *big.Int) {
	b, d = a, bigOne
	for range maxReplaced {
		x, e := b.subtractedDivision(known)
		if x == nil {
			break
		}
		bound := x.args[0]
		if x.op == SizeMod {
			bound = BigSize(new(big.Int).Sub(e, bigOne))
			e = bigOne
		}
		var sum Size
		for _, t := range b.e.terms {
			if q, ok := t.over(atomSize(x).e.terms[0]); ok && t.mayReplace(x, known) {
				sum = sum.Add(polynomial([]sizeTerm{q}).Mul(bound))
			} else {
				sum = sum.Add(polynomial([]sizeTerm{t}).scale(e))
			}
		}
		b, d = sum, new(big.Int).Mul(d, e)
	}
	return b, d
}

// subtractedDivision returns a quotient or remainder by a constant e that occurs in a monomial with a
// negative coefficient, once and beside natural numbers only; nil if there is none.
func (a Size) subtractedDivision(known *Facts) (x *sizeAtom, e *big.Int) {
	if a.e == nil {
		return nil, nil
	}
	for _, t := range a.e.terms {
		for _, f := range t.factors {
			if f.atom.op != SizeDiv && f.atom.op != SizeMod {
				continue
			}
			if e, ok := f.atom.args[1].Const(); ok && e.Sign() > 0 && t.mayReplace(f.atom, known) {
				return f.atom, e
			}
		}
	}
	return nil, nil
}

// mayReplace tells whether a bound above may replace the atom x of a monomial: the coefficient is negative, x
// occurs once, and the other atoms are known not to be negative.
func (t sizeTerm) mayReplace(x *sizeAtom, known *Facts) bool {
	if t.coef.Sign() > 0 {
		return false
	}
	for _, f := range t.factors {
		if f.atom == x {
			if f.pow > 1 {
				return false
			}
			continue
		}
		if least, ok := f.atom.lowerBound(known); !ok || least.Sign() < 0 {
			return false
		}
	}
	return true
}

// lowerBound returns a number that a is never below, if one is found: from a itself, or from a less one of
// the naturals.
func (a Size) lowerBound(known *Facts) (*big.Int, bool) {
	least, ok := a.slackBound(known)
	for _, n := range known.naturals {
		if b, found := a.Sub(n).slackBound(&Facts{Mins: known.Mins}); found && (!ok || b.Cmp(least) > 0) {
			least, ok = b, true
		}
	}
	return least, ok
}

// slackBound returns a number that a is never below, if one is found: each atom is replaced by a lower bound
// plus a slack, and a polynomial in slacks whose other coefficients are not negative is at least its
// constant.
func (a Size) slackBound(known *Facts) (*big.Int, bool) {
	if a.e == nil {
		return big.NewInt(a.n), true
	}
	if least, ok, linear := a.linearBound(known); linear {
		return big.NewInt(least), ok
	}
	return a.shifting(known)
}

// shifting is slackBound of what is no number.
func (a Size) shifting(known *Facts) (*big.Int, bool) {
	shift := map[*sizeAtom]Size{}
	expand := len(a.e.terms) <= maxExpandTerms
	for _, t := range a.e.terms {
		expand = expand && t.degree <= maxExpandPower
		for _, f := range t.factors {
			if _, ok := shift[f.atom]; ok {
				continue
			}
			least, ok := f.atom.lowerBound(known)
			if !ok {
				return nil, false
			}
			shift[f.atom] = BigSize(least)
		}
	}
	sum := a
	if expand {
		sum = a.shifted(shift)
	} else {
		for _, b := range shift {
			if b.Sign() < 0 {
				return nil, false
			}
		}
	}
	for _, t := range sum.terms() {
		if t.degree > 0 && t.coef.Sign() < 0 {
			return nil, false
		}
	}
	return sum.constant(), true
}

// linearBound is slackBound of what is linear in its atoms, and small: nothing is multiplied then. linear is false of others.
func (a Size) linearBound(known *Facts) (least int64, ok, linear bool) {
	ok = true
	for _, t := range a.e.terms {
		if t.degree > 1 || !t.coef.IsInt64() || !small(t.coef.Int64()) {
			return 0, false, false
		}
		by := int64(1)
		if t.degree == 1 {
			var found bool
			if by, found = t.factors[0].atom.smallBound(known); !found {
				return 0, false, false
			}
			ok = ok && t.coef.Sign() > 0
		}
		if least += t.coef.Int64() * by; !small(least) {
			return 0, false, false
		}
	}
	return least, ok, true
}

// smallBound is lowerBound of a name or remainder, as a word.
func (x *sizeAtom) smallBound(known *Facts) (least int64, ok bool) {
	switch x.op {
	case SizeName:
		least = leastValue(x.name, known.Mins)
	case SizeMod:
	default:
		return 0, false
	}
	return least, small(least)
}

// shifted replaces each atom by itself, which then stands for a slack, plus a constant.
func (a Size) shifted(shift map[*sizeAtom]Size) Size {
	var sum Size
	for _, t := range a.e.terms {
		product := BigSize(t.coef)
		for _, f := range t.factors {
			x := atomSize(f.atom).Add(shift[f.atom])
			for range f.pow {
				product = product.Mul(x)
			}
		}
		sum = sum.Add(product)
	}
	return sum
}

// leastValue returns the least value of a named size: 1 unless declared.
func leastValue(name string, mins map[string]int64) int64 {
	if n, ok := mins[name]; ok {
		return n
	}
	return 1
}

// lowerBound returns a number that an atom is never below where it has a value, if one is found.
func (x *sizeAtom) lowerBound(known *Facts) (*big.Int, bool) {
	if x.op == SizeName {
		return big.NewInt(leastValue(x.name, known.Mins)), true
	}
	if x.op == SizeMod {
		return bigZero, true
	}
	var bounds []*big.Int
	for _, a := range x.args {
		b, ok := a.lowerBound(known)
		if ok {
			bounds = append(bounds, b)
		} else if x.op != SizeMax {
			return nil, false
		}
	}
	if len(bounds) == 0 {
		return nil, false
	}
	least := bounds[0]
	switch x.op {
	case SizeDiv:
		if d, ok := x.args[1].Const(); ok && d.Sign() > 0 {
			return new(big.Int).Div(least, d), true
		}
		if least.Sign() > 0 {
			return bigZero, true
		}
	case SizeMax:
		for _, b := range bounds {
			if b.Cmp(least) > 0 {
				least = b
			}
		}
	case SizeMin:
		for _, b := range bounds {
			if b.Cmp(least) < 0 {
				least = b
			}
		}
	case SizeMul:
		least = big.NewInt(1)
		for _, b := range bounds {
			if b.Sign() < 0 {
				return nil, false
			}
			least = new(big.Int).Mul(least, b)
		}
	}
	return least, true
}

// AtLeast tells whether a >= bound is known wherever each name is at least its value in mins, 1 for a name that is
// not there; false says nothing.
func (a Size) AtLeast(bound int64, mins map[string]int64) bool {
	return a.AtLeastGiven(bound, &Facts{Mins: mins})
}

// Subst returns p with names replaced.
func (p *Pred) Subst(by map[string]Size) *Pred {
	out := &Pred{Op: p.Op, A: p.A.Subst(by), B: p.B.Subst(by)}
	for _, q := range p.Args {
		out.Args = append(out.Args, q.Subst(by))
	}
	return out
}

// Subst returns a with names replaced.
func (a Size) Subst(by map[string]Size) Size {
	if a.e == nil {
		return a
	}
	kept := func(t sizeTerm) bool { // it is as it was
		return !slices.ContainsFunc(t.factors, func(f sizeFactor) bool {
			_, replaced := by[f.atom.name]
			return replaced || f.atom.op != SizeName
		})
	}
	if !slices.ContainsFunc(a.e.terms, func(t sizeTerm) bool { return !kept(t) }) {
		return a
	}
	others := make([]sizeTerm, 0, len(a.e.terms))
	for _, t := range a.e.terms {
		if kept(t) {
			others = append(others, t)
		}
	}
	sum := polynomial(others)
	for _, t := range a.e.terms {
		if kept(t) {
			continue
		}
		p := BigSize(t.coef)
		for _, f := range t.factors {
			x := f.atom.subst(by)
			for range f.pow {
				p = p.Mul(x)
			}
		}
		sum = sum.Add(p)
	}
	return sum
}

func (x *sizeAtom) subst(by map[string]Size) Size {
	if x.op == SizeName {
		if s, ok := by[x.name]; ok {
			return s
		}
		return atomSize(x)
	}
	args := make([]Size, len(x.args))
	for i, a := range x.args {
		args[i] = a.Subst(by)
	}
	out := args[0]
	for _, y := range args[1:] {
		switch x.op {
		case SizeDiv:
			out = out.Div(y)
		case SizeMod:
			out = out.Mod(y)
		case SizeMax:
			out = out.Max(y)
		case SizeMin:
			out = out.Min(y)
		default:
			out = out.Mul(y)
		}
	}
	return out
}

// PredOpOf returns the operation that a word stands for: <=, divides.
func PredOpOf(name string) (PredOp, bool) {
	for op, s := range predOpNames {
		if s == name {
			return PredOp(op), true
		}
	}
	return 0, false
}
