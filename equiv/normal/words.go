package normal

import (
	"math/big"
	"slices"

	"tv/equiv/words"
	"tv/semantics/index"
	"tv/semantics/term"
)

// Integers of machine words, as functions of what no operation on words is known of: elements of tensors, sizes,
// folds. Where normal forms leave something, two elements are equal still if they have the same bits whatever the bits
// of these are.

// A reader makes words of terms.
type reader struct {
	*Engine
	words.Circuit
	known  map[termKey]*words.Node
	inputs map[input]*words.Node
	reads  map[*words.Node]*term.Term // inputs that are elements of tensors, and where
	folds  []fold
}

// An input is any number of a sort, one for each normal form; or whether a condition on sizes holds.
type input struct {
	poly      *Poly
	condition *index.Expr
	sort      term.Sort
}

// A fold of which nothing is known but its terms.
type fold struct {
	ctx  *index.Context
	t    *term.Term
	node *words.Node
}

// An Instance says for which values of elements two terms differ.
type Instance struct {
	Ctx    *index.Context
	Index  []*index.Expr // of the output
	Values []ElementValue
}

// An ElementValue is that of an element of a tensor.
type ElementValue struct {
	Read  *term.Term
	Value *big.Int
}

// byWords reports whether two terms have the same bits for all values of what they are made of. Where they have not, it
// says for which.
func (e *Engine) byWords(ctx *index.Context, at []*index.Expr, x, y *term.Term) (equal bool, apart *Instance) {
	if !isWord(x.Sort) || x.Sort != y.Sort {
		return false, nil
	}
	r := &reader{Engine: e, known: map[termKey]*words.Node{}, inputs: map[input]*words.Node{}, reads: map[*words.Node]*term.Term{}}
	a := r.Circuit.Compare(r.word(ctx, x), r.word(ctx, y), e.spend)
	if !a.Known || a.Equal {
		return a.Equal, nil
	}
	apart = &Instance{Ctx: ctx, Index: at}
	for n, v := range a.Witness {
		if t := r.reads[n]; t != nil {
			apart.Values = append(apart.Values, ElementValue{t, signed(v, t.Sort)})
		}
	}
	slices.SortFunc(apart.Values, func(v, w ElementValue) int { return v.Read.ID() - w.Read.ID() })
	return false, apart
}

// signed is the number of a sort that has the given bits.
func signed(bits uint64, s term.Sort) *big.Int {
	n := new(big.Int).SetUint64(bits)
	if s.Kind == term.Signed && n.Bit(s.Width-1) == 1 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(s.Width)))
	}
	return n
}

// isWord reports whether values of a sort are words: integers that wrap, and truth values.
func isWord(s term.Sort) bool { return wraps(s) && s.Width <= 64 || s == term.BoolSort }

// word is a term in a place.
func (r *reader) word(ctx *index.Context, t *term.Term) *words.Node {
	key := termKey{t.ID(), ctx.ID()}
	n := r.known[key]
	if n == nil {
		r.spend(1)
		if n = r.operation(ctx, t); n == nil {
			n = r.input(ctx, t)
		}
		r.known[key] = n
	}
	return n
}

// operation is a term that is an operation on words, else nil.
func (r *reader) operation(ctx *index.Context, t *term.Term) *words.Node {
	op := func(k words.Kind, sign bool, args ...*term.Term) *words.Node {
		nodes := make([]*words.Node, len(args))
		for i, a := range args {
			nodes[i] = r.word(ctx, a)
		}
		return r.Op(k, t.Sort.Width, sign, nodes...)
	}
	if n := literal(t); n != nil {
		return r.number(t.Sort, n)
	}
	for _, a := range t.Args {
		if t.Op != term.Reduce && t.Op != term.Gather && !isWord(a.Sort) {
			return nil
		}
	}
	switch t.Op {
	case term.Number:
		if n, ok := t.Index[0].Const(); ok {
			return r.number(t.Sort, n.Big())
		}
	case term.Add:
		return op(words.Plus, false, t.Args...)
	case term.Neg:
		return op(words.Minus, false, t.Args...)
	case term.Mul:
		return op(words.Times, false, t.Args...)
	case term.Convert:
		if t.Sort.Kind != term.Bool {
			return op(words.Fit, t.Args[0].Sort.Kind == term.Signed, t.Args...)
		}
	case term.Max, term.Min:
		return r.extreme(ctx, t)
	case term.If:
		return r.either(ctx, t)
	case term.Apply:
		return r.function(ctx, t, op)
	}
	return nil
}

