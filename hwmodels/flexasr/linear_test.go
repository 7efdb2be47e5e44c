package flexasr

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"tv/ila"
	"tv/ila/number"
	"tv/ila/prove"
	"tv/ila/run"
	"tv/internal/tier"
)

// the tensors of a layer whose sums come near to the ends of all ranges
var usual = LinearOptions{Weights: 2, Inputs: 2, Biases: 2, Outputs: 2}

func TestLinear(t *testing.T) {
	for _, test := range []struct {
		m, n, k int
		o       LinearOptions
	}{
		{1, 16, 16, usual},
		{2, 20, 30, usual}, // padded
		{17, 64, 32, LinearOptions{Weights: 0, Inputs: 3, Biases: 7, Outputs: 5}},
		{1, 130, 16, LinearOptions{Weights: 4, Inputs: 5, Outputs: 7, NoBias: true}},
		{2, 64, 160, LinearOptions{Weights: 7, Inputs: 7, Biases: 1, Outputs: 6}}, // no shift, sums wrap
	} {
		if test.m*test.n*test.k > tier.Pick(5_000, 1<<30) {
			continue
		}
		task, err := Linear(test.m, test.n, test.k, test.o)
		r := verify(t, task, err)
		if r.Verdict != prove.Proved || r.Outputs != test.m*test.n || r.ByLemma != r.Outputs || r.Lemmas > 4 {
			t.Errorf("%s with %+v: %s: %s; %v", task.Name, test.o, r.Verdict, r.Detail, r)
		}
	}
	for _, size := range [][3]int{{0, 16, 16}, {1, 0, 16}, {1, 16, 0}, {1 << 16, 16, 16}, {1, 16, 4081}, {1, 4096, 16},
		{1, 64, 255 * 16 * 2}, {1, 63 * 64, 255 * 16}, {40000, 64, 64}} {
		if _, err := Linear(size[0], size[1], size[2], usual); err == nil {
			t.Errorf("Linear%v succeeds", size)
		}
	}
	if _, err := Linear(1, 16, 16, LinearOptions{Outputs: 8}); err == nil {
		t.Error("a bias of 8 is accepted")
	}
}

// reference computes a linear layer from the definitions, in rational numbers but for the wrap of the accumulator:
// what lies in the registers, in units of 2^-14, before it is rounded to codes.
func reference(x, w, bias []uint64, m, n, k int, o LinearOptions) []int64 {
	out := make([]int64, m*n)
	wrap := func(v *big.Int) *big.Int { // modulo 2^32, signed
		return big.NewInt(int64(int32(uint32(new(big.Int).And(v, big.NewInt(1<<32-1)).Uint64()))))
	}
	most := big.NewInt(1<<19 - 1)
	for i := range out {
		sum := new(big.Rat)
		for j := range k {
			product := new(big.Rat).Mul(codes.Value(x[i/n*k+j], o.Inputs), codes.Value(w[i%n*k+j], o.Weights))
			sum.Add(sum, product)
		}
		// in units of the product of both units
		sum.Mul(sum, big.NewRat(1<<28, 1<<(o.Inputs+o.Weights)))
		v := wrap(sum.Num())
		v.Rsh(v, uint(14-o.Inputs-o.Weights))
		if bias != nil {
			b := new(big.Rat).Mul(codes.Value(bias[i%n], o.Biases), big.NewRat(1<<14, 1))
			v = wrap(new(big.Int).Add(v, b.Num()))
		}
		if v.CmpAbs(most) > 0 {
			v.Mul(most, big.NewInt(int64(v.Sign())))
		}
		out[i] = v.Int64()
	}
	return out
}

func code(v int64, bias int) uint64 {
	c, _ := codes.Code(number.Hardware, big.NewRat(v, 1<<14), bias)
	return c
}

// The operations of the activation unit, against integers.
func TestOperations(t *testing.T) {
	if wrong := wrongOperation(t, NewModel); wrong != "" {
		t.Error(wrong)
	}
	for _, ops := range [][]uint64{{0x30, 0x60, 0x40}, {0x30, 0x50, 0x40}, {0x30, 0xE0, 0x40},
		{0x40}, {0x30, 0x30, 0x40}, {0x30, 0x44}, {0x10, 0x40}} {
		task, err := Linear(1, 64, 16, LinearOptions{Weights: 5, Inputs: 4, Biases: 7, Outputs: 6})
		if err != nil {
			t.Fatal(err)
		}
		programOf(task).operations(ops...)
		if r := verify(t, task, nil); r.Verdict != prove.Refuted || r.Fault == nil {
			t.Errorf("program %x: %s: %s", ops, r.Verdict, r.Detail)
		}
	}
}

