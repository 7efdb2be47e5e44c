package yosys

import (
	"math/big"

	"tv/internal/source"
	"tv/semantics/bits/verilog"
)

// binary and unary are Yosys' words and gates that Verilog has an operator for.
var (
	binary = map[string]string{"$add": "+", "$sub": "-", "$mul": "*", "$and": "&", "$or": "|", "$xor": "^", "$xnor": "~^", "$shl": "<<",
		"$shr": ">>", "$sshl": "<<<", "$sshr": ">>>", "$lt": "<", "$le": "<=", "$eq": "==", "$ne": "!=", "$ge": ">=", "$gt": ">", "$eqx": "==",
		"$nex": "!=", "$logic_and": "&&", "$logic_or": "||", "$_AND_": "&", "$_OR_": "|", "$_XOR_": "^", "$_XNOR_": "~^"}
	unary = map[string]string{"$not": "~", "$pos": "+", "$neg": "-", "$reduce_and": "&", "$reduce_or": "|", "$reduce_xor": "^",
		"$reduce_xnor": "~^", "$reduce_bool": "|", "$logic_not": "!", "$_NOT_": "~", "$_BUF_": "+"}
	// gates of two inputs, as an operator of A and B (or its complement) and the complement of it all
	gates = map[string]struct {
		op              string
		inverted, whole bool
	}{"$_NAND_": {"&", false, true}, "$_NOR_": {"|", false, true}, "$_ANDNOT_": {"&", true, false}, "$_ORNOT_": {"|", true, false}}
)

// operator turns one of Yosys' own cells into an assignment, or into registers.
func (r *reader) operator(in verilog.Instance) error {
	need := func(names ...string) ([]*verilog.Expr, error) {
		var out []*verilog.Expr
		for _, name := range names {
			e := pin(in, name)
			if e == nil {
				return nil, source.Errorf(in.Span, "undriven", "pin %s of %s is open", name, in.Name.Text)
			}
			out = append(out, e)
		}
		return out, nil
	}
	param := func(name string) *big.Int {
		for _, p := range in.Params {
			if p.Text == name && p.Expr.Kind == verilog.Literal {
				return p.Expr.Value
			}
		}
		return new(big.Int)
	}
	signed := func(name string, e *verilog.Expr) *verilog.Expr {
		if param(name+"_SIGNED").Sign() == 0 {
			return e
		}
		return &verilog.Expr{Kind: verilog.Unary, Op: "$signed", Args: []*verilog.Expr{e}, Span: e.Span}
	}
	build := func(kind verilog.Kind, op string, args ...*verilog.Expr) *verilog.Expr {
		return &verilog.Expr{Kind: kind, Op: op, Args: args, Span: in.Span}
	}
	assign := func(right *verilog.Expr) error {
		y, err := need("Y")
		if err != nil {
			return err
		}
		r.module.Assigns = append(r.module.Assigns, verilog.Assign{Left: y[0], Right: right, Span: in.Span})
		return nil
	}
	typ := in.Type.Text
	op, isBinary := binary[typ]
	gate, isGate := gates[typ]
	switch {
	case isBinary:
		p, err := need("A", "B")
		if err != nil {
			return err
		}
		b := signed("B", p[1])
		if op[0] == '<' && len(op) > 1 && op[1] == '<' || op[0] == '>' && len(op) > 1 && op[1] == '>' {
			if param("B_SIGNED").Sign() != 0 {
				return source.Errorf(in.Span, "unsupported", "%s by an amount with a sign", typ)
			}
			b = p[1]
		}
		return assign(build(verilog.Binary, op, signed("A", p[0]), b))
	case unary[typ] != "":
		p, err := need("A")
		if err != nil {
			return err
		}
		return assign(build(verilog.Unary, unary[typ], signed("A", p[0])))
	case isGate:
		p, err := need("A", "B")
		if err != nil {
			return err
		}
		if gate.inverted {
			p[1] = build(verilog.Unary, "~", p[1])
		}
		e := build(verilog.Binary, gate.op, p...)
		if gate.whole {
			e = build(verilog.Unary, "~", e)
		}
		return assign(e)
	case typ == "$mux" || typ == "$_MUX_" || typ == "$_NMUX_":
		p, err := need("S", "B", "A")
		if err != nil {
			return err
		}
		e := build(verilog.Cond, "", p...)
		if typ == "$_NMUX_" {
			e = build(verilog.Unary, "~", e)
		}
		return assign(e)
	case typ == "$lut":
		p, err := need("A")
		if err != nil {
			return err
		}
		n := len(p[0].Args)
		if n > 16 || param("LUT").BitLen() > 1<<n {
			return source.Errorf(in.Span, "unsupported", "a table of %d inputs", n)
		}
		return assign(lut(param("LUT"), 0, p[0].Args, in.Span))
	}
	if reg, ok := registerOf(typ); ok {
		return r.register(in, reg)
	}
	return source.Errorf(in.Type.Span, "unsupported", "Yosys' cell %s", typ)
}

// lut is a table as choices by its inputs, which are highest first.
func lut(table *big.Int, base int, inputs []*verilog.Expr, span source.Span) *verilog.Expr {
	if len(inputs) == 0 {
		return &verilog.Expr{Kind: verilog.Literal, Width: 1, Value: big.NewInt(int64(table.Bit(base))), Span: span}
	}
	half := 1 << (len(inputs) - 1)
	return &verilog.Expr{Kind: verilog.Cond, Span: span,
		Args: []*verilog.Expr{inputs[0], lut(table, base+half, inputs[1:], span), lut(table, base, inputs[1:], span)}}
}
