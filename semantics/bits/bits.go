// Package bits is the world of words of bits: specifications over bit-vectors and netlists of cells of FPGAs. It knows nothing of
// tensors, and no package of tensors knows it; the command line tells the worlds apart.
//
//	bits            Design: what a specification or a netlist denotes; AllChoices and SomeChoices of what a run leaves open
//	bits/word       the words that a Design is made of
//	bits/bv         specifications as S-expressions (.bv): parser, types, evaluator, lowering to a Design
//	bits/verilog    Verilog texts: lexer and parser
//	bits/comb, calyx, reticle  texts of operations: parsers; bits/flow is what they have in common
//	bits/yosys      the JSON of Yosys, as the modules that Verilog would have
//	bits/cells      the table of vendors' cells, as data
//	bits/languages  the table of the languages that texts are in
//	bits/netlist    modules flattened into cells and nets of one bit; simulator by cells; lowering to a Design
//
// Each kind of text has an evaluator that does not go through words, so that a counterexample is confirmed by other code than
// that which found it.
package bits

import (
	"math/big"
	"slices"

	"tv/internal/source"
	"tv/semantics/bits/word"
)

// A Port is an input or output.
type Port struct {
	Name  string
	Width int
	Span  source.Span // where it is declared
	Of    string      // of an input that says what an asynchronous reset did in the cycle: the reset; else empty
	Level Level       // and at which level it acts
}

// A Level is one of an input. An input NAME.LEVEL, of which Of is NAME, says that it was there at some time of the cycle, since the edge of the
// clock before it.
type Level string

// The levels.
const (
	High Level = "high"
	Low  Level = "low"
)

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
	Nets    []string // of a cell of a netlist that has no other: the nets that it drives, least first; nil: none are said
	Span    source.Span
}

// An Assumption is a word of one bit that is 1 at every cycle.
type Assumption struct {
	Word *word.Word
	Text string
	Span source.Span
}

// Options are what a text may leave to who asks about it. Empty ones are found.
type Options struct {
	Top   string // a module
	Arch  string // of a netlist's cells
	Clock string // an input
	// Models is a vendor's text of simulation models, for cells that the tables lack; nil: there is none.
	Models *source.File
}

// A Text is a text that was parsed. What it means may depend on options: a specification may say what the clock of a netlist is.
type Text interface {
	Clock() string // that the text itself names; empty: none
	Elaborate(o Options) (Program, error)
}

// A Program is a text with all that it depends on.
type Program interface {
	Ports() (in, out []Port) // without the clock
	Options() Options        // those that were found, or given
	Latency() int            // a specification's, as in Design
	Design(b *word.Builder) *Design
	Machine(choose Choose) Machine
}

// A Machine runs a program cycle by cycle from its initial state, without words: the second opinion about its Design. Absent inputs are 0.
// It tells whether what the program assumes holds.
type Machine interface {
	Step(inputs map[string]*big.Int) (outputs map[string]*big.Int, assumed bool)
}

// Choose gives what a program leaves open its values: those of word.Open by name and cycle, from 0, and the initial values of registers
// at cycle -1. A nil one has 0 for all, and so has a nil number.
type Choose func(name string, width, cycle int) *big.Int

// Value is what is chosen, modulo 2^width.
func (c Choose) Value(name string, width, cycle int) *big.Int {
	if c != nil {
		if v := c(name, width, cycle); v != nil {
			return word.Mod(v, width)
		}
	}
	return new(big.Int)
}

// An Edge is that of the clock at which registers load. Specifications as S-expressions have none.
type Edge uint8

// The edges.
const (
	NoEdge Edge = iota
	Rising
	Falling
)

// String names an edge.
func (e Edge) String() string { return [...]string{"no", "the rising", "the falling"}[e] }

// A Design is what a text denotes: outputs, next values of registers and assumptions as words of one Builder, over word.Input and
// word.Open with delay 0 and word.State.
type Design struct {
	Name      string
	Builder   *word.Builder
	Inputs    []Port // without the clock
	Outputs   []Output
	Registers []Register
	Assume    []Assumption
	Forbid    []Assumption // words of one bit that are 0 at every cycle, or the text means nothing: Text says what is wrong then
	Clock     string       // empty: none is named
	Latency   int          // a specification's: outputs are those of the inputs so many cycles ago
	Edge      Edge         // of the clock at which all registers load; none where there are no registers
	Arch      string       // of a netlist with vendors' cells
	Warnings  []*source.Error
	Trusts    []string // what a verdict about the design rests on besides its text
}

// Depth says of a design whose registers do not reach themselves how many cycles its outputs look back; ok is false if one does.
func (d *Design) Depth() (depth int, ok bool) {
	next := d.next()
	depths := map[*word.Word]int{}
	var outputs []*word.Word
	for _, o := range d.Outputs {
		outputs = append(outputs, o.Word)
	}
	before := func(w *word.Word) []*word.Word {
		if w.Op == word.State {
			return []*word.Word{next[w.Name]}
		}
		return w.Args
	}
	cycle := Postorder(outputs, before, func(w *word.Word) {
		for _, a := range before(w) {
			depths[w] = max(depths[w], depths[a])
		}
		if w.Op == word.State {
			depths[w]++
		}
		depth = max(depth, depths[w])
	})
	return depth, cycle == nil
}

// Unrolled are the words of the outputs as they were delay cycles ago, in words of b, and how many cycles they look back. Registers may
// reach themselves where what is constant does not select that: conditions are unrolled before what they choose from. ok is false where
// words look back further than that many cycles, or that would be much work.
func (d *Design) Unrolled(b *word.Builder, delay int) (outputs []*word.Word, depth int, ok bool) {
	return d.unrolled(b, delay, -1)
}

