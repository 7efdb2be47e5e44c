package flexasr

import (
	"fmt"

	"tv/ila"
	"tv/semantics/term"
)

// The gates of an LSTM in the order of its tensors, that of Relay and PyTorch.
const (
	gateIn = iota
	gateForget
	gateCell
	gateOut
	gates
)

// hardwareGates is the order in which the program below takes the gates.
var hardwareGates = [gates]int{gateIn, gateCell, gateForget, gateOut}

// lstmProgram computes one output vector. For each gate it takes the part of the input and that of the state.
var lstmProgram = [...]byte{
	0x30, 0x34, 0x81, 0xA0, // A0 = i = sigm(x-part + h-part)
	0x34, 0x38, 0x86, 0xB4, 0x91, // A1 = g = tanh(...), A0 = i·g
	0x34, 0x38, 0x86, 0xA4, 0x18, 0x96, 0x81, // A1 = f = sigm(...), A2 = c, A0 = f·c + i·g
	0x20, 0xB0, 0x34, 0x38, 0x86, 0xA4, 0x91, 0x40, // c = A0, A1 = o = sigm(...), out = tanh(c)·o
}

// LSTM returns the program for one timestep of an LSTM with k inputs and n states, and its contract:
//
//	i, f, g, o = the four parts of clip(wx · x + bx) + clip(wh · h + bh), each sum as in Linear
//	c' = sigm(f)·c + sigm(i)·tanh(g)        out[0] = code(sigm(o)·tanh(c'))        out[1] = code(c')
//
// on codes x [k], h and c [n], wx [4n][k], wh [4n][n], bx and bh [4n], out [2][n]. Numbers are of Q6.14: sums wrap,
// products are shifted right by 14, rounding down, and wrap. sigm and tanh are by tables (Tables). h and out[0] have the
// biases of inputs and of outputs, c and out[1] that of outputs. An error says which size does not fit.
//
// The tensors have their gates in the order i, f, g, o; the host puts their rows into the order i, g, f, o of the
// hardware.
func LSTM(n, k int, o LinearOptions) (*ila.Task, error) { return lstm(NewModel(), n, k, o) }

