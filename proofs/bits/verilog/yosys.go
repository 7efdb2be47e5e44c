package verilog

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"tv/proofs/bits/gates"
)

// What Yosys writes as JSON. A bit is the number of a net, or one of "0", "1", "x", "z".
type jsonModule struct {
	Attributes map[string]any
	Memories   map[string]any
	Ports      map[string]struct {
		Direction string
		Bits      []any
	}
	Cells map[string]struct {
		Type        string
		Parameters  map[string]any
		Connections map[string][]any
	}
	Netnames map[string]struct {
		Bits       []any
		Attributes map[string]any
	}
}

// readYosys reads modules; black and white boxes are none.
func readYosys(text string) map[string]*module {
	var file struct{ Modules map[string]jsonModule }
	gates.Need(json.Unmarshal([]byte(text), &file) == nil, "no JSON of Yosys")
	out := map[string]*module{}
	for name, j := range file.Modules {
		box := false
		for _, attribute := range []string{"blackbox", "whitebox", "lib_whitebox"} {
			s, set := j.Attributes[attribute].(string)
			box = box || set && strings.Trim(s, "0") != ""
		}
		if !box {
			out[name] = j.module(name)
		}
	}
	return out
}

// wired is the wire of a net, which no port has for a name.
func wired(net int) *node { return &node{op: "name", text: fmt.Sprintf("\x00%d", net)} }

func (j *jsonModule) module(name string) *module {
	gates.Need(len(j.Memories) == 0, "a memory in %s", name)
	m := &module{name: name}
	for p, d := range j.Ports {
		gates.Need(len(d.Bits) > 0 && len(d.Bits) < 1<<16, "port %s", p)
		direction := d.Direction
		gates.Need(direction == "input" || direction == "output", "port %s: %s", p, direction)
		m.ports = append(m.ports, p)
		m.declared = append(m.declared, declaration{name: p, kind: d.Direction, form: "wire",
			rng: &[2]*node{plain(int64(len(d.Bits) - 1)), plain(0)}})
		for i, b := range d.Bits {
			here := &node{op: "bit", text: p, args: []*node{plain(int64(i))}}
			if d.Direction == "input" {
				gates.Need(bitOf(b).op == "name", "input %s is a constant", p)
				m.assigned = append(m.assigned, [2]*node{bitOf(b), here})
			} else {
				m.assigned = append(m.assigned, [2]*node{here, bitOf(b)})
			}
		}
	}
	starts := j.starts()
	for c, x := range j.Cells {
		pins, params := map[string]*node{}, map[string]*node{}
		for pin, bits := range x.Connections {
			pins[pin] = nil
			if len(bits) > 0 {
				pins[pin] = rowOf(bits)
			}
		}
		for p, v := range x.Parameters {
			params[p] = parameterOf(v)
		}
		if own := registerOf(x.Type, params); own != nil {
			own.start(pins["Q"], starts)
			in := instance{kind: x.Type, name: c, pins: pins, own: own}
			m.instances = append(m.instances, in)
		} else if strings.HasPrefix(x.Type, "$") {
			m.own(c, x.Type, pins, params)
		} else {
			in := instance{kind: x.Type, name: c, params: params, pins: pins}
			m.instances = append(m.instances, in)
		}
	}
	return m
}

func bitOf(b any) *node {
	switch b := b.(type) {
	case float64:
		gates.Need(b >= 2 && b < 1<<30 && b == float64(int(b)), "the net %v", b)
		return wired(int(b))
	case string:
		n := &node{op: "number", width: 1, value: new(big.Int), unknown: b == "x" || b == "z"}
		gates.Need(b == "0" || b == "1" || n.unknown, "the bit %q", b)
		if b == "1" {
			n.value.SetInt64(1)
		}
		return n
	}
	gates.Refuse("no bit")
	return nil
}

// rowOf is a word of bits, which are least first in JSON and last first in a row.
func rowOf(bits []any) *node {
	row := &node{op: "row"}
	for i := len(bits) - 1; i >= 0; i-- {
		row.args = append(row.args, bitOf(bits[i]))
	}
	return row
}

// parameterOf reads digits, highest first, or a text; of one that would look like digits the blank
// behind it is no part. 32 digits are a number without a width.
func parameterOf(v any) *node {
	if n, ok := v.(float64); ok {
		gates.Need(n >= 0 && n < 1<<31 && n == float64(int(n)), "the parameter %v", n)
		return &node{op: "number", value: big.NewInt(int64(n)), width: 32, bare: true}
	}
	s, ok := v.(string)
	gates.Need(ok, "a parameter that is no text")
	if s == "" || strings.Trim(s, "01xz") != "" {
		if strings.Trim(strings.TrimRight(s, " "), "01xz") == "" {
			s = strings.TrimSuffix(s, " ")
		}
		return &node{op: "text", text: s}
	}
	n := &node{op: "number", width: len(s), bare: len(s) == 32, value: new(big.Int)}
	for _, c := range s {
		n.value.Lsh(n.value, 1)
		if n.unknown = n.unknown || c == 'x' || c == 'z'; c == '1' {
			n.value.SetBit(n.value, 0, 1)
		}
	}
	return n
}

