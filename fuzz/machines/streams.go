package machines

import (
	"math/rand/v2"
	"slices"

	"tv/ila"
	"tv/semantics/term"
)

// A syllabus is what the generator of instruction streams knows of a machine, read off its model: the fields
// of its inputs, the numbers that they are compared with, and what makes each instruction decode.
type syllabus struct {
	model  *ila.Model
	fields map[*ila.Var][]field
	rules  [][]demand // of each instruction of the root: what its decode and its checks ask of the inputs
}

// A field is a part of an input, and the numbers that the model compares it with.
type field struct {
	low, width int
	numbers    []uint64
}

// A demand is a number that a field has to be, or to be below.
type demand struct {
	input *ila.Var
	low   int
	width int
	is    uint64
	below bool
}

// newSyllabus reads a model.
func newSyllabus(m *ila.Model) *syllabus {
	s := &syllabus{model: m, fields: map[*ila.Var][]field{}}
	inputs := map[*term.Term]*ila.Var{}
	for _, in := range m.Inputs {
		inputs[in.Term] = in
	}
	seen := map[*term.Term]bool{}
	var visit func(t *term.Term)
	visit = func(t *term.Term) {
		if t == nil || seen[t] {
			return
		}
		seen[t] = true
		if t.Op == term.Extract && inputs[t.Args[0]] != nil {
			s.add(inputs[t.Args[0]], t.Low(), t.Sort.Width)
		}
		if t.Op == term.Equal || t.Op == term.LessU {
			for i, a := range t.Args {
				n, ok := t.Args[1-i].ConstBits()
				if in, low, width, part := partOf(inputs, a); ok && part {
					s.number(in, low, width, n)
				}
			}
		}
		for _, a := range t.Args {
			visit(a)
		}
	}
	var all func(m *ila.Model)
	all = func(m *ila.Model) {
		for _, i := range m.Instructions {
			visit(i.Decode)
			for _, c := range i.Checks {
				visit(c.Cond)
			}
			for _, set := range i.Sets {
				visit(set.Value)
			}
			for _, e := range i.Eachs {
				for _, st := range e.Stores {
					visit(st.Address)
					visit(st.Value)
					visit(st.When)
				}
			}
		}
		for _, c := range m.Children {
			all(c)
		}
	}
	all(m)
	for _, i := range m.Instructions {
		rule := demands(inputs, nil, i.Decode)
		for _, c := range i.Checks {
			rule = demands(inputs, rule, c.Cond)
		}
		s.rules = append(s.rules, rule)
	}
	return s
}

// partOf tells whether a term is an input, or a part of one.
func partOf(inputs map[*term.Term]*ila.Var, t *term.Term) (in *ila.Var, low, width int, ok bool) {
	if in = inputs[t]; in != nil {
		return in, 0, in.Width, true
	}
	if t.Op == term.Extract && inputs[t.Args[0]] != nil {
		return inputs[t.Args[0]], t.Low(), t.Sort.Width, true
	}
	return nil, 0, 0, false
}

func (s *syllabus) add(in *ila.Var, low, width int) *field {
	for i := range s.fields[in] {
		if f := &s.fields[in][i]; f.low == low && f.width == width {
			return f
		}
	}
	s.fields[in] = append(s.fields[in], field{low: low, width: width})
	return &s.fields[in][len(s.fields[in])-1]
}

func (s *syllabus) number(in *ila.Var, low, width int, n uint64) {
	f := s.add(in, low, width)
	if !slices.Contains(f.numbers, n) {
		f.numbers = append(f.numbers, n)
	}
}

// demands adds those of a condition, as far as it is a conjunction of comparisons with numbers.
func demands(inputs map[*term.Term]*ila.Var, list []demand, t *term.Term) []demand {
	switch t.Op {
	case term.And:
		return demands(inputs, demands(inputs, list, t.Args[0]), t.Args[1])
	case term.Equal:
		for i, a := range t.Args {
			n, ok := t.Args[1-i].ConstBits()
			if in, low, width, part := partOf(inputs, a); ok && part {
				list = append(list, demand{in, low, width, n, false})
			}
		}
	case term.LessU:
		n, ok := t.Args[1].ConstBits()
		if in, low, width, part := partOf(inputs, t.Args[0]); ok && part && n > 0 {
			list = append(list, demand{in, low, width, n, true})
		}
	}
	return list
}

