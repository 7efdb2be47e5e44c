package equiv

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"tv/glenside"
	"tv/proofs"
	"tv/semantics/domain"
	"tv/semantics/glenside/eval"
	"tv/semantics/glenside/lower"
	"tv/semantics/term"
	"tv/semantics/value"
)

// Whole networks are proved in stages. Subterms that have the same values at random inputs are proved equal one pair
// after the other, those near the inputs first, and each pair that is proved stands from then on as one tensor of which
// nothing is known, not even that it has a value. What is proved about such a tensor holds of the subterm; what is not
// proved says nothing, as the subterm is more than any tensor: so a cut never refutes.

// A goal is a pair of subterms, and the cuts that stand as tensors in them. The zero value is both programs.
type goal struct {
	x, y   *glenside.Node               // of BEFORE and AFTER; nil: the programs
	cuts   [2]map[*glenside.Node]string // tensors that stand for subterms of the two sides
	budget int                          // steps, for the normal form alone; 0: all engines, as long as they go on
}

// lemma reports whether g is not about whole programs.
func (g goal) lemma() bool { return g.x != nil }

func (g goal) steps(opts Options) int {
	if g.budget > 0 {
		return min(g.budget, opts.steps())
	}
	return opts.steps()
}

// lower lowers both sides of a goal.
func (q *question) lower(b *term.Builder, sz *sizes, exact bool, g goal) (x, y *lower.Program, err error) {
	opts := lower.Options{Exact: exact, Size: sz.name, Root: g.x, Cuts: g.cuts[0]}
	if x, err = lower.Lower(b, q.before, opts); err != nil {
		return nil, nil, err
	}
	opts.Root, opts.Cuts = g.y, g.cuts[1]
	y, err = lower.Lower(b, q.after, opts)
	return x, y, err
}

// Limits of proofs in stages.
const (
	stageDepth  = 3         // of programs from which on they are tried in stages first
	wholeDepth  = 12        // of programs up to which they are tried in one piece at all
	stageReach  = 4         // of subterms that are looked at in a round, above what is proved
	restDepth   = 6         // of what is left of deeper ones behind the last stages
	quickBudget = 20_000    // steps in which a program is tried in one piece first
	stageBudget = 40_000    // of a pair of subterms
	wholeBudget = 3_000_000 // of all pairs together
	restBudget  = 200_000   // of what is left behind the last stages of a large program, where telling it apart takes time
	stageTries  = 3         // sets of cuts that a pair is tried with
	triedSteps  = 2_000     // what a try counts at least
	stageNodes  = 2_000     // of programs that are looked at
	stageReads  = 400_000   // elements of inputs that comparing subterms may read
)

// settle asks the engines that prove. Where functions are nested, which the normal form expands through, that is in stages
// first; two functions are tried in one piece for a short while before. What stages leave is asked in one piece.
func (q *question) settle(ctx context.Context) answer {
	exact := q.opts.Arith == Exact
	if !q.nests() {
		return q.prove(ctx, exact, goal{})
	}
	if q.depth() < stageDepth {
		if a := q.prove(ctx, exact, goal{budget: quickBudget}); a.proved || a.err != nil {
			return a
		}
	}
	a, ok := q.stages(ctx, exact)
	if ok || a.err != nil {
		return a
	}
	if a.large && a.reason != "" { // in one piece it would take too long
		q.s.deep = q.opts.Arith == Real
		return a
	}
	return q.prove(ctx, exact, goal{})
}

// nests reports whether programs, not cases of a rule, apply functions to what depends on others.
func (q *question) nests() bool { return !q.opts.rule && q.depth() > 1 }

// depth returns how many functions a program applies, one to what depends on another.
func (q *question) depth() int { return q.depthOver([2]map[*glenside.Node]int{}) }

// depthOver is depth where subterms of the two sides stand as tensors.
func (q *question) depthOver(standing [2]map[*glenside.Node]int) int {
	most := 0
	for side, ty := range []*glenside.Typing{q.before, q.after} {
		depth := depths(ty, standing[side])
		for _, n := range ty.Program.Nodes {
			if isArray(ty.Type(n)) {
				most = max(most, depth[n.ID])
			}
		}
	}
	return most
}

