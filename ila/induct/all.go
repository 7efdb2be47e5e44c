package induct

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"sort"
	"strings"

	"tv/ila"
	"tv/ila/prove"
	"tv/semantics/index"
	"tv/semantics/term"
)

const (
	maxSplits   = 64  // loops that are split
	maxCases    = 64  // times that a case over sizes is taken apart
	maxReplays  = 12  // small points of the domain that are run on numbers
	runsAtPoint = 2   // on values of their own
	maxSize     = 6   // a small point's sizes exceed the least ones by less
	pointLimit  = 216 // small points that are looked at
	maxWork     = 1e6 // elements of operands and result of a small point
	maxGreat    = 1e5 // the same, of a point with one great size
)

// An Answer to a family: of a refutation the point of the domain, and the task there.
type Answer struct {
	*prove.Result
	Task  *ila.Task
	Point []int
}

// Verify proves or refutes a family for all sizes of its domain and all values of its inputs. Before, the
// driver runs on numbers at small points: a refutation is one of these runs, at the smallest that differs.
func Verify(ctx context.Context, f *ila.Family) (*Answer, error) {
	total := prove.NewResult()
	points, err := smallPoints(f)
	if err != nil {
		return nil, err
	}
	if len(points) == 0 {
		return nil, fmt.Errorf("%s: no point of the domain is small enough to run", f.Name)
	}
	for _, point := range points {
		n, _, err := f.At(point)
		if err != nil {
			return nil, err
		}
		t := n.Task()
		t.Name = f.Name + " " + f.Print(point)
		if err := ila.Validate(t.Model); err != nil {
			return nil, err
		}
		for k := range runsAtPoint {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			r := prove.NewResult()
			r.Outputs, r.Steps = t.Output.Size(), len(t.Steps)
			if done, err := prove.Sample(t, k, r); done || err != nil {
				return &Answer{r, t, point}, err
			}
		}
		total.Samples++
	}
	return &Answer{Result: total}, Prove(ctx, f, total)
}

// Prove proves a family for all sizes without running it on numbers, and puts the answer, proved or unknown, into
// total.
func Prove(ctx context.Context, f *ila.Family, total *prove.Result) error {
	cases := [][]condition{nil}
	for len(cases) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		c := cases[len(cases)-1]
		cases = cases[:len(cases)-1]
		cond, reason, err := proveCase(ctx, f, c, total)
		switch {
		case err != nil:
			return err
		case reason != "":
			total.Reason, total.Detail = "incomplete", reason
			if len(c) > 0 {
				total.Detail = fmt.Sprintf("where %s: %s", describe(c), reason)
			}
			return nil
		case cond != nil:
			if total.Cases++; total.Cases > maxCases {
				total.Reason, total.Detail = "incomplete", fmt.Sprintf("more than %d cases of sizes", maxCases)
				return nil
			}
			for _, holds := range []bool{false, true} {
				cases = append(cases, append(slices.Clone(c), condition{cond, holds}))
			}
		default:
			total.Proofs++
		}
	}
	total.Verdict = prove.Proved
	return nil
}

// A condition on sizes: that an expression, of any builder, is at least 0, or that it is not.
type condition struct {
	e     *index.Expr
	holds bool
}

func describe(list []condition) string {
	var parts []string
	for _, c := range list {
		op := ">="
		if !c.holds {
			op = "<"
		}
		parts = append(parts, fmt.Sprintf("%s %s 0", c.e, op))
	}
	return strings.Join(parts, " and ")
}

