package cnest

import (
	"fmt"
	"iter"
	"maps"
	"math/big"
	"slices"
	"strings"

	"tv/internal/source"
	"tv/semantics/loops"
)

// A standing is the value of a scalar of control where a statement stands: of counters, sizes and constants. One without a
// value has a reason.
type standing struct {
	value cval
	none  string // why there is no value; "" if there is one
}

// The standings are those of all scalars, with what they were before: a copy for each loop would cost as much as there are
// scalars before it.
type standings struct {
	of   map[*symbol]standing
	done []earlier // in the order of the changes
}

type earlier struct {
	sym *symbol
	was standing
	had bool // it stood for something
}

func (s *standings) set(sym *symbol, to standing) {
	was, had := s.of[sym]
	s.done = append(s.done, earlier{sym, was, had})
	s.of[sym] = to
}

// those returns what some scalars stand for.
func (s *standings) those(of iter.Seq[*symbol]) map[*symbol]standing {
	out := map[*symbol]standing{}
	for sym := range of {
		if st, ok := s.of[sym]; ok {
			out[sym] = st
		}
	}
	return out
}

// back undoes all but the first n changes.
func (s *standings) back(n int) {
	for _, c := range slices.Backward(s.done[n:]) {
		if c.had {
			s.of[c.sym] = c.was
		} else {
			delete(s.of, c.sym)
		}
	}
	s.done = s.done[:n]
}

// An elaborator makes the statements of a procedure.
type elaborator struct {
	proc   *loops.Procedure
	limit  *big.Int // sizes are below it: see loops.Procedure.Wide
	env    standings
	views  map[*symbol]*view
	data   map[*symbol]*loops.Buffer
	names  map[string]int // how often a name of a buffer was asked for
	cur    *frame
	loops  map[*loops.For]int // numbers, for keys
	errs   source.Errors
	loose  bool                     // nothing is required: intervals are those of integers of mathematics
	taken  bool                     // in a contract
	entry  *frame                   // where the contract began, on every way through it
	over   bool                     // the contract has come to its end there
	fixed  map[*symbol]dval         // parameters of contracts that are handed literals
	strict bool                     // signed overflow is undefined
	ranges map[*loops.Expr]interval // where elements lie, as far as was asked
	forks  int                      // choices that what is emitted is taken apart by
	again  bool                     // a symbol that was control turned out to be data: all has to be done once more
}

// A frame is a list of statements that is being made.
type frame struct {
	stmts []loops.Stmt
	under *frame
	known map[string]bool // what is required before, on each way here
	when  bool            // a branch of a When: Assigns, Requires and Whens alone
}

// elaborate makes a procedure of a function. What is wrong is found statement by statement.
func elaborate(u *unit, root *instance, found source.Errors) (*loops.Procedure, source.Errors) {
	c := classify(root, strings.Split(u.file.Sizes, ","))
	for {
		e := &elaborator{env: standings{of: map[*symbol]standing{}}, views: map[*symbol]*view{}, data: map[*symbol]*loops.Buffer{},
			fixed: map[*symbol]dval{}, strict: u.strict, ranges: map[*loops.Expr]interval{}, names: map[string]int{}, loops: map[*loops.For]int{}}
		e.proc = &loops.Procedure{File: u.file, Name: root.fn.name, Skipped: u.skipped, Wide: wide(root), Alias: u.alias}
		e.proc.Span = join(root.fn.heading[0].span, root.fn.heading[len(root.fn.heading)-1].span)
		e.limit = new(big.Int).Lsh(big.NewInt(1), 28)
		if e.proc.Wide {
			e.limit.Lsh(big.NewInt(1), 60)
		}
		e.root(root)
		if e.again {
			c.restart()
			continue
		}
		return e.proc, inOrder(append(slices.Clone(found), e.errs...))
	}
}

// inOrder sorts problems by place; one that several copies of a function have is one.
func inOrder(list source.Errors) source.Errors {
	slices.SortStableFunc(list, func(a, b *source.Error) int { return a.Span.Start - b.Span.Start })
	return slices.CompactFunc(list, func(a, b *source.Error) bool { return a.Span == b.Span && a.Msg == b.Msg })
}

