package ila

import (
	"tv/semantics/index"
	"tv/semantics/term"
)

// Iterations returns how many values a counter has.
func Iterations(v *index.Atom) int {
	n, _ := v.Hi.Const()
	return int(n.Big().Int64())
}

// Mentions tells whether a term depends on a counter.
func Mentions(t *term.Term, k *index.Atom) bool {
	if t.Op == term.Number {
		for _, a := range t.Index[0].Free() {
			if a == k {
				return true
			}
		}
	}
	for _, a := range t.Args {
		if Mentions(a, k) {
			return true
		}
	}
	return false
}

// ReadsMemory tells whether a term reads a memory; memo holds the answers for terms met before, which may be many times.
func ReadsMemory(t *term.Term, memo map[*term.Term]bool) bool {
	known, ok := memo[t]
	if !ok {
		known = t.Op == term.Load
		for _, a := range t.Args {
			known = known || ReadsMemory(a, memo)
		}
		memo[t] = known
	}
	return known
}

// Rebuild returns t with subterms replaced where f returns one; f sees a term before its arguments. All terms are of
// one builder.
func Rebuild(b *term.Builder, t *term.Term, memo map[*term.Term]*term.Term,
	f func(*term.Term) *term.Term) *term.Term {
	if t.Op == term.Const {
		return t
	}
	if known := memo[t]; known != nil {
		return known
	}
	out := f(t)
	if out == nil {
		args := make([]*term.Term, len(t.Args))
		changed := false
		for i, a := range t.Args {
			args[i] = Rebuild(b, a, memo, f)
			changed = changed || args[i] != a
		}
		out = t
		if changed {
			out = Remake(b, t, args)
		}
	}
	memo[t] = out
	return out
}

// Remake returns the operation of t on other arguments.
func Remake(b *term.Builder, t *term.Term, args []*term.Term) *term.Term {
	switch t.Op {
	case term.Apply:
		return b.Apply(t.Sort, t.Name, args...)
	case term.Load:
		return b.Load(args[0], args[1])
	case term.Reduce:
		return b.Reduce(t.Fold, t.Vars, args[0])
	case term.Dot:
		return b.Dot(t.Sort.Width, args...)
	}
	return b.Rebuild(t, args)
}

// ConstInt returns the value of an expression without names.
func ConstInt(e *index.Expr) (int, bool) {
	v, ok := e.Const()
	if !ok {
		return 0, false
	}
	n, small := v.Int64()
	return int(n), small
}

// Unravel returns the index of an element with the given row-major offset.
func Unravel(dims []int, flat int) []int {
	at := make([]int, len(dims))
	for i := len(dims) - 1; i >= 0; i-- {
		at[i] = flat % dims[i]
		flat /= dims[i]
	}
	return at
}
