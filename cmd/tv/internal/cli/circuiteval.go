package cli

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"tv/ci"
	"tv/semantics/bits"
	"tv/semantics/bits/languages"
)

// evalCircuit runs a specification over bit-vectors or a netlist in its reference evaluator, for as many cycles as inputs have values.
func (a *app) evalCircuit(flags *evalFlags, name string, lang *languages.Language) error {
	texts, err := a.readCircuits([]string{name}, []*languages.Language{lang}, flags.circuit)
	if err != nil {
		return err
	}
	ports, outputs := texts[0].program.Ports()
	inputs, cycles, err := setInputs(ports, flags.set)
	if err != nil {
		return err
	}
	// What the text leaves open is 0, which is said where it is asked for.
	var open []string
	machine := texts[0].program.Machine(func(name string, width, cycle int) *big.Int {
		if line := fmt.Sprintf("left open: %s = %s", name, ci.Hex(new(big.Int), width)); !slices.Contains(open, line) {
			open = append(open, line)
		}
		return nil
	})
	type cycle struct {
		Outputs map[string]string `json:"outputs"`
		Assumed bool              `json:"assumed"`
		Open    []string          `json:"open,omitempty"` // what was left open
	}
	var runs []cycle
	var text strings.Builder
	for c := range cycles {
		in := map[string]*big.Int{}
		for name, values := range inputs {
			in[name] = values[c]
		}
		out, assumed := machine.Step(in)
		run := cycle{map[string]string{}, assumed, open}
		if cycles > 1 {
			fmt.Fprintf(&text, "cycle %d\n", c)
		}
		for _, o := range outputs {
			run.Outputs[o.Name] = ci.Hex(out[o.Name], o.Width)
			fmt.Fprintf(&text, "%s = %s\n", o.Name, run.Outputs[o.Name])
		}
		for _, line := range open {
			fmt.Fprintln(&text, line)
		}
		open = nil
		if !assumed {
			text.WriteString("the assumptions do not hold\n")
		}
		runs = append(runs, run)
	}
	if flags.format.value == "json" {
		data, err := json.Marshal(map[string]any{"cycles": runs})
		if err != nil {
			return err
		}
		return a.output(flags.output, append(data, '\n'))
	}
	return a.output(flags.output, []byte(text.String()))
}

// setInputs reads NAME=VALUE, or NAME=VALUE,VALUE.. for several cycles, of each input.
func setInputs(ports []bits.Port, set []string) (inputs map[string][]*big.Int, cycles int, err error) {
	widths := map[string]int{}
	for _, p := range ports {
		widths[p.Name] = p.Width
	}
	inputs, cycles = map[string][]*big.Int{}, 1
	for i, text := range set {
		name, values, ok := strings.Cut(text, "=")
		width := widths[name]
		switch {
		case !ok:
			return nil, 0, usageError("--set takes NAME=VALUE, such as a=0x1f, not %q", text)
		case width == 0:
			return nil, 0, usageError("--set %s: there is no input %s", text, name)
		case inputs[name] != nil:
			return nil, 0, usageError("--set gives %s twice", name)
		}
		for _, digits := range strings.Split(values, ",") {
			v, ok := new(big.Int).SetString(digits, 0)
			if !ok || v.Sign() < 0 || v.BitLen() > width {
				return nil, 0, usageError("--set %s: %q is no number of %d bits", text, digits, width)
			}
			inputs[name] = append(inputs[name], v)
		}
		if n := len(inputs[name]); i == 0 {
			cycles = n
		} else if n != cycles {
			return nil, 0, usageError("--set gives %s %d values, and another input %d", name, n, cycles)
		}
	}
	for _, p := range ports {
		if inputs[p.Name] == nil && p.Of != "" { // what an asynchronous reset did between edges: nothing
			for range cycles {
				inputs[p.Name] = append(inputs[p.Name], new(big.Int))
			}
		}
		if inputs[p.Name] == nil {
			return nil, 0, usageError("%s has no value: --set %s=0x0 gives it one", p.Name, p.Name)
		}
	}
	return inputs, cycles, nil
}
