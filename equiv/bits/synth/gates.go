package synth

import (
	"math/big"

	circuits "tv/equiv/bits"
	"tv/equiv/bits/aig"
	"tv/semantics/bits/cells"
	"tv/semantics/bits/word"
)

// gates are the bits of a sketch's output as gates over its holes, where its inputs have values. Registers are as if they were none.
func (s *Sketch) gates(g *aig.Graph, values []*big.Int) aig.Word {
	at := make([]aig.Lit, len(s.nets))
	for n := range s.nets {
		switch x := &s.nets[n]; x.kind {
		case constant:
			at[n] = aig.Bool(x.a == 1)
		case input:
			at[n] = aig.Bool(values[x.a].Bit(x.b) == 1)
		case holeBit:
			at[n] = g.Input(aig.Signal{Port: s.holes[x.a].name, Bit: x.b})
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
