package programs

import (
	"fmt"
	"slices"
	"strings"

	"tv/semantics/domain"
)

// A rule writes calls of one operator.
type rule struct {
	op       string
	weight   int               // how often it is drawn among those that fit
	root     int               // how often it is drawn for the result of a program; 0 means 1
	least    int               // rank of the result
	realOnly bool              // means nothing in exact arithmetic
	fits     func(w want) bool // which results it can have besides; nil means all
	goal     func(g *grower) []domain.Size
	build    func(g *grower, w want) expr
}

func relay(name string, args ...string) string {
	return "(relay-operator-call " + name + " " + strings.Join(args, " ") + ")"
}

func accelerator(name string, args ...string) string {
	return "(accelerator-call " + name + " " + strings.Join(args, " ") + ")"
}

func call(name string, args ...any) string {
	var s strings.Builder
	fmt.Fprintf(&s, "(%s", name)
	for _, a := range args {
		fmt.Fprintf(&s, " %v", a)
	}
	s.WriteByte(')')
	return s.String()
}

func compute(name, x string) string { return "(compute " + name + " " + x + ")" }

// insert returns dims with others put in at an index; without returns them without those from i to j-1.
func insert(dims []domain.Size, at int, more ...domain.Size) []domain.Size {
	return slices.Concat(dims[:at], more, dims[at:])
}

func without(dims []domain.Size, i, j int) []domain.Size {
	return slices.Concat(dims[:i], dims[j:])
}

func shapeText(ds ...domain.Size) string { return "(shape" + sizesText(ds) + ")" }

// few draws the length of a reduction.
func (g *grower) few() domain.Size {
	if g.named && g.n(3) == 0 {
		return domain.NamedSize(g.max[g.n(len(g.max))])
	}
	return size(1 + g.n(3))
}

// fews draws the dims of an item.
func (g *grower) fews(rank int) []domain.Size {
	out := make([]domain.Size, rank)
	for i := range out {
		out[i] = g.few()
	}
	return out
}

// shape spells a shape: as numbers, or by operators on shapes.
func (g *grower) shape(dims []domain.Size) string {
	r := len(dims)
	switch g.n(9) {
	case 0:
		k := 1 + g.n(2)
		return call("slice-shape", shapeText(slices.Concat(g.dims(k), dims)...), k)
	case 1, 2:
		for i, d := range dims {
			if isNumber(d, 1) {
				return call("shape-insert-axis", shapeText(without(dims, i, i+1)...), i)
			}
		}
	case 3:
		i := g.n(r + 1)
		return call("shape-remove-axis", shapeText(insert(dims, i, g.dim())...), i)
	case 4:
		if slices.IndexFunc(dims, func(d domain.Size) bool { return d.Name() == "" && !isConst(d) }) < 0 {
			return call("shape-of", g.input(want{dims, domain.Float32}))
		}
	}
	return shapeText(dims...)
}

func isConst(d domain.Size) bool { _, ok := d.Const(); return ok }

// accessShape spells an access shape with its split.
func (g *grower) accessShape(dims []domain.Size, split int) string {
	if g.n(5) == 0 {
		return call("get-access-shape", splitAt(g.leaf(want{dims, domain.Float32}), split))
	}
	return call("access-shape", g.shape(dims[:split]), g.shape(dims[split:]))
}

// literal draws a decimal that every element type holds, or nearly.
func (g *grower) literal(e domain.Elem) string {
	if e.Kind == domain.ElemUint || e.Kind == domain.ElemBool || g.n(3) > 0 {
		return []string{"0", "1", "2", "3", "1.0", "0.5"}[g.n(6)]
	}
	return []string{"-1", "-0.5", "0.25", "-2", "1.5", "2.5"}[g.n(6)]
}

// constant writes an operand without inputs that broadcasts to w.
func (g *grower) constant(w want) string {
	dims := w.dims[g.n(w.rank()+1):]
	switch g.n(3) {
	case 0:
		return call("access-tensor", call("constant-tensor", g.literal(w.elem), shapeText(dims...)))
	case 1:
		return relay("relay-zeros", g.shape(dims))
	}
	return call("access-literal", call("literal", g.literal(w.elem)))
}

// broadcastable returns the dims of an operand that broadcasts to w, in Relay's way.
func (g *grower) broadcastable(w want) want {
	if g.n(2) == 0 {
		return w
	}
	dims := slices.Clone(w.dims[g.n(w.rank()+1):])
	for i := range dims {
		if g.n(3) == 0 {
			dims[i] = size(1)
		}
	}
	return w.with(dims...)
}

// square writes an expression that is not negative; positive one that is above 0 in real.
func (g *grower) square(w want) string {
	x := g.leaf(w).text
	return relay("relay-multiply", x, x)
}

func (g *grower) positive(w want) string {
	return relay("relay-add", g.square(w), "(access-literal (literal 1))")
}

// factors draws two sizes whose product is d.
func (g *grower) factors(d domain.Size) []domain.Size {
	if n, ok := number(d); ok && n > 0 {
		k := 1 + g.n(n)
		for n%k != 0 {
			k--
		}
		return []domain.Size{size(k), size(n / k)}
	}
	if ops := d.Operands(); d.Op() == domain.SizeMul && isConst(ops[0]) {
		return []domain.Size{ops[0], d.Div(ops[0])}
	}
	if g.n(2) == 0 {
		return []domain.Size{size(1), d}
	}
	return []domain.Size{d, size(1)}
}

