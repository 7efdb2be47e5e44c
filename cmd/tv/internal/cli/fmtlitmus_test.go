package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"tv/internal/casefile"
	"tv/internal/files"
	"tv/internal/languages"
	"tv/internal/source"
)

// TestFormatLitmus: of each litmus file the layout is of the same programs, changes nothing the second time, and keeps all else.
func TestFormatLitmus(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"check", "languages"} {
		list, err := filepath.Glob(filepath.Join("../../../../testdata", dir, "*.txtar"))
		if err != nil || len(list) < 20 {
			t.Fatalf("%d files: %v", len(list), err)
		}
		for _, name := range list {
			f, err := files.Read(name, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := casefile.ReadLitmus(f); err != nil {
				continue // not one; the tests of the corpus ask that all are that should be
			}
			once, err := formatLitmus(f, false)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			after := source.NewFile(name, once)
			if twice, err := formatLitmus(after, false); err != nil || twice != once {
				t.Errorf("%s changes when it is formatted again (%v)", name, err)
			}
			x, y := txtar.Parse([]byte(f.Text)), txtar.Parse([]byte(once))
			if string(x.Comment) != string(y.Comment) || len(x.Files) != len(y.Files) {
				t.Errorf("%s: what is above the programs has changed", name)
				continue
			}
			for i, part := range x.Files {
				switch base, _, _ := strings.Cut(part.Name, "."); base {
				case "before", "after":
					sameProgram(t, name, part.Name, string(part.Data), string(y.Files[i].Data))
				default:
					if string(part.Data) != string(y.Files[i].Data) {
						t.Errorf("%s: the section %s has changed", name, part.Name)
					}
				}
			}
		}
	}
}

// sameProgram asks that two texts are one program: without comments they have the same layout, and with them the same comments.
func sameProgram(t *testing.T, file, section, x, y string) {
	t.Helper()
	l := languages.ByExtension(filepath.Ext(section))
	if l == nil || x == y {
		return
	}
	var laidOut [2]string
	var counts [2][2]int // inputs and assumes of Glenside
	for i, text := range []string{x, y} {
		p, err := l.Parse(source.NewFile(section, text))
		if err == nil {
			laidOut[i], err = layout(p, false)
		}
		if g, ok := glensideOf(p); err == nil && ok {
			counts[i] = [2]int{len(g.Inputs), len(g.Assumes)}
		}
		if err != nil {
			return // of several functions, of which the flags of the file say one
		}
	}
	if laidOut[0] != laidOut[1] || counts[0] != counts[1] {
		t.Errorf("%s: %s is another program:\n%s\nwas\n%s", file, section, laidOut[1], laidOut[0])
	}
	if l.Extensions[0] == ".sexp" && strings.Count(x, ";") != strings.Count(y, ";") {
		t.Errorf("%s: %s has lost comments:\n%s\nwas\n%s", file, section, y, x)
	}
}
