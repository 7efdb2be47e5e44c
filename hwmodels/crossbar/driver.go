package crossbar

import (
	"fmt"

	"tv/ila"
	"tv/internal/source"
	"tv/semantics/index"
	"tv/semantics/term"
)

// Codes of what drivers do not take.
const (
	CodeConfig = "machine-config" // a machine or a driver with such a choice there is not
	CodeLayout = "machine-layout" // a leading dimension below a row, operands that overlap or run beyond the memory
)

func problem(code, format string, args ...any) error {
	return &source.Error{Code: code, Msg: fmt.Sprintf(format, args...)}
}

// mostSide bounds each size, so that programs can be made.
const mostSide = 1 << 14

// Gemm returns the program for C = alpha·op(A)·op(B) + beta·C of int8, m x k by k x n, row-major, and its contract: all
// of it modulo 2^8. A, B and C lie one after the other in memory; beta = 0 does not read C. The product is cut into tiles
// that the cells hold: tiles of k accumulate with beta = 1 after the first one.
// Errors: machine-sizes, machine-config, machine-layout.
func Gemm(m, n, k int, o Options) (*ila.Nest, error) {
	p, err := newProduct(o, 8, 1, m, n, k)
	if err != nil {
		return nil, err
	}
	p.name(fmt.Sprintf("cim-gemm %dx%dx%d", m, n, k))
	return p.gemm(stored(o.TransA, "a", m, k), stored(o.TransB, "b", k, n))
}

// Batched returns the program for a batch of products, one after the other: those of Gemm, whose operands follow each
// other in memory.
// Errors: those of Gemm.
func Batched(batch, m, n, k int, o Options) (*ila.Nest, error) {
	p, err := newProduct(o, 8, batch, m, n, k)
	if err != nil {
		return nil, err
	}
	p.batched = true
	p.name(fmt.Sprintf("cim-batched %dx%dx%dx%d", batch, m, n, k))
	return p.gemm(stored(o.TransA, "a", m, k), stored(o.TransB, "b", k, n))
}

// Saturating is Gemm of operands that have so many bits, signed: where a machine saturates results, the precondition
// under which that changes nothing. For too many bits the contract does not hold.
// Errors: those of Gemm.
func Saturating(m, n, k, width int, o Options) (*ila.Nest, error) {
	if width < 2 || width > 8 {
		return nil, problem(CodeSizes, "operands of %d bits: they have 2 to 8", width)
	}
	o.Config.Saturate = true
	p, err := newProduct(o, width, 1, m, n, k)
	if err != nil {
		return nil, err
	}
	p.name(fmt.Sprintf("cim-saturating %dx%dx%dx%d", m, n, k, width))
	p.nest.Claim = fmt.Sprintf("%s, which saturates nowhere where a and b have %d bits", p.nest.Claim, width)
	return p.gemm(stored(o.TransA, "a", m, k), stored(o.TransB, "b", k, n))
}

// Gemv returns the program for y = alpha·op(A)·x + beta·y of int8, A of m x n as it is stored, and its contract. The
// elements of x are IncX apart, those of y IncY; y has n elements where A is transposed, else m.
// Errors: those of Gemm.
func Gemv(m, n int, o Options) (*ila.Nest, error) {
	out, in := m, n
	if o.TransA {
		out, in = n, m
	}
	p, err := newProduct(o, 8, 1, 1, out, in)
	if err != nil {
		return nil, err
	}
	p.name(fmt.Sprintf("cim-gemv %dx%d", m, n))
	p.nest.Claim = p.claim("out[j]", "x[l]", map[bool]string{false: "a[j,l]", true: "a[l,j]"}[o.TransA], "y[j]", in)
	matrix := stored(!o.TransA, "a", in, out)
	x, y := shape{name: "x", rows: 1, columns: in, lead: in, step: o.IncX}, shape{name: "y", rows: 1, columns: out, lead: out, step: o.IncY}
	if o.IncX < 1 || o.IncY < 1 {
		return nil, problem(CodeLayout, "elements of x or y are %d or %d apart, and must be at least 1", o.IncX, o.IncY)
	}
	x.lead, y.lead = in*x.step, out*y.step
	if err := matrix.leading("lda", o.LDA); err != nil {
		return nil, err
	}
	p.vector = true
	return p.lay(x, matrix, y)
}

