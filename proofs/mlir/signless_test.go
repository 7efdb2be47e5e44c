package mlir

import (
	"math/big"
	"strings"
	"testing"

	"tv/proofs/loops"
	"tv/proofs/loops/looptest"
	"tv/semantics/domain"
)

// Law 14 of package loops: a random program whose integer parameters are taken without a sign leaves the same bits.
func TestUnsigned(t *testing.T) {
	changed, ran := 0, 0
	for seed := range uint64(600) {
		text := random(seed)
		p, err := procedure("random.mlir", text)
		if err != nil {
			continue
		}
		q, _ := procedure("random.mlir", text)
		var names []string
		for k, b := range q.Params {
			if q.Signless(b.Name) && (seed+uint64(k))%3 != 0 {
				names = append(names, b.Name)
			}
		}
		if len(names) == 0 {
			continue
		}
		changed++
		q.Unsigned(names)
		sizes := map[string]int64{}
		for _, name := range p.Sizes {
			sizes[name] = 3
		}
		want, err := looptest.Run(p, sizes)
		got, other := looptest.Run(q, sizes)
		if err != other || bits(q, sizes, want) != bits(q, sizes, got) {
			t.Errorf("seed %d: %s, %v; without signs %s, %v\n%s", seed, want, err, got, other, text)
		}
		if err == nil {
			ran++
		}
	}
	if t.Logf("%d programs changed, %d ran", changed, ran); changed < 200 || ran < 100 {
		t.Errorf("%d programs changed, %d ran", changed, ran)
	}
}

// bits are what a run left, integers as unsigned ones.
func bits(p *loops.Procedure, sizes map[string]int64, left string) string {
	words, out := strings.Fields(left), []string{}
	for _, b := range p.Params {
		n := int64(1)
		for _, d := range b.Dims {
			x, err := d.Eval(sizes)
			if err != nil {
				return err.Error()
			}
			n *= x.Int64()
		}
		for range n {
			if len(words) == 0 {
				return "too few"
			}
			word := words[0]
			if words = words[1:]; b.Elem.Kind != domain.ElemFloat {
				x, _ := new(big.Int).SetString(word, 10)
				if x == nil {
					return word
				}
				word = x.Mod(x, new(big.Int).Lsh(big.NewInt(1), uint(b.Elem.Width))).String()
			}
			out = append(out, word)
		}
	}
	return strings.Join(append(out, words...), " ")
}
