package verilog

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A variable that a random text may read.
type variable struct {
	name   string
	width  int
	signed bool
}

// A writer draws modules: a clock, inputs, an output y, and a body of assignments, blocks, registers and functions.
type writer struct {
	*rand.Rand
	inputs []variable
	seen   []variable
	output int
	calls  []string
	body   strings.Builder
	fresh  int
	edges  map[string]bool // of the input r that asynchronous resets wait for
}

func (w *writer) bits(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = '0' + byte(w.IntN(2))
	}
	if w.IntN(4) == 0 { // small and large ones
		for i := range n {
			if i < n-2 {
				b[i] = b[0]
			}
		}
	}
	return string(b)
}

func (w *writer) name(prefix string) string {
	w.fresh++
	return fmt.Sprint(prefix, w.fresh)
}

func (w *writer) width() int {
	if w.IntN(8) == 0 {
		return 1 + w.IntN(30)
	}
	return 1 + w.IntN(9)
}

func (w *writer) sign(signed bool) string {
	if signed {
		return "signed "
	}
	return ""
}

// declare is a declaration of a form.
func (w *writer) declare(form string, v variable) string {
	return fmt.Sprintf("%s %s[%d:0] %s", form, w.sign(v.signed), v.width-1, v.name)
}

func (w *writer) module(name string) string {
	var b strings.Builder
	w.edges = map[string]bool{}
	w.inputs = []variable{{"r", 1, false}}
	fmt.Fprintf(&b, "module %s(input clk, input [0:0] r", name)
	for i := range 2 + w.IntN(3) {
		v := variable{string(rune('a' + i)), w.width(), w.IntN(2) == 0}
		w.inputs = append(w.inputs, v)
		b.WriteString(", " + w.declare("input", v))
	}
	w.seen = append(w.seen, w.inputs...)
	w.output = 1 + w.IntN(20)
	if w.IntN(3) == 0 {
		w.function()
	}
	for range 1 + w.IntN(3) {
		switch w.IntN(4) {
		case 0:
			w.assign()
		case 1:
			w.register()
		default:
			w.combinational()
		}
	}
	fmt.Fprintf(&b, ", output [%d:0] y);\n%s  assign y = %s;\nendmodule\n", w.output-1, w.body.String(), w.expression(3))
	return b.String()
}

func (w *writer) assign() {
	v := variable{w.name("w"), w.width(), w.IntN(2) == 0}
	fmt.Fprintf(&w.body, "  %s;\n  assign %s = %s;\n", w.declare("wire", v), v.name, w.expression(3))
	w.seen = append(w.seen, v)
}

// register is one that some statements of a block beside the clock assign to.
func (w *writer) register() {
	v := variable{w.name("r"), w.width(), w.IntN(2) == 0}
	fmt.Fprintf(&w.body, "  %s = %d;\n", w.declare("reg", v), w.IntN(4))
	w.seen = append(w.seen, v)
	switch w.IntN(4) {
	case 0:
		w.edges["negedge"] = true
		fmt.Fprintf(&w.body, "  always @(posedge clk or negedge r) begin if (~r) %s <= %d; else begin\n%s  end end\n", v.name, w.IntN(4), w.statements(v, "<=", 1))
	case 1:
		w.edges["posedge"] = true
		fmt.Fprintf(&w.body, "  always @(posedge r, posedge clk) if (r == 1) %s <= %d; else begin\n%s  end\n", v.name, w.IntN(4), w.statements(v, "<=", 1))
	default:
		fmt.Fprintf(&w.body, "  always @(posedge clk) begin\n%s  end\n", w.statements(v, "<=", 1))
	}
}

// combinational is a block that assigns to a variable, first as a whole.
func (w *writer) combinational() {
	v := variable{w.name("v"), w.width(), w.IntN(2) == 0}
	i := w.name("i")
	fmt.Fprintf(&w.body, "  %s; integer %s;\n", w.declare("reg", v), i)
	first := w.pick().name // without it a block that reads nothing would never run
	fmt.Fprintf(&w.body, "  always @* begin\n    %s = %s ^ %s;\n", v.name, first, w.expression(2))
	before := w.seen
	w.seen = append(w.seen[:len(w.seen):len(w.seen)], v)
	w.body.WriteString(w.statements(v, "=", 1))
	if w.IntN(2) == 0 {
		w.seen = append(w.seen, variable{i, 32, true})
		fmt.Fprintf(&w.body, "    for (%s = %d; %s < %d; %s = %s + 1) begin\n%s    end\n", i, w.IntN(3), i, w.IntN(7), i, i,
			w.statements(v, "=", 1))
	}
	w.body.WriteString("  end\n")
	w.seen = append(before, v)
}

