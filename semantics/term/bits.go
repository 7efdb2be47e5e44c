package term

import (
	"fmt"
	"math/big"
	"math/bits"

	"tv/semantics/index"
)

// Operations on bit-vectors, truth values and memories. Their meaning is that of SMT-LIB's theories of
// fixed-size bit-vectors and of arrays; signedness is a matter of the operation, not of its operands, which
// are all of kind Unsigned. Add, Mul and Neg of term.go wrap and are the same for both readings.
//
// Truth values have sort Bool. A memory maps addresses of Sort.Frac bits to values of Sort.Width bits. No
// bit-vector is wider than 64 bits.
const (
	And      Op = Convert + 1 + iota // bit by bit; of truth values: both
	Or                               // bit by bit; of truth values: one or both
	Xor                              // bit by bit
	Not                              // every bit turned
	Shl                              // Args[0] · 2^Args[1]; 0 from the width on
	ShrU                             // Args[0] shifted right, zeros from the left; 0 from the width on
	ShrS                             // Args[0] shifted right, signs from the left; all signs from the width on
	DivU                             // unsigned quotient, rounded down; all ones where Args[1] is 0
	RemU                             // unsigned remainder; Args[0] where Args[1] is 0
	Equal                            // Bool: the same bits
	LessU                            // Bool: unsigned Args[0] < Args[1]
	LessS                            // Bool: signed Args[0] < Args[1]
	Choose                           // Args[1] where Args[0] holds, else Args[2]
	Concat                           // Args[0] above Args[1]
	Extract                          // Sort.Width bits of Args[0] from bit Index[0] on
	ExtendU                          // Args[0] with zeros above
	ExtendS                          // Args[0] with copies of its sign above
	Dot                              // the sum of the products Args[2i]·Args[2i+1], each argument sign-extended
	Load                             // Args[0] at address Args[1]
	Store                            // the memory Args[0] but for Args[2] at address Args[1]
	lastBits = Store
)

// Memory is the kind of a memory: addresses of Frac bits, values of Width bits.
const Memory = Adaptive + 1

var bitsNames = [...]string{
	"and", "or", "xor", "not", "shl", "shr-u", "shr-s", "div-u", "rem-u", "=", "less-u", "less-s", "choose",
	"concat", "extract", "extend-u", "extend-s", "dot", "load", "store",
}

// IsBits reports whether the operation is one of those on bit-vectors, truth values and memories only.
func (op Op) IsBits() bool { return op >= And && op <= lastBits }

// BitsName returns the name of an operation on bit-vectors, as String prints it.
func (op Op) BitsName() string {
	if op.IsBits() {
		return bitsNames[op-And]
	}
	return map[Op]string{Add: "add", Mul: "mul", Neg: "neg"}[op]
}

// BitsSort returns the sort of bit-vectors of the given width, 1 to 64 bits.
func BitsSort(width int) Sort {
	if width < 1 || width > 64 {
		panic(fmt.Sprintf("term: a bit-vector of %d bits", width))
	}
	return Sort{Kind: Unsigned, Width: width}
}

// MemorySort returns the sort of memories of 2^address values of width bits.
func MemorySort(address, width int) Sort { return Sort{Kind: Memory, Width: width, Frac: address} }

// BoolSort is the sort of truth values.
var BoolSort = Sort{Kind: Bool, Width: 1}

// Ones returns the number whose low width bits are set.
func Ones(width int) uint64 {
	if width >= 64 {
		return ^uint64(0)
	}
	return 1<<width - 1
}

// Bits returns the bit-vector of the given width whose unsigned value is v modulo 2^width.
func (b *Builder) Bits(width int, v uint64) *Term {
	return b.Const(BitsSort(width), new(big.Rat).SetUint64(v&Ones(width)))
}

// Truth returns a truth value.
func (b *Builder) Truth(v bool) *Term {
	n := int64(0)
	if v {
		n = 1
	}
	return b.Int(BoolSort, n)
}

// ConstBits returns the value of a constant bit-vector or truth value.
func (t *Term) ConstBits() (uint64, bool) {
	if t.Op != Const || t.Value == nil || t.Sort.Kind != Unsigned && t.Sort.Kind != Bool || t.Sort.Width > 64 {
		return 0, false
	}
	return t.Value.Num().Uint64(), true
}

// Low returns the lowest bit that an Extract takes.
func (t *Term) Low() int {
	n, _ := t.Index[0].Const()
	low, _ := n.Int64()
	return int(low)
}

