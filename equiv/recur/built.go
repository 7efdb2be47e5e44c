package recur

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"tv/semantics/loops"
)

// A built value is that of an instance in which the sources of some reads stand in their place; or what a cell held before the call,
// which is its read 0. Of runs it has nodes, of proofs elements.
type built struct {
	of     *stmt          // nil of contents
	opened map[int]*built // by read
	node   *node
	at     element
	total  bool  // of a link: read 0 is what its chain starts from, read 1 the sum of its terms
	first  []lin // of proofs: the first link
	zero   bool  // no value but 0
}

// A spot is a read of a built value that is not opened: path names it as certificates do, K or K.PATH.
type spot struct {
	of   *built
	read int
	path string
}

// count is how many reads a value has of its own.
func (b *built) count() int {
	if b.of == nil {
		return 1
	}
	if b.total {
		return 2
	}
	return len(b.of.reads)
}

// spots lists the reads that are not opened.
func (b *built) spots(prefix string) (out []spot) {
	if b.zero {
		return nil
	}
	for k := range b.count() {
		path := fmt.Sprint(prefix, k)
		if b.opened[k] != nil {
			out = append(out, b.opened[k].spots(path+".")...)
		} else {
			out = append(out, spot{b, k, path})
		}
	}
	return out
}

// source is the node that a read of a run finds.
func (s spot) source() *node {
	if s.of.of == nil {
		return s.of.node
	}
	if s.of.total && s.read == 1 {
		return s.of.node.sum
	}
	if s.of.total {
		links := s.of.node.chained()
		return links[len(links)-1].sources[s.of.of.chain.read]
	}
	return s.of.node.sources[s.read]
}

// element is what a read of a proof finds.
func (s spot) element() element {
	if s.of.of == nil {
		return s.of.at
	}
	if s.of.total && s.read == 1 {
		return element{kind: aSum, of: s.of.of, counters: s.of.at.counters}
	}
	if s.of.total {
		return element{kind: aRead, of: s.of.of, read: s.of.of.chain.read, counters: s.of.first, starts: true}
	}
	return element{kind: aRead, of: s.of.of, read: s.read, counters: s.of.at.counters}
}

// with is a value with a source in the place of a read.
func (b *built) with(at spot, source *built) *built {
	if b.zero {
		return b
	}
	out := *b
	out.opened = map[int]*built{}
	for k, v := range b.opened {
		out.opened[k] = v.with(at, source)
	}
	if b == at.of {
		out.opened[at.read] = source
	}
	return &out
}

