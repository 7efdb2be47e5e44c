package cnest

import (
	"math/big"
	"slices"
	"strings"

	"tv/proofs/algebra"
	"tv/proofs/loops"
	"tv/semantics/domain"
)

// library are functions of BLAS, of a matrix with elements of any type or of one, and of batches of
// matrices.
var library = map[string]struct {
	typ  ctype // of elements; void: that of the array c
	args string
}{
	"cimblas_gemm":         {void, gemm},
	"cimblas_batched_gemm": {void, "batch " + gemm},
	"cimblas_gemv":         {void, gemv},
	"cblas_sgemm":          {single, "order " + gemm}, "cblas_dgemm": {double, "order " + gemm},
	"cblas_sgemv": {single, "order " + gemv}, "cblas_dgemv": {double, "order " + gemv},
}

const (
	gemm = "ta tb m n k alpha a lda b ldb beta c ldc"
	gemv = "ta m n alpha a lda b incx beta c incy"
)

// constants are those of BLAS's header.
var constants = map[string]string{"CblasRowMajor": "101", "CblasColMajor": "102",
	"CblasNoTrans": "111", "CblasTrans": "112"}

// steersCall reports whether an argument of a library function is an integer of control.
func steersCall(name string, i int) bool {
	args := strings.Fields(library[name].args)
	return i < len(args) && !slices.Contains([]string{"alpha", "beta", "a", "b", "c"}, args[i])
}

// A request is one of a library function.
type request struct {
	*lowering
	n           *node
	size        map[string]size
	array       map[string]*array
	typ         ctype
	alpha, beta *loops.Data
	columns     bool // matrices are stored column by column
	ta, tb      bool // they are transposed
}

// performs does what a function of a library does.
func (l *lowering) performs(n *node) {
	spec := library[n.text]
	names := strings.Fields(spec.args)
	check(len(n.args) == len(names), n.at, "bad-syntax", "%s has %d parameters", n.text, len(names))
	check(len(l.when) == 0, n.at, "unsupported-op", "a call that data decides about")
	r := &request{lowering: l, n: n, typ: spec.typ, size: map[string]size{},
		array: map[string]*array{}}
	for i, name := range names {
		switch {
		case steersCall(n.text, i):
			x, t := l.control(n.args[i])
			r.size[name] = l.convert(x, t, integer, n.at)
		case len(name) == 1:
			r.array[name] = l.memory(n.args[i])
		}
	}
	if r.typ == void {
		r.typ = r.array["c"].typ
	}
	for _, a := range r.array {
		check(a.typ == r.typ, n.at, "unsupported-op", "elements of another type")
	}
	c := r.array["c"]
	check(!c.readonly && len(c.of.Dims) > 0, n.at, "unsupported-op", "a result that is not written")
	r.alpha = r.number(n.args[slices.Index(names, "alpha")])
	r.beta = r.number(n.args[slices.Index(names, "beta")])
	r.options()
	r.demand(zero, "m", "n", "k", "batch")
	r.demand(one, "incx", "incy")
	if _, matrix := r.size["k"]; matrix {
		r.matrices()
	} else {
		r.vector()
	}
}

// memory is an argument as elements in a row, from one on.
func (l *lowering) memory(n *node) *array {
	address := n.op == "addr"
	if address {
		n = n.args[0]
	}
	a, at := l.path(n)
	check(len(at) <= len(a.dims) && address == (len(at) == len(a.dims) && len(at) > 0) ||
		address && len(at) > 0, n.at, "unsupported-op", "a pointer to elements expected")
	b := *a
	b.block, b.offset, b.dims = true, a.flat(at), []size{one}
	return &b
}

// number is a factor: a literal, or what is kept as the value that it has before the call.
func (r *request) number(n *node) *loops.Data {
	x, t := r.data(n)
	if x = convert(x, t, r.typ, n.at); x.Op == loops.DataLiteral {
		return x
	}
	return r.hold("factor", r.typ, x, n.at).read(n.at)
}