func (b *Builder) isBits(op Op, args ...*Term) {
	for _, a := range args {
		if a.Sort.Kind != Unsigned || a.Sort.Width < 1 || a.Sort.Width > 64 {
			panic(fmt.Sprintf("term: %s of %v", op.BitsName(), a.Sort))
		}
	}
}

// bitsBinary makes an operation on two bit-vectors, or truth values where they are allowed, of one sort.
func (b *Builder) bitsBinary(op Op, s Sort, x, y *Term) *Term {
	if x.Sort != y.Sort {
		panic(fmt.Sprintf("term: %s of %v and %v", op.BitsName(), x.Sort, y.Sort))
	}
	return b.fold(Term{Op: op, Sort: s, Args: []*Term{x, y}})
}

// fold makes t, or the constant that it is.
func (b *Builder) fold(t Term) *Term {
	args := make([]uint64, len(t.Args))
	for i, a := range t.Args {
		v, ok := a.ConstBits()
		if !ok {
			return b.mk(t)
		}
		args[i] = v
	}
	v := EvalBits(&t, args)
	return b.Const(t.Sort, new(big.Rat).SetUint64(v))
}

// AddBits returns the sum, which wraps; constants are folded.
func (b *Builder) AddBits(x, y *Term) *Term {
	b.isBits(Add, x, y)
	if v, ok := x.ConstBits(); ok && v == 0 {
		return y
	}
	if v, ok := y.ConstBits(); ok && v == 0 {
		return x
	}
	return b.bitsBinary(Add, x.Sort, x, y)
}

// MulBits returns the product, which wraps.
func (b *Builder) MulBits(x, y *Term) *Term {
	b.isBits(Mul, x, y)
	return b.bitsBinary(Mul, x.Sort, x, y)
}

// NegBits returns the number modulo 2^width that x adds to 0.
func (b *Builder) NegBits(x *Term) *Term {
	b.isBits(Neg, x)
	return b.fold(Term{Op: Neg, Sort: x.Sort, Args: []*Term{x}})
}

// SubBits returns x - y modulo 2^width.
func (b *Builder) SubBits(x, y *Term) *Term { return b.AddBits(x, b.NegBits(y)) }

// And returns the bits that both have; of truth values the conjunction.
func (b *Builder) And(x, y *Term) *Term {
	if x.Sort == BoolSort {
		if v, ok := x.ConstBits(); ok {
			return [...]*Term{x, y}[v]
		}
		if v, ok := y.ConstBits(); ok {
			return [...]*Term{y, x}[v]
		}
	}
	return b.bitsBinary(And, x.Sort, x, y)
}

// Or returns the bits that one has; of truth values the disjunction.
func (b *Builder) Or(x, y *Term) *Term {
	if x.Sort == BoolSort {
		if v, ok := x.ConstBits(); ok {
			return [...]*Term{y, x}[v]
		}
		if v, ok := y.ConstBits(); ok {
			return [...]*Term{x, y}[v]
		}
	}
	return b.bitsBinary(Or, x.Sort, x, y)
}

// Xor returns the bits that exactly one has.
func (b *Builder) Xor(x, y *Term) *Term { return b.bitsBinary(Xor, x.Sort, x, y) }

// Not turns every bit; of a truth value the negation.
func (b *Builder) Not(x *Term) *Term { return b.fold(Term{Op: Not, Sort: x.Sort, Args: []*Term{x}}) }

// Shl returns x · 2^n modulo 2^width, n unsigned.
func (b *Builder) Shl(x, n *Term) *Term { b.isBits(Shl, x); return b.bitsBinary(Shl, x.Sort, x, n) }

// ShrU returns x / 2^n rounded down, both unsigned.
func (b *Builder) ShrU(x, n *Term) *Term { b.isBits(ShrU, x); return b.bitsBinary(ShrU, x.Sort, x, n) }

// ShrS returns x / 2^n rounded down, x signed, n unsigned.
func (b *Builder) ShrS(x, n *Term) *Term { b.isBits(ShrS, x); return b.bitsBinary(ShrS, x.Sort, x, n) }

// DivU returns the unsigned quotient.
func (b *Builder) DivU(x, y *Term) *Term { b.isBits(DivU, x); return b.bitsBinary(DivU, x.Sort, x, y) }

// RemU returns the unsigned remainder.
func (b *Builder) RemU(x, y *Term) *Term { b.isBits(RemU, x); return b.bitsBinary(RemU, x.Sort, x, y) }

// Equal tells whether x and y are the same bits.
func (b *Builder) Equal(x, y *Term) *Term {
	if x == y {
		return b.Truth(true)
	}
	return b.bitsBinary(Equal, BoolSort, x, y)
}

