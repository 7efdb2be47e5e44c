package induct

import (
	"container/heap"
	"slices"

	"tv/equiv/bits/aig"
	"tv/equiv/bits/cnf"
	"tv/equiv/bits/sat"
)

// A cube is a set of states: of those in which all its literals, which are bits of the state, hold. It is sorted.
type cube []aig.Lit

func (c cube) without(i int) cube { return slices.Delete(slices.Clone(c), i, i+1) }

// within tells whether all states of c are states of d.
func (c cube) within(d cube) bool {
	for _, l := range d {
		if _, ok := slices.BinarySearch(c, l); !ok {
			return false
		}
	}
	return true
}

// A reacher finds clauses. Frame k has the cubes that no state of the first k cycles is in; those of a later frame count for an earlier one,
// too. Frame 0 is the first states.
type reacher struct {
	*prover
	step   *cnf.Encoder
	begin  *cnf.Encoder
	on     []sat.Lit // by frame: where it holds, the frame's cubes are excluded
	frames [][]cube
	bad    aig.Lit // outputs differ
	badAt0 aig.Lit
	assume []aig.Lit // of the first cycle, in Start
	free   []aig.Lit // inputs of the step
	lift   bool      // what is assumed does not depend on the state
	spent  int64     // conflicts of both encoders that are counted
}

// verdicts of a step of the search
type outcome int

const (
	done outcome = iota
	reached
	gaveUp
)

// reach looks for clauses that, with pairs that are equal in all states, are an invariant.
func (p *prover) reach(equal [][2]aig.Lit) Result {
	r := p.newReacher(equal)
	for k := 0; ; k++ {
		switch r.extend(k) {
		case reached:
			return Result{Verdict: Different, Cycle: k}
		case gaveUp:
			return Result{Reached: k}
		}
		if like := r.propagate(); like > 0 {
			var clauses [][]aig.Lit
			for _, c := range slices.Concat(r.frames[like+1:]...) {
				var clause []aig.Lit
				for _, l := range c {
					clause = append(clause, l.Not())
				}
				clauses = append(clauses, clause)
			}
			out := p.prove(equal, clauses)
			out.Reached = k + 1
			return out
		}
		if k >= p.Frames {
			return Result{Reached: k + 1}
		}
	}
}

func (p *prover) newReacher(equal [][2]aig.Lit) *reacher {
	r := &reacher{prover: p, step: cnf.New(p.Graph), begin: cnf.New(p.Start), lift: true}
	for i, l := range p.Before {
		r.bad = p.Graph.Or(r.bad, p.Graph.Xor(l, p.After[i]))
	}
	for _, e := range equal {
		a, b := r.step.Lit(e[0]), r.step.Lit(e[1])
		r.step.Add(a.Not(), b)
		r.step.Add(a, b.Not())
	}
	cone := p.Graph.Cone(p.Assume...)
	for _, l := range p.Assume {
		r.step.Add(r.step.Lit(l))
		r.assume = append(r.assume, p.initial.Lit(l))
	}
	for _, b := range p.State {
		r.step.Lit(b.Next)
		r.lift = r.lift && !cone[b.Now.Node()]
	}
	for _, l := range slices.Concat(p.StartAssume, r.assume) {
		r.begin.Add(r.begin.Lit(l))
	}
	for _, port := range p.inputs.ports {
		for _, i := range port.signals {
			r.free = append(r.free, p.Graph.Input(p.Graph.Signals()[i]))
		}
	}
	slices.Sort(r.free)
	r.badAt0 = p.initial.Lit(r.bad)
	r.frames = [][]cube{nil}
	r.on = []sat.Lit{r.step.Free()}
	return r
}

// left is what may be spent on a question; both encoders are counted.
func (r *reacher) left() int64 {
	now := r.step.Conflicts() + r.begin.Conflicts()
	r.conflicts += now - r.spent
	r.spent = now
	return max(0, r.Conflicts-r.conflicts)
}

// from are the literals that exclude the cubes of a frame.
func (r *reacher) from(frame int) []sat.Lit { return slices.Clone(r.on[frame:]) }

