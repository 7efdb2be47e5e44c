package proofs

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"tv/glenside"
	"tv/semantics/domain"
)

type op uint8

const (
	opConst   op = iota // val, or a special number called name
	opLowest            // MIN
	opNumber            // the integer e
	opRead              // the element of tensor name at row-major offset e
	opAdd               // the operands may be exchanged; in floats they do not re-associate
	opNeg               // of one operand
	opMul               //
	opDiv               //
	opMax               //
	opMin               //
	opApply             // the function name
	opConvert           // to elem
	opReduce            // fold of the operand over vars, in row-major order of vars
	opIf                // the first operand where e >= 0, else the second
	opGather            // the first operand with vars[0] replaced by the value of the second
)

type fold uint8

const (
	foldSum fold = iota
	foldProduct
	foldMax
)

// A term is a scalar expression: the statement before any law is applied to it.
type term struct {
	id    int
	op    op
	fold  fold
	name  string
	val   *big.Rat
	e     *Expr
	vars  []*Atom
	args  []*term
	elem  domain.Elem // the zero value in real arithmetic
	asks  bool        // may hold an operation that asks something of values
	plain bool        // a polynomial of elements, without cases
	binds uint64      // the depths at which variables are bound inside, as a set
}

// A lowering states the elements of a program's tensors.
type lowering struct {
	b       *Builder
	ty      *glenside.Typing
	exact   bool
	size    func(domain.Size) *Expr
	cuts    map[int]string // tensors that stand for subterms, by Node.ID
	memo    map[string]*term
	dimsOf  map[*glenside.Type][]*Expr
	digests map[*glenside.Node]string
	terms   *terms
	bound   int // variables of the folds around the element that is asked for
}

// Terms holds what two lowerings share: equal terms are the same pointer, and a variable of a fold
// is named by how many are bound around it, so that folds that differ in nothing are one term.
type terms struct {
	known  map[string]*term
	vars   map[[2]int]*Atom // by the number of variables around and the ID of the size
	depths map[*Atom]uint64 // that number, as a set of one
	key    []byte
}

func newTerms() *terms {
	return &terms{known: map[string]*term{}, vars: map[[2]int]*Atom{}, depths: map[*Atom]uint64{}}
}

// A place is a tensor of a program: a node and, where that is a tuple, the way into it.
type place struct {
	n    *glenside.Node
	path []int
}

func (l *lowering) mk(t term) *term {
	key := t.key(l.terms.key[:0])
	l.terms.key = key
	if known := l.terms.known[string(key)]; known != nil {
		return known
	}
	t.id = len(l.terms.known) + 1
	l.terms.known[string(key)] = &t
	switch t.op {
	case opConst:
		t.asks = t.val == nil
	case opRead: // where it says so itself
	case opNumber, opAdd, opNeg, opMul, opIf, opReduce:
		t.asks = t.op == opReduce && t.fold == foldMax
	default:
		t.asks = true
	}
	t.plain = t.op <= opMul || t.op == opReduce && t.fold == foldSum
	for _, a := range t.args {
		t.asks = t.asks || a.asks
		t.plain = t.plain && a.plain
		t.binds |= a.binds
	}
	for _, v := range t.vars {
		depth := l.terms.depths[v]
		if t.binds&depth != 0 {
			fail(codeUnsupported, "a variable is bound twice")
		}
		t.binds |= depth
	}
	return &t
}

// key appends what tells t from other terms.
func (t *term) key(k []byte) []byte {
	val := ""
	if t.val != nil {
		val = t.val.RatString()
	}
	number := func(n int) { k = binary.AppendUvarint(k, uint64(n)) }
	k = append(k, byte(t.op), byte(t.fold), byte(t.elem.Kind))
	for _, n := range []int{t.elem.Width, t.elem.Frac, len(t.vars), len(t.args), len(val),
		len(t.name)} {
		number(n)
	}
	k = append(append(k, val...), t.name...)
	if t.e != nil {
		number(t.e.ID + 1)
	}
	for _, v := range t.vars {
		number(v.ID)
	}
	for _, a := range t.args {
		number(a.id)
	}
	return k
}

func (l *lowering) typeOf(p place) *glenside.Type {
	t := l.ty.Type(p.n)
	for _, i := range p.path {
		t = t.Items[i]
	}
	return t
}

