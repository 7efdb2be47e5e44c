package recur

import (
	"tv/semantics"
	"tv/semantics/loops"
)

// A reread program is one with another nest that was read in its text.
type reread struct {
	semantics.Program
	nest *loops.Typed
}

// Loops is that nest.
func (r reread) Loops() *loops.Typed { return r.nest }

// Reread is the same question about other nests that were read in the texts of its programs. Errors: source.Errors.
func (a Asked) Reread(before, after *loops.Procedure) (Asked, error) {
	programs := []*semantics.Program{&a.Before, &a.After}
	for i, p := range []*loops.Procedure{before, after} {
		s, err := loops.SourceOf(p, true)
		if err != nil {
			return a, err
		}
		was := *programs[i]
		typed, err := s.Under(nest(was).Env, was.Source())
		if err != nil {
			return a, err
		}
		*programs[i] = reread{was, typed}
	}
	return a, nil
}
