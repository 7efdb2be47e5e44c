package netlist

import (
	"math/big"
	"math/bits"

	"tv/internal/source"
	"tv/semantics/bits/verilog"
	"tv/semantics/bits/word"
)

// value is the word of an expression in surroundings of a width that is not less than its own, and of a sign.
func (p *process) value(e *verilog.Expr, width int, signed bool) (*word.Word, error) {
	w, err := p.sized(e, width, signed)
	if err != nil {
		return nil, err
	}
	return p.b.Simplify(w), nil
}

func (p *process) extended(w *word.Word, width int, signed bool) *word.Word {
	op := word.ZeroExt
	if signed {
		op = word.SignExt
	}
	return p.b.Extend(op, w, width)
}

func (p *process) sized(e *verilog.Expr, width int, signed bool) (*word.Word, error) {
	switch e.Kind {
	case verilog.Literal:
		v, err := literal(e)
		if err != nil {
			return nil, err
		}
		return p.extended(p.b.Const(e.Width, v), width, signed), nil
	case verilog.Open:
		return p.extended(p.b.Open(p.place(e), e.Width, 0), width, false), nil
	case verilog.Ident:
		sig, err := p.find(e)
		if err != nil {
			return nil, err
		}
		w, err := p.read(sig, e)
		if err != nil {
			return nil, err
		}
		return p.extended(w, width, signed), nil
	case verilog.Select, verilog.Index, verilog.Part, verilog.PartUp, verilog.PartDown:
		w, err := p.part(e)
		if err != nil {
			return nil, err
		}
		return p.extended(w, width, false), nil
	case verilog.Concat:
		var parts []*word.Word
		for _, a := range e.Args {
			w, err := p.alone(a)
			if err != nil {
				return nil, err
			}
			parts = append(parts, w)
		}
		return p.extended(p.b.Concat(parts...), width, false), nil
	case verilog.Repeat:
		w, err := p.alone(e.Args[0])
		if err != nil {
			return nil, err
		}
		n, err := p.repetitions(e)
		if err != nil {
			return nil, err
		}
		parts := make([]*word.Word, n)
		for i := range parts {
			parts[i] = w
		}
		return p.extended(p.b.Concat(parts...), width, false), nil
	case verilog.Unary:
		return p.unary(e, width, signed)
	case verilog.Binary:
		return p.binary(e, width, signed)
	case verilog.Cond:
		c, err := p.truth(e.Args[0])
		if err != nil {
			return nil, err
		}
		yes, err := p.value(e.Args[1], width, signed)
		if err != nil {
			return nil, err
		}
		no, err := p.value(e.Args[2], width, signed)
		if err != nil {
			return nil, err
		}
		return p.b.Apply(word.Ite, c, yes, no), nil
	case verilog.Call:
		w, err := p.call(e)
		if err != nil {
			return nil, err
		}
		return p.extended(w, width, signed), nil
	}
	return nil, source.Errorf(e.Span, "unsupported", "a text as a number")
}

// alone is the value of an expression by itself.
func (p *process) alone(e *verilog.Expr) (*word.Word, error) {
	width, signed, err := p.size(e)
	if err != nil {
		return nil, err
	}
	return p.value(e, width, signed)
}

// assigned is the value of an expression that goes to a place of a width: extended by its own sign, or cut.
func (p *process) assigned(e *verilog.Expr, to int) (*word.Word, error) {
	width, signed, err := p.size(e)
	if err != nil {
		return nil, err
	}
	w, err := p.value(e, max(width, to), signed)
	if err != nil {
		return nil, err
	}
	return p.b.Simplify(p.b.Extract(w, to-1, 0)), nil
}

// truth tells whether an expression is not 0.
func (p *process) truth(e *verilog.Expr) (*word.Word, error) {
	w, err := p.alone(e)
	if err != nil || w.Width == 1 {
		return w, err
	}
	return p.b.Simplify(p.b.Apply(word.RedOr, w)), nil
}

