package rule

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tv/glenside"
	"tv/internal/source"
	"tv/semantics/domain"
)

// TestShapesOfCases draws left sides of operators that look at numbers of dims, and instances of them with up to four
// dims a group, some of none: a case of the rule has to be the instance, and its result has the dims and the split that
// the instance's has.
func TestShapesOfCases(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	stated, held := 0, 0
	for i := range 4000 {
		text := fmt.Sprintf("(rule r (vars (?x ((?A* ?B*) (?C*))) (?y ((?A* ?n ?D*) (?C*)))) (ints ?d) (lists ?L* ?M*) (lhs %s) (rhs ?x))",
			drawnExpr(rng, 1+i%3))
		r := parsed(t, text)
		shapes, ok := caseShapes(r)
		if !ok {
			continue
		}
		stated++
		for range 60 {
			v := r.RandomValues(rng, 4, 2)
			in, err := r.Instance(v, domain.Float32)
			if err != nil {
				continue
			}
			held++
			want := typeOf(t, in.Before)
			if !slices.ContainsFunc(shapes, func(c caseShape) bool { return c.is(r, v, want) }) {
				t.Fatalf("no case of %s\nis the instance %v, whose result is %s", text, v, want)
			}
		}
	}
	if stated < 400 || held < 3000 {
		t.Errorf("%d rules were stated, %d instances admitted", stated, held)
	}
}

// A caseShape is the shape of the left side in a case.
type caseShape struct {
	a    *assignment
	left *value
}

// caseShapes returns those of all cases; ok is false where a rule cannot be stated for any number of dims.
func caseShapes(r *Rule) (out []caseShape, ok bool) {
	todo := []*assignment{r.start()}
	for len(todo) > 0 {
		a := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		c, alts, why := r.elaborate(a, domain.Float32)
		if why != "" || len(out) > maxCases {
			return nil, false
		}
		for _, alt := range alts {
			b := a.clone()
			alt(b)
			todo = append(todo, b)
		}
		if c != nil {
			e := &elaborator{rule: r, a: a, intNames: map[string]string{}, elem: new(domain.Float32),
				lengths: map[string]domain.Size{}}
			out = append(out, caseShape{a, e.expr(r.LHS)})
		}
	}
	return out, true
}

// is tells whether an instance is one of the case and has the shape that the case says.
func (c caseShape) is(r *Rule, v Values, want *glenside.Type) bool {
	blocks := map[string][]int64{}
	pt := domain.Point{}
	groups, _ := r.Names()
	var group func(names []string) bool
	var parts func(segs []seg, dims []int64, rest func() bool) bool
	group = func(names []string) bool {
		if len(names) > 0 {
			return parts(c.a.groups[names[0]], v.Groups[names[0]], func() bool { return group(names[1:]) })
		}
		return c.fits(v, blocks, pt, want)
	}
	parts = func(segs []seg, dims []int64, rest func() bool) bool {
		if len(segs) == 0 {
			return len(dims) == 0 && rest()
		}
		s := segs[0]
		if s.block == "" {
			name := s.size.Name()
			if len(dims) == 0 || name == "" {
				return false
			}
			if n, known := pt[name]; known {
				return n == dims[0] && parts(segs[1:], dims[1:], rest)
			}
			pt[name] = dims[0]
			defer delete(pt, name)
			return parts(segs[1:], dims[1:], rest)
		}
		if known, ok := blocks[s.block]; ok {
			return len(dims) >= len(known) && slices.Equal(known, dims[:len(known)]) && parts(segs[1:], dims[len(known):], rest)
		}
		defer delete(blocks, s.block)
		for k := range len(dims) + 1 {
			if blocks[s.block] = dims[:k]; parts(segs[1:], dims[k:], rest) {
				return true
			}
		}
		return false
	}
	pt["n"] = v.Sizes["?n"]
	return group(groups)
}

// fits compares integers and the shape once the blocks are known.
func (c caseShape) fits(v Values, blocks map[string][]int64, pt domain.Point, want *glenside.Type) bool {
	full := domain.Point{}
	for n, k := range pt {
		full[n] = k
	}
	for b, dims := range blocks {
		full[rankName(b)], full[b] = int64(len(dims)), 1
		for _, d := range dims {
			full[b] *= d
		}
	}
	for q, x := range c.a.ints {
		full[programName(q)] = max(v.Sizes[q], -1-v.Sizes[q])
		if n, err := x.Eval(full); err != nil || n.Cmp(big.NewInt(v.Sizes[q])) != 0 {
			return false
		}
	}
	for q := range c.a.signed {
		if _, known := c.a.ints[q]; !known {
			full[programName(q)] = v.Sizes[q]
		}
	}
	for q, p := range c.a.places {
		at, err := p.at.Eval(full)
		order := c.permutation(v, p.by)
		if err != nil || at.Int64() >= int64(len(order)) || int64(order[at.Int64()]) != v.Sizes[q] {
			return false
		}
	}
	for l, runs := range c.a.lists {
		if fmt.Sprint(constants(v.Lists[l])) != fmt.Sprint(runs) {
			return false
		}
	}
	dims := func(segs []seg) (out []string) {
		for _, s := range segs {
			if s.block == "" {
				n, _ := s.size.Eval(full)
				out = append(out, fmt.Sprint(n))
			}
			for _, d := range blocks[s.block] {
				out = append(out, fmt.Sprint(d))
			}
		}
		return out
	}
	all, split := dims(c.left.segs), len(dims(c.left.access()))
	if len(c.left.word) > 0 {
		cut, _ := c.left.cut.Eval(full)
		split = int(cut.Int64())
		before := slices.Clone(all)
		order := c.permutation(v, c.left.word)
		if len(order) != len(all) {
			return false
		}
		for i, from := range order {
			all[i] = before[from]
		}
	}
	var got []string
	for _, d := range want.Dims {
		got = append(got, d.String())
	}
	return slices.Equal(got, all) && want.Split == split
}

