package prove

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"tv/equiv/sample"
	"tv/equiv/sizes"
	"tv/internal/watch"
	"tv/proofs/algebra"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/term"
)

// Whole networks are proved in stages. Subterms that have the same values at random inputs are proved equal one pair
// after the other, those near the inputs first, and each pair that is proved stands from then on as one tensor of which
// nothing is known, not even that it has a value. What is proved about such a tensor holds of the subterm; what is not
// proved says nothing, as the subterm is more than any tensor: so a cut never refutes.

// A goal is a pair of subterms, and the cuts that stand as tensors in them. The zero value is both programs.
type goal struct {
	parts  *[2]int               // of BEFORE and AFTER; nil: the programs
	cuts   [2]semantics.Standing // tensors that stand for subterms of the two sides
	budget int                   // steps, for the normal form alone; 0: all engines, as long as they go on
}

// lemma reports whether g is not about whole programs.
func (g goal) lemma() bool { return g.parts != nil }

// steps is what the normal form may take for a goal.
func (v *Prover) steps(g goal) int {
	if g.budget > 0 {
		return min(g.budget, v.Steps)
	}
	return v.Steps
}

// lower lowers both sides of a goal.
func (v *Prover) lower(b *term.Builder, sz *sizes.Facts, arith domain.Arith, g goal) (x, y *semantics.Lowered, err error) {
	var out [2]*semantics.Lowered
	for side, p := range v.sides() {
		opts := semantics.LowerOptions{Arith: arith, Size: sz.Name, Whole: !g.lemma(), Cuts: g.cuts[side]}
		if g.lemma() {
			opts.Part = g.parts[side]
		}
		if out[side], err = p.Lower(b, opts); err != nil {
			return nil, nil, err
		}
	}
	return out[0], out[1], nil
}

// sides are BEFORE and AFTER.
func (v *Prover) sides() [2]semantics.Program { return [2]semantics.Program{v.Before, v.After} }

// Limits of proofs in stages.
const (
	stageDepth  = 3         // of programs from which on they are tried in stages first
	wholeDepth  = 12        // of programs up to which they are tried in one piece at all
	stageReach  = 1         // of subterms that are looked at in a round, above what is proved
	restDepth   = 6         // of what is left of large ones behind the last stages
	restSums    = 12        // the same of functions and sums over axes
	quickBudget = 20_000    // steps in which a program is tried in one piece first
	largeBudget = 60_000    // the same of programs of more nodes than deepNodes
	stageBudget = 40_000    // of a pair of subterms
	stageParts  = 500       // of which a pair has so many steps
	partBudget  = 200       // of each further one
	wholeBudget = 3_000_000 // of all pairs together
	restBudget  = 200_000   // of what is left behind the last stages of a large program, where telling it apart takes time
	stageReads  = 50_000    // that samples of one of them may read at first
	stageTries  = 3         // sets of cuts that a pair is tried with
	triedSteps  = 2_000     // what a try counts at least
	stageNodes  = 2_000_000 // of programs that are looked at
	manySums    = 2_000     // of a program that is not tried in one piece
	deepNodes   = 2_000     // of deep ones that are not asked in one piece besides; larger ones need not be deep everywhere
	signed      = 4         // elements of a subterm's signature
	mostReads   = 16        // times as much as all samples of a round may read at first, where nothing is found otherwise
)

// Settle asks the engines that prove. Where functions are nested, which the normal form expands through, that is in stages
// first; two functions, and programs of very many nodes, are tried in one piece for a short while before. What stages leave
// is asked in one piece.
//
// What is left then is asked with the least values of sizes apart. What is no closed form, and what they leave of nests of
// loops, is asked as a recurrence.
func (v *Prover) Settle(ctx context.Context) Answer {
	a := v.closed(ctx)
	if a.Proved || a.Err != nil || a.Found != nil {
		return a
	}
	if len(a.Spots) > 0 && !v.Case {
		if b := v.apart(ctx); b.Proved || b.Err != nil {
			return b
		}
	}
	switch r := v.recurrences(ctx); {
	case r.Proved || r.Err != nil || r.Found != nil:
		return r
	case r.Reason != "":
		a.Detail += "; " + r.Detail
	}
	return a
}

