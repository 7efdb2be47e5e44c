package netlist

import (
	"slices"

	"strings"

	"tv/internal/source"
	"tv/semantics/bits/cells"
	"tv/semantics/bits/verilog"
	"tv/semantics/bits/word"
)

// Widths and signs are those of Verilog-2001, section 4.4 and 4.5: operands of an expression that its surroundings determine are extended
// to the widest of it, by their sign if all of them are signed; comparisons, concatenations and shift amounts stand for themselves.

// isComparison tells operations whose operands are extended to the wider of the two.
func isComparison(op string) bool {
	switch op {
	case "==", "!=", "===", "!==", "<", "<=", ">", ">=":
		return true
	}
	return false
}

func isShift(op string) bool { return strings.HasPrefix(op, "<<") || strings.HasPrefix(op, ">>") }

// size is the width and sign that an expression has by itself.
func (s *scope) size(e *verilog.Expr) (width int, signed bool, err error) {
	defer func() {
		if err == nil && width > verilog.MaxWidth {
			err = source.Errorf(e.Span, "unsupported", "an expression of %d bits", width)
		}
	}()
	switch e.Kind {
	case verilog.Literal:
		return e.Width, e.Signed, nil
	case verilog.Open:
		return e.Width, false, nil
	case verilog.String:
		return 0, false, source.Errorf(e.Span, "unsupported", "a text as a number")
	case verilog.Ident:
		if sig := s.frame[e.Text]; sig != nil {
			return sig.width(), sig.signed, nil
		}
		b, err := s.named(e)
		if err != nil {
			return 0, false, err
		}
		return len(b), s.signals[e.Text].signed, nil
	case verilog.Index:
		_, _, err := s.size(e.Args[1])
		return 1, false, err
	case verilog.PartUp, verilog.PartDown:
		if _, _, err := s.size(e.Args[1]); err != nil {
			return 0, false, err
		}
		n, err := s.number(e.Args[2])
		if err == nil {
			err = partWidth(e, n)
		}
		return n, false, err
	case verilog.Select, verilog.Part:
		sig := s.frame[e.Args[0].Text]
		if sig == nil {
			b, err := s.named(e)
			return len(b), false, err
		}
		hi, lo, err := s.bounds(e, sig)
		if err == nil {
			hi, lo, err = inRange(e, sig, hi, lo)
		}
		return hi - lo + 1, false, err
	case verilog.Call:
		f, err := s.function(e)
		if err != nil {
			return 0, false, err
		}
		r, err := s.resolved(&f.Result)
		if err != nil {
			return 0, false, err
		}
		return r.Width(), r.Signed, nil
	case verilog.Concat:
		for _, a := range e.Args {
			w, _, err := s.size(a)
			if err != nil {
				return 0, false, err
			}
			if a.Kind == verilog.Literal && a.Unsized {
				return 0, false, source.Errorf(a.Span, "width", "a number in a concatenation has a width of its own, such as 1'd0")
			}
			width += w
		}
		return width, false, nil
	case verilog.Repeat:
		w, _, err := s.size(e.Args[0])
		if err != nil {
			return 0, false, err
		}
		n, err := s.repetitions(e)
		return w * n, false, err
	case verilog.Unary:
		w, sign, err := s.size(e.Args[0])
		switch e.Op {
		case "+", "-", "~":
			return w, sign, err
		case "$signed", "$unsigned":
			return w, e.Op == "$signed", err
		}
		return 1, false, err
	case verilog.Binary:
		switch {
		case e.Op == "&&" || e.Op == "||" || isComparison(e.Op):
			_, _, err := s.both(e.Args[0], e.Args[1])
			return 1, false, err
		case isShift(e.Op) || e.Op == "**":
			if _, _, err := s.size(e.Args[1]); err != nil {
				return 0, false, err
			}
			return s.size(e.Args[0])
		}
		return s.both(e.Args[0], e.Args[1])
	case verilog.Cond:
		if _, _, err := s.size(e.Args[0]); err != nil {
			return 0, false, err
		}
		return s.both(e.Args[1], e.Args[2])
	}
	panic("netlist: no such expression")
}

