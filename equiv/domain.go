package equiv

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sort"

	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/index"
)

// A clause is a condition of the domain that is not a disjunction: A = B, A < B, A <= B, or A divides B, or,
// negated, A does not divide B.
type clause struct {
	op   domain.PredOp
	not  bool // with PredDivides only
	a, b domain.Size
}

// maxCases bounds the cases that the disjunctions of a domain are taken apart into.
const maxCases = 96

// cases brings conditions into disjunctive normal form. ok is false where there are too many cases.
func cases(preds []*domain.Pred, mins map[string]int64) (out [][]clause, ok bool) {
	out = [][]clause{nil}
	for _, p := range preds {
		alts := alternatives(p, false, mins)
		var next [][]clause
		for _, c := range out {
			for _, a := range alts {
				next = append(next, append(c[:len(c):len(c)], a...))
			}
		}
		if out = next; len(out) > maxCases {
			return nil, false
		}
	}
	return out, true
}

func alternatives(p *domain.Pred, not bool, mins map[string]int64) [][]clause {
	op := p.Op
	if not {
		switch op {
		case domain.PredAnd:
			op = domain.PredOr
		case domain.PredOr:
			op = domain.PredAnd
		}
	}
	switch op {
	case domain.PredNot:
		return alternatives(p.Args[0], !not, mins)
	case domain.PredOr:
		var out [][]clause
		for _, a := range p.Args {
			out = append(out, alternatives(a, not, mins)...)
		}
		return out
	case domain.PredAnd:
		out := [][]clause{nil}
		for _, a := range p.Args {
			var next [][]clause
			for _, c := range out {
				for _, alt := range alternatives(a, not, mins) {
					next = append(next, append(c[:len(c):len(c)], alt...))
				}
			}
			if out = next; len(out) > maxCases {
				return out
			}
		}
		return out
	}
	switch {
	case !not && op == domain.PredEq:
		return equation(p.A, p.B, mins)
	case !not:
		return [][]clause{{{op: op, a: p.A, b: p.B}}}
	}
	switch op {
	case domain.PredEq:
		return [][]clause{{{op: domain.PredLt, a: p.A, b: p.B}}, {{op: domain.PredLt, a: p.B, b: p.A}}}
	case domain.PredLt:
		return [][]clause{{{op: domain.PredLe, a: p.B, b: p.A}}}
	case domain.PredLe:
		return [][]clause{{{op: domain.PredLt, a: p.B, b: p.A}}}
	}
	return [][]clause{{{op: op, not: true, a: p.A, b: p.B}}}
}

// sizes translates named sizes into expressions of one case of a domain: names that the case determines are
// written in terms of the others.
type sizes struct {
	b         *index.Builder
	names     map[string]*index.Expr
	natural   map[*index.Expr]bool // differences that a condition says not to be negative
	multiples map[*index.Atom]bool // new sizes that stand for quotients
	never     bool                 // a condition is known not to hold
	noValue   bool                 // a size that was translated divides by 0
	split     int                  // divisors of products that became products
}

