package lower

import (
	"strings"
	"testing"

	"tv/glenside"
	"tv/internal/source"
	"tv/semantics/index"
	"tv/semantics/term"
)

func file(text string) *source.File { return &source.File{Name: "test.sexp", Text: text} }

// typed parses and types a program.
func typed(t testing.TB, text string) *glenside.Typing {
	t.Helper()
	p, err := glenside.Parse(file(text))
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	ty, err := glenside.Check(p, nil)
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	return ty
}

// lowered lowers a typed program in a new builder, in which named sizes are at least 1.
func lowered(t testing.TB, ty *glenside.Typing, exact bool) (*term.Builder, *Program) {
	t.Helper()
	b := term.NewBuilder()
	p, err := Lower(b, ty, Options{Exact: exact, Size: func(name string) *index.Expr { return b.Index.Size(name, 1) }})
	if err != nil {
		t.Fatal(err)
	}
	return b, p
}

// somewhere returns an index of variables i, j, ... over the dims, where each is within its dim.
func somewhere(b *term.Builder, dims []*index.Expr) []*index.Expr {
	at := make([]*index.Expr, len(dims))
	for i, d := range dims {
		at[i] = b.Index.NewVar(string(rune('i'+i)), b.Index.Const(0), d).Expr()
	}
	return at
}

// printed returns the dims and the element at somewhere, of the first component.
func printed(b *term.Builder, p *Program) string {
	a := p.Components[0].Array
	return a.Element(b.Index.Root(), somewhere(b, a.Dims)).String()
}

func TestOperatorsAreComplete(t *testing.T) {
	for _, op := range glenside.Ops() {
		if lowerings[op] == nil {
			t.Errorf("%s has no lowering", op.Name)
		}
	}
	if got, want := len(lowerings), len(glenside.Ops()); got != want {
		t.Errorf("%d lowerings of %d operators", got, want)
	}
}

// TestExamples lowers the example of every operator, in both arithmetics.
func TestExamples(t *testing.T) {
	for _, op := range glenside.Ops() {
		for _, exact := range []bool{false, true} {
			b, p := lowered(t, typed(t, op.Example), exact)
			if got := printed(b, p); got == "" || strings.Contains(got, "<nil>") {
				t.Errorf("%s: %q", op.Name, got)
			}
		}
	}
}
