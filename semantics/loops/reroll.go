package loops

import (
	"maps"
	"slices"

	"tv/semantics/domain"
)

// Rerolled returns the body of a procedure in which loops that were unrolled are as they were before: one whose step is n·s,
// and whose body is n times the same for counters s apart, has the step s and the body once. What is executed is the same, in
// the same order, so each access, condition and value stays. What goes round a loop in one assignment, x = f(g(x)),
// is as if it were in two. What it costs to look at a loop that was unrolled by 64 is what
// it cost before. The statements are others; where nothing was unrolled they are those of p.
func (p *Procedure) Rerolled() []Stmt {
	if p.extentsCount() || !slices.ContainsFunc(p.Body, mayRoll) {
		return p.Body
	}
	c := copier{}
	body := c.block(p.Body)
	r := &roller{places: PlacesOf(&Procedure{Body: body}), used: map[*Buffer]int{}}
	count(body, r.used)
	r.block(body)
	return body
}

// extentsCount tells whether a local has an extent with a counter in it, which a copier would have to copy.
func (p *Procedure) extentsCount() bool {
	return slices.ContainsFunc(p.Buffers, func(b *Buffer) bool {
		return slices.ContainsFunc(b.Dims, func(d *Int) bool { return d != nil && d.Counts() })
	})
}

// mayRoll tells whether a loop in s has a step and a body that could be those of several iterations.
func mayRoll(s Stmt) bool {
	switch s := s.(type) {
	case *For:
		return s.Step.Op == Number && s.Step.N > 1 || unrolled(s) > 0 || slices.ContainsFunc(s.Body, mayRoll)
	case *If:
		return slices.ContainsFunc(s.Then, mayRoll) || slices.ContainsFunc(s.Else, mayRoll)
	}
	return false
}

// A copier copies statements; its keys are the loops that were copied.
type copier map[*For]*Int

func (c copier) block(list []Stmt) []Stmt {
	out := make([]Stmt, len(list))
	for i, s := range list {
		switch s := s.(type) {
		case *Alloc:
			out[i] = s
		case *Assign:
			out[i] = &Assign{To: c.access(s.To), Value: c.element(s.Value), At: s.At}
		case *For:
			f := *s
			f.Lo, f.Hi, f.Step = c.ints(s.Lo), c.ints(s.Hi), s.Step.With(c)
			c[s] = CounterOf(&f)
			f.Body = c.block(s.Body)
			out[i] = &f
		case *If:
			out[i] = &If{Cond: s.Cond.with(c), Then: c.block(s.Then), Else: c.block(s.Else), At: s.At}
		case *When:
			out[i] = &When{Cond: c.element(s.Cond), Then: c.block(s.Then), Else: c.block(s.Else), At: s.At}
		case *Require:
			r := *s
			r.Cond = s.Cond.with(c)
			out[i] = &r
		}
	}
	return out
}

func (c copier) ints(list []*Int) []*Int {
	out := make([]*Int, len(list))
	for i, x := range list {
		out[i] = x.With(c)
	}
	return out
}

func (c copier) access(a Access) Access {
	a.At = c.ints(a.At)
	if a.Number != nil {
		a.Number = a.Number.With(c)
	}
	return a
}

func (c copier) element(e *Expr) *Expr {
	out := *e
	out.Args = make([]*Expr, len(e.Args))
	for i, a := range e.Args {
		out.Args[i] = c.element(a)
	}
	if e.Op == Read {
		out.From = c.access(e.From)
	}
	if e.Int != nil {
		out.Int = e.Int.With(c)
	}
	return &out
}

// With replaces counters.
func (x *Int) With(counters map[*For]*Int) *Int {
	if x.Op == Counter {
		if y := counters[x.Loop]; y != nil {
			return y
		}
		return x
	}
	if len(x.Args) == 0 {
		return x
	}
	out := *x
	out.Args = make([]*Int, len(x.Args))
	for i, a := range x.Args {
		out.Args[i] = a.With(counters)
	}
	if x.Cond != nil {
		out.Cond = x.Cond.with(counters)
	}
	return &out
}

func (c *Cond) with(counters map[*For]*Int) *Cond {
	out := *c
	if c.A != nil {
		out.A, out.B = c.A.With(counters), c.B.With(counters)
	}
	out.Conds = make([]*Cond, len(c.Conds))
	for i, d := range c.Conds {
		out.Conds[i] = d.with(counters)
	}
	return &out
}

