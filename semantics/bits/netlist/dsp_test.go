package netlist

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"tv/internal/source"
	"tv/internal/tier"
	"tv/semantics/bits/verilog"
	"tv/semantics/bits/word"
)

// slice is a DSP48E2 as its description has it: numbers, and a register for each name. It was written from that alone, to hold the table
// of cells against.
type slice struct {
	text   map[string]string // parameters that are texts
	rnd    uint64
	invert map[string]uint64
	held   map[string]uint64
}

func ones(n int) uint64 { return 1<<n - 1 }

func signed(v uint64, n int) uint64 {
	if v>>(n-1)&1 == 1 {
		return v | ^ones(n)
	}
	return v & ones(n)
}

// choose is b where a condition is false.
func choose(c bool, a, b uint64) uint64 {
	if c {
		return a
	}
	return b
}

// step computes a cycle from the pins, and tells whether the configuration is legal.
func (s *slice) step(pins map[string]uint64) (p, acout, bcout uint64, legal bool) {
	pin := func(name string) uint64 { return pins[name] ^ s.invert[name] }
	has := func(param string) bool { return s.text[param] != "0" }
	next := map[string]uint64{}
	reg := func(name, enable, reset string, load uint64) {
		switch {
		case pin(reset) == 1:
			next[name] = 0
		case pins[enable] == 1:
			next[name] = load
		default:
			next[name] = s.held[name]
		}
	}
	control := func(name, param, enable, reset string) uint64 {
		reg(name, enable, reset, pin(name))
		return choose(has(param), s.held[name], pin(name))
	}
	opmode := control("OPMODE", "OPMODEREG", "CECTRL", "RSTCTRL")
	alumode := control("ALUMODE", "ALUMODEREG", "CEALUMODE", "RSTALUMODE")
	inmode := control("INMODE", "INMODEREG", "CEINMODE", "RSTINMODE")
	carrysel := control("CARRYINSEL", "CARRYINSELREG", "CECTRL", "RSTCTRL")
	carryin := control("CARRYIN", "CARRYINREG", "CECARRYIN", "RSTALLCARRYIN")
	// 1. The path of A, and of B.
	path := func(x string) (first, second, out uint64) {
		in := choose(s.text[x+"_INPUT"] == "CASCADE", pins[x+"CIN"], pins[x])
		reg(x+"1", "CE"+x+"1", "RST"+x, in)
		n := s.text[x+"REG"]
		reg(x+"2", "CE"+x+"2", "RST"+x, choose(n == "2", s.held[x+"1"], in))
		first, second = choose(n == "0", 0, s.held[x+"1"]), choose(n == "0", in, s.held[x+"2"])
		return first, second, choose(n == "2" && s.text[x+"CASCREG"] == "1", s.held[x+"1"], second)
	}
	a1, a2, acout := path("A")
	b1, b2, bcout := path("B")
	bit := func(v uint64, i int) bool { return v>>i&1 == 1 }
	a, b := choose(bit(inmode, 0), a1, a2)&ones(27), choose(bit(inmode, 4), b1, b2)
	ofA := s.text["PREADDINSEL"] == "A"
	if bit(inmode, 1) && ofA {
		a = 0
	} else if bit(inmode, 1) {
		b = 0
	}
	// 2. The pre-adder.
	reg("D", "CED", "RSTD", pins["D"])
	d := choose(bit(inmode, 2), choose(has("DREG"), s.held["D"], pins["D"]), 0)
	other := choose(ofA, a, signed(b, 18))
	ad := choose(bit(inmode, 3), d-other, d+other) & ones(27)
	reg("AD", "CEAD", "RSTD", ad)
	ad = choose(has("ADREG"), s.held["AD"], ad)
	fa, fb := choose(s.text["AMULTSEL"] == "AD", ad, a), choose(s.text["BMULTSEL"] == "AD", ad&ones(18), b)
	// 3. The product.
	m := choose(s.text["USE_MULT"] == "NONE", 0, signed(fa, 27)*signed(fb, 18)) & ones(48)
	reg("M", "CEM", "RSTM", m)
	m = choose(has("MREG"), s.held["M"], m)
	reg("C", "CEC", "RSTC", pins["C"])
	c := choose(has("CREG"), s.held["C"], pins["C"])
	// 4. The four words, and 6. what goes in.
	back := s.held["P"]
	w, x, y, z := opmode>>7&3, opmode&3, opmode>>2&3, opmode>>4&7
	pcin := pins["PCIN"]
	wv := []uint64{0, back, s.rnd, c}[w]
	xv := []uint64{0, m, back, (a2<<18 | b2) & ones(48)}[x]
	yv := []uint64{0, 0, ones(48), c}[y]
	zv := []uint64{0, pcin, back, c, back, signed(pcin, 48) >> 17 & ones(48), signed(back, 48) >> 17 & ones(48), 0}[z]
	if bit(pcin, 47) && z == 5 {
		zv = (pcin>>17 | ones(17)<<31) & ones(48)
	}
	if bit(back, 47) && z == 6 {
		zv = (back>>17 | ones(17)<<31) & ones(48)
	}
	var carry uint64
	switch carrysel {
	case 0:
		carry = carryin
	case 1:
		carry = 1 - pcin>>47
	case 2:
		carry = pins["CARRYCASCIN"]
	case 3:
		carry = pcin >> 47
	case 5:
		carry = 1 - back>>47
	case 6:
		carry = choose(fa>>26 == fb>>17, 1, 0)
	case 7:
		carry = back >> 47
	}
	fedBack := x == 2 || w == 1 || z == 2 || z == 4 || z == 6
	legal = (x == 1) == (y == 1) && z != 7 && (has("PREG") || !fedBack) && (x != 1 || s.text["USE_MULT"] != "NONE" && s.text["USE_SIMD"] == "ONE48") &&
		!(carrysel == 2 && (opmode&15 == 5 || !has("OPMODEREG"))) && alumode>>2 != 2 && (alumode>>2 == 0 || w == 0)
	// 5. The operation.
	var r uint64
	lanes, width := map[string]int{"ONE48": 1, "TWO24": 2, "FOUR12": 4}[s.text["USE_SIMD"]], 0
	width = 48 / lanes
	if alumode>>2 == 0 {
		for k := range lanes {
			at := func(v uint64) uint64 { return v >> (k * width) & ones(width) }
			sum := at(wv) + at(xv) + at(yv)
			if k == 0 {
				sum += carry
			}
			switch alumode {
			case 0:
				sum = at(zv) + sum
			case 3:
				sum = at(zv) - sum
			case 1:
				sum = -at(zv) + sum - 1
			case 2:
				sum = -(at(zv) + sum) - 1
			}
			r |= sum & ones(width) << (k * width)
		}
	} else {
		if bit(alumode, 0) {
			zv = ^zv & ones(48)
		}
		if alumode>>2 == 1 {
			r = xv ^ yv ^ zv
		} else {
			r = xv&yv | xv&zv | yv&zv
		}
		if bit(alumode, 1) {
			r = ^r & ones(48)
		}
	}
	reg("P", "CEP", "RSTP", r)
	p = choose(has("PREG"), s.held["P"], r)
	s.held = next
	return p, acout, bcout, legal
}

