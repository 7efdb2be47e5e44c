package page

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"

	"tv/ci/page/pagetest"
	"tv/internal/visible"
)

// example is a page with every field in use, all of its texts made by text.
func example(text func() string) *Page {
	heat := func(rows, cols int) Heat {
		p := Panel{Title: text()}
		for i := range rows {
			p.Rows = append(p.Rows, strconv.Itoa(i))
		}
		for i := range cols {
			p.Cols = append(p.Cols, strconv.Itoa(i))
		}
		for i := range rows * cols {
			p.Cells = append(p.Cells, Cell{Text: text(), Level: i%14 - 4, Marked: i%3 == 0, Focused: i == 1})
		}
		return Heat{Title: text(), Caption: text(), Panels: []Panel{p, p}}
	}
	table := &Table{Caption: text(), Head: []string{text(), text()}, Rows: []Row{{Cells: []string{text(), text()}, To: "r1"}, {Cells: []string{text(), text()}}}}
	code := text()
	program := Program{Title: text(), File: text(), Text: code, Above: 3,
		Marks: []Mark{{0, len(code) / 2, ""}, {len(code) / 3, len(code), ""}}, Hints: []Mark{{1, 3, text()}, {len(code) / 2, len(code)/2 + 1, text()}}}
	step := Step{Name: text(), Code: text(), Type: text(), Lines: []string{text()}, Note: text(), Differs: true,
		Boxes: &Boxes{Outer: []int64{2, 9}, Inner: []int64{3, 1, 7}, OuterWords: []string{text(), "9"}, InnerWords: []string{"3", "1", text()}}}
	graph := Graph{Title: text(), Caption: text(), Nodes: []Node{{0, text(), text(), text(), true, []int{1, 2}}, {1, text(), text(), text(), false, []int{2}}, {2, text(), text(), text(), false, nil}}}
	times := func(n int) Timeline {
		t := Timeline{Title: text(), Caption: text(), Rows: []string{text(), text()}}
		for i := range n {
			t.Spans = append(t.Spans, Span{Row: i % 2, Start: i, End: i + 1 + i%3, Label: text(), Text: text(), Marked: i == 1, Open: i == n-1})
		}
		return t
	}
	plot := Plot{Title: text(), Caption: text(), X: text(), Points: []Point{{0, 0, text()}, {1, 7, text()}, {4, 7, text()}}, Ticks: []Point{{X: 2, Text: text()}}}
	block := Block{Text: text(), Pre: text(), Label: text(), Facts: []Fact{{text(), []string{text(), text()}}}, List: []string{text()}, Table: table,
		Programs: []Program{program, program}, Heats: []Heat{heat(4, 5), heat(32, 32), heat(1, 1)}, Plots: []Plot{plot, plot}, Times: []Timeline{times(3), times(200)}, Graphs: []Graph{graph}, Columns: []Column{{text(), []Step{step}, text()}}, Command: text()}
	result := Result{ID: "r1", Name: text(), Verdict: "refuted", Lead: text(), Facts: block.Facts, Sections: []Section{{text(), []Block{block, block}}, {text(), []Block{block}}}}
	second := result
	second.ID = "r2"
	return &Page{Title: text(), Verdict: "refuted", Lead: text(), Facts: block.Facts, Table: table, Results: []Result{result, second},
		Notes: []string{text()}, Errors: []string{text()}, Foot: text(), Refresh: 5, Links: []Link{{text(), "still"}}}
}

func written(t *testing.T, p *Page) (string, *html.Node) {
	t.Helper()
	var b strings.Builder
	if err := Write(&b, p); err != nil {
		t.Fatal(err)
	}
	doc, err := html.Parse(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), doc
}

func plain() string { return "some text" }

func TestAccessible(t *testing.T) {
	text, _ := written(t, example(plain))
	for _, problem := range pagetest.Problems(text) {
		t.Error(problem)
	}
}

