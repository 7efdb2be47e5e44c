package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tv/ci"
	"tv/equiv"
	"tv/hwmodels"
	"tv/internal/source"
)

// TestIlaAsk: what was answered before an interrupt, or beside a question that cannot be asked, is reported.
func TestIlaAsk(t *testing.T) {
	yes := func(context.Context) (ci.Item, error) {
		return ci.Item{Kind: "ila", Result: equiv.Result{Before: "c", After: "d 1", Verdict: equiv.Proved, Engine: "symbolic"}}, nil
	}
	for _, test := range []struct {
		name string
		ask  func(stop context.CancelFunc) error
		exit int
		want string // of the report: what follows the first result
		said string // on standard error
	}{
		{"interrupted", func(stop context.CancelFunc) error { stop(); return context.Canceled }, exitInterrupted,
			"not answered: contract => d 2\nnot answered: contract => d 3\n1 proved, 0 refuted, 0 unknown, 2 not answered\n",
			"stopped with 1 of 3 questions answered [interrupted]\n"},
		{"ill sized", func(context.CancelFunc) error { return &source.Error{Code: "machine-sizes", Msg: "odd"} }, exitError,
			"proved: c => d 1 (real, tensor, fixed sizes, symbolic)\n2 proved, 0 refuted, 0 unknown, 1 could not be asked\n",
			"odd [machine-sizes]\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			var out, errs bytes.Buffer
			a := &app{stdout: &out, stderr: &errs}
			flags := &reportFlags{format: newChoice("text"), noTiming: true}
			err := a.ilaAsk(ctx, flags, hwmodels.Driver{Name: "d"}, claim{}, []ilaQuestion{
				{nil, "d 1", yes},
				{nil, "d 2", func(context.Context) (ci.Item, error) { return ci.Item{}, test.ask(stop) }},
				{nil, "d 3", yes},
			})
			if err != nil {
				t.Fatal(err)
			}
			if a.exit != test.exit || errs.String() != test.said {
				t.Errorf("exit status %d and %q, want %d and %q", a.exit, &errs, test.exit, test.said)
			}
			if _, got, _ := strings.Cut(out.String(), "\n"); got != test.want {
				t.Errorf("the report goes on with\n%s, want\n%s", got, test.want)
			}
		})
	}
}

// TestModelSchema: the JSON of every machine is as the schema says, and what has a key too many, misses one, or has a
// value of another type at any depth is refused.
func TestModelSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("../../../../ci/schema/model.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range hwmodels.Machines() {
		var out, errs bytes.Buffer
		if status := Main([]string{"ila", "show", m.Name, "--format", "json"}, nil, &out, &errs); status != 0 {
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
