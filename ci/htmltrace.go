package ci

import (
	"errors"
	"fmt"
	"math/big"
	"strings"

	"tv/ci/page"
	"tv/equiv/trace"
	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/value"
)

// traceSections show what both sides of a counterexample compute.
func traceSections(it *Item) (out []page.Section) {
	t, c := it.Trace, it.Result.Counterexample
	if t == nil || c == nil {
		return nil
	}
	inputs := page.Section{Title: "Inputs of the counterexample"}
	if len(c.Point) > 0 {
		inputs.Blocks = append(inputs.Blocks, page.Block{Text: "At " + pointString(c.Point) + "."})
	}
	var heats []page.Heat
	for _, f := range t.Inputs {
		h := heat(f, f.Name, one(0), greatest(f, one(0)), nil)
		h.Caption = shapeOf(f.Dims) + " " + f.Elem.String()
		if len(f.Marked) > 0 {
			h.Caption += "; dashed is what the element that differs rests on"
		}
		heats = append(heats, h)
	}
	inputs.Blocks = append(inputs.Blocks, page.Block{Heats: heats})

	result := page.Section{Title: "The result"}
	if len(t.Result.Panels) > 0 {
		result.Blocks = append(result.Blocks, page.Block{Heats: sides(t.Result, "", c.Index)})
	}
	if len(t.Random.Panels) > 0 {
		text := "On random inputs of the same sizes:"
		if regions := it.Result.Regions; len(regions) > 0 {
			text = "On random inputs of the same sizes the results differ in " + strings.Join(regions, "; ") + ":"
		}
		result.Blocks = append(result.Blocks, page.Block{Text: text}, page.Block{Heats: sides(t.Random, ", on random inputs", c.Index)})
	}
	out = append(out, result, inputs)
	if heats := writes(t.Result, c.Index); heats != nil {
		out = append(out, page.Section{Title: "Who wrote what last", Blocks: []page.Block{
			{Text: "Of each element the line of the statement that wrote it last, - where none did, one colour for each statement; pointed at, a cell says in which iteration."},
			{Heats: heats}}})
	}
	if len(t.Sides[0].Steps)+len(t.Sides[1].Steps) > 0 {
		out = append(out, page.Section{Title: "How the element comes about", Blocks: []page.Block{
			{Text: "From the result down to the inputs: each part of both programs that the element rests on, the elements of it that count, " +
				"and what they were computed from; <2> is what step 2 computes. A red edge is where the programs part: this part has values that the other program has nowhere, of operands that it has."},
			{Columns: []page.Column{column("Before", t, 0), column("After", t, 1)}}}})
	}
	return out
}

// A shown is a value as a cell has it.
type shown struct {
	text  string
	size  float64 // what its colour goes by
	level int     // of what is no number; 0: by its size
	more  string  // said where it is pointed at
}

// one shows the values of a side.
func one(side int) func(p *trace.Panel, cell int) shown {
	return func(p *trace.Panel, cell int) shown {
		if !p.Known[side][cell] {
			return shown{text: "not computed", level: page.Unknown}
		}
		return showValue(p.Values[side][cell])
	}
}

// difference shows AFTER's value less BEFORE's.
func difference(p *trace.Panel, cell int) shown {
	if !p.Known[0][cell] || !p.Known[1][cell] {
		return shown{text: "not computed", level: page.Unknown}
	}
	x, y := p.Values[0][cell], p.Values[1][cell]
	relation := value.Compare(x, y)
	a, ok := x.Rat()
	b, also := y.Rat()
	switch {
	case relation == value.Same:
		return shown{text: "=", level: page.Equal}
	case ok && also:
		return ratio(b.Sub(b, a))
	case relation == value.Undecided:
		return shown{text: "?", level: page.Undefined}
	}
	return shown{text: x.String() + " ≠ " + y.String(), level: page.Undefined}
}

func showValue(v value.Value) shown {
	if r, ok := v.Rat(); ok {
		return ratio(r)
	}
	switch {
	case v.IsMin():
		return shown{text: "MIN", level: page.Lowest}
	case errors.Is(v.Err(), value.ErrUndefined):
		return shown{text: "undefined", level: page.Undefined}
	case v.Failed():
		return shown{text: "unknown", level: page.Unknown}
	}
	if text := v.String(); text == "nan" || strings.HasSuffix(text, "inf") {
		return shown{text: text, level: page.Undefined}
	}
	lo, _ := v.Ends()
	f, _ := lo.Float64()
	return shown{text: "≈" + fmt.Sprintf("%.4g", f), size: f}
}

