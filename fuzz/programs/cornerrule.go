package programs

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"tv/glenside"
	rewrite "tv/glenside/rule"
	"tv/internal/mix"
	"tv/internal/source"
	"tv/semantics/domain"
)

// CornerRule returns a rule over the operator table whose integers, list entries, bounds, steps and axes are
// written in ways that give them no sense in some cases: they are negative, beyond an axis, or divide by 0. nil
// where no draw gives one that can be read. Equal seeds give equal rules. What it says is nearly always wrong.
func CornerRule(seed uint64) *rewrite.Rule {
	var found *rewrite.Rule
	for range cornerTries {
		seed = mix.Spread(seed)
		g := &ruleGrower{rand.New(rand.NewPCG(seed, 0x72756c65))}
		rules, err := rewrite.Parse(source.NewFile("corner", g.rule()))
		if err != nil || len(rules) != 1 {
			continue
		}
		if found = rules[0]; g.n(8) == 0 || g.admitted(found) { // most without an instance end where they are stated
			break
		}
	}
	return found
}

// admitted tells whether some small instance is one of a rule. A rule that cannot be asked is none that is left out.
func (g *ruleGrower) admitted(r *rewrite.Rule) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = true
		}
	}()
	for range 20 {
		if r.Admits(r.RandomValues(g.rng, 3, 3), domain.Float32) == nil {
			return true
		}
	}
	return false
}

type ruleGrower struct{ rng *rand.Rand }

func (g *ruleGrower) n(k int) int { return g.rng.IntN(k) }

func (g *ruleGrower) one(of ...string) string { return of[g.n(len(of))] }

// shapes of the variables of a rule.
var cornerShapes = []string{
	"((?A*) (?B*))", "((?A* ?n) (?B*))", "((?A*) (?n ?B*))", "((?n) (?m))", "((?A*) ())", "(() (?A*))",
	"((?n ?m) ())", "((?A* ?n ?B*) ())", "((?A*) (2))", "(() (?n 0 ?m))", "((?n ?m ?k) (?A*))", "((?n) (?m ?m ?k))",
}

func (g *ruleGrower) rule() string {
	var s strings.Builder
	s.WriteString("(rule corner\n  (vars (?x " + g.one(cornerShapes...) + ") (?y " + g.one(cornerShapes...) + "))\n")
	s.WriteString("  (dims ?A* ?B* ?n ?m ?k) (ints ?i ?j) (lists ?L*)\n")
	if g.n(3) == 0 {
		s.WriteString("  (where " + g.guard(1) + ")\n")
	}
	if g.n(2) == 0 {
		s.WriteString("  (equal tensor)\n")
	}
	left := g.call(1)
	right := left
	switch g.n(4) {
	case 0:
		right = g.call(1)
	case 1:
		right = "(compute negative (compute negative " + left + "))"
	case 2:
		right = "(access " + left + " " + g.integer(2) + ")"
	}
	if g.n(4) == 0 {
		left, right = right, left
	}
	fmt.Fprintf(&s, "  (lhs %s)\n  (rhs %s))\n", left, right)
	return s.String()
}

func (g *ruleGrower) guard(depth int) string {
	if depth > 0 && g.n(3) == 0 {
		return "(" + g.one("not", "not", "or", "and") + " " + g.guard(depth-1) + ")"
	}
	return "(" + g.one("=", "<", "<=", "divides") + " " + g.integer(2) + " " + g.integer(2) + ")"
}

// call writes an operator on operands of the right sorts.
func (g *ruleGrower) call(depth int) string {
	ops := glenside.Ops()
	op := ops[g.n(len(ops))]
	parts := []string{op.Head()}
	for _, o := range op.Operands {
		times := 1
		if o.Variadic {
			times = g.n(3)
		}
		if o.Optional {
			times = 0
		}
		for range times {
			parts = append(parts, g.operand(o, depth))
		}
	}
	return "(" + strings.Join(parts, " ") + ")"
}

