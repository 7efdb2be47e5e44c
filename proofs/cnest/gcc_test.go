package cnest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tv/internal/source"
	"tv/proofs/loops"
	"tv/proofs/loops/looptest"
	"tv/semantics/domain"
)

// A program is a text that is compiled.
type program struct {
	name, text string
	p          *loops.Procedure
	most       int64 // sizes are up to that
	loose      bool  // integers of control wrap where gcc sees no error
}

// An execution is one of a program at sizes.
type execution struct {
	of    int
	sizes map[string]int64
	count []int64
	left  string // what the machine leaves, or "error"
}

func read(name, text string) (*loops.Procedure, error) {
	return Procedure(source.NewFile(name, text))
}

var (
	included = regexp.MustCompile(`(?m)^[ \t]*#include.*$`)
	defined  = regexp.MustCompile(`(?m)^[ \t]*#define[ \t]+(\w+)`)
)

const prelude = `#include <math.h>
#include <stdint.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static long held(long n, long k) { return (n * 31 + k * 7 + k * k * 3) % 23 - 11; }
static void show(double x) {
	unsigned long u; memcpy(&u, &x, 8);
	if (x == 0) printf(" 0"); else if (x != x) printf(" nan"); else printf(" %lx", u);
}
`

// cType is a type of an element.
func cType(e domain.Elem) string {
	switch {
	case e.Kind == domain.ElemFloat:
		return map[int]string{32: "float", 64: "double"}[e.Width]
	case e.Kind == domain.ElemUint:
		return fmt.Sprintf("uint%d_t", e.Width)
	}
	return fmt.Sprintf("int%d_t", e.Width)
}

// wrapper is C that runs a program on what parameters hold before, and prints what they hold then.
func (g *program) wrapper(k int) string {
	var b, after strings.Builder
	list := functions(preprocess(source.NewFile(g.name, g.text)))
	f := chosen(list, source.Span{File: source.NewFile("x.c", "")})
	f.parse()
	for _, h := range list {
		fmt.Fprintf(&b, "#define %s p%d_%s\n", h.name, k, h.name)
	}
	if strings.Contains(g.text, "_PB_") { // for the header
		for _, m := range []string{"NI", "NJ", "NK", "N", "M"} {
			fmt.Fprintf(&b, "#define _PB_%s %s\n", m, strings.ToLower(m))
		}
		fmt.Fprintf(&b, "#define DATA_TYPE double\n#define NI 1\n"+
			"#define POLYBENCH_2D(v, A, B, a, b) v[a][b]\n#define POLYBENCH_1D(v, A, a) v[a]\n")
	}
	text, _, _ := strings.Cut(g.text, "int main(")
	fmt.Fprintf(&b, "%s\n", included.ReplaceAllString(text, ""))
	fmt.Fprintf(&b, "static void run%d(const long *sizes, const long *count) {\n", k)
	var args []string
	size, param := 0, 0
	for _, v := range f.params {
		if size < len(g.p.Sizes) && g.p.Sizes[size] == v.name {
			args, size = append(args, fmt.Sprintf("sizes[%d]", size)), size+1
			continue
		}
		e := g.p.Params[param].Elem
		four := map[bool]string{true: " / 4.0"}[e.Kind == domain.ElemFloat]
		fmt.Fprintf(&b, "%[1]s *a%[2]d = malloc(count[%[2]d] * sizeof(%[1]s));\n"+
			"for (long k = 0; k < count[%[2]d]; k++) a%[2]d[k] = held(%[2]d, k)%[3]s;\n",
			cType(e), param, four)
		fmt.Fprintf(&after, "for (long k = 0; k < count[%d]; k++) %s;\n", param,
			printing(e, fmt.Sprintf("a%d[k]", param)))
		if v.array {
			args = append(args, fmt.Sprintf("(void *)a%d", param))
		} else {
			args = append(args, fmt.Sprintf("*a%d", param))
		}
		param++
	}
	call := fmt.Sprintf("%s(%s)", f.name, strings.Join(args, ", "))
	if f.result == void {
		fmt.Fprintf(&b, "%s;\n%s}\n", call, after.String())
	} else {
		fmt.Fprintf(&b, "%s r = %s;\n%s%s;\n}\n", cType(f.result.elem), call, after.String(),
			printing(f.result.elem, "r"))
	}
	for _, m := range defined.FindAllStringSubmatch(b.String(), -1) {
		fmt.Fprintf(&b, "#undef %s\n", m[1])
	}
	return b.String()
}

func printing(e domain.Elem, x string) string {
	switch {
	case e.Kind == domain.ElemFloat:
		return "show(" + x + ")"
	case e.Kind == domain.ElemUint:
		return `printf(" %lu", (unsigned long)` + x + ")"
	}
	return `printf(" %ld", (long)` + x + ")"
}

