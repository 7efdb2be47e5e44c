package induct

import (
	"context"
	"fmt"
	"slices"

	"tv/ila"
	"tv/semantics/index"
	"tv/semantics/term"
)

// An inductor runs a nest once for all sizes. Numbers that steer the machine are expressions over sizes and loop
// variables; a memory is a list of regions. A loop, of the driver or of a child model, is run once at a variable
// iteration; what it leaves is guessed from that run, and the guess is accepted only where it holds at the start
// of the first iteration and each iteration carries it on.
//
// What it cannot settle ends the run by a panic, which Verify turns into cases or into an answer:
//
//	stuck      an answer unknown, with its reason
//	splitLoop  the loop is to be run as two, below and from a number on
//	splitCase  the question is to be asked twice, where a condition holds and where it does not
//	splitElement  so is that about one element of the output
type inductor struct {
	stop     context.Context
	l        *ila.Linked
	b        *term.Builder
	ix       *index.Builder
	ctx      *index.Context // what is known of sizes
	bare     *index.Context // in which nothing is known but the least values of sizes
	cur      *frame
	env      map[int]*index.Expr         // values of the model's counters
	oracle   *oracle                     // answers open conditions while a loop is looked at, or nil
	lessons  map[string]*lesson          // what the last run of a loop taught, as a first guess
	known    map[[2]int]bool             // answers of nonneg, by context and expression
	sized    map[string]bool             // answers of sizesOnly, by context, expression and facts
	excesses map[*index.Expr]*index.Expr // expressions over what sizes exceed their least values by
	leasts   map[*index.Atom]int64       // of sizes, by their excesses
	places   map[int][]point             // points of contexts
	digits   map[[2]int]*digits          // by context and variable
	final    bool                        // an element of the output is read
	splits   int                         // loops that were split
	lowers   bool                        // a search may replace what is added, too
	cancels  int                         // steps of the search for one answer
	micro    int                         // loops of children
	loops    int
}

type stuck struct{ detail string }

type splitLoop struct {
	f  *frame
	at *index.Expr
}

type splitCase struct{ cond *index.Expr }

type splitElement struct{ cond *index.Expr }

// interrupted is the error of the context that ended the run.
type interrupted struct{ err error }

func (p *inductor) stuck(format string, args ...any) { panic(stuck{fmt.Sprintf(format, args...)}) }

// A frame is the state of the program, or that of one iteration of a loop: what it changed since the iteration
// began. Below it lies the state in which the loop was met.
type frame struct {
	outer   *frame
	path    string
	inner   int // loops met so far, for paths
	v       *index.Atom
	lo, hi  *index.Expr
	start   []*term.Term // bit-vectors as the iteration began, by slot; nil: not known
	scalars []*term.Term
	writes  [][]*region // by slot of the memory, latest last
	reads   []access    // that went on to the frame below
	carried map[int]*term.Tensor
}

// An access is a read of a memory at an address, for all values of the variables in it.
type access struct {
	slot int
	at   *index.Expr
}

// A lesson is what to assume of a loop: how each bit-vector changes, and which memories its iterations hand on.
type lesson struct {
	class   []class
	delta   []*index.Expr
	carried map[int]bool
}

type class uint8

const (
	same   class = iota // as before the loop
	linear              // grows by delta each iteration
	lost                // set by each iteration before it is read
)

func newInductor(stop context.Context, m *ila.Model, bare, ctx *index.Context) *inductor {
	p := &inductor{stop: stop, l: ila.Link(m), b: m.B, ix: m.B.Index, bare: bare, ctx: ctx, env: map[int]*index.Expr{},
		lessons: map[string]*lesson{}, known: map[[2]int]bool{}, digits: map[[2]int]*digits{},
		sized: map[string]bool{}, places: map[int][]point{}, excesses: map[*index.Expr]*index.Expr{}, leasts: map[*index.Atom]int64{}}
	p.cur = p.newFrame(nil, "")
	for i, v := range p.l.Scalars {
		if !v.IsInput() {
			p.cur.scalars[i] = p.b.Bits(v.Width, 0)
		}
	}
	return p
}

