package cnest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"tv/internal/tier"
)

// A generator writes a random program: nests of loops over arrays of all types.
type generator struct {
	*rand.Rand
	b       strings.Builder
	indent  int
	ints    []string // integers of control
	scalars []string // of data, in scope
	arrays  []string
	types   map[string]string
	locals  int
	budget  int
}

var elements = []string{"int", "unsigned", "float", "double", "signed char", "unsigned char", "short",
	"unsigned short", "long", "unsigned long", "int64_t", "uint32_t", "long long"}

func (g *generator) pick(list ...string) string { return list[g.IntN(len(list))] }

func (g *generator) line(format string, args ...any) {
	fmt.Fprintf(&g.b, "%s%s\n", strings.Repeat("  ", g.indent), fmt.Sprintf(format, args...))
}

// random returns a program of a seed.
func random(seed uint64) string {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 7)), types: map[string]string{}, budget: 9}
	g.ints = []string{"n", "m"}
	size := g.pick("int", "int", "int", "long", "unsigned", "size_t")
	g.line("#define MIN(x, y) ((x) < (y) ? (x) : (y))\n#define MAX(x, y) ((x) < (y) ? (y) : (x))")
	g.line("static int pick(int x, const int y) { int z = x - y; return z > 1 ? z : 1; }")
	g.line("static double mean(double x, float y) { x += y; return x * 0.5; }")
	params := []string{size + " n", g.pick("int", size) + " m"}
	for _, name := range []string{"A", "B", "C"} {
		g.types[name] = g.pick(elements...)
		dims := g.pick("[n]", "[n + 1]", "[n][m]", "[m][n]", "[n * m]", "[n + m]", "[2 * n]", "[4][m + 1]")
		g.arrays = append(g.arrays, name)
		if strings.Count(dims, "[") == 2 {
			g.types[name] += "*"
		}
		params = append(params, strings.TrimSuffix(g.types[name], "*")+" "+name+dims)
	}
	g.scalars, g.types["x"] = []string{"x"}, g.pick(elements...)
	params = append(params, g.types["x"]+" x")
	result := g.pick("void", "void", g.pick(elements...))
	g.line("%s f(%s) {", result, strings.Join(params, ", "))
	g.indent++
	g.line("int p, q = pick(2, 1);\n  double s = mean(x, 1);")
	g.scalars, g.types["s"] = append(g.scalars, "s"), "double"
	g.ints = append(g.ints, "q")
	g.body()
	if result != "void" {
		g.line("return %s;", g.data(2, !strings.HasPrefix(result, "f") && result != "double"))
	}
	g.line("}")
	return g.b.String()
}

func (g *generator) body() {
	ints, scalars, arrays := len(g.ints), len(g.scalars), len(g.arrays)
	for range 1 + g.IntN(3) {
		g.statement()
	}
	g.ints, g.scalars, g.arrays = g.ints[:ints], g.scalars[:scalars], g.arrays[:arrays]
	g.indent--
}

func (g *generator) statement() {
	g.budget--
	switch k := g.IntN(12); {
	case k < 4 && g.budget > 0 && g.indent < 5:
		g.loop()
	case k == 4 && g.budget > 0:
		g.line("if (%s) {", g.condition())
		g.indent++
		g.body()
		if g.IntN(2) == 0 {
			g.line("} else {")
			g.indent++
			g.body()
		}
		g.line("}")
	case k == 7 && g.budget > 0 && g.indent < 5 && g.IntN(2) == 0:
		g.onData()
	case k == 5:
		name := fmt.Sprintf("s%d", g.locals)
		g.locals++
		g.types[name] = g.pick(elements...)
		g.line("%s %s = %s;", g.types[name], name, g.data(2, g.whole(name)))
		g.scalars = append(g.scalars, name)
	case k == 6:
		name := fmt.Sprintf("k%d", g.locals)
		g.locals++
		g.line("%s %s = %s;", g.pick("int", "long", "const int"), name, g.integer(2))
		g.ints = append(g.ints, name)
	case k == 7:
		name := fmt.Sprintf("L%d", g.locals)
		g.locals++
		g.types[name] = g.pick(elements...)
		g.line("%s %s[n + 2];", g.types[name], name)
		g.line("for (int z = 0; z < (int)n + 2; z++) %s[z] = %s;", name, g.data(1, g.whole(name)))
		g.arrays = append(g.arrays, name)
	default:
		to := g.pick(append(append([]string{}, g.arrays...), g.scalars...)...)
		place := g.element(to)
		switch g.IntN(6) {
		case 0:
			g.line("%s%s;", place, g.pick("++", "--"))
		case 1, 2:
			g.line("%s %s %s;", place, g.pick("+=", "-=", "*="), g.data(2, g.whole(to)))
		default:
			g.line("%s = %s;", place, g.data(3, g.whole(to)))
		}
	}
}

