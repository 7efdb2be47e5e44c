package glenside

import (
	"fmt"
	"strings"
	"testing"

	"tv/internal/source"
)

// checked types a program and prints the type of the result with the conditions, or the errors.
func checked(text string) string {
	p, err := Parse(source.NewFile("p", text))
	if err != nil {
		return err.Error()
	}
	ty, err := Check(p, nil)
	if err != nil {
		return err.Error()
	}
	return ty.Root().String() + condText(ty.Conds)
}

func condText(conds []Cond) string {
	var b strings.Builder
	for _, c := range conds {
		fmt.Fprintf(&b, " if %s", c.Pred)
	}
	return b.String()
}

const testInputs = "(input A (shape 2 3)) (input B (shape 2 3)) (input V (shape 3)) (input N3 (shape 4 " +
	"N)) (input NM (shape N M))" +
	" (input I (shape 2 3) int8) (input X (shape 1 2 8 8)) (input W (shape 4 2 3 3)) (input XS (shape 1 " +
	"C H H))" +
	" (input Z (shape (Z0 0) 4))\n"

func TestCheck(t *testing.T) {
	for _, test := range []struct{ expr, want string }{
		// Splits.
		{"A", "((2 3) ()) float32"},
		{"(access A 0)", "(() (2 3)) float32"},
		{"(access I 2)", "((2 3) ()) int8"},
		{"(access A 3)", "p:2:11: split of access is at most 2, the rank of its operand, got 3 [bad-axis]"},
		{"(access A N)", "p:2:11: split of access must be a number, not N [symbolic-axis]"},
		{"(access A 99999999999999999999)", "p:2:11: split of access is 99999999999999999999, beyond 2^63 [too-large]"},
		{"(access-shift-right (access A 0))", "(() (2 3)) float32"},
		{"(access-flatten (access A 0))", "(() (6)) float32"},
		{"(access-flatten (access A 2))", "((6) ()) float32"},
		{"(access-flatten (access-literal 1))", "(() ()) float32"},
		{"(access-flatten NM)", "(((* M N)) ()) float32"},
		{"(access-insert-axis (access A 1) 1)", "((2 1) (3)) float32"},
		{"(access-insert-axis (access A 1) 2)", "((2) (3 1)) float32"},
		{"(access-squeeze (access-insert-axis (access A 1) 2) 2)", "((2) (3)) float32"},
		{"(access-squeeze NM 0)", "((M) ()) float32 if (= N 1)"},
		{"(access-squeeze (access-reshape A (access-shape (shape 2) (shape 3))) 1)",
			"p:2:71: axis 1 has size 3, not 1 [not-one]"},

		// Permutations.
		{"(access-transpose (access A 1) (list 1 0))", "((3) (2)) float32"},
		{"(transpose A (list 1 1))", "p:2:14: (list 1 1) is not a permutation of the axes 0 to 1 " +
			"[not-a-permutation]"},
		{"(transpose A (list 1 2))", "p:2:14: (list 1 2) is not a permutation of the axes 0 to 1 " +
			"[not-a-permutation]"},
		{"(transpose A (list 0))", "p:2:14: access-transpose lists 1 of 2 axes [not-a-permutation]"},
		{"(transpose A (list 0 N))", "p:2:14: the axes of access-transpose must be numbers, not N " +
			"[symbolic-axis]"},
		{"(access-transpose (access-literal 1) (list))", "(() ()) float32"},

		// Pairs of operands.
		{"(access-cartesian-product (access A 1) (access B 1))", "((2 2) (2 3)) float32"},
		{"(cartProd (access N3 1) (access A 1))", "((4 2) (2 N)) float32 if (= N 3)"},
		{"(cartProd (access A 0) (access V 0))", "p:2:1: the operands of access-cartesian-product have " +
			"one item shape, " +
			"got (() (2 3)) and (() (3)) [shape-mismatch]"},
		{"(access-pair (access A 1) (access B 2))",
			"p:2:27: the operands of access-pair have one shape, got ((2) (3)) " +
				"and ((2 3) ()) [shape-mismatch]"},
		{"(access-pair A I)", "p:2:16: the operands of access-pair have one element type, got float32 " +
			"(operand 1) and int8 " +
			"(operand 2); relay-cast converts [elem-mismatch]"},
		{"(access-concatenate N3 NM 0)", "(((+ N 4) N) ()) float32 if (= N M)"},
		{"(access-concatenate A (access B 1) 0)", "p:2:1: the operands of access-concatenate are split " +
			"alike, got ((2 3) ()) " +
			"and ((2) (3)) [shape-mismatch]"},

		// Windows.
		{"(access-windows (access A 0) (shape 2 2) (shape 1 1))", "((1 2) (2 2)) float32"},
		{"(access-windows (access A 1) (shape 2) (shape 5))", "((2 1) (2)) float32"},
		{"(access-windows (access A 2) (shape) (shape))", "((2 3) ()) float32"},
		{"(access-windows (access A 1) (shape 4) (shape 1))",
			"p:2:30: window 4 is longer than axis 1 (3) [window-too-long]"},
		{"(access-windows (access A 1) (shape 0) (shape 1))",
			"p:2:30: a window must be at least 1, got 0 [zero-size]"},
		{"(access-windows (access A 1) (shape 1) (shape 0))",
			"p:2:30: a stride must be at least 1, got 0 [zero-size]"},
		{"(access-windows (access A 1) (shape 1 1) (shape 1))",
			"p:2:30: window of access-windows has 1 entry, got 2 [rank-mismatch]"},
		{"(access-windows (access N3 1) (shape 3) (shape 2))",
			"((4 (- (div (+ N 1) 2) 1)) (3)) float32 if (<= 3 N)"},
		{"(access-windows (access N3 1) (shape K) (shape S))",
			"((4 (+ (div (- N K) S) 1)) (K)) float32 if (<= K N)"},

		// Slices and padding.
		{"(access-slice A 1 1 3)", "((2 2) ()) float32"},
		{"(access-slice A 1 2 2)", "((2 0) ()) float32"},
		{"(access-slice A 1 3 3)", "p:2:19: the slice starts at 3, after the last of axis 1 (3) " +
			"[slice-bounds]"},
		{"(access-slice A 1 2 1)", "p:2:21: the slice ends at 1, before its start at 2 [slice-bounds]"},
		{"(access-slice A 1 0 4)", "p:2:21: the slice ends at 4, after the end of axis 1 (3) [slice-bounds]"},
		{"(access-slice N3 1 K N)", "((4 (- N K)) ()) float32 if (<= K N) if (< K N)"},
		{"(access-slice N3 1 0 N)", "((4 N) ()) float32"},
		{"(access-slice Z 0 0 Z0)", "((Z0 4) ()) float32 if (< 0 Z0)"},
		{"(access-slice N3 1 (- K 2) N)", "((4 (- (+ N 2) K)) ()) float32 if (<= 0 (- K 2)) if (<= (- K " +
			"2) N) if (< (- K 2) N)"},
		{"(access-pad A min-padding 0 0 2)", "((4 3) ()) float32"},
		{"(access-pad NM zero-padding 0 K 1)", "(((+ K N 1) M) ()) float32"},

		// Reshapes and broadcasts.
		{"(access-reshape A (access-shape (shape) (shape 6)))", "(() (6)) float32"},
		{"(access-reshape A (access-shape (shape 5) (shape)))",
			"p:2:19: access-reshape keeps the number of elements, got 6 and 5 " +
				"[count-mismatch]"},
		{"(access-reshape NM (access-shape (shape M) (shape N)))", "((M) (N)) float32"},
		{"(access-reshape NM (access-shape (shape (div (* N M) 4)) (shape 4)))",
			"(((div (* M N) 4)) (4)) float32 if (= (* M N) (* 4 (div (* M N) 4)))"},
		{"(access-reshape A (get-access-shape (access B 1)))", "((2) (3)) float32"},
		{"(access-reshape A (access B 1))", "((2) (3)) float32"},
		{"(access-broadcast (access-insert-axis V 0) (get-access-shape A))", "((2 3) ()) float32"},
		{"(access-broadcast V (get-access-shape A))",
			"p:2:21: access-broadcast keeps the rank, got ((3) ()) and ((2 3) ()) [rank-mismatch]"},
		{"(access-broadcast NM (access-shape (shape 4 5) (shape)))",
			"((4 5) ()) float32 if (or (= N 4) (= N 1)) if (or (= M 5) (= M 1))"},

		// Shapes.
		{"(access-reshape A (access-shape (slice-shape (shape-of B) 2) (shape-of B)))", "(() (2 3)) float32"},
		{"(access-reshape V (access-shape (shape-insert-axis (shape-of V) 1) (shape)))",
			"((3 1) ()) float32"},
		{"(access-reshape V (access-shape (shape-remove-axis (shape 3 7) 1) (shape)))", "((3) ()) float32"},

		// Compute.
		{"(compute dot-product (access A 0))", "(() ()) float32"},
		{"(compute dot-product A)", "p:2:22: dot-product takes items with at least one axis, got ((2 3) " +
			"()) [rank-mismatch]"},
		{"(compute reduce-sum A)", "((2 3) ()) float32"},
		{"(compute elementwise-add (access A 0))", "(() (3)) float32"},
		{"(compute elementwise-div (access (access-slice A 1 0 0) 1))",
			"p:2:26: the number of operands of elementwise-div must be at least 1, got 0 [zero-size]"},
		{"(compute elementwise-div (access Z 0))", "(() (4)) float32 if (<= 1 Z0)"},
		{"(compute softmax (access A 0))", "p:2:18: softmax takes items of one axis, got (() (2 3)) " +
			"[rank-mismatch]"},

		// Hardware.
		{"(systolic-array 2 3 (access-reshape A (access-shape (shape 3) (shape 2))) (access B 0))",
			"((3 3) ()) float32"},
		{"(systolic-array 3 2 (access V 0) (access (transpose A (list 1 0)) 0))", "((2) ()) float32"},
		{"(systolic-array 3 3 (access A 1) (access B 0))",
			"p:2:34: the items of x are as long as the columns of w, got 3 and 2 [shape-mismatch]"},
		{"(systolic-array R 2 (access V 0) (access (transpose A (list 1 0)) 0))",
			"((2) ()) float32 if (= R 3)"},
		{"(systolic-array-with-blocking 2 2 (access V 0) (access (transpose A (list 1 0)) 0))",
			"p:2:48: the rows of the array (2) must divide those of the weights (3) [not-divisible]"},
		{"(systolic-array-with-blocking R 2 (access (access N3 1) 1) (access (transpose N3 (list 1 0)) 0))",
			"((4 4) ()) float32 if (divides R N)"},

		// Relay.
		{"(relay-operator-call relay-add A V)", "((2 3) ()) float32"},
		{"(relay-operator-call relay-mul (access-insert-axis V 1) A)",
			"p:2:57: the operands of relay-multiply do not broadcast: " +
				"axis -2 is 3 and 2 [shape-mismatch]"},
		{"(relay-operator-call relay-add NM V)", "((N 3) ()) float32 if (or (= M 3) (= M 1))"},
		{"(relay-operator-call relay-add NM (access-slice V 0 0 1))", "((N M) ()) float32"},
		{"(relay-operator-call relay-add NM XS)", "((1 C (max H N) (max H M)) ()) float32 if (or (= H " +
			"N) (= H 1) (= N 1)) " +
			"if (or (= H M) (= H 1) (= M 1))"},
		{"(relay-operator-call relay-add NM Z)", "(((min (max N Z0) (* N Z0)) 4) ()) float32 if (or (= " +
			"N Z0) (= N 1) (= Z0 1)) " +
			"if (or (= M 4) (= M 1))"},
		{"(relay-operator-call relay-softmax A -3)",
			"p:2:38: there is no axis -3: the operand has 2 axes [bad-axis]"},
		{"(relay-operator-call relay-batch-norm-inference A V V V A 1 0.1)",
			"p:2:57: variance of relay-batch-norm-inference has rank 1, got ((2 3) ()) [rank-mismatch]"},
		{"(relay-operator-call relay-bias-add A V -2)",
			"p:2:39: bias of relay-bias-add has the wrong length, got 2 and 3 [shape-mismatch]"},
		{"(relay-operator-call relay-bias-add NM V 1)", "((N M) ()) float32 if (= M 3)"},
		{"(relay-operator-call relay-dropout A 0.5)", "(tuple ((2 3) ()) float32 ((2 3) ()) float32)"},
		{"(relay-operator-call relay-conv2d X W (shape 2 2) (shape 0 1 2 3) 1 0 (shape 2 3 3) " +
			"relay-activation-layout-nchw relay-kernel-layout-oihw)", "((1 4 4 5) ()) float32"},
		{"(relay-operator-call relay-conv2d XS (relay-operator-call relay-zeros (shape 2 1 3 3)) (shape " +
			"1 1) (shape 1 1 1 1) 2 2 " +
			"(shape 1 3 3) relay-activation-layout-nchw relay-kernel-layout-oihw)",
			"((1 2 H H) ()) float32 if (= 2 C)"},
		{"(relay-operator-call relay-conv2d X (access-transpose W (list 2 3 1 0)) (shape 1 1) (shape 0 " +
			"0 0 0) 1 0 " +
			"(shape 2 3 3) relay-activation-layout-nchw relay-kernel-layout-hwio)", "((1 4 6 6) ()) float32"},
		{"(relay-operator-call relay-avg-pool2d (access XS 2) (shape 3 2) (shape 2 2) (shape 0 0 0 0) " +
			"relay-activation-layout-nhwc)", "((1 (- (div (+ C 1) 2) 1)) ((div H 2) H)) float32 if (<= " +
			"3 C) if (<= 2 H)"},
		{"(relay-operator-call relay-upsampling X 1.5 2 relay-activation-layout-nchw)",
			"((1 2 12 16) ()) float32"},
		{"(relay-operator-call relay-upsampling XS 1.5 2 relay-activation-layout-nchw)",
			"((1 C (+ H (div H 2)) (* 2 H)) ()) float32 if (divides 2 (* 3 H))"},
		{"(relay-operator-call relay-upsampling (access X 1) 1 1 relay-activation-layout-nchw)",
			"p:2:39: all dims of x are access dims, got ((1) (2 8 8)) [split-mismatch]"},
		{"(relay-operator-call relay-upsampling X 0 1 relay-activation-layout-nchw)",
			"p:2:41: a scale is a positive decimal number, got 0 [bad-scale]"},
		{"(relay-operator-call relay-squeeze (access-insert-axis A 1) (list 1))", "((2 3) ()) float32"},
		{"(relay-operator-call relay-expand-dims (access A 1) 1 1)", "((2) (1 3)) float32"},
		{"(relay-operator-call relay-expand-dims (access A 1) -3 2)", "((1 1 2) (3)) float32"},
		{"(relay-operator-call relay-expand-dims (access A 1) 3 1)",
			"p:2:53: there is no axis 3: the operand has 3 axes [bad-axis]"},
		{"(relay-operator-call relay-concatenate 1 (construct-tuple A (access B 1) A))",
			"((2 9) ()) float32"},
		{"(relay-operator-call relay-concatenate 1 (construct-tuple))",
			"p:2:42: relay-concatenate takes at least one tensor [wrong-operand]"},
		{"(relay-operator-call relay-concatenate 1 (construct-tuple A I))",
			"p:2:42: the tensors to concatenate have one element type, got float32 and int8 [elem-mismatch]"},
		{"(relay-operator-call relay-stack A B A -1)", "((2 3 3) ()) float32"},
		{"(relay-operator-call relay-stack A V 0)",
			"p:2:36: the operands of relay-stack have one shape, got ((2 3) ()) and ((3) ()) " +
				"[shape-mismatch]"},
		{"(relay-operator-call relay-stack 0)", "p:2:34: x of relay-stack is an access pattern, not the " +
			"number 0 [wrong-operand]"},
		{"(relay-operator-call relay-split X 4 2)",
			"(tuple (() (1 2 2 8)) float32 (() (1 2 2 8)) float32 (() (1 2 2 8)) float32 " +
				"(() (1 2 2 8)) float32)"},
		{"(relay-operator-call relay-split V (list 1 1) 0)",
			"(tuple (() (1)) float32 (() (0)) float32 (() (2)) float32)"},
		{"(relay-operator-call relay-split V (list 2 1) 0)",
			"p:2:36: relay-split cuts at 1 after 2 [slice-bounds]"},
		{"(relay-operator-call relay-split NM 2 0)",
			"(tuple (() ((div N 2) M)) float32 (() ((div N 2) M)) float32) if (divides 2 N)"},
		{"(relay-operator-call relay-strided-slice A (shape 0 1) (shape 2 2) (shape 1 1))",
			"((2 1) ()) float32"},
		{"(relay-operator-call relay-take A I 1)", "((2 2 3) ()) float32"},
		{"(relay-operator-call relay-mean (access A 1) 1)", "(() (2)) float32"},
		{"(relay-operator-call relay-pad (access A 1) (shape 0 0 1 2))", "((2) (6)) float32"},
		{"(relay-operator-call relay-batch-flatten X)", "((1 128) ()) float32"},

		// Accelerators.
		{"(accelerator-call flex-attention N3 (access-slice V 0 0 N))",
			"p:2:34: 16 (16) must divide the number of timesteps (4) [not-divisible]"},
		{"(accelerator-call flex-layernorm A V V)", "((2 3) ()) float32"},
		{"(accelerator-call flex-layernorm A V (access V 0))",
			"p:2:38: all dims of beta of flex-layernorm are access dims, got (() (3)) [split-mismatch]"},
		{"(accelerator-call flex-linear A B V)", "p:2:35: bias of flex-linear has the wrong length, got " +
			"2 and 3 [shape-mismatch]"},
		{"(accelerator-call flex-maxpool (access N3 0))", "(() (2 N)) float32 if (divides 16 N)"},
		{"(accelerator-call hlscnn-conv2d X W (shape 1 2 2) (shape 0 0 0 0) 1 0 (shape 2 3 3) " +
			"relay-activation-layout-nchw relay-kernel-layout-oihw)", "((1 4 3 3) ()) float32"},
		{"(accelerator-call vta-dense A I)", "((2 2) ()) float32"},

		// Element types of literals.
		{"(relay-operator-call relay-add I (access-literal 2))", "((2 3) ()) int8"},
		{"(access-literal (literal 2.5))", "(() ()) float32"},
		{"(relay-operator-call relay-cast (access-literal 2) int8)", "(() ()) int8"},
		{"(construct-tuple I (access-literal 1))", "(tuple ((2 3) ()) int8 (() ()) float32)"},

		// Sizes are exact, and bounded.
		{"(access-pad A zero-padding 0 9223372036854775807 9223372036854775807)",
			"((18446744073709551616 3) ()) float32"},
		{"(access-reshape (access-slice A 0 0 0) (access-shape (shape 0 4611686018427387904 16) (shape)))",
			"((0 4611686018427387904 16) ()) float32"},
		{"(access-slice A 0 0 (div N K))", "(((div N K) 3) ()) float32 if (<= (div N K) 2)"},
		{"(access-slice A 0 0 (div 1 (- N 1)))",
			"(((div 1 (- N 1)) 3) ()) float32 if (<= 1 (- N 1)) if (<= (div 1 (- N 1)) 2)"},
		{"(access-slice A 0 0 (- (div N (- K 1)) (div N (- K 1))))", "((0 3) ()) float32 if (<= 1 (- K 1))"},
	} {
		if got := checked(testInputs + test.expr); got != test.want {
			t.Errorf("Check(%s)\n got %s\nwant %s", test.expr, got, test.want)
		}
	}
}

