package witness

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"tv/proofs/recur"
)

// Refute answers a goal of a proof by recurrences: why no integers satisfy its rows. Equations go by substitution, then
// variables one by one (Fourier and Motzkin), each new row tightened to integers; where that leaves a point that is no
// integer, on both its sides. Empty: none was found.
func Refute(g *recur.Goal) string {
	r := &refuter{goal: g}
	names := map[string]bool{}
	all := slices.Clone(g.Rows)
	for _, list := range g.Ors {
		all = append(all, slices.Concat(list...)...)
	}
	for _, row := range all {
		for name := range row.Of {
			names[name] = true
		}
	}
	r.names = slices.Sorted(maps.Keys(names))
	var rows []*fact
	for i, row := range g.Rows {
		rows = append(rows, r.fact(row, i))
	}
	if text, ok := r.refute(rows, len(rows), 0); ok {
		return text
	}
	return ""
}

// A refuter looks for a refutation.
type refuter struct {
	goal  *recur.Goal
	names []string
	work  int
}

// fact is a row with a number.
func (r *refuter) fact(row recur.Row, number int) *fact {
	f := &fact{n: row.N, equal: row.Equal, from: map[int]*big.Int{number: big.NewInt(1)}}
	for _, name := range r.names {
		k := new(big.Int)
		if v := row.Of[name]; v != nil {
			k.Set(v)
		}
		f.k = append(f.k, k)
	}
	return f
}

// Bounds of a search: rows that are made, and how deep cases nest.
const (
	maxRefuteRows  = 4000
	maxRefuteCases = 8
)

// A fact is a row that is a sum of others, which have numbers.
type fact struct {
	k     []*big.Int // of the names, in order
	n     *big.Int
	equal bool
	from  map[int]*big.Int
}

// plus is a·f + b·g.
func (f *fact) plus(a *big.Int, b *big.Int, g *fact) *fact {
	out := &fact{n: new(big.Int).Mul(a, f.n), equal: f.equal && g.equal, from: map[int]*big.Int{}}
	out.n.Add(out.n, new(big.Int).Mul(b, g.n))
	for i := range f.k {
		k := new(big.Int).Mul(a, f.k[i])
		out.k = append(out.k, k.Add(k, new(big.Int).Mul(b, g.k[i])))
	}
	add := func(m *big.Int, from map[int]*big.Int) {
		for i, v := range from {
			k := new(big.Int).Mul(m, v)
			if old := out.from[i]; old != nil {
				k.Add(k, old)
			}
			if out.from[i] = k; k.Sign() == 0 {
				delete(out.from, i)
			}
		}
	}
	add(a, f.from)
	add(b, g.from)
	return out
}

// shared is what the factors of a fact share.
func (f *fact) shared() *big.Int {
	g := new(big.Int)
	for _, k := range f.k {
		g.GCD(nil, nil, g, new(big.Int).Abs(k))
	}
	return g
}

func (f *fact) sum() string {
	var list []string
	for _, i := range slices.Sorted(maps.Keys(f.from)) {
		list = append(list, fmt.Sprintf("%d:%s", i, f.from[i]))
	}
	return strings.Join(list, " ")
}

// refute looks for a refutation of facts, which have numbers below count. Without one it returns a name and a number that
// is no integer between two that are.
func (r *refuter) refute(rows []*fact, count, depth int) (string, bool) {
	base := slices.Clone(rows)
	var before strings.Builder
	closing := 0
	cut := func(f *fact) *fact { // a fact as an integer row, which has a number of its own if it is tighter
		g := f.shared()
		if f.equal || g.Sign() == 0 || g.IsInt64() && g.Int64() == 1 {
			return f
		}
		out := &fact{n: new(big.Int).Div(f.n, g), from: map[int]*big.Int{count: big.NewInt(1)}}
		for _, k := range f.k {
			out.k = append(out.k, new(big.Int).Quo(k, g))
		}
		fmt.Fprintf(&before, "(cut (%s) ", f.sum())
		base = append(base, out)
		closing++
		count++
		return out
	}
	end := func(text string) string { return before.String() + text + strings.Repeat(")", closing) }
	var order []eliminated
	for {
		for _, f := range rows {
			switch g := f.shared(); {
			case f.equal && g.Sign() != 0 && new(big.Int).Mod(f.n, g).Sign() != 0:
				return end("(gcd " + f.sum() + ")"), true
			case g.Sign() == 0 && f.equal && f.n.Sign() != 0:
				by := big.NewInt(int64(-f.n.Sign()))
				return end("(sum " + f.plus(by, new(big.Int), f).sum() + ")"), true
			case g.Sign() == 0 && f.n.Sign() < 0:
				return end("(sum " + f.sum() + ")"), true
			}
		}
		v, by := r.pick(rows)
		if v < 0 {
			break
		}
		order = append(order, eliminated{v, slices.Clone(rows)})
		rows = r.eliminate(rows, v, by, cut)
		if r.work += len(rows); r.work > maxRefuteRows {
			return "", false
		}
	}
	if depth == maxRefuteCases {
		return "", false
	}
	cases := func(list ...[]*fact) (out string, ok bool) { // one by one, each with more facts
		for _, more := range list {
			text, ok := r.refute(slices.Concat(base, more), count+len(more), depth+1)
			if !ok {
				return "", false
			}
			out += " " + text
		}
		return out, true
	}
	name, n, at := r.fraction(order)
	if at != nil {
		k, ways := r.violated(at, count)
		if k < 0 {
			return "", false
		}
		text, ok := cases(ways...)
		return end(fmt.Sprintf("(or %d%s)", k, text)), ok
	}
	split := func(sign int64, n *big.Int) []*fact { // sign·name + n >= 0
		row := recur.Row{Form: recur.Form{N: n, Of: map[string]*big.Int{r.names[name]: big.NewInt(sign)}}}
		return []*fact{r.fact(row, count)}
	}
	high := new(big.Int).Add(n, big.NewInt(1)) // name >= n+1, or name <= n
	text, ok := cases(split(1, new(big.Int).Neg(high)), split(-1, n))
	form := fmt.Sprintf("%s-%s", r.names[name], high)
	if high.Sign() < 0 {
		form = fmt.Sprintf("%s+%s", r.names[name], new(big.Int).Neg(high))
	}
	return end("(if " + form + text + ")"), ok
}

