package sizes

import (
	"slices"

	"tv/semantics/domain"
)

// A Clause is a condition of the domain that is not a disjunction: A = B, A < B, A <= B, or A divides B, or,
// negated, A does not divide B.
type Clause struct {
	Op   domain.PredOp
	Not  bool // with PredDivides only
	A, B domain.Size
}

// String prints a clause as a program says it.
func (c Clause) String() string {
	p := &domain.Pred{Op: c.Op, A: c.A, B: c.B}
	if c.Not {
		p = &domain.Pred{Op: domain.PredNot, Args: []*domain.Pred{p}}
	}
	return p.String()
}

// maxCases bounds the cases that the disjunctions of a domain are taken apart into.
const maxCases = 96

// Cases brings conditions into disjunctive normal form, without cases that lie in others. ok is false where there are too
// many cases.
func Cases(preds []*domain.Pred, mins map[string]int64) (out [][]Clause, ok bool) {
	out = [][]Clause{nil}
	for _, p := range preds {
		alts := alternatives(p, false, mins)
		var next [][]Clause
		for _, c := range out {
			if slices.ContainsFunc(alts, func(a []Clause) bool { return implies(c, a) }) {
				next = append(next, c) // the condition holds in the whole case
				continue
			}
			for _, a := range alts {
				next = append(next, append(c[:len(c):len(c)], a...))
			}
		}
		if out = widest(next); len(out) > maxCases {
			return nil, false
		}
	}
	return out, true
}

// widest are the cases that do not lie in others; of equal ones the first.
func widest(cases [][]Clause) (out [][]Clause) {
	for i, c := range cases {
		within := func(d []Clause) bool { return implies(c, d) }
		later := func(d []Clause) bool { return implies(c, d) && !implies(d, c) }
		if !slices.ContainsFunc(out, within) && !slices.ContainsFunc(cases[i+1:], later) {
			out = append(out, c)
		}
	}
	return out
}

// implies tells whether each clause of d follows from one of c, as can be seen from their difference.
func implies(c, d []Clause) bool {
	return !slices.ContainsFunc(d, func(y Clause) bool {
		return !slices.ContainsFunc(c, func(x Clause) bool { return x.implies(y) })
	})
}

func (c Clause) implies(d Clause) bool {
	if c.Op == d.Op && c.Not == d.Not && c.A.Equal(d.A) && c.B.Equal(d.B) {
		return true
	}
	had, okC := c.least()
	wanted, okD := d.least()
	if !okC || !okD || d.Op == domain.PredEq {
		return false
	}
	more, ok := d.B.Sub(d.A).Sub(c.B.Sub(c.A)).Int64()
	return ok && more+had >= wanted
}

// least is what B - A is at least.
func (c Clause) least() (n int64, ok bool) {
	switch c.Op {
	case domain.PredLt:
		return 1, true
	case domain.PredLe, domain.PredEq:
		return 0, true
	}
	return 0, false
}

func alternatives(p *domain.Pred, not bool, mins map[string]int64) [][]Clause {
	op := p.Op
	if not {
		switch op {
		case domain.PredAnd:
			op = domain.PredOr
		case domain.PredOr:
			op = domain.PredAnd
		}
	}
	switch op {
	case domain.PredNot:
		return alternatives(p.Args[0], !not, mins)
	case domain.PredOr:
		var out [][]Clause
		for _, a := range p.Args {
			out = append(out, alternatives(a, not, mins)...)
		}
		return out
	case domain.PredAnd:
		out := [][]Clause{nil}
		for _, a := range p.Args {
			var next [][]Clause
			for _, c := range out {
				for _, alt := range alternatives(a, not, mins) {
					next = append(next, append(c[:len(c):len(c)], alt...))
				}
			}
			if out = next; len(out) > maxCases {
				return out
			}
		}
		return out
	}
	switch {
	case !not && op == domain.PredEq:
		return equation(p.A, p.B, mins)
	case !not:
		return [][]Clause{{{Op: op, A: p.A, B: p.B}}}
	}
	switch op {
	case domain.PredEq:
		return [][]Clause{{{Op: domain.PredLt, A: p.A, B: p.B}}, {{Op: domain.PredLt, A: p.B, B: p.A}}}
	case domain.PredLt:
		return [][]Clause{{{Op: domain.PredLe, A: p.B, B: p.A}}}
	case domain.PredLe:
		return [][]Clause{{{Op: domain.PredLt, A: p.B, B: p.A}}}
	}
	return [][]Clause{{{Op: op, Not: true, A: p.A, B: p.B}}}
}