// newSizes states one case of a domain to the builder: equations are solved where a name stands alone in them,
// "c divides N" writes N as c times a new size, and everything is added as a fact.
func newSizes(b *index.Builder, names []string, mins map[string]int64, cs []clause) *sizes {
	s := &sizes{b: b, names: map[string]*index.Expr{}, multiples: map[*index.Atom]bool{}}
	for _, n := range names {
		least := leastOf(n, mins[n], cs)
		s.names[n] = b.Size(index.Spelt(n), least)
	}
	for again := true; again; {
		again = false
		s.natural = map[*index.Expr]bool{}
		for _, c := range cs {
			if !c.not && (c.op == domain.PredLe || c.op == domain.PredLt) {
				s.natural[b.Sub(s.expr(c.b), s.expr(c.a))] = true
			}
		}
		for i := 0; i < 2*len(cs) && !again; i++ { // equations first: they keep names apart from products
			c := cs[i%len(cs)]
			again = (c.op == domain.PredEq) == (i < len(cs)) && s.solve(c, mins)
		}
	}
	for _, n := range names {
		s.fact(b.AddInt(s.names[n], -mins[n]))
	}
	for _, c := range cs {
		x, y := s.expr(c.a), s.expr(c.b)
		switch {
		case c.op == domain.PredEq:
			s.fact(b.Sub(x, y))
			s.fact(b.Sub(y, x))
		case c.op == domain.PredLt:
			s.fact(b.AddInt(b.Sub(y, x), -1))
		case c.op == domain.PredLe:
			s.fact(b.Sub(y, x))
		case c.not:
			if b.Nonneg(b.Root(), b.AddInt(x, -1)) {
				s.fact(b.AddInt(b.Mod(b.Root(), y, x), -1))
			}
		default:
			s.fact(b.AddInt(x, -1))
			if b.Nonneg(b.Root(), b.AddInt(x, -1)) {
				m := b.Mod(b.Root(), y, x)
				s.fact(m)
				s.fact(b.Scale(index.Int(-1), m))
			}
		}
	}
	s.never = s.never || s.noValue // a condition that has no value does not hold
	return s
}

func (s *sizes) fact(x *index.Expr) {
	n, ok := x.Const()
	if ok && n.Sign() < 0 {
		s.never = true
	}
	if !ok && !s.b.Nonneg(s.b.Root(), x) {
		s.b.Fact(x)
		if y := s.b.Condition(x); y != x { // the same without a division
			s.fact(y)
		}
	}
}

// leastOf returns the greatest number that conditions say a name is at least, all by itself.
func leastOf(name string, least int64, cs []clause) int64 {
	for _, c := range cs {
		n, ok := c.a.Int64()
		if !ok || c.not || c.b.Name() != name || n >= maxLeast {
			continue
		}
		switch c.op {
		case domain.PredLe:
			least = max(least, n)
		case domain.PredLt:
			least = max(least, n+1)
		}
	}
	return least
}

const maxLeast = 1 << 40 // beyond it a condition is a fact alone

// solve eliminates a name by an equation or a divisibility and reports whether it did.
func (s *sizes) solve(c clause, mins map[string]int64) bool {
	b := s.b
	switch {
	case c.op == domain.PredEq:
		d := b.Sub(s.expr(c.a), s.expr(c.b))
		if d.IsZero() {
			return false
		}
		if s.residue(c.a, c.b) || s.residue(c.b, c.a) {
			return true
		}
		for _, a := range d.Free() {
			k, r, ok := b.Linear(d, a)
			if !ok {
				continue
			}
			n, ok := k.Const()
			switch {
			case !ok:
			case n.IsOne():
				s.replace(a, b.Scale(index.Int(-1), r))
				return true
			case n.Neg().IsOne():
				s.replace(a, r)
				return true
			}
		}
	case c.op == domain.PredDivides && !c.not:
		x, y := s.expr(c.a), s.expr(c.b)
		n, ok := x.Const()
		if !ok || len(y.Terms()) != 1 {
			return s.multiple(x, y) || s.factors(x, y)
		}
		if n.Sign() <= 0 || n.IsOne() {
			return false
		}
		atoms := y.Terms()[0].Atoms()
		if len(atoms) != 1 || atoms[0].Kind != index.Size {
			return false
		}
		a := atoms[0] // 4 divides 6·a where 2 divides a
		if n, _ = n.DivMod(n.GCD(y.Terms()[0].Coef)); n.IsOne() {
			return false
		}
		least := int64(0)
		if a.Least > 0 {
			least = 1
		}
		s.replace(a, b.Scale(n, b.Size(a.Name+"/"+n.String(), least)))
		return true
	}
	return false
}

