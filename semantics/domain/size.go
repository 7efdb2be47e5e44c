package domain

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"

	"tv/internal/mix"
)

// A Size is an exact integer or an expression over named sizes with + - * div mod max min, kept in a
// normal form: a polynomial whose atoms are names and div, mod, max and min of sizes. The zero value is
// 0. Sizes are immutable; arithmetic never wraps. Two sizes with the same normal form are Equal; sizes
// that are not may still have the same value.
//
// Normalising keeps values, not definedness: (div N M) - (div N M) is 0, also where M is not positive.
// The type rules of a language therefore state a condition for each divisor that a program writes.
type Size struct {
	n int64
	e *sizeExpr // nil: the constant n
}

// A sizeExpr is a polynomial that is not an int64: monomials of decreasing degree, no coefficient 0.
type sizeExpr struct {
	terms  []sizeTerm
	hash   uint64
	weight int // names and numbers in the printed form, roughly; saturates at maxWeight
}

type sizeTerm struct {
	coef    *big.Int
	factors []sizeFactor // by compareAtoms, no atom twice
	degree  int
}

type sizeFactor struct {
	atom *sizeAtom
	pow  int
}

// A sizeAtom is a part that polynomials do not look into.
type sizeAtom struct {
	op     SizeOp // SizeName, SizeDiv, SizeMod, SizeMax, SizeMin, or SizeMul for a product left unexpanded
	name   string
	args   []Size
	hash   uint64
	weight int
	self   *sizeExpr // the polynomial that is the atom alone
}

// SizeOp is the outermost operation of a size, for those who translate sizes.
type SizeOp uint8

const (
	SizeConst SizeOp = iota
	SizeName
	SizeAdd // two or more operands
	SizeMul // two or more operands
	SizeDiv // floor division, two operands
	SizeMod // x - y*(x div y), two operands
	SizeMax // two or more
	SizeMin // two or more
)

const (
	maxWeight      = 1 << 30 // where weights saturate
	maxProduct     = 256     // products of more terms stay unexpanded
	LargestWeight  = 10000   // a program's sizes stay below: see tooLarge
	LargestBits    = 4096
	maxExpandPower = 16 // degree and number of terms of sizes whose atoms are shifted to find lower bounds
	maxExpandTerms = 64
	maxReplaced    = 8  // quotients and remainders replaced by a bound
	maxFacts       = 16 // conditions that others are derived from
)

var (
	bigZero = big.NewInt(0)
	bigOne  = big.NewInt(1)
)

// IntSize returns the size n.
func IntSize(n int64) Size { return Size{n: n} }

// BigSize returns the size n, which is copied.
func BigSize(n *big.Int) Size {
	if n.IsInt64() {
		return Size{n: n.Int64()}
	}
	return polynomial([]sizeTerm{{coef: new(big.Int).Set(n)}})
}

// NamedSize returns the size that a name stands for.
func NamedSize(name string) Size {
	h := mix.String(mix.Word(0, uint64(SizeName)), name)
	return atomSize(&sizeAtom{op: SizeName, name: name, hash: h, weight: 1})
}

// Add returns a + b.
func (a Size) Add(b Size) Size {
	switch {
	case a.e == nil && b.e == nil:
		if s := a.n + b.n; (s > a.n) == (b.n > 0) {
			return Size{n: s}
		}
	case a == Size{}:
		return b
	case b == Size{}:
		return a
	}
	return polynomial(addTerms(a.terms(), b.terms()))
}

// Sub returns a - b.
func (a Size) Sub(b Size) Size {
	switch {
	case a.e == nil && b.e == nil:
		if d := a.n - b.n; (d < a.n) == (b.n > 0) {
			return Size{n: d}
		}
	case b == Size{}:
		return a
	}
	return polynomial(addTerms(a.terms(), b.negated()))
}

