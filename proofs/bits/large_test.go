package bits

import (
	"fmt"
	"strings"
	"testing"
)

// layers is a certificate about a netlist of so many LUT2 in layers of some width: each layer is a conjunction with b, turned and
// perhaps complemented, so that specification and netlist have the same gates and the body says nothing.
func layers(width, depth int) []byte {
	var spec, net strings.Builder
	term := "a"
	fmt.Fprintf(&net, "module m(input [%d:0] a, input [%d:0] b, output [%d:0] y);\n", width-1, width-1, width-1)
	before := "a"
	for k := range depth {
		turn := (37*k + 1) % width
		b := fmt.Sprintf("((_ rotate_left %d) b)", turn)
		init := "8"
		if k%2 == 1 {
			b, init = "(bvnot "+b+")", "2"
		}
		term = fmt.Sprintf("(bvand %s %s)", term, b)
		fmt.Fprintf(&net, "  wire [%d:0] t%d;\n", width-1, k)
		for i := range width {
			fmt.Fprintf(&net, "  LUT2 #(.INIT(4'h%s)) u%d_%d (.I0(%s[%d]), .I1(b[%d]), .O(t%d[%d]));\n", init, k, i, before, i, (i+width-turn)%width, k, i)
		}
		before = fmt.Sprint("t", k)
	}
	fmt.Fprintf(&net, "  assign y = %s;\nendmodule\n", before)
	fmt.Fprintf(&spec, "(spec (in a %d) (in b %d) (out y %d %s))", width, width, width, term)
	data := forged(spec.String(), net.String(), "xilinx", "-", 0)
	return []byte(strings.Replace(string(data), "kind exhaustive\n", "kind gates\ngates 0 0 0 0\n", 1))
}

func BenchmarkLayers(b *testing.B) {
	for _, depth := range []int{50, 100, 200} {
		b.Run(fmt.Sprint(500*depth), func(b *testing.B) {
			data := layers(500, depth)
			for b.Loop() {
				if _, err := Check(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A netlist of some layers is what its specification says, and one of another turn is not.
func TestLayers(t *testing.T) {
	data := string(layers(60, 12))
	if _, err := Check([]byte(data)); err != nil {
		t.Error(err)
	}
	wrong := strings.Replace(data, "rotate_left 38", "rotate_left 39", 1)
	old, changed := data[strings.Index(data, "(spec"):strings.Index(data, "\nafter")], wrong[strings.Index(wrong, "(spec"):strings.Index(wrong, "\nafter")]
	wrong = strings.Replace(wrong, digest(old), digest(changed), 1)
	if _, err := Check([]byte(wrong)); err == nil || !strings.Contains(err.Error(), "not shown to be equal") {
		t.Error(err)
	}
}
