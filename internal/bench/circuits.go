package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// What questions about circuits may cost, in processor time, with their certificates.
const (
	wideMS       = 200  // 64 bits in tables and carry cells
	wrongCellMS  = 100  // a refutation
	productMS    = 100  // a product in a DSP
	cellsMS      = 2000 // 100,000 cells, one of them wrong
	circuitWidth = 64
	manyCells    = 100_000
)

// circuit lists a specification and a netlist. Of what is right a certificate is asked for.
func (b *bench) circuit(name, want, spec, net string, ms float64) {
	at := func(kind, extension string) string {
		return strings.TrimSuffix(b.path(name+" "+kind), ".sexp") + extension
	}
	before, after := at("before", ".bv"), at("after", ".v")
	if strings.HasPrefix(spec, "module") {
		before = at("before", ".v")
	}
	if b.write {
		check(os.WriteFile(before, []byte(spec), 0o644))
		check(os.WriteFile(after, []byte(net), 0o644))
	}
	args := []string{"check", before, after, "--format", "json"}
	if want == "proved" {
		args = append(args, "--certificate", at("certificate", ".cert"))
	}
	b.list = append(b.list, &run{Name: name, Want: want, LimitMS: ms, Processor: true, args: args})
}

// circuits lists words of 64 bits in tables and carry cells, right and with one bit of a table wrong, products in a DSP, and many cells.
func (b *bench) circuits() {
	const w = circuitWidth
	spec := func(width int, term string) string {
		return fmt.Sprintf("(spec (in a %d) (in b %d)\n  (out y %d %s))\n", w, w, width, term)
	}
	// Peers read the specification as Verilog.
	words := func(width int, term string) string {
		return fmt.Sprintf("module m(input [%d:0] a, input [%d:0] b, output [%d:0] y);\n  assign y = %s;\nendmodule\n", w-1, w-1, width-1, term)
	}
	for _, c := range []struct{ name, spec, verilog, net string }{
		{"sum", spec(w, "(bvadd a b)"), words(w, "a + b"), sumNetlist(w)},
		{"difference", spec(w, "(bvsub a b)"), words(w, "a - b"), strings.NewReplacer("64'h6666666688888888", "64'h9999999922222222", ".CI(1'b0)", ".CI(1'b1)").Replace(sumNetlist(w))},
		{"less", spec(1, "(ite (bvult a b) #b1 #b0)"), words(1, "a < b"), lessNetlist(w)},
		{"equality", spec(1, "(ite (= a b) #b1 #b0)"), words(1, "a == b"), equalNetlist(w)},
		{"logic", spec(w, "(bvand a (bvnot b))"), words(w, "a & ~b"), logicNetlist(w)},
		{"shift", strings.Replace(spec(w, "(bvshl a ((_ zero_extend 58) b))"), "(in b 64)", "(in b 6)", 1),
			strings.Replace(words(w, "a << b"), "[63:0] b", "[5:0] b", 1), shiftNetlist(w)},
	} {
		name := fmt.Sprintf("circuits: %s of %d bits", c.name, w)
		b.circuit(name, "proved", c.spec, c.net, wideMS)
		b.against(name, "proved", c.verilog, c.net)
		wrong := c.net
		for _, x := range [][2]string{{"#(.INIT(64'h6666666688888888)) l31", "#(.INIT(64'he666666688888888)) l31"}, {"#(.INIT(64'h9999999922222222)) l31", "#(.INIT(64'h1999999922222222)) l31"},
			{"#(.INIT(4'h9)) l31", "#(.INIT(4'hb)) l31"}, {"#(.INIT(64'h9009000000009009)) l11", "#(.INIT(64'h9009000000009008)) l11"},
			{"#(.INIT(4'h2)) l31", "#(.INIT(4'h3)) l31"}, {"#(.INIT(8'hca)) l3_31", "#(.INIT(8'hcb)) l3_31"}} {
			wrong = strings.Replace(wrong, x[0], x[1], 1)
		}
		b.circuit(name+", one bit wrong", "refuted", c.spec, wrong, wrongCellMS)
		b.against(name+", one bit wrong", "refuted", c.verilog, wrong)
	}
	b.circuit("circuits: sum of 1,024 bits", "proved", strings.ReplaceAll(spec(1024, "(bvadd a b)"), "64", "1024"), sumNetlist(1024), 0)
	for _, product := range []struct {
		width int
		ms    float64
	}{{8, 2000}, {16, 5000}, {32, 60_000}} {
		text := strings.NewReplacer("N", fmt.Sprint(product.width), "W", fmt.Sprint(2*product.width)).
			Replace("(spec (in a N) (in b N)\n  (out y W (bvmul ((_ zero_extend N) a) ((_ zero_extend N) b))))\n")
		name := fmt.Sprintf("circuits: product of %d bits by a tree of adders in tables", product.width)
		b.circuit(name, "proved", text, treeNetlist(product.width), product.ms)
		if product.width == 8 { // of the larger ones no peer has an answer
			n := product.width
			verilog := strings.NewReplacer("[63:0] y", fmt.Sprintf("[%d:0] y", 2*n-1), "[63:0]", fmt.Sprintf("[%d:0]", n-1)).Replace(words(w, "a * b"))
			b.against(name, "proved", verilog, treeNetlist(n), "berkeley-abc", "cadical")
		}
	}
	b.circuit("circuits: product of 27 and 18 bits in a DSP", "proved",
		"(spec (in a 27) (in b 18) (clock clk)\n  (out y 48 (bvmul ((_ sign_extend 21) a) ((_ sign_extend 30) b))))\n", dspNetlist(0, "9'b000000101"), productMS)
	b.circuit("circuits: products accumulated in a DSP", "proved",
		"(spec (in a 27) (in b 18)\n  (state p 48 #x000000000000 (bvadd p (bvmul ((_ sign_extend 21) a) ((_ sign_extend 30) b))))\n  (out y 48 p))\n",
		dspNetlist(1, "9'b000100101"), 0)
	many, net := manyNetlist(manyCells)
	b.circuit("circuits: 100,000 cells, one wrong", "refuted", many, strings.Replace(net, "#(.INIT(16'h956a)) l50000 ", "#(.INIT(16'h956b)) l50000 ", 1), cellsMS)
	b.circuit("circuits: 100,000 cells", "proved", many, net, 0)
}

