package equiv_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"tv/equiv"
	"tv/equiv/smt"
	"tv/glenside"
	"tv/internal/casefile"
	"tv/internal/source"
	"tv/proofs"
)

// litmus is one file of testdata/check with its programs parsed and its options read.
type litmus struct {
	name          string
	want          equiv.Verdict
	before, after *glenside.Program
	opts          equiv.Options
}

func readLitmus(t *testing.T) []litmus {
	t.Helper()
	return readCases(t, "../testdata/check")
}

func readCases(t *testing.T, dir string) []litmus {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no litmus files: %v", err)
	}
	var out []litmus
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		c, err := casefile.ReadLitmus(source.NewFile(filepath.Base(f), string(text)))
		if err != nil {
			t.Fatal(err)
		}
		l := litmus{name: filepath.Base(f), want: c.Want, opts: equiv.Options{Timeout: 30 * time.Second, Uncertified: true}}
		for i := 0; i+1 < len(c.Args); i += 2 {
			switch c.Args[i] + " " + c.Args[i+1] {
			case "--arith exact":
				l.opts.Arith = equiv.Exact
			case "--equal access":
				l.opts.Equal = equiv.Access
			case "--arith real", "--equal tensor":
			default:
				t.Fatalf("%s: unknown argument %s", f, c.Args[i])
			}
		}
		if l.before, err = glenside.Parse(c.Before); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		if l.after, err = glenside.Parse(c.After); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		out = append(out, l)
	}
	return out
}

// TestLitmus asks every question of testdata/check; and every program against itself, which is proved unless the
// program rests on what no arithmetic interprets. What a solver proves has a certificate whose obligations Z3 proves.
func TestLitmus(t *testing.T) {
	var g errgroup.Group
	var left atomic.Int64
	g.SetLimit(runtime.NumCPU())
	for _, l := range readLitmus(t) {
		g.Go(func() error {
			r, err := equiv.Check(context.Background(), l.before, l.after, l.opts)
			if err != nil {
				t.Errorf("%s: %v", l.name, err)
				return nil
			}
			if r.Verdict != l.want {
				t.Errorf("%s: %s (%s: %s), want %s", l.name, r.Verdict, r.Reason, r.Detail, l.want)
			}
			if r.Verdict == equiv.Proved && len(r.Trusts) > 0 {
				n, err := provedAgain(l)
				if left.Add(int64(n)); err != nil {
					t.Errorf("%s: %v", l.name, err)
				}
			}
			self, err := equiv.Check(context.Background(), l.before, withoutAssumes(l.before), l.opts)
			if err != nil {
				t.Errorf("%s against itself: %v", l.name, err)
				return nil
			}
			if self.Verdict != equiv.Proved && !strings.Contains(self.Detail, "uninterpreted") {
				t.Errorf("%s against itself: %s (%s: %s)", l.name, self.Verdict, self.Reason, self.Detail)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	if t.Logf("%d obligations", left.Load()); left.Load() < 60 {
		t.Errorf("only %d obligations", left.Load())
	}
}

// provedAgain has the certificate of a proof accepted and its obligations proved again, and returns how many there are.
func provedAgain(l litmus) (obligations int, err error) {
	opts := l.opts
	opts.Uncertified = false
	r, err := equiv.Check(context.Background(), l.before, l.after, opts)
	if err != nil || r.Verdict != equiv.Proved {
		return 0, fmt.Errorf("with a certificate: %s (%s) %w", r.Verdict, r.Detail, err)
	}
	pairs, err := proofs.CheckRest(l.name, r.Certificate)
	if err != nil {
		return 0, err
	}
	if open := len(pairs[0].Obligations) > 0; open != (len(r.Trusts) > 0) {
		return 0, fmt.Errorf("%d obligations, trusting %v", len(pairs[0].Obligations), r.Trusts)
	}
	if len(pairs[0].Obligations) == 0 { // the checker has a proof where the prover has none
		return 0, nil
	}
	if _, err := proofs.Check(l.name, r.Certificate); err == nil {
		return 0, errors.New("accepted without its obligations")
	}
	list, err := equiv.Obligations(pairs[0])
	if err != nil {
		return 0, err
	}
	for _, o := range list {
		if r := o.Decide(context.Background(), smt.Options{Solver: "z3", Timeout: time.Minute}); r.Answer != smt.Valid {
			return len(list), fmt.Errorf("%s: %s (%s)\n%s", o.About, r.Answer, r.Reason, o.Script)
		}
	}
	return len(list), nil
}

// withoutAssumes returns p as an AFTER, which may not assume anything.
func withoutAssumes(p *glenside.Program) *glenside.Program {
	q := *p
	q.Assumes = nil
	return &q
}

// TestDeep asks about networks too deep to be proved in one piece, or in samples of all that comes before a layer.
func TestDeep(t *testing.T) {
	for _, l := range readCases(t, "testdata/deep") {
		l.opts.Uncertified = false
		r, err := equiv.Check(context.Background(), l.before, l.after, l.opts)
		if err != nil || r.Verdict != l.want {
			t.Errorf("%s: %v, %v (%s: %s), want %s", l.name, err, r.Verdict, r.Reason, r.Detail, l.want)
		}
	}
}
