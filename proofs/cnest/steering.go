package cnest

import (
	"slices"
	"strings"

	"tv/internal/source"
)

// Which variables are integers of control: those that occur in subscripts, in headings of loops and
// in extents, and what they are computed from. A parameter among them is a size. So are, of locals
// that no data goes into, those that occur in conditions.
type steering struct {
	of      map[string]*function
	asked   []*function        // that are called, in the order of the calls
	steers  map[*variable]bool // integers of control
	tests   map[*variable]bool // those that are so for conditions alone
	results map[*function]bool // whose result is one
	data    map[*variable]bool // that hold what is no integer of control
	changed bool

	file       *source.File         // which may have contracts
	begin      int                  // of them in the text
	contracted map[string]*function // of contracts, by name and type of elements
}

// steer finds them, for a function and all that it calls.
func steer(file *source.File, of map[string]*function, f *function) *steering {
	s := &steering{file: file, begin: contracts(file), contracted: map[string]*function{}, of: of,
		asked: []*function{f}, steers: map[*variable]bool{},
		tests: map[*variable]bool{}, results: map[*function]bool{}}
	f.parse()
	for _, v := range f.params { // sizes of the program that this is compared with
		if slices.Contains(strings.Split(file.Sizes, ","), v.name) && !v.array && v.typ.isInt() {
			s.steers[v] = true
		}
	}
	s.fix()
	data := map[*variable]bool{}
	for _, v := range f.params {
		data[v] = !s.steers[v]
	}
	for more := true; more; { // what goes into what is a question that can wait until all is parsed
		more = false
		s.assignments(func(v *variable, x *node) {
			if !data[v] && !s.steers[v] && (v.typ.isFloat() || x == nil || s.isData(x, data)) {
				data[v], more = true, true
			}
		})
	}
	s.data = data
	s.fix()
	return s
}

func (s *steering) fix() {
	for s.changed = true; s.changed; {
		s.changed = false
		for i := 0; i < len(s.asked); i++ {
			f := s.asked[i]
			f.parse()
			s.block(f, f.out.begin)
			for _, v := range f.params {
				s.extents(v)
			}
			s.block(f, f.body)
		}
	}
}

func (s *steering) extents(v *variable) {
	for _, d := range v.dims {
		s.visit(d, true)
	}
}

func (s *steering) block(f *function, list []*stmt) {
	for _, x := range list {
		switch s.block(f, x.init); x.op {
		case "declare":
			s.extents(x.v)
			if s.visit(x.x, s.steers[x.v]); x.v.pointer() && x.x.op == "+" {
				s.visit(x.x.args[1], true)
			}
		case "return":
			s.visit(x.x, s.results[f])
		case "if":
			s.condition(x.x)
		default:
			s.visit(x.x, x.op == "for")
		}
		s.visit(x.step, true)
		s.block(f, x.body)
		s.block(f, x.rest)
	}
}

// condition marks what it is made of if no data goes into it, once that is known.
func (s *steering) condition(n *node) {
	s.visit(n, s.data != nil && !s.isData(n, s.data))
}

// visit marks what an expression is made of, if it is one of control.
func (s *steering) visit(n *node, control bool) {
	if n == nil {
		return
	}
	f := s.callee(n)
	switch {
	case n.op == "name":
		if control && !n.v.array && !s.steers[n.v] {
			s.steers[n.v], s.tests[n.v], s.changed = true, s.data != nil, true
		}
	case n.op == "[]":
		s.visit(n.args[0], false)
		s.visit(n.args[1], true)
		return
	case n.op == "?:" && !control:
		s.condition(n.args[0])
	case assigns0(n):
		v := n.args[0].v
		control = control || v != nil && s.steers[v]
	case n.op == "call" && f != nil:
		if !slices.Contains(s.asked, f) {
			s.asked, s.changed = append(s.asked, f), true
			f.parse()
		}
		if control && !s.results[f] {
			s.results[f], s.changed = true, true
		}
		for i, a := range n.args {
			s.visit(a, i < len(f.params) && s.steers[f.params[i]])
			if i < len(f.params) && f.params[i].array && a.op == "+" {
				s.visit(a.args[1], true)
			}
		}
		return
	case n.op == "call" && n.text == "requires" && n.at.Start >= s.begin:
		s.visit(n.args[0], true)
		return
	case n.op == "call" && library[n.text].args != "":
		for i, a := range n.args {
			s.visit(a, steersCall(n.text, i))
		}
		return
	}
	for _, a := range n.args {
		s.visit(a, control)
	}
}

// assigns0 reports whether a node assigns to its first operand.
func assigns0(n *node) bool {
	return slices.Contains(assigns, n.op) || n.op == "++" || n.op == "--"
}

// walk calls f for an expression and all in it.
func walk(n *node, f func(*node)) {
	if n != nil {
		f(n)
		for _, a := range n.args {
			walk(a, f)
		}
	}
}

// expressions calls f for all in statements.
func expressions(list []*stmt, f func(*stmt, *node)) {
	for _, x := range list {
		expressions(x.init, f)
		for _, n := range []*node{x.x, x.step} {
			walk(n, func(n *node) { f(x, n) })
		}
		expressions(x.body, f)
		expressions(x.rest, f)
	}
}

// assignments calls f for what goes into each variable; nil stands for what is not known.
func (s *steering) assignments(f func(*variable, *node)) {
	for _, g := range s.asked {
		expressions(g.body, func(x *stmt, n *node) {
			h := s.callee(n)
			switch {
			case x.op == "declare" && n == x.x:
				f(x.v, n)
			case n.op == "addr":
				walk(n, func(n *node) {
					if n.op == "name" {
						f(n.v, nil)
					}
				})
			case assigns0(n) && n.args[0].v != nil:
				f(n.args[0].v, n.args[len(n.args)-1])
			}
			for i, a := range n.args {
				if n.op == "call" && h != nil && i < len(h.params) {
					f(h.params[i], a)
				}
			}
		})
	}
}

// isData reports whether an expression may be no integer of control.
func (s *steering) isData(n *node, data map[*variable]bool) (yes bool) {
	walk(n, func(x *node) {
		switch x.op {
		case "[]", "deref", "call":
			yes = yes || x.op != "call" || !s.results[s.callee(x)]
		case "name":
			yes = yes || x.v.array || data[x.v]
		}
	})
	return yes
}

// assigned are the variables that statements assign to.
func assigned(list []*stmt) map[*variable]bool {
	out := map[*variable]bool{}
	expressions(list, func(_ *stmt, n *node) {
		if assigns0(n) && n.args[0].v != nil {
			out[n.args[0].v] = true
		}
	})
	return out
}

// writes reports whether a function may write what is not its own.
func (s *steering) writes(f *function) (yes bool) {
	expressions(f.body, func(_ *stmt, n *node) {
		if n.op == "call" && s.callee(n) != nil {
			yes = yes || s.writes(s.callee(n))
		}
		if !assigns0(n) {
			return
		}
		base := n.args[0]
		for len(base.args) > 0 {
			base = base.args[0]
		}
		yes = yes || base.v == nil || base.v.param && base.v.array || base.v.pointer()
	})
	return yes
}
