package reticle

import (
	"math/big"

	"tv/semantics/bits/flow"
)

// rules say what an instruction takes, and make of it what it is.
var rules = map[string]func(*reader, *instruction) error{
	"add": arithmetic, "sub": arithmetic, "mul": arithmetic, "and": lanewise(2), "or": lanewise(2), "xor": lanewise(2), "not": lanewise(1),
	"id": lanewise(1), "mux": mux, "reg": register, "const": constant, "ext": extract, "cat": cat,
	"eq": compare, "neq": compare, "lt": compare, "gt": compare, "le": compare, "ge": compare,
	"sll": shift, "srl": shift, "sra": shift,
}

func (r *reader) typeOf(x *instruction, i int) typ { return r.types[x.values[i]] }

// takes holds numbers of arguments and attributes.
func (x *instruction) takes(args, numbers int) error {
	switch {
	case len(x.args) != args:
		return x.errorf("ill-typed", "%s of %d arguments", x.op, len(x.args))
	case len(x.numbers) != numbers:
		return x.errorf("ill-typed", "%s with %d attributes", x.op, len(x.numbers))
	}
	return nil
}

func (r *reader) emit(x *instruction, numbers ...int) {
	r.p.Ops = append(r.p.Ops, flow.Op{Kind: "reticle." + x.op, Args: x.values, Result: x.result, Numbers: numbers, Span: x.at})
}

// lanewise is an operation of n words of the result's type.
func lanewise(n int) func(*reader, *instruction) error {
	return func(r *reader, x *instruction) error {
		if err := x.takes(n, 0); err != nil {
			return err
		}
		for i := range n {
			if t := r.typeOf(x, i); t != x.typ {
				return x.errorf("ill-typed", "%s is %s, and %s of %s", x.args[i], t, x.op, x.typ)
			}
		}
		r.emit(x)
		return nil
	}
}

func arithmetic(r *reader, x *instruction) error {
	if x.typ.bool {
		return x.errorf("ill-typed", "%s of bools", x.op)
	}
	return lanewise(2)(r, x)
}

// compare is an equality or order, to a bool.
func compare(r *reader, x *instruction) error {
	if err := x.takes(2, 0); err != nil {
		return err
	}
	t := r.typeOf(x, 0)
	switch {
	case r.typeOf(x, 1) != t:
		return x.errorf("ill-typed", "%s is %s, and %s %s", x.args[0], t, x.args[1], r.typeOf(x, 1))
	case !x.typ.bool || x.typ.lanes != t.lanes:
		return x.errorf("ill-typed", "%s of %s is no %s", x.op, t, x.typ)
	}
	r.order = r.order || x.op != "eq" && x.op != "neq"
	r.emit(x)
	return nil
}

// mux(c, a, b) is a where c is true.
func mux(r *reader, x *instruction) error {
	if err := x.takes(3, 0); err != nil {
		return err
	}
	if c := r.typeOf(x, 0); !c.bool || c.lanes != 1 {
		return x.errorf("ill-typed", "the condition of a mux is a bool, and this is %s", c)
	}
	for i := 1; i < 3; i++ {
		if t := r.typeOf(x, i); t != x.typ {
			return x.errorf("ill-typed", "%s is %s, and mux of %s", x.args[i], t, x.typ)
		}
	}
	r.emit(x)
	return nil
}

// lanesOf are the numbers of the lanes of a constant.
func (x *instruction) lanesOf() ([]*big.Int, error) {
	if len(x.numbers) != x.typ.lanes {
		return nil, x.errorf("ill-typed", "%s has a number for each lane, which are %d, and not %d", x.op, x.typ.lanes, len(x.numbers))
	}
	for _, v := range x.numbers {
		if v.Sign() >= 0 && v.BitLen() > x.typ.width || v.Sign() < 0 && (!x.typ.signed || new(big.Int).Not(v).BitLen() >= x.typ.width) {
			return nil, x.errorf("literal-width", "%s does not fit into %s", v, x.typ)
		}
	}
	return x.numbers, nil
}

