package ci

import (
	"fmt"
	"math/big"
	"strings"

	"tv/equiv/bits"
	"tv/equiv/bits/repair"
)

// circuit is the counterexample of a question about circuits: words in hexadecimal, of several cycles one for each, from 0.
type circuit struct {
	Cycle    int                      `json:"cycle"`
	Inputs   map[string]any           `json:"inputs"`
	Outputs  map[string]circuitOutput `json:"outputs"`
	Open     []circuitOpened          `json:"open,omitempty"`   // what the second text leaves open
	Chosen   []circuitOpened          `json:"chosen,omitempty"` // of what the first does, one of the choices, which all differ
	Smallest bool                     `json:"smallest"`
	Repair   *repaired                `json:"repair,omitempty"`
}

// A circuitOpened is a value of what a text leaves open: of a register, which starts with it, at cycle -1.
type circuitOpened struct {
	Name  string `json:"name"`
	Cycle int    `json:"cycle"`
	Value string `json:"value"`
}

func openedOf(list []bits.Opened) (out []circuitOpened) {
	for _, o := range list {
		out = append(out, circuitOpened{o.Name, o.Cycle, Hex(o.Value, o.Width)})
	}
	return out
}

type circuitOutput struct {
	Spec    string `json:"spec"`
	Netlist string `json:"netlist"`
}

// repaired is the one change that mends a netlist, proved.
type repaired struct {
	Change string `json:"change"`
	Count  int    `json:"count"` // how many changes do
	Tried  int    `json:"tried"`
}

func newCircuit(c *bits.Counterexample, r *repair.Repair) *circuit {
	out := &circuit{Cycle: c.Cycle, Inputs: map[string]any{}, Outputs: map[string]circuitOutput{}, Smallest: c.Smallest,
		Open: openedOf(c.Open), Chosen: openedOf(c.Chosen)}
	if r != nil {
		out.Repair = &repaired{r.Change, r.Count, r.Tried}
	}
	for _, s := range c.Inputs {
		var values []string
		for _, v := range s.Values {
			values = append(values, Hex(v, s.Width))
		}
		if out.Inputs[s.Name] = values; c.Cycle == 0 {
			out.Inputs[s.Name] = values[0]
		}
	}
	for _, o := range c.Outputs {
		out.Outputs[o.Name] = circuitOutput{Hex(o.Before, o.Width), Hex(o.After, o.Width)}
	}
	return out
}

// Hex is a word of so many bits with all of its digits.
func Hex(v *big.Int, width int) string { return fmt.Sprintf("0x%0*x", (width+3)/4, v) }

// circuit writes the run that shows a difference.
func (t *textWriter) circuit(c *bits.Counterexample) {
	if c.Cycle > 0 {
		t.line("at cycle %d", c.Cycle)
	}
	for _, s := range c.Inputs {
		var values []string
		for _, v := range s.Values {
			values = append(values, Hex(v, s.Width))
		}
		from := ""
		if c.Cycle > 0 {
			from = ", from cycle 0"
		}
		t.line("%s = %s%s", s.Name, strings.Join(values, ", "), from)
	}
	t.opened(c.Open, "")
	t.opened(c.Chosen, " before, chosen as all others in vain")
	for _, o := range c.Outputs {
		t.line("%s: %s before, %s after; %s", o.Name, Hex(o.Before, o.Width), Hex(o.After, o.Width), differing(o))
	}
	if !c.Smallest {
		t.line("smaller inputs may do: the search for them was given up")
	}
}

// opened writes what a text leaves open.
func (t *textWriter) opened(list []bits.Opened, how string) {
	for _, o := range list {
		if o.Cycle < 0 {
			t.line("%s starts with %s%s", o.Name, Hex(o.Value, o.Width), how)
		} else {
			t.line("%s = %s at cycle %d%s", o.Name, Hex(o.Value, o.Width), o.Cycle, how)
		}
	}
}

// repair writes the change that mends a netlist.
func (t *textWriter) repair(r *repair.Repair) {
	if r == nil {
		return
	}
	mend := "mend"
	if r.Count == 1 {
		mend = "mends"
	}
	t.line("mended by %s (proved; %d of %d single changes %s it)", r.Change, r.Count, r.Tried, mend)
}

// differing names the bits that differ, the highest first.
func differing(o bits.Difference) string {
	d := new(big.Int).Xor(o.Before, o.After)
	var runs []string
	count := 0
	for i := d.BitLen() - 1; i >= 0; i-- {
		if d.Bit(i) == 0 {
			continue
		}
		high := i
		for i > 0 && d.Bit(i-1) == 1 {
			i--
		}
		count += high - i + 1
		if high == i {
			runs = append(runs, fmt.Sprint(i))
		} else {
			runs = append(runs, fmt.Sprintf("%d:%d", high, i))
		}
	}
	if count == 1 {
		return "bit " + runs[0] + " differs"
	}
	return "bits " + strings.Join(runs, ", ") + " differ"
}
