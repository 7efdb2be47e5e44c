// Package bits is the world of words of bits: specifications over bit-vectors and netlists of cells of FPGAs. It knows nothing of
// tensors, and no package of tensors knows it; the command line tells the worlds apart.
//
//	bits            Design: what a specification or a netlist denotes
//	bits/word       the words that a Design is made of
//	bits/bv         specifications as S-expressions (.bv): parser, types, evaluator, lowering to a Design
//	bits/verilog    Verilog texts: lexer and parser of the structural subset
//	bits/cells      the table of vendors' cells, as data
//	bits/netlist    modules flattened into cells and nets of one bit; simulator by cells; lowering to a Design
//
// Each kind of text has an evaluator that does not go through words, so that a counterexample is confirmed by other code than
// that which found it.
package bits

import (
	"math/big"

	"tv/internal/source"
	"tv/semantics/bits/word"
)

// A Port is an input or output.
type Port struct {
	Name  string
	Width int
	Span  source.Span // where it is declared
}

// An Output is a port with what it is computed from.
type Output struct {
	Port
	Word *word.Word
}

// A Register holds a word from one cycle to the next.
type Register struct {
	Name    string
	Width   int
	Initial *big.Int   // nil: any value. Bit i is open also where Open has it
	Open    *big.Int   // bits of Initial that may be anything; nil: none
	Now     *word.Word // word.State of Name
	Next    *word.Word
	Span    source.Span
}

// An Assumption is a word of one bit that is 1 at every cycle.
type Assumption struct {
	Word *word.Word
	Text string
	Span source.Span
}

// A Design is what a text denotes: outputs, next values of registers and assumptions as words of one Builder, over word.Input with
// delay 0 and word.State.
type Design struct {
	Name      string
	Builder   *word.Builder
	Inputs    []Port // without the clock
	Outputs   []Output
	Registers []Register
	Assume    []Assumption
	Clock     string // empty: none is named
	Latency   int    // a specification's: outputs are those of the inputs so many cycles ago
	Arch      string // of a netlist with vendors' cells
	Warnings  []*source.Error
	Trusts    []string // what a verdict about the design rests on besides its text
}

// Depth says of a design whose registers do not reach themselves how many cycles its outputs look back; ok is false if one does.
func (d *Design) Depth() (depth int, ok bool) {
	at := map[string]int{}
	for i, r := range d.Registers {
		at[r.Name] = i
	}
	const running, unknown = -1, -2
	depths := make([]int, len(d.Registers))
	for i := range depths {
		depths[i] = unknown
	}
	var of func(*word.Word) (int, bool)
	of = func(w *word.Word) (int, bool) {
		most := 0
		for _, x := range word.Reach(w) {
			if x.Op != word.State {
				continue
			}
			i := at[x.Name]
			if depths[i] == running {
				return 0, false
			}
			if depths[i] == unknown {
				depths[i] = running
				n, ok := of(d.Registers[i].Next)
				if !ok {
					return 0, false
				}
				depths[i] = n + 1
			}
			most = max(most, depths[i])
		}
		return most, true
	}
	for _, o := range d.Outputs {
		n, ok := of(o.Word)
		if !ok {
			return 0, false
		}
		depth = max(depth, n)
	}
	return depth, true
}

// Delayed is w as it was delay cycles ago, in the words of b: registers are replaced by their next values of a cycle earlier, down
// to inputs. The design is one whose Depth is ok; w is a word of d.Builder, which b may be.
func (d *Design) Delayed(b *word.Builder, w *word.Word, delay int) *word.Word {
	next := map[string]*word.Word{}
	for _, r := range d.Registers {
		next[r.Name] = r.Next
	}
	type at struct {
		w     *word.Word
		delay int
	}
	done := map[at]*word.Word{}
	var copied func(w *word.Word, delay int) *word.Word
	copied = func(root *word.Word, delay int) *word.Word {
		for _, x := range word.Reach(root) {
			k := at{x, delay}
			if done[k] != nil {
				continue
			}
			switch x.Op {
			case word.Input:
				done[k] = b.Input(x.Name, x.Width, x.Delay+delay)
			case word.State:
				done[k] = copied(next[x.Name], delay+1)
			default:
				args := make([]*word.Word, len(x.Args))
				for i, a := range x.Args {
					args[i] = done[at{a, delay}]
				}
				done[k] = b.With(x, args)
			}
		}
		return done[at{root, delay}]
	}
	return copied(w, delay)
}
