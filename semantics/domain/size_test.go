package domain_test

import (
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tv/glenside"
	"tv/internal/source"
	"tv/semantics/domain"
)

// A fataler is a *testing.T or a *rapid.T.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

func mustSize(t fataler, text string) domain.Size {
	t.Helper()
	a, err := glenside.ParseSize(source.NewFile("size", text))
	if err != nil {
		t.Fatalf("ParseSize(%q): %v", text, err)
	}
	return a
}

func mustPred(t fataler, text string) *domain.Pred {
	t.Helper()
	p, err := glenside.ParsePred(source.NewFile("pred", text))
	if err != nil {
		t.Fatalf("ParsePred(%q): %v", text, err)
	}
	return p
}

func TestSizeNormalForm(t *testing.T) {
	const huge = "9223372036854775807"
	for _, test := range []struct{ size, want string }{
		{"16", "16"},
		{"-3", "-3"},
		{"N", "N"},
		{"(N)", "N"},
		{"(+ N N 1)", "(+ (* 2 N) 1)"},
		{"(- N N)", "0"},
		{"(- N 1)", "(- N 1)"},
		{"(- N)", "(* -1 N)"},
		{"(- (- N) 2)", "(+ (* -1 N) -2)"},
		{"(- (+ H 2) (* 3 K) 1)", "(- (+ H 1) (* 3 K))"},
		{"(* (+ N 1) (- N 1))", "(- (* N N) 1)"},
		{"(* M N)", "(* M N)"},
		{"(* N M)", "(* M N)"},
		{"(* 0 N)", "0"},
		{"(+ " + huge + " 1)", "9223372036854775808"},
		{"(- (+ " + huge + " 1) 1)", huge},
		{"(* 4611686018427387904 4)", "18446744073709551616"},
		{"(* -1 (- -" + huge + " 1))", "9223372036854775808"},
		{"(div 7 2)", "3"},
		{"(div -7 2)", "-4"},
		{"(mod -7 2)", "1"},
		{"(div N 1)", "N"},
		{"(div (+ (* 4 N) 3) 4)", "N"},
		{"(div (+ (* 5 N) 3) 4)", "(+ N (div (+ N 3) 4))"},
		{"(div (* 2 N) 4)", "(div N 2)"},
		{"(div (+ (* 2 N) 3) 4)", "(div (+ N 1) 2)"},
		{"(div (div N 2) 3)", "(div N 6)"},
		{"(div (- N) 2)", "(- (div N 2) N)"},
		{"(mod (+ N 4) 4)", "(mod N 4)"},
		{"(mod (* 4 N) 4)", "0"},
		{"(mod (+ (* 2 N) 1) 4)", "(+ (* 2 (mod N 2)) 1)"},
		{"(mod (- N) 2)", "(mod N 2)"},
		{"(div N M)", "(div N M)"},
		{"(div (* M N) M)", "N"},
		{"(div (- (+ H S) K) S)", "(+ (div (- H K) S) 1)"},
		{"(div (+ (* 4 M N N) 1) (* 2 N))", "(+ (* 2 M N) (div 1 (* 2 N)))"},
		{"(mod (+ (* M N) K) M)", "(mod K M)"},
		{"(mod (* M N) M)", "0"},
		{"(div (+ M N) (+ M N))", "(div (+ M N) (+ M N))"},
		{"(max N N)", "N"},
		{"(max N (+ N 1) M 3 5)", "(max 5 M (+ N 1))"},
		{"(min (min N 2) (- N 1))", "(min 2 (- N 1))"},
		{`(+ "a b" 1)`, `(+ "a b" 1)`},
	} {
		if got := mustSize(t, test.size).String(); got != test.want {
			t.Errorf("ParseSize(%q) = %s, want %s", test.size, got, test.want)
		}
	}
}

