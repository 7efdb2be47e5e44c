package recur

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"tv/semantics/domain"
	"tv/semantics/loops"
	"tv/semantics/procedures"
)

// A piece relates instances of a statement of BEFORE with instances of one of AFTER: those at which its facts hold have one value.
type piece struct {
	number int
	a, b   *stmt
	vars   []int // the counters of a, those of b, and quotients
	x, y   []lin // the counters
	facts  []fact
	equal  []fact // those that were guessed
	proof  *proof
}

// copies tells whether the value of a statement is a read alone.
func (s *stmt) copies() bool { return s.value != nil && s.value.Op == loops.Read }

// A met pair is one of nodes that have to be equal where the results are, at a point.
type met struct {
	a, b  *node
	sizes []int64
}

// A cluster is pairs of instances of two statements that are taken for one piece.
type cluster struct {
	a, b *stmt
	rows [][]int64 // 1, sizes, counters of a, counters of b
	from string
}

// A guessing is how pieces are made of what runs show.
type guessing struct {
	fine    bool // a cluster for each way to get there, not for each pair of statements
	bounded bool // only within the bounds that runs show
	known   bool // with what runs took most often for the first opening
	usual   bool // twice: then by the steps that were taken most often
}

// A guess collects what runs show.
type guess struct {
	*question
	guessing
	clusters []*cluster
	index    map[clusterKey]*cluster
	moves    map[string][]step  // by the shapes of two values
	values   *values            // of the point at hand
	again    bool               // moves are known
	totals   bool               // links of chains are taken for what these start from and sums of terms
	summed   map[[2]*stmt]bool  // where that was of use
	first    samples            // of a statement: which link is the first of a chain
	to, back samples            // of two statements: which links of two chains have one term
	trips    map[*loops.For]int // how often a loop ran, at most
}

type clusterKey struct {
	a, b *stmt
	way  string
}

// observe walks through the pairs of a point that have to be equal where all results are.
func (g *guess) observe(sizes []int64) {
	v := newValues(g.ordered)
	g.values = v
	before, after := g.before.execute(sizes, v), g.after.execute(sizes, v)
	for _, r := range []*run{before, after} {
		for l, n := range r.trips {
			g.trips[l] = max(g.trips[l], n)
		}
	}
	type visit struct {
		met
		way string
	}
	var todo []visit
	seen := map[[2]*node]map[string]bool{}
	push := func(a, b *node, way string) {
		if !g.fine {
			way = ""
		}
		if seen[[2]*node{a, b}] == nil {
			seen[[2]*node{a, b}] = map[string]bool{}
		}
		if !seen[[2]*node{a, b}][way] {
			seen[[2]*node{a, b}][way] = true
			todo = append(todo, visit{met{a, b, sizes}, way})
		}
	}
	g.ends(before, after, sizes, func(x, y *node) { push(x, y, "end") })
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if p.a.value != p.b.value {
			at := g.after.typed.Procedure.Span
			if p.b.of != nil {
				at = p.b.of.at
			}
			give(at, "this is not what BEFORE has in its place")
		}
		if p.a.of != nil && p.b.of != nil {
			g.add(p.a, p.b, sizes, p.way)
		}
		way := func(k string) string { return name(p.a) + "~" + name(p.b) + ":" + k }
		switch {
		case p.a.links != nil || p.b.links != nil:
			for _, m := range g.sums(p.a, p.b, sizes) {
				push(m[0].source(), m[1].source(), way("+"+m[0].path))
			}
		case p.a.of == nil && p.b.of == nil:
		case p.a.of != nil && p.a.of.copies():
			push(p.a.sources[0], p.b, way("l"))
		case p.b.of != nil && p.b.of.copies():
			push(p.a, p.b.sources[0], way("r"))
		default:
			pairs, ok := g.align(p.a, p.b)
			if !ok {
				give(g.after.typed.Procedure.Span, "%s is not made as %s, which it has to be equal to", called(p.b), called(p.a))
			}
			for _, m := range pairs {
				push(m[0].source(), m[1].source(), way(m[0].path))
			}
		}
	}
}

// ends calls f for what each cell of a result holds after both runs, which has to be equal.
func (g *guess) ends(before, after *run, sizes []int64, f func(x, y *node)) {
	for i, e := range g.before.ends {
		for _, cell := range before.cellsOf(e) {
			x, y := before.cell(e.buffer, cell), after.cell(g.after.ends[i].buffer, cell)
			if x.value != y.value {
				panic(g.differs(e, sizes, before.whole(e.buffer, cell)))
			}
			f(x, y)
		}
	}
}