// own is one of Yosys' own cells: an operator of Verilog, a table, or a register.
func (m *module) own(name, kind string, pins, params map[string]*node) {
	gates.Need(len(pins) > 0, "cell %s", name)
	pin := func(p string) *node {
		gates.Need(pins[p] != nil, "pin %s of %s is open", p, name)
		return pins[p]
	}
	isSet := func(p string) bool {
		n := params[p]
		return n != nil && n.op == "number" && n.value.Sign() != 0
	}
	operand := func(p string) *node {
		if isSet(p + "_SIGNED") {
			return &node{op: "$signed", args: []*node{pin(p)}}
		}
		return pin(p)
	}
	is := func(x *node) { m.assigned = append(m.assigned, [2]*node{pin("Y"), x}) }
	apply := func(op string, args ...*node) *node { return &node{op: op, args: args} }
	not := func(x *node) *node { return apply("~", x) }
	switch kind {
	case "$_NAND_":
		is(not(apply("&", pin("A"), pin("B"))))
	case "$_NOR_":
		is(not(apply("|", pin("A"), pin("B"))))
	case "$_ANDNOT_":
		is(apply("&", pin("A"), not(pin("B"))))
	case "$_ORNOT_":
		is(apply("|", pin("A"), not(pin("B"))))
	case "$mux", "$_MUX_":
		is(apply("?", pin("S"), pin("B"), pin("A")))
	case "$_NMUX_":
		is(not(apply("?", pin("S"), pin("B"), pin("A"))))
	case "$pmux":
		// S & (S - 1) is 0 where no more than one bit is set
		s, a, b := pin("S"), pin("A"), pin("B")
		n, width := len(s.args), len(a.args)
		gates.Need(len(b.args) == n*width, "pin B of %s", name)
		chosen := a
		for i, bit := range s.args {
			word := &node{op: "row", args: b.args[i*width : (i+1)*width]}
			chosen = apply("?", bit, word, chosen)
		}
		less := apply("-", s, &node{op: "number", width: n, value: big.NewInt(1)})
		is(apply("?", apply("&", s, less), &node{op: "open", width: width, cell: name}, chosen))
	case "$shift", "$shiftx":
		if kind == "$shift" {
			right := apply(">>", operand("A"), pin("B"))
			if isSet("B_SIGNED") {
				back := apply("row", apply("neg", pin("B")))
				right = apply("?", pin("B").args[0], apply("<<", operand("A"), back), right)
			}
			is(right)
			break
		}
		gates.Need(!isSet("B_SIGNED"), "a shift by an amount with a sign")
		width := len(pin("A").args)
		all := new(big.Int).Lsh(big.NewInt(1), uint(width))
		all.Sub(all, big.NewInt(1))
		there := apply(">>", &node{op: "number", width: width, value: all}, pin("B"))
		open := &node{op: "open", width: len(pin("Y").args), cell: name}
		inside := apply("&", apply(">>", pin("A"), pin("B")), there)
		is(apply("|", inside, apply("&", open, not(there))))
	case "$div", "$mod":
		x := apply(map[string]string{"$div": "/", "$mod": "%"}[kind], operand("A"), operand("B"))
		x.cell = name
		is(x)
	case "$lut":
		table := params["LUT"]
		gates.Need(table != nil && table.op == "number" && !table.unknown, "the table of %s", name)
		is(choices(table.value, 0, pin("A").args))
	default:
		if m.wide(&ownCell{name, kind, pins, params}) {
			return
		}
		if op, ok := ownUnary[kind]; ok {
			is(apply(op, operand("A")))
			return
		}
		op, ok := ownBinary[kind]
		gates.Need(ok, "Yosys' cell %s", kind)
		shift := strings.HasPrefix(op, "<<") || strings.HasPrefix(op, ">>")
		gates.Need(!shift || !isSet("B_SIGNED"), "a shift by an amount with a sign")
		is(apply(op, operand("A"), operand("B")))
	}
}

var ownUnary = map[string]string{"$not": "~", "$pos": "pos", "$neg": "neg", "$reduce_and": "all",
	"$reduce_or": "some", "$reduce_xor": "parity", "$reduce_xnor": "not parity", "$_NOT_": "~",
	"$reduce_bool": "some", "$logic_not": "!", "$_BUF_": "pos"}

var ownBinary = map[string]string{"$add": "+", "$sub": "-", "$mul": "*", "$and": "&", "$or": "|",
	"$xor": "^", "$xnor": "~^", "$shl": "<<", "$shr": ">>", "$sshl": "<<<", "$sshr": ">>>",
	"$lt": "<", "$le": "<=", "$eq": "==", "$ne": "!=", "$ge": ">=", "$gt": ">", "$eqx": "==",
	"$nex": "!=", "$logic_and": "&&", "$logic_or": "||", "$_AND_": "&", "$_OR_": "|",
	"$_XOR_": "^", "$_XNOR_": "~^"}

// choices is a table by inputs, of which the first is the highest.
func choices(table *big.Int, base int, inputs []*node) *node {
	gates.Need(len(inputs) <= 16, "a table of %d inputs", len(inputs))
	if len(inputs) == 0 {
		v := big.NewInt(int64(table.Bit(base)))
		return &node{op: "number", width: 1, value: v}
	}
	upper := base + 1<<(len(inputs)-1)
	return &node{op: "?", args: []*node{inputs[0], choices(table, upper, inputs[1:]),
		choices(table, base, inputs[1:])}}
}
