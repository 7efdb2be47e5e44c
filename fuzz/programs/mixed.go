package programs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Programs that mix element types, which other programs hardly do: sums, products and maxima of few types, with conversions
// between them at each step. A pair is such a program and the same with one step done in another type, or with one conversion
// more or less: what laws of conversions say of it, and what they do not.

// mixedTypes are their types: those that wrap, wide and narrow, more often.
var mixedTypes = []string{"int8", "int8", "int16", "int32", "int32", "uint8", "uint16", "float32", "bfloat16"}

// A mixed expression is an input (no operands), a conversion, or an operator on operands of its own type.
type mixed struct {
	op   string // "" for an input, "cast", or what follows relay-operator-call; "negative" and "sum" are computes
	typ  string
	args []*mixed
}

// Mixed draws a pair.
func Mixed(seed uint64) (before, after string) {
	rng := rand.New(rand.NewPCG(seed, 0x6d69786564))
	dim := []string{"3", "N"}[rng.IntN(2)]
	for {
		x := growMixed(rng, mixedTypes[rng.IntN(len(mixedTypes))], 3)
		if rng.IntN(4) == 0 { // above all else, so that elements stand beside elements below
			x = convert(&mixed{"sum", x.typ, []*mixed{x}}, mixedTypes[rng.IntN(len(mixedTypes))])
		}
		if y := x.changed(rng); y != nil && y.typ == x.typ {
			return x.declared(dim, y) + x.text() + "\n", x.declared(dim, y) + y.text() + "\n"
		}
	}
}

func growMixed(rng *rand.Rand, typ string, depth int) *mixed {
	grow := func(t string) *mixed { return growMixed(rng, t, depth-1) }
	if depth == 0 {
		return &mixed{typ: typ}
	}
	switch k := rng.IntN(10); {
	case k < 4:
		return &mixed{"cast", typ, []*mixed{grow(mixedTypes[rng.IntN(len(mixedTypes))])}}
	case k < 8:
		op := []string{"relay-add", "relay-multiply", "relay-maximum", "relay-minimum"}[rng.IntN(4)]
		return &mixed{op, typ, []*mixed{grow(typ), grow(typ)}}
	case k < 9:
		return &mixed{[]string{"negative", "relu"}[rng.IntN(2)], typ, []*mixed{grow(typ)}}
	}
	return &mixed{typ: typ}
}

// changed returns the expression with a change at one of its places, nil where there is none.
func (x *mixed) changed(rng *rand.Rand) *mixed {
	var places []func() *mixed
	x.places(rng, func(y *mixed) *mixed { return y }, &places)
	if len(places) == 0 {
		return nil
	}
	return places[rng.IntN(len(places))]()
}

// places lists the changes of x; whole makes of an expression in its place the whole one.
func (x *mixed) places(rng *rand.Rand, whole func(*mixed) *mixed, out *[]func() *mixed) {
	add := func(y *mixed) { *out = append(*out, func() *mixed { return whole(y) }) }
	inner := len(x.args) > 0
	switch {
	case x.op == "cast" && x.args[0].op == "cast":
		add(convert(x.args[0].args[0], x.typ)) // without what is in the middle
		add(convert(convert(x.args[0].args[0], mixedTypes[rng.IntN(len(mixedTypes))]), x.typ))
	case x.op == "cast" && len(x.args[0].args) > 0: // each operand by itself
		y := &mixed{op: x.args[0].op, typ: x.typ}
		for _, a := range x.args[0].args {
			y.args = append(y.args, convert(a, x.typ))
		}
		add(y)
	case inner && !slices.ContainsFunc(x.args, func(a *mixed) bool { return a.op != "cast" || a.args[0].typ != x.args[0].args[0].typ }):
		y := &mixed{op: x.op, typ: x.args[0].args[0].typ} // what was converted, before it is
		for _, a := range x.args {
			y.args = append(y.args, a.args[0])
		}
		add(convert(y, x.typ))
	}
	if rng.IntN(4) == 0 { // there and back
		add(&mixed{"cast", x.typ, []*mixed{convert(x, mixedTypes[rng.IntN(len(mixedTypes))])}})
	}
	for i, a := range x.args {
		a.places(rng, func(y *mixed) *mixed {
			z := &mixed{x.op, x.typ, slices.Clone(x.args)}
			z.args[i] = y
			return whole(z)
		}, out)
	}
}

func convert(x *mixed, typ string) *mixed {
	if x.typ == typ {
		return x
	}
	return &mixed{"cast", typ, []*mixed{x}}
}

func (x *mixed) text() string {
	var args []string
	for _, a := range x.args {
		args = append(args, a.text())
	}
	switch x.op {
	case "":
		return x.input()
	case "cast":
		return relay("relay-cast", args[0], x.typ)
	case "sum":
		return fmt.Sprintf("(compute reduce-sum (access %s 0))", args[0])
	case "negative", "relu":
		return fmt.Sprintf("(compute %s (access %s 1))", x.op, args[0])
	}
	return fmt.Sprintf("(relay-operator-call %s %s)", x.op, strings.Join(args, " "))
}

func (x *mixed) input() string { return "A" + x.typ }

// declared writes the declarations of what two expressions read.
func (x *mixed) declared(dim string, y *mixed) string {
	read := map[string]bool{}
	var walk func(x *mixed)
	walk = func(x *mixed) {
		if x.op == "" {
			read[x.typ] = true
		}
		for _, a := range x.args {
			walk(a)
		}
	}
	walk(x)
	walk(y)
	var b strings.Builder
	for i, t := range mixedTypes {
		if read[t] && slices.Index(mixedTypes, t) == i {
			fmt.Fprintf(&b, "(input %s (shape %s) %s)\n", (&mixed{typ: t}).input(), dim, t)
		}
	}
	return b.String()
}