// window draws a window w and a stride s of which there are out on an axis of size in, padded by padding; that
// is dropped where nothing would be left to pad.
func (g *grower) window(out domain.Size, padding int) (in domain.Size, w, s int, padded bool) {
	w, s = 1+g.n(3), 1
	rest := 0 // that no window covers
	if isConst(out) {
		s = 1 + g.n(2)
		rest = g.n(s)
	}
	covered := out.Sub(size(1)).Mul(size(s)).Add(size(w + rest))
	if in = covered.Sub(size(padding)); padding > 0 && isConst(in) {
		if n, _ := number(in); n < 1 {
			return covered, w, s, false
		}
	}
	return in, w, s, true
}

// split1 writes a call of relay-split as a tuple, of equal parts on the first axis.
func (g *grower) split1(op string, w want) string {
	return relay(op, g.grow(w).text, "2", "0")
}

// tuple writes a tuple whose component i is x, among others.
func (g *grower) tuple(x string) (text string, i int) {
	items := []string{x}
	for range g.n(3) {
		items = append(items, g.leaf(want{g.dims(g.n(3)), g.elemType()}).text)
	}
	i = g.n(len(items))
	items[0], items[i] = items[i], items[0]
	return "(construct-tuple " + strings.Join(items, " ") + ")", i
}

// axisText spells an axis of rank, from the end now and then.
func (g *grower) axisText(axis, rank int) string {
	if g.n(3) == 0 {
		axis -= rank
	}
	return fmt.Sprint(axis)
}

const (
	nchwWord = "relay-activation-layout-nchw"
	nhwcWord = "relay-activation-layout-nhwc"
	oihwWord = "relay-kernel-layout-oihw"
	hwioWord = "relay-kernel-layout-hwio"
)

// image takes the dims of an image apart; arrange puts them together.
func image(layout string, d []domain.Size) (n, c, h, w domain.Size) {
	if layout == nhwcWord {
		return d[0], d[3], d[1], d[2]
	}
	return d[0], d[1], d[2], d[3]
}

func arrange(layout string, n, c, h, w domain.Size) []domain.Size {
	if layout == nhwcWord {
		return []domain.Size{n, h, w, c}
	}
	return []domain.Size{n, c, h, w}
}

func weights(layout string, o, i, kh, kw domain.Size) []domain.Size {
	if layout == hwioWord {
		return []domain.Size{kh, kw, i, o}
	}
	return []domain.Size{o, i, kh, kw}
}

func (g *grower) layout() string { return []string{nchwWord, nhwcWord}[g.n(2)] }

// mapRule is the rule of an operator that works on each element, or each item, and keeps the dims.
func mapRule(op string, weight int) *rule {
	return &rule{op: op, weight: weight, root: 2, build: func(g *grower, w want) expr {
		x := g.grow(w)
		if strings.HasSuffix(op, "sqrt") && g.n(2) == 0 {
			x = expr{g.square(w), w.rank()}
		}
		if strings.HasPrefix(op, "relay-") {
			return expr{relay(op, x.text), x.split}
		}
		return expr{compute(op, x.text), x.split}
	}}
}

func binaryRule(op string) *rule {
	return &rule{op: op, weight: 3, build: func(g *grower, w want) expr {
		x := g.grow(w).text
		y := ""
		switch g.n(2) {
		case 0:
			y = g.constant(w)
		default:
			y = g.grow(g.broadcastable(w)).text
		}
		if op == "relay-divide" && g.n(2) == 0 {
			y = g.positive(g.broadcastable(w))
		} else if g.n(2) == 0 {
			x, y = y, x
		}
		return expr{relay(op, x, y), w.rank()}
	}}
}

// reduceRule is the rule of a compute that takes whole items to one element.
func reduceRule(op string) *rule {
	return &rule{op: op, weight: 6, build: func(g *grower, w want) expr {
		item := g.fews(g.n(3))
		x := w.with(slices.Concat(w.dims, item)...)
		if op == "reduce-max" && len(item) > 0 && g.n(3) == 0 {
			a := w.rank() + g.n(len(item))
			return expr{compute(op, splitAt(expr{call("access-pad", g.at(x, w.rank()), "min-padding", a, g.n(2), g.n(2)),
				w.rank()}, w.rank())), w.rank()}
		}
		return expr{compute(op, g.at(x, w.rank())), w.rank()}
	}}
}

// foldRule is the rule of a compute that takes the first axis of items away.
func foldRule(op string) *rule {
	return &rule{op: op, weight: 6, build: func(g *grower, w want) expr {
		k := g.n(w.rank() + 1)
		n := g.few()
		if g.n(2) == 0 {
			n = size(2)
		}
		if op == "elementwise-div" && g.n(2) == 0 {
			return expr{compute(op, call("access-pair", g.at(w, k), splitAt(expr{g.positive(w), w.rank()}, k))), k}
		}
		return expr{compute(op, g.at(w.with(insert(w.dims, k, n)...), k)), k}
	}}
}

func poolRule(op string) *rule {
	return &rule{op: op, weight: 24, least: 4, fits: fourD, goal: imageGoal,
		build: func(g *grower, w want) expr {
			layout := g.layout()
			n, c, h, v := image(layout, w.dims)
			top, left, bottom, right := g.n(2), g.n(2), g.n(2), g.n(2)
			if g.n(2) == 0 {
				top, left, bottom, right = 0, 0, 0, 0
			}
			xh, kh, sh, ok := g.window(h, top+bottom)
			if !ok {
				top, bottom = 0, 0
			}
			xw, kw, sw, ok := g.window(v, left+right)
			if !ok {
				left, right = 0, 0
			}
			x := g.grow(w.with(arrange(layout, n, c, xh, xw)...))
			return expr{relay(op, x.text, call("shape", kh, kw), call("shape", sh, sw),
				call("shape", top, left, bottom, right), layout), x.split}
		}}
}

