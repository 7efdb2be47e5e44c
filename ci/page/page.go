// Package page writes reports as pages of HTML: one file each, which needs no network and no script, in light and in dark,
// for screens, paper, keyboards and readers of screens. It knows nothing of verdicts or programs: it is handed values.
//
//	Page, Result, Section, Block   what a page says, from the outside in: page.go
//	Program, Mark                  a text with stretches that are underlined, or that say something: code.go
//	Heat, Panel, Cell              a tensor as coloured cells: heat.go
//	Boxes                          a shape as boxes in boxes: boxes.go
//	Plot                           numbers over time as a line: plot.go
//	Graph                          what something comes from, in layers: graph.go
//	Timeline                       what runs beside one another: timeline.go
//	Write                          the page; page.html has the templates, page.css how it looks: write.go
//
// Texts may be anybody's: they are escaped, cut where they are long, and what would turn the direction of writing is shown by name.
package page

// A Page is one report.
type Page struct {
	Title   string
	Verdict string // proved, refuted, unknown or another word: the colour of the page
	Lead    string // what came out, in a sentence
	Facts   []Fact
	Table   *Table   // of all results, where there are several
	Results []Result // those that are shown in full
	Notes   []string // such as how many are not
	Errors  []string
	Foot    string

	Refresh int    // seconds after which a page that is served is asked for anew; 0: it stays
	Links   []Link // to other forms of the page
}

// A Link is to another form of the same page.
type Link struct {
	Text  string
	Query string // of letters and digits, after the question mark
}

// A Fact is a line of a list: what, and what of it.
type Fact struct {
	Name   string
	Values []string
}

// A Table has a row of headings; the first cell of a row heads it.
type Table struct {
	Caption string
	Head    []string
	Rows    []Row
}

// A Row is one of a table.
type Row struct {
	Cells []string
	To    string // the ID of the result that the row is about; empty: none that is shown
}

// A Result is the answer to one question.
type Result struct {
	ID       string // of letters and digits
	Name     string
	Verdict  string
	Lead     string
	Facts    []Fact
	Sections []Section
}

// A Section is what a result says about one thing.
type Section struct {
	Title  string
	Blocks []Block
}

// A Block is one of its fields, or several in this order.
type Block struct {
	Text     string
	Pre      string // a text in lines
	Label    string // of Pre
	Facts    []Fact
	List     []string
	Table    *Table
	Programs []Program
	Heats    []Heat
	Plots    []Plot
	Times    []Timeline
	Graphs   []Graph
	Columns  []Column
	Command  string
}

// A Column is a program as steps.
type Column struct {
	Title string
	Steps []Step
	Note  string
}

// A Step is one part of a program: what it is, what it has, and what it was made of.
type Step struct {
	Name    string // "step 3"
	Code    string
	Type    string
	Boxes   *Boxes
	Lines   []string // elements, and what they read
	Note    string   // "the same values as step 2 of after"
	Differs bool
}
