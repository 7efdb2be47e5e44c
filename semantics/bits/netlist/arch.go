package netlist

import (
	"slices"
	"strings"

	"tv/internal/source"
	"tv/semantics/bits/cells"
	"tv/semantics/bits/verilog"
)

// architecture finds which architecture the cells are of, from their names and pins; want names one that the user knows. It is empty
// where there is no cell.
func (e *elaborator) architecture(want string, top *verilog.Module) (string, error) {
	arches := cells.Arches
	if want != "" {
		arches = []string{want}
	}
	var first *verilog.Instance
	for _, m := range e.reached(top) {
		for i := range m.Instances { // of a module, or of a block that it may generate
			in := &m.Instances[i]
			if e.modules[in.Type.Text] != nil || cells.Generic(in.Type.Text) {
				continue
			}
			var named, fit []string
			for _, a := range cells.Arches {
				c := cells.Find(a, in.Type.Text)
				if c == nil || want != "" && a != want {
					continue
				}
				named = append(named, a)
				if !slices.ContainsFunc(in.Pins, func(p verilog.Connection) bool { return !c.HasPin(p.Text) }) {
					fit = append(fit, a)
				}
			}
			switch {
			case len(named) == 0 && want != "":
				return "", source.Errorf(in.Type.Span, "unknown-cell", "%s is no module of this text and no cell of %s", in.Type.Text, want)
			case len(named) == 0:
				return "", source.Errorf(in.Type.Span, "unknown-cell", "%s is no module of this text and no cell of %s", in.Type.Text,
					strings.Join(cells.Arches, ", "))
			case len(fit) == 0:
				return "", unknownPin(in, named)
			}
			rest := slices.DeleteFunc(slices.Clone(arches), func(a string) bool { return !slices.Contains(fit, a) })
			if len(rest) == 0 {
				return "", source.Errorf(in.Type.Span, "arch-unknown", "%s is a cell of %s, and %s one of %s", in.Type.Text,
					strings.Join(fit, ", "), first.Type.Text, strings.Join(arches, ", "))
			}
			arches, first = rest, in
		}
	}
	switch {
	case first == nil:
		return "", nil
	case len(arches) > 1:
		return "", source.Errorf(first.Type.Span, "arch-unknown", "the cells are those of %s: --arch says which", strings.Join(arches, " and of "))
	}
	return arches[0], nil
}

// unknownPin says which pin an instance connects that the cell lacks, of the architecture that has most of the others.
func unknownPin(in *verilog.Instance, arches []string) error {
	var worst *verilog.Connection
	var of *cells.Cell
	least := len(in.Pins) + 1
	for _, a := range arches {
		c := cells.Find(a, in.Type.Text)
		var first *verilog.Connection
		lacks := 0
		for i := range in.Pins {
			if p := &in.Pins[i]; !c.HasPin(p.Text) {
				if lacks++; first == nil {
					first = p
				}
			}
		}
		if lacks < least {
			least, worst, of = lacks, first, c
		}
	}
	return source.Errorf(worst.Span, "unknown-pin", "%s of %s has no pin %s", of.Name, of.Arch, worst.Text)
}

// reached are the modules of which top is made, each with the blocks that it may generate, in the order of the text.
func (e *elaborator) reached(top *verilog.Module) (out []*verilog.Module) {
	seen := map[*verilog.Module]bool{top: true}
	for list := []*verilog.Module{top}; len(list) > 0; list = list[1:] {
		for _, b := range list[0].Blocks() {
			for i := range b.Instances {
				if m := e.modules[b.Instances[i].Type.Text]; m != nil && !seen[m] {
					seen[m] = true
					list = append(list, m)
				}
			}
		}
	}
	for _, m := range e.file.Modules {
		if seen[m] {
			out = append(out, m.Blocks()...)
		}
	}
	return out
}
