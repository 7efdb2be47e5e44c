package rule

import (
	"math/big"
	"slices"
	"strings"

	"tv/glenside"
	"tv/internal/sexpr"
	"tv/internal/source"
	"tv/semantics/domain"
)

// Parse reads a file of rules of Glenside. Errors: source.Errors with the first problem of each rule.
func Parse(f *source.File) ([]*Rule, error) {
	rules, others, err := ParseAll(f)
	if err == nil && len(others) > 0 {
		err = source.Errors{others[0].Errorf("bad-rule", "the rule is not one of Glenside")}
	}
	return rules, err
}

// ParseAll reads a rule file. Rules that name another language are for others to read. Errors: source.Errors with the first
// problem of each rule of Glenside.
func ParseAll(f *source.File) (rules []*Rule, others []*sexpr.Form, err error) {
	top, bad := sexpr.Read(f)
	if bad != nil {
		return nil, nil, source.Errors{bad}
	}
	var errs source.Errors
	seen := map[string]bool{}
	for _, x := range top {
		r, err := &Rule{}, (*source.Error)(nil)
		foreign := Language(x) != nil
		if foreign {
			r.Name, err = ruleName(x)
		} else {
			r, err = parseRule(x)
		}
		if err == nil && seen[r.Name] {
			err = x.List[1].Errorf("duplicate-name", "a rule of the name %s is there already", r.Name)
		}
		switch {
		case err != nil:
			errs = append(errs, err)
			continue
		case foreign:
			others = append(others, x)
		default:
			rules = append(rules, r)
		}
		seen[r.Name] = true
	}
	if len(errs) > 0 {
		return rules, others, errs
	}
	if len(rules)+len(others) == 0 {
		return nil, nil, source.Errors{source.Errorf(source.Span{File: f}, "no-rule", "there is no rule in the file")}
	}
	return rules, others, nil
}

// Language is the clause of a rule that names its language, nil where there is none: then it is one of Glenside.
func Language(x *sexpr.Form) *sexpr.Form {
	if x.Head() == "rule" {
		for _, c := range x.List[1:] {
			if c.Head() == "lang" {
				return c
			}
		}
	}
	return nil
}

// ruleName is the name that a rule has.
func ruleName(x *sexpr.Form) (string, *source.Error) {
	if len(x.List) < 2 || x.List[1].IsList || x.List[1].Quoted || !isLetter(x.List[1].Atom[0]) {
		return "", x.Errorf("bad-rule", "a rule has a name that starts with a letter")
	}
	return x.List[1].Atom, nil
}

type parser struct {
	rule    *Rule
	clauses map[string]*sexpr.Form
	used    map[string]bool // names, by the sides and guards
}

var clauseNames = []string{"vars", "dims", "ints", "lists", "tokens", "where", "equal", "arith", "types", "lhs", "rhs",
	"source", "doc", "want", "use"}

func parseRule(x *sexpr.Form) (*Rule, *source.Error) {
	if x.Head() == "define" {
		return nil, definition(x)
	}
	if x.Head() != "rule" {
		return nil, x.Errorf("bad-rule", "a rule file holds (rule NAME CLAUSE ...)")
	}
	name, err := ruleName(x)
	if err != nil {
		return nil, err
	}
	p := &parser{rule: &Rule{Name: name, Span: x.Span, names: map[string]nameSort{}},
		clauses: map[string]*sexpr.Form{}, used: map[string]bool{}}
	for _, c := range x.List[2:] {
		h := c.Head()
		if h == "define" {
			return nil, definition(c)
		}
		if !slices.Contains(clauseNames, h) {
			return nil, c.Errorf("bad-rule", "a clause begins with one of %s", strings.Join(clauseNames, " "))
		}
		if p.clauses[h] != nil {
			return nil, c.Errorf("bad-rule", "a second clause %s", h)
		}
		p.clauses[h] = c
	}
	for _, must := range []string{"vars", "lhs", "rhs"} {
		if p.clauses[must] == nil {
			return nil, x.List[1].Errorf("bad-rule", "rule %s has no clause %s", p.rule.Name, must)
		}
	}
	if err := p.declarations(); err != nil {
		return nil, err
	}
	if err := p.words(); err != nil {
		return nil, err
	}
	if err := p.sides(); err != nil {
		return nil, err
	}
	return p.rule, nil
}

