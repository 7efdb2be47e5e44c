package fuzz

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"tv/fuzz/programs"
	"tv/internal/files"
	"tv/internal/source"
	"tv/internal/tier"
)

// planted is an examination that finds fault with every pair that uses a convolution of Relay on both sides.
func planted(before, after *programs.Program, _ bool) (kind, detail string) {
	if strings.Contains(before.Text, "relay-conv") && strings.Contains(after.Text, "relay-conv") {
		return "wrong proof", "planted"
	}
	return "", ""
}

// collect runs a campaign and returns its findings, without the names of their files.
func collect(t *testing.T, c *Campaign) []Finding {
	t.Helper()
	var out []Finding
	if err := c.Run(context.Background(), func(f Finding) { out = append(out, f) }); err != nil {
		t.Fatal(err)
	}
	return out
}

// lines are those that a campaign would write.
func lines(c *Campaign, findings []Finding) *Lines {
	return &Lines{Start: c.Start("tv", "x"), Findings: findings, End: &End{Line: "end", Cases: c.Progress().Cases}}
}

// summary is a finding without the name of its file.
func summary(f Finding) string { return fmt.Sprintf("%d %s\n%s", f.Case, f.Key, f.Text) }

func summaries(list []Finding) []string {
	var out []string
	for _, f := range list {
		out = append(out, summary(f))
	}
	return out
}

// TestCampaignShards: the findings of all shards, merged, are those of the whole, at any number of jobs.
func TestCampaignShards(t *testing.T) {
	cases := tier.Draw[int64](120, 200, 300)
	target := &Self{Examine: planted}
	c := &Campaign{Target: target, Seed: 3, Cases: cases}
	whole := collect(t, c)
	if len(whole) < 3 {
		t.Fatalf("%d findings of what was planted", len(whole))
	}
	var parts []*Lines
	for _, i := range []int{2, 0, 1} {
		c := &Campaign{Target: target, Seed: 3, Cases: cases, Shard: i, Shards: 3, Jobs: 2}
		parts = append(parts, lines(c, collect(t, c)))
	}
	merged, missing, err := Merge(parts)
	if err != nil || len(missing) > 0 {
		t.Fatal(missing, err)
	}
	if got, want := summaries(merged.Findings), summaries(whole); !slices.Equal(got, want) {
		t.Errorf("the shards found\n%s\nthe whole\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if merged.End.Cases != cases {
		t.Errorf("the shards ran %d cases", merged.End.Cases)
	}
	if _, missing, _ := Merge(parts[1:]); !slices.Equal(missing, []int{2}) {
		t.Errorf("missing shards: %v", missing)
	}
	if _, _, err := Merge(append(parts, parts[0])); err == nil {
		t.Error("a shard that is there twice was merged")
	}
	other := *parts[0]
	other.Start.Seed++
	if _, _, err := Merge([]*Lines{parts[1], &other}); err == nil {
		t.Error("shards of different seeds were merged")
	}
}

// dirFiles are the files of a directory with their texts.
func dirFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, name := range list {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(name)] = string(text)
	}
	return out
}

var errKilled = errors.New("killed")

