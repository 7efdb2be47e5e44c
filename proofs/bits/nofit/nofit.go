// Package nofit checks that no configuration of one DSP48E2 computes a function late by some cycles. It knows no other package of tv: it
// enumerates what the slice can be by itself, from the description of the slice in doc/fpga.md, section 4, and shares nothing with what
// looks for configurations.
//
//	nofit.go   the question, the experiments, [Check]
//	signals.go what pins may be connected to, and the words at X and C, by cycle
//	adder.go   what the adder can make of them: sums, parities, majorities
//
// # What is shown
//
// Inputs are connected to A, B, C and D from bit 0 on, extended by zeros or by their sign, or all bits of a pin are 0, or all 1; A:B as one
// word too. Control pins are constant. The output is read from bit 0 of P on. Any RND, any legal OPMODE, ALUMODE, INMODE, CARRYINSEL and number
// of registers may be chosen. Each such slice is wrong for some inputs.
//
// # How
//
// An experiment is two runs whose inputs are the same but for one cycle, [Experiment.At]. Before the inputs differ, so do no registers. What
// goes into the adder is of two kinds: words that are made of inputs, each with its delay (the product, A:B, C), and the rest, which is
// constant or made of P as it was (P, P>>17, its sign, carries that were kept). At the first cycle in which a word of the first kind differs,
// the rest is the same in both runs. So the results differ there as that word makes them; and they must differ as the outputs are to do:
// not at all before At+Latency, and then by what the function says. A slice for which an experiment shows that this is not so is wrong in
// one of its two runs, whatever the rest is. Registers of control are filled long before.
package nofit

import "fmt"

// A Question is a function of operands, late by Latency cycles.
type Question struct {
	Widths  []int // of the operands, at most 30
	Width   int   // of the output, from 4 to 31: P>>17 has no more that are not its sign
	Latency int   // at most 8
}

// warm is the cycle from which on all registers of inputs are filled.
const warm = 6

// An Experiment is two runs from reset. The second differs from the first in the operands at cycle At alone.
type Experiment struct {
	At      int
	First   [][]uint64 // by cycle, from 0 to At+Latency, the operands
	Want    []uint64   // what the function says of First, by cycle up to At
	Changed []uint64   // the operands of the second run at cycle At
	Other   uint64     // what the function says of them
}

// Check returns nil where the experiments show that no configuration is right, or what they do not show.
func Check(q Question, list []Experiment) error {
	if q.Width < 4 || q.Width > 31 || q.Latency < 0 || q.Latency > 8 || len(q.Widths) == 0 || len(list) == 0 {
		return fmt.Errorf("a question that experiments do not decide")
	}
	for _, w := range q.Widths {
		if w < 1 || w > 30 {
			return fmt.Errorf("an operand of %d bits", w)
		}
	}
	for i := range list {
		if err := list[i].sound(q); err != nil {
			return fmt.Errorf("experiment %d: %w", i, err)
		}
	}
	for registered := range min(q.Latency, 1) + 1 {
		c := newChecker(q, list, registered)
		if err := c.informative(); err != nil {
			return err
		}
		if err := c.run(); err != nil {
			return err
		}
	}
	return nil
}

func (e *Experiment) sound(q Question) error {
	if e.At < warm || e.At < q.Latency || len(e.First) != e.At+q.Latency+1 || len(e.Want) != e.At+1 || len(e.Changed) != len(q.Widths) {
		return fmt.Errorf("runs of other lengths")
	}
	rows := append([][]uint64{e.Changed}, e.First...)
	for _, row := range rows {
		if len(row) != len(q.Widths) {
			return fmt.Errorf("a cycle with other operands")
		}
		for i, v := range row {
			if v>>q.Widths[i] != 0 {
				return fmt.Errorf("an operand that is too wide")
			}
		}
	}
	for _, v := range append([]uint64{e.Other}, e.Want...) {
		if v>>q.Width != 0 {
			return fmt.Errorf("an output that is too wide")
		}
	}
	return nil
}
