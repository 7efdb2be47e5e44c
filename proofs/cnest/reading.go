// Package cnest is the checker's reading of C: of nests of loops over arrays. It was written from
// the C standard (N1570, whose sections are cited where a rule is applied) and from what a subset
// of it means for all sizes. What the form of package loops cannot say is refused: loops that data
// decides about, divisors and shifts that are data, integers made of floats, pointers without
// extents.
//
// An integer of control is one that a subscript, a heading of a loop or an extent is made of. A
// parameter among them is a size. It is an integer of mathematics that has to lie in its C type,
// which is required wherever it is computed, unless sizes within limits make it so. All else is
// data, which wraps (-fwrapv) and rounds. Where a text may be read as both, it is refused.
//
//	reading.go     texts, parameters
//	tokens.go      tokens and macros
//	syntax.go      expressions, statements, functions
//	outside.go     constants and enums outside functions; pointers to blocks
//	walking.go     pointers that go along an array
//	types.go       types, and the types of results
//	steering.go    which integers are of control
//	control.go     integers of control, and conditions
//	data.go        elements, arrays
//	choices.go     conditions on data, and what is executed under them
//	calls.go       functions, of the text and others
//	library.go     functions of BLAS
//	overlap.go     parameters that may overlap
//	overflow.go    signed overflow, where it is undefined
//	contracts.go   functions that a text has contracts of
//	statements.go  statements
//	iteration.go   while and do
//	induction.go   integers that go with the counter of a loop
package cnest

import (
	"math/big"
	"slices"
	"strings"

	"tv/internal/source"
	"tv/proofs/algebra"
	"tv/proofs/loops"
	"tv/semantics/domain"
)

// Reading reads C.
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
	of, f := map[string]*function{}, (*function)(nil)
	list := functions(preprocess(file))
	for _, g := range list {
		of[g.name] = g
	}
	f = chosen(list, source.Span{File: file})
	delete(of, "main")
	l := &lowering{steering: steer(file, of, f), now: map[*variable]size{},
		checked: overflowLine().MatchString(file.Text), arrays: map[*variable]*array{},
		spans: map[*loops.Data][2]*big.Int{}, born: map[*loops.Buffer]int{},
		asked:  map[*loops.Data]bool{},
		picked: map[*node]int{}, active: []*function{f}}
	p := l.procedure(f)
	if aliasLine().MatchString(file.Text) {
		l.disjoint(f, p)
	}
	return p, nil
}

// chosen is the function that is meant, or without one that no other calls but main, or of several
// the kernel of PolyBench.
func chosen(list []*function, whole source.Span) *function {
	var left, kernels []*function
	if name := whole.File.Function; name != "" {
		i := slices.IndexFunc(list, func(f *function) bool { return f.name == name })
		check(i >= 0, whole, "unbound-name", "there is no function %s", name)
		return list[i]
	}
	for _, f := range list {
		called := f.name == "main"
		for _, g := range list {
			for i, t := range g.code[1:] {
				called = called || g != f && g.name != "main" && t.text == "(" &&
					g.code[i].text == f.name
			}
		}
		if !called {
			left = append(left, f)
		}
		if !called && strings.HasPrefix(f.name, "kernel") {
			kernels = append(kernels, f)
		}
	}
	if len(left) > 1 {
		left = kernels
	}
	check(len(left) == 1, whole, "unsupported-op", "not one function that no other calls")
	return left[0]
}

// procedure lowers a function.
func (l *lowering) procedure(f *function) *loops.Procedure {
	p := &loops.Procedure{Span: f.at, Limits: l.limits(), Memory: true}
	l.Text = loops.NewText(p)
	for _, v := range f.params {
		if l.steers[v] {
			check(v.typ.isInt() && v.typ.elem.Width >= 32, v.at, "not-static-control",
				"a size is an int, a long or an unsigned one")
			l.now[v] = domain.NamedSize(v.name)
			p.Sizes = append(p.Sizes, v.name)
		}
	}
	changed := assigned(f.body)
	for _, v := range f.params {
		if l.steers[v] {
			continue
		}
		b := &loops.Buffer{Name: v.name, Elem: v.typ.elem, Span: v.at}
		for _, d := range v.dims {
			if d == nil { // a pointer, or the first extent of an array, which is one (6.7.6.3)
				b.Unsized, b.Dims = true, []size{domain.NamedSize(v.name + ".extent")}
				continue
			}
			b.Dims = append(b.Dims, l.extent(d))
		}
		if p.Params = append(p.Params, b); l.Within.Count != nil {
			l.Within.Counts(b.Dims)
		}
		a := &array{of: b, typ: v.typ, readonly: v.readonly, dims: b.Dims}
		if l.arrays[v] = a; changed[v] && !v.array { // a copy of what is handed over (6.5.2.2)
			l.arrays[v] = l.hold(v.name, v.typ, a.read(v.at), v.at)
			l.arrays[v].readonly = v.readonly
		}
	}
	body, value := f.split()
	l.statements(f.out.begin)
	l.statements(body)
	if f.result == void {
		check(value == nil, f.at, "bad-syntax", "%s returns nothing", f.name)
		return p
	}
	check(value != nil, f.at, "unsupported-op", "%s ends without a return", f.name)
	l.alone = value
	x, t := l.data(value)
	x = convert(x, t, f.result, value.at)
	b := p.Return(f.result.elem)
	l.Emit(&loops.Assign{To: loops.Access{Buffer: b, Span: value.at}, Value: x, Span: value.at})
	return p
}

// limits are those of sizes: by the widths of integers of control.
func (l *lowering) limits() (out domain.Limits) {
	for v := range l.steers {
		if v.typ.elem.Width < 64 {
			return domain.Limits{Sizes: 28, Counts: 30}
		}
		out = domain.Limits{Sizes: 60, Counts: 60}
	}
	return out
}
