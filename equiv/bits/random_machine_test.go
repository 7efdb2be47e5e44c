package bits

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"tv/internal/tier"
	"tv/semantics/bits"
	"tv/semantics/bits/word"
)

// drawnMachine is a design with one or two registers of two bits, over an input of two bits and one of one.
func drawnMachine(r *rand.Rand, b *word.Builder, open bool) *bits.Design {
	d := &bits.Design{Name: "drawn", Builder: b, Inputs: []bits.Port{{Name: "a", Width: 2}, {Name: "e", Width: 1}}}
	words := []*word.Word{b.Input("a", 2, 0), b.Int(2, int64(r.IntN(4)))}
	flags := []*word.Word{b.Input("e", 1, 0)}
	n := 1 + r.IntN(2)
	for i := range n {
		name := fmt.Sprint("r", i)
		reg := bits.Register{Name: name, Width: 2, Initial: big.NewInt(int64(r.IntN(4))), Now: b.State(name, 2)}
		if open && r.IntN(2) == 0 {
			reg.Open = big.NewInt(int64(r.IntN(4)))
			reg.Initial = new(big.Int).AndNot(reg.Initial, reg.Open)
		}
		d.Registers = append(d.Registers, reg)
		words = append(words, reg.Now)
	}
	pick := func() *word.Word { return words[r.IntN(len(words))] }
	for range 3 + r.IntN(5) {
		switch r.IntN(8) {
		case 0:
			words = append(words, b.Apply(word.Add, pick(), pick()))
		case 1:
			words = append(words, b.Apply(word.And, pick(), pick()))
		case 2:
			words = append(words, b.Apply(word.Xor, pick(), pick()))
		case 3:
			flags = append(flags, b.Apply(word.Eq, pick(), pick()))
		case 4:
			flags = append(flags, b.Apply(word.ULT, pick(), pick()))
		default:
			words = append(words, b.Apply(word.Ite, flags[r.IntN(len(flags))], pick(), pick()))
		}
	}
	for i := range d.Registers {
		d.Registers[i].Next = pick()
	}
	d.Outputs = []bits.Output{{Port: bits.Port{Name: "y", Width: 2}, Word: words[len(words)-1-r.IntN(2)]}}
	return d
}

// changedMachine is the design with a register's initial value, or a word that is chosen from, changed.
func changedMachine(r *rand.Rand, d *bits.Design) *bits.Design {
	out := *d
	out.Registers = append([]bits.Register(nil), d.Registers...)
	b := d.Builder
	k := r.IntN(len(out.Registers))
	switch r.IntN(4) {
	case 0:
		v := new(big.Int).Xor(out.Registers[k].Initial, big.NewInt(int64(1+r.IntN(3))))
		if open := out.Registers[k].Open; open != nil {
			v.AndNot(v, open)
		}
		out.Registers[k].Initial = v
	case 1: // the complement, and so wherever it is read
		old := out.Registers[k]
		name := "n" + old.Name
		now := b.Apply(word.Not, b.State(name, 2))
		next := func(w *word.Word) *word.Word { return replaced(b, w, old.Now, now) }
		v := new(big.Int).Xor(old.Initial, big.NewInt(3))
		if old.Open != nil {
			v.AndNot(v, old.Open)
		}
		out.Registers[k] = bits.Register{Name: name, Width: 2, Initial: v, Open: old.Open, Now: b.State(name, 2)}
		for i := range out.Registers {
			if i == k {
				out.Registers[i].Next = b.Apply(word.Not, next(old.Next))
			} else {
				out.Registers[i].Next = next(d.Registers[i].Next)
			}
		}
		out.Outputs = []bits.Output{{Port: d.Outputs[0].Port, Word: next(d.Outputs[0].Word)}}
	case 2:
		out.Registers[k].Next = b.Apply(word.Ite, b.Input("e", 1, 0), out.Registers[k].Next, out.Registers[k].Now)
	case 3:
		out.Outputs = []bits.Output{{Port: d.Outputs[0].Port, Word: b.Apply(word.Xor, d.Outputs[0].Word, b.Apply(word.And, out.Registers[k].Now, b.Input("a", 2, 0)))}}
	}
	return &out
}

func replaced(b *word.Builder, w, old, new *word.Word) *word.Word {
	done := map[*word.Word]*word.Word{old: new}
	for _, x := range word.Reach(w) {
		if done[x] != nil {
			continue
		}
		args := make([]*word.Word, len(x.Args))
		for i, a := range x.Args {
			args[i] = done[a]
		}
		done[x] = b.With(x, args)
	}
	return done[w]
}

// explicit is a design as tables: of each state and input the output and the next state.
type explicit struct {
	outputs, next [][8]int
	starts        []int
}

