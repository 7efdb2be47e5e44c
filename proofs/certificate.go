package proofs

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"tv/glenside"
	"tv/internal/source"
	"tv/semantics/domain"
)

// Codes of the reasons to refuse a certificate.
const (
	codeMalformed   = "certificate-malformed"
	codeDigest      = "certificate-damaged"
	codeStatement   = "certificate-statement"
	codeWitness     = "certificate-witness"
	codeRange       = "certificate-range"
	codeInverse     = "certificate-inverse"
	codeIndex       = "certificate-index"
	codeGoal        = "certificate-goal"
	codeDefined     = "certificate-undefined"
	codeUnsupported = "certificate-unsupported"
	codeLimit       = "certificate-limit"

	// CodeObligation is that of obligations that are not those of the statement.
	CodeObligation = "certificate-obligation"
)

// refusal is the panic that ends a check.
type refusal struct{ code, msg string }

func fail(code, format string, args ...any) {
	panic(refusal{code, fmt.Sprintf(format, args...)})
}

// A Statement says that AFTER equals BEFORE wherever BEFORE is defined, at all sizes of its domain.
type Statement struct {
	Exact         bool           // bit for bit in the element types; otherwise in the reals
	Access        bool           // the same split as well
	Declared      []domain.Input // tensors that neither text declares, by name
	Before, After string         // program texts
	Languages     [2]string      // that they are written in; empty: Glenside
}

// Glenside is the name of the language in which a statement is that names none.
const Glenside = "glenside"

// A Pair is a statement and the witness for it.
type Pair struct {
	Statement
	// Witness has cuts, one a line; "left" and the tensors of the result that are left to a solver,
	// if any; then answers: the number of the goal, a blank, the answer.
	Witness     string
	Obligations []string // scripts in SMT-LIB 2: what a solver is to say of these tensors
}

const (
	header  = "tv-certificate 1 semantics 1\n"
	maxSize = 256 << 20
)

// Format returns the bytes of a certificate.
func Format(pairs []Pair) []byte {
	var b bytes.Buffer
	b.WriteString(header)
	for _, p := range pairs {
		fmt.Fprintf(&b, "pair %s\n", p)
		var declared strings.Builder
		for _, in := range p.Declared {
			declared.WriteString(glenside.FormatInput(&in) + "\n")
		}
		for _, part := range []struct{ name, text string }{
			{"declared", declared.String()}, {"before", p.Before}, {"after", p.After},
			{"witness", p.Witness},
		} {
			fmt.Fprintf(&b, "%s %d\n%s\n", part.name, len(part.text), part.text)
		}
		for _, text := range p.Obligations {
			fmt.Fprintf(&b, "obligation %d\n%s\n", len(text), text)
		}
	}
	return signed(b.Bytes())
}

// signed adds the digest of a text.
func signed(text []byte) []byte { return fmt.Appendf(text, "sha256 %x\n", sha256.Sum256(text)) }

// Parse reads a certificate of that form and no other. Errors: source.Errors with code
// certificate-malformed or certificate-damaged.
func Parse(name string, data []byte) (pairs []Pair, err error) {
	defer recovered(name, &err)
	return parse(data), nil
}

func parse(data []byte) (pairs []Pair) {
	for r := (scanner{unsigned(data, header)}); r.rest != ""; {
		var p Pair
		arith, equal, _ := strings.Cut(strings.TrimPrefix(r.line(), "pair "), ", ")
		p.Exact, p.Access = arith == "exact", equal == "access"
		p.Declared = declarations(r.part("declared"))
		p.Before, p.After, p.Witness = r.part("before"), r.part("after"), r.part("witness")
		for strings.HasPrefix(r.rest, "obligation ") {
			p.Obligations = append(p.Obligations, r.part("obligation"))
		}
		pairs = append(pairs, p)
	}
	if len(pairs) == 0 || !bytes.Equal(Format(pairs), data) {
		fail(codeMalformed, "not written as certificates are")
	}
	return pairs
}

// unsigned returns what stands between a header and the digest of both.
func unsigned(data []byte, header string) string {
	end := len(data) - len("sha256 \n") - 2*sha256.Size
	if end < len(header) || len(data) > maxSize || !strings.HasPrefix(string(data), header) {
		fail(codeMalformed, "not a certificate of version 1")
	}
	if !bytes.Equal(signed(slices.Clip(data[:end])), data) {
		fail(codeDigest, "the digest is not that of the text")
	}
	return string(data[len(header):end])
}

