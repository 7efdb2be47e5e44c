package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"tv/ci/page/pagetest"
	"tv/internal/tier"
)

// mostPage bounds the page of an ordinary refutation, in bytes.
const mostPage = 300_000

// TestPages: the page of a refutation can be read by everyone and is small; where values differ it shows both programs, what is to
// blame, and the result before, after and their difference.
func TestPages(t *testing.T) {
	var all []string
	for _, dir := range []string{"check", "languages"} {
		list, err := filepath.Glob(filepath.Join(root, "testdata", dir, "*-bad*.txtar"))
		if err != nil || len(list) < 300 {
			t.Fatalf("%d files: %v", len(list), err)
		}
		all = append(all, list...)
	}
	var few []string
	for i := 0; i < len(all); i += len(all) / 30 {
		few = append(few, all[i])
	}
	for _, file := range tier.Pick(few, all) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			exit, text, _ := run("check", "--no-timing", "--format", "html", file)
			for _, problem := range pagetest.Problems(text) {
				t.Error(problem)
			}
			if len(text) > mostPage {
				t.Errorf("the page has %d bytes", len(text))
			}
			_, said, _ := run("check", "--no-timing", file)
			values := exit == exitRefuted && strings.Contains(said, " before, ") && !strings.Contains(said, "undefined")
			if pictures := count(t, text, "svg"); values && pictures < 3 {
				t.Errorf("the page has %d pictures", pictures)
			}
			if strings.Contains(said, "\n  blame: ") && count(t, text, "mark") == 0 {
				t.Error("nothing is underlined")
			}
		})
	}
}

// count returns how many elements of a name a page has.
func count(t *testing.T, text, name string) (n int) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for e := range doc.Descendants() {
		if e.Type == html.ElementNode && e.Data == name {
			n++
		}
	}
	return n
}

// TestExplainCuts: the steps of a proof in stages name the subterms that were proved equal one after the other, by their numbers in
// those that were proved with them.
func TestExplainCuts(t *testing.T) {
	exit, text, errs := run("check", "--explain", "--no-timing", filepath.Join(root, "testdata", "check", "encoder-layer-heads-one-by-one.txtar"))
	if exit != exitProved {
		t.Fatalf("%d %s", exit, errs)
	}
	for _, want := range []string{
		"\n  1. cut 1 of 12: BEFORE's (relay-reshape ",
		"\n  2. cut 2 of 12: BEFORE's (relay-dense <cut 1> ", " is AFTER's (relay-dense <cut 1> ",
		"\n  13. of each cut: each element of both results is written as sums of products",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}
