package languages_test

import (
	"context"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tv/equiv"
	"tv/equiv/witness"
	"tv/internal/languages"
	"tv/internal/litmusfile"
	"tv/internal/source"
	"tv/internal/tier"
	"tv/proofs"
	"tv/semantics"
	"tv/semantics/vta"
)

// Every language has a reading in the checker, an extension of its own, and programs that it is tested on.
func TestRegistry(t *testing.T) {
	seen := map[string]bool{}
	for _, l := range languages.All {
		read := languages.Checker.Readings[l.Name] != nil
		if languages.Named(l.Name) != l || !read && l != vta.Language { // nothing certifies a listing
			t.Errorf("%s has no name, or no reading", l.Name)
		}
		for _, ext := range l.Extensions {
			if seen[ext] || languages.ByExtension(ext) != l {
				t.Errorf("%s is an extension of two languages", ext)
			}
			seen[ext] = true
			if files, _ := filepath.Glob("../../testdata/languages/*" + ext); len(files) == 0 && read && l.Name != proofs.Glenside && l.Name != proofs.RISERule {
				t.Errorf("no programs in testdata/languages end in %s", ext)
			}
		}
	}
}

// TestLitmus asks about each litmus file of two languages. Of what is refuted the quick tier asks prover and checker alone in one
// file of three.
func TestLitmus(t *testing.T) {
	files, err := filepath.Glob("../../testdata/languages/*.txtar")
	solver, _ := filepath.Glob("../../testdata/languages/solver/*.txtar")
	files = append(files, solver...)
	if err != nil || len(files) < 10 || len(solver) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			l, err := litmusfile.Read(name)
			if err != nil {
				t.Fatal(err)
			}
			q, opts := l.Question, l.Options
			opts.Steps, opts.Solver = steps, "none"
			if filepath.Base(filepath.Dir(name)) == "solver" {
				refused(t, q, opts) // a solver tells them apart; neither prover nor checker may take them for equal
				return
			}
			r, err := equiv.Check(context.Background(), q, opts)
			if err != nil || r.Verdict != l.Want || (r.Certificate == nil) == (l.Want == equiv.Proved) {
				t.Errorf("%s %s %s, want %s, %v", r.Verdict, r.Reason, r.Detail, l.Want, err)
			}
			if l.Want == equiv.Refuted && crc32.ChecksumIEEE([]byte(filepath.Base(name)))%tier.Pick[uint32](3, 1) == 0 {
				refused(t, q, opts)
			}
		})
	}
}

func parse(name, text string) (semantics.Source, error) {
	return languages.ByExtension(filepath.Ext(name)).Parse(source.NewFile(name, text))
}

// steps are those of the engines on a question of this test.
const steps = 300_000

// TestMutants asks whether programs equal themselves with one token changed. What the evaluator tells apart must neither the
// prover prove on its own nor the checker accept: so the lowering and the checker's reading are held to the evaluator, of
// which none shares code with another. The quick tier takes one mutant of three, all one of two.
func TestMutants(t *testing.T) {
	files, err := filepath.Glob("../../testdata/languages/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		if languages.ByExtension(filepath.Ext(name)) == nil { // a litmus file
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			before, err := parse(name, string(data))
			if err != nil {
				t.Fatal(err)
			}
			r := ask(t, before, before)
			if r.Verdict != equiv.Proved || r.Certificate == nil {
				t.Errorf("against itself: %s %s %s", r.Verdict, r.Reason, r.Detail)
			}
			apart, alike := 0, 0
			for k, text := range mutants(string(data)) {
				if k%tier.Draw(3, 2, 1) > 0 {
					continue
				}
				after, err := parse(name, text)
				if err != nil {
					continue
				}
				switch r := ask(t, before, after); r.Verdict {
				case equiv.Proved:
					alike++
				case equiv.Refuted:
					apart++
					refused(t, equiv.Question{Before: before, After: after}, options(before))
				}
			}
			if t.Logf("%d mutants told apart, %d proved", apart, alike); apart < tier.Draw(1, 1, 2) {
				t.Error("too few mutants are told apart")
			}
		})
	}
}

func ask(t *testing.T, before, after semantics.Source) equiv.Result {
	t.Helper()
	r, err := equiv.Check(context.Background(), equiv.Question{Before: before, After: after}, options(before))
	if err != nil { // no question: the mutant's conditions hold nowhere, say
		return equiv.Result{}
	}
	return r
}

// options are those of a question whose numbers are bits, but where the program is in real numbers.
func options(s semantics.Source) equiv.Options {
	o := equiv.Options{Arith: equiv.Exact, Steps: steps, Solver: "none"}
	if strings.Contains(s.File().Text, "float") {
		o.Arith = equiv.Real
	}
	return o
}

// refused fails where the prover proves, or the checker accepts, what differs.
func refused(t *testing.T, asked equiv.Question, opts equiv.Options) {
	t.Helper()
	name := asked.After.File().Name
	if proved, err := equiv.Prove(context.Background(), asked, opts); err == nil && proved {
		t.Errorf("%s: proved, and wrong:\n%s", name, asked.After.File().Text)
	}
	s, err := equiv.Statement(asked, opts)
	if err != nil {
		t.Fatal(name, err)
	}
	if _, err := witness.Certify(context.Background(), s, witness.Search{Steps: steps}); err == nil {
		t.Errorf("%s: certified, and wrong:\n%s", name, asked.After.File().Text)
	}
}

var token = regexp.MustCompile(`[A-Za-z_]\w*|[0-9]+|\+=!|\+=|[-+*=]`)

// mutants are the texts in which one token of a statement is another.
func mutants(text string) (out []string) {
	heading := strings.Index(text, "\n")
	var names []string
	for _, name := range token.FindAllString(text[heading:], -1) {
		if len(name) == 1 {
			names = append(names, name)
		}
	}
	for _, at := range token.FindAllStringIndex(text, -1) {
		old := text[at[0]:at[1]]
		if at[0] < heading {
			continue
		}
		var others []string
		switch {
		case old == "+=" || old == "+=!" || old == "=":
			others = []string{"+=", "+=!", "="}
		case strings.ContainsAny(old[:1], "+-*"):
			others = []string{"+", "-", "*"}
		case old[0] >= '0' && old[0] <= '9':
			others = []string{"0", "1", "2", "3"}
		default:
			others = names[:min(len(names), 6)]
		}
		for i, other := range others {
			if other != old && (i == 0 || others[i-1] != other) {
				out = append(out, fmt.Sprint(text[:at[0]], other, text[at[1]:]))
			}
		}
	}
	return out
}