// multiple solves "x divides y" for a name that stands alone in y and not in x: y is x times a new size, where y is
// not negative, or a condition says so.
func (s *sizes) multiple(x, y *index.Expr) bool {
	b := s.b
	if _, number := y.Const(); number || !s.natural[y] && !b.Nonneg(b.Root(), y) {
		return false
	}
	least := int64(0)
	if b.Nonneg(b.Root(), b.AddInt(y, -1)) { // and then x times 0 is too little
		least = 1
	}
	for _, a := range y.Free() {
		k, r, ok := b.Linear(y, a)
		if !ok || a.Kind != index.Size || x.Mentions(a) || s.multiples[a] {
			continue
		}
		if n, number := k.Const(); !number || !n.IsOne() || r.Mentions(a) {
			continue
		}
		t := b.Size(a.Name+"/"+x.String(), least)
		s.multiples[t.Free()[0]] = true
		s.replace(a, b.Sub(b.Mul(x, t), r))
		return true
	}
	return false
}

// maxFactors bounds how many divisors of products are split.
const maxFactors = 8

// factors solves "x divides y" for products of sizes: a divisor of a·b is a product of a divisor of a and one of b. So
// the first size of x that is not in y becomes a product of new ones, one for each size of y, which is it times another.
func (s *sizes) factors(x, y *index.Expr) bool {
	b := s.b
	if s.split == maxFactors || len(x.Terms()) != 1 || len(y.Terms()) != 1 || !x.Terms()[0].Coef.IsOne() || !y.Terms()[0].Coef.IsOne() {
		return false
	}
	divisors, parts := slices.Clone(x.Terms()[0].Atoms()), slices.Clone(y.Terms()[0].Atoms())
	for i := 0; i < len(divisors); {
		if j := slices.Index(parts, divisors[i]); j >= 0 {
			divisors, parts = slices.Delete(divisors, i, i+1), slices.Delete(parts, j, j+1)
			continue
		}
		i++
	}
	if len(divisors) == 0 {
		return false
	}
	for i, a := range slices.Concat(divisors[:1], parts) {
		if a.Kind != index.Size || a.Least < 1 || slices.Contains(parts[min(i, len(parts)):], a) {
			return false
		}
	}
	s.split++
	d := divisors[0]
	m := map[*index.Atom]*index.Expr{}
	whole := b.Num(index.Int(1))
	for _, a := range parts {
		common := b.Size(fmt.Sprintf("gcd(%s,%s)", d.Name, a.Name), 1)
		whole = b.Mul(whole, common)
		m[a] = b.Mul(common, b.Size(fmt.Sprintf("%s/gcd(%s,%s)", a.Name, d.Name, a.Name), 1))
	}
	m[d] = whole
	for n, e := range s.names {
		s.names[n] = b.Subst(b.Root(), e, m)
	}
	return true
}

// residue solves N mod m = r for a name N and numbers m, r: N is m times a new size, plus r.
func (s *sizes) residue(x, y domain.Size) bool {
	if x.Op() != domain.SizeMod {
		return false
	}
	m, okM := x.Operands()[1].Int64()
	r, okR := y.Int64()
	n := s.expr(x.Operands()[0])
	if !okM || !okR || r < 0 || r >= m || len(n.Terms()) != 1 || !n.Terms()[0].Coef.IsOne() {
		return false
	}
	atoms := n.Terms()[0].Atoms()
	if len(atoms) != 1 || atoms[0].Kind != index.Size {
		return false
	}
	least := int64(0)
	if r < atoms[0].Least {
		least = 1
	}
	s.replace(atoms[0], s.b.AddInt(s.b.Scale(index.Int(m), s.b.Size(fmt.Sprintf("%s/%d", atoms[0].Name, m), least)), r))
	return true
}

func (s *sizes) replace(a *index.Atom, by *index.Expr) {
	m := map[*index.Atom]*index.Expr{a: by}
	for n, x := range s.names {
		s.names[n] = s.b.Subst(s.b.Root(), x, m)
	}
}