// permutation returns what a word is in an instance.
func (c caseShape) permutation(v Values, w word) []int {
	var out []int
	for i, l := range w {
		next := v.Lists[l.list]
		if put, ok := c.a.words[l.list]; ok {
			next = c.permutation(v, put)
		}
		if l.inverse {
			back := make([]int, len(next))
			for i, n := range next {
				back[n] = i
			}
			next = back
		}
		if i == 0 {
			out = next
			continue
		}
		both := make([]int, len(next))
		for i, n := range next {
			if len(out) != len(next) {
				return nil
			}
			both[i] = out[n]
		}
		out = both
	}
	return out
}

func parsed(t *testing.T, text string) *Rule {
	t.Helper()
	rules, err := Parse(source.NewFile("rule", text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return rules[0]
}

func typeOf(t *testing.T, program string) *glenside.Type {
	t.Helper()
	p, err := glenside.Parse(source.NewFile("", program))
	if err != nil {
		t.Fatal(err)
	}
	ty, err := glenside.Check(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	return ty.Root()
}

// drawnExpr draws a left side of so many operators that look at numbers of dims.
func drawnExpr(rng *rand.Rand, depth int) string {
	x := "?x"
	if rng.IntN(3) == 0 {
		x = "?y"
	}
	for range depth {
		x = strings.NewReplacer("X", x, "AXIS", drawnAxis(rng), "PLACE", drawnAxis(rng), "LIST", drawnList(rng)).
			Replace(drawn(rng, "(access X PLACE)", "(access-transpose X LIST)", "(access-slice X AXIS 0 1)",
				"(access-pad X zero-padding AXIS 1 0)", "(access-squeeze X AXIS)", "(access-insert-axis X PLACE)",
				"(relay-operator-call relay-expand-dims X PLACE 1)", "(relay-operator-call relay-expand-dims X (- PLACE) 2)",
				"(access-flatten X)", "(access-shift-right X)", "(access-pair X X)", "(access-cartesian-product X X)",
				"(access-concatenate X X AXIS)", "(compute softmax X)", "(compute dot-product X)", "(compute elementwise-add X)",
				"(relay-operator-call relay-transpose X LIST)", "(relay-operator-call relay-mean X AXIS)",
				"(relay-operator-call relay-stack X X PLACE)", "(relay-operator-call relay-batch-flatten X)",
				"(access X (rank X))", "(relay-operator-call relay-softmax X -1)", "(relay-operator-call relay-add X ?y)",
				"(access-windows X (shape 1) (shape 1))", "(relay-operator-call relay-squeeze X (list AXIS))",
				"(tuple-get-item (relay-operator-call relay-split X 2 AXIS) 1)"))
	}
	return x
}

func drawn(rng *rand.Rand, of ...string) string { return of[rng.IntN(len(of))] }

func drawnAxis(rng *rand.Rand) string {
	return drawn(rng, "0", "1", "3", "?d", "(rank ?A*)", "(rank ?B*)", "(rank ?x)", "(- (rank ?y) 1)", "(+ (rank ?A*) (rank ?B*))",
		"(+ (rank ?A*) 1)", "(- (rank ?x) (rank ?A*))", "(+ (rank ?D*) ?d)", "(+ (rank ?A*) 2)", "(- (rank ?C*) 1)",
		"(at ?L* ?d)", "(at (inverse ?L*) ?d)", "(at ?L* (rank ?A*))")
}

func drawnList(rng *rand.Rand) string {
	if rng.IntN(3) == 0 {
		return drawn(rng, "?L*", "?M*", "(inverse ?L*)", "(compose ?L* ?M*)", "(compose ?M* (inverse ?L*))")
	}
	var parts []string
	for range 1 + rng.IntN(3) {
		parts = append(parts, drawn(rng, "(iota (rank ?A*))", "(range (rank ?A*) (rank ?x))", "(iota (rank ?x))",
			"(range (rank ?A*) (+ (rank ?A*) (rank ?B*)))", "(range (+ (rank ?A*) (rank ?B*)) (rank ?x))", "(list (rank ?A*))",
			"(range (rank ?A*) (+ (rank ?A*) 2))", "(list (- (rank ?x) 1))", "(iota (- (rank ?x) 1))", "(list 0)", "(list)",
			"(iota ?d)", "(range ?d (rank ?x))", "(iota (rank ?y))", "(range 1 (rank ?x))", "(list 1 0)"))
	}
	return "(append " + strings.Join(parts, " ") + ")"
}
