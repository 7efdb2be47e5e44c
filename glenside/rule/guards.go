package rule

import (
	"fmt"

	"tv/semantics/domain"
)

// truth is what is known of a condition: no value is neither true nor false.
type truth uint8

const (
	isOpen truth = iota // it depends on sizes: a Pred says how
	isTrue
	isFalse
	isUnknown
)

// A condition is a guard in a case.
type condition struct {
	truth truth
	pred  *domain.Pred // where truth is isOpen
}

// guard returns what a guard is in the case.
func (e *elaborator) guard(g *Guard) condition {
	switch g.Op {
	case "not":
		c := e.guard(g.Args[0])
		switch c.truth {
		case isTrue:
			return condition{truth: isFalse}
		case isFalse:
			return condition{truth: isTrue}
		case isOpen:
			return condition{pred: &domain.Pred{Op: domain.PredNot, Args: []*domain.Pred{c.pred}}}
		}
		return c
	case "and", "or":
		op, strong, weak := domain.PredAnd, isFalse, isTrue
		if g.Op == "or" {
			op, strong, weak = domain.PredOr, isTrue, isFalse
		}
		all := condition{truth: weak}
		p := &domain.Pred{Op: op}
		unknown := false
		for _, a := range g.Args {
			switch c := e.guard(a); c.truth {
			case strong:
				return c
			case isUnknown:
				unknown = true
			case isOpen:
				p.Args = append(p.Args, c.pred)
			}
		}
		switch {
		case unknown && len(p.Args) == 0:
			return condition{truth: isUnknown}
		case unknown && e.negated(g):
			panic(escape{"a guard without a value under a negation"})
		case unknown && op == domain.PredAnd: // false or without a value: not true either way
			return condition{truth: isUnknown}
		case len(p.Args) == 1:
			return condition{pred: p.Args[0]}
		case len(p.Args) > 1:
			return condition{pred: p}
		}
		return all
	}
	return e.atom(g)
}

// negated tells whether a guard stands under a negation.
func (e *elaborator) negated(g *Guard) bool {
	var under func(x *Guard, not bool) bool
	under = func(x *Guard, not bool) bool {
		if x == g {
			return not
		}
		for _, a := range x.Args {
			if under(a, not || x.Op == "not") {
				return true
			}
		}
		return false
	}
	for _, w := range e.rule.Where {
		if under(w, false) {
			return true
		}
	}
	return false
}

func (e *elaborator) atom(g *Guard) (c condition) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case noValue, illFormed:
			c = condition{truth: isUnknown}
		case unknownList:
			e.eachPermutation(r.name)
		default:
			panic(r)
		}
	}()
	if g.Op == "permutation" || g.Op == "=" && isList(g.A) {
		return e.listAtom(g)
	}
	a, b, ok := e.sidesOf(g)
	if ok {
		return decided(true)
	}
	var p *domain.Pred
	switch g.Op {
	case "=":
		p = &domain.Pred{Op: domain.PredEq, A: a, B: b}
	case "<":
		p = &domain.Pred{Op: domain.PredLt, A: a, B: b}
	case "<=":
		p = &domain.Pred{Op: domain.PredLe, A: a, B: b}
	default:
		p = &domain.Pred{Op: domain.PredDivides, A: a, B: b}
	}
	if len(p.Names()) == 0 {
		ok, err := p.Eval(nil)
		if err != nil {
			return condition{truth: isUnknown}
		}
		return decided(ok)
	}
	counts := false
	for _, name := range p.Names() {
		counts = counts || isRank(name)
	}
	if !counts {
		return condition{pred: p}
	}
	d := b.Sub(a)
	neg := domain.IntSize(0).Sub(d)
	switch g.Op {
	case "=":
		if d.Equal(domain.IntSize(0)) {
			return decided(true)
		}
		if e.atLeast(d, 1) || e.atLeast(neg, 1) {
			return decided(false)
		}
	case "<":
		if e.atLeast(d, 1) {
			return decided(true)
		}
		if e.atLeast(neg, 0) {
			return decided(false)
		}
	case "<=":
		if e.atLeast(d, 0) {
			return decided(true)
		}
		if e.atLeast(neg, 1) {
			return decided(false)
		}
	default:
		panic(escape{"divisibility of a number of dims"})
	}
	for _, name := range d.Names() {
		if q := e.unsettled(name); q != "" {
			panic(escape{fmt.Sprintf("%s is compared with a number of dims and fixes no axis", q)})
		}
	}
	e.open(d, nil)
	panic("unreachable")
}

