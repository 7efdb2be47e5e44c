package bv

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"tv/internal/sexpr"
	"tv/internal/source"
)

// Operations that are not written as a word of SMT-LIB's.
const (
	OpConst  = "const"  // Value; of width 0 true or false
	OpSignal = "signal" // Name: an input or register
	OpBound  = "bound"  // Name: that of a let, whose term is Args[0]
	OpLet    = "let"    // Names[i] stands for Args[i] in the last of Args
)

// A Term is a typed term. Width 0 is Bool. Terms share their parts where a let names them.
type Term struct {
	Span    source.Span
	Op      string // as it is written, without the indices
	Indices []int  // of extract, zero_extend and their like
	Args    []*Term
	Names   []string
	Width   int
	Value   *big.Int
	Name    string
}

func sort(width int) string {
	if width == 0 {
		return "a Bool"
	}
	return fmt.Sprintf("of %d bits", width)
}

// maxNesting bounds how deep terms nest.
const maxNesting = 2000

func (p *parser) term(x *sexpr.Form, depth int) (*Term, error) {
	if depth > maxNesting {
		return nil, x.Errorf("unsupported", "terms nest deeper than %d", maxNesting)
	}
	if !x.IsList {
		return p.atom(x)
	}
	if len(x.List) == 0 {
		return nil, x.Errorf("syntax", "a term is expected, and this is ()")
	}
	head := x.List[0]
	var indices []int
	op := x.Head()
	switch {
	case op == "_":
		return indexedConstant(x)
	case op == "let":
		return p.let(x, depth)
	case op == "var":
		if len(x.List) != 3 || x.List[1].IsList || x.List[2].IsList {
			return nil, x.Errorf("syntax", "a variable is (var NAME WIDTH)")
		}
		t := p.signals[x.List[1].Atom]
		if t == nil {
			return nil, x.List[1].Errorf("ill-typed", "nothing is named %s", x.List[1].Atom)
		}
		if x.List[2].Atom != strconv.Itoa(t.Width) {
			return nil, x.List[2].Errorf("ill-typed", "%s has %d bits", t.Name, t.Width)
		}
		return &Term{Span: x.Span, Op: OpSignal, Name: t.Name, Width: t.Width}, nil
	case head.IsList:
		if head.Head() != "_" || len(head.List) < 3 || head.List[1].IsList {
			return nil, head.Errorf("syntax", "an operation is a word or (_ WORD NUMBER..)")
		}
		op = head.List[1].Atom
		for _, i := range head.List[2:] {
			n, err := strconv.Atoi(i.Atom)
			if i.IsList || err != nil || n < 0 {
				return nil, i.Errorf("syntax", "a number is expected")
			}
			indices = append(indices, n)
		}
	}
	t := &Term{Span: x.Span, Op: op, Indices: indices}
	rest := x.List[1:]
	if op == "bool->bitvector" && len(rest) == 2 && !rest[1].IsList { // Rosette's second argument is the width
		n, err := strconv.Atoi(rest[1].Atom)
		if err != nil || n < 1 || n > MaxWidth {
			return nil, rest[1].Errorf("ill-typed", "a width is 1 to %d", MaxWidth)
		}
		t.Indices, rest = []int{n}, rest[:1]
	} else if (op == "bool->bitvector") && len(indices) > 0 {
		return nil, head.Errorf("ill-typed", "bool->bitvector has no indices")
	}
	for _, a := range rest {
		arg, err := p.term(a, depth+1)
		if err != nil {
			return nil, err
		}
		t.Args = append(t.Args, arg)
	}
	if err := t.typed(); err != nil {
		return nil, err
	}
	return t, nil
}

