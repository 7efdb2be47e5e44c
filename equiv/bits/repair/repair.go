// Package repair looks for the one change that mends a netlist which is refuted: a bit of a table, a constant pin, or two pins exchanged.
// What it reports has been proved of the netlist with the change.
package repair

import (
	"context"
	"math/big"
	"math/rand/v2"
	"slices"

	circuits "tv/equiv/bits"
	"tv/semantics/bits/netlist"
	"tv/semantics/bits/word"
)

// A Repair says what mends a netlist.
type Repair struct {
	Change string // the first in the order of the text that does
	Count  int    // how many single changes do
	Tried  int    // how many there are
}

const (
	batches   = 4      // of 64 runs, on which changes are tried before one is proved
	maxWork   = 3e6    // parts of cells that are computed in search of one
	maxProofs = 32     // changes that are proved or refuted
	conflicts = 20_000 // of the solver, for each
)

// Search tries all single changes of what the differing outputs depend on. It returns nil where none mends the netlist, or the search
// was too much work. q is the question that c refutes; after is the netlist of q.After.
func Search(ctx context.Context, q circuits.Question, after *netlist.Netlist, c *circuits.Counterexample) *Repair {
	if c.Open != nil || c.Chosen != nil || len(word.Reach(words(q)...))*64*batches*(c.Cycle+1) > maxWork {
		return nil
	}
	s := &search{q: q, c: c, after: after, draw: rand.New(rand.NewPCG(1, 1))}
	for _, o := range q.Before.Outputs {
		i := slices.IndexFunc(after.Outputs, func(p netlist.Port) bool { return p.Name == o.Name })
		s.bits = append(s.bits, after.Outputs[i].Bits...)
	}
	for i := range batches {
		s.trials = append(s.trials, s.trial(i))
	}
	if s.trials[0].failing == 0 {
		return nil
	}
	var wrong []netlist.Bit
	for i, b := range s.bits {
		t := s.trials[0]
		if (t.Value(b, c.Cycle)^t.want[i])&t.valid != 0 {
			wrong = append(wrong, b)
		}
	}
	cone := after.Cone(wrong)
	changes := after.Changes(func(i int) bool { return cone[i] })
	out := &Repair{Tried: len(changes)}
	work, proofs := 0, 0
	for _, change := range changes {
		if ctx.Err() != nil || work > maxWork || proofs == maxProofs {
			return nil
		}
		work += len(after.Instances) / 16
		if !s.mends(change, &work) {
			continue
		}
		proofs++
		if net := after.With(change); net != nil && s.proved(ctx, net) {
			if out.Count++; out.Count == 1 {
				out.Change = after.Describe(change)
			}
		}
	}
	if out.Count == 0 {
		return nil
	}
	return out
}

// words are the outputs of Before, its assumptions, and what its registers load.
func words(q circuits.Question) (out []*word.Word) {
	for _, o := range q.Before.Outputs {
		out = append(out, o.Word)
	}
	for _, a := range q.Before.Assume {
		out = append(out, a.Word)
	}
	for _, r := range q.Before.Registers {
		out = append(out, r.Next)
	}
	return out
}

type search struct {
	q      circuits.Question
	c      *circuits.Counterexample
	after  *netlist.Netlist
	bits   []netlist.Bit // of the outputs that are compared
	trials []trial
	draw   *rand.Rand
}

// A trial is 64 runs, and what the outputs should be.
type trial struct {
	*netlist.Trace
	want           []uint64
	valid, failing uint64 // runs that the assumptions allow; of these, those that are wrong
}

