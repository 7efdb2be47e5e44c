package ci

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The matchers find the places in what tv prints, and in nothing else of it.
func TestProblemMatcher(t *testing.T) {
	data, err := os.ReadFile("problem-matcher.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		ProblemMatcher []struct {
			Owner, Severity string
			Pattern         []struct {
				Regexp                            string
				File, Line, Column, Message, Code int
			}
		}
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	run := everything(t)
	run.Expect = false
	text := write(t, "text", run)
	for _, e := range run.AllErrors() {
		text += e.Error() + "\n"
	}
	var got []string
	for _, m := range doc.ProblemMatcher {
		if len(m.Pattern) != 1 || m.Severity != "error" {
			t.Fatalf("matcher %s has %d patterns and severity %s", m.Owner, len(m.Pattern), m.Severity)
		}
		p := m.Pattern[0]
		re := regexp.MustCompile(p.Regexp)
		for line := range strings.Lines(text) {
			if f := re.FindStringSubmatch(strings.TrimSuffix(line, "\n")); f != nil {
				fields := []string{m.Owner, f[p.File], f[p.Line], f[p.Column], f[p.Message], f[p.Code]}
				got = append(got, strings.Join(fields, "|"))
			}
		}
	}
	want := []string{
		"tv-error|after.sexp|2|2|2 is not 3|shape-mismatch",
		"tv-blame|after.sexp|2|2|(compute relu (access A 1))|blame",
	}
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q in\n%s", got, want, text)
	}
}
