package loops

import (
	"math/big"
	"slices"

	"tv/proofs/algebra"
)

// Short names of what every signature has.
type (
	expr    = algebra.Expr
	context = algebra.Context
	scalar  = algebra.Scalar
	atom    = algebra.Atom
)

// Instances are what a statement is executed for: the values of unknowns for which every expression
// of zero is 0 and none of rest is negative. Unknowns are iterations, outermost first, and behind
// them quotients. What else occurs in the expressions is given.
type instances struct {
	*algebra.Builder
	c        *context // what is known of what is given
	unknowns []*atom
	zero     []*expr
	rest     []*expr
	solved   []solution
	outward  bool // what is solved is made of unknowns further out, and of what is given
	// fractions may be between bounds: there are fewer instances than that
	fractions bool
	greatest  map[*atom]*expr // the unknown that tells the last one, as it is there
}

// A solution is an unknown by others that are left, and what factor·of is, if that is simpler.
type solution struct {
	of              *atom
	by              *expr
	factor, product *expr
}

// maxWork bounds constraints, and ways through conditions.
const maxWork = 512

func unsupported(format string, args ...any) {
	algebra.Fail(algebra.CodeUnsupported, format, args...)
}

func (s *instances) clone() *instances {
	t := *s
	t.unknowns, t.solved = slices.Clone(s.unknowns), slices.Clone(s.solved)
	t.zero, t.rest = slices.Clone(s.zero), slices.Clone(s.rest)
	return &t
}

func (s *instances) negated(e *expr) *expr { return s.Scale(algebra.Int(-1), e) }

// open reports whether unknowns occur in e.
func (s *instances) open(e *expr) bool { return slices.ContainsFunc(s.unknowns, e.Mentions) }

// positive reports whether e is at least 1 for all sizes.
func (s *instances) positive(e *expr) bool { return s.Nonneg(s.Root, s.AddInt(e, -1)) }

// ceiling is e/k rounded up.
func (s *instances) ceiling(e, k *expr) *expr {
	return s.Div(s.c, s.AddInt(s.Add(e, k), -1), k)
}

// put replaces an unknown by what it is equal to.
func (s *instances) put(x solution) {
	for _, list := range [][]*expr{s.zero, s.rest} {
		for i, e := range list {
			list[i] = s.replaced(e, x)
		}
	}
	k := slices.Index(s.unknowns, x.of)
	further := slices.ContainsFunc(s.unknowns[k+1:], x.by.Mentions)
	s.outward = s.outward && !further
	s.unknowns, s.solved = slices.Delete(s.unknowns, k, k+1), append(s.solved, x)
}

func (s *instances) replaced(e *expr, x solution) *expr {
	if k, r, linear := s.Linear(e, x.of); linear && x.factor != nil {
		if m, rest := s.Divide(k, x.factor); rest.Is(0) {
			return s.Add(s.Mul(m, x.product), r)
		}
	}
	return s.Subst(s.c, e, map[*atom]*expr{x.of: x.by})
}

// value is what e is where unknowns are solved: what is solved later is not made of what was
// before.
func (s *instances) value(e *expr) *expr {
	for _, x := range s.solved {
		e = s.replaced(e, x)
	}
	return e
}

// quotient takes a division that holds an unknown out of e: t div q is the only n for which
// 0 <= t - n·q <= q - 1. One that was taken out of another expression is among those known.
func (s *instances) quotient(e *expr, known map[*atom]*atom) (*expr, bool) {
	for _, t := range e.Terms() {
		for _, d := range t.Atoms() {
			if d.Kind < algebra.KindFloor || !s.open(d.Expr()) {
				continue
			}
			k, r, alone := s.Linear(e, d)
			if d.Kind != algebra.KindFloor || !alone || s.open(d.Y) || !s.positive(d.Y) {
				unsupported("an integer of counters is not affine: a maximum, or a divisor")
			}
			n, ok := known[d]
			if !ok {
				n = s.NewVar(d.Expr(), s.AddInt(d.Expr(), 1))
				known[d] = n
				rem := s.Sub(d.X, s.Mul(n.Expr(), d.Y))
				s.unknowns = append(s.unknowns, n)
				s.rest = append(s.rest, rem, s.AddInt(s.Sub(d.Y, rem), -1))
			}
			return s.Add(s.Mul(k, n.Expr()), r), true
		}
	}
	return e, false
}

