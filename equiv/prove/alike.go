package prove

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"tv/equiv/sample"
	"tv/internal/mix"
	"tv/semantics"
)

// congruent returns pairs of subterms of BEFORE and AFTER that apply one operator to operands that are alike already: the same
// leaves, stages and such pairs. What is the same on both sides asks for no samples; operands come before what is made of them.
//
// A class is told by a hash: were two of them to share one, a pair would be tried that is none, and a proof fail.
func (s *stager) congruent() (out [][2]int) {
	class := func(side, i int, n *semantics.Part, of []uint64) uint64 {
		if k, stands := s.of[side][i]; stands {
			return mix.String(standsFor, s.done[k].name)
		}
		h := s.applied(side)[i]
		if n.Applies && !n.Leaf {
			for _, a := range n.Operands {
				h = mix.Word(h, of[a])
			}
		}
		return mix.Spread(h)
	}
	first := map[uint64]int{} // the part of BEFORE that is of a class
	for side, p := range s.sides() {
		parts := p.Parts()
		of := make([]uint64, len(parts))
		computes := computing(parts)
		for i := range parts[:root(p)] {
			n := &parts[i]
			of[i] = class(side, i, n, of)
			if !n.Tensor || !computes[i] {
				continue
			}
			x, known := first[of[i]]
			switch {
			case side == 0 && !known:
				first[of[i]] = i
			case side == 1 && known && !moving(n) && congruous(&s.Before.Parts()[x], n):
				out = append(out, [2]int{x, i})
			}
		}
	}
	return out
}

// standsFor is where the hash of a stage begins.
const standsFor = 1

// applied are hashes of what the parts of a side apply: of a leaf what it is, and of what is like no other its number.
func (s *stager) applied(side int) []uint64 {
	if s.hashes[side] != nil {
		return s.hashes[side]
	}
	parts := s.sides()[side].Parts()
	out := make([]uint64, len(parts))
	for i := range parts {
		switch n := &parts[i]; {
		case n.Leaf:
			out[i] = mix.String(2, fmt.Sprintf("%s %t %s", n.Name, n.Tensor, n.Elem))
		case !n.Applies:
			out[i] = mix.Word(mix.Word(3, uint64(side)), uint64(i))
		default:
			out[i] = mix.String(4, n.Name)
		}
	}
	s.hashes[side] = out
	return out
}

// congruous reports whether two subterms may be a pair: of one rank and element type.
func congruous(x, y *semantics.Part) bool { return len(x.Dims) == len(y.Dims) && x.Elem == y.Elem }

// candidates returns pairs of subterms of BEFORE and AFTER with the same values at random inputs, operands before what is
// made of them: of those of BEFORE the first that computes.
func (s *stager) candidates(ctx context.Context, deep bool) ([][2]int, error) {
	if len(s.Points) == 0 {
		return nil, nil
	}
	elements := signed
	if deep { // more that are alike by chance
		elements *= 2
	}
	x, err := s.signer(0, elements)
	if err != nil {
		return nil, err
	}
	y, err := s.signer(1, elements)
	if err != nil {
		return nil, err
	}
	again := s.again(elements)
	var out [][2]int
	s.lost = ""
	parts, moved, sizes := s.After.Parts(), s.moved(1), s.sizes(x)
	for i := range parts[:root(s.After)] {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		n := &parts[i]
		if !y.within[i] {
			continue
		}
		if !sizes[fmt.Sprint(n.Elem, y.dims[i])] { // such as one of many blocks: like nothing, whatever its values are
			s.miss(i)
			continue
		}
		of := y.of(i)
		if of == nil {
			continue
		}
		like := -1
		if !moved[i] { // else what is made of it is proved through it, or as a stage that only moves elements as well
			like = s.like(x, n, of)
		}
		if like < 0 {
			if like, err = again.like(n, of); err != nil {
				return nil, err
			}
		}
		if like >= 0 {
			out = append(out, [2]int{like, i})
		} else {
			s.miss(i)
		}
	}
	s.spent = x.spent || y.spent
	s.large = s.large || s.spent
	s.beyond, s.short = x.beyond || y.beyond, x.Short() || y.Short()
	return out, nil
}