// shape tells which statements a value is built of.
func (b *built) shape() string {
	switch {
	case b.zero:
		return "0"
	case b.of == nil:
		return "entry"
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%d", b.of.order)
	if b.total {
		out.WriteString("+")
	}
	for k := range b.count() {
		if b.opened[k] != nil {
			fmt.Fprintf(&out, "(%d %s)", k, b.opened[k].shape())
		}
	}
	return out.String()
}

// computedAlike lists the reads of two values that are made in the same way, in their order; ok is false of others. Integers of control are those
// of instances, and are compared elsewhere: where a read is opened there may be none but numbers.
func computedAlike(x, y *built) (pairs [][2]spot, ok bool) {
	if x.total || y.total || x.opened != nil && slices.Contains(slices.Collect(maps.Values(x.opened)), zero) {
		return nil, false
	}
	if len(x.opened) == 0 && len(y.opened) == 0 && x.of != nil && y.of != nil {
		ok = alike(x.of.value, y.of.value)
	} else {
		ok = x.text() == y.text()
	}
	if !ok {
		return nil, false
	}
	s, t := x.spots(""), y.spots("")
	for k := range s {
		pairs = append(pairs, [2]spot{s[k], t[k]})
	}
	return pairs, true
}

// text says how a value is made, but for what it reads.
func (b *built) text() string {
	if b.total || b.zero {
		return fmt.Sprintf("%p", b)
	}
	if b.of == nil {
		return "read"
	}
	k := 0
	var walk func(e *loops.Expr) string
	walk = func(e *loops.Expr) string {
		switch e.Op {
		case loops.Read:
			if k++; b.opened[k-1] != nil {
				return b.opened[k-1].text()
			}
			return "read"
		case loops.Literal:
			return e.Number.RatString() + e.Elem.String()
		case loops.FromInt:
			if e.Int.Op != loops.Number {
				return fmt.Sprintf("%p", e)
			}
			return fmt.Sprint(e.Int.N, e.Elem)
		}
		parts := []string{fmt.Sprint(e.Op, e.Elem, e.Name)}
		for _, a := range e.Args {
			parts = append(parts, walk(a))
		}
		return "(" + strings.Join(parts, " ") + ")"
	}
	return walk(b.of.value)
}

// A step says what is done with two values: related reads make them equal, or a read is opened.
type step struct {
	rule  rule // same, expr, open, total
	after bool // of open: the read is AFTER's
	path  string
	pairs [][2]string // of expr: reads that are related
	count int         // how often runs took it
}

func (s step) equal(t step) bool {
	return s.rule == t.rule && s.after == t.after && s.path == t.path && slices.Equal(s.pairs, t.pairs)
}

// Limits of the search for steps that show two values of a run to be equal.
const (
	maxOpened = 12 // reads of two values
	fewOpened = 4  // before links of chains are looked at: all terms of a short sum are no relation
	maxLooked = 40 // pairs of values that are looked at
)

// align finds out how two nodes of a run that are equal may be shown to be, and returns pairs of reads that have to be related for that; ok
// is false where it does not know.
func (g *guess) align(a, b *node) (pairs [][2]spot, ok bool) {
	key := [2]*stmt{a.of, b.of}
	try := func(totals bool, opened int) bool {
		looked := 0
		g.totals = totals
		pairs, ok = g.aligned(&built{of: a.of, node: a}, &built{of: b.of, node: b}, opened, &looked)
		g.summed[key] = ok && totals
		return ok
	}
	ok = g.summed[key] && try(true, maxOpened) || try(false, fewOpened) || try(true, maxOpened) || try(false, maxOpened)
	return pairs, ok
}

func (g *guess) aligned(x, y *built, depth int, looked *int) (pairs [][2]spot, ok bool) {
	if *looked++; *looked > maxLooked {
		return nil, false
	}
	note := func(s step) {
		key := x.shape() + "|" + y.shape()
		i := slices.IndexFunc(g.moves[key], s.equal)
		if i < 0 {
			i, g.moves[key] = len(g.moves[key]), append(g.moves[key], s)
		}
		g.moves[key][i].count++
	}
	if s, found := g.usually(x, y); found != nil {
		note(s)
		return found, true
	}
	if pairs, ok = computedAlike(x, y); ok && !slices.ContainsFunc(pairs, func(p [2]spot) bool {
		return p[0].source().value != p[1].source().value
	}) {
		note(step{rule: same})
		return pairs, true
	}
	if s, found := g.lawful(x, y); found != nil {
		note(s)
		return found, true
	}
	if depth == 0 {
		return nil, false
	}
	for _, c := range slices.Concat(g.firstly(x, y), g.openings(x, y)) {
		v, w := x, y
		put := c.by
		switch {
		case c.path == "-" && c.after:
			w = put
		case c.path == "-":
			v = put
		case c.after:
			w = y.with(c.spot, put)
		default:
			v = x.with(c.spot, put)
		}
		if pairs, ok = g.aligned(v, w, depth-1, looked); ok {
			note(step{rule: c.rule, after: c.after, path: c.path})
			return pairs, true
		}
	}
	return nil, false
}

// usually is the step that runs took most often with two such values, of those that relate their reads at once, if it is one for
// these: where values are equal by chance others would be too.
func (g *guess) usually(x, y *built) (best step, pairs [][2]spot) {
	if !g.again {
		return step{}, nil
	}
	for _, s := range g.moves[x.shape()+"|"+y.shape()] {
		if s.rule != same && s.rule != expr || s.count <= best.count {
			continue
		}
		var list [][2]spot
		if s.rule == same {
			list, _ = computedAlike(x, y)
		} else {
			xs, ys := x.spots(""), y.spots("")
			for _, p := range s.pairs {
				list = append(list, [2]spot{at(xs, p[0]), at(ys, p[1])})
			}
		}
		if !slices.ContainsFunc(list, func(p [2]spot) bool { return p[0].source().value != p[1].source().value }) {
			best, pairs = s, append([][2]spot{}, list...)
		}
	}
	return best, pairs
}

// at is the read of a path.
func at(list []spot, path string) spot {
	return list[slices.IndexFunc(list, func(s spot) bool { return s.path == path })]
}

// An opening is a read of one of two values whose source may stand in its place.
type opening struct {
	spot
	rule  rule // open or total
	by    *built
	after bool
	far   [4]int // how far the source is from the value: what is near is tried first
}

// openings lists the reads of one value, computed by some instance, whose value no read of the other has.
func (g *guess) openings(x, y *built) (out []opening) {
	if g.totals && !g.ordered && len(x.opened) == 0 && len(y.opened) == 0 {
		for i, b := range []*built{x, y} {
			if linked(b) {
				out = append(out, opening{spot: spot{path: "-"}, rule: total, by: g.totalled(b.node), after: i == 1, far: [4]int{-2}})
			}
		}
	}
	for i, list := range [][]spot{x.spots(""), y.spots("")} {
		others, root := [][]spot{y.spots(""), x.spots("")}[i], []*built{x, y}[i].node
		for _, s := range list {
			n := s.source()
			if n.of == nil || slices.ContainsFunc(others, func(t spot) bool { return t.source().value == n.value }) {
				continue
			}
			o := opening{spot: s, rule: open, by: &built{of: n.of, node: n}, after: i == 1, far: [4]int{0, 0, len(root.counters), root.time - n.time}}
			if observed(n.of.buffer) {
				o.far[1] = 1
			}
			for k := range shared(n.of, root.of) {
				if n.counters[k] != root.counters[k] {
					break
				}
				o.far[2]--
			}
			if out = append(out, o); n.of.chain != nil && g.totals && !g.ordered {
				o.far[0], o.rule, o.by = -1, total, g.totalled(n)
				out = append(out, o)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b opening) int { return slices.Compare(a.far[:], b.far[:]) })
	return out
}

// firstly is the opening that runs took most often with two such values, if there is one: where a loop did not run the same read has a
// source of another kind.
func (g *guess) firstly(x, y *built) []opening {
	var best step
	if !g.known {
		return nil
	}
	for _, s := range g.moves[x.shape()+"|"+y.shape()] {
		if (s.rule == open || s.rule == total) && s.path != "-" && s.count > best.count {
			best = s
		}
	}
	if best.count == 0 || best.rule == total && !g.totals {
		return nil
	}
	of := x
	if best.after {
		of = y
	}
	o := opening{spot: at(of.spots(""), best.path), rule: best.rule, after: best.after}
	switch n := o.source(); {
	case n.of == nil:
		return nil
	case best.rule == total && n.of.chain != nil:
		o.by = g.totalled(n)
	default:
		o.by = &built{of: n.of, node: n}
	}
	return []opening{o}
}

// linked tells whether a value is a link of a chain, of which nothing is opened.
func linked(b *built) bool { return b.of != nil && b.of.chain != nil && !b.total && len(b.opened) == 0 }

// totalled is a link of a run as what its chain starts from, and the sum of its terms.
func (g *guess) totalled(n *node) *built {
	if n.sum == nil {
		n.sum = g.values.sum(n)
	}
	return &built{of: n.of, node: n, total: true}
}

// lawful lists the reads of two values that have the same source, if by laws the values are the same then.
func (g *guess) lawful(x, y *built) (s step, pairs [][2]spot) {
	if g.ordered {
		return s, nil
	}
	class := func(s spot) string { return fmt.Sprint(s.source().value) }
	v, w := g.polynomial(x, class), g.polynomial(y, class)
	if v == nil || !v.refines(w) {
		return s, nil
	}
	s.rule, pairs = expr, [][2]spot{}
	for _, b := range y.spots("") {
		known := false
		for _, a := range x.spots("") {
			if a.source().value == b.source().value {
				s.pairs, pairs, known = append(s.pairs, [2]string{a.path, b.path}), append(pairs, [2]spot{a, b}), true
			}
		}
		if !known {
			return step{}, nil
		}
	}
	return s, pairs
}

// builtOf is an instance, or what a cell held, as a value.
func builtOf(v element) *built {
	if v.kind == held {
		return &built{at: v}
	}
	return &built{of: v.of, at: v}
}

// compute shows that two values are equal by the steps that runs took with such ones.
func (p *prover) compute(pl place, x, y *built) *proof {
	if empty(pl.facts) {
		return &proof{}
	}
	at := x.at.of.at
	if y.of != nil {
		at = y.of.at
	}
	why := lost{at.Position().String() + ": it is not made as what it has to be equal to"}
	for _, s := range p.moves[x.shape()+"|"+y.shape()] {
		out, err := p.try(func() *proof { return p.step(pl, x, y, s) })
		if out != nil {
			return out
		}
		why = err
	}
	panic(why)
}

// try returns what f does, or why it does not.
func (p *prover) try(f func() *proof) (out *proof, why lost) {
	defer func() {
		if e := recover(); e != nil {
			l, ok := e.(lost)
			if !ok {
				panic(e)
			}
			out, why = nil, l
		}
	}()
	return f(), lost{}
}

// step takes one step of compute.
func (p *prover) step(pl place, x, y *built, s step) *proof {
	find := func(b *built, path string) spot { return at(b.spots(""), path) }
	switch s.rule {
	case same:
		return p.operation(pl, x, y)
	case expr:
		return p.expression(pl, x, y, s)
	case total:
		return p.total(pl, x, y, s, find)
	}
	of := x
	if s.after {
		of = y
	}
	at := find(of, s.path)
	out := p.follow(pl, at.element(), open, func(pl place, source element) *proof {
		put := builtOf(source)
		if s.after {
			return p.compute(pl, x, y.with(at, put))
		}
		return p.compute(pl, x.with(at, put), y)
	})
	out.after, out.path = s.after, s.path
	return out
}

// expression shows that two values are the same by laws, where reads are related.
func (p *prover) expression(pl place, x, y *built, s step) *proof {
	out := &proof{rule: expr, pairs: s.pairs}
	class := map[string]string{}
	xs, ys := x.spots(""), y.spots("")
	for _, pair := range s.pairs {
		a, b := at(xs, pair[0]), at(ys, pair[1])
		out.parts = append(out.parts, p.show(pl, a.element(), b.element(), nil))
		old, name := class["r"+pair[1]], class["l"+pair[0]]
		if name == "" {
			name = "l" + pair[0]
		}
		class["l"+pair[0]], class["r"+pair[1]] = name, name
		for k, v := range class {
			if old != "" && v == old {
				class[k] = name
			}
		}
	}
	named := func(side string) func(spot) string {
		return func(s spot) string {
			if name := class[side+s.path]; name != "" {
				return name
			}
			return side + s.path
		}
	}
	v, w := p.polynomial(x, named("l")), p.polynomial(y, named("r"))
	if v == nil || !v.refines(w) {
		give(x.at.of.at, "what it computes is not known to be the same by laws")
	}
	p.lawful = true
	return out
}
