package syntax

import (
	"slices"
	"strings"

	"tv/internal/sexpr"
	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/words"
)

// A Rule says that wherever its left side is well formed and its guard holds, the right side may stand for it: for all
// natural numbers from the least ones on, all element types, all functions that have the laws asked for.
type Rule struct {
	Name      string
	Span      source.Span
	Nats      []*Nat
	Data      []*Param // element types of which nothing is known
	Functions []*Function
	Vars      []*Param
	Where     []*domain.Assume
	Equations []*Equation
	Sides     [2]*Program // left and right
	Arith     string      // "auto", "real", "exact" or ""
	Want      string      // "proved", "refuted" or ""

	// Warnings are remarks on a rule that is legal, such as a variable that only the right side mentions.
	Warnings source.Errors
}

// A Nat is a natural number, at least Least.
type Nat struct {
	Name  string
	Least int64
	Span  source.Span
}

// A Function is free: nothing is known of it but its laws.
type Function struct {
	Name   string
	Span   source.Span
	Type   *Type
	Args   []*Type
	Result *Type
	Is     string // the function of numbers that it is, or ""; then it has no laws

	Assoc, Comm bool
	Unit        *Param // nil: none is asked for
	// Sum says that it may be taken for the sum of real numbers: an equation holds of sums, with any functions beside
	// them, just where it holds in all commutative monoids, as the free one lies in the real numbers. One function of
	// an element type may be.
	Sum bool

	tables []*semantics.Type // of the tables that it is evaluated by: one for each number of the result
}

// An Equation says that a variable is the array that an expression is: that stands for it in both sides.
type Equation struct {
	Name string
	Span source.Span
	is   *tree
	typ  *Type
}

// Values is how many values an element type of which nothing is known has where a rule is evaluated.
const Values = 4

// The clauses of a rule in their order; those after the first line are texts in quotes.
var ruleClauses = []string{"lang", "nats", "data", "funs", "vars", "where", "arith", "lhs", "rhs", "want", "source", "doc"}

// sizesName is the tensor whose dims are the naturals: it says which values they have, and nobody reads it.
const sizesName = "nats"

type ruleReader struct {
	*Rule
	clauses map[string]*sexpr.Form
	names   map[string]string // what each name is
	types   map[string]*Type  // those of Data
}

// ParseRule reads a rule with the clause (lang rise). Errors: source.Errors.
func ParseRule(x *sexpr.Form) (r *Rule, err error) {
	defer words.Catch(&err)
	patterns()
	q := &ruleReader{Rule: &Rule{Span: x.Span}, clauses: map[string]*sexpr.Form{}, names: map[string]string{},
		types: map[string]*Type{}}
	q.form(x)
	q.naturals()
	q.dataTypes()
	q.functions()
	q.variables()
	q.units()
	q.words()
	q.guards()
	q.sides()
	return q.Rule, nil
}

// ParseSide reads a text that is one rule: the function of the file that is meant, lhs or rhs, says which side. Errors:
// source.Errors.
func ParseSide(f *source.File) (*Program, error) {
	top, bad := sexpr.Read(f)
	switch {
	case bad != nil:
		return nil, source.Errors{bad}
	case len(top) != 1 || f.Function != "lhs" && f.Function != "rhs":
		return nil, source.Errors{source.Errorf(words.Whole(f), "bad-rule", "one rule, of which lhs or rhs is meant")}
	}
	r, err := ParseRule(top[0])
	if err != nil {
		return nil, err
	}
	if f.Function == "lhs" {
		return r.Sides[0], nil
	}
	return r.Sides[1], nil
}

// form finds the clauses.
func (r *ruleReader) form(x *sexpr.Form) {
	if x.Head() != "rule" || len(x.List) < 2 || x.List[1].IsList || x.List[1].Quoted {
		words.Fail(x.Span, "bad-rule", "a rule is (rule NAME CLAUSE ...)")
	}
	r.Name = x.List[1].Atom
	for _, c := range x.List[2:] {
		h := c.Head()
		switch {
		case !slices.Contains(ruleClauses, h):
			words.Fail(c.Span, "bad-rule", "a clause of a rule of RISE begins with one of %s", strings.Join(ruleClauses, " "))
		case r.clauses[h] != nil:
			words.Fail(c.Span, "bad-rule", "a second clause %s", h)
		}
		r.clauses[h] = c
	}
	for _, must := range []string{"lang", "lhs", "rhs"} {
		if r.clauses[must] == nil {
			words.Fail(x.List[1].Span, "bad-rule", "rule %s has no clause %s", r.Name, must)
		}
	}
	if l := r.clauses["lang"]; len(l.List) != 2 || l.List[1].IsList || l.List[1].Atom != "rise" {
		words.Fail(l.Span, "bad-rule", "lang takes rise; a rule without it is one of Glenside")
	}
}