// ports begins a module of two words.
func ports(b *strings.Builder, w, out int) {
	fmt.Fprintf(b, "module m(input [%d:0] a, input [%d:0] b, output [%d:0] y);\n  wire [%d:0] s, d, k;\n", w-1, w-1, out-1, w-1)
}

// carries are the carry cells over s and d.
func carries(b *strings.Builder, w int, first, out string) {
	for i := 0; i < w; i += 8 {
		in := first
		if i > 0 {
			in = fmt.Sprintf("k[%d]", i-1)
		}
		fmt.Fprintf(b, "  CARRY8 c%d (.CI(%s), .CI_TOP(1'b0), .DI(d[%d:%d]), .S(s[%d:%d]), .O(%s[%d:%d]), .CO(k[%d:%d]));\n",
			i/8, in, i+7, i, i+7, i, out, i+7, i, i+7, i)
	}
}

// sumNetlist has the parity and the carry of two bits in a LUT6_2 each.
func sumNetlist(w int) string {
	var b strings.Builder
	ports(&b, w, w)
	for i := range w {
		fmt.Fprintf(&b, "  LUT6_2 #(.INIT(64'h6666666688888888)) l%d (.I0(a[%d]), .I1(b[%d]), .I2(1'b1), .I3(1'b1), .I4(1'b1), .I5(1'b1), .O6(s[%d]), .O5(d[%d]));\n", i, i, i, i, i)
	}
	carries(&b, w, "1'b0", "y")
	return b.String() + "endmodule\n"
}

