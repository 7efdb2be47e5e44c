package cli

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"tv/internal/chrome"
	"tv/internal/tier"
)

var pictures = flag.Bool("pictures", false, "write pictures of pages to doc/pictures")

// pages are a page of every kind, by the command that makes it in the root of the tree.
var pages = []struct {
	name   string
	args   []string
	exit   int
	height int // of its picture
}{
	{"refutation", []string{"check", "testdata/check/average-pool-after-1x1-with-bias-bad.txtar"}, exitRefuted, 1300},
	{"proof", []string{"check", "--explain", "examples/matmul-symbolic-product.sexp", "examples/matmul-symbolic-halves.sexp"}, exitProved, 900},
	{"loops", []string{"check", "examples/matmul.c", "examples/matmul-tiled-short.c"}, exitRefuted, 1100},
	{"rules", []string{"certify", "testdata/rules/language.rules"}, exitRefuted, 1000},
	{"listing", []string{"check", "examples/dense-int8.sexp", "examples/dense-int8-bad.vta"}, exitRefuted, 1350},
	{"race", []string{"check", "examples/dense-int8.sexp", "examples/dense-int8-racing.vta"}, exitRefuted, 1100},
	{"machine", []string{"ila", "verify", "vta-dense", "--sizes", "16x16x16"}, exitProved, 760},
	{"campaign", []string{"fuzz", "self", "--budget", "20x", "--seed", "1"}, exitProved, 260},
	{"netlist", []string{"check", "examples/add8.bv", "examples/add8-bad.v"}, exitRefuted, 1250},
	{"synthesis", []string{"synth", "examples/add8.bv", "--arch", "lattice"}, exitProved, 640},
	{"several", []string{"check", "testdata/check/exact-softmax-names.txtar", "testdata/check/average-pool-after-1x1-with-bias-bad.txtar"}, exitRefuted, 1000},
	{"mapped", []string{"map", "examples/matmul.sexp", "--target", "vta"}, exitProved, 900},
	{"error", []string{"check", "examples/matmul.sexp", "examples/README.md"}, exitError, 300},
}

// TestPagesInBrowser: a browser has nothing to say of a page of any kind, and draws it, in light and in dark, with something in both
// quarters of its upper half and nothing beside it; an accessibility checker finds nothing wrong.
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
		args := append(page.args, "--report", "html="+file)
		if args[0] != "map" { // whose reports have no times
			args = append(args, "--no-timing")
		}
		if exit, _, errs := run(args...); exit != page.exit {
			t.Fatalf("%s: exit %d, want %d: %s", page.name, exit, page.exit, errs)
		}
		for _, dark := range []bool{false, true} {
			looks := map[bool]string{false: "light", true: "dark"}[dark]
			p := browser.Open(chrome.File(file), 1100, 900, dark)
			if *pictures {
				p.Resize(1100, page.height)
				p.Draw(filepath.Join("doc", "pictures", page.name+"-"+looks+".png"))
				p.Resize(1100, 900)
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
			violations, _, _ := p.Violations()
			for _, v := range violations {
				t.Errorf("%s, %s: %s", page.name, looks, v)
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
	p := browser.Open(chrome.File(wrong), 1100, 900, false)
	blank := p.Picture()
	if p.Said() == "" || !blank.Empty(blank.Rect) {
		t.Errorf("an error of a page without anything in it is not seen: %s", p.Said())
	}
	if violations, _, ok := p.Violations(); ok && len(violations) == 0 {
		t.Error("the accessibility checker finds a picture without a name right")
	}
}
