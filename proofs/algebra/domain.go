package algebra

import (
	"fmt"
	"maps"
	"slices"
	"sort"

	"tv/semantics/domain"
)

// A clause is a condition without disjunctions: a = b, a < b, a <= b, a divides b, or, negated, a
// does not divide b.
type clause struct {
	op   domain.PredOp
	not  bool
	a, b domain.Size
}

const maxCases = 96

// domainCases returns the named sizes with their least values and the cases of the conditions on
// them. At every point of the domain one case holds.
func (s *Question) domainCases() (names []string, mins map[string]int64, cases [][]clause) {
	names, mins, preds := s.Domain()
	cases = [][]clause{nil}
	for _, p := range preds {
		cases = met(cases, alternatives(p, false, mins))
	}
	for _, x := range s.Splits {
		cases = met(cases, x.cases(mins))
	}
	return names, mins, cases
}

// A Split takes the domain apart: into the least values of a size, one by one, and those from At
// on; or by what is left when it is divided by By, if that is not 0. The size has one of them at
// every point, so nothing is left out.
type Split struct {
	Name string
	At   int64
	By   int64
}

const (
	maxSplit   = 4 // values that stand alone
	maxDivisor = 8
)

// String prints a split as a witness has it.
func (x Split) String() string {
	if x.By != 0 {
		return fmt.Sprintf("split %q mod %d", x.Name, x.By)
	}
	return fmt.Sprintf("split %q %d", x.Name, x.At)
}

func (x Split) cases(mins map[string]int64) (out [][]clause) {
	least, known := mins[x.Name]
	if x.By != 0 {
		if !known || x.At != 0 || x.By < 2 || x.By > maxDivisor {
			Fail(CodeWitness, "%s takes nothing apart, or too much", x)
		}
		rest := domain.NamedSize(x.Name).Mod(domain.IntSize(x.By))
		for r := range x.By {
			out = append(out, []clause{{op: domain.PredEq, a: rest, b: domain.IntSize(r)}})
		}
		return out
	}
	if !known || x.At <= least || x.At-least > maxSplit {
		Fail(CodeWitness, "%s takes nothing apart, or too much", x)
	}
	n := domain.NamedSize(x.Name)
	for v := least; v < x.At; v++ {
		out = append(out, []clause{{op: domain.PredEq, a: n, b: domain.IntSize(v)}})
	}
	return append(out, []clause{{op: domain.PredLe, a: domain.IntSize(x.At), b: n}})
}

// met are the cases in which one of x and one of y hold. Where one of y holds in a case as it is,
// that stays one; and a case that asks for more than another is no case of its own.
func met(x, y [][]clause) (out [][]clause) {
	var all [][]clause
	for _, c := range x {
		if slices.ContainsFunc(y, func(d []clause) bool { return narrower(c, d) }) {
			all = append(all, c)
		} else {
			all = append(all, both([][]clause{c}, y)...)
		}
	}
	for i, c := range all {
		lost := false
		for k, d := range all {
			lost = lost || k != i && narrower(c, d) && (k < i || !narrower(d, c))
		}
		if !lost {
			out = append(out, c)
		}
	}
	if len(out) > maxCases {
		Fail(CodeLimit, "the domain has too many cases")
	}
	return out
}

// narrower reports whether c asks for all that d asks for.
func narrower(c, d []clause) bool {
	for _, wanted := range d {
		if !slices.ContainsFunc(c, func(x clause) bool { return x.gives(wanted) }) {
			return false
		}
	}
	return true
}

// gives reports whether d holds where c does: it is c, or its sides are as far apart by a number.
func (c clause) gives(d clause) bool {
	if c.not || d.not || c.op == domain.PredDivides || d.op == domain.PredDivides ||
		d.op == domain.PredEq {
		return c.op == d.op && c.not == d.not && c.a.Equal(d.a) && c.b.Equal(d.b)
	}
	least := func(op domain.PredOp) int64 { // of b - a
		if op == domain.PredLt {
			return 1
		}
		return 0
	}
	k, number := d.b.Sub(d.a).Sub(c.b.Sub(c.a)).Int64()
	return number && k >= least(d.op)-least(c.op)
}

