package recur

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"tv/equiv/sizes"
	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/loops"
)

// An Asked is a question about two programs.
type Asked struct {
	Before, After semantics.Program
	Names         []string                // of sizes
	Mins          map[string]int64        // of each
	Preds         []*domain.Pred          // that hold
	Ordered       bool                    // no law of arithmetic holds
	Holds         func(domain.Point) bool // whether a point is one of the domain
	From          int64                   // added to the sizes of runs
	Steps         int                     // of proofs, at most; 0: as many as there are for any question
	nests         [2]*loops.Typed         // read in their place
}

// A question is one under way.
type question struct {
	*names
	proofs        int // steps of proofs so far
	most          int // of them
	before, after *side
	ordered       bool                              // no law of arithmetic holds
	partial       *bool                             // something may have no value; nil where that was not asked yet
	atoms         map[string]string                 // of polynomials: their numbers
	extremes      map[string]map[string]*polynomial // of an extreme as a polynomial: its members
	less          map[string]comparison             // of a condition as a polynomial: what it says is less, or no more
	not           map[string]*polynomial            // of a condition that denies another one: that
	chosen        map[string][3]*polynomial         // of an atom that is a choice: its condition, which denies none, and both values
}

// A Proof is a relation that was shown.
type Proof struct {
	*question
	pieces  []*piece
	results []result
	lawful  bool           // laws of arithmetic are used
	summed  map[*stmt]bool // statements whose chains are used
}

// sources finds who wrote what each statement reads.
func (q *question) sources(ctx context.Context) (err error) {
	defer func() {
		if e := recover(); e != nil {
			l, ok := e.(lost)
			if !ok {
				panic(e)
			}
			err = l
		}
	}()
	for _, s := range []*side{q.before, q.after} {
		for _, st := range slices.Concat(s.stmts, s.ends) {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			for k := range st.reads {
				st.trees[k] = s.source(st, k)
			}
		}
	}
	return nil
}

// unlike is a [*Differs] where runs differ, although nothing can be proved.
func (q *question) unlike(a Asked) (err error) {
	defer func() {
		switch e := recover().(type) {
		case nil, lost, long:
		case *Differs:
			err = e
		default:
			panic(e)
		}
	}()
	for _, sizes := range q.points(a, true) {
		g := &guess{question: q, values: newValues(q.ordered)}
		before, after := q.before.execute(sizes, g.values), q.after.execute(sizes, g.values)
		g.ends(before, after, sizes, func(x, y *node) {})
	}
	return nil
}

// nest is the procedure that a program is, nil of others.
func nest(p semantics.Program) *loops.Typed {
	if g, ok := p.(interface{ Hosted() semantics.Program }); ok {
		p = g.Hosted()
	}
	if n, ok := p.(interface{ Loops() *loops.Typed }); ok {
		return n.Loops()
	}
	return nil
}

// Nests tells whether both programs are procedures.
func (a Asked) Nests() bool {
	return nest(a.Before) != nil && nest(a.After) != nil
}

// Read is the same question about the same texts, read by someone else: who has other assignments where a text has none.
func (a Asked) Read(before, after *loops.Procedure) (Asked, error) {
	for i, p := range []*loops.Procedure{before, after} {
		as := []semantics.Program{a.Before, a.After}[i]
		s, err := loops.SourceOf(p, true)
		if err != nil {
			return a, err
		}
		if a.nests[i], err = s.Under(nest(as).Env, as.Source()); err != nil {
			return a, err
		}
	}
	return a, nil
}

// Implies tells whether a condition holds at all sizes that are asked about, as far as conditions are affine.
func (a Asked) Implies(p *domain.Pred) bool {
	n := newNames(a)
	n.dividing = true
	search := &search{}
	for _, p := range a.Preds {
		if p.Op == domain.PredOr {
			if ways, ok := n.ways(p, a.Mins); ok {
				search.ors = append(search.ors, ways)
			}
		}
	}
	ways, ok := n.ways(&domain.Pred{Op: domain.PredNot, Args: []*domain.Pred{p}}, a.Mins)
	return ok && !slices.ContainsFunc(ways, func(facts []fact) bool {
		var rows []row
		for _, f := range slices.Concat(n.sizeFacts, facts) {
			rows = append(rows, row{fact: f})
		}
		return search.refute(rows) == nil
	})
}

