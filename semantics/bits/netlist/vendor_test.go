package netlist

import (
	"bytes"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tv/internal/source"
	"tv/semantics/bits"
	"tv/semantics/bits/cells"
	"tv/semantics/bits/verilog"
)

// vendors has models of cells that others wrote, by architecture: the files of Yosys.
var vendors = map[string][]string{
	"xilinx":  {"xilinx/cells_sim.v"},
	"lattice": {"ecp5/cells_sim.v"},
	"intel":   {"intel_alm/common/alm_sim.v", "intel_alm/common/dff_sim.v", "intel_alm/common/dsp_sim.v"},
}

// boxes are cells of which those files say nothing.
var boxes = []string{"DSP48E2", "MULT18X18D", "VHI", "VLO", "MISTRAL_IB", "MISTRAL_OB", "MISTRAL_CLKBUF", "cyclone10lp", "cycloneiv", "fiftyfivenm"}

const yosys = "/usr/share/yosys"

// TestVendors runs each cell with drawn parameters and inputs in tv and, under Icarus Verilog, in a model that others wrote.
func TestVendors(t *testing.T) {
	_, err := exec.LookPath("iverilog")
	if _, missing := os.Stat(yosys); err != nil || missing != nil {
		t.Log("no iverilog or no models of Yosys: nothing is run; .ci/deps yosys iverilog installs them")
		return
	}
	for _, arch := range cells.Arches {
		for _, c := range cells.All(arch) {
			if vendors[arch] == nil || slices.ContainsFunc(boxes, func(name string) bool { return strings.HasPrefix(c.Name, name) }) {
				continue
			}
			t.Run(arch+"/"+c.Name, func(t *testing.T) { againstVendor(t, arch, c) })
		}
	}
}

// againstVendor makes one netlist of several instances with parameters that differ, and one test bench.
func againstVendor(t *testing.T, arch string, c *cells.Cell) {
	draw := rand.New(rand.NewPCG(7, uint64(len(c.Name))))
	const cycles = 40
	for range 6 {
		model, params := drawn(draw, c)
		if model == nil {
			t.Fatal("no configuration")
		}
		clock := ""
		if len(model.Registers) > 0 {
			clock = model.Registers[0].Clock
		}
		fixed := map[string]uint{} // pins that must be constant
		for _, x := range model.Inactive {
			for _, at := range x.Support {
				pin, _ := (&Instance{Model: model}).pin(at)
				fixed[pin.Name] = inactive(pin.Name)
			}
		}
		var ports, pins, outs []string
		ins := map[string]int{}
		for _, p := range c.Inputs {
			if v, ok := fixed[p.Name]; ok {
				pins = append(pins, fmt.Sprintf(".%s(1'b%d)", p.Name, v))
				continue
			}
			ports = append(ports, fmt.Sprintf("input [%d:0] i_%s", p.Width-1, p.Name))
			pins = append(pins, fmt.Sprintf(".%s(i_%s)", p.Name, p.Name))
			if p.Name != clock {
				ins["i_"+p.Name] = p.Width
			}
		}
		for _, p := range c.Outputs {
			ports = append(ports, fmt.Sprintf("output [%d:0] o_%s", p.Width-1, p.Name))
			pins = append(pins, fmt.Sprintf(".%s(o_%s)", p.Name, p.Name))
			outs = append(outs, "o_"+p.Name)
		}
		text := fmt.Sprintf("module m(%s);\n  %s #(%s) u (%s);\nendmodule\n", strings.Join(ports, ", "), c.Name, params, strings.Join(pins, ", "))
		text = strings.Replace(text, " #() ", " ", 1)
		v, err := verilog.Parse(source.NewFile("m.v", text))
		if err != nil {
			t.Fatal(err, text)
		}
		net, err := Elaborate(v, Options{Arch: arch})
		if err != nil {
			t.Fatal(err, text)
		}
		m := net.NewMachine(nil)
		var bench, want strings.Builder
		bench.WriteString("module bench;\n")
		for _, p := range ports {
			kind := "reg"
			if strings.HasPrefix(p, "output") {
				kind = "wire"
			}
			fmt.Fprintf(&bench, "  %s%s;\n", kind, strings.TrimPrefix(strings.TrimPrefix(p, "input"), "output"))
		}
		var names []string
		for _, p := range ports {
			name := p[strings.LastIndex(p, " ")+1:]
			names = append(names, fmt.Sprintf(".%s(%s)", name, name))
		}
		fmt.Fprintf(&bench, "  m u (%s);\n  initial begin\n", strings.Join(names, ", "))
		if clock != "" {
			fmt.Fprintf(&bench, "    i_%s = 0;\n", clock)
		}
		for range cycles {
			in := map[string]*big.Int{}
			for _, p := range net.Inputs {
				if p.Name == net.Clock {
					continue
				}
				v := new(big.Int)
				for i := range p.Width {
					v.SetBit(v, i, uint(draw.IntN(2)))
				}
				in[p.Name] = v
			}
			for _, p := range net.Inputs { // an asynchronous reset may have been active since the last edge
				if p.Of != "" && in[p.Name].Sign() != 0 {
					fmt.Fprintf(&bench, "    %s = %d; #500;\n", p.Of, map[bits.Level]int{bits.High: 1}[p.Level])
				}
			}
			for _, p := range net.Inputs {
				if p.Name != net.Clock && p.Of == "" {
					fmt.Fprintf(&bench, "    %s = %d'h%x;\n", p.Name, p.Width, in[p.Name])
				}
			}
			bench.WriteString("    #1000;\n")
			out, _ := m.Step(in)
			for _, o := range outs {
				fmt.Fprintf(&bench, "    $display(\"%%b\", %s);\n", o)
				fmt.Fprintf(&want, "%0*b\n", c.Output(strings.TrimPrefix(o, "o_")).Width, out[o])
			}
			if clock != "" {
				fmt.Fprintf(&bench, "    i_%s = 1; #1000; i_%s = 0; #1000;\n", clock, clock)
			}
		}
		bench.WriteString("  end\nendmodule\n")
		if got := simulated(t, arch, text+bench.String()); got != want.String() {
			line := 0
			theirs, ours := strings.Split(got, "\n"), strings.Split(want.String(), "\n")
			for line < len(ours)-1 && line < len(theirs)-1 && ours[line] == theirs[line] {
				line++
			}
			t.Fatalf("%s\nline %d: %s here, %s there", text, line, ours[line], theirs[line])
		}
	}
}