// Domain returns the sizes of a statement in order, the least value of each, and what the
// domain asks: what BEFORE's text says and its typing; of a weaker statement also what AFTER's
// typing asks, and that the dims of the results are equal.
func (s *Question) Domain() (names []string, mins map[string]int64, preds []*domain.Pred) {
	before, declared, env := s.Programs[0], s.Declared, s.Env
	mins = map[string]int64{}
	add := func(list []string) {
		for _, n := range list {
			if _, known := mins[n]; !known {
				mins[n] = 1
				if m, ok := env.Mins[n]; ok {
					mins[n] = m
				}
				names = append(names, n)
			}
		}
	}
	for _, t := range env.Tensors {
		for _, s := range t.Dims {
			add(s.Names())
		}
	}
	for _, s := range before.Sizes() {
		add(s.Names())
	}
	for _, a := range declared.Assumes {
		preds = append(preds, a.Pred)
	}
	for _, c := range before.Conditions() {
		preds = append(preds, c.Pred)
	}
	for _, in := range declared.Inputs { // a dim that is an expression is at least its least
		for _, d := range in.Dims {
			if len(d.Size.Names()) > 0 && d.Size.Op() != domain.SizeName {
				least := domain.IntSize(d.Min)
				preds = append(preds, &domain.Pred{Op: domain.PredLe, A: least, B: d.Size})
			}
		}
	}
	if s.WhereBoth {
		preds = append(preds, s.ofBoth()...)
	}
	for _, p := range preds {
		add(p.Names())
	}
	sort.Strings(names)
	return names, mins, preds
}

// among tells whether the domain asks for p in so many words.
func among(asked []*domain.Pred, p *domain.Pred) bool {
	for _, q := range asked {
		if q.String() == p.String() {
			return true
		}
	}
	return false
}

// ofBoth is what a weaker statement takes for granted of AFTER.
func (s *Question) ofBoth() (preds []*domain.Pred) {
	for _, c := range s.Programs[1].Conditions() {
		preds = append(preds, c.Pred)
	}
	results, why := s.results()
	if why != "" {
		return preds // it is refused, or says nothing
	}
	for i, x := range results[0] {
		for k, d := range x.Dims {
			if other := results[1][i].Dims[k]; !d.Equal(other) {
				preds = append(preds, &domain.Pred{Op: domain.PredEq, A: d, B: other})
			}
		}
	}
	return preds
}

// alternatives brings a condition, or its negation, into disjunctive normal form.
func alternatives(p *domain.Pred, not bool, mins map[string]int64) [][]clause {
	switch {
	case p.Op == domain.PredNot:
		return alternatives(p.Args[0], !not, mins)
	case p.Op == domain.PredOr && !not, p.Op == domain.PredAnd && not:
		var out [][]clause
		for _, a := range p.Args {
			out = append(out, alternatives(a, not, mins)...)
		}
		return out
	case p.Op == domain.PredOr, p.Op == domain.PredAnd:
		out := [][]clause{nil}
		for _, a := range p.Args {
			out = both(out, alternatives(a, not, mins))
		}
		return out
	case p.Op == domain.PredEq && !not:
		return equation(p.A, p.B, mins)
	}
	return literals(p, not)
}

// literals are the cases of a condition that holds no others, as it is written.
func literals(p *domain.Pred, not bool) [][]clause {
	switch {
	case !not:
		return [][]clause{{{op: p.Op, a: p.A, b: p.B}}}
	case p.Op == domain.PredEq:
		return [][]clause{{{op: domain.PredLt, a: p.A, b: p.B}},
			{{op: domain.PredLt, a: p.B, b: p.A}}}
	case p.Op == domain.PredLt:
		return [][]clause{{{op: domain.PredLe, a: p.B, b: p.A}}}
	case p.Op == domain.PredLe:
		return [][]clause{{{op: domain.PredLt, a: p.B, b: p.A}}}
	}
	return [][]clause{{{op: p.Op, not: true, a: p.A, b: p.B}}}
}

// both are the cases in which one of x and one of y hold.
func both(x, y [][]clause) (out [][]clause) {
	for _, c := range x {
		for _, d := range y {
			out = append(out, concat(c, d))
		}
	}
	if len(out) > maxCases {
		Fail(CodeLimit, "the domain has too many cases")
	}
	return out
}

