package rule

import (
	"fmt"
	"slices"
	"strings"

	"tv/semantics/domain"
)

// Permutations of any number of dims. A list of the rule that permutes dims of groups stays unknown: what is known of it
// is that it is a permutation of so many dims. A value that is transposed by such lists is kept as it was before, with a
// word over the lists beside it, and operators that treat all dims alike, or one of them, work on what was there before:
// they would do the same to the same dims under any order. Two values with one word are equal if what stands before it
// is. So no program of a case holds the transposes, and each is an instance, the one in which all lists are 0, 1, ...

// A letter is a list of the rule, or its inverse.
type letter struct {
	list    string
	inverse bool
}

// A word is a composition of permutations: (at (compose L M) i) is (at L (at M i)).
type word []letter

// then returns the composition of w and u, without what cancels.
func (w word) then(u word) word {
	w, u = slices.Clone(w), slices.Clone(u)
	for len(w) > 0 && len(u) > 0 && w[len(w)-1].list == u[0].list && w[len(w)-1].inverse != u[0].inverse {
		w, u = w[:len(w)-1], u[1:]
	}
	return append(w, u...)
}

func (w word) inverse() word {
	out := make(word, 0, len(w))
	for _, l := range slices.Backward(w) {
		out = append(out, letter{l.list, !l.inverse})
	}
	return out
}

func (w word) String() string {
	var parts []string
	for _, l := range w {
		if l.inverse {
			parts = append(parts, "the inverse of "+l.list)
		} else {
			parts = append(parts, l.list)
		}
	}
	return strings.Join(parts, ", ")
}

// A position is an axis: element at of the permutation by.
type position struct {
	by word
	at domain.Size
}

// wordOf returns what a list is as a word; ok is false for one whose elements are known, or are to be enumerated.
func (e *elaborator) wordOf(x *Expr) (w word, ok bool) {
	if x.Kind == ListName {
		if w, ok := e.a.words[x.Text]; ok {
			return w, true
		}
		_, known := e.a.lists[x.Text]
		return word{{list: x.Text}}, !known && !e.a.ranked
	}
	switch x.Text {
	case "compose":
		w, okL := e.wordOf(x.Args[0])
		u, okM := e.wordOf(x.Args[1])
		if okL != okM {
			panic(escape{fmt.Sprintf("%s composes a list of the rule with another", x.Span.Text())})
		}
		return w.then(u), okL
	case "inverse":
		w, ok := e.wordOf(x.Args[0])
		return w.inverse(), ok
	}
	return nil, false
}

// fix states that the lists of a word are permutations of n dims. A transpose on the left side says that of the list that
// it has alone, or after others that are known: what is composed before may be longer than n. All others have to be
// known already.
func (e *elaborator) fix(w word, n domain.Size) {
	for i, l := range w {
		known, ok := e.lengths[l.list]
		switch {
		case !ok && (e.right || len(w) > 1 && (l.inverse || i < len(w)-1)):
			panic(escape{fmt.Sprintf("%s is a list that no transpose on the left side has by itself", l.list)})
		case !ok:
			e.lengths[l.list] = n
		case !known.Equal(n) && e.right:
			panic(escape{fmt.Sprintf("%s permutes %s dims and %s", l.list, known, n)})
		case !known.Equal(n):
			e.apart = append(e.apart, fmt.Sprintf("%s permutes %s dims and %s", l.list, known, n))
		}
	}
}

// together checks that the dims that a list permutes in several places of the left side are as many: what else the left
// side says may have made them the same.
func (e *elaborator) together() {
	if len(e.apart) > 0 {
		panic(escape{e.apart[0]})
	}
}

// permuted returns x transposed by a word; cut is the number of access dims of the result.
func (k *application) permuted(x *value, w word, cut domain.Size) *value {
	k.fix(w, ranks(x.segs))
	out := &value{segs: x.segs, split: len(x.segs), word: x.word.then(w), cut: cut}
	if len(out.word) == 0 {
		out.split = k.find(cut, x.segs, false)
		out.word = nil
	}
	out.text = fmt.Sprintf("(access %s %d)", x.text, out.split)
	return out
}

// position returns the axis that an integer names.
func (e *elaborator) position(x *Expr) position {
	if p, ok := e.a.places[x.Text]; ok && x.Kind == IntName {
		return p
	}
	if x.Kind == IntOp && x.Text == "at" {
		if w, ok := e.wordOf(x.Args[0]); ok {
			p := e.position(x.Args[1])
			return position{w.then(p.by), p.at}
		}
	}
	return position{at: e.int(x)}
}

