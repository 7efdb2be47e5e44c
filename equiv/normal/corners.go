package normal

import (
	"encoding/binary"
	"math/big"
	"slices"

	"tv/semantics/index"
)

// maxCorners bounds the corners of boxes that are held against each other.
const maxCorners = 1 << 12

// cancels reports whether the sums that are left of a difference take each other away, however their ends are ordered: window sums
// that are kept up, x[k] over w <= k < w + i less x[k] over k < i. The places lo <= k < hi, where lo <= hi, are those from lo on less
// those from hi on, so a sum over a box is one over corners, with signs, and corners are equal where their ends are equal as
// polynomials. A sum is put first where what it reads begins at 0, wherever in the output that is: x[i + k] over k < w is x[k] over
// i <= k < i + w. Law (S1) of doc/certificates.md 4.5. Coefficients count modulo all, if that is not nil.
func (e *Engine) cancels(ctx *index.Context, diff *Poly, all *big.Int) bool {
	var order []*body
	lists := map[*body][]box{}
	for _, s := range e.open(diff) {
		for _, v := range s.vars {
			if !e.b.Nonneg(ctx, e.b.Sub(v.Hi, v.Lo)) {
				return false
			}
		}
		bd, bx := e.slotted(ctx, e.shift(ctx, s, s.stays))
		if lists[bd] == nil {
			order = append(order, bd)
		}
		lists[bd] = append(lists[bd], bx)
	}
	left := maxCorners
	for _, bd := range order {
		sums, ok := e.corners(ctx, lists[bd], &left)
		if !ok {
			return false
		}
		for _, c := range sums {
			if all != nil && c.IsInt() {
				c.SetInt(new(big.Int).Mod(c.Num(), all))
			}
			if c.Sign() != 0 {
				return false
			}
		}
	}
	return true
}

// stays reports whether x is the same at all places of the variables that s binds, and of those that are bound inside it.
func (s *summand) stays(x *index.Expr) bool {
	return !slices.ContainsFunc(x.Free(), func(a *index.Atom) bool {
		return a.Kind != index.Size && (a.Kind != index.Var || s.bound(a))
	})
}

// corners adds up boxes by their corners; it fails where a range may end before it begins, or where there are more than left.
func (e *Engine) corners(ctx *index.Context, bs []box, left *int) (map[string]*big.Rat, bool) {
	var dims []dim
	for _, b := range bs {
		for _, r := range b.ranges {
			if !slices.Contains(dims, r.dim) {
				dims = append(dims, r.dim)
			}
		}
	}
	slices.SortFunc(dims, func(x, y dim) int {
		switch {
		case x.before(y):
			return -1
		case y.before(x):
			return 1
		}
		return 0
	})
	sums := map[string]*big.Rat{}
	for _, b := range bs {
		corners := map[string]*big.Rat{"": b.coef}
		for _, d := range dims {
			var r interval
			if i := slices.IndexFunc(b.ranges, func(r interval) bool { return r.dim == d }); i >= 0 {
				r = b.ranges[i]
			} else {
				r.lo, r.hi = ctx.Bounds(d.v)
			}
			if *left -= 2 * len(corners); *left < 0 || !e.b.Nonneg(ctx, e.b.Sub(r.hi, r.lo)) {
				return nil, false
			}
			next := map[string]*big.Rat{}
			for k, c := range corners {
				addTo(next, string(binary.AppendUvarint([]byte(k), uint64(r.lo.ID()))), c)
				addTo(next, string(binary.AppendUvarint([]byte(k), uint64(r.hi.ID()))), new(big.Rat).Neg(c))
			}
			corners = next
		}
		for k, c := range corners {
			addTo(sums, k, c)
		}
	}
	return sums, true
}

func addTo(sums map[string]*big.Rat, key string, c *big.Rat) {
	if sums[key] == nil {
		sums[key] = new(big.Rat)
	}
	sums[key].Add(sums[key], c)
}
