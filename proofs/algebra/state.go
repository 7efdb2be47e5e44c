package algebra

import (
	"encoding/binary"
	"math/big"
	"slices"
	"strings"

	"tv/semantics/domain"
)

type Op uint8

const (
	OpConst    Op = iota // val, or a special number called name
	OpLowest             // MIN
	OpNumber             // the integer e
	OpRead               // the element of tensor name at row-major offset e
	OpAdd                // the operands may be exchanged; in floats they do not re-associate
	OpNeg                // of one operand
	OpMul                //
	OpDiv                //
	OpMax                //
	OpMin                //
	OpApply              // the function name
	OpConvert            // to elem
	OpReduce             // fold of the operand over vars, in row-major order of vars
	OpIf                 // the first operand where e >= 0, else the second
	OpGather             // the first operand with vars[0] replaced by the value of the second
	OpFunction           // the function name: see State.Function
)

type Fold uint8

const (
	FoldSum Fold = iota
	FoldProduct
	FoldMax
)

// A term is a scalar expression: the statement before any law is applied to it.
type Scalar struct {
	id    int
	Op    Op
	Fold  Fold
	Name  string
	Val   *big.Rat
	E     *Expr
	Vars  []*Atom
	Args  []*Scalar
	Elem  domain.Elem // the zero value of real numbers
	limit *big.Rat    // of contents: how far from 0 they are at most; nil if unknown
	asks  bool        // may hold an operation that asks something of values
	part  bool        // may have no value for some contents
	plain bool        // a polynomial of elements, without cases
	binds uint64      // the depths at which variables are bound inside, as a set
}

// A State makes the terms of one program of a statement.
type State struct {
	B     *Builder
	Arith domain.Arith
	Size  func(domain.Size) *Expr
	Terms *terms
	Bound int // variables of the folds around the element that is asked for
}

// Terms holds what two lowerings share: equal terms are the same pointer, and a variable of a fold
// is named by how many are bound around it, so that folds that differ in nothing are one term.
type terms struct {
	known  map[string]*Scalar
	vars   map[[2]int]*Atom // by the number of variables around and the ID of the size
	depths map[*Atom]uint64 // that number, as a set of one
	key    []byte
}

func NewTerms() *terms {
	return &terms{known: map[string]*Scalar{}, vars: map[[2]int]*Atom{}, depths: map[*Atom]uint64{}}
}

func (l *State) Make(t Scalar) *Scalar {
	key := t.key(l.Terms.key[:0])
	l.Terms.key = key
	if known := l.Terms.known[string(key)]; known != nil {
		return known
	}
	t.id = len(l.Terms.known) + 1
	l.Terms.known[string(key)] = &t
	switch t.Op {
	case OpConst:
		t.asks = t.Val == nil
	case OpRead: // where it says so itself
	case OpNumber, OpAdd, OpNeg, OpMul, OpIf, OpReduce, OpFunction:
		t.asks = t.Op == OpReduce && t.Fold == FoldMax
	default:
		t.asks = true
	}
	t.plain = t.Op <= OpMul || t.Op == OpReduce && t.Fold == FoldSum
	t.part = t.partial()
	for _, a := range t.Args {
		t.asks = t.asks || a.asks
		t.part = t.part || a.part
		t.plain = t.plain && a.plain
		t.binds |= a.binds
	}
	for _, v := range t.Vars {
		depth := l.Terms.depths[v]
		if t.binds&depth != 0 {
			Fail(CodeUnsupported, "a variable is bound twice")
		}
		t.binds |= depth
	}
	return &t
}

// key appends what tells t from other terms.
func (t *Scalar) key(k []byte) []byte {
	val := ""
	if t.Val != nil {
		val = t.Val.RatString()
	}
	number := func(n int) { k = binary.AppendUvarint(k, uint64(n)) }
	k = append(k, byte(t.Op), byte(t.Fold), byte(t.Elem.Kind))
	for _, n := range []int{t.Elem.Width, t.Elem.Frac, len(t.Vars), len(t.Args), len(val),
		len(t.Name)} {
		number(n)
	}
	k = append(append(k, val...), t.Name...)
	if t.E != nil {
		number(t.E.ID + 1)
	}
	for _, v := range t.Vars {
		number(v.ID)
	}
	for _, a := range t.Args {
		number(a.id)
	}
	return k
}

