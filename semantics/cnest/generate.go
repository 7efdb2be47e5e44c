package cnest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"tv/internal/mix"
)

// Generate returns a file of C with a function f: some nests of loops over arrays of all types, in bounds and defined where
// all sizes are at least 1, if signed integers wrap. Equal seeds give equal files.
func Generate(seed uint64) []byte {
	g := &generator{rng: rand.New(rand.NewPCG(mix.Spread(seed), 0x636e657374))}
	return []byte(g.file())
}

// A generator writes a random program.
type generator struct {
	rng     *rand.Rand
	text    strings.Builder
	depth   int
	sizes   []string
	index   string // the type of sizes and counters
	arrays  []*drawnArray
	scalars []*drawnArray // parameters and locals without extents that can be read
	counts  []counter     // counters around
	fresh   int
	helpers []string // functions of the file that are there
	old     bool     // counters are declared at the beginning, in the manner of C89
	data    int      // how many ifs on data are around
}

// A drawnArray is an array or a scalar: float A[N][M].
type drawnArray struct {
	name, typ string
	dims      []string // sizes; N*M of a flat one
	constant  bool
}

// A counter lies in [0, size).
type counter struct{ name, size string }

var (
	drawnInts = []string{"char", "short", "int", "int", "int", "long", "unsigned char", "unsigned short", "unsigned",
		"unsigned long", "int8_t", "uint32_t"}
	drawnFloats = []string{"float", "float", "double"}
)

func (g *generator) n(k int) int                { return g.rng.IntN(k) }
func (g *generator) chance(k, of int) bool      { return g.n(of) < k }
func (g *generator) of(list ...string) string   { return list[g.n(len(list))] }
func (g *generator) name(p string) string       { g.fresh++; return fmt.Sprintf("%s%d", p, g.fresh) }
func isFloat(typ string) bool                   { return typ == "float" || typ == "double" }
func (g *generator) line(s string, args ...any) { g.write(fmt.Sprintf(s, args...)) }
func (g *generator) write(s string)             { g.text.WriteString(strings.Repeat("  ", g.depth) + s + "\n") }
func (g *generator) open(s string, args ...any) { g.line(s+" {", args...); g.depth++ }
func (g *generator) close()                     { g.depth--; g.line("}") }
func (a *drawnArray) declared() string          { return a.typ + " " + a.name + a.extents() }
func (g *generator) typ() string {
	if g.chance(1, 2) {
		return g.of(drawnFloats...)
	}
	return g.of(drawnInts...)
}

func (a *drawnArray) extents() (s string) {
	for _, d := range a.dims {
		s += "[" + d + "]"
	}
	return s
}

// prologue has what headers and Pluto's output define.
const prologue = `#define T 3
#define min(x, y) (((x) < (y)) ? (x) : (y))
#define max(x, y) ((x) > (y) ? (x) : (y))
#define floord(n, d) (((n) < 0) ? -((-(n) + (d) - 1) / (d)) : (n) / (d))
#define ceild(n, d) ceil(((double)(n)) / ((double)(d)))
`

// drawnHelpers are functions that a program may call: of an int, of a double, of a row.
var drawnHelpers = map[string]string{
	"relu": "static inline int relu(int x) {\n  return x > 0 ? x : 0;\n}\n",
	"leap": "static double leap(double x, float y) {\n  double z = x * 0.5;\n  if (x < y) {\n    z += y;\n  } else {\n" +
		"    z = z - 1;\n  }\n  return z;\n}\n",
	"half": "static int half(int n) {\n  return (n + 1) / 2;\n}\n",
	"fill": "static void fill(int n, float *x, const float y) {\n  for (int i = 0; i < n; i++) {\n" +
		"    x[i] = x[i] * y + i;\n  }\n}\n",
}

