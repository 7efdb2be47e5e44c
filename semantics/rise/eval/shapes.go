package eval

import (
	"tv/semantics/rise/syntax"
)

// A shape is a *vector, a pair of shapes, a function of shapes, or nil: that of a number.
type shape any

type vector struct {
	n  int64
	of shape
}

type shapes struct{ a, b shape }

type shaping func(shape) shape

// stop ends the check at the first problem, which the frame has.
type stop struct{}

// A checker computes shapes of expressions. They depend on sizes alone, so each function is applied once.
type checker struct{ *evaluator }

// checkShapes tells whether patterns get arrays of as many elements as they ask for.
func (e *evaluator) checkShapes() {
	defer func() {
		if r := recover(); r != nil && r != any(stop{}) {
			panic(r)
		}
	}()
	k := checker{e}
	var b *binding
	for i, q := range e.t.Parameters {
		b = &binding{q, ofDims(e.PartDims(i)), b}
	}
	k.shape(e.t.Body, b)
}

func ofDims(dims []int64) shape {
	if len(dims) == 0 {
		return nil
	}
	return &vector{dims[0], ofDims(dims[1:])}
}

func (k checker) fail(c *syntax.Core, code, format string, args ...any) {
	k.Fail(c.Span, code, format, args...)
	panic(stop{})
}

func (k checker) shape(c *syntax.Core, b *binding) shape {
	switch c.Form {
	case syntax.Variable:
		for b.param != c.Param {
			b = b.outer
		}
		return b.val
	case syntax.Apply:
		f := k.shape(c.Args[0], b).(shaping)
		x := f(k.shape(c.Args[1], b))
		k.agrees(c, c.Type, x)
		return x
	case syntax.Lambda:
		return shaping(func(x shape) shape {
			if c.Param.Type != nil {
				k.written(c, c.Param.Type, x)
			}
			return k.shape(c.Args[0], &binding{c.Param, x, b})
		})
	case syntax.Tuple:
		return shapes{k.shape(c.Args[0], b), k.shape(c.Args[1], b)}
	case syntax.List:
		v := &vector{n: int64(len(c.Args))}
		for i, a := range c.Args {
			if of := k.shape(a, b); i == 0 {
				v.of = of
			} else {
				k.same(a, v.of, of)
			}
		}
		return v
	case syntax.Pattern:
		return k.pattern(c)
	case syntax.Free:
		return takes(len(c.Function.Args), func(x []shape) shape {
			for i, t := range c.Function.Args {
				k.same(c, k.ofType(c, t), x[i])
			}
			return k.ofType(c, c.Function.Result)
		})
	}
	return nil
}

// ofType is the shape that a type says.
func (k checker) ofType(c *syntax.Core, t *syntax.Type) shape {
	switch t.Kind {
	case syntax.Array:
		return &vector{k.Size(c.Span, t.Dim), k.ofType(c, t.A)}
	case syntax.Pair:
		return shapes{k.ofType(c, t.A), k.ofType(c, t.B)}
	}
	return nil
}

// agrees checks a shape against the type that was inferred: whoever asks for dims gets those of the type.
func (k checker) agrees(c *syntax.Core, t *syntax.Type, x shape) {
	switch t.Kind {
	case syntax.Array:
		if n := k.Size(c.Span, t.Dim); n != x.(*vector).n {
			k.fail(c, "internal", "%d elements, and the type %s has %d", x.(*vector).n, t, n)
		}
		k.agrees(c, t.A, x.(*vector).of)
	case syntax.Pair:
		k.agrees(c, t.A, x.(shapes).a)
		k.agrees(c, t.B, x.(shapes).b)
	}
}

// written checks a shape against a type that the text gives.
func (k checker) written(c *syntax.Core, t *syntax.Type, x shape) {
	switch t.Kind {
	case syntax.Array:
		v, n := x.(*vector), k.Size(c.Span, t.Dim)
		if n < 0 {
			k.fail(c, "negative-dim", "%s has %d elements", c.Param.Name, n)
		}
		if v.n != n {
			k.fail(c, "shape-mismatch", "%s has %d elements, where %d should be", c.Param.Name, v.n, n)
		}
		k.written(c, t.A, v.of)
	case syntax.Pair:
		k.written(c, t.A, x.(shapes).a)
		k.written(c, t.B, x.(shapes).b)
	}
}

