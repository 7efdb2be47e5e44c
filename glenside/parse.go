package glenside

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"tv/internal/source"
	"tv/internal/spelling"
	"tv/semantics/domain"
)

// Parse reads a program. Errors: source.Errors with one error; Codes lists the codes.
func Parse(f *source.File) (*Program, error) {
	if len(f.Text) > math.MaxInt32 {
		return nil, source.Errors{source.Errorf(source.Span{File: f}, "too-large",
			"the file is longer than 2 GiB")}
	}
	p := newParser(f)
	if err := p.program(); err != nil {
		return nil, source.Errors{err}
	}
	return p.prog, nil
}

const (
	maxSizeDepth = 1000 // nesting of size expressions and conditions; programs may nest to any depth
	maxDigits    = 1200 // of a literal: an integer stays below largestBits
	maxExponent  = 4096 // of a decimal literal
)

// A parser reads one file. Programs are read without recursion: frames holds the lists that are open,
// values the operands read so far.
type parser struct {
	text     string
	pos      int
	file     *source.File
	prog     *Program
	declared map[string]*domain.Input
	words    wordTable
	nodes    nodeTable
	frames   []frame
	values   []*Node

	asWritten bool // the name of a definition stands for itself: for printing
}

// A frame is a list that is open, or a definition that is read.
type frame struct {
	op    *Op
	start int // offset of its parenthesis; of a definition: where to go on
	base  int // values[base:] are its operands
	def   *Definition
}

func newParser(f *source.File) *parser {
	p := &parser{text: f.Text, file: f, prog: &Program{File: f}, declared: map[string]*domain.Input{}}
	if strings.HasPrefix(p.text, "\ufeff") {
		p.pos = len("\ufeff")
	}
	return p
}

func (p *parser) errorf(start, end int, code, format string, args ...any) *source.Error {
	return source.Errorf(source.Span{File: p.file, Start: start, End: end}, code, format, args...)
}

// program reads declarations, assumes and definitions, then the expression.
func (p *parser) program() *source.Error {
	for {
		start := p.skip()
		if start == len(p.text) {
			return p.errorf(start, start, "no-expression", "there is no expression in the file")
		}
		var err *source.Error
		switch p.headWord() {
		case wordInput:
			err = p.declaration(start)
		case wordAssume:
			err = p.assume(start)
		case wordDefine:
			err = p.definition(start)
		default:
			return p.result(start)
		}
		if err != nil {
			return err
		}
	}
}

// result reads the expression, and what is defined but not used in it.
func (p *parser) result(start int) (err *source.Error) {
	if p.prog.Root, err = p.expression(); err != nil {
		return err
	}
	p.prog.result = source.Span{File: p.file, Start: start, End: p.pos}
	if err := p.end(); err != nil {
		return err
	}
	if !p.asWritten {
		p.prog.Nodes = p.nodes.list
		return p.unreached()
	}
	for _, d := range p.prog.Definitions {
		if err := p.define(d); err != nil {
			return err
		}
		d.Reached = true
	}
	p.prog.Nodes = p.nodes.list
	return nil
}

// headWord returns the first word of the list that starts here, without moving on; "" if there is none.
func (p *parser) headWord() string {
	mark := p.pos
	defer func() { p.pos = mark }()
	if p.text[p.pos] != '(' {
		return ""
	}
	p.pos++
	start := p.skip()
	for p.pos < len(p.text) && !delimiter[p.text[p.pos]] {
		p.pos++
	}
	return p.text[start:p.pos]
}

func (p *parser) end() *source.Error {
	if start := p.skip(); start < len(p.text) {
		return p.errorf(start, len(p.text), "trailing-text", "text after the end of the expression")
	}
	return nil
}

// root is what the whole expression has to be, any what an operand is taken for where there are too many.
var (
	root       = &Operand{Name: "program", Sort: SortAccess}
	anyOperand = &Operand{Name: "operand", Sort: SortAny}
	definedAs  = &Operand{Name: "the expression", Sort: SortTensor}
)

