package fuzz

import (
	"strings"

	"tv/internal/source"
)

// Written tells whether a file is one that campaigns write for [Replay]. Differences of two programs are not:
// they are counterexamples.
func Written(f *source.File) bool {
	return strings.HasPrefix(f.Text, writtenBy) &&
		!strings.HasPrefix(f.Text, headline((*Check)(nil).Name(), kindDifference))
}

// Replay runs the case of a file that a campaign wrote, without generator or seed, and says what is wrong
// with it: kind is empty where nothing is. Errors: *source.Error with code corpus-file.
func Replay(f *source.File) (kind, detail string, err error) {
	models, err := NewModels(nil)
	if err != nil {
		return "", "", err
	}
	for _, t := range []Target{&Self{}, &Rules{}, models, &Passes{}, &Tools{}, &Cells{}} {
		e, ours, err := readEntry(t.Name(), f)
		if err != nil {
			return "", "", err
		}
		if !ours {
			continue
		}
		o, err := t.Worker().Again(e)
		if err != nil || o.Suspect == nil {
			return "", "", err
		}
		found := o.Suspect.Finding()
		return found.Kind, found.Detail, nil
	}
	return "", "", &source.Error{Name: f.Name, Code: CodeCorpus, Msg: "is of a campaign that there is none of"}
}
