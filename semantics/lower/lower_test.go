package lower

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tv/glenside"
	"tv/internal/source"
	"tv/semantics/index"
	"tv/semantics/term"
)

func file(text string) *source.File { return &source.File{Name: "test.sexp", Text: text} }

// typed parses and types a program.
func typed(t testing.TB, text string) *glenside.Typing {
	t.Helper()
	p, err := glenside.Parse(file(text))
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	ty, err := glenside.Check(p, nil)
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	return ty
}

// lowered lowers a typed program in a new builder, in which named sizes are at least 1.
func lowered(t testing.TB, ty *glenside.Typing, exact bool) (*term.Builder, *Program) {
	t.Helper()
	b := term.NewBuilder()
	p, err := Lower(b, ty, Options{Exact: exact, Size: func(name string) *index.Expr { return b.Index.Size(name, 1) }})
	if err != nil {
		t.Fatal(err)
	}
	return b, p
}

// somewhere returns an index of variables a, b, ... over the dims, each within its dim.
func somewhere(b *term.Builder, dims []*index.Expr) []*index.Expr {
	at := make([]*index.Expr, len(dims))
	for i, d := range dims {
		at[i] = b.Index.NewVar(string(rune('a'+i)), b.Index.Const(0), d).Expr()
	}
	return at
}

// printed returns the element at somewhere of each component.
func printed(b *term.Builder, p *Program) string {
	var list []string
	for _, c := range p.Components {
		list = append(list, c.Array.Element(b.Index.Root(), somewhere(b, c.Array.Dims)).String())
	}
	return strings.Join(list, "; ")
}

func TestOperatorsAreComplete(t *testing.T) {
	for _, op := range glenside.Ops() {
		if lowerings[op] == nil {
			t.Errorf("%s has no lowering", op.Name)
		}
	}
	if got, want := len(lowerings), len(glenside.Ops()); got != want {
		t.Errorf("%d lowerings of %d operators", got, want)
	}
}

// decls are the inputs of the programs below.
const decls = `
(input A (shape 3 4))
(input B (shape 3 4))
(input X (shape M N))
(input Y (shape M N))
(input T (shape 2 3 4))
(input I (shape 1 2 5 5))
(input S (shape 1 N))
(input J (shape 2) int32)
`

