// Package term holds the scalar terms that elements of tensors are: what tv's engines reason about.
//
// It knows nothing of Glenside. A front end builds terms over the reads of its tensors; indices and sizes are
// expressions of package index.
//
//	Sort     what a term's values are: reals, bit-vectors, floats, custom number formats
//	Tensor   an input that terms read
//	Term     an operation on terms; equal terms of a Builder are one pointer
//	Shape    the dims of a tensor, and Array: a shape with a function from an index to a term (a pull array)
//	Builder  makes terms
package term

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"tv/internal/mix"
	"tv/semantics/index"
)

// SortKind is the family of a sort.
type SortKind uint8

const (
	Real     SortKind = iota // real numbers, and MIN below all of them
	Bool                     // Width 1
	Signed                   // bit-vector read as a signed number; arithmetic wraps
	Unsigned                 // bit-vector read as an unsigned number; arithmetic wraps
	Float                    // IEEE-754 binary of Width bits, round to nearest even; bfloat16 where Frac is 8
	Saturate                 // signed, saturating
	Fixed                    // signed fixed point with Frac fraction bits
	Adaptive                 // AdaptivFloat with Frac exponent bits
)

// A Sort is what a term's values are. It is comparable; the zero value is the reals.
type Sort struct {
	Kind        SortKind
	Width, Frac int // bits
}

// String prints "real", "signed8", "fixed20.14".
func (s Sort) String() string {
	name := [...]string{"real", "bool", "signed", "unsigned", "float", "saturate", "fixed", "adaptive", "memory"}[s.Kind]
	switch {
	case s.Kind == Real || s.Kind == Bool:
		return name
	case s.Kind == Float && s.Frac != 0:
		return "bfloat16"
	case s.Frac != 0:
		return fmt.Sprintf("%s%d.%d", name, s.Width, s.Frac)
	}
	return fmt.Sprintf("%s%d", name, s.Width)
}

// A Tensor is an input: its name, dims and the sort of its elements.
type Tensor struct {
	ID   int // in the order of declaration; the same tensor of both programs is one
	Name string
	Dims []*index.Expr
	Sort Sort
	// Partial is set where the elements are results that nothing is known of, not even that they have a value.
	Partial bool
	// Limit is what no element is beyond, above 0 or below; nil if nothing is known.
	Limit *big.Rat
}

// Op is the operation of a term.
type Op uint8

const (
	Const   Op = iota // Value
	Lowest            // MIN: the identity of max
	Number            // the integer Index[0], as a value
	Read              // Tensor at Index
	Add               // Args[0] + Args[1]
	Mul               // Args[0] · Args[1]
	Div               // Args[0] / Args[1]; undefined where Args[1] is 0
	Neg               // -Args[0]
	Max               // the greater of Args[0] and Args[1]; of equal ones the first
	Min               // the smaller of Args[0] and Args[1]; of equal ones the first
	Apply             // the function Name of Args; see Functions
	Reduce            // Fold of Args[0] over Vars, the last varying fastest
	If                // Args[0] where Index[0] >= 0, else Args[1]; only the one taken need be defined
	Gather            // Args[0] with Vars[0] replaced by the value of Args[1]; undefined where that is outside Vars[0]'s range
	Convert           // Args[0] converted to Sort
)

// Fold is the operation of a Reduce.
type Fold uint8

const (
	Sum     Fold = iota // of nothing: 0
	Product             // of nothing: 1
	Maximum             // of nothing: MIN
)

// A Term is an operation on terms. Terms are immutable; those of one Builder are equal exactly when their
// pointers are.
type Term struct {
	id      int
	Op      Op
	Fold    Fold
	lowest  bool // may be MIN
	partial bool // may have no value
	Sort    Sort
	Args    []*Term
	Index   []*index.Expr
	Vars    []*index.Atom
	Tensor  *Tensor
	Name    string
	Value   *big.Rat

	depths uint64 // at which variables of Bound are bound inside
	hash   uint64
	next   *Term // of the same bucket
}

