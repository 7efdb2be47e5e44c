package eval_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/tools/txtar"

	"tv/internal/source"
	"tv/internal/tier"
	"tv/semantics/domain"
	glenside "tv/semantics/glenside/eval"
	"tv/semantics/relay"
	"tv/semantics/relay/eval"
	"tv/semantics/relay/syntax"
	"tv/semantics/relay/translate"
	"tv/semantics/value"
)

// Random texts mean in Glenside what they mean by the description of Relay's operators.
func TestTranslation(t *testing.T) {
	texts := tier.Pick(150, 3000)
	seen := map[string]int{}
	for seed := range uint64(texts) {
		for op, n := range agree(t, relay.Draw(seed, 12), seed) {
			seen[op] += n
		}
		if t.Failed() {
			return
		}
	}
	var never []string
	for _, op := range syntax.Operators() {
		if seen[op] == 0 {
			never = append(never, op)
		}
	}
	// Those of integers, of constants alone, and what two components have in the result, are in the models of testdata/relay.
	want := []string{"full", "left_shift", "nn.dropout", "ones", "right_shift", "zeros"}
	if !slices.Equal(never, want) {
		t.Errorf("no element was compared of %v", never)
	}
}

// agree compares all elements of a text, and counts the calls of it by operator.
func agree(t *testing.T, text string, seed uint64) map[string]int {
	m, err := syntax.Parse(source.NewFile("drawn.relay", text), "")
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	g, err := m.Graph(syntax.Options{Version: "0.10"})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	p, err := translate.New(g, translate.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	rng := rand.New(rand.NewPCG(seed, 8))
	named := value.Tensors{}
	var inputs [][]value.Value
	for i, in := range g.Inputs {
		n := 1
		for _, d := range in.Type.Dims {
			n *= int(d)
		}
		var data []value.Value
		for range n {
			v := rng.Int64N(9) - 3
			if in.Type.Elem.Kind == domain.ElemInt {
				v = rng.Int64N(4)
			}
			data = append(data, value.IntValue(v, value.Real, in.Type.Elem))
		}
		inputs = append(inputs, data)
		named[p.Inputs[i].Name] = data
	}
	arith := value.Real
	want, err := eval.Run(g, arith, inputs)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	e, err := glenside.New(p.Typing, arith, domain.Point{}, named)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	leaves := g.Result.Type.Leaves()
	tuple := g.Result.Type.Kind == syntax.TypeTuple
	for c, leaf := range leaves {
		var path []int
		if tuple {
			path = []int{c}
		}
		index := make([]int64, len(leaf.Dims))
		for o := range want[c] {
			got, err := e.Element(path, index)
			if err != nil {
				got = value.NoValue(err)
			}
			undefined := errors.Is(want[c][o].Err(), value.ErrUndefined)
			if undefined != errors.Is(got.Err(), value.ErrUndefined) || value.Compare(got, want[c][o]) == value.Different {
				t.Errorf("component %d at %v is %s, wanted %s\n%s\n%s", c, index, got, want[c][o], text, p.Text)
				return nil
			}
			for a := len(index) - 1; a >= 0; a-- {
				if index[a]++; index[a] < leaf.Dims[a] {
					break
				}
				index[a] = 0
			}
		}
	}
	by, _ := g.Operators()
	return by
}

// The models of testdata/relay agree too.
func TestModels(t *testing.T) {
	for _, name := range []string{"operators", "residual", "channels-last", "functions"} {
		a, err := txtar.ParseFile("../../../testdata/relay/" + name + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		agree(t, string(a.Files[0].Data), 1)
	}
}