// sizeText draws a size expression whose divisors are positive at every testPoint.
func sizeText(t *rapid.T, depth int) string {
	if depth == 0 || rapid.IntRange(0, 3).Draw(t, "leaf") == 0 {
		return rapid.SampledFrom([]string{"0", "1", "2", "7", "-3", "4611686018427387904", "K", "M",
			"N"}).Draw(t, "atom")
	}
	op := rapid.SampledFrom([]string{"+", "-", "*", "div", "mod", "max", "min"}).Draw(t, "op")
	a := sizeText(t, depth-1)
	if op == "div" || op == "mod" {
		return "(" + op + " " + a + " " + rapid.SampledFrom([]string{"1", "2", "3", "4", "12",
			"N"}).Draw(t, "divisor") + ")"
	}
	return "(" + op + " " + a + " " + sizeText(t, depth-1) + ")"
}

var testMins = map[string]int64{"K": 0}

func leastOf(name string) int64 {
	if least, ok := testMins[name]; ok {
		return least
	}
	return 1
}

var testPoint = rapid.Custom(func(t *rapid.T) domain.Point {
	p := domain.Point{}
	for _, name := range []string{"K", "M", "N"} {
		p[name] = rapid.Int64Range(leastOf(name), 9).Draw(t, name)
	}
	return p
})

// direct evaluates a size expression as it is written.
func direct(t testing.TB, text string, point domain.Point) *big.Int {
	fields := strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ").Replace(text))
	var eval func() *big.Int
	next := func() string {
		f := fields[0]
		fields = fields[1:]
		return f
	}
	eval = func() *big.Int {
		f := next()
		if f != "(" {
			if n, ok := point[f]; ok {
				return big.NewInt(n)
			}
			n, _ := new(big.Int).SetString(f, 10)
			return n
		}
		op, a, b := next(), eval(), eval()
		next()
		switch op {
		case "+":
			return new(big.Int).Add(a, b)
		case "-":
			return new(big.Int).Sub(a, b)
		case "*":
			return new(big.Int).Mul(a, b)
		case "div":
			return new(big.Int).Div(a, b)
		case "mod":
			return new(big.Int).Mod(a, b)
		}
		if (op == "max") == (a.Cmp(b) > 0) {
			return a
		}
		return b
	}
	return eval()
}

func TestSizeKeepsValue(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := sizeText(r, 4)
		point := testPoint.Draw(r, "point")
		for name := range point { // also about where words would overflow
			if rapid.IntRange(0, 4).Draw(r, "large") == 0 {
				point[name] += rapid.SampledFrom([]int64{1<<31 - 4, 1 << 32, 1<<62 - 4}).Draw(r, "by")
			}
		}
		a := mustSize(t, text)
		got, err := a.Eval(point)
		if err != nil {
			r.Fatalf("(%s).Eval(%v): %v", text, point, err)
		}
		if want := direct(t, text, point); got.Cmp(want) != 0 {
			r.Fatalf("%s = %s at %v is %s, want %s", text, a, point, got, want)
		}
		if again := mustSize(t, a.String()); !again.Equal(a) {
			r.Fatalf("%s is printed as %s, which reads as %s", text, a, again)
		}
	})
}

// rebuild makes a size anew from Op and Operands.
func rebuild(a domain.Size) domain.Size {
	apply := map[domain.SizeOp]func(a, b domain.Size) domain.Size{
		domain.SizeAdd: domain.Size.Add, domain.SizeMul: domain.Size.Mul, domain.SizeDiv: domain.Size.Div, domain.SizeMod: domain.Size.Mod, domain.SizeMax: domain.Size.Max,
		domain.SizeMin: domain.Size.Min,
	}
	switch a.Op() {
	case domain.SizeConst:
		n, _ := a.Const()
		return domain.BigSize(n)
	case domain.SizeName:
		return domain.NamedSize(a.Name())
	}
	list := a.Operands()
	result := rebuild(list[0])
	for _, b := range list[1:] {
		result = apply[a.Op()](result, rebuild(b))
	}
	return result
}

func TestSizeOperands(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		a := mustSize(t, sizeText(r, 4))
		if op := a.Op(); op != domain.SizeConst && op != domain.SizeName && len(a.Operands()) < 2 {
			r.Fatalf("%s has %d operands", a, len(a.Operands()))
		}
		if b := rebuild(a); !a.Equal(b) {
			r.Fatalf("%s is rebuilt from its operands as %s", a, b)
		}
	})
}

