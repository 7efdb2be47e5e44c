package yosys

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What doc/found-fpga.md says of Yosys: a simulator shows 0 of each text that it reads, and 1 of the one that it writes.
func TestFound(t *testing.T) {
	for _, tool := range []string{"yosys", "iverilog"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Logf("no %s: nothing is run; .ci/deps yosys iverilog installs them", tool)
			return
		}
	}
	version, err := exec.Command("yosys", "-V").Output()
	if err != nil || !strings.HasPrefix(string(version), "Yosys 0.23 ") {
		t.Logf("%.20s is another version: nothing is run", version)
		return
	}
	for _, c := range []struct{ name, text, pass, bench string }{
		{"shift", "module m(input [4:0] s, output y);\n  assign y = s << 32'hfffffffc;\nendmodule\n", "opt_expr", "m u(.s(5'h10), .y(y));"},
		{"least", "module m(input signed [2:0] t, output y);\n  assign y = t < 3'sh4;\nendmodule\n",
			"proc; techmap -map +/cmp2lut.v -D LUT_WIDTH=4; opt", "m u(.t(3'h0), .y(y));"},
		{"negative", "module m(input signed [3:0] a, output y);\n  assign y = a < -4'sd3;\nendmodule\n",
			"proc; techmap -map +/cmp2lut.v -D LUT_WIDTH=4; opt", "m u(.a(4'h0), .y(y));"},
		{"atleast", "module m(input signed [2:0] c, output [1:0] y);\n  assign y = c >= 3'sh0;\nendmodule\n", "opt_expr -fine",
			"wire low; m u(.c(3'h0), .y({y, low}));"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{"in.v": c.text,
				"bench.v": "module bench;\n  wire y;\n  " + c.bench + "\n  initial #1 $display(\"%b\", y);\nendmodule\n"} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			run := func(name string, args ...string) string {
				cmd := exec.Command(name, args...)
				cmd.Dir = dir
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%s: %v\n%s", name, err, out)
				}
				return string(out)
			}
			run("yosys", "-q", "-p", "read_verilog in.v; "+c.pass+"; write_verilog out.v")
			for text, want := range map[string]string{"in.v": "0\n", "out.v": "1\n"} {
				run("iverilog", "-o", "bench", "bench.v", text)
				if got := run("vvp", "bench"); got != want {
					t.Errorf("%s shows %s", text, got)
				}
			}
		})
	}
}
