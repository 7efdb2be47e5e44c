package page

import "fmt"

// A Graph is what something comes from: nodes in layers, from the left, and lines to those that they read.
type Graph struct {
	Title   string
	Caption string
	Nodes   []Node
}

// A Node is one of a graph.
type Node struct {
	Layer  int
	Label  string // in its box: a name
	Below  string // likewise, a second line
	Text   string // what it is
	Marked bool
	From   []int // nodes that it reads
}

// How a graph is drawn, in units of the picture.
const (
	nodeWidth  = 104
	nodeHeight = 36
	nodeGap    = 34 // between layers
	nodeSpace  = 8  // between nodes of a layer
	nodeLetter = 14 // characters in a box
)

// A diagram is a graph with places.
type diagram struct {
	ID            string
	Title, Desc   string
	Width, Height int
	Lines         []line
	Nodes         []rectangle
	Texts         []label
	Table         *Table
}

type line struct{ X1, Y1, X2, Y2 int }

// draw lays a graph out: layers as columns, nodes of a layer in their order.
func (g Graph) draw(id string) *diagram {
	d := &diagram{ID: id, Title: g.Title, Desc: fmt.Sprintf("%d boxes; lines lead to what each reads", len(g.Nodes))}
	d.Table = &Table{Caption: g.Title, Head: []string{"what", "values", "reads"}}
	count := map[int]int{}
	place := make([]rectangle, len(g.Nodes))
	for i, n := range g.Nodes {
		class := "node"
		if n.Marked {
			class = "node marked"
		}
		r := rectangle{X: 2 + n.Layer*(nodeWidth+nodeGap), Y: 2 + count[n.Layer]*(nodeHeight+nodeSpace), W: nodeWidth, H: nodeHeight, Class: class,
			Title: short(n.Label, mostOfCell) + ": " + short(n.Text, 2*mostOfCell)}
		count[n.Layer]++
		place[i] = r
		d.Width, d.Height = max(d.Width, r.X+r.W+2), max(d.Height, r.Y+r.H+2)
		d.Texts = append(d.Texts, label{X: r.X + r.W/2, Y: r.Y + 15, Text: short(n.Label, nodeLetter), Class: class},
			label{X: r.X + r.W/2, Y: r.Y + 29, Text: short(n.Below, nodeLetter), Class: class})
		row := Row{Cells: []string{short(n.Label, mostOfCell), short(n.Text, 2*mostOfCell), ""}}
		for _, from := range n.From {
			if row.Cells[2] != "" {
				row.Cells[2] += ", "
			}
			row.Cells[2] += short(g.Nodes[from].Label, mostOfCell)
		}
		row.Cells[2] = short(row.Cells[2], 2*mostOfCell)
		d.Table.Rows = append(d.Table.Rows, row)
	}
	d.Nodes = place
	for i, n := range g.Nodes {
		for _, from := range n.From {
			a, b := place[i], place[from]
			d.Lines = append(d.Lines, line{a.X + a.W, a.Y + a.H/2, b.X, b.Y + b.H/2})
		}
	}
	return d
}
