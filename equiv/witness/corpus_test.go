package witness_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tv/equiv"
	"tv/equiv/witness"
	"tv/glenside"
	"tv/internal/casefile"
	"tv/internal/source"
	"tv/proofs"
	"tv/semantics/domain"
)

// question is a litmus file, read.
type question struct {
	name          string
	want          equiv.Verdict
	before, after *glenside.Program
	env           *domain.Env
	opts          witness.Options
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
		q.opts.Exact = strings.Contains(args, "--arith exact")
		q.opts.Access = strings.Contains(args, "--equal access")
		if q.before, err = glenside.Parse(l.Before); err != nil {
			continue
		}
		if q.after, err = glenside.Parse(l.After); err != nil {
			continue
		}
		if q.env, err = equiv.Environment([]*glenside.Program{q.before, q.after}, nil); err != nil {
			continue
		}
		if slices.Contains(want, l.Want) {
			out = append(out, q)
		}
	}
	return out
}

// solved is the number of pairs of the corpus that a solver alone proves, or that are proved in stages alone.
const solved = 78

// patience is for one certificate. Whole networks, which are proved in stages, do not end without them.
const patience = 4 * time.Second

// TestCorpus certifies every pair of the corpus that is proved in one piece, and none that is refuted.
func TestCorpus(t *testing.T) {
	only := os.Getenv("ONLY")
	accepted, total, size := 0, 0, 0
	for _, q := range read(t, equiv.Proved, equiv.Refuted) {
		if only != "" && q.name != only+".txtar" {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		start := time.Now()
		data, err := witness.Certify(ctx, q.before, q.after, q.env, q.opts)
		cancel()
		if d := time.Since(start); d > time.Second {
			t.Logf("%s: %s", q.name, d)
		}
		if q.want == equiv.Refuted {
			if err == nil {
				t.Errorf("%s: a wrong pair was certified", q.name)
			}
			continue
		}
		total++
		if err != nil {
			t.Logf("%s exact=%v: %v", q.name, q.opts.Exact, err)
			continue
		}
		if _, err := proofs.Check(q.name, data); err != nil {
			t.Errorf("%s: the checker does not follow its own answers: %v", q.name, err)
			continue
		}
		accepted++
		size = max(size, len(data))
	}
	t.Logf("%d of %d proofs have a certificate, the largest of %d bytes", accepted, total, size)
	if only == "" && total-accepted > solved {
		t.Errorf("%d proofs have no certificate, more than the %d that need a solver", total-accepted, solved)
	}
}
