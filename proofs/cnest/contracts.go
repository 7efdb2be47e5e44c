package cnest

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"tv/internal/source"
	"tv/proofs/loops"
)

// contractsLine begins the contracts of a text: functions that it calls and does not have. In them
// elem is the type of the elements of the first array of a call, arrays are elements in a row, and
// integers of control are those of mathematics.
var contractsLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^#pragma contracts\n`)
})

// contracts is where a text begins its contracts; where it has none, its end.
func contracts(f *source.File) int {
	if at := contractsLine().FindStringIndex(f.Text); at != nil {
		return at[0]
	}
	return len(f.Text)
}

// promises are statements of contracts, and how many operands they have.
var promises = map[string]int{"requires": 1, "disjoint": 2}

// callee is the function that a call is of, nil for one that the text does not have.
func (s *steering) callee(n *node) *function {
	begin := s.begin
	if n.op != "call" {
		return nil
	}
	if n.at.Start < begin && s.of[n.text] != nil || begin == len(s.file.Text) {
		return s.of[n.text]
	}
	elem := "float"
	for _, a := range slices.Backward(n.args) {
		base := a
		for len(base.args) > 0 && slices.Contains([]string{"[]", "deref", "addr"}, base.op) {
			base = base.args[0]
		}
		if base.v != nil && (base.v.array || a.op == "addr") {
			elem = base.v.typ.name()
		}
	}
	if _, read := s.contracted[elem]; !read {
		s.contracted[elem] = nil
		m := &macros{map[string]*macro{}, 0}
		typ := &macro{}
		for _, w := range strings.Fields(elem) {
			typ.body = append(typ.body, token{text: w})
		}
		m.of["elem"] = typ
		for _, f := range functions(tokensOf(s.file, begin, len(s.file.Text), m)) {
			f.contract = true
			s.contracted[elem+" "+f.name] = f
		}
	}
	return s.contracted[elem+" "+n.text]
}

// name is that of a type.
func (t ctype) name() string {
	for _, words := range []string{"float", "double", "char", "short", "int", "long",
		"char unsigned", "short unsigned", "int unsigned", "long unsigned"} {
		if specified[words] == t {
			return words
		}
	}
	return "long"
}

// promised is a statement of a contract: what it says has to hold.
func (l *lowering) promised(n *node) {
	if n.text == "requires" {
		c := l.tested(n.args[0])
		l.Emit(&loops.Require{Cond: l.Form(c), Text: "what a contract requires", Span: n.at})
		return
	}
	x, _ := l.access(n.args[0])
	y, _ := l.access(n.args[1])
	if x.Buffer == y.Buffer {
		l.Emit(&loops.Require{Cond: differs(x, y), Text: "what a contract has apart", Span: n.at})
	}
}

// differs is that two accesses to one buffer are to different elements.
func differs(x, y loops.Access) *loops.Cond {
	same := &loops.Cond{Op: loops.CondAll}
	for k := range x.At {
		same.Conds = append(same.Conds, &loops.Cond{Op: loops.CondEqual, X: x.At[k], Y: y.At[k]})
	}
	return &loops.Cond{Op: loops.CondNot, Conds: []*loops.Cond{same}}
}