// ID numbers terms in the order of their making.
func (t *Term) ID() int { return t.id }

// MayBeLowest reports whether the value of t can be MIN.
func (t *Term) MayBeLowest() bool { return t.lowest }

// MayBePartial reports whether t holds an operation that may have no value: a division, function, conversion or gather,
// the read of a partial tensor, or one with an operand that may be MIN.
func (t *Term) MayBePartial() bool { return t.partial }

// Functions that Apply knows by name. Any other name is uninterpreted.
const (
	Exp  = "exp"
	Log  = "log"  // undefined at numbers that are not positive
	Sqrt = "sqrt" // undefined at negative numbers
	Erf  = "erf"

	NoValue = "no value" // of nothing: it has none, in any sort
)

// A Builder owns the terms of one question and is not safe for concurrent use.
type Builder struct {
	Index   *index.Builder
	buckets []*Term // by the low bits of a hash; their number is a power of two, at least that of the terms
	count   int
	tensors map[string]*Tensor
	ends    map[endKey]*big.Rat
	noted   map[endKey]bool // by limitedBy
	limited map[string]bool // tensors: see Limited
	bound   map[bound]*index.Atom
	depths  map[*index.Atom]uint64 // of the variables of Bound, as a set of one
	most    int                    // terms that it may make, or 0
	ended   func() error
}

// ErrTerms says that a builder has made as many terms as it may.
var ErrTerms = errors.New("too many terms")

// Ended is the panic that ends the making of terms.
type Ended struct{ Err error }

// pollEvery is the number of terms after which it is asked again whether to go on.
const pollEvery = 1 << 10

// Limit has the builder panic with [Ended] after so many terms (0: any number), or soon after ended returns an error. Arrays make
// their terms where they are read: whoever reads them recovers.
func (b *Builder) Limit(most int, ended func() error) { b.most, b.ended = most, ended }

// counted counts a term that is made.
func (b *Builder) counted() {
	b.count++
	if b.most > 0 && b.count > b.most {
		panic(Ended{ErrTerms})
	}
	if b.ended != nil && b.count%pollEvery == 0 {
		if err := b.ended(); err != nil {
			panic(Ended{err})
		}
	}
}

// firstBuckets is the number of buckets of a new builder.
const firstBuckets = 1 << 6

// A bound names the variable of a fold.
type bound struct{ depth, size int }

// NewBuilder returns an empty builder.
func NewBuilder() *Builder {
	return &Builder{Index: index.NewBuilder(), buckets: make([]*Term, firstBuckets), tensors: map[string]*Tensor{},
		ends: map[endKey]*big.Rat{}, noted: map[endKey]bool{}, limited: map[string]bool{}, bound: map[bound]*index.Atom{}, depths: map[*index.Atom]uint64{}}
}

// Bound returns the variable of a fold over size places inside depth others: folds that differ in nothing else are
// one term. A term that is made outside of a fold must not be used inside, where its variables may be those of the
// fold: Reduce panics.
func (b *Builder) Bound(depth int, size *index.Expr) *index.Atom {
	key := bound{depth, size.ID()}
	v := b.bound[key]
	if v == nil {
		v = b.Index.NewVar("k", b.Index.Const(0), size)
		if depth < 64 { // deeper ones are always new
			b.bound[key], b.depths[v] = v, 1<<depth
		}
	}
	return v
}

// Terms counts the distinct terms made.
func (b *Builder) Terms() int { return b.count }

// Input returns the tensor of the given name; the first use of a name fixes dims and sort.
func (b *Builder) Input(name string, dims []*index.Expr, sort Sort) *Tensor {
	t := b.tensors[name]
	if t == nil {
		t = &Tensor{ID: len(b.tensors), Name: name, Dims: dims, Sort: sort}
		b.tensors[name] = t
	}
	return t
}

