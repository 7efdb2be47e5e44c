package page

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Plot is numbers over time: a line from point to point.
type Plot struct {
	Title   string
	Caption string
	X       string // what Points are over: "time since the first case"
	Points  []Point
	Ticks   []Point // of the axis below: X and Text
	Steps   bool    // the line goes level to the next point: numbers of things that are there or not
}

// A Point is a number at a place; Text says the place. Y is 0 or more.
type Point struct {
	X, Y float64
	Text string
}

// How a plot is drawn, in units of the picture.
const (
	plotWidth  = 420
	plotHeight = 150
	plotTop    = 10
	plotBelow  = 22
	plotRight  = 16
	plotTabled = 24 // rows of the table at most
)

// A curve is a plot with places.
type curve struct {
	ID            string
	Title, Desc   string
	X             string
	Width, Height int
	Grid, Line    string // paths
	Labels        []label
	Table         *Table
}

// draw lays a plot out.
func (p Plot) draw(id string) *curve {
	c := &curve{ID: id, Title: p.Title, X: p.X, Height: plotTop + plotHeight + plotBelow}
	top, first, last := 1.0, 0.0, 0.0
	for i, q := range p.Points {
		top = max(top, q.Y)
		if i == 0 {
			first = q.X
		}
		last = q.X
	}
	marks, top := levels(top)
	var names []string
	for _, y := range marks {
		names = append(names, number(y))
	}
	left := 8 + letter*widest(names)
	c.Width = left + plotWidth + plotRight
	x := func(at float64) string {
		if last > first {
			at = (at - first) / (last - first)
		} else {
			at = 0
		}
		return coordinate(float64(left) + at*plotWidth)
	}
	y := func(at float64) string { return coordinate(plotTop + plotHeight*(1-at/top)) }
	var grid, line strings.Builder
	for i, at := range marks {
		fmt.Fprintf(&grid, "M%d %sh%d", left, y(at), plotWidth)
		c.Labels = append(c.Labels, label{X: 2, Y: int(plotTop+plotHeight*(1-at/top)) + 4, Text: names[i], Class: "row"})
	}
	for _, t := range p.Ticks {
		if t.X < first || t.X > last || last <= first {
			continue
		}
		fmt.Fprintf(&grid, "M%s %dv4", x(t.X), plotTop+plotHeight)
		c.Labels = append(c.Labels, label{X: left + int((t.X-first)/(last-first)*plotWidth), Y: plotTop + plotHeight + 17, Text: t.Text, Class: "col"})
	}
	for i, q := range p.Points {
		switch {
		case i == 0:
			fmt.Fprintf(&line, "M%s %s", x(q.X), y(q.Y))
		case p.Steps:
			fmt.Fprintf(&line, "H%sV%s", x(q.X), y(q.Y))
		default:
			fmt.Fprintf(&line, "L%s %s", x(q.X), y(q.Y))
		}
	}
	c.Grid, c.Line = grid.String(), line.String()
	c.Desc = "no points"
	if n := len(p.Points); n > 0 {
		a, b := p.Points[0], p.Points[n-1]
		c.Desc = fmt.Sprintf("%d points from %s at %s to %s at %s", n, number(a.Y), short(a.Text, mostOfCell), number(b.Y), short(b.Text, mostOfCell))
		c.Table = p.table()
	}
	return c
}

// table has points at like distances, the last among them.
func (p Plot) table() *Table {
	t := &Table{Caption: p.Title, Head: []string{p.X, p.Title}}
	every := (len(p.Points) + plotTabled - 1) / plotTabled
	for i, q := range p.Points {
		if (len(p.Points)-1-i)%every == 0 {
			t.Rows = append(t.Rows, Row{Cells: []string{short(q.Text, mostOfCell), number(q.Y)}})
		}
	}
	return t
}

// levels are round numbers from 0 on, three to six of them, of which the last is least or more.
func levels(least float64) (marks []float64, top float64) {
	step := math.Pow(10, math.Floor(math.Log10(least)))
	for _, part := range []float64{0.2, 0.5, 1, 2} { // of a power of ten: five steps are enough for one of them
		if d := step * part; least <= 5*d && d >= 1 {
			step = d
			break
		}
	}
	step = max(step, 1)
	for at := 0.0; ; at += step {
		marks = append(marks, at)
		if at >= least {
			return marks, at
		}
	}
}

// number prints a count: 1234567 is "1,234,567".
func number(y float64) string {
	s := strconv.FormatFloat(y, 'f', 0, 64)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// coordinate prints a place in a picture.
func coordinate(v float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0")
}