// expr translates a size.
func (s *sizes) expr(x domain.Size) *index.Expr {
	b := s.b
	if n, ok := x.Const(); ok {
		return b.Num(index.BigNum(n))
	}
	ops := x.Operands()
	switch x.Op() {
	case domain.SizeName:
		return s.name(x.Name())
	case domain.SizeAdd, domain.SizeMul, domain.SizeMax, domain.SizeMin:
		out := s.expr(ops[0])
		for _, o := range ops[1:] {
			y := s.expr(o)
			switch x.Op() {
			case domain.SizeAdd:
				out = b.Add(out, y)
			case domain.SizeMul:
				out = b.Mul(out, y)
			case domain.SizeMax:
				out = b.Max(b.Root(), out, y)
			default:
				out = b.Min(b.Root(), out, y)
			}
		}
		return out
	case domain.SizeDiv, domain.SizeMod:
		q := s.expr(ops[1])
		if n, ok := q.Const(); ok && n.Sign() <= 0 {
			s.noValue = true
			return q
		}
		if x.Op() == domain.SizeMod {
			return b.Mod(b.Root(), s.expr(ops[0]), q)
		}
		return b.Div(b.Root(), s.expr(ops[0]), q)
	}
	panic(fmt.Sprintf("equiv: size %s", x))
}

func (s *sizes) name(n string) *index.Expr {
	x := s.names[n]
	if x == nil {
		x = s.b.Size(index.Spelt(n), 1)
		s.names[n] = x
	}
	return x
}

// proves reports whether p holds at every point of the case.
func (s *sizes) proves(p *domain.Pred, not bool) bool {
	b := s.b
	switch p.Op {
	case domain.PredNot:
		return s.proves(p.Args[0], !not)
	case domain.PredAnd, domain.PredOr:
		all := (p.Op == domain.PredAnd) != not
		for _, a := range p.Args {
			if s.proves(a, not) != all {
				return !all
			}
		}
		return all
	}
	s.noValue = false
	x, y := s.expr(p.A), s.expr(p.B)
	ge := func(e *index.Expr) bool { return b.Nonneg(b.Root(), e) }
	switch {
	case s.noValue:
		return false
	case p.Op == domain.PredEq && !not:
		d := b.Sub(x, y)
		return ge(d) && ge(b.Scale(index.Int(-1), d))
	case p.Op == domain.PredEq:
		d := b.Sub(x, y)
		return ge(b.AddInt(d, -1)) || ge(b.AddInt(b.Scale(index.Int(-1), d), -1))
	case p.Op == domain.PredLt && !not, p.Op == domain.PredLe && not:
		if not {
			x, y = y, x
		}
		return ge(b.AddInt(b.Sub(y, x), -1))
	case p.Op == domain.PredLe, p.Op == domain.PredLt:
		if not {
			x, y = y, x
		}
		return ge(b.Sub(y, x))
	}
	if !ge(b.AddInt(x, -1)) {
		return false
	}
	m := b.Mod(b.Root(), y, x)
	if not {
		return ge(b.AddInt(m, -1))
	}
	return m.IsZero() || ge(m) && ge(b.Scale(index.Int(-1), m))
}

// A sizeDomain is the points that a question is asked at.
type sizeDomain struct {
	names []string         // named sizes, sorted
	mins  map[string]int64 // of each
	preds []*domain.Pred   // assumes and the conditions under which BEFORE is well formed

	steps int                    // points that are looked at for members, at most; 0: searchSteps
	found map[int][]domain.Point // by the number asked for
}

