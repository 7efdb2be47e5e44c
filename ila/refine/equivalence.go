package refine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"tv/ila"
	"tv/ila/prove"
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
	Left, Right *ila.Model
	Map         map[*ila.Var]*term.Term
	Pairs       [][2]string // names of instructions of the roots; those of the same name where there are none
}

// equivalenceSamples is the number of random states in which a claim is tried before it is called unknown.
const equivalenceSamples = 4096

// Check decides the claim for all states and inputs, one finding a pair and question: "decodes agree", "checks
// agree", "count agrees" of a variable of Right, "stores agree"; "has a partner" of an instruction or a child without
// one, which is unknown; "ends agree" of the machines, where one says when a program may end. Both sides are compared
// as terms; a refutation is a state in which their values differ. An error says what of the claim makes no sense.
func (r *Refinement) Check(ctx context.Context) ([]Finding, error) {
	for _, m := range []*ila.Model{r.Left, r.Right} {
		if err := ila.Validate(m); err != nil {
			return nil, err
		}
	}
	c := &refinement{b: term.NewBuilder(), left: map[*ila.Var]*term.Term{}, right: map[*ila.Var]*term.Term{}}
	scalars, memories := r.Left.Layout()
	for _, v := range append(scalars, memories...) {
		c.left[v] = c.b.Read(c.b.Input(v.Path(), nil, v.Term.Sort), nil)
	}
	scalars, memories = r.Right.Layout()
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
		if instructionOf(r.Left, p[0]) == nil || instructionOf(r.Right, p[1]) == nil {
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
func (c *refinement) models(ctx context.Context, r *Refinement, left, right *ila.Model, list *[]Finding) error {
	paired := map[*ila.Instruction]bool{}
	for _, i := range left.Instructions {
		for _, name := range r.partners(left, i) {
			if err := ctx.Err(); err != nil {
				return err
			}
			if j := instructionOf(right, name); j != nil {
				*list = append(*list, c.pair(r, left, right, i, j)...)
				paired[i], paired[j] = true, true
			}
		}
	}
	alone := func(m, other *ila.Model, name string) {
		*list = append(*list, Finding{Model: m.Path() + "." + name, Question: "has a partner",
			Detail: "there is none in " + other.Path()})
	}
	for _, side := range [][2]*ila.Model{{left, right}, {right, left}} {
		for _, i := range side[0].Instructions {
			if !paired[i] {
				alone(side[0], side[1], i.Name)
			}
		}
		for _, child := range side[0].Children {
			switch other := childOf(side[1], child.Name); {
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
	all := func(list []ila.Requirement, read *reading) *term.Term {
		t := c.b.Truth(true)
		for _, e := range list {
			t = c.b.And(t, c.build(e.Cond, read, nil))
		}
		return t
	}
	f := Finding{Model: r.Left.Path() + " and " + r.Right.Path(), Question: "ends agree"}
	c.settle(&f, c.b.Truth(true), all(r.Left.Ends, c.reads(c.left)), all(r.Right.Ends, c.reads(c.right)))
	return f
}

// partners returns the names of the instructions that one of the left model is compared with.
func (r *Refinement) partners(m *ila.Model, i *ila.Instruction) (names []string) {
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

// childOf returns the child of a name, or nil.
func childOf(m *ila.Model, name string) *ila.Model {
	for _, c := range m.Children {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// instructionOf returns the instruction of a name, or nil.
func instructionOf(m *ila.Model, name string) *ila.Instruction {
	for _, i := range m.Instructions {
		if i.Name == name {
			return i
		}
	}
	return nil
}

// counterpart returns the variable of Left that v of Right is without a map.
func (r *Refinement) counterpart(v *ila.Var) *ila.Var {
	scalars, memories := r.Left.Layout()
	for _, x := range append(scalars, memories...) {
		if x.Name == v.Name && x.Width == v.Width && x.Depth == v.Depth && x.IsInput() == v.IsInput() {
			return x
		}
	}
	return nil
}

// A refinement is the work on a claim: terms of both models over the state of the left one, of one builder.
type refinement struct {
	b           *term.Builder
	vars        []*ila.Var // of the right model
	left, right map[*ila.Var]*term.Term
}

// A reading is what stands for the variables of a model, and what was built with it.
type reading struct {
	variable func(*term.Term) *term.Term
	built    map[*term.Term]*term.Term // without counters
}

// reads returns the reading that gives variables of a model terms.
func (c *refinement) reads(of map[*ila.Var]*term.Term) *reading {
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
		for k := range ila.Iterations(t.Vars[0]) {
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
func (c *refinement) pair(r *Refinement, m, n *ila.Model, i, j *ila.Instruction) []Finding {
	name := m.Path() + "." + i.Name + " and " + n.Path() + "." + j.Name
	left, right := c.reads(c.left), c.reads(c.right)
	decode := c.build(i.Decode, left, nil)
	var list []Finding
	ask := func(question string, when, x, y *term.Term) {
		f := Finding{Model: name, Question: question}
		c.settle(&f, when, x, y)
		list = append(list, f)
	}
	ask("decodes agree", c.b.Truth(true), decode, c.build(j.Decode, right, nil))
	met := func(i *ila.Instruction, read *reading) *term.Term {
		all := c.b.Truth(true)
		for _, k := range i.Checks {
			all = c.b.And(all, c.build(k.Cond, read, nil))
		}
		return all
	}
	checks := met(i, left)
	ask("checks agree", decode, checks, met(j, right))
	when := c.b.And(decode, checks)
	next := map[*ila.Var]*term.Term{}
	for v, t := range c.left {
		next[v] = t
	}
	for _, s := range i.Sets {
		next[s.Var] = c.build(s.Value, left, nil)
	}
	after := map[*ila.Var]*term.Term{}
	for _, s := range j.Sets {
		after[s.Var] = c.build(s.Value, right, nil)
	}
	for _, v := range c.vars {
		if v.IsInput() || v.Depth > 0 {
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
		return append(list, Finding{Model: name, Question: "stores agree", Verdict: prove.Unknown,
			Detail: fmt.Sprintf("%d stores against %d", len(x), len(y))})
	}
	stores := Finding{Model: name, Question: "stores agree", Verdict: prove.Proved}
	for n := range x {
		if x[n].memory != y[n].memory || (x[n].value == nil) != (y[n].value == nil) {
			stores.Verdict, stores.Detail = prove.Unknown, fmt.Sprintf("store %d is of another memory or kind", n)
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
			if c.settle(&one, cond, p[0], p[1]); one.Verdict != prove.Proved {
				stores.Verdict, stores.Detail = one.Verdict, fmt.Sprintf("store %d: %s", n, one.Detail)
			}
			stores.Cases += one.Cases
		}
		if stores.Verdict != prove.Proved {
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

func (c *refinement) stores(i *ila.Instruction, read *reading) (list []storing) {
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
		f.Verdict = prove.Proved
		return
	}
	random := rand.New(rand.NewPCG(0x7476, 7))
	for range equivalenceSamples {
		e := &state{values: map[*term.Term]uint64{}, seed: random.Uint64(), random: random}
		e.aim(when)
		f.Cases++
		if e.value(when) != 0 && e.value(x) != e.value(y) {
			f.Verdict = prove.Refuted
			f.Detail = fmt.Sprintf("0x%x and 0x%x at %s", e.value(x), e.value(y), e.describe())
			return
		}
	}
	if prove.NewEquality(nil, prove.NewResult()).Same(x, y) {
		f.Verdict = prove.Proved
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
		f.Detail = fmt.Sprintf("%s is not known to be %s", prove.Shorten(x.String()), prove.Shorten(y.String()))
		return
	}
	e := &assignment{values: map[*term.Term]uint64{}}
	f.Verdict = prove.Proved
	p.each(0, e, func() bool {
		f.Cases++
		if e.value(when) != 0 && e.value(x) != e.value(y) {
			f.Verdict, f.Detail = prove.Refuted, "they differ at "+p.describe(e)
		}
		return f.Verdict == prove.Proved
	})
}
