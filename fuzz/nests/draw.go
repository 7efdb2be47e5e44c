package nests

import (
	"fmt"
	"math/rand/v2"

	"tv/internal/mix"
)

// Draw returns the program of a seed. Its accesses lie within its arrays, at some sizes if it has the size n, and locals
// are written before they are read.
func Draw(seed uint64) *Program {
	d := &drawer{rng: rand.New(rand.NewPCG(mix.Spread(seed), 0x6e65737473)), p: &Program{Elem: "i32"}}
	d.declare()
	for _, a := range d.p.Arrays {
		if a.Local {
			d.p.Body = append(d.p.Body, d.filling(a))
		}
	}
	for range 1 + d.pick(1, 6, 3) {
		d.p.Body = append(d.p.Body, d.nest(1+d.pick(5, 3, 1)))
	}
	return d.p
}

// A drawer draws a program.
type drawer struct {
	rng      *rand.Rand
	p        *Program
	extent   int // that most dims and loops have; 0 stands for n
	scalars  bool
	perfect  bool // loops in loops have nothing beside them
	theme    int  // the kind that most loops are of; -1: none
	fresh    int
	counters []counter
	carried  []string
	recent   []Access // whose counters may be out of scope
}

// A counter lies between lo and hi, where n is added to hi if named. There may be no such number.
type counter struct {
	name   string
	lo, hi int
	named  bool
}

func (d *drawer) chance(k, of int) bool { return d.rng.IntN(of) < k }

// pick draws a number with these weights, from 0 on.
func (d *drawer) pick(weights ...int) int {
	sum := 0
	for _, w := range weights {
		sum += w
	}
	k := d.rng.IntN(sum)
	for i, w := range weights {
		if k -= w; k < 0 {
			return i
		}
	}
	return 0
}

// between draws one of lo, ..., hi.
func (d *drawer) between(lo, hi int) int { return lo + d.rng.IntN(hi-lo+1) }

// declare draws types, extents and arrays.
func (d *drawer) declare() {
	d.p.Elem = []string{"i32", "f32", "i8", "i64"}[d.pick(12, 3, 1, 1)]
	d.perfect, d.theme = d.chance(1, 3), d.rng.IntN(2*loopKinds)
	if d.theme >= loopKinds {
		d.theme = -1
	}
	d.scalars = d.p.Elem != "f32" && d.chance(1, 6)
	d.extent = []int{0, 4, 5, 6, 8, 10, 12}[d.pick(6, 3, 3, 4, 5, 3, 4)]
	for k := range 1 + d.pick(3, 5, 2) {
		d.p.Arrays = append(d.p.Arrays, d.array(string(rune('A'+k))))
	}
	if d.chance(1, 3) {
		a := d.array("t")
		a.Local = true
		d.p.Arrays = append(d.p.Arrays, a)
	}
}

func (d *drawer) array(name string) *Array {
	a := &Array{Name: name}
	for range 1 + d.pick(7, 4) {
		a.Dims = append(a.Dims, d.extent)
		if last := &a.Dims[len(a.Dims)-1]; *last > 0 {
			*last += d.pick(6, 1, 1, 1)
		}
	}
	return a
}

func (d *drawer) name(prefix string) string {
	d.fresh++
	return fmt.Sprint(prefix, d.fresh)
}

// filling is a nest that writes a whole array.
func (d *drawer) filling(a *Array) Stmt {
	to := Access{Array: a}
	var loops []*Loop
	depth := len(d.counters)
	for _, dim := range a.Dims {
		l := &Loop{Name: d.name("i"), Lower: []Affine{{}}, Upper: []Affine{extentOf(dim, 0)}, Step: 1}
		d.counters = append(d.counters, counter{l.Name, 0, dim - 1, dim == 0})
		to.At = append(to.At, one(l.Name, 0))
		loops = append(loops, l)
	}
	loops[len(loops)-1].Body = []Stmt{&Assign{To: to, Value: d.expr(1, a)}}
	for k := len(loops) - 1; k > 0; k-- {
		loops[k-1].Body = []Stmt{loops[k]}
	}
	d.counters = d.counters[:depth]
	return loops[0]
}

