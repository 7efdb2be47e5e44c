package fuzz

import (
	"context"
	"strings"
	"testing"
)

// identity is a command that changes nothing.
func identity() *Passes { return &Passes{Command: []string{"cat"}, Language: "mlir"} }

// TestPassesIdentity: what is not changed is right, and nearly all programs have a question.
func TestPassesIdentity(t *testing.T) {
	target := identity()
	w := target.Worker().(*passWorker)
	var cases []int64
	for k := range int64(48) {
		cases = append(cases, k)
	}
	w.Prepare(context.Background(), 5, cases)
	for _, k := range cases {
		if o := w.Case(context.Background(), 5, k); o.Suspect != nil {
			t.Errorf("case %d: %s", k, o.Suspect.Key)
		}
	}
	if judged, refused := target.judged.Load(), target.refused.Load(); judged < 35 || refused > 10 {
		t.Errorf("%d are judged, %d have no question", judged, refused)
	}
}

// TestPassesFusion: the default fusion of loops of LLVM breaks programs, which compiled programs show.
func TestPassesFusion(t *testing.T) {
	if !mlirTools(t) {
		return
	}
	target := &Passes{Language: "mlir", Command: []string{"mlir-opt-19", "--pass-pipeline=builtin.module(func.func(affine-loop-fusion))"}}
	var found []Finding
	c := &Campaign{Target: target, Seed: 1, Cases: 104, Jobs: 2}
	if err := c.Run(context.Background(), func(f Finding) { found = append(found, f) }); err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, f := range found {
		switch f.Kind {
		case kindMiscompile:
			shown++
			if lines := strings.Count(f.Text, "\n"); lines > 60 {
				t.Errorf("%d lines are not small:\n%s", lines, f.Text)
			}
		case kindEvaluator, kindWrongProof, kindUnrefuted, kindFault:
			t.Errorf("%s: %s\n%s", f.Kind, f.Detail, f.Text)
		}
	}
	if shown < 2 {
		t.Errorf("%d miscompiles in %d findings", shown, len(found))
	}
}
