package crossbar

import (
	"math/rand/v2"
	"testing"

	"tv/hwmodels/crossbar/plain"
	"tv/ila"
	"tv/ila/ilatest"
	"tv/ila/prove"
	"tv/semantics/index"
	"tv/semantics/term"
)

// Mistakes of drivers. None is proved, and runs show each of them.
func TestMutatedDrivers(t *testing.T) {
	type change = func(ix *index.Builder, name string, value *index.Expr) *index.Expr
	number := func(e *index.Expr) int { n, _ := ila.ConstInt(e); return n }
	add := func(register string, n int64) change {
		return func(ix *index.Builder, name string, value *index.Expr) *index.Expr {
			if name == register {
				return ix.AddInt(value, n)
			}
			return value
		}
	}
	drop := func(register string) change {
		return func(_ *index.Builder, name string, value *index.Expr) *index.Expr {
			if name == register {
				return nil
			}
			return value
		}
	}
	for _, test := range []struct {
		name    string
		example example
		change  change
	}{
		{"weights from the next element", example{"gemm", []int{5, 6, 7}, ""}, add("weights", 1)},
		{"vectors from the next element", example{"gemm", []int{5, 6, 7}, "lda=8"}, add("vector", 1)},
		{"results to the next element", example{"gemm", []int{5, 6, 7}, ""}, add("result", 1)},
		{"a row too few", example{"gemm", []int{5, 6, 7}, ""}, add("rows", -1)},
		{"a column too few", example{"gemm", []int{5, 6, 7}, ""}, add("columns", -1)},
		{"a leading dimension for the other", example{"gemm", []int{5, 6, 7}, "ldb=9"}, func(ix *index.Builder, name string, value *index.Expr) *index.Expr {
			if name == "weights_row_step" {
				return ix.Const(6)
			}
			return value
		}},
		{"a transpose left out", example{"gemm", []int{6, 6, 6}, "transb=1"}, func(ix *index.Builder, name string, value *index.Expr) *index.Expr {
			switch name {
			case "weights_row_step":
				return ix.Const(6)
			case "weights_column_step":
				return ix.Const(1)
			}
			return value
		}},
		{"A transposed as B is", example{"gemm", []int{6, 6, 6}, "transa=1"}, func(ix *index.Builder, name string, value *index.Expr) *index.Expr {
			if name == "vector_step" {
				return ix.Const(1)
			}
			return value
		}},
		{"tiles of k that do not accumulate", example{"gemm", []int{3, 4, 9}, "tile-rows=4"}, func(ix *index.Builder, name string, value *index.Expr) *index.Expr {
			if name == "beta" {
				return ix.Const(0)
			}
			return value
		}},
		{"tiles of k that all use beta", example{"gemm", []int{3, 4, 9}, "tile-rows=4 beta=2"}, func(ix *index.Builder, name string, value *index.Expr) *index.Expr {
			if name == "beta" {
				return ix.Const(2)
			}
			return value
		}},
		{"a first tile that accumulates", example{"gemm", []int{3, 4, 9}, "tile-rows=4 beta=0"}, func(ix *index.Builder, name string, value *index.Expr) *index.Expr {
			if name == "beta" {
				return ix.Const(1)
			}
			return value
		}},
		{"beta left out", example{"gemm", []int{3, 4, 5}, "beta=1"}, drop("beta")},
		{"alpha left out", example{"gemm", []int{3, 4, 5}, ""}, drop("alpha")},
		{"alpha of the other sign", example{"gemm", []int{3, 4, 5}, "alpha=3"}, func(ix *index.Builder, name string, value *index.Expr) *index.Expr {
			if name == "alpha" {
				return ix.Const(253)
			}
			return value
		}},
		{"a rest of a whole tile", example{"gemm", []int{3, 9, 4}, "tile-columns=4"}, func(ix *index.Builder, name string, value *index.Expr) *index.Expr {
			if name == "columns" {
				return ix.Const(4)
			}
			return value
		}},
		{"double buffering in one bank", example{"gemm", []int{3, 9, 4}, "tile-columns=4 double=1"}, func(ix *index.Builder, name string, value *index.Expr) *index.Expr {
			if name == "bank" {
				return ix.Const(0)
			}
			return value
		}},
		{"banks that are exchanged when they multiply", example{"gemm", []int{3, 9, 4}, "tile-columns=4 double=1"}, exchanged(number)},
		{"weights never programmed", example{"gemm", []int{3, 4, 5}, ""}, drop("program")},
		{"no poll", example{"gemm", []int{3, 4, 5}, ""}, drop("poll")},
		{"a batch that starts where the first does", example{"batched", []int{2, 3, 4, 5}, ""}, func(ix *index.Builder, name string, value *index.Expr) *index.Expr {
			if name == "weights" {
				return ix.Const(32)
			}
			return value
		}},
		{"elements of x next to each other", example{"gemv", []int{4, 5}, "incx=2"}, func(ix *index.Builder, name string, value *index.Expr) *index.Expr {
			if name == "vector_step" {
				return ix.Const(1)
			}
			return value
		}},
		{"elements of y next to each other", example{"gemv", []int{4, 5}, "incy=2"}, func(ix *index.Builder, name string, value *index.Expr) *index.Expr {
			if name == "result_step" {
				return ix.Const(1)
			}
			return value
		}},
	} {
		nest := func() (*ila.Nest, error) { return test.example.with(func(o *Options) { o.mutate = test.change }) }
		if _, r := verify(t, nest); r.Verdict != prove.Refuted {
			t.Errorf("%s: %s %s: %s", test.name, r.Verdict, r.Reason, r.Detail)
		}
		if _, r := verify(t, test.example.nest); r.Verdict != prove.Proved {
			t.Errorf("without %s: %s %s: %s", test.name, r.Verdict, r.Reason, r.Detail)
		}
	}
}

