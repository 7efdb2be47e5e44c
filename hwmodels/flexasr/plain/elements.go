package plain

// registerFields are the configuration words of a PE: by offset, which bits go into which register.
var registerFields = map[int][]struct {
	name       string
	low, width int
}{
	0x400010: {{"pe_valid", 0, 1}, {"pe_zero_first", 8, 1}, {"pe_bias", 24, 1}, {"pe_num_manager", 32, 4}, {"pe_num_out", 40, 8}},
	0x400020: managerFields, 0x400040: managerFields,
	0x800010: {{"act_valid", 0, 1}, {"act_zero_first", 8, 1}, {"act_bias", 16, 3}, {"act_num_inst", 24, 6}, {"act_num_out", 32, 8},
		{"act_buf_base", 48, 16}, {"act_out_base", 64, 8}},
}

var managerFields = []struct {
	name       string
	low, width int
}{{"zero_active", 0, 1}, {"bias_w", 8, 3}, {"bias_b", 16, 3}, {"bias_in", 24, 3}, {"num_in", 32, 8}, {"base_w", 48, 16},
	{"base_b", 64, 16}, {"base_in", 80, 16}}

// element takes a write to a PE.
func (m *Machine) element(pe, at int, data [16]byte) {
	if fields, ok := registerFields[at]; ok {
		cell := pe
		switch at {
		case 0x400010:
			need(data[2]&1 == 0) // cluster tables
		case 0x400020:
			cell = 2 * pe
		case 0x400040:
			cell = 2*pe + 1
		}
		for _, f := range fields {
			v := uint32(data[f.low/8])
			if f.width == 16 {
				v |= uint32(data[f.low/8+1]) << 8
			}
			m.memories[f.name].At[uint64(cell)] = v & (1<<f.width - 1)
		}
		return
	}
	for _, b := range []struct {
		name        string
		first, size int
	}{{"program", 0x800020, 32}, {"weights", 0x500000, 1 << 20}, {"inputs", 0x600000, 1 << 12}, {"activations", 0x900000, 1 << 9}} {
		if at >= b.first && at < b.first+b.size {
			need((at-b.first)%16 == 0)
			m.bytes(b.name, at-b.first+pe*b.size, data)
			return
		}
	}
	fail(operand)
}

// register returns a register of a PE.
func (m *Machine) register(name string, at int) int {
	v, ok := m.memories[name].At[uint64(at)]
	if !ok {
		fail(unwritten, operand)
	}
	return int(v)
}

// runControl runs all PEs over timesteps.
func (m *Machine) runControl() {
	w := m.control
	decoder := w.mode() == 3
	need(w.valid() && m.large.configured && (!decoder || m.small.configured))
	need(w.mode() < 4 && (decoder || w.memory(1) < 4 && w.memory(2) < 4))
	need(w.vectors(1) > 0 && w.timesteps(1) > 0 && (!w.recurrent() || w.vectors(2) > 0))
	need(w.mode() != 1 && w.mode() != 2 || w.timesteps(1) < 1<<15)
	for pe := range 4 {
		need(m.register("pe_valid", pe) == 1 && m.register("act_valid", pe) == 1)
		managers := m.register("pe_num_manager", pe)
		need(managers == 1 || managers == 2)
		need(m.register("pe_num_out", pe) > 0 && m.register("act_num_out", pe) > 0)
		need(m.register("act_num_inst", pe) > 0 && m.register("act_num_inst", pe) <= 32)
	}
	for t := range w.timesteps(1) {
		out, in := t, t
		switch w.mode() {
		case 1:
			out = 2 * t
			in = out / 2
		case 2:
			out = 2*(w.timesteps(1)-t) - 1
			in = out / 2
		}
		where := func(i, timestep, v int) (string, int) {
			if decoder {
				return "small", m.small.base[w.memory(i)] + v
			}
			return "large", m.place(w.memory(i), timestep, v)
		}
		send := func(manager, count, i, timestep int) {
			for v := range count {
				var to [4]int
				for pe := range to {
					to[pe] = m.register("base_in", 2*pe+manager) + v
					if to[pe] >= 256 {
						fail(address)
					}
				}
				data := m.read(where(i, timestep, v))
				for pe, vector := range to {
					m.write("inputs", pe*256+vector, data, 0xff)
				}
			}
		}
		send(0, w.vectors(1), 1, in)
		for pe := range 4 {
			e := element{m: m, pe: pe, send: func(v int, data [16]int64) {
				memory, vector := where(2, out, v)
				m.write(memory, vector, data, 0xff)
			}}
			e.run()
		}
		if w.recurrent() {
			send(1, w.vectors(2), 2, out)
		}
	}
}

