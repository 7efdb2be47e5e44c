// Package run computes what cells compute, from the terms of their table: on bits of 64 lanes at once, and operations are done as one
// does them by hand. It is what machines of texts with cells have in common.
package run

import (
	"fmt"
	"math/big"

	"tv/semantics/bits/cells"
	"tv/semantics/bits/word"
)

// Part is the value of a part of a cell, least bit first. leaf is that of an input pin, or of a register.
func Part(p cells.Part, leaf func(*word.Word) []uint64) []uint64 {
	values := make([][]uint64, len(p.Reach)) // by the place in Reach, which goes up by IDs
	var few [3][]uint64
	for i, w := range p.Reach {
		if w.Op == word.Input || w.Op == word.State {
			values[i] = leaf(w)
			continue
		}
		args := few[:0]
		for _, a := range p.Steps[i].Args {
			args = append(args, values[a])
		}
		values[i] = operate(w, args)
	}
	return values[len(values)-1] // Word was built last
}

// Bit is the value of a narrow part. input is a bit of the inputs, state one of a register.
func Bit(p cells.Part, input func(at int32) uint64, state func(register string, bit int) uint64) uint64 {
	var few [64]uint64
	values := few[:]
	if len(p.Reach) > len(few) {
		values = make([]uint64, len(p.Reach))
	}
	for i, w := range p.Reach {
		step := &p.Steps[i]
		arg := func(k int) uint64 { return values[step.Args[k]] }
		v := uint64(0)
		switch w.Op {
		case word.Input, word.State:
			if w.Width > 1 {
				continue // its bits are read one by one
			}
			if w.Op == word.Input {
				v = input(step.At)
			} else {
				v = state(w.Name, 0)
			}
		case word.Extract:
			if of := w.Args[0]; of.Op == word.State {
				v = state(of.Name, w.Lo)
			} else if of.Op == word.Input {
				v = input(step.At)
			} else {
				v = arg(0)
			}
		case word.Const:
			v = -uint64(w.Value.Bit(0))
		case word.Not:
			v = ^arg(0)
		case word.And:
			v = arg(0)
			for k := range len(step.Args) {
				v &= arg(k)
			}
		case word.Or:
			for k := range len(step.Args) {
				v |= arg(k)
			}
		case word.Xor:
			for k := range len(step.Args) {
				v ^= arg(k)
			}
		case word.Eq:
			v = ^(arg(0) ^ arg(1))
		case word.Ite:
			v = arg(0)&arg(1) | ^arg(0)&arg(2)
		case word.Lookup:
			var address [16]uint64
			for k := range step.Args {
				address[k] = arg(k)
			}
			v = lookup(w.Value, 0, address[:len(step.Args)])
		default:
			panic(fmt.Sprintf("run: the operation %s in a narrow part", w.Op))
		}
		values[i] = v
	}
	return values[len(p.Reach)-1]
}

// Constant is a word that is the same in all lanes, least bit first.
func Constant(v *big.Int, width int) []uint64 {
	out := make([]uint64, width)
	for i := range out {
		out[i] = -uint64(v.Bit(i))
	}
	return out
}

// lookup is bit {address} of a table, of which base are the higher bits of the address.
func lookup(table *big.Int, base int, address []uint64) uint64 {
	n := len(address) - 1
	if n < 0 {
		return -uint64(table.Bit(base))
	}
	return address[n]&lookup(table, base+1<<n, address[:n]) | ^address[n]&lookup(table, base, address[:n])
}

func plus(a, b []uint64, carry uint64) []uint64 {
	out := make([]uint64, len(a))
	for i := range a {
		out[i] = a[i] ^ b[i] ^ carry
		carry = a[i]&b[i] | a[i]&carry | b[i]&carry
	}
	return out
}

func inverted(a []uint64) []uint64 {
	out := make([]uint64, len(a))
	for i, x := range a {
		out[i] = ^x
	}
	return out
}

// less tells in which lanes a < b as unsigned numbers: the highest bit that differs decides.
func less(a, b []uint64) uint64 {
	var below, decided uint64
	for i := len(a) - 1; i >= 0; i-- {
		differ := (a[i] ^ b[i]) &^ decided
		below |= differ & b[i]
		decided |= differ
	}
	return below
}

