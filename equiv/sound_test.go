package equiv

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	language "tv/semantics/glenside"

	"tv/glenside"
	"tv/internal/tier"
)

// Work that tests give to one pair of programs, or to one certificate, in looks at the context: what is proved or
// certified in one piece takes a few, whole networks thousands.
const (
	pairSteps    = 100
	witnessSteps = 400
)

// engines counts what the proving engines say without the samples that are compared before a proof is printed.
type engines struct{ pairs, proofs atomic.Int64 }

// try fails where the engines prove a pair that is wrong, or that the evaluator tells apart.
func (e *engines) try(t *testing.T, name string, before, after *glenside.Program, opts Options, wrong bool) {
	q, err := ask(Question{Before: language.Of(before), After: language.Of(after)}, opts)
	if err != nil || q.types() != nil {
		return
	}
	e.pairs.Add(1)
	w := q.inquire(t.Context())
	if !w.prover.Whole(tier.Steps(pairSteps)).Proved {
		return
	}
	e.proofs.Add(1)
	if !wrong {
		wrong = w.differ()
	}
	if wrong {
		t.Errorf("%s: the engines prove it, and it is wrong", name)
	}
}

// differ looks at more points than a question does for a difference, and for longer.
func (w *inquiry) differ() bool {
	w.sampler.Allow(150_000)
	out, err := w.sampleValues(w.domain.Spread(domainPoints))
	return err == nil && out != nil && out.Verdict == Refuted
}

// cross asks about programs of the corpus with the same declarations and conditions, of different files.
func (e *engines) cross(t *testing.T, few int, part tier.Part) {
	groups := grouped(readCorpus(t), func(c *corpusFile, add func(string, *glenside.Program)) {
		var key strings.Builder
		fmt.Fprint(&key, c.opts.Arith)
		for _, in := range c.ps[0].Inputs {
			fmt.Fprintf(&key, " %s", glenside.FormatInput(in))
		}
		for _, as := range c.ps[0].Assumes {
			fmt.Fprintf(&key, " %s", as.Pred)
		}
		for i, p := range c.ps {
			if i == 0 || len(p.Inputs) > 0 { // else its declarations are the other's
				add(key.String(), p)
			}
		}
	})
	t.Run("cross", func(t *testing.T) {
		n := 0
		for _, g := range groups {
			for i, m := range g.members {
				if n++; !part.Has(n) || len(g.members) == 1 {
					continue
				}
				t.Run(m.file, func(t *testing.T) {
					t.Parallel()
					g.with(i, few, func(other member) {
						if other.file == m.file {
							return
						}
						after := *other.p
						after.Assumes = nil
						e.try(t, "against "+other.file, m.p, &after, g.opts, false)
					})
				})
			}
		}
	})
}

// TestEnginesWithoutTheGate asks the proving engines alone, without the samples that are compared before a proof is
// printed: they must not prove what is wanted refuted, nor any other pair of programs of the corpus with the same
// inputs that the evaluator tells apart.
func TestEnginesWithoutTheGate(t *testing.T) {
	tier.Sweep(t)
	var e engines
	t.Run("files", func(t *testing.T) {
		for _, c := range readCorpus(t) {
			if c.access {
				continue
			}
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				e.try(t, "the file", c.ps[0], c.ps[1], c.opts, c.wrong)
			})
		}
	})
	e.cross(t, 2, tier.Part{N: 4})
	t.Logf("%d pairs, %d proofs", e.pairs.Load(), e.proofs.Load())
	if e.proofs.Load() < 500 {
		t.Errorf("only %d proofs", e.proofs.Load())
	}
}

// TestStressEngines is TestEnginesWithoutTheGate with all pairs.
func TestStressEngines(t *testing.T) {
	part := tier.Stress(t)
	var e engines
	e.cross(t, 0, part)
	t.Logf("%d pairs, %d proofs", e.pairs.Load(), e.proofs.Load())
}
