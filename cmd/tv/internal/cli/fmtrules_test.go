package cli

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tv/internal/files"
	"tv/internal/sexpr"
	"tv/internal/source"
)

// TestFormatRules: of each file of rules the layout is of the same words and comments in the same order, and changes nothing the
// second time.
func TestFormatRules(t *testing.T) {
	t.Parallel()
	asked := 0
	err := filepath.WalkDir("../../../..", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != "."+langRules {
			return err
		}
		f, err := files.Read(name, nil)
		if err != nil {
			return err
		}
		if errs, _ := ruleProblems(f); len(errs) > 0 {
			return nil // those that show what is wrong with a text
		}
		asked++
		once, err := formatRules(f, false)
		if err != nil {
			return err
		}
		after := source.NewFile(name, once)
		if twice, err := formatRules(after, false); err != nil || twice != once {
			t.Errorf("%s changes when it is formatted again (%v)", name, err)
		}
		if x, y := words(t, f), words(t, after); !slices.Equal(x, y) {
			t.Errorf("%s: the words have changed", name)
		}
		return nil
	})
	if err != nil || asked < 30 {
		t.Errorf("%d files: %v", asked, err)
	}
}

// words are the parentheses and words of a text, with its comments in their order.
func words(t *testing.T, f *source.File) (out []string) {
	forms, bad := sexpr.Read(f)
	if bad != nil {
		t.Fatal(bad)
	}
	var walk func(x *sexpr.Form)
	walk = func(x *sexpr.Form) {
		if !x.IsList {
			out = append(out, x.Span.Text())
			return
		}
		out = append(out, "(")
		for _, y := range x.List {
			walk(y)
		}
		out = append(out, ")")
	}
	for _, x := range forms {
		walk(x)
	}
	for _, c := range comments(f.Text) {
		out = append(out, strings.TrimSpace(c))
	}
	return out
}
