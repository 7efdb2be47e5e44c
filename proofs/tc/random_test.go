package tc

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tv/internal/source"
	"tv/internal/tier"
)

// A generator writes a random definition.
type generator struct {
	*rand.Rand
	types map[string]string
	ranks map[string]int
	names []string // of tensors that may be read
}

func (g *generator) pick(list ...string) string { return list[g.IntN(len(list))] }

// random returns a definition of a seed.
func random(seed uint64) string {
	g := &generator{rand.New(rand.NewPCG(seed, 11)), map[string]string{}, map[string]int{}, nil}
	kinds := [][]string{{"int8", "int16", "int32", "int64"}, {"float", "double", "int16"},
		{"uint8", "uint32", "int64"}, {"float"}, {"int32"}}[g.IntN(5)]
	var params []string
	for _, name := range []string{"A", "B", "D", "x"} {
		t, dims := g.pick(kinds...), g.pick("(N)", "(M)", "(N)", "(5)", "(N,M)", "(M,N)", "(M,3)")
		if name == "x" {
			dims = ""
		}
		g.types[name], g.ranks[name] = t, strings.Count(dims, ",")+len(dims[:min(1, len(dims))])
		g.names = append(g.names, name)
		params = append(params, t+dims+" "+name)
	}
	var b strings.Builder
	outs := []string{"P", "Q"}[:1+g.IntN(2)]
	fmt.Fprintf(&b, "def f(%s) -> (%s) {\n", strings.Join(params, ", "), strings.Join(outs, ", "))
	for _, name := range outs {
		for range 1 + g.IntN(2) {
			g.statement(&b, name)
		}
	}
	b.WriteString("}\n")
	return b.String()
}

func (g *generator) statement(b *strings.Builder, name string) {
	rank, again := g.ranks[name]
	if !again {
		rank = g.IntN(3)
	}
	g.ranks[name] = rank
	indices := []string{"i", "j"}[:rank]
	op := g.pick("=", "=", "+=", "+=!", "*=", "min=", "max=", "*=!", "+=!", "max=!")
	all := indices
	if op != "=" && g.IntN(3) > 0 {
		all = append(slices.Clip(indices), "k")
	}
	if len(all) == 0 {
		all = []string{"0"}
	}
	value := g.value(2, all)
	for g.IntN(3) == 0 {
		value += g.pick(" + ", " * ") + g.value(1, all)
	}
	left := name
	if rank > 0 {
		left += "(" + strings.Join(indices, ",") + ")"
	}
	fmt.Fprintf(b, "  %s %s %s", left, op, value)
	var clauses []string
	for _, v := range all {
		if v != "0" && strings.Contains(left+value, v) && g.IntN(4) == 0 {
			clauses = append(clauses, v+" in "+g.pick("0:3", "0:N", "1:3", "0:M+1", "N:2*N", "0-1:M"))
		}
	}
	if clauses != nil {
		fmt.Fprint(b, " where ", strings.Join(clauses, ", "))
	}
	b.WriteString("\n")
	if !slices.Contains(g.names, name) {
		g.names = append(g.names, name)
	}
}

func (g *generator) value(depth int, all []string) string {
	if depth > 0 && g.IntN(2) == 0 {
		x := g.value(depth-1, all)
		switch y := g.value(depth-1, all); g.IntN(7) {
		case 6:
			c := g.pick(all...) + g.pick(" < ", " >= ", " != ") + g.pick("N - 1", "1", "2*"+g.pick(all...))
			if g.IntN(3) == 0 {
				c += g.pick(" && ", " || ") + "!(" + g.pick(all...) + g.pick(" == ", " <= ", " > ") + "M - 2)"
			}
			return "(" + c + " ? " + x + " : " + y + ")"
		case 0:
			return "-(" + x + ")"
		case 1:
			return g.pick("min", "max", "fmax") + "(" + x + ", " + y + ")"
		case 2:
			return x + " * " + g.pick("2", "3", "7", "-2")
		default:
			return "(" + x + g.pick(" + ", " - ", " * ") + y + ")"
		}
	}
	if g.IntN(8) == 0 {
		return g.pick("N", "x", "1", all[0], "D.0")
	}
	name := g.pick(g.names...)
	var at []string
	for range g.ranks[name] {
		v, w := g.pick(all...), g.pick(all...)
		at = append(at, g.pick(v, v, v, v, v+" + "+w, "2*"+v, v+" + 2*"+w, "N - 1 - "+v, v+" - 1", v+" + 1",
			"3 - "+v, "3*"+v+" + "+w, v+" - "+w, v+" / 2"))
	}
	if at == nil {
		return name
	}
	return name + "(" + strings.Join(at, ", ") + ")"
}

// TestRandom holds random definitions that are read against the direct interpreter.
func TestRandom(t *testing.T) {
	read, refused, failing, all := 0, map[string]int{}, 0, 0
	count := tier.Pick(2000, 20000)
	for seed := range uint64(count) {
		text := random(seed)
		file := source.NewFile(fmt.Sprint("seed-", seed), text)
		p, err := Procedure(file)
		if err != nil {
			refused[source.AsErrors(err)[0].Code]++
			continue
		}
		read++
		e, n := against(t, file.Name, defined(file), p, 3)
		failing, all = failing+e, all+n
		if t.Failed() {
			t.Fatal(text)
		}
	}
	t.Logf("%d of %d read, %d of %d executions are errors, refused: %v", read, count, failing, all, refused)
	if read < count/10 || refused["bad-syntax"] > 0 || failing == 0 {
		t.Error("the generator does not do its work")
	}
}
