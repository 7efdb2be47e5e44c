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
	case typ == "$pmux":
		p, err := need("S", "A", "B")
		if err != nil {
			return err
		}
		e, err := r.selected(in, p[0], p[1], p[2])
		if err != nil {
			return err
		}
		return assign(e)
	case typ == "$shift" || typ == "$shiftx":
		p, err := need("A", "B")
		if err != nil {
			return err
		}
		e := build(verilog.Binary, ">>", signed("A", p[0]), p[1])
		if param("B_SIGNED").Sign() != 0 { // to the left where B is below 0
			if typ == "$shiftx" {
				return source.Errorf(in.Span, "unsupported", "%s by an amount with a sign", typ)
			}
			back := &verilog.Expr{Kind: verilog.Concat, Args: []*verilog.Expr{build(verilog.Unary, "-", p[1])}, Span: in.Span}
			e = build(verilog.Cond, "", p[1].Args[0], build(verilog.Binary, "<<", signed("A", p[0]), back), e)
		}
		if typ == "$shiftx" { // what is beyond A is open
			y, err := need("Y")
			if err != nil {
				return err
			}
			r.module.Behaves = true
			there := build(verilog.Binary, ">>", ones(len(p[0].Args), in.Span), p[1])
			open := &verilog.Expr{Kind: verilog.Open, Width: len(y[0].Args), At: in.Name.Text, Span: in.Span}
			e = build(verilog.Binary, "|", build(verilog.Binary, "&", build(verilog.Binary, ">>", p[0], p[1]), there),
				build(verilog.Binary, "&", open, build(verilog.Unary, "~", there)))
		}
		return assign(e)
	case typ == "$div" || typ == "$mod":
		p, err := need("A", "B")
		if err != nil {
			return err
		}
		r.module.Behaves = true
		e := build(verilog.Binary, map[string]string{"$div": "/", "$mod": "%"}[typ], signed("A", p[0]), signed("B", p[1]))
		e.At = in.Name.Text
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
	if f := arithmetic[typ]; f != nil {
		return f(r, in)
	}
	if f := choices[typ]; f != nil {
		return f(r, in)
	}
	if reg, ok := registerOf(typ); ok {
		return r.register(in, reg)
	}
	return source.Errorf(in.Type.Span, "unsupported", "Yosys' cell %s", typ)
}

// selected is what $pmux chooses: of the words that B is made of, from its least, that whose bit of S is set, else A. Where more are set anything is.
func (r *reader) selected(in verilog.Instance, s, a, b *verilog.Expr) (*verilog.Expr, error) {
	n, width := len(s.Args), len(a.Args)
	if len(b.Args) != n*width {
		return nil, source.Errorf(in.Span, "width", "B of %s", in.Name.Text)
	}
	r.module.Behaves = true
	e := a
	for i := range n { // the last is the least
		word := &verilog.Expr{Kind: verilog.Concat, Args: b.Args[i*width : (i+1)*width], Span: in.Span}
		e = &verilog.Expr{Kind: verilog.Cond, Args: []*verilog.Expr{s.Args[i], word, e}, Span: in.Span}
	}
	one := &verilog.Expr{Kind: verilog.Literal, Width: n, Value: big.NewInt(1), Span: in.Span}
	less := &verilog.Expr{Kind: verilog.Binary, Op: "-", Args: []*verilog.Expr{s, one}, Span: in.Span}
	more := &verilog.Expr{Kind: verilog.Binary, Op: "&", Args: []*verilog.Expr{s, less}, Span: in.Span}
	open := &verilog.Expr{Kind: verilog.Open, Width: width, At: in.Name.Text, Span: in.Span}
	return &verilog.Expr{Kind: verilog.Cond, Args: []*verilog.Expr{more, open, e}, Span: in.Span}, nil
}

// ones has all bits of a width.
func ones(width int, span source.Span) *verilog.Expr {
	v := new(big.Int).Lsh(big.NewInt(1), uint(width))
	return &verilog.Expr{Kind: verilog.Literal, Width: width, Value: v.Sub(v, big.NewInt(1)), Span: span}
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
