package equiv

import (
	"math/big"
	"slices"

	"tv/equiv/prove"
	"tv/equiv/sample"
	"tv/internal/watch"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/index"
)

// The sampling that is left when no engine proves a pair goes to three kinds of places: the elements at which the
// normal form has something left, sizes near the numbers that the programs name, of which there are few, and many more points.
const (
	lastPoints = 200       // points of the domain
	lastWork   = 3_000_000 // elements read there
	spotWork   = 1_000_000 // elements read where something is left
	farPoints  = 40        // points with sizes near a number that a program names
	farWork    = 1_000_000 // elements read there
	farNest    = 2_000_000 // of them by one side in one go, if it is a nest of loops, which is run as a whole
	nestWork   = 8_000_000 // elements read at all such points then

	manyElements = 20_000  // of nests: in more of them inputs of one kind are enough
	mostElements = 150_000 // where there are more nothing is looked at: a difference there takes long to make small

	farReads  = 20_000      // of them by one side in one go: sums may be as long as sizes are large
	lastReads = 200_000_000 // elements read by one side in one go, elsewhere
	lastDeep  = 15_000_000  // the same of deep networks
	farFrom   = 16          // numbers from here on count: smaller sizes are looked at anyway
	farNear   = 5           // the same of nests, whose domains may have few points
	farSteps  = 2_000       // of the search for other sizes that go with one
)

// nests tells whether the programs are nests of loops: what they owe is known.
func (q *question) nests() bool { return len(q.blank.Owed[0])+len(q.blank.Owed[1]) > 0 }

// last samples once more: first where the engines that prove have something left. It returns nil where it finds nothing.
func (w *inquiry) last(spots []prove.Spot) (*outcome, error) {
	watch.Enter(w.ctx, "looking further for a difference")
	w.sampler.Late()
	points := w.domain.Spread(lastPoints)
	w.sampler.Allow(spotWork)
	most := lastReads
	if w.prover.Deep() || w.sampler.Deep {
		most = lastDeep
	}
	w.sampler.MostReads = most
	defer func() { w.sampler.MostReads = 0 }()
	for _, pt := range points {
		if d, err := w.sampler.Look(w.ctx, pt, hints(spots, pt)); err != nil || d != nil {
			return w.judged(d, err)
		}
	}
	w.sampler.Allow(farWork)
	if w.sampler.MostReads = farReads; w.nests() {
		w.sampler.MostReads = farNest
		w.sampler.Allow(nestWork)
	}
	for _, pt := range w.far() {
		count := int64(0) // in nests: elsewhere only what an element asks for is made
		if w.nests() {
			count = w.elements(pt)
		}
		if count > mostElements {
			continue
		}
		look := w.sampler.Look
		if count > manyElements {
			look = w.sampler.Glance
		}
		d, err := look(w.ctx, pt, append(hints(spots, pt), sample.Ends(w.before.Result(), pt)...))
		if err != nil || d != nil {
			return w.judged(d, err)
		}
	}
	w.sampler.Allow(lastWork)
	w.sampler.MostReads = most
	return w.sampleValues(points)
}

// hints lists the elements that spots name at a point, each once.
func hints(spots []prove.Spot, pt domain.Point) []sample.Hint {
	var out []sample.Hint
	for _, s := range spots {
		at := s.Sizes.At(pt)
		for _, corner := range s.Corners {
			h := sample.Hint{Path: s.Path, Index: make([]int64, len(corner))}
			known := true
			for i, e := range corner {
				known = known && slices.IndexFunc(e.Free(), func(a *index.Atom) bool { return at[a] == nil }) < 0
				if !known {
					break
				}
				n, err := e.Eval(func(a *index.Atom) *big.Int { return at[a] })
				if known = err == nil && n.IsInt64(); known {
					h.Index[i] = n.Int64()
				}
			}
			same := func(o sample.Hint) bool { return slices.Equal(o.Path, h.Path) && slices.Equal(o.Index, h.Index) }
			if known && !slices.ContainsFunc(out, same) {
				out = append(out, h)
			}
		}
	}
	return out
}

// far lists points of the domain with one size near a number that the programs name, where it is none of those
// looked at anyway; the others are as small as they can be.
func (q *question) far() []domain.Point {
	if len(q.domain.Names) == 0 || len(q.small) == 0 {
		return nil
	}
	var numbers []int64
	from := int64(farFrom)
	if q.nests() {
		from = farNear
	}
	var visit func(s domain.Size)
	visit = func(s domain.Size) {
		if n, ok := s.Int64(); ok && n >= from && n < 1<<61 && !slices.Contains(numbers, n) {
			numbers = append(numbers, n)
		}
		if _, number := s.Const(); !number {
			for _, o := range s.Operands() {
				visit(o)
			}
		}
	}
	for _, p := range []semantics.Program{q.before, q.after} {
		for _, s := range p.Sizes() {
			if len(s.Names()) > 0 {
				visit(s)
			}
		}
		if t, ok := p.(semantics.Stepper); ok {
			for _, n := range t.Numbers() {
				visit(domain.IntSize(n))
			}
		}
	}
	slices.Sort(numbers)
	var out []domain.Point
	for _, n := range numbers {
		for _, v := range []int64{n, n + 1, n - 1, 2 * n} {
			if len(q.domain.Names) > 1 && q.nests() && v > n { // what is behind a number on several axes at once
				pt := domain.Point{}
				for _, name := range q.domain.Names {
					pt[name] = v
				}
				if len(out) < farPoints && q.domain.Holds(pt) && q.elements(pt) <= mostElements {
					out = append(out, pt)
				}
			}
			for _, name := range q.domain.Names {
				pt := domain.Point{}
				for other, least := range q.small[0] {
					pt[other] = least
				}
				pt[name] = v
				if len(out) == farPoints {
					return out
				}
				if q.domain.Holds(pt) {
					out = append(out, pt)
				} else if q.nests() {
					out = append(out, q.domain.With(name, v, farSteps)...)
				}
			}
		}
	}
	return out
}
