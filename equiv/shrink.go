package equiv

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

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
	s     *sampler
	d     *difference
	elems map[string]domain.Elem
	in    *sparseInputs
	x, y  semantics.Evaluator // of both programs on in
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
	if k.x == nil {
		var err error
		if k.x, k.y, err = k.s.ready(k.d.point, k.in); err != nil {
			k.steps = 0
			return false
		}
	}
	k.x.Reset()
	k.y.Reset()
	o, vx, vy, bad := k.s.at(k.x, k.y, k.d.path, k.d.index)
	if o != differ {
		return false
	}
	k.d.x, k.d.y, k.d.bad = vx, vy, bad
	return true
}

// shrink returns the difference with smaller inputs, found in at most the given number of evaluations; its inputs
// are sparse.
func (s *sampler) shrink(ctx context.Context, d *difference, steps int) *difference {
	small := *d
	k := &shrinker{ctx: ctx, s: s, d: &small, elems: map[string]domain.Elem{}, steps: steps}
	k.in = newSparseInputs(s.arith, s.before, s.after)
	for _, p := range []semantics.Program{s.before, s.after} {
		for _, t := range p.Inputs() {
			k.elems[t.Name] = t.Elem
		}
	}
	rec := newRecorder(d.inputs)
	if x, y, err := s.ready(d.point, rec); err == nil {
		_, _ = x.Element(d.path, d.index) // only what they read counts
		_, _ = y.Element(d.path, d.index)
	}
	var places []place
	for _, p := range rec.order {
		if v := d.inputs.Element(p.name, p.offset); value.Compare(v, k.in.zero[p.name]) != value.Same {
			k.in.set[p.name][p.offset] = v
			places = append(places, p)
		}
	}
	small.inputs = k.in
	small.reads = rec.reads
	if n := small.reads; n > 0 {
		k.steps = min(steps, max(leastShrink, shrinkReads/n/s.perRead()))
	}
	limited := k.steps < steps
	if !k.evaluate() { // what was read did not decide it; keep the inputs as they were
		small.inputs = d.inputs
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
	return &small
}

// perRead returns what reading an element costs, in that of a small number: enclosures cost more, and the fractions with
// which a deep network is told.
func (s *sampler) perRead() int {
	cost := 1 + s.weight/4
	if s.deep {
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
func (s *sampler) first(d *difference) *difference {
	x, y, err := s.ready(d.point, d.inputs)
	if err != nil {
		return d
	}
	for _, path := range s.paths {
		if n := product(x.Dims(path)); n > scanLimit || n*int64(d.reads) > scanReads {
			return d
		}
		all := pick(x.Dims(path), path, scanLimit, 0, nil)
		for _, index := range all {
			if o, vx, vy, bad := s.at(x, y, path, index); o == differ {
				return &difference{point: d.point, inputs: d.inputs, path: path, index: index, x: vx, y: vy, bad: bad, reads: d.reads,
					spent: d.spent}
			}
		}
	}
	return d
}

// product multiplies dims; it saturates.
func product(dims []int64) int64 {
	n := int64(1)
	for _, d := range dims {
		if d != 0 && n > (1<<62)/d {
			return 1 << 62
		}
		n *= d
	}
	return n
}

// maxReads bounds the reads that a report names.
const maxReads = 4

// counterexample replays a difference and describes it. ok is false where it does not replay: an alarm.
func (s *sampler) counterexample(d *difference) (c *Counterexample, ok bool) {
	c = &Counterexample{Point: d.point, Path: d.path, Index: d.index, Seed: s.seed}
	r, err := s.prepare(d.point) // anew: a replay does not rest on what an evaluator remembers
	if err != nil {
		return nil, false
	}
	sides := []struct {
		program      semantics.Program
		ev           semantics.Evaluator
		in           *current
		value, reads *string
	}{{s.before, r.x, r.inX, &c.Before, &c.ReadBefore}, {s.after, r.y, r.inY, &c.After, &c.ReadAfter}}
	var values [2]value.Value
	var errs [2]error
	for i, side := range sides {
		rec := newRecorder(d.inputs)
		side.in.of = rec
		values[i], errs[i] = side.ev.Element(d.path, d.index)
		*side.value = values[i].String()
		if errs[i] != nil {
			*side.value = "undefined"
		}
		*side.reads = s.reads(side.program, d, rec)
	}
	switch {
	case errs[0] != nil:
		return nil, false
	case errs[1] != nil:
		if !errors.Is(errs[1], value.ErrUndefined) {
			return nil, false
		}
	case value.Compare(values[0], values[1]) != value.Different:
		return nil, false
	}
	names := map[string]bool{}
	for _, p := range []semantics.Program{s.before, s.after} {
		for _, t := range p.Inputs() {
			if names[t.Name] {
				continue
			}
			names[t.Name] = true
			iv := InputValue{Name: t.Name, Elem: t.Elem, Dims: dimsAt(t.Dims, d.point)}
			iv.Sparse = map[int64]string{}
			n := product(iv.Dims)
			if sp, sparse := d.inputs.(*sparseInputs); sparse {
				for offset, v := range sp.set[t.Name] {
					iv.Sparse[offset] = v.String()
				}
			} else if n <= maxDense {
				for off := int64(0); off < n; off++ {
					iv.Sparse[off] = d.inputs.Element(t.Name, off).String()
				}
			}
			c.Inputs = append(c.Inputs, iv)
		}
	}
	return c, true
}

// bare is a counterexample by its sizes alone: the tensors with all elements 0.
func (s *sampler) bare(pt domain.Point) *Counterexample {
	c := &Counterexample{Point: pt, Seed: s.seed}
	names := map[string]bool{}
	for _, p := range []semantics.Program{s.before, s.after} {
		for _, t := range p.Inputs() {
			if !names[t.Name] {
				names[t.Name] = true
				c.Inputs = append(c.Inputs, InputValue{Name: t.Name, Elem: t.Elem, Dims: dimsAt(t.Dims, pt)})
			}
		}
	}
	return c
}

// maxDense bounds the elements of an input that was not shrunk.
const maxDense = 1 << 22

func dimsAt(dims []domain.Size, pt domain.Point) []int64 {
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

// reads names the elements with values other than 0 that a side read: "A[0,2]·B[2,0]".
func (s *sampler) reads(program semantics.Program, d *difference, rec *recorder) string {
	var out []string
	more := 0
	for _, p := range rec.order {
		v := d.inputs.Element(p.name, p.offset)
		if v.String() == "0" {
			continue
		}
		if len(out) == maxReads {
			more++
			continue
		}
		for _, t := range program.Inputs() {
			if t.Name == p.name {
				out = append(out, t.Name+formatIndex(unravel(p.offset, dimsAt(t.Dims, d.point))))
			}
		}
	}
	text := strings.Join(out, "·")
	switch {
	case len(out) == 0:
		return "no element other than 0"
	case more > 0:
		return text + "·... (" + strconv.Itoa(more) + " more)"
	}
	return text
}

func unravel(offset int64, dims []int64) []int64 {
	out := make([]int64, len(dims))
	for i := len(dims) - 1; i >= 0; i-- {
		if dims[i] > 0 {
			out[i] = offset % dims[i]
			offset /= dims[i]
		}
	}
	return out
}

// formatIndex prints "[0,2]"; "" for a scalar.
func formatIndex(index []int64) string {
	if len(index) == 0 {
		return ""
	}
	s := make([]string, len(index))
	for i, n := range index {
		s[i] = strconv.FormatInt(n, 10)
	}
	return "[" + strings.Join(s, ",") + "]"
}
