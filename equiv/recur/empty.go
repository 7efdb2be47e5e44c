package recur

import "slices"

// Limits of one question about integers.
const (
	maxBranches = 40  // cases of a variable
	maxPivots   = 400 // of one linear program
	maxPaired   = 80  // rows of which sums of two are looked at
	maxPairs    = 40  // such sums
)

// empty tells whether no integers meet all facts. False says nothing: that some do, or that it was not seen.
func empty(facts []fact) bool {
	rows := make([]row, len(facts))
	for i, f := range facts {
		rows[i] = row{fact: f}
	}
	return (&search{}).refute(rows) != nil
}

// A search looks for a refutation of rows.
//
// Equations are solved for variables whose factor is what all factors share; a row is divided by that, and its number rounded
// down; a linear program says whether rational numbers meet what is left. Where it finds some, sums of two rows that
// say more as integers are added; then a variable is at most one integer or at least the next.
type search struct {
	traced   bool // rows know of what they are sums
	ors      [][][]fact
	lines    int // numbers that were given
	branches int
}

// A row is a fact that is a sum of lines, times numbers: lines are the rows that were given, cuts, and rows of cases.
type row struct {
	fact
	from lin
}

func (r row) plus(a, b int64, o row) row {
	return row{fact{lin: r.times(a).plus(b, o.lin), zero: r.zero && o.zero}, r.from.times(a).plus(b, o.from)}
}

// A refutation is why no integers meet rows: cuts, and then a sum of lines that is below 0, a sum of equations whose factors share
// what their number does not, or cases.
type refutation struct {
	cuts  []cut
	sum   lin
	gcd   bool // of sum
	cases []*refutation
	lines [][]int // of cases: what the rows of each are called
	form  lin     // of two cases: it is at least 0, or not
	or    int     // of others: the condition on sizes
}

// A cut is a line, a sum divided.
type cut struct {
	line int
	from lin
}

func (s *search) line() int {
	s.lines++
	return s.lines - 1
}

// refute returns nil where it finds no refutation.
func (s *search) refute(rows []row) (out *refutation) {
	defer func() {
		if e := recover(); e != nil {
			if _, ok := e.(tooLarge); !ok {
				panic(e)
			}
			out = nil
		}
	}()
	out = &refutation{}
	rows, gone, done := s.solved(rows, out)
	if done {
		return out
	}
	var point []ratio
	var p *program
	for range 2 {
		p = newProgram(rows)
		var ok bool
		if point, ok = p.solve(); !ok {
			out.sum = p.contradiction(rows)
			return out
		}
		more := s.pairs(rows, out)
		if len(more) == 0 {
			break
		}
		rows = append(rows, more...)
	}
	if p.pivots > maxPivots {
		return nil
	}
	for i, x := range point {
		if x.d != 1 {
			v := variable(p.names[i]).add(-floor(x.n, x.d) - 1)
			if s.cases(out, rows, [][]fact{{natural(v)}, natural(v).not()}) {
				out.form = v
				return out
			}
			return nil
		}
	}
	if k := s.violated(p, point, gone); k >= 0 {
		if out.or = k; s.cases(out, rows, s.ors[k]) {
			return out
		}
	}
	return nil
}

// cases refutes rows in each of some cases.
func (s *search) cases(out *refutation, rows []row, ways [][]fact) bool {
	for _, way := range ways {
		if s.branches++; s.branches > maxBranches {
			return false
		}
		with, lines := slices.Clip(rows), []int{}
		for _, f := range way {
			lines = append(lines, s.line())
			r := row{fact: f}
			if s.traced {
				r.from = variable(lines[len(lines)-1])
			}
			with = append(with, r)
		}
		part := s.refute(with)
		if part == nil {
			return false
		}
		out.cases, out.lines = append(out.cases, part), append(out.lines, lines)
	}
	return true
}

func (f fact) not() []fact { return f.denied()[:1] }

// tight divides a row.
func (s *search) tight(r row, out *refutation) row {
	g := r.content()
	if r.zero || g < 2 {
		return r
	}
	if s.traced {
		n := s.line()
		out.cuts = append(out.cuts, cut{n, r.from})
		r.from = variable(n)
	}
	r.lin = r.over(g)
	return r
}

// A known variable is what an equation says.
type known struct {
	v  int
	by lin
}

// solved leaves equations out that give a variable, and makes rows tight. Rows are at least 0; done tells of a contradiction.
func (s *search) solved(facts []row, out *refutation) (rows []row, gone []known, done bool) {
	rows = slices.Clone(facts)
	for i := range rows {
		rows[i] = s.tight(rows[i], out)
	}
	for {
		at, v := -1, 0
		for i, f := range rows {
			switch g := f.content(); {
			case g == 0 && f.zero && f.c > 0:
				out.sum = f.from.times(-1)
				return nil, nil, true
			case g == 0 && f.c < 0:
				out.sum = f.from
				return nil, nil, true
			case g > 0 && f.zero && f.c%g != 0:
				out.sum, out.gcd = f.from, true
				return nil, nil, true
			case f.zero && at < 0:
				for _, t := range f.terms {
					if magnitudeOf(t.k) == g {
						at, v = i, t.v
						break
					}
				}
			}
		}
		if at < 0 {
			break
		}
		e := rows[at]
		gone = append(gone, known{v, e.lin})
		rows = slices.Delete(rows, at, at+1)
		k := e.factor(v)
		for i, r := range rows {
			n := r.factor(v)
			if n == 0 {
				continue
			}
			a, b := magnitudeOf(k), -n
			if k < 0 {
				b = n
			}
			g := gcd(a, b)
			rows[i] = s.tight(r.plus(a/g, b/g, e), out)
		}
	}
	rows, done = reduced(rows, out)
	return rows, gone, done
}

