package proofs_test

import (
	"strings"
	"testing"

	"tv/internal/languages"

	"tv/internal/source"
	"tv/proofs"
	"tv/semantics/domain"
)

const vec = "(input A (shape 3))\n"

// pooled takes one column of a pool of A with pads.
func pooled(pads string) string {
	return "(relay-operator-call relay-take (relay-operator-call relay-max-pool2d (access-tensor A) (shape 2 2) " +
		"(shape 2 2) (shape " + pads + ") relay-activation-layout-nchw) (access-tensor C) 3)"
}

// scattered is a convolution backwards, and gathering the same with so many taps and gradients.
const scattered = "void f(int N, int K, const float y[N], const float w[K], float x[N + K - 1]) {\n" +
	"for (int i = 0; i < N + K - 1; i++) x[i] = 0;\n" +
	"for (int i = 0; i < N; i++) for (int k = 0; k < K; k++) x[i + k] += y[i] * w[k]; }\n"

func gathering(taps, most string) string {
	return "void f(int N, int K, const float y[N], const float w[K], float x[N + K - 1]) {\n" +
		"for (int i = 0; i < N + K - 1; i++) { float s = 0; for (int k = 0; k < " + taps + "; k++)\n" +
		"if (i >= k && i - k < " + most + ") s += y[i - k] * w[k]; x[i] = s; } }\n"
}

