package main

import (
	"strings"
	"testing"
)

// TestExamples: what the page offers is there, each under a title of its own.
func TestExamples(t *testing.T) {
	found, err := examples("../examples")
	if err != nil {
		t.Fatal(err)
	}
	titles := map[string]bool{}
	for _, e := range found {
		if titles[e.Title] {
			t.Errorf("%s: two examples", e.Title)
		}
		titles[e.Title] = true
		if rule := strings.HasSuffix(e.Values[0], ".rules"); e.Values[1] == "" || (e.Values[3] == "") != rule {
			t.Errorf("%s: %q", e.Title, e.Values)
		}
	}
	if len(found) != len(list) {
		t.Errorf("%d examples of %d", len(found), len(list))
	}
	if _, err := examples("."); err == nil {
		t.Error("examples of a folder that has none")
	}
}
