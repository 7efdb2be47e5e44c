package syntax

import (
	"math/big"
	"regexp"
	"strings"
	"sync"

	"tv/internal/source"
	"tv/semantics/domain"
	"tv/semantics/words"
)

// What Op of a tree says; all others are operators as they are written.
const (
	opName   = "name"
	opNumber = "number"
	opCall   = "call" // of the first of Args to the others
	opFun    = "fun"  // its body is the only one of Args
	opPair   = "pair"
	opList   = "list"
	opNeg    = "neg"
)

// A tree is an expression as it is written.
type tree struct {
	op     string
	args   []*tree
	params []*Param
	span   source.Span
}

// A Param is a variable: a parameter of the program, or of a function in it.
type Param struct {
	Name    string
	Type    *Type // that is written, in sizes of the text; nil: none
	Span    source.Span
	written source.Span // of the type
}

const wordsOf = `[A-Za-z_]\w*|[0-9]+(?:[eE][-+]?[0-9]+)?|->|\|>|>>|[<>=]=|[-+*/%<>()\[\],:.])`

var (
	wordPattern = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:([ \t\r\n]+|(?:#|//)[^\n]*)|` + wordsOf)
	})
	operators = [][]string{{"<", ">", "==", "<=", ">="}, {"+", "-"}, {"*", "/", "%"}}
)

// maxDepth bounds how deep expressions nest: whoever works on them recurses.
const maxDepth = 2000

type parser struct {
	*words.Reader
	depth  int
	sizes  []source.Span    // names of sizes in types
	scheme bool             // the text is the type of a pattern
	arrows bool             // types may be those of functions
	types  map[string]*Type // element types of a rule
}

// enter counts what nests; the result is deferred.
func (r *parser) enter() func() {
	if r.depth++; r.depth > maxDepth {
		words.Fail(r.Here(), "too-deep", "expressions nest at most %d deep", maxDepth)
	}
	return func() { r.depth-- }
}

// expression reads pipes, the weakest.
func (r *parser) expression() *tree {
	defer r.enter()()
	return r.chain(r.composition, "|>")
}

func (r *parser) composition() *tree { return r.chain(r.comparison, ">>") }

// chain reads operands with operators of two between them, which associate to the left.
func (r *parser) chain(operand func() *tree, ops ...string) *tree {
	x := operand()
	for n := 1; r.Is(ops...); n++ {
		if n > maxDepth {
			words.Fail(r.Here(), "too-deep", "more than %d operators in a row", maxDepth)
		}
		op := r.Next().Text()
		y := operand()
		x = &tree{op: op, args: []*tree{x, y}, span: r.Since(x.span)}
	}
	return x
}

// comparison reads at most one comparison: a < b < c has no meaning.
func (r *parser) comparison() *tree {
	x := r.sum()
	if r.Is(operators[0]...) {
		op := r.Next().Text()
		y := r.sum()
		x = &tree{op: op, args: []*tree{x, y}, span: r.Since(x.span)}
	}
	return x
}

func (r *parser) sum() *tree     { return r.chain(r.product, operators[1]...) }
func (r *parser) product() *tree { return r.chain(r.unary, operators[2]...) }

func (r *parser) unary() *tree {
	defer r.enter()()
	first := r.Here()
	if r.Accept("-") {
		x := r.unary()
		return &tree{op: opNeg, args: []*tree{x}, span: r.Since(first)}
	}
	x := r.atom()
	for n := 1; r.Accept("("); n++ {
		if n > maxDepth {
			words.Fail(r.Here(), "too-deep", "more than %d calls in a row", maxDepth)
		}
		call := &tree{op: opCall, args: []*tree{x}}
		r.List(")", func() { call.args = append(call.args, r.expression()) })
		call.span = r.Since(first)
		x = call
	}
	return x
}

func (r *parser) atom() *tree {
	first := r.Here()
	switch {
	case r.Accept("("):
		x := r.expression()
		if r.Accept(",") {
			x = &tree{op: opPair, args: []*tree{x, r.expression()}}
		}
		r.Want(")")
		if x.op == opPair && x.span.File == nil {
			x.span = r.Since(first)
		}
		return x
	case r.Accept("["):
		x := &tree{op: opList}
		r.List("]", func() { x.args = append(x.args, r.expression()) })
		x.span = r.Since(first)
		return x
	case r.Is("fun"):
		return r.function()
	case words.IsName(first):
		return &tree{op: opName, span: r.Next()}
	case isDigit(first.Text()):
		return r.number()
	}
	r.Unexpected("an expression")
	return nil
}

func isDigit(word string) bool { return word != "" && word[0] >= '0' && word[0] <= '9' }

// number reads 12, 0.5, 1., 2e-3: types have points too, so they are words.
func (r *parser) number() *tree {
	first := r.Next()
	if here := r.Here(); here.Text() == "." && here.Start == first.End && !strings.ContainsAny(first.Text(), "eE") {
		r.Next()
		if next := r.Here(); next.Start == here.End && isDigit(next.Text()) {
			r.Next()
		}
	}
	x := &tree{op: opNumber, span: r.Since(first)}
	x.decimal()
	return x
}

