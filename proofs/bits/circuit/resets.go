package circuit

import (
	"slices"

	"tv/proofs/bits/gates"
)

// A Clear is an asynchronous reset of registers. Each cycle has an input more for it, which is 1
// where the reset was active at any time since the last edge of the clock: what a register holds is
// what it is reset to then, as it is where the reset is active when outputs are read.
type Clear struct {
	Active Wire
	What   string // it resets, for refusals
	was    Wire   // nil before it is found
}

// Find says which input a reset is, and at which level it acts: INPUT.high or INPUT.low is the
// input that is added. A reset that is constant needs none.
func (c *Clear) Find(v *View, to *Circuit, ports int) {
	l := c.Active(Probe)
	if l <= gates.Yes {
		c.was = Fixed(gates.No)
		return
	}
	for _, p := range to.In[:ports] {
		in := v.Input(p.Name, 0)(Probe)
		if p.Width != 1 || l != in && l != in.Not() {
			continue
		}
		name := p.Name + ".high"
		if l != in {
			name = p.Name + ".low"
		}
		taken := func(o Port) bool { return o.Name == name }
		gates.Need(!slices.ContainsFunc(to.In[:ports], taken), "an input %s", name)
		if !slices.ContainsFunc(to.In, taken) {
			to.In = append(to.In, Port{Name: name, Width: 1})
			to.Trusts = append(to.Trusts, p.Name+" changes at no edge of "+v.Clock)
		}
		c.was = v.Input(name, 0)
		return
	}
	gates.Refuse("the asynchronous reset of %s is no input", c.What)
}

// Seen is a bit of a register, as others see it, that is reset to a value.
func (c *Clear) Seen(g *gates.Graph, held Wire, value gates.Lit) Wire {
	return Once(func(d int) gates.Lit {
		gates.Need(c.was != nil, "what %s holds decides how the text is read", c.What)
		return g.Mux(g.Or(c.Active(d), c.was(d)), value, held(d))
	})
}

// Next is what a register holds after an edge of the clock.
func (c *Clear) Next(g *gates.Graph, load Wire, value gates.Lit) Wire {
	return Once(func(d int) gates.Lit {
		active := c.Active(d)
		if active == gates.Yes {
			return value
		}
		return g.Mux(active, value, load(d))
	})
}
