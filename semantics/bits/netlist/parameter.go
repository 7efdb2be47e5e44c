package netlist

import (
	"fmt"
	"math/big"

	"tv/internal/source"
	"tv/semantics/bits/cells"
	"tv/semantics/bits/verilog"
	"tv/semantics/bits/word"
)

// A parameter is one as an instance gives it.
type parameter struct {
	word    *word.Word
	signed  bool
	unsized bool
}

// constantOf is the value of an expression of parameters and numbers.
func (s *scope) constantOf(e *verilog.Expr) (c parameter, err error) {
	width, signed, err := s.size(e)
	if err != nil {
		return c, err
	}
	w, err := s.constantAs(e, width, signed)
	if err != nil {
		return c, err
	}
	return parameter{w, signed, s.unsized(e)}, nil
}

// constantAs is that value in surroundings of a width and sign.
func (s *scope) constantAs(e *verilog.Expr, width int, signed bool) (*word.Word, error) {
	p := s.process()
	p.constant = true
	w, err := p.value(e, width, signed)
	if err != nil {
		return nil, err
	}
	if w = p.b.Simplify(w); w.Op != word.Const {
		return nil, source.Errorf(e.Span, "unsupported", "an expression of parameters that has no value")
	}
	return w, nil
}

// unsized tells whether an expression is a number without a width, or a parameter that is one.
func (s *scope) unsized(e *verilog.Expr) bool {
	switch e.Kind {
	case verilog.Literal:
		return e.Unsized
	case verilog.Ident:
		sig := s.signals[e.Text]
		return sig != nil && sig.unsized
	}
	return false
}

// number is a constant that counts or indexes.
func (s *scope) number(e *verilog.Expr) (int, error) {
	c, err := s.constantOf(e)
	if err != nil {
		return 0, err
	}
	v := c.word.Value
	if c.signed {
		v = word.Signed(v, c.word.Width)
	}
	if !v.IsInt64() || v.Int64() >= 1<<30 || v.Int64() <= -1<<30 {
		return 0, source.Errorf(e.Span, "unsupported", "the number %s", v)
	}
	return int(v.Int64()), nil
}

// parameters gives the parameters of a module their values: those of the instance, or their own.
func (s *scope) parameters(given map[string]parameter) error {
	for i := range s.module.Params {
		p := &s.module.Params[i]
		c, ok := given[p.Text]
		if !ok || p.Local {
			var err error
			if c, err = s.constantOf(p.Value); err != nil {
				return err
			}
		}
		value, width, signed := c.word.Value, c.word.Width, c.signed
		sig := &signal{name: s.path + p.Text, span: p.Span, ranged: true, unsized: c.unsized && !p.Typed}
		if p.Typed {
			var err error
			if width, sig.lsb, sig.ascending, err = s.paramType(p, width); err != nil {
				return err
			}
			if signed {
				value = word.Signed(value, c.word.Width)
			}
			signed = p.Signed
		}
		sig.signed = signed
		sig.bits = make([]Bit, width)
		value = word.Mod(value, width)
		for k := range sig.bits {
			sig.bits[k] = Bit(value.Bit(k))
		}
		s.signals[p.Text] = sig
	}
	return nil
}

// paramType is the width of a parameter of a type. Without a range it has that of its value.
func (s *scope) paramType(p *verilog.Param, own int) (width, lsb int, ascending bool, err error) {
	switch {
	case p.Integer:
		return 32, 0, false, nil
	case p.MSB == nil:
		return own, 0, false, nil
	}
	msb, err := s.number(p.MSB)
	if err != nil {
		return 0, 0, false, err
	}
	if lsb, err = s.number(p.LSB); err != nil {
		return 0, 0, false, err
	}
	if width = max(msb-lsb, lsb-msb) + 1; width > verilog.MaxWidth {
		return 0, 0, false, source.Errorf(p.Span, "unsupported", "a parameter of %d bits", width)
	}
	return width, lsb, msb < lsb, nil
}

// resolved is a declaration with the numbers that its range is.
func (s *scope) resolved(d *verilog.Decl) (*verilog.Decl, error) {
	if d.Range[0] == nil {
		return d, nil
	}
	out := *d
	for i, bound := range []*int{&out.MSB, &out.LSB} {
		n, err := s.number(d.Range[i])
		if err != nil {
			return nil, err
		}
		*bound = n
	}
	if out.Width() > verilog.MaxWidth {
		return nil, source.Errorf(d.Span, "unsupported", "a net of %d bits", out.Width())
	}
	return &out, nil
}

// overrides are the parameters that an instance gives a module.
func (s *scope) overrides(in *verilog.Instance, m *verilog.Module) (map[string]parameter, error) {
	given := map[string]parameter{}
	for _, c := range in.Params {
		known := false
		for i := range m.Params {
			known = known || m.Params[i].Text == c.Text && !m.Params[i].Local
		}
		if !known {
			return nil, source.Errorf(c.Span, "unknown-parameter", "module %s has no parameter %s", m.Name, c.Text)
		}
		if c.Expr == nil {
			continue
		}
		v, err := s.constantOf(c.Expr)
		if err != nil {
			return nil, err
		}
		given[c.Text] = v
	}
	return given, nil
}