func fourD(w want) bool { return w.rank() == 4 }

// imageGoal draws the dims of a small image.
func imageGoal(g *grower) []domain.Size {
	d := g.dims(4)
	d[0] = size(1 + g.n(2))
	return d
}

// convRule is the rule of relay-conv2d and of hlscnn-conv2d.
func convRule(op string, write func(string, ...string) string) *rule {
	return &rule{op: op, weight: 24, root: 2, least: 4, fits: fourD, goal: imageGoal, realOnly: op != "relay-conv2d",
		build: func(g *grower, w want) expr {
			layout, kernel := g.layout(), []string{oihwWord, hwioWord}[g.n(2)]
			n, o, h, v := image(layout, w.dims)
			c := size(1 + g.n(2))
			groups := size(1)
			if k, ok := number(w.dims[1]); ok && k > 1 && op == "relay-conv2d" && g.n(3) == 0 { // depthwise
				layout, kernel = nchwWord, oihwWord
				n, o, h, v = image(layout, w.dims)
				c, groups = o, o
			}
			p := [4]int{g.n(2), g.n(2), g.n(2), g.n(2)}
			xh, kh, sh, ok := g.window(h, p[0]+p[2])
			if !ok {
				p[0], p[2] = 0, 0
			}
			xw, kw, sw, ok := g.window(v, p[1]+p[3])
			if !ok {
				p[1], p[3] = 0, 0
			}
			in := c
			if !isNumber(groups, 1) {
				in = size(1)
			}
			args := []string{
				g.grow(w.with(arrange(layout, n, c, xh, xw)...)).text,
				g.grow(w.with(weights(kernel, o, in, size(kh), size(kw))...)).text,
				call("shape", sh, sw), call("shape", p[0], p[1], p[2], p[3]), groups.String(), "0",
				call("shape", c, kh, kw), layout, kernel,
			}
			if op != "relay-conv2d" {
				if g.n(2) == 0 {
					args[2] = call("shape", 1, sh, sw)
				}
				if g.n(2) == 0 {
					args = append(args, "(shape 0)")
				}
			}
			return expr{write(op, args...), 4}
		}}
}

func systolicConvRule(op, layout, kernel string, blocked bool) *rule {
	return &rule{op: op, weight: 24, least: 4, fits: fourD, goal: imageGoal, build: func(g *grower, w want) expr {
		n, o, h, v := image(layout, w.dims)
		rows := 1 + g.n(2)
		c, cols := size(rows*(1+g.n(2))), g.factors(o)[0]
		if !blocked {
			c, cols = size(1+g.n(3)), size(1+g.n(3))
		}
		xh, kh, sh, _ := g.window(h, 0)
		xw, kw, sw, _ := g.window(v, 0)
		wt := g.grow(w.with(weights(kernel, o, c, size(kh), size(kw))...))
		x := g.grow(w.with(arrange(layout, n, c, xh, xw)...))
		return expr{call(op, rows, cols, wt.text, x.text, kh, kw, sh, sw), 4}
	}}
}

// oneAt tells whether an axis has size k, and which is the first.
func oneAt(w want, k int) int {
	return slices.IndexFunc(w.dims, func(d domain.Size) bool { return isNumber(d, k) })
}

func has(k int) func(want) bool { return func(w want) bool { return oneAt(w, k) >= 0 } }

// goalWith draws dims of which one is k.
func goalWith(k int) func(*grower) []domain.Size {
	return func(g *grower) []domain.Size {
		d := g.dims(1 + g.n(4))
		d[g.n(len(d))] = size(k)
		return d
	}
}

func rank(k int) func(want) bool { return func(w want) bool { return w.rank() == k } }

func goalOf(k int) func(*grower) []domain.Size {
	return func(g *grower) []domain.Size { return g.dims(k) }
}

// parts cuts a size in two that add up to it, or returns it whole.
func (g *grower) parts(d domain.Size) []domain.Size {
	if n, ok := number(d); ok && n >= 2 {
		k := 1 + g.n(n-1)
		return []domain.Size{size(k), size(n - k)}
	}
	if d.Op() == domain.SizeAdd {
		for _, o := range d.Operands() {
			if k, ok := number(o); ok && k > 0 {
				return []domain.Size{o, d.Sub(o)}
			}
		}
	}
	if g.n(4) == 0 && d.Name() != "" {
		return []domain.Size{size(1), d.Sub(size(1))}
	}
	return nil
}

func cuttable(w want) bool {
	return slices.ContainsFunc(w.dims, func(d domain.Size) bool { n, ok := number(d); return ok && n >= 2 })
}

// cut draws an axis that can be cut, with the parts.
func (g *grower) cut(w want) (axis int, parts []domain.Size) {
	at := g.n(w.rank())
	for i := range w.dims {
		axis = (at + i) % w.rank()
		if parts = g.parts(w.dims[axis]); parts != nil {
			return axis, parts
		}
	}
	axis = slices.IndexFunc(w.dims, func(d domain.Size) bool { n, ok := number(d); return ok && n >= 2 })
	return axis, g.parts(w.dims[axis])
}

func goalCut(g *grower) []domain.Size {
	d := g.dims(1 + g.n(4))
	d[g.n(len(d))] = size(2 + g.n(3))
	return d
}

func allRules() []*rule {
	return slices.Concat(coreRules(), computeRules(), hardwareRules(), relayRules(), acceleratorRules())
}