// hashMask keeps all bits of a hash: a hash only finds the bucket. A test takes them away.
var hashMask = ^uint64(0)

// mk returns the term that t describes.
func (b *Builder) mk(t Term) *Term {
	h := t.hashed()
	if o := b.find(h, &t); o != nil {
		return o
	}
	kept := t
	b.keep(&kept, h)
	return &kept
}

// hashed returns the hash of what t describes.
func (t *Term) hashed() uint64 {
	h := mix.Word(uint64(t.Op)<<8|uint64(t.Fold), uint64(t.Sort.Kind)<<40|uint64(t.Sort.Width)<<20|uint64(t.Sort.Frac))
	for _, a := range t.Args {
		h = mix.Word(h, uint64(a.id))
	}
	for _, e := range t.Index {
		h = mix.Word(h, uint64(e.ID()))
	}
	for _, v := range t.Vars {
		h = mix.Word(h, uint64(v.ID()))
	}
	if t.Tensor != nil {
		h = mix.Word(h, uint64(t.Tensor.ID))
	}
	h = mix.String(h, t.Name)
	if t.Value != nil {
		h = mix.Word(h, uint64(len(t.Value.Num().Bits())))
		for _, w := range t.Value.Num().Bits() {
			h = mix.Word(h, uint64(w))
		}
	}
	return h & hashMask
}

// find returns the term that t describes, whose hash is h, or nil.
func (b *Builder) find(h uint64, t *Term) *Term {
	for o := b.buckets[h&uint64(len(b.buckets)-1)]; o != nil; o = o.next {
		if o.hash == h && same(o, t) {
			return o
		}
	}
	return nil
}

// keep makes t a term of the builder, which has none like it; its hash is h.
func (b *Builder) keep(t *Term, h uint64) {
	if b.counted(); b.count > len(b.buckets) {
		b.grow()
	}
	at := h & uint64(len(b.buckets)-1)
	t.id, t.hash, t.next = b.count, h, b.buckets[at]
	t.partial = t.Op == Div || t.Op == Apply || t.Op == Convert || t.Op == Gather || t.Op == Read && t.Tensor.Partial
	for _, a := range t.Args {
		t.partial = t.partial || a.partial || a.lowest
		t.depths |= a.depths
	}
	b.buckets[at] = t
}

// grow doubles the number of buckets.
func (b *Builder) grow() {
	old := b.buckets
	b.buckets = make([]*Term, 2*len(old))
	for _, t := range old {
		for t != nil {
			next, at := t.next, t.hash&uint64(len(b.buckets)-1)
			t.next, b.buckets[at] = b.buckets[at], t
			t = next
		}
	}
}

func same(x, y *Term) bool {
	if x.Op != y.Op || x.Fold != y.Fold || x.Sort != y.Sort || x.Tensor != y.Tensor || x.Name != y.Name ||
		len(x.Args) != len(y.Args) || len(x.Index) != len(y.Index) || len(x.Vars) != len(y.Vars) {
		return false
	}
	for i := range x.Args {
		if x.Args[i] != y.Args[i] {
			return false
		}
	}
	for i := range x.Index {
		if x.Index[i] != y.Index[i] {
			return false
		}
	}
	for i := range x.Vars {
		if x.Vars[i] != y.Vars[i] {
			return false
		}
	}
	return x.Value == y.Value || x.Value != nil && y.Value != nil && x.Value.Cmp(y.Value) == 0
}

// Const returns the number v, which must not change afterwards.
func (b *Builder) Const(s Sort, v *big.Rat) *Term { return b.mk(Term{Op: Const, Sort: s, Value: v}) }

// Int returns the integer n.
func (b *Builder) Int(s Sort, n int64) *Term { return b.Const(s, new(big.Rat).SetInt64(n)) }

