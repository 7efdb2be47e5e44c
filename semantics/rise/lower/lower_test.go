package lower

import (
	"testing"

	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/index"
	"tv/semantics/rise/syntax"
	"tv/semantics/term"
)

// stated prints the first element of the first tensor of a program as a term, or why there is none.
func stated(t *testing.T, text string, a domain.Arith) string {
	t.Helper()
	p, err := syntax.Parse(source.NewFile("p", text))
	if err != nil {
		t.Fatal(err)
	}
	env, err := p.Infer()
	if err != nil {
		t.Fatal(err)
	}
	b := term.NewBuilder()
	out, err := Lower(p.Under(env, nil), b, semantics.LowerOptions{Arith: a, Whole: true,
		Size: func(n string) *index.Expr { return b.Index.Size(n, 1) }})
	if err != nil {
		return err.Error()
	}
	at := make([]*index.Expr, len(out.Components[0].Array.Dims))
	for i := range at {
		at[i] = b.Index.Const(0)
	}
	return out.Components[0].Array.Element(b.Index.Root(), at).String()
}

// TestUnstated: what has no term, and why.
func TestUnstated(t *testing.T) {
	for body, want := range map[string]string{
		"gather(I, X)":                               "gather(k = I[0]) X[k]",
		"I |> map(fun(i, idx(i, X)))":                "gather(k = I[0]) X[k]",
		"scatter(I, I)":                              "gather(k = place scattered(sum(k < 3) scatter(k, I[k]), 0)) I[k]",
		"scatter(generate(3, fun(i, 2 - i)), I)":     "I[2]",
		"scatter(generate(3, fun(i, 2 * i % 3)), I)": "p:1:26: scatter: places that are not in order",
		"scatter(generate(3, fun(i, i + 1)), I)":     "p:1:26: scatter: places that are not known to lie in the array",
		"X |> padEmpty(1)":                           "p:1:31: an element that may not be one of the array: it has no value",
		"[idx(1, X)]":                                "p:1:27: an element that may not be one of the array: it has no value",
		"[idx(0, X)]":                                "X[0]",
		"X |> reduceSeq(fun((a, x), a * x + 1), 0)":  "p:1:31: a fold that is no sum, product or maximum",
		"X |> reorder(N, fun(i, i), fun(i, i))":      "X[0]",
		"X |> reorder(N, fun(i, i), fun(i, N - i))":  "p:1:31: functions of places that are not known to be inverses of each other",
		"X |> map(fun(x, select(x < 1, 1 / x, 0)))":  "p:1:42: a branch that may have no value, which counts only where it is taken",
	} {
		if got := stated(t, "fun((X: N.f32, I: 3.i8), "+body+")", domain.Auto); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
}

// TestPartial: bit for bit quotients of floats have values, and those of integers have none by 0, also as floats.
func TestPartial(t *testing.T) {
	const why = "p:1:42: a branch that may have no value, which counts only where it is taken"
	for body, want := range map[string]string{
		"X |> map(fun(x, select(x < 1, 1 / x, 0)))":                      "c.choose(c.lt(X[0], 1), 1/X[0], 0)",
		"I |> map(fun(i, select(i < 1, cast(f32, i / i), 0)))":           why,
		"I |> map(fun(i, select(i < 1, cast(f32, i / 3), 0)))":           "c.choose(c.lt(I[0], 1), float32(c.floordiv(I[0], 3)), 0)",
		"I |> map(fun(i, select(i < 1, cast(f32, i / (0 - 1)), 0)))":     why,
		"X |> map(fun(x, select(x < 1, cast(f32, cast(i8, x)) + x, x)))": why,
	} {
		if got := stated(t, "fun((X: N.f32, I: 3.i8), "+body+")", domain.Exact); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
}

// TestOrder: a sum of floats bit for bit starts from what the text starts from. From 0 on it is 0 added to the sum.
func TestOrder(t *testing.T) {
	for text, want := range map[string]string{
		"fun((X: N.f32), reduce(add, 0, X))":    "0 + sum(k < N) X[k]",
		"fun((X: N.f32), reduce(add, -0.0, X))": "sum(k < N + 1) if(k - 1 >= 0, X[k - 1], -0)",
	} {
		if got := stated(t, text, domain.Exact); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	const text = "fun((X: N.f32), reduce(add, 5, X))"
	real, exact := stated(t, text, domain.Auto), stated(t, text, domain.Exact)
	if real == exact {
		t.Errorf("%s in both arithmetics", real)
	}
}
