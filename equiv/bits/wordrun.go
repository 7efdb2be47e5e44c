package bits

import (
	"math/big"

	"tv/semantics/bits"
	"tv/semantics/bits/word"
)

// run computes a design's outputs at a cycle, word by word from the initial values on, and tells whether its assumptions hold in all cycles
// up to last.
func (m *machine) run(d *bits.Design, cycle, last int, inputs []Stream, open func(name string, cycle int) *big.Int) (outputs map[string]*big.Int, holds bool) {
	state := map[string]*big.Int{}
	var roots []*word.Word
	for _, r := range d.Registers {
		v := new(big.Int)
		if r.Initial != nil {
			v.Set(r.Initial)
		}
		free := open(r.Name, -1)
		for i := range r.Width {
			if r.Initial == nil || r.Open != nil && r.Open.Bit(i) != 0 {
				v.SetBit(v, i, free.Bit(i))
			}
		}
		state[r.Name] = v
		roots = append(roots, r.Next)
	}
	for _, a := range d.Assume {
		roots = append(roots, a.Word)
	}
	for _, o := range d.Outputs {
		roots = append(roots, o.Word)
	}
	holds = true
	for c := range last + 1 {
		of := word.Eval(func(w *word.Word) *big.Int {
			switch w.Op {
			case word.State:
				return state[w.Name]
			case word.Open:
				return open(w.Name, c)
			}
			for _, s := range inputs {
				if s.Name == w.Name {
					return s.Values[c]
				}
			}
			return new(big.Int)
		}, roots...)
		for _, a := range d.Assume {
			holds = holds && of[a.Word].Sign() != 0
		}
		if c == cycle {
			outputs = map[string]*big.Int{}
			for _, o := range d.Outputs {
				outputs[o.Name] = of[o.Word]
			}
		}
		next := map[string]*big.Int{}
		for _, r := range d.Registers {
			next[r.Name] = of[r.Next]
		}
		state = next
	}
	return outputs, holds
}
