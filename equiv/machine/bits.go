package machine

import (
	"fmt"
	"maps"
	"math/big"

	"tv/ila"
	"tv/semantics/domain"
	"tv/semantics/glenside/lower"
	"tv/semantics/index"
	"tv/semantics/term"
)

// contract returns the task with what BEFORE says as its contract: the lowering of BEFORE in the exact
// arithmetic, element by element, as terms over bit-vectors. An error says what of BEFORE has no such term.
func (p *Pair) contract() (*ila.Task, error) {
	t := *p.task
	b := t.Model.B
	program, err := lower.Lower(b, p.before, lower.Options{Arith: domain.Exact, Size: func(name string) *index.Expr {
		return b.Index.Size(name, 0) // no size is named in a program of fixed sizes
	}})
	if err != nil {
		return nil, err
	}
	if len(program.Opaque) > 0 {
		return nil, fmt.Errorf("rests on uninterpreted %s", program.Opaque[0])
	}
	t.Scalars = nil // the contract is another: the machine's terms are not those of functions that the driver names
	if t.Tables = maps.Clone(t.Tables); t.Tables == nil {
		t.Tables = map[string]func([]uint64) uint64{}
	}
	x := &bits{b: b, tables: t.Tables, tensors: map[string]*ila.Tensor{}, closed: map[*term.Term]*term.Term{},
		values: map[*index.Atom]int64{}}
	x.element = func(in *ila.Tensor, flat *index.Expr) *term.Term {
		n, _ := flat.Const()
		at, _ := n.Int64()
		return t.Element(in, int(at))
	}
	for _, in := range t.Inputs {
		x.tensors[in.Name] = in
	}
	for _, in := range p.before.Tensors {
		if x.tensors[in.Name] == nil { // BEFORE reads it, the listing does not
			signed := in.Elem.Kind == domain.ElemInt
			x.tensors[in.Name] = t.Declare(in.Name, in.Elem.Width, signed, p.tensors[in.Name].dims...)
			if in.Elem.Kind == domain.ElemAdaptive || in.Elem.Kind == domain.ElemFix {
				x.tensors[in.Name].Format = in.Elem.String()
			}
		}
	}
	array := program.Components[0].Array
	element := func(flat int) (*term.Term, error) {
		at := make([]*index.Expr, len(p.dims))
		for i, n := range p.at(flat) {
			at[i] = b.Index.Const(n)
		}
		return x.term(array.Element(b.Index.Root(), at))
	}
	// an operation without a term is met at the first element, or in a branch that few elements take
	elements := make([]*term.Term, t.Output.Size())
	for flat := range elements {
		if elements[flat], err = element(flat); err != nil {
			return nil, err
		}
	}
	t.Contract = func(flat int) *term.Term { return elements[flat] }
	return &t, nil
}

// bits makes terms over bit-vectors of terms of the lowering. Those of fixed point are their units, signed; those of
// AdaptivFloat are codes, which are read, written and converted, but not computed with.
type bits struct {
	b       *term.Builder
	tables  map[string]func([]uint64) uint64 // functions that the terms apply, which are added as they are met
	tensors map[string]*ila.Tensor
	element func(in *ila.Tensor, flat *index.Expr) *term.Term
	named   *ila.Nest                 // whose sizes are names, or nil: then all indices are numbers
	values  map[*index.Atom]int64     // of variables that are bound around the term at hand
	closed  map[*term.Term]*term.Term // terms made while no variable was bound
}

// term returns t as a bit-vector of the width of its sort, whose kind is one of those that machines compute with.
func (x *bits) term(t *term.Term) (*term.Term, error) {
	if made := x.closed[t]; made != nil && len(x.values) == 0 {
		return made, nil
	}
	made, err := x.operation(t)
	if err == nil && len(x.values) == 0 {
		x.closed[t] = made
	}
	return made, err
}

