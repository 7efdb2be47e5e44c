package netlist

import (
	"fmt"
	"maps"
	"math/big"

	"tv/internal/source"
	"tv/semantics/bits/verilog"
	"tv/semantics/bits/word"
)

const (
	maxSteps = 1 << 16 // iterations of all loops of a block
	maxCalls = 64      // calls that nest
)

// statement changes what variables hold.
func (p *process) statement(x *verilog.Stmt) error {
	switch x.Kind {
	case verilog.Block:
		if len(x.Locals) > 0 {
			outer := p.frame
			defer func() { p.frame = outer }()
			p.frame = maps.Clone(outer)
			if p.frame == nil {
				p.frame = map[string]*signal{}
			}
			for i := range x.Locals {
				sig, _, err := p.local(&x.Locals[i])
				if err != nil {
					return err
				}
				p.frame[x.Locals[i].Text] = sig
			}
		}
		for _, y := range x.Body {
			if err := p.statement(y); err != nil {
				return err
			}
		}
	case verilog.If:
		c, err := p.truth(x.Cond)
		if err != nil {
			return err
		}
		return p.branch(c, func() error { return p.statement(x.Then) }, func() error {
			if x.Else == nil {
				return nil
			}
			return p.statement(x.Else)
		})
	case verilog.Case:
		return p.choice(x)
	case verilog.For:
		return p.loop(x)
	case verilog.Blocking, verilog.NonBlocking:
		return p.assignment(x)
	}
	return nil
}

// branch runs yes where c is 1 and no where it is 0.
func (p *process) branch(c *word.Word, yes, no func() error) error {
	if c.Op == word.Const {
		if c.Value.Sign() != 0 {
			return yes()
		}
		return no()
	}
	old := held{maps.Clone(p.env), maps.Clone(p.later)}
	if err := yes(); err != nil {
		return err
	}
	then := p.held
	p.held = old
	if err := no(); err != nil {
		return err
	}
	p.merge(c, p.env, then.env)
	p.merge(c, p.later, then.later)
	return nil
}

// merge makes of what variables hold where c is 0 what they hold.
func (p *process) merge(c *word.Word, no, yes map[*signal]*word.Word) {
	for sig, w := range yes {
		if no[sig] == nil {
			no[sig] = p.before(sig, sig.assigned)
		}
		if no[sig] != w {
			no[sig] = p.b.Simplify(p.b.Apply(word.Ite, c, w, no[sig]))
		}
	}
	for sig, w := range no {
		if yes[sig] == nil {
			no[sig] = p.b.Simplify(p.b.Apply(word.Ite, c, p.before(sig, sig.assigned), w))
		}
	}
}

// choice lowers a case: the first item that has the value, else the default. From the item on with which labels are all values there is no else.
func (p *process) choice(x *verilog.Stmt) error {
	own, signed, err := p.size(x.Cond)
	if err != nil {
		return err
	}
	width := own
	for _, item := range x.Items {
		for _, label := range item.Labels {
			w, s, err := p.size(label)
			if err != nil {
				return err
			}
			width, signed = max(width, w), signed && s
		}
	}
	value, err := p.value(x.Cond, width, signed)
	if err != nil {
		return err
	}
	var other *verilog.Stmt
	type arm struct {
		is   *word.Word
		body *verilog.Stmt
	}
	var arms []arm
	if !x.Cond.Operand() { // what it computes may have more bits where labels have
		own = width
	}
	covered := newCover(own, width, signed)
	for _, item := range x.Items {
		if item.Default {
			other = item.Body
		}
	}
	for _, item := range x.Items {
		if item.Default {
			continue
		}
		var is *word.Word
		for _, label := range item.Labels {
			one, err := p.label(value, label, x.Wild, width, signed, covered)
			if err != nil {
				return err
			}
			if is == nil {
				is = one
			} else {
				is = p.b.Simplify(p.b.Apply(word.Or, is, one))
			}
		}
		if covered.all() {
			other = item.Body
			break
		}
		arms = append(arms, arm{is, item.Body})
	}
	var from func(i int) error
	from = func(i int) error {
		if i == len(arms) {
			if other == nil {
				return nil
			}
			return p.statement(other)
		}
		return p.branch(arms[i].is, func() error { return p.statement(arms[i].body) }, func() error { return from(i + 1) })
	}
	return from(0)
}

