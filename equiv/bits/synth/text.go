package synth

import (
	"fmt"
	"strings"
)

// text is the sketch as a Verilog module with an input for each hole: what a refutation is about. Tables that are holes have no cell in
// Verilog, so that what such cells compute is written as assignments, by the gates that cells are lowered to.
func (s *Sketch) text(name string) string {
	w := &sketchText{Sketch: s, prefix: "n"}
	for w.clashes() {
		w.prefix += "_"
	}
	var ports []string
	for _, p := range s.inputs {
		ports = append(ports, "input "+ranged(p.width)+verilogName(p.name))
	}
	for _, h := range s.holes {
		ports = append(ports, "input "+ranged(len(h.bits))+h.name)
	}
	ports = append(ports, "output "+ranged(s.output.width)+verilogName(s.output.name))
	fmt.Fprintf(&w.out, "module %s(%s);\n", name, strings.Join(ports, ", "))
	for n := range s.nets {
		if k := s.nets[n].kind; k == output || k == pick || k == late {
			fmt.Fprintf(&w.out, "  wire %s;\n", w.net(net(n)))
		}
	}
	for _, n := range s.order {
		switch {
		case n < 0:
			w.part(&s.parts[^n])
		case s.nets[n].kind == pick:
			w.assign(n, fmt.Sprintf("%s ? %s : %s", w.net(s.nets[n].sel), w.net(s.nets[n].yes), w.net(s.nets[n].no)))
		default:
			w.assign(n, w.net(s.nets[n].yes))
		}
	}
	fmt.Fprintf(&w.out, "  assign %s = %s;\nendmodule\n", verilogName(s.output.name), w.row(s.result))
	return w.out.String()
}

// sketchText writes a sketch.
type sketchText struct {
	*Sketch
	prefix string
	out    strings.Builder
}

func (w *sketchText) clashes() bool {
	for _, p := range append(w.inputs[:len(w.inputs):len(w.inputs)], w.output) {
		if strings.HasPrefix(p.name, w.prefix) {
			return true
		}
	}
	return false
}

func ranged(width int) string {
	if width == 1 {
		return ""
	}
	return fmt.Sprintf("[%d:0] ", width-1)
}

// verilogName escapes: names of specifications are more than identifiers.
func verilogName(s string) string { return `\` + s + " " }

func (w *sketchText) net(n net) string {
	bit := func(name string, width, i int) string {
		if width == 1 {
			return name
		}
		return fmt.Sprintf("%s[%d]", name, i)
	}
	switch x := &w.nets[n]; x.kind {
	case constant:
		return fmt.Sprintf("1'b%d", x.a)
	case input:
		return bit(verilogName(w.inputs[x.a].name), w.inputs[x.a].width, x.b)
	case holeBit:
		return bit(w.holes[x.a].name, len(w.holes[x.a].bits), x.b)
	}
	return fmt.Sprintf("%s%d", w.prefix, n)
}

func (w *sketchText) row(nets []net) string {
	var parts []string
	for i := len(nets) - 1; i >= 0; i-- {
		parts = append(parts, w.net(nets[i]))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func (w *sketchText) assign(n net, value string) {
	fmt.Fprintf(&w.out, "  assign %s = %s;\n", w.net(n), value)
}

// lookup is a table: the highest input chooses between halves.
func (w *sketchText) lookup(t []net, ins []net) string {
	if len(ins) == 0 {
		return w.net(t[0])
	}
	half, top := len(t)/2, len(ins)-1
	return fmt.Sprintf("(%s ? %s : %s)", w.net(ins[top]), w.lookup(t[half:], ins[:top]), w.lookup(t[:half], ins[:top]))
}

// pinsOf are the nets of pins, in a row.
func (p *part) pinsOf(names ...string) (out []net) {
	for _, name := range names {
		for _, q := range append(p.in[:len(p.in):len(p.in)], p.out...) {
			if q.name == name {
				out = append(out, q.bits...)
			}
		}
	}
	return out
}

func (p *part) param(name string) []net {
	for _, q := range p.params {
		if q.name == name {
			return q.bits
		}
	}
	return nil
}

func (w *sketchText) part(p *part) {
	for _, l := range fabrics[w.arch].luts {
		if l.typ == p.typ {
			w.lut(&l, p)
			return
		}
	}
	switch p.typ {
	case "CCU2C":
		w.ccu2c(p)
	case "MISTRAL_ALUT_ARITH":
		w.arith(p)
	default:
		var params, pins []string
		for _, q := range p.params {
			params = append(params, fmt.Sprintf(".%s(%q)", q.name, q.text))
		}
		for _, q := range append(p.in[:len(p.in):len(p.in)], p.out...) {
			if len(q.bits) > 0 {
				pins = append(pins, fmt.Sprintf(".%s(%s)", q.name, w.row(q.bits)))
			}
		}
		fmt.Fprintf(&w.out, "  %s #(%s) %su%d (%s);\n", p.typ, strings.Join(params, ", "), w.prefix, w.out.Len(), strings.Join(pins, ", "))
	}
}

func (w *sketchText) lut(l *lutCell, p *part) {
	out := p.pinsOf(l.out)[0]
	if l.param != "" {
		w.assign(out, w.lookup(p.param(l.param), p.pinsOf(l.pins...)))
		return
	}
	ins := p.pinsOf("in")
	reversed := make([]net, len(ins))
	for i, n := range ins {
		reversed[len(ins)-1-i] = n
	}
	w.assign(out, w.lookup(p.pinsOf("sram"), reversed))
}

// ccu2c is both halves: a sum is the table xor the carry, and a carry goes on where the table says so, else it is the table of A and B alone.
func (w *sketchText) ccu2c(p *part) {
	c := w.net(p.pinsOf("CIN")[0])
	for _, half := range []string{"0", "1"} {
		t, in := p.param("INIT"+half), p.pinsOf("A"+half, "B"+half, "C"+half, "D"+half)
		wide, narrow := w.lookup(t, in), w.lookup(t[:4], in[:2])
		if s := p.pinsOf("S" + half); len(s) > 0 {
			w.assign(s[0], wide+" ^ "+c)
		}
		c = fmt.Sprintf("(%s ? %s : %s)", wide, c, narrow)
	}
	if co := p.pinsOf("COUT"); len(co) > 0 {
		w.assign(co[0], c)
	}
}

// arith is the sum of a table, the complement of another, and the carry.
func (w *sketchText) arith(p *part) {
	q0 := w.lookup(p.param("LUT0"), p.pinsOf("A", "B", "C", "D0"))
	q1 := "~" + w.lookup(p.param("LUT1"), p.pinsOf("A", "B", "C", "D1"))
	c := w.net(p.pinsOf("CI")[0])
	either := fmt.Sprintf("(%s ^ (%s))", q0, q1)
	if so := p.pinsOf("SO"); len(so) > 0 {
		w.assign(so[0], either+" ^ "+c)
	}
	if co := p.pinsOf("CO"); len(co) > 0 {
		w.assign(co[0], fmt.Sprintf("(%s & (%s)) | (%s & %s)", q0, q1, either, c))
	}
}
