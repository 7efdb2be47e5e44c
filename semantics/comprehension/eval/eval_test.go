package eval

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/comprehension/syntax"
	"tv/semantics/domain"
	"tv/semantics/value"
)

// evaluate prints the elements of each component, or the place and the code of what is wrong. Tensors are words after
// their names: "X 1 2 3; W 4".
func evaluate(t *testing.T, text, tensors string, a value.Arith, pt domain.Point, standing semantics.Standing) string {
	t.Helper()
	p, err := syntax.Parse(source.NewFile("p", text))
	if err != nil {
		t.Fatal(err)
	}
	env := &domain.Env{Tensors: map[string]domain.Tensor{}}
	for _, q := range p.Parameters {
		env.Tensors[q.Name] = domain.Tensor{Name: q.Name, Dims: q.Dims, Elem: q.Elem}
	}
	in := value.Tensors{}
	for _, part := range strings.Split(tensors, ";") {
		words := strings.Fields(part)
		for _, w := range words[min(1, len(words)):] {
			v, err := value.ParseValue(w, a, p.Parameters[0].Elem)
			if err != nil {
				t.Fatal(err)
			}
			in[words[0]] = append(in[words[0]], v)
		}
	}
	typed := p.Under(env, nil)
	e, err := New(typed, a, pt, in, standing)
	if wrong := (*source.Error)(nil); errors.As(err, &wrong) {
		return fmt.Sprintf("%s %s", wrong.Position(), wrong.Code)
	}
	if n := len(typed.Result().Components()); n > 1 {
		var out []string
		for k := range n {
			out = append(out, elements(e, []int{k}, nil))
		}
		return strings.Join(out, "; ")
	}
	return elements(e, nil, nil)
}

// elements prints those of a component whose first indices are given.
func elements(e semantics.Evaluator, path []int, index []int64) string {
	if dims := e.Dims(path); len(index) < len(dims) {
		var out []string
		for i := range dims[len(index)] {
			out = append(out, elements(e, path, append(slices.Clip(index), i)))
		}
		return strings.Join(out, " ")
	}
	v, err := e.Element(path, index)
	if errors.Is(err, value.ErrUndefined) {
		return "undefined"
	}
	return fmt.Sprint(v)
}

