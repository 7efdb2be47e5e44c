package mlir_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"tv/internal/source"
	"tv/internal/tier"
	"tv/semantics/loops"
	"tv/semantics/loops/looptest"
	"tv/semantics/loops/run"
	"tv/semantics/mlir"
	"tv/semantics/value"
)

var words = regexp.MustCompile(`[%#@^!]?[\w.$]+|->|==|>=|\n|[^\s\w]`)

// mutant changes some words of a text.
func mutant(rng *rand.Rand, text string) string {
	list := words.FindAllString(text, -1)
	class := func(s string) byte { // of words that may stand for each other
		switch c := s[0]; {
		case c >= '0' && c <= '9':
			return '0'
		case c >= 'A' && c <= 'z' && c != '[' && c != ']':
			return 'a'
		default:
			return c
		}
	}
	extra := []string{"-1", "0", "{", "}", "(", ")", "<", ">", "%n", "9999999999999999999", "mod", "symbol", "affine.for", "f32", "index",
		"memref<4xf32>", "to", "min", "max", "#map", ":", ","}
	for range 1 + rng.IntN(2) {
		i, j := rng.IntN(len(list)), rng.IntN(len(list))
		for range 20 {
			if class(list[i]) != class(list[j]) {
				j = rng.IntN(len(list))
			}
		}
		switch rng.IntN(6) {
		default:
			list[i] = list[j]
		case 3:
			list[i], list[j] = list[j], list[i]
		case 4:
			list = append(list[:i:i], list[i+1:]...)
		case 5:
			list = append(list[:i:i], append([]string{extra[rng.IntN(len(extra))]}, list[i:]...)...)
		}
	}
	shape := regexp.MustCompile(`([\d?]) (x[\w]*)`) // extents are words without blanks
	out := strings.Join(list, " ")
	for range 4 {
		out = shape.ReplaceAllString(strings.ReplaceAll(out, "x ?", "x?"), "$1$2")
	}
	return out
}

// TestMutants: whatever a text is, it is refused in a place of it or read into a procedure that is well formed; layout is
// settled after one time.
func TestMutants(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	list := texts(t, 30)
	read := 0
	for range tier.Draw(500, 1000, 3000) {
		text := mutant(rng, list[rng.IntN(len(list))])
		if once := mlir.Format(text); mlir.Format(once) != once {
			t.Fatalf("laid out twice:\n%s\nonce:\n%s", mlir.Format(once), once)
		}
		p, err := mlir.Parse(source.NewFile("x.mlir", text), "")
		if err != nil {
			for _, e := range source.AsErrors(err) {
				if e.Code == "" || e.Code == "internal" || e.Span.File == nil || e.Msg == "" {
					t.Fatalf("%v\n%s", err, text)
				}
			}
			continue
		}
		read++
		r, err := run.New(p, run.Options{Arith: value.Exact, Sizes: looptest.Sizes(p, 3), Limit: 1000,
			Input: func(b *loops.Buffer, _ int64) value.Value { return value.BitsValue(0, b.Elem) }})
		if err == nil {
			err = r.Do(context.Background())
		}
		for _, e := range source.AsErrors(err) {
			if e.Code == "internal" && e.Err == nil {
				t.Fatalf("%v\n%s", err, text)
			}
		}
		loops.Format(p)
	}
	if read < 20 {
		t.Errorf("%d mutants are read", read)
	}
	t.Log(read, "mutants are read")
}

// TestMutantsAgainstLLVM: mutants that are read and that mlir-opt takes leave the same bits, where their calls come to their end.
func TestMutantsAgainstLLVM(t *testing.T) {
	tier.Sweep(t)
	if !installed(t) {
		return
	}
	rng := rand.New(rand.NewPCG(3, 4))
	list := texts(t, 60)
	var batch []program
	refused := 0
	for k := 0; len(batch) < perFile && k < 10000; k++ {
		text := mutant(rng, list[rng.IntN(len(list))])
		p, err := mlir.Parse(source.NewFile("x.mlir", text), "")
		if err != nil {
			continue
		}
		c := program{name: fmt.Sprint("mutant ", k), text: text, seed: uint64(k), mayEnd: true}
		if _, err := looptest.Evaluated(p, c.sizesOf(p), c.seed); err != nil {
			continue
		}
		if c.text, err = piped(t, text, "mlir-opt-16"); err != nil {
			refused++
			t.Logf("%.300v", err)
			continue
		}
		batch = append(batch, c)
	}
	t.Log(compare(t, "16", batch), "mutants are compared;", refused, "are read that mlir-opt refuses")
}
