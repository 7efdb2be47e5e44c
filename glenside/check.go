package glenside

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"tv/internal/source"
	"tv/internal/spelling"
	"tv/semantics/domain"
)

// Check types a program. Ranks, splits, element types and everything that depends on numbers alone are
// decided: a violation is an error. What depends on named sizes becomes a condition. A nil env stands for
// the declarations of p itself.
//
// The operands of an operator have one element type, which is the result's, but for relay-cast, the indices
// of relay-take and accelerator calls (whose result has the type of the first operand). Literals,
// constant-tensor and relay-zeros have no type of their own: they take that of the operator that uses them,
// float32 where there is none; one that operators of different types share is an error.
//
// Errors: source.Errors, in the order of the text, of those parts of the program that do not depend on each
// other; at most maxErrors.
func Check(p *Program, env *domain.Env) (*Typing, error) {
	if env == nil {
		merged, err := MergeEnv([]*Program{p})
		if err != nil {
			return nil, err
		}
		env = merged
	}
	c := newChecker(p, env)
	c.run()
	if len(c.errs) > 0 {
		return nil, c.errs
	}
	return &Typing{Program: p, Types: c.types, Conds: c.conds, Tensors: c.tensors, adopted: c.adopted}, nil
}

const (
	maxErrors = 20
	maxRank   = 256     // of a tensor
	maxDims   = 1 << 24 // in the types of all nodes together
)

type checker struct {
	prog    *Program
	env     *domain.Env
	types   []*Type
	conds   []Cond
	tensors []domain.Tensor
	errs    source.Errors

	listed  map[string]bool // conditions listed, by their text
	known   domain.Facts    // least values, and the conditions listed
	dims    int             // in types so far
	untyped bool            // there is a literal that takes its type from its use
	adopted map[*Node]bool  // patterns that did
	slab    []Type
	call    call
}

func newChecker(p *Program, env *domain.Env) *checker {
	return &checker{prog: p, env: env, types: make([]*Type, len(p.Nodes)),
		listed: map[string]bool{}, known: domain.Facts{Mins: env.Mins}}
}

func (c *checker) run() {
	c.ownNames()
	for _, n := range c.prog.Nodes {
		if c.types[n.ID] = c.node(n); len(c.errs) >= maxErrors {
			return
		}
	}
	if len(c.errs) > 0 {
		return
	}
	if t := c.types[c.prog.Root.ID]; !isResult(t) {
		c.fail(c.prog.Root, "not-a-tensor", "a program is an access pattern or a tuple of them, not %s",
			t.describe())
		return
	}
	if c.definitions(); len(c.errs) == 0 && c.untyped {
		c.typeLiterals()
	}
}

// isResult tells whether a program may return a value of type t.
func isResult(t *Type) bool {
	if t.Kind != TypeTuple {
		return t.Kind == TypeAccess
	}
	for _, item := range t.Items {
		if !isResult(item) {
			return false
		}
	}
	return true
}

// The types of words and numbers, shared.
var (
	tokenType   = &Type{Kind: TypeToken}
	floatType   = &Type{Kind: TypeFloat}
	literalType = &Type{Kind: TypeLiteral}
)

// node returns the type of n, or nil where there is an error in it or in one of its operands.
func (c *checker) node(n *Node) *Type {
	switch n.Kind {
	case KindSymbol:
		return c.symbol(n)
	case KindInt:
		c.divisors(n)
		return c.newType(Type{Kind: TypeInt, Int: n.Int})
	case KindFloat:
		return floatType
	case KindToken:
		return tokenType
	}
	k := &c.call
	*k = call{checker: c, n: n, args: k.args[:0]}
	for _, a := range n.Args {
		t := c.types[a.ID]
		if t == nil {
			return nil
		}
		k.args = append(k.args, t)
	}
	k.sorts()
	if k.err == nil && n.Op.elems == elemsAgree {
		k.agree()
	}
	if k.err != nil {
		return nil
	}
	t := n.Op.typ(k)
	if k.err != nil {
		return nil
	}
	if !c.afford(n, t) {
		return nil
	}
	return t
}

