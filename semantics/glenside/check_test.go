package glenside

import (
	"testing"

	"tv/internal/source"
	"tv/semantics/domain"
)

// A source is typed once under declarations that say the same, and anew under others.
func TestCheckedOnce(t *testing.T) {
	parsed, err := Language.Parse(source.NewFile("a.sexp", "(compute relu (access (access-tensor A) 0))\n"))
	if err != nil {
		t.Fatal(err)
	}
	s := parsed.(*Source)
	env := func(elem domain.Elem, least int64, dims ...domain.Size) *domain.Env {
		return &domain.Env{Tensors: map[string]domain.Tensor{"A": {Name: "A", Dims: dims, Elem: elem}},
			Mins: map[string]int64{"N": least}}
	}
	n, float := domain.NamedSize("N"), domain.Float32
	first, err := s.Check(env(float, 1, n))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := s.Check(env(float, 1, n)); err != nil || again != first {
		t.Errorf("typed again under the same declarations: %v", err)
	}
	other, _ := domain.ParseElem("float16")
	named := env(float, 1, n)
	named.Sizes = map[string]domain.Size{"N": domain.IntSize(3)}
	for i, e := range []*domain.Env{env(other, 1, n), env(float, 0, n), env(float, 1, n, n), env(float, 1, domain.IntSize(4)), named} {
		if again, err := s.Check(e); err != nil || again == first {
			t.Errorf("declarations %d: the types of others, or %v", i, err)
		}
		if first, err = s.Check(env(float, 1, n)); err != nil {
			t.Error(err)
		}
	}
	if _, err := s.Check(&domain.Env{}); err == nil {
		t.Error("typed without declarations")
	}
}
