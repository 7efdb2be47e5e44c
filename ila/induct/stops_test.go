package induct

import (
	"context"
	"fmt"
	"testing"

	"tv/ila"
	"tv/ila/prove"
	"tv/semantics/index"
	"tv/semantics/term"
)

// A sumMachine adds up products in an accumulator. Its child walks over the elements of one instruction.
type sumMachine struct {
	*ila.Model
	x, y, acc *ila.Var
}

const sumWidth = 16

// newSumMachine returns the machine. Its child goes on while the element is not the last one, or, with less, while it is
// less than their number; with turns it has an instruction that fetches the product and one that adds it.
func newSumMachine(less, turns bool) *sumMachine {
	m := &sumMachine{Model: ila.New("sum", "sums of products")}
	b := m.B
	op := m.Input("op", 2, "0 sets acc[dst] to 0, 1 adds x[src]·y[src] to it, 2 adds count of them, 3 adds acc[src] to it")
	dst := m.Input("dst", sumWidth, "a cell of acc")
	src := m.Input("src", sumWidth, "a cell of x and y")
	count := m.Input("count", sumWidth, "how many")
	m.x, m.y = m.Memory("x", 8, 1<<sumWidth, ""), m.Memory("y", 8, 1<<sumWidth, "")
	m.acc = m.Memory("acc", 32, 1<<sumWidth, "")
	run, i := m.Bits("run", 1, "elements are left"), m.Bits("i", sumWidth, "the element at work")
	is := func(n uint64) *term.Term { return b.Equal(op.Term, b.Bits(2, n)) }
	product := func(at *term.Term) *term.Term {
		return b.MulBits(b.ExtendS(m.Load(m.x, m.At(at)), 32), b.ExtendS(m.Load(m.y, m.At(at)), 32))
	}
	old := m.Load(m.acc, m.At(dst.Term))
	m.Instruction("set", "", is(0)).Store(m.acc, m.At(dst.Term), b.Bits(32, 0))
	m.Instruction("add", "", is(1)).Store(m.acc, m.At(dst.Term), b.AddBits(old, product(src.Term)))
	m.Instruction("copy", "", is(3)).Store(m.acc, m.At(dst.Term), b.AddBits(old, m.Load(m.acc, m.At(src.Term))))
	start := m.Instruction("start", "", is(2))
	start.Set(run, b.Bits(1, 1))
	start.Set(i, b.Bits(sumWidth, 0))
	child, runs := m.Child("step", ""), b.Equal(run.Term, b.Bits(1, 1))
	element := product(b.AddBits(src.Term, i.Term))
	var step *ila.Instruction
	if turns {
		fetched := m.Memory("fetched", 32, 1, "")
		turn := m.Bits("turn", 1, "the product is fetched")
		fetch := child.Instruction("fetch", "", b.And(runs, b.Equal(turn.Term, b.Bits(1, 0))))
		fetch.Store(fetched, m.Address(0), element)
		fetch.Set(turn, b.Bits(1, 1))
		step = child.Instruction("element", "", b.And(runs, b.Equal(turn.Term, b.Bits(1, 1))))
		step.Set(turn, b.Bits(1, 0))
		element = m.Load(fetched, m.Address(0))
	} else {
		step = child.Instruction("element", "", runs)
	}
	step.Store(m.acc, m.At(dst.Term), b.AddBits(old, element))
	next := b.AddBits(i.Term, b.Bits(sumWidth, 1))
	last := b.Equal(next, count.Term)
	if less {
		last = b.Not(b.LessU(next, count.Term))
	}
	step.Set(i, next)
	step.Set(run, b.Choose(last, b.Bits(1, 0), b.Bits(1, 1)))
	return m
}

// A sumDriver is how a sum of K products is computed.
type sumDriver struct {
	less, turns bool // of the machine
	body        func(d *sumNest) []ila.Node
}

// A sumNest is what a driver is made of.
type sumNest struct {
	ix          *index.Builder
	e, c, t, k  *index.Expr // chunks, elements of a chunk, of the last one, of all
	instruction func(op int64, dst, src, count *index.Expr) ila.Node
}

func (d *sumNest) num(n int64) *index.Expr { return d.ix.Const(n) }

// sums is the family of a driver.
func sums(s sumDriver) *ila.Family {
	return &ila.Family{
		Name: "sums",
		Sizes: []ila.Size{{Name: "E", Least: 1}, {Name: "c", Least: 1}, {Name: "t", Least: 1},
			{Name: "K", Least: 1, Of: func(p []int) int { return (p[0]-1)*p[1] + p[2] }}},
		Domain: []string{"K = (E-1)*c + t", "1 <= t <= c", "K <= 1000"},
		New: func(sizes func(*index.Builder) []*index.Expr) (*ila.Nest, []*index.Expr, error) {
			m := newSumMachine(s.less, s.turns)
			b, ix := m.B, m.B.Index
			v := sizes(ix)
			d := &sumNest{ix: ix, e: v[0], c: v[1], t: v[2], k: v[3]}
			gap := ix.Sub(d.k, ix.Add(ix.Mul(ix.AddInt(d.e, -1), d.c), d.t))
			facts := []*index.Expr{gap, ix.Scale(index.Int(-1), gap), ix.Sub(d.c, d.t), ix.Sub(ix.Const(1000), d.k)}
			n := &ila.Nest{Name: "sums", Model: m.Model, Claim: "sum of x[k]·y[k]"}
			x, y := n.Declare("x", 8, true, d.k), n.Declare("y", 8, true, d.k)
			for _, o := range []struct {
				v *ila.Var
				t *ila.Tensor
			}{{m.x, x}, {m.y, y}} {
				n.Init = append(n.Init, ila.Spread{Memory: o.v, Counts: []*index.Expr{d.k},
					At: func(v []*index.Expr) (*index.Expr, *term.Term) { return v[0], n.Element(o.t, v[0]) }})
			}
			field := func(e *index.Expr) *term.Term { return b.Number(term.BitsSort(sumWidth), e) }
			d.instruction = func(op int64, dst, src, count *index.Expr) ila.Node {
				return ila.Node{Values: []*term.Term{b.Bits(2, uint64(op)), field(dst), field(src), field(count)},
					Text: fmt.Sprint("op ", op)}
			}
			n.Body = s.body(d)
			one := ix.Const(1)
			n.Result("out", 32, true, one)
			n.Place = func(at []*index.Expr) ila.Cell { return ila.Cell{Memory: m.acc, Address: at[0]} }
			n.Contract = func(at []*index.Expr) *term.Term {
				zero := ix.Const(0)
				return n.Dot(32, d.k, ila.Row{Tensor: x, From: zero, Step: one}, ila.Row{Tensor: y, From: zero, Step: one})
			}
			return n, facts, nil
		},
		Print: func(point []int) string { return fmt.Sprint(point) },
	}
}

