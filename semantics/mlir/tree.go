package mlir

import (
	"math/big"

	"tv/internal/source"
	"tv/semantics/loops"
)

// An oper is an operation in its generic form, whichever form the text has: operands and results, attributes, regions.
type oper struct {
	name     string // of the dialects of today
	at       source.Span
	results  []*def
	args     []*use
	argTypes []*typ // nil where the text does not say
	outTypes []*typ
	attrs    map[string]*attr
	regions  []*region
}

// A region holds one block.
type region struct {
	params []*def
	ops    []*oper
	at     source.Span // of its brackets
}

// A use is an operand.
type use struct {
	name string // without a number
	n    int    // which result of the name
	at   source.Span
	def  *def
}

// A def is a value: a result, or a parameter of a block.
type def struct {
	name   string // with %, and a number where there are several
	at     source.Span
	typ    *typ
	op     *oper // that it is a result of, or whose region it is a parameter of; nil of a parameter of the function
	number int   // among the results or parameters
	param  bool
	block  *region
	uses   int  // in all
	nested bool // one of them in a region within the block

	steers  bool // it is in a subscript, a bound, an extent or a condition of control
	control trilean
	counted trilean

	x    *cval
	cond *loops.Cond
	data *data
	mem  *view
}

// A trilean is a bool that may not be known yet.
type trilean uint8

const (
	unknown trilean = iota
	no
	yes
)

func known(b bool) trilean {
	if b {
		return yes
	}
	return no
}

// attrKind is what an attribute is.
type attrKind uint8

const (
	integerAttr attrKind = iota
	floatAttr
	stringAttr // and words: unit, parallel
	arrayAttr
	denseAttr // elements in list, one of a splat
	mapAttr
	setAttr
	typeAttr
	dictAttr
	opaqueAttr // of a dialect: name<...>
)

// An attr is an attribute.
type attr struct {
	kind attrKind
	at   source.Span
	n    *big.Int
	r    *big.Rat
	hex  bool   // the integer is a pattern of bits
	s    string // of a dialect, its name
	body string // what stands in its brackets
	list []*attr
	dict map[string]*attr
	m    *affineMap
	typ  *typ // behind a colon, or itself
}

// int64 returns the number that an attribute is.
func (a *attr) int64(what string) int64 {
	if a.kind != integerAttr || !a.n.IsInt64() {
		fail(a.at, "bad-syntax", "%s is an integer of 64 bits", what)
	}
	return a.n.Int64()
}

// ints returns the numbers of an array or of a dense attribute.
func (a *attr) ints(what string) []int64 {
	if a.kind != arrayAttr && a.kind != denseAttr {
		fail(a.at, "bad-syntax", "%s is a list of integers", what)
	}
	out := make([]int64, len(a.list))
	for i, b := range a.list {
		out[i] = b.int64(what)
	}
	return out
}

// join returns the stretch from one span to another.
func join(a, b source.Span) source.Span { return source.Span{File: a.File, Start: a.Start, End: b.End} }

// attr returns an attribute of one of some names, or nil.
func (o *oper) attr(names ...string) *attr {
	for _, n := range names {
		if a := o.attrs[n]; a != nil {
			return a
		}
	}
	return nil
}

// needed returns an attribute that has to be there.
func (o *oper) needed(names ...string) *attr {
	a := o.attr(names...)
	if a == nil {
		fail(o.at, "bad-syntax", "%s has an attribute %s", o.name, names[0])
	}
	return a
}

// segments splits the operands into groups, of which the attribute says how long they are.
func (o *oper) segments(count int) [][]*use {
	list := o.needed("operandSegmentSizes", "operand_segment_sizes").ints("a segment")
	return o.split(list, count)
}

func (o *oper) split(sizes []int64, count int) [][]*use {
	rest := o.args
	var out [][]*use
	for _, n := range sizes {
		if n < 0 || n > int64(len(rest)) {
			fail(o.at, "bad-syntax", "%s has other numbers of operands", o.name)
		}
		out, rest = append(out, rest[:n:n]), rest[n:]
	}
	if len(out) != count || len(rest) > 0 {
		fail(o.at, "bad-syntax", "%s has other numbers of operands", o.name)
	}
	return out
}
