package smt

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"tv/semantics/index"
	"tv/semantics/term"
)

// An Abstraction says which terms a query replaces by free constants, and their names. A query that is valid then
// is valid whatever these terms are. Different terms must get different names. It is not asked for terms that rest
// on the variables of a reduction that is written out.
type Abstraction func(t *term.Term) (name string, ok bool)

// An environment gives expressions to variables.
type environment map[*index.Atom]*index.Expr

// An unroller writes terms out: there is no Reduce in the result, and the indices of its reads are constants where the
// environment gives values to all variables. A reduction becomes a chain from the left over its range in row-major
// order; sums and products start with their first element, and so do maxima but those of floats, which start from MIN
// as it is not below NaN and -inf. What is shared stays shared. Where the context does not decide a condition, If is
// kept; a reduction over a range that is not known, or a gather, becomes a free constant.
type unroller struct {
	b        *term.Builder
	ctx      *index.Context
	limit    int // terms that may still be made
	abstract []Abstraction

	memo  map[string]*term.Term
	vars  map[*term.Term][]*index.Atom // free variables, by id
	free  map[*term.Term]bool          // the constants that stand for terms; whether these always have a value
	names map[string]string            // of such constants, by what they stand for
}

func newUnroller(b *term.Builder, ctx *index.Context, limit int) *unroller {
	return &unroller{
		b: b, ctx: ctx, limit: limit,
		memo: map[string]*term.Term{}, vars: map[*term.Term][]*index.Atom{},
		free: map[*term.Term]bool{}, names: map[string]string{},
	}
}

// at returns t with the variables replaced. Errors: ErrTooLarge where more than limit terms would be visited.
func (u *unroller) at(t *term.Term, env environment) (*term.Term, error) {
	key, depends := u.key(t, env)
	if x := u.memo[key]; x != nil {
		return x, nil
	}
	if u.limit--; u.limit < 0 {
		return nil, ErrTooLarge
	}
	if !depends {
		for _, f := range u.abstract {
			if name, ok := f(t); ok {
				x := u.constant(t, name)
				u.memo[key] = x
				return x, nil
			}
		}
	}
	x, err := u.write(t, env)
	if err == nil {
		u.memo[key] = x
	}
	return x, err
}

// key identifies t under the values of those of its variables that have one, and tells whether there are any.
func (u *unroller) key(t *term.Term, env environment) (string, bool) {
	key := binary.AppendUvarint(make([]byte, 0, 16), uint64(t.ID()))
	depends := false
	for _, a := range u.freeVars(t) {
		if e := env[a]; e != nil {
			depends = true
			key = binary.AppendUvarint(binary.AppendUvarint(key, uint64(a.ID())), uint64(e.ID()))
		}
	}
	return string(key), depends
}

// freeVars lists the variables that are free in t.
func (u *unroller) freeVars(t *term.Term) []*index.Atom {
	if list, ok := u.vars[t]; ok {
		return list
	}
	var list []*index.Atom
	add := func(from []*index.Atom) {
		for _, a := range from {
			i, found := slices.BinarySearchFunc(list, a.ID(), func(x *index.Atom, id int) int { return x.ID() - id })
			if !found && !slices.Contains(t.Vars, a) {
				list = slices.Insert(list, i, a)
			}
		}
	}
	for _, e := range t.Index {
		add(e.Free())
	}
	for _, v := range t.Vars {
		add(v.Lo.Free())
		add(v.Hi.Free())
	}
	for _, a := range t.Args {
		add(u.freeVars(a))
	}
	u.vars[t] = list
	return list
}

func (u *unroller) subst(e *index.Expr, env environment) *index.Expr {
	return u.b.Index.Subst(u.ctx, e, env)
}

