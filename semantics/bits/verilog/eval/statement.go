package eval

import (
	"fmt"
	"maps"
	"math/big"

	"tv/semantics/bits/verilog"
)

// A frame is where statements and expressions are evaluated: an instance, and the variables of a function or loop there.
type frame struct {
	*scope
	locals map[string]*variable
	at     string // iterations and calls that lead here, as names of what is open have them
}

func (f *frame) variable(name string) *variable {
	if v := f.locals[name]; v != nil {
		return v
	}
	return f.find(name)
}

func (f *frame) statement(x *verilog.Stmt) {
	switch x.Kind {
	case verilog.Block:
		in := f.block(x)
		for _, y := range x.Body {
			in.statement(y)
		}
	case verilog.If:
		if f.truth(x.Cond) {
			f.statement(x.Then)
		} else if x.Else != nil {
			f.statement(x.Else)
		}
	case verilog.Case:
		f.choice(x)
	case verilog.For:
		f.loop(x)
	case verilog.Blocking, verilog.NonBlocking:
		f.assign(x.Left, f.assigned(x.Right, f.leftWidth(x.Left)), x.Kind == verilog.NonBlocking)
	}
}

// block is where the statements of a block are evaluated, with its variables.
func (f *frame) block(x *verilog.Stmt) *frame {
	if len(x.Locals) == 0 {
		return f
	}
	in := &frame{scope: f.scope, locals: maps.Clone(f.locals), at: f.at}
	if in.locals == nil {
		in.locals = map[string]*variable{}
	}
	for i := range x.Locals {
		in.locals[x.Locals[i].Text] = f.own(&x.Locals[i])
	}
	return in
}

// choice runs the first item that has the value, else the default.
func (f *frame) choice(x *verilog.Stmt) {
	width, signed := f.size(x.Cond)
	for _, item := range x.Items {
		for _, label := range item.Labels {
			w, s := f.size(label)
			width, signed = max(width, w), signed && s
		}
	}
	value := f.value(x.Cond, width, signed)
	var other *verilog.Stmt
	for _, item := range x.Items {
		if item.Default {
			other = item.Body
		}
		for _, label := range item.Labels {
			if f.matches(value, label, x.Wild, width, signed) {
				f.statement(item.Body)
				return
			}
		}
	}
	if other != nil {
		f.statement(other)
	}
}

func (f *frame) matches(value *big.Int, label *verilog.Expr, wild bool, width int, signed bool) bool {
	if wild && label.Kind == verilog.Literal && label.Wild != nil {
		differ := new(big.Int).Xor(value, label.Value)
		return differ.AndNot(differ, label.Wild).Sign() == 0
	}
	return value.Cmp(f.value(label, width, signed)) == 0
}

// loop runs the body of a loop.
func (f *frame) loop(x *verilog.Stmt) { f.iterate(x, func(in *frame) { in.statement(x.Then) }) }

// iterate counts with a variable of the block's own: what another block counts with the same is another.
func (f *frame) iterate(x *verilog.Stmt, body func(in *frame)) {
	name := x.Init.Left.Text
	if f.locals == nil {
		f.locals = map[string]*variable{}
	}
	if x.Variable == nil && f.locals[name] == nil {
		own := *f.find(name)
		own.readers, own.known, own.local = nil, nil, true
		f.locals[name] = &own
	}
	in := &frame{scope: f.scope, locals: f.locals, at: f.at}
	if x.Variable != nil {
		in.locals = maps.Clone(f.locals)
		in.locals[name] = f.own(x.Variable)
	}
	in.statement(x.Init)
	for i := 0; ; i++ {
		in.at = fmt.Sprintf("%s[%d]", f.at, i)
		if !in.truth(x.Cond) {
			return
		}
		body(in)
		in.statement(x.Step)
	}
}

func (f *frame) leftWidth(e *verilog.Expr) int {
	if e.Kind == verilog.Concat {
		n := 0
		for _, a := range e.Args {
			n += f.leftWidth(a)
		}
		return n
	}
	w, _ := f.size(e)
	return w
}

// assign puts a value of the width of the left side there, now or later.
func (f *frame) assign(left *verilog.Expr, value *big.Int, put bool) {
	if left.Kind == verilog.Concat {
		for i := len(left.Args) - 1; i >= 0; i-- {
			n := f.leftWidth(left.Args[i])
			f.assign(left.Args[i], wrap(value, n), put)
			value = new(big.Int).Rsh(value, uint(n))
		}
		return
	}
	v, low, width := (*variable)(nil), 0, 0
	if left.Kind == verilog.Ident {
		v = f.variable(left.Text)
		width = v.width
	} else {
		v, low, width = f.span(left)
	}
	if put {
		f.later = append(f.later, later{v, low, width, value})
		return
	}
	f.put(v, low, width, value)
}

// own makes a variable of a function or loop.
func (f *frame) own(d *verilog.Decl) *variable {
	v := f.declared(d, f.path)
	v.local = true
	return v
}

// call is the value of a function.
func (f *frame) call(e *verilog.Expr) *big.Int {
	var x *verilog.Function
	for _, y := range f.module.Functions {
		if y.Text == e.Text {
			x = y
		}
	}
	in := &frame{scope: f.scope, locals: map[string]*variable{}, at: f.at}
	if f.module.Calls[e.Text] > 1 {
		in.at += "(" + e.Place() + ")"
	}
	for i := range x.Inputs {
		v := f.own(&x.Inputs[i])
		v.value = f.assigned(e.Args[i], v.width)
		in.locals[x.Inputs[i].Text] = v
	}
	for i := range x.Locals {
		in.locals[x.Locals[i].Text] = f.own(&x.Locals[i])
	}
	result := f.own(&x.Result)
	in.locals[x.Text] = result
	in.statement(x.Body)
	return result.value
}