// TestCampaignResume: a campaign that is killed at any write and resumed ends with the files of one that was
// not, and every finding is a file that replays.
func TestCampaignResume(t *testing.T) {
	cases := tier.Draw[int64](100, 110, 150)
	target := &Self{Examine: planted}
	whole := t.TempDir()
	collect(t, &Campaign{Target: target, Seed: 5, Cases: cases, Corpus: whole})
	want := dirFiles(t, whole)
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 3 {
		dir := t.TempDir()
		for kill := true; kill; {
			left := rng.IntN(len(want))
			c := &Campaign{Target: target, Seed: 5, Cases: cases, Corpus: dir, Resume: true, Jobs: 1 + round%2}
			c.writeFile = func(name string, data []byte) error {
				if left--; left < 0 {
					return errKilled
				}
				return files.WriteAtomic(name, data)
			}
			err := c.Run(context.Background(), func(Finding) {})
			if kill = errors.Is(err, errKilled); !kill && err != nil {
				t.Fatal(err)
			}
		}
		got := dirFiles(t, dir)
		for name, text := range want {
			if isCase := strings.Contains(name, "-case-"); !isCase && got[name] != text {
				t.Errorf("round %d: %s is\n%s\nand was to be\n%s", round, name, got[name], text)
			}
		}
		for name := range got {
			if _, ok := want[name]; !ok && !strings.Contains(name, "-case-") {
				t.Errorf("round %d: %s is there as well", round, name)
			}
		}
	}
	found := 0
	for name, text := range want {
		if !strings.HasPrefix(name, "self-wrong-proof-") {
			continue
		}
		found++
		e, _, err := readEntry("self", source.NewFile(name, text))
		if err != nil {
			t.Fatal(err)
		}
		if o, err := target.Worker().Again(e); err != nil || o.Suspect == nil {
			t.Errorf("%s does not replay: %v\n%s", name, err, text)
		}
		if n := strings.Count(text, "(relay-operator-call"); n > 4 {
			t.Errorf("not shrunk: %d calls\n%s", n, text)
		}
	}
	if found == 0 {
		t.Error("nothing was found")
	}
	for _, c := range []*Campaign{
		{Target: target, Seed: 6, Corpus: whole, Shards: 1}, {Target: &Check{}, Seed: 5, Corpus: whole, Shards: 1},
	} {
		if err := os.WriteFile(filepath.Join(whole, "check-0-of-1.json"), []byte(want["self-0-of-1.json"]), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := c.readState(); err == nil {
			t.Errorf("the state of another campaign was taken by %s", c.Target.Name())
		}
	}
}

// TestCorpus: a corpus grows by what is new, is replayed first, and is small: a second campaign adds what the
// first did not cover, no file is there whose coverage others have, and what is wrong with a file is said.
func TestCorpus(t *testing.T) {
	dir := t.TempDir()
	cases := tier.Draw[int64](100, 120, 200)
	quiet := &Self{Examine: func(_, _ *programs.Program, _ bool) (string, string) { return "", "" }}
	run := func(seed uint64) Progress {
		c := &Campaign{Target: quiet, Seed: seed, Cases: cases, Corpus: dir, Jobs: 2}
		collect(t, c)
		return c.Progress()
	}
	first := run(1)
	second := run(2)
	if first.Coverage < 100 || second.Coverage <= first.Coverage {
		t.Errorf("coverage %d after one campaign, %d after two", first.Coverage, second.Coverage)
	}
	again := &Campaign{Target: quiet, Seed: 2, Cases: 1, Corpus: dir}
	collect(t, again)
	if got := again.Progress().Coverage; got < second.Coverage {
		t.Errorf("the corpus covers %d of %d", got, second.Coverage)
	}
	list, err := (&Campaign{Target: quiet, Corpus: dir}).readCorpus()
	if err != nil {
		t.Fatal(err)
	}
	if n := int(2 * cases); len(list)*8 > n*7 {
		t.Errorf("%d files for %d cases", len(list), n)
	}
}

// TestQuarantine: a damaged file is moved out of the way and said, whatever is wrong with it, and the campaign goes on with the rest;
// what is no campaign's is left where it is.
func TestQuarantine(t *testing.T) {
	const twin = "# tv fuzz self: twin\n"
	for _, test := range []struct {
		name, text, reason string
		moved              bool
	}{
		{"self-case-1.txtar", "", "is not what a campaign writes", true},
		{"self-case-1.txtar", "want: proved\n", "is not what a campaign writes", true},
		{"self-case-1.txtar", "# tv fuzz self: tw\xffin\n", "1:19: byte 0xff is not UTF-8 text [file-not-utf8]", true},
		{"check-difference-1.txtar", "", "is not what a campaign writes", true}, // of another target
		{"mine.txtar", twin, "is not what a campaign writes", true},
		{"mine.txtar", twin + "-- before.sexp --\n(oops\n-- after.sexp --\n(oops\n", "its case cannot be run: there is no operator oops", true},
		{"mine.txtar", twin + "-- kernel.json --\n{\n", "its case cannot be run: unexpected end", true},
		{"mine.txtar", "want: proved\n", "is not what a campaign writes", false},
		{"selfish.txtar", "", "is not what a campaign writes", false},
		{"self-notes.md", "", "", false}, // not of a corpus
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, test.name), []byte(test.text), 0o666); err != nil {
			t.Fatal(err)
		}
		var warned []string
		c := &Campaign{Target: &Self{Examine: planted}, Seed: 5, Cases: 40, Corpus: dir, Jobs: 2}
		c.Warn = func(text string) { warned = append(warned, text) }
		found := 0
		if err := c.Run(context.Background(), func(Finding) { found++ }); err != nil {
			t.Errorf("%s %q: %v", test.name, test.text, err)
		}
		said := strings.Join(warned, "\n")
		if want := int64(min(1, len(test.reason))); c.Progress().SetAside != want || int64(len(warned)) != want || !strings.Contains(said, test.reason) ||
			want > 0 && !strings.HasPrefix(said, filepath.Join(dir, test.name)+": warning: ") {
			t.Errorf("%s %q: %+v, warned %q", test.name, test.text, c.Progress(), warned)
		}
		if c.Progress().Cases != 40 || found == 0 {
			t.Errorf("%s %q: the campaign ended after %d cases and %d findings", test.name, test.text, c.Progress().Cases, found)
		}
		to := filepath.Join(dir, "quarantine", test.name)
		text, err := os.ReadFile(to)
		_, stays := os.Stat(filepath.Join(dir, test.name))
		if moved := err == nil && string(text) == test.text; moved != test.moved || (stays == nil) == test.moved || moved && !strings.HasSuffix(said, "it is now "+to) {
			t.Errorf("%s %q: moved %v, want %v; stays: %v; %s", test.name, test.text, moved, test.moved, stays, said)
		}
	}
}

