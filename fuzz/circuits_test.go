package fuzz

import (
	"context"
	"os/exec"
	"strings"
	"testing"

	"tv/fuzz/circuits"
	"tv/internal/source"
	"tv/internal/tier"
)

// TestToolsIdentity: a tool that copies is right, and nearly all designs have a question.
func TestToolsIdentity(t *testing.T) {
	target := &Tools{Command: []string{"cp", "{in}", "{out}"}}
	w := target.Worker()
	for k := range int64(tier.Draw(20, 150, 400)) {
		if o := w.Case(context.Background(), 5, k); o.Suspect != nil {
			t.Errorf("case %d: %s", k, o.Suspect.Key)
		}
	}
	if judged, refused := target.judged.Load(), target.refused.Load(); judged < 18 || refused > 0 {
		t.Errorf("%d are judged, %d have no question", judged, refused)
	}
}

// TestToolsShrink: what a tool that turns & into | does is found, made small, and replays.
func TestToolsShrink(t *testing.T) {
	target := &Tools{Command: []string{"sed", "-n", "-e", "s/ & / | /", "-e", "w {out}", "{in}"}}
	var found []Finding
	c := &Campaign{Target: target, Seed: 3, Cases: 4, Jobs: 2}
	if err := c.Run(context.Background(), func(f Finding) { found = append(found, f) }); err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Fatal("nothing is found")
	}
	for _, f := range found {
		if f.Kind != kindMiscompile && f.Kind != kindUnconfirmed || strings.Count(f.Text, "assign") > 2 {
			t.Errorf("%s: %s\n%s", f.Kind, f.Detail, f.Text)
		}
		if _, err := exec.LookPath("iverilog"); err == nil && f.Kind != kindMiscompile {
			t.Errorf("%s: %s\n%s", f.Kind, f.Detail, f.Text)
		}
		kind, _, err := Replay(source.NewFile("found.txtar", f.Text))
		if err != nil || kind != f.Kind {
			t.Errorf("it replays as %q: %v\n%s", kind, err, f.Text)
		}
	}
}

// TestToolsFail: a command that fails, writes nothing or what tv does not read is a finding of that kind.
func TestToolsFail(t *testing.T) {
	for kind, command := range map[string][]string{
		"error":               {"false", "{in}"},
		"unread: syntax":      {"sed", "-n", "-e", "s/module/modul/", "-e", "w {out}", "{in}"},
		"unread: two-drivers": {"sed", "-n", "-e", "s/output/input/", "-e", "w {out}", "{in}"},
	} {
		o := (&Tools{Command: command}).Case(context.Background(), 1, 0)
		if o.Suspect == nil || !strings.HasPrefix(o.Suspect.Key, kind) {
			t.Errorf("%s: %v", command, o.Suspect)
		}
	}
}

// TestDesigns: what is drawn is of every kind, and what is smaller is less.
func TestDesigns(t *testing.T) {
	features := map[string]bool{}
	for seed := range uint64(10) {
		d := circuits.Draw(seed)
		for _, f := range d.Features() {
			features[f] = true
		}
		for i, s := range d.Smaller() {
			if i%8 > 0 {
				continue
			}
			if s.Verilog() == d.Verilog() {
				t.Errorf("nothing is left out of\n%s", d.Verilog())
			}
			if _, err := readModule("m.v", s.Verilog()); err != nil {
				t.Fatalf("%v\n%s", err, s.Verilog())
			}
		}
	}
	for _, f := range []string{"signed", ">>>", "<<<", "?:", "$signed", "replication", "unary ~^", "select"} {
		if !features[f] {
			t.Errorf("no design has %s", f)
		}
	}
}

// TestCells: no model disagrees with another one.
func TestCells(t *testing.T) {
	target := cellsAgree(t, tier.Part{N: 1}, tier.Draw[int64](60, 400, 1000))
	if n := target.compared.Load(); n < 50 {
		t.Errorf("%d netlists", n)
	}
	if n := target.certified.Load(); n < 20 {
		t.Errorf("%d are compared with the checker's models", n)
	}
}

func TestStressCells(t *testing.T) { cellsAgree(t, tier.Stress(t), 20_000) }

// cellsAgree asks a part of n cases, however few these are.
func cellsAgree(t *testing.T, part tier.Part, n int64) *Cells {
	target, err := NewCells(nil)
	if err != nil {
		t.Fatal(err)
	}
	for k := range n {
		if !part.Has(int(k)) {
			continue
		}
		o := target.Case(context.Background(), 4, k)
		if o.Suspect == nil {
			continue
		}
		if f := o.Suspect.Finding(); f.Kind != kindRefusal {
			t.Errorf("case %d: %s: %s\n%s", k, f.Kind, f.Detail, f.Text)
		}
	}
	return target
}

// TestCellsSees: a simulator's model, or words, that compute something else are found.
func TestCellsSees(t *testing.T) {
	target, err := NewCells([]string{"LUT2"})
	if err != nil {
		t.Fatal(err)
	}
	text := "module m(input [0:0] i_I0, input [0:0] i_I1, output [0:0] o_O);\n  LUT2 #(.INIT(4'h8)) u (.I0(i_I0), .I1(i_I1), .O(o_O));\nendmodule\n"
	net, err := readCell("xilinx", text)
	if err != nil {
		t.Fatal(err)
	}
	in := []circuits.Port{{Name: "i_I0", Width: 1}, {Name: "i_I1", Width: 1}}
	if v := target.againstChecker(t.Context(), net, text, in); v.kind != "" {
		t.Errorf("%s: %s", v.kind, v.detail)
	}
	// The checker is given another text than the words are of.
	if v := target.againstChecker(t.Context(), net, strings.Replace(text, "4'h8", "4'h9", 1), in); v.kind != kindChecker {
		t.Errorf("another table passes: %q", v.kind)
	}
	if _, err := NewCells([]string{"LUT9"}); err == nil {
		t.Error("there is a LUT9")
	}
}
