package bits

import (
	"fmt"
	"math/bits"

	"tv/equiv/bits/aig"
	"tv/semantics/bits/word"
)

// maxGates bounds a graph: what is larger is not decided by sweeping in a time that anybody waits for.
const maxGates = 1 << 23

// lowering makes words gates.
type lowering struct {
	graph *aig.Graph
	done  lowered
	delay int                       // of what words have without one
	state map[string]aig.Word       // what registers hold; those that are not in it are signals
	of    aig.Kind                  // these signals
	open  func(aig.Signal) aig.Lit  // of kind Open; nil: there are none
	input func(*word.Word) aig.Word // nil: signals of the graph
}

// lowered has the bits of words by their IDs, in pages, as most lowerings reach few of a builder's words, and some reach all.
type lowered struct{ pages []*[pageSize]aig.Word }

const pageSize = 1 << 8

// of returns the bits of w; nil if it has none yet.
func (t *lowered) of(w *word.Word) aig.Word {
	if p := w.ID / pageSize; p < len(t.pages) && t.pages[p] != nil {
		return t.pages[p][w.ID%pageSize]
	}
	return nil
}

func (t *lowered) set(w *word.Word, bits aig.Word) {
	p := w.ID / pageSize
	if p >= len(t.pages) {
		t.pages = append(t.pages, make([]*[pageSize]aig.Word, p+1-len(t.pages))...)
	}
	if t.pages[p] == nil {
		t.pages[p] = new([pageSize]aig.Word)
	}
	t.pages[p][w.ID%pageSize] = bits
}

// Gates makes gates of words: input says what a word.Input is.
func Gates(g *aig.Graph, input func(*word.Word) aig.Word, roots ...*word.Word) []aig.Word {
	l := newLowering(g)
	l.input = input
	out := make([]aig.Word, len(roots))
	for i, w := range roots {
		out[i] = l.word(w)
	}
	return out
}

// tooLarge tells whether words would have more than maxGates gates. Products and quotients have a row for each bit; a gate of theirs
// is about ten of the graph.
func tooLarge(words ...*word.Word) bool {
	gates := 0
	for _, w := range word.Reach(words...) {
		switch width := w.Width; w.Op {
		case word.Mul:
			gates += 10 * width * width * (len(w.Args) - 1)
		case word.UDiv, word.URem, word.SDiv, word.SRem, word.SMod:
			gates += 20 * width * width
		case word.Shl, word.LShr, word.AShr:
			gates += 4 * width * bits.Len(uint(width))
		case word.Lookup:
			gates += 3 << (len(w.Args) - 1)
		case word.Const, word.Input, word.State, word.Open, word.Concat, word.Extract, word.ZeroExt, word.SignExt, word.Not: // none
		case word.And, word.Or:
			gates += width * (len(w.Args) - 1)
		case word.Xor:
			gates += 3 * width * (len(w.Args) - 1)
		case word.Eq, word.ULT, word.ULE, word.SLT, word.SLE, word.RedAnd, word.RedOr, word.RedXor:
			gates += 6 * w.Args[0].Width
		default:
			gates += 10 * width * max(1, len(w.Args)-1)
		}
		if gates > maxGates {
			return true
		}
	}
	return false
}

func newLowering(g *aig.Graph) *lowering {
	return &lowering{graph: g}
}

// word returns the bits of a word over inputs. What was lowered before is not walked again: designs have many outputs over the same words.
func (l *lowering) word(root *word.Word) aig.Word {
	stack := []*word.Word{root}
	for len(stack) > 0 {
		w := stack[len(stack)-1]
		if l.done.of(w) != nil {
			stack = stack[:len(stack)-1]
			continue
		}
		ready := true
		for i := len(w.Args) - 1; i >= 0; i-- { // the first argument is lowered first
			if a := w.Args[i]; l.done.of(a) == nil {
				stack, ready = append(stack, a), false
			}
		}
		if ready {
			stack = stack[:len(stack)-1]
			l.done.set(w, l.lower(w))
		}
	}
	return l.done.of(root)
}

