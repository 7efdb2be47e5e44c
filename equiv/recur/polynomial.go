package recur

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"tv/semantics/domain"
	"tv/semantics/loops"
)

// A polynomial is a value as a sum of products of atoms: of real numbers, and of integers modulo a power of 2.
type polynomial struct {
	terms   map[string]*big.Rat // by atoms, in order, with * between them
	partial map[string]bool     // atoms made on the way that may have no value
	reads   map[string]bool     // of what is read
	modulus *big.Int            // nil of real numbers
}

// maxTerms bounds those of a polynomial.
const maxTerms = 200

// noPolynomial is what the making of one ends with where there is none.
type noPolynomial struct{}

// polynomial is that of a value whose reads have names; nil where there is none.
func (q *question) polynomial(b *built, class func(spot) string) (out *polynomial) {
	defer func() {
		if e := recover(); e != nil {
			if _, ok := e.(noPolynomial); !ok {
				panic(e)
			}
			out = nil
		}
	}()
	m := &polynomials{question: q, class: class, partial: map[string]bool{}, reads: map[string]bool{}}
	out = m.of(b, "")
	out.partial, out.reads = m.partial, m.reads
	return out
}

// A comparison says that x is less than y, or no more, of values of a type.
type comparison struct {
	x, y *polynomial
	of   domain.Elem
}

// polynomials makes them.
type polynomials struct {
	*question
	class          func(spot) string
	partial, reads map[string]bool
}

func (m *polynomials) of(b *built, prefix string) *polynomial {
	read := 0
	next := func() *polynomial {
		k := read
		if read++; b.opened[k] != nil {
			return m.of(b.opened[k], fmt.Sprint(prefix, k, "."))
		}
		name := "read " + m.class(spot{b, k, fmt.Sprint(prefix, k)})
		m.reads[name] = true
		elem := b.at.elem()
		if b.of != nil {
			elem = b.of.value.Elem
			if !b.total {
				elem = b.of.reads[k].Elem
			}
		} else if b.node != nil {
			elem = b.node.elem
		}
		return m.atom(name, elem)
	}
	switch {
	case b.zero:
		return constant(new(big.Rat), b.at.elem())
	case b.of == nil:
		return next()
	case b.total && b.of.chain.negative:
		return next().plus(-1, next())
	case b.total:
		return m.together(b.of.chain.op, b.of.value.Elem, []*polynomial{next(), next()})
	}
	if c := b.of.chain; c != nil && b.opened[c.read] == zero {
		var list []*polynomial
		for _, t := range c.terms {
			read = t.first
			x := m.expr(t.of, next)
			if t.minus {
				x = constant(new(big.Rat), t.of.Elem).plus(-1, x)
			}
			list = append(list, x)
		}
		return m.together(c.op, b.of.value.Elem, list)
	}
	return m.expr(b.of.value, next)
}

// together is an op of some values.
func (m *polynomials) together(op loops.Op, elem domain.Elem, list []*polynomial) *polynomial {
	if op != loops.Add && op != loops.Mul {
		return m.extreme(op, elem, list)
	}
	out := list[0]
	for _, x := range list[1:] {
		if op == loops.Mul {
			out = out.times(x)
		} else {
			out = out.plus(1, x)
		}
	}
	return out
}

// extreme is the greatest, or the least, of some values, in no order and each once.
func (m *polynomials) extreme(op loops.Op, elem domain.Elem, list []*polynomial) *polynomial {
	kind, of := fmt.Sprint(op, elem), map[string]*polynomial{}
	for _, p := range list {
		members := m.extremes[kind+" "+p.key()]
		if members == nil {
			members = map[string]*polynomial{p.key(): p}
		}
		maps.Copy(of, members)
	}
	keys := slices.Sorted(maps.Keys(of))
	if len(keys) == 1 {
		return of[keys[0]]
	}
	out := m.atom(kind+"("+strings.Join(keys, ", ")+")", elem)
	m.extremes[kind+" "+out.key()] = of
	return out
}

// elem is the type of what a read finds.
func (v element) elem() domain.Elem {
	if v.of == nil {
		return domain.Elem{}
	}
	return v.of.reads[v.read].Elem
}

