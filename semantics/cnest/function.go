package cnest

import (
	"slices"

	"tv/internal/source"
	"tv/internal/spelling"
	"tv/semantics/loops"
)

// A unit is a file whose functions are known by name, not read yet.
type unit struct {
	file      *source.File
	functions []*function // in order
	byName    map[string]*function
	skipped   []source.Span
	alias     bool             // parameters may overlap
	strict    bool             // signed overflow is undefined
	constants map[string]*expr // scalars that stand outside functions: see constant.go
	arrays    []*stmt          // arrays that do
	contracts bool             // of functions that are not of the file: see contract.go
}

// Parse reads a function of a file. Without a name it is the one that no function of the file calls but main, and that is
// not static; if all such are static, or there are several, it is the one among them with a #pragma scop. The error has one
// problem or several, in the order of the text.
func Parse(f *source.File, name string) (*loops.Procedure, error) {
	var proc *loops.Procedure
	var errs source.Errors
	err := attempt(func() {
		p := preprocess(f)
		u := split(f, p)
		fn := u.choose(name, p.scops)
		in, found := resolve(u, fn)
		proc, errs = elaborate(u, in, found)
	})
	switch {
	case err != nil:
		return nil, err
	case len(errs) == 1:
		return nil, errs[0]
	case len(errs) > 1:
		return nil, errs
	}
	return proc, nil
}

// split finds the functions of a file.
func split(f *source.File, p *preprocessor) *unit {
	u := &unit{file: f, byName: map[string]*function{}, constants: map[string]*expr{}, skipped: p.skipped, strict: p.strict, alias: p.alias}
	tokens := p.out
	for len(tokens) > 0 && tokens[0].kind != end {
		if tokens[0].is(";") {
			tokens = tokens[1:]
			continue
		}
		stop, depth := 0, 0
		for ; depth > 0 || !tokens[stop].is(";", "{"); stop++ {
			switch t := tokens[stop]; {
			case t.kind == end:
				fail(tokens[0].span, "bad-syntax", "a function NAME(...) {...}, not %s", tokens[0].text)
			case t.is("("):
				depth++
			case t.is(")"):
				depth--
			}
		}
		if stop == 0 {
			fail(tokens[0].span, "bad-syntax", "a function NAME(...) {...}, not %s", tokens[0].text)
		}
		if rest := u.constant(tokens, stop); rest != nil {
			tokens = rest
			continue
		}
		fn := heading(tokens[:stop])
		if tokens[stop].is(";") { // a prototype says nothing that the function does not
			tokens = tokens[stop+1:]
			continue
		}
		last := closing(tokens, stop)
		fn.body, fn.closing = tokens[stop+1:last], tokens[last]
		fn.calls = called(fn.body)
		if u.byName[fn.name] != nil {
			fail(fn.at, "redefined-name", "function %s is defined already, at %s", fn.name, u.byName[fn.name].at.Position())
		}
		u.functions, u.byName[fn.name] = append(u.functions, fn), fn
		tokens = tokens[last+1:]
	}
	return u
}

// heading returns the function of a heading, with its name alone.
func heading(tokens []token) *function {
	for _, t := range tokens {
		if what, ok := refusedWords[t.text]; ok && t.kind == word && t.text != "extern" {
			fail(t.span, "unsupported-op", "%s: the subset of C has none", what)
		}
	}
	open := slices.IndexFunc(tokens, func(t token) bool { return t.is("(", "=", "[") })
	if open < 1 || !tokens[open].is("(") || tokens[open-1].kind != word || !tokens[len(tokens)-1].is(")") {
		fail(tokens[0].span, "unsupported-op", "variables and types outside functions: the subset of C has none")
	}
	fn := &function{name: tokens[open-1].text, at: tokens[open-1].span, heading: tokens}
	fn.static = slices.ContainsFunc(tokens[:open], func(t token) bool { return t.is("static") })
	return fn
}

