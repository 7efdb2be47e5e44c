package cli

import (
	"crypto/sha256"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"tv/internal/designs"
	"tv/internal/source"
	"tv/internal/tier"
	proof "tv/proofs/bits"
	"tv/proofs/bits/nofit"
	"tv/semantics/bits/languages"
)

// A drawnSlice is a configuration of DSP48E2 over operands of 8 bits, run by the reference simulator.
type drawnSlice struct {
	text     string
	net      *circuitText
	operands int
	names    func(int) string // nil: a, b, ..
}

// drawSlice draws a legal configuration, of all that the slice can do.
func drawSlice(r *rand.Rand, operands int) *drawnSlice {
	one := func(texts ...string) string { return texts[r.IntN(len(texts))] }
	bits := func(n int) string { return fmt.Sprintf("%d'd%d", n, r.Uint64N(1<<n)) }
	source := func(width int) string {
		name := string(rune('a' + r.IntN(operands)))
		return one(fmt.Sprintf("{%d'd0, %s}", width-8, name), fmt.Sprintf("{{%d{%s[7]}}, %s}", width-8, name, name),
			fmt.Sprintf("%d'd0", width), fmt.Sprintf("{%d{1'b1}}", width), fmt.Sprintf("{{%d{%s[7]}}, %s}", width-8, name, name))
	}
	multiplies := r.IntN(3) > 0
	x, y, multiplier, simd := "01", "01", "MULTIPLY", "ONE48"
	if !multiplies {
		x, y = one("00", "10", "11", "11"), one("00", "10", "11")
		multiplier, simd = "NONE", one("ONE48", "ONE48", "TWO24", "FOUR12")
	}
	z := one("000", "001", "010", "011", "011", "110", "101")
	w, alu := one("00", "01", "10", "11"), one("0000", "0001", "0010", "0011")
	if r.IntN(3) == 0 {
		w, alu = "00", one("01", "11")+one("00", "01", "10", "11")
	}
	feeds := x == "10" || w == "01" || z == "010" || z == "110"
	register := func(most int) int {
		if r.IntN(2) == 0 {
			return 0
		}
		return r.IntN(most + 1)
	}
	a, b := register(2), register(2)
	p, m := register(1), 0
	carryin := one("000", "000", "001", "011", "101", "111")
	if feeds || carryin > "011" {
		p = 1
	}
	if multiplies {
		m = register(1)
	}
	var params []string
	for _, f := range []struct {
		name string
		n    int
	}{{"AREG", a}, {"ACASCREG", a}, {"BREG", b}, {"BCASCREG", b}, {"CREG", register(1)}, {"DREG", register(1)}, {"ADREG", register(1)}, {"MREG", m},
		{"PREG", p}, {"OPMODEREG", register(1)}, {"ALUMODEREG", register(1)}, {"INMODEREG", register(1)}, {"CARRYINREG", register(1)},
		{"CARRYINSELREG", register(1)}} {
		params = append(params, fmt.Sprintf(".%s(%d)", f.name, f.n))
	}
	params = append(params, fmt.Sprintf(".RND(%s)", one("48'd0", "48'd77", "48'hffffffffffff")), fmt.Sprintf(".AMULTSEL(%q)", one("A", "AD")),
		fmt.Sprintf(".BMULTSEL(%q)", one("B", "AD", "B")), fmt.Sprintf(".PREADDINSEL(%q)", one("A", "B")), fmt.Sprintf(".USE_MULT(%q)", multiplier),
		fmt.Sprintf(".USE_SIMD(%q)", simd))
	var ports, enables []string
	for i := range operands {
		ports = append(ports, fmt.Sprintf("input [7:0] %c", 'a'+i))
	}
	for _, name := range strings.Fields("CEA1 CEA2 CEAD CEALUMODE CEB1 CEB2 CEC CECARRYIN CECTRL CED CEINMODE CEM CEP") {
		enables = append(enables, fmt.Sprintf(".%s(1'b1)", name))
	}
	text := fmt.Sprintf("module m(input clk, %s, output [7:0] y);\n  wire [47:0] p;\n  DSP48E2 #(%s) u (.CLK(clk), .A(%s), .B(%s), .C(%s), .D(%s),\n"+
		"    .OPMODE(9'b%s), .ALUMODE(4'b%s), .INMODE(%s), .CARRYIN(%s), .CARRYINSEL(3'b%s), .PCIN(%s), %s, .P(p));\n  assign y = p[7:0];\nendmodule\n",
		strings.Join(ports, ", "), strings.Join(params, ", "), source(30), source(18), source(48), source(27),
		w+z+y+x, alu, bits(5), bits(1), carryin, one("48'd0", "{48{1'b1}}"), strings.Join(enables, ", "))
	return &drawnSlice{text: text, operands: operands}
}