func (m *polynomials) expr(e *loops.Expr, next func() *polynomial) *polynomial {
	switch e.Op {
	case loops.Read:
		return next()
	case loops.Literal:
		return constant(e.Number, e.Elem)
	case loops.FromInt:
		if e.Int.Op == loops.Number {
			return constant(new(big.Rat).SetInt64(e.Int.N), e.Elem)
		}
		panic(noPolynomial{})
	}
	before := len(m.partial)
	var args []*polynomial
	for _, a := range e.Args {
		args = append(args, m.expr(a, next))
	}
	float := e.Elem.Kind == domain.ElemFloat
	switch e.Op {
	case loops.Add:
		return args[0].plus(1, args[1])
	case loops.Sub:
		return args[0].plus(-1, args[1])
	case loops.Negate:
		return constant(new(big.Rat), e.Elem).plus(-1, args[0])
	case loops.Mul:
		return args[0].times(args[1])
	case loops.ShiftLeft:
		if by, ok := loops.Short(e); ok {
			return args[0].times(constant(new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(by))), e.Elem))
		}
	case loops.Convert:
		if float && e.Args[0].Elem.Kind == domain.ElemFloat {
			return args[0]
		}
		if e.Args[0].Elem.Kind == domain.ElemBool {
			return m.choice(e.Elem, args[0], constant(big.NewRat(1, 1), e.Elem), constant(new(big.Rat), e.Elem))
		}
	case loops.Div:
		if n, ok := args[1].number(); float && ok && n.Sign() != 0 {
			return args[0].times(constant(new(big.Rat).Inv(n), e.Elem))
		} else if float {
			inverse := "inv(" + args[1].key() + ")"
			m.partial[inverse] = true
			return args[0].times(m.atom(inverse, e.Elem))
		}
	case loops.Choice:
		if l, ok := m.less[args[0].key()]; ok && e.Elem.Kind != domain.ElemBool {
			x, y, a, b := args[1].key(), args[2].key(), l.x.key(), l.y.key()
			switch { // either asks for both
			case a == x && b == y:
				return m.extreme(loops.Minimum, e.Elem, args[1:])
			case a == y && b == x:
				return m.extreme(loops.Maximum, e.Elem, args[1:])
			}
		}
		if len(m.partial) != before { // what may have no value is not always executed
			panic(noPolynomial{})
		}
		return m.choice(e.Elem, args[0], args[1], args[2])
	case loops.Minimum, loops.MinNum:
		return m.extreme(loops.Minimum, e.Elem, args)
	case loops.Maximum, loops.MaxNum:
		return m.extreme(loops.Maximum, e.Elem, args)
	}
	var keys []string
	for _, a := range args {
		keys = append(keys, a.key())
	}
	switch e.Op {
	case loops.BitAnd, loops.BitOr, loops.BitXor, loops.IsEqual, loops.IsNotEqual:
		slices.Sort(keys)
	}
	name := fmt.Sprint(e.Op, e.Elem, e.Name, "(", strings.Join(keys, ", "), ")")
	if e.Op == loops.Function || e.Op == loops.Div || e.Op == loops.Rem || e.Op == loops.DivDown || e.Op == loops.DivUp {
		m.partial[name] = true
	}
	out := m.atom(name, e.Elem)
	other := func(op loops.Op, keys ...string) *polynomial {
		return m.atom(fmt.Sprint(op, e.Elem, e.Name, "(", strings.Join(keys, ", "), ")"), e.Elem)
	}
	switch e.Op {
	case loops.IsLess:
		m.less[out.key()] = comparison{args[0], args[1], e.Args[0].Elem}
	case loops.IsLessEqual: // not y < x
		m.less[out.key()] = comparison{args[0], args[1], e.Args[0].Elem}
		less := other(loops.IsLess, keys[1], keys[0])
		m.less[less.key()] = comparison{args[1], args[0], e.Args[0].Elem}
		m.not[out.key()] = less
	case loops.IsNotEqual:
		m.not[out.key()] = other(loops.IsEqual, keys...)
	case loops.BitNot:
		if e.Elem.Kind != domain.ElemBool {
			break
		}
		if of, ok := m.not[keys[0]]; ok {
			return of
		}
		m.not[out.key()] = args[0]
		if l, ok := m.less[keys[0]]; ok {
			m.less[out.key()] = comparison{l.y, l.x, l.of}
		}
	}
	return out
}

// choice is one of two values: of which each is what it is where the condition holds, or where it does not.
func (m *polynomials) choice(elem domain.Elem, cond, yes, no *polynomial) *polynomial {
	if of, ok := m.not[cond.key()]; ok {
		cond, yes, no = of, no, yes
	}
	yes, no = m.under(yes, cond, 1), m.under(no, cond, 2)
	if yes.key() == no.key() {
		return yes
	}
	if l, ok := m.less[cond.key()]; ok && l.of == elem { // by how much one is ahead of the other
		most := func() *polynomial { return m.extreme(loops.Maximum, elem, []*polynomial{l.x, l.y}).plus(-1, l.x) }
		switch yes.plus(-1, no).key() {
		case l.y.plus(-1, l.x).key():
			return no.plus(1, most())
		case l.x.plus(-1, l.y).key():
			return no.plus(-1, most())
		}
	}
	name := fmt.Sprint("choice", elem, "(", cond.key(), ", ", yes.key(), ", ", no.key(), ")")
	out := m.atom(name, elem)
	m.chosen[m.atoms[name]] = [3]*polynomial{cond, yes, no}
	return out
}

