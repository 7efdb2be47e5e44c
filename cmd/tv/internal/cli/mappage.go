package cli

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tv/ci/page"
	"tv/equiv"
	"tv/equiv/mapping"
	"tv/glenside"
	"tv/internal/source"
)

// What the page of a mapping has room for.
const (
	mapBoxes = 80  // of a drawn program
	mapRows  = 200 // of the table of rules
)

// page returns the report as a page; before is the program that was mapped.
func (r *mapReport) page(f *mapFlags, before *source.File) ([]byte, error) {
	verdict := r.Verdict
	if verdict == equiv.Proved.String() {
		verdict = "mapped"
	}
	p := &page.Page{Title: "tv map: " + verdict, Verdict: r.Verdict, Foot: "Written by tv " + version() + ".",
		Facts: []page.Fact{{Name: "asked", Values: []string{"tv map " + shellQuote(before.Name, "--target", strings.Join(f.targets, ","))}}}}
	var calls []string
	for _, g := range slices.Sorted(maps.Keys(r.Calls)) {
		if n := r.Calls[g]; n > 0 {
			calls = append(calls, fmt.Sprintf("%d of %s", n, g))
		}
	}
	lead := "Nothing was mapped"
	if calls != nil {
		lead = "Calls: " + strings.Join(calls, ", ")
	}
	p.Lead = fmt.Sprintf("%s; operators on the host: %d, before: %d. The check of both programs says %s.", lead, r.Host.After, r.Host.Before, r.Check.Verdict)
	out := page.Result{ID: "r1", Name: before.Name, Verdict: r.Verdict}
	mapped := source.NewFile("mapped", r.mapped)
	out.Sections = append(out.Sections, page.Section{Title: "Programs", Blocks: []page.Block{{Programs: []page.Program{
		{Title: "Before", File: before.Name, Text: before.Text}, {Title: "Mapped", File: "", Text: mapped.Text}}}}})
	if g := mappedGraph(mapped); g != nil {
		out.Sections = append(out.Sections, page.Section{Title: "The mapped program as a graph", Blocks: []page.Block{{Graphs: []page.Graph{*g}}}})
	}
	out.Sections = append(out.Sections, page.Section{Title: "The answer and what it rests on",
		Blocks: []page.Block{{Pre: r.text(false), Label: "the report as text"}}})
	if len(r.Rules) > 0 {
		t := &page.Table{Caption: "rules that matched", Head: []string{"rule", "matches", "used"}}
		for _, x := range r.Rules {
			if x.Matches > 0 && len(t.Rows) < mapRows {
				t.Rows = append(t.Rows, page.Row{Cells: []string{x.Name, fmt.Sprint(x.Matches), fmt.Sprint(x.Used)}})
			}
		}
		out.Sections = append(out.Sections, page.Section{Title: "Rules", Blocks: []page.Block{{Table: t}}})
	}
	p.Results = []page.Result{out}
	var b bytes.Buffer
	err := page.Write(&b, p)
	return b.Bytes(), err
}

// mappedGraph draws a program of Glenside that is not too large, calls of accelerators marked; nil: it is none, or too large.
func mappedGraph(text *source.File) *page.Graph {
	p, err := glenside.Parse(text)
	if err != nil {
		return nil
	}
	typing, err := glenside.Check(p, nil)
	if err != nil {
		return nil
	}
	boxes := mapping.Boxes(p, typing)
	if len(boxes) > mapBoxes {
		return nil
	}
	g := &page.Graph{Title: "From the result, at the left, to the inputs", Caption: "Marked boxes are calls of accelerators; lines lead to what each reads.",
		Nodes: make([]page.Node, len(boxes))}
	last := len(boxes) - 1
	for i := range slices.Backward(boxes) { // the result first; whoever reads a box comes before it
		x, n := &boxes[i], &g.Nodes[last-i]
		n.Label, n.Below, _ = strings.Cut(x.Text, " ")
		n.Text, n.Marked = x.Text+", "+x.Type, x.Call
		for _, f := range x.From {
			n.From = append(n.From, last-f)
			g.Nodes[last-f].Layer = max(g.Nodes[last-f].Layer, n.Layer+1)
		}
	}
	return g
}