// What the tests look for is found.
func TestProblems(t *testing.T) {
	text, _ := written(t, example(plain))
	for _, test := range []struct{ from, to, want string }{
		{"<h3>", "<h4>", "</h3> closes nothing"},
		{"<main id", "<div id", "0 of <main>"},
		{`<th scope="row">`, `<th>`, "a heading of a table has no scope"},
		{"<caption>some text</caption>", "", "a table has no caption"},
		{`svg role="img"`, "svg", "a picture has no name"},
		{`href="#r1"`, `href="#r9"`, "nothing has the ID r9"},
		{`href="#r1"`, `href="https://example.com/"`, "<a> refers to https://example.com/"},
		{`<h2 id="r1-h">`, `<h2 id="r1-h" onclick="x()">`, "<h2> has onclick"},
		{`<p class="lead">`, `<p class="lead"></p><script></script><p>`, "there is a <script>"},
		{`role="group" aria-label="some text"`, "", "a place that takes the focus has no name"},
		{`id="r2"`, `id="r1"`, "ID r1 occurs twice"},
	} {
		changed := strings.ReplaceAll(text, test.from, test.to)
		if got := strings.Join(pagetest.Problems(changed), "\n"); !strings.Contains(got, test.want) {
			t.Errorf("%s in place of %s: %q, want %q", test.to, test.from, got, test.want)
		}
	}
	skipped := `<h1>a</h1><h3>b</h3>`
	if got := strings.Join(pagetest.Problems(skipped), "\n"); !strings.Contains(got, "level 3 follows one of level 1") {
		t.Errorf("a heading that skips a level: %q", got)
	}
}

// Whatever texts say, the elements and attributes of a page are the same, and nothing in it is hidden.
func TestHostile(t *testing.T) {
	for _, odd := range []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onfocus='x`, `</style></title></svg><svg/onload=x>`, `{{.}}`, `<!--`, `]]>`, `javascript:x`,
		"a\u202eb\u2066c\u200fd\u061ce", "a\x00b\x1bc\x7f\u0085d\u2028e", "\xff\xfe\xc3", "e\ufeff\u200b",
	} {
		_, want := written(t, example(func() string { return strings.Repeat("x", utf8.RuneCountInString(odd)) }))
		text, got := written(t, example(func() string { return odd }))
		if w, g := shape(want), shape(got); w != g {
			t.Errorf("%q changes the elements of a page", odd)
		}
		for _, problem := range pagetest.Problems(text) {
			t.Errorf("%q: %s", odd, problem)
		}
		for _, r := range text {
			if visible.Hidden(r) {
				t.Errorf("%q: U+%04X is in the page", odd, r)
			}
		}
	}
	text, _ := written(t, example(func() string { return "a\u202eb" }))
	if !strings.Contains(text, "a‹U+202E›b") {
		t.Error("a mark that turns writing around is not shown by name")
	}
}

