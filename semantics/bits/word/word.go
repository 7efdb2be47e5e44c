// Package word has bit-vector words: hash-consed terms that say what a specification or a netlist computes.
//
//	word.go      Word, Builder, the operations and their raw constructors: what a text says is what is built
//	simplify.go  Simplify: constants, fields and neutral elements, apart from construction
//	eval.go      Eval: the value of a word under values of its inputs, on big integers
//
// Words have a width of at least one bit and are unsigned numbers of that many bits; truth is a word of one bit, 1 for true. All
// operations are those of SMT-LIB 2 QF_BV, total: x/0 is all ones and x rem 0 is x. Bit 0 is the least.
//
// Words of one Builder are equal iff they are the same pointer, and arguments have smaller IDs than what is made of them, so
// a pass over a design is a loop over Reach in the order given.
package word

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"slices"
)

// An Op is an operation.
type Op uint8

// The operations. Unless stated, arguments have the width of the result.
const (
	Invalid Op = iota
	Const      // Value
	Input      // port Name as it was Delay cycles ago; in a combinational design Delay is 0
	State      // register Name, as it is before the clock edge of this cycle
	Open       // what the text leaves open at the place Name, as it was Delay cycles ago: one value a cycle
	Not
	Neg
	And // And, Or, Xor, Add, Mul: two arguments or more, folded from the left
	Or
	Xor
	Add
	Mul
	Sub
	UDiv
	URem
	SDiv
	SRem
	SMod
	Shl // amounts, of any width, count from the width of what is shifted on as all of it
	LShr
	AShr
	Eq      // one bit of two words of equal width
	ULT     // one bit, as the following
	ULE     //
	SLT     //
	SLE     //
	Ite     // Args[0] of one bit: Args[0] ? Args[1] : Args[2]
	Concat  // two arguments or more, the highest part first
	Extract // bits Hi..Lo of Args[0]
	ZeroExt // to Width
	SignExt // to Width
	Lookup  // one bit: bit {Args[n-1], .., Args[0]} of the table Value of 2^n bits; arguments of one bit, at most 16
	RedAnd  // one bit: reductions of Args[0]
	RedOr
	RedXor
)

var names = [...]string{
	Invalid: "invalid", Const: "const", Input: "input", State: "state", Open: "open", Not: "bvnot", Neg: "bvneg", And: "bvand", Or: "bvor", Xor: "bvxor",
	Add: "bvadd", Mul: "bvmul", Sub: "bvsub", UDiv: "bvudiv", URem: "bvurem", SDiv: "bvsdiv", SRem: "bvsrem", SMod: "bvsmod",
	Shl: "bvshl", LShr: "bvlshr", AShr: "bvashr", Eq: "=", ULT: "bvult", ULE: "bvule", SLT: "bvslt", SLE: "bvsle", Ite: "ite",
	Concat: "concat", Extract: "extract", ZeroExt: "zero_extend", SignExt: "sign_extend", Lookup: "lookup",
	RedAnd: "redand", RedOr: "redor", RedXor: "redxor",
}

// String returns SMT-LIB's name where it has one.
func (op Op) String() string { return names[op] }

// A Word is a term. Words are immutable and made by a Builder only.
type Word struct {
	ID     int // its place in the order of construction, from 0
	Op     Op
	Width  int
	Args   []*Word
	Value  *big.Int // of Const and Lookup, not negative; not to be changed
	Name   string   // of Input, State and Open
	Delay  int      // of Input and Open
	Hi, Lo int      // of Extract
}

// A Builder makes words and keeps one of each. It is not safe for concurrent use.
type Builder struct {
	words  []*Word
	unique map[string]*Word
	key    []byte
	simple []*Word // what Simplify found, by ID
}

// NewBuilder returns a builder without words.
func NewBuilder() *Builder {
	return &Builder{unique: map[string]*Word{}}
}

// Len is the number of words that were made.
func (b *Builder) Len() int { return len(b.words) }

