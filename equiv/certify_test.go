package equiv

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"tv/internal/languages"

	language "tv/semantics/glenside"

	"tv/equiv/witness"
	"tv/glenside"
	"tv/internal/source"
	"tv/internal/tier"
	"tv/proofs"
)

// unseen counts certificates that are made for pairs that no prover looked at.
type unseen struct{ pairs, accepted atomic.Int64 }

// try fails where the checker accepts what the evaluator tells apart.
func (u *unseen) try(t *testing.T, name string, before, after *glenside.Program, opts Options) {
	q, err := ask(Question{Before: language.Of(before), After: language.Of(after)}, opts)
	if err != nil || q.types() != nil {
		return
	}
	u.pairs.Add(1)
	_, err = witness.Certify(tier.Steps(witnessSteps), q.stated(opts.Arith), witness.Search{})
	if err != nil {
		return
	}
	u.accepted.Add(1)
	if q.inquire(t.Context()).differ() {
		t.Errorf("%s: accepted, and wrong", name)
	}
}

// cross asks about programs of the corpus with the same inputs.
func (u *unseen) cross(t *testing.T, few int, part tier.Part) {
	groups := grouped(readCorpus(t), func(c *corpusFile, add func(string, *glenside.Program)) {
		for i, p := range c.ps {
			if i == 1 && len(p.Inputs) == 0 {
				var err error
				if p, err = glenside.Parse(source.NewFile("after.sexp", heading(c.texts[0])+c.texts[1])); err != nil {
					continue
				}
			}
			key := fmt.Sprint(c.opts.Arith)
			for _, in := range p.Inputs {
				key += " " + glenside.FormatInput(in)
			}
			add(key, p)
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
						if len(other.p.Assumes) == 0 {
							u.try(t, "against "+other.file, m.p, other.p, g.opts)
						}
					})
				})
			}
		}
	})
	t.Logf("%d pairs, %d accepted", u.pairs.Load(), u.accepted.Load())
}

// TestCheckerWithoutTheProver has certificates made for pairs that no prover looked at: programs of the corpus
// with the same inputs, each against others. What the checker accepts the evaluator must not tell apart.
func TestCheckerWithoutTheProver(t *testing.T) {
	tier.Sweep(t)
	var u unseen
	u.cross(t, 3, tier.Part{N: 4})
	if u.accepted.Load() < 50 {
		t.Errorf("only %d accepted", u.accepted.Load())
	}
}

// TestStressChecker is TestCheckerWithoutTheProver with all pairs.
func TestStressChecker(t *testing.T) {
	part := tier.Stress(t)
	new(unseen).cross(t, 0, part)
}

// heading returns the declarations of a program's text.
func heading(text string) string {
	var out []string
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "(input ") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n") + "\n"
}

var (
	digits = regexp.MustCompile(`[0-9]+|reduce-sum|reduce-max|elementwise-add|elementwise-mul|relay-add|relay-multiply`)
	swap   = map[string]string{"reduce-sum": "reduce-max", "reduce-max": "reduce-sum",
		"elementwise-add": "elementwise-mul", "elementwise-mul": "elementwise-add",
		"relay-add": "relay-multiply", "relay-multiply": "relay-add"}
)

// statements counts certificates whose statement is changed after they are made.
type statements struct{ tried, accepted atomic.Int64 }

// mutate changes one number or operator of AFTER at a time, the first most of them; most < 0 is all.
func (m *statements) mutate(t *testing.T, c *corpusFile, most int) {
	if len(c.ps[0].Inputs) == 0 {
		return
	}
	text := c.texts[1]
	old := proofs.Statement{Arith: c.opts.Arith, Before: c.texts[0], After: text}
	w, err := witness.Find(tier.Steps(witnessSteps), old, witness.Search{})
	if err != nil {
		return // whole networks take longer
	}
	for k, at := range digits.FindAllStringIndex(text, most) {
		word := text[at[0]:at[1]]
		by := swap[word]
		if by == "" {
			n, err := strconv.Atoi(word)
			if err != nil {
				continue
			}
			by = strconv.Itoa(n + 1 - 2*(k%2))
		}
		s := old
		s.After = text[:at[0]] + by + text[at[1]:]
		after, err := glenside.Parse(source.NewFile("after", s.After))
		if err != nil {
			continue
		}
		m.tried.Add(1)
		_, err = languages.Checker.Check("mutated", proofs.Format([]proofs.Pair{{Statement: s, Witness: w}}))
		if err != nil {
			_, err = witness.Find(tier.Steps(witnessSteps), s, witness.Search{})
		}
		if err != nil {
			continue
		}
		m.accepted.Add(1)
		q, err := ask(Question{Before: language.Of(c.ps[0]), After: language.Of(after)}, c.opts)
		if err != nil {
			t.Errorf("accepted with %s for %s, but no question: %v", by, word, err)
			continue
		}
		if q.types() != nil || q.inquire(t.Context()).differ() {
			t.Errorf("accepted with %s for %s, and wrong", by, word)
		}
	}
}

// all mutates the statements of the files that has allows.
func (m *statements) all(t *testing.T, most int, has func(i int) bool) {
	t.Run("files", func(t *testing.T) {
		for i, c := range readCorpus(t) {
			if c.proved && len(c.texts) == 2 && has(i) {
				t.Run(c.name, func(t *testing.T) {
					t.Parallel()
					m.mutate(t, &c, most)
				})
			}
		}
	})
	t.Logf("%d mutants, %d accepted", m.tried.Load(), m.accepted.Load())
}

// TestMutatedStatement changes one number or operator of AFTER in a certificate and leaves its witness, or finds
// one anew: what the checker accepts still is true in the evaluator.
func TestMutatedStatement(t *testing.T) {
	tier.Sweep(t)
	var m statements
	m.all(t, 8, func(i int) bool { return i%3 == 0 })
	if m.tried.Load() < 200 {
		t.Errorf("only %d mutants", m.tried.Load())
	}
}

// TestStressStatements is TestMutatedStatement with all files and all numbers and operators.
func TestStressStatements(t *testing.T) {
	part := tier.Stress(t)
	new(statements).all(t, -1, part.Has)
}
