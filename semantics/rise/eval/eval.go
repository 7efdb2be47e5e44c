package eval

import (
	"fmt"

	"tv/semantics"
	"tv/semantics/cells"
	"tv/semantics/domain"
	"tv/semantics/rise/syntax"
	"tv/semantics/value"
)

// A val is what an expression denotes: a value.Value of a number (an integer of any size where it counts), an *array, a
// pair or a function.
type val any

type pair struct{ a, b val }

type function func(val) val

// An array computes its elements when they are asked for. It remembers them, if it is not too long.
type array struct {
	n    int64
	at   func(i int64) val
	memo []val
}

// maxMemo is how many elements an array remembers at most.
const maxMemo = 1 << 16

func newArray(n int64, at func(i int64) val) *array { return &array{n: n, at: at} }

// remembering is an array of elements that are computed once.
func remembering(n int64, at func(i int64) val) *array {
	a := newArray(n, at)
	if n <= maxMemo {
		a.memo = make([]val, n)
	}
	return a
}

func (a *array) element(i int64) val {
	if a.memo == nil {
		return a.at(i)
	}
	if a.memo[i] == nil {
		a.memo[i] = a.at(i)
	}
	return a.memo[i]
}

// A binding is the value of a variable, with those around it.
type binding struct {
	param *syntax.Param
	val   val
	outer *binding
}

type evaluator struct {
	*cells.Frame
	t     *syntax.Typed
	arith value.Arith
	root  val // of the program; nil until it is asked for

	lawful bool         // whether it is known if tables have the laws asked for
	why    *value.Value // why not, nil where they have
}

// New implements semantics.Program.Evaluate for t.
func New(t *syntax.Typed, a value.Arith, pt domain.Point, in value.Inputs,
	standing semantics.Standing) (semantics.Evaluator, error) {
	e := &evaluator{Frame: cells.New(t, t.Env, a, pt, in, standing), t: t, arith: a}
	e.checkShapes()
	if _, err := e.Ready(e.made); err != nil {
		return nil, err
	}
	e.checkPermutations()
	if _, err := e.Ready(e.made); err != nil {
		return nil, err
	}
	return e, nil
}

// Reset implements semantics.Evaluator: arrays forget elements of inputs too.
func (e *evaluator) Reset() {
	e.root, e.lawful = nil, false
	e.Frame.Reset()
}

// made is an element of a tensor of the result: indices go into arrays, and the path into pairs between them.
func (e *evaluator) made(part int, index []int64) value.Value {
	if e.root == nil {
		e.root = e.eval(e.t.Body, e.inputs())
	}
	if !e.lawful {
		e.lawful, e.why = true, e.lawless()
	}
	if e.why != nil {
		return *e.why
	}
	v, typ, path := e.root, e.t.Body.Type, e.t.Component(part)
	for {
		switch typ.Kind {
		case syntax.Array:
			v, typ, index = v.(*array).element(index[0]), typ.A, index[1:]
		case syntax.Pair:
			if path[0] == 0 {
				v, typ = v.(pair).a, typ.A
			} else {
				v, typ = v.(pair).b, typ.B
			}
			path = path[1:]
		case syntax.Index:
			return convert(e.arith, v.(value.Value), typ, &syntax.Type{Kind: syntax.Scalar, Elem: typ.ElemOf()})
		default:
			return v.(value.Value)
		}
	}
}

// inputs are the values of the parameters.
func (e *evaluator) inputs() (b *binding) {
	for i, q := range e.t.Parameters {
		b = &binding{q, e.input(q.Type, i, nil), b}
	}
	return b
}

// input is the part of a tensor below some indices.
func (e *evaluator) input(t *syntax.Type, part int, index []int64) val {
	if t.Kind != syntax.Array {
		return e.canonical(t, e.At(part, index))
	}
	return newArray(e.PartDims(part)[len(index)], func(i int64) val {
		return e.input(t.A, part, append(index[:len(index):len(index)], i))
	})
}

// eval is the value of an expression.
func (e *evaluator) eval(c *syntax.Core, b *binding) val {
	switch c.Form {
	case syntax.Variable:
		for ; b != nil; b = b.outer {
			if b.param == c.Param {
				return b.val
			}
		}
		panic(fmt.Sprintf("eval: %s is not bound", c.Param.Name))
	case syntax.Literal:
		return e.numbers(c.Type).Constant(c.Value)
	case syntax.Number:
		return e.numbers(c.Type).Integer(e.Size(c.Span, c.Size()))
	case syntax.Pattern:
		return e.pattern(c)
	case syntax.Apply:
		f := e.eval(c.Args[0], b).(function)
		return f(e.eval(c.Args[1], b))
	case syntax.Lambda:
		return function(func(x val) val { return e.eval(c.Args[0], &binding{c.Param, x, b}) })
	case syntax.Tuple:
		return pair{e.eval(c.Args[0], b), e.eval(c.Args[1], b)}
	case syntax.Free:
		return e.free(c)
	}
	return remembering(int64(len(c.Args)), func(i int64) val { return e.eval(c.Args[i], b) })
}

// undefined is a value of a type of which no number has a value.
func (e *evaluator) undefined(c *syntax.Core, t *syntax.Type, why value.Value) val {
	switch t.Kind {
	case syntax.Array:
		return newArray(e.Size(c.Span, t.Dim), func(int64) val { return e.undefined(c, t.A, why) })
	case syntax.Pair:
		return pair{e.undefined(c, t.A, why), e.undefined(c, t.B, why)}
	}
	return why
}