func (w *writer) statements(v variable, op string, depth int) string {
	var b strings.Builder
	for range 1 + w.IntN(2) {
		b.WriteString(w.statement(v, op, depth))
	}
	return b.String()
}

func (w *writer) statement(v variable, op string, depth int) string {
	if depth == 0 || w.IntN(4) == 0 {
		return fmt.Sprintf("      %s %s %s;\n", w.target(v), op, w.expression(2))
	}
	switch w.IntN(3) {
	case 0:
		return fmt.Sprintf("      if (%s) begin\n%s      end else begin\n%s      end\n", w.expression(2), w.statements(v, op, depth-1),
			w.statements(v, op, depth-1))
	case 1:
		return fmt.Sprintf("      if (%s) begin\n%s      end\n", w.expression(2), w.statements(v, op, depth-1))
	}
	var b strings.Builder
	kind := "case"
	if w.IntN(2) == 0 {
		kind = "casez"
	}
	of := w.pick()
	fmt.Fprintf(&b, "      %s (%s)\n", kind, of.name)
	for range 1 + w.IntN(3) {
		n := min(of.width, 3)
		label := fmt.Sprintf("%d'b%s", n, w.bits(n))
		if kind == "casez" && w.IntN(2) == 0 {
			label = label[:len(label)-1] + "?"
		}
		if v := w.pick(); v.width <= of.width && w.IntN(2) == 0 { // iverilog cuts wider ones
			label += ", " + v.name
		}
		fmt.Fprintf(&b, "      %s: begin\n%s      end\n", label, w.statements(v, op, depth-1))
	}
	if w.IntN(2) == 0 {
		fmt.Fprintf(&b, "      default: begin\n%s      end\n", w.statements(v, op, depth-1))
	}
	return b.String() + "      endcase\n"
}

// target is a variable or a part of it.
func (w *writer) target(v variable) string {
	switch w.IntN(5) {
	case 0:
		return fmt.Sprintf("%s[%s]", v.name, w.index())
	case 1:
		lo := w.IntN(v.width)
		return fmt.Sprintf("%s[%d:%d]", v.name, lo+w.IntN(v.width-lo), lo)
	case 2:
		return fmt.Sprintf("%s[%s +: %d]", v.name, w.index(), 1+w.IntN(v.width))
	}
	return v.name
}

// index is of less than 32 bits: what wider ones do beyond 2^31 simulators do not agree on.
func (w *writer) index() string {
	if v := w.pick(); v.width < 31 {
		return fmt.Sprintf("%s ^ %d'b%s", v.name, v.width, w.bits(v.width))
	}
	return "3'd4"
}

func (w *writer) function() {
	name := w.name("f")
	p, q := variable{"p", w.width(), w.IntN(2) == 0}, variable{"q", w.width(), w.IntN(2) == 0}
	result := variable{name, w.width(), w.IntN(2) == 0}
	inner := &writer{Rand: w.Rand, seen: []variable{p, q}}
	fmt.Fprintf(&w.body, "  function automatic %s[%d:0] %s;\n    %s;\n    %s;\n    begin\n      %s = %s;\n", w.sign(result.signed), result.width-1,
		name, w.declare("input", p), w.declare("input", q), name, inner.expression(2))
	inner.seen = append(inner.seen, result)
	fmt.Fprintf(&w.body, "%s    end\n  endfunction\n", inner.statements(result, "=", 1))
	w.calls = append(w.calls, name)
}

func (w *writer) pick() variable { return w.seen[w.IntN(len(w.seen))] }

var binary = strings.Fields("+ - * / % & | ^ & | ^ + - << >> ~^ == != ~^ == != === !== < <= > >= && || << >> <<< >>> + - * < >")

