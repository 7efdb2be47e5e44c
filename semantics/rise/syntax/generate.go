package syntax

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
)

// generateTries bounds the programs that are drawn until one has a meaning somewhere.
const generateTries = 64

// Generate returns a random program of arrays of 32-bit integers that has a meaning at sizes of at most 4.
func Generate(seed uint64) []byte {
	for try := range uint64(generateTries) {
		g := &generator{rand.New(rand.NewPCG(seed, try)), 0}
		text := g.program()
		if p, err := Parse(source.NewFile("generated", text)); err == nil && meaningful(p) {
			return []byte(text)
		}
	}
	return []byte("fun((X: N.i32), X)\n")
}

// meaningful tells whether the conditions of a program hold at a point of small sizes.
func meaningful(p *Program) bool {
	conditions := p.Under(&domain.Env{}, nil).Conditions()
	for n := range int64(64) {
		pt := domain.Point{"N": 1 + n%4, "M": 1 + n/4%4, "K": 1 + n/16}
		if !slices.ContainsFunc(conditions, func(c semantics.Condition) bool {
			ok, err := c.Pred.Eval(pt)
			return !ok || err != nil
		}) {
			return true
		}
	}
	return false
}

type generator struct {
	*rand.Rand
	names int
}

// fresh is a name for a variable.
func (g *generator) fresh() string {
	g.names++
	return fmt.Sprintf("x%d", g.names)
}

func (g *generator) pick(list ...string) string { return list[g.IntN(len(list))] }

func (g *generator) program() string {
	g.names = 0
	rank := 1 + g.IntN(2)
	body := g.pipe(g.start(rank), &rank, 1+g.IntN(5))
	switch g.IntN(6) {
	case 0:
		other := 1 + g.IntN(2)
		body = "(" + body + ", " + g.pipe(g.start(other), &other, 2) + ")"
	case 1:
		if rank > 0 {
			body = "zip(" + body + ", " + body + ")"
		}
	}
	return "fun((X: N.i32, A: N.M.i32, B: M.i32),\n  " + body + ")\n"
}

// start is an array of a rank.
func (g *generator) start(rank int) string {
	if rank == 2 {
		return "A"
	}
	if g.IntN(4) == 0 {
		i := g.fresh()
		return "generate(" + g.size() + ", fun(" + i + ", " + g.pick("cast(i32)("+i+" * 3 - 1)",
			"select("+i+" < 2, 5, cast(i32)("+i+"))", "idx("+i+" % M, B)", "idx(min("+i+", N - 1), X)") + "))"
	}
	return g.pick("X", "X", "B")
}

func (g *generator) size() string { return g.pick("1", "2", "3", "K", "N", "M", "(N + 1)") }

// pipe applies functions to an array of a rank, which changes.
func (g *generator) pipe(x string, rank *int, steps int) string {
	list := []string{x}
	for range steps {
		if *rank > 0 {
			list = append(list, g.step(rank))
		}
	}
	if *rank == 0 || g.IntN(5) > 0 || len(list) < 3 {
		return strings.Join(list, " |> ")
	}
	return list[0] + " |> (" + strings.Join(list[1:], " >> ") + ")"
}

// step is a function of an array of a rank, which changes.
func (g *generator) step(rank *int) string {
	if *rank > 1 && g.IntN(2) == 0 {
		return g.ofRows(rank)
	}
	switch g.IntN(12) {
	case 0:
		return fmt.Sprintf("pad(%d, %s)", g.IntN(3), g.size())
	case 1:
		return g.pick("take(", "drop(") + g.size() + ")"
	case 2:
		*rank++
		return "split(" + g.size() + ")"
	case 3:
		*rank++
		return fmt.Sprintf("slide(%s, %d)", g.size(), 1+g.IntN(2))
	case 4:
		x := g.fresh()
		return "fun(" + x + ", concat(" + x + ", " + x + " |> drop(" + g.size() + ")))"
	case 5:
		x := g.fresh()
		return "fun(" + x + ", " + x + " |> padEmpty(" + g.size() + ") |> take(1))"
	case 6:
		x, i := g.fresh(), g.fresh()
		return "fun(" + x + ", generate(" + g.size() + ", fun(" + i + ", idx(" + i + ", " + x + "))))"
	}
	if *rank > 1 {
		*rank--
		below := *rank
		f := g.step(&below)
		*rank = below + 1
		if strings.Contains(f, " |> ") {
			x := g.fresh()
			f = "fun(" + x + ", " + x + " |> " + f + ")"
		}
		return "map(" + f + ")"
	}
	return g.ofNumbers(rank)
}

// ofRows is a function of an array of arrays.
func (g *generator) ofRows(rank *int) string {
	switch g.IntN(4) {
	case 0:
		return "transpose"
	case 1, 2:
		*rank--
		return "join"
	}
	x := g.fresh()
	return "fun(" + x + ", concat(" + x + " |> drop(" + g.size() + "), " + x + "))"
}

// ofNumbers is a function of an array of numbers.
func (g *generator) ofNumbers(rank *int) string {
	switch g.IntN(8) {
	case 0:
		*rank = 0
		return g.pick("reduce(add, 0)", "reduce(max, -9)", "reduce(add)(7)", "reduceSeq(fun((a, x), x * x + a), 1)",
			"reduce(mult, 1)", "reduce(min, 99)")
	case 1:
		return g.pick("scanSeq(add, 0)", "scanSeq(fun((x, a), a - x), 1)")
	case 2:
		return fmt.Sprintf("padCst(%d, %s, %s)", g.IntN(3), g.size(), g.pick("0", "-7", "(N + 1)"))
	case 3:
		x := g.fresh()
		return "fun(" + x + ", zip(" + x + ", " + x + " |> map(neg)) |> map(" + g.pick("add", "mult", "fst", "snd", "max") + "))"
	case 4:
		x, s := g.fresh(), g.fresh()
		return "fun(" + x + ", let(" + x + " |> reduce(add, 0), fun(" + s + ", " + x + " |> map(sub(" + s + ")))))"
	}
	return "map(" + g.pick("neg", "add(1)", "mult(3)", "fun(x, x * x - 2)", "fun(x, select(x < 3, x + 1, 0))", "min(4)",
		"fun(x, x / 3)", "fun(x, x % 5)", "add(3) >> mult(2)", "mult(N)") + ")"
}
