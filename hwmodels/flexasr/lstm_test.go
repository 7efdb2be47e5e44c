package flexasr

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"tv/ila/number"
	"tv/ila/prove"
	"tv/ila/run"
	"tv/internal/tier"
)

func TestLSTM(t *testing.T) {
	for _, test := range []struct {
		n, k int
		o    LinearOptions
	}{{16, 16, usual}, {20, 30, LinearOptions{Weights: 3, Inputs: 2, Biases: 1, Outputs: 4}}, {65, 17, usual}} {
		if test.n*test.k > tier.Pick(1_000, 1<<30) {
			continue
		}
		task, err := LSTM(test.n, test.k, 1, LSTMOptions{LinearOptions: test.o})
		r := verify(t, task, err)
		if r.Verdict != prove.Proved || r.Outputs != 2*test.n || len(task.Rests) != 1 {
			t.Errorf("%s with %+v: %s, %s: %s; %v", task.Name, test.o, r.Verdict, r.Reason, r.Detail, r)
		}
	}
	for _, size := range [][2]int{{0, 16}, {16, 0}, {1000, 16}, {16, 4000}, {960, 1600}} {
		if _, err := LSTM(size[0], size[1], 1, LSTMOptions{LinearOptions: usual}); err == nil {
			t.Errorf("LSTM%v succeeds", size)
		}
	}
}

// Mistakes are refuted, by values or by a fault.
func TestLSTMMistakes(t *testing.T) {
	const manager2 = "configure manager 2 of PE 0"
	for _, test := range []struct {
		name   string
		mutate func(p *program)
	}{
		{"gates in the order of the tensors", func(p *program) {
			for r := range 16 {
				for _, w := range []string{"weights of wx, row ", "weights of wh, row "} {
					p.swap(p.find(fmt.Sprint(w, 16+r), 0), p.find(fmt.Sprint(w, 32+r), 0))
				}
			}
			p.swap(p.find("biases bx, row 16", 0), p.find("biases bx, row 32", 0))
			p.swap(p.find("biases bh, row 16", 0), p.find("biases bh, row 32", 0))
		}},
		{"a program for the order of the tensors", func(p *program) {
			// f before g: sigm for tanh and the other way round
			at := p.find("store the program of PE 0", 0)
			p.set(at, 7, 0xA4)
			p.set(at, 12, 0xB4)
		}},
		{"the biases of the inputs twice", func(p *program) { p.set(p.find(manager2, 0), 8, 2) }},
		{"no cells", func(p *program) { p.drop(p.find("cells from 0", 0)) }},
		{"no state", func(p *program) { p.drop(p.find("state, vector 0", 0)) }},
		{"one manager", func(p *program) { p.set(p.find("size PE 0", 0), 4, 1) }},
		{"no second manager", func(p *program) { p.drop(p.find(manager2, 0)) }},
		{"weights of the inputs for the state", func(p *program) { p.set(p.find(manager2, 0), 6, 0) }},
		{"the cells are not stored", func(p *program) { p.set(p.find("store the program of PE 0", 1), 0, 0) }},
		{"not sent", func(p *program) { p.set(p.find("store the program of PE 0", 1), 7, 0) }},
		{"a third of the program", func(p *program) { p.drop(p.find("store the program of PE 0", 1)) }},
	} {
		task, err := LSTM(16, 16, 1, LSTMOptions{LinearOptions: usual})
		if err != nil {
			t.Fatal(err)
		}
		test.mutate(programOf(task))
		if r := verify(t, task, nil); r.Verdict != prove.Refuted {
			t.Errorf("%s: %s, %s: %s", test.name, r.Verdict, r.Reason, r.Detail)
		}
	}
}

// The program on random codes, against rational sums and integers; functions are by the tables of the model.
func TestLSTMReference(t *testing.T) {
	const n, k = 21, 37
	o := LinearOptions{Weights: 4, Inputs: 3, Biases: 5, Outputs: 3}
	task, err := LSTM(n, k, 1, LSTMOptions{LinearOptions: o})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(13, 0))
	var in [][]uint64
	for _, x := range task.Inputs {
		values := make([]uint64, x.Size())
		for i := range values {
			values[i] = random.Uint64N(256)
		}
		in = append(in, values)
	}
	out, err := run.NewSimulator(task.Model).Run(task, in)
	if err != nil {
		t.Fatal(err)
	}
	x, h, c, wx, wh, bx, bh := in[0], in[1], in[2], in[3], in[4], in[5], in[6]
	parts, more := reference(x, wx, bx, 1, 4*n, k, o), reference(h, wh, bh, 1, 4*n, n, o)
	wrap := func(v int64) int64 { return v << 44 >> 44 }
	product := func(x, y int64) int64 { return wrap(x * y >> 14) }
	sigm, tanh := PublicTables().sigmoid, PublicTables().tanh
	for j := range n {
		gate := func(which int) int64 { return wrap(parts[which*n+j] + more[which*n+j]) }
		old, _ := number.Q614.Code(codes.Value(c[j], o.Outputs))
		cell := wrap(product(sigm(gate(0)), tanh(gate(2))) + product(sigm(gate(1)), wrap(int64(old))))
		if want := code(cell, o.Outputs); out[n+j] != want {
			t.Errorf("cell %d: %02x, want %02x", j, out[n+j], want)
		}
		if want := code(product(tanh(cell), sigm(gate(3))), o.Outputs); out[j] != want {
			t.Errorf("state %d: %02x, want %02x", j, out[j], want)
		}
	}
}
