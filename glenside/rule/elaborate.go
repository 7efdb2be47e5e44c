package rule

import (
	"fmt"
	"slices"
	"strings"

	"tv/glenside"
	"tv/internal/source"
	"tv/semantics/domain"
)

// An elaborator turns the two sides of a rule into programs, for one assignment.
type elaborator struct {
	rule     *Rule
	a        *assignment
	right    bool // the side at hand
	intNames map[string]string
	elem     *domain.Elem
	lengths  map[string]domain.Size // of lists that are kept as they are; see permuted.go
	apart    []string               // numbers of dims that a list permutes and that are not known to be one
}

// programName is the name that a name of the rule has in programs.
func (e *elaborator) programName(name string) string { return programName(name) }

func programName(name string) string {
	s := strings.TrimPrefix(name, "?")
	if glenside.Reserved(s) {
		s += "_"
	}
	return s
}

// sizeText prints a size that stands where the language wants one.
func (e *elaborator) sizeText(x domain.Size) string { return e.sized(x).String() }

// shapeText prints (shape ...).
func shapeText(segs []seg) string {
	var b strings.Builder
	b.WriteString("(shape")
	for _, s := range segs {
		b.WriteByte(' ')
		b.WriteString(s.size.String())
	}
	b.WriteByte(')')
	return b.String()
}

// expr returns the value of an expression.
func (e *elaborator) expr(x *Expr) *value {
	if x.Kind == Tensor {
		return e.variable(x)
	}
	if x.Kind != Call {
		panic(escape{fmt.Sprintf("%s is no tensor", x.Span.Text())})
	}
	op := x.Op
	if op == nil {
		op = glenside.LookupSpelling(x.category, e.token(x.Text))
	}
	k := &application{elaborator: e, op: op, args: x.Args, span: x.Span}
	if f, ok := shapeRules[op.Name]; ok {
		return k.inWord(f(k))
	}
	return k.generic()
}

func (e *elaborator) token(name string) string { return e.a.tokens[name] }

func (e *elaborator) variable(x *Expr) *value {
	for _, v := range e.rule.Vars {
		if v.Name != x.Text {
			continue
		}
		s, c := e.varShape(v.Access), e.varShape(v.Compute)
		name := e.programName(v.Name)
		out := &value{segs: cat(s, c), split: len(s)}
		if len(c) == 0 {
			out.raw = name
			out.text = "(access-tensor " + name + ")"
		} else {
			out.text = fmt.Sprintf("(access %s %d)", name, len(s))
		}
		return out
	}
	panic("rule: variable " + x.Text)
}

func (e *elaborator) varShape(dims []*Expr) []seg {
	return e.shape(&Expr{Kind: Shape, Args: dims})
}

// raw returns a variable that stands where a raw tensor is wanted: its compute part is empty.
func (e *elaborator) raw(x *Expr) *value {
	if x.Kind == Call && x.Op == glenside.OpConstantTensor {
		return e.expr(x)
	}
	if x.Kind != Tensor {
		panic(illFormed{"a raw tensor is a variable"})
	}
	v := e.variable(x)
	for _, s := range v.compute() {
		if s.block == "" {
			panic(illFormed{fmt.Sprintf("%s has compute dims and stands for a raw tensor", x.Text)})
		}
		if e.right {
			panic(escape{fmt.Sprintf("%s may have compute dims and stands for a raw tensor on the right side", x.Text)})
		}
		block := s.block
		panic(split{[]alternative{func(a *assignment) {
			a.replaceBlock(block, nil)
			a.note("%s is empty", block)
		}}})
	}
	return v
}

// An application is a call of an operator while its value is made.
type application struct {
	*elaborator
	op   *glenside.Op
	args []*Expr
	span source.Span

	operands []*value // so far
}

// call prints a call.
func (k *application) call(args ...string) string {
	return "(" + strings.Join(append([]string{k.op.Head()}, args...), " ") + ")"
}

