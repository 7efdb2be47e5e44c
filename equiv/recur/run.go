package recur

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"math/bits"
	"slices"

	"tv/semantics/domain"
	"tv/semantics/loops"
)

// maxNodes bounds the instances that a run at a point executes.
const maxNodes = 20_000

// maxScaled is the same where large numbers stand for smaller ones, which tiles keep from being small.
const maxScaled = 80_000

// A node is an instance of a statement at a point, or the contents of a cell at entry.
type node struct {
	of       *stmt // nil of contents
	counters []int64
	sources  []*node // of the reads
	value    uint64  // equal for equal values, and seldom for others
	name     string  // of contents: the parameter of the question
	cell     []int64
	elem     domain.Elem
	links    []*node  // of a sum of terms: those that add them, the last one first
	sum      *node    // of a link, if it was asked for
	terms    []uint64 // of a link: of its chain's terms
	time     int      // of instances, in the order of execution
}

// A run executes a side at a point.
type run struct {
	*side
	sizes    []int64
	counters map[*loops.For]int64
	cells    map[*loops.Buffer]map[string]*node
	of       map[*loops.Assign]*stmt
	count    int
	values   *values
	trips    map[*loops.For]int // how often a loop ran, at most
}

// execute returns what wrote the cells of each parameter last.
func (s *side) execute(sizes []int64, v *values) *run {
	r := &run{side: s, sizes: sizes, counters: map[*loops.For]int64{}, cells: map[*loops.Buffer]map[string]*node{},
		of: map[*loops.Assign]*stmt{}, values: v, trips: map[*loops.For]int{}}
	for _, st := range s.stmts {
		if !st.begin {
			r.of[st.assign] = st
		}
	}
	r.block(s.typed.Procedure.Body)
	return r
}

func (r *run) block(list []loops.Stmt) {
	for _, x := range list {
		switch x := x.(type) {
		case *loops.For:
			r.loop(x)
		case *loops.If:
			if r.cond(x.Cond) {
				r.block(x.Then)
			} else {
				r.block(x.Else)
			}
		case *loops.Alloc:
			r.cells[x.Buffer] = nil
		case *loops.When:
			r.block(r.taken(x))
		case *loops.Assign:
			r.assign(x)
		}
	}
}

func (r *run) loop(l *loops.For) {
	lo, hi, step := r.int(l.Lo[0]), r.int(l.Hi[0]), l.Step.N
	for _, x := range l.Lo[1:] {
		lo = max(lo, r.int(x))
	}
	for _, x := range l.Hi[1:] {
		if step > 0 {
			hi = min(hi, r.int(x))
		} else {
			hi = max(hi, r.int(x))
		}
	}
	trips := 0
	for n := lo; step > 0 && n < hi || step < 0 && n > hi; n += step {
		r.counters[l] = n
		trips++
		r.block(l.Body)
	}
	r.trips[l] = max(r.trips[l], trips)
}

// A long run is why it is tried with smaller numbers.
type long struct{ lost }

func (r *run) assign(a *loops.Assign) {
	most := maxNodes
	if len(r.large) > 0 {
		most = maxScaled
	}
	if r.count++; r.count > most {
		panic(long{lost{fmt.Sprintf("%s: a run of more than %d statements", a.At.Position(), most)}})
	}
	st := r.of[a]
	n := &node{of: st, time: r.count}
	for _, l := range st.around {
		n.counters = append(n.counters, r.counters[l])
	}
	for _, read := range st.reads {
		n.sources = append(n.sources, r.cell(read.From.Buffer, r.cellAt(read.From)))
	}
	k := 0
	next := func() uint64 { k++; return n.sources[k-1].value }
	n.value = r.values.of(a.Value, next, r.int)
	if st.chain != nil && !r.values.ordered {
		for _, t := range st.chain.terms {
			k = t.first
			n.terms = append(n.terms, r.values.of(t.of, next, r.int))
		}
	}
	if r.cells[a.To.Buffer] == nil {
		r.cells[a.To.Buffer] = map[string]*node{}
	}
	r.cells[a.To.Buffer][keyOf(r.cellAt(a.To))] = n
}

