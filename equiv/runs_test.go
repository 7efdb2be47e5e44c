package equiv_test

import (
	"context"
	"path/filepath"
	"testing"

	"os"
	"tv/equiv"
	"tv/internal/casefile"
	"tv/internal/languages"
	"tv/internal/source"
)

// TestRunsElsewhere: a relation is found and certified also where none of the sizes that it is guessed from by default may be tried.
func TestRunsElsewhere(t *testing.T) {
	for _, name := range []string{"jacobi-delayed", "jacobi-tiled", "seidel-wavefront", "forward-columns", "lu-left", "floyd-interchanged",
		"recur-cut", "recur-third", "recur-two", "recur-flat-solve"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(filepath.Join("../testdata/languages", "c-"+name+".txtar"))
			if err != nil {
				t.Fatal(err)
			}
			c, err := casefile.ReadLitmus(source.NewFile(name, string(text)))
			if err != nil {
				t.Fatal(err)
			}
			q := equiv.Question{}
			if q.Before, err = languages.C.Parse(c.Before); err != nil {
				t.Fatal(err)
			}
			if q.After, err = languages.C.Parse(c.After); err != nil {
				t.Fatal(err)
			}
			for _, from := range []int64{0, 6} {
				r, err := equiv.Check(context.Background(), q, equiv.Options{Solver: "none"}.RunningFrom(from))
				if err != nil || r.Verdict != equiv.Proved || len(r.Certificate) == 0 || r.Engine != "recurrence" {
					t.Errorf("from %d on: %v by %s, %s %s, %v", from, r.Verdict, r.Engine, r.Reason, r.Detail, err)
				}
			}
		})
	}
}
