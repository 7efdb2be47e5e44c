package main

import (
	"encoding/json"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tv/internal/chrome"
	"tv/internal/tier"
)

var pictures = flag.Bool("pictures", false, "write pictures of the page to doc/pictures")

// said are the verdicts of the examples, by their titles.
var said = map[string]string{
	"Blocked product, right":                 "proved",
	"Blocked product, as printed in a paper": "refuted",
	"Product of any size by halves":          "proved",
	"Product by halves, wrong for odd sizes": "refuted",
	"Softmax":                                "proved",
	"Tiled loops in C":                       "proved",
	"Tiled loops, short of the end":          "refuted",
	"A netlist":                              "proved",
	"A netlist, wrong":                       "refuted",
	"A rule":                                 "proved",
}

// TestPage: the page that make web makes answers in a browser, from a file server and nothing else: examples, texts of others, links. An
// accessibility checker finds nothing wrong, in light and in dark.
func TestPage(t *testing.T) {
	tier.Sweep(t)
	browser := chrome.Start(t)
	if browser == nil {
		return
	}
	dir := t.TempDir()
	cmd := exec.Command("make", "-C", "..", "web", "WEB="+dir) // which holds the sizes of the modules to a limit
	cmd.Env = append(os.Environ(), "MAKEFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("make web: %v\n%s", err, out)
	}
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	for _, dark := range []bool{false, true} {
		name := map[bool]string{false: "light", true: "dark"}[dark]
		t.Run(name, func(t *testing.T) {
			p := &page{browser.Open(server.URL, 1100, 900, dark), t}
			p.examples()
			p.looks(name, dark)
			p.hostile()
			p.interrupted()
			p.links(server.URL)
			if got := p.Said(); got != "" {
				t.Errorf("the browser says %s", got)
			}
		})
	}
}

// A page is the page to play with in a browser.
type page struct {
	*chrome.Page
	t *testing.T
}

// answer waits for an answer, and returns the verdict.
func (p *page) answer() (verdict string) {
	p.t.Helper()
	p.Wait("!['asking...', 'loading...'].includes($('verdict').textContent)")
	p.Eval("$('verdict').textContent.replace(/ \\(.*/, '')", &verdict)
	return verdict
}

// reported waits for the report, which comes after the verdict.
func (p *page) reported() {
	p.t.Helper()
	p.Wait("!$('report').classList.contains('stale')")
}

// text is what tv says.
func (p *page) text() (text string) {
	p.Eval("$('said').textContent", &text)
	return text
}

// ask writes into the panes.
func (p *page) ask(values [4]string) {
	p.t.Helper()
	data, err := json.Marshal(values)
	if err != nil {
		p.t.Fatal(err)
	}
	p.Eval("fill("+string(data)+")", nil)
}

// examples: each has its verdict, and what is refuted a report with pictures.
func (p *page) examples() {
	p.answer()
	for i, of := range list {
		p.Eval("$('example').selectedIndex = "+string(rune('0'+i))+"; $('example').onchange()", nil)
		if got := p.answer(); got != said[of[0]] {
			p.t.Errorf("%s: %s, want %s\n%s", of[0], got, said[of[0]], p.text())
		}
		if text := p.text(); !strings.Contains(text, said[of[0]]+": ") {
			p.t.Errorf("%s: the text is %q", of[0], text)
		}
		var report string
		p.reported()
		if p.Eval("$('report').hidden ? '' : $('report').srcdoc", &report); !strings.Contains(report, said[of[0]]) {
			p.t.Errorf("%s: no report: %.200s", of[0], report)
		}
	}
}

// looks: there is something in each quarter of the page, light or dark.
func (p *page) looks(name string, dark bool) {
	p.Eval("$('example').selectedIndex = 1; $('example').onchange()", nil)
	p.answer()
	p.reported()
	p.Eval("new Promise((done) => { $('report').onload = done; $('report').srcdoc += ' '; })", nil)
	if *pictures {
		p.Draw(filepath.Join("..", "doc", "pictures", "playground-"+name+".png"))
	}
	picture := p.Picture()
	if got := picture.Common(picture.Rect) < 128; got != dark {
		p.t.Errorf("the page is dark: %t", got)
	}
	for _, quarter := range picture.Quarters() {
		if picture.Empty(quarter) {
			p.t.Errorf("nothing is to be seen at %v", quarter)
		}
	}
	for _, width := range []int{400, 1200} {
		var over int
		p.Resize(width, 900)
		if p.Eval("document.documentElement.scrollWidth - innerWidth", &over); over > 0 {
			p.t.Errorf("%d pixels wide: the page is %d too wide", width, over)
		}
	}
	violations, _, _ := p.Violations()
	for _, v := range violations {
		p.t.Error(v)
	}
}