// smallPoints returns small points of the domain, those with the least elements first.
func smallPoints(f *ila.Family) ([][]int, error) {
	type sized struct {
		point []int
		work  float64
	}
	var list []sized
	counts := make([]int, len(f.Sizes))
	total := 1
	for i := range counts {
		if counts[i] = maxSize; f.Sizes[i].Of != nil {
			counts[i] = 1
		}
		for total*counts[i] > pointLimit && counts[i] > 2 {
			counts[i]--
		}
		total *= counts[i]
	}
	work, err := workOf(f)
	if err != nil {
		return nil, err
	}
	for flat := range total {
		point := ila.Unravel(counts, flat)
		for i := range point {
			point[i] += f.Sizes[i].Least
		}
		f.Complete(point)
		if w := work(point); w >= 0 && w <= maxWork {
			list = append(list, sized{point, w})
		}
	}
	slices.SortStableFunc(list, func(x, y sized) int {
		switch {
		case x.work < y.work:
			return -1
		case x.work > y.work:
			return 1
		}
		return 0
	})
	// the smallest, then some further apart, then those with one great size
	var out [][]int
	for i := 0; i < len(list) && len(out) < maxReplays; {
		out = append(out, list[i].point)
		if len(out) < maxReplays/2 {
			i++
		} else {
			i += max(1, len(list)/maxReplays)
		}
	}
	if len(out) == 0 {
		return nil, nil
	}
	for i := range f.Sizes {
		if f.Sizes[i].Of != nil {
			continue
		}
		point := slices.Clone(out[0])
		for double := slices.Clone(point); ; point = slices.Clone(double) {
			double[i] *= 2
			f.Complete(double)
			if w := work(double); w < 0 || w > maxGreat {
				break
			}
		}
		out = append(out, point)
	}
	return out, nil
}

// workOf returns a function that tells the elements of operands and result at a point, or -1 outside the domain.
func workOf(f *ila.Family) (func(point []int) float64, error) {
	n, facts, err := f.Symbolic()
	if err != nil {
		return nil, err
	}
	return func(point []int) float64 {
		at := func(a *index.Atom) *big.Int {
			i := slices.IndexFunc(f.Sizes, func(s ila.Size) bool { return s.Name == a.Name })
			return big.NewInt(int64(point[i]))
		}
		for _, e := range facts {
			if v, err := e.Eval(at); err != nil || v.Sign() < 0 {
				return -1
			}
		}
		work := 0.0
		for _, x := range append([]*ila.Tensor{n.Output}, n.Inputs...) {
			size := 1.0
			for _, e := range x.Extents {
				v, err := e.Eval(at)
				if err != nil {
					return -1
				}
				d, _ := new(big.Float).SetInt(v).Float64()
				size *= d
			}
			work += size
		}
		return work
	}, nil
}

// proveCase proves one case. It returns a condition to take apart further, or a reason why it fails, or neither.
func proveCase(ctx context.Context, f *ila.Family, c []condition, total *prove.Result) (cond *index.Expr, reason string, err error) {
	p, n, err := start(ctx, f, c, f.Sizes)
	if err != nil {
		return nil, "", err
	}
	if raised := p.raised(f, n, c); raised != nil {
		if p, n, err = start(ctx, f, c, raised); err != nil {
			return nil, "", err
		}
	}
	if err := ila.Validate(n.Model); err != nil {
		return nil, "", err
	}
	if err := prove.CheckTables(n.Name, n.Model, n.Tables); err != nil {
		return nil, "", err
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case stuck:
			reason = r.detail
		case splitCase:
			cond = r.cond
		case splitLoop:
			reason = "a loop is split after its end"
		case interrupted:
			err = r.err
		default:
			panic(r)
		}
		total.Loops += p.loops
		total.Micro += p.micro
		total.Terms += n.Model.B.Terms()
	}()
	for _, s := range n.Init {
		p.spread(s)
	}
	p.run(n.Body)
	for _, r := range n.Model.Ends {
		if !p.truth(r.Cond) {
			return nil, fmt.Sprintf("at the end: %s [%s]", r.Msg, r.Code), nil
		}
	}
	return nil, p.compare(n, total), nil
}

