package witness

import (
	"maps"
	"slices"
	"sort"
	"strings"

	"tv/proofs/algebra"
)

// orient turns variables round with which offsets fall: Σ over k < W of A[W - 1 - k] becomes that of A[k]. Where one rises with
// some and falls with others, what these are says which way it goes.
func (ch *change) orient() {
	b := ch.b
	for _, v := range slices.Clone(ch.vars) {
		if ch.falls(v) {
			w, ends := b.NewVar(v.Lo, v.Hi), b.AddInt(b.Add(v.Lo, v.Hi), -1)
			ch.replace([]*atom{v}, map[*atom]*expr{v: b.Sub(ends, w.Expr())}, []*atom{w}, []*expr{b.Sub(ends, v.Expr())})
		}
	}
}

// falls tells whether a variable is to go the other way.
func (ch *change) falls(v *atom) bool {
	b := ch.b
	var rising, falling []string
	for _, p := range ch.parts {
		if !p.x.Mentions(v) || strings.HasSuffix(p.where, "guard") || strings.HasPrefix(p.where, "guard") {
			continue
		}
		c, rest, ok := b.Linear(p.x, v)
		if !ok || !c.OnlySizes() {
			return false
		}
		to := &rising
		if !b.Nonneg(b.Root, c) {
			if c, to = b.Scale(algebra.Int(-1), c), &falling; !b.Nonneg(b.Root, c) {
				return false
			}
		}
		moving := b.Const(0)
		for _, t := range rest.Terms() {
			if x := b.FromTerm(t); !x.OnlySizes() && !slices.ContainsFunc(ch.vars, x.Mentions) {
				moving = b.Add(moving, x)
			}
		}
		*to = append(*to, p.where+" "+canonical(c, ch.outside)+" "+canonical(moving, ch.outside))
	}
	slices.Sort(rising)
	slices.Sort(falling)
	return len(falling) > 0 && (len(rising) == 0 || slices.Compare(falling, rising) < 0)
}

// shift moves each variable so that what sizes and numbers make up of an offset is as small as the
// variable's step allows: Σ over k < 16 of A[k + 32] becomes Σ over 32 <= k < 48 of A[k].
func (ch *change) shift() {
	b := ch.b
	type read struct {
		key          string
		fixed, whole *expr
	}
	var reads []read
	for _, p := range ch.parts {
		fixed := b.Const(0)
		for _, t := range p.x.Terms() {
			if x := b.FromTerm(t); x.OnlySizes() {
				fixed = b.Add(fixed, x)
			}
		}
		reads = append(reads, read{p.where + " " + canonical(b.Sub(p.x, fixed), ch.plainly), fixed, p.x})
	}
	sort.SliceStable(reads, func(i, j int) bool {
		if reads[i].key != reads[j].key {
			return reads[i].key < reads[j].key
		}
		d := b.Sub(reads[j].fixed, reads[i].fixed)
		return len(d.Terms()) > 0 && b.Nonneg(ch.g.C, d)
	})
	moves := map[*atom]*expr{}
	var roles map[*atom]string
	for _, r := range reads {
		if strings.HasSuffix(r.key, "guard") || strings.HasPrefix(r.key, "guard") {
			continue
		}
		type step struct {
			v *atom
			c *expr
		}
		var steps []step
		fixed := r.fixed
		for _, v := range ch.vars {
			c, _, ok := b.Linear(r.whole, v)
			if !ok || len(c.Terms()) == 0 || !c.OnlySizes() {
				continue
			}
			if k, moved := moves[v]; moved {
				fixed = b.Sub(fixed, b.Mul(c, k))
			} else {
				steps = append(steps, step{v, c})
			}
		}
		sort.SliceStable(steps, func(i, j int) bool {
			if x, y := degree(steps[i].c), degree(steps[j].c); x != y {
				return x > y
			}
			d := b.Sub(steps[i].c, steps[j].c)
			if len(d.Terms()) == 0 { // either could take the shift: the roles say which
				if roles == nil {
					roles = ch.roles()
				}
				return roles[steps[i].v] < roles[steps[j].v]
			}
			return b.Nonneg(ch.g.C, d)
		})
		for _, s := range steps {
			k := ch.nearest(fixed, s.c)
			moves[s.v] = k
			fixed = b.Sub(fixed, b.Mul(s.c, k))
		}
	}
	for _, v := range slices.Clone(ch.vars) {
		k := moves[v]
		if k == nil || len(k.Terms()) == 0 {
			continue
		}
		w := b.NewVar(b.Add(v.Lo, k), b.Add(v.Hi, k))
		ch.replace([]*atom{v}, map[*atom]*expr{v: b.Sub(w.Expr(), k)},
			[]*atom{w}, []*expr{b.Add(v.Expr(), k)})
	}
}

// roles says how each variable occurs in offsets, whatever the shifts of all of them are.
func (ch *change) roles() map[*atom]string {
	b := ch.b
	roles := map[*atom]string{}
	for _, v := range ch.vars {
		name := func(a *atom) string {
			if a == v {
				return "self"
			}
			return ch.plainly(a)
		}
		var seen []string
		for _, p := range ch.parts {
			if !p.x.Mentions(v) {
				continue
			}
			moving := b.Const(0)
			for _, t := range p.x.Terms() {
				if x := b.FromTerm(t); !x.OnlySizes() {
					moving = b.Add(moving, x)
				}
			}
			seen = append(seen, p.where+" "+canonical(moving, name))
		}
		sort.Strings(seen)
		roles[v] = strings.Join(seen, ";")
	}
	return roles
}

