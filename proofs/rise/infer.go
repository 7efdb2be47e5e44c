package rise

import (
	"maps"
	"slices"
	"strings"

	"tv/internal/source"
	"tv/proofs/algebra"
	"tv/semantics/domain"
)

// An inference finds the types of a text. Sizes are found when all else is.
type inference struct {
	*program
	variables map[string]bool
	codes     map[string]string // by unknown sizes, what is told where they are no naturals
	solved    map[string]size
	equations []equation
	numbers   []*node // whose types are those of numbers
	wide      []*node // names of patterns that take two numbers or a pair
	steps     int
}

// maxSteps bounds the work that types take.
const maxSteps = 1 << 20

func (f *inference) step(at source.Span) {
	f.steps++
	check(f.steps < maxSteps, at, "too-large", "types that are too large")
}

// A scope holds the variables that are visible.
type scope struct {
	*variable
	up *scope
}

func (s *scope) find(name string) *variable {
	for ; s != nil; s = s.up {
		if s.name == name {
			return s.variable
		}
	}
	return nil
}

var (
	truth   = &typ{kind: scalar, elem: algebra.Truth}
	integer = &typ{kind: natural}
)

// infer finds the type of n, which has to be want.
func (f *inference) infer(n *node, s *scope, want *typ) {
	f.step(n.at)
	n.typ = want
	f.nodes = append(f.nodes, n)
	switch n.op {
	case "number":
		f.numbers = append(f.numbers, n)
	case "name":
		f.name(n, s)
	case "call":
		f.call(n, s)
	case "fun":
		f.fun(n, s)
	case "pair":
		t := &typ{kind: pair, parts: [2]*typ{{}, {}}}
		f.unify(n.at, want, t)
		f.infer(n.args[0], s, t.parts[0])
		f.infer(n.args[1], s, t.parts[1])
	case "array":
		t := &typ{}
		f.unify(n.at, want, &typ{kind: array, parts: [2]*typ{t},
			size: domain.IntSize(int64(len(n.args)))})
		for _, a := range n.args {
			f.infer(a, s, t)
		}
	case ">>":
		from, mid, to := &typ{}, &typ{}, &typ{}
		f.unify(n.at, want, arrow(from, to))
		f.infer(n.args[0], s, arrow(from, mid))
		f.infer(n.args[1], s, arrow(mid, to))
	case "<", ">", "==", "<=", ">=": // comparisons
		f.unify(n.at, want, truth)
		t := &typ{}
		f.infer(n.args[0], s, t)
		f.infer(n.args[1], s, t)
	default:
		f.numbers = append(f.numbers, n)
		for _, a := range n.args {
			f.infer(a, s, want)
		}
	}
}

// name finds what a name is: the nearest variable, a pattern, or else a size.
func (f *inference) name(n *node, s *scope) {
	name := n.at.Text()
	if n.of = s.find(name); n.of != nil {
		if n.of.typ.find().kind == natural { // it may also be an element
			f.numbers = append(f.numbers, n)
			return
		}
		f.unify(n.at, n.typ, n.of.typ)
		return
	}
	if schemes()[name] != nil {
		f.patternOf(n, nil)
		return
	}
	f.sizeName(n.at)
	f.numbers = append(f.numbers, n)
}

// sizeName is the size that a name is.
func (f *inference) sizeName(at source.Span) size {
	name := at.Text()
	check(schemes()[name] == nil, at, "size-wanted", "%s is no size", name)
	if f.rule != nil {
		_, known := f.rule.least[name]
		check(known, at, "unbound-name", "%s is no natural of the rule", name)
	}
	if !slices.ContainsFunc(f.Sizes, func(u domain.SizeUse) bool { return u.Name == name }) {
		f.Sizes = append(f.Sizes, domain.SizeUse{Name: name, Span: at})
	}
	return domain.NamedSize(name)
}

// sizeOf is the size that an expression is where s is visible: no variables are in it.
func (f *inference) sizeOf(n *node, s *scope) size {
	return f.size(n, func(at source.Span) size {
		check(s.find(at.Text()) == nil, at, "unsupported-op",
			"the checker does not read sizes that depend on variables, as on %s", at.Text())
		return f.sizeName(at)
	})
}

// patternOf says that n is a pattern.
func (f *inference) patternOf(n *node, nats []size) {
	name := n.at.Text()
	wanted := len(strings.Fields(schemes()[name].nats))
	check(len(nats) == wanted, n.at, "wrong-arity", "%s wants %d naturals at once", name, wanted)
	var t *typ
	n.pattern, t = f.instance(n.at, name, nats)
	switch {
	case pairwise[name]:
		f.wide = append(f.wide, n)
		return
	case n.pattern.types["i"] != nil, name == "cast", n.pattern.typ == "t -> t -> t", name == "neg":
		f.numbers = append(f.numbers, n)
	}
	f.unify(n.at, n.typ, t)
}