// dspPins are the pins that a test drives, with their widths.
var dspPins = []struct {
	name  string
	width int
}{{"A", 30}, {"B", 18}, {"C", 48}, {"D", 27}, {"OPMODE", 9}, {"ALUMODE", 4}, {"INMODE", 5}, {"CARRYIN", 1}, {"CARRYCASCIN", 1},
	{"CEA1", 1}, {"CEA2", 1}, {"CEAD", 1}, {"CEALUMODE", 1}, {"CEB1", 1}, {"CEB2", 1}, {"CEC", 1}, {"CECARRYIN", 1}, {"CECTRL", 1}, {"CED", 1}, {"CEINMODE", 1}, {"CEM", 1}, {"CEP", 1},
	{"RSTA", 1}, {"RSTALLCARRYIN", 1}, {"RSTALUMODE", 1}, {"RSTB", 1}, {"RSTC", 1}, {"RSTCTRL", 1}, {"RSTD", 1}, {"RSTINMODE", 1}, {"RSTM", 1}, {"RSTP", 1}}

// drawnSlice is a configuration, and the netlist that has it: control pins are inputs, but for CARRYINSEL.
func drawnSlice(r *rand.Rand) (s *slice, carrysel uint64, text string) {
	pick := func(texts ...string) string { return texts[r.IntN(len(texts))] }
	s = &slice{text: map[string]string{}, invert: map[string]uint64{}, held: map[string]uint64{}, rnd: r.Uint64() & ones(48)}
	var params []string
	set := func(name, value string) {
		s.text[name] = value
		if value < "0" || value > "9" {
			value = `"` + value + `"`
		}
		params = append(params, fmt.Sprintf(".%s(%s)", name, value))
	}
	for _, x := range []string{"A", "B"} {
		n := pick("0", "1", "2")
		set(x+"REG", n)
		if n == "2" {
			n = pick("1", "2")
		}
		set(x+"CASCREG", n)
		set(x+"_INPUT", pick("DIRECT", "DIRECT", "CASCADE"))
	}
	for _, name := range []string{"ADREG", "ALUMODEREG", "CARRYINREG", "CARRYINSELREG", "CREG", "DREG", "INMODEREG", "OPMODEREG", "PREG"} {
		set(name, pick("0", "1", "1"))
	}
	set("USE_MULT", pick("MULTIPLY", "MULTIPLY", "NONE"))
	set("MREG", map[bool]string{true: "0", false: pick("0", "1")}[s.text["USE_MULT"] == "NONE"])
	set("USE_SIMD", pick("ONE48", "ONE48", "TWO24", "FOUR12"))
	set("AMULTSEL", pick("A", "AD"))
	set("BMULTSEL", pick("B", "AD"))
	set("PREADDINSEL", pick("A", "B"))
	params = append(params, fmt.Sprintf(".RND(48'd%d)", s.rnd))
	for _, x := range []struct {
		name  string
		width int
	}{{"OPMODE", 9}, {"ALUMODE", 4}, {"INMODE", 5}, {"CARRYIN", 1}, {"RSTP", 1}, {"RSTA", 1}, {"RSTM", 1}} {
		if r.IntN(3) == 0 {
			s.invert[x.name] = r.Uint64() & ones(x.width)
			params = append(params, fmt.Sprintf(".IS_%s_INVERTED(%d'd%d)", x.name, x.width, s.invert[x.name]))
		}
	}
	carrysel = []uint64{0, 0, 1, 2, 3, 5, 7}[r.IntN(7)]
	if carrysel == 2 && s.text["OPMODEREG"] == "0" { // an error of the text
		carrysel = 0
	}
	inmode := ".INMODE(i_INMODE)"
	if r.IntN(6) == 0 && s.text["MREG"] == "0" && s.text["AMULTSEL"] == "A" && s.text["BMULTSEL"] == "B" && s.invert["INMODE"] == 0 {
		carrysel, inmode = 6, ".INMODE(5'b00000)"
	}
	var ports, pins []string
	for _, p := range dspPins {
		ports = append(ports, fmt.Sprintf("input [%d:0] i_%s", p.width-1, p.name))
		if p.name == "INMODE" {
			pins = append(pins, inmode)
			continue
		}
		pins = append(pins, fmt.Sprintf(".%s(i_%s)", p.name, p.name))
	}
	text = fmt.Sprintf(`module m(input clk, input [47:0] i_PCIN, input [29:0] i_ACIN, input [17:0] i_BCIN, %s, output [47:0] p, output [29:0] ao, output [17:0] bo);
  wire [47:0] pc;
  DSP48E2 #(.AREG(0), .BREG(0), .ACASCREG(0), .BCASCREG(0), .CREG(0), .PREG(0), .MREG(0), .USE_MULT("NONE"), .OPMODEREG(0), .ALUMODEREG(0), .CARRYINREG(0), .CARRYINSELREG(0))
    from (.CLK(clk), .C(i_PCIN), .OPMODE(9'b000110000), .PCOUT(pc));
  DSP48E2 #(%s)
    u (.CLK(clk), .PCIN(pc), .ACIN(i_ACIN), .BCIN(i_BCIN), .CARRYINSEL(3'd%d), %s, .P(p), .ACOUT(ao), .BCOUT(bo));
endmodule`, strings.Join(ports, ", "), strings.Join(params, ", "), carrysel, strings.Join(pins, ", "))
	return s, carrysel, text
}