func coreRules() []*rule {
	return []*rule{
		{op: "access", weight: 3, build: func(g *grower, w want) expr {
			k := g.n(w.rank() + 1)
			return expr{call("access", g.grow(w).text, k), k}
		}},
		{op: "tuple-get-item", weight: 6, build: func(g *grower, w want) expr {
			x := g.grow(w)
			t, i := g.tuple(x.text)
			return expr{call("tuple-get-item", t, i), x.split}
		}},
		{op: "access-transpose", weight: 4, least: 1, build: func(g *grower, w want) expr {
			p := g.rng.Perm(w.rank())
			dims := make([]domain.Size, w.rank())
			for i, a := range p {
				dims[a] = w.dims[i]
			}
			x := g.grow(w.with(dims...))
			return expr{call("access-transpose", x.text, "(list "+ints(p)+")"), x.split}
		}},
		{op: "access-cartesian-product", weight: 14, least: 1, fits: has(2), goal: goalWith(2),
			build: func(g *grower, w want) expr {
				i := oneAt(w, 2)
				s := g.n(i + 1)
				x := g.at(w.with(slices.Concat(w.dims[:s], w.dims[i+1:])...), s)
				y := g.at(w.with(slices.Concat(w.dims[s:i], w.dims[i+1:])...), i-s)
				return expr{call("access-cartesian-product", x, y), i}
			}},
		{op: "access-pair", weight: 10, least: 1, fits: has(2), goal: goalWith(2),
			build: func(g *grower, w want) expr {
				i := oneAt(w, 2)
				item := w.with(without(w.dims, i, i+1)...)
				return expr{call("access-pair", g.at(item, i), g.at(item, i)), i}
			}},
		{op: "access-windows", weight: 8, least: 2, build: func(g *grower, w want) expr {
			r := w.rank()
			n := g.n(r/2 + 1)
			if n == 0 {
				n = g.n(2)
			}
			dims, win, strides := slices.Clone(w.dims[:r-2*n]), []domain.Size{}, []domain.Size{}
			for j := range n {
				out, k := w.dims[r-2*n+j], w.dims[r-n+j]
				s := 1
				if isConst(out) && isConst(k) {
					s = 1 + g.n(2)
				}
				dims = append(dims, out.Sub(size(1)).Mul(size(s)).Add(k).Add(size(g.n(s))))
				win, strides = append(win, k), append(strides, size(s))
			}
			return expr{call("access-windows", g.at(w.with(dims...), r-2*n), shapeText(win...), shapeText(strides...)), r - n}
		}},
		{op: "access-slice", weight: 4, least: 1, build: func(g *grower, w want) expr {
			a := g.n(w.rank())
			low := g.n(3)
			d := w.dims[a]
			dims := slices.Clone(w.dims)
			dims[a] = d.Add(size(low + g.n(3)))
			x := g.grow(w.with(dims...))
			return expr{call("access-slice", x.text, a, low, d.Add(size(low))), x.split}
		}},
		{op: "access-concatenate", weight: 6, least: 1, fits: cuttable, goal: goalCut,
			build: func(g *grower, w want) expr {
				a, p := g.cut(w)
				x := g.grow(w.with(insert(without(w.dims, a, a+1), a, p[0])...))
				y := g.at(w.with(insert(without(w.dims, a, a+1), a, p[1])...), x.split)
				return expr{call("access-concatenate", x.text, y, a), x.split}
			}},
		{op: "access-pad", weight: 6, least: 1, fits: cuttable, goal: goalCut,
			build: func(g *grower, w want) expr {
				a, p := g.cut(w)
				kind := "zero-padding"
				if g.n(12) == 0 {
					kind = "min-padding"
				}
				before, after := size(0), size(0)
				switch {
				case g.n(2) == 0:
					before = p[0]
				case isConst(p[0]):
					after = p[0]
				default:
					after = p[1]
					p[1] = p[0]
				}
				if n, ok := number(p[1]); ok && n > 1 && g.n(2) == 0 {
					p[1], after = size(n-1), after.Add(size(1))
				}
				x := g.grow(w.with(insert(without(w.dims, a, a+1), a, p[1])...))
				return expr{call("access-pad", x.text, kind, a, before, after), x.split}
			}},
		{op: "access-squeeze", weight: 4, build: func(g *grower, w want) expr {
			a := g.n(w.rank() + 1)
			x := g.grow(w.with(insert(w.dims, a, size(1))...))
			k := x.split
			if a < k {
				k--
			}
			return expr{call("access-squeeze", x.text, a), k}
		}},
		{op: "access-insert-axis", weight: 6, least: 1, fits: has(1), goal: goalWith(1),
			build: func(g *grower, w want) expr {
				a := oneAt(w, 1)
				x := g.grow(w.with(without(w.dims, a, a+1)...))
				k := x.split
				if a <= k {
					k++
				}
				return expr{call("access-insert-axis", x.text, a), k}
			}},
		{op: "access-broadcast", weight: 4, least: 1, build: func(g *grower, w want) expr {
			dims := slices.Clone(w.dims)
			for i := range dims {
				if g.n(2) == 0 {
					dims[i] = size(1)
				}
			}
			x := g.grow(w.with(dims...))
			return expr{call("access-broadcast", x.text, g.accessShape(w.dims, g.n(w.rank()+1))), x.split}
		}},
		{op: "access-reshape", weight: 8, build: func(g *grower, w want) expr {
			r := w.rank()
			dims := slices.Clone(w.dims)
			switch i := g.n(r + 1); g.n(5) {
			case 0:
				all := size(1)
				for _, d := range dims {
					all = all.Mul(d)
				}
				dims = []domain.Size{all}
			case 1:
				if i+1 < r {
					dims = insert(without(dims, i, i+2), i, dims[i].Mul(dims[i+1]))
				}
			case 2:
				if i < r {
					dims = insert(without(dims, i, i+1), i, g.factors(dims[i])...)
				}
			case 3:
				g.rng.Shuffle(r, func(i, j int) { dims[i], dims[j] = dims[j], dims[i] })
			default:
				dims = insert(dims, i, size(1))
			}
			k := g.n(r + 1)
			return expr{call("access-reshape", g.grow(w.with(dims...)).text, g.accessShape(w.dims, k)), k}
		}},
		{op: "access-flatten", weight: 8, fits: func(w want) bool { return w.rank() <= 2 },
			goal: func(g *grower) []domain.Size { return g.dims(g.n(3)) },
			build: func(g *grower, w want) expr {
				switch w.rank() {
				case 0:
					return expr{call("access-flatten", g.at(w, 0)), 0}
				case 1:
					f := g.factors(w.dims[0])
					k := 2 * g.n(2)
					return expr{call("access-flatten", g.at(w.with(f...), k)), k / 2}
				}
				f := slices.Concat(g.factors(w.dims[0]), g.factors(w.dims[1]))
				return expr{call("access-flatten", g.at(w.with(f...), 2)), 1}
			}},
		{op: "access-shift-right", weight: 3, build: func(g *grower, w want) expr {
			x := g.grow(w)
			return expr{call("access-shift-right", x.text), max(x.split-1, 0)}
		}},
	}
}

