package prove

import (
	"math/bits"

	"tv/semantics/term"
)

// A ternary is a bit-vector of which some bits are not known: those of mask, which are 0 in value.
type ternary struct{ value, mask uint64 }

// join returns what is known of a number that is x or y.
func join(x, y ternary) ternary {
	mask := x.mask | y.mask | (x.value ^ y.value)
	return ternary{x.value &^ mask, mask}
}

// ternaryOf computes what is known of an operation from what is known of its arguments. It never says that a bit is known which
// depends on one that is not.
func ternaryOf(t *term.Term, args []ternary) ternary {
	w := t.Sort.Width
	ones := term.Ones(w)
	unknown := ternary{0, ones}
	exact := true
	for _, a := range args {
		exact = exact && a.mask == 0
	}
	if exact {
		var buffer [4]uint64
		values := buffer[:0]
		for _, a := range args {
			values = append(values, a.value)
		}
		return ternary{term.EvalBits(t, values), 0}
	}
	truth := func(holds bool) ternary {
		if holds {
			return ternary{1, 0}
		}
		return ternary{}
	}
	switch t.Op {
	case term.And:
		x, y := args[0], args[1]
		mask := (x.value | x.mask) & (y.value | y.mask) &^ (x.value & y.value)
		return ternary{x.value & y.value, mask}
	case term.Or:
		x, y := args[0], args[1]
		value := x.value | y.value
		return ternary{value, (x.mask | y.mask) &^ value}
	case term.Xor:
		mask := args[0].mask | args[1].mask
		return ternary{(args[0].value ^ args[1].value) &^ mask, mask}
	case term.Not:
		return ternary{^args[0].value & ones &^ args[0].mask, args[0].mask}
	case term.Add:
		return add(args[0], args[1], ones)
	case term.Neg:
		// 0 - x: bits differ between the least and the greatest result where a borrow may reach
		x := args[0]
		least := -x.value
		mask := least ^ (least - x.mask) | x.mask
		return ternary{least &^ mask & ones, mask & ones}
	case term.Mul:
		for i := range 2 {
			if x, k := args[i], args[1-i]; k.mask == 0 {
				sum := ternary{}
				for at := range w {
					if k.value>>at&1 != 0 {
						sum = add(sum, ternary{x.value << at & ones, x.mask << at & ones}, ones)
					}
				}
				return sum
			}
		}
	case term.Shl, term.ShrU, term.ShrS:
		return shift(t.Op, args[0], args[1], w)
	case term.Extract:
		return ternary{args[0].value >> t.Low() & ones, args[0].mask >> t.Low() & ones}
	case term.Concat:
		low := t.Args[1].Sort.Width
		return ternary{args[0].value<<low | args[1].value, args[0].mask<<low | args[1].mask}
	case term.ExtendU:
		return args[0]
	case term.ExtendS:
		from := t.Args[0].Sort.Width
		return ternary{uint64(term.Signed64(args[0].value, from)) & ones, uint64(term.Signed64(args[0].mask, from)) & ones}
	case term.Equal:
		if (args[0].value^args[1].value)&^(args[0].mask|args[1].mask) != 0 {
			return truth(false)
		}
	case term.LessU:
		return less(args[0], args[1])
	case term.LessS:
		flip := func(x ternary) ternary {
			return ternary{(x.value ^ 1<<(t.Args[0].Sort.Width-1)) &^ x.mask, x.mask}
		}
		return less(flip(args[0]), flip(args[1]))
	case term.Choose:
		switch {
		case args[0].mask != 0:
			return join(args[1], args[2])
		case args[0].value != 0:
			return args[1]
		}
		return args[2]
	}
	return unknown
}

// add adds: a bit is unknown where one of its operands is, or where the carries of the least and the greatest sum differ.
func add(x, y ternary, ones uint64) ternary {
	least := x.value + y.value
	mask := (least + x.mask + y.mask) ^ least | x.mask | y.mask
	return ternary{least &^ mask & ones, mask & ones}
}

func less(x, y ternary) ternary {
	switch {
	case x.value|x.mask < y.value:
		return ternary{1, 0}
	case x.value >= y.value|y.mask:
		return ternary{}
	}
	return ternary{0, 1}
}

// shift shifts by each amount that is possible, if these are few.
func shift(op term.Op, x, by ternary, w int) ternary {
	ones := term.Ones(w)
	if bits.OnesCount64(by.mask) > 6 {
		return ternary{0, ones}
	}
	var result ternary
	first := true
	for part := by.mask; ; part = (part - 1) & by.mask {
		amount := by.value | part
		var one ternary
		switch {
		case op == term.ShrS:
			n := min(amount, 63)
			one = ternary{uint64(term.Signed64(x.value, w)>>n) & ones, uint64(term.Signed64(x.mask, w)>>n) & ones}
		case amount >= uint64(w):
		case op == term.Shl:
			one = ternary{x.value << amount & ones, x.mask << amount & ones}
		default:
			one = ternary{x.value >> amount, x.mask >> amount}
		}
		if first {
			result, first = one, false
		} else {
			result = join(result, one)
		}
		if part == 0 {
			return result
		}
	}
}