// A shape is a matrix as it is stored, row by row: lead bytes from a row to the next, step from an element to the next. A
// transposed one stores its columns.
type shape struct {
	name                      string
	rows, columns, lead, step int // as stored
	transposed                bool
}

// stored returns the shape of a matrix of so many rows and columns, which may be stored transposed.
func stored(transposed bool, name string, rows, columns int) shape {
	if transposed {
		rows, columns = columns, rows
	}
	return shape{name: name, rows: rows, columns: columns, lead: columns, step: 1, transposed: transposed}
}

// leading takes a leading dimension, 0 for the least one.
func (s *shape) leading(name string, ld int) error {
	if ld == 0 {
		return nil
	}
	if ld < s.columns {
		return problem(CodeLayout, "%s is %d, less than the %d elements of a row of %s", name, ld, s.columns, s.name)
	}
	s.lead = ld
	return nil
}

// bytes is how many bytes a matrix takes, up to its last element.
func (s *shape) bytes() int { return (s.rows-1)*s.lead + (s.columns-1)*s.step + 1 }

// A product is a driver: C = alpha·A·B + beta·C, a batch of them.
type product struct {
	o               Options
	machine         *Machine
	nest            *ila.Nest
	b               *term.Builder
	ix              *index.Builder
	width           int // bits of the elements of A and B
	batch           int
	batched, vector bool // the output has a dim for the batch, or none for rows
	m, n, k         *index.Expr
	tiles           []tile
	left, right     operand
	result          operand
}

// A tile is the weights that the cells hold at a time: from row l and column j of B on.
type tile struct{ l, j, rows, columns *index.Expr }

// An operand is where the element (i, j) of a matrix lies: in memory, and in its tensor.
type operand struct {
	tensor                *ila.Tensor
	at, rowStep, colStep  *index.Expr // in memory
	stride                *index.Expr // from a matrix of a batch to the next
	rowFlat, colFlat, all *index.Expr // in the tensor
}

func newProduct(o Options, width, batch, m, n, k int) (*product, error) {
	for _, d := range []struct {
		name string
		size int
	}{{"batch", batch}, {"m", m}, {"n", n}, {"k", k}} {
		if d.size < 1 || d.size > mostSide {
			return nil, problem(CodeSizes, "%s is %d, and must be from 1 to %d", d.name, d.size, mostSide)
		}
	}
	machine, err := NewModel(o.Config)
	if err != nil {
		return nil, err
	}
	if o.machine != nil {
		machine = o.machine(o.Config)
	}
	p, err := productOf(machine, o, width)
	if err != nil {
		return nil, err
	}
	p.batch = batch
	p.m, p.n, p.k = p.num(m), p.num(n), p.num(k)
	p.tiles = p.cut(n, k)
	if len(p.tiles)*batch > mostTiles {
		return nil, problem(CodeSizes, "%d tiles: a program has at most %d", len(p.tiles)*batch, mostTiles)
	}
	return p, nil
}

// mostTiles bounds the tiles of a program.
const mostTiles = 1 << 10

// productOf returns a driver without sizes.
func productOf(machine *Machine, o Options, width int) (*product, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	return &product{o: o, machine: machine, b: machine.B, ix: machine.B.Index, width: width, batch: 1,
		nest: &ila.Nest{Model: machine.Model}}, nil
}

func (p *product) num(n int) *index.Expr { return p.ix.Const(int64(n)) }

func (p *product) name(text string) {
	p.nest.Name = text
	k, _ := ila.ConstInt(p.k)
	p.nest.Claim = p.claim("out[i,j]", map[bool]string{false: "a[i,l]", true: "a[l,i]"}[p.o.TransA],
		map[bool]string{false: "b[l,j]", true: "b[j,l]"}[p.o.TransB], "c[i,j]", k)
	if p.batch > 1 {
		p.nest.Claim += ", of each of the batch"
	}
}