func (k *application) make(segs []seg, split int, args ...string) *value {
	return &value{segs: segs, split: split, text: k.call(args...)}
}

// word returns the text of a word operand.
func (k *application) word(i int) string {
	if k.args[i].Kind == TokenName {
		return k.token(k.args[i].Text)
	}
	return k.args[i].Text
}

// axisAt finds the axis that operand i names; one below 0 counts from the end where the operator takes such.
func (k *application) axisAt(i int, segs []seg) int {
	x := k.int(k.args[i])
	if k.op.OperandAt(i, len(k.args)).Signed {
		return k.findSigned(x, segs, true)
	}
	return k.find(x, segs, true)
}

// number returns operand i, which has to be a number where ranks depend on it.
func (k *application) number(i int) int {
	x := k.int(k.args[i])
	n, ok := x.Int64()
	if ok {
		return int(n)
	}
	for _, name := range x.Names() {
		if q := k.unsettled(name); q != "" && k.a.ranked && x.Equal(domain.NamedSize(name)) {
			var alts []alternative
			for v := int64(0); v <= maxCount; v++ {
				alts = append(alts, func(a *assignment) {
					a.ints[q] = domain.IntSize(v)
					a.note("%s = %d", q, v)
				})
			}
			panic(split{alts})
		}
	}
	panic(escape{fmt.Sprintf("the number of dims depends on %s", x)})
}

// maxCount bounds a number of dims that an integer of a rule says: it is the greatest MaxRank.
const maxCount = 4

// shapeRules are the operators that do not care how many dims a block has. For the others see generic.
var shapeRules map[string]func(*application) *value

