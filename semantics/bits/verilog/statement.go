package verilog

import (
	"tv/internal/source"
)

// behaviour are the items that begin with a word and are not of netlists. It is filled when the program starts, since items hold items.
var behaviour map[string]func(*parser, *Module) error

func init() {
	behaviour = map[string]func(*parser, *Module) error{
		"parameter": (*parser).parameters, "localparam": (*parser).parameters, "function": (*parser).function, "initial": (*parser).initially,
		"always": (*parser).always, "always_comb": (*parser).always, "always_ff": (*parser).always,
		"generate": (*parser).generate, "genvar": (*parser).genvar, "for": (*parser).generated, "if": (*parser).generated, "case": (*parser).generated,
	}
}

// accept passes a word or mark if it is the next.
func (p *parser) accept(s string) (bool, error) {
	if !p.is(s) && !p.keyword(s) {
		return false, nil
	}
	return true, p.advance()
}

func (p *parser) expectWord(s string) error {
	if !p.keyword(s) {
		return p.refused(s)
	}
	return p.advance()
}

// initial reads = and the initial value of a variable.
func (p *parser) initial(d Decl) (*Expr, error) {
	if !d.Variable {
		return nil, p.refused("the end of the declaration")
	}
	p.behaves = true
	if err := p.advance(); err != nil {
		return nil, err
	}
	return p.expr()
}

// parameterPorts reads #(parameter ..) before the ports.
func (p *parser) parameterPorts(m *Module) error {
	p.behaves = true
	if err := p.advance(); err != nil {
		return err
	}
	if err := p.expect("("); err != nil {
		return err
	}
	var typ Param
	for !p.is(")") {
		if len(m.Params) > 0 {
			if err := p.expect(","); err != nil {
				return err
			}
		}
		if p.keyword("parameter") || p.keyword("localparam") || len(m.Params) == 0 {
			var err error
			if typ, err = p.parameterType(); err != nil {
				return err
			}
		}
		if err := p.parameter(m, typ); err != nil {
			return err
		}
	}
	return p.advance()
}

func (p *parser) parameters(m *Module) error {
	typ, err := p.parameterType()
	if err != nil {
		return err
	}
	for {
		if err := p.parameter(m, typ); err != nil {
			return err
		}
		if !p.is(",") {
			return p.expect(";")
		}
		if err := p.advance(); err != nil {
			return err
		}
	}
}

// parameterType reads what stands before the names.
func (p *parser) parameterType() (t Param, err error) {
	t.Local = p.keyword("localparam")
	if p.keyword("parameter") || t.Local {
		if err := p.advance(); err != nil {
			return t, err
		}
	}
	if p.keyword("integer") || p.keyword("int") {
		t.Typed, t.Signed, t.Integer = true, true, true
		return t, p.advance()
	}
	for _, kind := range []string{"reg", "logic"} {
		if ok, err := p.accept(kind); err != nil {
			return t, err
		} else if ok {
			t.Typed = true
		}
	}
	if ok, err := p.accept("signed"); err != nil {
		return t, err
	} else if ok {
		t.Typed, t.Signed = true, true
	}
	if !p.is("[") {
		return t, nil
	}
	t.Typed = true
	if err := p.advance(); err != nil {
		return t, err
	}
	if t.MSB, err = p.expr(); err != nil {
		return t, err
	}
	if err := p.expect(":"); err != nil {
		return t, err
	}
	if t.LSB, err = p.expr(); err != nil {
		return t, err
	}
	return t, p.expect("]")
}

func (p *parser) parameter(m *Module, t Param) (err error) {
	if t.Name, err = p.name("the name of a parameter"); err != nil {
		return err
	}
	for _, other := range m.Params {
		if other.Text == t.Text {
			return source.Errorf(t.Span, "syntax", "parameter %s is there twice", t.Text)
		}
	}
	if err := p.expect("="); err != nil {
		return err
	}
	if t.Value, err = p.expr(); err != nil {
		return err
	}
	m.Params = append(m.Params, t)
	return nil
}