// label is whether a value is that of a label.
func (p *process) label(value *word.Word, label *verilog.Expr, wild bool, width int, signed bool, covered *cover) (*word.Word, error) {
	if wild && label.Kind == verilog.Literal && label.Wild != nil {
		if new(big.Int).AndNot(label.Unknown, label.Wild).Sign() != 0 {
			return nil, source.Errorf(label.Span, "four-valued", "a bit that is x")
		}
		care := new(big.Int).AndNot(allOnes(width), label.Wild)
		covered.add(label.Value, care)
		mask := p.b.Const(width, care)
		return p.b.Simplify(p.b.Apply(word.Eq, p.b.Apply(word.And, value, mask), p.b.Const(width, new(big.Int).And(label.Value, care)))), nil
	}
	w, err := p.value(label, width, signed)
	if err != nil {
		return nil, err
	}
	if w.Op == word.Const {
		covered.add(w.Value, allOnes(width))
	}
	return p.b.Simplify(p.b.Apply(word.Eq, value, w)), nil
}

// A cover counts the values of a word that labels have, where these are not too many. Labels have the width that the word is extended to.
type cover struct {
	seen       []bool
	left       int
	own, width int
	signed     bool
}

func newCover(own, width int, signed bool) *cover {
	c := &cover{left: 1, own: own, width: width, signed: signed}
	if own <= 12 {
		c.seen, c.left = make([]bool, 1<<own), 1<<own
	}
	return c
}

// add adds the values that, extended, agree with v in the bits of care.
func (c *cover) add(v, care *big.Int) {
	if c.seen == nil {
		return
	}
	high := new(big.Int).AndNot(allOnes(c.width), allOnes(c.own))
	want := new(big.Int).And(v, care)
	for n := range c.seen {
		value := big.NewInt(int64(n))
		if c.signed && n>>(c.own-1) == 1 {
			value.Or(value, high)
		}
		if value.And(value, care).Cmp(want) == 0 && !c.seen[n] {
			c.seen[n] = true
			c.left--
		}
	}
}

func (c *cover) all() bool { return c.left == 0 }

// loop runs a loop, whose condition is constant each time.
func (p *process) loop(x *verilog.Stmt) error {
	name := x.Init.Left.Text
	if x.Variable != nil {
		sig, _, err := p.local(x.Variable)
		if err != nil {
			return err
		}
		outer := p.frame
		p.frame = maps.Clone(outer)
		if p.frame == nil {
			p.frame = map[string]*signal{}
		}
		p.frame[name] = sig
		defer func() { p.frame = outer }()
	}
	sig, err := p.find(x.Init.Left)
	if err != nil {
		return err
	}
	p.counters[sig] = true
	if err := p.statement(x.Init); err != nil {
		return err
	}
	at := p.at
	defer func() { p.at = at }()
	for i := 0; ; i++ {
		p.at = fmt.Sprintf("%s[%d]", at, i)
		c, err := p.truth(x.Cond)
		switch {
		case err != nil:
			return err
		case c.Op != word.Const:
			return source.Errorf(x.Cond.Span, "unsupported", "a loop whose bounds are not constant")
		case c.Value.Sign() == 0:
			return nil
		}
		if p.steps++; p.steps > maxSteps {
			return source.Errorf(x.Span, "unsupported", "loops of more than %d steps", maxSteps)
		}
		if err := p.statement(x.Then); err != nil {
			return err
		}
		if err := p.statement(x.Step); err != nil {
			return err
		}
	}
}

// assignment assigns the parts of the left side, the first of which is the highest.
func (p *process) assignment(x *verilog.Stmt) error {
	width, err := p.leftWidth(x.Left)
	if err != nil {
		return err
	}
	w, err := p.assigned(x.Right, width)
	if err != nil {
		return err
	}
	return p.assign(x, x.Left, w)
}

