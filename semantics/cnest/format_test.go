package cnest_test

import (
	"os"
	"strings"
	"testing"

	"tv/internal/source"
	"tv/semantics/cnest"
	"tv/semantics/loops"
)

// meaning is what a text is read into, as text.
func meaning(t *testing.T, text string) string {
	t.Helper()
	p, err := cnest.Parse(source.NewFile("", text), "")
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return loops.Format(p)
}

// shapeless leaves out the texts that messages quote.
func shapeless(s string) string {
	var out []string
	for _, line := range strings.Split(s, "\n") {
		line, _, _ = strings.Cut(line, ` "`)
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// TestFormatKeepsMeaning: a text in canonical layout means the same, and is laid out the same again.
func TestFormatKeepsMeaning(t *testing.T) {
	var texts []string
	for _, file := range corpus(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	for seed := range uint64(200) {
		texts = append(texts, string(cnest.Generate(seed)))
	}
	for _, text := range texts {
		once := cnest.Format(text)
		if again := cnest.Format(once); again != once {
			t.Errorf("laid out twice:\n%s\nonce:\n%s", again, once)
		}
		if want, got := shapeless(meaning(t, text)), shapeless(meaning(t, once)); got != want {
			t.Errorf("%s\nmeans\n%s\nand not\n%s", once, got, want)
		}
	}
}

// TestFormatOfRagged: words without blanks and all on one line, or each on a line of its own.
func TestFormatOfRagged(t *testing.T) {
	for seed := range uint64(100) {
		text := string(cnest.Generate(seed))
		k := strings.Index(text, "\n") // macros stay as they are
		for strings.HasPrefix(text[k+1:], "#") {
			k += 1 + strings.Index(text[k+1:], "\n")
		}
		head, body := text[:k+1], text[k+1:]
		want := cnest.Format(text)
		for _, blank := range []string{" ", "\n"} {
			if got := cnest.Format(head + strings.Join(strings.Fields(body), blank)); strings.ReplaceAll(got, "\n\n", "\n") != want {
				t.Fatalf("seed %d:\n%s\nwant\n%s", seed, got, want)
			}
		}
	}
}

func TestFormat(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", ""},
		{"// only\n\n\n\n/* comments */", "// only\n\n/* comments */\n"},
		{"void f(int n,float*restrict A){A[0]=-1;}", "void f(int n, float *restrict A) {\n  A[0] = -1;\n}\n"},
		{"void f(DATA_TYPE*a,int(*B)[3]){*a=- -(float)B[0][1]*2; // one\n // two\n a [ 0 ]++ ;/*three*/}",
			"void f(DATA_TYPE *a, int (*B)[3]) {\n  *a = - -(float)B[0][1] * 2; // one\n  // two\n  a[0]++; /*three*/\n}\n"},
		{"void f(int n){if(n>1)if(n>2){}else;else{int x[2]={1,2};}}",
			"void f(int n) {\n  if (n > 1)\n    if (n > 2) {\n    } else\n      ;\n  else {\n    int x[2] = {1, 2};\n  }\n}\n"},
		{"void f(int n) {\n for (int i=0;i<n;i++) // why\n  for(;;) ;\n#pragma endscop\n}",
			"void f(int n) {\n  for (int i = 0; i < n; i++) // why\n    for (;;)\n      ;\n#pragma endscop\n}\n"},
		{"int f() { return a // left\n + b; }", "int f() {\n  return a // left\n      + b;\n}\n"},
		{"int x = 'a' @", "int x = 'a' @"},
	} {
		got := cnest.Format(test.text)
		if got != test.want {
			t.Errorf("%s\nis laid out as\n%s\nwant\n%s", test.text, got, test.want)
		}
		if again := cnest.Format(got); again != got {
			t.Errorf("%s\nis laid out as\n%s", got, again)
		}
	}
}
