package prove

import (
	"context"
	"errors"
	"slices"
	"sort"
	"strings"

	"tv/equiv/normal"
	"tv/equiv/recur"
	"tv/equiv/sample"
	"tv/equiv/sizes"
	"tv/proofs/algebra"
	"tv/semantics"
	"tv/semantics/index"
)

// An Answer of the engines that prove. What a proof rests on is in it.
type Answer struct {
	Proved         bool
	Reason, Detail string // why not; the reason is that of an unknown
	Err            error  // the context's

	Engine    string          // normal-form, enumerate, smt or recurrence
	Where     []string        // definedness that BEFORE has too: "D[i] != 0"
	Idealised []string        // accelerator calls taken by their ideal meaning
	Trusts    []string        // "z3 4.8.12"
	Solved    []int           // tensors of the result that a solver proved, ascending
	Cuts      []algebra.Cut   // of a proof in stages
	Splits    []algebra.Split // of one that takes the domain apart
	Words     bool            // of one that compares integers as machine words

	Recurrence  *recur.Proof // of engine recurrence
	Explanation []string     // of a proof, a line each

	Found *sample.Difference   // that a solver's model led to
	Open  *semantics.Condition // of AFTER, where it is not known to hold
	Spots []Spot               // in which something is left
	Large bool                 // of programs for which nothing more should be tried than stages

	corners [][]*index.Expr  // of the boxes of the output in which something is left
	apart   *normal.Instance // values for which machine words differ
	spent   bool             // the engine gave up by count
	open    bool             // a program was not lowered
}

// A Spot is a region of a component of the result in which the normal form has something left, by the corners of its
// boxes, in terms of the sizes of one case of the domain.
type Spot struct {
	Path    []int
	Corners [][]*index.Expr
	Sizes   *sizes.Facts
}

// add takes over what the proof of a part rests on.
func (a *Answer) add(part Answer) {
	a.Idealised = MergeNames(a.Idealised, part.Idealised)
	a.Where = MergeNames(a.Where, part.Where)
	a.Trusts = MergeNames(a.Trusts, part.Trusts)
	a.Words = a.Words || part.Words
	a.Solved = append(a.Solved, part.Solved...)
	slices.Sort(a.Solved)
	a.Solved = slices.Compact(a.Solved)
	if part.Engine != "" && part.Engine != "normal-form" {
		a.Engine = part.Engine
	}
}

func answerOf(c normal.Comparison) Answer {
	switch {
	case c.Equal:
		return Answer{Proved: true, Words: c.Words}
	case errors.Is(c.Err, context.DeadlineExceeded), errors.Is(c.Err, context.Canceled):
		return Answer{Err: c.Err}
	case c.Err != nil:
		return Answer{Reason: "incomplete", Detail: c.Err.Error(), spent: errors.Is(c.Err, normal.ErrBudget)}
	}
	detail := "what is left of BEFORE - AFTER: " + strings.Join(c.Left, " ")
	if len(c.Where) > 0 {
		detail += " (where " + strings.Join(c.Where, ", ") + ")"
	}
	return Answer{Reason: "incomplete", Detail: detail, corners: c.Hints, apart: c.Apart}
}

// MergeNames unites lists, sorted, each name once.
func MergeNames(lists ...[]string) []string {
	var out []string
	seen := map[string]bool{}
	for _, l := range lists {
		for _, n := range l {
			if !seen[n] {
				seen[n] = true
				out = append(out, n)
			}
		}
	}
	sort.Strings(out)
	return out
}