// Mul returns a * b.
func (a Size) Mul(b Size) Size {
	if a.e == nil && b.e == nil {
		if p := a.n * b.n; a.n == 0 || p/a.n == b.n && !(a.n == -1 && b.n == math.MinInt64) {
			return Size{n: p}
		}
	}
	switch one := IntSize(1); {
	case a == one:
		return b
	case b == one:
		return a
	}
	x, y := a.terms(), b.terms()
	sums := len(x) > 1 && len(y) > 1
	if sums && len(x)*len(y) > maxProduct || len(x) > 1 && b.hasProduct() || len(y) > 1 && a.hasProduct() {
		args := append(a.partsOf(SizeMul), b.partsOf(SizeMul)...)
		slices.SortFunc(args, compareSizes)
		return newAtom(SizeMul, args)
	}
	var sum []sizeTerm
	for _, s := range x {
		row := make([]sizeTerm, len(y))
		for i, t := range y {
			row[i] = mulTerms(s, t)
		}
		sum = addTerms(sum, row) // row is in order: multiplying by one monomial keeps that of the others
	}
	return polynomial(sum)
}

// Div returns a divided by b, rounded down. It has no value where b is not positive.
func (a Size) Div(b Size) Size {
	d, ok := b.Const()
	if !ok {
		quotient, rest := a.multiplesOf(b)
		if rest.Equal(Size{}) {
			return quotient
		}
		return quotient.Add(binaryAtom(SizeDiv, rest, b))
	}
	if d.Sign() <= 0 {
		return binaryAtom(SizeDiv, a, b)
	}
	quotient, rest, divisor := a.divide(d)
	if _, ok := rest.Const(); ok {
		return quotient // a constant rest is from 0 to d-1
	}
	if x, e, ok := rest.constantDivision(); ok {
		return quotient.Add(x.Div(BigSize(e.Mul(e, divisor)))) // (x div e) div d = x div (e*d)
	}
	return quotient.Add(binaryAtom(SizeDiv, rest, BigSize(divisor)))
}

// Mod returns a - b*(a div b). It has no value where b is not positive.
func (a Size) Mod(b Size) Size {
	d, ok := b.Const()
	if !ok {
		if _, a = a.multiplesOf(b); a.Equal(Size{}) {
			return a
		}
	}
	if !ok || d.Sign() <= 0 {
		return binaryAtom(SizeMod, a, b)
	}
	var terms []sizeTerm
	for _, t := range a.terms() {
		if r := new(big.Int).Mod(t.coef, d); r.Sign() != 0 {
			terms = append(terms, sizeTerm{r, t.factors, t.degree})
		}
	}
	rest := polynomial(terms)
	if _, ok := rest.Const(); ok {
		return rest
	}
	// (g*x + c) mod (g*e) = g*((x + c div g) mod e) + c mod g
	g := rest.content(d)
	low := BigSize(new(big.Int).Mod(rest.constant(), g))
	return binaryAtom(SizeMod, rest.dividedBy(g), BigSize(new(big.Int).Quo(d, g))).scale(g).Add(low)
}

// Max returns the larger of a and b.
func (a Size) Max(b Size) Size { return extremum(SizeMax, a, b) }

// Min returns the smaller of a and b.
func (a Size) Min(b Size) Size { return extremum(SizeMin, a, b) }

// Equal tells whether a and b have the same normal form.
func (a Size) Equal(b Size) bool {
	if a.e == nil || b.e == nil {
		return a.e == b.e && a.n == b.n
	}
	return a.e == b.e || a.e.hash == b.e.hash && compareSizes(a, b) == 0
}

// Const returns the value, if no name occurs and there is one: (div 1 0) has none.
func (a Size) Const() (*big.Int, bool) {
	if a.e == nil {
		return big.NewInt(a.n), true
	}
	if len(a.e.terms) == 1 && a.e.terms[0].degree == 0 {
		return new(big.Int).Set(a.e.terms[0].coef), true
	}
	return nil, false
}

// Sign returns the sign of a constant; 0 for what is none.
func (a Size) Sign() int {
	if c, ok := a.Const(); ok {
		return c.Sign()
	}
	return 0
}

// Hash returns a number that equal sizes share; it only tells unequal ones apart quickly.
func (a Size) Hash() uint64 {
	if a.e == nil {
		return uint64(a.n)
	}
	return a.e.hash
}

// Int64 returns the value, if no name occurs and it fits.
func (a Size) Int64() (int64, bool) { return a.n, a.e == nil }

// Op returns the outermost operation.
func (a Size) Op() SizeOp {
	if a.e == nil {
		return SizeConst
	}
	if len(a.e.terms) > 1 {
		return SizeAdd
	}
	switch t := a.e.terms[0]; {
	case t.degree == 0:
		return SizeConst
	case t.degree > 1 || t.coef.Cmp(bigOne) != 0:
		return SizeMul
	default:
		return t.factors[0].atom.op
	}
}