// nest is a loop, with loops in it.
func (d *drawer) nest(depth int) Stmt {
	l, c := d.loop()
	counters, carried := len(d.counters), len(d.carried)
	if d.chance(1, 8) {
		l.Carry = &Carry{Op: []string{"add", "add", "mul", "max"}[d.rng.IntN(4)], Init: d.leaf(nil), To: d.access(nil)}
	}
	d.counters = append(d.counters, c)
	if l.Carry != nil {
		d.carried = append(d.carried, l.Name)
	}
	if depth == 1 || !d.perfect && d.chance(1, 5) {
		l.Body = d.statements()
	}
	for k := 1; depth > 1 && (k == 1 || k == 2 && !d.perfect && d.chance(1, 4)); k++ {
		l.Body = append(l.Body, d.nest(depth-1))
	}
	if depth > 1 && !d.perfect && d.chance(1, 5) {
		l.Body = append(l.Body, d.statements()...)
	}
	if l.Carry != nil {
		l.Carry.Term = d.expr(1, nil)
	}
	d.counters, d.carried = d.counters[:counters], d.carried[:carried]
	return l
}

func (d *drawer) statements() (list []Stmt) {
	for range 1 + d.pick(3, 2) {
		list = append(list, d.statement())
	}
	return list
}

func (d *drawer) statement() Stmt {
	if d.chance(1, 10) {
		return d.branch()
	}
	s := &Assign{Value: d.expr(1+d.pick(2, 1), nil)}
	s.To = d.access(nil)
	return s
}

// branch depends on a counter.
func (d *drawer) branch() Stmt {
	c := d.counters[d.rng.IntN(len(d.counters))]
	s := &If{Cond: []Affine{one(c.name, -d.between(1, 3))}}
	switch d.rng.IntN(4) {
	case 0:
		s.Cond, s.Equal = []Affine{{Terms: []Term{{c.name, 1}}, Mod: 2}}, true
	case 1:
		s.Equal = true
	case 2:
		s.Cond = []Affine{{Terms: []Term{{c.name, -1}}, Const: d.between(1, 5)}}
	}
	s.Then = []Stmt{d.statement()}
	if d.chance(1, 3) {
		s.Else = []Stmt{d.statement()}
	}
	return s
}

// expr is an expression of some depth that does not read one of the arrays.
func (d *drawer) expr(depth int, but *Array) *Expr {
	if depth == 0 || d.chance(1, 4) {
		return d.leaf(but)
	}
	ops := []string{"add", "add", "add", "sub", "mul", "max"}
	if d.scalars {
		ops = append(ops, "min", "and", "xor", "less", "ceildiv", "floordiv", "div", "rem", "shl", "shr")
	}
	e := &Expr{Op: ops[d.rng.IntN(len(ops))], Args: []*Expr{d.expr(depth-1, but), d.expr(depth-1, but)}}
	switch e.Op {
	case "ceildiv", "floordiv", "div", "rem":
		divisor := []int64{2, 3, 7, -2}[d.rng.IntN(4)]
		e.Args[1] = &Expr{Op: "const", Const: divisor}
	case "shl", "shr":
		e.Args[1] = &Expr{Op: "const", Const: int64(d.rng.IntN(5))}
	}
	return e
}

func (d *drawer) leaf(but *Array) *Expr {
	switch d.pick(7, 2, 1, 1) {
	case 1:
		return &Expr{Op: "const", Const: int64(d.between(-2, 9))}
	case 2:
		if n := len(d.counters); n > 0 && d.p.Elem != "f32" {
			return &Expr{Op: "counter", Name: d.counters[d.rng.IntN(n)].name}
		}
	case 3:
		if n := len(d.carried); n > 0 {
			return &Expr{Op: "carried", Name: d.carried[d.rng.IntN(n)]}
		}
	}
	if len(d.p.Arrays) == 1 && d.p.Arrays[0] == but {
		return &Expr{Op: "const", Const: 1}
	}
	return &Expr{Op: "read", Read: d.access(but)}
}