func (c *checker) newType(t Type) *Type {
	if len(c.slab) == 0 {
		c.slab = make([]Type, min(256, len(c.prog.Nodes)))
	}
	p := &c.slab[0]
	c.slab = c.slab[1:]
	*p = t
	return p
}

func (c *checker) fail(n *Node, code, format string, args ...any) *source.Error {
	return c.failAt(c.prog.Span(n), code, format, args...)
}

func (c *checker) failAt(at source.Span, code, format string, args ...any) *source.Error {
	err := source.Errorf(at, code, format, args...)
	c.errs = append(c.errs, err)
	return err
}

func (c *checker) symbol(n *Node) *Type {
	t, ok := c.env.Tensors[n.Text]
	if !ok {
		hint := fmt.Sprintf("add (input %s (shape DIM...)) or --input %s=DIMxDIM...", domain.Quote(n.Text), n.Text)
		if near := spelling.Nearest(n.Text, slices.Sorted(maps.Keys(c.env.Tensors))); near != "" {
			hint = fmt.Sprintf("did you mean %s? Else %s", near, hint)
		}
		c.fail(n, "missing-input", "tensor %s is not declared; %s", n.Text, hint)
		return nil
	}
	c.tensors = append(c.tensors, t)
	typ := c.newType(Type{Kind: TypeTensor, Dims: t.Dims, Elem: t.Elem})
	if !c.afford(n, typ) {
		return nil
	}
	return typ
}

// divisors states that the divisors of a size are positive.
func (c *checker) divisors(n *Node) {
	for _, d := range append(n.Int.Divisors(nil), c.prog.lost[n]...) {
		c.require(n, -1, domain.Le(domain.IntSize(1), d), "bad-divisor", "division by %s: a divisor is positive", d)
	}
}

// afford bounds what types take: ranks, sizes and the number of dims in all types together.
func (c *checker) afford(n *Node, t *Type) bool {
	c.dims += len(t.Dims) + len(t.Ints) + len(t.Items)
	if len(t.Dims) > maxRank {
		c.fail(n, "too-large", "a rank of %d; at most %d are supported", len(t.Dims), maxRank)
		return false
	}
	if c.dims > maxDims {
		c.fail(n, "too-large", "the types of the program have more than %d dims in all", maxDims)
		return false
	}
	for i, d := range t.Dims {
		if d.TooLarge() {
			c.fail(n, "too-large", "axis %d has a size of more than %d parts or %d bits", i, domain.LargestWeight,
				domain.LargestBits)
			return false
		}
	}
	return true
}

// require states a condition on n: what holds everywhere is dropped, what holds nowhere is an error at
// operand i of n, or at n for i < 0.
func (c *checker) require(n *Node, i int, p *domain.Pred, code, format string, args ...any) *source.Error {
	if p.TooLarge() {
		return c.fail(n, "too-large", "a condition on sizes has more than %d parts or %d bits",
			domain.LargestWeight, domain.LargestBits)
	}
	switch p.Decide(&c.known) {
	case domain.Always:
		return nil
	case domain.Never:
		return c.failAt(c.prog.OperandSpan(n, i), code, format, args...)
	}
	p = p.Simplified(&c.known)
	if text := p.String(); !c.listed[text] {
		c.listed[text] = true
		c.known.Learn(p)
		c.conds = append(c.conds, Cond{p, n, code, fmt.Sprintf(format, args...)})
	}
	return nil
}

// describe names a kind of value in messages.
func (t *Type) describe() string {
	switch t.Kind {
	case TypeAccess:
		return "an access pattern"
	case TypeTensor:
		return "a tensor"
	case TypeLiteral:
		return "a literal"
	case TypeFloat:
		return "a number"
	case TypeInt:
		return "an integer"
	case TypeShape:
		return "a shape"
	case TypeAccessShape:
		return "an access shape"
	case TypeList:
		return "a list"
	case TypeTuple:
		return "a tuple"
	default:
		return "a word"
	}
}

