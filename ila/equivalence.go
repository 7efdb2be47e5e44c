package ila

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"tv/semantics/index"
	"tv/semantics/term"
)

// A Refinement claims that two models do the same, instruction by instruction: in a state of Left, and the state of
// Right that Map gives, instructions of a pair decode together, meet their checks together, and leave states that
// Map relates again.
//
// Map says what an input or a bit-vector of Right is, as a term over inputs and state of Left; one that is not in
// it is the variable of Left with the same name, width and depth. Memories are always that. Children of the same name
// are compared likewise, so that machines whose every pair agrees take the same steps; where one machine has children
// that the other has not, see [VerifyAgainst].
type Refinement struct {
	Left, Right *Model
	Map         map[*Var]*term.Term
	Pairs       [][2]string // names of instructions of the roots; those of the same name where there are none
}

// equivalenceSamples is the number of random states in which a claim is tried before it is called unknown.
const equivalenceSamples = 4096

// Check decides the claim for all states and inputs, one finding a pair and question: "decodes agree", "checks
// agree", "count agrees" of a variable of Right, "stores agree"; "has a partner" of an instruction or a child without
// one, which is unknown; "ends agree" of the machines, where one says when a program may end. Both sides are compared
// as terms; a refutation is a state in which their values differ. An error says what of the claim makes no sense.
func (r *Refinement) Check(ctx context.Context) ([]Finding, error) {
	for _, m := range []*Model{r.Left, r.Right} {
		if err := Validate(m); err != nil {
			return nil, err
		}
	}
	c := &refinement{b: term.NewBuilder(), left: map[*Var]*term.Term{}, right: map[*Var]*term.Term{}}
	scalars, memories := r.Left.vars()
	for _, v := range append(scalars, memories...) {
		c.left[v] = c.b.Read(c.b.Input(v.smtName(), nil, v.Term.Sort), nil)
	}
	scalars, memories = r.Right.vars()
	c.vars = append(scalars, memories...)
	for _, v := range c.vars {
		same := r.counterpart(v)
		switch {
		case r.Map[v] != nil && v.Depth == 0 && r.Map[v].Sort == v.Term.Sort:
			c.right[v] = c.build(r.Map[v], c.reads(c.left), nil)
		case r.Map[v] == nil && same != nil:
			c.right[v] = c.left[same]
		default:
			return nil, fmt.Errorf("%s of %s is not mapped to state of %s", v.Name, r.Right.Name, r.Left.Name)
		}
	}
	for _, p := range r.Pairs {
		if r.Left.instruction(p[0]) == nil || r.Right.instruction(p[1]) == nil {
			return nil, fmt.Errorf("there is no instruction %s of %s, or no %s of %s", p[0], r.Left.Name, p[1], r.Right.Name)
		}
	}
	var list []Finding
	if err := c.models(ctx, r, r.Left, r.Right, &list); err != nil {
		return nil, err
	}
	if len(r.Pairs) == 0 && len(r.Left.Ends)+len(r.Right.Ends) > 0 {
		list = append(list, c.ends(r))
	}
	if len(list) == 0 {
		return nil, errors.New("no instructions are paired")
	}
	return list, nil
}

