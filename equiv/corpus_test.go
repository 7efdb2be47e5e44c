package equiv

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"tv/glenside"
	"tv/internal/source"
	"tv/semantics/domain"
)

// A corpusFile is a file of testdata/check as tests inside this package read it.
type corpusFile struct {
	name   string
	wrong  bool // wants to be refuted
	proved bool // wants to be proved
	access bool
	opts   Options
	texts  []string // of both programs, and of inputs where the file gives them
	ps     [2]*glenside.Program
}

func readCorpus(t *testing.T) []corpusFile {
	t.Helper()
	files, err := filepath.Glob("../testdata/check/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no litmus files: %v", err)
	}
	var out []corpusFile
	for _, f := range files {
		a, err := txtar.ParseFile(f)
		if err != nil {
			t.Fatal(err)
		}
		has := func(text string) bool { return strings.Contains(string(a.Comment), text) }
		c := corpusFile{name: filepath.Base(f), wrong: has("want: refuted"), proved: has("want: proved"),
			access: has("--equal access"), opts: Options{Solver: "none", Uncertified: true}}
		c.opts.Arith = domain.ArithIn(line(string(a.Comment), "args:"))
		for i, s := range a.Files {
			if c.texts = append(c.texts, string(s.Data)); i > 1 {
				continue
			}
			if c.ps[i], err = glenside.Parse(source.NewFile(s.Name, string(s.Data))); err != nil {
				t.Fatal(err)
			}
		}
		out = append(out, c)
	}
	return out
}

// A member is a program of the corpus among those with the same declarations.
type member struct {
	file string
	p    *glenside.Program
}

// A group is programs of the corpus that may be asked about together.
type group struct {
	opts    Options
	members []member
}

// grouped puts programs into groups by a key, in the order in which the keys come.
func grouped(files []corpusFile, each func(c *corpusFile, add func(key string, p *glenside.Program))) []*group {
	var out []*group
	known := map[string]*group{}
	for i := range files {
		c := &files[i]
		each(c, func(key string, p *glenside.Program) {
			g := known[key]
			if g == nil {
				g = &group{opts: c.opts}
				known[key], out = g, append(out, g)
			}
			g.members = append(g.members, member{c.name, p})
		})
	}
	return out
}

// with calls f with those members that the i-th is asked about: all of a small group, and of one of more than few
// about few times as many; few = 0 is all of any group.
func (g *group) with(i, few int, f func(other member)) {
	step := 1
	if few > 0 {
		step = max(1, len(g.members)/few)
	}
	for j, other := range g.members {
		if i != j && (i*31+j*17)%step == 0 {
			f(other)
		}
	}
}

// line returns what follows a word on the line of a text that begins with it.
func line(text, word string) string {
	_, rest, _ := strings.Cut("\n"+text, "\n"+word)
	first, _, _ := strings.Cut(rest, "\n")
	return first
}
