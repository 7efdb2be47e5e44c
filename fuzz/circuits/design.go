// Package circuits draws designs in Verilog, gives them to tools and simulates what these write.
//
//	design.go    Design: wires and outputs as expressions; Draw, Verilog, Smaller
//	tool.go      a command that reads a design and writes a netlist
//	simulate.go  texts on inputs under Icarus Verilog, with the models of cells that Yosys has
package circuits

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A Port is an input, a wire or an output, of a width in bits.
type Port struct {
	Name   string
	Width  int
	Signed bool
}

// A Line is a wire or an output and what it is assigned.
type Line struct {
	Port
	Is *Expr
}

// A Design is a module without registers. Expressions read inputs, and wires that come before.
type Design struct {
	Inputs  []Port
	Wires   []Line
	Outputs []Line
}

// An Expr is an expression: Op is an operator of Verilog, or one of the kinds below.
type Expr struct {
	Op     string
	Args   []*Expr
	Name   string // of reads
	Hi, Lo int    // of selects; Hi is how often of replications
	Width  int    // of constants
	Value  uint64
	Signed bool
}

// Kinds of expressions that are no operators.
const (
	read      = "read"
	selected  = "select"
	constant  = "constant"
	joined    = "concatenation"
	repeated  = "replication"
	asSigned  = "$signed"
	unsigned  = "$unsigned"
	choice    = "?:"
	unaryMark = "unary "
)

var (
	unary  = []string{"~", "-", "!", "&", "|", "^", "~&", "~|", "~^"}
	binary = []string{"+", "+", "-", "-", "*", "&", "|", "^", "~^", "<<", ">>", "<<<", ">>>", "==", "!=", "<", "<=", ">", ">=", "&&", "||"}
)

type drawer struct {
	*rand.Rand
	ports  []Port // that may be read
	widest int
}

// Draw draws the design of a seed.
func Draw(seed uint64) *Design {
	d := &drawer{Rand: rand.New(rand.NewPCG(seed, 0x5eed)), widest: 5}
	if d.IntN(3) == 0 {
		d.widest = 12
	}
	out := &Design{}
	for i := range 2 + d.IntN(3) {
		p := Port{string(rune('a' + i)), 1 + d.IntN(d.widest), d.IntN(3) == 0}
		out.Inputs = append(out.Inputs, p)
		d.ports = append(d.ports, p)
	}
	for i := range d.IntN(6) {
		l := Line{Port{fmt.Sprintf("t%d", i), 1 + d.IntN(d.widest+2), d.IntN(3) == 0}, d.expr(3)}
		out.Wires = append(out.Wires, l)
		d.ports = append(d.ports, l.Port)
	}
	for i := range 8 + d.IntN(9) { // tools take longer to start than for an output
		out.Outputs = append(out.Outputs, Line{Port{fmt.Sprintf("y%d", i), 1 + d.IntN(d.widest+2), false}, d.expr(3)})
	}
	return out
}

func (d *drawer) expr(depth int) *Expr {
	if depth == 0 || d.IntN(7) == 0 {
		return d.leaf()
	}
	sub := func() *Expr { return d.expr(depth - 1) }
	switch k := d.IntN(20); {
	case k < 3:
		return &Expr{Op: unaryMark + unary[d.IntN(len(unary))], Args: []*Expr{sub()}}
	case k < 5:
		return &Expr{Op: choice, Args: []*Expr{sub(), sub(), sub()}}
	case k < 6:
		return &Expr{Op: joined, Args: []*Expr{sub(), sub()}}
	case k < 7:
		return &Expr{Op: repeated, Hi: 1 + d.IntN(3), Args: []*Expr{sub()}}
	case k < 9:
		return &Expr{Op: []string{asSigned, unsigned}[d.IntN(2)], Args: []*Expr{sub()}}
	}
	return &Expr{Op: binary[d.IntN(len(binary))], Args: []*Expr{sub(), sub()}}
}

func (d *drawer) leaf() *Expr {
	p := d.ports[d.IntN(len(d.ports))]
	switch d.IntN(6) {
	case 0:
		w := 1 + d.IntN(d.widest)
		v := d.Uint64N(1 << w)
		switch d.IntN(4) { // ends of the range are where tools go wrong
		case 0:
			v = 0
		case 1:
			v = 1<<w - 1
		case 2:
			v = 1 << (w - 1)
		}
		return &Expr{Op: constant, Width: w, Value: v, Signed: d.IntN(2) == 0}
	case 1:
		hi := d.IntN(p.Width)
		return &Expr{Op: selected, Name: p.Name, Hi: hi, Lo: d.IntN(hi + 1)}
	}
	return &Expr{Op: read, Name: p.Name}
}

