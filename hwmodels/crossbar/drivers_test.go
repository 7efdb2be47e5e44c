package crossbar

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"tv/ila"
	"tv/ila/induct"
	"tv/ila/prove"
	"tv/ila/run"
	"tv/internal/source"
)

// A driver by name, on sizes; settings are as on the command line.
type example struct {
	driver   string
	sizes    []int
	settings string
}

func (x example) nest() (*ila.Nest, error) { return x.with(nil) }

// with makes the nest with options changed further.
func (x example) with(change func(*Options)) (*ila.Nest, error) {
	o := Defaults()
	if err := o.Set(strings.Fields(x.settings)); err != nil {
		return nil, err
	}
	if change != nil {
		change(&o)
	}
	s := x.sizes
	switch x.driver {
	case "gemv":
		return Gemv(s[0], s[1], o)
	case "batched":
		return Batched(s[0], s[1], s[2], s[3], o)
	case "saturating":
		return Saturating(s[0], s[1], s[2], s[3], o)
	}
	return Gemm(s[0], s[1], s[2], o)
}

// verify proves or refutes by induction over loops.
func verify(t *testing.T, nest func() (*ila.Nest, error)) (*ila.Task, *prove.Result) {
	t.Helper()
	task, r, err := induct.VerifyNest(context.Background(), nest, nest)
	if err != nil {
		t.Fatal(err)
	}
	return task, r
}

var right = []example{
	{"gemm", []int{1, 1, 1}, ""},
	{"gemm", []int{2, 2, 2}, "beta=1"},
	{"gemm", []int{5, 6, 7}, ""},
	{"gemm", []int{5, 1, 7}, "alpha=127 beta=-128"},
	{"gemm", []int{1, 6, 1}, "transa=1 transb=1"},
	{"gemm", []int{7, 6, 5}, "transa=1 transb=1 lda=9 ldb=8 ldc=11 alpha=-3 beta=5"},
	{"gemm", []int{7, 6, 5}, "transa=1 lda=7 ldc=6"},
	{"gemm", []int{7, 6, 5}, "transb=1 ldb=100 beta=1"},
	{"gemm", []int{3, 256, 256}, ""},
	{"gemm", []int{3, 257, 257}, "beta=2"},
	{"gemm", []int{4, 300, 600}, "order=kn"},
	{"gemm", []int{4, 300, 600}, "double=1"},
	{"gemm", []int{4, 300, 600}, "zero=1 beta=7 alpha=2"},
	{"gemm", []int{4, 30, 60}, "tile-rows=16 tile-columns=7 zero=1"},
	{"gemm", []int{4, 30, 60}, "tile-rows=16 tile-columns=7 double=1 order=kn beta=3"},
	{"gemm", []int{4, 9, 9}, "rows=8 columns=4"},
	{"gemm", []int{4, 5, 256}, "serial=1 adc=13"},
	{"gemm", []int{4, 5, 256}, "drop=1"},
	{"gemm", []int{4, 5, 128}, "adc=19"},
	{"gemm", []int{4, 5, 6}, "at-a=5000 at-b=100 at-c=20000"},
	{"gemv", []int{1, 1}, ""},
	{"gemv", []int{30, 20}, "incx=3 incy=2 lda=25 alpha=2"},
	{"gemv", []int{30, 20}, "transa=1 beta=-1 incx=2"},
	{"gemv", []int{300, 600}, "beta=1"},
	{"batched", []int{1, 2, 3, 4}, ""},
	{"batched", []int{3, 4, 5, 6}, "beta=1 transb=1 lda=8"},
	{"batched", []int{2, 4, 300, 6}, "transa=1 ldc=301"},
	{"saturating", []int{3, 4, 7, 3}, ""},
	{"saturating", []int{3, 4, 31, 2}, "serial=1 adc=10"},
	{"saturating", []int{3, 4, 7, 3}, "tile-rows=2"},
	{"saturating", []int{3, 4, 1, 4}, "alpha=-1"},
}

// Drivers are proved at sizes, whatever the choices of machine and driver; the same programs run on numbers give what a
// product of integers gives, modulo 2^8.
func TestDrivers(t *testing.T) {
	for _, x := range right {
		task, r := verify(t, x.nest)
		if r.Verdict != prove.Proved {
			t.Errorf("%v: %s %s: %s", x, r.Verdict, r.Reason, r.Detail)
			continue
		}
		for seed := range uint64(2) {
			compareProduct(t, x, task, seed)
		}
	}
}

