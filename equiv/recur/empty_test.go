package recur

import (
	"math/rand/v2"
	"testing"
)

// TestEmpty: of small systems drawn at random over a box, empty says nothing wrong, and misses few.
func TestEmpty(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const n, most = 3, 5
	none, seen := 0, 0
	for range 4000 {
		var facts []fact
		for v := range n {
			facts = append(facts, natural(variable(v).add(most)), natural(variable(v).times(-1).add(most)))
		}
		for range 2 + r.IntN(5) {
			x := number(int64(r.IntN(15) - 9))
			for v := range n {
				x = x.plus(int64(r.IntN(9)-4), variable(v))
			}
			facts = append(facts, fact{lin: x, zero: r.IntN(4) == 0})
		}
		some := false
		for i := range (2*most + 1) * (2*most + 1) * (2*most + 1) {
			at := []int64{int64(i%11) - most, int64(i/11%11) - most, int64(i/121) - most}
			all := true
			for _, f := range facts {
				all = all && f.holds(func(v int) int64 { return at[v] })
			}
			some = some || all
		}
		got := empty(facts)
		if got && some {
			t.Fatalf("%v is not empty", facts)
		}
		if !some {
			none++
			if got {
				seen++
			}
		}
	}
	t.Logf("%d of %d empty systems are seen", seen, none)
	if seen < none*99/100 {
		t.Errorf("%d of %d empty systems are seen", seen, none)
	}
}

func BenchmarkEmpty(b *testing.B) {
	x, y, z, n := variable(0), variable(1), variable(2), variable(3)
	facts := []fact{natural(n.add(-2)), natural(x), natural(n.minus(x).add(-1)), natural(y.minus(x)), natural(z.minus(y).add(-1)),
		natural(n.minus(z)), equation(z.minus(x).add(-1)), natural(y.minus(x).add(-1))}
	for range b.N {
		if !empty(facts) {
			b.Fatal("not seen")
		}
	}
}
