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
}

// A write is an instruction: an address and a vector.
type write struct {
	addr uint64
	data [lanes]*term.Term
	text string
}

// word returns the write of a configuration: values of fields of whole bytes, by their lowest byte.
func word(b *term.Builder, addr uint64, text string, fields map[int]int) write {
	w := write{addr: addr, text: text}
	for j := range w.data {
		w.data[j] = b.Bits(8, uint64(fields[j]))
	}
	return w
}

// Linear returns the program for out = x · wᵀ + bias on codes of AdaptivFloat<8,3>, x [m][k], w [n][k], bias [n]
// and out [m][n], and its contract. Products are summed exactly modulo 2^32, in units of 2^(Weights+Inputs-28);
// the sum is shifted right to Q6.14, rounding down; the bias is added, modulo 2^32; the result is cut to
// ±(2^19 - 1) and rounded to a code by the hardware's quantiser. An error says which size does not fit.
//
// The host pads k to 16 and n to 64 with zeros: each of the four PEs has a quarter of the output vectors. Weights
// lie in tiles of 16 by 16, a tile of inputs after the other; biases in the input buffer behind the inputs;
// x in the large buffer by memory manager 0, out behind it by manager 1.
func Linear(m, n, k int, o LinearOptions) (*ila.Task, error) { return linear(NewModel(), m, n, k, o) }

