package ci

import (
	"fmt"
	"io"
	"strings"

	"tv/ci/page"
	"tv/equiv"
	"tv/internal/casefile"
	"tv/semantics"
)

// What a page has room for: results in full, and rows of the table of all.
const (
	maxFull = 20
	maxRows = 1000
)

// htmlReport writes r as a page to look at.
func htmlReport(w io.Writer, r *Run) error { return page.Write(w, newPage(r)) }

// newPage says of a run what the text report does, and shows what that has no room for.
func newPage(r *Run) *page.Page {
	p := &page.Page{Verdict: r.overall(), Foot: "Written by tv " + r.Version + "."}
	p.Title = "tv " + strings.Join(r.Args[:min(len(r.Args), 1)], "") + ": " + p.Verdict
	p.Facts = []page.Fact{{Name: "asked", Values: []string{"tv " + strings.Join(r.Args, " ")}}}
	for _, e := range r.AllErrors() {
		p.Errors = append(p.Errors, e.Error())
	}
	if r.Campaign != nil {
		p.Lead, p.Facts = r.counted(), append(p.Facts, page.Fact{Name: "campaign", Values: []string{r.Campaign.Opening}})
	}
	if r.Shard != nil {
		p.Facts = append(p.Facts, page.Fact{Name: "part", Values: []string{r.opening()}})
	}
	if len(r.Items) > 1 {
		p.Lead = r.counted()
	}
	rows := r.byWeight()
	for i, it := range rows {
		if i < maxFull && it.answered() {
			p.Results = append(p.Results, newPageResult(r, it, fmt.Sprintf("r%d", i+1)))
		}
	}
	if len(r.Items) > 1 {
		p.Table = resultTable(r, rows)
		if more := len(rows) - maxRows; more > 0 {
			p.Notes = append(p.Notes, fmt.Sprintf("%d more results are not in the table.", more))
		}
		if more := len(rows) - maxFull; more > 0 {
			p.Notes = append(p.Notes, fmt.Sprintf("%d results follow in full, refutations first; of %d more there is only the row of the table.", maxFull, more))
		}
	}
	return p
}

// overall is the word for a whole run.
func (r *Run) overall() string {
	s := r.summary()
	switch {
	case len(r.AllErrors()) > 0:
		return "error"
	case s.Refuted > 0:
		return equiv.Refuted.String()
	case s.Unknown > 0:
		return equiv.Unknown.String()
	case s.Proved > 0:
		return equiv.Proved.String()
	}
	return "nothing wrong"
}

// byWeight lists the items: what is refuted, then unknown, then the rest; each in the order asked.
func (r *Run) byWeight() (out []*Item) {
	for _, weight := range []int{0, 1, 2} {
		for i := range r.Items {
			it := &r.Items[i]
			of := 2
			switch {
			case it.answered() && it.Result.Verdict == equiv.Refuted:
				of = 0
			case !it.answered() || it.Result.Verdict == equiv.Unknown:
				of = 1
			}
			if of == weight {
				out = append(out, it)
			}
		}
	}
	return out
}

