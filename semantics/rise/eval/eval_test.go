package eval

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/rise/syntax"
	"tv/semantics/value"
)

// evaluate prints the elements of each tensor of the result, or the place and the code of what is wrong. Tensors are words
// after their names: "X 1 2 3; W 4".
func evaluate(t *testing.T, text, tensors string, a value.Arith, pt domain.Point) string {
	t.Helper()
	p, err := syntax.Parse(source.NewFile("p", text))
	if err != nil {
		return fmt.Sprint(err)
	}
	env, err := p.Infer()
	if err != nil {
		t.Fatal(err)
	}
	in := value.Tensors{}
	for _, part := range strings.Split(tensors, ";") {
		words := strings.Fields(part)
		for _, w := range words[min(1, len(words)):] {
			v, err := value.ParseValue(w, a, env.Tensors[words[0]].Elem)
			if err != nil {
				t.Fatal(err)
			}
			in[words[0]] = append(in[words[0]], v)
		}
	}
	typed := p.Under(env, nil)
	e, err := New(typed, a, pt, in, nil)
	if wrong := (*source.Error)(nil); errors.As(err, &wrong) {
		return fmt.Sprintf("%s %s", wrong.Position(), wrong.Code)
	}
	var out []string
	for _, path := range typed.Result().Paths() {
		out = append(out, elements(e, path, nil))
	}
	return strings.Join(out, "; ")
}

// elements prints those of a component whose first indices are given.
func elements(e semantics.Evaluator, path []int, index []int64) string {
	dims := e.Dims(path)
	if len(index) == len(dims) {
		v, err := e.Element(path, index)
		if errors.Is(err, value.ErrUndefined) {
			return "undefined"
		}
		return fmt.Sprint(v)
	}
	var out []string
	for i := range dims[len(index)] {
		out = append(out, elements(e, path, append(slices.Clip(index), i)))
	}
	if len(index) > 0 {
		return "(" + strings.Join(out, " ") + ")"
	}
	return strings.Join(out, " ")
}

