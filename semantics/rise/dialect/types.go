package dialect

import (
	"fmt"
	"strings"

	"tv/semantics/domain"
	"tv/semantics/rise/syntax"
)

// kind is what a type is made with.
type kind uint8

const (
	unknown kind = iota // to be found
	scalar              // a number; elem
	plain               // the same inside of rise.embed
	array               // n of a
	tuple               // of a and b
	fun                 // from a to b
	memref              // memory of which the contents are an a
)

// A typ is a type of the dialect.
type typ struct {
	kind kind
	elem string
	n    int64
	a, b *typ
	is   *typ // what an unknown was found to be
	// paired and curried are what an unknown of a function of two numbers may be.
	paired, curried *typ
}

func (t *typ) found() *typ {
	for t.is != nil {
		t = t.is
	}
	return t
}

func fresh() *typ                   { return &typ{} }
func number(elem string) *typ       { return &typ{kind: scalar, elem: elem} }
func arrayOf(n int64, of *typ) *typ { return &typ{kind: array, n: n, a: of} }
func pairOf(a, b *typ) *typ         { return &typ{kind: tuple, a: a, b: b} }
func function(args ...*typ) (out *typ) {
	out = args[len(args)-1]
	for i := len(args) - 2; i >= 0; i-- {
		out = &typ{kind: fun, a: args[i], b: out}
	}
	return out
}

// String prints a type as it is written, without !rise. in front.
func (t *typ) String() string {
	switch t = t.found(); t.kind {
	case scalar:
		return "scalar<" + t.elem + ">"
	case plain:
		return t.elem
	case array:
		return fmt.Sprintf("array<%d, %s>", t.n, t.a)
	case tuple:
		return fmt.Sprintf("tuple<%s, %s>", t.a, t.b)
	case fun:
		return fmt.Sprintf("fun<%s -> %s>", t.a, t.b)
	case memref:
		var dims strings.Builder
		of := t.a.found()
		for ; of.kind == array; of = of.a.found() {
			fmt.Fprintf(&dims, "%dx", of.n)
		}
		return "memref<" + dims.String() + of.elem + ">"
	}
	return "?"
}

// unify makes types equal; false where they are not.
func unify(a, b *typ) bool {
	if a, b = a.found(), b.found(); a == b {
		return true
	}
	if a.kind != unknown && b.kind == unknown {
		a, b = b, a
	}
	switch {
	case a.kind == unknown && b.kind == unknown:
		if a.paired != nil {
			a, b = b, a
		}
		a.is = b
		return true
	case a.kind == unknown:
		if occurs(a, b) {
			return false
		}
		a.is = b
		return a.paired == nil || unify(a.either(b), b)
	case a.kind != b.kind || a.elem != b.elem || a.n != b.n:
		return false
	case a.kind == scalar || a.kind == plain:
		return true
	case a.kind == array || a.kind == memref:
		return unify(a.a, b.a)
	}
	return unify(a.a, b.a) && unify(a.b, b.b)
}

// either is the type of a function of two numbers that a place asks for.
func (t *typ) either(asked *typ) *typ {
	if asked.kind == fun && (asked.a.found().kind == tuple || asked.a.found().kind == unknown && asked.b.found().kind == scalar) {
		return t.paired
	}
	return t.curried
}

func occurs(v, t *typ) bool {
	t = t.found()
	return t == v || t.a != nil && occurs(v, t.a) || t.b != nil && occurs(v, t.b)
}

// elems are the element types that there are, and what they are called elsewhere.
var elems = func() map[string]domain.Elem {
	out := map[string]domain.Elem{}
	for here, there := range map[string]string{"f16": "float16", "f32": "float32", "f64": "float64", "i1": "bool", "i8": "int8",
		"i16": "int16", "i32": "int32", "i64": "int64"} {
		e, ok := domain.ParseElem(there)
		if !ok {
			panic(there)
		}
		out[here] = e
	}
	return out
}()

// core is a type in the core; nil where it is not known.
func (t *typ) core() *syntax.Type {
	t = t.found()
	out := &syntax.Type{}
	switch t.kind {
	case scalar, plain:
		out.Kind, out.Elem = syntax.Scalar, elems[t.elem]
		return out
	case array:
		out.Kind, out.Dim, out.A = syntax.Array, domain.IntSize(t.n), t.a.core()
		if out.A == nil {
			return nil
		}
		return out
	case tuple:
		out.Kind = syntax.Pair
	case fun:
		out.Kind = syntax.Func
	case memref:
		return t.a.core()
	default:
		if t.curried != nil { // whatever is asked for, it is not asked for as a pair
			return t.curried.core()
		}
		return nil
	}
	if out.A, out.B = t.a.core(), t.b.core(); out.A == nil || out.B == nil {
		return nil
	}
	return out
}