func (r *reader) number(s term.Sort, n *big.Int) *words.Node {
	return r.Literal(s.Width, new(big.Int).And(n, new(big.Int).SetUint64(^uint64(0))).Uint64())
}

// extreme is a maximum or minimum; MIN is the least number of a sort with a sign.
func (r *reader) extreme(ctx *index.Context, t *term.Term) *words.Node {
	var args [2]*words.Node
	for i, a := range t.Args {
		if args[i] = r.number(a.Sort, integersOf(a.Sort).lo); a.Op != term.Lowest {
			args[i] = r.word(ctx, a)
		}
	}
	below := r.Op(words.Below, 1, t.Sort.Kind == term.Signed, args[0], args[1])
	if t.Op == term.Max {
		args[0], args[1] = args[1], args[0]
	}
	return r.Op(words.Pick, t.Sort.Width, false, below, args[0], args[1])
}

// either is one of two terms, as sizes and indices say.
func (r *reader) either(ctx *index.Context, t *term.Term) *words.Node {
	cond := r.b.Condition(t.Index[0])
	switch r.b.Decide(ctx, cond) {
	case index.True:
		return r.word(ctx, t.Args[0])
	case index.False:
		return r.word(ctx, t.Args[1])
	}
	not := r.b.AddInt(r.b.Scale(index.Int(-1), cond), -1)
	yes, no := r.word(r.b.Assume(ctx, cond), t.Args[0]), r.word(r.b.Assume(ctx, not), t.Args[1])
	return r.Op(words.Pick, t.Sort.Width, false, r.any(input{condition: cond, sort: term.BoolSort}), yes, no)
}

// bitwise are the functions of loops that are operations on words whatever the sign.
var bitwise = map[string]words.Kind{"c.and": words.Both, "c.or": words.Either, "c.xor": words.Differ, "c.eq": words.Alike,
	"c.choose": words.Pick}

// ordered are those that read a sign where their operands have one.
var ordered = map[string]words.Kind{"c.div": words.Over, "c.rem": words.Remainder, "c.lt": words.Below}

// shifts have a sign where what is shifted has one; by how much is of any sort.
var shifts = map[string]words.Kind{"c.shl": words.Up, "c.shr": words.Down, "left-shift": words.Up, "right-shift": words.Down}

// function is one of those that loops have.
func (r *reader) function(ctx *index.Context, t *term.Term, op func(words.Kind, bool, ...*term.Term) *words.Node) *words.Node {
	if len(t.Args) == 0 {
		return nil
	}
	sign := t.Args[0].Sort.Kind == term.Signed
	not := func(n *words.Node) *words.Node {
		return r.Op(words.Differ, t.Sort.Width, false, n, r.Literal(t.Sort.Width, ^uint64(0)))
	}
	if k, ok := bitwise[t.Name]; ok {
		return op(k, false, t.Args...)
	} else if k, ok := ordered[t.Name]; ok {
		return op(k, sign, t.Args...)
	} else if k, ok := shifts[t.Name]; ok && t.Sort.Width&(t.Sort.Width-1) == 0 {
		by := r.Op(words.Fit, t.Sort.Width, false, r.word(ctx, t.Args[1]))
		return r.Op(k, t.Sort.Width, sign && k == words.Down, r.word(ctx, t.Args[0]), by)
	}
	switch t.Name {
	case "c.not":
		return not(r.word(ctx, t.Args[0]))
	case "c.ne":
		return not(op(words.Alike, false, t.Args...))
	case "c.le":
		return not(op(words.Below, sign, t.Args[1], t.Args[0]))
	case "c.floordiv", "c.ceildiv":
		return r.rounded(t, op)
	}
	return nil
}