func TestCheckReportsAllIndependentErrors(t *testing.T) {
	got := checked("(input A (shape 2))\n(construct-tuple (access B 0) (access A 5) (access (access C 9) 9))")
	want := "p:2:26: tensor B is not declared; add (input B (shape DIM...)) or --input B=DIMxDIM... " +
		"[missing-input]\n" +
		"p:2:41: split of access is at most 1, the rank of its operand, got 5 [bad-axis]\n" +
		"p:2:60: tensor C is not declared; add (input C (shape DIM...)) or --input C=DIMxDIM... " +
		"[missing-input]"
	if got != want {
		t.Errorf("Check gives\n%s\nwant\n%s", got, want)
	}
}

// Squaring a size at every level must end in an error, not in exhausted memory.
func TestCheckBoundsSizes(t *testing.T) {
	for _, test := range []struct{ dim, x string }{
		{"10", "A"},
		{"N", "A"},
		{"N", "(access-pad A zero-padding 0 1 0)"},
		{"N", "(access-pad A zero-padding 0 M (div N 3))"},
	} {
		x := test.x
		for range 14 {
			x = "(access-flatten (compute reduce-sum (access-cartesian-product " + x + " " + x + ")))"
			if test.x != "A" {
				x = "(access-pad " + x + " zero-padding 0 1 0)"
			}
		}
		p := mustParse(t, "(input A (shape "+test.dim+"))\n"+x)
		_, err := Check(p, nil)
		if errs := source.AsErrors(err); len(errs) == 0 || errs[0].Code != "too-large" {
			t.Errorf("Check of 2^14 factors %s of size %s: %.200v, want too-large", test.x, test.dim, err)
		}
	}
}

