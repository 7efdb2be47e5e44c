package rule

import (
	"strings"

	"tv/glenside"
)

// lineWidth is the length of a line that Format tries not to exceed.
const lineWidth = 110

// Format returns the canonical text of a rule: clauses in a fixed order, one a line. Parsing it gives the same rule.
func Format(r *Rule) string {
	var b strings.Builder
	b.WriteString("(rule " + r.Name)
	clause := func(name string, parts ...string) {
		if len(parts) > 0 {
			b.WriteString("\n  (" + name + wrapped(parts, len(name)+3) + ")")
		}
	}
	if r.Source != "" {
		clause("source", `"`+r.Source+`"`)
	}
	if r.Doc != "" {
		clause("doc", `"`+r.Doc+`"`)
	}
	var vars []string
	for _, v := range r.Vars {
		s := "(" + v.Name + " (" + listed("", v.Access) + " " + listed("", v.Compute) + ")"
		if v.Elem != nil {
			s += " " + v.Elem.String()
		}
		vars = append(vars, s+")")
	}
	if vars == nil {
		b.WriteString("\n  (vars)")
	}
	clause("vars", vars...)
	clause("dims", r.Dims...)
	clause("ints", r.Ints...)
	clause("lists", r.Lists...)
	var tokens []string
	for _, t := range r.Tokens {
		tokens = append(tokens, "("+t.Name+" "+strings.Join(t.Tokens, " ")+")")
	}
	clause("tokens", tokens...)
	var where []string
	for _, g := range r.Where {
		where = append(where, g.String())
	}
	clause("where", where...)
	for _, word := range []struct{ name, text string }{{"equal", r.Equal}, {"arith", r.Arith}} {
		if word.text != "" {
			clause(word.name, word.text)
		}
	}
	var types []string
	for _, t := range r.Types {
		types = append(types, t.String())
	}
	clause("types", types...)
	clause("lhs", r.LHS.String())
	clause("rhs", r.RHS.String())
	switch {
	case r.WantWhereBoth != "":
		clause("want", r.Want, "(well-formed "+r.WantWhereBoth+")")
	case r.Want != "":
		clause("want", r.Want)
	}
	clause("use", r.Use...)
	b.WriteString(")\n")
	return b.String()
}

// wrapped joins parts with blanks, or with line breaks where they do not fit on a line.
func wrapped(parts []string, indent int) string {
	sep := " "
	if one := strings.Join(parts, " "); indent+len(one) > lineWidth && len(parts) > 1 {
		sep = "\n" + strings.Repeat(" ", indent)
		return " " + strings.Join(parts, sep)
	}
	return " " + strings.Join(parts, sep)
}

// listed prints "(head a b)", or "(a b)" without a head.
func listed(head string, list []*Expr) string {
	var parts []string
	if head != "" {
		parts = append(parts, head)
	}
	for _, x := range list {
		parts = append(parts, x.String())
	}
	return "(" + strings.Join(parts, " ") + ")"
}

// String returns the expression on one line.
func (x *Expr) String() string {
	switch x.Kind {
	case Call:
		head := ""
		if x.Op != nil {
			head = x.Op.Head()
		} else {
			head = callWord(x) + " " + x.Text
		}
		if x.Op != nil && len(x.Op.Operands) > 0 && x.Op.Operands[len(x.Op.Operands)-1].Optional {
			return strings.TrimSuffix(listed(head, x.Args), ")") + " (shape 0))"
		}
		return listed(head, x.Args)
	case Int:
		return x.Value.String()
	case IntOp, ListOp, ShapeOp:
		return listed(x.Text, x.Args)
	case Shape:
		return listed("shape", x.Args)
	case Access:
		return listed("access-shape", x.Args)
	case AccessOf:
		return listed("get-access-shape", x.Args)
	}
	return x.Text
}

// callWord returns the word before the operator of a call whose operator is a word variable.
func callWord(x *Expr) string {
	for _, op := range glenside.Ops() {
		if op.Category == x.category {
			return strings.Fields(op.Head())[0]
		}
	}
	return ""
}

// String returns the condition on one line.
func (g *Guard) String() string {
	parts := []string{g.Op}
	for _, x := range []*Expr{g.A, g.B} {
		if x != nil {
			parts = append(parts, x.String())
		}
	}
	for _, a := range g.Args {
		parts = append(parts, a.String())
	}
	return "(" + strings.Join(parts, " ") + ")"
}
