package cli

import (
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestISASchema: the report of tv isa is as its schema says, and the schema has no property that a report lacks.
func TestISASchema(t *testing.T) {
	text, err := os.ReadFile("../../../../ci/schema/isa.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("isa.schema.json", schema); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("isa.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range []string{"nand.bv", "add.bv"} {
		var out, errs strings.Builder
		args := []string{"isa", "--format", "json", "../../../../examples/" + spec}
		if code := Main(args, strings.NewReader(""), &out, &errs); code != 0 {
			t.Fatalf("%d: %s", code, errs.String())
		}
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(out.String()))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiled.Validate(value); err != nil {
			t.Errorf("%s: %v", spec, err)
		}
	}
}
