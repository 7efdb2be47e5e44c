package recur

import (
	"tv/semantics/domain"
	"tv/semantics/loops"
)

// A flat buffer has one axis for two: a subscript i*width + j, with 0 <= j < width, is row i and column j.
type flat struct {
	rows, width lin
}

// flats finds the buffers whose extent is a product of sizes, of which one is a factor in each of their subscripts.
func (s *side) flats() {
	s.flat = map[*loops.Buffer]flat{}
	for _, b := range s.typed.Procedure.Buffers {
		if len(b.Dims) != 1 {
			continue
		}
		size, ok := s.typed.Places.Size(b.Dims[0])
		if !ok {
			continue
		}
		if size = s.typed.Size(size); size.Op() != domain.SizeMul {
			continue
		}
		for i, width := range size.Operands() {
			rest := domain.IntSize(1)
			for k, f := range size.Operands() {
				if k != i {
					rest = rest.Mul(f)
				}
			}
			w, ok := s.maybe(width)
			rows, okRows := s.maybe(rest)
			if _, number := rest.Int64(); !number && ok && okRows && len(w.terms) == 1 && s.splits(b, &w) {
				s.flat[b] = flat{rows, w}
				break
			}
		}
	}
}

// splits tells whether a width is a factor in the subscripts of a buffer.
func (s *side) splits(b *loops.Buffer, width *lin) bool {
	var product func(x *loops.Int) bool
	product = func(x *loops.Int) bool {
		if x.Op == loops.Times {
			for _, a := range x.Args {
				if a.Op == loops.Size && s.size(domain.NamedSize(a.Name), a.At).equal(*width) {
					return true
				}
			}
		}
		for _, a := range x.Args {
			if product(a) {
				return true
			}
		}
		return false
	}
	for _, pl := range loops.PlacesOf(s.typed.Procedure).Ordered() {
		x, ok := pl.Stmt.(*loops.Assign)
		if !ok {
			continue
		}
		found := false
		see := func(a loops.Access) {
			found = found || a.Buffer == b && product(a.At[0])
		}
		see(x.To)
		var reads func(e *loops.Expr)
		reads = func(e *loops.Expr) {
			if e.Op == loops.Read {
				see(e.From)
			}
			for _, a := range e.Args {
				reads(a)
			}
		}
		reads(x.Value)
		if found {
			return true
		}
	}
	return false
}

// carried has widths that are added to a column for rows, all but one where what is left of the column only falls: of i*N + N-1-j the
// column is N-1-j, of i*N + N + j it is j.
func (f flat) carried(row, column lin) (lin, lin) {
	w := f.width.terms[0]
	k := floor(column.factor(w.v), w.k)
	rest := column.plus(-k, f.width)
	falls := rest.c < 0 || len(rest.terms) > 0
	for _, t := range rest.terms {
		falls = falls && t.k < 0
	}
	if falls {
		k--
	}
	return row.add(k), column.plus(-k, f.width)
}

// plain is an integer that is no flat subscript, or inside of one where rows are not looked for.
func (s *side) plain(x *loops.Int) []value {
	width := s.width
	s.width = nil
	defer func() { s.width = width }()
	return s.int(x)
}

// whole is the index of a cell in the one axis of a flat buffer.
func (r *run) whole(b *loops.Buffer, cell []int64) []int64 {
	f, ok := r.flat[b]
	if !ok {
		return cell
	}
	return []int64{cell[0]*f.width.at(r.sizeOf) + cell[1]}
}

// cellAt is the index of what is at some subscripts: of a flat buffer row and column.
func (r *run) cellAt(a loops.Access) []int64 {
	at := r.subscripts(a.At)
	if f, ok := r.flat[a.Buffer]; ok {
		width := f.width.at(r.sizeOf)
		return []int64{floor(at[0], width), at[0] - width*floor(at[0], width)}
	}
	return at
}

func (r *run) sizeOf(v int) int64 { return r.sizes[v] }
