package cnest

import (
	_ "embed"
	"math/big"
	"strings"

	"tv/internal/source"
	"tv/semantics/loops"
)

//go:embed library/contracts.c
var libraryText string

// A contract names a function of library/contracts.c by which a function of a library is read.
type contract struct {
	function string
	elem     ctype // of the elements; void: that of the arrays that are handed over
}

var library = map[string]contract{
	"cimblas_gemm": {"gemm", ctype{}}, "cimblas_gemv": {"gemv", ctype{}}, "cimblas_batched_gemm": {"batched", ctype{}},
	"cblas_sgemm": {"cblas_gemm", floatType}, "cblas_dgemm": {"cblas_gemm", doubleType},
	"cblas_sgemv": {"cblas_gemv", floatType}, "cblas_dgemv": {"cblas_gemv", doubleType},
}

// Statements of contracts alone: calls of these names.
const (
	opRequires = "requires" // of a condition on integers of control
	opDisjoint = "disjoint" // of two elements
)

// ContractsLine is the line behind which the functions of a text are contracts: see library/contracts.c.
const ContractsLine = "#pragma contracts"

// contractsIn returns where a text begins its contracts: at its end where it has none.
func contractsIn(f *source.File) int {
	if at := strings.Index("\n"+f.Text, "\n"+ContractsLine+"\n"); at >= 0 {
		return at
	}
	return len(f.Text)
}

// A reading is what a text of contracts, from a place on, says of elements of one type.
type reading struct {
	text *source.File
	from int
	elem ctype
}

// contracted returns the function of a contract that a call is of, and the unit that it is from: of the contracts that come
// with the file, else of those that are known.
func (r *resolver) contracted(x *expr) (*unit, *function) {
	elem, known, file := handed(x), library[x.name], r.unit.file
	if from := contractsIn(file); from < len(file.Text) {
		if u := r.read(reading{file, from, elem}); u.byName[x.name] != nil {
			return u, u.byName[x.name]
		}
	}
	if known.function == "" {
		return nil, nil
	}
	if known.elem != (ctype{}) {
		elem = known.elem
	}
	u := r.read(reading{source.NewFile("library/contracts.c", libraryText), 0, elem})
	return u, u.byName[known.function]
}

// handed is the type of the elements of the first array that a call is given.
func handed(x *expr) ctype {
	for _, a := range x.args {
		if name := a.base(); name != nil && (name.sym.array || a.op == opAddress) {
			return name.sym.typ
		}
	}
	return floatType
}

// read returns the functions of a text of contracts, in which elem is a type.
func (r *resolver) read(what reading) *unit {
	key := what.text.Name + " " + what.elem.String()
	if u := r.contracts[key]; u != nil {
		return u
	}
	words := what.elem.String()
	p := newPreprocessor()
	p.macros["elem"] = &macro{body: lexed(words)}
	p.run(lex(what.text, what.from, len(what.text.Text), false))
	u := split(what.text, p)
	u.contracts = true
	if r.contracts == nil {
		r.contracts = map[string]*unit{}
	}
	r.contracts[key] = u
	return u
}

// CheckContracts reads a text of contracts by itself, for floats. The error is a *source.Error.
func CheckContracts(f *source.File) error {
	err := attempt(func() {
		r := &resolver{unit: &unit{file: f}}
		for _, fn := range r.read(reading{f, 0, floatType}).functions {
			fn.parse()
		}
	})
	if err != nil {
		return err
	}
	return nil
}

// lexed are the words of a text.
func lexed(words string) []token {
	list := lex(source.NewFile("", words), 0, len(words), false)
	return list[:len(list)-1]
}

// special resolves a statement of contracts. What it says is kept: its place is that of the call.
func (r *resolver) special(x *expr, said source.Span) bool {
	arity := map[string]int{opRequires: 1, opDisjoint: 2}[x.name]
	if arity == 0 || !r.unit.contracts {
		return false
	}
	if len(x.args) != arity {
		fail(said, "bad-syntax", "%s has %d arguments, not %d", x.name, arity, len(x.args))
	}
	x.said = said
	return true
}