// inactive is the value that makes an asynchronous or unsupported pin do nothing.
func inactive(pin string) uint {
	switch pin {
	case "ACLR", "devclrn", "devpor":
		return 1
	}
	return 0
}

// drawn draws parameters until the cell may have them.
func drawn(draw *rand.Rand, c *cells.Cell) (*cells.Model, string) {
	for range 100 {
		values := map[string]cells.Value{}
		var text []string
		for _, p := range c.Params {
			if p.Width == 0 {
				v := p.Texts[draw.IntN(len(p.Texts))]
				values[p.Name] = cells.Value{IsText: true, Text: v}
				text = append(text, fmt.Sprintf(".%s(%q)", p.Name, v))
				continue
			}
			if strings.HasPrefix(p.Name, "IS_") && strings.Contains("IS_C_INVERTED IS_CE_INVERTED IS_CLR_INVERTED IS_PRE_INVERTED", p.Name) {
				continue
			}
			v := new(big.Int)
			for i := range p.Width {
				v.SetBit(v, i, uint(draw.IntN(2)))
			}
			values[p.Name] = cells.Value{Bits: v, Width: p.Width}
			text = append(text, fmt.Sprintf(".%s(%d'h%x)", p.Name, p.Width, v))
		}
		m, err := c.Configure(values)
		if err != nil {
			continue
		}
		falling := false
		for _, r := range m.Registers {
			falling = falling || r.Falling
		}
		if !falling {
			return m, strings.Join(text, ", ")
		}
	}
	return nil, ""
}

func simulated(t *testing.T, arch, text string) string {
	t.Helper()
	dir := t.TempDir()
	file, out := filepath.Join(dir, "bench.v"), filepath.Join(dir, "bench")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	args := []string{"-g2012", "-s", "bench", "-o", out, file}
	for _, f := range vendors[arch] {
		args = append(args, filepath.Join(yosys, f))
	}
	var said bytes.Buffer
	cmd := exec.Command("iverilog", args...)
	cmd.Stderr, cmd.Dir = &said, filepath.Join(yosys, filepath.Dir(vendors[arch][0]))
	if err := cmd.Run(); err != nil {
		t.Fatal(err, said.String(), strings.SplitAfter(text, "endmodule")[0])
	}
	got, err := exec.Command("vvp", out).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(got)
}
