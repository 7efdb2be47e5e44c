package crossbar

import (
	"fmt"
	"strings"

	"tv/ila"
	"tv/semantics/index"
)

// GemmAll is Gemm for all sizes of which one tile holds the weights, without gaps between rows: m rows, n columns and k
// products that fit the memory together. Options for places, leading dimensions and tiles are left aside.
// Errors: machine-config.
func GemmAll(o Options) (*ila.Family, error) {
	return all("cim-gemm", []string{"m", "n", "k"}, o)
}

// GemvAll is Gemv for all sizes of which one tile holds the matrix, of m rows and n columns as it is stored, without gaps.
// Options for places, leading dimensions, steps and tiles are left aside.
// Errors: machine-config.
func GemvAll(o Options) (*ila.Family, error) {
	return all("cim-gemv", []string{"m", "n"}, o)
}

// all returns the driver of so many sizes: those of a product, or of a matrix by which a vector is multiplied.
func all(name string, names []string, o Options) (*ila.Family, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if err := o.Config.check(); err != nil {
		return nil, err
	}
	vector := len(names) == 2
	rows, columns := "k", "n" // of the weights
	domain := []string{fmt.Sprintf("1 <= m <= %d", mostSide)}
	matrices := "m*k + k*n + m*n"
	if vector {
		rows, columns, domain, matrices = "n", "m", nil, "m + m*n + n"
		if o.TransA {
			rows, columns = columns, rows
		}
	}
	sizes := make([]ila.Size, len(names))
	for i, n := range names {
		sizes[i] = ila.Size{Name: n, Least: 1}
	}
	return &ila.Family{
		Name: name, Sizes: sizes,
		Domain: append(domain, fmt.Sprintf("1 <= %s <= %d", columns, o.Config.Columns), fmt.Sprintf("1 <= %s <= %d", rows, o.Config.Rows),
			fmt.Sprintf("%s <= %d", matrices, Memory)),
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
			p.vector = vector
			zero, transposed := ix.Const(0), o.TransB
			switch {
			case !vector:
				p.m, p.n, p.k = s[0], s[1], s[2]
			case o.TransA:
				p.m, p.n, p.k, transposed = ix.Const(1), s[1], s[0], false
			default:
				p.m, p.n, p.k, transposed = ix.Const(1), s[0], s[1], true
			}
			p.tiles = []tile{{zero, zero, p.k, p.n}}
			p.nest.Name = name
			p.nest.Claim = p.claim("out[i,j]", map[bool]string{false: "a[i,l]", true: "a[l,i]"}[o.TransA],
				map[bool]string{false: "b[l,j]", true: "b[j,l]"}[o.TransB], "c[i,j]", rows)
			if vector {
				p.nest.Claim = p.claim("out[j]", "x[l]", map[bool]string{false: "a[j,l]", true: "a[l,j]"}[o.TransA], "y[j]", rows)
			}
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
				switch {
				case declare && vector && name != "a":
					x.tensor = p.nest.Declare(name, p.width, true, columns)
				case declare:
					x.tensor = p.nest.Declare(name, p.width, true, rows, columns)
				}
				next = ix.Add(next, size)
				return x
			}
			left, right, result := "a", "b", "c"
			if vector {
				left, right, result = "x", "a", "y"
			}
			p.left = place(left, o.TransA && !vector, p.m, p.k, true)
			p.right = place(right, transposed, p.k, p.n, true)
			p.result = place(result, false, p.m, p.n, o.Beta != 0)
			p.finish()
			below := func(n int, e *index.Expr) *index.Expr { return ix.Sub(p.num(n), e) }
			return p.nest, []*index.Expr{below(mostSide, p.m), below(o.Config.Columns, p.n), below(o.Config.Rows, p.k), below(Memory, next)}, nil
		},
		Print: func(point []int) string {
			return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(point)), "x"), "[]")
		},
	}, nil
}
