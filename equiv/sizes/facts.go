package sizes

import (
	"fmt"
	"maps"
	"math/big"
	"slices"

	"tv/semantics/domain"
	"tv/semantics/index"
)

// Facts translate named sizes into expressions of one case of a domain: names that the case determines are
// written in terms of the others.
type Facts struct {
	B         *index.Builder
	names     map[string]*index.Expr
	natural   map[*index.Expr]bool // differences that a condition says not to be negative
	multiples map[*index.Atom]bool // new sizes that stand for quotients
	never     bool                 // a condition is known not to hold
	noValue   bool                 // a size that was translated divides by 0
	split     int                  // divisors of products that became products

	elements []domain.Size // numbers of elements, each at most
	most     *big.Int
}

// NewFacts states one case of a domain to the builder: equations are solved where a name stands alone in them,
// "c divides N" writes N as c times a new size, and everything is added as a fact.
func NewFacts(b *index.Builder, names []string, mins map[string]int64, cs []Clause) *Facts {
	s := &Facts{B: b, names: map[string]*index.Expr{}, multiples: map[*index.Atom]bool{}}
	for _, n := range names {
		least := leastOf(n, mins[n], cs)
		s.names[n] = b.Size(index.Spelt(n), least)
	}
	for again := true; again; {
		again = false
		s.natural = map[*index.Expr]bool{}
		for _, c := range cs {
			if !c.Not && (c.Op == domain.PredLe || c.Op == domain.PredLt) {
				s.natural[b.Sub(s.expr(c.B), s.expr(c.A))] = true
			}
		}
		for i := 0; i < 2*len(cs) && !again; i++ { // equations first: they keep names apart from products
			c := cs[i%len(cs)]
			again = (c.Op == domain.PredEq) == (i < len(cs)) && s.solve(c, mins)
		}
	}
	for _, n := range names {
		s.fact(b.AddInt(s.names[n], -mins[n]))
	}
	for _, c := range cs {
		x, y := s.expr(c.A), s.expr(c.B)
		switch {
		case c.Op == domain.PredEq:
			s.fact(b.Sub(x, y))
			s.fact(b.Sub(y, x))
		case c.Op == domain.PredLt:
			s.fact(b.AddInt(b.Sub(y, x), -1))
		case c.Op == domain.PredLe:
			s.fact(b.Sub(y, x))
		case c.Not:
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

func (s *Facts) fact(x *index.Expr) {
	n, ok := x.Const()
	if ok && n.Sign() < 0 {
		s.never = true
	}
	if !ok && !s.B.Nonneg(s.B.Root(), x) {
		s.B.Fact(x)
		if y := s.B.Condition(x); y != x { // the same without a division
			s.fact(y)
		}
	}
}

// leastOf returns the greatest number that conditions say a name is at least, all by itself.
func leastOf(name string, least int64, cs []Clause) int64 {
	for _, c := range cs {
		n, ok := c.A.Int64()
		if !ok || c.Not || c.B.Name() != name || n >= maxLeast {
			continue
		}
		switch c.Op {
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
func (s *Facts) solve(c Clause, mins map[string]int64) bool {
	b := s.B
	switch {
	case c.Op == domain.PredEq:
		d := b.Sub(s.expr(c.A), s.expr(c.B))
		if d.IsZero() {
			return false
		}
		if s.residue(c.A, c.B) || s.residue(c.B, c.A) {
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
	case c.Op == domain.PredDivides && !c.Not:
		x, y := s.expr(c.A), s.expr(c.B)
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
func (s *Facts) multiple(x, y *index.Expr) bool {
	b := s.B
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
func (s *Facts) factors(x, y *index.Expr) bool {
	b := s.B
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
func (s *Facts) residue(x, y domain.Size) bool {
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
	s.replace(atoms[0], s.B.AddInt(s.B.Scale(index.Int(m), s.B.Size(fmt.Sprintf("%s/%d", atoms[0].Name, m), least)), r))
	return true
}

func (s *Facts) replace(a *index.Atom, by *index.Expr) {
	m := map[*index.Atom]*index.Expr{a: by}
	for n, x := range s.names {
		s.names[n] = s.B.Subst(s.B.Root(), x, m)
	}
}

// expr translates a size.
func (s *Facts) expr(x domain.Size) *index.Expr {
	b := s.B
	if n, ok := x.Const(); ok {
		return b.Num(index.BigNum(n))
	}
	ops := x.Operands()
	switch x.Op() {
	case domain.SizeName:
		return s.Name(x.Name())
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

func (s *Facts) Name(n string) *index.Expr {
	x := s.names[n]
	if x == nil {
		x = s.B.Size(index.Spelt(n), 1)
		s.names[n] = x
	}
	return x
}

// Limit has Proves know that no tensor of a domain has more elements than its limits allow.
func (s *Facts) Limit(d *Domain) {
	if bits := d.Limits.Counts; bits > 0 {
		one := big.NewInt(1)
		s.elements, s.most = d.elements, new(big.Int).Sub(new(big.Int).Lsh(one, bits), one)
	}
}

// small reports whether e >= 0 follows from limits: h·w <= 8·most where h·w is at most the number of elements of a matrix whose
// sides are at least h and w.
func (s *Facts) small(e *index.Expr) bool {
	if s.most == nil {
		return false
	}
	b := s.B
	e = b.WithoutFactor(e)
	times := new(big.Int).Div(e.ConstTerm().Big(), s.most)
	if times.Sign() <= 0 {
		return false
	}
	rest := b.Sub(e, b.Num(index.BigNum(new(big.Int).Mul(times, s.most))))
	return slices.ContainsFunc(s.elements, func(count domain.Size) bool {
		return b.Nonneg(b.Root(), b.Add(rest, b.Scale(index.BigNum(times), s.expr(count))))
	})
}

// Proves reports whether p holds at every point of the case.
func (s *Facts) Proves(p *domain.Pred, not bool) bool {
	b := s.B
	switch p.Op {
	case domain.PredNot:
		return s.Proves(p.Args[0], !not)
	case domain.PredAnd, domain.PredOr:
		all := (p.Op == domain.PredAnd) != not
		for _, a := range p.Args {
			if s.Proves(a, not) != all {
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
		d := b.AddInt(b.Sub(y, x), -1)
		return ge(d) || s.small(d)
	case p.Op == domain.PredLe, p.Op == domain.PredLt:
		if not {
			x, y = y, x
		}
		return ge(b.Sub(y, x)) || s.small(b.Sub(y, x))
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

// Contradictory reports whether the conditions of a case are known to hold nowhere.
func (s *Facts) Contradictory(cs []Clause) bool {
	return s.never || slices.ContainsFunc(cs, func(c Clause) bool {
		return s.Proves(&domain.Pred{Op: c.Op, A: c.A, B: c.B}, !c.Not)
	})
}

// At returns the values that the sizes of a case have at a point, as far as the names determine them one by one.
func (s *Facts) At(pt domain.Point) map[*index.Atom]*big.Int {
	known := map[*index.Atom]*big.Int{}
	value := func(a *index.Atom) *big.Int { return known[a] }
	names := slices.Sorted(maps.Keys(s.names))
	for again := true; again; {
		again = false
		for _, name := range names {
			e := s.names[name]
			var open []*index.Atom
			for _, a := range e.Free() {
				if known[a] == nil && a.Kind == index.Size {
					open = append(open, a)
				}
			}
			if len(open) != 1 {
				continue
			}
			k, r, ok := s.B.Linear(e, open[0])
			if !ok {
				continue
			}
			by, errK := k.Eval(value)
			rest, errR := r.Eval(value)
			if errK != nil || errR != nil || by.Sign() == 0 {
				continue
			}
			n, m := new(big.Int).DivMod(rest.Sub(big.NewInt(pt[name]), rest), by, new(big.Int))
			if m.Sign() == 0 {
				known[open[0]], again = n, true
			}
		}
	}
	return known
}