func newDomain(before semantics.Program, env *domain.Env) *sizeDomain {
	declared := before.Source().Declarations()
	d := &sizeDomain{mins: map[string]int64{}}
	seen := map[string]bool{}
	add := func(names []string) {
		for _, n := range names {
			if !seen[n] {
				seen[n] = true
				d.names = append(d.names, n)
			}
		}
	}
	for _, t := range env.Tensors {
		for _, s := range t.Dims {
			add(s.Names())
		}
	}
	for _, a := range declared.Assumes {
		add(a.Pred.Names())
		d.preds = append(d.preds, a.Pred)
	}
	for _, s := range before.Sizes() {
		add(s.Names())
	}
	for _, c := range before.Conditions() {
		add(c.Pred.Names())
		d.preds = append(d.preds, c.Pred)
	}
	// dims of inputs that are expressions are at least 1 unless declared otherwise
	for _, in := range declared.Inputs {
		for _, dim := range in.Dims {
			if len(dim.Size.Names()) > 0 && dim.Size.Op() != domain.SizeName {
				d.preds = append(d.preds, &domain.Pred{Op: domain.PredLe, A: domain.IntSize(dim.Min), B: dim.Size})
			}
		}
	}
	sort.Strings(d.names)
	for _, n := range d.names {
		d.mins[n] = 1
		if m, ok := env.Mins[n]; ok {
			d.mins[n] = m
		}
	}
	return d
}

// ofBoth leaves those points at which AFTER is well formed as well, with the dims of BEFORE.
func (d *sizeDomain) ofBoth(before, after semantics.Program) {
	for _, c := range after.Conditions() {
		d.preds = append(d.preds, c.Pred)
	}
	x, y := before.Result().Components(), after.Result().Components()
	for i := range min(len(x), len(y)) {
		for k := range min(len(x[i].Dims), len(y[i].Dims)) {
			if a, b := x[i].Dims[k], y[i].Dims[k]; !a.Equal(b) {
				d.preds = append(d.preds, &domain.Pred{Op: domain.PredEq, A: a, B: b})
			}
		}
	}
}

// conditions prints the domain for people.
func (d *sizeDomain) conditions() []string { return domain.Format(d.names, d.mins, d.preds) }

// holds reports whether a point lies in the domain.
func (d *sizeDomain) holds(pt domain.Point) bool {
	for _, n := range d.names {
		if pt[n] < d.mins[n] {
			return false
		}
	}
	for _, p := range d.preds {
		if ok, err := p.Eval(pt); err != nil || !ok {
			return false
		}
	}
	return true
}

// Bounds of the points that are looked at for members of a domain: where much or little rests on finding one.
const (
	searchSteps = 400_000
	fewSteps    = 1_000
)

// spread returns up to n points of the domain for sampling: the smallest first, then small points with sizes that
// differ from each other, then further ones by ascending sum.
func (d *sizeDomain) spread(n int) []domain.Point {
	small := d.points(n)
	if len(small) < 2 || len(d.names) < 2 {
		return small
	}
	rng := rand.New(rand.NewPCG(1, uint64(len(d.names))))
	seen := map[string]bool{pointKey(d.names, small[0]): true}
	out := small[:1:1]
	const most = 5 // values of a name
	first := d.first()
	values := map[string][]int64{}
	for _, name := range d.names {
		if first(name) == name {
			values[name] = d.values(most, small[0], name, first)
		}
	}
	for try := 0; try < 2000 && len(out) < n/2; try++ {
		pt := domain.Point{}
		for _, name := range d.names {
			to := first(name)
			list := values[name]
			switch {
			case to != name:
				pt[name] = pt[to] // which comes before it
			case len(list) > 1 && list[len(list)-1] >= d.mins[name]+most:
				pt[name] = list[rng.Int64N(int64(len(list)))]
			default:
				pt[name] = d.mins[name] + rng.Int64N(most)
			}
		}
		if key := pointKey(d.names, pt); !seen[key] && d.holds(pt) {
			seen[key] = true
			out = append(out, pt)
		}
	}
	for _, pt := range small[1:] {
		if key := pointKey(d.names, pt); !seen[key] && len(out) < n {
			seen[key] = true
			out = append(out, pt)
		}
	}
	return out
}

// values lists up to most values that a name takes in the domain where the others are as at pt, the least first: those
// that a condition lets divide, say.
func (d *sizeDomain) values(most int, pt domain.Point, name string, first func(string) string) (list []int64) {
	const tries = 300
	at := maps.Clone(pt)
	for v := pt[name]; v < pt[name]+tries && len(list) < most; v++ {
		for _, other := range d.names {
			if first(other) == name {
				at[other] = v
			}
		}
		if d.holds(at) {
			list = append(list, v)
		}
	}
	return list
}

