package fuzz

import (
	"tv/internal/casefile"
	"tv/internal/mix"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/value"
)

// Kinds of inputs, by arithmetic: those that hurt come often.
var (
	exactModes = []value.Mode{value.Edges, value.Extremes, value.Small, value.Edges, value.Distinct, value.Extremes,
		value.Positive, value.NonNegative}
	realModes = []value.Mode{value.Small, value.Edges, value.Distinct, value.Positive, value.NonNegative}
)

// A drawn gives random elements that depend on its seed alone: of one kind, and sometimes mostly 0, so that
// few meet.
type drawn struct {
	from   value.Opener
	seed   uint64
	zeros  uint64 // of eight elements, that are 0
	arith  value.Arith
	tensor map[string]domain.Elem
}

// draw draws inputs for programs.
func draw(seed uint64, arith value.Arith, tensors ...[]domain.Tensor) *drawn {
	modes := realModes
	if arith != value.Real {
		modes = exactModes
	}
	d := &drawn{seed: seed, arith: arith, tensor: map[string]domain.Elem{}}
	d.from = value.Random(seed, arith, modes[seed>>8%uint64(len(modes))], tensors...).(value.Opener)
	if seed>>16&3 == 0 {
		d.zeros = 4 + seed>>18&3
	}
	for _, list := range tensors {
		for _, t := range list {
			d.tensor[t.Name] = t.Elem
		}
	}
	return d
}

// Element returns the element at a row-major offset.
func (d *drawn) Element(name string, offset int64) value.Value { return d.Open(name)(offset) }

// Open returns the elements of one tensor.
func (d *drawn) Open(name string) func(offset int64) value.Value {
	read := d.from.Open(name)
	if d.zeros == 0 {
		return read
	}
	zero := value.IntValue(0, d.arith, d.tensor[name])
	return func(offset int64) value.Value {
		if mix.Spread(d.seed+uint64(offset))&7 < d.zeros {
			return zero
		}
		return read(offset)
	}
}

// sharedElements is the number of elements up to which a tensor is held, not asked for one by one.
const sharedElements = 1 << 12

// A shared gives the elements of what it was filled with last.
type shared struct {
	held  map[string][]value.Value // small tensors
	reads map[string]*func(int64) value.Value
}

// newShared holds the tensors of programs at a point.
func newShared(pt domain.Point, programs ...semantics.Program) *shared {
	s := &shared{held: map[string][]value.Value{}, reads: map[string]*func(int64) value.Value{}}
	for _, p := range programs {
		for _, t := range p.Inputs() {
			if s.held[t.Name] != nil || s.reads[t.Name] != nil {
				continue // its dims are those of BEFORE
			}
			dims := make([]int64, len(t.Dims))
			for i, d := range t.Dims {
				if n, err := d.Eval(pt); err == nil && n.IsInt64() && n.Sign() > 0 {
					dims[i] = n.Int64()
				}
			}
			if n := volume(dims); n <= sharedElements {
				s.held[t.Name] = make([]value.Value, n)
			} else {
				s.reads[t.Name] = new(func(int64) value.Value)
			}
		}
	}
	return s
}

// fill takes over the elements of d.
func (s *shared) fill(d value.Opener) {
	for name, values := range s.held {
		read := d.Open(name)
		for i := range values {
			values[i] = read(int64(i))
		}
	}
	for name, read := range s.reads {
		*read = d.Open(name)
	}
}

// Element returns the element at a row-major offset.
func (s *shared) Element(name string, offset int64) value.Value { return s.Open(name)(offset) }

// Open returns the elements of one tensor, those of each filling in turn.
func (s *shared) Open(name string) func(offset int64) value.Value {
	if values, ok := s.held[name]; ok {
		return func(offset int64) value.Value { return values[offset] }
	}
	read := s.reads[name]
	return func(offset int64) value.Value { return (*read)(offset) }
}

// take takes over the elements given; it fails where they are not as many as the programs read.
func (s *shared) take(in value.Tensors) bool {
	for name, values := range s.held {
		if len(in[name]) != len(values) {
			return false
		}
		copy(values, in[name])
	}
	for name, read := range s.reads {
		*read = in.Open(name)
	}
	return true
}

// tensorsOf returns the inputs of a counterexample.
func tensorsOf(c *casefile.Counterexample, arith value.Arith) (value.Tensors, error) {
	in := value.Tensors{}
	for name, held := range c.Inputs {
		for off := range min(volume(held.Shape), maxHeld) {
			v, err := value.ParseValue(held.At(off), arith, held.Type)
			if err != nil {
				return nil, err
			}
			in[name] = append(in[name], v)
		}
	}
	return in, nil
}

// maxHeld bounds the elements of a tensor in a file; what is beyond has no value.
const maxHeld = 1 << 22