// admits tells whether an operand of sort s may have type t.
func (s Sort) admits(t *Type) bool {
	switch s {
	case SortAccess:
		return t.Kind == TypeAccess
	case SortTensor:
		return t.Kind == TypeTensor
	case SortInt:
		return t.Kind == TypeInt
	case SortShape:
		return t.Kind == TypeShape
	case SortAccessShape:
		return t.Kind == TypeAccessShape || t.Kind == TypeAccess
	case SortList:
		return t.Kind == TypeList
	case SortFloat:
		return t.Kind == TypeFloat
	case SortLiteral:
		return t.Kind == TypeLiteral
	case SortTuple:
		return t.Kind == TypeTuple
	case SortToken:
		return t.Kind == TypeToken
	case SortSections:
		return t.Kind == TypeInt || t.Kind == TypeList
	default:
		return true
	}
}

// A call is the application of an operator while it is typed. The first problem sticks in err: shape rules
// read their operands, return nil if that failed, and then state conditions.
type call struct {
	*checker
	n    *Node
	args []*Type
	elem domain.Elem // of the access operands under elemsAgree; the zero value if they are all literals
	err  *source.Error
}

// fail records the first problem, at operand i or at the whole call (i < 0).
func (k *call) fail(i int, code, format string, args ...any) {
	if k.err == nil {
		k.err = k.failAt(k.prog.OperandSpan(k.n, i), code, format, args...)
	}
}

// require states a condition of the call; see checker.require.
func (k *call) require(i int, p *domain.Pred, code, format string, args ...any) {
	if k.err == nil {
		k.err = k.checker.require(k.n, i, p, code, format, args...)
	}
}

// equal states that two sizes are the same; the message is printed with both after its other arguments.
func (k *call) equal(i int, a, b domain.Size, code, format string, args ...any) {
	if a.TooLarge() || b.TooLarge() || !a.Equal(b) {
		k.require(i, domain.Eq(a, b), code, format+", got %s and %s", append(args, a, b)...)
	}
}

// sorts checks that the operands have the sorts of the operator.
func (k *call) sorts() {
	op := k.n.Op
	for i, t := range k.args {
		o := op.operand(i, len(k.args))
		if !o.Sort.admits(t) {
			k.fail(i, "wrong-operand", "%s of %s is %s, not %s", o.Name, op.Name, o.Sort, t.describe())
			return
		}
		if t.Kind == TypeInt && !o.Signed {
			k.natural(i, t.Int, o.Name)
		}
	}
}

// natural states that a size is not negative.
func (k *call) natural(i int, a domain.Size, what string) {
	if n, ok := a.Int64(); !ok || n < 0 {
		k.require(i, domain.Le(domain.Size{}, a), "negative-number", "%s must not be negative: %s", what, a)
	}
}

// agree finds the one element type of the access operands.
func (k *call) agree() {
	first := -1
	for i, t := range k.args {
		o := k.n.Op.operand(i, len(k.args))
		if t.Kind != TypeAccess && t.Kind != TypeTensor || o.Sort == SortAccessShape {
			continue
		}
		switch {
		case k.elem == domain.Elem{}:
			k.elem, first = t.Elem, i
		case t.Elem != k.elem && t.Elem != domain.Elem{}:
			k.elemMismatch(i, k.elem, t.Elem, first)
			return
		}
	}
}

func (k *call) elemMismatch(i int, a, b domain.Elem, first int) {
	k.fail(i, "elem-mismatch", "the operands of %s have one element type, got %s (operand %d) "+
		"and %s (operand %d); relay-cast converts", k.n.Op.Name, a, first+1, b, i+1)
}

// access returns the type of an access pattern; tensor results are all made with it.
func (k *call) access(dims []domain.Size, split int) *Type {
	return k.newType(Type{Kind: TypeAccess, Dims: dims, Split: split, Elem: k.elem})
}

// same returns the type of a result like operand i.
func (k *call) same(i int) *Type {
	if t := k.args[i]; t.Elem == k.elem {
		return t
	}
	return k.access(k.args[i].Dims, k.args[i].Split)
}

