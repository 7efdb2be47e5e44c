package rise_test

import (
	"context"
	"strings"
	"testing"

	"tv/equiv/witness"
	"tv/internal/languages"
	"tv/internal/source"
	"tv/proofs"
	"tv/proofs/algebra"
	"tv/proofs/rise"
	"tv/semantics/domain"
)

// The registry may not have the language yet.
func init() { languages.Checker.Readings["rise"] = rise.Reading{} }

// code asks whether after means what before does, with the answers that are found, and returns why
// not.
func code(t *testing.T, arith domain.Arith, before, after string) string {
	t.Helper()
	s := proofs.Statement{Arith: arith, Before: before, After: after,
		Languages: [2]string{"rise", "rise"}}
	_, err := witness.Find(context.Background(), s, witness.Search{Steps: 1 << 16})
	if err == nil {
		return ""
	}
	if testing.Verbose() {
		t.Logf("%s\n=> %s\n%v", before, after, err)
	}
	return source.AsErrors(err)[0].Code
}

// unread is why a text is not read, or not typed.
func unread(text string) string {
	p, err := rise.Reading{}.Read(source.NewFile("test", text))
	if err == nil {
		var env *domain.Env
		if env, err = domain.Merge([]domain.Declarations{p.Declarations()}); err == nil {
			_, err = p.Type(env)
		}
	}
	if err == nil {
		return ""
	}
	return source.AsErrors(err)[0].Code
}

const (
	vectors = "fun((x: n.f32, y: n.f32, a: f32), "
	bytes   = "fun((x: n.i8, y: n.i8, a: i8), "
	matrix  = "fun((A: m.k.f32, B: k.n.f32), "
	other   = algebra.CodeGoal
	ill     = algebra.CodeStatement
	refused = algebra.CodeUnsupported
)

