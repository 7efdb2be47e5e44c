// Package rule reads rewrite rules over bit-vectors: rules with (lang bv), whose sides are terms of SMT-LIB 2 QF_BV with widths
// by name. doc/rules.md has the language.
//
//	rule.go      Rule and Term; Parse
//	width.go     Expr, what is computed from widths, and Guard
//	kinds.go     the operations: how many arguments, words or Bools
//	instance.go  Instance: a rule at numbers, as two specifications
//
// A rule says nothing but its instances: at each assignment of numbers to its names at which the guard is true and the left
// side is well formed, the right side has to be well formed, of the same width, and equal for all values of the variables.
package rule

import (
	"regexp"
	"slices"
	"strings"

	"tv/internal/sexpr"
	"tv/internal/source"
)

// A Rule is a text. Names of numbers are in the order in which they first occur.
type Rule struct {
	Name    string
	Span    source.Span
	Numbers []Number
	Vars    []Var
	Where   []*Guard // all of them
	Sides   [2]*Term // left and right
	Want    string   // "proved", "refuted" or ""

	// Warnings are remarks on a rule that is legal: a variable that only the right side mentions.
	Warnings source.Errors
}

// A Number is a name that stands for a natural number: a width from 1, another from 0.
type Number struct {
	Name  string
	Least int
}

// A Var is a variable: of a width, or a Bool.
type Var struct {
	Name  string
	Width Expr // nil: a Bool
	Span  source.Span
}

// Operations that are no words of SMT-LIB's.
const (
	OpVar    = "var"    // Name
	OpConst  = "const"  // Digits with their base: #b.. or #x..; true and false are Bools
	OpNumber = "number" // (_ bvN w): Indices are N and w
)

// A Term is a term whose indices may have names.
type Term struct {
	Span    source.Span
	Op      string
	Indices []Expr
	Args    []*Term
	Name    string // of OpVar, and of OpConst the text
	Bool    bool
}

var namePattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

// Result is the output of the specifications that sides become: no variable has that name.
const Result = "result"

func isName(x *sexpr.Form) bool {
	return !x.IsList && !x.Quoted && namePattern.MatchString(x.Atom) && x.Atom != "true" && x.Atom != "false" && x.Atom != Result
}

type parser struct {
	*Rule
	clauses map[string]*sexpr.Form
	vars    map[string]*Var
}

// Is tells whether a form is a rule over bit-vectors: it has the clause (lang bv).
func Is(x *sexpr.Form) bool {
	return x.Head() == "rule" && slices.ContainsFunc(x.List, func(c *sexpr.Form) bool {
		return c.Head() == "lang" && len(c.List) == 2 && c.List[1].Atom == "bv"
	})
}

// The clauses of a rule.
var clauses = []string{"lang", "vars", "widths", "nats", "where", "lhs", "rhs", "want", "source", "doc"}

// Parse reads a rule. Errors: source.Errors, with the codes bad-rule, unbound-name and ill-typed.
func Parse(x *sexpr.Form) (*Rule, error) {
	p := &parser{Rule: &Rule{Span: x.Span}, clauses: map[string]*sexpr.Form{}, vars: map[string]*Var{}}
	for _, step := range []func(*sexpr.Form) error{p.heading, p.declarations, p.variables, p.conditions, p.sides, p.rest} {
		if err := step(x); err != nil {
			return nil, source.AsErrors(err)
		}
	}
	return p.Rule, nil
}

func (p *parser) heading(x *sexpr.Form) error {
	if len(x.List) < 2 || !isRuleName(x.List[1]) {
		return x.Errorf("bad-rule", "a rule is (rule NAME clause ..)")
	}
	p.Name = x.List[1].Atom
	for _, c := range x.List[2:] {
		head := c.Head()
		switch {
		case !slices.Contains(clauses, head):
			return c.Errorf("bad-rule", "a rule over bit-vectors has the clauses %s", strings.Join(clauses, ", "))
		case p.clauses[head] != nil:
			return c.Errorf("bad-rule", "the clause %s is there twice", head)
		}
		p.clauses[head] = c
	}
	for _, head := range []string{"vars", "lhs", "rhs"} {
		if p.clauses[head] == nil {
			return x.Errorf("bad-rule", "rule %s has no clause %s", p.Name, head)
		}
	}
	return nil
}

