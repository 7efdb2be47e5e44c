package lower

import (
	"math/big"
	"slices"
	"strings"

	"tv/semantics/domain"
	"tv/semantics/index"
	"tv/semantics/loops"
	"tv/semantics/term"
)

// int is an integer of control where a statement is executed.
func (l *lowering) int(x *loops.Int, e env, ctx *index.Context) *index.Expr {
	s, ok := l.t.Places.Size(x)
	if !ok {
		fail(x.At, "this is not affine")
	}
	return l.size(s, e, ctx)
}

// size is a size of the text, in which names may stand for other things.
func (l *lowering) size(s domain.Size, names map[string]*index.Expr, ctx *index.Context) *index.Expr {
	if x, ok := names[s.Name()]; ok && s.Op() == domain.SizeName {
		return x
	}
	e, err := l.SizeAt(ctx, l.t.Size(s), names)
	if err != nil {
		fail(l.t.Procedure.Span, "%v", err)
	}
	return e
}

// value is an element that a statement computes.
func (l *lowering) value(x *loops.Expr, s loops.Stmt, e env, ctx *index.Context) *term.Term {
	sort := l.Sort(x.Elem)
	switch x.Op {
	case loops.Read:
		q := query{env: e, buffer: x.From.Buffer}
		for _, at := range x.From.At {
			q.cell = append(q.cell, l.int(at, e, ctx))
		}
		return l.read(s, q, ctx)
	case loops.Literal:
		return l.literal(sort, x.Number)
	case loops.Special:
		if sort.Kind == term.Real && x.Name == "-0" { // what a sum begins with that is to keep the sign of zeros
			return l.Number(sort, new(big.Rat))
		}
		if sort.Kind != term.Float {
			fail(x.At, "%s is no real number", x.Name)
		}
		return l.B.Special(sort, x.Name)
	case loops.FromInt:
		return l.B.Number(sort, l.int(x.Int, e, ctx))
	case loops.Convert: // an integer that lies in its type is that as a real number
		if n := l.sized(x.Args[0]); n != nil && sort.Kind == term.Real {
			return l.B.Number(sort, l.int(n, e, ctx))
		}
	case loops.Choice:
		yes, no := l.value(x.Args[1], s, e, ctx), l.value(x.Args[2], s, e, ctx)
		return l.choose(x.Args[0], l.value(x.Args[0], s, e, ctx), yes, no)
	}
	args := make([]*term.Term, len(x.Args))
	for i, a := range x.Args {
		args[i] = l.value(a, s, e, ctx)
	}
	return l.applied(x, sort, args)
}

// sized returns the integer of control that an element is if it is a size, or a product of some, and lies in its type; nil of others.
func (l *lowering) sized(x *loops.Expr) (n *loops.Int) {
	switch {
	case x.Op == loops.FromInt && !x.Int.Counts():
		n = x.Int
	case x.Op == loops.Mul:
		a, b := l.sized(x.Args[0]), l.sized(x.Args[1])
		if a == nil || b == nil {
			return nil
		}
		n = &loops.Int{Op: loops.Times, Args: []*loops.Int{a, b}}
	default:
		return nil
	}
	if s, ok := l.t.Places.Size(n); !ok || !l.t.Within(s, x.Elem) {
		return nil
	}
	return n
}

// literal is a number, of integers without a conversion where it lies in the type.
func (l *lowering) literal(s term.Sort, v *big.Rat) *term.Term {
	if (s.Kind == term.Signed || s.Kind == term.Unsigned) && v.IsInt() && inType(v.Num(), s) {
		return l.B.Const(s, v)
	}
	return l.Number(s, v)
}

func inType(n *big.Int, s term.Sort) bool {
	if s.Kind == term.Unsigned {
		return n.Sign() >= 0 && n.BitLen() <= s.Width
	}
	if n.Sign() < 0 {
		n = new(big.Int).Not(n)
	}
	return n.BitLen() < s.Width
}

