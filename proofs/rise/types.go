package rise

import (
	"cmp"
	"fmt"

	"tv/internal/source"
	"tv/proofs/algebra"
	"tv/semantics/domain"
)

type size = domain.Size

var one = domain.IntSize(1)

type kind uint8

const (
	unknown  kind = iota
	scalar        // of type elem
	natural       // an integer that places in arrays have: no data
	pair          // of parts
	array         // of as many parts[0] as size says
	function      // from parts[0] to parts[1]
)

// A typ is a type. One that is unknown may become another, which is then there at is.
type typ struct {
	kind  kind
	elem  domain.Elem
	free  string // the name of a type of which nothing is known
	parts [2]*typ
	size  size
	is    *typ
}

func (t *typ) find() *typ {
	for t.is != nil {
		t = t.is
	}
	return t
}

func arrow(from, to *typ) *typ { return &typ{kind: function, parts: [2]*typ{from, to}} }

func (t *typ) part(i int) *typ { return t.parts[i].find() }

// shape writes a type for a message, without sizes.
func (t *typ) shape(depth int) string {
	t = t.find()
	if depth == 0 {
		return "..."
	}
	of := func(i int) string { return t.parts[i].shape(depth - 1) }
	switch t.kind {
	case scalar:
		return cmp.Or(t.free, t.elem.String())
	case natural:
		return "nat"
	case pair:
		return "(" + of(0) + ", " + of(1) + ")"
	case array:
		return "_." + of(0)
	case function:
		return "(" + of(0) + " -> " + of(1) + ")"
	}
	return "?"
}

// number reports whether t is one of elements with arithmetic.
func (t *typ) number() bool {
	t = t.find()
	return t.kind == scalar && t.free == "" && t.elem != algebra.Truth
}

// data reports whether t is of scalars, pairs and arrays alone.
func (t *typ) data() bool {
	switch t = t.find(); t.kind {
	case scalar:
		return true
	case pair:
		return t.parts[0].data() && t.parts[1].data()
	case array:
		return t.parts[0].data()
	}
	return false
}

// holds reports whether t has u in it: no type is a part of itself.
func (f *inference) holds(at source.Span, t, u *typ) bool {
	f.step(at)
	if t = t.find(); t == u {
		return true
	}
	for _, p := range t.parts {
		if p != nil && f.holds(at, p, u) {
			return true
		}
	}
	return false
}

// A typing is what is found out about a node.
type typing struct {
	typ     *typ
	of      *variable // that a name is
	pattern *pattern  // that it is
}

// A variable is a parameter of a function. Below says how many values there are if it takes those
// of an array of places: 0, 1, and so on.
type variable struct {
	name  string
	typ   *typ
	below *size
	param int // of the program, counted from 1; 0 of others
}

// unify makes two types one.
func (f *inference) unify(at source.Span, x, y *typ) {
	x, y = x.find(), y.find()
	f.step(at)
	switch {
	case x == y:
		return
	case x.kind == unknown || y.kind == unknown:
		if x.kind != unknown {
			x, y = y, x
		}
		check(!f.holds(at, y, x), at, "type-mismatch", "a type would be a part of itself")
		x.is = y
		return
	}
	check(x.kind == y.kind && x.elem == y.elem && x.free == y.free, at, "type-mismatch",
		"%s, where %s is wanted", y.shape(5), x.shape(5))
	if x.kind == array {
		f.equate(at, x.size, y.size)
	}
	for i, p := range x.parts {
		if p != nil {
			f.unify(at, p, y.parts[i])
		}
	}
}

// elems are the types of elements, by the names that they have here.
var elems = map[string]string{"f16": "float16", "f32": "float32", "f64": "float64", "i8": "int8",
	"i16": "int16", "i32": "int32", "i64": "int64", "bool": "bool"}

// element is the type of a name that elems has.
func (f *inference) element(name string) *typ {
	elem, _ := domain.ParseElem(elems[name])
	return &typ{kind: scalar, elem: elem}
}

// A reader of types says what their names are: of sizes, and of types that are no element types.
type reader struct {
	size func(*node) size
	name func(source.Span, string) *typ
}

func (r reader) read(w *written) *typ {
	var t *typ
	switch {
	case w.parts[0] != nil:
		t = &typ{kind: pair, parts: [2]*typ{r.read(w.parts[0]), r.read(w.parts[1])}}
		if w.arrow {
			t.kind = function
		}
	case elems[w.name] != "":
		elem, _ := domain.ParseElem(elems[w.name])
		t = &typ{kind: scalar, elem: elem}
	default:
		t = r.name(w.at, w.name)
	}
	for i := len(w.dims) - 1; i >= 0; i-- {
		t = &typ{kind: array, parts: [2]*typ{t}, size: r.size(w.dims[i])}
	}
	return t
}

// dims takes an array of scalars apart; ok is false where it is none.
func (t *typ) dims() (dims []size, elem domain.Elem, ok bool) {
	for t = t.find(); t.kind == array; t = t.part(0) {
		dims = append(dims, t.size)
	}
	return dims, t.elem, t.kind == scalar
}

// tensorText is the type of a tensor, for a message.
func tensorText(dims []size, elem domain.Elem) string { return fmt.Sprint(elem, dims) }
