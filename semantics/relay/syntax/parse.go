package syntax

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"tv/internal/source"
	"tv/semantics/domain"
)

// maxNesting bounds how deep expressions nest within each other. Bodies and graphs are as long as they like.
const maxNesting = 2000

// Parse reads a text and resolves its names. Errors: source.Errors with one error; Codes lists the codes.
func Parse(f *source.File, entry string) (*Module, error) {
	if entry == "" {
		entry = "main"
	}
	p := &parser{lexer: lexer{file: f, text: f.Text}, module: &Module{File: f}, entry: entry,
		scope: map[string]*Expr{}, graph: map[string]*Expr{}, uses: map[*Expr][]use{}, constructors: map[string]bool{}}
	if len(f.Text) > math.MaxInt32 {
		return nil, source.Errors{p.errorf(0, 0, "too-large", "the file is longer than 2 GiB")}
	}
	if err := p.read(); err != nil {
		return nil, source.Errors{err}
	}
	return p.module, nil
}

// A parser reads one text. Names are resolved as they are read: what a name stands for is above its uses.
type parser struct {
	lexer
	module *Module
	entry  string
	tok    token
	in     *Func // whose body is read
	depth  int

	scope        map[string]*Expr // parameters and lets
	graph        map[string]*Expr // graph bindings, of the whole text
	shadows      []shadow         // of the innermost scope
	uses         map[*Expr][]use  // what lets are of
	constructors map[string]bool
}

// A use is a let, and whether it is used.
type use struct {
	name string
	used *bool
}

func (p *parser) advance() (err *source.Error) {
	p.tok, err = p.lexer.next()
	return err
}

// here makes an error at the token.
func (p *parser) here(code, format string, args ...any) *source.Error {
	return p.errorf(p.tok.start, p.tok.end, code, format, args...)
}

// outside is the error of what the subset leaves out.
func (p *parser) outside(what string) *source.Error {
	return p.here(CodeOutside, "%s is outside the subset of Relay that tv reads", what)
}

// want moves over a mark.
func (p *parser) want(mark, where string) *source.Error {
	if !p.tok.is(mark) {
		return p.here(CodeSyntax, "%s wants %s, got %s", where, mark, p.tok)
	}
	return p.advance()
}

func (p *parser) wantWord(kind tokenKind, what string) (token, *source.Error) {
	t := p.tok
	if t.kind != kind {
		return t, p.here(CodeSyntax, "%s is wanted, got %s", what, t)
	}
	return t, p.advance()
}

// The strings that texts begin with, and that their metadata begins with.
const (
	headerOld     = "v0.0.4"
	headerVersion = "0.0.5"
	metadataOld   = "METADATA:"
	metadataNew   = "#[metadata]"
)

// read reads a whole text.
func (p *parser) read() *source.Error {
	p.text = strings.TrimRight(p.text, "\x00")
	if strings.HasPrefix(p.text, "\ufeff") {
		p.pos = len("\ufeff")
	}
	if err := p.header(); err != nil {
		return err
	}
	for {
		if err := p.lexer.skip(); err != nil {
			return err
		}
		rest := p.text[p.pos:]
		if strings.HasPrefix(rest, metadataOld) || strings.HasPrefix(rest, metadataNew) {
			at := p.pos + strings.IndexAny(rest, ":]") + 1
			var err *source.Error
			p.module.Metadata, err = readMetadata(p.file, at)
			if err != nil {
				return err
			}
			break
		}
		if err := p.advance(); err != nil {
			return err
		}
		if p.tok.kind == tokEnd {
			break
		}
		if err := p.definition(); err != nil {
			return err
		}
	}
	if p.module.Entry == nil {
		return p.errorf(0, 0, CodeEntry, "the text has no function @%s: --entry names another", p.entry)
	}
	return nil
}