// operands are the elements of a clause after its name.
func (r *ruleReader) operands(clause string) []*sexpr.Form {
	if c := r.clauses[clause]; c != nil {
		return c.List[1:]
	}
	return nil
}

// declare takes a name.
func (r *ruleReader) declare(x *sexpr.Form, as string) string {
	if x.IsList || x.Quoted || !isName(x.Atom) {
		words.Fail(x.Span, "bad-rule", "the name of %s should be here: a letter, letters and digits", as)
	}
	was := r.names[x.Atom]
	if was == "" && (patterns()[x.Atom] != nil || scalars[x.Atom] != nil || x.Atom == "fun" || x.Atom == sizesName) {
		was = "a word of the language"
	}
	if was != "" {
		words.Fail(x.Span, "redefined-name", "%s is %s already", x.Atom, was)
	}
	r.names[x.Atom] = as
	return x.Atom
}

func isName(s string) bool {
	for i := range len(s) {
		letter := s[i] == '_' || 'a' <= s[i]|' ' && s[i]|' ' <= 'z'
		if !letter && (i == 0 || !isDigit(s[i:])) {
			return false
		}
	}
	return s != ""
}

// naturals reads (nats (n 0) (k 1)).
func (r *ruleReader) naturals() {
	for _, x := range r.operands("nats") {
		if !x.IsList || len(x.List) != 2 || x.List[1].IsList || !isDigit(x.List[1].Atom) {
			words.Fail(x.Span, "bad-rule", "a natural number is (NAME LEAST)")
		}
		n := &Nat{Name: r.declare(x.List[0], "a natural number"), Span: x.Span}
		n.Least, _ = (&words.Node{Op: words.Number, Span: x.List[1].Span}).Size().Int64()
		r.Nats = append(r.Nats, n)
	}
}

// dataTypes reads (data t u).
func (r *ruleReader) dataTypes() {
	for _, x := range r.operands("data") {
		name := r.declare(x, "an element type")
		r.Data = append(r.Data, &Param{Name: name, Span: x.Span})
		r.types[name] = &Type{Kind: Scalar, Elem: scalars["f32"].Elem, Data: name}
	}
}

// text is the place of what a clause or a part of one has in quotes.
func text(x *sexpr.Form, what string) source.Span {
	if !x.Quoted {
		words.Fail(x.Span, "bad-rule", "%s is a text in double quotes", what)
	}
	return source.Span{File: x.Span.File, Start: x.Span.Start + 1, End: x.Span.End - 1}
}

// parser reads a text of the rule.
func (r *ruleReader) parser(at source.Span) *parser {
	return &parser{Reader: words.Part(at, wordPattern(), ""), types: r.types}
}

// typeOf reads a type; arrows tells whether it may be one of a function.
func (r *ruleReader) typeOf(x *sexpr.Form, what string, arrows bool) (t *Type, at source.Span) {
	at = text(x, what)
	p := r.parser(at)
	p.arrows = arrows
	t = p.typ()
	p.end("the end of the type")
	for _, s := range p.sizes {
		r.natural(s)
	}
	return t, at
}

// natural refuses a name that is none of a natural number.
func (r *ruleReader) natural(at source.Span) {
	switch r.names[at.Text()] {
	case "":
		words.Fail(at, "unbound-name", "%s is not declared", at.Text())
	case "a natural number":
	default:
		words.Fail(at, "size-wanted", "%s is %s, and a size should be here", at.Text(), r.names[at.Text()])
	}
}

// functions reads (funs (f "t -> u") (op "t -> t -> t" assoc comm (unit e)) (plus "i32 -> i32 -> i32" = add)).
func (r *ruleReader) functions() {
	for _, x := range r.operands("funs") {
		if !x.IsList || len(x.List) < 2 {
			words.Fail(x.Span, "bad-rule", `a function is (NAME "TYPE" LAW ...) or (NAME "TYPE" = FUNCTION)`)
		}
		f := &Function{Name: r.declare(x.List[0], "a function"), Span: x.Span}
		t, at := r.typeOf(x.List[1], "the type of a function", true)
		for f.Type = t; t.Kind == Func; t = t.B {
			f.Args, f.Result = append(f.Args, t.A), t.B
		}
		if f.Result == nil {
			words.Fail(at, "type-mismatch", "%s is no function", at.Text())
		}
		for _, a := range f.Args {
			if a.holds(Func) {
				words.Fail(at, "unsupported-op", "a free function of functions")
			}
		}
		if len(x.List) == 4 && x.List[2].Atom == "=" {
			f.Is = interpreted(f, x.List[3])
		} else {
			r.laws(f, x.List[2:])
		}
		r.Functions = append(r.Functions, f)
	}
}