// both is the width and sign of two expressions that surround each other.
func (s *scope) both(a, b *verilog.Expr) (int, bool, error) {
	w, sign, err := s.size(a)
	if err != nil {
		return 0, false, err
	}
	v, other, err := s.size(b)
	return max(w, v), sign && other, err
}

// pin is what an input of width bits is connected to.
func (s *scope) pin(c verilog.Connection, width int) ([]Bit, error) {
	w, signed, err := s.size(c.Expr)
	if err != nil {
		return nil, err
	}
	if err := widths(c, w, width); err != nil {
		return nil, err
	}
	return s.value(c.Expr, w, signed)
}

// alone is the value of an expression by itself.
func (s *scope) alone(e *verilog.Expr) ([]Bit, error) {
	width, signed, err := s.size(e)
	if err != nil {
		return nil, err
	}
	return s.value(e, width, signed)
}

func extended(b []Bit, width int, signed bool) []Bit {
	if len(b) >= width {
		return b
	}
	out := append(make([]Bit, 0, width), b...)
	fill := Zero
	if signed {
		fill = b[len(b)-1]
	}
	for len(out) < width {
		out = append(out, fill)
	}
	return out
}

// unknown makes nets of the bits of a literal that are x or z: what reads one of them is refused when all is connected.
func (s *scope) unknown(e *verilog.Expr, bits []Bit) error {
	sig := &signal{name: "x", span: e.Span, ranged: e.Width > 1}
	s.declare(sig, e.Width)
	for i, b := range sig.bits {
		if e.Unknown.Bit(i) == 0 {
			continue
		}
		if err := s.drive(b, unknown, 0, 0, e.Span); err != nil {
			return err
		}
		bits[i] = b
	}
	return nil
}

// value is an expression in surroundings of a width that is not less than its own, and of a sign.
func (s *scope) value(e *verilog.Expr, width int, signed bool) ([]Bit, error) {
	switch e.Kind {
	case verilog.Literal:
		out := make([]Bit, e.Width)
		for i := range out {
			out[i] = Bit(e.Value.Bit(i))
		}
		if e.Unknown != nil && e.Unknown.Sign() != 0 {
			if _, err := literal(e); e.Unsized && width > e.Width { // what is above is unknown, too
				return nil, err
			}
			if err := s.unknown(e, out); err != nil {
				return nil, err
			}
		}
		return extended(out, width, signed), nil
	case verilog.Open:
		return s.computed(e, width, signed)
	case verilog.Index, verilog.PartUp, verilog.PartDown:
		if !s.fixed(e) {
			return s.computed(e, width, signed)
		}
		b, err := s.named(e)
		if err != nil {
			return nil, err
		}
		return extended(b, width, signed), nil
	case verilog.Call:
		return s.computed(e, width, signed)
	case verilog.Ident, verilog.Select, verilog.Part:
		b, err := s.named(e)
		if err != nil {
			return nil, err
		}
		return extended(b, width, signed), nil
	case verilog.Concat:
		var out []Bit
		for i := len(e.Args) - 1; i >= 0; i-- {
			b, err := s.alone(e.Args[i])
			if err != nil {
				return nil, err
			}
			out = append(out, b...)
		}
		return extended(out, width, signed), nil
	case verilog.Repeat:
		b, err := s.alone(e.Args[0])
		if err != nil {
			return nil, err
		}
		n, err := s.repetitions(e)
		if err != nil {
			return nil, err
		}
		var out []Bit
		for range n {
			out = append(out, b...)
		}
		return extended(out, width, signed), nil
	case verilog.Unary:
		return s.unary(e, width, signed)
	case verilog.Binary:
		return s.binary(e, width, signed)
	case verilog.Cond:
		c, err := s.truth(e.Args[0])
		if err != nil {
			return nil, err
		}
		yes, err := s.value(e.Args[1], width, signed)
		if err != nil {
			return nil, err
		}
		no, err := s.value(e.Args[2], width, signed)
		if err != nil {
			return nil, err
		}
		out := make([]Bit, width)
		for i := range out {
			out[i] = s.operate(e, word.Ite, 1, []Bit{c}, yes[i:i+1], no[i:i+1])[0]
		}
		return out, nil
	}
	panic("netlist: no such expression")
}