// equation takes a = b apart by products of sizes, as doc/certificates.md 3 says: a - b is u·e for
// a product u, or a sum without subtraction.
func equation(a, b domain.Size, mins map[string]int64) [][]clause {
	d, zero := a.Sub(b), domain.IntSize(0)
	equal := func(x, y domain.Size) clause { return clause{op: domain.PredEq, a: x, b: y} }
	none := func(names []string) (out [][]clause) { // one of them is 0
		for _, n := range slices.Compact(slices.Sorted(slices.Values(names))) {
			if mins[n] == 0 {
				out = append(out, []clause{equal(domain.NamedSize(n), zero)})
			}
		}
		return out
	}
	terms := []domain.Size{d}
	if d.Op() == domain.SizeAdd {
		terms = d.Operands()
	}
	var names [][]string
	same, first := true, false
	for i, t := range terms {
		n, up, ok := product(t)
		if i == 0 {
			first = up
		}
		if same = same && up == first && len(n) > 0; !ok {
			return [][]clause{{equal(a, b)}}
		}
		names = append(names, n)
	}
	if same && (len(terms) > 1 || len(names[0]) > 1) {
		out := [][]clause{nil}
		for _, n := range names {
			out = both(out, none(n))
		}
		return out
	}
	var common []string
	rest := d
	for _, n := range names[0] {
		x := domain.NamedSize(n)
		q := rest.Div(x)
		if len(terms) > 1 && q.Mul(x).Equal(rest) { // n divides every term
			common, rest = append(common, n), q
		}
	}
	if len(common) > 0 && slices.ContainsFunc(rest.Names(), func(n string) bool {
		x := domain.NamedSize(n)
		return !slices.Contains(rest.Sub(x).Names(), n) || !slices.Contains(rest.Add(x).Names(), n)
	}) {
		return append(none(common), []clause{equal(rest, zero)})
	}
	return [][]clause{{equal(a, b)}}
}

// product returns the sizes that x is the product of, up to a number, and whether that is positive.
func product(x domain.Size) (names []string, positive, ok bool) {
	factors := []domain.Size{x}
	if x.Op() == domain.SizeMul {
		factors = x.Operands()
	}
	positive, ok = true, true
	for _, f := range factors {
		if n, number := f.Const(); number {
			positive = n.Sign() > 0
		} else if names = append(names, f.Name()); f.Name() == "" {
			ok = false
		}
	}
	return names, positive, ok
}

// sizes translates named sizes into expressions at one case of a domain.
type sizes struct {
	*Builder
	names     map[string]*Expr
	natural   map[*Expr]bool // what clauses say is at least 0
	quotients map[*Atom]bool // sizes made by multiple
	split     int            // divisors of products that became products
	undefined bool           // a size that was translated divides by 0
	never     bool           // one of a clause did
	limits    []*Expr        // how far tensors are from the most elements
}

// newSizes states a case: equations are solved where a name stands alone in them, "n divides N"
// writes N as n times a new size, and all clauses are facts.
func newSizes(b *Builder, names []string, mins map[string]int64, cs []clause) *sizes {
	s := &sizes{Builder: b, names: map[string]*Expr{}, quotients: map[*Atom]bool{}}
	for _, n := range names {
		s.names[n] = b.Size(n, least(n, mins[n], cs))
	}
	for range maxCases { // equations first: they keep names apart from products
		s.natural = map[*Expr]bool{}
		for _, c := range cs {
			if !c.not && (c.op == domain.PredLe || c.op == domain.PredLt) {
				s.natural[b.Sub(s.expr(c.b), s.expr(c.a))] = true
			}
		}
		some := func(c clause) bool { return c.op == domain.PredEq && s.solve(c) }
		if !slices.ContainsFunc(cs, some) && !slices.ContainsFunc(cs, s.solve) {
			break
		}
	}
	for _, n := range names {
		b.state(b.AddInt(s.names[n], -mins[n]))
	}
	for _, c := range cs {
		if c.op == domain.PredDivides && !c.not {
			b.state(b.AddInt(s.expr(c.a), -1))
		}
		for _, x := range s.bounds(c) {
			b.state(x)
		}
	}
	s.never = s.undefined // a clause without a value does not hold
	return s
}

// bounds returns what is at least 0 where c holds, and only there; nil where that takes a divisor
// that is not known to be positive.
func (s *sizes) bounds(c clause) []*Expr {
	x, y := s.expr(c.a), s.expr(c.b)
	d := s.Sub(y, x)
	switch {
	case c.op == domain.PredEq:
		return []*Expr{d, s.Scale(Int(-1), d)}
	case c.op == domain.PredLt:
		return []*Expr{s.AddInt(d, -1)}
	case c.op == domain.PredLe:
		return []*Expr{d}
	case !s.Nonneg(s.Root, s.AddInt(x, -1)):
		return nil
	}
	m := s.Mod(s.Root, y, x)
	if c.not {
		return []*Expr{s.AddInt(m, -1)}
	}
	return []*Expr{m, s.Scale(Int(-1), m)}
}