// onData is an if on data, which holds assignments and such ifs.
func (g *generator) onData() {
	one := func() {
		g.indent++
		name := fmt.Sprintf("s%d", g.locals)
		switch g.locals++; g.IntN(6) {
		case 0:
			g.types[name] = g.pick(elements...)
			g.line("%s %s = %s; %s = %s;", g.types[name], name, g.data(1, g.whole(name)), name,
				g.data(1, g.whole(name)))
			g.line("if (%s) %s = %s;", g.test(1), name, g.data(1, g.whole(name)))
			to := g.pick(append(append([]string{}, g.arrays...), g.scalars...)...)
			if g.whole(name) || !g.whole(to) {
				g.line("%s = %s;", g.element(to), name)
			}
		case 1:
			if g.budget--; g.budget > 0 && g.indent < 6 {
				g.onData()
			}
		}
		for range 1 + g.IntN(2) {
			to := g.pick(append(append([]string{}, g.arrays...), g.scalars...)...)
			g.line("%s %s %s;", g.element(to), g.pick("=", "=", "+="), g.data(2, g.whole(to)))
		}
		g.indent--
	}
	local := ""
	if g.IntN(3) == 0 {
		local = fmt.Sprintf("s%d", g.locals)
		g.locals++
		g.line("int %s;", local)
	}
	set := func() {
		if local != "" {
			g.line("  %s = %s;", local, g.data(1, true))
		}
	}
	g.line("if (%s) {", g.test(2))
	set()
	one()
	if local != "" || g.IntN(2) == 0 {
		g.line("} else {")
		set()
		one()
	}
	if g.line("}"); local != "" {
		g.line("%s = %s;", g.element("A"), local)
	}
}

// test is a condition on data.
func (g *generator) test(depth int) string {
	whole := g.IntN(2) == 0
	x, y := g.data(1, whole), g.data(1, whole)
	if y += " + s"; whole { // gcc drops what is less than a constant, whatever it is
		y = strings.TrimSuffix(y, " + s") + " + m"
	}
	c := fmt.Sprintf("(%s) %s (%s)", x, g.pick("<", "<=", ">", ">=", "==", "!="), y)
	switch k := g.IntN(8); {
	case k == 0:
		return x
	case k == 1:
		return "!(" + c + ")"
	case k < 4 && depth > 0:
		return fmt.Sprintf("(%s %s %s)", c, g.pick("&&", "||"), g.test(depth-1))
	case k == 4 && depth > 0:
		return fmt.Sprintf("(%s %s %s)", g.condition(), g.pick("&&", "||"), c)
	}
	return c
}

func (g *generator) whole(name string) bool {
	t := g.types[name]
	return !strings.HasPrefix(t, "float") && !strings.HasPrefix(t, "double")
}

func (g *generator) loop() {
	name, lo, hi := fmt.Sprintf("i%d", g.locals), g.pick("0", "0", "1", g.integer(1)), g.integer(1)
	g.locals++
	declared := g.pick("int ", "int ", "int ", "long ", "short ")
	if g.IntN(6) == 0 && !strings.Contains(g.b.String(), "(p = ") {
		name, declared = "p", ""
	}
	more := ""
	if g.IntN(5) == 0 {
		more = fmt.Sprintf(" && %s < %s", name, g.integer(1))
	}
	switch g.IntN(6) {
	case 0:
		g.line("for (%s%s = %s; %s %s %s; %s) {", declared, name, hi, name, g.pick(">", ">="), lo,
			g.pick(name+"--", name+" -= 2", "--"+name))
	case 1:
		g.line("for (%s%s = %s; %s + 1 < %s%s; %s) {", declared, name, lo, name, hi, more,
			g.pick(name+" += 2", name+" = "+name+" + 3", name+" += m"))
	default:
		g.line("for (%s%s = %s; %s %s %s%s; %s) {", declared, name, lo, name, g.pick("<", "<", "<="), hi,
			more, g.pick(name+"++", "++"+name, name+" += 1"))
	}
	g.indent++
	g.ints = append(g.ints, name)
	g.body()
	g.line("}")
	if g.ints = g.ints[:len(g.ints)-1]; declared == "" {
		g.ints = append(g.ints, "p")
	}
}

