package vta

import (
	"fmt"

	"tv/ila"
	"tv/semantics/index"
)

// DenseAll is Dense for all sizes of which one chunk is the whole: m rows, N tiles of n and K tiles of k, which fit
// the memories together.
func DenseAll(name string, c Config, o DenseOptions) *ila.Family {
	return denseAll(name, func() *Machine { return NewModel(c) }, o, nil)
}

// denseAll is DenseAll on a machine that model makes; wreck, if not nil, changes the nest.
func denseAll(name string, model func() *Machine, o DenseOptions, wreck func(*ila.Nest)) *ila.Family {
	return &ila.Family{
		Name:  name,
		Sizes: []ila.Size{{Name: "m", Least: 1}, {Name: "N", Least: 1}, {Name: "K", Least: 1}},
		Domain: []string{"m >= 1", "n = 16*N", "k = 16*K", "N >= 1", "1 <= K <= 1023", "N*K <= 1024", "m*K <= 2048",
			"m*N <= 2048"},
		New: func(sizes func(*index.Builder) []*index.Expr) (*ila.Nest, []*index.Expr, error) {
			machine := model()
			ix := machine.b.Index
			s := sizes(ix)
			m, n, k, one := s[0], s[1], s[2], ix.Const(1)
			most := func(limit int64, x, y *index.Expr) *index.Expr { return ix.Sub(ix.Const(limit), ix.Mul(x, y)) }
			facts := []*index.Expr{most(mostDepth, k, one), most(wgtTiles, n, k), most(inpTiles, m, k), most(accTiles, m, n)}
			nest, err := dense(machine, cut{m: m, n: n, k: k, mc: m, nc: n, kc: k, ms: one, ns: one, ks: one}, o)
			if err == nil && wreck != nil {
				wreck(nest)
			}
			return nest, facts, err
		},
		Print: func(point []int) string { return fmt.Sprintf("%dx%dx%d", point[0], lanes*point[1], lanes*point[2]) },
	}
}

// mostOperand bounds the tiles of the operand a and of the result in DenseRowsAll, so that addresses fit their fields.
const mostOperand = 1 << 20

// DenseRows is Dense in chunks of the given number of rows; n and k are one chunk. An error says what does not fit.
func DenseRows(c Config, m, n, k, rows int, o DenseOptions) (*ila.Task, error) {
	o.ChunkM = rows
	mc, nc, kc := chunks(m, n/lanes, k/lanes, o)
	if rows < 1 || mc != rows || nc*lanes != n || kc*lanes != k {
		return nil, fmt.Errorf("%dx%dx%d in chunks of %d rows: a chunk is not of so many rows, or does not fit the memories",
			m, n, k, rows)
	}
	return Dense(c, m, n, k, o)
}

// DenseRowsAll is DenseRows for all sizes: M >= 2 chunks of c rows, the last of r, N tiles of n and K tiles of k.
func DenseRowsAll(name string, c Config, o DenseOptions) *ila.Family {
	return &ila.Family{
		Name: name,
		Sizes: []ila.Size{{Name: "M", Least: 2}, {Name: "c", Least: 1}, {Name: "r", Least: 1}, {Name: "N", Least: 1},
			{Name: "K", Least: 1}},
		Domain: []string{"m = (M-1)*c + r", "M >= 2", "1 <= r <= c", "n = 16*N", "k = 16*K", "N >= 1", "1 <= K <= 1023",
			"N*K <= 1024", "c*K <= 2048", "c*N <= 2048", "M*c*K <= 1048576", "M*c*N <= 1048576"},
		New: func(sizes func(*index.Builder) []*index.Expr) (*ila.Nest, []*index.Expr, error) {
			machine := NewModel(c)
			ix := machine.b.Index
			s := sizes(ix)
			count, rows, last, n, k, one := s[0], s[1], s[2], s[3], s[4], ix.Const(1)
			most := func(limit int64, x, y *index.Expr) *index.Expr { return ix.Sub(ix.Const(limit), ix.Mul(x, y)) }
			whole := ix.Mul(count, rows)
			facts := []*index.Expr{most(mostDepth, k, one), most(wgtTiles, n, k), most(inpTiles, rows, k),
				most(accTiles, rows, n), ix.Sub(rows, last), most(mostOperand, whole, k), most(mostOperand, whole, n)}
			m := ix.Add(ix.Mul(ix.AddInt(count, -1), rows), last)
			nest, err := dense(machine, cut{m: m, n: n, k: k, mc: rows, nc: n, kc: k, ms: count, ns: one, ks: one}, o)
			return nest, facts, err
		},
		Print: func(point []int) string {
			return fmt.Sprintf("%dx%dx%dx%d", (point[0]-1)*point[1]+point[2], lanes*point[3], lanes*point[4], point[1])
		},
	}
}