// call finds the types of a function and of what it is applied to. The naturals that a pattern
// takes are given at once.
func (f *inference) call(n *node, s *scope) {
	head, args := n.args[0], n.args[1:]
	t := &typ{}
	if name := head.at.Text(); head.op == "name" && s.find(name) == nil && schemes()[name] != nil {
		head.typ = t
		f.nodes = append(f.nodes, head)
		nats := strings.Fields(schemes()[name].nats)
		check(len(args) >= len(nats), n.at, "wrong-arity", "%s wants %d naturals at once", name,
			len(nats))
		var given []size
		for _, a := range args[:len(nats)] {
			given = append(given, f.sizeOf(a, s))
		}
		args = args[len(nats):]
		f.patternOf(head, given)
		if name == "cast" && len(args) > 0 && elems[args[0].at.Text()] != "" {
			f.unify(n.at, head.pattern.types["t"], f.element(args[0].at.Text()))
			args = args[1:]
		}
		if name == "idx" && len(args) > 0 && f.closed(args[0], s) {
			i, n := f.sizeOf(args[0], s), head.pattern.sizes["n"]
			f.unify(args[0].at, head.pattern.types["i"], integer)
			f.ask(args[0].at, "index-out-of-bounds", domain.Le(size{}, i))
			f.ask(args[0].at, "index-out-of-bounds", domain.Le(i.Add(one), n))
		}
		if name == "let" && len(args) > 0 && args[0].op == "fun" { // x |> let(fun(y, ...))
			from, to := &typ{}, &typ{}
			t = arrow(arrow(from, to), arrow(from, to))
			head.typ, head.pattern = t, nil
			n.op = "let"
		}
	} else {
		f.infer(head, s, t)
	}
	for _, a := range args {
		t = t.find()
		if t.kind == unknown {
			f.unify(a.at, t, arrow(&typ{}, &typ{}))
			t = t.find()
		}
		check(t.kind == function, a.at, "wrong-arity", "%s is no function", t.shape(5))
		f.ranged(head, a)
		f.infer(a, s, t.parts[0])
		t = t.parts[1]
	}
	f.unify(n.at, n.typ, t)
	n.args = append([]*node{head}, args...)
}

// closed reports whether an expression is a size, where s is visible.
func (f *inference) closed(n *node, s *scope) bool {
	switch n.op {
	case "number":
		return !strings.ContainsAny(n.text, ".eE")
	case "name":
		return s.find(n.at.Text()) == nil && schemes()[n.at.Text()] == nil
	case "+", "-", "~", "*", "/", "%":
		return !slices.ContainsFunc(n.args, func(a *node) bool { return !f.closed(a, s) })
	}
	return false
}

// ranged says of the parameter of a function of places which ones there are.
func (f *inference) ranged(head, fun *node) {
	if p := head.pattern; p != nil && (p.name == "generate" || p.name == "reorder") {
		if n := p.sizes["n"]; fun.op == "fun" && len(fun.params) > 0 {
			fun.params[0].variable = &variable{below: &n}
		}
	}
}

// fun finds the type of a function. A parameter may be a place in an array where that is wanted.
func (f *inference) fun(n *node, s *scope) {
	want := n.typ
	for _, q := range n.params {
		if q.variable == nil {
			q.variable = &variable{}
		}
		q.variable.name, q.variable.typ = q.at.Text(), &typ{}
		f.variables[q.name] = true
		if q.written != nil {
			q.variable.typ = f.read(q.written, s)
		}
		to := &typ{}
		f.unify(q.at, want, arrow(q.typ, to))
		want = to
		s = &scope{q.variable, s}
	}
	f.infer(n.args[0], s, want)
}

// read is the type that is written where s is visible.
func (f *inference) read(w *written, s *scope) *typ {
	return reader{
		size: func(n *node) size { return f.sizeOf(n, s) },
		name: func(at source.Span, name string) *typ {
			if name == "nat" && f.rule != nil {
				return integer
			}
			known := f.rule != nil && f.rule.types[name] != nil
			check(known, at, "unknown-type", "%s is no element type", name)
			return f.rule.types[name]
		},
	}.read(w)
}

