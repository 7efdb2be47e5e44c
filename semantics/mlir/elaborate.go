package mlir

import (
	"fmt"
	"strings"

	"tv/internal/source"
	"tv/semantics/loops"
)

// An elaborator makes a procedure of operations.
type elaborator struct {
	proc   *loops.Procedure
	names  map[string]bool // of buffers
	sizes  map[string]bool
	cur    *block
	output *loops.Buffer // what the function returns, if anything
}

// A block is a list of statements that is made.
type block struct {
	stmts   []loops.Stmt
	host    *block // where locals begin: itself, or the one around Whens
	pending map[*loops.Buffer][]*data
	unrun   []*data                  // what may end the call and is not in a statement yet
	known   map[string][]*loops.Cond // that were required
	sums    *reductions              // of a parallel loop
	index   []*cval                  // of an iteration of linalg.generic
	end     *oper                    // what ended it
}

func newBlock(host *block) *block {
	b := &block{host: host, pending: map[*loops.Buffer][]*data{}, known: map[string][]*loops.Cond{}}
	if host == nil {
		b.host = b
	}
	return b
}

// AliasLine is the comment by which memrefs that are parameters of a text may overlap; without it they do not.
const AliasLine = "// alias may"

func aliased(f *source.File) bool {
	for line := range strings.Lines(f.Text) {
		if strings.TrimSpace(line) == AliasLine {
			return true
		}
	}
	return false
}

// elaborate makes the procedure of a function.
func elaborate(f *source.File, fn *function, body *region) *loops.Procedure {
	steer(body)
	e := &elaborator{names: map[string]bool{}, sizes: map[string]bool{},
		proc: &loops.Procedure{File: f, Name: fn.name, Span: fn.at, Wide: true, Alias: aliased(f), Untyped: true}}
	e.proc.Body = e.inside(newBlock(nil), func() {
		for _, d := range fn.params {
			e.parameter(d)
		}
		e.block(body)
		e.returned(fn)
	}).stmts
	if e.output != nil {
		e.proc.Buffers = append(e.proc.Buffers, e.output)
	}
	return e.proc
}

// name returns one that no buffer has.
func (e *elaborator) name(d string) string {
	name := strings.TrimPrefix(d, "%")
	if digit((name + "v")[0]) {
		name = "v" + name
	}
	out := name
	for n := 2; e.names[out] || e.sizes[out] || out == ""; n++ {
		out = fmt.Sprintf("%s.%d", name, n)
	}
	e.names[out] = true
	return out
}

// parameter makes a size, a scalar or an array of a parameter of the function.
func (e *elaborator) parameter(d *def) {
	name := strings.TrimPrefix(d.name, "%")
	if e.names[name] || e.sizes[name] {
		fail(d.at, "redefined-name", "%s is a parameter already", name)
	}
	switch {
	case d.typ.whole() && d.typ.family != vectorType && d.steers && !d.typ.same(anI1):
		e.sizes[name] = true
		e.proc.Heading = append(e.proc.Heading, &loops.Parameter{Size: name, Span: d.at})
		d.x = e.inWord(sized(name, 1), width(d.typ), d.at)
		return
	case d.typ.family == memrefType:
		b := &loops.Buffer{Name: name, Elem: e.elem(d.typ.elem, d.at), Signless: d.typ.elem.family == integerType, Span: d.at}
		injective(d.typ, d.at)
		d.mem = &view{root: &root{buffer: b}}
		for k, n := range d.typ.dims {
			x := num(max(n, 0))
			if n == dynamic {
				size := fmt.Sprintf("%s.%d", name, k)
				if e.names[size] || e.sizes[size] {
					fail(d.at, "redefined-name", "%s is a parameter already", size)
				}
				e.sizes[size] = true
				x = sized(size, 0)
			}
			b.Dims = append(b.Dims, x.x)
			d.mem.dims = append(d.mem.dims, x)
		}
		e.add(b, d)
	case d.typ.family == vectorType:
		fail(d.at, "unsupported-op", "a vector as a parameter")
	default:
		b := &loops.Buffer{Name: name, Kind: loops.In, Elem: e.elem(d.typ, d.at), Signless: d.typ.family == integerType, Span: d.at}
		e.add(b, d)
		read := loops.Element(loops.Access{Buffer: b, Where: d.at})
		d.data = &data{elem: b.Elem, at: func([]*loops.Int) *loops.Expr { return read }, size: 1}
	}
}

func (e *elaborator) add(b *loops.Buffer, d *def) {
	e.names[b.Name] = true
	e.proc.Buffers = append(e.proc.Buffers, b)
	e.proc.Heading = append(e.proc.Heading, &loops.Parameter{Buffer: b, Span: d.at})
}

