// Package rules decides rewrite rules over bit-vectors: for all widths where both sides have one form, else for all
// widths up to a bound, instance by instance.
//
//	rules.go        Check: instances from the smallest on, then forms, then more instances
//	widths.go       widths of terms as polynomials, and what a side needs to be well formed
//	fields.go       fields of words as far in as they go
//	form.go         terms as polynomials that are equal at every width
//	certificate.go  the text of a certificate
package rules

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"tv/equiv/bits"
	"tv/internal/source"
	"tv/semantics/bits/bv"
	"tv/semantics/bits/bv/lower"
	"tv/semantics/bits/rule"
	"tv/semantics/bits/word"
)

// The engines, by their names in reports.
const (
	Forms     = "forms"     // one polynomial at every width
	Instances = "instances" // every instance up to a bound
)

// Options bound the work. The zero value is the default.
type Options struct {
	Conflicts     int64 // of the solver, for each instance; 0: 20,000
	InstancesOnly bool  // nothing is said of all widths
}

// A Result is the answer for a rule.
type Result struct {
	Verdict   bits.Verdict
	Reason    string // of Unknown: resources, interrupted; of Refuted: values, or ill-formed
	Detail    string
	Engine    string
	Domain    []string      // "all widths", or a range for each name
	Bound     int           // of such ranges; 0: none
	Compared  int           // instances that were compared
	Smallest  rule.Instance // the smallest that is admitted
	Refuting  rule.Instance // of Refuted
	Certified []byte        // of Proved: the text of a certificate
}

// span is how far names go where instances are tried, by the number of names: to find what is wrong first, and to prove in the end.
type span struct{ first, last int }

func bound(names int) span {
	switch names {
	case 0, 1:
		return span{6, 12}
	case 2:
		return span{4, 6}
	case 3:
		return span{3, 4}
	}
	return span{2, 2}
}

// assignments are those of values up to most, the smallest sums first; of one sum the first names' small values first.
func assignments(r *rule.Rule, most int) []map[string]int {
	list := []map[string]int{{}}
	for _, n := range r.Numbers {
		var next []map[string]int
		for _, old := range list {
			for v := n.Least; v <= most; v++ {
				values := map[string]int{n.Name: v}
				for name, x := range old {
					values[name] = x
				}
				next = append(next, values)
			}
		}
		list = next
	}
	sum := func(values map[string]int) (s int) {
		for _, v := range values {
			s += v
		}
		return s
	}
	sort.SliceStable(list, func(i, j int) bool { return sum(list[i]) < sum(list[j]) })
	return list
}

// Check decides a rule. Errors: source.Errors with the code vacuous, where no instance up to the bound is admitted.
func Check(ctx context.Context, r *rule.Rule, o Options) (Result, error) {
	if o.Conflicts == 0 {
		o.Conflicts = 20_000
	}
	out := Result{Domain: []string{"all widths"}}
	if len(r.Numbers) == 0 {
		out.Domain = []string{"all inputs"}
	}
	most := bound(len(r.Numbers))
	t := &trial{ctx: ctx, rule: r, options: o, out: &out, seen: map[string]bool{}}
	if t.upTo(most.first); out.Verdict == bits.Refuted || out.Reason == "interrupted" {
		return out, nil
	}
	if len(r.Numbers) > 0 && out.Compared > 0 && !o.InstancesOnly && sameForms(r) {
		out.Verdict, out.Reason, out.Detail = bits.Proved, "", ""
		out.Engine = Forms
		out.Certified = certificate(r, allWidths, nil)
		return out, nil
	}
	if out.Reason == "" {
		t.upTo(most.last)
	}
	switch {
	case out.Verdict == bits.Refuted || out.Reason != "":
		return out, nil
	case out.Compared == 0:
		return out, source.Errors{source.Errorf(r.Span, "vacuous", "no instance of rule %s was found whose guard is true and whose left side is well formed", r.Name)}
	}
	out.Verdict, out.Engine = bits.Proved, Instances
	if len(r.Numbers) > 0 {
		out.Domain, out.Bound = nil, most.last
	}
	for _, n := range r.Numbers {
		out.Domain = append(out.Domain, fmt.Sprintf("%d <= %s <= %d", n.Least, n.Name, most.last))
	}
	out.Certified = certificate(r, most.last, t.certificates(most.last))
	return out, nil
}

// A trial compares instances.
type trial struct {
	ctx     context.Context
	rule    *rule.Rule
	options Options
	out     *Result
	seen    map[string]bool   // instances that were compared, by their values
	proofs  map[string][]byte // their certificates
}

func valuesKey(r *rule.Rule, values map[string]int) string {
	var parts []string
	for _, n := range r.Numbers {
		parts = append(parts, fmt.Sprintf("%s = %d", n.Name, values[n.Name]))
	}
	return strings.Join(parts, ", ")
}

// Values says which numbers an instance has, "" of a rule without.
func Values(r *rule.Rule, in rule.Instance) string { return valuesKey(r, in.Values) }

// upTo compares instances of values up to most until one is refuted or not decided.
func (t *trial) upTo(most int) {
	for _, values := range assignments(t.rule, most) {
		key := valuesKey(t.rule, values)
		if t.seen[key] {
			continue
		}
		t.seen[key] = true
		in := t.rule.At(values)
		if !in.Admitted {
			continue
		}
		if t.out.Compared++; t.out.Compared == 1 {
			t.out.Smallest = in
		}
		if t.compare(in, key); t.out.Verdict == bits.Refuted || t.out.Reason != "" {
			return
		}
	}
}

// compare decides an instance.
func (t *trial) compare(in rule.Instance, key string) {
	out := t.out
	if in.Ill != "" {
		out.Verdict, out.Reason, out.Engine, out.Refuting = bits.Refuted, "ill-formed", Instances, in
		out.Detail = in.Ill
		return
	}
	q := t.question(in)
	r, err := bits.Check(t.ctx, q, bits.Options{Conflicts: t.options.Conflicts})
	switch {
	case err != nil:
		panic("rules: " + err.Error()) // sides have the same ports, and no assumptions
	case r.Verdict == bits.Refuted:
		out.Verdict, out.Reason, out.Engine, out.Refuting = bits.Refuted, "values", Instances, in
	case r.Verdict == bits.Unknown:
		out.Reason, out.Detail = r.Reason, strings.TrimSpace("at "+key+" "+r.Detail)
	default:
		text := func(i int) bits.Text {
			return bits.Text{Language: "bv", Name: []string{"lhs.bv", "rhs.bv"}[i], Data: in.Texts[i]}
		}
		if t.proofs == nil {
			t.proofs = map[string][]byte{}
		}
		if t.proofs[key] = r.Certificate(q, text(0), text(1)); t.proofs[key] == nil {
			out.Reason, out.Detail = "incomplete", "no certificate of the instance "+key
		}
	}
}

// question is an instance as a question about circuits.
func (t *trial) question(in rule.Instance) bits.Question {
	b := word.NewBuilder()
	var specs [2]*bv.Spec
	for i, name := range []string{"lhs.bv", "rhs.bv"} {
		var err error
		if specs[i], err = bv.Parse(source.NewFile(name, in.Texts[i])); err != nil {
			panic("rules: an instance is ill-formed: " + err.Error())
		}
	}
	return bits.Question{Before: lower.Design(specs[0], b), After: lower.Design(specs[1], b)}
}

// certificates are those of all instances up to most, in the order of assignments.
func (t *trial) certificates(most int) (out []byte) {
	for _, values := range assignments(t.rule, most) {
		out = append(out, t.proofs[valuesKey(t.rule, values)]...)
	}
	return out
}
