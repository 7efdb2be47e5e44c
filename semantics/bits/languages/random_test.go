package languages

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// drawn draws a module with behaviour: every operator, mixed widths and signs, blocks, functions, registers, an instance.
type drawn struct {
	*rand.Rand
	signals  []signal
	body     strings.Builder
	decls    strings.Builder
	hasFn    bool
	icarus   bool     // only what vvp computes as the standard has it
	local    []signal // what a function or loop may read instead
	function bool     // it reads nothing else
	counter  string   // of loops of this block: simulators wake others that read it
}

type signal struct {
	name     string
	width    int
	signed   bool
	msb, lsb int
	param    bool
}

func (s signal) rangeText() string {
	sign := ""
	if s.signed {
		sign = "signed "
	}
	if s.width == 1 && s.msb == 0 && s.lsb == 0 {
		return sign
	}
	return fmt.Sprintf("%s[%d:%d] ", sign, s.msb, s.lsb)
}

func (d *drawn) signal(name string) signal {
	s := signal{name: name, width: 1 + d.IntN(9), signed: d.IntN(2) == 0}
	s.msb = s.width - 1
	switch d.IntN(6) {
	case 0: // ascending
		s.lsb = d.IntN(4)
		s.msb, s.lsb = s.lsb, s.lsb+s.width-1
	case 1:
		s.lsb = d.IntN(4)
		s.msb = s.lsb + s.width - 1
	}
	return s
}

func (d *drawn) pick(list ...string) string { return list[d.IntN(len(list))] }

func (d *drawn) any() signal {
	list := d.signals
	if d.function || len(d.local) > 0 && d.IntN(3) > 0 {
		list = d.local
	}
	return list[d.IntN(len(list))]
}

// where draws what indexes: no parameter, of which tv knows that there is no such bit.
func (d *drawn) where() string {
	for {
		if s := d.any(); s.name != "P" {
			return s.name
		}
	}
}

func (d *drawn) index(s signal) int { return min(s.msb, s.lsb) + d.IntN(s.width) }

func (d *drawn) ranged(s signal) bool { return s.rangeText() != "" && s.rangeText() != "signed " }

func (d *drawn) literal() string {
	switch d.IntN(5) {
	case 0:
		return fmt.Sprint(d.IntN(20))
	case 1:
		w := 1 + d.IntN(8)
		return fmt.Sprintf("%d'sd%d", w, d.IntN(1<<w))
	case 2:
		w := 1 + d.IntN(8)
		return fmt.Sprintf("%d'b%b", w, d.IntN(1<<w))
	case 3:
		return fmt.Sprintf("'h%x", d.IntN(256))
	}
	w := 1 + d.IntN(12)
	return fmt.Sprintf("%d'h%x", w, d.IntN(1<<w))
}

// sized draws a literal with a width, for concatenations.
func (d *drawn) sized() string {
	w := 1 + d.IntN(8)
	return fmt.Sprintf("%d'h%x", w, d.IntN(1<<w))
}

func (d *drawn) leaf() string {
	if d.IntN(4) == 0 {
		return d.literal()
	}
	s := d.any()
	if !d.ranged(s) || s.param || d.IntN(3) > 0 {
		return s.name
	}
	switch d.IntN(5) {
	case 0:
		return fmt.Sprintf("%s[%d]", s.name, d.index(s))
	case 1:
		i, j := d.index(s), d.index(s)
		if (i < j) != (s.msb < s.lsb) {
			i, j = j, i
		}
		return fmt.Sprintf("%s[%d:%d]", s.name, i, j)
	case 2:
		return fmt.Sprintf("%s[%s]", s.name, d.where())
	}
	return fmt.Sprintf("%s[%s %s %d]", s.name, d.where(), d.pick("+:", "-:"), 1+d.IntN(s.width))
}