// Verilog is the design as a module m.
func (d *Design) Verilog() string {
	var b strings.Builder
	var ports []string
	heading := func(direction string, p Port) string {
		sign := ""
		if p.Signed {
			sign = "signed "
		}
		return fmt.Sprintf("%s %s[%d:0] %s", direction, sign, p.Width-1, p.Name)
	}
	for _, p := range d.Inputs {
		ports = append(ports, heading("input", p))
	}
	for _, l := range d.Outputs {
		ports = append(ports, heading("output", l.Port))
	}
	fmt.Fprintf(&b, "module m(%s);\n", strings.Join(ports, ", "))
	for _, l := range d.Wires {
		fmt.Fprintf(&b, "  %s;\n", heading("wire", l.Port))
	}
	for _, l := range slices.Concat(d.Wires, d.Outputs) {
		fmt.Fprintf(&b, "  assign %s = %s;\n", l.Name, l.Is)
	}
	b.WriteString("endmodule\n")
	return b.String()
}

// String is the expression in Verilog, with parentheses around operators.
func (e *Expr) String() string {
	switch e.Op {
	case read:
		return e.Name
	case selected:
		if e.Hi == e.Lo {
			return fmt.Sprintf("%s[%d]", e.Name, e.Hi)
		}
		return fmt.Sprintf("%s[%d:%d]", e.Name, e.Hi, e.Lo)
	case constant:
		sign := ""
		if e.Signed {
			sign = "s"
		}
		return fmt.Sprintf("%d'%sh%x", e.Width, sign, e.Value)
	case joined:
		return fmt.Sprintf("{%s, %s}", e.Args[0], e.Args[1])
	case repeated:
		return fmt.Sprintf("{%d{%s}}", e.Hi, e.Args[0])
	case asSigned, unsigned:
		return fmt.Sprintf("%s(%s)", e.Op, e.Args[0])
	case choice:
		return fmt.Sprintf("(%s ? %s : %s)", e.Args[0], e.Args[1], e.Args[2])
	}
	if op, ok := strings.CutPrefix(e.Op, unaryMark); ok {
		return fmt.Sprintf("(%s(%s))", op, e.Args[0])
	}
	return fmt.Sprintf("(%s %s %s)", e.Args[0], e.Op, e.Args[1])
}

// Features are the operators that a design has, and whether signs take part: what findings are known by.
func (d *Design) Features() []string {
	found := map[string]bool{}
	var walk func(e *Expr)
	walk = func(e *Expr) {
		switch e.Op {
		case read:
		case constant:
			found["constant"] = true
			if e.Signed {
				found["signed"] = true
			}
		default:
			found[e.Op] = true
		}
		for _, a := range e.Args {
			walk(a)
		}
	}
	for _, l := range slices.Concat(d.Wires, d.Outputs) {
		walk(l.Is)
		if l.Signed {
			found["signed"] = true
		}
	}
	for _, p := range d.Inputs {
		if p.Signed {
			found["signed"] = true
		}
	}
	var out []string
	for f := range found {
		out = append(out, f)
	}
	slices.Sort(out)
	return out
}

// Smaller are designs with something left out: an output, a wire or an input that nothing reads, an operator in favour of an operand, a
// wire in favour of what it is assigned, a sign, a bit of a port. Selects of a port stay inside it.
func (d *Design) Smaller() (out []*Design) {
	if n := len(d.Outputs); n > 2 { // a tool takes long to start: most goes first
		for _, part := range [][2]int{{0, n / 2}, {n / 2, n}} {
			c := d.clone()
			c.Outputs = c.Outputs[part[0]:part[1]]
			out = append(out, c)
		}
	}
	for i := range d.Outputs {
		if len(d.Outputs) > 1 {
			c := d.clone()
			c.Outputs = slices.Delete(c.Outputs, i, i+1)
			out = append(out, c)
		}
	}
	used := d.reads()
	for i, l := range d.Wires {
		if !used[l.Name] {
			c := d.clone()
			c.Wires = slices.Delete(c.Wires, i, i+1)
			out = append(out, c)
		}
	}
	for i, p := range d.Inputs {
		if !used[p.Name] && len(d.Inputs) > 1 {
			c := d.clone()
			c.Inputs = slices.Delete(c.Inputs, i, i+1)
			out = append(out, c)
		}
	}
	n := 0
	d.each(func(*Expr) { n++ })
	for k := range n {
		for _, by := range append(d.at(k).instead(), d.inlined(d.at(k))...) {
			c := d.clone()
			*c.at(k) = *by
			out = append(out, c)
		}
	}
	for i := range len(d.Inputs) + len(d.Wires) + len(d.Outputs) {
		p := d.port(i)
		for _, w := range []int{p.Width / 2, p.Width - 1} {
			if w >= max(1, d.widest(p.Name)+1) && w < p.Width {
				c := d.clone()
				c.port(i).Width = w
				out = append(out, c)
			}
		}
		if p.Signed {
			c := d.clone()
			c.port(i).Signed = false
			out = append(out, c)
		}
	}
	return out
}