// expression reads one expression.
func (p *parser) expression() (*Node, *source.Error) {
	for {
		start := p.skip()
		if start == len(p.text) {
			return nil, p.unclosed()
		}
		var n *Node
		var err *source.Error
		switch p.text[start] {
		case ')':
			if len(p.frames) == 0 || p.frames[len(p.frames)-1].def != nil {
				return nil, p.errorf(start, start+1, "unopened-list", "this parenthesis closes nothing")
			}
			p.pos++
			n, err = p.closeList()
		case '(':
			n, err = p.openList(start)
		default:
			var w *word
			if w, err = p.word(); err == nil {
				n, err = p.atom(w, start, p.pos)
			}
		}
		if err != nil {
			return nil, err
		}
		if n == nil {
			continue // a list was opened
		}
		n = p.fit(n)
		for len(p.frames) > 0 && p.frames[len(p.frames)-1].def != nil {
			n = p.leave(n)
		}
		if len(p.frames) == 0 {
			return n, nil
		}
		p.values = append(p.values, n)
	}
}

func (p *parser) unclosed() *source.Error {
	if len(p.frames) == 0 {
		return p.errorf(p.pos, p.pos, "no-expression", "there is no expression in the file")
	}
	f := p.frames[len(p.frames)-1]
	return p.errorf(f.start, f.start+1, "unclosed-list", "the list of %s is not closed", f.op.Name)
}

// expected returns what the next value is an operand of, and which one.
func (p *parser) expected() (*Op, *Operand) {
	if len(p.frames) == 0 {
		return nil, root
	}
	f := &p.frames[len(p.frames)-1]
	if f.def != nil {
		return nil, definedAs
	}
	if o := f.op.operand(len(p.values)-f.base, -1); o != nil {
		return f.op, o
	}
	return f.op, anyOperand
}

// openList reads the beginning of a list. The result is nil unless the list is a value at once: (x) is x,
// and a size expression is one integer.
func (p *parser) openList(start int) (*Node, *source.Error) {
	p.pos++
	w, err := p.listHead(start)
	if err != nil {
		return nil, err
	}
	nameStart := p.pos - len(w.text)
	p.skip()
	_, o := p.expected()
	if o.Optional {
		return p.readDummy(start, w)
	}
	if p.pos < len(p.text) && p.text[p.pos] == ')' {
		p.pos++
		return p.atom(w, start, p.pos)
	}
	if w.sizeOp != 0 && o.wantsInt() {
		p.pos = start
		return p.sizeNode(o)
	}
	op := w.op
	if w.family != CatCore {
		if nameStart = p.skip(); nameStart == len(p.text) || p.text[nameStart] == '(' {
			return nil, p.errorf(start, nameStart, "unknown-operator",
				"%s takes the name of an operator first", w)
		}
		name, err := p.word()
		if err != nil {
			return nil, err
		}
		if op = name.ops[w.family]; op == nil {
			return nil, p.unknownOperator(nameStart, name, w.family)
		}
	}
	if op == nil {
		return nil, p.unknownOperator(nameStart, w, CatCore)
	}
	p.frames = append(p.frames, frame{op: op, start: start, base: len(p.values)})
	return nil, nil
}

// listHead reads the word that a list begins with; start is the offset of its parenthesis.
func (p *parser) listHead(start int) (*word, *source.Error) {
	switch at := p.skip(); {
	case at == len(p.text):
		return nil, p.errorf(start, start+1, "unclosed-list", "this list is not closed")
	case p.text[at] == '(':
		return nil, p.errorf(at, at+1, "head-is-list", "a list begins with a word, not with a list")
	case p.text[at] == ')':
		return nil, p.errorf(start, at+1, "empty-list", "a list is not empty")
	}
	return p.word()
}

func (o *Operand) wantsInt() bool {
	return o.Sort == SortInt || o.Sort == SortSections || o.Sort == SortAny || o.Variadic
}

func (p *parser) sizeNode(o *Operand) (*Node, *source.Error) {
	start := p.pos
	var r sizeReader
	size, err := r.size(p, 0)
	if err != nil {
		return nil, err
	}
	if c, ok := size.Const(); ok && c.Sign() < 0 && !o.Signed {
		return nil, p.errorf(start, p.pos, "negative-number", "%s must not be negative: %s", o.Name, c)
	}
	lost := r.lost(size)
	text := ""
	if len(lost) > 0 {
		text = plainText(p.text[start:p.pos])
	}
	n := p.leaf(KindInt, text, size, start, p.pos)
	if len(lost) > 0 {
		if p.prog.lost == nil {
			p.prog.lost = map[*Node][]domain.Size{}
		}
		p.prog.lost[n] = lost
	}
	return n, nil
}

