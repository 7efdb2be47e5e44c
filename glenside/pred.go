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

// tooLarge tells whether a size in p has outgrown what programs may hold.
func (p *Pred) tooLarge() bool {
	for _, q := range p.Args {
		if q.tooLarge() {
			return true
		}
	}
	return p.A.tooLarge() || p.B.tooLarge()
}

// simplified drops the parts of a disjunction that hold nowhere.
func (p *Pred) simplified(mins map[string]int64) *Pred {
	if p.Op != PredOr {
		return p
	}
	var args []*Pred
	for _, q := range p.Args {
		if q.decide(mins) != never {
			args = append(args, q)
		}
	}
	if len(args) == 1 {
		return args[0]
	}
	return predOr(args...)
}

func decided(holds bool) truth {
	if holds {
		return always
	}
	return never
}

// atLeast tells whether a >= bound follows from the least values of the names.
func (a Size) atLeast(bound int64, mins map[string]int64) bool {
	if a.e == nil {
		return a.n >= bound
	}
	least, ok := a.lowerBound(mins)
	return ok && least.Cmp(big.NewInt(bound)) >= 0
}

// lowerBound returns a number that a is never below, if one is found: each atom is replaced by a lower bound
// plus a slack, and a polynomial in slacks whose other coefficients are not negative is at least its constant.
func (a Size) lowerBound(mins map[string]int64) (*big.Int, bool) {
	if a.e == nil {
		return big.NewInt(a.n), true
	}
	shift := map[*sizeAtom]Size{}
	expand := len(a.e.terms) <= maxExpandTerms
	for _, t := range a.e.terms {
		expand = expand && t.degree <= maxExpandPower
		for _, f := range t.factors {
			if _, ok := shift[f.atom]; ok {
				continue
			}
			least, ok := f.atom.lowerBound(mins)
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
			if b.sign() < 0 {
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
func (x *sizeAtom) lowerBound(mins map[string]int64) (*big.Int, bool) {
	if x.op == SizeName {
		return big.NewInt(leastValue(x.name, mins)), true
	}
	if x.op == SizeMod {
		return bigZero, true
	}
	var bounds []*big.Int
	for _, a := range x.args {
		b, ok := a.lowerBound(mins)
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