// Operands returns the operands of Op. Subtraction shows as adding a product with a negative constant, a
// power as a product.
func (a Size) Operands() []Size {
	switch a.Op() {
	case SizeConst, SizeName:
		return nil
	case SizeAdd:
		list := make([]Size, len(a.e.terms))
		for i, t := range a.e.terms {
			if t.degree == 1 && t.coef.Cmp(bigOne) == 0 {
				list[i] = atomSize(t.factors[0].atom)
			} else {
				list[i] = polynomial(a.e.terms[i : i+1 : i+1])
			}
		}
		return list
	}
	t := a.e.terms[0]
	if t.degree == 1 && t.coef.Cmp(bigOne) == 0 {
		return t.factors[0].atom.args
	}
	var list []Size
	if t.coef.Cmp(bigOne) != 0 {
		list = append(list, BigSize(t.coef))
	}
	for _, f := range t.factors {
		x := atomSize(f.atom)
		for range f.pow {
			list = append(list, x)
		}
	}
	return list
}

// Name returns the name of a SizeName, else "".
func (a Size) Name() string {
	if a.Op() != SizeName {
		return ""
	}
	return a.e.terms[0].factors[0].atom.name
}

// Names returns the names that occur, sorted, each once.
func (a Size) Names() []string {
	if a.e == nil {
		return nil
	}
	set := map[string]bool{}
	a.addNames(set)
	return sorted(set)
}

func (a Size) addNames(set map[string]bool) {
	for _, atom := range a.atoms() {
		if atom.op == SizeName {
			set[atom.name] = true
		}
		for _, x := range atom.args {
			x.addNames(set)
		}
	}
}

// Has tells whether a name occurs.
func (a Size) Has(name string) bool {
	if a.e == nil {
		return false
	}
	for _, t := range a.e.terms {
		for _, f := range t.factors {
			if f.atom.has(name) {
				return true
			}
		}
	}
	return false
}

func (x *sizeAtom) has(name string) bool {
	if x.op == SizeName {
		return x.name == name
	}
	return slices.ContainsFunc(x.args, func(a Size) bool { return a.Has(name) })
}

// Polynomial tells whether names are all that a is made of, beside sums, products and numbers.
func (a Size) Polynomial() bool {
	if a.e == nil {
		return true
	}
	for _, t := range a.e.terms {
		for _, f := range t.factors {
			if f.atom.op != SizeName {
				return false
			}
		}
	}
	return true
}

// Linear splits a into factor·name + rest, if name occurs in neither, but for sizes that are linear in a way which the normal
// form does not show.
func (a Size) Linear(name string) (factor, rest Size, ok bool) {
	if a.e == nil {
		return Size{}, a, true
	}
	factor, rest = a.multiplesOf(NamedSize(name))
	return factor, rest, !factor.Has(name) && !rest.Has(name)
}

// atoms returns the outermost atoms, one for each place where one occurs.
func (a Size) atoms() []*sizeAtom {
	if a.e == nil {
		return nil
	}
	var list []*sizeAtom
	for _, t := range a.e.terms {
		for _, f := range t.factors {
			list = append(list, f.atom)
		}
	}
	return list
}

// String prints an S-expression that the parser reads back: 16, N, (+ (* 2 N) 1), (- N 1), (div N 2).
func (a Size) String() string {
	if a.e == nil {
		return fmt.Sprint(a.n)
	}
	var b strings.Builder
	a.write(&b)
	return b.String()
}

func (a Size) write(b *strings.Builder) {
	if a.e == nil {
		fmt.Fprint(b, a.n)
		return
	}
	terms := a.e.terms
	if len(terms) == 1 {
		writeTerm(b, terms[0])
		return
	}
	var plus, minus []sizeTerm
	for _, t := range terms {
		if t.coef.Sign() > 0 {
			plus = append(plus, t)
		} else {
			minus = append(minus, sizeTerm{new(big.Int).Neg(t.coef), t.factors, t.degree})
		}
	}
	switch {
	case len(plus) == 0:
		b.WriteString("(+")
		plus, minus = terms, nil
	case len(minus) == 0:
		b.WriteString("(+")
	default:
		b.WriteString("(- ")
		polynomial(plus).write(b)
		plus, minus = minus, nil
	}
	for _, t := range append(plus, minus...) {
		b.WriteByte(' ')
		writeTerm(b, t)
	}
	b.WriteByte(')')
}

