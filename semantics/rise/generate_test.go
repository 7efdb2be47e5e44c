package rise_test

import (
	"strings"
	"testing"

	"tv/internal/source"
	"tv/semantics/domain"
	"tv/semantics/rise"
	"tv/semantics/rise/dialect"
)

// TestGenerateDialect: random programs of the dialect are read and typed, and have each pattern in one of twenty.
func TestGenerateDialect(t *testing.T) {
	const total = 300
	count := map[string]int{}
	patterns := []string{"map", "reduceSeq", "zip", "fst", "transpose", "split", "join", "slide", "pad", "embed"}
	for seed := range uint64(total) {
		text := string(dialect.Generate(seed))
		p, err := rise.Language.Parse(source.NewFile("a.rise", text))
		if err == nil {
			_, err = p.Type(&domain.Env{})
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		for _, name := range patterns {
			if strings.Contains(text, "rise."+name+" ") || strings.Contains(text, "rise."+name+"(") {
				count[name]++
			}
		}
	}
	for _, name := range patterns {
		if count[name] < total/20 {
			t.Errorf("rise.%s is in %d of %d programs", name, count[name], total)
		}
	}
}