func (p *process) leftWidth(e *verilog.Expr) (int, error) {
	switch e.Kind {
	case verilog.Concat:
		n := 0
		for _, a := range e.Args {
			w, err := p.leftWidth(a)
			if err != nil {
				return 0, err
			}
			n += w
		}
		return n, nil
	case verilog.Ident, verilog.Select, verilog.Index, verilog.Part, verilog.PartUp, verilog.PartDown:
		w, _, err := p.size(e)
		return w, err
	}
	return 0, source.Errorf(e.Span, "syntax", "a variable is expected here, which this assigns")
}

// assign puts a word of its width into what the left side names.
func (p *process) assign(x *verilog.Stmt, left *verilog.Expr, w *word.Word) error {
	if left.Kind == verilog.Concat {
		high := w.Width
		for _, a := range left.Args {
			n, err := p.leftWidth(a)
			if err != nil {
				return err
			}
			if err := p.assign(x, a, p.b.Simplify(p.b.Extract(w, high-1, high-n))); err != nil {
				return err
			}
			high -= n
		}
		return nil
	}
	name := left
	if left.Kind != verilog.Ident {
		name = left.Args[0]
	}
	sig, err := p.find(name)
	switch {
	case err != nil:
		return err
	case !sig.variable:
		return source.Errorf(left.Span, "syntax", "%s is no variable: statements assign what is declared with reg or logic", name.Text)
	case p.calls > 0 && sig.local == 0:
		return source.Errorf(left.Span, "unsupported", "a function that assigns %s, which is not its own", name.Text)
	case p.calls > 0 && x.Kind == verilog.NonBlocking:
		return source.Errorf(x.Span, "unsupported", "an assignment of a function with <=")
	}
	hold := p.env
	if x.Kind == verilog.NonBlocking {
		hold = p.later
	}
	touched := p.touched[sig]
	if touched == nil {
		touched = new(big.Int)
		p.touched[sig] = touched
		if sig.local == 0 {
			p.order = append(p.order, sig)
		}
		sig.assigned, p.first[sig] = left.Span, left.Span
	}
	if left.Kind == verilog.Ident {
		hold[sig] = w
		touched.Set(allOnes(sig.width()))
		return nil
	}
	s, fixed, err := p.span(left)
	if err != nil {
		return err
	}
	old := hold[sig]
	if old == nil {
		old = p.before(sig, left.Span)
	}
	hold[sig] = p.placed(old, w, s, fixed)
	if fixed || !s.unlimited && s.least == s.greatest {
		for i := max(s.least, 0); i < min(s.least+s.width, sig.width()); i++ {
			touched.SetBit(touched, i, 1)
		}
	} else {
		touched.Set(allOnes(sig.width()))
	}
	return nil
}

// call is the value of a function.
func (p *process) call(e *verilog.Expr) (*word.Word, error) {
	f, err := p.function(e)
	if err != nil {
		return nil, err
	}
	if p.calls == maxCalls {
		return nil, source.Errorf(e.Span, "unsupported", "calls nest deeper than %d", maxCalls)
	}
	frame := map[string]*signal{}
	for i := range f.Inputs {
		sig, width, err := p.local(&f.Inputs[i])
		if err != nil {
			return nil, err
		}
		if p.env[sig], err = p.assigned(e.Args[i], width); err != nil {
			return nil, err
		}
		frame[f.Inputs[i].Text] = sig
	}
	result, _, err := p.local(&f.Result)
	if err != nil {
		return nil, err
	}
	frame[f.Text] = result
	for i := range f.Locals {
		if frame[f.Locals[i].Text], _, err = p.local(&f.Locals[i]); err != nil {
			return nil, err
		}
	}
	outer, at := p.frame, p.at
	p.calls++
	p.frame = frame
	if p.module.Calls[f.Text] > 1 {
		p.at += "(" + e.Place() + ")"
	}
	err = p.statement(f.Body)
	p.frame, p.at = outer, at
	p.calls--
	if err != nil {
		return nil, err
	}
	return p.read(result, e)
}