// exchanged uses the other bank where a program multiplies: there the step of results is written after the bank.
func exchanged(number func(*index.Expr) int) func(*index.Builder, string, *index.Expr) *index.Expr {
	writes := 0
	return func(ix *index.Builder, name string, value *index.Expr) *index.Expr {
		if name != "bank" {
			return value
		}
		// three tiles: banks are written for program, program, multiply, program, multiply, multiply
		if at := writes % 6; at == 2 || at >= 4 {
			value = ix.Const(int64(1 - number(value)))
		}
		writes++
		return value
	}
}

// Mistakes of models. Each differs from the machine in plain Go, and where a driver meets it no product is proved.
func TestMutatedModels(t *testing.T) {
	few := Config{Rows: 4, Columns: 4, ADC: 14}
	type rewrite = func(m *Machine, b *term.Builder, t *term.Term) *term.Term
	loads := func(t *term.Term, v *ila.Var) bool { return t.Op == term.Load && t.Args[0] == v.Term }
	for _, test := range []struct {
		name, instruction string
		config            Config
		change            rewrite
		settings          string // of a product that meets it; "-": none does
	}{
		{"high halves without sign", "sum.row", few, func(m *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.ExtendS && loads(t.Args[0], m.high) {
				return b.ExtendU(t.Args[0], t.Sort.Width)
			}
			return nil
		}, "-"}, // modulo 2^8 that is the same
		{"low halves with sign", "sum.row", few, func(m *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.ExtendU && loads(t.Args[0], m.low) {
				return b.ExtendS(t.Args[0], t.Sort.Width)
			}
			return nil
		}, ""},
		{"inputs without sign", "sum.row", few, func(m *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.ExtendS && loads(t.Args[0], m.inputs) {
				return b.ExtendU(t.Args[0], t.Sort.Width)
			}
			return nil
		}, "-"},
		{"halves exchanged", "program.row", few, func(_ *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.Extract && t.Sort.Width == cellBits && t.Low() == cellBits {
				return b.Extract(t.Args[0], 0, cellBits)
			}
			return nil
		}, ""},
		{"halves that weigh 8", "convert.columns", few, func(_ *Machine, b *term.Builder, t *term.Term) *term.Term {
			if v, ok := t.ConstBits(); ok && v == 16 && t.Sort.Width == sumBits {
				return b.Bits(sumBits, 8)
			}
			return nil
		}, ""},
		{"sums of the next column", "convert.columns", few, func(m *Machine, b *term.Builder, t *term.Term) *term.Term {
			if loads(t, m.sums[1][0]) {
				return m.Load(m.sums[1][0], b.And(b.AddBits(t.Args[1], m.Address(1)), m.Address(3)))
			}
			return nil
		}, ""},
		{"converters that turn round", "convert.columns", Config{Rows: 4, Columns: 4, ADC: 8}, func(_ *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.Choose && t.Args[0].Op == term.LessS && t.Sort.Width == sumBits && t.Args[1].Op == term.Const {
				return b.ExtendS(b.Extract(t.Args[2], 0, 8), sumBits)
			}
			return nil
		}, "-"},
		{"converters a bit narrower", "convert.columns", few, func(_ *Machine, b *term.Builder, t *term.Term) *term.Term {
			if v, ok := t.ConstBits(); ok && t.Sort.Width == sumBits && (v == 1<<13-1 || v == 1<<32-1<<13) {
				return b.Bits(sumBits, uint64(term.Signed64(v, sumBits)>>3))
			}
			return nil
		}, "rows=4 columns=4 adc=14"},
		{"alpha without sign", "convert.columns", Config{Rows: 4, Columns: 4, ADC: 14, Saturate: true}, func(m *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.ExtendS && t.Args[0] == m.alpha.Term {
				return b.ExtendU(t.Args[0], sumBits)
			}
			return nil
		}, "-"},
		{"beta = 0 that reads results", "convert.columns", few, func(_ *Machine, _ *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.Choose && t.Args[0].Op == term.Equal {
				return t.Args[2]
			}
			return nil
		}, ""},
		{"results saturated by their magnitude", "convert.columns", Config{Rows: 4, Columns: 4, ADC: 14, Saturate: true}, func(_ *Machine, b *term.Builder, t *term.Term) *term.Term {
			if v, ok := t.ConstBits(); ok && v == 1<<32-128 && t.Sort.Width == sumBits {
				return b.Bits(sumBits, 1<<32-127)
			}
			return nil
		}, "-"},
		{"the sign of inputs bit by bit", "convert.columns", Config{Rows: 4, Columns: 4, ADC: 14, Serial: true, Saturate: true}, func(_ *Machine, b *term.Builder, t *term.Term) *term.Term {
			if v, ok := t.ConstBits(); ok && v == 1<<32-128 && t.Sort.Width == sumBits {
				return b.Bits(sumBits, 128)
			}
			return nil
		}, "-"}, // modulo 2^8 that is the same
		{"a bit twice", "sum.row", Config{Rows: 4, Columns: 4, ADC: 14, Serial: true}, func(_ *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.Extract && t.Sort.Width == 1 && t.Low() == 3 {
				return b.Extract(t.Args[0], 2, 1)
			}
			return nil
		}, "rows=4 columns=4 serial=1 adc=13"},
		{"sums that are not cleared", "multiply", few, func(_ *Machine, b *term.Builder, t *term.Term) *term.Term {
			if v, ok := t.ConstBits(); ok && v == 0 && t.Sort.Width == sumBits {
				return b.Bits(sumBits, 1)
			}
			return nil
		}, ""},
		{"banks that are one", "program.row", few, func(m *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t == m.bank.Term {
				return b.Bits(1, 0)
			}
			return nil
		}, "rows=4 columns=4 double=1"},
		{"row steps for column steps", "program.row", few, func(m *Machine, _ *term.Builder, t *term.Term) *term.Term {
			switch t {
			case m.rowStep.Term:
				return m.columnStep.Term
			case m.columnStep.Term:
				return m.rowStep.Term
			}
			return nil
		}, ""},
	} {
		made := func(c Config) *Machine {
			m, err := NewModel(c)
			if err != nil {
				t.Fatal(err)
			}
			if ilatest.Rewrite(m.Model, test.instruction, func(b *term.Builder, x *term.Term) *term.Term { return test.change(m, b, x) }) == 0 {
				t.Fatalf("%s: nothing is changed", test.name)
			}
			return m
		}
		if differ := differs(made(test.config), func() *plain.Machine { return Plain(test.config) }, 600, rand.New(rand.NewPCG(1, 4))); differ == "" {
			t.Errorf("%s: not told from the machine in plain Go", test.name)
		}
		if test.settings == "-" {
			continue
		}
		settings := test.settings
		if settings == "" {
			settings = small
		}
		nest := func() (*ila.Nest, error) {
			return example{"gemm", []int{5, 6, 7}, settings}.with(func(o *Options) { o.machine = made })
		}
		if _, r := verify(t, nest); r.Verdict != prove.Refuted {
			t.Errorf("%s: %s %s: %s", test.name, r.Verdict, r.Reason, r.Detail)
		}
		if _, r := verify(t, example{"gemm", []int{5, 6, 7}, settings}.nest); r.Verdict != prove.Proved {
			t.Errorf("without %s: %s %s: %s", test.name, r.Verdict, r.Reason, r.Detail)
		}
	}
}