func TestSizeDoesNotExplode(t *testing.T) {
	a := domain.IntSize(1)
	for i := range 40 {
		a = a.Mul(domain.NamedSize(string(rune('a' + i))).Add(domain.IntSize(1)))
	}
	point := domain.Point{}
	for i := range 40 {
		point[string(rune('a'+i))] = 1
	}
	if got, err := a.Eval(point); err != nil || got.Cmp(new(big.Int).Lsh(big.NewInt(1), 40)) != 0 {
		t.Errorf("the product of 40 sums at 1 is %v, %v, want 2^40", got, err)
	}
	if n := len(a.String()); n > 1<<20 {
		t.Errorf("the product of 40 sums takes %d bytes", n)
	}
}

func TestSizeEvalErrors(t *testing.T) {
	for _, test := range []struct {
		size string
		want string
	}{
		{"(div N M)", "division of 4 by 0"},
		{"(+ N L)", "size L has no value"},
	} {
		_, err := mustSize(t, test.size).Eval(domain.Point{"N": 4, "M": 0})
		if err == nil || err.Error() != test.want {
			t.Errorf("(%s).Eval = %v, want error %q", test.size, err, test.want)
		}
	}
}

func TestPredEval(t *testing.T) {
	for _, test := range []struct{ pred, want string }{
		{"(= N 4)", "true"},
		{"(< N 4)", "false"},
		{"(<= N 4)", "true"},
		{"(divides 2 N)", "true"},
		{"(divides 3 N)", "false"},
		{"(divides Z N)", "false"},
		{"(not (= N 4))", "false"},
		{"(and)", "true"},
		{"(or)", "false"},
		{"(= (div N Z) 1)", "error"},
		{"(not (= (div N Z) 1))", "error"},
		{"(or (= (div N Z) 1) (= N 4))", "true"},
		{"(or (= (div N Z) 1) (= N 5))", "error"},
		{"(and (= (div N Z) 1) (= N 5))", "false"},
		{"(and (= (div N Z) 1) (= N 4))", "error"},
		{"(< (* 4611686018427387904 N) 13835058055282163712)", "false"},
		{"(= (+ N 9223372036854775804) 9223372036854775808)", "true"},
		{"(divides 8589934592 (* 4294967296 N))", "true"},
		{"(divides 3 (* -1 N))", "false"},
		{"(divides 2 (* -1 N))", "true"},
	} {
		p := mustPred(t, test.pred)
		if p.String() != test.pred {
			t.Errorf("mustPred(%q) prints %s", test.pred, p)
		}
		got := "false"
		if v, err := p.Eval(domain.Point{"N": 4, "Z": 0}); err != nil {
			got = "error"
			if v {
				t.Errorf("(%s).Eval is true and an error", test.pred)
			}
		} else if v {
			got = "true"
		}
		if got != test.want {
			t.Errorf("(%s).Eval = %s, want %s", test.pred, got, test.want)
		}
	}
}

func TestPredDecide(t *testing.T) {
	mins := map[string]int64{"Z": 0, "T": 3}
	for _, test := range []struct {
		pred string
		want domain.Truth
	}{
		{"(<= 1 N)", domain.Always},
		{"(<= 1 Z)", domain.Undecided},
		{"(<= 0 Z)", domain.Always},
		{"(< Z (+ Z N))", domain.Always},
		{"(<= 2 T)", domain.Always},
		{"(< T 3)", domain.Never},
		{"(<= (* 3 N) (* T N))", domain.Always},
		{"(<= (* 4 N) (* T N))", domain.Undecided},
		{"(= N (+ N 1))", domain.Never},
		{"(= N M)", domain.Undecided},
		{"(= (+ N T) 3)", domain.Never},
		{"(<= 0 (div (- N 1) 2))", domain.Always},
		{"(<= 0 (div (- N 2) 2))", domain.Undecided},
		{"(<= 0 (mod (- N 9) 2))", domain.Always},
		{"(<= 0 (max (- N 2) 0))", domain.Always},
		{"(<= 0 (min (- N 2) 0))", domain.Undecided},
		{"(<= (div N 2) N)", domain.Always},
		{"(< (div N 2) N)", domain.Always},
		{"(<= (* 2 (div N 2)) N)", domain.Always},
		{"(< (* 2 (div N 2)) N)", domain.Undecided},
		{"(<= (* M (div N 3)) (* M N))", domain.Always},
		{"(<= (* 2 (div Z 2)) (- Z 1))", domain.Undecided},
		{"(< (mod N 3) 3)", domain.Always},
		{"(< (mod N 3) 2)", domain.Undecided},
		{"(<= (- (div N 2) (div N 3)) N)", domain.Always},
		{"(divides 2 (* 4 N))", domain.Always},
		{"(divides 2 (+ (* 4 N) 1))", domain.Never},
		{"(divides N N)", domain.Always},
		{"(divides Z Z)", domain.Undecided},
		{"(divides 0 N)", domain.Never},
		{"(or (= N 1) (<= 1 N))", domain.Always},
		{"(or (= N 0) (= N M))", domain.Undecided},
		{"(and (= N 0) (= N M))", domain.Never},
		{"(not (= N 0))", domain.Always},
	} {
		if got := mustPred(t, test.pred).Decide(&domain.Facts{Mins: mins}); got != test.want {
			t.Errorf("(%s).decide = %d, want %d", test.pred, got, test.want)
		}
	}
}