// extend shows that outputs are equal at cycle k.
func (r *reacher) extend(k int) outcome {
	if k == 0 {
		return r.told(r.begin.Solve(r.ctx, []sat.Lit{r.begin.Lit(r.badAt0)}, r.left()), reached)
	}
	r.frames = append(r.frames, nil)
	r.on = append(r.on, r.step.Free())
	bad := r.step.Lit(r.bad)
	for {
		switch r.step.Solve(r.ctx, append(r.from(k), bad), r.left()) {
		case sat.Unsatisfiable:
			return done
		case sat.Unknown:
			return gaveUp
		}
		c := r.lifted(r.state(), r.bad.Not())
		if out := r.block(c, k); out != done {
			return out
		}
	}
}

// told is an outcome where what cannot be is done.
func (r *reacher) told(s sat.Status, satisfiable outcome) outcome {
	switch s {
	case sat.Unsatisfiable:
		return done
	case sat.Satisfiable:
		return satisfiable
	}
	return gaveUp
}

// state is that of the last model.
func (r *reacher) state() cube {
	var c cube
	for _, b := range r.State {
		c = append(c, b.Now.NotIf(!r.step.Value(b.Now)))
	}
	slices.Sort(c)
	return c
}

// lifted leaves out bits of a state that do not matter: under the inputs of the last model one of not is false in all states of the cube.
func (r *reacher) lifted(c cube, not ...aig.Lit) cube {
	if !r.lift {
		return c
	}
	t := r.step.Free()
	must := []sat.Lit{t}
	for _, l := range r.free {
		must = append(must, r.step.Lit(l.NotIf(!r.step.Value(l))))
	}
	must = append(must, r.step.Lits(c...)...)
	r.step.Add(append(r.step.Lits(not...), t.Not())...)
	status := r.step.Solve(r.ctx, must, r.left())
	if status == sat.Unsatisfiable {
		core := r.step.Core()
		c = slices.DeleteFunc(slices.Clone(c), func(l aig.Lit) bool { return !core[r.step.Lit(l)] })
	}
	r.step.Add(t.Not())
	return c
}

// An obligation is to show that no state of the cube is reached in the first cycles up to frame.
type obligation struct {
	cube  cube
	frame int
	order int
}

type obligations []obligation

func (o obligations) Len() int { return len(o) }
func (o obligations) Less(i, j int) bool {
	return o[i].frame < o[j].frame || o[i].frame == o[j].frame && o[i].order > o[j].order
}
func (o obligations) Swap(i, j int) { o[i], o[j] = o[j], o[i] }
func (o *obligations) Push(x any)   { *o = append(*o, x.(obligation)) }
func (o *obligations) Pop() any {
	last := (*o)[len(*o)-1]
	*o = (*o)[:len(*o)-1]
	return last
}

// block excludes a cube from a frame.
func (r *reacher) block(c cube, frame int) outcome {
	queue := &obligations{{c, frame, 0}}
	for order := 1; queue.Len() > 0; order++ {
		o := heap.Pop(queue).(obligation)
		if r.excluded(o.cube, o.frame) {
			continue
		}
		switch s := r.starts(o.cube); {
		case s == sat.Unknown || r.ctx.Err() != nil:
			return gaveUp
		case s == sat.Satisfiable:
			return reached
		}
		core, status := r.blocked(o.cube, o.frame)
		switch status {
		case sat.Unknown:
			return gaveUp
		case sat.Satisfiable:
			if o.frame == 1 {
				return reached // from a first state
			}
			not := make([]aig.Lit, 0, len(o.cube))
			for _, l := range o.cube {
				not = append(not, r.next.Lit(l).Not())
			}
			heap.Push(queue, obligation{r.lifted(r.state(), not...), o.frame - 1, order})
			heap.Push(queue, o)
			continue
		}
		core = r.generalised(o.cube, core, o.frame)
		at := o.frame
		for at < len(r.frames)-1 {
			if _, s := r.blocked(core, at+1); s != sat.Unsatisfiable {
				break
			}
			at++
		}
		r.add(core, at)
		if at < len(r.frames)-1 {
			heap.Push(queue, obligation{o.cube, at + 1, order})
		}
	}
	return done
}

