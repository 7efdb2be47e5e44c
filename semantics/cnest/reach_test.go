package cnest_test

import (
	"regexp"
	"testing"

	"tv/internal/tier"
	"tv/semantics/cnest"
	"tv/semantics/loops/looptest"
)

// calls is a call of a function of the file, in f.
var calls = regexp.MustCompile(`(?s)\bf\(.*\b(relu|leap|half|fill)\(`)

// outlives is a read of a counter behind its loop.
var outlives = regexp.MustCompile(`\+= c\d+;`)

// TestGenerateReaches: each of these is in one program of ten at least.
func TestGenerateReaches(t *testing.T) {
	total := tier.Draw(300, 400, 1000)
	count := map[string]int{}
	for seed := range uint64(total) {
		text := string(cnest.Generate(seed))
		p := parsed(t, "", text)
		found := looptest.Reached(p, looptest.Sizes(p, seed))
		found["call"], found["counter behind its loop"] = calls.MatchString(text), outlives.MatchString(text)
		for what, is := range found {
			if is {
				count[what]++
			}
		}
	}
	for _, what := range []string{"distance 1", "distance -1", "distance 2", "distance -2", "empty", "negative", "max", "min", "floordiv",
		"step", "downward", "counter behind its loop", "local", "narrow", "unsigned", "call", "if", "when"} {
		if count[what] < total/10 {
			t.Errorf("%s is in %d of %d programs", what, count[what], total)
		}
	}
	t.Log(count)
}
