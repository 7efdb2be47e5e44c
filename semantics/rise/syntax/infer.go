package syntax

import (
	"maps"
	"math/big"
	"slices"

	"tv/internal/source"
	"tv/internal/spelling"
	"tv/semantics/domain"
	"tv/semantics/words"
)

// Form is what a node of the core is.
type Form uint8

const (
	Variable Form = iota // Param
	Literal              // Value, of a number type
	Number               // Size as a value, of a number type
	Pattern              // Name, with the sizes Given
	Apply                // of Args[0] to Args[1]
	Lambda               // the function from Param to Args[0]
	Tuple                // the pair of Args
	List                 // the array of Args
	Free                 // Function, of a rule
)

// A Core is an expression of the core.
type Core struct {
	Form  Form
	Type  *Type
	Span  source.Span
	Args  []*Core
	Param *Param
	Value *big.Rat
	Name  string
	Given []domain.Size // in sizes of the text

	Function *Function
}

// Size is the size that a Number is.
func (c *Core) Size() domain.Size { return c.Given[0] }

// Visit calls f for a node, operands first.
func (c *Core) Visit(f func(*Core)) {
	for _, a := range c.Args {
		a.Visit(f)
	}
	f(c)
}

// A scope has the variables around an expression, the nearest first.
type scope struct {
	param *Param
	typ   *Type
	outer *scope
}

func (s *scope) find(name string) *scope {
	for ; s != nil; s = s.outer {
		if s.param.Name == name {
			return s
		}
	}
	return nil
}