// options are how matrices are stored, and whether they are transposed.
func (r *request) options() {
	value := func(name string) (int64, bool) {
		x, given := r.size[name]
		v, known := x.Int64()
		check(!given || known, r.n.at, "not-affine", "%s is no number", name)
		return v, given
	}
	order, given := value("order")
	for name, to := range map[string]*bool{"ta": &r.ta, "tb": &r.tb} {
		v, asked := value(name)
		if *to = v != 0; given && asked {
			check(v == 111 || v == 112, r.n.at, "call", "%s is neither 111 nor 112", name)
			*to = v == 112
		}
	}
	if r.columns = order == 102; given {
		check(order == 101 || order == 102, r.n.at, "call", "the order is neither 101 nor 102")
	}
}

// demand asks for integers to be at least a number.
func (r *request) demand(least size, names ...string) {
	for _, name := range names {
		if x, given := r.size[name]; given {
			r.atLeast(x, least, name)
		}
	}
}

// atLeast asks for x, and all that it is the least of, to be at least something, or one of what
// that is the least of.
func (r *request) atLeast(x, least size, what string) {
	for _, y := range loops.Apart(x, domain.SizeMin) {
		any := &loops.Cond{Op: loops.CondAny}
		known := false
		for _, z := range loops.Apart(least, domain.SizeMin) {
			known = known || r.Nonneg(y.Sub(z))
			any.Conds = append(any.Conds, r.AtMost(z, y))
		}
		if !known {
			r.Emit(&loops.Require{Cond: any, Text: what + " of " + r.n.text, Span: r.n.at})
		}
	}
}

// A matrix is one that is stored with a leading dimension, or several of them that follow each
// other.
type matrix struct {
	*array
	rows, columns, leading size // as it is stored
	transposed, byColumns  bool
}

// matrix is an argument that has so many rows and columns where it is used.
func (r *request) matrix(name string, transposed bool, rows, columns size) *matrix {
	if transposed {
		rows, columns = columns, rows
	}
	m := &matrix{r.array[name], rows, columns, r.size["ld"+name], transposed, r.columns}
	least := columns
	if r.columns {
		least = rows
	}
	r.atLeast(m.leading, least, "the leading dimension of "+name)
	return m
}

// access is to an element of one of the matrices, as they are used.
func (m *matrix) access(r *request, number, row, column size) loops.Access {
	if m.transposed != m.byColumns {
		row, column = column, row
	}
	all := m.rows
	if m.byColumns {
		all = m.columns
	}
	return r.access1(m.array, number.Mul(all).Add(row).Mul(m.leading).Add(column))
}

// access1 is to an element of an array, by how far it is behind the first.
func (r *request) access1(a *array, at size) loops.Access {
	return loops.Access{Buffer: a.of, At: r.Integers(r.place(a, []size{at}, r.n.at)), Span: r.n.at}
}

// matrices is C = alpha·A·B + beta·C.
func (r *request) matrices() {
	m, n, k := r.size["m"], r.size["n"], r.size["k"]
	a, b := r.matrix("a", r.ta, m, k), r.matrix("b", r.tb, k, n)
	c := r.matrix("c", false, m, n)
	r.product(&product{rows: m, columns: n, depth: k,
		a: operand{a.of, func(s, i, l size) loops.Access { return a.access(r, s, i, l) }},
		b: operand{b.of, func(s, l, j size) loops.Access { return b.access(r, s, l, j) }},
		c: operand{c.of, func(s, i, j size) loops.Access { return c.access(r, s, i, j) }}})
}

// vector is y = alpha·A·x + beta·y.
func (r *request) vector() {
	m, n := r.size["m"], r.size["n"]
	a := r.matrix("a", false, m, n)
	if a.transposed = r.ta; r.ta {
		m, n = n, m
	}
	x, y := r.array["b"], r.array["c"]
	every := func(a *array, step size) operand {
		return operand{a.of, func(_, i, _ size) loops.Access { return r.access1(a, i.Mul(step)) }}
	}
	r.product(&product{rows: m, columns: one, depth: n,
		a: operand{a.of, func(_, i, l size) loops.Access { return a.access(r, zero, i, l) }},
		b: every(x, r.size["incx"]), c: every(y, r.size["incy"])})
}

// An operand says where the elements of matrices are: by the number of the matrix, row and column.
type operand struct {
	of *loops.Buffer
	at func(number, row, column size) loops.Access
}

// A product is one of matrices of rows by depth and of depth by columns.
type product struct {
	rows, columns, depth size
	a, b, c              operand
}