func tabulated(d *bits.Design) *explicit {
	n := 2 * len(d.Registers)
	e := &explicit{outputs: make([][8]int, 1<<n), next: make([][8]int, 1<<n)}
	roots := []*word.Word{d.Outputs[0].Word}
	for _, r := range d.Registers {
		roots = append(roots, r.Next)
	}
	for s := range 1 << n {
		starts := true
		for i, r := range d.Registers {
			v := int64(s >> (2 * i) & 3)
			open := int64(0)
			if r.Open != nil {
				open = r.Open.Int64()
			}
			starts = starts && v&^open == r.Initial.Int64()&^open
		}
		if starts {
			e.starts = append(e.starts, s)
		}
		for in := range 8 {
			of := word.Eval(func(w *word.Word) *big.Int {
				if w.Op == word.Input {
					return big.NewInt(int64(map[string]int{"a": in & 3, "e": in >> 2}[w.Name]))
				}
				for i, r := range d.Registers {
					if r.Name == w.Name {
						return big.NewInt(int64(s >> (2 * i) & 3))
					}
				}
				panic(w.Name)
			}, roots...)
			e.outputs[s][in] = int(of[d.Outputs[0].Word].Int64())
			for i, r := range d.Registers {
				e.next[s][in] |= int(of[r.Next].Int64()) << (2 * i)
			}
		}
	}
	return e
}

// right tells whether for each run of after there is one of before such that outputs are equal at all cycles from latency on, by visiting
// all that can be: the states of before that are left, that of after, and the inputs that before has still to read.
func right(before, after *explicit, latency int) bool {
	type at struct{ left, a, past int }
	all := 0
	for _, b := range before.starts {
		all |= 1 << b
	}
	seen := map[at]bool{}
	var todo []at
	for _, a := range after.starts {
		firsts := []at{{all, a, 0}}
		for range latency { // after runs ahead
			var later []at
			for _, p := range firsts {
				for in := range 8 {
					later = append(later, at{p.left, after.next[p.a][in], p.past<<3 | in})
				}
			}
			firsts = later
		}
		todo = append(todo, firsts...)
	}
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[p] {
			continue
		}
		seen[p] = true
		for in := range 8 {
			past := p.past<<3 | in
			old := past >> (3 * latency) & 7
			left := 0
			for b := range before.outputs {
				if p.left>>b&1 != 0 && before.outputs[b][old] == after.outputs[p.a][in] {
					left |= 1 << before.next[b][old]
				}
			}
			if left == 0 {
				return false
			}
			todo = append(todo, at{left, after.next[p.a][in], past & (1<<(3*latency) - 1)})
		}
	}
	return true
}

// Small machines that were drawn are decided as the visit of all their states decides them; none is left open.
func TestDrawnMachines(t *testing.T) {
	counts := map[string]int{}
	for seed := range tier.Pick(60, 1000) {
		r := rand.New(rand.NewPCG(uint64(seed), 77))
		b := word.NewBuilder()
		open := seed%3 == 2
		before := drawnMachine(r, b, open)
		after := before
		for range r.IntN(3) {
			after = changedMachine(r, after)
		}
		latency := 0
		if seed%4 == 3 { // a cycle late, by a register at the output
			latency = 1
			late := *after
			now := b.State("late", 2)
			late.Registers = append(append([]bits.Register(nil), after.Registers...), bits.Register{Name: "late", Width: 2, Initial: big.NewInt(0), Now: now, Next: after.Outputs[0].Word})
			late.Outputs = []bits.Output{{Port: after.Outputs[0].Port, Word: now}}
			after = &late
		}
		q := Question{Before: before, After: after, Latency: latency}
		m, why := newMachine(q)
		if m == nil {
			t.Fatal(why)
		}
		res := Result{}
		if err := m.decide(t.Context(), Options{Conflicts: 100_000}, &res); err != nil {
			t.Fatal(err)
		}
		want := Refuted
		if right(tabulated(before), tabulated(after), latency) {
			want = Proved
		}
		counts[fmt.Sprint(res.Verdict, " ", open)]++
		if open && res.Verdict == Unknown { // a choice may have to be one that is not looked for
			continue
		}
		if res.Verdict != want {
			t.Errorf("seed %d: %s %s, not %s", seed, res.Verdict, res.Detail, want)
		}
		if res.Verdict == Proved {
			certified(t, m, string(res.Certificate(q, Text{}, Text{})))
		}
	}
	for _, k := range []string{"proved false", "refuted false", "proved true", "refuted true"} {
		if counts[k] < 3 {
			t.Errorf("%s: %d", k, counts[k])
		}
	}
	t.Log(counts)
}
