package programs

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"tv/glenside"
	"tv/internal/mix"
	"tv/internal/source"
	"tv/semantics/domain"
)

// A class is a kind of arithmetic that laws hold in.
type class uint8

const (
	inReal class = 1 << iota
	inWrap       // integers modulo 2^N
	inBool       // likewise, where 2 is not 0 but 1, as a literal
	inSat
	inFix
	inAdaptive
	inFloat

	inAll     = inReal | inWrap | inBool | inSat | inFix | inAdaptive | inFloat
	inOrdered = inReal | inWrap | inBool | inSat | inFix // where max and min have no two zeros
	inRing    = inReal | inWrap | inBool | inFix         // where sums may be re-ordered
	inNormal  = inReal | inWrap                          // where the normal form knows more than one order of evaluation
	inFolds   = inAll &^ inNormal
)

func classOf(exact bool, t domain.Elem) class {
	if !exact {
		return inReal
	}
	switch t.Kind {
	case domain.ElemInt, domain.ElemUint:
		return inWrap
	case domain.ElemBool:
		return inBool
	case domain.ElemSat:
		return inSat
	case domain.ElemFix:
		return inFix
	case domain.ElemAdaptive:
		return inAdaptive
	}
	return inFloat
}

// A law rewrites a call into an expression of the same dims, split and values.
type Law struct {
	Name string
	in   class
	// strict laws compute with the value that they rewrite: in real that must not be MIN.
	strict bool
	beyond class  // where it holds too, and the normal form does not know it
	copies bool   // the text of an operand occurs more than once in the result
	typed  bool   // the call must read an input: constants take their type from the operators that use them
	Op     string // the operators that it rewrites; none are any
	// apply returns the new text, or "" where the law does not fit. A result whose split differs from the node's
	// is brought back by the caller.
	apply func(w *weaver, c site) expr
}

// A site is a call whose operands have been rewritten already.
type site struct {
	n    *glenside.Node
	t    *glenside.Type
	text string   // the call
	args []string // its operands
}

func (c site) rank() int { return len(c.t.Dims) }

func (c site) num(i int) int { n, _ := number(c.n.Args[i].Int); return n }

// A weaver rewrites a program by laws.
type weaver struct {
	rng    *rand.Rand
	ty     *glenside.Typing
	exact  bool
	used   map[string]int
	low    map[*glenside.Node]bool
	beyond bool
	prefer *Law
	folds  bool // some element type is one in which the normal form knows one order of evaluation only
	copies int  // laws that copy text which may still be used
}

// A Rewrite is a program made of another one.
type Rewrite struct {
	*Program
	Laws map[string]int // how often each was used
	// Beyond is set where a law was used that holds, and that the normal form need not know in a program with such
	// element types.
	Beyond bool
}

// Twin returns a program that means the same by laws. Equal seeds give equal twins.
func Twin(p *Program, seed uint64) *Rewrite { return TwinBy(p, seed, nil) }

// twin prefers the law given, unless that is nil.
func TwinBy(p *Program, seed uint64, prefer *Law) *Rewrite {
	for {
		w := &weaver{rng: rand.New(rand.NewPCG(seed, 0x7477696e)), ty: p.Typing, exact: p.Exact, used: map[string]int{},
			low: map[*glenside.Node]bool{}, copies: 2, prefer: prefer}
		for _, n := range p.Parsed.Nodes {
			if e := p.Typing.Type(n).Elem; p.Exact && e != (domain.Elem{}) && classOf(true, e) != inWrap {
				w.folds = true
			}
		}
		text := Declarations(p.Parsed) + w.text(p.Parsed.Root)
		out, err := Typed("twin", text)
		if err != nil {
			if seed = mix.Spread(seed); ambiguous(err) {
				continue
			}
			panic(fmt.Sprintf("programs: a twin that does not type: %v\n%s\n%s", err, p.Text, text))
		}
		out = defined(out, seed)
		out.Exact, out.Named, out.Seed = p.Exact, p.Named, seed
		return &Rewrite{out, w.used, w.beyond}
	}
}

// ambiguous tells whether a program fails to type because one constant has two element types: equal constants
// are one expression, whatever wants them.
func ambiguous(err error) bool {
	var list source.Errors
	return errors.As(err, &list) && len(list) > 0 && list[0].Code == "ambiguous-literal"
}

// Laws are all laws, which the reference evaluator does not tell from what they rewrite.
func Laws() []*Law { return allLaws }

// realOnly tells whether a law holds in real arithmetic alone.
func (l *Law) RealOnly() bool { return (l.in|l.beyond)&^inReal == 0 }

