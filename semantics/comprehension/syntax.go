package comprehension

import (
	"regexp"
	"strconv"
	"strings"

	"tv/internal/source"
	"tv/semantics/domain"
)

// A Program is a text that was read: doc/languages.md section 3.
type Program struct {
	file       *source.File
	Procedure  bool
	Name       string
	Params     []*Param
	Statements []*Statement
	root       source.Span // the last statement, or the heading
}

// A Param is a parameter of the heading.
type Param struct {
	Number  int // in the heading, from 0
	Name    string
	Elem    domain.Elem
	Dims    []domain.Size
	Span    source.Span
	Written bool // by a statement
	Seen    bool // its contents before the call can be seen
}

// A Statement writes cells of one parameter.
type Statement struct {
	Target *Param
	Free   []*Index // one for each dim of Target
	Summed []*Index // in the order of first occurrence
	Op     string   // "=", "+=" or "+=!"
	Value  *Expr
	Span   source.Span
	whole  bool // no free index has a range of its own
}

// An Index takes the values Lo <= i < Hi.
type Index struct {
	Name   string
	Lo, Hi domain.Size
	known  bool
	span   source.Span
}

// An Expr is a value.
type Expr struct {
	Op     byte // '+', '-', '*' of two; '~' negation; '#' the number Number; 'r' a read
	Args   []*Expr
	Number string
	Tensor *Param
	At     []Subscript
	Span   source.Span
}

// A Subscript is Rest + the sum of Factor·Index.
type Subscript struct {
	Rest  domain.Size
	Terms []Product
	Span  source.Span
}

// A Product is one of a number and an index, each index once in a subscript.
type Product struct {
	Factor int64
	Index  *Index
}

// Parse reads a text. Errors: source.Errors, the codes of doc/languages.md section 3.
func Parse(f *source.File) (p *Program, err error) {
	r := &parser{file: f, sizes: map[string]bool{}}
	defer func() {
		if e := recover(); e != nil {
			problem, ok := e.(*source.Error)
			if !ok {
				panic(e)
			}
			p, err = nil, source.Errors{problem}
		}
	}()
	p = &Program{file: f}
	offset := 0
	for _, line := range strings.SplitAfter(f.Text, "\n") {
		r.scan(line, offset)
		offset += len(line)
		switch {
		case r.end():
		case p.Name == "":
			r.heading(p)
		default:
			p.Statements = append(p.Statements, r.statement(p))
		}
	}
	if p.Name == "" {
		r.fail(source.Span{File: f, End: 0}, "bad-syntax", "a program begins with function or procedure")
	}
	p.contents(r)
	return p, nil
}

// contents tells which parameters are written, and of which the old contents are seen.
func (p *Program) contents(r *parser) {
	covered := map[*Param]bool{}
	for _, s := range p.Statements {
		s.Value.visit(func(e *Expr) {
			if e.Op == 'r' && !covered[e.Tensor] {
				e.Tensor.Seen = true
			}
		})
		s.Target.Written = true
		s.Target.Seen = s.Target.Seen || s.Op == "+=" && !covered[s.Target]
		covered[s.Target] = covered[s.Target] || s.Op != "+=" && s.whole
		p.root = s.Span
	}
	for _, q := range p.Params { // cells that nobody writes keep what they held
		q.Seen = q.Seen || q.Written && !covered[q]
	}
	if len(p.Statements) == 0 {
		r.fail(p.root, "no-result", "%s writes nothing", p.Name)
	}
}

func (e *Expr) visit(f func(*Expr)) {
	for _, a := range e.Args {
		a.visit(f)
	}
	f(e)
}

// A parser reads a line at a time.
type parser struct {
	file   *source.File
	tokens []token
	last   int // the offset behind the last token
	sizes  map[string]bool
	of     *Statement
	names  map[string]*Index
}

type token struct {
	text string
	at   int
}

func (r *parser) fail(span source.Span, code, format string, args ...any) {
	panic(source.Errorf(span, code, format, args...))
}

func letter(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.'
}

