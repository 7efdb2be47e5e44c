package mlir

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"tv/internal/mix"
)

// Generate returns a module with a function f: some nests of loops over memrefs of all types, in bounds and defined where all
// sizes are at least 1. Equal seeds give equal texts.
func Generate(seed uint64) []byte {
	g := &generator{rng: rand.New(rand.NewPCG(mix.Spread(seed), 0x6d6c6972))}
	return []byte(g.module())
}

// A generator writes a random program.
type generator struct {
	rng    *rand.Rand
	text   strings.Builder
	depth  int
	fresh  int
	arrays []*drawnArray
	sizes  []string // extents: numbers, or values of type index
	counts []drawnCounter
	values []drawnValue // that may be used here
	data   bool         // within a branch on data
}

// A drawnArray is a memref.
type drawnArray struct {
	name, typ string
	dims      []string // extents
	local     bool     // what it holds is not defined yet
}

// A drawnCounter v lies in [low, extent - high).
type drawnCounter struct {
	name, extent string
	low, high    int
	scf          bool // affine expressions do not have it
}

// A drawnValue is a number that was computed.
type drawnValue struct{ name, typ string }

func (g *generator) n(k int) int              { return g.rng.IntN(k) }
func (g *generator) chance(k, of int) bool    { return g.n(of) < k }
func (g *generator) of(list ...string) string { return list[g.n(len(list))] }
func (g *generator) name(p string) string     { g.fresh++; return fmt.Sprintf("%%%s%d", p, g.fresh) }
func (g *generator) line(s string, args ...any) {
	g.text.WriteString(strings.Repeat("  ", g.depth) + fmt.Sprintf(s, args...) + "\n")
}

// block writes what f writes within braces.
func (g *generator) block(f func(), s string, args ...any) {
	values, counts := len(g.values), len(g.counts)
	g.line(s+" {", args...)
	g.depth++
	f()
	g.depth--
	g.line("}")
	g.values, g.counts = g.values[:values], g.counts[:counts]
}

var drawnTypes = []string{"f32", "f32", "f32", "f64", "i32", "i32", "i8", "i16", "i64"}

func isFloat(typ string) bool { return typ[0] == 'f' }

// isNumber tells whether an extent is one.
func isNumber(extent string) bool { return digit(extent[0]) }

// bound is an extent as a bound, plus a number.
func bound(extent string, plus int) string {
	switch {
	case isNumber(extent):
		return fmt.Sprint(int(extent[0]-'0') + plus)
	case plus == 0:
		return extent
	}
	return fmt.Sprintf("affine_map<()[s0] -> (s0 + %d)>()[%s]", plus, extent)
}

func (a *drawnArray) memref() string {
	s := "memref<"
	for _, d := range a.dims {
		if isNumber(d) {
			s += d + "x"
		} else {
			s += "?x"
		}
	}
	return s + a.typ + ">"
}

func (g *generator) module() string {
	g.line("module {")
	g.depth++
	var params, heads []string
	for k := range 1 + g.n(4) {
		a := &drawnArray{name: "%" + string(rune('A'+k)), typ: g.of(drawnTypes...)}
		for axis := range 1 + g.n(3) {
			d := g.of("?", "?", "4", "5", "7")
			if d == "?" {
				d = fmt.Sprintf("%s_%d", a.name, axis)
				heads = append(heads, fmt.Sprintf("%s_c = arith.constant %d : index", d, axis),
					fmt.Sprintf("%s = memref.dim %s, %s_c : @%s@", d, a.name, d, a.name))
			}
			a.dims = append(a.dims, d)
			g.sizes = append(g.sizes, d)
		}
		for i := range heads {
			heads[i] = strings.ReplaceAll(heads[i], "@"+a.name+"@", a.memref())
		}
		g.arrays = append(g.arrays, a)
		params = append(params, a.name+": "+a.memref())
	}
	params = append(params, "%n: index")
	for k := range g.n(3) {
		v := drawnValue{fmt.Sprintf("%%x%d", k), g.of(drawnTypes...)}
		g.values, params = append(g.values, v), append(params, v.name+": "+v.typ)
	}
	result := ""
	if g.chance(1, 4) {
		result = g.of(drawnTypes...)
		params[len(params)-1] += ") -> (" + result
	}
	g.block(func() {
		for _, h := range heads {
			g.line("%s", h)
		}
		for range 1 + g.n(3) {
			g.nest(1 + g.n(3))
		}
		if result == "" {
			g.line("return")
			return
		}
		g.line("return %s : %s", g.value(result, 2), result)
	}, "func.func @f(%s)", strings.Join(params, ", "))
	g.depth--
	g.line("}")
	return g.text.String()
}