// flipped is a with its sign inverted: signed numbers are ordered as unsigned ones are then.
func flipped(a []uint64) []uint64 {
	out := append([]uint64(nil), a...)
	out[len(a)-1] = ^out[len(a)-1]
	return out
}

// operate applies the operation of w.
func operate(w *word.Word, args [][]uint64) []uint64 {
	bit := func(v uint64) []uint64 { return []uint64{v} }
	fold := func(f func(a, b uint64) uint64) []uint64 {
		out := append([]uint64(nil), args[0]...)
		for _, a := range args[1:] {
			for i := range out {
				out[i] = f(out[i], a[i])
			}
		}
		return out
	}
	along := func(v []uint64, f func(a, b uint64) uint64) uint64 {
		out := v[0]
		for _, x := range v[1:] {
			out = f(out, x)
		}
		return out
	}
	and := func(a, b uint64) uint64 { return a & b }
	or := func(a, b uint64) uint64 { return a | b }
	xor := func(a, b uint64) uint64 { return a ^ b }
	// shifted tries each amount by itself.
	shifted := func(fill uint64, left bool) []uint64 {
		out := make([]uint64, w.Width)
		rest := ^uint64(0) // lanes whose amount was not met
		for by := range w.Width {
			is := ^uint64(0)
			for i, x := range args[1] {
				if i < 31 && by>>i&1 == 1 {
					is &= x
				} else {
					is &= ^x
				}
			}
			if len(args[1]) < 31 && by>>len(args[1]) != 0 {
				is = 0
			}
			rest &^= is
			for i := range out {
				from, v := i+by, fill
				if left {
					from = i - by
				}
				if from >= 0 && from < w.Width {
					v = args[0][from]
				}
				out[i] |= is & v
			}
		}
		for i := range out {
			out[i] |= rest & fill
		}
		return out
	}
	zeros := func() []uint64 { return make([]uint64, w.Width) }
	switch w.Op {
	case word.Const:
		return Constant(w.Value, w.Width)
	case word.Not:
		return inverted(args[0])
	case word.Neg:
		return plus(inverted(args[0]), zeros(), ^uint64(0))
	case word.And:
		return fold(and)
	case word.Or:
		return fold(or)
	case word.Xor:
		return fold(xor)
	case word.Add:
		out := args[0]
		for _, a := range args[1:] {
			out = plus(out, a, 0)
		}
		return out
	case word.Sub:
		return plus(args[0], inverted(args[1]), ^uint64(0))
	case word.Mul:
		out := args[0]
		for _, b := range args[1:] {
			sum := zeros()
			for i, one := range b {
				row := zeros()
				for j := i; j < w.Width; j++ {
					row[j] = out[j-i] & one
				}
				sum = plus(sum, row, 0)
			}
			out = sum
		}
		return out
	case word.Shl:
		return shifted(0, true)
	case word.LShr:
		return shifted(0, false)
	case word.AShr:
		return shifted(args[0][w.Width-1], false)
	case word.Eq:
		return bit(^along(fold(xor), or))
	case word.ULT:
		return bit(less(args[0], args[1]))
	case word.ULE:
		return bit(^less(args[1], args[0]))
	case word.SLT:
		return bit(less(flipped(args[0]), flipped(args[1])))
	case word.SLE:
		return bit(^less(flipped(args[1]), flipped(args[0])))
	case word.Ite:
		out := zeros()
		for i := range out {
			out[i] = args[0][0]&args[1][i] | ^args[0][0]&args[2][i]
		}
		return out
	case word.Concat:
		var out []uint64
		for i := len(args) - 1; i >= 0; i-- {
			out = append(out, args[i]...)
		}
		return out
	case word.Extract:
		return args[0][w.Lo : w.Hi+1]
	case word.ZeroExt, word.SignExt:
		out := append([]uint64(nil), args[0]...)
		for len(out) < w.Width {
			if w.Op == word.SignExt {
				out = append(out, args[0][len(args[0])-1])
			} else {
				out = append(out, 0)
			}
		}
		return out
	case word.Lookup:
		address := make([]uint64, len(args))
		for i, a := range args {
			address[i] = a[0]
		}
		return bit(lookup(w.Value, 0, address))
	case word.RedAnd:
		return bit(along(args[0], and))
	case word.RedOr:
		return bit(along(args[0], or))
	case word.RedXor:
		return bit(along(args[0], xor))
	}
	panic(fmt.Sprintf("run: no operation %s", w.Op))
}