// An element is a PE in a timestep.
type element struct {
	m            *Machine
	pe           int
	send         func(v int, data [16]int64)
	manager, out int // whose products come next
	ended        bool
}

// a returns the vector of a register of the activation unit; set writes it.
func (e *element) a(which int) [16]int64 {
	v := e.m.read("registers", e.pe*4+which)
	for j := range v {
		v[j] = signed(v[j], 20)
	}
	return v
}

func (e *element) set(which int, v [16]int64) { e.m.write("registers", e.pe*4+which, v, 1<<20-1) }

// run executes the program once for each output vector.
func (e *element) run() {
	m, pe := e.m, e.pe
	bias, operations := m.register("act_bias", pe), m.register("act_num_inst", pe)
	for v := range m.register("act_num_out", pe) {
		for n := range operations {
			op, ok := m.memories["program"].At[uint64(pe*32+n)]
			if !ok {
				fail(unwritten)
			}
			e.operation(int(op>>4), int(op>>2&3), int(op&3), v, bias)
		}
	}
	need(e.ended)
	for _, name := range []string{"pe_zero_first", "act_zero_first"} {
		m.memories[name].At[uint64(pe)] = 0
	}
}

func (e *element) operation(op, to, from, v, bias int) {
	m := e.m
	buffer := func() int {
		at := m.register("act_buf_base", e.pe) + v
		if at >= 32 {
			fail(address)
		}
		return e.pe*32 + at
	}
	codes := func(x [16]int64) [16]int64 {
		for j := range x {
			x[j] = m.encode(x[j], 14, bias)
		}
		return x
	}
	each := func(f func(x int64) int64) {
		x := e.a(to)
		for j := range x {
			x[j] = f(x[j])
		}
		e.set(to, x)
	}
	both := func(f func(x, y int64) int64) {
		x, y := e.a(to), e.a(from)
		for j := range x {
			x[j] = f(x[j], y[j])
		}
		e.set(to, x)
	}
	switch op {
	case 0:
	case 1:
		at := buffer()
		if m.register("act_zero_first", e.pe) == 1 {
			e.set(to, [16]int64{})
			return
		}
		x := m.read("activations", at)
		for j := range x {
			x[j] = decode(x[j], bias)
		}
		e.set(to, x)
	case 2:
		at := buffer()
		m.write("activations", at, codes(e.a(to)), 0xff)
	case 3:
		e.next(to)
	case 4:
		e.send(m.register("act_out_base", e.pe)+v, codes(e.a(to)))
	case 7:
		e.set(to, e.a(from))
	case 8:
		both(func(x, y int64) int64 { return x + y })
	case 9:
		both(product)
	case 10:
		each(Sigmoid)
	case 11:
		each(Tanh)
	case 12:
		each(func(x int64) int64 { return max(x, 0) })
	case 13:
		each(func(x int64) int64 { return 1<<14 - x })
	default:
		fail(operand)
	}
}

// next computes the next vector of products into a register.
func (e *element) next(to int) {
	m := e.m
	need(!e.ended)
	of := e.pe*2 + e.manager
	var sums [16]int64
	if m.register("pe_zero_first", e.pe) == 0 || m.register("zero_active", of) == 0 {
		count := m.register("num_in", of)
		for in := 0; ; {
			first := (e.out*count+in)*16 + m.register("base_w", of)
			if first+15 >= 1<<16 || m.register("base_in", of)+in >= 256 {
				fail(address)
			}
			operand := m.read("inputs", e.pe*256+m.register("base_in", of)+in)
			for r := range sums {
				for j, c := range m.read("weights", e.pe<<16+first+r) {
					sums[r] += decode(c, 0) * decode(operand[j], 0)
				}
			}
			if in = (in + 1) & 255; in == count {
				break
			}
		}
	}
	var added [16]int64
	if m.register("pe_bias", e.pe) == 1 {
		at := m.register("base_b", of) + e.out
		if at >= 256 {
			fail(address)
		}
		added = m.read("inputs", e.pe*256+at)
		for r := range added {
			added[r] = decode(added[r], m.register("bias_b", of))
		}
	}
	shift := 14 - m.register("bias_w", of) - m.register("bias_in", of)
	for r, s := range sums {
		s = signed(signed(s, 32)>>shift+added[r], 32)
		sums[r] = min(max(s, -(1<<19-1)), 1<<19-1)
	}
	e.set(to, sums)
	e.manager++
	if e.manager == m.register("pe_num_manager", e.pe) {
		e.manager = 0
		e.out++
		e.ended = e.out == m.register("pe_num_out", e.pe)
	}
}