// executions are those at all sizes up to a number, but for arrays of a negative number of elements.
func (g *program) executions(k int) (out []execution) {
	sizes := map[string]int64{}
	var next func(i int)
	next = func(i int) {
		if i < len(g.p.Sizes) {
			for n := int64(1); n <= g.most; n++ {
				sizes[g.p.Sizes[i]] = n
				next(i + 1)
			}
			return
		}
		x := execution{of: k, sizes: map[string]int64{}}
		for name, n := range sizes {
			x.sizes[name] = n
		}
		for _, q := range g.p.Params {
			all := int64(1)
			for _, d := range q.Dims {
				n, err := d.Eval(sizes)
				if err != nil || n.Sign() < 0 {
					return
				}
				all *= n.Int64()
			}
			x.count = append(x.count, all)
		}
		x.left = "error"
		if left, err := looptest.Run(g.p, x.sizes); err == nil {
			x.left = left
		} else if err == looptest.ErrGuarded {
			x.left = "guarded"
		} else if g.loose { // it may run for ever
			return
		}
		out = append(out, x)
	}
	next(0)
	return out
}

// compiled runs programs, and returns what each execution leaves, or "error".
func compiled(t *testing.T, programs []*program, executions []execution) []string {
	dir := t.TempDir()
	var b strings.Builder
	b.WriteString(prelude)
	for k, g := range programs {
		b.WriteString(g.wrapper(k))
	}
	b.WriteString("static void (*runs[])(const long *, const long *) = {")
	for k := range programs {
		fmt.Fprintf(&b, "run%d, ", k)
	}
	b.WriteString("};\nint main(void) {\nlong n, k, s[16], c[16];\n" +
		"while (scanf(\"%ld\", &k) == 1) {\n" +
		"for (n = 0; n < 16; n++) scanf(\"%ld\", &s[n]);\n" +
		"for (n = 0; n < 16; n++) scanf(\"%ld\", &c[n]);\n" +
		"int status = 0, apart; scanf(\"%d\", &apart);\n" +
		"fflush(stdout);\nif (!apart) runs[k](s, c);\n" +
		"else if (fork() == 0) { runs[k](s, c); fflush(stdout); _exit(0); }\n" +
		"else wait(&status);\n" +
		"printf(\"%s\\n\", status == 0 ? \"\" : \"error\");\n}\nreturn 0;\n}\n")
	file := filepath.Join(dir, "all.c")
	if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "all")
	args := []string{"-std=gnu17", "-w", "-O0", "-fwrapv", "-ffp-contract=off",
		"-fsanitize=address,undefined", "-fno-sanitize=signed-integer-overflow,float-divide-by-zero,shift-base,null,alignment,object-size," +
			"pointer-overflow",
		"-fno-sanitize-recover=all", "-o", binary, file, "-lm"}
	if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s\n%s", err, out, b.String())
	}
	var in strings.Builder
	for _, x := range executions {
		fmt.Fprint(&in, x.of)
		row := make([]int64, 32)
		for i, name := range programs[x.of].p.Sizes {
			row[i] = x.sizes[name]
		}
		copy(row[16:], x.count)
		for _, n := range row {
			fmt.Fprint(&in, " ", n)
		}
		apart := map[bool]int{true: 1}[x.left == "error"] // in a process of its own
		fmt.Fprintln(&in, " ", apart)
	}
	cmd := exec.Command(binary)
	cmd.Stdin = strings.NewReader(in.String())
	cmd.Env = append(os.Environ(), "UBSAN_OPTIONS=symbolize=0",
		"ASAN_OPTIONS=symbolize=0:detect_leaks=0:redzone=2048:quarantine_size_mb=1")
	out, err := cmd.Output()
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != len(executions) {
		t.Fatalf("%v: %d lines of %d executions", err, len(lines), len(executions))
	}
	return lines
}

// against holds executions against compiled ones, and counts those of each program that are errors.
func against(t *testing.T, programs []*program) (errors, all []int) {
	var list []execution
	for k, g := range programs {
		for _, x := range g.executions(k) {
			if x.left != "guarded" { // C may leave anything
				list = append(list, x)
			}
		}
	}
	errors, all = make([]int, len(programs)), make([]int, len(programs))
	for i, got := range compiled(t, programs, list) {
		x := list[i]
		if strings.HasSuffix(got, "error") {
			got = "error"
		}
		if all[x.of]++; x.left == "error" {
			errors[x.of]++
		}
		if got != x.left {
			t.Errorf("%s at %v:\ngcc     %s\nmachine %s\n%s", programs[x.of].name, x.sizes, got, x.left,
				programs[x.of].text)
		}
	}
	return errors, all
}
