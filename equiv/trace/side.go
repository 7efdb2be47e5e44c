package trace

import (
	"cmp"
	"slices"
	"strconv"

	"tv/equiv/sample"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/value"
)

// Limits of what is followed.
const (
	maxSteps    = 200  // parts of a side: each has an evaluator of its own
	maxElements = 8    // elements of a part
	maxReads    = 8    // elements that one of them reads, which are named
	mostReads   = 4096 // and which are looked at
)

// A Side is one program, followed from the element that differs.
type Side struct {
	Program  semantics.Program
	Steps    []Step // the result first, and whatever is read behind what reads it
	Cut      bool   // more parts are read than are listed
	Partings []int  // the parts whose values the other side has nowhere, while it has those of their operands
}

// A Step is what a part contributes.
type Step struct {
	Part     int
	Dims     []int64
	Elements []Element
	More     int // elements beside those listed
	Like     int // the part of the other side that has the same values on random inputs; -1: none, or that is not known
}

// An Element of a part, and what it was computed from.
type Element struct {
	Index []int64
	Value value.Value
	Reads []Read // those that are not 0 first
	More  int    // reads beside those listed
}

// A Read is an element of another part.
type Read struct {
	Part  int
	Index []int64
	Value value.Value
}

// alike is, of each side, which parts of the other one have the values of each part on all of some inputs; and where the sides
// part. It is empty where that is too much work.
func alike(programs [2]semantics.Program, arith value.Arith, pt domain.Point, inputs ...value.Inputs) (out [2]likes) {
	var digests [2][]string
	for _, in := range inputs {
		list, ok := sample.Digests(programs, arith, pt, in)
		if !ok {
			return out
		}
		for side, of := range list {
			if digests[side] == nil {
				digests[side] = make([]string, len(of))
			}
			for i, d := range of {
				digests[side][i] += d
			}
		}
	}
	partings := sample.Partings(programs, digests)
	for side := range programs {
		first := map[string]int{}
		for i, d := range digests[1-side] {
			if _, known := first[d]; !known && programs[1-side].Parts()[i].Tensor {
				first[d] = i
			}
		}
		out[side] = likes{known: true, of: map[int]int{}, partings: partings[side]}
		for i, d := range digests[side] {
			if other, there := first[d]; there && programs[side].Parts()[i].Tensor {
				out[side].of[i] = other
			}
		}
	}
	return out
}

type likes struct {
	known    bool
	of       map[int]int
	partings []int
}

// newSide follows a program from the element of a difference.
func newSide(p semantics.Program, arith value.Arith, d *sample.Difference, l likes) (Side, error) {
	s := Side{Program: p, Partings: l.partings}
	parts := p.Parts()
	if len(parts) == 0 {
		return s, nil
	}
	whole := &meter{from: d.Inputs}
	ev, err := p.Evaluate(arith, d.Point, whole, nil)
	if err != nil {
		return Side{}, err
	}
	root := len(parts) - 1
	for _, k := range d.Path {
		if !parts[root].Tensor && k < len(parts[root].Operands) {
			root = parts[root].Operands[k]
		}
	}
	// Parts do not take apart a call that returns a tuple, nor what stands for a tensor of other dims.
	if !parts[root].Tensor || !slices.Equal(ev.PartDims(root), ev.Dims(d.Path)) {
		return s, nil
	}
	wanted := map[int][][]int64{root: {d.Index}}
	more := map[int]int{}
	for part := root; part >= 0; part-- { // operands come before what is made of them
		list := wanted[part]
		if list == nil {
			continue
		}
		if len(s.Steps) == maxSteps || whole.reads > stepReads {
			s.Cut = true
			break
		}
		step := Step{Part: part, Dims: ev.PartDims(part), More: more[part], Like: -1}
		if other, ok := l.of[part]; ok {
			step.Like = other
		}
		reader, err := newReader(p, part, arith, d, ev)
		if err != nil {
			return Side{}, err
		}
		for _, index := range list {
			e := Element{Index: index}
			if e.Value, err = ev.PartElement(part, index); err != nil {
				e.Value = value.NoValue(err)
			}
			e.Reads, e.More = reader.reads(part, index)
			step.Elements = append(step.Elements, e)
			for _, r := range e.Reads {
				known := func(x []int64) bool { return slices.Equal(x, r.Index) }
				switch {
				case r.Part == part || slices.ContainsFunc(wanted[r.Part], known):
				case len(wanted[r.Part]) == maxElements:
					more[r.Part]++
				default:
					wanted[r.Part] = append(wanted[r.Part], r.Index)
				}
			}
		}
		s.Steps = append(s.Steps, step)
	}
	return s, nil
}

// A reader runs one part with all others standing as inputs, and notes what it reads of them.
type reader struct {
	run    semantics.Evaluator // nil for a leaf
	whole  semantics.Evaluator
	inputs map[string]int // parts by the names that they stand as
	from   value.Inputs
	seen   map[place]bool
	order  []place
	more   int
}

type place struct {
	part   int
	offset int64
}

func newReader(p semantics.Program, part int, arith value.Arith, d *sample.Difference, whole semantics.Evaluator) (*reader, error) {
	r := &reader{whole: whole, inputs: map[string]int{}, from: d.Inputs}
	if p.Parts()[part].Leaf {
		return r, nil
	}
	standing := semantics.Standing{}
	for i, q := range p.Parts()[:part] {
		switch {
		case q.Input != "":
			r.inputs[q.Input] = i
		case q.Tensor && !q.Leaf:
			name := "\x00" + strconv.Itoa(i) // no text has such a tensor
			standing[i], r.inputs[name] = name, i
		}
	}
	var err error
	r.run, err = p.Evaluate(arith, d.Point, r, standing)
	return r, err
}

// Element implements value.Inputs.
func (r *reader) Element(name string, offset int64) value.Value {
	part := r.inputs[name]
	if at := (place{part, offset}); !r.seen[at] {
		if len(r.order) < mostReads {
			r.seen[at] = true
			r.order = append(r.order, at)
		} else {
			r.more++
		}
	}
	if name[0] != 0 {
		return r.from.Element(name, offset)
	}
	return r.value(part, offset)
}

func (r *reader) value(part int, offset int64) value.Value {
	v, err := r.whole.PartElement(part, sample.Unravel(offset, r.whole.PartDims(part)))
	if err != nil {
		return value.NoValue(err)
	}
	return v
}

// reads are the elements that one element of the part reads.
func (r *reader) reads(part int, index []int64) (out []Read, more int) {
	if r.run == nil {
		return nil, 0
	}
	r.seen, r.order, r.more = map[place]bool{}, nil, 0
	r.run.Reset()
	_, _ = r.run.PartElement(part, index) // the whole program says what comes of it
	for _, at := range r.order {
		out = append(out, Read{at.part, sample.Unravel(at.offset, r.whole.PartDims(at.part)), r.value(at.part, at.offset)})
	}
	slices.SortStableFunc(out, func(x, y Read) int { return cmp.Compare(zero(x.Value), zero(y.Value)) })
	kept := out[:min(len(out), maxReads)]
	return kept, len(out) - len(kept) + r.more
}

// zero is 1 for a value that is 0.
func zero(v value.Value) int {
	if n, ok := v.Rat(); ok && n.Sign() == 0 {
		return 1
	}
	return 0
}