// violated is a condition with an or that does not hold at a point, with the facts of its ways, which are numbered from
// count on; -1 if there is none.
func (r *refuter) violated(at []*big.Int, count int) (which int, ways [][]*fact) {
next:
	for k, list := range r.goal.Ors {
		ways = nil
		for _, w := range list {
			var more []*fact
			holds := true
			for i, row := range w {
				f := r.fact(row, count+i)
				more = append(more, f)
				v := f.at(at)
				holds = holds && v.Sign() >= 0 && (!f.equal || v.Sign() == 0)
			}
			if holds {
				continue next
			}
			ways = append(ways, more)
		}
		return k, ways
	}
	return -1, nil
}

// at is the value of a fact at a point.
func (f *fact) at(point []*big.Int) *big.Int {
	out := new(big.Int).Set(f.n)
	for i, v := range f.k {
		out.Add(out, new(big.Int).Mul(v, point[i]))
	}
	return out
}

// An eliminated name, and the facts from which it went.
type eliminated struct {
	name int
	rows []*fact
}

// pick chooses a name to eliminate, and an equation to do it by, if there is one: the one with the least factor.
func (r *refuter) pick(rows []*fact) (name int, by *fact) {
	var least *big.Int
	for _, f := range rows {
		for i, k := range f.k {
			if f.equal && k.Sign() != 0 && (least == nil || k.CmpAbs(least) < 0) {
				name, by, least = i, f, k
			}
		}
	}
	if by != nil {
		return name, by
	}
	name = -1
	best := 0
	for i := range r.names {
		up, down := 0, 0
		for _, f := range rows {
			switch f.k[i].Sign() {
			case 1:
				up++
			case -1:
				down++
			}
		}
		if cost := up*down - up - down; up+down > 0 && (name < 0 || cost < best) {
			name, best = i, cost
		}
	}
	return name, nil
}

// eliminate takes a name out of rows.
func (r *refuter) eliminate(rows []*fact, name int, by *fact, cut func(*fact) *fact) (out []*fact) {
	seen := map[string]int{}
	add := func(f *fact) {
		var b strings.Builder
		if f.equal {
			b.WriteString("=")
		}
		for _, k := range f.k {
			b.WriteString(k.String() + " ")
		}
		key := b.String()
		if i, ok := seen[key]; !ok {
			seen[key] = len(out)
			out = append(out, f)
		} else if !f.equal && f.n.Cmp(out[i].n) < 0 {
			out[i] = f
		} else if f.equal && f.n.Cmp(out[i].n) != 0 {
			out = append(out, f)
		}
	}
	if by != nil {
		for _, f := range rows {
			if f == by {
				continue
			}
			if f.k[name].Sign() != 0 { // |k|·f - sign(k)·f.k·by
				m := new(big.Int).Mul(f.k[name], big.NewInt(int64(-by.k[name].Sign())))
				f = cut(f.plus(new(big.Int).Abs(by.k[name]), m, by))
			}
			add(f)
		}
		return out
	}
	for _, f := range rows {
		if f.k[name].Sign() == 0 {
			add(f)
		}
	}
	for _, f := range rows {
		for _, g := range rows {
			if f.k[name].Sign() > 0 && g.k[name].Sign() < 0 {
				h := f.plus(new(big.Int).Neg(g.k[name]), f.k[name], g)
				if h = cut(h); h.shared().Sign() != 0 || h.n.Sign() < 0 {
					add(h)
				}
			}
		}
	}
	return out
}

// fraction puts names at integers within what the facts leave them, the last eliminated first: a point, or the first name that
// has none, and the greatest integer below what it may be.
func (r *refuter) fraction(order []eliminated) (name int, below *big.Int, at []*big.Int) {
	at = make([]*big.Int, len(r.names))
	for i := range at {
		at[i] = new(big.Int)
	}
	for _, e := range slices.Backward(order) {
		var low, high *big.Rat
		for _, f := range e.rows {
			k := f.k[e.name]
			if k.Sign() == 0 {
				continue
			}
			rest := f.at(at)
			rest.Sub(rest, new(big.Int).Mul(k, at[e.name]))
			end := new(big.Rat).SetFrac(rest.Neg(rest), k)
			if (k.Sign() > 0 || f.equal) && (low == nil || end.Cmp(low) > 0) {
				low = end
			}
			if (k.Sign() < 0 || f.equal) && (high == nil || end.Cmp(high) < 0) {
				high = end
			}
		}
		switch {
		case low == nil && high == nil:
			continue
		case low == nil:
			at[e.name].Div(high.Num(), high.Denom())
			continue
		}
		floor := new(big.Int).Div(low.Num(), low.Denom())
		if low.IsInt() {
			at[e.name] = floor
			continue
		}
		at[e.name].Add(floor, big.NewInt(1))
		if high != nil && new(big.Rat).SetInt(at[e.name]).Cmp(high) > 0 {
			return e.name, floor, nil
		}
	}
	return 0, nil, at
}
