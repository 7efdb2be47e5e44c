package tc

import (
	"bytes"
	"strings"
	"testing"

	"tv/semantics/loops"
)

// TestFormatKeepsMeaning: a text in canonical layout means the same, and is laid out the same again, whether its words stood on
// one line, or each on a line of its own.
func TestFormatKeepsMeaning(t *testing.T) {
	var texts []string
	for _, k := range kernels {
		texts = append(texts, k.text)
	}
	for seed := range uint64(100) {
		texts = append(texts, string(Generate(seed)))
	}
	for _, text := range texts {
		once := Format(text)
		if again := Format(once); again != once {
			t.Errorf("laid out twice:\n%s\nonce:\n%s", again, once)
		}
		want, got := newInstance(t, text, "", 0).proc, newInstance(t, once, "", 0).proc
		if shapeless(loops.Format(got)) != shapeless(loops.Format(want)) {
			t.Errorf("%s\nmeans\n%s\nand not\n%s", once, loops.Format(got), loops.Format(want))
		}
		for _, blank := range []string{" ", "\n"} {
			var words []string
			for _, w := range lex(textFile(text)) {
				if w.kind != end {
					words = append(words, w.text)
				}
			}
			if got := Format(strings.Join(words, blank)); got != once {
				t.Errorf("%s\nwant\n%s", got, once)
			}
		}
	}
}

func TestFormat(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", ""},
		{"# only\n\n\n\n# comments", "# only\n\n# comments\n"},
		{"def f(float(N)A)->(B){B(i)=-A(i)*- -2}", "def f(float(N) A) -> (B) {\n  B(i) = -A(i) * --2\n}\n"},
		{"def f(float A)->(B){B=!(A>1)?A:-A s min=!A*A.0 where i in 0:(N>1?2:1),x=3,exists A(i)}",
			"def f(float A) -> (B) {\n  B = !(A > 1) ? A : -A\n  s min=! A * A.0 where i in 0:(N > 1 ? 2 : 1), x = 3, exists A(i)\n}\n"},
		{"def f() -> (B) {}", "def f() -> (B) {\n}\n"},
		{"# a\ndef f(float(N) A) # behind\n -> (B)\n{ # open\n\n\n # own\n B(i) # mid\n = A(i) # end\n\n # last\n}\n# after\ndef g() -> (C) { C = 1 }",
			"# a\ndef f(float(N) A) # behind\n    -> (B) { # open\n\n  # own\n  B(i) # mid\n      = A(i) # end\n\n  # last\n}\n# after\n" +
				"def g() -> (C) {\n  C = 1\n}\n"},
		{"def f(float A)->(B){B=A<=>g(A,2)C=min(A,max(A,int8(1)))where x in 1:2}",
			"def f(float A) -> (B) {\n  B = A <=> g(A, 2)\n  C = min(A, max(A, int8(1))) where x in 1:2\n}\n"},
		{"def f(float A)->(B) B = A }", "def f(float A)->(B) B = A }"},
	} {
		got := Format(test.text)
		if got != test.want {
			t.Errorf("%s\nis laid out as\n%s\nwant\n%s", test.text, got, test.want)
		}
		if again := Format(got); again != got {
			t.Errorf("%s\nis laid out as\n%s", got, again)
		}
	}
}

// TestGenerate: equal seeds give equal programs, and other seeds other ones.
func TestGenerate(t *testing.T) {
	all := map[string]bool{}
	for seed := range uint64(100) {
		text := Generate(seed)
		if again := Generate(seed); !bytes.Equal(text, again) {
			t.Fatalf("seed %d: %s\nand\n%s", seed, text, again)
		}
		all[string(text)] = true
	}
	if len(all) < 99 {
		t.Errorf("%d programs of 100 seeds", len(all))
	}
}