func isRuleName(x *sexpr.Form) bool {
	return !x.IsList && !x.Quoted && x.Atom != "" && (x.Atom[0] >= 'a' && x.Atom[0] <= 'z' || x.Atom[0] >= 'A' && x.Atom[0] <= 'Z')
}

// parts are what a clause has behind its name, none where it is not there.
func (p *parser) parts(head string) []*sexpr.Form {
	if c := p.clauses[head]; c != nil {
		return c.List[1:]
	}
	return nil
}

// declarations reads names of numbers that no variable's width mentions.
func (p *parser) declarations(*sexpr.Form) error {
	for _, kind := range []struct {
		clause string
		least  int
	}{{"widths", 1}, {"nats", 0}} {
		for _, x := range p.parts(kind.clause) {
			if !isName(x) || p.declared(x.Atom) {
				return x.Errorf("bad-rule", "a new name is expected")
			}
			p.Numbers = append(p.Numbers, Number{x.Atom, kind.least})
		}
	}
	return nil
}

func (p *parser) declared(name string) bool {
	return slices.ContainsFunc(p.Numbers, func(n Number) bool { return n.Name == name })
}

// number is asked of names where numbers stand: only what is declared is one.
func (p *parser) number(name string, x *sexpr.Form) error {
	if !p.declared(name) {
		return x.Errorf("unbound-name", "no width is named %s", name)
	}
	return nil
}