// definition says that x, a definition as programs have them, has no place in a rule.
func definition(x *sexpr.Form) *source.Error {
	return x.Errorf("bad-rule", "rules have no definitions: each side writes out what it uses")
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// isName tells whether s is "?" and a name, with a star at the end for groups and lists.
func isName(s string, star bool) bool {
	s, ok := strings.CutPrefix(s, "?")
	if t, starred := strings.CutSuffix(s, "*"); starred != star {
		return false
	} else {
		s = t
	}
	if !ok || s == "" || !isLetter(s[0]) {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && !('0' <= c && c <= '9') && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

func (p *parser) declare(x *sexpr.Form, sort nameSort) *source.Error {
	star := sort == groupName || sort == listName
	if x.IsList || !isName(x.Atom, star) {
		form := "?name"
		if star {
			form = "?name*"
		}
		return x.Errorf("bad-rule", "the name of %s has the form %s", nameSorts[sort], form)
	}
	if p.rule.names[x.Atom] != unbound {
		return x.Errorf("duplicate-name", "%s is declared already, as %s", x.Atom, nameSorts[p.rule.names[x.Atom]])
	}
	p.rule.names[x.Atom] = sort
	return nil
}

// operandsOf returns the elements of a clause after its name.
func (p *parser) operandsOf(clause string) []*sexpr.Form {
	if c := p.clauses[clause]; c != nil {
		return c.List[1:]
	}
	return nil
}

// declarations reads vars, dims, ints, lists and tokens. Names that the shapes of vars mention and no clause declares
// are sizes and groups.
func (p *parser) declarations() *source.Error {
	r := p.rule
	for _, x := range p.operandsOf("ints") {
		if err := p.declare(x, intName); err != nil {
			return err
		}
		r.Ints = append(r.Ints, x.Atom)
	}
	for _, x := range p.operandsOf("lists") {
		if err := p.declare(x, listName); err != nil {
			return err
		}
		r.Lists = append(r.Lists, x.Atom)
	}
	for _, x := range p.operandsOf("dims") {
		sort := sizeName
		if strings.HasSuffix(x.Atom, "*") {
			sort = groupName
		}
		if err := p.declare(x, sort); err != nil {
			return err
		}
		r.Dims = append(r.Dims, x.Atom)
	}
	for _, x := range p.operandsOf("tokens") {
		if !x.IsList || len(x.List) < 2 {
			return x.Errorf("bad-rule", "a word variable is (?name WORD WORD ...)")
		}
		if err := p.declare(x.List[0], tokenName); err != nil {
			return err
		}
		t := &TokenVar{Name: x.List[0].Atom}
		for _, w := range x.List[1:] {
			if w.IsList {
				return w.Errorf("bad-rule", "a word variable stands for words")
			}
			t.Tokens = append(t.Tokens, w.Atom)
		}
		r.Tokens = append(r.Tokens, t)
	}
	shapes := p.operandsOf("vars")
	for _, x := range shapes { // the names of the tensors first: a shape may not mention one
		if !x.IsList || len(x.List) < 2 || len(x.List) > 3 {
			return x.Errorf("bad-rule", "a variable is (?name ((DIM ...) (DIM ...))) or (?name ((DIM ...) (DIM ...)) TYPE)")
		}
		if err := p.declare(x.List[0], tensorName); err != nil {
			return err
		}
	}
	for _, x := range shapes {
		for _, name := range namesIn(x.List[1]) {
			if r.names[name.Atom] != unbound {
				continue
			}
			sort := sizeName
			if strings.HasSuffix(name.Atom, "*") {
				sort = groupName
			}
			if err := p.declare(name, sort); err != nil {
				return err
			}
		}
	}
	for _, x := range shapes {
		v := &Var{Name: x.List[0].Atom, Span: x.Span}
		s := x.List[1]
		if !s.IsList || len(s.List) != 2 || !s.List[0].IsList || !s.List[1].IsList {
			return s.Errorf("bad-rule", "a shape is ((DIM ...) (DIM ...)): access dims, compute dims")
		}
		var err *source.Error
		if v.Access, err = p.dims(s.List[0].List); err != nil {
			return err
		}
		if v.Compute, err = p.dims(s.List[1].List); err != nil {
			return err
		}
		if len(x.List) == 3 {
			t, ok := domain.ParseElem(x.List[2].Atom)
			if x.List[2].IsList || !ok {
				return x.List[2].Errorf("unknown-type", "%s is not an element type", x.List[2].Span.Text())
			}
			v.Elem = &t
		}
		r.Vars = append(r.Vars, v)
	}
	p.used = map[string]bool{} // what shapes mention is bound, not used
	return nil
}

// namesIn lists the atoms of x that begin with "?".
func namesIn(x *sexpr.Form) []*sexpr.Form {
	if !x.IsList {
		if strings.HasPrefix(x.Atom, "?") && !x.Quoted {
			return []*sexpr.Form{x}
		}
		return nil
	}
	var out []*sexpr.Form
	for _, y := range x.List {
		out = append(out, namesIn(y)...)
	}
	return out
}

// words reads the clauses that hold words and texts.
func (p *parser) words() *source.Error {
	r := p.rule
	one := func(clause string, words ...string) (string, *source.Error) {
		c := p.clauses[clause]
		if c == nil {
			return "", nil
		}
		if len(c.List) != 2 || c.List[1].IsList || words != nil && !slices.Contains(words, c.List[1].Atom) {
			return "", c.Errorf("bad-rule", "%s takes one of %s", clause, strings.Join(words, " "))
		}
		return c.List[1].Atom, nil
	}
	text := func(clause string) (string, *source.Error) {
		c := p.clauses[clause]
		if c != nil && (len(c.List) != 2 || !c.List[1].Quoted) {
			return "", c.Errorf("bad-rule", `%s takes a text in quotes`, clause)
		}
		if c == nil {
			return "", nil
		}
		return c.List[1].Atom, nil
	}
	var err *source.Error
	if r.Equal, err = one("equal", "access", "tensor"); err != nil {
		return err
	}
	if r.Arith, err = one("arith", "real", "exact", "auto"); err != nil {
		return err
	}
	if err = p.want(); err != nil {
		return err
	}
	if err = p.allowances(); err != nil {
		return err
	}
	if r.Source, err = text("source"); err != nil {
		return err
	}
	if r.Doc, err = text("doc"); err != nil {
		return err
	}
	if c := p.clauses["types"]; c != nil {
		if len(c.List) < 2 {
			return c.Errorf("bad-rule", "types takes at least one element type")
		}
		for _, x := range c.List[1:] {
			t, ok := domain.ParseElem(x.Atom)
			if x.IsList || !ok {
				return x.Errorf("unknown-type", "%s is not an element type", x.Span.Text())
			}
			r.Types = append(r.Types, t)
		}
	}
	return nil
}

// allowances reads "(use pad)" and the like.
func (p *parser) allowances() *source.Error {
	c := p.clauses["use"]
	if c == nil {
		return nil
	}
	for _, x := range c.List[1:] {
		p.rule.Use = append(p.rule.Use, x.Atom)
		if x.IsList || x.Quoted || !slices.Contains(Uses, x.Atom) {
			return x.Errorf("bad-rule", "use takes some of %s", strings.Join(Uses, " "))
		}
	}
	if n := len(p.rule.Use); n == 0 || !slices.IsSorted(p.rule.Use) || len(slices.Compact(slices.Clone(p.rule.Use))) < n {
		return c.Errorf("bad-rule", "use takes some of %s, in this order", strings.Join(Uses, " "))
	}
	return nil
}

// want reads "(want proved)", "(want refuted)" or "(want refuted (well-formed proved))".
func (p *parser) want() *source.Error {
	c := p.clauses["want"]
	if c == nil {
		return nil
	}
	last := len(c.List) - 1
	if x := c.List[last]; last == 2 && x.Head() == "well-formed" && len(x.List) == 2 && c.List[1].Atom == "refuted" &&
		slices.Contains([]string{"proved", "refuted", "unknown"}, x.List[1].Atom) {
		p.rule.Want, p.rule.WantWhereBoth = c.List[1].Atom, x.List[1].Atom
		return nil
	}
	if last > 1 {
		return c.Errorf("bad-rule", "beside refuted, want takes (well-formed V), with V one of proved refuted unknown")
	}
	if last != 1 || c.List[1].IsList || !slices.Contains([]string{"proved", "refuted"}, c.List[1].Atom) {
		return c.Errorf("bad-rule", "want takes one of proved refuted")
	}
	p.rule.Want = c.List[1].Atom
	return nil
}

// sides reads the guard and the two sides, and warns of what only the right side mentions.
func (p *parser) sides() *source.Error {
	r := p.rule
	for _, x := range p.operandsOf("where") {
		g, err := p.guard(x)
		if err != nil {
			return err
		}
		r.Where = append(r.Where, g)
	}
	side := func(clause string) (*Expr, *source.Error) {
		c := p.clauses[clause]
		if len(c.List) != 2 {
			return nil, c.Errorf("bad-rule", "%s takes one expression", clause)
		}
		return p.tensor(c.List[1])
	}
	var err *source.Error
	p.used = map[string]bool{}
	if r.LHS, err = side("lhs"); err != nil {
		return err
	}
	left := p.used
	for _, v := range r.Vars { // a variable binds what its shape mentions
		if left[v.Name] {
			for _, d := range append(slices.Clone(v.Access), v.Compute...) {
				markNames(left, d)
			}
		}
	}
	p.used = map[string]bool{}
	if r.RHS, err = side("rhs"); err != nil {
		return err
	}
	var only []string
	for name := range p.used {
		if !left[name] {
			only = append(only, name)
		}
	}
	slices.Sort(only)
	if len(only) > 0 {
		r.Warnings = append(r.Warnings, p.clauses["rhs"].Errorf("right-only",
			"only the right side of %s mentions %s: no rewriter could apply the rule",
			r.Name, strings.Join(only, ", ")))
	}
	return nil
}

func markNames(set map[string]bool, e *Expr) {
	switch e.Kind {
	case IntName, ListName, Group, Tensor, TokenName:
		set[e.Text] = true
	}
	for _, a := range e.Args {
		markNames(set, a)
	}
}

// use returns the sort of a name that is mentioned.
func (p *parser) use(x *sexpr.Form) (nameSort, *source.Error) {
	s := p.rule.names[x.Atom]
	if s == unbound {
		return s, x.Errorf("unbound-name", "%s is not declared", x.Atom)
	}
	p.used[x.Atom] = true
	return s, nil
}

func isVariable(x *sexpr.Form) bool { return !x.IsList && !x.Quoted && strings.HasPrefix(x.Atom, "?") }

func (p *parser) wrong(x *sexpr.Form, want string) *source.Error {
	got := x.Span.Text()
	if len(got) > 60 {
		got = got[:60] + "..."
	}
	if isVariable(x) {
		if s := p.rule.names[x.Atom]; s != unbound {
			got = x.Atom + ", which is " + nameSorts[s]
		}
	}
	return x.Errorf("wrong-operand", "%s is wanted here, not %s", want, got)
}

// dims reads the entries of a shape.
func (p *parser) dims(list []*sexpr.Form) ([]*Expr, *source.Error) {
	var out []*Expr
	for _, x := range list {
		if isVariable(x) && strings.HasSuffix(x.Atom, "*") {
			s, err := p.use(x)
			if err != nil {
				return nil, err
			}
			if s != groupName {
				return nil, p.wrong(x, "a group or an integer")
			}
			out = append(out, &Expr{Kind: Group, Text: x.Atom, Span: x.Span})
			continue
		}
		d, err := p.int(x)
		if err != nil {
			return nil, err
		}
		if d.Kind == Int && d.Value.Sign() < 0 {
			return nil, x.Errorf("negative-number", "a dim must not be negative: %s", d.Value)
		}
		out = append(out, d)
	}
	return out, nil
}

// intArity is the least and the greatest number of operands of an integer operation; -1 is any number.
var intArity = map[string][2]int{"+": {2, -1}, "*": {2, -1}, "min": {2, -1}, "max": {2, -1}, "-": {1, -1}, "div": {2, 2},
	"mod": {2, 2}, "rank": {1, 1}, "size": {1, 1}, "dim": {2, 2}, "at": {2, 2}}

// arity checks the number of operands of x.
func arity(x *sexpr.Form, of [2]int) *source.Error {
	if n := len(x.List) - 1; n < of[0] || of[1] >= 0 && n > of[1] {
		return x.Errorf("wrong-arity", "%s has the wrong number of operands: %d", x.Head(), n)
	}
	return nil
}

// maxDigits bounds the length of a number.
const maxDigits = 100

func (p *parser) int(x *sexpr.Form) (*Expr, *source.Error) {
	e := &Expr{Span: x.Span}
	switch {
	case x.Quoted:
		return nil, p.wrong(x, "an integer")
	case isVariable(x):
		s, err := p.use(x)
		if err != nil {
			return nil, err
		}
		if s != sizeName && s != intName {
			return nil, p.wrong(x, "an integer")
		}
		e.Kind, e.Text = IntName, x.Atom
		return e, nil
	case !x.IsList:
		n, ok := new(big.Int).SetString(x.Atom, 10)
		if !ok || len(x.Atom) > maxDigits {
			return nil, p.wrong(x, "an integer")
		}
		e.Kind, e.Value = Int, n
		return e, nil
	}
	of, ok := intArity[x.Head()]
	if !ok {
		return nil, p.wrong(x, "an integer")
	}
	if err := arity(x, of); err != nil {
		return nil, err
	}
	e.Kind, e.Text = IntOp, x.Head()
	for i, y := range x.List[1:] {
		var a *Expr
		var err *source.Error
		switch {
		case (e.Text == "rank" || e.Text == "size") && isVariable(y) && strings.HasSuffix(y.Atom, "*"):
			var s nameSort
			if s, err = p.use(y); err != nil {
				return nil, err
			}
			a = &Expr{Kind: Group, Text: y.Atom, Span: y.Span}
			if s == listName {
				if e.Text == "size" {
					return nil, p.wrong(y, "a group or a tensor")
				}
				a.Kind = ListName
			}
		case e.Text == "rank" || e.Text == "size" || e.Text == "dim" && i == 0:
			a, err = p.tensor(y)
		case e.Text == "at" && i == 0:
			a, err = p.listOf(y)
		default:
			a, err = p.int(y)
		}
		if err != nil {
			return nil, err
		}
		e.Args = append(e.Args, a)
	}
	return e, nil
}

var listArity = map[string][2]int{"list": {0, -1}, "iota": {1, 1}, "range": {2, 2}, "append": {0, -1}, "compose": {2, 2},
	"inverse": {1, 1}}

func (p *parser) listOf(x *sexpr.Form) (*Expr, *source.Error) {
	if isVariable(x) {
		s, err := p.use(x)
		if err != nil {
			return nil, err
		}
		if s != listName {
			return nil, p.wrong(x, "a list")
		}
		return &Expr{Kind: ListName, Text: x.Atom, Span: x.Span}, nil
	}
	of, ok := listArity[x.Head()]
	if !ok {
		return nil, p.wrong(x, "a list")
	}
	if err := arity(x, of); err != nil {
		return nil, err
	}
	e := &Expr{Kind: ListOp, Text: x.Head(), Span: x.Span}
	for _, y := range x.List[1:] {
		read := p.listOf
		switch e.Text {
		case "list", "iota", "range":
			read = p.int
		}
		a, err := read(y)
		if err != nil {
			return nil, err
		}
		e.Args = append(e.Args, a)
	}
	return e, nil
}

func (p *parser) shape(x *sexpr.Form) (*Expr, *source.Error) {
	e := &Expr{Kind: ShapeOp, Text: x.Head(), Span: x.Span}
	switch {
	case e.Text == "shape" || !x.IsList && x.Atom == "shape" && !x.Quoted:
		e.Kind, e.Text = Shape, ""
		if !x.IsList {
			return e, nil
		}
		var err *source.Error
		e.Args, err = p.dims(x.List[1:])
		return e, err
	case e.Text == "shape-of":
		if err := arity(x, [2]int{1, 1}); err != nil {
			return nil, err
		}
		a, err := p.expr(x.List[1])
		e.Args = []*Expr{a}
		return e, err
	case e.Text == "slice-shape" || e.Text == "shape-insert-axis" || e.Text == "shape-remove-axis":
		if err := arity(x, [2]int{2, 2}); err != nil {
			return nil, err
		}
		a, err := p.shape(x.List[1])
		if err != nil {
			return nil, err
		}
		n, err := p.int(x.List[2])
		e.Args = []*Expr{a, n}
		return e, err
	}
	return nil, p.wrong(x, "a shape")
}

func (p *parser) accessShape(x *sexpr.Form) (*Expr, *source.Error) {
	e := &Expr{Span: x.Span}
	switch x.Head() {
	case "access-shape":
		if err := arity(x, [2]int{2, 2}); err != nil {
			return nil, err
		}
		e.Kind = Access
		for _, y := range x.List[1:] {
			a, err := p.shape(y)
			if err != nil {
				return nil, err
			}
			e.Args = append(e.Args, a)
		}
		return e, nil
	case "get-access-shape":
		if err := arity(x, [2]int{1, 1}); err != nil {
			return nil, err
		}
		e.Kind = AccessOf
		a, err := p.expr(x.List[1])
		e.Args = []*Expr{a}
		return e, err
	}
	e.Kind = AccessOf
	a, err := p.expr(x)
	e.Args = []*Expr{a}
	return e, err
}

// expr reads a variable or a call of an operator.
func (p *parser) expr(x *sexpr.Form) (*Expr, *source.Error) {
	e := &Expr{Span: x.Span}
	if isVariable(x) {
		s, err := p.use(x)
		if err != nil {
			return nil, err
		}
		if s != tensorName {
			return nil, p.wrong(x, "a tensor")
		}
		e.Kind, e.Text = Tensor, x.Atom
		return e, nil
	}
	if !x.IsList {
		return nil, p.wrong(x, "an expression")
	}
	if len(x.List) == 0 {
		return nil, x.Errorf("empty-list", "a list is not empty")
	}
	if x.List[0].IsList {
		return nil, x.List[0].Errorf("head-is-list", "a list begins with a word, not with a list")
	}
	args := x.List[1:]
	category := glenside.CallCategory(x.Head())
	name := x.List[0]
	if category != glenside.CatCore {
		if len(args) == 0 {
			return nil, x.Errorf("wrong-arity", "%s takes the name of an operator first", x.Head())
		}
		name, args = args[0], args[1:]
	}
	if category != glenside.CatCore && isVariable(name) {
		return p.callOfVariable(e, name, category, args)
	}
	op := glenside.LookupSpelling(category, name.Atom)
	if name.IsList || name.Quoted || op == nil {
		if name.Atom == "define" {
			return nil, definition(x)
		}
		return nil, name.Errorf("unknown-operator", "there is no operator %s", name.Span.Text())
	}
	e.Kind, e.Op = Call, op
	var err *source.Error
	e.Args, err = p.operands(x, op, args)
	return e, err
}

// callOfVariable reads a call whose operator is one of several words, all of the same signature.
func (p *parser) callOfVariable(e *Expr, name *sexpr.Form, category glenside.Category, args []*sexpr.Form) (*Expr, *source.Error) {
	s, err := p.use(name)
	if err != nil {
		return nil, err
	}
	if s != tokenName {
		return nil, p.wrong(name, "the name of an operator")
	}
	for _, w := range p.wordsOf(name.Atom) {
		op := glenside.LookupSpelling(category, w)
		if op == nil {
			return nil, name.Errorf("unknown-operator", "%s stands for %s, which is no operator here", name.Atom, w)
		}
		if e.Args, err = p.operands(&sexpr.Form{Span: e.Span}, op, args); err != nil {
			return nil, err
		}
	}
	e.Kind, e.Text, e.category = Call, name.Atom, category
	return e, nil
}

// wordsOf returns what a word variable may be.
func (p *parser) wordsOf(name string) []string {
	for _, t := range p.rule.Tokens {
		if t.Name == name {
			return t.Tokens
		}
	}
	return nil
}

// fits tells whether a word may stand for an operand.
func fits(o *glenside.Operand, w string) bool {
	if o.Words == nil {
		_, isType := domain.ParseElem(w)
		return isType
	}
	return slices.Contains(o.Words, w)
}

// wanted says which words may.
func wanted(o *glenside.Operand) string {
	if o.Words == nil {
		return "an element type"
	}
	return "one of the words " + strings.Join(o.Words, " ")
}

func (p *parser) operands(x *sexpr.Form, op *glenside.Op, args []*sexpr.Form) ([]*Expr, *source.Error) {
	if !op.Accepts(len(args)) {
		return nil, x.Errorf("wrong-arity", "%s takes %s, got %d", op.Name, op.Arity(), len(args))
	}
	var out []*Expr
	for i, y := range args {
		o := op.OperandAt(i, len(args))
		if o.Optional { // (shape 0), which says nothing
			if y.Head() != "shape" || len(y.List) != 2 || y.List[1].Atom != "0" {
				return nil, p.wrong(y, "(shape 0), or left out")
			}
			continue
		}
		a, err := p.operand(o, y)
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}

func (p *parser) operand(o *glenside.Operand, x *sexpr.Form) (*Expr, *source.Error) {
	switch o.Sort {
	case glenside.SortInt:
		return p.int(x)
	case glenside.SortShape:
		return p.shape(x)
	case glenside.SortAccessShape:
		return p.accessShape(x)
	case glenside.SortList:
		return p.listOf(x)
	case glenside.SortSections:
		if e, err := p.listOf(x); err == nil {
			return e, nil
		}
		return p.int(x)
	case glenside.SortFloat:
		if x.Head() == "literal" && len(x.List) == 2 {
			x = x.List[1]
		}
		if _, ok := new(big.Rat).SetString(x.Atom); x.IsList || x.Quoted || !ok && x.Atom != "inf" && x.Atom != "-inf" {
			return nil, p.wrong(x, "a number")
		}
		return &Expr{Kind: Number, Text: x.Atom, Span: x.Span}, nil
	case glenside.SortToken:
		if isVariable(x) {
			s, err := p.use(x)
			if err != nil {
				return nil, err
			}
			if s != tokenName {
				return nil, p.wrong(x, "a word")
			}
			for _, w := range p.wordsOf(x.Atom) {
				if !fits(o, w) {
					return nil, x.Errorf("wrong-operand", "%s may be %s, which is not %s", x.Atom, w, wanted(o))
				}
			}
			return &Expr{Kind: TokenName, Text: x.Atom, Span: x.Span}, nil
		}
		if x.IsList || !fits(o, x.Atom) {
			return nil, p.wrong(x, wanted(o))
		}
		return &Expr{Kind: Token, Text: x.Atom, Span: x.Span}, nil
	case glenside.SortAny:
		if e, err := p.expr(x); err == nil {
			return e, nil
		} else if e, other := p.int(x); other == nil {
			return e, nil
		} else {
			return nil, err
		}
	}
	if o.Sort == glenside.SortLiteral {
		return p.expr(x)
	}
	return p.tensor(x)
}

// noTensors are the operators whose values are numbers, lists and shapes.
var noTensors = map[string]bool{
	"literal": true, "shape": true, "list": true, "access-shape": true, "get-access-shape": true, "shape-of": true,
	"slice-shape": true, "shape-insert-axis": true, "shape-remove-axis": true,
}

// tensor reads an expression that has elements.
func (p *parser) tensor(x *sexpr.Form) (*Expr, *source.Error) {
	e, err := p.expr(x)
	if err == nil && e.Op != nil && noTensors[e.Op.Name] {
		return nil, p.wrong(x, "a tensor")
	}
	return e, err
}

// guard reads a condition.
func (p *parser) guard(x *sexpr.Form) (*Guard, *source.Error) {
	g := &Guard{Op: x.Head(), Span: x.Span}
	var err *source.Error
	switch g.Op {
	case "=", "<", "<=", "divides":
		if err = arity(x, [2]int{2, 2}); err != nil {
			return nil, err
		}
		read := p.int
		if g.Op == "=" && p.isListExpr(x.List[1]) {
			read = p.listOf
		}
		if g.A, err = read(x.List[1]); err != nil {
			return nil, err
		}
		g.B, err = read(x.List[2])
		return g, err
	case "permutation":
		if err = arity(x, [2]int{2, 2}); err != nil {
			return nil, err
		}
		if g.A, err = p.listOf(x.List[1]); err != nil {
			return nil, err
		}
		g.B, err = p.int(x.List[2])
		return g, err
	case "not", "and", "or":
		if g.Op == "not" {
			if err = arity(x, [2]int{1, 1}); err != nil {
				return nil, err
			}
		}
		for _, y := range x.List[1:] {
			a, err := p.guard(y)
			if err != nil {
				return nil, err
			}
			g.Args = append(g.Args, a)
		}
		return g, nil
	}
	return nil, x.Errorf("bad-condition", "a condition is one of = < <= divides permutation not and or")
}

func (p *parser) isListExpr(x *sexpr.Form) bool {
	if isVariable(x) {
		return p.rule.names[x.Atom] == listName
	}
	_, ok := listArity[x.Head()]
	return ok
}
