package equiv_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"tv/equiv"
	"tv/glenside"
	"tv/internal/casefile"
	"tv/internal/source"
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
	files, err := filepath.Glob("../testdata/check/*.txtar")
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
		l := litmus{name: filepath.Base(f), want: c.Want, opts: equiv.Options{Timeout: 30 * time.Second}}
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
// program rests on what no arithmetic interprets.
func TestLitmus(t *testing.T) {
	var g errgroup.Group
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
}

// withoutAssumes returns p as an AFTER, which may not assume anything.
func withoutAssumes(p *glenside.Program) *glenside.Program {
	q := *p
	q.Assumes = nil
	return &q
}
