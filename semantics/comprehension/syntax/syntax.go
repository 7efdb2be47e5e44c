// Package syntax reads comprehensions, doc/languages.md section 3.
//
//	syntax.go    texts, their names and indices; conditions of their accesses
//	format.go    their layout
//	generate.go  random ones
package syntax

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/procedures"
	"tv/semantics/words"
)

// A Program is a text that was read.
type Program struct {
	procedures.Program
	Statements []*Statement // the steps, in order
}

// A Statement writes cells of one parameter.
type Statement struct {
	*procedures.Step
	Free   []*procedures.Index // one for each dim of Target
	Summed []*procedures.Index // in the order of first occurrence
	Value  *words.Node         // numbers have a *big.Rat as note, calls a *Read
}

// A Read is an element of a tensor.
type Read struct {
	Tensor *procedures.Parameter
	At     []procedures.Subscript
}

// spelling is that of words; what stands between them is the first group. Numbers are taken as far as anything that
// could belong to one goes.
var spelling = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:([ \t\r]+)|#[^\n]*|[A-Za-z_][\w.]*|[0-9.](?:[eE][+-]|[\w.])*|\+=!|\+=|[-+*=()\[\],:\n])`)
})

// levels are the operators of two, from the loosest.
var levels = [][]string{{"+", "-"}, {"*"}}

// A parser reads a text. In a statement s is that.
type parser struct {
	*words.Reader
	p     *Program
	sizes map[string]bool
	s     *Statement
	index map[string]*procedures.Index
	known map[*procedures.Index]bool // those whose range is known
}

// Parse reads a text. Errors: source.Errors, the codes of doc/languages.md section 3.
func Parse(f *source.File) (p *Program, err error) {
	defer words.Catch(&err)
	p = &Program{Program: procedures.Program{Text: f}}
	r := &parser{Reader: words.New(f, spelling(), "#"), p: p, sizes: map[string]bool{}}
	if !r.Lines() {
		words.Fail(source.Span{File: f}, "bad-syntax", "a program begins with function or procedure")
	}
	for r.heading(); r.Lines(); {
		r.statement()
	}
	if len(p.Steps) == 0 {
		words.Fail(p.Heading, "no-result", "%s writes nothing", p.Name)
	}
	p.Done()
	return p, nil
}

// end wants the end of a line, or what else may be here.
func (r *parser) end(or string) {
	if !r.End() && !r.Is("\n") {
		r.Unexpected(or + "the end of the line")
	}
}

func (r *parser) heading() {
	r.p.Heading = r.Want("function", "procedure")
	r.p.Procedure = r.p.Heading.Text() == "procedure"
	r.p.Name = r.Name("the name of the program").Text()
	r.Want("(")
	r.List(")", func() {
		at := r.Name("a parameter")
		q := &procedures.Parameter{Name: at.Text(), Span: at}
		if !r.p.Add(q) {
			words.Fail(at, "redefined-name", "%s is a parameter already", q.Name)
		}
		t := r.Next()
		var ok bool
		if q.Elem, ok = domain.ParseElem(t.Text()); !ok {
			words.Fail(t, "unknown-type", "the element type of %s should be here, not %s", q.Name, t.Text())
		}
		if !r.Accept("[") {
			r.Unexpected("[ and the dims of " + q.Name)
		}
		r.List("]", func() {
			d := r.expression()
			for _, at := range d.Names() {
				r.sizes[at.Text()] = true
			}
			q.Dims = append(q.Dims, d.Size())
		})
	})
	r.end("")
}

// tensor is the parameter of a name.
func (r *parser) tensor(at source.Span) *procedures.Parameter {
	q := r.p.Parameter(at.Text())
	if q == nil {
		words.Fail(at, "unknown-name", "%s is no parameter", at.Text())
	}
	return q
}