func TestEvaluate(t *testing.T) {
	sum := func(elem, op string) string {
		return "function f(X " + elem + "[N], Y " + elem + "[1])\nY(i) " + op + " X(k)"
	}
	for _, test := range []struct {
		a        value.Arith
		text, in string
		n        int64
		want     string
	}{
		{value.Real, "procedure c(X float32[N], W float32[2], Y float32[N - 1])\nY(i) +=! X(i + k) * W(k)",
			"X 1 2 3 4; W 1 10; Y 9 9 9", 4, "21 32 43"},
		{value.Real, "function f(X float32[N])\nX(i) = X(i - 1) where i in 1:N", "X 1 2 3 4", 4, "1 1 2 3"},
		{value.Real, "function f(X float32[N])\nX(i) = X(N - 1 - i)", "X 1 2 3", 3, "3 2 1"},
		{value.Real, "function f(X float32[N])\nX(i) = 2 * X(i) - 1 where i in 1:N - 1", "X 5 6 7 8", 4, "5 11 13 8"},
		{value.Real, "function f(X float32[N])\nX(i) = X(i + 100) where i in 2:2", "X 5 6", 2, "5 6"},
		{value.Real, "function f(X float32[N], Y float32[N])\nY(i) +=! X(k - 9) where k in 1:N", "X 5; Y 6", 1, "0"},
		{value.Real, "function f(X float32[N])\nX(i) += X(k - 9) where k in 1:N", "X 5", 1, "5"},
		{value.Real, "function f(X float32[N], Y float32[2])\nY(i) += X(k)", "X 1 2 3; Y 10 20", 3, "16 26"},
		{value.Real, "function f(X float32[N])\nX(i) = X(i) * X(i)\nX(i) +=! X(k) - X(i)", "X 1 2 3", 3, "11 2 -13"},
		{value.Real, "function f(A float32[2, N], B float32[N, 2], C float32[2, 2])\nC(i, j) +=! A(i, k) * B(k, j)",
			"A 1 2 3 4 5 6; B 1 0 0 1 1 1", 3, "4 5 10 11"},
		{value.Real, "function f(X float32[N], Y float32[])\nY() +=! -X(k) + 0.5", "X 1 2", 2, "-2"},
		{value.Real, "function f(X float32[N], Y float32[N], Z float32[1])\nZ(i) = X(i)\nY(i) = X(i) + 1\nX(i) = Z(0)",
			"X 1 2", 2, "1 1; 2 3; 1"},
		{value.Real, "function f(X float32[N])\n" + strings.Repeat("X(i) = X(i) + X(N - 1 - i)\n", 80), "X 1 0", 2,
			"604462909807314587353088 604462909807314587353088"}, // 2^79
		{value.Real, "function f(X float32[N - 3])\nX(i) = 0", "", 2, "p:1:12 negative-dim"},
		{value.Real, "function f(X float32[N])\nX(i) = X(i - 1)", "", 2, "p:2:10 index-out-of-bounds"},
		{value.Real, "function f(X float32[N])\nX(i) = X(i) + X(2*i)", "", 2, "p:2:17 index-out-of-bounds"},
		{value.Real, "function f(X float32[N])\nX(i) = X(2*i)", "X 7", 1, "7"},
		{value.Real, "function f(X float32[N])\nX(i) = X(N - i)", "", 2, "p:2:10 index-out-of-bounds"},
		{value.Real, "function f(X float32[N])\nX(i) = 0 where i in 0:N + 1", "", 2, "p:2:1 index-out-of-bounds"},
		{value.Real, "function f(X float32[N])\nX(i) = 0 where i in -1:N", "", 2, "p:2:1 index-out-of-bounds"},
		{value.Real, "function f(X float32[N])\nX(i) = X(i + 1) where i in 1:N", "X 3", 1, "3"},
		{value.Real, "function f(X float32[N])\nX(i) = X(i + 1) where i in 1:N", "", 2, "p:2:10 index-out-of-bounds"},
		{value.Real, "function f(X float32[N, N])\nX(i, j) = 0", "", 1 << 31, "p:1:12 too-large"},
		{value.Real, "function f(X float32[M])\nX(i) = 0", "", 1, "p:1:12 unbound-size"},
		{value.Exact, sum("int8", "+=!"), "X 100 100", 2, "-56"},
		{value.Exact, sum("int8", "+="), "X 100; Y 28", 1, "-128"},
		{value.Exact, "function f(X sat8[2], Y sat8[1])\nY(i) = X(0) - X(1)", "X -1 -128", 1, "127"}, // 126 by the negation
		{value.Exact, sum("float32", "+=!"), "X -0 -0", 2, "-0"},                                     // a sum starts with the first value, not with 0
		{value.Exact, sum("float32", "+="), "X -0 -0; Y -0", 2, "-0"},
		{value.Exact, sum("float32", "+="), "X 1 16777216; Y -16777216", 2, "0"},               // the sum first: 2^24 + 1 is 2^24
		{value.Exact, sum("float32", "+=!"), "X 16777216 1 -16777216", 3, "0"},                 // from the left
		{value.Exact, "function f(X float32[1])\nX(i) += X(k) where k in 0:0", "X -0", 1, "0"}, // -0 + 0
		{value.Exact, "function f(X float32[2])\nX(i) = X(i) - X(i)", "X 1 -0", 1, "0 0"},
		{value.Exact, "function f(X float32[2])\nX(i) = -X(i)", "X 0 -0", 1, "-0 0"},
		{value.Exact, "function f(X float32[2, 2], Y float32[1])\nY(i) +=! X(k, l)", "X 16777216 1 -16777216 1", 1, "1"}, // row-major
		{value.Exact, "function f(X float32[2, 2], W float32[2], Y float32[1])\nY(i) +=! W(l) * X(k, l)", // columns
			"X 16777216 1 -16777216 1; W 1 1", 1, "2"},
		{value.Exact, "function f(X int8[1])\nX(i) = 300 + X(i)", "X 1", 1, "undefined"},
		{value.Exact, "function f(X int8[1])\nX(i) = 2.7 * X(i)", "X 3", 1, "6"}, // a literal converts as from a float
	} {
		if got := evaluate(t, test.text, test.in, test.a, domain.Point{"N": test.n}, nil); got != test.want {
			t.Errorf("%s\n%s: %s, want %s", test.text, test.in, got, test.want)
		}
	}
}

func TestEvaluateStanding(t *testing.T) {
	const text = "function f(X float32[N])\nX(i) = X(i) + 1\nX(i) = X(i) * 2"
	for part, want := range []string{"22 42", "20 40", "10 20"} {
		if got := evaluate(t, text, "X 1 2; S 10 20", value.Real, domain.Point{"N": 2}, semantics.Standing{part: "S"}); got != want {
			t.Errorf("part %d: %s, want %s", part, got, want)
		}
	}
	const least = "function f(X float32[1], Y float32[1])\nY(i) +=! X(k)\nX(i) = Y(i)\nX(i) = Y(i) + 0 where i in 0:1"
	if got := evaluate(t, least, "X min", value.Real, nil, nil); got != "undefined; min" {
		t.Error(got)
	}
}