// lost returns the divisors read that the normal form of the size read does not show.
func (r *sizeReader) lost(size domain.Size) []domain.Size {
	shown := size.Divisors(nil)
	return slices.DeleteFunc(r.divisors, func(d domain.Size) bool { return slices.ContainsFunc(shown, d.Equal) })
}

// plainText writes a list in canonical form: no comments, single blanks.
func plainText(text string) string {
	r := &parser{text: text}
	var b strings.Builder
	open := true // nothing before, or a parenthesis that opens
	for start := r.skip(); start < len(text); start = r.skip() {
		r.token()
		if !open && text[start] != ')' {
			b.WriteByte(' ')
		}
		b.WriteString(text[start:r.pos])
		open = text[start] == '('
	}
	return b.String()
}

// token moves past the parenthesis or word that starts here.
func (p *parser) token() {
	switch p.text[p.pos] {
	case '(', ')':
		p.pos++
	case '"':
		p.quoted()
	default:
		for p.pos < len(p.text) && !delimiter[p.text[p.pos]] {
			p.pos++
		}
	}
}

// element moves past the word or list that starts after the blanks here. It fails at the end of a list.
func (p *parser) element() bool {
	for depth := 0; ; {
		if p.skip(); p.pos == len(p.text) {
			return false
		}
		switch p.text[p.pos] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth < 0 {
			return false
		}
		if p.token(); depth == 0 {
			return true
		}
	}
}

// closeList makes the call of the list that ends here.
func (p *parser) closeList() (*Node, *source.Error) {
	f := p.frames[len(p.frames)-1]
	args := p.values[f.base:]
	p.values = p.values[:f.base]
	p.frames = p.frames[:len(p.frames)-1]
	op := f.op
	if len(args) < op.least || op.rest < 0 && len(args) > len(op.Operands) {
		return nil, p.errorf(f.start, p.pos, "wrong-arity", "%s takes %s, got %d", op.Name, op.arity(),
			len(args))
	}
	if len(args) > 0 && args[len(args)-1] == dummy {
		args = args[:len(args)-1]
	}
	if _, o := p.expected(); op == OpLiteral && o.Sort == SortFloat {
		return args[0], nil // a node only for what the program holds
	}
	return p.call(op, args, f.start, p.pos), nil
}

// dummy stands for the last operand of an accelerator call that says nothing, while the call is read.
var dummy = &Node{}

// readDummy reads the rest of (shape 0), after its first word.
func (p *parser) readDummy(start int, head *word) (*Node, *source.Error) {
	op, _ := p.expected()
	if head.op == OpShape && p.pos < len(p.text) && !delimiter[p.text[p.pos]] {
		w, err := p.word()
		if err != nil {
			return nil, err
		}
		if p.skip(); w.text == "0" && p.pos < len(p.text) && p.text[p.pos] == ')' {
			p.pos++
			return dummy, nil
		}
	}
	return nil, p.notDummy(op, start, p.pos)
}

func (p *parser) notDummy(op *Op, start, end int) *source.Error {
	return p.errorf(start, end, "wrong-operand", "the last operand of %s is (shape 0) or left out", op.Name)
}

// hasDummy tells whether the last operand is one that says nothing: Glenside writes (shape 0) there.
func (op *Op) hasDummy() bool {
	return len(op.Operands) > 0 && op.Operands[len(op.Operands)-1].Optional
}

// fit inserts access-tensor where a raw tensor stands for an access pattern.
func (p *parser) fit(n *Node) *Node {
	// A name that stands for an access pattern has its access-tensor already, unless a definition brings it here.
	if n.Op != OpConstantTensor && (n.Kind != KindSymbol || p.asWritten) {
		return n
	}
	if _, o := p.expected(); o.Sort == SortAccess || o.Sort == SortAccessShape || o.Sort == SortAny {
		return p.call(OpAccessTensor, []*Node{n}, int(n.Start), int(n.End))
	}
	return n
}

