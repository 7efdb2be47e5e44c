package sample

import (
	"context"
	"maps"
	"slices"

	"tv/equiv/sizes"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/value"
)

// Evaluations of one shrink, at most: of a refutation; of a witness of the exactness line, times the nodes of the
// programs, as it is only a remark on a proof, but enough to leave out what the element does not read.
const (
	shrinkSteps  = 3000
	shrinkReads  = 10_000_000 // elements that all evaluations together may read
	leastShrink  = 8          // evaluations, however much they read
	witnessWork  = 2000
	leastWitness = 20
)

// A shrinker makes the inputs of a difference smaller while the element stays different: first as many zeros as
// possible, then small numbers.
type shrinker struct {
	ctx   context.Context // what was found is kept when it ends
	s     *Sampler
	d     *Difference
	elems map[string]domain.Elem
	in    *sparseInputs
	rig   *rig // of both programs on in
	steps int
}

// differs evaluates the element of the difference under the current inputs.
func (k *shrinker) differs() bool {
	if k.steps--; k.steps < 0 || k.ctx.Err() != nil {
		return false
	}
	return k.evaluate()
}

func (k *shrinker) evaluate() bool {
	if k.rig == nil {
		var err error
		if k.rig, err = k.s.ready(k.d.Point, k.in); err != nil {
			k.steps = 0
			return false
		}
	}
	k.rig.reset()
	o, vx, vy, bad := k.s.at(k.rig.x, k.rig.y, k.d.Path, k.d.Index)
	if o != differ {
		return false
	}
	k.d.x, k.d.y, k.d.Bad = vx, vy, bad
	return true
}

// shrink returns the difference with smaller inputs, found in at most the given number of evaluations; its inputs
// are sparse.
func (s *Sampler) shrink(ctx context.Context, d *Difference, steps int) *Difference {
	small := *d
	k := &shrinker{ctx: ctx, s: s, d: &small, elems: map[string]domain.Elem{}, steps: steps}
	k.in = newSparseInputs(s.arith, s.before, s.after)
	for _, p := range []semantics.Program{s.before, s.after} {
		for _, t := range p.Inputs() {
			k.elems[t.Name] = t.Elem
		}
	}
	rec := newRecorder(d.Inputs)
	if r, err := s.ready(d.Point, rec); err == nil {
		_, _ = r.x.Element(d.Path, d.Index) // only what they read counts
		_, _ = r.y.Element(d.Path, d.Index)
	}
	var places []place
	for _, p := range rec.order {
		if v := d.Inputs.Element(p.name, p.offset); value.Compare(v, k.in.zero[p.name]) != value.Same {
			k.in.set[p.name][p.offset] = v
			places = append(places, p)
		}
	}
	small.Inputs = k.in
	small.reads = rec.reads
	if n := small.reads; n > 0 {
		k.steps = min(steps, max(leastShrink, shrinkReads/n/s.perRead()))
	}
	limited := k.steps < steps
	if !k.evaluate() { // what was read did not decide it; keep the inputs as they were
		small.Inputs = d.Inputs
		return &small
	}
	k.zeros(places)
	k.numbers()
	small.spent = limited && k.steps <= 0
	for name, set := range k.in.set { // zeros need no entry
		maps.DeleteFunc(set, func(_ int64, v value.Value) bool { return value.Compare(v, k.in.zero[name]) == value.Same })
	}
	if !k.evaluate() {
		return d
	}
	k.rig.kept = k.in // nothing changes them from now on
	return &small
}

// perRead returns what reading an element costs, in that of a small number: enclosures cost more, and the fractions with
// which a deep network is told.
func (s *Sampler) perRead() int {
	cost := 1 + s.weight/4
	if s.Deep {
		cost *= 4
	}
	return cost
}

