package cnest_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"tv/internal/source"
	"tv/internal/tier"
	"tv/semantics/cnest"
	"tv/semantics/loops"
	"tv/semantics/loops/looptest"
	"tv/semantics/loops/run"
)

// perFile is how many programs one run of the compiler gets.
const perFile = 100

// compiler are the flags that say what signed overflow and a*b + c mean here, and look at each access. Optimising takes as long again.
var compiler = []string{"-w", "-fwrapv", "-ffp-contract=off", "-fsanitize=address,undefined",
	"-fno-sanitize=signed-integer-overflow", "-fno-sanitize-recover=all"}

// TestAgainstGCC: random programs leave the same bits in every parameter whether gcc compiles them or the evaluator runs
// what they were read into. TV_CNEST=N tests N programs, TV_CNEST_FROM=S from seed S on.
func TestAgainstGCC(t *testing.T) {
	if !installed(t) {
		return
	}
	count, from := tier.Draw(60, 200, 400), 0
	if n, err := strconv.Atoi(os.Getenv("TV_CNEST")); err == nil {
		count = n
	}
	if n, err := strconv.Atoi(os.Getenv("TV_CNEST_FROM")); err == nil {
		from = n
	}
	for ; count > 0; count -= perFile {
		compare(t, drawn(from, min(count, perFile)))
		from += perFile
	}
}

// TestStressAgainstGCC: so do ten thousand of them.
func TestStressAgainstGCC(t *testing.T) {
	part := tier.Stress(t)
	if !installed(t) {
		return
	}
	for k := range 10_000 / perFile {
		if part.Has(k) {
			compare(t, drawn(perFile*k, perFile))
		}
	}
}

// drawn are some programs of seeds from one on.
func drawn(from, count int) (batch []program) {
	for k := range count {
		seed := uint64(from + k)
		batch = append(batch, program{fmt.Sprint("seed ", seed), string(cnest.Generate(seed)), "f", seed})
	}
	return batch
}

// TestCorpusAgainstGCC: so do the files of the corpus, at some sizes, if the call comes to its end.
func TestCorpusAgainstGCC(t *testing.T) {
	if !installed(t) {
		return
	}
	var batch []program
	kernels, err := filepath.Glob("../../testdata/polybench/*.c")
	if err != nil || len(kernels) < 30 {
		t.Fatalf("%d kernels: %v", len(kernels), err)
	}
	for _, file := range append(corpus(t), kernels...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "polybench") || strings.Contains(string(text), "exp(") {
			continue // gcc does not have the header, nor the evaluator the function, bit for bit
		}
		for seed := range uint64(3) {
			batch = append(batch, program{file, string(text), parsed(t, file, string(text)).Name, seed})
		}
	}
	compare(t, batch)
}

// A program is a text, its function and what its sizes and contents are drawn from.
type program struct {
	name, text, function string
	seed                 uint64
}

func parsed(t *testing.T, name, text string) *loops.Procedure {
	t.Helper()
	p, err := cnest.Parse(source.NewFile(name, text), "")
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return p
}

// evaluated runs a procedure and prints what its parameters hold.
func evaluated(p *loops.Procedure, c program) (string, error) {
	sizes := looptest.Sizes(p, c.seed)
	for _, h := range p.Heading {
		if h.Buffer != nil {
			unbounded(h.Buffer, sizes)
		}
	}
	return looptest.Evaluated(p, sizes, c.seed)
}

// unbounded gives a bare pointer the most elements that a program of the corpus asks for.
func unbounded(b *loops.Buffer, sizes map[string]int64) {
	if b.Unsized {
		n := int64(1)
		for _, k := range sizes {
			n *= k
		}
		b.Dims[0] = loops.Num(n)
	}
}

