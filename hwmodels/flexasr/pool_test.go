package flexasr

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"tv/ila"
	"tv/ila/number"
	"tv/ila/prove"
	"tv/ila/run"
	"tv/semantics/term"
)

// The public example: five writes, a max-pool of 2x16. The model takes a vector at a micro-step, so that its 25 steps
// are 5 instructions and one micro-step here.
func TestGolden(t *testing.T) {
	s := simulate(t, NewModel())
	steps := 0
	s.s.Trace = func(string, string) { steps++ }
	s.write(0x33800010, 0x0000000200000002, 0x0001000000000001)
	s.write(0x33400010, 0, 0x10)
	s.write(0x33500000, 0x03C5ACB7A2CC2347, 0x51CA3281B0231DB4)
	s.write(0x33500010, 0x24D3B0D1B2CB3350, 0x5FC4178149004ACB)
	s.write(0x33000020, 0, 1)
	if high, low := s.large(0); high != 0x24C5ACB7A2CB3350 || low != 0x5FC4328149234AB4 || steps != 6 {
		t.Errorf("the reduction gives %016x%016x in %d steps", high, low, steps)
	}
}

// A reduction of a tensor that memory manager 2 places: two blocks of timesteps, from vector 5 on.
func TestManager(t *testing.T) {
	s := simulate(t, NewModel())
	s.write(addrManager, 0x00050003, 0) // manager 2: 3 vectors of a timestep
	for ts := uint64(0); ts < 18; ts++ {
		for v := uint64(0); v < 2; v++ { // of the three the reduction takes two
			at := 5 + ts%16 + (ts/16*3+v)*16
			s.write(addrLarge+at*lanes, 0, 0x10+ts+v*0x20)
		}
	}
	s.write(addrReduce, 18, 1<<8|2<<32|2<<48|1)
	s.write(addrStartReduce, 0, 1)
	for ts := uint64(0); ts < 9; ts++ {
		for v := uint64(0); v < 2; v++ {
			x, y := codes.Value(0x10+2*ts+v*0x20, 0), codes.Value(0x11+2*ts+v*0x20, 0)
			want, _ := codes.Code(number.Hardware, x.Mul(x.Add(x, y), big.NewRat(1, 2)), 0)
			if _, got := s.large(5 + ts%16 + (ts/16*3+v)*16); got != want {
				t.Errorf("timestep %d, vector %d: %x, want %x", ts, v, got, want)
			}
		}
	}
}

type pooler func(timesteps, width, bias int) (*ila.Task, error)

func TestPools(t *testing.T) {
	for _, p := range []pooler{MaxPool, MeanPool, AddPool} {
		for _, size := range [][3]int{{2, 16, 2}, {16, 64, 2}, {34, 48, 0}, {6, 16, 7}} {
			task, err := p(size[0], size[1], size[2])
			r := verify(t, task, err)
			if r.Verdict != prove.Proved || r.Lemmas != 1 || r.ByLemma != r.Outputs {
				t.Errorf("%s %v: %s: %s; %v", task.Name, size, r.Verdict, r.Detail, r)
			}
		}
		for _, size := range [][3]int{{3, 16, 0}, {0, 16, 0}, {2, 17, 0}, {2, 4096, 0}, {2, 16, 8}, {65534, 64, 0}} {
			if _, err := p(size[0], size[1], size[2]); err == nil {
				t.Errorf("a pool of %v succeeds", size)
			}
		}
	}
}

// Sums that are cut before they are rounded are not what the contract says; a maximum takes no sum.
func TestCutSums(t *testing.T) {
	for mode, want := range []prove.Verdict{modeMax: prove.Proved, modeMean: prove.Refuted, modeAdd: prove.Refuted} {
		task, err := pool(Config{CutSums: true}.NewModel(), mode, 4, 32, 2)
		if r := verify(t, task, err); r.Verdict != want {
			t.Errorf("%s: %s, want %s: %s", task.Name, r.Verdict, want, r.Detail)
		}
	}
}

