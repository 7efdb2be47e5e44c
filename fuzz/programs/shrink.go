package programs

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"tv/glenside"
	language "tv/semantics/glenside"
)

// shrunk returns a smaller pair of which keep still holds: operators are dropped, from the result down and,
// where both programs share them, from the inputs up; then dims become smaller. keep is asked so many times
// at most. (Values are made smaller by package equiv, where a difference is described.)
func Shrink(before, after *Program, tries int, keep func(x, y *Program) bool) (*Program, *Program) {
	before, after = fewerOperators(before, after, &tries, keep)
	return smallerDims(before, after, &tries, keep)
}

// retyped types a smaller pair, to be asked about as the first was.
func retyped(like *Program, x, y string) (*Program, *Program, bool) {
	a, err := Typed("before", x)
	if err != nil {
		return nil, nil, false
	}
	b, err := Typed("after", y)
	if err != nil {
		return nil, nil, false
	}
	for _, p := range []*Program{a, b} {
		p.Exact, p.Seed = like.Exact, like.Seed
	}
	return a, b, true
}

// smallerDims replaces each number that is a dim of an input, wherever it stands, by smaller ones.
func smallerDims(before, after *Program, tries *int, keep func(x, y *Program) bool) (*Program, *Program) {
	set := map[int]bool{}
	for _, in := range before.Parsed.Inputs {
		for _, d := range in.Dims {
			if n, ok := number(d.Size); ok && n > 1 {
				set[n] = true
			}
		}
	}
	dims := slices.Sorted(maps.Keys(set))
	slices.Reverse(dims)
	for _, n := range dims {
		token := regexp.MustCompile(`\b` + strconv.Itoa(n) + `\b`)
		for _, m := range []int{1, 2, n / 2, n - 1} {
			if m >= n || m < 1 {
				continue
			}
			by := strconv.Itoa(m)
			if *tries--; *tries < 0 {
				return before, after
			}
			a, b, ok := retyped(before, token.ReplaceAllString(before.Text, by),
				token.ReplaceAllString(after.Text, by))
			if ok && keep(a, b) {
				before, after = a, b
				break
			}
		}
	}
	return before, after
}

// fewerOperators drops operators of a pair.
func fewerOperators(before, after *Program, tries *int, keep func(x, y *Program) bool) (*Program, *Program) {
	try := func(x, y string) (*Program, *Program, bool) {
		if *tries--; *tries < 0 {
			return nil, nil, false
		}
		a, b, ok := retyped(before, x, y)
		if !ok || len(a.Parsed.Nodes)+len(b.Parsed.Nodes) >= len(before.Parsed.Nodes)+len(after.Parsed.Nodes) {
			return nil, nil, false
		}
		return a, b, keep(a, b)
	}
	for again := true; again; {
		again = false
		before, after = readOnly(before, after)
		for _, c := range smaller(before, after) {
			if a, b, ok := try(c[0], c[1]); ok {
				before, after, again = a, b, true
				break
			}
		}
	}
	return before, after
}

// smaller lists the texts of pairs with fewer operators: two subterms of one type instead of the whole, then
// an input instead of two subterms of one type, those that are the same text first.
func smaller(before, after *Program) [][2]string {
	decls := Declarations(before.Parsed)
	whole := decls + assumptions(before.Parsed)
	var parts, same, alike [][2]string
	for _, x := range before.Parsed.Nodes {
		if !droppable(before, x) {
			continue
		}
		text := glenside.FormatNode(x)
		in, use, ok := standIn(before, x)
		for _, y := range after.Parsed.Nodes {
			if !droppable(after, y) || SameType(language.TypeOf(before.Typing.Type(x)), language.TypeOf(after.Typing.Type(y))) != "" {
				continue
			}
			other := glenside.FormatNode(y)
			if x != before.Parsed.Root && y != after.Parsed.Root {
				parts = append(parts, [2]string{whole + text, decls + other})
			}
			if !ok {
				continue
			}
			with := [2]string{whole + in + replaced(before.Parsed.Root, x, use),
				decls + in + replaced(after.Parsed.Root, y, use)}
			if text == other {
				same = append(same, with)
			} else {
				alike = append(alike, with)
			}
		}
	}
	slices.Reverse(same) // from the result down
	slices.Reverse(alike)
	return slices.Concat(parts, same, alike)
}

// droppable tells whether a node computes an access pattern.
func droppable(p *Program, n *glenside.Node) bool {
	return n.Kind == glenside.KindCall && p.Typing.Type(n).Kind == glenside.TypeAccess &&
		n.Op != glenside.OpAccessTensor
}

// readOnly drops the inputs that neither program reads.
func readOnly(before, after *Program) (*Program, *Program) {
	read := map[string]bool{}
	for _, p := range []*Program{before, after} {
		for _, n := range p.Parsed.Nodes {
			if n.Kind == glenside.KindSymbol {
				read[n.Text] = true
			}
		}
	}
	var s strings.Builder
	for _, in := range before.Parsed.Inputs {
		if read[in.Name] {
			fmt.Fprintln(&s, glenside.FormatInput(in))
		}
	}
	list := [2]*Program{before, after}
	for i, p := range list {
		q, err := Typed(p.Parsed.File.Name, s.String()+assumptions(p.Parsed)+glenside.FormatNode(p.Parsed.Root))
		if err != nil {
			return before, after
		}
		q.Exact, q.Named, q.Seed = p.Exact, p.Named, p.Seed
		list[i] = q
	}
	return list[0], list[1]
}

// standIn declares an input of the type of a node, and says how to use it.
func standIn(p *Program, n *glenside.Node) (declaration, use string, ok bool) {
	t := p.Typing.Type(n)
	for _, d := range t.Dims {
		if !isConst(d) && d.Name() == "" {
			return "", "", false
		}
	}
	name := fmt.Sprintf("s%d", n.ID) // inputs of programs have other names
	for strings.Contains(p.Text, name) {
		name += "s"
	}
	return fmt.Sprintf("(input %s %s %s)\n", name, shapeText(t.Dims...), t.Elem),
		splitAt(expr{"(access-tensor " + name + ")", len(t.Dims)}, t.Split), true
}