func (d *drawn) expr(depth int) string {
	if depth == 0 {
		return d.leaf()
	}
	sub := func() string { return d.expr(depth - 1 - d.IntN(depth)) }
	switch d.IntN(12) {
	case 0:
		return fmt.Sprintf("(%s%s)", d.pick("-", "~", "+", "!", "&", "|", "^", "~&", "~|", "~^"), d.paren(sub()))
	case 1:
		return fmt.Sprintf("(%s ? %s : %s)", sub(), sub(), sub())
	case 2:
		return fmt.Sprintf("{%s, %s}", d.fixed(), d.fixed())
	case 3:
		return fmt.Sprintf("{%d{%s}}", 1+d.IntN(3), d.fixed())
	case 4:
		return fmt.Sprintf("%s(%s)", d.pick("$signed", "$unsigned"), sub())
	case 5:
		return fmt.Sprintf("(%s %s %s)", sub(), d.pick("<<", ">>", "<<<", ">>>"), sub())
	case 6:
		return fmt.Sprintf("(%s %s %s)", sub(), d.pick("==", "!=", "<", "<=", ">", ">=", "===", "!=="), sub())
	case 7:
		if d.IntN(3) == 0 && !d.icarus { // where vvp does not always end
			return fmt.Sprintf("(%s ** %s)", sub(), sub())
		}
		return fmt.Sprintf("(%s %s %s)", sub(), d.pick("/", "%"), sub())
	case 8:
		if d.hasFn && len(d.local) == 0 && d.counter == "" { // in always_comb simulators wait for what functions assign
			return fmt.Sprintf("f(%s, %s)", sub(), sub())
		}
	case 9:
		return fmt.Sprintf("(%s %s %s)", sub(), d.pick("&&", "||"), sub())
	}
	return fmt.Sprintf("(%s %s %s)", sub(), d.pick("+", "-", "*", "&", "|", "^", "~^"), sub())
}

func (d *drawn) paren(s string) string { return "(" + s + ")" }

// fixed is an operand of a concatenation, which has a width of its own.
func (d *drawn) fixed() string {
	if d.IntN(4) == 0 {
		return d.sized()
	}
	s := d.any()
	if s.param {
		return d.sized()
	}
	return s.name
}

// left is a left side of a variable, whole or a part.
func (d *drawn) left(s signal) string {
	if !d.ranged(s) {
		return s.name
	}
	switch d.IntN(6) {
	case 0:
		return fmt.Sprintf("%s[%d]", s.name, d.index(s))
	case 1:
		return fmt.Sprintf("%s[%s]", s.name, d.where())
	case 2:
		return fmt.Sprintf("%s[%s %s %d]", s.name, d.where(), d.pick("+:", "-:"), 1+d.IntN(s.width))
	}
	return s.name
}

// statement assigns some of targets.
func (d *drawn) statement(targets []signal, op, indent string, depth int) string {
	t := targets[d.IntN(len(targets))]
	sub := func() string { return d.statement(targets, op, indent+"  ", depth-1) }
	if depth == 0 || d.IntN(3) == 0 {
		if len(targets) > 1 && d.IntN(6) == 0 && targets[0].name != targets[1].name {
			return fmt.Sprintf("%s{%s, %s} %s %s;\n", indent, targets[0].name, targets[1].name, op, d.expr(2))
		}
		return fmt.Sprintf("%s%s %s %s;\n", indent, d.left(t), op, d.expr(2))
	}
	switch d.IntN(4) {
	case 0:
		s := fmt.Sprintf("%sif (%s) begin\n%s%send\n", indent, d.expr(1), sub(), indent)
		if d.IntN(2) == 0 {
			s += fmt.Sprintf("%selse begin\n%s%s%send\n", indent, sub(), sub(), indent)
		}
		return s
	case 1:
		kind := d.pick("case", "casez")
		var b strings.Builder
		fmt.Fprintf(&b, "%s%s (%s)\n", indent, kind, d.expr(1))
		for range 1 + d.IntN(4) {
			label := d.sized()
			if kind == "casez" {
				label = "4'b" + d.pick("0", "1", "?", "z") + d.pick("0", "1", "?") + d.pick("0", "1", "?") + d.pick("0", "1")
			} else if d.IntN(4) == 0 {
				label += ", " + d.any().name
			}
			fmt.Fprintf(&b, "%s%s: begin\n%s%send\n", indent, label, sub(), indent)
		}
		if d.IntN(2) == 0 {
			fmt.Fprintf(&b, "%sdefault: begin\n%s%send\n", indent, sub(), indent)
		}
		fmt.Fprintf(&b, "%sendcase\n", indent)
		return b.String()
	case 2:
		outer := d.local
		d.local = append([]signal{{name: d.counter, width: 32, signed: true, msb: 31, param: true}}, targets[:0]...)
		if len(outer) > 0 {
			d.local = append(d.local, outer...)
		}
		s := fmt.Sprintf("%[1]sfor (%[2]s = 0; %[2]s < %[3]d; %[2]s = %[2]s + 1) begin\n%[4]s%[1]send\n", indent, d.counter, 1+d.IntN(4), d.statement(targets, op, indent+"  ", 0))
		d.local = outer
		return s
	}
	return fmt.Sprintf("%sbegin\n%s%s%send\n", indent, sub(), sub(), indent)
}

