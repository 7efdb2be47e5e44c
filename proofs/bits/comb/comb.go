// Package comb reads modules of CIRCT's dialects hw, comb and seq, in their text form, for the
// checker. Of two modules one may be chosen; none has others within it.
//
//	comb.go       modules, values, what operations compute
//	registers.go  compreg, compreg.ce and firreg
//
// What is open is the result of a division by 0, named by where the operation stands, and what
// registers hold first.
package comb

import (
	"math/big"
	"strconv"
	"strings"

	"tv/proofs/bits/circuit"
	"tv/proofs/bits/gates"
	"tv/proofs/bits/tokens"
)

// maxWidth bounds words.
const maxWidth = 1 << 16

// A reader reads one module.
type reader struct {
	*circuit.View
	*tokens.List
	circuit *circuit.Circuit
	values  map[string]*value
	clocks  map[string]bool
	outputs map[string][]circuit.Wire
	resets  []*circuit.Clear
}

// A value may be used before it is defined: what it is, is said later.
type value struct {
	width int // -1: not known yet
	wires []circuit.Wire
}

// Read is the circuit of module top of a text; of the only one where top is empty.
func Read(v *circuit.View, text, top string) *circuit.Circuit {
	l := tokens.Split(text, "%@!#", "$.-", []string{"->"}, "(){}[]<>:,=-")
	modules := map[string]*circuit.Circuit{}
	var only *circuit.Circuit
	isWrapped := l.Take("module")
	if isWrapped {
		if l.Take("attributes") {
			skip(l)
		}
		l.Want("{")
	}
	for l.Peek() != "" && !l.Is("}") {
		l.Want("hw.module")
		l.Take("private")
		r := &reader{View: v, List: l, values: map[string]*value{}, clocks: map[string]bool{}}
		name := l.Name('@')
		gates.Need(modules[name] == nil, "module %s twice", name)
		only = r.module()
		modules[name] = only
	}
	if isWrapped {
		l.Want("}")
	}
	gates.Need(l.Peek() == "", "%q behind the last module", l.Peek())
	if top != "" {
		only = modules[top]
	} else {
		gates.Need(len(modules) == 1, "%d modules", len(modules))
	}
	gates.Need(only != nil, "no module %s", top)
	return only
}

func (r *reader) module() *circuit.Circuit {
	c := &circuit.Circuit{}
	r.circuit, r.outputs = c, map[string][]circuit.Wire{}
	names := map[string]bool{}
	var order []circuit.Port
	r.Want("(")
	r.Commas(")", func() {
		isInput := r.Take("in")
		if !isInput {
			r.Want("out")
		}
		name := ""
		if isInput {
			name = r.Name('%')
		} else {
			name = r.Name(0)
		}
		gates.Need(!names[name], "port %s twice", name)
		names[name] = true
		r.Want(":")
		switch {
		case isInput && r.Take("!seq.clock"):
			gates.Need(name == r.Clock && c.Clock == "", "the clock %s", name)
			c.Clock = name
			r.clocks[name] = true
		case isInput:
			w := r.width()
			gates.Need(name != r.Clock, "a clock that is data")
			c.In = append(c.In, circuit.Port{Name: name, Width: w})
			bits := make([]circuit.Wire, w)
			for i := range bits {
				bits[i] = r.Input(name, i)
			}
			r.values[name] = &value{w, bits}
		default:
			order = append(order, circuit.Port{Name: name, Width: r.width()})
		}
		if r.Is("{") {
			skip(r.List)
		}
	})
	c.Out = order
	if r.Take("attributes") {
		skip(r.List)
	}
	r.Want("{")
	for !r.Take("hw.output") {
		r.operation()
	}
	r.results(order)
	r.Want("}")
	for name, v := range r.values {
		gates.Need(v.width >= 0, "nothing is named %%%s", name)
	}
	ports := len(c.In)
	for _, reset := range r.resets {
		reset.Find(r.View, c, ports)
	}
	outputs := r.outputs
	c.Outputs = func(name string, delay int) gates.Vec {
		w, ok := outputs[name]
		gates.Need(ok, "no output %s", name)
		return circuit.At(w, delay)
	}
	return c
}

