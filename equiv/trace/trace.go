// Package trace says what two programs that differ compute on the way to an element at which they do: by the reference
// evaluator, on the inputs of a counterexample. What it says is for people to look at, and nothing rests on it.
//
//	Trace    both sides, the inputs, the result and where it differs: trace.go
//	Side     the parts of a program that the element rests on, from the result down; their elements and what these read: side.go
//	Field    the elements of a tensor that are shown of it: field.go
//
// Start with [Of].
package trace

import (
	"maps"
	"slices"

	"tv/equiv/sample"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/value"
)

// Limits on the work of a trace: elements of inputs that evaluators may read, for each field and each side, before they are
// asked for no further element.
const (
	fieldReads = 60_000
	stepReads  = 100_000
	likeReads  = 400_000 // for parts to be compared
	inputCells = 1_500   // of all inputs together
)

// A Trace is what there is to see of a counterexample.
type Trace struct {
	Sides  [2]Side // BEFORE and AFTER
	Inputs []Field // in the order of the counterexample; marked is what either side reads
	Result Field   // the tensor that differs: BEFORE's values, and AFTER's
	Random Field   // the same on random inputs; without panels where nothing is known there
}

// Of traces a counterexample of two programs. The error says why it cannot be run.
func Of(before, after semantics.Program, arith value.Arith, c *sample.Counterexample) (*Trace, error) {
	s := sample.New(before, after, arith, c.Seed)
	d, err := s.Recorded(c)
	if err != nil {
		return nil, err
	}
	t := &Trace{}
	programs := [2]semantics.Program{before, after}
	if t.Result, err = results(programs, arith, d.Point, d.Inputs, c.Path, c.Index); err != nil {
		return nil, err
	}
	draw := func(n uint64) value.Inputs {
		return value.Random(c.Seed+n, arith, value.Small, before.Inputs(), after.Inputs())
	}
	random := draw(1)
	if t.Random, err = results(programs, arith, d.Point, random, c.Path, c.Index); err != nil {
		t.Random = Field{}
	}
	var likes [2]likes
	var read []*meter
	for _, p := range programs {
		m, err := touched(p, arith, d)
		if err != nil {
			return nil, err
		}
		read = append(read, m)
	}
	if (read[0].reads+read[1].reads)*elements(t.Result.Dims) < likeReads {
		likes = alike(programs, arith, d.Point, random, draw(2), draw(3)) // small tensors may be alike by chance
	}
	for i, p := range programs {
		if t.Sides[i], err = newSide(p, arith, d, likes[i]); err != nil {
			return nil, err
		}
	}
	left := inputCells
	for _, in := range c.Inputs {
		f := input(in, read, d, min(left, maxCells))
		for i := range f.Panels {
			left -= len(f.Panels[i].Values[0])
		}
		t.Inputs = append(t.Inputs, f)
	}
	return t, nil
}

// results are the values of a component of the result on both sides.
func results(programs [2]semantics.Program, arith value.Arith, pt domain.Point, in value.Inputs, path []int, focus []int64) (Field, error) {
	var f Field
	for side, p := range programs {
		m := &meter{from: in}
		ev, err := p.Evaluate(arith, pt, m, nil)
		if err != nil {
			return Field{}, err
		}
		spent := func() int { return m.reads + worked(ev) }
		if side == 0 {
			_, _ = ev.Element(path, focus) // to see what one costs
			f = newField("", ev.Dims(path), focus, min(max(fieldReads/max(spent(), 1), minCells), maxCells))
		}
		who, chronicled := ev.(semantics.Chronicle)
		var writes []semantics.Write
		done := 0
		f.fill(side, func(index []int64) (value.Value, bool) {
			if done += spent(); done > 2*fieldReads {
				return value.Value{}, false
			}
			m.reads = 0
			v, err := ev.Element(path, index)
			if err != nil {
				v = value.NoValue(err)
			}
			if chronicled {
				w, err := who.LastWrite(path, index)
				chronicled = err == nil
				writes = append(writes, w)
			}
			return v, true
		})
		if chronicled {
			f.written(side, writes)
		}
	}
	return f, nil
}

// worked returns what an evaluator did beside reading.
func worked(ev semantics.Evaluator) int {
	if w, ok := ev.(semantics.Worker); ok {
		return w.Worked()
	}
	return 0
}

// elements is how many a tensor has, up to a million.
func elements(dims []int64) int { return int(min(sample.Product(dims), 1_000_000)) }

// touched are the elements of inputs that a side reads for the element that differs, by tensor and offset.
func touched(p semantics.Program, arith value.Arith, d *sample.Difference) (*meter, error) {
	m := &meter{from: d.Inputs, seen: map[string]map[int64]bool{}}
	ev, err := p.Evaluate(arith, d.Point, m, nil)
	if err == nil {
		_, _ = ev.Element(d.Path, d.Index) // the steps say what comes of it
	}
	return m, err
}

// input is a tensor of the counterexample, with what both sides read of it marked.
func input(in sample.InputValue, read []*meter, d *sample.Difference, cells int) Field {
	marked := map[int64]bool{}
	first := int64(-1)
	for _, m := range read {
		for _, at := range slices.Sorted(maps.Keys(m.seen[in.Name])) {
			marked[at] = true
			if first < 0 || in.Sparse[at] != "" && in.Sparse[first] == "" {
				first = at
			}
		}
	}
	var focus []int64
	if first >= 0 {
		focus = sample.Unravel(first, in.Dims)
	}
	if cells < minCells {
		return Field{Name: in.Name, Dims: in.Dims, Elem: in.Elem, Marked: marked}
	}
	f := newField(in.Name, in.Dims, focus, cells)
	f.Elem, f.Marked = in.Elem, marked
	f.fill(0, func(index []int64) (value.Value, bool) {
		return d.Inputs.Element(in.Name, Offset(in.Dims, index)), true
	})
	return f
}

// mostSeen bounds the elements of inputs that are marked.
const mostSeen = 100_000

// A meter counts the elements that are read, and notes which.
type meter struct {
	from  value.Inputs
	reads int
	seen  map[string]map[int64]bool // by tensor and offset; nil: nobody asks
}

// Element implements value.Inputs.
func (m *meter) Element(name string, offset int64) value.Value { return m.Open(name)(offset) }

// Open implements value.Opener.
func (m *meter) Open(name string) func(int64) value.Value {
	read := func(offset int64) value.Value { return m.from.Element(name, offset) }
	if o, ok := m.from.(value.Opener); ok {
		read = o.Open(name)
	}
	if m.seen == nil {
		return func(offset int64) value.Value {
			m.reads++
			return read(offset)
		}
	}
	seen := m.seen[name] // there, where several parts read one tensor
	if seen == nil {
		seen = map[int64]bool{}
		m.seen[name] = seen
	}
	return func(offset int64) value.Value {
		if m.reads++; m.reads < mostSeen {
			seen[offset] = true
		}
		return read(offset)
	}
}