func init() {
	shapeRules = map[string]func(*application) *value{
		"access-tensor": func(k *application) *value {
			v := k.raw(k.args[0])
			if v.raw == "" {
				return k.make(v.segs, len(v.segs), v.text)
			}
			return k.make(v.segs, len(v.segs), v.raw)
		},
		"constant-tensor": func(k *application) *value {
			segs := k.shape(k.args[1])
			return k.make(segs, len(segs), k.args[0].Text, shapeText(segs))
		},
		"literal":        func(k *application) *value { return k.make(nil, 0, k.args[0].Text) },
		"access-literal": func(k *application) *value { return k.make(nil, 0, k.expr(k.args[0]).text) },
		"relay-zeros": func(k *application) *value {
			segs := k.shape(k.args[0])
			return k.make(segs, len(segs), shapeText(segs))
		},
		"access": func(k *application) *value {
			x := k.expr(k.args[0])
			if len(x.word) > 0 {
				return k.cutAt(x, k.int(k.args[1]))
			}
			n := k.find(k.int(k.args[1]), x.segs, false)
			return k.make(x.segs, n, x.text, fmt.Sprint(n))
		},
		"access-transpose": func(k *application) *value {
			x := k.expr(k.args[0])
			return k.transposed(x, x.split)
		},
		"relay-transpose": func(k *application) *value {
			x := k.expr(k.args[0])
			return k.transposed(x, len(x.segs))
		},
		"access-cartesian-product": func(k *application) *value {
			x, y := k.expr(k.args[0]), k.expr(k.args[1])
			k.unify(x.compute(), y.compute(), "the operands of access-cartesian-product have one item shape")
			segs := cat(x.access(), y.access(), []seg{dimSeg(domain.IntSize(2))}, x.compute())
			return k.make(segs, x.split+y.split, x.text, y.text)
		},
		"access-pair": func(k *application) *value {
			x, y := k.expr(k.args[0]), k.expr(k.args[1])
			k.unify(x.access(), y.access(), "the operands of access-pair have one shape")
			k.unify(x.compute(), y.compute(), "the operands of access-pair have one shape")
			return k.make(with(x.segs, x.split, x.split, dimSeg(domain.IntSize(2))), x.split, x.text, y.text)
		},
		"access-slice":       (*application).slice,
		"access-windows":     (*application).windows,
		"access-concatenate": (*application).concatenate,
		"access-pad": func(k *application) *value {
			x := k.expr(k.args[0])
			a := k.axisOf(2, x)
			before, after := k.natural(k.args[3]), k.natural(k.args[4])
			size := x.segs[a].size.Add(k.sized(before)).Add(k.sized(after))
			return k.make(with(x.segs, a, a+1, dimSeg(size)), x.split, x.text, k.word(1), fmt.Sprint(a),
				before.String(), after.String())
		},
		"access-squeeze": func(k *application) *value {
			x := k.expr(k.args[0])
			a := k.find(k.int(k.args[1]), x.segs, true)
			split := x.split
			if a < split {
				split--
			}
			return k.make(with(x.segs, a, a+1), split, x.text, fmt.Sprint(a))
		},
		"access-insert-axis": (*application).insertAxis,
		"access-broadcast":   (*application).broadcast,
		"access-reshape": func(k *application) *value {
			x := k.expr(k.args[0])
			segs, split := k.ashape(k.args[1])
			return k.make(segs, split, x.text,
				fmt.Sprintf("(access-shape %s %s)", shapeText(segs[:split]), shapeText(segs[split:])))
		},
		"relay-reshape": func(k *application) *value {
			x := k.expr(k.args[0])
			segs := k.shape(k.args[1])
			return k.make(segs, 0, x.text, shapeText(segs))
		},
		"access-flatten": func(k *application) *value {
			x := k.expr(k.args[0])
			s, c := k.flat(x.access()), k.flat(x.compute())
			return k.make(cat(s, c), len(s), x.text)
		},
		"access-shift-right": func(k *application) *value {
			x := k.expr(k.args[0])
			split := x.split
			if split > 0 {
				if b := x.segs[split-1].block; b != "" {
					k.peel(b, true)
				}
				split--
			}
			return k.make(x.segs, split, x.text)
		},
		"relay-batch-flatten": func(k *application) *value {
			x := k.expr(k.args[0])
			k.first(x.segs, "relay-batch-flatten takes at least one dim")
			return k.make([]seg{x.segs[0], dimSeg(sizes(x.segs[1:]))}, 2, x.text)
		},
		"relay-concatenate":          (*application).relayConcatenate,
		"relay-bias-add":             (*application).biasAdd,
		"relay-expand-dims":          (*application).expandDims,
		"relay-stack":                (*application).stack,
		"relay-split":                (*application).sections,
		"relay-squeeze":              (*application).squeeze,
		"relay-layer-norm":           (*application).layerNorm,
		"construct-tuple":            (*application).tupled,
		"tuple-get-item":             (*application).item,
		"dot-product":                reduction(true),
		"reduce-sum":                 reduction(false),
		"reduce-max":                 reduction(false),
		"reduce-mean":                reduction(false),
		"elementwise-add":            foldsFirst,
		"elementwise-mul":            foldsFirst,
		"elementwise-div":            foldsFirst,
		"softmax":                    (*application).softmax,
		"relay-take":                 (*application).take,
		"relay-mean":                 (*application).meanAlong,
		"relay-batch-norm-inference": (*application).batchNorm,
		"relay-softmax":              (*application).alongAxis,
		"relay-log-softmax":          (*application).alongAxis,
		"relay-add":                  (*application).numpy,
		"relay-multiply":             (*application).numpy,
		"relay-divide":               (*application).numpy,
		"relay-maximum":              (*application).numpy,
		"relay-minimum":              (*application).numpy,
		"relay-left-shift":           (*application).elementwise,
		"relay-right-shift":          (*application).elementwise,
		"relay-leaky-relu":           (*application).elementwise,
		"relay-clip":                 (*application).elementwise,
		"relay-cast":                 (*application).elementwise,
		"relu":                       (*application).elementwise,
		"negative":                   (*application).elementwise,
		"sqrt":                       (*application).elementwise,
		"relay-relu":                 (*application).elementwise,
		"relay-sqrt":                 (*application).elementwise,
		"relay-negative":             (*application).elementwise,
		"relay-sigmoid":              (*application).elementwise,
		"relay-tanh":                 (*application).elementwise,
		"relay-erf":                  (*application).elementwise,
		"relay-round":                (*application).elementwise,
		"relay-copy":                 (*application).elementwise,
	}
}