// count adds how often each buffer is accessed.
func count(list []Stmt, used map[*Buffer]int) {
	var element func(e *Expr)
	element = func(e *Expr) {
		if e.Op == Read {
			used[e.From.Buffer]++
		}
		for _, a := range e.Args {
			element(a)
		}
	}
	for _, s := range list {
		switch s := s.(type) {
		case *Assign:
			used[s.To.Buffer]++
			element(s.Value)
		case *For:
			count(s.Body, used)
		case *If:
			count(s.Then, used)
			count(s.Else, used)
		case *When:
			element(s.Cond)
			count(s.Then, used)
			count(s.Else, used)
		}
	}
}

// A roller changes loops in place.
type roller struct {
	places Places
	used   map[*Buffer]int // how often each is accessed in the whole text
}

// block rolls inner loops first: what is unrolled around them is alike then as it was before.
func (r *roller) block(list []Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *For:
			r.block(s.Body)
			r.loop(s)
		case *If:
			r.block(s.Then)
			r.block(s.Else)
		}
	}
}

// unrolled is the number that a loop was unrolled by before it was normalized, 0 where it does not look so.
func unrolled(f *For) int64 {
	for _, s := range f.Body {
		if _, ok := s.(*Assign); !ok {
			return 0
		}
	}
	if k := scaled(f); k > 0 && int64(len(f.Body))%k == 0 {
		return k
	}
	return 0
}

// loop makes the step of a loop as small as its body allows.
func (r *roller) loop(f *For) {
	if k := unrolled(f); k > 0 {
		if undo := rescale(f, k); !r.rolls(f, f.Body) {
			undo()
		}
		return
	}
	if f.Step.Op != Number || f.Step.N < 2 || len(f.Lo) != 1 || f.Parallel != nil {
		return
	}
	if r.rolls(f, f.Body) || len(f.Body) != 1 {
		return
	}
	if s, ok := f.Body[0].(*Assign); ok {
		path := pathTo(s)
		for n := len(path); n > 1; n-- {
			if len(path)%n == 0 && r.rolls(f, links(s, path, n)) {
				return
			}
		}
	}
}

// pathTo are the operations of an assignment x = f(g(..x..)) from the outermost one to the only read of what has the buffer of x,
// where that is x and all have its type; the values in between could be kept in x.
func pathTo(s *Assign) (path []*Expr) {
	used := map[*Buffer]int{}
	count([]Stmt{s}, used)
	if used[s.To.Buffer] != 2 {
		return nil
	}
	x := s.Value
	for x.Op != Read || x.From.Buffer != s.To.Buffer {
		i := slices.IndexFunc(x.Args, func(a *Expr) bool { return reads(a, []*Buffer{s.To.Buffer}) })
		if i < 0 || x.Elem != s.To.Buffer.Elem || x.Op == Choice {
			return nil
		}
		path, x = append(path, x), x.Args[i]
	}
	if !x.From.Same(s.To) {
		return nil
	}
	return path
}

// links are n assignments to x, one after the other, that do what one does along a path to its read of x.
func links(s *Assign, path []*Expr, n int) (out []Stmt) {
	each := len(path) / n
	for k := n - 1; k >= 0; k-- {
		v := Element(s.To)
		for _, e := range slices.Backward(path[k*each : (k+1)*each]) {
			outer := *e
			outer.Args = slices.Clone(e.Args)
			i := slices.IndexFunc(e.Args, func(a *Expr) bool { return reads(a, []*Buffer{s.To.Buffer}) })
			outer.Args[i] = v
			v = &outer
		}
		out = append(out, &Assign{To: s.To, Value: v, At: s.At})
	}
	return out
}

// rolls makes a body that of the loop, if it is the same several times.
func (r *roller) rolls(f *For, body []Stmt) bool {
	for n := len(body); n > 1; n-- {
		if len(body)%n != 0 || f.Step.N%int64(n) != 0 {
			continue
		}
		step := f.Step.N / int64(n)
		each := len(body) / n
		alike := true
		for k := 1; k < n && alike; k++ {
			m := &matching{r: r, counters: map[*For]*Int{f: Sum(CounterOf(f), Num(int64(k)*step))}, buffers: map[*Buffer]*Buffer{}}
			part := body[k*each : (k+1)*each]
			alike = slices.EqualFunc(body[:each], part, m.statement) && m.private(part)
		}
		if !alike {
			continue
		}
		for i, hi := range f.Hi {
			f.Hi[i] = r.end(f.Lo[0], hi, f.Step.N)
		}
		f.Step, f.Body = Num(step), body[:each]
		return true
	}
	return false
}

