package relay

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"tv/internal/source"
	"tv/semantics/domain"
)

// Codes of what is refused.
const (
	codeSyntax  = "bad-syntax"
	codeOutside = "outside-subset"
	codeOp      = "unsupported-op"
	codeShape   = "shape-mismatch"
	codeAttr    = "unsupported-attribute"
	codeLarge   = "too-large"
)

// A typ is that of a value: a tensor, or a tuple of such.
type typ struct {
	dims  []int64
	elem  domain.Elem
	tuple bool
	items []*typ
}

func (t *typ) is(u *typ) bool {
	return t.tuple == u.tuple && t.elem == u.elem && slices.Equal(t.dims, u.dims) &&
		slices.EqualFunc(t.items, u.items, (*typ).is)
}

// A function has parameters and a body.
type function struct {
	params []*param
	attrs  map[string]*value
	result *typ
	body   *expr
}

// A param is a parameter, which may have no type.
type param struct {
	name string
	typ  *typ
}

// An expr is an expression; where a name stands, it is what is bound to that.
type expr struct {
	kind  string // call, apply, param, number, bool, meta, tuple, item, fn, if
	name  string // of an operator, a key of the metadata, or True
	args  []*expr
	attrs map[string]*value
	meta  *expr // attributes that the metadata has
	fn    *function
	index int // of a component, a parameter, or in the metadata
	num   number
	note  *typ // that a comment says
	at    source.Span
	in    *function // in whose body it stands
}

// A number is one as it is written.
type number struct{ text, suffix string }

// A value is that of an attribute.
type value struct {
	kind string // number, string, bool, none, list
	num  number
	text string
	list []*value
}

// A word is a token; note is the type that a comment before it says.
type word struct {
	text, note string
	start      int
}

var (
	words = regexp.MustCompile(`^(?:[%@](?:[\w/]|::|\.[\w/])+|"(?:[^"\\\n]|\\.)*"|` +
		`[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?\w*|[A-Za-z_](?:\w|\.[A-Za-z_])*|` +
		`;;|->|#\[|[][(){},;:=.?+*/-])`)
	numbers = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)` +
		`(|f|f16|f32|f64|bf16|[iu](?:8|16|32|64))$`)
	digits = regexp.MustCompile(`^[0-9]+`)
)

// blank moves over blanks and comments, which nest; note is the last type that one says.
func (p *parser) blank() (note string) {
	for p.pos < len(p.text) {
		rest := p.text[p.pos:]
		switch {
		case strings.ContainsRune(" \t\r\n\f\v", rune(rest[0])):
			p.pos++
		case strings.HasPrefix(rest, "//"):
			p.pos += strings.IndexByte(rest+"\n", '\n')
		case strings.HasPrefix(rest, "/*"):
			start, depth := p.pos, 0
			for ; p.pos < len(p.text); p.pos++ {
				if rest := p.text[p.pos:]; strings.HasPrefix(rest, "/*") {
					depth++
					p.pos++
				} else if strings.HasPrefix(rest, "*/") {
					depth--
					p.pos++
				}
				if depth == 0 {
					break
				}
			}
			p.pos++
			p.must(depth == 0, codeSyntax, "this comment is not closed")
			inner := strings.TrimLeft(p.text[start+2:p.pos-2], " ")
			if rest, ok := strings.CutPrefix(inner, "ty="); ok {
				note = rest
			}
		default:
			return note
		}
	}
	return note
}

// next moves to the next word; at the end that is empty.
func (p *parser) next() {
	last := p.word.text
	p.word = word{note: p.blank(), start: p.pos}
	if p.pos >= len(p.text) {
		return
	}
	text := words.FindString(p.text[p.pos:])
	if last == "." { // of a component
		text = digits.FindString(text)
	}
	p.must(text != "", codeSyntax, "this is no word of Relay")
	p.word.text = text
	p.pos += len(text)
}

// A refusal is why a text is not read.
type refusal struct{ *source.Error }

func refuse(at source.Span, code, format string, args ...any) {
	panic(refusal{source.Errorf(at, code, format, args...)})
}

// must refuses the text at the word unless ok.
func (p *parser) must(ok bool, code, format string, args ...any) {
	if !ok {
		refuse(p.span(p.word.start), code, format, args...)
	}
}

func (p *parser) span(start int) source.Span {
	return source.Span{File: p.file, Start: start, End: start + len(p.word.text)}
}

// A parser reads one text.
type parser struct {
	file  *source.File
	text  string
	pos   int
	word  word
	in    *function
	depth int
	scope map[string]*expr // parameters and lets
	graph map[string]*expr // numbered bindings, of the whole text
}

const deepest = 2000 // expressions within each other

func (p *parser) take(text string) bool {
	if p.word.text != text {
		return false
	}
	p.next()
	return true
}

func (p *parser) want(text string) {
	p.must(p.take(text), codeSyntax, "%s is wanted", text)
}

// starts tells what the word begins with.
func (p *parser) starts(marks string) bool {
	return p.word.text != "" && strings.Contains(marks, p.word.text[:1])
}

// module reads a whole text, of which one function counts, and returns where metadata begins.
func (p *parser) module(entry string) (f *function, metadata int) {
	p.text = strings.TrimPrefix(p.text, "\ufeff")
	p.blank()
	switch rest := p.text[p.pos:]; {
	case strings.HasPrefix(rest, "v0.0.4"):
		p.pos += len("v0.0.4")
	case strings.HasPrefix(rest, "#[version"):
		header := regexp.MustCompile(`^#\[version\s*=\s*"0\.0\.5"\s*\]`).FindString(rest)
		p.must(header != "", "unknown-version", "this version of Relay is not read")
		p.pos += len(header)
	}
	for {
		p.blank()
		for _, mark := range []string{"METADATA:", "#[metadata]"} {
			if strings.HasPrefix(p.text[p.pos:], mark) {
				return f, p.pos + len(mark)
			}
		}
		if p.next(); p.word.text == "" {
			return f, -1
		}
		if p.word.text == "def" {
			if p.next(); p.word.text == "@"+entry {
				p.must(f == nil, "duplicate-binding", "the function is there twice")
				p.next()
				f = p.function()
				p.pos = p.word.start
				p.word = word{}
				continue
			}
		} else {
			p.must(p.word.text == "type" || p.word.text == "extern", codeSyntax,
				"a definition is wanted")
		}
		p.over()
	}
}

