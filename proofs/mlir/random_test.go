package mlir

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"tv/internal/tier"
)

// A generator writes a random function: nests of loops over memrefs of all types.
type generator struct {
	*rand.Rand
	b      strings.Builder
	indent int
	dims   []string          // indices that affine operations take as dims
	syms   []string          // those that they take as symbols
	ints   []string          // all indices
	data   [][2]string       // values with their types
	arrays [][2]string       // memrefs, that any place of is initialised
	extent map[string]string // of an array and an axis, as a symbol
	names  int
	budget int
}

var elements = []string{"f32", "f64", "i32", "i64", "i8", "i16", "index"}

func (g *generator) pick(list ...string) string { return list[g.IntN(len(list))] }

func (g *generator) line(format string, args ...any) {
	fmt.Fprintf(&g.b, "%s%s\n", strings.Repeat("  ", g.indent), fmt.Sprintf(format, args...))
}

// value writes a line that defines one.
func (g *generator) value(format string, args ...any) string {
	name := fmt.Sprintf("%%v%d", g.names)
	g.names++
	g.line("%s = %s", name, fmt.Sprintf(format, args...))
	return name
}

// random returns a program of a seed.
func random(seed uint64) string {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 11)), extent: map[string]string{}, budget: 10}
	var params []string
	for _, name := range []string{"%A", "%B"} {
		t := "memref<" + g.pick("?x", "?x", "?x?x", "4x?x", "6x", "3x4x", "") + g.pick(elements...) + ">"
		g.arrays = append(g.arrays, [2]string{name, t})
		params = append(params, name+": "+t)
	}
	g.data = append(g.data, [2]string{"%x", g.pick(elements...)})
	params = append(params, "%n: index", "%x: "+g.data[0][1])
	result := g.pick("", "", g.pick(elements...))
	arrow := map[bool]string{true: " -> " + result}[result != ""]
	g.line("func.func @f(%s)%s {", strings.Join(params, ", "), arrow)
	g.indent++
	for k := range 4 {
		g.line("%%c%d = arith.constant %d : index", k, k)
		g.syms = append(g.syms, fmt.Sprintf("%%c%d", k))
	}
	g.syms = append(g.syms, "%n")
	for _, a := range g.arrays {
		for k := range strings.Count(strings.TrimSuffix(a[1], "index>"), "x") {
			v := g.value("memref.dim %s, %%c%d : %s", a[0], k, a[1])
			g.syms, g.extent[fmt.Sprint(a[0], k)] = append(g.syms, v), v
		}
	}
	g.syms = append(g.syms, g.pick(g.syms[4:]...))
	g.dims, g.ints = append(g.dims, g.syms...), append(g.ints, g.syms...)
	g.body(2)
	if result == "" {
		g.line("return")
	} else {
		g.line("return %s : %s", g.of(result, 1), result)
	}
	g.indent--
	g.line("}")
	return g.b.String()
}

// body writes statements, and forgets what they define.
func (g *generator) body(least int) {
	dims, ints, data, arrays := len(g.dims), len(g.ints), len(g.data), len(g.arrays)
	for range least + g.IntN(3) {
		g.statement()
	}
	g.dims, g.ints, g.data, g.arrays = g.dims[:dims], g.ints[:ints], g.data[:data], g.arrays[:arrays]
}

func (g *generator) statement() {
	g.budget--
	switch k := g.IntN(16); {
	case k == 15 && g.budget > 0:
		g.vectors()
	case k == 14 && g.budget > 0:
		g.parallel()
	case k < 5 && g.budget > 0 && g.indent < 5:
		g.loop()
	case k == 5 && g.budget > 0:
		g.branch()
	case k == 6:
		g.apply()
	case k == 7:
		g.ints = append(g.ints, g.integer())
	case k == 8 && g.indent < 3:
		g.local()
	case k == 9:
		a := g.arrays[g.IntN(len(g.arrays))]
		g.data = append(g.data, g.load(a))
	case k == 10:
		t := g.pick(elements...)
		g.data = append(g.data, [2]string{g.of(t, 3), t})
	default:
		a := g.arrays[g.IntN(len(g.arrays))]
		v := g.of(element(a[1]), 2)
		g.access(func(dialect, at string) { g.line("%s.store %s, %s[%s] : %s", dialect, v, a[0], at, a[1]) }, a)
	}
}