// interpreted is the name of the function of numbers that f is.
func interpreted(f *Function, x *sexpr.Form) string {
	name := x.Atom
	p := patterns()[name]
	if p == nil || p.sizes != nil || !p.paired && name != "neg" {
		words.Fail(x.Span, "bad-rule", "a function may be one of add sub mult div mod min max neg")
	}
	if is, ok := same[name]; ok {
		name = is
	}
	in := &inference{}
	in.unify(f.Type, in.instance(p, nil, origin{}), x.Span, x.Atom)
	(&Core{Form: Pattern, Name: name, Type: f.Type, Span: x.Span}).suits()
	return name
}

// laws reads assoc, comm, (unit e).
func (r *ruleReader) laws(f *Function, list []*sexpr.Form) {
	of := f.Args[0]
	for _, x := range list {
		switch {
		case len(f.Args) != 2 || of.Kind != Scalar || of.Data == "" || *f.Args[1] != *of || *f.Result != *of:
			words.Fail(x.Span, "bad-rule", "laws are of functions t -> t -> t, t an element type that data declares")
		case x.Atom == "assoc" && !x.IsList:
			f.Assoc = true
		case x.Atom == "comm" && !x.IsList:
			f.Comm = true
		case x.Head() == "unit" && len(x.List) == 2 && f.Unit == nil:
			f.Unit = &Param{Name: x.List[1].Atom, Type: of, Span: x.List[1].Span}
		default:
			words.Fail(x.Span, "bad-rule", "a law is one of assoc comm (unit NAME)")
		}
	}
	f.Sum = f.Assoc && f.Comm && !slices.ContainsFunc(r.Functions, func(g *Function) bool { return g.Sum && *g.Result == *of })
}

// variables reads (vars (x "n.t")).
func (r *ruleReader) variables() {
	for _, x := range r.operands("vars") {
		if !x.IsList || len(x.List) != 2 {
			words.Fail(x.Span, "bad-rule", `a variable is (NAME "TYPE")`)
		}
		if f := r.unit(x.List[0].Atom); f != nil { // a unit that is said to be an element: it is one already
			if t, written := r.typeOf(x.List[1], "the type of a variable", false); t.String() != f.Unit.Type.String() {
				words.Fail(written, "type-mismatch", "%s is the unit of %s, so of type %s", f.Unit.Name, f.Name, f.Unit.Type)
			}
			continue
		}
		p := &Param{Name: r.declare(x.List[0], "a variable"), Span: x.List[0].Span}
		p.Type, p.written = r.typeOf(x.List[1], "the type of a variable", false)
		if _, dims := tensor(p.Type); dims == nil {
			words.Fail(p.written, "unsupported-op", "a variable is an array of elements or an element, not of pairs")
		}
		r.Vars = append(r.Vars, p)
	}
}

// unit is the function whose unit has a name, if there is one.
func (r *ruleReader) unit(name string) *Function {
	for _, f := range r.Functions {
		if f.Unit != nil && f.Unit.Name == name {
			return f
		}
	}
	return nil
}

// units makes variables of the units.
func (r *ruleReader) units() {
	for _, f := range r.Functions {
		if f.Unit != nil {
			r.declare(&sexpr.Form{Atom: f.Unit.Name, Span: f.Unit.Span}, "a variable")
			r.Vars = append(r.Vars, f.Unit)
		}
	}
}

// words reads the clauses of words and of texts for people.
func (r *ruleReader) words() {
	one := func(clause string, allowed ...string) string {
		c := r.clauses[clause]
		if c == nil {
			return ""
		}
		if len(c.List) != 2 || c.List[1].IsList || !slices.Contains(allowed, c.List[1].Atom) {
			words.Fail(c.Span, "bad-rule", "%s takes one of %s", clause, strings.Join(allowed, " "))
		}
		return c.List[1].Atom
	}
	r.Arith = one("arith", "auto", "real", "exact")
	r.Want = one("want", "proved", "refuted")
	for _, clause := range []string{"source", "doc"} {
		if c := r.clauses[clause]; c != nil && (len(c.List) != 2 || !c.List[1].Quoted) {
			words.Fail(c.Span, "bad-rule", "%s takes a text in quotes", clause)
		}
	}
}