func (g *generator) integer(depth int) string {
	if depth == 0 || g.IntN(3) == 0 {
		return g.pick(append([]string{"0", "1", "2", "n", "m"}, g.ints...)...)
	}
	x, y := g.integer(depth-1), g.integer(depth-1)
	switch g.IntN(12) {
	case 0:
		return fmt.Sprintf("(%s) * %s", x, g.pick("2", "n", "3"))
	case 1:
		return fmt.Sprintf("(%s) / %s", x, g.pick("2", "m", "3"))
	case 2:
		return fmt.Sprintf("(%s) %% %s", x, g.pick("2", "n", "3"))
	case 3:
		return fmt.Sprintf("%s(%s, %s)", g.pick("MIN", "MAX"), x, y)
	case 4:
		return fmt.Sprintf("-(%s)", x)
	case 5:
		return fmt.Sprintf("pick(%s, %s)", x, y)
	case 6:
		return fmt.Sprintf("(int)(%s)", x)
	}
	return fmt.Sprintf("%s %s %s", x, g.pick("+", "-", "+"), y)
}

func (g *generator) condition() string {
	c := fmt.Sprintf("%s %s %s", g.integer(1), g.pick("<", "<=", ">", ">=", "==", "!="), g.integer(1))
	switch g.IntN(8) {
	case 0:
		return fmt.Sprintf("%s %s %s", c, g.pick("&&", "||"), g.condition())
	case 1:
		return "!(" + c + ")"
	case 2:
		return g.integer(1)
	}
	return c
}

// element is one of an array, mostly within it, or a scalar.
func (g *generator) element(name string) string {
	if name[0] == 'x' || name[0] == 's' {
		return name
	}
	one := func() string {
		x := g.pick(append([]string{"0", "n - 1", "m - 1"}, g.ints...)...)
		if g.IntN(2) == 0 {
			x = g.integer(1)
		}
		if g.IntN(8) != 0 { // a place that is there
			x = fmt.Sprintf("MAX(0, MIN(%s, %s - 1))", x, g.pick("(int)n", "(int)n", "1", "(int)m"))
		}
		return "[" + x + "]"
	}
	if strings.HasSuffix(g.types[name], "*") {
		return name + one() + one()
	}
	return name + one()
}

// data is an expression of elements; one that is whole is no float.
func (g *generator) data(depth int, whole bool) string {
	if depth == 0 || g.IntN(4) == 0 {
		var list []string
		for _, name := range append(append([]string{}, g.arrays...), g.scalars...) {
			if !whole || g.whole(name) {
				list = append(list, g.element(name))
			}
		}
		list = append(list, g.pick("1", "-7", "300", "70000", "4000000001", "3u", "2l", "0x80000001"),
			g.pick(g.ints...))
		if !whole {
			list = append(list, g.pick("0.5", "1.5f", "1e-2", "3.0", ".25f"))
		}
		return g.pick(list...)
	}
	x, y := g.data(depth-1, whole), g.data(depth-1, whole)
	switch g.IntN(12) {
	case 10:
		return fmt.Sprintf("(%s ? %s : %s)", g.test(1), x, y)
	case 11:
		if whole {
			return fmt.Sprintf(g.pick("(%s) & (%s)", "(%s) | (%s)", "(%s) ^ (%s)", "~(%s) + (%s)",
				"((%s) >> 3) - (%s)", "((%s) << 2) - (%s)", "((%s) / 3) + (%s)", "((%s) %% 7) + (%s)",
				"((%s) < 2) + (%s)"), x, y)
		}
	case 0:
		return fmt.Sprintf("-(%s)", x)
	case 1:
		t := g.pick(elements...)
		if whole == (t == "float" || t == "double") {
			t = map[bool]string{true: "short", false: "float"}[whole]
		}
		return fmt.Sprintf("(%s)(%s)", t, x)
	case 2:
		return fmt.Sprintf("(%s ? %s : %s)", g.condition(), x, y)
	case 3:
		return fmt.Sprintf("%s(%s, %s)", g.pick("MIN", "MAX"), x, y)
	case 4:
		if !whole {
			return fmt.Sprintf(g.pick("mean(%s, %s)", "fmaxf(%s, 1) + %s", "(%s) / (double)(%s)"), x, y)
		}
	}
	return fmt.Sprintf("(%s) %s (%s)", x, g.pick("+", "-", "*"), y)
}

func TestRandom(t *testing.T) {
	wanted, refused := tier.Pick(60, 500), map[string]int{}
	var list []*program
	for seed := uint64(0); len(list) < wanted && seed < 20*uint64(wanted); seed++ {
		text := random(seed)
		p, err := read(fmt.Sprintf("random%d.c", seed), text)
		if err != nil {
			why := err.Error()
			refused[why[strings.Index(why, ": ")+2:]]++
			continue
		}
		loose := strings.Contains(text, "size_t") || strings.Contains(text, "unsigned n")
		list = append(list, &program{fmt.Sprintf("random%d.c", seed), text, p, 3, loose})
	}
	t.Logf("%d programs, refused %v", len(list), refused)
	if len(list) < wanted {
		t.Errorf("%d programs", len(list))
	}
	for i := 0; i < len(list); i += 4 {
		if !list[i].loose {
			conditions(t, list[i])
		}
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
