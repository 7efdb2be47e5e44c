package synth

import (
	"math/big"
	"math/rand/v2"
	"slices"

	circuits "tv/equiv/bits"
	"tv/semantics/bits/flat"
	"tv/semantics/bits/word"
)

// dspTemplate is the template whose cells multiply. Its candidates are enumerated and tried on a pool of inputs, word by word.
const dspTemplate = "dsp"

// deepMultiplier is how many cells a multiplier counts for in depth.
const deepMultiplier = 4

// mostFits bounds how many candidates that are right for the pool are compared for all inputs.
const mostFits = 32

// multipliers tells whether there is such a cell that a question might fit.
func (s *search) multipliers(q *shape) bool {
	widest := 48
	for _, p := range q.inputs {
		if p.width > widest {
			return false
		}
	}
	return len(q.inputs) > 0 && len(q.inputs) <= 4 && q.out.width <= 54 && makers[q.arch] != nil
}

// A maker enumerates what may be right, by the pool; each says whether it has enough.
type maker func(p *pool, s *search, each func(placing) bool)

// makers by architecture.
var makers = map[string]maker{"xilinx": dsp48, "lattice": mult18, "intel": mistral}

// tryMultiplier enumerates.
func (s *search) tryMultiplier(t *Try) (placing, error) {
	p := s.pool()
	var out placing
	var failed error
	t.Status = Open
	bare := 0 // proved, without a certificate
	makers[s.Arch](p, s, func(c placing) bool {
		t.Candidates++
		r, err := s.check(s.Latency, c)
		switch {
		case err != nil:
			failed = err
			return false
		case r.Verdict == circuits.Proved && r.Early == 0 && (r.Engine == circuits.Simulation || r.Lemmas != nil):
			out, t.Status = c, Found
			return false
		case r.Verdict == circuits.Refuted:
			p.add(s.sample(s.refuting(r.Counterexample, s.Latency)))
		default:
			bare++
		}
		return bare < mostFits && t.Candidates < s.Samples && s.ctx.Err() == nil
	})
	t.Samples = len(p.want)
	if out != nil || failed != nil || bare > 0 || t.Candidates == s.Samples || s.ctx.Err() != nil {
		return out, failed
	}
	if s.Arch == "xilinx" && !s.open && p.width <= 31 && len(s.Spec.Assume) == 0 {
		t.Refutation = &Refutation{Latency: s.Latency, Experiments: s.experiments()}
		if s.Slices == 1 {
			t.Status = None
		}
	}
	return nil, nil
}

// add has candidates be right for one more sample.
func (p *pool) add(x sample) {
	in := make([]uint64, len(x.in))
	for i, v := range x.in {
		in[i] = v.Uint64()
	}
	p.in, p.want = append(p.in, in), append(p.want, x.want.Uint64())
}

// pool has inputs that the assumptions allow: corners, small numbers and others.
func (s *search) pool() *pool {
	p := &pool{inputs: s.inputs, width: s.spec.Outputs[0].Width}
	draw := rand.New(rand.NewPCG(3, 4))
	kinds := []func(width int) *big.Int{
		func(width int) *big.Int {
			return new(big.Int).SetUint64(draw.Uint64() >> (64 - width))
		},
		func(width int) *big.Int { return new(big.Int).SetUint64(draw.Uint64N(min(4, uint64(1)<<width))) },
		func(width int) *big.Int {
			return new(big.Int).SetUint64(uint64(1)<<width - 1 - draw.Uint64N(min(2, uint64(1)<<width)))
		},
	}
	for i := range 24 {
		in := make([]*big.Int, len(s.inputs))
		for k, port := range s.inputs {
			kind := kinds[0]
			if i >= 8 {
				kind = kinds[draw.IntN(len(kinds))]
			}
			in[k] = kind(port.width)
		}
		if s.allowed(in) {
			p.add(s.sample(in))
		}
	}
	return p
}

// allowed tells whether the assumptions hold, as far as they are about the inputs of the output alone.
func (s *search) allowed(in []*big.Int) bool {
	for _, a := range s.spec.Assume {
		for _, w := range word.Reach(a.Word) {
			if w.Op == word.Input && !slices.ContainsFunc(s.inputs, func(p port) bool { return p.name == w.Name }) {
				return false
			}
		}
		if s.values(in, a.Word).Sign() == 0 {
			return false
		}
	}
	return true
}

// constants are those of the specification, as words of the slice's adder.
func (s *search) constants() (out []uint64) {
	for _, w := range word.Reach(s.Spec.Outputs[s.out].Word) {
		if w.Op == word.Const && w.Value.BitLen() <= 48 && w.Value.Sign() != 0 && !slices.Contains(out, w.Value.Uint64()) {
			out = append(out, w.Value.Uint64())
		}
	}
	return out
}

// dsp48 has one slice of DSP48E2, then two.
func dsp48(p *pool, s *search, each func(placing) bool) {
	if p.width > 48 {
		return
	}
	more := true
	for _, two := range []bool{false, true} {
		if two && (!more || s.Slices == 1) {
			return
		}
		p.slices(s.Latency, s.constants(), two, func(k *slice) bool {
			copied := *k
			more = each(func(b *builder) []flat.Bit { return copied.place(b, s.inputs)[:p.width] })
			return more
		})
	}
}

// factors are pairs of operands whose product is right for the pool, at pins of a width; extended by their sign if signed.
func (p *pool) factors(width int, each func(a, b operand, signedA, signedB bool) bool) {
	list := p.operands(width)
	for _, a := range list {
		for _, b := range list {
			for flags := range 4 {
				if (a.input < 0 && b.input < 0) || !p.multiplies(a, b, width, flags&1 != 0, flags&2 != 0) {
					continue
				}
				if !each(a, b, flags&1 != 0, flags&2 != 0) {
					return
				}
			}
		}
	}
}

func (p *pool) multiplies(a, b operand, width int, signedA, signedB bool) bool {
	for i := range p.want {
		x, y := a.value(p, i, width), b.value(p, i, width)
		if signedA {
			x = signExtend(x, width)
		}
		if signedB {
			y = signExtend(y, width)
		}
		if (x*y^p.want[i])&p.mask() != 0 {
			return false
		}
	}
	return true
}
