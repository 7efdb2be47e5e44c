package mapping

import (
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"strings"

	"tv/equiv/egraph"
	"tv/glenside"
	"tv/glenside/rule"
	"tv/semantics/domain"
)

// An explanation says why two terms are equal. Its lines are made when they are asked for: a mapping that is not written needs
// the instances it rests on alone.
type explanation struct {
	s     *saturation
	from  egraph.Term
	to    egraph.Term
	proof *egraph.Proof
	used  []int // instances by rule
	steps []egraph.Reason
}

func (s *saturation) explain(c chosen) *explanation {
	e := &explanation{s: s, from: c.from, to: c.to, proof: s.g.Explain(c.from, c.in), used: make([]int, len(s.opts.Rules))}
	e.proof.Then(c.lemmas)
	seen := map[egraph.Reason]bool{}
	visit := func(chain []egraph.Step) {
		for _, x := range chain {
			if x.Argument < 0 && !seen[x.Reason] {
				seen[x.Reason] = true
				e.steps = append(e.steps, x.Reason)
				e.used[s.instances[x.Reason].rule]++
			}
		}
	}
	for _, l := range e.proof.Lemmas {
		visit(l.Chain)
	}
	visit(e.proof.Chain)
	return e
}

// Used lists the rules that the explanation rests on and the element types of their instances, each once.
func (r *Result) Used() []Question {
	e := r.explanation
	seen := map[Question]bool{}
	var list []Question
	for _, reason := range e.steps {
		x := e.s.instances[reason]
		q := Question{e.s.opts.Rules[x.rule], x.binding.elem}
		if !seen[q] {
			seen[q] = true
			list = append(list, q)
		}
	}
	slices.SortStableFunc(list, func(a, b Question) int {
		if n := strings.Compare(a.Rule.Name, b.Rule.Name); n != 0 {
			return n
		}
		return strings.Compare(a.Elem.String(), b.Elem.String())
	})
	return list
}

// Explanation writes the file that says why the mapped program is equal to the source; certificates are those of the rules that it
// rests on, in any order.
func (r *Result) Explanation(certificates [][]byte) []byte {
	h := sha256.New()
	var b strings.Builder
	w := &lines{Writer: io.MultiWriter(&b, h), explanation: r.explanation}
	w.line("tv-map 1 semantics 1")
	var last *rule.Rule
	for _, q := range r.Used() {
		if q.Rule != last {
			w.part("rule "+q.Rule.Name, []byte(q.Rule.Span.Text()), true)
		}
		last = q.Rule
	}
	sorted := map[string][]byte{}
	for _, c := range certificates {
		sorted[string(c)] = c
	}
	for _, c := range certificates {
		if sorted[string(c)] != nil {
			w.part("certificate", c, true)
			delete(sorted, string(c))
		}
	}
	w.part("source", []byte(r.Source.File.Text), false)
	w.part("result", []byte(r.Mapped), false)
	w.terms()
	w.proof()
	fmt.Fprintf(&b, "sha256 %x\n", h.Sum(nil))
	return []byte(b.String())
}

// lines writes the lines of an explanation.
type lines struct {
	io.Writer
	*explanation
	reader *reader
	id     map[egraph.Term]int
	done   map[string]bool // steps that are written
}

func (w *lines) line(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

// part writes a text with its length, and its digest where it has one.
func (w *lines) part(head string, data []byte, digest bool) {
	if digest {
		head += fmt.Sprintf(" %x", sha256.Sum256(data))
	}
	w.line("%s %d", head, len(data))
	w.Write(data)
	io.WriteString(w, "\n")
}

// terms writes the terms that the proof mentions, those of the source first, arguments before what has them.
func (w *lines) terms() {
	w.reader = &reader{g: w.s.g, nodes: map[string]*glenside.Node{}, made: map[egraph.Term]*glenside.Node{}}
	w.id = map[egraph.Term]int{}
	add := func(t egraph.Term) { w.id[t] = w.reader.term(t).ID }
	add(w.from)
	add(w.to)
	chain := func(list []egraph.Step) {
		for _, x := range list {
			add(x.From)
			add(x.To)
			if x.Argument < 0 {
				in := &w.s.instances[x.Reason]
				for _, name := range w.s.names[in.rule] {
					if t, ok := in.term(w.s.opts.Rules[in.rule], name); ok {
						add(t)
					}
				}
			}
		}
	}
	for _, l := range w.explanation.proof.Lemmas {
		chain(l.Chain)
	}
	chain(w.explanation.proof.Chain)
	for _, n := range w.reader.list {
		switch n.Kind {
		case glenside.KindSymbol:
			w.line("term %d input %s", n.ID, domain.Quote(n.Text))
		case glenside.KindInt:
			w.line("term %d int %s", n.ID, n.Int)
		case glenside.KindFloat:
			w.line("term %d number %s", n.ID, n.Text)
		case glenside.KindToken:
			w.line("term %d word %s", n.ID, n.Text)
		default:
			fmt.Fprintf(w, "term %d op %s", n.ID, n.Op.Name)
			for _, a := range n.Args {
				fmt.Fprintf(w, " %d", a.ID)
			}
			io.WriteString(w, "\n")
		}
	}
}

// proof writes steps and lemmas, then the chain.
func (w *lines) proof() {
	w.done = map[string]bool{}
	for k, l := range w.explanation.proof.Lemmas {
		w.line("lemma %d %s", k, w.chain(l.From, l.Chain))
	}
	w.line("chain %s", w.chain(w.from, w.explanation.proof.Chain))
}

// chain writes the steps of a chain that are not written yet, and returns its terms.
func (w *lines) chain(from egraph.Term, list []egraph.Step) string {
	ids := fmt.Sprint(w.id[from])
	for _, x := range list {
		if step := w.step(x); !w.done[step] {
			w.done[step] = true
			w.line("%s", step)
		}
		ids += fmt.Sprintf(" %d", w.id[x.To])
	}
	return ids
}

func (w *lines) step(x egraph.Step) string {
	ends := fmt.Sprintf("step %d %d", w.id[x.From], w.id[x.To])
	if x.Argument >= 0 {
		reversed := ""
		if x.Reversed {
			reversed = " reversed"
		}
		return fmt.Sprintf("%s %d = lemma %d%s", ends, w.operand(x.From, x.Argument), x.Lemma, reversed)
	}
	in := &w.s.instances[x.Reason]
	way := "->"
	if x.Reversed {
		way = "<-"
	}
	return fmt.Sprintf("%s . %s %s%s", ends, w.s.opts.Rules[in.rule].Name, way,
		in.text(w.s.opts.Rules[in.rule], w.s.names[in.rule], func(t egraph.Term) string { return fmt.Sprint(w.id[t]) }))
}

// operand is the place that an argument of a term has among the operands of its operator.
func (w *lines) operand(t egraph.Term, argument int) int {
	for i, s := range w.s.g.operator(t).slots {
		if s == nil {
			if argument == 0 {
				return i
			}
			argument--
		}
	}
	panic("mapping: a term has fewer arguments than a step says")
}