// module draws the text of a module.
func module(r *rand.Rand, name string, icarus bool) (text string, inputs, outputs []signal) {
	d := &drawn{Rand: r, icarus: icarus}
	var ports []string
	for i := range 3 {
		s := d.signal(fmt.Sprint("a", i))
		inputs = append(inputs, s)
		ports = append(ports, "input "+s.rangeText()+s.name)
	}
	reset := signal{name: "r"}
	reset.width = 1
	inputs, ports = append(inputs, reset), append(ports, "input r")
	d.signals = append(d.signals, inputs...)
	d.signals = append(d.signals, signal{name: "P", width: 4, param: true})
	fmt.Fprintf(&d.decls, "  localparam signed [3:0] P = %d;\n  integer i0, i1, i2, i3, i4, i5, i6, i7;\n", d.IntN(16)-8)
	var registers []signal
	for i := range d.IntN(3) {
		s := d.signal(fmt.Sprint("q", i))
		registers = append(registers, s)
		fmt.Fprintf(&d.decls, "  reg %s%s = %d;\n", s.rangeText(), s.name, d.IntN(50))
	}
	d.signals = append(d.signals, registers...)
	if d.IntN(2) == 0 { // a function
		x, y, z := d.signal("x"), d.signal("y"), d.signal("f")
		d.local, d.function = []signal{x, y}, true
		fmt.Fprintf(&d.decls, "  function %sf(input %sx, input %sy);\n    begin\n      f = %s;\n", z.rangeText(), x.rangeText(), y.rangeText(), d.expr(2))
		fmt.Fprintf(&d.decls, "      if (%s) f = %s;\n    end\n  endfunction\n", d.expr(1), d.expr(2))
		d.local, d.function = nil, false
		d.hasFn = true
	}
	for i := range 2 + d.IntN(3) {
		s := d.signal(fmt.Sprint("w", i))
		if d.IntN(2) == 0 {
			fmt.Fprintf(&d.decls, "  wire %s%s;\n", s.rangeText(), s.name)
			fmt.Fprintf(&d.body, "  assign %s = %s;\n", s.name, d.expr(3))
		} else {
			t := d.signal(fmt.Sprint("v", i))
			fmt.Fprintf(&d.decls, "  reg %s%s;\n  reg %s%s;\n", s.rangeText(), s.name, t.rangeText(), t.name)
			d.counter = fmt.Sprint("i", i)
			// With a list of what it waits for: vvp wakes always_comb by what the block itself assigns, for ever.
			var waits []string
			for _, r := range d.signals {
				if !r.param {
					waits = append(waits, r.name)
				}
			}
			kind := "always_comb"
			if d.icarus {
				kind = "always @(" + strings.Join(waits, " or ") + ")"
			}
			fmt.Fprintf(&d.body, "  "+kind+" begin\n    %s = %s;\n    %s = %s;\n", s.name, d.expr(2), t.name, d.expr(2))
			fmt.Fprintf(&d.body, "%s  end\n", d.statement([]signal{s, t}, "=", "    ", 2))
			d.counter = ""
			d.signals = append(d.signals, t)
		}
		d.signals = append(d.signals, s)
	}
	for i, s := range registers {
		d.counter = fmt.Sprint("i", 5+i)
		event, first := "posedge clk", d.expr(1)
		switch d.IntN(4) {
		case 0:
			event, first = "posedge clk or negedge r", "!r"
		case 1:
			event, first = "posedge r, posedge clk", "r"
		}
		fmt.Fprintf(&d.body, "  always @(%s)\n    if (%s) %s <= %s;\n    else begin\n%s    end\n", event, first, s.name, d.literal(),
			d.statement([]signal{s}, "<=", "      ", 2))
	}
	for i, s := range d.signals[len(inputs)+1:] {
		o := s
		o.name = fmt.Sprint("y", i)
		outputs = append(outputs, o)
		ports = append(ports, "output "+o.rangeText()+o.name)
		fmt.Fprintf(&d.body, "  assign %s = %s;\n", o.name, s.name)
	}
	return fmt.Sprintf("module %s(input clk, %s);\n%s%sendmodule\n", name, strings.Join(ports, ", "), d.decls.String(), d.body.String()), inputs, outputs
}
