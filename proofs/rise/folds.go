package rise

import (
	"fmt"
	"slices"
	"strings"

	"tv/proofs/algebra"
	"tv/semantics/domain"
)

// A folding is a left fold of n steps from a value, or of those up to the place last.
type folding struct {
	t    *typ // of what is accumulated
	n    *expr
	from *value
	last *expr
	step func(c *context, acc *value, k *expr) *value
}

func stateReduce(l *lowering, in *pattern, a []*value) *value {
	return l.fold(folding{t: in.types["t"], n: l.Place(in.sizes["n"]), from: a[1],
		step: func(c *context, acc *value, k *expr) *value {
			return a[0].apply(acc).apply(a[2].at(c, k))
		}})
}

// stateReduceElements is a reduction by a function that takes the element first.
func stateReduceElements(l *lowering, in *pattern, a []*value) *value {
	return l.fold(folding{t: in.types["t"], n: l.Place(in.sizes["n"]), from: a[1],
		step: func(c *context, acc *value, k *expr) *value {
			return a[0].apply(a[2].at(c, k)).apply(acc)
		}})
}

func stateScan(l *lowering, in *pattern, a []*value) *value {
	return l.array(in.sizes["n"], func(_ *context, i *expr) *value {
		return l.fold(folding{t: in.types["t"], n: l.Place(in.sizes["n"]), from: a[1], last: i,
			step: func(c *context, acc *value, k *expr) *value {
				return a[0].apply(a[2].at(c, k)).apply(acc)
			}})
	})
}

// fold is the value of a folding. Each element is found by itself: with a mark for what is
// accumulated, a step is "the same element of the mark, op e" for one op that is associative and
// commutative, and an e without marks. Then it is what it was before, op e of every step.
func (l *lowering) fold(g folding) *value {
	l.markers++
	name := fmt.Sprint(l.markers)
	mark := l.tensor(g.t, nil, nil,
		func(_ *context, path []int, at []*expr, elem domain.Elem) *element {
			return l.Read(unnamed("accumulator", name, path, at), nil, nil, elem, false)
		})
	return l.derived(g.t, func(c *context, elem domain.Elem, of leaf) *element {
		if g.n.Is(0) {
			return of(c, g.from)
		} else if g.last != nil && g.last.Is(0) {
			return of(c, g.step(c, g.from, g.last))
		}
		target := of(c, mark)
		u := &updates{l: l, name: algebra.Derived + "accumulator " + name + " ", target: target,
			sort: l.Elem(elem)}
		term := func(c *context, k *expr) *element { return of(c, g.step(c, mark, k)) }
		from := of(c, g.from)
		if t := term(c, l.B.NewVar(l.B.Const(0), g.n).Expr()); !u.are(t) || !u.ordered(from) {
			if all := l.word(c, g, u, from, term); all != nil {
				return all
			} else if acc := l.unrolled(c, g); acc != nil {
				return of(c, acc)
			}
			return l.unknown(c, g, u, from, term)
		}
		if u.op == algebra.OpRead { // nothing is added
			return from
		}
		whole := l.Reduce(u.fold(), u.sort, []*expr{g.n}, func(in []*expr) *element {
			var inside []*expr
			if g.last != nil {
				inside = []*expr{l.B.Sub(g.last, in[0])}
			}
			none := l.Nothing(u.fold(), u.sort)
			return l.State.Inside(c, inside, none, func(c *context) *element {
				t := term(c, in[0])
				if !u.are(t) {
					algebra.Fail(algebra.CodeUnsupported, "a fold whose steps differ")
				}
				return u.rest(t)
			})
		})
		if u.op == algebra.OpMin {
			return l.Mirrored(l.Op2(algebra.OpMax, l.Mirrored(from), whole))
		}
		return l.Op2(u.op, from, whole)
	})
}

