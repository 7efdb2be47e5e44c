package format_test

import (
	"bufio"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"tv/ila/format"
	"tv/ila/number"
	"tv/semantics/term"
)

var a = number.AdaptivFloat83

// A machine evaluates terms over x, 20 bits, code, 8 bits, and bias, 3 bits.
type machine struct {
	b             *term.Builder
	x, code, bias *term.Term
	order         []*term.Term
	seen          map[*term.Term]int
}

func newMachine() *machine {
	b := term.NewBuilder()
	read := func(name string, width int) *term.Term {
		return b.Read(b.Input(name, nil, term.BitsSort(width)), nil)
	}
	return &machine{b: b, x: read("x", 20), code: read("code", 8), bias: read("bias", 3), seen: map[*term.Term]int{}}
}

// function returns the function that a term is, of x or code and of bias.
func (m *machine) function(t *term.Term) func(x uint64, bias int) uint64 {
	m.visit(t)
	order, values := m.order, make([]uint64, len(m.order))
	return func(x uint64, bias int) uint64 {
		args := make([]uint64, 4)
		for i, t := range order[:m.seen[t]+1] {
			switch {
			case t == m.x || t == m.code:
				values[i] = x
			case t == m.bias:
				values[i] = uint64(bias)
			case t.Op == term.Const:
				values[i], _ = t.ConstBits()
			default:
				for k, u := range t.Args {
					args[k] = values[m.seen[u]]
				}
				values[i] = term.EvalBits(t, args)
			}
		}
		return values[m.seen[t]]
	}
}

func (m *machine) visit(t *term.Term) {
	if _, ok := m.seen[t]; ok {
		return
	}
	for _, u := range t.Args {
		m.visit(u)
	}
	m.seen[t] = len(m.order)
	m.order = append(m.order, t)
}

func TestDecode(t *testing.T) {
	m := newMachine()
	wide := m.function(format.Decode(m.b, m.code, m.bias, 20))
	plain := m.function(format.Decode(m.b, m.code, nil, 13))
	for bias := range 8 {
		for code := range uint64(256) {
			v := a.Value(code, bias)
			if want, ok := number.Q614.Code(v); !ok || wide(code, bias) != want {
				t.Errorf("decode(%02x, %d) = %x, want %x", code, bias, wide(code, bias), want)
			}
			want, ok := number.Fixed{Width: 13, Frac: 14 - bias}.Code(v)
			if !ok || plain(code, 0) != want {
				t.Errorf("decode(%02x) = %x, want %x", code, plain(code, 0), want)
			}
		}
	}
}

func encoders(m *machine, q format.Quantiser) (code, ok func(uint64, int) uint64) {
	c, o := format.Encode(m.b, q, m.x, m.bias)
	return m.function(c), m.function(o)
}

// The four quantisers as terms are those of the definition: at all numbers of one bias, and of each bias at those
// near where codes change and at some others.
func TestEncode(t *testing.T) {
	for q := format.Hardware; q <= format.Float; q++ {
		m := newMachine()
		code, ok := encoders(m, q)
		try := func(n int64, bias int) {
			x := uint64(n) & (1<<20 - 1)
			want, defined := a.Code(number.Quantiser(q), number.Q614.Value(x), bias)
			if defined != (ok(x, bias) == 1) || defined && code(x, bias) != want {
				t.Fatalf("%v of %d, bias %d: %02x, want %02x (%t)", number.Quantiser(q), n, bias, code(x, bias), want, defined)
			}
		}
		random := rand.New(rand.NewPCG(1, uint64(q)))
		for bias := range 8 {
			for n := int64(-300); n <= 300; n++ {
				try(n, bias)
			}
			for e := range 15 {
				for man := int64(32); man < 64; man++ { // codes and the middles between them
					for near := int64(-1); near <= 1; near++ {
						try(max(-1<<19, min(1<<19-1, man<<e+near)), bias)
						try(max(-1<<19, min(1<<19-1, -man<<e+near)), bias)
					}
				}
			}
			for range 1000 {
				try(random.Int64N(1<<20)-1<<19, bias)
			}
			try(-1<<19, bias)
		}
	}
}