func (p *inductor) newFrame(outer *frame, path string) *frame {
	f := &frame{outer: outer, path: path, scalars: make([]*term.Term, len(p.l.Scalars)),
		writes: make([][]*region, len(p.l.Memories)), carried: map[int]*term.Tensor{}}
	if outer != nil {
		copy(f.scalars, outer.scalars)
	}
	return f
}

// run runs nodes in the current frame.
func (p *inductor) run(nodes []ila.Node) {
	for _, n := range nodes {
		if n.Body != nil {
			p.loop(n.Name, p.ix.Const(0), n.Count, false, func(i *index.Expr) { p.run(n.Body(i)) })
			continue
		}
		for i, v := range p.l.Model.Inputs {
			p.cur.scalars[v.Slot()] = p.input(n.Values[i])
		}
		m := p.l.Model
		i := p.pick(m)
		if i == nil {
			p.stuck("%s: no instruction decodes", n.Text)
		}
		p.take(i)
		for _, c := range m.Children {
			p.rest(c)
		}
	}
}

// input returns what an instruction of the driver gives to an input: numbers stay as they are, parts of them too,
// since machines put parts together again. Numbers must fit: a driver does not make instructions that do not.
func (p *inductor) input(t *term.Term) *term.Term {
	return p.rebuild(t, map[*term.Term]*term.Term{}, func(t *term.Term) *term.Term {
		switch {
		case t.Op == term.Number:
			e := t.Index[0]
			if !p.nonneg(e) || !p.nonneg(p.ix.AddInt(p.ix.Sub(p.ix.Num(power(t.Sort.Width)), e), -1)) {
				p.exists()
				p.stuck("%s is not known to fit a field of %d bits", e, t.Sort.Width)
			}
			return t
		case t.Op == term.Read:
			return t
		case t.Op != term.If:
			return nil
		case p.ask(t.Index[0]):
			return p.input(t.Args[0])
		}
		return p.input(t.Args[1])
	})
}

// exists ends the run by a case over sizes if a loop around has no iteration for some sizes: where it has, more is known.
func (p *inductor) exists() {
	for f := p.cur; f != nil; f = f.outer {
		if f.v == nil {
			continue
		}
		if some := p.ix.AddInt(p.ix.Sub(f.hi, f.lo), -1); onlySizes(some) && !p.nonneg(some) {
			panic(splitCase{some})
		}
	}
}

// unrolled bounds the iterations of loops that are run one by one.
const unrolled = 2

// attempts bounds the guesses about one loop.
const attempts = 12

// loop runs body for i = lo to hi-1. The state that a managed body starts from does not matter, and its bit-vectors
// afterwards are the caller's business.
func (p *inductor) loop(name string, lo, hi *index.Expr, managed bool, body func(i *index.Expr)) {
	outer := p.cur
	if n, ok := ila.ConstInt(p.ix.Sub(hi, lo)); ok && n <= unrolled {
		for i := range n {
			body(p.ix.AddInt(lo, int64(i)))
		}
		return
	}
	p.must(p.ix.Sub(hi, lo))
	outer.inner++
	path := fmt.Sprintf("%s/%d%s", outer.path, outer.inner, name)
	at := p.summarise(path, name, lo, hi, managed, body)
	if at == nil {
		return
	}
	for _, part := range [][2]*index.Expr{{lo, at}, {at, hi}} {
		p.loop(name, part[0], part[1], managed, body)
	}
}

