package refine

import (
	"math/rand/v2"
	"strings"
	"testing"

	"tv/ila"
	"tv/ila/ilatest/examples"
	"tv/ila/prove"
	"tv/semantics/index"
	"tv/semantics/term"
)

// window sums a window of cells through a register file of its own; it is right, and each break of TestCheckBroken is
// one mistake in it.
type window struct {
	m               *ila.Model
	n, pad          *ila.Var
	from, file      *ila.Var
	at, left, total *ila.Var
	start, fetch    *ila.Instruction
	child           *ila.Model
}

func newWindow() *window {
	w := &window{m: ila.New("window", "Sums up to 8 cells.")}
	m, b := w.m, w.m.B
	w.n = m.Input("n", 4, "cells")
	w.pad = m.Input("pad", 4, "cells before the first that count as 0")
	w.from = m.Memory("from", 8, 64, "").AddressedByPrograms()
	w.file = m.Memory("file", 8, 8, "registers")
	w.at = m.Bits("at", 4, "")
	w.left = m.Bits("left", 4, "cells to go")
	w.total = m.Bits("total", 16, "")
	w.start = m.Instruction("start", "", b.Truth(true))
	w.start.Require(b.LessU(w.n.Term, b.Bits(4, 9)), ila.CodeOperand, "more than 8 cells")
	w.start.Set(w.at, b.Bits(4, 0))
	w.start.Set(w.left, w.n.Term)
	j := m.Counter("j", 8)
	w.start.Each(j, ila.StoreTo{Memory: w.file, Address: m.CountAt(j), Value: b.Bits(8, 0)})
	running := b.Not(b.Equal(w.left.Term, b.Bits(4, 0)))
	m.Invariant("left", "No more than 8 cells are left.", b.LessU(w.left.Term, b.Bits(4, 9)))
	m.Filled(w.file, 0, 8, running)
	w.child = m.Child("cell", "")
	w.fetch = w.child.Instruction("fetch", "", running)
	before := b.LessU(w.at.Term, w.pad.Term)
	cell := m.Load(w.from, b.AddBits(m.At(w.at.Term), b.NegBits(m.At(w.pad.Term))))
	slot := b.AddBits(m.At(w.left.Term), b.NegBits(m.Address(1)))
	w.fetch.Store(w.file, slot, b.Choose(before, b.Bits(8, 0), cell))
	w.fetch.Set(w.total, b.AddBits(w.total.Term, b.ExtendU(m.Load(w.file, slot), 16)))
	w.fetch.Set(w.at, b.AddBits(w.at.Term, b.Bits(4, 1)))
	w.fetch.Set(w.left, b.SubBits(w.left.Term, b.Bits(4, 1)))
	return w
}

