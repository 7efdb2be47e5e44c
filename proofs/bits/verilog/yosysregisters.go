package verilog

import (
	"strings"

	"tv/proofs/bits/circuit"
	"tv/proofs/bits/gates"
)

// An ownRegister is one of Yosys' own: with a reset, an enable, or both, of which one is within
// what the other decides. What it holds first an attribute of the net says that it drives.
type ownRegister struct {
	clock, enable, reset string // pins; empty: none
	falls                bool
	enableLow, resetLow  bool
	isWithin             bool // the reset counts where it is enabled
	isAsync              bool // the reset counts at any time
	value                *node
	width                int
	initial              gates.Vec
}

// starts are the values that attributes give nets first.
func (j *jsonModule) starts() map[string]gates.Lit {
	out := map[string]gates.Lit{}
	for name, n := range j.Netnames {
		init, ok := n.Attributes["init"].(string)
		if !ok {
			_, other := n.Attributes["init"]
			gates.Need(!other, "the initial value of %s is no text", name)
			continue
		}
		gates.Need(len(init) <= len(n.Bits), "the initial value of %s is too wide", name)
		for i := range init {
			c, bit := init[len(init)-1-i], bitOf(n.Bits[i])
			if bit.op != "name" || c == 'x' {
				continue
			}
			gates.Need(c == '0' || c == '1', "the initial value of %s", name)
			old, twice := out[bit.text]
			gates.Need(!twice || old == gates.Bit(c == '1'), "two initial values of a net")
			out[bit.text] = gates.Bit(c == '1')
		}
	}
	return out
}

// start finds what a register holds first by the nets that it drives.
func (r *ownRegister) start(q *node, starts map[string]gates.Lit) {
	gates.Need(q != nil, "a register that drives nothing")
	r.width = len(q.args)
	for i := len(q.args) - 1; i >= 0; i-- {
		l, ok := starts[q.args[i].text]
		if !ok {
			l = circuit.Unknown
		}
		r.initial = append(r.initial, l)
	}
}

// registerOf is what a type of cell says of a register; nil where it is none of those that are
// read.
func registerOf(kind string, params map[string]*node) *ownRegister {
	name, letters, _ := strings.Cut(strings.Trim(kind, "$_"), "_")
	isWord := !strings.HasPrefix(kind, "$_")
	has := map[string]string{"dff": "", "dffe": "E", "sdff": "R", "sdffe": "RE", "sdffce": "RE",
		"adff": "R", "adffe": "RE"}
	if !isWord && len(letters) >= 3 && name[0] == 'D' { // $_DFF_PN0_ and $_DFFE_PN0P_
		name = "A" + name
	}
	pins, ok := has[strings.ToLower(name)]
	if !ok || isWord != (name == strings.ToLower(name)) || !isWord && kind[2] == 'A' {
		return nil
	}
	r := &ownRegister{clock: "C", isWithin: strings.HasSuffix(strings.ToLower(name), "ce"),
		isAsync: strings.ToLower(name[:1]) == "a"}
	if strings.Contains(pins, "E") {
		r.enable = "E"
	}
	if strings.Contains(pins, "R") {
		r.reset = "R"
	}
	if isWord {
		r.words(params)
	} else {
		r.letters(kind, letters)
	}
	return r
}

// words reads the parameters of a cell of words.
func (r *ownRegister) words(params map[string]*node) {
	isLow := func(p string) bool {
		n := params[p]
		gates.Need(n != nil && n.op == "number" && !n.unknown, "parameter %s", p)
		return n.value.Sign() == 0
	}
	r.clock, r.falls = "CLK", isLow("CLK_POLARITY")
	if r.enable != "" {
		r.enable, r.enableLow = "EN", isLow("EN_POLARITY")
	}
	if r.reset != "" {
		r.reset = "SRST"
		if r.isAsync {
			r.reset = "ARST"
		}
		r.resetLow, r.value = isLow(r.reset+"_POLARITY"), params[r.reset+"_VALUE"]
		isNumber := r.value != nil && r.value.op == "number" && !r.value.unknown
		gates.Need(isNumber, "%s_VALUE", r.reset)
	}
}

// letters are those of a gate: of the clock, the reset and its value, the enable.
func (r *ownRegister) letters(kind, letters string) {
	next := func(of string) byte {
		gates.Need(letters != "" && strings.IndexByte(of, letters[0]) >= 0, "the cell %s", kind)
		c := letters[0]
		letters = letters[1:]
		return c
	}
	r.falls = next("PN") == 'N'
	if r.reset != "" {
		r.resetLow = next("PN") == 'N'
		r.value = plain(int64(next("01") - '0'))
	}
	if r.enable != "" {
		r.enableLow = next("PN") == 'N'
	}
	gates.Need(letters == "", "the cell %s", kind)
}

// model is the register as a cell.
func (r *ownRegister) model(c *cell) {
	clock := r.clock
	if clock == "" {
		clock = "C"
	}
	f := flop{data: c.input("D", r.width), clock: c.one(clock), falls: r.falls,
		isWithin: r.isWithin, enable: circuit.Fixed(gates.Yes),
		reset: circuit.Fixed(gates.No), initial: circuit.Unknown}
	level := func(pin string, isLow bool) circuit.Wire {
		if isLow {
			return c.not(c.one(pin))
		}
		return c.one(pin)
	}
	if r.enable != "" {
		f.enable = level(r.enable, r.enableLow)
	}
	switch {
	case r.isAsync:
		f.clear = c.clears(level(r.reset, r.resetLow), c.path+c.in.name)
	case r.reset != "":
		f.reset = level(r.reset, r.resetLow)
	}
	if r.initial != nil {
		f.initials, f.values = r.initial, make(gates.Vec, r.width)
		for i := range f.values {
			f.values[i] = gates.Bit(r.value != nil && r.value.value.Bit(i) == 1)
		}
		gates.Need(r.value == nil || r.value.value.BitLen() <= r.width,
			"a reset to a value that is too wide, of %s", c.in.name)
	}
	c.output("Q", c.register(f)...)
}