func (l *lowering) lower(w *word.Word) aig.Word {
	g := l.graph
	args := make([]aig.Word, len(w.Args))
	for i, a := range w.Args {
		args[i] = l.done.of(a)
	}
	bit := func(b aig.Lit) aig.Word { return aig.Word{b} }
	fold := func(f func(a, b aig.Word) aig.Word) aig.Word {
		out := args[0]
		for _, a := range args[1:] {
			out = f(out, a)
		}
		return out
	}
	gate := func(f func(a, b aig.Lit) aig.Lit) aig.Word {
		return fold(func(a, b aig.Word) aig.Word { return aig.Bitwise(f, a, b) })
	}
	switch w.Op {
	case word.Const:
		return aig.Constant(w.Value, w.Width)
	case word.Input:
		if l.input != nil {
			return l.input(w)
		}
		return g.InputWord(w.Name, w.Width, w.Delay+l.delay)
	case word.State:
		if bits := l.state[w.Name]; bits != nil {
			return bits
		}
		bits := make(aig.Word, w.Width)
		for i := range bits {
			bits[i] = g.Input(aig.Signal{Kind: l.of, Port: w.Name, Bit: i})
		}
		return bits
	case word.Open:
		bits := make(aig.Word, w.Width)
		for i := range bits {
			bits[i] = l.open(aig.Signal{Kind: aig.Open, Port: w.Name, Bit: i, Delay: w.Delay + l.delay})
		}
		return bits
	case word.Not:
		return g.NotWord(args[0])
	case word.Neg:
		return g.Neg(args[0])
	case word.And:
		return gate(g.And)
	case word.Or:
		return gate(g.Or)
	case word.Xor:
		return gate(g.Xor)
	case word.Add:
		return fold(func(a, b aig.Word) aig.Word { sum, _ := g.Add(a, b, aig.False); return sum })
	case word.Mul:
		return fold(g.Mul)
	case word.Sub:
		difference, _ := g.Sub(args[0], args[1])
		return difference
	case word.UDiv:
		quotient, _ := g.DivRem(args[0], args[1])
		return quotient
	case word.URem:
		_, rest := g.DivRem(args[0], args[1])
		return rest
	case word.SDiv:
		return g.SDiv(args[0], args[1])
	case word.SRem:
		return g.SRem(args[0], args[1])
	case word.SMod:
		return g.SMod(args[0], args[1])
	case word.Shl:
		return g.Shl(args[0], args[1])
	case word.LShr:
		return g.LShr(args[0], args[1])
	case word.AShr:
		return g.AShr(args[0], args[1])
	case word.Eq:
		return bit(g.Eq(args[0], args[1]))
	case word.ULT:
		return bit(g.ULt(args[0], args[1]))
	case word.ULE:
		return bit(g.ULt(args[1], args[0]).Not())
	case word.SLT:
		return bit(g.SLt(args[0], args[1]))
	case word.SLE:
		return bit(g.SLt(args[1], args[0]).Not())
	case word.Ite:
		return g.Ite(args[0][0], args[1], args[2])
	case word.Concat: // the highest part comes first, and bits are least first
		out := make(aig.Word, 0, w.Width)
		for i := len(args) - 1; i >= 0; i-- {
			out = append(out, args[i]...)
		}
		return out
	case word.Extract:
		return args[0][w.Lo : w.Hi+1 : w.Hi+1]
	case word.ZeroExt, word.SignExt:
		fill := aig.False
		if w.Op == word.SignExt {
			fill = args[0][len(args[0])-1]
		}
		out := append(make(aig.Word, 0, w.Width), args[0]...)
		for len(out) < w.Width {
			out = append(out, fill)
		}
		return out
	case word.Lookup:
		address := make(aig.Word, len(args))
		for i, a := range args {
			address[i] = a[0]
		}
		return bit(g.Table(w.Value, address))
	case word.RedAnd:
		return bit(g.AndAll(args[0]))
	case word.RedOr:
		return bit(g.OrAll(args[0]))
	case word.RedXor:
		return bit(g.XorAll(args[0]))
	}
	panic(fmt.Sprintf("bits: %s as gates", w.Op))
}