// keyOf is the index of a cell in a map.
func keyOf(at []int64) string {
	key := make([]byte, 0, 2*len(at))
	for _, x := range at {
		key = binary.AppendVarint(key, x)
	}
	return string(key)
}

func (r *run) subscripts(list []*loops.Int) (out []int64) {
	for _, x := range list {
		out = append(out, r.int(x))
	}
	return out
}

// cell is what a cell holds.
func (r *run) cell(b *loops.Buffer, at []int64) *node {
	key := keyOf(at)
	if n := r.cells[b][key]; n != nil {
		return n
	}
	if b.Kind > loops.In {
		give(b.Span, "%s is read where it was not written", b.Name)
	}
	name := r.tensor(b)
	n := &node{name: name, cell: at, elem: b.Elem, value: r.values.contents(name, key)}
	if r.cells[b] == nil {
		r.cells[b] = map[string]*node{}
	}
	r.cells[b][key] = n
	return n
}

// tensor is what a parameter is called in the question.
func (s *side) tensor(b *loops.Buffer) string {
	return s.typed.Tensor(s.typed.Parameter(b.Name)).Name
}

func (r *run) int(x *loops.Int) int64 {
	args := make([]int64, len(x.Args))
	if x.Op == loops.Choose {
		if r.cond(x.Cond) {
			return r.int(x.Args[0])
		}
		return r.int(x.Args[1])
	}
	for i, a := range x.Args {
		args[i] = r.int(a)
	}
	switch x.Op {
	case loops.Number:
		return r.number(x.N)
	case loops.Size:
		return r.size(domain.NamedSize(x.Name), x.At).at(func(v int) int64 { return r.sizes[v] })
	case loops.Counter:
		return r.counters[x.Loop]
	case loops.Plus:
		n := int64(0)
		for _, a := range args {
			n += a
		}
		return n
	case loops.Times:
		return args[0] * args[1]
	case loops.Least:
		return slices.Min(args)
	case loops.Greatest:
		return slices.Max(args)
	}
	if args[1] == 0 {
		give(x.At, "a division by zero")
	}
	down := floor(args[0], args[1])
	if args[1] < 0 {
		down = floor(-args[0], -args[1])
	}
	switch x.Op {
	case loops.FloorDiv:
		return down
	case loops.FloorMod:
		return args[0] - args[1]*down
	case loops.CeilDiv:
		if args[0] != args[1]*down {
			down++
		}
		return down
	case loops.TruncDiv:
		return args[0] / args[1]
	}
	return args[0] % args[1]
}

func (r *run) cond(c *loops.Cond) bool {
	switch c.Op {
	case loops.Less:
		return r.int(c.A) < r.int(c.B)
	case loops.LessEqual:
		return r.int(c.A) <= r.int(c.B)
	case loops.Equal:
		return r.int(c.A) == r.int(c.B)
	case loops.None:
		return !r.cond(c.Conds[0])
	}
	for _, d := range c.Conds {
		if r.cond(d) == (c.Op == loops.Any) {
			return c.Op == loops.Any
		}
	}
	return c.Op == loops.All
}

// Values are numbers for elements: sums and products of them are those of a prime field, so that equal expressions are equal
// whatever their form; anything else is a number of its own for equal operands.
type values struct {
	numbers map[string]uint64
	members map[string]map[uint64][]uint64 // of an extreme: of what it is one, in order
	less    map[uint64][2]uint64           // of a condition: what it says is less, or no more
	not     map[uint64]uint64              // of a condition that denies another one: that
	chosen  map[uint64][3]uint64           // of a choice: its condition, which denies none, and both values
	made    map[uint64]made                // how a value was made first
	last    uint64
	looking bool // under makes values anew
	ordered bool // no law holds
}

const prime = 1<<61 - 1

