package mlir_test

import (
	"testing"

	"tv/internal/source"
	"tv/semantics/domain"
	"tv/semantics/loops"
	"tv/semantics/loops/looptest"
	"tv/semantics/mlir"
)

// TestUnsigned: a random program whose integer parameters are taken without a sign leaves the same bits of the same bits.
func TestUnsigned(t *testing.T) {
	changed, ran := 0, 0
	for seed := range uint64(300) {
		read := func() *loops.Procedure {
			p, err := mlir.Parse(source.NewFile("random.mlir", string(mlir.Generate(seed))), "")
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			return p
		}
		p, q := read(), read()
		var names []string
		for k, b := range q.Buffers {
			if b.Kind != loops.Local && b.Elem.Kind == domain.ElemInt && (seed+uint64(k))%3 != 0 {
				names = append(names, b.Name)
			}
		}
		if len(names) == 0 {
			continue
		}
		changed++
		q.Unsigned(names)
		sizes := looptest.Sizes(p, seed)
		want, err := looptest.Evaluated(p, sizes, seed)
		got, other := looptest.Evaluated(q, sizes, seed)
		if want != got || (err == nil) != (other == nil) {
			t.Errorf("seed %d: %s, %v; without signs %s, %v\n%s", seed, want, err, got, other, p.File.Text)
		}
		if err == nil {
			ran++
		}
	}
	if t.Logf("%d programs changed, %d ran", changed, ran); changed < 200 || ran < 100 {
		t.Errorf("%d programs changed, %d ran", changed, ran)
	}
}