// local makes a buffer that begins here.
func (e *elaborator) local(name string, b *loops.Buffer, at source.Span) *loops.Buffer {
	b.Name, b.Kind, b.Span = e.name(name), loops.Local, at
	e.proc.Buffers = append(e.proc.Buffers, b)
	host := e.cur.host
	host.stmts = append(host.stmts, &loops.Alloc{Buffer: b, At: at})
	return b
}

// returned makes what the function returns.
func (e *elaborator) returned(fn *function) {
	o := e.cur.end
	if o == nil || o.name != "func.return" {
		at := fn.at
		if o != nil {
			at = o.at
		}
		fail(at, "bad-syntax", "a function ends in a return")
	}
	if len(o.args) != len(fn.results) {
		fail(o.at, "type-mismatch", "%s returns %d values, not %d", fn.name, len(fn.results), len(o.args))
	}
	if len(o.args) == 0 {
		return
	}
	u := o.args[0]
	typedAs(u, fn.results[0])
	if _, ok := fn.results[0].elemOf(); len(o.args) > 1 || !ok || u.def.typ.family == vectorType {
		fail(o.at, "unsupported-op", "a function returns one number or nothing")
	}
	x := e.value(u)
	b := &loops.Buffer{Name: e.name("return"), Kind: loops.Returned, Elem: x.elem, Signless: fn.results[0].family == integerType, Span: o.at}
	e.output = b
	e.assign(&root{buffer: b}, func([]*loops.Int) []*loops.Int { return nil }, x, o.at)
}

// block elaborates the operations of a region, up to what ends it.
func (e *elaborator) block(r *region) {
	for i, o := range r.ops {
		if terminators[o.name] {
			if i+1 < len(r.ops) {
				fail(r.ops[i+1].at, "bad-syntax", "%s ends a region", o.name)
			}
			e.cur.end = o
			break
		}
		f := elaborators[o.name]
		if f == nil {
			fail(o.at, "unsupported-op", "%s: the subset of MLIR has none%s", o.name, suggest(o.name, customNames()))
		}
		f(e, o)
	}
}

var terminators = map[string]bool{"func.return": true, "affine.yield": true, "scf.yield": true, "linalg.yield": true,
	"scf.reduce.return": true}

// inside makes a block with f, whose statements are executed within the one that is made now.
func (e *elaborator) inside(b *block, f func()) *block {
	outer := e.cur
	e.cur = b
	f()
	for _, x := range b.unrun {
		if !x.done {
			e.materialize(x)
		}
	}
	e.cur = outer
	return b
}

func (e *elaborator) emit(s loops.Stmt) { e.cur.stmts = append(e.cur.stmts, s) }

// require requires a condition here, once.
func (e *elaborator) require(c *loops.Cond, o loops.Obligation, at source.Span, format string, args ...any) {
	msg := fmt.Sprintf(format, args...)
	key := string(o) + msg
	for _, d := range e.cur.known[key] {
		if loops.SameCond(c, d) {
			return
		}
	}
	e.cur.known[key] = append(e.cur.known[key], c)
	e.emit(&loops.Require{Cond: c, Obligation: o, Message: msg, At: at})
}

// inWhen tells whether statements are those of a branch on data, where neither loops nor arrays are.
func (e *elaborator) inWhen() bool { return e.cur.host != e.cur }

// plainly refuses in a branch on data what is more than assignments.
func (e *elaborator) plainly(at source.Span, what string) {
	if e.inWhen() {
		fail(at, "not-static-control", "%s in a branch on data, which holds assignments and such branches alone", what)
	}
}

// control returns the integer of control that a value is.
func (e *elaborator) control(u *use) *cval {
	if u.def.x != nil {
		u.def.left()
		return u.def.x
	}
	if !u.def.typ.whole() {
		fail(u.at, "type-mismatch", "%s is of type %s: it cannot be in a subscript, a bound or an extent", u.name, u.def.typ)
	}
	fail(u.at, "not-static-control", "%s is data: it cannot be in a subscript, a bound or an extent", u.name)
	return nil
}

func (e *elaborator) controls(list []*use) []*cval {
	out := make([]*cval, len(list))
	for i, u := range list {
		out[i] = e.control(u)
	}
	return out
}

// mapped computes the expressions of a map.
func (e *elaborator) mapped(a *attr, args []*use) []*cval {
	if a.m == nil || len(args) != a.m.dims+a.m.symbols {
		fail(a.at, "type-mismatch", "a map that does not take %d operands", len(args))
	}
	values := e.controls(args)
	out := make([]*cval, len(a.m.exprs))
	for i, x := range a.m.exprs {
		out[i] = e.affine(x, values)
	}
	return out
}

func ints(list []*cval) []*loops.Int {
	out := make([]*loops.Int, len(list))
	for i, v := range list {
		out[i] = v.x
	}
	return out
}