// split are the ways in which w holds, without greatest and least values that hold unknowns:
// k·max(x, y) + r is at least 0, with k >= 1, if that is so with x or with y in place of the
// greatest, and with k <= -1 if it is so with both. Of the least it is the other way round (law 4).
func (s *instances) split(w way) (out []way) {
	for i, e := range w.rest {
		d := s.extremeIn(e)
		if d == nil {
			continue
		}
		k, r, alone := s.Linear(e, d)
		up := s.positive(k)
		if !alone || s.open(k) || !up && !s.positive(s.negated(k)) {
			break
		}
		x, y := s.Add(s.Mul(k, d.X), r), s.Add(s.Mul(k, d.Y), r)
		others := slices.Delete(slices.Clone(w.rest), i, i+1)
		ways := []way{{w.zero, slices.Concat(others, []*expr{x, y})}}
		if (d.Kind == algebra.KindMax) == up {
			ways = []way{{w.zero, slices.Concat(others, []*expr{x})},
				{w.zero, slices.Concat(others, []*expr{y})}}
		}
		for _, v := range ways {
			if out = append(out, s.split(v)...); len(out) > maxWork {
				algebra.Fail(algebra.CodeLimit, "greatest and least values have too many cases")
			}
		}
		return out
	}
	return []way{w}
}

// extremeIn is a greatest or a least value in e that holds an unknown, nil if there is none.
func (s *instances) extremeIn(e *expr) *atom {
	for _, t := range e.Terms() {
		for _, d := range t.Atoms() {
			if d.Kind > algebra.KindFloor && s.open(d.Expr()) {
				return d
			}
		}
	}
	return nil
}

// tightened is a condition e >= 0 with the factors of unknowns divided by what they share: g·n + r
// >= 0 is n + r div g >= 0.
func (s *instances) tightened(e *expr) *expr {
	if by, r, ok := s.shared(e); ok {
		n, _ := s.Divide(s.Sub(e, r), by)
		if s.rises(n) { // n is at least -r/g, rounded up: so it is spelt where nothing is shared
			e = s.Sub(n, s.ceiling(s.negated(r), by))
		} else {
			e = s.Add(n, s.Div(s.c, r, by))
		}
	}
	for _, v := range s.unknowns { // by one of the factors, if it is made of sizes
		k, _, linear := s.Linear(e, v)
		if linear && s.positive(s.negated(k)) {
			k = s.negated(k)
		}
		if _, number := k.Const(); !linear || number || s.open(k) || !s.positive(k) {
			continue
		}
		n, r := s.Divide(e, k)
		switch {
		case s.open(r):
		case s.Nonneg(s.Root, r) && s.positive(s.Sub(k, r)): // r div k is 0
			return n
		case s.positive(s.negated(r)) && s.Nonneg(s.Root, s.Add(r, k)):
			return s.AddInt(n, -1)
		}
	}
	return e
}

// rises reports whether all factors of unknowns in e are above 0.
func (s *instances) rises(e *expr) bool {
	return !slices.ContainsFunc(s.unknowns, func(v *atom) bool {
		k, _, linear := s.Linear(e, v)
		return !linear || e.Mentions(v) && !s.positive(k)
	})
}

// shared is the number that the factors of unknowns in e share, if it is more than 1, and the rest
// of e.
func (s *instances) shared(e *expr) (by, rest *expr, ok bool) {
	g, r := new(big.Int), e
	for _, v := range s.unknowns {
		k, rest, linear := s.Linear(r, v)
		if !linear {
			return nil, nil, false
		}
		for _, t := range k.Terms() {
			g = g.GCD(nil, nil, g, new(big.Int).Abs(t.Coef.Big()))
		}
		r = rest
	}
	return s.Num(algebra.BigNum(g)), r, g.BitLen() > 1
}

