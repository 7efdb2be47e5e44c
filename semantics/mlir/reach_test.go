package mlir_test

import (
	"slices"
	"testing"

	"tv/internal/tier"
	"tv/semantics/loops"
	"tv/semantics/loops/looptest"
	"tv/semantics/mlir"
)

// TestGenerateReaches: each of these is in one program of ten at least.
func TestGenerateReaches(t *testing.T) {
	total := tier.Pick(300, 1000)
	count := map[string]int{}
	for seed := range uint64(total) {
		p := parsed(t, "", string(mlir.Generate(seed)))
		r := &reach{sizes: looptest.Sizes(p, seed), found: map[string]bool{}}
		r.block(p.Body)
		for what, found := range r.found {
			if found {
				count[what]++
			}
		}
	}
	for _, what := range []string{"distance 1", "distance -1", "distance 2", "distance -2", "empty", "negative", "max", "min", "floordiv",
		"step", "goes round", "if", "local", "narrow", "when", "parallel"} {
		if count[what] < total/10 {
			t.Errorf("%s is in %d of %d programs", what, count[what], total)
		}
	}
	t.Log(count)
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
	r.found["step"] = r.found["step"] || !l.Step.Is(1)
	r.found["max"] = r.found["max"] || len(l.Lo) > 1
	r.found["min"] = r.found["min"] || len(l.Hi) > 1
	r.found["parallel"] = r.found["parallel"] || l.Parallel != nil
	for _, x := range slices.Concat(l.Lo, l.Hi) {
		r.found["floordiv"] = r.found["floordiv"] || x.Op == loops.FloorDiv
	}
	if lo, ok := r.number(l.Lo[0]); ok && len(l.Lo) == 1 && len(l.Hi) == 1 {
		if hi, ok := r.number(l.Hi[0]); ok {
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
	w := s.To.Buffer.Elem.Width
	r.found["narrow"] = r.found["narrow"] || w == 8 || w == 16
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
