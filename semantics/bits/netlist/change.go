package netlist

import (
	"fmt"
	"maps"
	"math/big"
	"slices"

	"tv/semantics/bits/cells"
	"tv/semantics/bits/word"
)

// A Change is one difference to a netlist: a bit of a table, a pin that is the other constant, or two pins exchanged.
type Change struct {
	instance int
	param    string // of a table
	bit      int    // of the table, or the first of the bits of the inputs
	other    int    // the second; below 0: the first is a constant
}

// Changes are all single changes of instances that reached, in the order of the text.
func (n *Netlist) Changes(reached func(instance int) bool) (out []Change) {
	order := make([]int, 0, len(n.Instances))
	for i := range n.Instances {
		if in := &n.Instances[i]; in.Name != "" && in.Model.Cell != nil && reached(i) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return n.Instances[i].Span.Start - n.Instances[j].Span.Start })
	for _, i := range order {
		in := &n.Instances[i]
		for _, p := range in.Model.Cell.Params {
			if p.Table {
				for bit := range p.Width {
					out = append(out, Change{i, p.Name, bit, -1})
				}
			}
		}
		read := map[int]bool{}
		for _, p := range in.Model.Parts {
			for _, at := range p.Support {
				read[at] = true
			}
		}
		for at, b := range in.In {
			if in.resets(at) {
				continue
			}
			if (b == Zero || b == One) && !in.clocks(at) {
				out = append(out, Change{i, "", at, -1})
			}
			for other := at + 1; other < len(in.In); other++ {
				if !in.resets(other) && in.In[other] != b && in.In[other] != Open && b != Open && (read[at] || read[other]) {
					out = append(out, Change{i, "", at, other})
				}
			}
		}
	}
	return out
}

// clocks tells whether a bit of the inputs is a clock.
func (in *Instance) clocks(at int) bool {
	pin, _ := in.pin(at)
	return slices.ContainsFunc(in.Model.Registers, func(r cells.Register) bool { return r.Clock == pin.Name })
}

// resets tells whether a bit of the inputs belongs to an asynchronous reset, which is found once and for all.
func (in *Instance) resets(at int) bool {
	a := in.Model.Async
	return a != nil && (slices.Contains(a.Active.Support, at) || at >= cells.Width(in.Model.Cell.Inputs))
}

// Describe names a change as a user would make it.
func (n *Netlist) Describe(c Change) string {
	in := &n.Instances[c.instance]
	pin := func(at int) string {
		p, bit := in.pin(at)
		if p.Width == 1 {
			return p.Name
		}
		return fmt.Sprintf("%s[%d]", p.Name, bit)
	}
	head := in.Name + " " + in.Model.Cell.Name
	switch {
	case c.param != "":
		return fmt.Sprintf("%s %s bit %d", head, c.param, c.bit)
	case c.other < 0:
		return fmt.Sprintf("%s pin %s at %d", head, pin(c.bit), 1-in.In[c.bit])
	}
	return fmt.Sprintf("%s pins %s and %s exchanged", head, pin(c.bit), pin(c.other))
}

// changed is the instance after a change, or nil where the cell does not allow it.
func (n *Netlist) changed(c Change) *Instance {
	in := n.Instances[c.instance]
	in.stuck = nil
	if c.param == "" {
		in.In = slices.Clone(in.In)
		if c.other < 0 {
			in.In[c.bit] = One - in.In[c.bit]
		} else {
			in.In[c.bit], in.In[c.other] = in.In[c.other], in.In[c.bit]
		}
		return &in
	}
	values := maps.Clone(in.params)
	for _, p := range in.Model.Cell.Params {
		if p.Name != c.param {
			continue
		}
		v, given := values[p.Name]
		if !given {
			v = cells.Value{Bits: p.Default}
		}
		v.Bits = new(big.Int).SetBit(v.Bits, c.bit, v.Bits.Bit(c.bit)^1)
		if values == nil {
			values = map[string]cells.Value{}
		}
		values[p.Name] = v
	}
	model, err := in.Model.Cell.Configure(values)
	if err != nil {
		return nil
	}
	in.Model = model
	return &in
}

