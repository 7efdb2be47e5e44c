package prove

import (
	"slices"
	"sort"

	"tv/ila"
	"tv/semantics/term"
)

// An Equality decides whether two terms over elements of tensors have the same value whatever those are. It
// may fail to see that they have; it never says so where they have not.
type Equality struct {
	tables  map[string]func([]uint64) uint64
	scalars map[string]ila.Scalar // what is known of some of tables
	result  *Result
	left    []monomial
	right   []monomial

	agreed  map[[2]*term.Term]bool // what was found of pairs in the element at hand: terms share much
	factors factors
	digits  digits
	ranges  Ranges
	form    form // its memory serves one form after the other
}

// NewEquality returns an equality in which terms may apply the functions of tables by name; it counts lemmas in result,
// and takes those for known that result has.
func NewEquality(tables map[string]func([]uint64) uint64, result *Result) *Equality {
	e := &Equality{tables: tables, result: result, agreed: map[[2]*term.Term]bool{}}
	e.ranges.Sum = e.bound
	return e
}

// bound returns the range of a sum, products of digits put together.
func (e *Equality) bound(t *term.Term) (lo, hi int64, ok bool) {
	width := t.Sort.Width
	list, _ := e.recombine(normalise(e.flatten(nil, t, 1, width), term.Ones(width)), width)
	products, times := make([]Product, len(list)), make([]int64, len(list))
	for i, m := range list {
		products[i], times[i] = Product{m.coefficient, m.x, m.y}, 1
	}
	return e.ranges.Bound(width, products, times)
}

// Same tells whether two terms are known to have the same value whatever the elements are.
func (e *Equality) Same(x, y *term.Term) bool {
	if x == y {
		return true
	}
	if x.Sort != y.Sort {
		return false
	}
	pair := [2]*term.Term{x, y}
	known, ok := e.agreed[pair]
	if !ok {
		known = e.same(x, y)
		e.agreed[pair] = known
	}
	return known
}

// same is Same of two terms of one sort that are not one.
func (e *Equality) same(x, y *term.Term) bool {
	if (IsSum(x) || IsSum(y)) && e.sums(x, y) {
		return true
	}
	if x.Op == y.Op && x.Op != term.Read && x.Op != term.Const && x.Name == y.Name && len(x.Args) == len(y.Args) &&
		len(x.Args) <= 3 && (x.Op != term.Extract || x.Low() == y.Low()) {
		all := true
		for i := range x.Args {
			if !e.Same(x.Args[i], y.Args[i]) {
				all = false
				break
			}
		}
		if all {
			return true
		}
	}
	return e.Enumerate(x, y) || e.cut(x, y) || e.clipped(x, y)
}

// clipped compares what chooses on both sides, as clips do, by a scalar lemma.
func (e *Equality) clipped(x, y *term.Term) bool {
	if x.Op != term.Choose || y.Op != term.Choose {
		return false
	}
	same, _ := e.Scalar(x, y)
	return same
}

// IsSum tells whether a term is compared as a sum of monomials.
func IsSum(t *term.Term) bool {
	switch t.Op {
	case term.Add, term.Neg, term.Dot, term.Mul:
		return true
	case term.Extract:
		return t.Low() == 0 && IsSum(t.Args[0])
	}
	return false
}

// A monomial is coefficient · x · y; y is nil for a single factor, both are for a constant. A factor is a
// term, sign-extended to the width of the sum.
type monomial struct {
	x, y        *term.Term
	coefficient uint64
}

// sums compares two terms as sums of monomials modulo 2^width.
func (e *Equality) sums(x, y *term.Term) bool {
	ones := term.Ones(x.Sort.Width)
	e.left = normalise(e.flatten(e.left[:0], x, 1, x.Sort.Width), ones)
	e.right = normalise(e.flatten(e.right[:0], y, 1, x.Sort.Width), ones)
	if slices.Equal(e.left, e.right) {
		return true
	}
	if e.recombined(x.Sort.Width) {
		return true
	}
	if left, right := e.represent(e.left), e.represent(e.right); !left && !right {
		return false
	}
	e.left, e.right = normalise(e.left, ones), normalise(e.right, ones)
	if !slices.Equal(e.left, e.right) {
		return false
	}
	e.result.lemmaFormsSeen++
	return true
}

