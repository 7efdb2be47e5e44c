package tc

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"tv/internal/source"
	"tv/proofs/algebra"
	"tv/proofs/loops"
	"tv/proofs/loops/looptest"
	"tv/proofs/procedures"
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

// TestRun holds what is read against comprehensions that are carried out one by one, and conditions
// on sizes against both.
func TestRun(t *testing.T) {
	for _, f := range texts(t, "right.txtar") {
		file := source.NewFile(f.Name, string(f.Data))
		p, err := Procedure(file)
		if err != nil {
			t.Error(err)
			continue
		}
		d := defined(file)
		most := map[bool]int64{true: 5, false: 2}[len(p.Sizes) < 4]
		if len(p.Sizes) == 1 {
			most = 14
		}
		errors, all := against(t, f.Name, d, p, most)
		if near := strings.HasPrefix(f.Name, "near-"); near != (errors > 0) || errors == all {
			t.Errorf("%s: %d errors of %d", f.Name, errors, all)
		}
	}
}

// defined is the definition of a text.
func defined(file *source.File) (d *definition) {
	_ = procedures.Read(file, word(), " \t\r\n#", func(w *procedures.Words) { d = definitions(w)[0] })
	return d
}

// against holds a procedure against its definition at all sizes up to most, and counts.
func against(t *testing.T, name string, d *definition, p *loops.Procedure, most int64) (errors, all int) {
	t.Helper()
	env, err := domain.Merge([]domain.Declarations{p.Declarations()})
	if err != nil {
		t.Fatal(name, err)
	}
	typed, err := p.Type(env)
	if err != nil {
		t.Logf("%s: %v", name, err) // the checker states no conditions for subscripts such as these
	}
	points(p.Sizes, most, map[string]int64{}, func(sizes map[string]int64) {
		want := directly(d, sizes)
		got, err := looptest.Run(p, sizes)
		if all++; err != nil {
			got = "error"
			errors++
		}
		if want != got {
			t.Errorf("%s at %v:\n%s, not\n%s", name, sizes, got, want)
		}
		if typed == nil {
			return
		}
		fails := slices.ContainsFunc(typed.Conditions(), func(c algebra.Condition) bool {
			ok, err := c.Pred.Eval(sizes)
			return !ok || err != nil
		})
		if fails != (got == "error") {
			t.Errorf("%s at %v: conditions fail: %t, and the run: %s", name, sizes, fails, got)
		}
	})
	return errors, all
}

// points calls f for all values of sizes up to most.
func points(names []string, most int64, at map[string]int64, f func(map[string]int64)) {
	if len(names) == 0 {
		f(at)
		return
	}
	for v := range most {
		at[names[0]] = v + 1
		points(names[1:], most, at, f)
	}
}

// TestRefused: what is not read is refused with a code, at a place.
func TestRefused(t *testing.T) {
	for _, f := range texts(t, "refused.txtar") {
		code, rest, _ := strings.Cut(f.Name, " ")
		place, _, _ := strings.Cut(rest, " ")
		_, err := Procedure(source.NewFile("x.tc", string(f.Data)))
		if err == nil || !strings.HasPrefix(err.Error(), "x.tc:"+place+": ") ||
			!strings.HasSuffix(err.Error(), "["+code+"]") {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}

// TestChosen: of several definitions the one that is named.
func TestChosen(t *testing.T) {
	const text = "def f(float(N) A) -> (B) { B(i) = A(i) } def g(float(N) A) -> (C) { C(i) = A(i) }"
	for name, want := range map[string]string{"f": "B", "g": "C", "": "", "h": ""} {
		file := source.NewFile("x.tc", text)
		file.Function = name
		p, err := Procedure(file)
		if (err == nil) != (want != "") || err == nil && p.Params[1].Name != want {
			t.Errorf("%q: %v", name, err)
		}
	}
}