// planted are false statements, each with the answers that a prover with one fault would give, and the
// code with which the checker refuses them.
var planted = []struct {
	fault, before, after, witness, code string
	exact, access                       bool
	loops                               bool // in C
}{
	{fault: "a map of places that meet conditions leaves out one that does", loops: true,
		before: scattered, after: gathering("K", "N - 1"), witness: "1 (among (0 (+ u0 -1)) (w0) (v0))\n",
		code: "certificate-range"},
	{fault: "a map of places that meet conditions takes in those of no range", loops: true,
		before: scattered, after: gathering("K - 1", "N"), witness: "2 (among (0 u1) ((+ u2 (* -1 w0))) ((+ u2 (* -1 v0))))\n",
		code: "certificate-goal"},
	{fault: "a map of places that meet conditions makes one of two",
		before: "(input A (shape 4))\n(compute reduce-sum (access A 0))",
		after:  "(compute reduce-sum (access-slice (access A 0) 0 0 2))", witness: "1 (among (0 2) (w0) ((div v0 2)))\n",
		code: "certificate-inverse"},
	{fault: "a map of places that meet conditions makes two of one",
		before:  "(input A (shape 4))\n(compute reduce-sum (access A 0))",
		after:   "(compute reduce-sum (access A 0))",
		witness: "1 (among (0 8) ((div w0 2)) ((* 2 v0)))\n", code: "certificate-inverse"},
	{fault: "a map of places that meet conditions in a maximum",
		before: "(input A (shape 4))\n(compute reduce-max (access A 0))",
		after:  "(compute reduce-max (access-slice (access A 0) 0 0 3))", witness: "1 (among (0 3) (w0) (v0))\n",
		code: "certificate-witness"},
	{fault: "the range of a map is not checked: a place too many",
		before: "(input A (shape 4))\n(compute reduce-sum (access-slice (access A 0) 0 0 3))",
		after:  "(compute reduce-sum (access A 0))", witness: "1 (map (0 4) (w0) (v0))\n",
		code: "certificate-range"},
	{fault: "members of a maximum lose their values where an index is gathered",
		before: "(input C (shape) int8)\n(input A (shape 3 2 3 2))\n" + pooled("1 1 0 1"),
		after:  pooled("0 1 1 1"), witness: "1 (map (-1 1 -1 1) ((+ w0 1) (+ w1 1)) ((+ v0 -1) (+ v1 -1)))\n" +
			"4 (map (0 2 -1 1) (w0 (+ w1 1)) (v0 (+ v1 -1)))\n", code: "certificate-goal"},
	{fault: "a map is injective but not onto",
		before: "(input A (shape 4))\n(compute reduce-sum (access A 0))",
		after:  "(compute reduce-sum (access-slice (access A 0) 0 0 3))", witness: "1 (map (0 3) (w0) (v0))\n",
		code: "certificate-range"},
	{fault: "a map is onto but not injective",
		before:  "(input A (shape 4))\n(compute reduce-sum (access A 0))",
		after:   "(compute reduce-sum (access-slice (access A 0) 0 0 2))",
		witness: "1 (map (0 2) (w0) ((div v0 2)))\n", code: "certificate-inverse"},
	{fault: "a map and its inverse are not composed the other way round",
		before:  "(input A (shape 4))\n(compute reduce-sum (access A 0))",
		after:   "(compute reduce-sum (access A 0))",
		witness: "1 (map (0 8) ((div w0 2)) ((* 2 v0)))\n", code: "certificate-inverse"},
	{fault: "a digit split that does not divide",
		before:  "(input A (shape 7))\n(compute reduce-sum (access A 0))",
		after:   "(compute reduce-sum (access-slice (access A 0) 0 0 6))",
		witness: "1 (map (0 3 0 2) ((+ (* 2 w0) w1)) ((div v0 2) (mod v0 2)))\n", code: "certificate-range"},
	{fault: "digits of the wrong radix",
		before:  "(input A (shape 6))\n(compute reduce-sum (access A 0))",
		after:   "(compute reduce-sum (access-slice (access A 0) 0 0 5))",
		witness: "1 (map (0 2 0 3) ((+ (* 2 w0) w1)) ((div v0 2) (mod v0 2)))\n", code: "certificate-range"},
	{fault: "overlapping windows are merged in a sum as they may be in a maximum",
		before:  "(input A (shape 4))\n(compute reduce-sum (access (access-windows (access A 0) (shape 2) (shape 1)) 0))",
		after:   "(compute reduce-sum (access A 0))",
		witness: "1 (map (0 4) ((min w0 2) (+ w0 (* -1 (min w0 2)))) ((+ v0 v1)))\n", code: "certificate-inverse"},
	{fault: "what divides a product is taken to divide its first factor",
		before: "(input A (shape N 2))\n(assume (divides t N))\n(assume (divides d N))\n" +
			"(access-reshape (access A 0) (access-shape (shape (* 2 N)) (shape)))",
		after: "(access-reshape (access-reshape (access A 0) (access-shape (shape t d (div (div N t) d) 2) " +
			"(shape))) (access-shape (shape (* 2 N)) (shape)))", code: "certificate-statement"},
	{fault: "a sum is taken for a maximum", before: vec + "(compute reduce-max (access A 0))",
		after: "(compute reduce-sum (access A 0))", code: "certificate-goal"},
	{fault: "a maximum over no places is taken for one over some",
		before: "(input A (shape (n 0)))\n(input B (shape))\n" +
			"(compute reduce-max (access (access-broadcast (access-reshape B (access-shape (shape 1) (shape)))" +
			" (access-shape (shape n) (shape))) 0))",
		after: "(access B 0)", code: "certificate-goal"},
	{fault: "an unused variable is dropped from a sum without its count",
		before: "(input B (shape 1))\n(compute reduce-sum (access (access-broadcast (access B 1) " +
			"(access-shape (shape 5) (shape))) 0))",
		after: "(access-squeeze (access B 1) 0)", code: "certificate-goal"},
	{fault: "sums of floats are re-associated", exact: true,
		before: vec + "(relay-operator-call relay-add A (relay-operator-call relay-add A (compute relu (access A 1))))",
		after:  "(relay-operator-call relay-add (relay-operator-call relay-add A A) (compute relu (access A 1)))",
		code:   "certificate-goal"},
	{fault: "saturating sums are re-associated", exact: true,
		before: "(input A (shape 3) sat8)\n(relay-operator-call relay-add A (relay-operator-call relay-add A " +
			"(compute negative (access A 1))))",
		after: "(relay-operator-call relay-add (relay-operator-call relay-add A A) (compute negative (access A 1)))",
		code:  "certificate-goal"},
	{fault: "coefficients of int16 count modulo 2^8", exact: true,
		before: "(input A (shape 3) int16)\n(relay-operator-call relay-left-shift (access A 1) 8)",
		after:  "(relay-operator-call relay-multiply A (relay-operator-call relay-zeros (shape 3)))",
		code:   "certificate-goal"},
	{fault: "min is a negated max where -MIN is MIN", exact: true,
		before: "(input A (shape 3) int8)\n(relay-operator-call relay-minimum A (compute negative (access A 1)))",
		after:  "(compute negative (access (relay-operator-call relay-maximum A (compute negative (access A 1))) 1))",
		code:   "certificate-goal"},
	{fault: "inv(b)·b = 1 for a b that BEFORE does not divide by",
		before: vec + "(relay-operator-call relay-divide (compute relu (access A 1)) (access-literal (literal 1)))",
		after:  "(relay-operator-call relay-multiply (relay-operator-call relay-divide (compute relu (access A 1)) A) A)",
		code:   "certificate-undefined"},
	{fault: "a divisor of AFTER that only other elements of BEFORE have",
		before: "(input A (shape 3))\n(relay-operator-call relay-divide (access-slice (access A 1) 0 0 2) " +
			"(access-slice (access A 1) 0 0 2))",
		after: "(relay-operator-call relay-divide (access-slice (access A 1) 0 1 3) (access-slice (access A 1) 0 1 3))",
		code:  "certificate-undefined"},
	{fault: "sqrt(x)² = x without a root in BEFORE", before: vec + "(access A 1)",
		after: "(relay-operator-call relay-multiply (compute sqrt (access A 1)) (compute sqrt (access A 1)))",
		code:  "certificate-undefined"},
	{fault: "what is divided by over no places counts as divided by",
		before: "(input A (shape (n 0)))\n(input B (shape))\n(compute reduce-sum (access " +
			"(relay-operator-call relay-divide A B) 0))",
		after: "(relay-operator-call relay-add (compute reduce-sum (access (relay-operator-call relay-divide A B) 0)) " +
			"(relay-operator-call relay-multiply (access-literal (literal 0)) " +
			"(relay-operator-call relay-divide (access-literal (literal 1)) B)))",
		code: "certificate-undefined"},
	{fault: "an index that is gathered is taken to lie within its axis",
		before: "(input A (shape 4))\n(input I (shape 2) int32)\n(relay-operator-call relay-zeros (shape 2))",
		after: "(relay-operator-call relay-multiply (relay-operator-call relay-take A I 0) " +
			"(relay-operator-call relay-zeros (shape 2)))",
		code: "certificate-undefined"},
	{fault: "the ring laws hide arithmetic on MIN",
		before: "(input A (shape (n 0)))\n(input B (shape))\n(access B 0)",
		after: "(relay-operator-call relay-add B (relay-operator-call relay-add (compute reduce-max (access A 0)) " +
			"(compute negative (access (compute reduce-max (access A 0)) 0))))",
		code: "certificate-undefined"},
	{fault: "what AFTER needs of sizes is assumed", before: "(input A (shape N))\n(access A 1)",
		after: "(access-concatenate (access-slice (access A 1) 0 0 2) (access-slice (access A 1) 0 2 N) 0)",
		code:  "certificate-statement"},
	{fault: "a size is taken to be divisible", before: "(input A (shape N))\n(access A 1)",
		after: "(access-flatten (access-reshape (access A 1) (access-shape (shape (div N 2) 2) (shape))))",
		code:  "certificate-statement"},
	{fault: "the element type is ignored", before: "(input A (shape 3) int8)\n(access A 1)",
		after: "(relay-operator-call relay-cast (access A 1) int16)", code: "certificate-statement"},
	{fault: "the split is ignored", access: true, before: "(input A (shape 3 2))\n(access A 1)",
		after: "(access A 2)", code: "certificate-statement"},
	{fault: "dims are compared by their product", before: "(input A (shape 3 2))\n(access A 1)",
		after: "(access-reshape (access A 1) (access-shape (shape 2) (shape 3)))", code: "certificate-statement"},
	{fault: "round is the identity", before: vec + "(access A 1)",
		after: "(relay-operator-call relay-round (access A 1))", code: "certificate-goal"},
	{fault: "one order of two members of a maximum is not looked at",
		before:  "(input A (shape 1))\n(input B (shape 1))\n(relay-operator-call relay-maximum A B)",
		after:   "(access A 1)",
		witness: "1 (order 0 0 1)\n", code: "certificate-goal"},
	{fault: "facts add up with a negative coefficient",
		before:  "(input A (shape 1))\n(input B (shape 1))\n(relay-operator-call relay-maximum A B)",
		after:   "(access A 1)",
		witness: "1 (order 0 0 1)\n2 (facts (-1 0) (1 0))\n", code: "certificate-witness"},
	{fault: "facts are not added up",
		before:  "(input A (shape 1))\n(input B (shape 1))\n(relay-operator-call relay-maximum A B)",
		after:   "(access A 1)",
		witness: "1 (order 0 0 1)\n2 (facts (1 0) (1 0))\n", code: "certificate-witness"},
	{fault: "a case is dropped as if its facts were absurd",
		before:  "(input A (shape 1))\n(input B (shape 1))\n(relay-operator-call relay-maximum A B)",
		after:   "(access A 1)",
		witness: "1 (order 0 0 1)\n2 (facts (1 0))\n", code: "certificate-witness"},
	{fault: "a cut that leaves a part out",
		before:  "(input A (shape 3))\n(access A 1)",
		after:   "(access-pad (access-slice (access A 1) 0 0 2) zero-padding 0 0 1)",
		witness: "1 (cut (+ v0 -3))\n", code: "certificate-witness"},
	{fault: "a division by zero in an answer",
		before:  "(input A (shape 4))\n(compute reduce-sum (access A 0))",
		after:   "(compute reduce-sum (access-slice (access A 0) 0 0 3))",
		witness: "1 (map (0 3) (w0) ((div v0 0)))\n", code: "certificate-index"},
	{fault: "a range that depends on what is summed over",
		before:  "(input A (shape 4 4))\n(compute reduce-sum (access A 0))",
		after:   "(compute reduce-sum (access-slice (access A 0) 0 0 3))",
		witness: "1 (map (0 4 0 v0) (w0 w1) (v0 v1))\n", code: "certificate-witness"},
	{fault: "a name that is not in scope",
		before:  "(input A (shape 4))\n(compute reduce-sum (access A 0))",
		after:   "(compute reduce-sum (access-slice (access A 0) 0 0 3))",
		witness: "1 (map (0 3) (u7) (v0))\n", code: "certificate-witness"},
	{fault: "that one component has an element is believed where another is compared",
		before: "(input A (shape (M 0)))\n(input B (shape 2))\n(input C (shape 2))\n" +
			"(construct-tuple (relay-operator-call relay-add A " + maskOfFirst("B") + ") " + maskOfFirst("B") + ")",
		after: "(construct-tuple (relay-operator-call relay-add A " + maskOfFirst("C") + ") " + maskOfFirst("C") + ")",
		code:  "certificate-goal"},
	{fault: "two tensors that differ are cut as one", before: twice("A", "A"), after: twice("B", "B"),
		witness: "cut 4 4\ncut 5 5 0\n", code: "certificate-goal"},
	{fault: "a cut of a part is taken for a cut of another", before: twice("A", "B"), after: twice("A", "B"),
		witness: "cut 4 8\ncut 9 9 0\n", code: "certificate-goal"},
	{fault: "AFTER reads an element of a cut that BEFORE does not, and that may have no value",
		before:  "(input A (shape 2))\n(input B (shape 2))\n(access-slice " + quotient + " 0 0 1)",
		after:   "(relay-operator-call relay-add (access-slice " + quotient + " 0 0 1) (relay-operator-call relay-multiply (access-slice " + quotient + " 0 1 2) (access-literal (literal 0))))",
		witness: "cut 7 7\ncut 9 16 0\n", code: "certificate-undefined"},
	{fault: "a cut holds MIN", before: "(input A (shape 4 (n 0)))\n(compute relu (compute reduce-max (access A 1)))",
		after: "(input A (shape 4 (n 0)))\n(compute relu (relay-operator-call relay-add (compute reduce-max (access A 1)) " +
			"(access-literal (literal 0))))",
		witness: "cut 4 4\ncut 5 9 0\n", code: "certificate-undefined"},
	{fault: "a cut is shown with itself", before: twice("A", "A"), after: twice("B", "B"),
		witness: "cut 4 4 0\ncut 5 5 0\n", code: "certificate-witness"},
	{fault: "a cut is shown with a later one", before: twice("A", "A"), after: twice("B", "B"),
		witness: "cut 4 4 1\ncut 5 5 0\ncut 5 5\n", code: "certificate-witness"},
	{fault: "a subterm of AFTER stands for two of BEFORE", before: twice("A", "B"), after: twice("A", "A"),
		witness: "cut 4 4\ncut 8 4\ncut 9 5 0 1\n", code: "certificate-goal"},
	{fault: "a cut is used twice", before: twice("A", "B"), after: twice("A", "B"),
		witness: "cut 4 4\ncut 9 9 0 0\n", code: "certificate-witness"},
	{fault: "the last cut is not of the programs", before: twice("A", "A"), after: twice("B", "B"),
		witness: "cut 5 5\ncut 4 4\n", code: "certificate-witness"},
	{fault: "a cut of a number", before: twice("A", "A"), after: twice("A", "A"),
		witness: "cut 2 2\ncut 5 5 0\n", code: "certificate-witness"},
	{fault: "a cut of no subterm", before: twice("A", "A"), after: twice("A", "A"),
		witness: "cut 4 99\ncut 5 5 0\n", code: "certificate-witness"},
	{fault: "a cut of tensors of other dims", before: "(input A (shape 2 3))\n(compute relu (access-transpose (access A 2) (list 1 0)))",
		after:   "(input A (shape 2 3))\n(access-transpose (compute relu (access A 2)) (list 1 0))",
		witness: "cut 7 4\ncut 8 8 0\n", code: "certificate-statement"},
	{fault: "a cut of tensors of other types", exact: true,
		before:  "(input A (shape 2) int8)\n(compute relu (relay-operator-call relay-cast (compute relu (access A 1)) int16))",
		after:   "(input A (shape 2) int8)\n(compute relu (relay-operator-call relay-cast (compute relu (access A 1)) int16))",
		witness: "cut 4 6\ncut 7 7 0\n", code: "certificate-witness"},
	{fault: "a split takes nothing apart", before: sized, after: sized, witness: "split \"N\" 1\n", code: "certificate-witness"},
	{fault: "a split of no size", before: sized, after: sized, witness: "split \"M\" 2\n", code: "certificate-witness"},
	{fault: "a split of many values", before: sized, after: sized, witness: "split \"N\" 99\n", code: "certificate-witness"},
	{fault: "a split in another way", before: sized, after: sized, witness: "split \"N\" 02\n", code: "certificate-witness"},
	{fault: "a split behind a cut", before: sized, after: sized, witness: "cut 3 3\nsplit \"N\" 2\n", code: "certificate-witness"},
	{fault: "the values from the end of a split on are left out", before: sized,
		after:   "(input A (shape N))\n(access-slice (access-concatenate (access A 1) (access A 1) 0) 0 (- N 1) (- (* 2 N) 1))",
		witness: "split \"N\" 2\n", code: "certificate-goal"},
	{fault: "the values below the end of a split are left out", before: sized,
		after:   "(input A (shape N))\n(access-slice (access-concatenate (access A 1) (access A 1) 0) 0 (min 1 (- N 2)) (+ N (min 1 (- N 2))))",
		witness: "split \"N\" 4\n", code: "certificate-statement"},
	{fault: "an answer to no goal", before: vec + "(access A 1)", after: "(access A 1)",
		witness: "9 (cut v0)\n", code: "certificate-witness"},
	{fault: "an index is read without its type: 200 is -56 in int8", exact: true,
		before: bytes8 + "(relay-operator-call relay-take X (relay-operator-call relay-maximum " +
			u("200") + " " + u("100") + ") 0)",
		after: "(relay-operator-call relay-take X (relay-operator-call relay-maximum " + s("-56") + " " + s("100") + ") 0)",
		code:  "certificate-goal"},
	{fault: "an index outside its axis in its own type", exact: true,
		before: bytes8 + "(relay-operator-call relay-take X " + u("200") + " 0)",
		after:  "(relay-operator-call relay-take X (relay-operator-call relay-cast " + u("200") + " int8) 0)",
		code:   "certificate-goal"},
	{fault: "an index that a cast has cut off is taken whole", exact: true,
		before: strings.Replace(bytes8, "uint8", "int16", 1) + "(relay-operator-call relay-take X " + u("300") + " 0)",
		after:  "(relay-operator-call relay-take X (relay-operator-call relay-cast " + u("300") + " int8) 0)",
		code:   "certificate-goal"},
	{fault: "a quotient of AFTER has no value in its type, BEFORE's of the same bits has", exact: true,
		before: bytes8 + "(relay-operator-call relay-add S (relay-operator-call relay-multiply S (relay-operator-call " +
			"relay-cast (relay-operator-call relay-multiply (relay-operator-call relay-zeros (shape 1)) " +
			"(relay-operator-call relay-divide " + u("128") + " " + u("255") + ")) int8)))",
		after: "(relay-operator-call relay-add S (relay-operator-call relay-multiply S (relay-operator-call " +
			"relay-multiply (relay-operator-call relay-zeros (shape 1)) (relay-operator-call relay-divide " +
			s("-128") + " " + s("-1") + "))))",
		code: "certificate-undefined"},
	{fault: "a root of AFTER has no value in its type, BEFORE's of the same bits has", exact: true,
		before: bytes8 + "(relay-operator-call relay-add S (relay-operator-call relay-cast (relay-operator-call " +
			"relay-multiply (relay-operator-call relay-zeros (shape 1)) (relay-operator-call relay-sqrt " + u("200") +
			")) int8))",
		after: "(relay-operator-call relay-add S (relay-operator-call relay-multiply (relay-operator-call relay-zeros " +
			"(shape 1)) (relay-operator-call relay-sqrt " + s("-56") + ")))",
		code: "certificate-undefined"},
	{fault: "a literal is out of range in the type of AFTER alone", exact: true,
		before: bytes8 + "(relay-operator-call relay-add S (relay-operator-call relay-multiply (relay-operator-call " +
			"relay-add S (access-literal -1.5)) (relay-operator-call relay-zeros (shape 1))))",
		after: "(relay-operator-call relay-add S (relay-operator-call relay-cast (relay-operator-call relay-multiply " +
			"(relay-operator-call relay-add U (access-literal -1.5)) (relay-operator-call relay-zeros (shape 1))) int8))",
		code: "certificate-undefined"},
	{fault: "a shift that AFTER alone makes has a value",
		before: "(input X (shape 3) int32)\n(input Y (shape 3) int32)\n(access X 1)",
		after: "(relay-operator-call relay-add X (relay-operator-call relay-multiply (access-literal 0) " +
			"(relay-operator-call relay-left-shift (access Y 1) 40)))",
		code: "certificate-undefined"},
	{fault: "a cast that AFTER alone makes has a value",
		before: "(input X (shape 3) int8)\n(input Y (shape 3))\n(access X 1)",
		after: "(relay-operator-call relay-add X (relay-operator-call relay-multiply (access-literal 0) " +
			"(relay-operator-call relay-cast (access Y 1) int8)))",
		code: "certificate-undefined"},
	{fault: "-1 is taken for a sum of facts where 255 is -1", exact: true,
		before:  "(input A (shape 3) int8)\n(access A 1)",
		after:   "(relay-operator-call relay-add A (access-literal 1))",
		witness: "1 (facts (255))\n", code: "certificate-witness"},
	{fault: "a difference of integers that wraps is as large as their order says", exact: true,
		before: "(input A (shape 1) int16)\n(input B (shape 1) int16)\n(input C (shape 1) int8)\n" +
			"(construct-tuple (access C 1) (relay-operator-call relay-relu (relay-operator-call relay-add A " +
			"(relay-operator-call relay-negative B))))",
		after: "(construct-tuple (access C 1) (relay-operator-call relay-add (relay-operator-call relay-maximum A B) " +
			"(relay-operator-call relay-negative B)))",
		witness: "1 (order 0 0 1)\n2 (order 0 0 1)\n3 (facts (1 0 0) (0 1 0))\n4 (order 0 0 1)\n5 (facts (1 0 0) (0 1 0))\n",
		code:    "certificate-witness"},
	{fault: "what equality by cases of an order leaves out is taken to be defined",
		before: "(input A (shape 1))\n(input B (shape 1))\n(input C (shape 1))\n(relay-operator-call relay-add " +
			"(relay-operator-call relay-maximum A B) (relay-operator-call relay-minimum A B))",
		after: "(relay-operator-call relay-add A (relay-operator-call relay-multiply B " +
			"(relay-operator-call relay-divide C C)))",
		witness: "1 (order 0 0 1)\n2 (order 0 0 1)\n3 (facts (1 0 0) (0 1 0))\n4 (order 0 0 1)\n5 (facts (1 0 0) (0 1 0))\n",
		code:    "certificate-undefined"},
	{fault: "a sum that is opened twice has the same variables",
		before: "(input A (shape 5 3))\n(compute reduce-sum (access (relay-operator-call relay-multiply " +
			"(relay-operator-call relay-maximum (compute reduce-sum (access A 1)) (compute reduce-sum (access A 1))) " +
			"(relay-operator-call relay-erf (compute reduce-sum (access A 1)))) 0))",
		after: "(compute reduce-sum (access (relay-operator-call relay-multiply A (relay-operator-call relay-erf " +
			"(relay-operator-call relay-multiply A (access-literal (literal 3))))) 0))",
		code: "certificate-goal"},
	{fault: "the name of a size is taken for a product of two", before: masked + maskedAt("(* A B C)"),
		after: maskedAt("(* A \"B  C\")"), code: "certificate-goal"},
	{fault: "1 changes nothing in a type that has no 1", exact: true, before: "(input A (shape 2) fix1.7)\n(access A 1)",
		after: "(relay-operator-call relay-multiply A (access-literal 1))", code: "certificate-goal"},
	{fault: "a size has the name of a slack",
		before: "(input Y (shape N))\n(input X (shape \"N \"))\n(assume (<= 5 N))\n(access Y 1)",
		after:  "(access-concatenate (access-slice (access Y 1) 0 0 \"N \") (access-slice (access Y 1) 0 \"N \" N) 0)",
		code:   "certificate-statement"},
	{fault: "a size has the name of a quotient",
		before: "(input Y (shape N))\n(input X (shape \"N / 16\"))\n(assume (divides 16 N))\n(access X 1)",
		after:  "(access (access-reshape X (access-shape (shape (div N 16)) (shape))) 1)",
		code:   "certificate-statement"},
}