func (x *bits) operation(t *term.Term) (*term.Term, error) {
	b, s := x.b, t.Sort
	switch s.Kind {
	case term.Signed, term.Unsigned, term.Fixed:
	case term.Adaptive:
		switch t.Op {
		case term.Read, term.If, term.Convert:
		default:
			return nil, fmt.Errorf("arithmetic in %s is not compared with machines", s)
		}
	default:
		return nil, fmt.Errorf("elements of sort %s are not compared with machines", s)
	}
	w := s.Width
	switch t.Op {
	case term.Const:
		n, err := units(t)
		return b.Bits(w, n), err
	case term.Lowest:
		return x.lowest(s), nil
	case term.Number:
		if x.named != nil {
			return nil, fmt.Errorf("the number %s is not compared with machines", t.Index[0])
		}
		n, err := x.index(t.Index[0])
		return b.Bits(w, uint64(n)<<fraction(s)), err
	case term.Read:
		return x.read(t)
	case term.Reduce:
		return x.reduce(t)
	case term.If:
		n, err := x.index(t.Index[0])
		if err != nil {
			return nil, err
		}
		if n >= 0 {
			return x.term(t.Args[0])
		}
		return x.term(t.Args[1])
	case term.Convert:
		return x.conversion(t)
	case term.Gather, term.Div:
		return nil, fmt.Errorf("%s is not compared with machines",
			map[term.Op]string{term.Gather: "an index that depends on data", term.Div: "division"}[t.Op])
	}
	args := make([]*term.Term, len(t.Args))
	for i, a := range t.Args {
		var err error
		if args[i], err = x.term(a); err != nil {
			return nil, err
		}
	}
	switch t.Op {
	case term.Add:
		return b.AddBits(args[0], args[1]), nil
	case term.Mul:
		return x.product(s, args[0], args[1])
	case term.Neg:
		return b.NegBits(args[0]), nil
	case term.Max:
		return x.extreme(s, args[0], args[1], true), nil
	case term.Min:
		return x.extreme(s, args[0], args[1], false), nil
	case term.Apply:
		return x.apply(t, args)
	}
	return nil, fmt.Errorf("%s is not compared with machines", t)
}

func (x *bits) lowest(s term.Sort) *term.Term {
	if s.Kind == term.Unsigned {
		return x.b.Bits(s.Width, 0)
	}
	return x.b.Bits(s.Width, 1<<(s.Width-1))
}

// extreme returns the greater or the smaller of two numbers. A constant is the second, as machines have it:
// the order makes no difference to integers.
func (x *bits) extreme(s term.Sort, a, c *term.Term, greater bool) *term.Term {
	if _, constant := a.ConstBits(); constant {
		a, c = c, a
	}
	less := x.b.LessS(a, c)
	if s.Kind == term.Unsigned {
		less = x.b.LessU(a, c)
	}
	if greater {
		return x.b.Choose(less, c, a)
	}
	return x.b.Choose(less, a, c)
}

// Functions of Apply, as the lowering names them.
const (
	relu       = "relu"
	clip       = "clip"
	leftShift  = "left-shift"
	rightShift = "right-shift"
)

func (x *bits) apply(t *term.Term, args []*term.Term) (*term.Term, error) {
	s := t.Sort
	switch t.Name {
	case relu:
		return x.extreme(s, args[0], x.b.Bits(s.Width, 0), true), nil
	case clip:
		return x.extreme(s, x.extreme(s, args[0], args[1], true), args[2], false), nil
	case leftShift, rightShift:
		n, ok := args[1].ConstBits()
		amount := n >> fraction(s)
		if !ok || amount<<fraction(s) != n || amount >= uint64(s.Width) {
			return nil, fmt.Errorf("a shift by %s is not compared with machines", t.Args[1])
		}
		by := x.b.Bits(s.Width, amount)
		switch {
		case t.Name == leftShift:
			return x.b.Shl(args[0], by), nil
		case s.Kind == term.Unsigned:
			return x.b.ShrU(args[0], by), nil
		}
		return x.b.ShrS(args[0], by), nil
	}
	return nil, fmt.Errorf("%s is not compared with machines", t.Name)
}

func (x *bits) read(t *term.Term) (*term.Term, error) {
	in := x.tensors[t.Tensor.Name]
	if in == nil {
		return nil, fmt.Errorf("rests on uninterpreted %s", t.Tensor.Name)
	}
	if x.named != nil {
		return x.element(in, x.flat(in, t.Index)), nil
	}
	flat := 0
	for i, e := range t.Index {
		n, err := x.index(e)
		if err != nil {
			return nil, err
		}
		if n < 0 || n >= int64(in.Dims[i]) {
			return nil, fmt.Errorf("reads %s at %d on axis %d of %d", in.Name, n, i, in.Dims[i])
		}
		flat = flat*in.Dims[i] + int(n)
	}
	return x.element(in, x.b.Index.Const(int64(flat))), nil
}

