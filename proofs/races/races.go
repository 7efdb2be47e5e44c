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
	done   [units]int            // instructions of each unit so far
	knows  [units]clock          // what the next one knows
	tokens [units][units][]clock // by the unit that pushed and the one that pops: what the pushers knew
	cells  map[cell]*uses
	uops   map[uint64]uint32
	stored map[uint64]bool // words of DRAM that a STORE wrote
}

// uses are the last reads and writes of a cell by each unit, numbered from 1 within the unit.
type uses [2][units]int

// Check returns why the order shows nothing, or nil.
func Check(m Machine, p Program, order []int) error {
	c := &checker{m: m, p: p, cells: map[cell]*uses{}, uops: map[uint64]uint32{}, stored: map[uint64]bool{}}
	seen := make([]bool, len(p.Words))
	waiting := &fetcher{c: c, started: make([]bool, len(p.Words))}
	if len(order) != len(p.Words) {
		return fmt.Errorf("%d of %d instructions are in the order", len(order), len(p.Words))
	}
	next := [units]int{} // where to look for the next instruction of a unit
	finish := -1
	for _, n := range order {
		if n < 0 || n >= len(p.Words) || seen[n] {
			return fmt.Errorf("instruction %d is in the order twice, or not in the program", n)
		}
		seen[n] = true
		w := word{p.Words[n][0], p.Words[n][1]}
		u, err := c.unit(w)
		if err != nil {
			return fmt.Errorf("instruction %d: %w", n, err)
		}
		for ; next[u] < n; next[u]++ {
			if v, _ := c.unit(word{p.Words[next[u]][0], p.Words[next[u]][1]}); v == u && !seen[next[u]] {
				return fmt.Errorf("instruction %d is before %d in its unit", next[u], n)
			}
		}
		if err := waiting.start(n, u); err != nil {
			return err
		}
		if finish >= 0 {
			return fmt.Errorf("instruction %d is after the last", n)
		}
		if w.bits(2, 0) == opFinish {
			finish = n
		}
		if err := c.take(w, u); err != nil {
			return fmt.Errorf("instruction %d: %w", n, err)
		}
	}
	host := compute
	if n := len(order); finish < 0 {
		if !m.NoFinish || n == 0 || order[n-1] != n-1 {
			return fmt.Errorf("there is no FINISH")
		}
		host, _ = c.unit(word{p.Words[n-1][0], p.Words[n-1][1]})
	}
	for _, o := range p.Output {
		for at := o[0] / 4; 4*at < o[1]; at++ {
			if err := c.touch(host, c.knows[host], cell{dram, at}, false); err != nil {
				return fmt.Errorf("the host: %w", err)
			}
		}
	}
	return nil
}

// A fetcher counts the instructions that wait before units: they are fetched in the order of the program.
type fetcher struct {
	c       *checker
	fetched int
	started []bool
	waiting [units]int
}

// start fetches up to instruction n, which starts.
func (f *fetcher) start(n, u int) error {
	for ; f.fetched <= n; f.fetched++ {
		v, err := f.c.unit(word{f.c.p.Words[f.fetched][0], f.c.p.Words[f.fetched][1]})
		if err != nil {
			return fmt.Errorf("instruction %d: %w", f.fetched, err)
		}
		if f.waiting[v]++; f.waiting[v] > f.c.m.Commands {
			return fmt.Errorf("instruction %d waits for instruction %d to be fetched, before which too many wait", n, f.fetched)
		}
	}
	f.waiting[u]--
	return nil
}

// take pops, touches and pushes.
func (c *checker) take(w word, u int) error {
	for side := range 2 { // the previous unit first
		if w.bits(3+side, 3+side) == 0 {
			continue
		}
		other := partner[2*u+side]
		if other < 0 || w.bits(2, 0) == opFinish {
			return fmt.Errorf("it pops a queue that is not there")
		}
		q := &c.tokens[other][u]
		if len(*q) == 0 {
			return fmt.Errorf("it pops a queue that is empty")
		}
		c.knows[u].join((*q)[0])
		*q = (*q)[1:]
	}
	if err := c.footprint(w, u, c.knows[u]); err != nil {
		return err
	}
	c.done[u]++
	c.knows[u][u] = c.done[u]
	for side := range 2 {
		if w.bits(5+side, 5+side) == 0 {
			continue
		}
		other := partner[2*u+side]
		if other < 0 || w.bits(2, 0) == opFinish {
			return fmt.Errorf("it pushes to a queue that is not there")
		}
		q := &c.tokens[u][other]
		if len(*q) == c.m.Tokens {
			return fmt.Errorf("it pushes to a queue that is full")
		}
		*q = append(*q, c.knows[u])
	}
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
