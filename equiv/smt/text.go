package smt

import (
	"fmt"
	"math/big"
	"strings"
)

// maxNesting bounds the parentheses of an expression: parsers recurse.
const maxNesting = 40

// Script returns the query in SMT-LIB 2, up to its one (check-sat): what it asks, and nothing of how it is asked. Nodes
// that are used more than once get definitions, so that it grows with the number of nodes; names that begin with $ are
// of these. Equal queries have equal texts.
func (q *Query) Script() string {
	text, _ := q.script()
	return text
}

// Text returns the script with what it takes to learn of a model, or of why there is no answer.
func (q *Query) Text() string {
	text, p := q.script()
	var s strings.Builder
	s.WriteString("(set-option :produce-models true)\n" + text + "(get-info :reason-unknown)\n")
	if asked := q.asked(); len(asked) > 0 {
		s.WriteString("(get-value (")
		for i, c := range asked {
			if i > 0 {
				s.WriteByte(' ')
			}
			s.WriteString(p.text(c.form))
		}
		s.WriteString("))\n")
	}
	return s.String()
}

// script returns the text of Script and the names of definitions in it.
func (q *Query) script() (string, printer) {
	var s strings.Builder
	fmt.Fprintf(&s, "(set-logic %s)\n", q.logic())
	p := printer{names: map[*form]string{}}
	used := q.used()
	uses := map[*form]int{}
	for _, f := range q.list {
		if used[f] {
			for _, a := range f.args {
				uses[a]++
			}
		}
	}
	depth := map[*form]int{}
	for _, f := range q.list {
		if !used[f] {
			continue
		}
		if f.op == "const" {
			fmt.Fprintf(&s, "(declare-const %s %s)\n", p.text(f), f.sort)
			continue
		}
		for _, a := range f.args {
			depth[f] = max(depth[f], depth[a]+1)
		}
		if len(f.args) > 0 && f.op != "not" && (uses[f] > 1 && !isFloatLiteral(f) || depth[f] >= maxNesting) {
			text := p.text(f)
			p.names[f] = fmt.Sprintf("$%d", len(p.names))
			fmt.Fprintf(&s, "(define-fun %s () %s %s)\n", p.names[f], f.sort, text)
			depth[f] = 0
		}
	}
	for _, f := range q.assertions() {
		fmt.Fprintf(&s, "(assert %s)\n", p.text(f))
	}
	s.WriteString("(check-sat)\n")
	return s.String(), p
}

// logic names the least logic of SMT-LIB that has what the query uses.
func (q *Query) logic() string {
	kinds := map[byte]bool{}
	linear := true
	for f := range q.used() {
		kinds[f.sort.kind] = true
		switch {
		case f.sort != realSort:
		case f.op == "*":
			linear = linear && (f.args[0].op == "num" || f.args[1].op == "num")
		case f.op == "/":
			linear = linear && f.args[1].op == "num"
		}
	}
	switch {
	case kinds['r'] && (kinds['v'] || kinds['f']):
		return "ALL"
	case kinds['r'] && linear:
		return "QF_LRA"
	case kinds['r']:
		return "QF_NRA"
	case kinds['f']:
		return "QF_BVFP"
	}
	return "QF_BV"
}

// A printer writes forms, those with a name by name.
type printer struct {
	names map[*form]string
}

func isFloatLiteral(f *form) bool { return f.op == "to_fp" && f.mode == "" && f.args[0].op == "num" }