// same checks that two shapes of data are one.
func (k checker) same(c *syntax.Core, x, y shape) {
	switch x := x.(type) {
	case *vector:
		if y := y.(*vector); x.n != y.n {
			k.fail(c, "shape-mismatch", "%d elements, where %d should be", y.n, x.n)
		}
		k.same(c, x.of, y.(*vector).of)
	case shapes:
		k.same(c, x.a, y.(shapes).a)
		k.same(c, x.b, y.(shapes).b)
	}
}

// takes is a function of shapes of n arguments.
func takes(n int, f func(x []shape) shape) shape { return more(n, nil, f) }

func more(n int, x []shape, f func(x []shape) shape) shape {
	if len(x) == n {
		return f(x)
	}
	return shaping(func(y shape) shape { return more(n, append(x[:len(x):len(x)], y), f) })
}

// given are the numbers that a pattern is given first, and not less than the table allows.
func (e *evaluator) given(c *syntax.Core) (out [2]int64) {
	for i, s := range c.Given {
		out[i] = e.Size(c.Span, s)
	}
	return out
}

func (k checker) pattern(c *syntax.Core) shape {
	g := k.given(c)
	for i, n := range g[:len(c.Given)] {
		if least := int64(map[string]int{"split0": 1, "slide1": 1}[c.Name+string(rune('0'+i))]); n < least {
			k.fail(c, "bad-size", "%s is given %d, which is less than %d", c.Name, n, least)
		}
	}
	switch c.Name {
	case "fst", "snd", "unzip", "zip", "makePair", "mapFst", "mapSnd":
		return k.pairs(c)
	case "map", "reduce", "scanSeq", "let", "generate", "select", "id":
		return k.computing(c, g)
	case "split", "join", "transpose", "slide", "padClamp", "padCst", "padEmpty", "take", "drop", "concat", "idx", "gather",
		"scatter", "reorder":
		return k.moving(c, g)
	}
	arity := 0 // of functions of numbers
	for t := c.Type; t.Kind == syntax.Func; t = t.B {
		arity++
	}
	return takes(arity, func([]shape) shape { return nil })
}

// pairs are the patterns for pairs.
func (k checker) pairs(c *syntax.Core) shape {
	switch c.Name {
	case "fst":
		return takes(1, func(x []shape) shape { return x[0].(shapes).a })
	case "snd":
		return takes(1, func(x []shape) shape { return x[0].(shapes).b })
	case "unzip":
		return takes(1, func(x []shape) shape {
			v := x[0].(*vector)
			return shapes{&vector{v.n, v.of.(shapes).a}, &vector{v.n, v.of.(shapes).b}}
		})
	case "zip":
		return takes(2, func(x []shape) shape {
			v, w := x[0].(*vector), x[1].(*vector)
			if v.n != w.n {
				k.fail(c, "shape-mismatch", "zip of arrays of %d and %d elements", v.n, w.n)
			}
			return &vector{v.n, shapes{v.of, w.of}}
		})
	case "makePair":
		return takes(2, func(x []shape) shape { return shapes{x[0], x[1]} })
	case "mapFst":
		return takes(2, func(x []shape) shape { return shapes{x[0].(shaping)(x[1].(shapes).a), x[1].(shapes).b} })
	}
	return takes(2, func(x []shape) shape { return shapes{x[1].(shapes).a, x[0].(shaping)(x[1].(shapes).b)} })
}