// applied is an operation on elements.
func (l *lowering) applied(x *loops.Expr, sort term.Sort, args []*term.Term) *term.Term {
	ordered := sort.Kind != term.Float
	switch x.Op {
	case loops.Convert:
		if args[0].Sort == sort && x.Elem.Kind == x.Args[0].Elem.Kind {
			return args[0]
		}
		return l.B.Convert(sort, args[0])
	case loops.Negate:
		return l.B.Neg(args[0])
	case loops.Add:
		return l.B.Add(args[0], args[1])
	case loops.Sub:
		return l.Sub(args[0], args[1])
	case loops.Mul:
		return l.B.Mul(args[0], args[1])
	case loops.ShiftLeft: // by a literal: a product modulo 2^width
		by, ok := loops.Short(x)
		if !ok {
			break
		}
		factor := new(big.Int).Lsh(big.NewInt(1), uint(by))
		if !inType(factor, sort) { // of a type with a sign
			factor.Neg(factor)
		}
		return l.B.Mul(args[0], l.B.Const(sort, new(big.Rat).SetInt(factor)))
	case loops.Div:
		if x.Elem.Kind == domain.ElemFloat {
			return l.B.Div(args[0], args[1])
		}
	case loops.Minimum, loops.MinNum:
		if ordered {
			return l.B.Min(args[0], args[1])
		}
	case loops.Maximum, loops.MaxNum:
		if ordered {
			return l.greatest(args[0], args[1])
		}
	case loops.Absolute:
		if ordered {
			return l.B.Max(args[0], l.B.Neg(args[0]))
		}
	case loops.Function:
		switch x.Name {
		case term.Exp, term.Log, term.Sqrt, term.Erf:
			return l.B.Apply(sort, x.Name, args...)
		}
		return l.B.Apply(sort, "c."+x.Name, args...)
	}
	return l.B.Apply(sort, names[x.Op], args...)
}

// names are those of operations that no engine knows: the same on the same operands is the same.
var names = map[loops.Op]string{
	loops.Div: "c.div", loops.Rem: "c.rem", loops.DivDown: "c.floordiv", loops.DivUp: "c.ceildiv",
	loops.BitAnd: "c.and", loops.BitOr: "c.or", loops.BitXor: "c.xor", loops.BitNot: "c.not",
	loops.ShiftLeft: "c.shl", loops.ShiftRight: "c.shr",
	loops.IsEqual: "c.eq", loops.IsNotEqual: "c.ne", loops.IsLess: "c.lt", loops.IsLessEqual: "c.le",
	loops.Minimum: "c.minimum", loops.Maximum: "c.maximum", loops.MinNum: "c.minnum", loops.MaxNum: "c.maxnum",
	loops.Absolute: "c.abs",
}

// choose is one of two values, as a condition says. The lesser or the greater of the two that are compared is that, and
// of x and -x where x is compared with 0.
func (l *lowering) choose(c *loops.Expr, cond, yes, no *term.Term) *term.Term {
	if yes == no && !l.partial(cond) {
		return yes
	}
	signed := yes.Sort.Kind == term.Real || yes.Sort.Kind == term.Signed // of which -MIN is MIN
	if (c.Op == loops.IsLess || c.Op == loops.IsLessEqual) && yes.Sort.Kind != term.Float && cond.Op == term.Apply {
		switch a, b := l.asWas(cond.Args[0], yes, no), l.asWas(cond.Args[1], yes, no); {
		case yes == a && no == b:
			return l.B.Min(a, b)
		case yes == b && no == a:
			return l.greatest(a, b)
		case signed && (isZero(b) && no == a && yes == l.B.Neg(a) || isZero(a) && yes == b && no == l.B.Neg(b)):
			return l.B.Max(yes, no)
		case signed && (isZero(b) && yes == a && no == l.B.Neg(a) || isZero(a) && no == b && yes == l.B.Neg(b)):
			return l.B.Min(yes, no)
		}
		if t := l.clamped(l.asWas(cond.Args[0], yes, no), l.asWas(cond.Args[1], yes, no), yes, no); t != nil {
			return t
		}
	}
	asked := l.parts(cond, map[*term.Term]bool{})
	if !l.total(yes, asked) || !l.total(no, asked) { // all engines take the operands of a function to be asked for
		fail(c.At, "a branch that may have no value, which counts only where it is taken")
	}
	cond, yes, no = l.straight(cond, yes, no)
	return l.B.Apply(yes.Sort, "c.choose", cond, yes, no)
}

