// Package sample runs two programs in the reference evaluator, on inputs that depend on a seed alone, and describes where
// they differ. It knows no engine that proves: what it finds refutes, and what it does not find is asked of every proof.
//
//	Sampler         two programs, ready to run at points of a domain: sample.go; which elements it looks at
//	Difference      an element at which they differ; shrink.go makes its inputs small
//	Counterexample  a difference that was replayed, as reports show it: counterexample.go
//	Blame           the subterms that differ: blame.go; the boxes of the output that do: regions.go
//	Panel           what results have to be on a few inputs, for what is tried in AFTER's place: panel.go
//	Signature       a few elements of a subterm, which tell what is alike: signature.go
//
// inputs.go has the kinds of random inputs, rooted.go which of them have to be positive, and look.go where to look last.
package sample

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"

	"golang.org/x/sync/errgroup"

	"tv/equiv/sizes"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/index"
	"tv/semantics/value"
)

// The points, elements and inputs that are looked at. Sampling finds most wrong pairs at once; that it found nothing is asked of every proof before it is printed.
const (
	samplePoints   = 4          // points of the domain that every proof was tried at
	sampleElements = 64         // output elements at each
	rounds         = 24         // times that inputs are drawn anew, while that is cheap
	extraElements  = 16         // output elements at each further draw
	leastElements  = 8          // output elements that are looked at however much they read
	sideReads      = 8_000      // elements that the others of a draw may read on each side
	firstReads     = 40_000_000 // elements that a side may read in a run before there is a proof: it has a certificate
	wideReads      = 500_000    // the same where functions give enclosures, which take long
	firstLabour    = 5_000_000  // what else evaluators may do before no further point is looked at, as elements read
	nodeWork       = 50         // what preparing an evaluator costs for each node, in elements read
)

// Work is what a sampler may spend on inputs beyond the first at each point, unless it is allowed otherwise: elements that
// are read.
const Work = 60_000

// A Sampler holds what all runs on one pair share. Its answers depend on the order in which it is asked, as its counts do.
type Sampler struct {
	Count     int  // elements evaluated so far
	MostReads int  // elements that a side may read in a run, which ends there; 0: any number
	MostWork  int  // what else a side may do in a run, as elements read; 0: any amount. A side that would do more is not run
	Unrun     bool // a side was not run
	Deep      bool // functions are nested so deep that sums of sums grow beyond what exp can tell apart

	late          bool // see Late
	before, after semantics.Program
	arith         value.Arith
	paths         [][]int // of the components of the result
	seed          uint64
	work, weight  int // elements read, each counted weight times
	labour        int // what evaluators did beside reading, as elements read
	lastReads     int // elements read in the last run
	room          []result
	limit         int // of work for inputs beyond the first at each point
	opaque        map[string]bool
	roots         map[string]bool                   // inputs that are divided by or under a root
	rigs          map[string]*rig                   // by point
	tables        map[mode]map[string][]value.Value // what inputs draw from
}

// newSampler returns a sampler of two programs.
func New(before, after semantics.Program, arith value.Arith, seed uint64) *Sampler {
	s := Plain(before, after, arith, seed)
	s.weigh()
	return s
}

// plainSampler returns a sampler that does not look what programs are made of: it draws alike for all of the same types.
func Plain(before, after semantics.Program, arith value.Arith, seed uint64) *Sampler {
	return &Sampler{before: before, after: after, arith: arith, limit: Work, seed: seed, opaque: map[string]bool{},
		paths: before.Result().Paths()}
}

// Quick looks for a difference at a point, on inputs of up to so many kinds.
func (s *Sampler) Quick(ctx context.Context, pt domain.Point, kinds int) (different bool, err error) {
	modes := s.modes()
	for _, m := range modes[:min(kinds, len(modes))] {
		if d, err := s.run(ctx, pt, m, 0, extraElements, nil); d != nil || err != nil {
			return d != nil, err
		}
	}
	return false, nil
}

// Exact returns a sampler of the same programs that looks at bits.
func (s *Sampler) Exact() *Sampler { return New(s.before, s.after, value.Exact, s.seed) }

// Clone returns a sampler that draws what s would, and counts for itself.
func (s *Sampler) Clone() *Sampler {
	out := *s
	out.opaque, out.room = maps.Clone(s.opaque), nil
	return &out
}

