package algebra

import (
	"slices"
	"strings"

	"tv/proofs/words"
	"tv/semantics/domain"
)

// Elements that are integers of a fixed width, as functions of what no operation on bits is known
// of: elements of tensors, sizes, folds. Where two of these are one in closed form, they are one
// leaf; whatever values leaves have, the two functions have to have the same (doc/certificates.md
// 4.6).

// fixed reads scalars into words.
type fixed struct {
	*engine
	words.Program
	known  map[[2]int]int // by the scalar and the context
	leaves map[fixedLeaf]int
	folds  []fixedFold
}

// A fixedLeaf is what a leaf stands for: a closed form as a number of a type, or whether e >= 0.
type fixedLeaf struct {
	poly, condition int
	elem            domain.Elem
}

// A fixedFold is a leaf that is a fold, where it stands.
type fixedFold struct {
	c    *Context
	t    *Scalar
	word int
}

// sameFixed checks that two elements at c are equal whatever the values of their leaves are.
func (e *engine) sameFixed(c *Context, s, t *Scalar) {
	f := &fixed{engine: e, known: map[[2]int]int{}, leaves: map[fixedLeaf]int{}}
	if !f.has(s) || s.Elem != t.Elem {
		Fail(CodeGoal, "elements that are no integers of a fixed width")
	}
	x, y := f.word(c, s), f.word(c, t)
	switch same, known := f.Same(x, y, e.spend); {
	case !known:
		Fail(CodeLimit, "functions of %d bits take too much work to compare", f.Bits(x, y))
	case !same:
		Fail(CodeGoal, "the two sides are not equal for all values of their leaves")
	}
}

// has reports whether t is an integer of a width that words have, or a condition.
func (f *fixed) has(t *Scalar) bool {
	return isInteger(t.Elem) && t.Elem.Width <= 64 || t.Elem == Truth
}

// word returns the word that t is at c.
func (f *fixed) word(c *Context, t *Scalar) int {
	key := [2]int{t.id, c.ID}
	n, known := f.known[key]
	if !known {
		f.spend(1)
		if n = f.operation(c, t); n < 0 {
			n = f.leaf(c, t)
		}
		f.known[key] = n
	}
	return n
}

// operation is t as a word of others, or -1 where it is none.
func (f *fixed) operation(c *Context, t *Scalar) int {
	for _, a := range t.Args {
		if t.Op != OpReduce && t.Op != OpGather && !f.has(a) && a.Op != OpNumber {
			return -1
		}
	}
	ops := map[Op]words.Op{OpAdd: words.Add, OpNeg: words.Neg, OpMul: words.Mul}
	switch t.Op {
	case OpConst:
		if t.Val == nil || !t.Val.IsInt() {
			return -1
		}
		return f.number(t.Elem, BigNum(t.Val.Num()))
	case OpNumber:
		n, ok := t.E.Const()
		if !ok {
			return -1
		}
		return f.number(t.Elem, n)
	case OpAdd, OpNeg, OpMul:
		return f.of(c, words.Word{Op: ops[t.Op], Width: t.Elem.Width}, t.Args)
	case OpMax, OpMin:
		return f.extreme(c, t)
	case OpConvert:
		if t.Elem == Truth { // which is whether a number is not 0
			return -1
		}
		from := t.Args[0].Elem
		return f.of(c, words.Word{Op: words.Convert, Width: t.Elem.Width,
			Signed: from.Kind == domain.ElemInt}, t.Args)
	case OpApply:
		if t.Name != "right-shift" && t.Name != "left-shift" || f.partial(t) {
			return -1
		}
		k, _ := t.Args[1].E.Const()
		op := words.ShiftLeft
		if t.Name == "right-shift" {
			op = words.ShiftRight
		}
		return f.shift(op, t.Elem, f.word(c, t.Args[0]), f.number(t.Elem, k))
	case OpFunction:
		return f.function(c, t)
	case OpIf:
		return f.either(c, t)
	}
	return -1
}

// make returns a word whose operands have to be of the widths that it takes.
func (f *fixed) make(w words.Word) int {
	if !f.Typed(w) {
		Fail(CodeUnsupported, "an operation on bits of two widths")
	}
	return f.Make(w)
}

// of is a word of the words that scalars are.
func (f *fixed) of(c *Context, w words.Word, args []*Scalar) int {
	for i, a := range args {
		w.Args[i] = f.word(c, a)
	}
	return f.make(w)
}

// number is an integer modulo 2^width.
func (f *fixed) number(elem domain.Elem, n Num) int {
	_, rest := n.DivMod(BigNum(bigPower(elem.Width)))
	return f.make(words.Word{Op: words.Const, Width: elem.Width, Value: rest.Big().Uint64()})
}

