// Package calyx reads Calyx for the checker: one component of cells and continuous wires, whose
// control is empty. Of cells that have registers std_reg and std_mult_pipe are read.
//
//	calyx.go       components, cells, wires
//	primitives.go  what cells compute
//
// Nothing is open but what has no driver, which is refused where it is read. Runs begin after a
// reset: registers hold 0, and none comes later but from an input that is said to be one.
package calyx

import (
	"math/big"
	"slices"
	"strings"

	"tv/proofs/bits/circuit"
	"tv/proofs/bits/gates"
	"tv/proofs/bits/tokens"
)

const maxWidth = 1 << 16

type component struct {
	*circuit.View
	*tokens.List
	circuit *circuit.Circuit
	pins    map[string]*pin // NAME or CELL.PIN
	cells   map[string]bool
	reset   circuit.Wire
}

// A pin is a port, or one of a cell: one that wires read, or one that a wire drives.
type pin struct {
	width  int
	source []circuit.Wire // what is read of it
	driven []circuit.Wire // what it is driven with, asked for when there is a driver
	driver []circuit.Wire
}

// Read is the circuit of a text of one component, which is named top unless that is empty.
func Read(v *circuit.View, text, top string) *circuit.Circuit {
	l := tokens.Split(text, "@", "", []string{"->"}, "(){}[]<>:;,=.'?!|&")
	for l.Take("import") {
		gates.Need(l.Next()[0] == '"', "no file to import")
		l.Want(";")
	}
	c := &component{View: v, List: l, circuit: &circuit.Circuit{}, pins: map[string]*pin{},
		cells: map[string]bool{},
		reset: circuit.Fixed(gates.No)}
	c.circuit.Outputs = func(name string, delay int) gates.Vec {
		is := func(p circuit.Port) bool { return p.Name == name }
		gates.Need(slices.ContainsFunc(c.circuit.Out, is),
			"no output %s", name)
		return circuit.At(c.pins[name].driven, delay)
	}
	l.Take("comb")
	l.Want("component")
	name := l.Name(0)
	gates.Need(top == "" || name == top, "no component %s", top)
	c.signature()
	l.Want("{")
	c.declare()
	c.connect()
	l.Want("control", "{", "}", "}")
	if c.pins["clk"] == nil {
		c.circuit.Clock = "clk" // all components have it
	}
	gates.Need(l.Peek() == "", "%q behind the component", l.Peek())
	if len(c.circuit.Registers) > 0 {
		c.circuit.Trusts = []string{"registers of Calyx start at 0, and are not reset later"}
	}
	return c.circuit
}

// signature reads ports. One with @clk is the clock, one with @reset resets registers.
func (c *component) signature() {
	for _, end := range []string{"input", "output"} {
		c.Want("(")
		c.Commas(")", func() {
			attribute := ""
			if c.Peek()[0] == '@' {
				attribute = c.Name('@')
				known := end == "input" && (attribute == "clk" || attribute == "reset" ||
					attribute == "go" || attribute == "data") ||
					end == "output" && attribute == "done"
				gates.Need(known, "the attribute @%s", attribute)
			}
			name := c.Name(0)
			c.Want(":")
			c.port(end, attribute, name, c.Number(1, maxWidth))
		})
		if end == "input" {
			c.Want("->")
		}
	}
}

func (c *component) port(end, attribute, name string, width int) {
	gates.Need(c.pins[name] == nil, "port %s twice", name)
	p := &pin{width: width}
	c.pins[name] = p
	if end == "output" {
		c.circuit.Out = append(c.circuit.Out, circuit.Port{Name: name, Width: width})
		p.waits(name)
		return
	}
	if attribute == "clk" {
		gates.Need(name == c.Clock && width == 1, "the clock %s", name)
		c.circuit.Clock = name
		p.source = []circuit.Wire{func(int) gates.Lit {
			gates.Refuse("%s is read as data", name)
			return gates.No
		}}
		return
	}
	gates.Need(name != c.Clock, "a clock that is data")
	c.circuit.In = append(c.circuit.In, circuit.Port{Name: name, Width: width})
	for i := range width {
		p.source = append(p.source, c.Input(name, i))
	}
	if attribute == "reset" {
		gates.Need(width == 1, "a reset of %d bits", width)
		c.reset = p.source[0]
	}
}

