package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tv/ci"
	"tv/cmd/tv/internal/cli"
	"tv/hwmodels"
)

// These tests are not beside the command's others, whose binary the scripts run as tv a thousand times: what checks schemas
// takes longer to start than tv.

const root = "../.."

// run runs tv and returns what it wrote.
func run(args ...string) (stdout string) {
	var out, errs bytes.Buffer
	cli.Main(args, strings.NewReader(""), &out, &errs)
	return out.String()
}

// A report of a real run is valid, whatever came out.
func TestReportSchema(t *testing.T) {
	schema, err := jsonschema.UnmarshalJSON(strings.NewReader(ci.Schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("report", schema); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("report")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	example := func(name string) string { return filepath.Join(root, "examples", name) }
	certificate, left := filepath.Join(dir, "a.cert"), filepath.Join(dir, "left.cert")
	for _, args := range [][]string{
		{"check", example("matmul.sexp"), example("matmul-blocked.sexp"), "--certificate", certificate},
		{"check", example("matmul.sexp"), example("matmul-blocked-as-printed.sexp"), example("none.sexp")},
		{"check", example("matmul-symbolic-product.sexp"), example("matmul-symbolic-halves-bad.sexp")},
		{"check", filepath.Join(root, "testdata/check/exact-sat8-negative.txtar"), "--certificate", left},
		{"certify", "--certificates", filepath.Join(dir, "rules"), filepath.Join(root, "semantics/bits/rules/bitvectors.rules")},
		{"verify", certificate, left},
		{"verify", certificate, left, "--solver", "auto", "--no-timing"},
		{"verify", certificate, example("matmul.sexp")},
		{"verify", certificate, "--against", example("none.sexp")},
	} {
		stdout := run(append(args, "--format", "json")...)
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(stdout))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiled.Validate(value); err != nil {
			t.Errorf("%s: %v\n%s", args, err, stdout)
		}
	}
}

// TestFuzzReport: the JSON report of a campaign is as the schema of all reports says, findings with and without a
// counterexample among them.
func TestFuzzReport(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(root + "/ci/schema/report.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	status := cli.Main([]string{"fuzz", "rules", root + "/glenside/rules/paper.rules", "--budget", "400x", "--seed", "3",
		"--format", "json"}, nil, &out, &errs)
	if status != 1 {
		t.Fatal(status, errs.String())
	}
	var v struct {
		Results []struct {
			Reason         string
			Counterexample any
		}
	}
	if err := json.Unmarshal(out.Bytes(), &v); err != nil {
		t.Fatal(err)
	}
	with, without := 0, 0
	for _, r := range v.Results {
		if r.Counterexample != nil {
			with++
		} else {
			without++
		}
	}
	if with == 0 || without == 0 {
		t.Errorf("%d findings with a counterexample, %d without", with, without)
	}
	doc, err := jsonschema.UnmarshalJSON(&out)
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(doc); err != nil {
		t.Error(err)
	}
}

// TestFuzzLines: every line of a campaign is as the schema says, and one that is not is refused by it.
func TestFuzzLines(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(root + "/ci/schema/fuzz.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	status := cli.Main([]string{"fuzz", "rules", root + "/glenside/rules/paper.rules", "--budget", "400x", "--seed", "3",
		"--format", "jsonl", "--corpus", t.TempDir()}, nil, &out, &errs)
	if status != 1 {
		t.Fatal(status, errs.String())
	}
	kinds := map[any]int{}
	for line := range strings.Lines(out.String()) {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); err != nil {
			t.Errorf("%v\n%s", err, line)
		}
		kinds[v["line"]]++
		v["more"] = true
		if schema.Validate(v) == nil {
			t.Errorf("a line with a key too many is accepted: %s", line)
		}
	}
	if kinds["start"] != 1 || kinds["finding"] < 3 || kinds["end"] != 1 {
		t.Errorf("lines: %v", kinds)
	}
}

// TestModelSchema: the JSON of every machine is as the schema says, and what has a key too many, misses one, or has a
// value of another type at any depth is refused.
func TestModelSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(root + "/ci/schema/model.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range hwmodels.Machines() {
		var out, errs bytes.Buffer
		if status := cli.Main([]string{"ila", "show", m.Name, "--format", "json"}, nil, &out, &errs); status != 0 {
			t.Fatal(status, errs.String())
		}
		decode := func() (v map[string]any) {
			if err := json.Unmarshal(out.Bytes(), &v); err != nil {
				t.Fatal(err)
			}
			return v
		}
		if err := schema.Validate(decode()); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
		at := func(v any, path ...any) map[string]any {
			for _, step := range path {
				switch key := step.(type) {
				case string:
					v = v.(map[string]any)[key]
				case int:
					v = v.([]any)[key]
				}
			}
			return v.(map[string]any)
		}
		for name, wreck := range map[string]func(v map[string]any){
			"no schema":               func(v map[string]any) { delete(v, "schema") },
			"another schema":          func(v map[string]any) { v["schema"] = "tv.model/v2" },
			"no instructions":         func(v map[string]any) { v["instructions"] = []any{} },
			"a key too many":          func(v map[string]any) { v["more"] = true },
			"a state without a width": func(v map[string]any) { delete(at(v, "state", 0), "width") },
			"a width of 65":           func(v map[string]any) { at(v, "state", 0)["width"] = 65 },
			"no decode":               func(v map[string]any) { delete(at(v, "instructions", 0), "decode") },
			"a decode that is a number": func(v map[string]any) {
				at(v, "instructions", 0)["decode"] = 1
			},
			"a key too many in a child": func(v map[string]any) { at(v, "children", 0)["more"] = true },
			"a schema in a child":       func(v map[string]any) { at(v, "children", 0)["schema"] = "tv.model/v1" },
			"an instruction of a child without a name": func(v map[string]any) {
				delete(at(v, "children", 0, "instructions", 0), "name")
			},
			"a store without a memory": func(v map[string]any) {
				delete(at(v, "children", 0, "instructions", 0, "stores", 0), "memory")
			},
		} {
			v := decode()
			wreck(v)
			if schema.Validate(v) == nil {
				t.Errorf("%s with %s is accepted", m.Name, name)
			}
		}
	}
}
