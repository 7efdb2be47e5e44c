package flexasr

import (
	"fmt"

	"tv/ila"
	"tv/semantics/term"
)

// AttentionOptions are the exponent biases of the tensors of an attention: of the matrix, the query, the weights between them and the
// result.
type AttentionOptions struct {
	Matrix, Query, Weights, Outputs int
	AllBiases                       bool // any: the task has an input "exponents" of these four
}

// Attention returns the program that weighs the timesteps of a matrix by a query, and its contract, on codes x [timesteps][width] and
// q [width], whose width 16 divides; out [width]:
//
//	s[t] = sum x[t]·q, or -64 where that is 0        w[t] = code(exp(s[t] - max s) / sum exp(s - max s))        out = code(sum w[t]·x[t])
//
// Sums of products wrap modulo 2^32 in the units of the codes; scores are Q12.20, exponentials by a table (Tables) with 20 bits behind the
// point. The division is narrow: of each operand 2 bits before the point, and 4 behind it; 2 and 8 of the quotient. The result is
// rounded from the low 26 bits, 20 of them behind the point. Timesteps up to the next multiple of 16 are written by zero padding, so that
// their scores are -64. An error says which size does not fit.
func Attention(timesteps, width int, o AttentionOptions) (*ila.Task, error) {
	return Config{}.Attention(timesteps, width, o)
}

// Attention is the same on the machine with the choices of c.
func (c Config) Attention(timesteps, width int, o AttentionOptions) (*ila.Task, error) {
	return attention(c.NewModel(), timesteps, width, o)
}

func attention(machine *Machine, timesteps, width int, o AttentionOptions) (*ila.Task, error) {
	if err := checkTensor(timesteps, width); err != nil {
		return nil, err
	}
	if err := checkBiases(o.Matrix, o.Query, o.Weights, o.Outputs); err != nil {
		return nil, err
	}
	vectors, padded := width/lanes, blocks(timesteps, 16)*16
	switch {
	case padded > mostScores:
		return nil, fmt.Errorf("%d timesteps: the machine takes %d", timesteps, mostScores)
	case vectors+padded/16 > smallSize/lanes:
		return nil, fmt.Errorf("%dx%d: query and weights do not fit the small buffer", timesteps, width)
	}
	h := newHost(machine, fmt.Sprintf("flexasr-attention %dx%d", timesteps, width))
	x, q := h.codes("x", timesteps, width), h.codes("q", width)
	e := h.exponents(o.AllBiases, o.Matrix, o.Query, o.Weights, o.Outputs)
	matrix, query, weights, outputs := e[0], e[1], e[2], e[3]
	h.use(tableUnits, exponent{})
	h.use(tableShare, weights)
	h.use(tableFine, outputs)
	h.tensor(x, timesteps, vectors)
	for v := range vectors {
		h.vector(addrSmall+bytes(v), fmt.Sprintf("query, vector %d", v), q, v*lanes, lanes)
	}
	h.word(addrManager, "configure the memory managers", map[int]int{0: vectors}, nil)
	h.word(addrSmallManager, "configure the memory managers of the small buffer", map[int]int{2 * managerScratch: vectors}, nil)
	if padded > timesteps {
		h.word(addrPad, "configure zero padding", map[int]int{0: 1, 6: vectors, 8: timesteps & 0xff, 9: timesteps >> 8,
			10: padded & 0xff, 11: padded >> 8}, nil)
		h.word(addrStartPad, "start zero padding", map[int]int{0: 1}, nil)
	}
	h.word(addrAttention, "configure attention", map[int]int{0: 1, 6: vectors, 8: padded & 0xff, 9: padded >> 8},
		map[int]exponent{12: matrix, 13: query, 14: weights, 15: outputs})
	h.word(addrStartAttention, "start attention", map[int]int{0: 1}, nil)

	h.Output = ila.Tensor{Name: "out", Dims: []int{width}, Width: 8, Format: codesName}
	h.Places = func(flat int) []ila.Place { return []ila.Place{{Memory: machine.Small, Address: uint64(flat)}} }
	h.Claim = fmt.Sprintf("out[v] = code(sum(t < %d) w[t]·x[t,v]), w[t] = code(exp(s[t] - max s) / sum exp(s - max s)), s[t] = "+
		"sum(v < %d) x[t,v]·q[v], -64 where that is 0", timesteps, width)
	if padded > timesteps {
		h.Claim += fmt.Sprintf(", and for t from %d to %d", timesteps, padded-1)
	}
	h.Rests = []string{machine.restsOn(functionExp)}
	b := machine.B
	// code returns an element of the matrix, whose timesteps of padding are 0
	code := func(ts, at int) *term.Term {
		if ts >= timesteps {
			return nil
		}
		return h.Element(x, ts*width+at)
	}
	// product adds products of codes without their biases, sixteen at a time
	product := func(n int, left, right func(i int) *term.Term) *term.Term {
		sum := b.Bits(32, 0)
		for from := 0; from < n; from += lanes {
			var x, y ila.Factors
			for i := from; i < from+lanes; i++ {
				if l := left(i); l != nil {
					x.Terms, y.Terms = append(x.Terms, l), append(y.Terms, right(i))
				}
			}
			if x.Terms != nil {
				sum = b.AddBits(sum, machine.Products(32, tableUnits, x, y))
			}
		}
		return sum
	}
	// scaled takes products of numbers with two biases to 20 bits behind the point
	scaled := func(x *term.Term, e exponent) *term.Term {
		both := b.AddBits(matrix.bits(b, 32), e.bits(b, 32))
		eight := b.Bits(32, 8)
		return b.Choose(b.LessU(eight, both), b.Shl(x, b.SubBits(both, eight)), b.ShrS(x, b.SubBits(eight, both)))
	}
	var codes []*term.Term // the weights
	weigh := func() {
		least, masked := int64(scoreLeast), int64(scoreMasked)
		scores, most := make([]*term.Term, padded), b.Bits(32, uint64(least))
		for ts := range scores {
			sum := product(width, func(i int) *term.Term { return code(ts, i) }, func(i int) *term.Term { return h.Element(q, i) })
			scores[ts] = b.Choose(b.Equal(sum, b.Bits(32, 0)), b.Bits(32, uint64(masked)), scaled(sum, query))
			most = b.Choose(b.LessS(most, scores[ts]), scores[ts], most)
		}
		exps, total := make([]*term.Term, padded), b.Bits(32, 0)
		for from := 0; from < padded; from += lanes {
			part := b.Bits(32, 0)
			for ts := from; ts < from+lanes; ts++ {
				exps[ts] = b.Apply(term.BitsSort(32), functionExp, b.SubBits(scores[ts], most))
				part = b.AddBits(part, exps[ts])
			}
			total = b.AddBits(total, part)
		}
		for _, x := range exps {
			share := b.Apply(term.BitsSort(10), functionShare, b.Extract(x, 16, 6), b.Extract(total, 16, 6))
			codes = append(codes, h.apply(tableShare, 8, weights, share))
		}
	}
	h.Contract = func(flat int) *term.Term {
		if codes == nil {
			weigh()
		}
		sum := product(padded, func(i int) *term.Term { return code(i, flat) }, func(i int) *term.Term { return codes[i] })
		return h.apply(tableFine, 8, outputs, b.Extract(scaled(sum, weights), 0, 26))
	}
	return h.Task, nil
}