// nest writes loops, some depth more, and statements within.
func (g *generator) nest(depth int) {
	if depth == 0 || g.data {
		g.statements()
		return
	}
	inside := func() {
		if g.chance(1, 4) {
			g.statements()
		}
		g.nest(depth - 1)
		if g.chance(1, 6) {
			g.statement()
		}
	}
	if g.chance(1, 4) {
		g.carrying(inside)
		return
	}
	g.loop(g.of(g.sizes...), inside)
}

// carrying writes a loop with a value that goes round.
func (g *generator) carrying(inside func()) {
	typ := g.of(drawnTypes...)
	extent := g.of(g.sizes...)
	first, two := g.value(typ, 1), g.chance(1, 3)
	out, i, x, y := g.name("r"), g.name("i"), g.name("a"), g.name("b")
	heading := fmt.Sprintf("%s = affine.for %s = 0 to %s iter_args(%s = %s) -> (%s)", out, i, bound(extent, 0), x, first, typ)
	if two {
		heading = fmt.Sprintf("%s:2 = affine.for %s = 0 to %s iter_args(%s = %s, %s = %s) -> (%s, %s)", out, i, bound(extent, 0), x,
			first, y, g.value(typ, 1), typ, typ)
	}
	g.block(func() {
		g.counts = append(g.counts, drawnCounter{name: i, extent: extent})
		g.values = append(g.values, drawnValue{x, typ}, drawnValue{x, typ})
		if two {
			g.values = append(g.values, drawnValue{y, typ})
		}
		inside()
		next := g.binary(typ, x, g.value(typ, 2))
		if two {
			g.line("affine.yield %s, %s : %s, %s", g.of(next, y), x, typ, typ)
			return
		}
		g.line("affine.yield %s : %s", next, typ)
	}, "%s", heading)
	if two {
		out += g.of("#0", "#1")
	}
	g.values = append(g.values, drawnValue{out, typ})
	g.store(g.target(), out, typ)
}

// loop writes one over [0, extent) or a part of it.
func (g *generator) loop(extent string, inside func()) {
	i := g.name("i")
	c := drawnCounter{name: i, extent: extent}
	body := func() {
		g.counts = append(g.counts, c)
		inside()
	}
	around := -1
	for k, o := range g.counts {
		if o.extent == extent && !o.scf {
			around = k
		}
	}
	end := bound(extent, 0)
	switch k := g.n(20); {
	case k > 14:
		c.low, c.high = 2, 2
		g.block(body, "affine.for %s = 2 to %s", i, bound(extent, -2))
	case k == 3:
		c.low = 1
		g.block(body, "affine.for %s = 1 to %s step %d", i, end, 2+g.n(2))
	case k == 4:
		g.block(body, "affine.for %s = 0 to %s step %d", i, end, 2+g.n(2))
	case k > 4 && k < 7:
		g.tiles(extent, i, body)
	case k == 7 && around >= 0:
		o := g.counts[around]
		c.high = max(o.high, 0)
		g.block(body, "affine.for %s = 0 to affine_map<(d0) -> (d0%s)>(%s)", i, g.of("", " + 1"), o.name)
	case k == 8 && around >= 0:
		g.block(body, "affine.for %s = affine_map<(d0) -> (d0)>(%s) to %s", i, g.counts[around].name, end)
	case k > 6 && k < 11 && !isNumber(extent):
		g.block(body, "affine.for %s = 0 to affine_map<()[s0] -> ((s0 + 1) floordiv 2)>()[%s]", i, extent)
	case k < 2 && isNumber(extent):
		g.block(body, "affine.for %s = max affine_map<() -> (0, %s - 3)>() to %s", i, extent, end)
	case k < 2:
		g.block(body, "affine.for %s = max affine_map<()[s0] -> (0, s0 - 3)>()[%s] to %s", i, extent, end)
	case k == 11 || k == 2: // none, or fewer
		lo, hi := g.of("5", "7", "%n"), g.of("1", "-3")
		if g.chance(1, 3) {
			lo, hi = bound(extent, 0), bound(extent, 0)
		}
		g.block(body, "affine.for %s = %s to %s", i, lo, hi)
	case k == 12:
		c.scf = true
		zero, one, hi := g.index("0"), g.index(g.of("1", "1", "2")), extent
		if isNumber(extent) {
			hi = g.index(extent)
		}
		g.block(body, "scf.for %s = %s to %s step %s", i, zero, hi, one)
	case k == 13:
		other := g.of(g.sizes...)
		g.block(func() {
			g.counts = append(g.counts, drawnCounter{name: i, extent: other})
			body()
		}, "affine.for %s = 0 to min affine_map<(d0, d1) -> (d0, d1)>(%s, %s)", i, g.asIndex(extent), g.asIndex(other))
	default:
		g.block(body, "affine.for %s = 0 to %s", i, end)
	}
}