func TestPairs(t *testing.T) {
	for _, test := range []struct{ heading, before, after, code string }{
		{vectors, "x", "x", ""},
		{vectors, "x", "y", other},
		{vectors, "zip(x, y) |> map(add)", "zip(y, x) |> map(fun(p, fst(p) + snd(p)))", ""},
		{vectors, "zip(x, y) |> map(fun(p, fst(p) - snd(p)))", "zip(y, x) |> map(fun(p, fst(p) - snd(p)))", other},
		{vectors, "x |> map(mult(a)) |> map(add(1))", "x |> map(mult(a) >> add(1))", ""},
		{vectors, "x |> map(mult(a)) |> map(add(1))", "x |> map(add(1) >> mult(a))", other},
		{vectors, "zip(x, y) |> map(mult) |> reduce(add, 0)", "zip(y, x) |> reduceSeq(fun((acc: f32, p: (f32, f32)), acc + fst(p) * snd(p)), 0.0)", ""},
		{vectors, "zip(x, y) |> map(mult) |> reduce(add, 0)", "zip(x, y) |> map(mult) |> reduce(add, 1)", other},
		{vectors, "x |> reduceSeq(add, a)", "x |> reduceSeq(add, 0) |> add(a)", ""},
		{bytes, "x |> reduceSeq(add, a)", "x |> reduceSeq(add, 0) |> add(a)", ""},
		{bytes, "x |> reduceSeq(max, a)", "x |> reduceSeq(fun((acc, b), select(acc < b, b, acc)), a)", ""},
		{bytes, "x |> reduceSeq(max, a)", "x |> reduceSeq(min, a)", other},
		{bytes, "x |> reduceSeq(min, a)", "x |> reduceSeq(fun((acc, b), select(acc < b, acc, b)), a)", ""},
		{bytes, "x |> map(fun(v, 0 - v)) |> reduceSeq(mult, 1)", "x |> map(neg) |> reduce(mult, 1)", ""},
		{bytes, "x |> map(fun(v, v / 4))", "x |> map(fun(v, div(v, 4)))", ""},
		{bytes, "x |> map(fun(v, v / 4 * 4 + v % 4))", "x", ""},
		{bytes, "x |> map(fun(v, v / 4))", "x |> map(fun(v, v / 5))", other},
		{bytes, "x |> map(fun(v, v / a))", "x |> map(fun(v, v / a))", refused},
		{vectors, "x |> map(fun(v, v / a))", "x |> map(fun(v, v * (1 / a)))", ""},
		{vectors, "x |> map(fun(v, v * (1 / a)))", "x |> map(fun(v, v * a))", other},

		{"fun((x: (4*n).f32), ", "x |> split(4) |> map(map(mult(2))) |> join", "x |> map(mult(2))", ""},
		{"fun((x: n.f32), ", "x |> split(4) |> map(map(mult(2))) |> join", "x |> map(mult(2))", ""},
		{"fun((x: n.f32), ", "x |> map(mult(2))", "x |> split(4) |> map(map(mult(2))) |> join", ill},
		{"fun((x: (m*n).f32), ", "x |> split(n) |> map(reduce(add, 0)) |> reduce(add, 0)", "x |> reduce(add, 0)", ""},
		{"fun((x: (m*n).f32), ", "x |> split(n) |> join", "x |> split(m) |> join", ""},
		{"fun((x: (m*n).f32), ", "x |> split(n)", "x |> split(m) |> transpose", other},
		{"fun((x: n.n.f32), ", "x |> transpose |> transpose", "x", ""},
		{"fun((x: n.n.f32), ", "x |> transpose", "x", other},
		{matrix, "A |> map(fun(r, B |> transpose |> map(fun(c, zip(r, c) |> map(mult) |> reduce(add, 0)))))",
			"B |> transpose |> map(fun(c, A |> map(fun(r, zip(c, r) |> map(mult) |> reduceSeq(add, 0))))) |> transpose", ""},
		{matrix, "A |> map(fun(r, B |> transpose |> map(fun(c, zip(r, c) |> map(mult) |> reduce(add, 0)))))",
			"A |> map(fun(r, zip(r, B) |> reduceSeq(fun((acc, p), zip(acc, snd(p)) |> map(fun(q, fst(q) + fst(p) * snd(q)))), generate(n, fun(i, 0)))))", ""},
		{"fun((x: n.f32), ", "x |> slide(3, 1) |> map(reduce(add, 0))", "x |> slide(3, 1) |> map(fun(w, idx(0, w) + idx(1, w) + idx(2, w)))", ""},
		{"fun((x: n.f32), ", "x |> slide(3, 1) |> map(reduce(add, 0))", "x |> slide(3, 1) |> map(fun(w, idx(0, w) + idx(1, w) + idx(1, w)))", other},
		{"fun((x: n.f32), ", "x |> slide(3, 1) |> map(reduce(add, 0))", "x |> slide(2, 1) |> drop(1) |> map(reduce(add, 0))", other},
		{"fun((x: n.f32), ", "x |> slide(3, 2)", "generate((n - 3) / 2 + 1, fun(i, generate(3, fun(j, idx(2 * i + j, x)))))", ""},
		{"fun((x: n.f32), ", "x |> slide(3, 2)", "generate((n - 3) / 2 + 1, fun(i, generate(3, fun(j, idx(2 * i + j + 1, x)))))", refused},
		{"fun((x: n.f32), ", "x |> padClamp(1, 2) |> take(1 + n)", "concat([idx(0, x)], x)", ""},
		{"fun((x: n.f32), ", "x |> pad(1, 2) |> drop(1 + n)", "[idx(n - 1, x), idx(n - 1, x)]", ""},
		{"fun((x: n.f32), ", "x |> padCst(1, 2, 0) |> reduce(add, 0)", "x |> reduce(add, 0)", ""},
		{"fun((x: n.f32), ", "x |> padCst(1, 2, 1) |> reduce(add, 0)", "x |> reduce(add, 3)", ""},
		{"fun((x: n.f32), ", "x |> padCst(1, 2, 1) |> reduce(add, 0)", "x |> reduce(add, 2)", other},
		{"fun((x: n.f32), ", "x |> padEmpty(2) |> take(n)", "x", ""},
		{"fun((x: n.f32), ", "x", "x |> padEmpty(2) |> take(n)", ""},
		{"fun((x: n.f32), ", "x |> padCst(0, 2, 0)", "x |> padEmpty(2)", other},
		{"fun((x: n.f32), ", "x |> padEmpty(2)", "x |> padCst(0, 2, 0)", ""},
		{"fun((x: n.f32), ", "x |> padEmpty(2)", "x |> padCst(0, 3, 0) |> drop(1)", other},
		{"fun((x: n.f32), ", "x |> padEmpty(2)", "x |> padEmpty(1) |> padCst(0, 1, 7)", ""},
		{"fun((x: n.f32), ", "x |> padEmpty(2)", "x |> map(add(0 * x[0])) |> padEmpty(2)", "certificate-statement"},
		{"fun((x: n.f32), ", "x |> padEmpty(2) |> reduce(add, 0)", "x |> padEmpty(2) |> reduce(add, 0)", ""},
		{"fun((x: n.f32), ", "x |> reduce(add, 0)", "x |> padEmpty(2) |> map(mult(0)) |> reduce(add, reduce(add, 0, x))", algebra.CodeDefined},
		{"fun((x: n.f32, c: bool), ", "select(c, x, x |> map(neg)) |> take(2)", "select(c, x |> take(2), x |> take(2) |> map(neg))", ""},
		{"fun((x: n.f32, c: bool), ", "select(c, x, x |> map(neg)) |> take(2)", "select(c, x |> take(2) |> map(neg), x |> take(2))", other},
		{"fun((x: n.i8, c: n.bool), ", "zip(c, x) |> map(fun(p, select(fst(p), snd(p), 0))) |> reduce(add, 0)",
			"zip(c, x) |> reduceSeq(fun((acc, p), select(fst(p), acc + snd(p), acc)), 0)", ""},
		{"fun((x: n.f32), ", "x |> padCst(0, 2, 0)", "x |> padEmpty(2) |> map(mult(0))", other},
		{"fun((x: n.f32), ", "generate(n, fun(i, idx(n - 1 - i, x)))", "x |> reorder(n, fun(i, n - 1 - i), fun(i, n - 1 - i))", ""},
		{"fun((x: n.f32), ", "x", "x |> reorder(n, fun(i, n - 1 - i), fun(i, n - 1 - i))", other},
		{"fun((x: n.f32), ", "x", "x |> reorder(n, fun(i, n - 1 - i), fun(i, n - i))", refused},
		{"fun((x: n.f32), ", "x", "x |> reorder(n, fun(i, 0), fun(i, 0))", refused},
		{"fun((x: n.f32), ", "x", "x |> reorder(n, fun(i, i + 1), fun(i, i - 1))", refused},
		{"fun((x: (4*n).f32), ", "x |> reorder(4 * n, fun(i, i % 4 * n + i / 4), fun(i, i % n * 4 + i / n))", "x |> split(n) |> transpose |> join", ""},
		{"fun((x: n.f32), ", "x |> scanSeq(add, 0)", "x |> scanSeq(fun((b, acc), acc + b), 0)", ""},
		{"fun((x: n.f32), ", "x |> scanSeq(add, 0) |> drop(n - 1)", "[x |> reduceSeq(add, 0)]", ""},
		{"fun((x: n.f32), ", "x |> scanSeq(add, 0) |> drop(n - 1)", "[x |> reduceSeq(add, 1)]", other},
		{"fun((x: 3.f32), ", "x |> scanSeq(add, 1)", "[1 + idx(0, x), 1 + idx(0, x) + idx(1, x), 1 + idx(0, x) + idx(1, x) + idx(2, x)]", ""},
		{"fun((x: 3.i8), ", "x |> reduceSeq(fun((acc, b), acc * 2 + b), 0)", "4 * idx(0, x) + 2 * idx(1, x) + idx(2, x)", ""},
		{"fun((x: n.i8), ", "x |> reduceSeq(fun((acc, b), acc * 2 + b), 0)", "x |> reduceSeq(add, 0)", refused},
		{vectors, "x |> map(add(a)) |> reduceSeq(fun((acc, b), acc * 2 + b), 0)", "x |> reduceSeq(fun((acc, b), b + a + acc + acc), 0)", ""},
		{vectors, "x |> map(add(a)) |> reduceSeq(fun((acc, b), acc * 2 + b), 0)", "x |> reduceSeq(fun((acc, b), b + a + acc + acc), 1)", other},
		{vectors, "x |> map(add(a)) |> reduceSeq(fun((acc, b), acc * 2 + b), 0)", "x |> reduceSeq(fun((acc, b), b + a + acc), 0)", other},
		{vectors, "x |> map(add(a)) |> reduceSeq(fun((acc, b), acc * 2 + b), 0)", "y |> reduceSeq(fun((acc, b), b + a + acc + acc), 0)", other},
		{vectors, "[x |> scanSeq(fun((b, acc), acc * acc + b), 0) |> idx(n - 1)]", "[x |> reduceSeq(fun((acc, b), acc * acc + b), 0)]", ""},
		{vectors, "x |> drop(1) |> reduceSeq(fun((acc, b), acc * acc + b), 0)", "x |> take(n - 1) |> reduceSeq(fun((acc, b), acc * acc + b), 0)", other},
		{vectors, "x |> reduceSeq(fun((acc, b), acc / 2 + b / 2), 0)", "x |> reduceSeq(fun((acc, b), (acc + b) / 2), 0)", ""},
		{vectors, "x |> reduceSeq(fun((acc, b), acc / b), 0)", "x |> reduceSeq(fun((acc, b), acc / b), 0)", refused},
		{vectors, "x |> reduceSeq(fun((acc, b), acc * 2 + b), 1 / a)", "x |> reduceSeq(fun((acc, b), acc * 2 + b), 1 / a)", refused},
		{"fun((A: n.m.f32, a: f32), ", "A |> reduceSeq(fun((acc, r), acc * acc + reduce(add, 0, r)), a)",
			"A |> map(reduceSeq(add, 0)) |> reduceSeq(fun((acc, v), v + acc * acc), a)", ""},
		{"fun((A: n.m.f32, a: f32), ", "A |> reduceSeq(fun((acc, r), r |> reduceSeq(fun((p, q), p * p + q), acc)), a)",
			"A |> map(map(add(0))) |> reduceSeq(fun((v, r), r |> reduceSeq(fun((w, q), q + w * w), v)), a)", ""},
		{"fun((A: n.m.f32, a: f32), ", "A |> reduceSeq(fun((acc, r), r |> reduceSeq(fun((p, q), p * p + q), acc)), a)",
			"A |> reduceSeq(fun((acc, r), acc + (r |> reduceSeq(fun((p, q), p * p + q), a))), a)", other},
		{"fun((A: n.m.f32, a: f32), ", "A |> reduceSeq(fun((acc, r), r |> reduceSeq(fun((p, q), p * acc + q), acc)), a)",
			"A |> reduceSeq(fun((acc, r), r |> reduceSeq(fun((p, q), p * p + q), acc)), a)", other},
		// for each number one of both is the greater one, but not for all numbers the same
		{vectors, "reduceSeq(fun((acc, b), acc * 2), a, x) + reduceSeq(fun((acc, b), b * 2), a, x)",
			"reduceSeq(fun((acc, b), max(acc * 2, b * 2)), a, x) + reduceSeq(fun((acc, b), min(acc * 2, b * 2)), a, x)", refused},
		{vectors, "x |> map(fun(v, (v, v))) |> reduceSeq(fun((p, q), (fst(p) * 2 + fst(q), snd(p) + snd(q))), (a, 0))",
			"(x |> reduceSeq(fun((p, q), p + p + q), a), x |> reduceSeq(add, 0))", ""},
		{vectors, "x |> reduceSeq(fun((p, q), (snd(p) + q, fst(p))), (a, 0))", "x |> reduceSeq(fun((p, q), (snd(p) + q, fst(p))), (a, 0))", refused},
		{"fun((x: n.f32, ix: m.i32), ", "gather(ix, x) |> map(mult(2))", "gather(ix, x |> map(mult(2)))", ""},
		{"fun((x: n.f32, ix: m.i32), ", "gather(ix, x) |> map(mult(2))", "gather(ix, x)", other},
		{"fun((x: n.f32), ", "zip(x, x |> map(mult(2))) |> unzip", "makePair(x, x |> map(add) |> map(fun(f, f(0))))", ill},
		{"fun((x: n.f32), ", "zip(x, x |> map(mult(2))) |> unzip", "(x, zip(x, x) |> map(add))", ""},
		{"fun((x: n.f32), ", "x |> map(fun(v, (v, v * 2))) |> map(mapFst(add(1)) >> mapSnd(neg))", "x |> map(fun(v, (v + 1, -2 * v)))", ""},
		{"fun((x: n.f32), ", "x |> toMem |> let(fun(y, zip(y, y) |> map(add)))", "let(x, fun(y, y |> map(mult(2)))) |> id", ""},
		{"fun((x: n.i8), ", "x |> map(cast) |> reduceSeq(fun((acc: i32, b: i32), acc + b), 0)", "x |> reduceSeq(fun((acc: i32, b), acc + cast(b)), 0)", ""},
		{"fun((x: n.i8), ", "x |> map(fun(v, select(v < 0, 0, v)))", "x |> map(max(0))", ""},
		{"fun((x: n.i8), ", "x |> map(fun((v: i8), n + v))", "zip(x, generate(n, fun(i, n))) |> map(add)", ""},
		{"fun((x: n.i8), ", "x |> reduceSeq(fun((acc: i8, v), 1 + acc), 0)", "0 * reduce(add, 0, x) + n", ""},
		{"fun((x: n.i8), ", "x |> reduceSeq(fun((acc: i8, v), 1 + acc), 0)", "0 * reduce(add, 0, x) + n - 1", other},
		{"fun((x: n.f32), ", "generate(n, fun(i, select(i < 1, 0, idx(i - 1, x))))", "concat([0], take(n - 1, x))", ""},
		{"fun((x: n.f32), ", "generate(n, fun(i, select(i >= 1, idx(i - 1, x), 0)))", "padCst(1, 0, 0, x) |> take(n)", ""},
		{"fun((x: n.f32), ", "generate(n, fun(i, select(i <= 1, 0, idx(i - 1, x))))", "padCst(1, 0, 0, x) |> take(n)", other},
		{"fun((x: n.f32), ", "x", "generate(n, fun(i, select(i < 1, idx(i, x), idx(i - 2, x))))", refused},
		{"fun((x: n.f32), ", "x", "generate(n, fun(i, select(i == 0, idx(i, x), idx(i, x))))", ""},
		{"fun((x: n.i8), ", "x |> map(cast(i32)) |> reduceSeq(add, 0)", "x |> reduceSeq(fun((acc: i32, b), acc + cast(i32, b)), 0)", ""},
		{"fun((x: n.i8), ", "x |> map(cast(i32)) |> reduceSeq(add, 0)", "x |> reduceSeq(add, 0) |> cast(i32)", other},
		{"fun((x: n.i8, y: m.i8), ", "zip(x, y) |> map(add)", "zip(y, x) |> map(add)", ""},
		{"fun((x: n.i8, y: m.i8), ", "x", "zip(y, x) |> map(snd)", ill},
		{"fun((x: n.i8), ", "x |> asVector(4) |> asScalar", "x", ""},
		{"fun((x: n.i8, y: m.i8), ", "concat(x, y) |> reduce(add, 0)", "reduce(add, 0, x) + reduce(add, 0, y)", ""},
		{"fun((x: n.i8, y: m.i8), ", "concat(x, y) |> drop(n)", "y", ""},
	} {
		got := code(t, domain.Auto, test.heading+test.before+")", test.heading+test.after+")")
		if got != test.code {
			t.Errorf("%s%s\n=> %s: %q, want %q", test.heading, test.before, test.after, got, test.code)
		}
	}
}

