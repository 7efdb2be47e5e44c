package hwmodels

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"tv/ila"
)

// Solvers accept the transition relation of every machine: it is of the sorts that it should be. (Z3 takes
// many seconds to read that of FlexASR, whose reductions are long.)
func TestSMTLIB(t *testing.T) {
	for _, m := range Machines() {
		var text bytes.Buffer
		if err := ila.SMTLIB(&text, m.New()); err != nil {
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
