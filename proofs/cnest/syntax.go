package cnest

import (
	"slices"
	"strings"

	"tv/internal/source"
)

// A node is an expression (6.5).
type node struct {
	op   string // name, number, call, [], cast, neg, deref, addr, or as it is written
	text string // of a number, or of a function that is called
	args []*node
	v    *variable // of a name
	typ  ctype     // of a cast
	at   source.Span
}

// A variable is a parameter or local.
type variable struct {
	name     string
	typ      ctype   // of it, or of elements
	dims     []*node // nil where there is no extent
	array    bool    // or a pointer
	readonly bool
	static   bool // an extent is promised
	alone    bool // what is written by it or others is accessed by one alone (6.7.3.1)
	param    bool
	gone     *variable // how far a pointer has gone, of one that goes
	at       source.Span
}

// A stmt is a statement or declaration (6.8).
type stmt struct {
	op         string // "declare", "do" an expression, "for", "if", "return", "block", "forget"
	v          *variable
	x          *node // an initial value, an expression, a condition, a result; or nil
	step       *node
	within     bool    // the step is a statement of the body
	init       []*stmt // of a for
	body, rest []*stmt // rest is what else is followed by
	at         source.Span
}

// A function is one of the text. It is parsed once it is asked for.
type function struct {
	name       string
	head, code []token // what stands in front of its parameters, and from there on
	result     ctype
	params     []*variable
	body       []*stmt
	parsed     bool
	contract   bool // see contracts.go
	out        *outside
	at         source.Span
}

// A parser takes the tokens of a function.
type parser struct {
	list   []token
	end    source.Span
	scopes []map[string]*variable
	out    *outside
	nested int
}

// functions takes a text apart. Declarations of what is none are left out, and so are not known.
func functions(list []token) (out []*function) {
	o := &outside{constants: map[string]*node{}, arrays: map[string]*variable{}}
	for begin, i, depth, name := 0, 0, 0, -1; i < len(list); i++ {
		t := list[i]
		switch t.text {
		case "(":
			if depth++; depth == 1 && name < 0 {
				name = i - 1
			}
		case ")":
			depth--
		case "{":
			end := i
			for open := 0; ; end++ {
				check(end < len(list), t.at, "bad-syntax", "a { without its }")
				if list[end].text == "{" {
					open++
				} else if list[end].text == "}" {
					open--
				}
				if open == 0 {
					break
				}
			}
			if i > begin && list[i-1].text == ")" && name > begin {
				f := &function{name: list[name].text, head: list[begin:name], out: o,
					code: list[name+1 : end+1], at: list[name].at}
				for _, g := range out {
					check(g.name != f.name, f.at, "redefined-name", "%s is defined twice", f.name)
				}
				out, begin, name = append(out, f), end+1, -1
			}
			i = end
		case ";":
			if name < 0 || name < begin || list[begin].text == "enum" || slices.ContainsFunc(
				list[begin:name+1], func(t token) bool { return t.text == "=" || t.text == "{" }) {
				o.defines(list[begin:i], t.at)
			}
			begin, name, depth = i+1, -1, 0
		}
	}
	return out
}

// parse takes a function apart.
func (f *function) parse() {
	if f.parsed {
		return
	}
	p := &parser{list: f.head, end: f.at, out: f.out}
	s := p.specifiers()
	check(len(p.list) == 0, f.at, "unsupported-op", "%s does not return a number", f.name)
	f.result = s.typ
	p.list, p.scopes = f.code, []map[string]*variable{f.out.arrays, {}}
	if p.want("("); p.is("void") && p.list[1].text == ")" {
		p.next()
	}
	for !p.is(")") {
		s := p.specifiers()
		check(!s.static, p.here(), "bad-syntax", "a parameter is not static")
		v := p.declarator(s)
		v.param = true
		if f.params = append(f.params, v); !p.is(")") {
			p.want(",")
			check(!p.is(")"), p.here(), "bad-syntax", "expected a parameter")
		}
	}
	p.want(")")
	f.parsed = true
	for _, v := range f.params {
		f.body = append(f.body, p.walks(v)...)
	}
	f.body = append(f.body, p.braces()...) // the parameters have the scope of the body (6.2.1)
}