// required elaborates a statement of contracts: what does not hold ends the call.
func (e *elaborator) required(x *expr) {
	require := func(c *loops.Cond, said string) {
		value, known := e.seen(c)
		if !known || !value {
			e.emit(&loops.Require{Cond: c, Obligation: loops.Called, Message: said, At: x.span})
		}
		e.over = e.over || known && !value && e.cur == e.entry
	}
	if x.name == opRequires {
		require(e.condition(x.args[0]), x.said.Text())
		return
	}
	a, _ := e.access(x.args[0])
	b, _ := e.access(x.args[1])
	if a.Buffer != b.Buffer {
		return
	}
	if a.Number != nil || b.Number != nil {
		a.At, b.At = []*loops.Int{ordinal(a)}, []*loops.Int{ordinal(b)}
	}
	same := &loops.Cond{Op: loops.All}
	for k := range a.At {
		same.Conds = append(same.Conds, &loops.Cond{Op: loops.Equal, A: a.At[k], B: b.At[k]})
	}
	require(loops.Not(same), a.Buffer.Name+" overlaps itself: "+x.said.Text())
}

// ordinal is the number of an element among all of its buffer.
func ordinal(a loops.Access) *loops.Int {
	if a.Number != nil {
		return a.Number
	}
	return flatten(a.At, a.Buffer.Dims)
}

// decided tells whether a condition on numbers alone holds.
func decided(c *loops.Cond) (value, known bool) {
	switch c.Op {
	case loops.None:
		value, known = decided(c.Conds[0])
		return !value, known
	case loops.All, loops.Any:
		known = true
		for _, d := range c.Conds {
			v, k := decided(d)
			if k && v == (c.Op == loops.Any) {
				return v, true
			}
			known = known && k
		}
		return c.Op == loops.All, known
	}
	known = c.A.Op == loops.Number && c.B.Op == loops.Number
	return c.Op == loops.Less && c.A.N < c.B.N || c.Op == loops.LessEqual && c.A.N <= c.B.N ||
		c.Op == loops.Equal && c.A.N == c.B.N, known
}

// seen tells whether a condition holds at all sizes, or at none, as far as can be seen without counters.
func (e *elaborator) seen(c *loops.Cond) (value, known bool) {
	if c.Op > loops.Equal {
		return decided(c)
	}
	way, back := e.leastOf(e.spread(loops.Difference(c.B, c.A))), e.leastOf(e.spread(loops.Difference(c.A, c.B)))
	switch c.Op {
	case loops.Less:
		return way >= 1, way >= 1 || back >= 0
	case loops.LessEqual:
		return way >= 0, way >= 0 || back >= 1
	}
	return way >= 0 && back >= 0, way >= 0 && back >= 0 || way >= 1 || back >= 1
}

// settled tells whether a condition on elements holds, where it says whether two literals are equal.
func settled(c *loops.Expr) (value, known bool) {
	if c.Op != loops.IsEqual || c.Args[0].Op != loops.Literal || c.Args[1].Op != loops.Literal {
		return false, false
	}
	return c.Args[0].Number.Cmp(c.Args[1].Number) == 0, true
}

// has tells whether a number is exactly one of a type.
func (t ctype) has(n *big.Rat) bool {
	switch t {
	case doubleType:
		_, exact := n.Float64()
		return exact
	case floatType:
		_, exact := n.Float32()
		return exact
	}
	lo, hi := t.limits()
	return n.IsInt() && n.Num().Cmp(lo) >= 0 && n.Num().Cmp(hi) <= 0
}

// flatBlock returns the view that an argument gives to an array of a contract: elements in a row, from one on.
func (e *elaborator) flatBlock(arg *expr, p *symbol, dims []*loops.Int) *view {
	x := arg
	if arg.op == opAddress {
		if x = arg.args[0]; x.op == opName && x.sym.scalar {
			return e.single(x, p, dims)
		}
	}
	if x.op != opName && x.op != opIndex && x.op != opContent {
		fail(arg.span, "unsupported-op", "%s is not an array or a block of one: A, A[i] or &A[i][k]", show(arg.span))
	}
	name, v, at := e.place(x)
	switch {
	case len(at) > len(v.dims) || arg.op == opAddress && len(at) == 0 || arg.op != opAddress && len(at) >= len(v.dims):
		fail(arg.span, "unsupported-op", "%s is no block of elements of type %s", show(arg.span), p.typ)
	case name.sym.typ != p.typ:
		fail(arg.span, "unsupported-op", "%s has elements of type %s, and %s of type %s", name.name, name.sym.typ, p.name, p.typ)
	case name.sym.constant && !p.constant:
		fail(arg.span, "writes-input", "%s is const, and %s is written", name.name, p.name)
	}
	subs := e.subscripts(at)
	for len(subs) < len(v.dims) {
		subs = append(subs, loops.Num(0))
	}
	return &view{buffer: v.buffer, flat: e.number(v, subs), dims: dims, check: true}
}