// header reads the version of the text.
func (p *parser) header() *source.Error {
	if err := p.lexer.skip(); err != nil {
		return err
	}
	start := p.pos
	rest := p.text[start:]
	switch {
	case strings.HasPrefix(rest, headerOld) && (len(rest) == len(headerOld) || !inName(rest[len(headerOld)])):
		p.pos += len(headerOld)
		p.module.Version = headerOld[1:]
	case strings.HasPrefix(rest, "#[version"):
		for _, mark := range []string{"#[", "version", "="} {
			if err := p.advance(); err != nil {
				return err
			}
			if p.tok.text != mark {
				return p.here(CodeSyntax, `a header is #[version = "0.0.5"]`)
			}
		}
		if err := p.advance(); err != nil {
			return err
		}
		if p.tok.kind != tokString || p.tok.text != headerVersion {
			return p.here(CodeVersion, "texts of version %s are read, and of %s, not of %s", headerVersion, headerOld[1:], p.tok)
		}
		p.module.Version = p.tok.text
		if err := p.advance(); err != nil {
			return err
		}
		if !p.tok.is("]") {
			return p.here(CodeSyntax, "the header wants ], got %s", p.tok)
		}
	case len(rest) > 1 && rest[0] == 'v' && isDigit(rest[1]):
		end := start + strings.IndexAny(rest+"\n", " \t\r\n")
		return p.errorf(start, end, CodeVersion, "texts of version %s are read, and of %s, not of %s", headerVersion,
			headerOld[1:], p.text[start:end])
	default:
		p.module.Warnings = append(p.module.Warnings, p.errorf(start, start, CodeNoVersion,
			"the text does not say its version; it is read as %s", headerVersion))
	}
	return nil
}

// definition reads a function or the definition of a type, of which the first token is read, up to its last.
func (p *parser) definition() *source.Error {
	switch {
	case p.tok.word("def"):
		return p.function()
	case p.tok.word("extern"), p.tok.word("type"):
		return p.typeDefinition()
	}
	return p.here(CodeSyntax, "a definition begins with def, type or extern, not with %s", p.tok)
}

// typeDefinition reads over the definition of a type, and keeps the names of its constructors.
func (p *parser) typeDefinition() *source.Error {
	if p.tok.word("extern") {
		if err := p.advance(); err != nil {
			return err
		}
	}
	if err := p.advance(); err != nil {
		return err
	}
	if _, err := p.wantWord(tokName, "the name of a type"); err != nil {
		return err
	}
	if p.tok.is("[") {
		for !p.tok.is("]") {
			if p.tok.kind == tokEnd {
				return p.here(CodeSyntax, "the variables of a type are not closed")
			}
			if err := p.advance(); err != nil {
				return err
			}
		}
	} else if !p.tok.is("{") {
		p.pos = p.tok.start
		return nil
	}
	if p.tok.is("]") {
		mark := p.pos
		if err := p.advance(); err != nil {
			return err
		}
		if !p.tok.is("{") {
			p.pos = mark
			return nil
		}
	}
	return p.braces(func(t token, depth int) {
		if depth == 1 && t.kind == tokName {
			p.constructors[t.text] = true
		}
	})
}

// braces reads over a block in braces, of which the first is read, up to the last one.
func (p *parser) braces(each func(t token, depth int)) *source.Error {
	start, depth, round := p.tok.start, 0, 0
	for {
		switch {
		case p.tok.kind == tokEnd:
			return p.errorf(start, start+1, CodeSyntax, "this brace is not closed")
		case p.tok.is("{"):
			depth++
		case p.tok.is("}"):
			if depth--; depth == 0 {
				return nil
			}
		case p.tok.is("("):
			round++
		case p.tok.is(")"):
			round--
		default:
			each(p.tok, depth+round)
		}
		if err := p.advance(); err != nil {
			return err
		}
	}
}

// function reads def @NAME...; of one that is not the entry nothing but its extent.
func (p *parser) function() *source.Error {
	start := p.tok.start
	if err := p.advance(); err != nil {
		return err
	}
	name, err := p.wantWord(tokGlobal, "the name of a function, @NAME,")
	if err != nil {
		return err
	}
	f := &Func{Name: name.text[1:]}
	if f.Name != p.entry {
		for !p.tok.is("{") {
			if p.tok.kind == tokEnd {
				return p.errorf(start, name.end, CodeSyntax, "the function %s has no body", name)
			}
			if err := p.advance(); err != nil {
				return err
			}
		}
		return p.braces(func(token, int) {})
	}
	if p.module.Entry != nil {
		return p.errorf(name.start, name.end, CodeDuplicate, "%s is defined twice, first at %s", name,
			p.module.Entry.At.Position())
	}
	if p.tok.is("[") {
		return p.outside("a function with type variables")
	}
	f.At = source.Span{File: p.file, Start: start, End: name.end}
	p.module.Entry = f
	if err := p.rest(f); err != nil {
		return err
	}
	p.pos = p.tok.start // behind the last brace
	return nil
}

