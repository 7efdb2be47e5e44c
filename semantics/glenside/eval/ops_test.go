package eval

import (
	"errors"
	"maps"
	"testing"

	"tv/glenside"
	"tv/internal/source"
	"tv/semantics/domain"
	"tv/semantics/value"
)

// A tester is a test or a property.
type tester interface {
	Helper()
	Fatalf(format string, args ...any)
}

// typed parses and checks a program.
func typed(t tester, text string) *glenside.Typing {
	t.Helper()
	p, err := glenside.Parse(source.NewFile("test.sexp", text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	ty, err := glenside.Check(p, nil)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return ty
}

func TestEveryOperatorHasARule(t *testing.T) {
	left := maps.Clone(rules)
	for _, op := range glenside.Ops() {
		if rules[op.Name] == nil {
			t.Errorf("no rule for %s", op.Name)
		}
		delete(left, op.Name)
	}
	for name := range left {
		t.Errorf("a rule for %s, which is no operator", name)
	}
}

// The examples of the operator table evaluate, in both arithmetics, up to what is uninterpreted.
func TestExamples(t *testing.T) {
	for _, op := range glenside.Ops() {
		ty := typed(t, op.Example)
		for _, a := range []value.Arith{value.Real, value.Exact} {
			var in value.Inputs = value.Random(1, a, value.Positive, ty.Tensors)
			if op.Name == "relay-take" {
				in = ones{ty, a} // in range as indices
			}
			e, err := New(ty, a, nil, in)
			if err != nil {
				t.Errorf("New(%s, %s): %v", op.Example, a, err)
				continue
			}
			if _, err := all(e, nil); err != nil {
				var symbol *value.UninterpretedError
				if !errors.As(err, &symbol) {
					t.Errorf("%s in %s: %v", op.Example, a, err)
				} else {
					t.Log(op.Name, a, err)
				}
			}
		}
	}
}

// ones are inputs all of whose elements are 1.
type ones struct {
	ty *glenside.Typing
	a  value.Arith
}

func (o ones) Element(name string, _ int64) value.Value {
	for _, t := range o.ty.Tensors {
		if t.Name == name {
			return value.IntValue(1, o.a, t.Elem)
		}
	}
	panic("no tensor " + name)
}

// all returns all elements of the result, those of a tuple one component after the other.
func all(e *Evaluator, path []int) ([]value.Value, error) {
	r := e.component(path)
	var values []value.Value
	for i := range r.items {
		part, err := all(e, append(path, i))
		if err != nil {
			return nil, err
		}
		values = append(values, part...)
	}
	if r.tree == nil {
		return values, nil
	}
	index := make([]int64, len(r.dims))
	for offset := range volume(r.dims) {
		unflatten(offset, r.dims, index)
		v, err := e.Element(path, index)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return values, nil
}

func TestRealFailsOnExactValues(t *testing.T) {
	e := evaluator(t, "(input A (shape 2) int8)(compute relu (access A 1))", value.Real,
		value.Tensors{"A": []value.Value{value.IntValue(1, value.Exact, domain.Elem{Kind: domain.ElemInt, Width: 8})}})
	for i, want := range []string{
		"A[offset 0]: 1 is an element of int8, not a real number",
		"no value for element 1 of A",
	} {
		if _, err := e.Element(nil, []int64{int64(i)}); err == nil || err.Error() != want {
			t.Errorf("element %d: %v, want %s", i, err, want)
		}
	}
}

// integer returns a number of the arithmetic real.
func integer(n int64) value.Value { return value.IntValue(n, value.Real, domain.Float32) }

// After Reset an evaluator computes what a new one does from inputs that have changed.
func TestReset(t *testing.T) {
	ty := typed(t, "(input A (shape 3 4) int8)(compute softmax (access (compute elementwise-add (access A 1)) 0))")
	mul := typed(t, `(input A (shape 3 4) int8)
(compute dot-product (access-cartesian-product (access A 1) (access A 1)))`)
	for _, ty := range []*glenside.Typing{ty, mul} {
		values := make([]value.Value, 12)
		in := value.Tensors{"A": values}
		e, err := New(ty, value.Real, nil, in)
		if err != nil {
			t.Fatal(err)
		}
		for round := range 4 {
			for i := range values {
				values[i] = value.IntValue(int64(i*round%7), value.Real, domain.Elem{})
			}
			e.Reset()
			fresh, err := New(ty, value.Real, nil, in)
			if err != nil {
				t.Fatal(err)
			}
			for i := range e.Dims(nil)[0] {
				index := append([]int64{i}, make([]int64, len(e.Dims(nil))-1)...)
				got, errGot := e.Element(nil, index)
				want, errWant := fresh.Element(nil, index)
				if errGot != nil || errWant != nil || got.String() != want.String() {
					t.Errorf("round %d, %v: %v %v after Reset, %v %v anew", round, index, got, errGot, want, errWant)
				}
			}
		}
	}
}
