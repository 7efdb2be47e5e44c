package loops

import (
	"math/big"
	"slices"
	"strings"

	"tv/proofs/algebra"
	"tv/semantics/domain"
)

// A trace tells what a cell holds at a place, back in time to the statement that wrote it last.
type trace struct {
	*algebra.State
	integers
	initial func(*cell) *scalar // a cell at entry, which of a local is never asked for
	fits    func(*Data) bool    // that an integer surely is one of its type, if not nil
	written bool                // ask only whether locals are written
	never   *scalar             // stands for the element at what is known not to be reached
	ids     map[any]int         // of blocks' loops and reads, for keys
	memo    map[string]*scalar
	active  []*Assign
	steps   int
	opened  int
}

// Limits of a trace: what needs more is refused.
const (
	maxSteps  = 1 << 11 // loops and writes looked at for an element
	maxOpen   = 48      // conditions of an element that are not decided
	maxAgain  = 2       // elements of one statement that are read for another of it
	maxActive = 64
)

// A cell is an element of a buffer at an index.
type cell struct {
	of *Buffer
	at []*expr
}

func newTrace(s *algebra.State, size func(string) *expr) *trace {
	never := s.Make(scalar{Op: algebra.OpConst, Name: algebra.Derived + "never"})
	return &trace{State: s, integers: integers{s.B, size}, never: never, ids: map[any]int{},
		memo: map[string]*scalar{}}
}

// choose is x where all conds hold and else y, each asked where it is needed; where one of them is
// not reached it is the other.
func (t *trace) choose(c *context, conds []*expr, x, y func(*context) *scalar) *scalar {
	if len(conds) == 0 {
		return x(c)
	}
	t.step()
	then := func(c *context) *scalar { return t.choose(c, conds[1:], x, y) }
	v := t.Choose(c, conds[0], then, y)
	if v.Op != algebra.OpIf || v.E != conds[0] {
		return v
	}
	switch t.never {
	case v.Args[0]:
		return v.Args[1]
	case v.Args[1]:
		return v.Args[0]
	}
	if v.Args[0] == v.Args[1] {
		return v.Args[0]
	}
	if t.opened++; t.opened > maxOpen {
		algebra.Fail(algebra.CodeLimit, "more than %d conditions are left open", maxOpen)
	}
	return v
}

// step counts what is looked at.
func (t *trace) step() {
	if t.steps++; t.steps > maxSteps {
		algebra.Fail(algebra.CodeLimit, "more than %d loops and writes are traced", maxSteps)
	}
}

// back is what a cell holds at a place (law 1). Surely tells that the loop around which was entered
// last was so at the end of an iteration in which the cell is written: then the begin of the
// iteration is not reached.
func (t *trace) back(x *cell, p *place, surely bool, c *context) *scalar {
	switch {
	case p.index > 0:
		return t.through(x, p.before(), surely, c)
	case p.up == nil:
		return t.begin(x, c)
	case p.loop == nil:
		return t.back(x, p.up, surely, c)
	case surely:
		return t.never
	}
	return t.earlier(x, p.up, p.iteration, surely, c)
}

// begin is what a cell holds before all statements that may write it. A local holds nothing then
// (law 7).
func (t *trace) begin(x *cell, c *context) *scalar {
	if !t.written {
		return t.initial(x)
	}
	if t.B.Nowhere(c) {
		return t.Int(domain.Elem{}, 0)
	}
	unsupported("%s is not known to be written before it is read", x.of.Name)
	return nil
}

// through is what a cell holds behind the statement that p is in front of.
func (t *trace) through(x *cell, p *place, surely bool, c *context) *scalar {
	before := func(c *context) *scalar { return t.back(x, p, surely, c) }
	switch s := p.block[p.index].(type) {
	case *Assign:
		if s.To.Buffer != x.of {
			return before(c)
		}
		var same []*expr
		for i, e := range t.all(s.To.At, p, c) {
			d := t.B.Sub(e, x.at[i])
			same = append(same, d, t.B.Scale(algebra.Int(-1), d))
		}
		return t.choose(c, same, func(c *context) *scalar { return t.assigned(s, p, c) }, before)
	case *Alloc:
		if s.Buffer == x.of {
			return t.begin(&cell{of: x.of}, c)
		}
	case *If:
		if writes(p.block[p.index:p.index+1], x.of) {
			return t.branches(x, s, p, surely, c)
		}
	case *For:
		return t.earlier(x, p, nil, surely, c)
	}
	return before(c)
}

