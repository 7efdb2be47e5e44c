package cli

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// commandsOf returns the command lines of tv in lists of words, wherever they stand in a document: those of the key args go with
// those of the key command beside it.
func commandsOf(n any) (out [][]string) {
	switch n := n.(type) {
	case map[string]any:
		var line []string
		for _, key := range []string{"command", "args"} {
			list, _ := n[key].([]any)
			for _, word := range list {
				text, _ := word.(string)
				line = append(line, text)
			}
		}
		for i, word := range line { // sh -c SCRIPT tv ...
			if word == "tv" {
				out = append(out, line[i+1:])
				break
			}
		}
		for _, key := range slices.Sorted(maps.Keys(n)) {
			out = append(out, commandsOf(n[key])...)
		}
	case []any:
		for _, value := range n {
			out = append(out, commandsOf(value)...)
		}
	}
	return out
}

// lineParses says what is wrong with a command line, which is not run.
func lineParses(line []string) error {
	a := &app{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard}
	cmd, rest, err := a.root(line).Find(line)
	if err != nil {
		return err
	}
	if !cmd.Runnable() || cmd.HasSubCommands() {
		return errors.New("is no command")
	}
	return cmd.ParseFlags(rest)
}

// deployed returns the command lines of a file of ci/cluster.
func deployed(name string, data []byte) (out [][]string, err error) {
	if filepath.Ext(name) == ".service" {
		for _, line := range strings.Split(string(data), "\n") {
			if rest, ok := strings.CutPrefix(line, "ExecStart=/usr/local/bin/tv "); ok {
				out = append(out, strings.Fields(rest))
			}
		}
		return out, nil
	}
	for d := yaml.NewDecoder(bytes.NewReader(data)); ; {
		var doc map[string]any
		if err := d.Decode(&doc); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, err
		}
		out = append(out, commandsOf(doc)...)
	}
}

// TestDeploy: the files that run clusters are what they are for, and tv has the commands and flags that they name.
func TestDeploy(t *testing.T) {
	for name, want := range map[string]int{"kubernetes.yml": 2, "compose.yml": 2, "tv-cluster.service": 1} {
		data, err := os.ReadFile(filepath.Join(root, "ci", "cluster", name))
		if err != nil {
			t.Fatal(err)
		}
		lines, err := deployed(name, data)
		if err != nil || len(lines) != want {
			t.Errorf("%s: %q, %v", name, lines, err)
		}
		for _, line := range lines {
			if err := lineParses(line); err != nil {
				t.Errorf("%s: tv %s: %v", name, strings.Join(line, " "), err)
			}
		}
		wrong, err := deployed(name, bytes.Replace(data, []byte("--store"), []byte("--stores"), 1))
		if err != nil || !slices.ContainsFunc(wrong, func(line []string) bool { return lineParses(line) != nil }) {
			t.Errorf("%s: --stores in place of --store passes", name)
		}
	}
	for _, near := range []string{"fuzz clusters", "fuzz", "fuzz self --clusters=nats://x:1"} {
		if lineParses(strings.Fields(near)) == nil {
			t.Errorf("tv %s passes", near)
		}
	}
}
