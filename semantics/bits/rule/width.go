package rule

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"

	"tv/internal/sexpr"
)

// An Expr is a polynomial with whole coefficients in the names of a rule's widths: by the names of a product, sorted and joined by "*";
// the constant is that of "". No coefficient is 0.
type Expr map[string]int64

// Bounds of what a rule may say of widths: texts beyond are an error, so that nothing overflows.
const (
	maxCoefficient = 1 << 20
	maxDegree      = 3
)

// Int is a constant.
func Int(n int64) Expr {
	if n == 0 {
		return Expr{}
	}
	return Expr{"": n}
}

// Name is a width by its name.
func Name(name string) Expr { return Expr{name: 1} }

// Plus is e + k·f.
func (e Expr) Plus(k int64, f Expr) Expr {
	out := maps.Clone(e)
	for m, c := range f {
		if out[m] += k * c; out[m] == 0 {
			delete(out, m)
		}
	}
	return out
}

// Times is e·f.
func (e Expr) Times(f Expr) Expr {
	out := Expr{}
	for m, c := range e {
		for n, d := range f {
			var names []string
			for _, part := range []string{m, n} {
				if part != "" {
					names = append(names, strings.Split(part, "*")...)
				}
			}
			sort.Strings(names)
			key := strings.Join(names, "*")
			if out[key] += c * d; out[key] == 0 {
				delete(out, key)
			}
		}
	}
	return out
}

// Equal tells whether both are one polynomial.
func (e Expr) Equal(f Expr) bool { return maps.Equal(e, f) }

// Constant tells whether it is a number, and which.
func (e Expr) Constant() (int64, bool) {
	return e[""], len(e) == 0 || len(e) == 1 && e[""] != 0
}

// At is the value for values of the names.
func (e Expr) At(values map[string]int) int64 {
	sum := int64(0)
	for m, c := range e {
		for name := range strings.SplitSeq(m, "*") {
			if name != "" {
				c *= int64(values[name])
			}
		}
		sum += c
	}
	return sum
}

// String is the polynomial with its monomials in alphabetical order.
func (e Expr) String() string {
	if len(e) == 0 {
		return "0"
	}
	var parts []string
	for _, m := range slices.Sorted(maps.Keys(e)) {
		switch c := e[m]; {
		case m == "":
			parts = append(parts, strconv.FormatInt(c, 10))
		case c == 1:
			parts = append(parts, m)
		default:
			parts = append(parts, fmt.Sprintf("%d*%s", c, m))
		}
	}
	return strings.Join(parts, " + ")
}

// Within tells whether numbers stay small enough for all that is computed from them.
func (e Expr) Within() bool {
	for m, c := range e {
		if c > maxCoefficient || c < -maxCoefficient || strings.Count(m, "*") >= maxDegree {
			return false
		}
	}
	return true
}

// expr reads INTEGER | NAME | (+ e e..) | (- e e..) | (* e e..). Names it meets are passed to seen.
func (p *parser) expr(x *sexpr.Form, seen func(string, *sexpr.Form) error) (Expr, error) {
	if !x.IsList {
		if n, err := strconv.ParseInt(x.Atom, 10, 32); err == nil && !x.Quoted {
			return p.bounded(x, Int(n))
		}
		if !isName(x) {
			return nil, x.Errorf("bad-rule", "a number or the name of one is expected")
		}
		return Name(x.Atom), seen(x.Atom, x)
	}
	op := x.Head()
	if op != "+" && op != "-" && op != "*" || len(x.List) < 2 || len(x.List) < 3 && op != "-" {
		return nil, x.Errorf("bad-rule", "numbers are made by (+ e e ..), (- e e ..) and (* e e ..)")
	}
	var out Expr
	for i, part := range x.List[1:] {
		e, err := p.expr(part, seen)
		switch {
		case err != nil:
			return nil, err
		case i == 0:
			out = e
		case op == "+":
			out = out.Plus(1, e)
		case op == "-":
			out = out.Plus(-1, e)
		default:
			out = out.Times(e)
		}
		if out, err = p.bounded(x, out); err != nil {
			return nil, err
		}
	}
	if len(x.List) == 2 {
		out = Expr{}.Plus(-1, out)
	}
	return out, nil
}

func (p *parser) bounded(x *sexpr.Form, e Expr) (Expr, error) {
	if !e.Within() {
		return nil, x.Errorf("bad-rule", "numbers are at most %d, and products have at most %d names", maxCoefficient, maxDegree)
	}
	return e, nil
}

// A Guard is a condition on widths: Op is "=", "<" or "<=" of Left and Right, or "not", "and" or "or" of Parts.
type Guard struct {
	Op          string
	Left, Right Expr
	Parts       []*Guard
}

func (p *parser) guard(x *sexpr.Form) (*Guard, error) {
	g := &Guard{Op: x.Head()}
	switch g.Op {
	case "=", "<", "<=":
		if len(x.List) != 3 {
			return nil, x.Errorf("bad-rule", "%s compares two numbers", g.Op)
		}
		var err error
		if g.Left, err = p.expr(x.List[1], p.number); err == nil {
			g.Right, err = p.expr(x.List[2], p.number)
		}
		return g, err
	case "not", "and", "or":
		if g.Op == "not" && len(x.List) != 2 {
			return nil, x.Errorf("bad-rule", "not takes one condition")
		}
		for _, part := range x.List[1:] {
			q, err := p.guard(part)
			if err != nil {
				return nil, err
			}
			g.Parts = append(g.Parts, q)
		}
		return g, nil
	}
	return nil, x.Errorf("bad-rule", "conditions are (= e e), (< e e), (<= e e), (not c), (and c ..) and (or c ..)")
}

// Holds tells whether the condition is true for values of the names.
func (g *Guard) Holds(values map[string]int) bool {
	switch g.Op {
	case "=":
		return g.Left.At(values) == g.Right.At(values)
	case "<":
		return g.Left.At(values) < g.Right.At(values)
	case "<=":
		return g.Left.At(values) <= g.Right.At(values)
	case "not":
		return !g.Parts[0].Holds(values)
	case "and":
		return !slices.ContainsFunc(g.Parts, func(q *Guard) bool { return !q.Holds(values) })
	}
	return slices.ContainsFunc(g.Parts, func(q *Guard) bool { return q.Holds(values) })
}