// depths returns the depth of each subterm where some stand as tensors.
func depths[T any](ty *glenside.Typing, standing map[*glenside.Node]T) []int {
	depth := make([]int, len(ty.Program.Nodes))
	for _, n := range ty.Program.Nodes {
		if _, stands := standing[n]; stands {
			continue
		}
		for _, a := range n.Args {
			depth[n.ID] = max(depth[n.ID], depth[a.ID])
		}
		if n.Kind == glenside.KindCall && functions[n.Op.Name] {
			depth[n.ID]++
		}
	}
	return depth
}

// functions are the operators that no law distributes over sums.
var functions = map[string]bool{"softmax": true, "sqrt": true, "relu": true, "reduce-max": true, "elementwise-div": true,
	"relay-softmax": true, "relay-log-softmax": true, "relay-sigmoid": true, "relay-tanh": true, "relay-erf": true,
	"relay-sqrt": true, "relay-relu": true, "relay-leaky-relu": true, "relay-clip": true, "relay-max": true,
	"relay-maximum": true, "relay-minimum": true, "relay-divide": true, "relay-layer-norm": true,
	"relay-batch-norm-inference": true, "relay-max-pool2d": true}

// A stage is a pair of subterms that were proved equal.
type stage struct {
	x, y *glenside.Node
	name string // of the tensor that stands for both
	uses []int  // the stages that stand as tensors in the proof
	rest answer // what the proof rests on
}

// stager looks for a proof in stages.
type stager struct {
	*question
	exact  bool
	budget int    // steps left
	large  bool   // deep, or some subterms were left out of the samples, as they read too much
	reach  int    // depth of the subterms that are looked at, above what is proved
	beyond bool   // some are deeper
	rounds int    // times that subterms were looked at
	lost   string // says where AFTER first computes what BEFORE does not
	done   []stage
	of     [2]map[*glenside.Node]int // the stage that a subterm stands in: of BEFORE the first, of AFTER the only
}

// stages proves the programs equal in stages; then q.cuts says which, in the terms of a certificate. Near subterms are
// proved before others are looked at, whose values then rest on tensors instead of all that is behind them: so a layer
// costs what it does at the bottom of a network. What only the inputs tell is alike no more: where that is not enough, all
// subterms are looked at once.
func (q *question) stages(ctx context.Context, exact bool) (a answer, ok bool) {
	if len(q.before.Program.Nodes)+len(q.after.Program.Nodes) > stageNodes {
		return answer{}, false
	}
	for _, reach := range []int{stageReach, math.MaxInt} {
		s := &stager{question: q, exact: exact, budget: wholeBudget, reach: reach, of: [2]map[*glenside.Node]int{{}, {}}}
		if a, ok = s.stages(ctx); ok || a.err != nil || s.rounds == 1 {
			break
		}
	}
	return a, ok
}

func (s *stager) stages(ctx context.Context) (answer, bool) {
	deep := s.depth() > wholeDepth
	s.large = deep
	if err := s.pairs(ctx, deep); err != nil {
		return answer{err: err}, false
	}
	if len(s.done) == 0 {
		return answer{}, false
	}
	if deep && s.depthOver(s.of) > restDepth {
		return answer{large: true, reason: "incomplete", detail: "the programs are proved equal in part" + s.lost}, false
	}
	a, uses := s.attempt(ctx, nil, nil)
	if !a.proved {
		if a.large = s.large; a.large {
			a.detail += s.lost
		}
		return a, false
	}
	s.done = append(s.done, stage{s.before.Program.Root, s.after.Program.Root, "", uses, a})
	out := answer{proved: true, engine: "normal-form"}
	s.cuts = s.needed(&out)
	return out, true
}

