package ci

import (
	"fmt"
	"math/big"
	"strings"

	"tv/ci/page"
	"tv/equiv/bits"
	"tv/semantics/bits/netlist"
)

// maxCone bounds the cells of a picture.
const maxCone = 60

// coneSections show the cells of the netlist that the lowest bit that differs comes from.
func coneSections(it *Item) []page.Section {
	c, n := it.Circuit, it.Netlist
	if c == nil || n == nil || len(c.Outputs) == 0 {
		return nil
	}
	out := c.Outputs[0]
	bit := int(new(big.Int).Xor(out.Before, out.After).TrailingZeroBits())
	for _, p := range n.Outputs {
		if p.Name != out.Name || bit >= len(p.Bits) || len(c.Open) > 0 {
			continue // what a netlist leaves open its run has another value for
		}
		list := n.History(p.Bits[bit], c.Cycle, func(port string, bit, cycle int) uint64 {
			for _, in := range c.Inputs {
				if in.Name == port {
					return uint64(in.Values[cycle].Bit(bit))
				}
			}
			return 0
		}, maxCone)
		if len(list) == 0 {
			return nil
		}
		return []page.Section{{Title: "Where the bit comes from", Blocks: []page.Block{{Graphs: []page.Graph{cone(it, out, bit, list)}}}}}
	}
	return nil
}

// cone draws the cells of a bit.
func cone(it *Item, out bits.Difference, bit int, list []netlist.Moment) page.Graph {
	g := page.Graph{Title: fmt.Sprintf("The cells that %s[%d] comes from", out.Name, bit)}
	cycles := ""
	if it.Circuit.Cycle > 0 {
		cycles = " (@1: in cycle 1)"
	}
	g.Caption = fmt.Sprintf("It is %d after and %d before. Each box is a cell, with what it gives%s; lines lead to the right, to the cells that it reads.",
		out.After.Bit(bit), out.Before.Bit(bit), cycles)
	if len(list) == maxCone {
		g.Caption += fmt.Sprintf(" The nearest %d are shown.", maxCone)
	}
	last := it.Circuit.Cycle
	for _, m := range list {
		node := page.Node{Layer: m.Depth, Label: m.Name, From: m.From}
		if node.Label == "" {
			node.Label = m.Kind
		}
		var reads, gives []string
		for _, p := range m.Pins {
			text := p.Name + "=" + Hex(p.Value, p.Width)
			if p.Width == 1 {
				text = p.Name + "=" + p.Value.String()
			}
			if p.Output {
				gives = append(gives, text)
			} else {
				reads = append(reads, text)
			}
		}
		node.Below = strings.Join(gives, " ")
		node.Text = m.Kind
		if last > 0 {
			node.Text += fmt.Sprintf(" at cycle %d", m.Cycle)
			node.Below += fmt.Sprintf(" @%d", m.Cycle)
		}
		switch {
		case m.Start:
			node.Text += ", as it starts"
		case reads != nil:
			node.Text += " reads " + strings.Join(reads, " ")
		}
		node.Text += " and gives " + strings.Join(gives, " ")
		node.Marked = it.Repair != nil && m.Name != "" && strings.HasPrefix(it.Repair.Change, m.Name+" ")
		g.Nodes = append(g.Nodes, node)
	}
	if it.Repair != nil {
		g.Caption += " The change that mends it is in the marked one: " + it.Repair.Change + "."
	}
	return g
}