func (w *writer) expression(depth int) string {
	if depth == 0 || w.IntN(6) == 0 {
		return w.leaf()
	}
	sub := func() string { return w.expression(depth - 1) }
	switch w.IntN(12) {
	case 0:
		unary := strings.Fields("+ - ~ ! & | ^ ~& ~| ~^")
		return fmt.Sprintf("(%s (%s))", unary[w.IntN(len(unary))], sub())
	case 1:
		return fmt.Sprintf("(%s ? %s : %s)", sub(), sub(), sub())
	case 2:
		return fmt.Sprintf("{%s, %s}", w.sized(sub()), w.sized(sub()))
	case 3:
		return fmt.Sprintf("{%d{%s}}", 1+w.IntN(3), w.leafSized())
	case 4:
		return fmt.Sprintf("$signed(%s)", sub())
	case 5:
		return fmt.Sprintf("$unsigned(%s)", sub())
	case 6:
		return w.moving(w.pick(), sub)
	case 7:
		if len(w.calls) > 0 {
			return fmt.Sprintf("%s(%s, %s)", w.calls[0], sub(), sub())
		}
		return fmt.Sprintf("(%s ** %d)", w.leaf(), w.IntN(5))
	}
	op, right := binary[w.IntN(len(binary))], sub()
	if op == "/" || op == "%" {
		right = "(" + right + " | 1)"
	}
	return fmt.Sprintf("(%s %s %s)", sub(), op, right)
}

// moving is a select that stays within what there is.
func (w *writer) moving(v variable, sub func() string) string {
	n := 1 + w.IntN(max(1, v.width-1))
	within := fmt.Sprintf("$unsigned(%s) %% %d", sub(), v.width-n+1)
	switch w.IntN(3) {
	case 0:
		return fmt.Sprintf("%s[$unsigned(%s) %% %d]", v.name, sub(), v.width)
	case 1:
		return fmt.Sprintf("%s[%s +: %d]", v.name, within, n)
	}
	return fmt.Sprintf("%s[%d + (%s) -: %d]", v.name, n-1, within, n)
}

// open is a module whose output is left open where a divisor is 0 or bits are selected that are not there, and nothing reads that.
func (w *writer) open(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "module %s(input clk", name)
	for i := range 2 {
		v := variable{string(rune('a' + i)), w.width(), w.IntN(2) == 0}
		w.inputs = append(w.inputs, v)
		low := w.IntN(4) // ranges that do not end at 0, and ranges that ascend
		if w.IntN(2) == 0 {
			fmt.Fprintf(&b, ", input %s[%d:%d] %s", w.sign(v.signed), low, low+v.width-1, v.name)
		} else {
			fmt.Fprintf(&b, ", input %s[%d:%d] %s", w.sign(v.signed), low+v.width-1, low, v.name)
		}
	}
	w.output = 1 + w.IntN(12)
	n := 1 + w.IntN(6)
	x := []string{"a / b", "a % b", "a / -b", "(a % b) + 0", "a[b]", fmt.Sprintf("a[b +: %d]", n), fmt.Sprintf("a[b -: %d]", n),
		fmt.Sprintf("b[$signed({1'b0, a}) - 3'sd2 +: %d]", n), "a[3]", "a[b ? 4 : 0]"}[w.IntN(10)]
	fmt.Fprintf(&b, ", output [%d:0] y);\n  assign y = %s;\nendmodule\n", w.output-1, x)
	return b.String()
}

// sized wraps what may have no width of its own.
func (w *writer) sized(x string) string { return "$unsigned(" + x + ")" }

// leafSized is a part of a variable. Of one that has a sign iverilog keeps it where the part is all of it.
func (w *writer) leafSized() string {
	v := w.pick()
	lo := w.IntN(v.width)
	hi := lo + w.IntN(v.width-lo)
	if hi-lo+1 == v.width {
		return "{" + v.name + "}"
	}
	return fmt.Sprintf("%s[%d:%d]", v.name, hi, lo)
}

func (w *writer) leaf() string {
	switch w.IntN(5) {
	case 0:
		return fmt.Sprint(w.IntN(10))
	case 1:
		n := 1 + w.IntN(8)
		return fmt.Sprintf("%d'%sb%s", n, [2]string{"", "s"}[w.IntN(2)], w.bits(n))
	case 2:
		return w.leafSized()
	}
	return w.pick().name
}