// TestQuarantineFails: a damaged file that cannot be moved ends the campaign, with what is wrong with it and why it is still there.
func TestQuarantineFails(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"self-case-1.txtar", "quarantine"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	err := (&Campaign{Target: &Self{}, Cases: 1, Corpus: dir}).Run(context.Background(), func(Finding) {})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"self-case-1.txtar: is not what a campaign writes", "[corpus-file]", "cannot be moved to", "not a directory [file-unwritable]"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %s", err, want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "self-case-1.txtar")); err != nil {
		t.Error(err)
	}
}

// TestOneOfTheMachine: an error that would be that of every file is not taken for one of a file.
func TestOneOfTheMachine(t *testing.T) {
	for err, want := range map[error]bool{syscall.EMFILE: false, syscall.ENOMEM: false, syscall.EACCES: true, syscall.ENOENT: true, syscall.EIO: true} {
		if damaged(&source.Error{Code: "file-unreadable", Err: err}) != want {
			t.Errorf("%v: damaged %v, want %v", err, !want, want)
		}
	}
}

// TestFindingIsNotLost: where a finding cannot be written it is reported all the same, with its text, and the
// campaign ends with the error.
func TestFindingIsNotLost(t *testing.T) {
	full := errors.New("no space left on device")
	c := &Campaign{Target: &Self{Examine: planted}, Seed: 3, Corpus: t.TempDir()}
	c.writeFile = func(name string, data []byte) error {
		if strings.Contains(name, "wrong-proof") {
			return full
		}
		return files.WriteAtomic(name, data)
	}
	var found []Finding
	err := c.Run(context.Background(), func(f Finding) { found = append(found, f) })
	if !errors.Is(err, full) || len(found) != 1 || found[0].File != "" || found[0].Text == "" {
		t.Errorf("%v, %d findings", err, len(found))
	}
}

// TestInterrupt: a campaign that is stopped says so, and what it found by then is reported.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	err := (&Campaign{Target: &Self{Examine: planted}, Seed: 3, Jobs: 2}).Run(ctx, func(Finding) {
		if n++; n == 2 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || n < 2 {
		t.Errorf("%v after %d findings", err, n)
	}
}

// TestUnfinished: where a case does not end with the context it is named and left, and what was found before is reported.
func TestUnfinished(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	release := make(chan bool)
	defer close(release)
	var found atomic.Int64
	var suspect uint64
	examine := func(before, after *programs.Program, twin bool) (kind, detail string) {
		if kind, detail = planted(before, after, twin); kind != "" {
			found.Add(1)
			suspect = after.Seed
		} else if found.Load() > 0 && after.Seed != suspect {
			cancel()
			<-release
		}
		return kind, detail
	}
	n := 0
	err := (&Campaign{Target: &Self{Examine: examine}, Seed: 3}).Run(ctx, func(Finding) { n++ })
	var u *Unfinished
	if !errors.Is(err, context.Canceled) || !errors.As(err, &u) || len(u.Cases) != 1 || n != 1 {
		t.Errorf("%v after %d findings", err, n)
	}
}

// TestWrongEvaluator: an evaluator that takes one operator for another is found, by what it says of
// twins or by the kernels.
func TestWrongEvaluator(t *testing.T) {
	tier.Sweep(t)
	for _, swap := range [][2]string{
		{"relay-maximum", "relay-add"}, {"zero-padding", "min-padding"}, {"reduce-mean", "reduce-sum"},
		{"relay-conv1d", "relay-max"}, {"(compute relu", "(compute negative"},
	} {
		misread := func(text string) string { return strings.ReplaceAll(text, swap[0], swap[1]) }
		if swap[1] == "relay-max" { // strides of 1 for those of a convolution
			misread = func(text string) string {
				if !strings.Contains(text, swap[0]) {
					return text
				}
				return strings.ReplaceAll(text, "(shape 1 1)", "(shape 0 0)")
			}
		}
		c := &Campaign{Target: &Self{misread: misread}, Seed: 1, Cases: 4000, Jobs: 2, First: true}
		if found := collect(t, c); len(found) == 0 {
			t.Errorf("%v: not found in %d cases", swap, c.Progress().Cases)
		} else {
			t.Logf("%v: %d cases: %s", swap, c.Progress().Cases, found[0].Key)
		}
	}
}

// TestCampaignFindsNothing: a short campaign on tv itself.
func TestCampaignFindsNothing(t *testing.T) {
	cases := tier.Draw[int64](150, 180, 300)
	c := &Campaign{Target: &Self{}, Seed: 9, Cases: cases, Jobs: 2}
	for _, f := range collect(t, c) {
		t.Errorf("%s", f.Text)
	}
	if p := c.Progress(); p.Cases != cases || p.Coverage < 100 {
		t.Errorf("%+v", p)
	}
}
