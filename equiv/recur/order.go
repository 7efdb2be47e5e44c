package recur

// shared is how many loops are around both statements.
func shared(a, b *stmt) int {
	n := 0
	for n < len(a.around) && n < len(b.around) && a.around[n] == b.around[n] {
		n++
	}
	return n
}

// earlier lists the ways in which an instance of a is executed before one of b, each as facts: in an earlier iteration of a loop
// around both, or in the same ones of all, where a stands first. The outermost loop is first.
func earlier(a *stmt, x []lin, b *stmt, y []lin) (ways [][]fact) {
	if b.end || a.end {
		if b.end && !a.end {
			return [][]fact{nil}
		}
		return nil
	}
	n := shared(a, b)
	var equal []fact
	for k := range n {
		way := y[k].minus(x[k])
		ways = append(ways, extended(equal, natural(way.times(a.later[k]).add(-1))))
		equal = extended(equal, equation(way))
	}
	if a.order < b.order {
		ways = append(ways, equal)
	}
	return ways
}

// forms are variables as lins.
func forms(vars []int) []lin {
	out := make([]lin, len(vars))
	for i, v := range vars {
		out[i] = variable(v)
	}
	return out
}

// copied is an instance with variables of its own.
func (s *side) copied(x *instance) (y *instance, counters []lin) {
	to := map[int]int{}
	for _, v := range s.own(x) {
		to[v] = s.fresh()
	}
	rename := func(v int) int {
		if w, ok := to[v]; ok {
			return w
		}
		return v
	}
	for v, w := range to {
		if q, ok := s.quotients[v]; ok {
			s.quotients[w] = quotient{q.of.renamed(rename), q.by}
		}
	}
	y = &instance{of: x.of}
	for _, f := range x.facts {
		y.facts = append(y.facts, f.renamed(rename))
	}
	all := func(list []lin) (out []lin) {
		for _, a := range list {
			out = append(out, a.renamed(rename))
		}
		return out
	}
	y.cell, y.ints = all(x.cell), all(x.ints)
	for _, a := range x.from {
		y.from = append(y.from, all(a))
	}
	for _, v := range x.of.counters {
		counters = append(counters, variable(to[v]))
	}
	return y, counters
}

// sameCell are the facts that two subscripts are equal.
func sameCell(x, y []lin) (out []fact) {
	for i := range x {
		out = append(out, equation(x[i].minus(y[i])))
	}
	return out
}