// literal is the integer of its sort that a term spells, as it is or as a real number that is converted; nil of others.
func literal(t *term.Term) *big.Int {
	c := t
	if t.Op == term.Convert && t.Args[0].Sort.Kind == term.Real {
		c = t.Args[0]
	}
	if c.Op != term.Const || c.Name != "" || !c.Value.IsInt() {
		return nil
	}
	n := c.Value.Num()
	if all := integersOf(t.Sort); wraps(t.Sort) && (n.Cmp(all.lo) < 0 || n.Cmp(all.hi) > 0) {
		return nil
	}
	return n
}

// rounded is a quotient rounded down or up: that towards 0, and 1 less or more where there is a rest and the quotient, which
// may be 0, is on that side.
func (r *reader) rounded(t *term.Term, op func(words.Kind, bool, ...*term.Term) *words.Node) *words.Node {
	sign, width := t.Sort.Kind == term.Signed, t.Sort.Width
	quotient, rest := op(words.Over, sign, t.Args...), op(words.Remainder, sign, t.Args...)
	zero, one := r.Literal(width, 0), r.Literal(1, 1)
	bit := func(k words.Kind, x, y *words.Node) *words.Node { return r.Op(k, 1, k == words.Below && sign, x, y) }
	toward := bit(words.Differ, bit(words.Below, rest, zero), bit(words.Below, op(words.Fit, sign, t.Args[1]), zero))
	more := ^uint64(0)
	if t.Name == "c.ceildiv" {
		toward, more = bit(words.Differ, toward, one), 1
	}
	inexact := bit(words.Differ, bit(words.Alike, rest, zero), one)
	return r.Op(words.Pick, width, false, bit(words.Both, inexact, toward),
		r.Op(words.Plus, width, false, quotient, r.Literal(width, more)), quotient)
}

// input is any number: the same for what has one normal form, and for folds of what has the same bits.
func (r *reader) input(ctx *index.Context, t *term.Term) *words.Node {
	if t.MayBeLowest() && t.Sort.Kind != term.Signed {
		panic(stop{ErrLowest})
	}
	key := input{poly: r.closeSum(ctx, r.normal(ctx, t)), sort: t.Sort}
	n := r.inputs[key]
	if n == nil && t.Op == term.Reduce {
		for _, other := range r.folds {
			if r.sameFold(ctx, t, other) {
				n = other.node
				r.inputs[key] = n
				break
			}
		}
	}
	if n == nil {
		n = r.any(key)
		if t.Op == term.Reduce {
			r.folds = append(r.folds, fold{ctx, t, n})
		}
	}
	if t.Op == term.Read {
		r.reads[n] = t
	}
	return n
}

// any is the input of a key.
func (r *reader) any(key input) *words.Node {
	n := r.inputs[key]
	if n == nil {
		n = r.Node(words.Node{Kind: words.Input, Bits: key.sort.Width, Number: uint64(len(r.inputs))})
		r.inputs[key] = n
	}
	return n
}

// sameFold reports whether a fold has the same terms as another, at the same places.
func (r *reader) sameFold(ctx *index.Context, t *term.Term, other fold) bool {
	u := other.t
	if ctx != other.ctx || t.Fold != u.Fold || t.Sort != u.Sort || !slices.Equal(t.Vars, u.Vars) {
		return false
	}
	a := r.Circuit.Compare(r.word(ctx, t.Args[0]), r.word(ctx, u.Args[0]), r.spend)
	return a.Equal && a.Known
}