func computeRules() []*rule {
	return []*rule{
		{op: "dot-product", weight: 10, build: func(g *grower, w want) expr {
			n := []int{2, 2, 2, 2, 1, 3}[g.n(6)]
			item := slices.Concat([]domain.Size{size(n)}, g.fews(g.n(3)))
			return expr{compute("dot-product", g.at(w.with(slices.Concat(w.dims, item)...), w.rank())), w.rank()}
		}},
		reduceRule("reduce-sum"), reduceRule("reduce-max"), reduceRule("reduce-mean"),
		foldRule("elementwise-add"), foldRule("elementwise-mul"), foldRule("elementwise-div"),
		mapRule("relu", 3), mapRule("negative", 3), mapRule("sqrt", 2),
		{op: "softmax", weight: 2, root: 2, least: 1, build: func(g *grower, w want) expr {
			return expr{compute("softmax", g.at(w, w.rank()-1)), w.rank() - 1}
		}},
	}
}

func hardwareRules() []*rule {
	return []*rule{
		{op: "systolic-array", weight: 14, least: 1, fits: func(w want) bool { return w.rank() <= 2 },
			goal: func(g *grower) []domain.Size { return g.dims(1 + g.n(2)) },
			build: func(g *grower, w want) expr {
				rows, r := g.few(), w.rank()
				x := g.at(w.with(insert(without(w.dims, r-1, r), r-1, rows)...), r-1)
				y := g.at(w.with(rows, w.dims[r-1]), 0)
				return expr{call("systolic-array", rows, w.dims[r-1], x, y), r}
			}},
		{op: "systolic-array-with-blocking", weight: 14, least: 1, fits: func(w want) bool { return w.rank() <= 2 },
			goal: func(g *grower) []domain.Size { return g.dims(1 + g.n(2)) },
			build: func(g *grower, w want) expr {
				r := w.rank()
				rows, cols := size(1+g.n(2)), g.factors(w.dims[r-1])[0]
				n := rows.Mul(size(1 + g.n(2)))
				x := g.at(w.with(insert(without(w.dims, r-1, r), r-1, n)...), r-1)
				y := g.at(w.with(n, w.dims[r-1]), 0)
				return expr{call("systolic-array-with-blocking", rows, cols, x, y), r}
			}},
		systolicConvRule("systolic-array-conv2d-nchw-oihw-with-blocking", nchwWord, oihwWord, true),
		systolicConvRule("systolic-array-conv2d-nhwc-hwio-with-blocking", nhwcWord, hwioWord, true),
		systolicConvRule("systolic-array-conv2d-im2col-nchw-oihw-with-blocking", nchwWord, oihwWord, false),
		systolicConvRule("systolic-array-conv2d-im2col-nhwc-hwio-with-blocking", nhwcWord, hwioWord, false),
	}
}