// ratio shows a number: in full where that is short.
func ratio(r *big.Rat) shown {
	f, _ := r.Float64()
	text := r.RatString()
	if len(text) > 7 {
		text = fmt.Sprintf("%.4g", f)
	}
	return shown{text: text, size: f}
}

// sides are the values of a result before, after, and their difference. The first two have one scale.
func sides(f trace.Field, on string, focus []int64) []page.Heat {
	most := max(greatest(f, one(0)), greatest(f, one(1)))
	return []page.Heat{heat(f, "before"+on, one(0), most, focus), heat(f, "after"+on, one(1), most, focus),
		heat(f, "after - before"+on, difference, greatest(f, difference), focus)}
}

// writes show of the elements of a procedure's result which statement wrote them last.
func writes(f trace.Field, focus []int64) (out []page.Heat) {
	for side, title := range sideTitles {
		levels := map[source.Span]int{}
		known := false
		h := heat(f, title, func(p *trace.Panel, cell int) shown {
			if p.Writes[side] == nil {
				return shown{text: "?", level: page.Unknown}
			}
			known = true
			w := p.Writes[side][cell]
			if w.At.File == nil {
				return shown{text: "-", level: page.Unknown, more: "as it was before the call"}
			}
			if levels[w.At] == 0 {
				n := len(levels)
				levels[w.At] = [...]int{1, -1, 2, -2, 3, -3, 4, -4}[n%8]
			}
			line := w.At.Position().Line
			more := fmt.Sprintf("written at line %d", line)
			if w.Iteration != "" {
				more += ", at " + w.Iteration
			}
			return shown{text: fmt.Sprint(line), level: levels[w.At], more: more}
		}, 0, focus)
		if known {
			out = append(out, h)
		}
	}
	return out
}

// greatest is the greatest magnitude that is shown.
func greatest(f trace.Field, show func(*trace.Panel, int) shown) (most float64) {
	for i := range f.Panels {
		p := &f.Panels[i]
		for at := range len(p.Rows) * len(p.Cols) {
			if s := show(p, at); s.level == 0 {
				most = max(most, abs(s.size))
			}
		}
	}
	return most
}

// heat is a field as cells, by what is shown of each. The strongest colour is that of a magnitude of most.
func heat(f trace.Field, title string, show func(*trace.Panel, int) shown, most float64, focus []int64) page.Heat {
	out := page.Heat{Title: title}
	for i := range f.Panels {
		p := &f.Panels[i]
		panel := page.Panel{Title: panelTitle(f, p)}
		rank := len(f.Dims)
		for _, n := range p.Rows {
			panel.Rows = append(panel.Rows, axisLabel(n, rank > 1))
		}
		for _, n := range p.Cols {
			panel.Cols = append(panel.Cols, axisLabel(n, rank > 0))
		}
		for at := range len(p.Rows) * len(p.Cols) {
			s := show(p, at)
			index := p.Index(rank, at/len(p.Cols), at%len(p.Cols))
			c := page.Cell{Text: s.text, More: s.more, Level: s.level, Marked: f.Marked[trace.Offset(f.Dims, index)]}
			if s.level == 0 {
				c.Level = level(s.size, most)
			}
			c.Focused = focus != nil && trace.Offset(f.Dims, index) == trace.Offset(f.Dims, focus)
			panel.Cells = append(panel.Cells, c)
		}
		out.Panels = append(out.Panels, panel)
	}
	return out
}

func axisLabel(n int64, there bool) string {
	if !there {
		return ""
	}
	return fmt.Sprint(n)
}

func abs(x float64) float64 { return max(x, -x) }

// level is how far a number is from 0 towards the greatest there is, rounded away from 0.
func level(x, most float64) int {
	if x == 0 || most == 0 {
		return 0
	}
	n := min(1+int(abs(x)/most*(page.Top-1)+0.5), page.Top)
	if x < 0 {
		return -n
	}
	return n
}

