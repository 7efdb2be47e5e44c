package eval

import (
	"math/big"

	"tv/semantics/bits/verilog"
)

// size is the width and sign that an expression has by itself: tables 5-22 and 5.5.1 of Verilog-2005.
func (f *frame) size(e *verilog.Expr) (width int, signed bool) {
	both := func(x, y *verilog.Expr) (int, bool) {
		v, s := f.size(x)
		w, t := f.size(y)
		return max(v, w), s && t
	}
	switch e.Kind {
	case verilog.Literal:
		return e.Width, e.Signed
	case verilog.Open:
		return e.Width, false
	case verilog.Ident:
		v := f.variable(e.Text)
		return v.width, v.signed
	case verilog.Select:
		return max(e.Hi-e.Lo, e.Lo-e.Hi) + 1, false
	case verilog.Part:
		hi, lo := f.number(e.Args[1]), f.number(e.Args[2])
		return max(hi-lo, lo-hi) + 1, false
	case verilog.PartUp, verilog.PartDown:
		return f.number(e.Args[2]), false
	case verilog.Concat:
		for _, a := range e.Args {
			w, _ := f.size(a)
			width += w
		}
		return width, false
	case verilog.Repeat:
		w, _ := f.size(e.Args[0])
		return w * f.times(e), false
	case verilog.Unary:
		switch e.Op {
		case "+", "-", "~":
			return f.size(e.Args[0])
		case "$signed", "$unsigned":
			w, _ := f.size(e.Args[0])
			return w, e.Op == "$signed"
		}
		return 1, false
	case verilog.Binary:
		switch e.Op {
		case "<<", ">>", "<<<", ">>>", "**":
			return f.size(e.Args[0])
		case "+", "-", "*", "/", "%", "&", "|", "^", "~^":
			return both(e.Args[0], e.Args[1])
		}
		return 1, false
	case verilog.Cond:
		return both(e.Args[1], e.Args[2])
	case verilog.Call:
		for _, x := range f.module.Functions {
			if x.Text == e.Text {
				v := f.declared(&x.Result, "")
				return v.width, v.signed
			}
		}
	}
	return 1, false // a bit
}

func (f *frame) times(e *verilog.Expr) int {
	if len(e.Args) == 1 {
		return e.Count
	}
	return f.number(e.Args[1])
}

// number is a constant that counts or indexes.
func (f *frame) number(e *verilog.Expr) int {
	return int(f.index(e).Int64())
}

// index is the number that an expression is by itself.
func (f *frame) index(e *verilog.Expr) *big.Int {
	width, signed := f.size(e)
	v := f.value(e, width, signed)
	if signed {
		return integer(v, width)
	}
	return v
}

// integer is the number that v is in two's complement.
func integer(v *big.Int, width int) *big.Int {
	if v.Bit(width-1) == 0 {
		return v
	}
	return new(big.Int).Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(width)))
}

// extend is v of a width in a larger one.
func extend(v *big.Int, from, to int, signed bool) *big.Int {
	if !signed || from >= to {
		return v
	}
	return wrap(integer(v, from), to)
}

func (f *frame) alone(e *verilog.Expr) *big.Int {
	width, signed := f.size(e)
	return f.value(e, width, signed)
}

func (f *frame) truth(e *verilog.Expr) bool { return f.alone(e).Sign() != 0 }

// assigned is the value of an expression that goes to a place of a width.
func (f *frame) assigned(e *verilog.Expr, to int) *big.Int {
	width, signed := f.size(e)
	return wrap(f.value(e, max(width, to), signed), to)
}

// value is an expression in surroundings of a width and sign.
func (f *frame) value(e *verilog.Expr, width int, signed bool) *big.Int {
	own, _ := f.size(e)
	switch e.Kind {
	case verilog.Literal:
		return extend(e.Value, own, width, signed)
	case verilog.Open:
		return f.open(f.place(e), e.Width)
	case verilog.Ident:
		return extend(f.get(f.variable(e.Text)), own, width, signed)
	case verilog.Select, verilog.Index, verilog.Part, verilog.PartUp, verilog.PartDown:
		return extend(f.part(e), own, width, signed)
	case verilog.Concat:
		out := new(big.Int)
		for _, a := range e.Args {
			w, _ := f.size(a)
			out.Or(out.Lsh(out, uint(w)), f.alone(a))
		}
		return extend(out, own, width, signed)
	case verilog.Repeat:
		w, _ := f.size(e.Args[0])
		one, out := f.alone(e.Args[0]), new(big.Int)
		for range f.times(e) {
			out.Or(out.Lsh(out, uint(w)), one)
		}
		return extend(out, own, width, signed)
	case verilog.Unary:
		return f.unary(e, own, width, signed)
	case verilog.Binary:
		return f.binary(e, width, signed)
	case verilog.Cond:
		if f.truth(e.Args[0]) {
			return f.value(e.Args[1], width, signed)
		}
		return f.value(e.Args[2], width, signed)
	case verilog.Call:
		return extend(f.call(e), own, width, signed)
	}
	panic("eval: no such expression")
}

