package sample

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/value"
)

// A Counterexample tells two programs apart.
type Counterexample struct {
	Point      domain.Point
	Inputs     []InputValue // in the order of the declarations
	Path       []int        // component of a tuple; empty for a tensor
	Index      []int64      // the element of the output
	Before     string       // values as decimal strings; "undefined" where there is none
	After      string
	ReadBefore string // what each side read there: "A[0,2]*B[2,0]"
	ReadAfter  string
	// WroteBefore and WroteAfter say which statement of a procedure wrote it last: "a.c:6:9 writes C[7,0] last, at i = 7".
	WroteBefore string
	WroteAfter  string
	Writers     [2]source.Span     // the statements of both sides that wrote it last, where they are known
	Kept        bool               // nothing of BEFORE writes it, and AFTER does
	Overlap     *semantics.Overlap // of parameters, where it tells the programs apart; nil: they are apart
	Seed        uint64
	Schedule    string // of units of a machine that run at once, where it matters: a line for each start and end
}

// An InputValue is a tensor of a counterexample.
type InputValue struct {
	Name string
	Dims []int64
	Elem domain.Elem
	// Sparse holds the decimal strings of the elements that are not 0, by row-major offset.
	Sparse map[int64]string
}

// Data returns all elements as decimal strings, row-major.
func (v InputValue) Data() []string {
	n := int64(1)
	for _, d := range v.Dims {
		n *= d
	}
	out := make([]string, n)
	for i := range out {
		out[i] = "0"
		if s, ok := v.Sparse[int64(i)]; ok {
			out[i] = s
		}
	}
	return out
}

// maxReads bounds the reads that a report names.
const maxReads = 4

// Counterexample replays a difference and describes it. ok is false where it does not replay: an alarm.
func (s *Sampler) Counterexample(d *Difference) (c *Counterexample, ok bool) {
	c = &Counterexample{Point: d.Point, Path: d.Path, Index: d.Index, Seed: s.seed}
	r, err := s.prepare(d.Point) // anew: a replay does not rest on what an evaluator remembers
	if err != nil {
		return nil, false
	}
	sides := []struct {
		program      semantics.Program
		ev           semantics.Evaluator
		in           *current
		value, reads *string
		wrote        *string
	}{{s.before, r.x, r.inX, &c.Before, &c.ReadBefore, &c.WroteBefore}, {s.after, r.y, r.inY, &c.After, &c.ReadAfter, &c.WroteAfter}}
	var values [2]value.Value
	var errs [2]error
	var recs [2]*recorder
	for i, side := range sides {
		rec := newRecorder(d.Inputs)
		recs[i] = rec
		side.in.of = rec
		values[i], errs[i] = side.ev.Element(d.Path, d.Index)
		*side.value = values[i].String()
		if errs[i] != nil {
			*side.value = "undefined"
		}
		*side.reads = s.reads(side.program, d, rec)
		if who, ok := side.ev.(semantics.Chronicle); ok && errs[i] == nil {
			if w, err := who.LastWrite(d.Path, d.Index); err == nil {
				*side.wrote = w.String()
				c.Writers[i] = w.At
			}
		}
	}
	c.Kept = c.WroteBefore != "" && c.Writers[0].File == nil && c.Writers[1].File != nil
	switch {
	case errs[0] != nil:
		return nil, false
	case errs[1] != nil:
		if !errors.Is(errs[1], value.ErrUndefined) {
			return nil, false
		}
	case value.Compare(values[0], values[1]) != value.Different:
		return nil, false
	}
	names := map[string]bool{}
	for _, p := range []semantics.Program{s.before, s.after} {
		for _, t := range p.Inputs() {
			if names[t.Name] {
				continue
			}
			names[t.Name] = true
			iv := InputValue{Name: t.Name, Elem: t.Elem, Dims: DimsAt(t.Dims, d.Point)}
			iv.Sparse = map[int64]string{}
			n := Product(iv.Dims)
			if sp, sparse := d.Inputs.(*sparseInputs); sparse {
				for offset, v := range sp.set[t.Name] {
					iv.Sparse[offset] = v.String()
				}
			} else if n > maxDense { // nothing depends on what neither side reads
				for _, rec := range recs {
					for _, at := range rec.order {
						if at.name == t.Name {
							iv.Sparse[at.offset] = d.Inputs.Element(at.name, at.offset).String()
						}
					}
				}
			} else {
				for off := int64(0); off < n; off++ {
					iv.Sparse[off] = d.Inputs.Element(t.Name, off).String()
				}
			}
			c.Inputs = append(c.Inputs, iv)
		}
	}
	return c, true
}

