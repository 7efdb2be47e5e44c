package crossbar

import (
	"fmt"

	"tv/ila"
	"tv/semantics/index"
)

// GemmAll is Gemm for all sizes of which one tile holds the weights, without gaps between rows: m rows, n columns and k
// products that fit the memory together. Options for places, leading dimensions and tiles are left aside.
// Errors: machine-config.
func GemmAll(o Options) (*ila.Family, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if err := o.Config.check(); err != nil {
		return nil, err
	}
	matrices := "m*k + k*n + m*n"
	return &ila.Family{
		Name:  "cim-gemm",
		Sizes: []ila.Size{{Name: "m", Least: 1}, {Name: "n", Least: 1}, {Name: "k", Least: 1}},
		Domain: []string{fmt.Sprintf("1 <= m <= %d", mostSide), fmt.Sprintf("1 <= n <= %d", o.Config.Columns), fmt.Sprintf("1 <= k <= %d", o.Config.Rows),
			fmt.Sprintf("%s <= %d", matrices, Memory)},
		New: func(sizes func(*index.Builder) []*index.Expr) (*ila.Nest, []*index.Expr, error) {
			machine, err := NewModel(o.Config)
			if err != nil {
				return nil, nil, err
			}
			if o.machine != nil {
				machine = o.machine(o.Config)
			}
			p, err := productOf(machine, o, 8)
			if err != nil {
				return nil, nil, err
			}
			ix := p.ix
			s := sizes(ix)
			p.m, p.n, p.k = s[0], s[1], s[2]
			zero := ix.Const(0)
			p.tiles = []tile{{zero, zero, p.k, p.n}}
			p.nest.Name = "cim-gemm"
			p.nest.Claim = p.claim("out[i,j]", map[bool]string{false: "a[i,l]", true: "a[l,i]"}[o.TransA],
				map[bool]string{false: "b[l,j]", true: "b[j,l]"}[o.TransB], "c[i,j]", "k")
			next := zero
			place := func(name string, transposed bool, rows, columns *index.Expr, declare bool) operand {
				if transposed {
					rows, columns = columns, rows
				}
				one, size := ix.Const(1), ix.Mul(rows, columns)
				x := operand{at: next, stride: size, rowStep: columns, colStep: one, rowFlat: columns, colFlat: one, all: size}
				if transposed {
					x.rowStep, x.colStep, x.rowFlat, x.colFlat = one, columns, one, columns
				}
				if declare {
					x.tensor = p.nest.Declare(name, p.width, true, rows, columns)
				}
				next = ix.Add(next, size)
				return x
			}
			p.left = place("a", o.TransA, p.m, p.k, true)
			p.right = place("b", o.TransB, p.k, p.n, true)
			p.result = place("c", false, p.m, p.n, o.Beta != 0)
			p.finish()
			below := func(n int, e *index.Expr) *index.Expr { return ix.Sub(p.num(n), e) }
			return p.nest, []*index.Expr{below(mostSide, p.m), below(o.Config.Columns, p.n), below(o.Config.Rows, p.k), below(Memory, next)}, nil
		},
		Print: func(point []int) string { return fmt.Sprintf("%dx%dx%d", point[0], point[1], point[2]) },
	}, nil
}