// draw draws the inputs of a step that an instruction is likely to take: fields are small numbers for the
// most part, numbers that the model compares them with, and seldom their greatest or anything. Some steps are
// like the last one.
func (s *syllabus) draw(rng *rand.Rand, last []uint64) []uint64 {
	values := make([]uint64, len(s.model.Inputs))
	like := last != nil && rng.IntN(3) == 0
	for i, in := range s.model.Inputs {
		switch {
		case like && rng.IntN(4) > 0:
			values[i] = last[i]
			continue
		case len(s.fields[in]) == 0 && rng.IntN(2) == 0:
			values[i] = uint64(rng.IntN(5)) & term.Ones(in.Width)
			continue
		case len(s.fields[in]) == 0, in.Width <= dataWidth && rng.IntN(3) == 0:
			values[i] = edgeBits(rng, in.Width)
			continue
		}
		for _, f := range s.fields[in] {
			put(&values[i], f.low, f.width, fieldValue(rng, f))
		}
	}
	for _, d := range s.rules[rng.IntN(len(s.rules))] {
		n := d.is
		if d.below {
			n = []uint64{0, n - 1, min(n-1, uint64(rng.IntN(64))), rng.Uint64N(n)}[rng.IntN(4)]
		}
		put(&values[slices.Index(s.model.Inputs, d.input)], d.low, d.width, n)
	}
	return values
}

// change returns inputs like others: one bit or one field is another, or another instruction takes them.
func (s *syllabus) change(rng *rand.Rand, like []uint64) []uint64 {
	values := slices.Clone(like)
	switch rng.IntN(3) {
	case 0:
		i := rng.IntN(len(values))
		values[i] ^= 1 << rng.IntN(s.model.Inputs[i].Width)
		return values
	case 1:
		for _, d := range s.rules[rng.IntN(len(s.rules))] {
			put(&values[slices.Index(s.model.Inputs, d.input)], d.low, d.width, d.is)
		}
		return values
	}
	i := rng.IntN(len(values))
	if list := s.fields[s.model.Inputs[i]]; len(list) > 0 {
		f := list[rng.IntN(len(list))]
		put(&values[i], f.low, f.width, fieldValue(rng, f))
	} else {
		values[i] = edgeBits(rng, s.model.Inputs[i].Width)
	}
	return values
}

// dataWidth is the width up to which an input may be data for some instructions and fields for others.
const dataWidth = 16

// put replaces bits of a word.
func put(word *uint64, low, width int, v uint64) {
	mask := term.Ones(width) << low
	*word = *word&^mask | v<<low&mask
}

func fieldValue(rng *rand.Rand, f field) uint64 {
	switch k := rng.IntN(60); {
	case f.width == 1:
		return uint64(k / 45)
	case k < 18:
		return 0
	case k < 40:
		return 1
	case k < 48:
		return uint64(rng.IntN(5))
	case k < 56 && len(f.numbers) > 0:
		return f.numbers[rng.IntN(len(f.numbers))]
	case k == 58:
		return term.Ones(f.width)
	case k == 59:
		return rng.Uint64() & term.Ones(f.width)
	}
	return uint64(rng.IntN(3))
}

// edgeBits draws a bit-vector: the ends of its range as a signed and as an unsigned number often.
func edgeBits(rng *rand.Rand, width int) uint64 {
	switch rng.IntN(8) {
	case 0:
		return 0
	case 1:
		return 1
	case 2:
		return term.Ones(width)
	case 3:
		return 1 << (width - 1)
	case 4:
		return term.Ones(width - 1)
	}
	return rng.Uint64() & term.Ones(width)
}
