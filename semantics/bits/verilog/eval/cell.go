package eval

import (
	"math/big"
	"slices"

	"tv/semantics/bits/cells"
	"tv/semantics/bits/cells/run"
	"tv/semantics/bits/verilog"
	"tv/semantics/bits/word"
)

// A cell is an instance of a primitive.
type cell struct {
	*process
	model  *cells.Model
	name   string
	inputs map[string]*big.Int
	state  map[string][]uint64
	next   map[string][]uint64
}

// cell connects an instance of a primitive.
func (s *scope) cell(in *verilog.Instance) {
	table := cells.Find(s.options.Arch, in.Type.Text)
	f := &frame{scope: s}
	values := map[string]cells.Value{}
	for _, p := range in.Params {
		if !table.Ignores(p.Text) {
			values[p.Text] = f.cellValue(p.Expr)
		}
	}
	model, err := table.Configure(values)
	if err != nil {
		panic(err)
	}
	c := &cell{model: model, name: s.path + in.Name.Text, inputs: map[string]*big.Int{}, state: map[string][]uint64{}}
	for _, r := range model.Registers {
		v := new(big.Int).Set(r.Initial)
		if r.Open != nil {
			name := c.name
			if len(model.Registers) > 1 {
				name += "." + r.Name
			}
			free := s.open(name, r.Width)
			v.Or(v.AndNot(v, r.Open), free.And(free, r.Open))
		}
		c.state[r.Name] = run.Constant(v, r.Width)
	}
	c.process = s.process(func() { c.settle(s, in, table) })
	s.Machine.cells = append(s.Machine.cells, c)
}

// cellValue is that of a parameter.
func (f *frame) cellValue(e *verilog.Expr) cells.Value {
	switch e.Kind {
	case verilog.String:
		return cells.Value{IsText: true, Text: e.Text}
	case verilog.Literal:
		v := cells.Value{Bits: e.Value, Unknown: e.Unknown, Width: e.Width}
		if e.Unsized {
			v.Width = 0
		}
		return v
	}
	return cells.Value{Bits: f.alone(e)} // of a width that was checked
}

// settle computes the outputs.
func (c *cell) settle(s *scope, in *verilog.Instance, table *cells.Cell) {
	f := &frame{scope: s}
	for _, p := range c.model.Inputs {
		c.inputs[p.Name] = new(big.Int)
		if p.Default != nil {
			c.inputs[p.Name] = p.Default
		}
	}
	for _, p := range in.Pins {
		if p.Expr != nil && !table.Ignores(p.Text) && table.Input(p.Text) != nil {
			c.inputs[p.Text] = f.alone(p.Expr)
		}
	}
	out := new(big.Int)
	for _, p := range c.model.Parts {
		for i, v := range run.Part(p, c.leaf) {
			out.SetBit(out, p.At+i, uint(v&1))
		}
	}
	for _, p := range in.Pins {
		if o := table.Output(p.Text); o != nil && p.Expr != nil && !table.Ignores(p.Text) {
			at := cells.Offset(c.model.Outputs, p.Text)
			f.assign(p.Expr, wrap(new(big.Int).Rsh(out, uint(at)), o.Width), false)
		}
	}
}

func (c *cell) leaf(w *word.Word) []uint64 {
	if w.Op == word.State {
		return c.state[w.Name]
	}
	return run.Constant(c.inputs[w.Name], w.Width)
}

// reset does what an asynchronous reset does while it is active, and tells whether anything changes.
func (c *cell) reset() (changed bool) {
	a := c.model.Async
	if a == nil || run.Part(a.Active, c.leaf)[0]&1 == 0 {
		return false
	}
	for name, old := range c.state {
		value := slices.Clone(old)
		for i, to := range run.Constant(a.Value, len(old)) {
			if a.Mask.Bit(i) == 1 {
				value[i] = to
			}
		}
		changed = changed || !slices.Equal(value, old)
		c.state[name] = value
	}
	return changed
}

// load computes what the registers will be, from the pins before the edge.
func (c *cell) load() {
	c.next = map[string][]uint64{}
	for _, r := range c.model.Registers {
		c.next[r.Name] = run.Part(r.Next, c.leaf)
	}
	if a := c.model.Async; a != nil && run.Part(a.Active, c.leaf)[0]&1 == 1 {
		c.next = c.state // which it has been reset to
	}
}

// store goes to the next cycle, and tells whether anything changes.
func (c *cell) store() (changed bool) {
	for name, v := range c.next {
		for i, x := range v {
			changed = changed || x != c.state[name][i]
		}
	}
	c.state = c.next
	return changed
}