// summarise puts the effect of a loop into the current frame. It returns where the loop is to be split instead, or
// nil.
func (p *inductor) summarise(path, name string, lo, hi *index.Expr, managed bool,
	body func(*index.Expr)) (at *index.Expr) {
	outer := p.cur
	marks := outer.marks()
	var f *frame
	defer func() {
		switch r := recover().(type) {
		case nil:
		case splitLoop:
			if r.f != f {
				panic(r)
			}
			p.cur = outer
			outer.reset(marks)
			at = r.at
		default:
			panic(r)
		}
	}()
	ls := p.lessons[path]
	if ls == nil {
		ls = &lesson{class: make([]class, len(p.l.Scalars)), delta: make([]*index.Expr, len(p.l.Scalars)),
			carried: map[int]bool{}}
		p.lessons[path] = ls
	}
	for range attempts {
		if err := p.stop.Err(); err != nil {
			panic(interrupted{err})
		}
		p.loops++
		f = p.newFrame(outer, path)
		f.v, f.lo, f.hi = p.ix.NewVar(name, lo, hi), lo, hi
		for slot := range ls.carried {
			f.carried[slot] = p.b.Input(fmt.Sprintf("%s of iteration %d", p.l.Memories[slot].Name, f.v.ID()), nil,
				term.MemorySort(ila.AddressWidth, p.l.Memories[slot].Width))
		}
		if !managed {
			for s := range f.scalars {
				f.scalars[s] = p.guess(ls, s, outer.scalars[s], p.ix.Sub(f.v.Expr(), lo))
			}
		}
		f.start = slices.Clone(f.scalars)
		p.cur = f
		body(f.v.Expr())
		p.cur = outer
		if (managed || p.settled(f, ls)) && p.apart(f, ls) {
			p.publish(f)
			if !managed {
				for s := range f.scalars {
					outer.scalars[s] = p.guess(ls, s, outer.scalars[s], p.ix.Sub(hi, lo))
				}
			}
			return nil
		}
		outer.reset(marks)
	}
	p.stuck("no invariant of the loop %s is found", name)
	return nil
}

// marks returns how many reads each frame has recorded, the innermost first; reset forgets those since.
func (f *frame) marks() (out []int) {
	for ; f != nil; f = f.outer {
		out = append(out, len(f.reads))
	}
	return out
}

func (f *frame) reset(marks []int) {
	for _, n := range marks {
		f.reads = f.reads[:n]
		f = f.outer
	}
}

// guess returns a bit-vector after n iterations, or nil where it is not known.
func (p *inductor) guess(ls *lesson, slot int, entry *term.Term, n *index.Expr) *term.Term {
	switch ls.class[slot] {
	case same:
		return entry
	case linear:
		if e, ok := p.num(entry); ok {
			return p.number(entry.Sort, p.ix.Add(e, p.ix.Mul(n, ls.delta[slot])))
		}
	}
	return nil
}

// settled tells whether the iteration of f leaves the bit-vectors as the guess says that the next one finds them;
// otherwise it improves the guess.
func (p *inductor) settled(f *frame, ls *lesson) bool {
	ok := true
	next := p.ix.AddInt(p.ix.Sub(f.v.Expr(), f.lo), 1)
	for s, end := range f.scalars {
		if ls.class[s] == lost {
			continue
		}
		if want := p.guess(ls, s, f.outer.scalars[s], next); want != nil && end != nil && p.equalBits(end, want) {
			continue
		}
		ok = false
		was := ls.class[s]
		ls.class[s] = lost
		if was == same && end != nil && f.start[s] != nil {
			x, okX := p.num(f.start[s])
			y, okY := p.num(end)
			if okX && okY {
				if d := p.ix.Sub(y, x); !d.Mentions(f.v) {
					ls.class[s], ls.delta[s] = linear, d
				}
			}
		}
	}
	return ok
}

// equalBits tells whether two bit-vectors are known to be equal.
func (p *inductor) equalBits(x, y *term.Term) bool {
	if x == y {
		return true
	}
	ex, okX := p.num(x)
	ey, okY := p.num(y)
	return okX && okY && p.zero(p.balanced(p.ix.Sub(ex, ey), x.Sort.Width))
}

// apart tells whether no read of the iteration meets what earlier iterations wrote; memories where one may do are
// handed on by the next guess.
func (p *inductor) apart(f *frame, ls *lesson) bool {
	ok := true
	earlier := map[int][]*region{}
	for _, r := range f.reads {
		if f.carried[r.slot] != nil || ls.carried[r.slot] {
			continue
		}
		if earlier[r.slot] == nil {
			earlier[r.slot] = p.earlier(f, r.slot)
		}
		for _, w := range earlier[r.slot] {
			if found, _, _ := p.find(w, r.at); found != no {
				ls.carried[r.slot] = true
				ok = false
				break
			}
		}
	}
	return ok
}

