package bits

import "tv/equiv/bits/sweep"

// fewInputs is how many bits of input are tried in all ways.
const fewInputs = 16

// Where gates are hard to compare more are tried: of so many inputs, as long as that computes so many words of gates.
const (
	hardInputs = 24
	hardWork   = 1 << 30
)

// checkedInputs are those that the checker tries again.
const checkedInputs = 22

// fewEnough tells whether all inputs can be tried in less time than a solver may take.
func (c *circuit) fewEnough() bool {
	n := len(c.graph.Signals())
	return n <= hardInputs && c.graph.Len()<<max(n-6, 0) <= hardWork
}

// lanes are the values of the first six signals in 64 assignments that count up.
var lanes = [6]uint64{0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0, 0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000}

// exhaust tries all assignments of the signals.
func (c *circuit) exhaust() (sweep.Verdict, []bool) {
	n := len(c.graph.Signals())
	in := make([]uint64, n)
	trial := c.newTrial()
	some := false
	for base := 0; base < 1<<n; base += 64 {
		for i := range in {
			switch {
			case i < len(lanes):
				in[i] = lanes[i]
			case base>>i&1 != 0:
				in[i] = ^uint64(0)
			default:
				in[i] = 0
			}
		}
		// With fewer than six signals the lanes repeat themselves.
		valid, different := trial.run(in)
		some = some || valid != 0
		if different != 0 {
			return sweep.Different, lane(in, different)
		}
	}
	if !some {
		return sweep.Empty, nil
	}
	return sweep.Equal, nil
}

// A trial simulates assignments.
type trial struct {
	*circuit
	values []uint64
}

func (c *circuit) newTrial() *trial { return &trial{c, make([]uint64, c.graph.Len())} }

// run says of 64 assignments which satisfy the assumptions, and which of those make outputs differ.
func (t *trial) run(in []uint64) (valid, different uint64) {
	t.graph.Simulate(in, t.values)
	valid = ^uint64(0)
	for _, l := range t.gates.Assume {
		valid &= l.Value(t.values)
	}
	for i, l := range t.gates.Before {
		different |= l.Value(t.values) ^ t.gates.After[i].Value(t.values)
	}
	return valid, different & valid
}

// lane returns the assignment of the lowest bit that is set in mask.
func lane(in []uint64, mask uint64) []bool {
	out := make([]bool, len(in))
	for i, w := range in {
		out[i] = w&(mask&-mask) != 0
	}
	return out
}
