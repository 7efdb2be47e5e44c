package glenside

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tv/internal/source"
	"tv/semantics/domain"
)

// sameGraph says how the nodes of two programs differ, their numbers included; places do not count.
func sameGraph(p, q *Program) string {
	if len(p.Nodes) != len(q.Nodes) || p.Root.ID != q.Root.ID {
		return fmt.Sprintf("%d and %d nodes, roots %d and %d", len(p.Nodes), len(q.Nodes), p.Root.ID, q.Root.ID)
	}
	id := func(n *Node) int { return n.ID }
	for i, n := range p.Nodes {
		m := q.Nodes[i]
		if n.ID != i || m.ID != i || n.Kind != m.Kind || n.Op != m.Op || n.Text != m.Text || !n.Int.Equal(m.Int) ||
			!slices.EqualFunc(n.Args, m.Args, func(a, b *Node) bool { return id(a) == id(b) }) {
			return fmt.Sprintf("node %d: %s and %s", i, FormatNode(n), FormatNode(m))
		}
	}
	return ""
}

// A program with definitions is the graph of the tree that it stands for, node by node.
func TestDefinitionsAreWrittenOut(t *testing.T) {
	for name, test := range map[string]struct{ text, tree string }{
		"access pattern": {"(define H (compute relu (access A 1))) (access-pair H H)",
			"(access-pair (compute relu (access A 1)) (compute relu (access A 1)))"},
		"alone": {"(define H (access A 1)) H", "(access A 1)"},
		"in parentheses": {"(define H (access A 1)) (access-pair (H) (compute relu (H)))",
			"(access-pair (access A 1) (compute relu (access A 1)))"},
		"any order": {"(define G (compute relu H)) (input A (shape 2)) (define H (access A 1)) (access-pair H G)",
			"(input A (shape 2)) (access-pair (access A 1) (compute relu (access A 1)))"},
		"read in the order of use": {"(define H (access B 1)) (define G (access A 1)) (access-pair G H)",
			"(access-pair (access A 1) (access B 1))"},
		"tensor name":     {"(define T A) (access-pair (access T 1) (access-tensor T))", "(access-pair (access A 1) A)"},
		"constant tensor": {"(define C (constant-tensor 2 (shape 3))) (access-pair C (access-tensor C))", "(access-pair (constant-tensor 2 (shape 3)) (access-tensor (constant-tensor 2 (shape 3))))"},
		"alias":           {"(define G H) (define H (access A 1)) (access-pair G H)", "(access-pair (access A 1) (access A 1))"},
		"tuple": {"(define T (construct-tuple A (access B 1))) (access-pair (tuple-get-item T 0) (tuple-get-item T 1))",
			"(access-pair (tuple-get-item (construct-tuple A (access B 1)) 0) (tuple-get-item (construct-tuple A (access B 1)) 1))"},
		"component": {"(define H (access A 1)) (construct-tuple H H)", "(construct-tuple (access A 1) (access A 1))"},
		"shape of":  {"(define H A) (access-broadcast B (access-shape (shape-of H) (shape)))", "(access-broadcast B (access-shape (shape-of A) (shape)))"},
		"access shape": {"(define H (access A 1)) (access-reshape B (get-access-shape H))",
			"(access-reshape B (get-access-shape (access A 1)))"},
		"a size of that name": {"(define N (access A 1)) (access-slice N 0 0 N)", "(access-slice (access A 1) 0 0 N)"},
		"quoted":              {`(define "a b" (access A 1)) (compute relu "a b")`, "(compute relu (access A 1))"},
		"paper's words":       {"(define windows (access A 1)) (compute relu windows)", "(compute relu (access A 1))"},
		"define is a tensor":  {"(define H define) (access H 1)", "(access define 1)"},
	} {
		if diff := sameGraph(mustParse(t, test.text), mustParse(t, test.tree)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestDefinitionErrors(t *testing.T) {
	const a = "(input A (shape 2))\n"
	for text, want := range map[string]string{
		a + "(define A (access A 1))\nA":                   "p.sexp:2:9: A is an input, declared at p.sexp:1:1 [redefined-name]",
		"(define A B)\n" + a + "A":                         "p.sexp:2:1: A is defined at p.sexp:1:1 [redefined-name]",
		a + "(define H A)\n(define H A)\nH":                "p.sexp:3:9: H is defined twice, first at p.sexp:2:1 [redefined-name]",
		a + "(define H (compute relu H))\nH":               "p.sexp:2:25: H is defined by itself: H uses H [cyclic-definition]",
		a + "(define G H)\n(define H (compute relu G))\nA": "p.sexp:3:25: G is defined by itself: G uses H uses G [cyclic-definition]",
		a + "(define H)\nH":                                "p.sexp:2:1: a definition is (define NAME EXPR) [bad-definition]",
		a + "(define (H) A)\nH":                            "p.sexp:2:1: a definition is (define NAME EXPR) [bad-definition]",
		a + "(define H A A)\nH":                            "p.sexp:2:13: the definition of H goes on after its last part [bad-definition]",
		a + "(define int8 A)\nA":                           "p.sexp:2:9: int8 cannot be the name of a definition [reserved-word]",
		a + "(define H (access A 1)":                       "p.sexp:2:1: the list of the definition of H is not closed [unclosed-list]",
		a + "(define H (access A 1))":                      "p.sexp:2:24: there is no expression in the file [no-expression]",
		a + "H (define H A)":                               "p.sexp:2:3: text after the end of the expression [trailing-text]",
		a + "(define H 3)\nA":                              "p.sexp:2:11: a definition is a tensor, an access pattern or a tuple, not the number 3 [wrong-operand]",
		a + "(define H (shape 2))\n(access-reshape A (access-shape H (shape)))":   "p.sexp:3:33: access of access-shape is a shape, not the word H [wrong-operand]",
		a + "(define H (shape 2))\nA":                                             "p.sexp:2:1: a definition is a tensor, an access pattern or a tuple, not a shape [not-a-tensor]",
		a + "(define H (literal 2))\n(access-literal H)":                          "p.sexp:3:17: value of access-literal is a literal, not the word H [wrong-operand]",
		a + "(define H (get-access-shape A))\n(access-reshape A H)":               "p.sexp:2:1: a definition is a tensor, an access pattern or a tuple, not an access shape [not-a-tensor]",
		a + "(define H (access A 1))\n(access-tensor H)":                          "p.sexp:3:16: t of access-tensor is a tensor name, not an access pattern [wrong-operand]",
		a + "(define H (access A 2))\nH":                                          "p.sexp:2:21: ",
		a + "(define U (access B 1))\nA":                                          "p.sexp:2:19: tensor B is not declared",
		a + "(define U (acess A 1))\nA":                                           "p.sexp:2:12: there is no operator acess; did you mean access? [unknown-operator]",
		a + "(define U (access-slice A 0 1 3))\n(define V (compute relu U))\nA":   "p.sexp:2:31: ",
		a + "(define U (access-slice A 0 1 3))\n(define V (access-slice U 0))\nA": "p.sexp:3:11: access-slice takes 4 operands, got 2 [wrong-arity]",
	} {
		p, err := Parse(source.NewFile("p.sexp", text))
		if err == nil {
			_, err = Check(p, nil)
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", text, err, want)
		}
	}
}

// An input that only the question declares has a name as well.
func TestDefinitionOfInputFromOutside(t *testing.T) {
	p := mustParse(t, "(define A (access B 1)) A")
	env, err := MergeEnv([]*Program{p, mustParse(t, "B")}, outsideInput(t, "A=2"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Check(p, env); err == nil || !strings.Contains(err.Error(), "p:1:1: A is an input [redefined-name]") {
		t.Errorf("got %v", err)
	}
}

// What the result does not reach is no part of the program: no size, no tensor, no condition, no use of a literal.
func TestUnreachedDefinitions(t *testing.T) {
	const inputs = "(input A (shape N 2) int8)\n(input B (shape M 2))\n"
	const result = "(relay-operator-call relay-add (access-slice A 0 1 N) (access-literal 1))"
	bare := mustParse(t, inputs+result)
	p := mustParse(t, inputs+"(define V (relay-operator-call relay-add B (access-literal 1)))\n"+
		"(define U (access-slice V 0 0 (div K 3)))\n(define W (access-pair U U))\n"+result)
	if diff := sameGraph(p, bare); diff != "" {
		t.Error(diff)
	}
	x, err := Check(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	y, err := Check(bare, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(x.Conds) != len(y.Conds) || len(x.Tensors) != len(y.Tensors) {
		t.Errorf("%d conditions and %d tensors, without the definitions %d and %d", len(x.Conds), len(x.Tensors),
			len(y.Conds), len(y.Tensors))
	}
	for _, s := range p.Declarations().Sizes {
		if s.Name == "K" {
			t.Error("the size K is named by what is not reached")
		}
	}
	var got []string
	for _, r := range p.Remarks() {
		got = append(got, fmt.Sprintf("%s %s", r.Position(), r.Msg))
	}
	want := []string{"p:3:1 the result does not use V", "p:4:1 the result does not use U", "p:5:1 the result does not use W"}
	if !slices.Equal(got, want) {
		t.Errorf("remarks %q", got)
	}
}

func TestShare(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"(access-pair (compute relu A) (compute relu A))",
			"(define t1 (compute relu (access-tensor A)))\n(access-pair t1 t1)\n"},
		{"(access-pair A A)", "(access-pair (access-tensor A) (access-tensor A))\n"},
		{"(relay-operator-call relay-add (access-literal 2) (access-literal 2))",
			"(relay-operator-call relay-add (access-literal (literal 2)) (access-literal (literal 2)))\n"},
		{"(define H (compute relu A)) (access-pair H (compute relu A))",
			"(define H (compute relu (access-tensor A)))\n(access-pair H H)\n"},
		{"(define H (compute relu A)) (define G (compute relu A)) (access-pair G H)",
			"(define H (compute relu (access-tensor A)))\n(define G H)\n(access-pair G H)\n"},
		{"(define t1 (compute relu A)) (construct-tuple t1 (compute negative t1) (compute negative t1) t2)",
			"(define t1 (compute relu (access-tensor A)))\n(define t3 (compute negative t1))\n" +
				"(construct-tuple t1 t3 t3 (access-tensor t2))\n"},
		// the inner one is written once, within the definition of the outer one
		{"(access-pair (compute relu (compute relu A)) (compute relu (compute relu A)))",
			"(define t1 (compute relu (compute relu (access-tensor A))))\n(access-pair t1 t1)\n"},
		// a shape has no name: what it is taken from is written as often as it is
		{"(access-pair (access-reshape A (get-access-shape (compute relu B))) (access-reshape C (get-access-shape (compute relu B))))",
			"(define t1 (compute relu (access-tensor B)))\n(access-pair (access-reshape (access-tensor A) (get-access-shape t1)) " +
				"(access-reshape (access-tensor C) (get-access-shape t1)))\n"},
		{"(tuple-get-item (construct-tuple (shape 2) A) 0)", "(tuple-get-item (construct-tuple (shape 2) (access-tensor A)) 0)\n"},
	} {
		p := mustParse(t, test.text)
		got := Share(p)
		if strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(test.want), " ") {
			t.Errorf("%s\n got %s\nwant %s", test.text, got, test.want)
		}
		q := mustParse(t, got)
		if diff := sameGraph(p, q); diff != "" {
			t.Errorf("%s: another program: %s", test.text, diff)
		}
		if again := Share(q); again != got {
			t.Errorf("%s: sharing again gives %s", test.text, again)
		}
		if kept := Format(q); kept != got {
			t.Errorf("%s: not in canonical layout: %s, then %s", test.text, got, kept)
		}
	}
}

// Format keeps definitions as they are written: names, order, aliases, what is written out beside them.
func TestFormatDefinitions(t *testing.T) {
	long := "(relay-operator-call relay-add (access-slice (access-tensor A) 0 0 100000) (access-slice (access-tensor A) 0 0 100001))"
	text := "(define G H)\n(input A (shape N))\n(define H (cartProd A\n A)) (assume (<= 2 N))\n(define \"x y\" " + long +
		")\n(define T A)\n(access-pair (access-pair G H) (access-pair (cartProd T A) \"x y\"))"
	want := "(input A (shape N))\n(assume (<= 2 N))\n(define G H)\n" +
		"(define H (access-cartesian-product (access-tensor A) (access-tensor A)))\n(define \"x y\"\n" +
		"  (relay-operator-call relay-add\n    (access-slice (access-tensor A) 0 0 100000)\n" +
		"    (access-slice (access-tensor A) 0 0 100001)))\n(define T A)\n" +
		"(access-pair (access-pair G H) (access-pair (access-cartesian-product T (access-tensor A)) \"x y\"))\n"
	p := mustParse(t, text)
	if got := Format(p); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if diff := sameGraph(p, mustParse(t, want)); diff != "" {
		t.Error(diff)
	}
}

// doubling is a text of n operators that stands for a tree of 2^n.
func doubling(n int) string {
	var b strings.Builder
	b.WriteString("(input A (shape N))\n")
	for i := n; i > 0; i-- { // in the order that needs the deepest stack
		fmt.Fprintf(&b, "(define h%d (relay-operator-call relay-add h%d h%d))\n", i, i-1, i-1)
	}
	fmt.Fprintf(&b, "(define h0 (access-slice A 0 0 N))\nh%d\n", n)
	return b.String()
}

// What reads, types and prints programs takes them as the graphs that they are.
func TestGraphsNotTrees(t *testing.T) {
	p := mustParse(t, doubling(1000))
	ty, err := Check(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := ty.Root().String(); got != "((N) ()) float32" {
		t.Error(got)
	}
	if p.Depth() != 1002 {
		t.Errorf("a depth of %d", p.Depth())
	}
	for name, text := range map[string]string{"Format": Format(p), "Share": Share(p)} {
		if len(text) > 100_000 {
			t.Errorf("%s: %d bytes", name, len(text))
		}
		if diff := sameGraph(p, mustParse(t, text)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if text := FormatNode(p.Root); len(text) != maxNodeText+3 || !strings.HasSuffix(text, "...") {
		t.Errorf("FormatNode: %d bytes", len(text))
	}
	if _, whole := FormatWithin(p.Root, 100); whole {
		t.Error("FormatWithin takes 100 bytes for the whole")
	}
	if got := p.Text(p.Root); got != "(relay-operator-call relay-add h999 h999)" {
		t.Error(got)
	}
	if _, err := Infer(mustParse(t, strings.Replace(doubling(1000), "(input A (shape N))", "", 1))); err == nil {
		t.Error("the rank of A is open")
	}
}

// Operators that make no tensor are marked: nothing that they make gets a name.
func TestSized(t *testing.T) {
	for _, op := range Ops() {
		p := mustParse(t, op.Example)
		ty, err := Check(p, nil)
		if err != nil {
			t.Fatalf("%s: %v", op.Name, err)
		}
		for _, n := range p.Nodes {
			if n.Kind != KindCall {
				continue
			}
			k := ty.Type(n).Kind
			if tensor := k == TypeAccess || k == TypeTensor || k == TypeTuple; tensor == n.Op.sized {
				t.Errorf("%s makes %s", n.Op.Name, ty.Type(n))
			}
		}
	}
}

func TestDefinitionSpans(t *testing.T) {
	p := mustParse(t, "(input A (shape 2))\n(define H (compute relu A))\n(access-pair H A)")
	for _, n := range p.Nodes {
		if n.Op != nil && n.Op.Name == "relu" {
			if at := p.Span(n).Position().String(); at != "p:2:11" {
				t.Errorf("the definition is at %s", at)
			}
		}
	}
	if at := p.OperandSpan(p.Root, 0).Position().String(); at != "p:3:14" {
		t.Errorf("the use is at %s", at)
	}
}

func outsideInput(t *testing.T, flag string) domain.Input {
	t.Helper()
	in, err := ParseInputFlag(flag)
	if err != nil {
		t.Fatal(err)
	}
	return in
}