func TestPredDecideFromFacts(t *testing.T) {
	for _, test := range []struct {
		facts, pred string
		want        domain.Truth
	}{
		{"(<= K H)", "(<= 0 (- H K))", domain.Always},
		{"(<= K H)", "(<= 1 (+ (div (- H K) S) 1))", domain.Always},
		{"(<= K H)", "(<= 0 (- H (+ K 1)))", domain.Undecided},
		{"(<= K H)", "(< H K)", domain.Never},
		{"(<= 5 N)", "(<= 3 N)", domain.Always},
		{"(< (* 2 M) N)", "(<= M N)", domain.Always},
	} {
		var known domain.Facts
		known.Learn(mustPred(t, test.facts))
		if got := mustPred(t, test.pred).Decide(&known); got != test.want {
			t.Errorf("given %s, (%s).decide = %d, want %d", test.facts, test.pred, got, test.want)
		}
	}
}

func TestPredDecideIsSound(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		op := rapid.SampledFrom([]string{"=", "<", "<=", "divides"}).Draw(r, "op")
		p := mustPred(t, "("+op+" "+sizeText(r, 3)+" "+sizeText(r, 3)+")")
		point := testPoint.Draw(r, "point")
		known := domain.Facts{Mins: testMins}
		for range rapid.IntRange(0, 2).Draw(r, "facts") {
			op := rapid.SampledFrom([]string{"<", "<="}).Draw(r, "op")
			fact := mustPred(t, "("+op+" "+sizeText(r, 2)+" "+sizeText(r, 2)+")")
			if v, err := fact.Eval(point); v && err == nil {
				known.Learn(fact)
			}
		}
		v, err := p.Eval(point)
		if err != nil {
			return
		}
		if got := p.Decide(&known); got == domain.Always && !v || got == domain.Never && v {
			r.Fatalf("%s is %t at %v, but decided as %d", p, v, point, got)
		}
	})
}

func TestElemTypes(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"int", "int32"}, {"int8", "int8"}, {"uint64", "uint64"}, {"float", "float32"}, {"float16",
			"float16"}, {"bfloat16", "bfloat16"},
		{"bool", "bool"}, {"sat16", "sat16"}, {"fix6.14", "fix6.14"}, {"fix1.0", "fix1.0"},
		{"adaptive8.3", "adaptive8.3"},
		{"int7", "error"}, {"fix", "error"}, {"fix0.8", "error"}, {"fix60.10", "error"}, {"fix06.1", "error"},
		{"fix6", "error"}, {"fix6.", "error"}, {"fix6.-1", "error"}, {"fix6.1.2", "error"}, {"adaptive8.8",
			"error"},
		{"adaptive8.0", "error"}, {"adaptive33.2", "error"}, {"", "error"},
	} {
		got := "error"
		if e, ok := domain.ParseElem(test.text); ok {
			got = e.String()
		}
		if got != test.want {
			t.Errorf("ParseElemType(%q) = %s, want %s", test.text, got, test.want)
		}
	}
}
