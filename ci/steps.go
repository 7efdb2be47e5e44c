package ci

import (
	"fmt"
	"strings"

	"tv/equiv"
	"tv/equiv/prove"
	"tv/equiv/trace"
	"tv/proofs"
	"tv/semantics"
	"tv/semantics/domain"
)

// RefutationSteps say in lines how the element that differs comes about on both sides, from the result down, and where the
// programs part.
func RefutationSteps(t *trace.Trace) (out []string) {
	for side, title := range sideTitles {
		c := column(title, t, side)
		if len(c.Steps) == 0 {
			continue
		}
		out = append(out, title+", from the result down:")
		for _, s := range c.Steps {
			out = append(out, fmt.Sprintf("  %s: %s: %s", s.Name, s.Code, s.Type))
			for _, line := range s.Lines {
				out = append(out, "    "+line)
			}
			if s.Note != "" {
				out = append(out, "    "+s.Note)
			}
			if s.Differs {
				out = append(out, "    here the programs part: the other one has these values nowhere, and those of the operands it has")
			}
		}
		if c.Note != "" {
			out = append(out, "  "+c.Note)
		}
	}
	return out
}

// methods say what an engine did.
var methods = map[string]string{
	"normal-form": "each element of both results is written as sums of products of elements of the inputs; with terms, indices and bounds of sums in " +
		"one order, both are the same expression",
	"enumerate": "the elements of both results are written out, each as an expression of elements of the inputs, and are the same expression one by one",
	"smt":       "a solver finds no input at which an element of the results differs",
}

// elements says what the elements of both results are, and what they are in normal form: BEFORE's, as that of AFTER alone may have its tensors in
// another order.
func elements(both [2]prove.Description) (out []string, normal string) {
	const most = 400
	for side, title := range []string{"BEFORE", "AFTER"} {
		for _, c := range both[side].Components {
			var index []string
			for i := range c.Dims {
				index = append(index, fmt.Sprintf("i%d", i))
			}
			name := "the element [" + strings.Join(index, ",") + "]"
			if len(c.Path) > 0 {
				name = fmt.Sprintf("component %v, %s", c.Path, name)
			}
			out = append(out, fmt.Sprintf("%s: %s is %s", title, name, shorten(c.Term, most)))
		}
	}
	if list := both[0].Components; len(list) == 1 {
		normal = shorten(list[0].Normal, most)
	}
	return out, normal
}

// ProofSteps say in lines what a proof of two programs consists of, as its certificate has it. programs may be nil; so may be what is known
// of their elements.
func ProofSteps(r *equiv.Result, programs [2]semantics.Program, both *[2]prove.Description) (out []string) {
	pairs, err := proofs.Parse("certificate", r.Certificate)
	if r.Verdict != equiv.Proved || err != nil || len(pairs) != 1 {
		return nil
	}
	step := func(format string, args ...any) {
		out = append(out, fmt.Sprintf("%d. ", len(out)+1)+fmt.Sprintf(format, args...))
	}
	if r.Bound != "" {
		step("AFTER's names are those of BEFORE %s", r.Bound)
	}
	if len(r.Domain) > 0 {
		step("sizes are any with %s", domain.Conjunction(r.Domain))
	}
	for line := range strings.Lines(pairs[0].Witness) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "split "); ok {
			both = nil // it is of one case
			step("sizes are taken in cases: %s", rest)
		}
	}
	cuts := pairs[0].Cuts()
	var known [2]map[int]int // cuts by their subterms
	known[0], known[1] = map[int]int{}, map[int]int{}
	for i, c := range cuts {
		step("cut %d of %d: BEFORE's %s is AFTER's %s; later cuts take both for one tensor of which nothing is known",
			i+1, len(cuts), partText(programs[0], c.Before, known[0]), partText(programs[1], c.After, known[1]))
		known[0][c.Before], known[1][c.After] = i+1, i+1
	}
	if method := methods[r.Engine]; method != "" {
		if len(cuts) > 0 {
			method = "of each cut: " + method
		} else if both != nil {
			list, normal := elements(*both)
			for _, text := range list {
				step("%s", text)
			}
			if normal != "" && r.Engine == "normal-form" {
				method += ": " + normal + " (X@(n) is the element of X with the number n, row by row)"
			}
		}
		step("%s", method)
	}
	if left := pairs[0].Left(); len(left) > 0 {
		step("%d tensors of the result are left to a solver, whose answer is trusted", len(left))
	}
	if len(r.Where) > 0 {
		step("elements are compared where they have a value: %s", shorten(strings.Join(r.Where, " and "), 300))
	}
	step("the checker, which shares no code with what found the proof, accepted its certificate")
	return out
}

// partText is a subterm, shortened, with cuts by their numbers; its own number where the text is not at hand.
func partText(p semantics.Program, part int, cuts map[int]int) string {
	if p == nil || part >= len(p.Parts()) {
		return fmt.Sprintf("subterm %d", part)
	}
	_, text := p.Line(part, func(operand int) string {
		if n, ok := cuts[operand]; ok {
			return fmt.Sprintf("<cut %d>", n)
		}
		return shorten(p.Text(operand), 60)
	})
	if text == "" {
		text = p.Text(part)
	}
	return shorten(text, 160)
}
