package mlir

import (
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"tv/internal/tier"
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

// TestIndex: what steers is an index, where it is computed on the way too, and only where it steers.
func TestIndex(t *testing.T) {
	const most = 3037000499 // whose square is the last one below 2^63
	for _, test := range []struct {
		body   string
		at     int64
		before bool // and not from there on
	}{
		{"affine.for %i = 0 to affine_map<()[s0] -> (s0 * s0)>()[%n] { STORE }", most, true},
		{"affine.for %i = 0 to affine_map<()[s0] -> ((s0 * s0) mod 2)>()[%n] { } STORE", most, true},
		{"affine.for %i = 0 to affine_map<()[s0] -> (s0 * s0 - s0 * s0)>()[%n] { } STORE", most, true},
		{"%x = arith.muli %n, %n : index %y = arith.index_cast %x : index to i64 affine.for %i = 1 to %n { }" +
			"affine.store %y, %A[0] : memref<2xi64>", most, false},
		{"affine.for %i = 0 to %n step 9 { } STORE", 1<<60 - 2, false},
	} {
		body := strings.ReplaceAll(test.body, "STORE", "affine.store %z, %A[0] : memref<2xi64>")
		p, err := procedure("x.mlir", "func.func @f(%A: memref<2xi64>, %n: index) { %z = arith.constant 1 : i64 "+body+
			" return }")
		if err != nil {
			t.Error(err)
			continue
		}
		env, err := domain.Merge([]domain.Declarations{p.Declarations()})
		if err != nil {
			t.Fatal(err)
		}
		typed, err := p.Type(env)
		if err != nil {
			t.Errorf("%s: %v", test.body, err)
			continue
		}
		for d := range int64(2) {
			holds := true
			for _, c := range typed.Conditions() {
				ok, err := c.Pred.Eval(domain.Point{"n": test.at + d})
				holds = holds && ok && err == nil
			}
			if want := d == 0 || !test.before; holds != want {
				t.Errorf("%s at %d: %t", test.body, test.at+d, holds)
			}
		}
	}
}

// TestTorn: a text with words left out, or words of others put in, is read or refused.
func TestTorn(t *testing.T) {
	r, read := rand.New(rand.NewPCG(1, 2)), 0
	var words [][]string
	var all []string
	for _, f := range append(texts(t, "right.txtar"), texts(t, "refused.txtar")...) {
		list := regexp.MustCompile(`\s+|[\w.$%#@]+|.`).FindAllString(string(f.Data), -1)
		words, all = append(words, list), append(all, list...)
	}
	for range tier.Draw(4_000, 6_000, 15_000) {
		list := slices.Clone(words[r.IntN(len(words))])
		for range 1 + r.IntN(3) {
			k := r.IntN(len(list))
			switch r.IntN(3) {
			case 0:
				list = slices.Delete(list, k, min(len(list), k+1+r.IntN(3)))
			case 1:
				list[k] = all[r.IntN(len(all))]
			default:
				list = slices.Insert(list, k, list[r.IntN(len(list))])
			}
		}
		if p, err := procedure("torn.mlir", strings.Join(list, "")); err == nil {
			read++
			if env, err := domain.Merge([]domain.Declarations{p.Declarations()}); err == nil && read%20 == 0 {
				p.Type(env)
			}
		}
	}
	if t.Logf("%d are read", read); read < 50 {
		t.Errorf("%d are read", read)
	}
}
