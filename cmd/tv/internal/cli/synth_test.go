package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"tv/equiv"
	"tv/equiv/bits/synth"
	"tv/internal/source"
	"tv/internal/tier"
	"tv/semantics/bits/cells"
	"tv/semantics/bits/languages"
)

// synthesized is what there is of a template: cells of what was found and proved, or the reason.
func synthesized(t *testing.T, text, arch, template, format string) (string, *synthAnswer) {
	t.Helper()
	spec, err := readSpec("s.bv", text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	f := newSynthFlags()
	f.arch.value, f.template.value, f.format.value = arch, template, format
	ans, err := new(app).synthAnswer(t.Context(), spec, f)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	r := &ans.item.Result
	if r.Verdict != equiv.Proved {
		if ans.netlist != "" {
			t.Errorf("%s: a netlist that is not proved", text)
		}
		return r.Reason, ans
	}
	n := 0
	for _, o := range ans.item.Synth.Outputs {
		n += o.Cells
	}
	if r.Certificate == nil {
		t.Errorf("%s: no certificate", text)
	}
	return fmt.Sprint(n), ans
}

// readSpec is a specification over bit-vectors.
func readSpec(name, text string) (*circuitText, error) {
	c, err := parseCircuit(source.NewFile(name, text), languages.Named("bv"))
	if err == nil {
		err = c.elaborate(circuitOptions{})
	}
	return c, err
}

// Each line of testdata/synth.txt is a specification, a template, and for each architecture in the order of their names the cells of the
// netlist, or why there is none. In either format the netlist has been read again and proved, and is the same each time.
func TestSynthTemplates(t *testing.T) {
	const name = "testdata/synth.txt"
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	seen := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		if line[0] == '#' || line == "\n" {
			out.WriteString(line)
			continue
		}
		f := strings.SplitN(strings.TrimSpace(line), " ", 2+len(cells.Arches))
		template, text := f[0], f[len(f)-1]
		fmt.Fprintf(&out, "%s", template)
		for _, arch := range cells.Arches {
			got, ans := synthesized(t, text, arch, template, "verilog")
			fmt.Fprintf(&out, " %s", got)
			if ans.netlist != "" {
				seen[template+" "+arch] = true
			}
			if tier.Pick(arch != "lattice", false) {
				continue
			}
			if again, other := synthesized(t, text, arch, template, "verilog"); again != got || other.netlist != ans.netlist {
				t.Errorf("%s of %s for %s: another netlist the second time", template, arch, text)
			}
			if json, _ := synthesized(t, text, arch, template, "json"); json != got {
				t.Errorf("%s of %s for %s: %s as JSON, %s as Verilog", template, arch, text, json, got)
			}
		}
		fmt.Fprintf(&out, " %s\n", text)
	}
	for _, template := range synth.Templates() {
		for _, arch := range cells.Arches {
			without := []string{"dsp sofa"} // which has no multiplier
			if !seen[template+" "+arch] && !slices.Contains(without, template+" "+arch) {
				t.Errorf("no netlist of %s of %s", template, arch)
			}
		}
	}
	if *update {
		if err := os.WriteFile(name, []byte(out.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if out.String() != string(data) {
		t.Errorf("%s (go test -update writes it) is now\n%s", name, out.String())
	}
}