// inlined is what a wire is assigned, in place of the wire.
func (d *Design) inlined(e *Expr) []*Expr {
	for _, l := range d.Wires {
		if e.Op == read && e.Name == l.Name {
			return []*Expr{l.Is.clone()}
		}
	}
	return nil
}

// instead are expressions that are smaller than one.
func (e *Expr) instead() (out []*Expr) {
	for _, a := range e.Args {
		out = append(out, a.clone())
	}
	switch e.Op {
	case constant:
		if e.Value != 0 {
			out = append(out, &Expr{Op: constant, Width: e.Width, Signed: e.Signed})
		}
		if e.Width > 1 {
			out = append(out, &Expr{Op: constant, Width: e.Width - 1, Value: e.Value & (1<<(e.Width-1) - 1), Signed: e.Signed})
		}
		if e.Signed {
			out = append(out, &Expr{Op: constant, Width: e.Width, Value: e.Value})
		}
	case selected:
		out = append(out, &Expr{Op: read, Name: e.Name})
		if e.Hi > e.Lo {
			out = append(out, &Expr{Op: selected, Name: e.Name, Hi: e.Lo, Lo: e.Lo})
		}
		if e.Hi > 0 {
			out = append(out, &Expr{Op: selected, Name: e.Name, Hi: e.Hi - 1, Lo: max(0, e.Lo-1)})
		}
	case repeated:
		if e.Hi > 1 {
			out = append(out, &Expr{Op: repeated, Hi: e.Hi - 1, Args: []*Expr{e.Args[0].clone()}})
		}
	}
	if len(e.Args) > 0 {
		out = append(out, &Expr{Op: constant, Width: 1}, &Expr{Op: constant, Width: 1, Value: 1})
	}
	return out
}

func (e *Expr) clone() *Expr {
	c := *e
	c.Args = nil
	for _, a := range e.Args {
		c.Args = append(c.Args, a.clone())
	}
	return &c
}

func (d *Design) clone() *Design {
	c := &Design{Inputs: slices.Clone(d.Inputs)}
	for _, l := range d.Wires {
		c.Wires = append(c.Wires, Line{l.Port, l.Is.clone()})
	}
	for _, l := range d.Outputs {
		c.Outputs = append(c.Outputs, Line{l.Port, l.Is.clone()})
	}
	return c
}

// each visits all expressions, those around others first.
func (d *Design) each(visit func(*Expr)) {
	var walk func(e *Expr)
	walk = func(e *Expr) {
		visit(e)
		for _, a := range e.Args {
			walk(a)
		}
	}
	for _, l := range slices.Concat(d.Wires, d.Outputs) {
		walk(l.Is)
	}
}

// at is the expression of a number in the order of each.
func (d *Design) at(k int) (found *Expr) {
	d.each(func(e *Expr) {
		if k == 0 {
			found = e
		}
		k--
	})
	return found
}

// port is the one of a number among inputs, wires and outputs.
func (d *Design) port(i int) *Port {
	switch {
	case i < len(d.Inputs):
		return &d.Inputs[i]
	case i < len(d.Inputs)+len(d.Wires):
		return &d.Wires[i-len(d.Inputs)].Port
	}
	return &d.Outputs[i-len(d.Inputs)-len(d.Wires)].Port
}

func (d *Design) reads() map[string]bool {
	used := map[string]bool{}
	d.each(func(e *Expr) { used[e.Name] = true })
	return used
}

// widest is the highest bit of a port that is selected.
func (d *Design) widest(name string) (hi int) {
	d.each(func(e *Expr) {
		if e.Op == selected && e.Name == name {
			hi = max(hi, e.Hi)
		}
	})
	return hi
}
