package fuzz

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tv/equiv"
	"tv/internal/casefile"
	"tv/internal/source"
)

// planted is an examination that finds fault with every pair that uses relay-conv1d on both sides.
func planted(before, after *Program, _ bool) (kind, detail string) {
	if strings.Contains(before.Text, "relay-conv1d") && strings.Contains(after.Text, "relay-conv1d") {
		return "wrong proof", "planted"
	}
	return "", ""
}

func collect(t *testing.T, c *Campaign) []string {
	t.Helper()
	var out []string
	if err := c.Run(context.Background(), func(f Finding) { out = append(out, fmt.Sprintf("%d %s %s", f.Case, f.Before, f.After)) }); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestCampaignShards: the findings of all shards together are those of the whole, at any number of jobs.
func TestCampaignShards(t *testing.T) {
	const cases = 400
	whole := collect(t, &Campaign{Seed: 3, Cases: cases, Examine: planted})
	if len(whole) == 0 {
		t.Fatal("the planted fault was not found")
	}
	var parts []string
	for i := range 3 {
		parts = append(parts, collect(t, &Campaign{Seed: 3, Cases: cases, Shard: i, Shards: 3, Jobs: 2, Examine: planted})...)
	}
	slices.Sort(whole)
	slices.Sort(parts)
	if !slices.Equal(whole, parts) {
		t.Errorf("the whole found %d, its shards %d", len(whole), len(parts))
	}
}

// TestCampaignResume: a campaign that is stopped and resumed ends with the files of one that was not, and every
// finding is a litmus file that reads and types.
func TestCampaignResume(t *testing.T) {
	const cases = 400
	whole, resumed := t.TempDir(), t.TempDir()
	collect(t, &Campaign{Seed: 5, Cases: cases, Corpus: whole, Examine: planted})
	ctx, cancel := context.WithCancel(context.Background())
	c := &Campaign{Seed: 5, Cases: cases, Corpus: resumed, Examine: planted}
	if err := c.Run(ctx, func(Finding) { cancel() }); err == nil {
		t.Fatal("it was not stopped")
	}
	collect(t, &Campaign{Seed: 5, Cases: cases, Corpus: resumed, Resume: true, Jobs: 2, Examine: planted})
	names := func(dir string) []string {
		list, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for i := range list {
			list[i] = filepath.Base(list[i])
		}
		return list
	}
	if a, b := names(whole), names(resumed); !slices.Equal(a, b) || len(a) < 2 {
		t.Errorf("undisturbed %v, resumed %v", a, b)
	}
	found, _ := filepath.Glob(filepath.Join(whole, "*.txtar"))
	for _, f := range found {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		l, err := casefile.ReadLitmus(source.NewFile(f, string(text)))
		if err != nil || l.Want != equiv.Refuted {
			t.Fatalf("%v\n%s", err, text)
		}
		for _, side := range []*source.File{l.Before, l.After} {
			if _, err := typed(side.Name, side.Text); err != nil {
				t.Errorf("%v\n%s", err, text)
			}
		}
		if n := strings.Count(string(text), "(relay-operator-call"); n > 4 {
			t.Errorf("not shrunk: %d calls\n%s", n, text)
		}
	}
	if _, err := (&Campaign{Seed: 6, Corpus: whole, Resume: true, Shards: 1}).readState(); err == nil {
		t.Error("the state of another seed was taken")
	}
}

// TestCampaignFindsNothing: a short campaign on tv itself.
func TestCampaignFindsNothing(t *testing.T) {
	c := &Campaign{Seed: 9, Cases: 300, Jobs: 2}
	if err := c.Run(context.Background(), func(f Finding) { t.Errorf("%s", f.Litmus(9)) }); err != nil {
		t.Fatal(err)
	}
	if n, _ := c.Progress(); n != 300 {
		t.Errorf("%d cases were run", n)
	}
}
