package cli

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// invocations finds the lines on which a text runs tv, without what a shell makes of them.
var invocations = regexp.MustCompile(`(?m)^(?:\s*- |\s*|  entry: )(tv [a-z][^#\n]*)`)

// folded finds where a command goes on in the next line.
var folded = regexp.MustCompile(`\n\s+--`)

// The commands in examples of workflows, hooks and documents are commands that tv has, with flags that it has.
func TestPipelineCommands(t *testing.T) {
	var names []string
	for _, pattern := range []string{"ci/workflows/*.yml", ".pre-commit-hooks.yaml", "doc/ci.md"} {
		list, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(list) == 0 {
			t.Fatalf("%s: %v, %v", pattern, list, err)
		}
		names = append(names, list...)
	}
	seen := 0
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text := folded.ReplaceAllString(string(data), " --")
		for _, m := range invocations.FindAllStringSubmatch(text, -1) {
			seen++
			if err := parses(m[1]); err != nil {
				t.Errorf("%s: %s: %v", name, m[1], err)
			}
		}
	}
	if seen < 8 {
		t.Errorf("saw %d commands only", seen)
	}
	for _, bad := range []string{
		"tv chek a.sexp", "tv check --reprot json=a", "tv check --format xml", "tv fuzz rule",
	} {
		if parses(bad) == nil {
			t.Errorf("%s passes", bad)
		}
	}
}

// parses tells why tv would not take a command line.
func parses(line string) error {
	a := &app{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard}
	cmd, rest, err := a.root(nil).Find(strings.Fields(strings.ReplaceAll(line, `"`, ""))[1:])
	if err == nil {
		err = cmd.ParseFlags(rest)
	}
	if err == nil && (cmd.HasSubCommands() || !cmd.Runnable()) {
		err = unknownCommand(cmd, strings.Join(cmd.Flags().Args(), " "))
	}
	return err
}
