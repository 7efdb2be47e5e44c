package sweep

import (
	"slices"

	"tv/equiv/bits/aig"
	"tv/equiv/bits/sat"
)

// An axiom is a clause of what is known that the solver has to be told.
type axiom struct {
	lits []aig.Lit
	id   sat.ID
}

// unit, equal and known are the ids of what is known, behind those of the gates.
func (s *sweeper) unit(k int) sat.ID { return sat.ID(3*s.Graph.Len() + 1 + k) }

func (s *sweeper) equal(i, side int) sat.ID { return s.unit(len(s.Assume)) + sat.ID(2*i+side) }

func (s *sweeper) clauseID(i int) sat.ID { return s.equal(len(s.Equal), 0) + sat.ID(i) }

// sides are the two clauses of a pair: (¬a b) and (a ¬b).
func sides(p [2]aig.Lit) [2][]aig.Lit {
	return [2][]aig.Lit{{p[0].Not(), p[1]}, {p[0], p[1].Not()}}
}

// Tautology tells whether a clause holds by itself. Of what is known those are no clauses of a certificate.
func Tautology(lits []aig.Lit) bool { return clause(lits...) == nil }

// axioms are the assumptions, the pairs that replace no signal, and the clauses.
func (s *sweeper) axioms() (out []axiom) {
	for k, l := range s.Assume {
		out = append(out, axiom{[]aig.Lit{l}, s.unit(k)})
	}
	for _, i := range s.residual {
		for k, c := range sides(s.Equal[i]) {
			if clause(c...) != nil {
				out = append(out, axiom{c, s.equal(i, k)})
			}
		}
	}
	for i, c := range s.Clauses {
		if clause(c...) != nil {
			out = append(out, axiom{c, s.clauseID(i)})
		}
	}
	return out
}

// orient has a signal of each pair that is known to be equal replaced by the other, unless it depends on itself then, and finds the order of
// the nodes.
func (s *sweeper) orient() {
	n := s.Graph.Len()
	s.sub, s.subBy = make([]aig.Lit, n), make([]int32, n)
	for i := range n {
		s.sub[i] = aig.Lit(2 * i)
	}
	for i, p := range s.Equal {
		replaced := false
		for k, l := range p {
			_, signal := s.Graph.InputOf(l.Node())
			if other := p[1-k]; signal && s.sub[l.Node()] == aig.Lit(2*l.Node()) && other.Node() != l.Node() {
				s.sub[l.Node()], s.subBy[l.Node()] = other.NotIf(l.Negated()), int32(i)
				replaced = true
				break
			}
		}
		if !replaced {
			s.residual = append(s.residual, i)
		}
	}
	roots := slices.Concat(s.Assume, s.Before, s.After)
	for _, c := range slices.Concat(s.Show, s.Clauses) {
		roots = append(roots, c...)
	}
	for _, p := range s.Equal {
		roots = append(roots, p[:]...)
	}
	for {
		n := s.sorted(roots)
		if n == 0 {
			break
		}
		s.sub[n] = aig.Lit(2 * n)
		s.residual = append(s.residual, int(s.subBy[n]))
	}
	slices.Sort(s.residual)
}

// before are the nodes that a node depends on.
func (s *sweeper) before(n int, to []int) []int {
	if a, b, ok := s.Graph.Gate(n); ok {
		return append(to, a.Node(), b.Node())
	}
	if m := s.sub[n].Node(); m != n {
		to = append(to, m)
	}
	return to
}

// sorted finds the order of the nodes. Where one depends on itself it returns a signal on the way that another node replaces.
func (s *sweeper) sorted(roots []aig.Lit) (again int) {
	const waiting, done = 1, 2
	state := make([]uint8, s.Graph.Len())
	state[0] = done
	s.topo = append(s.topo[:0], 0)
	var stack []int
	var buffer [2]int
	for _, root := range roots {
		stack = append(stack, root.Node())
		for len(stack) > 0 {
			n := stack[len(stack)-1]
			if state[n] == done {
				stack = stack[:len(stack)-1]
				continue
			}
			state[n] = waiting
			ready := true
			for _, m := range s.before(n, buffer[:0]) {
				if state[m] == waiting {
					for i := len(stack) - 1; ; i-- { // those that wait and are no signals are between
						if k := stack[i]; state[k] == waiting && s.sub[k].Node() != k {
							return k
						}
					}
				}
				if state[m] == 0 {
					stack = append(stack, m)
					ready = false
					break
				}
			}
			if ready {
				state[n] = done
				s.topo = append(s.topo, int32(n))
				stack = stack[:len(stack)-1]
			}
		}
	}
	return 0
}

// visit calls do for the nodes that roots depend on and that were not visited, each behind those that it depends on, until it returns
// false.
func (s *sweeper) visit(roots []aig.Lit, do func(n int) bool) bool {
	var stack []int
	var buffer [2]int
	if s.order[0] == 0 && !do(0) {
		return false
	}
	for _, root := range roots {
		stack = append(stack[:0], root.Node())
	next:
		for len(stack) > 0 {
			n := stack[len(stack)-1]
			if s.order[n] != 0 {
				stack = stack[:len(stack)-1]
				continue
			}
			for _, m := range s.before(n, buffer[:0]) {
				if s.order[m] == 0 {
					stack = append(stack, m)
					continue next
				}
			}
			stack = stack[:len(stack)-1]
			if !do(n) {
				return false
			}
		}
	}
	return true
}

// simulate computes 64 assignments: in has a word for each signal, those that are replaced set aside.
func (s *sweeper) simulate(in, values []uint64) {
	values[0] = 0
	for _, n := range s.topo[1:] {
		if a, b, ok := s.Graph.Gate(int(n)); ok {
			values[n] = a.Value(values) & b.Value(values)
		} else if r := s.sub[n]; r != aig.Lit(2*n) {
			values[n] = r.Value(values)
		} else {
			i, _ := s.Graph.InputOf(int(n))
			values[n] = in[i]
		}
	}
}

// assignment is a lane of what was simulated.
func (s *sweeper) assignment(in, values []uint64, lane int) []bool {
	out := make([]bool, len(in))
	for i, w := range in {
		out[i] = w>>lane&1 != 0
	}
	for _, n := range s.topo {
		if i, ok := s.Graph.InputOf(int(n)); ok {
			out[i] = values[n]>>lane&1 != 0
		}
	}
	return out
}
