package loops

import (
	"math/big"
	"slices"

	"tv/semantics/domain"
)

// Limits implements semantics.Program: sizes below 2^28 and numbers of elements below 2^30 where counters have 32 bits,
// below 2^60 where they have 64. Integers that grow with sizes and counts alone then lie in their types.
func (t *Typed) Limits() domain.Limits {
	if t.Procedure.Wide {
		return domain.Limits{Sizes: 60, Counts: 60}
	}
	return domain.Limits{Sizes: 28, Counts: 30}
}

// A span is an interval of integers; a nil end is not known.
type span struct{ lo, hi *big.Int }

// out tells whether x >= 0 holds for no sizes of the domain, as they are too small for that: x itself, or what is beside a
// number of elements in it.
func (t *Typed) out(x domain.Size) bool {
	x = t.Size(x)
	hi := t.span(x).hi
	if hi != nil && hi.Sign() < 0 {
		return true
	}
	most, names := below(t.Limits().Counts), x.Names()
	return slices.ContainsFunc(t.elements, func(c elements) bool {
		if !c.product || holdsAll(names, c.names) {
			hi := t.span(x.Sub(c.of)).hi
			return hi != nil && new(big.Int).Add(hi, most).Sign() < 0
		}
		// x has no multiple of the count, which stands by itself in the difference.
		return hi != nil && c.least != nil && new(big.Int).Add(new(big.Int).Sub(hi, c.least), most).Sign() < 0
	})
}

// holdsAll tells whether a list has all names of a set.
func holdsAll(list []string, set map[string]bool) bool {
	n := 0
	for _, name := range list {
		if set[name] {
			n++
		}
	}
	return n == len(set)
}

// span encloses a size of the question.
func (t *Typed) span(x domain.Size) span {
	if n, ok := x.Const(); ok {
		return span{n, n}
	}
	args := make([]span, len(x.Operands()))
	for i, a := range x.Operands() {
		args[i] = t.span(a)
	}
	switch x.Op() {
	case domain.SizeName:
		out := t.named(x.Name())
		return span{out.lo, t.counted(x, out.hi)}
	case domain.SizeAdd:
		out := args[0]
		for _, a := range args[1:] {
			out = span{both(out.lo, a.lo, (*big.Int).Add), both(out.hi, a.hi, (*big.Int).Add)}
		}
		return out
	case domain.SizeMul:
		return t.product(x, args)
	case domain.SizeMax, domain.SizeMin:
		out := args[0]
		for _, a := range args[1:] {
			out = span{extreme(out.lo, a.lo, x.Op()), extreme(out.hi, a.hi, x.Op())}
		}
		return out
	case domain.SizeDiv:
		if d, ok := x.Operands()[1].Const(); ok && d.Sign() > 0 {
			floor := func(n *big.Int) *big.Int {
				if n == nil {
					return nil
				}
				return new(big.Int).Div(n, d)
			}
			return span{floor(args[0].lo), floor(args[0].hi)}
		}
	case domain.SizeMod:
		if d := args[1]; d.lo != nil && d.lo.Sign() > 0 { // of a positive divisor something from 0 on is left
			return span{new(big.Int), both(d.hi, big.NewInt(-1), (*big.Int).Add)}
		}
	}
	return span{}
}

// Within tells whether a size of the text surely lies in a type of integers.
func (t *Typed) Within(x domain.Size, elem domain.Elem) bool {
	in := t.span(t.Size(x))
	if in.lo == nil || in.hi == nil || elem.Kind != domain.ElemInt && elem.Kind != domain.ElemUint {
		return false
	}
	if elem.Kind == domain.ElemUint {
		return in.lo.Sign() >= 0 && in.hi.BitLen() <= elem.Width
	}
	return in.lo.Sign() >= 0 && in.hi.BitLen() < elem.Width
}

// named is what a size is: at least its least value, and below the limit.
func (t *Typed) named(name string) span {
	least := int64(1)
	if n, ok := t.Env.Mins[name]; ok {
		least = n
	}
	return span{big.NewInt(least), below(t.Limits().Sizes)}
}

