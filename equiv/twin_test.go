package equiv_test

import (
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"tv/semantics"
	language "tv/semantics/glenside"

	"tv/equiv"
	"tv/glenside"
	"tv/internal/source"
	"tv/internal/tier"
	"tv/semantics/domain"
)

// A twin is a program in which some array-valued subterms are wrapped in identities.
type twin struct {
	rng   *rand.Rand
	ty    *glenside.Typing
	wraps map[string]int // by kind, counted
	every int            // one subterm in so many is wrapped
}

// text prints a node with its subterms wrapped.
func (w *twin) text(n *glenside.Node) string {
	t := w.ty.Type(n)
	if n.Kind != glenside.KindCall || n.Op == glenside.OpShape || n.Op == glenside.OpList || !hasArray(w.ty, n) {
		return glenside.FormatNode(n)
	}
	parts := []string{n.Op.Name}
	switch n.Op.Category {
	case glenside.CatCompute:
		parts = []string{"compute", n.Op.Name}
	case glenside.CatRelay:
		parts = []string{"relay-operator-call", n.Op.Name}
	case glenside.CatAccelerator:
		parts = []string{"accelerator-call", n.Op.Name}
	}
	for _, a := range n.Args {
		parts = append(parts, w.text(a))
	}
	s := "(" + strings.Join(parts, " ") + ")"
	if t.Kind == glenside.TypeAccess && w.rng.IntN(w.every) == 0 {
		return w.wrap(s, t)
	}
	return s
}

// treeSize is how many nodes a program has when it is written without definitions, as twins are.
func treeSize(p *glenside.Program) float64 {
	size := make([]float64, len(p.Nodes))
	for _, n := range p.Nodes {
		size[n.ID] = 1
		for _, a := range n.Args {
			size[n.ID] += size[a.ID]
		}
	}
	return size[p.Root.ID]
}

// mostTwin bounds programs that twins are made of: of larger trees there are shared programs, which have tests of their own.
const mostTwin = 100_000

func hasArray(ty *glenside.Typing, n *glenside.Node) bool {
	switch ty.Type(n).Kind {
	case glenside.TypeAccess, glenside.TypeTuple:
		return true
	}
	return false
}

func sizes(ds []domain.Size) string {
	out := make([]string, len(ds))
	for i, d := range ds {
		out[i] = " " + d.String()
	}
	return strings.Join(out, "")
}

// wrap puts an identity around an access pattern of type t.
func (w *twin) wrap(s string, t *glenside.Type) string {
	r := len(t.Dims)
	count := func(kind, text string) string {
		w.wraps[kind]++
		return text
	}
	switch kind := w.rng.IntN(6); {
	case kind == 0 && r > 0:
		p := w.rng.Perm(r)
		inv := make([]int, r)
		for i, x := range p {
			inv[x] = i
		}
		list := func(l []int) string { return "(list " + strings.Trim(fmt.Sprint(l), "[]") + ")" }
		return count("transpose", fmt.Sprintf("(access-transpose (access-transpose %s %s) %s)", s, list(p), list(inv)))
	case kind == 1:
		return count("reshape", fmt.Sprintf("(access-reshape (access-flatten %s) (access-shape (shape%s) (shape%s)))",
			s, sizes(t.Access()), sizes(t.Compute())))
	case kind == 2 && r > 0:
		axis := w.rng.IntN(r)
		if d, ok := t.Dims[axis].Int64(); ok && d > 0 {
			before := w.rng.IntN(2)
			pad := []string{"zero-padding", "min-padding"}[w.rng.IntN(2)]
			return count("pad and slice", fmt.Sprintf("(access-slice (access-pad %s %s %d %d 1) %d %d %d)",
				s, pad, axis, before, axis, before, int64(before)+d))
		}
	case kind == 3 && r > 0:
		axis := w.rng.IntN(r)
		if d, ok := t.Dims[axis].Int64(); ok && d > 1 && len(s) < 2000 {
			m := 1 + w.rng.Int64N(d-1)
			return count("slice and concatenate", fmt.Sprintf(
				"(access-concatenate (access-slice %s %d 0 %d) (access-slice %s %d %d %d) %d)", s, axis, m, s, axis, m, d, axis))
		}
	case kind == 4:
		axis := w.rng.IntN(t.Split + 1)
		return count("insert and squeeze", fmt.Sprintf("(access-squeeze (access-insert-axis %s %d) %d)", s, axis, axis))
	}
	return count("access", fmt.Sprintf("(access (access %s %d) %d)", s, w.rng.IntN(r+1), t.Split))
}

// declarations prints those of a program.
func declarations(p *glenside.Program) string {
	var s strings.Builder
	for _, in := range p.Inputs {
		fmt.Fprintln(&s, glenside.FormatInput(in))
	}
	return s.String()
}

// otherEngines is how many twins the normal form may leave to enumeration; doc/plan.md names the laws they want.
const otherEngines = 3

// twins counts what becomes of twins.
type twins struct {
	sync.Mutex
	wraps          map[string]int
	asked, skipped int
	others         []string
}

// TestTwins: every program of the corpus equals itself with random identities around its subterms, and the normal
// form proves it.
func TestTwins(t *testing.T) {
	tier.Sweep(t)
	all := twins{wraps: map[string]int{}}
	t.Run("files", func(t *testing.T) {
		for _, l := range readLitmus(t) {
			t.Run(l.name, func(t *testing.T) {
				t.Parallel()
				all.ask(t, l)
			})
		}
	})
	if len(all.others) > otherEngines {
		t.Errorf("%d twins are not proved by the normal form, at most %d may be:\n%s",
			len(all.others), otherEngines, strings.Join(all.others, "\n"))
	}
	t.Logf("%d twins, %d skipped; identities: %v", all.asked, all.skipped, all.wraps)
	for _, kind := range []string{"transpose", "reshape", "pad and slice", "slice and concatenate", "insert and squeeze", "access"} {
		if all.wraps[kind] == 0 {
			t.Errorf("no %s was tried", kind)
		}
	}
}

// ask makes a twin of a file's first program.
func (all *twins) ask(t *testing.T, l litmus) {
	env, err := equiv.Environment([]semantics.Source{language.Of(l.before)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ty, err := glenside.Check(l.before, env)
	if err != nil {
		t.Fatal(err)
	}
	if treeSize(l.before) > mostTwin {
		return
	}
	w := &twin{rng: rand.New(rand.NewPCG(7, uint64(crc32.ChecksumIEEE([]byte(l.name))))), ty: ty, wraps: map[string]int{}, every: 2}
	text := declarations(l.before) + w.text(l.before.Root)
	after, err := glenside.Parse(source.NewFile("twin of "+l.name, text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	r, err := equiv.Check(t.Context(), equiv.Question{Before: language.Of(l.before), After: language.Of(after)}, l.opts)
	all.Lock()
	defer all.Unlock()
	switch {
	case err != nil && strings.Contains(err.Error(), "symbolic-axis"):
		all.skipped++
		return
	case err != nil:
		t.Errorf("%v\n%s", err, text)
	case strings.Contains(r.Detail, "uninterpreted"):
		all.skipped++
	case r.Verdict != equiv.Proved:
		t.Errorf("%s (%s: %s)\n%s", r.Verdict, r.Reason, r.Detail, text)
	case r.Engine != "normal-form" && l.opts.Arith == equiv.Real: // exact arithmetic needs bits now and then
		all.others = append(all.others, fmt.Sprintf("%s: proved by %s\n%s", l.name, r.Engine, text))
	}
	all.asked++
	for kind, n := range w.wraps {
		all.wraps[kind] += n
	}
}