// span is the place of the least bit that a select names, and how many they are.
func (f *frame) span(e *verilog.Expr) (v *variable, low, width int) {
	v = f.variable(e.Args[0].Text)
	const far = 1 << 40 // no variable has such a bit
	at := func(x *big.Int) int {
		if !x.IsInt64() || x.Int64() > far || x.Int64() < -far {
			return far
		}
		if v.ascending {
			return v.lsb - int(x.Int64())
		}
		return int(x.Int64()) - v.lsb
	}
	switch e.Kind {
	case verilog.Select:
		return v, at(big.NewInt(int64(e.Lo))), max(e.Hi-e.Lo, e.Lo-e.Hi) + 1
	case verilog.Part:
		hi, lo := f.number(e.Args[1]), f.number(e.Args[2])
		return v, at(big.NewInt(int64(lo))), max(hi-lo, lo-hi) + 1
	case verilog.Index:
		return v, at(f.index(e.Args[1])), 1
	}
	width = f.number(e.Args[2])
	low = at(f.index(e.Args[1]))
	if (e.Kind == verilog.PartUp) == v.ascending { // the index is that of the highest bit
		low -= width - 1
	}
	return v, low, width
}

// part is what a select reads.
func (f *frame) part(e *verilog.Expr) *big.Int {
	v, low, width := f.span(e)
	value, out := f.get(v), new(big.Int)
	var free *big.Int
	for i := range width {
		if at := low + i; at >= 0 && at < v.width {
			out.SetBit(out, i, value.Bit(at))
			continue
		}
		if free == nil {
			free = f.open(f.place(e), width)
		}
		out.SetBit(out, i, free.Bit(i))
	}
	return out
}

// place names what an expression leaves open.
func (f *frame) place(e *verilog.Expr) string { return f.path + e.Place() + f.at }

func bit(b bool) *big.Int {
	if b {
		return big.NewInt(1)
	}
	return new(big.Int)
}

func (f *frame) unary(e *verilog.Expr, own, width int, signed bool) *big.Int {
	x := e.Args[0]
	switch e.Op {
	case "+":
		return f.value(x, width, signed)
	case "-":
		return wrap(new(big.Int).Neg(f.value(x, width, signed)), width)
	case "~":
		return wrap(new(big.Int).Not(f.value(x, width, signed)), width)
	case "$signed", "$unsigned":
		return extend(f.alone(x), own, width, signed)
	case "!":
		return bit(!f.truth(x))
	}
	n, _ := f.size(x)
	v := f.alone(x)
	var out bool
	switch e.Op {
	case "&", "~&":
		out = v.Cmp(ones(n)) == 0
	case "|", "~|":
		out = v.Sign() != 0
	case "^", "~^":
		for i := range n {
			out = out != (v.Bit(i) == 1)
		}
	}
	return bit(out != (e.Op[0] == '~'))
}

func (f *frame) binary(e *verilog.Expr, width int, signed bool) *big.Int {
	left, right := e.Args[0], e.Args[1]
	switch e.Op {
	case "&&":
		x, y := f.truth(left), f.truth(right)
		return bit(x && y)
	case "||":
		x, y := f.truth(left), f.truth(right)
		return bit(x || y)
	case "==", "===", "!=", "!==", "<", "<=", ">", ">=":
		return bit(f.compare(e.Op, left, right))
	case "<<", "<<<", ">>", ">>>":
		return f.shift(e, width, signed)
	case "**":
		return f.power(e, width, signed)
	}
	x, y, z := f.value(left, width, signed), f.value(right, width, signed), new(big.Int)
	switch e.Op {
	case "+":
		z.Add(x, y)
	case "-":
		z.Sub(x, y)
	case "*":
		z.Mul(x, y)
	case "&":
		z.And(x, y)
	case "|":
		z.Or(x, y)
	case "^":
		z.Xor(x, y)
	case "~^":
		z.Not(z.Xor(x, y))
	case "/", "%":
		if y.Sign() == 0 {
			return f.open(f.place(e), width)
		}
		if signed {
			x, y = integer(x, width), integer(y, width)
		}
		if e.Op == "/" {
			z.Quo(x, y)
		} else {
			z.Rem(x, y)
		}
	}
	return wrap(z, width)
}

func (f *frame) compare(op string, left, right *verilog.Expr) bool {
	v, s := f.size(left)
	w, t := f.size(right)
	width, signed := max(v, w), s && t
	x, y := f.value(left, width, signed), f.value(right, width, signed)
	if signed {
		x, y = integer(x, width), integer(y, width)
	}
	switch c := x.Cmp(y); op {
	case "==", "===":
		return c == 0
	case "!=", "!==":
		return c != 0
	case "<":
		return c < 0
	case "<=":
		return c <= 0
	case ">":
		return c > 0
	default:
		return c >= 0
	}
}

func (f *frame) shift(e *verilog.Expr, width int, signed bool) *big.Int {
	x, amount := f.value(e.Args[0], width, signed), f.alone(e.Args[1])
	by := uint(width)
	if amount.IsUint64() && amount.Uint64() < uint64(width) {
		by = uint(amount.Uint64())
	}
	z := new(big.Int)
	switch {
	case e.Op[0] == '<':
		z.Lsh(x, by)
	case e.Op == ">>>" && signed:
		z.Rsh(integer(x, width), by)
	default:
		z.Rsh(x, by)
	}
	return wrap(z, width)
}

// power is table 5-6 of the standard.
func (f *frame) power(e *verilog.Expr, width int, signed bool) *big.Int {
	x, n := f.value(e.Args[0], width, signed), f.index(e.Args[1])
	if signed {
		x = integer(x, width)
	}
	if n.Sign() >= 0 {
		return new(big.Int).Exp(wrap(x, width), n, new(big.Int).Lsh(big.NewInt(1), uint(width)))
	}
	switch {
	case x.Sign() == 0:
		return f.open(f.place(e), width)
	case x.IsInt64() && x.Int64() == 1:
		return big.NewInt(1)
	case x.IsInt64() && x.Int64() == -1:
		if n.Bit(0) == 1 {
			return ones(width)
		}
		return big.NewInt(1)
	}
	return new(big.Int)
}
