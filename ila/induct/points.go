package induct

import (
	"math/bits"
	"math/rand/v2"

	"tv/semantics/index"
)

const (
	pointsTried = 24      // points of a context at which an inequality is tried
	walks       = 120     // searches for one
	walkSteps   = 200     // changes of a size in a search
	pointRange  = 7       // sizes of a point exceed their least values by less
	farRange    = 1200    // the same, of some
	mostPinned  = 1 << 15 // the greatest size of a point
	tooLarge    = 1 << 50
)

// A point is values of sizes at which the facts of a context about sizes hold, and of what was chosen there beside them.
// It is looked at millions of times: the points of a context share where sizes sit, and what is chosen is little.
type point struct {
	seats  []int32 // by the number of an atom: where its value sits, counted from 1; 0 and beyond the end: nowhere
	sizes  []int64
	chosen []choice
}

// A choice is the value that an atom without a seat was given.
type choice struct {
	a     *index.Atom
	value int64
}

// points returns points of a context, found by walks that mend a fact after the other. A context may have none that is
// found: then nothing is tried there.
func (p *inductor) points(ctx *index.Context) []point {
	if known, ok := p.places[ctx.ID()]; ok {
		return known
	}
	var facts []*index.Expr
	var sizes []*index.Atom
	var seats []int32
	seat := func(a *index.Atom, n int) {
		if more := a.ID() + 1 - len(seats); more > 0 {
			seats = append(seats, make([]int32, more)...)
		}
		seats[a.ID()] = int32(n) + 1
	}
	for _, f := range ctx.Facts() {
		if !onlySizes(f) {
			continue
		}
		facts = append(facts, f)
		for _, a := range f.Free() {
			if a.ID() >= len(seats) || seats[a.ID()] == 0 {
				seat(a, len(sizes))
				sizes = append(sizes, a)
			}
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	draw := func(a *index.Atom, walk int) int64 {
		if walk%4 == 3 && random.IntN(3) == 0 {
			return a.Least + int64(random.IntN(farRange))
		}
		return a.Least + int64(random.IntN(pointRange))
	}
	var list []point
	search := func(walk int, pinned *index.Atom, value int64) bool {
		at := point{seats: seats, sizes: make([]int64, len(sizes), 2*len(sizes))}
		for i, a := range sizes {
			at.sizes[i] = draw(a, walk)
		}
		if pinned != nil {
			at.sizes[seats[pinned.ID()]-1] = value
		}
		for range walkSteps {
			var broken []*index.Expr
			for _, f := range facts {
				if v, ok := at.value(f); !ok || v < 0 {
					broken = append(broken, f)
				}
			}
			if len(broken) == 0 {
				list = append(list, at)
				return true
			}
			free := broken[random.IntN(len(broken))].Free()
			if len(free) == 0 {
				return false
			}
			if a := free[random.IntN(len(free))]; a != pinned {
				at.sizes[seats[a.ID()]-1] = draw(a, walk)
			}
		}
		return false
	}
	for walk := 0; walk < walks && len(list) < pointsTried; walk++ {
		search(walk, nil, 0)
	}
	for _, a := range sizes { // one as large as it may be
		for v := int64(mostPinned); v > pointRange && !search(walks, a, a.Least+v); v /= 2 {
		}
	}
	for i, a := range sizes {
		seat(p.excessOf(a), len(sizes)+i)
	}
	for i := range list {
		at := &list[i]
		at.seats = seats
		for j, a := range sizes {
			at.sizes = append(at.sizes, at.sizes[j]-a.Least)
		}
	}
	p.places[ctx.ID()] = list
	return list
}

// negative tells whether e is below 0 somewhere in a context: then no search can prove that it is not.
func (p *inductor) negative(ctx *index.Context, e *index.Expr) bool {
	points := p.points(ctx)
	if len(points) == 0 {
		return false
	}
	var held []*index.Expr // facts about variables, which may make a point none
	for _, f := range ctx.Facts() {
		if !onlySizes(f) {
			held = append(held, f)
		}
	}
	random := rand.New(rand.NewPCG(3, 4))
	var room [8]choice
	for _, at := range points {
		for try := range 4 {
			at.chosen = room[:0]
			if !at.choose(e, try, random) {
				continue
			}
			ok := true
			for _, f := range held {
				if ok = at.choose(f, try, random); ok {
					v, known := at.value(f)
					ok = known && v >= 0
				}
				if !ok {
					break
				}
			}
			if !ok {
				continue
			}
			if v, known := at.value(e); known && v < 0 {
				return true
			}
		}
	}
	return false
}

// choose gives values to the sizes and variables of e that have none: variables their least, their greatest or any
// value of their ranges. It fails where a range is empty.
func (at *point) choose(e *index.Expr, try int, random *rand.Rand) bool {
	for _, a := range e.Free() {
		if _, ok := at.given(a); ok {
			continue
		}
		switch a.Kind {
		case index.Size:
			at.choice(a, a.Least+int64(random.IntN(pointRange)))
			continue
		case index.Var:
		default:
			return false
		}
		if !at.choose(a.Lo, try, random) || !at.choose(a.Hi, try, random) {
			return false
		}
		lo, okLo := at.value(a.Lo)
		hi, okHi := at.value(a.Hi)
		if !okLo || !okHi || hi <= lo {
			return false
		}
		switch try {
		case 0:
			at.choice(a, lo)
		case 1:
			at.choice(a, hi-1)
		default:
			at.choice(a, lo+random.Int64N(hi-lo))
		}
	}
	return true
}

func (at *point) choice(a *index.Atom, value int64) { at.chosen = append(at.chosen, choice{a, value}) }

// given returns the value of a size or a variable, if it has one.
func (at *point) given(a *index.Atom) (int64, bool) {
	if id := a.ID(); id < len(at.seats) && at.seats[id] > 0 {
		return at.sizes[at.seats[id]-1], true
	}
	for _, c := range at.chosen {
		if c.a == a {
			return c.value, true
		}
	}
	return 0, false
}

// value returns the value of e, if all that it mentions has one and none is very large.
func (at *point) value(e *index.Expr) (int64, bool) {
	var sum int64
	for _, t := range e.Terms() {
		v, ok := t.Coef.Int64()
		if !ok {
			return 0, false
		}
		for _, a := range t.Atoms() {
			x, ok := at.atom(a)
			if !ok {
				return 0, false
			}
			high, low := bits.Mul64(magnitude(v), magnitude(x))
			if high != 0 || low >= tooLarge {
				return 0, false
			}
			v *= x
		}
		sum += v
	}
	return sum, true
}

func (at *point) atom(a *index.Atom) (int64, bool) {
	if a.Kind < index.Floor {
		return at.given(a)
	}
	x, okX := at.value(a.Num)
	y, okY := at.value(a.Den)
	switch {
	case !okX || !okY:
		return 0, false
	case a.Kind == index.Max:
		return max(x, y), true
	case a.Kind == index.Min:
		return min(x, y), true
	case y <= 0:
		return 0, false
	}
	q := x / y
	if x%y < 0 {
		q--
	}
	return q, true
}

func magnitude(v int64) uint64 { return uint64(max(v, -v)) }
