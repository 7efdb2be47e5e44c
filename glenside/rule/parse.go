package rule

import (
	"math/big"
	"slices"
	"strings"

	"tv/glenside"
	"tv/internal/source"
	"tv/semantics/domain"
)

// Parse reads a rule file. Errors: source.Errors with the first problem of each rule.
func Parse(f *source.File) ([]*Rule, error) {
	top, err := readAll(f)
	if err != nil {
		return nil, source.Errors{err}
	}
	var rules []*Rule
	var errs source.Errors
	seen := map[string]bool{}
	for _, x := range top {
		r, err := parseRule(x)
		if err == nil && seen[r.Name] {
			err = x.list[1].errorf("duplicate-name", "a rule of the name %s is there already", r.Name)
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		seen[r.Name] = true
		rules = append(rules, r)
	}
	if len(errs) > 0 {
		return nil, errs
	}
	if len(rules) == 0 {
		return nil, source.Errors{source.Errorf(source.Span{File: f}, "no-rule", "there is no rule in the file")}
	}
	return rules, nil
}

type parser struct {
	rule    *Rule
	clauses map[string]*sexpr
	used    map[string]bool // names, by the sides and guards
}

var clauseNames = []string{"vars", "dims", "ints", "lists", "tokens", "where", "equal", "arith", "types", "lhs", "rhs",
	"source", "doc", "want"}

func parseRule(x *sexpr) (*Rule, *source.Error) {
	if x.head() == "define" {
		return nil, x.definition()
	}
	if x.head() != "rule" {
		return nil, x.errorf("bad-rule", "a rule file holds (rule NAME CLAUSE ...)")
	}
	if len(x.list) < 2 || x.list[1].isList || x.list[1].quoted || !isLetter(x.list[1].atom[0]) {
		return nil, x.errorf("bad-rule", "a rule has a name that starts with a letter")
	}
	p := &parser{rule: &Rule{Name: x.list[1].atom, Span: x.span, names: map[string]nameSort{}},
		clauses: map[string]*sexpr{}, used: map[string]bool{}}
	for _, c := range x.list[2:] {
		h := c.head()
		if h == "define" {
			return nil, c.definition()
		}
		if !slices.Contains(clauseNames, h) {
			return nil, c.errorf("bad-rule", "a clause begins with one of %s", strings.Join(clauseNames, " "))
		}
		if p.clauses[h] != nil {
			return nil, c.errorf("bad-rule", "a second clause %s", h)
		}
		p.clauses[h] = c
	}
	for _, must := range []string{"vars", "lhs", "rhs"} {
		if p.clauses[must] == nil {
			return nil, x.list[1].errorf("bad-rule", "rule %s has no clause %s", p.rule.Name, must)
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
func (x *sexpr) definition() *source.Error {
	return x.errorf("bad-rule", "rules have no definitions: each side writes out what it uses")
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

func (p *parser) declare(x *sexpr, sort nameSort) *source.Error {
	star := sort == groupName || sort == listName
	if x.isList || !isName(x.atom, star) {
		form := "?name"
		if star {
			form = "?name*"
		}
		return x.errorf("bad-rule", "the name of %s has the form %s", nameSorts[sort], form)
	}
	if p.rule.names[x.atom] != unbound {
		return x.errorf("duplicate-name", "%s is declared already, as %s", x.atom, nameSorts[p.rule.names[x.atom]])
	}
	p.rule.names[x.atom] = sort
	return nil
}

// operandsOf returns the elements of a clause after its name.
func (p *parser) operandsOf(clause string) []*sexpr {
	if c := p.clauses[clause]; c != nil {
		return c.list[1:]
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
		r.Ints = append(r.Ints, x.atom)
	}
	for _, x := range p.operandsOf("lists") {
		if err := p.declare(x, listName); err != nil {
			return err
		}
		r.Lists = append(r.Lists, x.atom)
	}
	for _, x := range p.operandsOf("dims") {
		sort := sizeName
		if strings.HasSuffix(x.atom, "*") {
			sort = groupName
		}
		if err := p.declare(x, sort); err != nil {
			return err
		}
		r.Dims = append(r.Dims, x.atom)
	}
	for _, x := range p.operandsOf("tokens") {
		if !x.isList || len(x.list) < 2 {
			return x.errorf("bad-rule", "a word variable is (?name WORD WORD ...)")
		}
		if err := p.declare(x.list[0], tokenName); err != nil {
			return err
		}
		t := &TokenVar{Name: x.list[0].atom}
		for _, w := range x.list[1:] {
			if w.isList {
				return w.errorf("bad-rule", "a word variable stands for words")
			}
			t.Tokens = append(t.Tokens, w.atom)
		}
		r.Tokens = append(r.Tokens, t)
	}
	shapes := p.operandsOf("vars")
	for _, x := range shapes { // the names of the tensors first: a shape may not mention one
		if !x.isList || len(x.list) < 2 || len(x.list) > 3 {
			return x.errorf("bad-rule", "a variable is (?name ((DIM ...) (DIM ...))) or (?name ((DIM ...) (DIM ...)) TYPE)")
		}
		if err := p.declare(x.list[0], tensorName); err != nil {
			return err
		}
	}
	for _, x := range shapes {
		for _, name := range namesIn(x.list[1]) {
			if r.names[name.atom] != unbound {
				continue
			}
			sort := sizeName
			if strings.HasSuffix(name.atom, "*") {
				sort = groupName
			}
			if err := p.declare(name, sort); err != nil {
				return err
			}
		}
	}
	for _, x := range shapes {
		v := &Var{Name: x.list[0].atom, Span: x.span}
		s := x.list[1]
		if !s.isList || len(s.list) != 2 || !s.list[0].isList || !s.list[1].isList {
			return s.errorf("bad-rule", "a shape is ((DIM ...) (DIM ...)): access dims, compute dims")
		}
		var err *source.Error
		if v.Access, err = p.dims(s.list[0].list); err != nil {
			return err
		}
		if v.Compute, err = p.dims(s.list[1].list); err != nil {
			return err
		}
		if len(x.list) == 3 {
			t, ok := domain.ParseElem(x.list[2].atom)
			if x.list[2].isList || !ok {
				return x.list[2].errorf("unknown-type", "%s is not an element type", x.list[2].span.Text())
			}
			v.Elem = &t
		}
		r.Vars = append(r.Vars, v)
	}
	p.used = map[string]bool{} // what shapes mention is bound, not used
	return nil
}

// namesIn lists the atoms of x that begin with "?".
func namesIn(x *sexpr) []*sexpr {
	if !x.isList {
		if strings.HasPrefix(x.atom, "?") && !x.quoted {
			return []*sexpr{x}
		}
		return nil
	}
	var out []*sexpr
	for _, y := range x.list {
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
		if len(c.list) != 2 || c.list[1].isList || words != nil && !slices.Contains(words, c.list[1].atom) {
			return "", c.errorf("bad-rule", "%s takes one of %s", clause, strings.Join(words, " "))
		}
		return c.list[1].atom, nil
	}
	text := func(clause string) (string, *source.Error) {
		c := p.clauses[clause]
		if c != nil && (len(c.list) != 2 || !c.list[1].quoted) {
			return "", c.errorf("bad-rule", `%s takes a text in quotes`, clause)
		}
		if c == nil {
			return "", nil
		}
		return c.list[1].atom, nil
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
	if r.Source, err = text("source"); err != nil {
		return err
	}
	if r.Doc, err = text("doc"); err != nil {
		return err
	}
	if c := p.clauses["types"]; c != nil {
		if len(c.list) < 2 {
			return c.errorf("bad-rule", "types takes at least one element type")
		}
		for _, x := range c.list[1:] {
			t, ok := domain.ParseElem(x.atom)
			if x.isList || !ok {
				return x.errorf("unknown-type", "%s is not an element type", x.span.Text())
			}
			r.Types = append(r.Types, t)
		}
	}
	return nil
}

// want reads "(want proved)", "(want refuted)" or "(want refuted (well-formed proved))".
func (p *parser) want() *source.Error {
	c := p.clauses["want"]
	if c == nil {
		return nil
	}
	last := len(c.list) - 1
	if x := c.list[last]; last == 2 && x.head() == "well-formed" && len(x.list) == 2 && c.list[1].atom == "refuted" &&
		slices.Contains([]string{"proved", "refuted", "unknown"}, x.list[1].atom) {
		p.rule.Want, p.rule.WantWhereBoth = c.list[1].atom, x.list[1].atom
		return nil
	}
	if last > 1 {
		return c.errorf("bad-rule", "beside refuted, want takes (well-formed V), with V one of proved refuted unknown")
	}
	if last != 1 || c.list[1].isList || !slices.Contains([]string{"proved", "refuted"}, c.list[1].atom) {
		return c.errorf("bad-rule", "want takes one of proved refuted")
	}
	p.rule.Want = c.list[1].atom
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
		if len(c.list) != 2 {
			return nil, c.errorf("bad-rule", "%s takes one expression", clause)
		}
		return p.tensor(c.list[1])
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
		r.Warnings = append(r.Warnings, p.clauses["rhs"].errorf("right-only",
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
func (p *parser) use(x *sexpr) (nameSort, *source.Error) {
	s := p.rule.names[x.atom]
	if s == unbound {
		return s, x.errorf("unbound-name", "%s is not declared", x.atom)
	}
	p.used[x.atom] = true
	return s, nil
}

func isVariable(x *sexpr) bool { return !x.isList && !x.quoted && strings.HasPrefix(x.atom, "?") }

func (p *parser) wrong(x *sexpr, want string) *source.Error {
	got := x.span.Text()
	if len(got) > 60 {
		got = got[:60] + "..."
	}
	if isVariable(x) {
		if s := p.rule.names[x.atom]; s != unbound {
			got = x.atom + ", which is " + nameSorts[s]
		}
	}
	return x.errorf("wrong-operand", "%s is wanted here, not %s", want, got)
}

// dims reads the entries of a shape.
func (p *parser) dims(list []*sexpr) ([]*Expr, *source.Error) {
	var out []*Expr
	for _, x := range list {
		if isVariable(x) && strings.HasSuffix(x.atom, "*") {
			s, err := p.use(x)
			if err != nil {
				return nil, err
			}
			if s != groupName {
				return nil, p.wrong(x, "a group or an integer")
			}
			out = append(out, &Expr{Kind: Group, Text: x.atom, Span: x.span})
			continue
		}
		d, err := p.int(x)
		if err != nil {
			return nil, err
		}
		if d.Kind == Int && d.Value.Sign() < 0 {
			return nil, x.errorf("negative-number", "a dim must not be negative: %s", d.Value)
		}
		out = append(out, d)
	}
	return out, nil
}

// intArity is the least and the greatest number of operands of an integer operation; -1 is any number.
var intArity = map[string][2]int{"+": {2, -1}, "*": {2, -1}, "min": {2, -1}, "max": {2, -1}, "-": {1, -1}, "div": {2, 2},
	"mod": {2, 2}, "rank": {1, 1}, "size": {1, 1}, "dim": {2, 2}, "at": {2, 2}}

// arity checks the number of operands of x.
func arity(x *sexpr, of [2]int) *source.Error {
	if n := len(x.list) - 1; n < of[0] || of[1] >= 0 && n > of[1] {
		return x.errorf("wrong-arity", "%s has the wrong number of operands: %d", x.head(), n)
	}
	return nil
}

// maxDigits bounds the length of a number.
const maxDigits = 100

func (p *parser) int(x *sexpr) (*Expr, *source.Error) {
	e := &Expr{Span: x.span}
	switch {
	case x.quoted:
		return nil, p.wrong(x, "an integer")
	case isVariable(x):
		s, err := p.use(x)
		if err != nil {
			return nil, err
		}
		if s != sizeName && s != intName {
			return nil, p.wrong(x, "an integer")
		}
		e.Kind, e.Text = IntName, x.atom
		return e, nil
	case !x.isList:
		n, ok := new(big.Int).SetString(x.atom, 10)
		if !ok || len(x.atom) > maxDigits {
			return nil, p.wrong(x, "an integer")
		}
		e.Kind, e.Value = Int, n
		return e, nil
	}
	of, ok := intArity[x.head()]
	if !ok {
		return nil, p.wrong(x, "an integer")
	}
	if err := arity(x, of); err != nil {
		return nil, err
	}
	e.Kind, e.Text = IntOp, x.head()
	for i, y := range x.list[1:] {
		var a *Expr
		var err *source.Error
		switch {
		case (e.Text == "rank" || e.Text == "size") && isVariable(y) && strings.HasSuffix(y.atom, "*"):
			var s nameSort
			if s, err = p.use(y); err != nil {
				return nil, err
			}
			a = &Expr{Kind: Group, Text: y.atom, Span: y.span}
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

func (p *parser) listOf(x *sexpr) (*Expr, *source.Error) {
	if isVariable(x) {
		s, err := p.use(x)
		if err != nil {
			return nil, err
		}
		if s != listName {
			return nil, p.wrong(x, "a list")
		}
		return &Expr{Kind: ListName, Text: x.atom, Span: x.span}, nil
	}
	of, ok := listArity[x.head()]
	if !ok {
		return nil, p.wrong(x, "a list")
	}
	if err := arity(x, of); err != nil {
		return nil, err
	}
	e := &Expr{Kind: ListOp, Text: x.head(), Span: x.span}
	for _, y := range x.list[1:] {
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

func (p *parser) shape(x *sexpr) (*Expr, *source.Error) {
	e := &Expr{Kind: ShapeOp, Text: x.head(), Span: x.span}
	switch {
	case e.Text == "shape" || !x.isList && x.atom == "shape" && !x.quoted:
		e.Kind, e.Text = Shape, ""
		if !x.isList {
			return e, nil
		}
		var err *source.Error
		e.Args, err = p.dims(x.list[1:])
		return e, err
	case e.Text == "shape-of":
		if err := arity(x, [2]int{1, 1}); err != nil {
			return nil, err
		}
		a, err := p.expr(x.list[1])
		e.Args = []*Expr{a}
		return e, err
	case e.Text == "slice-shape" || e.Text == "shape-insert-axis" || e.Text == "shape-remove-axis":
		if err := arity(x, [2]int{2, 2}); err != nil {
			return nil, err
		}
		a, err := p.shape(x.list[1])
		if err != nil {
			return nil, err
		}
		n, err := p.int(x.list[2])
		e.Args = []*Expr{a, n}
		return e, err
	}
	return nil, p.wrong(x, "a shape")
}

func (p *parser) accessShape(x *sexpr) (*Expr, *source.Error) {
	e := &Expr{Span: x.span}
	switch x.head() {
	case "access-shape":
		if err := arity(x, [2]int{2, 2}); err != nil {
			return nil, err
		}
		e.Kind = Access
		for _, y := range x.list[1:] {
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
		a, err := p.expr(x.list[1])
		e.Args = []*Expr{a}
		return e, err
	}
	e.Kind = AccessOf
	a, err := p.expr(x)
	e.Args = []*Expr{a}
	return e, err
}

// expr reads a variable or a call of an operator.
func (p *parser) expr(x *sexpr) (*Expr, *source.Error) {
	e := &Expr{Span: x.span}
	if isVariable(x) {
		s, err := p.use(x)
		if err != nil {
			return nil, err
		}
		if s != tensorName {
			return nil, p.wrong(x, "a tensor")
		}
		e.Kind, e.Text = Tensor, x.atom
		return e, nil
	}
	if !x.isList {
		return nil, p.wrong(x, "an expression")
	}
	if len(x.list) == 0 {
		return nil, x.errorf("empty-list", "a list is not empty")
	}
	if x.list[0].isList {
		return nil, x.list[0].errorf("head-is-list", "a list begins with a word, not with a list")
	}
	args := x.list[1:]
	category := glenside.CallCategory(x.head())
	name := x.list[0]
	if category != glenside.CatCore {
		if len(args) == 0 {
			return nil, x.errorf("wrong-arity", "%s takes the name of an operator first", x.head())
		}
		name, args = args[0], args[1:]
	}
	if category != glenside.CatCore && isVariable(name) {
		return p.callOfVariable(e, name, category, args)
	}
	op := glenside.LookupSpelling(category, name.atom)
	if name.isList || name.quoted || op == nil {
		if name.atom == "define" {
			return nil, x.definition()
		}
		return nil, name.errorf("unknown-operator", "there is no operator %s", name.span.Text())
	}
	e.Kind, e.Op = Call, op
	var err *source.Error
	e.Args, err = p.operands(x, op, args)
	return e, err
}

// callOfVariable reads a call whose operator is one of several words, all of the same signature.
func (p *parser) callOfVariable(e *Expr, name *sexpr, category glenside.Category, args []*sexpr) (*Expr, *source.Error) {
	s, err := p.use(name)
	if err != nil {
		return nil, err
	}
	if s != tokenName {
		return nil, p.wrong(name, "the name of an operator")
	}
	for _, w := range p.wordsOf(name.atom) {
		op := glenside.LookupSpelling(category, w)
		if op == nil {
			return nil, name.errorf("unknown-operator", "%s stands for %s, which is no operator here", name.atom, w)
		}
		if e.Args, err = p.operands(&sexpr{span: e.Span}, op, args); err != nil {
			return nil, err
		}
	}
	e.Kind, e.Text, e.category = Call, name.atom, category
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

func (p *parser) operands(x *sexpr, op *glenside.Op, args []*sexpr) ([]*Expr, *source.Error) {
	if !op.Accepts(len(args)) {
		return nil, x.errorf("wrong-arity", "%s takes %s, got %d", op.Name, op.Arity(), len(args))
	}
	var out []*Expr
	for i, y := range args {
		o := op.OperandAt(i, len(args))
		if o.Optional { // (shape 0), which says nothing
			if y.head() != "shape" || len(y.list) != 2 || y.list[1].atom != "0" {
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

func (p *parser) operand(o *glenside.Operand, x *sexpr) (*Expr, *source.Error) {
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
		if x.head() == "literal" && len(x.list) == 2 {
			x = x.list[1]
		}
		if _, ok := new(big.Rat).SetString(x.atom); x.isList || x.quoted || !ok && x.atom != "inf" && x.atom != "-inf" {
			return nil, p.wrong(x, "a number")
		}
		return &Expr{Kind: Number, Text: x.atom, Span: x.span}, nil
	case glenside.SortToken:
		if isVariable(x) {
			s, err := p.use(x)
			if err != nil {
				return nil, err
			}
			if s != tokenName {
				return nil, p.wrong(x, "a word")
			}
			for _, w := range p.wordsOf(x.atom) {
				if !fits(o, w) {
					return nil, x.errorf("wrong-operand", "%s may be %s, which is not %s", x.atom, w, wanted(o))
				}
			}
			return &Expr{Kind: TokenName, Text: x.atom, Span: x.span}, nil
		}
		if x.isList || !fits(o, x.atom) {
			return nil, p.wrong(x, wanted(o))
		}
		return &Expr{Kind: Token, Text: x.atom, Span: x.span}, nil
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
func (p *parser) tensor(x *sexpr) (*Expr, *source.Error) {
	e, err := p.expr(x)
	if err == nil && e.Op != nil && noTensors[e.Op.Name] {
		return nil, p.wrong(x, "a tensor")
	}
	return e, err
}

// guard reads a condition.
func (p *parser) guard(x *sexpr) (*Guard, *source.Error) {
	g := &Guard{Op: x.head(), Span: x.span}
	var err *source.Error
	switch g.Op {
	case "=", "<", "<=", "divides":
		if err = arity(x, [2]int{2, 2}); err != nil {
			return nil, err
		}
		read := p.int
		if g.Op == "=" && p.isListExpr(x.list[1]) {
			read = p.listOf
		}
		if g.A, err = read(x.list[1]); err != nil {
			return nil, err
		}
		g.B, err = read(x.list[2])
		return g, err
	case "permutation":
		if err = arity(x, [2]int{2, 2}); err != nil {
			return nil, err
		}
		if g.A, err = p.listOf(x.list[1]); err != nil {
			return nil, err
		}
		g.B, err = p.int(x.list[2])
		return g, err
	case "not", "and", "or":
		if g.Op == "not" {
			if err = arity(x, [2]int{1, 1}); err != nil {
				return nil, err
			}
		}
		for _, y := range x.list[1:] {
			a, err := p.guard(y)
			if err != nil {
				return nil, err
			}
			g.Args = append(g.Args, a)
		}
		return g, nil
	}
	return nil, x.errorf("bad-condition", "a condition is one of = < <= divides permutation not and or")
}

func (p *parser) isListExpr(x *sexpr) bool {
	if isVariable(x) {
		return p.rule.names[x.atom] == listName
	}
	_, ok := listArity[x.head()]
	return ok
}