// wide tells whether all counters and sizes are of types of 64 bits.
func wide(root *instance) bool {
	some, narrow := false, false
	note := func(s *symbol) {
		some, narrow = true, narrow || s.typ.width < 64
	}
	var walk func(in *instance)
	calls := func(x *expr) bool {
		if x.call != nil {
			walk(x.call)
		}
		return true
	}
	walk = func(in *instance) {
		for _, p := range in.params {
			if p.sized {
				note(p)
			}
		}
		each(in.stmts, func(s *stmt) {
			if s.op == iterates && s.step != nil && len(s.step.args) > 0 && s.step.args[0].op == opName {
				note(s.step.args[0].sym)
			}
		})
		expressions(in.stmts, calls)
		in.ret.visit(calls)
	}
	walk(root)
	return some && !narrow
}

// root elaborates the function that is read.
func (e *elaborator) root(in *instance) {
	body := e.inside(false, func() {
		e.attempt(func() { e.parameters(in) })
		e.statements(in.stmts)
		e.attempt(func() { e.result(in) })
	})
	e.proc.Body = body.stmts
	slices.SortStableFunc(e.proc.Buffers, func(a, b *loops.Buffer) int { return place(a.Kind) - place(b.Kind) })
}

// place orders buffers: parameters, locals, the returned one.
func place(k loops.Kind) int {
	switch k {
	case loops.Local:
		return 1
	case loops.Returned:
		return 2
	}
	return 0
}

func (e *elaborator) parameters(in *instance) {
	var copied []*symbol
	for _, s := range in.params {
		p := &loops.Parameter{Span: s.span}
		e.proc.Heading = append(e.proc.Heading, p)
		if s.control {
			p.Size = e.unique(s.name)
			v := cval{typ: s.typ, x: loops.SizeOf(s.name), lo: new(big.Int), hi: new(big.Int).Sub(e.limit, big.NewInt(1))}
			v.x.At = s.span
			e.env.set(s, standing{value: e.fit(v, s.typ, s.span, s.name)})
			continue
		}
		p.Buffer = &loops.Buffer{Name: e.unique(s.name), Elem: s.typ.elem(), Span: s.span}
		if s.constant || s.scalar {
			p.Buffer.Kind = loops.In
		}
		if s.array {
			p.Buffer.Restricted = s.restricted
			p.Buffer.Dims = e.extents(s)
			if p.Buffer.Dims[0] == nil {
				p.Buffer.Unsized = true
				p.Buffer.Dims[0] = loops.SizeOf(p.Buffer.Name + ".extent") // no name of C
				p.Buffer.Dims[0].At = s.span
			}
			e.views[s] = &view{buffer: p.Buffer, dims: p.Buffer.Dims}
		}
		e.proc.Buffers = append(e.proc.Buffers, p.Buffer)
		if e.data[s] = p.Buffer; s.scalar && s.stored {
			copied = append(copied, s)
		}
	}
	for _, s := range copied { // what is passed by value is a local of its own
		from := e.data[s]
		e.local(s, nil)
		e.assign(loops.Access{Buffer: e.data[s], Where: s.span}, loops.Element(loops.Access{Buffer: from, Where: s.span}), s.span)
	}
}

// extents are those of a declaration; the first is nil where the text has none.
func (e *elaborator) extents(s *symbol) (out []*loops.Int) {
	for _, d := range s.dimension {
		if d == nil {
			out = append(out, nil)
			continue
		}
		out = append(out, e.control(d).x)
	}
	return out
}

// result assigns what the function returns.
func (e *elaborator) result(in *instance) {
	if in.ret == nil {
		return
	}
	b := &loops.Buffer{Name: e.unique("return"), Kind: loops.Returned, Elem: in.fn.typ.elem(), Span: in.ret.span}
	v := e.element(in.ret)
	e.proc.Buffers = append(e.proc.Buffers, b)
	e.assign(loops.Access{Buffer: b, Where: in.ends}, e.convert(v, in.fn.typ).x, in.ends)
}