// earlier returns what iterations before that of f wrote to a memory, with variables of their own.
func (p *inductor) earlier(f *frame, slot int) []*region {
	var out []*region
	for _, w := range f.writes[slot] {
		v := p.ix.NewVar(f.v.Name+"'", f.lo, f.v.Expr())
		out = append(out, p.rename(w, map[*index.Atom]*index.Expr{f.v: v.Expr()}, v))
	}
	return out
}

// publish adds what all iterations of f wrote to the frame below.
func (p *inductor) publish(f *frame) {
	for slot := range f.writes {
		f.writes[slot] = p.compact(f.writes[slot])
		p.ordered(f, slot)
	}
	sums := map[*region]*term.Term{} // what an iteration adds to the cells of a region
	for slot := range f.writes {
		if f.carried[slot] == nil {
			continue
		}
		before := p.earlier(f, slot)
		for i, w := range f.writes[slot] {
			alone := true
			for j, e := range before {
				if i != j {
					found, _, _ := p.find(e, w.at)
					alone = alone && found == no
				}
			}
			if rest := p.addend(slot, w, f.carried[slot], before); rest != nil && alone && !p.depends(w, f.v) {
				sums[w] = rest
			}
		}
	}
	res := &resolver{p: p, f: f, sums: sums}
	var out [][]*region
	for slot := range f.writes {
		var list []*region
		for _, w := range f.writes[slot] {
			list = append(list, res.final(slot, w))
		}
		out = append(out, list)
	}
	for slot := range out {
		f.outer.writes[slot] = append(f.outer.writes[slot], out[slot]...)
	}
}

// compact drops regions all of whose cells a later region of the same iteration writes.
func (p *inductor) compact(list []*region) []*region {
	var out []*region
	for i, w := range list {
		covered := false
		for _, later := range list[i+1:] {
			if found, _, _ := p.find(later, w.at); found == yes {
				covered = true
				break
			}
		}
		if !covered {
			out = append(out, w)
		}
	}
	return out
}

// ordered checks that what an earlier region of an iteration writes, no later region of an earlier iteration does:
// then the regions of all iterations may be put one after the other. Two that lie at the same places in each iteration may
// be: the last iteration decides both.
func (p *inductor) ordered(f *frame, slot int) {
	list := f.writes[slot]
	if len(list) < 2 {
		return
	}
	before := p.earlier(f, slot)
	for i, w := range list {
		for j, e := range before[i+1:] {
			if !p.depends(w, f.v) && !p.depends(list[i+1+j], f.v) {
				continue
			}
			if found, _, _ := p.find(e, w.at); found != no {
				p.stuck("iterations of %s write %s in an order that is not understood", f.v.Name,
					p.l.Memories[slot].Name)
			}
		}
	}
}

// depends tells whether a region lies elsewhere in each iteration.
func (p *inductor) depends(w *region, v *index.Atom) bool {
	if w.at.Mentions(v) {
		return true
	}
	for _, x := range w.vars {
		if x.Lo.Mentions(v) || x.Hi.Mentions(v) {
			return true
		}
	}
	return false
}

// addend returns what a region's value adds to the value that the same cell had before the iteration, or nil; before is
// what earlier iterations write.
func (p *inductor) addend(slot int, w *region, carried *term.Tensor, before []*region) *term.Term {
	if w.value == nil {
		return nil
	}
	parts := summed(nil, w.value)
	own := slices.IndexFunc(parts, func(t *term.Term) bool {
		if t.Op != term.Load || t.Args[0].Tensor != carried {
			return false
		}
		at, ok := p.num(t.Args[1])
		return ok && at == w.at
	})
	if own < 0 || len(parts) < 2 {
		return nil
	}
	parts = slices.Delete(parts, own, own+1)
	rest := parts[0]
	for _, t := range parts[1:] {
		rest = p.b.AddBits(rest, t)
	}
	rest = p.rebuild(rest, map[*term.Term]*term.Term{}, func(t *term.Term) *term.Term { // cells that no iteration writes
		if t.Op != term.Load || t.Args[0].Tensor != carried {
			return nil
		}
		at := p.value(t.Args[1])
		if slices.ContainsFunc(before, func(e *region) bool { found, _, _ := p.find(e, at); return found != no }) {
			return t
		}
		return p.read(slot, at)
	})
	if loads(rest, carried) {
		return nil
	}
	return rest
}