// TestPatterns: each pattern, counted by hand.
func TestPatterns(t *testing.T) {
	const six = "A 1 2 3 4 5 6"
	for _, test := range []struct{ text, in, want string }{
		// A: 2.3.i32, X: 6.i32
		{"fun((X: 6.i32), X |> map(fun(x, x * 10)))", "X 1 2 3 4 5 6", "10 20 30 40 50 60"},
		{"fun((X: 3.i32), mapSeq(neg, X))", "X 1 2 3", "-1 -2 -3"},
		{"fun((X: 3.i32), mapPar(add(1))(X))", "X 1 2 3", "2 3 4"},
		{"fun((X: 3.i32), X |> mapSeqUnroll(sub(1)))", "X 1 2 3", "0 -1 -2"},
		{"fun((X: 3.i32, Y: 3.i32), zip(X, Y))", "X 1 2 3; Y 4 5 6", "1 2 3; 4 5 6"},
		{"fun((X: 3.i32, Y: 3.i32), zip(X, Y) |> map(mult))", "X 1 2 3; Y 4 5 6", "4 10 18"},
		{"fun((X: 3.i32, Y: 3.i32), zip(X)(Y) |> map(fun(p, fst(p) - snd(p))))", "X 1 2 3; Y 4 5 7", "-3 -3 -4"},
		{"fun((X: 3.i32, Y: 3.i32), zip(X, Y) |> unzip |> snd)", "X 1 2 3; Y 4 5 6", "4 5 6"},
		{"fun((X: 3.i32), makePair(X, X |> drop(1)) |> mapFst(take(2)) |> mapSnd(map(neg)))", "X 1 2 3", "1 2; -2 -3"},
		{"fun((X: 3.i32), (idx(0, X), (idx(1, X), idx(2, X))))", "X 1 2 3", "1; 2; 3"},
		{"fun((X: 4.i32), X |> reduce(add, 0))", "X 1 2 3 4", "10"},
		{"fun((X: 4.i32), X |> reduceSeq(fun((a, x), a * 10 + x), 7))", "X 1 2 3 4", "71234"},
		{"fun((X: 4.i32), X |> reduce(sub)(0))", "X 1 2 3 4", "-10"},
		{"fun((X: 4.i32), X |> scanSeq(fun((x, a), a * 10 + x), 7))", "X 1 2 3 4", "71 712 7123 71234"},
		{"fun((A: 2.3.i32), A |> transpose)", six, "(1 4) (2 5) (3 6)"},
		{"fun((X: 6.i32), X |> split(2))", "X 1 2 3 4 5 6", "(1 2) (3 4) (5 6)"},
		{"fun((X: 6.i32), X |> asVector(3) |> map(map(neg)) |> asScalar)", "X 1 2 3 4 5 6", "-1 -2 -3 -4 -5 -6"},
		{"fun((A: 2.3.i32), A |> join)", six, "1 2 3 4 5 6"},
		{"fun((X: 6.i32), X |> slide(2, 2))", "X 1 2 3 4 5 6", "(1 2) (3 4) (5 6)"},
		{"fun((X: 5.i32), X |> slide(3)(1))", "X 1 2 3 4 5", "(1 2 3) (2 3 4) (3 4 5)"},
		{"fun((X: 2.i32), X |> padClamp(1, 2))", "X 1 2", "1 1 2 2 2"},
		{"fun((X: 2.i32), X |> pad(1, 0))", "X 1 2", "1 1 2"},
		{"fun((X: 2.i32), X |> padCst(1, 2, 9))", "X 1 2", "9 1 2 9 9"},
		{"fun((X: 2.i32), X |> padEmpty(1))", "X 1 2", "1 2 undefined"},
		{"fun((X: 2.i32), X |> padEmpty(1) |> take(2))", "X 1 2", "1 2"},
		{"fun((X: 4.i32), concat(X |> drop(3), X |> take(2)))", "X 1 2 3 4", "4 1 2"},
		{"fun((X: 4.i32), generate(3, fun(i, idx(3 - i, X))))", "X 1 2 3 4", "4 3 2"},
		{"fun((X: 4.i32), generate(3, fun(i, i * 2)))", "X 1 2 3 4", "0 2 4"},
		{"fun((X: 2.i32), generate(3, fun(i, idx(i, X))))", "X 1 2", "1 2 undefined"},
		{"fun((I: 3.i8, X: 2.i32), gather(I, X))", "I 1 0 2; X 5 6", "6 5 undefined"},
		{"fun((I: 3.i8, X: 3.i32), scatter(I, X))", "I 1 2 0; X 5 6 7", "7 5 6"},
		{"fun((I: 2.i8, X: 2.i32), scatter(I, X))", "I 1 1; X 5 6", "undefined undefined"},
		{"fun((X: 3.i32), X |> reorder(3, fun(i, (i + 1) % 3), fun(i, (i + 2) % 3)))", "X 1 2 3", "2 3 1"},
		{"fun((X: 3.i32), X |> reorder(3, fun(i, i), fun(i, 2 - i)))", "X 1 2 3", "p:1:22 not-a-permutation"},
		{"fun((X: 3.i32), let(idx(1, X), fun(y, X |> map(mult(y)))))", "X 1 2 3", "2 4 6"},
		{"fun((X: 3.i32), X |> id |> toMem)", "X 1 2 3", "1 2 3"},
		{"fun((X: 3.i32), X |> map(fun(x, cast(i8)(x))))", "X 1 200 300", "1 -56 44"},
		{"fun((X: 3.i32), X |> map(fun(x, select(x < 2, 0, x))))", "X 1 2 3", "0 2 3"},
		{"fun((X: 3.i32), select(idx(0, X) == 1, X, X |> map(neg)))", "X 1 2 3", "1 2 3"},
		{"fun((X: 2.i32), [idx(1, X), 7, idx(0, X) >= 1 |> fun(c, select(c, 4, 5))])", "X 1 2", "2 7 4"},
		{"fun((X: 4.i32), X |> map(fun(x, x / 2)))", "X -3 -2 3 5", "-2 -1 1 2"},
		{"fun((X: 4.i32), X |> map(fun(x, x % 3)))", "X -4 -3 3 5", "2 0 0 2"},
		{"fun((X: 2.i32), X |> map(fun(x, 1 / x)))", "X 0 -2", "undefined -1"},
		{"fun((X: 3.f32), X |> map(fun(x, max(x / 4, min(0.5)(x)))))", "X 1 2 -4", "1/2 1/2 -1"},
		{"fun((X: 3.i32), X |> (take(2) >> map(neg)))", "X 1 2 3", "-1 -2"},
		{"fun((X: 3.i32), X |> map(add(1) >> mult(10)))", "X 1 2 3", "20 30 40"},
		{"fun((X: 3.i8), X |> map(mult(100)))", "X 1 2 3", "100 -56 44"},
		{"fun((A: 2.3.i32), A |> reduce(fun((a, r), zip(a, r) |> map(add)), [0, 0, 10]))", six, "5 7 19"},
		{"fun((A: 2.2.i32, B: 2.2.i32),\n A |> map(fun(row, B |> transpose |> map(fun(col,\n zip(row, col) |> map(mult) |> reduce(add, 0))))))",
			"A 1 2 3 4; B 5 6 7 8", "(19 22) (43 50)"},
	} {
		if got := evaluate(t, test.text, test.in, domain.Auto, nil); got != test.want {
			t.Errorf("%s: %s, want %s", test.text, got, test.want)
		}
	}
}