func newValues(ordered bool) *values {
	return &values{numbers: map[string]uint64{}, members: map[string]map[uint64][]uint64{}, less: map[uint64][2]uint64{}, not: map[uint64]uint64{},
		chosen: map[uint64][3]uint64{}, made: map[uint64]made{}, last: 1, ordered: ordered}
}

func (v *values) contents(name, cell string) uint64 { return v.named(name + cell) }

// named is the number of a name.
func (v *values) named(key string) uint64 {
	n, ok := v.numbers[key]
	if !ok {
		v.last = v.last*6364136223846793005 + 1442695040888963407
		n = v.last >> 3 % prime
		v.numbers[key] = n
	}
	return n
}

func times(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	sum := lo&prime + (lo>>61 | hi<<3)
	return (sum&prime + sum>>61) % prime
}

func inverse(a uint64) uint64 {
	out := uint64(1)
	for n := uint64(prime - 2); n > 0; n >>= 1 {
		if n&1 == 1 {
			out = times(out, a)
		}
		a = times(a, a)
	}
	return out
}

func (v *values) of(e *loops.Expr, read func() uint64, int func(*loops.Int) int64) uint64 {
	switch e.Op {
	case loops.Read:
		return read()
	case loops.FromInt:
		n := int(e.Int) % prime
		if n < 0 {
			n += prime
		}
		return uint64(n)
	case loops.Literal:
		if v.ordered {
			return v.named("literal " + e.Number.RatString())
		}
		field := func(n *big.Int) uint64 { return new(big.Int).Mod(n, big.NewInt(prime)).Uint64() }
		return times(field(e.Number.Num()), inverse(field(e.Number.Denom())))
	}
	args := make([]uint64, len(e.Args))
	for i, a := range e.Args {
		args[i] = v.of(a, read, int)
	}
	n := v.apply(e, args)
	if _, ok := v.made[n]; !ok && !v.ordered && e.Op != loops.Convert {
		v.made[n] = made{e, args}
	}
	return n
}

// A made value is that of an operation, of which operands are not looked at.
type made struct {
	op   *loops.Expr
	args []uint64
}

// apply is the number of an operation on operands, whatever its own are.
func (v *values) apply(e *loops.Expr, args []uint64) uint64 {
	if !v.ordered {
		switch e.Op {
		case loops.Add:
			return (args[0] + args[1]) % prime
		case loops.Sub:
			return (args[0] + prime - args[1]) % prime
		case loops.Negate:
			return (prime - args[0]) % prime
		case loops.Mul:
			return times(args[0], args[1])
		case loops.ShiftLeft:
			if by, ok := loops.Short(e); ok {
				return times(args[0], 1<<by%prime)
			}
		case loops.Div:
			if e.Elem.Kind == domain.ElemFloat && args[1] != 0 {
				return times(args[0], inverse(args[1]))
			}
		case loops.Convert:
			if e.Elem.Kind == domain.ElemFloat && e.Args[0].Elem.Kind == domain.ElemFloat {
				return args[0]
			}
			if e.Args[0].Elem.Kind == domain.ElemBool {
				return v.choice(e, args[0], 1, 0)
			}
		case loops.BitAnd, loops.BitOr, loops.BitXor, loops.IsEqual, loops.IsNotEqual:
			slices.Sort(args)
		case loops.Minimum, loops.MinNum:
			return v.extreme(loops.Minimum, e.Elem, args)
		case loops.Maximum, loops.MaxNum:
			return v.extreme(loops.Maximum, e.Elem, args)
		case loops.Choice:
			switch l, known := v.less[args[0]]; {
			case known && e.Elem.Kind != domain.ElemBool && l == [2]uint64{args[1], args[2]}:
				return v.extreme(loops.Minimum, e.Elem, args[1:])
			case known && e.Elem.Kind != domain.ElemBool && l == [2]uint64{args[2], args[1]}:
				return v.extreme(loops.Maximum, e.Elem, args[1:])
			}
			return v.choice(e, args[0], args[1], args[2])
		}
	}
	n := v.named(fmt.Sprint(e.Op, e.Elem, e.Name, args))
	if v.ordered {
		return n
	}
	switch e.Op {
	case loops.IsLess:
		v.less[n] = [2]uint64{args[0], args[1]}
	case loops.IsLessEqual: // not y < x
		v.less[n] = [2]uint64{args[0], args[1]}
		less := v.named(fmt.Sprint(loops.IsLess, e.Elem, e.Name, []uint64{args[1], args[0]}))
		v.less[less] = [2]uint64{args[1], args[0]}
		v.not[n] = less
	case loops.IsNotEqual:
		v.not[n] = v.named(fmt.Sprint(loops.IsEqual, e.Elem, e.Name, args))
	case loops.BitNot:
		if e.Elem.Kind != domain.ElemBool {
			break
		}
		if of, ok := v.not[args[0]]; ok {
			return of
		}
		v.not[n] = args[0]
		if l, ok := v.less[args[0]]; ok {
			v.less[n] = [2]uint64{l[1], l[0]}
		}
	}
	return n
}

