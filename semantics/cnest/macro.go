package cnest

import (
	"slices"
	"strings"
	"sync"

	"tv/internal/source"
)

// A macro is what #define says of a name.
type macro struct {
	function bool // takes arguments
	params   []string
	body     []token
	standard bool // of the list below: a file may define it anew
}

// hidden are the macros that a token comes of: it does not expand to them again.
type hidden struct {
	name string
	next *hidden
}

func (h *hidden) has(name string) bool {
	for ; h != nil; h = h.next {
		if h.name == name {
			return true
		}
	}
	return false
}

// maxTokens bounds texts, and what macros may expand to.
const maxTokens = 1 << 20

// standard has what headers define that files of PolyBench and callers of BLAS include: extents and bounds are the
// parameters, as with POLYBENCH_USE_C99_PROTO and POLYBENCH_USE_SCALAR_LB. DATA_TYPE is not among them: it differs from kernel
// to kernel, so that the file has to say it.
const standard = `
#define SCALAR_VAL(x) ((DATA_TYPE) (x))
#define SQRT_FUN(x) ((DATA_TYPE) sqrt(x))
#define EXP_FUN(x) ((DATA_TYPE) exp(x))
#define POW_FUN(x,y) ((DATA_TYPE) pow(x,y))
#define POLYBENCH_1D(var,dim1,ddim1) var[ddim1]
#define POLYBENCH_2D(var,dim1,dim2,ddim1,ddim2) var[ddim1][ddim2]
#define POLYBENCH_3D(var,dim1,dim2,dim3,ddim1,ddim2,ddim3) var[ddim1][ddim2][ddim3]
#define POLYBENCH_4D(var,dim1,dim2,dim3,dim4,ddim1,ddim2,ddim3,ddim4) var[ddim1][ddim2][ddim3][ddim4]
#define INT_MAX 2147483647
#define INT_MIN (-2147483647-1)
#define CblasRowMajor 101
#define CblasColMajor 102
#define CblasNoTrans 111
#define CblasTrans 112
`

var standardMacros = sync.OnceValue(func() map[string]*macro {
	p := &preprocessor{macros: map[string]*macro{}}
	p.run(lex(source.NewFile("", standard), 0, len(standard), false))
	for _, m := range p.macros {
		m.standard = true
	}
	return p.macros
})

// A preprocessor obeys directives and expands macros.
type preprocessor struct {
	macros  map[string]*macro
	skipped []source.Span
	scops   []source.Span // of #pragma scop
	strict  bool          // #pragma overflow undefined
	alias   bool          // #pragma alias may
	out     []token
	open    []branch // of #ifdef
	made    int      // tokens that macros made so far
}

// A branch is an #ifdef or #ifndef without its #endif so far.
type branch struct {
	at   source.Span
	on   bool // lines count now
	last bool // #else was there
}

// newPreprocessor returns one that knows what headers define.
func newPreprocessor() *preprocessor {
	p := &preprocessor{macros: map[string]*macro{}}
	for name, m := range standardMacros() {
		p.macros[name] = m
	}
	return p
}

// preprocess returns the tokens that are left of a file.
func preprocess(f *source.File) *preprocessor {
	p := newPreprocessor()
	p.run((&lexer{file: f, end: contractsIn(f), most: maxTokens}).all())
	return p
}

func (p *preprocessor) run(tokens []token) {
	var waiting []token // ordinary tokens since the last directive
	for _, t := range tokens {
		switch {
		case t.kind == comment:
		case t.kind == directive:
			p.out = append(p.out, p.expand(waiting)...)
			waiting = waiting[:0]
			p.directive(t)
		case p.on() || t.kind == end:
			waiting = append(waiting, t)
		}
	}
	p.out = append(p.out, p.expand(waiting)...)
	if n := len(p.open); n > 0 {
		fail(p.open[n-1].at, "bad-syntax", "an #ifdef without #endif")
	}
}

func (p *preprocessor) on() bool {
	return !slices.ContainsFunc(p.open, func(b branch) bool { return !b.on })
}

func (p *preprocessor) directive(line token) {
	tokens := lex(line.span.File, line.span.Start+1, line.span.End, true)
	tokens = slices.DeleteFunc(tokens, func(t token) bool { return t.kind == comment })
	if len(tokens) == 0 {
		return
	}
	name, tokens := tokens[0], tokens[1:]
	switch name.text {
	case "ifdef", "ifndef":
		m := p.macros[one(name, tokens)]
		p.open = append(p.open, branch{at: line.span, on: (m != nil && !m.standard) == (name.text == "ifdef")})
		return
	case "else", "endif":
		n := len(p.open)
		if n == 0 || name.text == "else" && p.open[n-1].last {
			fail(line.span, "bad-syntax", "#%s without an #ifdef", name.text)
		}
		if p.open[n-1].on, p.open[n-1].last = !p.open[n-1].on, true; name.text == "endif" {
			p.open = p.open[:n-1]
		}
		return
	}
	if !p.on() {
		return
	}
	switch name.text {
	case "define":
		p.define(name, tokens)
	case "undef":
		delete(p.macros, one(name, tokens))
	case "include", "pragma":
		p.skipped = append(p.skipped, line.span)
		p.alias = p.alias || strings.TrimSpace(line.text) == AliasLine
		p.strict = p.strict || strings.TrimSpace(line.text) == OverflowLine
		if name.text == "pragma" && len(tokens) > 0 && tokens[0].text == "scop" {
			p.scops = append(p.scops, line.span)
		}
	default:
		fail(line.span, "unsupported-op", "#%s: of the preprocessor there are #define, #undef, #ifdef, #ifndef, #else, #endif and, "+
			"skipped, #include and #pragma", name.text)
	}
}

