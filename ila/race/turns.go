package race

import (
	"fmt"

	"tv/ila"
)

// Turns watches parts of a machine that a model takes in turns and that work at once: PEs between the start of all and the end of the last. It
// is told of micro-steps and of cells, and finds a cell of a shared memory that two parts touch in one round, one of them writing.
type Turns struct {
	of    *ila.Turns
	part  int // that takes the micro-step, or -1
	cells map[touched]partUse
	found string
}

type touched struct {
	memory *ila.Var
	at     uint64
}

// partUse is who wrote a cell in this round, and who read it: 1 + the part, or 0; several that read are -1.
type partUse struct{ wrote, read int }

// NewTurns returns a watch of a model's turns, or nil where it has none.
func NewTurns(m *ila.Model) *Turns {
	if m.Turns == nil {
		return nil
	}
	return &Turns{of: m.Turns, part: -1, cells: map[touched]partUse{}}
}

// Next says that a micro-step begins, with the values of While and Who. One at which While does not hold ends the round.
func (t *Turns) Next(while bool, who uint64) {
	if t.part = -1; while {
		t.part = int(who)
		return
	}
	clear(t.cells)
}

// Access notes a cell.
func (t *Turns) Access(memory *ila.Var, at uint64, write bool) {
	shared := false
	for _, m := range t.of.Shared {
		shared = shared || m == memory
	}
	if t.part < 0 || !shared || t.found != "" {
		return
	}
	k, me := touched{memory, at}, t.part+1
	u := t.cells[k]
	if other := u.wrote; other != 0 && other != me {
		t.race(memory, at, other-1, true, write)
	}
	if other := u.read; write && other != 0 && other != me {
		t.race(memory, at, max(other-1, 0), false, write)
	}
	switch {
	case write:
		u.wrote = me
	case u.read == 0:
		u.read = me
	case u.read != me:
		u.read = -1
	}
	t.cells[k] = u
}

func (t *Turns) race(memory *ila.Var, at uint64, other int, wrote, write bool) {
	does := map[bool]string{true: "writes", false: "reads"}
	t.found = fmt.Sprintf("%s %d %s %s[%d] and %s %d %s it in one round, and they work at once", t.of.Part, other, does[wrote], memory.Name, at,
		t.of.Part, t.part, does[write])
}

// Found says what races, or nothing.
func (t *Turns) Found() string { return t.found }
