package page

import (
	"fmt"
	"strings"
)

// A Boxes is a shape as boxes: one for each place that is iterated over, and in it what is computed with there. Extents may be words;
// Outer and Inner are their numbers at the counterexample.
type Boxes struct {
	Outer, Inner           []int64
	OuterWords, InnerWords []string
}

// How many boxes and cells of an axis are drawn, and how large.
const (
	maxOuter = 3
	maxInner = 4
	boxCell  = 6
)

// A drawing is a Boxes with places.
type drawing struct {
	Width, Height int
	Outer, Inner  strings.Builder // paths
	Dots          []label         // where more are left out
	Title         string
}

// Drawing lays boxes out: the last two axes of each part, those before named in the title alone.
func (b *Boxes) Drawing() *drawing {
	outerRows, outerCols := lastTwo(b.Outer)
	innerRows, innerCols := lastTwo(b.Inner)
	w := int(min(innerCols, maxInner))*boxCell + 4
	h := int(min(innerRows, maxInner))*boxCell + 4
	d := &drawing{Title: b.title()}
	for row := range int(min(outerRows, maxOuter)) {
		for col := range int(min(outerCols, maxOuter)) {
			x, y := 2+col*(w+4), 2+row*(h+4)
			outline(&d.Outer, rectangle{X: x, Y: y, H: h}, w)
			for i := range int(min(innerRows, maxInner)) {
				for j := range int(min(innerCols, maxInner)) {
					outline(&d.Inner, rectangle{X: x + 2 + j*boxCell, Y: y + 2 + i*boxCell, H: boxCell - 1}, boxCell-1)
				}
			}
			d.Width, d.Height = max(d.Width, x+w), max(d.Height, y+h)
		}
	}
	if outerCols > maxOuter || innerCols > maxInner {
		d.Dots = append(d.Dots, label{X: d.Width + 3, Y: d.Height/2 + 3, Text: "…"})
		d.Width += 14
	}
	if outerRows > maxOuter || innerRows > maxInner {
		d.Dots = append(d.Dots, label{X: d.Width/2 - 6, Y: d.Height + 9, Text: "⋮"})
		d.Height += 12
	}
	d.Width, d.Height = d.Width+2, d.Height+2
	return d
}

func (b *Boxes) title() string {
	words := func(list []string) string {
		if len(list) == 0 {
			return "one"
		}
		var out []string
		for _, s := range list {
			out = append(out, short(s, 60))
		}
		return strings.Join(out, " by ")
	}
	if len(b.OuterWords) == 0 {
		return words(b.InnerWords) + " elements"
	}
	return fmt.Sprintf("iterated over: %s; in each: %s", words(b.OuterWords), words(b.InnerWords))
}

// lastTwo returns the last two of a list of extents, 1 for those that it lacks.
func lastTwo(dims []int64) (rows, cols int64) {
	rows, cols = 1, 1
	if n := len(dims); n > 0 {
		cols = dims[n-1]
		if n > 1 {
			rows = dims[n-2]
		}
	}
	return rows, cols
}
