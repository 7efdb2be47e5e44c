package programs

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"tv/glenside"
	"tv/internal/mix"
	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
	language "tv/semantics/glenside"
)

// A Program is a random program.
type Program struct {
	Text   string // declarations and the expression
	Exact  bool   // ask in exact arithmetic, else in real
	Seed   uint64 // of what is drawn for this program further on
	Named  bool   // has named sizes
	Parsed *glenside.Program
	Typing *glenside.Typing
}

// Typed returns the program as tv knows it.
func (p *Program) Typed() semantics.Program { return language.Typed(p.Typing) }

// Params bound the programs of a generator. The zero value draws everything.
type Params struct {
	Exact, Real bool   // only this arithmetic
	Numeric     bool   // no named sizes
	Salt        uint64 // different numbers give different programs for the same draws
	Op          string // the operator of the result
	MaxOps      int    // operators that a program grows by, about; 0: 8
}

// Random returns the well-typed program of a seed.
func Random(p Params, seed uint64) *Program {
	rng := rand.New(rand.NewPCG(seed, 0x73697a65))
	ops, exact := 1+rng.IntN(p.MostOps()), rng.IntN(2) == 0
	return p.Grow(ops, exact, mix.Spread(p.Salt^mix.Spread(seed)))
}

// mostOps is the number of operators that programs grow by at most, about.
func (p Params) MostOps() int { return cmp.Or(p.MaxOps, 8) }

// grow writes a program of about so many operators; the seed decides the rest. exact is for params that leave the
// arithmetic open. A program that does not type is a defect of the generator and panics.
func (p Params) Grow(ops int, exact bool, seed uint64) *Program {
	exact = p.Exact || exact && !p.Real
	for {
		g := &grower{rng: rand.New(rand.NewPCG(seed, 0x66757a7a)), exact: exact, budget: ops, max: []string{"M", "N", "K"}}
		g.named = !p.Numeric && g.n(4) == 0
		text := g.program(p.Op)
		prog, err := Typed("program", text)
		if seed = mix.Spread(seed); err != nil {
			if ambiguous(err) {
				continue
			}
			panic(fmt.Sprintf("programs: a program that does not type: %v\n%s", err, text))
		}
		if p.Op == "" {
			prog = doubled(prog, seed)
		}
		prog = defined(prog, seed)
		prog.Exact, prog.Named, prog.Seed = exact, g.named, seed
		return prog
	}
}

// program writes declarations and an expression, whose operator is op unless that is empty.
func (g *grower) program(op string) string {
	text := ""
	if op != "" {
		i := slices.IndexFunc(rulesOf(), func(r *rule) bool { return r.op == op })
		text = g.apply(rulesOf()[i], g.elemType())
	} else {
		text = g.root(g.elemType())
	}
	return g.declared() + text
}

// declared writes the declarations of the inputs so far.
func (g *grower) declared() string {
	var s strings.Builder
	for _, in := range g.inputs {
		fmt.Fprintf(&s, "(input %s (shape", in.name)
		for _, d := range in.dims {
			if g.corners && d.Name() != "" {
				fmt.Fprintf(&s, " (%s 0)", d)
			} else {
				fmt.Fprintf(&s, " %s", d)
			}
		}
		s.WriteByte(')')
		if in.elem != domain.Float32 {
			fmt.Fprintf(&s, " %s", in.elem)
		}
		s.WriteString(")\n")
	}
	return s.String()
}

// typed parses and types a program that declares its own inputs.
func Typed(name, text string) (*Program, error) {
	parsed, err := glenside.Parse(source.NewFile(name, text))
	if err != nil {
		return nil, err
	}
	ty, err := glenside.Check(parsed, nil)
	if err != nil {
		return nil, err
	}
	return &Program{Text: text, Parsed: parsed, Typing: ty}, nil
}

// want is the result that a rule is asked for: dims and element type. The split is the rule's choice.
type want struct {
	dims []domain.Size
	elem domain.Elem
}

func (w want) rank() int { return len(w.dims) }

// with returns a want of other dims.
func (w want) with(dims ...domain.Size) want { return want{dims, w.elem} }

// an expr is the text of an access pattern with its split; its dims are those that were wanted.
type expr struct {
	text  string
	split int
}

type input struct {
	name string
	want
}

// A grower writes one program.
type grower struct {
	rng     *rand.Rand
	exact   bool
	named   bool     // sizes may be names
	corners bool     // dims may be 0, and names
	max     []string // those names
	budget  int      // operators that may still be used
	inputs  []input
}

// n draws a number from 0 to k-1.
func (g *grower) n(k int) int { return g.rng.IntN(k) }

// size returns a number as a size; a drawn one is from 1 on.
func size(n int) domain.Size { return domain.IntSize(int64(n)) }

func number(s domain.Size) (int, bool) {
	n, ok := s.Int64()
	return int(n), ok
}

