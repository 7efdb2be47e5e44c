package mlir

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"tv/semantics/domain"
)

// texts are those of an archive of testdata.
func texts(t *testing.T, name string) []txtar.File {
	a, err := txtar.ParseFile(filepath.Join("testdata", name))
	if err != nil || len(a.Files) < 10 {
		t.Fatalf("%s: %v", name, err)
	}
	return a.Files
}

func programs(t *testing.T, name string) (list []*program) {
	for _, f := range texts(t, name) {
		p, err := procedure(f.Name, string(f.Data))
		if err != nil {
			t.Error(err)
			continue
		}
		list = append(list, &program{f.Name, string(f.Data), p, 3})
	}
	return list
}

// TestRun holds what is read against compiled texts, and conditions on sizes against both.
func TestRun(t *testing.T) {
	if !has(t, "mlir-opt-19", "mlir-translate-19", "clang-16") {
		return
	}
	list := programs(t, "right.txtar")
	errors, all := against(t, list)
	for i, g := range list {
		if near := strings.HasPrefix(g.name, "near-"); near && errors[i] == 0 || errors[i] == all[i] {
			t.Errorf("%s: %d errors of %d", g.name, errors[i], all[i])
		}
		conditions(t, g)
	}
}

// conditions holds those that the checker states against runs, where it states any.
func conditions(t *testing.T, g *program) {
	env, err := domain.Merge([]domain.Declarations{g.p.Declarations()})
	if err != nil {
		t.Fatal(err)
	}
	typed, err := g.p.Type(env)
	if err != nil { // the checker states none for subscripts such as these
		t.Log(g.name, err)
		return
	}
	for _, x := range g.executions(0) {
		holds := true
		for _, c := range typed.Conditions() {
			ok, err := c.Pred.Eval(x.sizes)
			holds = holds && ok && err == nil
		}
		if holds != (x.left != "error") {
			t.Errorf("%s: at %v conditions say %t, and the run %s", g.name, x.sizes, holds, x.left)
		}
	}
}

// TestRefused: what is not read is refused with a code, at a place.
func TestRefused(t *testing.T) {
	for _, f := range texts(t, "refused.txtar") {
		code, rest, _ := strings.Cut(f.Name, " ")
		place, _, _ := strings.Cut(rest, " ")
		_, err := procedure("x.mlir", string(f.Data))
		if err == nil || !strings.HasPrefix(err.Error(), "x.mlir:"+place+": ") ||
			!strings.HasSuffix(err.Error(), "["+code+"]") {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}
