package ila

import "tv/semantics/term"

// Units say which parts of a machine run at once, and what orders them. A program's instructions are fetched in its order, each into the
// queue of its unit; a unit takes its own in order. Before one starts it pops tokens, after it has ended it pushes some.
type Units struct {
	Names    []string
	Queues   []TokenQueue
	Commands int // instructions that the queue before a unit holds

	// Recheck, where it is set, checks by other code than this package's that units leave what the instructions leave one after the other, in the
	// given order. It returns why it is not convinced.
	Recheck func(t *Task, order []int) error
}

// A TokenQueue has one unit that pushes tokens and one that pops them. It holds Depth of them: one that is full makes its unit wait.
type TokenQueue struct {
	Name     string
	From, To string
	Depth    int
}

// A Token is popped or pushed by an instruction where When, over the inputs of the model, is 1.
type Token struct {
	Queue int // of Units.Queues
	When  *term.Term
}

// An Issue says where an instruction runs and what it waits for. Instructions of machines with units have one.
type Issue struct {
	Unit         string
	Pops, Pushes []Token // in this order
	Last         bool    // the host reads memory when it has ended
}

// Turns are parts of a machine that a model has take their micro-steps one after the other, and that work at once: what one leaves
// must not depend on what another does meanwhile.
type Turns struct {
	Part   string     // what a part is: "PE"
	Who    *Var       // the part that takes a micro-step
	While  *term.Term // whether parts are at work, before a micro-step
	Shared []*Var     // memories that they share; others belong to a part, or to nobody while they work
}

// QueueNamed returns the number of a queue of tokens.
func (u *Units) QueueNamed(name string) int {
	for i, q := range u.Queues {
		if q.Name == name {
			return i
		}
	}
	panic("ila: no queue " + name)
}
