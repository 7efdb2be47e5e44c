package passes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tv/semantics/loops"
)

// ErrNoCompiler says that what compiles a language is not installed.
var ErrNoCompiler = errors.New("there is no compiler")

// A Call is one of a procedure, with what its parameters hold.
type Call struct {
	Procedure *loops.Procedure
	Sizes     map[string]int64
	Dims      map[*loops.Buffer][]int64
	Bits      map[*loops.Buffer][]uint64
}

// An Outcome is what a compiled program does: what it leaves in each array, or why it does not come to its end.
type Outcome struct {
	Left  []string // by array of the heading, its elements in hexadecimal
	Ended string   // such as "heap-buffer-overflow: READ of size 4"
}

// Same tells whether two outcomes are one.
func (o *Outcome) Same(p *Outcome) bool {
	return o.Ended == "" && p.Ended == "" && strings.Join(o.Left, "\n") == strings.Join(p.Left, "\n")
}

// Limits of what is run.
const (
	compileTime = 60 * time.Second
	runTime     = 10 * time.Second
)

// Compare compiles two functions named f of a language, and calls both with the same contents. An access to what lies beyond
// an array ends the call, and memory that was not written holds no zeros. Errors: ErrNoCompiler, a *Failure, the context's.
func Compare(ctx context.Context, language, before, after string, call *Call) (x, y *Outcome, err error) {
	dir, err := os.MkdirTemp("", "tv-passes-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	c := &compilation{ctx: ctx, dir: dir}
	compile := c.mlir
	if language == "c" {
		compile = c.c
	}
	files := []string{}
	for _, side := range [][2]string{{"before", before}, {"after", after}} {
		file, err := compile(side[0], side[1])
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", strings.ToUpper(side[0]), err)
		}
		files = append(files, file)
	}
	driver, err := c.write("driver.c", call.driver(language))
	if err != nil {
		return nil, nil, err
	}
	binary := filepath.Join(dir, "a")
	compiler, err := installed("clang-16", "clang", "gcc")
	if err != nil {
		return nil, nil, err
	}
	line := append([]string{compiler, "-w", "-g", "-O0", "-fwrapv", "-ffp-contract=off", "-fsanitize=address", "-o", binary, driver},
		append(files, "-lm")...)
	if _, err := Run(ctx, line, "", compileTime); err != nil {
		return nil, nil, err
	}
	if x, err = c.run(binary, "before"); err == nil {
		y, err = c.run(binary, "after")
	}
	return x, y, err
}

// A compilation is one of two programs.
type compilation struct {
	ctx context.Context
	dir string
}

func (c *compilation) write(name, text string) (string, error) {
	file := filepath.Join(c.dir, name)
	return file, os.WriteFile(file, []byte(text), 0o666)
}

// run calls one of the functions.
func (c *compilation) run(binary, which string) (*Outcome, error) {
	// what was not written holds bytes that are not 0, and leaks are nobody's concern here
	line := []string{"env", "ASAN_OPTIONS=detect_leaks=0:max_malloc_fill_size=1048576:malloc_fill_byte=190:color=never", binary, which}
	out, err := Run(c.ctx, line, "", runTime)
	var failure *Failure
	switch {
	case err == nil:
		return &Outcome{Left: strings.Split(strings.TrimSuffix(out, "\n"), "\n")}, nil
	case errors.As(err, &failure):
		_, detail, found := strings.Cut(failure.Detail, "AddressSanitizer: ")
		if !found {
			detail = failure.Detail
		}
		detail, _, _ = strings.Cut(detail, " on ") // addresses differ from run to run
		return &Outcome{Ended: detail}, nil
	}
	return nil, err
}

// driver is a program of C that calls before or after, as its argument says, and prints what arrays hold then.
func (c *Call) driver(language string) string {
	var types, args []string
	var fill, print strings.Builder
	for i, h := range c.Procedure.Heading {
		b := h.Buffer
		switch {
		case b == nil && language == "c":
			types, args = append(types, "int"), append(args, fmt.Sprint(c.Sizes[h.Size]))
		case b == nil:
			types, args = append(types, "int64_t"), append(args, fmt.Sprint(c.Sizes[h.Size]))
		default:
			bytes := (b.Elem.Width + 7) / 8
			n := len(c.Bits[b])
			fmt.Fprintf(&fill, "  static const uint64_t c%d[] = {", i)
			for _, x := range c.Bits[b] {
				fmt.Fprintf(&fill, "%dull, ", x)
			}
			fmt.Fprintf(&fill, "0};\n  char *p%d = malloc(%d);\n  for (int i = 0; i < %d; i++) memcpy(p%d + %d * i, c%d + i, %d);\n",
				i, n*bytes, n, i, bytes, i, bytes)
			fmt.Fprintf(&print, "  show(p%d, %d, %d);\n", i, n, bytes)
			arg := fmt.Sprint("p", i)
			if language != "c" {
				fill.WriteString(descriptor(i, c.Dims[b]))
				arg = fmt.Sprint("&m", i)
			}
			types, args = append(types, "void *"), append(args, arg)
		}
	}
	names := [2]string{"before", "after"}
	if language != "c" {
		names = [2]string{"_mlir_ciface_before", "_mlir_ciface_after"}
	}
	t, a := strings.Join(types, ", "), strings.Join(args, ", ")
	return driverHead + fmt.Sprintf("void %s(%s);\nvoid %s(%s);\nint main(int argc, char **argv) {\n%s  if (strcmp(argv[1], \"before\") == 0)\n"+
		"    %s(%s);\n  else\n    %s(%s);\n%s  return 0;\n}\n", names[0], t, names[1], t, fill.String(), names[0], a, names[1], a, print.String())
}

const driverHead = `#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void show(const char *p, int n, int bytes) {
  for (int i = 0; i < n; i++) {
    uint64_t x = 0;
    memcpy(&x, p + i * bytes, bytes);
    printf("%s%lx", i ? " " : "", (unsigned long)x);
  }
  printf("\n");
}
`

// descriptor declares that of a memref, which functions of MLIR take.
func descriptor(i int, dims []int64) string {
	var sizes, strides []string
	stride := int64(1)
	for axis := len(dims) - 1; axis >= 0; axis-- {
		strides = append([]string{fmt.Sprint(stride)}, strides...)
		stride *= dims[axis]
	}
	for _, d := range dims {
		sizes = append(sizes, fmt.Sprint(d))
	}
	if len(dims) == 0 {
		return fmt.Sprintf("  struct { void *a, *p; int64_t o; } m%d = {p%d, p%d, 0};\n", i, i, i)
	}
	return fmt.Sprintf("  struct { void *a, *p; int64_t o, n[%d], s[%d]; } m%d = {p%d, p%d, 0, {%s}, {%s}};\n", len(dims), len(dims),
		i, i, i, strings.Join(sizes, ", "), strings.Join(strides, ", "))
}
