package tc

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"tv/internal/mix"
	"tv/internal/source"
)

// Generate returns a file with a definition f: some statements over tensors of all types, whose ranges can be inferred. Equal
// seeds give equal files.
func Generate(seed uint64) []byte {
	rng := rand.New(rand.NewPCG(mix.Spread(seed), 0x7463))
	for {
		g := &generator{rng: rng}
		text := g.file()
		if _, err := Parse(source.NewFile("", text), ""); err == nil { // types and ranges do not always work out
			return []byte(text)
		}
	}
}

// A generator writes a random definition.
type generator struct {
	rng     *rand.Rand
	inputs  []*drawn
	outputs []*drawn
	scalars []string // of the heading, data
	given   string   // a scalar that is a size; "" if there is none
	fresh   int

	indices []string          // of the statement
	homes   map[string]string // the extent that an index is mostly a subscript for
	where   []string
}

// A drawn tensor has some extents.
type drawn struct {
	name, typ string
	dims      []string // of an output those that its indices are mostly subscripts for
}

var drawnTypes = []string{"float", "float", "float", "double", "int8", "uint8", "int16", "int32", "int32", "uint32", "int64",
	"uint64", "bool"}

func (g *generator) n(k int) int              { return g.rng.IntN(k) }
func (g *generator) chance(k, of int) bool    { return g.n(of) < k }
func (g *generator) of(list ...string) string { return list[g.n(len(list))] }
func (g *generator) name(p string) string     { g.fresh++; return fmt.Sprintf("%s%d", p, g.fresh) }

func (g *generator) file() string {
	var heading, outs []string
	if g.chance(1, 3) {
		g.given = "n"
		heading = append(heading, g.of("int32", "int32", "int64", "uint8")+" n")
	}
	for k := range 2 + g.n(3) {
		a := &drawn{name: string(rune('A' + k)), typ: g.of(drawnTypes...)}
		for range 1 + g.n(3) {
			a.dims = append(a.dims, g.of("N", "N", "M", "K", "3"))
		}
		g.inputs = append(g.inputs, a)
		heading = append(heading, fmt.Sprintf("%s(%s) %s", a.typ, strings.Join(a.dims, ", "), a.name))
	}
	for range g.n(3) {
		x := g.name("x")
		g.scalars = append(g.scalars, x)
		heading = append(heading, g.of(drawnTypes[:len(drawnTypes)-1]...)+" "+x)
	}
	var body strings.Builder
	for range 1 + g.n(4) {
		fmt.Fprintf(&body, "  %s\n", g.statement())
	}
	for _, o := range g.outputs {
		outs = append(outs, o.name)
	}
	return fmt.Sprintf("def f(%s) -> (%s) {\n%s}\n", strings.Join(heading, ", "), strings.Join(outs, ", "), body.String())
}

// statement draws one: to a new output, or to one that is there.
func (g *generator) statement() string {
	g.indices, g.where = nil, nil
	var to *drawn
	if len(g.outputs) > 0 && g.chance(2, 5) {
		to = g.outputs[g.n(len(g.outputs))]
	} else {
		to = &drawn{name: g.name("R")}
		for range g.n(4) {
			to.dims = append(to.dims, g.of("N", "M", "K", "3"))
		}
	}
	g.homes = map[string]string{"k": g.of("N", "M", "3"), "r": g.of("N", "K", "3")}
	left := []string{"i", "j", "l"}[:len(to.dims)]
	g.rng.Shuffle(len(left), func(a, b int) { left[a], left[b] = left[b], left[a] })
	for k, i := range left {
		g.homes[i] = to.dims[k]
	}
	g.indices = slices.Clone(left)
	op := "="
	if len(left) == 0 || g.chance(1, 2) {
		op = g.of("+=!", "+=!", "+=!", "+=", "*=!", "*=", "min=!", "max=!", "min=", "max=")
		g.indices = append(g.indices, []string{"k", "r"}[:g.n(3)]...)
	}
	value := g.value(2)
	for _, i := range g.indices { // all occur
		if !strings.Contains(value, i) && !slices.Contains(left, i) || g.chance(1, 2) {
			value += g.of(" + ", " * ", " - ") + g.read()
		}
	}
	g.clauses(value)
	text := to.name
	if len(left) > 0 {
		text += "(" + strings.Join(left, ", ") + ")"
	}
	text += " " + op + " " + value
	if len(g.where) > 0 {
		text += " where " + strings.Join(g.where, ", ")
	}
	if !slices.Contains(g.outputs, to) {
		g.outputs = append(g.outputs, to)
	}
	return text
}