// models compares the instructions of two models and those of their children. What has no partner is a finding: of it
// nothing is known.
func (c *refinement) models(ctx context.Context, r *Refinement, left, right *Model, list *[]Finding) error {
	paired := map[*Instruction]bool{}
	for _, i := range left.Instructions {
		for _, name := range r.partners(left, i) {
			if err := ctx.Err(); err != nil {
				return err
			}
			if j := right.instruction(name); j != nil {
				*list = append(*list, c.pair(r, left, right, i, j)...)
				paired[i], paired[j] = true, true
			}
		}
	}
	alone := func(m, other *Model, name string) {
		*list = append(*list, Finding{Model: m.path() + "." + name, Question: "has a partner",
			Detail: "there is none in " + other.path()})
	}
	for _, side := range [][2]*Model{{left, right}, {right, left}} {
		for _, i := range side[0].Instructions {
			if !paired[i] {
				alone(side[0], side[1], i.Name)
			}
		}
		for _, child := range side[0].Children {
			switch other := side[1].child(child.Name); {
			case other == nil:
				alone(side[0], side[1], child.Name)
			case side[0] == left:
				if err := c.models(ctx, r, child, other, list); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// ends compares where programs may end.
func (c *refinement) ends(r *Refinement) Finding {
	all := func(list []Requirement, read *reading) *term.Term {
		t := c.b.Truth(true)
		for _, e := range list {
			t = c.b.And(t, c.build(e.Cond, read, nil))
		}
		return t
	}
	f := Finding{Model: r.Left.path() + " and " + r.Right.path(), Question: "ends agree"}
	c.settle(&f, c.b.Truth(true), all(r.Left.Ends, c.reads(c.left)), all(r.Right.Ends, c.reads(c.right)))
	return f
}

// partners returns the names of the instructions that one of the left model is compared with.
func (r *Refinement) partners(m *Model, i *Instruction) (names []string) {
	if m != r.Left || len(r.Pairs) == 0 {
		return []string{i.Name}
	}
	for _, p := range r.Pairs {
		if p[0] == i.Name {
			names = append(names, p[1])
		}
	}
	return names
}

func (m *Model) child(name string) *Model {
	for _, c := range m.Children {
		if c.Name == name {
			return c
		}
	}
	return nil
}

func (m *Model) instruction(name string) *Instruction {
	for _, i := range m.Instructions {
		if i.Name == name {
			return i
		}
	}
	return nil
}

// counterpart returns the variable of Left that v of Right is without a map.
func (r *Refinement) counterpart(v *Var) *Var {
	scalars, memories := r.Left.vars()
	for _, x := range append(scalars, memories...) {
		if x.Name == v.Name && x.Width == v.Width && x.Depth == v.Depth && x.input == v.input {
			return x
		}
	}
	return nil
}

// A refinement is the work on a claim: terms of both models over the state of the left one, of one builder.
type refinement struct {
	b           *term.Builder
	vars        []*Var // of the right model
	left, right map[*Var]*term.Term
}

// A reading is what stands for the variables of a model, and what was built with it.
type reading struct {
	variable func(*term.Term) *term.Term
	built    map[*term.Term]*term.Term // without counters
}

// reads returns the reading that gives variables of a model terms.
func (c *refinement) reads(of map[*Var]*term.Term) *reading {
	byTerm := map[*term.Term]*term.Term{}
	for v, t := range of {
		byTerm[v.Term] = t
	}
	return &reading{func(t *term.Term) *term.Term { return byTerm[t] }, map[*term.Term]*term.Term{}}
}

// build returns a term with what a reading has for its variables, and counters at their values. Sums are written
// out.
func (c *refinement) build(t *term.Term, read *reading, counts map[*index.Atom]uint64) *term.Term {
	if len(counts) > 0 {
		return c.operation(t, read, counts)
	}
	made := read.built[t]
	if made == nil {
		made = c.operation(t, read, nil)
		read.built[t] = made
	}
	return made
}

func (c *refinement) operation(t *term.Term, read *reading, counts map[*index.Atom]uint64) *term.Term {
	switch t.Op {
	case term.Const:
		return c.b.Const(t.Sort, t.Value)
	case term.Read:
		return read.variable(t)
	case term.Number:
		return c.b.Bits(t.Sort.Width, counts[t.Index[0].Free()[0]])
	case term.Reduce:
		sum := c.b.Bits(t.Sort.Width, 0)
		inner := map[*index.Atom]uint64{}
		for a, n := range counts {
			inner[a] = n
		}
		for k := range count(t.Vars[0]) {
			inner[t.Vars[0]] = uint64(k)
			sum = c.b.AddBits(sum, c.build(t.Args[0], read, inner))
		}
		return sum
	}
	args := make([]*term.Term, len(t.Args))
	for i, a := range t.Args {
		args[i] = c.build(a, read, counts)
	}
	switch t.Op {
	case term.Load:
		return c.b.Load(args[0], args[1])
	case term.Apply:
		return c.b.Apply(t.Sort, t.Name, args...)
	}
	return c.b.Rebuild(t, args)
}

// pair compares two instructions. After the decodes, questions are asked in states in which the left one decodes.
func (c *refinement) pair(r *Refinement, m, n *Model, i, j *Instruction) []Finding {
	name := m.path() + "." + i.Name + " and " + n.path() + "." + j.Name
	left, right := c.reads(c.left), c.reads(c.right)
	decode := c.build(i.Decode, left, nil)
	var list []Finding
	ask := func(question string, when, x, y *term.Term) {
		f := Finding{Model: name, Question: question}
		c.settle(&f, when, x, y)
		list = append(list, f)
	}
	ask("decodes agree", c.b.Truth(true), decode, c.build(j.Decode, right, nil))
	met := func(i *Instruction, read *reading) *term.Term {
		all := c.b.Truth(true)
		for _, k := range i.Checks {
			all = c.b.And(all, c.build(k.Cond, read, nil))
		}
		return all
	}
	checks := met(i, left)
	ask("checks agree", decode, checks, met(j, right))
	when := c.b.And(decode, checks)
	next := map[*Var]*term.Term{}
	for v, t := range c.left {
		next[v] = t
	}
	for _, s := range i.Sets {
		next[s.Var] = c.build(s.Value, left, nil)
	}
	after := map[*Var]*term.Term{}
	for _, s := range j.Sets {
		after[s.Var] = c.build(s.Value, right, nil)
	}
	for _, v := range c.vars {
		if v.input || v.Depth > 0 {
			continue
		}
		want := next[r.counterpart(v)]
		if m := r.Map[v]; m != nil {
			want = c.build(m, c.reads(next), nil)
		}
		got := after[v]
		if got == nil {
			got = c.right[v]
		}
		if want != c.left[r.counterpart(v)] || got != want { // both stay
			ask(v.Name+" agrees", when, want, got)
		}
	}
	x, y := c.stores(i, left), c.stores(j, right)
	if len(x) != len(y) {
		return append(list, Finding{Model: name, Question: "stores agree", Verdict: Unknown,
			Detail: fmt.Sprintf("%d stores against %d", len(x), len(y))})
	}
	stores := Finding{Model: name, Question: "stores agree", Verdict: Proved}
	for n := range x {
		if x[n].memory != y[n].memory || (x[n].value == nil) != (y[n].value == nil) {
			stores.Verdict, stores.Detail = Unknown, fmt.Sprintf("store %d is of another memory or kind", n)
			break
		}
		parts := [][2]*term.Term{{x[n].when, y[n].when}, {x[n].at, y[n].at}}
		if x[n].value != nil {
			parts = append(parts, [2]*term.Term{x[n].value, y[n].value})
		}
		for at, p := range parts {
			one, cond := Finding{}, when
			if at > 0 {
				cond = c.b.And(when, x[n].when)
			}
			if c.settle(&one, cond, p[0], p[1]); one.Verdict != Proved {
				stores.Verdict, stores.Detail = one.Verdict, fmt.Sprintf("store %d: %s", n, one.Detail)
			}
			stores.Cases += one.Cases
		}
		if stores.Verdict != Proved {
			break
		}
	}
	if len(x) > 0 {
		list = append(list, stores)
	}
	return list
}

// A storing is one cell that an instruction writes.
type storing struct {
	memory          *term.Term
	at, value, when *term.Term
}

func (c *refinement) stores(i *Instruction, read *reading) (list []storing) {
	for _, e := range i.Eachs {
		for k := range e.N {
			counts := map[*index.Atom]uint64{}
			if e.Var != nil {
				counts[e.Var] = uint64(k)
			}
			for _, st := range e.Stores {
				s := storing{memory: read.variable(st.Memory.Term), at: c.build(st.Address, read, counts), when: c.b.Truth(true)}
				if st.Value != nil {
					s.value = c.build(st.Value, read, counts)
				}
				if st.When != nil {
					s.when = c.build(st.When, read, counts)
				}
				list = append(list, s)
			}
		}
	}
	return list
}

// settle says whether two terms have the same value in all states in which when holds: first by random states, which
// alone refute; then by structure, and for truth values by the cases that they tell apart.
func (c *refinement) settle(f *Finding, when, x, y *term.Term) {
	if x == y {
		f.Verdict = Proved
		return
	}
	random := rand.New(rand.NewPCG(0x7476, 7))
	for range equivalenceSamples {
		e := &state{values: map[*term.Term]uint64{}, seed: random.Uint64(), random: random}
		e.aim(when)
		f.Cases++
		if e.value(when) != 0 && e.value(x) != e.value(y) {
			f.Verdict = Refuted
			f.Detail = fmt.Sprintf("0x%x and 0x%x at %s", e.value(x), e.value(y), e.describe())
			return
		}
	}
	eq := &equality{b: c.b, result: &Result{lemma: map[string]bool{}}, agreed: map[[2]*term.Term]bool{}}
	if eq.same(x, y) {
		f.Verdict = Proved
		return
	}
	p := partition{bits: map[*term.Term]uint64{}, points: map[*term.Term][]uint64{}, whole: map[*term.Term]bool{}}
	if x.Sort == term.BoolSort {
		for _, t := range []*term.Term{when, x, y} {
			p.visit(t)
		}
		p.cases()
	}
	if x.Sort != term.BoolSort || p.unfit != "" {
		f.Detail = fmt.Sprintf("%s is not known to be %s", shorten(x.String()), shorten(y.String()))
		return
	}
	e := &assignment{values: map[*term.Term]uint64{}}
	f.Verdict = Proved
	p.each(0, e, func() bool {
		f.Cases++
		if e.value(when) != 0 && e.value(x) != e.value(y) {
			f.Verdict, f.Detail = Refuted, "they differ at "+p.describe(e)
		}
		return f.Verdict == Proved
	})
}

// A state gives variables random values, and memories random contents.
type state struct {
	values map[*term.Term]uint64
	order  []*term.Term
	counts map[*index.Atom]uint64 // of counters; those missing are drawn
	seed   uint64
	random *rand.Rand
}

// aim sets the bits that the conjunction when compares with numbers, so that it holds more often.
func (e *state) aim(when *term.Term) {
	switch {
	case when.Op == term.And && when.Sort == term.BoolSort:
		e.aim(when.Args[0])
		e.aim(when.Args[1])
	case when.Op == term.Equal:
		for i, x := range when.Args {
			v, ok := when.Args[1-i].ConstBits()
			switch {
			case ok && x.Op == term.Read:
				e.read(x)
				e.values[x] = v
			case ok && x.Op == term.Extract && x.Args[0].Op == term.Read:
				at := x.Args[0]
				mask := term.Ones(x.Sort.Width) << x.Low()
				e.values[at] = e.read(at)&^mask | v<<x.Low()
			}
		}
	}
}

func (e *state) read(t *term.Term) uint64 {
	v, ok := e.values[t]
	if !ok {
		v = e.random.Uint64() & term.Ones(t.Sort.Width)
		switch e.random.IntN(4) {
		case 0:
			v &= 3
		case 1: // few bits, so that fields beside each other are 0 and not
			v &= e.random.Uint64() & e.random.Uint64() & e.random.Uint64() & e.random.Uint64()
		}
		e.values[t] = v
		e.order = append(e.order, t)
	}
	return v
}

func (e *state) value(t *term.Term) uint64 {
	switch t.Op {
	case term.Const:
		v, _ := t.ConstBits()
		return v
	case term.Read:
		return e.read(t)
	case term.Load:
		h := e.seed ^ uint64(t.Args[0].ID())<<40 ^ e.value(t.Args[1])*0x9e3779b97f4a7c15
		h = (h ^ h>>31) * 0xbf58476d1ce4e5b9
		return (h ^ h>>29) & term.Ones(t.Sort.Width)
	case term.Number:
		v := t.Index[0].Free()[0]
		n, ok := e.counts[v]
		if !ok {
			n = e.random.Uint64N(uint64(count(v)))
			e.counts[v] = n
		}
		return n & term.Ones(t.Sort.Width)
	case term.Apply:
		h := e.seed
		for _, r := range t.Name {
			h = h*31 + uint64(r)
		}
		for _, a := range t.Args {
			h = (h ^ e.value(a)) * 0x9e3779b97f4a7c15
		}
		return (h ^ h>>31) & term.Ones(t.Sort.Width)
	}
	args := make([]uint64, len(t.Args))
	for i, a := range t.Args {
		args[i] = e.value(a)
	}
	return term.EvalBits(t, args)
}

func (e *state) describe() string { return describeValues(e.order, e.values) }

// describeValues says which elements have which values.
func describeValues(order []*term.Term, values map[*term.Term]uint64) string {
	parts := make([]string, len(order))
	for i, t := range order {
		parts[i] = fmt.Sprintf("%s = 0x%x", t.Tensor.Name, values[t])
	}
	return strings.Join(parts, ", ")
}

// VerifyAgainst decides whether two tasks leave the same output for all values of their inputs: a machine against
// another, after the programs with all their micro-steps. The inputs and the output have the same names, dims and
// widths. What right computes is the contract of left; see [Verify].
func VerifyAgainst(ctx context.Context, left, right *Task) (*Result, error) {
	if !slices.Equal(left.Output.Dims, right.Output.Dims) || left.Output.Width != right.Output.Width {
		return nil, fmt.Errorf("the output of %s is not that of %s", left.Name, right.Name)
	}
	byTensor := map[*term.Tensor]*Tensor{}
	for _, x := range right.Inputs {
		i := slices.IndexFunc(left.Inputs, func(y *Tensor) bool {
			return x.Name == y.Name && x.Width == y.Width && slices.Equal(x.Dims, y.Dims)
		})
		if i < 0 {
			return nil, fmt.Errorf("%s has no input like %s of %s", left.Name, x.Name, right.Name)
		}
		byTensor[x.tensor] = left.Inputs[i]
	}
	s := NewSymbolic(right.Model)
	for _, in := range right.Init {
		s.SetCell(in.Memory, in.Address, in.Value)
	}
	for _, step := range right.Steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := s.Step(step.Values...); err != nil {
			return nil, fmt.Errorf("%s: %w", right.Name, err)
		}
	}
	if err := s.End(); err != nil {
		return nil, fmt.Errorf("%s: %w", right.Name, err)
	}
	t := *left
	c := &refinement{b: left.Model.B}
	read := &reading{func(r *term.Term) *term.Term {
		at, _ := r.Index[0].Const()
		flat, _ := at.Int64()
		return left.Element(byTensor[r.Tensor], int(flat))
	}, map[*term.Term]*term.Term{}}
	t.Claim = "what " + right.Name + " leaves"
	outputs := make([]*term.Term, right.Output.Size())
	for flat := range outputs {
		out, detail := outputTerm(right, s, flat)
		if out == nil {
			return nil, fmt.Errorf("%s: %s", right.Name, detail)
		}
		outputs[flat] = c.build(out, read, nil)
	}
	t.Contract = func(flat int) *term.Term { return outputs[flat] }
	return Verify(ctx, &t)
}
