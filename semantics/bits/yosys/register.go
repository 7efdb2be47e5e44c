package yosys

import (
	"math/big"
	"strings"

	"tv/internal/source"
	"tv/semantics/bits/cells"
	"tv/semantics/bits/verilog"
)

// A register is one of Yosys' own: $dff, $dffe, $sdff, $sdffe, $sdffce, $adff, $adffe hold words, $_DFF_P_ and the like bits. A synchronous reset
// and an enable are what it reads: so there are two cells for all, with and without an asynchronous reset, whose data say what the others do.
type register struct {
	gate          bool
	enable, reset bool
	within        bool   // the reset counts where the register is enabled
	clears        bool   // the reset is asynchronous
	letters       string // of a gate: edge, level of the reset and its value, level of the enable
}

// registerOf takes the name of a cell apart; ok is false where it is none of these.
func registerOf(typ string) (reg register, ok bool) {
	name := strings.TrimPrefix(typ, "$")
	if reg.gate = strings.HasPrefix(name, "_"); reg.gate {
		name, reg.letters, _ = strings.Cut(strings.Trim(name, "_"), "_")
		if name != strings.ToUpper(name) {
			return reg, false
		}
		name = strings.ToLower(name)
		if clears := map[string]string{"dff": "adff", "dffe": "adffe"}[name]; clears != "" && len(reg.letters) > 2 {
			name = clears
		}
	}
	switch name {
	case "dff":
	case "dffe":
		reg.enable = true
	case "sdff":
		reg.reset = true
	case "sdffe":
		reg.enable, reg.reset = true, true
	case "sdffce":
		reg.enable, reg.reset, reg.within = true, true, true
	case "adff":
		reg.reset, reg.clears = true, true
	case "adffe":
		reg.enable, reg.reset, reg.clears = true, true, true
	default:
		return reg, false
	}
	n := 1
	if reg.reset {
		n += 2
	}
	if reg.enable {
		n++
	}
	return reg, !reg.gate || len(reg.letters) == n && strings.Trim(reg.letters, "PN01") == ""
}

// register makes a register of a cell. What it holds first attributes of the nets say that it drives.
func (r *reader) register(in verilog.Instance, reg register) error {
	param := func(name string) (*verilog.Expr, error) {
		for _, p := range in.Params {
			if p.Text == name && p.Expr.Kind == verilog.Literal && p.Expr.Unknown == nil {
				return p.Expr, nil
			}
		}
		return nil, source.Errorf(in.Span, "syntax", "%s has no parameter %s", in.Name.Text, name)
	}
	need := func(name string) (*verilog.Expr, error) {
		if e := pin(in, name); e != nil {
			return e, nil
		}
		return nil, source.Errorf(in.Span, "undriven", "pin %s of %s is open", name, in.Name.Text)
	}
	letters := reg.letters
	// low tells whether what a letter or a parameter is about counts where it is 0, or falls.
	low := func(name string) (bool, error) {
		if reg.gate {
			c := letters[0]
			letters = letters[1:]
			return c == 'N', nil
		}
		p, err := param(name)
		return err == nil && p.Value.Sign() == 0, err
	}
	level := func(pinName, name string) (*verilog.Expr, error) {
		e, err := need(pinName)
		if err != nil {
			return nil, err
		}
		isLow, err := low(name)
		if isLow {
			e = &verilog.Expr{Kind: verilog.Unary, Op: "~", Args: []*verilog.Expr{e}, Span: e.Span}
		}
		return e, err
	}
	names := map[bool][3]string{true: {"C", "R", "E"}, false: {"CLK", "SRST", "EN"}}[reg.gate]
	if reg.clears && !reg.gate {
		names[1] = "ARST"
	}
	clock, err := need(names[0])
	if err != nil {
		return err
	}
	falls, err := low("CLK_POLARITY")
	if err != nil {
		return err
	}
	data, err := need("D")
	if err != nil {
		return err
	}
	out, err := need("Q")
	if err != nil {
		return err
	}
	if len(data.Args) != len(out.Args) {
		return source.Errorf(in.Span, "width", "D and Q of %s", in.Name.Text)
	}
	width := len(out.Args)
	choose := func(s, a, b *verilog.Expr) *verilog.Expr {
		return &verilog.Expr{Kind: verilog.Cond, Args: []*verilog.Expr{s, a, b}, Span: in.Span}
	}
	var reset, value, enable *verilog.Expr
	if reg.reset {
		of := "SRST"
		if reg.clears {
			of = "ARST"
		}
		if reset, err = level(names[1], of+"_POLARITY"); err != nil {
			return err
		}
		if value, err = reg.value(&letters, width, param, of+"_VALUE", in.Span); err != nil {
			return err
		}
	}
	if reg.enable {
		if enable, err = level(names[2], "EN_POLARITY"); err != nil {
			return err
		}
	}
	if reg.within && reset != nil {
		data = choose(reset, value, data)
	}
	if enable != nil {
		data = choose(enable, data, out)
	}
	if !reg.within && !reg.clears && reset != nil {
		data = choose(reset, value, data)
	}
	edge := &verilog.Expr{Kind: verilog.Literal, Width: 1, Value: new(big.Int), Span: in.Span}
	if falls {
		edge.Value.SetInt64(1)
	}
	connection := func(name string, e *verilog.Expr) verilog.Connection {
		return verilog.Connection{Name: verilog.Name{Text: name, Span: e.Span}, Expr: e}
	}
	made := verilog.Instance{
		Type: verilog.Name{Text: cells.WordRegister(width), Span: in.Type.Span}, Name: in.Name, Span: in.Span,
		Params: []verilog.Connection{connection("FALLS", edge), connection("INIT", r.initial(r.pins["Q"]))},
		Pins:   []verilog.Connection{connection("C", clock), connection("D", data), connection("Q", out)},
	}
	if reg.clears {
		made.Type.Text = cells.WordClear(width)
		made.Params = append(made.Params, connection("VALUE", value))
		made.Pins = append(made.Pins, connection("R", reset))
	}
	r.module.Instances = append(r.module.Instances, made)
	return nil
}

