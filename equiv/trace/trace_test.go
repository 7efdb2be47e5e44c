package trace_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"tv/equiv"
	"tv/equiv/trace"
	"tv/internal/languages"
	"tv/internal/source"
	"tv/semantics"
)

var update = flag.Bool("update", false, "write what is wanted")

// TestOf compares the traces of pairs with those that the files want.
func TestOf(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 3 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := traced(t, a)
			if *update {
				a.Files[2].Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(a.Files[2].Data), got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// traced asks about the pair in a file and prints the trace.
func traced(t *testing.T, a *txtar.Archive) string {
	t.Helper()
	var asked equiv.Question
	for i, to := range []*semantics.Source{&asked.Before, &asked.After} {
		f := a.Files[i]
		s, err := languages.ByExtension(filepath.Ext(f.Name)).Parse(source.NewFile(f.Name, string(f.Data)))
		if err != nil {
			t.Fatal(err)
		}
		*to = s
	}
	r, err := equiv.Check(t.Context(), asked, equiv.Options{})
	if err != nil || r.Counterexample == nil {
		t.Fatalf("%s, %v", r.Verdict, err)
	}
	before, after, err := equiv.Programs(asked)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := trace.Of(before, after, r.Arith, r.Counterexample)
	if err != nil {
		t.Fatal(err)
	}
	for side, want := range []string{r.Counterexample.Before, r.Counterexample.After} {
		if steps := tr.Sides[side].Steps; len(steps) > 0 && steps[0].Elements[0].Value.String() != want {
			t.Errorf("side %d: %s, the counterexample says %s", side, steps[0].Elements[0].Value, want)
		}
	}
	return printed(tr)
}

// printed is a trace in lines.
func printed(tr *trace.Trace) string {
	var b strings.Builder
	for _, in := range tr.Inputs {
		fmt.Fprintf(&b, "input %s %v", in.Name, in.Dims)
		field(&b, &in, 0)
	}
	b.WriteString("before")
	field(&b, &tr.Result, 0)
	b.WriteString("after")
	field(&b, &tr.Result, 1)
	for side, name := range []string{"before", "after"} {
		s := &tr.Sides[side]
		fmt.Fprintf(&b, "%s, parting at %v\n", name, s.Partings)
		for _, step := range s.Steps {
			fmt.Fprintf(&b, "  %d %s %v like %d\n", step.Part, s.Program.Parts()[step.Part].Name, step.Dims, step.Like)
			for _, e := range step.Elements {
				fmt.Fprintf(&b, "    %v = %s from", e.Index, e.Value)
				for _, r := range e.Reads {
					fmt.Fprintf(&b, " %d%v=%s", r.Part, r.Index, r.Value)
				}
				fmt.Fprintf(&b, " and %d more\n", e.More)
			}
			if step.More > 0 {
				fmt.Fprintf(&b, "    and %d more\n", step.More)
			}
		}
	}
	return b.String()
}

// field prints the values of a side; * is what is marked.
func field(b *strings.Builder, f *trace.Field, side int) {
	b.WriteByte('\n')
	for i := range f.Panels {
		p := &f.Panels[i]
		fmt.Fprintf(b, "  at %v, sampled %t, window %t\n", p.Leading, p.Sampled, p.Window)
		for row := range p.Rows {
			b.WriteString("   ")
			for col := range p.Cols {
				at := row*len(p.Cols) + col
				b.WriteString(" " + p.Values[side][at].String())
				if f.Marked[trace.Offset(f.Dims, p.Index(len(f.Dims), row, col))] {
					b.WriteByte('*')
				}
			}
			b.WriteByte('\n')
		}
	}
}