func (g *generator) file() string {
	g.index = g.of("int", "int", "int", "int", "long", "unsigned", "size_t", "short")
	g.sizes = []string{"N", "M", "K"}[:1+g.n(3)]
	g.old = g.chance(1, 4)
	var params []string
	for _, s := range g.sizes {
		params = append(params, g.index+" "+s)
	}
	for k := range 1 + g.n(4) {
		a := &drawnArray{name: string(rune('A' + k)), typ: g.typ(), constant: k > 0 && g.chance(1, 3)}
		g.extentsOf(a)
		g.arrays = append(g.arrays, a)
		if a.constant {
			params = append(params, "const "+a.declared())
		} else if k > 0 {
			params = append(params, a.declared())
		}
	}
	a := g.arrays[0] // has extents of all sizes that no other has
	for _, s := range g.sizes {
		if !slices.ContainsFunc(g.arrays, func(b *drawnArray) bool { return strings.Contains(strings.Join(b.dims, " "), s) }) {
			a.dims = append(a.dims, s)
		}
	}
	params = append(params, a.declared())
	for range g.n(3) {
		x := &drawnArray{name: g.name("x"), typ: g.typ(), constant: g.chance(2, 3)}
		g.scalars, params = append(g.scalars, x), append(params, x.declared())
	}
	g.text.WriteString(prologue)
	for _, name := range []string{"relu", "leap", "half", "fill"} {
		if g.chance(1, 4) {
			g.helpers = append(g.helpers, name)
			g.text.WriteString(drawnHelpers[name])
		}
	}
	result := "void"
	if g.chance(1, 4) {
		result = g.typ()
	}
	g.open("%s f(%s)", result, strings.Join(params, ", "))
	if g.old {
		g.line("%s i1, i2, i3, i4, i5, i6;", g.index)
	}
	for range 1 + g.n(3) {
		g.nest(1 + g.n(3))
		if g.chance(1, 2) {
			g.shift()
		}
	}
	if result != "void" {
		g.line("return %s;", g.value(isFloat(result), 2))
	}
	g.close()
	return g.text.String()
}

func (g *generator) extentsOf(a *drawnArray) {
	if g.chance(1, 6) { // rows in a row
		a.dims = []string{g.of(g.sizes...) + " * " + g.of(g.sizes...)}
		return
	}
	for range 1 + g.n(3) {
		a.dims = append(a.dims, g.of(g.sizes...))
	}
}

// nest writes loops, some depth more, and statements within.
func (g *generator) nest(depth int) {
	if depth == 0 || g.data > 0 {
		g.statements()
		return
	}
	scalars := len(g.scalars)
	var acc *drawnArray
	if g.chance(1, 3) {
		x := &drawnArray{name: g.name("s"), typ: g.typ()}
		g.line("%s = %s;", x.declared(), g.of("0", "1", g.value(isFloat(x.typ), 1)))
		g.scalars, acc = append(g.scalars, x), x
	}
	size := g.of(g.sizes...)
	count := len(g.counts)
	ends := g.loop(size)
	if g.chance(1, 3) {
		g.statements()
	}
	if acc != nil && g.chance(2, 3) {
		g.line("%s %s %s;", acc.name, g.of("+=", "+=", "-=", "*="), g.value(isFloat(acc.typ), 2))
	}
	g.nest(depth - 1)
	g.counts = g.counts[:count]
	for range ends {
		g.close()
	}
	if acc != nil {
		target := g.target()
		g.line("%s = %s;", g.element(target), as(target.typ, acc.name, acc.typ))
	}
	g.scalars = g.scalars[:scalars]
}

// shift writes a loop that reads what it writes one or two iterations further on or back, and then its counter, where it has
// ended. It may not run, and its end may lie before its beginning.
func (g *generator) shift() {
	a := g.arrays[g.n(len(g.arrays))]
	axis := g.n(len(a.dims))
	size := a.dims[axis]
	if a.constant || strings.Contains(size, "*") {
		return
	}
	i, way := g.name("c"), g.of("1", "2")
	g.line("%s %s;", g.index, i)
	ahead, down := g.chance(1, 2), g.signed() && g.chance(1, 3)
	from, to := way, size
	if ahead {
		from, to = g.of("0", "2", "4"), size+" - "+way
	}
	switch {
	case down:
		g.open("for (%s = %s - 1; %s >= %s; %s--)", i, to, i, from, i)
	case ahead && !g.signed():
		g.open("for (%s = %s; %s + %s < %s; %s++)", i, from, i, way, size, i)
	default:
		g.open("for (%s = %s; %s < %s; %s++)", i, from, i, to, i)
	}
	here, there := a.name, a.name
	for k, d := range a.dims {
		x, y := i, i+" - "+way
		if ahead {
			y = i + " + " + way
		}
		if k != axis {
			x = g.subscript(d)
			y = x
		}
		here, there = here+"["+x+"]", there+"["+y+"]"
	}
	g.line("%s = %s;", here, as(a.typ, "("+there+g.of(" + ", " - ", " * ")+g.value(isFloat(a.typ), 1)+")", a.typ))
	g.close()
	target := g.target()
	g.line("%s += %s;", g.element(target), i)
}

