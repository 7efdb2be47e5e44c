package mlir

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tv/internal/source"
	"tv/proofs/loops"
	"tv/proofs/loops/looptest"
	"tv/semantics/domain"
)

// A program is a text that is compiled, of one function that is named f.
type program struct {
	name, text string
	p          *loops.Procedure
	most       int64 // sizes are up to that
}

// An execution is one of a program at sizes.
type execution struct {
	of    int
	sizes map[string]int64
	left  string // what the machine leaves, or "error"
}

func procedure(name, text string) (*loops.Procedure, error) {
	return Procedure(source.NewFile(name, text))
}

// has reports whether tools are there to hold texts against, and says so if they are not.
func has(t *testing.T, tools ...string) bool {
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			t.Logf("%s is not there: nothing is held against it", tool)
			return false
		}
	}
	return true
}

// tool runs one on a text.
func tool(in string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Stdin = strings.NewReader(in)
	var out, errors bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errors
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %v\n%s", name, err, errors.String())
	}
	return out.String(), nil
}

const prelude = `#include <stdint.h>
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
struct memref { void *p, *q; long first, all[12]; };
`

func cType(e domain.Elem) string {
	if e.Kind == domain.ElemFloat {
		return map[int]string{32: "float", 64: "double"}[e.Width]
	}
	return fmt.Sprintf("int%d_t", e.Width)
}

func printing(e domain.Elem, x string) string {
	if e.Kind == domain.ElemFloat {
		return "show(" + x + ")"
	}
	return `printf(" %ld", (long)` + x + ")"
}

// wrapper is C that runs a program on what parameters hold before, and prints what they hold then.
func (g *program) wrapper(k int) string {
	var b, after strings.Builder
	p := &parser{file: source.NewFile(g.name, g.text), maps: map[string]*mapping{}, types: map[string]typ{},
		skipped: map[string]bool{}}
	f := p.functions()[0]
	steer(f.regions[0].body)
	at := map[string]int{}
	for i, s := range g.p.Sizes {
		at[s] = i
	}
	var types, args []string
	param := 0
	for _, v := range f.regions[0].params {
		if v.steers {
			types, args = append(types, cType(v.typ.elem)), append(args, fmt.Sprintf("sizes[%d]", at[v.name]))
			continue
		}
		e, n, count := v.typ.elem, param, "1"
		dims := make([]string, len(v.typ.dims))
		for i, d := range v.typ.dims {
			if dims[i] = fmt.Sprint(d); d < 0 {
				dims[i] = fmt.Sprintf("sizes[%d]", at[fmt.Sprintf("%s.%d", v.name, i)])
			}
			count += " * " + dims[i]
		}
		four := map[bool]string{true: " / 4.0"}[e.Kind == domain.ElemFloat]
		fmt.Fprintf(&b, "%[1]s *a%[2]d = malloc((%[3]s) * sizeof(%[1]s));\n"+
			"for (long k = 0; k < %[3]s; k++) a%[2]d[k] = held(%[2]d, k)%[4]s;\n", cType(e), n, count, four)
		fmt.Fprintf(&after, "for (long k = 0; k < %s; k++) %s;\n", count, printing(e, fmt.Sprintf("a%d[k]", n)))
		if param++; v.typ.kind != memref {
			types, args = append(types, cType(e)), append(args, fmt.Sprintf("*a%d", n))
			continue
		}
		fmt.Fprintf(&b, "struct memref m%[1]d = {a%[1]d, a%[1]d, 0};\nlong s%[1]d = 1;\n", n)
		for i := len(dims) - 1; i >= 0; i-- {
			fmt.Fprintf(&b, "m%[1]d.all[%[2]d] = %[3]s; m%[1]d.all[%[4]d] = s%[1]d; s%[1]d *= %[3]s;\n", n, i,
				dims[i], len(dims)+i)
		}
		types, args = append(types, "void *"), append(args, fmt.Sprintf("&m%d", n))
	}
	call, result := fmt.Sprintf("_mlir_ciface_f%d(%s)", k, strings.Join(args, ", ")), "void"
	body := f.regions[0].body
	if r := body[len(body)-1].args; len(r) > 0 {
		result = cType(r[0].typ.elem)
		fmt.Fprintf(&b, "%s r = ", result)
		fmt.Fprintf(&after, "%s;\n", printing(r[0].typ.elem, "r"))
	}
	return fmt.Sprintf("%s _mlir_ciface_f%d(%s);\nstatic void run%d(const long *sizes) {\n%s%s;\n%s}\n", result, k,
		strings.Join(types, ", "), k, b.String(), call, after.String())
}

// executions are those at all sizes up to a number.
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
		x := execution{of: k, sizes: map[string]int64{}, left: "error"}
		for name, n := range sizes {
			x.sizes[name] = n
		}
		left, err := looptest.Run(g.p, x.sizes)
		if err == nil {
			x.left = left
		} else if err == looptest.ErrUnset {
			x.left = "unset"
		}
		out = append(out, x)
	}
	next(0)
	return out
}

