package bounds

import (
	"math/big"
	"testing"

	"tv/ila/number"
	"tv/internal/tier"
)

func rat(t *testing.T, s string) *big.Rat {
	t.Helper()
	v, ok := new(big.Rat).SetString(s)
	if !ok {
		t.Fatal(s)
	}
	return v
}

// Rounding to a code, as a step, bounds what the hardware's table does to every number of Q6.14 up to a size, for every
// bias; and is never twice as much. (Where only numbers that become 0 are met, their size is the bound.)
func TestCodes(t *testing.T) {
	for _, bias := range tier.Pick([]int{2}, []int{0, 1, 2, 3, 4, 5, 6, 7}) {
		table := number.AdaptivFloat83.Table(number.Hardware, number.Q614, bias)
		worst := new(big.Rat)
		next := int64(1)
		for n := range int64(1 << 19) {
			for _, v := range []int64{n, -n} {
				x := number.Q614.Value(uint64(v) & (1<<20 - 1))
				d := new(big.Rat).Sub(x, number.AdaptivFloat83.Value(table[uint64(v)&(1<<20-1)], bias))
				worst = greater(worst, d.Abs(d))
			}
			if n != next {
				continue
			}
			next += next/3 + 1
			most := number.Q614.Value(uint64(n))
			c := &chain{quantity: quantity{span{new(big.Rat).Neg(most), most}, span{new(big.Rat).Neg(most), most}, new(big.Rat)}}
			c.code(bias)
			if c.err.Cmp(worst) < 0 {
				t.Fatalf("bias %d, up to %s: off by %s, bound %s", bias, most.FloatString(6), worst.FloatString(6), c.err.FloatString(6))
			}
			if twice := new(big.Rat).Mul(worst, whole(2)); c.err.Cmp(twice) > 0 && n > 64<<bias {
				t.Errorf("bias %d, up to %s: off by %s, bound %s", bias, most.FloatString(6), worst.FloatString(6), c.err.FloatString(6))
			}
		}
	}
}

// Quantising operands, as a step, bounds what the software's quantiser does to numbers of a grid.
func TestOperands(t *testing.T) {
	for _, r := range [][2]string{{"-1", "1"}, {"0", "0.01"}, {"-0.003", "0.0041"}, {"0.5", "3"}, {"0.00390625", "0.25"}} {
		q := Question{Lo: rat(t, r[0]), Hi: rat(t, r[1]), AsGiven: true}
		for bias := range 8 {
			x := q.adaptive(1, bias)
			step := new(big.Rat).Quo(new(big.Rat).Sub(q.Hi, q.Lo), whole(4001))
			for n := range 4002 {
				v := new(big.Rat).Add(q.Lo, new(big.Rat).Mul(step, whole(n)))
				code, ok := number.AdaptivFloat83.Code(number.Reference, v, bias)
				if !ok {
					continue
				}
				is := number.AdaptivFloat83.Value(code, bias)
				if d := new(big.Rat).Sub(v, is); d.Abs(d).Cmp(x.err) > 0 || is.Cmp(x.machine.lo) < 0 || is.Cmp(x.machine.hi) > 0 {
					t.Fatalf("%v, bias %d: %s becomes %s; bound %s, range %s..%s", r, bias, v.FloatString(9), is.FloatString(9), x.err.FloatString(9),
						x.machine.lo.FloatString(9), x.machine.hi.FloatString(9))
				}
			}
		}
	}
}

// Steps on numbers: a clip that is reached and one that is not, halves of units, and an accumulator at its end.
func TestSteps(t *testing.T) {
	at := func(lo, hi string) *chain {
		s := span{rat(t, lo), rat(t, hi)}
		return &chain{quantity: quantity{s, s, new(big.Rat)}}
	}
	for _, test := range []struct {
		name, want string
		lo, hi     string
		step       func(c *chain)
	}{
		{"down", "7/8", "-1", "1", func(c *chain) { c.down("", whole(1), big.NewRat(1, 8)) }},
		{"down of a multiple", "0", "-1", "1", func(c *chain) { c.down("", whole(1), whole(2)) }},
		{"nearest", "1/2", "-1", "1", func(c *chain) { c.nearest("", whole(1)) }},
		{"clip", "3", "-5", "1", func(c *chain) { c.clip("", span{whole(-2), whole(2)}) }},
		{"no clip", "0", "-2", "2", func(c *chain) { c.clip("", span{whole(-2), whole(2)}) }},
		{"clip of what is off already", "4", "-5", "1", func(c *chain) {
			c.down("", whole(5), whole(1))
			c.clip("", span{whole(-2), whole(2)})
		}},
		{"half", "7/16", "-1", "1", func(c *chain) {
			c.down("", whole(1), big.NewRat(1, 8))
			c.scale("", big.NewRat(1, 2))
		}},
	} {
		c := at(test.lo, test.hi)
		if test.step(c); c.err.Cmp(rat(t, test.want)) != 0 {
			t.Errorf("%s: %s, want %s", test.name, c.err, test.want)
		}
		sum := new(big.Rat)
		for _, s := range c.steps {
			sum.Add(sum, s.Adds)
		}
		if sum.Cmp(c.err) != 0 {
			t.Errorf("%s: the steps add up to %s", test.name, sum)
		}
	}
	for hi, want := range map[string]string{"7": "", "8": "acc", "7.5": ""} {
		c := at("-8", hi)
		if c.accumulate("acc", whole(8)); c.wraps != want {
			t.Errorf("up to %s: %q", hi, c.wraps)
		}
	}
	if c := at("-9", "0"); true {
		if c.accumulate("acc", whole(8)); c.wraps == "" {
			t.Error("down to -9: nothing")
		}
	}
}

// The least number of products at which the accumulator of FlexASR may wrap: 3968² · k >= 2^31.
func TestAccumulator(t *testing.T) {
	q := Question{Lo: whole(-1), Hi: whole(1)}
	for k, wraps := range map[int]bool{136: false, 137: true} {
		if b := Linear(q, 1, k, [4]int{2, 2, 2, 2}); (b.Wraps != "") != wraps {
			t.Errorf("%d products: %q", k, b.Wraps)
		}
	}
}

// Decimals are rounded up.
func TestDecimal(t *testing.T) {
	for in, want := range map[string]string{"0": "0", "1": "1.000", "0.00001": "0.00001000", "60.0701": "60.08", "999.91": "1000.0", "12345.1": "12350",
		"1/3": "0.3334", "0.0000000123412": "1.235e-08"} {
		if got := Decimal(rat(t, in)); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
		if got := rat(t, Decimal(rat(t, in))); got.Cmp(rat(t, in)) < 0 {
			t.Errorf("%s is rounded down", in)
		}
	}
	for _, in := range []string{"0", "2", "1/4", "1000001/3", "1/1000000007"} {
		v, r := rat(t, in), rootUp(rat(t, in))
		if square := new(big.Rat).Mul(r, r); square.Cmp(v) < 0 || new(big.Rat).Sub(square, v).Cmp(new(big.Rat).Mul(v, power(-60))) > 0 {
			t.Errorf("the root of %s is %s", in, r.FloatString(30))
		}
	}
}