func element(t string) string {
	for _, e := range elements {
		if strings.HasSuffix(t, e+">") {
			return e
		}
	}
	return ""
}

func rank(t string) int { return strings.Count(strings.TrimSuffix(t, "index>"), "x") }

// access writes one of an array, mostly within it.
func (g *generator) access(write func(dialect, at string), a [2]string) {
	var at []string
	affine := g.IntN(2) == 0 && (g.extent[a[0]+"0"] != "" || g.IntN(8) == 0)
	for k := range rank(a[1]) {
		switch d := g.extent[fmt.Sprint(a[0], k)]; {
		case affine && d != "" && g.IntN(12) > 0:
			at = append(at, fmt.Sprintf("(%s) mod symbol(%s)", g.expression(2), d))
		case affine && g.IntN(3) > 0:
			at = append(at, g.expression(1))
		case affine:
			at = append(at, g.expression(0))
		default:
			if x := g.pick(g.ints...); g.IntN(12) > 0 {
				at = append(at, g.clamped(x, a, k))
			} else {
				at = append(at, x)
			}
		}
	}
	write(map[bool]string{true: "affine", false: "memref"}[affine], strings.Join(at, ", "))
}

// clamped is an index within an axis.
func (g *generator) clamped(x string, a [2]string, axis int) string {
	d := g.value("memref.dim %s, %%c%d : %s", a[0], axis, a[1])
	d = g.value("arith.subi %s, %%c1 : index", d)
	x = g.value("arith.minsi %s, %s : index", x, d)
	return g.value("arith.maxsi %s, %%c0 : index", x)
}

// vectors writes vectors of elements, read, computed and written.
func (g *generator) vectors() {
	a := g.arrays[g.IntN(len(g.arrays))]
	t := element(a[1])
	var of [][2]string
	for _, b := range g.arrays {
		if element(b[1]) == t && rank(b[1]) > 0 {
			of = append(of, b)
		}
	}
	if t == "index" || len(of) == 0 {
		return
	}
	place := func() (string, string) {
		b := of[g.IntN(len(of))]
		var at []string
		for k := range rank(b[1]) {
			at = append(at, g.clamped(g.pick(g.ints...), b, k))
		}
		return fmt.Sprintf("%s[%s]", b[0], strings.Join(at, ", ")), b[1]
	}
	vector := "vector<3x" + t + ">"
	read := func() string {
		from, m := place()
		if g.IntN(5) == 0 {
			dims := strings.Join([]string{"d0", "d1"}[:rank(m)], ", ")
			return g.value("vector.transfer_read %s, %s {in_bounds = [true], permutation_map = affine_map<(%s) -> (0)>}"+
				" : %s, %s", from, g.of(t, 0), dims, m, vector)
		}
		return g.value("vector.transfer_read %s, %s : %s, %s", from, g.of(t, 1), m, vector)
	}
	x, y := read(), read()
	add := map[bool]string{true: "addf", false: "addi"}[t[0] == 'f']
	if g.IntN(3) == 0 {
		y = g.value("vector.broadcast %s : %s to %s", g.of(t, 1), t, vector)
	}
	if g.IntN(2) == 0 {
		g.budget = max(g.budget, 0)
		g.statement()
	}
	if g.IntN(3) > 0 {
		x = g.value("arith.%s %s, %s : %s", add, x, y, vector)
	}
	for range 1 + g.IntN(2) {
		to, m := place()
		g.line("vector.transfer_write %s, %s : %s, %s", x, to, vector, m)
	}
}

