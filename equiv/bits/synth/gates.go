package synth

import (
	"math/big"
	bits64 "math/bits"

	circuits "tv/equiv/bits"
	"tv/equiv/bits/aig"
	"tv/semantics/bits/cells"
	"tv/semantics/bits/word"
)

// over are the bits of the output as gates over the holes, where inputs have values.
func (s *Sketch) over(g *aig.Graph, values []*big.Int) aig.Word {
	return s.gates(g, func(i, bit int) aig.Lit { return aig.Bool(values[i].Bit(bit) == 1) },
		func(i, bit int) aig.Lit { return g.Input(aig.Signal{Port: s.holes[i].name, Bit: bit}) })
}

// gates are the bits of a sketch's output as gates, of what its inputs and holes are. Registers are as if they were none.
func (s *Sketch) gates(g *aig.Graph, inputs, holes func(i, bit int) aig.Lit) aig.Word {
	at := make([]aig.Lit, len(s.nets))
	for n := range s.nets {
		switch x := &s.nets[n]; x.kind {
		case constant:
			at[n] = aig.Bool(x.a == 1)
		case input:
			at[n] = inputs(x.a, x.b)
		case holeBit:
			at[n] = holes(x.a, x.b)
		}
	}
	for _, n := range s.order {
		if n >= 0 {
			x := &s.nets[n]
			if at[n] = at[x.yes]; x.kind == pick {
				at[n] = g.Mux(at[x.sel], at[x.yes], at[x.no])
			}
			continue
		}
		p := &s.parts[^n]
		env := map[string]aig.Word{}
		row := func(name string, bits []net) {
			w := make(aig.Word, len(bits))
			for i, b := range bits {
				w[i] = at[b]
			}
			env[name] = w
		}
		for _, q := range p.params {
			if q.text == "" {
				row(cells.Hole+q.name, q.bits)
			}
		}
		for _, q := range p.in {
			row(q.name, q.bits)
		}
		model := s.model(p)
		outputs := make(aig.Word, len(model.Of))
		for _, m := range model.Parts {
			w := circuits.Gates(g, func(w *word.Word) aig.Word { return env[w.Name] }, m.Word)[0]
			copy(outputs[m.At:], w)
		}
		for _, q := range p.out {
			first := cells.Offset(model.Outputs, q.name)
			for i, b := range q.bits {
				at[b] = outputs[first+i]
			}
		}
	}
	out := make(aig.Word, len(s.result))
	for i, n := range s.result {
		out[i] = at[n]
	}
	return out
}

// A trial is samples that candidates are run on, 64 at a time, before they are compared for all inputs.
type trial struct {
	samples []sample
	batches []batch
}

// A batch has bits by sample: of inputs and bit of them, and of the output.
type batch struct {
	in   [][]uint64
	want []uint64
	used uint64
}

func newTrial(samples []sample, widths []int, width int) *trial {
	t := &trial{samples: samples}
	for first := 0; first < len(samples); first += 64 {
		b := batch{want: make([]uint64, width)}
		for _, w := range widths {
			b.in = append(b.in, make([]uint64, w))
		}
		for lane, x := range samples[first:min(first+64, len(samples))] {
			b.used |= 1 << lane
			for i, v := range x.in {
				for bit := range b.in[i] {
					b.in[i][bit] |= uint64(v.Bit(bit)) << lane
				}
			}
			for bit := range b.want {
				b.want[bit] |= uint64(x.want.Bit(bit)) << lane
			}
		}
		t.batches = append(t.batches, b)
	}
	return t
}

// fails are samples that a solution is wrong for, at most so many.
func (t *trial) fails(s *solution, most int) (out []sample) {
	g := aig.New()
	bits := s.gates(g, func(i, bit int) aig.Lit { return g.Input(aig.Signal{Port: s.inputs[i].name, Bit: bit}) },
		func(i, bit int) aig.Lit { return aig.Bool(s.found[i].Bit(bit) == 1) })
	place := map[string]int{}
	for i, p := range s.inputs {
		place[p.name] = i
	}
	in, values := make([]uint64, len(g.Signals())), make([]uint64, g.Len())
	for k, b := range t.batches {
		for i, x := range g.Signals() {
			in[i] = b.in[place[x.Port]][x.Bit]
		}
		g.Simulate(in, values)
		wrong := uint64(0)
		for i, l := range bits {
			wrong |= (l.Value(values) ^ b.want[i]) & b.used
		}
		for ; wrong != 0 && len(out) < most; wrong &= wrong - 1 {
			out = append(out, t.samples[64*k+bits64.TrailingZeros64(wrong)])
		}
	}
	return out
}