// decimal is the value of a number.
func (x *tree) decimal() *big.Rat {
	return (&words.Node{Op: words.Number, Span: x.span}).Decimal()
}

// function reads fun(x, e), fun((x, y: 3.f32), e).
func (r *parser) function() *tree {
	defer r.enter()()
	x := &tree{op: opFun}
	first := r.Next()
	r.Want("(")
	if r.Accept("(") {
		r.List(")", func() { x.params = append(x.params, r.param(x.params)) })
		if len(x.params) == 0 {
			words.Fail(r.Since(first), "bad-syntax", "a function without parameters")
		}
	} else {
		at := r.Name("a parameter")
		x.params = []*Param{{Name: at.Text(), Span: at}}
	}
	r.Want(",")
	x.args = []*tree{r.expression()}
	r.Want(")")
	x.span = r.Since(first)
	return x
}

func (r *parser) param(others []*Param) *Param {
	at := r.Name("a parameter")
	p := &Param{Name: at.Text(), Span: at}
	for _, q := range others {
		if q.Name == p.Name {
			words.Fail(at, "redefined-name", "%s is a parameter already", p.Name)
		}
	}
	if r.Accept(":") {
		first := r.Here()
		p.Type = r.typ()
		p.written = r.Since(first)
	}
	return p
}

// typ reads a type, of a pattern also one with variables and arrows.
func (r *parser) typ() *Type {
	defer r.enter()()
	t := r.data()
	if (r.scheme || r.arrows) && r.Accept("->") {
		return &Type{Kind: Func, A: t, B: r.typ()}
	}
	return t
}

// data reads N.(M+1).f32, (f32, i8).
func (r *parser) data() *Type {
	defer r.enter()()
	first := r.Here()
	switch {
	case isDigit(first.Text()):
		x := &tree{op: opNumber, span: r.Next()}
		return r.array(x)
	case r.Is("(") && r.dimFollows():
		r.Next()
		x := r.expression()
		r.Want(")")
		return r.array(x)
	case r.Accept("("):
		t := r.typ()
		if (r.scheme || r.arrows) && r.Accept(")") {
			return t
		}
		r.Want(",")
		t = &Type{Kind: Pair, A: t, B: r.typ()}
		r.Want(")")
		return t
	}
	at := r.Name("a type")
	if r.Is(".") {
		return r.array(&tree{op: opName, span: at})
	}
	if t, ok := r.types[at.Text()]; ok {
		return t
	}
	if t, ok := scalars[at.Text()]; ok && (r.scheme || t != indexType) {
		return t
	}
	if !r.scheme {
		words.Fail(at, "unknown-type", "%s is no element type: f16, f32, f64, i8, i16, i32, i64 and bool are", at.Text())
	}
	return &Type{Kind: Var, name: at.Text()}
}

func (r *parser) array(dim *tree) *Type {
	r.Want(".")
	if !r.scheme {
		r.sizes = append(r.sizes, named(dim)...)
	}
	return &Type{Kind: Array, Dim: size(dim), A: r.data()}
}

// dimFollows tells whether the parentheses that come next hold a dim: a point stands behind them.
func (r *parser) dimFollows() bool {
	ahead := *r.Reader
	for depth := 0; ; {
		switch w := ahead.Next().Text(); w {
		case "(", "[":
			depth++
		case ")", "]":
			depth--
		}
		if depth == 0 {
			return ahead.Is(".")
		}
	}
}

// size is the size that an expression of numbers, names and operators is. Divisors are not looked at here.
func size(x *tree) domain.Size {
	if x.op == opNeg && len(x.args) == 1 {
		return domain.IntSize(0).Sub(size(x.args[0]))
	}
	out := domain.Size{}
	switch x.op {
	case opName:
		out = domain.NamedSize(x.span.Text())
	case opNumber:
		out = (&words.Node{Op: words.Number, Span: x.span}).Size()
	case "+", "-", "*", "/", "%":
		out = arithmetic(x.op, size(x.args[0]), size(x.args[1]), x.args[1].span)
	default:
		words.Fail(x.span, "size-wanted", "a size should be here: numbers, names, + - * / %%")
	}
	if out.TooLarge() {
		words.Fail(x.span, "too-large", "a size is too large")
	}
	return out
}

// arithmetic is an operation on sizes; by what is no positive number is not divided, as that may have no value.
func arithmetic(op string, a, b domain.Size, divisor source.Span) domain.Size {
	switch op {
	case "+":
		return a.Add(b)
	case "-":
		return a.Sub(b)
	case "*":
		return a.Mul(b)
	}
	if !b.AtLeast(1, nil) {
		words.Fail(divisor, "bad-divisor", "the divisor %s of a size is not known to be positive", b.Formula())
	}
	if op == "/" {
		return a.Div(b)
	}
	return a.Mod(b)
}

// named are the places of the names in an expression that is a size.
func named(x *tree) (out []source.Span) {
	if x.op == opName {
		if t, ok := scalars[x.span.Text()]; ok && t != indexType || patterns()[x.span.Text()] != nil {
			words.Fail(x.span, "size-wanted", "%s is no size", x.span.Text())
		}
		return []source.Span{x.span}
	}
	for _, a := range x.args {
		out = append(out, named(a)...)
	}
	return out
}