// zeros removes values in ever smaller pieces, as delta debugging does.
func (k *shrinker) zeros(places []place) {
	for n := 2; len(places) > 0 && k.steps > 0; {
		size := (len(places) + n - 1) / n
		removed := false
		for lo := 0; lo < len(places) && k.steps > 0; {
			hi := min(lo+size, len(places))
			saved := make([]value.Value, hi-lo)
			for i, p := range places[lo:hi] {
				saved[i] = k.in.set[p.name][p.offset]
				delete(k.in.set[p.name], p.offset)
			}
			if k.differs() {
				places = append(places[:lo:lo], places[hi:]...)
				removed = true
				continue
			}
			for i, p := range places[lo:hi] {
				k.in.set[p.name][p.offset] = saved[i]
			}
			lo = hi
		}
		if size == 1 {
			if !removed {
				break
			}
			n = len(places)
			continue
		}
		if removed {
			n = 2
		} else {
			n = min(2*n, len(places))
		}
	}
}

// numbers replaces values by 1, then by -1 and 2, one at a time.
func (k *shrinker) numbers() {
	for _, p := range sortedPlaces(k.in.set) {
		for _, n := range []int64{1, -1, 2} {
			if n < 0 && k.elems[p.name].Kind == domain.ElemUint {
				continue
			}
			saved := k.in.set[p.name][p.offset]
			v := value.IntValue(n, k.s.arith, k.elems[p.name])
			if value.Compare(saved, v) == value.Same {
				break
			}
			k.in.set[p.name][p.offset] = v
			if k.differs() {
				break
			}
			k.in.set[p.name][p.offset] = saved
		}
	}
}

func sortedPlaces(set map[string]map[int64]value.Value) []place {
	var out []place
	for _, name := range slices.Sorted(maps.Keys(set)) {
		for _, offset := range slices.Sorted(maps.Keys(set[name])) {
			out = append(out, place{name, offset})
		}
	}
	return out
}

// Limits of the elements that are evaluated to find the first that differs: their number, and what all may read, as far as
// nothing is remembered.
const (
	scanLimit = 4096
	scanReads = 60_000_000
)

// first moves a difference to the first element, in row-major order, at which the programs differ under its
// inputs, where the whole output fits the budget.
func (s *Sampler) first(d *Difference) *Difference {
	r, err := s.ready(d.Point, d.Inputs)
	if err != nil {
		return d
	}
	x, y := r.x, r.y
	for _, path := range s.paths {
		if n := Product(x.Dims(path)); n > scanLimit || n*int64(d.reads) > scanReads {
			return d
		}
		all := Pick(x.Dims(path), path, scanLimit, 0, nil)
		for _, index := range all {
			if o, vx, vy, bad := s.at(x, y, path, index); o == differ {
				return &Difference{Point: d.Point, Inputs: d.Inputs, Path: path, Index: index, x: vx, y: vy, Bad: bad, reads: d.reads,
					spent: d.spent}
			}
		}
	}
	return d
}

// Product multiplies dims; it saturates.
func Product(dims []int64) int64 {
	n := int64(1)
	for _, d := range dims {
		if d != 0 && n > (1<<62)/d {
			return 1 << 62
		}
		n *= d
	}
	return n
}

func DimsAt(dims []domain.Size, pt domain.Point) []int64 {
	out := make([]int64, len(dims))
	for i, d := range dims {
		if n, err := d.Eval(pt); err == nil && n.IsInt64() {
			out[i] = n.Int64()
		} else if err == nil && n.Sign() > 0 {
			out[i] = 1 << 62 // more than anything can hold; the evaluator says so
		}
	}
	return out
}

// smallerPoints bounds the points at which a smaller counterexample is looked for.
const smallerPoints = 64

// Smaller looks for a difference at a smaller point of the domain.
func (s *Sampler) Smaller(of *sizes.Domain, d *Difference) *Difference {
	if len(of.Names) == 0 {
		return d
	}
	for _, pt := range of.Points(smallerPoints) {
		if of.Total(pt) >= of.Total(d.Point) {
			break
		}
		if o := s.anyMode(pt); o != nil {
			return o
		}
	}
	return s.narrowed(of, d)
}

// narrowedTries bounds the points at which one size is smaller and the others are as they are.
const narrowedTries = 48

