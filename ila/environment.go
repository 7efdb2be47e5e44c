package ila

import (
	"maps"

	"tv/semantics/term"
)

// An Environment evaluates terms over elements of tensors.
type Environment struct {
	inputs map[*term.Tensor][]uint64
	tables map[string]func([]uint64) uint64
	work   int
	known  map[*term.Term]uint64 // values that are remembered
	all    bool                  // those of all terms; else of what is likely to be shared
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
	e := &Environment{inputs: map[*term.Tensor][]uint64{}, tables: maps.Clone(t.Tables), known: map[*term.Term]uint64{}}
	for _, f := range t.Model.Functions {
		if e.tables == nil {
			e.tables = map[string]func([]uint64) uint64{}
		}
		e.tables[f.Name] = f.Stand
	}
	for i, x := range t.Inputs {
		e.inputs[x.tensor] = inputs[i]
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
		n, _ := t.Index[0].Const()
		at, _ := n.Int64()
		return e.inputs[t.Tensor][at]
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
	e.work += len(t.Args)
	if t.Op == term.Dot {
		sum := uint64(0)
		for i := 0; i < len(t.Args); i += 2 {
			x, y := t.Args[i], t.Args[i+1]
			sum += uint64(term.Signed64(e.Value(x), x.Sort.Width)) * uint64(term.Signed64(e.Value(y), y.Sort.Width))
		}
		return sum & term.Ones(t.Sort.Width)
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
		return e.tables[t.Name](args)
	}
	return term.EvalBits(t, args)
}
