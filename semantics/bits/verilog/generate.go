package verilog

import (
	"fmt"
	"slices"

	"tv/internal/source"
)

// A Generate makes items of a module: those of the first arm whose condition holds, or of which a label is what Of is; or, in a loop, those of its
// one arm, again and again.
type Generate struct {
	Span   source.Span
	Loop   bool
	Of     *Expr // of a case
	Init   *Stmt // of a loop, which counts the genvar Init.Left
	Step   *Stmt
	Arms   []Arm
	Number int // among those of the module or block that it is in, from 1
}

// An Arm is items under a condition, or of a case under labels; without one they are there where no other is.
type Arm struct {
	Cond   *Expr
	Labels []*Expr
	Body   *Module // without ports; its Name is that of the block, or empty
}

// Blocks are a module and the blocks of what it generates, those within such blocks too.
func (m *Module) Blocks() []*Module {
	out := []*Module{m}
	for _, g := range m.Generates {
		for _, a := range g.Arms {
			out = append(out, a.Body.Blocks()...)
		}
	}
	return out
}

// Label is the name of the block of an arm. One that has none is called after the number of what generates it (Verilog-2005, 12.4.3).
func (g *Generate) Label(body *Module) string {
	if body.Name != "" {
		return body.Name
	}
	return fmt.Sprint("genblk", g.Number)
}

func (p *parser) generate(m *Module) error {
	if err := p.advance(); err != nil {
		return err
	}
	for !p.keyword("endgenerate") {
		if err := p.item(m); err != nil {
			return err
		}
	}
	return p.advance()
}

func (p *parser) genvar(*Module) error {
	if err := p.advance(); err != nil {
		return err
	}
	for {
		name, err := p.name("the name of a genvar")
		if err != nil {
			return err
		}
		p.genvars = append(p.genvars, name.Text)
		if !p.is(",") {
			return p.expect(";")
		}
		if err := p.advance(); err != nil {
			return err
		}
	}
}

// generated reads for (I = A; COND; STEP) BLOCK, if (COND) BLOCK else BLOCK, or case (OF) LABEL, ..: BLOCK .. endcase.
func (p *parser) generated(m *Module) error {
	g := &Generate{Span: p.span(), Loop: p.keyword("for"), Number: len(m.Generates) + 1}
	m.Generates = append(m.Generates, g)
	if p.keyword("case") {
		return p.cases(g)
	}
	if !g.Loop {
		return p.arms(g)
	}
	if err := p.advance(); err != nil {
		return err
	}
	if err := p.expect("("); err != nil {
		return err
	}
	own, err := p.accept("genvar")
	if err != nil {
		return err
	}
	g.Init, g.Step = &Stmt{Span: p.span()}, &Stmt{}
	if err := p.assigned(g.Init); err != nil {
		return err
	}
	if err := p.expect(";"); err != nil {
		return err
	}
	var arm Arm
	if arm.Cond, err = p.expr(); err != nil {
		return err
	}
	if err := p.expect(";"); err != nil {
		return err
	}
	g.Step.Span = p.span()
	if err := p.step(g.Step); err != nil {
		return err
	}
	for _, x := range []*Stmt{g.Init, g.Step} {
		if x.Kind != Blocking || x.Left.Kind != Ident || x.Left.Text != g.Init.Left.Text {
			return source.Errorf(x.Span, "unsupported", "a loop that does not count a genvar")
		}
	}
	if name := g.Init.Left; !own && !slices.Contains(p.genvars, name.Text) {
		return source.Errorf(name.Span, "syntax", "%s is no genvar", name.Text)
	}
	if err := p.expect(")"); err != nil {
		return err
	}
	if arm.Body, err = p.body(); err != nil {
		return err
	}
	g.Arms = []Arm{arm}
	return nil
}

// arms reads if (COND) BLOCK and what follows else: of another if there the arms belong to the first one.
func (p *parser) arms(g *Generate) (err error) {
	for {
		var arm Arm
		if err := p.advance(); err != nil {
			return err
		}
		if arm.Cond, err = p.parenthesised(); err != nil {
			return err
		}
		if arm.Body, err = p.body(); err != nil {
			return err
		}
		g.Arms = append(g.Arms, arm)
		if ok, err := p.accept("else"); err != nil || !ok {
			return err
		}
		if !p.keyword("if") {
			break
		}
	}
	last := Arm{}
	if last.Body, err = p.body(); err == nil {
		g.Arms = append(g.Arms, last)
	}
	return err
}

func (p *parser) cases(g *Generate) (err error) {
	if err := p.advance(); err != nil {
		return err
	}
	if g.Of, err = p.parenthesised(); err != nil {
		return err
	}
	seen := false
	for !p.keyword("endcase") {
		var arm Arm
		if p.keyword("default") {
			if seen {
				return source.Errorf(p.span(), "syntax", "default is there twice")
			}
			seen = true
			if err := p.advance(); err != nil {
				return err
			}
			if _, err := p.accept(":"); err != nil {
				return err
			}
		} else if arm.Labels, err = p.labels(); err != nil {
			return err
		}
		if arm.Body, err = p.body(); err != nil {
			return err
		}
		g.Arms = append(g.Arms, arm)
	}
	return p.advance()
}

// body reads begin : NAME items end, or one item.
func (p *parser) body() (*Module, error) {
	b := &Module{Span: p.span()}
	p.blocks++
	defer func() { p.blocks-- }()
	if p.blocks > maxBlocks {
		return nil, source.Errorf(b.Span, "unsupported", "generated blocks nest deeper than %d", maxBlocks)
	}
	begins, err := p.accept("begin")
	if err != nil {
		return nil, err
	}
	if !begins {
		return b, p.item(b)
	}
	if err := p.label(&b.Name); err != nil {
		return nil, err
	}
	for !p.keyword("end") {
		if err := p.item(b); err != nil {
			return nil, err
		}
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	var again string
	if err := p.label(&again); err != nil {
		return nil, err
	}
	for _, d := range b.Decls {
		if d.Dir != Wire {
			return nil, source.Errorf(d.Span, "syntax", "a port in a generated block")
		}
	}
	return b, nil
}

// maxBlocks is how deep generated blocks nest.
const maxBlocks = 64

// label reads : NAME, if it is there.
func (p *parser) label(to *string) error {
	ok, err := p.accept(":")
	if err != nil || !ok {
		return err
	}
	n, err := p.name("the name of a block")
	*to = n.Text
	return err
}
