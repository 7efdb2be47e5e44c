package lower

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tv/glenside"
	"tv/internal/source"
	"tv/semantics/domain"
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
	size := func(name string) *index.Expr { return b.Index.Size(name, 1) }
	p, err := Lower(b, ty, Options{Arith: domain.ArithOf(exact), Size: size})
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

// TestTerms compares printed elements with testdata/terms.txt.
func TestTerms(t *testing.T) {
	golden, err := os.ReadFile("testdata/terms.txt")
	if err != nil {
		t.Fatal(err)
	}
	check := func(text string, exact bool, want string) {
		b, p := lowered(t, typed(t, decls+text), exact)
		if got := printed(b, p); got != want {
			t.Errorf("%s, exact %v:\ngot  %s\nwant %s", text, exact, got, want)
		}
	}
	for block := range strings.SplitSeq(strings.TrimSpace(string(golden)), "\n\n") {
		lines := strings.Split(block, "\n")
		if lines[0][0] == '#' {
			continue
		}
		want := strings.TrimPrefix(lines[1], "real  ")
		check(lines[0], false, want)
		if len(lines) > 2 {
			want = strings.TrimPrefix(lines[2], "exact ")
		}
		check(lines[0], true, want)
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

// TestOpaqueCalls tells when two calls are known to be equal: when their operands are.
func TestOpaqueCalls(t *testing.T) {
	lstm := func(x string) string {
		return "(accelerator-call flex-lstm " + x + " Y A A A A A (shape 3 M))"
	}
	relus := func(depth int) string { return nested(depth, "(compute relu %s)", "X") }
	sum := "(access-pair X (compute reduce-sum (access-pair (access X 2) (access Y 2))))"
	for _, test := range []struct {
		x, y string
		same bool
	}{
		{lstm("X"), lstm("X"), true},
		{lstm("X"), lstm("Y"), false},
		{lstm("X"), lstm("(access-transpose (access-transpose X (list 1 0)) (list 1 0))"), true},
		{lstm("X"), lstm("(access-transpose X (list 1 0))"), false},
		{lstm(sum), lstm("(access-slice " + sum + " 0 0 M)"), true},
		{lstm(lstm("X")), lstm(lstm("(access X 1)")), true},
		{lstm(lstm("X")), lstm(lstm("Y")), false},
		{lstm("(access (access-flatten X) 0)"), lstm("(relay-operator-call relay-reshape X (shape (* M N)))"), true},
		{lstm("(access-literal (literal 0.5))"), lstm("(access-literal (literal 5e-1))"), true},
		{lstm("X"), strings.Replace(lstm("X"), "shape 3 M", "shape M 3", 1), false},
		{lstm(relus(100)), lstm("(access " + relus(100) + " 1)"), true},
		{lstm(relus(100)), lstm(relus(101)), false},
		{lstm(relus(maxVisits)), lstm(relus(maxVisits)), true}, // too large to tell but by the text
		{lstm(relus(maxVisits)), lstm("(access " + relus(maxVisits) + " 1)"), false},
		{lstm("(access-pad X zero-padding 0 N (div M 2))"), lstm("(access-pad X zero-padding 0 N (div M 2))"), true},
		{lstm("(relay-operator-call relay-avg-pool2d I (shape 2 3) (shape 1 1) (shape 1 0 1 0) " +
			"relay-activation-layout-nchw)"), lstm("I"), false},
		{"(compute elementwise-div (access S 1))", "(compute elementwise-div (access S 0))", false},
	} {
		b := term.NewBuilder()
		size := func(name string) *index.Expr { return b.Index.Size(name, 1) }
		var names []string
		for _, text := range []string{test.x, test.y} {
			p, err := Lower(b, typed(t, decls+text), Options{Arith: domain.Exact, Size: size})
			if err != nil {
				t.Fatal(err)
			}
			a := p.Components[0].Array
			names = append(names, a.Element(b.Index.Root(), somewhere(b, a.Dims)).Tensor.Name)
		}
		if same := names[0] == names[1]; same != test.same {
			t.Errorf("%s and %s: same %v, want %v", names[0], names[1], same, test.same)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"(access-slice (access X 1) 0 0 (div 8 N))", "lower: the divisor of size (div 8 N) is 0"},
	} {
		b := term.NewBuilder()
		zero := func(string) *index.Expr { return b.Index.Const(0) }
		_, err := Lower(b, typed(t, decls+test.text), Options{Size: zero})
		if err == nil || err.Error() != test.want {
			t.Errorf("%s: %v, want %s", test.text, err, test.want)
		}
	}
}

// TestLiterals converts literals to the sort; those that it does not hold stay conversions.
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
		{"bfloat16", "257", "256"},
		{"bfloat16", "259", "260"},
		{"bfloat16", "0.1", "205/2048"},
		{"bfloat16", "3.4e38", "inf"},
		{"bfloat16", "-1e-41", "-0"},
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
		{"int8", "-0.5", "0"},
		{"uint8", "255.5", "255"},
		{"uint8", "256", "unsigned8(256)"},
		{"fix4.4", "0.09375", "1/16"},
		{"fix4.4", "-0.09375", "-1/8"},
		{"fix4.4", "8", "fixed8.4(8)"},
		{"sat8", "-1.5", "-1"},
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
		"(relay-operator-call relay-add x\n" +
			"(relay-operator-call relay-concatenate 0 (relay-operator-call relay-split x (list 2) 0)))",
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
		"(compute reduce-sum (access-pair (access A 2) %s))",
	} {
		b, p := lowered(t, typed(t, "(input A (shape 3 3))\n"+nested(depth, form, "(access A 2)")), false)
		a := p.Components[0].Array
		if e := a.Element(b.Index.Root(), somewhere(b, a.Dims)); e == nil {
			t.Error(form)
		}
	}
}
