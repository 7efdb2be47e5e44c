package bits

import (
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"tv/internal/source"
	"tv/semantics/bits"
	"tv/semantics/bits/languages"
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

// words are what the outputs are and registers become.
func (p *program) words(b *word.Builder) (words []*word.Word) {
	d := p.design(b)
	for _, o := range d.Outputs {
		words = append(words, o.Word)
	}
	for _, r := range d.Registers {
		words = append(words, r.Next)
	}
	return words
}

func programOf(f txtar.File, clock string) (*program, error) {
	n, err := netlistOf(source.NewFile(f.Name, string(f.Data)), clock)
	if err != nil {
		return nil, err
	}
	o := n.Options()
	return &program{n.Design, n.Machine, n.Latency(), o.Clock, Text{Language: languages.Of(filepath.Ext(f.Name)).Name, Name: f.Name, Data: string(f.Data),
		Top: o.Top}}, nil
}

// Machines, right and wrong, and texts of all languages. What is refuted is run in both evaluators, and what is proved on drawn inputs.
func TestMachines(t *testing.T) {
	for _, name := range append(cases(t, "testdata/machines/*.txtar"), cases(t, "testdata/languages/*.txtar")...) {
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

// chosenBy gives what the second text leaves open the values of a counterexample.
func chosenBy(c *Counterexample) bits.Choose {
	if c == nil {
		return nil
	}
	return func(name string, _, cycle int) *big.Int {
		for _, o := range c.Open {
			if o.Name == name && o.Cycle == cycle {
				return o.Value
			}
		}
		return nil
	}
}

// runs holds a verdict against the reference evaluators.
func runs(t *testing.T, r Result, before, after *program) {
	t.Helper()
	b := word.NewBuilder()
	inputs := before.design(b).Inputs
	if c := r.Counterexample; c != nil {
		open := chosenBy(c)
		tried := 0
		all := bits.AllChoices(1<<16, func(choose bits.Choose) bool {
			tried++
			differ := differs(before, after, choose, open, c.Cycle, func(port, cycle int) *big.Int { return c.Inputs[port].Values[cycle] }, inputs)
			return differ >= 0
		})
		if !all && tried == 1<<16 { // more than can be tried: what differs depends on none of them
			all = settledDifference(c, before, b) && bits.SomeChoices(1<<8, func(choose bits.Choose) bool {
				return differs(before, after, choose, open, c.Cycle, func(port, cycle int) *big.Int { return c.Inputs[port].Values[cycle] }, inputs) >= 0
			})
		}
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
	for _, w := range word.Reach(before.words(b)...) {
		open = open || w.Op == word.Open
	}
	for range 20 {
		if open { // what the first text leaves open is known to the certificate alone
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

// settledDifference tells whether an output of the first text has a bit that has one value whatever the text leaves open, and the second another.
func settledDifference(c *Counterexample, before *program, b *word.Builder) bool {
	inputs := map[string][]*big.Int{}
	for _, s := range c.Inputs {
		inputs[s.Name] = s.Values
	}
	values, known := Settled(before.design(b), c.Cycle-before.latency, inputs)
	return slices.ContainsFunc(c.Outputs, func(d Difference) bool {
		x := new(big.Int).Xor(values[d.Name], d.After)
		return x.And(x, known[d.Name]).Sign() != 0
	})
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
