package cli

import (
	"fmt"
	"slices"
	"strings"

	"tv/glenside"
	"tv/semantics/bits/cells"
)

// operatorList is the topic of all operators, from the operator table.
func operatorList() string {
	var b strings.Builder
	b.WriteString("the operators of Glenside\nCalls as programs write them. tv help OPERATOR has the shapes, the meaning and an example.\n")
	last := ""
	for _, op := range glenside.Ops() {
		if title := op.Category.Title(); title != last {
			last = title
			fmt.Fprintf(&b, "\n%s\n\n", title)
		}
		fmt.Fprintf(&b, "  %s\n", op.Signature())
	}
	return b.String()
}

// operatorHelp is the reference of the operators of a name, or of a call such as "compute relu"; empty where there is none.
func operatorHelp(name string) string {
	var b strings.Builder
	for _, op := range glenside.Ops() {
		if op.Name == name || op.Head() == name || slices.Contains(op.Aliases, name) {
			fmt.Fprintf(&b, "%s\n\n%s\n", op.Name, op.Reference())
		}
	}
	return b.String()
}

// cellList is the topic of all cells, from their tables.
func cellList() string {
	var b strings.Builder
	b.WriteString("the cells of vendors that netlists are made of\nBy architecture, as --arch names it. tv help CELL has pins, parameters and what it computes.\n")
	for _, arch := range cells.Arches {
		fmt.Fprintf(&b, "\n%s\n\n", arch)
		var words []string
		for _, c := range cells.All(arch) {
			words = append(words, c.Name)
		}
		writeWords(&b, words)
	}
	return b.String()
}

// writeWords writes words in lines.
func writeWords(b *strings.Builder, words []string) {
	const width = 96
	line := " "
	for _, w := range words {
		if len(line)+1+len(w) > width {
			b.WriteString(line + "\n")
			line = " "
		}
		line += " " + w
	}
	b.WriteString(line + "\n")
}

// cellHelp is what the tables say of the cells of a name, in each architecture that has one; empty where there is none.
func cellHelp(name string) string {
	var b strings.Builder
	for _, arch := range cells.Arches {
		for _, c := range cells.All(arch) {
			if c.Name == name {
				writeCell(&b, arch, c)
			}
		}
	}
	return b.String()
}

func writeCell(b *strings.Builder, arch string, c *cells.Cell) {
	fmt.Fprintf(b, "%s, of %s\n\n", c.Name, arch)
	for _, p := range c.Params {
		of := fmt.Sprintf("%d bits", p.Width)
		if p.Width == 0 {
			of = "one of " + strings.Join(p.Texts, ", ")
		}
		if p.Width > 0 && p.Default != nil {
			of += fmt.Sprintf(", %d where a netlist says nothing", p.Default)
		}
		fmt.Fprintf(b, "  parameter %-22s %s\n", p.Name, of)
	}
	for _, pins := range []struct {
		kind string
		list []cells.Pin
	}{{"input", c.Inputs}, {"output", c.Outputs}} {
		for _, p := range pins.list {
			open := ""
			if p.Default != nil {
				open = fmt.Sprintf(", %d when open", p.Default)
			}
			fmt.Fprintf(b, "  %-9s %-22s %s%s\n", pins.kind, p.Name, counted(p.Width, "bit"), open)
		}
	}
	b.WriteString("\n")
	for _, item := range c.Definition() {
		fmt.Fprintf(b, "  %s\n", item)
	}
	b.WriteString("\n")
}