// results reads what the outputs are.
func (r *reader) results(order []circuit.Port) {
	var used []string
	for n := 0; n < len(order); n++ {
		if n > 0 {
			r.Want(",")
		}
		used = append(used, r.Name('%'))
	}
	for n, p := range order {
		r.Want([]string{":", ","}[min(n, 1)])
		w := r.width()
		gates.Need(w == p.Width, "output %s has %d bits", p.Name, w)
		r.outputs[p.Name] = r.use(used[n], w)
	}
}

// width reads a type of bits.
func (r *reader) width() int {
	w := r.Next()
	n, err := strconv.Atoi(strings.TrimPrefix(w, "i"))
	gates.Need(w[0] == 'i' && err == nil && n >= 0 && n <= maxWidth && w == "i"+strconv.Itoa(n),
		"the type %s", w)
	return n
}

// use is a value of so many bits, which may be defined later.
func (r *reader) use(name string, width int) []circuit.Wire {
	gates.Need(!r.clocks[name], "the clock is read as data")
	v := r.values[name]
	if v == nil {
		v = &value{width: -1}
		r.values[name] = v
	}
	gates.Need(v.width < 0 || v.width == width, "%%%s has %d bits, not %d", name, v.width, width)
	out := make([]circuit.Wire, width)
	for i := range out {
		out[i] = func(d int) gates.Lit {
			gates.Need(v.width == width, "%%%s has %d bits, not %d", name, v.width, width)
			return v.wires[i](d)
		}
	}
	return out
}

// operation reads a line NAME = OPERATION.
func (r *reader) operation() {
	place := r.Place()
	name := r.Name('%')
	r.Want("=")
	op := r.Next()
	wires := r.result(name, op, place)
	v := r.values[name]
	if v == nil {
		v = &value{width: -1}
		r.values[name] = v
	}
	gates.Need(v.width < 0 && !r.clocks[name], "%%%s twice", name)
	v.width, v.wires = len(wires), wires
	if r.Take("loc") {
		skip(r.List)
	}
}

