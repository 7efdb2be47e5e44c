package glenside

import (
	"tv/internal/source"
	"tv/semantics/domain"
)

// declaration reads (input NAME (shape DIM...) [TYPE]).
func (p *parser) declaration(start int) *source.Error {
	p.pos++
	p.skip()
	p.pos += len(wordInput)
	in := &domain.Input{Elem: domain.Float32}
	at := p.skip()
	if !p.atWord() {
		return p.errorf(start, at, "bad-declaration", "a declaration is (input NAME (shape DIM...) [TYPE])")
	}
	name, err := p.word()
	if err != nil {
		return err
	}
	if in.Name = name.text; name.reserved() {
		return p.errorf(at, p.pos, "reserved-word", "%s cannot be the name of a tensor", name)
	}
	if in.Dims, err = p.dims(); err != nil {
		return err
	}
	if at = p.skip(); p.atWord() {
		w, err := p.word()
		if err != nil {
			return err
		}
		t, ok := domain.ParseElem(w.text)
		if !ok {
			return p.errorf(at, p.pos, "unknown-type", "%s", notElemType(w.text))
		}
		in.Elem = t
	}
	if err := p.closing(start, "bad-declaration", "the declaration of "+in.Name); err != nil {
		return err
	}
	in.Span = source.Span{File: p.file, Start: start, End: p.pos}
	if other := p.declared[in.Name]; other != nil {
		return p.errorf(start, p.pos, "duplicate-input", "%s is declared twice, first at %s",
			in.Name, other.Span.Position())
	}
	if d := name.def; d != nil {
		return p.errorf(start, p.pos, "redefined-name", "%s is defined at %s", name, d.Span.Position())
	}
	p.declared[in.Name] = in
	p.prog.Inputs = append(p.prog.Inputs, in)
	return nil
}

// atWord tells whether a word starts here.
func (p *parser) atWord() bool {
	return p.pos < len(p.text) && p.text[p.pos] != '(' && p.text[p.pos] != ')'
}

// closing reads the parenthesis that ends a declaration or condition.
func (p *parser) closing(start int, code, what string) *source.Error {
	switch at := p.skip(); {
	case at == len(p.text):
		return p.errorf(start, start+1, "unclosed-list", "the list of %s is not closed", what)
	case p.text[at] != ')':
		return p.errorf(at, at+1, code, "%s goes on after its last part", what)
	}
	p.pos++
	return nil
}

// dims reads (shape DIM...) where a DIM is a number, a size or (SIZE 0); shape alone is a scalar's.
func (p *parser) dims() ([]domain.Dim, *source.Error) {
	const usage = "the shape of an input is (shape DIM...)"
	start := p.skip()
	if p.atWord() {
		if w, err := p.word(); err != nil || w.op != OpShape {
			return nil, p.errorf(start, p.pos, "bad-declaration", usage)
		}
		return nil, nil
	}
	if start == len(p.text) || p.text[start] == ')' || p.headWord() != "shape" {
		return nil, p.errorf(start, min(start+1, len(p.text)), "bad-declaration", usage)
	}
	p.pos++
	p.skip()
	p.pos += len("shape")
	dims := []domain.Dim{}
	for {
		at := p.skip()
		if at == len(p.text) {
			return nil, p.errorf(start, start+1, "unclosed-list", "the shape is not closed")
		}
		if p.text[at] == ')' {
			p.pos++
			return dims, nil
		}
		d, err := p.dim()
		if err != nil {
			return nil, err
		}
		dims = append(dims, d)
	}
}