// TestSizes: named sizes, and points where the program is ill formed.
func TestSizes(t *testing.T) {
	for _, test := range []struct {
		text string
		n    int64
		want string
	}{
		{"fun((X: N.i32), X |> split(2) |> map(reduce(add, 0)))", 4, "3 7"},
		{"fun((X: N.i32), X |> split(2) |> map(reduce(add, 0)))", 3, "p:1:22 not-divisible"},
		{"fun((X: N.i32), X |> slide(3, 2) |> map(reduce(add, 0)))", 5, "6 12"},
		{"fun((X: N.i32), X |> slide(3, 2) |> map(reduce(add, 0)))", 4, "p:1:22 not-divisible"},
		{"fun((X: N.i32), X |> slide(3, 2) |> map(reduce(add, 0)))", 2, "p:1:22 window-too-long"},
		{"fun((X: N.i32), X |> drop(N - 1))", 3, "3"},
		{"fun((X: N.i32), X |> take(2))", 1, "p:1:22 slice-bounds"},
		{"fun((X: N.i32), X |> take(N - 1) |> pad(1, 1))", 1, "p:1:37 zero-size"},
		{"fun((X: N.i32), X |> take(N - 2))", 1, "p:1:17 negative-dim"},
		{"fun((X: N.i32), X |> map(mult(N)))", 3, "3 6 9"},
		{"fun((X: N.i32, Y: 3.i32), zip(X, Y) |> map(fst))", 2, "p:1:27 shape-mismatch"},
		{"fun((X: N.i32), X |> slide(2, 1) |> transpose |> transpose)", 3, "(1 2) (2 3)"},
		{"fun((X: N.i32), X |> drop(1) |> map(fun(x, [x, x])) |> transpose |> map(reduce(add, 0)))", 1, "0 0"},
	} {
		in := "X 1 2 3 4 5 6; Y 1 2 3"
		if got := evaluate(t, test.text, in, domain.Auto, domain.Point{"N": test.n}); got != test.want {
			t.Errorf("%s at %d: %s, want %s", test.text, test.n, got, test.want)
		}
	}
}

// TestArithmetics: integers wrap unless they count, floats are real numbers or bits.
func TestArithmetics(t *testing.T) {
	for _, test := range []struct {
		a              value.Arith
		text, in, want string
	}{
		{domain.Exact, "fun((X: 2.f32), X |> reduce(add, 0))", "X -0 -0", "0"},
		{domain.Exact, "fun((X: 2.f32), X |> map(neg))", "X 0 1", "-0 -1"},
		{domain.Exact, "fun((X: 3.f16), X |> reduce(add, 0))", "X 2048 1 1", "2048"},
		{domain.Auto, "fun((X: 3.f16), X |> reduce(add, 0))", "X 2048 1 1", "2050"},
		{domain.Auto, "fun((X: 2.f32), X |> map(fun(x, 1 / x)))", "X 3 0", "1/3 undefined"},
		{domain.Auto, "fun((X: 2.i8), X |> map(fun(x, x / -1)))", "X -128 5", "undefined -5"},
		{domain.Auto, "fun((X: 2.i8), X |> map(fun(x, x % -3)))", "X -7 7", "-1 -2"},
		{domain.Auto, "fun((X: 1.f32), generate(3, fun(i, i * 4611686018427387904 / 4611686018427387904)))", "X 1",
			"0 1 2"},
		{domain.Auto, "fun((X: 1.f32), generate(3, fun(i, i * 2000000000 * 2000000000 * 2000000000 / 2000000000 / 2000000000 / -2000000000)))",
			"X 1", "0 -1 -2"},
		{domain.Auto, "fun((X: 1.f32), generate(3, fun(i, (i - 1) % 3)))", "X 1", "2 0 1"},
		{domain.Auto, "fun((X: 1.f32), generate(2, fun(i, cast(i8)(i * 200))))", "X 1", "0 -56"},
		{domain.Auto, "fun((X: 2.f32), X |> map(fun(x, idx(cast(x), [5, 6, idx(0, X)]))))", "X 1 7", "6 undefined"},
		{domain.Auto, "fun((X: 2.f32), X |> map(fun(x, select(1 / x > 2, x, 0))))", "X 1 0", "0 undefined"},
	} {
		if got := evaluate(t, test.text, test.in, test.a, nil); got != test.want {
			t.Errorf("%s in %s: %s, want %s", test.text, test.a, got, test.want)
		}
	}
}
