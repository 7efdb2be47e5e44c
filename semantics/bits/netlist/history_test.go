package netlist

import (
	"fmt"
	"strings"
	"testing"

	"tv/internal/source"
	"tv/semantics/bits/verilog"
)

// A bit comes from the cells that its cone has, through a register of the cycle before; what a register starts with comes from nowhere.
func TestHistory(t *testing.T) {
	text := `module m(input clk, input a, input e, output y);
  wire d, z;
  LUT3 #(.INIT(8'hca)) l (.I0(y), .I1(a), .I2(e), .O(d));
  LUT2 #(.INIT(4'h8)) unread (.I0(a), .I1(e), .O(z));
  FDRE #(.INIT(1'b1)) r (.C(clk), .CE(1'b1), .R(1'b0), .D(d), .Q(y));
endmodule`
	f, err := verilog.Parse(source.NewFile("m.v", text))
	if err != nil {
		t.Fatal(err)
	}
	n, err := Elaborate(f, Options{})
	if err != nil {
		t.Fatal(err)
	}
	inputs := func(port string, _, cycle int) uint64 { // a = 0 1 0, e = 1 1 0
		if port == "clk" { // which a run does not look at
			return 0
		}
		return map[string][]uint64{"a": {0, 1, 0}, "e": {1, 1, 0}}[port][cycle]
	}
	history := func(cycle, most int) (list []string) {
		for _, m := range n.History(n.Outputs[0].Bits[0], cycle, inputs, most) {
			text := fmt.Sprintf("%s %s @%d depth %d", m.Kind, m.Name, m.Cycle, m.Depth)
			for _, p := range m.Pins {
				text += fmt.Sprintf(" %s=%d", p.Name, p.Value)
			}
			list = append(list, fmt.Sprint(text, " ", m.From, " ", m.Start))
		}
		return list
	}
	for _, test := range []struct {
		cycle, most int
		want        string
	}{
		{0, 9, "FDRE r @0 depth 0 Q=1 [] true"},
		{2, 9, `FDRE r @2 depth 0 CE=1 D=1 R=0 Q=1 [1] false
LUT3 l @1 depth 1 I0=0 I1=1 I2=1 O=1 [2] false
FDRE r @1 depth 2 CE=1 D=0 R=0 Q=0 [3] false
LUT3 l @0 depth 3 I0=1 I1=0 I2=1 O=0 [4] false
FDRE r @0 depth 4 Q=1 [] true`},
		{2, 2, `FDRE r @2 depth 0 CE=1 D=1 R=0 Q=1 [1] false
LUT3 l @1 depth 1 I0=0 I1=1 I2=1 O=1 [] false`},
	} {
		if got := strings.Join(history(test.cycle, test.most), "\n"); got != test.want {
			t.Errorf("cycle %d:\n%s\nwant\n%s", test.cycle, got, test.want)
		}
	}
}
