// Package races checks that a program for VTA does the same on its three units, which run at once, as one instruction after the other: it reads
// the words again, by the public tables of the machine, and knows no other package of tv.
//
//	races.go       Check: queues, tokens and what they order; no two units touch a cell unless that is ordered
//	footprints.go  what an instruction touches: tiles of memories, and words of DRAM
//
// The witness is an order of the instructions. Along it the checker counts tokens, so that a run ends (and then all do, whatever the timing), and
// carries for each instruction how many of each unit have surely ended when it starts: those that the one before it in its unit
// knew, and those that instructions knew whose tokens it pops. It makes no use of what full queues order.
package races

import "fmt"

// A Machine is what implementations differ in.
type Machine struct {
	Older    bool   // memory types and operations of 2 bits
	StoreAcc bool   // STORE reads accumulators, not outputs
	ResetOut bool   // GEMM with reset spoils outputs
	NoFinish bool   // a program may end without FINISH: its last instruction ends it
	Loads    string // whose LOADs: fsim, hls, opencl or chisel
	Wrap     bool   // tiles of memories wrap at the end
	Tokens   int    // that a queue holds
	Commands int    // instructions that wait before a unit
}

// A Program is instructions, what lies in DRAM, and what the host reads.
type Program struct {
	Words  [][2]uint64                              // bits 63:0 and 127:64
	Byte   func(at uint64) (value byte, known bool) // of DRAM before the first instruction
	Output [][2]uint64                              // bytes of DRAM, from and up to
}

// The units.
const (
	load = iota
	compute
	store
	units
)

// Queues by the unit that pushes and whether its neighbour is the previous one; index 2·unit + (1 if next).
var partner = [2 * units]int{-1, compute, load, store, compute, -1}

// A clock has, by unit, how many instructions have ended.
type clock [units]int

func (c *clock) join(d clock) {
	for u := range c {
		c[u] = max(c[u], d[u])
	}
}

type checker struct {
	m      Machine
	p      Program
	units  []int                 // of each instruction
	lists  [units][]int          // the instructions of each unit, in the order of the program
	done   [units]int            // how many of them have ended
	knows  [units]clock          // what the next one knows
	popped [units]int            // tokens that it has popped
	owed   [units][]int          // the units that the last one pushes to, as soon as there is room
	tokens [units][units][]clock // by the unit that pushed and the one that pops: what the pushers knew
	cells  map[cell]*uses
	uops   map[uint64]uint32
	stored map[uint64]bool // words of DRAM that a STORE wrote

	fetched int // instructions are fetched in the order of the program
}

// uses are the last reads and writes of a cell by each unit, numbered from 1 within the unit.
type uses [2][units]int

// Check returns why the order shows nothing, or nil.
func Check(m Machine, p Program, order []int) error {
	c := &checker{m: m, p: p, cells: map[cell]*uses{}, uops: map[uint64]uint32{}, stored: map[uint64]bool{}}
	for n := range p.Words {
		u, err := c.unit(c.word(n))
		if err == nil {
			err = c.queues(c.word(n), u)
		}
		if err != nil {
			return fmt.Errorf("instruction %d: %w", n, err)
		}
		c.units, c.lists[u] = append(c.units, u), append(c.lists[u], n)
	}
	if len(order) != len(p.Words) {
		return fmt.Errorf("%d of %d instructions are in the order", len(order), len(p.Words))
	}
	for i, n := range order {
		if n < 0 || n >= len(p.Words) {
			return fmt.Errorf("instruction %d is not in the program", n)
		}
		if u := c.units[n]; c.done[u] == len(c.lists[u]) || c.lists[u][c.done[u]] != n {
			return fmt.Errorf("instruction %d is not the next one of its unit", n)
		}
		if err := c.take(n); err != nil {
			return fmt.Errorf("instruction %d: %w", n, err)
		}
		if c.word(n).bits(2, 0) == opFinish && i < len(order)-1 {
			return fmt.Errorf("instruction %d is after the last", order[i+1])
		}
	}
	return c.host(order)
}

