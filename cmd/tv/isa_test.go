package main

import (
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestISASchema: the report of tv isa is as its schema says, and the schema has no property that a report lacks.
func TestISASchema(t *testing.T) {
	text, err := os.ReadFile("../../ci/schema/isa.schema.json")
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
		stdout := run("isa", "--format", "json", "../../examples/"+spec)
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(stdout))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiled.Validate(value); err != nil {
			t.Errorf("%s: %v", spec, err)
		}
	}
}
