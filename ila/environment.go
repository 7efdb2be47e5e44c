package ila

import (
	"maps"

	"tv/semantics/term"
)

// An Environment evaluates terms over elements of tensors.
type Environment struct {
	model    *Model
	inputs   map[*term.Tensor]input
	elements []element // by the number of the term that reads them, of those that were read before
	products map[string]*scalar
	byRow    map[string]*scalar // of RowProducts
	tables   map[string]func([]uint64) uint64
	work     int
	known    map[*term.Term]uint64 // values that are remembered
	all      bool                  // those of all terms; else of what is likely to be shared
}

// Remember has the environment compute the value of each term once. Terms of a long run share much: taken as a
// tree, one may have more parts than can be visited. Where they share little it costs more than it saves. Without it only values of
// choices, and of functions of more than an element, are remembered.
func (e *Environment) Remember() { e.all = true }

// shared tells whether the value of a term is remembered.
func (e *Environment) shared(t *term.Term) bool {
	return e.all || t.Op == term.Choose || t.Op == term.Apply && t.Args[0].Op != term.Read
}

// RememberFor has values remembered if t shares so much that as a tree it is many times what it is as a graph: sums that
// are cut again and again take three times each what they are of.
func (e *Environment) RememberFor(t *term.Term) {
	const times = 4
	sizes := map[*term.Term]int{}
	var tree func(t *term.Term) int
	tree = func(t *term.Term) int {
		size, ok := sizes[t]
		if !ok {
			size = 1
			for _, a := range t.Args {
				size = min(size+tree(a), 1<<40)
			}
			sizes[t] = size
		}
		return size
	}
	if all := tree(t); all > times*len(sizes) {
		e.Remember()
	}
}

// Work returns how many arguments of terms were computed so far.
func (e *Environment) Work() int { return e.work }

// Environment returns the environment in which the inputs have the given values.
func (t *Task) Environment(inputs [][]uint64) *Environment {
	e := &Environment{model: t.Model, inputs: map[*term.Tensor]input{}, elements: make([]element, t.Model.B.Terms()+1), tables: map[string]func([]uint64) uint64{}, known: map[*term.Term]uint64{},
		products: map[string]*scalar{}, byRow: map[string]*scalar{}}
	maps.Copy(e.tables, t.Tables)
	for _, f := range t.Model.Functions {
		e.tables[f.Name] = f.Stand
	}
	for name, f := range t.Scalars {
		if len(f.Args) == 1 {
			one := newScalar(t.Tables[name], f)
			e.products[Products(name)], e.byRow[RowProducts(name)] = one, one
		}
	}
	for i, x := range t.Inputs {
		e.inputs[x.tensor] = input{x, inputs[i]}
		for at, read := range x.reads {
			if read != nil {
				e.elements[read.ID()] = element{inputs[i][at], true}
			}
		}
	}
	return e
}

// Value returns the value of a term.
func (e *Environment) Value(t *term.Term) uint64 {
	switch t.Op {
	case term.Const:
		v, _ := t.ConstBits()
		return v
	case term.Read:
		if t.ID() < len(e.elements) && e.elements[t.ID()].known {
			return e.elements[t.ID()].value
		}
		in := e.inputs[t.Tensor]
		return in.values[in.tensor.Offset(t)]
	}
	if !e.shared(t) {
		return e.compute(t)
	}
	v, ok := e.known[t]
	if !ok {
		v = e.compute(t)
		e.known[t] = v
	}
	return v
}

// compute returns the value of a term that has operands.
func (e *Environment) compute(t *term.Term) uint64 {
	if t.Op == term.Apply && e.byRow[t.Name] != nil {
		return e.rows(e.byRow[t.Name], t)
	}
	e.work += len(t.Args)
	if t.Op == term.Dot {
		sum := uint64(0)
		for i := 0; i < len(t.Args); i += 2 {
			x, y := t.Args[i], t.Args[i+1]
			sum += uint64(term.Signed64(e.Value(x), x.Sort.Width)) * uint64(term.Signed64(e.Value(y), y.Sort.Width))
		}
		return sum & term.Ones(t.Sort.Width)
	}
	if t.Op == term.Apply && len(t.Args) > 1 {
		if f := e.products[t.Name]; f != nil {
			sum := uint64(0)
			for i := 0; i < len(t.Args); i += 2 {
				sum += f.of(e.Value(t.Args[i])) * f.of(e.Value(t.Args[i+1]))
			}
			return sum & term.Ones(t.Sort.Width)
		}
	}
	var buffer [4]uint64
	args := buffer[:0]
	for range t.Args {
		args = append(args, 0)
	}
	for i, a := range t.Args {
		args[i] = e.Value(a)
	}
	if t.Op == term.Apply {
		return e.tables[t.Name](args) & term.Ones(t.Sort.Width)
	}
	return term.EvalBits(t, args)
}

// Row returns the values of elements that follow each other.
func (e *Environment) Row(r Stretch) []uint64 {
	return e.inputs[r.Tensor.tensor].values[r.From:][:r.Count]
}

// rows returns the value of RowProducts of f.
func (e *Environment) rows(f *scalar, t *term.Term) uint64 {
	var left, right []uint64
	first, okFirst := e.model.rowOf(t.Args[0])
	last, okLast := e.model.rowOf(t.Args[len(t.Args)-1])
	terms := t.Args
	if okFirst {
		left, terms = e.Row(first), terms[1:]
	}
	if okLast {
		right, terms = e.Row(last), terms[:len(terms)-1]
	}
	if len(terms) > 0 {
		values := make([]uint64, len(terms)) // of its own: a factor may be such a sum itself
		for i, x := range terms {
			values[i] = e.Value(x)
		}
		if okFirst {
			right = values
		} else {
			left = values
		}
	}
	e.work += 2 * len(left)
	sum := uint64(0)
	for i, x := range left {
		sum += f.of(x) * f.of(right[i])
	}
	return sum & term.Ones(t.Sort.Width)
}

// An element has a value where it is known.
type element struct {
	value uint64
	known bool
}

// An input is a tensor and its values.
type input struct {
	tensor *Tensor
	values []uint64
}

// A scalar is a function whose results have a sign.
type scalar struct {
	f      func([]uint64) uint64
	width  int
	values []uint64 // of all arguments, where they are few
}

// tabled is how many bits arguments may have whose values are kept.
const tabled = 8

func newScalar(f func([]uint64) uint64, of Scalar) *scalar {
	s := &scalar{f: f, width: of.Width}
	if of.Args[0] <= tabled {
		values := make([]uint64, 1<<of.Args[0])
		for x := range values {
			values[x] = s.of(uint64(x))
		}
		s.values = values
	}
	return s
}

func (s *scalar) of(x uint64) uint64 {
	if x < uint64(len(s.values)) {
		return s.values[x]
	}
	return uint64(term.Signed64(s.f([]uint64{x}), s.width))
}