// wrongOperation runs programs of the activation unit behind a linear layer and says which one gives something else than
// integers do, or "".
func wrongOperation(t *testing.T, machine func() *Machine) string {
	t.Helper()
	const m, n, k = 2, 70, 40
	wrap := func(v int64) int64 { return v << 44 >> 44 } // 20 bits
	o := LinearOptions{Weights: 5, Inputs: 4, Biases: 7, Outputs: 6}
	stored := func(v int64) int64 {
		c, _ := number.Q614.Code(codes.Value(code(v, o.Outputs), o.Outputs))
		return wrap(int64(c))
	}
	for _, test := range []struct {
		name string
		ops  []uint64
		want func(v int64) int64
	}{
		{"nop", []uint64{0x00, 0x30, 0x40}, func(v int64) int64 { return v }},
		{"another register", []uint64{0x3C, 0x4C}, func(v int64) int64 { return v }},
		{"copy", []uint64{0x34, 0x71, 0x40}, func(v int64) int64 { return v }},
		{"eadd", []uint64{0x30, 0x80, 0x40}, func(v int64) int64 { return wrap(2 * v) }},
		{"emul", []uint64{0x30, 0x90, 0x40}, func(v int64) int64 { return wrap(v * v >> 14) }},
		{"relu", []uint64{0x30, 0xC0, 0x40}, func(v int64) int64 { return max(v, 0) }},
		{"onex", []uint64{0x38, 0xD8, 0x48}, func(v int64) int64 { return wrap(1<<14 - v) }},
		{"store and load", []uint64{0x30, 0x20, 0x14, 0x81, 0x40}, func(v int64) int64 { return wrap(v + stored(v)) }},
		{"x(1-x)", []uint64{0x30, 0x74, 0xD4, 0x91, 0x40},
			func(v int64) int64 { return wrap(v * wrap(1<<14-v) >> 14) }},
	} {
		task, err := linear(machine(), m, n, k, o)
		if err != nil {
			t.Fatal(err)
		}
		programOf(task).operations(test.ops...)
		random := rand.New(rand.NewPCG(11, 0))
		var inputs [][]uint64
		for _, x := range task.Inputs {
			values := make([]uint64, x.Size())
			for i := range values {
				values[i] = random.Uint64N(256)
			}
			inputs = append(inputs, values)
		}
		got, err := run.NewSimulator(task.Model).Run(task, inputs)
		if err != nil {
			return fmt.Sprintf("%s: %v", test.name, err)
		}
		for i, v := range reference(inputs[0], inputs[1], inputs[2], m, n, k, o) {
			if want := code(test.want(v), o.Outputs); got[i] != want {
				return fmt.Sprintf("%s, element %d: %02x, want %02x", test.name, i, got[i], want)
			}
		}
	}
	return ""
}

