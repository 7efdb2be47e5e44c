package smt

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"tv/semantics/index"
	"tv/semantics/term"
)

// ErrUnsupported says that a term has no formula.
var ErrUnsupported = errors.New("smt: unsupported")

// ErrTooLarge says that a term grows beyond its limit when it is written out.
var ErrTooLarge = errors.New("smt: too large")

// Functions of Apply that front ends make, besides those of package term.
const (
	relu       = "relu"
	leakyRelu  = "leaky-relu" // of x and the slope, which is not looked at where x is positive
	sigmoid    = "sigmoid"
	tanh       = "tanh"
	round      = "round"
	leftShift  = "left-shift" // of x and the number of bits
	rightShift = "right-shift"
	subtract   = "subtract" // of saturating numbers, of which x + (-y) is not x - y
	mean       = "mean"     // of a sum and the number of summands, a real
)

// NewQuery asks whether t is defined and equals s wherever s is defined. The terms are written out (unroller),
// with what ctx knows of the variables that are free in them. What is left symbolic is abstracted, so that a valid
// query is valid for all values of the variables: reads at one row-major offset are one constant, conditions that
// ctx does not decide are free, and so are reductions over ranges without numbers. Errors:
// ErrTooLarge where more than limit terms would be written, ErrUnsupported for a term without a formula.
func NewQuery(b *term.Builder, ctx *index.Context, s, t *term.Term, limit int, abstract ...Abstraction) (*Query, error) {
	q := newQuery()
	x := newTranslation(q, b, ctx, limit, abstract)
	fs, err := x.element(s)
	if err != nil {
		return nil, err
	}
	ft, err := x.element(t)
	if err != nil {
		return nil, err
	}
	same := q.truth(fs.lowest == ft.lowest)
	if !fs.lowest && !ft.lowest {
		same = q.equal(fs.value, ft.value) // of floats: the same bits, all NaNs being one value
	}
	known := map[*form]bool{}
	conjuncts(fs.defined, known)
	// s is defined, and t is not or differs
	q.assert(q.and(fs.defined, q.not(q.and(q.without(ft.defined, known), same))))
	return q, nil
}

// NewElement asks for a value of t: the constant "result" is t, where t is defined.
func NewElement(b *term.Builder, ctx *index.Context, t *term.Term, limit int) (*Query, error) {
	q := newQuery()
	q.names["result"] = true // no input may be called so
	x := newTranslation(q, b, ctx, limit, nil)
	f, err := x.element(t)
	switch {
	case err != nil:
		return nil, err
	case f.lowest:
		return nil, ErrUnsupported
	}
	result := q.mk(form{op: "const", name: "result", sort: f.value.sort})
	q.constants = append(q.constants, constant{form: result, name: "result", sort: t.Sort})
	q.assert(q.and(f.defined, q.equal(result, f.value)))
	return q, nil
}

// A formed term is its value and when it has one. In the reals, MIN has no value but is known to be MIN.
type formed struct {
	value, defined *form
	lowest         bool
}

type translation struct {
	q     *Query
	u     *unroller
	memo  map[*term.Term]formed
	reads map[readKey]*form
	// values says of reads of partial tensors whether they have a value
	values map[*form]*form
	conds  map[*index.Expr]*form // undecided conditions
	calls  map[string][]call     // of uninterpreted functions, by name and sort
}

type readKey struct {
	tensor *term.Tensor
	offset *index.Expr // row-major
}

// A call of an uninterpreted function.
type call struct {
	args           []*form
	value, defined *form
}

func newTranslation(q *Query, b *term.Builder, ctx *index.Context, limit int, abstract []Abstraction) *translation {
	u := newUnroller(b, ctx, limit)
	u.abstract = abstract
	return &translation{
		q: q, u: u,
		memo: map[*term.Term]formed{}, reads: map[readKey]*form{}, values: map[*form]*form{}, conds: map[*index.Expr]*form{},
		calls: map[string][]call{},
	}
}

// element writes t out and translates it.
func (x *translation) element(t *term.Term) (formed, error) {
	t, err := x.u.at(t, nil)
	if err != nil {
		return formed{}, err
	}
	return x.term(t)
}

