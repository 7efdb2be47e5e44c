package fuzz

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"tv/equiv"
	"tv/fuzz/programs"
	"tv/semantics"
	"tv/semantics/domain"
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
func Judge(before, after semantics.Program, arith domain.Arith, samples int, seed uint64) Judgement {
	var j Judgement
	if how := programs.SameType(before.Result(), after.Result()); how != "" {
		j.Apart, j.How = true, how
		return j
	}
	points := domainPoints(before, seed)
	j.Points = len(points)
	rng := rand.New(rand.NewPCG(seed, 0x6a75646765))
	rigs := make([]*rig, len(points))
	for round := range judgeRounds {
		for i, pt := range points {
			mode := modes[(round+rng.IntN(2))%len(modes)]
			if rigs[i] == nil {
				rigs[i] = newRig(before, after, arith, pt, newShared(pt, before, after))
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
			r.in.fill(value.Random(seed+uint64(round), arith, mode, before.Inputs(), after.Inputs()).(value.Opener))
			r.x.Reset()
			r.y.Reset()
			x, y := r.x, r.y
			for _, path := range r.paths {
				for _, index := range programs.Indices(rng, x.Dims(path), judgeElements) {
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
func (j *Judgement) one(x, y semantics.Evaluator, path []int, index []int64) bool {
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

// domainPoints draws points of the domain of a program: the empty one where no size is named.
func domainPoints(p semantics.Program, seed uint64) []domain.Point {
	declared := p.Source().Declarations()
	var names []string
	for _, in := range declared.Inputs {
		for _, d := range in.Dims {
			names = append(names, d.Size.Names()...)
		}
	}
	for _, a := range declared.Assumes {
		names = append(names, a.Pred.Names()...)
	}
	for _, c := range p.Conditions() {
		names = append(names, c.Pred.Names()...)
	}
	for _, s := range p.Source().Signature().Sizes { // those that only bounds and subscripts have
		names = append(names, s.Name)
	}
	if len(names) == 0 {
		return []domain.Point{nil}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	rng := rand.New(rand.NewPCG(seed, 0x706f696e74))
	least := programs.LeastSizes(declared.Inputs, names)
	var out []domain.Point
	seen := map[string]bool{}
	for try := range 60 {
		pt := domain.Point{}
		for _, n := range names {
			if pt[n] = least[n]; try > 0 { // what is wrong at all is often wrong at the least sizes
				pt[n] += rng.Int64N(int64(2 + try/10))
			}
		}
		key := fmt.Sprint(pt)
		if !seen[key] && programs.Holds(p, pt) {
			if out = append(out, pt); len(out) == judgePoints {
				break
			}
		}
		seen[key] = true
	}
	return out
}

// Confirm runs a counterexample of tv in the evaluator. It returns "" where the programs differ there, as the
// result says, and else why they do not.
func Confirm(before, after semantics.Program, arith domain.Arith, r *equiv.Result) string {
	c := r.Counterexample
	if c == nil { // types differ for all sizes
		if how := programs.SameType(before.Result(), after.Result()); how == "" {
			return "there is no counterexample"
		}
		return ""
	}
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
	x, err := before.Evaluate(arith, c.Point, in, nil)
	if err != nil {
		return fmt.Sprintf("BEFORE is ill formed at %v: %v", c.Point, err)
	}
	y, err := after.Evaluate(arith, c.Point, in, nil)
	if err != nil || illFormed(after, c.Point) != nil || r.Reason == "shape" {
		return ""
	}
	var j Judgement
	if j.one(x, y, c.Path, c.Index) {
		return ""
	}
	return fmt.Sprintf("no difference at %v%v", c.Path, c.Index)
}