func constant(r *reader, x *instruction) error {
	if len(x.args) != 0 {
		return x.errorf("ill-typed", "const of %d arguments", len(x.args))
	}
	values, err := x.lanesOf()
	if err != nil {
		return err
	}
	r.p.Ops = append(r.p.Ops, flow.Op{Kind: "reticle.const", Result: x.result, Consts: values, Span: x.at})
	return nil
}

// register is reg[initial](value, enable).
func register(r *reader, x *instruction) error {
	if len(x.args) != 2 {
		return x.errorf("ill-typed", "reg of %d arguments", len(x.args))
	}
	if t := r.typeOf(x, 0); t != x.typ {
		return x.errorf("ill-typed", "%s is %s, and reg of %s", x.args[0], t, x.typ)
	}
	if t := r.typeOf(x, 1); !t.bool || t.lanes != 1 {
		return x.errorf("ill-typed", "the enable of a reg is a bool, and this is %s", t)
	}
	values, err := x.lanesOf()
	if err != nil {
		return err
	}
	initial := new(big.Int)
	mask := new(big.Int).Lsh(big.NewInt(1), uint(x.typ.width))
	for i := len(values) - 1; i >= 0; i-- {
		initial.Or(initial.Lsh(initial, uint(x.typ.width)), new(big.Int).Mod(values[i], mask))
	}
	r.p.Registers = append(r.p.Registers, flow.Register{Value: x.result, Input: x.values[0], Enable: x.values[1], Reset: -1, ResetTo: -1, Initial: initial})
	return nil
}

// small is an attribute that counts bits.
func (x *instruction) small(i int) (int, error) {
	v := x.numbers[i]
	if v.Sign() < 0 || !v.IsInt64() || v.Int64() > flow.MaxWidth {
		return 0, x.errorf("ill-typed", "%s by %s", x.op, v)
	}
	return int(v.Int64()), nil
}

func shift(r *reader, x *instruction) error {
	if err := x.takes(1, 1); err != nil {
		return err
	}
	n, err := x.small(0)
	if err != nil {
		return err
	}
	if t := r.typeOf(x, 0); t != x.typ {
		return x.errorf("ill-typed", "%s is %s, and %s of %s", x.args[0], t, x.op, x.typ)
	}
	r.emit(x, n)
	return nil
}

// extract is ext[i] or ext[low, high].
func extract(r *reader, x *instruction) error {
	if len(x.numbers) != 1 && len(x.numbers) != 2 {
		return x.errorf("ill-typed", "ext with %d attributes", len(x.numbers))
	}
	if err := x.takes(1, len(x.numbers)); err != nil {
		return err
	}
	low, err := x.small(0)
	if err != nil {
		return err
	}
	high, err := x.small(len(x.numbers) - 1)
	if err != nil {
		return err
	}
	t := r.typeOf(x, 0)
	switch {
	case t.lanes > 1 || x.typ.lanes > 1:
		return x.errorf("unsupported", "ext of a vector")
	case high < low || high >= t.width || x.typ.width != high-low+1:
		return x.errorf("ill-typed", "bits %d to %d of %s as %s", low, high, t, x.typ)
	}
	r.emit(x, low)
	return nil
}

// cat puts words beside each other; the first is the low part.
func cat(r *reader, x *instruction) error {
	if len(x.args) < 2 || len(x.numbers) != 0 {
		return x.errorf("ill-typed", "cat of %d arguments", len(x.args))
	}
	width := 0
	for i := range x.args {
		t := r.typeOf(x, i)
		if t.lanes > 1 || x.typ.lanes > 1 {
			return x.errorf("unsupported", "cat of vectors")
		}
		width += t.width
	}
	if width != x.typ.width {
		return x.errorf("ill-typed", "cat of %d bits as %s", width, x.typ)
	}
	r.emit(x)
	return nil
}