// text prints a node, rewritten.
func (w *weaver) text(n *glenside.Node) string {
	t := w.ty.Type(n)
	if n.Kind != glenside.KindCall || t.Kind != glenside.TypeAccess && t.Kind != glenside.TypeTuple {
		return glenside.FormatNode(n)
	}
	c := site{n: n, t: t}
	for _, a := range n.Args {
		c.args = append(c.args, w.text(a))
	}
	c.text = callText(n, c.args)
	if t.Kind == glenside.TypeTuple {
		return c.text
	}
	if own := lawsOf()[n.Op.Name]; len(own) > 0 && w.rng.IntN(8) > 0 {
		l := own[w.rng.IntN(len(own))]
		if slices.Contains(own, w.prefer) {
			l = w.prefer
		}
		w.try(&c, l)
	}
	if w.rng.IntN(3) == 0 {
		any := lawsOf()[""]
		w.try(&c, any[w.rng.IntN(len(any))])
	}
	return c.text
}

// try rewrites a site by a law if it fits.
func (w *weaver) try(c *site, l *Law) {
	if (l.in|l.beyond)&classOf(w.exact, c.t.Elem) == 0 || len(c.text) > 4000 || l.copies && (w.copies == 0 || len(c.text) > 600) {
		return
	}
	if l.typed && !w.reads(c.n) {
		return
	}
	if l.strict && !w.exact && w.mayBeMin(c.n) {
		return
	}
	x := l.apply(w, *c)
	if x.text == "" {
		return
	}
	w.beyond = w.beyond || l.beyond != 0 && w.folds
	if w.used[l.Name]++; l.copies {
		w.copies--
	}
	c.text = splitAt(x, c.t.Split)
}

// reads tells whether a node reads an input, other than for its shape.
func (w *weaver) reads(n *glenside.Node) bool {
	if n.Op != nil && (n.Op.Name == "shape-of" || n.Op.Name == "get-access-shape") {
		return false
	}
	return n.Kind == glenside.KindSymbol || slices.ContainsFunc(n.Args, w.reads)
}

// callText prints a call with other operands.
func callText(n *glenside.Node, args []string) string {
	head := n.Op.Name
	switch n.Op.Category {
	case glenside.CatCompute:
		head = "compute " + head
	case glenside.CatRelay:
		head = "relay-operator-call " + head
	case glenside.CatAccelerator:
		head = "accelerator-call " + head
	}
	if len(args) == 0 {
		return "(" + head + ")"
	}
	return "(" + head + " " + strings.Join(args, " ") + ")"
}

// mayBeMin tells whether an element of a node may be MIN, in real: where it comes from is padding, or a maximum
// over what may be empty.
func (w *weaver) mayBeMin(n *glenside.Node) bool {
	if v, ok := w.low[n]; ok {
		return v
	}
	v := false
	if n.Kind == glenside.KindCall {
		switch n.Op.Name {
		case "access-pad":
			v = n.Args[1].Text == "min-padding"
		case "relay-max-pool2d":
			v = true
		case "reduce-max":
			for _, d := range w.ty.Type(n.Args[0]).Compute() {
				v = v || !isConst(d) && d.Name() == ""
			}
		case "relu", "relay-relu": // of MIN is 0
			return false
		}
		for _, a := range n.Args {
			v = v || w.mayBeMin(a)
		}
	}
	w.low[n] = v
	return v
}

// The laws and the defects of each operator, and under "" those of any.
var (
	laws, defects []*Law // allLaws and allDefects, whose functions refer to the tables below
	lawsOf        = sync.OnceValue(func() map[string][]*Law { return lawsByOp(laws) })
	defectsOf     = sync.OnceValue(func() map[string][]*Law { return lawsByOp(defects) })
)

func init() { laws, defects = allLaws, allDefects }

// lawsByOp lists laws by the operators that they rewrite.
func lawsByOp(laws []*Law) map[string][]*Law {
	by := map[string][]*Law{}
	for _, l := range laws {
		if l.Op == "" {
			by[""] = append(by[""], l)
		}
		for _, op := range strings.Fields(l.Op) {
			by[op] = append(by[op], l)
		}
	}
	return by
}

// dims returns the dims of an operand.
func (w *weaver) dims(n *glenside.Node) []domain.Size { return w.ty.Type(n).Dims }

func (w *weaver) split(n *glenside.Node) int { return w.ty.Type(n).Split }

// reshape writes a reshape to dims with a split.
func reshape(x string, dims []domain.Size, split int) string {
	return call("access-reshape", x, call("access-shape", shapeText(dims[:split]...), shapeText(dims[split:]...)))
}

func lit(v string) string { return "(access-literal (literal " + v + "))" }

func product(ds []domain.Size) domain.Size {
	p := size(1)
	for _, d := range ds {
		p = p.Mul(d)
	}
	return p
}

func inverse(p []int) []int {
	inv := make([]int, len(p))
	for i, x := range p {
		inv[x] = i
	}
	return inv
}

func list(l []int) string { return "(list " + ints(l) + ")" }

// ones returns k sizes of 1.
func ones(k int) []domain.Size { return slices.Repeat([]domain.Size{size(1)}, k) }

// nonEmpty tells whether dims are known to have an element.
func nonEmpty(ds []domain.Size) bool {
	for _, d := range ds {
		if n, ok := number(d); !(ok && n > 0) && d.Name() == "" {
			return false
		}
	}
	return true
}