// scan takes a line apart: words and numbers, the operators += and +=!, single characters.
func (r *parser) scan(line string, offset int) {
	line, _, _ = strings.Cut(strings.TrimRight(line, "\r\n"), "#")
	r.tokens, r.last = nil, offset
	for i := 0; i < len(line); {
		j := i + 1
		switch c := line[i]; {
		case c == ' ' || c == '\t':
			i = j
			continue
		case letter(c):
			for j < len(line) && (letter(line[j]) || strings.ContainsRune("+-", rune(line[j])) && exponent(line[i:j])) {
				j++
			}
		case strings.HasPrefix(line[i:], "+=!"):
			j = i + 3
		case strings.HasPrefix(line[i:], "+="):
			j = i + 2
		case !strings.ContainsRune("()[],:=+-*", rune(c)):
			r.fail(source.Span{File: r.file, Start: offset + i, End: offset + j}, "bad-syntax", "%q is not of the language", line[i:j])
		}
		r.tokens = append(r.tokens, token{line[i:j], offset + i})
		i, r.last = j, offset+j
	}
}

// exponent tells whether a number ends with the letter behind which a sign may stand.
func exponent(s string) bool {
	return s[0] >= '0' && s[0] <= '9' && strings.HasSuffix(strings.ToLower(s), "e")
}

func (r *parser) end() bool { return len(r.tokens) == 0 }

func (r *parser) peek() string {
	if r.end() {
		return ""
	}
	return r.tokens[0].text
}

func (r *parser) here() source.Span {
	if r.end() {
		return source.Span{File: r.file, Start: r.last, End: r.last}
	}
	return source.Span{File: r.file, Start: r.tokens[0].at, End: r.tokens[0].at + len(r.tokens[0].text)}
}

func (r *parser) next() string {
	t := r.peek()
	if !r.end() {
		r.tokens = r.tokens[1:]
	}
	return t
}

func (r *parser) accept(text string) bool {
	ok := r.peek() == text
	if ok {
		r.next()
	}
	return ok
}

func (r *parser) want(text string) {
	if at := r.here(); !r.accept(text) {
		r.fail(at, "bad-syntax", "%q should be here, not %q", text, r.peek())
	}
}

// name reads a word that is no number.
func (r *parser) name(what string) (string, source.Span) {
	at := r.here()
	t := r.next()
	if t == "" || !letter(t[0]) || t[0] >= '0' && t[0] <= '9' || strings.Contains(t, ".") {
		r.fail(at, "bad-syntax", "%s should be here, not %q", what, t)
	}
	return t, at
}

func (r *parser) list(end string, item func()) {
	if r.accept(end) {
		return
	}
	for {
		item()
		if r.accept(end) {
			return
		}
		r.want(",")
	}
}

func (r *parser) done() {
	if !r.end() {
		r.fail(r.here(), "bad-syntax", "%q is one too many", r.peek())
	}
}

func (r *parser) heading(p *Program) {
	p.root = r.here()
	switch word := r.next(); word {
	case "function", "procedure":
		p.Procedure = word == "procedure"
	default:
		r.fail(p.root, "bad-syntax", "a program begins with function or procedure, not %q", word)
	}
	p.Name, _ = r.name("the name of the program")
	r.want("(")
	r.list(")", func() {
		q := &Param{Number: len(p.Params)}
		q.Name, q.Span = r.name("a parameter")
		if p.param(q.Name) != nil {
			r.fail(q.Span, "redefined-name", "%s is a parameter already", q.Name)
		}
		at := r.here()
		var ok bool
		if q.Elem, ok = domain.ParseElem(r.next()); !ok {
			r.fail(at, "unknown-type", "an element type should be here")
		}
		r.want("[")
		r.list("]", func() {
			q.Dims = append(q.Dims, r.affine().Rest)
		})
		p.Params = append(p.Params, q)
	})
	r.done()
}

func (p *Program) param(name string) *Param {
	for _, q := range p.Params {
		if q.Name == name {
			return q
		}
	}
	return nil
}

// tensor reads the name of a parameter.
func (r *parser) tensor(p *Program) *Param {
	name, at := r.name("a tensor")
	q := p.param(name)
	if q == nil {
		r.fail(at, "unknown-name", "%s is no parameter", name)
	}
	return q
}