// parallel writes loops that touch one element of an array in each iteration.
func (g *generator) parallel() {
	a := g.arrays[g.IntN(len(g.arrays))]
	n, t := rank(a[1]), element(a[1])
	if n == 0 {
		return
	}
	var at, lo, hi, step []string
	for k := range n {
		at = append(at, fmt.Sprintf("%%p%d", g.names))
		g.names++
		lo, step = append(lo, g.pick("%c0", "%c1")), append(step, g.pick("%c1", "%c2"))
		hi = append(hi, g.value("memref.dim %s, %%c%d : %s", a[0], k, a[1]))
	}
	g.line("scf.parallel (%s) = (%s) to (%s) step (%s) {", strings.Join(at, ", "), strings.Join(lo, ", "),
		strings.Join(hi, ", "), strings.Join(step, ", "))
	g.indent++
	dims, ints, data, arrays := len(g.dims), len(g.ints), len(g.data), len(g.arrays)
	place := fmt.Sprintf("%s[%s] : %s", a[0], strings.Join(at, ", "), a[1])
	g.data = append(g.data, [2]string{g.value("memref.load %s", place), t})
	g.line("memref.store %s, %s", g.of(t, 2), place)
	g.dims, g.ints, g.data, g.arrays = g.dims[:dims], g.ints[:ints], g.data[:data], g.arrays[:arrays]
	g.indent--
	g.line("}")
}

func (g *generator) load(a [2]string) (v [2]string) {
	g.access(func(dialect, at string) {
		v = [2]string{g.value("%s.load %s[%s] : %s", dialect, a[0], at, a[1]), element(a[1])}
	}, a)
	return v
}

// expression is an affine one of values.
func (g *generator) expression(depth int) string {
	if depth == 0 || g.IntN(3) == 0 {
		x := g.pick(append(append([]string{}, g.dims...), "1", "%n")...)
		symbol := x == "%n" || x == "%c3"
		for _, d := range g.extent {
			symbol = symbol || x == d
		}
		if symbol { // in all places of an access
			x = "symbol(" + x + ")"
		}
		return x
	}
	x := g.expression(depth - 1)
	switch g.IntN(7) {
	case 0:
		return fmt.Sprintf("(%s) %s %d", x, g.pick("floordiv", "ceildiv", "mod"), 1+g.IntN(3))
	case 1:
		return fmt.Sprintf("(%s) %s symbol(%s)", x, g.pick("floordiv", "mod"), g.pick("%n", "%c3"))
	case 2:
		return fmt.Sprintf("-(%s)", x)
	case 3:
		return fmt.Sprintf("(%s) * 2", x)
	}
	return fmt.Sprintf("%s %s %s", x, g.pick("+", "-"), g.expression(depth-1))
}

// maps are those of a number of dims and a symbol, with as many results.
func (g *generator) mapping(results int) string {
	list := []string{"d0", "d0 + 1", "d1", "d0 - d1", "d1 * 2 - d0", "d0 floordiv 2", "(d1 + 1) ceildiv 2", "d0 mod 3",
		"s0", "s0 - d0", "(s0 - d1) floordiv 2 + d0", "d0 * s0", "-d0 + 2", "(d0 + d1) mod 2 + 1", "3"}
	var out []string
	for range results {
		out = append(out, g.pick(list...))
	}
	return fmt.Sprintf("affine_map<(d0, d1)[s0] -> (%s)>(%s, %s)[%s]", strings.Join(out, ", "), g.pick(g.dims...),
		g.pick(g.dims...), g.pick(g.syms...))
}

func (g *generator) apply() {
	op, n := g.pick("apply", "apply", "min", "max"), 1
	if op != "apply" {
		n = 2
	}
	v := g.value("affine.%s %s", op, g.mapping(n))
	g.ints = append(g.ints, v)
	if op == "apply" {
		g.dims = append(g.dims, v)
	}
}