// number returns the integer operand i, which has to be a number.
func (k *call) number(i int) int64 {
	n, ok := k.args[i].Int.Int64()
	if huge, isNumber := k.args[i].Int.Const(); !ok && isNumber {
		k.fail(i, "too-large", "%s of %s is %s, beyond 2^63", k.operandName(i), k.n.Op.Name, huge)
	} else if !ok {
		k.fail(i, "symbolic-axis", "%s of %s must be a number, not %s", k.operandName(i), k.n.Op.Name,
			k.args[i].Int)
	}
	return n
}

func (k *call) operandName(i int) string { return k.n.Op.operand(i, len(k.args)).Name }

// axis returns operand i, one of rank axes; a negative one, where the parser lets it pass, counts from the
// end. The result is a valid axis also after an error, but for rank 0.
func (k *call) axis(i, rank int) int {
	n := k.number(i)
	if k.err != nil {
		return 0
	}
	if n < 0 {
		n += int64(rank)
	}
	if n < 0 || n >= int64(rank) {
		k.fail(i, "bad-axis", "there is no axis %s: the operand has %s", k.args[i].Int,
			plural(rank, "axis", "axes"))
		return 0
	}
	return int(n)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// rank states that operand i has a rank.
func (k *call) rank(i, rank int) {
	if got := len(k.args[i].Dims); got != rank {
		k.fail(i, "rank-mismatch", "%s of %s has rank %d, got %s", k.operandName(i), k.n.Op.Name, rank,
			k.args[i].shape())
	}
}

// lengths states that the shape or list in operand i has n entries.
func (k *call) lengths(i, n int) {
	if got := cmp.Or(len(k.args[i].Dims), len(k.args[i].Ints)); got != n {
		k.fail(i, "rank-mismatch", "%s of %s has %s, got %d", k.operandName(i), k.n.Op.Name,
			plural(n, "entry", "entries"), got)
	}
}

// vector states that operand i has one axis, of the given size.
func (k *call) vector(i int, size domain.Size) {
	k.rank(i, 1)
	if k.err == nil {
		k.equal(i, size, k.args[i].Dims[0], "shape-mismatch", "%s of %s has the wrong length",
			k.operandName(i), k.n.Op.Name)
	}
}

// biasVector states that operand i has one axis of the given size, or two, the first of which has one position.
func (k *call) biasVector(i int, size domain.Size) {
	if len(k.args[i].Dims) != 2 {
		k.vector(i, size)
		return
	}
	for axis, want := range []domain.Size{domain.IntSize(1), size} {
		k.equal(i, want, k.args[i].Dims[axis], "shape-mismatch", "%s of %s has the wrong length",
			k.operandName(i), k.n.Op.Name)
	}
}

// shape prints the dims and the split.
func (t *Type) shape() string {
	return (&Type{Kind: TypeAccessShape, Dims: t.Dims, Split: t.Split}).String()
}

// sameShape states that operands i and j have the same dims, and the same split if split is set.
func (k *call) sameShape(i, j int, split bool) {
	a, b := k.args[i], k.args[j]
	if len(a.Dims) != len(b.Dims) || split && a.Split != b.Split {
		k.fail(j, "shape-mismatch", "the operands of %s have one shape, got %s and %s", k.n.Op.Name,
			a.shape(), b.shape())
		return
	}
	for d := range a.Dims {
		k.equal(j, a.Dims[d], b.Dims[d], "shape-mismatch", "the operands of %s have one shape; axis %d",
			k.n.Op.Name, d)
	}
}

// product returns the number of elements; 1 for no dims. It stops where the product is too large.
func product(dims []domain.Size) domain.Size {
	n := domain.IntSize(1)
	for _, d := range dims {
		if n = n.Mul(d); n.TooLarge() {
			break
		}
	}
	return n
}

// concat returns a fresh list of sizes.
func concat(lists ...[]domain.Size) []domain.Size {
	n := 0
	for _, l := range lists {
		n += len(l)
	}
	dims := make([]domain.Size, 0, n)
	for _, l := range lists {
		dims = append(dims, l...)
	}
	return dims
}

// replace returns dims with those of [lo, hi) replaced.
func replace(dims []domain.Size, lo, hi int, with ...domain.Size) []domain.Size {
	return concat(dims[:lo], with, dims[hi:])
}