// closed asks the engines that compare what results are in closed form.
func (v *Prover) closed(ctx context.Context) Answer {
	arith := v.Arith
	if !v.staged() {
		return v.Whole(ctx)
	}
	quick := 0
	switch {
	case v.depth() < stageDepth:
		quick = quickBudget
	case v.nodes() > deepNodes && !v.multiplies(): // much may be alike as it stands, and stages take as long as there are many
		quick = largeBudget
	}
	if quick > 0 {
		if a := v.prove(ctx, arith, goal{budget: quick}); a.Proved || a.Err != nil || a.open {
			return a
		}
	}
	a, ok := v.stages(ctx, arith)
	if ok || a.Err != nil {
		return a
	}
	if a.Large && a.Reason != "" && (v.nodes() <= deepNodes || v.multiplies()) { // in one piece it would take too long
		return a
	}
	return v.Whole(ctx)
}

// Whole asks the engines in one piece.
func (v *Prover) Whole(ctx context.Context) Answer { return v.prove(ctx, v.Arith, goal{}) }

// Exactly asks whether what was proved in the reals holds bit for bit. What was proved in stages is asked by the same
// stages, which is right for the same reason: each takes no longer than its proof. Where one fails the programs may still
// agree in one piece, of which not more is asked than a short while, and of a deep network nothing.
func (v *Prover) Exactly(ctx context.Context, cuts []algebra.Cut) Answer {
	if len(cuts) == 0 {
		return v.prove(ctx, domain.Exact, goal{})
	}
	var a Answer
	for _, g := range v.goals(cuts) {
		g.budget = stageBudget
		if a = v.prove(ctx, domain.Exact, g); !a.Proved {
			break
		}
	}
	switch {
	case a.Proved || a.Err != nil:
		return a
	case !v.Deep():
		if a = v.prove(ctx, domain.Exact, goal{budget: quickBudget}); a.Proved || a.Err != nil || !a.spent {
			return a
		}
	}
	return Answer{Reason: "deep"}
}

// Deep reports whether functions are nested so deep that the programs are not tried in one piece.
func (v *Prover) Deep() bool { return v.depth() > wholeDepth }

// multiplies reports whether the programs are deep and have sums over axes, or what the normal form knows as little of: in one
// piece each layer of these multiplies with those below it. Where there are very many sums they need not be deep.
func (v *Prover) multiplies() bool {
	least := manySums
	if v.Deep() {
		least = 1
	}
	for _, p := range v.sides() {
		sums := 0
		for i := range p.Parts() {
			if n := &p.Parts()[i]; n.Tensor && n.Cost == semantics.Sums {
				sums++
			}
		}
		if sums >= least {
			return true
		}
	}
	return false
}

// nests reports whether programs, not cases of a rule, apply functions to what depends on others.
func (v *Prover) nests() bool { return !v.Case && v.depth() > 1 }

// staged reports whether programs may be proved in stages: where functions are nested, and where sums are over sums. Products of
// products are polynomials like others, but the normal form of convolutions over convolutions has a summand for each way that
// their padding meets.
func (v *Prover) staged() bool {
	return v.nests() || !v.Case && v.depthOver([2]map[int]int{}, semantics.Sums) > 1
}

// depth returns how many functions a program applies, one to what depends on another.
func (v *Prover) depth() int { return v.depthOver([2]map[int]int{}, semantics.Function) }

// depthOver is depth where subterms of the two sides stand as tensors, of parts of this cost and beyond.
func (v *Prover) depthOver(standing [2]map[int]int, least semantics.Cost) int {
	most := 0
	for side, p := range v.sides() {
		depth := depths(p, standing[side], least)
		for i, n := range p.Parts() {
			if n.Tensor {
				most = max(most, depth[i])
			}
		}
	}
	return most
}