func (k *application) transposed(x *value, split int) *value {
	if w, ok := k.wordOf(k.args[1]); ok && (len(x.word) > 0 || hasBlock(x.segs)) {
		cut := x.cut
		switch {
		case k.op.Name == "relay-transpose":
			cut = ranks(x.segs)
		case len(x.word) == 0:
			cut = ranks(x.segs[:split])
		}
		return k.permuted(x, w, cut)
	} else if len(x.word) > 0 {
		panic(escape{fmt.Sprintf("%s permutes dims that %s permutes", k.args[1].Span.Text(), x.word)})
	}
	order := k.permute(k.args[1], x.segs)
	segs := make([]seg, len(order))
	words := []string{"list"}
	for i, a := range order {
		segs[i] = x.segs[a]
		words = append(words, fmt.Sprint(a))
	}
	return k.make(segs, k.splitBySegs(x, split, segs), x.text, "("+strings.Join(words, " ")+")")
}

// splitBySegs carries the split of a transposed pattern over: it is a number of dims, not of parts.
func (k *application) splitBySegs(x *value, split int, segs []seg) int {
	if split == len(x.segs) {
		return len(segs)
	}
	return k.find(ranks(x.segs[:split]), segs, false)
}

func (k *application) slice() *value {
	x := k.expr(k.args[0])
	a := k.axisOf(1, x)
	lo, hi := k.natural(k.args[2]), k.natural(k.args[3])
	return k.make(with(x.segs, a, a+1, dimSeg(k.sized(hi).Sub(k.sized(lo)))), x.split, x.text, fmt.Sprint(a),
		lo.String(), hi.String())
}

// windows takes the compute dims apart: each has a window of its own.
func (k *application) windows() *value {
	x := k.expr(k.args[0])
	for _, s := range x.compute() {
		if s.block != "" {
			k.peel(s.block, false)
		}
	}
	n := len(x.compute())
	w, strides := k.dims(k.shape(k.args[1]), n, "a window"), k.dims(k.shape(k.args[2]), n, "a list of strides")
	var counts []seg
	for i, c := range x.compute() {
		if d, ok := strides[i].size.Const(); ok && d.Sign() == 0 {
			panic(illFormed{"a stride of 0"})
		}
		counts = append(counts, dimSeg(c.size.Sub(w[i].size).Div(strides[i].size).Add(domain.IntSize(1))))
	}
	return k.make(cat(x.access(), counts, w), len(x.segs), x.text, shapeText(w), shapeText(strides))
}

func (k *application) concatenate() *value {
	x, y := k.expr(k.args[0]), k.expr(k.args[1])
	a := k.axisOf(2, x)
	const what = "the operands of access-concatenate agree but on its axis"
	apart := butAxis(x.segs, a)
	k.unify(apart[:x.split], y.access(), what)
	k.unify(apart[x.split:], y.compute(), what)
	return k.make(with(x.segs, a, a+1, dimSeg(x.segs[a].size.Add(y.segs[a].size))), x.split, x.text, y.text, fmt.Sprint(a))
}

func (k *application) relayConcatenate() *value {
	t := k.expr(k.args[1])
	if !t.tuple || len(t.items) == 0 {
		panic(illFormed{"relay-concatenate takes a tuple of tensors"})
	}
	first := t.items[0]
	a := k.axisAt(0, first.segs)
	size := first.segs[a].size
	for _, y := range t.items[1:] {
		k.unify(butAxis(first.segs, a), y.segs, "the operands of relay-concatenate agree but on its axis")
		size = size.Add(y.segs[a].size)
	}
	segs := with(first.segs, a, a+1, dimSeg(size))
	return k.make(segs, len(segs), fmt.Sprint(a), t.text)
}