func TestTerms(t *testing.T) {
	for _, test := range []struct{ text, real, exact string }{
		{"(access-transpose (access X 1) (list 1 0))", "X[b, a]", ""},
		{"(access-slice (access X 1) 1 2 N)", "X[a, b + 2]", ""},
		{"(access-windows (access X 1) (shape 3) (shape 2))", "X[a, 2*b + c]", ""},
		{"(access-insert-axis (access S 1) 1)", "S[0, c]", ""},
		{"(access-flatten (access T 1))", "T[a, (b div 4), b - 4*(b div 4)]", ""},
		{"(access-flatten (access X 0))", "X[(a div N), -N*(a div N) + a]", ""},
		{"(access-reshape (access-flatten (access X 0)) (access-shape (shape M N) (shape)))", "X[a, b]", ""},
		{"(access-reshape (access T 0) (access-shape (shape 6) (shape 2 2)))", "T[(a div 3), a - 3*(a div 3), 2*b + c]", ""},
		{"(access-broadcast (access S 1) (access-shape (shape M N) (shape)))", "S[0, b]", ""},
		{"(access-broadcast (access X 1) (access-shape (shape 7 N) (shape)))", "X[-M*(a div M) + a, b]", ""},
		{"(access-cartesian-product (access A 1) (access B 1))", "if(-c >= 0, A[a, d], B[b, d])", ""},
		{"(access-concatenate (access X 1) (access Y 1) 0)", "if(M - a - 1 >= 0, X[a, b], Y[-M + a, b])", ""},
		{"(access-slice (access-concatenate (access X 1) (access Y 1) 0) 0 M (* 2 M))", "Y[a, b]", ""},
		{"(access-pad (access X 1) zero-padding 0 1 0)", "if(a - 1 >= 0, X[a - 1, b], 0)", ""},
		{"(access-pad (access X 1) min-padding 0 1 2)", "if(a - 1 >= 0, if(M - a >= 0, X[a - 1, b], MIN), MIN)", ""},
		{"(access-slice (access-pad (access X 1) min-padding 0 1 2) 0 1 (+ M 1))", "X[a, b]", ""},
		{"(construct-tuple (access A 1) (construct-tuple (access B 0)))", "A[a, b]; B[a, b]", ""},

		{"(compute dot-product (access-cartesian-product (access X 1) (access Y 1)))", "sum(k < N) X[a, k]·Y[b, k]", ""},
		{"(compute dot-product (access X 1))", "product(k < N) X[a, k]", ""},
		{"(compute dot-product (access T 1))", "sum(k < 4) T[a, 0, k]·T[a, 1, k]·T[a, 2, k]", ""},
		{"(compute reduce-sum (access X 0))", "sum(k < M, k < N) X[k, k]", ""},
		{"(compute reduce-sum (access A 2))", "A[a, b]", ""},
		{"(compute reduce-max (access-pair (access X 2) (access Y 2)))", "max(X[a, b], Y[a, b])", "max(max(MIN, X[a, b]), max(MIN, Y[a, b]))"},
		{"(compute reduce-sum (access-pair (access X 1) (access Y 1)))", "sum(k < N) X[a, k] + sum(k < N) Y[a, k]",
			"sum(k < 2, k < N) if(-k >= 0, X[a, k], Y[a, k])"},
		{"(compute reduce-mean (access X 1))", "(sum(k < N) X[a, k])/N", "mean(sum(k < N) X[a, k], N)"},
		{"(compute elementwise-add (access A 0))", "A[0, a] + A[1, a] + A[2, a]", ""},
		{"(compute elementwise-mul (access X 1))", "product(k < N) X[a, k]", ""},
		{"(compute elementwise-div (access A 1))", "((A[a, 0]/A[a, 1])/A[a, 2])/A[a, 3]", ""},
		{"(compute elementwise-div (access X 1))", "X[a, 0]/(product(k < N) X[a, k])",
			`elementwise-div "(compute elementwise-div (access (access-tensor X) 1))"[a]`},
		{"(compute relu (access A 1))", "max(A[a, b], 0)", "relu(A[a, b])"},
		{"(compute softmax (access X 1))", "exp(X[a, b])/(sum(k < N) exp(X[a, k]))", ""},

		{"(relay-operator-call relay-add S X)", "S[0, b] + X[a, b]", ""},
		{"(relay-operator-call relay-sigmoid X)", "1/(1 + exp(-X[a, b]))", "sigmoid(X[a, b])"},
		{"(relay-operator-call relay-tanh X)", "1 + -(2/(exp(2·X[a, b]) + 1))", "tanh(X[a, b])"},
		{"(relay-operator-call relay-leaky-relu X 0.5)", "max(X[a, b], 1/2·X[a, b])", "leaky-relu(X[a, b], 1/2)"},
		{"(relay-operator-call relay-leaky-relu X 2)", "min(X[a, b], 2·X[a, b])", "leaky-relu(X[a, b], 2)"},
		{"(relay-operator-call relay-clip X -1 0.5)", "min(max(X[a, b], -1), 1/2)", "clip(X[a, b], -1, 1/2)"},
		{"(relay-operator-call relay-clip X 1 -1)", "max(min(X[a, b], -1), 1)", "clip(X[a, b], 1, -1)"},
		{"(relay-operator-call relay-clip X -inf 1)", "clip(X[a, b], -inf(), 1)", "clip(X[a, b], -inf, 1)"},
		{"(relay-operator-call relay-cast X float64)", "X[a, b]", "float64(X[a, b])"},
		{"(relay-operator-call relay-cast X int8)", "cast int8(X[a, b])", "signed8(X[a, b])"},
		{"(relay-operator-call relay-cast J int8)", "cast int32 to int8(J[a])", "signed8(J[a])"},
		{"(relay-operator-call relay-left-shift J 3)", "left-shift(J[a], 3)", ""},
		{"(relay-operator-call relay-take X J 0)", "gather(k = J[a]) X[k, b]", ""},
		{"(relay-operator-call relay-max-pool2d I (shape 2 2) (shape 1 1) (shape 1 0 0 0) relay-activation-layout-nchw)",
			"max(k < 2, k < 2) if(c + k - 1 >= 0, I[0, b, c + k - 1, d + k], MIN)", ""},
		{"(relay-operator-call relay-avg-pool2d I (shape 2 1) (shape 1 1) (shape 1 0 0 0) relay-activation-layout-nchw)",
			"(sum(k < 2) if(c + k - 1 >= 0, I[0, b, c + k - 1, d], 0))/c - max(0, c - 1) + 1",
			"mean(sum(k < c + 1, k < d + 1) I[0, b, k, k], c - max(0, c - 1) + 1)"},
		{"(relay-operator-call relay-upsampling I 1.2 2 relay-activation-layout-nchw)", "I[0, b, ((5*c) div 6), (d div 2)]", ""},
		{"(tuple-get-item (relay-operator-call relay-dropout X 0.5) 1)",
			`mask of relay-dropout "(relay-operator-call relay-dropout (access-tensor X) 0.5)"[a, b]`, ""},
		{"(accelerator-call vta-dense X Y)", "sum(k < N) X[a, k]·Y[b, k]",
			`vta-dense "(accelerator-call vta-dense (access-tensor X) (access-tensor Y))"[a, b]`},
	} {
		ty := typed(t, decls+test.text)
		if test.exact == "" {
			test.exact = test.real
		}
		for i, want := range []string{test.real, test.exact} {
			b, p := lowered(t, ty, i == 1)
			if got := printed(b, p); got != want {
				t.Errorf("%s, exact %v:\ngot  %s\nwant %s", test.text, i == 1, got, want)
			}
		}
	}
}