// depths returns the depth of each subterm, in parts of this cost and beyond, where some stand as tensors.
func depths[T any](p semantics.Program, standing map[int]T, least semantics.Cost) []int {
	parts := p.Parts()
	depth := make([]int, len(parts))
	for i := range parts {
		if _, stands := standing[i]; stands {
			continue
		}
		for _, a := range parts[i].Operands {
			depth[i] = max(depth[i], depth[a])
		}
		if parts[i].Cost >= least {
			depth[i]++
		}
	}
	return depth
}

// A stage is a pair of subterms that were proved equal.
type stage struct {
	x, y int    // parts
	name string // of the tensor that stands for both
	uses []int  // the stages that stand as tensors in the proof
	rest Answer // what the proof rests on
}

// stager looks for a proof in stages.
type stager struct {
	*Prover
	arith  domain.Arith
	budget int    // steps left
	large  bool   // deep, or some subterms were left out of the samples, as they read too much
	reach  int    // depth of the subterms that are looked at, above what is proved
	reads  int    // elements of inputs that samples of one of them may read
	all    int    // and samples of all of them
	spent  bool   // these were read
	beyond bool   // some are deeper
	short  bool   // some would read more than one may
	rounds int    // times that subterms were looked at
	lost   string // says where AFTER first computes what BEFORE does not
	done   []stage
	of     [2]map[int]int // the stage that a subterm stands in: of BEFORE the first, of AFTER the only

	hashes [2][]uint64  // of what parts apply
	dims   [2][][]int64 // of parts, at the first point, where they were asked for

	overs      map[string]int                // numbers of parts of BEFORE with what stands below them
	signatures map[setting]*sample.Signature // of parts of BEFORE that stand themselves
}

// stages proves the programs equal in stages; then Cuts says which, in the terms of a certificate. Near subterms are
// proved before others are looked at, whose values then rest on tensors instead of all that is behind them: so a layer
// costs what it does at the bottom of a network. What only the inputs tell is alike no more: where that is not enough, all
// subterms are looked at once, unless the samples of some read too much for that.
func (v *Prover) stages(ctx context.Context, arith domain.Arith) (a Answer, ok bool) {
	if v.nodes() > stageNodes {
		return Answer{}, false
	}
	budget := wholeBudget
	for _, reach := range []int{stageReach, math.MaxInt} {
		s := &stager{Prover: v, arith: arith, budget: budget, reach: reach, reads: stageReads, all: sample.SignedReads, of: [2]map[int]int{{}, {}},
			overs: map[string]int{}, signatures: map[setting]*sample.Signature{}}
		if reach == math.MaxInt {
			s.reads = sample.SignedReads
		}
		if a, ok = s.stages(ctx); ok || a.Err != nil || s.rounds == 1 || s.large {
			break
		}
		budget = s.budget
	}
	return a, ok
}

func (s *stager) stages(ctx context.Context) (Answer, bool) {
	watch.Enter(ctx, "proving parts of both programs equal")
	deep := s.Deep()
	s.large = deep
	if err := s.pairs(ctx, deep); err != nil {
		return Answer{Err: err}, false
	}
	if len(s.done) == 0 {
		return Answer{}, false
	}
	if s.large && (s.depthOver(s.of, semantics.Function) > restDepth || s.depthOver(s.of, semantics.Sums) > restSums) {
		return Answer{Large: true, Reason: "incomplete", Detail: "the programs are proved equal in part" + s.lost}, false
	}
	a, uses := s.attempt(ctx, nil)
	if !a.Proved {
		if a.Large = s.large; a.Large {
			a.Detail += s.lost
		}
		return a, false
	}
	s.done = append(s.done, stage{root(s.Before), root(s.After), "", uses, a})
	out := Answer{Proved: true, Engine: "normal-form"}
	out.Cuts = s.needed(&out)
	return out, true
}

