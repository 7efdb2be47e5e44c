package rise_test

import (
	"context"
	"testing"

	"tv/equiv/witness"
	"tv/internal/languages"
	"tv/proofs"
	"tv/semantics/domain"
)

// TestCertificates: RISE beside other languages.
func TestCertificates(t *testing.T) {
	const (
		product = "fun((A: m.k.f32, B: k.n.f32), A |> map(fun(r, B |> transpose |> " +
			"map(fun(c, zip(r, c) |> map(mult) |> reduce(add, 0))))))"
		tiled = "fun((A: (4*m).k.f32, B: k.n.f32), A |> split(4) |> map(map(fun(r, B |> transpose |> " +
			"map(fun(c, zip(r, c) |> map(mult) |> reduceSeq(add, 0)))))) |> join)"
		glenside = "(input A (shape m k))\n(input B (shape k n))\n" +
			"(compute dot-product (access-cartesian-product (access A 1) (access (access-transpose (access-tensor B) (list 1 0)) 1)))"
		window = "fun((x: n.f32, w: 3.f32), x |> slide(3, 1) |> map(fun(v, zip(v, w) |> map(mult) |> reduceSeq(add, 0))))"
		nest   = "void f(int n, const float x[n], const float w[3], float y[n-2]) {\n" +
			"for (int i = 0; i < n - 2; i++) { y[i] = 0; for (int j = 0; j < 3; j++) y[i] += x[i+j] * w[j]; } }"
	)
	procedure := proofs.Statement{Bound: true, Names: map[string]string{"x": "x", "w": "w"},
		Sizes: map[string]domain.Size{"n": domain.NamedSize("n")}}
	for _, test := range []struct {
		name, before, after string
		languages           [2]string
		base                proofs.Statement
		want                bool
	}{
		{"a product", glenside, product, [2]string{"glenside", "rise"}, proofs.Statement{}, true},
		{"a product, the other way round", product, glenside, [2]string{"rise", "glenside"}, proofs.Statement{}, true},
		{"a product and one of a transposed matrix", glenside,
			"fun((A: m.k.f32, B: k.n.f32), A |> map(fun(r, B |> map(fun(c, zip(r, c) |> map(mult) |> reduce(add, 0))))))",
			[2]string{"glenside", "rise"}, proofs.Statement{}, false},
		{"tiles", tiled, tiled, [2]string{"rise", "rise"}, proofs.Statement{}, true},
		{"a convolution", window, nest, [2]string{"rise", "c"}, procedure, true},
	} {
		s := test.base
		s.Arith, s.Before, s.After, s.Languages = domain.Auto, test.before, test.after, test.languages
		data, err := witness.Certify(context.Background(), s, witness.Search{Steps: 1 << 16})
		if err == nil {
			_, err = languages.Checker.Check("test", data)
		}
		if got := err == nil; got != test.want {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}
