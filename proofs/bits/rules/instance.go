package rules

import (
	"fmt"
	"sort"
	"strings"
)

// output is that of the specifications.
const output = "result"

// assignments are those of numbers up to bound: the smallest sums first, and of one sum those first that are less at the first name
// at which they differ.
func (r *rule) assignments(bound int) []map[string]int {
	var all []map[string]int
	count := 1
	for _, least := range r.least {
		need(bound >= least, "a bound below the least value of a name")
		count *= bound - least + 1
		need(count <= 1<<16, "too many instances")
	}
	for i := range count {
		values := map[string]int{}
		rest, block := i, count
		for k, name := range r.names { // the first name turns slowest before sorting
			n := bound - r.least[k] + 1
			block /= n
			values[name] = r.least[k] + rest/block
			rest %= block
		}
		all = append(all, values)
	}
	total := func(values map[string]int) (s int) {
		for _, v := range values {
			s += v
		}
		return s
	}
	sort.SliceStable(all, func(i, j int) bool { return total(all[i]) < total(all[j]) })
	return all
}

// at is the rule at numbers. An instance whose right side is not well formed, or of another width, refuses the certificate.
func (r *rule) at(values map[string]int) (left, right string, admitted bool) {
	for _, g := range r.where {
		if !r.holds(g, values) {
			return "", "", false
		}
	}
	ports := ""
	for _, v := range r.vars {
		w := int64(1)
		if !v.bool {
			w = v.width.at(values)
		}
		if w < 1 || w > 4096 {
			return "", "", false
		}
		ports += fmt.Sprintf(" (in %s %d)", v.name, w)
	}
	n, ok := wide(r.sides[0], values)
	if !ok {
		return "", "", false
	}
	m, ok := wide(r.sides[1], values)
	need(ok && n == m, "the right side is not well formed, or of another width, at %v", values)
	text := func(t *term) string {
		s := written(t, values)
		if t.truth {
			s = "(bool->bitvector " + s + ")"
		}
		return fmt.Sprintf("(spec%s (out %s %d %s))\n", ports, output, max(n, 1), s)
	}
	return text(r.sides[0]), text(r.sides[1]), true
}

func (r *rule) holds(g list, values map[string]int) bool {
	op := g.head()
	switch op {
	case "=", "<", "<=":
		need(len(g.of) == 3, "no condition")
		a, b := r.number(g.of[1]).at(values), r.number(g.of[2]).at(values)
		return op == "=" && a == b || op == "<" && a < b || op == "<=" && a <= b
	case "not":
		need(len(g.of) == 2, "no condition")
		return !r.holds(g.of[1], values)
	case "and", "or":
		result := op == "and"
		for _, h := range g.of[1:] {
			if r.holds(h, values) != (op == "and") {
				result = op == "or"
			}
		}
		return result
	}
	refuse("no condition %s", op)
	return false
}

// most is how wide words are.
const most = 1 << 16

// wide is how many bits a term has, 0 of a Bool, where it is well formed.
func wide(t *term, values map[string]int) (int64, bool) {
	args := make([]int64, len(t.args))
	for i, a := range t.args {
		var ok bool
		if args[i], ok = wide(a, values); !ok {
			return 0, false
		}
	}
	at := make([]int64, len(t.at))
	for i, s := range t.at {
		at[i] = s.at(values)
	}
	same := func(from []int64) bool {
		for _, w := range from {
			if w != from[0] {
				return false
			}
		}
		return true
	}
	fits := func(w int64) (int64, bool) { return w, w >= 1 && w <= most }
	switch t.op {
	case "var":
		if t.truth {
			return 0, true
		}
		return t.signal.width.at(values), true
	case "literal":
		switch {
		case t.truth:
			return 0, true
		case t.text[1] == 'b':
			return fits(int64(len(t.text) - 2))
		}
		return fits(4 * int64(len(t.text)-2))
	case "number":
		w, ok := fits(at[1])
		return w, ok && at[0] >= 0 && (w >= 62 || at[0] < 1<<w)
	case "concat":
		w := int64(0)
		for _, a := range args {
			w += a
		}
		return fits(w)
	case "extract":
		return at[0] - at[1] + 1, at[1] >= 0 && at[1] <= at[0] && at[0] < args[0]
	case "zero_extend", "sign_extend":
		w, ok := fits(args[0] + at[0])
		return w, ok && at[0] >= 0
	case "repeat":
		w, ok := fits(args[0] * at[0])
		return w, ok && at[0] >= 1
	case "rotate_left", "rotate_right":
		return args[0], at[0] >= 0
	case "bvcomp", "bool->bitvector":
		return 1, same(args)
	case "ite":
		return args[1], same(args[1:])
	}
	if t.truth {
		return 0, same(args)
	}
	return args[0], same(args)
}

// written is the term as SMT-LIB has it.
func written(t *term, values map[string]int) string {
	switch t.op {
	case "var":
		if t.truth {
			return "(bitvector->bool " + t.signal.name + ")"
		}
		return t.signal.name
	case "literal":
		return t.text
	case "number":
		return fmt.Sprintf("(_ bv%d %d)", t.at[0].at(values), t.at[1].at(values))
	}
	parts := []string{t.op}
	if len(t.at) > 0 {
		parts[0] = "(_ " + t.op
		for _, s := range t.at {
			parts[0] += fmt.Sprintf(" %d", s.at(values))
		}
		parts[0] += ")"
	}
	for _, a := range t.args {
		parts = append(parts, written(a, values))
	}
	return "(" + strings.Join(parts, " ") + ")"
}
