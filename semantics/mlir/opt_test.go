package mlir_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tv/internal/source"
	"tv/semantics/loops"
	"tv/semantics/loops/looptest"
	"tv/semantics/loops/run"
	"tv/semantics/mlir"
)

// perFile is how many programs one run of the compiler gets.
const perFile = 100

// lowerings are the passes of each mlir-opt that make a nest one of LLVM's dialect.
var lowerings = map[string][]string{
	"16": passes("convert-linalg-to-affine-loops convert-vector-to-scf lower-affine convert-scf-to-cf memref-expand " +
		"expand-strided-metadata lower-affine arith-expand convert-vector-to-llvm convert-math-to-llvm convert-math-to-libm " +
		"convert-memref-to-llvm convert-arith-to-llvm convert-index-to-llvm llvm-request-c-wrappers convert-func-to-llvm " +
		"convert-cf-to-llvm reconcile-unrealized-casts"),
	"19": passes("convert-linalg-to-affine-loops convert-vector-to-scf lower-affine convert-scf-to-cf memref-expand " +
		"expand-strided-metadata lower-affine arith-expand convert-vector-to-llvm convert-math-to-llvm convert-math-to-libm " +
		"finalize-memref-to-llvm convert-arith-to-llvm convert-index-to-llvm llvm-request-c-wrappers convert-func-to-llvm " +
		"convert-cf-to-llvm reconcile-unrealized-casts"),
}

func passes(names string) (out []string) {
	for _, n := range strings.Fields(names) {
		out = append(out, "--"+n)
	}
	return out
}

// installed tells whether there are the tools to compare with.
func installed(t *testing.T, tools ...string) bool {
	t.Helper()
	for _, tool := range append([]string{"mlir-opt-16", "mlir-translate-16", "clang-16"}, tools...) {
		if _, err := exec.LookPath(tool); err != nil {
			t.Logf("no %s: nothing is compared; .ci/deps mlir-16-tools mlir-19-tools clang-16 installs it", tool)
			return false
		}
	}
	return true
}

// A program is a text, and what its sizes and contents are drawn from.
type program struct {
	name, text string
	seed       uint64
	sizes      map[string]int64 // drawn, where there are none
	mayEnd     bool             // the call may not come to its end
}

func parsed(t *testing.T, name, text string) *loops.Procedure {
	t.Helper()
	p, err := mlir.Parse(source.NewFile(name, text), "")
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return p
}

// sizesOf are those of a program.
func (c program) sizesOf(p *loops.Procedure) map[string]int64 {
	if c.sizes != nil {
		return c.sizes
	}
	return looptest.Sizes(p, c.seed)
}

// compare compiles programs, runs them, and holds what they print against the evaluator. It returns how many it compared.
func compare(t *testing.T, version string, batch []program) int {
	t.Helper()
	var want []string
	var chosen []program
	var procs []*loops.Procedure
	for _, c := range batch {
		p := parsed(t, c.name, c.text)
		out, err := looptest.Evaluated(p, c.sizesOf(p), c.seed)
		var ended *run.Ended
		switch {
		case err == nil:
			want, chosen, procs = append(want, out), append(chosen, c), append(procs, p)
		case !c.mayEnd || !errors.As(err, &ended):
			t.Errorf("%s, sizes %v: %v\n%s", c.name, c.sizesOf(p), err, c.text)
		}
	}
	var texts []string // each once, whatever it is called with
	driver := looptest.Driver
	for k, c := range chosen {
		if k == 0 || chosen[k-1].text != c.text {
			texts = append(texts, c.text)
		}
		driver += caller(k, len(texts)-1, procs[k], c)
	}
	driver += looptest.Main(len(chosen))
	blocks := compiled(t, version, texts, driver)
	for k, c := range chosen {
		if k+1 >= len(blocks) {
			t.Fatalf("%s does not come to its end: %.2000s\n%s", c.name, blocks[len(blocks)-1], c.text)
		}
		if blocks[k] != want[k] {
			t.Errorf("%s, sizes %v: compiled\n%sevaluator\n%s%s\n%s", c.name, c.sizesOf(procs[k]), blocks[k], want[k], c.text,
				loops.Format(procs[k]))
		}
	}
	return len(chosen)
}

