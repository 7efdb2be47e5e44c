package verilog

import "tv/proofs/bits/gates"

// A process is an always or initial block.
type process struct {
	kind  string // comb, clocked or initial
	clock string
	reset string  // an asynchronous one, which what it does asks for first; or nothing
	isLow bool    // it resets where it is 0
	falls bool    // it waits for the falling edge of the clock
	waits []*node // what a combinational one lists; nil: it waits for all that it reads
	does  *statement
}

// A statement is "block", "if", "case", "casez", "for", "=", "<=" or nothing.
type statement struct {
	op       string
	declared []declaration // of a block
	name     string        // of a block
	inside   []*statement  // of a block; then and else; start, step and body of a loop
	args     []*node       // the condition; what is compared; the target and its value
	choices  []choice      // of a case, the last with no labels by default
}

type choice struct {
	labels []*node
	does   *statement
}

// A function has one value, which its body assigns to its name.
type function struct {
	name     string
	value    declaration
	inputs   []declaration
	declared []declaration
	does     *statement
}

// process reads an always or initial block.
func (t *tokens) process() *process {
	p := &process{kind: "comb"}
	var edges [][2]string
	switch t.next() {
	case "initial":
		p.kind = "initial"
	case "always_ff":
		t.want("@")
		t.want("(")
		gates.Need(t.peek() == "posedge" || t.peek() == "negedge", "an always_ff without an edge")
		edges = t.edges()
	case "always":
		t.want("@")
		switch {
		case t.take("*"):
		case !t.take("("):
			gates.Refuse("an always without @* or @(posedge ..)")
		case t.take("*"):
			t.want(")")
		case t.peek() == "posedge" || t.peek() == "negedge":
			edges = t.edges()
		default:
			for n := 0; n == 0 || t.take("or") || t.take(","); n++ {
				at := t.place()
				p.waits = append(p.waits, t.selected(t.name(), at))
			}
			t.want(")")
		}
	}
	p.does = t.statement()
	if edges != nil {
		p.kind = "clocked"
		p.starts(edges)
	}
	return p
}

// edges reads what starts a clocked block, behind the parenthesis: names by edges.
func (t *tokens) edges() (out [][2]string) {
	for n := 0; n == 0 || t.take("or") || t.take(","); n++ {
		edge := t.next()
		gates.Need(edge == "posedge" || edge == "negedge", `"posedge" is expected, not %q`, edge)
		out = append(out, [2]string{edge, t.name()})
	}
	t.want(")")
	return out
}

// starts says which edge is that of the clock. Of two the other one is that of an asynchronous
// reset: the level behind it is what the block asks for, before anything else.
func (p *process) starts(edges [][2]string) {
	clock := edges[0]
	if len(edges) > 1 {
		gates.Need(len(edges) == 2, "a block that waits for three edges")
		asks := p.body()
		gates.Need(asks.op == "if", "an asynchronous reset that the block does not ask for")
		var ok bool
		p.reset, p.isLow, ok = level(asks.args[0])
		edge := [2]string{"posedge", p.reset}
		if p.isLow {
			edge[0] = "negedge"
		}
		if clock = edges[1]; clock == edge {
			clock = edges[0]
			edges[0] = edge
			ok = ok && edges[1] == edge
		} else {
			ok = ok && edges[0] == edge
		}
		ok = ok && clock[1] != p.reset
		gates.Need(ok, "an asynchronous reset that the block does not ask for")
	}
	p.clock, p.falls = clock[1], clock[0] == "negedge"
}

// body is what a block does, without a begin and end around all of it.
func (p *process) body() *statement {
	s := p.does
	for s.op == "block" && len(s.inside) == 1 && len(s.declared) == 0 {
		s = s.inside[0]
	}
	return s
}

// level is the name and the level that a condition asks for: r, !r, ~r, r == 0, r == 1.
func level(x *node) (name string, isLow, ok bool) {
	switch x.op {
	case "name":
		return x.text, false, true
	case "!", "~":
		name, isLow, ok = level(x.args[0])
		return name, !isLow, ok
	case "==", "!=":
		y := x.args[1]
		if x.args[0].op != "name" || y.op != "number" || y.unknown || y.value.BitLen() > 1 {
			return "", false, false
		}
		return x.args[0].text, (y.value.Sign() == 0) == (x.op == "=="), true
	}
	return "", false, false
}

