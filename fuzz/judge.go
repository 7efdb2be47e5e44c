package fuzz

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"

	"tv/equiv"
	"tv/glenside"
	"tv/semantics/domain"
	"tv/semantics/glenside/eval"
	"tv/semantics/value"
)

// A Judgement is what the reference evaluator says of two programs.
type Judgement struct {
	Apart     bool   // they differ
	How       string // where and how, if they do
	Same      int    // samples that agree
	Undecided int    // samples that rest on an uninterpreted symbol, or whose enclosures overlap
	Undefined int    // samples at which BEFORE has no value
	Points    int    // points of the domain that were looked at
}

// Modes of inputs, in the order in which they are drawn.
var modes = []value.Mode{value.Small, value.Positive, value.Distinct, value.NonNegative, value.Edges}

// Limits of a judgement.
const (
	judgeElements = 24 // elements of each component on each draw of inputs
	judgeRounds   = 60 // draws for each point and mode
	judgePoints   = 8  // points of a domain with named sizes
)

// Judge compares two programs on up to so many samples: output elements at points of BEFORE's domain on random
// inputs. It knows nothing of tv's engines: what it finds is a difference by the meaning of the language. A
// program after that is ill formed at a point of the domain, or undefined where before is not, differs.
func Judge(before, after *glenside.Typing, exact bool, samples int, seed uint64) Judgement {
	var j Judgement
	if how := sameType(before.Root(), after.Root()); how != "" {
		j.Apart, j.How = true, how
		return j
	}
	arith := domain.ArithOf(exact)
	points := domainPoints(before, seed)
	j.Points = len(points)
	paths := components(before.Root(), nil)
	rng := rand.New(rand.NewPCG(seed, 0x6a75646765))
	rigs := make([]*rig, len(points))
	for round := range judgeRounds {
		for i, pt := range points {
			mode := modes[(round+rng.IntN(2))%len(modes)]
			if rigs[i] == nil {
				rigs[i] = newRig(before, after, arith, pt, newShared(pt, arith, before, after))
			}
			r := rigs[i]
			if r.skip {
				j.Undefined++
				continue
			}
			if r.bad != nil {
				j.Apart, j.How = true, fmt.Sprintf("at %v: %v", pt, r.bad)
				return j
			}
			r.in.fill(value.Random(seed+uint64(round), arith, mode, before.Tensors, after.Tensors).(value.Opener))
			r.x.Reset()
			r.y.Reset()
			x, y := r.x, r.y
			for _, path := range paths {
				for _, index := range indices(rng, x.Dims(path), judgeElements) {
					if j.one(x, y, path, index) {
						j.How += fmt.Sprintf(" at element %v%v of %v, inputs %s of seed %d", path, index, pt, mode, seed+uint64(round))
						return j
					}
					if j.Same+j.Undecided+j.Undefined >= samples {
						return j
					}
				}
			}
		}
	}
	return j
}

// one compares one element.
func (j *Judgement) one(x, y *eval.Evaluator, path []int, index []int64) bool {
	a, err := x.Element(path, index)
	switch {
	case errors.Is(err, value.ErrUndefined):
		j.Undefined++
		return false
	case err != nil:
		j.Undecided++
		return false
	}
	b, err := y.Element(path, index)
	if errors.Is(err, value.ErrUndefined) {
		j.Apart, j.How = true, fmt.Sprintf("%v and %v", a, err)
		return true
	}
	if err != nil {
		j.Undecided++
		return false
	}
	switch value.Compare(a, b) {
	case value.Different:
		j.Apart, j.How = true, fmt.Sprintf("%v and %v", a, b)
		return true
	case value.Same:
		j.Same++
	default:
		j.Undecided++
	}
	return false
}

// sameType says how two types differ for any sizes: "" where they need not.
func sameType(x, y *glenside.Type) string {
	switch {
	case x.Kind == glenside.TypeTuple || y.Kind == glenside.TypeTuple:
		if x.Kind != y.Kind || len(x.Items) != len(y.Items) {
			return fmt.Sprintf("%s and %s", x, y)
		}
		for i := range x.Items {
			if how := sameType(x.Items[i], y.Items[i]); how != "" {
				return how
			}
		}
	case len(x.Dims) != len(y.Dims) || x.Elem != y.Elem:
		return fmt.Sprintf("%s and %s", x, y)
	}
	return ""
}

// components lists the paths of the tensors in a result.
func components(t *glenside.Type, prefix []int) [][]int {
	if t.Kind != glenside.TypeTuple {
		return [][]int{prefix}
	}
	var out [][]int
	for i, item := range t.Items {
		out = append(out, components(item, append(slices.Clone(prefix), i))...)
	}
	return out
}