// rest reads parameters, result and body of a function, and the token behind it.
func (p *parser) rest(f *Func) *source.Error {
	outer := p.in
	p.in = f
	defer func() { p.in = outer }()
	undo := p.enter()
	defer undo()
	if err := p.want("(", "a function"); err != nil {
		return err
	}
	for !p.tok.is(")") {
		if p.tok.kind == tokName {
			a, err := p.attr()
			if err != nil {
				return err
			}
			f.Attrs = append(f.Attrs, a)
		} else if err := p.param(f); err != nil {
			return err
		}
		if !p.tok.is(",") {
			break
		}
		if err := p.advance(); err != nil {
			return err
		}
	}
	if err := p.want(")", "a list of parameters"); err != nil {
		return err
	}
	if p.tok.is("->") {
		err := p.advance()
		if err == nil {
			f.Result, err = p.typ()
		}
		if err != nil {
			return err
		}
	}
	var err *source.Error
	f.Body, err = p.block()
	return err
}

func (p *parser) param(f *Func) *source.Error {
	t := p.tok
	if t.kind != tokLocal && t.kind != tokGraph {
		return p.here(CodeSyntax, "a parameter is wanted, %%NAME: TYPE, got %s", t)
	}
	if err := p.advance(); err != nil {
		return err
	}
	v := &Param{Name: t.text[1:], At: source.Span{File: p.file, Start: t.start, End: t.end}, of: f, index: len(f.Params)}
	if slices.ContainsFunc(f.Params, func(o *Param) bool { return o.Name == v.Name }) {
		return p.errorf(t.start, t.end, CodeDuplicate, "%s is the name of two parameters", t)
	}
	if p.tok.is(":") {
		err := p.advance()
		if err == nil {
			v.Type, err = p.typ()
		}
		if err != nil {
			return err
		}
	}
	f.Params = append(f.Params, v)
	p.bind(v.Name, &Expr{Kind: ExprParam, Param: v, At: v.At, of: f})
	return nil
}

// A shadow is what a name stood for further out.
type shadow struct {
	name string
	was  *Expr
}

// enter opens a scope; the result closes it.
func (p *parser) enter() (undo func()) {
	outer := p.shadows
	p.shadows = nil
	return func() {
		for _, s := range slices.Backward(p.shadows) {
			if s.was == nil {
				delete(p.scope, s.name)
			} else {
				p.scope[s.name] = s.was
			}
		}
		p.shadows = outer
	}
}

func (p *parser) bind(name string, e *Expr) {
	p.shadows = append(p.shadows, shadow{name, p.scope[name]})
	p.scope[name] = e
}

// block reads { body }, and the token behind it.
func (p *parser) block() (*Expr, *source.Error) {
	undo := p.enter()
	defer undo()
	if err := p.want("{", "a body"); err != nil {
		return nil, err
	}
	var lets []*let
	for {
		var err *source.Error
		switch {
		case p.tok.kind == tokGraph && p.assigned():
			err = p.graphBinding()
		case p.tok.word("let"):
			var l *let
			if l, err = p.let(); err == nil {
				lets = append(lets, l)
			}
		case p.tok.word("free_var"):
			err = p.freeVariable()
		case p.tok.is("}"):
			err = p.here(CodeSyntax, "a body ends in an expression")
		default:
			var e *Expr
			if e, err = p.expr(); err != nil {
				return nil, err
			}
			if p.tok.is(";") || p.tok.is(";;") {
				if err = p.advance(); err == nil && p.tok.is("}") {
					return e, p.close(lets)
				}
				break
			}
			return e, p.close(lets)
		}
		if err != nil {
			return nil, err
		}
	}
}

// A let is a binding by that word, which is said to be unused if it is.
type let struct {
	at   source.Span
	name string
	used *bool
}