func TestOpaqueAndIdealised(t *testing.T) {
	for _, test := range []struct {
		text            string
		exact           bool
		opaque, ideally string
	}{
		{"(compute softmax (access X 1))", false, "", ""},
		{"(compute softmax (access X 1))", true, "exp", ""},
		{"(compute sqrt (access X 1))", true, "", ""},
		{"(relay-operator-call relay-round X)", false, "round", ""},
		{"(relay-operator-call relay-round X)", true, "", ""},
		{"(relay-operator-call relay-cast X int8)", false, "cast int8", ""},
		{"(relay-operator-call relay-right-shift J 1)", false, "right-shift", ""},
		{"(relay-operator-call relay-add X (access-literal (literal inf)))", false, "inf", ""},
		{"(relay-operator-call relay-add X (access-literal (literal inf)))", true, "", ""},
		{"(accelerator-call vta-dense X (accelerator-call vta-dense X Y))", false, "", "vta-dense"},
		{"(accelerator-call vta-dense X (accelerator-call vta-dense X Y))", true, "vta-dense", ""},
		{"(accelerator-call flex-lstm X X X X X X X (shape 2))", false, "flex-lstm", ""},
	} {
		text := decls + test.text
		if strings.Contains(test.text, "(accelerator-call vta-dense X (") {
			text = strings.ReplaceAll(text, "M N", "N N")
		}
		_, p := lowered(t, typed(t, text), test.exact)
		if got := strings.Join(p.Opaque, " "); got != test.opaque {
			t.Errorf("%s, exact %v: opaque %q, want %q", test.text, test.exact, got, test.opaque)
		}
		if got := strings.Join(p.Idealised, " "); got != test.ideally {
			t.Errorf("%s, exact %v: idealised %q, want %q", test.text, test.exact, got, test.ideally)
		}
	}
}

