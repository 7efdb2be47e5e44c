package comprehension

import (
	"math/big"
	"regexp"
	"slices"
	"strings"

	"tv/internal/source"
	"tv/semantics/domain"
)

// A node is an expression: a dim, an end of a range, a subscript or a value.
type node struct {
	op    byte // '0' a number, 'x' a name, '(' a read, '+', '-', '*', or '~' of one operand
	span  source.Span
	args  []*node
	depth int
	param int      // that a read reads
	subs  []affine // its subscripts
}

// An affine is a sum of indices, each times a number, and of a size, which stands at "".
type affine map[string]domain.Size

// An index takes the values from lo to hi - 1.
type index struct {
	name          string
	lo, hi        domain.Size
	known, ranged bool // has a range, has one that is written
}

type statement struct {
	target  int
	op      string
	value   *node
	indices []*index // the free ones, one for each dim, then the summed ones
	reads   []*node
}

type param struct {
	name string
	dims []domain.Size
	elem domain.Elem
	span source.Span
}

type parser struct {
	*program
	tokens []source.Span // the last one is empty
}

var token = regexp.MustCompile(`^([ \t\r]+|#.*|[A-Za-z_]\w*(\.\d+)?|` + // types have a point
	`(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|\+=!|\+=|[\n=+*(),:\[\]-])`)

const letters = "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

func check(ok bool, at source.Span, code, format string, args ...any) {
	if !ok {
		panic(source.Errors{source.Errorf(at, code, format, args...)})
	}
}

func (p *parser) scan(f *source.File) {
	for at, n := 0, 0; at < len(f.Text); at += n {
		n = len(token.FindString(f.Text[at:]))
		s := source.Span{File: f, Start: at, End: at + n}
		check(n > 0, s, "bad-syntax", "a character that no word begins with")
		if !strings.ContainsAny(f.Text[at:at+1], " \t\r#") {
			p.tokens = append(p.tokens, s)
		}
	}
	p.tokens = append(p.tokens, source.Span{File: f, Start: len(f.Text), End: len(f.Text)})
}

func (p *parser) is(texts ...string) bool { return slices.Contains(texts, p.tokens[0].Text()) }

func (p *parser) next() source.Span {
	s := p.tokens[0]
	p.tokens = p.tokens[min(1, len(p.tokens)-1):]
	return s
}

// expect takes one of some words.
func (p *parser) expect(texts ...string) source.Span {
	check(p.is(texts...), p.tokens[0], "bad-syntax", "expected %q", texts)
	return p.next()
}

// begins reports whether a word begins with one of some characters.
func begins(s source.Span, with string) bool {
	return s.Text() != "" && strings.Contains(with, s.Text()[:1])
}

func (p *parser) name() source.Span {
	check(begins(p.tokens[0], letters), p.tokens[0], "bad-syntax", "expected a name")
	return p.next()
}

// list takes items with commas between.
func (p *parser) list(first, last string, item func()) {
	if p.expect(first); p.is(last) {
		p.next()
		return
	}
	for item(); p.expect(",", last).Text() == ","; {
		item()
	}
}

func (p *parser) heading() {
	p.procedure = p.expect("function", "procedure").Text() == "procedure"
	p.name()
	p.list("(", ")", func() {
		q := &param{span: p.name()}
		q.name = q.span.Text()
		check(p.find(q.name) < 0, q.span, "redefined-name", "%s is a parameter already", q.name)
		t, ok := p.next(), false
		q.elem, ok = domain.ParseElem(t.Text())
		check(ok, t, "unknown-type", "%s is no element type", t.Text())
		p.list("[", "]", func() {
			d := p.sum()
			d.names(func(s source.Span) { p.sizes[s.Text()] = true })
			q.dims = append(q.dims, p.size(d))
		})
		p.params = append(p.params, q)
	})
	p.expect("\n", "")
}

func (p *program) find(name string) int {
	return slices.IndexFunc(p.params, func(q *param) bool { return q.name == name })
}

func (p *parser) tensor(at source.Span) int {
	i := p.find(at.Text())
	check(i >= 0, at, "unknown-name", "%s is no parameter", at.Text())
	return i
}

func (s *statement) index(name string) *index {
	if i := slices.IndexFunc(s.indices, func(x *index) bool { return x.name == name }); i >= 0 {
		return s.indices[i]
	}
	return nil
}

func (p *parser) statement() {
	at := p.name()
	s := &statement{target: p.tensor(at)}
	p.list("(", ")", func() {
		x := p.name()
		check(!p.sizes[x.Text()] && s.index(x.Text()) == nil, x, "redefined-name",
			"%s is a size or an index already", x.Text())
		s.indices = append(s.indices, &index{name: x.Text(), known: true})
	})
	dims := p.params[s.target].dims
	check(len(s.indices) == len(dims), at, "bad-rank", "%s has %d dims", at.Text(), len(dims))
	for k, d := range dims {
		s.indices[k].hi = d
	}
	s.op = p.expect("=", "+=", "+=!").Text()
	s.value = p.sum()
	p.resolve(s, s.value)
	for on := p.is("where"); on; on = p.is(",") {
		p.next()
		p.ranged(s)
	}
	for _, x := range s.indices {
		check(x.known, at, "range-unknown", "no range of %s is known", x.name)
	}
	check(s.op != "=" || len(s.indices) == len(dims), at, "free-index", "a sum needs += or +=!")
	p.expect("\n", "")
	p.statements = append(p.statements, s)
}

