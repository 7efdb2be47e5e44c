package fuzz

import (
	"context"
	"os"
	"runtime"
	"testing"

	"tv/equiv"
	"tv/glenside"
	"tv/internal/source"
	"tv/semantics"
	language "tv/semantics/glenside"
)

// benchmarkCases runs cases of a target, and reports what is live at the end.
func benchmarkCases(b *testing.B, t Target) {
	w := t.Worker()
	k := int64(0)
	for b.Loop() {
		w.Case(context.Background(), 1, k)
		k++
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "cases/s")
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.HeapAlloc)/1e6, "live-MB")
}

// BenchmarkSelf runs pairs with all oracles.
func BenchmarkSelf(b *testing.B) { benchmarkCases(b, &Self{}) }

// BenchmarkModels runs streams and drivers of all machines.
func BenchmarkModels(b *testing.B) {
	t, err := NewModels(nil)
	if err != nil {
		b.Fatal(err)
	}
	benchmarkCases(b, t)
}

// BenchmarkCheck compares two ways to multiply 4x4x4 matrices of int8 on new inputs each time.
func BenchmarkCheck(b *testing.B) {
	parse := func(name string) semantics.Source {
		text, err := os.ReadFile("testdata/" + name)
		if err != nil {
			b.Fatal(err)
		}
		p, err := glenside.Parse(source.NewFile(name, string(text)))
		if err != nil {
			b.Fatal(err)
		}
		return language.Of(p)
	}
	t, err := NewCheck(equiv.Question{Before: parse("matmul.sexp"), After: parse("matmul-swapped.sexp")}, equiv.Options{Arith: equiv.Exact})
	if err != nil {
		b.Fatal(err)
	}
	benchmarkCases(b, t)
}

// BenchmarkPasses checks programs that a command leaves as they are: what a campaign takes but for the command.
func BenchmarkPasses(b *testing.B) {
	w := identity().Worker().(*passWorker)
	k := int64(0)
	for b.Loop() {
		if k%64 == 0 {
			b.StopTimer()
			var cases []int64
			for i := range int64(64) {
				cases = append(cases, k+i)
			}
			w.Prepare(context.Background(), 1, cases)
			b.StartTimer()
		}
		w.Case(context.Background(), 1, k)
		k++
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "cases/s")
}