// narrowed looks for a difference with one size after the other as small as can be: where one has to be large, the points
// by ascending sum do not get there.
func (s *Sampler) narrowed(of *sizes.Domain, d *Difference) *Difference {
	tries := 0
	for again := true; again; {
		again = false
		for _, name := range of.Names {
			for n := of.Mins[name]; n < d.Point[name] && tries < narrowedTries; n += max(1, (d.Point[name]-n)/2) {
				pt := maps.Clone(d.Point)
				if pt[name] = n; !of.Holds(pt) {
					continue
				}
				tries++
				if o := s.anyMode(pt); o != nil {
					d, again = o, true
					break
				}
			}
		}
	}
	return d
}

// largeSize is one beyond which inputs of one kind are enough where a smaller point is looked for.
const largeSize = 20_000

// anyMode looks for a difference at a point, on inputs of any kind.
func (s *Sampler) anyMode(pt domain.Point) *Difference {
	modes := s.modes()
	for _, n := range pt {
		if n > largeSize {
			modes = s.usual()[:1]
		}
	}
	for _, m := range modes {
		if o, err := s.run(context.Background(), pt, m, 0, extraElements, nil); err == nil && o != nil {
			return o
		}
	}
	return nil
}

// transplantRounds is the number of times that the values of a difference are drawn at a smaller point.
const transplantRounds = 4

// Transplanted looks for a difference at a smaller point of the domain on inputs that are drawn from the values of a
// small one alone: those at which integers wrap or saturate are rare among all others, and a few of them are enough at
// any size. It returns d where it finds none.
func (s *Sampler) Transplanted(ctx context.Context, of *sizes.Domain, d *Difference) *Difference {
	in, ok := d.Inputs.(*sparseInputs)
	if !ok || len(of.Names) == 0 || !s.some(s.arith.Bits) {
		return d
	}
	values := map[string][]value.Value{}
	for name, set := range in.set {
		values[name] = []value.Value{in.zero[name]}
		for _, offset := range slices.Sorted(maps.Keys(set)) {
			same := func(v value.Value) bool { return value.Compare(v, set[offset]) == value.Same }
			if !slices.ContainsFunc(values[name], same) {
				values[name] = append(values[name], set[offset])
			}
		}
	}
	for _, pt := range of.Points(smallerPoints) {
		if of.Total(pt) >= of.Total(d.Point) {
			break
		}
		for round := range transplantRounds {
			o, err := s.runOn(ctx, pt, newRandomInputs(s.seed+uint64(round), mixed, values), extraElements, nil)
			if err == nil && o != nil {
				return o
			}
		}
	}
	return d
}

// Small returns a difference with small inputs at the first element that tells, and the counterexample that it is; ok is
// false where neither it nor d replays.
func (s *Sampler) Small(ctx context.Context, d *Difference) (small *Difference, c *Counterexample, ok bool) {
	shrunk := s.shrink(ctx, d, shrinkSteps)
	small = s.first(shrunk)
	moved := !samePath(small.Path, shrunk.Path) || !slices.Equal(small.Index, shrunk.Index)
	if moved && !small.spent { // where it is the same element nothing is left to leave out
		small = s.first(s.shrink(ctx, small, shrinkSteps))
	}
	if c, ok = s.Counterexample(small); ok {
		return small, c, true
	}
	c, ok = s.Counterexample(d)
	return d, c, ok
}

// Witness looks for a difference on a few inputs at the first points, for a remark on a proof. It returns nil where it
// finds none.
func (s *Sampler) Witness(ctx context.Context, points []domain.Point) *Counterexample {
	for _, pt := range points[:min(2, len(points))] {
		for _, m := range []mode{edges, specials, mixed, wide} {
			d, err := s.run(ctx, pt, m, 0, extraElements, nil)
			if err != nil {
				break
			}
			if d == nil {
				continue
			}
			nodes := len(s.before.Parts()) + len(s.after.Parts())
			if c, ok := s.Counterexample(s.shrink(ctx, d, max(leastWitness, witnessWork/nodes))); ok {
				return c
			}
			return nil
		}
	}
	return nil
}
