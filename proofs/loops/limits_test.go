package loops

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"tv/semantics/domain"
)

// TestRanges: what bounds say holds for all values, and of one name or product they are the ends.
func TestRanges(t *testing.T) {
	n, m, k := domain.NamedSize("N"), domain.NamedSize("M"), domain.NamedSize("K")
	r := &Ranges{Count: big.NewInt(20), Of: func(name string) (*big.Int, *big.Int) {
		if name == "K" {
			return big.NewInt(-3), big.NewInt(2)
		}
		return big.NewInt(1), big.NewInt(7)
	}}
	r.Counts([]domain.Size{n.Add(domain.IntSize(1)), m}) // N*M + M < 20
	r.Counts([]domain.Size{n.Sub(domain.IntSize(1)), m, m})
	r.Counts([]domain.Size{n.Mul(domain.IntSize(3)), m}) // 3*N*M < 20
	random := rand.New(rand.NewPCG(1, 2))
	var size func(depth int) domain.Size
	size = func(depth int) domain.Size {
		if depth == 0 {
			return []domain.Size{n, m, k, domain.IntSize(random.Int64N(9) - 4)}[random.IntN(4)]
		}
		x, y := size(depth-1), size(depth-1)
		switch random.IntN(7) {
		case 0:
			return x.Add(y)
		case 1:
			return x.Sub(y)
		case 2:
			return x.Mul(y)
		case 3:
			return x.Div(domain.IntSize(random.Int64N(4) + 1))
		case 4:
			return x.Div(n)
		case 5:
			return x.Mod(m)
		}
		return x.Max(y).Min(size(depth - 1))
	}
	ends := 0
	for range 3000 {
		x := size(1 + random.IntN(3))
		least, most := r.Bounds(x)
		var low, high *big.Int
		indices([]int64{7, 7, 6}, func(at []int64) {
			p := domain.Point{"N": at[0] + 1, "M": at[1] + 1, "K": at[2] - 3}
			v, err := x.Eval(p)
			if err != nil || p["N"]*p["M"]+p["M"] >= 20 || 3*p["N"]*p["M"] >= 20 {
				return
			}
			if least != nil && v.Cmp(least) < 0 || most != nil && v.Cmp(most) > 0 {
				t.Fatalf("%s is %s at %v, not from %s to %s", x.Formula(), v, p, least, most)
			}
			if low == nil || v.Cmp(low) < 0 {
				low = v
			}
			if high == nil || v.Cmp(high) > 0 {
				high = v
			}
		})
		if least != nil && most != nil && low.Cmp(least) == 0 && high.Cmp(most) == 0 {
			ends++
		}
	}
	if ends < 300 {
		t.Errorf("bounds are the ends %d times", ends)
	}
	for _, test := range []struct {
		x           domain.Size
		least, most int64
	}{{n, 1, 6}, {n.Mul(m), 1, 6}, {n.Mul(m).Mul(domain.IntSize(-2)), -12, -2}, {k.Mul(k), -6, 9}, {m.Mul(m), 1, 36}} {
		if least, most := r.Bounds(test.x); least.Int64() != test.least || most.Int64() != test.most {
			t.Errorf("%s: from %s to %s", test.x.Formula(), least, most)
		}
	}
}

// TestLimits: a condition that sizes within limits keep is not stated, one beyond is, and so is what
// a text relies on of its sizes where they stand for others.
func TestLimits(t *testing.T) {
	a := buffer("A", int32s, "N", "M")
	most := func(x *Int, n int64) Stmt {
		return &Require{Cond: &Cond{Op: CondLessEqual, X: x, Y: Number(n)}, Text: "it is small"}
	}
	for _, test := range []struct {
		limits domain.Limits
		x      *Int
		n      int64
		sizes  map[string]domain.Size
		want   string
	}{
		{domain.Limits{}, SizeOf("N"), 1<<31 - 1, nil, "(<= N 2147483647)"},
		{domain.Limits{Sizes: 28, Counts: 30}, SizeOf("N"), 1<<28 - 1, nil, ""},
		{domain.Limits{Sizes: 28, Counts: 30}, SizeOf("N"), 1<<28 - 2, nil, "(<= N 268435454)"},
		{domain.Limits{Sizes: 28, Counts: 30}, times("N", "M"), 1<<30 - 1, nil, ""},
		{domain.Limits{Sizes: 28, Counts: 30}, times("N", "M"), 1<<30 - 2, nil, "(<= (* M N) 1073741822)"},
		{domain.Limits{Sizes: 28, Counts: 30}, times("N", "N"), 1<<31 - 1, nil, "(<= (* N N) 2147483647)"},
		{domain.Limits{Sizes: 28, Counts: 30}, plus(div(times("N", "M"), 2), "M"), 1 << 30, nil, ""},
		{domain.Limits{Sizes: 28, Counts: 30}, Number(1), 1, map[string]domain.Size{
			"N": domain.NamedSize("K").Sub(domain.IntSize(1)), "M": domain.NamedSize("K").Mul(domain.IntSize(2))},
			"(<= 1 (- K 1))"},
		{domain.Limits{Sizes: 28, Counts: 30}, Number(1), 1, map[string]domain.Size{
			"N": domain.NamedSize("K").Sub(domain.IntSize(1)), "M": domain.NamedSize("K").Mul(domain.IntSize(5))},
			"(<= 1 (- K 1)) (<= (* 5 K) 536870911)"},
	} {
		zero := integer0(0)
		p := procedure("NM", []*Buffer{a}, most(test.x, test.n), set(a.at(zero, zero), number(int32s, "1")))
		p.Limits = test.limits
		env := &domain.Env{Mins: map[string]int64{}, Sizes: test.sizes}
		typed, err := p.Type(env)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range typed.Conditions() {
			if !strings.HasPrefix(c.Msg, "a") { // dims and indices
				got = append(got, c.Pred.String())
			}
		}
		if s := strings.Join(got, " "); s != test.want {
			t.Errorf("%s under %v: %s, want %s", fmt.Sprint(test.n), test.limits, s, test.want)
		}
	}
}

// TestReturn: what a call returns is a result, and no parameter is hidden by its name.
func TestReturn(t *testing.T) {
	x := buffer("return", int32s, "N")
	p := procedure("N", []*Buffer{x}, set(x.at(0), number(int32s, "3")))
	r := p.Return(int32s)
	if r.Name != "return.2" {
		t.Errorf("it is called %s", r.Name)
	}
	p.Body = append(p.Body, set(r.at(), read(x.at(0))))
	if refused, n, wrong := compare(p, 3); refused != "" || wrong != nil || n != 9 {
		t.Errorf("refused %q, wrong %v, %d elements", refused, wrong, n)
	}
	q := procedure("N", []*Buffer{x}, set(x.at(0), number(int32s, "3")))
	r = q.Return(int32s)
	q.Body = append(q.Body, set(x.at(0), read(r.at())), set(r.at(), number(int32s, "1")))
	if refused, _, _ := compare(q, 3); refused == "" {
		t.Error("what is there before the call is read")
	}
}