// chunked runs body for each chunk: where it begins, and its size.
func (d *sumNest) chunked(body func(at, size *index.Expr) []ila.Node) []ila.Node {
	last := d.ix.AddInt(d.e, -1)
	all := ila.Loop("chunk", last, func(i *index.Expr) []ila.Node { return body(d.ix.Mul(i, d.c), d.c) })
	return append([]ila.Node{all}, body(d.ix.Mul(last, d.c), d.t)...)
}

// Each driver is one that the induction once gave up; each near miss differs from it in one number.
func TestStops(t *testing.T) {
	for _, test := range []struct {
		name  string
		right sumDriver
		wrong func(*sumNest) []ila.Node
	}{
		{"a sum over chunks and their elements", sumDriver{body: func(d *sumNest) []ila.Node { return d.inChunks(0, 0) }},
			func(d *sumNest) []ila.Node { return d.inChunks(1, 0) }},
		{"a carried cell at a constant address", sumDriver{body: func(d *sumNest) []ila.Node { return d.viaCell(0) }},
			func(d *sumNest) []ila.Node { return d.viaCell(1) }},
		{"a child that compares by less", sumDriver{less: true, body: func(d *sumNest) []ila.Node { return d.byChild(0) }},
			func(d *sumNest) []ila.Node { return d.byChild(-1) }},
		{"a child whose instructions take turns", sumDriver{turns: true, body: func(d *sumNest) []ila.Node { return d.byChild(0) }},
			func(d *sumNest) []ila.Node { return d.byChild(-1) }},
		{"chunks by a child", sumDriver{body: func(d *sumNest) []ila.Node { return d.chunksByChild(0) }},
			func(d *sumNest) []ila.Node { return d.chunksByChild(1) }},
	} {
		a, err := Verify(context.Background(), sums(test.right))
		if err != nil || a.Verdict != prove.Proved {
			t.Errorf("%s: %s at %v, %v: %s", test.name, a.Verdict, a.Point, err, a.Detail)
		}
		wrong := test.right
		wrong.body = test.wrong
		r := prove.NewResult()
		if err := Prove(context.Background(), sums(wrong), r); err != nil || r.Verdict != prove.Unknown {
			t.Errorf("%s, near miss: %s, %v", test.name, r.Verdict, err)
		}
		if a, err = Verify(context.Background(), sums(wrong)); err != nil || a.Verdict != prove.Refuted {
			t.Errorf("%s, near miss: %v, %v", test.name, a, err)
		}
	}
}

// inChunks adds the elements of each chunk one by one; from is the first of the last chunk, off what addresses are off by
// in all chunks but the last.
func (d *sumNest) inChunks(from, off int64) []ila.Node {
	zero, one := d.num(0), d.num(1)
	list := []ila.Node{d.instruction(0, zero, zero, zero)}
	return append(list, d.chunked(func(at, size *index.Expr) []ila.Node {
		first := d.num(off)
		if size == d.t {
			first = d.num(from)
		}
		return []ila.Node{ila.Loop("element", d.ix.Sub(size, first), func(i *index.Expr) []ila.Node {
			return []ila.Node{d.instruction(1, zero, d.ix.Add(at, d.ix.Add(i, first)), one)}
		})}
	})...)
}

// viaCell adds a cell that the loop does not change, 0, beside each element; the near miss adds the sum itself.
func (d *sumNest) viaCell(miss int64) []ila.Node {
	zero, one := d.num(0), d.num(1)
	list := []ila.Node{d.instruction(0, zero, zero, zero), d.instruction(0, one, zero, zero)}
	return append(list, ila.Loop("element", d.k, func(i *index.Expr) []ila.Node {
		return []ila.Node{d.instruction(1, zero, i, one), d.instruction(3, zero, d.num(1-miss), one)}
	}))
}

// byChild adds all elements by one instruction.
func (d *sumNest) byChild(off int64) []ila.Node {
	zero := d.num(0)
	return []ila.Node{d.instruction(0, zero, zero, zero), d.instruction(2, zero, zero, d.ix.AddInt(d.k, off))}
}

// chunksByChild adds each chunk by an instruction; the last begins off elements too early.
func (d *sumNest) chunksByChild(off int64) []ila.Node {
	zero := d.num(0)
	list := []ila.Node{d.instruction(0, zero, zero, zero)}
	return append(list, d.chunked(func(at, size *index.Expr) []ila.Node {
		if size == d.t && off > 0 {
			at = d.ix.Sub(d.ix.AddInt(d.k, -off), size)
		}
		return []ila.Node{d.instruction(2, zero, at, size)}
	})...)
}