// host holds what the host reads against what was written.
func (c *checker) host(order []int) error {
	n := len(order) - 1
	if n < 0 || c.word(order[n]).bits(2, 0) != opFinish && (!c.m.NoFinish || order[n] != n) {
		return fmt.Errorf("there is no FINISH")
	}
	u := c.units[order[n]]
	for _, o := range c.p.Output {
		for at := o[0] / 4; 4*at < o[1]; at++ {
			if err := c.touch(u, c.knows[u], cell{dram, at}, false); err != nil {
				return fmt.Errorf("the host: %w", err)
			}
		}
	}
	return nil
}

func (c *checker) word(n int) word { return word{c.p.Words[n][0], c.p.Words[n][1]} }

// queues says which queue an instruction names that is not there.
func (c *checker) queues(w word, u int) error {
	for side := range 2 { // the previous unit first
		names := w.bits(3+side, 3+side)+w.bits(5+side, 5+side) > 0
		if names && (partner[2*u+side] < 0 || w.bits(2, 0) == opFinish) {
			return fmt.Errorf("it names a queue that is not there")
		}
	}
	return nil
}

// others are the units whose tokens an instruction pops (from bit 3), or which it pushes to (from bit 5), in this order.
func others(w word, u, bit int) (list []int) {
	for side := range 2 {
		if w.bits(bit+side, bit+side) == 1 {
			list = append(list, partner[2*u+side])
		}
	}
	return list
}

// settle fetches, pushes and pops what can be; these never keep one another from it. A unit that waits for room pops nothing, and one
// that has popped knows what those knew who pushed.
func (c *checker) settle() {
	for moved := true; moved; {
		moved = false
		for c.fetched < len(c.units) && c.waiting(c.units[c.fetched]) < c.m.Commands {
			c.fetched++
			moved = true
		}
		for u := range c.owed {
			for len(c.owed[u]) > 0 && len(c.tokens[u][c.owed[u][0]]) < c.m.Tokens {
				q := &c.tokens[u][c.owed[u][0]]
				*q, c.owed[u] = append(*q, c.knows[u]), c.owed[u][1:]
				moved = true
			}
			for from := c.pops(u); len(from) > 0 && len(c.tokens[from[0]][u]) > 0; from = from[1:] {
				q := &c.tokens[from[0]][u]
				c.knows[u].join((*q)[0])
				*q = (*q)[1:]
				c.popped[u]++
				moved = true
			}
		}
	}
}

// waiting counts the instructions of a unit that were fetched and have not ended.
func (c *checker) waiting(u int) (n int) {
	for _, i := range c.lists[u][c.done[u]:] {
		if i >= c.fetched {
			break
		}
		n++
	}
	return n
}

// pops are the units whose tokens the next instruction of a unit still waits for, once it is fetched and nothing is owed.
func (c *checker) pops(u int) []int {
	if c.done[u] == len(c.lists[u]) || c.lists[u][c.done[u]] >= c.fetched || len(c.owed[u]) > 0 {
		return nil
	}
	return others(c.word(c.lists[u][c.done[u]]), u, 3)[c.popped[u]:]
}

// take has the next instruction of its unit touch what it touches.
func (c *checker) take(n int) error {
	w, u := c.word(n), c.units[n]
	c.settle()
	switch {
	case n >= c.fetched:
		return fmt.Errorf("it is not fetched, as too many wait before it")
	case len(c.owed[u]) > 0:
		return fmt.Errorf("the one before it in its unit waits for room in a queue")
	case len(c.pops(u)) > 0:
		return fmt.Errorf("it pops a queue that is empty")
	}
	if err := c.footprint(w, u, c.knows[u]); err != nil {
		return err
	}
	c.done[u]++
	c.knows[u][u], c.popped[u], c.owed[u] = c.done[u], 0, others(w, u, 5)
	return nil
}

// touch notes that the next instruction of a unit reads or writes a cell, and holds that against what others did there.
func (c *checker) touch(u int, knows clock, at cell, write bool) error {
	x := c.cells[at]
	if x == nil {
		x = &uses{}
		c.cells[at] = x
	}
	for k := range x {
		if k == 0 && !write {
			continue // two that read
		}
		for v, last := range x[k] {
			if v != u && last > knows[v] {
				return fmt.Errorf("%s is touched by instruction %d of unit %d, which may not have ended", at, last-1, v)
			}
		}
	}
	k := 0
	if write {
		k = 1
	}
	x[k][u] = c.done[u] + 1
	return nil
}