// widen finds what add and mult take, by what is known of it: two numbers, or a pair of them.
func (f *inference) widen() {
	for some := true; some; {
		some = false
		f.wide = slices.DeleteFunc(f.wide, func(n *node) bool {
			t := n.typ.find()
			if t.kind != function {
				return false
			}
			from, to := t.part(0), t.part(1)
			x := n.pattern.types["t"]
			switch {
			case from.kind == pair, to.kind == scalar || to.kind == natural:
				n.pattern.taken = true
				f.unify(n.at, t, arrow(&typ{kind: pair, parts: [2]*typ{x, x}}, x))
			case from.kind == scalar, from.kind == natural, to.kind == function:
				f.unify(n.at, t, arrow(x, arrow(x, x)))
			default:
				return false
			}
			f.numbers = append(f.numbers, n)
			some = true
			return true
		})
	}
	for _, n := range f.wide {
		check(false, n.at, "ambiguous-type", "it is not known what %s takes", n.at.Text())
	}
}

// newInference is one of a program, where nothing is known yet.
func newInference(p *program) *inference {
	return &inference{program: p, variables: map[string]bool{}, codes: map[string]string{},
		solved: map[string]size{}}
}

// finish finds the types of a body, and checks what has to be known then.
func (f *inference) finish() {
	f.infer(f.body, f.scope, &typ{})
	f.complete()
	f.outputs()
}

// complete finds what is known of types when all expressions were seen.
func (f *inference) complete() {
	f.widen()
	for _, n := range f.nodes {
		if slices.Contains(comparisons, n.op) && n.args[0].typ.find().kind == unknown {
			f.unify(n.at, n.args[0].typ, integer) // no type is asked for
		}
		if p := n.pattern; p != nil && p.types["i"] != nil && p.types["i"].find().kind == unknown {
			f.unify(n.at, p.types["i"], integer)
		}
	}
	for _, n := range f.numbers {
		f.number(n)
	}
	for _, n := range f.nodes {
		f.arrays(n.at, n.typ)
		if slices.Contains(comparisons, n.op) {
			t := n.args[0].typ.find()
			check(t.number() || t.kind == natural, n.at, "unsupported-op",
				"the checker does not read this comparison of %s", t.shape(5))
		}
	}
	for _, s := range f.Sizes {
		check(!f.variables[s.Name], s.Span, "redefined-name", "%s is a variable as well", s.Name)
	}
	f.solve()
	for _, n := range f.nodes {
		f.settle(n.at, n.typ)
		if p := n.pattern; p != nil {
			for name, x := range p.sizes {
				p.sizes[name] = x.Subst(f.solved)
				check(unknowns(p.sizes[name]) == nil, n.at, "size-unbound",
					"a size that nothing determines")
			}
		}
		for _, q := range n.params {
			if q.below != nil {
				*q.below = q.below.Subst(f.solved)
			}
		}
	}
}

// number checks that the type of n, or that of the operands of a pattern, is one of numbers.
func (f *inference) number(n *node) {
	list := []*typ{n.typ}
	if p := n.pattern; p != nil {
		list = list[:0]
		for _, name := range slices.Sorted(maps.Keys(p.types)) {
			if p.types["i"] == nil || name == "i" {
				list = append(list, p.types[name])
			}
		}
	}
	for _, t := range list {
		t = t.find()
		check(t.kind != unknown, n.at, "ambiguous-type", "it is not known which numbers these are")
		place := t.kind == natural && (n.pattern == nil || n.pattern.name != "cast") &&
			!strings.ContainsAny(n.text, ".eE")
		check(place || t.number(), n.at, "type-mismatch",
			"%s, where a number is wanted", t.shape(5))
		if p := n.pattern; p != nil && p.types["i"] != nil {
			whole := t.kind == scalar && t.elem.Kind == domain.ElemInt
			check(whole || t.kind == natural, n.at, "type-mismatch", "places are integers")
		}
	}
}

// arrays checks that arrays and pairs hold data.
func (f *inference) arrays(at source.Span, t *typ) {
	f.step(at)
	t = t.find()
	for _, p := range t.parts {
		if p == nil {
			continue
		}
		if f.arrays(at, p); t.kind == array {
			place := p.find().kind == natural // that gather or scatter takes
			check(place || p.data(), at, "type-mismatch", "an array of %s", p.shape(5))
		}
	}
}

// settle puts the sizes of a type in that were found.
func (f *inference) settle(at source.Span, t *typ) {
	f.step(at)
	t = t.find()
	if t.kind == array {
		t.size = t.size.Subst(f.solved)
		check(unknowns(t.size) == nil, at, "size-unbound", "a size that nothing determines")
	}
	for _, p := range t.parts {
		if p != nil {
			f.settle(at, p)
		}
	}
}
