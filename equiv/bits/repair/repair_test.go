package repair

import (
	"strings"
	"testing"

	circuits "tv/equiv/bits"
	"tv/internal/source"
	"tv/semantics/bits/bv"
	"tv/semantics/bits/bv/lower"
	"tv/semantics/bits/netlist"
	"tv/semantics/bits/verilog"
	"tv/semantics/bits/word"
)

const sum = `module m(input clk, input [3:0] a, b, output [3:0] y);
  wire [3:0] s, t;
  LUT2 #(.INIT(4'h6)) l0 (.I0(a[0]), .I1(b[0]), .O(s[0]));
  LUT2 #(.INIT(4'h6)) l1 (.I0(a[1]), .I1(b[1]), .O(s[1]));
  LUT2 #(.INIT(4'h6)) l2 (.I0(a[2]), .I1(b[2]), .O(s[2]));
  LUT2 #(.INIT(4'h6)) l3 (.I0(a[3]), .I1(b[3]), .O(s[3]));
  CARRY4 k (.CI(1'b0), .DI(a), .S(s), .O(t));
  LUT3 #(.INIT(8'hca)) m0 (.I0(t[0]), .I1(a[0]), .I2(b[3]), .O(y[0]));
  FDRE r1 (.C(clk), .D(t[1]), .Q(y[1]));
  FDRE r2 (.C(clk), .D(t[2]), .Q(y[2]));
  FDRE r3 (.C(clk), .D(t[3]), .Q(y[3]));
endmodule
`

func searched(t *testing.T, spec, text string) *Repair {
	t.Helper()
	s, err := bv.Parse(source.NewFile("a.bv", spec))
	if err != nil {
		t.Fatal(err)
	}
	v, err := verilog.Parse(source.NewFile("a.v", text))
	if err != nil {
		t.Fatal(err)
	}
	n, err := netlist.Elaborate(v, netlist.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := word.NewBuilder()
	q := circuits.Question{Before: lower.Design(s, b), After: n.Design(b), Latency: s.Latency}
	r, err := circuits.Check(t.Context(), q, circuits.Options{})
	if err != nil || r.Verdict != circuits.Refuted {
		t.Fatal(r.Verdict, r.Detail, err)
	}
	return Search(t.Context(), q, n, r.Counterexample)
}

// Each change is undone by the one that is found, in tables, pins and registers; two changes by none.
func TestSearch(t *testing.T) {
	late := "(spec (in a 4) (in b 4) (latency 1) (out y 4 (bvadd a b)))"
	right := strings.Replace(sum, "LUT3 #(.INIT(8'hca)) m0 (.I0(t[0]), .I1(a[0]), .I2(b[3]), .O(y[0]))", "FDRE r0 (.C(clk), .D(t[0]), .Q(y[0]))", 1)
	for _, c := range []struct{ old, new, want string }{
		{"4'h6)) l2", "4'he)) l2", "l2 LUT2 INIT bit 3"},
		{"4'h6)) l0", "4'h7)) l0", "l0 LUT2 INIT bit 0"},
		{".CI(1'b0)", ".CI(1'b1)", "k CARRY4 pin CI at 0"},
		{"r2 (.C(clk), .D", "r2 (.C(clk), .R(1'b1), .D", "r2 FDRE pin R at 0"},
	} {
		r := searched(t, late, strings.Replace(right, c.old, c.new, 1))
		if r == nil || r.Change != c.want {
			t.Errorf("%s: %+v", c.want, r)
		}
	}
	two := strings.NewReplacer("4'h6)) l2", "4'he)) l2", "4'h6)) l1", "4'h0)) l1").Replace(right)
	if r := searched(t, late, two); r != nil {
		t.Errorf("two changes: %+v", r)
	}
	mux := "module m(input a, b, s, output y);\n  MUXF7 u (.I0(b), .I1(a), .S(s), .O(y));\nendmodule\n"
	if r := searched(t, "(spec (in a 1) (in b 1) (in s 1) (out y 1 (ite (= s #b1) b a)))", mux); r == nil || r.Change != "u MUXF7 pins I0 and I1 exchanged" {
		t.Errorf("exchange: %+v", r)
	}
}
