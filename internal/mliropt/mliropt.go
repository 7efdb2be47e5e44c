// Package mliropt is for tests that run passes of mlir-opt on many texts: it has one process do it, which takes longer to start
// than to transform a text.
package mliropt

import (
	"fmt"
	"os/exec"
	"strings"
)

// separators are what each version prints between the outputs of two texts, beside what it prints of one alone.
var separators = map[string]string{"16": "\n// -----\n", "19": "// -----\n"}

// Each returns what a version of mlir-opt prints of each text by itself, or why it refuses to.
func Each(version string, texts []string, args ...string) (out []string, errs []error) {
	errs = make([]error, len(texts))
	if len(texts) > 1 {
		all, _ := run(version, strings.Join(texts, "\n// -----\n"), append([]string{"--split-input-file"}, args...))
		out = strings.Split(all, separators[version])
	}
	if len(out) != len(texts) { // a text makes it crash, or there are not several
		out = make([]string, len(texts))
	}
	for k, text := range texts {
		if strings.TrimSpace(out[k]) == "" {
			out[k], errs[k] = run(version, text, args)
		}
	}
	return out, errs
}

// Pass returns what a pipeline of passes over functions makes of each text.
func Pass(version, pipeline string, texts []string) (out []string, errs []error) {
	return Each(version, texts, "--pass-pipeline=builtin.module(func.func("+pipeline+"))")
}

// run returns what is printed, also by a command that fails.
func run(version, text string, args []string) (string, error) {
	cmd := exec.Command("mlir-opt-"+version, args...)
	cmd.Stdin = strings.NewReader(text)
	var out, problems strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("mlir-opt-%s: %w\n%.3000s", version, err, problems.String())
	}
	return out.String(), nil
}