// Allow sets the work on inputs beyond the first: so much more than has been done.
func (s *Sampler) Allow(more int) { s.limit = s.work + more }

// Forget gives up what evaluators remember.
func (s *Sampler) Forget() { s.rigs = nil }

// What a run, or the preparation of a rig, is at least for the sides to have a core each. To wake one takes longer than less.
const (
	coreReads = 4_000 // elements read in the run before
	coreNodes = 200
)

// maxRigs bounds the points at which programs are kept ready, with what they remember.
const maxRigs = 8

// A rig is both programs ready to run at a point, on inputs that change.
type rig struct {
	x, y     semantics.Evaluator
	inX, inY *current
	kept     *sparseInputs // that all elements which are remembered are of; nil: that is not known
	all      [][][]int64   // of each component that has few elements, those
}

// pick returns elements of the i-th component to look at. Of few elements it is all, whatever is asked.
func (r *rig) pick(i int, path []int, limit int, seed uint64, hints []Hint) [][]int64 {
	dims := r.x.Dims(path)
	if _, few := elements(dims, limit); !few {
		return Pick(dims, path, limit, seed, hints)
	}
	if r.all[i] == nil {
		r.all[i] = Pick(dims, path, limit, seed, nil)
	}
	return r.all[i]
}

// prepare returns the programs ready to run at a point. They share nothing, so large ones have a core each.
func (s *Sampler) prepare(pt domain.Point) (*rig, error) {
	r := &rig{inX: &current{}, inY: &current{}, all: make([][][]int64, len(s.paths))}
	err := both(s.nodes() >= coreNodes, func() (err error) {
		r.x, err = s.before.Evaluate(s.arith, pt, r.inX, nil)
		return err
	}, func() (err error) {
		r.y, err = s.after.Evaluate(s.arith, pt, r.inY, nil)
		return err
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// nodes counts the expressions of both programs.
func (s *Sampler) nodes() int { return len(s.before.Parts()) + len(s.after.Parts()) }

// both calls x and y, at once where that pays, and returns an error of x, or else of y.
func both(atOnce bool, x, y func() error) error {
	if !atOnce {
		return cmp.Or(x(), y())
	}
	var g errgroup.Group
	g.Go(x)
	errY := y()
	return cmp.Or(g.Wait(), errY)
}

// reset forgets what the programs remember.
func (r *rig) reset() {
	r.x.Reset()
	r.y.Reset()
	r.kept = nil
}

// rig returns the programs ready to run at a point, kept from the last time they were asked for there.
func (s *Sampler) rig(pt domain.Point) (*rig, error) {
	key := sizes.FormatPoint(pt)
	if r := s.rigs[key]; r != nil {
		r.reset()
		return r, nil
	}
	r, err := s.prepare(pt)
	if err != nil {
		return nil, err
	}
	if s.rigs == nil {
		s.rigs = map[string]*rig{}
	}
	if len(s.rigs) < maxRigs {
		s.rigs[key] = r
	}
	return r, nil
}

// ready returns the programs ready to run at a point on inputs, having forgotten all that is of others.
func (s *Sampler) ready(pt domain.Point, in value.Inputs) (*rig, error) {
	if few, ok := in.(*sparseInputs); ok {
		if r := s.rigs[sizes.FormatPoint(pt)]; r != nil && r.kept == few {
			return r, nil
		}
	}
	r, err := s.rig(pt)
	if err != nil {
		return nil, err
	}
	r.inX.of, r.inY.of = in, in
	if random, ok := in.(*randomInputs); ok { // which counts, and the sides may run at once
		r.inY.of = random.fork()
	}
	return r, nil
}

// inputs returns random inputs of one kind.
func (s *Sampler) inputs(seed uint64, m mode) *randomInputs {
	if s.tables[m] == nil {
		if s.tables == nil {
			s.tables = map[mode]map[string][]value.Value{}
		}
		if m >= named {
			s.tables[m] = s.lateTable(m)
			return newRandomInputs(seed, m, s.tables[m])
		}
		s.tables[m] = table(s.arith, m, s.before.Inputs(), s.after.Inputs())
		switch m {
		case level:
			s.tables[m] = levelled(s.arith, s.roots, s.before.Inputs(), s.after.Inputs())
		case rooted:
			for name, values := range table(s.arith, positive, s.before.Inputs(), s.after.Inputs()) {
				if s.roots[name] {
					s.tables[m][name] = values
				}
			}
		}
	}
	return newRandomInputs(seed, m, s.tables[m])
}

// A Difference is an element at which the programs differ.
type Difference struct {
	Point  domain.Point
	Inputs value.Inputs
	Path   []int
	Index  []int64
	x, y   value.Value
	Bad    error // why AFTER is undefined there, or nil
	reads  int   // elements of inputs that this element reads, where they were counted
	spent  bool  // it was made small for as long as that may take
}

// outcome of evaluating one element on both sides.
type outcome uint8

const (
	agree outcome = iota
	differ
	skipped // BEFORE is undefined, or the difference rests on an uninterpreted symbol or an open enclosure
)

// A result of evaluating an element of one program.
type result struct {
	value value.Value
	err   error
}

// judge compares the results of both sides. bad is why AFTER is undefined where only that differs.
func (s *Sampler) judge(x, y result) (o outcome, bad error) {
	s.Count++
	if x.err != nil {
		s.note(x.err)
		return skipped, nil
	}
	if errors.Is(y.err, value.ErrUndefined) {
		return differ, y.err
	}
	if y.err != nil {
		s.note(y.err)
		return skipped, nil
	}
	switch value.Compare(x.value, y.value) {
	case value.Same:
		return agree, nil
	case value.Different:
		return differ, nil
	}
	return skipped, nil
}

// at evaluates one element on both sides.
func (s *Sampler) at(x, y semantics.Evaluator, path []int, index []int64) (outcome, value.Value, value.Value, error) {
	var rx, ry result
	var g errgroup.Group
	if s.weight > 1 { // slow enough to be worth a core each
		g.Go(func() error {
			ry.value, ry.err = y.Element(path, index)
			return nil
		})
	}
	rx.value, rx.err = x.Element(path, index)
	_ = g.Wait()
	if s.weight == 1 && rx.err == nil {
		ry.value, ry.err = y.Element(path, index)
	}
	o, bad := s.judge(rx, ry)
	return o, rx.value, ry.value, bad
}

func (s *Sampler) note(err error) {
	var u *value.UninterpretedError
	if errors.As(err, &u) {
		s.opaque[u.Symbol] = true
	}
}

// floats reports whether an input is of floats.
func (s *Sampler) floats() bool {
	return slices.ContainsFunc(s.before.Inputs(), func(t domain.Tensor) bool { return t.Elem.Kind == domain.ElemFloat })
}

// Reals reports whether an element of the programs is a real number.
func (s *Sampler) Reals() bool {
	return s.arith == value.Real || s.some(func(t domain.Elem) bool { return !s.arith.Bits(t) })
}

// some reports whether something holds of the type of an element of the programs.
func (s *Sampler) some(holds func(domain.Elem) bool) bool {
	return slices.ContainsFunc([]semantics.Program{s.before, s.after}, func(p semantics.Program) bool {
		return slices.ContainsFunc(p.Inputs(), func(t domain.Tensor) bool { return holds(t.Elem) }) ||
			slices.ContainsFunc(p.Parts(), func(n semantics.Part) bool { return n.Tensor && holds(n.Elem) })
	})
}

// modes lists the kinds of inputs that suit the arithmetic.
func (s *Sampler) modes() []mode {
	if s.late {
		return append(s.lateModes(), s.usual()...)
	}
	return s.usual()
}

// usual lists the kinds that are always tried.
func (s *Sampler) usual() []mode {
	if !s.Reals() {
		modes := []mode{mixed, edges, specials, wide, indices, positive, negative}
		if s.floats() {
			modes = append(modes, uniform, uniform+1, uniform+2, uniform+3) // each draws others
		}
		return modes
	}
	modes := []mode{mixed, positive, negative, wide, indices, sparse}
	if s.weight > 1 {
		modes = []mode{mixed, sparse, positive, negative, wide, indices}
	}
	switch {
	case s.Deep:
		modes = []mode{level, sparse, mixed, positive, negative, wide, indices}
	case len(s.roots) > 0:
		modes = slices.Insert(modes, 1, rooted)
	}
	if s.some(s.arith.Bits) {
		modes = append(modes, edges)
	}
	return modes
}

// run looks for a difference at one point, on inputs of one kind, among up to limit elements of each component.
// hints are elements to look at besides the random ones. It returns nil where none was found.
func (s *Sampler) run(ctx context.Context, pt domain.Point, m mode, round uint64, limit int, hints []Hint) (*Difference, error) {
	return s.runOn(ctx, pt, s.inputs(s.seed+round*64+uint64(m), m), limit, hints)
}

// runOn is run on given inputs.
func (s *Sampler) runOn(ctx context.Context, pt domain.Point, in *randomInputs, limit int, hints []Hint) (*Difference, error) {
	inX, inY := in.fork(), in.fork()
	inX.most, inY.most = s.MostReads, s.MostReads
	atOnce := s.lastReads >= coreReads || s.lastReads == 0 && s.limit >= coreReads // a case of a rule reads little
	labour := 0
	defer func() {
		s.lastReads = inX.reads + inY.reads
		s.work += s.lastReads*s.weight + max(labour, s.nodes()*nodeWork)
		s.labour += labour
	}()
	r, err := s.rig(pt)
	if err != nil {
		return nil, err
	}
	_, _ = worked(r.x), worked(r.y) // for others, who have bounds of their own
	defer func() { labour = worked(r.x) + worked(r.y) }()
	if x, y := bounded(r.x, s.MostWork), bounded(r.y, s.MostWork); !x || !y {
		s.Unrun = true
		return nil, nil
	}
	r.inX.of, r.inY.of = inX, inY
	x, y := r.x, r.y
	for i, path := range s.paths {
		list := r.pick(i, path, limit, in.seed, hints)
		before, after := s.results(len(list))
		var doneX, doneY int
		err := both(atOnce, func() (err error) {
			doneX, err = evaluate(ctx, x, inX, path, list, before)
			return err
		}, func() (err error) {
			doneY, err = evaluate(ctx, y, inY, path, list, after)
			return err
		})
		if err != nil {
			return nil, err
		}
		if inX.reads == s.MostReads || inY.reads == s.MostReads { // left in the middle of something
			delete(s.rigs, sizes.FormatPoint(pt))
		}
		for i, index := range list[:min(doneX, doneY)] {
			if o, bad := s.judge(before[i], after[i]); o == differ {
				return &Difference{Point: pt, Inputs: in, Path: path, Index: index,
					x: before[i].value, y: after[i].value, Bad: bad}, nil
			}
		}
	}
	return nil, nil
}

// worked is what an evaluator did beside reading since this was asked last.
func worked(ev semantics.Evaluator) int {
	if w, ok := ev.(semantics.Worker); ok {
		return w.Worked()
	}
	return 0
}

// bounded bounds what an evaluator does beside reading, and returns false where nothing is known then.
func bounded(ev semantics.Evaluator, most int) bool {
	w, ok := ev.(semantics.Worker)
	return !ok || w.Bound(most)
}

// results returns room for so many results of both sides, each time the same.
func (s *Sampler) results(n int) (before, after []result) {
	if len(s.room) < 2*n {
		s.room = make([]result, 2*n)
	}
	clear(s.room)
	return s.room[:n], s.room[n : 2*n]
}

// evaluate returns how many elements of the list it evaluated: all, unless they read much. Which those are depends on the
// program alone; one that reads more than the inputs allow is the last.
func evaluate(ctx context.Context, ev semantics.Evaluator, in *randomInputs, path []int, list [][]int64, to []result) (done int, err error) {
	defer func() {
		if r := recover(); r != nil && r != errTooMuch {
			panic(r)
		}
	}()
	start, last := in.reads, -1
	for ; done < len(list); done++ {
		if ctx.Err() != nil {
			return done, ctx.Err()
		}
		// A nest of loops is run as a whole for the first element: the others of it cost nothing.
		if done >= leastElements && in.reads-start > sideReads && in.reads > last {
			return done, nil
		}
		last = in.reads
		to[done].value, to[done].err = ev.Element(path, list[done])
	}
	return done, nil
}

// Search looks for a difference: first at the points that every proof is tried at, then, while that is cheap, on
// further inputs at more points.
func (s *Sampler) Search(ctx context.Context, points []domain.Point, hints []Hint) (*Difference, error) {
	modes, start := s.modes(), s.labour
	for i, pt := range points {
		if i == samplePoints || s.labour-start > firstLabour {
			break
		}
		if d, err := s.run(ctx, pt, modes[0], 0, sampleElements, hints); d != nil || err != nil {
			return d, err
		}
		if i > 0 || s.weight == 1 {
			continue
		}
		for _, m := range modes[1:] { // what mixed gives may have no value, or enclosures that are too wide
			if m != rooted && m != sparse {
				break
			}
			if d, err := s.run(ctx, pt, m, 0, extraElements, hints); d != nil || err != nil {
				return d, err
			}
		}
	}
	for round := range rounds {
		for i, pt := range points {
			for k, m := range modes {
				if round+k == 0 && i < samplePoints {
					continue
				}
				if s.work > s.limit {
					return nil, nil
				}
				draw := uint64(i*rounds + round) // others at each point: an element has the same value at all of them
				if d, err := s.run(ctx, pt, m, draw, extraElements, hints); d != nil || err != nil {
					return d, err
				}
			}
		}
	}
	return nil, nil
}

// weigh sets the cost of reading an element: programs with exp, log and erf are evaluated in intervals.
func (s *Sampler) weigh() {
	s.weight = 1
	if !s.Reals() {
		return
	}
	s.roots = map[string]bool{}
	for _, p := range []semantics.Program{s.before, s.after} {
		rootedInputs(p, s.roots)
		if slices.ContainsFunc(p.Parts(), func(p semantics.Part) bool { return p.Cost == semantics.Enclosed }) {
			s.weight = 100
		}
	}
}

// FirstReads bounds what a side may read in a run before there is a proof.
func (s *Sampler) FirstReads() int {
	if s.weight > 1 {
		return wideReads
	}
	return firstReads
}

// FirstWork bounds what else a side may do in a run before there is a proof: a loop nest with numbers for sizes that takes
// longer is run where no engine proves the pair.
const FirstWork = 60_000

// A Hint is an element worth looking at.
type Hint struct {
	Path  []int
	Index []int64
}

// elements counts those of a tensor up to limit, and says whether that is all of them.
func elements(dims []int64, limit int) (n int, all bool) {
	if slices.Contains(dims, 0) {
		return 0, true
	}
	total := int64(1)
	for _, d := range dims {
		if d > int64(limit)/total {
			return limit, false
		}
		total *= d
	}
	return int(total), true
}

// Pick lists up to limit elements of a tensor: all of them in row-major order where they are few, else hints,
// the corners and random ones.
func Pick(dims []int64, path []int, limit int, seed uint64, hints []Hint) [][]int64 {
	most, few := elements(dims, limit)
	if most == 0 {
		return nil
	}
	numbers := make([]int64, most*len(dims)) // of all elements
	next := func() []int64 {
		if len(dims) == 0 {
			return nil // of a scalar there is no other element: Small asks for nil
		}
		index := numbers[:len(dims):len(dims)]
		numbers = numbers[len(dims):]
		return index
	}
	out := make([][]int64, 0, most)
	if few {
		position := make([]int64, len(dims))
		for more := true; more; more = index.Next(position, dims) {
			at := next()
			copy(at, position)
			out = append(out, at)
		}
		return out
	}
	for _, h := range hints {
		if samePath(h.Path, path) && within(h.Index, dims) {
			out = append(out, h.Index)
		}
	}
	rng := rand.New(rand.NewPCG(seed, 0x7476))
	for c := 0; c < 1<<min(len(dims), 3) && len(out) < limit; c++ { // corners over the last three axes
		index := next()
		for k := range dims {
			if bit := len(dims) - 1 - k; bit < 3 && c>>bit&1 == 1 {
				index[k] = dims[k] - 1
			} else if bit >= 3 {
				index[k] = rng.Int64N(dims[k])
			}
		}
		out = append(out, index)
	}
	for len(out) < limit {
		index := next()
		for k, d := range dims {
			index[k] = rng.Int64N(d)
		}
		out = append(out, index)
	}
	return out
}

func samePath(x, y []int) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i] != y[i] {
			return false
		}
	}
	return true
}

func within(index, dims []int64) bool {
	if len(index) != len(dims) {
		return false
	}
	for i, n := range index {
		if n < 0 || n >= dims[i] {
			return false
		}
	}
	return true
}
