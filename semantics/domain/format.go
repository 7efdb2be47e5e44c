package domain

import (
	"fmt"
	"slices"
	"strings"
)

// Format prints a domain for people, one condition each: the least values of the sizes first, those with the
// same together ("K N >= 1"), but of sizes of which a condition says more; then the conditions ("16 | K"), each once,
// but for those, and alternatives of them, that the least values of the sizes decide, that others imply, and those of which
// two alternatives are all there is; at last the limits of sizes. mins has a number for each name.
func Format(names []string, mins map[string]int64, conds []*Pred, limits Limits) []string {
	conds = needed(conds, &Facts{Mins: mins})
	bounded := map[string]bool{} // by a condition that says more than the least value
	for _, p := range conds {
		if _, number := p.A.Int64(); number && p.Op == PredLe && p.B.Op() == SizeName {
			bounded[p.B.Name()] = true
		}
	}
	byLeast := map[int64][]string{}
	var leasts []int64
	for _, n := range names {
		m := mins[n]
		if bounded[n] {
			continue
		}
		if byLeast[m] == nil {
			leasts = append(leasts, m)
		}
		byLeast[m] = append(byLeast[m], n)
	}
	slices.Sort(leasts)
	var out []string
	for _, m := range leasts {
		out = append(out, fmt.Sprintf("%s >= %d", strings.Join(byLeast[m], " "), m))
	}
	for _, p := range conds {
		out = append(out, infix(p))
	}
	if s := limits.String(); s != "" && len(names) > 0 {
		out = append(out, s)
	}
	return out
}

// Conjunction says all of a list of conditions at once: "N >= 1 and (M = N or M = 1)".
func Conjunction(conds []string) string {
	if len(conds) == 1 {
		return conds[0]
	}
	parts := make([]string, len(conds))
	for i, c := range conds {
		if parts[i] = c; disjunction(c) {
			parts[i] = "(" + c + ")"
		}
	}
	return strings.Join(parts, " and ")
}

// disjunction tells whether a condition has an "or" outside all parentheses.
func disjunction(cond string) bool {
	depth := 0
	for i, c := range cond {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case depth == 0 && strings.HasPrefix(cond[i:], " or "):
			return true
		}
	}
	return false
}

// infix prints a condition as people write it: "16 | K", "N >= 3".
func infix(p *Pred) string {
	list := func() []string {
		parts := make([]string, len(p.Args))
		for i, a := range p.Args {
			parts[i] = infix(a)
		}
		return parts
	}
	a, b := p.A.Formula(), p.B.Formula()
	_, number := p.A.Const()
	switch {
	case p.Op == PredEq:
		return a + " = " + b
	case p.Op == PredLe && number:
		return b + " >= " + a
	case p.Op == PredLe:
		return a + " <= " + b
	case p.Op == PredLt && number:
		return b + " > " + a
	case p.Op == PredLt:
		return a + " < " + b
	case p.Op == PredDivides:
		return a + " | " + b
	case p.Op == PredNot:
		return "not (" + infix(p.Args[0]) + ")"
	case p.Op == PredAnd:
		return Conjunction(list())
	}
	return strings.Join(list(), " or ")
}

// Formula prints a size as people write it: 2*N + 1, N div 2.
func (a Size) Formula() string { return formula(a, 0) }

// formula prints a size with the usual operators; level is how tightly the place binds.
func formula(x Size, level int) string {
	join := func(sep string, at, most int) string { // operands at a level; brackets in places that bind more tightly than most
		ops := x.Operands()
		parts := make([]string, len(ops))
		for i, o := range ops {
			parts[i] = formula(o, at)
		}
		s := strings.ReplaceAll(strings.Join(parts, sep), "+ -", "- ")
		if level > most && len(parts) > 1 {
			return "(" + s + ")"
		}
		return s
	}
	switch x.Op() {
	case SizeAdd:
		return join(" + ", 1, 0)
	case SizeMul:
		ops := x.Operands()
		if n, ok := ops[0].Int64(); ok && n == -1 && len(ops) == 2 {
			return "-" + formula(ops[1], 2)
		}
		return join("*", 2, 1)
	case SizeDiv:
		return join(" div ", 3, 1)
	case SizeMod:
		return join(" mod ", 3, 1)
	case SizeMax:
		return "max(" + join("; ", 0, 3) + ")"
	case SizeMin:
		return "min(" + join("; ", 0, 3) + ")"
	}
	return x.String()
}