// Each mistake in a model is refuted under the question that is about it, and with its code.
func TestCheckBroken(t *testing.T) {
	for _, test := range []struct {
		name, question, code string
		wreck                func(w *window, b *term.Builder)
	}{
		{"as it is", "", "", func(*window, *term.Builder) {}},
		{"two instructions for one word", "decodes do not overlap", ila.CodeDecode, func(w *window, b *term.Builder) {
			w.m.Instruction("other", "", b.Equal(w.n.Term, b.Bits(4, 3)))
		}},
		{"a word without an instruction", "every input decodes", ila.CodeDecode, func(w *window, b *term.Builder) {
			w.start.Decode = b.Not(b.Equal(w.n.Term, b.Bits(4, 3)))
		}},
		{"a count that is not checked", "invariant: left", ila.CodeInvariant, func(w *window, _ *term.Builder) {
			w.start.Checks = nil
		}},
		{"an off-by-one check", "invariant: left", ila.CodeInvariant, func(w *window, b *term.Builder) {
			w.start.Checks[0].Cond = b.LessU(w.n.Term, b.Bits(4, 10))
		}},
		{"a count that falls below 0", "invariant: left", ila.CodeInvariant, func(w *window, b *term.Builder) {
			w.fetch.Sets[2].Value = b.SubBits(w.left.Term, b.Bits(4, 2))
		}},
		{"an invariant that is wrong at first", "invariant: some", ila.CodeInvariant, func(w *window, b *term.Builder) {
			w.m.Invariant("some", "", b.Not(b.Equal(w.total.Term, b.Bits(16, 0))))
		}},
		{"an invariant on inputs that change", "invariant: same", ila.CodeInvariant, func(w *window, b *term.Builder) {
			w.m.Invariant("same", "", b.Or(b.Equal(w.total.Term, b.Bits(16, 0)), b.LessU(w.n.Term, b.Bits(4, 9))))
		}},
		{"a pad that is not taken care of", "indices in range", ila.CodeAddress, func(w *window, _ *term.Builder) {
			v := &w.fetch.Eachs[0].Stores[0].Value
			*v = (*v).Args[2]
		}},
		{"a pad taken the wrong way round", "indices in range", ila.CodeAddress, func(w *window, b *term.Builder) {
			v := &w.fetch.Eachs[0].Stores[0].Value
			*v = b.Choose(b.LessU(w.pad.Term, w.at.Term), b.Bits(8, 0), (*v).Args[2])
		}},
		{"a register too far", "indices in range", ila.CodeAddress, func(w *window, _ *term.Builder) {
			w.fetch.Eachs[0].Stores[0].Address = w.m.At(w.left.Term)
		}},
		{"a register too many at the start", "indices in range", ila.CodeAddress, func(w *window, b *term.Builder) {
			st := &w.start.Eachs[0].Stores[0]
			st.Address = b.AddBits(st.Address, w.m.Address(1))
		}},
		{"a product in too few bits", "indices in range", ila.CodeAddress, func(w *window, b *term.Builder) {
			w.fetch.Eachs[0].Stores[0].Value = w.m.Load(w.from, w.m.At(b.MulBits(w.at.Term, w.pad.Term)))
		}},
		{"registers that are not cleared", "filled: file[0..7]", ila.CodeInvariant, func(w *window, _ *term.Builder) {
			w.start.Eachs = nil
		}},
		{"registers that are cleared now and then", "filled: file[0..7]", ila.CodeInvariant, func(w *window, b *term.Builder) {
			w.start.Eachs[0].Stores[0].When = b.LessU(w.pad.Term, b.Bits(4, 3))
		}},
		{"a register that loses its value", "filled: file[0..7]", ila.CodeInvariant, func(w *window, _ *term.Builder) {
			w.fetch.Store(w.file, w.m.Address(3), nil)
		}},
		{"one register less is cleared", "filled: file[0..7]", ila.CodeInvariant, func(w *window, _ *term.Builder) {
			e := &w.start.Eachs[0]
			e.Var, e.N = w.m.Counter("j", 7), 7
			e.Stores[0].Address = w.m.CountAt(e.Var)
		}},
		{"nothing is said of registers", "cells written before read", ila.CodeUnwritten, func(w *window, _ *term.Builder) {
			w.m.Fillings = nil
		}},
		{"registers are read beyond what is said", "cells written before read", ila.CodeUnwritten, func(w *window, _ *term.Builder) {
			w.m.Fillings[0].Count = 7
		}},
		{"registers are read where nothing runs", "cells written before read", ila.CodeUnwritten, func(w *window, b *term.Builder) {
			w.start.Set(w.total, b.ExtendU(w.m.Load(w.file, w.m.Address(0)), 16))
		}},
	} {
		w := newWindow()
		test.wreck(w, w.m.B)
		list, err := Check(w.m)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		found := test.question == ""
		for _, f := range list {
			switch {
			case f.Verdict == prove.Unknown, test.question == "" && f.Verdict != prove.Proved:
				t.Errorf("%s: %s: %s: %s", test.name, f.Question, f.Verdict, f.Detail)
			case f.Question == test.question && f.Verdict == prove.Refuted:
				found = found || f.Code == test.code && strings.Contains(f.Detail, " at ")
			}
		}
		if !found {
			t.Errorf("%s: not refuted under %q with code %q: %v", test.name, test.question, test.code, list)
		}
	}
	for _, test := range []struct {
		want  string
		wreck func(w *window)
	}{
		{"invariant read of window", func(w *window) {
			w.m.Invariant("read", "", w.m.B.Equal(w.m.Load(w.file, w.m.Address(0)), w.m.B.Bits(8, 0)))
		}},
		{"file[4..8] is filled", func(w *window) { w.m.Filled(w.file, 4, 5, w.m.B.Truth(true)) }},
		{"file[0..7] is filled where", func(w *window) { w.m.Fillings[0].When = w.left.Term }},
	} {
		w := newWindow()
		test.wreck(w)
		if _, err := Check(w.m); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Check: %v, want %q", err, test.want)
		}
	}
}