// first returns a function that names, for each name, one that the conditions say to be equal, the same for all of them.
func (d *sizeDomain) first() func(name string) string {
	same := map[string]string{}
	var first func(name string) string
	first = func(name string) string {
		if up, ok := same[name]; ok {
			return first(up)
		}
		return name
	}
	for _, p := range d.preds {
		if p.Op == domain.PredEq && p.A.Name() != "" && p.B.Name() != "" {
			if x, y := first(p.A.Name()), first(p.B.Name()); x != y {
				same[max(x, y)] = min(x, y)
			}
		}
	}
	return first
}

// points returns up to n points of the domain; see search. Names that the conditions say to be equal count as one.
func (d *sizeDomain) points(n int) []domain.Point {
	if list, ok := d.found[n]; ok {
		return list
	}
	first := d.first()
	by := map[string]domain.Size{}
	one := &sizeDomain{mins: map[string]int64{}, steps: d.steps}
	for _, name := range d.names {
		to := first(name)
		if to == name {
			one.names = append(one.names, name)
		} else {
			by[name] = domain.NamedSize(to)
		}
		one.mins[to] = max(one.mins[to], d.mins[name])
	}
	for _, p := range d.preds {
		q := p.Subst(by)
		one.preds = append(one.preds, q)
		if n, number := q.A.Int64(); number && q.B.Name() != "" && (q.Op == domain.PredLe || q.Op == domain.PredLt) {
			if q.Op == domain.PredLt && n < 1<<62 {
				n++
			}
			one.mins[q.B.Name()] = max(one.mins[q.B.Name()], n)
		}
	}
	list := one.search(n)
	for _, pt := range list {
		for name := range by {
			pt[name] = pt[first(name)]
		}
	}
	if d.found == nil {
		d.found = map[int][]domain.Point{}
	}
	d.found[n] = list
	return list
}

// violating returns a point of the domain at which p is false, if one is found.
func (d *sizeDomain) violating(p *domain.Pred) []domain.Point {
	return d.where(&domain.Pred{Op: domain.PredNot, Args: []*domain.Pred{p}}).points(1)
}

// where returns the part of the domain at which p holds as well.
func (d *sizeDomain) where(p *domain.Pred) *sizeDomain {
	return &sizeDomain{names: d.names, mins: d.mins, preds: append(slices.Clone(d.preds), p), steps: d.steps}
}

// search returns up to n points of the domain, by ascending sum of the sizes, then in the order of the names.
// The search is bounded by count; where a condition asks for large sizes, the numbers that the conditions name
// are tried beside the small ones.
func (d *sizeDomain) search(n int) []domain.Point {
	if len(d.names) == 0 {
		if d.holds(domain.Point{}) {
			return []domain.Point{{}}
		}
		return nil
	}
	var out []domain.Point
	seen := map[string]bool{}
	keep := func(pt domain.Point) bool {
		if d.holds(pt) {
			key := pointKey(d.names, pt)
			if !seen[key] {
				seen[key] = true
				c := domain.Point{}
				for k, v := range pt {
					c[k] = v
				}
				out = append(out, c)
			}
		}
		return len(out) < n
	}
	steps := cmp.Or(d.steps, searchSteps)
	half := steps / 2
	pt := domain.Point{}
	var fill func(i int, sum int64) bool
	fill = func(i int, sum int64) bool { // the excess over the least values adds up to sum
		if steps--; steps < 0 {
			return false
		}
		name := d.names[i]
		if i == len(d.names)-1 {
			pt[name] = d.mins[name] + sum
			return keep(pt)
		}
		for x := int64(0); x <= sum; x++ {
			pt[name] = d.mins[name] + x
			if !fill(i+1, sum-x) {
				return false
			}
		}
		return true
	}
	sum := int64(0)
	for ; sum <= 512 && steps > half; sum++ {
		if !fill(0, sum) {
			break
		}
	}
	if len(out) < n {
		d.interesting(&steps, keep)
	}
	for ; len(out) == 0 && steps > 0; sum++ { // the remainders of a size may determine it
		fill(0, sum)
	}
	sort.SliceStable(out, func(i, j int) bool { return d.total(out[i]) < d.total(out[j]) })
	return out
}