func (p *printer) text(f *form) string {
	if name := p.names[f]; name != "" {
		return name
	}
	switch f.op {
	case "const":
		return "|" + f.name + "|"
	case "num":
		if f.sort.kind == 'v' {
			return fmt.Sprintf("(_ bv%s %d)", f.value.Num(), f.sort.n)
		}
		text := new(big.Int).Abs(f.value.Num()).String() + ".0"
		if !f.value.IsInt() {
			text = fmt.Sprintf("(/ %s %s.0)", text, f.value.Denom())
		}
		if f.value.Sign() < 0 {
			text = "(- " + text + ")"
		}
		return text
	}
	parts := []string{f.op}
	if len(f.params) > 0 {
		parts[0] = "(_ " + f.op
		for _, n := range f.params {
			parts[0] += fmt.Sprintf(" %d", n)
		}
		parts[0] += ")"
	}
	if f.mode != "" {
		parts = append(parts, string(f.mode))
	}
	for _, a := range f.args {
		parts = append(parts, p.text(a))
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "(" + strings.Join(parts, " ") + ")"
}

// --- answers ---

// An expr is what a solver prints: an atom, or a list.
type expr struct {
	atom string
	list []expr
}

// parseExprs reads expressions as far as they go; a symbol between bars is one atom, bars and all.
func parseExprs(text string) []expr {
	stack := [][]expr{nil}
	add := func(e expr) { stack[len(stack)-1] = append(stack[len(stack)-1], e) }
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			i++
		case c == '(':
			stack = append(stack, nil)
			i++
		case c == ')':
			if len(stack) == 1 {
				return stack[0]
			}
			list := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			add(expr{list: list})
			i++
		case c == '|' || c == '"':
			n := strings.IndexByte(text[i+1:], c)
			if n < 0 {
				return stack[0]
			}
			add(expr{atom: text[i : i+n+2]})
			i += n + 2
		default:
			n := strings.IndexAny(text[i:], " \n\t\r()|\"")
			if n < 0 {
				n = len(text) - i
			}
			add(expr{atom: text[i : i+n]})
			i += n
		}
	}
	return stack[0]
}

// head returns the first atom of a list.
func (e expr) head() string {
	if len(e.list) == 0 {
		return ""
	}
	return e.list[0].atom
}

func (e expr) String() string {
	if e.list == nil {
		return e.atom
	}
	parts := make([]string, len(e.list))
	for i, x := range e.list {
		parts[i] = x.String()
	}
	return "(" + strings.Join(parts, " ") + ")"
}

// rational reads a number of the reals: 3.0, (- 3.0), (/ 1.0 (- 3.0)).
func (e expr) rational() (*big.Rat, bool) {
	if e.list == nil {
		return new(big.Rat).SetString(e.atom)
	}
	args := make([]*big.Rat, 0, 2)
	for _, a := range e.list[1:] {
		r, ok := a.rational()
		if !ok {
			return nil, false
		}
		args = append(args, r)
	}
	switch {
	case e.head() == "-" && len(args) == 1:
		return args[0].Neg(args[0]), true
	case e.head() == "/" && len(args) == 2 && args[1].Sign() != 0:
		return args[0].Quo(args[0], args[1]), true
	}
	return nil, false
}

// bits reads a bit-vector, #b0101, #x5 or (_ bv5 4), or a float, (fp #b0 #b01111 #b0000000000) or (_ NaN 5 11),
// of sort s.
func (e expr) bits(s sort) (*big.Int, bool) {
	switch {
	case strings.HasPrefix(e.atom, "#b"):
		return new(big.Int).SetString(e.atom[2:], 2)
	case strings.HasPrefix(e.atom, "#x"):
		return new(big.Int).SetString(e.atom[2:], 16)
	case e.head() == "_" && len(e.list) == 3 && strings.HasPrefix(e.list[1].atom, "bv"):
		return new(big.Int).SetString(e.list[1].atom[2:], 10)
	case e.head() == "_" && len(e.list) == 4:
		if e.list[1].atom == "+zero" {
			return new(big.Int), true
		}
		name := map[string]string{"-zero": "-0", "+oo": "inf", "-oo": "-inf", "NaN": "nan"}[e.list[1].atom]
		bits := specialBits(s, name)
		return bits, bits != nil
	case e.head() == "fp" && len(e.list) == 4:
		bits := new(big.Int)
		for i, width := range []int{1, s.n, s.m - 1} {
			part, ok := e.list[i+1].bits(vector(width))
			if !ok {
				return nil, false
			}
			bits.Or(bits.Lsh(bits, uint(width)), part)
		}
		return bits, true
	}
	return nil, false
}
