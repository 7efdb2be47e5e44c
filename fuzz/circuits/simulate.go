package circuits

import (
	"bytes"
	"context"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// models are the files that say what cells of an architecture do, as others wrote them, in the directory of Yosys.
var models = map[string][]string{
	"xilinx":  {"xilinx/cells_sim.v"},
	"lattice": {"ecp5/cells_sim.v"},
	"intel":   {"intel_alm/common/alm_sim.v", "intel_alm/common/dff_sim.v", "intel_alm/common/dsp_sim.v", "intel_alm/common/misc_sim.v"},
}

// without are cells of these architectures of which those files say nothing.
var without = []string{"DSP48E2", "MULT18X18D", "VHI", "VLO", "MISTRAL_IB", "MISTRAL_OB", "MISTRAL_CLKBUF", "cyclone10lp", "cycloneiv", "fiftyfivenm"}

// Modelled tells whether there is a model of a cell that others wrote.
func Modelled(arch, cell string) bool {
	return models[arch] != nil && !slices.ContainsFunc(without, func(name string) bool { return strings.HasPrefix(cell, name) })
}

// yosysData is where Debian has them.
const yosysData = "/usr/share/yosys"

// simulationLimit is how long a simulation may take.
const simulationLimit = 20 * time.Second

// Simulated runs the module m of a text on inputs, and returns the outputs for each as digits of two, x and z among them: with a clock they are
// those of a cycle, before its edge. Cells are those of an architecture; "" has none. Errors: there is no Icarus Verilog, or no model, or it reads the text otherwise.
func Simulated(ctx context.Context, text, arch, clock string, in, out []Port, inputs []map[string]*big.Int) ([]map[string]string, error) {
	dir, err := os.MkdirTemp("", "tv-simulate-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(ctx, simulationLimit)
	defer cancel()
	design, bench, made := filepath.Join(dir, "m.v"), filepath.Join(dir, "bench.v"), filepath.Join(dir, "bench")
	for name, data := range map[string]string{design: text, bench: testBench(clock, in, out, inputs)} {
		if err := os.WriteFile(name, []byte(data), 0o600); err != nil {
			return nil, err
		}
	}
	args := []string{"-g2012", "-s", "bench", "-o", made, bench, design}
	for i, f := range models[arch] {
		if i == 0 {
			args = append(args, "-I", filepath.Join(yosysData, filepath.Dir(f)))
		}
		args = append(args, filepath.Join(yosysData, f))
	}
	var said bytes.Buffer
	compile := exec.CommandContext(ctx, "iverilog", args...)
	compile.Stderr, compile.Dir = &said, dir
	if err := compile.Run(); err != nil {
		first, _, _ := strings.Cut(said.String(), "\n")
		return nil, fmt.Errorf("iverilog: %w: %s", err, strings.ReplaceAll(first, dir, ""))
	}
	run := exec.CommandContext(ctx, "vvp", made)
	run.Dir = dir
	shown, err := run.Output()
	if err != nil {
		return nil, fmt.Errorf("vvp: %w", err)
	}
	words := strings.Fields(string(shown))
	if len(words) != len(inputs)*len(out) {
		return nil, fmt.Errorf("vvp shows %d words, and not %d", len(words), len(inputs)*len(out))
	}
	var results []map[string]string
	for i := range inputs {
		r := map[string]string{}
		for k, p := range out {
			r[p.Name] = words[i*len(out)+k]
		}
		results = append(results, r)
	}
	return results, nil
}

// testBench shows the outputs of m for each of the inputs.
func testBench(clock string, in, out []Port, inputs []map[string]*big.Int) string {
	var b strings.Builder
	b.WriteString("module bench;\n")
	var pins []string
	for _, p := range in {
		fmt.Fprintf(&b, "  reg [%d:0] %s;\n", p.Width-1, p.Name)
		pins = append(pins, fmt.Sprintf(".%s(%s)", p.Name, p.Name))
	}
	for _, p := range out {
		fmt.Fprintf(&b, "  wire [%d:0] %s;\n", p.Width-1, p.Name)
		pins = append(pins, fmt.Sprintf(".%s(%s)", p.Name, p.Name))
	}
	if clock != "" {
		fmt.Fprintf(&b, "  reg %s = 0;\n", clock)
		pins = append(pins, fmt.Sprintf(".%s(%s)", clock, clock))
	}
	fmt.Fprintf(&b, "  m u (%s);\n  initial begin\n", strings.Join(pins, ", "))
	for _, values := range inputs {
		for _, p := range in {
			v := values[p.Name]
			if v == nil {
				v = new(big.Int)
			}
			fmt.Fprintf(&b, "    %s = %d'h%x;\n", p.Name, p.Width, v)
		}
		b.WriteString("    #1000;\n")
		for _, p := range out {
			fmt.Fprintf(&b, "    $display(\"%%b\", %s);\n", p.Name)
		}
		if clock != "" {
			fmt.Fprintf(&b, "    %s = 1; #1000; %s = 0; #1000;\n", clock, clock)
		}
	}
	b.WriteString("  end\nendmodule\n")
	return b.String()
}
