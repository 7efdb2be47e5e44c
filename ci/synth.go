package ci

import (
	"fmt"

	"tv/equiv/bits/synth"
)

// found says of a netlist, or of what was looked for in vain, what was tried for each output.
type found struct {
	Outputs []foundOutput `json:"outputs"`
}

type foundOutput struct {
	Name     string       `json:"name"`
	Template string       `json:"template,omitempty"` // of what was found
	Cells    int          `json:"cells,omitempty"`    // of the output, registers among them
	Holes    []foundHole  `json:"holes,omitempty"`
	Tried    []foundTried `json:"tried"`
}

type foundHole struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type foundTried struct {
	Template   string `json:"template"`
	Status     string `json:"status"`
	Candidates int    `json:"candidates"`
	Samples    int    `json:"samples"`
	Conflicts  int64  `json:"conflicts"`
}

func newFound(r *synth.Result) *found {
	out := &found{Outputs: []foundOutput{}}
	for _, o := range r.Outputs {
		f := foundOutput{Name: o.Name, Template: o.Template, Cells: o.Cells, Tried: []foundTried{}}
		for _, t := range o.Tried {
			f.Tried = append(f.Tried, foundTried{t.Template, t.Status.String(), t.Candidates, t.Samples, t.Conflicts})
			for _, h := range t.Holes {
				f.Holes = append(f.Holes, foundHole{h.Name, Hex(h.Value, h.Width)})
			}
		}
		out.Outputs = append(out.Outputs, f)
	}
	return out
}

// synth writes what was found for each output.
func (t *textWriter) synth(r *synth.Result) {
	if r == nil || r.Module == nil {
		return
	}
	for _, o := range r.Outputs {
		cells := "cells"
		if o.Cells == 1 {
			cells = "cell"
		}
		t.line("%s: %s", o.Name, fmt.Sprintf("template %s, %d %s", o.Template, o.Cells, cells))
	}
}