// asWas is an integer that is compared, as what is chosen if it is one of these made wider, or a number that they may be.
func (l *lowering) asWas(x, yes, no *term.Term) *term.Term {
	if (yes.Sort.Kind != term.Signed && yes.Sort.Kind != term.Unsigned) || x.Sort == yes.Sort ||
		x.Sort.Kind != term.Signed || x.Sort.Width <= yes.Sort.Width {
		return x
	}
	switch {
	case x.Op == term.Convert && x.Args[0].Sort == yes.Sort:
		return x.Args[0]
	case isNumber(x) && x.Value.IsInt() && inType(x.Value.Num(), yes.Sort):
		return l.B.Const(yes.Sort, x.Value)
	}
	return x
}

// clamped is yes where a < b, or a <= b, and else no, if that keeps a number within two numbers. With n <= a,
// a < b ? a : max(b, n) is min(a, max(b, n)), and so on.
func (l *lowering) clamped(a, b, yes, no *term.Term) *term.Term {
	switch {
	case yes == a && isBound(no, term.Max, b, a):
		return l.B.Min(a, no)
	case yes == b && isBound(no, term.Min, a, b):
		return l.greatest(b, no)
	case no == a && isBound(yes, term.Min, b, a):
		return l.greatest(a, yes)
	case no == b && isBound(yes, term.Max, a, b):
		return l.B.Min(b, yes)
	}
	return nil
}

// isBound tells whether t is the maximum (minimum) of x and a number that is at most (at least) the number n.
func isBound(t *term.Term, op term.Op, x, n *term.Term) bool {
	m := otherThan(t, op, x)
	return isNumber(n) && isNumber(m) && m.Sort == n.Sort && (op == term.Max && m.Value.Cmp(n.Value) <= 0 ||
		op == term.Min && m.Value.Cmp(n.Value) >= 0)
}

func isNumber(t *term.Term) bool {
	return t != nil && t.Op == term.Const && t.Name == "" && t.Value != nil
}

// otherThan returns the operand of an operation beside x; nil where t is none.
func otherThan(t *term.Term, op term.Op, x *term.Term) *term.Term {
	switch {
	case t.Op != op:
	case t.Args[0] == x:
		return t.Args[1]
	case t.Args[1] == x:
		return t.Args[0]
	}
	return nil
}

// greatest is a maximum: max(n, min(x, m)) with n <= m is min(m, max(n, x)). The least number of a type of integers is MIN.
func (l *lowering) greatest(x, y *term.Term) *term.Term {
	if isNumber(y) {
		x, y = y, x
	}
	if isNumber(x) && x.Sort.Kind == term.Signed && new(big.Int).Not(x.Value.Num()).Cmp(most(x.Sort)) == 0 {
		return l.B.Max(l.B.Lowest(x.Sort), y)
	}
	if isNumber(x) && y.Op == term.Min {
		for k, m := range y.Args {
			if isNumber(m) && m.Sort == x.Sort && x.Value.Cmp(m.Value) <= 0 {
				return l.B.Min(m, l.B.Max(x, y.Args[1-k]))
			}
		}
	}
	return l.B.Max(x, y)
}

// most is the greatest number of a signed type.
func most(s term.Sort) *big.Int {
	n := new(big.Int).Lsh(big.NewInt(1), uint(s.Width-1))
	return n.Sub(n, big.NewInt(1))
}

func isZero(t *term.Term) bool { return t.Op == term.Const && t.Value.Sign() == 0 }

// straight says a choice by what does not hold, or of what has an order by what is less, as one by the opposite.
func (l *lowering) straight(cond, yes, no *term.Term) (c, x, y *term.Term) {
	if cond.Op != term.Apply || cond.Sort.Kind != term.Bool {
		return cond, yes, no
	}
	switch cond.Name {
	case names[loops.BitNot]:
		return l.straight(cond.Args[0], no, yes)
	case names[loops.IsNotEqual]:
		return l.B.Apply(cond.Sort, names[loops.IsEqual], cond.Args...), no, yes
	case names[loops.IsLess]:
		if a, b := cond.Args[0], cond.Args[1]; a.Sort.Kind != term.Float {
			return l.B.Apply(cond.Sort, names[loops.IsLessEqual], b, a), no, yes
		}
	}
	return cond, yes, no
}