// sortOf returns the sort of formulas that stands for a sort of terms. AdaptivFloat has none: its rounding depends
// on the bias of a tensor, which terms do not say.
func sortOf(s term.Sort) (sort, error) {
	switch s.Kind {
	case term.Real:
		return realSort, nil
	case term.Bool:
		return vector(1), nil
	case term.Signed, term.Unsigned, term.Saturate, term.Fixed:
		return vector(s.Width), nil
	case term.Float:
		if f, ok := floatSort(s); ok {
			return f, nil
		}
	}
	return sort{}, ErrUnsupported
}

// isSigned reports whether a bit-vector of the sort is read as a signed number.
func isSigned(s term.Sort) bool { return s.Kind != term.Unsigned && s.Kind != term.Bool }

func (x *translation) term(t *term.Term) (formed, error) {
	if f, ok := x.memo[t]; ok {
		return f, nil
	}
	f, err := x.translate(t)
	if err == nil {
		x.memo[t] = f
	}
	return f, err
}

func (x *translation) translate(t *term.Term) (formed, error) {
	q := x.q
	s, err := sortOf(t.Sort)
	if err != nil {
		return formed{}, err
	}
	yes := q.truth(true)
	switch t.Op {
	case term.Const:
		v, err := x.literal(t, s)
		return formed{value: v, defined: yes}, err
	case term.Lowest:
		if s == realSort {
			return formed{value: q.rational(new(big.Rat)), defined: yes, lowest: true}, nil
		}
		return formed{value: x.least(t.Sort, s), defined: yes}, nil
	case term.Number:
		return formed{value: x.free(t.Index[0].String()+" as "+t.Sort.String(), s), defined: yes}, nil
	case term.Read:
		v := x.read(t, s)
		if t.Tensor.Partial {
			return formed{value: v, defined: x.hasValue(t, v)}, nil
		}
		return formed{value: v, defined: yes}, nil
	case term.If:
		return x.choice(t)
	}
	args := make([]formed, len(t.Args))
	defined := yes
	anyLowest := false
	for i, a := range t.Args {
		if t.Op == term.Convert && a.Op == term.Const && a.Sort.Kind == term.Real {
			return x.convertLiteral(t, a, s)
		}
		if t.Op == term.Apply && i == 1 && (t.Name == mean || shiftsBy(t, a)) {
			continue // a number that the operation looks at itself
		}
		if args[i], err = x.term(a); err != nil {
			return formed{}, err
		}
		if t.Op == term.Apply && t.Name == leakyRelu && i == 1 {
			continue // looked at where x is not positive
		}
		defined = q.and(defined, args[i].defined)
		anyLowest = anyLowest || args[i].lowest
	}
	if anyLowest {
		return x.ofLowest(t, s, args, defined)
	}
	v, partial, err := x.operation(t, s, args)
	if err != nil { // there is no value, nor when it has one
		return formed{}, err
	}
	return formed{value: v, defined: q.and(defined, partial)}, nil
}

// shiftsBy reports whether t is a shift of a bit-vector by a literal.
func shiftsBy(t, amount *term.Term) bool {
	_, ok := spelt(amount)
	return ok && (t.Name == leftShift || t.Name == rightShift) && t.Sort.Kind != term.Real && t.Sort.Kind != term.Float
}

// ofLowest translates an operation on MIN in the reals: it may be compared, all else is undefined.
func (x *translation) ofLowest(t *term.Term, s sort, args []formed, defined *form) (formed, error) {
	q := x.q
	zero := q.rational(new(big.Rat))
	switch {
	case t.Op == term.Max && args[0].lowest:
		return formed{value: args[1].value, defined: defined, lowest: args[1].lowest}, nil
	case t.Op == term.Max:
		return formed{value: args[0].value, defined: defined}, nil
	case t.Op == term.Min:
		return formed{value: zero, defined: defined, lowest: true}, nil
	case t.Op == term.Apply && t.Name == relu:
		return formed{value: zero, defined: defined}, nil
	case t.Op == term.Convert && s.kind == 'v':
		return formed{value: q.int(s.n, 0), defined: q.truth(false)}, nil
	case s != realSort:
		return formed{}, ErrUnsupported
	}
	return formed{value: zero, defined: q.truth(false)}, nil
}

