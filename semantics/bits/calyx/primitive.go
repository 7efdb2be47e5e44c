package calyx

import (
	"math/big"
	"slices"

	"tv/semantics/bits/flow"
)

// A primitive is a row of the table.
type primitive struct {
	name    string
	params  int
	valued  bool // the second parameter is a number of the width that the first is
	order   []string
	width   func(pin string, p []int) int
	out     func(p []int) int
	legal   func(p []int) bool
	special func(r *reader, c *cell) // registers; nil: one operation
}

// inputs are the input pins with their widths.
func (x *primitive) inputs(p []int) map[string]int {
	out := map[string]int{}
	for _, pin := range x.order {
		out[pin] = x.width(pin, p)
	}
	return out
}

// primitives are those that texts may use, by name.
var primitives = map[string]*primitive{}

func init() {
	positive := func(p []int) bool { return !slices.ContainsFunc(p, func(n int) bool { return n < 1 }) }
	first := func(p []int) int { return p[0] }
	one := func([]int) int { return 1 }
	own := func(_ string, p []int) int { return p[0] }
	add := func(x primitive, names ...string) {
		if x.legal == nil {
			x.legal = positive
		}
		for _, name := range names {
			row := x
			row.name = name
			primitives[name] = &row
		}
	}
	pair := []string{"left", "right"}
	add(primitive{params: 1, order: pair, width: own, out: first}, "std_and", "std_or", "std_xor", "std_add", "std_sub", "std_lsh", "std_rsh",
		"std_sadd", "std_ssub", "std_slsh", "std_srsh")
	add(primitive{params: 1, order: pair, width: own, out: one}, "std_gt", "std_lt", "std_eq", "std_neq", "std_ge", "std_le",
		"std_sgt", "std_slt", "std_seq", "std_sneq", "std_sge", "std_sle")
	add(primitive{params: 1, order: []string{"in"}, width: own, out: first}, "std_not", "std_wire")
	add(primitive{params: 2, valued: true, width: own, out: first, legal: func(p []int) bool { return p[0] > 0 }}, "std_const")
	add(primitive{params: 2, valued: true, order: []string{"in"}, width: own, out: first, legal: func(p []int) bool { return p[0] > 0 }}, "std_const_mult")
	last := func(p []int) int { return p[len(p)-1] }
	add(primitive{params: 2, order: []string{"in"}, width: own, out: last, legal: func(p []int) bool { return positive(p) && p[1] <= p[0] }}, "std_slice")
	add(primitive{params: 2, order: []string{"in"}, width: own, out: last, legal: func(p []int) bool { return positive(p) && p[1] >= p[0] }},
		"std_pad", "std_signext")
	add(primitive{params: 3, order: pair, width: func(pin string, p []int) int { return p[slices.Index(pair, pin)] }, out: last,
		legal: func(p []int) bool { return positive(p) && p[0]+p[1] == p[2] }}, "std_cat")
	add(primitive{params: 4, order: []string{"in"}, width: own, out: last,
		legal: func(p []int) bool { return p[0] > p[2] && p[2] >= p[1] && p[3] == p[2]-p[1]+1 }}, "std_bit_slice")
	add(primitive{params: 1, order: []string{"cond", "tru", "fal"}, out: first, width: func(pin string, p []int) int {
		if pin == "cond" {
			return 1
		}
		return p[0]
	}}, "std_mux")
	add(primitive{params: 1, order: []string{"in", "write_en"}, out: first, special: register, width: func(pin string, p []int) int {
		if pin == "write_en" {
			return 1
		}
		return p[0]
	}}, "std_reg")
	add(primitive{params: 1, order: []string{"left", "right", "go"}, out: first, special: multiplier, width: func(pin string, p []int) int {
		if pin == "go" {
			return 1
		}
		return p[0]
	}}, "std_mult_pipe")
}

// make gives a cell the values of its outputs.
func (x *primitive) make(r *reader, c *cell, value *big.Int) {
	c.values["out"] = r.p.Add(flow.Value{Name: c.name + ".out", Width: x.out(c.params), Span: c.span})
	if x.special != nil {
		c.values["done"] = r.p.Add(flow.Value{Name: c.name + ".done", Width: 1, Span: c.span})
	}
	if value != nil {
		c.number = value
	}
}

// connect makes the operation of a cell whose inputs are connected, or its registers.
func (x *primitive) connect(r *reader, c *cell) {
	if x.special != nil {
		x.special(r, c)
		return
	}
	o := flow.Op{Kind: x.name, Result: c.values["out"], Span: c.span}
	for _, pin := range x.order {
		o.Args = append(o.Args, c.inputs[pin].value)
	}
	if c.number != nil {
		o.Consts = []*big.Int{c.number}
	}
	if x.name == "std_bit_slice" {
		o.Numbers = []int{c.params[1]}
	}
	r.p.Ops = append(r.p.Ops, o)
}

// loads makes a register that starts at 0, and goes there when the component is reset.
func (r *reader) loads(value, input, enable int) {
	reg := flow.Register{Value: value, Input: input, Enable: enable, Reset: r.reset, ResetTo: -1, Initial: new(big.Int)}
	if r.reset >= 0 {
		v := r.p.Values[value]
		reg.ResetTo = r.constant(v.Width, new(big.Int), v.Span)
	}
	r.p.Registers = append(r.p.Registers, reg)
}

// register holds in when write_en is 1; done says so a cycle later.
func register(r *reader, c *cell) {
	r.loads(c.values["out"], c.inputs["in"].value, c.inputs["write_en"].value)
	r.loads(c.values["done"], c.inputs["write_en"].value, -1)
}

// multiplier registers its operands while go is 1, and their product a cycle later; done is 1 in the third cycle of go.
func multiplier(r *reader, c *cell) {
	add := func(name string, width int) int {
		return r.p.Add(flow.Value{Name: c.name + "." + name, Width: width, Span: c.span})
	}
	op := func(kind string, width int, args ...int) int {
		v := add(kind, width)
		r.p.Ops = append(r.p.Ops, flow.Op{Kind: kind, Args: args, Result: v, Span: c.span})
		return v
	}
	width, gone := c.params[0], c.inputs["go"].value
	zero := r.constant(width, new(big.Int), c.span)
	var operands []int
	for _, pin := range []string{"left", "right"} {
		held := add(pin, width)
		r.loads(held, op("std_mux", width, gone, c.inputs[pin].value, zero), -1)
		operands = append(operands, held)
	}
	r.loads(c.values["out"], op("std_mult", width, operands...), gone)
	started := add("started", 1)
	r.loads(started, gone, -1)
	r.loads(c.values["done"], op("std_and", 1, gone, started), -1)
}
