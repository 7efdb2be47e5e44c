package bits

import (
	"encoding/binary"
	"maps"
	"math/big"
	"slices"

	"tv/semantics/bits/word"
)

// maxMonomials bounds a polynomial: a product that has more is taken as it stands.
const maxMonomials = 256

// A normalizer gives words of one value one form, as far as rings go: sums and products are polynomials modulo 2^width, conjunctions and
// the like are sets. That two forms are one word proves equality; that they are not proves nothing.
type normalizer struct {
	b     *word.Builder
	done  map[*word.Word]*word.Word
	polys map[*word.Word]polynomial // of words that build made
}

// A polynomial has a monomial for each key, none with coefficient 0.
type polynomial map[string]monomial

type monomial struct {
	coefficient *big.Int     // from 1 to 2^width-1
	factors     []*word.Word // by ID; a power has its base several times
}

func newNormalizer(b *word.Builder) *normalizer {
	return &normalizer{b, map[*word.Word]*word.Word{}, map[*word.Word]polynomial{}}
}

// normal returns a word of the same value as root for all inputs.
func (n *normalizer) normal(root *word.Word) *word.Word {
	for _, w := range word.Reach(root) {
		if n.done[w] == nil {
			args := make([]*word.Word, len(w.Args))
			for i, a := range w.Args {
				args[i] = n.done[a]
			}
			n.done[w] = n.step(w, args)
		}
	}
	return n.done[root]
}

// step is w with arguments in normal form.
func (n *normalizer) step(w *word.Word, args []*word.Word) *word.Word {
	switch w.Op {
	case word.Add, word.Sub, word.Neg, word.Mul, word.Not, word.Shl:
		if w.Op == word.Not && w.Width == 1 {
			break
		}
		if p := n.ring(w, args); p != nil {
			return n.build(p, w.Width)
		}
	case word.And, word.Or, word.Xor:
		return n.set(w, args)
	case word.Eq:
		if args[0].ID > args[1].ID {
			args[0], args[1] = args[1], args[0]
		}
	case word.Extract:
		if p, ok := n.polys[args[0]]; ok && w.Lo == 0 {
			return n.truncated(p, w.Width)
		}
	}
	return n.b.Simplify(n.b.With(w, args))
}

// ring is the polynomial of a sum, product or the like; nil where it would be large.
func (n *normalizer) ring(w *word.Word, args []*word.Word) polynomial {
	polys := make([]polynomial, len(args))
	for i, a := range args {
		polys[i] = n.polynomial(a)
	}
	minus := big.NewInt(-1)
	p := polys[0]
	switch w.Op {
	case word.Add:
		for _, q := range polys[1:] {
			p = sum(p, q, big.NewInt(1), w.Width)
		}
	case word.Sub:
		p = sum(p, polys[1], minus, w.Width)
	case word.Neg:
		p = sum(nil, p, minus, w.Width)
	case word.Not: // -x - 1
		p = sum(polynomial{}.plus(monomial{coefficient: minus}, w.Width), p, minus, w.Width)
	case word.Mul:
		for _, q := range polys[1:] {
			if p = product(p, q, w.Width); p == nil {
				return nil
			}
		}
	case word.Shl:
		if args[1].Op != word.Const {
			return nil
		}
		if !args[1].Value.IsInt64() || args[1].Value.Int64() >= int64(w.Width) {
			return polynomial{}
		}
		p = sum(nil, p, new(big.Int).Lsh(big.NewInt(1), uint(args[1].Value.Int64())), w.Width)
	}
	if len(p) > maxMonomials {
		return nil
	}
	return p
}

// polynomial is that of a word in normal form: of one that is no sum or product, itself.
func (n *normalizer) polynomial(w *word.Word) polynomial {
	if p, ok := n.polys[w]; ok {
		return p
	}
	if w.Op == word.Const {
		return polynomial{}.plus(monomial{coefficient: w.Value}, w.Width)
	}
	return polynomial{}.plus(monomial{big.NewInt(1), []*word.Word{w}}, w.Width)
}