// leastSizes returns the least value of each named size of a program, of those that no declaration says 1.
func leastSizes(ty *glenside.Typing, names []string) map[string]int64 {
	out := map[string]int64{}
	for _, n := range names {
		out[n] = 1
	}
	for _, in := range ty.Program.Inputs {
		for _, d := range in.Dims {
			if n := d.Size.Name(); n != "" && d.Min < out[n] {
				out[n] = d.Min
			}
		}
	}
	return out
}

// domainPoints draws points of the domain of a program: the empty one where no size is named.
func domainPoints(ty *glenside.Typing, seed uint64) []domain.Point {
	set := map[string]bool{}
	for _, in := range ty.Program.Inputs {
		for _, d := range in.Dims {
			for _, n := range d.Size.Names() {
				set[n] = true
			}
		}
	}
	for _, a := range ty.Program.Assumes {
		for _, n := range a.Pred.Names() {
			set[n] = true
		}
	}
	for _, c := range ty.Conds {
		for _, n := range c.Pred.Names() {
			set[n] = true
		}
	}
	if len(set) == 0 {
		return []domain.Point{nil}
	}
	var names []string
	for n := range set {
		names = append(names, n)
	}
	sort.Strings(names)
	rng := rand.New(rand.NewPCG(seed, 0x706f696e74))
	least := leastSizes(ty, names)
	var out []domain.Point
	seen := map[string]bool{}
	for try := range 60 {
		pt := domain.Point{}
		for _, n := range names {
			pt[n] = least[n] + rng.Int64N(int64(2+try/10))
		}
		key := fmt.Sprint(pt)
		if !seen[key] && holds(ty, pt) {
			if out = append(out, pt); len(out) == judgePoints {
				break
			}
		}
		seen[key] = true
	}
	return out
}

// holds tells whether a program may be run at a point: what it assumes is true, and it is well formed there.
func holds(ty *glenside.Typing, pt domain.Point) bool {
	for _, a := range ty.Program.Assumes {
		if ok, err := a.Pred.Eval(pt); err != nil || !ok {
			return false
		}
	}
	for _, c := range ty.Conds {
		if ok, err := c.Pred.Eval(pt); err != nil || !ok {
			return false
		}
	}
	return true
}

// indices lists up to limit indices into dims: all of them, or random ones.
func indices(rng *rand.Rand, dims []int64, limit int) [][]int64 {
	total := int64(1)
	for _, d := range dims {
		if total *= d; total == 0 {
			return nil
		}
	}
	out := make([][]int64, 0, min(total, int64(limit)))
	for k := int64(0); k < min(total, int64(limit)); k++ {
		at := k
		if total > int64(limit) {
			at = rng.Int64N(total)
		}
		index := make([]int64, len(dims))
		for i := len(dims) - 1; i >= 0; i-- {
			index[i] = at % dims[i]
			at /= dims[i]
		}
		out = append(out, index)
	}
	return out
}

// declarations prints those of a program.
func declarations(p *glenside.Program) string {
	var s strings.Builder
	for _, in := range p.Inputs {
		fmt.Fprintln(&s, glenside.FormatInput(in))
	}
	return s.String()
}

// assumptions prints what a program assumes.
func assumptions(p *glenside.Program) string {
	var s strings.Builder
	for _, a := range p.Assumes {
		fmt.Fprintf(&s, "(assume %s)\n", a.Pred)
	}
	return s.String()
}

// Confirm runs a counterexample of tv in the evaluator. It returns "" where the programs differ there, as the
// result says, and else why they do not.
func Confirm(before, after *Program, r *equiv.Result) string {
	c := r.Counterexample
	if c == nil { // types differ for all sizes
		if how := sameType(before.Typing.Root(), after.Typing.Root()); how == "" {
			return "there is no counterexample"
		}
		return ""
	}
	arith := domain.ArithOf(before.Exact)
	in := value.Tensors{}
	for _, v := range c.Inputs {
		for _, s := range v.Data() {
			x, err := value.ParseValue(s, arith, v.Elem)
			if err != nil {
				return err.Error()
			}
			in[v.Name] = append(in[v.Name], x)
		}
	}
	x, err := eval.New(before.Typing, arith, c.Point, in)
	if err != nil {
		return fmt.Sprintf("BEFORE is ill formed at %v: %v", c.Point, err)
	}
	y, err := eval.New(after.Typing, arith, c.Point, in)
	if err != nil || r.Reason == "shape" {
		return ""
	}
	var j Judgement
	if j.one(x, y, c.Path, c.Index) {
		return ""
	}
	return fmt.Sprintf("no difference at %v%v", c.Path, c.Index)
}

func mustElem(name string) domain.Elem {
	t, ok := domain.ParseElem(name)
	if !ok {
		panic("fuzz: no element type " + name)
	}
	return t
}