// over moves over a definition that does not count.
func (p *parser) over() {
	for depth := 0; ; {
		switch p.word.text {
		case "":
			p.must(depth == 0, codeSyntax, "a definition has no end")
			return
		case "{":
			depth++
		case "}":
			if depth--; depth == 0 {
				return
			}
		}
		mark := p.pos
		if p.next(); depth == 0 && (p.word.text == "def" || p.word.text == "type" ||
			p.word.text == "extern" || p.word.text == "#[") {
			p.pos = mark
			return
		}
	}
}

// function reads parameters, result and body.
func (p *parser) function() *function {
	p.must(p.word.text == "(", codeOutside, "type variables are not read")
	f, outer, scope := &function{attrs: map[string]*value{}}, p.in, p.scope
	p.in, p.scope = f, map[string]*expr{}
	for name, e := range scope {
		p.scope[name] = e
	}
	own := map[string]bool{}
	for p.next(); p.word.text != ")"; {
		at := p.span(p.word.start)
		if !p.starts("%") {
			name := p.word.text
			p.next()
			p.want("=")
			f.attrs[name] = p.value()
		} else {
			v := &param{name: p.word.text[1:]}
			p.must(!own[v.name], "duplicate-binding", "two parameters have this name")
			own[v.name] = true
			if p.next(); p.take(":") {
				v.typ = p.typ()
			}
			p.scope[v.name] = &expr{kind: "param", index: len(f.params), at: at, in: f}
			f.params = append(f.params, v)
		}
		if !p.take(",") {
			break
		}
	}
	p.want(")")
	if p.take("->") {
		f.result = p.typ()
	}
	f.body = p.block()
	p.in, p.scope = outer, scope
	return f
}

// typ reads a type.
func (p *parser) typ() *typ {
	t := &typ{}
	element := func() {
		var ok bool
		name := p.word.text
		t.elem, ok = domain.ParseElem(name)
		p.must(ok && !strings.HasPrefix(name, "sat") && !strings.HasPrefix(name, "fix") &&
			!strings.HasPrefix(name, "adaptive"), "unknown-type", "this is no element type")
		p.next()
	}
	switch {
	case p.take("Tensor"):
		p.want("[")
		p.want("(")
		for p.word.text != ")" {
			d, err := strconv.ParseInt(p.word.text, 10, 64)
			p.must(err == nil, "dynamic-shape", "a dim is a number")
			p.next()
			if t.dims = append(t.dims, d); !p.take(",") {
				break
			}
		}
		p.want(")")
		p.want(",")
		element()
		p.want("]")
	case p.take("("):
		for t.tuple = true; p.word.text != ")"; {
			if t.items = append(t.items, p.typ()); !p.take(",") {
				break
			}
		}
		p.want(")")
	default:
		element()
	}
	return t
}