// piped runs a command on a text.
func piped(t *testing.T, text, name string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Stdin = strings.NewReader(text)
	var out, problems strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%.3000s", name, err, problems.String())
	}
	return out.String(), nil
}

// compiled compiles texts and a driver that calls the function of each.
func compiled(t *testing.T, version string, texts []string, driver string) []string {
	t.Helper()
	var module strings.Builder
	for k, text := range texts {
		module.WriteString(member(text, k))
	}
	opt, translate := "mlir-opt-"+version, "mlir-translate-"+version
	low, err := piped(t, module.String(), opt, lowerings[version]...)
	if err != nil {
		for _, text := range texts { // which one is it?
			if _, err := piped(t, text, opt, lowerings[version]...); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
		}
		t.Fatal(err)
	}
	ir, err := piped(t, low, translate, "--mlir-to-llvmir")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "f.ll")
	if err := os.WriteFile(file, []byte(ir), 0o666); err != nil {
		t.Fatal(err)
	}
	return looptest.Compiled(t, "clang-16", "driver.c", driver, "-O0", "-w", "-ffp-contract=off", file)
}

var (
	functionName = regexp.MustCompile(`func\.func (?:public )?@\w+`)
	aliasName    = regexp.MustCompile(`#(map|set|id|row|t)\d*\b`)
	wrapper      = regexp.MustCompile(`(?s)^(.*?)module[^{\n]*\{\n(.*)\}\s*$`)
)

// member is the function of a text, under a name of its own, and with names of its own for maps.
func member(text string, k int) string {
	text = wrapper.ReplaceAllString(text, "$1$2")
	text = functionName.ReplaceAllString(text, fmt.Sprintf("func.func @f_%d", k))
	return aliasName.ReplaceAllString(text, fmt.Sprintf("${0}_%d", k))
}

// caller is the k-th function of C. It calls one of a text through its interface for C: memrefs are pointers to descriptors.
func caller(k, function int, p *loops.Procedure, c program) string {
	var out, before, after strings.Builder
	sizes := c.sizesOf(p)
	var types, args []string
	for i, h := range p.Heading {
		b := h.Buffer
		if b == nil {
			types, args = append(types, "int64_t"), append(args, fmt.Sprint(sizes[h.Size]))
			continue
		}
		dims := looptest.Dims(b, sizes)
		n := looptest.Elements(dims)
		fmt.Fprintf(&before, "  void *p%d = %s;\n", i, looptest.Filled(b, i, c.seed, n))
		if b.Kind == loops.In {
			types, args = append(types, looptest.CType(b.Elem)), append(args, fmt.Sprintf("*(%s *)p%d", looptest.CType(b.Elem), i))
			continue
		}
		rank := max(len(dims), 1)
		fmt.Fprintf(&before, "  struct { void *a, *p; int64_t offset, n[%d], s[%d]; } m%d = { p%d, p%d, 0", rank, rank, i, i, i)
		strides := make([]string, len(dims))
		for axis, stride := len(dims)-1, int64(1); axis >= 0; axis-- {
			strides[axis] = fmt.Sprint(stride)
			stride *= dims[axis]
		}
		if len(dims) > 0 {
			fmt.Fprintf(&before, ", {%s}, {%s}", strings.Trim(strings.ReplaceAll(fmt.Sprint(dims), " ", ", "), "[]"), strings.Join(strides, ", "))
		}
		before.WriteString(" };\n")
		types, args = append(types, "void *"), append(args, fmt.Sprintf("&m%d", i))
		fmt.Fprintf(&after, "  %s\n  free(p%d);\n", looptest.Printed(b, fmt.Sprint("p", i), n), i)
	}
	result, call := "void", ""
	if n := len(p.Buffers); n > 0 && p.Buffers[n-1].Kind == loops.Returned {
		last := p.Buffers[n-1]
		result = looptest.CType(last.Elem)
		call = result + " r = "
		fmt.Fprintf(&after, "  %s\n", looptest.Printed(last, "&r", 1))
	}
	fmt.Fprintf(&out, "extern %s _mlir_ciface_f_%d(%s);\n", result, function, strings.Join(types, ", "))
	fmt.Fprintf(&out, "static void call%d(void) {\n%s  %s_mlir_ciface_f_%d(%s);\n%s}\n", k, before.String(), call, function,
		strings.Join(args, ", "), after.String())
	return out.String()
}