// product is C = alpha·A·B + beta·C, with each sum from 0, in the order of the columns of A. C is
// not read where beta is 0, and shares no element with those of A and B that are read.
func (r *request) product(p *product) {
	r.apart(p.c, p.a, p.rows, p.columns, p.rows, p.depth)
	r.apart(p.c, p.b, p.rows, p.columns, p.depth, p.columns)
	r.each(func(s size) {
		r.count(p.rows, func(i size) {
			r.count(p.columns, func(j size) { r.element(p, s, i, j) })
		})
	})
}

func (r *request) element(p *product, s, i, j size) {
	at := r.n.at
	read := func(a loops.Access) *loops.Data {
		return &loops.Data{Op: loops.DataRead, Elem: r.typ.elem, From: a, Span: at}
	}
	sum := r.hold("sum", r.typ, r.nothing(), at)
	r.count(p.depth, func(l size) {
		term := r.both("*", read(p.a.at(s, i, l)), read(p.b.at(s, l, j)))
		r.keep(sum, r.both("+", sum.read(at), term), at)
	})
	to := p.c.at(s, i, j)
	out := r.scaled(r.alpha, sum.read(at))
	if v, ok := rational(r.beta); !ok || v.Sign() != 0 {
		more := r.both("+", out, r.scaled(r.beta, read(to)))
		if out = more; !ok {
			none := operation(loops.DataEqual, ctype{elem: algebra.Truth}, at, r.beta, r.nothing())
			again := r.scaled(r.alpha, sum.read(at))
			out = operation(loops.DataChoose, r.typ, at, none, again, more)
		}
	}
	r.Emit(&loops.Assign{To: to, Value: out, Span: at})
}

func (r *request) nothing() *loops.Data {
	return &loops.Data{Op: loops.DataLiteral, Elem: r.typ.elem, Text: "0", Span: r.n.at}
}

// rational is the number that a literal spells.
func rational(x *loops.Data) (*big.Rat, bool) {
	if x.Op != loops.DataLiteral {
		return nil, false
	}
	return new(big.Rat).SetString(x.Text)
}

// both is an operation on two elements, as C does it, and rounded to the type of the elements.
func (r *request) both(op string, x, y *loops.Data) *loops.Data {
	out, t := r.binary(op, x, r.typ, y, r.typ, r.n.at)
	return convert(out, t, r.typ, r.n.at)
}

// scaled is a product with a factor, which may be 1.
func (r *request) scaled(factor, x *loops.Data) *loops.Data {
	if v, ok := rational(factor); ok && v.Cmp(big.NewRat(1, 1)) == 0 {
		return x
	}
	return r.both("*", factor, x)
}

// each does something for the number of every matrix of a batch; without one there is one.
func (r *request) each(do func(size)) {
	if end, batch := r.size["batch"]; batch {
		r.count(end, do)
		return
	}
	do(zero)
}

// count does something for a counter from 0 on that is below an end.
func (r *request) count(end size, do func(size)) {
	ends := loops.Apart(end, domain.SizeMin)
	f := &loops.For{Lo: []*loops.Int{r.Integer(zero)}, Hi: r.Integers(ends), Step: r.Integer(one),
		Span: r.n.at}
	_, most := r.Within.Bounds(end)
	if most == nil {
		_, most = integer.limits()
	}
	c := r.Counter(f, new(big.Int), new(big.Int).Sub(most, big.NewInt(1)))
	facts := []size{c}
	for _, e := range ends {
		facts = append(facts, e.Sub(c).Sub(one))
	}
	f.Body = r.Under(facts, func() { do(c) })
	r.Emit(f)
}

// apart asks for no element of x to be one of y, where they are in one buffer.
func (r *request) apart(x, y operand, rows, columns, rowsY, columnsY size) {
	if x.of != y.of {
		return
	}
	differ := func(a, b loops.Access) {
		text := "operands of " + r.n.text + " do not overlap"
		r.Emit(&loops.Require{Cond: differs(a, b), Text: text, Span: r.n.at})
	}
	cells := func(rows, columns size, do func(s, i, j size)) {
		r.each(func(s size) {
			r.count(rows, func(i size) { r.count(columns, func(j size) { do(s, i, j) }) })
		})
	}
	cells(rows, columns, func(s, i, j size) {
		cells(rowsY, columnsY, func(t, k, l size) { differ(x.at(s, i, j), y.at(t, k, l)) })
	})
}