func writeTerm(b *strings.Builder, t sizeTerm) {
	if t.degree == 0 {
		b.WriteString(t.coef.String())
		return
	}
	single := t.degree == 1 && t.coef.Cmp(bigOne) == 0
	if !single {
		b.WriteString("(*")
		if t.coef.Cmp(bigOne) != 0 {
			b.WriteByte(' ')
			b.WriteString(t.coef.String())
		}
	}
	for _, f := range t.factors {
		for range f.pow {
			if !single {
				b.WriteByte(' ')
			}
			f.atom.write(b)
		}
	}
	if !single {
		b.WriteByte(')')
	}
}

var sizeOpNames = [...]string{SizeMul: "*", SizeDiv: "div", SizeMod: "mod", SizeMax: "max", SizeMin: "min"}

func (x *sizeAtom) write(b *strings.Builder) {
	if x.op == SizeName {
		b.WriteString(Quote(x.name))
		return
	}
	b.WriteByte('(')
	b.WriteString(sizeOpNames[x.op])
	for _, a := range x.args {
		b.WriteByte(' ')
		a.write(b)
	}
	b.WriteByte(')')
}

// Eval returns the value of a at a point. It fails where a name is missing or a divisor is not positive.
func (a Size) Eval(point Point) (*big.Int, error) {
	if v, ok := a.Word(point); ok {
		return big.NewInt(v), nil
	}
	return a.exact(point)
}

// exact is Eval without shortcuts.
func (a Size) exact(point Point) (*big.Int, error) {
	if a.e == nil {
		return big.NewInt(a.n), nil
	}
	sum := new(big.Int)
	for _, t := range a.e.terms {
		product := new(big.Int).Set(t.coef)
		for _, f := range t.factors {
			x, err := f.atom.exact(point)
			if err != nil {
				return nil, err
			}
			product.Mul(product, new(big.Int).Exp(x, big.NewInt(int64(f.pow)), nil))
		}
		sum.Add(sum, product)
	}
	return sum, nil
}

func (x *sizeAtom) exact(point Point) (*big.Int, error) {
	if x.op == SizeName {
		n, ok := point[x.name]
		if !ok {
			return nil, fmt.Errorf("size %s has no value", x.name)
		}
		return big.NewInt(n), nil
	}
	args := make([]*big.Int, len(x.args))
	for i, a := range x.args {
		v, err := a.exact(point)
		if err != nil {
			return nil, err
		}
		args[i] = v
	}
	if (x.op == SizeDiv || x.op == SizeMod) && args[1].Sign() <= 0 {
		return nil, fmt.Errorf("division of %s by %s", args[0], args[1])
	}
	v := args[0]
	for _, y := range args[1:] {
		switch x.op {
		case SizeMul:
			v = new(big.Int).Mul(v, y)
		case SizeDiv:
			v = new(big.Int).Div(v, y)
		case SizeMod:
			v = new(big.Int).Mod(v, y)
		case SizeMax:
			if y.Cmp(v) > 0 {
				v = y
			}
		case SizeMin:
			if y.Cmp(v) < 0 {
				v = y
			}
		}
	}
	return v, nil
}

// Word returns the value of a at a point if it and all that it is made of are small, so that no step overflows: the
// same as Eval for nearly all points, without the cost of big numbers.
func (a Size) Word(point Point) (v int64, ok bool) {
	if a.e == nil {
		return a.n, small(a.n)
	}
	for _, t := range a.e.terms {
		if !t.coef.IsInt64() {
			return 0, false
		}
		product := t.coef.Int64()
		for _, f := range t.factors {
			x, ok := f.atom.word(point)
			for range f.pow {
				if !ok || !small(product) {
					return 0, false
				}
				product *= x
			}
		}
		if v += product; !small(product) || !small(v) {
			return 0, false
		}
	}
	return v, true
}

// small tells whether the product of v and another small number fits in a word.
func small(v int64) bool { return -1<<31 <= v && v <= 1<<31 }

