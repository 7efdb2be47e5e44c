package race

import (
	"cmp"
	"slices"

	"tv/ila"
)

// A span is the cells [low, high) of a memory.
type span struct{ low, high uint64 }

// A footprint is the cells of a memory that an instruction reads or writes.
type footprint struct {
	memory *ila.Var
	write  bool
	spans  []span // ascending and apart
}

// A Recorder collects the cells that instructions touch, as a run meets them.
type Recorder struct {
	now   map[access]*footprint
	order []*footprint
	steps [][]*footprint
}

type access struct {
	memory *ila.Var
	write  bool
}

// NewRecorder returns a recorder before the first instruction.
func NewRecorder() *Recorder { return &Recorder{now: map[access]*footprint{}} }

// Access notes a cell.
func (r *Recorder) Access(memory *ila.Var, at uint64, write bool) {
	k := access{memory, write}
	f := r.now[k]
	if f == nil {
		f = &footprint{memory: memory, write: write}
		r.now[k] = f
		r.order = append(r.order, f)
	}
	if n := len(f.spans); n > 0 {
		switch last := &f.spans[n-1]; { // runs go through rows of cells, often the same row again
		case last.low <= at && at < last.high:
			return
		case last.high == at:
			last.high++
			return
		}
	}
	f.spans = append(f.spans, span{at, at + 1})
}

// Next ends an instruction.
func (r *Recorder) Next() {
	for _, f := range r.order {
		f.spans = joined(f.spans)
	}
	r.steps = append(r.steps, r.order)
	r.now, r.order = map[access]*footprint{}, nil
}

// joined sorts spans and joins those that touch.
func joined(list []span) (out []span) {
	slices.SortFunc(list, func(a, b span) int { return cmp.Or(cmp.Compare(a.low, b.low), cmp.Compare(a.high, b.high)) })
	for _, s := range list {
		if n := len(out); n > 0 && s.low <= out[n-1].high {
			out[n-1].high = max(out[n-1].high, s.high)
		} else {
			out = append(out, s)
		}
	}
	return out
}
