package bits

import (
	"slices"

	"tv/internal/source"
	"tv/semantics/bits"
)

// match holds the ports of the designs against one another: by name and width. After may have more outputs, and need not read all
// inputs, which is a warning; what it assumes Before assumes too.
func match(q Question) (warnings []*source.Error, err error) {
	named := func(name string) func(bits.Port) bool { return func(p bits.Port) bool { return p.Name == name } }
	for _, o := range q.Before.Outputs {
		i := slices.IndexFunc(q.After.Outputs, func(p bits.Output) bool { return p.Name == o.Name })
		if i < 0 {
			return nil, source.Errorf(o.Span, "port-mismatch", "%s has no output %s", q.After.Name, o.Name)
		}
		if p := q.After.Outputs[i]; p.Width != o.Width {
			return nil, source.Errorf(p.Span, "port-mismatch", "output %s has %d bits, and %d in %s", o.Name, p.Width, o.Width, q.Before.Name)
		}
	}
	for _, p := range q.After.Inputs {
		i := slices.IndexFunc(q.Before.Inputs, named(p.Name))
		if i < 0 && p.Name == q.Before.Clock && !q.After.Reads(p.Name) {
			continue // the clock of a text without registers
		}
		if i < 0 && p.Of != "" {
			return nil, source.Errorf(p.Span, "port-mismatch", "%s is an asynchronous reset that acts where it is %s, and not in %s", p.Of, p.Level,
				q.Before.Name)
		}
		if i < 0 {
			return nil, source.Errorf(p.Span, "port-mismatch", "%s has no input %s", q.Before.Name, p.Name)
		}
		if o := q.Before.Inputs[i]; p.Width != o.Width {
			return nil, source.Errorf(p.Span, "port-mismatch", "input %s has %d bits, and %d in %s", p.Name, p.Width, o.Width, q.Before.Name)
		}
	}
	for _, p := range q.Before.Inputs {
		isClock := p.Name == q.After.Clock && !q.Before.Reads(p.Name)
		if !isClock && p.Of == "" && !slices.ContainsFunc(q.After.Inputs, named(p.Name)) {
			warnings = append(warnings, source.Errorf(p.Span, "port-missing", "%s does not read %s", q.After.Name, p.Name))
		}
	}
	if x, y := q.Before.Edge, q.After.Edge; x != y && x != bits.NoEdge && y != bits.NoEdge {
		return warnings, source.Errorf(q.After.Registers[0].Span, "two-clocks", "registers of %s load at %s edge of the clock, those of %s at %s one",
			q.After.Name, y, q.Before.Name, x)
	}
	b := q.Before.Builder
	for _, a := range q.After.Assume {
		same := func(o bits.Assumption) bool { return b.Simplify(o.Word) == b.Simplify(a.Word) }
		if !slices.ContainsFunc(q.Before.Assume, same) {
			return warnings, source.Errorf(a.Span, "input-conflict", "%s assumes this, and %s does not", q.After.Name, q.Before.Name)
		}
	}
	return warnings, nil
}