// pairs proves pairs of subterms: what is proved stands in the samples of the next round, which reach further. Where
// nothing within reach is alike, the next one reaches twice as far.
func (s *stager) pairs(ctx context.Context, deep bool) error {
	tried, names := map[[2]int][]int{}, map[string]bool{} // a pair with the stages that it met
	for reach := s.reach; ; {
		more := false
		try := func(p [2]int) error {
			name := s.named(p[0])
			first, known := s.of[0][p[0]]
			if known {
				name = s.done[first].name
			} else if names[name] {
				return nil
			}
			if _, stands := s.of[1][p[1]]; stands || known && !moving(&s.Before.Parts()[p[0]]) && s.moved(1)[p[1]] {
				return nil
			}
			meets := s.shared(&p, map[int]bool{})
			if met, before := tried[p]; before && slices.Equal(met, meets) {
				return nil
			}
			tried[p] = meets
			a, uses := s.attempt(ctx, &p)
			if a.Err != nil || !a.Proved {
				return a.Err
			}
			names[name], more = true, true
			watch.Done(ctx)
			s.keep(stage{p[0], p[1], name, uses, a})
			return nil
		}
		for _, p := range s.congruent() {
			if err := try(p); err != nil {
				return err
			}
		}
		pairs, err := s.candidates(ctx, deep)
		if err != nil {
			return err
		}
		s.rounds++
		for _, p := range pairs {
			if err := try(p); err != nil {
				return err
			}
		}
		switch {
		case more && (s.large || s.beyond || s.short || s.lost != ""):
			s.reach = reach
		case s.beyond || s.short && s.reads < sample.SignedReads:
			s.reach = max(s.reach, s.reach*2) // it may be the greatest
			s.reads = min(4*s.reads, sample.SignedReads)
		case s.spent && s.all < mostReads*sample.SignedReads: // a product cut for an array is a tree of sums, each of which reads again what is below it
			s.all *= 4
		default:
			return nil
		}
	}
}

// goals returns what a proof with these cuts shows; without cuts, that is the programs.
func (v *Prover) goals(cuts []algebra.Cut) []goal {
	out := make([]goal, max(1, len(cuts)))
	for i, c := range cuts {
		g := &out[i]
		g.cuts = [2]semantics.Standing{{}, {}}
		for _, k := range c.Uses {
			x, y := cuts[k].Before, cuts[k].After
			g.cuts[0][x], g.cuts[1][y] = v.named(x), v.named(x)
		}
		if i < len(cuts)-1 {
			g.parts = &[2]int{c.Before, c.After}
		}
	}
	return out
}

// named returns the name of the tensor that stands for a subterm of BEFORE: where it is written. No name of a program
// holds a quote and a blank.
func (v *Prover) named(part int) string {
	at := v.Before.At(part).Position()
	return fmt.Sprintf(`value at "%d:%d"`, at.Line, at.Col) + v.Before.Parts()[part].Inner
}

func (s *stager) keep(st stage) {
	if _, known := s.of[0][st.x]; !known {
		s.of[0][st.x] = len(s.done)
	}
	s.of[1][st.y] = len(s.done)
	s.done = append(s.done, st)
}

// needed returns the stages that the last one rests on, and adds up what these rest on.
func (s *stager) needed(rest *Answer) []algebra.Cut {
	need := make([]bool, len(s.done))
	need[len(s.done)-1] = true
	for i, st := range slices.Backward(s.done) {
		for _, k := range st.uses {
			need[k] = need[k] || need[i]
		}
	}
	var out []algebra.Cut
	at := make([]int, len(s.done))
	for i, st := range s.done {
		if !need[i] {
			continue
		}
		rest.add(st.rest)
		at[i] = len(out)
		c := algebra.Cut{Before: st.x, After: st.y}
		for _, k := range st.uses {
			c.Uses = append(c.Uses, at[k])
		}
		out = append(out, c)
	}
	return out
}

// attempt proves two subterms equal, or the programs where there are none, with the nearest cuts; where these hide too
// much, with those behind them.
func (s *stager) attempt(ctx context.Context, parts *[2]int) (Answer, []int) {
	hidden := map[int]bool{} // stages that do not stand as tensors
	last := Answer{}
	for range stageTries {
		uses := s.shared(parts, hidden)
		g := goal{parts: parts, cuts: s.standing(uses)}
		more := partBudget * s.more(g)
		g.budget = min(stageBudget+more, s.budget)
		if parts == nil && s.large {
			g.budget = min(restBudget+more, s.budget)
		} else if parts == nil {
			g.budget = s.budget / 2 // a further look, at all subterms at once, may need the rest
		}
		if g.budget <= 0 {
			return last, nil
		}
		last = s.prove(ctx, s.arith, g)
		if last.Proved || last.Err != nil {
			return last, uses
		}
		if s.budget -= triedSteps; last.spent {
			s.budget -= g.budget
		}
		if last.spent || len(uses) == 0 {
			break
		}
		for _, k := range uses {
			hidden[k] = true
		}
	}
	return last, nil
}

