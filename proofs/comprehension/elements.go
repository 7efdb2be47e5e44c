package comprehension

import (
	"encoding/binary"
	"maps"
	"math/big"
	"slices"
	"strings"

	"tv/proofs/algebra"
	"tv/semantics/domain"
)

// Short names of what every signature has.
type (
	expr    = algebra.Expr
	context = algebra.Context
	scalar  = algebra.Scalar
)

// Elements states the elements of a program's parts.
type elements struct {
	*algebra.State
	t    typing
	cuts map[int]string
	memo map[string]*scalar
	made int
}

// maxElements bounds the elements that are stated: a chain of statements may read ever more.
const maxElements = 1 << 20

// Elements implements Program.
func (t typing) Elements(s *algebra.State, cuts map[int]string) algebra.Elements {
	return &elements{State: s, t: t, cuts: cuts, memo: map[string]*scalar{}}
}

// Forget implements Elements.
func (l *elements) Forget() { clear(l.memo) }

// Fixed implements Elements: no comprehension is a table.
func (l *elements) Fixed(int) int { return 0 }

// At implements Elements.
func (l *elements) At(part int, path []int, c *context, at []*expr) *scalar {
	if len(path) > 0 {
		part = l.t.last(len(l.t.statements), l.t.written[path[0]])
	}
	return l.at(part, c, at)
}

func (l *elements) size(x domain.Size) *expr { return l.Size(l.t.env.Size(x)) }

func (l *elements) at(part int, c *context, at []*expr) *scalar {
	param := l.t.of(part)
	q, at := l.t.params[param], slices.Clone(at)
	dims := make([]*expr, len(at))
	for i, d := range q.dims {
		if dims[i] = l.size(d); dims[i].Is(1) {
			at[i] = l.B.Const(0)
		}
	}
	if name, cut := l.cuts[part]; cut {
		return l.Read(name, dims, at, q.elem, true) // it may have no value
	}
	if part < len(l.t.params) {
		name := l.t.tensors[param].Name
		if name == "" {
			algebra.Fail(algebra.CodeStatement, "nothing is bound to %s, which is read", q.name)
		}
		return l.Read(name, dims, at, q.elem, false)
	}
	key := binary.AppendUvarint(nil, uint64(part))
	key = binary.AppendUvarint(binary.AppendUvarint(key, uint64(c.ID)), uint64(l.Bound))
	for _, e := range at {
		key = binary.AppendUvarint(key, uint64(e.ID))
	}
	x := l.memo[string(key)]
	if x == nil {
		if l.made++; l.made > maxElements {
			algebra.Fail(algebra.CodeLimit, "more than %d elements are read", maxElements)
		}
		x = l.written(part-len(l.t.params), c, at)
		l.memo[string(key)] = x
	}
	return x
}

// written is an element of what a statement writes to, after it.
func (l *elements) written(k int, c *context, at []*expr) *scalar {
	s := l.t.statements[k]
	q, before := l.t.params[s.target], l.t.last(k, s.target)
	var inside []*expr
	for i, e := range at {
		lo, hi := l.size(s.indices[i].lo), l.size(s.indices[i].hi)
		if !lo.Is(0) {
			inside = append(inside, l.B.Sub(e, lo))
		}
		if hi != l.size(q.dims[i]) {
			inside = append(inside, l.B.AddInt(l.B.Sub(hi, e), -1))
		}
	}
	value := func(c *context) *scalar {
		values, places := map[string]*expr{"": l.B.Const(1)}, []*expr(nil)
		for i, e := range at {
			values[s.indices[i].name] = e
		}
		summed := s.indices[len(at):]
		for _, x := range summed {
			n := l.B.Sub(l.size(x.hi), l.size(x.lo))
			places = append(places, l.B.Max(c, l.B.Const(0), n))
		}
		sum := l.Reduce(algebra.FoldSum, l.Elem(q.elem), places, func(in []*expr) *scalar {
			all := maps.Clone(values)
			for i, x := range summed {
				all[x.name] = l.B.Add(l.size(x.lo), in[i])
			}
			return l.value(k, s.value, c, all)
		})
		if s.op == "+=" {
			return l.Op2(algebra.OpAdd, l.at(before, c, at), sum)
		}
		return sum
	}
	if len(inside) == 0 {
		return value(c) // what was there before is not asked for: it may be unknown
	}
	return l.Inside(c, inside, l.at(before, c, at), value)
}

// value is that of n in statement k, with values for indices.
func (l *elements) value(k int, n *node, c *context, indices map[string]*expr) *scalar {
	var args []*scalar
	switch n.op {
	case '0':
		return l.literal(l.Elem(l.t.params[l.t.statements[k].target].elem), n.span.Text())
	case '(':
		at := make([]*expr, len(n.subs))
		for i, sub := range n.subs {
			at[i] = l.size(sub[""])
			for _, x := range l.t.statements[k].indices {
				if f, _ := sub[x.name].Const(); f.Sign() != 0 {
					at[i] = l.B.Add(at[i], l.B.Scale(algebra.BigNum(f), indices[x.name]))
				}
			}
		}
		return l.at(l.t.last(k, n.param), c, at)
	}
	for _, a := range n.args {
		args = append(args, l.value(k, a, c, indices))
	}
	switch n.op {
	case '~':
		return l.Neg(args[0])
	case '-':
		return l.Sub(args[0], args[1])
	case '*':
		return l.Op2(algebra.OpMul, args[0], args[1])
	}
	return l.Op2(algebra.OpAdd, args[0], args[1])
}

// literal is the number that a decimal spells, unless its exponent is out of hand.
func (l *elements) literal(elem domain.Elem, text string) *scalar {
	var v *big.Rat
	if i := strings.IndexAny(text, "eE"); i < 0 || len(text)-i <= 5 {
		v, _ = new(big.Rat).SetString(text)
	}
	return l.Literal(elem, text, v)
}