// dim reads a number, a size or (SIZE 0), where a size is a name or an expression over names.
func (p *parser) dim() (domain.Dim, *source.Error) {
	const usage = "a dim of an input is a number, a size or (SIZE 0)"
	start := p.pos
	list := p.text[start] == '(' && sizeOpOf[p.headWord()] == 0
	if list {
		p.pos++
		p.skip()
	}
	at := p.pos
	if at == len(p.text) || p.text[at] == ')' {
		return domain.Dim{}, p.errorf(start, min(p.pos+1, len(p.text)), "bad-declaration", usage)
	}
	var r sizeReader
	size, err := r.size(p, 0)
	if err != nil {
		if err.Code == "wrong-operand" || err.Code == "bad-size" {
			err.Code, err.Msg = "bad-declaration", usage+": "+err.Msg
		}
		return domain.Dim{}, err
	}
	if d := r.lost(size); len(d) > 0 {
		return domain.Dim{}, p.errorf(at, p.pos, "bad-declaration", "the divisor %s vanishes from the size %s", d[0], size)
	}
	d := domain.Dim{Size: size}
	if c, ok := size.Const(); !ok {
		d.Min = 1
	} else if c.Sign() < 0 {
		return domain.Dim{}, p.errorf(start, p.pos, "negative-number", "a dim must not be negative: %s", c)
	}
	if !list {
		return d, nil
	}
	if p.skip(); p.atWord() && d.Min == 1 {
		w, err := p.word()
		if err != nil {
			return domain.Dim{}, err
		}
		if w.text != "0" {
			return domain.Dim{}, p.errorf(start, p.pos, "bad-declaration",
				"the least value of a dim is declared as 0 or not at all; assume says more")
		}
		d.Min = 0
	}
	if p.skip(); p.pos == len(p.text) || p.text[p.pos] != ')' {
		return domain.Dim{}, p.errorf(start, min(p.pos+1, len(p.text)), "bad-declaration", usage)
	}
	p.pos++
	return d, nil
}

// assume reads (assume PRED).
func (p *parser) assume(start int) *source.Error {
	p.pos++
	p.skip()
	p.pos += len(wordAssume)
	pred, err := p.pred(0)
	if err != nil {
		return err
	}
	if err := p.closing(start, "bad-condition", "the assume"); err != nil {
		return err
	}
	span := source.Span{File: p.file, Start: start, End: p.pos}
	p.prog.Assumes = append(p.prog.Assumes, &domain.Assume{Pred: pred, Span: span})
	return nil
}

// ParseSize reads a size in the form that Size.String prints. Errors: source.Errors.
func ParseSize(f *source.File) (domain.Size, error) {
	return whole(f, func(p *parser) (domain.Size, *source.Error) {
		var r sizeReader
		return r.size(p, 0)
	})
}

// ParsePred reads a condition in the form that Pred.String prints. Errors: source.Errors.
func ParsePred(f *source.File) (*domain.Pred, error) {
	return whole(f, func(p *parser) (*domain.Pred, *source.Error) { return p.pred(0) })
}

// whole reads all of a file with one method of a parser.
func whole[T any](f *source.File, read func(*parser) (T, *source.Error)) (T, error) {
	p := newParser(f)
	out, err := read(p)
	if err == nil {
		err = p.end()
	}
	if err != nil {
		var none T
		return none, source.Errors{err}
	}
	return out, nil
}

// pred reads a condition; depth counts the conditions around it.
func (p *parser) pred(depth int) (*domain.Pred, *source.Error) {
	const usage = "a condition is (= a b), (< a b), (<= a b), (divides a b), (not c), (and c...) or (or c...)"
	start := p.skip()
	if start == len(p.text) || p.text[start] != '(' {
		return nil, p.errorf(start, min(start+1, len(p.text)), "bad-condition", usage)
	}
	if depth > maxSizeDepth {
		return nil, p.errorf(start, start+1, "too-deep", "conditions nest at most %d deep", maxSizeDepth)
	}
	p.pos++
	head, err := p.listHead(start)
	if err != nil {
		return nil, err
	}
	op, ok := domain.PredOpOf(head.text)
	if !ok {
		return nil, p.errorf(start, p.pos, "bad-condition", usage)
	}
	pred := &domain.Pred{Op: op}
	if op < domain.PredNot {
		var r sizeReader
		if pred.A, err = r.size(p, 0); err != nil {
			return nil, err
		}
		if pred.B, err = r.size(p, 0); err != nil {
			return nil, err
		}
	}
	for op >= domain.PredNot {
		if p.skip(); p.pos < len(p.text) && p.text[p.pos] == ')' {
			break
		}
		q, err := p.pred(depth + 1)
		if err != nil {
			return nil, err
		}
		pred.Args = append(pred.Args, q)
	}
	if err := p.closing(start, "bad-condition", "the condition"); err != nil {
		return nil, err
	}
	if op == domain.PredNot && len(pred.Args) != 1 {
		return nil, p.errorf(start, p.pos, "bad-condition", "not takes one condition, got %d", len(pred.Args))
	}
	return pred, nil
}

