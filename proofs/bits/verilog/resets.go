package verilog

import (
	"slices"

	"tv/proofs/bits/circuit"
	"tv/proofs/bits/gates"
)

// A clear is an asynchronous reset of registers. Each cycle has an input more for it, which is 1
// where the reset was active at any time since the last edge of the clock: what a register holds is
// what it is reset to then, as it is where the reset is active when outputs are read.
type clear struct {
	active circuit.Wire
	was    circuit.Wire // nil before it is found
	what   string       // for refusals
}

// clears declares one; what it is is asked when all is connected.
func (n *netlist) clears(active circuit.Wire, what string) *clear {
	c := &clear{active: active, what: what}
	n.resets = append(n.resets, c)
	return c
}

// find says which input a reset is, and at which level it acts: INPUT.high or INPUT.low is the
// input that is added. A reset that is constant needs none.
func (c *clear) find(v *circuit.View, to *circuit.Circuit, ports int) {
	l := c.active(circuit.Probe)
	if l <= gates.Yes {
		c.was = circuit.Fixed(gates.No)
		return
	}
	for _, p := range to.In[:ports] {
		in := v.Input(p.Name, 0)(circuit.Probe)
		if p.Width != 1 || l != in && l != in.Not() {
			continue
		}
		name := p.Name + ".high"
		if l != in {
			name = p.Name + ".low"
		}
		taken := func(o circuit.Port) bool { return o.Name == name }
		gates.Need(!slices.ContainsFunc(to.In[:ports], taken), "an input %s", name)
		if !slices.ContainsFunc(to.In, taken) {
			to.In = append(to.In, circuit.Port{Name: name, Width: 1})
			to.Trusts = append(to.Trusts, p.Name+" changes at no edge of "+v.Clock)
		}
		c.was = v.Input(name, 0)
		return
	}
	gates.Refuse("the asynchronous reset of %s is no input", c.what)
}

// seen is a bit of a register, as others see it, that is reset to a value.
func (c *clear) seen(g *gates.Graph, held circuit.Wire, value gates.Lit) circuit.Wire {
	return circuit.Once(func(d int) gates.Lit {
		gates.Need(c.was != nil, "what %s holds decides how the text is read", c.what)
		return g.Mux(g.Or(c.active(d), c.was(d)), value, held(d))
	})
}

// next is what a register holds after an edge of the clock.
func (c *clear) next(g *gates.Graph, load circuit.Wire, value gates.Lit) circuit.Wire {
	return circuit.Once(func(d int) gates.Lit {
		active := c.active(d)
		if active == gates.Yes {
			return value
		}
		return g.Mux(active, value, load(d))
	})
}
