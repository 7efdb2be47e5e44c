package fuzz

import (
	"context"
)

// A Stretch is what came of cases that follow one another, by themselves: nothing of it depends on other cases.
type Stretch struct {
	Covered  map[string]int64 // what the cases without a suspect exercised, each with the least case
	Suspects []Suspected      // the first of each key, in the order of cases
}

// A Suspected is a suspect and the case that it is of.
type Suspected struct {
	Target  string
	Case    int64
	Suspect *Suspect
}

// Finding works the suspect out, which may take long: it is made smaller.
func (s Suspected) Finding() Finding {
	f := s.Suspect.Finding()
	f.Case, f.Key, f.Target = s.Case, s.Suspect.Key, s.Target
	return f
}

// RunStretch runs the cases first to end-1 of a target with one of its workers.
// Errors: that of the context, where it ended before the last case.
func RunStretch(ctx context.Context, t Target, w Worker, seed uint64, first, end int64) (*Stretch, error) {
	out := &Stretch{Covered: map[string]int64{}}
	known := map[string]bool{}
	for k := first; k < end; k++ {
		if b, ok := w.(batcher); ok && (k-first)%chunk == 0 {
			var cases []int64
			for i := k; i < min(k+chunk, end); i++ {
				cases = append(cases, i)
			}
			b.Prepare(ctx, seed, cases)
		}
		o := w.Case(ctx, seed, k)
		if err := ctx.Err(); err != nil { // what came of the case does not count
			return nil, err
		}
		switch s := o.Suspect; {
		case s == nil:
			for _, pair := range o.Covered {
				if _, ok := out.Covered[pair]; !ok {
					out.Covered[pair] = k
				}
			}
		case !known[s.Key]:
			known[s.Key] = true
			out.Suspects = append(out.Suspects, Suspected{t.Name(), k, s})
		}
	}
	return out, nil
}