// guards reads the texts of where: comparisons of sizes, and equations of a variable with an array.
func (r *ruleReader) guards() {
	for _, x := range r.operands("where") {
		at := text(x, "a condition")
		p := r.parser(at)
		if ahead := *p.Reader; r.names[ahead.Next().Text()] == "a variable" && ahead.Accept("==") {
			p.Reader = &ahead
			r.equation(at, p.expression())
			p.end("the end of the equation")
			continue
		}
		t := p.expression()
		p.end("the end of the condition")
		if !slices.Contains(operators[0], t.op) {
			words.Fail(at, "bad-rule", "a condition is a comparison of sizes, or an equation VARIABLE == ARRAY")
		}
		for _, side := range t.args {
			for _, n := range named(side) {
				r.natural(n)
			}
		}
		r.Where = append(r.Where, conditions(t, at)...)
	}
}

// end wants the end of a text.
func (r *parser) end(what string) {
	if !r.End() {
		r.Unexpected(what)
	}
}

// equation takes a variable, the first word of a text, for an array.
func (r *ruleReader) equation(at source.Span, is *tree) {
	e := &Equation{Name: words.SplitPart(at, wordPattern())[0].Text(), Span: at, is: is}
	i := slices.IndexFunc(r.Vars, func(p *Param) bool { return p.Name == e.Name })
	if i < 0 {
		words.Fail(at, "bad-rule", "a second equation says what %s is", e.Name)
	}
	for _, f := range r.Functions {
		if f.Unit == r.Vars[i] {
			words.Fail(at, "bad-rule", "%s is the unit of %s, and no equation says what it is", e.Name, f.Name)
		}
	}
	e.typ = r.Vars[i].Type
	r.Vars = slices.Delete(r.Vars, i, i+1)
	r.Equations = append(r.Equations, e)
}

// conditions are those that a comparison is; one whose divisor may be 0 has no value there.
func conditions(t *tree, at source.Span) (out []*domain.Assume) {
	add := func(p *domain.Pred) { out = append(out, &domain.Assume{Pred: p, Span: at}) }
	var divisors func(x *tree)
	divisors = func(x *tree) {
		for _, a := range x.args {
			divisors(a)
		}
		if x.op == "/" || x.op == "%" {
			add(domain.Le(domain.IntSize(1), size(x.args[1])))
		}
	}
	divisors(t)
	a, b := size(t.args[0]), size(t.args[1])
	zero := b.Equal(domain.IntSize(0))
	switch {
	case t.op == "==" && t.args[0].op == "%" && zero:
		add(domain.Divides(size(t.args[0].args[1]), size(t.args[0].args[0])))
	case t.op == "==":
		add(domain.Eq(a, b))
	case t.op == "<":
		add(domain.Lt(a, b))
	case t.op == "<=":
		add(domain.Le(a, b))
	case t.op == ">":
		add(domain.Lt(b, a))
	default:
		add(domain.Le(b, a))
	}
	return out
}

// sides reads both sides, and warns of what only the right one mentions.
func (r *ruleReader) sides() {
	for _, f := range r.Functions {
		f.tables = nil
		for _, c := range f.Result.result(nil, func(s domain.Size) domain.Size { return s }).Components() {
			f.tables = append(f.tables, c.Type)
		}
	}
	var mentioned [2]map[string]bool
	for i, clause := range []string{"lhs", "rhs"} {
		c := r.clauses[clause]
		if len(c.List) != 2 {
			words.Fail(c.Span, "bad-rule", "%s takes one expression", clause)
		}
		mentioned[i] = map[string]bool{}
		r.Sides[i] = r.side(text(c.List[1], "a side"), mentioned[i])
	}
	var only []string
	for _, p := range slices.Concat(r.Vars, r.Data) {
		if mentioned[1][p.Name] && !mentioned[0][p.Name] {
			only = append(only, p.Name)
		}
	}
	for _, f := range r.Functions {
		if mentioned[1][f.Name] && !mentioned[0][f.Name] {
			only = append(only, f.Name)
		}
	}
	if len(only) > 0 {
		r.Warnings = append(r.Warnings, r.clauses["rhs"].Errorf("right-only",
			"only the right side of %s mentions %s: no rewriter could apply the rule", r.Name, strings.Join(only, ", ")))
	}
}