// axisOf finds the axis that operand i names among the parts of x. It takes the case apart where that is an integer of
// the rule that nothing fixed so far.
func (k *application) axisOf(i int, x *value) int {
	p := k.position(k.args[i])
	by := x.word.then(p.by)
	signed := k.op.OperandAt(i, len(k.args)).Signed
	switch {
	case len(x.word) == 0 && len(p.by) == 0 && signed:
		return k.findSigned(p.at, x.segs, true)
	case len(x.word) == 0 && len(p.by) == 0:
		return k.find(p.at, x.segs, true)
	}
	for _, l := range p.by {
		if n, ok := k.lengths[l.list]; !ok || !n.Equal(ranks(x.segs)) {
			panic(escape{fmt.Sprintf("%s does not permute the dims that it is an axis of", l.list)})
		}
	}
	q := k.unsettled(p.at.Name())
	switch {
	case len(by) == 0 && (q == "" || !signed):
		return k.find(p.at, x.segs, true)
	case q == "" || k.right || signed:
		panic(escape{fmt.Sprintf("%s moves the axis %s", by, k.args[i].Span.Text())})
	}
	var alts []alternative
	at := domain.IntSize(0)
	for _, s := range x.segs {
		here := at
		if s.block == "" {
			alts = append(alts, func(a *assignment) {
				a.places[q] = position{by.inverse(), here}
				a.note("%s is axis %s before %s", q, here, x.word)
			})
		} else {
			alts = append(alts, func(a *assignment) {
				before, dim, after := a.around(s.block)
				a.places[q] = position{by.inverse(), here.Add(before.rank())}
				a.replaceBlock(s.block, []seg{before, dim, after})
				a.note("%s is %s, %s is its dim %s before %s", s.block, segsText([]seg{before, dim, after}), q, dim.size, x.word)
			})
		}
		at = at.Add(s.rank())
	}
	panic(split{alts})
}

// around makes the parts of a block of which one dim is singled out.
func (a *assignment) around(block string) (before, dim, after seg) {
	before, after = blockSeg(a.freshName(block, true)), blockSeg(a.freshName(block, true))
	return before, dimSeg(domain.NamedSize(a.freshName(block, false))), after
}

// alike are the operators that do the same to all dims of their operands, or to those but one axis.
var alike = map[string]bool{
	"access": true, "access-transpose": true, "relay-transpose": true, "access-slice": true, "access-pad": true,
	"access-concatenate": true, "construct-tuple": true, "tuple-get-item": true, "relay-bias-add": true,
	"relay-batch-norm-inference": true, "relay-softmax": true, "relay-log-softmax": true,
	"relay-add": true, "relay-multiply": true, "relay-divide": true, "relay-maximum": true, "relay-minimum": true,
	"relay-left-shift": true, "relay-right-shift": true, "relay-leaky-relu": true, "relay-clip": true, "relay-cast": true,
	"relu": true, "negative": true, "sqrt": true, "relay-relu": true, "relay-sqrt": true, "relay-negative": true,
	"relay-sigmoid": true, "relay-tanh": true, "relay-erf": true, "relay-round": true, "relay-copy": true,
}

// expr returns the value of an operand.
func (k *application) expr(x *Expr) *value {
	v := k.elaborator.expr(x)
	if w := v.anyWord(); len(w) > 0 && !alike[k.op.Name] {
		panic(escape{fmt.Sprintf("%s of dims that %s permutes", k.op.Name, w)})
	}
	k.operands = append(k.operands, v)
	return v
}

// anyWord returns the word of a value or of a component.
func (v *value) anyWord() word {
	for _, item := range v.items {
		if w := item.anyWord(); len(w) > 0 {
			return w
		}
	}
	return v.word
}

// inOrder returns the value of an expression that no word permutes.
func (e *elaborator) inOrder(x *Expr) *value {
	v := e.expr(x)
	if w := v.anyWord(); len(w) > 0 {
		panic(escape{fmt.Sprintf("the shape of %s is permuted by %s", x.Span.Text(), w)})
	}
	return v
}

// besideVectors are those of them whose further operands are vectors along an axis of the first.
var besideVectors = map[string]bool{"relay-bias-add": true, "relay-batch-norm-inference": true}

// inWord gives the result of an operator the word that its operands have.
func (k *application) inWord(out *value) *value {
	switch k.op.Name {
	case "access", "access-transpose", "relay-transpose", "construct-tuple", "tuple-get-item":
		return out // they say it themselves
	}
	var first *value
	for i, v := range k.operands {
		if len(v.word) > 0 && (i == 0 || !besideVectors[k.op.Name]) {
			first = v
			break
		}
	}
	for i, v := range k.operands {
		switch {
		case first == nil && len(v.word) == 0, v == first, len(v.word) == 0 && len(v.segs) == 0:
		case i > 0 && len(v.word) == 0 && besideVectors[k.op.Name]:
		case first != nil && slices.Equal(v.word, first.word) && v.cut.Equal(first.cut):
		default:
			panic(escape{fmt.Sprintf("the operands of %s are permuted in several ways", k.op.Name)})
		}
	}
	if first == nil {
		return out
	}
	out.word, out.cut = first.word, first.cut
	if out.split != len(out.segs) {
		out.split, out.text = len(out.segs), fmt.Sprintf("(access %s %d)", out.text, len(out.segs))
	}
	return out
}