// flat returns the row-major offset of an element where sizes are names.
func (x *bits) flat(in *ila.Tensor, at []*index.Expr) *index.Expr {
	ix := x.b.Index
	known := map[*index.Atom]*index.Expr{}
	for v, n := range x.values {
		known[v] = ix.Const(n)
	}
	flat := ix.Const(0)
	for i, e := range at {
		flat = ix.Add(ix.Mul(flat, in.Extents[i]), ix.Subst(ix.Root(), e, known))
	}
	return flat
}

// reduce writes a fold out. A sum of products is one term, as it is in models.
func (x *bits) reduce(t *term.Term) (*term.Term, error) {
	body := t.Args[0]
	if x.named != nil && t.Fold == term.Sum && body.Op == term.Mul {
		return x.namedSum(t)
	}
	var total *term.Term
	var pairs []*term.Term
	step := func() error {
		if t.Fold == term.Sum && body.Op == term.Mul {
			if factors, ok, err := x.factors(body); err != nil || ok {
				pairs = append(pairs, factors...)
				return err
			}
		}
		v, err := x.term(body)
		switch {
		case err != nil:
			return err
		case total == nil:
			total = v
		case t.Fold == term.Sum:
			total = x.b.AddBits(total, v)
		case t.Fold == term.Product:
			total, err = x.product(t.Sort, total, v)
			return err
		default:
			total = x.extreme(t.Sort, total, v, true)
		}
		return nil
	}
	if err := x.over(t.Vars, step); err != nil {
		return nil, err
	}
	switch {
	case len(pairs) > 0:
		return x.b.Dot(t.Sort.Width, pairs...), nil
	case total != nil:
		return total, nil
	case t.Fold == term.Maximum:
		return x.lowest(t.Sort), nil
	case t.Fold == term.Product:
		return x.b.Bits(t.Sort.Width, 1<<fraction(t.Sort)), nil
	}
	return x.b.Bits(t.Sort.Width, 0), nil
}

// namedSum returns a sum of products over one variable, where sizes are names.
func (x *bits) namedSum(t *term.Term) (*term.Term, error) {
	body := t.Args[0]
	if len(t.Vars) != 1 || body.Op != term.Mul {
		return nil, fmt.Errorf("%s is not compared with machines", t)
	}
	factors, ok, err := x.factors(body)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("sums of products that are rounded are not compared with machines")
	}
	w := t.Sort.Width
	product := x.b.MulBits(x.b.ExtendS(factors[0], w), x.b.ExtendS(factors[1], w))
	return x.b.Reduce(term.Sum, t.Vars, product), nil
}

// over calls f for all values of variables, the last varying fastest.
func (x *bits) over(vars []*index.Atom, f func() error) error {
	if len(vars) == 0 {
		return f()
	}
	v := vars[0]
	lo, err := x.index(v.Lo)
	if err != nil {
		return err
	}
	hi, err := x.index(v.Hi)
	if err != nil {
		return err
	}
	defer delete(x.values, v)
	for n := lo; n < hi; n++ {
		x.values[v] = n
		if err := x.over(vars[1:], f); err != nil {
			return err
		}
	}
	return nil
}

// index returns the value of an index expression.
func (x *bits) index(e *index.Expr) (int64, error) {
	if n, ok := e.Const(); ok {
		if v, small := n.Int64(); small {
			return v, nil
		}
	}
	var free *index.Atom
	v, err := e.Eval(func(a *index.Atom) *big.Int {
		n, bound := x.values[a]
		if !bound {
			free = a
		}
		return big.NewInt(n)
	})
	if err != nil {
		return 0, err
	}
	if free != nil {
		return 0, fmt.Errorf("the index %s has no value: %s is free", e, free)
	}
	if !v.IsInt64() {
		return 0, fmt.Errorf("the index %s is out of range", v)
	}
	return v.Int64(), nil
}