// integer is an index by an operation of arith.
func (g *generator) integer() string {
	x, y := g.pick(g.ints...), g.pick(g.ints...)
	switch g.IntN(8) {
	case 0:
		return g.value("arith.%s %s, %s : index", g.pick("divsi", "remsi", "floordivsi", "ceildivsi"), x,
			g.pick("%c2", "%c3", "%n"))
	case 1:
		return g.value("arith.%s %s, %s : index", g.pick("maxsi", "minsi"), x, y)
	case 2:
		c := g.value("arith.cmpi %s, %s, %s : index", g.pick("slt", "sle", "sgt", "sge"), x, y)
		return g.value("arith.select %s, %s, %s : index", c, x, y)
	case 3:
		v := g.value("arith.index_cast %s : index to i32", x)
		w := g.value("arith.addi %s, %s : i32", v, v)
		return g.value("arith.index_cast %s : i32 to index", w)
	}
	return g.value("arith.%s %s, %s : index", g.pick("addi", "subi", "addi", "muli"), x, y)
}

func (g *generator) bound() string {
	switch g.IntN(5) {
	case 0:
		return g.mapping(1)
	case 1:
		return "1"
	case 2:
		return fmt.Sprintf("affine_map<(d0) -> (d0)>(%s)", g.pick(g.dims...))
	}
	return g.pick(g.syms...)
}

// loop writes one, of either dialect, that may carry values.
func (g *generator) loop() {
	i := fmt.Sprintf("%%i%d", g.names)
	g.names++
	affine := g.IntN(3) > 0
	var head string
	if affine {
		lo, hi := g.pick("0", "0", "1", g.bound()), g.bound()
		if g.IntN(6) == 0 {
			lo = "max " + g.mapping(2)
		}
		if g.IntN(4) == 0 {
			hi = "min " + g.mapping(2)
		}
		head = fmt.Sprintf("affine.for %s = %s to %s%s", i, lo, hi, g.pick("", "", " step 2", " step 3"))
	} else {
		head = fmt.Sprintf("scf.for %s = %s to %s step %s", i, g.pick(g.ints...), g.pick(g.ints...),
			g.pick("%c1", "%c1", "%c2", "%n"))
	}
	g.carrying(head, map[bool]string{true: "affine", false: "scf"}[affine], i)
}

func (g *generator) carrying(head, dialect, i string) {
	var params, inits, types []string
	for range g.IntN(6) / 2 {
		t := g.pick(elements...)
		params, types = append(params, fmt.Sprintf("%%s%d", g.names)), append(types, t)
		inits = append(inits, params[len(params)-1]+" = "+g.of(t, 1))
		g.names++
	}
	results := fmt.Sprintf("%%r%d", g.names)
	g.names++
	if params == nil {
		g.line("%s {", head)
	} else {
		g.line("%s:%d = %s iter_args(%s) -> (%s) {", results, len(params), head, strings.Join(inits, ", "),
			strings.Join(types, ", "))
	}
	g.indent++
	dims, ints, data, arrays := len(g.dims), len(g.ints), len(g.data), len(g.arrays)
	g.ints = append(g.ints, i)
	if dialect == "affine" {
		g.dims = append(g.dims, i)
	}
	for k, s := range params {
		g.data = append(g.data, [2]string{s, types[k]})
	}
	for range 1 + g.IntN(3) {
		g.statement()
	}
	if params != nil {
		var out []string
		for _, t := range types {
			out = append(out, g.of(t, 1+g.IntN(2)))
		}
		g.line("%s.yield %s : %s", dialect, strings.Join(out, ", "), strings.Join(types, ", "))
	}
	g.dims, g.ints, g.data, g.arrays = g.dims[:dims], g.ints[:ints], g.data[:data], g.arrays[:arrays]
	g.indent--
	g.line("}")
	for k, t := range types {
		g.data = append(g.data, [2]string{fmt.Sprintf("%s#%d", results, k), t})
	}
}