// sizes are the element types and dims of the subterms of BEFORE that x is about, and of stages.
func (s *stager) sizes(x *signer) map[string]bool {
	out := map[string]bool{}
	add := func(i int, dims []int64) { out[fmt.Sprint(s.Before.Parts()[i].Elem, dims)] = true }
	for i, is := range x.within {
		if is {
			add(i, x.dims[i])
		}
	}
	for _, st := range s.done {
		add(st.x, x.Dims(st.x))
	}
	return out
}

// miss notes the first subterm of AFTER that computes what nothing in BEFORE does.
func (s *stager) miss(part int) {
	if n := &s.After.Parts()[part]; s.lost == "" && !moving(n) {
		s.lost = fmt.Sprintf("; %s at %s is the first of AFTER that gives what nothing in BEFORE does", n.Name,
			s.After.At(part).Position())
	}
}

// like returns the subterm of BEFORE that n of AFTER is alike, -1 if there is none: of several the first that computes,
// one with the same operator before others. Where several compute, more elements are looked at: a relu is its operand
// wherever that is positive.
func (s *stager) like(x *signer, n *semantics.Part, y *sample.Signature) int {
	var all []int
	computing := 0
	parts := s.Before.Parts()
	for i := range parts[:root(s.Before)] {
		if parts[i].Elem != n.Elem || !slices.Equal(x.dims[i], y.Dims()) {
			continue
		}
		if of := x.of(i); of == nil || !sample.Alike(of, y) {
			continue
		}
		if all = append(all, i); !moving(&parts[i]) {
			computing++
		}
	}
	rank := func(i int) int {
		switch m := &parts[i]; {
		case moving(m):
			return 0
		case m.Name != n.Name:
			return 1
		}
		return 2
	}
	like := -1
	for _, i := range all {
		if computing > 1 && !sample.Alike(x.of(i).Longer(), y.Longer()) {
			continue
		}
		if like < 0 || rank(i) > rank(like) {
			like = i
		}
	}
	return like
}

// repeated are stages as what they are made of: each stands as a tensor of its own contents, which says nothing of a further subterm
// of AFTER that computes the same.
type repeated struct {
	*stager
	elements int
	sampled  []int // stages that stand in samples
	over     []int // of each part of BEFORE: a number for it with what stands below it
}

// A setting is a part of BEFORE with what stands below it, by number, and how many elements are looked at.
type setting struct{ over, elements int }

func (s *stager) again(elements int) *repeated {
	r := &repeated{stager: s, elements: elements, sampled: s.sampled()}
	standing := s.standing(r.sampled)[0]
	parts := s.Before.Parts()
	r.over = make([]int, len(parts))
	var key []byte
	for i := range parts {
		key = strconv.AppendInt(key[:0], int64(i), 10)
		for _, a := range parts[i].Operands {
			if name, stands := standing[a]; stands {
				key = append(append(key, ' '), name...)
			} else {
				key = strconv.AppendInt(append(key, ' '), int64(r.over[a]), 10)
			}
		}
		n, known := s.overs[string(key)]
		if !known {
			n = len(s.overs)
			s.overs[string(key)] = n
		}
		r.over[i] = n
	}
	return r
}

// like returns the part of BEFORE that stands in a stage, applies the same operator as n, or moves elements as it does, and gives the
// same values; -1 if there is none.
func (r *repeated) like(n *semantics.Part, y *sample.Signature) (int, error) {
	parts := r.Before.Parts()
	for k, st := range r.done {
		m := &parts[st.x]
		if r.of[0][st.x] != k || moving(m) != moving(n) || !moving(m) && m.Name != n.Name || m.Elem != n.Elem || len(m.Dims) != len(n.Dims) {
			continue
		}
		x, err := r.signature(st.x)
		if err != nil {
			return -1, err
		}
		if x != nil && sample.Alike(x, y) {
			return st.x, nil
		}
	}
	return -1, nil
}