// Elem is the sort of the elements of a tensor: its type, or that of the real numbers.
func (l *State) Elem(t domain.Elem) domain.Elem {
	if l.Arith.Bits(t) {
		return t
	}
	return domain.Elem{}
}

// IsReal reports whether a sort is that of the real numbers.
func IsReal(sort domain.Elem) bool { return sort == domain.Elem{} }

// isFloat reports whether a sort is one of floats, bit for bit.
func isFloat(sort domain.Elem) bool { return sort.Kind == domain.ElemFloat && !IsReal(sort) }

// Read is the element of a tensor of the dims given. Where it asks, it may have no value.
func (l *State) Read(name string, dims, at []*Expr, elem domain.Elem, asks bool) *Scalar {
	offset := l.B.Const(0)
	for i, d := range dims {
		offset = l.B.Add(l.B.Mul(offset, d), at[i])
	}
	return l.Make(Scalar{Op: OpRead, Name: name, E: offset, Elem: l.Elem(elem), asks: asks})
}

// Contents is the element of a tensor that is given: of floats a number between the ends of their
// type, where they are no real numbers by wish.
func (l *State) Contents(name string, dims, at []*Expr, elem domain.Elem) *Scalar {
	x := l.Read(name, dims, at, elem, false)
	if l.Arith == domain.Auto {
		x.limit = elem.Greatest()
	}
	return x
}

// none begins the names of what has no value.
const none = Derived + "no value of "

// None is an element that has no value. Where it is one of BEFORE nothing is said of AFTER's.
func (l *State) None(elem domain.Elem) *Scalar {
	return l.Read(none+elem.String(), nil, nil, elem, true)
}

func (t *Scalar) none() bool { return t.Op == OpRead && strings.HasPrefix(t.Name, none) }

// Key tells an element of a part from others: by its index, context and the variables around it.
func (l *State) Key(c *Context, at []*Expr, part int, path ...int) []byte {
	key := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(c.ID)), uint64(l.Bound))
	for _, n := range append(path[:len(path):len(path)], part) {
		key = binary.AppendUvarint(key, uint64(n))
	}
	for _, e := range at {
		key = binary.AppendUvarint(key, uint64(e.ID))
	}
	return key
}

func (l *State) Constant(elem domain.Elem, v *big.Rat) *Scalar {
	return l.Make(Scalar{Op: OpConst, Val: v, Elem: elem})
}

func (l *State) Int(elem domain.Elem, n int64) *Scalar {
	return l.Constant(elem, big.NewRat(n, 1))
}

// Literal returns the number that a literal spells: v, or nil where that cannot be written down.
// Of those that a type has not, nothing is known but that one spelling has one value, if any.
func (l *State) Literal(elem domain.Elem, text string, v *big.Rat) *Scalar {
	switch {
	case v == nil && !strings.Contains(strings.ToLower(text), "inf"):
		Fail(CodeUnsupported, "the number %s is out of range", text)
	case v == nil, !IsReal(elem) && (v.Sign() == 0 && strings.HasPrefix(text, "-") ||
		!holds(elem, v)):
		name := strings.TrimPrefix(strings.ToLower(text), "+")
		return l.Make(Scalar{Op: OpConst, Name: strings.TrimSuffix(name, "inity"), Elem: elem})
	}
	return l.Constant(elem, v)
}

// holds reports whether a type has v or, where literals are rounded, a number that v becomes.
func holds(elem domain.Elem, v *big.Rat) bool {
	bits := v.Num().BitLen()
	switch elem.Kind {
	case domain.ElemInt:
		if v.Sign() < 0 {
			bits = new(big.Int).Not(v.Num()).BitLen() // of -1 - v
		}
		return v.IsInt() && bits < elem.Width
	case domain.ElemUint, domain.ElemBool:
		return v.IsInt() && v.Sign() >= 0 && bits <= elem.Width
	case domain.ElemFix: // the integers on both sides of v·2^Frac
		n := new(big.Int).Mul(v.Num(), bigPower(elem.Frac))
		low, rest := n.DivMod(n, v.Denom(), new(big.Int))
		high := new(big.Int).Add(low, big.NewInt(int64(rest.Sign())))
		whole := domain.Elem{Kind: domain.ElemInt, Width: elem.Width}
		return holds(whole, new(big.Rat).SetInt(low)) && holds(whole, new(big.Rat).SetInt(high))
	}
	return true
}