// trial makes runs: first the counterexample and its neighbours, then inputs that are equal but for one bit, which random ones are not, and
// then others.
func (s *search) trial(batch int) trial {
	type at struct {
		port  string
		cycle int
	}
	streams := map[at][]*big.Int{} // by lane
	for _, in := range s.c.Inputs {
		for cycle, v := range in.Values {
			lanes := make([]*big.Int, 64)
			for l := range lanes {
				lanes[l] = new(big.Int)
				for i := range in.Width {
					bit := v.Bit(i)
					if batch > 0 || l >= 48 {
						bit = uint(s.draw.IntN(2))
					}
					lanes[l].SetBit(lanes[l], i, bit)
				}
			}
			streams[at{in.Name, cycle}] = lanes
		}
	}
	if batch == 0 && len(s.c.Inputs) > 0 {
		for l := 1; l < 48; l++ { // a neighbour differs in one bit
			in := s.c.Inputs[s.draw.IntN(len(s.c.Inputs))]
			v := streams[at{in.Name, s.draw.IntN(len(in.Values))}][l]
			i := s.draw.IntN(in.Width)
			v.SetBit(v, i, v.Bit(i)^1)
		}
	}
	if n := len(s.c.Inputs); n > 0 && (batch == 1 || batch == 2) {
		for l := range 64 {
			for _, in := range s.c.Inputs[1:] {
				for cycle := range in.Values {
					same := streams[at{s.c.Inputs[0].Name, cycle}][l]
					streams[at{in.Name, cycle}][l] = new(big.Int).And(same, mask(in.Width))
				}
			}
			in := s.c.Inputs[batch%n]
			v := streams[at{in.Name, s.draw.IntN(len(in.Values))}][l]
			i := l % in.Width
			v.SetBit(v, i, v.Bit(i)^1)
		}
	}
	t := trial{Trace: s.after.NewTrace(s.c.Cycle+1, func(port string, bit, cycle int) (lanes uint64) {
		for l, v := range streams[at{port, cycle}] {
			lanes |= uint64(v.Bit(bit)) << l
		}
		return lanes
	}), want: make([]uint64, len(s.bits))}
	before, roots := s.q.Before, words(s.q)
	for l := range 64 {
		holds := true
		state := map[string]*big.Int{}
		for _, r := range before.Registers {
			state[r.Name] = r.Initial
		}
		for cycle := range s.c.Cycle + 1 {
			of := word.Eval(func(w *word.Word) *big.Int {
				if w.Op == word.State {
					return state[w.Name]
				}
				return streams[at{w.Name, cycle}][l]
			}, roots...)
			for _, a := range before.Assume {
				holds = holds && of[a.Word].Sign() != 0
			}
			next := map[string]*big.Int{}
			for _, r := range before.Registers {
				next[r.Name] = of[r.Next]
			}
			state = next
			if cycle != s.c.Cycle-s.q.Latency {
				continue
			}
			k := 0
			for _, o := range before.Outputs {
				for i := range o.Width {
					t.want[k] |= uint64(of[o.Word].Bit(i)) << l
					k++
				}
			}
		}
		if holds {
			t.valid |= 1 << l
		}
	}
	for i, b := range s.bits {
		t.failing |= (t.Value(b, s.c.Cycle) ^ t.want[i]) & t.valid
	}
	return t
}

// mask has all bits of a width.
func mask(width int) *big.Int {
	v := new(big.Int).Lsh(big.NewInt(1), uint(width))
	return v.Sub(v, big.NewInt(1))
}

// mends tells whether the outputs are right in all runs after a change.
func (s *search) mends(c netlist.Change, work *int) bool {
	for _, t := range s.trials {
		if !t.May(c, t.failing, s.c.Cycle) {
			return false
		}
	}
	for _, t := range s.trials {
		got, n := t.Changed(c, s.bits, s.c.Cycle)
		if *work += n; got == nil {
			return false
		}
		for i, v := range got {
			if (v^t.want[i])&t.valid != 0 {
				return false
			}
		}
	}
	return true
}

func (s *search) proved(ctx context.Context, net *netlist.Netlist) bool {
	q := s.q
	q.After = net.Design(s.q.Before.Builder)
	r, err := circuits.Check(ctx, q, circuits.Options{Conflicts: conflicts})
	return err == nil && r.Verdict == circuits.Proved
}