func (x *sizeAtom) word(point Point) (v int64, ok bool) {
	if x.op == SizeName {
		v, ok = point[x.name]
		return v, ok && small(v)
	}
	for i, a := range x.args {
		y, ok := a.Word(point)
		if !ok {
			return 0, false
		}
		switch {
		case i == 0:
			v = y
		case x.op == SizeMul:
			v *= y
		case x.op == SizeMax:
			v = max(v, y)
		case x.op == SizeMin:
			v = min(v, y)
		case y <= 0: // Eval says what is wrong
			return 0, false
		default:
			mod := ((v % y) + y) % y
			if x.op == SizeMod {
				v = mod
			} else {
				v = (v - mod) / y
			}
		}
		if !small(v) {
			return 0, false
		}
	}
	return v, true
}

// A Point gives each named size a value.
type Point map[string]int64

// terms returns a as a polynomial.
func (a Size) terms() []sizeTerm {
	switch {
	case a.e != nil:
		return a.e.terms
	case a.n == 0:
		return nil
	default:
		return []sizeTerm{{coef: big.NewInt(a.n)}}
	}
}

// polynomial returns the sum of terms, which are in order and have no coefficient 0.
func polynomial(terms []sizeTerm) Size {
	if len(terms) == 0 {
		return Size{}
	}
	if len(terms) == 1 && terms[0].degree == 0 && terms[0].coef.IsInt64() {
		return Size{n: terms[0].coef.Int64()}
	}
	h := mix.Word(0, uint64(SizeAdd))
	weight := 0
	for _, t := range terms {
		h = mix.Word(h, t.coef.Uint64()^uint64(t.coef.Sign())<<62)
		weight = addWeights(weight, 1)
		for _, f := range t.factors {
			h = mix.Word(mix.Word(h, f.atom.hash), uint64(f.pow))
			weight = addWeights(weight, min(f.pow, maxWeight)*f.atom.weight)
		}
	}
	return Size{e: &sizeExpr{terms, h, weight}}
}

func addWeights(a, b int) int { return min(a+b, maxWeight) }

// atomSize returns the size that an atom is. An atom that anyone else has knows it.
func atomSize(x *sizeAtom) Size {
	if x.self == nil {
		x.self = polynomial([]sizeTerm{{bigOne, []sizeFactor{{x, 1}}, 1}}).e
	}
	return Size{e: x.self}
}

func newAtom(op SizeOp, args []Size) Size {
	x := &sizeAtom{op: op, args: args, weight: 1}
	h := mix.Word(0, uint64(op))
	for _, a := range args {
		if a.e == nil {
			h = mix.Word(h, uint64(a.n))
			x.weight = addWeights(x.weight, 1)
		} else {
			h = mix.Word(h, a.e.hash)
			x.weight = addWeights(x.weight, a.e.weight)
		}
	}
	x.hash = h
	return atomSize(x)
}

func binaryAtom(op SizeOp, a, b Size) Size { return newAtom(op, []Size{a, b}) }

// hasProduct tells whether a product left unexpanded occurs in a: what it is multiplied with is not expanded
// either, or the copies of one would multiply.
func (a Size) hasProduct() bool {
	for _, x := range a.atoms() {
		if x.op == SizeMul {
			return true
		}
	}
	return false
}

// scale returns c*a.
func (a Size) scale(c *big.Int) Size {
	if c.Sign() == 0 {
		return Size{}
	}
	terms := make([]sizeTerm, 0, 1)
	for _, t := range a.terms() {
		terms = append(terms, sizeTerm{new(big.Int).Mul(c, t.coef), t.factors, t.degree})
	}
	return polynomial(terms)
}

// negated returns the terms of -a.
func (a Size) negated() []sizeTerm {
	terms := slices.Clone(a.terms())
	for i := range terms {
		terms[i].coef = new(big.Int).Neg(terms[i].coef)
	}
	return terms
}

// addTerms merges two ordered lists of terms.
func addTerms(a, b []sizeTerm) []sizeTerm {
	sum := make([]sizeTerm, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch c := compareMonomials(a[0], b[0]); {
		case c < 0:
			sum, a = append(sum, a[0]), a[1:]
		case c > 0:
			sum, b = append(sum, b[0]), b[1:]
		default:
			if coef := new(big.Int).Add(a[0].coef, b[0].coef); coef.Sign() != 0 {
				sum = append(sum, sizeTerm{coef, a[0].factors, a[0].degree})
			}
			a, b = a[1:], b[1:]
		}
	}
	return append(append(sum, a...), b...)
}

