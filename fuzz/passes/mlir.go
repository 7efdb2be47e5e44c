package passes

import (
	"fmt"
	"os/exec"
	"regexp"
	"strings"
)

// lowering are the passes that make a nest one of LLVM's dialect; % is that for memrefs, which has a name of its own in each version.
const lowering = "convert-linalg-to-affine-loops convert-vector-to-scf lower-affine convert-scf-to-cf memref-expand " +
	"expand-strided-metadata lower-affine arith-expand convert-vector-to-llvm convert-math-to-llvm convert-math-to-libm " +
	"% convert-arith-to-llvm convert-index-to-llvm llvm-request-c-wrappers convert-func-to-llvm convert-cf-to-llvm " +
	"reconcile-unrealized-casts"

// versions are those of mlir-opt that are tried, each with its pass for memrefs: what one prints another may not read.
var versions = [][2]string{{"16", "convert-memref-to-llvm"}, {"19", "finalize-memref-to-llvm"}}

// installed returns the first of these commands that there is.
func installed(names ...string) (string, error) {
	for _, n := range names {
		if path, err := exec.LookPath(n); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%w: no %s", ErrNoCompiler, names[0])
}

var (
	functionOf = regexp.MustCompile(`@(_mlir_ciface_)?f\b`)
	definition = regexp.MustCompile(`(?m)^(define .*\)) \{$`)
)

// mlir lowers a text and returns a file of LLVM IR, whose function is named as the side. Its accesses are checked.
func (c *compilation) mlir(side, text string) (string, error) {
	var last error
	for _, v := range versions {
		opt, err := installed("mlir-opt-" + v[0])
		if err == nil {
			_, err = installed("mlir-translate-" + v[0])
		}
		if err == nil {
			var file string
			if file, err = c.lowered(side, text, opt, "mlir-translate-"+v[0], v[1]); err == nil || c.ctx.Err() != nil {
				return file, err
			}
		}
		last = err
	}
	return "", last
}

func (c *compilation) lowered(side, text, opt, translate, memrefs string) (string, error) {
	line := []string{opt}
	for _, pass := range strings.Fields(lowering) {
		line = append(line, "--"+strings.Replace(pass, "%", memrefs, 1))
	}
	low, err := Run(c.ctx, line, text, compileTime)
	if err != nil {
		return "", err
	}
	ir, err := Run(c.ctx, []string{translate, "--mlir-to-llvmir"}, low, compileTime)
	if err != nil {
		return "", err
	}
	ir = functionOf.ReplaceAllString(ir, "@${1}"+side)
	return c.write(side+".ll", definition.ReplaceAllString(ir, "$1 sanitize_address {"))
}