func (p *parser) here() source.Span {
	if len(p.list) == 0 {
		return p.end
	}
	return p.list[0].at
}

func (p *parser) is(texts ...string) bool {
	return len(p.list) > 0 && slices.Contains(texts, p.list[0].text)
}

func (p *parser) next() token {
	check(len(p.list) > 0, p.end, "bad-syntax", "the text ends here")
	t := p.list[0]
	p.list = p.list[1:]
	return t
}

func (p *parser) accept(text string) bool {
	if p.is(text) {
		p.next()
		return true
	}
	return false
}

func (p *parser) want(text string) token {
	check(p.is(text), p.here(), "bad-syntax", "expected %s", text)
	return p.next()
}

// deeper bounds how deep expressions and statements nest.
func (p *parser) deeper() func() {
	p.nested++
	check(p.nested <= maxNested, p.here(), "too-large", "more than %d deep", maxNested)
	return func() { p.nested-- }
}

var (
	typeWords = strings.Fields("void char short int long float double signed unsigned")
	skipped   = strings.Fields("inline register auto restrict __restrict __restrict__ __inline")
	restricts = strings.Fields("restrict __restrict __restrict__")
	reserved  = append(strings.Fields("const static if else for return while do switch case goto "+
		"break continue default sizeof struct union enum typedef extern volatile _Bool"),
		append(typeWords, skipped...)...)
)

// specifiers are those in front of declarators (6.7).
type specifiers struct {
	typ              ctype
	readonly, static bool
}

func (p *parser) atType() bool {
	if len(p.list) == 0 {
		return false
	}
	_, known := named[p.list[0].text]
	return known || p.is(typeWords...) || p.is(skipped...) || p.is("const", "static")
}

func (p *parser) specifiers() (s specifiers) {
	var words []string
	at, known := p.here(), false
	for p.atType() {
		t := p.next().text
		if n, ok := named[t]; ok {
			check(!known && words == nil, at, "bad-syntax", "two types")
			s.typ, known = n, true
		} else if slices.Contains(typeWords, t) {
			words = append(words, t)
		}
		s.readonly, s.static = s.readonly || t == "const", s.static || t == "static"
	}
	check(!known || words == nil, at, "bad-syntax", "two types")
	if !known {
		slices.Sort(words)
		s.typ, known = specified[strings.Join(words, " ")]
	}
	check(known, at, "unsupported-op", "expected a type of numbers")
	return s
}

// qualifiers skips what says nothing of values.
func (p *parser) qualifiers() {
	for p.is(skipped...) || p.is("const") {
		p.next()
	}
}

// declarator reads a name with its extents (6.7.6), and declares it.
func (p *parser) declarator(s specifiers) *variable {
	v, pointer := &variable{typ: s.typ, readonly: s.readonly}, false
	grouped := p.accept("(")
	if pointer = p.accept("*"); pointer {
		v.array, v.dims, v.alone = true, []*node{nil}, p.is(restricts...)
		p.qualifiers()
	}
	check(len(p.list) > 0 && isName(p.list[0].text) && !slices.Contains(reserved, p.list[0].text),
		p.here(), "bad-syntax", "expected a name")
	t := p.next()
	v.name, v.at = t.text, t.at
	check(v.typ != void, v.at, "unsupported-op", "%s is void", v.name)
	if grouped {
		p.want(")")
	}
	check(!pointer || p.is("[") == grouped, p.here(), "unsupported-op", "an array of pointers")
	check(pointer || !grouped, v.at, "unsupported-op", "a name in parentheses")
	for p.accept("[") {
		for p.is("const", "static", "restrict") {
			text := p.next().text
			v.static, v.alone = text == "static" || v.static, text == "restrict" || v.alone
		}
		v.array = true
		if p.is("]") {
			check(len(v.dims) == 0, p.here(), "bad-syntax", "expected an extent")
			v.dims = append(v.dims, nil)
		} else {
			v.dims = append(v.dims, p.conditional())
		}
		p.want("]")
	}
	scope := p.scopes[len(p.scopes)-1]
	check(scope[v.name] == nil, v.at, "redefined-name", "%s is declared twice", v.name)
	scope[v.name] = v
	return v
}

