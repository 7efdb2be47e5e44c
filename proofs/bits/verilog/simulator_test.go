package verilog

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tv/internal/tier"
	"tv/proofs/bits/circuit"
	"tv/proofs/bits/circuittest"
)

// cycles that each random text is run for.
const cycles = 12

// TestSimulator holds the reading of random texts that leave nothing open against a simulator, bit by bit in each cycle.
func TestSimulator(t *testing.T) {
	tier.Sweep(t)
	simulated(t, 60, 50, (*writer).module)
}

// TestOpen holds what is open against what a simulator does not know: the same bits, in the same cycles.
func TestOpen(t *testing.T) {
	tier.Sweep(t)
	simulated(t, 10, 100, (*writer).open)
}

// A drawn text is a module, with the inputs that it is given in each cycle.
type drawn struct {
	*writer
	top, text string
	stream    [][]string // by cycle and input, in binary
	pulses    [][2]bool  // whether an asynchronous reset was low, and high, before them
	outputs   []string   // by cycle
}

// simulated compares so many runs of so many texts.
func simulated(t *testing.T, runs, n int, draw func(w *writer, name string) string) {
	if _, err := exec.LookPath("iverilog"); err != nil {
		t.Log("no iverilog: nothing is run; .ci/deps iverilog installs it")
		return
	}
	for seed := range uint64(runs) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			var all []*drawn
			for i := range n {
				w := &writer{Rand: rand.New(rand.NewPCG(seed, uint64(i)))}
				name := fmt.Sprint("m", i)
				d := &drawn{writer: w, top: name, text: draw(w, name)}
				for range cycles {
					d.pulses = append(d.pulses, [2]bool{w.IntN(3) == 0, w.IntN(3) == 0})
					var row []string
					for _, v := range w.inputs {
						row = append(row, w.bits(v.width))
					}
					d.stream = append(d.stream, row)
				}
				all = append(all, d)
			}
			run(t, all)
			compared(t, all)
		})
	}
}

func compared(t *testing.T, all []*drawn) {
	known, ran := 0, 0
	for _, d := range all {
		if d.outputs == nil {
			continue
		}
		ran++
		got, err := d.read()
		if err != nil {
			t.Errorf("%v\n%s", err, d.text)
			continue
		}
		for c, want := range d.outputs {
			if got[c] != strings.ReplaceAll(want, "x", "?") {
				t.Fatalf("cycle %d: %s, the simulator has %s; inputs %s\n%s", c, got[c], want, d.stream[c], d.text)
			}
			known += len(want) - strings.Count(want, "x")
		}
	}
	if 2*ran < len(all) || known < 10*ran {
		t.Errorf("of %d texts %d are run, and %d bits are compared", len(all), ran, known)
	}
	t.Log(ran, "texts are run:", known, "bits agree")
}

// run has the simulator print the outputs of all texts in each cycle. On some texts it ends with an error of its own: these
// have none.
func run(t *testing.T, all []*drawn) {
	dir := t.TempDir()
	var b strings.Builder
	for _, d := range all {
		b.WriteString(d.text)
	}
	b.WriteString("module bench;\n")
	for i, d := range all {
		for k, v := range d.inputs {
			fmt.Fprintf(&b, "reg [%d:0] i%d_%d;\n", v.width-1, i, k)
		}
		fmt.Fprintf(&b, "wire [%d:0] o%d; reg clk%d = 0;\n%s u%d(.clk(clk%d)", d.output-1, i, i, d.top, i, i)
		for k, v := range d.inputs {
			fmt.Fprintf(&b, ", .%s(i%d_%d)", v.name, i, k)
		}
		fmt.Fprintf(&b, ", .y(o%d));\n", i)
	}
	b.WriteString("initial begin\n")
	for i, d := range all {
		for c, row := range d.stream {
			for level, was := range d.pulses[c] {
				if was && len(d.edges) > 0 {
					fmt.Fprintf(&b, "i%d_0 = %d; #1;\n", i, level)
				}
			}
			for k, bits := range row {
				fmt.Fprintf(&b, "i%d_%d = %d'b%s;\n", i, k, len(bits), bits)
			}
			fmt.Fprintf(&b, "#1 $display(\"%%b\", o%d); clk%d = 1; #1 clk%d = 0;\n", i, i, i)
		}
	}
	b.WriteString("end endmodule\n")
	name := filepath.Join(dir, "t.v")
	if err := os.WriteFile(name, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	script := "iverilog -g2009 -s bench -o t t.v && vvp -n t"
	command := exec.Command("sh", "-c", script)
	command.Dir = dir
	out, err := command.CombinedOutput()
	lines := strings.Fields(string(bytes.TrimSpace(out)))
	switch {
	case err == nil && len(lines) == len(all)*cycles:
		for i, d := range all {
			d.outputs = lines[i*cycles : (i+1)*cycles]
		}
	case len(all) > 1:
		run(t, all[:len(all)/2])
		run(t, all[len(all)/2:])
	}
}

// read is what the reading of a text has for the output in each cycle.
func (d *drawn) read() ([]string, error) {
	var stream []map[string]string
	for c, row := range d.stream {
		inputs := map[string]string{}
		for k, v := range d.inputs {
			inputs[v.name] = row[k]
		}
		for level, name := range []string{"r.low", "r.high"} {
			inputs[name] = "0"
			if c < len(d.pulses) && d.pulses[c][level] {
				inputs[name] = "1"
			}
		}
		stream = append(stream, inputs)
	}
	return circuittest.Run(func(v *circuit.View) *circuit.Circuit { return Read(v, "verilog", d.text, d.top, "") }, "clk", "y", stream)
}