// tiles writes a loop over tiles of three and one over each.
func (g *generator) tiles(extent, i string, body func()) {
	tile := g.name("t")
	upper := fmt.Sprintf("min affine_map<(d0) -> (d0 + 3, %s)>(%s)", extent, tile)
	if !isNumber(extent) {
		upper = fmt.Sprintf("min affine_map<(d0)[s0] -> (d0 + 3, s0)>(%s)[%s]", tile, extent)
	}
	g.block(func() {
		g.block(body, "affine.for %s = affine_map<(d0) -> (d0)>(%s) to %s", i, tile, upper)
	}, "affine.for %s = 0 to %s step 3", tile, bound(extent, 0))
}

// index writes a constant of type index.
func (g *generator) index(n string) string {
	c := g.name("c")
	g.line("%s = arith.constant %s : index", c, n)
	return c
}

func (g *generator) asIndex(extent string) string {
	if isNumber(extent) {
		return g.index(extent)
	}
	return extent
}

// subscript returns an affine expression in [0, extent).
func (g *generator) subscript(extent string) string {
	var own []drawnCounter
	for _, c := range g.counts {
		if c.extent == extent && !c.scf {
			own = append(own, c)
		}
	}
	if len(own) > 0 && g.chance(9, 10) {
		c := own[g.n(len(own))]
		switch k := g.n(8); {
		case k < 2 && c.low > 0:
			return fmt.Sprintf("%s - %d", c.name, 1+g.n(c.low))
		case k < 4 && c.high > 0:
			return fmt.Sprintf("%s + %d", c.name, 1+g.n(c.high))
		case k == 4:
			return c.name + " floordiv 2"
		case k == 5 && isNumber(extent):
			return fmt.Sprintf("%s - %s - 1", extent, c.name)
		case k == 5:
			return fmt.Sprintf("symbol(%s) - %s - 1", extent, c.name)
		}
		return c.name
	}
	if c, ok := g.affineCounter(); ok && isNumber(extent) && g.chance(2, 3) {
		return fmt.Sprintf("(%s + %d) mod %s", c.name, g.n(3), extent)
	}
	if isNumber(extent) {
		return g.of("0", fmt.Sprint(int(extent[0]-'0')-1))
	}
	return g.of("0", "symbol("+extent+") - 1")
}