// ways are the cases of a condition; what is not affine is left out.
func (n *names) ways(p *domain.Pred, mins map[string]int64) (out [][]fact, ok bool) {
	cases, ok := sizes.Cases([]*domain.Pred{p}, mins)
	for _, list := range cases {
		var facts []fact
		for _, c := range list {
			if !c.Not {
				facts = append(facts, n.said(&domain.Pred{Op: c.Op, A: c.A, B: c.B})...)
			}
		}
		out = append(out, facts)
	}
	return out, ok
}

// Prove looks for a relation of the instances of two procedures, for which Nests has to hold, and shows it. An error says why there is none.
func Prove(ctx context.Context, a Asked) (out *Proof, err error) {
	defer func() {
		if e := recover(); e != nil {
			switch e := e.(type) {
			case lost:
				out, err = nil, e
			case tooLarge:
				out, err = nil, fmt.Errorf("numbers are too large")
			default:
				panic(e)
			}
		}
	}()
	before, after := a.nests[0], a.nests[1]
	if before == nil {
		before, after = nest(a.Before), nest(a.After)
	}
	q := newQuestion(a, before, after)
	q.extents()
	if err := q.sources(ctx); err != nil {
		return nil, cmp.Or(q.unlike(a), ctx.Err(), err)
	}
	q.before.chains(q.ordered)
	q.after.chains(q.ordered)
	small, large := q.points(a, false), q.points(a, true)
	all := [][][]int64{small, large, q.least(a, small)}
	if slices.EqualFunc(small, large, slices.Equal) {
		all = slices.Delete(all, 1, 2)
	}
	tooLong := false
	for _, points := range all {
		if out, err = q.attempts(ctx, points); err == nil || q.final(ctx, err) {
			return out, cmp.Or(ctx.Err(), err)
		}
		tooLong = tooLong || isLong(err)
	}
	if points := q.scaled(small); tooLong && points != nil {
		return q.attempts(ctx, points)
	}
	return nil, err
}

// attempts guesses from points in all ways.
func (q *question) attempts(ctx context.Context, points [][]int64) (out *Proof, err error) {
	for _, how := range []guessing{{}, {fine: true}, {bounded: true}, {known: true}, {fine: true, bounded: true, usual: true}} {
		if out, err = q.attempt(ctx, points, how); err == nil || q.final(ctx, err) || isLong(err) {
			break
		}
	}
	return out, cmp.Or(ctx.Err(), err)
}

// final tells whether an error of an attempt leaves nothing to be tried.
func (q *question) final(ctx context.Context, err error) bool {
	_, differs := err.(*Differs)
	return differs || ctx.Err() != nil
}

func isLong(err error) bool {
	_, is := err.(long)
	return is
}

func newNames(a Asked) *names {
	n := &names{sizes: slices.Clone(a.Names), next: len(a.Names), quotients: map[int]quotient{}, interned: map[string]int{}}
	for i, name := range n.sizes {
		n.sizeFacts = append(n.sizeFacts, natural(variable(i).add(-a.Mins[name])))
	}
	for _, p := range a.Preds {
		n.sizeFacts = append(n.sizeFacts, n.said(p)...)
	}
	return n
}

func newQuestion(a Asked, x, y *loops.Typed) *question {
	n := newNames(a)
	q := &question{names: n, most: min(maxAllProofs, cmp.Or(a.Steps, maxAllProofs)), before: newSide(n, x), after: newSide(n, y), ordered: a.Ordered, atoms: map[string]string{},
		extremes: map[string]map[string]*polynomial{}, less: map[string]comparison{}, not: map[string]*polynomial{},
		chosen: map[string][3]*polynomial{}}
	written := map[string]bool{}
	for _, s := range []*side{q.before, q.after} {
		for _, st := range s.stmts {
			if observed(st.buffer) {
				written[s.tensor(st.buffer)] = true
			}
		}
	}
	for _, s := range []*side{q.before, q.after} {
		for _, b := range s.typed.Procedure.Buffers {
			if observed(b) && written[s.tensor(b)] {
				s.ends = append(s.ends, s.ending(b))
			}
		}
		slices.SortStableFunc(s.ends, func(e, f *stmt) int { return cmp.Compare(s.tensor(e.buffer), s.tensor(f.buffer)) })
	}
	return q
}