func isNumber(s domain.Size, n int) bool {
	k, ok := number(s)
	return ok && k == n
}

// dim draws a dim: mostly a small number, with named sizes half of the time one of those.
func (g *grower) dim() domain.Size {
	if g.corners && g.n(3) == 0 {
		return g.cornerSize()
	}
	if g.named && g.n(2) == 0 {
		s := domain.NamedSize(g.max[g.n(len(g.max))])
		switch g.n(8) {
		case 0:
			return s.Add(size(1))
		case 1:
			return s.Mul(size(2))
		}
		return s
	}
	return size(1 + g.n(4))
}

// dims draws the dims of a tensor.
func (g *grower) dims(rank int) []domain.Size {
	out := make([]domain.Size, rank)
	for i := range out {
		out[i] = g.dim()
	}
	return out
}

var elemNames = []string{
	"int8", "uint8", "int16", "int32", "int64", "uint16", "bool", "float32", "float16", "float64", "sat8", "sat16",
	"fix4.4", "fix8.8", "adaptive8.3", "bfloat16",
}

// elemType draws an element type: float32 half of the time in real, where types make no difference.
func (g *grower) elemType() domain.Elem {
	if !g.exact && g.n(2) == 0 {
		return domain.Float32
	}
	t, _ := domain.ParseElem(elemNames[g.n(len(elemNames))])
	return t
}

// bulk is the number of elements of a tensor where every name is 3.
func bulk(dims []domain.Size) int64 {
	n := int64(1)
	for _, d := range dims {
		point := domain.Point{}
		for _, name := range d.Names() {
			point[name] = 3
		}
		v, err := d.Eval(point)
		if err != nil || !v.IsInt64() || v.Int64() > 1<<20 {
			return 1 << 40
		}
		if n *= v.Int64(); n > 1<<40 {
			return 1 << 40
		}
	}
	return n
}

// maxBulk bounds the tensors that operators are applied to; larger ones are inputs.
const maxBulk = 150

// root writes the result of the program: an access pattern, or now and then a tuple.
func (g *grower) root(elem domain.Elem) string {
	switch g.n(25) {
	case 0:
		g.budget--
		a, b := want{g.dims(g.n(3)), elem}, want{g.dims(g.n(3)), g.elemType()}
		return fmt.Sprintf("(construct-tuple %s %s)", g.grow(a).text, g.grow(b).text)
	case 1:
		w := g.scaled(elem)
		return g.split1("relay-split", w)
	case 2:
		return fmt.Sprintf("(relay-operator-call relay-dropout %s 0.5)", g.grow(want{g.dims(g.n(3)), elem}).text)
	}
	return g.apply(g.any(), elem)
}

// apply writes a result of a rule's operator.
func (g *grower) apply(r *rule, elem domain.Elem) string {
	for !g.has(r, elem) {
		elem = g.elemType()
	}
	w := want{elem: elem}
	if r.goal != nil {
		w.dims = r.goal(g)
	} else {
		w.dims = g.dims(r.least + g.n(5-r.least))
	}
	g.budget--
	return r.build(g, w).text
}

// scaled draws dims whose first is even.
func (g *grower) scaled(elem domain.Elem) want {
	d := g.dims(1 + g.n(2))
	d[0] = d[0].Mul(size(2))
	return want{d, elem}
}

// grow returns an expression of the dims wanted.
func (g *grower) grow(w want) expr {
	if g.budget <= 0 || bulk(w.dims) > maxBulk {
		return g.leaf(w)
	}
	g.budget--
	r := g.draw(func(r *rule) bool {
		return w.rank() >= r.least && (r.fits == nil || r.fits(w)) && g.has(r, w.elem)
	})
	return r.build(g, w)
}

// has tells whether elements of a type have the function of a rule in the arithmetic of the program.
func (g *grower) has(r *rule, elem domain.Elem) bool {
	op := glenside.LookupOp(r.op)
	return !g.exact || op == nil || op.Of.Has(elem)
}

// at returns an expression split at k.
func (g *grower) at(w want, k int) string { return splitAt(g.grow(w), k) }

func splitAt(x expr, k int) string {
	if x.split == k {
		return x.text
	}
	return fmt.Sprintf("(access %s %d)", x.text, k)
}

