package calyx

import (
	"strings"
	"testing"

	"tv/proofs/bits/circuit"
	"tv/proofs/bits/circuittest"
)

func run(text, inputs string) ([]string, error) {
	var stream []map[string]string
	for _, row := range strings.Split(inputs, ", ") {
		f := strings.Fields(row)
		stream = append(stream, map[string]string{"a": f[0], "b": f[1], "e": f[1][len(f[1])-1:]})
	}
	return circuittest.Run(func(v *circuit.View) *circuit.Circuit { return Read(v, text, "main") }, "clk", "y", stream)
}

// binaryOf is a component of one cell with left and right.
func binaryOf(kind string) string {
	return "x = std_" + kind + "(4); | x.left = a; x.right = b; y = x.out;"
}

// What primitives mean, by hand: a and b of four bits, e the lowest bit of b, and the output y of each cycle.
func TestMeaning(t *testing.T) {
	for _, c := range []struct{ name, width, body, inputs, want string }{
		{"add wraps", "4", binaryOf("add"), "1111 0011", "0010"},
		{"sub", "4", binaryOf("sub"), "0001 0010", "1111"},
		{"and", "4", binaryOf("and"), "1100 1010", "1000"},
		{"or", "4", binaryOf("or"), "1100 1010", "1110"},
		{"xor", "4", binaryOf("xor"), "1100 1010", "0110"},
		{"gt is unsigned", "1", binaryOf("gt"), "1000 0001, 0001 0001", "1 0"},
		{"lt", "1", binaryOf("lt"), "1000 0001, 0001 0010", "0 1"},
		{"ge", "1", binaryOf("ge"), "0001 0001, 0001 0010", "1 0"},
		{"le", "1", binaryOf("le"), "0001 0001, 0010 0001", "1 0"},
		{"eq", "1", binaryOf("eq"), "0001 0001, 0010 0001", "1 0"},
		{"neq", "1", binaryOf("neq"), "0001 0001, 0010 0001", "0 1"},
		{"sgt", "1", binaryOf("sgt"), "1000 0001, 0001 1000", "0 1"},
		{"slt", "1", binaryOf("slt"), "1000 0001, 0001 1000", "1 0"},
		{"sge", "1", binaryOf("sge"), "1000 0001, 1000 1000", "0 1"},
		{"sle", "1", binaryOf("sle"), "1000 0001, 0001 1000", "1 0"},
		{"seq", "1", binaryOf("seq"), "1000 1000, 0001 1000", "1 0"},
		{"sneq", "1", binaryOf("sneq"), "1000 1000, 0001 1000", "0 1"},
		{"sadd", "4", binaryOf("sadd"), "1000 0001", "1001"},
		{"ssub", "4", binaryOf("ssub"), "0000 0001", "1111"},
		{"lsh by all there is", "4", binaryOf("lsh"), "0011 0001, 0011 0100", "0110 0000"},
		{"rsh", "4", binaryOf("rsh"), "1100 0001, 1100 0100", "0110 0000"},
		{"slsh", "4", binaryOf("slsh"), "1011 0001", "0110"},
		{"srsh fills with the sign", "4", binaryOf("srsh"), "1000 0001, 1000 1000, 0100 0001", "1100 1111 0010"},
		{"not", "4", "x = std_not(4); | x.in = a; y = x.out;", "1100 0000", "0011"},
		{"wire", "4", "x = std_wire(4); | x.in = a; y = x.out;", "1100 0000", "1100"},
		{"const", "4", "x = std_const(4, 9); | y = x.out;", "0000 0000", "1001"},
		{"a number", "4", "| y = 4'd9;", "0000 0000", "1001"},
		{"slice keeps the low bits", "2", "x = std_slice(4, 2); | x.in = a; y = x.out;", "1110 0000", "10"},
		{"pad adds zeros", "6", "x = std_pad(4, 6); | x.in = a; y = x.out;", "1110 0000", "001110"},
		{"signext", "6", "x = std_signext(4, 6); | x.in = a; y = x.out;", "1110 0000", "111110"},
		{"cat: left is high", "8", "x = std_cat(4, 4, 8); | x.left = a; x.right = b; y = x.out;", "1110 0001", "11100001"},
		{"bit_slice", "2", "x = std_bit_slice(4, 1, 2, 2); | x.in = a; y = x.out;", "0100 0000", "10"},
		{"const_mult", "4", "x = std_const_mult(4, 3); | x.in = a; y = x.out;", "0111 0000", "0101"},
		{"mux", "4", "x = std_mux(4); | x.cond = e; x.tru = a; x.fal = b; y = x.out;", "1000 0001, 1000 0010", "1000 0010"},
		{"reg holds", "4", "r = std_reg(4); | r.in = a; r.write_en = e; y = r.out;", "0011 0001, 0100 0000, 0101 0001, 0000 0000", "0000 0011 0011 0101"},
		{"done", "1", "r = std_reg(4); | r.in = a; r.write_en = e; y = r.done;", "0011 0001, 0100 0000, 0101 0001", "0 1 0"},
		{"attributes", "4", "@data @share(1) r = std_reg(4); | r.in = a; r.write_en = e; y = r.out;", "0011 0001, 0000 0000", "0000 0011"},
		{"a product is there in the third cycle of go", "4", "x = std_mult_pipe(4); | x.left = a; x.right = b; x.go = e; y = x.out;",
			"0011 0101, 0010 0001, 0111 0011, 0000 0000, 0001 0001, 0001 0001, 0001 0001", "0000 0000 1111 0010 0010 0000 0001"},
		{"and done", "1", "x = std_mult_pipe(4); | x.left = a; x.right = b; x.go = e; y = x.done;", "0011 0101, 0010 0001, 0111 0011, 0000 0000, 0001 0001", "0 0 1 1 0"},
		{"a counter", "4", "r = std_reg(4); x = std_add(4); | x.left = r.out; x.right = a; r.in = x.out; r.write_en = 1'd1; y = r.out;", "0001 0000, 0010 0000, 0000 0000", "0000 0001 0011"},
	} {
		cells, wires, _ := strings.Cut(c.body, "|")
		text := "import \"primitives/core.futil\";\ncomponent main(a: 4, b: 4, e: 1) -> (y: " + c.width + ") {\n cells {" + cells + "}\n wires {" + wires + "}\n control {}\n}\n"
		got, err := run(text, c.inputs)
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %s, %v; want %s", c.name, got, err, c.want)
		}
	}
}