func (b *Builder) intern(w Word) *Word {
	k := append(b.key[:0], byte(w.Op))
	k = binary.AppendUvarint(k, uint64(w.Width))
	k = binary.AppendUvarint(k, uint64(len(w.Args)))
	switch w.Op {
	case Const:
		k = append(k, w.Value.Bytes()...)
	case Input, State, Open:
		k = binary.AppendUvarint(k, uint64(w.Delay))
		k = append(k, w.Name...)
	case Extract:
		k = binary.AppendUvarint(k, uint64(w.Lo))
	}
	for _, a := range w.Args {
		k = binary.AppendUvarint(k, uint64(a.ID))
	}
	if w.Op == Lookup {
		k = append(k, w.Value.Bytes()...)
	}
	b.key = k
	if old := b.unique[string(k)]; old != nil {
		return old
	}
	w.ID = len(b.words)
	n := &w
	b.words = append(b.words, n)
	b.unique[string(k)] = n
	return n
}

// check panics: words of wrong widths are an error of tv, texts are checked by who reads them.
func check(ok bool, format string, args ...any) {
	if !ok {
		panic("word: " + fmt.Sprintf(format, args...))
	}
}

// Const is the constant value mod 2^width; value may be negative.
func (b *Builder) Const(width int, value *big.Int) *Word {
	check(width > 0, "constant of width %d", width)
	return b.intern(Word{Op: Const, Width: width, Value: Mod(value, width)})
}

// Int is Const of a small number.
func (b *Builder) Int(width int, value int64) *Word { return b.Const(width, big.NewInt(value)) }

// Bool is a bit.
func (b *Builder) Bool(v bool) *Word {
	if v {
		return b.Int(1, 1)
	}
	return b.Int(1, 0)
}

// Input is the input port name as it was delay cycles ago.
func (b *Builder) Input(name string, width, delay int) *Word {
	check(width > 0 && delay >= 0, "input %s of width %d, delay %d", name, width, delay)
	return b.intern(Word{Op: Input, Width: width, Name: name, Delay: delay})
}

// State is the register name before the clock edge of this cycle.
func (b *Builder) State(name string, width int) *Word {
	check(width > 0, "state %s of width %d", name, width)
	return b.intern(Word{Op: State, Width: width, Name: name})
}

// Open is what the text leaves open at a place, as it was delay cycles ago.
func (b *Builder) Open(name string, width, delay int) *Word {
	check(width > 0 && delay >= 0, "open %s of width %d, delay %d", name, width, delay)
	return b.intern(Word{Op: Open, Width: width, Name: name, Delay: delay})
}

// Apply builds every operation that its arguments determine: not Const, Input, State, Open, Extract, ZeroExt, SignExt, Lookup.
func (b *Builder) Apply(op Op, args ...*Word) *Word {
	w := Word{Op: op, Args: slices.Clone(args)}
	switch op {
	case Not, Neg:
		check(len(args) == 1, "%s of %d", op, len(args))
		w.Width = args[0].Width
	case And, Or, Xor, Add, Mul:
		check(len(args) >= 2, "%s of %d", op, len(args))
		w.Width = args[0].Width
		for _, a := range args {
			check(a.Width == w.Width, "%s of widths %d and %d", op, w.Width, a.Width)
		}
	case Shl, LShr, AShr:
		check(len(args) == 2, "%s of %d", op, len(args))
		w.Width = args[0].Width
	case Sub, UDiv, URem, SDiv, SRem, SMod, Eq, ULT, ULE, SLT, SLE:
		check(len(args) == 2 && args[0].Width == args[1].Width, "%s of widths that differ", op)
		w.Width = args[0].Width
		if op >= Eq {
			w.Width = 1
		}
	case Ite:
		check(len(args) == 3 && args[0].Width == 1 && args[1].Width == args[2].Width, "ite of wrong widths")
		w.Width = args[1].Width
	case Concat:
		check(len(args) >= 2, "concat of %d", len(args))
		for _, a := range args {
			w.Width += a.Width
		}
	case RedAnd, RedOr, RedXor:
		check(len(args) == 1, "%s of %d", op, len(args))
		w.Width = 1
	default:
		check(false, "Apply(%s)", op)
	}
	return b.intern(w)
}

