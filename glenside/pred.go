package glenside

import (
	"math/big"
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
	PredEq: "=", PredLt: "<", PredLe: "<=", PredDivides: "divides", PredNot: "not", PredAnd: "and", PredOr: "or",
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

// String prints an S-expression that ParsePred reads back: (<= 3 N), (or (= M N) (= M 1)).
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

func predEq(a, b Size) *Pred      { return &Pred{Op: PredEq, A: a, B: b} }
func predLt(a, b Size) *Pred      { return &Pred{Op: PredLt, A: a, B: b} }
func predLe(a, b Size) *Pred      { return &Pred{Op: PredLe, A: a, B: b} }
func predDivides(a, b Size) *Pred { return &Pred{Op: PredDivides, A: a, B: b} }
func predOr(args ...*Pred) *Pred  { return &Pred{Op: PredOr, Args: args} }

// truth is what is known of a condition at every point of a domain.
type truth uint8

const (
	open truth = iota // true at some points, or not decided
	always
	never
)

func not(t truth) truth {
	switch t {
	case always:
		return never
	case never:
		return always
	}
	return open
}

// decide tells whether p holds at every point where each name has at least its least value in mins (1 for a
// name that is not there), or at none. Sums of products are compared by their coefficients only, so that
// open says nothing about p.
func (p *Pred) decide(mins map[string]int64) truth {
	switch p.Op {
	case PredNot:
		return not(p.Args[0].decide(mins))
	case PredAnd, PredOr:
		strong, weak := always, never // of or: one that is always true decides
		if p.Op == PredAnd {
			strong, weak = never, always
		}
		result := weak
		for _, q := range p.Args {
			switch q.decide(mins) {
			case strong:
				return strong
			case open:
				result = open
			}
		}
		return result
	case PredEq:
		d := p.A.Sub(p.B)
		if c, ok := d.Const(); ok {
			return decided(c.Sign() == 0)
		}
		if d.atLeast(1, mins) || p.B.Sub(p.A).atLeast(1, mins) {
			return never
		}
		return open
	case PredLt, PredLe:
		margin := int64(0)
		if p.Op == PredLt {
			margin = 1
		}
		switch {
		case p.B.Sub(p.A).atLeast(margin, mins):
			return always
		case p.A.Sub(p.B).atLeast(1-margin, mins):
			return never
		}
		return open
	default:
		a, ok := p.A.Const()
		if !ok {
			if p.A.Equal(p.B) && p.A.atLeast(1, mins) {
				return always
			}
			return open
		}
		if a.Sign() <= 0 {
			return never
		}
		if r, ok := p.B.Mod(p.A).Const(); ok {
			return decided(r.Sign() == 0)
		}
		return open
	}
}

func decided(holds bool) truth {
	if holds {
		return always
	}
	return never
}

// atLeast tells whether a >= bound follows from the least values of the names: each name is replaced by its
// least value plus a slack, and a polynomial in slacks without negative coefficients is not negative.
func (a Size) atLeast(bound int64, mins map[string]int64) bool {
	if a.e == nil {
		return a.n >= bound
	}
	p := a.Sub(IntSize(bound)).withSlacks(mins)
	for _, t := range p.terms() {
		if t.coef.Sign() < 0 {
			return false
		}
		for _, f := range t.factors {
			if !f.atom.natural(mins) {
				return false
			}
		}
	}
	return true
}

// withSlacks replaces each name by its least value plus a name that stands for a natural number.
func (a Size) withSlacks(mins map[string]int64) Size {
	if a.e == nil {
		return a
	}
	shifted := false
	for _, t := range a.e.terms {
		if t.degree > maxExpandPower {
			return a // names are natural numbers themselves
		}
		for _, f := range t.factors {
			shifted = shifted || f.atom.op == SizeName && leastValue(f.atom.name, mins) != 0
		}
	}
	if !shifted || len(a.e.terms) > maxProduct/maxExpandPower {
		return a
	}
	var sum Size
	for _, t := range a.e.terms {
		product := BigSize(t.coef)
		for _, f := range t.factors {
			x := atomSize(f.atom)
			if f.atom.op == SizeName {
				x = x.Add(IntSize(leastValue(f.atom.name, mins)))
			}
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

// natural tells whether an atom is known not to be negative wherever it has a value.
func (x *sizeAtom) natural(mins map[string]int64) bool {
	isNatural := func(a Size) bool { return a.atLeast(0, mins) }
	switch x.op {
	case SizeName:
		return leastValue(x.name, mins) >= 0
	case SizeMod:
		return true
	case SizeDiv:
		return isNatural(x.args[0])
	case SizeMax:
		for _, a := range x.args {
			if isNatural(a) {
				return true
			}
		}
		return false
	default: // SizeMin, SizeMul
		for _, a := range x.args {
			if !isNatural(a) {
				return false
			}
		}
		return true
	}
}
