package looptest

import (
	"slices"

	"tv/semantics/domain"
	"tv/semantics/loops"
)

// Reached names what is in a program that readers and evaluators stumble over, where sizes are these numbers.
func Reached(p *loops.Procedure, sizes map[string]int64) map[string]bool {
	r := &reach{sizes: sizes, found: map[string]bool{}}
	r.block(p.Body)
	return r.found
}

// A reach is what there is in a program.
type reach struct {
	sizes map[string]int64
	found map[string]bool
	begun []*loops.Buffer // scalars that were assigned outside of the loop that is looked at
}

func (r *reach) block(list []loops.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *loops.Alloc:
			r.found["local"] = r.found["local"] || len(s.Buffer.Dims) > 0
		case *loops.Assign:
			r.assign(s)
			r.begun = append(r.begun, s.To.Buffer)
		case *loops.For:
			r.loop(s)
		case *loops.If:
			r.found["if"] = true
			r.block(s.Then)
			r.block(s.Else)
		case *loops.When:
			r.found["when"] = true
			r.block(s.Then)
			r.block(s.Else)
		}
	}
}

func (r *reach) loop(l *loops.For) {
	r.found["step"] = r.found["step"] || !l.Step.Is(1) && !l.Step.Is(-1)
	r.found["downward"] = r.found["downward"] || l.Step.Op == loops.Number && l.Step.N < 0
	r.found["max"] = r.found["max"] || len(l.Lo) > 1
	r.found["min"] = r.found["min"] || len(l.Hi) > 1
	r.found["parallel"] = r.found["parallel"] || l.Parallel != nil
	for _, x := range slices.Concat(l.Lo, l.Hi) {
		r.found["floordiv"] = r.found["floordiv"] || divides(x)
	}
	if lo, ok := r.number(l.Lo[0]); ok && len(l.Lo) == 1 && len(l.Hi) == 1 {
		if hi, ok := r.number(l.Hi[0]); ok {
			if l.Step.Op == loops.Number && l.Step.N < 0 {
				lo, hi = hi, lo
			}
			r.found["empty"] = r.found["empty"] || hi <= lo
			r.found["negative"] = r.found["negative"] || hi < lo
		}
	}
	for _, s := range l.Body {
		if a, ok := s.(*loops.Assign); ok && len(a.To.At) == 0 && slices.Contains(r.begun, a.To.Buffer) {
			r.found["goes round"] = true
		}
	}
	r.block(l.Body)
}

// divides tells whether an integer has a division.
func divides(x *loops.Int) bool {
	return x.Op == loops.FloorDiv || slices.ContainsFunc(x.Args, divides)
}

// number is what an integer of sizes is.
func (r *reach) number(x *loops.Int) (int64, bool) {
	switch x.Op {
	case loops.Number:
		return x.N, true
	case loops.Size:
		return r.sizes[x.Name], true
	case loops.Plus:
		sum := int64(0)
		for _, a := range x.Args {
			n, ok := r.number(a)
			if !ok {
				return 0, false
			}
			sum += n
		}
		return sum, true
	}
	return 0, false
}

// assign looks for reads of what is written, some iterations away, and for narrow integers.
func (r *reach) assign(s *loops.Assign) {
	e := s.To.Buffer.Elem
	r.found["narrow"] = r.found["narrow"] || e.Width == 8 || e.Width == 16
	r.found["unsigned"] = r.found["unsigned"] || e.Kind == domain.ElemUint
	var look func(e *loops.Expr)
	look = func(e *loops.Expr) {
		if e.Op == loops.Read && e.From.Buffer == s.To.Buffer {
			for axis, x := range e.From.At {
				for what, d := range map[string]int64{"distance 1": 1, "distance -1": -1, "distance 2": 2, "distance -2": -2} {
					r.found[what] = r.found[what] || shifted(x, s.To.At[axis], d)
				}
			}
		}
		for _, a := range e.Args {
			look(a)
		}
	}
	look(s.Value)
}

// shifted tells whether x is y + d, of a counter.
func shifted(x, y *loops.Int, d int64) bool {
	return y.Counts() && loops.Same(x, loops.Sum(y, loops.Num(d)))
}
