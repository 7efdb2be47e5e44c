package sweep

import (
	"math/bits"
	"math/rand/v2"
	"slices"

	"tv/equiv/bits/aig"
)

// rounds is how many words are simulated before the first question. Of a graph with many nodes some are rarely true, and would be taken for
// others that are: for each perRound nodes there is a word of bits at random more, up to moreRounds.
const (
	rounds     = 12
	perRound   = 1 << 12
	moreRounds = 64
)

// patterns makes assignments; with the same graph, the same ones.
type patterns struct {
	random *rand.Rand
	ports  [][]int  // signals of each port and delay, by bit
	width  int      // of the widest
	first  []uint64 // assignments that satisfy the assumptions
	phase  []bool   // of nodes: their value in the first assignment
}

func newPatterns(g *aig.Graph) *patterns {
	p := &patterns{random: rand.New(rand.NewPCG(11, 12)), phase: make([]bool, g.Len())}
	type port struct {
		name  string
		delay int
	}
	at := map[port]int{}
	for i, s := range g.Signals() {
		k, ok := at[port{s.Port, s.Delay}]
		if !ok {
			k = len(p.ports)
			at[port{s.Port, s.Delay}] = k
			p.ports = append(p.ports, nil)
		}
		p.ports[k] = append(p.ports[k], i)
	}
	for _, signals := range p.ports {
		slices.SortFunc(signals, func(a, b int) int { return g.Signals()[a].Bit - g.Signals()[b].Bit })
		p.width = max(p.width, len(signals))
	}
	return p
}

// word returns 64 assignments: ports at random, or all like one another but for a bit, or complements, with few ones or runs of ones.
func (p *patterns) word(signals int) []uint64 {
	in := make([]uint64, signals)
	base := make([]bool, p.width)
	for lane := range 64 {
		kind := p.random.IntN(8)
		density := []int{2, 2, 8, 1 + p.width/2}[p.random.IntN(4)]
		from, to := p.random.IntN(p.width+1), p.random.IntN(p.width+1)
		for i := range base {
			switch {
			case kind == 7:
				base[i] = i >= from && i < to
			default:
				base[i] = p.random.IntN(density) == 0
			}
		}
		for _, port := range p.ports {
			invert, flip := p.random.IntN(3) == 0, -1
			if p.random.IntN(2) == 0 {
				flip = p.random.IntN(len(port))
			}
			for i, s := range port {
				bit := base[i] != invert != (i == flip)
				if kind < 3 {
					bit = p.random.IntN(density) == 0 != invert
				}
				if bit {
					in[s] |= 1 << lane
				}
			}
		}
	}
	return in
}

// near returns an assignment and 63 that differ from it in a few bits.
func (p *patterns) near(in []bool) []uint64 {
	out := make([]uint64, len(in))
	for i, b := range in {
		if b {
			out[i] = ^uint64(0)
		}
	}
	for lane := 1; lane < 64 && len(in) > 0; lane++ {
		for range 1 + p.random.IntN(3) {
			out[p.random.IntN(len(in))] ^= 1 << lane
		}
	}
	return out
}

// valid simulates assignments, and tells which of them satisfy what is known.
func (s *sweeper) valid(in, values []uint64) uint64 {
	s.simulate(in, values)
	mask := ^uint64(0)
	for _, l := range s.Assume {
		mask &= l.Value(values)
	}
	for _, i := range s.residual {
		mask &^= s.Equal[i][0].Value(values) ^ s.Equal[i][1].Value(values)
	}
	for _, c := range s.Clauses {
		some := uint64(0)
		for _, l := range c {
			some |= l.Value(values)
		}
		mask &= some
	}
	return mask
}

// wrong looks for an output that differs in one of the assignments that count; then the answer is known.
func (s *sweeper) wrong(in, values []uint64, mask uint64) bool {
	if s.All {
		return false
	}
	for i := range s.Before {
		if d := (s.Before[i].Value(values) ^ s.After[i].Value(values)) & mask; d != 0 {
			s.differ(s.assignment(in, values, bits.TrailingZeros64(d)))
			return true
		}
	}
	return false
}

// sort makes the first classes. It returns false when the answer is known.
func (s *sweeper) sort() bool {
	n := s.Graph.Len()
	s.class, s.members = make([]int32, n), map[int32][]int32{}
	values, hash := make([]uint64, n), make([]uint64, n)
	started := false
	for round := range rounds + 1 + min(moreRounds, n/perRound) {
		var in []uint64
		switch {
		case s.Draw != nil:
			in = s.Draw()
		case round == 0 && s.patterns.first != nil:
			in = s.patterns.first
		case round <= rounds:
			in = s.patterns.word(len(s.Graph.Signals()))
		default:
			in = make([]uint64, len(s.Graph.Signals()))
			for i := range in {
				in[i] = s.patterns.random.Uint64()
			}
		}
		mask := s.valid(in, values)
		if mask == 0 {
			continue
		}
		if s.wrong(in, values, mask) {
			return false
		}
		low := mask & -mask
		for _, n := range s.topo {
			w := values[n]
			if !started {
				s.patterns.phase[n] = w&low != 0
			}
			if s.patterns.phase[n] {
				w = ^w
			}
			hash[n] = (hash[n]^w&mask)*0x9e3779b97f4a7c15 ^ hash[n]>>29
		}
		started = true
	}
	for _, n := range s.topo {
		s.class[n] = 1
	}
	s.classes = 1
	s.split(func(n int) uint64 { return hash[n] })
	return true
}

// split makes classes of the nodes that were in one before, and have one key.
func (s *sweeper) split(key func(n int) uint64) {
	type group struct {
		class int32
		key   uint64
	}
	groups, size := map[group]int32{}, map[int32]int{}
	for n, c := range s.class {
		if c == 0 {
			continue
		}
		g := group{c, key(n)}
		k, ok := groups[g]
		if !ok {
			s.classes++
			k = s.classes
			groups[g] = k
		}
		s.class[n] = k
		size[k]++
	}
	clear(s.members)
	for n, c := range s.class {
		if size[c] == 1 {
			s.class[n] = 0
		}
	}
	var staying []int32
	for n := range s.class {
		if s.class[n] != 0 && s.order[n] != 0 && s.reps[n] == aig.Lit(2*n) {
			staying = append(staying, int32(n))
		}
	}
	slices.SortFunc(staying, func(a, b int32) int { return int(s.order[a] - s.order[b]) })
	for _, n := range staying {
		s.members[s.class[n]] = append(s.members[s.class[n]], n)
	}
}

// refine tells nodes apart by an assignment and its neighbours. It returns false when the answer is known.
func (s *sweeper) refine(in []bool) bool {
	words, values := s.patterns.near(in), make([]uint64, s.Graph.Len())
	mask := s.valid(words, values)
	if s.wrong(words, values, mask) {
		return false
	}
	s.split(func(n int) uint64 {
		if s.patterns.phase[n] {
			return ^values[n] & mask
		}
		return values[n] & mask
	})
	return true
}
