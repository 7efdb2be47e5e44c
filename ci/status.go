package ci

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strings"

	"tv/equiv"
	"tv/equiv/sample"
	"tv/glenside"
	"tv/internal/languages"
	"tv/internal/source"
	"tv/proofs"
)

// A status is what an item means for the run.
type status uint8

const (
	passed     status = iota // proved, or as wanted
	failed                   // refuted, or not as wanted
	known                    // failed by a refutation that the baseline has
	undecided                // unknown
	errored                  // could not be asked
	unanswered               // the run was stopped before
)

func (r *Run) status(it *Item) status {
	switch {
	case len(it.Errors) > 0:
		return errored
	case it.Open:
		return unanswered
	case r.Known(it):
		return known
	case r.Expect && it.AsWanted():
		return passed
	case r.Expect || it.Result.Verdict == equiv.Refuted:
		return failed
	case it.Result.Verdict == equiv.Unknown:
		return undecided
	}
	return passed
}

// Known tells whether the item is a refutation that nobody wants and that the baseline has.
func (r *Run) Known(it *Item) bool {
	return it.answered() && it.Result.Verdict == equiv.Refuted && !(r.Expect && it.AsWanted()) &&
		r.Baseline[it.Print()]
}

// Print returns the fingerprint of an item that is not proved, in hexadecimal digits: the SHA-256 of what is
// wrong, not of where it stands. It stays the same when lines move, and when a program is edited outside of the
// subterms that are to blame; it changes with the names of the programs and with the meaning of the question.
// A proof has none.
func (it *Item) Print() string {
	r := &it.Result
	if !it.answered() || r.Verdict == equiv.Proved {
		return ""
	}
	if f := it.Finding; f != nil {
		return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "tv finding 1\n%q %q %q %q %q\n", it.kind(),
			filepath.ToSlash(r.Before), filepath.ToSlash(r.After), f.Kind, f.Key)))
	}
	if it.ResumedPrint != "" {
		return it.ResumedPrint
	}
	name := it.Name
	if it.Step { // a step is the same finding in a longer chain
		name = ""
	}
	h := sha256.New()
	fmt.Fprintf(h, "tv finding 1\n%q %q %q %q %q %q %q %q %q\n", it.kind(), name, it.file(),
		filepath.ToSlash(r.Before), filepath.ToSlash(r.After), r.Arith, r.Equal, r.Verdict, r.Reason)
	switch {
	case r.Verdict == equiv.Unknown: // what was left varies with the limits
	case len(r.Blame) == 0:
		fmt.Fprintf(h, "%q\n", r.Detail)
	default:
		for _, b := range r.Blame {
			program := r.Before
			if b.Side == "after" {
				program = r.After
			}
			fmt.Fprintf(h, "%q %q\n", b.Side, canonical(b, program))
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// canonical returns the whole text of a subterm of a program without comments and layout; that of the report may be cut.
func canonical(b sample.Blame, program string) string {
	text := b.Span.Text()
	if text == "" {
		text = b.Text
	}
	if p, err := glenside.Parse(source.NewFile("blame", text)); err == nil {
		return glenside.Format(p)
	}
	if l := languages.ByExtension(filepath.Ext(program)); l != nil && l.Name != proofs.Glenside {
		return strings.Join(strings.Fields(text), "") // layout is blanks
	}
	return strings.Join(strings.Fields(text), " ")
}

// kind is the kind of question, as reports say it.
func (it *Item) kind() string {
	if it.Rule != nil {
		return "rule"
	}
	return cmp.Or(it.Kind, "check")
}

// firstLine is the first line of the text report of an item.
func (it *Item) firstLine(timed bool) string {
	if it.Text != "" {
		line, _, _ := strings.Cut(it.Text, "\n")
		return line
	}
	return FirstLine(&it.Result, timed)
}

// title names an item in one line.
func (it *Item) title() string {
	pair := oneLine(it.Result.Before) + " => " + oneLine(it.Result.After)
	switch {
	case it.Name == "":
		return pair
	case it.Step:
		return oneLine(it.Name) + ": " + pair
	}
	return oneLine(it.Name)
}

// file returns the name of the file that a reader of the report should look at; empty where there is none.
func (it *Item) file() string {
	if it.Place.File == nil {
		return ""
	}
	return filepath.ToSlash(it.Place.File.Name)
}

// places returns the spans to show for an item, the most telling first: what is to blame, of AFTER before
// BEFORE, or where the question stands. Blame of a rule is in the programs of a case, which are no files.
func (it *Item) places() []source.Span {
	var list []source.Span
	if it.Rule == nil {
		for _, side := range []string{"after", "before"} {
			for _, b := range it.Result.Blame {
				if b.Side == side && b.Span.File != nil {
					list = append(list, b.Span)
				}
			}
		}
	}
	if len(list) == 0 && it.Place.File != nil {
		list = append(list, it.Place)
	}
	return list
}
