package calls_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"tv/equiv"
	"tv/internal/languages"
	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/cnest"
	"tv/semantics/loops"
	"tv/semantics/loops/calls"
	"tv/semantics/tc"
)

var update = flag.Bool("update", false, "write the calls that are found into testdata")

func parsed(t *testing.T, f txtar.File) (*loops.Procedure, semantics.Source) {
	file := source.NewFile(f.Name, string(f.Data))
	read, language := cnest.Parse, languages.C
	if filepath.Ext(f.Name) == ".tc" {
		read, language = tc.Parse, languages.TC
	}
	p, err := read(file, "")
	if err != nil {
		t.Fatal(err)
	}
	program, err := language.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	return p, program
}

// proved asks whether a text with calls means the same.
func proved(t *testing.T, before semantics.Source, text string) {
	t.Helper()
	_, after := parsed(t, txtar.File{Name: "calls.c", Data: []byte(text)})
	r, err := equiv.Check(context.Background(), equiv.Question{Before: before, After: after}, equiv.Options{})
	if err != nil || r.Verdict != equiv.Proved {
		t.Errorf("%v %v:\n%s", r.Verdict, err, text)
	}
}

// Each kernel of PolyBench is written as C, with as many calls and other statements as the table says, and proved.
func TestPolyBench(t *testing.T) {
	names, _ := filepath.Glob("../../../testdata/polybench/*.c")
	if len(names) != 30 {
		t.Fatalf("%d kernels", len(names))
	}
	table := ""
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		p, before := parsed(t, txtar.File{Name: filepath.Base(name), Data: data})
		got, err := calls.Replace(p, calls.Options{Distribute: true})
		if err != nil {
			t.Fatal(err)
		}
		proved(t, before, got.Text)
		table += fmt.Sprintf("%-16s %d %d\n", filepath.Base(name), len(got.Sites), got.Statements)
	}
	golden(t, "testdata/polybench.txt", table)
}

// golden holds a text against a file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(name); err != nil || string(want) != got {
		t.Errorf("%v, got\n%s\nwant\n%s", err, got, want)
	}
}

// Sites are found as the files say, and the text with calls is proved to mean the same.
func TestReplace(t *testing.T) {
	names, _ := filepath.Glob("testdata/*.txtar")
	if len(names) < 15 {
		t.Fatal("no files")
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			p, before := parsed(t, a.Files[0])
			got, err := calls.Replace(p, calls.Options{Distribute: true})
			if err != nil {
				t.Fatal(err)
			}
			if *update {
				a.Files = append(a.Files[:1], txtar.File{Name: "calls.c", Data: []byte(got.Text)})
				if err := os.WriteFile(name, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
			} else if want := string(a.Files[1].Data); got.Text != want {
				t.Errorf("%s\nwant:\n%s", got.Text, want)
			}
			var sites int
			for _, line := range strings.Split(string(a.Comment), "\n") {
				if n, ok := strings.CutPrefix(line, "sites: "); ok {
					sites = int(n[0] - '0')
				}
			}
			if len(got.Sites) != sites {
				t.Errorf("%d sites, want %d:\n%s", len(got.Sites), sites, got.Text)
			}
			proved(t, before, got.Text)
		})
	}
}