// Special returns a constant that no rational is: "-0", "inf", "-inf", "nan" of a float sort.
func (b *Builder) Special(s Sort, name string) *Term {
	return b.mk(Term{Op: Const, Sort: s, Name: name})
}

// Lowest returns MIN.
func (b *Builder) Lowest(s Sort) *Term { return b.mk(Term{Op: Lowest, Sort: s, lowest: true}) }

// Number returns the integer e as a value, converted to the sort.
func (b *Builder) Number(s Sort, e *index.Expr) *Term {
	if n, ok := e.Const(); ok {
		return b.Const(s, new(big.Rat).SetInt(n.Big()))
	}
	return b.mk(Term{Op: Number, Sort: s, Index: []*index.Expr{e}})
}

// Read returns the element of t at an index, one expression an axis.
func (b *Builder) Read(t *Tensor, at []*index.Expr) *Term {
	return b.mk(Term{Op: Read, Sort: t.Sort, Tensor: t, Index: at})
}

// Reads returns the elements of t at many indices, which follow each other in at, so many expressions each: the terms lie side by side in memory.
func (b *Builder) Reads(t *Tensor, rank int, at []*index.Expr) []*Term {
	terms := make([]Term, len(at)/rank)
	reads := make([]*Term, len(terms))
	for i := range terms {
		x := &terms[i]
		x.Op, x.Sort, x.Tensor, x.Index = Read, t.Sort, t, at[i*rank:(i+1)*rank:(i+1)*rank]
		h := x.hashed()
		if reads[i] = b.find(h, x); reads[i] == nil {
			b.keep(x, h)
			reads[i] = x
		}
	}
	return reads
}

// InRows tells whether elements of two tensors are the same by their offsets alone: by their ranks, or as both have as many.
func (b *Builder) InRows(x, y []*index.Expr) bool {
	if len(x) != len(y) || slices.Equal(x, y) {
		return len(x) != len(y)
	}
	m, n := b.Index.Const(1), b.Index.Const(1)
	for i := range x {
		m, n = b.Index.Mul(m, x[i]), b.Index.Mul(n, y[i])
	}
	return m == n
}

// Reshaped is the index, among other dims, of the element that is at an index among some: row by row both have the same.
func (b *Builder) Reshaped(ctx *index.Context, at, from, to []*index.Expr) []*index.Expr {
	x := b.Index
	offset := x.Const(0)
	for i, d := range from {
		offset = x.Add(x.Mul(offset, d), at[i])
	}
	out := make([]*index.Expr, len(to))
	for i := len(to) - 1; i > 0; i-- {
		out[i], offset = x.Mod(ctx, offset, to[i]), x.Div(ctx, offset, to[i])
	}
	if len(to) > 0 {
		out[0] = offset
	}
	return out
}

func (b *Builder) binary(op Op, x, y *Term) *Term {
	if x.Sort != y.Sort {
		panic(fmt.Sprintf("term: %v of %v and %v", op, x.Sort, y.Sort))
	}
	t := Term{Op: op, Sort: x.Sort, Args: []*Term{x, y}}
	switch op {
	case Max:
		t.lowest = x.lowest && y.lowest
	case Min:
		t.lowest = x.lowest || y.lowest
	}
	return b.mk(t)
}

// Add returns x + y. Sorts: equal, the result's too. It panics if they differ; so do the other operations.
func (b *Builder) Add(x, y *Term) *Term { return b.binary(Add, x, y) }

// Mul returns x · y.
func (b *Builder) Mul(x, y *Term) *Term { return b.binary(Mul, x, y) }

// Div returns x / y.
func (b *Builder) Div(x, y *Term) *Term { return b.binary(Div, x, y) }

// Neg returns -x.
func (b *Builder) Neg(x *Term) *Term { return b.mk(Term{Op: Neg, Sort: x.Sort, Args: []*Term{x}}) }

// Sub returns x + (-y).
func (b *Builder) Sub(x, y *Term) *Term { return b.Add(x, b.Neg(y)) }

