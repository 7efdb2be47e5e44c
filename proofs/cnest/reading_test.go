package cnest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"tv/semantics/domain"
)

// texts are those of an archive of testdata.
func texts(t *testing.T, name string) []txtar.File {
	a, err := txtar.ParseFile(filepath.Join("testdata", name))
	if err != nil || len(a.Files) < 25 {
		t.Fatalf("%s: %v", name, err)
	}
	return a.Files
}

// TestRun holds what is read against gcc, and conditions on sizes against both.
func TestRun(t *testing.T) {
	var list []*program
	for _, f := range texts(t, "right.txtar") {
		p, err := read(f.Name, string(f.Data))
		if err != nil {
			t.Error(err)
			continue
		}
		list = append(list, &program{f.Name, string(f.Data), p, 4, false})
	}
	own := len(list)
	files, err := filepath.Glob("../../testdata/languages/c/*.c")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if p, err := read(name, string(text)); err != nil {
			t.Log("refused:", err) // the checker reads less than the language has
		} else {
			list = append(list, &program{name, string(text), p, 3, false})
		}
	}
	if len(list) < own+2 {
		t.Errorf("%d examples are read", len(list)-own)
	}
	errors, all := against(t, list)
	for i, g := range list {
		if near := strings.HasPrefix(g.name, "near-"); i < own && near != (errors[i] > 0) {
			t.Errorf("%s: %d errors of %d", g.name, errors[i], all[i])
		}
		conditions(t, g)
	}
}

// conditions holds those that the checker states against runs, where it states any.
func conditions(t *testing.T, g *program) {
	env, err := domain.Merge([]domain.Declarations{g.p.Declarations()})
	if err != nil { // pointers, of which the text says no extent
		return
	}
	typed, err := g.p.Type(env)
	if err != nil { // the checker states none for subscripts such as these
		return
	}
	for _, x := range g.executions(0) {
		holds := true
		for _, c := range typed.Conditions() {
			ok, err := c.Pred.Eval(x.sizes)
			holds = holds && ok && err == nil
		}
		if holds != (x.left != "error" && x.left != "guarded") {
			t.Errorf("%s: at %v conditions say %t, and the run %s", g.name, x.sizes, holds, x.left)
		}
	}
}

// TestRefused: what is not read is refused with a code, at a place.
func TestRefused(t *testing.T) {
	for _, f := range texts(t, "refused.txtar") {
		code, rest, _ := strings.Cut(f.Name, " ")
		place, _, _ := strings.Cut(rest, " ")
		_, err := read("x.c", string(f.Data))
		if err == nil || !strings.HasPrefix(err.Error(), "x.c:"+place+": ") ||
			!strings.HasSuffix(err.Error(), "["+code+"]") {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}
