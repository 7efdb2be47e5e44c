package refine

import (
	"context"
	"slices"
	"strings"
	"testing"

	"tv/ila"
	"tv/ila/prove"
	"tv/semantics/term"
)

// counter is a machine that adds x to a sum of 8 bits, or clears it. Packed, x and the operation are the fields of
// one word, x lowest. A mutation changes one thing.
func counter(packed bool, mutation string) *ila.Model {
	m := ila.New("counter", "Adds.")
	b := m.B
	var op, x *term.Term
	if packed {
		w := m.Input("word", 12, "x, then the operation")
		op, x = b.Extract(w.Term, 8, 2), b.Extract(w.Term, 0, 8)
		if mutation == "a bit apart" {
			op = b.Extract(w.Term, 9, 2)
		}
	} else {
		op, x = m.Input("op", 2, "operation").Term, m.Input("x", 8, "operand").Term
	}
	sum := m.Bits("sum", 8, "sum")
	log := m.Memory("log", 8, 16, "the last sums")
	add := m.Instruction("add", "sum = sum + x.", b.Equal(op, b.Bits(2, 1)))
	add.Require(b.LessU(x, b.Bits(8, 100)), ila.CodeOperand, "x is too large")
	value := b.AddBits(sum.Term, x)
	if packed {
		value = b.AddBits(x, sum.Term)
	}
	switch mutation {
	case "another sum":
		value = b.AddBits(value, b.Choose(b.Equal(x, b.Bits(8, 99)), b.Bits(8, 1), b.Bits(8, 0)))
	case "another check":
		add.Checks[0].Cond = b.LessU(x, b.Bits(8, 101))
	case "another place":
		x = b.AddBits(x, b.Bits(8, 1))
	case "no update":
		value = sum.Term
	}
	add.Set(sum, value)
	add.Store(log, m.At(b.Extract(x, 0, 4)), sum.Term)
	m.Instruction("clear", "sum = 0.", b.Equal(op, b.Bits(2, 2))).Set(sum, b.Bits(8, 0))
	return m
}

func packing(mutation string) *Refinement {
	r := &Refinement{Left: counter(false, ""), Right: counter(true, mutation)}
	b := r.Left.B
	word := b.Concat(b.Bits(2, 0), b.Concat(r.Left.Inputs[0].Term, r.Left.Inputs[1].Term))
	r.Map = map[*ila.Var]*term.Term{r.Right.Inputs[0]: word}
	return r
}

// Machines with other words for the same instructions are told to be the same, and each change is found.
func TestRefinement(t *testing.T) {
	for _, test := range []struct{ mutation, question string }{
		{"", ""},
		{"a bit apart", "decodes agree"},
		{"another sum", "sum agrees"},
		{"another check", "checks agree"},
		{"another place", "stores agree"},
		{"no update", "sum agrees"},
	} {
		list, err := packing(test.mutation).Check(context.Background())
		if err != nil {
			t.Errorf("%s: %v", test.mutation, err)
			continue
		}
		wrong := ""
		for _, f := range list {
			switch {
			case f.Verdict == prove.Unknown:
				t.Errorf("%s: %s of %s: unknown, %s", test.mutation, f.Question, f.Model, f.Detail)
			case f.Verdict == prove.Refuted && wrong == "":
				wrong = f.Question
			}
		}
		if len(list) < 6 || wrong != test.question {
			t.Errorf("%q: %q of %d questions is refuted, want %q", test.mutation, wrong, len(list), test.question)
		}
	}
	packed := &Refinement{Left: counter(false, ""), Right: counter(true, "")}
	if err := packed.Say("word = 0:2 ++op ++ x"); err != nil {
		t.Fatal(err)
	}
	if list, err := packed.Check(context.Background()); err != nil || slices.ContainsFunc(list, func(f Finding) bool { return f.Verdict != prove.Proved }) {
		t.Errorf("under a map that is said: %v, %v", list, err)
	}
	for _, bad := range []string{"word", "world=op", "word=op", "word=op++x++x", "word=0:2++op{1:0}++x{8:1}", "word=4:2++op++x",
		"word=0:2++op++y", "word=0:2++op{0:1}++x", "word=0:2++op++x"} {
		if err := packed.Say(bad); err == nil {
			t.Errorf("Say(%q) succeeds", bad)
		}
	}
	r := packing("")
	r.Map = nil
	if _, err := r.Check(context.Background()); err == nil || !strings.Contains(err.Error(), "word of counter is not mapped") {
		t.Errorf("without a map: %v", err)
	}
	r = packing("")
	r.Pairs = [][2]string{{"add", "jump"}}
	if _, err := r.Check(context.Background()); err == nil {
		t.Error("an instruction that does not exist is compared")
	}
}

// Children are compared too, and what has no partner is not passed over.
func TestRefinementOfChildren(t *testing.T) {
	for _, test := range []struct {
		name, wrong string
		verdict     prove.Verdict
		change      func(right *ila.Model)
	}{
		{"as it is", "", prove.Proved, func(*ila.Model) {}},
		{"another step", "window.cell.fetch and window.cell.fetch", prove.Refuted, func(right *ila.Model) {
			s := &right.Children[0].Instructions[0].Sets[2]
			s.Value = right.B.SubBits(s.Var.Term, right.B.Bits(4, 2))
		}},
		{"another decode of a step", "window.cell.fetch and window.cell.fetch", prove.Refuted, func(right *ila.Model) {
			i := right.Children[0].Instructions[0]
			i.Decode = right.B.LessU(right.B.Bits(4, 1), i.Sets[2].Var.Term)
		}},
		{"a step too many", "window.cell.more", prove.Unknown, func(right *ila.Model) {
			right.Children[0].Instruction("more", "", right.B.Truth(false))
		}},
		{"an instruction too many", "window.more", prove.Unknown, func(right *ila.Model) {
			right.Instruction("more", "", right.B.Truth(false))
		}},
		{"no child", "window.cell", prove.Unknown, func(right *ila.Model) { right.Children = nil }},
		{"a child too many", "window.other", prove.Unknown, func(right *ila.Model) {
			right.Child("other", "").Instruction("more", "", right.B.Truth(false))
		}},
	} {
		right := newWindow().m
		test.change(right)
		list, err := (&Refinement{Left: newWindow().m, Right: right}).Check(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		wrong, verdict := "", prove.Proved
		for _, f := range list {
			if f.Verdict != prove.Proved && wrong == "" {
				wrong, verdict = f.Model, f.Verdict
			}
		}
		if wrong != test.wrong || verdict != test.verdict {
			t.Errorf("%s: %s of %q, want %s of %q", test.name, verdict, wrong, test.verdict, test.wrong)
		}
	}
}
