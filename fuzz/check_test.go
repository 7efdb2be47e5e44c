package fuzz

import (
	"testing"

	"tv/equiv"
	"tv/glenside"
	"tv/internal/source"
	"tv/semantics/domain"
	language "tv/semantics/glenside"
)

// TestCheckID: what is said of a text beside it makes another campaign, whose state is not that of the first.
func TestCheckID(t *testing.T) {
	id := func(function, assume string) string {
		t.Helper()
		f := source.NewFile("a.sexp", "(input A (shape N))\n(access A 1)")
		f.Function = function
		p, err := glenside.Parse(f)
		if err != nil {
			t.Fatal(err)
		}
		before := language.Of(p)
		after := language.Of(p)
		s := equiv.Question{Before: before, After: after}
		if assume != "" {
			said := source.NewFile("--assume", assume)
			pred, err := glenside.ParsePred(said)
			if err != nil {
				t.Fatal(err)
			}
			s.Before = before.Assuming([]*domain.Assume{{Pred: pred, Span: source.Span{File: said, End: len(assume)}}})
		}
		c, err := NewCheck(s, equiv.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return c.ID()
	}
	seen := map[string][2]string{}
	for _, with := range [][2]string{{"", ""}, {"f", ""}, {"g", ""}, {"", "(<= 3 N)"}, {"", "(<= 4 N)"}, {"f", "(<= 3 N)"}} {
		is := id(with[0], with[1])
		if other, ok := seen[is]; ok {
			t.Errorf("%q and %q are one campaign", other, with)
		}
		seen[is] = with
		if again := id(with[0], with[1]); again != is {
			t.Errorf("%q: %s, then %s", with, is, again)
		}
	}
}