// plus is p with one more monomial; p is changed.
func (p polynomial) plus(m monomial, width int) polynomial {
	var key []byte
	for _, f := range m.factors {
		key = binary.BigEndian.AppendUint32(key, uint32(f.ID))
	}
	k := string(key)
	c := m.coefficient
	if old, ok := p[k]; ok {
		c = new(big.Int).Add(old.coefficient, c)
	}
	if c = word.Mod(c, width); c.Sign() == 0 {
		delete(p, k)
	} else {
		p[k] = monomial{c, m.factors}
	}
	return p
}

// sum is p + c·q.
func sum(p, q polynomial, c *big.Int, width int) polynomial {
	out := maps.Clone(p)
	if out == nil {
		out = polynomial{}
	}
	for _, m := range q {
		out.plus(monomial{new(big.Int).Mul(m.coefficient, c), m.factors}, width)
	}
	return out
}

// product is p·q, or nil where that would be large.
func product(p, q polynomial, width int) polynomial {
	if len(p)*len(q) > maxMonomials {
		return nil
	}
	out := polynomial{}
	for _, x := range p {
		for _, y := range q {
			factors := slices.Concat(x.factors, y.factors)
			if len(factors) > maxMonomials {
				return nil
			}
			slices.SortFunc(factors, func(a, b *word.Word) int { return a.ID - b.ID })
			out.plus(monomial{new(big.Int).Mul(x.coefficient, y.coefficient), factors}, width)
		}
	}
	return out
}

// build is the one word of a polynomial.
func (n *normalizer) build(p polynomial, width int) *word.Word {
	var terms []*word.Word
	for _, k := range slices.Sorted(maps.Keys(p)) { // the order is of no import, but must be one
		m := p[k]
		factors := slices.Clone(m.factors)
		if len(factors) == 0 || m.coefficient.Cmp(big.NewInt(1)) != 0 {
			factors = append(factors, n.b.Const(width, m.coefficient))
		}
		if len(factors) == 1 {
			terms = append(terms, factors[0])
		} else {
			terms = append(terms, n.b.Apply(word.Mul, factors...))
		}
	}
	var w *word.Word
	switch len(terms) {
	case 0:
		w = n.b.Int(width, 0)
	case 1:
		w = terms[0]
	default:
		w = n.b.Apply(word.Add, terms...)
	}
	if w.Op == word.Add || w.Op == word.Mul {
		n.polys[w] = p
	}
	return w
}

// truncated is the low part of a polynomial: carries go up alone, so it is the polynomial of the low parts.
func (n *normalizer) truncated(p polynomial, width int) *word.Word {
	out := polynomial{}
	for _, m := range p {
		low := polynomial{}.plus(monomial{coefficient: m.coefficient}, width)
		for _, f := range m.factors {
			part := n.normal(n.b.Extract(f, width-1, 0))
			if low = product(low, n.polynomial(part), width); low == nil {
				return n.b.Simplify(n.b.Extract(n.build(p, m.factors[0].Width), width-1, 0))
			}
		}
		out = sum(out, low, big.NewInt(1), width)
	}
	return n.build(out, width)
}

// set is a conjunction, disjunction or parity: the order of its arguments is of no import, nor, but for parities, how often one is there.
func (n *normalizer) set(w *word.Word, args []*word.Word) *word.Word {
	var members []*word.Word
	for _, a := range args {
		if a.Op == w.Op {
			members = append(members, a.Args...)
		} else {
			members = append(members, a)
		}
	}
	slices.SortFunc(members, func(a, b *word.Word) int { return a.ID - b.ID })
	var kept []*word.Word
	for _, m := range members {
		last := len(kept) - 1
		switch {
		case last < 0 || kept[last] != m:
			kept = append(kept, m)
		case w.Op == word.Xor:
			kept = kept[:last]
		}
	}
	switch len(kept) {
	case 0:
		return n.b.Int(w.Width, 0)
	case 1:
		return kept[0]
	}
	return n.b.Simplify(n.b.Apply(w.Op, kept...))
}