// only says which kinds of elements have a function, bit for bit: elements of others have none, and
// a statement about them is refused. What is not listed all have, and real numbers have everything.
var only = map[string][]domain.ElemKind{
	"exp": {domain.ElemFloat}, "log": {domain.ElemFloat}, "erf": {domain.ElemFloat},
	"sigmoid": {domain.ElemFloat}, "tanh": {domain.ElemFloat},
	"left-shift": shifted, "right-shift": shifted,
}

var shifted = []domain.ElemKind{domain.ElemInt, domain.ElemUint, domain.ElemBool, domain.ElemSat,
	domain.ElemFix}

func (l *State) Apply(like *Scalar, name string, args ...*Scalar) *Scalar {
	kinds, listed := only[name]
	if listed && !IsReal(like.Elem) && !slices.Contains(kinds, like.Elem.Kind) {
		Fail(CodeStatement, "%s has no %s", like.Elem, name)
	}
	return l.Make(Scalar{Op: OpApply, Name: name, Args: args, Elem: like.Elem})
}

func (l *State) Op2(o Op, x, y *Scalar) *Scalar {
	if o == OpMax || o == OpMin {
		for _, p := range [][2]*Scalar{{x, y}, {y, x}} {
			looks := maxLooks
			if c := number(p[0]); c != nil && l.within(p[1], c, o == OpMax, &looks) {
				return p[1]
			}
		}
	}
	return l.Make(Scalar{Op: o, Args: []*Scalar{x, y}, Elem: x.Elem})
}

// number is the one that x is, as it is or in the mirror of an integer, else nil.
func number(x *Scalar) *big.Rat {
	if x.Op == OpNeg && x.Args[0].Op == OpAdd {
		one, other := number(x.Args[0].Args[0]), number(x.Args[0].Args[1])
		if one == nil || other == nil || x.Elem.Kind != domain.ElemInt || !holds(x.Elem, other) {
			return nil
		}
		if sum := new(big.Rat).Add(one, other); holds(x.Elem, new(big.Rat).Neg(sum)) {
			return sum.Neg(sum)
		}
	}
	if x.Op == OpNeg && x.Args[0].Op == OpConst && x.Args[0].Val != nil && IsReal(x.Elem) {
		return new(big.Rat).Neg(x.Args[0].Val)
	}
	if x.Op != OpConst {
		return nil
	}
	return x.Val
}

// maxLooks bounds the operands that one bound is looked for in: terms are graphs, and not trees.
const maxLooks = 256

// within reports whether all values of x are at least c (or at most, if not least), none of them
// MIN: by its type, if that has a sign, or as contents. A fold is, over places that are surely
// there, if its terms are. What takes too many looks is not known.
func (l *State) within(x *Scalar, c *big.Rat, least bool, looks *int) bool {
	sign := big.NewRat(1, 1)
	for {
		*looks--
		switch {
		case *looks < 0:
			return false
		case x.Op == OpReduce && x.Fold == FoldMax:
			for _, v := range x.Vars {
				if !l.B.Nonneg(l.B.Root, l.B.AddInt(l.B.Sub(v.Hi, v.Lo), -1)) {
					return false
				}
			}
			x = x.Args[0]
		case x.Op == OpNeg && IsReal(x.Elem):
			x, c, least = x.Args[0], new(big.Rat).Neg(c), !least
		case x.Op == OpRead && x.limit != nil && IsReal(x.Elem):
			if least {
				sign.Neg(sign)
			}
			return new(big.Rat).Mul(sign, c).Cmp(x.limit) >= 0
		case x.Op == OpMax || x.Op == OpMin: // both are
			return l.within(x.Args[0], c, least, looks) && l.within(x.Args[1], c, least, looks)
		case x.Elem.Kind == domain.ElemInt && (!x.asks || x.Op == OpConvert && !x.Args[0].asks):
			end := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(x.Elem.Width-1)))
			if least {
				return c.Cmp(end.Neg(end)) <= 0
			}
			return c.Cmp(end.Sub(end, one)) >= 0
		default:
			return false
		}
	}
}