// closing returns where the } is that ends what tokens[open] begins.
func closing(tokens []token, open int) int {
	depth := 0
	for i := open; i < len(tokens); i++ {
		switch {
		case tokens[i].is("{"):
			depth++
		case tokens[i].is("}"):
			if depth--; depth == 0 {
				return i
			}
		}
	}
	fail(tokens[open].span, "bad-syntax", "a { without its }")
	return 0
}

// called returns the names that are followed by a parenthesis.
func called(body []token) map[string]bool {
	out := map[string]bool{}
	for i := range len(body) - 1 {
		if body[i].kind == word && body[i+1].is("(") {
			out[body[i].text] = true
		}
	}
	return out
}

// choose returns the function of a name, or the one that is meant without a name.
func (u *unit) choose(name string, scops []source.Span) *function {
	start := source.Span{File: u.file}
	if name != "" {
		if fn := u.byName[name]; fn != nil {
			return fn
		}
		fail(start, "unbound-name", "there is no function %s%s", name, suggest(name, u.names()))
	}
	called := map[string]bool{} // by another function but main
	for _, fn := range u.functions {
		for name := range fn.calls {
			called[name] = called[name] || fn.name != "main" && fn.name != name
		}
	}
	var candidates, exported, marked []*function
	for _, fn := range u.functions {
		if fn.name == "main" || called[fn.name] {
			continue
		}
		candidates = append(candidates, fn)
		if !fn.static {
			exported = append(exported, fn)
		}
		inside := func(s source.Span) bool {
			return len(fn.body) > 0 && fn.at.Start < s.Start && s.Start < fn.body[len(fn.body)-1].span.End
		}
		if slices.ContainsFunc(scops, inside) {
			marked = append(marked, fn)
		}
	}
	for _, list := range [][]*function{exported, marked, candidates} {
		if len(list) == 1 {
			return list[0]
		}
	}
	if len(u.functions) == 0 {
		fail(start, "unbound-name", "a file without a function")
	}
	var names []string
	for _, fn := range candidates {
		names = append(names, fn.name)
	}
	fail(start, "unbound-name", "one of %s is meant: FILE:NAME says which", spelling.List(names))
	return nil
}

func (u *unit) names() (out []string) {
	for _, fn := range u.functions {
		out = append(out, fn.name)
	}
	return out
}

// suggest returns what to say of a name that is near one of others.
func suggest(name string, others []string) string {
	slices.Sort(others)
	if near := spelling.Nearest(name, others); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// parse reads heading and body of a function, once.
func (fn *function) parse() {
	if !fn.read {
		fn.read = true
		fn.err = attempt(func() {
			fn.parseHeading()
			fn.stmts = newParser(fn.body, fn.closing).statements(false)
		})
	}
	if fn.err != nil {
		panic(fn.err)
	}
}

func (fn *function) parseHeading() {
	p := newParser(fn.heading, token{text: "{", span: fn.heading[len(fn.heading)-1].span})
	p.accept("extern")
	fn.typ, _ = p.typeOf()
	if p.peek().is("*") {
		fail(p.peek().span, "unsupported-op", "functions that return pointers: the subset of C has none")
	}
	p.newName()
	p.expect("(", "follows the name of a function")
	if p.peek().is("void") && p.tokens[p.pos+1].is(")") {
		p.next()
	}
	for !p.accept(")") {
		if t := p.peek(); !startsType(t) {
			p.refuse()
			fail(t.span, "bad-syntax", "a parameter TYPE NAME, not %s", t.text)
		}
		t, q := p.typeOf()
		if q.static {
			fail(p.peek().span, "bad-syntax", "static stands before a function or in brackets")
		}
		fn.params = append(fn.params, p.declarator(t, q))
		if !p.accept(",") {
			p.expect(")", "ends the parameters")
			break
		}
	}
	if t := p.peek(); t.kind != end {
		fail(t.span, "bad-syntax", "{ follows the parameters, not %s", t.text)
	}
}