// pairs proves pairs of subterms: what is proved stands in the samples of the next round, which reach further. Where
// nothing within reach is alike, the next one reaches twice as far.
func (s *stager) pairs(ctx context.Context, deep bool) error {
	tried, names := map[[2]*glenside.Node]bool{}, map[string]bool{}
	for reach := s.reach; ; {
		pairs, err := s.candidates(ctx, deep)
		if err != nil {
			return err
		}
		s.rounds++
		more := false
		for _, p := range pairs {
			name := s.named(p[0])
			first, known := s.of[0][p[0]]
			if known {
				name = s.done[first].name
			} else if names[name] {
				continue
			}
			if _, stands := s.of[1][p[1]]; stands || tried[p] || deep && known && s.moved(p[1]) {
				continue
			}
			tried[p] = true
			a, uses := s.attempt(ctx, p[0], p[1])
			if a.err != nil {
				return a.err
			}
			if !a.proved {
				continue
			}
			names[name], more = true, true
			s.keep(stage{p[0], p[1], name, uses, a})
		}
		switch {
		case more && (s.large || s.beyond):
			s.reach = reach
		case s.beyond:
			s.reach *= 2
		default:
			return nil
		}
	}
}

// goals returns what a proof with these cuts shows; without cuts, that is the programs.
func (q *question) goals(cuts []proofs.Cut) []goal {
	out := make([]goal, max(1, len(cuts)))
	for i, c := range cuts {
		g := &out[i]
		g.cuts = [2]map[*glenside.Node]string{{}, {}}
		for _, k := range c.Uses {
			x, y := q.before.Program.Nodes[cuts[k].Before], q.after.Program.Nodes[cuts[k].After]
			g.cuts[0][x], g.cuts[1][y] = q.named(x), q.named(x)
		}
		if i < len(cuts)-1 {
			g.x, g.y = q.before.Program.Nodes[c.Before], q.after.Program.Nodes[c.After]
		}
	}
	return out
}

// named returns the name of the tensor that stands for a subterm of BEFORE: where it is written. No name of a program
// holds a quote and a blank.
func (q *question) named(n *glenside.Node) string {
	p := q.before.Program
	at := p.Span(n).Position()
	return fmt.Sprintf(`value at "%d:%d"`, at.Line, at.Col)
}

func (s *stager) keep(st stage) {
	if _, known := s.of[0][st.x]; !known {
		s.of[0][st.x] = len(s.done)
	}
	s.of[1][st.y] = len(s.done)
	s.done = append(s.done, st)
}

// needed returns the stages that the last one rests on, and adds up what these rest on.
func (s *stager) needed(rest *answer) []proofs.Cut {
	need := make([]bool, len(s.done))
	need[len(s.done)-1] = true
	for i, st := range slices.Backward(s.done) {
		for _, k := range st.uses {
			need[k] = need[k] || need[i]
		}
	}
	var out []proofs.Cut
	at := make([]int, len(s.done))
	for i, st := range s.done {
		if !need[i] {
			continue
		}
		rest.add(st.rest)
		at[i] = len(out)
		c := proofs.Cut{Before: st.x.ID, After: st.y.ID}
		for _, k := range st.uses {
			c.Uses = append(c.Uses, at[k])
		}
		out = append(out, c)
	}
	return out
}