// LessU tells whether x < y, unsigned.
func (b *Builder) LessU(x, y *Term) *Term {
	b.isBits(LessU, x)
	return b.bitsBinary(LessU, BoolSort, x, y)
}

// LessS tells whether x < y, signed.
func (b *Builder) LessS(x, y *Term) *Term {
	b.isBits(LessS, x)
	return b.bitsBinary(LessS, BoolSort, x, y)
}

// MinS returns the smaller of two signed numbers.
func (b *Builder) MinS(x, y *Term) *Term { return b.Choose(b.LessS(x, y), x, y) }

// MaxS returns the greater of two signed numbers.
func (b *Builder) MaxS(x, y *Term) *Term { return b.Choose(b.LessS(x, y), y, x) }

// Choose returns x where cond holds, else y. Sorts: cond Bool, x and y equal; the result's is theirs.
func (b *Builder) Choose(cond, x, y *Term) *Term {
	if cond.Sort != BoolSort || x.Sort != y.Sort {
		panic(fmt.Sprintf("term: choose of %v, %v and %v", cond.Sort, x.Sort, y.Sort))
	}
	if v, ok := cond.ConstBits(); ok {
		return [...]*Term{y, x}[v]
	}
	if x == y {
		return x
	}
	return b.mk(Term{Op: Choose, Sort: x.Sort, Args: []*Term{cond, x, y}})
}

// Concat returns high above low; neighbouring parts of one term are joined. Width: the sum of theirs.
func (b *Builder) Concat(high, low *Term) *Term {
	b.isBits(Concat, high, low)
	s := BitsSort(high.Sort.Width + low.Sort.Width)
	if high.Op == Extract && low.Op == Extract && high.Args[0] == low.Args[0] &&
		high.Low() == low.Low()+low.Sort.Width {
		return b.Extract(low.Args[0], low.Low(), s.Width)
	}
	return b.fold(Term{Op: Concat, Sort: s, Args: []*Term{high, low}})
}

// Extract returns width bits of x from bit low on.
func (b *Builder) Extract(x *Term, low, width int) *Term {
	b.isBits(Extract, x)
	if low < 0 || width < 1 || low+width > x.Sort.Width {
		panic(fmt.Sprintf("term: bits %d to %d of %v", low, low+width-1, x.Sort))
	}
	switch {
	case width == x.Sort.Width:
		return x
	case x.Op == Extract:
		return b.Extract(x.Args[0], x.Low()+low, width)
	case x.Op == Concat && low+width <= x.Args[1].Sort.Width:
		return b.Extract(x.Args[1], low, width)
	case x.Op == Concat && low >= x.Args[1].Sort.Width:
		return b.Extract(x.Args[0], low-x.Args[1].Sort.Width, width)
	case (x.Op == ExtendS || x.Op == ExtendU) && low+width <= x.Args[0].Sort.Width:
		return b.Extract(x.Args[0], low, width)
	}
	return b.fold(Term{Op: Extract, Sort: BitsSort(width), Args: []*Term{x},
		Index: []*index.Expr{b.Index.Const(int64(low))}})
}

// ExtendU returns x with zeros above, width bits in all.
func (b *Builder) ExtendU(x *Term, width int) *Term { return b.extend(ExtendU, x, width) }

// ExtendS returns x with copies of its sign above, width bits in all.
func (b *Builder) ExtendS(x *Term, width int) *Term { return b.extend(ExtendS, x, width) }

func (b *Builder) extend(op Op, x *Term, width int) *Term {
	b.isBits(op, x)
	if width < x.Sort.Width {
		panic(fmt.Sprintf("term: %s of %v to %d bits", op.BitsName(), x.Sort, width))
	}
	if width == x.Sort.Width {
		return x
	}
	return b.fold(Term{Op: op, Sort: BitsSort(width), Args: []*Term{x}})
}

// Dot returns the sum of the products of pairs of signed numbers, modulo 2^width: pairs holds x0, y0, x1, y1
// and so on, none wider than width. Sharing one node between all products keeps long sums small.
func (b *Builder) Dot(width int, pairs ...*Term) *Term {
	b.isBits(Dot, pairs...)
	if len(pairs)%2 != 0 {
		panic("term: dot of an odd number of terms")
	}
	for _, p := range pairs {
		if p.Sort.Width > width {
			panic(fmt.Sprintf("term: dot of %v in %d bits", p.Sort, width))
		}
	}
	return b.fold(Term{Op: Dot, Sort: BitsSort(width), Args: pairs})
}

// Load returns the value of a memory at an address.
func (b *Builder) Load(memory, address *Term) *Term {
	mustAddress(memory, address)
	return b.mk(Term{Op: Load, Sort: BitsSort(memory.Sort.Width), Args: []*Term{memory, address}})
}