// reduced is an equation e = 0 with the factors of unknowns divided by what they share. If a number
// is left of the rest it has no solution, nor has 1 = 0.
func (s *instances) reduced(e *expr) *expr {
	by, r, ok := s.shared(e)
	if !ok {
		return e
	}
	number, is := r.Const()
	if !is {
		return e
	}
	d, _ := by.Const()
	if _, left := number.DivMod(d); left.Sign() != 0 {
		return s.Const(1)
	}
	n, _ := s.Divide(e, by)
	return n
}

func (s *instances) tighten() {
	for i, e := range s.rest {
		if !s.fractions {
			s.rest[i] = s.tightened(e)
		}
	}
	s.rest = unique(s.rest)
}

// solve solves what is 0 (law 4). Afterwards nothing of zero holds an unknown.
func (s *instances) solve() {
	s.tighten()
	known := map[*atom]*atom{}
	for i := 0; i < len(s.zero); i++ {
		for again := true; again; {
			s.zero[i], again = s.quotient(s.zero[i], known)
		}
	}
	for progress := true; progress; {
		progress = false
		for i := 0; i < len(s.zero) && !progress; i++ {
			s.zero[i] = s.reduced(s.zero[i])
			progress = s.open(s.zero[i]) && s.unit(s.zero[i])
		}
		for i := 0; i < len(s.zero) && !progress; i++ {
			progress = s.open(s.zero[i]) && s.single(i)
		}
	}
	if slices.ContainsFunc(s.zero, s.open) {
		unsupported("subscripts that are equal do not determine a counter")
	}
}

// inRow states that e is x. Where e is k·q + r with 0 <= r < k in all instances, that is
// q = x div k and r = x mod k (law 4): so rows lie in an array of one axis.
func (s *instances) inRow(e, x *expr) {
	for _, v := range s.unknowns {
		k, _, linear := s.Linear(e, v)
		if _, number := k.Const(); !linear || number || s.open(k) || !s.positive(k) {
			continue
		}
		q, r := s.Divide(e, k)
		if s.surely(r, maxBounds) && s.surely(s.AddInt(s.Sub(k, r), -1), maxBounds) {
			quotient := s.Div(s.c, x, k)
			s.inRow(q, quotient)
			s.inRow(r, s.Sub(x, s.Mul(k, quotient)))
			return
		}
	}
	s.zero = append(s.zero, s.Sub(e, x))
}

// maxBounds is how many bounds are put in place of unknowns, one after the other.
const maxBounds = 8

// surely reports whether e is not negative in any instance, as an end of the range of the last
// unknown in it is put in its place, and of the next one.
func (s *instances) surely(e *expr, most int) bool {
	i := len(s.unknowns) - 1
	for i >= 0 && !e.Mentions(s.unknowns[i]) {
		i--
	}
	if i < 0 {
		return s.Nonneg(s.c, e)
	}
	v := s.unknowns[i]
	k, r, linear := s.Linear(e, v)
	up, down := s.positive(k), s.positive(s.negated(k))
	if !linear || most == 0 || s.open(k) || !up && !down {
		return false
	}
	for _, f := range s.rest {
		m, end, linear := s.Linear(f, v)
		switch {
		case !linear:
		case up && m.Is(1) && s.surely(s.Sub(r, s.Mul(k, end)), most-1): // v >= -end
			return true
		case down && m.Is(-1) && s.surely(s.Add(r, s.Mul(k, end)), most-1): // v <= end
			return true
		}
	}
	return false
}

// unit solves e = 0 for the last unknown with the factor 1 or -1.
func (s *instances) unit(e *expr) bool {
	for _, v := range slices.Backward(s.unknowns) {
		k, r, ok := s.Linear(e, v)
		switch {
		case !ok:
		case k.Is(1):
			s.put(solution{of: v, by: s.negated(r)})
			return true
		case k.Is(-1):
			s.put(solution{of: v, by: r})
			return true
		}
	}
	return false
}

