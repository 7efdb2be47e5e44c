package induct

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"tv/ila"
	"tv/ila/prove"
	"tv/semantics/index"
	"tv/semantics/term"
)

// pairs is a family for a machine that adds pairs of cells in place: mem[i] = mem[2i] + mem[2i+1] for i below half the
// count, from the first one up or from the last one down. Downwards it overwrites what it has yet to read.
func pairs(down bool) *ila.Family {
	return &ila.Family{
		Name: "pairs", Sizes: []ila.Size{{Name: "P", Least: 1}}, Domain: []string{"1 <= P <= 1000"},
		New: func(sizes func(*index.Builder) []*index.Expr) (*ila.Nest, []*index.Expr, error) {
			m := ila.New("pairs", "adds pairs of cells in place")
			b, ix := m.B, m.B.Index
			op := m.Input("op", 1, "0 stores, 1 starts")
			addr := m.Input("addr", 16, "a cell, or how many pairs there are")
			data := m.Input("data", 8, "what is stored")
			mem := m.Memory("mem", 8, 1<<12, "cells")
			i := m.Bits("i", 16, "pair at work")
			last := m.Bits("last", 16, "last pair")
			run := m.Bits("run", 1, "pairs are left")
			num := func(v uint64) *term.Term { return b.Bits(16, v) }
			m.Instruction("store", "", b.Equal(op.Term, b.Bits(1, 0))).Store(mem, m.At(addr.Term), data.Term)
			start := m.Instruction("start", "", b.Equal(op.Term, b.Bits(1, 1)))
			most, first, end := b.SubBits(addr.Term, num(1)), num(0), last.Term
			next := b.AddBits(i.Term, num(1))
			if down {
				first, end, next = most, num(0), b.SubBits(i.Term, num(1))
			}
			start.Set(run, b.Bits(1, 1))
			start.Set(i, first)
			start.Set(last, most)
			step := m.Child("step", "").Instruction("add", "", b.Equal(run.Term, b.Bits(1, 1)))
			even := m.Times(2, i.Term)
			step.Store(mem, m.At(i.Term), b.AddBits(m.Load(mem, even), m.Load(mem, b.AddBits(even, m.Address(1)))))
			step.Set(i, next)
			step.Set(run, b.Choose(b.Equal(i.Term, end), b.Bits(1, 0), b.Bits(1, 1)))

			p := sizes(ix)[0]
			n := &ila.Nest{Name: "pairs", Model: m, Claim: "out[i] = x[2i] + x[2i+1]"}
			x := n.Declare("x", 8, false, ix.Scale(index.Int(2), p))
			zero := b.Bits(8, 0)
			n.Body = []ila.Node{
				ila.Loop("cell", ix.Scale(index.Int(2), p), func(c *index.Expr) []ila.Node {
					return []ila.Node{{Values: []*term.Term{b.Bits(1, 0), b.Number(term.BitsSort(16), c), n.Element(x, c)}}}
				}),
				{Values: []*term.Term{b.Bits(1, 1), b.Number(term.BitsSort(16), p), zero}, Text: "start"},
			}
			n.Result("out", 8, false, p)
			n.Place = func(at []*index.Expr) ila.Cell { return ila.Cell{Memory: mem, Address: at[0]} }
			n.Contract = func(at []*index.Expr) *term.Term {
				even := ix.Scale(index.Int(2), at[0])
				return b.AddBits(n.Element(x, even), n.Element(x, ix.AddInt(even, 1)))
			}
			return n, []*index.Expr{ix.Sub(ix.Const(1000), p)}, nil
		},
		Print: func(point []int) string { return fmt.Sprint(point[0]) },
	}
}

// In place and upwards every pair is read before it is overwritten, which the proof has to see; downwards all is the
// same but that, and nothing else keeps it from being proved.
func TestOverwrite(t *testing.T) {
	a, err := Verify(context.Background(), pairs(false))
	if err != nil || a.Verdict != prove.Proved {
		t.Fatalf("upwards: %s, %v: %s", a.Verdict, err, a.Detail)
	}
	r := prove.NewResult()
	err = Prove(context.Background(), pairs(true), r)
	if err != nil || r.Verdict != prove.Unknown || !strings.Contains(r.Detail, "which earlier ones may write") {
		t.Errorf("downwards: %s, %v: %s", r.Verdict, err, r.Detail)
	}
	a, err = Verify(context.Background(), pairs(true))
	if err != nil || a.Verdict != prove.Refuted || a.Point[0] < 2 {
		t.Errorf("downwards: %s at %v, %v", a.Verdict, a.Point, err)
	}
}