// choice is one of two values: of which each is what it is where the condition holds, or where it does not.
func (v *values) choice(e *loops.Expr, cond, yes, no uint64) uint64 {
	if of, ok := v.not[cond]; ok {
		cond, yes, no = of, no, yes
	}
	if !v.looking { // choices within each other by two conditions would be looked under for ever
		yes, no = v.under(yes, cond, 1, maxUnder), v.under(no, cond, 2, maxUnder)
	}
	if yes == no {
		return yes
	}
	if l, ok := v.less[cond]; ok && e.Elem.Kind != domain.ElemBool { // by how much one is ahead of the other
		minus := func(a, b uint64) uint64 { return (a + prime - b) % prime }
		switch minus(yes, no) {
		case minus(l[1], l[0]):
			return (no + minus(v.extreme(loops.Maximum, e.Elem, l[:]), l[0])) % prime
		case minus(l[0], l[1]):
			return minus(no, minus(v.extreme(loops.Maximum, e.Elem, l[:]), l[0]))
		}
	}
	n := v.named(fmt.Sprint("choice", e.Elem, cond, yes, no))
	v.chosen[n] = [3]uint64{cond, yes, no}
	v.made[n] = made{&loops.Expr{Op: loops.Choice, Elem: e.Elem}, []uint64{cond, yes, no}}
	return n
}

// maxUnder bounds the operations within each other that are looked at for a choice that was made.
const maxUnder = 4

// under is a value where a condition is known: where it holds branch is 1, and 2 where it does not.
func (v *values) under(n, cond uint64, branch, depth int) uint64 {
	if of, ok := v.chosen[n]; ok && of[0] == cond {
		return v.under(of[branch], cond, branch, depth)
	}
	m, ok := v.made[n]
	if !ok || depth == 0 {
		return n
	}
	args := slices.Clone(m.args)
	for i, a := range args {
		args[i] = v.under(a, cond, branch, depth-1)
	}
	if slices.Equal(args, m.args) {
		return n
	}
	defer func(was bool) { v.looking = was }(v.looking)
	v.looking = true
	return v.apply(m.op, args)
}

// extreme is the greatest, or the least, of some values: whichever way they were compared, and however often.
func (v *values) extreme(op loops.Op, elem domain.Elem, list []uint64) uint64 {
	kind := fmt.Sprint(op, elem)
	if v.members[kind] == nil {
		v.members[kind] = map[uint64][]uint64{}
	}
	var all []uint64
	for _, x := range list {
		if of := v.members[kind][x]; of != nil {
			all = append(all, of...)
		} else {
			all = append(all, x)
		}
	}
	slices.Sort(all)
	if all = slices.Compact(all); len(all) == 1 {
		return all[0]
	}
	out := v.named(fmt.Sprint(kind, all))
	v.members[kind][out] = all
	return out
}