// least returns the greatest number that clauses say a name is at least, all by itself.
func least(name string, most int64, cs []clause) int64 {
	for _, c := range cs {
		n, ok := c.a.Int64()
		if ok && c.op == domain.PredLt {
			n++
		}
		if ok && !c.not && (c.op == domain.PredLt || c.op == domain.PredLe) &&
			c.b.Op() == domain.SizeName && c.b.Name() == name && n < maxLeast {
			most = max(most, n)
		}
	}
	return most
}

const maxLeast = 1 << 40 // beyond it a clause is a fact alone

// solve eliminates a name by an equation or a divisibility and reports whether it did.
func (s *sizes) solve(c clause) bool {
	x, y := s.expr(c.a), s.expr(c.b)
	if c.op == domain.PredEq {
		d := s.Sub(x, y)
		return s.residue(c.a, c.b) || s.residue(c.b, c.a) ||
			slices.ContainsFunc(d.Free, func(a *Atom) bool {
				k, r, ok := s.Linear(d, a)
				if ok = ok && (k.Is(1) || k.Is(-1)); ok {
					s.replace(map[*Atom]*Expr{a: s.Mul(s.Scale(Int(-1), k), r)})
				}
				return ok
			})
	}
	if c.op != domain.PredDivides || c.not {
		return false
	}
	n, number := x.Const()
	if a, k := single(y); number && n.Sign() > 0 && a != nil { // 4 divides 6·a where 2 divides a
		n, _ = n.DivMod(n.gcd(k))
		x, y = s.Num(n), a.expr
	}
	return s.multiple(x, y) || !number && s.factors(x, y)
}

// multiple solves "x divides N + r", where that is not negative: N is x times a new size, less r.
func (s *sizes) multiple(x, y *Expr) bool {
	n, number := x.Const()
	if number && n.Cmp(Int(1)) <= 0 || !s.natural[y] && !s.Nonneg(s.Root, y) {
		return false
	}
	least := int64(0)
	if s.Nonneg(s.Root, s.AddInt(y, -1)) { // then x times 0 is too little
		least = 1
	}
	for _, a := range y.Free {
		k, r, ok := s.Linear(y, a)
		if !ok || a.Kind != KindSize || !k.Is(1) || x.Mentions(a) || !number && s.quotients[a] {
			continue
		}
		t := s.Size(a.Name+Derived+Formatted(x), least)
		s.quotients[t.Free[0]] = !number
		s.replace(map[*Atom]*Expr{a: s.Sub(s.Mul(x, t), r)})
		return true
	}
	return false
}

// maxFactors bounds how many divisors of products are split.
const maxFactors = 8

// factors solves "x divides y" for products of sizes that are at least 1: what divides a·b is c·d
// for a c that divides a and a d that divides b. What both hold is left out first: k·u divides k·v
// where u divides v, as k is not 0. The first size of x becomes a product of new sizes, one for
// each size of y, which is it times another.
func (s *sizes) factors(x, y *Expr) bool {
	if s.split == maxFactors || !monomial(x) || !monomial(y) {
		return false
	}
	divisors, parts := slices.Clone(x.terms[0].mono.atoms), slices.Clone(y.terms[0].mono.atoms)
	for _, a := range x.terms[0].mono.atoms {
		if j := slices.Index(parts, a); j >= 0 {
			i := slices.Index(divisors, a)
			divisors, parts = slices.Delete(divisors, i, i+1), slices.Delete(parts, j, j+1)
		}
	}
	if len(divisors) == 0 {
		return false
	}
	d, whole := divisors[0], s.Const(1)
	by := map[*Atom]*Expr{}
	for _, a := range parts {
		if by[a] != nil {
			return false // twice: the new sizes would need names of their own
		}
		name := fmt.Sprintf("%sgcd %q %q", Derived, d.Name, a.Name)
		common := s.Size(name, 1)
		by[a] = s.Mul(common, s.Size(a.Name+Derived+name, 1))
		whole = s.Mul(whole, common)
	}
	by[d] = whole
	s.split++
	s.replace(by)
	return true
}

// monomial tells whether x is a product of sizes, each at least 1.
func monomial(x *Expr) bool {
	return len(x.terms) == 1 && x.terms[0].Coef.is(1) && !slices.ContainsFunc(x.terms[0].mono.atoms,
		func(a *Atom) bool { return a.Kind != KindSize || a.Least < 1 })
}

// residue solves N mod n = r for a name N and numbers n, r: N is n times a new size, plus r.
func (s *sizes) residue(x, y domain.Size) bool {
	if x.Op() != domain.SizeMod {
		return false
	}
	n, okN := x.Operands()[1].Int64()
	r, okR := y.Int64()
	a, k := single(s.expr(x.Operands()[0]))
	if !okN || !okR || r < 0 || r >= n || a == nil || !k.is(1) {
		return false
	}
	rest := s.AddInt(a.expr, -r)
	s.natural[rest] = true // what is left over when a is divided is at most a
	return s.multiple(s.Const(n), rest)
}

