package egraph

import (
	"slices"

	"tv/internal/mix"
)

// An Op is an operator with its immediate operands (integers, shapes, words), numbered by the client.
type Op int32

// A Term is an operator of terms as it was added. Equal terms have one number; argument terms have smaller ones.
type Term int32

// terms is the store of terms. It knows nothing of classes.
type terms struct {
	ops   []Op
	start []int32 // of the arguments in args; one more than there are terms
	args  []Term
	table []int32 // by hash, with linear probing: a term plus 1, or 0
}

func (s *terms) len() int { return len(s.ops) }

func (s *terms) arguments(t Term) []Term { return s.args[s.start[t]:s.start[t+1]:s.start[t+1]] }

func hashTerm(op Op, args []Term) uint64 {
	h := mix.Word(0, uint64(op))
	for _, a := range args {
		h = mix.Word(h, uint64(a))
	}
	return h
}

// find returns the term, or where in the table it is to be put.
func (s *terms) find(op Op, args []Term) (t Term, slot int, ok bool) {
	if len(s.table) == 0 {
		return 0, 0, false
	}
	mask := len(s.table) - 1
	for i := int(hashTerm(op, args)) & mask; ; i = (i + 1) & mask {
		entry := s.table[i]
		if entry == 0 {
			return 0, i, false
		}
		if t := Term(entry - 1); s.ops[t] == op && slices.Equal(s.arguments(t), args) {
			return t, i, true
		}
	}
}

// add stores a term that find has not found.
func (s *terms) add(op Op, args []Term) Term {
	if len(s.start) == 0 {
		s.start = append(s.start, 0)
	}
	if 2*(len(s.ops)+1) > len(s.table) {
		s.grow()
	}
	_, slot, _ := s.find(op, args)
	t := Term(len(s.ops))
	s.ops = append(s.ops, op)
	s.args = append(s.args, args...)
	s.start = append(s.start, int32(len(s.args)))
	s.table[slot] = int32(t) + 1
	return t
}

func (s *terms) grow() {
	s.table = make([]int32, max(16, 2*len(s.table)))
	mask := len(s.table) - 1
	for t, op := range s.ops {
		i := int(hashTerm(op, s.arguments(Term(t)))) & mask
		for s.table[i] != 0 {
			i = (i + 1) & mask
		}
		s.table[i] = int32(t) + 1
	}
}
