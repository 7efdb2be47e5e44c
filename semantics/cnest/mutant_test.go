package cnest_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tv/internal/source"
	"tv/internal/tier"
	"tv/semantics/cnest"
	"tv/semantics/loops"
	"tv/semantics/loops/looptest"
	"tv/semantics/loops/run"
	"tv/semantics/value"
)

// mutant changes some words of a text.
func mutant(rng *rand.Rand, text string) string {
	spread := strings.NewReplacer("(", " ( ", ")", " ) ", "[", " [ ", "]", " ] ", ";", " ; ", ",", " , ")
	var words []string
	for _, line := range strings.SplitAfter(text, "\n") {
		if strings.HasPrefix(line, "#") {
			words = append(words, line)
		} else {
			words = append(append(words, strings.Fields(spread.Replace(line))...), "\n")
		}
	}
	class := func(s string) int { // of words that may stand for each other
		switch c := s[0]; {
		case c >= '0' && c <= '9':
			return 0
		case c >= 'A' && c <= 'z':
			return 1
		}
		return 2 + int(s[0]&3)
	}
	for range 1 + rng.IntN(2) {
		i, j := rng.IntN(len(words)), rng.IntN(len(words))
		for range 20 {
			if class(words[i]) != class(words[j]) {
				j = rng.IntN(len(words))
			}
		}
		switch rng.IntN(5) - 1 {
		default:
			words[i] = words[j]
		case 1:
			words[i], words[j] = words[j], words[i]
		case 2:
			words = append(words[:i:i], words[i+1:]...)
		case 3:
			extra := []string{"-1", "0", "~", "{", "}", "*", "&", "int", "if (A[0])", "for (;;)",
				"return", "?", ":", "9999999999", "1u", "<<", "%", "/"}
			words = append(words[:i:i], append([]string{extra[rng.IntN(len(extra))]}, words[i:]...)...)
		}
	}
	return strings.Join(words, " ")
}

// TestMutants: whatever a text is, it is refused in a place of it or read into a procedure that is well formed; layout is
// settled after one time.
func TestMutants(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var texts []string
	for _, file := range corpus(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	texts = append(texts, corners...)
	for seed := range uint64(30) {
		texts = append(texts, string(cnest.Generate(seed)))
	}
	read := 0
	for range tier.Draw(500, 3000, 10000) {
		text := mutant(rng, texts[rng.IntN(len(texts))])
		if once := cnest.Format(text); cnest.Format(once) != once {
			t.Fatalf("laid out twice:\n%s\nonce:\n%s", cnest.Format(once), once)
		}
		p, err := cnest.Parse(source.NewFile("x.c", text), "")
		if err != nil {
			for _, e := range source.AsErrors(err) {
				if e.Code == "" || e.Code == "internal" || e.Span.File == nil || e.Msg == "" {
					t.Fatalf("%v\n%s", err, text)
				}
			}
			continue
		}
		read++
		sizes := looptest.Sizes(p, 3)
		for _, b := range p.Buffers {
			unbounded(b, sizes)
		}
		r, err := run.New(p, run.Options{Arith: value.Exact, Sizes: sizes, Limit: 1000,
			Input: func(b *loops.Buffer, _ int64) value.Value { return value.BitsValue(0, b.Elem) }})
		if err == nil {
			err = r.Do(context.Background())
		}
		for _, e := range source.AsErrors(err) {
			if e.Code == "internal" && strings.Contains(e.Error(), "a ") && e.Err == nil {
				t.Fatalf("%v\n%s", err, text)
			}
		}
		loops.Format(p)
	}
	if read < 50 {
		t.Errorf("%d mutants are read", read)
	}
	t.Log(read, "mutants are read")
}

// TestMutantsAgainstGCC: gcc takes the mutants that are read, and leaves the same bits where their calls come to their end.
func TestMutantsAgainstGCC(t *testing.T) {
	tier.Sweep(t)
	if !installed(t) {
		return
	}
	rng := rand.New(rand.NewPCG(3, 4))
	texts := append([]string{}, corners...)
	for seed := range uint64(200) {
		texts = append(texts, string(cnest.Generate(seed)))
	}
	// what is not called is not read, but by gcc
	texts = slices.DeleteFunc(texts, func(s string) bool { return strings.Contains(s, "static") })
	var batch []program
	for k := 0; len(batch) < perFile; k++ {
		text := mutant(rng, texts[rng.IntN(len(texts))]) + "\n"
		p, err := cnest.Parse(source.NewFile("x.c", text), "")
		if err != nil || p.Name != "f" || undefined(text) {
			continue
		}
		c := program{fmt.Sprintf("mutant %d", k), text, "f", uint64(k)}
		if _, err := evaluated(p, c); err == nil {
			accepted(t, c)
			batch = append(batch, c)
		}
	}
	compare(t, batch)
}

// undefined tells whether a text calls what is known here without a macro, and to gcc by one alone.
func undefined(text string) bool {
	cmd := exec.Command("gcc", "-fsyntax-only", "-Werror=implicit-function-declaration", "-x", "c", "-")
	cmd.Stdin = strings.NewReader(headers + text)
	out, _ := cmd.CombinedOutput()
	return regexp.MustCompile(`implicit declaration of function .(min|max|floord|ceild)\W`).Match(out)
}

// headers are those that programs need, if any.
const headers = "#include <math.h>\n#include <stdint.h>\n#include <stdlib.h>\n"

// accepted has gcc read a program.
func accepted(t *testing.T, c program) {
	t.Helper()
	cmd := exec.Command("gcc", "-fsyntax-only", "-w", "-x", "c", "-")
	cmd.Stdin = strings.NewReader(headers + c.text)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("gcc refuses %s: %s\n%s", c.name, out, c.text)
	}
}
