package lower_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// draw returns a random program of C whose cells can be traced more often than not: nests over int and float arrays with
// subscripts that are affine in counters, in bounds or just not.
func draw(seed uint64) string {
	d := &drawn{rng: rand.New(rand.NewPCG(seed, 5))}
	d.text.WriteString("void f(int N, int M, int A[N][M], int B[M], float F[N], short S[N + 2]) {\n")
	for range 1 + d.rng.IntN(2) {
		d.nest(1, nil)
	}
	d.text.WriteString("}\n")
	return d.text.String()
}

type drawn struct {
	rng   *rand.Rand
	text  strings.Builder
	fresh int
}

// An index is a counter below a size.
type drawnIndex struct{ name, size string }

func (d *drawn) of(list ...string) string { return list[d.rng.IntN(len(list))] }

func (d *drawn) line(depth int, format string, args ...any) {
	d.text.WriteString(strings.Repeat("  ", depth) + fmt.Sprintf(format, args...) + "\n")
}

// nest writes a loop, or statements.
func (d *drawn) nest(depth int, around []drawnIndex) {
	if depth > 3 || len(around) > 0 && d.rng.IntN(3) == 0 {
		for range 1 + d.rng.IntN(2) {
			d.statement(depth, around)
		}
		return
	}
	d.fresh++
	i := drawnIndex{fmt.Sprintf("i%d", d.fresh), d.of("N", "M")}
	head := d.of("for (int %[1]s = 0; %[1]s < %[2]s; %[1]s++) {", "for (int %[1]s = 0; %[1]s < %[2]s; %[1]s++) {",
		"for (int %[1]s = %[2]s - 1; %[1]s >= 0; %[1]s--) {", "for (int %[1]s = 1; %[1]s < %[2]s; %[1]s++) {",
		"for (int %[1]s = 0; %[1]s < %[2]s; %[1]s += 2) {", "for (int %[1]s = 1; %[1]s + 1 < %[2]s; %[1]s += 3) {")
	if len(around) > 0 && d.rng.IntN(4) == 0 {
		i.size = around[len(around)-1].size
		head = d.of("for (int %[1]s = 0; %[1]s <= "+around[len(around)-1].name+"; %[1]s++) {",
			"for (int %[1]s = "+around[len(around)-1].name+"; %[1]s < %[2]s; %[1]s++) {")
	}
	d.line(depth, head, i.name, i.size)
	inner := append(around[:len(around):len(around)], i)
	if d.rng.IntN(6) == 0 {
		d.statement(depth+1, inner)
	}
	d.nest(depth+1, inner)
	if d.rng.IntN(6) == 0 {
		d.statement(depth+1, inner)
	}
	d.line(depth, "}")
}

// subscript is an index below a size, most of the time.
func (d *drawn) subscript(size string, around []drawnIndex) string {
	var fits []string
	for _, i := range around {
		if i.size == size {
			fits = append(fits, i.name, i.name, i.name, i.name, size+" - 1 - "+i.name)
		}
	}
	if len(fits) == 0 || d.rng.IntN(12) == 0 {
		return d.of("0", size+" - 1")
	}
	return d.of(fits...)
}

func (d *drawn) access(around []drawnIndex) string {
	switch d.rng.IntN(5) {
	case 0, 1:
		return "A[" + d.subscript("N", around) + "][" + d.subscript("M", around) + "]"
	case 2:
		return "B[" + d.subscript("M", around) + "]"
	case 3:
		return "F[" + d.subscript("N", around) + "]"
	}
	return "S[" + d.subscript("N", around) + d.of("", " + 1", " + 2") + "]"
}

func (d *drawn) value(around []drawnIndex, depth int) string {
	switch d.rng.IntN(6 - depth) {
	case 0:
		return d.of("3", "7", "-1", around[d.rng.IntN(len(around))].name)
	case 1, 2:
		return d.access(around)
	}
	return "(" + d.value(around, depth+1) + d.of(" + ", " - ", " * ") + d.value(around, depth+1) + ")"
}

func (d *drawn) statement(depth int, around []drawnIndex) {
	if d.rng.IntN(6) == 0 {
		i := around[d.rng.IntN(len(around))]
		d.line(depth, d.of("if (%s >= 1)", "if (%s < 2)", "if (%s != 1)"), i.name)
		depth++
	}
	to := d.access(around)
	float := strings.HasPrefix(to, "F")
	value := d.value(around, 0)
	if !float {
		value = strings.ReplaceAll(value, "F[", "B[0] + S[") // no float becomes an integer
	}
	d.line(depth, "%s %s %s;", to, d.of("=", "+=", "+=", "-=", "*="), value)
}
