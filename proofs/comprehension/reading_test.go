package comprehension

import (
	"fmt"
	"strings"
	"testing"

	"tv/internal/source"
	"tv/proofs/algebra"
	"tv/semantics/domain"
)

// silent leaves all goals as they are.
type silent struct{}

func (silent) Answer(*algebra.Goal) string { return "" }
func (silent) Alive()                      {}

// code asks whether after means what before does, and returns why not.
func code(exact bool, before, after string, cuts ...algebra.Cut) string {
	q := algebra.Question{Arith: domain.ArithOf(exact)}
	for i, text := range []string{before, after} {
		p, err := Reading{}.Read(source.NewFile("test", text))
		if err == nil && i == 0 {
			q.Declared = p.Declarations()
			q.Env, err = domain.Merge([]domain.Declarations{q.Declared})
		}
		if err == nil {
			q.Programs[i], err = p.Type(q.Env)
		}
		if err != nil {
			return source.AsErrors(err)[0].Code
		}
	}
	if err := checked(&q, cuts); err != nil {
		return source.AsErrors(err)[0].Code
	}
	return ""
}

func checked(q *algebra.Question, cuts []algebra.Cut) (err error) {
	defer algebra.Recovered("test", &err)
	q.Check(cuts, nil, silent{})
	return nil
}

const (
	vectors = "procedure f(X float32[N], Y float32[N], Z int8[4], W int8[9])\n"
	matrix  = "function mm(A float32[M, K], B float32[K, N], C float32[M, N])\n"
	window  = "procedure w(X float32[N], Y float32[N - 2])\n"
	goal    = algebra.CodeGoal
	ill     = algebra.CodeStatement
)

