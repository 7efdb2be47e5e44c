package verilog

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"tv/proofs/bits/circuit"
	"tv/proofs/bits/gates"
)

// What texts mean, by hand: inputs of each cycle, and the output y of each, in binary.
func TestMeaning(t *testing.T) {
	for _, c := range []struct{ name, text, inputs, want string }{
		{"a carry is kept by the width on the left", "input [1:0] a, b, output [2:0] y); assign y = a + b;", "11 11, 10 01", "110 011"},
		{"and lost by a comparison", "input [1:0] a, b, output y); assign y = (a + b) < 2'd2;", "11 10, 01 01", "1 0"},
		{"one unsigned operand makes all unsigned", "input signed [1:0] a, input [1:0] b, output [3:0] y); assign y = a + b;", "11 01, 11 11", "0100 0110"},
		{"signs are extended", "input signed [1:0] a, b, output [3:0] y); assign y = a + b;", "11 01, 11 11", "0000 1110"},
		{">>> with a sign", "input signed [3:0] a, input [1:0] b, output [3:0] y); assign y = a >>> b;", "1000 01, 1000 11", "1100 1111"},
		{">>> beside an unsigned word", "input signed [3:0] a, input [3:0] b, output [3:0] y); assign y = (a >>> 1) | b;", "1000 0000", "0100"},
		{"a parameter", "input [1:0] a, b, output [2:0] y); parameter W = 3; localparam [W-1:0] K = W + 1; assign y = a ^ K;", "01 00", "101"},
		{"a last value counts", "input [1:0] a, b, output reg [1:0] y); always @* begin y = a; if (a == b) y = 0; end", "01 01, 10 01", "00 10"},
		{"a full case", "input [1:0] a, b, output reg [1:0] y); always @* case (a) 0: y = b; 1: y = 3; 2, 3: y = 1; endcase", "00 10, 01 10, 11 10", "10 11 01"},
		{"casez, the first label that matches", "input [1:0] a, b, output reg [1:0] y); always @* casez (a) 2'b1?: y = b; 2'b?1: y = 3; default: y = 1; endcase", "11 10, 01 10, 00 00", "10 11 01"},
		{"a loop counts ones", "input [1:0] a, b, output reg [2:0] y); integer i; always @* begin y = 0; for (i = 0; i < 2; i = i + 1) y = y + a[i] + b[i]; end", "11 10, 01 00", "011 001"},
		{"a function", "input [1:0] a, b, output [1:0] y); function [1:0] f; input [1:0] p, q; begin if (p > q) f = p; else f = q; end endfunction assign y = f(a, b);", "11 10, 01 10", "11 10"},
		{"non-blocking: all at once", "input a, b, output y); reg p = 0, q = 1; always @(posedge clk) begin p <= q; q <= p; end assign y = p;", "0 0, 0 0, 0 0", "0 1 0"},
		{"an enable and a reset", "input a, b, output reg y = 0); always @(posedge clk) if (a) y <= 0; else if (b) y <= 1;", "0 0, 0 1, 0 0, 1 1, 0 0", "0 0 1 1 0"},
		{"an initial block", "input a, b, output reg y); initial y = 1; always @(posedge clk) y <= a;", "0 0, 0 0", "1 0"},
		{"a moving bit is assigned", "input [1:0] a, input b, output reg [3:0] y); always @* begin y = 0; y[a] = b; end", "10 1, 00 1", "0100 0001"},
		{"an ascending range", "input [0:3] a, input [1:0] b, output y); assign y = a[b];", "1000 00, 1000 11", "1 0"},
		{"a division by 0 is open", "input [1:0] a, b, output [1:0] y); assign y = a / b;", "11 10, 11 00", "01 ??"},
		{"a bit that is not there is open", "input [2:0] a, input [1:0] b, output y); assign y = a[b];", "100 10, 111 11", "1 ?"},
		{"open once, used twice", "input [1:0] a, b, output [1:0] y); wire [1:0] q; assign q = a / b; assign y = q ^ q;", "11 00", "00"},
		{"open twice", "input [1:0] a, b, output [1:0] y); assign y = (a / b) ^ (a / b);", "11 00", "??"},
		{"no initial value", "input a, b, output reg y); always @(posedge clk) y <= a;", "1 0, 0 0", "? 1"},
		{"a power", "input [2:0] a, b, output [5:0] y); assign y = a ** 2;", "101 000", "011001"},
		{"a module with a parameter", "input [1:0] a, b, output [3:0] y); m2 #(.W(2)) u (.p(a), .q(y)); endmodule module m2 #(parameter W = 1) (input [W-1:0] p, output [2*W-1:0] q); assign q = {2{p}};", "10 00", "1010"},
	} {
		d := &drawn{writer: &writer{Rand: rand.New(rand.NewPCG(1, 1))}, top: "m", text: "module m(input clk, " + c.text + " endmodule"}
		d.inputs = []variable{{name: "a"}, {name: "b"}}
		for _, row := range strings.Split(c.inputs, ", ") {
			d.stream = append(d.stream, strings.Fields(row))
		}
		got, err := d.read()
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %s, %v; want %s", c.name, got, err, c.want)
		}
	}
}