// clauses draws ranges, and accesses that say ranges.
func (g *generator) clauses(value string) {
	for _, i := range g.indices {
		switch {
		case g.chance(1, 6):
			lo, hi := g.of("0", "0", "0", "1"), g.of("2", "3", "N", "M", "K", "N - 1", "M + 1", g.inputs[0].name+".0")
			if g.given != "" && g.chance(1, 3) {
				hi = g.given
			}
			g.where = append(g.where, i+" in "+lo+":"+hi)
		case g.chance(1, 6) && strings.Contains(value, i):
			a := g.inputs[g.n(len(g.inputs))]
			at := make([]string, len(a.dims))
			for k := range at {
				at[k] = g.of("0", i)
			}
			g.where = append(g.where, "exists "+a.name+"("+strings.Join(at, ", ")+")")
		}
	}
	if strings.Contains(value, "y") {
		g.where = append(g.where, "y = "+g.value(1))
	}
}

// read draws a read of a tensor.
func (g *generator) read() string {
	list := append(slices.Clone(g.inputs), g.outputs...)
	a := list[g.n(len(list))]
	if len(a.dims) == 0 {
		return a.name
	}
	at := make([]string, len(a.dims))
	for k, d := range a.dims {
		at[k] = g.subscript(d)
	}
	return a.name + "(" + strings.Join(at, ", ") + ")"
}

func (g *generator) index() string {
	if len(g.indices) == 0 {
		return "0"
	}
	return g.of(g.indices...)
}

// subscript draws one for an extent: mostly an index that is at home there.
func (g *generator) subscript(extent string) string {
	var near []string
	for _, i := range g.indices {
		if g.homes[i] == extent {
			near = append(near, i)
		}
	}
	i := g.index()
	if len(near) > 0 {
		i = g.of(near...)
	} else if g.chance(2, 3) {
		return "0"
	}
	switch g.n(27) {
	case 7: // truncated, of numbers below 0 too
		return g.of("("+i+" - 2) / 2 + 1", "("+i+" - 3) % 2 + 1", i+" / -2 + 1", "(1 - "+i+") / "+extent+" + 1", i+" % -2")
	case 8: // products of indices
		return g.index() + " * " + g.of("", "-") + "(" + g.index() + g.of("", " - 1", " - 2") + ") + " + i
	case 9: // downwards
		return extent + g.of(" + 1", " - 1", "") + " - " + g.of("", "2 * ", g.of("K", "M")+" * ") + i + " - " + g.index()
	case 0, 1:
		return i + " + " + g.index()
	case 2:
		return "2 * " + i + " + " + g.of("0", "1", g.index())
	case 3:
		return i + g.of(" - 1", " + 1", " - 2")
	case 4:
		return g.of("3", extent+" - 1") + " - " + i
	case 5:
		return g.of("0", "0", "1", extent+" / 2", "min("+i+", 1)", i+" % 2", i+" / 2", "max("+i+" - 1, 0)")
	case 6:
		return g.of("K", "N") + " * " + i + " + " + g.index()
	}
	return i
}

// value draws an element.
func (g *generator) value(depth int) string {
	if depth == 0 || g.chance(1, 4) {
		switch g.n(12) {
		case 0:
			return g.of("1", "2", "3", "7", "-1", "100")
		case 1:
			return g.of("0.5", "1.5", "2e0")
		case 2:
			if len(g.scalars) > 0 {
				return g.of(g.scalars...)
			}
		case 3:
			if len(g.indices) > 0 {
				return g.index()
			}
		case 4:
			return g.of("N", "M", g.inputs[0].name+".0")
		}
		return g.read()
	}
	x := g.value(depth - 1)
	switch g.n(16) {
	case 0:
		return "-" + "(" + x + ")"
	case 1:
		return g.of("int8", "uint8", "int16", "int32", "uint32", "int64", "float", "double") + "(" + x + ")"
	case 2:
		return g.of("min", "max", "fmin", "fmax") + "(" + x + ", " + g.value(depth-1) + ")"
	case 3:
		return g.of("fabs", "sqrt", "floor", "ceilf", "trunc") + "(" + x + ")"
	case 4:
		return "(" + g.condition(depth) + " ? " + x + " : " + g.value(depth-1) + ")"
	case 5:
		return "(" + x + ") " + g.of("/", "%") + " " + g.of("3", "2", "-7", "("+g.value(depth-1)+")")
	case 6:
		return "(" + x + ") " + g.of("<", ">", "<=", ">=", "==", "!=") + " (" + g.value(depth-1) + ")"
	case 7:
		return "y"
	}
	return "(" + x + ") " + g.of("+", "+", "-", "*", "*") + " (" + g.value(depth-1) + ")"
}

// condition draws one on indices and sizes, or on data.
func (g *generator) condition(depth int) string {
	relation := g.of(" < ", " > ", " <= ", " >= ", " == ", " != ")
	switch {
	case g.chance(1, 3):
		return g.value(depth-1) + relation + g.value(depth-1)
	case g.chance(1, 4):
		return "!(" + g.condition(depth) + ")"
	case g.chance(1, 4):
		return g.condition(depth) + g.of(" && ", " || ") + g.condition(depth)
	}
	return g.index() + relation + g.of("1", "2", "N - 1", g.index()+" + 1", g.index()+" % 2")
}
