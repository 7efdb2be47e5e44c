package comb

import (
	"fmt"
	"math/big"
	"slices"

	"tv/internal/source"
	"tv/semantics/bits"
	"tv/semantics/bits/flow"
)

// asynchronous gives registers with an asynchronous reset the input that it is, and the one that says whether it was active since the last edge of
// the clock, which has a name of its own: INPUT.high or INPUT.low by the level that resets.
func (r *reader) asynchronous() error {
	by := map[int]*flow.Op{}
	for i := range r.p.Ops {
		by[r.p.Ops[i].Result] = &r.p.Ops[i]
	}
	for i := range r.p.Registers {
		reg := &r.p.Registers[i]
		at, ok := r.async[reg.Value]
		if !ok {
			continue
		}
		root, low, isConstant := r.root(by, reg.Reset)
		if isConstant && low { // it is 0
			reg.Reset, reg.ResetTo = -1, -1
			continue
		}
		port := slices.Index(r.p.Inner, root)
		if isConstant || port < 0 {
			return source.Errorf(at, "unsupported", "the asynchronous reset of %s is no input", r.p.Values[reg.Value].Name)
		}
		to := reg.ResetTo
		for by[to] != nil && by[to].Kind == "comb.wire" {
			to = by[to].Args[0]
		}
		if by[to] == nil || by[to].Kind != "comb.constant" {
			return source.Errorf(at, "unsupported", "an asynchronous reset of %s to what is not constant", r.p.Values[reg.Value].Name)
		}
		value := by[to].Consts[0]
		if value.Sign() < 0 {
			value = new(big.Int).Add(value, new(big.Int).Lsh(big.NewInt(1), uint(r.p.Values[to].Width)))
		}
		was, err := r.was(port, low)
		if err != nil {
			return err
		}
		reg.Clear = &flow.Clear{Input: root, Low: low, Was: was, To: value}
	}
	return nil
}

// root follows a bit back through wires and complements, which are xor with true, to a value that is neither; low says that it is the complement
// of that. A constant is 0 where low is set, else 1.
func (r *reader) root(by map[int]*flow.Op, v int) (root int, low, isConstant bool) {
	for {
		o := by[v]
		switch {
		case o == nil:
			return v, low, false
		case o.Kind == "comb.constant":
			return v, low != (o.Consts[0].Bit(0) == 0), true
		case o.Kind == "comb.wire":
			v = o.Args[0]
		case o.Kind == "comb.xor" && len(o.Args) == 2:
			x, y := o.Args[0], o.Args[1]
			if c := by[x]; c != nil && c.Kind == "comb.constant" {
				x, y = y, x
			}
			c := by[y]
			if c == nil || c.Kind != "comb.constant" {
				return v, low, false
			}
			v, low = x, low != (c.Consts[0].Bit(0) == 1)
		default:
			return v, low, false
		}
	}
}

// was is the value of the input that says that an input was at a level.
func (r *reader) was(port int, low bool) (int, error) {
	of, level := r.p.Inputs[port], bits.High
	if low {
		level = bits.Low
	}
	name := fmt.Sprintf("%s.%s", of.Name, level)
	for i, p := range r.p.Inputs {
		switch {
		case p.Name != name:
		case p.Of == "":
			return 0, source.Errorf(of.Span, "unsupported", "an asynchronous reset %s beside an input %s", of.Name, name)
		default:
			return r.p.Inner[i], nil
		}
	}
	v := r.p.Add(flow.Value{Name: name, Width: 1, Span: of.Span})
	r.p.Inputs = append(r.p.Inputs, bits.Port{Name: name, Width: 1, Span: of.Span, Of: of.Name, Level: level})
	r.p.Inner = append(r.p.Inner, v)
	if t := of.Name + " changes at no edge of " + r.p.Clocked; !slices.Contains(r.p.Trusts, t) {
		r.p.Trusts = append(r.p.Trusts, t)
	}
	return v, nil
}
