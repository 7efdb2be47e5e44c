package rules

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"tv/glenside/rule"
	"tv/semantics/domain"
)

// Limits of the instances of a rule that are drawn: at ranks and sizes up to these.
const (
	drawnRank = 3
	drawnSize = 4
	highRank  = 5 // where guards admit few of these

	drawsOpen   = 2000 // instances drawn where the cases do not tell
	worthOpen   = 200  // of those, admitted ones that are enough
	drawsProved = 16   // the same where the cases are proved
	worthProved = 3
	drawsScarce = 200 // where fewer are admitted of these
)

// instances draws instances of a rule that its cases do not refute, and refutes it by one that tells its sides apart. The
// instances are made of numbers throughout, so that they depend neither on how a rule is taken apart nor on what its
// cases leave out.
func (j *judge) instances(r *rule.Rule, elem domain.Elem, draws, worth int) {
	rng := rand.New(rand.NewPCG(j.opts.Seed+1, 17))
	admitted := 0
	for draw := range max(draws, drawsScarce) {
		if j.ctx.Err() != nil || j.refuted >= 0 || j.err != nil || admitted == worth {
			return
		}
		rank := drawnRank
		if draw >= draws {
			rank = highRank
		}
		v := r.RandomValues(rng, rank, drawnSize)
		in, err := r.Instance(v, elem)
		if err != nil {
			continue
		}
		admitted++
		if differs(in, j.opts) {
			j.some([]*rule.Case{{Choices: choices(v), Before: in.Before, After: in.After, Broken: in.Broken}})
		}
	}
}

// choices prints what an instance says of groups, lists and words; sizes are in the shapes of its tensors.
func choices(v rule.Values) []string {
	var out []string
	for _, g := range slices.Sorted(maps.Keys(v.Groups)) {
		out = append(out, fmt.Sprintf("%s is (%s)", strings.TrimPrefix(g, "?"), strings.Trim(fmt.Sprint(v.Groups[g]), "[]")))
	}
	for _, l := range slices.Sorted(maps.Keys(v.Lists)) {
		out = append(out, fmt.Sprintf("%s = %v", l, v.Lists[l]))
	}
	for _, t := range slices.Sorted(maps.Keys(v.Tokens)) {
		out = append(out, fmt.Sprintf("%s is %s", t, v.Tokens[t]))
	}
	return out
}