// more counts the parts that a goal is about, beyond as many as a stage has as a rule: a product in blocks has thousands.
func (s *stager) more(g goal) (n int) {
	for side, p := range s.sides() {
		parts, at := p.Parts(), root(p)
		if g.lemma() {
			at = g.parts[side]
		}
		s.inside(side, at, func(i int) bool {
			if _, stands := g.cuts[side][i]; stands && i != at || parts[i].Leaf {
				return false
			}
			n++
			return true
		})
	}
	return max(n-stageParts, 0)
}

// shared returns the stages that both subterms meet first on the way to the inputs, hidden ones left out: a tensor that
// one side alone reads says nothing.
func (s *stager) shared(parts *[2]int, hidden map[int]bool) []int {
	if parts == nil {
		parts = &[2]int{root(s.Before), root(s.After)}
	}
	hidden = maps.Clone(hidden)
	for {
		met := [2]map[string]bool{{}, {}}
		var all []int
		for side, root := range parts {
			for _, k := range s.meets(side, root, hidden) {
				met[side][s.done[k].name] = true
				all = append(all, k)
			}
		}
		slices.Sort(all)
		all = slices.Compact(all)
		alone := false
		for _, k := range all {
			if name := s.done[k].name; !met[0][name] || !met[1][name] {
				hidden[k], alone = true, true
			}
		}
		if !alone {
			return all
		}
	}
}

// standing returns the tensors that stand for subterms on both sides.
func (s *stager) standing(uses []int) (cuts [2]semantics.Standing) {
	cuts = [2]semantics.Standing{{}, {}}
	for _, k := range uses {
		st := s.done[k]
		cuts[0][st.x], cuts[1][st.y] = st.name, st.name
	}
	return cuts
}

// meets returns the stages that root meets first, hidden ones left out.
func (s *stager) meets(side, root int, hidden map[int]bool) (out []int) {
	s.inside(side, root, func(i int) bool {
		k, known := s.of[side][i]
		if known = known && !hidden[k] && i != root; known {
			out = append(out, k)
		}
		return !known
	})
	return out
}

// inside visits the parts that root is made of, itself first, each once: what is behind one of them only where into says so. It takes as
// long as these are many, however large the program is.
func (s *stager) inside(side, root int, into func(i int) bool) {
	parts := s.sides()[side].Parts()
	seen := make([]bool, root+1)
	seen[root] = true
	for stack := []int{root}; len(stack) > 0; {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !into(i) {
			continue
		}
		for _, a := range parts[i].Operands {
			if !seen[a] {
				seen[a] = true
				stack = append(stack, a)
			}
		}
	}
}

// moved marks the subterms of a side that only move elements of stages: what they are parts of is proved through them.
func (s *stager) moved(side int) []bool {
	parts := s.sides()[side].Parts()
	out := make([]bool, len(parts))
	for i := range parts {
		_, stands := s.of[side][i]
		out[i] = stands || movesOnly(parts, i, out)
	}
	return out
}

// movesOnly reports whether a part only moves elements of such as are marked.
func movesOnly(parts []semantics.Part, i int, marked []bool) bool {
	return moving(&parts[i]) && !slices.ContainsFunc(parts[i].Operands, func(a int) bool { return parts[a].Tensor && !marked[a] })
}

// moving reports whether a part only moves elements: the cut of an operand is a cut of what it makes.
func moving(n *semantics.Part) bool { return n.Leaf || n.Cost == semantics.Moves }

// root is the part that is the program.
func root(p semantics.Program) int { return len(p.Parts()) - 1 }