// unique returns a name that no other buffer has.
func (e *elaborator) unique(name string) string {
	e.names[name]++
	if n := e.names[name]; n > 1 {
		return fmt.Sprintf("%s.%d", name, n)
	}
	return name
}

// attempt calls f and notes what it fails with. A failure without a message follows from another.
func (e *elaborator) attempt(f func()) bool {
	err := attempt(f)
	if err != nil && err.Msg != "" {
		e.errs = append(e.errs, err)
	}
	return err == nil
}

// inside calls f with a new list of statements within the current one, and returns it.
func (e *elaborator) inside(when bool, f func()) *frame {
	b := &frame{under: e.cur, known: map[string]bool{}, when: when}
	e.cur = b
	defer func() { e.cur = b.under }()
	f()
	return b
}

// scratch calls f and leaves out the statements that it makes.
func (e *elaborator) scratch(f func()) {
	buffers, names, errs := e.proc.Buffers, maps.Clone(e.names), e.errs
	defer func() { e.proc.Buffers, e.names, e.errs = buffers, names, errs }()
	e.inside(false, f)
}

// emit adds a statement.
func (e *elaborator) emit(s loops.Stmt) {
	if e.cur.when {
		switch s.(type) {
		case *loops.For, *loops.If:
			fail(s.Span(), "not-static-control", "an if on data holds assignments, and ifs of such, alone")
		}
	}
	if e.forked(s) {
		return
	}
	e.cur.stmts = append(e.cur.stmts, s)
}

// branch adds the statements of a block where a condition holds: an If, or a When in a branch of one.
func (e *elaborator) branch(c *loops.Cond, then, other []loops.Stmt, at source.Span) {
	if e.cur.when {
		e.emit(&loops.When{Cond: e.holds(c, at), Then: then, Else: other, At: at})
		return
	}
	e.emit(&loops.If{Cond: c, Then: then, Else: other, At: at})
}

func (e *elaborator) assign(to loops.Access, value *loops.Expr, at source.Span) {
	e.emit(&loops.Assign{To: to, Value: value, At: at})
}

// local makes the buffer of a local. Its Alloc stands before the Whens around, in which none may stand.
func (e *elaborator) local(s *symbol, dims []*loops.Int) *loops.Buffer {
	b := e.buffer(s.name, s.typ, dims, s.span)
	e.data[s] = b
	return b
}

func (e *elaborator) buffer(name string, t ctype, dims []*loops.Int, at source.Span) *loops.Buffer {
	b := &loops.Buffer{Name: e.unique(name), Kind: loops.Local, Elem: t.elem(), Dims: dims, Span: at}
	e.proc.Buffers = append(e.proc.Buffers, b)
	out := e.cur
	for out.when {
		out = out.under
	}
	out.stmts = append(out.stmts, &loops.Alloc{Buffer: b, At: at})
	return b
}

// require states what has to hold here, unless it is known.
func (e *elaborator) require(c *loops.Cond, o loops.Obligation, at source.Span, format string, args ...any) {
	if obvious(c) {
		return
	}
	key := string(o) + e.condKey(c)
	for b := e.cur; b != nil; b = b.under {
		if b.known[key] {
			return
		}
	}
	e.cur.known[key] = true
	e.emit(&loops.Require{Cond: c, Obligation: o, Message: fmt.Sprintf(format, args...), At: at})
}

// obvious tells whether a condition compares numbers, and holds.
func obvious(c *loops.Cond) bool {
	numbers := c.A != nil && c.A.Op == loops.Number && c.B.Op == loops.Number
	switch c.Op {
	case loops.Less:
		return numbers && c.A.N < c.B.N
	case loops.LessEqual:
		return numbers && c.A.N <= c.B.N
	case loops.Equal:
		return numbers && c.A.N == c.B.N
	case loops.All:
		return !slices.ContainsFunc(c.Conds, func(d *loops.Cond) bool { return !obvious(d) })
	}
	return false
}
