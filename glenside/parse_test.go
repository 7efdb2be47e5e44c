package glenside

import (
	"strings"
	"testing"

	"tv/internal/source"
)

func mustParse(t testing.TB, text string) *Program {
	t.Helper()
	p, err := Parse(source.NewFile("p", text))
	if err != nil {
		t.Fatalf("Parse(%.200q): %v", text, err)
	}
	return p
}

func TestParseSpellings(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"A", "(access-tensor A)"},
		{"(A)", "(access-tensor A)"},
		{"(access A 1)", "(access (access-tensor A) 1)"},
		{"(access (access-tensor (A)) (1))", "(access (access-tensor A) 1)"},
		{"( access\tA\r\n1 ) ; the end", "(access (access-tensor A) 1)"},
		{"; first\n(access ; second ( \n A 1)", "(access (access-tensor A) 1)"},
		{"\ufeff(access A 1)", "(access (access-tensor A) 1)"},
		{`(access "A" 1)`, "(access (access-tensor A) 1)"},
		{`(access "A (b); c" 1)`, `(access (access-tensor "A (b); c") 1)`},
		{`(access "a\"b c" 1)`, `(access (access-tensor "a\"b c") 1)`},
		{"(access äöü 1)", "(access (access-tensor äöü) 1)"},
		{"(access transpose 1)", "(access (access-tensor transpose) 1)"},
		{"(access nan 1)", "(access (access-tensor nan) 1)"},
		{"(compute dotProd (cartProd A B))",
			"(compute dot-product (access-cartesian-product (access-tensor A) (access-tensor B)))"},
		{"(systolicArray 2 3 A B)", "(systolic-array 2 3 (access-tensor A) (access-tensor B))"},
		{"(relay-operator-call relay-mul A B)",
			"(relay-operator-call relay-multiply (access-tensor A) (access-tensor B))"},
		{"(relay-operator-call relay-tanh (relay-operator-call relay-copy A))",
			"(relay-operator-call relay-tanh (relay-operator-call relay-copy (access-tensor A)))"},
		{"(relay-operator-call relay-global-avg-pool2d A (relay-activation-layout-nchw))",
			"(relay-operator-call relay-global-avg-pool2d (access-tensor A) relay-activation-layout-nchw)"},
		{"(relay-operator-call relay-leaky-relu A 2)",
			"(relay-operator-call relay-leaky-relu (access-tensor A) 2)"},
		{"(relay-operator-call relay-leaky-relu A (literal 0.50))",
			"(relay-operator-call relay-leaky-relu (access-tensor A) 0.50)"},
		{"(access-literal 2.0)", "(access-literal (literal 2.0))"},
		{"(access-literal inf)", "(access-literal (literal inf))"},
		{"(relay-operator-call relay-cast A int)", "(relay-operator-call relay-cast (access-tensor A) " +
			"int32)"},
		{"(access-reshape A (access-shape shape (shape 6)))",
			"(access-reshape (access-tensor A) (access-shape (shape) (shape 6)))"},
		{"(access-slice A 0 (+ 1 2) (* N (+ N 1)))", "(access-slice (access-tensor A) 0 3 (+ (* N N) N))"},
		{"(access-slice A 0 (- (div N M) (div N M)) 1)",
			"(access-slice (access-tensor A) 0 (- (div N M) (div N M)) 1)"},
		{"(access-slice A 0 ( -(div N ; x\nM)(div N M)) 1)",
			"(access-slice (access-tensor A) 0 (- (div N M) (div N M)) 1)"},
		{"(accelerator-call flex-linear A B C)",
			"(accelerator-call flex-linear (access-tensor A) (access-tensor B) (access-tensor C) (shape 0))"},
		{"(accelerator-call flex-maxpool A (shape 0))",
			"(accelerator-call flex-maxpool (access-tensor A) (shape 0))"},
		{"(compute relu (constant-tensor 0 (shape 2)))",
			"(compute relu (access-tensor (constant-tensor 0 (shape 2))))"},
		{"(construct-tuple A 3 2.5 (list))", "(construct-tuple (access-tensor A) 3 2.5 (list))"},
		{"(relay-operator-call relay-stack A -1)", "(relay-operator-call relay-stack (access-tensor A) -1)"},
		{"(access-slice A 0 0 99999999999999999999)",
			"(access-slice (access-tensor A) 0 0 99999999999999999999)"},
	} {
		p, err := Parse(source.NewFile("p", test.text))
		if err != nil {
			t.Errorf("Parse(%q): %v", test.text, err)
			continue
		}
		if got := FormatNode(p.Root); got != test.want {
			t.Errorf("Parse(%q) = %s, want %s", test.text, got, test.want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", "p:1:1: there is no expression in the file [no-expression]"},
		{"; nothing", "p:1:10: there is no expression in the file [no-expression]"},
		{"()", "p:1:1: a list is not empty [empty-list]"},
		{"(", "p:1:1: this list is not closed [unclosed-list]"},
		{")", "p:1:1: this parenthesis closes nothing [unopened-list]"},
		{"(access\n  (compute relu A) 1", "p:1:1: the list of access is not closed [unclosed-list]"},
		{"(access (compute relu A 1)", "p:1:9: relu takes 1 operand, got 2 [wrong-arity]"},
		{"(access A)", "p:1:1: access takes 2 operands, got 1 [wrong-arity]"},
		{"(construct-tuple A) B", "p:1:21: text after the end of the expression [trailing-text]"},
		{"access A 1)", "p:1:1: a program is an access pattern, not the operator access without " +
			"operands [wrong-operand]"},
		{"((access A 1))", "p:1:2: a list begins with a word, not with a list [head-is-list]"},
		{"(acces A 1)", "p:1:2: there is no operator acces; did you mean access? [unknown-operator]"},
		{"(inputs A (shape 2)) A", "p:1:2: there is no operator inputs; did you mean input? [unknown-operator]"},
		{"(frobnicate A 1)", "p:1:2: there is no operator frobnicate [unknown-operator]"},
		{"(relu A 1)", "p:1:2: relu is called as (compute relu ...) [unknown-operator]"},
		{"(compute relu6 A)", "p:1:10: there is no operator relu6; did you mean relu? [unknown-operator]"},
		{"(compute relay-add A)", "p:1:10: relay-add is called as (relay-operator-call relay-add ...) " +
			"[unknown-operator]"},
		{"(compute (relu) A)", "p:1:1: compute takes the name of an operator first [unknown-operator]"},
		{"(compute)", "p:1:1: a program is an access pattern, not the operator compute without operands " +
			"[wrong-operand]"},
		{"(access 3 1)", "p:1:9: x of access is an access pattern, not the number 3 [wrong-operand]"},
		{"(access int8 1)", "p:1:9: x of access is an access pattern, not int8, which is a word of the " +
			"language [wrong-operand]"},
		{"(access A relu)", "p:1:11: relu is not an integer or the name of a size [wrong-operand]"},
		{`(access "" 1)`, `p:1:9: a word is not empty [bad-character]`},
		{"(access A 1.5)", "p:1:11: 1.5 is not an integer or the name of a size [wrong-operand]"},
		{"(access A -1)", "p:1:11: split must not be negative: -1 [negative-number]"},
		{"(access A (- 1 2))", "p:1:11: split must not be negative: -1 [negative-number]"},
		{"(access A (div 1 0))", "p:1:11: division by 0: a divisor is positive [bad-divisor]"},
		{"(access A (foo 1 2))", "p:1:12: there is no operator foo [unknown-operator]"},
		{"(access A (+ 1 (foo 2)))", "p:1:16: a size is a number, a name or one of (+ a...), (- a " +
			"b...), (* a...), (div a b), " +
			"(mod a b), (max a...), (min a...) [bad-size]"},
		{"(access-reshape A 3)", "p:1:19: shape of access-reshape is an access shape, not the number 3 " +
			"[wrong-operand]"},
		{"(access-reshape A (access-shape A B))",
			"p:1:33: access of access-shape is a shape, not the word A [wrong-operand]"},
		{"(access-pad A zero 0 1 1)", "p:1:15: kind of access-pad is zero-padding or min-padding, not " +
			"zero [wrong-operand]"},
		{"(relay-operator-call relay-cast A int7)", "p:1:35: int7 is not an element type; did you mean int8? [unknown-type]"},
		{"(relay-operator-call relay-cast A real)", "p:1:35: real is not an element type; tv help arithmetic names them [unknown-type]"},
		{"(access-literal A)", "p:1:17: value of access-literal is a literal, not the word A " +
			"[wrong-operand]"},
		{"(accelerator-call flex-linear A B C (shape 1))",
			"p:1:37: the last operand of flex-linear is (shape 0) or left out [wrong-operand]"},
		{"(accelerator-call flex-linear A B C shape)",
			"p:1:37: the last operand of flex-linear is (shape 0) or left out [wrong-operand]"},
		{"(access \"A 1)", "p:1:9: this quote is not closed [unclosed-quote]"},
		{"(access \xff 1)", "p:1:9: a word has control characters or is not UTF-8 [bad-character]"},
		{"(input)", "p:1:1: a declaration is (input NAME (shape DIM...) [TYPE]) [bad-declaration]"},
		{"(input A 3) A", "p:1:10: the shape of an input is (shape DIM...) [bad-declaration]"},
		{"(input A (shape 3) int8 x) A", "p:1:25: the declaration of A goes on after its last part " +
			"[bad-declaration]"},
		{"(input A (shape (N 1))) A", "p:1:17: the least value of a dim is declared as 0 or not at all; " +
			"assume says more [bad-declaration]"},
		{"(input A (shape (+ N zero-padding))) A", "p:1:22: a dim of an input is a number, a size or (SIZE 0): " +
			"zero-padding is not an integer or the name of a size [bad-declaration]"},
		{"(input A (shape -3)) A", "p:1:17: a dim must not be negative: -3 [negative-number]"},
		{"(input A (shape 3)) (input A (shape 3)) A",
			"p:1:21: A is declared twice, first at p:1:1 [duplicate-input]"},
		{"(input relu (shape 3)) A", "p:1:8: relu cannot be the name of a tensor [reserved-word]"},
		{"A (input A (shape 3))", "p:1:3: text after the end of the expression [trailing-text]"},
		{"(assume N) A", "p:1:9: a condition is (= a b), (< a b), (<= a b), (divides a b), (not c), " +
			"(and c...) or (or c...) " +
			"[bad-condition]"},
		{"(assume (not (= N 1) (= N 2))) A", "p:1:9: not takes one condition, got 2 [bad-condition]"},
		{"(assume (= N 1 2)) A", "p:1:16: the condition goes on after its last part [bad-condition]"},
	} {
		_, err := Parse(source.NewFile("p", test.text))
		if err == nil {
			t.Errorf("Parse(%q) gives no error, want %s", test.text, test.want)
		} else if err.Error() != test.want {
			t.Errorf("Parse(%q)\n got %s\nwant %s", test.text, err, test.want)
		}
	}
}

func TestParseShares(t *testing.T) {
	p := mustParse(t, `(input A (shape 2 2))
(construct-tuple
  (access A 1)
  (access (access-tensor (A)) (- 2 1))
  (compute reduceSum (access A 1))
  (compute reduce-sum (access "A" 1))
  (accelerator-call flex-linear A A A)
  (accelerator-call flex-linear A A A (shape 0)))`)
	args := p.Root.Args
	for i := 0; i < len(args); i += 2 {
		if args[i] != args[i+1] {
			t.Errorf("%s and %s are two nodes", FormatNode(args[i]), FormatNode(args[i+1]))
		}
	}
	checkNodes(t, p)
	// A, (access-tensor A), 1, (access ...), (compute ...), (accelerator-call ...), (construct-tuple ...):
	// neither the dummy nor its 0.
	if len(p.Nodes) != 7 {
		t.Errorf("%d nodes, want 7", len(p.Nodes))
	}
}

// checkNodes checks what Program.Nodes promises.
func checkNodes(t testing.TB, p *Program) {
	t.Helper()
	used := make([]bool, len(p.Nodes))
	used[p.Root.ID] = true
	for id := len(p.Nodes) - 1; id >= 0; id-- {
		n := p.Nodes[id]
		if n.ID != id {
			t.Errorf("node %d has ID %d", id, n.ID)
		}
		if !used[id] {
			t.Errorf("node %d, %s, is not part of the program", id, FormatNode(n))
		}
		for _, a := range n.Args {
			if a.ID >= id || p.Nodes[a.ID] != a {
				t.Errorf("operand %s of node %d comes after it", FormatNode(a), id)
			}
			used[a.ID] = true
		}
	}
}

func TestSpans(t *testing.T) {
	p := mustParse(t, "(input A (shape 2 2))\n(access-slice (access \"A\" 1) ; (\n 1 (N) 1)")
	for _, test := range []struct {
		i    int
		want string
	}{
		{-1, p.File.Text[strings.Index(p.File.Text, "(access-slice"):]},
		{0, `(access "A" 1)`}, {1, "1"}, {2, "(N)"}, {3, "1"},
	} {
		if got := p.OperandSpan(p.Root, test.i).Text(); got != test.want {
			t.Errorf("OperandSpan(root, %d) = %q, want %q", test.i, got, test.want)
		}
	}
	if got := p.Span(p.Root.Args[0].Args[0]).Text(); got != `"A"` {
		t.Errorf("Span of the tensor = %q", got)
	}
}

// Deep nesting has to be accepted, or refused with a code, but never to exhaust the stack.
func TestDeepNesting(t *testing.T) {
	const depth = 200_000
	p := mustParse(t, "(input A (shape 2 2))\n"+nested("(compute relu ", "A", depth))
	if len(p.Nodes) != depth+2 {
		t.Errorf("%d nodes, want %d", len(p.Nodes), depth+2)
	}
	ty, err := Check(p, nil)
	if err != nil || ty.Root().String() != "((2 2) ()) float32" {
		t.Errorf("Check of %d nested calls: %v", depth, err)
	}
	if _, err := Infer(p); err == nil {
		t.Error("Infer finds a rank that is not fixed")
	}
	if text := Format(p); len(mustParse(t, text).Nodes) != depth+2 {
		t.Error("formatting loses nodes")
	}
	if n := len(FormatNode(p.Root)); n < depth {
		t.Errorf("FormatNode writes %d bytes", n)
	}
	for _, test := range []struct{ text, want string }{
		{strings.Repeat("(access ", depth), "unclosed-list"},
		{strings.Repeat("(", depth), "head-is-list"},
		{"(access A " + nested("(+ 1 ", "1", depth) + ")", "too-deep"},
		{"(access A " + strings.Repeat("(+ 1 ", depth), "too-deep"},
		{"(assume " + nested("(not ", "(= N 1)", depth) + ") A", "too-deep"},
		{"(access A 1)" + strings.Repeat(")", depth), "trailing-text"},
	} {
		_, err := Parse(source.NewFile("p", test.text))
		if errs := source.AsErrors(err); len(errs) != 1 || errs[0].Code != test.want {
			t.Errorf("Parse(%.40q...) = %v, want %s", test.text, err, test.want)
		}
	}
	ranks := "(input A (shape 2))\n" + strings.Repeat("(access-insert-axis ",
		depth) + "A" + strings.Repeat(" 0)", depth)
	if _, err := Check(mustParse(t, ranks), nil); err == nil || source.AsErrors(err)[0].Code != "too-large" {
		t.Errorf("Check of rank %d: %v, want too-large", depth, err)
	}
}

func TestParseDecimal(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"2", "2"}, {"2.0", "2"}, {"-.5", "-1/2"}, {"1e-5", "1/100000"}, {"+1.5E1", "15"},
		{"inf", "error"}, {"1e99999999", "error"}, {"1e", "error"}, {"0x10", "error"}, {"1/2", "error"},
		{"", "error"},
	} {
		got := "error"
		if v, ok := ParseDecimal(test.text); ok {
			got = v.RatString()
		}
		if got != test.want {
			t.Errorf("ParseDecimal(%q) = %s, want %s", test.text, got, test.want)
		}
	}
}
