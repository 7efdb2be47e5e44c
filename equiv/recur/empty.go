package recur

import "slices"

// Limits of one question about integers.
const (
	maxBranches = 40  // cases of a variable
	maxPivots   = 400 // of one linear program
)

// empty tells whether no integers meet all facts. False says nothing: that some do, or that it was not seen.
//
// Equations are solved for variables whose factor is 1 or -1; a row is divided by what its factors share, and its number
// rounded down; a linear program says whether rational numbers meet what is left; where the ones that it finds are no
// integers, a variable is at most one integer or at least the next.
func empty(facts []fact) (yes bool) {
	defer func() {
		if e := recover(); e != nil {
			if _, ok := e.(tooLarge); !ok {
				panic(e)
			}
			yes = false
		}
	}()
	branches := maxBranches
	return search(facts, &branches)
}

func search(facts []fact, branches *int) bool {
	rows, contradiction := solved(facts)
	if contradiction {
		return true
	}
	rows = append(rows, cuts(rows)...)
	p := newProgram(rows)
	point, ok := p.solve()
	if !ok {
		return true
	}
	if p.pivots > maxPivots {
		return false
	}
	for i, x := range point {
		if x.d == 1 {
			continue
		}
		if *branches--; *branches < 0 {
			return false
		}
		v, below := variable(p.names[i]), floor(x.n, x.d)
		least, most := natural(v.add(-below-1)), natural(v.times(-1).add(below))
		return search(append(slices.Clip(rows), least), branches) && search(append(slices.Clip(rows), most), branches)
	}
	return false
}

// solved leaves equations out that give a variable, and makes rows tight. Rows are at least 0.
func solved(facts []fact) (rows []fact, contradiction bool) {
	rows = slices.Clone(facts)
	for {
		at, v := -1, 0
		for i, f := range rows {
			g := f.content()
			switch {
			case g == 0 && (f.c < 0 || f.zero && f.c != 0):
				return nil, true
			case g > 1 && f.zero && f.c%g != 0:
				return nil, true
			case g > 1:
				rows[i].lin = f.over(g)
			}
			if !f.zero || at >= 0 {
				continue
			}
			for _, t := range rows[i].terms {
				if t.k == 1 || t.k == -1 {
					at, v = i, t.v
					break
				}
			}
		}
		if at < 0 {
			break
		}
		e := rows[at].lin
		value := variable(v).plus(-e.factor(v), e) // k·v + r = 0: v = -k·r
		rows = slices.Delete(rows, at, at+1)
		for i := range rows {
			rows[i] = rows[i].put(v, value)
		}
	}
	var out []fact
	for _, f := range rows {
		if len(f.terms) == 0 {
			continue
		}
		out = append(out, natural(f.lin))
		if f.zero {
			out = append(out, natural(f.times(-1)))
		}
	}
	return reduced(out)
}

// reduced leaves out rows that say less than others, and finds pairs that contradict each other.
func reduced(rows []fact) (out []fact, contradiction bool) {
	for _, f := range rows {
		weaker := false
		for i, g := range out {
			if slices.Equal(f.terms, g.terms) {
				out[i].c, weaker = min(f.c, g.c), true
				break
			}
		}
		if !weaker {
			out = append(out, f)
		}
	}
	for i, f := range out {
		for _, g := range out[:i] {
			if opposite(f.lin, g.lin) && f.c+g.c < 0 {
				return nil, true
			}
		}
	}
	return out, false
}

// cuts are sums of two rows that say more as integers: of 4x <= n and n <= 4y + 3 it is x <= y.
func cuts(rows []fact) (out []fact) {
	for i, f := range rows {
		for _, g := range rows[:i] {
			if !slices.ContainsFunc(f.terms, func(t scaled) bool { return t.k != 1 && t.k != -1 }) {
				continue
			}
			sum := f.plus(1, g.lin)
			if d := sum.content(); d > 1 && sum.c%d != 0 {
				out = append(out, natural(sum.over(d)))
			}
		}
	}
	return out
}

func opposite(a, b lin) bool {
	return slices.EqualFunc(a.terms, b.terms, func(s, t scaled) bool { return s.v == t.v && s.k == -t.k })
}

// A program is a linear one in rational numbers: rows s = Σ a·x with s >= -c, by the simplex method with rows that are
// solved for some variables, all in a fixed order, so that it ends.
type program struct {
	names  []int // of the variables x, which have no bounds
	least  []ratio
	table  [][]ratio // rows of basic variables over those that are not
	basic  []int     // variables of rows: 0 .. len(names)-1 are x, the others s
	free   []int     // variables of columns
	value  []ratio   // of all
	pivots int
}

func newProgram(rows []fact) *program {
	p := &program{}
	index := map[int]int{}
	for _, f := range rows {
		for _, t := range f.terms {
			if _, ok := index[t.v]; !ok {
				index[t.v] = 0
				p.names = append(p.names, t.v)
			}
		}
	}
	slices.Sort(p.names)
	n := len(p.names)
	for i, v := range p.names {
		index[v] = i
		p.free = append(p.free, i)
	}
	p.value = make([]ratio, n+len(rows))
	for i := range p.value {
		p.value[i] = whole(0)
	}
	for i, f := range rows {
		row := make([]ratio, n)
		for k := range row {
			row[k] = whole(0)
		}
		for _, t := range f.terms {
			row[index[t.v]] = whole(t.k)
		}
		p.table, p.basic = append(p.table, row), append(p.basic, n+i)
		p.least = append(p.least, whole(mul(f.c, -1)))
	}
	return p
}

// solve returns values of the variables that meet all rows; ok is false where there are none.
func (p *program) solve() (point []ratio, ok bool) {
	n := len(p.names)
	for {
		row := -1
		for r, v := range p.basic {
			if v >= n && p.value[v].less(p.least[v-n]) && (row < 0 || v < p.basic[row]) {
				row = r
			}
		}
		if row < 0 {
			return p.value[:n], true
		}
		if p.pivots++; p.pivots > maxPivots {
			return p.value[:n], true
		}
		col := -1
		for c, v := range p.free {
			k := p.table[row][c].sign()
			if k == 0 || k < 0 && v >= n && !p.least[v-n].less(p.value[v]) {
				continue
			}
			if col < 0 || v < p.free[col] {
				col = c
			}
		}
		if col < 0 {
			return nil, false
		}
		p.exchange(row, col)
	}
}

// exchange makes the variable of a row what its bound says, by that of a column, and solves the row for the latter.
func (p *program) exchange(row, col int) {
	n := len(p.names)
	out, in := p.basic[row], p.free[col]
	inverse := p.table[row][col].inverse()
	step := p.least[out-n].plus(p.value[out].neg()).times(inverse)
	p.value[out] = p.least[out-n]
	p.value[in] = p.value[in].plus(step)
	for r, v := range p.basic {
		if r != row && p.table[r][col].n != 0 {
			p.value[v] = p.value[v].plus(p.table[r][col].times(step))
		}
	}
	for c := range p.table[row] { // in = (out - Σ others)/k
		if c != col {
			p.table[row][c] = p.table[row][c].times(inverse).neg()
		}
	}
	p.table[row][col] = inverse
	for r := range p.table {
		k := p.table[r][col]
		if r == row || k.n == 0 {
			continue
		}
		for c := range p.table[r] {
			if c == col {
				p.table[r][c] = k.times(inverse)
			} else if p.table[row][c].n != 0 {
				p.table[r][c] = p.table[r][c].plus(k.times(p.table[row][c]))
			}
		}
	}
	p.basic[row], p.free[col] = in, out
}
