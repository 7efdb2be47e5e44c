package page

import (
	"fmt"
	"strconv"
)

// A Timeline is what runs beside one another: a row for each of Rows, and in it the stretches of time that something takes.
type Timeline struct {
	Title   string
	Caption string
	Rows    []string
	Spans   []Span // in the order in which they start
}

// A Span is a stretch of a row, from a moment to a later one.
type Span struct {
	Row        int
	Start, End int
	Label      string // short: a number
	Text       string // what it is
	Marked     bool
	Open       bool // it has not ended
}

// How a timeline is drawn, in units of the picture.
const (
	spanUnit   = 15 // of time
	spanHeight = 24
	mostSpans  = 120 // that are drawn
)

// A course is a timeline with places.
type course struct {
	ID            string
	Title, Desc   string
	Width, Height int
	Spans         []rectangle
	Texts, Labels []label
	Table         *Table
	More          int // spans that are left out
}

// draw lays a timeline out. Of a long one the last spans are drawn: what goes wrong is at the end.
func (t Timeline) draw(id string) *course {
	spans := t.Spans
	c := &course{ID: id, Title: t.Title}
	if more := len(spans) - mostSpans; more > 0 {
		spans, c.More = spans[more:], more
	}
	left := 10 + letter*min(widest(t.Rows), mostOfCell)
	first, last := 0, 0
	if len(spans) > 0 {
		first = spans[0].Start
	}
	c.Table = &Table{Caption: t.Title, Head: []string{"from", "to", "on", "what"}}
	for _, s := range spans {
		s.Label, s.Text = short(s.Label, mostText), short(s.Text, mostOfCell)
		last = max(last, s.End+1)
		class, end := "span", strconv.Itoa(s.End)
		if s.Marked {
			class = "span marked"
		}
		if s.Open {
			end = "has not ended"
		}
		r := rectangle{X: left + (s.Start-first)*spanUnit, Y: 4 + s.Row*(spanHeight+6), W: max(1, s.End-s.Start) * spanUnit, H: spanHeight, Class: class,
			Title: s.Label + ": " + s.Text}
		c.Spans = append(c.Spans, r)
		c.Texts = append(c.Texts, label{X: r.X + r.W/2, Y: r.Y + r.H/2 + 4, Text: s.Label, Class: class})
		c.Table.Rows = append(c.Table.Rows, Row{Cells: []string{strconv.Itoa(s.Start), end, short(t.Rows[s.Row], mostOfCell), s.Label + ": " + s.Text}})
	}
	for i, name := range t.Rows {
		c.Labels = append(c.Labels, label{X: 2, Y: 4 + i*(spanHeight+6) + spanHeight/2 + 4, Text: short(name, mostOfCell), Class: "row"})
	}
	c.Width, c.Height = left+max(last-first, 1)*spanUnit+4, 4+len(t.Rows)*(spanHeight+6)
	c.Desc = fmt.Sprintf("%d rows, %d stretches of time", len(t.Rows), len(spans))
	return c
}
