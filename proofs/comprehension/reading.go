// Package comprehension is the checker's reading of comprehensions, written from section 3 of
// doc/languages.md alone.
//
//	reading.go   texts: statements, indices, their ranges, what is accessed
//	elements.go  an element of a part, by its index
package comprehension

import (
	"regexp"
	"slices"
	"sync"

	"tv/internal/source"
	"tv/proofs/algebra"
	"tv/proofs/procedures"
	"tv/semantics/domain"
)

// Reading reads comprehensions.
type Reading struct{}

type (
	node  = procedures.Node
	index = procedures.Index
)

// A program is a text that was read.
type program struct {
	procedures.Program
	sizes      map[string]bool
	statements []*statement
}

type statement struct {
	target       int
	op           string
	value        *node
	free, summed []*index // the free ones one for each dim
	reads        []*node
	known        map[*index]bool // that have a range
}

// A parser reads a program.
type parser struct {
	*procedures.Words
	*program
}

var word = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([ \t\r]+|#.*|[A-Za-z_]\w*(\.\d+)?|` + // types have a point
		`(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|\+=!|\+=|[\n=+*(),:\[\]-])`)
})

var check = procedures.Check

// Read implements Reading.
func (Reading) Read(f *source.File) (algebra.Source, error) {
	out := &program{sizes: map[string]bool{}}
	err := procedures.Read(f, word(), " \t\r#", func(w *procedures.Words) {
		p := parser{w, out}
		p.Lines()
		for p.heading(); p.Lines(); {
			p.statement()
		}
		check(len(p.Steps) > 0, p.Next(), "no-result", "no statement writes a parameter")
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (p parser) heading() {
	p.Procedure = p.Expect("function", "procedure").Text() == "procedure"
	p.Name()
	p.List("(", ")", func() {
		at, t := p.Name(), p.Next()
		elem, ok := domain.ParseElem(t.Text())
		check(ok, t, "unknown-type", "%s is no element type", t.Text())
		q := &procedures.Param{Name: at.Text(), Elem: elem, Span: at}
		p.Declare(q)
		p.List("[", "]", func() {
			d := p.Expression()
			d.Names(func(s source.Span) { p.sizes[s.Text()] = true })
			q.Dims = append(q.Dims, d.Size())
		})
	})
	p.Expect("\n", "")
}

// indices are all of a statement, the free ones first.
func (s *statement) indices() []*index { return slices.Concat(s.free, s.summed) }

func (s *statement) index(name string) *index {
	for _, x := range s.indices() {
		if x.Name == name {
			return x
		}
	}
	return nil
}

func (p parser) statement() {
	at := p.Name()
	s := &statement{target: p.Find(at), known: map[*index]bool{}}
	p.List("(", ")", func() {
		x := p.Name()
		check(!p.sizes[x.Text()] && s.index(x.Text()) == nil, x, "redefined-name",
			"%s is a size or an index already", x.Text())
		s.free = append(s.free, &index{Name: x.Text()})
	})
	dims := p.Params[s.target].Dims
	check(len(s.free) == len(dims), at, "bad-rank", "%s has %d dims", at.Text(), len(dims))
	for k, d := range dims {
		s.free[k].Hi, s.known[s.free[k]] = d, true
	}
	s.op = p.Expect("=", "+=", "+=!").Text()
	s.value = p.Expression()
	p.resolve(s, s.value)
	ranged := map[*index]bool{}
	for on := p.Is("where"); on; on = p.Is(",") {
		p.Next()
		p.ranged(s, ranged)
	}
	for _, x := range s.summed {
		check(s.known[x], at, "range-unknown", "no range of %s is known", x.Name)
	}
	check(s.op != "=" || s.summed == nil, at, "free-index", "a sum needs += or +=!")
	p.Expect("\n", "")
	// a sum over nothing is written too: no summed index excuses a write
	for k, x := range s.free {
		p.access(s.target, k, procedures.Affine{x.Name: domain.IntSize(1)}, s.free)
	}
	for _, n := range s.reads {
		for k, sub := range n.Subs {
			p.access(n.Param, k, sub, s.indices())
		}
	}
	p.statements, p.Steps = append(p.statements, s), append(p.Steps, s.target)
	p.Nested += s.value.Depth
}

func (p parser) access(param, axis int, at procedures.Affine, over []*index) {
	p.Accesses = append(p.Accesses, procedures.Access{Param: param, Axis: axis, At: at, Over: over})
}

// ranged reads a range.
func (p parser) ranged(s *statement, before map[*index]bool) {
	at := p.Name()
	x := s.index(at.Text())
	check(!p.sizes[at.Text()], at, "redefined-name", "%s is a size", at.Text())
	check(x != nil, at, "unknown-name", "%s is no index of the statement", at.Text())
	check(!before[x], at, "redefined-name", "%s has a range already", at.Text())
	p.Expect("in")
	x.Lo = p.bound()
	p.Expect(":")
	x.Hi, s.known[x], before[x] = p.bound(), true, true
}

// bound is an end of a range, where all names are sizes.
func (p parser) bound() domain.Size {
	n := p.Expression()
	n.Names(func(at source.Span) {
		check(p.sizes[at.Text()], at, "unknown-name", "%s is no size", at.Text())
	})
	return n.Size()
}

// resolve finds what a value reads, and its summed indices, from left to right.
func (p parser) resolve(s *statement, n *node) {
	check(n.Op != 'x', n.Span, "bad-syntax", "a value has no names but of tensors")
	if n.Op != '(' {
		for _, a := range n.Args {
			p.resolve(s, a)
		}
		return
	}
	n.Param = p.Find(n.Span)
	q := p.Params[n.Param]
	check(q.Elem == p.Params[s.target].Elem, n.Span, "type-mismatch", "%s is of %s", q.Name, q.Elem)
	check(len(n.Args) == len(q.Dims), n.Span, "bad-rank", "%s has %d dims", q.Name, len(q.Dims))
	for k, sub := range n.Args {
		sub.Names(func(at source.Span) {
			if !p.sizes[at.Text()] && s.index(at.Text()) == nil {
				s.summed = append(s.summed, &index{Name: at.Text()})
			}
		})
		if x := s.index(sub.Span.Text()); sub.Op == 'x' && x != nil && !s.known[x] {
			x.Hi, s.known[x] = q.Dims[k], true
		}
		n.Subs = append(n.Subs, sub.Affine(s.indices()))
	}
	s.reads = append(s.reads, n)
}