// read has the netlist read; it is false where the drawing is no configuration.
func (d *drawnSlice) read() bool {
	c, err := parseCircuit(source.NewFile("drawn.v", d.text), languages.Named("verilog"))
	if err == nil {
		err = c.elaborate(circuitOptions{Arch: "xilinx"})
	}
	d.net = c
	return err == nil
}

// run is the output of each cycle.
func (d *drawnSlice) run(inputs [][]uint64) (out []uint64) {
	machine := d.net.program.Machine(nil)
	for _, row := range inputs {
		in := map[string]*big.Int{}
		for i, v := range row {
			name := string(rune('a' + i))
			if d.names != nil {
				name = d.names(i)
			}
			in[name] = new(big.Int).SetUint64(v)
		}
		values, _ := machine.Step(in)
		out = append(out, values["y"].Uint64())
	}
	return out
}

// settled is what the slice has for inputs that stay as they are: what it computes, if that is a function.
func (d *drawnSlice) settled(row []uint64) uint64 {
	var inputs [][]uint64
	for range 9 {
		inputs = append(inputs, row)
	}
	return d.run(inputs)[8]
}

// latency is how late the slice is the function that it settles at, or below 0 where a run shows that it is none.
func (d *drawnSlice) latency(r *rand.Rand) int {
	var inputs [][]uint64
	var want []uint64
	for range 16 {
		row := drawRow(r, d.operands)
		inputs, want = append(inputs, row), append(want, d.settled(row))
	}
	got := d.run(inputs)
	for k := range 5 {
		right := true
		for t := k; t < len(got); t++ {
			right = right && got[t] == want[t-k]
		}
		if right {
			return k
		}
	}
	return -1
}

func drawRow(r *rand.Rand, operands int) (row []uint64) {
	for range operands {
		row = append(row, r.Uint64N(256))
	}
	return row
}

// experiments are drawn as a prover's are: a second run that differs in one cycle, in one operand or all.
func (d *drawnSlice) experiments(r *rand.Rand, latency, n int) (list []nofit.Experiment) {
	const at = 8
	for i := range n {
		e := nofit.Experiment{At: at}
		for t := range at + latency + 1 {
			row := drawRow(r, d.operands)
			if e.First = append(e.First, row); t <= at {
				e.Want = append(e.Want, d.settled(row))
			}
		}
		e.Changed = append([]uint64{}, e.First[at]...)
		for k := range e.Changed {
			if i%(d.operands+1) == k || i%(d.operands+1) == d.operands {
				e.Changed[k] ^= 0x2c // whose multiples are no carry
			}
		}
		e.Other = d.settled(e.Changed)
		list = append(list, e)
	}
	return list
}

// What a slice computes fits a slice: whatever the configuration, experiments do not show that there is none.
func TestNoFitIsNotSaidOfSlices(t *testing.T) {
	slicesFit(t, rand.NewPCG(7, 8), tier.Draw(100, 300, 800))
}

func TestStressNoFitIsNotSaidOfSlices(t *testing.T) {
	slicesFit(t, rand.NewPCG(uint64(tier.Stress(t).I), 9), 5000)
}

// slicesFit draws n slices.
func slicesFit(t *testing.T, source rand.Source, n int) {
	r := rand.New(source)
	functions, late, fed := 0, 0, 0
	for range n {
		d := drawSlice(r, 1+r.IntN(3))
		if !d.read() {
			continue
		}
		k := d.latency(r)
		if k < 0 {
			continue
		}
		q := nofit.Question{Width: 8, Latency: k, Widths: []int{8, 8, 8}[:d.operands]}
		functions++
		if k > 1 {
			late++
		}
		if strings.Contains(d.text, ".PREG(1)") && strings.Contains(d.text, "CARRYINSEL(3'b1") {
			fed++
		}
		if err := nofit.Check(q, d.experiments(r, k, 4)); err == nil {
			t.Errorf("%d cycles late, and said to fit no slice:\n%s", k, d.text)
		}
	}
	t.Logf("%d functions, %d of them more than a cycle late, %d with a carry of P", functions, late, fed)
	if functions < 40 || late < 5 {
		t.Errorf("too few: %d functions, %d late", functions, late)
	}
}