func TestFloats(t *testing.T) {
	for _, test := range []struct{ before, after, code string }{
		{"x |> reduceSeq(add, 0)", "x |> reduceSeq(fun((acc, b), b + acc), 0)", ""},
		{"x |> reduceSeq(add, 0)", "x |> reduceSeq(add, 1)", other},
		{"x |> reduceSeq(add, 1)", "x |> reduceSeq(fun((acc, b), b + acc), 1)", ""},
		{"x |> map(mult(a)) |> reduceSeq(add, 1)", "x |> reduceSeq(fun((acc, b), acc + a * b), 1)", ""},
		{"x |> map(mult(a)) |> reduceSeq(add, 1)", "x |> reduceSeq(fun((acc, b), acc * a + b), 1)", other},
		{"x |> split(4) |> map(reduceSeq(add, 0)) |> reduceSeq(add, 0)", "x |> reduceSeq(add, 0)", other},
		{"x |> split(4) |> join |> reduceSeq(add, 0)", "x |> reduceSeq(add, 0)", ""},
		{"x |> map(fun(v, v - v))", "x |> map(fun(v, 0 * v))", other},
		{"x |> take(3) |> reduceSeq(fun((acc, b), acc + b + a), 1)", "x |> take(3) |> reduceSeq(fun((acc, b), a + (b + acc)), 1)", ""},
		{"x |> map(max(a))", "x |> map(max(a))", refused},
	} {
		got := code(t, domain.Exact, vectors+test.before+")", vectors+test.after+")")
		if got != test.code {
			t.Errorf("%s\n=> %s: %q, want %q", test.before, test.after, got, test.code)
		}
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"x |> map(": "bad-syntax", "x y": "bad-syntax", "(x, y, x)": "bad-syntax", "x $": "bad-syntax",
		"map(x, x)": "type-mismatch", "zip(x)": "type-mismatch", "fun(v, x)": "no-result", "x(1)": "wrong-arity",
		"split(x)": "unsupported-op", "split": "wrong-arity", "x |> take(2.5)": "bad-size",
		"scatter(x, x)": "type-mismatch", "x |> map(fun(p, p(p)))": "type-mismatch",
		"fun(n, x)(a)": "redefined-name", "generate(n, fun(i, take(i, x)))": "unsupported-op",
		"select(1 < 2, 1, 2)": "ambiguous-type", "1": "ambiguous-type", "x |> map(fun(v, v < 1))": "unsupported-op",
		"x |> map(fun((v: f80), v))": "unknown-type", "take(1) >> take(2)": "type-mismatch",
		"[] |> map(add(1))": "ambiguous-type", "take(3, [a])": "slice-bounds", "zip([a], [a, a])": "shape-mismatch",
		"[a, a, a] |> split(2)": "not-divisible", "generate(1 - 2, fun(i, a))": "negative-dim",
		"slide(3, 0 - 1, [a, a, a])": "negative-dim", "slide(3, 0, x)": "size-unbound", "generate(1 / 0, fun(i, a))": "bad-divisor",
		"idx(1, [a])": "index-out-of-bounds", "padClamp(1, 1, generate(0, fun(i, a)))": "zero-size",
		"idx(join)": "type-mismatch", "x |> take(map)": "size-wanted",
		strings.Repeat("(", 3000): "too-deep",
	} {
		if got := unread(vectors + text + ")"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"": "bad-syntax", "1": "unknown-type", "fun(x, x)": "unknown-type",
		"fun((x: (f32, f32)), x)": "unsupported-op", "fun((x: n.bool), x |> map(fun(v, v == v)))": "unsupported-op", "fun((x: n.bool), x)": "unsupported-op", "fun((x: bool), x + x)": "type-mismatch",
		"fun((x: n.f32, n: f32), x)": "redefined-name", "fun((x: f32, x: f32), x)": "redefined-name",
	} {
		if got := unread(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
