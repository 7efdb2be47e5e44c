package crossbar

import (
	"fmt"

	"tv/ila"
	"tv/semantics/index"
	"tv/semantics/term"
)

// body returns the program.
func (p *product) body() []ila.Node {
	var nodes []ila.Node
	for batch := range p.batch {
		at := p.num(batch)
		if p.o.Zero {
			nodes = append(nodes, p.zero(at)...)
		}
		bank := func(t int) int {
			if p.o.Double {
				return t % 2
			}
			return 0
		}
		for t := range p.tiles {
			switch {
			case !p.o.Double || t == 0:
				nodes = append(nodes, p.program(at, p.tiles[t], bank(t))...)
			}
			if p.o.Double && t+1 < len(p.tiles) {
				nodes = append(nodes, p.program(at, p.tiles[t+1], bank(t+1))...)
			}
			beta := 1
			if p.tiles[t].l.IsZero() && !p.o.Zero {
				beta = p.o.Beta
			}
			nodes = append(nodes, p.multiply(at, p.tiles[t], bank(t), p.o.Alpha, beta)...)
		}
	}
	return nodes
}

// set returns the node that writes a register.
func (p *product) set(register uint64, name string, value *index.Expr) []ila.Node {
	if p.o.mutate != nil {
		if value = p.o.mutate(p.ix, name, value); value == nil {
			return nil
		}
	}
	return []ila.Node{p.access(1, register, p.b.Number(term.BitsSort(32), value), fmt.Sprintf("%s %s", name, value))}
}

func (p *product) access(write, register uint64, data *term.Term, text string) ila.Node {
	return ila.Node{Values: []*term.Term{p.b.Bits(1, write), p.b.Bits(8, register), data}, Text: text}
}

// start returns the nodes that start the tile and wait until it is done.
func (p *product) start(command int, name string) []ila.Node {
	nodes := p.set(RegControl, name, p.num(command))
	if p.o.mutate != nil && p.o.mutate(p.ix, "poll", p.num(0)) == nil {
		return nodes
	}
	return append(nodes, p.access(0, RegStatus, p.b.Bits(32, 0), "poll"))
}

// join puts nodes one after the other.
func join(lists ...[]ila.Node) []ila.Node {
	var all []ila.Node
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// program stores a tile of B in the cells of a bank.
func (p *product) program(batch *index.Expr, t tile, bank int) []ila.Node {
	return join(
		p.set(RegRows, "rows", t.rows), p.set(RegColumns, "columns", t.columns), p.set(RegBank, "bank", p.num(bank)),
		p.set(RegOperand, "weights", p.where(p.right, batch, t.l, t.j)),
		p.set(RegRowStep, "weights_row_step", p.right.rowStep), p.set(RegColumnStep, "weights_column_step", p.right.colStep),
		p.start(cmdProgram, "program"))
}

// multiply multiplies all rows of A by a tile.
func (p *product) multiply(batch *index.Expr, t tile, bank, alpha, beta int) []ila.Node {
	setup := join(
		p.set(RegRows, "rows", t.rows), p.set(RegColumns, "columns", t.columns), p.set(RegBank, "bank", p.num(bank)),
		p.set(RegRowStep, "vector_step", p.left.colStep), p.set(RegResultStep, "result_step", p.result.colStep),
		p.set(RegAlpha, "alpha", p.num(alpha&255)), p.set(RegBeta, "beta", p.num(beta&255)))
	rows := ila.Loop("row", p.m, func(i *index.Expr) []ila.Node {
		return join(
			p.set(RegOperand, "vector", p.where(p.left, batch, i, t.l)),
			p.set(RegResult, "result", p.where(p.result, batch, i, t.j)),
			p.start(cmdMultiply, "multiply"))
	})
	return append(setup, rows)
}

// zero multiplies C by beta, or writes zeros to it where that is 0: a product with alpha = 0 by the weights of the first
// tile of each column.
func (p *product) zero(batch *index.Expr) []ila.Node {
	var nodes []ila.Node
	for _, t := range p.tiles {
		if t.l.IsZero() {
			nodes = append(nodes, p.program(batch, t, 0)...)
			nodes = append(nodes, p.multiply(batch, t, 0, 0, p.o.Beta)...)
		}
	}
	return nodes
}