// Store returns the memory with another value at one address.
func (b *Builder) Store(memory, address, value *Term) *Term {
	mustAddress(memory, address)
	if value.Sort != BitsSort(memory.Sort.Width) {
		panic(fmt.Sprintf("term: store of %v in %v", value.Sort, memory.Sort))
	}
	return b.mk(Term{Op: Store, Sort: memory.Sort, Args: []*Term{memory, address, value}})
}

func mustAddress(memory, address *Term) {
	if memory.Sort.Kind != Memory || address.Sort != BitsSort(memory.Sort.Frac) {
		panic(fmt.Sprintf("term: address %v of %v", address.Sort, memory.Sort))
	}
}

// Signed64 returns the signed value of the low width bits of v.
func Signed64(v uint64, width int) int64 {
	shift := 64 - width
	return int64(v<<shift) >> shift
}

// EvalBits returns the value of an operation on bit-vectors and truth values, whose arguments have the given
// values. It is the one place that says what the operations of this file compute, but for Load and Store.
func EvalBits(t *Term, v []uint64) uint64 {
	w := t.Sort.Width
	ones := Ones(w)
	arg := func(i int) int { return t.Args[i].Sort.Width }
	truth := func(c bool) uint64 {
		if c {
			return 1
		}
		return 0
	}
	switch t.Op {
	case Add:
		return (v[0] + v[1]) & ones
	case Mul:
		return v[0] * v[1] & ones
	case Neg:
		return -v[0] & ones
	case And:
		return v[0] & v[1]
	case Or:
		return v[0] | v[1]
	case Xor:
		return v[0] ^ v[1]
	case Not:
		return ^v[0] & ones
	case Shl:
		if v[1] >= uint64(w) {
			return 0
		}
		return v[0] << v[1] & ones
	case ShrU:
		if v[1] >= uint64(w) {
			return 0
		}
		return v[0] >> v[1]
	case ShrS:
		return uint64(Signed64(v[0], w)>>min(v[1], 63)) & ones
	case DivU:
		if v[1] == 0 {
			return ones
		}
		return v[0] / v[1]
	case RemU:
		if v[1] == 0 {
			return v[0]
		}
		return v[0] % v[1]
	case Equal:
		return truth(v[0] == v[1])
	case LessU:
		return truth(v[0] < v[1])
	case LessS:
		return truth(Signed64(v[0], arg(0)) < Signed64(v[1], arg(1)))
	case Choose:
		if v[0] != 0 {
			return v[1]
		}
		return v[2]
	case Concat:
		return v[0]<<arg(1) | v[1]
	case Extract:
		return v[0] >> t.Low() & ones
	case ExtendU:
		return v[0]
	case ExtendS:
		return uint64(Signed64(v[0], arg(0))) & ones
	case Dot:
		sum := uint64(0)
		for i := 0; i < len(v); i += 2 {
			sum += uint64(Signed64(v[i], arg(i))) * uint64(Signed64(v[i+1], arg(i+1)))
		}
		return sum & ones
	}
	panic(fmt.Sprintf("term: no value of %v", t.Op))
}

// WidthFor returns the least number of bits that hold 0 to n-1, at least 1.
func WidthFor(n uint64) int { return max(1, bits.Len64(n-1)) }

// bitsString prints an operation on bit-vectors: "extract[4:0](x)", "load(acc, i + 3)".
func (t *Term) bitsString() string {
	name := t.Op.BitsName()
	switch t.Op {
	case Extract:
		name += fmt.Sprintf("[%d:%d]", t.Low()+t.Sort.Width-1, t.Low())
	case ExtendU, ExtendS:
		name += fmt.Sprint(t.Sort.Width)
	}
	name += "("
	for i, a := range t.Args {
		if i > 0 {
			name += ", "
		}
		name += a.String()
	}
	return name + ")"
}

// Rebuild returns the operation of t, on bit-vectors or truth values, on other arguments of the same sorts.
func (b *Builder) Rebuild(t *Term, args []*Term) *Term {
	switch t.Op {
	case Add:
		return b.AddBits(args[0], args[1])
	case And:
		return b.And(args[0], args[1])
	case Or:
		return b.Or(args[0], args[1])
	case Equal:
		return b.Equal(args[0], args[1])
	case Choose:
		return b.Choose(args[0], args[1], args[2])
	case Concat:
		return b.Concat(args[0], args[1])
	case Extract:
		return b.Extract(args[0], t.Low(), t.Sort.Width)
	}
	u := *t
	u.Args = args
	return b.fold(u)
}
