package flexasr

import (
	"fmt"

	"tv/ila"
	"tv/semantics/term"
)

// LinearOptions are the exponent biases of the tensors of a linear layer, 0 to 7 each, and whether it adds biases.
type LinearOptions struct {
	Weights, Inputs, Biases, Outputs int
	NoBias                           bool
	AllBiases                        bool // any: the task has an input "exponents" of these four
}

// Linear returns the program for out = x · wᵀ + bias on codes of AdaptivFloat<8,3>, x [m][k], w [n][k], bias [n]
// and out [m][n], and its contract. Products are summed exactly modulo 2^32, in units of 2^(Weights+Inputs-28);
// the sum is shifted right to Q6.14, rounding down; the bias is added, modulo 2^32; the result is cut to
// ±(2^19 - 1) and rounded to a code by the hardware's quantiser. An error says which size does not fit.
//
// The host pads k to 16 and n to 64 with zeros: each of the four PEs has a quarter of the output vectors. Weights
// lie in tiles of 16 by 16, a tile of inputs after the other; biases in the input buffer behind the inputs;
// x in the large buffer by memory manager 0, out behind it by manager 1.
func Linear(m, n, k int, o LinearOptions) (*ila.Task, error) { return Config{}.Linear(m, n, k, o) }

// Linear is the same on the machine with the choices of c.
func (c Config) Linear(m, n, k int, o LinearOptions) (*ila.Task, error) {
	return linear(c.NewModel(), m, n, k, o)
}

func linear(machine *Machine, m, n, k int, o LinearOptions) (*ila.Task, error) {
	err := checkSizes(bound{"m", m, 1<<16 - 1}, bound{"n", n, 255 / pes * pes * lanes}, bound{"k", k, 255 * lanes})
	if err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	inputs, outputs := blocks(k, lanes), blocks(n, pes*lanes) // vectors; of outputs those of one PE
	first := blocks(m, 16) * 16 * inputs                      // vector of the outputs in the large buffer
	switch {
	case inputs+outputs > inputsSize/lanes:
		return nil, fmt.Errorf("%dx%d: %d vectors of inputs and %d of biases do not fit the input buffer of %d", n, k,
			inputs, outputs, inputsSize/lanes)
	case inputs*outputs*lanes > weightsSize/lanes:
		return nil, fmt.Errorf("%dx%d: the weights do not fit the weight buffers", n, k)
	case first+blocks(m, 16)*16*outputs*pes > largeSize/lanes:
		return nil, fmt.Errorf("%dx%dx%d: inputs and outputs do not fit the large buffer", m, n, k)
	}
	h := newHost(machine, fmt.Sprintf("flexasr-linear %dx%dx%d", m, n, k))
	x := h.codes("x", m, k)
	w := h.codes("w", n, k)
	var bias *ila.Tensor
	if !o.NoBias {
		bias = h.codes("bias", n)
	}
	e := h.layer(o, false)
	for pe := range pes {
		for v := range outputs {
			row := (pe*outputs + v) * lanes // of w
			h.tile(pe, v*inputs*lanes, w, row, n-row, k)
			if bias != nil {
				text := fmt.Sprintf("biases from output %d", row)
				h.vector(base(pe)+offsetInputs+bytes(inputs+v), text, bias, row, n-row)
			}
		}
	}
	for ts := range m {
		for v := range inputs {
			h.vector(addrLarge+bytes(ts%16+(ts/16*inputs+v)*16), fmt.Sprintf("timestep %d, vector %d", ts, v),
				x, ts*k+v*lanes, k-v*lanes)
		}
	}
	flag := map[bool]int{true: 1}
	for pe := range pes {
		h.word(base(pe)+offsetSizing, fmt.Sprintf("size PE %d", pe),
			map[int]int{0: 1, 3: flag[bias != nil], 4: 1, 5: outputs}, nil)
		h.word(base(pe)+offsetManager1, fmt.Sprintf("configure manager 1 of PE %d", pe),
			map[int]int{4: inputs, 8: inputs}, map[int]exponent{1: e.weights, 2: e.biases, 3: e.inputs})
		h.word(base(pe)+offsetActivation, fmt.Sprintf("configure the activation unit of PE %d", pe),
			map[int]int{0: 1, 3: 2, 4: outputs, 8: pe * outputs}, map[int]exponent{2: e.outputs})
		h.word(base(pe)+offsetProgram, fmt.Sprintf("store the program of PE %d", pe),
			map[int]int{0: opInPE << 4, 1: opOutGB << 4}, nil)
	}
	h.word(addrManager, "configure the memory managers",
		map[int]int{0: inputs, 4: pes * outputs, 6: first & 0xff, 7: first >> 8}, nil)
	h.word(addrControl, "configure the control unit",
		map[int]int{0: 1, 4: 0, 5: 1, 6: inputs, 7: pes * outputs, 8: m & 0xff, 9: m >> 8}, nil)
	h.word(addrStartControl, "start the control unit", map[int]int{0: 1}, nil)

	h.Output = ila.Tensor{Name: "out", Dims: []int{m, n}, Width: 8, Format: codesName}
	h.Places = func(flat int) []ila.Place {
		ts, v, j := flat/n, flat%n/lanes, flat%n%lanes
		at := first + ts%16 + (ts/16*pes*outputs+v)*16
		return []ila.Place{{Memory: machine.Large, Address: bytes(at) + uint64(j)}}
	}
	h.Claim = fmt.Sprintf("out[t,j] = code(clip(((sum(i < %d) x[t,i]·w[j,i]) >> %s)%s)) in Q6.14, sums modulo 2^32, "+
		"clip to ±(2^19-1)", k, o.shiftText(), map[bool]string{true: " + bias[j]"}[bias != nil])
	h.Contract = func(flat int) *term.Term {
		return h.code(h.sum(e, h.row(x, flat/n*k, k), h.row(w, flat%n*k, k), bias, flat%n), e.outputs)
	}
	return h.Task, nil
}
