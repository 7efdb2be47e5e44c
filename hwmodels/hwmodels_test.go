package hwmodels

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"tv/hwmodels/crossbar"
	"tv/hwmodels/systolic"
	"tv/hwmodels/vta"
	"tv/ila"
	"tv/ila/prove"
	"tv/ila/refine"
)

// Every machine is sound by itself, and states something.
func TestCheck(t *testing.T) {
	models := []*ila.Model{}
	for _, m := range Machines() {
		models = append(models, m.New())
	}
	for _, c := range vta.Configs {
		models = append(models, vta.NewModel(c).Model)
		c.Older, c.WrapIndex = true, true
		models = append(models, vta.NewModel(c).Model)
	}
	for _, c := range []crossbar.Config{serial(), {Rows: 2, Columns: 1024, ADC: 2, Drop: true}, {Rows: 16, Columns: 4, ADC: 32, Serial: true, Saturate: true}} {
		m, err := crossbar.NewModel(c)
		if err != nil {
			t.Fatal(err)
		}
		models = append(models, m.Model)
	}
	for _, size := range [][2]int{{1, 1}, {16, 3}, {64, 64}} {
		models = append(models, systolic.NewModel(size[0], size[1]).Model)
	}
	for _, m := range models {
		list, err := refine.Check(m)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range list {
			if f.Verdict != prove.Proved {
				t.Errorf("%s: %s: %s: %s", f.Model, f.Question, f.Verdict, f.Detail)
			}
		}
		if len(m.Invariants) == 0 {
			t.Errorf("%s states no invariant", m.Name)
		}
	}
}

// Solvers accept the transition relation of every machine: it is of the sorts that it should be. (Z3 takes
// many seconds to read that of FlexASR, whose reductions are long.)
func TestSMTLIB(t *testing.T) {
	for _, m := range Machines() {
		var text bytes.Buffer
		model := m.New()
		if m.Name == "crossbar" { // solvers take minutes to read 256 columns, which are all alike
			small, err := crossbar.NewModel(crossbar.Config{Rows: 4, Columns: 4, ADC: 20})
			if err != nil {
				t.Fatal(err)
			}
			model = small.Model
		}
		if err := ila.SMTLIB(&text, model); err != nil {
			t.Errorf("%s: %v", m.Name, err)
			continue
		}
		text.WriteString("(check-sat)\n")
		for solver, args := range map[string][]string{"z3": {"-in"}, "cvc5": {"--lang", "smt2", "-"}} {
			path, err := exec.LookPath(solver)
			if err != nil || solver == "z3" && m.Name == "flexasr" {
				continue
			}
			cmd := exec.Command(path, args...)
			cmd.Stdin = strings.NewReader(text.String())
			if out, err := cmd.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != "sat" {
				t.Errorf("%s on %s: %v\n%.500s", solver, m.Name, err, out)
			}
		}
	}
}
