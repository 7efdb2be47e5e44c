package tc

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"tv/internal/source"
	"tv/internal/tier"
	"tv/semantics/loops"
)

// bad are texts that are refused, each with the errors that it gets, a line each.
var bad = []struct{ text, want string }{
	// words
	{"def f(float(N) A) -> (B) { B(i) = A(i) ^ 2 }",
		"1:40: '^' is no character of a Tensor Comprehension [bad-syntax]"},
	{"def f(float(N) A) -> (B) { B(i) = A(i) * 2x }",
		"1:42: 2x is no number [bad-syntax]"},
	{"def f(float(N) A) -> (B) { B(i) = A(i) * 1e99999 }",
		"1:42: 1e99999 is near no float [too-large]"},
	{"def f(float(N) A) -> (B) { B(i) = A(i",
		"1:38: ) ends operands, not the end of the file [bad-syntax]"},
	{"def f(float(N) A) -> (B) { B(i) = A(i) ",
		"1:40: a statement NAME(...) = ..., or the } that ends them, not the end of the file [bad-syntax]"},
	{"def f(flaot(N) A) -> (B) { B(i) = A(i) }",
		"1:7: an input TYPE(EXTENTS) NAME, not flaot; did you mean float? [bad-syntax]"},
	{"def f(float(0) A) -> (B) { B(i) = A(i) }",
		"1:13: an extent is a size or a number from 1 on, not 0 [bad-syntax]"},
	{"def f(float(N + 1) A) -> (B) { B(i) = A(i) }",
		"1:15: ) ends the extents, not + [bad-syntax]"},
	{"def f(float(N) A) -> B { B(i) = A(i) }",
		"1:22: ( begins the outputs, not B [bad-syntax]"},
	{"def f(float(N) A) -> (B) { B(i + 1) = A(i) }",
		"1:32: the left side has names of indices alone, not expressions: + [bad-syntax]"},
	{"def f(float(N) A) -> (B) { B(i) -= A(i) }",
		"1:33: = += *= min= max=, or one of them with !, not - [bad-syntax]"},
	{"def f(float(N) A) -> (B) { min(i) = A(i) }",
		"1:28: a statement NAME(...) = ..., or the } that ends them, not min [bad-syntax]"},
	{"def f(float(N) A) -> (B) { B(i) = A(i) where i = 0:N }",
		"1:51: a statement NAME(...) = ..., or the } that ends them, not : [bad-syntax]"},
	{"def f(float(N) A) -> (B) { B(i) = A.N }",
		"1:37: the number of an axis of A, not N [bad-syntax]"},
	// definitions
	{"",
		"1:1: a file without a definition [unbound-name]"},
	{"def f(float(N) A) -> (B) { B(i) = A(i) } def g(float(N) A) -> (B) { B(i) = A(i) }",
		"1:1: which definition: f, g? [unbound-name]"},
	{"def f(float(N) A) -> (B) { B(i) = A(i) } def f(float(N) A) -> (B) { B(i) = A(i) }",
		"1:46: f is defined already, at x.tc:1:5 [redefined-name]"},
	// names
	{"def f(float(N) A, float(N) A) -> (B) { B(i) = A(i) }",
		"1:28: A is an input already [redefined-name]"},
	{"def f(float(N) A, float(M) N) -> (B) { B(i) = A(i) }",
		"1:13: N is an input, and no scalar integer: it is no extent [redefined-name]"},
	{"def f(float N, float(N) A) -> (B) { B(i) = A(i) }",
		"1:22: N is an input, and no scalar integer: it is no extent [redefined-name]"},
	{"def f(float(N) A) -> (B, B) { B(i) = A(i) }",
		"1:26: B is an output already [redefined-name]"},
	{"def f(float(N) A) -> (N) { N(i) = A(i) }",
		"1:23: N is a size already, at x.tc:1:13 [redefined-name]"},
	{"def f(float(N) A) -> (B) { B(N) = A(N) }",
		"1:30: N is a size already [redefined-name]"},
	{"def f(float(N, N) A) -> (B) { B(i, i) = A(i, i) }",
		"1:36: i is an index of the left side already [redefined-name]"},
	{"def f(float(N) A) -> (B) { B(i) = A(i) * a }",
		"1:42: a is no size and no tensor, and no subscript says its range [unbound-name]"},
	{"def f(float(N) A, float alpha) -> (B) { B(i) = A(i) * alhpa }",
		"1:55: alhpa is no size and no tensor, and no subscript says its range; did you mean alpha? [unbound-name]"},
	{"def f(float(N) A) -> (B) { B(i) = A(i) + AA.0 }",
		"1:42: AA is no tensor; did you mean A? [unbound-name]"},
	{"def f(float(N) A) -> (B) { B(i) = B(i) + A(i) }",
		"1:35: B is read before it is written: its type and its extents are not known [unbound-name]"},
	{"def f(float(N) A) -> (B) { B(i) = A(i) where x = 1, x = 2 }",
		"1:53: x is the name of an expression already [redefined-name]"},
	{"def f(float(N) A) -> (B) { B(i) = A(i) + x where x = y, y = x }",
		"1:50: x stands for what it occurs in [unbound-name]"},
	{"def f(float(N) A) -> (B) { B(i) = A(i) where A = 1 }",
		"1:46: A is a tensor already [redefined-name]"},
	{"def f(float(N) A) -> (B) { B(i) = A(i) where i in 0:2, i in 0:3 }",
		"1:56: i has a range already, at x.tc:1:46 [redefined-name]"},
	{"def f(float(N) A) -> (B) { B(i) = A(i) where k in 0:2 }",
		"1:46: k is no index of this statement [unbound-name]"},
	{"def f(float(N) A) -> (B) { B(i) = A(i) where exists A(k) }",
		"1:55: k is no size, and no index of what is computed [unbound-name]"},
	{"def f(float(N) A) -> (B) { B(i) = sqtr(A(i)) }",
		"1:35: sqtr is no tensor and no function; did you mean sqrt? [unknown-call]"},
	{"def f(float(N) A) -> (B) { B(i) = sqrt(A(i), 2) }",
		"1:35: sqrt takes 1 operands, not 2 [unknown-call]"},
	// outputs and inputs
	{"def f(float(N) A) -> (B) { A(i) = A(i) + 1 }",
		"1:28: A is an input, which is never written [writes-input]"},
	{"def f(float(N) A) -> (A) { A(i) = A(i) + 1 }",
		"1:23: A is an input, which is never written [writes-input]"},
	{"def f(float(N) A) -> (B) { B(i) = A(i) C(i) = A(i) }",
		"1:40: C is written, but not among the outputs behind -> [output-unknown]"},
	{"def f(float(N) A) -> (B, C) { B(i) = A(i) }",
		"1:26: C is never written [output-unknown]"},
	{"def f(float(N) A) -> (B) { N = 2 }",
		"1:28: N is a size, which is never written [writes-input]"},
	// ranks and types
	{"def f(float(N) A) -> (B) { B(i) = A(i, i) }",
		"1:35: A has 1 extents, and 2 subscripts here [bad-rank]"},
	{"def f(float(N) A) -> (B) { B(i) = A }",
		"1:35: A has 1 extents, and 0 subscripts here [bad-rank]"},
	{"def f(float(N) A) -> (B) { B(i) = A.1 }",
		"1:35: A has 1 extents, from A.0 on [bad-rank]"},
	{"def f(float(N) A) -> (B) { B(i) = A(i) B(i, j) = A(i) + A(j) }",
		"1:40: B has 1 extents, and 2 indices here [bad-rank]"},
	{"def f(int32(N) A) -> (B) { B(i) = A(i) * 0.5 }",
		"1:42: 0.5 is no int32, which is the type of the operand beside it: convert one of them [type-mismatch]"},
	{"def f(uint8(N) A) -> (B) { B(i) = A(i) + 300 }",
		"1:42: 300 is no uint8, which is the type of the operand beside it [type-mismatch]"},
	{"def f(uint8(N) A) -> (B) { B(i) = A(i) + -1 }",
		"1:42: -1 is no uint8, which is the type of the operand beside it [type-mismatch]"},
	{"def f(int8(N) A) -> (B) { B(i) = 3000000000 where exists A(i) }",
		"1:34: 3000000000 is no int32 [too-large]"},
	{"def f(float(N) A) -> (B) { B(i) = A(i) % 2.0 }",
		"1:35: % of a float32 [type-mismatch]"},
	{"def f(float(N) A) -> (B) { B(i) = A(i) ? 1 : 0 }",
		"1:35: A(i) is of type float32, where a bool is wanted [type-mismatch]"},
	{"def f(bool(N) A) -> (B) { B(i) = A(i) + A(i) }",
		"1:34: + of bools: convert them, as in int32(...) [type-mismatch]"},
	{"def f(bool(N) A) -> (B) { B(i) = -A(i) }",
		"1:34: - of a bool: convert it, as in int32(...) [type-mismatch]"},
	{"def f(bool(N) A) -> (B) { B +=! A(i) }",
		"1:27: += of bools: convert them, as in int32(...) [type-mismatch]"},
	{"def f(int32(N) A) -> (B) { B(i) = !A(i) }",
		"1:36: A(i) is of type int32, where a bool is wanted [type-mismatch]"},
	// subscripts
	{"def f(float(N) A, int32(M) P) -> (B) { B(i) = A(P(i)) }",
		"1:49: P(i) is data: it cannot be in a subscript or a bound [not-static-control]"},
	{"def f(float(N) A, float n) -> (B) { B(i) = A(i) where i in 0:n }",
		"1:62: n is data: it cannot be in a subscript or a bound [not-static-control]"},
	{"def f(float(N) A) -> (B) { B(i) = A(1.5) where i in 0:2 }",
		"1:37: 1.5 is no integer: it cannot be in a subscript or a bound [not-static-control]"},
	{"def f(float(N) A) -> (B) { B(i) = A(i / 0) where i in 0:2 }",
		"1:37: i / 0 divides by 0 [not-affine]"},
	{"def f(float(N) A) -> (B) { B(i, j) = A(i / j) where i in 1:2, j in 1:2 }",
		"1:40: i / j: in a subscript or a bound a divisor is a number or a size [not-affine]"},
	{"def f(float(N) A) -> (B) { B(i) = A(i > 0 ? i : 0) where i in 0:N }",
		"1:37: i > 0 ? i : 0 is no integer of sizes and indices [not-static-control]"},
	// ranges
	{"def f(float(N) A) -> (B) { B(i) = A(k) }",
		"1:37: k is no index of B(i), and = does not reduce: write +=!, *=!, min=! or max=! [free-index]"},
	{"def f(float(N) A) -> (B) { B(i) +=! A(i + k) }",
		"1:30: the range of i cannot be inferred: i + k has more than one index without a range (i, k); write where i in LO:HI [range-inference]"},
	{"def f(float(N) A) -> (B) { B(i, j) = A(i) }",
		"1:33: the range of j cannot be inferred: no subscript says it; write where j in LO:HI [range-inference]"},
	{"def f(float(N) A) -> (B) { B(i) = A(i - i) }",
		"1:30: the range of i cannot be inferred: no subscript says it; write where i in LO:HI [range-inference]"},
	{"def f(float(N) A) -> (B) { B(i) = A(i / 2) }",
		"1:37: the range of i is inferred from subscripts in which its factor is a number or a size, not from i / 2: write where i in LO:HI [range-inference]"},
	{"def f(float(N, M) A) -> (B) { B(i) = A(i, i * i) }",
		"1:43: the range of i is inferred from subscripts in which its factor is a number or a size, not from i * i: write where i in LO:HI [range-inference]"},
	{"def f(float(N) A) -> (B) { B(i) = A(i) where i in 3:3 }",
		"1:46: i in 3:3 holds nothing, at any sizes [range-inference]"},
	{"def f(float(N) A) -> (B) { B(i, j) = A(i) where i in 0:N, j in 0:i }",
		"1:66: i is no size: a range is the same for all iterations [range-inference]"},
	{"def f(float(N) A) -> (B) { B(i) = A(i) + A(N + i) }",
		"1:30: the range of i, inferred, is 0 <= i < 0: it holds nothing, at any sizes [range-inference]"},
	{"def f(float(3) A) -> (B) { B(i) = A(i + k) * k where k in 0:4 }",
		"1:41: k is no index of B(i), and = does not reduce: write +=!, *=!, min=! or max=! [free-index]"},
	// several
	{"def f(float(N) A) -> (B, C, D) {\n  B(i) = A(i + k)\n  C(i) = B(i)\n  D(i) = A(i) * x\n  E(i) = D(i)\n}",
		"2:16: k is no index of B(i), and = does not reduce: write +=!, *=!, min=! or max=! [free-index]\n" +
			"4:17: x is no size and no tensor, and no subscript says its range [unbound-name]\n" +
			"5:3: E is written, but not among the outputs behind -> [output-unknown]"},
}