// The program on random codes and on those at the ends of their range, against the definitions.
func TestLinearReference(t *testing.T) {
	const m, n, k = 3, 40, 150
	seen := map[uint64]bool{}
	for seed, o := range []LinearOptions{usual, {Weights: 7, Inputs: 7, Biases: 7, Outputs: 7},
		{Weights: 0, Inputs: 0, Biases: 0, Outputs: 0}, {Weights: 1, Inputs: 4, Outputs: 3, NoBias: true}} {
		task, err := Linear(m, n, k, o)
		if err != nil {
			t.Fatal(err)
		}
		random := rand.New(rand.NewPCG(7, uint64(seed)))
		var inputs [][]uint64
		for at, x := range task.Inputs {
			values := make([]uint64, x.Size())
			for i := range values {
				switch {
				case at < 2 && i < k: // the first row of x and of w: a sum as large as it can be
					values[i] = 0x7f
				case at < 2 && i < 2*k: // and one as small
					values[i] = [...]uint64{0x7f, 0xff}[at]
				case at == 0 && i >= 2*k: // zeros of either sign leave the bias alone
					values[i] = uint64(i%2) << 7
				case i%5 == 0:
					values[i] = []uint64{0, 0x80, 0x01, 0x81, 0x7f, 0xff}[random.IntN(6)]
				default:
					values[i] = random.Uint64N(256)
				}
			}
			inputs = append(inputs, values)
		}
		got, err := run.NewSimulator(task.Model).Run(task, inputs)
		if err != nil {
			t.Fatal(err)
		}
		var bias []uint64
		if !o.NoBias {
			bias = inputs[2]
		}
		for i, v := range reference(inputs[0], inputs[1], bias, m, n, k, o) {
			want := code(v, o.Outputs)
			if got[i] != want {
				t.Fatalf("%+v, element %d: %02x, want %02x", o, i, got[i], want)
			}
			seen[want] = true
		}
	}
	for _, code := range []uint64{0, 0x7f, 0xff} {
		if !seen[code] {
			t.Errorf("no element has code %02x: the values are too tame", code)
		}
	}
}

// Where a code that is too large loses its sign, as the public source reads, the layer is another one.
func TestSignLost(t *testing.T) {
	task, err := linear(Config{SignLost: true}.NewModel(), 1, 16, 16, usual)
	if r := verify(t, task, err); r.Verdict != prove.Refuted || r.Got != 0x7f || r.Want != 0xff {
		t.Errorf("%s: want %02x, got %02x: %s", r.Verdict, r.Want, r.Got, r.Detail)
	}
}

func TestLinearMistakes(t *testing.T) {
	const manager, size, act = "configure manager 1 of PE 1", "size PE 2", "configure the activation unit of PE 3"
	refuted(t, []mistake{
		{"a row of weights not stored", func(p *program) { p.drop(p.find("weights of w, row 5", 1)) }},
		{"two rows swapped", func(p *program) {
			p.swap(p.find("weights of w, row 3", 0), p.find("weights of w, row 4", 0))
		}},
		{"two tiles swapped", func(p *program) {
			p.swap(p.find("weights of w, row 70", 0), p.find("weights of w, row 70", 1))
		}},
		{"weights and biases swapped", func(p *program) {
			p.swap(p.find("weights of w, row 0", 0), p.find("biases from output 0", 0))
		}},
		{"weights in the next PE", func(p *program) { p.move(p.find("weights of w, row 9", 0), nextPE) }},
		{"no biases stored", func(p *program) { p.drop(p.find("biases from output 32", 0)) }},
		{"biases off by one", func(p *program) { p.move(p.find("biases from output 32", 0), lanes) }},
		{"biases not added", func(p *program) { p.set(p.find(size, 0), 3, 0) }},
		{"one output vector too few", func(p *program) { p.set(p.find(size, 0), 5, 1) }},
		{"one output vector too many", func(p *program) { p.set(p.find(size, 0), 5, 3) }},
		{"a PE not sized", func(p *program) { p.drop(p.find(size, 0)) }},
		{"a PE not valid", func(p *program) { p.set(p.find(size, 0), 0, 0) }},
		{"two managers", func(p *program) { p.set(p.find(size, 0), 4, 2) }},
		{"clustered weights", func(p *program) { p.set(p.find(size, 0), 2, 1) }},
		{"a manager not configured", func(p *program) { p.drop(p.find(manager, 0)) }},
		{"another bias of weights", func(p *program) { p.set(p.find(manager, 0), 1, 3) }},
		{"another bias of biases", func(p *program) { p.set(p.find(manager, 0), 2, 1) }},
		{"another bias of inputs", func(p *program) { p.set(p.find(manager, 0), 3, 0) }},
		{"one input vector too few", func(p *program) { p.set(p.find(manager, 0), 4, 1) }},
		{"one input vector too many", func(p *program) { p.set(p.find(manager, 0), 4, 3) }},
		{"wrong base of weights", func(p *program) { p.set(p.find(manager, 0), 6, 16) }},
		{"wrong base of biases", func(p *program) { p.set(p.find(manager, 0), 8, 1) }},
		{"wrong base of inputs", func(p *program) { p.set(p.find(manager, 0), 10, 1) }},
		{"another bias of outputs", func(p *program) { p.set(p.find(act, 0), 2, 3) }},
		{"one operation too few", func(p *program) { p.set(p.find(act, 0), 3, 1) }},
		{"outputs of another PE", func(p *program) { p.set(p.find(act, 0), 8, 0) }},
		{"another operation", func(p *program) { p.set(p.find("store the program of PE 0", 0), 0, 0x10) }},
		{"relu before the output", func(p *program) {
			at := p.find("store the program of PE 0", 0)
			p.set(at, 1, 0xC0)
			p.set(at, 2, 0x40)
			p.set(p.find("configure the activation unit of PE 0", 0), 3, 3)
		}},
		{"an input vector not stored", func(p *program) { p.drop(p.find("timestep 1", 0)) }},
		{"input vectors swapped", func(p *program) { p.swap(p.find("timestep 0", 0), p.find("timestep 0", 1)) }},
		{"outputs onto inputs", func(p *program) { p.set(p.find("configure the memory managers", 0), 6, 0) }},
		{"one timestep too few", func(p *program) { p.set(p.find("configure the control unit", 0), 8, 1) }},
		{"one timestep too many", func(p *program) { p.set(p.find("configure the control unit", 0), 8, 3) }},
		{"another mode", func(p *program) { p.set(p.find("configure the control unit", 0), 1, 3) }},
		{"not started", func(p *program) { p.drop(p.find("start", 0)) }},
	}, func() (*ila.Task, error) { return Linear(2, 120, 32, usual) })
}

