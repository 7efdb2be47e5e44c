package normal

import (
	"fmt"
	"strings"

	"tv/semantics/term"
)

// maxLeft bounds the text of one thing that is left of a difference. Polynomials and nodes are graphs: written out as
// trees, those of a network are larger than any memory.
const maxLeft = 2_000

// A printer writes formulas, and ends after so many bytes; 0: never.
type printer struct {
	strings.Builder
	most int
}

// printed returns what f writes, shortened to most bytes.
func printed(most int, f func(*printer)) string {
	p := printer{most: most}
	f(&p)
	if text := p.String(); most == 0 || len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(p.String()[:most], "") + " ..."
}

// full reports whether nothing that is written shows any more.
func (p *printer) full() bool { return p.most > 0 && p.Len() > p.most }

// list writes n items with what stands between them.
func (p *printer) list(n int, between string, item func(int)) {
	for i := range n {
		if p.full() {
			return
		}
		if i > 0 {
			p.WriteString(between)
		}
		item(i)
	}
}

// part writes a part as a formula: "+ sum(0 <= k0 < 16) A@(16*i0 + k0)·B@k0"; first leaves out a plus.
func (p *printer) part(pt part, first bool) {
	bs := boxes(pt.steps)
	if len(bs) > 1 {
		fmt.Fprintf(p, "(%d boxes, the first:) ", len(bs))
		first = false
	}
	b := bs[0]
	switch {
	case b.coef.Sign() < 0:
		p.WriteString("- ")
	case !first:
		p.WriteString("+ ")
	}
	c := strings.TrimPrefix(b.coef.RatString(), "-")
	if c != "1" || len(pt.body.factors) == 0 {
		p.WriteString(c)
		if len(pt.body.factors) > 0 {
			p.WriteString("·")
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
	for _, g := range pt.body.guards {
		slots = append(slots, g.String()+" >= 0")
	}
	if len(slots) > 0 {
		p.WriteString("sum(" + strings.Join(slots, ", ") + ") ")
	}
	p.list(len(pt.body.factors), "·", func(i int) {
		f := pt.body.factors[i]
		if p.atom(f.atom); f.exp != 1 {
			fmt.Fprintf(p, "^%d", f.exp)
		}
	})
	if len(free) > 0 {
		p.WriteString(" where " + strings.Join(free, ", "))
	}
}

// atom writes an atom: "A@(16*i0 + k0)", "exp(...)", "max(...)".
func (p *printer) atom(a *Atom) {
	switch a.kind {
	case readAtom:
		p.WriteString(a.tensor.Name + "@(" + a.offset.String() + ")")
		return
	case numberAtom:
		p.WriteString(a.number.String())
		return
	case lowestAtom:
		p.WriteString("MIN")
		return
	}
	name := map[atomKind]string{maxAtom: "max", foldAtom: "product", gatherAtom: "gather", powerAtom: "", valueAtom: ""}[a.kind]
	if a.kind == applyAtom {
		name = a.name
	}
	p.WriteString(name + "(")
	p.list(len(a.polys), ", ", func(i int) { p.poly(a.polys[i]) })
	p.WriteString(")")
}

func (p *printer) poly(x *Poly) {
	if len(x.parts) == 0 {
		p.WriteString("0")
	}
	p.list(len(x.parts), " ", func(i int) { p.part(x.parts[i], i == 0) })
}

// node writes a node as a formula.
func (p *printer) node(n *node) {
	args := func(open string) {
		p.WriteString(open)
		p.list(len(n.args), ", ", func(i int) { p.node(n.args[i]) })
		p.WriteString(")")
	}
	switch n.op {
	case term.Const:
		p.WriteString(n.name)
	case term.Lowest:
		p.WriteString("MIN")
	case term.Number:
		p.WriteString(n.index.String())
	case term.Read:
		p.WriteString(n.tensor.Name + "@(" + n.index.String() + ")")
	case term.Reduce:
		name := [...]string{"sum", "product", "max"}[n.fold]
		args(fmt.Sprintf("%s(k%d < %s) (", name, n.slot, n.index))
	case term.If:
		args(fmt.Sprintf("if(%s >= 0, ", n.index))
	default:
		name := n.name
		if s, ok := map[term.Op]string{term.Add: "add", term.Mul: "mul", term.Div: "div", term.Neg: "neg",
			term.Max: "max", term.Min: "min", term.Gather: "gather", term.Convert: "convert to " + n.sort.String()}[n.op]; ok {
			name = s
		}
		args(name + "(")
	}
}