// With is the netlist after a change, or nil where there is none: what is read may be driven by nothing, or by itself, then.
func (n *Netlist) With(c Change) *Netlist {
	in := n.changed(c)
	if in == nil {
		return nil
	}
	out := *n
	out.Instances, out.order = slices.Clone(n.Instances), nil
	out.Instances[c.instance] = *in
	for _, p := range in.all() {
		for _, at := range p.Support {
			if out.readable(in, at) != nil {
				return nil
			}
		}
	}
	duties := &out.Instances[c.instance].duties
	*duties = nil
	for i, x := range in.Model.Inactive {
		if !out.concerns(in, x) {
			continue
		}
		switch w := out.constant(in, x.Part); {
		case w == nil && x.Illegal:
			*duties = append(*duties, i)
		case w == nil || w.Value.Sign() != 0:
			return nil
		}
	}
	if out.sort() != nil {
		return nil
	}
	return &out
}

// A Trace is a run of lanes with the values of all nets in all cycles, of which changes are tried.
type Trace struct {
	n      *Netlist
	inputs func(port string, bit, cycle int) uint64
	values [][]uint64 // by cycle
	states []map[string][]uint64
	place  map[part]int // in the order
}

// NewTrace runs a netlist for some cycles.
func (n *Netlist) NewTrace(cycles int, inputs func(port string, bit, cycle int) uint64) *Trace {
	t := &Trace{n: n, inputs: inputs, place: map[part]int{}}
	l := n.NewLanes(nil)
	for c := range cycles {
		t.states = append(t.states, l.state)
		l.Step(func(port string, bit int) uint64 { return inputs(port, bit, c) })
		t.values = append(t.values, slices.Clone(l.values))
	}
	for i, p := range n.order {
		t.place[p] = i
	}
	return t
}

// Value is a bit in a cycle.
func (t *Trace) Value(b Bit, cycle int) uint64 {
	return (&Lanes{values: t.values[cycle]}).Value(b)
}

// May tells whether a change could make a difference in each lane of failing at cycle: up to the first cycle in which the cell computes
// something else, the run is what it was. What it rejects mends nothing.
func (t *Trace) May(c Change, failing uint64, cycle int) bool {
	old := &t.n.Instances[c.instance]
	differ := uint64(0)
	for k := range cycle + 1 { // of what most changes are, quickly
		switch {
		case c.param == "" && c.other >= 0:
			differ |= t.Value(old.In[c.bit], k) ^ t.Value(old.In[c.other], k)
		case c.param == "" || len(old.Model.Parts) != 1 || len(old.Model.Parts[0].Support) != len(old.In):
			differ = ^uint64(0)
		default:
			is := ^uint64(0)
			for i, b := range old.In {
				v := t.Value(b, k)
				if i < 16 && c.bit>>i&1 == 0 {
					v = ^v
				}
				is &= v
			}
			differ |= is
		}
	}
	if failing&^differ != 0 {
		return false
	}
	in := t.n.changed(c)
	if in == nil || len(in.Model.Parts) != len(old.Model.Parts) {
		return false
	}
	differ = 0
	for k := range cycle + 1 {
		l := &Lanes{n: t.n, values: t.values[k], state: t.states[k]}
		compare := func(was, is cells.Part) {
			was64, is64 := l.compute(old, was), l.compute(in, is)
			for i, v := range was64 {
				differ |= v ^ is64[i]
			}
		}
		for i, p := range old.Model.Parts {
			if old.connected(p) {
				compare(p, in.Model.Parts[i])
			}
		}
		for i, r := range old.Model.Registers {
			compare(r.Next, in.Model.Registers[i].Next)
		}
	}
	return failing&^differ == 0
}