// A Differs is an element of the results that is not the same in runs of both programs: of the values of runs, which are not those
// of the arithmetic.
type Differs struct {
	Point domain.Point
	Path  []int
	Index []int64
}

// Error implements error.
func (d *Differs) Error() string { return "at small sizes what has to be equal is not" }

func (g *guess) differs(e *stmt, sizes, cell []int64) *Differs {
	if len(g.large) > 0 {
		give(e.at, "at small sizes what has to be equal is not")
	}
	d := &Differs{Point: g.point(sizes), Index: cell}
	if steps := g.before.typed.Steps; len(steps) > 1 {
		d.Path = []int{slices.IndexFunc(steps, func(s *procedures.Step) bool { return s.Target.Name == e.buffer.Name })}
	}
	return d
}

// called is what a node is called in messages.
func called(n *node) string {
	if n.of == nil {
		return n.name + " at entry"
	}
	return "what " + n.of.at.Position().String() + " writes"
}

func name(n *node) string {
	if n.of == nil {
		return "entry"
	}
	return string(rune('A' + n.of.order))
}

// cellsOf lists the cells of a parameter.
func (r *run) cellsOf(e *stmt) [][]int64 {
	out := [][]int64{nil}
	for k := range e.counters {
		size := r.extent(e.extent(k))
		var next [][]int64
		for _, c := range out {
			for n := range size {
				next = append(next, append(slices.Clip(c), n))
			}
		}
		out = next
	}
	return out
}

func (g *guess) add(a, b *node, sizes []int64, way string) {
	key := clusterKey{a.of, b.of, way}
	c := g.index[key]
	if c == nil {
		c = &cluster{a: a.of, b: b.of, from: way}
		g.index[key] = c
		g.clusters = append(g.clusters, c)
	}
	c.rows = append(c.rows, slices.Concat([]int64{1}, sizes, a.counters, b.counters))
}

// alike tells whether two values are made in the same way, but for what they read and for integers of control.
func alike(x, y *loops.Expr) bool {
	if x.Op != y.Op || x.Elem != y.Elem || x.Name != y.Name || len(x.Args) != len(y.Args) ||
		x.Op == loops.Literal && x.Number.Cmp(y.Number) != 0 {
		return false
	}
	for i := range x.Args {
		if !alike(x.Args[i], y.Args[i]) {
			return false
		}
	}
	return true
}

// hull lists the equations that hold in all rows, each of which gives a column by those before it. Of equations of sizes
// alone there are none.
func hull(rows [][]int64, sizes int) (out [][]int64) {
	n := len(rows[0])
	var basis [][]ratio // reduced, each with a pivot
	var pivots []int
	for _, r := range rows {
		v := make([]ratio, n)
		for k := range v {
			v[k] = whole(r[k])
		}
		for i, b := range basis {
			subtract(v, b, v[pivots[i]])
		}
		p := slices.IndexFunc(v, func(x ratio) bool { return x.n != 0 })
		if p < 0 {
			continue
		}
		inverse := v[p].inverse()
		for k := range v {
			v[k] = v[k].times(inverse)
		}
		for _, b := range basis {
			subtract(b, v, b[p])
		}
		basis, pivots = append(basis, v), append(pivots, p)
	}
	for f := sizes + 1; f < n; f++ {
		if slices.Contains(pivots, f) {
			continue
		}
		out = append(out, scaledRow(basis, pivots, f, n))
	}
	return out
}

func subtract(v, b []ratio, k ratio) {
	if k.n == 0 {
		return
	}
	for i := range v {
		if b[i].n != 0 {
			v[i] = v[i].plus(b[i].times(k).neg())
		}
	}
}

// scaledRow is the equation of a column that has no pivot: it is a sum of columns that have one.
func scaledRow(basis [][]ratio, pivots []int, f, n int) []int64 {
	row := make([]ratio, n)
	for k := range row {
		row[k] = whole(0)
	}
	row[f] = whole(-1)
	d := int64(1)
	for i, p := range pivots {
		row[p] = basis[i][f]
		d = mul(d/gcd(d, row[p].d), row[p].d)
	}
	out := make([]int64, n)
	for k := range row {
		out[k] = mul(row[k].n, d/row[k].d)
	}
	return out
}

