// Package reticle reads Reticle's intermediate language for the checker: one definition of
// instructions. Lanes of a vector are bits of one word, lane 0 the lowest.
//
//	reticle.go  definitions, types, instructions
//
// Nothing is open: registers have initial values. lt, gt, le and ge of two words are those of their
// type, signed or not; where a type does not say what an instruction does, it is refused.
package reticle

import (
	"math/big"
	"strconv"
	"strings"

	"tv/proofs/bits/circuit"
	"tv/proofs/bits/gates"
	"tv/proofs/bits/tokens"
)

const (
	maxWidth = 1 << 16
	compares = "lt, gt, le and ge of Reticle are signed where their operands' type is"
)

// A kind is a type: so many lanes of so many bits.
type kind struct {
	width, lanes int
	signed       bool
	isBool       bool
}

func (k kind) bits() int { return k.width * k.lanes }

type definition struct {
	*circuit.View
	*tokens.List
	circuit *circuit.Circuit
	values  map[string]*value
}

// A value may be used before the instruction that it is the result of.
type value struct {
	kind  kind
	known bool
	wires []circuit.Wire
}

// Read is the circuit of a text of one definition, which is named top unless that is empty.
func Read(v *circuit.View, text, top string) *circuit.Circuit {
	l := tokens.Split(text, "", "", []string{"->", "??"}, "(){}[]<>:;,=@-?")
	l.Want("def")
	name := l.Name(0)
	gates.Need(top == "" || name == top, "no definition %s", top)
	r := &definition{v, l, &circuit.Circuit{}, map[string]*value{}}
	c := r.circuit
	l.Want("(")
	l.Commas(")", func() {
		name, k := r.declared()
		c.In = append(c.In, circuit.Port{Name: name, Width: k.bits()})
		var w []circuit.Wire
		for i := range k.bits() {
			w = append(w, v.Input(name, i))
		}
		r.define(name, k, w)
	})
	l.Want("->", "(")
	outputs := map[string]kind{}
	l.Commas(")", func() {
		name, k := r.declared()
		_, twice := outputs[name]
		gates.Need(!twice, "output %s twice", name)
		outputs[name] = k
		c.Out = append(c.Out, circuit.Port{Name: name, Width: k.bits()})
	})
	l.Want("{")
	for !l.Take("}") {
		r.instruction()
	}
	gates.Need(l.Peek() == "", "%q behind the definition", l.Peek())
	for name, v := range r.values {
		gates.Need(v.known, "nothing is named %s", name)
	}
	for name, k := range outputs {
		gates.Need(r.values[name] != nil && r.values[name].kind == k, "output %s", name)
	}
	c.Outputs = func(name string, delay int) gates.Vec {
		_, ok := outputs[name]
		gates.Need(ok, "no output %s", name)
		return circuit.At(r.values[name].wires, delay)
	}
	return c
}

// declared reads NAME:TYPE.
func (r *definition) declared() (string, kind) {
	name := r.Name(0)
	gates.Need(name != r.Clock, "a clock that is data")
	r.Want(":")
	return name, r.kind()
}

func (r *definition) kind() kind {
	w := r.Next()
	if w == "bool" {
		return kind{width: 1, lanes: 1, isBool: true}
	}
	n, err := strconv.Atoi(w[1:])
	ok := err == nil && n >= 1 && n <= maxWidth && w[1:] == strconv.Itoa(n) && (w[0] == 'i' ||
		w[0] == 'u')
	gates.Need(ok, "the type %s", w)
	k := kind{width: n, lanes: 1, signed: w[0] == 'i'}
	if r.Take("<") {
		k.lanes = r.Number(1, maxWidth)
		gates.Need(k.bits() <= maxWidth, "a vector of %d bits", k.bits())
		r.Want(">")
	}
	return k
}

func (r *definition) define(name string, k kind, w []circuit.Wire) {
	v := r.value(name)
	gates.Need(!v.known, "%s is defined twice", name)
	v.kind, v.known, v.wires = k, true, w
}

func (r *definition) value(name string) *value {
	if r.values[name] == nil {
		r.values[name] = &value{}
	}
	return r.values[name]
}

// An instruction is RESULT:TYPE = OP[ATTRIBUTES](ARGUMENTS) @RESOURCE;
type instruction struct {
	op         string
	kind       kind
	attributes []*big.Int
	arguments  []*value
}