func decided(ok bool) condition {
	if ok {
		return condition{truth: isTrue}
	}
	return condition{truth: isFalse}
}

func isList(x *Expr) bool { return x.Kind == ListName || x.Kind == ListOp }

func (e *elaborator) listAtom(g *Guard) condition {
	if c, ok := e.wordAtom(g); ok {
		return c
	}
	l := e.list(g.A)
	if g.Op == "permutation" {
		n := e.int(g.B)
		if !length(l).Equal(n) {
			d := n.Sub(length(l))
			if e.atLeast(d, 1) || e.atLeast(domain.IntSize(0).Sub(d), 1) {
				return decided(false)
			}
			e.open(d, nil)
		}
		return decided(e.isPermutation(l))
	}
	m := e.list(g.B)
	l, m = joined(l), joined(m)
	if len(l) == len(m) {
		same := true
		for i := range l {
			same = same && l[i].lo.Equal(m[i].lo) && l[i].hi.Equal(m[i].hi)
		}
		if same {
			return decided(true)
		}
	}
	for _, r := range append(append([]run(nil), l...), m...) {
		_, lo := r.lo.Const()
		_, hi := r.hi.Const()
		if !lo || !hi {
			panic(escape{"lists are compared that depend on ranks or sizes"})
		}
	}
	return decided(false)
}

// joined merges runs that follow each other.
func joined(l []run) []run {
	var out []run
	for _, r := range l {
		if n := len(out); n > 0 && out[n-1].hi.Equal(r.lo) {
			out[n-1].hi = r.hi
			continue
		}
		out = append(out, r)
	}
	return out
}

// isPermutation tells whether a list is a permutation of 0 .. n-1, n its length.
func (e *elaborator) isPermutation(l []run) (ok bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, none := r.(noValue); !none {
				panic(r)
			}
		}
	}()
	e.inverse(l)
	return true
}

// eachPermutation takes the case apart by what a list is that no transpose of the left side fixed, where a guard
// says that it is a permutation of a number of dims.
func (e *elaborator) eachPermutation(name string) {
	for _, g := range e.rule.Where {
		if g.Op != "permutation" || g.A.Kind != ListName || g.A.Text != name {
			continue
		}
		if n, ok := e.int(g.B).Int64(); ok && n <= maxListed {
			panic(split{e.permutationsOf(name, int(max(n, 0)))})
		}
	}
	panic(escape{fmt.Sprintf("%s is a list that no transpose on the left side uses by itself", name)})
}

// maxListed bounds the length of a list that is taken through all permutations.
const maxListed = 5

func (e *elaborator) permutationsOf(name string, n int) []alternative {
	var alts []alternative
	for _, p := range permutations(n) {
		alts = append(alts, func(a *assignment) {
			a.lists[name] = constants(p)
			a.note("%s = %v", name, p)
		})
	}
	return alts
}

// settleAxes takes the case apart by the integers that the guard, not the left side, says are axes or places between
// them: 0 <= ?d and ?d < (rank ?a).
func (e *elaborator) settleAxes() {
	for _, q := range e.rule.Ints {
		_, settled := e.a.ints[q]
		if _, placed := e.a.places[q]; settled || placed || e.a.signed[q] || !e.notNegative(q) {
			continue
		}
		for _, g := range e.rule.Where {
			if g.Op != "<" && g.Op != "<=" || g.A.Kind != IntName || g.A.Text != q || g.B.Kind != IntOp || g.B.Text != "rank" ||
				g.B.Args[0].Kind == ListName {
				continue
			}
			name := programName(q)
			if x := g.B.Args[0]; x.Kind != Group {
				e.inOrder(x)
			}
			e.place(q, name, domain.NamedSize(name), e.parts(g.B.Args[0]), g.Op == "<", nil)
		}
	}
}

// notNegative tells whether the guard says that an integer is not negative, all by itself.
func (e *elaborator) notNegative(q string) bool {
	for _, g := range e.rule.Where {
		if (g.Op == "<" || g.Op == "<=") && g.B.Kind == IntName && g.B.Text == q && counts(g.A) {
			return true
		}
	}
	return false
}

// counts tells whether an integer is a number of dims or a number that is not negative.
func counts(x *Expr) bool {
	return x.Kind == Int && x.Value.Sign() >= 0 || x.Kind == IntOp && x.Text == "rank"
}