// attempt proves two subterms equal, or the programs, with the nearest cuts; where these hide too much, with those
// behind them.
func (s *stager) attempt(ctx context.Context, x, y *glenside.Node) (answer, []int) {
	hidden := map[int]bool{} // stages that do not stand as tensors
	last := answer{}
	for range stageTries {
		uses := s.shared(x, y, hidden)
		g := goal{x: x, y: y, cuts: s.standing(uses), budget: min(stageBudget, s.budget)}
		if x == nil && s.large {
			g.budget = min(restBudget, s.budget)
		} else if x == nil {
			g.budget = s.budget
		}
		if g.budget <= 0 {
			return last, nil
		}
		last = s.prove(ctx, s.exact, g)
		if last.proved || last.err != nil {
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

// shared returns the stages that both subterms meet first on the way to the inputs, hidden ones left out: a tensor that
// one side alone reads says nothing.
func (s *stager) shared(x, y *glenside.Node, hidden map[int]bool) []int {
	hidden = maps.Clone(hidden)
	for {
		met := [2]map[string]bool{{}, {}}
		var all []int
		for side, root := range []*glenside.Node{x, y} {
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
func (s *stager) standing(uses []int) (cuts [2]map[*glenside.Node]string) {
	cuts = [2]map[*glenside.Node]string{{}, {}}
	for _, k := range uses {
		st := s.done[k]
		cuts[0][st.x], cuts[1][st.y] = st.name, st.name
	}
	return cuts
}

// meets returns the stages that root meets first, hidden ones left out.
func (s *stager) meets(side int, root *glenside.Node, hidden map[int]bool) []int {
	program := []*glenside.Program{s.before.Program, s.after.Program}[side]
	if root == nil {
		root = program.Root
	}
	var out []int
	inside := make([]bool, len(program.Nodes))
	inside[root.ID] = true
	for _, n := range slices.Backward(program.Nodes[:root.ID+1]) {
		if !inside[n.ID] {
			continue
		}
		if k, known := s.of[side][n]; known && !hidden[k] && n != root {
			out = append(out, k)
			continue
		}
		for _, a := range n.Args {
			inside[a.ID] = true
		}
	}
	return out
}

// moves are the operators that only move elements: the cut of an operand is a cut of what they make.
var moves = map[string]bool{"relay-reshape": true, "relay-transpose": true, "relay-squeeze": true,
	"relay-expand-dims": true, "relay-batch-flatten": true, "relay-copy": true, "relay-strided-slice": true,
	"relay-split": true, "relay-concatenate": true, "relay-stack": true}

// moved reports whether a subterm of AFTER only moves elements of stages: what it is a part of is proved through it.
func (s *stager) moved(n *glenside.Node) bool {
	if _, stands := s.of[1][n]; stands {
		return true
	}
	for _, a := range n.Args {
		if isArray(s.after.Type(a)) && !s.moved(a) {
			return false
		}
	}
	return moving(n)
}

func moving(n *glenside.Node) bool {
	return n.Kind != glenside.KindCall || n.Op.Category == glenside.CatCore || moves[n.Op.Name]
}

// candidates returns pairs of subterms of BEFORE and AFTER with the same values at random inputs, operands before what is
// made of them: of those of BEFORE the first that computes.
func (s *stager) candidates(ctx context.Context, deep bool) ([][2]*glenside.Node, error) {
	if len(s.points) == 0 {
		return nil, nil
	}
	elements := signatureElements
	if deep { // more that are alike by chance
		elements *= 2
	}
	x, y, err := s.signatures(ctx, elements)
	if err != nil {
		return nil, err
	}
	var out [][2]*glenside.Node
	s.lost = ""
	for _, n := range s.after.Program.Nodes {
		if n == s.after.Program.Root || y[n] == nil {
			continue
		}
		if like := s.like(x, n, y[n]); like != nil {
			out = append(out, [2]*glenside.Node{like, n})
		} else if s.lost == "" && !moving(n) {
			s.lost = fmt.Sprintf("; %s at %s is the first of AFTER that gives what nothing in BEFORE does", n.Op.Name,
				s.after.Program.Span(n).Position())
		}
	}
	return out, nil
}

// like returns the subterm of BEFORE that n of AFTER is alike, nil if there is none: of several the first that computes,
// one with the same operator before others. Where several compute, more elements are looked at: a relu is its operand
// wherever that is positive.
func (s *stager) like(x map[*glenside.Node]*signature, n *glenside.Node, y *signature) *glenside.Node {
	var all []*glenside.Node
	computing := 0
	for _, m := range s.before.Program.Nodes {
		if m == s.before.Program.Root || x[m] == nil || !alike(x[m], y) || s.before.Type(m).Elem != s.after.Type(n).Elem {
			continue
		}
		if all = append(all, m); !moving(m) {
			computing++
		}
	}
	rank := func(m *glenside.Node) int {
		switch {
		case moving(m):
			return 0
		case m.Op != n.Op:
			return 1
		}
		return 2
	}
	var like *glenside.Node
	for _, m := range all {
		if computing > 1 && !alike(x[m].longer(), y.longer()) {
			continue
		}
		if like == nil || rank(m) > rank(like) {
			like = m
		}
	}
	return like
}

// A signature is a few elements of a subterm at random inputs.
type signature struct {
	dims   []int64
	values []result
	more   func(s *signature, elements int)
}

// longer returns the signature with more elements.
func (s *signature) longer() *signature {
	if s.more != nil {
		s.more(s, longElements)
		s.more = nil
	}
	return s
}

// alike reports whether x has a value, and y the same wherever it has one.
func alike(x, y *signature) bool {
	if !slices.Equal(x.dims, y.dims) {
		return false
	}
	some := false
	for i, v := range x.values[:min(len(x.values), len(y.values))] {
		if w := y.values[i]; v.err == nil {
			some = true
			if errors.Is(w.err, value.ErrUndefined) || w.err == nil && value.Compare(v.value, w.value) == value.Different {
				return false
			}
		}
	}
	return some
}

// Numbers of elements in a signature, and in one of a subterm that is alike several.
const (
	signatureElements = 4
	longElements      = 16
)

// signatures evaluates elements of the subterms that compute something, and that no stage has left behind. Subterms of
// the same dims are evaluated at the same elements. What has no element is left out.
func (s *stager) signatures(ctx context.Context, elements int) (x, y map[*glenside.Node]*signature, err error) {
	all := make([]int, len(s.done))
	for k := range all {
		all[k] = k
	}
	standing := s.standing(all)
	s.beyond = false
	var out [2]map[*glenside.Node]*signature
	m := mixed
	if len(s.s.roots) > 0 {
		m = rooted
	}
	for side, ty := range []*glenside.Typing{s.before, s.after} {
		in := s.s.inputs(s.s.seed, m)
		in.most = stageReads
		in.values = maps.Clone(in.values)
		var stages []domain.Tensor
		for n, name := range standing[side] {
			stages = append(stages, domain.Tensor{Name: name, Elem: ty.Type(n).Elem})
		}
		maps.Copy(in.values, table(s.s.arith, m, stages))
		ev, err := eval.NewWith(ty, s.s.arith, s.points[0], in, standing[side])
		if err != nil {
			return nil, nil, err
		}
		out[side] = map[*glenside.Node]*signature{}
		behind, depth := s.behind(side), depths(ty, standing[side])
		computes := make([]bool, len(ty.Program.Nodes))
		for _, n := range ty.Program.Nodes {
			for _, a := range n.Args {
				computes[n.ID] = computes[n.ID] || computes[a.ID]
			}
			computes[n.ID] = computes[n.ID] || !moving(n)
			if !computes[n.ID] || behind[n.ID] || !isArray(ty.Type(n)) {
				continue
			}
			if depth[n.ID] > s.reach {
				s.beyond = true
				continue
			}
			if in.reads >= stageReads {
				s.large = true
				continue
			}
			if ctx.Err() != nil {
				return nil, nil, ctx.Err()
			}
			if sig := signatureOf(ev, in, n, elements); sig != nil {
				out[side][n] = sig
			}
		}
	}
	return out[0], out[1], nil
}

// behind marks the subterms that a stage is made of, by number, and the stages.
func (s *stager) behind(side int) []bool {
	program := []*glenside.Program{s.before.Program, s.after.Program}[side]
	out := make([]bool, len(program.Nodes))
	for _, st := range s.done {
		out[[]*glenside.Node{st.x, st.y}[side].ID] = true
	}
	for _, n := range slices.Backward(program.Nodes) {
		for _, a := range n.Args {
			out[a.ID] = out[a.ID] || out[n.ID]
		}
	}
	return out
}

// signatureOf returns nil where there are no elements, or where they read too much.
func signatureOf(ev *eval.Evaluator, in *randomInputs, n *glenside.Node, elements int) *signature {
	s := &signature{dims: ev.NodeDims(n)}
	if slices.Contains(s.dims, 0) {
		return nil
	}
	rng := rand.New(rand.NewPCG(uint64(len(s.dims)), 0x7476))
	s.more = func(s *signature, elements int) {
		defer func() {
			if r := recover(); r != nil && r != errTooMuch {
				panic(r)
			}
		}()
		for len(s.values) < elements && in.reads < in.most {
			index := make([]int64, len(s.dims))
			for k, d := range s.dims {
				index[k] = rng.Int64N(d)
			}
			v, err := ev.NodeElement(n, index)
			s.values = append(s.values, result{v, err})
		}
	}
	if s.more(s, elements); len(s.values) < elements {
		return nil
	}
	return s
}

func isArray(t *glenside.Type) bool {
	return t != nil && (t.Kind == glenside.TypeAccess || t.Kind == glenside.TypeTensor)
}