// single solves zero[i] for an unknown that is alone there: k·v = r + n, with 0 <= n < k taken out
// of r, where r mod k = -n mod k, and then v = r div k, or 1 more for an n that is not 0. So it is
// the same remainder that is asked about for all subscripts that differ by a number.
func (s *instances) single(i int) bool {
	v := s.unknowns[slices.IndexFunc(s.unknowns, s.zero[i].Mentions)]
	k, r, ok := s.Linear(s.zero[i], v)
	if !ok || s.open(r) || s.open(k) {
		return false
	}
	if r = s.negated(r); s.positive(s.negated(k)) {
		k, r = s.negated(k), s.negated(r)
	} else if !s.positive(k) {
		return false
	}
	remainder, more, product := s.Const(0), s.Const(0), r
	if d, number := k.Const(); number {
		_, n := constant(r).DivMod(d)
		if r = s.Sub(r, s.Num(n)); n.Sign() > 0 {
			remainder, more = s.Num(d.Add(n.Neg())), s.Const(1)
		}
	}
	q := s.Div(s.c, r, k)
	s.zero[i] = s.Sub(s.Sub(r, s.Mul(k, q)), remainder)
	s.put(solution{v, s.Add(q, more), k, product})
	return true
}

// constant is the summand of e that is a number.
func constant(e *expr) (n algebra.Num) {
	for _, t := range e.Terms() {
		if len(t.Atoms()) == 0 {
			n = t.Coef
		}
	}
	return n
}

// A bound says that factor·v is at least, or at most, end. The factor is at least 1.
type bound struct{ factor, end *expr }

// bounds are what rest says about v; all does not hold where some of that is not linear.
func (s *instances) bounds(v *atom) (lower, upper []bound, others []*expr, all bool) {
	all = true
	for _, e := range s.rest {
		if !e.Mentions(v) {
			others = append(others, e)
			continue
		}
		k, r, linear := s.Linear(e, v)
		switch {
		case !linear || s.open(k):
			all = false
		case s.positive(k):
			lower = append(lower, bound{k, s.negated(r)})
		case s.positive(s.negated(k)):
			upper = append(upper, bound{s.negated(k), r})
		default:
			all = false
		}
	}
	return lower, upper, others, all
}

// meets are the conditions that some integer lies within bounds: each that is at least an end is
// rounded up, each at most rounded down, and no lower one is above an upper one. Where one factor
// is 1, l <= k·u and k·l <= u say so without a rounding. ok is false where a rounding would hide an
// unknown.
func (s *instances) meets(lower, upper []bound) (out []*expr, ok bool) {
	for _, l := range lower {
		for _, u := range upper {
			switch {
			case l.factor.Is(1) || u.factor.Is(1):
				out = append(out, s.Sub(s.Mul(l.factor, u.end), s.Mul(u.factor, l.end)))
			case s.fractions:
				out = append(out, s.Sub(s.Mul(l.factor, u.end), s.Mul(u.factor, l.end)))
			case s.open(l.end) || s.open(u.end):
				return nil, false
			default:
				low, high := s.ceiling(l.end, l.factor), s.Div(s.c, u.end, u.factor)
				out = append(out, s.Sub(high, low))
			}
		}
	}
	return out, true
}

// project takes unknowns away (law 4) until only those that keep holds are left: what remains says
// that there are values for the others.
func (s *instances) project(keep *expr) {
	known := map[*atom]*atom{}
	for i := 0; i < len(s.rest); i++ {
		for again := true; again; {
			s.rest[i], again = s.quotient(s.rest[i], known)
		}
	}
next:
	s.tighten()
	for i, v := range slices.Backward(s.unknowns) {
		if keep.Mentions(v) {
			continue
		}
		lower, upper, others, all := s.bounds(v)
		if !all {
			continue
		}
		if met, ok := s.meets(lower, upper); ok {
			if s.rest = unique(append(others, met...)); len(s.rest) > maxWork {
				algebra.Fail(algebra.CodeLimit, "bounds have too many cases")
			}
			s.unknowns = slices.Delete(s.unknowns, i, i+1)
			goto next
		}
	}
	left := func(v *atom) bool { return !keep.Mentions(v) }
	if slices.ContainsFunc(s.unknowns, left) {
		unsupported("bounds of counters have no exact projection")
	}
}