// function reads function [automatic] [type] NAME (inputs); locals statement endfunction, or with the inputs as items.
func (p *parser) function(m *Module) error {
	if err := p.advance(); err != nil {
		return err
	}
	if _, err := p.accept("automatic"); err != nil {
		return err
	}
	f := &Function{}
	var err error
	if f.Result, err = p.declaration(); err != nil {
		return err
	}
	if f.Name, err = p.name("the name of a function"); err != nil {
		return err
	}
	f.Result.Name = f.Name
	if p.is("(") {
		header := &Module{}
		if err := p.header(header); err != nil {
			return err
		}
		f.Inputs = header.Decls
	}
	if err := p.expect(";"); err != nil {
		return err
	}
	for p.keyword("input") || p.keyword("output") || p.keyword("reg") || p.keyword("logic") || p.keyword("integer") || p.keyword("int") {
		items := &Module{}
		if err := p.declare(items); err != nil {
			return err
		}
		for _, d := range items.Decls {
			if d.Dir == Wire {
				f.Locals = append(f.Locals, d)
			} else {
				f.Inputs = append(f.Inputs, d)
			}
		}
	}
	for _, d := range append(f.Inputs, f.Locals...) {
		switch {
		case d.Dir == Out:
			return source.Errorf(d.Span, "unsupported", "an output of a function")
		case d.Init != nil:
			return source.Errorf(d.Span, "unsupported", "an initial value in a function")
		}
	}
	if f.Body, err = p.statement(0); err != nil {
		return err
	}
	for _, other := range m.Functions {
		if other.Text == f.Text {
			return source.Errorf(f.Span, "syntax", "function %s is there twice", f.Text)
		}
	}
	m.Functions = append(m.Functions, f)
	return p.expectWord("endfunction")
}

func (p *parser) initially(m *Module) error {
	if err := p.advance(); err != nil {
		return err
	}
	s, err := p.statement(0)
	if err != nil {
		return err
	}
	m.Initial = append(m.Initial, s)
	return nil
}

// always reads always @* S, always @(posedge clk) S, or at negedge, always @(a or b) S, always_comb S or always_ff @(posedge clk) S.
func (p *parser) always(m *Module) error {
	kind := p.tok.text
	a := &Always{Span: p.span(), Comb: kind == "always_comb"}
	var events []event
	if err := p.advance(); err != nil {
		return err
	}
	if kind != "always_comb" {
		if !p.is("@") {
			return source.Errorf(p.span(), "unsupported", "%s without what it waits for", kind)
		}
		if err := p.advance(); err != nil {
			return err
		}
		var err error
		if events, err = p.events(); err != nil {
			return err
		}
	}
	var err error
	if a.Body, err = p.statement(0); err != nil {
		return err
	}
	if err := a.waits(events); err != nil {
		return err
	}
	if kind == "always_ff" && a.Clock == nil {
		return source.Errorf(a.Span, "syntax", "always_ff waits for the edge of a clock")
	}
	m.Always = append(m.Always, a)
	return nil
}

// An event is one that a block waits for: an edge, or any change.
type event struct {
	edge string // posedge, negedge or nothing
	of   *Expr
	at   source.Span
}

