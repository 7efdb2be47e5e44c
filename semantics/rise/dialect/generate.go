package dialect

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Generate returns a random program over one or two arrays of 32-bit integers of fixed sizes: a chain of patterns, some of
// them mapped over rows.
func Generate(seed uint64) []byte {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0x7269736564)), indent: "    "}
	shape := []int{2 + g.IntN(3)}
	if g.IntN(2) == 0 {
		shape = append(shape, 2+g.IntN(3))
	}
	in := slices.Clone(shape)
	at := g.line("rise.in %%x : !rise.%s", arrayText(shape))
	if len(shape) == 1 && g.IntN(3) == 0 {
		at = g.zipped(at, shape[0])
	}
	for range 1 + g.IntN(4) {
		at, shape = g.step(at, shape, 0)
	}
	g.text.WriteString(g.indent + "rise.out %y <- " + at + "\n")
	return fmt.Appendf(nil, "func.func @f(%%x: %s, %%y: %s) {\n  rise.lowering_unit {\n%s  }\n  return\n}\n", memrefText(in),
		memrefText(shape), g.text.String())
}

// A generator writes the operations of a program, each of which gives one value.
type generator struct {
	*rand.Rand
	text   strings.Builder
	indent string
	names  int
}

// fresh is a name for a value.
func (g *generator) fresh() string {
	g.names++
	return fmt.Sprintf("%%v%d", g.names)
}

// line writes an operation and returns its value.
func (g *generator) line(format string, args ...any) string {
	name := g.fresh()
	g.text.WriteString(g.indent + name + " = " + fmt.Sprintf(format, args...) + "\n")
	return name
}

// int32Text is the type of elements.
const int32Text = "scalar<i32>"

// arrayText is the type of an array, without the sigil.
func arrayText(shape []int) string {
	if len(shape) == 0 {
		return int32Text
	}
	return fmt.Sprintf("array<%d, %s>", shape[0], arrayText(shape[1:]))
}

func memrefText(shape []int) string {
	text := "memref<"
	for _, n := range shape {
		text += fmt.Sprintf("%dx", n)
	}
	return text + "i32>"
}

// region writes a lambda: body returns its result and the type of that.
func (g *generator) region(params string, body func() (at, typ string), result string) string {
	name, outer := g.fresh(), g.indent
	g.text.WriteString(outer + name + " = rise.lambda (" + params + ") -> !rise." + result + " {\n")
	g.indent += "  "
	at, typ := body()
	g.text.WriteString(g.indent + "rise.return " + at + " : !rise." + typ + "\n" + outer + "}\n")
	g.indent = outer
	return name
}

// embedded computes one number of others.
func (g *generator) embedded(of ...string) string {
	name, outer := g.fresh(), g.indent
	g.text.WriteString(outer + name + " = rise.embed(" + strings.Join(of, ", ") + ") {\n")
	g.indent += "  "
	at := of[0]
	for _, other := range append(of[1:], of[g.IntN(len(of))]) {
		at = g.line("arith.%s %s, %s : i32", [...]string{"addi", "subi", "muli"}[g.IntN(3)], at, other)
	}
	g.text.WriteString(g.indent + "rise.return " + at + " : i32\n" + outer + "} : !rise." + int32Text + "\n")
	g.indent = outer
	return name
}

// zipped pairs an array with itself and makes numbers of the pairs.
func (g *generator) zipped(at string, n int) string {
	zip := g.line("rise.zip #rise.nat<%d> #rise.%s #rise.%s", n, int32Text, int32Text)
	pairs := g.line("rise.apply %s, %s, %s", zip, at, at)
	pair := "tuple<" + int32Text + ", " + int32Text + ">"
	p := g.fresh()
	f := g.region(p+" : !rise."+pair, func() (string, string) {
		var sides []string
		for _, side := range []string{"fst", "snd"} {
			of := g.line("rise.%s #rise.%s #rise.%s", side, int32Text, int32Text)
			sides = append(sides, g.line("rise.apply %s, %s", of, p))
		}
		return g.embedded(sides...), int32Text
	}, int32Text)
	m := g.line("rise.map #rise.nat<%d> #rise.%s #rise.%s", n, pair, int32Text)
	return g.line("rise.apply %s, %s, %s", m, f, pairs)
}

