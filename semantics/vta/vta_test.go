package vta

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	hardware "tv/hwmodels/vta"
	"tv/internal/source"
	"tv/semantics/domain"
	"tv/semantics/term"
	"tv/semantics/value"

	"tv/semantics"
)

const copies = `.input a dram=0 shape=1x16 type=int8
.output out dram=256 shape=1x16 type=int8
load acc8 y=1 x=1 stride=1 push_next
store out dram=16 y=1 x=1 stride=1 pop_prev push_prev
load uop pop_next
finish
`

// typed reads a listing whose tensor a is called b by a question.
func typed(t *testing.T, text string) semantics.Program {
	t.Helper()
	s, err := Language.Parse(source.NewFile("l.vta", text))
	if err != nil {
		t.Fatal(err)
	}
	env := &domain.Env{Names: map[string]string{"a": "b"}, Tensors: map[string]domain.Tensor{"b": {Name: "b"}}}
	p, err := s.Type(env)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Several evaluators of one program run at a time, each on its inputs; one that is reset runs again.
func TestEvaluate(t *testing.T) {
	p := typed(t, copies)
	if in := p.Inputs(); len(in) != 1 || in[0].Name != "b" {
		t.Fatalf("inputs %v", in)
	}
	elem := p.Result().Elem
	var group sync.WaitGroup
	for k := range int64(4) {
		group.Add(1)
		go func() {
			defer group.Done()
			in := value.Tensors{"b": slices.Repeat([]value.Value{value.IntValue(k, value.Exact, elem)}, 16)}
			e, err := p.Evaluate(value.Exact, nil, in, nil)
			if err != nil {
				t.Error(err)
				return
			}
			for range 2 {
				v, err := e.Element(nil, []int64{0, 15})
				if err != nil || value.Compare(v, value.IntValue(k, value.Exact, elem)) != value.Same {
					t.Errorf("%v, %v, want %d", v, err, k)
				}
				k = -k
				in["b"][15] = value.IntValue(k, value.Exact, elem)
				e.Reset()
			}
			for _, index := range [][]int64{nil, {0}, {0, 16}, {-1, 0}} {
				if _, err := e.Element(nil, index); err == nil {
					t.Errorf("an element at %v", index)
				}
			}
		}()
	}
	group.Wait()
	if _, err := p.Evaluate(value.Real, nil, value.Tensors{}, nil); source.AsErrors(err)[0].Code != CodeLowered {
		t.Error(err)
	}
	if _, err := p.Lower(term.NewBuilder(), semantics.LowerOptions{}); source.AsErrors(err)[0].Code != CodeLowered {
		t.Error(err)
	}
}

// Where the machine is at fault no element has a value.
func TestFault(t *testing.T) {
	p := typed(t, ".input a dram=0 shape=1x16 type=int8\n.output out dram=256 shape=1x16 type=int8\n"+
		"store out dram=16 y=1 x=1 stride=1\nfinish\n")
	in := value.Random(1, value.Exact, value.Small, p.Inputs())
	e, err := p.Evaluate(value.Exact, nil, in, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Element(nil, []int64{0, 0}); !errors.Is(err, value.ErrUndefined) {
		t.Errorf("%v", err)
	}
}

// Layout changes nothing of a listing, and nothing twice.
func TestFormat(t *testing.T) {
	files, err := filepath.Glob("../../examples/*.vta")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		once := Format(string(data))
		if twice := Format(once); twice != once {
			t.Errorf("%s changes when formatted again", name)
		}
		x, err := hardware.ParseListing(source.NewFile(name, string(data)), hardware.Configs[0])
		if err != nil {
			t.Fatal(err)
		}
		y, err := hardware.ParseListing(source.NewFile(name, once), hardware.Configs[0])
		if err != nil || len(x.Steps) != len(y.Steps) || len(x.Init) != len(y.Init) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := Format("\n; a\n\n\n  load\tinp  y=1 ;  why \r\nfinish"); got != "; a\n\nload inp y=1 ;  why\nfinish\n" {
		t.Errorf("got %q", got)
	}
}
