package mlir

import (
	"slices"
	"strings"
	"testing"

	"tv/internal/mliropt"
	"tv/internal/tier"
)

// passes are those that affine loops are transformed by.
var passes = []string{"affine-loop-tile{tile-sizes=2,3,4}", "affine-loop-unroll{unroll-factor=4}",
	"affine-loop-unroll-jam{unroll-jam-factor=3}", "affine-loop-fusion", "affine-loop-fusion{fusion-maximal}",
	"affine-loop-fusion{mode=sibling}", "affine-scalrep", "affine-loop-invariant-code-motion",
	"affine-loop-normalize", "affine-loop-coalescing", "affine-parallelize",
	"affine-super-vectorize{virtual-vector-size=8}",
	"affine-super-vectorize{virtual-vector-size=2 vectorize-reductions=true}",
	"affine-data-copy-generate{generate-dma=false fast-mem-space=0 skip-non-unit-stride-loops}",
	"test-loop-permutation{permutation-map=2,0,1}",
	"affine-loop-tile{tile-sizes=4,4,4},affine-loop-unroll{unroll-factor=2},affine-loop-normalize",
	"lower-affine"}

// TestPasses holds what is read of the output of passes against that compiled, and counts where it
// differs from their input: some passes are wrong.
func TestPasses(t *testing.T) {
	if !has(t, "mlir-opt-16", "mlir-opt-19", "mlir-translate-19", "clang-16") {
		return
	}
	var list []*program
	same, other, refused := 0, 0, map[string][]string{}
	right := programs(t, "right.txtar")
	right = right[:min(len(right), tier.Draw(1, 4, len(right)))]
	for _, pass := range passes {
		for _, v := range []string{"16", "19"} {
			out, errs := mliropt.Pass(v, pass, textsOf(right))
			for i, g := range right {
				g.most = 2
				name, text := g.name+" "+pass+" "+v, out[i]
				if errs[i] != nil {
					continue // it crashes, or does not know the pass
				}
				p, err := procedure(name, text)
				if err != nil {
					why := err.Error()
					why = why[strings.Index(why, ": ")+2:]
					refused[why] = append(refused[why], name)
					continue
				}
				h := &program{name, text, p, g.most}
				if v != "16" || !strings.Contains(text, "permutation_map") { // 19 wants more of it
					list = append(list, h)
				}
				if as(h.left(), g.left()) {
					same++
				} else {
					t.Log("differs: ", name)
					other++
				}
			}
		}
	}
	for why, names := range refused {
		t.Log(len(names), why, names)
	}
	t.Logf("%d texts, %d are what they were made of, %d are not", len(list), same, other)
	if same < 10*other {
		t.Errorf("%d texts are what they were made of, %d are not", same, other)
	}
	against(t, list)
}

// TestGeneric: the generic syntax of a text says what the text says.
func TestGeneric(t *testing.T) {
	if !has(t, "mlir-opt-16", "mlir-opt-19") {
		return
	}
	read := 0
	right := programs(t, "right.txtar")
	for _, args := range [][]string{{}, {"--mlir-print-op-generic"},
		{"--mlir-print-local-scope", "--mlir-print-op-generic"}} {
		for _, v := range tier.Pick([]string{"19"}, []string{"16", "19"}) {
			out, errs := mliropt.Each(v, textsOf(right), args...)
			for i, g := range right {
				g.most = 2
				text := out[i]
				if errs[i] != nil {
					continue // it has not all of these operations
				}
				p, err := procedure(g.name, text)
				if err != nil {
					t.Errorf("%s %s: %v", g.name, v, err)
					continue
				}
				h := &program{g.name, text, p, g.most}
				if read++; !slices.Equal(h.left(), g.left()) {
					t.Errorf("%s %s: something else is left", g.name, v)
				}
			}
		}
	}
	if read < 45 {
		t.Errorf("%d texts", read)
	}
}

// textsOf are those of programs.
func textsOf(list []*program) (texts []string) {
	for _, g := range list {
		texts = append(texts, g.text)
	}
	return texts
}

// as reports whether one text leaves what another leaves that is no error.
func as(got, want []string) bool {
	for i, s := range want {
		if s != "error" && got[i] != s {
			return false
		}
	}
	return true
}

// left is what a program leaves at all sizes.
func (g *program) left() (out []string) {
	for _, x := range g.executions(0) {
		out = append(out, x.left)
	}
	return out
}