func linear(machine *Machine, m, n, k int, o LinearOptions) (*ila.Task, error) {
	for _, d := range []struct {
		name       string
		size, most int
	}{{"m", m, 1<<16 - 1}, {"n", n, 255 / pes * pes * lanes}, {"k", k, 255 * lanes}} {
		if d.size < 1 || d.size > d.most {
			return nil, fmt.Errorf("%s is %d: the machine takes 1 to %d", d.name, d.size, d.most)
		}
	}
	up := func(x, y int) int { return (x + y - 1) / y }
	inputs, outputs := up(k, lanes), up(n, pes*lanes) // vectors; of outputs those of one PE
	first := up(m, 16) * 16 * inputs                  // vector of the outputs in the large buffer
	switch {
	case inputs+outputs > inputsSize/lanes:
		return nil, fmt.Errorf("%dx%d: %d vectors of inputs and %d of biases do not fit the input buffer of %d", n, k,
			inputs, outputs, inputsSize/lanes)
	case inputs*outputs*lanes > weightsSize/lanes:
		return nil, fmt.Errorf("%dx%d: the weights do not fit the weight buffers", n, k)
	case first+up(m, 16)*16*outputs*pes > largeSize/lanes:
		return nil, fmt.Errorf("%dx%dx%d: inputs and outputs do not fit the large buffer", m, n, k)
	}
	for _, bias := range []int{o.Weights, o.Inputs, o.Biases, o.Outputs} {
		if bias < 0 || bias > 7 {
			return nil, fmt.Errorf("bias %d: it has 3 bits", bias)
		}
	}
	b := machine.B
	t := &ila.Task{Name: fmt.Sprintf("flexasr-linear %dx%dx%d", m, n, k), Model: machine.Model}
	x := t.Declare("x", 8, false, m, k)
	w := t.Declare("w", 8, false, n, k)
	var bias *ila.Tensor
	if !o.NoBias {
		bias = t.Declare("bias", 8, false, n)
	}
	var list []write
	// vector adds a write of 16 elements of a tensor of which size are there, from one on; the rest is 0
	vector := func(addr uint64, text string, of *ila.Tensor, from, size int) {
		v := write{addr: addr, text: text}
		for j := range v.data {
			if v.data[j] = b.Bits(8, 0); j < size {
				v.data[j] = t.Element(of, from+j)
			}
		}
		list = append(list, v)
	}
	lanesAt := func(v int) uint64 { return uint64(v) * lanes }
	for pe := range pes {
		base := uint64(addrPE + pe*nextPE)
		for tile := range outputs {
			row := (pe*outputs + tile) * lanes // of w
			for in := range inputs {
				for r := range lanes {
					at, text, from, size := base+offsetWeights+lanesAt((tile*inputs+in)*lanes+r), "weights of padding", 0, 0
					if row+r < n {
						text, from, size = fmt.Sprintf("weights of output %d", row+r), (row+r)*k+in*lanes, k-in*lanes
					}
					vector(at, text, w, from, size)
				}
			}
			if bias != nil {
				text := fmt.Sprintf("biases from output %d", row)
				vector(base+offsetInputs+lanesAt(inputs+tile), text, bias, row, n-row)
			}
		}
	}
	for ts := range m {
		for v := range inputs {
			vector(addrLarge+lanesAt(ts%16+(ts/16*inputs+v)*16), fmt.Sprintf("timestep %d, vector %d", ts, v),
				x, ts*k+v*lanes, k-v*lanes)
		}
	}
	flag := map[bool]int{true: 1}
	for pe := range pes {
		base := uint64(addrPE + pe*nextPE)
		list = append(list,
			word(b, base+offsetSizing, fmt.Sprintf("size PE %d", pe),
				map[int]int{0: 1, 3: flag[bias != nil], 4: 1, 5: outputs}),
			word(b, base+offsetManager1, fmt.Sprintf("configure manager 1 of PE %d", pe),
				map[int]int{1: o.Weights, 2: o.Biases, 3: o.Inputs, 4: inputs, 8: inputs & 0xff, 9: inputs >> 8}),
			word(b, base+offsetActivation, fmt.Sprintf("configure the activation unit of PE %d", pe),
				map[int]int{0: 1, 2: o.Outputs, 3: 2, 4: outputs, 8: pe * outputs}),
			word(b, base+offsetProgram, fmt.Sprintf("store the program of PE %d", pe),
				map[int]int{0: opInPE << 4, 1: opOutGB << 4}))
	}
	list = append(list,
		word(b, addrManager, "configure the memory managers",
			map[int]int{0: inputs, 4: pes * outputs, 6: first & 0xff, 7: first >> 8}),
		word(b, addrControl, "configure the control unit",
			map[int]int{0: 1, 4: 0, 5: 1, 6: inputs, 7: pes * outputs, 8: m & 0xff, 9: m >> 8}),
		word(b, addrStartControl, "start the control unit", map[int]int{0: 1}))
	for _, i := range list {
		t.Steps = append(t.Steps, ila.Step{Values: append([]*term.Term{b.Bits(32, i.addr)}, i.data[:]...), Text: i.text})
	}

	t.Output = ila.Tensor{Name: "out", Dims: []int{m, n}, Width: 8}
	t.Places = func(flat int) []ila.Place {
		ts, v, j := flat/n, flat%n/lanes, flat%n%lanes
		at := first + ts%16 + (ts/16*pes*outputs+v)*16
		return []ila.Place{{Memory: machine.Large, Address: lanesAt(at) + uint64(j)}}
	}
	t.Tables = map[string]func([]uint64) uint64{
		"adaptive8.3-units": func(args []uint64) uint64 { return units(args[0]) },
		"adaptive8.3-fixed": fixed(o.Biases),
		"adaptive8.3-code":  rounded(o.Outputs),
	}
	shift := 14 - o.Weights - o.Inputs
	t.Claim = fmt.Sprintf("out[t,j] = code(clip(((sum(i < %d) x[t,i]·w[j,i]) >> %d)%s)) in Q6.14, sums modulo 2^32, "+
		"clip to ±(2^19-1)", k, shift, map[bool]string{true: " + bias[j]"}[bias != nil])
	t.Contract = func(flat int) *term.Term {
		ts, row := flat/n, flat%n
		number := func(of *ila.Tensor, at int) *term.Term {
			return b.Apply(term.BitsSort(13), "adaptive8.3-units", t.Element(of, at))
		}
		pairs := make([]*term.Term, 0, 2*k)
		for i := range k {
			pairs = append(pairs, number(x, ts*k+i), number(w, row*k+i))
		}
		sum := b.ShrS(b.Dot(32, pairs...), b.Bits(32, uint64(shift)))
		if bias != nil {
			added := b.Apply(term.BitsSort(20), "adaptive8.3-fixed", t.Element(bias, row))
			sum = b.AddBits(sum, b.ExtendS(added, 32))
		}
		const most = 1<<19 - 1
		num := func(width int, v int64) *term.Term { return b.Bits(width, uint64(v)) }
		clipped := b.Choose(b.LessS(num(32, most), sum), num(20, most),
			b.Choose(b.LessS(sum, num(32, -most)), num(20, -most), b.Extract(sum, 0, 20)))
		return b.Apply(term.BitsSort(8), "adaptive8.3-code", clipped)
	}
	return t, nil
}
