package rule

import (
	"fmt"
	"strings"

	"tv/glenside"
	"tv/internal/source"
	"tv/semantics/domain"
)

// fixedRanks are the ranks of the tensors that operators take, for those that take one rank only.
var fixedRanks = map[string][]int{
	"relay-dense": {2, 2}, "relay-batch-matmul": {3, 3}, "relay-conv1d": {3, 3}, "relay-conv2d": {4, 4},
	"relay-max-pool2d": {4}, "relay-avg-pool2d": {4}, "relay-global-avg-pool2d": {4}, "relay-upsampling": {4},
	"cim-gemm": {2, 2, 2}, "flex-attention": {2, 1}, "flex-layernorm": {2, 1, 1}, "flex-linear": {2, 2}, "flex-maxpool": {2}, "flex-meanpool": {2}, "vta-dense": {2, 2}, "hlscnn-conv2d": {4, 4},
	"systolic-array-conv2d-nchw-oihw-with-blocking": {4, 4}, "systolic-array-conv2d-nhwc-hwio-with-blocking": {4, 4},
	"systolic-array-conv2d-im2col-nchw-oihw-with-blocking": {4, 4},
	"systolic-array-conv2d-im2col-nhwc-hwio-with-blocking": {4, 4},
}

// generic is the rule of the operators that have none of their own: blocks of their operands are taken apart until
// there are none, and the operator's own shape rule says the rest.
func (k *application) generic() *value {
	var program strings.Builder
	var texts, probe []string
	var first *value
	tensors := 0
	tensor := func(x *Expr) *value {
		v := k.expr(x)
		if rank := fixedRanks[k.op.Name]; tensors < len(rank) {
			k.dims(v.segs, rank[tensors], "an operand of "+k.op.Name)
		}
		tensors++
		for _, s := range v.segs {
			if s.block != "" {
				k.peel(s.block, false)
			}
		}
		if first == nil {
			first = v
		}
		return v
	}
	declare := func(v *value) string {
		name := fmt.Sprintf("operand%d", len(probe))
		fmt.Fprintf(&program, "(input %s %s)\n", name, declaredShape(v.segs))
		return fmt.Sprintf("(access %s %d)", name, v.split)
	}
	for i, x := range k.args {
		o := k.op.OperandAt(i, len(k.args))
		switch o.Sort {
		case glenside.SortAccess, glenside.SortAny:
			v := tensor(x)
			texts, probe = append(texts, v.text), append(probe, declare(v))
		case glenside.SortTensor:
			v := k.raw(x)
			texts = append(texts, v.raw)
			name := fmt.Sprintf("operand%d", len(probe))
			fmt.Fprintf(&program, "(input %s %s)\n", name, declaredShape(v.segs))
			probe = append(probe, name)
		case glenside.SortTuple:
			v := k.expr(x)
			var parts []string
			for _, t := range v.items {
				probe = append(probe, "") // counts the declarations
				parts = append(parts, declare(t))
			}
			texts, probe = append(texts, v.text), append(probe, "(construct-tuple "+strings.Join(parts, " ")+")")
		case glenside.SortInt:
			text := k.integer(o, i, x, first)
			texts, probe = append(texts, text), append(probe, text)
		case glenside.SortShape:
			text := shapeText(k.shape(x))
			texts, probe = append(texts, text), append(probe, text)
		case glenside.SortAccessShape:
			segs, split := k.ashape(x)
			text := fmt.Sprintf("(access-shape %s %s)", shapeText(segs[:split]), shapeText(segs[split:]))
			texts, probe = append(texts, text), append(probe, text)
		case glenside.SortList, glenside.SortSections:
			text := k.listText(x)
			texts, probe = append(texts, text), append(probe, text)
		default:
			text := k.plain(i, x)
			texts, probe = append(texts, text), append(probe, text)
		}
	}
	var operands []string
	for _, p := range probe {
		if p != "" {
			operands = append(operands, p)
		}
	}
	program.WriteString(k.call(operands...))
	return k.probed(program.String(), k.call(texts...))
}

// integer prints an integer operand: an axis is found among the dims of the first tensor.
func (k *application) integer(o *glenside.Operand, i int, x *Expr, first *value) string {
	if o.Name != "axis" && !o.Signed {
		return k.sizeText(k.natural(x))
	}
	if o.Name == "axis" && first != nil {
		return fmt.Sprint(k.axisAt(i, first.segs))
	}
	return k.sizeText(k.int(x))
}

// listText prints a list of integers or, for sections, an integer.
func (k *application) listText(x *Expr) string {
	if !isList(x) {
		return k.sizeText(k.int(x))
	}
	words := []string{"list"}
	for _, n := range k.elements(x) {
		words = append(words, k.sizeText(n))
	}
	return "(" + strings.Join(words, " ") + ")"
}

// elements returns the integers of a list whose length is a number.
func (k *application) elements(x *Expr) []domain.Size {
	var out []domain.Size
	for _, r := range k.list(x) {
		n, ok := r.length().Int64()
		if !ok {
			panic(escape{"a list whose length depends on ranks"})
		}
		for i := range n {
			out = append(out, r.lo.Add(domain.IntSize(i)))
		}
	}
	return out
}

// declaredShape prints the shape of a declaration in which each size may be 0.
func declaredShape(segs []seg) string {
	var b strings.Builder
	b.WriteString("(shape")
	for _, s := range segs {
		if _, number := s.size.Const(); number {
			fmt.Fprintf(&b, " %s", s.size)
		} else {
			fmt.Fprintf(&b, " (%s 0)", s.size)
		}
	}
	b.WriteByte(')')
	return b.String()
}

// probed types a small program and returns the value of the same shape with the given text.
func (k *application) probed(program, text string) *value {
	p, err := glenside.Parse(source.NewFile("", program))
	var ty *glenside.Typing
	if err == nil {
		ty, err = glenside.Check(p, nil)
	}
	switch {
	case glenside.Unsupported(err):
		panic(escape{firstMessage(err)})
	case err != nil:
		panic(illFormed{firstMessage(err)})
	}
	return valueOf(ty.Root(), text)
}

func firstMessage(err error) string { return source.AsErrors(err)[0].Msg }

func valueOf(t *glenside.Type, text string) *value {
	v := &value{text: text, split: t.Split, tuple: t.Kind == glenside.TypeTuple}
	for _, d := range t.Dims {
		v.segs = append(v.segs, dimSeg(d))
	}
	for i, item := range t.Items {
		v.items = append(v.items, valueOf(item, fmt.Sprintf("(tuple-get-item %s %d)", text, i)))
	}
	return v
}
