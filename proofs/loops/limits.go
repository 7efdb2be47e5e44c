package loops

import (
	"math/big"
	"slices"

	"tv/semantics/domain"
)

// Ranges bounds values of sizes, and of what is made of them.
type Ranges struct {
	// Of bounds a name; nil stands for no bound.
	Of func(name string) (least, most *big.Int)
	// Below are sums of products, none negative for any value of the names, that are below Count.
	Below []domain.Size
	Count *big.Int
	// Counted are below Count as well, whatever they are made of.
	Counted []domain.Size
}

// Counts adds the product of dims as one below Count, where each is a sum of names and numbers, and
// surely positive or alone: then, if positive, each of its summands is below Count too.
func (r *Ranges) Counts(dims []domain.Size) {
	all, some := domain.IntSize(1), true
	for _, d := range dims {
		least, _ := r.Bounds(d)
		if some = some && least != nil && least.Sign() > 0; !plain(d) {
			return
		}
		all = all.Mul(d)
	}
	// one dim alone is no larger than the count, whatever its sign
	known := slices.ContainsFunc(r.Counted, all.Equal)
	if !known && (some || len(dims) == 1) {
		r.Counted = append(r.Counted, all)
	}
	if !some || slices.ContainsFunc(r.Below, all.Equal) {
		return
	}
	for _, t := range parts(all, domain.SizeAdd) {
		if c, ok := leading(t).Const(); !ok || c.Sign() < 0 {
			return
		}
	}
	r.Below = append(r.Below, all)
}

// plain reports whether x is made of names and numbers by sums and products.
func plain(x domain.Size) bool {
	for _, y := range x.Operands() {
		if !plain(y) {
			return false
		}
	}
	return x.Op() <= domain.SizeMul
}

// parts are the operands of x if that is made by op, and else x alone.
func parts(x domain.Size, op domain.SizeOp) []domain.Size {
	if x.Op() == op {
		return x.Operands()
	}
	return []domain.Size{x}
}

// leading is the number that a product begins with.
func leading(x domain.Size) domain.Size {
	if first := parts(x, domain.SizeMul)[0]; first.Op() == domain.SizeConst {
		return first
	}
	return domain.IntSize(1)
}

// Nonneg reports whether x is not negative for any values of names within their bounds.
func (r *Ranges) Nonneg(x domain.Size) bool {
	least, _ := r.Bounds(x)
	return least != nil && least.Sign() >= 0
}

// Bounds returns numbers that x is at least, and at most; nil stands for no bound.
func (r *Ranges) Bounds(x domain.Size) (least, most *big.Int) {
	if n, ok := x.Const(); ok {
		return n, n
	}
	switch x.Op() {
	case domain.SizeName:
		least, most = r.Of(x.Name())
		if count, ok := r.count([]domain.Size{x}); ok {
			most = extreme(most, count, -1, true)
		}
		return least, most
	case domain.SizeMul:
		return r.product(x)
	}
	for i, y := range x.Operands() {
		lo, hi := r.Bounds(y)
		switch {
		case i == 0:
			least, most = lo, hi
		case x.Op() == domain.SizeAdd:
			least, most = apply((*big.Int).Add, least, lo), apply((*big.Int).Add, most, hi)
		case x.Op() == domain.SizeMax:
			least, most = extreme(least, lo, 1, true), extreme(most, hi, 1, false)
		case x.Op() == domain.SizeMin:
			least, most = extreme(least, lo, -1, false), extreme(most, hi, -1, true)
		case lo == nil || lo.Sign() <= 0:
			return nil, nil // a divisor that is not surely positive
		case x.Op() == domain.SizeDiv:
			// x div y = -1 - (-1-x) div y
			least = quotient(least, lo, hi)
			most = negated(quotient(negated(most, -1), lo, hi), -1)
		default: // what is left by a division
			least, most = new(big.Int), apply((*big.Int).Add, hi, big.NewInt(-1))
		}
	}
	for _, y := range r.Counted { // those that begin with other summands are no help
		if x.Op() != domain.SizeAdd || r.Count == nil ||
			!x.Operands()[0].Equal(parts(y, domain.SizeAdd)[0]) {
			continue
		}
		alone := *r // x = y - (y - x), and nothing that is counted is asked for once more
		alone.Counted = nil
		beyond, _ := alone.Bounds(y.Sub(x))
		last := new(big.Int).Sub(r.Count, big.NewInt(1))
		most = extreme(most, apply((*big.Int).Sub, last, beyond), -1, true)
	}
	return least, most
}

func apply(op func(z, x, y *big.Int) *big.Int, x, y *big.Int) *big.Int {
	if x == nil || y == nil {
		return nil
	}
	return op(new(big.Int), x, y)
}

// extreme is the greater one of two bounds, or with sign -1 the lesser one. With either, one that
// is no bound leaves the other.
func extreme(x, y *big.Int, sign int, either bool) *big.Int {
	switch {
	case x == nil || y == nil:
		if either && x == nil {
			return y
		} else if either {
			return x
		}
		return nil
	case x.Cmp(y)*sign > 0:
		return x
	}
	return y
}