// recombined compares the sums at hand with products of digits put together.
func (e *Equality) recombined(width int) bool {
	var left, right bool
	e.left, left = e.recombine(e.left, width)
	e.right, right = e.recombine(e.right, width)
	if !left && !right {
		return false
	}
	ones := term.Ones(width)
	e.left, e.right = normalise(e.left, ones), normalise(e.right, ones)
	return slices.Equal(e.left, e.right)
}

// flatten appends the monomials of c·t in sums of the given width. Every step of it is an equation modulo
// 2^width: t has that width itself or is cut to it, so that its sums, products and negations do.
func (e *Equality) flatten(list []monomial, t *term.Term, c uint64, width int) []monomial {
	if t.Op == term.Choose {
		t = e.ranges.Settle(t)
	}
	switch t.Op {
	case term.Const:
		v, _ := t.ConstBits()
		return append(list, monomial{coefficient: c * v})
	case term.Add:
		return e.flatten(e.flatten(list, t.Args[0], c, width), t.Args[1], c, width)
	case term.Neg:
		return e.flatten(list, t.Args[0], -c, width)
	case term.Mul:
		for i := range 2 {
			if v, ok := t.Args[i].ConstBits(); ok {
				return e.flatten(list, t.Args[1-i], c*v, width)
			}
		}
		return append(list, product(Strip(t.Args[0]), Strip(t.Args[1]), c))
	case term.Extract:
		if of := e.ranges.Settle(t.Args[0]); t.Low() == 0 && (IsSum(of) || of != t.Args[0]) { // equal modulo a greater power of two
			return e.flatten(list, of, c, width)
		}
	case term.ExtendS, term.ExtendU:
		if of := t.Args[0]; of.Sort.Width >= width && IsSum(of) { // so here
			return e.flatten(list, of, c, width)
		}
		if of := e.ranges.Unwrapped(t); of != nil && of.Sort.Width >= width && IsSum(of) {
			return e.flatten(list, of, c, width)
		}
	case term.Dot:
		for i := 0; i < len(t.Args); i += 2 {
			x, y := t.Args[i], t.Args[i+1]
			vx, okX := x.ConstBits()
			vy, okY := y.ConstBits()
			sx, sy := uint64(term.Signed64(vx, x.Sort.Width)), uint64(term.Signed64(vy, y.Sort.Width))
			switch {
			case okX && okY:
				list = append(list, monomial{coefficient: c * sx * sy})
			case okX:
				list = append(list, monomial{x: y, coefficient: c * sx})
			case okY:
				list = append(list, monomial{x: x, coefficient: c * sy})
			default:
				list = append(list, product(x, y, c))
			}
		}
		return list
	}
	return append(list, monomial{x: Strip(t), coefficient: c})
}

// Strip takes a sign extension off a factor: factors are sign-extended anyway.
func Strip(t *term.Term) *term.Term {
	if t.Op == term.ExtendS {
		return t.Args[0]
	}
	return t
}

func product(x, y *term.Term, c uint64) monomial {
	if y.ID() < x.ID() {
		x, y = y, x
	}
	return monomial{x, y, c}
}

// normalise sorts monomials and adds up those with the same factors.
func normalise(list []monomial, ones uint64) []monomial {
	id := func(t *term.Term) int {
		if t == nil {
			return -1
		}
		return t.ID()
	}
	sort.Slice(list, func(i, j int) bool {
		a, b := list[i], list[j]
		if a.x != b.x {
			return id(a.x) < id(b.x)
		}
		return id(a.y) < id(b.y)
	})
	out := list[:0]
	for _, m := range list {
		if n := len(out); n > 0 && out[n-1].x == m.x && out[n-1].y == m.y {
			out[n-1].coefficient += m.coefficient
		} else {
			out = append(out, m)
		}
	}
	kept := out[:0]
	for _, m := range out {
		if m.coefficient &= ones; m.coefficient != 0 {
			kept = append(kept, m)
		}
	}
	return kept
}