func (l *State) Neg(x *Scalar) *Scalar {
	return l.Make(Scalar{Op: OpNeg, Args: []*Scalar{x}, Elem: x.Elem})
}

func (l *State) Sub(x, y *Scalar) *Scalar {
	if x.Elem.Kind == domain.ElemSat { // x + (-y) is not x - y there
		return l.Apply(x, "subtract", x, y)
	}
	return l.Op2(OpAdd, x, l.Neg(y))
}

// Choose returns x where cond >= 0 and y elsewhere, each asked where it is needed.
func (l *State) Choose(c *Context, cond *Expr, x, y func(*Context) *Scalar) *Scalar {
	switch l.B.decide(c, cond) {
	case yes:
		return x(c)
	case no:
		return y(c)
	}
	first, second := x(l.B.Assume(c, cond)), y(l.B.Assume(c, l.B.not(cond)))
	return l.Make(Scalar{Op: OpIf, E: cond, Args: []*Scalar{first, second}, Elem: first.Elem})
}

// Inside returns x where all conds hold, else out.
func (l *State) Inside(c *Context, conds []*Expr, out *Scalar, x func(*Context) *Scalar) *Scalar {
	if len(conds) == 0 {
		return x(c)
	}
	return l.Choose(c, conds[0], func(c *Context) *Scalar { return l.Inside(c, conds[1:], out, x) },
		func(*Context) *Scalar { return out })
}

// maxUnroll bounds the operands of a fold that are written out.
const MaxUnroll = 64

// Reduce returns the fold of body over new variables, one for each of dims. Products over few
// places are written out, in exact arithmetic all folds over very few.
func (l *State) Reduce(f Fold, elem domain.Elem, dims []*Expr,
	body func([]*Expr) *Scalar) *Scalar {
	at := make([]*Expr, len(dims))
	var vars []*Atom
	total := Int(1)
	for i, d := range dims {
		n, ok := d.Const()
		switch {
		case ok && n.Sign() <= 0:
			return l.Nothing(f, elem)
		case ok && n.is(1):
			at[i] = l.B.Const(0)
		default:
			v := l.Terms.variable(l.B, l.Bound+len(vars), d)
			at[i], vars = v.expr, append(vars, v)
		}
		if !ok {
			n = Int(MaxUnroll + 1)
		}
		total = total.Mul(n)
	}
	few := Int(MaxUnroll)
	if f != FoldProduct {
		few = Int(map[bool]int64{true: 1, false: 8}[IsReal(elem)])
	}
	if total.Cmp(few) > 0 {
		l.Bound += len(vars)
		defer func() { l.Bound -= len(vars) }()
		whole := Scalar{Op: OpReduce, Fold: f, Vars: vars, Args: []*Scalar{body(at)}, Elem: elem}
		return l.Make(whole)
	}
	n, _ := total.Int64()
	return l.Chain(f, elem, int(n), func(i int64) *Scalar {
		in := slices.Clone(at)
		for k := len(dims) - 1; k >= 0; k-- {
			d, _ := dims[k].Const()
			q, r := Int(i).DivMod(d)
			i, _ = q.Int64()
			in[k] = l.B.Num(r)
		}
		return body(in)
	})
}

// variable returns the variable of a fold over size places inside n others.
func (ts *terms) variable(b *Builder, n int, size *Expr) *Atom {
	key := [2]int{n, size.ID}
	v := ts.vars[key]
	if v == nil {
		v = b.NewVar(b.Const(0), size)
		if n < 64 { // deeper ones are always new
			ts.vars[key], ts.depths[v] = v, 1<<n
		}
	}
	return v
}

func (l *State) Nothing(f Fold, elem domain.Elem) *Scalar {
	if f == FoldMax {
		return l.Make(Scalar{Op: OpLowest, Elem: elem})
	}
	return l.Int(elem, int64(map[Fold]int{FoldSum: 0, FoldProduct: 1}[f]))
}