// close reads the end of a body.
func (p *parser) close(lets []*let) *source.Error {
	for _, l := range lets {
		if !*l.used {
			p.module.Warnings = append(p.module.Warnings, source.Errorf(l.at, CodeUnused, "%%%s is not used", l.name))
		}
	}
	return p.want("}", "a body")
}

// assigned tells whether the token is followed by =.
func (p *parser) assigned() bool {
	look := p.lexer
	t, err := look.next()
	return err == nil && t.is("=")
}

// semicolon reads the end of a binding.
func (p *parser) semicolon() *source.Error {
	if p.tok.is(";;") {
		return p.advance()
	}
	return p.want(";", "a binding")
}

func (p *parser) graphBinding() *source.Error {
	t := p.tok
	name := t.text[1:]
	if strings.Contains(name, ".") {
		return p.here(CodeSyntax, "%s is no name of a graph binding, which is a number", t)
	}
	if first := p.graph[name]; first != nil {
		return p.here(CodeDuplicate, "%s is bound twice, first to what is at %s", t, first.At.Position())
	}
	err := p.advance()
	if err == nil {
		err = p.advance()
	}
	if err != nil {
		return err
	}
	e, err := p.expr()
	if err != nil {
		return err
	}
	if e.Binding == "" {
		e.Binding = name
	}
	p.graph[name] = e
	return p.semicolon()
}

func (p *parser) let() (*let, *source.Error) {
	start := p.tok.start
	if err := p.advance(); err != nil {
		return nil, err
	}
	t, err := p.wantWord(tokLocal, "the name of a let, %NAME,")
	if err != nil {
		return nil, err
	}
	name := t.text[1:]
	var declared *Type
	if p.tok.is(":") {
		if err = p.advance(); err == nil {
			declared, err = p.typ()
		}
		if err != nil {
			return nil, err
		}
	}
	if err := p.want("=", "a let"); err != nil {
		return nil, err
	}
	if p.tok.word("fn") { // which may call itself
		p.bind(name, &Expr{Kind: ExprOutside, Name: "recursion"})
	}
	e, err := p.expr()
	if err != nil {
		return nil, err
	}
	if e.Binding == "" && e.Kind != ExprParam {
		e.Binding = name
	}
	if declared != nil && e.Note == nil {
		e.Note, e.NoteAt = declared, source.Span{File: p.file, Start: t.start, End: t.end}
	}
	l := &let{at: source.Span{File: p.file, Start: start, End: t.end}, name: name, used: new(bool)}
	p.bind(name, e)
	p.uses[e] = append(p.uses[e], use{name, l.used})
	return l, p.semicolon()
}

func (p *parser) freeVariable() *source.Error {
	if err := p.advance(); err != nil {
		return err
	}
	t, err := p.wantWord(tokLocal, "the name of a free variable")
	if err != nil {
		return err
	}
	if p.tok.is(":") {
		if err = p.advance(); err == nil {
			_, err = p.typ()
		}
		if err != nil {
			return err
		}
	}
	p.bind(t.text[1:], &Expr{Kind: ExprOutside, Name: "a free variable", At: source.Span{File: p.file, Start: t.start, End: t.end}, of: p.in})
	return p.semicolon()
}

// operators are those between expressions, by how tight they bind.
var operators = map[string]struct {
	tight int
	name  string
}{
	"<": {1, "less"}, ">": {1, "greater"}, "<=": {1, "less_equal"}, ">=": {1, "greater_equal"}, "==": {1, "equal"},
	"!=": {1, "not_equal"}, "+": {2, "add"}, "-": {2, "subtract"}, "*": {3, "multiply"}, "/": {3, "divide"},
}

// expr reads an expression, and the token behind it.
func (p *parser) expr() (*Expr, *source.Error) {
	if p.depth++; p.depth > maxNesting {
		return nil, p.here("too-deep", "expressions nest at most %d deep", maxNesting)
	}
	defer func() { p.depth-- }()
	return p.binary(1)
}

