package eval

import (
	"strings"
	"testing"

	"tv/semantics/value"
)

// nested returns text around a tensor, repeated.
func nested(before, after string, n int) string {
	return strings.Repeat(before, n) + "(access A 1)" + strings.Repeat(after, n)
}

func TestDeepPrograms(t *testing.T) {
	const deep = 200_000
	for _, test := range []struct{ name, text, want string }{
		{"computed", "(input A (shape 2 3))" + nested("(compute negative ", ")", deep), "2"},
		{"moved", "(input A (shape 2 3))" + nested("(access-slice (access-pad ", " zero-padding 1 1 1) 1 0 4)", deep/4), "0"},
		{"reshaped", "(input A (shape 2 3))" + nested("(access-reshape (access-transpose ",
			" (list 1 0)) (access-shape (shape 2) (shape 3)))", deep/4), "2"},
	} {
		e := evaluator(t, test.text, value.Real, value.Tensors{"A": reals(2, 2, 2, 2, 2, 2)})
		v, err := e.Element(nil, []int64{1, 2})
		if err != nil || v.String() != test.want {
			t.Errorf("%s: %s, %v, want %s", test.name, v, err, test.want)
		}
	}
}

// Programs whose expressions are shared, or read several elements of their operand, take time in proportion to
// their nodes and not to the paths through them.
func TestSharedPrograms(t *testing.T) {
	const deep = 60
	double := func(before, between, after string) string {
		// Texts would double with each level; the language has no names for expressions, so the levels are
		// few enough to write out and many enough to notice.
		text := "(access A 1)"
		for range 12 {
			text = before + text + between + text + after
		}
		return "(input A (shape 2 2))" + text
	}
	e := evaluator(t, double("(relay-operator-call relay-add ", " ", ")"), value.Real, value.Tensors{"A": reals(1, 2, 3, 4)})
	if v, err := e.Element(nil, []int64{1, 1}); err != nil || v.String() != "16384" {
		t.Errorf("4 doubled 12 times is %s, %v", v, err)
	}
	for _, text := range []string{
		nested("(compute softmax ", ")", deep),
		nested("(access (compute reduce-sum (access-windows (access (access-pad ",
			" zero-padding 1 0 1) 0) (shape 1 2) (shape 1 1))) 1)", deep),
		nested("(relay-operator-call relay-layer-norm ", " G B)", deep),
	} {
		e := evaluator(t, "(input A (shape 2 2))(input G (shape 2))(input B (shape 2))"+text, value.Real,
			value.Tensors{"A": reals(1, 2, 3, 4), "G": reals(1, 2), "B": reals(3, 4)})
		if _, err := e.Element(nil, []int64{1, 1}); err != nil {
			t.Error(err)
		}
	}
}

// A tally counts how often elements of each input, all of them 1, are read.
type tally map[string]int

func (c tally) Element(name string, offset int64) value.Value {
	c[name]++
	return integer(1)
}

// What a convolution or a matrix product reads again and again is computed once: each root once a channel, what is
// between two layers once an element.
func TestElementsReadAgain(t *testing.T) {
	const batchNorm = "(input X (shape 4 6)) (input W (shape 6 6)) (input U (shape 6 6)) (input P (shape 6)) (input V (shape 6))" +
		"(relay-operator-call relay-dense (relay-operator-call relay-relu (relay-operator-call relay-batch-norm-inference" +
		" (relay-operator-call relay-dense X W) P P P V 1 0.5)) U)"
	reads := tally{}
	e := evaluator(t, batchNorm, value.Real, reads)
	for i := range int64(4) {
		for j := range int64(6) {
			if _, err := e.Element(nil, []int64{i, j}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := reads["V"]; n != 6 {
		t.Errorf("the variance of 6 channels is read %d times", n)
	}
	if n := reads["P"]; n != 4*6*3 {
		t.Errorf("scale, shift and mean of 24 elements are read %d times", n)
	}
}

// evaluator prepares a program without named sizes.
func evaluator(t tester, text string, a value.Arith, in value.Inputs) *Evaluator {
	t.Helper()
	e, err := New(typed(t, text), a, nil, in)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return e
}

// reals returns integers as real numbers.
func reals(numbers ...int64) []value.Value {
	values := make([]value.Value, len(numbers))
	for i, n := range numbers {
		values[i] = integer(n)
	}
	return values
}