// TestLiterals rounds literals to the nearest number of the sort.
func TestLiterals(t *testing.T) {
	for _, test := range []struct{ elem, literal, want string }{
		{"float16", "65519", "65504"},
		{"float16", "65520", "inf"},
		{"float16", "-1e9", "-inf"},
		{"float16", "2049", "2048"},
		{"float16", "2051", "2052"},
		{"float16", "1e-7", "1/8388608"},
		{"float16", "2e-8", "0"},
		{"float16", "-2e-8", "-0"},
		{"float32", "0.1", "13421773/134217728"},
		{"float64", "0.5", "1/2"},
		{"float32", "-0.0", "-0"},
		{"float32", "-infinity", "-inf"},
		{"int8", "127", "127"},
		{"int8", "-128", "-128"},
		{"int8", "128", "signed8(128)"},
		{"uint8", "255", "255"},
		{"uint8", "-1", "unsigned8(-1)"},
		{"fix4.4", "7.9375", "127/16"},
		{"fix4.4", "0.03125", "fixed8.4(1/32)"},
		{"bool", "3", "1"},
	} {
		text := fmt.Sprintf("(input A (shape 2) %s)\n(access-concatenate (access A 0)\n"+
			"  (access (access-tensor (constant-tensor %s (shape 2))) 0) 0)", test.elem, test.literal)
		b, p := lowered(t, typed(t, text), true)
		got := p.Components[0].Array.Element(b.Index.Root(), []*index.Expr{b.Index.Const(3)}).String()
		if got != test.want {
			t.Errorf("%s in %s is %s, want %s", test.literal, test.elem, got, test.want)
		}
	}
}

// nested wraps an expression in a form many times; %s in the form stands for the expression.
func nested(depth int, form, inner string) string {
	before, after, _ := strings.Cut(form, "%s")
	return strings.Repeat(before, depth) + inner + strings.Repeat(after, depth)
}

// occurrence is where a form has its operand.
var occurrence = regexp.MustCompile(`\bx\b`)

// TestSharing lowers programs whose text grows exponentially with their depth, and counts terms.
func TestSharing(t *testing.T) {
	const depth = 10
	for _, form := range []string{
		"(compute elementwise-add (access-pair x x))",
		"(relay-operator-call relay-multiply x (compute negative x))",
		"(compute softmax (access x 1))",
		"(relay-operator-call relay-layer-norm x V V)",
		"(relay-operator-call relay-add x (access-slice (access-pad x zero-padding 1 1 0) 1 0 4))",
		"(relay-operator-call relay-maximum x (access-transpose x (list 1 0)))",
		"(compute reduce-sum (access-pair (access x 2) (access x 2)))",
		"(tuple-get-item (construct-tuple (relay-operator-call relay-add x x) x) 0)",
		"(relay-operator-call relay-add x (relay-operator-call relay-concatenate 0 (relay-operator-call relay-split x (list 2) 0)))",
	} {
		text := "(access A 1)"
		for range depth {
			text = occurrence.ReplaceAllString(form, text)
		}
		b, p := lowered(t, typed(t, "(input A (shape 4 4))\n(input V (shape 4))\n"+text), false)
		a := p.Components[0].Array
		at := somewhere(b, a.Dims)
		x := a.Element(b.Index.Root(), at)
		if b.Terms() > 6*depth*depth {
			t.Errorf("%s: %d terms", form, b.Terms())
		}
		if y := a.Element(b.Index.Root(), slices.Clone(at)); x != y {
			t.Errorf("%s: two answers to one question", form)
		}
	}
}

// TestDeepPrograms lowers programs that nest 200,000 deep.
func TestDeepPrograms(t *testing.T) {
	const depth = 200_000
	for _, form := range []string{
		"(compute relu %s)",
		"(access-transpose %s (list 1 0))",
		"(compute reduce-sum (access-pair (access A 2) %s))",
		"(relay-operator-call relay-batch-flatten (relay-operator-call relay-add %s A))",
	} {
		b, p := lowered(t, typed(t, "(input A (shape 3 3))\n"+nested(depth, form, "(access A 2)")), false)
		a := p.Components[0].Array
		if e := a.Element(b.Index.Root(), somewhere(b, a.Dims)); e == nil {
			t.Error(form)
		}
	}
}