// waits makes a pin one that is to be driven.
func (p *pin) waits(name string) {
	p.driven = make([]circuit.Wire, p.width)
	for i := range p.driven {
		p.driven[i] = circuit.Once(func(d int) gates.Lit {
			gates.Need(p.driver != nil, "nothing drives %s", name)
			return p.driver[i](d)
		})
	}
}

func (c *component) declare() {
	c.Want("cells", "{")
	for !c.Take("}") {
		for strings.HasPrefix(c.Peek(), "@") { // what others may do with a cell
			attribute := c.Name('@')
			gates.Need(attribute != "external", "an external cell")
			if c.Take("(") {
				c.Number(0, 1<<30)
				c.Want(")")
			}
		}
		name := c.Name(0)
		gates.Need(!c.cells[name] && c.pins[name] == nil, "cell %s twice", name)
		c.cells[name] = true
		c.Want("=")
		kind := c.Name(0)
		var numbers []*big.Int
		c.Want("(")
		c.Commas(")", func() {
			n, ok := new(big.Int).SetString(c.Next(), 10)
			gates.Need(ok && n.Sign() >= 0, "no number")
			numbers = append(numbers, n)
		})
		c.Want(";")
		c.cell(name, kind, numbers)
	}
}

// connect reads wires: PIN = PIN; or PIN = NUMBER;
func (c *component) connect() {
	c.Want("wires", "{")
	for !c.Take("}") {
		gates.Need(!c.Is("group", "comb", "static"), "a group")
		name := c.pinName()
		to := c.pins[name]
		gates.Need(to != nil && to.driven != nil && to.driver == nil,
			"%s is no pin to drive, or is driven twice", name)
		c.Want("=")
		from, width := c.source()
		c.Want(";")
		gates.Need(width == to.width, "%d bits for %s, which has %d", width, name, to.width)
		to.driver = from
	}
}

func (c *component) pinName() string {
	name := c.Name(0)
	if c.Take(".") {
		name += "." + c.Name(0)
	}
	return name
}

// source is a pin that can be read, or a number with a width.
func (c *component) source() ([]circuit.Wire, int) {
	w := c.Peek()
	if w != "" && w[0] >= '0' && w[0] <= '9' {
		width := c.Number(1, maxWidth)
		c.Want("'")
		v := number(c.Next(), width)
		return circuit.Constant(v), width
	}
	name := c.pinName()
	p := c.pins[name]
	gates.Need(p != nil && p.source != nil, "%s is no pin to read", name)
	return p.source, p.width
}

// number reads d5, b101 or hff.
func number(word string, width int) gates.Vec {
	base := map[byte]int{'d': 10, 'b': 2, 'h': 16, 'o': 8}[word[0]]
	gates.Need(base > 0 && !strings.Contains(word, "_"), "the number %s", word)
	n, ok := new(big.Int).SetString(word[1:], base)
	gates.Need(ok && n.Sign() >= 0 && n.BitLen() <= width, "the number %s in %d bits", word, width)
	return bits(n, width)
}

func bits(n *big.Int, width int) gates.Vec {
	v := make(gates.Vec, width)
	for i := range v {
		v[i] = gates.Bit(n.Bit(i) == 1)
	}
	return v
}

// counted are parameters that are widths or positions.
func counted(numbers []*big.Int) []int {
	out := make([]int, len(numbers))
	for i, n := range numbers {
		gates.Need(n.IsInt64() && n.Int64() <= maxWidth, "the width %s", n)
		out[i] = int(n.Int64())
	}
	return out
}