// What is known of random expressions under random conditions holds in every state that satisfies the conditions.
func TestRanges(t *testing.T) {
	proved, told, exact := 0, 0, 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 12))
		m := ila.New("random", "")
		b := m.B
		g := &examples.Expressions{R: r, B: b}
		for _, name := range []string{"p", "q", "s"} {
			g.In = append(g.In, m.Input(name, 3, "").Term)
		}
		var condition func(depth int) *term.Term
		condition = func(depth int) *term.Term {
			if depth == 0 {
				width := 1 + r.IntN(6)
				x, y := g.Bits(width, r.IntN(3)).Term, g.Bits(width, r.IntN(3)).Term
				if r.IntN(3) == 0 {
					return b.Equal(x, y)
				}
				return b.LessU(x, y)
			}
			x := condition(depth - 1)
			switch r.IntN(4) {
			case 0:
				return b.Not(x)
			case 1:
				return b.And(x, condition(depth-1))
			case 2:
				return b.Or(x, condition(depth-1))
			}
			return x
		}
		k := nothingKnown(b)
		for range 1 + r.IntN(3) {
			k = k.assume(condition(r.IntN(3)))
		}
		width := 1 + r.IntN(8)
		x := b.AddBits(g.Bits(width, 2).Term, g.Bits(width, 2).Term)
		if r.IntN(2) == 0 {
			x = b.AddBits(x, b.NegBits(g.Bits(width, 1).Term))
		}
		goal := condition(2)
		s, isExact, holds := k.span(x), k.exact(x), k.prove(goal, 6)
		value, isTold := k.truth(goal)
		if holds {
			proved++
		}
		if isTold {
			told++
		}
		if isExact {
			exact++
		}
		for state0 := range uint64(512) {
			e := &state{values: map[*term.Term]uint64{}, counts: map[*index.Atom]uint64{}}
			for n, in := range g.In {
				e.values[in] = state0 >> (3 * n) & 7
			}
			if e.value(k.all) == 0 {
				continue
			}
			if v := e.value(x); k.empty || v < s.lo || v > s.hi || isExact && e.wraps(x) {
				t.Fatalf("seed %d: %v is %d under %v, not in %v (exact %t, empty %t)", seed, x, v, k.all, s, isExact, k.empty)
			}
			if v := e.value(goal) != 0; holds && !v || isTold && v != value {
				t.Fatalf("seed %d: %v is %t under %v", seed, goal, v, k.all)
			}
		}
	}
	if proved < 200 || told < 200 || exact < 60 {
		t.Errorf("only %d goals are proved, %d conditions decided, %d sums exact", proved, told, exact)
	}
}

func TestCheckDecodes(t *testing.T) {
	for _, test := range []struct {
		name         string
		overlap, gap prove.Verdict
		build        func(m *ila.Model, x *term.Term)
	}{
		{"split at 5", prove.Proved, prove.Proved, func(m *ila.Model, x *term.Term) {
			m.Instruction("low", "", m.B.LessU(x, m.B.Bits(32, 5)))
			m.Instruction("high", "", m.B.Not(m.B.LessU(x, m.B.Bits(32, 5))))
		}},
		{"both have 5", prove.Refuted, prove.Proved, func(m *ila.Model, x *term.Term) {
			m.Instruction("low", "", m.B.LessU(x, m.B.Bits(32, 6)))
			m.Instruction("high", "", m.B.LessU(m.B.Bits(32, 4), x))
		}},
		{"nobody has 5", prove.Proved, prove.Refuted, func(m *ila.Model, x *term.Term) {
			m.Instruction("low", "", m.B.LessU(x, m.B.Bits(32, 5)))
			m.Instruction("high", "", m.B.LessU(m.B.Bits(32, 5), x))
		}},
		{"fields that overlap", prove.Refuted, prove.Refuted, func(m *ila.Model, x *term.Term) {
			m.Instruction("a", "", m.B.Equal(m.B.Extract(x, 0, 3), m.B.Bits(3, 6)))
			m.Instruction("b", "", m.B.Equal(m.B.Extract(x, 2, 3), m.B.Bits(3, 1)))
		}},
		{"too many cases", prove.Unknown, prove.Unknown, func(m *ila.Model, x *term.Term) {
			m.Instruction("a", "", m.B.Equal(m.B.AddBits(x, x), m.B.Bits(32, 6)))
		}},
	} {
		m := ila.New("m", "")
		test.build(m, m.Input("x", 32, "").Term)
		list, err := Check(m)
		if err != nil || len(list) < 2 {
			t.Fatal(list, err)
		}
		if list[0].Verdict != test.overlap || list[1].Verdict != test.gap {
			t.Errorf("%s: overlap %v, gap %v", test.name, list[0], list[1])
		}
	}
}
