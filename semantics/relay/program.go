package relay

import (
	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
	language "tv/semantics/glenside"
	"tv/semantics/relay/syntax"
	"tv/semantics/term"
	"tv/semantics/value"
)

// A Program is a typed text. Its parts are the parameters that the result reaches, in order, and the calls that it reaches,
// operands first; then, where that is none of these, the result. Of calls that are one node of the program of Glenside, which
// are equal, the first alone is a part.
type Program struct {
	*language.Program
	source *Source
	result *semantics.Type
	parts  []semantics.Part
	nodes  []int       // parts of the program of Glenside, by part
	partOf map[int]int // and back
	at     []source.Span
}

func newProgram(s *Source, inner *language.Program) *Program {
	p := &Program{Program: inner, source: s, partOf: map[int]int{}, result: resultOf(s.graph.Result)}
	for _, kind := range []syntax.NodeKind{syntax.NodeInput, syntax.NodeCall} {
		for _, n := range s.graph.Nodes {
			if n.Kind == kind {
				if node := s.program.Nodes[n.ID]; node >= 0 {
					p.part(inner.Number(node), n.At)
				}
			}
		}
	}
	p.part(len(inner.Parts())-1, s.graph.Result.At)
	return p
}

// resultOf is the type of a result, as Relay writes it.
func resultOf(n *syntax.Node) *semantics.Type {
	t := n.Type
	if n.Op != nil && n.Op.Name == "nn.batch_norm" {
		t = t.Items[0]
	}
	return typeOf(t)
}

func typeOf(t *syntax.Type) *semantics.Type {
	out := &semantics.Type{Elem: t.Elem, Text: t.String(), Tuple: t.Kind == syntax.TypeTuple}
	for _, d := range t.Dims {
		out.Dims = append(out.Dims, domain.IntSize(d))
	}
	for _, item := range t.Items {
		out.Items = append(out.Items, typeOf(item))
	}
	return out
}

// part makes a part of a node; its operands are the parts that it is made of, whatever nodes are between.
func (p *Program) part(node int, at source.Span) {
	if _, is := p.partOf[node]; is {
		return
	}
	inner := p.Program.Parts()
	out := inner[node]
	out.Operands, out.Divides = nil, nil
	place := map[int]int{} // of parts among the operands
	seen := map[int]bool{node: true}
	var walk func(n int, divided bool)
	walk = func(n int, divided bool) {
		out.Cost = max(out.Cost, inner[n].Cost)
		out.Of = both(out.Of, inner[n].Of)
		under := map[int]bool{}
		for _, k := range inner[n].Divides {
			under[k] = true
		}
		for k, o := range inner[n].Operands {
			if part, is := p.partOf[o]; is {
				if _, known := place[part]; !known {
					place[part] = len(out.Operands)
					out.Operands = append(out.Operands, part)
				}
				if divided || under[k] {
					out.Divides = append(out.Divides, place[part])
				}
				continue
			}
			if !seen[o] || divided || under[k] {
				seen[o] = true
				walk(o, divided || under[k])
			}
		}
	}
	walk(node, false)
	p.partOf[node] = len(p.parts)
	p.parts = append(p.parts, out)
	p.nodes = append(p.nodes, node)
	p.at = append(p.at, at)
}

// both are the element types that have two functions; where no type has, those of the first.
func both(a, b domain.Kinds) domain.Kinds {
	switch {
	case a == 0:
		return b
	case b == 0 || a&b == 0:
		return a
	}
	return a & b
}

// Source implements semantics.Program.
func (p *Program) Source() semantics.Source { return p.source }

// Result implements semantics.Program.
func (p *Program) Result() *semantics.Type { return p.result }

// Parts implements semantics.Program.
func (p *Program) Parts() []semantics.Part { return p.parts }

// At implements semantics.Program.
func (p *Program) At(part int) source.Span { return p.at[part] }

// Text implements semantics.Program: a part as the program of Glenside has it.
func (p *Program) Text(part int) string { return p.Program.Text(p.nodes[part]) }

// Line implements semantics.Program.
func (p *Program) Line(part int, name func(part int) string) (typ, text string) {
	return p.Program.Line(p.nodes[part], func(node int) string {
		if part, is := p.partOf[node]; is {
			return name(part)
		}
		return p.Program.Text(node)
	})
}

// Evaluate implements semantics.Program.
func (p *Program) Evaluate(a value.Arith, pt domain.Point, in value.Inputs, standing semantics.Standing) (semantics.Evaluator, error) {
	e, err := p.Program.Evaluate(a, pt, in, p.standing(standing))
	if err != nil {
		return nil, err
	}
	return evaluator{e, p.nodes}, nil
}

func (p *Program) standing(parts semantics.Standing) semantics.Standing {
	out := make(semantics.Standing, len(parts))
	for part, name := range parts {
		out[p.nodes[part]] = name
	}
	return out
}

// An evaluator numbers parts.
type evaluator struct {
	semantics.Evaluator
	nodes []int
}

// PartDims implements semantics.Evaluator.
func (e evaluator) PartDims(part int) []int64 { return e.Evaluator.PartDims(e.nodes[part]) }

// PartElement implements semantics.Evaluator.
func (e evaluator) PartElement(part int, index []int64) (value.Value, error) {
	return e.Evaluator.PartElement(e.nodes[part], index)
}

// Lower implements semantics.Program.
func (p *Program) Lower(b *term.Builder, o semantics.LowerOptions) (*semantics.Lowered, error) {
	o.Cuts = p.standing(o.Cuts)
	if !o.Whole {
		o.Part = p.nodes[o.Part]
	}
	return p.Program.Lower(b, o)
}