func (p *process) unary(e *verilog.Expr, width int, signed bool) (*word.Word, error) {
	switch e.Op {
	case "+", "-", "~":
		w, err := p.value(e.Args[0], width, signed)
		switch {
		case err != nil || e.Op == "+":
			return w, err
		case e.Op == "-":
			return p.b.Apply(word.Neg, w), nil
		}
		return p.b.Apply(word.Not, w), nil
	case "$signed", "$unsigned":
		w, err := p.alone(e.Args[0])
		if err != nil {
			return nil, err
		}
		return p.extended(w, width, signed), nil
	case "!":
		w, err := p.truth(e.Args[0])
		if err != nil {
			return nil, err
		}
		return p.extended(p.b.Apply(word.Not, w), width, false), nil
	}
	w, err := p.alone(e.Args[0])
	if err != nil {
		return nil, err
	}
	w = p.b.Apply(reductions[e.Op[len(e.Op)-1]], w)
	if e.Op[0] == '~' {
		w = p.b.Apply(word.Not, w)
	}
	return p.extended(w, width, false), nil
}

// reductions are the operations of which the last character of an operator says one.
var reductions = map[byte]word.Op{'&': word.RedAnd, '|': word.RedOr, '^': word.RedXor}

// direct are operators of words.
var direct = map[string]word.Op{"&": word.And, "|": word.Or, "^": word.Xor, "+": word.Add, "-": word.Sub, "*": word.Mul}

func (p *process) binary(e *verilog.Expr, width int, signed bool) (*word.Word, error) {
	b, left, right := p.b, e.Args[0], e.Args[1]
	pair := func(width int, signed bool) (x, y *word.Word, err error) {
		if x, err = p.value(left, width, signed); err != nil {
			return nil, nil, err
		}
		y, err = p.value(right, width, signed)
		return x, y, err
	}
	switch {
	case e.Op == "&&" || e.Op == "||":
		x, err := p.truth(left)
		if err != nil {
			return nil, err
		}
		y, err := p.truth(right)
		if err != nil {
			return nil, err
		}
		op := word.And
		if e.Op == "||" {
			op = word.Or
		}
		return p.extended(b.Apply(op, x, y), width, false), nil
	case isComparison(e.Op):
		w, sign, err := p.both(left, right)
		if err != nil {
			return nil, err
		}
		x, y, err := pair(w, sign)
		if err != nil {
			return nil, err
		}
		return p.extended(p.compared(e.Op, x, y, sign), width, false), nil
	case isShift(e.Op):
		x, err := p.value(left, width, signed)
		if err != nil {
			return nil, err
		}
		amount, err := p.alone(right)
		if err != nil {
			return nil, err
		}
		op := word.Shl
		if e.Op[0] == '>' {
			if op = word.LShr; e.Op == ">>>" && signed {
				op = word.AShr
			}
		}
		return b.Apply(op, x, amount), nil
	case e.Op == "**":
		return p.power(e, width, signed)
	}
	x, y, err := pair(width, signed)
	if err != nil {
		return nil, err
	}
	switch e.Op {
	case "~^":
		return b.Apply(word.Not, b.Apply(word.Xor, x, y)), nil
	case "/", "%":
		op := map[bool]word.Op{false: word.UDiv, true: word.SDiv}[signed]
		if e.Op == "%" {
			op = map[bool]word.Op{false: word.URem, true: word.SRem}[signed]
		}
		zero := b.Simplify(b.Apply(word.Eq, y, b.Int(width, 0)))
		if zero.Op == word.Const && zero.Value.Sign() == 0 {
			return b.Apply(op, x, y), nil
		}
		return b.Apply(word.Ite, zero, b.Open(p.place(e), width, 0), b.Apply(op, x, y)), nil
	}
	return b.Apply(direct[e.Op], x, y), nil
}

// compared is a comparison of words of one width.
func (p *process) compared(op string, x, y *word.Word, signed bool) *word.Word {
	less, lessEqual := word.ULT, word.ULE
	if signed {
		less, lessEqual = word.SLT, word.SLE
	}
	switch op {
	case "==", "===":
		return p.b.Apply(word.Eq, x, y)
	case "!=", "!==":
		return p.b.Apply(word.Not, p.b.Apply(word.Eq, x, y))
	case "<":
		return p.b.Apply(less, x, y)
	case "<=":
		return p.b.Apply(lessEqual, x, y)
	case ">":
		return p.b.Apply(less, y, x)
	}
	return p.b.Apply(lessEqual, y, x)
}

