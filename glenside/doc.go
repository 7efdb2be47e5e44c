// Package glenside parses, types and prints Glenside programs, whose values are access patterns:
// tensors whose shape is split in two, the left part iterated over, the right part handed to the
// computation.
//
//	Program   a parsed file: declarations, assumes, definitions, one expression; subterms are shared
//	Definition a name for a subterm: see define.go
//	Node      one expression; equal expressions of a program are the same node
//	Op        an operator: its spellings, operands, shape rule, meaning; see Ops
//	Call      a list of the text around some place, by Around; Like says which words may stand for others: see around.go
//	Type      the kind of a value and, for tensors, its dims, its split and its element type
//	Typing    the types of all nodes of a program and the conditions under which they hold
//
// Sizes, conditions on them, element types and declarations are those of package semantics/domain.
//
// Start with [Parse], unite declarations with [MergeEnv] (or find them with [Infer]), then [Check];
// [Format] prints, [Share] with definitions for what is used more than once. The language is described in doc/operators.md, which [OperatorReference] makes
// from the operator table; error codes are in [Codes].
//
// Programs are large and repeat themselves: Glenside prints a graph as a tree. So the parser makes one
// node of equal expressions, nothing recurses over nodes, and the time that Check takes depends on the
// number of distinct expressions. A tree may be longer than any file: what prints one is bounded, or writes
// the names of definitions.
package glenside