// unique are those of list that may fail, each once.
func unique(list []*expr) (out []*expr) {
	for _, e := range list {
		if n, number := e.Const(); (!number || n.Sign() < 0) && !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	return out
}

// exist returns the conditions on what is given under which there are instances.
func (s *instances) exist() []*expr {
	t := s.clone()
	t.solve()
	t.project(t.Const(0))
	return t.conditions()
}

func (s *instances) conditions() (out []*expr) {
	for _, e := range s.zero {
		out = append(out, e, s.negated(e))
	}
	return unique(append(out, s.rest...))
}

// last returns the greatest value of an iteration for an instance, the counter there, and the
// conditions under which there is one.
func (s *instances) last(iteration, counter *expr) (conds []*expr, greatest, count *expr) {
	t := s.clone()
	t.solve()
	e := t.value(iteration)
	t.project(e)
	if len(t.unknowns) == 0 {
		return t.conditions(), e, t.value(counter)
	}
	v := t.unknowns[0]
	k, r, linear := t.Linear(e, v)
	lower, upper, others, all := t.bounds(v)
	if len(t.unknowns) > 1 || !linear || t.open(k) || !all {
		unsupported("the last iteration of several counters at once")
	}
	lower, upper = t.strict(lower, others, -1), t.strict(upper, others, 1)
	met, _ := t.meets(lower, upper) // no other unknown is left
	t.rest = unique(append(others, met...))
	for _, e := range t.rest { // it is asked for where there is an instance
		t.c = t.Assume(t.c, e)
	}
	var end *expr
	switch {
	case t.positive(k) && upper != nil:
		for _, u := range upper {
			end = t.extreme(t.Min, end, t.Div(t.c, u.end, u.factor))
		}
	case t.positive(t.negated(k)) && lower != nil:
		for _, l := range lower {
			end = t.extreme(t.Max, end, t.ceiling(l.end, l.factor))
		}
	default:
		unsupported("a last iteration that is not known to be first or last of its range")
	}
	greatest = t.Add(t.Mul(k, end), r)
	count = t.Subst(t.c, counter, map[*atom]*expr{variable(iteration): greatest})
	s.greatest = map[*atom]*expr{v: end}
	return t.conditions(), greatest, count
}

// there are conditions of instances as the last one meets them, which it does: those without other
// unknowns than what it is told by, and not rounded.
func (s *instances) there() (out []*expr) {
	if s.greatest == nil {
		return nil
	}
	t := s.clone()
	t.solve()
	for _, e := range s.rest {
		if e = t.Subst(t.c, t.value(e), s.greatest); !s.open(e) && !t.open(e) {
			out = append(out, e)
		}
	}
	return unique(out)
}

// strict are bounds without those that follow from another one of the same factor, where conditions
// hold: v <= x from v <= y and y <= x.
func (s *instances) strict(list []bound, conds []*expr, up int64) []bound {
	c := s.c
	for _, e := range conds {
		c = s.Assume(c, e)
	}
	for i := 0; i < len(list); i++ {
		x := list[i]
		if slices.ContainsFunc(list, func(y bound) bool {
			slack := s.Scale(algebra.Int(up), s.Sub(x.end, y.end))
			return x != y && x.factor == y.factor && s.Nonneg(c, slack)
		}) {
			list = slices.Delete(slices.Clone(list), i, i+1)
			i--
		}
	}
	return list
}

// apart are conditions without those that the others imply, and these.
func (s *instances) apart(conds []*expr) (needed, implied []*expr) {
	for i := len(conds) - 1; i >= 0; i-- {
		c := s.c
		for k, e := range conds {
			if k != i {
				c = s.Assume(c, e)
			}
		}
		if s.Nonneg(c, conds[i]) {
			implied = append(implied, conds[i])
			conds = slices.Delete(slices.Clone(conds), i, i+1)
		}
	}
	return conds, implied
}

// variable is the only atom of an iteration that is an unknown.
func variable(e *expr) *atom { return e.Terms()[0].Atoms()[0] }

func (s *instances) extreme(op func(*context, *expr, *expr) *expr, x, y *expr) *expr {
	if x == nil {
		return y
	}
	return op(s.c, x, y)
}
