package ila_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"tv/ila"
	"tv/ila/run"
	"tv/semantics/index"
	"tv/semantics/term"
)

// solve runs a solver on a text and returns what it prints, a word a line.
func solve(t *testing.T, solver, text string) []string {
	t.Helper()
	path, err := exec.LookPath(solver)
	if err != nil {
		t.Fatalf("%v; .ci/deps installs it", err)
	}
	args := map[string][]string{"z3": {"-in"}, "cvc5": {"--lang", "smt2", "--incremental", "-"}}[solver]
	cmd := exec.Command(path, args...)
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", solver, err, out)
	}
	return strings.Fields(string(out))
}

// mixer is a small machine with all that a transition relation has: checks, counters, conditions of stores,
// cells that lose their value, lazy reads and a child.
func mixer() (m *ila.Model, op, x, count, memory *ila.Var) {
	m = ila.New("mixer", "Mixes.")
	b := m.B
	op = m.Input("op", 2, "what to do")
	x = m.Input("x", 8, "operand")
	count = m.Bits("count", 8, "sum so far")
	memory = m.Memory("cells", 8, 6, "few cells")
	at := func(t *term.Term) *term.Term { return m.At(t) }
	is := func(n uint64) *term.Term { return b.Equal(op.Term, b.Bits(2, n)) }
	write := m.Instruction("write", "cells[x] = count, if x is not 3.", is(0))
	write.Require(b.LessU(x.Term, b.Bits(8, 250)), ila.CodeOperand, "x is too large")
	write.Eachs = append(write.Eachs, ila.Each{N: 1, Stores: []ila.StoreTo{{Memory: memory, Address: at(x.Term), Value: count.Term,
		When: b.Not(b.Equal(x.Term, b.Bits(8, 3)))}}})
	read := m.Instruction("read", "count = cells[x], or x doubled where x is odd.", is(1))
	read.Set(count, b.Choose(b.Equal(b.Extract(x.Term, 0, 1), b.Bits(1, 1)), b.AddBits(x.Term, x.Term),
		m.Load(memory, at(x.Term))))
	shift := m.Instruction("shift", "cells[j+1] = cells[j] for j < 3, and cells[0] loses its value.", is(2))
	j := m.Counter("j", 3)
	shift.Store(memory, m.Address(0), nil)
	shift.Each(j, ila.StoreTo{Memory: memory, Address: b.AddBits(m.CountAt(j), m.Address(1)),
		Value: m.Load(memory, m.CountAt(j))})
	sum := m.Instruction("sum", "count = the sum of cells[0..2] times x.", is(3))
	k := m.Counter("k", 3)
	sum.Set(count, b.Reduce(term.Sum, []*index.Atom{k}, b.MulBits(x.Term, m.Load(memory, m.CountAt(k)))))
	child := m.Child("drain", "Halves count until it is below 200.")
	half := child.Instruction("half", "count = count / 2.", b.LessU(b.Bits(8, 199), count.Term))
	half.Set(count, b.ShrU(count.Term, b.Bits(8, 1)))
	return m, op, x, count, memory
}

// The transition relation relates a state to what the simulator leaves of it, and to nothing else; its faults are
// the simulator's. Both solvers say so.
func TestSMTLIB(t *testing.T) {
	m, _, _, count, memory := mixer()
	m.Children = nil // a step of the root alone
	var text bytes.Buffer
	if err := ila.SMTLIB(&text, m); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	address := func(at uint64) string { return fmt.Sprintf("(_ bv%d %d)", at, ila.AddressWidth) }
	var want []string
	faults := 0
	for range 60 {
		s := run.NewSimulator(m)
		s.SetBits(count, random.Uint64())
		script := fmt.Sprintf("(push 1)\n(assert (= mixer.count (_ bv%d 8)))\n", s.Bits(count))
		for at := range memory.Depth {
			written := random.IntN(4) > 0
			if written {
				s.SetCell(memory, at, random.Uint64())
			}
			v, _ := s.Cell(memory, at)
			script += fmt.Sprintf("(assert (= (select mixer.cells %s) (_ bv%d 8)))\n", address(at), v)
			script += fmt.Sprintf("(assert (= (select mixer.cells.written %s) %t))\n", address(at), written)
		}
		in := []uint64{random.Uint64N(4), random.Uint64N(9)}
		if random.IntN(8) == 0 {
			in[1] = 247 + random.Uint64N(9)
		}
		script += fmt.Sprintf("(assert (= mixer.op (_ bv%d 2)))\n(assert (= mixer.x (_ bv%d 8)))\n", in[0], in[1])
		err := s.Step(in...)
		var f *ila.Fault
		if errors.As(err, &f) {
			faults++
			script += "(push 1)\n(assert (not mixer.fault))\n(check-sat)\n(pop 1)\n(assert mixer.step)\n(check-sat)\n"
			want = append(want, "unsat", "unsat")
		} else {
			same := []string{fmt.Sprintf("(= mixer.count.next (_ bv%d 8))", s.Bits(count))}
			for at := range memory.Depth {
				v, written := s.Cell(memory, at)
				same = append(same, fmt.Sprintf("(= (select mixer.cells.written.next %s) %t)", address(at), written))
				if written {
					same = append(same, fmt.Sprintf("(= (select mixer.cells.next %s) (_ bv%d 8))", address(at), v))
				}
			}
			script += fmt.Sprintf("(assert mixer.step)\n(check-sat)\n(assert (not (and %s)))\n(check-sat)\n", strings.Join(same, " "))
			want = append(want, "sat", "unsat")
		}
		text.WriteString(script + "(pop 1)\n")
	}
	if faults < 10 || faults > 50 {
		t.Errorf("%d of 60 steps are faults: does the test still see both?", faults)
	}
	for _, solver := range []string{"z3", "cvc5"} {
		t.Run(solver, func(t *testing.T) {
			got := solve(t, solver, text.String())
			if strings.Join(got, " ") != strings.Join(want, " ") {
				t.Errorf("%s answers %v, want %v", solver, got, want)
			}
		})
	}
}

// A child's steps are a relation of their own; a model that is none is refused.
func TestSMTLIBChild(t *testing.T) {
	m, _, _, _, _ := mixer()
	var text bytes.Buffer
	if err := ila.SMTLIB(&text, m); err != nil {
		t.Fatal(err)
	}
	text.WriteString("(assert (= mixer.count (_ bv201 8)))\n(push 1)\n(assert mixer.drain.rests)\n(check-sat)\n(pop 1)\n" +
		"(assert mixer.drain.step)\n(check-sat)\n(assert (not (= mixer.count.next (_ bv100 8))))\n(check-sat)\n")
	for _, solver := range []string{"z3", "cvc5"} {
		if got := strings.Join(solve(t, solver, text.String()), " "); got != "unsat sat unsat" {
			t.Errorf("%s answers %s", solver, got)
		}
	}
	m.Children = append(m.Children, m)
	if err := ila.SMTLIB(&text, m); err == nil {
		t.Error("a model that is its own child has a relation")
	}
}