// claim returns the contract as a formula.
func (p *product) claim(out, left, right, old string, k any) string {
	text := fmt.Sprintf("%s = %d·sum(l < %v) %s·%s", out, p.o.Alpha, k, left, right)
	if p.o.Alpha == 1 {
		text = fmt.Sprintf("%s = sum(l < %v) %s·%s", out, k, left, right)
	}
	if p.o.Beta != 0 {
		text += fmt.Sprintf(" + %d·%s", p.o.Beta, old)
	}
	return text + ", modulo 2^8"
}

// cut returns the tiles, in the order in which they are taken.
func (p *product) cut(n, k int) []tile {
	rows, columns := p.o.Config.Rows, p.o.Config.Columns
	if p.o.TileRows > 0 {
		rows = p.o.TileRows
	}
	if p.o.TileColumns > 0 {
		columns = p.o.TileColumns
	}
	var list []tile
	add := func(l, j int) {
		list = append(list, tile{p.num(l), p.num(j), p.num(min(rows, k-l)), p.num(min(columns, n-j))})
	}
	if p.o.Order == "kn" {
		for l := 0; l < k; l += rows {
			for j := 0; j < n; j += columns {
				add(l, j)
			}
		}
		return list
	}
	for j := 0; j < n; j += columns {
		for l := 0; l < k; l += rows {
			add(l, j)
		}
	}
	return list
}

// gemm lays out matrices and makes the program.
func (p *product) gemm(a, b shape) (*ila.Nest, error) {
	m, _ := ila.ConstInt(p.m)
	n, _ := ila.ConstInt(p.n)
	c := stored(false, "c", m, n)
	for _, x := range []struct {
		s    *shape
		name string
		ld   int
	}{{&a, "lda", p.o.LDA}, {&b, "ldb", p.o.LDB}, {&c, "ldc", p.o.LDC}} {
		if err := x.s.leading(x.name, x.ld); err != nil {
			return nil, err
		}
	}
	return p.lay(a, b, c)
}

// lay gives operands their places and makes the program.
func (p *product) lay(a, b, c shape) (*ila.Nest, error) {
	shapes := []shape{a, b, c}
	at := []int{p.o.AtA, p.o.AtB, p.o.AtC}
	next := 0
	for i := range shapes {
		s := &shapes[i]
		size := (p.batch-1)*s.rows*s.lead + s.bytes()
		if at[i] < 0 {
			at[i] = next
		}
		next = max(next, at[i]+(size+15)/16*16)
		if at[i]+size > Memory {
			return nil, problem(CodeLayout, "%s takes %d bytes from %d on, beyond the %d of the memory", s.name, size, at[i], Memory)
		}
		for j := range i {
			o := &shapes[j]
			if end := at[j] + (p.batch-1)*o.rows*o.lead + o.bytes(); at[i] < end && at[j] < at[i]+size {
				return nil, problem(CodeLayout, "%s and %s overlap in memory", o.name, s.name)
			}
		}
	}
	p.left = p.place(a, at[0], p.width, true)
	p.right = p.place(b, at[1], p.width, true)
	p.result = p.place(c, at[2], 8, p.o.Beta != 0)
	p.finish()
	return p.nest, nil
}

// place gives an operand its place; the result has a tensor if it is read.
func (p *product) place(s shape, at, width int, declare bool) operand {
	first, second := p.num(s.lead), p.num(s.step)
	flatFirst, flatSecond := p.num(s.columns), p.num(1)
	x := operand{at: p.num(at), stride: p.num(s.rows * s.lead), rowStep: first, colStep: second, rowFlat: flatFirst, colFlat: flatSecond,
		all: p.num(s.rows * s.columns)}
	if s.transposed {
		x.rowStep, x.colStep, x.rowFlat, x.colFlat = second, first, flatSecond, flatFirst
	}
	if declare {
		dims := []*index.Expr{p.num(s.rows), p.num(s.columns)}
		if p.vector && s.rows == 1 && s.name != "a" {
			dims = dims[1:]
		}
		if p.batched {
			dims = append([]*index.Expr{p.num(p.batch)}, dims...)
		}
		x.tensor = p.nest.Declare(s.name, width, true, dims...)
	}
	return x
}