func (r *parser) statement(p *Program) *Statement {
	s := &Statement{Span: r.here(), whole: true}
	s.Span.End = r.last
	r.of, r.names = s, map[string]*Index{}
	defer func() { r.of = nil }()
	s.Target = r.tensor(p)
	r.want("(")
	r.list(")", func() {
		name, at := r.name("an index")
		i := r.index(name, at)
		if len(s.Free) < len(s.Target.Dims) {
			i.Hi = s.Target.Dims[len(s.Free)]
		}
		i.known = true
		s.Free = append(s.Free, i)
	})
	if len(s.Free) != len(s.Target.Dims) {
		r.fail(s.Span, "bad-rank", "%s has %d dims, not %d", s.Target.Name, len(s.Target.Dims), len(s.Free))
	}
	at := r.here()
	if s.Op = r.next(); s.Op != "=" && s.Op != "+=" && s.Op != "+=!" {
		r.fail(at, "bad-syntax", "=, += or +=! should be here, not %q", s.Op)
	}
	s.Value = r.sum(p)
	if r.accept("where") {
		r.ranges()
	}
	r.done()
	for _, i := range s.Summed {
		switch {
		case s.Op == "=":
			r.fail(i.span, "free-index", "%s stands on the right alone, and = sums nothing", i.Name)
		case !i.known:
			r.fail(i.span, "range-unknown", "no tensor has %s as a subscript by itself, and no range is given", i.Name)
		}
	}
	return s
}

// index makes an index of the statement.
func (r *parser) index(name string, at source.Span) *Index {
	if r.names[name] != nil || r.sizes[name] {
		r.fail(at, "redefined-name", "%s is an index or a size already", name)
	}
	i := &Index{Name: name, span: at}
	r.names[name] = i
	return i
}

// ranges reads what stands behind where.
func (r *parser) ranges() {
	given := map[*Index]bool{}
	for {
		name, at := r.name("an index")
		i := r.names[name]
		if i == nil || given[i] {
			r.fail(at, "unknown-name", "%s is no index of the statement, or has a range already", name)
		}
		given[i], i.known = true, true
		r.want("in")
		of := r.of
		r.of = nil // no indices in ranges
		i.Lo = r.affine().Rest
		r.want(":")
		i.Hi = r.affine().Rest
		r.of = of
		for _, f := range of.Free {
			of.whole = of.whole && f != i
		}
		if !r.accept(",") {
			return
		}
	}
}

// A decimal is a number that can be written down.
var decimal = regexp.MustCompile(`^[0-9]{1,300}(\.[0-9]{0,300})?([eE][+-]?[0-9]{1,3})?$`)

func (r *parser) sum(p *Program) *Expr {
	x := r.product(p)
	for r.peek() == "+" || r.peek() == "-" {
		op := r.next()[0]
		y := r.product(p)
		x = &Expr{Op: op, Args: []*Expr{x, y}, Span: over(x.Span, y.Span)}
	}
	return x
}

func over(x, y source.Span) source.Span { return source.Span{File: x.File, Start: x.Start, End: y.End} }

func (r *parser) product(p *Program) *Expr {
	x := r.factor(p)
	for r.accept("*") {
		y := r.factor(p)
		x = &Expr{Op: '*', Args: []*Expr{x, y}, Span: over(x.Span, y.Span)}
	}
	return x
}

