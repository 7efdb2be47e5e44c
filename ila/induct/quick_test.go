package induct

import (
	"math/rand/v2"
	"testing"

	"tv/semantics/index"
)

// worth is the value of an expression at a point, by the definition of its atoms: division rounds down. It is written apart from
// what the decision looks points up by. ok is false where a variable lies outside its range, which makes the point none.
func worth(e *index.Expr, at map[*index.Atom]int64) int64 {
	sum := int64(0)
	for _, t := range e.Terms() {
		product, _ := t.Coef.Int64()
		for _, a := range t.Atoms() {
			switch a.Kind {
			case index.Floor:
				x, y := worth(a.Num, at), worth(a.Den, at)
				q := x / y
				if x%y != 0 && (x < 0) != (y < 0) {
					q--
				}
				product *= q
			default:
				product *= at[a]
			}
		}
		sum += product
	}
	return sum
}

// A system is what is known, and what is asked of it.
type system struct {
	ix        *index.Builder
	sizes     []*index.Atom
	vars      []*index.Atom // each with a range over sizes and those before it
	facts     []*index.Expr
	goal      *index.Expr
	bare, ctx *index.Context
}

// drawSystem draws up to three sizes, two variables, facts about sizes and products of theirs, and a goal: something near to what
// facts say, so that answers of both kinds come often.
func drawSystem(rng *rand.Rand) *system {
	s := &system{ix: index.NewBuilder()}
	ix := s.ix
	var atoms []*index.Expr
	for i := range 1 + rng.IntN(3) {
		e := ix.Size(string(rune('A'+i)), int64(rng.IntN(3)))
		s.sizes = append(s.sizes, e.Free()[0])
		atoms = append(atoms, e)
	}
	number := func(from, to int) *index.Expr { return ix.Const(int64(from + rng.IntN(to-from+1))) }
	pick := func(list []*index.Expr) *index.Expr { return list[rng.IntN(len(list))] }
	product := func(list []*index.Expr) *index.Expr {
		e := pick(list)
		for rng.IntN(3) == 0 {
			e = ix.Mul(e, pick(list))
		}
		return e
	}
	linear := func(list []*index.Expr) *index.Expr {
		e := number(-3, 3)
		for range 1 + rng.IntN(3) {
			e = ix.Add(e, ix.Mul(number(-2, 2), product(list)))
		}
		return e
	}
	s.bare = ix.Root()
	for range rng.IntN(4) {
		s.facts = append(s.facts, linear(atoms))
		ix.Fact(s.facts[len(s.facts)-1])
	}
	s.ctx = ix.Root()
	all := atoms
	for i := range rng.IntN(3) {
		lo, hi := ix.Const(0), pick(all)
		if rng.IntN(3) == 0 {
			lo = pick(all)
		}
		if rng.IntN(3) == 0 {
			hi = ix.Add(pick(all), product(all))
		}
		v := ix.NewVar(string(rune('u'+i)), lo, hi)
		s.vars = append(s.vars, v)
		all = append(all[:len(all):len(all)], v.Expr())
	}
	if len(s.vars) > 0 && rng.IntN(3) == 0 {
		f := linear(all)
		s.facts = append(s.facts, f)
		s.ctx = s.ctx.With(f)
	}
	var near *index.Expr // what is close to a bound of a division
	if rng.IntN(3) == 0 {
		den := number(1, 3)
		if a := pick(atoms); a.Free()[0].Least > 0 && rng.IntN(2) == 0 {
			den = a
		}
		num := linear(all)
		d := ix.Div(s.bare, num, den)
		all = append(all[:len(all):len(all)], d)
		within := ix.Sub(num, ix.Mul(den, d)) // 0 to den - 1
		switch rng.IntN(4) {
		case 0:
			near = ix.Add(within, number(-2, 2))
		case 1:
			near = ix.Add(ix.Sub(den, within), number(-3, 1))
		}
	}
	if s.goal = near; s.goal == nil {
		s.goal = linear(all)
	}
	for _, f := range s.facts { // a multiple of a fact, and what its variables say of themselves
		if rng.IntN(2) == 0 {
			s.goal = ix.Add(s.goal, ix.Mul(pick(atoms), f))
		}
	}
	for _, v := range s.vars {
		switch rng.IntN(3) {
		case 0:
			s.goal = ix.Add(s.goal, ix.Sub(ix.AddInt(v.Hi, -1), v.Expr()))
		case 1:
			s.goal = ix.Add(s.goal, ix.Sub(v.Expr(), v.Lo))
		}
	}
	return s
}

// counter is a point at which all is as it is known to be, and the goal is negative.
func (s *system) counter() (map[*index.Atom]int64, bool) {
	at := map[*index.Atom]int64{}
	var sizes, vars func(i int) bool
	vars = func(i int) bool {
		if i < len(s.vars) {
			v := s.vars[i]
			for at[v] = worth(v.Lo, at); at[v] < worth(v.Hi, at); at[v]++ {
				if vars(i + 1) {
					return true
				}
			}
			return false
		}
		for _, f := range s.facts {
			if worth(f, at) < 0 {
				return false
			}
		}
		return worth(s.goal, at) < 0
	}
	sizes = func(i int) bool {
		if i == len(s.sizes) {
			return vars(0)
		}
		a := s.sizes[i]
		for v := a.Least; v < a.Least+5; v++ {
			if at[a] = v; sizes(i + 1) {
				return true
			}
		}
		return false
	}
	return at, sizes(0)
}

// TestQuickHolds: of what quick says that it follows no point shows the contrary. Answers have to be yes often enough for that to say
// something, and there have to be goals that do not follow.
func TestQuickHolds(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	yes, no := 0, 0
	for n := range 2000 { // points of some of later ones take minutes to list
		s := drawSystem(rng)
		p := &inductor{ix: s.ix, bare: s.bare, ctx: s.ctx, known: map[[2]int]bool{}, sized: map[string]bool{},
			digits: map[[2]int]*digits{}, places: map[int][]point{},
			excesses: map[*index.Expr]*index.Expr{}, leasts: map[*index.Atom]int64{}}
		quick := p.quick(s.ctx, p.primitive(s.ix.Condition(s.goal)))
		at, wrong := s.counter()
		switch {
		case wrong && quick:
			t.Fatalf("system %d: %v >= 0 is said to follow from %v, and does not at %v", n, s.goal, s.facts, at)
		case quick:
			yes++
		case wrong:
			no++
		}
	}
	if t.Logf("%d follow, %d are refuted by a point", yes, no); yes < 200 || no < 200 {
		t.Errorf("only %d follow, and %d do not", yes, no)
	}
}