func (u *unroller) write(t *term.Term, env environment) (*term.Term, error) {
	b := u.b
	switch t.Op {
	case term.Const, term.Lowest:
		return t, nil
	case term.Number:
		return b.Number(t.Sort, u.subst(t.Index[0], env)), nil
	case term.Read:
		at := make([]*index.Expr, len(t.Index))
		for i, e := range t.Index {
			at[i] = u.subst(e, env)
		}
		return b.Read(t.Tensor, at), nil
	case term.If:
		return u.choose(t, env)
	case term.Reduce:
		return u.reduce(t, env)
	case term.Gather:
		return u.gather(t, env)
	}
	args := make([]*term.Term, len(t.Args))
	for i, a := range t.Args {
		x, err := u.at(a, env)
		if err != nil {
			return nil, err
		}
		args[i] = x
	}
	switch t.Op {
	case term.Add:
		return b.Add(args[0], args[1]), nil
	case term.Mul:
		return b.Mul(args[0], args[1]), nil
	case term.Div:
		return b.Div(args[0], args[1]), nil
	case term.Neg:
		return b.Neg(args[0]), nil
	case term.Max:
		return b.Max(args[0], args[1]), nil
	case term.Min:
		return b.Min(args[0], args[1]), nil
	case term.Apply:
		return b.Apply(t.Sort, t.Name, args...), nil
	case term.Convert:
		return b.Convert(t.Sort, args[0]), nil
	}
	return nil, ErrUnsupported
}

func (u *unroller) choose(t *term.Term, env environment) (*term.Term, error) {
	cond := u.subst(t.Index[0], env)
	switch u.b.Index.Decide(u.ctx, cond) {
	case index.True:
		return u.at(t.Args[0], env)
	case index.False:
		return u.at(t.Args[1], env)
	}
	x, err := u.at(t.Args[0], env)
	if err != nil {
		return nil, err
	}
	y, err := u.at(t.Args[1], env)
	if err != nil {
		return nil, err
	}
	return u.b.If(cond, x, y), nil
}

// gather puts the index into the body where it is a constant within the range.
func (u *unroller) gather(t *term.Term, env environment) (*term.Term, error) {
	at, err := u.at(t.Args[1], env)
	if err != nil {
		return nil, err
	}
	v := t.Vars[0]
	if at.Op == term.Const && at.Value != nil && at.Value.IsInt() {
		e := u.b.Index.Num(index.BigNum(at.Value.Num()))
		x := u.b.Index
		if x.Nonneg(u.ctx, x.Sub(e, u.subst(v.Lo, env))) && x.Nonneg(u.ctx, x.AddInt(x.Sub(u.subst(v.Hi, env), e), -1)) {
			return u.at(t.Args[0], u.bind(env, v, e))
		}
	}
	return u.opaque(t, env)
}

func (u *unroller) bind(env environment, v *index.Atom, e *index.Expr) environment {
	next := make(environment, len(env)+1)
	for a, x := range env {
		next[a] = x
	}
	next[v] = e
	return next
}

func (u *unroller) reduce(t *term.Term, env environment) (*term.Term, error) {
	b := u.b
	for i, v := range t.Vars { // ranges known, but for those that rest on variables beside them
		lo, hi := u.subst(v.Lo, env), u.subst(v.Hi, env)
		if _, ok := b.Index.Sub(hi, lo).Const(); !ok && !mentionsAny(lo, t.Vars[:i]) && !mentionsAny(hi, t.Vars[:i]) {
			return u.opaque(t, env)
		}
	}
	var acc *term.Term
	if t.Fold == term.Maximum && t.Sort.Kind == term.Float {
		acc = b.Lowest(t.Sort)
	}
	var walk func(vars []*index.Atom, env environment) error
	walk = func(vars []*index.Atom, env environment) error {
		if len(vars) == 0 {
			x, err := u.at(t.Args[0], env)
			switch {
			case err != nil:
				return err
			case acc == nil:
				acc = x
				return nil
			}
			if u.limit--; u.limit < 0 {
				return ErrTooLarge
			}
			switch t.Fold {
			case term.Sum:
				acc = b.Add(acc, x)
			case term.Product:
				acc = b.Mul(acc, x)
			default:
				acc = b.Max(acc, x)
			}
			return nil
		}
		lo, hi := u.subst(vars[0].Lo, env), u.subst(vars[0].Hi, env)
		extent, ok := b.Index.Sub(hi, lo).Const()
		n, small := extent.Int64()
		switch {
		case !ok:
			return ErrUnsupported
		case !small || n > int64(u.limit)+1:
			return ErrTooLarge
		}
		for i := range max(n, 0) {
			if err := walk(vars[1:], u.bind(env, vars[0], b.Index.AddInt(lo, i))); err != nil {
				return err
			}
		}
		return nil
	}
	if err := walk(t.Vars, env); err != nil {
		return nil, err
	}
	switch {
	case acc != nil:
		return acc, nil
	case t.Fold == term.Maximum:
		return b.Lowest(t.Sort), nil
	}
	return b.Int(t.Sort, map[term.Fold]int64{term.Sum: 0, term.Product: 1}[t.Fold]), nil
}

