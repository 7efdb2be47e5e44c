package rule

import (
	"fmt"
	"slices"
	"strings"

	"tv/semantics/domain"
)

// A value is what an expression is in a case: the shape in parts, and the text of a program in which each block is
// one axis.
type value struct {
	segs  []seg
	split int // segs[:split] are access dims
	text  string
	items []*value // of a tuple
	tuple bool
	raw   string // of a variable whose dims are all access dims: the tensor's name

	word word        // permutes segs, all of which are access dims in the text then; see permuted.go
	cut  domain.Size // the number of access dims, with a word
}

func (v *value) access() []seg  { return v.segs[:v.split] }
func (v *value) compute() []seg { return v.segs[v.split:] }

func ranks(segs []seg) domain.Size {
	n := domain.IntSize(0)
	for _, s := range segs {
		n = n.Add(s.rank())
	}
	return n
}

func sizes(segs []seg) domain.Size {
	n := domain.IntSize(1)
	for _, s := range segs {
		n = n.Mul(s.size)
	}
	return n
}

func cat(lists ...[]seg) []seg {
	var out []seg
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

func with(segs []seg, lo, hi int, by ...seg) []seg { return cat(segs[:lo], by, segs[hi:]) }

// atLeast tells whether x >= n whatever the ranks and sizes are. Integers of the rule that are not settled can be
// anything, so that x may not hold one.
func (e *elaborator) atLeast(x domain.Size, n int64) bool {
	mins := map[string]int64{}
	for _, name := range x.Names() {
		if e.unsettled(name) != "" {
			return false
		}
		mins[name] = 0
	}
	return x.AtLeast(n, mins)
}

// unsettled returns the integer of the rule that a name of a size stands for, if its sign is not known, or "".
func (e *elaborator) unsettled(name string) string {
	if q := e.intNames[name]; q != "" && !e.a.signed[q] {
		return q
	}
	return ""
}

// find returns the place of position x, counted in dims, among segs: a boundary before segs[i], or a dim if axis is
// set. It takes the case apart where that depends on ranks or on an integer that is not settled.
func (e *elaborator) find(x domain.Size, segs []seg, axis bool) int {
	for _, name := range x.Names() {
		if q := e.unsettled(name); q != "" {
			e.place(q, name, x, segs, axis, nil)
		}
	}
	for _, name := range x.Names() {
		if !isRank(name) {
			panic(escape{fmt.Sprintf("the size %s counts dims", name)})
		}
	}
	if left, ok := ranks(segs).Sub(x).Int64(); ok && hasBlock(segs) && left >= 0 && (left > 0 || !axis) {
		i := len(segs)
		for ; left > 0 && i > 0; left-- { // as many dims from the end
			if i--; segs[i].block != "" {
				e.peel(segs[i].block, true)
			}
		}
		if left > 0 {
			panic(illFormed{"there is no axis " + countText(x)})
		}
		return i
	}
	at := domain.IntSize(0)
	for i, s := range segs {
		d := x.Sub(at)
		if d.Equal(domain.IntSize(0)) {
			if axis && s.block != "" {
				e.peel(s.block, false)
			}
			return i
		}
		if s.block == "" {
			if e.atLeast(domain.IntSize(0).Sub(d), 1) {
				panic(illFormed{"there is no axis " + countText(x)})
			}
			if !e.atLeast(d, 1) {
				e.open(d, segs)
			}
			at = at.Add(s.rank())
			continue
		}
		if !e.atLeast(d, 0) {
			if e.atLeast(domain.IntSize(0).Sub(d), 1) {
				panic(illFormed{"there is no axis " + countText(x)})
			}
			e.open(d, segs)
		}
		next := at.Add(s.rank())
		if e.atLeast(x.Sub(next), 0) {
			at = next
			continue
		}
		// inside the block, or after it where its rank is small
		if _, number := d.Const(); number {
			e.peel(s.block, false)
		}
		if _, number := x.Sub(next).Const(); number {
			e.peel(s.block, true)
		}
		e.open(x.Sub(next), segs)
	}
	d := x.Sub(at)
	if d.Equal(domain.IntSize(0)) && !axis {
		return len(segs)
	}
	least := int64(1) // a place may be at the end
	if axis {
		least = 0
	}
	if e.atLeast(d, least) || e.atLeast(domain.IntSize(0).Sub(d), 1) {
		panic(illFormed{"there is no axis " + countText(x)})
	}
	e.open(d, segs)
	panic("unreachable")
}

// open takes the case apart where the sign of d, a difference of ranks, is open.
func (e *elaborator) open(d domain.Size, segs []seg) {
	for _, name := range d.Names() {
		if isRank(name) {
			e.peel(name[1:len(name)-1], false)
		}
	}
	panic(escape{"ranks are compared with something else"})
}

// countText prints a number of dims for people.
func countText(x domain.Size) string {
	text := x.String()
	for _, name := range x.Names() {
		if isRank(name) {
			text = strings.ReplaceAll(text, name, "(rank "+name[1:len(name)-1]+")")
		}
	}
	return text
}

// maxPeeled bounds the dims that a case takes off blocks.
const maxPeeled = 6

func (e *elaborator) peel(block string, last bool) {
	if e.a.peeled >= maxPeeled {
		panic(escape{fmt.Sprintf("the rule looks at each dim of %s", block)})
	}
	panic(peel(block, last))
}

// findSigned is find for operators that count a position below 0 from the end.
func (e *elaborator) findSigned(x domain.Size, segs []seg, axis bool) int {
	places := ranks(segs)
	if !axis {
		places = places.Add(domain.IntSize(1))
	}
	for _, name := range x.Names() {
		if q := e.unsettled(name); q != "" {
			e.place(q, name, x, segs, axis, &places)
		}
	}
	if !e.atLeast(x, 0) {
		if !e.atLeast(domain.IntSize(0).Sub(x), 1) {
			e.open(x, segs)
		}
		x = x.Add(places)
	}
	return e.find(x, segs, axis)
}

// place takes the case apart by where the integer q, which the name stands for in x, puts x among segs; where fromEnd is
// not nil, x may also be that much less.
func (e *elaborator) place(q, name string, x domain.Size, segs []seg, axis bool, fromEnd *domain.Size) {
	if e.right && !e.a.ranked {
		panic(escape{fmt.Sprintf("%s is an axis that the left side does not fix", q)})
	}
	// x = c·q + r with c 1 or -1
	r := x.Subst(map[string]domain.Size{name: domain.IntSize(0)})
	c, ok := x.Sub(r).Sub(domain.NamedSize(name)).Const()
	sign := int64(1)
	if !ok || c.Sign() != 0 {
		if c, ok = x.Sub(r).Add(domain.NamedSize(name)).Const(); !ok || c.Sign() != 0 {
			panic(escape{fmt.Sprintf("%s is counted with in an axis", q)})
		}
		sign = -1
	}
	solve := func(at domain.Size) domain.Size { return at.Sub(r).Mul(domain.IntSize(sign)) }
	less := []domain.Size{domain.IntSize(0)} // what a position may be counted down by
	if fromEnd != nil {
		less = append(less, *fromEnd)
	}
	var alts []alternative
	add := func(at domain.Size) {
		for _, by := range less {
			alts = append(alts, func(a *assignment) {
				a.ints[q] = solve(at.Sub(by))
				a.note("%s = %s", q, a.ints[q])
			})
		}
	}
	at := domain.IntSize(0)
	for i, s := range segs {
		here := at
		switch {
		case s.block != "":
			for _, down := range less {
				alts = append(alts, func(a *assignment) {
					before, after := blockSeg(a.freshName(s.block, true)), blockSeg(a.freshName(s.block, true))
					by := []seg{before, after}
					if axis {
						by = []seg{before, dimSeg(domain.NamedSize(a.freshName(s.block, false))), after}
					}
					a.ints[q] = solve(here.Add(before.rank()).Sub(down))
					a.replaceBlock(s.block, by)
					a.note("%s is %s, %s = %s", s.block, segsText(by), q, a.ints[q])
				})
			}
		case axis || i == 0 || segs[i-1].block == "":
			add(here)
		}
		at = at.Add(s.rank())
	}
	if !axis && (len(segs) == 0 || segs[len(segs)-1].block == "") {
		add(at)
	}
	if e.right { // ranks are numbers: outside of the axes too
		outside := []domain.Size{domain.IntSize(-1), at}
		if !axis {
			outside[1] = at.Add(domain.IntSize(1))
		}
		if fromEnd != nil {
			outside[0] = domain.IntSize(-1).Sub(*fromEnd)
		}
		less = less[:1]
		for _, x := range outside {
			add(x)
		}
	}
	panic(split{alts})
}

// dims states that a list of parts holds n dims and no block.
func (e *elaborator) dims(segs []seg, n int, what string) []seg {
	count := 0
	for _, s := range segs {
		if s.block == "" {
			count++
		}
	}
	if count > n {
		panic(illFormed{fmt.Sprintf("%s has %s dims, not %d", what, segsText(segs), n)})
	}
	for _, s := range segs {
		if s.block != "" {
			e.peel(s.block, false)
		}
	}
	if count < n {
		panic(illFormed{fmt.Sprintf("%s has %s dims, not %d", what, segsText(segs), n)})
	}
	return segs
}

// first states that a list of parts begins with a dim.
func (e *elaborator) first(segs []seg, what string) {
	if len(segs) == 0 {
		panic(illFormed{what})
	}
	if segs[0].block != "" {
		e.peel(segs[0].block, false)
	}
}

// unify states that two lists of parts are the same dims. On the left side that is what the case is about: a block
// becomes what it has to be. Sizes of dims are left to the programs' own conditions.
func (e *elaborator) unify(x, y []seg, what string) {
	if !e.tryUnify(x, y, what) {
		text := strings.ReplaceAll(segsText(x), domain.Quote(ownSize), "any")
		panic(illFormed{fmt.Sprintf("%s: %s and %s", what, text, segsText(y))})
	}
}

// ownSize is the size of a dim that is one in each of two lists, which need not have the same size there.
const ownSize = "its own"

// butAxis returns parts that agree with others but on the size of one axis.
func butAxis(segs []seg, axis int) []seg {
	return with(segs, axis, axis+1, dimSeg(domain.NamedSize(ownSize)))
}

func (e *elaborator) tryUnify(x, y []seg, what string) bool {
	pair := func(s, t seg) bool { return s.block == t.block }
	for len(x) > 0 && len(y) > 0 && pair(x[0], y[0]) {
		x, y = x[1:], y[1:]
	}
	for len(x) > 0 && len(y) > 0 && pair(x[len(x)-1], y[len(y)-1]) {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	if len(x) == 0 && len(y) == 0 {
		return true
	}
	if e.right {
		if !hasBlock(x) && !hasBlock(y) {
			return false
		}
		panic(escape{fmt.Sprintf("%s: %s and %s are not the same dims as they are written", what, segsText(x), segsText(y))})
	}
	if len(x) > 1 || len(x) == 1 && x[0].block == "" {
		x, y = y, x
	}
	switch {
	case len(x) == 0: // everything in y is empty
		for _, s := range y {
			if s.block == "" {
				return false
			}
		}
		panic(split{[]alternative{func(a *assignment) {
			for _, s := range y {
				a.replaceBlock(s.block, nil)
				a.note("%s is empty", s.block)
			}
		}}})
	case len(x) == 1 && x[0].block != "":
		for _, s := range y {
			if s.block == x[0].block { // X = (... X ...): what is around it is empty
				for _, t := range y {
					if t.block == "" {
						return false
					}
				}
				panic(escape{fmt.Sprintf("%s: %s and %s", what, segsText(x), segsText(y))})
			}
		}
		block := x[0].block
		panic(split{[]alternative{func(a *assignment) {
			by := slices.Clone(y)
			for i, s := range by {
				if s.size.Name() == ownSize {
					by[i] = dimSeg(domain.NamedSize(a.freshName(block, false)))
				}
			}
			a.replaceBlock(block, by)
			a.note("%s is %s", block, segsText(by))
		}}})
	}
	if !hasBlock(x) && !hasBlock(y) {
		return false // different numbers of dims
	}
	panic(escape{fmt.Sprintf("%s: %s and %s overlap", what, segsText(x), segsText(y))})
}

// onlyBlocks tells whether parts may all be without dims.
func onlyBlocks(segs []seg) bool {
	return !slices.ContainsFunc(segs, func(s seg) bool { return s.block == "" })
}

func hasBlock(segs []seg) bool {
	for _, s := range segs {
		if s.block != "" {
			return true
		}
	}
	return false
}