// variables reads (NAME WIDTH) and (NAME Bool). A width declares the names in it that nothing else does.
func (p *parser) variables(*sexpr.Form) error {
	for _, x := range p.parts("vars") {
		if !x.IsList || len(x.List) != 2 || !isName(x.List[0]) {
			return x.Errorf("bad-rule", "a variable is (NAME WIDTH) or (NAME Bool)")
		}
		v := Var{Name: x.List[0].Atom, Span: x.Span}
		if w := x.List[1]; w.IsList || w.Atom != "Bool" {
			var err error
			v.Width, err = p.expr(w, func(name string, _ *sexpr.Form) error {
				if !p.declared(name) {
					p.Numbers = append(p.Numbers, Number{name, 1})
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		if p.vars[v.Name] != nil {
			return x.Errorf("bad-rule", "%s is declared twice", v.Name)
		}
		p.Vars = append(p.Vars, v)
		p.vars[v.Name] = &v
	}
	for _, v := range p.Vars {
		if p.declared(v.Name) {
			return source.Errorf(v.Span, "bad-rule", "%s is a number and a variable", v.Name)
		}
	}
	return nil
}

func (p *parser) conditions(*sexpr.Form) error {
	for _, x := range p.parts("where") {
		g, err := p.guard(x)
		if err != nil {
			return err
		}
		p.Where = append(p.Where, g)
	}
	return nil
}

func (p *parser) sides(*sexpr.Form) error {
	used := [2]map[string]bool{{}, {}}
	for i, head := range []string{"lhs", "rhs"} {
		parts := p.parts(head)
		if len(parts) != 1 {
			return p.clauses[head].Errorf("bad-rule", "%s has one term", head)
		}
		t, err := p.term(parts[0], used[i])
		if err != nil {
			return err
		}
		p.Sides[i] = t
	}
	if p.Sides[0].Bool != p.Sides[1].Bool {
		return source.Errorf(p.Sides[1].Span, "ill-typed", "one side is a Bool and the other a word")
	}
	var only []string
	for _, v := range p.Vars {
		if used[1][v.Name] && !used[0][v.Name] {
			only = append(only, v.Name)
		}
	}
	if len(only) > 0 {
		p.Warnings = append(p.Warnings, p.clauses["rhs"].Errorf("right-only",
			"only the right side of %s mentions %s: no rewriter could apply the rule", p.Name, strings.Join(only, ", ")))
	}
	return nil
}

func (p *parser) rest(*sexpr.Form) error {
	if c := p.clauses["want"]; c != nil {
		if len(c.List) != 2 || c.List[1].Atom != "proved" && c.List[1].Atom != "refuted" {
			return c.Errorf("bad-rule", "what is wanted is (want proved) or (want refuted)")
		}
		p.Want = c.List[1].Atom
	}
	return nil
}

func (p *parser) term(x *sexpr.Form, used map[string]bool) (*Term, error) {
	t := &Term{Span: x.Span}
	if !x.IsList {
		return p.atom(x, t, used)
	}
	if len(x.List) == 0 {
		return nil, x.Errorf("bad-rule", "a term is expected, and this is ()")
	}
	head, rest := x.List[0], x.List[1:]
	switch {
	case x.Head() == "_":
		return p.constant(x, t)
	case x.Head() == "var":
		return p.named(x, t, used)
	case head.IsList:
		if head.Head() != "_" || len(head.List) < 3 || head.List[1].IsList {
			return nil, head.Errorf("bad-rule", "an operation is a word or (_ WORD NUMBER ..)")
		}
		t.Op = head.List[1].Atom
		for _, i := range head.List[2:] {
			e, err := p.expr(i, p.number)
			if err != nil {
				return nil, err
			}
			t.Indices = append(t.Indices, e)
		}
	default:
		t.Op = head.Atom
	}
	for _, a := range rest {
		arg, err := p.term(a, used)
		if err != nil {
			return nil, err
		}
		t.Args = append(t.Args, arg)
	}
	return t, t.check()
}

func (p *parser) atom(x *sexpr.Form, t *Term, used map[string]bool) (*Term, error) {
	t.Name = x.Atom
	switch {
	case x.Atom == "true" || x.Atom == "false":
		t.Op, t.Bool = OpConst, true
	case literal.MatchString(x.Atom):
		t.Op = OpConst
	case p.vars[x.Atom] != nil:
		t.Op, t.Bool = OpVar, p.vars[x.Atom].Width == nil
		used[x.Atom] = true
	default:
		return nil, x.Errorf("unbound-name", "no variable is named %s", x.Atom)
	}
	return t, nil
}

var literal = regexp.MustCompile(`^#(b[01]+|x[0-9a-fA-F]+)$`)

// constant reads (_ bvN w), (_ bvNAME w) and (_ bv N w).
func (p *parser) constant(x *sexpr.Form, t *Term) (*Term, error) {
	t.Op = OpNumber
	parts := x.List[1:]
	bad := x.Errorf("bad-rule", "a constant is (_ bvN WIDTH), or (_ bv N WIDTH) of an N that is computed")
	if len(parts) == 0 || parts[0].IsList || !strings.HasPrefix(parts[0].Atom, "bv") {
		return nil, bad
	}
	if text := strings.TrimPrefix(parts[0].Atom, "bv"); text != "" {
		n := *parts[0]
		n.Atom = text
		parts = append([]*sexpr.Form{&n}, parts[1:]...)
	} else {
		parts = parts[1:]
	}
	if len(parts) != 2 {
		return nil, bad
	}
	for _, part := range parts {
		e, err := p.expr(part, p.number)
		if err != nil {
			return nil, err
		}
		t.Indices = append(t.Indices, e)
	}
	return t, nil
}

// named reads (var NAME WIDTH).
func (p *parser) named(x *sexpr.Form, t *Term, used map[string]bool) (*Term, error) {
	if len(x.List) != 3 || p.vars[x.List[1].Atom] == nil {
		return nil, x.Errorf("bad-rule", "a variable is (var NAME WIDTH), and is declared in vars")
	}
	v := p.vars[x.List[1].Atom]
	w, err := p.expr(x.List[2], p.number)
	if err != nil {
		return nil, err
	}
	if v.Width == nil || !w.Equal(v.Width) {
		return nil, x.Errorf("ill-typed", "%s is declared with another width", v.Name)
	}
	t.Op, t.Name = OpVar, v.Name
	used[v.Name] = true
	return t, nil
}