// compareProduct runs a task and compares the output with the product, computed from the operands as they are stored.
func compareProduct(t *testing.T, x example, task *ila.Task, seed uint64) {
	t.Helper()
	o := Defaults()
	if err := o.Set(strings.Fields(x.settings)); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(seed, 5))
	inputs, named := [][]uint64{}, map[string][]int8{}
	for _, in := range task.Inputs {
		values := make([]uint64, in.Size())
		for i := range values {
			v := int8(random.Uint64()) >> (8 - in.Width)
			values[i] = uint64(v) & (1<<in.Width - 1)
			named[in.Name] = append(named[in.Name], v)
		}
		inputs = append(inputs, values)
	}
	out, err := run.NewSimulator(task.Model).Run(task, inputs)
	if err != nil {
		t.Fatalf("%v: %v", x, err)
	}
	batch, m, n, k := 1, 0, 0, 0
	a, b, old := named["a"], named["b"], named["c"]
	element := func(list []int8, transposed bool, first, rows, columns, i, j int) int {
		if transposed {
			return int(list[first+j*rows+i])
		}
		return int(list[first+i*columns+j])
	}
	switch s := x.sizes; x.driver {
	case "gemv":
		m, n, k = 1, s[0], s[1]
		if o.TransA {
			n, k = k, n
		}
		a, b, old = named["x"], a, named["y"]
		o.TransB, o.TransA = !o.TransA, false
	case "batched":
		batch, m, n, k = s[0], s[1], s[2], s[3]
	default:
		m, n, k = s[0], s[1], s[2]
	}
	for at := range out {
		z, i, j := at/(m*n), at/n%m, at%n
		sum := 0
		for l := range k {
			sum += element(a, o.TransA, z*m*k, m, k, i, l) * element(b, o.TransB, z*k*n, k, n, l, j)
		}
		sum *= o.Alpha
		if o.Beta != 0 {
			sum += o.Beta * int(old[at])
		}
		if uint8(sum) != uint8(out[at]) {
			t.Fatalf("%v: element %d is %d, and the product %d", x, at, int8(out[at]), int8(sum))
		}
	}
	if len(out) != batch*m*n {
		t.Errorf("%v: %d results", x, len(out))
	}
}

// endless tells whether an access of a task does not come to an end.
func endless(task *ila.Task) (endless bool) {
	s := run.NewSimulator(task.Model)
	taken := 0
	s.Trace = func(string, string) {
		if taken++; taken > 20000 {
			panic("endless")
		}
	}
	defer func() { endless = recover() != nil }()
	inputs := make([][]uint64, len(task.Inputs))
	for i, x := range task.Inputs {
		inputs[i] = make([]uint64, x.Size())
	}
	_, _ = s.Run(task, inputs) // a fault is for the proof to find
	return false
}

// The engine that unrolls programs proves them too.
func TestUnrolled(t *testing.T) {
	for _, x := range []example{right[1], right[5], {"gemm", []int{2, 3, 300}, "beta=3"}, {"gemm", []int{2, 3, 4}, "serial=1 adc=13"},
		{"saturating", []int{2, 2, 7, 3}, "tile-rows=4"}} {
		n, err := x.nest()
		if err != nil {
			t.Fatal(err)
		}
		if r, err := prove.Verify(context.Background(), n.Task()); err != nil || r.Verdict != prove.Proved {
			t.Errorf("%v: %v %s: %s", x, err, r.Verdict, r.Detail)
		}
	}
}

// What loses something is refuted by a run: converters a bit too narrow, operands with a bit too many for results that
// saturate.
func TestRefuted(t *testing.T) {
	for _, x := range []example{
		{"gemm", []int{1, 1, 256}, "adc=19"},
		{"gemm", []int{1, 1, 256}, "adc=19 drop=1"},
		{"gemm", []int{4, 5, 129}, "adc=18"},
		{"gemm", []int{1, 1, 256}, "serial=1 adc=12"},
		{"gemm", []int{1, 1, 256}, "serial=1 adc=12 drop=1"},
		{"gemm", []int{3, 3, 3}, "saturate=1"},
		{"saturating", []int{3, 4, 8, 3}, ""},
		{"saturating", []int{3, 4, 8, 3}, "tile-rows=4"},
		{"saturating", []int{3, 4, 32, 2}, "serial=1 adc=13"},
		{"saturating", []int{3, 4, 1, 8}, ""},
		{"saturating", []int{3, 4, 7, 3}, "beta=1"},
		{"saturating", []int{3, 4, 7, 3}, "alpha=2"},
	} {
		if _, r := verify(t, x.nest); r.Verdict != prove.Refuted || r.Reason != "values" {
			t.Errorf("%v: %s %s: %s", x, r.Verdict, r.Reason, r.Detail)
		}
	}
}