// degree returns the most atoms that a term of x has.
func degree(x *expr) int {
	n := 0
	for _, t := range x.Terms() {
		n = max(n, len(t.Atoms()))
	}
	return n
}

// nearest returns x/c rounded to the nearest integer or, with named sizes, its polynomial part.
func (ch *change) nearest(x, c *expr) *expr {
	b := ch.b
	n, okX := x.Const()
	d, okC := c.Const()
	if okC && d.Sign() < 0 {
		x, c, n, d = b.Scale(algebra.Int(-1), x), b.Scale(algebra.Int(-1), c), n.Neg(), d.Neg()
	}
	if okX && okC {
		k, _ := n.Add(n).Add(d).DivMod(d.Add(d))
		return b.Scale(k, b.Const(1))
	}
	k, _ := b.Divide(x, c)
	return k
}

// maxOrders bounds the orders that are tried where variables play roles that look alike.
const maxOrders = 120

// arrange puts the variables in an order that depends on their roles alone.
func (ch *change) arrange() {
	n := len(ch.vars)
	if n < 2 {
		return
	}
	colors := map[*atom]string{}
	for _, v := range ch.vars {
		colors[v] = "k"
	}
	for range n {
		next := map[*atom]string{}
		for _, v := range ch.vars {
			var seen []string
			name := func(a *atom) string {
				if a == v {
					return "self"
				}
				if c, ok := colors[a]; ok {
					return c
				}
				return ch.outside(a)
			}
			for _, p := range ch.parts {
				if p.x.Mentions(v) {
					seen = append(seen, p.where+canonical(p.x, name))
				}
			}
			sort.Strings(seen)
			next[v] = strings.Join(seen, ";")
		}
		var ranks []string
		for _, c := range next {
			ranks = append(ranks, c)
		}
		sort.Strings(ranks)
		for v, c := range next {
			next[v] = "k" + number(sort.SearchStrings(ranks, c))
		}
		if maps.Equal(colors, next) { // and so in all rounds to come
			break
		}
		colors = next
	}
	order := slices.Clone(ch.vars)
	sort.SliceStable(order, func(i, j int) bool {
		if x, y := colors[order[i]], colors[order[j]]; x != y {
			return len(x) < len(y) || len(x) == len(y) && x < y
		}
		return false
	})
	orders := [][]*atom{order}
	for lo := 0; lo < n; {
		hi := lo + 1
		for hi < n && colors[order[hi]] == colors[order[lo]] {
			hi++
		}
		var more [][]*atom
		for _, o := range orders {
			more = append(more, permutations(o, lo, hi)...)
		}
		if len(more) <= maxOrders {
			orders = more
		}
		lo = hi
	}
	best, text := orders[0], ""
	for _, o := range orders {
		if len(orders) == 1 {
			break
		}
		if t := ch.text(o); text == "" || t < text {
			best, text = o, t
		}
	}
	if !slices.Equal(best, ch.vars) {
		ch.vars, ch.moved = best, true
	}
}

// text describes the goal with the variables in an order.
func (ch *change) text(order []*atom) string {
	name := func(a *atom) string {
		if i := slices.Index(order, a); i >= 0 {
			return "k" + number(i)
		}
		return ch.outside(a)
	}
	var lines []string
	for _, p := range ch.parts {
		lines = append(lines, p.where+canonical(p.x, name))
	}
	sort.Strings(lines)
	for _, v := range order {
		lines = append(lines, canonical(v.Lo, name)+" "+canonical(v.Hi, name))
	}
	return strings.Join(lines, "\n")
}

func (ch *change) plainly(a *atom) string {
	if slices.Contains(ch.vars, a) {
		return "k"
	}
	return ch.outside(a)
}

// outside names what is not a variable of the goal: slots by their number, sizes by their name,
// variables of the surroundings by when they were made.
func (ch *change) outside(a *atom) string {
	switch a.Kind {
	case algebra.KindSize:
		return a.Name
	case algebra.KindSlot:
		return "s" + number(a.N)
	}
	return "o" + number(a.ID)
}

func number(n int) string { return algebra.Int(int64(n)).String() }

func permutations(o []*atom, lo, hi int) [][]*atom {
	if hi-lo < 2 {
		return [][]*atom{o}
	}
	var out [][]*atom
	for i := lo; i < hi && len(out) <= maxOrders; i++ {
		p := slices.Clone(o)
		p[lo], p[i] = p[i], p[lo]
		out = append(out, permutations(p, lo+1, hi)...)
	}
	return out
}

// canonical prints an expression so that the order in which its parts were made does not show.
func canonical(x *expr, name func(*atom) string) string {
	var room [2][8]string // nearly all are small
	terms := room[0][:0]
	for _, t := range x.Terms() {
		fs := room[1][:0]
		for _, a := range t.Atoms() {
			if a.Kind < algebra.KindFloor {
				fs = append(fs, name(a))
				continue
			}
			args := []string{canonical(a.X, name), canonical(a.Y, name)}
			if a.Kind != algebra.KindFloor {
				sort.Strings(args)
			}
			fs = append(fs, "("+number(int(a.Kind))+" "+strings.Join(args, " ")+")")
		}
		slices.Sort(fs)
		terms = append(terms, t.Coef.String()+"*"+strings.Join(fs, "*"))
	}
	slices.Sort(terms)
	return strings.Join(terms, "+")
}
