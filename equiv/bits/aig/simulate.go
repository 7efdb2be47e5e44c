package aig

// Simulate computes 64 assignments: in has a word for each signal, in their order, and values gets one for each node.
func (g *Graph) Simulate(in, values []uint64) {
	for n, f := range g.fanins {
		switch {
		case f[1] != mark:
			values[n] = f[0].Value(values) & f[1].Value(values)
		case n == 0:
			values[n] = 0
		default:
			values[n] = in[f[0]]
		}
	}
}

// Value returns l's values among those of all nodes.
func (l Lit) Value(values []uint64) uint64 { return values[l>>1] ^ -uint64(l&1) }
