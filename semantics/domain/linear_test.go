package domain

import (
	"math/rand/v2"
	"testing"
)

// What is linear has the bound that writing each name as its least value plus a slack gives.
func TestLinearBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	known := &Facts{Mins: map[string]int64{"K": 0, "L": 7, "M": -3}}
	for range 2_000 {
		a := IntSize(rng.Int64N(9) - 4)
		for _, name := range []string{"K", "L", "M", "N"} {
			a = a.Add(NamedSize(name).Mul(IntSize(rng.Int64N(5) - 1)))
		}
		a = a.Add(NamedSize("N").Mod(IntSize(3)).Mul(IntSize(rng.Int64N(3) - 1)))
		if a.e == nil {
			continue
		}
		least, ok, linear := a.linearBound(known)
		if !linear {
			t.Fatalf("%s is linear", a)
		}
		want, found := a.shifting(known)
		if ok != found || ok && want.Int64() != least {
			t.Errorf("%s is at least %d (%v), by slacks %v (%v)", a, least, ok, want, found)
		}
	}
	for _, a := range []Size{NamedSize("N").Mul(NamedSize("N")), NamedSize("N").Div(IntSize(2)),
		NamedSize("N").Mul(IntSize(1 << 40))} {
		if _, _, linear := a.linearBound(known); linear {
			t.Errorf("%s is not linear in small numbers", a)
		}
	}
}