// cutAt returns a value that a word permutes with so many access dims.
func (k *application) cutAt(x *value, n domain.Size) *value {
	for _, name := range n.Names() {
		if !isRank(name) {
			panic(escape{fmt.Sprintf("%s counts dims that %s permutes", n, x.word)})
		}
	}
	if !k.atLeast(n, 0) || !k.atLeast(ranks(x.segs).Sub(n), 0) {
		panic(escape{fmt.Sprintf("%s may not be a place among dims that %s permutes", countText(n), x.word)})
	}
	out := *x
	out.cut = n
	return &out
}

// foldsPair returns an elementwise fold of a pair of values that one word permutes, or nil where none does.
func (k *application) foldsPair(pair *Expr) *value {
	x, y := k.elaborator.expr(pair.Args[0]), k.elaborator.expr(pair.Args[1])
	if len(x.word) == 0 && len(y.word) == 0 {
		return nil
	}
	if !slices.Equal(x.word, y.word) || !x.cut.Equal(y.cut) {
		panic(escape{fmt.Sprintf("a pair of what %s and what %s permutes", x.word, y.word)})
	}
	k.unify(x.segs, y.segs, "the operands of access-pair have one shape")
	text := k.call(fmt.Sprintf("(access-pair (access %s 0) (access %s 0))", x.text, y.text))
	out := *x
	out.text = fmt.Sprintf("(access %s %d)", text, len(x.segs))
	return &out
}

// sidesOf returns the integers that a condition compares. Axes behind one permutation are equal if they are before it; that
// such an axis is one of as many as the permutation has elements is always so.
func (e *elaborator) sidesOf(g *Guard) (a, b domain.Size, always bool) {
	x, y := e.position(g.A), e.position(g.B)
	switch {
	case len(x.by) == 0 && len(y.by) == 0, g.Op == "=" && slices.Equal(x.by, y.by):
		return x.at, y.at, false
	case len(x.by) == 0 && g.Op == "<=" && x.at.Equal(domain.IntSize(0)),
		len(y.by) == 0 && g.Op == "<" && e.lengths[x.by[0].list].Equal(y.at):
		return a, b, true
	}
	panic(escape{fmt.Sprintf("a condition on an axis behind %s", x.by.then(y.by))})
}

// wordAtom returns what a condition is on lists that are kept as they are; ok is false for other ones. An equation that
// has to hold says what one of the lists is in terms of the others.
func (e *elaborator) wordAtom(g *Guard) (c condition, ok bool) {
	w, ok := e.fixedWord(g.A)
	if !ok {
		return condition{}, false
	}
	switch {
	case g.Op == "permutation" && e.lengthOf(g.A).Equal(e.int(g.B)):
		return decided(true), true
	case g.Op == "permutation":
		panic(escape{fmt.Sprintf("a condition on the number of elements of %s", w)})
	}
	u, isWord := e.fixedWord(g.B)
	if !isWord && !e.identity(g.B, e.lengthOf(g.A)) {
		panic(escape{fmt.Sprintf("a condition on the elements of %s", w)})
	}
	same := w.then(u.inverse())
	if len(same) == 0 {
		return decided(true), true
	}
	for i, l := range same {
		others := slices.Concat(same[:i], same[i+1:])
		if !slices.Contains(e.rule.Where, g) || slices.ContainsFunc(others, func(o letter) bool { return o.list == l.list }) {
			continue
		}
		is := same[:i].inverse().then(same[i+1:].inverse())
		if l.inverse {
			is = is.inverse()
		}
		panic(split{[]alternative{func(a *assignment) { a.words[l.list] = is }}})
	}
	panic(escape{fmt.Sprintf("a condition on the elements of %s", same)})
}

// fixedWord returns a list as a word over lists of which the left side says that they are permutations.
func (e *elaborator) fixedWord(x *Expr) (w word, ok bool) {
	w, ok = e.wordOf(x)
	for _, l := range w {
		if _, fixed := e.lengths[l.list]; !fixed {
			return nil, false
		}
	}
	return w, ok
}

// lengthOf returns how many elements a list has that is a word.
func (e *elaborator) lengthOf(x *Expr) domain.Size {
	for x.Kind != ListName {
		x = x.Args[0]
	}
	if w := e.a.words[x.Text]; len(w) > 0 {
		return e.lengths[w[0].list]
	}
	return e.lengths[x.Text]
}

// identity tells whether a list is 0 .. n-1.
func (e *elaborator) identity(x *Expr, n domain.Size) bool {
	l := joined(e.list(x))
	return len(l) == 1 && l[0].lo.Equal(domain.IntSize(0)) && l[0].hi.Equal(n)
}
