package smt

import (
	"strings"

	"tv/semantics/term"
)

// A Query asks whether its formula, a conjunction, has a model. It is valid where there is none.
type Query struct {
	forms     map[formKey]*form
	list      []*form
	goal      *form
	axioms    []*form // what holds of constants that stand for functions
	constants []constant
	names     map[string]bool
}

// A constant that formulas are over.
type constant struct {
	form   *form
	name   string // in formulas
	sort   term.Sort
	tensor *term.Tensor // of a read at an index of numbers, else nil
	at     []int64
}

func newQuery() *Query {
	return &Query{forms: map[formKey]*form{}, names: map[string]bool{}}
}

// declare adds a constant under its name, or one like it that is not taken.
func (q *Query) declare(c constant, s sort) *form {
	c.name = strings.NewReplacer("|", "_", `\`, "_").Replace(c.name) // which symbols may not hold
	for q.names[c.name] {
		c.name += "'"
	}
	q.names[c.name] = true
	c.form = q.mk(form{op: "const", name: c.name, sort: s})
	q.constants = append(q.constants, c)
	return c.form
}

func (q *Query) axiom(f *form) {
	if f.op != "true" {
		q.axioms = append(q.axioms, f)
	}
}

func (q *Query) assert(f *form) { q.goal = f }

// trivial reports whether the query has no model as it stands.
func (q *Query) trivial() bool { return q.goal.op == "false" }

// assertions lists what a model satisfies.
func (q *Query) assertions() []*form { return append(q.axioms[:len(q.axioms):len(q.axioms)], q.goal) }

// used marks the forms that occur in the assertions.
func (q *Query) used() map[*form]bool {
	used := map[*form]bool{}
	for _, f := range q.assertions() {
		used[f] = true
	}
	for i := len(q.list) - 1; i >= 0; i-- { // arguments come before what uses them
		if used[q.list[i]] {
			for _, a := range q.list[i].args {
				used[a] = true
			}
		}
	}
	return used
}

// asked lists the constants that occur in the assertions: a model gives them values.
func (q *Query) asked() []constant {
	used := q.used()
	var out []constant
	for _, c := range q.constants {
		if used[c.form] {
			out = append(out, c)
		}
	}
	return out
}

// exact reports whether the constants that occur are reads at numbers and nothing else, so that a model is one of
// the terms.
func (q *Query) exact() bool {
	for _, c := range q.asked() {
		if c.tensor == nil {
			return false
		}
	}
	return true
}
