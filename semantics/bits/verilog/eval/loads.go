package eval

import (
	"fmt"
	"maps"
	"math/big"
	"slices"

	"tv/semantics/bits/verilog"
)

// choices chooses what registers start as where nothing says it. A variable that several blocks load is a register for each run of bits that one
// of them loads, named by the variable and these bits; any other is one register.
func (m *Machine) choices() {
	of := map[*variable][]*big.Int{}
	var order []*variable
	for _, c := range m.clocked {
		bits := map[*variable]*big.Int{}
		(&frame{scope: c.scope}).loads(c.block.Body, bits)
		for _, v := range slices.SortedFunc(maps.Keys(bits), byName) {
			if of[v] == nil {
				order = append(order, v)
			}
			of[v] = append(of[v], bits[v])
		}
	}
	for _, v := range order {
		if len(of[v]) == 1 {
			m.chosen(v, 0, v.width, v.name)
			continue
		}
		for _, bits := range of[v] {
			for low := 0; low < v.width; low++ {
				width := 0
				for bits.Bit(low+width) == 1 {
					width++
				}
				switch {
				case width == v.width:
					m.chosen(v, low, width, v.name)
				case width > 0:
					m.chosen(v, low, width, v.name+v.written(low, width))
				}
				low += width
			}
		}
	}
}

func byName(v, w *variable) int {
	if v.name < w.name {
		return -1
	}
	return 1
}

// chosen chooses bits of a register that no initial value has.
func (m *Machine) chosen(v *variable, low, width int, name string) {
	if known := wrap(new(big.Int).Rsh(v.known, uint(low)), width); known.Cmp(ones(width)) == 0 {
		return
	}
	free := m.open(name, width)
	value := new(big.Int).Set(v.value)
	for i := range width {
		if v.known.Bit(low+i) == 0 {
			value.SetBit(value, low+i, free.Bit(i))
		}
	}
	v.value = value
}

// written is a select of width bits from a place on.
func (v *variable) written(low, width int) string {
	index := func(place int) int {
		if v.ascending {
			return v.lsb - place
		}
		return v.lsb + place
	}
	if width == 1 {
		return fmt.Sprintf("[%d]", index(low))
	}
	return fmt.Sprintf("[%d:%d]", index(low+width-1), index(low))
}

// loads adds the bits that statements assign, but of variables of loops.
func (f *frame) loads(x *verilog.Stmt, bits map[*variable]*big.Int) {
	if x == nil {
		return
	}
	switch x.Kind {
	case verilog.Block:
		in := f.block(x)
		for _, y := range x.Body {
			in.loads(y, bits)
		}
	case verilog.If:
		f.loads(x.Then, bits)
		f.loads(x.Else, bits)
	case verilog.Case:
		for _, item := range x.Items {
			f.loads(item.Body, bits)
		}
	case verilog.For:
		f.iterate(x, func(in *frame) { in.loads(x.Then, bits) })
	case verilog.Blocking, verilog.NonBlocking:
		f.loaded(x.Left, bits)
	}
}

func (f *frame) loaded(left *verilog.Expr, bits map[*variable]*big.Int) {
	if left.Kind == verilog.Concat {
		for _, a := range left.Args {
			f.loaded(a, bits)
		}
		return
	}
	name := left.Text
	if left.Kind != verilog.Ident {
		name = left.Args[0].Text
	}
	v := f.variable(name)
	if v.local {
		return
	}
	if bits[v] == nil {
		bits[v] = new(big.Int)
	}
	low, width := 0, v.width
	if left.Kind != verilog.Ident && f.fixed(left) {
		_, low, width = f.span(left)
	}
	for i := max(low, 0); i < min(low+width, v.width); i++ {
		bits[v].SetBit(bits[v], i, 1)
	}
}

// fixed tells whether all indices of a select are made of numbers, parameters and variables of loops.
func (f *frame) fixed(e *verilog.Expr) bool {
	if e.Kind == verilog.Ident {
		v := f.variable(e.Text)
		return v.local || v.constant
	}
	args := e.Args
	if e.Kind == verilog.Index || e.Kind == verilog.Part || e.Kind == verilog.PartUp || e.Kind == verilog.PartDown {
		args = args[1:]
	}
	return e.Kind == verilog.Select || !slices.ContainsFunc(args, func(a *verilog.Expr) bool { return !f.fixed(a) })
}
