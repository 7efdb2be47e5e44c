package equiv_test

import (
	"strings"
	"testing"
	"time"

	"tv/equiv"
	"tv/internal/languages"
	"tv/internal/networks"
	"tv/proofs"
)

// TestTables: constants of hundreds of numbers are compared number by number, by the prover and by the checker, in the reals
// and bit for bit; one number that is another, the last one, is seen by both.
func TestTables(t *testing.T) {
	before, after := networks.Constant(18, 18)
	ask := func(after string, arith equiv.Arith) equiv.Result {
		t.Helper()
		r, err := equiv.Check(t.Context(), questionOf(t, before, after),
			equiv.Options{Arith: arith, Timeout: time.Hour, Steps: 100_000, Solver: "none"})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, arith := range []equiv.Arith{equiv.Real, equiv.Exact} {
		r := ask(after, arith)
		if r.Verdict != equiv.Proved || r.Engine != "enumerate" {
			t.Fatalf("%v: %v by %s (%s)", arith, r.Verdict, r.Engine, r.Detail)
		}
		if _, err := languages.Checker.Check("c", r.Certificate); err != nil {
			t.Error(err)
		}
	}
	at := strings.LastIndex(after, "constant-tensor ") + len("constant-tensor ")
	wrong := after[:at] + "9" + strings.TrimPrefix(after[at:], "-")
	if r := ask(wrong, equiv.Real); r.Verdict == equiv.Proved {
		t.Error("another number is proved to be the same")
	}
	data := proofs.Format([]proofs.Pair{{Statement: proofs.Statement{Before: before, After: wrong}}})
	if _, err := languages.Checker.Check("c", data); err == nil {
		t.Error("another number is accepted")
	}
}
