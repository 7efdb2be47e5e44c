// Package words decides whether two integers of a fixed width are equal for all values of what they
// are made of. It knows no language and no law of algebra: a program is a list of words, each an
// operation on words before it, and leaves are any numbers.
//
//	words.go   programs of words, and how a question about two is decided
//	values.go  by all values of the leaves, where these have few bits
//	graph.go   by decision graphs: for each bit one graph, and equal bits have the same
//	gates.go   the gates that operations are made of
//
// Operations that have no value for some operands have one here: what is equal then is equal
// wherever both sides have a value. (Whether they have one is another question.)
package words

import "math/bits"

// An Op is an operation on words. Operands have the width of the result where nothing else is said.
type Op uint8

const (
	Leaf       Op = iota // any number; Value tells leaves apart
	Const                // Value
	Add                  // modulo 2^Width, like all that follow
	Neg                  //
	Mul                  //
	Div                  // rounded towards 0; by 0 it is 0
	Rem                  // the first operand where the second is 0
	And                  // bit by bit
	Or                   //
	Xor                  //
	ShiftLeft            // by the second operand modulo Width, a power of two
	ShiftRight           // likewise; copies of the sign come in where Signed
	Less                 // 1 bit: whether the first of two of one width is less
	Equal                // 1 bit: whether they are equal
	Choose               // the second operand where the first, of 1 bit, is 1, and else the third
	Convert              // of a word of any width; it keeps the number where that fits
)

// A Word is an operation on words of a program before it. Signed says of Div, Rem, ShiftRight, Less
// and Convert that operands are read with a sign.
type Word struct {
	Op     Op
	Width  int // 1 to 64
	Signed bool
	Args   [3]int
	Value  uint64
}

// operands is how many operands each operation has.
var operands = [...]int{Add: 2, Neg: 1, Mul: 2, Div: 2, Rem: 2, And: 2, Or: 2, Xor: 2,
	ShiftLeft: 2, ShiftRight: 2, Less: 2, Equal: 2, Choose: 3, Convert: 1}

// A Program is a list of words. The zero value is an empty one.
type Program struct {
	words []Word
	known map[Word]int
}

// Make returns the number of a word that is Typed; the same one has the same number.
func (p *Program) Make(w Word) int {
	if n, ok := p.known[w]; ok {
		return n
	}
	if p.known == nil {
		p.known = map[Word]int{}
	}
	p.known[w] = len(p.words)
	p.words = append(p.words, w)
	return len(p.words) - 1
}

// Typed reports whether operands are words before w, of widths that its operation takes.
func (p *Program) Typed(w Word) bool {
	if w.Width < 1 || w.Width > 64 {
		return false
	}
	var widths []int
	for _, a := range w.Args[:operands[w.Op]] {
		if a < 0 || a >= len(p.words) {
			return false
		}
		widths = append(widths, p.words[a].Width)
	}
	want := w.Width
	switch w.Op {
	case Convert:
		return true
	case Less, Equal:
		if w.Width != 1 {
			return false
		}
		want = widths[0]
	case Choose:
		if widths[0] != 1 {
			return false
		}
		widths = widths[1:]
	case ShiftLeft, ShiftRight:
		if w.Width&(w.Width-1) != 0 {
			return false
		}
	}
	for _, n := range widths {
		if n != want {
			return false
		}
	}
	return true
}

// needed marks the words that some are made of.
func (p *Program) needed(roots ...int) []bool {
	out := make([]bool, len(p.words))
	for _, r := range roots {
		out[r] = true
	}
	for i := len(p.words) - 1; i >= 0; i-- {
		if out[i] {
			for _, a := range p.words[i].Args[:operands[p.words[i].Op]] {
				out[a] = true
			}
		}
	}
	return out
}

// Bits returns how many bits the leaves of two words have.
func (p *Program) Bits(x, y int) (n int) {
	for i, in := range p.needed(x, y) {
		if in && p.words[i].Op == Leaf {
			n += p.words[i].Width
		}
	}
	return n
}

// Leaves of no more than fewBits bits are given all their values. Others are asked of a graph
// first; where that is too large they are given all values if no more than maxValues words have to
// be computed then.
const (
	fewBits   = 16
	maxValues = 1 << 28
)

// Same reports whether two words of one width are equal for all values of their leaves. known is
// false where that takes too much. The work is told to spend, now and then.
func (p *Program) Same(x, y int, spend func(int)) (same, known bool) {
	if x == y {
		return true, true
	} else if p.words[x].Width != p.words[y].Width {
		return false, false
	}
	n := p.Bits(x, y)
	if n > fewBits {
		same, known = p.byGraph(x, y, spend)
		if known || n >= 32 || len(p.words)<<n > maxValues {
			return same, known
		}
	}
	return p.byValues(x, y, spend), true
}

func ones(width int) uint64 { return ^uint64(0) >> (64 - width) }

// short is the number of bits that count up to width-1.
func short(width int) int { return bits.Len(uint(width - 1)) }