func TestPairs(t *testing.T) {
	for _, test := range []struct{ heading, before, after, code string }{
		{vectors, "Y(i) += X(i)", "Y(i) = X(i) + Y(i)", ""},
		{vectors, "Y(i) += X(i)", "Y(i) = X(i)", goal},
		{vectors, "Y(i) += X(i)", "Y(i) +=! X(i)", goal},
		{vectors, "Y(i) += X(j)", "Y(i) +=! X(j)\nY(i) += 0", goal}, // not the old contents
		{vectors, "Y(i) += X(i)\nX(i) = Y(i)", "X(i) = Y(i) + X(i)\nY(i) = X(i)", ""},
		{vectors, "Y(i) += X(i)\nX(i) = Y(i)", "Y(i) += X(i)\nX(i) = Y(i) + X(i)", goal},
		{matrix, "C(i, j) +=! A(i, k) * B(k, j)", "C(i, j) = 0\nC(i, j) += B(k, j) * A(i, k)", ""},
		{matrix, "C(i, j) +=! A(i, k) * B(k, j)", "C(i, j) += B(k, j) * A(i, k)", goal},
		// ranges: what is not in one stays; a sum over nothing is 0, and is written
		{vectors, "Y(i) = X(i)", "Y(i) = X(i) where i in 0:1\nY(i) = X(i) where i in 1:N", ""},
		{vectors, "Y(i) = X(i)", "Y(i) = X(i) where i in 1:N", goal},
		{vectors, "Y(i) = Y(i)", "Y(i) = X(i) where i in 1:1", ""},
		{vectors, "Y(i) = 0", "Y(i) +=! X(k) where k in N:N", ""},
		{vectors, "Y(i) = 0", "Y(i) +=! X(k) where k in N:N-3", ""},
		{vectors, "Y(i) = Y(i)", "Y(i) +=! X(k) where k in N:N", goal},
		{vectors, "Y(i) = Y(i)", "Y(i) += X(k + 7) where k in 3:2", ""},
		{vectors, "Y(i) +=! X(k)", "Y(i) +=! X(k) where k in 1:N", goal},
		{vectors, "Y(i) +=! X(0*k) where k in 0:N", "Y(i) +=! X(0*k) where k in 0:3\n" +
			"Y(i) += X(0*k) where k in 3:N", goal}, // at N = 1 there are three
		{vectors, "Z(i) = 3*2", "Z(i) +=! 2 + 0 * W(k) where k in 3:6", ""},
		{vectors, "Z(i) = 8", "Z(i) +=! 2 + 0 * W(k) where k in 3:6", goal},
		{vectors, "Z(i) = 1.5 - .5 - 3.e0", "Z(i) = -2", ""},
		// one part at two places: of other parts, contexts and sums around
		{vectors, "Y(i) = 2 * X(i)\nX(i) = Y(i)\nY(i) = 3 * Y(i)\nX(i) = X(i) + Y(i)",
			"Y(i) = 6 * X(i)\nX(i) = 8 * X(i)", ""},
		{vectors, "Y(i) = 0 where i in 0:1\nX(i) = Y(i) where i in 0:1\nX(i) = X(i) + Y(i)",
			"Y(i) = 0 where i in 0:1\nX(i) = 0 where i in 0:1\nX(i) += Y(i)", ""},
		{vectors, "Y(i) +=! X(j)\nX(i) +=! X(k) * Y(i)\nX(i) = Y(i) + X(i)",
			"Y(i) +=! X(j)\nX(i) +=! X(k) * Y(i)\nX(i) += Y(i)", ""},
		// three pairs of conditions, none with a case in which a range is empty
		{matrix, "C(i, j) = A(j, i) + A(j + 1, i + 1) + A(j + 2, i + 2)",
			"C(i, j) = A(j + 1, i + 1) + A(j + 2, i + 2) + A(j, i)", ""},
		// bounds: factors below 0, ends that are not 0, an index twice
		{vectors, "Y(i) = X(i)", "Y(i) = X(i - 1 + 1)", ""},
		{vectors, "Y(i) = Y(i)", "Y(i) = Y(i) + 0 * X(i - 1)", ill},
		{vectors, "Y(i) = Y(i)", "Y(i) = Y(i) + 0 * X(i - 1) where i in 1:N", ""},
		{vectors, "Y(i) = Y(i)", "Y(i) = Y(i) + 0 * X(i + 1) where i in 1:N", ill},
		{vectors, "Y(i) = Y(i)", "Y(i) = Y(i) + 0 * X(N - 1 - i)", ""},
		{vectors, "Y(i) = Y(i)", "Y(i) = Y(i) + 0 * X(N - i)", ill},
		{vectors, "Y(i) = Y(i)", "Y(i) = Y(i) + 0 * X(2*i - i + i - i)", ""},
		{vectors, "Z(i) = Z(i)", "Z(i) += 0 * W(2*i + k) where k in 0:3", ""},
		{vectors, "Z(i) = Z(i)", "Z(i) += 0 * W(2*i + k) where k in 0:4", ill},
		{vectors, "Z(i) = Z(i)", "Z(i) += 0 * W(8 - 2*i - k) where k in 1:3", ""},
		{vectors, "Z(i) = Z(i)", "Z(i) += 0 * W(8 - 2*i - k) where k in 1:4", ill},
		{vectors, "Y(i) = Y(i)", "Y(i) = Y(i) where i in 0:N+1", ill},
		{vectors, "Y(i) = Y(i)", "Y(i) += 0 * X(k) where i in N:N+1, k in 0:0", ill},
		{vectors, "Y(i) = Y(i)", "Y(i) += 0 * X(9 + i) where i in 1:1", ""},
		{window, "Y(i) +=! X(i + k) where k in 0:3", "Y(i) +=! X(i + k - 1) where k in 1:4", ""},
		{window, "Y(i) +=! X(i + k) where k in 0:3", "Y(i) +=! X(i + k - 1) where k in 1:3", goal},
		{window, "Y(i) +=! X(i + k) where k in 0:3", "Y(i) +=! X(i + k) where k in 1:4", ill},
		{window, "Y(i) = X(i)", "Y(i) = X(i + 1)", goal},
	} {
		got := code(false, test.heading+test.before, test.heading+test.after)
		if got != test.code {
			t.Errorf("%q\n=> %q: %q, want %q", test.before, test.after, got, test.code)
		}
	}
	other := strings.Replace(vectors, "Y float32[N]", "Y float32[N + 1]", 1)
	if got := code(false, vectors+"X(i) = X(i)", other+"X(i) = X(i)"); got != ill {
		t.Errorf("another dim: %q", got)
	}
	minus := [2]string{vectors + "Z(i) = -W(i) * W(i + 1)", vectors + "Z(i) = (-W(i)) * W(i + 1)"}
	for i, text := range minus {
		minus[i] = strings.ReplaceAll(text, "int8", "sat8")
	}
	if got := code(true, minus[0], minus[1]); got != "" {
		t.Errorf("the product of a negation: %q", got)
	}
	if got := code(true, minus[0], strings.Replace(minus[1], "(-W(i)) * W(i + 1)", "-(W(i) * W(i + 1))", 1)); got != goal {
		t.Errorf("the negation of a product: %q", got)
	}
	// a stage: what stands for part 4 hides what it is, and whether it has a value
	cuts := []algebra.Cut{{Before: 4, After: 4}, {Before: 5, After: 5, Uses: []int{0}}}
	for _, test := range []struct{ before, after, code string }{
		{"Y(i) = Y(i) + Y(i)", "Y(i) = 2 * Y(i)", ""},
		{"Y(i) = Y(i) - X(i)", "Y(i) = X(i)", goal},
		{"Y(i) = 0 * X(i)", "Y(i) = 0 * Y(i)", algebra.CodeDefined},
	} {
		before, after := vectors+"Y(i) = 2 * X(i)\n", vectors+"Y(i) = X(i) + X(i)\n"
		if got := code(false, before+test.before, after+test.after, cuts...); got != test.code {
			t.Errorf("%q => %q in stages: %q, want %q", test.before, test.after, got, test.code)
		}
	}
}