// braces reads statements between braces.
func (p *parser) braces() (out []*stmt) {
	for p.want("{"); !p.accept("}"); {
		out = append(out, p.statement()...)
	}
	return out
}

// scope opens one, and returns what closes it.
func (p *parser) scope() func() {
	p.scopes = append(p.scopes, map[string]*variable{})
	return func() { p.scopes = p.scopes[:len(p.scopes)-1] }
}

// nestedIn reads a statement that has a scope of its own.
func (p *parser) nestedIn() []*stmt {
	defer p.scope()()
	check(!p.atType(), p.here(), "bad-syntax", "a declaration is no statement")
	return p.statement()
}

func (p *parser) statement() []*stmt {
	defer p.deeper()()
	s := &stmt{at: p.here()}
	switch {
	case p.accept(";"):
		return nil
	case p.is("{"):
		defer p.scope()()
		s.op, s.body = "block", p.braces()
	case p.atType():
		return p.declaration()
	case p.accept("if"):
		p.want("(")
		s.op, s.x = "if", p.expression()
		p.want(")")
		s.body = p.nestedIn()
		if p.accept("else") {
			s.rest = p.nestedIn()
		}
	case p.accept("for"):
		return []*stmt{p.loop(s)}
	case p.accept("while"):
		s.op = "for"
		p.want("(")
		s.x = p.expression()
		p.want(")")
		s.body = p.nestedIn()
		return p.settled(s)
	case p.accept("do"):
		body := p.nestedIn()
		p.want("while")
		p.want("(")
		s.x = p.expression()
		p.want(")")
		p.want(";")
		return p.once(body, s)
	case p.accept("return"):
		if s.op = "return"; !p.is(";") {
			s.x = p.expression()
		}
		p.want(";")
	default:
		check(!p.is(reserved...), s.at, "unsupported-op", "%s", s.at.Text())
		s.op, s.x = "do", alone(p.expression())
		p.want(";")
		return sequenced(s)
	}
	return []*stmt{s}
}

func (p *parser) loop(s *stmt) *stmt {
	s.op = "for"
	defer p.scope()()
	switch p.want("("); {
	case p.accept(";"):
	case p.atType():
		s.init = p.declaration()
	default:
		s.init = []*stmt{{op: "do", x: alone(p.expression()), at: s.at}}
		p.want(";")
	}
	check(!p.is(";"), p.here(), "unsupported-op", "a loop has a condition")
	s.x = p.expression()
	p.want(";")
	if p.accept(")") {
		s.body = p.nestedIn()
		return &stmt{op: "block", body: p.settled(s), at: s.at}
	}
	s.step = alone(p.expression())
	p.want(")")
	s.body = p.nestedIn()
	return s
}

func (p *parser) declaration() (out []*stmt) {
	s := p.specifiers()
	check(!s.static || s.readonly, p.here(), "unsupported-op", "a static local")
	for {
		d := &stmt{op: "declare", at: p.here()}
		d.v = p.declarator(s)
		if p.accept("=") {
			if d.v.array && (p.is("{") || !d.v.pointer()) {
				check(p.is("{"), d.at, "bad-syntax", "an array begins with a list")
				d.x = p.values()
				d.v.counts(d.x)
			} else {
				d.x = p.assignment()
			}
		}
		check(d.x != nil || !d.v.pointer(), d.at, "unsupported-op", "a pointer to nothing")
		check(!s.static || fixed(d.x), d.at, "unsupported-op", "a static local")
		out = append(out, p.walks(d.v)...)
		if out = append(out, sequenced(d)...); !p.accept(",") {
			break
		}
	}
	p.want(";")
	return out
}

// values reads initial values in braces, or one (6.7.9).
func (p *parser) values() *node {
	defer p.deeper()()
	at := p.here()
	if !p.accept("{") {
		return p.assignment()
	}
	x := &node{op: "list", at: at}
	for !p.accept("}") {
		if x.args = append(x.args, p.values()); !p.is("}") {
			p.want(",")
		}
	}
	return x
}

