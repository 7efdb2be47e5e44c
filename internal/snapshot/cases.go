package main

import (
	"fmt"
	"path/filepath"
	"strings"
)

// timeout is long: an answer that the clock gives is not the same twice.
const timeout = "10m"

// mended is the file of rules for whose wrong ones guards are looked for too.
const mended = "glenside/rules/paper.rules"

// questions lists what is asked: every litmus file, program of another language than Glenside (against itself) and rule, with
// its certificate, the examples, and drivers of machines.
func questions() ([]question, error) {
	var out []question
	for _, dir := range []string{"testdata/check", "testdata/languages", "testdata/machines"} {
		litmus, err := filepath.Glob(dir + "/*.txtar")
		if err != nil {
			return nil, err
		}
		if len(litmus) == 0 {
			return nil, fmt.Errorf("no litmus files in %s: this is run in the root of the tree", dir)
		}
		for _, file := range litmus {
			out = append(out, check(file, file))
		}
	}
	programs, err := filepath.Glob("testdata/languages/*.comp")
	if err != nil {
		return nil, err
	}
	for _, file := range programs {
		out = append(out, check(file, file, file))
	}
	for _, dir := range []string{"glenside/rules", "testdata/rules", "hwmodels/rules", "hwmodels/rules/map", "hwmodels/rules/map/exact"} {
		files, err := filepath.Glob(dir + "/*.rules")
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			args := []string{"certify", "--no-timing", "--format", "json", "--timeout", timeout, "--certificates", placeholder, file}
			if file != mended {
				args = append(args, "--expect") // no guards for wrong rules: they take most of the time
			}
			out = append(out, question{name: file, args: args})
		}
	}
	examples, err := filepath.Glob("examples/*")
	if err != nil {
		return nil, err
	}
	for _, pair := range examplePairs(examples) {
		out = append(out, check(pair[0]+"="+filepath.Base(pair[1]), pair[0], pair[1]))
	}
	return append(out, machines()...), nil
}

// check asks about a pair, or a file that holds one.
func check(name string, files ...string) question {
	return question{name: name, args: append([]string{"check", "--no-timing", "--format", "json", "--timeout", timeout,
		"--certificate", placeholder + "/certificate"}, files...)}
}

// examplePairs pairs each program with those whose names begin with its own.
func examplePairs(files []string) (pairs [][2]string) {
	for _, before := range files {
		stem, program := strings.CutSuffix(before, ".sexp")
		for _, after := range files {
			if program && after != before && strings.HasPrefix(after, stem) {
				pairs = append(pairs, [2]string{before, after})
			}
		}
	}
	return pairs
}

// machines asks about drivers at small sizes and at all, and about two machines by instruction.
func machines() (out []question) {
	for _, args := range []string{
		"vta-dense --sizes 16x32x32", "vta-dense --all-sizes", "vta-dense-bias --sizes 16x16x16",
		"vta-dense-relu --sizes 3x16x32", "vta-dense-rows --sizes 6x16x16x4", "vta-dense-scale --sizes 16x16x16",
		"flexasr-linear --sizes 1x64x16", "flexasr-maxpool --sizes 4x16", "flexasr-meanpool --sizes 4x16",
		"flexasr-addpool --all-sizes", "systolic-matmul --sizes 5x4x4", "vta --against vta-opencl",
	} {
		out = append(out, question{name: "ila/" + strings.ReplaceAll(args, " ", ""),
			args: append([]string{"ila", "verify", "--no-timing", "--format", "json"}, strings.Fields(args)...)})
	}
	return out
}