// where returns the address of the element (i, j) of a matrix of a batch.
func (p *product) where(x operand, batch, i, j *index.Expr) *index.Expr {
	return p.ix.Add(p.ix.Add(x.at, p.ix.Mul(batch, x.stride)), p.ix.Add(p.ix.Mul(i, x.rowStep), p.ix.Mul(j, x.colStep)))
}

// flat returns its offset in the tensor.
func (p *product) flat(x operand, batch, i, j *index.Expr) *index.Expr {
	return p.ix.Add(p.ix.Mul(batch, x.all), p.ix.Add(p.ix.Mul(i, x.rowFlat), p.ix.Mul(j, x.colFlat)))
}

// finish makes the program and the contract.
func (p *product) finish() {
	n, ix := p.nest, p.ix
	batch := p.num(p.batch)
	for _, x := range []struct {
		operand
		rows, columns *index.Expr
	}{{p.left, p.m, p.k}, {p.right, p.k, p.n}, {p.result, p.m, p.n}} {
		if x.tensor == nil {
			continue
		}
		n.Init = append(n.Init, ila.Spread{Memory: p.machine.DRAM, Counts: []*index.Expr{batch, x.rows, x.columns},
			At: func(v []*index.Expr) (*index.Expr, *term.Term) {
				return p.where(x.operand, v[0], v[1], v[2]), p.b.ExtendS(n.Element(x.tensor, p.flat(x.operand, v[0], v[1], v[2])), 8)
			}})
	}
	n.Body = p.body()
	extents := []*index.Expr{p.m, p.n}
	if p.vector {
		extents = extents[1:]
	}
	if p.batched {
		extents = append([]*index.Expr{batch}, extents...)
	}
	n.Result("out", 8, true, extents...)
	element := func(at []*index.Expr) (batch, i, j *index.Expr) {
		batch, i, j = ix.Const(0), ix.Const(0), at[len(at)-1]
		if p.batched {
			batch = at[0]
		}
		if !p.vector {
			i = at[len(at)-2]
		}
		return batch, i, j
	}
	n.Place = func(at []*index.Expr) ila.Cell {
		batch, i, j := element(at)
		return ila.Cell{Memory: p.machine.DRAM, Address: p.where(p.result, batch, i, j)}
	}
	n.Contract = func(at []*index.Expr) *term.Term {
		batch, i, j := element(at)
		zero := ix.Const(0)
		sum := n.Dot(8, p.k, ila.Row{Tensor: p.left.tensor, From: p.flat(p.left, batch, i, zero), Step: p.left.colFlat},
			ila.Row{Tensor: p.right.tensor, From: p.flat(p.right, batch, zero, j), Step: p.right.rowFlat})
		sum = p.b.MulBits(p.b.Bits(8, uint64(p.o.Alpha)), sum)
		if p.o.Beta == 0 {
			return sum
		}
		old := n.Element(p.result.tensor, p.flat(p.result, batch, i, j))
		return p.b.AddBits(sum, p.b.MulBits(p.b.Bits(8, uint64(p.o.Beta)), old))
	}
	n.Corners = p.corners()
}

// corners are operands at which sums of columns are as far from 0 as they can be: converters saturate there first, and the
// first element makes it show in the low bits of the result.
func (p *product) corners() []func(x *ila.Tensor, flat int) uint64 {
	least, most := uint64(1)<<(p.width-1), term.Ones(p.width-1)
	low := min(15, most)
	pairs := [][2]uint64{{least, low}, {least, least}, {most, low}, {most, most}, {term.Ones(p.width), term.Ones(p.width)}}
	var list []func(x *ila.Tensor, flat int) uint64
	for _, pair := range pairs {
		list = append(list, func(x *ila.Tensor, flat int) uint64 {
			switch {
			case x == p.left.tensor && flat == 0:
				return (pair[0] + 1) & term.Ones(p.width)
			case x == p.left.tensor:
				return pair[0]
			case x == p.right.tensor:
				return pair[1]
			}
			return 1
		})
	}
	return list
}