// word is a fold each step of which joins as many elements by one associative operation (of a rule)
// to what is accumulated, all behind it or all before it: it joins all that the steps join to the
// start, as op(op(op(a, x), y), z) is op(a, op(op(x, y), z)). It is nil where it is none.
func (l *lowering) word(c *context, g folding, u *updates, from *element,
	term func(*context, *expr) *element) *element {
	n := g.n
	if g.last != nil {
		n = l.B.AddInt(g.last, 1)
	}
	joins := func(k *expr) (s *symbol, before bool, own []run) {
		j := l.joinings[term(c, k)]
		if j.by == nil || !j.by.associative || j.by.commutative {
			return nil, false, nil
		}
		first, end := j.runs[0].one, len(j.runs)-1
		if own = j.runs[1:]; first != u.target {
			before, own = true, j.runs[:end]
		}
		if before && j.runs[end].one != u.target {
			return nil, false, nil
		}
		_, told := l.tell(j.by, own, l.B.Const(0))
		if told.Partial() || u.marked(told, map[*element]bool{}) {
			return nil, false, nil
		}
		return j.by, before, own
	}
	k := l.B.NewVar(l.B.Const(0), n)
	by, before, own := joins(k.Expr())
	if by == nil || from.Partial() {
		return nil
	}
	each, _ := l.tell(by, own, l.B.Const(0))
	if each.Mentions(k) {
		return nil
	}
	steps := run{n: l.B.Mul(n, each), told: func(start *expr) *element {
		return l.Reduce(algebra.FoldSum, domain.Elem{}, []*expr{n}, func(in []*expr) *element {
			k := in[0]
			if before { // the last step is the first in the list
				k = l.B.AddInt(l.B.Sub(n, k), -1)
			}
			s, b, own := joins(k)
			if s != by || b != before {
				algebra.Fail(algebra.CodeUnsupported, "a fold whose steps differ")
			}
			m, told := l.tell(by, own, l.B.Add(start, l.B.Mul(in[0], each)))
			if m != each {
				algebra.Fail(algebra.CodeUnsupported, "a fold whose steps differ")
			}
			return told
		})
	}}
	if before {
		return l.join(by, u.sort, append([]run{steps}, l.runs(by, from)...))
	}
	return l.join(by, u.sort, append(slices.Clip(l.runs(by, from)), steps))
}

// unrolled is a fold of few steps, one after the other, and nil of many.
func (l *lowering) unrolled(c *context, g folding) *value {
	n, number := g.n.Const()
	if !number || n.Cmp(algebra.Int(algebra.MaxUnroll)) > 0 {
		return nil
	}
	steps, _ := n.Int64()
	acc := g.from
	var all []*value
	for k := range steps {
		acc = g.step(c, acc, l.B.Const(k))
		all = append(all, acc)
	}
	if g.last != nil {
		return l.among(g.t, all, g.last)
	}
	return acc
}

func isFloat(e domain.Elem) bool { return e.Kind == domain.ElemFloat }

func unread() {
	algebra.Fail(algebra.CodeUnsupported, "the checker does not read this fold of many steps: "+
		"it is not one sum, product, maximum or minimum")
}

// named is t with another name for the mark of the element; no other marks may be in it. What is
// equal for each number that is accumulated has to be equal as a function of it: so there is no
// maximum in it of which cases are told apart by what is accumulated. Nor may a step have no value.
func (u *updates) named(t, own *element, done map[*element]*element) *element {
	switch {
	case t == u.target:
		return own
	case done[t] != nil:
		return done[t]
	case !u.marked(t, map[*element]bool{}):
		if t.Partial() {
			unread()
		}
		done[t] = t
		return t
	case t.Op == algebra.OpRead, t.Partial(), algebra.IsReal(t.Elem) && (t.Op == algebra.OpMax ||
		t.Op == algebra.OpMin || t.Op == algebra.OpReduce && t.Fold == algebra.FoldMax):
		unread()
	}
	x := element{Op: t.Op, Fold: t.Fold, Name: t.Name, Val: t.Val, E: t.E, Vars: t.Vars,
		Elem: t.Elem}
	for _, a := range t.Args {
		x.Args = append(x.Args, u.named(a, own, done))
	}
	done[t] = u.l.Make(x)
	return done[t]
}

// Updates are the steps of a fold of one element.
type updates struct {
	l      *lowering
	name   string   // that those of marks begin with
	target *element // the mark of the element
	sort   domain.Elem
	op     algebra.Op // OpRead: the element stays as it is
	more   bool       // than one operand in a step
}

