package plain

// scratch is the memory manager of the small buffer where attention keeps its weights.
const scratch = 7

// runAttention takes a query and a matrix to the sum of the matrix's rows, weighted by the exponentials of their products with
// the query.
func (m *Machine) runAttention() {
	w := m.attend
	m.start(w, true)
	steps, vectors := w.timesteps(1), w.vectors(1)
	need(vectors > 0 && steps > 0 && steps%16 == 0 && steps <= 1024)
	matrix := func(t, v int) [16]int64 { return m.read("large", m.place(w.memory(1), t, v)) }
	query := m.small.base[w.memory(2)]

	scores, most := make([]int64, steps), int64(-1<<30)
	for first := 0; first < steps; first += 16 {
		var sums [16]int64
		for v := range vectors {
			q := m.read("small", query+v)
			for t := range sums {
				for j, c := range matrix(first+t, v) {
					sums[t] += decode(c, 0) * decode(q[j], 0)
				}
			}
		}
		for t, s := range sums {
			score := int64(-64 << 20)
			if s = signed(s, 32); s != 0 {
				score = shifted(s, 8-w.bias(1)-w.bias(2))
			}
			scores[first+t] = score
			most = max(most, score)
		}
	}
	total := int64(0)
	for _, s := range scores {
		total += Exponential(signed(s-most, 32))
	}
	total &= 1<<32 - 1
	for first := 0; first < steps; first += 16 {
		var weights [16]int64
		for t := range weights {
			weights[t] = m.encode(Share(Exponential(signed(scores[first+t]-most, 32)), total)<<12, 20, w.bias(3))
		}
		m.write("small", m.small.base[scratch]+first/16, weights, 0xff)
	}
	for v := range vectors {
		var sums [16]int64
		for first := 0; first < steps; first += 16 {
			weights := m.read("small", m.small.base[scratch]+first/16)
			for t, weight := range weights {
				for j, c := range matrix(first+t, v) {
					sums[j] += decode(c, 0) * decode(weight, 0)
				}
			}
		}
		for j, s := range sums {
			sums[j] = m.encode(signed(shifted(signed(s, 32), 8-w.bias(1)-w.bias(3)), 26), 20, w.bias(4))
		}
		m.write("small", query+v, sums, 0xff)
	}
}

// shifted shifts 32 bits to the right, or to the left where the amount is negative.
func shifted(x int64, by int) int64 {
	if by < 0 {
		return signed(x<<-by, 32)
	}
	return x >> by
}