// A scanner takes a certificate apart. That it is written in the one way is for others to see.
type scanner struct{ rest string }

func (r *scanner) line() (line string) {
	line, r.rest, _ = strings.Cut(r.rest, "\n")
	return line
}

// part reads a text of a stated length.
func (r *scanner) part(name string) string {
	n, err := strconv.Atoi(strings.TrimPrefix(r.line(), name+" "))
	if err != nil || n < 0 || n >= len(r.rest) {
		fail(codeMalformed, "no part %s of the length that it states", name)
	}
	text := r.rest[:n]
	r.rest = r.rest[n+1:]
	return text
}

// declarations reads lines of the form (input NAME (shape DIM...) TYPE).
func declarations(text string) []domain.Input {
	if text == "" {
		return nil
	}
	p, err := glenside.Parse(source.NewFile("declared", text+"(shape)"))
	if err != nil {
		fail(codeMalformed, "declarations: %v", err)
	}
	var out []domain.Input
	for _, in := range p.Inputs {
		out = append(out, *in)
	}
	return out
}

// Check reads a certificate and checks every statement of it; nothing may be left to a solver.
// Errors: source.Errors with one of the codes certificate-*.
func Check(name string, data []byte) (out []Statement, err error) {
	defer recovered(name, &err)
	for _, p := range resolved(check(parse(data))) {
		out = append(out, p.Statement)
	}
	return out, nil
}

// resolved refuses pairs of which something is left to a solver.
func resolved(pairs []Pair) []Pair {
	for i, p := range pairs {
		if len(p.Obligations) > 0 {
			fail(CodeObligation, "pair %d rests on obligations of a solver", i+1)
		}
	}
	return pairs
}

// CheckRest checks what is not left to a solver. A pair with obligations holds if they are those of
// its statement and of its tensors Left, which is not seen to here, and no solver has a model of
// one. Errors: as of Check.
func CheckRest(name string, data []byte) (pairs []Pair, err error) {
	defer recovered(name, &err)
	return check(parse(data)), nil
}

func check(pairs []Pair) []Pair {
	for _, p := range pairs {
		cuts, left, w := readWitness(p.Witness)
		if n := len(p.Obligations); (len(left) > 0) != (n > 0) {
			fail(CodeObligation, "%d tensors left, %d obligations", len(left), n)
		}
		p.check(cuts, left, w)
		if w.used != len(w.answers) {
			fail(codeWitness, "%d answers have no goal", len(w.answers)-w.used)
		}
	}
	return pairs
}

// An Answerer answers goals, in the order in which they are asked. Empty leaves the goal as it is.
// Alive is called now and then, and may panic.
type Answerer interface {
	Answer(g *Goal) string
	Alive()
}

// Verify checks a statement with cuts, if any, and the answers of a, but for the elements of the
// tensors that are left to a solver, which count from 0, ascending. Errors: as of Check.
func Verify(name string, s Statement, cuts []Cut, left []int, a Answerer) (err error) {
	defer recovered(name, &err)
	s.check(cuts, left, a)
	return nil
}

func recovered(name string, err *error) {
	var why refusal
	switch r := recover().(type) {
	case nil:
		return
	case refusal:
		why = r
	case runtime.Error: // to refuse is safe, whatever the fault is
		why = refusal{codeUnsupported, "a fault of the checker: " + r.Error()}
	default:
		panic(r)
	}
	f := source.NewFile(name, "")
	*err = source.Errors{source.Errorf(source.Span{File: f}, why.code, "%s", why.msg)}
}

// written answers as a witness says.
type written struct {
	answers map[int]string
	used    int
}

func readWitness(witness string) (cuts []Cut, left []int, w *written) {
	w = &written{answers: map[int]string{}}
	last := 0
	for witness != "" {
		line, rest, ok := strings.Cut(witness, "\n")
		number, text, _ := strings.Cut(line, " ")
		if first := ok && last == 0 && left == nil; first && number == "cut" {
			cuts, witness = append(cuts, readCut(text)), rest
			continue
		} else if first && number == "left" {
			left, witness = numbers(text), rest
			continue
		}
		n, err := strconv.Atoi(number)
		if !ok || err != nil || n <= last || text == "" {
			fail(codeWitness, "%q is no answer, or not in order", line)
		}
		w.answers[n], witness, last = text, rest, n
	}
	return cuts, left, w
}