// lowering19 turns what is read into LLVM's dialect. An access out of bounds aborts: that is
// asked before a pass takes loads away that nothing uses.
var lowering19 = strings.Fields("--lower-affine --generate-runtime-verification " +
	"--convert-vector-to-scf --lower-affine --convert-scf-to-cf --expand-strided-metadata --lower-affine " +
	"--convert-vector-to-llvm --finalize-memref-to-llvm --convert-math-to-llvm --arith-expand --convert-arith-to-llvm " +
	"--convert-index-to-llvm --convert-func-to-llvm --convert-cf-to-llvm --reconcile-unrealized-casts")

// built compiles programs.
func built(t *testing.T, programs []*program) (binary string) {
	dir := t.TempDir()
	var c, all strings.Builder
	c.WriteString(prelude)
	for k, g := range programs {
		c.WriteString(g.wrapper(k))
		text := g.text
		if !strings.HasPrefix(text, "func") || strings.Contains(text, "linalg.") { // no alias, no module
			args := []string{"--symbol-dce", "--mlir-print-local-scope"}
			if strings.Contains(text, "linalg.") { // else loads would go that nothing uses
				args = append(args, "--generate-runtime-verification", "--convert-linalg-to-affine-loops")
			}
			out, err := tool(text, "mlir-opt-19", args...)
			if err != nil {
				t.Fatalf("%v\n%s", err, g.text)
			}
			out = strings.TrimSpace(out)
			text = strings.TrimSuffix(out[strings.Index(out, "{\n")+1:], "}")
		}
		all.WriteString(strings.Replace(text, "@f(", fmt.Sprintf("@f%d(", k), 1))
	}
	text, err := tool(all.String(), "mlir-opt-19", append([]string{"--llvm-request-c-wrappers"}, lowering19...)...)
	if err == nil {
		text, err = tool(text, "mlir-translate-19", "--mlir-to-llvmir")
	}
	if err != nil {
		t.Fatal(err)
	}
	c.WriteString("static void (*runs[])(const long *) = {")
	for k := range programs {
		fmt.Fprintf(&c, "run%d, ", k)
	}
	c.WriteString("};\nint main(void) {\nlong n, k, s[16];\nint apart, status;\n" +
		"while (scanf(\"%ld %d\", &k, &apart) == 2) {\n" +
		"for (n = 0; n < 16; n++) scanf(\"%ld\", &s[n]);\nfflush(stdout);\n" +
		"if (!apart) { runs[k](s); printf(\"\\n\"); fflush(stdout); continue; }\n" +
		"if (fork() == 0) { freopen(\"/dev/null\", \"w\", stdout); runs[k](s); _exit(0); }\n" +
		"wait(&status); printf(status == 0 ? \"ran\\n\" : \"error\\n\");\n}\nreturn 0;\n}\n")
	for name, text := range map[string]string{"all.ll": text, "all.c": c.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	binary = filepath.Join(dir, "all")
	args := []string{"-w", "-O0", "-ffp-contract=off", "-o", binary, filepath.Join(dir, "all.ll"),
		filepath.Join(dir, "all.c"), "-lm"}
	if out, err := exec.Command("clang-16", args...).CombinedOutput(); err != nil {
		t.Fatalf("clang: %v\n%s", err, out)
	}
	return binary
}

// compiled runs programs, and returns what each execution leaves, or "error".
func compiled(t *testing.T, programs []*program, executions []execution) []string {
	binary := built(t, programs)
	var in strings.Builder
	for _, x := range executions {
		fmt.Fprint(&in, x.of, map[bool]string{true: " 1", false: " 0"}[x.left == "error"])
		row := make([]int64, 16)
		for i, name := range programs[x.of].p.Sizes {
			row[i] = x.sizes[name]
		}
		for _, n := range row {
			fmt.Fprint(&in, " ", n)
		}
		fmt.Fprintln(&in)
	}
	out, err := tool(in.String(), binary)
	if err != nil {
		cmd := exec.Command(binary)
		cmd.Stdin = strings.NewReader(in.String())
		part, _ := cmd.Output()
		before, why, _ := strings.Cut(string(part), "ERROR")
		x := executions[min(len(executions)-1, strings.Count(before, "\n"))]
		t.Fatalf("%v: a program aborts that the machine runs to its end, at %v: %s\n%s", err, x.sizes, why,
			programs[x.of].text)
	}
	return strings.Split(strings.TrimSuffix(out, "\n"), "\n")
}

// against holds executions against compiled ones, and counts those of each program that are errors.
func against(t *testing.T, programs []*program) (errors, all []int) {
	var list []execution
	for k, g := range programs {
		for _, x := range g.executions(k) {
			// compiled texts read what is there, and vectors wherever it is
			if x.left != "unset" && (x.left != "error" || !strings.Contains(g.text, "vector.")) {
				list = append(list, x)
			}
		}
	}
	errors, all = make([]int, len(programs)), make([]int, len(programs))
	lines := compiled(t, programs, list)
	if len(lines) != len(list) {
		t.Fatalf("%d lines of %d executions", len(lines), len(list))
	}
	for i, got := range lines {
		x := list[i]
		if all[x.of]++; x.left == "error" {
			errors[x.of]++
		}
		if got != x.left {
			t.Errorf("%s at %v:\ncompiled %s\nmachine  %s\n%s", programs[x.of].name, x.sizes, got, x.left,
				programs[x.of].text)
		}
	}
	return errors, all
}