// Of the forms at one width the experiments show that there is no configuration for those that do not fit, and for no others.
func TestNoFitOfForms(t *testing.T) {
	data, err := os.ReadFile("testdata/designs.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range designs.All() {
		quick := d.Form == "mulor" && d.Stages == 1 || d.Form == "addmuladd" || d.Form == "muland" && d.Stages == 2
		if d.Width != 8 || d.Signed || tier.Pick(!quick, false) {
			continue
		}
		spec, err := readSpec(d.Name(), d.Text)
		if err != nil {
			t.Fatal(err)
		}
		in, _ := spec.program.Ports()
		slice := &drawnSlice{net: spec, operands: len(in)}
		slice.names = func(i int) string { return in[i].Name }
		q := nofit.Question{Width: 8, Latency: d.Stages, Widths: []int{8, 8, 8, 8}[:len(in)]}
		err = nofit.Check(q, slice.experiments(rand.New(rand.NewPCG(9, 9)), d.Stages, 24))
		if none := strings.Contains(string(data), d.Name()+" none;"); none != (err == nil) {
			t.Errorf("%s: %v", d.Name(), err)
		}
	}
}

// absence is a certificate that there is no netlist.
func absence(t *testing.T, text, arch, template string) string {
	t.Helper()
	spec, err := readSpec("a.bv", text)
	if err != nil {
		t.Fatal(err)
	}
	f := newSynthFlags()
	f.arch.value, f.template.value, f.slices = arch, template, 1
	ans, err := new(app).synthAnswer(t.Context(), spec, f)
	if err != nil || ans.absence == nil {
		t.Fatalf("no certificate: %v", err)
	}
	return string(ans.absence)
}

// sealed has the digests and lengths of texts be right again.
func sealed(data string) string {
	head := regexp.MustCompile(`(?m)^(spec bv|sketch verilog) [0-9a-f]{64} \d+ (\S+)\n`)
	var out strings.Builder
	for {
		at := head.FindStringSubmatchIndex(data)
		if at == nil {
			return out.String() + data
		}
		rest := data[at[1]:]
		end := strings.Index(rest, map[bool]string{true: "\ntop ", false: "\nsamples "}[data[at[2]:at[3]] == "spec bv"])
		body := rest[:end]
		fmt.Fprintf(&out, "%s%s %x %d %s\n%s", data[:at[0]], data[at[2]:at[3]], sha256.Sum256([]byte(body)), len(body), data[at[4]:at[5]], body)
		data = rest[end:]
	}
}

