package normal

import (
	"fmt"
	"strings"
)

// String prints the part as a formula: "sum(0 <= k0 < 16) A@(16*i0 + k0)·B@k0".
func (p part) String() string {
	var s strings.Builder
	bs := boxes(p.steps)
	if len(bs) > 1 {
		fmt.Fprintf(&s, "(%d boxes, the first:) ", len(bs))
	}
	b := bs[0]
	switch {
	case b.coef.Sign() < 0:
		s.WriteString("- ")
	default:
		s.WriteString("+ ")
	}
	c := strings.TrimPrefix(b.coef.RatString(), "-")
	if c != "1" || len(p.body.factors) == 0 {
		s.WriteString(c)
		if len(p.body.factors) > 0 {
			s.WriteString("·")
		}
	}
	var slots, free []string
	for _, r := range b.ranges {
		if r.dim.v != nil {
			free = append(free, fmt.Sprintf("%s <= %s < %s", r.lo, r.dim.v.Name, r.hi))
		} else {
			slots = append(slots, fmt.Sprintf("%s <= k%d < %s", r.lo, r.dim.slot, r.hi))
		}
	}
	for _, g := range p.body.guards {
		slots = append(slots, g.String()+" >= 0")
	}
	if len(slots) > 0 {
		s.WriteString("sum(" + strings.Join(slots, ", ") + ") ")
	}
	s.WriteString(product(p.body.factors))
	if len(free) > 0 {
		s.WriteString(" where " + strings.Join(free, ", "))
	}
	return s.String()
}

func product(fs []factor) string {
	out := make([]string, len(fs))
	for i, f := range fs {
		out[i] = f.atom.String()
		if f.exp != 1 {
			out[i] += fmt.Sprintf("^%d", f.exp)
		}
	}
	return strings.Join(out, "·")
}

// String prints the atom: "A@(16*i0 + k0)", "exp(...)", "max(...)".
func (a *Atom) String() string {
	switch a.kind {
	case readAtom:
		return a.tensor.Name + "@(" + a.offset.String() + ")"
	case numberAtom:
		return a.number.String()
	case lowestAtom:
		return "MIN"
	}
	name := map[atomKind]string{maxAtom: "max", foldAtom: "product", gatherAtom: "gather", powerAtom: "", valueAtom: ""}[a.kind]
	if a.kind == applyAtom {
		name = a.name
	}
	args := make([]string, len(a.polys))
	for i, p := range a.polys {
		args[i] = p.String()
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

// String prints the polynomial.
func (p *Poly) String() string {
	if len(p.parts) == 0 {
		return "0"
	}
	out := make([]string, len(p.parts))
	for i, pt := range p.parts {
		out[i] = pt.String()
	}
	s := strings.Join(out, " ")
	return strings.TrimPrefix(s, "+ ")
}
