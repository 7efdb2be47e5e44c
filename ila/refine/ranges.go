package refine

import (
	"maps"
	"math/bits"

	"tv/ila"
	"tv/semantics/term"
)

// A span is the numbers from lo to hi.
type span struct{ lo, hi uint64 }

// known is what holds of the terms of a model at a place: ranges of bit-vectors, truth values, and which unsigned
// numbers are at most which others. It follows from the conditions assumed; nothing is searched.
type known struct {
	b       *term.Builder
	all     *term.Term // the conditions assumed
	spans   map[*term.Term]span
	truths  map[*term.Term]bool
	atMost  map[[2]*term.Term]bool
	open    []*term.Term // disjunctions assumed, which may say more once more is known
	empty   bool         // nothing satisfies the conditions
	memo    map[*term.Term]span
	assumed map[*term.Term]*known
}

func nothingKnown(b *term.Builder) *known {
	return &known{b: b, all: b.Truth(true), spans: map[*term.Term]span{}, truths: map[*term.Term]bool{},
		atMost: map[[2]*term.Term]bool{}, memo: map[*term.Term]span{}, assumed: map[*term.Term]*known{}}
}

// assume returns what is known where cond holds too.
func (k *known) assume(cond *term.Term) *known {
	if next := k.assumed[cond]; next != nil {
		return next
	}
	next := &known{b: k.b, all: k.b.And(k.all, cond), spans: maps.Clone(k.spans), truths: maps.Clone(k.truths),
		atMost: maps.Clone(k.atMost), open: append([]*term.Term(nil), k.open...), empty: k.empty,
		memo: map[*term.Term]span{}, assumed: map[*term.Term]*known{}}
	next.learn(cond, true)
	for range 3 { // what one condition says may open another
		for _, d := range next.open {
			next.disjunction(d)
		}
	}
	k.assumed[cond] = next
	return next
}

// learn takes in that a condition has a truth value.
func (k *known) learn(cond *term.Term, holds bool) {
	clear(k.memo)
	k.truths[cond] = holds
	switch cond.Op {
	case term.Const:
		v, _ := cond.ConstBits()
		k.empty = k.empty || (v != 0) != holds
	case term.Not:
		k.learn(cond.Args[0], !holds)
	case term.And, term.Or:
		if (cond.Op == term.And) == holds {
			k.learn(cond.Args[0], holds)
			k.learn(cond.Args[1], holds)
		} else if holds {
			k.open = append(k.open, cond)
		} else { // one of two does not hold
			k.open = append(k.open, k.b.Or(k.b.Not(cond.Args[0]), k.b.Not(cond.Args[1])))
		}
	case term.Equal:
		x, y := cond.Args[0], cond.Args[1]
		if x.Sort.Kind != term.Unsigned {
			return
		}
		if holds {
			k.atMost[[2]*term.Term{bare(x), bare(y)}], k.atMost[[2]*term.Term{bare(y), bare(x)}] = true, true
			k.narrow(x, k.span(y))
			k.narrow(y, k.span(x))
			return
		}
		for i, a := range cond.Args { // an end of a range that is not
			if v, ok := cond.Args[1-i].ConstBits(); ok {
				switch s := k.span(a); v {
				case s.lo:
					k.narrow(a, span{s.lo + 1, max(s.hi, s.lo+1)})
					k.empty = k.empty || s.lo == s.hi
				case s.hi:
					k.narrow(a, span{s.lo, s.hi - 1})
				}
			}
		}
	case term.LessU:
		x, y := cond.Args[0], cond.Args[1]
		sx, sy := k.span(x), k.span(y)
		if !holds { // y <= x
			k.atMost[[2]*term.Term{bare(y), bare(x)}] = true
			k.narrow(x, span{sy.lo, term.Ones(x.Sort.Width)})
			k.narrow(y, span{0, sx.hi})
			return
		}
		k.atMost[[2]*term.Term{bare(x), bare(y)}] = true
		if sy.hi == 0 || sx.lo == term.Ones(x.Sort.Width) {
			k.empty = true
			return
		}
		k.narrow(x, span{0, sy.hi - 1})
		k.narrow(y, span{sx.lo + 1, term.Ones(y.Sort.Width)})
	}
}

// disjunction learns one side of an assumed disjunction where the other is known to be wrong.
func (k *known) disjunction(d *term.Term) {
	for i := range 2 {
		if v, ok := k.truth(d.Args[i]); ok && !v {
			k.learn(d.Args[1-i], true)
		}
	}
}

// bare takes extensions by zeros off a term: they change no number.
func bare(t *term.Term) *term.Term {
	for t.Op == term.ExtendU {
		t = t.Args[0]
	}
	return t
}