// truth tells whether an expression is not 0.
func (s *scope) truth(e *verilog.Expr) (Bit, error) {
	b, err := s.alone(e)
	switch {
	case err != nil:
		return Open, err
	case len(b) == 1:
		return b[0], nil
	}
	return s.operate(e, word.RedOr, 1, b)[0], nil
}

func (s *scope) unary(e *verilog.Expr, width int, signed bool) ([]Bit, error) {
	switch e.Op {
	case "+", "-", "~":
		b, err := s.value(e.Args[0], width, signed)
		switch {
		case err != nil || e.Op == "+":
			return b, err
		case e.Op == "-":
			return s.operate(e, word.Neg, width, b), nil
		}
		return s.bitwise(e, word.Not, b), nil
	case "$signed", "$unsigned":
		b, err := s.alone(e.Args[0])
		if err != nil {
			return nil, err
		}
		return extended(b, width, signed), nil
	case "!":
		b, err := s.truth(e.Args[0])
		if err != nil {
			return nil, err
		}
		return extended(s.operate(e, word.Not, 1, []Bit{b}), width, false), nil
	}
	b, err := s.alone(e.Args[0])
	if err != nil {
		return nil, err
	}
	op := map[byte]word.Op{'&': word.RedAnd, '|': word.RedOr, '^': word.RedXor}[e.Op[len(e.Op)-1]]
	out := s.operate(e, op, 1, b)
	if e.Op[0] == '~' {
		out = s.operate(e, word.Not, 1, out)
	}
	return extended(out, width, false), nil
}

func (s *scope) binary(e *verilog.Expr, width int, signed bool) ([]Bit, error) {
	left, right := e.Args[0], e.Args[1]
	if e.Op == "/" || e.Op == "%" || e.Op == "**" {
		return s.computed(e, width, signed)
	}
	pair := func(width int, signed bool) (a, b []Bit, err error) {
		if a, err = s.value(left, width, signed); err != nil {
			return nil, nil, err
		}
		b, err = s.value(right, width, signed)
		return a, b, err
	}
	switch {
	case e.Op == "&&" || e.Op == "||":
		a, err := s.truth(left)
		if err != nil {
			return nil, err
		}
		b, err := s.truth(right)
		if err != nil {
			return nil, err
		}
		op := word.And
		if e.Op == "||" {
			op = word.Or
		}
		return extended(s.operate(e, op, 1, []Bit{a}, []Bit{b}), width, false), nil
	case isComparison(e.Op):
		w, sign, err := s.both(left, right)
		if err != nil {
			return nil, err
		}
		a, b, err := pair(w, sign)
		if err != nil {
			return nil, err
		}
		less, lessEqual := word.ULT, word.ULE
		if sign {
			less, lessEqual = word.SLT, word.SLE
		}
		var out []Bit
		switch e.Op {
		case "==", "===":
			out = s.operate(e, word.Eq, 1, a, b)
		case "!=", "!==":
			out = s.operate(e, word.Not, 1, s.operate(e, word.Eq, 1, a, b))
		case "<":
			out = s.operate(e, less, 1, a, b)
		case "<=":
			out = s.operate(e, lessEqual, 1, a, b)
		case ">":
			out = s.operate(e, less, 1, b, a)
		case ">=":
			out = s.operate(e, lessEqual, 1, b, a)
		}
		return extended(out, width, false), nil
	case isShift(e.Op):
		a, err := s.value(left, width, signed)
		if err != nil {
			return nil, err
		}
		amount, err := s.alone(right)
		if err != nil {
			return nil, err
		}
		op := word.Shl
		if e.Op[0] == '>' {
			if op = word.LShr; e.Op == ">>>" && signed {
				op = word.AShr
			}
		}
		return s.operate(e, op, width, a, amount), nil
	}
	a, b, err := pair(width, signed)
	if err != nil {
		return nil, err
	}
	switch e.Op {
	case "&":
		return s.bitwise(e, word.And, a, b), nil
	case "|":
		return s.bitwise(e, word.Or, a, b), nil
	case "^":
		return s.bitwise(e, word.Xor, a, b), nil
	case "~^":
		return s.bitwise(e, word.Not, s.bitwise(e, word.Xor, a, b)), nil
	case "+":
		return s.operate(e, word.Add, width, a, b), nil
	case "-":
		return s.operate(e, word.Sub, width, a, b), nil
	case "*":
		return s.operate(e, word.Mul, width, a, b), nil
	}
	return nil, source.Errorf(e.Span, "unsupported", "the operation %s", e.Op)
}

