package mapping

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"tv/glenside"
	"tv/glenside/rule"
	"tv/internal/source"
)

// instances counts the instances of a rule that a round finds in a program.
func instances(t *testing.T, rules, program string) int {
	t.Helper()
	list, err := rule.Parse(source.NewFile("rule", rules))
	if err != nil {
		t.Fatal(err)
	}
	p, err := glenside.Parse(source.NewFile("program", program))
	if err != nil {
		t.Fatal(err)
	}
	typing, err := glenside.Check(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	g := newGraph()
	if _, err := g.program(p, typing); err != nil {
		t.Fatal(err)
	}
	s := newSaturation(g, &Options{Rules: list, Given: map[string]int64{"?R": 4}})
	found, _ := s.search(t.Context())
	return len(found)
}

func TestMatches(t *testing.T) {
	data, err := os.ReadFile("testdata/matches.txt")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	if len(lines)%3 != 0 {
		t.Fatalf("%d lines are not cases of three", len(lines))
	}
	for ; len(lines) > 0; lines = lines[3:] {
		want, err := strconv.Atoi(lines[0])
		if err != nil {
			t.Fatal(err)
		}
		if got := instances(t, lines[1], lines[2]); got != want {
			t.Errorf("%d instances, wanted %d:\n%s\n%s", got, want, lines[1], lines[2])
		}
	}
}