// Bare is a counterexample by its sizes alone: the tensors with all elements 0.
func Bare(pt domain.Point, before, after semantics.Program, seed uint64) *Counterexample {
	c := &Counterexample{Point: pt, Seed: seed}
	names := map[string]bool{}
	for _, p := range []semantics.Program{before, after} {
		for _, t := range p.Inputs() {
			if !names[t.Name] {
				names[t.Name] = true
				c.Inputs = append(c.Inputs, InputValue{Name: t.Name, Elem: t.Elem, Dims: DimsAt(t.Dims, pt)})
			}
		}
	}
	return c
}

// Show gives the elements of a counterexample that stands for sizes alone the values that they have.
func (c *Counterexample) Show(in value.Inputs) {
	for i, v := range c.Inputs {
		set := map[int64]string{}
		for at := range Product(v.Dims) {
			if text := in.Element(v.Name, at).String(); text != "0" {
				set[at] = text
			}
		}
		if len(set) > 0 {
			c.Inputs[i].Sparse = set
		}
	}
}

// maxDense bounds the elements of an input that was not shrunk and is shown whole.
const maxDense = 1 << 16

// reads names the elements with values other than 0 that a side read: "A[0,2]·B[2,0]".
func (s *Sampler) reads(program semantics.Program, d *Difference, rec *recorder) string {
	var out []string
	more := 0
	for _, p := range rec.order {
		v := d.Inputs.Element(p.name, p.offset)
		if v.String() == "0" {
			continue
		}
		if len(out) == maxReads {
			more++
			continue
		}
		for _, t := range program.Inputs() {
			if t.Name == p.name {
				out = append(out, t.Name+formatIndex(Unravel(p.offset, DimsAt(t.Dims, d.Point))))
			}
		}
	}
	text := strings.Join(out, "·")
	switch {
	case len(out) == 0:
		return "no element other than 0"
	case more > 0:
		return text + "·... (" + strconv.Itoa(more) + " more)"
	}
	return text
}

// Unravel returns the index that is at a row-major offset of a tensor.
func Unravel(offset int64, dims []int64) []int64 {
	out := make([]int64, len(dims))
	for i := len(dims) - 1; i >= 0; i-- {
		if dims[i] > 0 {
			out[i] = offset % dims[i]
			offset /= dims[i]
		}
	}
	return out
}

// formatIndex prints "[0,2]"; "" for a scalar.
func formatIndex(index []int64) string {
	if len(index) == 0 {
		return ""
	}
	s := make([]string, len(index))
	for i, n := range index {
		s[i] = strconv.FormatInt(n, 10)
	}
	return "[" + strings.Join(s, ",") + "]"
}

// Recorded returns the difference that a counterexample describes, if it is one.
func (s *Sampler) Recorded(c *Counterexample) (*Difference, error) {
	in := newSparseInputs(s.arith, s.before, s.after)
	values := map[string]InputValue{}
	for _, v := range c.Inputs {
		values[v.Name] = v
	}
	for _, p := range []semantics.Program{s.before, s.after} {
		for _, t := range p.Inputs() {
			n := Product(DimsAt(t.Dims, c.Point))
			for offset, text := range values[t.Name].Sparse {
				v, err := value.ParseValue(text, s.arith, t.Elem)
				if err != nil || offset < 0 || offset >= n {
					return nil, fmt.Errorf("the counterexample has no value for element %d of %s", offset, t.Name)
				}
				in.set[t.Name][offset] = v
			}
		}
	}
	d := &Difference{Point: c.Point, Inputs: in, Path: c.Path, Index: c.Index}
	if !s.Inside(d, d.Path, d.Index) {
		return nil, errors.New("the counterexample is at no element of the result")
	}
	x, err := s.before.Evaluate(s.arith, d.Point, in, nil)
	if err != nil {
		return nil, err
	}
	y, err := s.after.Evaluate(s.arith, d.Point, in, nil)
	if err != nil {
		return nil, err
	}
	var o outcome
	if o, d.x, d.y, d.Bad = s.at(x, y, d.Path, d.Index); o != differ {
		return nil, errors.New("the counterexample does not replay")
	}
	return d, nil
}

// Inside tells whether a component of the result and an index into it exist at the point of d.
func (s *Sampler) Inside(d *Difference, path []int, index []int64) bool {
	if !slices.ContainsFunc(s.paths, func(p []int) bool { return slices.Equal(p, path) }) {
		return false
	}
	x, err := s.before.Evaluate(s.arith, d.Point, d.Inputs, nil)
	return err == nil && within(index, x.Dims(path))
}
