package programs

import (
	"math/rand/v2"
	"testing"

	"tv/glenside"
)

// TestRules: each rule returns what it is asked for, with the dims and the split that it says, and uses its
// operator. Operands are inputs.
func TestRules(t *testing.T) {
	for _, r := range rulesOf() {
		bad := 0
		for seed := range uint64(120) {
			g := &grower{rng: rand.New(rand.NewPCG(seed, 1)), named: seed%3 == 0, max: []string{"M", "N", "K"}, exact: seed%2 == 0}
			w := want{elem: g.elemType()}
			if r.goal != nil {
				w.dims = r.goal(g)
			} else {
				w.dims = g.dims(r.least + g.n(5-r.least))
			}
			if r.fits != nil && !r.fits(w) {
				continue
			}
			x := r.build(g, w)
			text := g.declared() + x.text
			p, err := Typed("rule", text)
			if err != nil {
				if bad++; !ambiguous(err) && bad < 3 {
					t.Errorf("%s for %v: %v\n%s", r.op, w.dims, err, text)
				}
				continue
			}
			root := p.Typing.Root()
			if root.Kind != glenside.TypeAccess || !equalDims(root.Dims, w.dims) || root.Split != x.split || root.Elem != w.elem {
				if bad++; bad < 3 {
					t.Errorf("%s for %v of %s, split %d: got %s\n%s", r.op, w.dims, w.elem, x.split, root, text)
				}
			}
		}
	}
}
