package cnest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"tv/internal/mix"
	"tv/internal/source"
	"tv/internal/tier"
	"tv/semantics/cnest"
	"tv/semantics/domain"
	"tv/semantics/loops"
	"tv/semantics/loops/run"
	"tv/semantics/value"
)

// perFile is how many programs one run of the compiler gets.
const perFile = 100

// compiler are the flags that say what signed overflow and a*b + c mean here, and look at each access.
var compiler = []string{"-O1", "-w", "-fwrapv", "-ffp-contract=off", "-fsanitize=address,undefined",
	"-fno-sanitize=signed-integer-overflow", "-fno-sanitize-recover=all"}

// TestAgainstGCC: random programs leave the same bits in every parameter whether gcc compiles them or the evaluator runs
// what they were read into. TV_CNEST=N tests N programs, TV_CNEST_FROM=S from seed S on.
func TestAgainstGCC(t *testing.T) {
	if !installed(t) {
		return
	}
	count, from := tier.Pick(60, 400), 0
	if n, err := strconv.Atoi(os.Getenv("TV_CNEST")); err == nil {
		count = n
	}
	if n, err := strconv.Atoi(os.Getenv("TV_CNEST_FROM")); err == nil {
		from = n
	}
	for ; count > 0; count -= perFile {
		var batch []program
		for k := range min(count, perFile) {
			seed := uint64(from + k)
			batch = append(batch, program{fmt.Sprint("seed ", seed), string(cnest.Generate(seed)), "f", seed})
		}
		compare(t, batch)
		from += perFile
	}
}