func (k *application) insertAxis() *value {
	x := k.expr(k.args[0])
	a := k.find(k.int(k.args[1]), x.segs, false)
	split := x.split
	if a > split {
		if onlyBlocks(x.segs[split:a]) { // they may have no dims: then the axis is an access dim
			k.peel(x.segs[split].block, false)
		}
	} else {
		split++
	}
	return k.make(with(x.segs, a, a, dimSeg(domain.IntSize(1))), split, x.text, fmt.Sprint(a))
}

func (k *application) broadcast() *value {
	x := k.expr(k.args[0])
	segs, split := k.ashape(k.args[1])
	if len(x.segs) != len(segs) || !sameBlocks(x.segs, segs) {
		if !hasBlock(x.segs) && !hasBlock(segs) {
			panic(illFormed{fmt.Sprintf("a broadcast of %s to %s", segsText(x.segs), segsText(segs))})
		}
		panic(escape{fmt.Sprintf("a broadcast of %s to %s", segsText(x.segs), segsText(segs))})
	}
	return k.make(segs, x.split, x.text,
		fmt.Sprintf("(access-shape %s %s)", shapeText(segs[:split]), shapeText(segs[split:])))
}

func sameBlocks(x, y []seg) bool {
	return slices.EqualFunc(x, y, func(s, t seg) bool { return s.block == t.block })
}

// flat flattens one side. A side without dims stays as it is: whether blocks have any matters.
func (k *application) flat(segs []seg) []seg {
	if len(segs) == 0 {
		return nil
	}
	if onlyBlocks(segs) {
		k.peel(segs[0].block, false)
	}
	return []seg{dimSeg(sizes(segs))}
}

// reduction makes the rule of a compute that keeps the access dims alone.
func reduction(first bool) func(*application) *value {
	return func(k *application) *value {
		x := k.expr(k.args[0])
		if first {
			k.first(x.compute(), k.op.Name+" takes items with at least one dim")
		}
		return k.make(x.access(), x.split, x.text)
	}
}

func foldsFirst(k *application) *value {
	if pair := k.args[0]; pair.Op != nil && pair.Op.Name == "access-pair" && len(k.rule.Lists) > 0 {
		if v := k.foldsPair(pair); v != nil {
			return v
		}
	}
	x := k.expr(k.args[0])
	k.first(x.compute(), k.op.Name+" takes items with at least one dim")
	return k.make(with(x.segs, x.split, x.split+1), x.split, x.text)
}

func (k *application) softmax() *value {
	x := k.expr(k.args[0])
	k.dims(x.compute(), 1, "an item of softmax")
	return k.make(x.segs, x.split, x.text)
}

// elementwise operators keep the shape of their first operand; the others are numbers and words.
func (k *application) elementwise() *value {
	x := k.expr(k.args[0])
	texts := []string{x.text}
	for i, a := range k.args[1:] {
		texts = append(texts, k.plain(i+1, a))
	}
	return k.make(x.segs, x.split, texts...)
}

// plain prints an operand that is no tensor and no axis.
func (k *application) plain(i int, a *Expr) string {
	switch a.Kind {
	case Number, Token:
		return a.Text
	case TokenName:
		return k.token(a.Text)
	}
	return k.sizeText(k.int(a))
}

func (k *application) alongAxis() *value {
	x := k.expr(k.args[0])
	a := k.axisOf(1, x)
	return k.make(x.segs, x.split, x.text, fmt.Sprint(a))
}