// signature is that of a part of BEFORE from what stands below it. It is the same in each round in which the same does.
func (r *repeated) signature(part int) (*sample.Signature, error) {
	at := setting{r.over[part], r.elements}
	x, known := r.signatures[at]
	if known {
		return x, nil
	}
	rest := slices.DeleteFunc(slices.Clone(r.sampled), func(l int) bool { return r.done[l].x == part })
	g, err := r.Sampler.Signer(r.Before, r.Points[0], r.standing(rest)[0], r.reads, sample.SignedReads)
	if err != nil {
		return nil, err
	}
	if x = g.Of(part, r.elements); x != nil {
		x = x.Fixed()
	}
	r.signatures[at] = x
	return x, nil
}

// A signer evaluates elements of subterms of one side, when they are asked for, and once each.
type signer struct {
	*sample.Signer
	elements int
	within   []bool    // what computes something, is within reach, and that no stage has left behind
	dims     [][]int64 // of these
	known    map[int]*sample.Signature
	beyond   bool // some compute something that is deeper than the reach
	spent    bool // some were left out, as the others had read too much
}

// signer prepares the samples of one side, in which what was proved stands as tensors.
func (s *stager) signer(side, elements int) (*signer, error) {
	stand := s.sampled()
	p, standing := s.sides()[side], s.standing(stand)[side]
	var lent map[string]int
	if side == 1 {
		lent = s.lend(standing)
	}
	parts := p.Parts()
	out := &signer{elements: elements, within: make([]bool, len(parts)), known: map[int]*sample.Signature{}}
	behind, depth, computes := s.behind(side), depths(p, standing, semantics.Function), computing(parts)
	for i := range parts {
		switch {
		case !computes[i] || behind[i] || !parts[i].Tensor:
		case depth[i] > s.reach:
			out.beyond = true
		default:
			out.within[i] = true
		}
	}
	in, err := s.Sampler.Signer(p, s.Points[0], standing, s.reads, s.all)
	if err != nil {
		return nil, err
	}
	if len(lent) > 0 {
		if err := in.Lend(s.Before, s.Points[0], s.standing(stand)[0], lent); err != nil {
			return nil, err
		}
	}
	if s.dims[side] == nil {
		s.dims[side] = make([][]int64, len(parts))
	}
	out.Signer, out.dims = in, s.dims[side]
	for i, is := range out.within {
		if is && out.dims[i] == nil {
			out.dims[i] = in.Dims(i)
		}
	}
	return out, nil
}

// of returns the signature of a subterm; nil where it has no element, or is not within reach.
func (g *signer) of(part int) *sample.Signature {
	sig, known := g.known[part]
	if known || !g.within[part] {
		return sig
	}
	if g.Spent() {
		g.spent = true
		return nil
	}
	sig = g.Of(part, g.elements)
	g.known[part] = sig
	return sig
}

// sampled returns the stages that stand as tensors in samples: those that only move elements of others in BEFORE do not, or what
// moves the same elements otherwise would have values of its own.
func (s *stager) sampled() (out []int) {
	before := s.moved(0)
	for k, st := range s.done {
		if !movesOnly(s.Before.Parts(), st.x, before) {
			out = append(out, k)
		}
	}
	return out
}

// lend has the others stand in AFTER where they compute there, such as a product that is turned round: as what they are in BEFORE,
// which is elements of stages that stand. It returns them by name.
func (s *stager) lend(standing semantics.Standing) map[string]int {
	out := map[string]int{}
	before, after := s.moved(0), s.moved(1)
	for _, st := range s.done {
		if movesOnly(s.Before.Parts(), st.x, before) && !movesOnly(s.After.Parts(), st.y, after) {
			standing[st.y], out[st.name] = st.name, st.x
		}
	}
	return out
}

// computing marks the subterms that are not only elements of leaves at other places.
func computing(parts []semantics.Part) []bool {
	out := make([]bool, len(parts))
	for i := range parts {
		out[i] = !moving(&parts[i]) || slices.ContainsFunc(parts[i].Operands, func(a int) bool { return out[a] })
	}
	return out
}

// behind marks the subterms that a stage is made of, by number, and the stages.
func (s *stager) behind(side int) []bool {
	parts := s.sides()[side].Parts()
	out := make([]bool, len(parts))
	for _, st := range s.done {
		out[[2]int{st.x, st.y}[side]] = true
	}
	for i, n := range slices.Backward(parts) {
		for _, a := range n.Operands {
			out[a] = out[a] || out[i]
		}
	}
	return out
}
