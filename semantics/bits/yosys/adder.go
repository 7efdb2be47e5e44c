package yosys

import (
	"math/big"
	"slices"

	"tv/internal/source"
	"tv/semantics/bits/verilog"
)

// arithmetic are cells of adders.
var arithmetic = map[string]func(*reader, verilog.Instance) error{"$alu": (*reader).alu, "$lcu": (*reader).lookahead, "$fa": (*reader).fullAdders,
	"$macc": (*reader).macc}

// choices are cells that choose, cut and join, and gates of three inputs and more.
var choices = map[string]func(*reader, verilog.Instance) error{"$bmux": (*reader).bmux, "$demux": (*reader).demux, "$concat": (*reader).concat,
	"$slice": (*reader).slice, "$_AOI3_": (*reader).andOr, "$_OAI3_": (*reader).andOr, "$_AOI4_": (*reader).andOr, "$_OAI4_": (*reader).andOr,
	"$_MUX4_": (*reader).wideMux, "$_MUX8_": (*reader).wideMux, "$_MUX16_": (*reader).wideMux}

// operands are pins that are connected, each a concatenation of bits with the highest first.
func operands(in verilog.Instance, names ...string) ([]*verilog.Expr, error) {
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

// numberOf is a parameter that is a number; 0 where there is none.
func numberOf(in verilog.Instance, name string) *big.Int {
	for _, p := range in.Params {
		if p.Text == name && p.Expr.Kind == verilog.Literal {
			return p.Expr.Value
		}
	}
	return new(big.Int)
}

func binaryOf(in verilog.Instance, op string, a, b *verilog.Expr) *verilog.Expr {
	return &verilog.Expr{Kind: verilog.Binary, Op: op, Args: []*verilog.Expr{a, b}, Span: in.Span}
}

func notOf(in verilog.Instance, a *verilog.Expr) *verilog.Expr {
	return &verilog.Expr{Kind: verilog.Unary, Op: "~", Args: []*verilog.Expr{a}, Span: in.Span}
}

func chosen(in verilog.Instance, s, a, b *verilog.Expr) *verilog.Expr {
	return &verilog.Expr{Kind: verilog.Cond, Args: []*verilog.Expr{s, a, b}, Span: in.Span}
}

// extended has the bits of a word at a width, with its sign or zeros above: unlike what Verilog's rules make of it in an expression, whatever is beside it.
func extended(bits []*verilog.Expr, width int, signed bool, span source.Span) *verilog.Expr {
	if len(bits) >= width {
		bits = bits[len(bits)-width:]
	} else {
		fill := &verilog.Expr{Kind: verilog.Literal, Width: 1, Value: new(big.Int), Span: span}
		if signed {
			fill = bits[0]
		}
		bits = slices.Concat(slices.Repeat([]*verilog.Expr{fill}, width-len(bits)), bits)
	}
	return &verilog.Expr{Kind: verilog.Concat, Args: bits, Span: span}
}

// drives assigns to an output that is connected.
func (r *reader) drives(in verilog.Instance, name string, width int, right *verilog.Expr) error {
	left := pin(in, name)
	if left == nil {
		return nil
	}
	if len(left.Args) != width {
		return source.Errorf(in.Span, "width", "%s of %s", name, in.Name.Text)
	}
	r.module.Assigns = append(r.module.Assigns, verilog.Assign{Left: left, Right: right, Span: in.Span})
	return nil
}

// alu adds A, B (its complement where BI is 1) and CI. X is A xor B, and CO are the carries out of each bit: where A and B differ, one comes out
// where the sum has no 1.
func (r *reader) alu(in verilog.Instance) error {
	p, err := operands(in, "A", "B", "BI", "CI")
	if err != nil {
		return err
	}
	signed := numberOf(in, "A_SIGNED").Sign() != 0
	if signed != (numberOf(in, "B_SIGNED").Sign() != 0) {
		return source.Errorf(in.Span, "unsupported", "$alu of a signed and an unsigned operand")
	}
	if len(p[2].Args) != 1 || len(p[3].Args) != 1 {
		return source.Errorf(in.Span, "width", "BI or CI of %s", in.Name.Text)
	}
	given := numberOf(in, "Y_WIDTH")
	if given.Sign() <= 0 || given.Cmp(big.NewInt(verilog.MaxWidth)) > 0 {
		return source.Errorf(in.Span, "width", "Y_WIDTH of %s", in.Name.Text)
	}
	width := int(given.Int64())
	a, b := extended(p[0].Args, width, signed, in.Span), extended(p[1].Args, width, signed, in.Span)
	b = chosen(in, p[2], notOf(in, b), b)
	differ, sum := binaryOf(in, "^", a, b), binaryOf(in, "+", binaryOf(in, "+", a, b), p[3])
	carries := binaryOf(in, "|", binaryOf(in, "&", a, b), binaryOf(in, "&", differ, notOf(in, sum)))
	for _, out := range []struct {
		name string
		is   *verilog.Expr
	}{{"X", differ}, {"Y", sum}, {"CO", carries}} {
		if err := r.drives(in, out.name, width, out.is); err != nil {
			return err
		}
	}
	return nil
}

// lookahead are carries out of bits that propagate (P) or generate (G) one.
func (r *reader) lookahead(in verilog.Instance) error {
	p, err := operands(in, "P", "G", "CI", "CO")
	if err != nil {
		return err
	}
	width := len(p[3].Args)
	if len(p[0].Args) != width || len(p[1].Args) != width || len(p[2].Args) != 1 {
		return source.Errorf(in.Span, "width", "P, G, CI and CO of %s", in.Name.Text)
	}
	carry := p[2]
	for i := width - 1; i >= 0; i-- { // the last is the lowest
		e := binaryOf(in, "|", p[1].Args[i], binaryOf(in, "&", p[0].Args[i], carry))
		r.module.Assigns = append(r.module.Assigns, verilog.Assign{Left: p[3].Args[i], Right: e, Span: in.Span})
		carry = p[3].Args[i]
	}
	return nil
}

// fullAdders add three bits at each place: Y is their sum, X what is carried.
func (r *reader) fullAdders(in verilog.Instance) error {
	p, err := operands(in, "A", "B", "C")
	if err != nil {
		return err
	}
	width := len(p[0].Args)
	if len(p[1].Args) != width || len(p[2].Args) != width {
		return source.Errorf(in.Span, "width", "A, B and C of %s", in.Name.Text)
	}
	differ := binaryOf(in, "^", p[0], p[1])
	if err := r.drives(in, "Y", width, binaryOf(in, "^", differ, p[2])); err != nil {
		return err
	}
	return r.drives(in, "X", width, binaryOf(in, "|", binaryOf(in, "&", p[0], p[1]), binaryOf(in, "&", differ, p[2])))
}

// macc is a sum of products, words and bits. CONFIG says, from its lowest bit, in 4 bits how many bits numbers have; then of each term in A, the lowest
// first, whether it has a sign, whether it is subtracted, and the widths of its two factors, of which the second may be 0. All bits of B are added.
func (r *reader) macc(in verilog.Instance) error {
	p, err := operands(in, "A", "Y")
	if err != nil {
		return err
	}
	config, at := numberOf(in, "CONFIG"), 0
	number := func(bits int) (n int) {
		for i := range bits {
			n |= int(config.Bit(at)) << i
			at++
		}
		return n
	}
	size := number(4)
	rest, width := p[0].Args, len(p[1].Args)
	next := func(n int) (bits []*verilog.Expr, ok bool) {
		if n > len(rest) {
			return nil, false
		}
		bits, rest = rest[len(rest)-n:], rest[:len(rest)-n]
		return bits, true
	}
	var sum *verilog.Expr
	add := func(e *verilog.Expr, isLess bool) {
		switch {
		case sum == nil && isLess:
			sum = &verilog.Expr{Kind: verilog.Unary, Op: "-", Args: []*verilog.Expr{e}, Span: in.Span}
		case sum == nil:
			sum = e
		default:
			sum = binaryOf(in, map[bool]string{true: "-", false: "+"}[isLess], sum, e)
		}
	}
	for len(rest) > 0 {
		signed, isLess := number(1) == 1, number(1) == 1
		a, okA := next(number(size))
		b, okB := next(number(size))
		if !okA || !okB || len(a)+len(b) == 0 || len(a) == 0 {
			return source.Errorf(in.Span, "syntax", "CONFIG of %s does not fit A", in.Name.Text)
		}
		term := extended(a, width, signed, in.Span)
		if len(b) > 0 {
			term = binaryOf(in, "*", term, extended(b, width, signed, in.Span))
		}
		add(term, isLess)
	}
	if b := pin(in, "B"); b != nil {
		for i := len(b.Args) - 1; i >= 0; i-- {
			add(extended(b.Args[i:i+1], width, false, in.Span), false)
		}
	}
	return r.drives(in, "Y", width, sum)
}

// bmux is the word of A whose number S is.
func (r *reader) bmux(in verilog.Instance) error {
	p, err := operands(in, "A", "S", "Y")
	if err != nil {
		return err
	}
	width := len(p[2].Args)
	if len(p[1].Args) > 16 || len(p[0].Args) != width<<len(p[1].Args) {
		return source.Errorf(in.Span, "width", "A of %s", in.Name.Text)
	}
	var words []*verilog.Expr // the lowest first
	for i := len(p[0].Args); i > 0; i -= width {
		words = append(words, &verilog.Expr{Kind: verilog.Concat, Args: p[0].Args[i-width : i], Span: in.Span})
	}
	return r.drives(in, "Y", width, selectWord(in, p[1].Args, words))
}

// selectWord chooses by bits, of which the first is the highest.
func selectWord(in verilog.Instance, s, words []*verilog.Expr) *verilog.Expr {
	if len(s) == 0 {
		return words[0]
	}
	half := len(words) / 2
	return chosen(in, s[0], selectWord(in, s[1:], words[half:]), selectWord(in, s[1:], words[:half]))
}

// demux has A as the word of Y whose number S is, and 0 elsewhere.
func (r *reader) demux(in verilog.Instance) error {
	p, err := operands(in, "A", "S", "Y")
	if err != nil {
		return err
	}
	width, n := len(p[0].Args), len(p[1].Args)
	if n > 16 || len(p[2].Args) != width<<n {
		return source.Errorf(in.Span, "width", "Y of %s", in.Name.Text)
	}
	word := &verilog.Expr{Kind: verilog.Concat, Args: p[0].Args, Span: in.Span}
	zero := extended([]*verilog.Expr{{Kind: verilog.Literal, Width: 1, Value: new(big.Int), Span: in.Span}}, width, false, in.Span)
	all := &verilog.Expr{Kind: verilog.Concat, Span: in.Span}
	for i := 1<<n - 1; i >= 0; i-- {
		at := &verilog.Expr{Kind: verilog.Literal, Width: n, Value: big.NewInt(int64(i)), Span: in.Span}
		all.Args = append(all.Args, chosen(in, binaryOf(in, "==", p[1], at), word, zero))
	}
	return r.drives(in, "Y", width<<n, all)
}

// concat has B above A.
func (r *reader) concat(in verilog.Instance) error {
	p, err := operands(in, "A", "B")
	if err != nil {
		return err
	}
	both := slices.Concat(p[1].Args, p[0].Args)
	return r.drives(in, "Y", len(both), &verilog.Expr{Kind: verilog.Concat, Args: both, Span: in.Span})
}

// slice are bits of A from OFFSET on.
func (r *reader) slice(in verilog.Instance) error {
	p, err := operands(in, "A", "Y")
	if err != nil {
		return err
	}
	from, width, n := numberOf(in, "OFFSET"), len(p[1].Args), len(p[0].Args)
	if from.Sign() < 0 || from.Cmp(big.NewInt(int64(n-width))) > 0 {
		return source.Errorf(in.Span, "width", "OFFSET of %s", in.Name.Text)
	}
	high := n - int(from.Int64())
	return r.drives(in, "Y", width, &verilog.Expr{Kind: verilog.Concat, Args: p[0].Args[high-width : high], Span: in.Span})
}

// andOr are complements: of A & B or C, of A & B or C & D, and with & and | exchanged.
func (r *reader) andOr(in verilog.Instance) error {
	inner, outer := "&", "|"
	if in.Type.Text[2] == 'O' {
		inner, outer = outer, inner
	}
	names := []string{"A", "B", "C"}
	if in.Type.Text[5] == '4' {
		names = append(names, "D")
	}
	p, err := operands(in, names...)
	if err != nil {
		return err
	}
	right := p[2]
	if len(p) == 4 {
		right = binaryOf(in, inner, p[2], p[3])
	}
	return r.drives(in, "Y", 1, notOf(in, binaryOf(in, outer, binaryOf(in, inner, p[0], p[1]), right)))
}

// wideMux chooses among A, B, .. by S, T, .., of which S is the lowest.
func (r *reader) wideMux(in verilog.Instance) error {
	n := map[string]int{"$_MUX4_": 2, "$_MUX8_": 3, "$_MUX16_": 4}[in.Type.Text]
	var names []string
	for i := range 1 << n {
		names = append(names, string(rune('A'+i)))
	}
	words, err := operands(in, names...)
	if err != nil {
		return err
	}
	names = nil
	for i := n - 1; i >= 0; i-- {
		names = append(names, string(rune('S'+i)))
	}
	s, err := operands(in, names...)
	if err != nil {
		return err
	}
	return r.drives(in, "Y", 1, selectWord(in, s, words))
}
