package rule

import (
	"fmt"
	"strings"

	"tv/internal/source"
	"tv/semantics/bits/bv"
)

// An Instance is a rule at numbers.
type Instance struct {
	Values   map[string]int
	Admitted bool      // the guard is true, and the left side is well formed
	Ill      string    // of an admitted one: why the right side has no meaning there, or another width; empty: it has one
	Texts    [2]string // the sides as specifications, of what is well formed
}

// At is the rule with values for all of its numbers.
func (r *Rule) At(values map[string]int) Instance {
	in := Instance{Values: values}
	for _, g := range r.Where {
		if !g.Holds(values) {
			return in
		}
	}
	left, _, err := r.side(0, values)
	if err != nil {
		return in
	}
	in.Admitted, in.Texts[0] = true, left.File.Text
	right, text, err := r.side(1, values)
	in.Texts[1] = text
	switch {
	case err != nil:
		in.Ill = source.AsErrors(err)[0].Msg
	case left.Outputs[0].Width != right.Outputs[0].Width:
		in.Ill = fmt.Sprintf("the right side has %d bits, and the left %d", right.Outputs[0].Width, left.Outputs[0].Width)
	}
	return in
}

// side is one side as a specification with the output Result. What its width is the typing of its term says: the text is
// written with the width that one of one bit does not have.
func (r *Rule) side(i int, values map[string]int) (*bv.Spec, string, error) {
	t := r.Sides[i]
	term := t.at(values)
	if t.Bool {
		term = "(bool->bitvector " + term + ")"
	}
	width := 1
	if !t.Bool {
		w, err := r.width(term, values)
		if err != nil {
			return nil, term, err
		}
		width = w
	}
	text := fmt.Sprintf("(spec%s (out %s %d %s))\n", r.inputs(values), Result, width, term)
	spec, err := bv.Parse(source.NewFile(r.Name, text))
	return spec, text, err
}

func (r *Rule) inputs(values map[string]int) string {
	var b strings.Builder
	for _, v := range r.Vars {
		w := int64(1)
		if v.Width != nil {
			w = v.Width.At(values)
		}
		fmt.Fprintf(&b, " (in %s %d)", v.Name, w)
	}
	return b.String()
}

// width is how many bits a term has: that of the only output of which a comparison with itself is well formed.
func (r *Rule) width(term string, values map[string]int) (int, error) {
	text := fmt.Sprintf("(spec%s (out %s 1 (bool->bitvector (= %s %s))))", r.inputs(values), Result, term, term)
	spec, err := bv.Parse(source.NewFile(r.Name, text))
	if err != nil {
		return 0, err
	}
	return spec.Outputs[0].Term.Args[0].Args[0].Width, nil
}

// at is the term with numbers, as SMT-LIB has it.
func (t *Term) at(values map[string]int) string {
	switch t.Op {
	case OpVar:
		if t.Bool {
			return "(bitvector->bool " + t.Name + ")"
		}
		return t.Name
	case OpConst:
		return t.Name
	case OpNumber:
		return fmt.Sprintf("(_ bv%d %d)", t.Indices[0].At(values), t.Indices[1].At(values))
	}
	head := t.Op
	if len(t.Indices) > 0 {
		head = "(_ " + t.Op
		for _, i := range t.Indices {
			head += fmt.Sprintf(" %d", i.At(values))
		}
		head += ")"
	}
	for _, a := range t.Args {
		head += " " + a.at(values)
	}
	return "(" + head + ")"
}