// counterName returns a name, and how it is declared.
func (g *generator) counterName() (name, declared string) {
	if k := len(g.counts); g.old && k < 6 {
		name = fmt.Sprintf("i%d", k+1)
		return name, name
	}
	name = g.name("i")
	return name, g.index + " " + name
}

// loop opens a loop over [0, size) or a part of it, and returns how many blocks it opened.
func (g *generator) loop(size string) int {
	name, declared := g.counterName()
	signed := g.signed()
	add := func(n string) { g.counts = append(g.counts, counter{n, size}) }
	defer func() { add(name) }()
	around := slices.IndexFunc(g.counts, func(c counter) bool { return c.size == size })
	switch k := g.n(14); {
	case k == 0 && signed:
		g.open("for (%s = %s - 1; %s >= 0; %s--)", declared, size, name, name)
	case k == 1:
		from := g.name("d")
		fromDeclared := g.index + " " + from
		g.open("for (%s = %s; %s > 0; --%s)", fromDeclared, size, from, from)
		g.line("%s %s = %s - 1;", g.index, name, from)
		return 1
	case k == 2:
		step := g.of("2", "3", size)
		g.open("for (%s = %s; %s < %s; %s += %s)", declared, g.of("0", "1"), name, size, name, step)
	case k == 3:
		tile := g.name("t")
		step := g.of("T", "2", g.of(g.sizes...))
		g.open("for (%s %s = 0; %s < %s; %s += %s)", g.index, tile, tile, size, tile, step)
		g.open("for (%s = %s; %s < min(%s, %s + %s); %s++)", declared, tile, name, size, tile, step, name)
		return 2
	case k == 4 && around >= 0:
		outer := g.counts[around].name
		heading := g.of("%s = %s; %s < "+size, "%s = %s + 1; %s <= "+size+" - 1")
		g.open("for ("+heading+"; %s++)", declared, outer, name, name)
	case k == 5 && around >= 0:
		outer := g.counts[around].name
		g.open("for (%s = 0; %s %s %s; %s++)", declared, name, g.of("<", "<="), outer, name)
	case k == 6:
		other := g.of(g.sizes...)
		g.open("for (%s = 0; %s < %s && %s < %s; %s++)", declared, name, size, name, other, name)
	case k == 7:
		g.open("for (%s = 0; 2 * %s + 1 < %s; %s++)", declared, name, size, name)
	case k == 8 && signed:
		g.open("for (%s = ceild(%s, 3) - 1; %s >= floord(-%s, 4) && %s >= 0; %s -= 2)", declared, size, name, size, name, name)
	case k == 9:
		g.open("for (%s = max(0, min(%s - 1, 1)); %s < %s; %s = %s + 1)", declared, size, name, size, name, name)
	case k == 10 && slices.Contains(g.helpers, "half"):
		g.open("for (%s = 0; %s < %s && %s < half(%s); %s++)", declared, name, size, name, size, name)
	default:
		g.open("for (%s = 0; %s < %s; %s++)", declared, name, size, name)
	}
	return 1
}

// subscript returns an integer in [0, size).
func (g *generator) subscript(size string) string {
	if a, b, ok := strings.Cut(size, " * "); ok {
		return "(" + g.subscript(a) + ") * " + b + " + (" + g.subscript(b) + ")"
	}
	var own, others []string
	for _, c := range g.counts {
		if c.size == size {
			own = append(own, c.name)
		} else {
			others = append(others, c.name)
		}
	}
	if len(own) > 0 && g.chance(9, 10) {
		i := g.of(own...)
		return g.of(i, i, i, i, size+" - 1 - "+i, i+" / 2", "("+i+" + 1) % "+size, i+" >> 1", i+" & ~1", g.before(i))
	}
	if len(others) > 0 && g.chance(3, 4) {
		i := g.of(others...)
		return g.of(i+" % "+size, "min("+i+", "+size+" - 1)")
	}
	return g.of("0", size+" - 1", size+" / 2")
}

// before returns the counter before i, if there is one and it has a type that holds -1.
func (g *generator) before(i string) string {
	if !g.signed() {
		return i
	}
	return "max(" + i + " - 1, 0)"
}

func (g *generator) signed() bool { return !strings.HasPrefix(g.index, "u") && g.index != "size_t" }

