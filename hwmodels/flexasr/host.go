package flexasr

import (
	"fmt"

	"tv/ila"
	"tv/semantics/term"
)

// A host writes the program of a task: operands, then configurations.
type host struct {
	m *Machine
	*ila.Task
}

func newHost(m *Machine, name string) *host {
	return &host{m, &ila.Task{Name: name, Model: m.Model}}
}

// codes declares an input of codes.
func (h *host) codes(name string, dims ...int) *ila.Tensor {
	x := h.Declare(name, 8, false, dims...)
	x.Format = codesName
	return x
}

func (h *host) write(addr uint64, text string, data [lanes]*term.Term) {
	values := append([]*term.Term{h.m.B.Bits(32, addr)}, data[:]...)
	h.Steps = append(h.Steps, ila.Step{Values: values, Text: text})
}

// word writes a configuration: values of fields of whole bytes, by their lowest byte, and biases; those left out are 0.
func (h *host) word(addr uint64, text string, fields map[int]int, biases map[int]exponent) {
	var data [lanes]*term.Term
	for j := range data {
		data[j] = h.m.B.Bits(8, uint64(fields[j]))
	}
	for j, e := range biases {
		data[j] = e.bits(h.m.B, 8)
	}
	h.write(addr, text, data)
}

// vector writes 16 elements of a tensor from one on, of which size are there; the rest is 0.
func (h *host) vector(addr uint64, text string, of *ila.Tensor, from, size int) {
	if size >= lanes {
		h.Steps = append(h.Steps, ila.Step{Values: []*term.Term{h.m.B.Bits(32, addr)}, Row: ila.Stretch{Tensor: of, From: from, Count: lanes}, Text: text})
		return
	}
	var data [lanes]*term.Term
	for j := range min(size, lanes) {
		data[j] = h.Element(of, from+j)
	}
	for j := max(size, 0); j < lanes; j++ {
		data[j] = h.m.B.Bits(8, 0)
	}
	h.write(addr, text, data)
}

// tile writes the weights of 16 outputs, rows of a matrix of k columns of which size are there, as tiles of 16 by 16
// from a vector of the weight buffer of a PE on.
func (h *host) tile(pe, vector int, w *ila.Tensor, row, size, k int) {
	for in := range blocks(k, lanes) {
		for r := range lanes {
			text, from, columns := "weights of padding", 0, 0
			if r < size {
				text = fmt.Sprintf("weights of %s, row %d", w.Name, row+r)
				from, columns = (row+r)*k+in*lanes, k-in*lanes
			}
			h.vector(base(pe)+offsetWeights+bytes(vector+in*lanes+r), text, w, from, columns)
		}
	}
}

// tensor writes timesteps of whole vectors from the start of the large buffer on.
func (h *host) tensor(x *ila.Tensor, timesteps, vectors int) {
	for ts := range timesteps {
		for v := range vectors {
			h.vector(addrLarge+tensorPlace(ts, v*lanes, vectors), fmt.Sprintf("timestep %d, vector %d", ts, v), x,
				(ts*vectors+v)*lanes, lanes)
		}
	}
}

// tensorPlace returns the address of an element of a tensor that lies at the start of the large buffer.
func tensorPlace(ts, at, vectors int) uint64 {
	return bytes(ts%16+(ts/16*vectors+at/lanes)*16) + uint64(at%lanes)
}

// checkTensor says which size of such a tensor does not fit.
func checkTensor(timesteps, width int) error {
	vectors := width / lanes
	switch {
	case timesteps < 1 || timesteps >= 1<<16:
		return fmt.Errorf("%d timesteps: the machine takes 1 to 65535", timesteps)
	case width < lanes || width%lanes != 0 || vectors > 255:
		return fmt.Errorf("width %d: the machine takes a multiple of 16 from 16 to 4080", width)
	case blocks(timesteps, 16)*16*vectors > largeSize/lanes:
		return fmt.Errorf("%dx%d does not fit the large buffer of %d bytes", timesteps, width, largeSize)
	}
	return nil
}

// blocks returns how many blocks of a size cover n.
func blocks(n, size int) int { return (n + size - 1) / size }

// bytes returns the address of a vector in a buffer.
func bytes(vector int) uint64 { return uint64(vector) * lanes }

// base returns the address of a PE.
func base(pe int) uint64 { return addrPE + uint64(pe)*nextPE }

// A bound is a size and what the machine takes.
type bound struct {
	name       string
	size, most int
}

func checkSizes(list ...bound) error {
	for _, d := range list {
		if d.size < 1 || d.size > d.most {
			return fmt.Errorf("%s is %d: the machine takes 1 to %d", d.name, d.size, d.most)
		}
	}
	return nil
}

// check says which bias is none.
func (o LinearOptions) check() error {
	return checkBiases(o.Weights, o.Inputs, o.Biases, o.Outputs)
}

func checkBiases(list ...int) error {
	for _, bias := range list {
		if bias < 0 || bias > 7 {
			return fmt.Errorf("bias %d: it has 3 bits", bias)
		}
	}
	return nil
}