// ranged reads a range.
func (p *parser) ranged(s *statement) {
	at := p.name()
	x := s.index(at.Text())
	check(!p.sizes[at.Text()], at, "redefined-name", "%s is a size", at.Text())
	check(x != nil, at, "unknown-name", "%s is no index of the statement", at.Text())
	check(!x.ranged, at, "redefined-name", "%s has a range already", at.Text())
	p.expect("in")
	x.lo = p.size(p.sum())
	p.expect(":")
	x.hi, x.known, x.ranged = p.size(p.sum()), true, true
}

// resolve finds what a value reads, and its summed indices, from left to right.
func (p *parser) resolve(s *statement, n *node) {
	check(n.op != 'x', n.span, "bad-syntax", "a value has no names but of tensors")
	if n.op != '(' {
		for _, a := range n.args {
			p.resolve(s, a)
		}
		return
	}
	n.param = p.tensor(n.span)
	q := p.params[n.param]
	check(q.elem == p.params[s.target].elem, n.span, "type-mismatch", "%s is of %s", q.name, q.elem)
	check(len(n.args) == len(q.dims), n.span, "bad-rank", "%s has %d dims", q.name, len(q.dims))
	for k, sub := range n.args {
		sub.names(func(at source.Span) {
			if !p.sizes[at.Text()] && s.index(at.Text()) == nil {
				s.indices = append(s.indices, &index{name: at.Text()})
			}
		})
		if x := s.index(sub.span.Text()); sub.op == 'x' && x != nil && !x.known {
			x.hi, x.known = q.dims[k], true
		}
		n.subs = append(n.subs, s.affine(sub))
	}
	s.reads = append(s.reads, n)
}

func join(op byte, at source.Span, args ...*node) *node {
	n := &node{op: op, span: at, args: args, depth: 1}
	for _, a := range args {
		n.depth = max(n.depth, a.depth+1)
	}
	return n
}

func (p *parser) sum() *node {
	x := p.term()
	for p.is("+", "-") {
		at := p.next()
		x = join(at.Text()[0], at, x, p.term())
	}
	return x
}

func (p *parser) term() *node {
	x := p.factor()
	for p.is("*") {
		x = join('*', p.next(), x, p.factor())
	}
	return x
}

// factor reads an operand; "-" of one binds closest.
func (p *parser) factor() *node {
	if p.is("-") {
		return join('~', p.next(), p.factor())
	}
	at := p.next()
	switch named := begins(at, letters); {
	case named && p.is("("):
		n := join('(', at)
		p.list("(", ")", func() { n = join('(', at, append(n.args, p.sum())...) })
		return n
	case named:
		return join('x', at)
	case begins(at, ".0123456789"):
		return join('0', at)
	}
	check(at.Text() == "(", at, "bad-syntax", "expected an operand")
	x := p.sum()
	p.expect(")")
	return x
}

// names visits the names of n from left to right, but for those of tensors.
func (n *node) names(visit func(source.Span)) {
	if n.op == 'x' {
		visit(n.span)
	}
	for _, a := range n.args {
		a.names(visit)
	}
}

// size is a dim or an end of a range, where all names are sizes.
func (p *parser) size(n *node) domain.Size {
	n.names(func(at source.Span) {
		check(p.sizes[at.Text()], at, "unknown-name", "%s is no size", at.Text())
	})
	return n.polynomial()
}

// polynomial is the value of n over its names.
func (n *node) polynomial() (out domain.Size) {
	var args []domain.Size
	check(n.op != '(', n.span, "bad-syntax", "a read stands where an integer does")
	for _, a := range n.args {
		args = append(args, a.polynomial())
	}
	switch n.op {
	case '0':
		v, ok := new(big.Int).SetString(n.span.Text(), 10)
		check(ok, n.span, "bad-syntax", "%s is no integer", n.span.Text())
		out = domain.BigSize(v)
	case 'x':
		out = domain.NamedSize(n.span.Text())
	case '+':
		out = args[0].Add(args[1])
	case '-':
		out = args[0].Sub(args[1])
	case '~':
		out = out.Sub(args[0])
	case '*':
		out = args[0].Mul(args[1])
	}
	check(!out.TooLarge(), n.span, "too-large", "a size is too large")
	return out
}

// affine takes a subscript apart by the indices.
func (s *statement) affine(n *node) affine {
	whole := n.polynomial()
	out, rest := affine{}, whole
	for _, x := range s.indices {
		at := func(v int64) domain.Size {
			return whole.Subst(map[string]domain.Size{x.name: domain.IntSize(v)})
		}
		c := at(1).Sub(at(0))
		_, number := c.Const()
		check(number, n.span, "not-affine", "%s times what is no number", x.name)
		out[x.name], rest = c, rest.Sub(c.Mul(domain.NamedSize(x.name)))
	}
	for _, x := range s.indices {
		check(!slices.Contains(rest.Names(), x.name), n.span, "not-affine", "%s twice", x.name)
	}
	out[""] = rest
	return out
}