// lessNetlist propagates where bits are the same, and else takes b's.
func lessNetlist(w int) string {
	var b strings.Builder
	ports(&b, w, 1)
	fmt.Fprintf(&b, "  wire [%d:0] o;\n  assign d = b;\n", w-1)
	for i := range w {
		fmt.Fprintf(&b, "  LUT2 #(.INIT(4'h9)) l%d (.I0(a[%d]), .I1(b[%d]), .O(s[%d]));\n", i, i, i, i)
	}
	carries(&b, w, "1'b0", "o")
	return b.String() + fmt.Sprintf("  assign y = k[%d];\nendmodule\n", w-1)
}

// equalNetlist compares three bits in a table, and propagates where all are the same.
func equalNetlist(w int) string {
	var b strings.Builder
	n := (w + 2) / 3
	padded := (n + 7) / 8 * 8
	fmt.Fprintf(&b, "module m(input [%d:0] a, input [%d:0] b, output y);\n  wire [%d:0] s, d, k, o;\n  assign d = %d'd0;\n", w-1, w-1, padded-1, padded)
	for i := range padded {
		if i >= n {
			fmt.Fprintf(&b, "  assign s[%d] = 1'b1;\n", i)
			continue
		}
		pin := func(port string, k int) string {
			if 3*i+k < w {
				return fmt.Sprintf("%s[%d]", port, 3*i+k)
			}
			return "1'b0"
		}
		fmt.Fprintf(&b, "  LUT6 #(.INIT(64'h9009000000009009)) l%d (.I0(%s), .I1(%s), .I2(%s), .I3(%s), .I4(%s), .I5(%s), .O(s[%d]));\n",
			i, pin("a", 0), pin("b", 0), pin("a", 1), pin("b", 1), pin("a", 2), pin("b", 2), i)
	}
	carries(&b, padded, "1'b1", "o")
	return b.String() + fmt.Sprintf("  assign y = k[%d];\nendmodule\n", padded-1)
}

// logicNetlist has a table for each bit.
func logicNetlist(w int) string {
	var b strings.Builder
	ports(&b, w, w)
	for i := range w {
		fmt.Fprintf(&b, "  LUT2 #(.INIT(4'h2)) l%d (.I0(a[%d]), .I1(b[%d]), .O(y[%d]));\n", i, i, i, i)
	}
	return b.String() + "endmodule\n"
}

// shiftNetlist is a stage of multiplexers for each bit of the amount, the highest first.
func shiftNetlist(w int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "module m(input [%d:0] a, input [5:0] b, output [%d:0] y);\n  wire [%d:0] x6", w-1, w-1, w-1)
	for k := range 6 {
		fmt.Fprintf(&b, ", x%d", k)
	}
	b.WriteString(";\n  assign x6 = a;\n  assign y = x0;\n")
	for k := 5; k >= 0; k-- {
		for i := range w {
			from := "1'b0"
			if i >= 1<<k {
				from = fmt.Sprintf("x%d[%d]", k+1, i-1<<k)
			}
			fmt.Fprintf(&b, "  LUT3 #(.INIT(8'hca)) l%d_%d (.I0(x%d[%d]), .I1(%s), .I2(b[%d]), .O(x%d[%d]));\n", k, i, k+1, i, from, k, k, i)
		}
	}
	return b.String() + "endmodule\n"
}

// dspNetlist multiplies, with a register for P or none.
func dspNetlist(p int, opmode string) string {
	return fmt.Sprintf(`module m(input clk, input [26:0] a, input [17:0] b, output [47:0] y);
  DSP48E2 #(.AREG(0), .ACASCREG(0), .BREG(0), .BCASCREG(0), .ADREG(0), .CREG(0), .DREG(0), .MREG(0), .PREG(%d), .OPMODEREG(0), .ALUMODEREG(0), .INMODEREG(0), .CARRYINREG(0), .CARRYINSELREG(0))
    u (.OPMODE(%s), .ALUMODE(4'b0000), .INMODE(5'b00000), .CARRYIN(1'b0), .CARRYINSEL(3'b000), .A({{3{a[26]}}, a}), .B(b), .C(48'b0), .CEP(1'b1), .CLK(clk), .P(y));
endmodule
`, p, opmode)
}

