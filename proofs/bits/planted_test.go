//go:build planted

package bits

import (
	"strings"
	"testing"

	"tv/internal/planted"
)

// gatesOf is a certificate of kind gates, or another one, with a body as given.
func gatesOf(before, after, kind, body string) []byte {
	data := string(forged(before, after, "xilinx", "-", 0))
	return []byte(strings.Replace(data, "kind exhaustive\n", "kind "+kind+"\n"+body+"\n", 1))
}

// TestPlantedChecker has for each fault of the checker a certificate of something false, or of nothing, that is refused; with the fault
// it is accepted, so that a test that holds it against the checker finds the fault.
func TestPlantedChecker(t *testing.T) {
	faults, err := planted.Read("../../" + planted.CircuitChecker)
	if err != nil {
		t.Fatal(err)
	}
	and := "(spec (in a 1) (in b 1) (out y 1 (bvand a b)))"
	one := "(spec (in a 1) (out y 1 #b1))"
	wire := "module m(input a, output y); assign y = a; endmodule"
	hold := func(initial string) string { return "(spec (in e 1) (state s 1 " + initial + " s) (out y 1 s))" }
	kept := "history 0\nstep 2 0 0 0 2 0\nb s 0\na s 0\nv 3 4 0\nv 2 5 0\nshown 1 2\nbase 0 0 0 0 0\nshown 0 0"
	right := string(forged(and, "module m(input a, b, output y); assign y = a & b; endmodule", "xilinx", "-", 0))
	certificates := map[string][]byte{
		"checker-bits-digest-unchecked": []byte(strings.Replace(right, "(bvand a b)", "(bvand b a)", 1)),
		"checker-bits-unit-free":        gatesOf(one, wire, "gates", "gates 1 0 1 0\ni a 0 0\nu 2"),
		"checker-bits-choice-breaks": induction("(spec (in e 1) (assume (= s #b1)) (state s 1 any s) (out y 1 s))", "(spec (in e 1) (out y 1 #b1))", "-", 0,
			"history 0\nstep 1 0 0 1 0 0\nb s 0\nu 2\nshown\nbase 0 0 0 0 0\nshown"),
		"checker-bits-invariant-unshown": induction(hold("#b0"), hold("#b1"), "-", 0, kept),
		"checker-bits-next-forgotten":    induction(hold("#b0"), "(spec (in e 1) (state s 1 #b0 (bvnot s)) (out y 1 s))", "-", 0, kept),
		"checker-bits-inputs-of-others": induction(hold("#b0"), hold("#b0"), "-", 0,
			strings.Replace(strings.Replace(kept, "step 2", "step 3", 1), "a s 0\nv", "a s 0\ni e 0 1\nv", 1)),
		"checker-bits-lemma-unproved":   gatesOf(one, wire, "gates", "gates 1 0 0 1\ni a 0 0\n2 0 0"),
		"checker-bits-half-an-equality": gatesOf(and, "module m(input a, b, output y); assign y = a; endmodule", "gates", "gates 0 0 0 0"),
		// one of a ∧ b, a ∧ ¬b and ¬a ∧ ¬b holds, if of a hint with ¬a and ¬b left the latter has to
		"checker-bits-hint-with-two": gatesOf("(spec (in a 1) (in b 1) (out y 1 #b1))",
			"module m(input a, b, output y); assign y = (a & b) | (a & ~b) | (~a & ~b); endmodule", "gates",
			"gates 2 5 0 2\ni a 0 0\ni b 0 0\n2 4\n2 5\n3 5\n7 9\n12 11\n6 8 10 0 3 6 9 0\n15 0 13 14 10 11 16 0"),
		"checker-bits-few-tried":   forged("(spec (in a 4) (in b 4) (out y 4 (bvand a b)))", "module m(input [3:0] a, b, output [3:0] y); assign y = a & b & 4'b0111; endmodule", "xilinx", "-", 0),
		"checker-bits-borrow-lost": forged("(spec (in a 2) (in b 2) (out y 2 (bvsub a b)))", "module m(input [1:0] a, b, output [1:0] y); assign y = a + ~b; endmodule", "xilinx", "-", 0),
		"checker-bits-terms-left": gatesOf("(spec (in a 1) (out y 1 a))", "module m(input a, output y); assign y = ~a; endmodule", "algebra",
			"gates 0 0 0 0\nwords 1\nnodes 0 0\nword y 0"),
		"checker-bits-open-is-zero": forged("(spec (in a 1) (in b 1) (out y 1 (bvand a b)))", "module m(input a, b, output y); assign y = a / b; endmodule", "xilinx", "-", 0),
		"checker-bits-late-by-one":  forged(one, "module m(input c, a, output y); FDRE r (.C(c), .D(1'b1), .Q(y)); endmodule", "xilinx", "c", 0),
		"checker-bits-last-driver":  forged(and, "module m(input a, b, output y); assign y = a | b; assign y = a & b; endmodule", "xilinx", "-", 0),
		"checker-bits-signs-mixed": forged("(spec (in a 2) (in b 2) (out y 4 (bvadd ((_ sign_extend 2) a) ((_ sign_extend 2) b))))",
			"module m(input signed [1:0] a, input [1:0] b, output [3:0] y); assign y = a + b; endmodule", "xilinx", "-", 0),
		"checker-bits-latch":           forged(and, "module m(input a, b, output reg y); always @* if (a) y = b; endmodule", "xilinx", "-", 0),
		"checker-bits-table-backwards": forged(and, "module m(input a, b, output y); LUT2 #(.INIT(4'h1)) u (.I0(a), .I1(b), .O(y)); endmodule", "xilinx", "-", 0),
		"checker-bits-product-unsigned": forged("(spec (in a 1) (out y 48 ((_ zero_extend 21) ((_ repeat 27) a))))",
			`module m(input a, output [47:0] y);
  DSP48E2 #(.AREG(0), .ACASCREG(0), .BREG(0), .BCASCREG(0), .ADREG(0), .CREG(0), .DREG(0), .MREG(0), .PREG(0), .OPMODEREG(0), .ALUMODEREG(0), .INMODEREG(0), .CARRYINREG(0), .CARRYINSELREG(0))
    u (.OPMODE(9'b000000101), .ALUMODE(4'b0000), .INMODE(5'b00000), .CARRYIN(1'b0), .CARRYINSEL(3'b000), .A({30{a}}), .B(18'd1), .C(48'd0), .P(y));
endmodule`, "xilinx", "-", 0),
	}
	for fault, body := range map[string]string{
		"checker-bits-label-first":    "output y); case (1) 0: assign y = a & b; default: assign y = a | b; endcase",
		"checker-bits-generate-first": "output y); if (0) assign y = a & b; else assign y = a | b;",
		"checker-bits-list-short":     "output reg y); always @(a) y = a & b;",
		"checker-bits-block-variable": "output reg y); reg t; always @* begin t = b; begin : k reg t; t = a & b; end y = t; end",
	} {
		certificates[fault] = forged(and, "module m(input a, b, "+body+" endmodule", "xilinx", "-", 0)
	}
	if len(certificates) != len(faults.Names) {
		t.Errorf("%d certificates for %d faults", len(certificates), len(faults.Names))
	}
	for _, fault := range faults.Names {
		data := certificates[fault]
		if _, err := Check(data); err == nil || data == nil {
			t.Errorf("%s: accepted without the fault", fault)
		} else {
			t.Logf("%s: %v", fault, err)
		}
		remove := planted.Plant(fault)
		if _, err := Check(data); err != nil {
			t.Errorf("%s: refused with the fault: %v", fault, err)
		}
		remove()
	}
}