// suggest says what a name was perhaps meant to be.
func (s *scope) suggest(name string) string {
	var known []string
	for ; s != nil; s = s.outer {
		known = append(known, s.param.Name)
	}
	known = append(known, slices.Sorted(maps.Keys(patterns()))...)
	if near := spelling.Nearest(name, known); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

func newVar(c class) *Type { return &Type{Kind: Var, class: c} }

// infer makes the core of an expression. What its place asks for, if not nil, tells the types of parameters early, so that
// errors are told in the body of a function and not where it is applied.
func (in *inference) infer(x *tree, s *scope, want *Type) *Core {
	switch x.op {
	case opName:
		return in.name(x, s)
	case opNumber:
		return &Core{Form: Literal, Type: newVar(number), Span: x.span, Value: x.decimal()}
	case opFun:
		return in.function(x, x.params, s, want)
	case opPair:
		a, b := in.infer(x.args[0], s, nil), in.infer(x.args[1], s, nil)
		for _, c := range []*Core{a, b} {
			in.unify(newVar(data), c.Type, c.Span, "a component of a pair")
		}
		return &Core{Form: Tuple, Type: &Type{Kind: Pair, A: a.Type, B: b.Type}, Span: x.span, Args: []*Core{a, b}}
	case opList:
		c := &Core{Form: List, Span: x.span, Type: &Type{Kind: Array, Dim: domain.IntSize(int64(len(x.args))), A: newVar(data)}}
		for _, a := range x.args {
			y := in.infer(a, s, c.Type.A)
			in.unify(c.Type.A, y.Type, y.Span, "an element")
			c.Args = append(c.Args, y)
		}
		return c
	case opCall:
		return in.call(x, s, nil)
	case "|>":
		arg := in.infer(x.args[0], s, nil)
		if f := x.args[1]; f.op == opCall {
			return in.call(f, s, arg)
		}
		return in.apply(in.infer(x.args[1], s, &Type{Kind: Func, A: arg.Type, B: newVar(anything)}), arg, x.span)
	case ">>":
		return in.composition(x, s)
	case opNeg:
		return in.operation("neg", x, s)
	}
	name := x.op
	if f, ok := functions[name]; ok {
		name = f
	}
	return in.operation(name, x, s)
}

// operation is an operator between numbers. They have the type of one another: a pair is none.
func (in *inference) operation(name string, x *tree, s *scope) *Core {
	f := &Core{Form: Pattern, Name: name, Span: x.span}
	f.Type = in.instance(patterns()[name], nil, origin{})
	for _, a := range x.args {
		f = in.apply(f, in.infer(a, s, nil), x.span)
	}
	return f
}

// composition is f >> g: first f.
func (in *inference) composition(x *tree, s *scope) *Core {
	f, g := in.infer(x.args[0], s, nil), in.infer(x.args[1], s, nil)
	p := &Param{Name: "", Span: x.span}
	v := &Core{Form: Variable, Param: p, Type: newVar(anything), Span: x.args[0].span}
	body := in.apply(g, in.apply(f, v, x.args[0].span), x.span)
	return &Core{Form: Lambda, Param: p, Args: []*Core{body}, Span: x.span, Type: &Type{Kind: Func, A: v.Type, B: body.Type}}
}

// apply applies a function to one argument.
func (in *inference) apply(f, arg *Core, span source.Span) *Core {
	out := newVar(anything)
	switch t := f.Type.found(); t.Kind {
	case Func:
		in.unify(t.A, arg.Type, arg.Span, arg.Span.Text())
		out = t.B
	case Var:
		in.unify(f.Type, &Type{Kind: Func, A: arg.Type, B: out}, f.Span, f.Span.Text())
	default:
		words.Fail(f.Span, "type-mismatch", "%s is applied, and is no function but %s", f.Span.Text(), in.shown(t))
	}
	return &Core{Form: Apply, Type: out, Span: span, Args: []*Core{f, arg}}
}

// call applies a function to arguments, of which sizes come first where the function is a pattern that has some. next,
// if not nil, is the argument that comes next, of a pipe.
func (in *inference) call(x *tree, s *scope, next *Core) *Core {
	head, args := x, []*tree(nil)
	for head.op == opCall {
		args = append(head.args[1:len(head.args):len(head.args)], args...)
		head = head.args[0]
	}
	if len(args) == 0 {
		words.Fail(x.span, "wrong-arity", "nothing is given to %s", head.span.Text())
	}
	var f *Core
	if p := in.pattern(head, s); p == nil {
		f = in.infer(head, s, nil)
	} else {
		f, args = in.given(p, head, args, s)
	}
	t := f.Type.found()
	for range args {
		if t.Kind == Func {
			t = t.B.found()
		}
	}
	early := next != nil && t.Kind == Func
	if early {
		in.unify(t.A, next.Type, next.Span, next.Span.Text())
	}
	for _, a := range args {
		var want *Type
		if t := f.Type.found(); t.Kind == Func {
			want = t.A
		}
		f = in.apply(f, in.infer(a, s, want), x.span)
	}
	f.Span = x.span
	switch {
	case early:
		return &Core{Form: Apply, Type: t.B, Span: since(next, x), Args: []*Core{f, next}}
	case next != nil:
		return in.apply(f, next, since(next, x))
	}
	return f
}

// since is the place of a pipe.
func since(arg *Core, f *tree) source.Span {
	return source.Span{File: f.span.File, Start: arg.Span.Start, End: f.span.End}
}

// pattern is the one that a name stands for, nil if there is none.
func (in *inference) pattern(x *tree, s *scope) *pattern {
	if x.op != opName || s.find(x.span.Text()) != nil {
		return nil
	}
	return patterns()[x.span.Text()]
}

// given is a pattern with the sizes that it is given first, and the arguments behind them.
func (in *inference) given(p *pattern, x *tree, args []*tree, s *scope) (*Core, []*tree) {
	name := x.span.Text()
	c := &Core{Form: Pattern, Name: name, Span: x.span}
	if is, ok := same[name]; ok {
		c.Name = is
	}
	if len(args) < len(p.sizes) {
		words.Fail(x.span, "wrong-arity", "%s is given %d sizes first, as in %[1]s(%[3]s), not %d", name, len(p.sizes),
			[]string{"", "4", "3, 1"}[len(p.sizes)], len(args))
	}
	for i, a := range args[:len(p.sizes)] {
		n := in.size(a, s)
		in.require(a.span, domain.Le(domain.IntSize(p.least[i]), n), "bad-size", "%s is given %s, which is less than %d",
			name, n.Formula(), p.least[i])
		c.Given = append(c.Given, n)
	}
	rest := args[len(p.sizes):]
	c.Type = in.instance(p, c.Given, origin{name, x.span})
	switch {
	case name == "cast" && len(rest) > 0 && rest[0].op == opName:
		if t, ok := scalars[rest[0].span.Text()]; ok && t != indexType {
			in.unify(t, c.Type.B, x.span, name)
			rest = rest[1:]
		}
	case p.paired:
		of, to := newVar(data), newVar(anything)
		c.Type = &Type{Kind: Func, A: of, B: to}
		if ch := (choice{x.span, of, to}); !in.choose(ch, len(rest) > 1) {
			in.choices = append(in.choices, ch)
		}
	}
	return c, rest
}

// size is an argument that has to be a size.
func (in *inference) size(x *tree, s *scope) domain.Size {
	out := size(x)
	for _, at := range named(x) {
		if s.find(at.Text()) != nil {
			words.Fail(at, "size-wanted", "%s is a variable, and a size should be here", at.Text())
		}
		in.use(at)
	}
	return out
}

// use takes note of a name of a size.
func (in *inference) use(at source.Span) {
	if in.declared != nil {
		in.declared(at)
	}
	if name := at.Text(); !in.used[name] {
		in.used[name] = true
		in.uses = append(in.uses, domain.SizeUse{Name: name, Span: at})
	}
}

// name is a variable, a pattern or else a size.
func (in *inference) name(x *tree, s *scope) *Core {
	name := x.span.Text()
	if v := s.find(name); v != nil {
		return &Core{Form: Variable, Param: v.param, Type: v.typ, Span: x.span}
	}
	if f := in.functions[name]; f != nil {
		return in.named(f, x.span)
	}
	if p := in.pattern(x, s); p != nil {
		c, _ := in.given(p, x, nil, s)
		return c
	}
	named(x)
	in.use(x.span)
	in.free[x.span] = s
	return &Core{Form: Number, Type: newVar(number), Span: x.span, Given: []domain.Size{domain.NamedSize(name)}}
}

// named is a function of a rule: a free one, or a function of numbers.
func (in *inference) named(f *Function, at source.Span) *Core {
	if f.Is == "" {
		return &Core{Form: Free, Name: f.Name, Function: f, Type: f.Type, Span: at}
	}
	return &Core{Form: Pattern, Name: f.Is, Type: f.Type, Span: at}
}

// function makes functions of one parameter.
func (in *inference) function(x *tree, params []*Param, s *scope, want *Type) *Core {
	if len(params) == 0 {
		return in.infer(x.args[0], s, want)
	}
	p := params[0]
	t := newVar(anything)
	if p.Type != nil {
		t = p.Type
	}
	var result *Type
	if want != nil && want.found().Kind == Func {
		in.unify(want.found().A, t, p.Span, p.Name)
		result = want.found().B
	}
	body := in.function(x, params[1:], &scope{p, t, s}, result)
	return &Core{Form: Lambda, Param: p, Args: []*Core{body}, Span: x.span, Type: &Type{Kind: Func, A: t, B: body.Type}}
}