// Max returns the greater of x and y, of equal ones x.
func (b *Builder) Max(x, y *Term) *Term { return b.extreme(Max, least, x, y) }

// Min returns the smaller of x and y, of equal ones x.
func (b *Builder) Min(x, y *Term) *Term { return b.extreme(Min, greatest, x, y) }

func (b *Builder) extreme(o Op, e end, x, y *Term) *Term {
	switch {
	case b.settles(e, x, y):
		return y
	case b.settles(e, y, x):
		return x
	}
	return b.binary(o, x, y)
}

// Apply returns the function name of args, a value of sort s.
func (b *Builder) Apply(s Sort, name string, args ...*Term) *Term {
	return b.mk(Term{Op: Apply, Sort: s, Name: name, Args: args})
}

// Reduce returns the fold of body over vars, the last varying fastest; vars occur in the result bound.
func (b *Builder) Reduce(f Fold, vars []*index.Atom, body *Term) *Term {
	if len(vars) == 0 {
		return body
	}
	// an empty max is MIN, and a sum or product of one place is that place
	lowest := body.lowest
	if f == Maximum && lowest {
		lowest = !b.somewhereNumber(vars, body)
	}
	for _, v := range vars {
		if f == Maximum && !b.Index.Nonneg(b.Index.Root(), b.Index.AddInt(b.Index.Sub(v.Hi, v.Lo), -1)) {
			lowest = true
		}
	}
	var depths uint64
	for _, v := range vars {
		depths |= b.depths[v]
	}
	if depths&body.depths != 0 {
		panic("term: a fold inside a fold has the same variable")
	}
	return b.mk(Term{Op: Reduce, Fold: f, Sort: body.Sort, Vars: vars, Args: []*Term{body}, lowest: lowest,
		depths: depths})
}

// mostWitnesses bounds the places of a maximum that are tried for one that is a number: those of windows of 8 by 8.
const mostWitnesses = 64

// somewhereNumber reports whether a place that is surely among those of vars has a body that is not MIN: then the maximum is not
// either (law (M2)). So is that of a window at the border of an image, which has a place within.
func (b *Builder) somewhereNumber(vars []*index.Atom, body *Term) bool {
	root, x := b.Index.Root(), b.Index
	count := 1
	extents := make([]int, len(vars))
	for i, v := range vars {
		n, fixed := x.Sub(v.Hi, v.Lo).Const()
		extent, small := n.Int64()
		if _, placed := v.Lo.Const(); !placed || !fixed || !small || extent < 1 || extent > mostWitnesses {
			return false
		}
		extents[i] = int(extent)
		if count *= extents[i]; count > mostWitnesses {
			return false
		}
	}
	var lowest func(t *Term, place map[*index.Atom]*index.Expr) bool
	lowest = func(t *Term, place map[*index.Atom]*index.Expr) bool {
		if t.Op != If || !t.lowest {
			return t.lowest
		}
		switch x.Decide(root, x.Subst(root, t.Index[0], place)) {
		case index.True:
			return lowest(t.Args[0], place)
		case index.False:
			return lowest(t.Args[1], place)
		}
		return lowest(t.Args[0], place) || lowest(t.Args[1], place)
	}
	for k := range count {
		place := map[*index.Atom]*index.Expr{}
		for i, v := range vars {
			place[v] = x.AddInt(v.Lo, int64(k%extents[i]))
			k /= extents[i]
		}
		if !lowest(body, place) {
			return true
		}
	}
	return false
}

// If returns x where cond >= 0, else y.
func (b *Builder) If(cond *index.Expr, x, y *Term) *Term {
	if x.Sort != y.Sort {
		panic(fmt.Sprintf("term: if of %v and %v", x.Sort, y.Sort))
	}
	if n, ok := cond.Const(); ok {
		if n.Sign() >= 0 {
			return x
		}
		return y
	}
	if x == y {
		return x
	}
	return b.mk(Term{Op: If, Sort: x.Sort, Index: []*index.Expr{cond}, Args: []*Term{x, y}, lowest: x.lowest || y.lowest})
}