// twice applies relu to x and to y and adds the results: subterms 4, 8 and 9, or 4 and 5 where x is y.
func twice(x, y string) string {
	relu := func(x string) string { return "(compute relu (access " + x + " 1))" }
	return "(input A (shape 3))\n(input B (shape 3))\n(relay-operator-call relay-add " + relu(x) + " " + relu(y) + ")"
}

// sized is a vector of a named number of elements.
const sized = "(input A (shape N))\n(access A 1)"

const quotient = "(relay-operator-call relay-divide (access A 1) (access B 1))"

// TestCuts has cuts accepted that are right: of AFTER several subterms may stand for one of BEFORE.
func TestCuts(t *testing.T) {
	for _, c := range []struct{ before, after, witness string }{
		{twice("A", "B"), twice("A", "B"), "cut 4 4\ncut 8 8\ncut 9 9 0 1\n"},
		{twice("A", "B"), twice("B", "A"), "cut 4 8\ncut 8 4\ncut 9 9 0 1\n"},
		{twice("A", "A"), "(relay-operator-call relay-add (compute relu (access A 1)) (compute relu " +
			"(relay-operator-call relay-maximum A A)))", "cut 4 4\ncut 4 6\ncut 5 7 0 1\n"},
		{sized, sized, "split \"N\" 3\n"},
	} {
		s := proofs.Statement{Before: c.before, After: c.after}
		if _, err := languages.Checker.Check("c", proofs.Format([]proofs.Pair{{Statement: s, Witness: c.witness}})); err != nil {
			t.Errorf("%s: %v", c.witness, err)
		}
	}
}