// narrow takes in that a bit-vector lies in a span.
func (k *known) narrow(t *term.Term, s span) {
	if t.Op == term.Const {
		v, _ := t.ConstBits()
		k.empty = k.empty || v < s.lo || v > s.hi
		return
	}
	if t.Op == term.ExtendU {
		s.hi = min(s.hi, term.Ones(t.Args[0].Sort.Width))
		if s.lo > s.hi {
			k.empty = true
			return
		}
		k.narrow(t.Args[0], s)
		return
	}
	was := k.span(t)
	s = span{max(s.lo, was.lo), min(s.hi, was.hi)}
	if s.lo > s.hi {
		k.empty = true
		return
	}
	if s != was {
		k.spans[t] = s
		clear(k.memo)
	}
}

// span returns a range of a bit-vector, unsigned.
func (k *known) span(t *term.Term) span {
	if s, ok := k.memo[t]; ok {
		return s
	}
	s := k.structure(t)
	if have, ok := k.spans[t]; ok {
		s = span{max(s.lo, have.lo), min(s.hi, have.hi)}
		if s.lo > s.hi {
			s, k.empty = have, true
		}
	}
	k.memo[t] = s
	return s
}

func (k *known) structure(t *term.Term) span {
	ones := term.Ones(t.Sort.Width)
	full := span{0, ones}
	switch t.Op {
	case term.Const:
		v, _ := t.ConstBits()
		return span{v, v}
	case term.Number:
		return span{0, min(ones, uint64(max(1, ila.Iterations(t.Index[0].Free()[0]))-1))}
	case term.Add:
		s, _ := k.sum(t)
		return s
	case term.Mul:
		x, y := k.span(t.Args[0]), k.span(t.Args[1])
		if high, low := bits.Mul64(x.hi, y.hi); high == 0 && low <= ones {
			return span{x.lo * y.lo, low}
		}
	case term.And:
		return span{0, min(k.span(t.Args[0]).hi, k.span(t.Args[1]).hi)}
	case term.Or, term.Xor:
		return span{0, 1<<bits.Len64(k.span(t.Args[0]).hi|k.span(t.Args[1]).hi) - 1}
	case term.ShrU:
		if n, ok := t.Args[1].ConstBits(); ok && n < 64 {
			x := k.span(t.Args[0])
			return span{x.lo >> n, x.hi >> n}
		}
	case term.RemU:
		if n, ok := t.Args[1].ConstBits(); ok && n > 0 {
			return span{0, n - 1}
		}
	case term.Extract:
		if x := k.span(t.Args[0]); t.Low() == 0 && x.hi <= ones {
			return x
		} else if t.Low() > 0 && x.hi>>t.Low() <= ones {
			return span{x.lo >> t.Low(), x.hi >> t.Low()}
		}
	case term.ExtendU:
		return k.span(t.Args[0])
	case term.Concat:
		x, y, low := k.span(t.Args[0]), k.span(t.Args[1]), t.Args[1].Sort.Width
		return span{x.lo<<low | y.lo, x.hi<<low | y.hi}
	case term.Choose:
		if v, ok := k.truth(t.Args[0]); ok && v {
			return k.span(t.Args[1])
		} else if ok {
			return k.span(t.Args[2])
		}
		x, y := k.span(t.Args[1]), k.span(t.Args[2])
		return span{min(x.lo, y.lo), max(x.hi, y.hi)}
	}
	return full
}

// sum returns a range of a sum, and whether that is the sum of integers: a number less another that is not greater,
// or one that needs no more bits.
func (k *known) sum(t *term.Term) (s span, exact bool) {
	w := t.Sort.Width
	ones := term.Ones(w)
	from, less := difference(t)
	if less != nil {
		x, y := k.span(from), k.span(less)
		if x.lo >= y.hi || k.atMost[[2]*term.Term{bare(less), bare(from)}] && x.hi >= y.lo {
			return span{x.lo - min(x.lo, y.hi), x.hi - y.lo}, true
		}
	}
	x, y := k.span(t.Args[0]), k.span(t.Args[1])
	lo, carryLo := bits.Add64(x.lo, y.lo, 0)
	hi, carryHi := bits.Add64(x.hi, y.hi, 0)
	overLo, overHi := carryLo != 0 || lo > ones, carryHi != 0 || hi > ones
	if overLo != overHi {
		return span{0, ones}, false
	}
	return span{lo & ones, hi & ones}, less == nil && overLo == lowers(t)
}