func (g *generator) condition() string {
	return g.value("arith.cmpi %s, %s, %s : index", g.pick("slt", "sle", "sgt", "sge", "eq", "ne"), g.pick(g.ints...),
		g.pick(g.ints...))
}

func (g *generator) branch() {
	head, t := "", ""
	switch g.IntN(3) {
	case 0:
		head = fmt.Sprintf("affine.if affine_set<(d0, d1)[s0] : (%s >= 0, %s)>(%s, %s)[%s]",
			g.pick("d0 - d1", "d1 - 1", "s0 - d0 - 1"), g.pick("d1 >= 0", "d0 mod 2 == 0", "d0 - d1 == 0"),
			g.pick(g.dims...), g.pick(g.dims...), g.pick(g.syms...))
	case 1:
		head = "scf.if " + g.value("arith.%s %s, %s : i1", g.pick("andi", "ori", "xori"), g.condition(), g.condition())
	default:
		head = "scf.if " + g.condition()
	}
	result := ""
	if t = g.pick("", g.pick(elements...)); t != "" {
		result = fmt.Sprintf("%%r%d", g.names)
		g.names++
		head = fmt.Sprintf("%s = %s -> %s", result, head, t)
	}
	yield := func() {
		if t != "" {
			dialect := map[bool]string{true: "affine", false: "scf"}[strings.Contains(head, "affine.if")]
			g.line("%s.yield %s : %s", dialect, g.of(t, 1), t)
		}
		g.indent--
	}
	g.line("%s {", head)
	g.indent++
	g.body(1)
	yield()
	if t != "" || g.IntN(2) == 0 {
		g.line("} else {")
		g.indent++
		g.body(1)
		yield()
	}
	g.line("}")
	if t != "" {
		g.data = append(g.data, [2]string{result, t})
	}
}

// local writes an alloc, and a loop that initialises it.
func (g *generator) local() {
	t := "memref<?x" + g.pick(elements...) + ">"
	n := g.value("arith.addi %s, %%c2 : index", g.pick("%n", "%c1"))
	v := g.value("%s(%s) : %s", g.pick("memref.alloc", "memref.alloca"), n, t)
	i := fmt.Sprintf("%%i%d", g.names)
	g.names++
	g.line("scf.for %s = %%c0 to %s step %%c1 {", i, n)
	g.indent++
	g.line("memref.store %s, %s[%s] : %s", g.of(element(t), 1), v, i, t)
	g.indent--
	g.line("}")
	g.arrays = append(g.arrays, [2]string{v, t})
}

// of is a value of a type.
func (g *generator) of(t string, depth int) string {
	float := t[0] == 'f'
	if depth == 0 || g.IntN(4) == 0 {
		var list []string
		for _, v := range g.data {
			if v[1] == t {
				list = append(list, v[0])
			}
		}
		for _, a := range g.arrays {
			if element(a[1]) == t && g.IntN(2) == 0 {
				list = append(list, g.load(a)[0])
			}
		}
		switch {
		case t == "index":
			list = append(list, g.pick(g.ints...))
		case len(list) == 0 && !float && g.IntN(2) == 0:
			list = append(list, g.value("arith.index_cast %s : index to %s", g.pick(g.ints...), t))
		case len(list) == 0 && float:
			list = append(list, g.value("arith.constant %s : %s", g.pick("0.5", "1.0", "-2.25", "1.0e-1", "3.0e+2"), t))
		case len(list) == 0:
			list = append(list, g.value("arith.constant %s : %s", g.pick("1", "-7", "100", "0"), t))
		}
		return g.pick(list...)
	}
	if g.IntN(6) == 0 && t != "index" {
		if v := g.converted(t, depth); v != "" {
			return v
		}
	}
	x, y := g.of(t, depth-1), g.of(t, depth-1)
	if float && g.IntN(8) == 0 {
		return g.value("arith.negf %s : %s", x, t)
	}
	if g.IntN(5) == 0 {
		return g.extreme(x, y, t)
	}
	op := g.pick("addi", "muli", "subi", "addi", "maxsi", "minsi", "maxui", "minui")
	if float {
		op = g.pick("addf", "mulf", "subf", "addf", "maxnumf", "minnumf", "divf")
		if op == "divf" { // by 0 is a number that texts agree on as little as on its comparisons
			y = g.value("arith.constant %s : %s", g.pick("4.0", "-3.0"), t)
		}
	}
	return g.value("arith.%s %s, %s : %s", op, x, y, t)
}

