package domain

import (
	"fmt"
	"slices"
	"strings"
)

// Format prints a domain for people, one condition each: the least values of the sizes first, those with the
// same together ("K N >= 1"), but of sizes of which a condition says more; then the conditions ("16 | K"), each once,
// but for those, and alternatives of them, that the least values of the sizes decide and those of which two alternatives are
// all there is; at last the limits of sizes. mins has a number for each name.
func Format(names []string, mins map[string]int64, conds []*Pred, limits Limits) []string {
	known := &Facts{Mins: mins}
	var open []*Pred
	for _, p := range conds {
		if p.total(known) { // of others Decide says nothing where they have no value, and they exclude such points
			if p = p.plain(known); p.Decide(known) == Always || p.covers(known) {
				continue
			}
		}
		open = append(open, p)
	}
	conds = open
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
		if s := infix(p); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	if s := limits.String(); s != "" && len(names) > 0 {
		out = append(out, s)
	}
	return out
}

// covers tells whether two alternatives hold everywhere together: a <= b or c <= d, if b - a + d - c is at least -1, as where
// the first does not hold b - a is at most -1.
func (p *Pred) covers(known *Facts) bool {
	if p.Op != PredOr {
		return false
	}
	var slacks []Size
	for _, q := range p.Args {
		if q.Op != PredLe && q.Op != PredLt {
			continue
		}
		s := q.B.Sub(q.A)
		if q.Op == PredLt {
			s = s.Sub(IntSize(1))
		}
		for _, t := range slacks {
			if s.Add(t).AtLeastGiven(-1, known) {
				return true
			}
		}
		slacks = append(slacks, s)
	}
	return false
}

// total tells whether a condition is known to have a value everywhere: each divisor is at least 1.
func (p *Pred) total(known *Facts) bool {
	if p.Op == PredDivides || !p.A.total(known) || !p.B.total(known) {
		return false
	}
	for _, q := range p.Args {
		if !q.total(known) {
			return false
		}
	}
	return true
}

func (a Size) total(known *Facts) bool {
	args := a.Operands()
	if op := a.Op(); (op == SizeDiv || op == SizeMod) && !args[1].AtLeastGiven(1, known) {
		return false
	}
	for _, x := range args {
		if !x.total(known) {
			return false
		}
	}
	return true
}

// plain leaves out alternatives that hold nowhere.
func (p *Pred) plain(known *Facts) *Pred {
	if p.Op != PredOr {
		return p
	}
	var some []*Pred
	for _, q := range p.Args {
		if q.Decide(known) != Never {
			some = append(some, q)
		}
	}
	switch len(some) {
	case 0:
		return p
	case 1:
		return some[0]
	}
	return Or(some...)
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