// take puts the dims of the indices, whatever they are, in the place of an axis.
func (k *application) take() *value {
	x, j := k.expr(k.args[0]), k.expr(k.args[1])
	a := k.axisAt(2, x.segs)
	segs := with(x.segs, a, a+1, j.segs...)
	return k.make(segs, len(segs), x.text, j.text, fmt.Sprint(a))
}

func (k *application) meanAlong() *value {
	x := k.expr(k.args[0])
	a := k.axisAt(1, x.segs)
	return k.make(with(x.segs, a, a+1), 0, x.text, fmt.Sprint(a))
}

func (k *application) batchNorm() *value {
	x := k.expr(k.args[0])
	a := k.axisOf(5, x)
	texts := []string{x.text}
	for _, arg := range k.args[1:5] {
		v := k.expr(arg)
		k.dims(v.segs, 1, "a statistic of relay-batch-norm-inference")
		texts = append(texts, v.text)
	}
	return k.make(x.segs, x.split, append(texts, fmt.Sprint(a), k.plain(6, k.args[6]))...)
}

func (k *application) biasAdd() *value {
	x, b := k.expr(k.args[0]), k.expr(k.args[1])
	k.dims(b.segs, 1, "the bias of relay-bias-add")
	a := k.axisOf(2, x)
	return k.make(x.segs, x.split, x.text, b.text, fmt.Sprint(a))
}