// TestCorpusAgainstGCC: so do the files of the corpus, at some sizes, if the call comes to its end.
func TestCorpusAgainstGCC(t *testing.T) {
	if !installed(t) {
		return
	}
	var batch []program
	for _, file := range corpus(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "polybench") || strings.Contains(string(text), "exp") {
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

// sizesOf draws a number for each size.
func sizesOf(p *loops.Procedure, seed uint64) map[string]int64 {
	out := map[string]int64{}
	for k, h := range p.Heading {
		if h.Buffer == nil {
			out[h.Size] = int64(1 + mix.Spread(seed*31+uint64(k))%6)
		}
	}
	return out
}

// drawn is the hash that an element of a parameter is made of, here and in the driver.
func drawn(seed uint64, param, offset int64) uint64 {
	return mix.Spread(seed*1000003 + uint64(param)*65537 + uint64(offset))
}

// bits are those of an element that a hash stands for: numbers near 0 at times, any at others.
func bits(h uint64, e domain.Elem) uint64 {
	if e.Kind == domain.ElemFloat {
		f := float64(int64(h>>8)%2001-1000) / 8
		if h%8 == 0 {
			f = 0
		}
		return floatBits(f, e.Width)
	}
	n := h >> 16
	if h%2 == 1 {
		n = (h>>8)%21 - 10
	}
	return n & (^uint64(0) >> (64 - e.Width))
}

// evaluated runs a procedure and prints what its parameters hold.
func evaluated(t *testing.T, p *loops.Procedure, c program) (string, error) {
	params := map[*loops.Buffer]int64{}
	for k, h := range p.Heading {
		if h.Buffer != nil {
			params[h.Buffer] = int64(k)
			unbounded(h.Buffer, sizesOf(p, c.seed))
		}
	}
	r, err := run.New(p, run.Options{Arith: value.Exact, Sizes: sizesOf(p, c.seed),
		Input: func(b *loops.Buffer, offset int64) value.Value {
			return value.BitsValue(bits(drawn(c.seed, params[b], offset), b.Elem), b.Elem)
		}})
	if err != nil {
		return "", err
	}
	if err := r.Do(context.Background()); err != nil {
		return "", err
	}
	var out strings.Builder
	for _, b := range p.Buffers {
		if b.Kind == loops.Local || b.Kind == loops.In && len(b.Dims) == 0 {
			continue
		}
		fmt.Fprintf(&out, "%s", b.Name)
		for offset := range elements(r.Dims(b)) {
			x := r.Value(b, offset)
			n, ok := x.Bits()
			if !ok {
				t.Fatalf("%s: element %d of %s is %s", c.name, offset, b.Name, x)
			}
			fmt.Fprintf(&out, " %s", shown(n, b.Elem))
		}
		out.WriteByte('\n')
	}
	return out.String(), nil
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

func elements(dims []int64) int64 {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	return n
}

// shown prints the bits of an element; all that are no numbers are one.
func shown(n uint64, e domain.Elem) string {
	if e.Kind == domain.ElemFloat && isNaN(n, e.Width) {
		return "nan"
	}
	return strconv.FormatUint(n, 16)
}

// compare compiles programs, runs them, and holds what they print against the evaluator.
func compare(t *testing.T, batch []program) {
	t.Helper()
	var file strings.Builder
	file.WriteString(driver)
	var want []string
	var names []program
	var procs []*loops.Procedure
	for _, c := range batch {
		p := parsed(t, c.name, c.text)
		out, err := evaluated(t, p, c)
		if err != nil {
			var ended *run.Ended
			if strings.HasPrefix(c.name, "seed") || !errors.As(err, &ended) {
				t.Errorf("%s, sizes %v: %v\n%s", c.name, sizesOf(p, c.seed), err, c.text)
			}
			continue
		}
		want, names, procs = append(want, out), append(names, c), append(procs, p)
	}
	for k, c := range names {
		file.WriteString(program2(k, procs[k], c))
	}
	file.WriteString("int main(void) {\n")
	for k := range names {
		fmt.Fprintf(&file, "  call%d();\n", k)
	}
	file.WriteString("  return 0;\n}\n")
	got := compiled(t, file.String())
	blocks := strings.Split(got, "==\n")
	for k, c := range names {
		if k+1 >= len(blocks) {
			t.Fatalf("%s does not come to its end: %s\n%s", c.name, got[max(0, len(got)-2000):], c.text)
		}
		if blocks[k] != want[k] {
			t.Errorf("%s, sizes %v: gcc\n%sevaluator\n%s%s", c.name, sizesOf(procs[k], c.seed), blocks[k], want[k], c.text)
		}
	}
}

func compiled(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	file, binary := filepath.Join(dir, "a.c"), filepath.Join(dir, "a")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	args := append(append([]string{}, compiler...), "-o", binary, file, "-lm")
	if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%.3000s", err, out)
	}
	var out bytes.Buffer
	cmd := exec.Command(binary)
	cmd.Stdout, cmd.Stderr = &out, &out
	_ = cmd.Run() // what it prints says which one failed
	return out.String()
}

// driver has what fills and prints parameters.
const driver = `#include <stdint.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
static uint64_t spread(uint64_t h) {
  h += 0x9e3779b97f4a7c15u;
  h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
  h = (h ^ h >> 27) * 0x94d049bb133111ebu;
  return h ^ h >> 31;
}
static uint64_t bits(uint64_t h, int isfloat, int width) {
  if (isfloat) {
    double f = (double)((int64_t)(h >> 8) % 2001 - 1000) / 8;
    if (h % 8 == 0) f = 0;
    uint64_t n = 0;
    float s = f;
    if (width == 32) memcpy(&n, &s, 4); else memcpy(&n, &f, 8);
    return n;
  }
  uint64_t n = h >> 16;
  if (h % 2 == 1) n = (h >> 8) % 21 - 10;
  return n & (~(uint64_t)0 >> (64 - width));
}
static void *filled(uint64_t seed, uint64_t param, long count, int isfloat, int width) {
  char *p = malloc(count * width / 8);
  for (long k = 0; k < count; k++) {
    uint64_t n = bits(spread(seed * 1000003 + param * 65537 + k), isfloat, width);
    memcpy(p + k * width / 8, &n, width / 8);
  }
  return p;
}
static void print(const char *name, const void *p, long count, int isfloat, int width) {
  printf("%s", name);
  for (long k = 0; k < count; k++) {
    uint64_t n = 0;
    memcpy(&n, (const char *)p + k * width / 8, width / 8);
    float s;
    double d;
    memcpy(&s, &n, 4);
    memcpy(&d, &n, 8);
    if (isfloat && (width == 32 ? s != s : d != d)) printf(" nan"); else printf(" %lx", n);
  }
  printf("\n");
  fflush(stdout);
}
`

// program2 is a program and a function that calls it, under names of their own.
func program2(k int, p *loops.Procedure, c program) string {
	var out strings.Builder
	renamed := []string{c.function, "relu", "leap", "half", "fill", "axpy", "total"}
	for _, name := range renamed {
		fmt.Fprintf(&out, "#define %s %s_%d\n", name, name, k)
	}
	out.WriteString(c.text)
	sizes := sizesOf(p, c.seed)
	fmt.Fprintf(&out, "static void call%d(void) {\n", k)
	var args, prints, frees []string
	for i, h := range p.Heading {
		if h.Buffer == nil {
			args = append(args, fmt.Sprint(sizes[h.Size]))
			continue
		}
		b := h.Buffer
		float := 0
		if b.Elem.Kind == domain.ElemFloat {
			float = 1
		}
		n := elements(dimsOf(b, sizes))
		fmt.Fprintf(&out, "  void *p%d = filled(%du, %d, %d, %d, %d);\n", i, c.seed, i, n, float, b.Elem.Width)
		frees = append(frees, fmt.Sprintf("  free(p%d);\n", i))
		if len(b.Dims) == 0 {
			args = append(args, fmt.Sprintf("*(%s *)p%d", ctypeOf(b.Elem), i))
			continue
		}
		args = append(args, fmt.Sprintf("p%d", i))
		if b.Kind == loops.InOut || len(b.Dims) > 0 {
			prints = append(prints, fmt.Sprintf("  print(%q, p%d, %d, %d, %d);\n", b.Name, i, n, float, b.Elem.Width))
		}
	}
	call := fmt.Sprintf("%s(%s);\n", c.function, strings.Join(args, ", "))
	if last := p.Buffers[len(p.Buffers)-1]; len(p.Buffers) > 0 && last.Kind == loops.Returned {
		float := 0
		if last.Elem.Kind == domain.ElemFloat {
			float = 1
		}
		fmt.Fprintf(&out, "  %s r = %s", ctypeOf(last.Elem), call)
		prints = append(prints, fmt.Sprintf("  print(%q, &r, 1, %d, %d);\n", last.Name, float, last.Elem.Width))
	} else {
		out.WriteString("  " + call)
	}
	out.WriteString(strings.Join(prints, "") + "  printf(\"==\\n\");\n" + strings.Join(frees, "") + "}\n")
	for _, name := range append(renamed, defined(c.text)...) {
		fmt.Fprintf(&out, "#undef %s\n", name)
	}
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

func ctypeOf(e domain.Elem) string {
	switch e.Kind {
	case domain.ElemFloat:
		return map[int]string{32: "float", 64: "double"}[e.Width]
	case domain.ElemUint:
		return fmt.Sprintf("uint%d_t", e.Width)
	}
	return fmt.Sprintf("int%d_t", e.Width)
}