// binary reads an expression of operators that bind at least so tight.
func (p *parser) binary(tight int) (*Expr, *source.Error) {
	e, err := p.post()
	for err == nil && p.tok.kind == tokMark && operators[p.tok.text].tight >= tight {
		op := operators[p.tok.text]
		at := p.tok
		if err = p.advance(); err != nil {
			break
		}
		var right *Expr
		if right, err = p.binary(op.tight + 1); err == nil {
			e = &Expr{Kind: ExprCall, Name: op.name, Args: []*Expr{e, right}, of: p.in,
				At: source.Span{File: p.file, Start: at.start, End: at.end}}
		}
	}
	return e, err
}

// post reads an expression with what it is applied to and the components that are taken of it.
func (p *parser) post() (*Expr, *source.Error) {
	at := source.Span{File: p.file, Start: p.tok.start, End: p.tok.end} // which what a name stands for has not
	e, err := p.atom()
	if err != nil {
		return nil, err
	}
	for {
		if err := p.noted(e); err != nil {
			return nil, err
		}
		switch {
		case p.tok.is("("):
			call := &Expr{Kind: ExprApply, Args: []*Expr{e}, of: p.in}
			if err := p.args(call); err != nil {
				return nil, err
			}
			call.At = at
			e = call
		case p.tok.is("."):
			if err := p.advance(); err != nil {
				return nil, err
			}
			i, err := p.index()
			if err != nil {
				return nil, err
			}
			e = p.item(e, i, at)
		default:
			return e, nil
		}
	}
}

func (p *parser) item(e *Expr, i int, at source.Span) *Expr {
	return &Expr{Kind: ExprItem, Index: i, Args: []*Expr{e}, At: at, of: p.in}
}

// index reads a small natural number.
func (p *parser) index() (int, *source.Error) {
	t, err := p.wantWord(tokNumber, "a number")
	if err != nil {
		return 0, err
	}
	i, bad := strconv.Atoi(t.text)
	if bad != nil || i > math.MaxInt32 {
		return 0, p.errorf(t.start, t.end, CodeSyntax, "%s is no index", t)
	}
	return i, nil
}

// noted gives an expression the type that a comment behind it tells.
func (p *parser) noted(e *Expr) *source.Error {
	at := p.tok.note
	if at < 0 || e.Note != nil {
		return nil
	}
	p.tok.note = -1
	sub := &parser{lexer: lexer{file: p.file, text: p.text[:p.tok.start], pos: at}}
	if err := sub.advance(); err != nil {
		return err
	}
	t, err := sub.typ()
	if err != nil {
		return err
	}
	e.Note, e.NoteAt = t, source.Span{File: p.file, Start: at, End: sub.tok.start}
	return nil
}

// args reads the operands and attributes of a call, and the token behind them.
func (p *parser) args(call *Expr) *source.Error {
	open := p.tok
	if err := p.advance(); err != nil {
		return err
	}
	for !p.tok.is(")") {
		var err *source.Error
		switch {
		case p.tok.kind == tokName && !p.tok.word("meta") && p.assigned():
			var a Attr
			if a, err = p.attr(); err == nil {
				call.Attrs = append(call.Attrs, a)
			}
		default:
			var e *Expr
			if e, err = p.expr(); err == nil {
				if e.Kind == ExprConstant && strings.HasPrefix(e.Meta.Key, "relay.attrs.") {
					call.Meta = e.Meta
				} else {
					call.Args = append(call.Args, e)
				}
			}
		}
		if err != nil {
			return err
		}
		if !p.tok.is(",") {
			break
		}
		if err := p.advance(); err != nil {
			return err
		}
	}
	if !p.tok.is(")") {
		return p.here(CodeSyntax, "the operands of the call at %s want , or ), got %s", source.Span{File: p.file,
			Start: open.start}.Position(), p.tok)
	}
	return p.advance()
}

func (p *parser) attr() (a Attr, err *source.Error) {
	t := p.tok
	a.Name = t.text
	if err = p.advance(); err != nil {
		return a, err
	}
	if err = p.want("=", "an attribute"); err != nil {
		return a, err
	}
	a.Value, err = p.value()
	a.At = source.Span{File: p.file, Start: t.start, End: max(t.end, a.Value.At.End)}
	return a, err
}