// power is x ** n, by squaring. What a negative exponent makes of it is table 5-6 of the standard: of 0 it is open.
func (p *process) power(e *verilog.Expr, width int, signed bool) (*word.Word, error) {
	b := p.b
	x, err := p.value(e.Args[0], width, signed)
	if err != nil {
		return nil, err
	}
	n, err := p.alone(e.Args[1])
	if err != nil {
		return nil, err
	}
	_, exponentSigned, err := p.size(e.Args[1])
	if err != nil {
		return nil, err
	}
	one := b.Int(width, 1)
	out, square := one, x
	if x.Op == word.Const && x.Value.Cmp(big.NewInt(2)) == 0 {
		out = b.Apply(word.Shl, one, n)
	} else {
		for i := range n.Width {
			out = b.Simplify(b.Apply(word.Ite, b.Simplify(b.Bit(n, i)), b.Apply(word.Mul, out, square), out))
			if i+1 < n.Width {
				square = b.Simplify(b.Apply(word.Mul, square, square))
			}
		}
	}
	if !exponentSigned {
		return out, nil
	}
	negative := b.Simplify(b.Bit(n, n.Width-1))
	inverse := b.Apply(word.Ite, b.Apply(word.Eq, x, b.Int(width, 0)), b.Open(p.place(e), width, 0),
		b.Apply(word.Ite, b.Apply(word.Eq, x, one), one, b.Int(width, 0)))
	if signed {
		minus := b.Int(width, -1)
		inverse = b.Apply(word.Ite, b.Apply(word.Eq, x, minus), b.Apply(word.Ite, b.Bit(n, 0), minus, one), inverse)
	}
	return b.Apply(word.Ite, negative, inverse, out), nil
}

// A span of bits of a signal: width of them from the place low on, which is a signed word of more bits than any place needs.
type bitSpan struct {
	sig       *signal
	low       *word.Word
	width     int
	least     int // the least and greatest that low can be
	greatest  int
	unlimited bool // it can be anything
}

// span finds which bits a select names. fixed ones are in range, or an error.
func (p *process) span(e *verilog.Expr) (s bitSpan, fixed bool, err error) {
	sig, err := p.find(e.Args[0])
	if err != nil {
		return s, false, err
	}
	if p.fixed(e) {
		hi, lo, err := p.bounds(e, sig)
		if err != nil {
			return s, false, err
		}
		high, low, err := inRange(e, sig, hi, lo)
		return bitSpan{sig: sig, width: high - low + 1, least: low, greatest: low}, true, err
	}
	if !sig.ranged {
		return s, false, source.Errorf(e.Span, "width", "%s has one bit, and no index", e.Args[0].Text)
	}
	width := 1
	switch e.Kind {
	case verilog.Part:
		return s, false, source.Errorf(e.Span, "unsupported", "a part whose bounds are not constant")
	case verilog.PartUp, verilog.PartDown:
		if width, err = p.number(e.Args[2]); err != nil {
			return s, false, err
		}
		if err := partWidth(e, width); err != nil {
			return s, false, err
		}
	}
	index, err := p.alone(e.Args[1])
	if err != nil {
		return s, false, err
	}
	_, signed, err := p.size(e.Args[1])
	if err != nil {
		return s, false, err
	}
	return p.from(e, sig, index, signed, width), false, nil
}