// pieces makes pieces of clusters: what holds of all pairs seen, and that they are instances.
func (g *guess) pieces() (out []*piece) {
	slices.SortStableFunc(g.clusters, func(c, d *cluster) int {
		return cmp.Or(cmp.Compare(c.a.order, d.a.order), cmp.Compare(c.b.order, d.b.order), cmp.Compare(c.from, d.from))
	})
	seen := map[string]bool{}
	for _, c := range g.clusters {
		equations := hull(c.rows, len(g.sizes)+len(g.large))
		for _, x := range c.a.cases {
			for _, y := range c.b.cases {
				p := g.piece(c, x, y, equations)
				key := ""
				for _, f := range p.equal {
					key += f.renamed(func(v int) int {
						if v < len(g.sizes) {
							return v
						}
						return len(g.sizes) + slices.Index(p.vars, v)
					}).spelt(spell) + ";"
				}
				key = string(rune(c.a.order)) + string(rune(c.b.order)) + key
				if len(c.a.cases) == 1 && len(c.b.cases) == 1 && seen[key] || empty(slices.Concat(g.sizeFacts, p.facts)) {
					continue
				}
				seen[key] = true
				p.number = len(out)
				out = append(out, p)
			}
		}
	}
	return out
}

// tile tells whether an equation says of a counter that steps by more than 1 what it is whatever the others are: small sizes have
// one tile. Bounds say which tile it is. Where the loop ran more than once it says something.
func (g *guess) tile(c *cluster, e []int64, sizes int) bool {
	around, found := slices.Concat(c.a.around, c.b.around), -1
	for k, n := range e[sizes+1:] {
		if n != 0 && found >= 0 {
			return false
		} else if n != 0 {
			found = k
		}
	}
	return magnitudeOf(around[found].Step.N) > 1 && g.trips[around[found]] < 2
}

func (g *guess) piece(c *cluster, x, y *instance, equations [][]int64) *piece {
	x, cx := g.before.copied(x)
	y, cy := g.after.copied(y)
	p := &piece{a: c.a, b: c.b, x: cx, y: cy, facts: slices.Concat(x.facts, y.facts)}
	for _, list := range [][]lin{cx, cy} {
		for _, v := range list {
			p.vars = append(p.vars, v.terms[0].v)
		}
	}
	columns := append(g.columns(), slices.Concat(cx, cy)...)
	for _, f := range p.facts {
		for _, t := range f.terms {
			if t.v >= len(g.sizes) && !slices.Contains(p.vars, t.v) {
				p.vars = append(p.vars, t.v)
			}
		}
	}
	for _, e := range equations {
		if g.tile(c, e, len(g.sizes)+len(g.large)) {
			continue
		}
		out := lin{}
		for k, n := range e {
			out = out.plus(n, columns[k])
		}
		p.equal = append(p.equal, equation(out))
	}
	p.facts = slices.Concat(p.equal, p.facts)
	if g.bounded {
		p.facts = append(p.facts, g.bounds(c, p, columns)...)
	}
	return p
}

// bounds are those of counters that all pairs of a cluster are within: how much one is at least above a number, a size or
// another counter, if that is so much at each point, and the facts of a piece do not say it.
func (g *guess) bounds(c *cluster, p *piece, columns []lin) (out []fact) {
	first := len(g.sizes) + len(g.large) + 1
	for i := range columns {
		for j := range columns {
			if i == j || i < first && j < first {
				continue
			}
			least, ok := leastAbove(c.rows, i, j, first)
			f := natural(columns[i].minus(columns[j]).add(-least))
			if i == 0 {
				f = natural(number(-least).minus(columns[j]))
			} else if j == 0 {
				f = natural(columns[i].add(-least))
			}
			if ok && !(place{facts: slices.Concat(g.sizeFacts, p.facts, out)}).implies(f) {
				out = append(out, f)
			}
		}
	}
	return out
}

// leastAbove is how much column i is above column j at least; ok tells that it is that much at each point, and that there are
// several. Column 0 counts as 0.
func leastAbove(rows [][]int64, i, j, first int) (least int64, ok bool) {
	at := map[string]int64{}
	for _, r := range rows {
		x, y := r[i], r[j]
		if i == 0 {
			x = 0
		}
		if j == 0 {
			y = 0
		}
		key := fmt.Sprint(r[:first])
		if old, seen := at[key]; !seen || x-y < old {
			at[key] = x - y
		}
	}
	all := slices.Collect(maps.Values(at))
	return all[0], len(all) > 1 && slices.Min(all) == slices.Max(all)
}