// What is not read for sure is refused, each for its own reason.
func TestRefusals(t *testing.T) {
	for _, c := range []struct{ text, why string }{
		{"output reg y); always @* if (a) y = b;", "a latch"},
		{"output reg y); always @* case (a) 0: y = b; endcase", "a latch"},
		{"output reg y); reg t; always @* begin y = t; t = a; end", "read before"},
		{"output reg y); always @(posedge clk) y = a;", "wrong assignment"},
		{"output reg y); always @* y <= a;", "nothing clocks"},
		{"output reg y); always @(posedge clk or posedge b) y <= a;", "does not ask for"},
		{"output reg y); always @(posedge clk or posedge b) if (!b) y <= 0; else y <= a;", "does not ask for"},
		{"output reg y); always @(posedge clk or posedge b) if (b) y <= a; else y <= 0;", "not constant"},
		{"output reg y); wire c = a & b; always @(posedge clk or posedge c) if (c) y <= 0; else y <= a;", "is no input"},
		{"output reg y); always @(posedge clk or posedge b or negedge a) if (b) y <= 0; else y <= 1;", "three edges"},
		{"output reg y); reg t; always @(posedge clk) t <= a; always @(negedge clk) y <= t;", "both edges"},
		{"output reg y); always @(a) y = a & b;", "does not wait"},
		{"output y); case (a) 1: assign y = b; endcase", "constant is expected"},
		{"output y); case (1) default: assign y = a; default: assign y = b; endcase", "two defaults"},
		{"output y); case (2) 1: assign y = a; endcase", "nothing drives"},
		{"output reg y); always @(posedge clk) y <= a; always @(posedge clk) y <= b;", "two drivers"},
		{"output reg y); always @(posedge clk) y <= a; always @* y = b;", "two drivers"},
		{"output reg y); always @* y = a; assign y = b;", "no net to drive"},
		{"output y); assign y = 1'bx;", "x or z"},
		{"output reg y); always @* case (a) 1'bx: y = 0; default: y = 1; endcase", "x or z"},
		{"output reg y); always @* case (a) 1'b?: y = 0; default: y = 1; endcase", "x or z"},
		{"output reg y); always @* casex (a) 1'b?: y = 0; default: y = 1; endcase", "expected"},
		{"output reg y); always @* #1 y = a;", "expected"},
		{"output reg y); integer i; always @* begin y = 0; for (i = 0; i < a; i = i + 1) y = b; end", "not constant"},
		{"output reg y); integer i; always @* begin y = 0; for (i = 0; i < 2; i = i) y = b; end", "steps"},
		{"output y); wire w; assign w = w & a; assign y = w;", "a loop"},
		{"output reg y); always @* y = y & a;", "read before"},
		{"output y); reg [1:0] m [3:0]; assign y = a;", "an array"},
		{"output y); function f; input p; f = p & b; endfunction assign y = f(a);", "not its own"},
		{"output y); function f; input p; f = f(p); endfunction assign y = f(a);", "too deeply"},
		{"output y); assign y = a ? b;", `":" is expected`},
		{"output [1:0] y); assign y = a ** $signed({a, b});", "an exponent with a sign"},
		{"output y); parameter P = a; assign y = P;", "constant is expected"},
		{"output reg y); initial y = a; always @(posedge clk) y <= a;", "no constant"},
		{"output reg y = 0); initial y = 1; always @(posedge clk) y <= a;", "two initial values"},
		{"output reg y); always @(posedge a) y <= b;", "the clock is read|does not clock"},
		{"output y); wire n = ~clk; reg q; always @(posedge n) q <= a; assign y = q;", "the clock is read|does not clock"},
		{"output y); assign y = clk;", "clock is read"},
		{"output y); m2 u (.p(a), .q(y)); endmodule module m2 (input [1:0] p, output q); assign q = p[0];", "a connection of 1 bits"},
		{"output y); m2 #(.L(3)) u (.q(y)); endmodule module m2 (output q); localparam L = 1; assign q = L;", "local parameter"},
		{"output y); genvar i; for (i = 0; i < 2; i = 1 - i) begin end assign y = a;", "without end"},
		{"output y); genvar i; for (i = 0; i < a; i = i + 1) begin end assign y = a;", "no constant"},
		{"output y); genvar i; for (i = 0; i < 2; i = i + 1) assign y = a;", "two drivers"},
		{"output y); if (1) begin : k wire w = a; end assign y = w;", "nothing drives"},
		{"output y); assign y = a; always @* begin end task t; endtask", "expected"},
		{"output reg [1:0] y); always @(posedge clk) y[0] <= a; always @* y[1] = b;", "two drivers|two blocks"},
	} {
		err := refusal(c.text)
		matches := false
		for _, why := range strings.Split(c.why, "|") {
			matches = matches || err != nil && strings.Contains(err.Error(), why)
		}
		if !matches {
			t.Errorf("%s: %v, not %s", c.text, err, c.why)
		}
	}
}

func refusal(text string) (err error) {
	defer func() {
		if r, ok := recover().(gates.Refusal); ok {
			err = errors.New(r.Text)
		}
	}()
	v := &circuit.View{Graph: gates.NewGraph(), Clock: "clk", Late: 4}
	c := Read(v, "verilog", fmt.Sprintf("module m(input clk, a, b, %s endmodule", text), "m", "")
	c.Outputs("y", 0)
	return nil
}
