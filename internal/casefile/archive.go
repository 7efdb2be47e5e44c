package casefile

import (
	"bytes"
	"cmp"
	"strings"

	"golang.org/x/tools/txtar"

	"tv/internal/source"
)

// An archive is a txtar file whose sections know where they are in it.
type archive struct {
	file     *source.File
	comment  string
	sections map[string]section
}

type section struct {
	text string
	line int // lines of the archive before the section's first
}

// parseArchive splits f. A section that occurs twice is an error of the given code.
func parseArchive(f *source.File, code string) (*archive, error) {
	parsed := txtar.Parse([]byte(f.Text))
	a := &archive{file: f, comment: string(parsed.Comment), sections: map[string]section{}}
	line := bytes.Count(parsed.Comment, []byte("\n"))
	for _, s := range parsed.Files {
		line++ // the marker
		if _, twice := a.sections[s.Name]; twice {
			return nil, source.Errorf(lineSpan(f, line), code, "section %s occurs twice", s.Name)
		}
		a.sections[s.Name] = section{text: string(s.Data), line: line}
		line += bytes.Count(s.Data, []byte("\n"))
	}
	return a, nil
}

// lookup returns the named section as a file with the archive's name and line numbers.
func (a *archive) lookup(name string) (*source.File, bool) {
	s, ok := a.sections[name]
	if !ok {
		return nil, false
	}
	f := source.NewFile(a.file.Name, s.text)
	f.Above = s.line
	return f, true
}

// extension returns that of the one section of a name, ".sexp" where there is none or several.
func (a *archive) extension(name string) string {
	found := ""
	for section := range a.sections {
		if rest, ok := strings.CutPrefix(section, name+"."); ok {
			if found != "" {
				return ".sexp"
			}
			found = "." + rest
		}
	}
	return cmp.Or(found, ".sexp")
}

// require is lookup for a section that must be there.
func (a *archive) require(name, code string) (*source.File, error) {
	f, ok := a.lookup(name)
	if !ok {
		return nil, &source.Error{Name: a.file.Name, Code: code, Msg: "has no section -- " + name + " --"}
	}
	return f, nil
}

// lineSpan returns the given line of f, counted from 1, without its line break.
func lineSpan(f *source.File, line int) source.Span {
	start := 0
	for n := 1; n < line; n++ {
		next := strings.IndexByte(f.Text[start:], '\n')
		if next < 0 {
			break
		}
		start += next + 1
	}
	end := len(f.Text)
	if i := strings.IndexByte(f.Text[start:], '\n'); i >= 0 {
		end = start + i
	}
	return source.Span{File: f, Start: start, End: end}
}

// sectionText makes text safe inside an archive: it ends in a line break, and no line of it reads as
// the marker of a section. A blank before such a line changes neither a program nor JSON.
func sectionText(text string) []byte {
	text = strings.Trim(text, "\n") + "\n"
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "-- ") {
			lines[i] = " " + line
		}
	}
	return []byte(strings.Join(lines, ""))
}