// quotient is the least x div y for an x that is at least that and lo <= y <= hi.
func quotient(x, lo, hi *big.Int) *big.Int {
	switch {
	case x == nil:
		return nil
	case x.Sign() < 0:
		return new(big.Int).Div(x, lo) // Euclidean: by a positive number it rounds down
	case hi == nil:
		return new(big.Int)
	}
	return new(big.Int).Div(x, hi)
}

// negated is more - x.
func negated(x *big.Int, more int64) *big.Int {
	return apply((*big.Int).Sub, big.NewInt(more), x)
}

// product bounds a product: by its factors, and where it is one of names by the products that are
// known to be below a number.
func (r *Ranges) product(x domain.Size) (least, most *big.Int) {
	list := x.Operands()
	least, most = big.NewInt(1), big.NewInt(1)
	for _, y := range list {
		lo, hi := r.Bounds(y)
		least, most = multiplied(least, most, lo, hi)
	}
	number := leading(x)
	if number.Op() == domain.SizeConst && list[0].Op() == domain.SizeConst {
		list = list[1:]
	}
	count, ok := r.count(list)
	if !ok {
		return least, most
	}
	n, _ := number.Const()
	if count = new(big.Int).Mul(count, n); n.Sign() > 0 {
		return least, extreme(most, count, -1, true)
	}
	return extreme(least, count, 1, true), most
}

// multiplied bounds the products of numbers within bounds.
func multiplied(lo, hi, lo2, hi2 *big.Int) (least, most *big.Int) {
	switch none := lo == nil || lo2 == nil; {
	case none || hi == nil || hi2 == nil:
		if !none && lo.Sign() >= 0 && lo2.Sign() >= 0 {
			return apply((*big.Int).Mul, lo, lo2), apply((*big.Int).Mul, hi, hi2)
		}
		return nil, nil
	}
	for i, x := range []*big.Int{lo, lo, hi, hi} {
		p := new(big.Int).Mul(x, []*big.Int{lo2, hi2}[i%2])
		if i == 0 {
			least, most = p, p
		}
		least, most = extreme(least, p, -1, true), extreme(most, p, 1, true)
	}
	return least, most
}

// count bounds a product of names that are at least 1 and all occur in a product below Count: k
// times it, if that begins with the number k, is below Count too.
func (r *Ranges) count(names []domain.Size) (most *big.Int, ok bool) {
	for _, sum := range r.Below {
		for _, t := range parts(sum, domain.SizeAdd) {
			if r.takes(parts(t, domain.SizeMul), names) {
				k, _ := leading(t).Const()
				last := new(big.Int).Sub(r.Count, big.NewInt(1))
				most, ok = extreme(most, last.Div(last, k), -1, true), true
			}
		}
	}
	return most, ok
}

// takes reports whether all of names are among factors, which are all at least 1.
func (r *Ranges) takes(factors, names []domain.Size) bool {
	left := factors
next:
	for _, n := range names {
		for i, f := range left {
			if f.Equal(n) {
				left = append(left[:i:i], left[i+1:]...)
				continue next
			}
		}
		return false
	}
	for _, f := range factors {
		least, ok := f.Const()
		if f.Op() == domain.SizeName {
			least, _ = r.Of(f.Name())
			ok = least != nil
		}
		if !ok || least.Sign() <= 0 {
			return false
		}
	}
	return true
}

// Beyond returns 2^bits, and nil for no bits.
func Beyond(bits uint) *big.Int {
	if bits == 0 {
		return nil
	}
	return new(big.Int).Lsh(big.NewInt(1), bits)
}

// ranges are those of a question's sizes: within the limits of the text, as the question is about
// no others.
func (t *typing) ranges() *Ranges {
	r := &Ranges{Count: Beyond(t.p.Limits.Counts)}
	last := apply((*big.Int).Sub, Beyond(t.p.Limits.Sizes), big.NewInt(1))
	r.Of = func(name string) (*big.Int, *big.Int) {
		if least, known := t.Env.Mins[name]; known {
			return big.NewInt(least), last
		}
		return big.NewInt(1), last
	}
	for _, q := range t.p.Params {
		if r.Count == nil {
			break
		}
		var dims []domain.Size
		for _, d := range q.Dims {
			dims = append(dims, t.Env.Size(d))
		}
		r.Counts(dims)
	}
	return r
}

// cannotFail reports whether a condition holds for all sizes within the limits.
func (t *typing) cannotFail(p *domain.Pred) bool {
	switch p.Op {
	case domain.PredOr:
		for _, q := range p.Args {
			if t.cannotFail(q) {
				return true
			}
		}
		return false
	case domain.PredLe:
		_, most := t.bound.Bounds(p.A)
		least, _ := t.bound.Bounds(p.B)
		return t.bound.Nonneg(p.B.Sub(p.A)) || most != nil && least != nil && most.Cmp(least) <= 0
	}
	return false
}

// sized asks for what a text may rely on of its sizes: that each is at least 1, and within limits.
// What they stand for in a question need not be.
func (n *conditioner) sized() {
	for _, name := range n.t.p.Sizes {
		x := n.t.Env.Size(domain.NamedSize(name))
		n.add(domain.Le(domain.IntSize(1), x), "%s is at least 1", name)
		if most := n.t.p.MostOf(); most != nil {
			n.add(domain.Le(x, domain.BigSize(most)), "%s is within the limits of the text", name)
		}
	}
}