// compare compiles programs, runs them, and holds what they print against the evaluator.
func compare(t *testing.T, batch []program) {
	t.Helper()
	var file strings.Builder
	file.WriteString(looptest.Driver)
	var want []string
	var names []program
	var procs []*loops.Procedure
	for _, c := range batch {
		p := parsed(t, c.name, c.text)
		out, err := evaluated(p, c)
		if err != nil {
			var ended *run.Ended
			if strings.HasPrefix(c.name, "seed") || !errors.As(err, &ended) {
				t.Errorf("%s, sizes %v: %v\n%s", c.name, looptest.Sizes(p, c.seed), err, c.text)
			}
			continue
		}
		want, names, procs = append(want, out), append(names, c), append(procs, p)
	}
	for k, c := range names { // a text is compiled once for all that it is called with
		if k == 0 || names[k-1].text != c.text {
			file.WriteString(opened(k, c))
		}
		file.WriteString(caller(k, procs[k], c))
		if k+1 == len(names) || names[k+1].text != c.text {
			file.WriteString(closed(c))
		}
	}
	file.WriteString(looptest.Main(len(names)))
	blocks := looptest.Compiled(t, "gcc", "a.c", file.String(), append(compiler, tier.Pick("-O0", "-O1"))...)
	for k, c := range names {
		if k+1 >= len(blocks) {
			t.Fatalf("%s does not come to its end: %.2000s\n%s", c.name, blocks[len(blocks)-1], c.text)
		}
		if blocks[k] != want[k] {
			t.Errorf("%s, sizes %v: gcc\n%sevaluator\n%s%s", c.name, looptest.Sizes(procs[k], c.seed), blocks[k], want[k], c.text)
		}
	}
}

// renamed are the functions of a program that others may have too.
func renamed(c program) []string {
	return []string{c.function, "relu", "leap", "half", "fill", "axpy", "total"}
}

// opened is a program under names of its own, which hold until it is closed.
func opened(k int, c program) string {
	var out strings.Builder
	for _, name := range renamed(c) {
		fmt.Fprintf(&out, "#define %s %s_%d\n", name, name, k)
	}
	out.WriteString(c.text)
	return out.String()
}

// closed takes the names of a program back, and its macros.
func closed(c program) string {
	var out strings.Builder
	for _, name := range append(renamed(c), defined(c.text)...) {
		fmt.Fprintf(&out, "#undef %s\n", name)
	}
	return out.String()
}

// caller is a function that calls the program that is open.
func caller(k int, p *loops.Procedure, c program) string {
	var out strings.Builder
	sizes := looptest.Sizes(p, c.seed)
	fmt.Fprintf(&out, "static void call%d(void) {\n", k)
	var args, prints, frees []string
	for i, h := range p.Heading {
		if h.Buffer == nil {
			args = append(args, fmt.Sprint(sizes[h.Size]))
			continue
		}
		b := h.Buffer
		n := looptest.Elements(looptest.Dims(b, sizes))
		fmt.Fprintf(&out, "  void *p%d = %s;\n", i, looptest.Filled(b, i, c.seed, n))
		frees = append(frees, fmt.Sprintf("  free(p%d);\n", i))
		if len(b.Dims) == 0 {
			args = append(args, fmt.Sprintf("*(%s *)p%d", looptest.CType(b.Elem), i))
			continue
		}
		args = append(args, fmt.Sprintf("p%d", i))
		if b.Kind == loops.InOut || len(b.Dims) > 0 {
			prints = append(prints, "  "+looptest.Printed(b, fmt.Sprint("p", i), n)+"\n")
		}
	}
	call := fmt.Sprintf("%s(%s);\n", c.function, strings.Join(args, ", "))
	if last := p.Buffers[len(p.Buffers)-1]; len(p.Buffers) > 0 && last.Kind == loops.Returned {
		fmt.Fprintf(&out, "  %s r = %s", looptest.CType(last.Elem), call)
		prints = append(prints, "  "+looptest.Printed(last, "&r", 1)+"\n")
	} else {
		out.WriteString("  " + call)
	}
	out.WriteString(strings.Join(prints, "") + strings.Join(frees, "") + "}\n")
	return out.String()
}

// defined lists the macros of a text.
func defined(text string) (names []string) {
	for _, line := range strings.Split(text, "\n") {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "#define" {
			name, _, _ := strings.Cut(words[1], "(")
			names = append(names, name)
		}
	}
	return names
}