func (r *parser) statement() {
	first := r.Name("a tensor")
	s := &Statement{Step: &procedures.Step{Target: r.tensor(first), Whole: true}}
	r.s, r.index, r.known = s, map[string]*procedures.Index{}, map[*procedures.Index]bool{}
	r.Want("(")
	r.List(")", func() {
		at := r.Name("the name of an index")
		switch name := at.Text(); {
		case r.index[name] != nil:
			words.Fail(at, "redefined-name", "%s is an index already", name)
		case r.sizes[name]:
			words.Fail(at, "redefined-name", "%s is a size, and cells that are written are told by indices", name)
		case !r.Is(",", ")"):
			words.Fail(r.Here(), "bad-syntax",
				"cells that are written are told by names of indices alone, as in Y(i) = X(i - 1) where i in 1:N")
		}
		s.Free = append(s.Free, r.newIndex(at))
	})
	rank(first, s.Target, len(s.Free))
	for k, i := range s.Free {
		i.Hi, r.known[i] = s.Target.Dims[k], true
	}
	s.Name = r.Want("=", "+=", "+=!").Text()
	s.Adds = s.Name == "+="
	s.Value = r.expression()
	r.resolve(s.Value)
	or := "an operator, where or "
	if r.Accept("where") {
		r.ranges()
		or = ", or "
	}
	s.Span = r.Since(first)
	r.end(or)
	for _, i := range s.Summed {
		switch {
		case s.Name == "=":
			words.Fail(i.Span, "free-index", "%s stands on the right alone, and = sums nothing: += and +=! do", i.Name)
		case !r.known[i]:
			words.Fail(i.Span, "range-unknown",
				"no tensor has %s as a subscript by itself: its range is missing, as in where %[1]s in 0:3", i.Name)
		}
	}
	r.p.Then(s.Step)
	r.p.Statements = append(r.p.Statements, s)
}

func rank(at source.Span, q *procedures.Parameter, n int) {
	if n != len(q.Dims) {
		words.Fail(at, "bad-rank", "%s is of rank %d, not %d", q.Name, len(q.Dims), n)
	}
}

// newIndex makes an index of the statement.
func (r *parser) newIndex(at source.Span) *procedures.Index {
	i := &procedures.Index{Name: at.Text(), Span: at}
	r.index[i.Name] = i
	return i
}

// ranges reads what stands behind where.
func (r *parser) ranges() {
	given := map[*procedures.Index]bool{}
	for more := true; more; more = r.Accept(",") {
		at := r.Name("an index")
		i := r.index[at.Text()]
		switch {
		case i == nil:
			words.Fail(at, "unknown-name", "%s is no index of the statement", at.Text())
		case given[i]:
			words.Fail(at, "redefined-name", "%s has a range already", i.Name)
		}
		given[i], r.known[i] = true, true
		r.Want("in")
		i.Lo = r.bound()
		r.Want(":")
		i.Hi = r.bound()
		r.s.Whole = r.s.Whole && !slices.Contains(r.s.Free, i)
	}
}

// bound reads an end of a range, which is made of sizes.
func (r *parser) bound() domain.Size {
	x := r.expression()
	for _, at := range x.Names() {
		if r.index[at.Text()] != nil {
			words.Fail(at, "redefined-name", "%s is an index, and ranges are made of sizes", at.Text())
		} else if !r.sizes[at.Text()] {
			words.Fail(at, "unknown-name", "%s is no size of the heading", at.Text())
		}
	}
	return x.Size()
}

// resolve finds out what a value reads, and the summed indices.
func (r *parser) resolve(n *words.Node) {
	switch n.Op {
	case words.Call:
		n.Note = r.read(n)
		return
	case words.Number:
		n.Note = n.Decimal()
	case words.Name:
		if name := n.Span.Text(); r.p.Parameter(name) != nil {
			words.Fail(n.Span, "bad-syntax", "the subscripts of %s should stand behind it, between ( and )", name)
		}
		words.Fail(n.Span, "bad-syntax", "%s is no value: those are numbers and elements of tensors", n.Span.Text())
	}
	for _, a := range n.Args {
		r.resolve(a)
	}
}

