package verilog

import (
	"math/big"
	"strconv"
	"strings"

	"tv/internal/source"
)

// binds says how tightly binary operators bind, of Verilog's levels.
var binds = map[string]int{
	"**": 12, "*": 11, "/": 11, "%": 11, "+": 10, "-": 10, "<<": 9, ">>": 9, "<<<": 9, ">>>": 9, "<": 8, "<=": 8, ">": 8, ">=": 8,
	"==": 7, "!=": 7, "===": 7, "!==": 7, "&": 6, "^": 5, "~^": 5, "^~": 5, "|": 4, "&&": 3, "||": 2,
}

const maxNesting = 2000

func (p *parser) expr() (*Expr, error) { return p.cond(0) }

func (p *parser) cond(depth int) (*Expr, error) {
	if depth > maxNesting {
		return nil, source.Errorf(p.span(), "unsupported", "expressions nest deeper than %d", maxNesting)
	}
	c, err := p.binary(1, depth)
	if err != nil || !p.is("?") {
		return c, err
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	yes, err := p.cond(depth + 1)
	if err != nil {
		return nil, err
	}
	if err := p.expect(":"); err != nil {
		return nil, err
	}
	no, err := p.cond(depth + 1)
	if err != nil {
		return nil, err
	}
	return &Expr{Kind: Cond, Args: []*Expr{c, yes, no}, Span: joined(c.Span, no.Span)}, nil
}

func (p *parser) binary(least, depth int) (*Expr, error) {
	x, err := p.unary(depth)
	if err != nil {
		return nil, err
	}
	for p.tok.kind == mark {
		op := p.tok.text
		level := binds[op]
		if level < least || level == 0 {
			break
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
		y, err := p.binary(level+1, depth+1)
		if err != nil {
			return nil, err
		}
		if op == "^~" {
			op = "~^"
		}
		if op == "/" || op == "%" || op == "**" {
			p.behaves = true
		}
		x = &Expr{Kind: Binary, Op: op, Args: []*Expr{x, y}, Span: joined(x.Span, y.Span)}
	}
	return x, nil
}

func (p *parser) unary(depth int) (*Expr, error) {
	if depth > maxNesting {
		return nil, source.Errorf(p.span(), "unsupported", "expressions nest deeper than %d", maxNesting)
	}
	if p.tok.kind == mark {
		switch op := p.tok.text; op {
		case "+", "-", "~", "!", "&", "|", "^", "~&", "~|", "~^", "^~":
			at := p.span()
			if err := p.advance(); err != nil {
				return nil, err
			}
			x, err := p.unary(depth + 1)
			if err != nil {
				return nil, err
			}
			if op == "^~" {
				op = "~^"
			}
			return &Expr{Kind: Unary, Op: op, Args: []*Expr{x}, Span: joined(at, x.Span)}, nil
		}
	}
	return p.primaryAt(depth)
}

func (p *parser) primary() (*Expr, error) { return p.primaryAt(0) }

func (p *parser) primaryAt(depth int) (*Expr, error) {
	at := p.span()
	switch {
	case p.tok.kind == number:
		e, err := p.literal()
		if err != nil {
			return nil, err
		}
		return e, p.advance()
	case p.tok.kind == text:
		e := &Expr{Kind: String, Text: p.tok.text, Span: at}
		return e, p.advance()
	case p.is("("):
		if err := p.advance(); err != nil {
			return nil, err
		}
		e, err := p.cond(depth + 1)
		if err != nil {
			return nil, err
		}
		return e, p.expect(")")
	case p.is("{"):
		return p.braces(depth)
	case p.tok.kind == word && strings.HasPrefix(p.tok.text, "$"):
		op := p.tok.text
		if op != "$signed" && op != "$unsigned" {
			return nil, source.Errorf(at, "unsupported", "%s", op)
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
		if err := p.expect("("); err != nil {
			return nil, err
		}
		x, err := p.cond(depth + 1)
		if err != nil {
			return nil, err
		}
		return &Expr{Kind: Unary, Op: op, Args: []*Expr{x}, Span: joined(at, x.Span)}, p.expect(")")
	}
	name, err := p.name("an expression")
	if err != nil {
		return nil, err
	}
	e := &Expr{Kind: Ident, Text: name.Text, Span: at}
	if p.is("(") {
		return p.call(e, depth)
	}
	if p.is(".") {
		return nil, source.Errorf(at, "unsupported", "a name in another module")
	}
	if !p.is("[") {
		return e, nil
	}
	s, err := p.selected(e, depth)
	if err != nil {
		return nil, err
	}
	if p.is("[") {
		return nil, source.Errorf(p.span(), "unsupported", "a select of a select")
	}
	return s, nil
}

// selected reads [index], [high:low], [start +: width] or [start -: width] behind a name.
func (p *parser) selected(e *Expr, depth int) (*Expr, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	if n, ok := p.plainIndex(); ok {
		if err := p.advance(); err != nil {
			return nil, err
		}
		return &Expr{Kind: Select, Args: []*Expr{e}, Hi: n, Lo: n, Span: source.Span{File: e.Span.File, Start: e.Span.Start, End: p.tok.end}}, p.expect("]")
	}
	first, err := p.cond(depth + 1)
	if err != nil {
		return nil, err
	}
	s := &Expr{Kind: Index, Args: []*Expr{e, first}}
	hi, high := intOf(first)
	switch {
	case p.is(":"), p.is("+:"), p.is("-:"):
		s.Kind = map[string]Kind{":": Part, "+:": PartUp, "-:": PartDown}[p.tok.text]
		if err := p.advance(); err != nil {
			return nil, err
		}
		second, err := p.cond(depth + 1)
		if err != nil {
			return nil, err
		}
		s.Args = append(s.Args, second)
		if lo, low := intOf(second); s.Kind == Part && high == nil && low == nil {
			s.Kind, s.Args, s.Hi, s.Lo = Select, s.Args[:1], hi, lo
		}
	case high == nil:
		s.Kind, s.Args, s.Hi, s.Lo = Select, s.Args[:1], hi, hi
	}
	if s.Kind != Select {
		p.behaves = true
	}
	s.Span = source.Span{File: e.Span.File, Start: e.Span.Start, End: p.tok.end}
	return s, p.expect("]")
}

// plainIndex is the index that is a number in digits with a bracket right behind it, which most are: they take no expression.
func (p *parser) plainIndex() (int, bool) {
	if p.tok.kind != number || len(p.tok.text) > 6 || p.pos >= len(p.s) || p.s[p.pos] != ']' {
		return 0, false
	}
	n, err := strconv.Atoi(p.tok.text)
	return n, err == nil
}

// call reads the arguments of a function.
func (p *parser) call(name *Expr, depth int) (*Expr, error) {
	p.behaves = true
	if p.calls == nil {
		p.calls = map[string]int{}
	}
	p.calls[name.Text]++
	if err := p.advance(); err != nil {
		return nil, err
	}
	e := &Expr{Kind: Call, Text: name.Text}
	for {
		x, err := p.cond(depth + 1)
		if err != nil {
			return nil, err
		}
		e.Args = append(e.Args, x)
		if !p.is(",") {
			break
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
	e.Span = source.Span{File: name.Span.File, Start: name.Span.Start, End: p.tok.end}
	return e, p.expect(")")
}

// braces reads {a, b} or {n{a, b}}.
func (p *parser) braces(depth int) (*Expr, error) {
	at := p.span()
	if err := p.advance(); err != nil {
		return nil, err
	}
	out := &Expr{Kind: Concat}
	for {
		x, err := p.cond(depth + 1)
		if err != nil {
			return nil, err
		}
		if p.is("{") && len(out.Args) == 0 {
			n, unknown := intOf(x)
			if unknown == nil && (n < 1 || n > MaxWidth) {
				return nil, source.Errorf(x.Span, "unsupported", "%d repetitions", n)
			}
			inner, err := p.braces(depth + 1)
			if err != nil {
				return nil, err
			}
			out = &Expr{Kind: Repeat, Count: n, Args: []*Expr{inner}}
			if unknown != nil {
				p.behaves = true
				out.Args = append(out.Args, x)
			}
			break
		}
		out.Args = append(out.Args, x)
		if !p.is(",") {
			break
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
	out.Span = source.Span{File: at.File, Start: at.Start, End: p.tok.end}
	return out, p.expect("}")
}

// literal reads the token of a number.
//
// Netlists say few numbers many times: each is read once.
func (p *parser) literal() (*Expr, error) {
	if known := p.literals[p.tok.text]; known != nil {
		e := *known
		e.Span = p.span()
		return &e, nil
	}
	e, err := p.numeral()
	if err == nil {
		if p.literals == nil {
			p.literals = map[string]*Expr{}
		}
		p.literals[p.tok.text] = e
	}
	return e, err
}

// numeral reads a literal anew.
func (p *parser) numeral() (*Expr, error) {
	t := p.tok
	e := &Expr{Kind: Literal, Span: p.span(), Width: 32, Unsized: true}
	size, rest, based := strings.Cut(t.text, "'")
	size = strings.ReplaceAll(strings.TrimSpace(size), "_", "")
	if all := strings.TrimSpace(rest); size == "" && len(all) == 1 { // SystemVerilog: '0, and '1, which is its complement
		e.Width, e.Unsized, e.Value = 1, false, new(big.Int)
		if strings.ContainsAny(all, "xXzZ") {
			e.Unknown = big.NewInt(1)
		}
		if all == "1" {
			e = &Expr{Kind: Unary, Op: "~", Args: []*Expr{e}, Span: e.Span}
		}
		return e, nil
	}
	if !based {
		e.Signed = true
		e.Value, _ = new(big.Int).SetString(size, 10)
		if e.Value == nil || e.Value.BitLen() > 31 {
			return nil, source.Errorf(e.Span, "literal-width", "a number without a width has 32 bits, one of them the sign")
		}
		return e, nil
	}
	if size != "" {
		n, err := strconv.Atoi(size)
		if err != nil || n < 1 || n > MaxWidth {
			return nil, source.Errorf(e.Span, "syntax", "the width of a literal is 1 to %d", MaxWidth)
		}
		e.Width, e.Unsized = n, false
	}
	rest = strings.ToLower(rest)
	if rest[0] == 's' {
		e.Signed, rest = true, rest[1:]
	}
	base := rest[0]
	digits := strings.ReplaceAll(strings.TrimSpace(rest[1:]), "_", "")
	per := uint(0)
	switch base {
	case 'b':
		per = 1
	case 'o':
		per = 3
	case 'h':
		per = 4
	}
	bad := func() error { return source.Errorf(e.Span, "syntax", "%s is not a literal", t.text) }
	if digits == "" {
		return nil, bad()
	}
	e.Value = new(big.Int)
	if per == 0 {
		if digits == "x" || digits == "z" || digits == "?" {
			e.Unknown = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(e.Width)), big.NewInt(1))
			if digits != "x" {
				e.Wild = e.Unknown
			}
			return e, nil
		}
		if _, ok := e.Value.SetString(digits, 10); !ok {
			return nil, bad()
		}
	} else {
		var known, unknown, wild strings.Builder
		some := false
		all := map[uint]byte{1: '1', 3: '7', 4: 'f'}[per]
		for _, c := range digits {
			x, z := byte('0'), byte('0')
			switch c {
			case 'x':
				x, some, c = all, true, '0'
			case 'z', '?':
				x, z, some, c = all, all, true, '0'
			}
			known.WriteRune(c)
			unknown.WriteByte(x)
			wild.WriteByte(z)
		}
		if _, ok := e.Value.SetString(known.String(), 1<<per); !ok {
			return nil, bad()
		}
		if some {
			filled := func(text string, fill bool) *big.Int {
				v, _ := new(big.Int).SetString(text, 1<<per)
				for i := len(digits) * int(per); fill && i < e.Width; i++ {
					v.SetBit(v, i, 1)
				}
				for i := v.BitLen() - 1; i >= e.Width; i-- {
					v.SetBit(v, i, 0)
				}
				return v
			}
			first := digits[0] // it fills what is above
			e.Unknown = filled(unknown.String(), first == 'x' || first == 'z' || first == '?')
			e.Wild = filled(wild.String(), first == 'z' || first == '?')
		}
	}
	if e.Value.BitLen() > e.Width {
		if !e.Unsized {
			return nil, source.Errorf(e.Span, "literal-width", "%s does not fit into %d bits", strings.TrimSpace(t.text), e.Width)
		}
		return nil, source.Errorf(e.Span, "literal-width", "a literal without a width has 32 bits")
	}
	return e, nil
}

// one is the number 1, as if it stood there.
func one(at source.Span) *Expr {
	return &Expr{Kind: Literal, Width: 32, Unsized: true, Signed: true, Value: big.NewInt(1), Span: at}
}