// value reads the value of an attribute, and the token behind it.
func (p *parser) value() (v Value, err *source.Error) {
	if p.depth++; p.depth > maxNesting {
		return v, p.here("too-deep", "values nest at most %d deep", maxNesting)
	}
	defer func() { p.depth-- }()
	t := p.tok
	v.At = source.Span{File: p.file, Start: t.start, End: t.end}
	switch {
	case t.kind == tokNumber || t.is("-"):
		v.Kind = ValueNumber
		v.Number, err = p.number()
		return v, err
	case t.kind == tokString:
		v.Kind, v.Text = ValueString, t.text
	case t.word("True"), t.word("False"):
		v.Kind, v.Bool = ValueBool, t.text == "True"
	case t.word("None"), t.word("nullptr"):
	case t.word("meta"):
		v.Kind = ValueMeta
		v.Meta, err = p.meta()
		return v, err
	case t.kind == tokName: // of an element type, as some releases write it
		v.Kind, v.Text = ValueString, t.text
	case t.is("["), t.is("("):
		v.Kind = ValueList
		end := "]"
		if t.is("(") {
			end = ")"
		}
		if err = p.advance(); err != nil {
			return v, err
		}
		comma := t.is("[")
		for !p.tok.is(end) {
			x, err := p.value()
			if err != nil {
				return v, err
			}
			v.List = append(v.List, x)
			if !p.tok.is(",") {
				break
			}
			comma = true
			if err := p.advance(); err != nil {
				return v, err
			}
		}
		v.At.End = p.tok.end
		if err = p.want(end, "a list"); err == nil && !comma && len(v.List) == 1 {
			return v.List[0], nil
		}
		return v, err
	default:
		return v, p.here(CodeSyntax, "the value of an attribute is wanted, got %s", t)
	}
	return v, p.advance()
}

// number reads a number with its sign and its suffix, and the token behind it.
func (p *parser) number() (n Number, err *source.Error) {
	if p.tok.is("-") {
		n.Text = "-"
		if err = p.advance(); err != nil {
			return n, err
		}
	}
	t, err := p.wantWord(tokNumber, "a number")
	if err != nil {
		return n, err
	}
	end := 0
	for end < len(t.text) && (isDigit(t.text[end]) || t.text[end] == '.' || t.text[end] == '-' || t.text[end] == '+' ||
		(t.text[end] == 'e' || t.text[end] == 'E') && end+1 < len(t.text)) {
		end++
	}
	n.Text += t.text[:end]
	n.Suffix = t.text[end:]
	switch n.Suffix {
	case "", "f", "f16", "f32", "f64", "bf16", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64":
	default:
		return n, p.errorf(t.start, t.end, CodeSyntax, "a number has no suffix %s", n.Suffix)
	}
	if strings.ContainsAny(n.Text, ".eE") && strings.HasPrefix(strings.TrimLeft(n.Suffix, "u"), "i") {
		return n, p.errorf(t.start, t.end, CodeSyntax, "%s is no integer", n.Text)
	}
	return n, nil
}

// meta reads meta[KEY][INDEX], and the token behind it.
func (p *parser) meta() (*MetaRef, *source.Error) {
	start := p.tok.start
	if err := p.advance(); err != nil {
		return nil, err
	}
	if err := p.want("[", "a reference to metadata"); err != nil {
		return nil, err
	}
	key, err := p.wantWord(tokName, "a key of the metadata")
	if err != nil {
		return nil, err
	}
	for _, mark := range []string{"]", "["} {
		if err := p.want(mark, "a reference to metadata"); err != nil {
			return nil, err
		}
	}
	i, err := p.index()
	if err != nil {
		return nil, err
	}
	end := p.tok.end
	return &MetaRef{key.text, i, source.Span{File: p.file, Start: start, End: end}}, p.want("]", "a reference to metadata")
}