// noted is the type that a comment says; one of something else than tensors says nothing.
func (p *parser) noted(text string) (t *typ) {
	if text == "" {
		return nil
	}
	defer func() {
		if r, refused := recover().(refusal); refused && r.Code == "unknown-type" {
			t = nil
		} else if refused {
			panic(r)
		}
	}()
	sub := &parser{file: p.file, text: strings.TrimSpace(text)}
	sub.next()
	return sub.typ()
}

// block reads { body }.
func (p *parser) block() *expr {
	scope := p.scope
	p.scope = map[string]*expr{}
	for name, e := range scope {
		p.scope[name] = e
	}
	p.want("{")
	for {
		name, mark, before := p.word.text, p.pos, p.word
		switch {
		case p.take("let"):
			name = p.word.text
			p.must(p.starts("%"), codeSyntax, "a name is wanted")
			var declared *typ
			if p.next(); p.take(":") {
				declared = p.typ()
			}
			p.want("=")
			if p.word.text == "fn" { // which would be this one where it calls the name
				delete(p.scope, name[1:])
			}
			e := p.expr()
			if declared != nil && e.note == nil {
				e.note = declared
			}
			p.scope[name[1:]] = e
			p.end()
			continue
		case p.starts("%") && name[1] >= '0' && name[1] <= '9':
			if p.next(); p.take("=") {
				p.must(p.graph[name[1:]] == nil, "duplicate-binding", "this is bound twice")
				p.graph[name[1:]] = p.expr()
				p.end()
				continue
			}
			p.word, p.pos = before, mark
		}
		e := p.expr()
		if p.take(";") || p.take(";;") {
			if p.word.text != "}" {
				continue
			}
		}
		p.want("}")
		p.scope = scope
		return e
	}
}

func (p *parser) end() {
	p.must(p.take(";") || p.take(";;"), codeSyntax, "a binding ends in a semicolon")
}

// expr reads an expression: what is multiplied, then what is added, from left to right.
func (p *parser) expr() *expr {
	p.depth++
	defer func() { p.depth-- }()
	p.must(p.depth < deepest, "too-deep", "expressions are nested too deep")
	product := func() *expr { return p.between(p.applied, "*", "multiply", "/", "divide") }
	return p.between(product, "+", "add", "-", "subtract")
}

func (p *parser) between(operand func() *expr, plus, add, minus, subtract string) *expr {
	e := operand()
	for p.word.text == plus || p.word.text == minus {
		name := add
		if p.word.text == minus {
			name = subtract
		}
		at := p.span(p.word.start)
		p.next()
		e = &expr{kind: "call", name: name, args: []*expr{e, operand()}, at: at, in: p.in}
	}
	return e
}

// applied reads an expression with what it is applied to.
func (p *parser) applied() *expr {
	e := p.atom()
	for {
		if note := p.word.note; note != "" && e.note == nil {
			e.note, p.word.note = p.noted(note), ""
		}
		at := e.at
		switch {
		case p.word.text == "(":
			e = &expr{kind: "apply", args: []*expr{e}, at: at, in: p.in}
			p.operands(e)
		case p.take("."):
			e = p.item(e, p.word.text, at)
			p.next()
		default:
			return e
		}
	}
}

func (p *parser) item(e *expr, text string, at source.Span) *expr {
	i, err := strconv.Atoi(text)
	p.must(err == nil && i >= 0, "unknown-name", "this stands for nothing")
	return &expr{kind: "item", index: i, args: []*expr{e}, at: at, in: p.in}
}