// Gather returns body with v replaced by the value of at.
func (b *Builder) Gather(v *index.Atom, body, at *Term) *Term {
	return b.mk(Term{Op: Gather, Sort: body.Sort, Vars: []*index.Atom{v}, Args: []*Term{body, at}, lowest: body.lowest})
}

// Convert returns x converted to s.
func (b *Builder) Convert(s Sort, x *Term) *Term {
	if x.Sort == s {
		return x
	}
	return b.mk(Term{Op: Convert, Sort: s, Args: []*Term{x}})
}

// String prints the term as a formula, for messages: "sum(k < 4) A[i, k]·B[k, j]".
func (t *Term) String() string {
	if t.Op.IsBits() {
		return t.bitsString()
	}
	switch t.Op {
	case Const:
		if t.Name != "" {
			return t.Name
		}
		return t.Value.RatString()
	case Lowest:
		return "MIN"
	case Number:
		return t.Index[0].String()
	case Read:
		return t.Tensor.Name + "[" + join(t.Index) + "]"
	case Add:
		return t.Args[0].String() + " + " + t.Args[1].String()
	case Mul:
		return t.Args[0].factor() + "·" + t.Args[1].factor()
	case Div:
		return t.Args[0].factor() + "/" + t.Args[1].factor()
	case Neg:
		return "-" + t.Args[0].factor()
	case Max, Min, Apply:
		name := t.Name
		if t.Op != Apply {
			name = [...]string{"max", "min"}[t.Op-Max]
		}
		args := make([]string, len(t.Args))
		for i, a := range t.Args {
			args[i] = a.String()
		}
		return name + "(" + strings.Join(args, ", ") + ")"
	case Reduce:
		vars := make([]string, len(t.Vars))
		for i, v := range t.Vars {
			vars[i] = v.Name + " < " + v.Hi.String()
		}
		return [...]string{"sum", "product", "max"}[t.Fold] + "(" + strings.Join(vars, ", ") + ") " + t.Args[0].factor()
	case If:
		return "if(" + t.Index[0].String() + " >= 0, " + t.Args[0].String() + ", " + t.Args[1].String() + ")"
	case Gather:
		return "gather(" + t.Vars[0].Name + " = " + t.Args[1].String() + ") " + t.Args[0].factor()
	}
	return t.Sort.String() + "(" + t.Args[0].String() + ")"
}

// Short is String for messages about terms that may be huge: parts below the given depth, and arguments after the
// sixth, are printed as "...".
func (t *Term) Short(depth int) string { return t.prune(depth).String() }

func (t *Term) prune(depth int) *Term {
	rest := &Term{Op: Const, Name: "..."}
	switch {
	case len(t.Args) == 0:
		return t
	case depth == 0:
		return rest
	}
	u := *t
	u.Args = nil
	for i, a := range t.Args {
		if i == 6 {
			u.Args = append(u.Args, rest)
			break
		}
		u.Args = append(u.Args, a.prune(depth-1))
	}
	return &u
}

func (t *Term) factor() string {
	switch t.Op {
	case Add, Neg, Reduce, Div:
		return "(" + t.String() + ")"
	}
	return t.String()
}

func join(es []*index.Expr) string {
	s := make([]string, len(es))
	for i, e := range es {
		s[i] = e.String()
	}
	return strings.Join(s, ", ")
}

// An Array is a tensor as a shape and a function from an index to a term: a pull array. Element may be asked
// at any index within the shape, one expression an axis; ctx is what is known there.
type Array struct {
	Dims    []*index.Expr
	Split   int // Dims[:Split] are the access dims
	Sort    Sort
	Element func(ctx *index.Context, at []*index.Expr) *Term
}
