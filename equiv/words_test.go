package equiv_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"tv/equiv"
	"tv/internal/languages"
	"tv/internal/source"
	"tv/internal/tier"
	"tv/semantics"
	"tv/semantics/cnest"
	"tv/semantics/loops"
	"tv/semantics/loops/run"
	"tv/semantics/value"
)

// TestWordsAgainstEvaluator: an expression of C at one input is the number that the evaluator says, for prover and checker, and is
// no other. All else is 0 on both sides, so that for every other input nothing is said.
func TestWordsAgainstEvaluator(t *testing.T) {
	n := tier.Pick(40, 300)
	random := rand.New(rand.NewPCG(14, 5))
	proved := 0
	for i := range n {
		w := writer{random, [2]string{cTypes[random.IntN(len(cTypes))].name, cTypes[random.IntN(len(cTypes))].name}}
		result := cTypes[random.IntN(len(cTypes))].name
		expr, inputs := w.expr(1+random.IntN(3)), [2]int64{w.number(0), w.number(1)}
		program := func(out string) string {
			return fmt.Sprintf("void f(int n, const %s a[n], const %s b[n], %s o[n]) {\n  for (int i = 0; i < n; i++) "+
				"o[i] = a[i] == (%s)%dull && b[i] == (%s)%dull ? (%s)(%s) : 0;\n}\n", w.types[0], w.types[1], result,
				w.types[0], uint64(inputs[0]), w.types[1], uint64(inputs[1]), result, out)
		}
		before := program(expr)
		is := evaluated(t, before, inputs)
		for _, wrong := range []bool{false, true} {
			number := is
			if wrong {
				number ^= 1 << random.IntN(8)
			}
			after := program(fmt.Sprintf("(%s)%dull", result, uint64(number)))
			q := equiv.Question{Before: parsedC(t, before), After: parsedC(t, after)}
			r, err := equiv.Check(context.Background(), q, equiv.Options{Solver: "none", Steps: 400_000})
			switch {
			case err != nil:
				t.Fatalf("%d: %v\n%s", i, err, before)
			case wrong && r.Verdict == equiv.Proved:
				t.Errorf("%d: proved\n%s%s", i, before, after)
			case !wrong && r.Verdict == equiv.Refuted:
				t.Errorf("%d: refuted\n%s%s", i, before, after)
			case !wrong && r.Verdict == equiv.Proved:
				proved++
			}
		}
	}
	if proved < n*8/10 {
		t.Errorf("%d of %d are proved", proved, n)
	}
}

func parsedC(t *testing.T, text string) semantics.Source {
	t.Helper()
	p, err := languages.C.Parse(source.NewFile("f.c", text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return p
}

var cTypes = []struct {
	name  string
	width int
	sign  bool
}{{"signed char", 8, true}, {"unsigned char", 8, false}, {"short", 16, true}, {"unsigned short", 16, false}, {"int", 32, true},
	{"unsigned", 32, false}, {"long", 64, true}, {"unsigned long", 64, false}}

// evaluated is what the evaluator says of o[0].
func evaluated(t *testing.T, text string, inputs [2]int64) int64 {
	t.Helper()
	p, err := cnest.Parse(source.NewFile("f.c", text), "")
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var out *loops.Buffer
	for _, b := range p.Buffers {
		if b.Name == "o" {
			out = b
		}
	}
	r, err := run.New(p, run.Options{Arith: value.Exact, Sizes: map[string]int64{"n": 1}, Input: func(b *loops.Buffer, _ int64) value.Value {
		n := inputs[0]
		if b.Name == "b" {
			n = inputs[1]
		}
		return value.IntValue(n, value.Exact, b.Elem)
	}})
	if err == nil {
		err = r.Do(context.Background())
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	v := r.Value(out, 0)
	bits, ok := v.Bits()
	if !ok {
		t.Fatalf("%v\n%s", v, text)
	}
	return int64(bits)
}

// A writer writes expressions of a[i] and b[i].
type writer struct {
	*rand.Rand
	types [2]string
}

// number is a number of the type of an input, often one near its ends.
func (w writer) number(of int) int64 {
	for _, x := range cTypes {
		if x.name != w.types[of] {
			continue
		}
		n := int64(w.Uint64())
		switch w.IntN(3) {
		case 0:
			n = int64(w.IntN(5)) - 2
		case 1:
			n = 1<<(x.width-1) + int64(w.IntN(5)) - 2
		}
		if shift := 64 - x.width; x.sign {
			return n << shift >> shift
		} else if x.width < 64 {
			return n & (1<<x.width - 1)
		}
		return n & (1<<63 - 1)
	}
	panic("no such type")
}

func (w writer) expr(depth int) string {
	if depth == 0 {
		return []string{"a[i]", "b[i]"}[w.IntN(2)]
	}
	x, y := w.expr(depth-1), w.expr(w.IntN(depth))
	if w.IntN(3) == 0 {
		y = []string{fmt.Sprint(w.IntN(300)), "1u", "-1", "65535"}[w.IntN(4)]
	}
	switch w.IntN(9) {
	case 0:
		return fmt.Sprintf("(%s %s %d)", x, []string{"<<", ">>"}[w.IntN(2)], w.IntN(8))
	case 1:
		return fmt.Sprintf("(%s >> (int)(%s & 7))", x, w.expr(w.IntN(depth)))
	case 2:
		return fmt.Sprintf("(%s %s %d)", x, []string{"/", "%"}[w.IntN(2)], []int{1, 2, 3, 8, 10, 255}[w.IntN(6)])
	case 3:
		return fmt.Sprintf("(%s ? %s : %s)", w.test(x, y), w.expr(w.IntN(depth)), w.expr(w.IntN(depth)))
	case 4:
		return fmt.Sprintf("((%s)%s)", cTypes[w.IntN(len(cTypes))].name, x)
	case 5:
		return fmt.Sprintf("(%s (%s))", []string{"-", "~", "!"}[w.IntN(3)], x)
	case 6:
		return fmt.Sprintf("(%s)", w.test(x, y))
	}
	return fmt.Sprintf("(%s %s %s)", x, []string{"+", "-", "*", "&", "|", "^"}[w.IntN(6)], y)
}

func (w writer) test(x, y string) string {
	return fmt.Sprintf("%s %s %s", x, []string{"<", "<=", ">", ">=", "==", "!="}[w.IntN(6)], y)
}