// value is what a register holds after a reset: a letter of a gate says it, or a parameter.
func (reg register) value(letters *string, width int, param func(string) (*verilog.Expr, error), name string, span source.Span) (*verilog.Expr, error) {
	e := &verilog.Expr{Kind: verilog.Literal, Width: width, Value: new(big.Int), Span: span}
	if reg.gate {
		if (*letters)[0] == '1' {
			e.Value.SetInt64(1)
		}
		*letters = (*letters)[1:]
		return e, nil
	}
	p, err := param(name)
	if err != nil {
		return nil, err
	}
	if p.Value.BitLen() > width {
		return nil, source.Errorf(span, "width", "a reset to a value of more than %d bits", width)
	}
	e.Value = p.Value
	return e, nil
}

// starts reads the attributes init of nets: the value of each, by its number.
func (r *reader) starts() error {
	names := r.of.get("netnames")
	if names == nil {
		return nil
	}
	for _, n := range names.fields {
		attributes, bits := n.value.get("attributes"), n.value.get("bits")
		if attributes == nil || bits == nil {
			continue
		}
		init := attributes.get("init")
		if init == nil {
			continue
		}
		if init.kind != text || len(init.text) > len(bits.list) || strings.Trim(init.text, "01x") != "" {
			return init.errorf("syntax", "the initial value of %s", n.name)
		}
		for i := range init.text {
			c := init.text[len(init.text)-1-i]
			net, ok := bits.list[i].net()
			if !ok || c == 'x' {
				continue
			}
			if old, twice := r.init[net]; twice && old != c {
				return init.errorf("two-drivers", "two initial values of a net of %s", n.name)
			}
			r.init[net] = c
		}
	}
	return nil
}

// initial is what a register that drives nets holds first: x where no attribute says it.
func (r *reader) initial(out *value) *verilog.Expr {
	e := &verilog.Expr{Kind: verilog.Literal, Width: len(out.list), Value: new(big.Int), Unknown: new(big.Int), Span: out.span}
	for i, bit := range out.list { // the lowest first
		net, _ := bit.net()
		switch r.init[net] {
		case '1':
			e.Value.SetBit(e.Value, i, 1)
		case '0':
		default:
			e.Unknown.SetBit(e.Unknown, i, 1)
		}
	}
	if e.Unknown.Sign() == 0 {
		e.Unknown = nil
	}
	return e
}
