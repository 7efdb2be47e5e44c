package sample

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"

	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/value"
)

// A Signature is a few elements of a subterm at random inputs.
type Signature struct {
	dims   []int64
	values []result
	more   func(s *Signature, elements int)
}

// Dims returns the dims of the subterm, which must not be changed.
func (s *Signature) Dims() []int64 { return s.dims }

// Longer returns the signature with more elements.
func (s *Signature) Longer() *Signature {
	if s.more != nil {
		s.more(s, longElements)
		s.more = nil
	}
	return s
}

// Fixed returns the signature with the elements that it has, for good: it keeps nothing of the program.
func (s *Signature) Fixed() *Signature {
	s.more = nil
	return s
}

// Alike reports whether x has a value, and y the same wherever it has one.
func Alike(x, y *Signature) bool {
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

// longElements is the number of elements in the signature of a subterm that is alike several.
const longElements = 16

// SignedReads bounds the elements of inputs that the signatures of a program may read, where its subterms are few.
const SignedReads = 400_000

// A Signer makes signatures of the subterms of a program.
type Signer struct {
	arith value.Arith
	ev    semantics.Evaluator
	in    *randomInputs
	each  int  // elements of inputs that one signature may read
	all   int  // and all together
	short bool // some would have read more
}

// Signer runs a program at a point on inputs that every signer of the sampler draws alike, the tensors that stand for
// subterms as well. No signature may read more than each elements of them, and all signatures no more than all.
func (s *Sampler) Signer(p semantics.Program, pt domain.Point, standing semantics.Standing, each, all int) (*Signer, error) {
	m := mixed
	if len(s.roots) > 0 {
		m = rooted
	}
	in := s.inputs(s.seed, m)
	in.values, in.lent = maps.Clone(in.values), map[string]func(int64) value.Value{}
	var stages []domain.Tensor
	for i, name := range standing {
		stages = append(stages, domain.Tensor{Name: name, Elem: p.Parts()[i].Elem})
	}
	maps.Copy(in.values, table(s.arith, m, stages))
	for name, list := range in.values { // signatures are guesses, for which balls do
		in.values[name] = balls(list)
	}
	ev, err := p.Evaluate(s.arith, pt, in, standing)
	return &Signer{arith: s.arith, ev: ev, in: in, each: each, all: all}, err
}

// Lend has tensors that stand for subterms be parts of another program, by name, which is run at the same point on the same
// inputs: what moves elements of a tensor that stands does not draw others.
func (g *Signer) Lend(p semantics.Program, pt domain.Point, standing semantics.Standing, parts map[string]int) error {
	ev, err := p.Evaluate(g.arith, pt, g.in, standing)
	if err != nil {
		return err
	}
	for name, part := range parts {
		dims := ev.PartDims(part)
		g.in.lent[name] = func(offset int64) value.Value {
			index := make([]int64, len(dims))
			for k := len(dims) - 1; k >= 0; k-- {
				index[k], offset = offset%dims[k], offset/dims[k]
			}
			v, err := ev.PartElement(part, index)
			if err != nil {
				return value.NoValue(err)
			}
			return v
		}
	}
	return nil
}

// balls returns real numbers as balls, and other values as they are.
func balls(list []value.Value) []value.Value {
	out := make([]value.Value, len(list))
	for i, v := range list {
		out[i] = value.Ball(v)
	}
	return out
}

// Spent reports whether the inputs have been read as often as they may.
func (g *Signer) Spent() bool { return g.in.reads >= g.all }

// Short reports whether a signature was left out that would have read more than one may, and all together may.
func (g *Signer) Short() bool { return g.short }

// Dims returns the dims of a part that is a tensor, which must not be changed.
func (g *Signer) Dims(part int) []int64 { return g.ev.PartDims(part) }

// Of returns nil where a part has no elements, or where they read too much.
func (g *Signer) Of(part, elements int) *Signature {
	s := &Signature{dims: g.ev.PartDims(part)}
	if slices.Contains(s.dims, 0) {
		return nil
	}
	rng := rand.New(rand.NewPCG(uint64(len(s.dims)), 0x7476))
	s.more = func(s *Signature, elements int) {
		g.in.most = min(g.all, g.in.reads+g.each)
		defer func() {
			if r := recover(); r != nil && r != errTooMuch {
				panic(r)
			} else if r != nil && !g.Spent() {
				g.short = true
			}
		}()
		for len(s.values) < elements && !g.Spent() {
			index := make([]int64, len(s.dims))
			for k, d := range s.dims {
				index[k] = rng.Int64N(d)
			}
			v, err := g.ev.PartElement(part, index)
			s.values = append(s.values, result{v, err})
		}
	}
	if s.more(s, elements); len(s.values) < elements {
		return nil
	}
	return s
}