// The programs on random codes and on those at the ends, against the definition.
func TestPoolReference(t *testing.T) {
	half := big.NewRat(1, 2)
	for _, test := range []struct {
		pool pooler
		of   func(x, y *big.Rat) *big.Rat
	}{
		{MaxPool, func(x, y *big.Rat) *big.Rat {
			if x.Cmp(y) < 0 {
				return y
			}
			return x
		}},
		{MeanPool, func(x, y *big.Rat) *big.Rat { return new(big.Rat).Mul(new(big.Rat).Add(x, y), half) }},
		{AddPool, func(x, y *big.Rat) *big.Rat { return new(big.Rat).Add(x, y) }},
	} {
		for bias := range 8 {
			task, err := test.pool(18, 32, bias)
			if err != nil {
				t.Fatal(err)
			}
			random := rand.New(rand.NewPCG(5, uint64(bias)))
			x := make([]uint64, 18*32)
			for i := range x {
				x[i] = random.Uint64N(256)
				if i%3 == 0 {
					x[i] = []uint64{0, 0x80, 0x01, 0x81, 0x7f, 0xff, 0x10, 0x90}[random.IntN(8)]
				}
			}
			out, err := run.NewSimulator(task.Model).Run(task, [][]uint64{x})
			if err != nil {
				t.Fatal(err)
			}
			for i, got := range out {
				at := i/32*64 + i%32
				v := test.of(codes.Value(x[at], bias), codes.Value(x[at+32], bias))
				if want, _ := codes.Code(number.Hardware, v, bias); got != want {
					t.Fatalf("%s, bias %d, element %d: %02x, want %02x", task.Name, bias, i, got, want)
				}
			}
		}
	}
}

func TestPoolMistakes(t *testing.T) {
	const conf = "configure the reduction"
	list := []mistake{
		{"a vector not stored", func(p *program) { p.drop(0) }},
		{"too few timesteps", func(p *program) { p.set(p.find(conf, 0), 8, 16) }},
		{"too many timesteps", func(p *program) { p.set(p.find(conf, 0), 8, 20) }},
		{"one vector too few", func(p *program) { p.set(p.find(conf, 0), 6, 1) }},
		{"not started", func(p *program) { p.drop(p.find("start", 0)) }},
		{"started before the configuration", func(p *program) {
			at := p.find(conf, 0)
			p.Steps[at], p.Steps[at+2] = p.Steps[at+2], p.Steps[at]
		}},
		{"two vectors swapped", func(p *program) { p.swap(0, 4) }},
		{"another mode", func(p *program) { p.set(p.find(conf, 0), 1, (p.get(p.find(conf, 0), 1)+1)%3) }},
		{"no such mode", func(p *program) { p.set(p.find(conf, 0), 1, 3) }},
		{"another manager", func(p *program) { p.set(p.find(conf, 0), 4, 1) }},
		{"no manager", func(p *program) { p.drop(p.find("configure the memory manager", 0)) }},
		{"stride of another width", func(p *program) { p.set(p.find("configure the memory manager", 0), 0, 3) }},
		{"wrong base", func(p *program) { p.set(p.find("configure the memory manager", 0), 2, 1) }},
		{"stored beside its place", func(p *program) { p.move(7, 16) }},
		{"an address between vectors", func(p *program) { p.move(7, 8) }},
	}
	for _, p := range []pooler{MaxPool, MeanPool, AddPool} {
		refuted(t, list, func() (*ila.Task, error) { return p(18, 32, 2) })
	}
	refuted(t, []mistake{{"zero keeps its sign", func(p *program) {
		right, x, b := p.Contract, p.Inputs[0], p.Model.B
		p.Contract = func(flat int) *term.Term {
			both := b.And(b.Equal(p.Element(x, flat%32+flat/32*64), b.Bits(8, 0x80)),
				b.Equal(p.Element(x, flat%32+flat/32*64+32), b.Bits(8, 0x80)))
			return b.Choose(both, b.Bits(8, 0x80), right(flat))
		}
	}}}, func() (*ila.Task, error) { return MaxPool(18, 32, 2) })
}

func BenchmarkMaxPool(b *testing.B) {
	for _, size := range [][2]int{{2, 16}, {16, 64}, {128, 512}} {
		b.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(b *testing.B) {
			for b.Loop() {
				task, err := MaxPool(size[0], size[1], 2)
				if err != nil {
					b.Fatal(err)
				}
				r, err := prove.Verify(b.Context(), task)
				if err != nil || r.Verdict != prove.Proved {
					b.Fatal(r, err)
				}
				b.ReportMetric(float64(r.Terms), "terms/op")
			}
		})
	}
}
