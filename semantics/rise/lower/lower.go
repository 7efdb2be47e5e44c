// Package lower makes arrays of terms of programs of RISE in the notation of papers: patterns that move elements become
// index expressions, those that apply functions apply them at a symbolic place, and reductions become folds where what
// they do is acc op e.
//
//	lower.go     the arrays, and expressions of the core as values
//	patterns.go  what patterns do with arrays
//	numbers.go   numbers as terms and as index expressions, choices
//	reduce.go    reductions and scans
//	chains.go    folds of functions of which nothing is known
//	rules.go     free functions of rules, and what has no value
package lower

import (
	"fmt"

	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/arrays"
	"tv/semantics/domain"
	"tv/semantics/index"
	"tv/semantics/rise/syntax"
	"tv/semantics/term"
)

// A val is what an expression denotes: a *number, an array, a pair or a function.
type val any

// An array gives its element at a place within its dim. How many there are its type says.
type array func(ctx *index.Context, i *index.Expr) val

type pair struct{ a, b val }

type function func(val) val

// A binding is the value of a variable, with those around it.
type binding struct {
	param *syntax.Param
	val   val
	outer *binding
}

type lowering struct {
	*arrays.Lowering
	t        *syntax.Typed
	folded   int // reductions that were looked at
	steps    int
	partials map[*term.Term]bool
	joined   map[*term.Term]joined
	chained  map[*term.Term]chain
	opaque   map[*term.Term]bool // free functions without laws
}

// maxSteps bounds how often expressions of the core are given a value for one element.
const maxSteps = 200_000

// An unstated is why a program has no terms.
type unstated struct {
	at   source.Span
	text string
}

// Error implements error.
func (e *unstated) Error() string { return fmt.Sprintf("%s: %s", e.at.Position(), e.text) }

func fail(at source.Span, format string, args ...any) {
	panic(&unstated{at, fmt.Sprintf(format, args...)})
}

// Lower implements semantics.Program for t. Errors: where an element cannot be stated, and why.
func Lower(t *syntax.Typed, b *term.Builder, o semantics.LowerOptions) (*semantics.Lowered, error) {
	l := &lowering{Lowering: arrays.New(t, b, o), t: t, partials: map[*term.Term]bool{}, joined: map[*term.Term]joined{},
		chained: map[*term.Term]chain{}, opaque: map[*term.Term]bool{}}
	out, err := l.Arrays(l.element)
	if err != nil {
		return nil, err
	}
	for i, c := range out.Components { // what cannot be stated is told now, and not when elements are asked for
		if err := l.try(func() { l.anywhere(c.Array) }); err != nil {
			return nil, err
		}
		out.Components[i].Array.Element = l.careful(c.Array)
	}
	return out, nil
}

// try runs f, and returns why something was not stated.
func (l *lowering) try(f func()) (err error) {
	l.steps = 0
	defer func() {
		if e := recover(); e != nil {
			lost, ok := e.(*unstated)
			if !ok {
				panic(e)
			}
			err = lost
		}
	}()
	f()
	return nil
}

// anywhere states an element at any index.
func (l *lowering) anywhere(a term.Array) {
	at := make([]*index.Expr, len(a.Dims))
	for i, d := range a.Dims {
		at[i] = l.X.NewVar(fmt.Sprint("cell", i), l.X.Const(0), d).Expr()
	}
	a.Element(l.X.Root(), at)
}

const unstatedName = "unstated "

// careful returns the elements of an array, and where one cannot be stated a term that is equal to no other.
func (l *lowering) careful(a term.Array) func(*index.Context, []*index.Expr) *term.Term {
	return func(ctx *index.Context, at []*index.Expr) (t *term.Term) {
		if err := l.try(func() { t = a.Element(ctx, at) }); err != nil {
			one := l.X.NewVar("unstated", l.X.Const(0), l.X.Const(2)) // of which nobody else has a number
			t = l.B.Apply(a.Sort, fmt.Sprint(unstatedName, one.ID()))
		}
		return t
	}
}

// element is an element of a tensor of the result.
func (l *lowering) element(part int, ctx *index.Context, at []*index.Expr) *term.Term {
	var b *binding
	for i, q := range l.t.Parameters {
		v := l.input(i, nil, len(l.t.Parts()[i].Dims))
		if l.isUnit(q) {
			v = &number{make: func(*index.Context) *term.Term { return l.B.Int(l.Sort(q.Type.Elem), 0) }}
		}
		b = &binding{q, v, b}
	}
	v, typ, path := l.eval(l.t.Body, b), l.t.Body.Type, l.t.Component(part)
	for {
		switch typ.Kind {
		case syntax.Array:
			v, typ, at = v.(array)(ctx, at[0]), typ.A, at[1:]
		case syntax.Pair:
			if path[0] == 0 {
				v, typ = v.(pair).a, typ.A
			} else {
				v, typ = v.(pair).b, typ.B
			}
			path = path[1:]
		default:
			return l.term(v, ctx, typ.ElemOf())
		}
	}
}

// input is the part of a tensor below some places.
func (l *lowering) input(part int, at []*index.Expr, axes int) val {
	if axes == 0 {
		return &number{make: func(ctx *index.Context) *term.Term { return l.At(part, ctx, at) }}
	}
	return array(func(_ *index.Context, i *index.Expr) val {
		return l.input(part, append(at[:len(at):len(at)], i), axes-1)
	})
}

// size is a size of the text.
func (l *lowering) size(s domain.Size) *index.Expr { return l.Size(l.t.Env.Size(s)) }

// eval is the value of an expression.
func (l *lowering) eval(c *syntax.Core, b *binding) val {
	if l.steps++; l.steps > maxSteps {
		fail(c.Span, "an element takes more than %d steps", maxSteps)
	}
	switch c.Form {
	case syntax.Variable:
		for b.param != c.Param {
			b = b.outer
		}
		return b.val
	case syntax.Literal:
		if c.Type.Kind == syntax.Index {
			return counted(l.X.Num(index.BigNum(c.Value.Num())))
		}
		return &number{make: func(*index.Context) *term.Term { return l.Number(l.Sort(c.Type.Elem), c.Value) }}
	case syntax.Number:
		n := l.size(c.Size())
		if c.Type.Kind == syntax.Index {
			return counted(n)
		}
		return &number{make: func(*index.Context) *term.Term { return l.B.Number(l.Sort(c.Type.Elem), n) }}
	case syntax.Pattern:
		return l.pattern(c)
	case syntax.Apply:
		f := l.eval(c.Args[0], b).(function)
		return f(l.eval(c.Args[1], b))
	case syntax.Lambda:
		return function(func(x val) val { return l.eval(c.Args[0], &binding{c.Param, x, b}) })
	case syntax.Tuple:
		return pair{l.eval(c.Args[0], b), l.eval(c.Args[1], b)}
	case syntax.Free:
		return l.free(c.Function)
	}
	return l.list(c, b)
}

// list is an array of which each element is written.
func (l *lowering) list(c *syntax.Core, b *binding) val {
	items := make([]val, len(c.Args))
	for i, a := range c.Args {
		items[i] = l.eval(a, b)
	}
	return array(func(ctx *index.Context, at *index.Expr) val {
		if n, ok := at.Const(); ok {
			i, _ := n.Int64()
			return items[i]
		}
		v := items[len(items)-1]
		for i := len(items) - 2; i >= 0; i-- {
			v = l.where(c, c.Type.A, []*index.Expr{l.X.Sub(l.X.Const(int64(i)), at)}, always(items[i]), always(v))
		}
		return v
	})
}
