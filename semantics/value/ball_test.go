package value

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestBalls computes random expressions in numbers and in balls: where both have a value the ball holds all that the
// enclosure does, and mostly has few numbers beside it.
func TestBalls(t *testing.T) {
	real := realArithmetic{}
	both := []struct {
		name string
		of   func(x, y Value) Value
	}{
		{"add", real.Add}, {"sub", real.Sub}, {"mul", real.Mul}, {"div", real.Div}, {"max", real.Max}, {"min", real.Min},
		{"leaky", func(x, _ Value) Value { return real.LeakyRelu(x, ratio(big.NewRat(1, 3))) }},
		{"neg", func(x, _ Value) Value { return real.Neg(x) }}, {"relu", func(x, _ Value) Value { return real.Relu(x) }},
		{"sqrt", func(x, _ Value) Value { return real.Sqrt(x) }}, {"exp", func(x, _ Value) Value { return real.Exp(x) }},
		{"log", func(x, _ Value) Value { return real.Log(x) }}, {"erf", func(x, _ Value) Value { return real.Erf(x) }},
		{"sigmoid", func(x, _ Value) Value { return real.Sigmoid(x) }}, {"tanh", func(x, _ Value) Value { return real.Tanh(x) }},
		{"sum", func(x, y Value) Value {
			var s Sum
			s.Start(x)
			s.AddProduct(x, y)
			s.AddProduct(y, y)
			return s.Value()
		}},
	}
	rng := rand.New(rand.NewPCG(1, 2))
	met, near := map[string]int{}, 0
	all := 0
	for range 4000 {
		type pair struct{ number, ball Value }
		var have []pair
		for range 3 {
			v := ratio(big.NewRat(rng.Int64N(41)-20, rng.Int64N(9)+1))
			if rng.IntN(9) == 0 {
				v = MulReal(v, ratio(new(big.Rat).SetFrac(big.NewInt(rng.Int64()), big.NewInt(rng.Int64()+1))))
			}
			have = append(have, pair{v, Ball(v)})
		}
		for range 8 {
			op, x, y := both[rng.IntN(len(both))], have[rng.IntN(len(have))], have[rng.IntN(len(have))]
			got := pair{op.of(x.number, y.number), op.of(x.ball, y.ball)}
			if got.number.Failed() || got.ball.Failed() {
				continue
			}
			all++
			met[op.name]++
			inner, outer := enclosureOf(got.number), enclosureOf(got.ball)
			if outer.lo.Cmp(inner.lo) > 0 || outer.hi.Cmp(inner.hi) < 0 {
				t.Fatalf("%s of %s and %s is %s; of the balls %s and %s it is %s", op.name, x.number, y.number, got.number, x.ball, y.ball, got.ball)
			}
			if Compare(got.number, got.ball) == Different || Compare(got.ball, got.ball) == Different {
				t.Fatalf("%s is said to differ from %s", got.ball, got.number)
			}
			more := real.Add(got.ball, real.Mul(Ball(ratio(big.NewRat(1, 1<<20))), real.Add(Value{n: 1}, real.Mul(got.ball, got.ball))))
			if !more.Failed() && Compare(got.ball, more) == Different {
				near++
			}
			have = append(have, got)
		}
	}
	for _, op := range both {
		if met[op.name] < 100 {
			t.Errorf("%s had a value %d times", op.name, met[op.name])
		}
	}
	if near < all*9/10 {
		t.Errorf("of %d balls %d are told from numbers next to them", all, near)
	}
}

// TestBallsAreNoOrder holds that two balls of the same bits are not taken for one number.
func TestBallsAreNoOrder(t *testing.T) {
	x := Ball(ratio(big.NewRat(1, 3)))
	if least, greatest := order(x, x); least != -1 || greatest != 1 {
		t.Errorf("a ball is between %d and %d of itself", least, greatest)
	}
	if Compare(x, x) != Undecided {
		t.Errorf("a ball is %s with itself", Compare(x, x))
	}
	if Ball(Value{}) != (Value{}) {
		t.Error("0 became a ball")
	}
}

// TestGreatBalls: what is too great or too small for a ball has a value all the same, and what becomes of it may be a ball.
func TestGreatBalls(t *testing.T) {
	real := realArithmetic{}
	for _, n := range []int64{-3000, -100, 100, 3000, 1 << 18} {
		x, next := Ball(Value{n: n}), Ball(Value{n: n + 1})
		great := real.Exp(x)
		if great.Failed() || great.tag == formBall {
			t.Errorf("exp of %d: %s", n, great)
		}
		got, e := real.Div(real.Exp(next), great), real.Exp(Value{n: 1})
		if got.tag != formBall || Compare(got, e) == Different || Compare(got, real.Add(e, ratio(big.NewRat(1, 1<<20)))) != Different {
			t.Errorf("exp of %d over exp of %d: %s", n+1, n, got)
		}
	}
	for _, v := range []Value{real.Div(Value{n: 1}, Ball(Value{n: 1}).minus(1)), real.Sqrt(Ball(Value{n: -2})), real.Log(Ball(Value{n: -2}))} {
		if !v.Failed() {
			t.Errorf("%s is no value", v)
		}
	}
}

func (v Value) minus(n int64) Value { return realArithmetic{}.Sub(v, Value{n: n}) }