func (d *sizeDomain) total(pt domain.Point) int64 {
	var t int64
	for _, n := range d.names {
		t += pt[n]
	}
	return t
}

// interesting tries the products of numbers near those that the conditions name.
func (d *sizeDomain) interesting(steps *int, keep func(domain.Point) bool) {
	set := map[int64]bool{}
	var visit func(s domain.Size)
	visit = func(s domain.Size) {
		if n, ok := s.Int64(); ok && n > 0 && n < 1<<20 {
			for _, v := range []int64{n - 1, n, n + 1, 2 * n, 2*n + 1, 4 * n} {
				set[v] = true
			}
			return
		}
		for _, o := range s.Operands() {
			visit(o)
		}
	}
	var walk func(p *domain.Pred)
	walk = func(p *domain.Pred) {
		if p.Op < domain.PredNot {
			visit(p.A)
			visit(p.B)
		}
		for _, a := range p.Args {
			walk(a)
		}
	}
	for _, p := range d.preds {
		walk(p)
	}
	for v := int64(0); v <= 4; v++ {
		set[v] = true
	}
	var values []int64
	for v := range set {
		values = append(values, v)
	}
	sort.Slice(values, func(i, j int) bool { return values[i] < values[j] })
	pt := domain.Point{}
	var fill func(i int) bool
	fill = func(i int) bool {
		if *steps--; *steps < 0 {
			return false
		}
		if i == len(d.names) {
			return keep(pt)
		}
		for _, v := range values {
			if v >= d.mins[d.names[i]] {
				pt[d.names[i]] = v
				if !fill(i + 1) {
					return false
				}
			}
		}
		return true
	}
	fill(0)
}

func pointKey(names []string, pt domain.Point) string {
	var s []byte
	for _, n := range names {
		s = fmt.Appendf(s, "%d,", pt[n])
	}
	return string(s)
}

// formatPoint prints "K=16, N=3".
func formatPoint(pt domain.Point) string {
	names := make([]string, 0, len(pt))
	for n := range pt {
		names = append(names, n)
	}
	sort.Strings(names)
	var s []byte
	for i, n := range names {
		if i > 0 {
			s = append(s, ", "...)
		}
		s = fmt.Appendf(s, "%s=%d", n, pt[n])
	}
	return string(s)
}

// contradictory reports whether the conditions are known to hold nowhere.
func (d *sizeDomain) contradictory() bool {
	all, ok := cases(d.preds, d.mins)
	return ok && !slices.ContainsFunc(all, func(cs []clause) bool {
		return !newSizes(index.NewBuilder(), d.names, d.mins, cs).contradictory(cs)
	})
}

// contradictory reports whether the conditions of a case are known to hold nowhere.
func (s *sizes) contradictory(cs []clause) bool {
	return s.never || slices.ContainsFunc(cs, func(c clause) bool {
		return s.proves(&domain.Pred{Op: c.op, A: c.a, B: c.b}, !c.not)
	})
}

// emptyDomain is the error for a domain of which no point was found; whether there is none is known for some.
func emptyDomain(s semantics.Source, d *sizeDomain) error {
	span := s.Root()
	if assumes := s.Declarations().Assumes; len(assumes) > 0 {
		span = assumes[0].Span
	}
	found := "were found that"
	if d.contradictory() {
		found = "can"
	}
	return source.Errors{source.Errorf(span, "empty-domain",
		"no sizes %s satisfy the declarations, the assumes and the conditions under which the program is well formed", found)}
}
