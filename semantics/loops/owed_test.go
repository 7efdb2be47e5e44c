package loops_test

import (
	"math/big"
	"testing"

	"tv/internal/source"
	"tv/semantics/domain"
	"tv/semantics/loops"
)

// TestChoiceOwes: what a choice reads as its condition does is owed in any case; what it reads besides may be read for some
// contents alone, and where that is within bounds is no condition on sizes.
func TestChoiceOwes(t *testing.T) {
	float := domain.Float32
	a := &loops.Buffer{Name: "A", Elem: float, Dims: []*loops.Int{loops.SizeOf("M")}}
	b := &loops.Buffer{Name: "B", Elem: float, Dims: []*loops.Int{loops.SizeOf("K")}}
	for _, other := range []*loops.Buffer{a, b} {
		l := &loops.For{Name: "i", Lo: []*loops.Int{loops.Num(0)}, Hi: []*loops.Int{loops.SizeOf("N")}, Step: loops.Num(1)}
		at := func(b *loops.Buffer) loops.Access {
			return loops.Access{Buffer: b, At: []*loops.Int{loops.CounterOf(l)}}
		}
		zero := &loops.Expr{Op: loops.Literal, Elem: float, Number: new(big.Rat)}
		above := &loops.Expr{Op: loops.IsLess, Elem: domain.Elem{Kind: domain.ElemBool, Width: 1}, Args: []*loops.Expr{zero, loops.Element(at(a))}}
		relu := &loops.Expr{Op: loops.Choice, Elem: float, Args: []*loops.Expr{above, loops.Element(at(other)), zero}}
		l.Body = []loops.Stmt{&loops.Assign{To: at(a), Value: relu}}
		p := &loops.Procedure{File: source.NewFile("x", ""), Name: "relu", Buffers: []*loops.Buffer{a, b}, Body: []loops.Stmt{l},
			Heading: []*loops.Parameter{{Size: "N"}, {Size: "M"}, {Size: "K"}, {Buffer: a}, {Buffer: b}}}
		s, err := loops.SourceOf(p, false)
		if err != nil {
			t.Fatal(err)
		}
		typed, err := s.Under(&domain.Env{}, nil)
		if (err == nil) != (other == a) {
			t.Errorf("reading %s: %v", other.Name, err)
		}
		if other == a && len(typed.Conditions()) == 0 {
			t.Error("N may be above M")
		}
	}
}

// TestStatements: what many statements owe is not worked out.
func TestStatements(t *testing.T) {
	a := &loops.Buffer{Name: "A", Elem: domain.Float32, Dims: []*loops.Int{loops.SizeOf("N")}}
	zero := &loops.Expr{Op: loops.Literal, Elem: domain.Float32, Number: new(big.Rat)}
	p := &loops.Procedure{File: source.NewFile("x", ""), Name: "f", Buffers: []*loops.Buffer{a}, Heading: []*loops.Parameter{{Size: "N"}, {Buffer: a}}}
	for range 1<<16 + 1 {
		p.Body = append(p.Body, &loops.Assign{To: loops.Access{Buffer: a, At: []*loops.Int{loops.Num(0)}}, Value: zero})
	}
	s, err := loops.SourceOf(p, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Under(&domain.Env{}, nil); err == nil || source.AsErrors(err)[0].Code != "too-large" {
		t.Errorf("%v, want too-large", err)
	}
}