func (r *parser) read(n *words.Node) *Read {
	x := &Read{Tensor: r.tensor(n.Span)}
	if target := r.s.Target; x.Tensor.Elem != target.Elem {
		words.Fail(n.Span, "type-mismatch", "%s is of %s, %s of %s", x.Tensor.Name, x.Tensor.Elem, target.Name, target.Elem)
	}
	rank(n.Span, x.Tensor, len(n.Args))
	for k, sub := range n.Args {
		for _, at := range sub.Names() {
			if !r.sizes[at.Text()] && r.index[at.Text()] == nil {
				r.s.Summed = append(r.s.Summed, r.newIndex(at))
			}
		}
		if i := r.index[sub.Span.Text()]; sub.Op == words.Name && i != nil && !r.known[i] {
			i.Hi, r.known[i] = x.Tensor.Dims[k], true
		}
		s, wrong := procedures.Affine(sub.Size(), slices.Concat(r.s.Free, r.s.Summed))
		if wrong != nil {
			words.Fail(sub.Span, "not-affine",
				"a subscript is affine: %s is multiplied by what is no number, or by too large a one", wrong.Name)
		}
		s.Span = sub.Span
		x.At = append(x.At, s)
	}
	r.s.Reads = append(r.s.Reads, x.Tensor)
	return x
}

// expression reads a dim, an end of a range, a subscript or a value.
func (r *parser) expression() *words.Node { return r.Binary(levels, r.operand) }

// operand reads one; - of one binds closest.
func (r *parser) operand() *words.Node {
	at := r.Here()
	switch text := at.Text(); {
	case r.Accept("-"):
		x := r.operand()
		return &words.Node{Op: "-", Args: []*words.Node{x}, Span: r.Since(at)}
	case r.Accept("("):
		x := r.expression()
		r.Want(")")
		return x
	case words.IsName(at) && text != "where":
		n := &words.Node{Op: words.Name, Span: r.Next()}
		if r.Accept("(") {
			n.Op = words.Call
			r.List(")", func() { n.Args = append(n.Args, r.expression()) })
		}
		return n
	case text != "" && strings.Contains("0123456789.", text[:1]):
		return &words.Node{Op: words.Number, Span: r.Next()}
	}
	r.Unexpected("a value")
	return nil
}

// Calls calls f for the reads of a value, from left to right.
func (s *Statement) Calls(f func(*Read)) {
	s.Value.Visit(func(n *words.Node) {
		if x, ok := n.Note.(*Read); ok {
			f(x)
		}
	})
}

// A Typed program is one under the names of a question.
type Typed struct {
	*procedures.Typed
	Statements []*Statement
}

// Under types a program: what it accesses lies within its tensors. source is what embeds it.
func (p *Program) Under(env *domain.Env, source semantics.Source) *Typed {
	t := &Typed{p.Program.Under(env, source), p.Statements}
	for k, s := range p.Statements {
		a := procedures.Access{Part: len(p.Parameters) + k, Tensor: s.Target, Over: s.Free} // a sum of nothing is written too
		for axis, i := range s.Free {
			a.Axis, a.At = axis, procedures.Subscript{Terms: []procedures.Product{{Factor: 1, Index: i}}}
			t.Within(a)
		}
		a.Over = slices.Concat(s.Free, s.Summed)
		s.Calls(func(x *Read) {
			a.Tensor = x.Tensor
			for a.Axis, a.At = range x.At {
				t.Within(a)
			}
		})
	}
	return t
}

// Sizes implements semantics.Program.
func (t *Typed) Sizes() (out []domain.Size) {
	for _, s := range t.Statements {
		for _, i := range slices.Concat(s.Free, s.Summed) {
			out = append(out, t.Size(i.Lo), t.Size(i.Hi))
		}
		s.Calls(func(x *Read) {
			for _, sub := range x.At {
				out = append(out, t.Size(sub.Rest))
			}
		})
	}
	return out
}

// Depth implements semantics.Program: an element of the result asks through all statements, and each nests so deep.
func (t *Typed) Depth() int {
	depth := 1 + len(t.Statements)
	for _, s := range t.Statements {
		depth += s.Value.Depth()
	}
	return depth
}