// branches is what a cell holds behind an If: of the ways in which it holds at most one is there.
func (t *trace) branches(x *cell, s *If, p *place, surely bool, c *context) *scalar {
	value := func(block []Stmt) func(*context) *scalar {
		in := &place{up: p, block: block, index: len(block)}
		return func(c *context) *scalar { return t.back(x, in, surely, c) }
	}
	otherwise := value(s.Else)
	for _, w := range t.ways(s.Cond, false, p, c) {
		holds := &instances{Builder: t.B, zero: w.zero, rest: w.rest}
		conds, next := holds.conditions(), otherwise
		otherwise = func(c *context) *scalar { return t.choose(c, conds, value(s.Then), next) }
	}
	return otherwise(c)
}

// writes reports whether a block writes to a buffer or begins it.
func writes(block []Stmt, b *Buffer) bool {
	return slices.ContainsFunc(block, func(s Stmt) bool {
		switch s := s.(type) {
		case *For:
			return writes(s.Body, b)
		case *If:
			return writes(s.Then, b) || writes(s.Else, b)
		}
		return touches(s, b)
	})
}

func touches(s Stmt, b *Buffer) bool {
	switch s := s.(type) {
	case *Assign:
		return s.To.Buffer == b
	case *Alloc:
		return s.Buffer == b
	}
	return false
}

// earlier is what a cell holds behind a loop, or with until at the begin of that iteration.
func (t *trace) earlier(x *cell, p *place, until *expr, surely bool, c *context) *scalar {
	l := p.block[p.index].(*For)
	before := func(c *context) *scalar { return t.back(x, p, surely, c) }
	if !writes(l.Body, x.of) {
		return before(c)
	}
	t.step()
	in := t.enter(reached{p, &instances{Builder: t.B, c: c, outward: true}}, l, until)
	var hits []reached
	wanted := func(s Stmt) bool { return touches(s, x.of) }
	t.visit(in, wanted, func(r reached) {
		s, assign := r.statement().(*Assign)
		if !assign {
			unsupported("%s begins in a loop and is read behind it", x.of.Name)
		}
		r.where = r.where.clone()
		for i, e := range t.all(s.To.At, r.at, c) {
			if len(x.at) == 1 {
				r.where.inRow(e, x.at[i])
				continue
			}
			r.where.zero = append(r.where.zero, t.B.Sub(e, x.at[i]))
		}
		hits = append(hits, r)
	})
	if t.written {
		return t.any(hits, c, before)
	}
	if u := t.updates(hits); u != nil {
		return t.folded(u, c, func(c *context) *scalar { return t.back(x, p, false, c) })
	}
	if axis, parts := t.separate(hits); parts != nil {
		return t.separately(x, axis, parts, p, c)
	}
	end := *in.at
	end.index = len(end.block)
	return t.latest(hits, &end, nil, c, before, func(last *place, c *context) *scalar {
		return t.back(x, last, true, c)
	})
}

// any tells whether there is a hit.
func (t *trace) any(hits []reached, c *context, none func(*context) *scalar) *scalar {
	if len(hits) == 0 {
		return none(c)
	}
	some := func(*context) *scalar { return t.Int(domain.Elem{}, 0) }
	return t.choose(c, hits[0].where.exist(), some, func(c *context) *scalar {
		return t.any(hits[1:], c, none)
	})
}

// latest is found (law 2) at the end of the last iteration with a hit, and none where there is no
// hit. End is that of any iteration, best that of the last one of hits before.
func (t *trace) latest(hits []reached, end, best *place, c *context,
	none func(*context) *scalar, found func(*place, *context) *scalar) *scalar {
	if len(hits) == 0 && best == nil {
		return none(c)
	} else if len(hits) == 0 {
		return found(best, c)
	}
	where, last := *hits[0].where, *end
	where.c = c
	var conds []*expr
	conds, last.iteration, last.counter = where.last(end.iteration, end.counter)
	conds, implied := where.apart(conds)
	implied = append(implied, where.there()...)
	with := func(best *place) func(*context) *scalar {
		return func(c *context) *scalar {
			for i := 0; best == &last && i < len(implied); i++ {
				c = t.B.Assume(c, implied[i])
			}
			return t.latest(hits[1:], end, best, c, none, found)
		}
	}
	if best != nil {
		later := t.B.AddInt(t.B.Sub(last.iteration, best.iteration), -1)
		if t.B.Nonneg(c, t.B.AddInt(t.B.Scale(algebra.Int(-1), later), -1)) {
			return with(best)(c)
		}
		conds = append(conds, later)
	}
	return t.choose(c, conds, with(&last), with(best))
}