// What arrays have at most: elements, and axes.
const (
	mostElements = 64
	mostAxes     = 3
)

// step applies a pattern to an array and returns what is made of it, and its shape. depth is how many maps are around.
func (g *generator) step(at string, shape []int, depth int) (string, []int) {
	if len(shape) == 0 {
		return g.embedded(at), shape
	}
	n, row := shape[0], shape[1:]
	elements := 1
	for _, k := range shape {
		elements *= k
	}
	apply := func(pattern string, to []int, args ...string) (string, []int) {
		return g.line("rise.apply %s, %s", g.line("%s", pattern), strings.Join(append(args, at), ", ")), to
	}
	switch k := g.IntN(8); {
	case k == 0 && len(row) > 0:
		return apply(fmt.Sprintf("rise.transpose #rise.nat<%d> #rise.nat<%d> #rise.%s", n, row[0], arrayText(row[1:])),
			append([]int{row[0], n}, row[1:]...))
	case k == 1 && len(row) > 0:
		return apply(fmt.Sprintf("rise.join #rise.nat<%d> #rise.nat<%d> #rise.%s", n, row[0], arrayText(row[1:])),
			append([]int{n * row[0]}, row[1:]...))
	case k == 2 && n%2 == 0 && len(shape) < mostAxes:
		return apply(fmt.Sprintf("rise.split #rise.nat<2> #rise.nat<%d> #rise.%s", n/2, arrayText(row)),
			append([]int{n / 2, 2}, row...))
	case k == 3 && n >= 2 && len(shape) < mostAxes && elements*2 <= mostElements:
		return apply(fmt.Sprintf("rise.slide #rise.nat<%d> #rise.nat<2> #rise.nat<1> #rise.%s", n-1, arrayText(row)),
			append([]int{n - 1, 2}, row...))
	case k == 4 && elements*2 <= mostElements:
		l, r := g.IntN(2), g.IntN(2)
		return apply(fmt.Sprintf("rise.pad #rise.nat<%d> #rise.nat<%d> #rise.nat<%d> #rise.%s", n, l, r, arrayText(row)),
			append([]int{l + n + r}, row...))
	case k == 5 && len(row) == 0 && depth > 0:
		return g.reduced(at, n), nil
	}
	// a map over what the rows are
	p, name, outer := g.fresh(), g.fresh(), g.indent
	before := g.text.String()
	g.text.Reset()
	g.indent += "  "
	result, inner := g.step(p, row, depth+1)
	g.text.WriteString(g.indent + "rise.return " + result + " : !rise." + arrayText(inner) + "\n" + outer + "}\n")
	body := g.text.String()
	g.text.Reset()
	g.indent = outer
	g.text.WriteString(before + fmt.Sprintf("%s%s = rise.lambda (%s : !rise.%s) -> !rise.%s {\n%s", outer, name, p, arrayText(row),
		arrayText(inner), body))
	kind := [...]string{"map", "mapSeq", "mapPar"}[g.IntN(3)]
	return apply(fmt.Sprintf("rise.%s #rise.nat<%d> #rise.%s #rise.%s", kind, n, arrayText(row), arrayText(inner)),
		append([]int{n}, inner...), name)
}

// reduced folds an array of numbers.
func (g *generator) reduced(at string, n int) string {
	x, sum := g.fresh(), g.fresh()
	f := g.region(fmt.Sprintf("%s : !rise.%s, %s : !rise.%s", x, int32Text, sum, int32Text), func() (string, string) {
		return g.embedded(sum, x), int32Text
	}, int32Text)
	start := g.line("rise.literal #rise.lit<%d, %s>", g.IntN(3), int32Text)
	pattern := g.line("rise.reduceSeq #rise.nat<%d> #rise.%s #rise.%s", n, int32Text, int32Text)
	return g.line("rise.apply %s, %s, %s, %s", pattern, f, start, at)
}
