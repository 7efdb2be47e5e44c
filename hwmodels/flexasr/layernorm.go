package flexasr

import (
	"fmt"

	"tv/ila"
	"tv/semantics/term"
)

// NormOptions are the exponent biases of the tensors of a layer norm: of x and the result, of gamma and of beta.
type NormOptions struct {
	Inputs, Gamma, Beta int
	AllBiases           bool // any: the task has an input "exponents" of these three
}

// LayerNorm returns the program that normalises timesteps of a width that 16 divides, and its contract, on codes x and out
// [timesteps][width], gamma and beta [width]. For each timestep, in Q6.14:
//
//	mean = (sum x) / width        variance = (sum x·x) / width - mean·mean        out = code((x - mean)·r(variance)·gamma + beta)
//
// Products are shifted right by 14, rounding down, and wrap, as sums do; sums of 16 have 20 bits, those of a timestep 24; quotients are cut
// toward 0; r is 1/sqrt by a table (Tables), of a variance as a number without sign. Nothing is added to the variance. An error says
// which size does not fit.
func LayerNorm(timesteps, width int, o NormOptions) (*ila.Task, error) {
	return Config{}.LayerNorm(timesteps, width, o)
}

// LayerNorm is the same on the machine with the choices of c.
func (c Config) LayerNorm(timesteps, width int, o NormOptions) (*ila.Task, error) {
	return layerNorm(c.NewModel(), timesteps, width, o)
}

func layerNorm(machine *Machine, timesteps, width int, o NormOptions) (*ila.Task, error) {
	if err := checkTensor(timesteps, width); err != nil {
		return nil, err
	}
	if err := checkBiases(o.Inputs, o.Gamma, o.Beta); err != nil {
		return nil, err
	}
	vectors := width / lanes
	h := newHost(machine, fmt.Sprintf("flexasr-layernorm %dx%d", timesteps, width))
	x, gamma, beta := h.codes("x", timesteps, width), h.codes("gamma", width), h.codes("beta", width)
	e := h.exponents(o.AllBiases, o.Inputs, o.Gamma, o.Beta)
	for _, e := range e {
		h.use(tableValue, e)
	}
	h.use(tableCode, e[0])
	h.tensor(x, timesteps, vectors)
	for v := range vectors {
		h.vector(addrSmall+bytes(v), fmt.Sprintf("gamma, vector %d", v), gamma, v*lanes, lanes)
		h.vector(addrSmall+bytes(vectors+v), fmt.Sprintf("beta, vector %d", v), beta, v*lanes, lanes)
	}
	h.word(addrManager, "configure the memory managers", map[int]int{0: vectors}, nil)
	h.word(addrSmallManager, "configure the memory managers of the small buffer", map[int]int{2 * managerBeta: vectors}, nil)
	h.word(addrNorm, "configure layer norm", map[int]int{0: 1, 6: vectors, 8: timesteps & 0xff, 9: timesteps >> 8},
		map[int]exponent{12: e[0], 14: e[2], 15: e[1]})
	h.word(addrStartNorm, "start layer norm", map[int]int{0: 1}, nil)

	h.Output = ila.Tensor{Name: "out", Dims: []int{timesteps, width}, Width: 8, Format: codesName}
	h.Places = func(flat int) []ila.Place {
		return []ila.Place{{Memory: machine.Large, Address: tensorPlace(flat/width, flat%width, vectors)}}
	}
	h.Claim = fmt.Sprintf("out[t,w] = code((x[t,w] - mean)·r(variance)·gamma[w] + beta[w]) in Q6.14; mean = (sum x[t])/%[1]d, "+
		"variance = (sum x[t]·x[t])/%[1]d - mean·mean, r = 1/sqrt", width)
	h.Rests = []string{machine.restsOn(functionInverseRoot)}
	b := machine.B
	value := func(ts, at int) *term.Term { return h.value(h.Element(x, ts*width+at), e[0]) }
	mean, root := make([]*term.Term, timesteps), make([]*term.Term, timesteps)
	statistics := func(ts int) {
		average := func(of func(x *term.Term) *term.Term) *term.Term {
			sum := b.Bits(24, 0)
			for from := 0; from < width; from += lanes {
				part := b.Bits(20, 0)
				for at := from; at < from+lanes; at++ {
					part = b.AddBits(part, of(value(ts, at)))
				}
				sum = b.AddBits(sum, b.ExtendS(part, 24))
			}
			n := b.Bits(24, uint64(width))
			cut := b.Choose(b.LessS(sum, b.Bits(24, 0)), b.NegBits(b.DivU(b.NegBits(sum), n)), b.DivU(sum, n))
			return b.Extract(cut, 0, 20)
		}
		mean[ts] = average(func(x *term.Term) *term.Term { return x })
		squares := average(func(x *term.Term) *term.Term { return h.times(x, x) })
		root[ts] = b.Apply(term.BitsSort(20), functionInverseRoot, b.SubBits(squares, h.times(mean[ts], mean[ts])))
	}
	h.Contract = func(flat int) *term.Term {
		ts, at := flat/width, flat%width
		if mean[ts] == nil {
			statistics(ts)
		}
		scaled := h.times(h.times(b.SubBits(value(ts, at), mean[ts]), root[ts]), h.value(h.Element(gamma, at), e[1]))
		return h.code(b.AddBits(scaled, h.value(h.Element(beta, at), e[2])), e[0])
	}
	return h.Task, nil
}