// A model with any one thing changed is refuted, or computes the product all the same in further runs.
func TestModelMutants(t *testing.T) {
	refuted, same, open := 0, 0, 0
	x := example{"gemm", []int{5, 6, 7}, small + " beta=1"}
	if _, r := verify(t, x.nest); r.Verdict != prove.Proved {
		t.Fatalf("unchanged: %s %s: %s", r.Verdict, r.Reason, r.Detail)
	}
	for n := 0; ; n++ {
		what := ""
		nest := func() (*ila.Nest, error) {
			return x.with(func(o *Options) {
				o.machine = func(c Config) *Machine {
					m, err := NewModel(c)
					if err != nil {
						t.Fatal(err)
					}
					what = ilatest.Mutate(m.Model, n)
					return m
				}
			})
		}
		one, err := nest()
		if err != nil {
			t.Fatal(err)
		}
		if what == "" {
			break
		}
		if endless(one.Task()) {
			refuted++
			continue
		}
		task, r := verify(t, nest)
		switch r.Verdict {
		case prove.Refuted:
			refuted++
		case prove.Proved:
			same++
			for seed := range uint64(4) {
				compareProduct(t, x, task, 10+seed)
			}
		default:
			open++
		}
	}
	if t.Logf("%d refuted, %d are the same, %d open", refuted, same, open); refuted < 60 || same+open > 20 {
		t.Errorf("only %d changes are refuted", refuted)
	}
}
