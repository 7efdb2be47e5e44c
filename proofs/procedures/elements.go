package procedures

import (
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

// Elements states the elements of a program's parts. Written is what a language adds: an element of
// what a step writes to, after it. In signatures expr, context and scalar are the types of package
// algebra.
type Elements struct {
	*algebra.State
	Written func(step int, c *context, at []*expr) *scalar
	t       *Typing
	cuts    map[int]string
	memo    map[string]*scalar
	made    int
}

// maxElements bounds the elements that are stated: a chain of steps may read ever more.
const maxElements = 1 << 20

// Elements are those of a program without Written.
func (t *Typing) Elements(s *algebra.State, cuts map[int]string) *Elements {
	return &Elements{State: s, t: t, cuts: cuts, memo: map[string]*scalar{}}
}

// Forget implements algebra.Elements.
func (l *Elements) Forget() { clear(l.memo) }

// Fixed implements algebra.Elements: no step is a table.
func (l *Elements) Fixed(int) int { return 0 }

// At implements algebra.Elements.
func (l *Elements) At(part int, path []int, c *context, at []*expr) *scalar {
	if len(path) > 0 {
		part = l.t.last(len(l.t.Steps), l.t.written[path[0]])
	}
	return l.at(part, c, at)
}

// Before is an element of a parameter when a step begins.
func (l *Elements) Before(step, param int, c *context, at []*expr) *scalar {
	return l.at(l.t.last(step, param), c, at)
}

func (l *Elements) at(part int, c *context, at []*expr) *scalar {
	param := l.t.of(part)
	q, at := l.t.Params[param], slices.Clone(at)
	dims := make([]*expr, len(at))
	for i, d := range q.Dims {
		if dims[i] = l.Place(d); dims[i].Is(1) {
			at[i] = l.B.Const(0)
		}
	}
	if name, cut := l.cuts[part]; cut {
		return l.Read(name, dims, at, q.Elem, true) // it may have no value
	}
	if part < len(l.t.Params) {
		name := l.t.tensors[param].Name
		if name == "" {
			algebra.Fail(algebra.CodeStatement, "nothing is bound to %s, which is read", q.Name)
		}
		return l.Contents(name, dims, at, q.Elem)
	}
	key := l.Key(c, at, part)
	x := l.memo[string(key)]
	if x == nil {
		if l.made++; l.made > maxElements {
			algebra.Fail(algebra.CodeLimit, "more than %d elements are read", maxElements)
		}
		x = l.Written(part-len(l.t.Params), c, at)
		l.memo[string(key)] = x
	}
	return x
}

// Place is a size of the text.
func (l *Elements) Place(x domain.Size) *expr { return l.Size(l.t.Env.Size(x)) }

// Subscript is the value of one, with values for indices.
func (l *Elements) Subscript(sub Affine, values map[string]*expr) *expr {
	at := l.Place(sub[""])
	for _, name := range slices.Sorted(maps.Keys(sub)) {
		if f, _ := sub[name].Const(); name != "" && f.Sign() != 0 {
			at = l.B.Add(at, l.B.Scale(algebra.BigNum(f), values[name]))
		}
	}
	return at
}

// Inside is value where free indices, one for each axis, are in their ranges: that is what a step
// writes. Elsewhere it is what the parameter held before. The value of free[i] is at[i].
func (l *Elements) Inside(step int, free []*Index, c *context, at []*expr,
	value func(*context) *scalar) *scalar {
	var inside []*expr
	q := l.t.Params[l.t.Steps[step]]
	for i, e := range at {
		lo, hi := l.Place(free[i].Lo), l.Place(free[i].Hi)
		if !lo.Is(0) {
			inside = append(inside, l.B.Sub(e, lo))
		}
		if hi != l.Place(q.Dims[i]) {
			inside = append(inside, l.B.AddInt(l.B.Sub(hi, e), -1))
		}
	}
	if len(inside) == 0 {
		return value(c) // what was there before is not asked for: it may be unknown
	}
	return l.State.Inside(c, inside, l.Before(step, l.t.Steps[step], c, at), value)
}

// Sum is that of a body over the ranges of indices, with values for others. A range has no places
// where it is none: that is said whatever is known here, as the sum is asked about elsewhere too.
func (l *Elements) Sum(elem domain.Elem, over []*Index, values map[string]*expr,
	body func(map[string]*expr) *scalar) *scalar {
	var places []*expr
	for _, x := range over {
		n := l.B.Sub(l.Place(x.Hi), l.Place(x.Lo))
		places = append(places, l.B.Max(l.B.Root, l.B.Const(0), n))
	}
	return l.Reduce(algebra.FoldSum, l.Elem(elem), places, func(in []*expr) *scalar {
		all := maps.Clone(values)
		for i, x := range over {
			all[x.Name] = l.B.Add(l.Place(x.Lo), in[i])
		}
		return body(all)
	})
}

// Decimal is the number that one spells, unless its exponent is out of hand.
func (l *Elements) Decimal(elem domain.Elem, text string) *scalar {
	var v *big.Rat
	if i := strings.IndexAny(text, "eE"); i < 0 || len(text)-i <= 5 {
		v, _ = new(big.Rat).SetString(text)
	}
	return l.Literal(l.Elem(elem), text, v)
}

// Arithmetic is an operation that "+", "-", "*" and "~" of one operand write.
func (l *Elements) Arithmetic(op byte, args []*scalar) *scalar {
	switch op {
	case '~':
		return l.Neg(args[0])
	case '-':
		return l.Sub(args[0], args[1])
	case '*':
		return l.Op2(algebra.OpMul, args[0], args[1])
	}
	return l.Op2(algebra.OpAdd, args[0], args[1])
}
