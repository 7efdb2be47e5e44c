package flexasr

import (
	"fmt"
	"slices"

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

// LSTMOptions are the exponent biases of an LSTM and how the control unit goes over its timesteps.
type LSTMOptions struct {
	LinearOptions
	Mode int // of the control unit: 0 from the first on, 1 the same as forward half, 2 from the last on as backward half, 3 decoder
}

// LSTM returns the program for timesteps of an LSTM with k inputs and n states, and its contract: for each timestep
//
//	i, f, g, o = the four parts of clip(wx · x + bx) + clip(wh · h + bh), each sum as in Linear
//	c = sigm(f)·c + sigm(i)·tanh(g)        h = code(sigm(o)·tanh(c))        c = code(c)
//
// on codes x [steps][k], h and c [n], wx [4n][k], wh [4n][n], bx and bh [4n], out [steps+1][n]: the states of all timesteps, and the cells
// behind the last. Numbers are of Q6.14: sums wrap, products are shifted right by 14, rounding down, and wrap. sigm and tanh are by tables
// (Tables). h has the bias of inputs at first and that of outputs later, which must be one where there is more than one timestep; c has
// that of outputs. An error says which size does not fit.
//
// The tensors have their gates in the order i, f, g, o; the host puts their rows into the order i, g, f, o of the
// hardware. In mode 1 outputs lie at every second timestep of the large buffer from 0 on, in mode 2 from 1 on, and the timesteps are taken
// from the last on; in mode 3 there is one timestep, in the small buffer.
func LSTM(n, k, steps int, o LSTMOptions) (*ila.Task, error) { return Config{}.LSTM(n, k, steps, o) }

// LSTM is the same on the machine with the choices of c.
func (c Config) LSTM(n, k, steps int, o LSTMOptions) (*ila.Task, error) {
	return lstm(c.NewModel(), n, k, steps, o)
}

func lstm(machine *Machine, n, k, steps int, o LSTMOptions) (*ila.Task, error) {
	err := checkSizes(bound{"n", n, 63 / gates * pes * lanes}, bound{"k", k, 255 * lanes}, bound{"steps", steps, 1<<15 - 1})
	if err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	inputs, states, outputs := blocks(k, lanes), blocks(n, lanes), blocks(n, pes*lanes) // vectors
	biases := inputs + states
	out, double := blocks(steps, 16)*16*inputs, 1 // vector of the outputs in the large buffer
	if o.Mode == modeForward || o.Mode == modeBackward {
		double = 2
	}
	switch {
	case o.Mode < 0 || o.Mode > modeDecoder:
		return nil, fmt.Errorf("mode %d: the control unit has modes 0 to 3", o.Mode)
	case o.Mode == modeDecoder && steps > 1:
		return nil, fmt.Errorf("%d timesteps: the small buffer, which the decoder takes, has none", steps)
	case steps > 1 && !o.AllBiases && o.Inputs != o.Outputs:
		return nil, fmt.Errorf("states go back with the bias of outputs, %d, and are taken with that of inputs, %d: one bias for both where "+
			"there is more than one timestep", o.Outputs, o.Inputs)
	case biases+2*gates*outputs > inputsSize/lanes:
		return nil, fmt.Errorf("%dx%d: the operands and biases do not fit the input buffer of %d vectors", n, k,
			inputsSize/lanes)
	case biases*gates*outputs*lanes > weightsSize/lanes:
		return nil, fmt.Errorf("%dx%d: the weights do not fit the weight buffers", n, k)
	case outputs > activationsSize/lanes:
		return nil, fmt.Errorf("%d states do not fit the activation buffers", n)
	case out+blocks(double*steps, 16)*16*pes*outputs > largeSize/lanes || out >= 1<<16:
		return nil, fmt.Errorf("%dx%dx%d: inputs and outputs do not fit the large buffer", n, k, steps)
	}
	h := newHost(machine, fmt.Sprintf("flexasr-lstm %dx%dx%d", n, k, steps))
	x := h.codes("x", steps, k)
	state, cell := h.codes("h", n), h.codes("c", n)
	wx, wh := h.codes("wx", gates*n, k), h.codes("wh", gates*n, n)
	bx, bh := h.codes("bx", gates*n), h.codes("bh", gates*n)
	e := h.layer(o.LinearOptions, steps > 1)
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
	for ts := range steps {
		for v := range inputs {
			addr, text := uint64(addrSmall)+bytes(v), fmt.Sprintf("input, vector %d", v)
			if o.Mode != modeDecoder {
				addr, text = addrLarge+bytes(ts%16+(ts/16*inputs+v)*16), fmt.Sprintf("timestep %d, vector %d", ts, v)
			}
			h.vector(addr, text, x, ts*k+v*lanes, k-v*lanes)
		}
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
	h.word(addrManager, "configure the memory managers",
		map[int]int{0: inputs, 4: pes * outputs, 6: out & 0xff, 7: out >> 8}, nil)
	if o.Mode == modeDecoder {
		h.word(addrSmallManager, "configure the memory managers of the small buffer", map[int]int{2: inputs & 0xff, 3: inputs >> 8}, nil)
	}
	h.word(addrControl, "configure the control unit",
		map[int]int{0: 1, 1: o.Mode, 2: 1, 5: 1, 6: inputs, 7: states, 8: steps & 0xff, 9: steps >> 8}, nil)
	h.word(addrStartControl, "start the control unit", map[int]int{0: 1}, nil)

	h.Output = ila.Tensor{Name: "out", Dims: []int{steps + 1, n}, Width: 8, Format: codesName}
	h.Places = func(flat int) []ila.Place {
		ts, v, j := flat/n, flat%n/lanes, uint64(flat%n%lanes)
		switch {
		case ts == steps:
			at := uint64(v/outputs)*activationsSize + bytes(v%outputs)
			return []ila.Place{{Memory: machine.pe.activations, Address: at + j}}
		case o.Mode == modeDecoder:
			return []ila.Place{{Memory: machine.Small, Address: bytes(inputs+v) + j}}
		case o.Mode == modeForward:
			ts = 2 * ts
		case o.Mode == modeBackward:
			ts = 2*ts + 1
		}
		return []ila.Place{{Memory: machine.Large, Address: bytes(out+ts%16+(ts/16*pes*outputs+v)*16) + j}}
	}
	h.Claim = fmt.Sprintf("%d timesteps of i, f, g, o = clip(wx·x + bx) + clip(wh·h + bh) over %d inputs and %d states; "+
		"c = sigm(f)·c + sigm(i)·tanh(g); h = code(sigm(o)·tanh(c)), c = code(c)", steps, k, n)
	h.Rests = []string{machine.restsOn(functionSigm, functionTanh)}
	run := &recurrence{h: h, e: e, n: n, x: x, wx: wx, wh: wh, bx: bx, bh: bh,
		state: [][]*term.Term{h.codesOf(state, n)}, cell: [][]*term.Term{h.codesOf(cell, n)}}
	for ts := range steps {
		if o.Mode == modeBackward {
			ts = steps - 1 - ts
		}
		run.order = append(run.order, ts)
	}
	h.Contract = func(flat int) *term.Term {
		if ts := flat / n; ts < steps {
			state, _ := run.at(slices.Index(run.order, ts), flat%n)
			return state
		}
		_, cell := run.at(steps-1, flat%n)
		return cell
	}
	return h.Task, nil
}

// A recurrence is the states and cells of an LSTM as terms: codes, each made once. Those at first are of step 0.
type recurrence struct {
	h                 *host
	e                 layerBiases
	n                 int
	x, wx, wh, bx, bh *ila.Tensor
	order             []int // timestep of x that a step takes
	state, cell       [][]*term.Term
}

// at returns the state and the cell after a step.
func (r *recurrence) at(step, at int) (state, cell *term.Term) {
	for len(r.state) <= step+1 {
		r.state, r.cell = append(r.state, make([]*term.Term, r.n)), append(r.cell, make([]*term.Term, r.n))
	}
	if done := r.state[step+1][at]; done != nil {
		return done, r.cell[step+1][at]
	}
	h, b, n := r.h, r.h.m.B, r.n
	for i := range n {
		if r.state[step][i] == nil {
			r.at(step-1, i)
		}
	}
	k := r.x.Dims[1]
	x, before := h.row(r.x, r.order[step]*k, k), ila.Factors{Terms: r.state[step]}
	gate := func(function string, which int) *term.Term {
		g := which*n + at
		parts := b.AddBits(h.sum(r.e, x, h.row(r.wx, g*k, k), r.bx, g),
			h.sum(r.e, before, h.row(r.wh, g*n, n), r.bh, g))
		return b.Apply(term.BitsSort(20), function, parts)
	}
	kept := h.times(gate(functionSigm, gateForget), h.value(r.cell[step][at], r.e.outputs))
	c := b.AddBits(h.times(gate(functionSigm, gateIn), gate(functionTanh, gateCell)), kept)
	state = h.code(h.times(b.Apply(term.BitsSort(20), functionTanh, c), gate(functionSigm, gateOut)), r.e.outputs)
	cell = h.code(c, r.e.outputs)
	r.state[step+1][at], r.cell[step+1][at] = state, cell
	return state, cell
}