// The host may store operands in any order, and a driver that does is proved without more.
func TestOtherOrder(t *testing.T) {
	task, err := Linear(2, 64, 32, usual)
	if err != nil {
		t.Fatal(err)
	}
	for i, j := 0, len(task.Steps)-2; i < j; i, j = i+1, j-1 {
		task.Steps[i], task.Steps[j] = task.Steps[j], task.Steps[i]
	}
	if r := verify(t, task, nil); r.Verdict != prove.Proved {
		t.Errorf("%s: %s", r.Verdict, r.Detail)
	}
}

// Rows of weights that are others are refuted: the elements behind, the row before, another tensor.
func TestOtherRows(t *testing.T) {
	for name, change := range map[string]func(task *ila.Task, r *ila.Stretch){
		"the elements behind": func(_ *ila.Task, r *ila.Stretch) { r.From++ },
		"the row before":      func(_ *ila.Task, r *ila.Stretch) { r.From -= 32 },
		"another tensor":      func(task *ila.Task, r *ila.Stretch) { r.Tensor, r.From = task.Inputs[0], 0 },
	} {
		task, err := Linear(2, 64, 32, usual)
		if err != nil {
			t.Fatal(err)
		}
		n := (&program{task}).find("weights of w, row 5", 1)
		change(task, &task.Steps[n].Row)
		if r := verify(t, task, nil); r.Verdict != prove.Refuted {
			t.Errorf("%s: %s: %s", name, r.Verdict, r.Detail)
		}
	}
}

func BenchmarkLinear(b *testing.B) {
	for _, n := range []int{16, 64, 128} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				task, err := Linear(1, n, n, usual)
				if err != nil {
					b.Fatal(err)
				}
				if r, err := prove.Verify(b.Context(), task); err != nil || r.Verdict != prove.Proved {
					b.Fatal(r, err)
				}
			}
		})
	}
}

// PEs work at once. Two that send to one vector race, also where neither computes anything that the output has: PE 3 and PE 2 have padding here.
func TestOneVector(t *testing.T) {
	task, err := Linear(2, 20, 32, usual)
	if err != nil {
		t.Fatal(err)
	}
	p := programOf(task)
	p.set(p.find("configure the activation unit of PE 3", 0), 8, 2)
	r := verify(t, p.Task, nil)
	if r.Verdict != prove.Unknown || r.Reason != "race" || !strings.HasPrefix(r.Detail, "PE 2 writes large[") {
		t.Errorf("%s (%s): %s", r.Verdict, r.Reason, r.Detail)
	}
	task, err = Linear(2, 20, 32, usual)
	if r := verify(t, task, err); r.Verdict != prove.Proved {
		t.Errorf("each its own: %s (%s): %s", r.Verdict, r.Reason, r.Detail)
	}
}
