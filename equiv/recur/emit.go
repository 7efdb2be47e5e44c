package recur

import (
	"fmt"
	"slices"
	"strings"
)

// Lines are the proof as certificates have it (doc/certificates.md 5.4), but for the refutations of goals. Statements are called what names
// says: one for each assignment, in the order of the text.
func (p *Proof) Lines(before, after []string) (string, error) {
	e := &emitter{question: p.question, names: map[*stmt]string{}}
	for i, s := range []*side{p.before, p.after} {
		list := [][]string{before, after}[i]
		if last := s.assignments(); len(list) != last {
			return "", fmt.Errorf("%d assignments here, %d for the checker", last, len(list))
		}
		for _, st := range s.stmts {
			if !st.begin {
				e.names[st] = list[st.number]
			}
		}
	}
	e.sides(func(which string, s *side) {
		for _, st := range s.stmts {
			for k := range st.reads {
				e.line("read %s %s %d %s", which, e.names[st], k, e.tree(st.trees[k], st.counters))
			}
		}
	})
	e.sides(func(which string, s *side) {
		for _, st := range s.ends {
			e.line("end %s %s %s", which, st.buffer.Name, e.tree(st.trees[0], st.counters))
		}
	})
	for _, q := range p.pieces {
		var facts []string
		for _, f := range q.facts {
			if !slices.ContainsFunc(p.sizeFacts, func(g fact) bool { return f.equal(g.lin) && f.zero == g.zero }) {
				facts = append(facts, e.form(f.lin, q.vars))
				if f.zero {
					facts = append(facts, e.form(f.times(-1), q.vars))
				}
			}
		}
		e.line("piece %s %s %d (%s) (%s) (%s) %s", e.names[q.a], e.names[q.b], len(q.vars), strings.Join(facts, " "),
			e.forms(q.x, q.vars), e.forms(q.y, q.vars), e.proof(q.proof, q.vars))
	}
	for i, r := range p.results {
		e.line("result %s %s", p.before.ends[i].buffer.Name, e.proof(r.proof, r.vars))
	}
	return e.text.String(), nil
}

type emitter struct {
	*question
	names map[*stmt]string
	text  strings.Builder
}

func (e *emitter) line(format string, args ...any) { fmt.Fprintf(&e.text, format+"\n", args...) }

// form is a lin at a place with variables.
func (e *emitter) form(a lin, vars []int) string {
	return strings.ReplaceAll(a.spelt(func(v int) string {
		if v < len(e.sizes) {
			return e.sizes[v]
		}
		i := slices.Index(vars, v)
		if i < 0 {
			panic("recur: a form has a variable that is not there")
		}
		return fmt.Sprintf("#%d", i)
	}), " ", "")
}

func (e *emitter) forms(list []lin, vars []int) string {
	var out []string
	for _, a := range list {
		out = append(out, e.form(a, vars))
	}
	return strings.Join(out, " ")
}

func (e *emitter) tree(t *tree, vars []int) string {
	switch t.kind {
	case never:
		return "never"
	case entry:
		return "entry"
	case branch:
		return fmt.Sprintf("(if %s %s %s)", e.form(t.when, vars), e.tree(t.yes, vars), e.tree(t.no, vars))
	case divide:
		q := e.quotients[t.quotient]
		return fmt.Sprintf("(div %s %d %s)", e.form(q.of, vars), q.by, e.tree(t.yes, append(slices.Clip(vars), t.quotient)))
	}
	return strings.TrimSuffix(fmt.Sprintf("(at %s %s", e.names[t.writer], e.forms(t.counters, vars)), " ") + ")"
}

func (e *emitter) proof(p *proof, vars []int) string {
	parts := func() (out string) {
		for i, x := range p.parts {
			at := vars
			if p.rule == left || p.rule == right || p.rule == open {
				at = append(slices.Clip(vars), p.made[i]...)
			}
			out += " " + e.proof(x, at)
		}
		return out
	}
	switch p.rule {
	case test:
		return fmt.Sprintf("(if %s%s)", e.form(p.form, vars), parts())
	case digit:
		q := e.quotients[p.quotient]
		return fmt.Sprintf("(div %s %d %s)", e.form(q.of, vars), q.by, e.proof(p.parts[0], append(slices.Clip(vars), p.quotient)))
	case left:
		return "(l" + parts() + ")"
	case right:
		return "(r" + parts() + ")"
	case pair:
		return fmt.Sprintf("(pair %d %s)", p.piece.number, e.forms(p.values, vars))
	case contents:
		return "entry"
	case same:
		return "(same" + parts() + ")"
	case open:
		side := "l"
		if p.after {
			side = "r"
		}
		return fmt.Sprintf("(open %s %s%s)", side, p.path, parts())
	case expr:
		out := "(expr"
		for i, x := range p.parts {
			out += fmt.Sprintf(" (%s %s %s)", p.pairs[i][0], p.pairs[i][1], e.proof(x, vars))
		}
		return out + ")"
	}
	return "never"
}

func (e *emitter) sides(f func(which string, s *side)) {
	f("before", e.before)
	f("after", e.after)
}

// assignments counts those of a side.
func (s *side) assignments() (n int) {
	for _, st := range s.stmts {
		if !st.begin {
			n++
		}
	}
	return n
}
