package syntax

import (
	"fmt"
	"strings"
	"testing"

	"tv/internal/source"
)

// typed prints the type of what a program returns and the conditions on its sizes, or what is wrong with it.
func typedAs(text string) string {
	p, err := Parse(source.NewFile("p", text))
	if err != nil {
		return err.Error()
	}
	env, err := p.Infer()
	if err != nil {
		return err.Error()
	}
	t := p.Under(env, nil)
	out := []string{p.Body.Type.String()}
	for _, c := range t.Conditions() {
		out = append(out, c.Code+" "+c.Pred.String())
	}
	return strings.Join(out, "; ")
}

func TestTypes(t *testing.T) {
	x := func(body string) string { return "fun((X: N.f32, Y: M.f32, A: N.M.f32), " + body + ")" }
	for text, want := range map[string]string{
		x("X |> split(4)"):                                               "(N div 4).4.f32; not-divisible (divides 4 N)",
		x("A |> join |> split(M)"):                                       "N.M.f32",
		x("A |> join"):                                                   "(M*N).f32",
		x("X |> slide(3, 1)"):                                            "(N - 2).3.f32; window-too-long (<= 0 (- N 3))",
		x("X |> slide(3, 2)"):                                            "((N + 1) div 2 - 1).3.f32; not-divisible (divides 2 (- N 3)); window-too-long (<= 0 (- (div (+ N 1) 2) 2))",
		x("X |> pad(1, 1) |> slide(3, 1)"):                               "N.3.f32",
		x("zip(X, Y)"):                                                   "N.(f32, f32); shape-mismatch (= N M)",
		x("zip(X, X |> map(fun(x, x < 1.5)))"):                           "N.(f32, bool)",
		x("A |> transpose |> map(reduce(add, 0))"):                       "M.f32",
		x("(X |> take(2), Y |> drop(N))"):                                "(2.f32, (M - N).f32); slice-bounds (<= 0 (- N 2)); slice-bounds (<= 0 (- M N))",
		x("generate(K, fun(i, i))"):                                      "K.index",
		x("generate(K * 2, fun(i, idx(i, X)))"):                          "(2*K).f32",
		x("X |> split(K) |> map(reduce(add, 0)) |> reduce(add, 0)"):      "f32; not-divisible (divides K N)",
		x("map(map(neg), A)"):                                            "N.M.f32",
		x("X |> split(4) |> map(map(neg)) |> join |> fun(y, zip(X, y))"): "N.(f32, f32); not-divisible (divides 4 N)",
		x("X |> slide(4, 2) |> map(fun(w, zip(w, Y)))"):                  "(N div 2 - 1).4.(f32, f32); not-divisible (divides 2 (- N 4)); shape-mismatch (= 4 M); window-too-long (<= 0 (- (div N 2) 2))",
		x("concat(X, Y)"):                                                "(M + N).f32",
		x("X |> map(cast) |> map(add(cast(i8)(idx(0, X))))"):             "N.i8",
		x("1 + N"): "index",
		x("N"):     "index",
	} {
		if got := typedAs(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestErrors: what is wrong, and where.
func TestErrors(t *testing.T) {
	x := func(body string) string { return "fun((X: 4.f32, I: 3.i32, A: 2.3.f32),\n" + body + ")" }
	for text, want := range map[string]string{
		"":                                   "1:1 bad-syntax",
		"X":                                  "1:1 bad-syntax",
		"fun(x, x)":                          "1:5 bad-syntax",
		"fun((x), x)":                        "1:6 bad-syntax",
		"fun((X: 3.int), X)":                 "1:11 unknown-type",
		"fun((X: 3.f32, X: 3.f32), X)":       "1:16 redefined-name",
		"fun((X: 3.(f32, i8)), X)":           "1:9 unsupported-op",
		"fun((X: N.f32, N: i32), X)":         "1:9 redefined-name",
		"fun((X: map.f32), X)":               "1:9 size-wanted",
		"fun((X: (N / (N - 2)).f32), X)":     "1:15 bad-divisor",
		"fun((X: 3.f32), X":                  "1:4 bad-syntax",
		"fun((X: 3.f32), X) X":               "1:20 bad-syntax",
		"fun((X: 3.f32), X ! X)":             "1:19 bad-syntax",
		"fun((X: f32), X < X < X)":           "1:21 bad-syntax",
		x("X |> mapp(neg)"):                  "2:6 unbound-name",
		x("Z |> map(neg)"):                   "2:1 unbound-name",
		x("zip(X, Z)"):                       "2:8 unbound-name",
		x("foo(X)"):                          "2:1 unbound-name",
		x("X |> map(foo)"):                   "2:10 unbound-name",
		x("Z + X"):                           "2:5 type-mismatch",
		x("X |> map(I)"):                     "2:10 type-mismatch",
		x("X |> map(fun(x, x + idx(0, I)))"): "2:21 type-mismatch",
		x("zip(X, I)"):                       "2:8 shape-mismatch",
		x("X |> split(3)"):                   "",
		x("X |> split"):                      "2:6 wrong-arity",
		x("X |> slide(3)"):                   "2:6 wrong-arity",
		x("X |> split(I)"):                   "2:12 size-wanted",
		x("X |> split(1.5)"):                 "2:12 bad-syntax",
		x("X |> split(fun(x, x))"):           "2:12 size-wanted",
		x("I |> map(add(1.5))"):              "2:14 type-mismatch",
		x("X |> map"):                        "2:1 type-mismatch",
		x("map(neg)"):                        "2:1 type-mismatch",
		x("fst(X)"):                          "2:5 type-mismatch",
		x("X + X"):                           "2:1 type-mismatch",
		x("idx(idx(0, X), X)"):               "2:5 type-mismatch",
		x("idx(0.5, X)"):                     "2:5 type-mismatch",
		x("X |> map(fun(x, x % 2))"):         "2:17 type-mismatch",
		x("X |> map(fun((x: i8), x))"):       "2:15 type-mismatch",
		x("A |> map(fun((r: 4.f32), r))"):    "2:15 shape-mismatch",
		x("1"):                               "2:1 ambiguous-literal",
		x("[]"):                              "2:1 type-mismatch",
		x("fun(x, x(x))"):                    "2:8 type-mismatch",
		x("X |> map(fun((x, y), x))"):        "2:10 type-mismatch",
		x("[X, I]"):                          "2:5 shape-mismatch",
		x("(X, neg)"):                        "2:5 type-mismatch",
		x("X()"):                             "2:1 wrong-arity",
		x("X |> reorder(4, fun(i, i))"):      "2:1 type-mismatch",
		x("generate(2, fun(j, X |> reorder(4, fun(i, (i + j) % 4), fun(i, (i - j) % 4))))"): "2:25 unsupported-op",
		x(strings.Repeat("(", 5000) + "X" + strings.Repeat(")", 5000)):                      "2:999 too-deep",
		x("X" + strings.Repeat(" |> id", 5000)):                                             "2:12003 too-deep",
	} {
		p, err := Parse(source.NewFile("p", text))
		got := ""
		if es := source.AsErrors(err); err != nil {
			got = fmt.Sprintf("%d:%d %s", es[0].Position().Line, es[0].Position().Col, es[0].Code)
		} else {
			env, _ := p.Infer()
			p.Under(env, nil)
		}
		if got != want {
			t.Errorf("%.80s: %s, want %s: %v", text, got, want, err)
		}
	}
}

func TestFormat(t *testing.T) {
	for text, want := range map[string]string{
		"fun ( ( A:N . K.f32,B :(K+1).3 . f32 ) , # a comment\n\n\nA|>map( fun(x , x)))": "fun((A: N.K.f32, B: (K + 1).3.f32), # a comment\n\n" +
			"  A |> map(fun(x, x)))\n",
		"fun((x:f32),\n-x * - 1.5>>f\n)  // end":            "fun((x: f32),\n  -x * -1.5 >> f\n) // end\n",
		"fun((A: N.f32), A|>map(fun(x,\nx|>fun(y,\ny)\n)))": "fun((A: N.f32), A |> map(fun(x,\n  x |> fun(y,\n    y)\n)))\n",
		"fun((x:f32),\n[x,(x , x)] |>\nslide(3) ( 1))":      "fun((x: f32),\n  [x, (x, x)] |>\n  slide(3)(1))\n",
	} {
		got := Format(&Program{Text: source.NewFile("p", text)})
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if again := Format(&Program{Text: source.NewFile("p", got)}); again != got {
			t.Errorf("%q becomes %q", got, again)
		}
	}
}