func relayRules() []*rule {
	rules := []*rule{
		binaryRule("relay-add"), binaryRule("relay-multiply"), binaryRule("relay-divide"),
		binaryRule("relay-maximum"), binaryRule("relay-minimum"),
		mapRule("relay-relu", 2), mapRule("relay-sqrt", 2), mapRule("relay-negative", 2), mapRule("relay-sigmoid", 1),
		mapRule("relay-tanh", 1), mapRule("relay-erf", 1), mapRule("relay-round", 1), mapRule("relay-copy", 2),
		poolRule("relay-max-pool2d"), poolRule("relay-avg-pool2d"),
		convRule("relay-conv2d", relay),
	}
	asX := func(op string, weight, least int, args func(g *grower, w want) []string) {
		rules = append(rules, &rule{op: op, weight: weight, root: 2, least: least, build: func(g *grower, w want) expr {
			x := g.grow(w)
			return expr{relay(op, append([]string{x.text}, args(g, w)...)...), x.split}
		}})
	}
	asX("relay-leaky-relu", 2, 0, func(g *grower, w want) []string {
		return []string{[]string{"0.5", "0.1", "2", "0"}[g.n(4)]}
	})
	asX("relay-clip", 2, 0, func(g *grower, w want) []string {
		return []string{[]string{"0", "1", "-1"}[g.n(3)], []string{"1", "2", "1.5"}[g.n(3)]}
	})
	shift := func(g *grower, w want) []string { return []string{fmt.Sprint(g.n(4))} }
	asX("relay-left-shift", 1, 0, shift)
	asX("relay-right-shift", 1, 0, shift)
	axis := func(g *grower, w want) []string { return []string{g.axisText(g.n(w.rank()), w.rank())} }
	asX("relay-softmax", 2, 1, axis)
	asX("relay-log-softmax", 2, 1, axis)
	asX("relay-batch-norm-inference", 2, 1, func(g *grower, w want) []string {
		a := g.n(w.rank())
		v := w.with(w.dims[a])
		variance := g.leaf(v).text
		if g.n(2) == 0 {
			variance = g.square(v)
		}
		return []string{g.leaf(v).text, g.leaf(v).text, g.leaf(v).text, variance, fmt.Sprint(a),
			[]string{"1e-5", "0.25", "1"}[g.n(3)]}
	})
	asX("relay-layer-norm", 2, 1, func(g *grower, w want) []string {
		v := w.with(w.dims[w.rank()-1])
		return []string{g.leaf(v).text, g.leaf(v).text}
	})
	asX("relay-bias-add", 4, 1, func(g *grower, w want) []string {
		a := g.n(w.rank())
		return []string{g.grow(w.with(w.dims[a])).text, g.axisText(a, w.rank())}
	})
	return append(rules,
		&rule{op: "relay-cast", weight: 2, build: func(g *grower, w want) expr {
			x := g.grow(want{w.dims, g.elemType()})
			return expr{relay("relay-cast", x.text, w.elem.String()), x.split}
		}},
		&rule{op: "relay-dropout", weight: 2, build: func(g *grower, w want) expr {
			x := g.grow(w)
			i := 0
			if g.n(8) == 0 {
				i = 1
			}
			return expr{call("tuple-get-item", relay("relay-dropout", x.text, "0.5"), i), x.split}
		}},
		&rule{op: "relay-dense", weight: 14, least: 2, fits: rank(2), goal: goalOf(2),
			build: func(g *grower, w want) expr {
				k := g.few()
				return expr{relay("relay-dense", g.grow(w.with(w.dims[0], k)).text, g.grow(w.with(w.dims[1], k)).text), 2}
			}},
		&rule{op: "relay-batch-matmul", weight: 20, least: 3, fits: rank(3), goal: goalOf(3),
			build: func(g *grower, w want) expr {
				k, d := g.few(), w.dims
				return expr{relay("relay-batch-matmul", g.grow(w.with(d[0], d[1], k)).text,
					g.grow(w.with(d[0], d[2], k)).text), 3}
			}},
		&rule{op: "relay-conv1d", weight: 20, least: 3, fits: rank(3), goal: goalOf(3),
			build: func(g *grower, w want) expr {
				c := size(1 + g.n(2))
				p, q := g.n(2), g.n(2)
				in, k, s, ok := g.window(w.dims[2], p+q)
				if !ok {
					p, q = 0, 0
				}
				return expr{relay("relay-conv1d", g.grow(w.with(w.dims[0], c, in)).text,
					g.grow(w.with(w.dims[1], c, size(k))).text, call("shape", s), call("shape", p, q)), 0}
			}},
		&rule{op: "relay-global-avg-pool2d", root: 2, weight: 40, least: 4,
			fits: func(w want) bool {
				return w.rank() == 4 && isNumber(w.dims[2], 1) && (isNumber(w.dims[1], 1) || isNumber(w.dims[3], 1))
			},
			goal: func(g *grower) []domain.Size {
				return arrange(g.layout(), g.dim(), g.dim(), size(1), size(1))
			},
			build: func(g *grower, w want) expr {
				layout := nchwWord
				if !isNumber(w.dims[3], 1) {
					layout = nhwcWord
				}
				n, c, _, _ := image(layout, w.dims)
				x := g.grow(w.with(arrange(layout, n, c, g.few(), g.few())...))
				return expr{relay("relay-global-avg-pool2d", x.text, layout), x.split}
			}},
		&rule{op: "relay-upsampling", weight: 24, least: 4, fits: fourD, goal: imageGoal,
			build: func(g *grower, w want) expr {
				dims := slices.Clone(w.dims)
				scale := func(i int) string {
					n, ok := number(dims[i])
					switch {
					case ok && n%2 == 0:
						dims[i] = size(n / 2)
						return "2.0"
					case ok && n%3 == 0:
						dims[i] = size(n / 3 * 2)
						return "1.5"
					}
					return "1.0"
				}
				h, v := scale(2), scale(3)
				return expr{relay("relay-upsampling", g.at(w.with(dims...), 4), h, v, nchwWord), 4}
			}},
		&rule{op: "relay-batch-flatten", root: 2, weight: 6, least: 2, fits: rank(2), goal: goalOf(2),
			build: func(g *grower, w want) expr {
				x := g.grow(w.with(insert(g.factors(w.dims[1]), 0, w.dims[0])...))
				return expr{relay("relay-batch-flatten", x.text), 2}
			}},
		&rule{op: "relay-reshape", weight: 4, least: 1, build: func(g *grower, w want) expr {
			i := g.n(w.rank())
			dims := insert(without(w.dims, i, i+1), i, g.factors(w.dims[i])...)
			return expr{relay("relay-reshape", g.grow(w.with(dims...)).text, g.shape(w.dims)), 0}
		}},
		&rule{op: "relay-transpose", weight: 4, least: 1, build: func(g *grower, w want) expr {
			p := g.rng.Perm(w.rank())
			dims := make([]domain.Size, w.rank())
			for i, a := range p {
				dims[a] = w.dims[i]
			}
			return expr{relay("relay-transpose", g.grow(w.with(dims...)).text, "(list "+ints(p)+")"), w.rank()}
		}},
		&rule{op: "relay-squeeze", weight: 4, build: func(g *grower, w want) expr {
			dims, axes := slices.Clone(w.dims), []int{}
			for range 1 + g.n(2) {
				a := g.n(len(dims) + 1)
				dims = insert(dims, a, size(1))
				for i := range axes {
					if axes[i] >= a {
						axes[i]++
					}
				}
				axes = append(axes, a)
			}
			return expr{relay("relay-squeeze", g.grow(w.with(dims...)).text, "(list "+ints(axes)+")"), w.rank()}
		}},
		&rule{op: "relay-expand-dims", weight: 6, least: 1, fits: has(1), goal: goalWith(1),
			build: func(g *grower, w want) expr {
				a, n := oneAt(w, 1), 1
				for a+n < w.rank() && isNumber(w.dims[a+n], 1) && g.n(2) == 0 {
					n++
				}
				x := g.grow(w.with(without(w.dims, a, a+n)...))
				k := x.split
				if a < k {
					k += n
				}
				return expr{relay("relay-expand-dims", x.text, g.axisText(a, w.rank()-n+1), fmt.Sprint(n)), k}
			}},
		&rule{op: "relay-pad", weight: 6, least: 1, fits: cuttable, goal: goalCut,
			build: func(g *grower, w want) expr {
				amounts := make([]domain.Size, 2*w.rank())
				dims := slices.Clone(w.dims)
				a, p := g.cut(w)
				amounts[2*a], dims[a] = p[0], p[1]
				if !isConst(p[0]) {
					amounts[2*a], dims[a] = p[1], p[0]
				}
				if g.n(2) == 0 {
					amounts[2*a], amounts[2*a+1] = amounts[2*a+1], amounts[2*a]
				}
				x := g.grow(w.with(dims...))
				return expr{relay("relay-pad", x.text, shapeText(amounts...)), x.split}
			}},
		&rule{op: "relay-concatenate", weight: 6, least: 1, fits: cuttable, goal: goalCut,
			build: func(g *grower, w want) expr {
				a, p := g.cut(w)
				if n, ok := number(p[1]); ok && n > 1 {
					p = []domain.Size{p[0], size(1), size(n - 1)}
				}
				items := []string{}
				for _, d := range p {
					items = append(items, g.grow(w.with(insert(without(w.dims, a, a+1), a, d)...)).text)
				}
				return expr{relay("relay-concatenate", fmt.Sprint(a), "(construct-tuple "+strings.Join(items, " ")+")"), w.rank()}
			}},
		&rule{op: "relay-stack", weight: 6, least: 1,
			fits: func(w want) bool { return has(1)(w) || has(2)(w) || has(3)(w) },
			goal: func(g *grower) []domain.Size { return goalWith(1 + g.n(3))(g) },
			build: func(g *grower, w want) expr {
				for n := 3; ; n-- {
					a := oneAt(w, n)
					if a < 0 {
						continue
					}
					var items []string
					for range n {
						items = append(items, g.grow(w.with(without(w.dims, a, a+1)...)).text)
					}
					return expr{relay("relay-stack", append(items, g.axisText(a, w.rank()))...), w.rank()}
				}
			}},
		&rule{op: "relay-split", weight: 6, least: 1, build: func(g *grower, w want) expr {
			a := g.n(w.rank())
			d := w.dims[a]
			if g.n(2) == 0 {
				n := 1 + g.n(3)
				x := g.grow(w.with(insert(without(w.dims, a, a+1), a, d.Mul(size(n)))...))
				return expr{call("tuple-get-item", relay("relay-split", x.text, fmt.Sprint(n), fmt.Sprint(a)), g.n(n)), 0}
			}
			before, after := g.n(3), g.n(3)
			x := g.grow(w.with(insert(without(w.dims, a, a+1), a, d.Add(size(before+after)))...))
			cuts := fmt.Sprintf("(list %d %s)", before, d.Add(size(before)))
			return expr{call("tuple-get-item", relay("relay-split", x.text, cuts, fmt.Sprint(a)), 1), 0}
		}},
		&rule{op: "relay-strided-slice", weight: 4, least: 1, build: func(g *grower, w want) expr {
			var dims, low, high, ones []domain.Size
			for _, d := range w.dims {
				k := size(g.n(2))
				low, high, ones = append(low, k), append(high, d.Add(k)), append(ones, size(1))
				dims = append(dims, d.Add(k).Add(size(g.n(2))))
			}
			return expr{relay("relay-strided-slice", g.grow(w.with(dims...)).text, shapeText(low...), shapeText(high...),
				shapeText(ones...)), w.rank()}
		}},
		&rule{op: "relay-take", weight: 4, build: func(g *grower, w want) expr {
			a := g.n(w.rank() + 1)
			j := min(g.n(3), w.rank()-a)
			index, _ := domain.ParseElem([]string{"int32", "int8", "uint8"}[g.n(3)])
			x := g.grow(w.with(insert(without(w.dims, a, a+j), a, size(2+g.n(3)))...))
			i := g.leaf(want{w.dims[a : a+j], index})
			return expr{relay("relay-take", x.text, i.text, fmt.Sprint(a)), w.rank()}
		}},
		&rule{op: "relay-mean", weight: 4, build: func(g *grower, w want) expr {
			a := g.n(w.rank() + 1)
			return expr{relay("relay-mean", g.grow(w.with(insert(w.dims, a, g.few())...)).text, fmt.Sprint(a)), 0}
		}},
	)
}

