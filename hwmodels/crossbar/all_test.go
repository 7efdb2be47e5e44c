package crossbar

import (
	"context"
	"strings"
	"testing"

	"tv/ila"
	"tv/ila/ilatest"
	"tv/ila/induct"
	"tv/ila/prove"
	"tv/internal/tier"
	"tv/semantics/index"
)

// small is a machine of few cells, whose converters have the bits that they need.
const small = "rows=4 columns=4 adc=14"

func options(t *testing.T, settings string) Options {
	t.Helper()
	o := Defaults()
	if err := o.Set(strings.Fields(settings)); err != nil {
		t.Fatal(err)
	}
	return o
}

func family(t *testing.T, o Options) *ila.Family {
	t.Helper()
	f, err := GemmAll(o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Products that one tile holds are proved for all sizes, and not with converters that lose a bit.
func TestGemmAll(t *testing.T) {
	for settings, want := range map[string]prove.Verdict{
		"": prove.Proved, "beta=1": prove.Proved, "transa=1 transb=1 alpha=-3 beta=5": prove.Proved, "serial=1 adc=13": prove.Proved,
		"rows=128 columns=512 adc=19": prove.Proved, small: prove.Proved, small + " drop=1": prove.Proved,
		"adc=19": prove.Unknown, "rows=4 columns=4 adc=13": prove.Unknown, "rows=4 columns=4 adc=12 drop=1": prove.Refuted,
		small + " saturate=1": prove.Refuted,
	} {
		r, err := induct.Verify(context.Background(), family(t, options(t, settings)))
		if err != nil || r.Verdict != want {
			t.Errorf("%q: %v, %v: %s", settings, err, r.Verdict, r.Detail)
		}
	}
	for _, settings := range []string{"alpha=200", "rows=5"} {
		o := Defaults()
		_ = o.Set(strings.Fields(settings)) // which says so, too
		if _, err := GemmAll(o); err == nil {
			t.Errorf("%q is a driver for all sizes", settings)
		}
	}
}

// Products of a matrix and a vector likewise; a register of the driver that is wrong is not proved.
func TestGemvAll(t *testing.T) {
	vector := func(o Options) *ila.Family {
		f, err := GemvAll(o)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	for settings, want := range map[string]prove.Verdict{
		"": prove.Proved, "transa=1 beta=1": prove.Proved, "alpha=-3 beta=5": prove.Proved, small: prove.Proved,
		"adc=19": prove.Unknown, small + " saturate=1": prove.Refuted,
	} {
		r, err := induct.Verify(context.Background(), vector(options(t, settings)))
		if err != nil || r.Verdict != want {
			t.Errorf("%q: %v, %v: %s", settings, err, r.Verdict, r.Detail)
		}
	}
	for _, settings := range []string{"", "transa=1"} {
		for _, register := range []string{"rows", "columns", "weights", "weights_row_step", "weights_column_step", "program", "vector_step",
			"result_step", "alpha", "beta", "vector", "result", "multiply"} {
			for _, by := range []int64{-1, 0, 1} { // 0: dropped
				o := options(t, small+" beta=1 alpha=2 "+settings)
				o.mutate = func(ix *index.Builder, name string, value *index.Expr) *index.Expr {
					switch {
					case name != register:
						return value
					case by == 0:
						return nil
					}
					return ix.AddInt(value, by)
				}
				same := settings == "" && register == "vector_step" && by == 0 // the step of the weights before it is 1, too
				if proved, wrong, err := ilatest.Judge(vector(o)); err != nil || wrong || proved != same {
					t.Errorf("%s %s%+d: proved: %v, wrong: %v, %v", settings, register, by, proved, wrong, err)
				}
			}
		}
	}
}

// The contracts for all sizes are those at sizes.
func TestAllContracts(t *testing.T) {
	for _, settings := range []string{"beta=1", "transa=1 beta=2", "transb=1 alpha=3", "transa=1 transb=1"} {
		o := options(t, settings)
		vector, err := GemvAll(o)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []struct {
			all *ila.Family
			at  []int
			by  func() (*ila.Nest, error)
		}{
			{family(t, o), []int{2, 3, 4}, func() (*ila.Nest, error) { return Gemm(2, 3, 4, o) }},
			{vector, []int{2, 3}, func() (*ila.Nest, error) { return Gemv(2, 3, o) }},
		} {
			nest, _, err := x.all.At(x.at)
			if err != nil {
				t.Fatal(err)
			}
			n, err := x.by()
			if err != nil {
				t.Fatal(err)
			}
			got, want := nest.Task(), n.Task()
			if g, w := got.Output.Size(), want.Output.Size(); g != w {
				t.Fatalf("%s %v: %d elements, not %d", settings, x.at, g, w)
			}
			for flat := range want.Output.Size() {
				if g, w := got.Contract(flat).String(), want.Contract(flat).String(); g != w {
					t.Errorf("%s %v: element %d is %s, not %s", settings, x.at, flat, g, w)
				}
			}
		}
	}
}

// No machine with any one thing changed is proved for all sizes where a run shows it wrong; nor is a driver.
func TestAllMutants(t *testing.T) {
	tier.Sweep(t)
	judge := func(what string, o Options) (proved bool) {
		proved, wrong, err := ilatest.Judge(family(t, o))
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if wrong {
			t.Errorf("%s is proved for all sizes, and a run shows it wrong", what)
		}
		return proved
	}
	if !judge("the unchanged one", options(t, small+" beta=1")) {
		t.Fatal("the unchanged one is not proved")
	}
	machines, proved := 0, 0
	for n := 0; ; n++ {
		what := ""
		o := options(t, small+" beta=1")
		o.machine = func(c Config) *Machine {
			m, err := NewModel(c)
			if err != nil {
				t.Fatal(err)
			}
			what = ilatest.Mutate(m.Model, n)
			return m
		}
		f := family(t, o)
		if _, _, err := f.At([]int{2, 2, 2}); err != nil {
			t.Fatal(err)
		}
		if what == "" {
			break
		}
		machines++
		if judge(what, o) {
			proved++
			t.Logf("%s: proved", what)
		}
	}
	if machines < 80 || proved > 20 {
		t.Errorf("%d machines, of which %d are proved", machines, proved)
	}
	for _, register := range []string{"rows", "columns", "bank", "weights", "weights_row_step", "weights_column_step", "program", "vector_step",
		"result_step", "alpha", "beta", "vector", "result", "multiply", "poll"} {
		for _, by := range []int64{-1, 0, 1} { // 0: dropped
			o := options(t, small+" beta=1 alpha=2")
			o.mutate = func(ix *index.Builder, name string, value *index.Expr) *index.Expr {
				switch {
				case name != register:
					return value
				case by == 0:
					return nil
				}
				return ix.AddInt(value, by)
			}
			if judge(register, o) && register != "bank" && !(register == "poll" && by != 0) {
				t.Errorf("%s%+d: a driver with it is proved", register, by)
			}
		}
	}
}