// maskOfFirst is the unknown mask of the first element of A, or of x where A has none.
func maskOfFirst(x string) string {
	return "(tuple-get-item (relay-operator-call relay-dropout (access-slice (access-concatenate (access A 1) (access " +
		x + " 1) 0) 0 0 1) 0.5) 1)"
}

// masked declares a vector and a size whose name reads like two others.
const masked = "(input X (shape P))\n(input Y (shape A B C \"B  C\"))\n" +
	"(assume (<= (+ (* A B C) 5) P))\n(assume (<= (+ (* A \"B  C\") 5) P))\n"

// maskedAt is the unknown mask of five elements of the vector.
func maskedAt(from string) string {
	return "(tuple-get-item (relay-operator-call relay-dropout (access-slice (access X 1) 0 " + from + " (+ " + from +
		" 5)) 0.5) 1)"
}

// bytes8 declares two one-element tensors of whose bits u and s make the same, and the table that they index.
const bytes8 = "(input X (shape 512) int8)\n(input U (shape 1) uint8)\n(input S (shape 1) int8)\n"

// u and s spell a number as an element of the type of U or S.
func u(number string) string {
	return "(relay-operator-call relay-add (relay-operator-call relay-multiply U " +
		"(access-literal 0.0)) (access-literal " + number + ".0))"
}

func s(number string) string {
	return "(relay-operator-call relay-add (relay-operator-call relay-multiply S " +
		"(access-literal 0)) (access-literal " + number + "))"
}

func TestPlanted(t *testing.T) {
	if len(planted) < 20 {
		t.Fatal("too few faults")
	}
	for _, p := range planted {
		st := proofs.Statement{Arith: domain.ArithOf(p.exact), Access: p.access, Before: p.before, After: p.after}
		if p.loops {
			st.Languages, st.Functions, st.Bound = [2]string{"c", "c"}, [2]string{"f", "f"}, true
			st.Names = map[string]string{"w": "w", "x": "x", "y": "y"}
		}
		_, err := languages.Checker.Check("c", proofs.Format([]proofs.Pair{{Statement: st, Witness: p.witness}}))
		if err == nil {
			t.Errorf("%s: accepted", p.fault)
			continue
		}
		e := source.AsErrors(err)[0]
		if e.Code != p.code {
			t.Errorf("%s: %v, want %s", p.fault, err, p.code)
		}
		if strings.Contains(e.Msg, "unknown-") || strings.Contains(e.Msg, "parse") {
			t.Errorf("%s: the programs are at fault: %v", p.fault, err)
		}
	}
}
