package taso

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"tv/glenside/rule"
	"tv/internal/source"
	"tv/semantics/domain"
)

// Conv is how conv2d is read.
type Conv uint8

const (
	Ordinary Conv = iota // each output channel sums over all input channels
	Grouped              // weights of I channels: as many groups as I divides the input's channels into
)

// Cases states the equation as programs. Errors: source.Errors, of terms that are none (bad-equation) and of left sides
// that are never defined (vacuous).
func (e *Equation) Cases(conv Conv) ([]*rule.Case, error) {
	for _, t := range []*Term{e.Left, e.Right} {
		if err := check(t); err != nil {
			return nil, source.Errors{err}
		}
	}
	l, vacuous, broken := e.layout()
	if vacuous != "" {
		return nil, source.Errors{source.Errorf(e.Span, "vacuous", "the left side of %s is nowhere defined: %s", e.Name, vacuous)}
	}
	var list []*rule.Case
	for _, k := range e.kernels(l) {
		c, err := e.state(l.with(k), k, broken, conv)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

// WhereBoth states as programs that the sides are equal wherever both have a value, of one shape: what the right side asks
// of the inputs is taken for granted like what the left side does. There is no case where that is nowhere. Errors: those of
// Cases.
func (e *Equation) WhereBoth(conv Conv) ([]*rule.Case, error) {
	for _, t := range []*Term{e.Left, e.Right} {
		if err := check(t); err != nil {
			return nil, source.Errors{err}
		}
	}
	l := e.common()
	if l == nil {
		return nil, nil
	}
	var list []*rule.Case
	for _, k := range e.kernels(l) {
		c, err := e.state(l.with(k), k, "", conv)
		if err != nil {
			return nil, err
		}
		if c.Broken == "" {
			list = append(list, c)
		}
	}
	return list, nil
}

// A kernel is the sizes of axes 2 and 3 of the inputs that an equation enlarges, in one case: numbers below what they
// are enlarged to, 0 for all sizes from there.
type kernel map[string]domain.Size // by the name of the size

// kernels lists the cases: what is padded depends on which of two sizes is larger.
func (e *Equation) kernels(l *layout) []kernel {
	limits := map[string]int64{}
	var sizes []string
	var walk func(t *Term)
	walk = func(t *Term) {
		if t.Name == "enlarge" {
			for _, n := range names(t.Args[2]) {
				for i := range 2 {
					if dims := l.dims[n]; len(dims) == 4 {
						name := dims[2+i].Name()
						if limits[name] == 0 {
							sizes = append(sizes, name)
						}
						limits[name] = max(limits[name], t.number(i), 1)
					}
				}
			}
		}
		for _, a := range t.Args {
			walk(a)
		}
	}
	walk(e.Left)
	walk(e.Right)
	list := []kernel{{}}
	for _, name := range sizes {
		if limits[name] > maxEnlarged {
			continue
		}
		var next []kernel
		for _, k := range list {
			for n := range limits[name] {
				c := maps.Clone(k)
				c[name] = num(n)
				next = append(next, c)
			}
		}
		list = next
		if len(list) > maxKernels {
			return []kernel{{}}
		}
	}
	for _, k := range list {
		for name, n := range k {
			if n.Equal(num(0)) {
				k[name] = num(limits[name] - 1).Add(domain.NamedSize(name))
			}
		}
	}
	return list
}

// Limits of the cases of kernels; beyond them the sizes are left to the prover.
const (
	maxEnlarged = 8
	maxKernels  = 256
)

// with returns the layout in which sizes have the values of a kernel.
func (l *layout) with(k kernel) *layout {
	out := &layout{dims: map[string][]domain.Size{}, wants: l.wants}
	for n, dims := range l.dims {
		for _, d := range dims {
			out.dims[n] = append(out.dims[n], d.Subst(k))
		}
	}
	return out
}

// state states one case.
func (e *Equation) state(l *layout, k kernel, broken string, conv Conv) (*rule.Case, error) {
	s := &side{conv: conv, dims: l.dims}
	left, err := s.state(e.Left)
	if err != "" {
		return nil, source.Errors{source.Errorf(e.Span, "vacuous", "the left side of %s is nowhere defined: %s", e.Name, err)}
	}
	c := &rule.Case{}
	var b strings.Builder
	for _, n := range names(e.Left, e.Right) {
		b.WriteString("(input " + n + " " + shape(l.dims[n]) + ")\n")
	}
	for _, a := range s.assumes {
		fmt.Fprintf(&b, "(assume %s)\n", a)
	}
	c.Before = b.String() + left.text + "\n"
	if broken == "" {
		r := &side{conv: conv, dims: l.dims, right: true}
		right, why := r.state(e.Right)
		if broken = why; why == "" {
			c.After = right.text + "\n"
		}
	} else if l.wants != nil {
		c.After = l.written(e.Right, conv, c.Before)
	}
	c.Broken = broken
	for _, name := range slices.Sorted(maps.Keys(k)) {
		c.Choices = append(c.Choices, name+" = "+k[name].String())
	}
	return c, nil
}

// written states a right side as if the inputs had the ranks that it takes them for: a program that is ill formed beside
// the left side's, so that whoever replays the case sees that. It is "" where it is not.
func (l *layout) written(t *Term, conv Conv, before string) string {
	s := &side{conv: conv, right: true, dims: map[string][]domain.Size{}}
	for n, c := range l.wants {
		s.dims[n] = c.as(l.dims[n])
	}
	right, why := s.state(t)
	if why != "" {
		return ""
	}
	text := right.text + "\n"
	if !rule.IllFormed(before, text) {
		return ""
	}
	return text
}

// A side is a term being stated.
type side struct {
	conv    Conv
	right   bool
	dims    map[string][]domain.Size
	assumes []string // what the left side needs beyond what its operators ask
}

// A tensor is the value of a term: an access pattern as text, its dims, and where its axes 0 and 1 were concatenated.
type tensor struct {
	text string
	dims []domain.Size
	cuts map[int]cut
}

// A cut is where an axis was concatenated.
type cut struct {
	at    domain.Size
	pairs [][2]domain.Size // the cuts of operands that it came from: they have to be one place
}

// undefined ends the work on a term that has no value.
type undefined string

func (s *side) state(t *Term) (x *tensor, why string) {
	defer func() {
		if r := recover(); r != nil {
			u, ok := r.(undefined)
			if !ok {
				panic(r)
			}
			x, why = nil, string(u)
		}
	}()
	return s.term(t, nil), ""
}

func num(n int64) domain.Size { return domain.IntSize(n) }

func shape(dims []domain.Size) string {
	var b strings.Builder
	b.WriteString("(shape")
	for _, d := range dims {
		b.WriteByte(' ')
		b.WriteString(d.String())
	}
	b.WriteByte(')')
	return b.String()
}

func at(x *tensor, split int) string { return fmt.Sprintf("(access %s %d)", x.text, split) }

// shapeless tells whether a term takes its shape from where it is used.
func shapeless(t *Term) bool {
	switch t.Name {
	case "Imatmul", "Iewmul", "Iconv", "Cpool":
		return true
	case "smul", "relu", "transpose":
		return shapeless(t.Args[0])
	case "ewadd", "ewmul":
		return shapeless(t.Args[0]) && shapeless(t.Args[1])
	case "poolmax", "poolavg": // those that keep the shape
		return t.number(2) == 1 && t.number(3) == 1 && t.number(4) == 0 && shapeless(t.Args[5])
	}
	return false
}

// term states a term; want is the shape that it is used at, where the term has none of its own.
func (s *side) term(t *Term, want []domain.Size) *tensor {
	if isInput(t.Name) {
		return &tensor{text: "(access-tensor " + t.Name + ")", dims: s.dims[t.Name]}
	}
	if shapeless(t) && want == nil {
		panic(undefined("nothing says the shape of " + t.String()))
	}
	switch t.Name {
	case "matmul":
		return s.matmul(t)
	case "ewadd", "ewmul":
		return s.elementwise(t, want)
	case "smul":
		x := s.term(t.Args[0], want)
		y := s.term(t.Args[1], []domain.Size{})
		if len(y.dims) != 0 {
			panic(undefined("the second operand of smul is no scalar"))
		}
		return &tensor{text: fmt.Sprintf("(relay-operator-call relay-multiply %s %s)", x.text, y.text), dims: x.dims, cuts: x.cuts}
	case "relu":
		x := s.term(t.Args[0], want)
		return &tensor{text: "(compute relu " + at(x, len(x.dims)) + ")", dims: x.dims, cuts: x.cuts}
	case "transpose":
		if len(want) == 2 {
			want = []domain.Size{want[1], want[0]}
		}
		x := s.term(t.Args[0], want)
		return transposed(x)
	case "concat":
		return s.concat(t)
	case "split_0", "split_1":
		return s.split(t)
	case "conv2d":
		return s.conv2d(t)
	case "poolmax", "poolavg":
		return s.pool(t, want)
	case "enlarge":
		return s.enlarge(t)
	}
	return constant(t, want)
}

func transposed(x *tensor) *tensor {
	y := &tensor{text: "(access-transpose " + x.text + " (list 1 0))", dims: []domain.Size{x.dims[1], x.dims[0]}, cuts: map[int]cut{}}
	for a, c := range x.cuts {
		y.cuts[1-a] = c
	}
	return y
}

func (s *side) matmul(t *Term) *tensor {
	var x, y *tensor
	if shapeless(t.Args[0]) {
		y = s.term(t.Args[1], nil)
		x = s.term(t.Args[0], []domain.Size{y.dims[0], y.dims[0]})
	} else {
		x = s.term(t.Args[0], nil)
		y = s.term(t.Args[1], []domain.Size{x.dims[1], x.dims[1]})
	}
	out := &tensor{dims: []domain.Size{x.dims[0], y.dims[1]}, cuts: map[int]cut{}}
	out.text = fmt.Sprintf("(compute dot-product (access-cartesian-product %s %s))", at(x, 1), at(transposed(y), 1))
	keep(out.cuts, 0, x.cuts, 0)
	keep(out.cuts, 1, y.cuts, 1)
	return out
}

func keep(to map[int]cut, axis int, from map[int]cut, at int) {
	if c, ok := from[at]; ok {
		to[axis] = c
	}
}

func (s *side) elementwise(t *Term, want []domain.Size) *tensor {
	var x, y *tensor
	if shapeless(t.Args[0]) && !shapeless(t.Args[1]) {
		y = s.term(t.Args[1], nil)
		x = s.term(t.Args[0], y.dims)
	} else {
		x = s.term(t.Args[0], want)
		y = s.term(t.Args[1], x.dims)
	}
	name := map[string]string{"ewadd": "elementwise-add", "ewmul": "elementwise-mul"}[t.Name]
	out := &tensor{dims: x.dims, cuts: map[int]cut{}}
	out.text = fmt.Sprintf("(compute %s (access-pair %s %s))", name, at(x, 0), at(y, 0))
	for a, c := range x.cuts {
		if d, ok := y.cuts[a]; ok {
			out.cuts[a] = c.and(d)
		}
	}
	return out
}

// and is the cut of an axis that two operands share.
func (c cut) and(d cut) cut {
	pairs := slices.Concat(c.pairs, d.pairs)
	if !c.at.Equal(d.at) {
		pairs = append(pairs, [2]domain.Size{c.at, d.at})
	}
	return cut{c.at, pairs}
}

func (s *side) concat(t *Term) *tensor {
	return s.join(int(t.number(0)), s.term(t.Args[1], nil), s.term(t.Args[2], nil))
}

// join is one tensor after the other.
func (s *side) join(axis int, x, y *tensor) *tensor {
	if axis >= len(x.dims) {
		panic(undefined(fmt.Sprintf("there is no axis %d", axis)))
	}
	out := &tensor{cuts: map[int]cut{}}
	out.dims = append(append([]domain.Size{}, x.dims...), nil...)
	if axis < len(y.dims) {
		out.dims[axis] = x.dims[axis].Add(y.dims[axis])
	}
	out.text = fmt.Sprintf("(access-concatenate %s %s %d)", at(x, 0), at(y, 0), axis)
	for a, c := range x.cuts { // elementwise on the other axes
		if d, ok := y.cuts[a]; ok && a != axis {
			out.cuts[a] = c.and(d)
		}
	}
	out.cuts[axis] = cut{at: x.dims[axis]}
	return out
}

func (s *side) split(t *Term) *tensor {
	axis := int(t.number(0))
	x := s.term(t.Args[1], nil)
	place, ok := x.cuts[axis]
	if !ok {
		panic(undefined(fmt.Sprintf("%s has no cut on axis %d", t.Args[1], axis)))
	}
	text := at(x, len(x.dims))
	for _, p := range place.pairs {
		if s.right {
			text = where(p[0], p[1], text, x.dims)
		} else if a := fmt.Sprintf("(= %s %s)", p[0], p[1]); !slices.Contains(s.assumes, a) {
			s.assumes = append(s.assumes, a)
		}
	}
	lo, hi := num(0), place.at
	if t.Name == "split_1" {
		lo, hi = place.at, x.dims[axis]
	}
	out := &tensor{dims: append([]domain.Size{}, x.dims...), cuts: map[int]cut{}}
	out.dims[axis] = hi.Sub(lo)
	out.text = fmt.Sprintf("(access-slice %s %d %s %s)", text, axis, lo, hi)
	for a, c := range x.cuts {
		if a != axis {
			out.cuts[a] = c
		}
	}
	return out
}

// where states a pattern of the given dims so that it is well formed only where two sizes are equal: it puts nothing
// after the pattern, a tensor without elements that is well formed there.
func where(a, b domain.Size, text string, dims []domain.Size) string {
	empty := func(n domain.Size) string {
		return fmt.Sprintf("(access (access-tensor (constant-tensor 0 (shape %s 0))) 0)", n)
	}
	none := append([]domain.Size{num(0)}, dims[1:]...)
	return fmt.Sprintf("(access-concatenate %s (access-reshape (access-concatenate %s %s 1) (access-shape %s (shape))) 0)",
		text, empty(a), empty(b), shape(none))
}

// padding returns what stands before and after an axis of n positions under a kernel of k with a stride: same is pad 0,
// the larger half first; none is pad 1.
func padding(pad int64, n, k domain.Size, stride int64) (before, after domain.Size) {
	if pad != 0 {
		return num(0), num(0)
	}
	var total domain.Size
	if stride == 1 {
		total = k.Sub(num(1))
	} else { // of the last window, which begins at the last multiple of the stride below n
		last := n.Sub(num(1)).Div(num(stride)).Mul(num(stride))
		total = last.Add(k).Sub(n).Max(num(0))
	}
	before = total.Add(num(1)).Div(num(2))
	return before, total.Sub(before)
}

func windows(n, before, after, k domain.Size, stride int64) domain.Size {
	return n.Add(before).Add(after).Sub(k).Div(num(stride)).Add(num(1))
}

func (s *side) conv2d(t *Term) *tensor {
	sx, sy, pad, acti := t.number(0), t.number(1), t.number(2), t.number(3)
	x := s.term(t.Args[4], nil)
	w := s.weights(t.Args[5], x.dims[1])
	top, bottom := padding(pad, x.dims[2], w.dims[2], sx)
	left, right := padding(pad, x.dims[3], w.dims[3], sy)
	out := &tensor{cuts: map[int]cut{}, dims: []domain.Size{x.dims[0], w.dims[0],
		windows(x.dims[2], top, bottom, w.dims[2], sx), windows(x.dims[3], left, right, w.dims[3], sy)}}
	if s.conv == Ordinary {
		out.text = fmt.Sprintf("(relay-operator-call relay-conv2d %s %s (shape %d %d) %s 1 0 (shape 0 0 0) "+
			"relay-activation-layout-nchw relay-kernel-layout-oihw)", x.text, w.text, sx, sy,
			shape([]domain.Size{top, left, bottom, right}))
	} else {
		if !s.right { // said so that sizes are written as multiples; reshaping asks for the same
			c, o, i := x.dims[1], w.dims[0], w.dims[1]
			s.assumes = append(s.assumes, fmt.Sprintf("(divides %s %s)", i, c), fmt.Sprintf("(divides %s %s)", c.Div(i), o))
		}
		out.text = grouped(x, w, out.dims, [4]domain.Size{top, bottom, left, right}, sx, sy)
	}
	if acti == 2 {
		out.text = "(compute relu " + out.text + ")"
	}
	keep(out.cuts, 0, x.cuts, 0)
	keep(out.cuts, 1, w.cuts, 0)
	return out
}

// weights states the weights of a convolution of so many channels. Those that take their shape from there have one
// channel, and as many filters as there are channels; beside other filters, the channels of those.
func (s *side) weights(t *Term, channels domain.Size) *tensor {
	if t.Name != "concat" || t.number(0) != 0 || shapeless(t.Args[1]) == shapeless(t.Args[2]) {
		return s.term(t, []domain.Size{channels, num(1), num(1), num(1)})
	}
	if shapeless(t.Args[1]) {
		y := s.weights(t.Args[2], channels)
		return s.join(0, s.term(t.Args[1], []domain.Size{channels, y.dims[1], num(1), num(1)}), y)
	}
	x := s.weights(t.Args[1], channels)
	return s.join(0, x, s.term(t.Args[2], []domain.Size{channels, x.dims[1], num(1), num(1)}))
}

// grouped states a convolution in groups: the windows of each group's channels beside the kernels of the group.
func grouped(x, w *tensor, out []domain.Size, pads [4]domain.Size, sx, sy int64) string {
	n, c, o, i := x.dims[0], x.dims[1], w.dims[0], w.dims[1]
	g := c.Div(i) // reshaping asks that i divides c, and g divides o
	per := o.Div(g)
	padded := fmt.Sprintf("(access-pad (access-pad %s zero-padding 2 %s %s) zero-padding 3 %s %s)", at(x, 2), pads[0], pads[1], pads[2], pads[3])
	data := fmt.Sprintf("(access-windows %s %s (shape %d %d))", padded, shape(w.dims[2:]), sx, sy) // n c h w kh kw
	data = fmt.Sprintf("(access-transpose %s (list 0 2 3 1 4 5))", data)                           // n h w c kh kw
	data = fmt.Sprintf("(access-reshape %s (access-shape %s %s))", data,
		shape([]domain.Size{n, out[2], out[3], g, num(1)}), shape([]domain.Size{i, w.dims[2], w.dims[3]}))
	weights := fmt.Sprintf("(access-reshape %s (access-shape %s %s))", w.text,
		shape([]domain.Size{num(1), num(1), num(1), g, per}), shape(w.dims[1:]))
	all := fmt.Sprintf("(access-shape %s %s)", shape([]domain.Size{n, out[2], out[3], g, per}), shape(w.dims[1:]))
	sums := fmt.Sprintf("(compute dot-product (access-pair (access-broadcast %s %s) (access-broadcast %s %s)))", data, all, weights, all)
	return fmt.Sprintf("(access-transpose (access-reshape %s (access-shape %s (shape))) (list 0 3 1 2))", sums,
		shape([]domain.Size{n, out[2], out[3], o}))
}

func (s *side) pool(t *Term, want []domain.Size) *tensor {
	kx, ky, sx, sy, pad := num(t.number(0)), num(t.number(1)), t.number(2), t.number(3), t.number(4)
	x := s.term(t.Args[5], want)
	top, bottom := padding(pad, x.dims[2], kx, sx)
	left, right := padding(pad, x.dims[3], ky, sy)
	kind, compute := "zero-padding", "reduce-mean"
	if t.Name == "poolmax" {
		kind, compute = "min-padding", "reduce-max"
	}
	out := &tensor{cuts: map[int]cut{}, dims: []domain.Size{x.dims[0], x.dims[1],
		windows(x.dims[2], top, bottom, kx, sx), windows(x.dims[3], left, right, ky, sy)}}
	out.text = fmt.Sprintf("(compute %s (access-windows (access-pad (access-pad %s %s 2 %s %s) %s 3 %s %s) (shape %s %s) (shape %d %d)))",
		compute, at(x, 2), kind, top, bottom, kind, left, right, kx, ky, sx, sy)
	keep(out.cuts, 0, x.cuts, 0)
	keep(out.cuts, 1, x.cuts, 1)
	return out
}

func (s *side) enlarge(t *Term) *tensor {
	w := s.term(t.Args[2], nil)
	out := &tensor{dims: append([]domain.Size{}, w.dims...), cuts: map[int]cut{}, text: w.text}
	for i, k := range []domain.Size{num(t.number(0)), num(t.number(1))} {
		axis := 2 + i
		total := k.Sub(w.dims[axis]).Max(num(0))
		if w.dims[axis].Sub(k).AtLeast(0, nil) {
			continue // large enough
		}
		before := total.Div(num(2))
		out.text = fmt.Sprintf("(access-pad %s zero-padding %d %s %s)", out.text, axis, before, total.Sub(before))
		out.dims[axis] = w.dims[axis].Max(k)
	}
	keep(out.cuts, 0, w.cuts, 0)
	keep(out.cuts, 1, w.cuts, 1)
	return out
}

// constant states a tensor that takes its shape from where it is used.
func constant(t *Term, want []domain.Size) *tensor {
	switch t.Name {
	case "Iewmul":
		return &tensor{text: "(access-tensor (constant-tensor 1 " + shape(want) + "))", dims: want}
	case "Imatmul":
		// windows over n-1 zeros, a 1 and n-1 zeros are the identity with its rows reversed; twice that is the identity
		n := want[0]
		zeros := n.Sub(num(1))
		line := fmt.Sprintf("(access-pad (access-tensor (constant-tensor 1 (shape 1))) zero-padding 0 %s %s)", zeros, zeros)
		reversed := fmt.Sprintf("(access-windows (access %s 0) (shape %s) (shape 1))", line, n)
		return &tensor{text: fmt.Sprintf("(compute dot-product (access-cartesian-product %s %s))", reversed, reversed), dims: want}
	}
	kx, ky := t.number(0), t.number(1)
	dims := []domain.Size{want[0], want[1], num(kx), num(ky)}
	if t.Name == "Cpool" { // 1/(kx·ky) is the mean of a 1 and zeros
		ones := shape(append(append([]domain.Size{}, dims...), num(1)))
		text := fmt.Sprintf("(access-pad (access-tensor (constant-tensor 1 %s)) zero-padding 4 0 %d)", ones, kx*ky-1)
		return &tensor{text: fmt.Sprintf("(compute reduce-mean (access %s 4))", text), dims: dims}
	}
	text := "(access-tensor (constant-tensor 1 " + shape([]domain.Size{want[0], want[1], num(1), num(1)}) + "))"
	text = fmt.Sprintf("(access-pad %s zero-padding 2 %d %d)", text, kx/2, kx-1-kx/2)
	return &tensor{text: fmt.Sprintf("(access-pad %s zero-padding 3 %d %d)", text, ky/2, ky-1-ky/2), dims: dims}
}