func (r *parser) factor(p *Program) *Expr {
	at := r.here()
	switch t := r.peek(); {
	case r.accept("-"):
		x := r.factor(p)
		return &Expr{Op: '~', Args: []*Expr{x}, Span: over(at, x.Span)}
	case r.accept("("):
		x := r.sum(p)
		r.want(")")
		return x
	case t != "" && t[0] >= '0' && t[0] <= '9':
		if !decimal.MatchString(t) {
			r.fail(at, "bad-syntax", "%q is no number", t)
		}
		return &Expr{Op: '#', Number: r.next(), Span: at}
	}
	e := &Expr{Op: 'r', Tensor: r.tensor(p), Span: at}
	if e.Tensor.Elem != r.of.Target.Elem {
		r.fail(at, "type-mismatch", "%s is of %s, %s of %s", e.Tensor.Name, e.Tensor.Elem, r.of.Target.Name, r.of.Target.Elem)
	}
	r.want("(")
	r.list(")", func() {
		s := r.affine()
		if k := len(e.At); k < len(e.Tensor.Dims) && len(s.Terms) == 1 && s.Terms[0].Factor == 1 && s.Rest.Equal(domain.IntSize(0)) {
			if i := s.Terms[0].Index; !i.known {
				i.Hi, i.known = e.Tensor.Dims[k], true
			}
		}
		e.At = append(e.At, s)
	})
	if len(e.At) != len(e.Tensor.Dims) {
		r.fail(at, "bad-rank", "%s has %d dims, not %d", e.Tensor.Name, len(e.Tensor.Dims), len(e.At))
	}
	return e
}

// affine reads a subscript; outside of statements, a size.
func (r *parser) affine() Subscript {
	at := r.here()
	x := r.affineProduct()
	for r.peek() == "+" || r.peek() == "-" {
		sign := map[string]int64{"+": 1, "-": -1}[r.next()]
		x = x.plus(r.affineProduct().times(sign))
	}
	x.Span = at
	return x
}

func (r *parser) affineProduct() Subscript {
	at := r.here()
	x := r.affineFactor()
	for r.accept("*") {
		y := r.affineFactor()
		n, number := y.Rest.Int64()
		m, other := x.Rest.Int64()
		switch {
		case len(x.Terms)+len(y.Terms) == 0:
			x.Rest = x.Rest.Mul(y.Rest)
		case len(y.Terms) == 0 && number:
			x = x.times(n)
		case len(x.Terms) == 0 && other:
			x = y.times(m)
		default:
			r.fail(at, "not-affine", "an index is multiplied by more than a number")
		}
		for _, t := range x.Terms {
			if max(t.Factor, -t.Factor) > 1<<31 || max(n, -n, m, -m) > 1<<31 {
				r.fail(at, "not-affine", "an index is multiplied by too large a number")
			}
		}
	}
	return x
}

func (r *parser) affineFactor() Subscript {
	if r.accept("-") {
		return r.affineFactor().times(-1)
	}
	if r.accept("(") {
		x := r.affine()
		r.want(")")
		return x
	}
	at := r.here()
	if n, err := strconv.ParseInt(r.peek(), 10, 32); err == nil {
		r.next()
		return Subscript{Rest: domain.IntSize(n)}
	}
	name, _ := r.name("an index, a size or a number")
	switch {
	case r.names[name] != nil && r.of != nil:
		return Subscript{Terms: []Product{{1, r.names[name]}}}
	case r.names[name] != nil:
		r.fail(at, "redefined-name", "%s is an index, and ranges are made of sizes", name)
	case r.names == nil: // in the heading, which says what sizes there are
		r.sizes[name] = true
		return Subscript{Rest: domain.NamedSize(name)}
	case r.sizes[name]:
		return Subscript{Rest: domain.NamedSize(name)}
	case r.of == nil:
		r.fail(at, "unknown-name", "%s is no size of the heading", name)
	}
	i := r.index(name, at)
	r.of.Summed = append(r.of.Summed, i)
	return Subscript{Terms: []Product{{1, i}}}
}

func (x Subscript) times(n int64) Subscript {
	out := Subscript{Rest: x.Rest.Mul(domain.IntSize(n))}
	for _, t := range x.Terms {
		if t.Factor *= n; t.Factor != 0 {
			out.Terms = append(out.Terms, t)
		}
	}
	return out
}

func (x Subscript) plus(y Subscript) Subscript {
	out := Subscript{Rest: x.Rest.Add(y.Rest)}
	for _, t := range x.Terms {
		for _, u := range y.Terms {
			if u.Index == t.Index {
				t.Factor += u.Factor
			}
		}
		if t.Factor != 0 {
			out.Terms = append(out.Terms, t)
		}
	}
	for _, u := range y.Terms {
		known := false
		for _, t := range x.Terms {
			known = known || t.Index == u.Index
		}
		if !known {
			out.Terms = append(out.Terms, u)
		}
	}
	return out
}
