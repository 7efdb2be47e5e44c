package casefile

import (
	"strings"

	"tv/equiv"
	"tv/internal/source"
)

// A Litmus is a question and the verdict it wants: an archive with the sections before.sexp and
// after.sexp, or with other extensions that are of languages, whose comment may hold
//
//	want: proved|refuted|unknown
//	args: flags of tv check that belong to the question
//
// and prose, in lines that start with '#' or do not look like another of these.
type Litmus struct {
	Before, After *source.File
	Extensions    [2]string     // of their sections: ".sexp"
	Want          equiv.Verdict // Proved where the file does not say
	Args          []string      // split at blanks that are not in quotes
	ArgsSpan      source.Span
	archive       *archive
}

// CodeLitmus is the code of a litmus file that cannot be read.
const CodeLitmus = "litmus-file"

// ReadLitmus reads a litmus file. Errors: a *source.Error with code litmus-file.
func ReadLitmus(f *source.File) (*Litmus, error) {
	a, err := parseArchive(f, CodeLitmus)
	if err != nil {
		return nil, err
	}
	l := &Litmus{Want: equiv.Proved, archive: a}
	seen := map[string]bool{}
	for i, line := range strings.Split(a.comment, "\n") {
		key, value, ok := strings.Cut(line, ":")
		if !ok || !isKey(key) {
			continue
		}
		span := lineSpan(f, i+1)
		if seen[key] {
			return nil, source.Errorf(span, CodeLitmus, "%s: occurs twice", key)
		}
		seen[key] = true
		switch key {
		case "want":
			if l.Want, ok = ParseVerdict(strings.TrimSpace(value)); !ok {
				return nil, source.Errorf(span, CodeLitmus,
					"want: takes proved, refuted or unknown, not %q", strings.TrimSpace(value))
			}
		case "args":
			if l.Args, ok = words(value); !ok {
				return nil, source.Errorf(span, CodeLitmus, "args: a quote that does not end")
			}
			l.ArgsSpan = span
		default:
			return nil, source.Errorf(span, CodeLitmus,
				"unknown key %q: want: and args: are known, and prose starts with #", key)
		}
	}
	l.Extensions = [2]string{a.extension("before"), a.extension("after")}
	if l.Before, err = a.require("before"+l.Extensions[0], CodeLitmus); err != nil {
		return nil, err
	}
	if l.After, err = a.require("after"+l.Extensions[1], CodeLitmus); err != nil {
		return nil, err
	}
	return l, nil
}

// words splits a line at blanks that are not between single quotes; false where one does not end.
func words(line string) (out []string, ok bool) {
	var word strings.Builder
	started, quoted := false, false
	for _, r := range line {
		switch blank := r == ' ' || r == '\t' || r == '\r'; {
		case r == '\'':
			quoted, started = !quoted, true
		case blank && !quoted:
			if started {
				out = append(out, word.String())
			}
			word.Reset()
			started = false
		default:
			word.WriteRune(r)
			started = true
		}
	}
	if started {
		out = append(out, word.String())
	}
	return out, !quoted
}

// Section returns another section of the file, such as one that an argument names.
func (l *Litmus) Section(name string) (*source.File, bool) { return l.archive.lookup(name) }

// ParseVerdict reads what Verdict.String prints.
func ParseVerdict(s string) (equiv.Verdict, bool) {
	for _, v := range []equiv.Verdict{equiv.Unknown, equiv.Proved, equiv.Refuted} {
		if v.String() == s {
			return v, true
		}
	}
	return equiv.Unknown, false
}

func isKey(s string) bool {
	for _, r := range s {
		if r < 'a' || r > 'z' {
			return false
		}
	}
	return s != ""
}