func (p *parser) atom(x *sexpr.Form) (*Term, error) {
	text := x.Atom
	constant := func(width int, digits string, base int) (*Term, error) {
		v, ok := new(big.Int).SetString(digits, base)
		if !ok || strings.ContainsAny(digits, "+-_") {
			return nil, x.Errorf("syntax", "%s is not a constant", text)
		}
		if width > maxTermWidth {
			return nil, x.Errorf("ill-typed", "a word has at most %d bits", maxTermWidth)
		}
		return &Term{Span: x.Span, Op: OpConst, Width: width, Value: v}, nil
	}
	switch {
	case x.Quoted:
		return nil, x.Errorf("syntax", "a term is expected, and this is a text")
	case text == "true" || text == "#t":
		return &Term{Span: x.Span, Op: OpConst, Value: big.NewInt(1)}, nil
	case text == "false" || text == "#f":
		return &Term{Span: x.Span, Op: OpConst, Value: big.NewInt(0)}, nil
	case strings.HasPrefix(text, "#b"):
		return constant(len(text)-2, text[2:], 2)
	case strings.HasPrefix(text, "#x"):
		return constant(4*(len(text)-2), text[2:], 16)
	}
	for i := len(p.scope) - 1; i >= 0; i-- {
		if b := p.scope[i]; b.name == text {
			return &Term{Span: x.Span, Op: OpBound, Name: text, Args: []*Term{b.term}, Width: b.term.Width}, nil
		}
	}
	if t := p.signals[text]; t != nil {
		return &Term{Span: x.Span, Op: OpSignal, Name: text, Width: t.Width}, nil
	}
	return nil, x.Errorf("ill-typed", "nothing is named %s", text)
}

// indexedConstant reads (_ bvN w).
func indexedConstant(x *sexpr.Form) (*Term, error) {
	if len(x.List) != 3 || x.List[1].IsList || x.List[2].IsList || !strings.HasPrefix(x.List[1].Atom, "bv") {
		return nil, x.Errorf("syntax", "a constant is (_ bvN WIDTH)")
	}
	digits := x.List[1].Atom[2:]
	v, ok := new(big.Int).SetString(digits, 10)
	if !ok || strings.ContainsAny(digits, "+-_") {
		return nil, x.List[1].Errorf("syntax", "a constant is (_ bvN WIDTH)")
	}
	w, err := strconv.Atoi(x.List[2].Atom)
	if err != nil || w < 1 || w > maxTermWidth {
		return nil, x.List[2].Errorf("ill-typed", "a width is 1 to %d", maxTermWidth)
	}
	if v.BitLen() > w {
		return nil, x.Errorf("literal-width", "%s does not fit into %d bits", digits, w)
	}
	return &Term{Span: x.Span, Op: OpConst, Width: w, Value: v}, nil
}

// let reads (let ((name term)..) term); the terms are those outside, all at once.
func (p *parser) let(x *sexpr.Form, depth int) (*Term, error) {
	if len(x.List) != 3 || !x.List[1].IsList {
		return nil, x.Errorf("syntax", "a let is (let ((NAME TERM)..) TERM)")
	}
	t := &Term{Span: x.Span, Op: OpLet}
	var bound []binding
	for _, b := range x.List[1].List {
		if !b.IsList || len(b.List) != 2 || b.List[0].IsList {
			return nil, b.Errorf("syntax", "a let is (let ((NAME TERM)..) TERM)")
		}
		name := b.List[0].Atom
		for _, other := range bound {
			if other.name == name {
				return nil, b.Errorf("ill-typed", "%s is bound twice", name)
			}
		}
		value, err := p.term(b.List[1], depth+1)
		if err != nil {
			return nil, err
		}
		bound = append(bound, binding{name, value})
		t.Names, t.Args = append(t.Names, name), append(t.Args, value)
	}
	outer := len(p.scope)
	p.scope = append(p.scope, bound...)
	body, err := p.term(x.List[2], depth+1)
	p.scope = p.scope[:outer]
	if err != nil {
		return nil, err
	}
	t.Args, t.Width = append(t.Args, body), body.Width
	return t, nil
}

