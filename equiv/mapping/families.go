package mapping

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"tv/glenside"
	"tv/internal/source"
)

// Families returns rules about tensors that a program takes apart and puts together along their first axis, as the text of a file of
// rules: for each part of one element of a split the slice that it is; for each stack or
// concatenation, two shorter ones one after the other. How many parts there are is part of a left side, so the numbers come from the
// program, and the text is empty where it has none; the rules are certified like all others. Errors: source.Errors, of a program that cannot be read.
func Families(file *source.File) (*source.File, error) {
	p, err := glenside.Parse(file)
	if err != nil {
		return nil, err
	}
	f := families{rows: map[string]string{}, stacks: map[int]bool{}, joins: map[int]bool{}}
	for _, n := range p.Nodes {
		if n.Kind == glenside.KindCall {
			f.add(n)
		}
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(f.rows)) {
		b.WriteString(f.rows[name])
	}
	for _, n := range slices.Sorted(maps.Keys(f.stacks)) {
		b.WriteString(twoParts(fmt.Sprintf("stack-of-%d", n), n, "((?S*) ())", func(names []string) string {
			if len(names) == 1 {
				return "(access-insert-axis " + names[0] + " 0)"
			}
			return "(relay-operator-call relay-stack " + strings.Join(names, " ") + " 0)"
		}))
	}
	for _, n := range slices.Sorted(maps.Keys(f.joins)) {
		b.WriteString(twoParts(fmt.Sprintf("concatenation-of-%d", n), n, "((%s ?S*) ())", func(names []string) string {
			if len(names) == 1 {
				return names[0]
			}
			return "(relay-operator-call relay-concatenate 0 (construct-tuple " + strings.Join(names, " ") + "))"
		}))
	}
	return source.NewFile("families.rules", b.String()), nil
}

// families are what a program has: texts of rules for elements by their names, and lengths of stacks and concatenations.
type families struct {
	rows          map[string]string
	stacks, joins map[int]bool
}

func (f *families) add(n *glenside.Node) {
	switch n.Op.Name {
	case "tuple-get-item":
		of := n.Args[0]
		if of.Kind != glenside.KindCall || of.Op.Name != "relay-split" || count(of.Args[2]) != 0 {
			return
		}
		if parts, k := count(of.Args[1]), count(n.Args[1]); parts > 1 {
			item := fmt.Sprintf("(tuple-get-item (relay-operator-call relay-split ?a %d 0) %d)", parts, k)
			name := fmt.Sprintf("%d-of-%d", k+1, parts)
			f.row("row-"+name, k, parts, "(relay-operator-call relay-squeeze "+item+" (list 0))")
			f.row("row-reshaped-"+name, k, parts, "(access (relay-operator-call relay-reshape "+item+" (shape ?S*)) (rank ?S*))")
		}
	case "relay-stack":
		if last := len(n.Args) - 1; count(n.Args[last]) == 0 {
			f.stacks[1] = f.stacks[1] || last == 1
			shorter(last, f.stacks)
		}
	case "relay-concatenate":
		if t := n.Args[1]; count(n.Args[0]) == 0 && t.Kind == glenside.KindCall && t.Op.Name == "construct-tuple" {
			shorter(len(t.Args), f.joins)
		}
	}
}

// row adds rules that element k of a tensor of parts elements is a slice of it, whether all dims of the tensor are access dims or none is.
func (f *families) row(name string, k, parts int64, text string) {
	for suffix, shape := range map[string]string{"": "((%d ?S*) ())", "-raw": "(() (%d ?S*))"} {
		f.rows[name+suffix] = fmt.Sprintf("(rule %s\n  (vars (?a "+shape+"))\n  (lhs (access-insert-axis %s 0))\n"+
			"  (rhs (access-slice (access ?a (rank ?a)) 0 %d %d)))\n\n", name+suffix, parts, text, k, k+1)
	}
}

// count is the number that a node is, or -1.
func count(n *glenside.Node) int64 {
	if v, ok := n.Int.Int64(); n.Kind == glenside.KindInt && ok {
		return v
	}
	return -1
}

// shorter adds the lengths that one of n parts comes apart into.
func shorter(n int, all map[int]bool) {
	if n < 2 || all[n] {
		return
	}
	all[n] = true
	shorter(half(n), all)
	shorter(n-half(n), all)
}

// half is the greatest power of two below n: so lengths come apart into few, and as rows of a call are joined.
func half(n int) int {
	h := 1
	for h*2 < n {
		h *= 2
	}
	return h
}

// twoParts is a rule of n tensors put together, which are two shorter ones one after the other. Where their shape has a place for a size,
// each has one of its own.
func twoParts(name string, n int, shape string, together func(names []string) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "(rule %s\n  (vars", name)
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("?a%d", i+1)
		fmt.Fprintf(&b, " (%s %s)", names[i], strings.ReplaceAll(shape, "%s", fmt.Sprintf("?m%d", i+1)))
	}
	whole := "(relay-operator-call relay-stack " + names[0] + " 0)"
	if n > 1 {
		whole = together(names)
	}
	fmt.Fprintf(&b, ")\n  (equal tensor)\n  (lhs %s)\n", whole)
	if n == 1 {
		fmt.Fprintf(&b, "  (rhs %s))\n\n", together(names))
	} else {
		fmt.Fprintf(&b, "  (rhs (access-concatenate %s %s 0)))\n\n", together(names[:half(n)]), together(names[half(n):]))
	}
	return b.String()
}
