// Package race decides whether a program for a machine whose units run at once leaves what it leaves one instruction after the other.
//
//	Program      the instructions of a task with their units, and the tokens that they pop and push (program.go)
//	Order        what comes before what: queues of instructions and of tokens; a deadlock, or an order of the program (order.go)
//	Recorder     the cells that each instruction touches, as a run of the program on terms meets them (footprint.go)
//	Order.Races  pairs of instructions that touch a cell and that nothing orders (conflict.go)
//	Turns        parts that a model takes in turns and that work at once (turns.go)
//	Schedule     a run of the units in time, as a text (schedule.go)
//
// The theorem. Events are the fetch, start and end of each instruction, its pops before the start and its pushes after the end, the host's
// writes before all and its reads when the last instruction has ended. Always
//
//	R1  the fetch of an instruction comes before the next one's, and before its own pops
//	R2  pops, in their order, then start, end, and pushes, in their order; all before the next instruction of the unit
//	R3  the i-th push of a queue comes before its i-th pop
//	R4  the i-th pop of a queue of depth d comes before its (i+d)-th push
//	R5  the start of a unit's i-th instruction comes before the fetch of its (i+D)-th, where D wait before a unit
//
// If these have no cycle and no queue has more pops than pushes, every run ends, whatever the timing. If moreover any two
// instructions of different units that touch a cell which one of them writes are ordered, every run, overlapping in time included, leaves
// what any order of the instructions that extends these leaves: of a run take the first instruction, in time, that reads what it does not
// read in that order. All it read before decides what it touches, so it touches what it touches there; what it read
// was written by an instruction of which the same is true, and the two are ordered. Programs are run in such an order: their own, if it is one.
//
// What is assumed: the depths of queues, and that an instruction takes its micro-steps in their order and has written all that it writes when it
// ends.
package race