func (w *written) Answer(g *Goal) string {
	text := w.answers[g.N]
	if text != "" {
		w.used++
	}
	return text
}

func (w *written) Alive() {}

// maxDepth bounds how deep calls nest in a program: the checker takes one apart by recursion, and a
// stack that overflows ends the process.
const maxDepth = 20_000

// parse reads the programs of the statement.
func (s Statement) parse() (before, after *glenside.Program) {
	read := func(name, text string) *glenside.Program {
		p, err := glenside.Parse(source.NewFile(name, text))
		if err != nil {
			fail(codeStatement, "%v", err)
		}
		if depth := p.Depth(); depth > maxDepth {
			fail(codeLimit, "calls nest %d deep in %s, beyond %d", depth, name, maxDepth)
		}
		return p
	}
	return read("before", s.Before), read("after", s.After)
}

// typed types them.
func (s Statement) typed(programs ...*glenside.Program) (*domain.Env, []*glenside.Typing) {
	env, err := glenside.MergeEnv(programs, s.Declared...)
	if err != nil {
		fail(codeStatement, "%v", err)
	}
	var out []*glenside.Typing
	for _, p := range programs {
		t, err := glenside.Check(p, env)
		if err != nil {
			fail(codeStatement, "%v", err)
		}
		out = append(out, t)
	}
	return env, out
}

// check refuses the statement unless it holds.
func (s Statement) check(cuts []Cut, left []int, a Answerer) {
	before, after := s.parse()
	env, typed := s.typed(before, after)
	paths := s.components(typed[0].Root(), typed[1].Root(), nil)
	for i, k := range left {
		if k >= len(paths) || i > 0 && k <= left[i-1] {
			fail(codeWitness, "tensor %d is none of the result, or not in order", k)
		}
	}
	cuts = plan(cuts, typed)
	names, mins, cases := domainCases(typed[0], env)
	goals, some := 0, false
	for _, cs := range cases {
		b := newBuilder()
		sz := newSizes(b, names, mins, cs)
		if sz.contradictory(mins, cs) {
			continue
		}
		some = true
		for _, c := range typed[1].Conds {
			if !sz.proves(c.Pred, false) {
				fail(codeStatement, "not known to hold: %s", c.Msg)
			}
		}
		// nothing is kept: facts of one are none of another
		component := func(i int, path []int, leave bool) {
			terms := newTerms()
			var sides []*lowering
			stands := standing(cuts, i)
			for k, t := range typed {
				sides = append(sides, &lowering{b: b, ty: t, exact: s.Exact, size: sz.expr,
					cuts: stands[k], memo: map[string]*term{}, dimsOf: map[*glenside.Type][]*Expr{},
					digests: map[*glenside.Node]string{}, terms: terms})
			}
			e := newEngine(b, a.Alive, func(g *Goal) *answer {
				goals++
				g.N = goals
				return g.parse(a.Answer(g))
			})
			e.choose(s.Exact, typed)
			e.component(sides, cuts[i], path, i < len(cuts)-1, leave)
		}
		for i := range len(cuts) - 1 {
			component(i, nil, false)
		}
		for i, path := range paths {
			component(len(cuts)-1, path, slices.Contains(left, i))
		}
	}
	if !some {
		fail(codeStatement, "the programs are about no sizes")
	}
}

