package lower

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"tv/internal/tier"
	"tv/semantics/domain"
	"tv/semantics/value"
)

// grown returns a random well-typed program of a few operators over small inputs.
func grown(r *rand.Rand) string {
	decls := "(input A (shape 2 3))\n(input B (shape 2 3))\n(input C (shape 3 2 2))\n(input V (shape 4))\n"
	if r.IntN(3) == 0 {
		decls = "(input A (shape M N))\n(input B (shape M N))\n(input C (shape N M 2))\n(input V (shape K))\n"
	}
	pool := []string{"(access A 1)", "(access B 1)", "(access C 1)", "(access V 0)", "(access A 0)", "(access C 2)"}
	pick := func() string { return pool[len(pool)-1-min(r.IntN(len(pool)), r.IntN(len(pool)))] }
	some := func(words string) string { // one of words, which commas separate
		list := strings.Split(words, ",")
		return list[r.IntN(len(list))]
	}
	for size := 0; size < 5; {
		var e string
		switch x, y := pick(), pick(); r.IntN(24) {
		case 0:
			e = fmt.Sprintf("(access %s %s)", x, some("0,1,2,3"))
		case 1:
			e = fmt.Sprintf("(access-transpose %s (list %s))", x, some("1 0,0 2 1,2 0 1,1 2 0,0 1"))
		case 2, 3:
			e = fmt.Sprintf("(access-cartesian-product %s %s)", x, y)
		case 4, 5:
			e = fmt.Sprintf("(access-pair %s %s)", x, y)
		case 6:
			e = fmt.Sprintf("(access-windows %s (shape %s) (shape %s))", x, some("2,2 2,1 2"), some("1,1 2,2 1"))
		case 7:
			e = fmt.Sprintf("(access-slice %s %s %s %s)", x, some("0,1,2"), some("0,1"), some("1,2,3"))
		case 8, 9:
			e = fmt.Sprintf("(access-concatenate %s %s %s)", x, y, some("0,1,2"))
		case 10:
			kind := some("zero-padding,min-padding")
			e = fmt.Sprintf("(access-pad %s %s %s %s)", x, kind, some("0,1,2"), some("0 0,1 1,2 1,0 2"))
		case 11:
			e = fmt.Sprintf("(access-insert-axis %s %s)", x, some("0,1,2"))
		case 12:
			e = fmt.Sprintf("(access-squeeze %s %s)", x, some("0,1,2"))
		case 13, 14:
			e = fmt.Sprintf("(access-flatten %s)", x)
		case 15:
			e = fmt.Sprintf("(access-reshape %s (access-shape (shape %s) (shape %s)))", x,
				some("6,2,2 2,N M,12,"), some(",3,2 3,N,6"))
		case 16:
			e = fmt.Sprintf("(relay-operator-call relay-%s %s %s)", some("add,multiply,maximum,minimum"), x, y)
		case 17:
			e = fmt.Sprintf("(relay-operator-call relay-stack %s %s %s)", x, y, some("-1,0,1"))
		case 18:
			items := fmt.Sprintf("(construct-tuple %s %s %s)", x, y, x)
			e = fmt.Sprintf("(relay-operator-call relay-concatenate %s %s)", some("0,1"), items)
		case 19:
			e = fmt.Sprintf("(access-broadcast %s (access-shape (shape %s) (shape)))", x, some("2 3,3 2 2,M N,4 2 3"))
		default:
			e = fmt.Sprintf("(compute %s %s)", some("dot-product,reduce-sum,reduce-max,reduce-mean,"+
				"elementwise-add,elementwise-mul,relu,negative"), x)
		}
		if checks(decls + e) {
			pool = append(pool, e)
			size++
		}
	}
	return decls + pool[len(pool)-1]
}

// TestRandomProgramsAgree compares random programs, at points where their sizes are named.
func TestRandomProgramsAgree(t *testing.T) {
	for seed := range tier.Pick(50, 300) {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		text := grown(r)
		for range 2 {
			point := domain.Point{"M": 1 + r.Int64N(3), "N": 1 + r.Int64N(3), "K": 1 + r.Int64N(4)}
			mode := modes[r.IntN(len(modes))]
			compare(t, text, value.Real, point, mode, uint64(seed))
			if text := withType(text, elemNames[r.IntN(len(elemNames))]); checks(text) {
				compare(t, text, value.Exact, point, mode, uint64(seed))
			}
		}
	}
}