// What drivers do not take is an error with a code.
func TestErrors(t *testing.T) {
	for _, test := range []struct {
		example
		code, part string
	}{
		{example{"gemm", []int{0, 1, 1}, ""}, CodeSizes, "m is 0"},
		{example{"gemm", []int{1, 1 << 15, 1}, ""}, CodeSizes, "n is 32768"},
		{example{"batched", []int{0, 1, 1, 1}, ""}, CodeSizes, "batch is 0"},
		{example{"batched", []int{1025, 1, 1, 1}, ""}, CodeSizes, "tiles"},
		{example{"gemv", []int{1, -1}, ""}, CodeSizes, "k is -1"},
		{example{"saturating", []int{1, 1, 1, 9}, ""}, CodeSizes, "9 bits"},
		{example{"saturating", []int{1, 1, 1, 1}, ""}, CodeSizes, "1 bits"},
		{example{"gemm", []int{4, 5, 6}, "lda=5"}, CodeLayout, "lda is 5"},
		{example{"gemm", []int{4, 5, 6}, "lda=3 transa=1"}, CodeLayout, "lda is 3"},
		{example{"gemm", []int{4, 5, 6}, "ldb=4"}, CodeLayout, "ldb is 4"},
		{example{"gemm", []int{4, 5, 6}, "ldb=5 transb=1"}, CodeLayout, "ldb is 5"},
		{example{"gemm", []int{4, 5, 6}, "ldc=4"}, CodeLayout, "ldc is 4"},
		{example{"gemm", []int{4, 5, 6}, "lda=-7"}, CodeLayout, "lda is -7"},
		{example{"gemv", []int{4, 5}, "lda=4"}, CodeLayout, "lda is 4"},
		{example{"gemv", []int{4, 5}, "incx=0"}, CodeLayout, "0 or 1 apart"},
		{example{"gemm", []int{4, 5, 6}, "at-c=0"}, CodeLayout, "a and c overlap"},
		{example{"gemm", []int{4, 5, 6}, "at-c=40"}, CodeLayout, "b and c overlap"},
		{example{"gemm", []int{4, 5, 6}, "at-a=268435440"}, CodeLayout, "beyond"},
		{example{"gemm", []int{16384, 16384, 1}, ""}, CodeLayout, "beyond"},
		{example{"gemm", []int{4, 5, 6}, "alpha=128"}, CodeConfig, "alpha is 128"},
		{example{"gemm", []int{4, 5, 6}, "beta=-129"}, CodeConfig, "beta -129"},
		{example{"gemm", []int{4, 5, 6}, "tile-rows=257"}, CodeConfig, "257x0"},
		{example{"gemm", []int{4, 5, 6}, "order=mn"}, CodeConfig, "mn"},
		{example{"gemm", []int{4, 5, 6}, "adc=1"}, CodeConfig, "1 bits"},
		{example{"gemm", []int{4, 5, 6}, "rows=100"}, CodeConfig, "powers of two"},
		{example{"gemm", []int{4, 5, 6}, "transa=2"}, CodeConfig, "no setting"},
		{example{"gemm", []int{4, 5, 6}, "lda=x"}, CodeConfig, "no setting"},
		{example{"gemm", []int{4, 5, 6}, "fast"}, CodeConfig, "no setting"},
		{example{"gemm", []int{4, 5, 6}, "lda=0"}, CodeConfig, "lda is 0"},
		{example{"gemm", []int{4, 5, 6}, "tile-columns=0"}, CodeConfig, "tile-columns is 0"},
		{example{"gemm", []int{4, 5, 6}, "at-b=-5"}, CodeConfig, "at-b is -5"},
		{example{"gemm", []int{4, 5, 6}, "ldc=8 ldc=9"}, CodeConfig, "ldc is set twice"},
		{example{"gemm", []int{4, 5, 6}, "order=nk order=kn"}, CodeConfig, "order is set twice"},
	} {
		_, err := test.nest()
		var e *source.Error
		if !errors.As(err, &e) || e.Code != test.code || !strings.Contains(e.Msg, test.part) {
			t.Errorf("%v: %v, want %s: %s", test.example, err, test.code, test.part)
		}
	}
}