// Slices that were drawn compute what their description says: cell by cell, and in words; and what is forbidden is what it calls illegal.
func TestSlices(t *testing.T) {
	compared, illegal := 0, 0
	for seed := range tier.Pick(40, 400) {
		r := rand.New(rand.NewPCG(uint64(seed), 48))
		s, carrysel, text := drawnSlice(r)
		f, err := verilog.Parse(source.NewFile("drawn.v", text))
		if err != nil {
			t.Fatal(err)
		}
		n, err := Elaborate(f, Options{})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		b := word.NewBuilder()
		d := n.Design(b)
		var roots []*word.Word
		state := map[string]*big.Int{}
		for _, reg := range d.Registers {
			roots = append(roots, reg.Next)
			state[reg.Name] = reg.Initial
		}
		for _, o := range d.Outputs {
			roots = append(roots, o.Word)
		}
		for _, x := range d.Forbid {
			roots = append(roots, x.Word)
		}
		m := n.NewMachine(nil)
		likely := r.Uint64() & ones(9)
		for cycle := range 16 {
			pins := map[string]uint64{"CARRYINSEL": carrysel}
			in := map[string]*big.Int{}
			for _, p := range dspPins {
				v := r.Uint64() & ones(p.width)
				switch {
				case strings.HasPrefix(p.name, "CE"):
					v = choose(r.IntN(5) > 0, 1, 0)
				case strings.HasPrefix(p.name, "RST"):
					v = choose(r.IntN(8) == 0, 1, 0) ^ s.invert[p.name]
				case p.name == "OPMODE" && r.IntN(2) == 0:
					v = likely
				case p.name == "ALUMODE" && r.IntN(2) == 0:
					v = uint64(r.IntN(4)) ^ s.invert[p.name]
				}
				if p.name == "INMODE" && carrysel == 6 {
					v = 0
				}
				if p.name == "OPMODE" && r.IntN(2) == 0 { // the product, in both of X and Y
					v = (v^s.invert[p.name])&^15 | 5
					v ^= s.invert[p.name]
				}
				pins[p.name] = v
			}
			for _, p := range []struct {
				name  string
				width int
			}{{"PCIN", 48}, {"ACIN", 30}, {"BCIN", 18}} {
				pins[p.name] = r.Uint64() & ones(p.width)
			}
			for name, v := range pins {
				in["i_"+name] = new(big.Int).SetUint64(v)
			}
			p, ao, bo, legal := s.step(pins)
			got, _ := m.Step(in)
			of := word.Eval(func(w *word.Word) *big.Int {
				if w.Op == word.State {
					return state[w.Name]
				}
				return in[w.Name]
			}, roots...)
			next := map[string]*big.Int{}
			for _, reg := range d.Registers {
				next[reg.Name] = of[reg.Next]
			}
			state = next
			forbidden := false
			for _, x := range d.Forbid {
				forbidden = forbidden || of[x.Word].Sign() != 0
			}
			if forbidden == legal {
				t.Fatalf("seed %d, cycle %d: forbidden is %v\n%s", seed, cycle, forbidden, text)
			}
			if !legal { // what comes of it is not said
				illegal++
				break
			}
			for k, want := range map[string]uint64{"p": p, "ao": ao, "bo": bo} {
				for i, o := range d.Outputs {
					if o.Name == k && (got[k].Uint64() != want || of[d.Outputs[i].Word].Uint64() != want) {
						t.Fatalf("seed %d, cycle %d: %s is %#x, %#x in words, and %#x by its description\n%s", seed, cycle, k, got[k], of[d.Outputs[i].Word], want, text)
					}
				}
			}
			compared++
		}
	}
	if compared < 60 || illegal < 10 {
		t.Errorf("%d cycles compared, %d illegal", compared, illegal)
	}
	t.Log(compared, illegal)
}