// Chain folds item(0) ... item(n-1) from the left.
func (l *State) Chain(f Fold, elem domain.Elem, n int, item func(int64) *Scalar) *Scalar {
	t := item(0)
	if f == FoldMax && isFloat(elem) {
		t = l.Op2(OpMax, l.Nothing(f, elem), t) // a maximum starts from MIN
	}
	for i := 1; i < n; i++ {
		t = l.Op2([...]Op{OpAdd, OpMul, OpMax}[f], t, item(int64(i)))
	}
	return t
}

// Average returns a sum divided by the number of summands, which is rounded to no type first.
func (l *State) Average(sum *Scalar, count *Expr) *Scalar {
	n := l.Make(Scalar{Op: OpNumber, E: count})
	if c, ok := count.Const(); IsReal(sum.Elem) {
		return l.Op2(OpDiv, sum, n)
	} else if ok && c.Sign() > 0 && c.Cmp(Int(100)) < 0 && sum.Elem.Kind <= domain.ElemUint {
		return l.Op2(OpDiv, sum, l.Constant(sum.Elem, new(big.Rat).SetInt(c.Big())))
	}
	return l.Apply(sum, "mean", sum, n)
}

// Regroup maps an index of a tensor of dims to to that of one of dims from with the same elements
// in row-major order. Where leading or trailing dims agree, their indices are kept.
func (l *State) Regroup(c *Context, from, to, at []*Expr) []*Expr {
	b := l.B
	in := make([]*Expr, len(from))
	var f, t []int
	for i, d := range from {
		if in[i] = b.Const(0); !d.Is(1) {
			f = append(f, i)
		}
	}
	for i, d := range to {
		if !d.Is(1) {
			t = append(t, i)
		}
	}
	for len(f) > 0 && len(t) > 0 && l.Same(from[f[len(f)-1]], to[t[len(t)-1]]) {
		in[f[len(f)-1]] = at[t[len(t)-1]]
		f, t = f[:len(f)-1], t[:len(t)-1]
	}
	for len(f) > 0 && len(t) > 0 {
		i, j := len(f), len(t) // the smallest part with equal products
		p, equal := b.Const(1), false
	part:
		for x, a := range f {
			p = b.Mul(p, from[a])
			q := b.Const(1)
			for y, e := range t {
				if q = b.Mul(q, to[e]); p == q {
					i, j, equal = x+1, y+1, true
					break part
				}
			}
		}
		offset, surely := b.Const(0), equal // the offset is below the product
		for _, a := range t[:j] {
			offset = b.Add(b.Mul(offset, to[a]), at[a])
			surely = surely && b.inside(c, at[a], to[a])
		}
		for k := i - 1; k > 0; k-- {
			q := b.Div(c, offset, from[f[k]])
			in[f[k]] = b.Sub(offset, b.Mul(q, from[f[k]]))
			offset = q
		}
		if surely {
			b.lies(c, offset, from[f[0]])
		}
		in[f[0]], f, t = offset, f[i:], t[j:]
	}
	return in
}

// Same reports whether two sizes are certainly equal.
func (l *State) Same(x, y *Expr) bool {
	d := l.B.Sub(x, y)
	return x == y || l.B.Nonneg(l.B.Root, d) && l.B.Nonneg(l.B.Root, l.B.Scale(Int(-1), d))
}

// Broadcast maps an index of a result to that of an operand whose dims are aligned at the right:
// 0 where the operand has 1, the index where it has the same size. Where it has one of the two,
// depending on sizes, the index modulo the size is either.
func (l *State) Broadcast(c *Context, dims, to, at []*Expr) []*Expr {
	in, ahead := make([]*Expr, len(dims)), len(to)-len(dims)
	for i, d := range dims {
		switch {
		case d.Is(1):
			in[i] = l.B.Const(0)
		case l.Same(d, to[ahead+i]):
			in[i] = at[ahead+i]
		default:
			in[i] = l.B.Mod(c, at[ahead+i], d)
		}
	}
	return in
}