// atom makes the node that a word stands for as an operand.
func (p *parser) atom(w *word, start, end int) (*Node, *source.Error) {
	op, o := p.expected()
	if o.Optional {
		return nil, p.notDummy(op, start, end)
	}
	if w.op != nil && w.op.least == 0 && w.text == w.op.Name {
		return p.call(w.op, nil, start, end), nil // shape is (shape)
	}
	if w.def != nil && o.Sort.definable() {
		return p.use(w.def, w, start, end)
	}
	switch o.Sort {
	case SortInt, SortSections:
		return p.intAtom(w, o, start, end)
	case SortFloat, SortLiteral:
		if !w.isFloat() {
			break
		}
		n, err := p.decimal(w, start, end)
		if err == nil && o.Sort == SortLiteral {
			n = p.call(OpLiteral, []*Node{n}, start, end)
		}
		return n, err
	case SortToken:
		if o.Words == nil {
			if t, ok := domain.ParseElem(w.text); ok {
				return p.leaf(KindToken, t.String(), domain.Size{}, start, end), nil
			}
			return nil, p.errorf(start, end, "unknown-type", "%s", notElemType(w.text))
		}
		if slices.Contains(o.Words, w.text) {
			return p.leaf(KindToken, w.text, domain.Size{}, start, end), nil
		}
		return nil, p.errorf(start, end, "wrong-operand", "%s of %s is %s, not %s",
			o.Name, op.Name, strings.Join(o.Words, " or "), w)
	case SortTensor:
		if !w.reserved() {
			return p.symbol(w, start, end), nil
		}
	case SortAccess, SortAccessShape, SortAny:
		switch {
		case w.isInt() && o.Sort == SortAny:
			return p.intAtom(w, o, start, end)
		case w.isInt() && o.Variadic && op.afterRest() != nil:
			return p.intAtom(w, op.afterRest(), start, end) // the axis after the tensors of relay-stack
		case w.isFloat() && o.Sort == SortAny:
			return p.decimal(w, start, end)
		case !w.reserved():
			if w.access == nil {
				w.access = p.call(OpAccessTensor, []*Node{p.symbol(w, start, end)}, start, end)
			}
			return w.access, nil
		}
	}
	return nil, p.wrongAtom(w, op, o, start, end)
}

func (p *parser) wrongAtom(w *word, op *Op, o *Operand, start, end int) *source.Error {
	what := fmt.Sprintf("the word %s", w)
	switch {
	case w.isFloat():
		what = fmt.Sprintf("the number %s", w)
	case w.op != nil || w.family != CatCore:
		what = fmt.Sprintf("the operator %s without operands", w)
	case w.reserved():
		what = fmt.Sprintf("%s, which is a word of the language", w)
	}
	switch {
	case o == definedAs:
		return p.errorf(start, end, "wrong-operand", "a definition is a tensor, an access pattern or a tuple, not %s", what)
	case op == nil:
		return p.errorf(start, end, "wrong-operand", "a program is an access pattern, not %s", what)
	}
	return p.errorf(start, end, "wrong-operand", "%s of %s is %s, not %s", o.Name, op.Name, o.Sort, what)
}

// symbol returns the node of a tensor name.
func (p *parser) symbol(w *word, start, end int) *Node {
	if w.symbol == nil {
		w.symbol = p.leaf(KindSymbol, w.text, domain.Size{}, start, end)
	}
	return w.symbol
}

// intAtom returns the node of a number or a named size.
func (p *parser) intAtom(w *word, o *Operand, start, end int) (*Node, *source.Error) {
	if w.int == nil {
		size, err := p.wordSize(w, start, end)
		if err != nil {
			return nil, err
		}
		w.int = p.leaf(KindInt, "", size, start, end)
	}
	if n, ok := w.int.Int.Int64(); ok && n < 0 && !o.Signed {
		return nil, p.errorf(start, end, "negative-number", "%s must not be negative: %s", o.Name, w)
	}
	return w.int, nil
}

// decimal returns the node of a decimal literal.
func (p *parser) decimal(w *word, start, end int) (*Node, *source.Error) {
	if _, ok := ParseDecimal(w.text); !ok && !strings.Contains(strings.ToLower(w.text), "inf") {
		return nil, p.errorf(start, end, "too-large", "a literal has at most %d digits and an exponent of at most %d",
			maxDigits, maxExponent)
	}
	return p.leaf(KindFloat, w.text, domain.Size{}, start, end), nil
}