// typed finds the width of a term from those of its arguments.
func (t *Term) typed() error {
	ill := func(format string, args ...any) error {
		return source.Errorf(t.Span, "ill-typed", format, args...)
	}
	n := len(t.Args)
	count := func(least, most int) error {
		if n < least || most >= 0 && n > most {
			return ill("%s of %d arguments", t.Op, n)
		}
		return nil
	}
	indices := func(k int) error {
		if len(t.Indices) != k {
			return ill("%s has %d indices, and takes %d", t.Op, len(t.Indices), k)
		}
		return nil
	}
	all := func(words bool) error {
		for _, a := range t.Args {
			if words != (a.Width > 0) {
				return source.Errorf(a.Span, "ill-typed", "an argument of %s is %s", t.Op, sort(a.Width))
			}
		}
		return nil
	}
	same := func() error {
		for _, a := range t.Args[1:] {
			if a.Width != t.Args[0].Width {
				return source.Errorf(a.Span, "ill-typed", "arguments of %s are %s and %s", t.Op, sort(t.Args[0].Width), sort(a.Width))
			}
		}
		return nil
	}
	words := func(least, most int) error {
		if err := count(least, most); err != nil {
			return err
		}
		if err := all(true); err != nil {
			return err
		}
		return same()
	}
	var err error
	wantIndices := 0
	switch t.Op {
	case "bvnot", "bvneg":
		if err = words(1, 1); err == nil {
			t.Width = t.Args[0].Width
		}
	case "bvand", "bvor", "bvxor", "bvadd", "bvmul":
		if err = words(2, -1); err == nil {
			t.Width = t.Args[0].Width
		}
	case "bvnand", "bvnor", "bvxnor", "bvsub", "bvudiv", "bvurem", "bvsdiv", "bvsrem", "bvsmod", "bvshl", "bvlshr", "bvashr":
		if err = words(2, 2); err == nil {
			t.Width = t.Args[0].Width
		}
	case "bvult", "bvule", "bvugt", "bvuge", "bvslt", "bvsle", "bvsgt", "bvsge", "bveq":
		err = words(2, 2)
	case "bvcomp":
		err = words(2, 2)
		t.Width = 1
	case "concat":
		if err = count(2, -1); err == nil {
			err = all(true)
		}
		for _, a := range t.Args {
			t.Width += a.Width
		}
	case "extract", "zero_extend", "sign_extend", "repeat", "rotate_left", "rotate_right":
		wantIndices = 1
		if t.Op == "extract" {
			wantIndices = 2
		}
		if err = words(1, 1); err != nil {
			break
		}
		if err = indices(wantIndices); err != nil {
			break
		}
		w, i := t.Args[0].Width, t.Indices[0]
		switch {
		case i > maxTermWidth:
			err = ill("a word has at most %d bits", maxTermWidth)
		case t.Op == "extract" && (i >= w || t.Indices[1] > i):
			err = ill("bits %d to %d of %d", i, t.Indices[1], w)
		case t.Op == "extract":
			t.Width = i - t.Indices[1] + 1
		case t.Op == "repeat" && i == 0:
			err = ill("repeat of 0 times")
		case t.Op == "repeat":
			t.Width = w * i
		case t.Op == "rotate_left" || t.Op == "rotate_right":
			t.Width = w
		default:
			t.Width = w + i
		}
	case "=", "distinct":
		if err = count(2, -1); err == nil {
			err = same()
		}
	case "ite":
		if err = count(3, 3); err != nil {
			break
		}
		switch {
		case t.Args[0].Width != 0:
			err = source.Errorf(t.Args[0].Span, "ill-typed", "the condition of an ite is a Bool, and this is %s", sort(t.Args[0].Width))
		case t.Args[1].Width != t.Args[2].Width:
			err = ill("the ways of an ite are %s and %s", sort(t.Args[1].Width), sort(t.Args[2].Width))
		}
		t.Width = t.Args[1].Width
	case "not":
		if err = count(1, 1); err == nil {
			err = all(false)
		}
	case "and", "or", "xor", "=>":
		if err = count(2, -1); err == nil {
			err = all(false)
		}
	case "bool->bitvector":
		if err = count(1, 1); err == nil {
			err = all(false)
		}
		t.Width = 1
		if wantIndices = len(t.Indices); wantIndices > 0 {
			t.Width = t.Indices[0]
		}
	case "bitvector->bool":
		err = words(1, 1)
	default:
		return source.Errorf(t.Span, "ill-typed", "there is no operation %s", t.Op)
	}
	if err == nil {
		err = indices(wantIndices)
	}
	if err == nil && t.Width > maxTermWidth {
		err = ill("a word has at most %d bits", maxTermWidth)
	}
	return err
}