func (g *ruleGrower) operand(o glenside.Operand, depth int) string {
	switch o.Sort {
	case glenside.SortInt:
		return g.integer(2)
	case glenside.SortShape:
		return g.shape(1)
	case glenside.SortAccessShape:
		if g.n(3) == 0 {
			return "(get-access-shape " + g.tensor(0) + ")"
		}
		return "(access-shape " + g.shape(1) + " " + g.shape(1) + ")"
	case glenside.SortList:
		return g.list(1)
	case glenside.SortSections:
		if g.n(2) == 0 {
			return g.integer(1)
		}
		return g.list(1)
	case glenside.SortFloat:
		return g.one("0", "1", "-1", "0.5", "1e-5", "2", "-0.25", "inf", "-inf")
	case glenside.SortLiteral:
		return "(literal " + g.one("0", "1", "-1", "0.5") + ")"
	case glenside.SortToken:
		if o.Words == nil {
			return g.one(elemNames...)
		}
		return g.one(o.Words...)
	case glenside.SortTuple:
		return g.one("(construct-tuple ?x ?y)", "(construct-tuple ?x)", "(construct-tuple)",
			"(relay-operator-call relay-dropout ?x 0.5)",
			"(relay-operator-call relay-split ?x "+g.integer(1)+" "+g.integer(1)+")")
	}
	return g.tensor(depth)
}

func (g *ruleGrower) tensor(depth int) string {
	if depth > 0 && g.n(2) == 0 {
		return g.call(depth - 1)
	}
	switch g.n(8) {
	case 0:
		return "(access " + g.one("?x", "?y") + " " + g.integer(1) + ")"
	case 1:
		return "(access-slice ?x " + g.integer(1) + " " + g.integer(1) + " " + g.integer(1) + ")"
	case 2:
		return "?y"
	}
	return "?x"
}

func (g *ruleGrower) shape(depth int) string {
	if depth > 0 {
		switch g.n(10) {
		case 0:
			op := g.one("slice-shape", "shape-insert-axis", "shape-remove-axis")
			return "(" + op + " " + g.shape(depth-1) + " " + g.integer(1) + ")"
		case 1:
			return "(shape-of ?x)"
		}
	}
	parts := []string{"shape"}
	for range g.n(4) {
		if g.n(5) == 0 {
			parts = append(parts, g.one("?A*", "?B*"))
		} else {
			parts = append(parts, g.integer(2))
		}
	}
	return "(" + strings.Join(parts, " ") + ")"
}

func (g *ruleGrower) list(depth int) string {
	if depth > 0 && g.n(2) == 0 {
		switch g.n(6) {
		case 0:
			return "(iota " + g.integer(2) + ")"
		case 1:
			return "(range " + g.integer(2) + " " + g.integer(2) + ")"
		case 2:
			return "(append " + g.list(depth-1) + " " + g.list(depth-1) + ")"
		case 3:
			return "(compose " + g.list(depth-1) + " " + g.list(depth-1) + ")"
		case 4:
			return "(inverse " + g.list(depth-1) + ")"
		}
		return "?L*"
	}
	parts := []string{"list"}
	for range g.n(4) {
		parts = append(parts, g.integer(1))
	}
	return "(" + strings.Join(parts, " ") + ")"
}

// integer writes an integer.
func (g *ruleGrower) integer(depth int) string {
	if depth == 0 || g.n(3) == 0 {
		return g.one("0", "1", "2", "-1", "-2", "?n", "?m", "?k", "?i", "?j",
			"(rank ?A*)", "(rank ?B*)", "(rank ?x)", "(size ?A*)")
	}
	a := func() string { return g.integer(depth - 1) }
	switch g.n(9) {
	case 0:
		return "(- " + a() + ")"
	case 1, 2:
		return "(- " + a() + " " + a() + ")"
	case 3:
		return "(+ " + a() + " " + a() + ")"
	case 4:
		return "(" + g.one("div", "mod") + " " + a() + " " + a() + ")"
	case 5:
		return "(" + g.one("*", "min", "max") + " " + a() + " " + a() + ")"
	case 6:
		return "(dim " + g.one("?x", "?y") + " " + a() + ")"
	case 7:
		return "(at " + g.list(0) + " " + a() + ")"
	}
	return "(- (rank ?A*) " + a() + ")"
}