func (r *definition) instruction() {
	name, k := r.declared()
	r.Want("=")
	x := &instruction{op: r.Name(0), kind: k}
	if r.Take("[") {
		r.Commas("]", func() {
			isNegative := r.Take("-")
			n, ok := new(big.Int).SetString(r.Next(), 10)
			gates.Need(ok && n.Sign() >= 0, "no number")
			if isNegative {
				n.Neg(n)
			}
			x.attributes = append(x.attributes, n)
		})
	}
	if x.op != "const" || r.Is("(") {
		r.Want("(")
		r.Commas(")", func() { x.arguments = append(x.arguments, r.value(r.Name(0))) })
	}
	if r.Take("@") {
		gates.Need(r.Is("??", "lut", "dsp"), "the resource %q", r.Peek())
		r.Next()
		if r.Take("(") { // where there
			r.Commas(")", func() { r.Next() })
		}
	}
	r.Want(";")
	r.define(name, k, r.meaning(name, x))
}

// meaning is what an instruction computes. Types of arguments that are defined later are compared
// when bits are asked for.
func (r *definition) meaning(name string, x *instruction) []circuit.Wire {
	switch x.op {
	case "reg":
		return r.register(name, x)
	case "id", "ext", "cat": // bits go elsewhere, each by itself
		out := make([]circuit.Wire, x.kind.bits())
		for i := range out {
			out[i] = func(d int) gates.Lit { return x.moved(i)(d) }
		}
		return out
	case "lt", "gt", "le", "ge":
		r.circuit.Trusts = []string{compares}
	}
	return circuit.Whole(x.kind.bits(), func(d int) gates.Vec {
		args := make([]gates.Vec, len(x.arguments))
		for i, a := range x.arguments {
			args[i] = circuit.At(a.wires, d)
		}
		v := x.apply(r.Graph, args)
		gates.Need(len(v) == x.kind.bits(), "%s has %d bits", name, len(v))
		return v
	})
}

func (x *instruction) counts(arguments, attributes int) {
	ok := len(x.arguments) == arguments && len(x.attributes) == attributes
	gates.Need(ok,
		"%s of %d arguments and %d attributes", x.op, len(x.arguments), len(x.attributes))
}

// like asks that arguments have the type of the result.
func (x *instruction) like(from int) {
	for _, a := range x.arguments[from:] {
		gates.Need(a.kind == x.kind, "%s of arguments of another type than its result", x.op)
	}
}

// lanes applies an operation of words to each lane.
func (x *instruction) lanes(f func(a, b gates.Vec) gates.Vec, a, b gates.Vec) (out gates.Vec) {
	w := x.kind.width
	for i := 0; i < len(a); i += w {
		out = append(out, f(a[i:i+w], b[i:i+w])...)
	}
	return out
}

func (x *instruction) apply(g *gates.Graph, args []gates.Vec) gates.Vec {
	switch x.op {
	case "const":
		x.counts(0, 1)
		gates.Need(x.kind.lanes == 1, "a constant of more than one lane")
		return x.constant()
	case "not":
		x.counts(1, 0)
		x.like(0)
		return args[0].Not()
	case "add", "sub", "mul":
		x.counts(2, 0)
		x.like(0)
		gates.Need(!x.kind.isBool, "%s of bools", x.op)
		f := map[string]func(a, b gates.Vec) gates.Vec{"add": g.Sum, "sub": g.Sub,
			"mul": g.Mul}[x.op]
		return x.lanes(f, args[0], args[1])
	case "and", "or", "xor":
		x.counts(2, 0)
		x.like(0)
		f := map[string]func(a, b gates.Lit) gates.Lit{"and": g.And, "or": g.Or, "xor": g.Xor}[x.op]
		return gates.Each(f, args[0], args[1])
	case "mux":
		x.counts(3, 0)
		x.like(1)
		gates.Need(x.arguments[0].kind.isBool, "a condition that is no bool")
		return g.Choose(args[0][0], args[1], args[2])
	case "eq", "neq", "lt", "gt", "le", "ge":
		return x.compared(g, args)
	case "sll", "srl", "sra":
		return x.shifted(g, args)
	}
	gates.Refuse("the instruction %s", x.op)
	return nil
}

// constant is a number within what its type has.
func (x *instruction) constant() gates.Vec {
	n, w := x.attributes[0], x.kind.width
	least, most := big.NewInt(0), new(big.Int).Lsh(big.NewInt(1), uint(w))
	if x.kind.signed {
		most.Rsh(most, 1)
		least.Neg(most)
	}
	gates.Need(n.Cmp(least) >= 0 && n.Cmp(most) < 0, "%s is none of its type", n)
	size := new(big.Int).Lsh(big.NewInt(1), uint(w))
	n = new(big.Int).Mod(n, size)
	v := make(gates.Vec, w)
	for i := range v {
		v[i] = gates.Bit(n.Bit(i) == 1)
	}
	return v
}

