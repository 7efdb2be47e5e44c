package bits

import (
	"context"

	"tv/equiv/bits/algebra"
	"tv/equiv/bits/sweep"
)

// easyConflicts are those without an answer after which a question is taken for one that may be of adders: sweeping merges what is alike at
// once, and of what is not it goes on for ever.
const easyConflicts = 1000

// maxAdders bounds the gates that cuts are enumerated of, which takes about a kilobyte each.
const maxAdders = 200_000

// sweep compares the sides by sweeping. Where that is hard, words that polynomials show to be equal are left out; these are returned. Where there are
// none, and inputs are few enough, all of these are tried: of such a proof there is no certificate of gates.
func (c *circuit) sweep(ctx context.Context, conflicts int64) (sweep.Result, *algebra.Proof) {
	s := sweep.Check(ctx, c.gates, sweep.Options{Conflicts: conflicts, Vain: easyConflicts, Inner: 50})
	if s.Verdict != sweep.Unknown || ctx.Err() != nil || s.Conflicts >= conflicts {
		return s, nil
	}
	// Under assumptions words need be equal for some inputs only, and that there are such would be left to show.
	var words *algebra.Proof
	if len(c.assume) == 0 && c.graph.Gates() <= maxAdders {
		words = algebra.Prove(ctx, c.graph, c.words())
	}
	rest := c.gates
	if words != nil {
		rest.Before, rest.After = nil, nil
		for k, i := range c.from {
			if !words.Has(c.Before.Outputs[i].Name) {
				rest.Before, rest.After = append(rest.Before, c.gates.Before[k]), append(rest.After, c.gates.After[k])
			}
		}
	}
	used := s.Conflicts
	if words == nil && c.fewEnough() {
		verdict, in := c.exhaust()
		return sweep.Result{Verdict: verdict, Inputs: in, Conflicts: used}, nil
	}
	s = sweep.Check(ctx, rest, sweep.Options{Conflicts: conflicts - used, Inner: 200})
	s.Conflicts += used
	return s, words
}

// words are the outputs that are not the same gates.
func (c *circuit) words() (out []algebra.Word) {
	words := make([]algebra.Word, len(c.before))
	differ := make([]bool, len(c.before))
	for k, i := range c.from {
		w := &words[i]
		w.Name = c.Before.Outputs[i].Name
		w.Before, w.After = append(w.Before, c.gates.Before[k]), append(w.After, c.gates.After[k])
		differ[i] = differ[i] || c.gates.Before[k] != c.gates.After[k]
	}
	for i, w := range words {
		if differ[i] {
			out = append(out, w)
		}
	}
	return out
}