// from is the span whose first index is a word.
func (p *process) from(e *verilog.Expr, sig *signal, index *word.Word, signed bool, width int) bitSpan {
	b := p.b
	s := bitSpan{sig: sig, width: width}
	wide := max(index.Width, bits.Len(uint(sig.width()))+bits.Len(uint(width))+bits.Len(uint(max(sig.lsb, -sig.lsb)))) + 3
	// By how much the place of the least bit is before that of the index.
	back := 0
	if (e.Kind == verilog.PartDown) != sig.ascending {
		back = width - 1
	}
	if e.Kind == verilog.Index {
		back = 0
	}
	shift := func(i int) int { return sig.offset(i) - back }
	unsigned := index.Width
	if signed {
		unsigned--
	}
	if e.Kind == verilog.Index && sig.lsb == 0 && !sig.ascending && bits.Len(uint(sig.width())) <= unsigned {
		wide = index.Width // a negative index is a large number, and as far off
	}
	own := index.Width
	index = p.extended(index, wide, signed)
	if sig.ascending {
		s.low = b.Apply(word.Sub, b.Int(wide, int64(sig.lsb-back)), index)
	} else {
		if s.low = index; sig.lsb+back != 0 {
			s.low = b.Apply(word.Sub, index, b.Int(wide, int64(sig.lsb+back)))
		}
	}
	s.low = b.Simplify(s.low)
	n := own
	if s.unlimited = n > 24; !s.unlimited {
		ends := []int{shift(0), shift(1<<n - 1)}
		if signed {
			ends = []int{shift(-1 << (n - 1)), shift(1<<(n-1) - 1)}
		}
		s.least, s.greatest = min(ends[0], ends[1]), max(ends[0], ends[1])
	}
	if s.low.Op == word.Const {
		at := word.Signed(s.low.Value, s.low.Width)
		if at.IsInt64() && at.Int64() < 1<<30 && at.Int64() > -1<<30 {
			s.least, s.greatest, s.unlimited = int(at.Int64()), int(at.Int64()), false
		}
	}
	return s
}

// inside tells whether all bits of a span are bits of the signal, whatever the index is.
func (s *bitSpan) inside() bool {
	return !s.unlimited && s.least >= 0 && s.greatest+s.width <= s.sig.width()
}

// part is what a select reads. Bits that the signal does not have are open.
func (p *process) part(e *verilog.Expr) (*word.Word, error) {
	b := p.b
	s, fixed, err := p.span(e)
	if err != nil {
		return nil, err
	}
	whole, err := p.read(s.sig, e.Args[0])
	if err != nil {
		return nil, err
	}
	if fixed || s.inside() && s.least == s.greatest {
		return b.Extract(whole, s.least+s.width-1, s.least), nil
	}
	if s.inside() {
		return b.Extract(b.Apply(word.LShr, whole, s.low), s.width-1, 0), nil
	}
	open := b.Open(p.place(e), s.width, 0)
	parts := make([]*word.Word, s.width)
	for k := range parts {
		at := b.Simplify(b.Apply(word.Add, s.low, b.Int(s.low.Width, int64(k))))
		has := b.Apply(word.ULT, at, b.Int(s.low.Width, int64(s.sig.width())))
		bit := b.Extract(b.Apply(word.LShr, whole, at), 0, 0)
		parts[s.width-1-k] = b.Simplify(b.Apply(word.Ite, b.Simplify(has), bit, b.Bit(open, k)))
	}
	return b.Concat(parts...), nil
}

// placed is old with the bits of a span replaced by those of value. Bits that the signal does not have go nowhere.
func (p *process) placed(old, value *word.Word, s bitSpan, fixed bool) *word.Word {
	b, width := p.b, old.Width
	if fixed || s.inside() && s.least == s.greatest {
		var parts []*word.Word
		if high := s.least + s.width; high < width {
			parts = append(parts, b.Extract(old, width-1, high))
		}
		parts = append(parts, value)
		if s.least > 0 {
			parts = append(parts, b.Extract(old, s.least-1, 0))
		}
		return b.Simplify(b.Concat(parts...))
	}
	// The signal with as many bits below it as the span is wide: what begins below the signal goes there in part.
	wide := width + s.width
	low := s.low
	if s.width == 1 { // no part of it is below: a negative place is as good as a large one
		low = b.Extend(word.ZeroExt, low, low.Width+1)
	}
	at := b.Apply(word.Add, low, b.Int(low.Width, int64(s.width)))
	mask := b.Apply(word.Shl, b.Const(wide, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(s.width)), big.NewInt(1))), at)
	data := b.Apply(word.Shl, b.Extend(word.ZeroExt, value, wide), at)
	padded := b.Concat(old, b.Int(s.width, 0))
	out := b.Apply(word.Or, b.Apply(word.And, padded, b.Apply(word.Not, mask)), data)
	return b.Simplify(b.Extract(out, wide-1, s.width))
}