// choice translates an If that is not decided: its condition may hold or not.
func (x *translation) choice(t *term.Term) (formed, error) {
	q := x.q
	then, err := x.term(t.Args[0])
	if err != nil {
		return formed{}, err
	}
	other, err := x.term(t.Args[1])
	if err != nil {
		return formed{}, err
	}
	if then.lowest != other.lowest {
		return formed{}, ErrUnsupported
	}
	c := x.condition(t.Index[0])
	return formed{
		value:   q.ite(c, then.value, other.value),
		defined: q.ite(c, then.defined, other.defined),
		lowest:  then.lowest,
	}, nil
}

// condition returns the constant for e >= 0; that of its negation, -e-1 >= 0, is the negation.
func (x *translation) condition(e *index.Expr) *form {
	if c := x.conds[e]; c != nil {
		return c
	}
	ix := x.u.b.Index
	c := x.free(e.String()+" >= 0", boolSort)
	x.conds[e] = c
	x.conds[ix.AddInt(ix.Scale(index.Int(-1), e), -1)] = x.q.not(c)
	return c
}

// read returns the constant for an element of an input.
func (x *translation) read(t *term.Term, s sort) *form {
	ix := x.u.b.Index
	offset := ix.Const(0)
	at := make([]int64, len(t.Index))
	concrete := true
	for i, d := range t.Tensor.Dims {
		offset = ix.Add(ix.Mul(offset, d), t.Index[i])
		n, ok := t.Index[i].Const()
		v, small := n.Int64()
		at[i], concrete = v, concrete && ok && small
	}
	k := readKey{t.Tensor, offset}
	if f := x.reads[k]; f != nil {
		return f
	}
	name := t.Tensor.Name
	if len(t.Index) > 0 {
		name = t.String()
	}
	c := constant{name: name, sort: t.Sort}
	if concrete {
		c.tensor, c.at = t.Tensor, at
	}
	x.reads[k] = x.q.declare(c, s)
	return x.reads[k]
}

// hasValue returns the constant for whether a read of a partial tensor, whose constant is v, has a value.
func (x *translation) hasValue(t *term.Term, v *form) *form {
	if x.values[v] == nil {
		x.values[v] = x.free(t.String()+" is defined", boolSort)
	}
	return x.values[v]
}

// free returns a new constant for what the query knows nothing of.
func (x *translation) free(name string, s sort) *form { return x.q.declare(constant{name: name}, s) }

// uninterpreted returns a call of a function that is known by name alone: equal arguments give equal values.
func (x *translation) uninterpreted(t *term.Term, s sort, args []formed) (v, defined *form) {
	q := x.q
	key := fmt.Sprintf("%s %v", t.Name, t.Sort)
	c := call{args: make([]*form, len(args))}
	for i, a := range args {
		c.args[i] = a.value
		key += fmt.Sprintf(" %v", t.Args[i].Sort)
	}
	for _, o := range x.calls[key] {
		if slices.Equal(o.args, c.args) {
			return o.value, o.defined
		}
	}
	name := t.Name
	if len(args) > 0 {
		name = fmt.Sprintf("%s %d", t.Name, len(x.calls[key]))
	}
	c.value = x.free(name+" of "+t.Sort.String(), s)
	total, known := x.u.free[t]
	switch {
	case known && total, !known && alwaysDefined(t):
		c.defined = q.truth(true)
	case t.Name == term.Log && s == realSort:
		c.defined = q.app(boolSort, "<", q.rational(new(big.Rat)), args[0].value)
	default:
		c.defined = x.free(name+" of "+t.Sort.String()+" is defined", boolSort)
	}
	if len(x.calls[key]) < maxCalls {
		for _, o := range x.calls[key] {
			same := q.truth(true)
			for i := range c.args {
				same = q.and(same, q.equal(o.args[i], c.args[i]))
			}
			q.axiom(q.implies(same, q.and(q.equal(o.value, c.value), q.equal(o.defined, c.defined))))
		}
	}
	if t.Name == term.Exp && s == realSort {
		q.axiom(q.app(boolSort, "<", q.rational(new(big.Rat)), c.value))
	}
	x.calls[key] = append(x.calls[key], c)
	return c.value, c.defined
}

// maxCalls bounds the calls of a function that are compared with each other; each pair is a formula. What is not
// compared may differ, so that no query becomes valid by it.
const maxCalls = 24
