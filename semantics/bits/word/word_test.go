package word

import (
	"fmt"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// drawn makes a word of a width from words that are there, all operations among them.
func drawn(t *rapid.T, b *Builder, width, depth int) *Word {
	number := func(w int) *big.Int {
		v := new(big.Int)
		for i := range w {
			v.SetBit(v, i, rapid.UintRange(0, 1).Draw(t, "bit"))
		}
		return v
	}
	sub := func(w int) *Word { return drawn(t, b, w, depth-1) }
	if depth == 0 || rapid.IntRange(0, 9).Draw(t, "leaf") == 0 {
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			return b.Const(width, number(width))
		case 1:
			return b.Const(width, big.NewInt(-int64(rapid.IntRange(0, 1).Draw(t, "ones"))))
		}
		return b.Input(fmt.Sprintf("%c%d", 'a'+rapid.IntRange(0, 2).Draw(t, "name"), width), width, 0)
	}
	switch op := Op(rapid.IntRange(int(Not), int(RedXor)).Draw(t, "op")); op {
	case Not, Neg:
		return b.Apply(op, sub(width))
	case And, Or, Xor, Add, Mul:
		args := []*Word{sub(width), sub(width)}
		if rapid.Bool().Draw(t, "third") {
			args = append(args, sub(width))
		}
		return b.Apply(op, args...)
	case Sub, UDiv, URem, SDiv, SRem, SMod:
		return b.Apply(op, sub(width), sub(width))
	case Shl, LShr, AShr:
		return b.Apply(op, sub(width), sub(rapid.IntRange(1, 6).Draw(t, "amount")))
	case Ite:
		return b.Apply(op, sub(1), sub(width), sub(width))
	case Concat:
		if width == 1 {
			return sub(1)
		}
		high := rapid.IntRange(1, width-1).Draw(t, "high")
		return b.Concat(sub(high), sub(width-high))
	case Extract:
		lo, more := rapid.IntRange(0, 4).Draw(t, "lo"), rapid.IntRange(0, 4).Draw(t, "more")
		return b.Extract(sub(lo+width+more), lo+width-1, lo)
	case ZeroExt, SignExt:
		return b.Extend(op, sub(rapid.IntRange(1, width).Draw(t, "narrow")), width)
	default: // one bit
		var w *Word
		other := rapid.IntRange(1, 6).Draw(t, "width")
		switch op {
		case RedAnd, RedOr, RedXor:
			w = b.Apply(op, sub(other))
		case Lookup:
			args := make([]*Word, rapid.IntRange(0, 4).Draw(t, "inputs"))
			for i := range args {
				args[i] = sub(1)
			}
			w = b.Lookup(number(1<<len(args)), args...)
		default:
			w = b.Apply(op, sub(other), sub(other))
		}
		if width > 1 {
			return b.Concat(w, sub(width-1))
		}
		return w
	}
}

// A simpler word has the same value for all inputs.
func TestSimplify(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := NewBuilder()
		w := drawn(t, b, rapid.IntRange(1, 6).Draw(t, "width"), 4)
		s := b.Simplify(w)
		if s.Width != w.Width {
			t.Fatalf("width %d of %d", s.Width, w.Width)
		}
		for range 8 {
			values := map[*Word]*big.Int{}
			leaf := func(x *Word) *big.Int {
				if values[x] == nil {
					v := new(big.Int)
					for i := range x.Width {
						v.SetBit(v, i, rapid.UintRange(0, 1).Draw(t, "value"))
					}
					values[x] = v
				}
				return values[x]
			}
			of := Eval(leaf, w, s)
			if of[w].Cmp(of[s]) != 0 {
				t.Fatalf("%s is %v, and simplified %v", show(w), of[w], of[s])
			}
		}
	})
}

func show(w *Word) string {
	s := fmt.Sprintf("(%s:%d %s %v %d", w.Op, w.Width, w.Name, w.Value, w.Lo)
	for _, a := range w.Args {
		s += " " + show(a)
	}
	return s + ")"
}

// A table whose inputs are constant but for one may not depend on that one.
func TestTable(t *testing.T) {
	b := NewBuilder()
	x := b.Input("x", 1, 0)
	zero := b.Bool(false)
	for table := range int64(16) {
		for _, inputs := range [][]*Word{{zero, x}, {x, zero}, {x, x}, {zero, zero}} {
			w := b.Lookup(big.NewInt(table), inputs...)
			s := b.Simplify(w)
			for v := range int64(2) {
				of := Eval(func(*Word) *big.Int { return big.NewInt(v) }, w, s)
				if of[w].Cmp(of[s]) != 0 {
					t.Errorf("table %04b of %s, %s at %d: %v, and simplified %v", table, inputs[0].Op, inputs[1].Op, v, of[w], of[s])
				}
			}
		}
	}
}