// A certificate that there is no netlist holds of nothing else.
func TestAbsenceNearMisses(t *testing.T) {
	sketch := absence(t, "(spec (in a 4) (in b 4) (out y 1 (ite (bvult a b) #b1 #b0)))", "xilinx", "shallow-comparison")
	carry := absence(t, "(spec (in a 4) (in b 4) (out y 4 (bvmul a b)))", "lattice", "carry")
	slice := absence(t, "(spec (in a 8) (in b 8) (in c 8) (latency 3) (out y 8 (bvadd (bvmul a b) c)))", "xilinx", "dsp")
	for _, data := range []string{sketch, carry, slice} {
		if sealed(data) != data {
			t.Fatalf("sealed otherwise:\n%s", sealed(data))
		}
		if _, err := proof.CheckAbsence([]byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	lemma := regexp.MustCompile(`(?m)^0 [0-9 ]* 0\nend\n`).FindString(sketch)
	for _, test := range []struct{ data, old, new, want string }{
		{sketch, "bvult", "=", "a unit that nothing assumes"}, // which the template has
		{sketch, "output y", "output z", "no output z"},
		{sketch, lemma, "end\n", "no number"},
		{sketch, "\nsamples ", "\nsamples 0", "samples is no number"},
		{sketch, "arch xilinx", "arch lattice", ""}, // it has no cells of its own
		{carry, "bvmul", "bvadd", "a unit that nothing assumes"},
		{carry, " ^ ", " & ", "a unit that nothing assumes"},
		{slice, "\nlatency 3", "\nlatency 2", "is not shown to be wrong"},
		{slice, "(bvadd (bvmul a b) c)", "(bvmul a b)", "is not shown to be wrong"},
		{slice, "(bvadd (bvmul a b) c)", "(bvmul a (bvadd b c))", "is not shown to be wrong"},
		{slice, "cell DSP48E2", "cell DSP48E1", "another cell"},
		{slice, "at 8", "at 7", "is not shown to be wrong"},
		{slice, "kind slice", "kind sketch", "no line arch"},
	} {
		changed := sealed(strings.ReplaceAll(test.data, test.old, test.new))
		if changed == test.data {
			t.Errorf("nothing is %q", test.old)
		}
		_, err := proof.CheckAbsence([]byte(changed))
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%q for %q: %v, want %q", test.new, test.old, err, test.want)
		}
	}
}

// Functions for which few configurations do, or one: what is left out of the enumeration shows as a function that is said to fit none.
func TestNoFitKnowsAllOfTheSlice(t *testing.T) {
	signed := func(v uint64, width int) uint64 { return uint64(int64(v<<(64-width)) >> (64 - width)) }
	lanes := func(v []uint64) uint64 { return (v[0]+v[1])&0xfff | (v[0]>>12+v[1]>>12)<<12 }
	type function func(v []uint64) uint64
	for _, test := range []struct {
		name    string
		widths  []int
		width   int
		latency int
		f       function
	}{
		{"two registers at A and B, M and P", []int{8, 8}, 8, 4, func(v []uint64) uint64 { return v[0] * v[1] }},
		{"registers of D and the pre-adder", []int{8, 8, 8}, 8, 4, func(v []uint64) uint64 { return (v[2] + v[0]) * v[1] }},
		{"the pre-adder with B", []int{20, 10, 10}, 12, 4, func(v []uint64) uint64 { return v[0] * (v[2] - v[1]) }},
		{"a square", []int{9, 9}, 12, 3, func(v []uint64) uint64 { return (v[1] - v[0]) * (v[1] - v[0]) }},
		{"signs", []int{8, 8}, 16, 2, func(v []uint64) uint64 { return signed(v[0], 8) * signed(v[1], 8) }},
		{"one sign", []int{8, 8}, 16, 2, func(v []uint64) uint64 { return signed(v[0], 8) * v[1] }},
		{"Z minus", []int{8, 8, 8}, 8, 2, func(v []uint64) uint64 { return v[2] - v[0]*v[1] }},
		{"minus Z", []int{8, 8, 8}, 8, 2, func(v []uint64) uint64 { return v[0]*v[1] - v[2] }},
		{"a sum inverted", []int{8, 8, 8}, 8, 2, func(v []uint64) uint64 { return ^(v[0]*v[1] + v[2]) }},
		{"C at W and Z", []int{8, 8, 8}, 8, 2, func(v []uint64) uint64 { return v[0]*v[1] + 2*v[2] }},
		{"C at W, Y and Z", []int{8, 8}, 8, 2, func(v []uint64) uint64 { return v[0] + 3*v[1] }},
		{"C at W, Y and Z, of which Z is less", []int{8, 8}, 8, 2, func(v []uint64) uint64 { return ^(v[0] + 3*v[1]) }},
		{"a conjunction with the product", []int{8, 8, 8}, 8, 2, func(v []uint64) uint64 { return v[0] * v[1] & v[2] }},
		{"its complement", []int{8, 8, 8}, 8, 2, func(v []uint64) uint64 { return ^(v[0] * v[1] & v[2]) }},
		{"with a complement", []int{8, 8, 8}, 8, 2, func(v []uint64) uint64 { return v[0] * v[1] &^ v[2] }},
		{"a parity with the product", []int{8, 8, 8}, 8, 2, func(v []uint64) uint64 { return ^(v[0]*v[1] ^ v[2]) }},
		{"a disjunction", []int{8, 8}, 8, 2, func(v []uint64) uint64 { return v[0] | v[1] }},
		{"its complement, of A:B", []int{28, 28}, 24, 1, func(v []uint64) uint64 { return ^(v[0] | v[1]) }},
		{"two registers at A:B", []int{8}, 8, 3, func(v []uint64) uint64 { return ^v[0] }},
		{"lanes", []int{24, 24}, 16, 1, lanes},
		{"C at the first register", []int{8, 8, 8}, 8, 1, func(v []uint64) uint64 { return v[0]*v[1] + v[2] }},
	} {
		r := rand.New(rand.NewPCG(1, 9))
		draw := func() (row []uint64) {
			for _, w := range test.widths {
				row = append(row, r.Uint64N(1<<w))
			}
			return row
		}
		f := func(row []uint64) uint64 { return test.f(row) & (1<<test.width - 1) }
		var list []nofit.Experiment
		const at = 8
		for i := range 3 * (len(test.widths) + 1) {
			e := nofit.Experiment{At: at}
			for cycle := range at + test.latency + 1 {
				row := draw()
				if e.First = append(e.First, row); cycle <= at {
					e.Want = append(e.Want, f(row))
				}
			}
			e.Changed = append([]uint64{}, e.First[at]...)
			for k := range e.Changed {
				if one := i % (len(test.widths) + 1); one == k || one == len(test.widths) {
					e.Changed[k] ^= 0x2c
				}
			}
			e.Other = f(e.Changed)
			list = append(list, e)
		}
		err := nofit.Check(nofit.Question{Widths: test.widths, Width: test.width, Latency: test.latency}, list)
		if err == nil || !strings.Contains(err.Error(), "is not shown to be wrong") {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}