// computing are the patterns that apply functions.
func (k checker) computing(c *syntax.Core, g [2]int64) shape {
	apply := func(f shape, args ...shape) shape {
		for _, a := range args {
			f = f.(shaping)(a)
		}
		return f
	}
	switch c.Name {
	case "map":
		return takes(2, func(x []shape) shape { return &vector{x[1].(*vector).n, apply(x[0], x[1].(*vector).of)} })
	case "reduce":
		return takes(3, func(x []shape) shape {
			k.same(c, x[1], apply(x[0], x[1], x[2].(*vector).of))
			return x[1]
		})
	case "scanSeq":
		return takes(3, func(x []shape) shape {
			k.same(c, x[1], apply(x[0], x[2].(*vector).of, x[1]))
			return &vector{x[2].(*vector).n, x[1]}
		})
	case "let":
		return takes(2, func(x []shape) shape { return apply(x[1], x[0]) })
	case "generate":
		return takes(1, func(x []shape) shape { return &vector{g[0], apply(x[0], nil)} })
	case "select":
		return takes(3, func(x []shape) shape {
			k.same(c, x[1], x[2])
			return x[1]
		})
	}
	return takes(1, func(x []shape) shape { return x[0] })
}

// moving are the patterns that put elements elsewhere.
func (k checker) moving(c *syntax.Core, g [2]int64) shape {
	switch c.Name {
	case "padCst":
		return takes(2, func(x []shape) shape {
			v := x[1].(*vector)
			k.same(c, v.of, x[0])
			return &vector{k.sum(c, g[0], v.n, g[1]), v.of}
		})
	case "concat":
		return takes(2, func(x []shape) shape {
			v, w := x[0].(*vector), x[1].(*vector)
			k.same(c, v.of, w.of)
			return &vector{k.sum(c, v.n, w.n), v.of}
		})
	case "idx":
		return takes(2, func(x []shape) shape { return x[1].(*vector).of })
	case "gather":
		return takes(2, func(x []shape) shape { return &vector{x[0].(*vector).n, x[1].(*vector).of} })
	case "scatter":
		return takes(2, func(x []shape) shape {
			if n, m := x[0].(*vector).n, x[1].(*vector).n; n != m {
				k.fail(c, "shape-mismatch", "%d places for %d elements", n, m)
			}
			return x[1]
		})
	case "reorder":
		return takes(3, func(x []shape) shape {
			if n := x[2].(*vector).n; n != g[0] {
				k.fail(c, "shape-mismatch", "%d elements, where %d should be", n, g[0])
			}
			return x[2]
		})
	}
	return takes(1, func(x []shape) shape { return k.moved(c, g, x[0].(*vector)) })
}

// moved are the patterns of one array.
func (k checker) moved(c *syntax.Core, g [2]int64, v *vector) shape {
	switch c.Name {
	case "transpose":
		w := v.of.(*vector)
		return &vector{w.n, &vector{v.n, w.of}}
	case "split":
		if v.n%g[0] != 0 {
			k.fail(c, "not-divisible", "%d elements are no multiple of %d", v.n, g[0])
		}
		return &vector{v.n / g[0], &vector{g[0], v.of}}
	case "join":
		w := v.of.(*vector)
		return &vector{k.product(c, v.n, w.n), w.of}
	case "slide":
		switch {
		case v.n < g[0]:
			k.fail(c, "window-too-long", "%d elements have no window of %d", v.n, g[0])
		case (v.n-g[0])%g[1] != 0:
			k.fail(c, "not-divisible", "windows of %d, each %d further, do not end with %d elements", g[0], g[1], v.n)
		}
		return &vector{1 + (v.n-g[0])/g[1], &vector{g[0], v.of}}
	case "padClamp":
		if v.n < 1 {
			k.fail(c, "zero-size", "nothing to pad with: the array is empty")
		}
		return &vector{k.sum(c, g[0], v.n, g[1]), v.of}
	case "padEmpty":
		return &vector{k.sum(c, v.n, g[0]), v.of}
	}
	if v.n < g[0] {
		k.fail(c, "slice-bounds", "%s of %d from %d elements", c.Name, g[0], v.n)
	}
	if c.Name == "take" {
		return &vector{g[0], v.of}
	}
	return &vector{v.n - g[0], v.of}
}

// most bounds numbers of elements.
const most = 1 << 61

func (k checker) sum(c *syntax.Core, list ...int64) (n int64) {
	for _, m := range list {
		if n += m; n > most || m > most {
			k.fail(c, "too-large", "an array has too many elements")
		}
	}
	return n
}

func (k checker) product(c *syntax.Core, n, m int64) int64 {
	if m > 0 && n > most/m {
		k.fail(c, "too-large", "an array has too many elements")
	}
	return n * m
}
