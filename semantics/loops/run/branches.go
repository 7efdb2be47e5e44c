package run

import (
	"errors"

	"tv/semantics/domain"
	"tv/semantics/loops"
	"tv/semantics/value"
)

// In real it may not be known which branch is taken: enclosures overlap, or the condition is undefined. Then both are, one
// after the other and each from the same contents. What they agree on is known; all else that either writes is not, or is
// undefined where the condition is.

// A change is a cell that was written while it had to be remembered what it held.
type change struct {
	buffer *buffer
	offset int64
	old    cell
}

// note remembers what a cell holds that is going to be written. A parameter is asked for first, so that taking the write
// back does not have it asked for again.
func (r *Run) note(b *buffer, offset int64) {
	if c := b.at(offset); b.input && c.at <= b.since {
		r.ask(b, offset)
	}
	r.journal = append(r.journal, change{b, offset, *b.at(offset)})
}

// outcome is what a branch has left: the cells that it wrote, in the order of the first writes, with what they held then.
type outcome struct {
	cells []*cell
	left  map[*cell]cell
	owner map[*cell]change
	stop  error // why it did not come to its end
}

// branch executes f and takes back what it wrote.
func (r *Run) branch(f func()) outcome {
	mark := len(r.journal)
	r.trying++
	o := outcome{left: map[*cell]cell{}, owner: map[*cell]change{}}
	o.stop = r.attempt(f)
	r.trying--
	for _, x := range r.journal[mark:] {
		c := x.buffer.at(x.offset)
		if _, ok := o.left[c]; !ok {
			o.cells = append(o.cells, c)
		}
		o.left[c], o.owner[c] = *c, x
	}
	for i := len(r.journal) - 1; i >= mark; i-- {
		x := r.journal[i]
		*x.buffer.at(x.offset) = x.old
	}
	r.journal = r.journal[:mark]
	return o
}

// both stops where one of two branches does: with the end of the call only if both end it.
func both(at site, first, second, why error) {
	var ended *Ended
	for _, err := range []error{first, second} {
		if err != nil && !errors.As(err, &ended) {
			panic(stop{err})
		}
	}
	switch {
	case first != nil && second != nil:
		panic(stop{first})
	case first != nil || second != nil:
		at.unsure(why, "the call ends in a branch")
	}
}

// either executes both branches of a statement whose condition is not known.
func (s *when) either(r *Run, why error) {
	start := r.clock
	r.doubt = true
	first := r.branch(func() { s.then.run(r) })
	r.clock = start + s.thenCost
	second := r.branch(func() { s.els.run(r) })
	both(s.site, first.stop, second.stop, why)
	for i, o := range []outcome{first, second} {
		for _, c := range o.cells {
			if _, ok := first.left[c]; ok && i == 1 {
				continue
			}
			x := o.owner[c]
			merged := merge(x.buffer, leftBy(first, c), leftBy(second, c), why)
			if r.trying > 0 {
				r.note(x.buffer, x.offset)
			}
			*c = merged
		}
	}
}

// leftBy returns what a cell holds after a branch.
func leftBy(o outcome, c *cell) cell {
	if left, ok := o.left[c]; ok {
		return left
	}
	return *c
}

// merge returns what is known of a cell of which one of two things holds. An element of a local that only one branch has
// written has the time of the Alloc: it may be unwritten.
func merge(b *buffer, x, y cell, why error) cell {
	at := max(x.at, y.at)
	if x.at <= b.since || y.at <= b.since {
		at = b.since
	}
	if at > b.since && !errors.Is(why, value.ErrUndefined) {
		if v, ok := agreed(x.Value, y.Value); ok {
			return cell{v, at}
		}
	}
	return cell{value.NoValue(why), at}
}

// agreed returns the value that two values are, if they are one.
func agreed(x, y value.Value) (value.Value, bool) {
	undefined := func(v value.Value) bool { return errors.Is(v.Err(), value.ErrUndefined) }
	return x, x == y || value.Compare(x, y) == value.Same || undefined(x) && undefined(y)
}

// choice compiles a Choice: the operand that is left out is not executed.
func (c *compiler) choice(e *loops.Expr) func() value.Value {
	if len(e.Args) != 3 || e.Args[0].Elem.Kind != domain.ElemBool || e.Args[1].Elem != e.Elem || e.Args[2].Elem != e.Elem {
		c.fail("internal", "a choice of type %s", e.Elem)
	}
	cond, x, y := c.element(e.Args[0]), c.element(e.Args[1]), c.element(e.Args[2])
	r, at := c.r, c.site(e.At)
	return func() value.Value {
		switch holds, err := cond().Holds(); {
		case err != nil:
			return r.chosen(at, err, x, y)
		case holds:
			return x()
		}
		return y()
	}
}

// chosen returns what is known of a choice whose condition is not known.
func (r *Run) chosen(at site, why error, x, y func() value.Value) value.Value {
	r.doubt = true
	var a, b value.Value
	first := r.attempt(func() { a = x() })
	second := r.attempt(func() { b = y() })
	both(at, first, second, why)
	if !errors.Is(why, value.ErrUndefined) {
		if v, ok := agreed(a, b); ok {
			return v
		}
	}
	return value.NoValue(why)
}
