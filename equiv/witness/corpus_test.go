package witness_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"tv/internal/languages"

	"tv/semantics"
	language "tv/semantics/glenside"

	"tv/equiv"
	"tv/equiv/witness"
	"tv/internal/casefile"
	"tv/internal/source"
	"tv/internal/tier"
	"tv/proofs"
	"tv/semantics/domain"
)

// question is a litmus file, read.
type question struct {
	name      string
	want      equiv.Verdict
	statement proofs.Statement
}

func read(t *testing.T, want ...equiv.Verdict) []question {
	t.Helper()
	files, err := filepath.Glob("../../testdata/check/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no litmus files: %v", err)
	}
	var out []question
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		l, err := casefile.ReadLitmus(source.NewFile(filepath.Base(f), string(text)))
		if err != nil {
			t.Fatal(err)
		}
		q := question{name: filepath.Base(f), want: l.Want}
		args := strings.Join(l.Args, " ")
		before, err := language.Language.Parse(l.Before)
		if err != nil {
			continue
		}
		after, err := language.Language.Parse(l.After)
		if err != nil {
			continue
		}
		env, err := equiv.Environment([]semantics.Source{before, after}, nil)
		if err != nil {
			continue
		}
		q.statement = witness.State(before, after, env, nil, domain.ArithIn(args), strings.Contains(args, "--equal access"))
		if slices.Contains(want, l.Want) {
			out = append(out, q)
		}
	}
	return out
}

// solved is the number of pairs of the corpus that a solver alone proves, or that are proved in stages alone.
const solved = 83

// Looks at the context that one certificate may take: whole networks, which are proved in stages, take more, and of what
// is wrong no answer is expected.
const (
	rightSteps = 4_000
	wrongSteps = 400
)

// TestCorpus certifies every pair of the corpus that is proved in one piece, and none that is refuted.
func TestCorpus(t *testing.T) {
	tier.Sweep(t)
	var accepted, total, size atomic.Int64
	t.Run("files", func(t *testing.T) {
		for _, q := range read(t, equiv.Proved, equiv.Refuted) {
			t.Run(q.name, func(t *testing.T) {
				t.Parallel()
				if q.want == equiv.Refuted {
					if _, err := witness.Certify(tier.Steps(wrongSteps), q.statement, witness.Search{}); err == nil {
						t.Error("a wrong pair was certified")
					}
					return
				}
				total.Add(1)
				data, err := witness.Certify(tier.Steps(rightSteps), q.statement, witness.Search{})
				if err != nil {
					t.Logf("%v: %v", q.statement.Arith, err)
					return
				}
				if _, err := languages.Checker.Check(q.name, data); err != nil {
					t.Fatalf("the checker does not follow its own answers: %v", err)
				}
				accepted.Add(1)
				for most := size.Load(); int64(len(data)) > most && !size.CompareAndSwap(most, int64(len(data))); {
					most = size.Load()
				}
			})
		}
	})
	t.Logf("%d of %d proofs have a certificate, the largest of %d bytes", accepted.Load(), total.Load(), size.Load())
	if left := total.Load() - accepted.Load(); left > solved {
		t.Errorf("%d proofs have no certificate, more than the %d that need a solver", left, solved)
	}
}
