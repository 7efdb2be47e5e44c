// Package run executes the models of package ila:
//
//	simulator.go  Simulator: on numbers; the expressions of a model are compiled to closures
//	lanes.go      stores of all values of a counter at once, where the simulator can
//	cells.go      the memories of the simulator
//	symbolic.go   Symbolic: on terms; control is concrete, data are terms, a memory maps addresses to terms
//	task.go       the program of a Task on either
//	writer.go     what wrote an element of the output last
//	observe.go    the state of either, for those who compare
//
// The two share the linked model. The simulator compiles the terms that the symbolic executor walks: each is a check on
// the other.
package run