// A sizeReader reads size expressions and collects their divisors other than positive constants.
type sizeReader struct {
	divisors []domain.Size
}

// size reads a number, a name or (OP size...); depth counts the lists around it.
func (r *sizeReader) size(p *parser, depth int) (domain.Size, *source.Error) {
	const usage = "a size is a number, a name or one of (+ a...), (- a b...), (* a...), (div a b), " +
		"(mod a b), (max a...), (min a...)"
	start := p.skip()
	if start == len(p.text) || p.text[start] == ')' {
		return domain.Size{}, p.errorf(start, min(start+1, len(p.text)), "bad-size", usage)
	}
	if p.text[start] != '(' {
		w, err := p.word()
		if err != nil {
			return domain.Size{}, err
		}
		return p.wordSize(w, start, p.pos)
	}
	if depth > maxSizeDepth {
		return domain.Size{}, p.errorf(start, start+1, "too-deep", "sizes nest at most %d deep", maxSizeDepth)
	}
	p.pos++
	head, err := p.listHead(start)
	if err != nil {
		return domain.Size{}, err
	}
	var args []domain.Size
	for {
		at := p.skip()
		if at == len(p.text) {
			return domain.Size{}, p.errorf(start, start+1, "unclosed-list", "this size is not closed")
		}
		if p.text[at] == ')' {
			p.pos++
			break
		}
		a, err := r.size(p, depth+1)
		if err != nil {
			return domain.Size{}, err
		}
		args = append(args, a)
	}
	if len(args) == 0 {
		return p.wordSize(head, start, p.pos) // (N) is N
	}
	if head.sizeOp == 0 {
		return domain.Size{}, p.errorf(start, p.pos, "bad-size", usage)
	}
	return r.apply(p, head, args, start)
}

func (r *sizeReader) apply(p *parser, head *word, args []domain.Size, start int) (domain.Size, *source.Error) {
	result := args[0]
	switch {
	case head.sizeOp == domain.SizeDiv || head.sizeOp == domain.SizeMod:
		if len(args) != 2 {
			return domain.Size{}, p.errorf(start, p.pos, "bad-size", "%s takes 2 sizes, got %d", head.text,
				len(args))
		}
		if d, ok := args[1].Const(); !ok {
			r.divisors = append(r.divisors, args[1])
		} else if d.Sign() <= 0 {
			return domain.Size{}, p.errorf(start, p.pos, "bad-divisor", "division by %s: a divisor is positive", d)
		}
		result = sizeOps[head.text](args[0], args[1])
	case head.text == "-" && len(args) == 1:
		result = domain.Size{}.Sub(args[0])
	default:
		for _, a := range args[1:] {
			result = sizeOps[head.text](result, a)
			if result.TooLarge() {
				break
			}
		}
	}
	if result.TooLarge() {
		return domain.Size{}, p.errorf(start, p.pos, "too-large", "the size has more than %d parts or %d bits",
			domain.LargestWeight, domain.LargestBits)
	}
	return result, nil
}

var sizeOps = map[string]func(a, b domain.Size) domain.Size{
	"+": domain.Size.Add, "-": domain.Size.Sub, "*": domain.Size.Mul, "div": domain.Size.Div, "mod": domain.Size.Mod, "max": domain.Size.Max,
	"min": domain.Size.Min,
}