// excluded tells whether a cube of a frame, or of a later one, has all states of c.
func (r *reacher) excluded(c cube, frame int) bool {
	for _, list := range r.frames[frame:] {
		if slices.ContainsFunc(list, c.within) {
			return true
		}
	}
	return false
}

// starts asks whether a cube has a first state.
func (r *reacher) starts(c cube) sat.Status {
	return r.begin.Solve(r.ctx, r.begin.Lits(r.initial.Lits(c)...), r.left())
}

// blocked asks whether a state of the cube follows one of the frame before, which is in none; else which of its literals say so.
func (r *reacher) blocked(c cube, frame int) (cube, sat.Status) {
	if frame == 1 {
		var must []sat.Lit
		for _, l := range c {
			must = append(must, r.begin.Lit(r.initial.Lit(r.next.Lit(l))))
		}
		status := r.begin.Solve(r.ctx, slices.Clone(must), r.left())
		return cored(r.begin, status, c, must), status
	}
	t := r.step.Free()
	not := []sat.Lit{t.Not()}
	var must []sat.Lit
	for _, l := range c {
		not = append(not, r.step.Lit(l).Not())
		must = append(must, r.step.Lit(r.next.Lit(l)))
	}
	r.step.Add(not...)
	status := r.step.Solve(r.ctx, append(append(r.from(frame-1), t), must...), r.left())
	core := cored(r.step, status, c, must)
	r.step.Add(t.Not())
	return core, status
}

// cored are the literals of a cube of which a question that cannot be had those of must, as far as they were needed.
func cored(e *cnf.Encoder, status sat.Status, c cube, must []sat.Lit) (out cube) {
	if status != sat.Unsatisfiable {
		return nil
	}
	core := e.Core()
	for i, l := range c {
		if core[must[i]] {
			out = append(out, l)
		}
	}
	return out
}

// generalised is a cube with fewer literals than c, core among them, that no state of the frame before leads to, and that has no first
// state.
func (r *reacher) generalised(c, core cube, frame int) cube {
	if r.starts(core) != sat.Unsatisfiable {
		must := r.begin.Lits(r.initial.Lits(c)...)
		apart := cored(r.begin, r.begin.Solve(r.ctx, must, r.left()), c, must)
		core = slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(core), apart...))))
		if r.starts(core) != sat.Unsatisfiable {
			return c
		}
	}
	for i := 0; i < len(core) && len(core) > 1; {
		less := core.without(i)
		if r.starts(less) != sat.Unsatisfiable {
			i++
			continue
		}
		smaller, status := r.blocked(less, frame)
		if status != sat.Unsatisfiable {
			i++
			continue
		}
		core = less
		if r.starts(smaller) == sat.Unsatisfiable && len(smaller) > 0 {
			core, i = smaller, 0
		}
	}
	return core
}

// add excludes a cube from frames up to one.
func (r *reacher) add(c cube, frame int) {
	for k := 1; k <= frame; k++ {
		r.frames[k] = slices.DeleteFunc(r.frames[k], func(d cube) bool { return d.within(c) })
	}
	r.frames[frame] = append(r.frames[frame], c)
	lits := []sat.Lit{r.on[frame].Not()}
	for _, l := range c {
		lits = append(lits, r.step.Lit(l).Not())
	}
	r.step.Add(lits...)
}

// propagate has cubes be excluded from later frames where no state leads to them. It returns the first frame that is like the next, or 0.
func (r *reacher) propagate() int {
	for k := 1; k < len(r.frames)-1; k++ {
		for _, c := range slices.Clone(r.frames[k]) {
			if r.ctx.Err() != nil {
				return 0
			}
			if _, status := r.blocked(c, k+1); status == sat.Unsatisfiable {
				r.add(c, k+1)
			}
		}
		if len(r.frames[k]) == 0 {
			return k
		}
	}
	return 0
}
