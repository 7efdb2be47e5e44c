package algebra

import (
	"fmt"
	"slices"

	"tv/semantics/domain"
)

// An Answerer answers goals, in the order in which they are asked. Empty leaves the goal as it is.
// Alive is called now and then, and may panic.
type Answerer interface {
	Answer(g *Goal) string
	Alive()
}

// A Question is a statement whose programs were read and typed.
type Question struct {
	Arith     domain.Arith
	Access    bool                // the same split as well
	WhereBoth bool                // only where AFTER is well formed as well, with BEFORE's dims
	Env       *domain.Env         // of BEFORE
	Declared  domain.Declarations // of BEFORE
	Programs  [2]Program
	// Open is told of AFTER's conditions that are not known to hold in a case of the domain;
	// without it they are refused.
	Open    func(Condition)
	Splits  []Split     // what cases the domain is taken apart into besides
	extents []Condition // of AFTER, where its names are its own
	names   map[string]string
	InRows  map[string]bool // tensors of BEFORE that AFTER has in other shapes
}

// Conditions prints the conditions on sizes under which the statement holds.
func (s *Question) Conditions() []string {
	names, mins, preds := s.Domain()
	return domain.Format(names, mins, preds, s.limits())
}

// limits are those of the sizes that both texts are meant for.
func (s *Question) limits() domain.Limits {
	return s.Programs[0].Limits().With(s.Programs[1].Limits())
}

// Nowhere reports whether BEFORE is well formed at no point, as its conditions contradict each
// other. Of a weaker statement that is asked of both programs, which may also have results of two
// types.
func (s *Question) Nowhere() bool {
	if s.WhereBoth {
		if _, why := s.results(); why != "" {
			return true
		}
	}
	names, mins, cases := s.domainCases()
	return !slices.ContainsFunc(cases, func(cs []clause) bool {
		return !newSizes(NewBuilder(), names, mins, cs).contradictory(mins, cs)
	})
}

// Check refuses the statement unless it holds, but for the elements of the tensors that are left to
// a solver, which count from 0, ascending.
func (s *Question) Check(cuts []Cut, left []int, a Answerer) {
	results, why := s.results()
	if why != "" {
		Fail(CodeStatement, "%s", why)
	}
	s.sameWrites()
	for i, k := range left {
		if k >= len(results[0]) || i > 0 && k <= left[i-1] {
			Fail(CodeWitness, "tensor %d is none of the result, or not in order", k)
		}
	}
	cuts = plan(cuts, s.Programs)
	names, mins, cases := s.domainCases()
	_, _, asked := s.Domain()
	goals, some := 0, false
	for _, cs := range cases {
		b := NewBuilder()
		sz := newSizes(b, names, mins, cs)
		sz.limit(s.Env, s.limits().Counts)
		if sz.contradictory(mins, cs) {
			continue
		}
		some = true
		for _, c := range slices.Concat(s.Programs[1].Conditions(), s.extents) {
			if among(asked, c.Pred) || sz.proves(c.Pred, false) || sz.implies(c.Pred, mins) {
				continue
			} else if s.Open == nil {
				Fail(CodeStatement, "not known to hold: %s", c.Msg)
			}
			s.Open(c)
		}
		// nothing is kept: facts of one are none of another
		component := func(i int, of [2]Tensor, leave bool) {
			terms := NewTerms()
			var sides [2]side
			stands := standing(cuts, i)
			for k, p := range s.Programs {
				state := &State{B: b, Arith: s.Arith, Size: sz.expr, Terms: terms}
				sides[k] = side{state, p.Elements(state, stands[k]), of[k],
					[]int{cuts[i].Before, cuts[i].After}[k]}
			}
			e := newEngine(b, a.Alive, func(g *Goal) *answer {
				goals++
				g.N = goals
				return g.parse(a.Answer(g))
			})
			e.choose(s.Arith, s.Programs)
			e.component(sides, i < len(cuts)-1, leave, i == len(cuts)-1 && s.otherResult(of))
		}
		for i, c := range cuts[:len(cuts)-1] {
			x, y := tensorOf(s.Programs[0], c.Before), tensorOf(s.Programs[1], c.After)
			component(i, [2]Tensor{x, y}, false)
		}
		for i := range results[0] {
			of := [2]Tensor{results[0][i], results[1][i]}
			component(len(cuts)-1, of, slices.Contains(left, i))
		}
	}
	if !some {
		Fail(CodeStatement, "the programs are about no sizes")
	}
}

// A side is a tensor of one program, in one case of the domain.
type side struct {
	*State
	elements Elements
	Tensor
	part int // that it is, or is in
}

