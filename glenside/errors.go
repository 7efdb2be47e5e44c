package glenside

import (
	"slices"

	"tv/internal/source"
)

// A CodeInfo documents an error code.
type CodeInfo struct {
	Code    string
	Meaning string // one line
	Program string // a small program that triggers it, by itself or with what follows
	After   string // a program compared with it
	Shapes  string // a shapes file
	Input   string // a value of --input
}

// Codes returns the codes of the errors of this package, in alphabetical order. A test runs the examples.
func Codes() []CodeInfo { return codes }

// Unsupported reports whether an error of Parse or Check is about what this package supports: a name where a number is
// needed, a size that nests too deeply or grows too large. Then some points may still have a well formed program, where
// all other errors of Check say that none has.
func Unsupported(err error) bool {
	return slices.ContainsFunc(source.AsErrors(err), func(e *source.Error) bool {
		return e.Code == "symbolic-axis" || e.Code == "too-deep" || e.Code == "too-large"
	})
}

var codes = []CodeInfo{
	{
		Code: "ambiguous-literal", Meaning: "a literal takes its element type from its use, and two " +
			"uses of what is spelt alike differ",
		Program: "(input A (shape 2) int8)\n(input B (shape 2))\n(construct-tuple\n" +
			"  (relay-operator-call relay-add A (access-literal 1))\n" +
			"  (relay-operator-call relay-add B (access-literal 1)))",
	},
	{
		Code: "assume-in-after", Meaning: "only the program before may assume something of sizes",
		Program: "(input A (shape N))\n(access A 1)",
		After:   "(assume (<= 2 N))\n(access A 1)",
	},
	{
		Code: "bad-axis", Meaning: "an axis that the operand does not have",
		Program: "(input A (shape 2 3))\n(access-slice A 2 0 1)",
	},
	{
		Code: "bad-character", Meaning: "a word is empty, holds a control character or is not UTF-8",
		Program: "(access-tensor \x01)",
	},
	{
		Code: "bad-condition", Meaning: "an assume holds something that is no condition on sizes",
		Program: "(assume (> N 2))\n(access A 1)",
	},
	{
		Code: "bad-declaration", Meaning: "a declaration is (input NAME (shape DIM...) [TYPE]) with " +
			"dims 3, N or (N 0)",
		Program: "(input A (2 3))\n(access A 1)",
	},
	{
		Code: "bad-definition", Meaning: "a definition is (define NAME EXPR) with one expression",
		Program: "(define H)\n(access A 1)",
	},
	{
		Code: "bad-divisor", Meaning: "a size is divided by something that is not positive",
		Program: "(input A (shape 2))\n(access-slice A 0 0 (div 2 0))",
	},
	{
		Code: "bad-groups", Meaning: "a convolution with groups that are not supported",
		Program: "(input X (shape 1 2 5 5))\n(input W (shape 2 1 3 3))\n" +
			"(relay-operator-call relay-conv2d X W (shape 1 1)\n" +
			"  (shape 0 0 0 0) 3 0 (shape 1 3 3) relay-activation-layout-nchw relay-kernel-layout-oihw)",
	},
	{
		Code: "bad-index", Meaning: "a component that the tuple does not have",
		Program: "(input A (shape 2))\n(tuple-get-item (construct-tuple A A) 2)",
	},
	{
		Code: "bad-input", Meaning: "a value of --input that is not NAME=32x32:int8, or NAME=N*K:int8",
		Program: "(access A 1)", Input: "A=2*",
	},
	{
		Code: "bad-scale", Meaning: "a factor of relay-upsampling that does not make integers of the sizes",
		Program: "(input X (shape 1 1 3 3))\n" +
			"(relay-operator-call relay-upsampling X 1.5 1 relay-activation-layout-nchw)",
	},
	{
		Code: "bad-sections", Meaning: "relay-split into no parts, or into too many",
		Program: "(input A (shape 2 6))\n(tuple-get-item (relay-operator-call relay-split A 0 1) 0)",
	},
	{
		Code:    "bad-shapes",
		Meaning: `a shapes file that is not of the form {"A":[32,"N"],"B":{"shape":[32],"type":"int8"}}`,
		Program: "(access A 1)", Shapes: `{"A":[2,-3]}`,
	},
	{
		Code: "bad-size", Meaning: "a size expression that is not one of + - * div mod max min over " +
			"numbers and names",
		Program: "(input A (shape 2))\n(access-slice A 0 0 (div 2))",
	},
	{
		Code: "bad-stride", Meaning: "a stride other than 1 where only 1 is supported",
		Program: "(input A (shape 6))\n" +
			"(relay-operator-call relay-strided-slice A (shape 0) (shape 6) (shape 2))",
	},
	{
		Code: "count-mismatch", Meaning: "a reshape to a shape with another number of elements",
		Program: "(input A (shape 2 3))\n(access-reshape A (access-shape (shape 2) (shape 2)))",
	},
	{
		Code: "cyclic-definition", Meaning: "what a definition stands for uses its name, or that of one that does",
		Program: "(input A (shape 2))\n(define G (compute relu H))\n(define H (compute negative G))\nH",
	},
	{
		Code: "duplicate-input", Meaning: "a tensor is declared twice in one place",
		Program: "(input A (shape 2))\n(input A (shape 2))\n(access A 1)",
	},
	{
		Code: "elem-mismatch", Meaning: "the operands of an operator have different element types",
		Program: "(input A (shape 2) int8)\n(input B (shape 2) int16)\n(relay-operator-call relay-add A B)",
	},
	{
		Code: "empty-list", Meaning: "() is no expression",
		Program: "(access () 1)",
	},
	{
		Code: "head-is-list", Meaning: "a list begins with a list; it has to begin with the name of an " +
			"operator",
		Program: "((access A 1))",
	},
	{
		Code: "input-conflict", Meaning: "two declarations of a tensor differ, or only the program " +
			"after declares it",
		Program: "(input A (shape 2))\n(access A 1)",
		After:   "(input A (shape 3))\n(access A 1)",
	},
	{
		Code: "missing-input", Meaning: "the program reads a tensor that is not declared, though others are",
		Program: "(input A (shape 2))\n(access-pair A B)",
	},
	{
		Code: "negative-number", Meaning: "a negative number where the operator does not take one",
		Program: "(input A (shape 2))\n(access A -1)",
	},
	{
		Code: "no-expression", Meaning: "the file holds no expression",
		Program: "(input A (shape 2))",
	},
	{
		Code: "not-a-permutation", Meaning: "the list of a transpose does not hold each axis once",
		Program: "(input A (shape 2 3))\n(access-transpose A (list 0 0))",
	},
	{
		Code: "not-a-tensor", Meaning: "the whole program is not an access pattern or a tuple of them, or a definition is " +
			"not a tensor, an access pattern or a tuple",
		Program: "(shape 2 3)",
	},
	{
		Code: "not-divisible", Meaning: "a size that a number or another size has to divide",
		Program: "(input A (shape 2 6))\n(tuple-get-item (relay-operator-call relay-split A 4 1) 0)",
	},
	{
		Code: "not-one", Meaning: "an axis to remove has a size other than 1",
		Program: "(input A (shape 2 3))\n(access-squeeze A 0)",
	},
	{
		Code: "rank-mismatch", Meaning: "an operand has the wrong number of axes, or a list the wrong length",
		Program: "(input A (shape 2 3))\n(input W (shape 3))\n(relay-operator-call relay-dense A W)",
	},
	{
		Code: "rank-unknown", Meaning: "no tensor is declared, and the program fits tensors of several ranks",
		Program: "(compute relu A)",
	},
	{
		Code: "redefined-name", Meaning: "a definition has the name of an input, or of another definition",
		Program: "(input A (shape 2))\n(define A (compute relu A))\n(access A 1)",
	},
	{
		Code: "reserved-word", Meaning: "a word of the language cannot be the name of a tensor",
		Program: "(input int8 (shape 2))\n(access A 1)",
	},
	{
		Code: "shape-mismatch", Meaning: "sizes of two operands that have to agree do not",
		Program: "(input A (shape 2))\n(input B (shape 3))\n(access-pair A B)",
	},
	{
		Code: "slice-bounds", Meaning: "the bounds of a slice are not 0 <= low <= high <= size with low " +
			"< size",
		Program: "(input A (shape 2))\n(access-slice A 0 1 3)",
	},
	{
		Code: "split-mismatch", Meaning: "an operand is split into access and compute dims in another " +
			"place than the operator wants",
		Program: "(input A (shape 2 16))\n(accelerator-call flex-maxpool (access A 1))",
	},
	{
		Code: "symbolic-axis", Meaning: "a named size where the rank of something depends on it: an " +
			"axis, a number of parts",
		Program: "(input A (shape N))\n(access A N)",
	},
	{
		Code: "too-deep", Meaning: "a size expression, a condition or, where a program is lowered, calls that nest " +
			"too deeply",
		Program: "(access A " + nested("(+ 1 ", "0", 2000) + ")",
	},
	{
		Code: "too-large", Meaning: "a number, a size or a rank beyond what is supported",
		Program: "(input A (shape " + nested("9", "", 2000) + "))\n(access A 1)",
	},
	{
		Code: "trailing-text", Meaning: "text after the end of the expression",
		Program: "(input A (shape 2))\n(access A 1))",
	},
	{
		Code: "unclosed-list", Meaning: "a parenthesis is missing at the end",
		Program: "(access A 1",
	},
	{
		Code: "unclosed-quote", Meaning: "a quoted name is not closed",
		Program: "(access \"A 1)",
	},
	{
		Code: "unknown-operator", Meaning: "there is no operator of this name, or it is called in " +
			"another way",
		Program: "(acess A 1)",
	},
	{
		Code: "unknown-size", Meaning: "the program after names a size that the program before does not know",
		Program: "(input A (shape 2))\n(access A 1)",
		After:   "(access-slice A 0 0 N)",
	},
	{
		Code: "unknown-type", Meaning: "a word that is not an element type",
		Program: "(input A (shape 2) int7)\n(access A 1)",
	},
	{
		Code: "unopened-list", Meaning: "a closing parenthesis before the expression",
		Program: ") (access A 1)",
	},
	{
		Code: "window-too-long", Meaning: "a window or kernel that does not fit its operand",
		Program: "(input A (shape 2))\n(access-windows (access A 0) (shape 3) (shape 1))",
	},
	{
		Code: "wrong-arity", Meaning: "an operator has too few or too many operands",
		Program: "(access A)",
	},
	{
		Code: "wrong-operand", Meaning: "an operand is not of the sort that the operator takes",
		Program: "(access 3 1)",
	},
	{
		Code: "zero-size", Meaning: "a window, a stride or a number of operands is 0",
		Program: "(input A (shape 4))\n(access-windows (access A 0) (shape 0) (shape 1))",
	},
}

// nested returns open n times, inner, and as many closing parentheses as open opens.
func nested(open, inner string, n int) string {
	b := make([]byte, 0, n*(len(open)+1)+len(inner))
	for range n {
		b = append(b, open...)
	}
	b = append(b, inner...)
	for range n {
		if open[0] == '(' {
			b = append(b, ')')
		}
	}
	return string(b)
}
