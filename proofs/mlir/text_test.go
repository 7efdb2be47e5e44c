package mlir

import (
	"math/rand/v2"
	"regexp"
	"testing"
)

// What is scanned by hand is what these expressions match.
func TestPatterns(t *testing.T) {
	const drawn = "\"\\0x19afgZ_$.-é\n"
	for expr, scan := range map[string]pattern{
		`^[A-Za-z_][\w$.]*`:              bare,
		`^([0-9]+|[A-Za-z$._-][\w$.-]*)`: suffix,
		`^(0x[0-9a-fA-F]+|[0-9]+)`:       whole,
		`^"([^"\\\n]|\\.)*"`:             quoted,
	} {
		re, rng := regexp.MustCompile(expr), rand.New(rand.NewPCG(1, 2))
		for range 20_000 {
			text := make([]byte, rng.IntN(7))
			for i := range text {
				text[i] = drawn[rng.IntN(len(drawn))]
			}
			if got, want := scan(string(text)), len(re.Find(text)); got != want {
				t.Fatalf("%s takes %d of %q, want %d", expr, got, text, want)
			}
		}
	}
}
