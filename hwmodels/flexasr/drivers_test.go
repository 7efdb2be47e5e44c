package flexasr

import (
	"slices"
	"strings"
	"testing"

	"tv/ila"
	"tv/ila/prove"
	"tv/internal/tier"
	"tv/semantics/term"
)

// insert puts a copy of a step behind another one.
func (p *program) insert(behind, of int) {
	step := p.Steps[of]
	step.Values = slices.Clone(step.Values)
	p.Steps = slices.Insert(p.Steps, behind+1, step)
}

// each calls f for the data of each step whose text begins so.
func (p *program) each(text string, f func(step int, data []*term.Term)) {
	for i, s := range p.Steps {
		if strings.HasPrefix(s.Text, text) {
			f(i, s.Values[1:])
		}
	}
}

// Drivers with one thing changed: wrong ones are not proved, and those whose change is none to the result are.
func TestDriverMutants(t *testing.T) {
	tier.Sweep(t)
	maxpool := func() (*ila.Task, error) { return MaxPool(18, 32, 2) }
	meanpool := func() (*ila.Task, error) { return MeanPool(18, 32, 2) }
	layer := func() (*ila.Task, error) { return Linear(2, 120, 30, usual) }
	cell := func() (*ila.Task, error) { return LSTM(16, 16, 1, LSTMOptions{LinearOptions: usual}) }
	const reduction, control, program0 = "configure the reduction", "configure the control unit", "store the program of PE 0"
	for _, test := range []struct {
		name   string
		task   func() (*ila.Task, error)
		mutate func(p *program)
		want   prove.Verdict
	}{
		// pools
		{"a vector stored again, as zeros", maxpool, func(p *program) {
			p.insert(9, 9)
			for lane := range lanes {
				p.set(10, lane, 0)
			}
		}, prove.Refuted},
		{"a vector stored again, alike", maxpool, func(p *program) { p.insert(9, 9) }, prove.Proved},
		{"a vector stored behind the start", maxpool, func(p *program) { p.insert(len(p.Steps)-1, 0) }, prove.Refuted},
		{"reduced twice", maxpool, func(p *program) { p.insert(len(p.Steps)-1, len(p.Steps)-1) }, prove.Refuted},
		{"means of means", meanpool, func(p *program) { p.insert(len(p.Steps)-1, len(p.Steps)-1) }, prove.Refuted},
		{"256 timesteps more", maxpool, func(p *program) { p.set(p.find(reduction, 0), 9, 1) }, prove.Refuted},
		{"configured again, in another mode", maxpool, func(p *program) {
			at := p.find(reduction, 0)
			p.insert(at, at)
			p.set(at+1, 1, 1)
		}, prove.Refuted},
		{"configured in another mode before", maxpool, func(p *program) {
			at := p.find(reduction, 0)
			p.insert(at, at)
			p.set(at, 1, 2)
		}, prove.Proved},
		{"lanes turned round", maxpool, func(p *program) {
			p.each("store timestep", func(_ int, data []*term.Term) { slices.Reverse(data) })
		}, prove.Refuted},
		{"row by row instead of in blocks", maxpool, func(p *program) {
			n := int64(0)
			p.each("store timestep", func(step int, _ []*term.Term) {
				p.Steps[step].Values[0] = p.Model.B.Bits(32, addrLarge+uint64(n)*lanes)
				n++
			})
		}, prove.Refuted},
		{"the second block onto the first", maxpool, func(p *program) { p.move(p.find("store timestep 16", 0), -2*16*lanes) }, prove.Refuted},
		{"another exponent bias of the reduction", maxpool, func(p *program) { p.set(p.find(reduction, 0), 12, 5) }, prove.Proved},
		{"another tensor for memory manager 1", maxpool, func(p *program) {
			p.set(p.find("configure the memory manager", 0), 4, 9)
		}, prove.Proved},
		{"no vectors", maxpool, func(p *program) { p.set(p.find(reduction, 0), 6, 0) }, prove.Refuted},
		{"means of codes 0 in the last lane", meanpool, func(p *program) { p.set(p.find("store timestep 3", 0), 15, 0) }, prove.Refuted},
		// linear layers
		{"a tile transposed", layer, func(p *program) {
			first := p.find("weights of w, row 0", 0) // of a tile of 16 steps
			var rows [lanes][]*term.Term
			for r := range rows {
				rows[r] = slices.Clone(p.Steps[first+r].Values[1:])
			}
			for r := range rows {
				for c := range rows {
					p.Steps[first+r].Values[1+c] = rows[c][r]
				}
			}
		}, prove.Refuted},
		{"weights in the rows of padding", layer, func(p *program) { p.set(p.find("weights of padding", 0), 3, one) }, prove.Proved},
		{"inputs in the columns of padding", layer, func(p *program) { p.set(p.find("timestep 1, vector 1", 0), 15, one) }, prove.Proved},
		{"inputs and weights in the columns of padding", layer, func(p *program) {
			p.set(p.find("timestep 1, vector 1", 0), 15, 0x7f)
			p.set(p.find("weights of w, row 7", 1), 15, 0x7f)
		}, prove.Refuted},
		{"a program in the second half", layer, func(p *program) { p.move(p.find(program0, 0), lanes) }, prove.Refuted},
		{"nothing sent", layer, func(p *program) { p.set(p.find(program0, 0), 1, 0) }, prove.Refuted},
		{"outputs sent twice", layer, func(p *program) {
			p.set(p.find(program0, 0), 2, 0x40)
			p.set(p.find("configure the activation unit of PE 0", 0), 3, 3)
		}, prove.Proved},
		{"run twice", layer, func(p *program) { p.insert(len(p.Steps)-1, len(p.Steps)-1) }, prove.Proved},
		{"outputs of two PEs exchanged", layer, func(p *program) {
			p.set(p.find("configure the activation unit of PE 0", 0), 8, 2)
			p.set(p.find("configure the activation unit of PE 1", 0), 8, 0)
		}, prove.Refuted},
		{"inputs by the manager of the outputs", layer, func(p *program) { p.set(p.find(control, 0), 4, 1) }, prove.Refuted},
		{"inputs stored behind the start", layer, func(p *program) {
			at := p.find("timestep 0, vector 0", 0)
			step := p.Steps[at]
			p.drop(at)
			p.Steps = append(p.Steps, step)
		}, prove.Refuted},
		{"a timestep in the next block", layer, func(p *program) { p.move(p.find("timestep 1, vector 0", 0), 16*2*lanes) }, prove.Refuted},
		{"a biases flag with a bit beside it", layer, func(p *program) { p.set(p.find("size PE 1", 0), 3, 3) }, prove.Proved},
		{"timesteps of another byte", layer, func(p *program) { p.set(p.find(control, 0), 9, 1) }, prove.Refuted},
		{"the second manager instead of the first", layer, func(p *program) { p.move(p.find("configure manager 1 of PE 2", 0), 0x20) }, prove.Refuted},
		// cells of an LSTM
		{"gates f and o exchanged", cell, func(p *program) {
			for r := range lanes {
				p.swap(p.find("weights of wx", r+2*lanes), p.find("weights of wx", r+3*lanes))
			}
		}, prove.Refuted},
		{"biases of inputs and states exchanged", cell, func(p *program) {
			p.swap(p.find("biases bx, row 16", 0), p.find("biases bh, row 16", 0)) // another result where a sum is cut alone
		}, prove.Unknown},
		{"i + g for i · g", cell, func(p *program) { p.set(p.find(program0, 0), 8, 0x81) }, prove.Refuted},
		{"sigm of the cell", cell, func(p *program) { p.set(p.find(program0, 1), 1, 0xA0) }, prove.Refuted},
		{"the cell stored behind its tanh", cell, func(p *program) {
			at := p.find(program0, 1)
			p.set(at, 0, 0xB0)
			p.set(at, 1, 0x20)
		}, prove.Refuted},
		{"states not handed back", cell, func(p *program) { p.set(p.find(control, 0), 2, 0) }, prove.Proved}, // one timestep
	} {
		task, err := test.task()
		if err != nil {
			t.Fatal(err)
		}
		test.mutate(programOf(task))
		if r := verify(t, task, nil); r.Verdict != test.want {
			t.Errorf("%s: %s, want %s: %s", test.name, r.Verdict, test.want, r.Detail)
		}
	}
}