// numpy aligns the operands at their last dims.
func (k *application) numpy() *value {
	x, y := k.expr(k.args[0]), k.expr(k.args[1])
	a, b := x.segs, y.segs
	var out []seg
	for len(a) > 0 && len(b) > 0 {
		s, t := a[len(a)-1], b[len(b)-1]
		switch {
		case s.block == "" && t.block == "":
			out = append(out, dimSeg(broadcastSize(s.size, t.size)))
		case s.block == t.block:
			out = append(out, s)
		case s.block != "":
			k.peel(s.block, true)
		default:
			k.peel(t.block, true)
		}
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	for _, rest := range [][]seg{a, b} {
		for i := len(rest) - 1; i >= 0; i-- {
			out = append(out, rest[i])
		}
	}
	slices.Reverse(out)
	return k.make(out, len(out), x.text, y.text)
}

// broadcastSize is the size that two sizes have together, which are equal or one of which is 1.
func broadcastSize(a, b domain.Size) domain.Size {
	one := domain.IntSize(1)
	_, numberA := a.Const()
	_, numberB := b.Const()
	switch {
	case a.Equal(b) || b.Equal(one):
		return a
	case a.Equal(one):
		return b
	case numberA: // not 1, so that b is a or 1
		return a
	case numberB:
		return b
	}
	return a.Mul(b).Min(a.Max(b)) // 0 and 1 give 0
}

func (k *application) expandDims() *value {
	x := k.expr(k.args[0])
	n := k.number(2)
	if n < 0 {
		panic(illFormed{"a negative number of dims"})
	}
	a := k.findSigned(k.int(k.args[1]), x.segs, false)
	ones := make([]seg, n)
	for i := range ones {
		ones[i] = dimSeg(domain.IntSize(1))
	}
	split := x.split
	if a < split && onlyBlocks(x.segs[a:split]) { // they may have no dims: then the ones are compute dims
		k.peel(x.segs[a].block, false)
	} else if a < split {
		split += n
	}
	return k.make(with(x.segs, a, a, ones...), split, x.text, fmt.Sprint(a), fmt.Sprint(n))
}

// stack puts the operands side by side on a new axis.
func (k *application) stack() *value {
	last := len(k.args) - 1
	x := k.expr(k.args[0])
	texts := []string{x.text}
	for _, arg := range k.args[1:last] {
		y := k.expr(arg)
		k.unify(x.segs, y.segs, "the operands of relay-stack have one shape")
		texts = append(texts, y.text)
	}
	a := k.findSigned(k.int(k.args[last]), x.segs, false)
	segs := with(x.segs, a, a, dimSeg(domain.IntSize(int64(last))))
	return k.make(segs, len(segs), append(texts, fmt.Sprint(a))...)
}

// sections cuts an axis in equal parts, or at given places.
func (k *application) sections() *value {
	x := k.expr(k.args[0])
	a := k.axisAt(2, x.segs)
	size := x.segs[a].size
	var sizes []domain.Size
	if isList(k.args[1]) {
		from := domain.IntSize(0)
		for _, cut := range append(k.elements(k.args[1]), size) {
			sizes = append(sizes, cut.Sub(from))
			from = cut
		}
	} else {
		n, ok := k.int(k.args[1]).Int64()
		switch {
		case !ok:
			panic(escape{fmt.Sprintf("the number of parts depends on %s", k.int(k.args[1]))})
		case n < 1 || n > maxParts:
			panic(illFormed{fmt.Sprintf("%d parts", n)})
		}
		sizes = slices.Repeat([]domain.Size{size.Div(domain.IntSize(n))}, int(n))
	}
	out := &value{tuple: true, text: k.call(x.text, k.listText(k.args[1]), fmt.Sprint(a))}
	for i, s := range sizes {
		out.items = append(out.items, &value{segs: with(x.segs, a, a+1, dimSeg(s)),
			text: fmt.Sprintf("(tuple-get-item %s %d)", out.text, i)})
	}
	return out
}

// maxParts is how many parts the language lets relay-split make.
const maxParts = 4096

func (k *application) squeeze() *value {
	x := k.expr(k.args[0])
	gone := map[int]bool{}
	words := []string{"list"}
	for _, axis := range k.elements(k.args[1]) {
		a := k.find(axis, x.segs, true)
		if gone[a] {
			panic(illFormed{fmt.Sprintf("axis %s is listed twice", axis)})
		}
		gone[a] = true
		words = append(words, fmt.Sprint(a))
	}
	var segs []seg
	for i, s := range x.segs {
		if !gone[i] {
			segs = append(segs, s)
		}
	}
	return k.make(segs, len(segs), x.text, "("+strings.Join(words, " ")+")")
}

// layerNorm is along the last dim.
func (k *application) layerNorm() *value {
	x := k.expr(k.args[0])
	if len(x.segs) == 0 {
		panic(illFormed{"relay-layer-norm takes at least one dim"})
	}
	if last := x.segs[len(x.segs)-1]; last.block != "" {
		k.peel(last.block, true)
	}
	texts := []string{x.text}
	for _, arg := range k.args[1:] {
		v := k.expr(arg)
		k.dims(v.segs, 1, "a vector of relay-layer-norm")
		texts = append(texts, v.text)
	}
	return k.make(x.segs, x.split, texts...)
}

func (k *application) tupled() *value {
	out := &value{tuple: true}
	var texts []string
	for _, a := range k.args {
		v := k.expr(a)
		out.items = append(out.items, v)
		texts = append(texts, v.text)
	}
	out.text = k.call(texts...)
	return out
}

func (k *application) item() *value {
	if x := k.args[0]; x.Op != nil && x.Op.Name == "relay-dropout" && k.number(1) == 0 {
		return k.kept(x)
	}
	t := k.expr(k.args[0])
	n := k.number(1)
	if !t.tuple || n < 0 || n >= len(t.items) {
		panic(illFormed{fmt.Sprintf("there is no component %d", n)})
	}
	v := *t.items[n]
	v.text = k.call(t.text, fmt.Sprint(n))
	v.raw = ""
	return &v
}

// kept is the first component of relay-dropout, which is its operand. The other says nothing of groups.
func (k *application) kept(dropout *Expr) *value {
	d := &application{elaborator: k.elaborator, op: dropout.Op, args: dropout.Args, span: dropout.Span}
	x := d.expr(d.args[0])
	text := d.call(x.text, d.plain(1, d.args[1]))
	return &value{segs: x.segs, split: x.split, text: k.call(text, "0")}
}
