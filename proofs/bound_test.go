package proofs_test

import (
	"bytes"
	"strings"
	"testing"

	"tv/internal/languages"
	"tv/proofs"
	"tv/semantics/domain"
)

// What AFTER's names stand for is the statement: another statement needs another proof, and one that says nothing of a name
// says nothing of what it stands for.
func TestBound(t *testing.T) {
	const (
		before = "(input A (shape M))\n(input B (shape M))\n(relay-operator-call relay-add A (compute negative (access B 1)))"
		after  = "function f(X float32[K], Y float32[K], Z float32[K])\nZ(i) = X(i) - Y(i)\n"
		write  = "procedure p(X float32[N], Y float32[N])\n"
	)
	size := map[string]domain.Size{"K": domain.NamedSize("M")}
	// a size of one that is a scalar of the other, and one of the same name that is something else there
	scaled := func(length, other, factor string) string {
		return "void f(int " + length + ", int " + other + ", const int x[" + length + "], int y[" + length + "]) {\n  for (int i = 0; i < " +
			length + "; i++) y[i] = x[i] * " + factor + ";\n}\n"
	}
	c := [2]string{"c", "c"}
	crossed, n := map[string]string{"k": "a", "x": "x", "y": "y"}, map[string]domain.Size{"n": domain.NamedSize("k")}
	for _, test := range []struct {
		name          string
		before, after string
		languages     [2]string
		names         map[string]string
		sizes         map[string]domain.Size
		code          string
	}{
		{"right", before, after, [2]string{"", "comprehension"}, map[string]string{"X": "A", "Y": "B"}, size, ""},
		{"the other way round", before, after, [2]string{"", "comprehension"}, map[string]string{"X": "B", "Y": "A"}, size, "certificate-goal"},
		{"one for both", before, after, [2]string{"", "comprehension"}, map[string]string{"X": "A", "Y": "A"}, size, "certificate-goal"},
		{"no name", before, after, [2]string{"", "comprehension"}, map[string]string{"X": "A"}, size, "certificate-statement"},
		{"no such tensor", before, after, [2]string{"", "comprehension"}, map[string]string{"X": "A", "Y": "C"}, size, "certificate-statement"},
		{"no size", before, after, [2]string{"", "comprehension"}, map[string]string{"X": "A", "Y": "B"}, nil, "certificate-statement"},
		{"another size", before, after, [2]string{"", "comprehension"}, map[string]string{"X": "A", "Y": "B"},
			map[string]domain.Size{"K": domain.NamedSize("M").Add(domain.IntSize(1))}, "certificate-statement"},
		{"no such language", before, after, [2]string{"", "cobol"}, map[string]string{"X": "A", "Y": "B"}, size, "certificate-statement"},
		{"procedures", write + "Y(i) = X(i)\n", write + "Y(i) = X(i) where i in 0:N\n", [2]string{"comprehension", "comprehension"},
			map[string]string{"X": "X", "Y": "Y"}, nil, ""},
		{"what one leaves alone", write + "Y(i) = X(i)\n", write + "X(i) = X(i)\n", [2]string{"comprehension", "comprehension"},
			map[string]string{"X": "X", "Y": "Y"}, nil, "certificate-statement"},
		{"a scalar that is called as a size of the other", scaled("k", "a", "a"), scaled("n", "k", "k"), c, crossed, n, ""},
		{"taken for that size", scaled("k", "a", "k"), scaled("n", "k", "k"), c, crossed, n, "certificate-goal"},
		{"the size for it", scaled("k", "a", "a"), scaled("n", "k", "n"), c, crossed, n, "certificate-goal"},
		{"taken for that size, the other way", scaled("n", "k", "k"), scaled("k", "a", "k"), c,
			map[string]string{"a": "k", "x": "x", "y": "y"}, map[string]domain.Size{"k": domain.NamedSize("n")}, "certificate-goal"},
	} {
		s := proofs.Statement{Before: test.before, After: test.after, Languages: test.languages, Bound: true, Names: test.names,
			Sizes: test.sizes}
		data := proofs.Format([]proofs.Pair{{Statement: s}})
		_, err := languages.Checker.Check("c", data)
		if got := err == nil; got != (test.code == "") || err != nil && !strings.Contains(err.Error(), test.code) {
			t.Errorf("%s: %v, want %q", test.name, err, test.code)
		}
		loose := bytes.Replace(data, []byte("bound true"), []byte("bound false"), 1)
		end := bytes.LastIndex(loose, []byte("sha256 "))
		if _, err := languages.Checker.Check("c", proofs.Signed(loose[:end])); err == nil {
			t.Errorf("%s: accepted with names that nothing is bound to", test.name)
		}
	}
}
