// Package glenside parses, types and prints Glenside programs, whose values are access patterns:
// tensors whose shape is split in two, the left part iterated over, the right part handed to the
// computation.
//
//	Program   a parsed file: declarations, assumes, one expression; subterms are shared
//	Node      one expression; equal expressions of a program are the same node
//	Op        an operator: its spellings, operands, shape rule, meaning; see Ops
//	Size      a natural number or an expression over named sizes; exact
//	Pred      a condition on sizes
//	Type      the kind of a value and, for tensors, its dims, its split and its element type
//	Typing    the types of all nodes of a program and the conditions under which they hold
//
// Start with [Parse], then [Check]; [Format] prints. The language is described in
// doc/operators.md, which is generated from the operator table.
package glenside
