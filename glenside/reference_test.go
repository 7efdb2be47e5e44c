package glenside

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write doc/operators.md")

func TestOperatorReference(t *testing.T) {
	const path = "../doc/operators.md"
	want := OperatorReference()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("doc/operators.md is not that of the operator table (%v); run go test ./glenside -update",
			err)
	}
}

func TestOps(t *testing.T) {
	spelt := map[string]bool{}
	for i, op := range Ops() {
		if op.Shapes == "" || op.Meaning == "" || op.Example == "" {
			t.Errorf("%s has no reference", op.Name)
		}
		if LookupOp(op.Name) != op || op.index != i {
			t.Errorf("LookupOp(%s) is another operator", op.Name)
		}
		for _, name := range append([]string{op.Name}, op.Aliases...) {
			if key := op.Category.callWord() + name; spelt[key] {
				t.Errorf("%s spells two operators", name)
			} else {
				spelt[key] = true
			}
		}
		p := mustParse(t, op.Example)
		checkNodes(t, p)
		used := false
		for _, n := range p.Nodes {
			used = used || n.Op == op
		}
		if !used {
			t.Errorf("the example of %s does not use it", op.Name)
		}
		ty, err := Check(p, nil)
		if err != nil {
			t.Errorf("the example of %s: %v", op.Name, err)
		} else if len(ty.Conds) > 0 {
			t.Errorf("the example of %s has the conditions%s", op.Name, condText(ty.Conds))
		}
	}
	counts := map[Category]int{}
	for _, op := range Ops() {
		counts[op.Category]++
	}
	want := map[Category]int{CatCore: 28, CatCompute: 11, CatHardware: 6, CatRelay: 45, CatAccelerator: 11} // flex-lstm-cells is ours
	for c, want := range want {
		if counts[c] != want {
			t.Errorf("category %d has %d operators, want %d", c, counts[c], want)
		}
	}
}

// Every operator says what it does to elements, and divides by operands that it has.
func TestCosts(t *testing.T) {
	for _, op := range Ops() {
		if op.Cost == 0 {
			t.Errorf("%s has no cost", op.Name)
		}
		for _, i := range op.Divides {
			if i >= len(op.Operands) || op.Operands[i].Sort != SortAccess {
				t.Errorf("%s divides by operand %d, which is no tensor", op.Name, i)
			}
		}
		if undefined := strings.Contains(op.Meaning, "undefined where"); undefined && op.Cost == Moves {
			t.Errorf("%s is undefined somewhere, so that it does more than move elements", op.Name)
		}
	}
}