// parts adds to a set what a term asks for wherever it is asked for: what stands below no fold and no choice by sizes.
func (l *lowering) parts(t *term.Term, to map[*term.Term]bool) map[*term.Term]bool {
	if to[t] {
		return to
	}
	to[t] = true
	switch t.Op {
	case term.Reduce, term.If, term.Gather:
		return to
	}
	for _, a := range t.Args {
		l.parts(a, to)
	}
	return to
}

// total tells whether a term has a value wherever some others have: it is one of them, is not partial, or is a sum or a
// product of what is total.
func (l *lowering) total(t *term.Term, asked map[*term.Term]bool) bool {
	if asked[t] || !l.partial(t) {
		return true
	}
	switch t.Op {
	case term.Add, term.Mul, term.Neg:
		return !slices.ContainsFunc(t.Args, func(a *term.Term) bool { return !l.total(a, asked) })
	}
	return false
}

// partial tells whether a real number, or what is made of some, may have no value: it is divided by, or out of the range of
// a function.
func (l *lowering) partial(t *term.Term) bool {
	if !t.MayBePartial() && !t.MayBeLowest() || t.Sort.Kind == term.Float {
		return false
	}
	known, ok := l.partials[t]
	if ok {
		return known
	}
	switch known = t.MayBeLowest(); t.Op {
	case term.Div:
		known = known || t.Args[1].Op != term.Const || t.Args[1].Value.Sign() == 0
	case term.Apply:
		known = known || t.Sort.Kind == term.Real && !slices.Contains(total, t.Name)
	case term.Gather, term.Read:
		known = true
	}
	known = known && !strings.HasPrefix(t.Name, "c."+loops.Ends) || slices.ContainsFunc(t.Args, l.partial)
	l.partials[t] = known
	return known
}

// total are the functions that every real number is in the range of.
var total = []string{term.Exp, term.Erf, "c.sin", "c.cos", "c.tanh", "c.floor", "c.ceil", "c.round", "c.trunc", "c.fma", "c.choose"}