// are reports whether t is a step, of the same kind as all before.
func (u *updates) are(t *element) bool {
	op, n, ok := u.kind(t, map[*element]bool{})
	if u.op == algebra.OpConst || u.op == algebra.OpRead { // the first, or those that did nothing
		u.op = op
	}
	u.more = u.more || n > 1
	return ok && (op == algebra.OpRead || op == u.op)
}

// kind is the operation of a step, and how many operands it has.
func (u *updates) kind(t *element, seen map[*element]bool) (op algebra.Op, n int, ok bool) {
	switch {
	case t == u.target:
		return algebra.OpRead, 0, true
	case t.Op == algebra.OpAdd, t.Op == algebra.OpMul, t.Op == algebra.OpMax, t.Op == algebra.OpMin:
		x, other := u.sides(t, seen)
		if x == nil || u.marked(other, seen) {
			return 0, 0, false
		}
		op, n, ok = u.kind(x, seen)
		return t.Op, n + 1, ok && (op == algebra.OpRead || op == t.Op)
	case t.Op == algebra.OpIf, t.Op == algebra.OpFunction && t.Name == algebra.Chosen:
		branches := t.Args[len(t.Args)-2:]
		if len(t.Args) == 3 && u.marked(t.Args[0], seen) {
			return 0, 0, false
		}
		first, m, ok1 := u.kind(branches[0], seen)
		second, n, ok2 := u.kind(branches[1], seen)
		if first == algebra.OpRead {
			first = second
		} else if second == algebra.OpRead {
			second = first
		}
		extreme := first == algebra.OpMax || first == algebra.OpMin // nothing has no value there
		return first, max(m, n), ok1 && ok2 && first == second && !(extreme && len(t.Args) == 3)
	}
	return 0, 0, false
}

// sides are the operand that holds marks and the other one.
func (u *updates) sides(t *element, seen map[*element]bool) (x, other *element) {
	for i, a := range t.Args {
		if u.marked(a, seen) {
			return a, t.Args[1-i]
		}
	}
	return nil, nil
}

// marked reports whether a mark is in t. Seen holds what has none.
func (u *updates) marked(t *element, seen map[*element]bool) bool {
	if seen[t] {
		return false
	}
	if t.Op == algebra.OpRead && strings.HasPrefix(t.Name, u.name) {
		return true
	}
	for _, a := range t.Args {
		if u.marked(a, seen) {
			return true
		}
	}
	seen[t] = true
	return false
}

// ordered reports whether the fold has no order. Of floats, bit for bit, there are sums of single
// elements from 0: 0 and a sum from its first element on is the sum from 0, whose parts are not -0.
func (u *updates) ordered(from *element) bool {
	if algebra.IsReal(u.sort) || u.sort.Kind == domain.ElemInt || u.op == algebra.OpRead {
		return true
	}
	zero := from.Op == algebra.OpConst && from.Val != nil && from.Val.Sign() == 0
	return u.op == algebra.OpAdd && zero && !u.more
}

func (u *updates) fold() algebra.Fold {
	return map[algebra.Op]algebra.Fold{algebra.OpMul: algebra.FoldProduct,
		algebra.OpMax: algebra.FoldMax, algebra.OpMin: algebra.FoldMax}[u.op]
}

// rest is what a step adds, without the mark. A minimum is a maximum in the mirror.
func (u *updates) rest(t *element) *element {
	l := u.l
	switch {
	case t == u.target:
		return l.Nothing(u.fold(), u.sort)
	case t.Op == algebra.OpIf:
		return l.Make(element{Op: t.Op, E: t.E, Elem: t.Elem,
			Args: []*element{u.rest(t.Args[0]), u.rest(t.Args[1])}})
	case t.Op == algebra.OpFunction:
		return l.Chosen(t.Args[0], u.rest(t.Args[1]), u.rest(t.Args[2]))
	}
	x, other := u.sides(t, map[*element]bool{})
	op := u.op
	if op == algebra.OpMin {
		op, other = algebra.OpMax, l.Mirrored(other)
	}
	if x == u.target {
		return other
	}
	return l.Op2(op, u.rest(x), other)
}