func TestParts(t *testing.T) {
	for text, want := range map[string]string{
		"Y(i) = X(i)": "4 [[]]", "Y(i) = 1\nY(i) = 2": "5 [[]]",
		"Y(i) = 1\nX(i) = 2": "6 [[0] [1]]",
	} {
		p, err := Reading{}.Read(source.NewFile("test", vectors+text))
		if err != nil {
			t.Fatal(err)
		}
		program, _ := p.Type(&domain.Env{})
		var paths [][]int
		for _, r := range program.Results() {
			paths = append(paths, r.Path)
		}
		if got := fmt.Sprint(program.Root(), paths); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"Y(i) = X(i": "bad-syntax", "Y(i) = X(i) X": "bad-syntax", "Y(i) = i": "bad-syntax",
		"Y(i) = X(X(i))": "bad-syntax", "Y(i) = V(i)": "unknown-name", "Y(i) = X(i, 0)": "bad-rank",
		"Y(i, j) = 0": "bad-rank", "Y(N) = 0": "redefined-name", "Y(i) = Z(0)": "type-mismatch",
		"Y(i) +=! X(k * k)": "not-affine", "Y(i) = X(N * i)": "not-affine",
		"Y(i) +=! X(i * k)": "not-affine", "Y(i) = X(k)": "free-index",
		"Y(i) +=! X(2 * k)": "range-unknown", "Y(i) = 0 where k in 0:1": "unknown-name",
		"Y(i) = 0 where N in 0:1": "redefined-name", "Y(i) = 0 where i in 0:i": "unknown-name",
		"Y(i) = 0 where i in 0:1, i in 0:1": "redefined-name", "": "no-result",
		"function f(X int8[N], X int8[N])": "redefined-name",
		"function f(X int7[])":             "unknown-type",
	} {
		if !strings.HasPrefix(text, "function") {
			text = vectors + text
		}
		if got := code(false, text, ""); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