func (t *tokens) statement() *statement {
	t.deep++
	defer func() { t.deep-- }()
	gates.Need(t.deep < deepest, "statements nest too deeply")
	switch {
	case t.take(";"):
		return &statement{}
	case t.take("begin"):
		s := &statement{op: "block"}
		if t.take(":") {
			s.name = t.name()
		}
		for p := t.peek(); s.name != "" && (p == "reg" || p == "logic" ||
			p == "integer" || p == "int"); p = t.peek() {
			s.declared = append(s.declared, t.locals()...)
		}
		for !t.take("end") {
			s.inside = append(s.inside, t.statement())
		}
		if t.take(":") {
			gates.Need(t.name() == s.name, "a block that ends with another name")
		}
		return s
	case t.take("if"):
		s := &statement{op: "if", args: []*node{t.condition()}}
		s.inside = []*statement{t.statement(), {}}
		if t.take("else") {
			s.inside[1] = t.statement()
		}
		return s
	case t.peek() == "case" || t.peek() == "casez":
		return t.cases()
	case t.take("for"):
		t.want("(")
		s := &statement{op: "for"}
		var own []declaration
		if t.take("int") || t.take("integer") {
			d := declaration{form: "integer", signed: true, rng: integerRange}
			d.name = t.name()
			own = append(own, d)
			t.at-- // what starts the loop assigns to it
		}
		start := t.assignment()
		t.want(";")
		s.args = []*node{t.expression(0)}
		t.want(";")
		step := t.step()
		t.want(")")
		gates.Need(start.op == "=" && step.op == "=", "a loop that does not step")
		s.inside = []*statement{start, step, t.statement()}
		if own != nil {
			return &statement{op: "block", declared: own, inside: []*statement{s}}
		}
		return s
	}
	s := t.assignment()
	t.want(";")
	return s
}

func (t *tokens) condition() *node {
	t.want("(")
	x := t.expression(0)
	t.want(")")
	return x
}

func (t *tokens) assignment() *statement {
	s := &statement{args: []*node{t.target()}}
	s.op = t.next()
	gates.Need(s.op == "=" || s.op == "<=", "an assignment is expected, not %q", s.op)
	gates.Need(t.peek() != "#" && t.peek() != "@", "a delay")
	s.args = append(s.args, t.expression(0))
	return s
}

// step reads an assignment, or i++, i--, i += n, i -= n.
func (t *tokens) step() *statement {
	at := t.at
	to := t.target()
	op := t.peek()
	if op != "+" && op != "-" {
		t.at = at
		return t.assignment()
	}
	t.next()
	by := plain(1)
	if !t.take(op) {
		t.want("=")
		by = t.expression(0)
	}
	return &statement{op: "=", args: []*node{to, {op: op, at: to.at, args: []*node{to, by}}}}
}

func (t *tokens) cases() *statement {
	s := &statement{op: t.next()}
	s.args = []*node{t.condition()}
	var otherwise *choice
	for !t.take("endcase") {
		var c choice
		if t.take("default") {
			gates.Need(otherwise == nil, "two defaults")
			t.take(":")
			otherwise = &choice{does: t.statement()}
			continue
		}
		for n := 0; n == 0 || t.take(","); n++ {
			c.labels = append(c.labels, t.expression(0))
		}
		t.want(":")
		c.does = t.statement()
		s.choices = append(s.choices, c)
	}
	gates.Need(len(s.choices) > 0 || otherwise != nil, "a case without labels")
	if otherwise != nil {
		s.choices = append(s.choices, *otherwise)
	}
	return s
}

// locals reads variables of a block or function.
func (t *tokens) locals() (out []declaration) {
	d := t.before()
	gates.Need(d.form != "wire" && d.kind == "", "a variable is expected")
	t.listed(func() {
		x := d
		x.name = t.name()
		gates.Need(t.peek() != "[", "an array")
		out = append(out, x)
	})
	return out
}

func (t *tokens) function() *function {
	t.take("automatic")
	f := &function{}
	if t.take("integer") || t.take("int") {
		f.value.signed, f.value.rng = true, integerRange
	} else {
		if !t.take("logic") {
			t.take("reg")
		}
		f.value.signed = t.take("signed")
		f.value.rng = t.ranged()
	}
	f.name = t.name()
	f.value.name = f.name
	if t.take("(") {
		for n := 0; !t.take(")"); n++ {
			gates.Need(n == 0 || t.take(","), "inputs without a comma between them")
			d := declaration{}
			if t.peek() == "input" {
				d = t.input()
			} else {
				gates.Need(n > 0, "an input is expected")
				d = f.inputs[n-1]
			}
			d.name = t.name()
			f.inputs = append(f.inputs, d)
		}
	}
	t.want(";")
	for p := t.peek(); p == "input" || p == "reg" || p == "logic" || p == "integer" ||
		p == "int"; p = t.peek() {
		if p != "input" {
			f.declared = append(f.declared, t.locals()...)
			continue
		}
		d := t.input()
		t.listed(func() {
			x := d
			x.name = t.name()
			f.inputs = append(f.inputs, x)
		})
	}
	f.does = t.statement()
	t.want("endfunction")
	gates.Need(len(f.inputs) > 0, "function %s has no input", f.name)
	return f
}

// input reads what stands before the names of a function's inputs.
func (t *tokens) input() declaration {
	t.want("input")
	if t.take("integer") || t.take("int") {
		return declaration{signed: true, rng: integerRange}
	}
	if !t.take("reg") {
		t.take("logic")
	}
	d := declaration{signed: t.take("signed")}
	d.rng = t.ranged()
	return d
}