// compared is a comparison of two words of one type.
func (x *instruction) compared(g *gates.Graph, args []gates.Vec) gates.Vec {
	x.counts(2, 0)
	k := x.arguments[0].kind
	gates.Need(x.kind.isBool && k == x.arguments[1].kind && k.lanes == 1, "%s of such types", x.op)
	a, b := args[0], args[1]
	if strings.HasSuffix(x.op, "eq") {
		return gates.Vec{g.Equal(a, b) ^ gates.Bit(x.op == "neq")}
	}
	gates.Need(!k.isBool, "%s of bools", x.op)
	less := g.Below
	if k.signed {
		less = g.BelowSigned
	}
	switch x.op {
	case "lt":
		return gates.Vec{less(a, b)}
	case "gt":
		return gates.Vec{less(b, a)}
	case "le":
		return gates.Vec{less(b, a).Not()}
	}
	return gates.Vec{less(a, b).Not()}
}

// shifted is a shift by a number. What sra does to a word without a sign is not read.
func (x *instruction) shifted(g *gates.Graph, args []gates.Vec) gates.Vec {
	x.counts(1, 1)
	x.like(0)
	by := x.attributes[0]
	gates.Need(x.kind.lanes == 1 && !x.kind.isBool && by.Sign() >= 0 && by.BitLen() < 31,
		"%s of such a type", x.op)
	gates.Need(x.op != "sra" || x.kind.signed, "sra of a word without a sign")
	fill := gates.No
	if x.op == "sra" {
		fill = args[0].Top()
	}
	return g.Shift(args[0], gates.Number(by.Uint64(), 32), x.op == "sll", fill)
}

// moved is where bit i of the result is in the arguments: id, ext[BIT], ext[LOW, HIGH], and cat, of
// which the first argument is the lowest.
func (x *instruction) moved(i int) circuit.Wire {
	low := 0
	switch x.op {
	case "id":
		x.counts(1, 0)
		x.like(0)
	case "ext":
		gates.Need(len(x.arguments) == 1 && (len(x.attributes) == 1 || len(x.attributes) == 2),
			"ext of such arguments")
		gates.Need(x.arguments[0].kind.lanes == 1 && x.kind.lanes == 1, "ext of a vector")
		first, last := x.attributes[0], x.attributes[len(x.attributes)-1]
		have := big.NewInt(int64(x.arguments[0].kind.bits()))
		ok := first.Sign() >= 0 && first.Cmp(last) <= 0 && last.Cmp(have) < 0
		gates.Need(ok, "bits %s to %s are not there", first, last)
		low = int(first.Int64())
		gates.Need(int(last.Int64())-low+1 == x.kind.bits(),
			"bits %s to %s for %d", first, last, x.kind.bits())
	case "cat":
		gates.Need(len(x.arguments) >= 2 && len(x.attributes) == 0,
			"cat of %d arguments", len(x.arguments))
		n := 0
		for _, a := range x.arguments {
			n += a.kind.bits()
		}
		gates.Need(n == x.kind.bits(), "cat of %d bits for %d", n, x.kind.bits())
	}
	var all []circuit.Wire
	for _, a := range x.arguments {
		all = append(all, a.wires...)
	}
	return all[low+i]
}

// register is reg[INITIAL](x, enable).
func (r *definition) register(name string, x *instruction) []circuit.Wire {
	x.counts(2, 1)
	isZero := x.attributes[0].Sign() == 0
	gates.Need(x.kind.lanes == 1 || isZero, "an initial value of more than one lane")
	register := &circuit.Register{Name: name, Initial: make(gates.Vec, x.kind.bits())}
	if !isZero {
		register.Initial = x.constant()
	}
	held := r.Held(register, x.kind.bits())
	for i, old := range held {
		register.Next = append(register.Next, circuit.Once(func(d int) gates.Lit {
			data, enable := x.arguments[0], x.arguments[1]
			gates.Need(data.kind == x.kind && enable.kind.isBool, "reg of such types")
			e := enable.wires[0](d)
			if e == gates.Yes {
				return data.wires[i](d)
			}
			return r.Graph.Mux(e, data.wires[i](d), old(d))
		}))
	}
	r.circuit.Registers = append(r.circuit.Registers, register)
	return held
}
