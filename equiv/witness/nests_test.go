package witness

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tv/internal/languages"
	"tv/proofs"
	"tv/proofs/algebra"
	"tv/semantics/loops"
)

// TestNests: the nests that the checker reads have its statements and reads, in its order, and are sources.
func TestNests(t *testing.T) {
	for _, pattern := range []string{"c/*.c", "mlir/*.mlir"} {
		files, err := filepath.Glob("../../testdata/languages/" + pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		count := 0
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			language := strings.TrimPrefix(filepath.Ext(f), ".")
			s := proofs.Statement{Before: string(data), After: string(data), Languages: [2]string{language, language}}
			before, _, err := Nests(s)
			if err != nil {
				t.Log(f, err)
				continue
			}
			text, err := languages.Checker.Statements(f, s)
			if err != nil { // it reads, and does not relate, what may end a call
				if !strings.Contains(err.Error(), "["+algebra.CodeUnsupported+"]") {
					t.Error(err)
				}
				continue
			}
			if _, err := loops.SourceOf(before, true); err != nil {
				t.Errorf("%s: %v", f, err)
			}
			lines := strings.Split(text, "\n")
			for _, pl := range loops.PlacesOf(before).Ordered() {
				x, ok := pl.Stmt.(*loops.Assign)
				if !ok {
					continue
				}
				_, reads, _ := strings.Cut(lines[0], "reads:")
				want := strings.Fields(reads)
				var check func(*loops.Expr)
				check = func(e *loops.Expr) {
					if e.Op == loops.Read {
						if len(want) == 0 || strings.TrimPrefix(e.From.Buffer.Name, want[0]) == e.From.Buffer.Name {
							t.Fatalf("%s: %s reads %s", f, lines[0], e.From.Buffer.Name)
						}
						want = want[2:]
					}
					for _, a := range e.Args {
						check(a)
					}
				}
				if check(x.Value); len(want) > 0 {
					t.Errorf("%s: %s: other reads", f, lines[0])
				}
				lines = lines[1:]
			}
			if !strings.HasPrefix(lines[0], "after") {
				t.Errorf("%s: %s is no statement", f, lines[0])
			}
			count++
		}
		if t.Logf("%s: %d of %d", pattern, count, len(files)); count == 0 {
			t.Errorf("%s: no nest", pattern)
		}
	}
}