// Table looks at the ends of stretches only; it holds the same as the terms, which stand for the definition.
func TestTable(t *testing.T) {
	for q := format.Hardware; q <= format.Float; q++ {
		m := newMachine()
		code, ok := encoders(m, q)
		for _, bias := range []int{0, 2, 7} {
			for x, got := range a.Table(number.Quantiser(q), number.Q614, bias) {
				if x%61 != 0 && x > 1<<11 && x < 1<<20-1<<11 {
					continue
				}
				if defined := ok(uint64(x), bias) == 1; defined != (got < 256) || defined && code(uint64(x), bias) != got {
					t.Fatalf("%v of %d, bias %d: %02x, want %02x", number.Quantiser(q), x, bias, got, code(uint64(x), bias))
				}
			}
		}
	}
}

func TestGolden(t *testing.T) {
	file, err := os.Open("testdata/adaptive.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	m := newMachine()
	code, _ := encoders(m, format.Hardware)
	rows := 0
	for s := bufio.NewScanner(file); s.Scan(); {
		if strings.HasPrefix(s.Text(), "#") {
			continue
		}
		var x int64
		var bias int
		var want uint64
		if _, err := fmt.Sscanf(s.Text(), "%d %d %x", &x, &bias, &want); err != nil {
			t.Fatalf("%q: %v", s.Text(), err)
		}
		rows++
		if got := code(uint64(x)&(1<<20-1), bias); got != want {
			t.Errorf("encode(%d, %d) = %02x, want %02x", x, bias, got, want)
		}
		if got, _ := a.Code(number.Hardware, big.NewRat(x, 1<<14), bias); got != want {
			t.Errorf("the definition has %02x for (%d, %d), want %02x", got, x, bias, want)
		}
	}
	if rows != 13 {
		t.Errorf("%d rows, want 13", rows)
	}
}

// Each quantiser gives a number that has a code that code, 0 one of its two.
func TestRoundTrip(t *testing.T) {
	m := newMachine()
	decode := m.function(format.Decode(m.b, m.code, m.bias, 20))
	for q := format.Hardware; q <= format.Float; q++ {
		encode, _ := encoders(m, q)
		for bias := range 8 {
			for code := range uint64(256) {
				want := code
				if code == 0x80 {
					want = 0
				}
				if got := encode(decode(code, bias), bias); got != want {
					t.Errorf("%v: %02x of bias %d comes back as %02x", number.Quantiser(q), code, bias, got)
				}
			}
		}
	}
}

// Where the quantisers disagree, one row each: number, bias, the codes of hardware, sign-lost, reference, float.
func TestDisagree(t *testing.T) {
	const none = 256
	for _, row := range []struct {
		x     int64
		bias  int
		codes [4]uint64
	}{
		{33, 0, [4]uint64{0x11, 0x11, 0x10, 0x10}}, // 16.5 of 2: up, up, to even, cut
		{35, 0, [4]uint64{0x12, 0x12, 0x12, 0x11}}, // 17.5
		{-35, 0, [4]uint64{0x91, 0x91, 0x92, 0x91}},
		{-33, 0, [4]uint64{0x90, 0x90, 0x90, 0x90}},
		{63, 0, [4]uint64{0x20, 0x20, 0x20, 0x1f}},      // carries into the exponent
		{16, 0, [4]uint64{0x00, 0x00, 0x01, 0x01}},      // below the least number, above half of it
		{-16, 0, [4]uint64{0x80, 0x80, 0x81, 0x81}},     // the hardware keeps the sign of this 0
		{17, 1, [4]uint64{0x00, 0x00, none, 0x01}},      // exactly half the least number
		{16, 1, [4]uint64{0x00, 0x00, 0x00, 0x00}},      // less
		{-400000, 0, [4]uint64{0xff, 0x7f, 0xff, 0xff}}, // too large
	} {
		for q, want := range row.codes {
			got, ok := a.Code(number.Quantiser(q), big.NewRat(row.x, 1<<14), row.bias)
			if !ok {
				got = none
			}
			if got != want {
				t.Errorf("%v of %d, bias %d: %02x, want %02x", number.Quantiser(q), row.x, row.bias, got, want)
			}
		}
	}
}

func TestFixed(t *testing.T) {
	for _, row := range []struct {
		v  *big.Rat
		ok bool
	}{{big.NewRat(-32, 1), true}, {big.NewRat(32, 1), false}, {big.NewRat(1<<19-1, 1<<14), true},
		{big.NewRat(1, 1<<15), false}, {big.NewRat(-1<<19-1, 1<<14), false}} {
		code, ok := number.Q614.Code(row.v)
		if ok != row.ok || ok && number.Q614.Value(code).Cmp(row.v) != 0 {
			t.Errorf("Q6.14 code of %v: %x, %t", row.v, code, ok)
		}
	}
}