// safe refuses what a call may end at for some elements and not for others, and then reads of locals that cannot be traced to
// a write: to leave either out of a program has no trace in what its cells hold. In this order, as a trace computes values.
func (l *lowering) safe() error {
	if a, b, found := l.t.Procedure.Overlapping(); found {
		return l.try(func() { fail(b.Span, "%s and %s may overlap, and what that leaves is not told", a.Name, b.Name) })
	}
	for _, refuse := range []func(*loops.Expr, *loops.Place){l.harmless, l.written} {
		for _, pl := range l.t.Places.Ordered() {
			var list []*loops.Expr
			switch s := pl.Stmt.(type) {
			case *loops.Assign:
				list = append(list, s.Value)
			case *loops.When:
				list = append(list, s.Cond)
			case *loops.For:
				if err := l.try(func() { l.unordered(s) }); err != nil {
					return err
				}
			}
			for len(list) > 0 {
				x := list[0]
				list = append(list[1:], x.Args...)
				if err := l.try(func() { refuse(x, pl) }); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// unordered refuses reductions of floats bit for bit in a parallel loop. Others have any order: iterations are
// independent, as the program owes, and so they are taken one after the other.
func (l *lowering) unordered(s *loops.For) {
	if s.Parallel == nil || len(s.Parallel.Reductions) == 0 {
		return
	}
	for _, pl := range l.t.Places.Ordered() {
		if a, ok := pl.Stmt.(*loops.Assign); ok && l.Sort(a.To.Buffer.Elem).Kind == term.Float {
			fail(s.At, "a reduction of %s in any order", a.To.Buffer.Elem)
		}
	}
}

// harmless refuses an operation at which a call may end.
func (l *lowering) harmless(x *loops.Expr, _ *loops.Place) {
	integer := func(t domain.Elem) bool { return t.Kind == domain.ElemInt || t.Kind == domain.ElemUint }
	switch x.Op {
	case loops.Read, loops.Literal, loops.FromInt, loops.Negate, loops.Add, loops.Sub, loops.Mul:
	default:
		if integer(x.Elem) && !l.bits(x.Elem) {
			fail(x.At, "%s has no such operation in real arithmetic", x.Elem)
		}
	}
	if x.Checked && l.bits(x.Elem) && l.t.Ends == nil {
		fail(x.At, "signed overflow may end the call here, which contents decide")
	}
	switch x.Op {
	case loops.Div, loops.Rem, loops.DivDown, loops.DivUp:
		if l.t.Ends == nil && loops.MayEnd(x, l.t.Procedure.Wide) {
			fail(x.At, "a division of integers by what may be 0")
		}
	case loops.ShiftLeft, loops.ShiftRight:
		if l.t.Ends == nil && loops.MayEnd(x, l.t.Procedure.Wide) {
			fail(x.At, "a shift by what may be too far")
		}
	case loops.Convert:
		if integer(x.Elem) && x.Args[0].Elem.Kind == domain.ElemFloat {
			fail(x.At, "a conversion to %s of what may be beyond it", x.Elem)
		}
	}
}

// written traces a local that is read, at any iteration of the loops around.
func (l *lowering) written(x *loops.Expr, pl *loops.Place) {
	a := x.From
	if x.Op != loops.Read || a.Buffer.Kind <= loops.In {
		return
	}
	var path []*loops.Place
	for p := pl.Parent; p != nil; p = p.Parent {
		path = append(path, p)
	}
	slices.Reverse(path)
	l.anyInstance(append(path, pl), env{}, l.X.Root(), func(e env, ctx *index.Context) {
		q := query{env: e, buffer: a.Buffer}
		for _, at := range a.At {
			q.cell = append(q.cell, l.int(at, e, ctx))
		}
		l.read(pl.Stmt, q, ctx)
	})
}

// anyInstance calls f for an instance of the last statement of a path, wherever it is executed.
func (l *lowering) anyInstance(path []*loops.Place, e env, ctx *index.Context, f func(env, *index.Context)) {
	if len(path) == 1 {
		f(e, ctx)
		return
	}
	switch s := path[0].Stmt.(type) {
	case *loops.For:
		l.anyInstance(path[1:], e.with(l.anyIteration(path[0], e, ctx)), ctx, f)
	case *loops.If:
		reached := func(ctx *index.Context) *term.Term {
			l.anyInstance(path[1:], e, ctx, f)
			return l.B.Truth(true)
		}
		never := func(*index.Context) *term.Term { return l.B.Truth(false) }
		l.branch(s.Cond, path[1].Else, e, ctx, reached, never)
	default:
		l.anyInstance(path[1:], e, ctx, f)
	}
}

// anyIteration is a counter that has any of its values.
func (l *lowering) anyIteration(loop *loops.Place, e env, ctx *index.Context) env {
	s := loop.Stmt.(*loops.For)
	lo, hi := l.int(loops.Greatest.Of(s.Lo...), e, ctx), l.int(loops.Least.Of(s.Hi...), e, ctx)
	if loop.Iteration() != loop.Name {
		step := l.int(s.Step, e, ctx)
		if !l.X.Nonneg(l.X.Root(), l.X.AddInt(step, -1)) {
			fail(s.At, "a loop that counts down by more than 1")
		}
		trips := l.X.Div(ctx, l.X.AddInt(l.X.Add(l.X.Sub(hi, lo), step), -1), step)
		return l.enter(loop, l.X.NewVar(s.Name, l.X.Const(0), trips).Expr(), e, ctx)
	}
	if l.down(loop) {
		lo, hi = l.X.AddInt(l.int(loops.Greatest.Of(s.Hi...), e, ctx), 1), l.X.AddInt(lo, 1)
	}
	return env{loop.Name: l.X.NewVar(s.Name, lo, hi).Expr()}
}