// wordSize returns the size that a word stands for.
func (p *parser) wordSize(w *word, start, end int) (domain.Size, *source.Error) {
	if w.isInt() {
		size, ok := decimalSize(w.text)
		if !ok {
			return domain.Size{}, p.errorf(start, end, "too-large", "a number has at most %d digits", maxDigits)
		}
		return size, nil
	}
	if w.reserved() || w.sizeOp != 0 {
		return domain.Size{}, p.errorf(start, end, "wrong-operand", "%s is not an integer or the name of a size", w)
	}
	return domain.NamedSize(w.text), nil
}

// decimalSize reads a number of at most maxDigits digits.
func decimalSize(text string) (domain.Size, bool) {
	if !isInteger(text) || len(text) > maxDigits {
		return domain.Size{}, false
	}
	n, ok := new(big.Int).SetString(text, 10)
	return domain.BigSize(n), ok
}

func (p *parser) unknownOperator(start int, w *word, family Category) *source.Error {
	end := start + len(w.text)
	for c, callWord := range callWords {
		if op := spellings[c][w.text]; op != nil && Category(c) != family {
			return p.errorf(start, end, "unknown-operator", "%s is called as (%s ...)", w, op.head())
		} else if callWord == w.text {
			return p.errorf(start, end, "unknown-operator", "%s is not the name of an operator", w)
		}
	}
	if near := nearest(w.text, family); near != "" {
		return p.errorf(start, end, "unknown-operator", "there is no operator %s; did you mean %s?", w, near)
	}
	return p.errorf(start, end, "unknown-operator", "there is no operator %s", w)
}

// nearest returns the spelling of a category, or the word of a form, that name is a likely misspelling of, or "".
func nearest(name string, family Category) string {
	var words []string
	for _, op := range table {
		if op.Category == family || family == CatCore && op.Category == CatHardware {
			words = append(append(words, op.Name), op.Aliases...)
		}
	}
	if family == CatCore { // what stands at the head of a list otherwise
		words = append(append(words, callWords[:]...), wordInput, wordAssume, wordDefine)
	}
	return spelling.Nearest(name, words)
}

// delimiter holds the bytes that end a bare word, blank those between words.
var delimiter, blank [256]bool

func init() {
	for _, c := range []byte(" \t\r\n\f\v") {
		blank[c], delimiter[c] = true, true
	}
	for _, c := range []byte("();") {
		delimiter[c] = true
	}
}

// skip moves to the next byte that is neither blank nor in a comment, and returns its offset.
func (p *parser) skip() int {
	for p.pos < len(p.text) {
		c := p.text[p.pos]
		if c == ';' {
			if end := strings.IndexByte(p.text[p.pos:], '\n'); end >= 0 {
				p.pos += end
			} else {
				p.pos = len(p.text)
			}
		} else if !blank[c] {
			break
		} else {
			p.pos++
		}
	}
	return p.pos
}

// word reads the word that starts here.
func (p *parser) word() (*word, *source.Error) {
	start := p.pos
	h := uint32(2166136261)
	var text string
	if p.text[start] == '"' {
		if !p.quoted() {
			return nil, p.errorf(start, start+1, "unclosed-quote", "this quote is not closed")
		}
		if text = p.text[start+1 : p.pos-1]; text == "" {
			return nil, p.errorf(start, p.pos, "bad-character", "a word is not empty")
		}
		for i := range len(text) {
			h = (h ^ uint32(text[i])) * 16777619
		}
	} else {
		i := start
		for i < len(p.text) && !delimiter[p.text[i]] {
			h = (h ^ uint32(p.text[i])) * 16777619
			i++
		}
		p.pos = i
		text = p.text[start:i]
	}
	w, fresh := p.words.find(text, h)
	if fresh && !utf8.ValidString(text) || fresh && bytes.ContainsFunc([]byte(text), isControl) {
		return nil, p.errorf(start, p.pos, "bad-character", "a word has control characters or is not UTF-8")
	}
	return w, nil
}

// isControl tells whether a rune would not show in a report.
func isControl(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f }

// quoted moves past the quoted word that starts here: a backslash keeps the next byte from ending it.
func (p *parser) quoted() bool {
	for p.pos++; p.pos < len(p.text); p.pos++ {
		switch p.text[p.pos] {
		case '\\':
			p.pos++
		case '"':
			p.pos++
			return true
		}
	}
	p.pos = len(p.text)
	return false
}
