package run

import "tv/ila"

// A Writer is what wrote a cell last: an instruction of a program, and which of its micro-steps, counted from 1 on, or 0 where it has none.
type Writer struct{ Step, Micro int }

// later tells whether w wrote after x.
func (w Writer) later(x Writer) bool {
	return w.Step > x.Step || w.Step == x.Step && w.Micro > x.Micro
}

// Writers returns what wrote the cells of an element of the output last, and of what that took from other instructions what was
// written last; where it took nothing, or that came before the program, both are one. ok is false where the program's way depends on data, or nothing wrote them.
func Writers(t *ila.Task, flat int) (element, stored Writer, ok bool) {
	type cell struct {
		memory *ila.Var
		at     uint64
	}
	target := map[cell]bool{}
	for _, p := range t.Places(flat) {
		target[cell{p.Memory, p.Address}] = true
	}
	s := NewSymbolic(t.Model)
	s.Load(t)
	last := map[cell]Writer{}
	var now Writer
	var took Writer // the latest that the event at hand read from other instructions
	var any bool
	s.Before = func() { now.Micro, any = now.Micro+1, false }
	s.Access = func(memory *ila.Var, at uint64, write bool) {
		c := cell{memory, at}
		if !write {
			if w, known := last[c]; known && w.Step != now.Step && (!any || w.later(took)) {
				took, any = w, true
			}
			return
		}
		last[c] = now
		if target[c] {
			element, stored, ok = now, now, true
			if any {
				stored = took
			}
		}
	}
	for n, step := range t.Steps {
		now, any = Writer{Step: n}, false
		if s.Take(&step) != nil {
			return element, stored, false
		}
	}
	return element, stored, ok
}
