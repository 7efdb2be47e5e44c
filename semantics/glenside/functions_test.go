package glenside_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"tv/glenside"
	"tv/internal/languages"
	"tv/internal/source"
	"tv/proofs"
	"tv/semantics"
	"tv/semantics/domain"
	language "tv/semantics/glenside"
	"tv/semantics/index"
	"tv/semantics/term"
	"tv/semantics/value"
)

var declaration = regexp.MustCompile(`(\(input \w+ \(shape[^)]*\))( \w+)?\)`)

// Which types have an operator is said three times, by people who do not ask each other: the operator table, the checker,
// and the evaluator, which has a value wherever a type that is no float has the operator.
func TestFunctionsOfTypes(t *testing.T) {
	for _, op := range glenside.Ops() {
		for _, name := range []string{"bool", "int8", "uint16", "sat8", "fix4.4", "adaptive8.3", "float32"} {
			elem, _ := domain.ParseElem(name)
			text := declaration.ReplaceAllString(op.Example, "$1 "+name+")")
			s, err := language.Language.Parse(source.NewFile("a.sexp", text))
			if err != nil {
				t.Fatal(err)
			}
			env, err := domain.Merge([]domain.Declarations{s.Declarations()})
			if err != nil {
				t.Fatal(err)
			}
			p, err := s.Type(env)
			if err != nil || op.Category == glenside.CatAccelerator || op.Name == "relay-dropout" {
				continue // indices of take are integers; machines have numerics; a mask is a symbol of every type
			}
			suits := semantics.Suits(p, domain.Exact) == nil
			if suits != op.Of.Has(elem) {
				t.Errorf("%s of %s: Suits says %v", op.Name, name, suits)
			}
			if semantics.Suits(p, domain.Real) != nil {
				t.Errorf("%s of %s has no meaning in real numbers", op.Name, name)
			}
			if elem.Kind != domain.ElemFloat && suits != interpreted(t, p) {
				t.Errorf("%s of %s: the evaluator says %v, the table %v", op.Name, name, !suits, suits)
			}
			if elem.Kind != domain.ElemFloat && suits == opaque(t, p) {
				t.Errorf("%s of %s: the lowering says %v, the table %v", op.Name, name, !suits, suits)
			}
			stated := proofs.Statement{Before: text, After: text, Arith: domain.Exact}
			_, err = languages.Checker.Check("c", proofs.Format([]proofs.Pair{{Statement: stated}}))
			if refused := err != nil && strings.Contains(err.Error(), " has no "); refused == suits {
				t.Errorf("%s of %s: the checker says %v, the table %v", op.Name, name, err, suits)
			}
		}
	}
}

// interpreted tells whether no element that is asked for rests on a symbol.
func interpreted(t *testing.T, p semantics.Program) bool {
	in := value.Random(1, value.Exact, value.Positive, p.Inputs())
	e, err := p.Evaluate(domain.Exact, domain.Point{}, in, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range p.Result().Components() {
		var symbol *value.UninterpretedError
		dims := e.Dims(c.Path)
		for i := range dims {
			if dims[i] == 0 {
				return true
			}
		}
		if _, err := e.Element(c.Path, make([]int64, len(dims))); errors.As(err, &symbol) {
			return false
		}
	}
	return true
}

// opaque tells whether terms rest on a symbol.
func opaque(t *testing.T, p semantics.Program) bool {
	b := term.NewBuilder()
	low, err := p.Lower(b, semantics.LowerOptions{Arith: domain.Exact, Whole: true, Size: func(string) *index.Expr { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	return len(low.Opaque) > 0
}
