package prove

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"tv/equiv/smt"
	"tv/internal/languages"
	"tv/internal/source"
	"tv/proofs"
	"tv/semantics/domain"
)

// scriptSum is the program whose scripts name sizes.
const scriptSum = "(relay-operator-call relay-add (access-tensor A) (access-tensor B))"

// TestNamesInScripts: a size may be called what it likes, and says nothing in a script by it. The pair is not equal.
func TestNamesInScripts(t *testing.T) {
	named := 0
	for _, end := range []string{"\n", "\r", "|", "\v", "\u2028", "\u0085", "\\|"} {
		name := func(s string) string { return "\"" + s + end + "(assert false)" + end + "(check-sat)(exit) ; \"" }
		s := proofs.Statement{Arith: domain.Exact, Before: fmt.Sprintf("(input A (shape %s) sat8)\n(input B (shape %s) sat8)\n", name("N"),
			name("M")) + scriptSum, After: "(compute negative (compute negative " + scriptSum + "))"}
		q, err := Restate(s, languages.Named)
		if err != nil {
			if source.AsErrors(err)[0].Code != "bad-character" { // no such name
				t.Errorf("%q: %v", end, err)
			}
			continue
		}
		parts, _ := q.parts([]int{0})
		if named++; len(parts) < 2 {
			t.Errorf("%d parts, want several", len(parts))
		}
		for _, p := range parts {
			list, _, err := q.obligations(p, everywhere)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range list {
				for i, want := range []string{"; every element", "; unsat: ", "(set-logic "} {
					if line := strings.Split(o.Script, "\n")[i]; !strings.HasPrefix(line, want) {
						t.Errorf("after %q, line %d: %q", end, i+1, line)
					}
				}
				for _, solver := range []string{"z3", "cvc5"} {
					r := o.Decide(context.Background(), smt.Options{Solver: solver, Timeout: time.Hour})
					if r.Answer == smt.Valid {
						t.Errorf("after %q, %s proves what is false:\n%s", end, solver, o.Script)
					}
				}
			}
		}
	}
	if named < 4 {
		t.Errorf("only %d names", named)
	}
}

// TestFalseLeft: of a pair that is not equal a solver has a model, though its obligations are those of its statement.
func TestFalseLeft(t *testing.T) {
	files, err := filepath.Glob("../../testdata/check/smt-*-bad.txtar")
	if err != nil || len(files) < 2 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, f := range files {
		a, err := txtar.ParseFile(f)
		if err != nil || len(a.Files) != 2 {
			t.Fatalf("%s: %d sections (%v), want before.sexp and after.sexp", f, len(a.Files), err)
		}
		s := proofs.Statement{Arith: domain.Exact, Before: string(a.Files[0].Data), After: string(a.Files[1].Data)}
		q, err := Restate(s, languages.Named)
		if err != nil {
			t.Fatal(err)
		}
		p := proofs.Pair{Statement: s, Witness: "left 0\n"}
		parts, _ := q.parts(p.Left())
		for _, part := range parts {
			list, ok, err := q.obligations(part, everywhere)
			if !ok {
				list, _, err = q.obligations(part, oneByOne)
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range list {
				p.Obligations = append(p.Obligations, o.Script)
			}
		}
		if _, err := languages.Checker.CheckRest(f, proofs.Format([]proofs.Pair{p})); err != nil {
			t.Errorf("%s: %v", f, err)
		}
		list, err := Obligations(p, languages.Named)
		if err != nil {
			t.Fatal(err)
		}
		for _, solver := range []string{"z3", "cvc5"} {
			refuted := slices.ContainsFunc(list, func(o *Obligation) bool {
				r := o.Decide(context.Background(), smt.Options{Solver: solver, Timeout: time.Hour})
				return r.Answer == smt.Counterexample
			})
			if !refuted {
				t.Errorf("%s: %s has no model", f, solver)
			}
		}
	}
}