// reduced leaves out rows that say less than others, and finds pairs that contradict each other.
func reduced(list []row, out *refutation) (rows []row, done bool) {
	at := map[uint64][]int{} // rows by their terms
	keep := func(f row) {
		if len(f.terms) == 0 {
			return
		}
		key := formKey(f.terms, 1)
		for _, i := range at[key] {
			if g := rows[i]; slices.Equal(f.terms, g.terms) {
				if f.c < g.c {
					rows[i] = f
				}
				return
			}
		}
		at[key] = append(at[key], len(rows))
		rows = append(rows, f)
	}
	for _, f := range list {
		zero := f.zero
		f.zero = false
		keep(f)
		if zero {
			keep(row{natural(f.times(-1)), f.from.times(-1)})
		}
	}
	for i, f := range rows {
		for _, k := range at[formKey(f.terms, -1)] {
			if k < i && opposite(f.lin, rows[k].lin) && add(f.c, rows[k].c) < 0 {
				out.sum = f.from.plus(1, rows[k].from)
				return nil, true
			}
		}
	}
	return rows, false
}

// formKey is a number that terms, times 1 or -1, have in common with few others.
func formKey(terms []scaled, sign int64) (key uint64) {
	for _, t := range terms {
		key = (key*31+uint64(t.v))*0x9e3779b97f4a7c15 + uint64(sign*t.k)
	}
	return key
}

// pairs are sums of two rows that say more as integers: of 4x <= n and n <= 4y + 3 it is x <= y.
func (s *search) pairs(rows []row, out *refutation) (more []row) {
	if len(rows) > maxPaired {
		return nil
	}
	for i, f := range rows {
		for _, g := range rows[:i] {
			if sum := f.plus(1, 1, g); len(sum.terms) <= max(len(f.terms), len(g.terms)) {
				if d := sum.content(); d > 1 && sum.c%d != 0 {
					more = append(more, s.tight(sum, out))
				}
			}
			if len(more) == maxPairs {
				return more
			}
		}
	}
	return more
}

// violated is a condition with an or that does not hold at a point, or -1.
func (s *search) violated(p *program, point []ratio, gone []known) int {
	at := map[int]ratio{}
	for i, v := range p.names {
		at[v] = point[i]
	}
	value := func(a lin) ratio {
		n := whole(a.c)
		for _, t := range a.terms {
			if x, ok := at[t.v]; ok {
				n = n.plus(x.times(whole(t.k)))
			}
		}
		return n
	}
	for _, k := range slices.Backward(gone) {
		n := k.by.factor(k.v)
		at[k.v] = value(k.by.plus(-n, variable(k.v))).neg().times(whole(n).inverse())
	}
	return slices.IndexFunc(s.ors, func(ways [][]fact) bool {
		return !slices.ContainsFunc(ways, func(way []fact) bool {
			return !slices.ContainsFunc(way, func(f fact) bool {
				n := value(f.lin).sign()
				return n < 0 || f.zero && n > 0
			})
		})
	})
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
	failed int // the row that cannot be met
}

func newProgram(rows []row) *program {
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
			p.failed = row
			return nil, false
		}
		p.exchange(row, col)
	}
}

// contradiction is a sum of rows, each times a number that is not below 0, that is below 0 whatever the variables are: the row that
// cannot be met, and those that keep it from that.
func (p *program) contradiction(rows []row) lin {
	n := len(p.names)
	times := map[int]ratio{p.basic[p.failed]: whole(1)}
	for c, v := range p.free {
		if k := p.table[p.failed][c]; k.n != 0 {
			times[v] = k.neg()
		}
	}
	d := int64(1)
	for _, k := range times {
		d = mul(d/gcd(d, k.d), k.d)
	}
	out := lin{}
	for i, r := range rows {
		if k, ok := times[n+i]; ok {
			out = out.plus(mul(k.n, d/k.d), r.from)
		}
	}
	return out
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
	solved := p.table[row]
	var others []int        // columns that the row has: few
	for c := range solved { // in = (out - Σ others)/k
		if c != col && solved[c].n != 0 {
			solved[c] = solved[c].times(inverse).neg()
			others = append(others, c)
		}
	}
	solved[col] = inverse
	for r, list := range p.table {
		k := list[col]
		if r == row || k.n == 0 {
			continue
		}
		list[col] = k.times(inverse)
		for _, c := range others {
			list[c] = list[c].plus(k.times(solved[c]))
		}
	}
	p.basic[row], p.free[col] = in, out
}
