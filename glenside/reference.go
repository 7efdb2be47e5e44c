package glenside

import (
	"fmt"
	"strings"
)

// OperatorReference returns the reference of the language as Markdown: doc/operators.md.
func OperatorReference() string {
	var b strings.Builder
	b.WriteString(referenceIntro)
	for c, heading := range referenceHeadings {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", heading.title, heading.text)
		for _, op := range table {
			if op.Category == Category(c) {
				op.writeReference(&b)
			}
		}
	}
	return b.String()
}

// Title is the heading of a category in the reference.
func (c Category) Title() string { return referenceHeadings[c].title }

// Signature is a call of the operator with the names of its operands: "(access-windows x window strides)".
func (op *Op) Signature() string {
	text := "(" + op.head()
	for _, o := range op.Operands {
		text += " " + o.placeholder()
	}
	return text + ")"
}

// Reference is the entry of the operator in the reference, below its heading.
func (op *Op) Reference() string {
	var b strings.Builder
	op.writeEntries(&b)
	return b.String()
}

// writeReference writes the entry of an operator with its heading.
func (op *Op) writeReference(b *strings.Builder) {
	fmt.Fprintf(b, "\n### %s\n\n", op.Name)
	op.writeEntries(b)
}

// writeEntries writes what there is to say of an operator, its formulas as code: they are full of stars.
func (op *Op) writeEntries(b *strings.Builder) {
	if len(op.Aliases) > 0 {
		fmt.Fprintf(b, "Also spelt `%s`.\n\n", strings.Join(op.Aliases, "`, `"))
	}
	fmt.Fprintf(b, "    %s\n\n", op.Signature())
	for _, o := range op.Operands {
		writeEntry(b, o.Name, o.describe())
	}
	writeEntry(b, "Shapes", op.Shapes)
	writeEntry(b, "Meaning", op.Meaning)
	if op.Of != 0 {
		writeEntry(b, "Types", op.Of.String()+"; all of them under --arith real")
	}
	b.WriteByte('\n')
	for line := range strings.SplitSeq(op.Example, "\n") {
		fmt.Fprintf(b, "    %s\n", line)
	}
}

// writeEntry writes a term and its explanation in two columns of a code block.
func writeEntry(b *strings.Builder, term, text string) {
	const column, width = 14, 96
	line := fmt.Sprintf("%-*s", column-1, term)
	for word := range strings.FieldsSeq(text) {
		if len(line)+1+len(word) > width {
			fmt.Fprintf(b, "    %s\n", line)
			line = strings.Repeat(" ", column-1)
		}
		line += " " + word
	}
	fmt.Fprintf(b, "    %s\n", line)
}

// placeholder returns "x", "[dummy]" or "items...".
func (o Operand) placeholder() string {
	switch {
	case o.Optional:
		return "[" + o.Name + "]"
	case o.Variadic:
		return o.Name + "..."
	}
	return o.Name
}

// describe returns a noun phrase: "an integer", "zero-padding or min-padding".
func (o Operand) describe() string {
	switch {
	case o.Optional:
		return "(shape 0) or left out"
	case o.Signed:
		return "an integer, which may be negative"
	case o.Sort == SortToken && o.Words == nil:
		return "an element type"
	case o.Sort == SortToken:
		return strings.Join(o.Words, " or ")
	case o.Variadic:
		return "any number of operands, each " + o.Sort.String()
	}
	return o.Sort.String()
}

const referenceIntro = `# The language and its operators

<!-- Written by go test ./glenside -update from the operator table in glenside/. Do not edit. -->

A program is a file of declarations, assumes, definitions and one expression. A semicolon starts a comment that ends with
the line.

    (input A (shape 32 64) int8)    ; a tensor; the element type is float32 where there is none
    (input W (shape K N))           ; a name is a size, at least 1; (K 0) is one that may be 0
    (assume (divides 16 K))         ; a condition on sizes: = < <= divides not and or
    (compute dot-product (access-cartesian-product (access A 1) (access W 1)))

**Values.** An access pattern is a dense tensor in row-major order with a place where its dims are split,
written ((S) (C)): S are the *access* dims, iterated over, and C the *compute* dims, those of an item handed
to the computation. Below, D stands for S and C together, r for their number, and axes count from 0 over D.
A tensor name where an access pattern is wanted stands for (access-tensor NAME), so (access A 1) is
(access (access-tensor A) 1).

**Definitions.** (define NAME EXPR) before the expression lets NAME stand for EXPR, a tensor, an access pattern or a
tuple, any number of times and in any order:

    (input A (shape 2 3))
    (define H (compute relu (access A 1)))
    (access-pair H H)

The expression is the same program as one in which each NAME is written out. A name that is an input's or
that is defined twice is an error, and so is one that its own EXPR needs. In each program names are its own. What the
expression does not reach is typed and warned of, and is no part of the program.

**Integers.** Where an integer is wanted, the name of a size or an expression may stand: (+ a b ...),
(- a b ...), (* a b ...), (div a b), (mod a b), (max a b ...), (min a b ...). Division rounds down and wants
a positive divisor. Sizes are exact: they never wrap. Axes and numbers of parts must be numbers. (x) is x.

**Element types.** bool, int8 to int64, uint8 to uint64, float16, bfloat16, float32, float64, sat8, sat16, sat32
(saturating), fixM.F (fixed point of M bits before and F after the point), adaptiveN.E (AdaptivFloat of
N bits, E of them exponent). The operands of an operator have one element type, which is the result's, but for
relay-cast, the indices of relay-take, and accelerator calls, whose result has the type of the first operand.
Literals, constant-tensor and relay-zeros take the type of the operator that uses them.

**Conditions.** A rule about sizes that depends on numbers alone is checked at once; one that depends on named
sizes becomes a condition of the program.
`

var referenceHeadings = [...]struct{ title, text string }{
	CatCore: {"Core", "Leaves, shapes, tuples, and the operators that rearrange access patterns."},
	CatCompute: {
		"Compute",
		"What `(compute NAME x)` does to each item: s runs over the access dims of x, c over the compute\ndims.",
	},
	CatHardware: {
		"Hardware",
		"Systolic arrays: the size of the array does not change the value. Kernels do not reach over " +
			"the edge.",
	},
	CatRelay: {
		"Relay",
		"Called as `(relay-operator-call NAME ...)`. Shapes are over all dims of an operand; where the result\n" +
			"is `as x`, it has the dims and the split of x.",
	},
	CatAccelerator: {
		"Accelerators",
		"Called as `(accelerator-call NAME ...)`. The meaning is the ideal one, on tensors of numbers; the\n" +
			"numerics of a machine are those of its contract. A last operand `(shape 0)` that says nothing may\n" +
			"be left out.",
	},
}
