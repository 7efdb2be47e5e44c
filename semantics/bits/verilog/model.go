package verilog

import (
	"regexp"
	"strings"

	"tv/internal/source"
)

// Models are the modules of a vendor's text of simulation models. One is parsed when it is asked for: others may have what the subset lacks.
type Models struct {
	texts map[string]*source.File
	read  map[string]*Module
}

var (
	modelText    = regexp.MustCompile(`(?s)\bmodule\s+([A-Za-z_][A-Za-z_0-9$]*)\b.*?\bendmodule\b`)
	modelSpecify = regexp.MustCompile(`(?s)\bspecify\b.*?\bendspecify\b`)
	modelDelay   = regexp.MustCompile(`#\s*[0-9][0-9_.]*`)
	modelComment = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*`)
)

// blanked is a text as long, of its ends of lines alone.
func blanked(s string) string {
	return strings.Map(func(c rune) rune {
		if c == '\n' {
			return c
		}
		return ' '
	}, s)
}

// ReadModels finds the modules of a text. Comments, specify blocks and what `ifdef leaves out are passed: no macro is defined.
func ReadModels(f *source.File) (*Models, error) {
	m := &Models{texts: map[string]*source.File{}, read: map[string]*Module{}}
	text := modelComment.ReplaceAllStringFunc(f.Text, blanked)
	text, err := conditional(f, text)
	if err != nil {
		return nil, err
	}
	text = modelSpecify.ReplaceAllStringFunc(text, blanked)
	text = modelDelay.ReplaceAllStringFunc(text, blanked)
	for _, at := range modelText.FindAllStringSubmatchIndex(text, -1) {
		name := text[at[2]:at[3]]
		line := f.Position(at[0])
		one := source.NewFile(f.Name, strings.Repeat("\n", line.Line-1)+strings.Repeat(" ", line.Col-1)+text[at[0]:at[1]])
		m.texts[name] = one
	}
	return m, nil
}

// conditional blanks the parts between `ifdef and `endif that hold where a macro is defined.
func conditional(f *source.File, text string) (string, error) {
	lines := strings.SplitAfter(text, "\n")
	var keep []bool
	at := 0
	for i, line := range lines {
		word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch strings.TrimSpace(word) {
		case "`ifdef":
			keep = append(keep, false)
		case "`ifndef":
			keep = append(keep, true)
		case "`else", "`endif":
			if len(keep) == 0 {
				return "", source.Errorf(source.Span{File: f, Start: at, End: at + len(line)}, "syntax", "%s without its `ifdef", word)
			}
			if keep[len(keep)-1] = !keep[len(keep)-1]; word == "`endif" {
				keep = keep[:len(keep)-1]
			}
		case "`elsif", "`define", "`undef", "`include":
			if word != "`define" && word != "`undef" {
				return "", source.Errorf(source.Span{File: f, Start: at, End: at + len(line)}, "unsupported", "the directive %s", word)
			}
		default:
			out := false
			for _, k := range keep {
				out = out || !k
			}
			if !out {
				at += len(line)
				continue
			}
		}
		at += len(line)
		lines[i] = blanked(line)
	}
	return strings.Join(lines, ""), nil
}

// Module is the model of a name, or nil where there is none.
func (m *Models) Module(name string) (*Module, error) {
	if old := m.read[name]; old != nil {
		return old, nil
	}
	text := m.texts[name]
	if text == nil {
		return nil, nil
	}
	f, err := parse(text, true)
	if err != nil {
		return nil, err
	}
	m.read[name] = f.Modules[0]
	return f.Modules[0], nil
}

// delay passes a delay of a model that is no number: time is not looked at.
func (p *parser) delay() error {
	if !p.is("#") {
		return nil
	}
	if !p.model {
		return source.Errorf(p.span(), "unsupported", "a delay")
	}
	if err := p.advance(); err != nil {
		return err
	}
	_, err := p.primary()
	return err
}