func (l *lowering) dims(t *glenside.Type) []*Expr {
	if d, ok := l.dimsOf[t]; ok {
		return d
	}
	d := make([]*Expr, len(t.Dims))
	for i, s := range t.Dims {
		d[i] = l.size(s)
	}
	l.dimsOf[t] = d
	return d
}

func (l *lowering) elemOf(t *glenside.Type) domain.Elem {
	if l.exact {
		return t.Elem
	}
	return domain.Elem{}
}

// cheap holds the operators that only rewrite the index: to ask again costs no more than a look.
var cheap = map[string]bool{"access": true, "access-tensor": true, "access-transpose": true,
	"access-slice": true, "access-shift-right": true, "access-squeeze": true,
	"access-insert-axis": true, "access-broadcast": true, "access-windows": true}

// at returns the element of a tensor at an index, which lies within its dims at c.
func (l *lowering) at(p place, c *Context, at []*Expr) *term {
	dims := l.dims(l.typeOf(p))
	in := slices.Clone(at)
	for i, d := range dims {
		if d.is(1) {
			in[i] = l.b.Const(0)
		}
	}
	switch name, cut := l.cuts[p.n.ID]; {
	case cut:
		return l.element(p, name, in, true) // it may have no value
	case p.n.Kind == glenside.KindSymbol:
		return l.element(p, p.n.Text, in, false)
	}
	if cheap[p.n.Op.Name] {
		return l.call(p, c, in)
	}
	key := binary.AppendUvarint(nil, uint64(p.n.ID))
	for _, i := range p.path {
		key = binary.AppendUvarint(key, uint64(i))
	}
	key = binary.AppendUvarint(binary.AppendUvarint(key, uint64(c.id)), uint64(l.bound))
	for _, e := range in {
		key = binary.AppendUvarint(key, uint64(e.ID))
	}
	t := l.memo[string(key)]
	if t == nil {
		t = l.call(p, c, in)
		l.memo[string(key)] = t
	}
	return t
}

// element reads a tensor of the dims of p. Where it asks, it may have no value.
func (l *lowering) element(p place, name string, at []*Expr, asks bool) *term {
	offset := l.b.Const(0)
	for i, d := range l.dims(l.typeOf(p)) {
		offset = l.b.Add(l.b.Mul(offset, d), at[i])
	}
	return l.mk(term{op: opRead, name: name, e: offset, elem: l.elemOf(l.typeOf(p)), asks: asks})
}

func (l *lowering) constant(elem domain.Elem, v *big.Rat) *term {
	return l.mk(term{op: opConst, val: v, elem: elem})
}

func (l *lowering) int(elem domain.Elem, n int64) *term {
	return l.constant(elem, big.NewRat(n, 1))
}