// one returns the name that a directive is about.
func one(directive token, tokens []token) string {
	if len(tokens) == 0 || tokens[0].kind != word {
		fail(directive.span, "bad-syntax", "#%s NAME", directive.text)
	}
	return tokens[0].text
}

func (p *preprocessor) define(directive token, tokens []token) {
	name := one(directive, tokens)
	at, m := tokens[0].span, &macro{body: tokens[1:]}
	if len(m.body) > 0 && m.body[0].is("(") && m.body[0].span.Start == at.End {
		m.function = true
		rest := m.body[1:]
		for len(rest) > 0 && !rest[0].is(")") {
			if rest[0].kind != word {
				fail(rest[0].span, "unsupported-op", "the parameters of a macro are names")
			}
			m.params = append(m.params, rest[0].text)
			if rest = rest[1:]; len(rest) > 0 && rest[0].is(",") {
				rest = rest[1:]
			}
		}
		if len(rest) == 0 {
			fail(at, "bad-syntax", "the parameters of macro %s end in )", name)
		}
		m.body = rest[1:]
	}
	for _, t := range m.body {
		if t.is("#", "##") {
			fail(t.span, "unsupported-op", "%s in a macro", t.text)
		}
	}
	if old := p.macros[name]; old != nil && !old.standard && !same(old, m) {
		fail(at, "redefined-name", "macro %s is defined already, otherwise", name)
	}
	p.macros[name] = m
}

func same(a, b *macro) bool {
	return a.function == b.function && slices.Equal(a.params, b.params) &&
		slices.EqualFunc(a.body, b.body, func(s, t token) bool { return s.text == t.text })
}

// expand replaces macros, from left to right, as long as there are any.
func (p *preprocessor) expand(in []token) (out []token) {
	rest := slices.Clone(in)
	slices.Reverse(rest) // a stack
	for len(rest) > 0 {
		t := rest[len(rest)-1]
		rest = rest[:len(rest)-1]
		m := p.lookup(t)
		if m == nil {
			out = append(out, t)
			continue
		}
		var args [][]token
		at := t.span
		if m.function {
			if len(rest) == 0 || !rest[len(rest)-1].is("(") {
				out = append(out, t)
				continue
			}
			args, rest, at = arguments(t, m, rest)
		}
		body := p.substitute(t, m, args, at)
		if p.made += len(body); p.made > maxTokens {
			fail(t.span, "too-large", "macros expand to more than %d words", maxTokens)
		}
		slices.Reverse(body)
		rest = append(rest, body...)
	}
	return out
}

// lookup returns the macro that a token is a call of, or nil. _PB_N stands for parameter n.
func (p *preprocessor) lookup(t token) *macro {
	if t.kind != word || t.hide.has(t.text) {
		return nil
	}
	if m := p.macros[t.text]; m != nil {
		return m
	}
	if name, ok := strings.CutPrefix(t.text, "_PB_"); ok && name != "" {
		return &macro{body: []token{{kind: word, text: strings.ToLower(name)}}}
	}
	return nil
}

// arguments takes the arguments of a call from a stack of tokens.
func arguments(t token, m *macro, rest []token) (args [][]token, _ []token, at source.Span) {
	depth, current := 0, []token{}
	for i := len(rest) - 1; i >= 0; i-- {
		a := rest[i]
		switch {
		case a.kind == end:
			i = 0
			continue
		case a.is("("):
			if depth++; depth == 1 {
				continue
			}
		case a.is(")"):
			if depth--; depth == 0 {
				if args = append(args, current); len(m.params) == 0 && len(current) == 0 {
					args = nil
				}
				if len(args) != len(m.params) {
					fail(t.span, "bad-syntax", "macro %s has %d parameters, not %d", t.text, len(m.params), len(args))
				}
				return args, rest[:i], join(t.span, a.span)
			}
		case a.is(",") && depth == 1:
			args, current = append(args, current), []token{}
			continue
		}
		current = append(current, a)
	}
	fail(t.span, "bad-syntax", "the arguments of macro %s have no end", t.text)
	return nil, nil, at
}

// substitute returns the body of a macro for a call.
func (p *preprocessor) substitute(t token, m *macro, args [][]token, at source.Span) (out []token) {
	hide := &hidden{t.text, t.hide}
	for _, b := range m.body {
		if k := slices.Index(m.params, b.text); k >= 0 && b.kind == word {
			for _, a := range p.expand(args[k]) {
				a.hide = &hidden{t.text, a.hide}
				out = append(out, a)
			}
			continue
		}
		b.span, b.hide = at, hide
		out = append(out, b)
	}
	return out
}

// join returns the stretch from one place to another, in any order; of a macro's call, the whole call.
func join(a, b source.Span) source.Span {
	if a.File == nil {
		return b
	}
	if b.File != a.File {
		return a
	}
	return source.Span{File: a.File, Start: min(a.Start, b.Start), End: max(a.End, b.End)}
}
