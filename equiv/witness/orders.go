package witness

import (
	"math/big"
	"slices"
	"sort"
	"strings"

	"tv/proofs/algebra"
)

// maxOrderCases bounds the cases of the order of members of maxima.
const maxOrderCases = 512

// Bounds of elimination: facts that it begins with, and inequalities that it may make.
const (
	maxFacts = 32
	maxRows  = 200
)

// order proposes how to settle a difference by the order of members of maxima: by the facts of the
// case, if they are enough, else by a further case.
func (f *finder) order(g *algebra.Goal) string {
	if f.cases++; f.cases > maxOrderCases {
		return ""
	}
	diff, facts := g.Linear()
	if len(facts) > maxFacts {
		return ""
	}
	if up, absurd := multiples(facts, diff); absurd {
		return "(facts " + list(up) + ")"
	} else if up != nil {
		if down, _ := multiples(facts, scaled(diff, big.NewRat(-1, 1))); down != nil {
			return "(facts " + list(up) + " " + list(down) + ")"
		}
	}
	if g.Orders() == 0 {
		return ""
	}
	return "(order 0 0 1)"
}

func list(xs []*big.Rat) string {
	parts := make([]string, len(xs))
	for i, x := range xs {
		parts[i] = x.RatString()
	}
	return "(" + strings.Join(parts, " ") + ")"
}

type form = map[string]*big.Rat

func scaled(x form, by *big.Rat) form {
	out := form{}
	for k, c := range x {
		out[k] = new(big.Rat).Mul(c, by)
	}
	return out
}

// A row is an inequality that follows from the facts: coefs >= 0, made of by of them.
type row struct {
	coefs form
	by    []*big.Rat
}

func (r row) plus(o row, x, y *big.Rat) row {
	out := row{coefs: scaled(r.coefs, x), by: make([]*big.Rat, len(r.by))}
	for k, c := range scaled(o.coefs, y) {
		if have := out.coefs[k]; have != nil {
			c = c.Add(c, have)
		}
		if out.coefs[k] = c; c.Sign() == 0 {
			delete(out.coefs, k)
		}
	}
	for i := range r.by {
		out.by[i] = new(big.Rat).Add(new(big.Rat).Mul(x, r.by[i]), new(big.Rat).Mul(y, o.by[i]))
	}
	return out
}

// multiples returns numbers, not negative, with goal = Σ numbers·(facts, 1); or, if absurd is set,
// with -1 = Σ numbers·(facts, 1). It eliminates one name after the other (Fourier and Motzkin) from
// the facts and -goal > 0.
func multiples(facts []form, goal form) (numbers []*big.Rat, absurd bool) {
	n := len(facts)
	var rows []row
	for i, f := range append(slices.Clip(facts), scaled(goal, big.NewRat(-1, 1))) {
		r := row{coefs: f}
		for k := range n + 1 {
			r.by = append(r.by, big.NewRat(map[bool]int64{true: 1}[k == i], 1))
		}
		rows = append(rows, r)
	}
	for {
		var names []string
		for _, r := range rows {
			for k := range r.coefs {
				if k != "" {
					names = append(names, k)
				}
			}
		}
		if len(names) == 0 {
			break
		}
		pick := slices.Min(names)
		var up, down, rest []row
		for _, r := range rows {
			switch c := r.coefs[pick]; {
			case c == nil:
				rest = append(rest, r)
			case c.Sign() > 0:
				up = append(up, r)
			default:
				down = append(down, r)
			}
		}
		if len(up)*len(down)+len(rest) > maxRows {
			return nil, false
		}
		for _, u := range up {
			for _, d := range down {
				rest = append(rest, u.plus(d, new(big.Rat).Neg(d.coefs[pick]), u.coefs[pick]))
			}
		}
		rows = rest
	}
	sort.SliceStable(rows, func(i, j int) bool { return rows[i].by[n].Sign() == 0 && rows[j].by[n].Sign() != 0 })
	for _, r := range rows {
		k := new(big.Rat) // Σ by·facts - by[n]·goal = k
		if c := r.coefs[""]; c != nil {
			k = c
		}
		q := r.by[n]
		switch {
		case q.Sign() == 0 && k.Sign() < 0:
			inv := new(big.Rat).Inv(new(big.Rat).Neg(k))
			for _, c := range r.by[:n] {
				numbers = append(numbers, new(big.Rat).Mul(c, inv))
			}
			return append(numbers, new(big.Rat)), true
		case q.Sign() > 0 && k.Sign() <= 0:
			inv := new(big.Rat).Inv(q)
			for _, c := range r.by[:n] {
				numbers = append(numbers, new(big.Rat).Mul(c, inv))
			}
			return append(numbers, new(big.Rat).Mul(new(big.Rat).Neg(k), inv)), false
		}
	}
	return nil, false
}