func below(bits uint) *big.Int {
	n := new(big.Int).Lsh(big.NewInt(1), bits)
	return n.Sub(n, big.NewInt(1))
}

// product is one of a number and of what is not negative; a product that divides a number of elements has the limit of
// those, divided by what the rest of the count is at least.
func (t *Typed) product(x domain.Size, args []span) span {
	factor, rest := domain.IntSize(1), x
	if n, ok := x.Operands()[0].Const(); ok {
		factor, rest = domain.BigSize(n), domain.IntSize(1)
		for _, a := range x.Operands()[1:] {
			rest = rest.Mul(a)
		}
		args = args[1:]
	}
	out := span{big.NewInt(1), big.NewInt(1)}
	for _, a := range args {
		if a.lo == nil || a.lo.Sign() < 0 {
			return span{}
		}
		out = span{both(out.lo, a.lo, (*big.Int).Mul), both(out.hi, a.hi, (*big.Int).Mul)}
	}
	out.hi = t.counted(rest, out.hi)
	n, _ := factor.Const()
	out = span{both(out.lo, n, (*big.Int).Mul), both(out.hi, n, (*big.Int).Mul)}
	if n.Sign() < 0 {
		out.lo, out.hi = out.hi, out.lo
	}
	return out
}

// counted is the least of an end of a product, nil where none is known, and what the numbers of elements that it divides say.
func (t *Typed) counted(x domain.Size, hi *big.Int) *big.Int {
	names := x.Names()
	for _, c := range t.elements {
		if slices.ContainsFunc(names, func(n string) bool { return !c.names[n] }) {
			continue // it is no multiple
		}
		more := c.of.Div(x) // if that is at least n, x is at most an n-th of the count
		n := t.least(more)
		if n == nil || !more.Mul(x).Equal(c.of) {
			continue
		}
		most := below(t.Limits().Counts)
		if most.Div(most, n); hi == nil || most.Cmp(hi) < 0 {
			hi = most
		}
	}
	return hi
}

// An elements is the number of elements of a parameter, with the names that it is made of.
type elements struct {
	of      domain.Size
	names   map[string]bool
	product bool     // of names alone: it has one term
	least   *big.Int // nil where that is not known
}

// counts are those of all parameters.
func (t *Typed) counts() (list []elements) {
	for _, p := range t.Parameters {
		c := elements{of: domain.IntSize(1), names: map[string]bool{}}
		for _, d := range t.Tensor(p).Dims {
			c.of = c.of.Mul(d)
		}
		for _, n := range c.of.Names() {
			c.names[n] = true
		}
		factors := []domain.Size{c.of}
		if c.of.Op() == domain.SizeMul {
			factors = c.of.Operands()
		}
		c.product = !slices.ContainsFunc(factors, func(f domain.Size) bool { return f.Op() != domain.SizeName })
		c.least = t.span(c.of).lo
		list = append(list, c)
	}
	return list
}

// least is what a product of names and numbers that are at least 1 is at least; nil for another size.
func (t *Typed) least(x domain.Size) *big.Int {
	factors := []domain.Size{x}
	if x.Op() == domain.SizeMul {
		factors = x.Operands()
	}
	least := big.NewInt(1)
	for _, f := range factors {
		n, number := f.Const()
		switch {
		case !number && f.Op() == domain.SizeName:
			n = t.named(f.Name()).lo
		case !number:
			return nil
		}
		if n.Sign() <= 0 {
			return nil
		}
		least.Mul(least, n)
	}
	return least
}

// both combines two ends that are known.
func both(x, y *big.Int, op func(z, x, y *big.Int) *big.Int) *big.Int {
	if x == nil || y == nil {
		return nil
	}
	return op(new(big.Int), x, y)
}

// extreme is the greater or the lesser of two ends that are known.
func extreme(x, y *big.Int, op domain.SizeOp) *big.Int {
	if x == nil || y == nil {
		return nil
	}
	if (x.Cmp(y) > 0) == (op == domain.SizeMax) {
		return x
	}
	return y
}