// literal returns the number that a literal spells. Of those that a type has not, nothing is known
// but that one spelling has one value, if any.
func (l *lowering) literal(elem domain.Elem, n *glenside.Node) *term {
	v, ok := glenside.ParseDecimal(n.Text)
	switch {
	case !ok && !strings.Contains(strings.ToLower(n.Text), "inf"):
		fail(codeUnsupported, "the number %s is out of range", n.Text)
	case !ok || l.exact && (v.Sign() == 0 && strings.HasPrefix(n.Text, "-") || !holds(elem, v)):
		name := strings.TrimPrefix(strings.ToLower(n.Text), "+")
		return l.mk(term{op: opConst, name: strings.TrimSuffix(name, "inity"), elem: elem})
	}
	return l.constant(elem, v)
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

func (l *lowering) apply(like *term, name string, args ...*term) *term {
	return l.mk(term{op: opApply, name: name, args: args, elem: like.elem})
}

func (l *lowering) op2(o op, x, y *term) *term {
	return l.mk(term{op: o, args: []*term{x, y}, elem: x.elem})
}

func (l *lowering) neg(x *term) *term {
	return l.mk(term{op: opNeg, args: []*term{x}, elem: x.elem})
}

func (l *lowering) sub(x, y *term) *term {
	if x.elem.Kind == domain.ElemSat { // x + (-y) is not x - y there
		return l.apply(x, "subtract", x, y)
	}
	return l.op2(opAdd, x, l.neg(y))
}

func (l *lowering) iff(cond *Expr, x, y *term) *term {
	return l.mk(term{op: opIf, e: cond, args: []*term{x, y}, elem: x.elem})
}

// choose returns x where cond >= 0 and y elsewhere, each asked where it is needed.
func (l *lowering) choose(c *Context, cond *Expr, x, y func(*Context) *term) *term {
	switch l.b.decide(c, cond) {
	case yes:
		return x(c)
	case no:
		return y(c)
	}
	return l.iff(cond, x(l.b.Assume(c, cond)), y(l.b.Assume(c, l.b.not(cond))))
}

// inside returns x where all conds hold, else out.
func (l *lowering) inside(c *Context, conds []*Expr, out *term, x func(*Context) *term) *term {
	if len(conds) == 0 {
		return x(c)
	}
	return l.choose(c, conds[0], func(c *Context) *term { return l.inside(c, conds[1:], out, x) },
		func(*Context) *term { return out })
}

// maxUnroll bounds the operands of a fold that are written out.
const maxUnroll = 64

// reduce returns the fold of body over new variables, one for each of dims. Products over few
// places are written out, in exact arithmetic all folds over very few.
func (l *lowering) reduce(f fold, elem domain.Elem, dims []*Expr,
	body func([]*Expr) *term) *term {
	at := make([]*Expr, len(dims))
	var vars []*Atom
	total := Int(1)
	for i, d := range dims {
		n, ok := d.Const()
		switch {
		case ok && n.Sign() <= 0:
			return l.nothing(f, elem)
		case ok && n.is(1):
			at[i] = l.b.Const(0)
		default:
			v := l.terms.variable(l.b, l.bound+len(vars), d)
			at[i], vars = v.expr, append(vars, v)
		}
		if !ok {
			n = Int(maxUnroll + 1)
		}
		total = total.Mul(n)
	}
	few := Int(maxUnroll)
	if f != foldProduct {
		few = Int(map[bool]int64{false: 1, true: 8}[l.exact])
	}
	if total.Cmp(few) > 0 {
		l.bound += len(vars)
		defer func() { l.bound -= len(vars) }()
		return l.mk(term{op: opReduce, fold: f, vars: vars, args: []*term{body(at)}, elem: elem})
	}
	n, _ := total.Int64()
	return l.chain(f, elem, int(n), func(i int64) *term {
		in := slices.Clone(at)
		for k := len(dims) - 1; k >= 0; k-- {
			d, _ := dims[k].Const()
			q, r := Int(i).DivMod(d)
			i, _ = q.Int64()
			in[k] = l.b.num(r)
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

func (l *lowering) nothing(f fold, elem domain.Elem) *term {
	if f == foldMax {
		return l.mk(term{op: opLowest, elem: elem})
	}
	return l.int(elem, int64(map[fold]int{foldSum: 0, foldProduct: 1}[f]))
}

// chain folds item(0) ... item(n-1) from the left.
func (l *lowering) chain(f fold, elem domain.Elem, n int, item func(int64) *term) *term {
	t := item(0)
	if f == foldMax && elem.Kind == domain.ElemFloat && l.exact {
		t = l.op2(opMax, l.nothing(f, elem), t) // a maximum starts from MIN
	}
	for i := 1; i < n; i++ {
		t = l.op2([...]op{opAdd, opMul, opMax}[f], t, item(int64(i)))
	}
	return t
}

// sides returns the axis on which a node has operands side by side, or -1, and their number.
func (l *lowering) sides(n *glenside.Node) (axis, count int) {
	for n.Kind == glenside.KindCall && (n.Op.Name == "access" || n.Op.Name == "access-tensor") {
		n = n.Args[0]
	}
	if n.Kind != glenside.KindCall {
		return -1, 0
	}
	switch n.Op.Name {
	case "access-pair":
		return l.ty.Type(n.Args[0]).Split, 2
	case "access-cartesian-product":
		return l.ty.Type(n.Args[0]).Split + l.ty.Type(n.Args[1]).Split, 2
	}
	return -1, 0
}

// average returns a sum divided by the number of summands, which is rounded to no type first.
func (l *lowering) average(sum *term, count *Expr) *term {
	n := l.mk(term{op: opNumber, e: count})
	if c, ok := count.Const(); !l.exact {
		return l.op2(opDiv, sum, n)
	} else if ok && c.Sign() > 0 && c.Cmp(Int(100)) < 0 && sum.elem.Kind <= domain.ElemUint {
		return l.op2(opDiv, sum, l.constant(sum.elem, new(big.Rat).SetInt(c.Big())))
	}
	return l.apply(sum, "mean", sum, n)
}

// regroup maps an index of a tensor of dims to to that of one of dims from with the same elements
// in row-major order. Where leading or trailing dims agree, their indices are kept.
func (l *lowering) regroup(c *Context, from, to, at []*Expr) []*Expr {
	b := l.b
	in := make([]*Expr, len(from))
	var f, t []int
	for i, d := range from {
		if in[i] = b.Const(0); !d.is(1) {
			f = append(f, i)
		}
	}
	for i, d := range to {
		if !d.is(1) {
			t = append(t, i)
		}
	}
	for len(f) > 0 && len(t) > 0 && l.same(from[f[len(f)-1]], to[t[len(t)-1]]) {
		in[f[len(f)-1]] = at[t[len(t)-1]]
		f, t = f[:len(f)-1], t[:len(t)-1]
	}
	for len(f) > 0 && len(t) > 0 {
		i, j := len(f), len(t) // the smallest part with equal products
		p := b.Const(1)
	part:
		for x, a := range f {
			p = b.Mul(p, from[a])
			q := b.Const(1)
			for y, e := range t {
				if q = b.Mul(q, to[e]); p == q {
					i, j = x+1, y+1
					break part
				}
			}
		}
		offset := b.Const(0)
		for _, a := range t[:j] {
			offset = b.Add(b.Mul(offset, to[a]), at[a])
		}
		for k := i - 1; k > 0; k-- {
			q := b.Div(c, offset, from[f[k]])
			in[f[k]] = b.Sub(offset, b.Mul(q, from[f[k]]))
			offset = q
		}
		in[f[0]], f, t = offset, f[i:], t[j:]
	}
	return in
}

// same reports whether two sizes are certainly equal.
func (l *lowering) same(x, y *Expr) bool {
	d := l.b.Sub(x, y)
	return x == y || l.b.Nonneg(l.b.root, d) && l.b.Nonneg(l.b.root, l.b.Scale(Int(-1), d))
}

// broadcast maps an index of a result to that of an operand whose dims are aligned at the right:
// 0 where the operand has 1, the index where it has the same size. Where it has one of the two,
// depending on sizes, the index modulo the size is either.
func (l *lowering) broadcast(c *Context, dims, to, at []*Expr) []*Expr {
	in, ahead := make([]*Expr, len(dims)), len(to)-len(dims)
	for i, d := range dims {
		switch {
		case d.is(1):
			in[i] = l.b.Const(0)
		case l.same(d, to[ahead+i]):
			in[i] = at[ahead+i]
		default:
			in[i] = l.b.Mod(c, at[ahead+i], d)
		}
	}
	return in
}

// opaque returns the element of a tensor of which nothing is known but that the same call on the
// same operands makes the same.
func (l *lowering) opaque(p place, what string, at []*Expr) *term {
	return l.element(p, derived+what+" "+l.written(p.n), at, true) // nor whether it has a value
}

// read identifies a node that reads one tensor: by its dims, split and the offset at any index.
func (l *lowering) read(n *glenside.Node) string {
	t := l.ty.Type(n)
	if t.Kind > glenside.TypeTensor {
		return ""
	}
	names := map[*Atom]string{}
	var at []*Expr
	for i, d := range l.dims(t) {
		v := l.b.NewVar(l.b.Const(0), d)
		names[v] = fmt.Sprintf("%d:%s", i, formatted(d))
		at = append(at, v.expr)
	}
	x := l.at(place{n: n}, l.b.root, at)
	if x.op != opRead {
		return ""
	}
	name := func(a *Atom) string {
		if a.Kind == KindSize {
			return strconv.Quote(a.Name) // which may hold blanks and parentheses
		}
		return names[a]
	}
	return fmt.Sprintf("%q %d %s %s", x.name, t.Split, t, x.e.Format(name))
}

// digest identifies a node by what it reads or how it is written.
func (l *lowering) digest(n *glenside.Node) string {
	d, ok := l.digests[n]
	if !ok {
		if d = l.read(n); d == "" {
			d = l.written(n)
		}
		l.digests[n] = d
	}
	return d
}

func (l *lowering) written(n *glenside.Node) string {
	text := glenside.FormatNode
	if n.Kind == glenside.KindCall {
		text = func(n *glenside.Node) string {
			parts := []string{n.Op.Name}
			for _, a := range n.Args {
				parts = append(parts, l.digest(a))
			}
			return fmt.Sprintf("%q", parts)
		}
	}
	return fmt.Sprintf("%d:%x", n.Kind, sha256.Sum256([]byte(text(n))))
}
