package eval

import (
	"tv/semantics/rise/syntax"
	"tv/semantics/value"
)

// curried is a function of n arguments, one after the other.
func curried(n int, x []val, f func(x []val) val) val {
	if len(x) == n {
		return f(x)
	}
	return function(func(y val) val { return curried(n, append(x[:len(x):len(x)], y), f) })
}

// call applies a function to arguments.
func call(f val, args ...val) val {
	for _, a := range args {
		f = f.(function)(a)
	}
	return f
}

// arity is how many arguments a pattern takes behind its sizes; all others are functions of numbers.
var arity = map[string]int{"map": 2, "zip": 2, "unzip": 1, "fst": 1, "snd": 1, "makePair": 2, "mapFst": 2, "mapSnd": 2,
	"reduce": 3, "scanSeq": 3, "transpose": 1, "split": 1, "join": 1, "slide": 1, "padClamp": 1, "padCst": 2, "padEmpty": 1,
	"take": 1, "drop": 1, "concat": 2, "generate": 1, "idx": 2, "gather": 2, "scatter": 2, "reorder": 3, "let": 2, "id": 1}

// pattern is the function that a pattern is.
func (e *evaluator) pattern(c *syntax.Core) val {
	n, ok := arity[c.Name]
	if !ok {
		return e.ofNumbers(c)
	}
	out := c.Type
	for range n {
		out = out.B
	}
	g := e.given(c)
	return curried(n, nil, func(x []val) val {
		switch c.Name {
		case "fst", "snd", "unzip", "zip", "makePair", "mapFst", "mapSnd":
			return pairs(c.Name, x)
		case "map", "reduce", "scanSeq", "let", "generate", "id":
			return computing(c.Name, g, x, func(i int64) val { return e.counting(i) })
		case "idx", "gather", "scatter":
			return e.dependent(c, out, x)
		case "padEmpty":
			a := x[0].(*array)
			return newArray(a.n+g[0], func(i int64) val {
				if i < a.n {
					return a.element(i)
				}
				return e.undefined(c, out.A, value.Undefinedf("padEmpty says nothing of element %d", i))
			})
		case "reorder":
			a := x[2].(*array)
			return newArray(a.n, func(i int64) val {
				from, _, _ := call(x[0], e.counting(i)).(value.Value).Integer() // checkPermutations has seen them all
				return a.element(from)
			})
		}
		if c.Name == "transpose" || c.Name == "join" { // an array without elements does not show how long they are
			g[0] = e.Size(c.Span, c.Type.A.A.Dim)
		}
		return moved(c.Name, g, x)
	})
}

// pairs are the patterns for pairs.
func pairs(name string, x []val) val {
	switch name {
	case "fst":
		return x[0].(pair).a
	case "snd":
		return x[0].(pair).b
	case "unzip":
		a := x[0].(*array)
		return pair{newArray(a.n, func(i int64) val { return a.element(i).(pair).a }),
			newArray(a.n, func(i int64) val { return a.element(i).(pair).b })}
	case "zip":
		a, b := x[0].(*array), x[1].(*array)
		return newArray(a.n, func(i int64) val { return pair{a.element(i), b.element(i)} })
	case "makePair":
		return pair{x[0], x[1]}
	case "mapFst":
		p := x[1].(pair)
		return pair{call(x[0], p.a), p.b}
	}
	p := x[1].(pair)
	return pair{p.a, call(x[0], p.b)}
}

// computing are the patterns that apply functions.
func computing(name string, g [2]int64, x []val, counting func(i int64) val) val {
	switch name {
	case "map":
		a := x[1].(*array)
		return remembering(a.n, func(i int64) val { return call(x[0], a.element(i)) })
	case "reduce":
		acc, a := x[1], x[2].(*array)
		for i := range a.n {
			acc = call(x[0], acc, a.element(i))
		}
		return acc
	case "scanSeq":
		return scan(x[0], x[1], x[2].(*array))
	case "let":
		return call(x[1], x[0])
	case "generate":
		return remembering(g[0], func(i int64) val { return call(x[0], counting(i)) })
	}
	return x[0]
}

// scan is the array of the folds of x[0..i]: f takes the element first. What was folded is kept.
func scan(f, acc val, a *array) val {
	var folds []val
	return newArray(a.n, func(i int64) val {
		for n := int64(len(folds)); n <= i; n++ {
			acc = call(f, a.element(n), acc)
			folds = append(folds, acc)
		}
		return folds[i]
	})
}

// moved are the patterns that put elements elsewhere.
func moved(name string, g [2]int64, x []val) val {
	a := x[len(x)-1].(*array)
	switch name {
	case "transpose":
		return newArray(g[0], func(j int64) val {
			return newArray(a.n, func(i int64) val { return a.element(i).(*array).element(j) })
		})
	case "split":
		return newArray(a.n/g[0], func(i int64) val {
			return newArray(g[0], func(j int64) val { return a.element(i*g[0] + j) })
		})
	case "join":
		return newArray(a.n*g[0], func(i int64) val { return a.element(i / g[0]).(*array).element(i % g[0]) })
	case "slide":
		return newArray(1+(a.n-g[0])/g[1], func(i int64) val {
			return newArray(g[0], func(j int64) val { return a.element(i*g[1] + j) })
		})
	case "padClamp":
		return newArray(g[0]+a.n+g[1], func(i int64) val { return a.element(min(max(i-g[0], 0), a.n-1)) })
	case "padCst":
		return newArray(g[0]+a.n+g[1], func(i int64) val {
			if i < g[0] || i >= g[0]+a.n {
				return x[0]
			}
			return a.element(i - g[0])
		})
	case "take":
		return newArray(g[0], a.element)
	case "drop":
		return newArray(a.n-g[0], func(i int64) val { return a.element(i + g[0]) })
	}
	first := x[0].(*array) // concat
	return newArray(first.n+a.n, func(i int64) val {
		if i < first.n {
			return first.element(i)
		}
		return a.element(i - first.n)
	})
}
