// Package looptest is for tests of what reads languages of loops: it draws sizes and contents of parameters, here and in a
// driver in C, runs procedures on them, and prints what they leave as the driver does.
package looptest

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"tv/internal/mix"
	"tv/semantics/domain"
	"tv/semantics/loops"
	"tv/semantics/loops/run"
	"tv/semantics/value"
)

// Sizes draws a number for each size: the arguments, and those that occur in extents of parameters alone.
func Sizes(p *loops.Procedure, seed uint64) map[string]int64 {
	out := map[string]int64{}
	for k, h := range p.Heading {
		if h.Buffer == nil {
			out[h.Size] = drawnSize(seed, uint64(k))
		}
	}
	for k, h := range p.Heading {
		if h.Buffer == nil {
			continue
		}
		for axis, d := range h.Buffer.Dims {
			if d == nil || d.Op != loops.Size {
				continue
			}
			if _, ok := out[d.Name]; !ok {
				out[d.Name] = drawnSize(seed, uint64(1000*k+axis))
			}
		}
	}
	return out
}

func drawnSize(seed, k uint64) int64 { return int64(1 + mix.Spread(seed*31+k)%6) }

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
		if e.Width == 32 {
			return uint64(math.Float32bits(float32(f)))
		}
		return math.Float64bits(f)
	}
	n := h >> 16
	if h%2 == 1 {
		n = (h>>8)%21 - 10
	}
	return n & (^uint64(0) >> (64 - e.Width))
}

// Evaluated runs a procedure bit for bit and prints what its parameters hold, but for scalars that it cannot write.
func Evaluated(p *loops.Procedure, sizes map[string]int64, seed uint64) (string, error) {
	params := map[*loops.Buffer]int64{}
	for k, h := range p.Heading {
		if h.Buffer != nil {
			params[h.Buffer] = int64(k)
		}
	}
	r, err := run.New(p, run.Options{Arith: value.Exact, Sizes: sizes,
		Input: func(b *loops.Buffer, offset int64) value.Value {
			return value.BitsValue(bits(drawn(seed, params[b], offset), b.Elem), b.Elem)
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
		for offset := range Elements(r.Dims(b)) {
			n, ok := r.Value(b, offset).Bits()
			if !ok {
				return "", fmt.Errorf("element %d of %s is %s", offset, b.Name, r.Value(b, offset))
			}
			fmt.Fprintf(&out, " %s", shown(n, b.Elem))
		}
		out.WriteByte('\n')
	}
	return out.String(), nil
}

// Elements is how many elements there are.
func Elements(dims []int64) int64 {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	return n
}

// Dims are the extents of a parameter at some sizes: those that a run of nothing has.
func Dims(b *loops.Buffer, sizes map[string]int64) []int64 {
	r, err := run.New(&loops.Procedure{Buffers: []*loops.Buffer{b}}, run.Options{Sizes: sizes})
	if err != nil || r.Do(context.Background()) != nil {
		panic(err)
	}
	return r.Dims(b)
}

// shown prints the bits of an element; all that are no numbers are one.
func shown(n uint64, e domain.Elem) string {
	nan := e.Kind == domain.ElemFloat && (e.Width == 32 && math.IsNaN(float64(math.Float32frombits(uint32(n)))) ||
		e.Width == 64 && math.IsNaN(math.Float64frombits(n)))
	if nan {
		return "nan"
	}
	return strconv.FormatUint(n, 16)
}

// CType is the type of C that an element has.
func CType(e domain.Elem) string {
	switch e.Kind {
	case domain.ElemFloat:
		return map[int]string{32: "float", 64: "double"}[e.Width]
	case domain.ElemUint:
		return fmt.Sprintf("uint%d_t", e.Width)
	case domain.ElemBool:
		return "uint8_t"
	}
	return fmt.Sprintf("int%d_t", e.Width)
}

// Filled is an expression of C that allocates and fills the k-th parameter, and Printed a statement that prints it.
func Filled(b *loops.Buffer, k int, seed uint64, count int64) string {
	return fmt.Sprintf("filled(%du, %d, %d, %d, %d)", seed, k, count, isFloat(b.Elem), b.Elem.Width)
}

// Printed is a statement of C that prints what a pointer points to, as Evaluated does.
func Printed(b *loops.Buffer, pointer string, count int64) string {
	return fmt.Sprintf("print(%q, %s, %d, %d, %d);", b.Name, pointer, count, isFloat(b.Elem), b.Elem.Width)
}

func isFloat(e domain.Elem) int {
	if e.Kind == domain.ElemFloat {
		return 1
	}
	return 0
}

// Driver is the beginning of a driver: it has what fills and prints parameters.
const Driver = `#include <stdint.h>
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
  int bytes = (width + 7) / 8;
  char *p = malloc(count * bytes + 1);
  for (long k = 0; k < count; k++) {
    uint64_t n = bits(spread(seed * 1000003 + param * 65537 + k), isfloat, width);
    memcpy(p + k * bytes, &n, bytes);
  }
  return p;
}
static void print(const char *name, const void *p, long count, int isfloat, int width) {
  int bytes = (width + 7) / 8;
  printf("%s", name);
  for (long k = 0; k < count; k++) {
    uint64_t n = 0;
    memcpy(&n, (const char *)p + k * bytes, bytes);
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

// Main is a function that calls count functions, call0 and so on, each of which prints what it leaves.
func Main(count int) string {
	var out strings.Builder
	out.WriteString("int main(void) {\n")
	for k := range count {
		fmt.Fprintf(&out, "  call%d();\n  printf(\"==\\n\");\n  fflush(stdout);\n", k)
	}
	out.WriteString("  return 0;\n}\n")
	return out.String()
}

// Compiled compiles a file with a compiler that takes the flags, runs it, and returns what each of its calls prints; fewer,
// where it does not come to its end: then the last says why.
func Compiled(t *testing.T, compiler, name, text string, flags ...string) []string {
	t.Helper()
	dir := t.TempDir()
	file, binary := filepath.Join(dir, name), filepath.Join(dir, "a")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	args := append(append([]string{}, flags...), "-o", binary, file, "-lm")
	if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%.3000s", compiler, err, out)
	}
	var out bytes.Buffer
	cmd := exec.Command(binary)
	cmd.Stdout, cmd.Stderr = &out, &out
	_ = cmd.Run() // what it prints says which one failed
	return strings.Split(out.String(), "==\n")
}