func mulTerms(s, t sizeTerm) sizeTerm {
	product := sizeTerm{coef: new(big.Int).Mul(s.coef, t.coef), degree: addWeights(s.degree, t.degree)}
	a, b := s.factors, t.factors
	for len(a) > 0 && len(b) > 0 {
		switch c := compareAtoms(a[0].atom, b[0].atom); {
		case c < 0:
			product.factors, a = append(product.factors, a[0]), a[1:]
		case c > 0:
			product.factors, b = append(product.factors, b[0]), b[1:]
		default:
			f := sizeFactor{a[0].atom, addWeights(a[0].pow, b[0].pow)}
			product.factors, a, b = append(product.factors, f), a[1:], b[1:]
		}
	}
	product.factors = append(append(product.factors, a...), b...)
	return product
}

// divide splits a by a positive constant: a div d = quotient + rest div divisor, where the coefficients
// of rest are from 0 to divisor-1 and have no factor in common with it.
func (a Size) divide(d *big.Int) (quotient, rest Size, divisor *big.Int) {
	var whole, part []sizeTerm
	for _, t := range a.terms() {
		q, r := new(big.Int).DivMod(t.coef, d, new(big.Int))
		if q.Sign() != 0 {
			whole = append(whole, sizeTerm{q, t.factors, t.degree})
		}
		if r.Sign() != 0 {
			part = append(part, sizeTerm{r, t.factors, t.degree})
		}
	}
	quotient, rest = polynomial(whole), polynomial(part)
	if _, ok := rest.Const(); ok {
		return quotient, rest, d
	}
	// (g*x + c) div (g*e) = (x + c div g) div e
	g := rest.content(d)
	return quotient, rest.dividedBy(g), new(big.Int).Quo(d, g)
}

// multiplesOf splits a by a size that is no constant: a = quotient*b + rest, where quotient collects the
// monomials that are multiples of b. Only a b of one monomial has any.
func (a Size) multiplesOf(b Size) (quotient, rest Size) {
	if len(b.e.terms) != 1 {
		return Size{}, a
	}
	var multiples, others []sizeTerm
	for _, t := range a.terms() {
		if q, ok := t.over(b.e.terms[0]); ok {
			multiples = append(multiples, q)
		} else {
			others = append(others, t)
		}
	}
	return polynomial(multiples), polynomial(others) // division by one monomial keeps the order of others
}

// over returns s / t, if that is a monomial with a whole coefficient.
func (s sizeTerm) over(t sizeTerm) (sizeTerm, bool) {
	coef, r := new(big.Int).QuoRem(s.coef, t.coef, new(big.Int))
	if r.Sign() != 0 {
		return sizeTerm{}, false
	}
	q := sizeTerm{coef: coef, degree: s.degree - t.degree}
	divisor := t.factors
	for _, f := range s.factors {
		if len(divisor) > 0 && compareAtoms(f.atom, divisor[0].atom) == 0 {
			f.pow -= divisor[0].pow
			divisor = divisor[1:]
		}
		if f.pow < 0 {
			return sizeTerm{}, false
		}
		if f.pow > 0 {
			q.factors = append(q.factors, f)
		}
	}
	return q, len(divisor) == 0
}

// content returns the greatest common divisor of d and the coefficients that stand before names.
func (a Size) content(d *big.Int) *big.Int {
	g := new(big.Int).Set(d)
	for _, t := range a.terms() {
		if t.degree > 0 {
			g.GCD(nil, nil, g, new(big.Int).Abs(t.coef))
		}
	}
	return g
}

// constant returns the term without names.
func (a Size) constant() *big.Int {
	for _, t := range a.terms() {
		if t.degree == 0 {
			return t.coef
		}
	}
	return bigZero
}

// dividedBy divides each coefficient by g, rounding down.
func (a Size) dividedBy(g *big.Int) Size {
	var terms []sizeTerm
	for _, t := range a.terms() {
		if q := new(big.Int).Div(t.coef, g); q.Sign() != 0 {
			terms = append(terms, sizeTerm{q, t.factors, t.degree})
		}
	}
	return polynomial(terms)
}