// shape is a page without its texts: elements, and the names of their attributes. Words of programs, which marks take apart, are left out.
func shape(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type != html.ElementNode || c.Parent != nil && c.Parent.Data == "code" {
			continue
		}
		if c.Data == "div" && pagetest.Attr(c, "class") == "line" || c.Parent != nil && pagetest.Attr(c.Parent, "class") == "line" {
			continue
		}
		b.WriteString(c.Data)
		for _, a := range c.Attr {
			b.WriteString(" " + a.Key)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TestPlot: lines go where numbers say, round numbers stand at the axis, and a table says the same.
func TestPlot(t *testing.T) {
	p := Plot{Title: "cases", X: "time", Ticks: []Point{{X: 5, Text: "5 s"}, {X: 11, Text: "11 s"}}}
	if c := p.draw("p"); c.Line != "" || c.Desc != "no points" || c.Table != nil {
		t.Errorf("without points: %+v", c)
	}
	p.Points = []Point{{0, 0, "0 s"}, {5, 20, "5 s"}, {10, 40, "10 s"}}
	c := p.draw("p")
	if want := "M24 160L234 85L444 10"; c.Line != want {
		t.Errorf("the line is %s, want %s", c.Line, want)
	}
	if want := "3 points from 0 at 0 s to 40 at 10 s"; c.Desc != want {
		t.Errorf("%s, want %s", c.Desc, want)
	}
	var labels []string
	for _, l := range c.Labels {
		labels = append(labels, l.Text)
	}
	if want := "0 10 20 30 40 5 s"; strings.Join(labels, " ") != want { // 11 s is beyond the axis
		t.Errorf("labels %q, want %s", labels, want)
	}
	if got := fmt.Sprint(c.Table.Rows); got != "[{[0 s 0] } {[5 s 20] } {[10 s 40] }]" {
		t.Error(got)
	}
	p.Steps = true
	if want := "M24 160H234V85H444V10"; p.draw("p").Line != want {
		t.Errorf("steps are %s, want %s", p.draw("p").Line, want)
	}
	p.Points = p.Points[:1] // all at once
	if got := p.draw("p").Line; got != "M16 160" {
		t.Error(got)
	}
}

func TestLevels(t *testing.T) {
	for least, want := range map[float64]string{1: "0 1", 2: "0 1 2", 3: "0 1 2 3", 5: "0 1 2 3 4 5", 6: "0 2 4 6", 7: "0 2 4 6 8", 10: "0 2 4 6 8 10", 11: "0 5 10 15",
		40: "0 10 20 30 40", 99: "0 20 40 60 80 100", 101: "0 50 100 150", 1234: "0 500 1,000 1,500", 2_000_001: "0 500,000 1,000,000 1,500,000 2,000,000 2,500,000"} {
		marks, top := levels(least)
		var got []string
		for _, m := range marks {
			got = append(got, number(m))
		}
		if strings.Join(got, " ") != want || top != marks[len(marks)-1] {
			t.Errorf("levels(%g) = %s up to %g, want %s", least, strings.Join(got, " "), top, want)
		}
	}
}

// However long texts are, a page is not.
func TestBounded(t *testing.T) {
	for _, long := range []string{strings.Repeat("x", 10_000_000), strings.Repeat("(a\n", 3_000_000), strings.Repeat("é ", 5_000_000)} {
		text, _ := written(t, fill(long))
		if len(text) > 3_000_000 { // of 12 programs and 36 panels
			t.Errorf("texts of %d bytes make a page of %d", len(long), len(text))
		}
	}
}

// fill is the example with every text the same.
func fill(text string) *Page {
	p := example(plain)
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.String:
			if v.String() == "some text" {
				v.SetString(text)
			}
		case reflect.Pointer:
			if !v.IsNil() {
				walk(v.Elem())
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				walk(v.Field(i))
			}
		}
	}
	walk(reflect.ValueOf(p))
	return p
}

func TestLines(t *testing.T) {
	show := func(p Program) string {
		var b strings.Builder
		for _, l := range p.Lines() {
			fmt.Fprintf(&b, "%d:", l.Number)
			for _, s := range l.Segments {
				switch {
				case s.Gap != "":
					fmt.Fprintf(&b, " ... %s", s.Gap)
				case s.Marked && s.Hint:
					fmt.Fprintf(&b, " *%s*(%s)", s.Text, s.Title)
				case s.Marked:
					fmt.Fprintf(&b, " *%s*", s.Text)
				case s.Hint:
					fmt.Fprintf(&b, " %s(%s)", s.Text, s.Title)
				default:
					fmt.Fprintf(&b, " %s", s.Text)
				}
			}
			b.WriteByte('\n')
		}
		return b.String()
	}
	p := Program{Text: "(f (g\n A)\n B)", Above: 4, Marks: []Mark{{3, 9, ""}}, Hints: []Mark{{1, 2, "3"}, {4, 5, "2"}}}
	if got, want := show(p), "5: ( f(3)   *(* *g*(2)\n6: * A)*\n7:  B)\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	lines := strings.Repeat("0123456789\n", 10_000)
	p = Program{Text: lines, Marks: []Mark{{55_000, 55_003, ""}}}
	got := show(p)
	for _, want := range []string{"\n0: ... 50500 bytes are left out\n4955:", "\n5001: *012* 3456789\n", "bytes are left out\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if len(got) > 10_000 {
		t.Errorf("%d bytes are shown", len(got))
	}
}
