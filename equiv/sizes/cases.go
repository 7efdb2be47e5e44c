package sizes

import "tv/semantics/domain"

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

// Cases brings conditions into disjunctive normal form. ok is false where there are too many cases.
func Cases(preds []*domain.Pred, mins map[string]int64) (out [][]Clause, ok bool) {
	out = [][]Clause{nil}
	for _, p := range preds {
		alts := alternatives(p, false, mins)
		var next [][]Clause
		for _, c := range out {
			for _, a := range alts {
				next = append(next, append(c[:len(c):len(c)], a...))
			}
		}
		if out = next; len(out) > maxCases {
			return nil, false
		}
	}
	return out, true
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