// start returns the nest of a case, sizes being from their least values on, and an inductor that knows what holds in it.
func start(ctx context.Context, f *ila.Family, c []condition, from []ila.Size) (*inductor, *ila.Nest, error) {
	sizes := map[string]*index.Expr{}
	n, facts, err := f.New(func(ix *index.Builder) []*index.Expr {
		out := make([]*index.Expr, len(from))
		for i, s := range from {
			out[i] = sizeIn(s, ix, c)
			sizes[s.Name] = out[i]
		}
		return out
	})
	if err != nil {
		return nil, nil, err
	}
	ix := n.Model.B.Index
	bare := ix.Root()
	for _, e := range facts {
		ix.Fact(e)
	}
	for _, x := range c {
		e := transfer(ix, x.e, sizes)
		if !x.holds {
			e = ix.AddInt(ix.Scale(index.Int(-1), e), -1)
		}
		if _, ok := e.Const(); !ok {
			ix.Fact(e)
		}
	}
	return newInductor(ctx, n.Model, bare, ix.Root()), n, nil
}

// raised returns the sizes with greater least values, of those that others or a fact determine, as far as these are proved
// from the facts; nil if there are none.
func (p *inductor) raised(f *ila.Family, n *ila.Nest, c []condition) []ila.Size {
	list := slices.Clone(f.Sizes)
	point := make([]int, len(list))
	changed := false
	for i, s := range list {
		e := sizeIn(s, n.Model.B.Index, c)
		if least, ok := ila.ConstInt(e); ok {
			point[i] = least
			continue
		}
		point[i] = int(e.Free()[0].Least)
		least := point[i]
		if s.Of != nil {
			least = s.Of(point)
		}
		for _, fact := range p.ctx.Facts() { // e - n >= 0
			if n, ok := ila.ConstInt(p.ix.Sub(e, fact)); ok {
				least = max(least, n)
			}
		}
		if least > point[i] && p.nonneg(p.ix.AddInt(e, int64(-least))) {
			list[i].Least, point[i], changed = least, least, true
		}
	}
	if !changed {
		return nil
	}
	return list
}

// sizeIn returns a size as the conditions of a case leave it: a number, or a name with its least value.
func sizeIn(s ila.Size, ix *index.Builder, list []condition) *index.Expr {
	least, most := int64(s.Least), int64(math.MaxInt64)
	for _, c := range list {
		free := c.e.Free()
		if len(free) != 1 || free[0].Name != s.Name || len(c.e.Terms()) > 2 || len(c.e.Terms()[0].Atoms()) != 1 {
			continue
		}
		// ±size + r >= 0
		coef, _ := c.e.Terms()[0].Coef.Int64()
		r, _ := c.e.ConstTerm().Int64()
		switch {
		case coef == 1 && c.holds:
			least = max(least, -r)
		case coef == 1:
			most = min(most, -r-1)
		case coef == -1 && c.holds:
			most = min(most, r)
		case coef == -1:
			least = max(least, r+1)
		}
	}
	if least == most {
		return ix.Const(least)
	}
	return ix.Size(s.Name, least)
}

// transfer returns an expression over sizes in another builder, where they have the given values.
func transfer(ix *index.Builder, e *index.Expr, sizes map[string]*index.Expr) *index.Expr {
	out := ix.Const(0)
	for _, t := range e.Terms() {
		x := ix.Num(t.Coef)
		for _, a := range t.Atoms() {
			switch a.Kind {
			case index.Size:
				x = ix.Mul(x, sizes[a.Name])
			case index.Floor:
				x = ix.Mul(x, ix.Div(ix.Root(), transfer(ix, a.Num, sizes), transfer(ix, a.Den, sizes)))
			default:
				panic("ila: a condition on more than sizes")
			}
		}
		out = ix.Add(out, x)
	}
	return out
}

// spread writes cells that hold values before the first instruction.
func (p *inductor) spread(s ila.Spread) {
	w := &region{}
	at := make([]*index.Expr, len(s.Counts))
	for i, c := range s.Counts {
		if n, ok := ila.ConstInt(c); ok && n == 1 {
			at[i] = p.ix.Const(0)
			continue
		}
		v := p.ix.NewVar(fmt.Sprintf("i%d", i), p.ix.Const(0), c)
		w.vars = append(w.vars, v)
		at[i] = v.Expr()
	}
	w.at, w.value = s.At(at)
	p.inside(s.Memory, w.at)
	p.cur.writes[s.Memory.Slot()] = append(p.cur.writes[s.Memory.Slot()], w)
}

// maxCompared bounds the cases of one element.
const maxCompared = 256