// Changed are the values of bits at a cycle after a change, and how many parts were computed anew for them; nil where there is no such
// netlist.
func (t *Trace) Changed(c Change, bits []Bit, cycle int) (out []uint64, work int) {
	in := t.n.changed(c)
	if in == nil || len(in.Model.Parts) != len(t.n.Instances[c.instance].Model.Parts) {
		return nil, 0
	}
	order := t.n.order
	instance := func(i int32) *Instance {
		if int(i) == c.instance {
			return in
		}
		return &t.n.Instances[i]
	}
	if c.other >= 0 && !t.ordered(c, in) {
		mended := t.n.With(c)
		if mended == nil {
			return nil, 0
		}
		order = mended.order
	}
	l := &Lanes{n: t.n, values: make([]uint64, len(t.n.nets))}
	dirty := make([]bool, len(t.n.nets))
	loose := map[string]bool{} // registers with another value
	for k := range cycle + 1 {
		copy(l.values, t.values[k])
		clear(dirty)
		if k == 0 {
			l.state = maps.Clone(t.states[0])
		}
		for _, p := range order {
			of := instance(p.instance)
			model := &of.Model.Parts[p.part]
			if int(p.instance) != c.instance && !touched(of, *model, dirty, loose) {
				continue
			}
			work++
			for i, v := range l.compute(of, *model) {
				if b := of.Out[model.At+i]; b >= 2 && v != l.values[b-2] {
					l.values[b-2], dirty[b-2] = v, true
				}
			}
		}
		if k == cycle {
			break
		}
		next := maps.Clone(t.states[k+1])
		later := map[string]bool{}
		for i := range t.n.Instances {
			of := instance(int32(i))
			for _, r := range of.Model.Registers {
				if i != c.instance && !touched(of, r.Next, dirty, loose) {
					continue
				}
				work++
				name := of.register(r.Name)
				if v := l.compute(of, r.Next); !slices.Equal(v, next[name]) {
					next[name], later[name] = v, true
				}
			}
		}
		l.state, loose = next, later
	}
	for _, b := range bits {
		out = append(out, l.Value(b))
	}
	return out, work
}

// ordered tells whether after an exchange of pins the order still has each part after what it reads, all of which has a value.
func (t *Trace) ordered(c Change, in *Instance) bool {
	if len(in.Model.Inactive) > 0 {
		return false // whether the cell may be so is With's to say
	}
	for _, p := range in.all() {
		for _, at := range p.Support {
			if (at == c.bit || at == c.other) && t.n.readable(in, at) != nil {
				return false
			}
		}
	}
	for i, p := range in.Model.Parts {
		if !in.connected(p) {
			continue
		}
		place := t.place[part{int32(c.instance), int32(i)}]
		for _, read := range t.n.reads(in, p) {
			if t.place[read] >= place {
				return false
			}
		}
	}
	return true
}

// touched tells whether a part reads what has another value.
func touched(in *Instance, p cells.Part, dirty []bool, loose map[string]bool) bool {
	for _, at := range p.Support {
		if b := in.In[at]; b >= 2 && dirty[b-2] {
			return true
		}
	}
	if len(loose) > 0 {
		for _, w := range p.Reach {
			if w.Op == word.State && loose[in.register(w.Name)] {
				return true
			}
		}
	}
	return false
}

// Cone tells which instances bits depend on, through registers too.
func (n *Netlist) Cone(bits []Bit) map[int]bool {
	cone := map[int]bool{}
	for list := slices.Clone(bits); len(list) > 0; {
		b := list[len(list)-1]
		list = list[:len(list)-1]
		if b < 2 || n.net(b).driver != output || cone[int(n.net(b).from)] {
			continue
		}
		i := int(n.net(b).from)
		cone[i] = true
		for _, p := range n.Instances[i].all() {
			for _, at := range p.Support {
				list = append(list, n.Instances[i].In[at])
			}
		}
	}
	return cone
}