// end is where a loop from lo to hi ends that takes step at once, lo + step·ceil((hi-lo)/step): it goes on behind hi where
// that is no multiple away. Below lo both are.
func (r *roller) end(lo, hi *Int, step int64) *Int {
	way := Difference(hi, lo)
	if x, ok := r.places.Size(way); ok && x.Mod(domain.IntSize(step)).Equal(domain.IntSize(0)) {
		return hi
	}
	return Sum(lo, Product(Num(step), CeilDiv.Of(way, Num(step))))
}

// A matching tells whether statements are those of another iteration.
type matching struct {
	r        *roller
	counters map[*For]*Int       // what counters of the first are in the second
	buffers  map[*Buffer]*Buffer // likewise of locals
}

// private tells whether what stands for locals of the first is accessed in the second alone: with it they go.
func (m *matching) private(part []Stmt) bool {
	here := map[*Buffer]int{}
	count(part, here)
	for _, b := range slices.Collect(maps.Values(m.buffers)) {
		if here[b] != m.r.used[b] {
			return false
		}
	}
	return true
}

func (m *matching) statement(s, t Stmt) bool {
	switch x := s.(type) {
	case *Alloc:
		y, ok := t.(*Alloc)
		return ok && m.local(x.Buffer, y.Buffer)
	case *Assign:
		y, ok := t.(*Assign)
		return ok && m.access(x.To, y.To) && m.element(x.Value, y.Value)
	case *For:
		y, ok := t.(*For)
		if !ok || !m.ints(x.Lo, y.Lo) || !m.ints(x.Hi, y.Hi) || !m.int(x.Step, y.Step) || x.Parallel != nil || y.Parallel != nil {
			return false
		}
		m.counters[x] = CounterOf(y)
		return slices.EqualFunc(x.Body, y.Body, m.statement)
	case *If:
		y, ok := t.(*If)
		return ok && m.cond(x.Cond, y.Cond) && slices.EqualFunc(x.Then, y.Then, m.statement) && slices.EqualFunc(x.Else, y.Else, m.statement)
	case *When:
		y, ok := t.(*When)
		return ok && m.element(x.Cond, y.Cond) && slices.EqualFunc(x.Then, y.Then, m.statement) && slices.EqualFunc(x.Else, y.Else, m.statement)
	case *Require:
		y, ok := t.(*Require)
		return ok && x.Obligation == y.Obligation && m.cond(x.Cond, y.Cond)
	}
	return false
}

// local takes a local for another from here on, where it begins.
func (m *matching) local(x, y *Buffer) bool {
	if x == y {
		return true
	}
	if x.Kind != Local || y.Kind != Local || x.Elem != y.Elem || !m.ints(x.Dims, y.Dims) || m.buffers[x] != nil {
		return false
	}
	m.buffers[x] = y
	return true
}

func (m *matching) access(x, y Access) bool {
	b := x.Buffer
	if m.buffers[b] != nil {
		b = m.buffers[b]
	}
	return b == y.Buffer && m.ints(x.At, y.At)
}

func (m *matching) element(x, y *Expr) bool {
	return x.Op == y.Op && x.Elem == y.Elem && x.Name == y.Name && x.Checked == y.Checked && (x.Op != Read || m.access(x.From, y.From)) &&
		(x.Int == nil) == (y.Int == nil) && (x.Int == nil || m.int(x.Int, y.Int)) &&
		(x.Number == nil) == (y.Number == nil) && (x.Number == nil || x.Number.Cmp(y.Number) == 0) &&
		slices.EqualFunc(x.Args, y.Args, m.element)
}

func (m *matching) ints(x, y []*Int) bool { return slices.EqualFunc(x, y, m.int) }

// int tells whether x is y where counters are what they are there: written alike, or the same sum.
func (m *matching) int(x, y *Int) bool {
	if x = x.With(m.counters); Same(x, y) {
		return true
	}
	s, ok := m.r.places.Size(x)
	t, okY := m.r.places.Size(y)
	return ok && okY && s.Equal(t)
}

func (m *matching) cond(x, y *Cond) bool {
	return x.Op == y.Op && (x.A == nil) == (y.A == nil) && (x.A == nil || m.int(x.A, y.A) && m.int(x.B, y.B)) &&
		slices.EqualFunc(x.Conds, y.Conds, m.cond)
}