// hostile: texts are shown, and are no part of the page.
func (p *page) hostile() {
	const attack = "<script>parent.wrong = top.wrong = 1</script><img src=x onerror='top.wrong = 1'>\u202e"
	p.ask([4]string{"a.sexp", "; " + attack + "\n(input A (shape 2))\n(access A 1)\n",
		"<b>" + attack + ".sexp", "(input A (shape 2))\n(compute negative (access A 1)) ; " + attack + "\n"})
	if got := p.answer(); got != "refuted" && got != "cannot be asked" {
		p.t.Errorf("hostile texts: %s", got)
	}
	p.ask([4]string{"a.sexp", "; " + attack + "\n(input A (shape 2))\n(access A 1)\n",
		"b.sexp", "(input A (shape 2))\n(compute negative (access A 1)) ; " + attack + "\n"})
	if got := p.answer(); got != "refuted" {
		p.t.Errorf("hostile texts: %s\n%s", got, p.text())
	}
	var report string
	p.reported()
	p.Eval("$('report').srcdoc", &report)
	raw := strings.Contains(report, "<script") || strings.Contains(report, "<img") || strings.Contains(report, "\u202e")
	if raw || !strings.Contains(report, "U+202E") {
		p.t.Error("the report has a part of a text as it is")
	}
	var ran bool
	if p.Eval("'wrong' in window || document.querySelector('script:not([src]), img') !== null", &ran); ran {
		p.t.Error("a text became a part of the page")
	}
	p.ask([4]string{"a.sexp", "(", "b.sexp", ")"})
	if got := p.answer(); got != "cannot be asked" || !strings.Contains(p.text(), "a.sexp:1:1") {
		p.t.Errorf("texts that are none: %s\n%s", got, p.text())
	}
	p.ask([4]string{"a.sexp", "", "a.sexp", ""})
	if got := p.answer(); got != "cannot be asked" || !strings.Contains(p.text(), "two names") {
		p.t.Errorf("one name: %s\n%s", got, p.text())
	}
}

// interrupted: a question that takes long gives way to the next one.
func (p *page) interrupted() {
	const long = "(input A (shape 4096 4096))\n(input B (shape 4096 4096))\n" +
		"(compute dot-product (access-cartesian-product (access (access-tensor A) 1) (access (access-tensor B) 1)))\n"
	p.ask([4]string{"a.sexp", long, "b.sexp", strings.ReplaceAll(long, "(access-tensor B)", "(access-tensor A)")})
	p.Eval("$('example').selectedIndex = 0; $('example').onchange()", nil)
	if got := p.answer(); got != "proved" {
		p.t.Errorf("after a question that was given up: %s\n%s", got, p.text())
	}
}

// links: a link comes back with its texts, one that is cut says so, and what is written after it is answered.
func (p *page) links(url string) {
	p.Eval("$('example').selectedIndex = 3; $('example').onchange()", nil)
	want := p.answer()
	var hash, text, back string
	p.Eval("fragment()", &hash)
	p.Eval("$('after').value", &text)
	p.Go("about:blank")
	p.Go(url + "/#" + hash)
	p.Wait("window.$ !== undefined || typeof $ === 'function'")
	if got := p.answer(); got != want {
		p.t.Errorf("a link: %s, want %s", got, want)
	}
	if p.Eval("$('after').value", &back); back != text {
		p.t.Errorf("a link has the text %q, want %q", back, text)
	}
	whole := strings.TrimRight(hash, "=") // without which it is still whole
	for _, cut := range []string{hash[:len(hash)/2], whole[:len(whole)-1], hash[1:], "x", "%", "AAAA"} {
		p.Go("about:blank")
		p.Go(url + "/#" + cut)
		if got := p.answer(); got != "cannot be asked" || !strings.Contains(p.text(), "damaged") {
			p.t.Errorf("a link that is cut to %.20q: %s\n%s", cut, got, p.text())
		}
	}
	p.Eval("location.hash = '"+hash+"'", nil)
	p.Wait("$('verdict').textContent.startsWith('" + want + "')")
}