// Extract is bits hi..lo of a.
func (b *Builder) Extract(a *Word, hi, lo int) *Word {
	check(0 <= lo && lo <= hi && hi < a.Width, "extract %d %d of width %d", hi, lo, a.Width)
	return b.intern(Word{Op: Extract, Width: hi - lo + 1, Args: []*Word{a}, Hi: hi, Lo: lo})
}

// Extend is a with zeros above, or its sign, to width; a itself if it has that width.
func (b *Builder) Extend(op Op, a *Word, width int) *Word {
	check((op == ZeroExt || op == SignExt) && width >= a.Width, "%s of width %d to %d", op, a.Width, width)
	if width == a.Width {
		return a
	}
	return b.intern(Word{Op: op, Width: width, Args: []*Word{a}})
}

// Lookup is bit {inputs[n-1], .., inputs[0]} of table; inputs have one bit, and no input is a table of one bit.
func (b *Builder) Lookup(table *big.Int, inputs ...*Word) *Word {
	check(len(inputs) <= 16 && table.Sign() >= 0 && table.BitLen() <= 1<<len(inputs), "lookup of %d inputs", len(inputs))
	for _, a := range inputs {
		check(a.Width == 1, "lookup by a word of width %d", a.Width)
	}
	if len(inputs) == 0 {
		return b.Const(1, table)
	}
	return b.intern(Word{Op: Lookup, Width: 1, Args: slices.Clone(inputs), Value: new(big.Int).Set(table)})
}

// Concat is the words in a row, the highest first; of one word it is that word.
func (b *Builder) Concat(parts ...*Word) *Word {
	if len(parts) == 1 {
		return parts[0]
	}
	return b.Apply(Concat, parts...)
}

// Bit is bit i of a: a itself if it has one bit.
func (b *Builder) Bit(a *Word, i int) *Word {
	if a.Width == 1 && i == 0 {
		return a
	}
	return b.Extract(a, i, i)
}

// With is the operation of w, which may be of another builder, applied to args of the widths of its own.
func (b *Builder) With(w *Word, args []*Word) *Word {
	switch w.Op {
	case Const:
		return b.Const(w.Width, w.Value)
	case Input:
		return b.Input(w.Name, w.Width, w.Delay)
	case State:
		return b.State(w.Name, w.Width)
	case Open:
		return b.Open(w.Name, w.Width, w.Delay)
	case Extract:
		return b.Extract(args[0], w.Hi, w.Lo)
	case ZeroExt, SignExt:
		return b.Extend(w.Op, args[0], w.Width)
	case Lookup:
		return b.Lookup(w.Value, args...)
	}
	return b.Apply(w.Op, args...)
}

// Reach returns the words that roots are made of, arguments before what is made of them, and roots with them. All are of one Builder.
func Reach(roots ...*Word) []*Word {
	const few = 256 // more have a place by their ID
	seen := map[*Word]bool{}
	var out []*Word
	stack := slices.Clone(roots)
	for len(stack) > 0 && len(out) < few {
		w := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[w] {
			continue
		}
		seen[w] = true
		out = append(out, w)
		stack = append(stack, w.Args...)
	}
	if len(stack) == 0 {
		slices.SortFunc(out, func(a, b *Word) int { return a.ID - b.ID })
		return out
	}
	last := 0
	for _, r := range roots {
		last = max(last, r.ID)
	}
	byID := make([]*Word, last+1)
	for _, w := range out {
		byID[w.ID] = w
	}
	for len(stack) > 0 {
		w := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if byID[w.ID] == nil {
			byID[w.ID] = w
			stack = append(stack, w.Args...)
		}
	}
	return slices.DeleteFunc(byID, func(w *Word) bool { return w == nil })
}

// Mod is v mod 2^width, a new number.
func Mod(v *big.Int, width int) *big.Int {
	if v.Sign() >= 0 && v.BitLen() <= width {
		return new(big.Int).Set(v)
	}
	mask := new(big.Int).Lsh(big.NewInt(1), uint(width))
	return mask.And(mask.Sub(mask, big.NewInt(1)), v)
}
