package cli

import (
	"os"
	"path/filepath"
	"testing"

	"tv/internal/chrome"
	"tv/internal/tier"
)

// pages are a page of every kind, by the command that makes it in the root of the tree.
var pages = []struct {
	name string
	args []string
	exit int
}{
	{"refutation", []string{"check", "testdata/check/average-pool-after-1x1-with-bias-bad.txtar"}, exitRefuted},
	{"proof", []string{"check", "--explain", "examples/matmul-symbolic-product.sexp", "examples/matmul-symbolic-halves.sexp"}, exitProved},
	{"loops", []string{"check", "examples/matmul.c", "examples/matmul-tiled-short.c"}, exitRefuted},
	{"rules", []string{"certify", "testdata/rules/language.rules"}, exitRefuted},
	{"listing", []string{"check", "examples/dense-int8.sexp", "examples/dense-int8-bad.vta"}, exitRefuted},
	{"machine", []string{"ila", "verify", "vta-dense", "--sizes", "16x16x16"}, exitProved},
	{"campaign", []string{"fuzz", "self", "--budget", "20x", "--seed", "1"}, exitProved},
	{"netlist", []string{"check", "examples/add8.bv", "examples/add8-bad.v"}, exitRefuted},
	{"synthesis", []string{"synth", "examples/add8.bv", "--arch", "lattice"}, exitProved},
	{"several", []string{"check", "testdata/check/exact-softmax-names.txtar", "testdata/check/average-pool-after-1x1-with-bias-bad.txtar"}, exitRefuted},
	{"error", []string{"check", "examples/matmul.sexp", "examples/README.md"}, exitError},
}

// TestPagesInBrowser: a browser has nothing to say of a page of any kind, and draws it, in light and in dark, with something in each quarter
// of it; an accessibility checker finds nothing wrong.
func TestPagesInBrowser(t *testing.T) {
	tier.Sweep(t)
	browser := chrome.Start(t)
	if browser == nil {
		return
	}
	dir := t.TempDir()
	t.Chdir(root)
	for _, page := range pages {
		file := filepath.Join(dir, page.name+".html")
		if exit, _, errs := run(append(page.args, "--no-timing", "--report", "html="+file)...); exit != page.exit {
			t.Fatalf("%s: exit %d, want %d: %s", page.name, exit, page.exit, errs)
		}
		for _, dark := range []bool{false, true} {
			looks := map[bool]string{false: "light", true: "dark"}[dark]
			p := browser.Open(chrome.File(file), 1200, 900, dark)
			if pictures := os.Getenv("TV_PICTURES"); pictures != "" {
				if err := os.WriteFile(filepath.Join(pictures, page.name+"-"+looks+".png"), p.PNG(), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			picture := p.Picture()
			if got := picture.Common(picture.Rect) < 128; got != dark {
				t.Errorf("%s, %s: the page is dark: %t", page.name, looks, got)
			}
			for i, quarter := range picture.Quarters() {
				if i < 2 && picture.Empty(quarter) {
					t.Errorf("%s, %s: nothing is to be seen at %v", page.name, looks, quarter)
				}
			}
			var over int
			if p.Eval("document.documentElement.scrollWidth - innerWidth", &over); over > 0 {
				t.Errorf("%s, %s: the page is %d pixels too wide", page.name, looks, over)
			}
			violations, _, ok := p.Violations()
			for _, v := range violations {
				t.Errorf("%s, %s: %s", page.name, looks, v)
			}
			if !ok {
				t.Log("not checked")
			}
			if said := p.Said(); said != "" {
				t.Errorf("%s, %s: the browser says %s", page.name, looks, said)
			}
		}
	}
	// What is looked for is found.
	wrong := filepath.Join(dir, "wrong.html")
	if err := os.WriteFile(wrong, []byte(`<script>console.error("no")</script><img src="data:,">`), 0o666); err != nil {
		t.Fatal(err)
	}
	p := browser.Open(chrome.File(wrong), 1200, 900, false)
	blank := p.Picture()
	if p.Said() == "" || !blank.Empty(blank.Rect) {
		t.Errorf("an error of a page without anything in it is not seen: %s", p.Said())
	}
	if violations, _, ok := p.Violations(); ok && len(violations) == 0 {
		t.Error("the accessibility checker finds a picture without a name right")
	}
}
