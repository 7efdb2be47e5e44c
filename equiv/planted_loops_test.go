//go:build planted

package equiv_test

import (
	"path/filepath"
	"strings"
	"testing"

	"tv/equiv"
	"tv/internal/litmusfile"
	"tv/internal/planted"
	"tv/internal/tier"
)

const (
	plantedLoops = "../testdata/planted/loops/"
	// plantedSteps are those of the engines on a question of these tests.
	plantedSteps = 300_000
)

func faultsIn(t *testing.T, list string) []string {
	t.Helper()
	f, err := planted.Read(filepath.Join("..", list))
	if err != nil {
		t.Fatal(err)
	}
	return f.Names
}

// readPlanted reads a pair: with a fault planted as that has it read.
func readPlanted(t *testing.T, name string) *litmusfile.Case {
	t.Helper()
	c, err := litmusfile.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	bounded(c)
	return c
}

// bounded has the work on a question end by steps.
func bounded(c *litmusfile.Case) {
	c.Options.Timeout, c.Options.Steps, c.Options.Solver = patience, plantedSteps, "none"
}

// notProved fails if the prover proves a pair and the checker accepts it. No run of the programs comes first, so tv check proves
// no more. It reports whether there is a question.
func notProved(t *testing.T, c *litmusfile.Case) bool {
	t.Helper()
	proved, refusal, err := equiv.Unsampled(t.Context(), c.Question, c.Options)
	if err == nil && proved && refusal == nil {
		t.Error("it has a certificate that is accepted")
	}
	return err == nil
}

// TestPlantedLoops is TestPlanted for what reads loops: with a fault the prover proves its pair, and the checker accepts no
// certificate.
func TestPlantedLoops(t *testing.T) {
	for _, f := range faultsIn(t, planted.Loops) {
		t.Run(f, func(t *testing.T) {
			name := plantedLoops + f + ".txtar"
			c := readPlanted(t, name)
			if proved, _, err := equiv.Unsampled(t.Context(), c.Question, c.Options); err != nil || proved {
				t.Errorf("proved without the fault: %t (%v)", proved, err)
			}
			if r, err := equiv.Check(t.Context(), c.Question, c.Options); err != nil || r.Verdict != equiv.Refuted {
				t.Errorf("the pair is %s (%v), want refuted", r.Verdict, err)
			}
			defer planted.Plant(f)()
			c = readPlanted(t, name)
			proved, refusal, err := equiv.Unsampled(t.Context(), c.Question, c.Options)
			switch {
			case err != nil || !proved:
				t.Fatalf("not proved with the fault: %v (%v)", refusal, err)
			case refusal == nil:
				t.Fatal("the checker accepts it")
			}
			t.Logf("the checker: %v", refusal)
			if r, err := equiv.Check(t.Context(), c.Question, c.Options); err != nil || r.Verdict == equiv.Proved {
				t.Errorf("tv check with the fault: %s (%v)", r.Verdict, err)
			}
		})
	}
}

// TestPlantedChecker plants faults in the checker. With one of them alone no false pair of loops is proved; with the prover's
// fault in the same step the certificate of its pair is accepted: it is a fault.
func TestPlantedChecker(t *testing.T) {
	pairs := faultsIn(t, planted.Loops)
	for _, f := range faultsIn(t, planted.Checker) {
		t.Run(f, func(t *testing.T) {
			own := strings.TrimPrefix(f, planted.InChecker)
			defer planted.Plant(f)()
			for _, p := range pairs {
				t.Run(p, func(t *testing.T) { notProved(t, readPlanted(t, plantedLoops+p+".txtar")) })
			}
			planted.Plant(f, own)
			c := readPlanted(t, plantedLoops+own+".txtar")
			if proved, refusal, err := equiv.Unsampled(t.Context(), c.Question, c.Options); err != nil || !proved || refusal != nil {
				t.Errorf("with the prover's fault too: proved %t, the checker: %v (%v)", proved, refusal, err)
			}
		})
	}
}

// nearMisses are the false pairs of the corpus.
func nearMisses(t *testing.T) []string {
	files, err := filepath.Glob("../testdata/languages/*-bad.txtar")
	if err != nil || len(files) < 150 {
		t.Fatalf("%d near misses, %v", len(files), err)
	}
	return files
}

// missed asks about a near miss with a fault planted, and reports whether that can be asked: what a fault makes of texts may be
// no question.
func missed(t *testing.T, name, fault string) (asked bool) {
	t.Run(filepath.Base(name)+" "+fault, func(t *testing.T) {
		defer planted.Plant(fault)()
		c, err := litmusfile.Read(name)
		if err != nil {
			return
		}
		bounded(c)
		asked = notProved(t, c)
	})
	return asked
}

// TestPlantedNearMisses asks about each near miss of the corpus with one fault planted, each with another.
func TestPlantedNearMisses(t *testing.T) {
	faults := append(faultsIn(t, planted.Loops), faultsIn(t, planted.Checker)...)
	files, asked := nearMisses(t), 0
	for i, name := range files {
		if missed(t, name, faults[i%len(faults)]) {
			asked++
		}
	}
	if asked < len(files)*9/10 {
		t.Errorf("of %d near misses %d could be asked about", len(files), asked)
	}
}

// TestStressNearMisses asks about each with each.
func TestStressNearMisses(t *testing.T) {
	part := tier.Stress(t)
	faults := append(faultsIn(t, planted.Loops), faultsIn(t, planted.Checker)...)
	for i, name := range nearMisses(t) {
		for _, f := range faults {
			if part.Has(i) {
				missed(t, name, f)
			}
		}
	}
}
