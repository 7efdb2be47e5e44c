package sizes

import (
	"slices"

	"tv/semantics/domain"
)

// equation takes a = b apart where that is a matter of zero factors, in sizes that are not negative: a sum of products is 0
// where each product is, a product where one of its sizes is, and x·e is 0 where x is or e is. The last is done only where it
// leaves a size alone, so that the equation can be solved; sizes that are at least 1 are none to be 0.
func equation(x, y domain.Size, mins map[string]int64) [][]Clause {
	whole := [][]Clause{{{Op: domain.PredEq, A: x, B: y}}}
	list := summands(x.Sub(y))
	for _, t := range list {
		if !t.ok {
			return whole
		}
	}
	sign := func(t summand) bool { return t.coef > 0 }
	if positive := sign(list[0]); !slices.ContainsFunc(list, func(t summand) bool { return sign(t) != positive || len(t.names) == 0 }) {
		if len(list) == 1 && len(list[0].names) == 1 {
			return whole
		}
		out := [][]Clause{nil}
		for _, t := range list {
			var next [][]Clause
			for _, c := range out {
				for _, z := range zeros(t.names, mins) {
					next = append(next, append(c[:len(c):len(c)], z...))
				}
			}
			out = next
		}
		return out
	}
	var common []string
	for _, n := range list[0].names {
		if !slices.ContainsFunc(list, func(t summand) bool { return !slices.Contains(t.names, n) }) {
			common = append(common, n)
			for i, t := range list {
				k := slices.Index(t.names, n)
				list[i].names = slices.Delete(slices.Clone(t.names), k, k+1)
			}
		}
	}
	rest := domain.IntSize(0)
	for _, t := range list {
		rest = rest.Add(t.size())
	}
	alone := func(t summand) bool {
		if len(t.names) != 1 || t.coef != 1 && t.coef != -1 {
			return false
		}
		others := rest.Sub(t.size())
		return !slices.Contains(others.Names(), t.names[0])
	}
	if len(common) == 0 || len(list) < 2 || !slices.ContainsFunc(list, alone) {
		return whole
	}
	return append(zeros(common, mins), []Clause{{Op: domain.PredEq, A: rest, B: domain.IntSize(0)}})
}

// zeros are the ways in which a product of sizes is 0.
func zeros(names []string, mins map[string]int64) (out [][]Clause) {
	for _, n := range slices.Compact(slices.Sorted(slices.Values(names))) {
		if mins[n] == 0 {
			out = append(out, []Clause{{Op: domain.PredEq, A: domain.NamedSize(n), B: domain.IntSize(0)}})
		}
	}
	return out
}

// A summand is a number times a product of names; ok is false for another one.
type summand struct {
	coef  int64
	names []string
	ok    bool
}

func (t summand) size() domain.Size {
	out := domain.IntSize(t.coef)
	for _, n := range t.names {
		out = out.Mul(domain.NamedSize(n))
	}
	return out
}

// summands are those of a size; there is at least one.
func summands(x domain.Size) []summand {
	terms := []domain.Size{x}
	if x.Op() == domain.SizeAdd {
		terms = x.Operands()
	}
	var out []summand
	for _, t := range terms {
		s := summand{coef: 1, ok: true}
		factors := []domain.Size{t}
		if t.Op() == domain.SizeMul {
			factors = t.Operands()
		}
		for _, f := range factors {
			n, number := f.Int64()
			switch {
			case number:
				s.coef = n
			case f.Name() != "":
				s.names = append(s.names, f.Name())
			default:
				s.ok = false
			}
		}
		out = append(out, s)
	}
	return out
}
