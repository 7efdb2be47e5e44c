// Package mlir is the checker's reading of MLIR: of functions of loops over memrefs, in dialects
// affine, scf, memref, arith, linalg and vector. It was written from what these dialects document,
// with the tools of MLIR 16 and 19 as the authority on what texts are well formed. What the form of
// package loops cannot say is refused: loops that data decides about, conversions of floats to
// integers, memrefs whose layout is not known.
//
// An integer of control is one that is made of sizes and of counters. A parameter that a subscript,
// a bound of a loop or an extent is made of is a size; so is each ? of a parameter, A.1 for axis 1
// of %A. Where an integer of control steers it has to be a value of its type, as has all that it is
// made of; where it is data it wraps.
//
//	reading.go     texts, functions, parameters
//	text.go        characters, words
//	types.go       types
//	attributes.go  attributes, affine maps and sets
//	syntax.go      operations, regions, scopes, the generic syntax
//	custom.go      the syntax of each operation
//	steering.go    which values steer
//	control.go     integers of control, and conditions on them
//	data.go        elements: when they are loaded, and what is computed of them
//	operations.go  what operations do: arithmetic, loops, branches
//	parallel.go    loops in no order
//	calls.go       functions of the text
//	memory.go      memrefs
//	vectors.go     vectors, by their elements
//	linalg.go      operations that are loops by themselves
package mlir

import (
	"regexp"
	"slices"
	"strconv"
	"sync"

	"tv/internal/source"
	"tv/proofs/algebra"
	"tv/proofs/loops"
	"tv/semantics/domain"
)

// Reading reads MLIR.
type Reading struct{}

// Read implements algebra.Reading.
func (Reading) Read(f *source.File) (algebra.Source, error) {
	p, err := Procedure(f)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Procedure reads a text: the function that is meant, or without one that no other calls. Errors:
// source.Errors.
func Procedure(file *source.File) (out *loops.Procedure, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case source.Errors:
			out, err = nil, r
		default:
			panic(r)
		}
	}()
	start := source.Span{File: file}
	check(len(file.Text) <= maxText, start, "too-large", "more than %d bytes", maxText)
	p := &parser{file: file, maps: map[string]*mapping{}, types: map[string]typ{},
		skipped: map[string]bool{}, starts: map[string]int{}}
	f := chosen(p.functions(), start)
	p.expand(f, nil)
	read := (&lowering{born: map[*loops.Buffer]int{}}).procedure(f)
	if aliasLine().MatchString(file.Text) {
		disjoint(read)
	}
	return read, nil
}

// aliasLine says that memrefs that are parameters may overlap.
var aliasLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^[ \t]*//[ \t]*alias[ \t]+may\b`)
})

// disjoint refuses a procedure of which two memrefs are parameters, one of them written: they may
// overlap, whatever their types are, and the form has them apart.
func disjoint(p *loops.Procedure) {
	written := p.Written()
	for i, x := range p.Params {
		for _, y := range p.Params[:i] {
			either := slices.Contains(written, x.Name) || slices.Contains(written, y.Name)
			check(len(x.Dims) == 0 || len(y.Dims) == 0 || !either, x.Span, "unsupported-op",
				"%s and %s may overlap", y.Name, x.Name)
		}
	}
}

// procedure lowers a function.
func (l *lowering) procedure(f *operation) *loops.Procedure {
	body := f.regions[0]
	steer(body.body)
	p := &loops.Procedure{Span: f.at, Limits: limits(body.params), Memory: true}
	l.Text = loops.NewText(p)
	for _, v := range body.params {
		l.parameter(p, v)
	}
	l.body(body, func(args []*value, at source.Span) { l.result(p, args, at) })
	l.settle()
	return p
}

// result is what a function returns.
func (l *lowering) result(p *loops.Procedure, args []*value, at source.Span) {
	check(at.File != nil, p.Span, "bad-syntax", "a function without a return")
	if len(args) == 0 {
		return
	}
	v := args[0]
	check(len(args) == 1 && v.typ.kind == scalar, at, "unsupported-op",
		"a result that is no number")
	d := l.taken(v, at)
	b := p.Return(v.typ.elem)
	b.Signless = !v.typ.index && v.typ.elem.Kind == domain.ElemInt
	l.Emit(&loops.Assign{To: access(b, at), Value: d, Span: at})
}

// parameter declares one.
func (l *lowering) parameter(p *loops.Procedure, v *value) {
	name := func(s string) size {
		check(!slices.Contains(p.Sizes, s), v.at, "redefined-name", "%s is a size twice", s)
		p.Sizes = append(p.Sizes, s)
		return domain.NamedSize(s)
	}
	if v.steers {
		check(v.typ.elem.Width >= 32, v.at, "not-static-control", "a size of %s", v.typ.text)
		v.num = &number{x: name(v.name)}
		return
	}
	readable := v.typ.kind == scalar || v.typ.kind == memref && v.typ.plain
	check(readable, v.at, "unsupported-op", "a parameter of %s", v.typ.text)
	b := &loops.Buffer{Name: v.name, Elem: v.typ.elem, Span: v.at,
		Signless: !v.typ.index && v.typ.elem.Kind == domain.ElemInt}
	p.Params = append(p.Params, b)
	if v.typ.kind == scalar {
		v.fix(read(access(b, v.at)))
		return
	}
	for k, n := range v.typ.dims {
		d := domain.IntSize(n)
		if n < 0 {
			d = name(v.name + "." + strconv.Itoa(k))
		}
		b.Dims = append(b.Dims, d)
	}
	v.mem = &view{of: b, dims: b.Dims, life: &life{block: -1}}
	l.Within.Counts(b.Dims)
}

// limits are those of sizes: by the types of those that steer.
func limits(params []*value) (out domain.Limits) {
	for _, v := range params {
		if v.steers && v.typ.elem.Width < 64 {
			return domain.Limits{Sizes: 28, Counts: 30}
		}
		if v.steers || slices.Contains(v.typ.dims, -1) {
			out = domain.Limits{Sizes: 60, Counts: 60}
		}
	}
	return out
}