// under is a value where a condition is known: where it holds branch is 1, and 2 where it does not.
func (m *polynomials) under(p, cond *polynomial, branch int) *polynomial {
	out := &polynomial{terms: map[string]*big.Rat{}, modulus: p.modulus}
	changed := false
	for atoms, n := range p.terms {
		term := &polynomial{terms: map[string]*big.Rat{"": n}, modulus: p.modulus}
		for _, a := range strings.Split(atoms, "*") {
			by := &polynomial{terms: map[string]*big.Rat{a: big.NewRat(1, 1)}, modulus: p.modulus}
			if of, ok := m.chosen[a]; ok && of[0].key() == cond.key() {
				by, changed = m.under(of[branch], cond, branch), true
			}
			term = term.times(by)
		}
		out = out.plus(1, term)
	}
	if !changed {
		return p
	}
	return out
}

func modulus(e domain.Elem) *big.Int {
	if e.Kind == domain.ElemInt || e.Kind == domain.ElemUint {
		return new(big.Int).Lsh(big.NewInt(1), uint(e.Width))
	}
	return nil
}

// atom is one of a name: in products atoms have numbers.
func (m *polynomials) atom(name string, e domain.Elem) *polynomial {
	if m.atoms[name] == "" {
		m.atoms[name] = fmt.Sprint(len(m.atoms))
	}
	return &polynomial{terms: map[string]*big.Rat{m.atoms[name]: big.NewRat(1, 1)}, modulus: modulus(e)}
}

func constant(n *big.Rat, e domain.Elem) *polynomial {
	p := &polynomial{terms: map[string]*big.Rat{}, modulus: modulus(e)}
	p.add("", n)
	return p
}

// add adds a multiple of a product of atoms.
func (p *polynomial) add(atoms string, n *big.Rat) {
	sum := new(big.Rat).Set(n)
	if old := p.terms[atoms]; old != nil {
		sum.Add(sum, old)
	}
	if p.modulus != nil {
		if !sum.IsInt() {
			panic(noPolynomial{})
		}
		sum.SetInt(new(big.Int).Mod(sum.Num(), p.modulus))
	}
	if p.terms[atoms] = sum; sum.Sign() == 0 {
		delete(p.terms, atoms)
	}
	if len(p.terms) > maxTerms {
		panic(noPolynomial{})
	}
}

func (p *polynomial) plus(k int64, q *polynomial) *polynomial {
	out := &polynomial{terms: maps.Clone(p.terms), modulus: p.modulus}
	for atoms, n := range q.terms {
		out.add(atoms, new(big.Rat).Mul(n, big.NewRat(k, 1)))
	}
	return out
}

func (p *polynomial) times(q *polynomial) *polynomial {
	out := &polynomial{terms: map[string]*big.Rat{}, modulus: p.modulus}
	for a, n := range p.terms {
		for b, k := range q.terms {
			out.add(product(a, b), new(big.Rat).Mul(n, k))
		}
	}
	return out
}

// product is one of the atoms of two.
func product(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	list := append(strings.Split(a, "*"), strings.Split(b, "*")...)
	slices.Sort(list)
	return strings.Join(list, "*")
}

func (p *polynomial) number() (*big.Rat, bool) {
	switch n := p.terms[""]; {
	case len(p.terms) == 0:
		return new(big.Rat), true
	case len(p.terms) == 1 && n != nil:
		return n, true
	}
	return nil, false
}

func (p *polynomial) key() string {
	var out []string
	for _, atoms := range slices.Sorted(maps.Keys(p.terms)) {
		out = append(out, p.terms[atoms].RatString()+"*"+atoms)
	}
	return strings.Join(out, "+")
}

// refines tells whether a value of AFTER is one of BEFORE's, and there where that is.
func (q *question) refines(p, after *polynomial) bool {
	if after == nil || p.key() != after.key() {
		return false
	}
	if q.valued() {
		return true
	}
	for _, of := range [][2]map[string]bool{{p.partial, after.partial}, {p.reads, after.reads}} {
		for name := range of[1] {
			if !of[0][name] {
				return false
			}
		}
	}
	return true
}

// valued tells whether all that is computed has a value: there is no quotient of floats but by a number other than 0, and no function.
func (q *question) valued() bool {
	if q.partial == nil {
		partial := slices.ContainsFunc(slices.Concat(q.before.stmts, q.after.stmts), func(s *stmt) bool {
			return s.value != nil && mayBePartial(s.value)
		})
		q.partial = &partial
	}
	return !*q.partial
}

func mayBePartial(e *loops.Expr) bool {
	if e.Op == loops.Function || e.Op == loops.Special || e.Op == loops.Div && e.Elem.Kind == domain.ElemFloat &&
		!(e.Args[1].Op == loops.Literal && e.Args[1].Number.Sign() != 0) {
		return true
	}
	return slices.ContainsFunc(e.Args, mayBePartial)
}