func TestTensorsInOrder(t *testing.T) {
	p := mustParse(t, "(input A (shape 2)) (input B (shape 2)) (input C (shape 2))\n(access-pair C A)")
	ty, err := Check(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tensor := range ty.Tensors {
		names = append(names, tensor.Name)
	}
	if got := strings.Join(names, " "); got != "C A" {
		t.Errorf("tensors read: %s, want C A", got)
	}
}

// A literal takes the element type of its use, through whatever only moves elements.
func TestLiteralTypes(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"(relay-operator-call relay-add I (access-broadcast (access-insert-axis (access-literal 2) 0) " +
			"(access-shape (shape 3) (shape))))",
			"int8"},
		{"(relay-operator-call relay-add I (relay-operator-call relay-zeros (shape 3)))", "int8"},
		{"(access-pair I (constant-tensor 1 (shape 2 3)))", "int8"},
		{"(relay-operator-call relay-add I (tuple-get-item (construct-tuple A (access-literal 2)) 1))",
			"int8"},
		{"(relay-operator-call relay-concatenate 0 (construct-tuple (relay-operator-call relay-zeros " +
			"(shape 1 3)) I))", "int8"},
		{"(relay-operator-call relay-take I (access-literal 1) 0)", "int32"},
		{"(access-pair (access-reshape (access-slice (access-slice I 0 0 1) 1 0 1) (get-access-shape " +
			"(access-literal 1))) " +
			"(access-literal 1))", "int8"},
		{"(relay-operator-call relay-cast (access-literal 1) int8)", "float32"},
		{"(tuple-get-item (relay-operator-call relay-dropout (access-literal 1) 0.5) 0)", "float32"},
		{"(access-broadcast I (access-insert-axis (access-insert-axis (access-literal 1) 0) 0))", "p:2:21"},
		{"(construct-tuple (relay-operator-call relay-add I (access-literal 1)) (access-insert-axis " +
			"(access-literal 1) 0))", "p:2:51"},
	} {
		p := mustParse(t, testInputs+test.text)
		ty, err := Check(p, nil)
		got := ""
		if err != nil {
			got = source.AsErrors(err)[0].Position().String()
		} else {
			for _, n := range p.Nodes {
				if n.Op != nil && (n.Op.Name == "access-literal" || n.Op.Name == "relay-zeros" ||
					n.Op.Name == "constant-tensor") {
					got = ty.Type(n).Elem.String()
				}
			}
		}
		if got != test.want {
			t.Errorf("the literal of %s is %s, want %s", test.text, got, test.want)
		}
	}
}