// atom reads an expression without what follows it, and the token behind it.
func (p *parser) atom() (*Expr, *source.Error) {
	t := p.tok
	e := &Expr{At: source.Span{File: p.file, Start: t.start, End: t.end}, of: p.in}
	switch {
	case t.kind == tokNumber || t.is("-"):
		var err *source.Error
		e.Kind = ExprNumber
		e.Number, err = p.number()
		return e, err
	case t.kind == tokLocal, t.kind == tokGraph:
		return p.name()
	case t.kind == tokGlobal:
		return nil, p.outside("a call of the function " + t.text)
	case t.word("True"), t.word("False"):
		e.Kind, e.Name = ExprBool, t.text
		return e, p.advance()
	case t.word("meta"):
		var err *source.Error
		e.Kind = ExprConstant
		e.Meta, err = p.meta()
		return e, err
	case t.word("fn"):
		return p.closure(e)
	case t.word("if"):
		return p.choice(e)
	case t.word("match"), t.word("ref"), t.word("ref_read"), t.word("ref_write"):
		return nil, p.outside(t.text)
	case t.word("let"):
		return nil, p.here(CodeSyntax, "a let stands in a body, in braces")
	case p.constructors[t.text] && t.kind == tokName:
		return nil, p.outside("the constructor " + t.text)
	case t.kind == tokName:
		if err := p.advance(); err != nil {
			return nil, err
		}
		if !p.tok.is("(") {
			return nil, p.errorf(t.start, t.end, CodeOutside, "the operator %s without operands is outside the subset "+
				"of Relay that tv reads", t)
		}
		e.Kind, e.Name = ExprCall, t.text
		err := p.args(e)
		return e, err
	case t.is("("):
		return p.tuple(e)
	case t.is("{"):
		return p.block()
	case t.is("["):
		return nil, p.outside("a tensor written out")
	}
	return nil, p.here(CodeSyntax, "an expression is wanted, got %s", t)
}

