package recur

import (
	"fmt"
	"strings"
)

// A Row is a condition on integers: Σ Factors·names + Number is at least 0, or 0.
type Row struct {
	Factors []int64
	Number  int64
	Equal   bool
}

func (r Row) fact() fact {
	a := number(r.Number)
	for v, k := range r.Factors {
		a = a.plus(k, variable(v))
	}
	return fact{lin: a, zero: r.Equal}
}

// Refute says why no integers meet rows, where each condition of ors holds in one of some ways, as certificates have it
// (doc/certificates.md 5.4). Empty: no refutation was found.
func Refute(rows []Row, ors [][][]Row, names []string) string {
	s := &search{traced: true, lines: len(rows)}
	var list []row
	for i, r := range rows {
		list = append(list, row{r.fact(), variable(i)})
	}
	for _, or := range ors {
		var ways [][]fact
		for _, way := range or {
			var facts []fact
			for _, r := range way {
				facts = append(facts, r.fact())
			}
			ways = append(ways, facts)
		}
		s.ors = append(s.ors, ways)
	}
	found := s.refute(list)
	if found == nil {
		return ""
	}
	w := &refutationWriter{names: names, used: map[int]bool{}}
	w.mark(found)
	numbers := map[int]int{}
	for i := range rows {
		numbers[i] = i
	}
	return w.text(found, numbers, len(rows))
}

// A refutationWriter writes down a refutation without cuts that nothing uses.
type refutationWriter struct {
	names []string
	used  map[int]bool
}

func (w *refutationWriter) mark(r *refutation) {
	for _, c := range r.cases {
		w.mark(c)
	}
	see := func(a lin) {
		for _, t := range a.terms {
			w.used[t.v] = true
		}
	}
	see(r.sum)
	for i := len(r.cuts) - 1; i >= 0; i-- { // a cut is of lines before it
		if w.used[r.cuts[i].line] {
			see(r.cuts[i].from)
		}
	}
}

// text writes a refutation; numbers are those of lines, of which there are count.
func (w *refutationWriter) text(r *refutation, numbers map[int]int, count int) string {
	for i, c := range r.cuts {
		if w.used[c.line] {
			head := "(cut (" + w.sum(c.from, numbers) + ") "
			numbers[c.line] = count
			rest := *r
			rest.cuts = r.cuts[i+1:]
			return head + w.text(&rest, numbers, count+1) + ")"
		}
	}
	if len(r.cases) == 0 {
		kind := "sum"
		if r.gcd {
			kind = "gcd"
		}
		return fmt.Sprintf("(%s %s)", kind, w.sum(r.sum, numbers))
	}
	var parts string
	for i, c := range r.cases {
		for k, line := range r.lines[i] {
			numbers[line] = count + k
		}
		parts += " " + w.text(c, numbers, count+len(r.lines[i]))
	}
	if len(r.form.terms) > 0 {
		form := strings.ReplaceAll(r.form.spelt(func(v int) string { return w.names[v] }), " ", "")
		return "(if " + form + parts + ")"
	}
	return fmt.Sprintf("(or %d%s)", r.or, parts)
}

func (w *refutationWriter) sum(a lin, numbers map[int]int) string {
	var out []string
	for _, t := range a.terms {
		out = append(out, fmt.Sprintf("%d:%d", numbers[t.v], t.k))
	}
	return strings.Join(out, " ")
}