// constantDivision takes (div x e) with a positive constant e apart.
func (a Size) constantDivision() (x Size, e *big.Int, ok bool) {
	if a.Op() != SizeDiv {
		return Size{}, nil, false
	}
	args := a.Operands()
	e, ok = args[1].Const()
	return args[0], e, ok && e.Sign() > 0
}

// extremum returns the max or min of a and b. Arguments that differ by a constant are decided.
func extremum(op SizeOp, a, b Size) Size {
	var args []Size
	for _, x := range append(a.partsOf(op), b.partsOf(op)...) {
		args = addToExtremum(op, args, x)
	}
	if len(args) == 1 {
		return args[0]
	}
	slices.SortFunc(args, compareSizes)
	return newAtom(op, args)
}

// partsOf returns the operands of a, if it is an atom with the given operation, else a itself.
func (a Size) partsOf(op SizeOp) []Size {
	if a.e != nil && len(a.e.terms) == 1 && a.e.terms[0].degree == 1 && a.e.terms[0].coef.Cmp(bigOne) == 0 {
		if x := a.e.terms[0].factors[0].atom; x.op == op {
			return slices.Clone(x.args)
		}
	}
	return []Size{a}
}

func addToExtremum(op SizeOp, args []Size, x Size) []Size {
	for i, y := range args {
		d, ok := x.Sub(y).Const()
		if !ok {
			continue
		}
		if (d.Sign() > 0) == (op == SizeMax) {
			// x takes the place of y; no other argument is that close to x, or it would be to y.
			args[i] = x
		}
		return args
	}
	return append(args, x)
}

// compareSizes orders sizes, constants first.
func compareSizes(a, b Size) int {
	if a.e == b.e {
		return compareInts(a.n, b.n)
	}
	x, y := a.terms(), b.terms()
	for i := range min(len(x), len(y)) {
		if c := x[i].degree - y[i].degree; c != 0 {
			return c
		}
		if c := compareMonomials(x[i], y[i]); c != 0 {
			return c
		}
		if c := x[i].coef.Cmp(y[i].coef); c != 0 {
			return c
		}
	}
	return len(x) - len(y)
}

// compareMonomials orders monomials as they are printed: those of higher degree first.
func compareMonomials(s, t sizeTerm) int {
	if s.degree != t.degree {
		return t.degree - s.degree
	}
	for i := range min(len(s.factors), len(t.factors)) {
		f, g := s.factors[i], t.factors[i]
		if c := compareAtoms(f.atom, g.atom); c != 0 {
			return c
		}
		if f.pow != g.pow {
			return g.pow - f.pow
		}
	}
	return len(s.factors) - len(t.factors)
}

// compareAtoms orders atoms as they are printed: names first.
func compareAtoms(x, y *sizeAtom) int {
	if x == y {
		return 0
	}
	if x.op != y.op {
		return int(x.op) - int(y.op)
	}
	if c := strings.Compare(x.name, y.name); c != 0 {
		return c
	}
	for i := range min(len(x.args), len(y.args)) {
		if c := compareSizes(x.args[i], y.args[i]); c != 0 {
			return c
		}
	}
	return len(x.args) - len(y.args)
}

func compareInts(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// TooLarge tells whether a size has outgrown what programs may hold: repeated squaring by flatten and
// Cartesian product doubles the digits of a size, and its length as an expression, at every step.
func (a Size) TooLarge() bool {
	if a.e == nil {
		return false
	}
	for _, t := range a.e.terms {
		if t.coef.BitLen() > LargestBits {
			return true
		}
	}
	return a.e.weight > LargestWeight
}

// Divisors appends the divisors that occur in a and are not positive constants.
func (a Size) Divisors(list []Size) []Size {
	for _, x := range a.atoms() {
		if x.op == SizeDiv || x.op == SizeMod {
			if c, ok := x.args[1].Const(); !ok || c.Sign() <= 0 {
				list = append(list, x.args[1])
			}
		}
		for _, y := range x.args {
			list = y.Divisors(list)
		}
	}
	return list
}

func sorted(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }

// Quote writes a name so that it is read back as one word of an S-expression.
func Quote(name string) string {
	if name != "" && name[0] != '"' && !strings.ContainsAny(name, " \t\r\n\f\v();") {
		return name
	}
	return `"` + name + `"`
}