// affineCounter draws a counter that affine expressions have.
func (g *generator) affineCounter() (drawnCounter, bool) {
	var list []drawnCounter
	for _, c := range g.counts {
		if !c.scf {
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		return drawnCounter{}, false
	}
	return list[g.n(len(list))], true
}

// element returns subscripts of an array.
func (g *generator) element(a *drawnArray) string {
	var list []string
	for _, d := range a.dims {
		list = append(list, g.subscript(d))
	}
	return "[" + strings.Join(list, ", ") + "]"
}

func (g *generator) target() *drawnArray { return g.arrays[g.n(len(g.arrays))] }

func (g *generator) statements() {
	for range 1 + g.n(2) {
		g.statement()
	}
}

func (g *generator) statement() {
	switch k := g.n(20); {
	case k > 10 && g.inPlace():
	case k < 5 && len(g.counts) > 0 && !g.data:
		g.branchOnCounters()
	case k == 5 && !g.data:
		g.branchOnData()
	case k < 8 && !g.data:
		g.localArray()
	case k == 8 && !g.data:
		g.part()
	case k == 9 && !g.data:
		g.vector()
	case k == 10:
		g.byValues()
	case k == 11 && !g.data:
		g.parallel()
	default:
		a := g.target()
		g.store(a, g.value(a.typ, 3), a.typ)
	}
}

// store writes a number of a type to an array, after a conversion.
func (g *generator) store(a *drawnArray, x, typ string) {
	g.line("affine.store %s, %s%s : %s", g.convert(x, typ, a.typ), a.name, g.element(a), a.memref())
}

// inPlace writes A[i] = f(A[i + 2]) and the like, if there is a counter for it.
func (g *generator) inPlace() bool {
	type place struct {
		a    *drawnArray
		axis int
		c    drawnCounter
	}
	var list []place
	for _, a := range g.arrays {
		for axis, d := range a.dims {
			for _, c := range g.counts {
				if c.extent == d && !c.scf && c.low+c.high > 0 {
					list = append(list, place{a, axis, c})
				}
			}
		}
	}
	if len(list) == 0 {
		return false
	}
	p := list[g.n(len(list))]
	a, at := p.a, make([]string, len(p.a.dims))
	for k := range at {
		at[k] = g.subscript(a.dims[k])
	}
	access := func(shift int) string {
		at[p.axis] = fmt.Sprintf("%s + %d", p.c.name, shift)
		return a.name + "[" + strings.Join(at, ", ") + "] : " + a.memref()
	}
	x := g.name("v")
	g.line("%s = affine.load %s", x, access(g.n(p.c.low+p.c.high+1)-p.c.low))
	y := g.binary(a.typ, x, g.value(a.typ, 1))
	if g.chance(1, 3) {
		g.values = append(g.values, drawnValue{x, a.typ})
	}
	g.line("affine.store %s, %s", y, access(0))
	return true
}

func (g *generator) branches(f func(), s string, args ...any) {
	g.line(s+" {", args...)
	values := len(g.values)
	g.depth++
	f()
	g.values = g.values[:values]
	if g.chance(1, 2) {
		g.depth--
		g.line("} else {")
		g.depth++
		f()
	}
	g.depth--
	g.line("}")
	g.values = g.values[:values]
}

func (g *generator) branchOnCounters() {
	c := g.counts[g.n(len(g.counts))]
	if c, ok := g.affineCounter(); ok && g.chance(1, 2) {
		set := g.of("d0 - 1 >= 0", "d0 mod 2 == 0", "-d0 + s0 - 1 >= 0", "d0 - 1 >= 0, -d0 + 3 >= 0")
		g.branches(g.statement, "affine.if affine_set<(d0)[s0] : (%s)>(%s)[%%n]", set, c.name)
		return
	}
	b, two := g.name("p"), g.index(g.of("1", "2"))
	g.line("%s = arith.cmpi %s, %s, %s : index", b, g.of("slt", "sge", "eq", "ne", "sgt"), c.name, g.of(two, "%n"))
	if g.chance(1, 3) {
		x, typ := g.name("v"), g.of(drawnTypes...)
		g.line("%s = scf.if %s -> (%s) {", x, b, typ)
		values := len(g.values)
		g.depth++
		g.line("scf.yield %s : %s", g.value(typ, 1), typ)
		g.depth--
		g.line("} else {")
		g.values = g.values[:values]
		g.depth++
		g.line("scf.yield %s : %s", g.value(typ, 1), typ)
		g.depth--
		g.line("}")
		g.values = append(g.values[:values], drawnValue{x, typ})
		g.store(g.target(), x, typ)
		return
	}
	g.branches(g.statement, "scf.if %s", b)
}

func (g *generator) branchOnData() {
	b := g.truth(1)
	g.data = true
	g.branches(g.statement, "scf.if %s", b)
	g.data = false
}

// localArray fills a memref and reads from it.
func (g *generator) localArray() {
	a := &drawnArray{name: g.name("l"), typ: g.of(drawnTypes...), local: true}
	extent := g.of(g.sizes...)
	a.dims = []string{extent}
	if g.chance(1, 3) {
		a.dims = []string{g.of("2", "3"), extent}
	}
	op, size := g.of("alloc", "alloca"), ""
	if !isNumber(extent) {
		op, size = "alloc", extent
	}
	g.line("%s = memref.%s(%s) : %s", a.name, op, size, a.memref())
	var fill func(at []string)
	fill = func(at []string) {
		if len(at) == len(a.dims) {
			g.line("affine.store %s, %s[%s] : %s", g.value(a.typ, 1), a.name, strings.Join(at, ", "), a.memref())
			return
		}
		i := g.name("j")
		g.block(func() { fill(append(at, i)) }, "affine.for %s = 0 to %s", i, bound(a.dims[len(at)], 0))
	}
	fill(nil)
	g.arrays = append(g.arrays, a)
	g.statements()
	x := g.name("v")
	g.line("%s = affine.load %s%s : %s", x, a.name, g.element(a), a.memref())
	g.arrays = g.arrays[:len(g.arrays)-1]
	g.store(g.target(), x, a.typ)
	if op == "alloc" && g.chance(1, 3) {
		g.line("memref.dealloc %s : %s", a.name, a.memref())
	}
}

// part writes a part of an array whose last extent is a number.
func (g *generator) part() {
	a := g.target()
	d := a.dims[len(a.dims)-1]
	if len(a.dims) != 1 || !isNumber(d) || a.local {
		g.byValues()
		return
	}
	n := int(d[0]-'0') - 2
	p, i, x := g.name("s"), g.name("j"), g.name("v")
	typ := fmt.Sprintf("memref<%dx%s, strided<[1], offset: 1>>", n, a.typ)
	g.line("%s = memref.subview %s[1] [%d] [1] : %s to %s", p, a.name, n, a.memref(), typ)
	g.block(func() {
		g.line("%s = affine.load %s[%s] : %s", x, p, i, typ)
		y := g.binary(a.typ, x, g.value(a.typ, 1))
		g.line("affine.store %s, %s[%d - %s] : %s", y, p, n-1, i, typ)
	}, "affine.for %s = 0 to %d", i, n)
}

// vector moves four elements at once.
func (g *generator) vector() {
	a := g.target()
	d := a.dims[len(a.dims)-1]
	if !isNumber(d) || a.local {
		g.byValues()
		return
	}
	var at []string
	for _, d := range a.dims[:len(a.dims)-1] {
		at = append(at, g.subscript(d))
	}
	last := int(d[0]-'0') - 4
	access := func() string {
		index := strings.Join(append(at, fmt.Sprint(g.n(last+1))), ", ")
		return fmt.Sprintf("%s[%s] : %s, vector<4x%s>", a.name, index, a.memref(), a.typ)
	}
	v, w, s := g.name("v"), g.name("v"), g.name("v")
	g.line("%s = affine.vector_load %s", v, access())
	g.line("%s = vector.broadcast %s : %s to vector<4x%s>", w, g.value(a.typ, 1), a.typ, a.typ)
	g.line("%s = %s %s, %s : vector<4x%s>", s, g.plain(a.typ), v, w, a.typ)
	g.line("affine.vector_store %s, %s", s, access())
}

// byValues writes an access whose subscripts are values.
func (g *generator) byValues() {
	a := g.target()
	var at []string
	for _, d := range a.dims {
		at = append(at, g.indexValue(d))
	}
	x := g.name("v")
	g.line("%s = memref.load %s[%s] : %s", x, a.name, strings.Join(at, ", "), a.memref())
	y := g.binary(a.typ, x, g.value(a.typ, 1))
	g.line("memref.store %s, %s[%s] : %s", y, a.name, strings.Join(at, ", "), a.memref())
}

// indexValue returns a value of type index in [0, extent).
func (g *generator) indexValue(extent string) string {
	if len(g.counts) == 0 {
		return g.index("0")
	}
	c := g.counts[g.n(len(g.counts))]
	k, one := g.name("k"), g.index("1")
	switch g.n(3) {
	case 0:
		g.line("%s = affine.min affine_map<(d0, d1) -> (d0, d1 - 1)>(%s, %s)", k, c.name, g.asIndex(extent))
		if c.low >= 0 {
			return g.atLeastZero(k)
		}
	case 1:
		g.line("%s = arith.remsi %s, %s : index", k, g.atLeastZero(c.name), g.asIndex(extent))
	default:
		l, m, b := g.name("k"), g.name("k"), g.name("p")
		g.line("%s = arith.subi %s, %s : index", l, g.asIndex(extent), one)
		g.line("%s = affine.apply affine_map<(d0) -> (d0 * 2 + 1)>(%s)", m, g.atLeastZero(c.name))
		g.line("%s = arith.cmpi slt, %s, %s : index", b, m, l)
		g.line("%s = arith.select %s, %s, %s : index", k, b, m, l)
	}
	return k
}

// atLeastZero returns max(0, k): a loop that does not run may begin anywhere.
func (g *generator) atLeastZero(k string) string {
	m, zero := g.name("k"), g.index("0")
	g.line("%s = arith.maxsi %s, %s : index", m, k, zero)
	return m
}

// parallel writes a row of an array from others, or sums one up.
func (g *generator) parallel() {
	a := g.target()
	d := a.dims[0]
	i, typ := g.name("i"), g.of("i32", "i64", "i8")
	if g.chance(1, 2) {
		r, x := g.name("r"), g.name("v")
		g.block(func() {
			var at []string
			for range a.dims[1:] {
				at = append(at, "0")
			}
			g.line("%s = affine.load %s[%s] : %s", x, a.name, strings.Join(append([]string{i}, at...), ", "), a.memref())
			g.line("affine.yield %s : %s", g.convert(x, a.typ, typ), typ)
		}, "%s = affine.parallel (%s) = (0) to (%s) reduce (\"%s\") -> (%s)", r, i, d, g.of("addi", "muli", "ori", "andi"), typ)
		g.values = append(g.values, drawnValue{r, typ})
		g.store(g.target(), r, typ)
		return
	}
	g.block(func() {
		x, y := g.name("v"), g.name("v")
		at := i + strings.Repeat(", 0", len(a.dims)-1)
		g.line("%s = affine.load %s[%s] : %s", x, a.name, at, a.memref())
		g.line("%s = %s %s, %s : %s", y, g.plain(a.typ), x, x, a.typ)
		g.line("affine.store %s, %s[%s] : %s", y, a.name, at, a.memref())
	}, "affine.parallel (%s) = (0) to (%s) step (%d)", i, d, 1+g.n(2))
}

// value writes what computes a number of a type, and returns its name.
func (g *generator) value(typ string, depth int) string {
	if depth <= 0 || g.chance(1, 4) {
		return g.leaf(typ)
	}
	x := g.value(typ, depth-1)
	switch k := g.n(8); {
	case k == 0:
		other := g.of(drawnTypes...)
		return g.convert(g.value(other, depth-1), other, typ)
	case k == 1:
		b, y := g.truth(depth-1), g.value(typ, depth-1)
		out := g.name("v")
		g.line("%s = arith.select %s, %s, %s : %s", out, b, x, y, typ)
		return out
	case k == 2 && isFloat(typ):
		out := g.name("v")
		g.line("%s = %s %s : %s", out, g.of("arith.negf", "math.absf"), x, typ)
		return out
	}
	return g.binary(typ, x, g.value(typ, depth-1))
}

func (g *generator) leaf(typ string) string {
	var list []drawnValue
	for _, v := range g.values {
		if v.typ == typ {
			list = append(list, v)
		}
	}
	if len(list) > 0 && g.chance(1, 3) {
		return list[g.n(len(list))].name
	}
	out := g.name("v")
	if a := g.target(); g.chance(3, 4) {
		g.line("%s = affine.load %s%s : %s", out, a.name, g.element(a), a.memref())
		if g.chance(1, 4) { // it may be used again, when what it was read from has been written
			g.values = append(g.values, drawnValue{out, a.typ})
		}
		return g.convert(out, a.typ, typ)
	}
	if isFloat(typ) {
		g.line("%s = arith.constant %s : %s", out, g.of("0.5", "1.25", "-2.5", "1.0e+03", "3.0"), typ)
		return out
	}
	if len(g.counts) > 0 && g.chance(1, 2) {
		g.line("%s = arith.index_cast %s : index to %s", out, g.counts[g.n(len(g.counts))].name, typ)
		return out
	}
	g.line("%s = arith.constant %s : %s", out, g.of("1", "2", "7", "-3", "100"), typ)
	return out
}

// plain is an operation that is defined for all operands.
func (g *generator) plain(typ string) string {
	if isFloat(typ) {
		return g.of("arith.addf", "arith.subf", "arith.mulf", "arith.addf")
	}
	return g.of("arith.addi", "arith.subi", "arith.muli", "arith.andi", "arith.ori", "arith.xori", "arith.maxsi", "arith.minui")
}

// binary writes an operation; what divides lies in [1, 8], and shifts are by less than 8.
func (g *generator) binary(typ, x, y string) string {
	out := g.name("v")
	if isFloat(typ) || g.chance(2, 3) {
		g.line("%s = %s %s, %s : %s", out, g.plain(typ), x, y, typ)
		return out
	}
	seven, low := g.name("c"), g.name("v")
	g.line("%s = arith.constant 7 : %s", seven, typ)
	g.line("%s = arith.andi %s, %s : %s", low, y, seven, typ)
	if g.chance(1, 2) {
		one, by := g.name("c"), g.name("v")
		g.line("%s = arith.constant 1 : %s", one, typ)
		g.line("%s = arith.addi %s, %s : %s", by, low, one, typ)
		op := g.of("divsi", "divui", "remsi", "remui", "floordivsi", "ceildivsi")
		if op == "ceildivsi" { // what expands it for a machine is wrong for the least number
			least, more := g.name("c"), g.name("v")
			g.line("%s = arith.constant -100 : %s", least, typ)
			g.line("%s = arith.maxsi %s, %s : %s", more, x, least, typ)
			x = more
		}
		g.line("%s = arith.%s %s, %s : %s", out, op, x, by, typ)
		return out
	}
	g.line("%s = arith.%s %s, %s : %s", out, g.of("shli", "shrsi", "shrui"), x, low, typ)
	return out
}

// truth writes a condition on data.
func (g *generator) truth(depth int) string {
	out, typ := g.name("p"), g.of(drawnTypes...)
	x, y := g.value(typ, depth), g.value(typ, depth)
	if isFloat(typ) {
		g.line("%s = arith.cmpf %s, %s, %s : %s", out, g.of("olt", "oge", "oeq", "une", "ult", "ogt", "ord"), x, y, typ)
	} else {
		g.line("%s = arith.cmpi %s, %s, %s : %s", out, g.of("slt", "sge", "eq", "ne", "ult", "uge", "sgt"), x, y, typ)
	}
	return out
}

// convert writes a conversion; of floats to integers, one of a number between -100 and 100.
func (g *generator) convert(x, from, to string) string {
	if from == to {
		return x
	}
	out := g.name("v")
	var a, b int
	_, _ = fmt.Sscan(from[1:], &a)
	_, _ = fmt.Sscan(to[1:], &b)
	switch {
	case isFloat(from) && isFloat(to):
		g.line("%s = arith.%s %s : %s to %s", out, map[bool]string{true: "extf", false: "truncf"}[a < b], x, from, to)
	case isFloat(to):
		g.line("%s = arith.%s %s : %s to %s", out, g.of("sitofp", "uitofp"), x, from, to)
	case isFloat(from):
		for _, end := range []string{"olt 100.0", "ogt -100.0"} {
			c, p, y := g.name("c"), g.name("p"), g.name("v")
			predicate, n, _ := strings.Cut(end, " ")
			g.line("%s = arith.constant %s : %s", c, n, from)
			g.line("%s = arith.cmpf %s, %s, %s : %s", p, predicate, x, c, from)
			g.line("%s = arith.select %s, %s, %s : %s", y, p, x, c, from)
			x = y
		}
		g.line("%s = arith.fptosi %s : %s to %s", out, x, from, to)
	case a > b:
		g.line("%s = arith.trunci %s : %s to %s", out, x, from, to)
	default:
		g.line("%s = arith.%s %s : %s to %s", out, g.of("extsi", "extui"), x, from, to)
	}
	return out
}
