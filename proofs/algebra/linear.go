package algebra

import "slices"

// Bounds of what Impossible does. A row that is left out, for its numbers or as there are too many,
// is one fewer that has to hold.
const (
	maxRows     = 160     // of a system
	maxFactor   = 1 << 30 // of a row
	maxExtremes = 3       // greatest and least values that are taken apart
)

// A linearRow is a condition on integers: the sum of factors times unknowns and number is at least
// 0.
type linearRow struct {
	factors []int64
	number  int64
}

// A system has an unknown for each product of atoms that occurs.
type linearSystem struct {
	*Builder
	unknowns map[*mono]int
	defined  map[*Atom]bool
	rows     []linearRow
	extreme  *Atom // a greatest or least value of which it is not said yet which one it is
	unsaid   map[*Atom]bool
}

// Impossible reports whether no integers, sizes as large as they are at least among them, meet all
// of some conditions e >= 0: by elimination. Of two that say that l <= k·v and m·v <= u, m·l <= k·u
// is left, whose factors are divided by what they share, and the number rounded down. If that comes
// to -1 >= 0, nothing meets them. Products stand for any integers, quotients by numbers for those
// that are defined so, and what facts say of sizes counts.
func (b *Builder) Impossible(conds []*Expr) bool {
	all := slices.Clone(conds)
	for c := b.Root; c != nil; c = c.parent {
		if c.fact != nil {
			all = append(all, c.fact)
		}
	}
	return b.impossible(all, map[*Atom]bool{}, maxExtremes)
}

func (b *Builder) impossible(conds []*Expr, said map[*Atom]bool, extremes int) bool {
	s := &linearSystem{Builder: b, unknowns: map[*mono]int{}, defined: map[*Atom]bool{},
		unsaid: said}
	for _, e := range conds {
		s.state(e)
	}
	if s.contradicts() {
		return true
	}
	d := s.extreme
	if d == nil || extremes == 0 {
		return false
	}
	said[d] = true
	defer delete(said, d)
	for _, as := range []*Expr{d.X, d.Y} {
		e := b.Sub(d.expr, as)
		if !b.impossible(append(slices.Clone(conds), e, b.Scale(Int(-1), e)), said, extremes-1) {
			return false
		}
	}
	return true
}

// state adds a row for e >= 0, and for what its atoms are.
func (s *linearSystem) state(e *Expr) {
	row := linearRow{}
	fits := true
	for _, t := range e.terms {
		k, ok := t.Coef.Int64()
		if fits = fits && ok && -maxFactor < k && k < maxFactor; !fits {
			return
		}
		if len(t.mono.atoms) == 0 {
			row.number = k
			continue
		}
		i := s.unknown(t.mono)
		row.factors = append(row.factors, make([]int64, max(0, i+1-len(row.factors)))...)
		row.factors[i] += k
	}
	s.rows = append(s.rows, row)
}

// unknown is the number of a product, of which it is stated what is known when it occurs first.
func (s *linearSystem) unknown(m *mono) int {
	if i, ok := s.unknowns[m]; ok {
		return i
	}
	i := len(s.unknowns)
	s.unknowns[m] = i
	for _, a := range m.atoms {
		if !s.defined[a] {
			s.defined[a] = true
			s.define(a)
		}
	}
	return i
}

func (s *linearSystem) define(a *Atom) {
	less := func(x, y *Expr) { s.state(s.Sub(y, x)) }
	switch a.Kind {
	case KindSize:
		less(s.Const(a.Least), a.expr)
	case KindFloor:
		if n, ok := a.Y.Const(); ok && n.Sign() > 0 {
			rest := s.Sub(a.X, s.Mul(a.Y, a.expr))
			less(s.Const(0), rest)
			less(rest, s.AddInt(a.Y, -1))
		}
	case KindMax:
		less(a.X, a.expr)
		less(a.Y, a.expr)
	case KindMin:
		less(a.expr, a.X)
		less(a.expr, a.Y)
	}
	if (a.Kind == KindMax || a.Kind == KindMin) && s.extreme == nil && !s.unsaid[a] {
		s.extreme = a
	}
}

// contradicts eliminates all unknowns, those first that leave few rows.
func (s *linearSystem) contradicts() bool {
	n := len(s.unknowns)
	for i := range s.rows {
		s.rows[i].factors = append(s.rows[i].factors, make([]int64, n-len(s.rows[i].factors))...)
	}
	rows := s.rows
	for left := n; ; left-- {
		kept := rows[:0:0]
		for _, r := range rows {
			if some, ok := r.tightened(); !ok {
				return true
			} else if some != nil && len(kept) < maxRows {
				kept = append(kept, *some)
			}
		}
		if rows = strongest(kept); left == 0 {
			return false
		}
		best, cost := -1, 0
		for v := range n {
			up, down := 0, 0
			for _, r := range rows {
				if r.factors[v] > 0 {
					up++
				} else if r.factors[v] < 0 {
					down++
				}
			}
			if up+down > 0 && (best < 0 || up*down-up-down < cost) {
				best, cost = v, up*down-up-down
			}
		}
		if best < 0 {
			return false
		}
		rows = eliminated(rows, best)
		s.steps -= len(rows)
	}
}

// tightened is a row divided by what its factors share; nil where it says nothing, not ok where it
// never holds.
func (r linearRow) tightened() (out *linearRow, ok bool) {
	g := int64(0)
	for _, k := range r.factors {
		for a, b := max(k, -k), g; ; a, b = b%a, a {
			if a == 0 {
				g = b
				break
			}
		}
	}
	if g == 0 {
		return nil, r.number >= 0
	}
	t := linearRow{slices.Clone(r.factors), floorDiv(r.number, g)}
	for i := range t.factors {
		t.factors[i] /= g
	}
	return &t, true
}

func floorDiv(x, y int64) int64 {
	q := x / y
	if x%y < 0 {
		q--
	}
	return q
}

// strongest leaves of rows with the same factors the one that says most.
func strongest(rows []linearRow) (out []linearRow) {
next:
	for _, r := range rows {
		for i, o := range out {
			if slices.Equal(o.factors, r.factors) {
				out[i].number = min(o.number, r.number)
				continue next
			}
		}
		out = append(out, r)
	}
	return out
}

// eliminated has for each two rows that bound an unknown from both sides what they say of the
// others.
func eliminated(rows []linearRow, v int) (out []linearRow) {
	for _, r := range rows {
		if r.factors[v] == 0 {
			out = append(out, r)
		}
	}
	for _, up := range rows {
		for _, down := range rows {
			k, m := up.factors[v], -down.factors[v]
			if k <= 0 || m <= 0 {
				continue
			}
			sum := linearRow{make([]int64, len(up.factors)), m*up.number + k*down.number}
			fits := abs(sum.number) < maxFactor
			for i := range sum.factors {
				sum.factors[i] = m*up.factors[i] + k*down.factors[i]
				fits = fits && abs(sum.factors[i]) < maxFactor
			}
			if fits && len(out) < maxRows {
				out = append(out, sum)
			}
		}
	}
	return out
}

func abs(x int64) int64 { return max(x, -x) }