// component checks one tensor of the result, or a cut that stands for one later. Such a tensor has
// no MIN among its elements. Of one that is left to a solver the dims alone are compared.
func (e *engine) component(sides []*lowering, of Cut, path []int, stands, leave bool) {
	places := [2]place{}
	var dims [2][]*Expr
	for i, l := range sides {
		places[i] = place{l.ty.Program.Nodes[[2]int{of.Before, of.After}[i]], path}
		dims[i] = l.dims(l.typeOf(places[i]))
	}
	var axes []*Atom
	dims[0] = slices.Clone(dims[0])
	for k, d := range dims[0] {
		if !sides[0].same(d, dims[1][k]) {
			fail(codeStatement, "the sizes of axis %d are not known to be equal", k)
		}
		if other := dims[1][k]; len(other.Free) < len(d.Free) { // the plainer of two equal ones
			d, dims[0][k] = other, other
		}
		axes = append(axes, e.NewVar(e.Const(0), d))
	}
	if leave {
		return
	}
	root := e.root
	element := func(i int) func(*Context, []*Expr) *term {
		return func(c *Context, at []*Expr) *term {
			t := sides[i].at(places[i], c, at)
			if stands && e.laws.field && e.maybe(t) {
				fail(codeDefined, "a cut of a tensor that may hold MIN")
			}
			clear(sides[i].memo) // another region has other contexts
			return t
		}
	}
	if e.inOrder {
		o := &orderly{engine: e, nodes: map[string]*node{}, memo: map[[2]int]*node{},
			compared: map[[3]int]bool{}, taken: map[[2]int]*node{}}
		o.equal(e.root, axes, element(0), element(1))
	} else {
		if at, some := e.index(e.root, axes); some && len(e.sizes) > 0 {
			if t := element(0)(e.root, at); t.asks { // else the facts would only be in the way
				for _, d := range dims[0] { // elements are compared, so there are some
					e.state(e.AddInt(d, -1))
				}
				e.divides(t, map[*term]bool{})
			}
		}
		e.equal(e.root, axes, element(0), element(1))
	}
	e.root = root
}

// divides states that the sizes are not 0 that BEFORE divides by at every element: elsewhere it has
// no value, and nothing is asked.
func (e *engine) divides(t *term, seen map[*term]bool) {
	if seen[t] || !t.asks || t.op == opIf || t.op == opGather {
		return
	}
	seen[t] = true
	if !e.some(e.root, t.vars) {
		return
	}
	if n := len(t.args) - 1; t.op == opDiv || t.op == opApply && t.name == "mean" {
		if d := t.args[n]; d.op == opNumber && e.Nonneg(e.root, d.e) {
			e.state(e.AddInt(d.e, -1))
		}
	}
	for _, a := range t.args {
		e.divides(a, seen)
	}
}

// components lists the tensors of a result and checks that both sides have the same.
func (s Statement) components(x, y *glenside.Type, path []int) [][]int {
	tuple := x.Kind == glenside.TypeTuple
	if tuple != (y.Kind == glenside.TypeTuple) || len(x.Items) != len(y.Items) {
		fail(codeStatement, "the results are tuples of different kinds")
	}
	if tuple {
		var out [][]int
		for i := range x.Items {
			out = append(out, s.components(x.Items[i], y.Items[i], append(slices.Clip(path), i))...)
		}
		return out
	}
	for _, t := range []*glenside.Type{x, y} {
		if t.Kind > glenside.TypeLiteral {
			fail(codeStatement, "the result is not a tensor")
		}
	}
	if len(x.Dims) != len(y.Dims) || x.Elem != y.Elem || s.Access && x.Split != y.Split {
		fail(codeStatement, "the results are %s and %s", x, y)
	}
	return [][]int{path}
}

// choose sets the laws of the arithmetic.
func (e *engine) choose(exact bool, typed []*glenside.Typing) {
	e.laws = laws{field: !exact}
	if !exact {
		return
	}
	width := 0
	e.laws.natural = true
	for _, ty := range typed {
		for _, t := range ty.Types {
			if t == nil || t.Kind > glenside.TypeTensor {
				continue
			}
			if t.Elem.Kind != domain.ElemInt && t.Elem.Kind != domain.ElemUint {
				e.inOrder = true
			}
			e.laws.natural = e.laws.natural && t.Elem.Kind == domain.ElemUint
			if width != 0 && width != t.Elem.Width {
				width = -1
			} else if width == 0 {
				width = t.Elem.Width
			}
		}
	}
	if width > 0 {
		e.laws.modulus = bigPower(width)
	}
}

// String returns the arithmetic and what equal means: "real, tensor".
func (s Statement) String() string {
	return map[bool]string{false: "real", true: "exact"}[s.Exact] + ", " +
		map[bool]string{false: "tensor", true: "access"}[s.Access]
}