// side reads a side as a program whose parameters are the variables.
func (r *ruleReader) side(at source.Span, mentioned map[string]bool) *Program {
	p := r.parser(at)
	x := p.expression()
	p.end("an operator or the end")
	out := &Program{Text: at.File, Parameters: r.Vars, rule: r.Rule}
	in := &inference{sizes: map[string]domain.Size{}, used: map[string]bool{}, functions: map[string]*Function{}, free: map[source.Span]*scope{},
		declared: r.natural}
	for _, f := range r.Functions {
		in.functions[f.Name] = f
	}
	for _, n := range p.sizes {
		r.natural(n)
	}
	var s *scope
	for _, q := range r.Vars {
		s = &scope{q, q.Type, s}
	}
	for _, e := range slices.Backward(r.Equations) {
		f := &tree{op: opFun, args: []*tree{x}, params: []*Param{{Name: e.Name, Type: e.typ, Span: e.Span, written: e.Span}}, span: x.span}
		x = &tree{op: opCall, args: []*tree{f, e.is}, span: x.span}
	}
	out.Body = in.infer(x, s, nil)
	in.finish(out.Body)
	out.uses, out.owed = in.uses, in.owed
	out.Body.Visit(func(c *Core) {
		switch c.Form {
		case Variable:
			mentioned[c.Param.Name] = true
		case Free:
			mentioned[c.Name] = true
		}
	})
	return out
}

// declarations are those of a rule: its variables, tables of its functions, and its natural numbers. The guard is
// assumed by the left side.
func (p *Program) declarations() (d domain.Declarations) {
	r := p.rule
	least := map[string]int64{}
	nats := &domain.Input{Name: sizesName, Elem: scalars["f32"].Elem, Span: r.Span}
	for _, n := range r.Nats {
		least[n.Name] = n.Least
		nats.Dims = append(nats.Dims, domain.Dim{Size: domain.NamedSize(n.Name), Min: n.Least})
	}
	add := func(name string, elem domain.Elem, span source.Span, dims []domain.Size) {
		in := &domain.Input{Name: name, Elem: elem, Span: span}
		for _, s := range dims {
			in.Dims = append(in.Dims, domain.Dim{Size: s, Min: least[s.Name()]})
		}
		d.Inputs = append(d.Inputs, in)
	}
	d.Inputs = append(d.Inputs, nats)
	for _, t := range p.given() {
		add(t.Name, t.Elem, t.span, t.Dims)
	}
	if p == r.Sides[0] {
		d.Assumes = r.Where
	}
	d.Sizes = p.uses
	return d
}

// A givenTensor is a tensor that a program is given, in sizes of the text.
type givenTensor struct {
	domain.Tensor
	span source.Span
}

// given are the parameters, and the tables of the functions of a rule.
func (p *Program) given() (out []givenTensor) {
	for _, q := range p.Parameters {
		elem, dims := tensor(q.Type)
		out = append(out, givenTensor{domain.Tensor{Name: q.Name, Elem: elem, Dims: dims}, q.Span})
	}
	if p.rule == nil {
		return out
	}
	for _, f := range p.rule.Functions {
		if f.Is != "" {
			continue
		}
		var axes []domain.Size
		for range f.Seen() {
			axes = append(axes, domain.IntSize(Values))
		}
		for i, t := range f.tables {
			name := f.Name
			if len(f.tables) > 1 {
				name += "." + string(rune('0'+i%10)) // a name apart from all others: those have no points
			}
			out = append(out, givenTensor{domain.Tensor{Name: name, Elem: t.Elem, Dims: append(slices.Clip(axes), t.Dims...)}, f.Span})
		}
	}
	return out
}

// Seen is how many numbers a table of the function looks at: one for each number of an argument, and one for an array.
func (f *Function) Seen() (n int) {
	var count func(t *Type)
	count = func(t *Type) {
		if t.Kind == Pair {
			count(t.A)
			count(t.B)
		} else {
			n++
		}
	}
	for _, a := range f.Args {
		count(a)
	}
	return n
}

// Rule is the rule that the program is a side of, nil where it is none.
func (p *Program) Rule() *Rule { return p.rule }

// Tables is the part that the first table of a function is.
func (p *Program) Tables(f *Function) int {
	n := len(p.Parameters)
	for _, g := range p.rule.Functions {
		switch {
		case g == f:
			return n
		case g.Is == "":
			n += len(g.tables)
		}
	}
	panic("syntax: a function of another rule")
}

// holds tells whether a type has parts of a kind.
func (t *Type) holds(k Kind) bool {
	return t.Kind == k || t.A != nil && t.A.holds(k) || t.B != nil && t.B.holds(k)
}
