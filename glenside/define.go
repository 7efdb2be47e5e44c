package glenside

import (
	"slices"
	"strings"

	"tv/internal/source"
)

// A Definition is (define NAME EXPR): where a program wants a tensor, an access pattern or a tuple, NAME stands for EXPR.
//
// It is read where the result uses it first, as if EXPR stood there. So a program has the nodes of the tree that it
// abbreviates, in the same order, and only the places tell them apart.
type Definition struct {
	Name    string
	Span    source.Span // of the whole form
	Node    *Node       // what EXPR is; if the result does not reach it, not one of the program's
	Reached bool

	at      int  // the offset of EXPR
	reading bool // EXPR is being read
}

// String returns the name for messages.
func (d *Definition) String() string { return (&word{text: d.Name}).String() }

// definition reads (define NAME EXPR), but for EXPR, which may use names that are defined below.
func (p *parser) definition(start int) *source.Error {
	const usage = "a definition is (define NAME EXPR)"
	p.pos++
	p.skip()
	p.pos += len(wordDefine)
	at := p.skip()
	if !p.atWord() {
		return p.errorf(start, min(at+1, len(p.text)), "bad-definition", usage)
	}
	name, err := p.word()
	if err != nil {
		return err
	}
	if name.reserved() {
		return p.errorf(at, p.pos, "reserved-word", "%s cannot be the name of a definition", name)
	}
	d := &Definition{Name: name.text, at: p.skip()}
	if d.at < len(p.text) && p.text[d.at] == ')' {
		return p.errorf(start, d.at+1, "bad-definition", usage)
	}
	if !p.element() {
		return p.errorf(start, start+1, "unclosed-list", "the list of the definition of %s is not closed", name)
	}
	if err := p.closing(start, "bad-definition", "the definition of "+name.String()); err != nil {
		return err
	}
	d.Span = source.Span{File: p.file, Start: start, End: p.pos}
	switch in := p.declared[d.Name]; {
	case in != nil:
		return p.errorf(at, at+len(d.Name), "redefined-name", "%s is an input, declared at %s", name, in.Span.Position())
	case name.def != nil:
		return p.errorf(at, at+len(d.Name), "redefined-name", "%s is defined twice, first at %s", name,
			name.def.Span.Position())
	}
	name.def = d
	p.prog.Definitions = append(p.prog.Definitions, d)
	return nil
}

// definable tells whether a name may be that of a definition where an operand of the sort is wanted.
func (s Sort) definable() bool {
	switch s {
	case SortAccess, SortTensor, SortAccessShape, SortTuple, SortAny:
		return true
	}
	return false
}

// use returns what a definition stands for. Where EXPR is not read yet the result is nil, and the parser goes on there.
func (p *parser) use(d *Definition, w *word, start, end int) (*Node, *source.Error) {
	switch {
	case p.asWritten:
		return p.symbol(w, start, end), nil
	case d.Node != nil:
		return d.Node, nil
	case d.reading:
		return nil, p.errorf(start, end, "cyclic-definition", "%s is defined by itself: %s", w, p.cycle(d))
	}
	p.enter(d)
	return nil, nil
}

// enter has EXPR read next, and then goes on from here.
func (p *parser) enter(d *Definition) {
	d.reading = true
	p.frames = append(p.frames, frame{def: d, start: p.pos, base: len(p.values)})
	p.pos = d.at
}

// cycle lists the definitions from d to the one that uses it.
func (p *parser) cycle(d *Definition) string {
	const most = 8
	var names []string
	for _, f := range p.frames {
		if f.def == d || len(names) > 0 && f.def != nil {
			names = append(names, f.def.String())
		}
	}
	if len(names) > most {
		names = append(names[:most-1], "...")
	}
	return strings.Join(append(names, names[0]), " uses ")
}

// leave goes on behind the name of the definition whose EXPR is n.
func (p *parser) leave(n *Node) *Node {
	f := p.frames[len(p.frames)-1]
	p.frames = p.frames[:len(p.frames)-1]
	f.def.Node, f.def.reading = n, false
	p.pos = f.start
	return p.fit(n)
}

// define reads EXPR, unless that has been done.
func (p *parser) define(d *Definition) *source.Error {
	if d.Node != nil {
		return nil
	}
	p.enter(d)
	_, err := p.expression()
	return err
}

// unreached reads the definitions that the result has not used. They make nodes of their own: what the program reads,
// names and asks of sizes is what its result does.
func (p *parser) unreached() *source.Error {
	var rest []*Definition
	for _, d := range p.prog.Definitions {
		if d.Reached = d.Node != nil; !d.Reached {
			rest = append(rest, d)
		}
	}
	if rest == nil {
		return nil
	}
	reached := make([]*Node, len(p.prog.Definitions))
	for i, d := range p.prog.Definitions {
		reached[i], d.Node = d.Node, nil
	}
	main := p.prog
	p.prog, p.nodes = &Program{File: p.file, Definitions: rest}, nodeTable{}
	for _, w := range p.words.slots {
		if w != nil {
			w.symbol, w.access, w.int = nil, nil, nil
		}
	}
	for _, d := range rest {
		if err := p.define(d); err != nil {
			return err
		}
	}
	p.prog.Nodes = p.nodes.list
	main.unreached, p.prog = p.prog, main
	for i, n := range reached {
		if n != nil {
			main.Definitions[i].Node = n
		}
	}
	return nil
}

// names returns the names that nodes of p have by definitions, the first of each in the order of the file.
func (p *Program) names() map[*Node]string {
	var names map[*Node]string
	for _, d := range p.Definitions {
		if !d.Reached || d.Node.Kind != KindCall || names[d.Node] != "" {
			continue
		}
		if names == nil {
			names = map[*Node]string{}
		}
		names[d.Node] = d.Name
	}
	return names
}

// Remarks are about what is legal and likely not meant: definitions that the result does not reach.
func (p *Program) Remarks() (list source.Errors) {
	for _, d := range p.Definitions {
		if !d.Reached {
			list = append(list, &source.Error{Span: d.Span, Msg: "the result does not use " + d.String()})
		}
	}
	return list
}

// ownNames checks that no definition has the name of an input, of those either that only the question declares.
func (c *checker) ownNames() {
	for _, d := range c.prog.Definitions {
		if _, ok := c.env.Tensors[d.Name]; ok {
			c.failAt(d.Span, "redefined-name", "%s is an input", d)
		}
	}
}

// definitions checks what is defined, and types what the result does not reach: for errors alone.
func (c *checker) definitions() {
	for _, d := range c.prog.Definitions {
		if d.Reached {
			c.defined(d)
		}
	}
	if c.prog.unreached == nil || len(c.errs) > 0 {
		return
	}
	u := newChecker(c.prog.unreached, c.env)
	for _, n := range u.prog.Nodes {
		if u.types[n.ID] = u.node(n); len(u.errs) >= maxErrors {
			break
		}
	}
	// Literals stay as they are: one has the type of its use, and here is none.
	for _, d := range u.prog.Definitions {
		u.defined(d)
	}
	c.errs = append(c.errs, u.errs...)
}

// defined checks that a definition is of something that has a name in programs.
func (c *checker) defined(d *Definition) {
	t := c.types[d.Node.ID]
	if t != nil && !slices.Contains([]TypeKind{TypeAccess, TypeTensor, TypeTuple}, t.Kind) {
		c.failAt(d.Span, "not-a-tensor", "a definition is a tensor, an access pattern or a tuple, not %s", t.describe())
	}
}