// name reads the name of a variable or a binding, with the components that are taken of it: the longest name there is.
func (p *parser) name() (*Expr, *source.Error) {
	t := p.tok
	name := t.text[1:]
	known := name
	var e *Expr
	for {
		if e = p.scope[known]; e == nil {
			e = p.graph[known]
		}
		if e != nil {
			break
		}
		cut := strings.LastIndexByte(known, '.')
		if cut < 0 {
			return nil, p.here(CodeName, "%s stands for nothing here", t)
		}
		known = known[:cut]
	}
	if e.Kind == ExprOutside {
		return nil, p.outside(e.Name)
	}
	for _, u := range p.uses[e] {
		if u.name == known {
			*u.used = true
		}
	}
	at := source.Span{File: p.file, Start: t.start, End: t.end}
	if name != known {
		for _, digits := range strings.Split(name[len(known)+1:], ".") {
			i, bad := strconv.Atoi(digits)
			if bad != nil || i > math.MaxInt32 {
				return nil, p.here(CodeName, "%s stands for nothing here", t)
			}
			e = p.item(e, i, at)
		}
	} else if e.Kind == ExprParam {
		e = &Expr{Kind: ExprParam, Param: e.Param, At: at, of: e.of}
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	return e, nil
}

func (p *parser) closure(e *Expr) (*Expr, *source.Error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.tok.is("[") {
		return nil, p.outside("a function with type variables")
	}
	e.Kind, e.Func = ExprFunc, &Func{At: e.At}
	err := p.rest(e.Func)
	return e, err
}

func (p *parser) choice(e *Expr) (*Expr, *source.Error) {
	err := p.advance()
	if err == nil {
		err = p.want("(", "an if")
	}
	if err != nil {
		return nil, err
	}
	cond, err := p.expr()
	if err == nil {
		err = p.want(")", "the condition of an if")
	}
	if err != nil {
		return nil, err
	}
	then, err := p.block()
	if err != nil {
		return nil, err
	}
	if !p.tok.word("else") {
		return nil, p.here(CodeSyntax, "an if has an else, got %s", p.tok)
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	other, err := p.block()
	e.Kind, e.Args = ExprIf, []*Expr{cond, then, other}
	return e, err
}

// tuple reads (), (x), which is x, (x,) or (x, y...).
func (p *parser) tuple(e *Expr) (*Expr, *source.Error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	e.Kind = ExprTuple
	comma := p.tok.is(")")
	for !p.tok.is(")") {
		x, err := p.expr()
		if err != nil {
			return nil, err
		}
		e.Args = append(e.Args, x)
		if !p.tok.is(",") {
			break
		}
		comma = true
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
	e.At.End = p.tok.end
	if err := p.want(")", "a tuple"); err != nil {
		return nil, err
	}
	if !comma {
		return e.Args[0], nil
	}
	return e, nil
}

// elements are the names of element types that Relay has.
func elementOf(name string) (domain.Elem, bool) {
	for _, prefix := range []string{"float", "bfloat", "int", "uint", "bool"} {
		if strings.HasPrefix(name, prefix) {
			return domain.ParseElem(name)
		}
	}
	return domain.Elem{}, false
}

// typ reads a type, and the token behind it.
func (p *parser) typ() (*Type, *source.Error) {
	if p.depth++; p.depth > maxNesting {
		return nil, p.here("too-deep", "types nest at most %d deep", maxNesting)
	}
	defer func() { p.depth-- }()
	t := p.tok
	switch {
	case t.word("Tensor"):
		return p.tensorType()
	case t.is("("):
		return p.tupleType()
	case t.word("fn"):
		if err := p.advance(); err != nil {
			return nil, err
		}
		if _, err := p.tupleType(); err != nil {
			return nil, err
		}
		err := p.want("->", "the type of a function")
		if err == nil {
			_, err = p.typ()
		}
		return &Type{Kind: TypeFunction}, err
	case t.kind == tokName:
		if err := p.advance(); err != nil {
			return nil, err
		}
		if elem, ok := elementOf(t.text); ok {
			return &Type{Elem: elem}, nil
		}
		if p.tok.is("[") {
			for !p.tok.is("]") {
				if err := p.advance(); err != nil {
					return nil, err
				}
				if _, err := p.typ(); err != nil {
					return nil, err
				}
				if !p.tok.is(",") && !p.tok.is("]") {
					return nil, p.here(CodeSyntax, "the type %s wants ], got %s", t, p.tok)
				}
			}
			return &Type{Kind: TypeNamed, Name: t.text}, p.advance()
		}
		return &Type{Kind: TypeNamed, Name: t.text}, nil
	}
	return nil, p.here(CodeSyntax, "a type is wanted, got %s", t)
}

func (p *parser) tupleType() (*Type, *source.Error) {
	if err := p.want("(", "a type"); err != nil {
		return nil, err
	}
	t := &Type{Kind: TypeTuple}
	for !p.tok.is(")") {
		item, err := p.typ()
		if err != nil {
			return nil, err
		}
		t.Items = append(t.Items, item)
		if !p.tok.is(",") {
			break
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
	return t, p.want(")", "a type")
}

// tensorType reads Tensor[(DIM...), TYPE].
func (p *parser) tensorType() (*Type, *source.Error) {
	err := p.advance()
	for _, mark := range []string{"[", "("} {
		if err == nil {
			err = p.want(mark, "the type of a tensor")
		}
	}
	if err != nil {
		return nil, err
	}
	t := &Type{Dims: []int64{}}
	for !p.tok.is(")") {
		switch {
		case p.tok.is("?"), p.tok.word("Any"):
			t.Dims = append(t.Dims, Open)
			err = p.advance()
		case p.tok.word("meta"):
			_, err = p.meta()
			t.Dims = append(t.Dims, Open)
		default:
			at := p.tok
			var n Number
			if n, err = p.number(); err != nil {
				return nil, err
			}
			d, bad := strconv.ParseInt(n.Text, 10, 64)
			if bad != nil || d < 0 {
				return nil, p.errorf(at.start, at.end, CodeSyntax, "a dim is a natural number, not %s", n.Text)
			}
			t.Dims = append(t.Dims, d)
		}
		if err != nil {
			return nil, err
		}
		if !p.tok.is(",") {
			break
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
	for _, mark := range []string{")", ","} {
		if err := p.want(mark, "the type of a tensor"); err != nil {
			return nil, err
		}
	}
	at := p.tok
	name, err := p.wantWord(tokName, "an element type")
	if err != nil {
		return nil, err
	}
	var ok bool
	if t.Elem, ok = elementOf(name.text); !ok {
		return nil, p.errorf(at.start, at.end, "unknown-type", "%s is no element type that tv has", name)
	}
	return t, p.want("]", "the type of a tensor")
}
