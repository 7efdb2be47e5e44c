package verilog

import "tv/proofs/bits/gates"

// A process is an always or initial block.
type process struct {
	kind  string // comb, clocked or initial
	clock string
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
	switch t.next() {
	case "initial":
		p.kind = "initial"
	case "always_ff":
		t.want("@")
		t.want("(")
		gates.Need(t.peek() == "posedge", "an always_ff that no rising edge starts")
		p.edge(t)
	case "always":
		t.want("@")
		switch {
		case t.take("*"):
		case !t.take("("):
			gates.Refuse("an always without @* or @(posedge ..)")
		case t.take("*"):
			t.want(")")
		default:
			p.edge(t)
		}
	}
	p.does = t.statement()
	return p
}

func (p *process) edge(t *tokens) {
	t.want("posedge")
	p.kind, p.clock = "clocked", t.name()
	t.want(")")
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
			p == "integer"); p = t.peek() {
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
		start := t.assignment()
		t.want(";")
		s.args = []*node{t.expression(0)}
		t.want(";")
		step := t.assignment()
		t.want(")")
		gates.Need(start.op == "=" && step.op == "=", "a loop that does not step")
		s.inside = []*statement{start, step, t.statement()}
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
	if t.take("integer") {
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
	for p := t.peek(); p == "input" || p == "reg" || p == "logic" || p == "integer"; p = t.peek() {
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
	if t.take("integer") {
		return declaration{signed: true, rng: integerRange}
	}
	if !t.take("reg") {
		t.take("logic")
	}
	d := declaration{signed: t.take("signed")}
	d.rng = t.ranged()
	return d
}
