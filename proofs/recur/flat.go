package recur

import (
	"math/big"

	"tv/proofs/loops"
	"tv/semantics/domain"
)

// A flat buffer has one axis for two, as its extent is rows*width: a subscript i*width + j is row i
// and column j if 0 <= j < width, which is claimed of each.
type flat struct {
	rows, width Form
}

// flats finds the buffers whose extent is a product of sizes and whose subscripts have one of these
// for a factor, the first such one.
func (n *nest) flats() {
	n.flat = map[*loops.Buffer]flat{}
	for _, s := range n.stmts {
		if s.assign == nil {
			continue
		}
		for _, a := range s.accesses() {
			if _, done := n.flat[a.Buffer]; done || len(a.Buffer.Dims) != 1 {
				continue
			}
			for _, f := range n.factors(a.Buffer.Dims[0]) {
				if n.factor(a.At[0], f.width) {
					n.flat[a.Buffer] = f
					break
				}
			}
		}
	}
}

// accesses are those of a statement: what it writes and reads.
func (s *statement) accesses() []loops.Access {
	out := []loops.Access{s.assign.To}
	for _, r := range s.reads {
		out = append(out, r.From)
	}
	return out
}

// factors are the ways in which an extent is rows times a width, both of which vary.
func (n *nest) factors(x domain.Size) (out []flat) {
	x = n.env.Size(x)
	if x.Op() != domain.SizeMul {
		return nil
	}
	for i, width := range x.Operands() {
		rest := domain.IntSize(1)
		for k, f := range x.Operands() {
			if k != i {
				rest = rest.Mul(f)
			}
		}
		w, ok := (*place)(nil).affine(width)
		rows, also := (*place)(nil).affine(rest)
		if ok && also && len(w.Of) == 1 && len(rows.Of) > 0 {
			out = append(out, flat{rows, w})
		}
	}
	return out
}

// factor reports whether a width is a factor somewhere in an integer.
func (n *nest) factor(e *loops.Int, width Form) bool {
	for _, a := range e.Args {
		if e.Op == loops.IntMul && n.is(a, width) || n.factor(a, width) {
			return true
		}
	}
	return false
}

func (n *nest) is(e *loops.Int, width Form) bool {
	return e.Op == loops.IntSize && n.size(domain.NamedSize(e.Name)).minus(width).zero()
}

// index are the subscripts of an access: row and column of a flat buffer.
func (x instance) index(p *place, a loops.Access) []Form {
	f, ok := x.flat[a.Buffer]
	if !ok {
		return x.integers(p, a.At)
	}
	row, column := x.apart(p, a.At[0], f.width)
	return f.carried(row, column)
}

// carried has widths that are added to a column for rows, all but one where what is left of the
// column only falls: of i*N + N-1-j the column is N-1-j, of i*N + N + j it is j.
func (f flat) carried(row, column Form) []Form {
	for name, k := range f.width.Of {
		k := new(big.Int).Div(valued(column, name), k)
		rest := column.with(new(big.Int).Neg(k), f.width)
		falls := rest.N.Sign() < 0 || len(rest.Of) > 0
		for _, v := range rest.Of {
			falls = falls && v.Sign() < 0
		}
		if falls {
			k.Sub(k, big.NewInt(1))
		}
		return []Form{row.with(k, number(1)), column.with(new(big.Int).Neg(k), f.width)}
	}
	return []Form{row, column}
}

// valued is the factor of a name.
func valued(f Form, name string) *big.Int {
	if k := f.Of[name]; k != nil {
		return k
	}
	return new(big.Int)
}

// apart is an integer as row*width + column.
func (x instance) apart(p *place, e *loops.Int, width Form) (row, column Form) {
	if e.Op != loops.IntAdd && e.Op != loops.IntMul {
		return number(0), x.integer(p, e)
	}
	row, column = x.apart(p, e.Args[0], width)
	for _, a := range e.Args[1:] {
		r, c := x.apart(p, a, width)
		switch {
		case e.Op == loops.IntAdd:
			row, column = row.plus(1, r), column.plus(1, c)
		case row.zero() && r.zero() && column.minus(width).zero():
			row, column = c, number(0)
		case row.zero() && r.zero() && c.minus(width).zero():
			row, column = column, number(0)
		case row.zero():
			row, column = product(column, r), product(column, c)
		default:
			if !r.zero() {
				unsupported("a product of two rows")
			}
			row, column = product(row, c), product(column, c)
		}
	}
	return row, column
}

// columns refuses a flat subscript that may be in no row of its own.
func (c *checker) columns() {
	for _, n := range c.sides {
		for _, s := range n.stmts {
			if s.assign == nil {
				continue
			}
			for _, a := range s.accesses() {
				f, ok := n.flat[a.Buffer]
				if !ok {
					continue
				}
				p := c.facts.clone()
				x := instance{s, p.open(len(s.loops))}
				for _, q := range x.instances(p) {
					column := x.index(q, a)[1]
					about := x.String() + ": a column that there is not"
					c.claim(q, about, below(column, number(0)))
					c.claim(q, about, atLeast0(column.minus(f.width)))
				}
			}
		}
	}
}
