package flat

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
)

// Verilog is the module as a text: ports in the header, wires, an instance a line, and an assignment for each output.
func (m *Module) Verilog() string {
	var out strings.Builder
	var ports []string
	for _, s := range m.Signals {
		if s.Kind != Wire {
			ports = append(ports, fmt.Sprintf("%s wire%s %s", map[Kind]string{Input: "input", Output: "output"}[s.Kind], span(s), name(s.Name)))
		}
	}
	fmt.Fprintf(&out, "module %s(\n  %s\n);\n", name(m.Name), strings.Join(ports, ",\n  "))
	for _, s := range m.Signals {
		if s.Kind == Wire {
			fmt.Fprintf(&out, "  wire%s %s;\n", span(s), name(s.Name))
		}
	}
	for _, c := range m.Cells {
		var params, pins []string
		for _, p := range c.Params {
			params = append(params, fmt.Sprintf(".%s(%s)", p.Name, p.verilog()))
		}
		for _, p := range c.Pins {
			pins = append(pins, fmt.Sprintf(".%s(%s)", p.Name, m.verilog(p.Bits)))
		}
		out.WriteString("  " + name(c.Type) + " ")
		if len(params) > 0 {
			out.WriteString("#(" + listed(params) + ") ")
		}
		out.WriteString(name(c.Name) + " (" + listed(pins) + ");\n")
	}
	for _, d := range m.Drivers {
		fmt.Fprintf(&out, "  assign %s = %s;\n", name(m.Signals[d.Signal].Name), m.verilog(d.Bits))
	}
	out.WriteString("endmodule\n")
	return out.String()
}

// listed are items of a list, as many on a line as there is room for.
func listed(items []string) string {
	const room = 110
	var out strings.Builder
	column := 0
	for i, item := range items {
		if i > 0 {
			out.WriteByte(',')
			if column+len(item) > room {
				out.WriteString("\n    ")
				column = 4
			} else {
				out.WriteByte(' ')
			}
		}
		out.WriteString(item)
		column += len(item) + 2
	}
	return out.String()
}

func span(s Signal) string {
	if s.Width == 1 {
		return ""
	}
	return fmt.Sprintf(" [%d:0]", s.Width-1)
}

var simple = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_$]*$`)

// keywords are those of names that a caller may have; such a name is escaped as one with other characters is.
var keywords = func() map[string]bool {
	out := map[string]bool{}
	for word := range strings.FieldsSeq(`always and assign automatic begin buf bufif0 bufif1 case casex casez cell cmos config deassign default
		defparam design disable edge else end endcase endconfig endfunction endgenerate endmodule endprimitive endspecify endtable endtask event
		for force forever fork function generate genvar highz0 highz1 if ifnone incdir include initial inout input instance integer join large
		liblist library localparam macromodule medium module nand negedge nmos nor noshowcancelled not notif0 notif1 or output parameter pmos
		posedge primitive pull0 pull1 pulldown pullup pulsestyle_ondetect pulsestyle_onevent rcmos real realtime reg release repeat rnmos rpmos
		rtran rtranif0 rtranif1 scalared showcancelled signed small specify specparam strong0 strong1 supply0 supply1 table task time tran
		tranif0 tranif1 tri tri0 tri1 triand trior trireg unsigned use vectored wait wand weak0 weak1 while wire wor xnor xor logic bit byte
		int shortint longint always_comb always_ff always_latch`) {
		out[word] = true
	}
	return out
}()

// name escapes what is no identifier.
func name(s string) string {
	if simple.MatchString(s) && !keywords[s] {
		return s
	}
	return `\` + s + " "
}

func (p *Param) verilog() string {
	switch {
	case p.Value == nil:
		return `"` + p.Text + `"`
	case p.Width == 0:
		return p.Value.String()
	}
	return fmt.Sprintf("%d'h%0*x", p.Width, (p.Width+3)/4, p.Value)
}

// verilog is an expression of bits, least first: selects and constants as long as they may be, in a concatenation where they are several.
func (m *Module) verilog(bits []Bit) string {
	var parts []string
	for i := len(bits) - 1; i >= 0; {
		high, low := bits[i], i
		switch {
		case high.Signal == Open: // all of the pin is
			return ""
		case high.Signal == Constant:
			for low > 0 && bits[low-1].Signal == Constant {
				low--
			}
			parts = append(parts, constant(bits[low:i+1]))
		default:
			for low > 0 && bits[low-1] == (Bit{high.Signal, bits[low].Index - 1}) {
				low--
			}
			parts = append(parts, m.selected(high.Signal, high.Index, bits[low].Index))
		}
		i = low - 1
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func constant(bits []Bit) string {
	v := new(big.Int)
	for i, b := range bits {
		v.SetBit(v, i, uint(b.Index))
	}
	if len(bits) > 16 || len(bits) > 4 && v.Sign() == 0 {
		return fmt.Sprintf("%d'h%x", len(bits), v)
	}
	return fmt.Sprintf("%d'b%0*b", len(bits), len(bits), v)
}

func (m *Module) selected(signal, high, low int) string {
	s := m.Signals[signal]
	switch {
	case low == 0 && high == s.Width-1:
		return name(s.Name)
	case low == high:
		return fmt.Sprintf("%s[%d]", name(s.Name), low)
	}
	return fmt.Sprintf("%s[%d:%d]", name(s.Name), high, low)
}