// AtCycle are the words of the outputs at a cycle, from 0, where registers began with their initial values. ok is false where one of these
// that may be anything matters, or that would be much work.
func (d *Design) AtCycle(b *word.Builder, cycle int) (outputs []*word.Word, ok bool) {
	outputs, _, ok = d.unrolled(b, 0, cycle)
	return outputs, ok
}

// unrolled goes back to initial values at cycle first, if that is not below 0.
func (d *Design) unrolled(b *word.Builder, delay, first int) (outputs []*word.Word, depth int, ok bool) {
	const furthest, most = 64, 1 << 20
	type at struct {
		w     *word.Word
		delay int
	}
	next := d.next()
	registers := map[string]*Register{}
	for i := range d.Registers {
		registers[d.Registers[i].Name] = &d.Registers[i]
	}
	done := map[at]*word.Word{}
	steps := 0
	var unroll func(w *word.Word, delay int) *word.Word
	unroll = func(w *word.Word, ago int) *word.Word {
		k := at{w, ago}
		if u := done[k]; u != nil {
			return u
		}
		if steps++; ago-delay > furthest || steps > most {
			return nil
		}
		var out *word.Word
		switch w.Op {
		case word.Input:
			out = b.Input(w.Name, w.Width, w.Delay+ago)
		case word.Open:
			out = b.Open(w.Name, w.Width, w.Delay+ago)
		case word.State:
			if ago == first {
				r := registers[w.Name]
				if r.Initial == nil || r.Open != nil && r.Open.Sign() != 0 {
					return nil
				}
				out = b.Const(w.Width, r.Initial)
				break
			}
			depth = max(depth, ago-delay+1)
			out = unroll(next[w.Name], ago+1)
		default:
			args := make([]*word.Word, len(w.Args))
			for i, a := range w.Args {
				if args[i] = unroll(a, ago); args[i] == nil {
					return nil
				}
				if c := args[0]; w.Op == word.Ite && i == 0 && c.Op == word.Const {
					other := w.Args[2-c.Value.Bit(0)]
					out = unroll(other, ago)
					break
				}
			}
			if out == nil {
				if n := len(args); n > 0 && args[n-1] == nil {
					return nil
				}
				out = b.Simplify(b.With(w, args))
			}
		}
		if out != nil {
			done[k] = out
		}
		return out
	}
	for _, o := range d.Outputs {
		u := unroll(o.Word, delay)
		if u == nil {
			return nil, 0, false
		}
		outputs = append(outputs, u)
	}
	return outputs, depth, true
}

// Reads tells whether anything that the design computes reads an input.
func (d *Design) Reads(input string) bool {
	var roots []*word.Word
	for _, o := range d.Outputs {
		roots = append(roots, o.Word)
	}
	for _, r := range d.Registers {
		roots = append(roots, r.Next)
	}
	for _, a := range slices.Concat(d.Assume, d.Forbid) {
		roots = append(roots, a.Word)
	}
	return slices.ContainsFunc(word.Reach(roots...), func(w *word.Word) bool { return w.Op == word.Input && w.Name == input })
}

func (d *Design) next() map[string]*word.Word {
	next := map[string]*word.Word{}
	for _, r := range d.Registers {
		next[r.Name] = r.Next
	}
	return next
}

// Delayed is w as it was delay cycles ago, in the words of b: registers are replaced by their next values of a cycle earlier, down
// to inputs. The design is one whose Depth is ok; w is a word of d.Builder, which b may be.
func (d *Design) Delayed(b *word.Builder, w *word.Word, delay int) *word.Word {
	type at struct {
		w     *word.Word
		delay int
	}
	if delay == 0 && b == d.Builder && len(d.Registers) == 0 {
		return w
	}
	next := d.next()
	before := func(k at) []at {
		if k.w.Op == word.State {
			return []at{{next[k.w.Name], k.delay + 1}}
		}
		var out []at
		for _, a := range k.w.Args {
			out = append(out, at{a, k.delay})
		}
		return out
	}
	done := map[at]*word.Word{}
	Postorder([]at{{w, delay}}, before, func(k at) {
		switch k.w.Op {
		case word.Input:
			done[k] = b.Input(k.w.Name, k.w.Width, k.w.Delay+k.delay)
		case word.Open:
			done[k] = b.Open(k.w.Name, k.w.Width, k.w.Delay+k.delay)
		case word.State:
			done[k] = done[at{next[k.w.Name], k.delay + 1}]
		default:
			args := make([]*word.Word, len(k.w.Args))
			for i, a := range k.w.Args {
				args[i] = done[at{a, k.delay}]
			}
			done[k] = b.With(k.w, args)
		}
	})
	return done[at{w, delay}]
}

// Postorder visits what roots reach, each after all that comes before it. Where something comes before itself it stops, and returns
// what lies on the cycle. Its stack is on the heap: nets are deeper than calls should nest.
func Postorder[K comparable](roots []K, before func(K) []K, visit func(K)) (cycle []K) {
	type frame struct {
		k    K
		rest []K
	}
	const waiting, done = 1, 2
	state := map[K]uint8{}
	var stack []frame
	enter := func(k K) {
		state[k] = waiting
		stack = append(stack, frame{k, before(k)})
	}
	for _, root := range roots {
		if state[root] == 0 {
			enter(root)
		}
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if len(top.rest) == 0 {
				state[top.k] = done
				visit(top.k)
				stack = stack[:len(stack)-1]
				continue
			}
			k := top.rest[0]
			top.rest = top.rest[1:]
			switch state[k] {
			case 0:
				enter(k)
			case waiting:
				for i := len(stack) - 1; ; i-- {
					cycle = append(cycle, stack[i].k)
					if stack[i].k == k {
						return cycle
					}
				}
			}
		}
	}
	return nil
}