// component checks one tensor of the result, or a cut that stands for one later. Such a tensor has
// no MIN among its elements. Of one that is left to a solver the dims alone are compared. Rows says
// that AFTER's has other axes, and is compared in row-major order, at BEFORE's index.
func (e *engine) component(sides [2]side, stands, leave, rows bool) {
	var dims [2][]*Expr
	for i, s := range sides {
		for _, d := range s.Dims {
			dims[i] = append(dims[i], s.Size(d))
		}
	}
	var axes []*Atom
	if rows && !sides[0].Same(e.count(dims[0]), e.count(dims[1])) {
		Fail(CodeStatement, "the results are not known to have as many elements")
	}
	for k, d := range dims[0] {
		if rows {
			axes = append(axes, e.NewVar(e.Const(0), d))
			continue
		}
		if !sides[0].Same(d, dims[1][k]) {
			Fail(CodeStatement, "the sizes of axis %d are not known to be equal", k)
		}
		if other := dims[1][k]; len(other.Free) < len(d.Free) { // the plainer of two equal ones
			d, dims[0][k] = other, other
		}
		axes = append(axes, e.NewVar(e.Const(0), d))
	}
	if leave {
		return
	}
	root := e.Root
	defer func() { e.Root = root }()
	e.real = e.reals(sides[0].State.Elem(sides[0].Tensor.Elem))
	element := func(i int) func(*Context, []*Expr) *Scalar {
		return func(c *Context, at []*Expr) *Scalar {
			if rows && i == 1 {
				at = e.digits(c, e.offset(at, dims[0]), dims[1])
			}
			t := sides[i].elements.At(sides[i].part, sides[i].Path, c, at)
			if stands && IsReal(t.Elem) && e.maybe(t) {
				Fail(CodeDefined, "a cut of a tensor that may hold MIN")
			}
			sides[i].elements.Forget() // another region has other contexts
			return t
		}
	}
	switch {
	case sides[0].tabled() && sides[1].tabled() && e.table(dims[0], element(0), element(1)):
	case e.inOrder:
		o := &orderly{engine: e, nodes: map[string]*node{}, memo: map[[2]int]*node{},
			compared: map[[3]int]bool{}, taken: map[[2]int]*node{}}
		o.equal(e.Root, axes, element(0), element(1))
	default:
		if at, some := e.index(e.Root, axes); some && len(e.sizes) > 0 {
			if t := element(0)(e.Root, at); t.asks { // else the facts would only be in the way
				for _, d := range dims[0] { // elements are compared, so there are some
					e.state(e.AddInt(d, -1))
				}
				e.divides(t, map[*Scalar]bool{})
			}
		}
		e.equal(e.Root, axes, element(0), element(1))
	}
}

// otherResult reports whether AFTER's result is in row-major order that of BEFORE.
func (s *Question) otherResult(of [2]Tensor) bool {
	return s.names != nil && !s.Access && s.rowMajor() && otherDims(of[0].Dims, of[1].Dims)
}

// count is the number of elements of a tensor, offset the place of one in row-major order, and
// digits the index of the element at a place.
func (e *engine) count(dims []*Expr) *Expr {
	n := e.Const(1)
	for _, d := range dims {
		n = e.Mul(n, d)
	}
	return n
}

func (e *engine) offset(at, dims []*Expr) *Expr {
	n := e.Const(0)
	for i, d := range dims {
		n = e.Add(e.Mul(n, d), at[i])
	}
	return n
}

func (e *engine) digits(c *Context, n *Expr, dims []*Expr) []*Expr {
	out := make([]*Expr, len(dims))
	for i := len(dims) - 1; i > 0; i-- {
		q := e.Div(c, n, dims[i])
		out[i], n = e.Sub(n, e.Mul(dims[i], q)), q
	}
	if len(dims) > 0 {
		out[0] = n
	}
	return out
}

// divides states that the sizes are not 0 that BEFORE divides by at every element: elsewhere it has
// no value, and nothing is asked.
func (e *engine) divides(t *Scalar, seen map[*Scalar]bool) {
	if seen[t] || !t.asks || t.Op == OpIf || t.Op == OpGather {
		return
	}
	seen[t] = true
	if !e.some(e.Root, t.Vars) {
		return
	}
	if n := len(t.Args) - 1; t.Op == OpDiv || t.Op == OpApply && t.Name == "mean" {
		if d := t.Args[n]; d.Op == OpNumber && e.Nonneg(e.Root, d.E) {
			e.state(e.AddInt(d.E, -1))
		}
	}
	for _, a := range t.Args {
		e.divides(a, seen)
	}
}

// results lists the tensors of both results; why is not empty where they are of several types,
// whatever the sizes are.
func (s *Question) results() (out [2][]Tensor, why string) {
	for i, p := range s.Programs {
		out[i] = p.Results()
	}
	same := func(x, y Tensor) bool { return slices.Equal(x.Path, y.Path) }
	if !slices.EqualFunc(out[0], out[1], same) || len(out[0]) == 0 {
		return out, "the results are tuples of different kinds"
	}
	for i, x := range out[0] {
		y := out[1][i]
		rows := len(x.Dims) != len(y.Dims) // then they are compared in row-major order
		if rows && (s.names == nil || s.Access || !s.rowMajor()) || x.Elem != y.Elem ||
			s.Access && x.Split != y.Split {
			return out, fmt.Sprintf("the results are %s and %s", x.Text, y.Text)
		}
	}
	return out, ""
}

