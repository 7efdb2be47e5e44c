package bits

import (
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"tv/internal/source"
	"tv/semantics/bits"
	"tv/semantics/bits/bv"
	"tv/semantics/bits/bv/eval"
	"tv/semantics/bits/bv/lower"
	"tv/semantics/bits/word"
)

// A program is a text of a litmus file.
type program struct {
	design  func(b *word.Builder) *bits.Design
	machine func(choose bits.Choose) bits.Machine
	latency int
	clock   string
	text    Text
}

func programOf(f txtar.File, clock string) (*program, error) {
	name := f.Name
	file := source.NewFile(name, string(f.Data))
	if filepath.Ext(name) == ".bv" {
		s, err := bv.Parse(file)
		if err != nil {
			return nil, err
		}
		return &program{func(b *word.Builder) *bits.Design { return lower.Design(s, b) },
			func(c bits.Choose) bits.Machine { return eval.New(s, c) }, s.Latency, s.Clock, Text{Language: "bv", Name: name, Data: string(f.Data)}}, nil
	}
	n, err := netlistOf(file, clock)
	if err != nil {
		return nil, err
	}
	return &program{n.Design, n.Machine, 0, "", Text{Language: "verilog", Name: name, Data: string(f.Data), Top: n.Top}}, nil
}

// Machines, right and wrong. What is refuted is run in both evaluators, and what is proved on drawn inputs.
func TestMachines(t *testing.T) {
	for _, name := range cases(t, "testdata/machines/*.txtar") {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			before, err := programOf(a.Files[0], "")
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if after, err := programOf(a.Files[1], before.clock); err != nil {
				got = err.Error() + "\n"
			} else {
				b := word.NewBuilder()
				q := Question{Before: before.design(b), After: after.design(b), Latency: before.latency}
				r, err := Check(t.Context(), q, Options{Conflicts: 20_000})
				got = said(r, err)
				if err == nil {
					runs(t, r, before, after)
				}
				if r.machine != nil {
					certified(t, r.machine.machine, string(r.Certificate(q, before.text, after.text)))
				}
			}
			want := &a.Files[len(a.Files)-1]
			if *update {
				want.Data = []byte(got)
				if err := os.WriteFile(name, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if got != string(want.Data) {
				t.Errorf("got %swant %s", got, want.Data)
			}
		})
	}
}

// runs holds a verdict against the reference evaluators.
func runs(t *testing.T, r Result, before, after *program) {
	t.Helper()
	b := word.NewBuilder()
	inputs := before.design(b).Inputs
	if c := r.Counterexample; c != nil {
		open := func(name string, _, cycle int) *big.Int {
			for _, o := range c.Open {
				if o.Name == name && o.Cycle == cycle {
					return o.Value
				}
			}
			return nil
		}
		tried := 0
		all := bits.AllChoices(1<<16, func(choose bits.Choose) bool {
			tried++
			differ := differs(before, after, choose, open, c.Cycle, func(port, cycle int) *big.Int { return c.Inputs[port].Values[cycle] }, inputs)
			return differ >= 0
		})
		if !all || c.Chosen == nil && tried != 1 {
			t.Errorf("the evaluators do not differ, choice %d", tried)
		}
	}
	if r.Verdict != Proved {
		return
	}
	draw := rand.New(rand.NewPCG(3, 4))
	open := false
	for _, reg := range before.design(b).Registers {
		open = open || startsFree(&reg)
	}
	for range 20 {
		if open { // what the first text starts with is known to the certificate alone
			break
		}
		type at struct{ port, cycle int }
		drawn := map[at]*big.Int{}
		random := func(width int) *big.Int {
			v := new(big.Int)
			for i := range width {
				v.SetBit(v, i, uint(draw.IntN(2)))
			}
			return v
		}
		if c := differs(before, after, nil, nil, 40, func(port, cycle int) *big.Int {
			k := at{port, cycle}
			if drawn[k] == nil {
				drawn[k] = random(inputs[port].Width)
			}
			return drawn[k]
		}, inputs); c >= 0 {
			t.Fatalf("the evaluators differ at cycle %d", c)
		}
	}
}

// differs runs both, and returns the first cycle at which outputs differ, or -1. It ends where an assumption does not hold.
func differs(before, after *program, chosen, open bits.Choose, last int, in func(port, cycle int) *big.Int, inputs []bits.Port) int {
	left, right := before.machine(chosen), after.machine(open)
	var past []map[string]*big.Int
	for cycle := range last + 1 {
		words := map[string]*big.Int{}
		for i, p := range inputs {
			words[p.Name] = in(i, cycle)
		}
		out, holds := left.Step(words)
		if !holds {
			return -1
		}
		past = append(past, out)
		got, _ := right.Step(words)
		if cycle < before.latency {
			continue
		}
		for name, v := range past[cycle-before.latency] {
			if got[name].Cmp(v) != 0 {
				return cycle
			}
		}
	}
	return -1
}