func said(err error) string {
	var lines []string
	for _, e := range source.AsErrors(err) {
		p := e.Position()
		lines = append(lines, strings.TrimPrefix(p.String(), "x.tc:")+": "+e.Msg+" ["+e.Code+"]")
	}
	return strings.Join(lines, "\n")
}

func TestBad(t *testing.T) {
	for _, b := range bad {
		_, err := Parse(textFile(b.text), "")
		if got := said(err); got != b.want {
			t.Errorf("%s\n%s\nwant\n%s", b.text, got, b.want)
		}
	}
}

// TestChosen: a definition of several is known by its name.
func TestChosen(t *testing.T) {
	text := "def f(float(N) A) -> (B) { B(i) = A(i) } def g(float(M) A) -> (C) { C(i) = -A(i) }"
	for name, want := range map[string]string{"f": "", "g": "", "ff": "1:1: there is no definition ff; did you mean f? [unbound-name]"} {
		p, err := Parse(textFile(text), name)
		if got := said(err); got != want || err == nil && p.Name != name {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestLarge: what is deep or long is read, or refused at a place of it.
func TestLarge(t *testing.T) {
	repeat := strings.Repeat
	long := "def f(float(N) A) -> (B) {\n"
	statement := "  B(i) = A(i) + A(i) * 2 - (A(i) > 0 ? 1 : A(i)) # and so on\n"
	count := tier.Pick(1000, maxStatements)
	var doubled strings.Builder
	doubled.WriteString("x0 = A(i)")
	for k := range 40 {
		doubled.WriteString(strings.ReplaceAll(strings.ReplaceAll(", xN = xM + xM", "N", strconv.Itoa(k+1)), "M", strconv.Itoa(k)))
	}
	for _, c := range []struct{ name, text, code string }{
		{"statements", long + repeat(statement, count) + "}", ""},
		{"more statements", long + repeat(statement, 10<<20/len(statement)) + "}", "too-large"},
		{"open", repeat("(", 10<<20), "bad-syntax"},
		{"parentheses", long + "B(i) = " + repeat("(", 5000) + "A(i)" + repeat(")", 5000) + "}", "too-deep"},
		{"signs", long + "B(i) = " + repeat("-", 5000) + "A(i)}", "too-deep"},
		{"choices", long + "B(i) = " + repeat("A(i) > 0 ? 1 : ", 5000) + "A(i)}", "too-deep"},
		{"operators", long + "B(i) = A(i)" + repeat(" + A(i)", 50000) + "}", "too-deep"},
		{"lets", long + "B(i) = x40 where " + doubled.String() + "}", "too-large"},
		{"digits", long + "B(i) = A(i) * 0." + repeat("1", 1<<20) + "}", "too-large"},
		{"extent", "def f(float(99999999999999999999) A) -> (B) { B(i) = A(i) }", "bad-syntax"},
		{"large extent", "def f(float(4611686018427387904) A) -> (B) { B(i) = A(i) }", ""},
		{"bounds", long + "B(i) = A(0) where i in 0:" + repeat("N * ", 100) + "N }", ""},
		{"expanded", long + "B(i) = A(" + repeat("(N + i) * ", 300) + "1) where i in 0:2 }", "too-large"},
		{"conditions", long + "B(i) = " + repeat("(i > 0 ? 1 : 2) + (i > A.0 - 3 ? 4 : 5) + ", 20) + "A(i)" + "}", ""},
		{"many conditions", long + "B(i) = " + manyConditions() + "A(i)" + "}", ""},
	} {
		_, err := Parse(textFile(c.text), "")
		if c.code == "" && err != nil || c.code != "" && (err == nil || source.AsErrors(err)[0].Code != c.code) {
			t.Errorf("%s: %.300v, want %s", c.name, err, c.code)
		}
	}
}

func manyConditions() string {
	var b strings.Builder
	for k := range 60 {
		b.WriteString("(i > " + strconv.Itoa(k) + " ? 1 : 2) + ")
	}
	return b.String()
}

// mutant changes some words of a text.
func mutant(rng *rand.Rand, text string) string {
	var words []string
	for _, t := range lex(textFile(text)) {
		if t.kind != end {
			words = append(words, t.text)
		}
	}
	extra := []string{"-1", "0", "(", ")", "i", "N", "A", "A.0", "where", "exists A(i)", "min(", ",", "in", "=", "+=!", "?", ":", "%", "/",
		"1.5", "x", "int8(", "9999999999", "# c\n", "\n\n"}
	for range 1 + rng.IntN(2) {
		i, j := rng.IntN(len(words)), rng.IntN(len(words))
		switch rng.IntN(4) {
		case 0:
			words[i] = words[j]
		case 1:
			words[i], words[j] = words[j], words[i]
		case 2:
			words = append(words[:i:i], words[i+1:]...)
		case 3:
			words = append(words[:i:i], append([]string{extra[rng.IntN(len(extra))]}, words[i:]...)...)
		}
	}
	return strings.Join(words, " ")
}

// TestMutants: whatever a text is, it is refused in a place of it or read into a procedure that leaves what the text says;
// layout is settled after one time and keeps the meaning.
func TestMutants(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var texts []string
	for _, k := range kernels {
		texts = append(texts, k.text)
	}
	for seed := range uint64(60) {
		texts = append(texts, string(Generate(seed)))
	}
	read := 0
	for k := range tier.Pick(2000, 60000) {
		text := mutant(rng, texts[rng.IntN(len(texts))])
		once := Format(text)
		if again := Format(once); again != once {
			t.Fatalf("laid out twice:\n%s\nonce:\n%s", again, once)
		}
		_, err := Parse(textFile(text), "")
		if err != nil {
			for _, e := range source.AsErrors(err) {
				if e.Code == "" || e.Span.File == nil || e.Msg == "" {
					t.Fatalf("%v\n%s", err, text)
				}
			}
			continue
		}
		read++
		c := newInstance(t, text, "", uint64(k))
		if got, want := loops.Format(newInstance(t, once, "", 0).proc), loops.Format(c.proc); shapeless(got) != shapeless(want) {
			t.Fatalf("%s\nmeans\n%s\nand not\n%s", once, got, want)
		}
		want, why := c.wanted()
		if why == either || why == tooLong {
			continue
		}
		if got, err := c.left(t); got != want || (err == nil) != (why == "") {
			t.Fatalf("sizes %v: %v\n%swant %s\n%s%s", c.size, err, got, why, want, text)
		}
	}
	if read < 50 {
		t.Errorf("%d mutants are read", read)
	}
	t.Log(read, "mutants are read")
}

// shapeless leaves out the texts that messages quote.
func shapeless(s string) string {
	lines := strings.Split(s, "\n")
	for k := range lines {
		lines[k], _, _ = strings.Cut(lines[k], ` "`)
	}
	return strings.Join(lines, "\n")
}