// cellValue is that of a parameter of a cell.
func (s *scope) cellValue(c verilog.Connection) (cells.Value, error) {
	e := c.Expr
	switch {
	case e == nil:
		return cells.Value{}, source.Errorf(c.Span, "syntax", "parameter %s has no value", c.Text)
	case e.Kind == verilog.String:
		return cells.Value{IsText: true, Text: e.Text}, nil
	case e.Kind == verilog.Literal:
		v := cells.Value{Bits: e.Value, Unknown: e.Unknown, Width: e.Width}
		if e.Unsized {
			v.Width = 0
		}
		return v, nil
	}
	v, err := s.constantOf(e)
	if err != nil {
		return cells.Value{}, err
	}
	out := cells.Value{Bits: v.word.Value, Width: v.word.Width}
	if v.unsized {
		out.Width = 0
	}
	return out, nil
}

// bounds are the constant indices that a select names, as they are written.
func (s *scope) bounds(e *verilog.Expr, sig *signal) (hi, lo int, err error) {
	if e.Kind == verilog.Select {
		return e.Hi, e.Lo, nil
	}
	if hi, err = s.number(e.Args[1]); err != nil {
		return 0, 0, err
	}
	if e.Kind == verilog.Index {
		return hi, hi, nil
	}
	n, err := s.number(e.Args[2])
	if err != nil || e.Kind == verilog.Part {
		return hi, n, err
	}
	if err := partWidth(e, n); err != nil {
		return 0, 0, err
	}
	least, greatest := hi, hi+n-1
	if e.Kind == verilog.PartDown {
		least, greatest = hi-n+1, hi
	}
	if sig.ascending {
		return least, greatest, nil
	}
	return greatest, least, nil
}

func partWidth(e *verilog.Expr, n int) error {
	if n < 1 || n > verilog.MaxWidth {
		return source.Errorf(e.Args[2].Span, "width", "a part of %d bits", n)
	}
	return nil
}

// fixed tells whether all indices of a select are constant.
func (s *scope) fixed(e *verilog.Expr) bool {
	for _, a := range e.Args[1:] {
		if !s.constantly(a) {
			return false
		}
	}
	return true
}

// constantly tells whether an expression is made of numbers and parameters.
func (s *scope) constantly(e *verilog.Expr) bool {
	switch e.Kind {
	case verilog.Literal:
		return true
	case verilog.Call, verilog.String:
		return false
	case verilog.Ident:
		if s.frame[e.Text] != nil {
			return false
		}
		sig := s.signals[e.Text]
		return sig != nil && len(sig.bits) > 0 && (sig.bits[0] == Zero || sig.bits[0] == One)
	}
	for _, a := range e.Args {
		if !s.constantly(a) {
			return false
		}
	}
	return true
}

// repetitions is how often a replication repeats.
func (s *scope) repetitions(e *verilog.Expr) (int, error) {
	if len(e.Args) == 1 {
		return e.Count, nil
	}
	n, err := s.number(e.Args[1])
	if err == nil && (n < 1 || n > verilog.MaxWidth) {
		err = source.Errorf(e.Args[1].Span, "unsupported", "%d repetitions", n)
	}
	return n, err
}

// literal is the value of a number without unknown bits.
func literal(e *verilog.Expr) (*big.Int, error) {
	if e.Unknown != nil && e.Unknown.Sign() != 0 {
		return nil, source.Errorf(e.Span, "four-valued", "a bit that is x or z")
	}
	return e.Value, nil
}

func (s *scope) function(e *verilog.Expr) (*verilog.Function, error) {
	for _, f := range s.module.Functions {
		if f.Text != e.Text {
			continue
		}
		if len(f.Inputs) != len(e.Args) {
			return nil, source.Errorf(e.Span, "syntax", "%s takes %d arguments, and has %d", f.Text, len(f.Inputs), len(e.Args))
		}
		return f, nil
	}
	return nil, source.Errorf(e.Span, "syntax", "there is no function %s", e.Text)
}

// local declares a variable of a function.
func (s *scope) local(d *verilog.Decl) (*signal, int, error) {
	r, err := s.resolved(d)
	if err != nil {
		return nil, 0, err
	}
	return &signal{name: s.path + d.Text, span: d.Span, lsb: r.LSB, ascending: r.MSB < r.LSB, signed: d.Signed, ranged: r.Ranged, variable: true,
		local: r.Width()}, r.Width(), nil
}

// width is the number of bits of a signal.
func (sig *signal) width() int {
	if sig.local > 0 {
		return sig.local
	}
	return len(sig.bits)
}

// find is the signal of a name; in behaviour all are declared.
func (s *scope) find(e *verilog.Expr) (*signal, error) {
	if sig := s.frame[e.Text]; sig != nil {
		return sig, nil
	}
	if sig := s.signals[e.Text]; sig != nil {
		return sig, nil
	}
	return nil, source.Errorf(e.Span, "syntax", "%s is not declared", e.Text)
}

// offset is the place of an index among the bits, least first.
func (sig *signal) offset(index int) int {
	if sig.ascending {
		return sig.lsb - index
	}
	return index - sig.lsb
}

// inRange holds constant bounds against the range of a signal, and returns places of bits.
func inRange(e *verilog.Expr, sig *signal, hi, lo int) (high, low int, err error) {
	high, low = sig.offset(hi), sig.offset(lo)
	name := e.Args[0].Text
	switch {
	case !sig.ranged:
		return 0, 0, source.Errorf(e.Span, "width", "%s has one bit, and no index", name)
	case high < low:
		return 0, 0, source.Errorf(e.Span, "width", "the range runs against that of %s", name)
	case low < 0 || high >= sig.width():
		return 0, 0, source.Errorf(e.Span, "width", "%s has %d bits, and not these", name, sig.width())
	}
	return high, low, nil
}

// place names what an expression leaves open.
func (p *process) place(e *verilog.Expr) string {
	return fmt.Sprintf("%s%s%s", p.path, e.Place(), p.at)
}