// sameWrites checks that two procedures write the same parameters: what one leaves alone the other
// does.
func (s *Question) sameWrites() {
	before, after := s.Programs[0].Writes(), s.Programs[1].Writes()
	if before == nil || after == nil {
		return
	}
	for i, name := range after {
		other := name
		if s.names != nil { // a parameter that stands for none is not the one that BEFORE writes
			other = s.names[name]
		}
		if other != before[i] {
			Fail(CodeStatement, "AFTER writes %q, which is not what BEFORE writes", name)
		}
	}
}

// choose sets the laws of the arithmetic.
//
// Real numbers are a field, integers that wrap a ring, and both may stand side by side; where there
// is any other type nothing is re-ordered.
func (e *engine) choose(arith domain.Arith, programs [2]Program) {
	width := 0
	e.laws.natural = true
	for _, p := range programs {
		for _, t := range p.Elems() {
			if !arith.Bits(t) {
				e.laws.field = true
				continue
			}
			if t.Kind != domain.ElemInt && t.Kind != domain.ElemUint {
				e.inOrder = true
			}
			e.laws.natural = e.laws.natural && t.Kind == domain.ElemUint
			if width != 0 && width != t.Width {
				width = -1
			} else if width == 0 {
				width = t.Width
			}
		}
	}
	e.laws.field = (e.laws.field || arith == domain.Real) && !e.inOrder
	e.laws.natural = e.laws.natural && !e.laws.field
	if width > 0 && !e.laws.field {
		e.laws.modulus = bigPower(width)
	}
}

// reals reports whether the laws of the field are those of a sort.
func (e *engine) reals(sort domain.Elem) bool { return e.laws.field && IsReal(sort) }

// scope names the numbers of a sort beside real ones: what polynomials forget. It is empty for the
// reals, and where there are none.
func (e *engine) scope(sort domain.Elem) string {
	if !e.laws.field || IsReal(sort) {
		return ""
	}
	return sort.String()
}

// of is the name of a function on numbers of a sort.
func (e *engine) of(name string, sort domain.Elem) string {
	if in := e.scope(sort); in != "" {
		return name + " of " + in
	}
	return name
}

// A Cut says that a subterm of AFTER has the dims and the elements of a subterm of BEFORE, wherever
// those of BEFORE have a value. Later cuts may take both for one tensor of which nothing is known,
// not even that its elements have a value.
type Cut struct {
	Before, After int   // numbers of the subterms, as the parser counts them
	Uses          []int // the cuts, counted from 0, that stand as tensors in these two; ascending
}

// plan checks that cuts lead from one to the next and end with both programs, which is the plan
// where there are none.
func plan(cuts []Cut, programs [2]Program) []Cut {
	roots := Cut{Before: programs[0].Root(), After: programs[1].Root()}
	if len(cuts) == 0 {
		return []Cut{roots}
	}
	if last := cuts[len(cuts)-1]; last.Before != roots.Before || last.After != roots.After {
		Fail(CodeWitness, "the last cut is not of the programs")
	}
	for i, c := range cuts {
		for k, j := range c.Uses {
			if j >= i || k > 0 && j <= c.Uses[k-1] {
				Fail(CodeWitness, "cut %d uses cut %d", i, j)
			}
		}
		if i == len(cuts)-1 {
			break
		}
		x, y := tensorOf(programs[0], c.Before), tensorOf(programs[1], c.After)
		if x.Elem != y.Elem || len(x.Dims) != len(y.Dims) {
			Fail(CodeWitness, "cut %d is of tensors of other ranks or element types", i)
		}
	}
	return cuts
}

// tensorOf returns the type of a part that is a tensor.
func tensorOf(p Program, n int) Tensor {
	t, ok := p.Part(n)
	if !ok {
		Fail(CodeWitness, "subterm %d is no tensor", n)
	}
	return t
}

// standing returns the tensors that stand for subterms of the two sides of cut i, by the number of
// the subterm. The elements of a tensor are those of one subterm of BEFORE; of AFTER several may
// stand for it.
func standing(cuts []Cut, i int) (names [2]map[int]string) {
	names = [2]map[int]string{{}, {}}
	for _, k := range cuts[i].Uses {
		c := cuts[k]
		name, known := names[0][c.Before]
		if _, twice := names[1][c.After]; twice {
			Fail(CodeWitness, "cut %d uses two cuts of one subterm of AFTER", i)
		}
		if !known {
			name = fmt.Sprintf("%scut %d", Derived, k)
		}
		names[0][c.Before], names[1][c.After] = name, name
	}
	delete(names[0], cuts[i].Before) // what is to be shown
	delete(names[1], cuts[i].After)
	return names
}