// single returns the size that x is a multiple of, and of how many; nil where x is something else.
func single(x *Expr) (*Atom, Num) {
	if t := x.terms; len(t) == 1 && len(t[0].mono.atoms) == 1 {
		if a := t[0].mono.atoms[0]; a.Kind == KindSize {
			return a, t[0].Coef
		}
	}
	return nil, Num{}
}

func (s *sizes) replace(by map[*Atom]*Expr) {
	for n, x := range s.names {
		s.names[n] = s.Subst(s.Root, x, by)
	}
}

// expr translates a size.
func (s *sizes) expr(x domain.Size) *Expr {
	if n, ok := x.Const(); ok {
		return s.Num(BigNum(n))
	}
	if x.Op() == domain.SizeName {
		e := s.names[x.Name()]
		if e == nil {
			Fail(CodeStatement, "the size %s is not one of BEFORE's", x.Name())
		}
		return e
	}
	ops := x.Operands()
	out := s.expr(ops[0])
	for _, o := range ops[1:] {
		y := s.expr(o)
		switch x.Op() {
		case domain.SizeAdd:
			out = s.Add(out, y)
		case domain.SizeMul:
			out = s.Mul(out, y)
		case domain.SizeMax:
			out = s.Max(s.Root, out, y)
		case domain.SizeMin:
			out = s.Min(s.Root, out, y)
		case domain.SizeDiv, domain.SizeMod:
			if n, ok := y.Const(); ok && n.Sign() <= 0 {
				s.undefined = true
			} else if x.Op() == domain.SizeDiv {
				out = s.Div(s.Root, out, y)
			} else {
				out = s.Mod(s.Root, out, y)
			}
		default:
			Fail(CodeUnsupported, "the size %s", x)
		}
	}
	return out
}

// contradictory reports whether the clauses are known to hold nowhere.
func (s *sizes) contradictory(mins map[string]int64, cs []clause) bool {
	if s.never {
		return true
	}
	for n, least := range mins {
		if x, ok := s.names[n].Const(); ok && x.Cmp(Int(least)) < 0 {
			return true
		}
	}
	return slices.ContainsFunc(cs, func(c clause) bool {
		return s.proves(&domain.Pred{Op: c.op, A: c.a, B: c.b}, !c.not)
	})
}

// proves reports whether p, or its negation, holds at every point of the case.
func (s *sizes) proves(p *domain.Pred, not bool) bool {
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
	s.undefined = false
	return slices.ContainsFunc(literals(p, not), func(cs []clause) bool {
		bounds := s.bounds(cs[0])
		return bounds != nil && !s.undefined && !slices.ContainsFunc(bounds, func(x *Expr) bool {
			return !s.Nonneg(s.Root, x) && !s.small(x)
		})
	})
}

// implies reports whether no integers are such that p does not hold.
func (s *sizes) implies(p *domain.Pred, mins map[string]int64) bool {
	return !slices.ContainsFunc(alternatives(p, true, mins), func(cs []clause) bool {
		var conds []*Expr
		for _, c := range cs {
			s.undefined = false
			bounds := s.bounds(c)
			if bounds == nil || s.undefined {
				return true
			}
			conds = append(conds, bounds...)
		}
		return !s.Impossible(conds)
	})
}

// limit states that tensors of BEFORE have fewer than 2^bits elements, if that is not 0.
func (s *sizes) limit(env *domain.Env, bits uint) {
	for _, name := range slices.Sorted(maps.Keys(env.Tensors)) {
		count := s.Const(1)
		for _, d := range env.Tensors[name].Dims {
			count = s.Mul(count, s.expr(d))
		}
		if 0 < bits && bits < 63 {
			s.limits = append(s.limits, s.Sub(s.Const(1<<bits-1), count))
		}
	}
}

// small reports whether x >= 0 as tensors are small: x, or what is it times sizes, is a
// limit as many times as its number allows, and something that is not negative.
func (s *sizes) small(x *Expr) bool {
	for y := x; y != nil; y = s.reduced(y) {
		x = y
	}
	number := x.terms[len(x.terms)-1].Coef
	return slices.ContainsFunc(s.limits, func(l *Expr) bool {
		k, _ := number.DivMod(l.terms[len(l.terms)-1].Coef)
		return k.Sign() > 0 && s.Nonneg(s.Root, s.Sub(x, s.Scale(k, l)))
	})
}