// A component that names its reset is reset by it.
func TestReset(t *testing.T) {
	text := `component main(a: 4, b: 4, @clk clk: 1, @reset e: 1) -> (y: 4) {
		cells { r = std_reg(4); } wires { r.in = a; r.write_en = 1'd1; y = r.out; } control { } }`
	got, err := run(text, "0011 0000, 0100 0001, 0101 0000")
	if err != nil || strings.Join(got, " ") != "0000 0011 0000" {
		t.Error(got, err)
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct{ cells, wires, control, why string }{
		{"", "group g { y = a; g[done] = 1'd1; }", "", "a group"},
		{"", "y = a;", "g;", `"}" is expected`},
		{"x = std_add(4);", "x.left = a; y = x.out;", "", "nothing drives x.right"},
		{"x = std_add(4);", "x.left = a; x.left = b; x.right = b; y = x.out;", "", "driven twice"},
		{"x = std_add(5);", "x.left = a;", "", "4 bits for x.left"},
		{"", "y = e ? a;", "", `";" is expected`},
		{"x = std_div_pipe(4);", "x.left = a; y = x.out;", "", "the cell std_div_pipe"},
		{"@external x = std_wire(4);", "x.in = a; y = x.out;", "", "an external cell"},
		{"x = std_wire(4);", "x.in = x.out; y = x.out;", "", "a loop"},
		{"x = std_const(2, 4);", "y = a;", "", "a constant of 2 bits"},
		{"x = std_bit_slice(4, 2, 4, 3);", "y = a;", "", "bits 2 to 4 of 4"},
		{"x = std_cat(4, 4, 7);", "y = a;", "", "7 bits of 4 and 4"},
		{"x = foo(4);", "y = a;", "", "the cell foo"},
		{"x = std_add(4);", "x.out = a; y = a;", "", "no pin to drive"},
		{"x = std_add(4);", "y = x.left;", "", "no pin to read"},
		{"", "a = b; y = a;", "", "no pin to drive"},
		{"x = std_wire(4); x = std_wire(4);", "y = a;", "", "twice"},
	} {
		text := "component main(a: 4, b: 4, e: 1) -> (y: 4) { cells {" + c.cells + "} wires {" + c.wires + "} control {" + c.control + "} }"
		_, err := run(text, "0000 0000")
		if err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s %s: %v, not %s", c.cells, c.wires, err, c.why)
		}
	}
}