func acceleratorRules() []*rule {
	dummy := func(g *grower, args ...string) []string {
		if g.n(2) == 0 {
			args = append(args, "(shape 0)")
		}
		return args
	}
	return []*rule{
		{op: "cim-gemm", root: 3, weight: 10, least: 2, fits: rank(2), goal: goalOf(2), realOnly: true,
			build: func(g *grower, w want) expr {
				k := g.few()
				a, b, c := g.grow(w.with(w.dims[0], k)).text, g.grow(w.with(k, w.dims[1])).text, g.grow(w.with(w.dims...)).text
				alpha, beta := []string{"1", "2", "-0.5"}[g.n(3)], []string{"0", "1", "3"}[g.n(3)]
				return expr{accelerator("cim-gemm", dummy(g, a, b, c, alpha, beta)...), 2}
			}},
		{op: "flex-attention", root: 6, weight: 20, least: 1, realOnly: true,
			fits: func(w want) bool { return w.rank() == 1 && isNumber(w.dims[0], 16) },
			goal: func(g *grower) []domain.Size { return []domain.Size{size(16)} },
			build: func(g *grower, w want) expr {
				return expr{accelerator("flex-attention", dummy(g, g.at(w.with(size(16), size(16)), 2), g.at(w, 1))...), 1}
			}},
		{op: "flex-layernorm", root: 4, weight: 5, least: 2, fits: rank(2), goal: goalOf(2), realOnly: true,
			build: func(g *grower, w want) expr {
				vector := func() string { return splitAt(g.leaf(w.with(w.dims[1])), 1) }
				return expr{accelerator("flex-layernorm", dummy(g, g.at(w, 2), vector(), vector())...), 2}
			}},
		{op: "flex-linear", root: 3, weight: 10, least: 2, fits: rank(2), goal: goalOf(2), realOnly: true,
			build: func(g *grower, w want) expr {
				k, b := g.few(), []domain.Size{w.dims[1]}
				if g.n(2) == 0 {
					b = insert(b, 0, size(1))
				}
				return expr{accelerator("flex-linear", dummy(g, g.grow(w.with(w.dims[0], k)).text,
					g.grow(w.with(w.dims[1], k)).text, g.grow(w.with(b...)).text)...), 2}
			}},
		lstm("flex-lstm"), lstm("flex-lstm-cells"),
		{op: "flex-maxpool", root: 9, weight: 30, least: 2, realOnly: true,
			fits: func(w want) bool { return w.rank() == 2 && isNumber(w.dims[1], 16) },
			goal: func(g *grower) []domain.Size { return []domain.Size{size(1 + g.n(2)), size(16)} },
			build: func(g *grower, w want) expr {
				pool := func(op, x string) expr { return expr{accelerator(op, dummy(g, x)...), 0} }
				rows := func(n int) string { return g.at(w.with(w.dims[0].Mul(size(n)), w.dims[1]), 0) }
				switch g.n(4) { // means of pairs have no rule of their own: one would choose other rules in every program
				case 0:
					return pool("flex-maxpool", rows(2))
				case 1:
					return pool("flex-maxpool", pool("flex-meanpool", rows(4)).text)
				}
				return pool("flex-meanpool", pool("flex-maxpool", rows(4)).text)
			}},
		{op: "vta-dense", root: 3, weight: 10, least: 2, fits: rank(2), goal: goalOf(2), realOnly: true,
			build: func(g *grower, w want) expr {
				k := g.few()
				return expr{accelerator("vta-dense", g.grow(w.with(w.dims[0], k)).text, g.grow(w.with(w.dims[1], k)).text), 2}
			}},
		{op: "vta-conv1d", root: 7, weight: 1, fits: rank(0), realOnly: true,
			goal: func(g *grower) []domain.Size { return nil },
			build: func(g *grower, w want) expr {
				return expr{accelerator("vta-conv1d", g.leaf(want{g.dims(1), w.elem}).text), 0}
			}},
		convRule("hlscnn-conv2d", accelerator),
	}
}