func mentionsAny(e *index.Expr, vars []*index.Atom) bool {
	return slices.ContainsFunc(vars, e.Mentions)
}

// --- terms that are not looked into ---

// constant returns a free constant for t.
func (u *unroller) constant(t *term.Term, name string) *term.Term {
	x := u.b.Apply(t.Sort, name)
	total, known := u.free[x]
	u.free[x] = u.total(t, map[*term.Term]bool{}) && (total || !known)
	return x
}

// opaque returns a free constant for t with the variables replaced: the same one for terms that differ in the
// names of bound variables alone.
func (u *unroller) opaque(t *term.Term, env environment) (*term.Term, error) {
	if t.Sort.Kind == term.Real && (t.MayBeLowest() || slices.ContainsFunc(t.Args, (*term.Term).MayBeLowest)) {
		return nil, ErrUnsupported // MIN is no number
	}
	w := writer{u: u}
	w.term(t, env, 0)
	if u.limit < 0 {
		return nil, ErrTooLarge
	}
	name, ok := u.names[w.text.String()]
	if !ok {
		kind := "gather"
		if t.Op == term.Reduce {
			kind = [...]string{"sum", "product", "max"}[t.Fold]
		}
		name = fmt.Sprintf("%s %d", kind, len(u.names))
		u.names[w.text.String()] = name
	}
	return u.constant(t, name), nil
}

// A writer identifies terms up to the names of bound variables, which become slots.
type writer struct {
	u    *unroller
	text strings.Builder
}

func (w *writer) term(t *term.Term, env environment, slots int) {
	if w.u.limit--; w.u.limit < 0 {
		return
	}
	fmt.Fprintf(&w.text, "(%d %d %v %q", t.Op, t.Fold, t.Sort, t.Name)
	if t.Value != nil {
		w.text.WriteString(" " + t.Value.RatString())
	}
	if t.Tensor != nil {
		fmt.Fprintf(&w.text, " t%d", t.Tensor.ID)
	}
	inner := env
	for _, v := range t.Vars {
		w.expr(v.Lo, inner)
		w.expr(v.Hi, inner)
		inner = w.u.bind(inner, v, w.u.b.Index.Slot(slots).Expr())
		slots++
	}
	for _, e := range t.Index {
		w.expr(e, inner)
	}
	for i, a := range t.Args {
		if t.Op == term.Gather && i == 1 { // the index is outside the scope of the variable
			inner = env
		}
		w.term(a, inner, slots)
	}
	w.text.WriteByte(')')
}

func (w *writer) expr(e *index.Expr, env environment) {
	fmt.Fprintf(&w.text, " e%d", w.u.subst(e, env).ID())
}

// total reports whether t has a value wherever its reads are.
func (u *unroller) total(t *term.Term, seen map[*term.Term]bool) bool {
	if seen[t] {
		return true
	}
	seen[t] = true
	switch t.Op {
	case term.Read:
		return !t.Tensor.Partial
	case term.Div:
		if t.Sort.Kind != term.Float {
			return false
		}
	case term.Apply:
		if !alwaysDefined(t) {
			return false
		}
	case term.Gather, term.Convert:
		return false
	}
	if t.Sort.Kind == term.Real && t.Op != term.Max && t.Op != term.Min && t.Op != term.If &&
		slices.ContainsFunc(t.Args, (*term.Term).MayBeLowest) {
		return false
	}
	return !slices.ContainsFunc(t.Args, func(a *term.Term) bool { return !u.total(a, seen) })
}

// alwaysDefined reports whether an Apply has a value wherever its arguments have.
func alwaysDefined(t *term.Term) bool {
	switch t.Name {
	case term.Exp, term.Erf:
		return t.Sort.Kind == term.Real || t.Sort.Kind == term.Float
	case sigmoid, tanh, term.Sqrt:
		return t.Sort.Kind == term.Float
	case relu, leakyRelu, round, subtract:
		return true
	}
	return false
}