// operation is what the model of an operation depends on.
type operation struct {
	op     word.Op
	widths [3]int
}

// bitwise is an operation bit by bit: each bit is an instance of its own, that depends on no other.
func (s *scope) bitwise(e *verilog.Expr, op word.Op, args ...[]Bit) []Bit {
	one := make([][]Bit, len(args))
	for j, a := range args {
		one[j] = a[:1]
	}
	model := s.operation(op, one)
	sig := s.result(e, len(args[0]))
	sig.ranged = false // each is an operation by itself
	at := func(string) source.Span { return e.Span }
	for i := range sig.bits {
		in := make([]Bit, len(args))
		for j, a := range args {
			in[j] = a[i]
		}
		s.instantiate(e, Instance{Span: e.Span, Model: model, In: in, Out: sig.bits[i : i+1], place: at})
	}
	return sig.bits
}

// operate makes an instance of an operation, and returns the nets that are its result.
func (s *scope) operate(e *verilog.Expr, op word.Op, width int, args ...[]Bit) []Bit {
	model := s.operation(op, args)
	sig := s.result(e, width)
	s.instantiate(e, Instance{Span: e.Span, Model: model, In: slices.Concat(args...), Out: sig.bits, place: func(string) source.Span { return e.Span }})
	return sig.bits
}

// operation is the model of an operation on words of these widths; there is one of each.
func (s *scope) operation(op word.Op, args [][]Bit) *cells.Model {
	k := operation{op: op}
	for i, a := range args {
		k.widths[i] = len(a)
	}
	if model := s.models[k]; model != nil {
		return model
	}
	b := word.NewBuilder()
	var words []*word.Word
	var pins []cells.Pin
	for i, a := range args {
		name := string(rune('A' + i))
		pins = append(pins, cells.Pin{Name: name, Width: len(a)})
		words = append(words, b.Input(name, len(a), 0))
	}
	w := b.Apply(op, words...)
	model := cells.NewModel(pins, []cells.Pin{{Name: "Y", Width: w.Width}}, []cells.Part{cells.NewPart(b, w, 0, pins)})
	s.models[k] = model
	return model
}

// result makes the nets of an operation's result.
func (s *scope) result(e *verilog.Expr, width int) *signal {
	sig := &signal{name: "an operation", span: e.Span, ranged: width > 1}
	s.declare(sig, width)
	return sig
}

// instantiate has an operation drive its nets.
func (s *scope) instantiate(e *verilog.Expr, in Instance) {
	index := int32(len(s.Instances))
	for i, b := range in.Out {
		t := s.net(b)
		t.driver, t.from, t.at, t.span = output, index, int32(i), e.Span
	}
	s.Instances = append(roomy(s.Instances, 1), in)
}
