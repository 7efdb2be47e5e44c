package ci

import (
	"fmt"
	"strings"

	"tv/ci/page"
	"tv/equiv/machine"
)

// How much of a memory is shown.
const (
	memoryCols = 16
	memoryRows = 16
)

// machineSections show what a machine did on the counterexample: what wrote the element, or how its units ran.
func machineSections(it *Item) (out []page.Section) {
	s := it.Scene
	if s == nil {
		return nil
	}
	if len(s.Moves) > 0 {
		t := page.Timeline{Title: "A run of the units in which it goes wrong", Caption: "A row for each unit, time to the right; the numbers are those of " +
			"instructions, counted from 0.", Rows: s.Units}
		for _, m := range s.Moves {
			span := page.Span{Row: m.Unit, Start: m.Start, End: m.End, Label: fmt.Sprint(m.Step), Text: m.Text, Marked: m.Blamed}
			if m.End < 0 {
				span.Open, span.End = true, m.Start+1
			}
			t.Spans = append(t.Spans, span)
			if m.Blamed {
				t.Caption += fmt.Sprintf(" %d is %s.", m.Step, m.Text)
			}
		}
		out = append(out, page.Section{Title: "How the units ran", Blocks: []page.Block{{Times: []page.Timeline{t}}}})
	}
	for i, act := range s.Acts {
		section := page.Section{Title: "What wrote the element last"}
		if i > 0 {
			section.Title = "What wrote what that took"
		}
		text := fmt.Sprintf("Instruction %d, %s", act.Step, act.Text)
		if act.Unit != "" {
			text += ", on the unit " + act.Unit
		}
		if len(act.Memory) == 0 {
			text += ", which changes no memory on these inputs"
		}
		section.Blocks = append(section.Blocks, page.Block{Text: text + "."})
		var heats []page.Heat
		for _, m := range act.Memory {
			heats = append(heats, memory(m))
		}
		section.Blocks = append(section.Blocks, page.Block{Heats: heats})
		out = append(out, section)
	}
	return out
}

// memory draws the cells that an instruction changed, and those in the same rows, before and after.
func memory(m machine.Change) page.Heat {
	out := page.Heat{Title: m.Name, Caption: fmt.Sprintf("cells of %d bits as numbers with a sign; %d changed, dashed where others did not", m.Width, len(m.Cells))}
	if len(m.Own) > 0 {
		out.Caption += "; the element has a thick edge"
	}
	first := m.Cells[0].At / memoryCols
	last := m.Cells[len(m.Cells)-1].At / memoryCols
	if last-first >= memoryRows {
		last = first + memoryRows - 1
		out.Caption += fmt.Sprintf("; the first %d rows are shown", memoryRows)
	}
	changed := map[uint64]bool{}
	for _, c := range m.Cells {
		changed[c.At] = true
	}
	if all := uint64(len(m.Cells)) == (last-first+1)*memoryCols; all {
		changed = nil // an outline that is around every cell says nothing
	}
	panels := [2]page.Panel{{Title: "before the instruction"}, {Title: "after it"}}
	most := 0.0
	number := func(bits uint64) float64 { return float64(int64(bits<<(64-m.Width)) >> (64 - m.Width)) }
	for row := first; row <= last; row++ {
		for at := row * memoryCols; at < (row+1)*memoryCols; at++ {
			if c := m.Near[at]; c.Had || c.Has {
				most = max(most, abs(number(c.Before)), abs(number(c.After)))
			}
		}
	}
	for side := range panels {
		p := &panels[side]
		for row := first; row <= last; row++ {
			p.Rows = append(p.Rows, fmt.Sprint(row*memoryCols))
			for at := row * memoryCols; at < (row+1)*memoryCols; at++ {
				c := m.Near[at]
				v, there := c.Before, c.Had
				if side == 1 {
					v, there = c.After, c.Has
				}
				cell := page.Cell{Text: "·", Level: page.Unknown, Marked: changed[at], Focused: m.Own[at]}
				if there {
					n := number(v)
					cell.Text, cell.Level = strings.TrimSuffix(fmt.Sprintf("%.0f", n), ".0"), level(n, most)
				}
				p.Cells = append(p.Cells, cell)
			}
		}
		for col := range memoryCols {
			p.Cols = append(p.Cols, "+"+fmt.Sprint(col))
		}
	}
	out.Panels = panels[:]
	return out
}