// lstm is the rule of a call with the operands of an LSTM, or others that give it no meaning.
func lstm(op string) *rule {
	return &rule{op: op, root: 5, weight: 1, realOnly: true, build: func(g *grower, w want) expr {
		if n, ok := number(slices.Concat(w.dims, []domain.Size{size(0)})[0]); ok && n >= 1 && n <= 3 && (w.rank() == 2 || w.rank() == 3) {
			k, last := g.few(), w.rank()-1
			h := w.dims[last]
			gates, state := h.Mul(size(4)), w.with(w.dims[1:]...)
			if g.n(2) == 0 {
				state = w.with(insert(state.dims, 0, size(1))...)
			}
			args := []string{g.grow(w.with(insert(w.dims[:last], last, k)...)).text}
			for _, of := range []want{state, state, w.with(gates, k), w.with(gates, h), w.with(gates), w.with(gates)} {
				args = append(args, g.leaf(of).text)
			}
			return expr{accelerator(op, append(args, shapeText(w.dims...))...), w.rank()}
		}
		args := []string{g.leaf(want{g.dims(2), w.elem}).text}
		for range 6 + g.n(2) {
			args = append(args, g.leaf(want{g.dims(1 + g.n(2)), w.elem}).text)
		}
		return expr{accelerator(op, append(args, shapeText(w.dims...))...), w.rank()}
	}}
}