// events reads what a block waits for; none: all that it reads.
func (p *parser) events() (out []event, err error) {
	if ok, err := p.accept("*"); ok || err != nil {
		return nil, err
	}
	if err := p.expect("("); err != nil {
		return nil, err
	}
	if ok, err := p.accept("*"); err != nil {
		return nil, err
	} else if ok {
		return nil, p.expect(")")
	}
	for {
		e := event{at: p.span()}
		for _, edge := range []string{"posedge", "negedge"} {
			if ok, err := p.accept(edge); err != nil {
				return nil, err
			} else if ok {
				e.edge = edge
			}
		}
		if e.of, err = p.primary(); err != nil {
			return nil, err
		}
		out = append(out, e)
		if p.is(")") {
			return out, p.advance()
		}
		if !p.is(",") && !p.keyword("or") {
			return nil, p.refused(`"or" or ")"`)
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
}

// waits says which event is the clock's, and which a reset's: a block that waits for two edges asks for the level that one of them leads to first.
func (a *Always) waits(events []event) error {
	edges := 0
	for _, e := range events {
		if e.edge != "" {
			edges++
		}
	}
	switch {
	case edges == 0:
		for _, e := range events {
			a.Reads = append(a.Reads, e.of)
		}
		return nil
	case len(events) == 1:
		a.Clock, a.Falls = events[0].of, events[0].edge == "negedge"
		return nil
	}
	wrong := source.Errorf(events[1].at, "unsupported", "an asynchronous reset: a block that waits for more than one clock")
	s := only(a.Body)
	if len(events) > 2 || edges < 2 || s.Kind != If {
		return wrong
	}
	name, low, ok := asked(s.Cond)
	for i, e := range events {
		if !ok || e.of.Kind != Ident || e.of.Text != name || low != (e.edge == "negedge") {
			continue
		}
		clock := events[1-i]
		if clock.of.Kind == Ident && clock.of.Text == name {
			return wrong
		}
		a.Clock, a.Reset, a.Low, a.Falls = clock.of, e.of, low, clock.edge == "negedge"
		return nil
	}
	return wrong
}

func (p *parser) statement(depth int) (*Stmt, error) {
	if depth > maxNesting {
		return nil, source.Errorf(p.span(), "unsupported", "statements nest deeper than %d", maxNesting)
	}
	s := &Stmt{Span: p.span()}
	switch {
	case p.is(";"):
		return s, p.advance()
	case p.keyword("begin"):
		return s, p.block(s, depth)
	case p.keyword("if"):
		return s, p.condition(s, depth)
	case p.keyword("unique"), p.keyword("priority"):
		return nil, source.Errorf(p.span(), "unsupported", "%s", p.tok.text)
	case p.keyword("case"), p.keyword("casez"):
		return s, p.choice(s, depth)
	case p.keyword("for"):
		return s, p.loop(s, depth)
	case p.is("#"):
		if err := p.delay(); err != nil {
			return nil, err
		}
		return p.statement(depth + 1)
	case p.tok.kind == word && unsupportedStatements[p.tok.text]:
		return nil, source.Errorf(p.span(), "unsupported", "%s", p.tok.text)
	case p.tok.kind == word && p.tok.text[0] == '$':
		return nil, source.Errorf(p.span(), "unsupported", "%s", p.tok.text)
	}
	if err := p.assigned(s); err != nil {
		return nil, err
	}
	return s, p.expect(";")
}

// unsupportedStatements begin with these words.
var unsupportedStatements = map[string]bool{"while": true, "repeat": true, "forever": true, "casex": true, "wait": true, "disable": true, "fork": true,
	"force": true, "release": true, "deassign": true, "return": true, "break": true, "continue": true, "assert": true, "do": true}

// assigned reads LEFT = RIGHT or LEFT <= RIGHT.
func (p *parser) assigned(s *Stmt) (err error) {
	if s.Left, err = p.primary(); err != nil {
		return err
	}
	switch {
	case p.is("="):
		s.Kind = Blocking
	case p.is("<="):
		s.Kind = NonBlocking
	default:
		return p.refused(`"=" or "<="`)
	}
	if err := p.advance(); err != nil {
		return err
	}
	if err := p.delay(); err != nil {
		return err
	}
	if s.Right, err = p.expr(); err != nil {
		return err
	}
	s.Span = joined(s.Span, s.Right.Span)
	return nil
}

func (p *parser) block(s *Stmt, depth int) error {
	s.Kind = Block
	if err := p.advance(); err != nil {
		return err
	}
	var name string
	if err := p.label(&name); err != nil {
		return err
	}
	for !p.keyword("end") {
		if p.tok.kind == end {
			return p.refused("end")
		}
		if p.keyword("reg") || p.keyword("integer") || p.keyword("logic") || p.keyword("int") {
			if err := p.locals(s); err != nil {
				return err
			}
			continue
		}
		one, err := p.statement(depth + 1)
		if err != nil {
			return err
		}
		s.Body = append(s.Body, one)
	}
	if err := p.advance(); err != nil {
		return err
	}
	return p.label(&name)
}

// locals reads variables of a block, which stand before its statements.
func (p *parser) locals(s *Stmt) error {
	if len(s.Body) > 0 {
		return p.refused("a statement")
	}
	items := &Module{}
	if err := p.declare(items); err != nil {
		return err
	}
	for _, d := range items.Decls {
		if d.Init != nil {
			return source.Errorf(d.Span, "unsupported", "an initial value of a variable of a block")
		}
		for _, other := range s.Locals {
			if other.Text == d.Text {
				return source.Errorf(d.Span, "syntax", "%s is declared twice", d.Text)
			}
		}
		s.Locals = append(s.Locals, d)
	}
	return nil
}

func (p *parser) condition(s *Stmt, depth int) (err error) {
	s.Kind = If
	if err := p.advance(); err != nil {
		return err
	}
	if s.Cond, err = p.parenthesised(); err != nil {
		return err
	}
	if s.Then, err = p.statement(depth + 1); err != nil {
		return err
	}
	if ok, err := p.accept("else"); err != nil || !ok {
		return err
	}
	s.Else, err = p.statement(depth + 1)
	return err
}

func (p *parser) parenthesised() (*Expr, error) {
	if err := p.expect("("); err != nil {
		return nil, err
	}
	e, err := p.expr()
	if err != nil {
		return nil, err
	}
	return e, p.expect(")")
}

func (p *parser) choice(s *Stmt, depth int) (err error) {
	s.Kind, s.Wild = Case, p.keyword("casez")
	if err := p.advance(); err != nil {
		return err
	}
	if s.Cond, err = p.parenthesised(); err != nil {
		return err
	}
	seen := false
	for !p.keyword("endcase") {
		item := CaseItem{}
		if p.keyword("default") {
			if seen {
				return source.Errorf(p.span(), "syntax", "default is there twice")
			}
			item.Default, seen = true, true
			if err := p.advance(); err != nil {
				return err
			}
			if _, err := p.accept(":"); err != nil {
				return err
			}
		} else if item.Labels, err = p.labels(); err != nil {
			return err
		}
		if item.Body, err = p.statement(depth + 1); err != nil {
			return err
		}
		s.Items = append(s.Items, item)
	}
	return p.advance()
}

// labels reads those of an item of a case, and the colon behind them.
func (p *parser) labels() (out []*Expr, err error) {
	for {
		e, err := p.expr()
		if err != nil {
			return nil, err
		}
		out = append(out, e)
		if !p.is(",") {
			return out, p.expect(":")
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
}

// loop reads for (I = A; COND; I = B) S, also with int I = A, I++ and I += N.
func (p *parser) loop(s *Stmt, depth int) (err error) {
	s.Kind = For
	if err := p.advance(); err != nil {
		return err
	}
	if err := p.expect("("); err != nil {
		return err
	}
	if p.keyword("int") || p.keyword("integer") {
		d, err := p.declaration()
		if err != nil {
			return err
		}
		d.Name = Name{p.tok.text, p.span()}
		s.Variable = &d
	}
	s.Init = &Stmt{Span: p.span()}
	if err := p.assigned(s.Init); err != nil {
		return err
	}
	if err := p.expect(";"); err != nil {
		return err
	}
	if s.Cond, err = p.expr(); err != nil {
		return err
	}
	if err := p.expect(";"); err != nil {
		return err
	}
	s.Step = &Stmt{Span: p.span()}
	if err := p.step(s.Step); err != nil {
		return err
	}
	for _, x := range []*Stmt{s.Init, s.Step} {
		if x.Kind != Blocking || x.Left.Kind != Ident || x.Left.Text != s.Init.Left.Text {
			return source.Errorf(x.Span, "unsupported", "a loop that does not count a variable")
		}
	}
	if err := p.expect(")"); err != nil {
		return err
	}
	s.Then, err = p.statement(depth + 1)
	return err
}

// step reads I = E, I++ or I += E.
func (p *parser) step(s *Stmt) error {
	left, err := p.primary()
	if err != nil {
		return err
	}
	if !p.is("+") && !p.is("-") {
		if err := p.expect("="); err != nil {
			return err
		}
		s.Kind, s.Left = Blocking, left
		if s.Right, err = p.expr(); err != nil {
			return err
		}
		s.Span = joined(left.Span, s.Right.Span)
		return nil
	}
	op := p.tok.text
	if err := p.advance(); err != nil {
		return err
	}
	by, err := one(left.Span), error(nil)
	switch {
	case p.is(op):
		err = p.advance()
	case p.is("="):
		if err = p.advance(); err == nil {
			by, err = p.expr()
		}
	default:
		err = p.refused("a step")
	}
	s.Kind, s.Left, s.Span = Blocking, left, left.Span
	s.Right = &Expr{Kind: Binary, Op: op, Args: []*Expr{left, by}, Span: left.Span}
	return err
}