// observed tells whether what a buffer holds at the end is a result.
func observed(b *loops.Buffer) bool { return b.Kind == loops.InOut || b.Kind == loops.Returned }

// extents shows that parameters have the same extents on both sides.
func (q *question) extents() {
	if len(q.before.ends) != len(q.after.ends) {
		give(source.Span{}, "the programs do not write the same parameters")
	}
	for i, e := range q.before.ends {
		f := q.after.ends[i]
		if q.before.tensor(e.buffer) != q.after.tensor(f.buffer) || len(e.counters) != len(f.counters) {
			give(f.at, "the programs do not write the same parameters")
		}
		for k := range e.counters {
			x, y := e.extent(k), f.extent(k)
			if !(place{facts: q.sizeFacts}).implies(equation(x.minus(y))) {
				give(f.at, "axis %d of %s is not known to be as long as BEFORE's", k, e.buffer.Name)
			}
		}
	}
}

// extent is the number of places of an axis: of an end, whose instance has it as a bound of each counter, last.
func (s *stmt) extent(k int) lin {
	facts := s.cases[0].facts
	return facts[len(facts)-2*(len(s.counters)-k)+1].plus(1, variable(s.counters[k])).add(1)
}

// said is what a condition of the domain says, as far as it is a conjunction and affine. One in a single way is said so.
func (n *names) said(p *domain.Pred) (out []fact) {
	if p.Op == domain.PredAnd || p.Op == domain.PredOr && len(p.Args) == 1 {
		for _, q := range p.Args {
			out = append(out, n.said(q)...)
		}
		return out
	}
	if p.Op != domain.PredEq && p.Op != domain.PredLt && p.Op != domain.PredLe {
		return nil
	}
	a, ok := n.maybe(p.A)
	b, okB := n.maybe(p.B)
	if !ok || !okB {
		return nil
	}
	switch p.Op {
	case domain.PredEq:
		return []fact{equation(b.minus(a))}
	case domain.PredLt:
		return []fact{natural(b.minus(a).add(-1))}
	}
	return []fact{natural(b.minus(a))}
}

// maybe is a size as a lin, if it is one.
func (n *names) maybe(x domain.Size) (a lin, ok bool) {
	defer func() {
		if e := recover(); e != nil {
			if _, is := e.(lost); !is {
				panic(e)
			}
			ok = false
		}
	}()
	return n.sized(x, source.Span{}), true
}

// attempt guesses a relation and shows it.
func (q *question) attempt(ctx context.Context, points [][]int64, how guessing) (out *Proof, err error) {
	defer func() {
		if e := recover(); e != nil {
			switch e := e.(type) {
			case lost:
				out, err = nil, e
			case long:
				out, err = nil, e
			case *Differs:
				out, err = nil, e
			default:
				panic(e)
			}
		}
	}()
	g := &guess{question: q, guessing: how, index: map[clusterKey]*cluster{}, moves: map[string][]step{}, trips: map[*loops.For]int{},
		summed: map[[2]*stmt]bool{}, first: samples{}, to: samples{}, back: samples{}}
	for _, sizes := range points {
		g.observe(sizes)
	}
	if g.usual {
		g.again, g.clusters, g.index = true, nil, map[clusterKey]*cluster{}
		g.first, g.to, g.back = samples{}, samples{}, samples{}
		for _, sizes := range points {
			g.observe(sizes)
		}
	}
	p := &prover{question: q, pieces: g.pieces(), moves: g.moves, first: g.first, to: g.to, back: g.back, summed: map[*stmt]bool{}}
	results := p.all()
	return &Proof{q, p.pieces, results, p.lawful, p.summed}, nil
}