// as returns a scalar as what is assigned to a type: a float may be beyond an integer type.
func as(typ string, x string, from string) string {
	if isFloat(from) && !isFloat(typ) {
		return "(int)fmin(fmax(" + x + ", -100.0), 100.0)"
	}
	return x
}

// element returns an element of an array, or a scalar.
func (g *generator) element(a *drawnArray) string {
	s := a.name
	for _, d := range a.dims {
		s += "[" + g.subscript(d) + "]"
	}
	return s
}

// target draws what is written: an array, or a scalar parameter or local.
func (g *generator) target() *drawnArray {
	var list []*drawnArray
	for _, a := range g.arrays {
		if !a.constant {
			list = append(list, a, a, a)
		}
	}
	for _, x := range g.scalars {
		if !x.constant {
			list = append(list, x)
		}
	}
	return list[g.n(len(list))]
}

func (g *generator) statements() {
	for range 1 + g.n(2) {
		g.statement()
	}
}

func (g *generator) statement() {
	target := g.target()
	float := isFloat(target.typ)
	switch k := g.n(12); {
	case k == 0 && len(g.counts) > 0 && g.data == 0:
		g.ifElse(g.condition())
	case k == 1 && g.data < 2:
		g.data++
		g.ifElse(g.truth(1))
		g.data--
	case k == 2:
		g.line("%s%s;", g.element(target), g.of("++", "--"))
	case k == 3:
		x := &drawnArray{name: g.name("v"), typ: g.typ(), constant: g.chance(1, 2)}
		g.line("%s = %s;", x.declared(), g.value(isFloat(x.typ), 2))
		g.line("%s = %s + %s;", g.element(target), as(target.typ, x.name, x.typ), g.value(float, 1))
	case k == 4 && g.data == 0:
		g.localArray(target)
	case k == 5 && g.data == 0 && slices.Contains(g.helpers, "fill") && target.typ == "float" && len(target.dims) == 2:
		g.line("fill(%s, %s[%s], %s);", target.dims[1], target.name, g.subscript(target.dims[0]), g.value(true, 1))
	case k < 9:
		op := g.of("+=", "-=", "*=", "+=")
		if !float && g.chance(1, 3) {
			g.line("%s %s (%s) & 3;", g.element(target), g.of("<<=", ">>=", "&=", "|=", "^="), g.value(false, 1))
			return
		}
		g.line("%s %s %s;", g.element(target), op, g.value(g.chance(1, 2) && float, 2))
	default:
		g.line("%s = %s;", g.element(target), g.value(float, 3))
	}
}

func (g *generator) ifElse(cond string) {
	g.open("if (%s)", cond)
	g.statement()
	if g.chance(1, 2) {
		g.depth--
		g.line("} else {")
		g.depth++
		g.statement()
	}
	g.close()
}

// localArray writes an array that is filled, and read in part.
func (g *generator) localArray(target *drawnArray) {
	b := &drawnArray{name: g.name("b"), typ: g.typ()}
	if g.chance(1, 2) {
		g.line("%s %s[4] = {%s};", b.typ, b.name, g.of("0", "1, 2", "0, "+g.value(isFloat(b.typ), 1)))
	} else {
		size := g.of(g.sizes...)
		i := g.name("j")
		g.line("%s %s[%s + 3];", b.typ, b.name, size)
		g.open("for (%s %s = 0; %s < %s + 3; %s++)", g.index, i, i, size, i)
		g.line("%s[%s] = %s;", b.name, i, g.of(i, "1", g.value(isFloat(b.typ), 1)))
		g.close()
	}
	g.line("%s += %s;", g.element(target), as(target.typ, b.name+"["+g.of("0", "1", "2", "3")+"]", b.typ))
}

// condition returns one on counters and sizes.
func (g *generator) condition() string {
	i, size := g.counts[g.n(len(g.counts))].name, g.of(g.sizes...)
	c := g.of(i+" > 0", i+" % 2 == 0", i+" < "+size, i+" != "+size+" / 2", "!("+i+" <= 1)", size+" > 2")
	if g.chance(1, 4) {
		c += g.of(" && ", " || ") + g.of(size+" >= 2", i+" == 1")
	}
	return c
}

// datum returns a value that is data, whatever it is made of: one of control would have to lie in its type on the way.
func (g *generator) datum(float bool, depth int) string {
	x := g.element(g.arrays[g.n(len(g.arrays))])
	if g.chance(1, 2) || depth <= 0 {
		return x
	}
	return "(" + x + g.of(" + ", " - ", " * ") + g.value(float, depth) + ")"
}