func lstm(machine *Machine, n, k int, o LinearOptions) (*ila.Task, error) {
	if err := checkSizes(bound{"n", n, 63 / gates * pes * lanes}, bound{"k", k, 255 * lanes}); err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	inputs, states, outputs := blocks(k, lanes), blocks(n, lanes), blocks(n, pes*lanes) // vectors
	biases := inputs + states
	switch {
	case biases+2*gates*outputs > inputsSize/lanes:
		return nil, fmt.Errorf("%dx%d: the operands and biases do not fit the input buffer of %d vectors", n, k,
			inputsSize/lanes)
	case biases*gates*outputs*lanes > weightsSize/lanes:
		return nil, fmt.Errorf("%dx%d: the weights do not fit the weight buffers", n, k)
	case outputs > activationsSize/lanes:
		return nil, fmt.Errorf("%d states do not fit the activation buffers", n)
	}
	h := newHost(machine, fmt.Sprintf("flexasr-lstm %dx%d", n, k))
	x := h.codes("x", k)
	state, cell := h.codes("h", n), h.codes("c", n)
	wx, wh := h.codes("wx", gates*n, k), h.codes("wh", gates*n, n)
	bx, bh := h.codes("bx", gates*n), h.codes("bh", gates*n)
	e := h.layer(o)
	weights := inputs * gates * outputs * lanes // vector of those of the state
	for pe := range pes {
		for v := range outputs {
			first := (pe*outputs + v) * lanes // state
			for at, gate := range hardwareGates {
				tile, row := v*gates+at, gate*n+first
				h.tile(pe, tile*inputs*lanes, wx, row, n-first, k)
				h.tile(pe, weights+tile*states*lanes, wh, row, n-first, n)
				h.vector(base(pe)+offsetInputs+bytes(biases+tile), fmt.Sprintf("biases bx, row %d", row), bx, row, n-first)
				h.vector(base(pe)+offsetInputs+bytes(biases+gates*outputs+tile), fmt.Sprintf("biases bh, row %d", row), bh,
					row, n-first)
			}
			h.vector(base(pe)+offsetActivations+bytes(v), fmt.Sprintf("cells from %d", first), cell, first, n-first)
		}
		for v := range states {
			h.vector(base(pe)+offsetInputs+bytes(inputs+v), fmt.Sprintf("state, vector %d", v), state, v*lanes, n-v*lanes)
		}
	}
	for v := range inputs {
		h.vector(addrLarge+bytes(v*16), fmt.Sprintf("input, vector %d", v), x, v*lanes, k-v*lanes)
	}
	for pe := range pes {
		h.word(base(pe)+offsetSizing, fmt.Sprintf("size PE %d", pe),
			map[int]int{0: 1, 3: 1, 4: managers, 5: gates * outputs}, nil)
		manager := func(offset uint64, text string, vectors, weights, bias, operand int) {
			h.word(base(pe)+offset, text, map[int]int{4: vectors, 6: weights & 0xff, 7: weights >> 8, 8: bias, 10: operand},
				map[int]exponent{1: e.weights, 2: e.biases, 3: e.inputs})
		}
		manager(offsetManager1, fmt.Sprintf("configure manager 1 of PE %d", pe), inputs, 0, biases, 0)
		manager(offsetManager2, fmt.Sprintf("configure manager 2 of PE %d", pe), states, weights,
			biases+gates*outputs, inputs)
		h.word(base(pe)+offsetActivation, fmt.Sprintf("configure the activation unit of PE %d", pe),
			map[int]int{0: 1, 3: len(lstmProgram), 4: outputs, 8: pe * outputs}, map[int]exponent{2: e.outputs})
		for half := 0; half < len(lstmProgram); half += lanes {
			ops := map[int]int{}
			for j, op := range lstmProgram[half:min(half+lanes, len(lstmProgram))] {
				ops[j] = int(op)
			}
			h.word(base(pe)+offsetProgram+uint64(half), fmt.Sprintf("store the program of PE %d", pe), ops, nil)
		}
	}
	out := 16 * inputs // vector in the large buffer
	h.word(addrManager, "configure the memory managers",
		map[int]int{0: inputs, 4: pes * outputs, 6: out & 0xff, 7: out >> 8}, nil)
	h.word(addrControl, "configure the control unit",
		map[int]int{0: 1, 2: 1, 5: 1, 6: inputs, 7: states, 8: 1}, nil)
	h.word(addrStartControl, "start the control unit", map[int]int{0: 1}, nil)

	h.Output = ila.Tensor{Name: "out", Dims: []int{2, n}, Width: 8, Format: codesName}
	h.Places = func(flat int) []ila.Place {
		v, j := flat%n/lanes, uint64(flat%n%lanes)
		if flat < n {
			return []ila.Place{{Memory: machine.Large, Address: bytes(out+v*16) + j}}
		}
		at := uint64(v/outputs)*activationsSize + bytes(v%outputs)
		return []ila.Place{{Memory: machine.pe.activations, Address: at + j}}
	}
	h.Claim = fmt.Sprintf("i, f, g, o = clip(wx·x + bx) + clip(wh·h + bh) over %d inputs and %d states; "+
		"c' = sigm(f)·c + sigm(i)·tanh(g); out = code(sigm(o)·tanh(c')), code(c')", k, n)
	h.Rests = []string{machine.restsOn("sigm", "tanh")}
	b := machine.B
	gate := func(function string, which, at int) *term.Term {
		r := which*n + at
		parts := b.AddBits(h.sum(e, row{x, 0}, row{wx, r * k}, k, bx, r), h.sum(e, row{state, 0}, row{wh, r * n}, n, bh, r))
		return b.Apply(term.BitsSort(20), function, parts)
	}
	h.Contract = func(flat int) *term.Term {
		at := flat % n
		old := h.value(h.Element(cell, at), e.outputs)
		kept := h.times(gate("sigm", gateForget, at), old)
		c := b.AddBits(h.times(gate("sigm", gateIn, at), gate("tanh", gateCell, at)), kept)
		if flat >= n {
			return h.code(c, e.outputs)
		}
		return h.code(h.times(b.Apply(term.BitsSort(20), "tanh", c), gate("sigm", gateOut, at)), e.outputs)
	}
	return h.Task, nil
}