func resultTable(r *Run, items []*Item) *page.Table {
	t := &page.Table{Caption: r.counted(), Head: []string{"question", "verdict", "what of it", "engine"}}
	if r.Timing {
		t.Head = append(t.Head, "ms")
	}
	for i, it := range items[:min(len(items), maxRows)] {
		row := page.Row{Cells: []string{itemName(it), "not answered", "", ""}}
		switch {
		case it.answered():
			row.Cells = []string{itemName(it), it.Result.Verdict.String(), joinNonEmpty(": ", it.Result.Reason, it.Result.Detail), it.Result.Engine}
			if i < maxFull {
				row.To = fmt.Sprintf("r%d", i+1)
			}
		case len(it.Errors) > 0:
			row.Cells = []string{itemName(it), "error", it.Errors[0].Error(), ""}
		}
		if r.Timing {
			row.Cells = append(row.Cells, fmt.Sprintf("%.1f", milliseconds(it.Result.Elapsed)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func itemName(it *Item) string {
	if it.Name != "" {
		return it.Name
	}
	return it.Result.Before + " => " + it.Result.After
}

// newPageResult is one answer in full.
func newPageResult(r *Run, it *Item, id string) page.Result {
	res := &it.Result
	out := page.Result{ID: id, Name: itemName(it), Verdict: res.Verdict.String()}
	if it.Finding == nil && it.Text == "" {
		out.Lead = Lead(it)
		if c := res.Counterexample; c != nil && len(c.Inputs) > 0 && (c.Before != "" || c.After != "") {
			out.Lead = strings.TrimSuffix(out.Lead, ".") + ", on the inputs below."
		}
	}
	if s := programSection(it); len(s.Blocks) > 0 {
		out.Sections = append(out.Sections, s)
	}
	out.Sections = append(out.Sections, traceSections(it)...)
	out.Sections = append(out.Sections, machineSections(it)...)
	out.Sections = append(out.Sections, coneSections(it)...)
	out.Sections = append(out.Sections, page.Section{Title: "The answer and what it rests on",
		Blocks: []page.Block{{Pre: itemText(r, it), Label: "the answer as text"}, {Facts: facts(r, it)}}})
	if len(res.Explanation) > 0 {
		out.Sections = append(out.Sections, page.Section{Title: "How the answer was found",
			Blocks: []page.Block{{List: res.Explanation}}})
	}
	if res.Verdict == equiv.Refuted && it.Replay != "" {
		out.Sections = append(out.Sections, page.Section{Title: "To see it again", Blocks: []page.Block{{Command: it.Replay}}})
	}
	return out
}

// Lead says in a sentence what came out.
func Lead(it *Item) string {
	r := &it.Result
	switch r.Verdict {
	case equiv.Proved:
		scope := "for every input"
		if len(r.Domain) > 0 {
			scope += " and all sizes of the domain"
		}
		return "Both programs compute the same " + scope + "."
	case equiv.Unknown:
		return "Nothing is known: " + joinNonEmpty(": ", r.Reason, r.Detail) + "."
	}
	c := r.Counterexample
	switch {
	case it.Circuit != nil && len(it.Circuit.Outputs) > 0:
		o := it.Circuit.Outputs[0]
		text := fmt.Sprintf("The output %s is %s before and %s after", o.Name, Hex(o.Before, o.Width), Hex(o.After, o.Width))
		if n := it.Circuit.Cycle; n > 0 {
			text += fmt.Sprintf(", at cycle %d", n)
		}
		return text + "; " + differing(o) + "."
	case c != nil && (c.Before != "" || c.After != ""):
		name := ElementName(c.Path, c.Index)
		return strings.ToUpper(name[:1]) + name[1:] + " is " + c.Before + " before and " + c.After + " after."
	case r.Detail != "":
		return r.Detail
	}
	return "The programs differ."
}

// facts say what a verdict means and rests on.
func facts(r *Run, it *Item) (out []page.Fact) {
	res := &it.Result
	add := func(name string, values ...string) {
		var list []string
		for _, v := range values {
			if v != "" {
				list = append(list, v)
			}
		}
		if len(list) > 0 {
			out = append(out, page.Fact{Name: name, Values: list})
		}
	}
	add("before", res.Before)
	add("after", res.After)
	add("arithmetic", res.Arithmetic())
	add("equality", res.Equal.String())
	add("domain", conditions(res)...)
	add("reason", res.Reason)
	add("obligation", res.Failed)
	add("names", res.Bound)
	add("defined where", res.Where...)
	add("assumed apart", res.Disjoint)
	add("idealised", res.Idealised...)
	for _, c := range res.RestsOn {
		add("rests on", fmt.Sprintf("%s (%s)", c.Name, c.Verdict))
	}
	add("trusting", res.Trusts...)
	add("found by", res.Engine)
	if res.Certificate != nil {
		add("certificate", "accepted by the checker", it.Certificate)
	}
	for _, e := range res.Exact {
		add("bit for bit in "+e.Type.String(), joinNonEmpty(", ", e.Verdict, e.Reason))
	}
	if rule := it.Rule; rule != nil {
		add("smallest instance", rule.Instance)
		add("the case that is shown", rule.Choices...)
		if rule.Mend != nil {
			add("right if", rule.Mend.Guard)
		}
	}
	add("statement", res.SHA256)
	if r.Timing {
		add("time", fmt.Sprintf("%.1f ms", milliseconds(res.Elapsed)))
	}
	return out
}

// programSection shows both texts, what is to blame underlined, types at the words of operators.
func programSection(it *Item) page.Section {
	out := page.Section{Title: "Programs"}
	var list []page.Program
	for side, name := range []string{"before", "after"} {
		f := it.Texts[side]
		if f == nil {
			continue
		}
		p := page.Program{Title: strings.ToUpper(name[:1]) + name[1:], File: f.Name, Text: f.Text, Above: f.Above}
		for _, b := range it.Result.Blame {
			if b.Side == name && b.Span.File == f {
				p.Marks = append(p.Marks, page.Mark{Start: b.Span.Start, End: b.Span.End})
			}
		}
		if of := it.Programs[side]; of != nil {
			p.Hints = hints(of)
		}
		list = append(list, p)
	}
	if list != nil {
		out.Blocks = []page.Block{{Programs: list}}
		if len(it.Result.Blame) > 0 {
			out.Blocks = append([]page.Block{{Text: blameSays(it)}}, out.Blocks...)
		}
	}
	return out
}

// blameSays is what makes the marked places those that are to blame.
func blameSays(it *Item) string {
	switch s := it.Scene; {
	case s != nil && it.Result.Reason == "race":
		return "Underlined are the instructions that nothing orders."
	case s != nil && len(s.Moves) > 0:
		return "Underlined is the instruction that waits for ever."
	case s != nil && len(s.Acts) > 0:
		return "Underlined are the instruction that wrote the element last, and the one that wrote what it took."
	}
	for _, b := range it.Result.Blame {
		if b.Instead != nil {
			return fmt.Sprintf("Underlined in AFTER is what is to blame: with %s in place of %s at %s both agree on what was tried.",
				b.Instead.Text, b.Instead.Span.Text(), b.Instead.Span.Position())
		}
	}
	return "Underlined is what is to blame: its value is nowhere on the other side."
}

// hints are the types of what the words of a text begin: the first word of a part.
func hints(p semantics.Program) (out []page.Mark) {
	f := p.Source().File()
	for i, part := range p.Parts() {
		at := p.At(i)
		if !part.Tensor || part.Inner != "" || at.File != f {
			continue
		}
		typ := typeOf(p, i)
		start := at.Start
		for start < at.End && strings.IndexByte("( \t\n", f.Text[start]) >= 0 {
			start++
		}
		end := start
		for end < at.End && strings.IndexByte("() \t\n", f.Text[end]) < 0 {
			end++
		}
		out = append(out, page.Mark{Start: start, End: end, Title: typ})
	}
	return out
}

// typeOf is that of a part, as its language writes it, or its dims.
func typeOf(p semantics.Program, part int) string {
	if typ, _ := p.Line(part, func(int) string { return "" }); typ != "" {
		return typ
	}
	of := p.Parts()[part]
	return strings.Join(words(of), "x") + " " + of.Elem.String()
}

func words(of semantics.Part) (out []string) {
	for _, d := range of.Dims {
		out = append(out, d.String())
	}
	return out
}

// shapeOf prints "3x4"; "scalar" without dims.
func shapeOf(dims []int64) string { return casefile.ShapeString(dims) }