func panelTitle(f trace.Field, p *trace.Panel) string {
	var parts []string
	if len(p.Leading) > 0 {
		parts = append(parts, "at "+indexString(p.Leading)[:len(indexString(p.Leading))-1]+",…]")
	}
	switch {
	case p.Window:
		parts = append(parts, "near the element, in full")
	case p.Sampled:
		parts = append(parts, fmt.Sprintf("each cell one element of a region, of %s", shapeOf(f.Dims)))
	}
	return strings.Join(parts, ", ")
}

var sideTitles = [2]string{"before", "after"}

// column is a side as steps.
func column(title string, t *trace.Trace, side int) page.Column {
	s := &t.Sides[side]
	out := page.Column{Title: title}
	number := map[int]int{}
	other := map[int]int{}
	p := s.Program
	steps := listed(s)
	for i, step := range steps {
		number[step.Part] = i + 1
	}
	for i, step := range listed(&t.Sides[1-side]) {
		other[step.Part] = i + 1
	}
	for i, step := range steps {
		part := p.Parts()[step.Part]
		v := page.Step{Name: fmt.Sprintf("step %d", i+1), Code: stepCode(p, step.Part, number), Type: typeOf(p, step.Part), Boxes: boxes(part, step.Dims)}
		for _, parting := range s.Partings {
			v.Differs = v.Differs || parting == step.Part
		}
		for _, e := range step.Elements {
			v.Lines = append(v.Lines, elementLine(p, e, number))
		}
		if step.More > 0 {
			v.Lines = append(v.Lines, fmt.Sprintf("and %d more elements", step.More))
		}
		if n, there := other[step.Like]; step.Like >= 0 && there {
			v.Note = fmt.Sprintf("the same values as step %d of %s, on random inputs", n, sideTitles[1-side])
		}
		out.Steps = append(out.Steps, v)
	}
	if s.Cut || len(steps) == maxSteps {
		out.Note = "What these rest on in turn is left out."
	}
	return out
}

// maxSteps bounds the steps of a side.
const maxSteps = 24

// listed are the steps that have a place of their own: inputs are named where they are read.
func listed(s *trace.Side) (out []trace.Step) {
	for i, step := range s.Steps {
		if len(out) == maxSteps {
			break
		}
		if i == 0 || s.Program.Parts()[step.Part].Input == "" {
			out = append(out, step)
		}
	}
	return out
}

// stepCode is a part as it is written, with the numbers of steps for the operands that are some.
func stepCode(p semantics.Program, part int, number map[int]int) string {
	_, text := p.Line(part, func(operand int) string {
		if n, ok := number[operand]; ok {
			return fmt.Sprintf("<%d>", n)
		}
		return "…"
	})
	if text == "" {
		text = p.Text(part)
	}
	return shorten(text, 200)
}

// elementLine says what an element is and what it was computed from: "[0,1] = 3, from 1 = A[0,2], 3 = <4>[1]".
func elementLine(p semantics.Program, e trace.Element, number map[int]int) string {
	text := elementText(e.Index, e.Value)
	var from []string
	zeros, others := 0, e.More
	for _, r := range e.Reads {
		name := p.Parts()[r.Part].Input
		if name == "" {
			name = fmt.Sprintf("<%d>", number[r.Part])
		}
		switch v := showValue(r.Value); {
		case v.text != "0":
			from = append(from, name+elementText(r.Index, r.Value))
		case zeros < shownZeros:
			zeros++
			from = append(from, name+elementText(r.Index, r.Value))
		default:
			others++
		}
	}
	if others > 0 {
		from = append(from, fmt.Sprintf("%d more", others))
	}
	if from == nil {
		return text
	}
	return text + ", from " + strings.Join(from, "; ")
}

// shownZeros bounds the elements that are 0 of what another was computed from.
const shownZeros = 2

func elementText(index []int64, v value.Value) string {
	return indexString(index) + " = " + showValue(v).text
}

// boxes draws the shape of a part.
func boxes(part semantics.Part, dims []int64) *page.Boxes {
	extents := words(part)
	if len(extents) != len(dims) {
		return nil
	}
	return &page.Boxes{Outer: dims[:part.Split], Inner: dims[part.Split:], OuterWords: extents[:part.Split], InnerWords: extents[part.Split:]}
}