// difference returns the parts of a sum that is from - less; less is nil where it is none.
func difference(t *term.Term) (from, less *term.Term) {
	for i, a := range t.Args {
		if a.Op == term.Neg {
			return t.Args[1-i], a.Args[0]
		}
	}
	return nil, nil
}

// lowers tells whether a sum takes a constant away.
func lowers(t *term.Term) bool {
	for _, a := range t.Args {
		if v, ok := a.ConstBits(); ok && v>>(a.Sort.Width-1) != 0 {
			return true
		}
	}
	return false
}

// exact tells whether an address is what its sums and products come to as integers. Parts that are cut out of
// something, chosen or read are numbers by themselves.
func (k *known) exact(t *term.Term) bool {
	switch t.Op {
	case term.Add:
		if _, ok := k.sum(t); !ok {
			return false
		}
		if from, less := difference(t); less != nil {
			return k.exact(from) && k.exact(less)
		}
		return k.exact(t.Args[0]) && k.exact(t.Args[1])
	case term.Neg:
		return k.span(t.Args[0]).hi == 0
	case term.Mul:
		if high, low := bits.Mul64(k.span(t.Args[0]).hi, k.span(t.Args[1]).hi); high != 0 || low > term.Ones(t.Sort.Width) {
			return false
		}
		return k.exact(t.Args[0]) && k.exact(t.Args[1])
	case term.ExtendU:
		return k.exact(t.Args[0])
	}
	return true
}

// truth returns the truth value of a condition where it is known.
func (k *known) truth(t *term.Term) (value, ok bool) {
	if v, ok := k.truths[t]; ok {
		return v, true
	}
	switch t.Op {
	case term.Const:
		v, _ := t.ConstBits()
		return v != 0, true
	case term.Not:
		v, ok := k.truth(t.Args[0])
		return !v, ok
	case term.And, term.Or:
		ends := t.Op == term.Or // the value of one side that decides
		x, okX := k.truth(t.Args[0])
		y, okY := k.truth(t.Args[1])
		if okX && x == ends || okY && y == ends {
			return ends, true
		}
		return !ends, okX && okY
	case term.Equal:
		if t.Args[0].Sort.Kind != term.Unsigned {
			return false, false
		}
		x, y := k.span(t.Args[0]), k.span(t.Args[1])
		if x.hi < y.lo || y.hi < x.lo {
			return false, true
		}
		return true, x.lo == x.hi && x == y
	case term.LessU:
		x, y := k.span(t.Args[0]), k.span(t.Args[1])
		if x.hi < y.lo {
			return true, true
		}
		return false, x.lo >= y.hi || k.atMost[[2]*term.Term{bare(t.Args[1]), bare(t.Args[0])}]
	case term.Choose:
		if v, ok := k.truth(t.Args[0]); ok && v {
			return k.truth(t.Args[1])
		} else if ok {
			return k.truth(t.Args[2])
		}
	}
	return false, false
}

// maxCaseSplits bounds the conditions that are taken apart for one answer.
const maxCaseSplits = 16

// prove tells whether goal is known, conditions that it depends on taken apart.
func (k *known) prove(goal *term.Term, splits int) bool {
	if k.empty {
		return true
	}
	if v, ok := k.truth(goal); ok {
		return v
	}
	if goal.Op == term.And {
		return k.prove(goal.Args[0], splits) && k.prove(goal.Args[1], splits)
	}
	cond := k.undecided(goal)
	if cond == nil && goal.Op == term.Or {
		return k.assume(k.b.Not(goal.Args[0])).prove(goal.Args[1], splits)
	}
	if cond == nil {
		cond = k.openCase()
	}
	if cond == nil || splits == 0 {
		return false
	}
	return k.assume(cond).prove(goal, splits-1) && k.assume(k.b.Not(cond)).prove(goal, splits-1)
}

// undecided returns a condition of a choice in t that is not known, outermost first, or nil.
func (k *known) undecided(t *term.Term) *term.Term {
	if t.Op == term.Choose {
		v, ok := k.truth(t.Args[0])
		switch {
		case !ok:
			return t.Args[0]
		case v:
			return k.undecided(t.Args[1])
		}
		return k.undecided(t.Args[2])
	}
	for _, a := range t.Args {
		if c := k.undecided(a); c != nil {
			return c
		}
	}
	return nil
}

// openCase returns a side of an assumed disjunction that is open, or nil.
func (k *known) openCase() *term.Term {
	for _, d := range k.open {
		if _, ok := k.truth(d.Args[0]); ok {
			continue
		}
		if v, ok := k.truth(d.Args[1]); !ok || !v {
			return d.Args[0]
		}
	}
	return nil
}