// skip passes what stands in brackets: attributes, and places of other texts, of which nothing that
// a module computes depends.
func skip(l *tokens.List) {
	for depth := 0; ; {
		switch l.Next() {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
		if depth <= 0 {
			return
		}
	}
}

// names reads operands between commas.
func (r *reader) names() (out []string) {
	for n := 0; n == 0 || r.Take(","); n++ {
		out = append(out, r.Name('%'))
	}
	return out
}

// ended reads what may stand before a type.
func (r *reader) ended() {
	if r.Is("{") {
		skip(r.List)
	}
	r.Want(":")
}

// operands reads operands of one type, which stands behind them.
func (r *reader) operands(least, most int) ([][]circuit.Wire, int) {
	names := r.names()
	gates.Need(len(names) >= least && len(names) <= most, "%d operands", len(names))
	r.ended()
	w := r.width()
	out := make([][]circuit.Wire, len(names))
	for i, n := range names {
		out[i] = r.use(n, w)
	}
	return out, w
}

// result is what an operation computes.
func (r *reader) result(name, op, place string) []circuit.Wire {
	g := r.Graph
	if strings.HasPrefix(op, "comb.") {
		r.Take("bin")
	}
	switch op {
	case "hw.constant":
		return r.constant()
	case "comb.add":
		return r.folded(g.Sum)
	case "comb.mul":
		return r.folded(g.Mul)
	case "comb.and", "comb.or", "comb.xor":
		return r.bitwise(map[string]func(a, b gates.Lit) gates.Lit{"comb.and": g.And,
			"comb.or": g.Or, "comb.xor": g.Xor}[op])
	case "comb.sub":
		return r.binary(g.Sub)
	case "comb.divu", "comb.divs", "comb.modu", "comb.mods":
		return r.divided(op, place)
	case "comb.shl":
		return r.binary(func(a, b gates.Vec) gates.Vec { return g.Shift(a, b, true, gates.No) })
	case "comb.shru":
		return r.binary(func(a, b gates.Vec) gates.Vec { return g.Shift(a, b, false, gates.No) })
	case "comb.shrs":
		return r.binary(func(a, b gates.Vec) gates.Vec { return g.Shift(a, b, false, a.Top()) })
	case "comb.icmp":
		return r.compared()
	case "comb.parity":
		x, w := r.operands(1, 1)
		if w == 0 {
			return circuit.Constant(gates.Vec{gates.No})
		}
		return []circuit.Wire{circuit.Once(func(d int) gates.Lit {
			return gates.Along(g.Xor, circuit.At(x[0], d))
		})}
	case "comb.extract", "comb.replicate":
		return r.reshaped(op)
	case "comb.concat":
		return r.concatenated()
	case "comb.mux":
		return r.chosen()
	case "comb.truth_table":
		return r.table()
	case "comb.reverse":
		x, w := r.operands(1, 1)
		out := make([]circuit.Wire, w)
		for i, b := range x[0] {
			out[w-1-i] = b
		}
		return out
	case "hw.wire":
		of := r.Name('%')
		r.symbol()
		r.ended()
		return r.use(of, r.width())
	case "seq.compreg", "seq.compreg.ce":
		return r.register(name, op == "seq.compreg.ce")
	case "seq.firreg":
		return r.firreg(name)
	}
	gates.Refuse("the operation %s at %s", op, place)
	return nil
}

// constant reads a number, from -2^(w-1) to 2^w - 1; true and false are of one bit.
func (r *reader) constant() []circuit.Wire {
	if r.Is("true", "false") {
		v := circuit.Constant(gates.Vec{gates.Bit(r.Next() == "true")})
		if r.Is("{") {
			skip(r.List)
		}
		return v
	}
	isNegative := r.Take("-")
	n, ok := new(big.Int).SetString(r.Next(), 10)
	gates.Need(ok && n.Sign() >= 0, "no number")
	r.ended()
	w := r.width()
	size := new(big.Int).Lsh(big.NewInt(1), uint(w))
	if isNegative {
		gates.Need(w > 0 && n.Cmp(new(big.Int).Rsh(size, 1)) <= 0, "-%s in %d bits", n, w)
		n.Sub(size, n)
		n.And(n, new(big.Int).Sub(size, big.NewInt(1)))
	}
	gates.Need(n.BitLen() <= w, "%s in %d bits", n, w)
	v := make(gates.Vec, w)
	for i := range v {
		v[i] = gates.Bit(n.Bit(i) == 1)
	}
	return circuit.Constant(v)
}

// folded applies an operation of words from the left.
func (r *reader) folded(f func(a, b gates.Vec) gates.Vec) []circuit.Wire {
	x, w := r.operands(1, maxWidth)
	return circuit.Whole(w, func(d int) gates.Vec {
		v := circuit.At(x[0], d)
		for _, y := range x[1:] {
			v = f(v, circuit.At(y, d))
		}
		return v
	})
}

func (r *reader) bitwise(f func(a, b gates.Lit) gates.Lit) []circuit.Wire {
	x, w := r.operands(1, maxWidth)
	out := make([]circuit.Wire, w)
	for i := range out {
		out[i] = circuit.Once(func(d int) gates.Lit {
			l := x[0][i](d)
			for _, y := range x[1:] {
				l = f(l, y[i](d))
			}
			return l
		})
	}
	return out
}

func (r *reader) binary(f func(a, b gates.Vec) gates.Vec) []circuit.Wire {
	x, w := r.operands(2, 2)
	return circuit.Whole(w, func(d int) gates.Vec {
		return f(circuit.At(x[0], d), circuit.At(x[1], d))
	})
}

// divided is a quotient or rest, open where the divisor is 0.
func (r *reader) divided(op, place string) []circuit.Wire {
	g := r.Graph
	x, w := r.operands(2, 2)
	open := make([]circuit.Wire, w)
	for i := range open {
		open[i] = r.Open(place, i)
	}
	f := map[string]func(a, b gates.Vec) gates.Vec{
		"comb.divu": func(a, b gates.Vec) gates.Vec { q, _ := g.Divide(a, b); return q },
		"comb.modu": func(a, b gates.Vec) gates.Vec { _, m := g.Divide(a, b); return m },
		"comb.divs": g.Sdiv,
		"comb.mods": g.Srem,
	}[op]
	return circuit.Whole(w, func(d int) gates.Vec {
		a, b := circuit.At(x[0], d), circuit.At(x[1], d)
		byZero := g.Equal(b, make(gates.Vec, w))
		if byZero == gates.No {
			return f(a, b)
		}
		return g.Choose(byZero, circuit.At(open, d), f(a, b))
	})
}

func (r *reader) compared() []circuit.Wire {
	g := r.Graph
	how := r.Next()
	if how == "bin" {
		how = r.Next()
	}
	gates.Need(strings.Contains(" eq ne slt sle sgt sge ult ule ugt uge ", " "+how+" "),
		"the comparison %s", how)
	x, w := r.operands(2, 2)
	return []circuit.Wire{circuit.Once(func(d int) gates.Lit {
		a, b := circuit.At(x[0], d), circuit.At(x[1], d)
		if w == 0 { // a single value
			return gates.Bit(how == "eq" || how[2] == 'e')
		}
		if how == "eq" || how == "ne" {
			return g.Equal(a, b) ^ gates.Bit(how == "ne")
		}
		less := g.Below
		if how[0] == 's' {
			less = g.BelowSigned
		}
		switch how[1:] {
		case "lt":
			return less(a, b)
		case "gt":
			return less(b, a)
		case "le":
			return less(b, a).Not()
		}
		return less(a, b).Not()
	})}
}

// converted reads (FROM) -> TO.
func (r *reader) converted() (from, to int) {
	r.ended()
	r.Want("(")
	from = r.width()
	r.Want(")", "->")
	return from, r.width()
}

func (r *reader) reshaped(op string) []circuit.Wire {
	name, low := r.Name('%'), 0
	if op == "comb.extract" {
		r.Want("from")
		low = r.Number(0, maxWidth)
	}
	from, to := r.converted()
	x := r.use(name, from)
	if op == "comb.extract" {
		gates.Need(low+to <= from, "bits that are not there")
		return x[low : low+to]
	}
	if to == 0 {
		return nil
	}
	gates.Need(from > 0 && to%from == 0, "%d bits of %d", to, from)
	out := make([]circuit.Wire, to)
	for i := range out {
		out[i] = x[i%from]
	}
	return out
}

// concatenated has its first operand highest.
func (r *reader) concatenated() (out []circuit.Wire) {
	names := r.names()
	r.ended()
	parts := make([][]circuit.Wire, len(names))
	for i, n := range names {
		if i > 0 {
			r.Want(",")
		}
		parts[i] = r.use(n, r.width())
	}
	for i := len(parts) - 1; i >= 0; i-- {
		out = append(out, parts[i]...)
	}
	gates.Need(len(out) <= maxWidth, "a word of %d bits", len(out))
	return out
}

func (r *reader) chosen() []circuit.Wire {
	names := r.names()
	gates.Need(len(names) == 3, "%d operands", len(names))
	r.ended()
	w := r.width()
	c, a, b := r.use(names[0], 1)[0], r.use(names[1], w), r.use(names[2], w)
	out := make([]circuit.Wire, w)
	for i := range out {
		out[i] = circuit.Once(func(d int) gates.Lit { return r.Graph.Mux(c(d), a[i](d), b[i](d)) })
	}
	return out
}

// table has its first input as the highest bit of the address; its first entry is that of address
// 0.
func (r *reader) table() []circuit.Wire {
	names := r.names()
	gates.Need(len(names) <= 16, "a table of %d inputs", len(names))
	r.Want("->", "[")
	var table gates.Vec
	r.Commas("]", func() {
		bit := r.Next()
		gates.Need(bit == "true" || bit == "false" || bit == "0" || bit == "1", "the entry %s", bit)
		table = append(table, gates.Bit(bit == "true" || bit == "1"))
	})
	gates.Need(len(table) == 1<<len(names), "a table of %d entries", len(table))
	var address []circuit.Wire
	for i := len(names) - 1; i >= 0; i-- {
		address = append(address, r.use(names[i], 1)...)
	}
	return []circuit.Wire{circuit.Once(func(d int) gates.Lit {
		return r.Graph.Lookup(table, circuit.At(address, d))
	})}
}