// operands reads those of a call, and its attributes.
func (p *parser) operands(e *expr) {
	e.attrs = map[string]*value{}
	for p.want("("); p.word.text != ")"; {
		name, mark, before := p.word.text, p.pos, p.word
		p.next()
		if named := p.word.text == "="; named {
			p.must(e.attrs[name] == nil, "duplicate-binding", "an attribute is there twice")
			p.next()
			e.attrs[name] = p.value()
		} else {
			p.word, p.pos = before, mark
			if a := p.expr(); a.kind == "meta" && strings.HasPrefix(a.name, "relay.attrs.") {
				e.meta = a
			} else {
				e.args = append(e.args, a)
			}
		}
		if !p.take(",") {
			break
		}
	}
	p.want(")")
}

// atom reads an expression without what follows it.
func (p *parser) atom() *expr {
	e := &expr{at: p.span(p.word.start), in: p.in}
	text := p.word.text
	switch {
	case text == "-" || p.starts("0123456789"):
		e.kind, e.num = "number", p.number()
	case p.starts("%"):
		e = p.name(text[1:])
		p.next()
	case text == "True" || text == "False":
		e.kind, e.name = "bool", text
		p.next()
	case text == "meta":
		p.next()
		p.want("[")
		e.kind, e.name = "meta", p.word.text
		p.next()
		p.want("]")
		p.want("[")
		e.index = p.item(nil, p.word.text, e.at).index
		p.next()
		p.want("]")
	case text == "fn":
		p.next()
		e.kind, e.fn = "fn", p.function()
	case text == "if":
		p.next()
		p.want("(")
		e.kind, e.args = "if", []*expr{p.expr()}
		p.want(")")
		e.args = append(e.args, p.block())
		p.want("else")
		e.args = append(e.args, p.block())
	case text == "{":
		return p.block()
	case text == "(":
		e.kind = "tuple"
		p.next()
		comma := p.word.text == ")"
		for p.word.text != ")" {
			e.args = append(e.args, p.expr())
			if !p.take(",") {
				break
			}
			comma = true
		}
		if p.want(")"); !comma {
			return e.args[0]
		}
	default:
		p.must(text != "" && (text[0] == '_' || text[0] >= 'A'), codeOutside, "this is not read")
		p.next()
		p.must(p.word.text == "(", codeOutside, "%s is not read here", text)
		e.kind, e.name = "call", text
		p.operands(e)
	}
	return e
}

// name finds what a name stands for: the longest one there is, and then components.
func (p *parser) name(name string) *expr {
	for known := name; ; {
		e := p.scope[known]
		if e == nil {
			e = p.graph[known]
		}
		if e != nil {
			at := p.span(p.word.start)
			if known == name {
				return e
			}
			for _, i := range strings.Split(name[len(known)+1:], ".") {
				e = p.item(e, i, at)
			}
			return e
		}
		cut := strings.LastIndexByte(known, '.')
		p.must(cut >= 0, "unknown-name", "this stands for nothing")
		known = known[:cut]
	}
}

func (p *parser) number() (n number) {
	sign := ""
	if p.take("-") {
		sign = "-"
	}
	parts := numbers.FindStringSubmatch(p.word.text)
	p.must(parts != nil, codeSyntax, "a number is wanted")
	p.next()
	return number{sign + parts[1], parts[2]}
}

// value reads the value of an attribute.
func (p *parser) value() *value {
	p.depth++
	defer func() { p.depth-- }()
	p.must(p.depth < deepest, "too-deep", "values are nested too deep")
	v, text := &value{text: p.word.text}, p.word.text
	switch {
	case text == "-" || p.starts("0123456789"):
		v.kind, v.num = "number", p.number()
		return v
	case p.starts(`"`):
		v.kind = "string"
		v.text = regexp.MustCompile(`\\(.)`).ReplaceAllString(text[1:len(text)-1], "$1")
	case text == "True" || text == "False":
		v.kind = "bool"
	case text == "None" || text == "nullptr":
		v.kind = "none"
	case text == "[" || text == "(":
		closing := map[string]string{"[": "]", "(": ")"}[text]
		comma := text == "["
		v.kind = "list"
		for p.next(); p.word.text != closing; comma = true {
			if v.list = append(v.list, p.value()); !p.take(",") {
				break
			}
		}
		p.must(p.word.text == closing, codeSyntax, "a list has no end")
		if !comma && len(v.list) == 1 {
			v = v.list[0]
		}
	default:
		p.must(text != "" && (text[0] == '_' || text[0] >= 'A') && text != "meta", codeSyntax,
			"a value is wanted")
		v.kind = "string" // an element type, as some releases write it
	}
	p.next()
	return v
}