// expression reads one (6.5.17).
func (p *parser) expression() *node {
	x := p.assignment()
	for p.is(",") {
		t := p.next()
		x = &node{op: ",", args: []*node{x, p.assignment()}, at: t.at}
	}
	return x
}

var assigns = strings.Fields("= += -= *= /= %= &= |= ^= <<= >>=")

func (p *parser) assignment() *node {
	x := p.conditional()
	if !p.is(assigns...) {
		return x
	}
	t := p.next()
	out := &node{op: t.text, args: []*node{x, p.assignment()}, at: t.at}
	if at := x.far(); at != nil && (t.text == "+=" || t.text == "-=") {
		out.args[0] = at
	}
	return out
}

func (p *parser) conditional() *node {
	defer p.deeper()()
	x := p.binary(0)
	if !p.is("?") {
		return x
	}
	at := p.next().at
	y := p.expression()
	p.want(":")
	return &node{op: "?:", args: []*node{x, y, p.conditional()}, at: at}
}

// levels are the operators of two, the weakest first.
var levels = [][]string{{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<", "<=", ">", ">="},
	{"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}}

func (p *parser) binary(level int) *node {
	if level == len(levels) {
		return p.unary()
	}
	x := p.binary(level + 1)
	for n := 0; p.is(levels[level]...); n++ {
		t := p.next()
		check(n < maxNested, t.at, "too-large", "more than %d deep", maxNested)
		x = &node{op: t.text, args: []*node{x, p.binary(level + 1)}, at: t.at}
	}
	return x
}

func (p *parser) unary() *node {
	defer p.deeper()()
	t := p.next()
	one := func(op string) *node { return &node{op: op, args: []*node{p.unary()}, at: t.at} }
	switch t.text {
	case "-":
		return one("neg")
	case "+", "!", "~":
		return one("unary" + t.text)
	case "*":
		x := one("deref")
		return x.args[0].element(nil, x)
	case "&":
		return one("addr")
	case "++", "--":
		x := one(t.text)
		return x.args[0].walked(x)
	case "(":
		if p.atType() {
			s := p.specifiers()
			p.want(")")
			x := one("cast")
			x.typ = s.typ
			return x
		}
	}
	x := p.primary(t)
	for {
		switch at := p.here(); {
		case p.accept("["):
			k := p.expression()
			x = x.element(k, &node{op: "[]", args: []*node{x, k}, at: at})
			p.want("]")
		case p.is("++", "--"):
			x = x.walked(&node{op: p.next().text, args: []*node{x}, at: at})
		default:
			return x
		}
	}
}

func (p *parser) primary(t token) *node {
	x := &node{text: t.text, at: t.at}
	switch {
	case t.text == "(":
		x = p.expression()
		p.want(")")
		return x
	case strings.ContainsAny(t.text[:1], "0123456789"),
		len(t.text) > 1 && t.text[0] == '.' && t.text != "...":
		x.op = "number"
		return x
	case t.text[0] == '\'':
		x.op, x.text = "number", character(t)
		return x
	}
	check(isName(t.text), t.at, "bad-syntax", "expected an expression")
	check(!slices.Contains(reserved, t.text), t.at, "unsupported-op", "%s", t.text)
	for _, scope := range slices.Backward(p.scopes) {
		if x.op = "name"; x.v == nil {
			x.v = scope[t.text]
		}
	}
	if c := p.out.constants[t.text]; c != nil && x.v == nil {
		return &node{op: "cast", typ: c.typ, args: c.args, at: t.at}
	}
	if !p.is("(") {
		check(x.v != nil, t.at, "unbound-name", "%s is no parameter or local", t.text)
		if x.v.gone != nil {
			return arrived(x)
		}
		return x
	}
	check(x.v == nil, t.at, "unknown-call", "%s is no function", t.text)
	x.op = "call"
	for p.want("("); !p.accept(")"); {
		if x.args = append(x.args, p.assignment()); !p.is(")") {
			p.want(",")
			check(!p.is(")"), p.here(), "bad-syntax", "expected an argument")
		}
	}
	return x
}