// leaf returns an input of the dims wanted, or, as inputs are declared with numbers and names only, one that an
// operator brings to these dims.
func (g *grower) leaf(w want) expr {
	for i, d := range w.dims {
		if _, ok := d.Const(); ok || d.Name() != "" {
			continue
		}
		part := func(repl ...domain.Size) want {
			return w.with(append(append(append([]domain.Size(nil), w.dims[:i]...), repl...), w.dims[i+1:]...)...)
		}
		ops := d.Operands()
		switch d.Op() {
		case domain.SizeAdd:
			for _, o := range ops {
				k, ok := number(o)
				if !ok {
					continue
				}
				x := g.leaf(part(d.Sub(size(k))))
				if k > 0 {
					before := g.n(k + 1)
					return expr{fmt.Sprintf("(access-pad %s zero-padding %d %d %d)", x.text, i, before, k-before), x.split}
				}
				low := g.n(1 - k)
				high := d.Add(size(low))
				return expr{fmt.Sprintf("(access-slice %s %d %d %s)", x.text, i, low, high), x.split}
			}
			if first := ops[0]; len(first.Names()) > 0 && !negative(ops) {
				a, b := g.leaf(part(first)), g.leaf(part(d.Sub(first)))
				return expr{fmt.Sprintf("(access-concatenate %s %s %d)", splitAt(a, w.rank()), splitAt(b, w.rank()), i), w.rank()}
			}
		case domain.SizeMul:
			if k, ok := number(ops[0]); !ok || k > 0 {
				rest := size(1)
				for _, o := range ops[1:] {
					rest = rest.Mul(o)
				}
				x := g.leaf(part(ops[0], rest))
				return expr{fmt.Sprintf("(access-reshape %s (access-shape (shape%s) (shape)))", x.text, sizesText(w.dims)), w.rank()}
			}
		}
		return expr{fmt.Sprintf("(access-broadcast %s (access-shape (shape%s) (shape)))", g.leaf(part(size(1))).text,
			sizesText(w.dims)), w.rank()}
	}
	in := g.input(w)
	if g.n(8) == 0 {
		return expr{in, w.rank()} // the paper's spelling
	}
	if k := g.n(2*w.rank() + 2); k <= w.rank() {
		return expr{fmt.Sprintf("(access (access-tensor %s) %d)", in, k), k}
	}
	return expr{fmt.Sprintf("(access-tensor %s)", in), w.rank()}
}

// negative tells whether one of the sizes is below 0 everywhere: a product with a negative number.
func negative(sizes []domain.Size) bool {
	return slices.ContainsFunc(sizes, func(s domain.Size) bool {
		if s.Op() == domain.SizeMul {
			s = s.Operands()[0]
		}
		k, ok := number(s)
		return ok && k < 0
	})
}

// input returns the name of an input of the dims wanted, an old one half of the time.
func (g *grower) input(w want) string {
	if len(g.inputs) > 0 && g.n(2) == 0 {
		for i, at := 0, g.n(len(g.inputs)); i < len(g.inputs); i++ {
			in := g.inputs[(at+i)%len(g.inputs)]
			if in.elem == w.elem && equalDims(in.dims, w.dims) {
				return in.name
			}
		}
	}
	name := fmt.Sprintf("t%d", len(g.inputs))
	if len(g.inputs) < 10 {
		name = string("ABCDEFGHIJ"[len(g.inputs)])
	}
	g.inputs = append(g.inputs, input{name, want{append([]domain.Size(nil), w.dims...), w.elem}})
	return name
}

func equalDims(a, b []domain.Size) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !a[i].Equal(b[i]) {
			return false
		}
	}
	return true
}

// sizesText prints sizes, each after a space.
func sizesText(ds []domain.Size) string {
	var s strings.Builder
	for _, d := range ds {
		s.WriteByte(' ')
		s.WriteString(d.String())
	}
	return s.String()
}

func ints(l []int) string { return strings.Trim(fmt.Sprint(l), "[]") }

// draw picks a rule by weight among those that fit.
func (g *grower) draw(fits func(*rule) bool) *rule {
	total := 0
	var few [160]*rule
	list := few[:0]
	for _, r := range rulesOf() {
		if !(g.exact && r.realOnly) && fits(r) {
			total += r.weight
			list = append(list, r)
		}
	}
	k := g.n(total)
	for _, r := range list {
		if k -= r.weight; k < 0 {
			return r
		}
	}
	panic("programs: weights do not add up")
}

// any picks a rule for the result of a program: those that seldom fit elsewhere more often.
func (g *grower) any() *rule {
	rulesOf()
	for {
		if r := rules.roots[g.n(len(rules.roots))]; !(g.exact && r.realOnly) {
			return r
		}
	}
}

var rules struct {
	sync.Once
	list, roots []*rule
}

// element returns one of the element types, by any number.
func Element(k uint64) domain.Elem {
	t, _ := domain.ParseElem(elemNames[k%uint64(len(elemNames))])
	return t
}

// writes tells whether the result of a program can be of an operator, and whether that means nothing in exact arithmetic.
func Writes(op string) (ok, realOnly bool) {
	i := slices.IndexFunc(rulesOf(), func(r *rule) bool { return r.op == op })
	return i >= 0, i >= 0 && rulesOf()[i].realOnly
}

// rulesOf returns the rules of all operators.
func rulesOf() []*rule {
	rules.Do(func() {
		rules.list = allRules()
		for _, r := range rules.list {
			rules.roots = append(rules.roots, slices.Repeat([]*rule{r}, max(1, r.root))...)
		}
	})
	return rules.list
}
