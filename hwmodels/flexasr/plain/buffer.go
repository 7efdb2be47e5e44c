package plain

// place returns the vector of the large buffer where vector v of a timestep lies: blocks of 16 timesteps.
func (m *Machine) place(manager, timestep, v int) int {
	return m.large.base[manager] + timestep/16*m.large.vectors[manager]*16 + v*16 + timestep%16
}

// start checks that a unit may run.
func (m *Machine) start(w word, small bool) {
	need(w.valid() && m.large.configured && (!small || m.small.configured))
	need(w.memory(1) < 4)
}

// runReduce takes pairs of timesteps to their maximum, mean or sum, in place.
func (m *Machine) runReduce() {
	w := m.reduce
	m.start(w, false)
	need(w.mode() < 3 && w.timesteps(1)%2 == 0)
	for t := 0; t < w.timesteps(1); t += 2 {
		for v := range w.vectors(1) {
			x, y := m.read("large", m.place(w.memory(1), t, v)), m.read("large", m.place(w.memory(1), t+1, v))
			var z [16]int64
			for j := range z {
				a, b := decode(x[j], 0), decode(y[j], 0)
				switch w.mode() {
				case 0:
					z[j] = x[j]
					if b > a {
						z[j] = y[j]
					}
					if z[j] == 0x80 {
						z[j] = 0
					}
				case 1: // of half the unit
					z[j] = halfway(a + b)
				case 2:
					z[j] = (&Machine{}).encode(a+b, 14, 0)
				}
			}
			m.write("large", m.place(w.memory(1), t/2, v), z, 0xff)
		}
	}
}

// halfway returns the code of half a number, both of bias 0.
func halfway(sum int64) int64 { return (&Machine{}).encode(sum, 15, 0) }

// runPad writes zeros to a range of timesteps.
func (m *Machine) runPad() {
	w := m.pad
	m.start(w, false)
	for t := w.timesteps(1); t < w.timesteps(2); t++ {
		for v := range w.vectors(1) {
			m.write("large", m.place(w.memory(1), t, v), [16]int64{}, 0xff)
		}
	}
}

// runNorm normalises each timestep in place.
func (m *Machine) runNorm() {
	w := m.norm
	m.start(w, true)
	need(w.vectors(1) > 0 && w.timesteps(1) > 0)
	count := int64(16 * w.vectors(1))
	for t := range w.timesteps(1) {
		var sum, squares int64 // of 24 bits
		for v := range w.vectors(1) {
			var part, square int64
			for _, c := range m.read("large", m.place(w.memory(1), t, v)) {
				x := decode(c, w.bias(1))
				part += x
				square += product(x, x)
			}
			sum, squares = signed(sum+signed(part, 20), 24), signed(squares+signed(square, 20), 24)
		}
		mean := quotient(sum, count)
		variance := signed(quotient(squares, count)-product(mean, mean), 20)
		r := signed(InverseRoot(variance&(1<<20-1)), 20)
		for v := range w.vectors(1) {
			x := m.read("large", m.place(w.memory(1), t, v))
			gamma, beta := m.read("small", m.small.base[5]+v), m.read("small", m.small.base[6]+v)
			for j := range x {
				y := product(product(signed(decode(x[j], w.bias(1))-mean, 20), r), decode(gamma[j], w.bias(4)))
				x[j] = m.encode(signed(y+decode(beta[j], w.bias(3)), 20), 14, w.bias(1))
			}
			m.write("large", m.place(w.memory(1), t, v), x, 0xff)
		}
	}
}
