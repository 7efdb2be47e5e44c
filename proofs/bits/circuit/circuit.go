// Package circuit is what texts about circuits are read into, whatever their language: ports, and
// bits as functions of the time that they are asked at.
//
//	Circuit   ports, the bits of outputs and assumptions, registers
//	Wire      a bit, as it was a number of cycles ago
//	View      the cycles that a circuit is looked at in, and what its registers hold there
//	Register  what holds words from one cycle to the next
//	Clear     an asynchronous reset (resets.go)
//
// A reading of a language is a function from a text and a [View] to a [Circuit]. Nothing is
// computed before it is asked for: so a loop through no register is one of bits, and what constants
// leave out is not read.
package circuit

import (
	"math/big"
	"slices"

	"tv/proofs/bits/gates"
)

// A Wire is a bit as it was a number of cycles ago.
type Wire func(delay int) gates.Lit

// A Port is an input or output.
type Port struct {
	Name  string
	Width int
}

// A Circuit is a text: its ports, and the bits of its outputs and assumptions a number of cycles
// ago.
type Circuit struct {
	In, Out   []Port
	Outputs   func(name string, delay int) gates.Vec
	Assumed   []Assumption
	Illegal   []Wire // what must never hold
	Late      int    // cycles that a specification itself says its outputs are late
	Clock     string
	Edge      string // of the clock at which registers load: rising or falling; empty: none is said
	Trusts    []string
	Registers []*Register // in the order of the text
}

// An Assumption holds in every cycle.
type Assumption struct {
	Text    string
	Holds   Wire
	IsState bool // it reads registers
}

// A View is the cycles that a circuit is looked at in.
type View struct {
	Graph *gates.Graph
	After bool   // the text is AFTER: what it leaves open is not what BEFORE does
	Clock string // the input that is no data
	Late  int    // the greatest delay that is asked for
	// Start is the delay at which registers hold what First says; with First nil there is none, and
	// a register is what it read, as far back as Late.
	Start int
	First func(r *Register, bit int) gates.Lit
	// Fixed are inputs that are constants, the same at all times; nil: none.
	Fixed map[string]*big.Int
	// Choose is what the text leaves open; nil: any value, as an input.
	Choose func(place string, bit, delay int) gates.Lit
}

// A Register holds a word.
type Register struct {
	Name    string
	Initial gates.Vec // Unknown where any value may be there first
	Next    []Wire    // what it holds in the cycle after
	Holds   []Wire    // what it holds
	// Loads says at [Probe] whether it may ever load anything; nil: it may. One that never does is
	// its initial value.
	Loads Wire
}

// Probe is a delay at which no input and no register is known: what is constant there is so in
// every cycle. At no negative delay does a register look back.
const Probe = -2

// Stays tells whether a register always holds its initial value, which is known.
func (r *Register) Stays() bool {
	return r.Loads != nil && r.Loads(Probe) == gates.No && !slices.Contains(r.Initial, Unknown)
}

// Unknown is the initial value of a bit that has none. It is no literal.
const Unknown = ^gates.Lit(0)

// Input is a bit of an input.
func (v *View) Input(port string, bit int) Wire {
	if w := v.Fixed[port]; w != nil {
		return func(int) gates.Lit { return gates.Bit(w.Bit(bit) == 1) }
	}
	return func(delay int) gates.Lit {
		return v.Graph.Signal(gates.Signal{Port: port, Bit: bit, Delay: delay})
	}
}

// Open is a bit that the text leaves open at a place, in each cycle another one.
func (v *View) Open(place string, bit int) Wire {
	kind := gates.OpenBefore
	if v.After {
		kind = gates.OpenAfter
	}
	return func(delay int) gates.Lit {
		if v.Choose != nil && delay >= 0 {
			return v.Choose(place, bit, delay)
		}
		return v.Graph.Signal(gates.Signal{Kind: kind, Port: place, Bit: bit, Delay: delay})
	}
}

// state is a bit of a register of which nothing is known.
func (v *View) state(r *Register, bit, delay int) gates.Lit {
	kind := gates.StateBefore
	if v.After {
		kind = gates.StateAfter
	}
	return v.Graph.Signal(gates.Signal{Kind: kind, Port: r.Name, Bit: bit, Delay: delay})
}

// State is a bit of a register of which nothing is known, for First.
func (v *View) State(r *Register, bit int) gates.Lit { return v.state(r, bit, 0) }

// Held are the bits that a register holds. What it holds next may be said later.
func (v *View) Held(r *Register, width int) []Wire {
	out := make([]Wire, width)
	for i := range out {
		out[i] = Once(func(d int) gates.Lit {
			if d < 0 {
				return v.state(r, i, d)
			}
			if r.Stays() {
				return r.Initial[i]
			}
			if v.First != nil {
				gates.Need(d <= v.Start, "a register is asked for before the first cycle")
				if d == v.Start {
					return v.First(r, i)
				}
			}
			gates.Need(d < v.Late, "a register that reaches back more than %d cycles", v.Late)
			return r.Next[i](d + 1)
		})
	}
	r.Holds = out
	return out
}

// Fixed is a bit that is always the same.
func Fixed(l gates.Lit) Wire { return func(int) gates.Lit { return l } }

// Constant is a word that is always the same.
func Constant(v gates.Vec) []Wire {
	out := make([]Wire, len(v))
	for i, l := range v {
		out[i] = Fixed(l)
	}
	return out
}

// Stretched is w with its sign or zeros above.
func Stretched(w []Wire, width int, signed bool) []Wire {
	out := slices.Clone(w)
	for len(out) < width {
		if signed {
			out = append(out, w[len(w)-1])
		} else {
			out = append(out, Fixed(gates.No))
		}
	}
	return out
}

// At are the bits of wires at a delay.
func At(w []Wire, delay int) gates.Vec {
	v := make(gates.Vec, len(w))
	for i, f := range w {
		v[i] = f(delay)
	}
	return v
}

// Whole are the wires of a word that is computed from all bits of others, once for each delay.
func Whole(width int, f func(delay int) gates.Vec) []Wire {
	known := map[int]gates.Vec{}
	out := make([]Wire, width)
	for i := range out {
		out[i] = func(delay int) gates.Lit {
			v, ok := known[delay]
			if !ok {
				known[delay] = nil
				v = f(delay)
				known[delay] = v
			}
			gates.Need(v != nil, "a loop without a register")
			return v[i]
		}
	}
	return out
}

// Once is a wire that is computed once for each delay.
func Once(f func(delay int) gates.Lit) Wire {
	var delays []int
	var values []gates.Lit
	return func(delay int) gates.Lit {
		if i := slices.Index(delays, delay); i >= 0 {
			gates.Need(values[i] != waiting, "a loop without a register")
			return values[i]
		}
		at := len(delays)
		delays, values = append(delays, delay), append(values, waiting)
		l := f(delay)
		values[at] = l
		return l
	}
}

// waiting is a bit that is being computed. It is no literal.
const waiting = ^gates.Lit(0) - 1