// points are small ones of which no size is determined by the others; or ones at which loops that step by more than 1 run
// three times.
func (q *question) points(a Asked, large bool) (out [][]int64) {
	n, strides := len(q.sizes), q.strides()
	base := make([]int64, n)
	for i, name := range q.sizes {
		base[i] = max(a.From+5, a.Mins[name]+4) + int64(i)%2
		if step := strides[i]; large && step > 1 {
			base[i] = max(base[i], a.From+step*2+3)
		}
	}
	for i, most := range base { // extents that are no bounds are rather long
		if strides[i] == 0 {
			base[i] = max(most, slices.Max(base)+2)
		}
	}
	add := func(p []int64, any bool) {
		pt := domain.Point{}
		for i, name := range q.sizes {
			pt[name] = p[i]
		}
		if (a.Holds == nil || a.Holds(pt)) && (any || len(out) < 3 || independent(out, p)) {
			out = append(out, p)
		}
	}
	try := func(p []int64) { add(p, false) }
	try(base)
	for i := range base {
		p := slices.Clone(base)
		p[i] += 2
		try(p)
	}
	for i, step := range strides { // what is left where a step does not divide a size
		for k := int64(1); step > 1 && k < min(step, maxRest); k++ {
			for _, more := range []int64{k, k + step} {
				p := slices.Clone(base)
				p[i] += more
				add(p, true)
			}
		}
	}
	r := rand.New(rand.NewPCG(uint64(n), 1)) // where sizes depend on each other
	for draws := 0; len(out) < max(3, n+1) && draws < maxDraws; draws++ {
		p := slices.Clone(base)
		for i := range p {
			p[i] += r.Int64N(6)
		}
		try(p)
	}
	if len(out) == 0 {
		give(source.Span{}, "no small point is in the domain")
	}
	return out
}

// least has, besides some points, those at which one size or all are as small as may be, or nearly so: where loops do not run
// what they would have written is not written.
func (q *question) least(a Asked, points [][]int64) [][]int64 {
	out, base := slices.Clone(points), points[0]
	for i := range len(base) + 1 {
		for more := range int64(2) {
			p := slices.Clone(base)
			pt := domain.Point{}
			for k, name := range q.sizes {
				if k == i || i == len(base) {
					p[k] = a.Mins[name] + more
				}
				pt[name] = p[k]
			}
			if a.Holds == nil || a.Holds(pt) {
				out = append(out, p)
			}
		}
	}
	return out
}

// maxRest bounds the rests that are looked at.
const maxRest = 4

// maxDraws bounds the points that are looked at.
const maxDraws = 400

// independent tells whether a point is none that others determine.
func independent(points [][]int64, p []int64) bool {
	rank := func(list [][]int64) int {
		var rows [][]int64
		for _, x := range list {
			rows = append(rows, append([]int64{1}, x...))
		}
		return len(rows[0]) - len(hull(rows, -1))
	}
	return rank(append(slices.Clip(points), p)) > rank(points)
}

// strides are, of each size, the longest step of a loop whose bounds it is in, also by way of counters, or the greatest number that
// such bounds are divided by; 0 of what is in none.
func (q *question) strides() []int64 {
	out := make([]int64, len(q.sizes))
	for _, s := range []*side{q.before, q.after} {
		for _, st := range s.stmts {
			for _, l := range st.around {
				s.bounds(l, 1, func(size int, by int64) { out[size] = max(out[size], by, magnitudeOf(l.Step.N)) })
			}
		}
	}
	return out
}

// bounds calls f for the sizes that the bounds of a loop depend on, with the greatest number that divides there.
func (s *side) bounds(l *loops.For, by int64, f func(size int, by int64)) {
	for _, x := range slices.Concat(l.Lo, l.Hi) {
		x.Mentions(func(y *loops.Int) bool {
			switch y.Op {
			case loops.FloorDiv, loops.CeilDiv, loops.TruncDiv:
				by = max(by, magnitudeOf(y.Args[1].N))
			}
			return false
		})
		x.Mentions(func(y *loops.Int) bool {
			switch y.Op {
			case loops.Size:
				for _, t := range s.size(domain.NamedSize(y.Name), y.At).terms {
					f(t.v, by)
				}
			case loops.Counter:
				s.bounds(y.Loop, by, f)
			}
			return false
		})
	}
}