// extreme is a maximum or minimum. The least number of a type with a sign is MIN.
func (f *fixed) extreme(c *Context, t *Scalar) int {
	var of [2]int
	for i, a := range t.Args {
		if of[i] = f.word(c, a); a.Op == OpLowest {
			least, _ := typeEnds(a.Elem)
			of[i] = f.number(a.Elem, BigNum(least))
		}
	}
	less := f.make(words.Word{Op: words.Less, Width: 1, Signed: t.Elem.Kind == domain.ElemInt,
		Args: [3]int{of[0], of[1]}})
	args := [3]int{less, of[1], of[0]}
	if t.Op == OpMin {
		args = [3]int{less, of[0], of[1]}
	}
	return f.make(words.Word{Op: words.Choose, Width: t.Elem.Width, Args: args})
}

// function is one of those that say their meaning by their names and the types of operands.
func (f *fixed) function(c *Context, t *Scalar) int {
	name, _, _ := strings.Cut(t.Name, " of ")
	w := words.Word{Width: t.Elem.Width, Signed: t.Args[0].Elem.Kind == domain.ElemInt}
	switch name {
	case Chosen:
		w.Op, w.Signed = words.Choose, false
	case Not:
		one := f.make(words.Word{Op: words.Const, Width: 1, Value: 1})
		x := f.word(c, t.Args[0])
		return f.make(words.Word{Op: words.Xor, Width: 1, Args: [3]int{one, x}})
	case Both:
		all := f.word(c, t.Args[0])
		for _, a := range t.Args[1:] {
			x := f.word(c, a)
			all = f.make(words.Word{Op: words.And, Width: 1, Args: [3]int{all, x}})
		}
		return all
	case Less:
		w.Op = words.Less
	case Equal:
		w.Op, w.Signed = words.Equal, false
	case Divided, DividedByData:
		w.Op = words.Div
	case RemainderByData:
		w.Op = words.Rem
	case BitAnd, BitOr, BitXor:
		w.Op = map[string]words.Op{BitAnd: words.And, BitOr: words.Or, BitXor: words.Xor}[name]
		w.Signed = false
	case ShiftByData:
		return f.shift(words.ShiftRight, t.Elem, f.word(c, t.Args[0]), f.word(c, t.Args[1]))
	case ShiftLeftByData:
		return f.shift(words.ShiftLeft, t.Elem, f.word(c, t.Args[0]), f.word(c, t.Args[1]))
	default:
		return -1
	}
	return f.of(c, w, t.Args)
}

// shift is x by as many bits as another word says, which may be of any width.
func (f *fixed) shift(op words.Op, elem domain.Elem, x, by int) int {
	if elem.Width&(elem.Width-1) != 0 {
		Fail(CodeUnsupported, "a shift of %d bits", elem.Width)
	}
	by = f.make(words.Word{Op: words.Convert, Width: elem.Width, Args: [3]int{by}})
	return f.make(words.Word{Op: op, Width: elem.Width, Args: [3]int{x, by},
		Signed: op == words.ShiftRight && elem.Kind == domain.ElemInt})
}

// either is one operand or the other, as sizes and indices say.
func (f *fixed) either(c *Context, t *Scalar) int {
	switch f.decide(c, t.E) {
	case yes:
		return f.word(c, t.Args[0])
	case no:
		return f.word(c, t.Args[1])
	}
	cond := f.stands(fixedLeaf{condition: t.E.ID + 1, elem: Truth})
	x, y := f.word(f.Assume(c, t.E), t.Args[0]), f.word(f.Assume(c, f.not(t.E)), t.Args[1])
	return f.make(words.Word{Op: words.Choose, Width: t.Elem.Width, Args: [3]int{cond, x, y}})
}

// leaf is any number, the same wherever the closed form is. What may be MIN is a number where the
// type has a sign.
func (f *fixed) leaf(c *Context, t *Scalar) int {
	x := f.normal(c, t)
	if t.Op != OpLowest && t.Elem.Kind != domain.ElemInt && f.mayBeLowest(x) {
		Fail(CodeUnsupported, "MIN as a number of %s", t.Elem)
	}
	key := fixedLeaf{poly: f.closeSum(c, x).id + 1, elem: t.Elem}
	n, known := f.leaves[key]
	switch {
	case known:
		return n
	case t.Op == OpReduce:
		for _, other := range f.folds {
			if f.sameFold(c, t, other) {
				f.leaves[key] = other.word
				return other.word
			}
		}
	}
	n = f.stands(key)
	if t.Op == OpReduce {
		f.folds = append(f.folds, fixedFold{c, t, n})
	}
	return n
}

// stands returns the leaf that stands for what the key says.
func (f *fixed) stands(key fixedLeaf) int {
	n, known := f.leaves[key]
	if !known {
		n = f.make(words.Word{Op: words.Leaf, Width: key.elem.Width, Value: uint64(len(f.leaves))})
		f.leaves[key] = n
	}
	return n
}

// sameFold reports whether a fold has the terms of another, at the same places, as functions of
// leaves of their own.
func (f *fixed) sameFold(c *Context, t *Scalar, other fixedFold) bool {
	u := other.t
	if other.c != c || t.Fold != u.Fold || t.Elem != u.Elem || !slices.Equal(t.Vars, u.Vars) {
		return false
	}
	x, y := f.word(c, t.Args[0]), f.word(c, u.Args[0])
	same, known := f.Same(x, y, f.spend)
	return same && known
}
