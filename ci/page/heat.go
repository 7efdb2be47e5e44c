package page

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// What fits into cells, in units of the picture.
const (
	smallCell  = 9
	plainCell  = 16
	labelled   = 26  // the height of a cell with its value in it
	letter     = 8   // the width of a character of a value
	mostText   = 7   // characters of a value that is written into its cell
	mostOfCell = 60  // and of one that a cell says where it is pointed at
	titled     = 256 // cells of a panel that say what they are, each
	tabled     = 64  // cells of a panel that has a table too
	maxLabelOf = 16  // columns of a panel with values in its cells
)

// Levels of a cell: from -Top to Top by its number, and what is none.
const (
	Top       = 4
	Lowest    = Top + 1 // MIN
	Undefined = Top + 2
	Unknown   = Top + 3 // not computed
	Equal     = Top + 4
)

// A Heat is a tensor, or what is shown of it.
type Heat struct {
	Title   string
	Caption string
	Panels  []Panel
}

// A Panel is a rectangle of cells, row by row.
type Panel struct {
	Title      string
	Rows, Cols []string // indices
	Cells      []Cell
}

// A Cell is one element.
type Cell struct {
	Text    string
	More    string // said where it is pointed at, beside the text
	Level   int
	Marked  bool // outlined
	Focused bool // outlined more
}

var levelNames = map[int]string{Lowest: "lowest", Undefined: "undefined", Unknown: "unknown", Equal: "equal"}

// class is the name of a level in the style sheet.
func class(level int) string {
	if name, ok := levelNames[level]; ok {
		return name
	}
	if level < 0 {
		return "n" + strconv.Itoa(-level)
	}
	return "p" + strconv.Itoa(level)
}

// A rectangle is a cell as it is drawn.
type rectangle struct {
	X, Y, W, H int
	Class      string
	Title      string
}

// outline adds a rectangle of another width to a path.
func outline(path *strings.Builder, r rectangle, w int) {
	fmt.Fprintf(path, "M%d %dh%dv%dh-%dz", r.X, r.Y, w, r.H, w)
}

// A picture is a panel with places.
type picture struct {
	ID            string
	Title, Desc   string
	Width, Height int
	Runs          []run       // the cells of each level together
	Cells         []rectangle // that say what they are where they are pointed at
	Texts         []label     // values in cells
	Labels        []label     // of rows and columns

	Marked, Focused strings.Builder // paths
	Table           *Table
}

type run struct{ Class, Path string }

type label struct {
	X, Y  int
	Text  string
	Class string
}

// picture lays a panel out.
func (p Panel) picture(id, title string) *picture {
	rows, cols := len(p.Rows), len(p.Cols)
	w, h, values := p.size()
	left := 8 + letter*widest(p.Rows)
	top := 18
	pic := &picture{ID: id, Title: title, Width: left + cols*w + 2, Height: top + rows*h + 2}
	if p.Title != "" {
		pic.Title += ", " + short(p.Title, maxText)
	}
	paths := map[string]*strings.Builder{}
	var order []string
	count := map[int]int{}
	for i, c := range p.Cells {
		count[c.Level]++
		r := rectangle{X: left + i%cols*w, Y: top + i/cols*h, W: w, H: h, Class: class(c.Level)}
		if c.Marked && !c.Focused {
			outline(&pic.Marked, r, w)
		}
		if c.Focused {
			outline(&pic.Focused, r, w)
		}
		if values {
			pic.Texts = append(pic.Texts, label{X: r.X + w/2, Y: r.Y + h/2 + 4, Text: short(c.Text, mostText), Class: r.Class})
		}
		if len(p.Cells) <= titled && (!values || pic.Texts[len(pic.Texts)-1].Text != c.Text || c.More != "") {
			r.Title = fmt.Sprintf("[%s]: %s", p.name(i/cols, i%cols), short(cmp.Or(c.More, c.Text), mostOfCell))
			pic.Cells = append(pic.Cells, r) // above what is drawn of all
		}
		if paths[r.Class] == nil {
			paths[r.Class] = &strings.Builder{}
			order = append(order, r.Class)
		}
		wide := 1 // cells of one level side by side are drawn as one
		for ; i%cols+wide < cols && p.Cells[i+wide].Level == c.Level; wide++ {
		}
		if i%cols == 0 || p.Cells[i-1].Level != c.Level {
			outline(paths[r.Class], r, wide*w)
		}
	}
	for _, name := range order {
		pic.Runs = append(pic.Runs, run{name, paths[name].String()})
	}
	every := max(1, (letter*widest(p.Cols)+4+w-1)/w)
	for i := 0; i < cols; i += every {
		pic.Labels = append(pic.Labels, label{left + i*w + w/2, top - 5, p.Cols[i], "col"})
	}
	for i := 0; i < rows; i += max(1, (13+h-1)/h) {
		pic.Labels = append(pic.Labels, label{2, top + i*h + h/2 + 4, p.Rows[i], "row"})
	}
	pic.Desc = fmt.Sprintf("%d rows and %d columns of cells", rows, cols)
	if n := count[Equal]; n > 0 {
		pic.Desc += fmt.Sprintf("; %d are equal on both sides", n)
	}
	if len(p.Cells) <= tabled && cols <= 32 {
		pic.Table = p.table(pic.Title)
	}
	return pic
}

// size returns that of a cell, and whether values are written into it.
func (p Panel) size() (w, h int, values bool) {
	longest := 1
	for _, c := range p.Cells {
		longest = max(longest, utf8.RuneCountInString(short(c.Text, mostText)))
	}
	switch {
	case len(p.Cols) <= maxLabelOf && len(p.Cells) <= titled:
		return max(labelled, letter*longest+8), labelled, true
	case len(p.Cells) <= titled:
		return plainCell, plainCell, false
	}
	return smallCell, smallCell, false
}

func (p Panel) name(row, col int) string {
	switch {
	case p.Rows[row] == "":
		return p.Cols[col]
	case p.Cols[col] == "":
		return p.Rows[row]
	}
	return p.Rows[row] + "," + p.Cols[col]
}

func (p Panel) table(caption string) *Table {
	t := &Table{Caption: caption, Head: append([]string{"row"}, p.Cols...)}
	for i, name := range p.Rows {
		row := Row{Cells: []string{name}}
		for _, c := range p.Cells[i*len(p.Cols) : (i+1)*len(p.Cols)] {
			row.Cells = append(row.Cells, short(cmp.Or(c.More, c.Text), mostOfCell))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func widest(list []string) (n int) {
	for _, s := range list {
		n = max(n, utf8.RuneCountInString(s))
	}
	return n
}
