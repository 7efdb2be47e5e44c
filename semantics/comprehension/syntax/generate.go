package syntax

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
)

// generateTries bounds the programs that are drawn until one has a meaning somewhere.
const generateTries = 64

// Generate returns a random program that has a meaning at sizes of at most 4. It depends on the seed alone.
func Generate(seed uint64) []byte {
	for try := range uint64(generateTries) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, try))}
		text := g.program()
		p, err := Parse(source.NewFile("generated", text))
		if err == nil && meaningful(p) {
			return []byte(text)
		}
	}
	return []byte("function f(A float32[N])\nA(i) = A(i)\n")
}

// meaningful tells whether the conditions of a program hold at a point of small sizes.
func meaningful(p *Program) bool {
	conditions := p.Under(&domain.Env{}, nil).Conditions()
	holds := func(c semantics.Condition, pt domain.Point) bool {
		ok, err := c.Pred.Eval(pt)
		return err == nil && ok
	}
	for n := range int64(16) {
		pt, all := domain.Point{generatedSizes[0]: 1 + n/4, generatedSizes[1]: 1 + n%4}, true
		for _, c := range conditions {
			all = all && holds(c, pt)
		}
		if all {
			return true
		}
	}
	return false
}

var (
	generatedSizes = [2]string{"N", "M"}
	generatedDims  = []string{"N", "N", "N", "M", "M", "3", "1", "N + 1", "2*N", "M - 1", "N*M"}
	generatedElems = []string{"float32", "float32", "float64", "int8", "int8", "uint8", "int32", "sat8", "sat16", "fix4.4"}
)

// A generator draws a program. Indices are kept in bounds by what they range over, but for a few.
type generator struct {
	*rand.Rand
	params  []generatedParam
	indices []*generatedIndex // of the statement
	target  int
	sums    bool // the statement may sum
}

type generatedParam struct {
	name, elem string
	dims       []string
}

// A generatedIndex ranges from first to limit - short - 1.
type generatedIndex struct {
	name, limit  string
	first, short int
	written      bool // with a range of its own
}

// pick draws one of a list.
func pick[T any](g *generator, list []T) T { return list[g.IntN(len(list))] }

// one is true once in n times.
func (g *generator) one(n int) bool { return g.IntN(n) == 0 }

func (g *generator) program() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s f(", pick(g, []string{"function", "procedure"}))
	elem := pick(g, generatedElems)
	for i := range 1 + g.IntN(4) {
		q := generatedParam{name: string(rune('A' + i)), elem: elem}
		if g.one(8) {
			q.elem = pick(g, generatedElems)
		}
		for range []int{0, 1, 1, 1, 2, 2, 3}[g.IntN(7)] {
			q.dims = append(q.dims, pick(g, generatedDims))
		}
		if i > 0 {
			out.WriteString(", ")
		}
		fmt.Fprintf(&out, "%s %s[%s]", q.name, q.elem, strings.Join(q.dims, ", "))
		g.params = append(g.params, q)
	}
	out.WriteString(")\n")
	for range 1 + min(g.IntN(4), g.IntN(4)) {
		out.WriteString(g.statement() + "\n")
	}
	return out.String()
}

func (g *generator) statement() string {
	if g.target = len(g.params) - 1; g.one(3) {
		g.target = g.IntN(len(g.params))
	}
	q := g.params[g.target]
	g.indices = nil
	var names []string
	for axis, d := range q.dims {
		x := g.index(string(rune('i'+axis)), d, g.one(4))
		names = append(names, x.name)
	}
	op := pick(g, []string{"=", "=", "+=", "+=", "+=!"})
	g.sums = op != "="
	text := fmt.Sprintf("%s(%s) %s %s", q.name, strings.Join(names, ", "), op, g.value(2, 0))
	between := " where "
	for _, x := range g.indices {
		if x.written {
			text += fmt.Sprintf("%s%s in %d:%s", between, x.name, x.first, less(x.limit, x.short))
			between = ", "
		}
	}
	return text
}

// index adds an index that ranges over a dim, or over a part of it.
func (g *generator) index(name, limit string, part bool) *generatedIndex {
	x := &generatedIndex{name: name, limit: limit, written: part}
	if part {
		x.first, x.short = g.IntN(2), g.IntN(3)
	}
	g.indices = append(g.indices, x)
	return x
}

func less(text string, n int) string {
	if n == 0 {
		return text
	}
	return fmt.Sprintf("%s - %d", text, n)
}

// value draws an expression that nests no deeper than depth; within is how closely what is around it binds.
func (g *generator) value(depth, within int) string {
	if depth == 0 || g.one(3) {
		if g.one(5) {
			return g.number()
		}
		return g.read()
	}
	kind := g.IntN(8)
	switch {
	case kind < 3:
		return parenthesized(g.value(depth-1, 0)+" + "+g.value(depth-1, 0), within > 0)
	case kind < 5:
		return parenthesized(g.value(depth-1, 0)+" - "+g.value(depth-1, 1), within > 0)
	case kind < 7:
		return parenthesized(g.value(depth-1, 1)+" * "+g.value(depth-1, 2), within > 1)
	}
	return "-" + g.value(depth-1, 2)
}

func parenthesized(text string, needed bool) string {
	if needed {
		return "(" + text + ")"
	}
	return text
}

func (g *generator) number() string {
	if strings.HasPrefix(g.params[g.target].elem, "float") && g.one(3) {
		return pick(g, []string{"0.5", "1.25", "2e1"})
	}
	return fmt.Sprint(g.IntN(4))
}

// read reads a tensor of the target's element type.
func (g *generator) read() string {
	var of []generatedParam
	for _, q := range g.params {
		if q.elem == g.params[g.target].elem {
			of = append(of, q)
		}
	}
	q := pick(g, of)
	var at []string
	for _, d := range q.dims {
		at = append(at, g.subscript(d))
	}
	return q.name + "(" + strings.Join(at, ", ") + ")"
}

// subscript draws one for an axis of a dim.
func (g *generator) subscript(dim string) string {
	var fit []*generatedIndex
	for _, x := range g.indices {
		if x.limit == dim || g.one(12) { // some do not fit
			fit = append(fit, x)
		}
	}
	summed := len(g.indices) - len(g.params[g.target].dims)
	switch {
	case g.sums && summed < 2 && g.one(3):
		x := g.index([]string{"p", "q"}[summed], dim, g.one(2))
		if !x.written { // its range is that of the axis where it stands alone
			return x.name
		}
		return g.moved(x)
	case len(fit) > 0 && !g.one(6):
		return g.moved(pick(g, fit))
	case g.one(2):
		return less(dim, 1)
	}
	return "0"
}

// moved is a place that an index names: the index, at most as far away as its range leaves room, or that from the other end.
func (g *generator) moved(x *generatedIndex) string {
	switch by := g.IntN(x.first+x.short+1) - x.first; {
	case g.one(16):
		return "2*" + x.name
	case g.one(5):
		return fmt.Sprintf("%s - %d - %s", x.limit, 1+max(by, 0), x.name)
	case by < 0:
		return fmt.Sprintf("%s - %d", x.name, -by)
	case by > 0:
		return fmt.Sprintf("%s + %d", x.name, by)
	}
	return x.name
}