// compare compares an arbitrary element of the output with the contract. It returns a reason why it fails, or "". Dims
// before the last two are taken index by index, where they are few: batches.
func (p *inductor) compare(n *ila.Nest, total *prove.Result) string {
	counts := []int{}
	for _, c := range n.Output.Extents[:max(0, len(n.Output.Extents)-2)] {
		few, ok := ila.ConstInt(c)
		if !ok || few > maxCompared {
			counts = nil
			break
		}
		counts = append(counts, few)
	}
	batches := 1
	for _, c := range counts {
		batches *= c
	}
	for flat := range batches {
		at := make([]*index.Expr, len(n.Output.Extents))
		for i, x := range ila.Unravel(counts, flat) {
			at[i] = p.ix.Const(int64(x))
		}
		for i, c := range n.Output.Extents {
			if at[i] == nil {
				at[i] = p.ix.NewVar(string(rune('i'+i)), p.ix.Const(0), c).Expr()
			}
		}
		if reason := p.compareAt(n, at, total); reason != "" {
			return reason
		}
	}
	return ""
}

// compareAt compares the element at an index.
func (p *inductor) compareAt(n *ila.Nest, at []*index.Expr, total *prove.Result) string {
	place := slices.Clone(at)
	for i, c := range n.Output.Extents {
		if only, ok := ila.ConstInt(c); ok && only == 1 {
			place[i] = p.ix.Const(0)
		}
	}
	cell := n.Place(place)
	want := n.Contract(at)
	eq := prove.NewEquality(n.Tables, total)
	contexts := []*index.Context{p.ctx}
	defer func(c *index.Context) { p.ctx = c }(p.ctx)
	for count := 0; len(contexts) > 0; count++ {
		if count > maxCompared {
			return fmt.Sprintf("an element of the output has more than %d cases", maxCompared)
		}
		p.ctx = contexts[len(contexts)-1]
		contexts = contexts[:len(contexts)-1]
		pins, some := p.pinned(at)
		if !some {
			continue
		}
		got, cond := p.element(cell)
		if cond != nil {
			contexts = append(contexts, p.ctx.With(p.ix.Condition(cond)),
				p.ctx.With(p.ix.Condition(p.ix.AddInt(p.neg(cond), -1))))
			continue
		}
		if got.Sort != want.Sort {
			return fmt.Sprintf("the contract gives %v, the machine %v", want.Sort, got.Sort)
		}
		if want := p.subst(want, pins); !p.sameValue(eq, want, p.subst(got, pins)) {
			return fmt.Sprintf("element %s: %s is not known to be %s", at, prove.Shorten(want.String()), prove.Shorten(got.String()))
		}
	}
	return ""
}

// pinned returns numbers for those of the indices that can have one value only; ok is false where one can have none: there
// is no such element. Ranges of indices that are not numbers say nothing.
func (p *inductor) pinned(at []*index.Expr) (m map[*index.Atom]*index.Expr, ok bool) {
	m = map[*index.Atom]*index.Expr{}
	for _, e := range at {
		for _, v := range e.Free() {
			lo, okL := ila.ConstInt(v.Lo)
			hi, okH := ila.ConstInt(v.Hi)
			if !okL || !okH {
				continue
			}
			least := sort.Search(hi-lo, func(n int) bool { return !p.nonneg(p.ix.AddInt(e, -int64(lo+n+1))) })
			most := sort.Search(hi-lo, func(n int) bool { return p.nonneg(p.ix.AddInt(p.neg(e), int64(lo+n))) })
			switch {
			case least > most:
				return nil, false
			case least == most:
				m[v] = p.ix.Const(int64(lo + least))
			}
		}
	}
	return m, true
}

// element returns a cell after the last instruction, or a condition on which it depends.
func (p *inductor) element(c ila.Cell) (got *term.Term, cond *index.Expr) {
	p.final = true
	defer func() {
		p.final = false
		switch r := recover().(type) {
		case nil:
		case splitElement:
			cond = r.cond
		default:
			panic(r)
		}
	}()
	return p.read(c.Memory.Slot(), c.Address), nil
}
