package equiv_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	language "tv/semantics/glenside"

	"tv/equiv"
	"tv/equiv/prove"
	"tv/equiv/smt"
	"tv/glenside"
	"tv/internal/casefile"
	"tv/internal/languages"
	"tv/internal/source"
	"tv/internal/tier"
	"tv/semantics/domain"
)

// litmus is one file of testdata/check with its programs parsed and its options read.
type litmus struct {
	name          string
	want          equiv.Verdict
	before, after *glenside.Program
	opts          equiv.Options
}

// patience is longer than any test: what tests ask about ends by steps.
const patience = time.Hour

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
		l := litmus{name: filepath.Base(f), want: c.Want, opts: equiv.Options{Timeout: patience, Uncertified: true}}
		if slices.Contains(c.Args, "--require-exact") { // which is for those who ask what is proved of real numbers
			c.Args, l.opts.Arith = nil, equiv.Exact
		}
		for i := 0; i+1 < len(c.Args); i += 2 {
			switch c.Args[i] + " " + c.Args[i+1] {
			case "--arith exact", "--arith real", "--arith auto":
				l.opts.Arith, _ = domain.ParseArith(c.Args[i+1])
			case "--equal access":
				l.opts.Equal = equiv.Access
			case "--equal tensor":
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

// unknownUnits are the resource units of Z3 that the quick tier gives a query of what stays unknown.
const unknownUnits = 500_000

// TestLitmus asks every question of testdata/check. The checker accepts the certificate of every proof, and Z3 proves
// the obligations of those that a solver found.
func TestLitmus(t *testing.T) {
	var left atomic.Int64
	t.Run("files", func(t *testing.T) {
		for _, l := range readLitmus(t) {
			t.Run(l.name, func(t *testing.T) {
				t.Parallel()
				l.opts.Uncertified = false
				if l.want == equiv.Unknown { // which Z3 gives up on when it has taken all it may
					l.opts.RLimit = tier.Pick[uint64](unknownUnits, 0)
				}
				r, err := equiv.Check(t.Context(), equiv.Question{Before: language.Of(l.before), After: language.Of(l.after)}, l.opts)
				if err != nil {
					t.Fatal(err)
				}
				if r.Verdict != l.want {
					t.Fatalf("%s (%s: %s), want %s", r.Verdict, r.Reason, r.Detail, l.want)
				}
				if r.Verdict == equiv.Proved {
					n, err := provedAgain(l.name, &r)
					if left.Add(int64(n)); err != nil {
						t.Error(err)
					}
				}
			})
		}
	})
	if t.Logf("%d obligations", left.Load()); left.Load() < 60 {
		t.Errorf("only %d obligations", left.Load())
	}
}

// provedAgain has the certificate of a proof accepted and its obligations proved again, and returns how many there are.
func provedAgain(name string, r *equiv.Result) (obligations int, err error) {
	pairs, err := languages.Checker.CheckRest(name, r.Certificate)
	if err != nil {
		return 0, err
	}
	if open := len(pairs[0].Obligations) > 0; open != (len(r.Trusts) > 0) {
		return 0, fmt.Errorf("%d obligations, trusting %v", len(pairs[0].Obligations), r.Trusts)
	}
	if len(pairs[0].Obligations) == 0 {
		return 0, nil
	}
	if _, err := languages.Checker.Check(name, r.Certificate); err == nil {
		return 0, errors.New("accepted without its obligations")
	}
	list, err := prove.Obligations(pairs[0], languages.Named)
	if err != nil {
		return 0, err
	}
	for _, o := range list {
		if r := o.Decide(context.Background(), smt.Options{Solver: "z3"}); r.Answer != smt.Valid {
			return len(list), fmt.Errorf("%s: %s (%s)\n%s", o.About, r.Answer, r.Reason, o.Script)
		}
	}
	return len(list), nil
}

// TestItself: every program of the corpus equals itself, unless it rests on what no arithmetic interprets.
func TestItself(t *testing.T) {
	tier.Sweep(t)
	for _, l := range readLitmus(t) {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			r, err := equiv.Check(t.Context(), equiv.Question{Before: language.Of(l.before), After: language.Of(withoutAssumes(l.before))},
				l.opts)
			if err != nil {
				t.Fatal(err)
			}
			if r.Verdict != equiv.Proved && !strings.Contains(r.Detail, "uninterpreted") {
				t.Errorf("%s (%s: %s)", r.Verdict, r.Reason, r.Detail)
			}
		})
	}
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
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			if l.want != equiv.Proved { // for which the evaluator runs whole networks
				tier.Sweep(t)
			}
			l.opts.Uncertified = false
			r, err := equiv.Check(t.Context(), equiv.Question{Before: language.Of(l.before), After: language.Of(l.after)}, l.opts)
			if err != nil || r.Verdict != l.want {
				t.Errorf("%v, %v (%s: %s), want %s", err, r.Verdict, r.Reason, r.Detail, l.want)
			}
		})
	}
}