// extreme writes a comparison and a choice by it.
func (g *generator) extreme(x, y, t string) string {
	if t[0] != 'f' && g.IntN(2) == 0 || t == "index" {
		return g.value("arith.select %s, %s, %s : %s", g.condition(), x, y, t)
	}
	op, predicate := "cmpi", g.pick("slt", "sge", "ult", "ugt", "sle")
	other := t[0] != 'f' && g.IntN(2) == 0 // than one of what is compared; of floats there may be NaN
	if other {
		predicate = g.pick(predicate, "eq", "ne", "uge", "sgt", "ule")
	}
	if t[0] == 'f' {
		op, predicate = "cmpf", g.pick("olt", "ogt", "ole", "uge")
	}
	c := g.value("arith.%s %s, %s, %s : %s", op, predicate, x, y, t)
	if g.IntN(2) == 0 {
		x, y = y, x
	}
	if other {
		x = g.of(t, 0)
	}
	return g.value("arith.select %s, %s, %s : %s", c, x, y, t)
}

// converted is a value of another type as one of this.
func (g *generator) converted(t string, depth int) string {
	width := map[string]int{"i8": 8, "i16": 16, "i32": 32, "i64": 64, "f32": 32, "f64": 64}
	from := g.pick("i8", "i16", "i32", "i64", "f32", "f64")
	op := ""
	switch {
	case t[0] == 'f' && from[0] == 'i':
		op = g.pick("sitofp", "uitofp")
	case t[0] != from[0] || t == from:
		return ""
	case t[0] == 'f' && width[from] < width[t]:
		op = "extf"
	case t[0] == 'f':
		op = "truncf"
	case width[from] < width[t]:
		op = g.pick("extsi", "extui")
	default:
		op = "trunci"
	}
	return g.value("arith.%s %s : %s to %s", op, g.of(from, depth-1), from, t)
}

func TestRandom(t *testing.T) {
	if !has(t, "mlir-opt-19", "mlir-translate-19", "clang-16") {
		return
	}
	wanted, refused := tier.Draw(60, 100, 200), map[string]int{}
	var list []*program
	for seed := uint64(0); len(list) < wanted && seed < 20*uint64(wanted); seed++ {
		text := random(seed)
		p, err := procedure(fmt.Sprintf("random%d.mlir", seed), text)
		if err != nil {
			why := err.Error()
			refused[why[strings.Index(why, ": ")+2:]]++
			continue
		}
		list = append(list, &program{fmt.Sprintf("random%d.mlir", seed), text, p, 3})
	}
	t.Logf("%d programs, refused %v", len(list), refused)
	if len(list) < wanted {
		t.Errorf("%d programs", len(list))
	}
	bad, total := 0, 0
	for len(list) > 0 {
		k := min(len(list), 100)
		errors, all := against(t, list[:k])
		for i := range errors {
			bad, total = bad+errors[i], total+all[i]
		}
		list = list[k:]
	}
	if t.Logf("%d errors of %d", bad, total); bad == 0 || 2*bad > total {
		t.Errorf("%d errors of %d executions", bad, total)
	}
}