// truth returns a condition on data.
func (g *generator) truth(depth int) string {
	float := g.chance(1, 2)
	c := g.datum(float, depth) + g.of(" < ", " > ", " <= ", " >= ", " == ", " != ") + g.value(float && g.chance(1, 2), depth)
	switch g.n(6) {
	case 0:
		c += g.of(" && ", " || ") + g.datum(false, 1)
	case 1:
		c = "!(" + c + ")"
	}
	return c
}

// value returns an expression of an integer or a float type. Nothing in it is undefined.
func (g *generator) value(float bool, depth int) string {
	if depth <= 0 || g.chance(1, 4) {
		return g.leaf(float)
	}
	if float {
		return g.floatValue(depth - 1)
	}
	return g.intValue(depth - 1)
}

func (g *generator) leaf(float bool) string {
	var list []*drawnArray
	for _, a := range slices.Concat(g.arrays, g.arrays, g.scalars) {
		if isFloat(a.typ) == float {
			list = append(list, a)
		}
	}
	if len(list) > 0 && g.chance(4, 5) {
		return g.element(list[g.n(len(list))])
	}
	if float {
		return g.of("0.5f", "1.25", "3.0f", "-2.5", "0.1", "0.1f", "1e3", "0x1.8p1")
	}
	list2 := []string{"1", "2", "7", "-3", "100", "255u", "1000000007", "'a'", "0x7fffffff", "3l", "5ul", g.of(g.sizes...)}
	for _, c := range g.counts {
		list2 = append(list2, c.name, c.name)
	}
	return g.of(list2...)
}

func (g *generator) floatValue(depth int) string {
	a, b := g.value(true, depth), g.value(g.chance(3, 4), depth)
	switch k := g.n(12); {
	case k == 0:
		return "sqrt" + g.of("(fabs(", "f(fabsf(") + a + "))"
	case k == 1:
		return g.of("fmin", "fmax", "fminf", "fmaxf") + "(" + a + ", 1.5f)"
	case k == 2:
		return "(" + g.truth(depth-1) + " ? " + a + " : " + b + ")"
	case k == 3:
		return "(" + g.of("float", "double") + ")(" + g.value(false, depth) + ")"
	case k == 4:
		return "-(" + a + ")"
	case k == 5 && slices.Contains(g.helpers, "leap"):
		return "leap(" + a + ", " + b + ")"
	case k == 6:
		return g.of("floor", "ceil", "trunc", "round") + "(" + a + ")"
	case k == 7:
		return "((" + a + ") / (" + b + "))"
	}
	return "(" + a + g.of(" + ", " - ", " * ") + b + ")"
}

func (g *generator) intValue(depth int) string {
	a, b := g.value(false, depth), g.value(false, depth)
	switch k := g.n(16); {
	case k == 0:
		return "((" + a + g.of(") / ", ") % ") + g.of("3", "7u", "(("+b+" & 7) + 1)", "5l") + ")"
	case k == 1:
		return "((" + a + g.of(") << ", ") >> ") + g.of("1", "3", "(("+b+") & 7)") + ")"
	case k == 2:
		return "((" + a + g.of(") & ", ") | ", ") ^ ") + "(" + b + "))"
	case k == 3:
		return g.of("~", "-", "!", "+") + "(" + a + ")"
	case k == 4:
		return "(" + g.truth(depth-1) + " ? " + a + " : " + b + ")"
	case k == 5:
		return "(" + g.of(drawnInts...) + ")(" + a + ")"
	case k == 6:
		return "(" + a + g.of(" < ", " == ", " >= ", " && ", " || ") + b + ")"
	case k == 7:
		return "(int)fmin(fmax(" + g.value(true, depth) + ", -100.0), 100.0)"
	case k == 8 && slices.Contains(g.helpers, "relu"):
		return "relu(" + a + ")"
	case k == 9:
		a = g.element(g.arrays[g.n(len(g.arrays))])
		return "(int)fmin(fmax(" + g.of("min", "max") + "(" + a + ", " + b + "), -1000), 1000)"
	case k == 10 && len(g.counts) > 0:
		return "(" + g.condition() + " ? " + a + " : " + b + ")"
	case k == 11:
		return "abs(" + a + ")"
	}
	return "(" + a + g.of(" + ", " - ", " * ") + b + ")"
}
