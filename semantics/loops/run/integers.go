package run

import (
	"fmt"
	"math"
	"math/bits"

	"tv/semantics/loops"
)

// An integer is an Int with numbers for sizes: a constant and multiples of counters, or what computes it. The multiples
// are so small, and counters within ±mostCounter, that nothing overflows; all else is checked.
type integer struct {
	constant int64
	terms    []term
	compute  func() int64
}

type term struct {
	factor int64
	slot   int
}

const (
	mostCounter  = 1 << 45
	mostFactor   = 1 << 15 // sum of the factors
	mostConstant = 1 << 61
)

func (x *integer) at(counters []int64) int64 {
	if x.compute != nil {
		return x.compute()
	}
	n := x.constant
	for _, t := range x.terms {
		n += t.factor * counters[t.slot]
	}
	return n
}

// beyond stops a run whose integers of control do not fit in words.
func beyond() int64 { panic(stop{fmt.Errorf("%w: an integer of control is beyond 2^63", ErrTooLarge)}) }

func added(x, y int64) int64 {
	if s := x + y; (x^s)&(y^s) >= 0 {
		return s
	}
	return beyond()
}

func multiplied(x, y int64) int64 {
	if hi, lo := bits.Mul64(magnitude(x), magnitude(y)); hi == 0 {
		switch negative := (x < 0) != (y < 0); {
		case lo <= math.MaxInt64 && negative:
			return -int64(lo)
		case lo <= math.MaxInt64:
			return int64(lo)
		}
	}
	return beyond()
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

// integer compiles an Int.
func (c *compiler) integer(x *loops.Int) integer {
	if c.shares() {
		if out, ok := c.integers[x]; ok {
			return out
		}
	}
	out, ok := c.linear(x)
	if !ok {
		out = integer{compute: c.computed(x)}
		if c.integers != nil {
			out.compute = once(c.r, out.compute)
		}
	}
	if c.integers != nil {
		c.integers[x] = out
	}
	return out
}

func number(n int64) (integer, bool) {
	return integer{constant: n}, -mostConstant <= n && n <= mostConstant
}

// linear compiles an Int that is a constant and multiples of counters, all of them small.
func (c *compiler) linear(x *loops.Int) (integer, bool) {
	switch x.Op {
	case loops.Number:
		return number(x.N)
	case loops.Size:
		return number(c.size(x))
	case loops.Counter:
		return integer{terms: []term{{1, c.slot(x)}}}, true
	case loops.Plus:
		sum := integer{}
		for _, a := range x.Args {
			y := c.integer(a)
			ok := y.compute == nil
			if sum.constant += y.constant; !ok || magnitude(sum.constant) > mostConstant {
				return integer{}, false
			}
			sum.terms = append(sum.terms, y.terms...)
		}
		return sum.small()
	case loops.Times:
		if len(x.Args) != 2 {
			return integer{}, false
		}
		a, b := c.integer(x.Args[0]), c.integer(x.Args[1])
		if len(a.terms) == 0 {
			a, b = b, a
		}
		n := b.constant
		if a.compute != nil || b.compute != nil || len(b.terms) > 0 || magnitude(n) > mostFactor && len(a.terms) > 0 {
			return integer{}, false
		}
		if hi, lo := bits.Mul64(magnitude(n), magnitude(a.constant)); hi != 0 || lo > mostConstant {
			return integer{}, false
		}
		out := integer{constant: n * a.constant}
		for _, t := range a.terms {
			out.terms = append(out.terms, term{n * t.factor, t.slot})
		}
		return out.small()
	}
	return integer{}, false
}

// small adds up the terms of each counter, and tells whether the factors are small.
func (x integer) small() (integer, bool) {
	out, sum := integer{constant: x.constant}, uint64(0)
next:
	for _, t := range x.terms {
		for i := range out.terms {
			if out.terms[i].slot == t.slot {
				out.terms[i].factor += t.factor
				continue next
			}
		}
		out.terms = append(out.terms, t)
	}
	for _, t := range out.terms {
		sum += magnitude(t.factor)
	}
	return out, sum <= mostFactor
}

func (c *compiler) size(x *loops.Int) int64 {
	n, ok := c.r.sizes[x.Name]
	if !ok {
		if x.At.File != nil {
			c.span = x.At
		}
		c.fail("unbound-size", "size %s has no value", x.Name)
	}
	return n
}

// slot returns where the counter of a loop around is.
func (c *compiler) slot(x *loops.Int) int {
	for i := len(c.around) - 1; i >= 0; i-- {
		if c.around[i] == x.Loop {
			return i
		}
	}
	c.fail("internal", "a counter of a loop that is not around")
	return 0
}

// computed compiles an Int to what computes it.
func (c *compiler) computed(x *loops.Int) func() int64 {
	switch x.Op {
	case loops.Number, loops.Size, loops.Counter:
		n := x.N
		if x.Op == loops.Counter {
			slot, r := c.slot(x), c.r
			return func() int64 { return r.counters[slot] }
		}
		if x.Op == loops.Size {
			n = c.size(x)
		}
		return func() int64 { return n }
	case loops.Choose:
		cond, a, b, r := c.condition(x.Cond), c.integer(x.Args[0]), c.integer(x.Args[1]), c.r
		return func() int64 {
			if cond() {
				return a.at(r.counters)
			}
			return b.at(r.counters)
		}
	case loops.Plus, loops.Times, loops.Least, loops.Greatest:
		return c.folded(x)
	case loops.FloorDiv, loops.CeilDiv, loops.FloorMod, loops.TruncDiv, loops.TruncMod:
		return c.divided(x)
	}
	c.fail("internal", "operation %d on integers", x.Op)
	return nil
}

// folded compiles an operation on any number of operands.
func (c *compiler) folded(x *loops.Int) func() int64 {
	op := map[loops.IntOp]func(x, y int64) int64{
		loops.Plus:     added,
		loops.Times:    multiplied,
		loops.Least:    func(x, y int64) int64 { return min(x, y) },
		loops.Greatest: func(x, y int64) int64 { return max(x, y) },
	}[x.Op]
	var args []integer
	for _, a := range x.Args {
		args = append(args, c.integer(a))
	}
	if len(args) == 0 {
		if x.Op != loops.Plus {
			c.fail("internal", "an operation on integers without operands")
		}
		args = []integer{{}}
	}
	r := c.r
	return func() int64 {
		n := args[0].at(r.counters)
		for i := range args[1:] {
			n = op(n, args[i+1].at(r.counters))
		}
		return n
	}
}

// divided compiles a division or a remainder.
func (c *compiler) divided(x *loops.Int) func() int64 {
	a, b, r, op, at := c.integer(x.Args[0]), c.integer(x.Args[1]), c.r, x.Op, c.site(x.At)
	return func() int64 {
		n, d := a.at(r.counters), b.at(r.counters)
		switch {
		case d == 0:
			at.end(r, loops.Arithmetic, "division of %d by 0", n)
		case d == -1:
			if op == loops.FloorMod || op == loops.TruncMod {
				return 0
			}
			return multiplied(n, -1)
		}
		q, rest := n/d, n%d
		inexact, negative := rest != 0, (n < 0) != (d < 0)
		switch op {
		case loops.FloorDiv:
			if inexact && negative {
				q--
			}
		case loops.CeilDiv:
			if inexact && !negative {
				q++
			}
		case loops.FloorMod:
			if inexact && negative {
				rest += d
			}
			return rest
		case loops.TruncMod:
			return rest
		}
		return q
	}
}

// condition compiles a Cond.
func (c *compiler) condition(x *loops.Cond) func() bool {
	var conds []func() bool
	for _, y := range x.Conds {
		conds = append(conds, c.condition(y))
	}
	switch x.Op {
	case loops.All, loops.Any:
		all := x.Op == loops.All
		return func() bool {
			for _, f := range conds {
				if f() != all {
					return !all
				}
			}
			return all
		}
	case loops.None:
		return func() bool { return !conds[0]() }
	}
	a, b, r := c.integer(x.A), c.integer(x.B), c.r
	switch x.Op {
	case loops.Less:
		return func() bool { return a.at(r.counters) < b.at(r.counters) }
	case loops.LessEqual:
		return func() bool { return a.at(r.counters) <= b.at(r.counters) }
	case loops.Equal:
		return func() bool { return a.at(r.counters) == b.at(r.counters) }
	}
	c.fail("internal", "operation %d on conditions", x.Op)
	return nil
}

// failing compiles what says in numbers why a condition does not hold: of a comparison, or of the first that fails of
// those that must all hold.
func (c *compiler) failing(x *loops.Cond) func() string {
	switch x.Op {
	case loops.All:
		var conds []func() string
		for _, y := range x.Conds {
			cond, text := c.condition(y), c.failing(y)
			conds = append(conds, func() string {
				if cond() {
					return ""
				}
				return text()
			})
		}
		return func() string {
			for _, f := range conds {
				if s := f(); s != "" {
					return s
				}
			}
			return ""
		}
	case loops.Any, loops.None:
		return func() string { return "" }
	}
	op := map[loops.CondOp]string{loops.Less: "<", loops.LessEqual: "<=", loops.Equal: "="}[x.Op]
	a, b, r := c.integer(x.A), c.integer(x.B), c.r
	return func() string {
		return fmt.Sprintf("%d %s %d does not hold", a.at(r.counters), op, b.at(r.counters))
	}
}