// assigned is what an Assign writes that p is in front of.
func (t *trace) assigned(s *Assign, p *place, c *context) *scalar {
	if t.written {
		return t.Int(domain.Elem{}, 0)
	}
	return t.within(s, func() *scalar { return t.value(s.Value, p, c) })
}

// within is a value that an Assign computes, unless it asks for that again and again.
func (t *trace) within(s *Assign, value func() *scalar) *scalar {
	again := 0
	for _, other := range t.active {
		if other == s {
			again++
		}
	}
	if again > maxAgain || len(t.active) > maxActive {
		unsupported("an element of %s depends on others of it, again and again", s.To.Buffer.Name)
	}
	t.active = append(t.active, s)
	defer func() { t.active = t.active[:len(t.active)-1] }()
	return value()
}

// read is what a cell holds that a statement reads which p is in front of.
func (t *trace) read(d *Data, p *place, c *context) *scalar {
	x := &cell{d.From.Buffer, t.all(d.From.At, p, c)}
	parts := append([]*expr(nil), x.at...)
	for q := p; q != nil; q = q.up {
		if q.loop != nil {
			parts = append(parts, q.iteration)
		}
	}
	if t.ids[d] == 0 {
		t.ids[d] = len(t.ids) + 1
	}
	key := string(t.Key(c, parts, t.ids[d]))
	if known := t.memo[key]; known != nil {
		return known
	}
	v := t.back(x, p, false, c)
	t.memo[key] = v
	return v
}

// value is that of an expression of a statement that p is in front of.
func (t *trace) value(d *Data, p *place, c *context) *scalar {
	sort := t.Elem(d.Elem)
	switch d.Op {
	case DataRead:
		return t.read(d, p, c)
	case DataLiteral:
		var v *big.Rat
		if i := strings.IndexAny(d.Text, "eE"); i < 0 || len(d.Text)-i <= 5 {
			v, _ = new(big.Rat).SetString(d.Text)
		}
		return t.Literal(sort, d.Text, v)
	case DataInt:
		return t.Number(sort, t.of(d.Int, p, c))
	case DataConvert: // a number that its type has is that as a real number
		if x := d.Args[0]; x.Op == DataInt && algebra.IsReal(sort) && t.fits != nil && t.fits(x) {
			return t.Number(sort, t.of(x.Int, p, c))
		}
	}
	var args []*scalar
	d.typed()
	for _, a := range d.Args {
		x := t.value(a, p, c)
		if x == t.never {
			return x
		}
		args = append(args, x)
	}
	if d.Op >= DataChoose && d.Op <= DataNot {
		return t.conditional(d, args)
	}
	if d.Op == DataEnds {
		return t.Function(sort, d.Text, args...)
	}
	if d.Op == DataConvert {
		return t.Convert(d.Args[0].Elem, d.Elem, args[0])
	}
	return t.operation(d, args)
}

func integer(e domain.Elem) bool { return e.Kind == domain.ElemInt || e.Kind == domain.ElemUint }

func (t *trace) operation(d *Data, args []*scalar) *scalar {
	sort, float := t.Elem(d.Elem), d.Elem.Kind == domain.ElemFloat
	if !float && !integer(d.Elem) {
		unsupported("arithmetic of %s", d.Elem)
	}
	binary := map[DataOp]algebra.Op{DataAdd: algebra.OpAdd, DataMul: algebra.OpMul,
		DataDiv: algebra.OpDiv, DataMax: algebra.OpMax, DataMin: algebra.OpMin}
	op, known := binary[d.Op]
	switch {
	case d.Op == DataNeg:
		return t.Neg(args[0])
	case d.Op == DataSub:
		return t.Sub(args[0], args[1])
	case d.Op >= DataBitAnd:
		return t.bits(d, args[0], args[1])
	case d.Op == DataApply && float && slices.Contains(functions, d.Text) && len(args) == 1:
		return t.Apply(args[0], d.Text, args[0])
	case d.Op == DataDiv && !float, !known,
		(d.Op == DataMax || d.Op == DataMin) && float && !algebra.IsReal(sort):
		unsupported("an operation on %s", d.Elem)
	}
	if d.Op == DataMax {
		return t.Greatest(args[0], args[1])
	}
	return t.Op2(op, args[0], args[1])
}

// functions are those of floats that the checker knows.
var functions = []string{"exp", "log", "sqrt", "erf", "tanh"}