// summed appends the parts of nested additions.
func summed(list []*term.Term, t *term.Term) []*term.Term {
	if t.Op != term.Add {
		return append(list, t)
	}
	return summed(summed(list, t.Args[0]), t.Args[1])
}

// loads tells whether a term reads a memory that iterations hand on.
func loads(t *term.Term, carried *term.Tensor) bool {
	seen := map[*term.Term]bool{}
	var visit func(*term.Term) bool
	visit = func(t *term.Term) bool {
		if seen[t] {
			return false
		}
		seen[t] = true
		return t.Op == term.Read && t.Tensor == carried || slices.ContainsFunc(t.Args, visit)
	}
	return visit(t)
}

// A resolver replaces reads of what earlier iterations left by what that is.
type resolver struct {
	p    *inductor
	f    *frame
	sums map[*region]*term.Term
}

// final returns what all iterations together write where w is what one of them does.
func (r *resolver) final(slot int, w *region) *region {
	p, f := r.p, r.f
	if g := r.sums[w]; g != nil {
		before := p.read(slot, w.at)
		return &region{vars: w.vars, at: w.at, value: p.b.AddBits(before, r.sum(r.resolve(g), f.hi))}
	}
	value := r.resolve(w.value)
	if p.depends(w, f.v) {
		return &region{vars: append([]*index.Atom{f.v}, w.vars...), at: w.at, value: value}
	}
	// the last iteration decides, if there is one
	last := p.ix.AddInt(f.hi, -1)
	p.must(p.ix.Sub(last, f.lo))
	if value != nil {
		value = p.subst(value, map[*index.Atom]*index.Expr{f.v: last})
	}
	return &region{vars: w.vars, at: w.at, value: value}
}

// sum returns the sum of g over the iterations before end.
func (r *resolver) sum(g *term.Term, end *index.Expr) *term.Term {
	p, f := r.p, r.f
	v := p.ix.NewVar(f.v.Name, f.lo, end)
	return p.b.Reduce(term.Sum, []*index.Atom{v}, p.subst(g, map[*index.Atom]*index.Expr{f.v: v.Expr()}))
}

func (r *resolver) resolve(t *term.Term) *term.Term {
	if t == nil {
		return nil
	}
	return r.p.rebuild(t, map[*term.Term]*term.Term{}, func(t *term.Term) *term.Term {
		if t.Op != term.Load {
			return nil
		}
		for slot, c := range r.f.carried {
			if _, number := r.p.num(t.Args[1]); number && t.Args[0].Tensor == c {
				return r.before(slot, r.p.value(t.Args[1]))
			}
		}
		return nil
	})
}

// before returns the cell at an address as the iteration finds it.
func (r *resolver) before(slot int, at *index.Expr) *term.Term {
	p, f := r.p, r.f
	var hit *region
	for i, w := range p.earlier(f, slot) {
		if found, _, _ := p.find(w, at); found == no {
			continue
		}
		if hit != nil {
			p.stuck("an iteration of %s reads %s where earlier ones write twice", f.v.Name, p.l.Memories[slot].Name)
		}
		hit = f.writes[slot][i]
	}
	outside := p.read(slot, at)
	if hit == nil {
		return outside
	}
	g := r.sums[hit]
	if g == nil {
		p.stuck("an iteration of %s reads %s[%s], which earlier ones may write", f.v.Name, p.l.Memories[slot].Name, at)
	}
	fresh := p.rename(&region{vars: hit.vars, at: hit.at, value: g}, nil)
	found, sub, _ := p.find(fresh, at)
	if found != yes {
		p.stuck("an iteration of %s reads %s[%s], which earlier ones may write", f.v.Name, p.l.Memories[slot].Name, at)
	}
	// the sum is made before the address comes in, which may hold the number of the iteration that reads
	return p.b.AddBits(outside, p.subst(r.sum(r.resolve(fresh.value), f.v.Expr()), sub))
}
