package ila

import "fmt"

// A Fault is a step that a machine must not take.
type Fault struct {
	Code        string // stable: machine-address, machine-unwritten, machine-decode or the code of a Requirement
	Msg         string
	Step        int    // index of the instruction in the program
	Instruction string // what was to take place, "" where nothing or several things decode
	AtEnd       bool   // no step: what the program leaves, after the last one
}

func (f *Fault) Error() string {
	if f.AtEnd {
		return fmt.Sprintf("at the end: %s [%s]", f.Msg, f.Code)
	}
	if f.Instruction == "" {
		return fmt.Sprintf("instruction %d: %s [%s]", f.Step, f.Msg, f.Code)
	}
	return fmt.Sprintf("instruction %d, %s: %s [%s]", f.Step, f.Instruction, f.Msg, f.Code)
}

// The codes of faults that every model has.
const (
	CodeAddress   = "machine-address"   // an address beyond a memory
	CodeUnwritten = "machine-unwritten" // a cell is read that nobody wrote
	CodeDecode    = "machine-decode"    // no instruction decodes, or more than one
	CodeToken     = "machine-token"     // an empty queue of tokens is popped
	CodeReserved  = "machine-reserved"  // bits are set that must not be
	CodeSteps     = "machine-steps"     // children do not come to rest
	CodeSymbolic  = "machine-symbolic"  // control or an address depends on data
	CodeOperand   = "machine-operand"   // an operand that the machine does not have
	CodeFinish    = "machine-finish"    // a program ends before the host is told that it has
)