// manyNetlist is so many tables, each of three bits of the layer before and of an input, and what they compute, as Verilog. Layers mix: with
// products by inputs alone states come back after 64 layers but for inputs that are all ones, and are taken for equal.
func manyNetlist(cells int) (spec, net string) {
	var s, n strings.Builder
	const w = circuitWidth
	// Layer k: x_k[i] = x_(k-1)[i] ^ (x_(k-1)[i-1] & x_(k-1)[i+5]) ^ b[i-k], indices modulo 64.
	layers := cells / w
	for _, out := range []*strings.Builder{&s, &n} {
		fmt.Fprintf(out, "module m(input [%d:0] a, input [%d:0] b, output [%d:0] y);\n  wire [%d:0] x0 = a;\n", w-1, w-1, w-1, w-1)
	}
	count := 0
	for k := 1; k <= layers; k++ {
		fmt.Fprintf(&n, "  wire [%d:0] x%d;\n", w-1, k)
		for i := range w {
			fmt.Fprintf(&n, "  LUT4 #(.INIT(16'h956a)) l%d (.I0(x%d[%d]), .I1(x%d[%d]), .I2(x%d[%d]), .I3(b[%d]), .O(x%d[%d]));\n",
				count, k-1, i, k-1, (i+w-1)%w, k-1, (i+5)%w, ((i-k)%w+w)%w, k, i)
			count++
		}
		turned := "b"
		if r := k % w; r > 0 {
			turned = fmt.Sprintf("{b[%d:0], b[%d:%d]}", w-r-1, w-1, w-r)
		}
		fmt.Fprintf(&s, "  wire [%d:0] x%d = x%d ^ ({x%d[%d:0], x%d[%d]} & {x%d[4:0], x%d[%d:5]}) ^ %s;\n",
			w-1, k, k-1, k-1, w-2, k-1, w-1, k-1, k-1, w-1, turned)
	}
	for _, out := range []*strings.Builder{&s, &n} {
		fmt.Fprintf(out, "  assign y = x%d;\nendmodule\n", layers)
	}
	return s.String(), n.String()
}

// treeNetlist is a product in tables alone: a LUT2 for each pair of bits, and two LUT3 wherever a column has three, the oldest first.
func treeNetlist(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "module m(input [%d:0] a, input [%d:0] b, output [%d:0] y);\n", n-1, n-1, 2*n-1)
	nets := 0
	table := func(cell, init string, pins ...string) string {
		out := fmt.Sprint("n", nets)
		fmt.Fprintf(&b, "  wire %s;\n  %s #(.INIT(%s)) l%d (.O(%s)", out, cell, init, nets, out)
		for i, p := range pins {
			fmt.Fprintf(&b, ", .I%d(%s)", i, p)
		}
		b.WriteString(");\n")
		nets++
		return out
	}
	columns := make([][]string, 2*n+1)
	for i := range n {
		for j := range n {
			columns[i+j] = append(columns[i+j], table("LUT2", "4'h8", fmt.Sprintf("a[%d]", i), fmt.Sprintf("b[%d]", j)))
		}
	}
	for i := range 2 * n {
		for len(columns[i]) > 1 {
			three := append(slices.Clone(columns[i]), "1'b0")[:3]
			columns[i] = columns[i][min(3, len(columns[i])):]
			columns[i] = append(columns[i], table("LUT3", "8'h96", three...))
			columns[i+1] = append(columns[i+1], table("LUT3", "8'he8", three...))
		}
		columns[i] = append(columns[i], "1'b0")
		fmt.Fprintf(&b, "  assign y[%d] = %s;\n", i, columns[i][0])
	}
	b.WriteString("endmodule\n")
	return b.String()
}
