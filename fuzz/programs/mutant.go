package programs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"tv/glenside"
	"tv/semantics/domain"
)

// A Mutant is a program that differs from another by one defect.
type Mutant struct {
	*Program
	Defect string // its class
}

// maxTries bounds the sites and defects that are tried for one mutant.
const maxTries = 60

// Defects are all that Mutate may do to an operator.
func Defects() []*Law { return allDefects }

// Mutate returns a mutant of the same type, or nil where no defect that was tried gives one. That it means something
// else is likely and not sure. Equal seeds give equal mutants.
func Mutate(p *Program, seed uint64) *Mutant {
	rng := rand.New(rand.NewPCG(seed, 0x6d7574616e74))
	w := &weaver{rng: rng, ty: p.Typing, exact: p.Exact, used: map[string]int{}, low: map[*glenside.Node]bool{}}
	var sites []*glenside.Node
	for _, n := range p.Parsed.Nodes {
		if n.Kind == glenside.KindCall && p.Typing.Type(n).Kind == glenside.TypeAccess {
			sites = append(sites, n)
		}
	}
	if len(sites) == 0 {
		return nil
	}
	for range maxTries {
		n := sites[rng.IntN(len(sites))]
		t := p.Typing.Type(n)
		// Two in three are defects of the operator, if it has any.
		fits := defectsOf()[n.Op.Name]
		if len(fits) == 0 || rng.IntN(3) == 0 {
			fits = defectsOf()[""]
		}
		d := fits[rng.IntN(len(fits))]
		if d.in&classOf(p.Exact, t.Elem) == 0 {
			continue
		}
		c := site{n: n, t: t}
		for _, a := range n.Args {
			c.args = append(c.args, glenside.FormatNode(a))
		}
		c.text = callText(n, c.args)
		x := d.apply(w, c)
		if x.text == "" || x.text == c.text {
			continue
		}
		text := Declarations(p.Parsed) + replaced(p.Parsed.Root, n, splitAt(x, t.Split))
		m, err := Typed("mutant", text)
		if err != nil || m.Typing.Root().String() != p.Typing.Root().String() ||
			glenside.FormatNode(m.Parsed.Root) == glenside.FormatNode(p.Parsed.Root) {
			continue
		}
		m = defined(m, seed)
		m.Exact, m.Named, m.Seed = p.Exact, p.Named, seed
		return &Mutant{m, d.Name}
	}
	return nil
}

// replaced prints a node with every occurrence of another one replaced.
func replaced(n, at *glenside.Node, by string) string {
	if n == at {
		return by
	}
	if n.Kind != glenside.KindCall {
		return glenside.FormatNode(n)
	}
	args := make([]string, len(n.Args))
	for i, a := range n.Args {
		args[i] = replaced(a, at, by)
	}
	return callText(n, args)
}

// exchange gives operators in whose place another one of the same operands stands.
var exchange = [][]string{
	{"relay-add", "relay-multiply", "relay-maximum", "relay-minimum", "relay-divide"},
	{"reduce-sum", "reduce-max", "reduce-mean"},
	{"elementwise-add", "elementwise-mul", "elementwise-div"},
	{"relu", "negative", "sqrt"},
	{"relay-relu", "relay-negative", "relay-copy", "relay-sqrt"},
	{"relay-sigmoid", "relay-tanh", "relay-erf"},
	{"relay-max-pool2d", "relay-avg-pool2d"},
	{"relay-softmax", "relay-log-softmax"},
	{"relay-left-shift", "relay-right-shift"},
}

// allDefects are those that translations have had. They use the form of laws; they are none.
var allDefects = []*Law{
	{Name: "off by one", in: inAll, apply: func(w *weaver, c site) expr {
		args := slices.Clone(c.args)
		for range 4 {
			i := w.rng.IntN(len(c.n.Args) + 1)
			if i == len(c.n.Args) {
				continue
			}
			if s, ok := nudged(w.rng, c.n.Args[i]); ok {
				args[i] = s
				return expr{callText(c.n, args), c.t.Split}
			}
		}
		return expr{}
	}},
	{Name: "off-by-one pad", in: inAll, Op: "access-pad", apply: func(w *weaver, c site) expr {
		before, after := c.n.Args[3].Int, c.n.Args[4].Int
		d := size(1 - 2*w.rng.IntN(2))
		return expr{call("access-pad", c.args[0], c.args[1], c.args[2], before.Add(d), after.Sub(d)), c.t.Split}
	}},
	{Name: "off-by-one pad", in: inAll, Op: "access-slice", apply: func(w *weaver, c site) expr {
		d := size(1 - 2*w.rng.IntN(2))
		return expr{call("access-slice", c.args[0], c.args[1], c.n.Args[2].Int.Add(d), c.n.Args[3].Int.Add(d)), c.t.Split}
	}},
	{Name: "off-by-one pad", in: inAll, Op: "relay-conv2d relay-max-pool2d relay-avg-pool2d hlscnn-conv2d",
		apply: func(w *weaver, c site) expr {
			args := slices.Clone(c.args)
			p := c.n.Args[3].Args
			i := w.rng.IntN(2)
			q := []domain.Size{p[0].Int, p[1].Int, p[2].Int, p[3].Int}
			if q[i], q[i+2] = q[i+2], q[i]; q[i].Equal(q[i+2]) { // one more before, one less after
				q[i], q[i+2] = q[i].Add(size(1)), q[i+2].Sub(size(1))
			}
			args[3] = shapeText(q...)
			return expr{callText(c.n, args), c.t.Split}
		}},
	{Name: "wrong inner length", in: inAll, Op: "dot-product reduce-sum reduce-max reduce-mean elementwise-add elementwise-mul softmax",
		apply: func(w *weaver, c site) expr {
			x := w.ty.Type(c.n.Args[0])
			if len(x.Compute()) == 0 {
				return expr{}
			}
			a := x.Split + w.rng.IntN(len(x.Compute()))
			return expr{compute(c.n.Op.Name, shorter(c.args[0], x.Dims[a], a)), c.t.Split}
		}},
	{Name: "wrong inner length", in: inAll, Op: "relay-dense vta-dense flex-linear relay-batch-matmul relay-conv2d relay-conv1d systolic-array " +
		"systolic-array-with-blocking hlscnn-conv2d relay-mean", apply: func(w *weaver, c site) expr {
		args := slices.Clone(c.args)
		for i, a := range c.n.Args {
			if x := w.ty.Type(a); x.Kind == glenside.TypeAccess && len(x.Dims) > 0 {
				axis := len(x.Dims) - 1
				args[i] = shorter(args[i], x.Dims[axis], axis)
				break
			}
		}
		return expr{callText(c.n, args), c.t.Split}
	}},
	{Name: "dropped zero-init", in: inAll, Op: "reduce-sum elementwise-add relay-dense relay-conv2d dot-product",
		apply: func(w *weaver, c site) expr {
			// the accumulator starts with what it held
			return expr{relay("relay-add", c.text, c.text), c.rank()}
		}},
	{Name: "dropped zero-init", in: inAll, Op: "access-pad", apply: func(w *weaver, c site) expr {
		kind := "min-padding"
		if c.args[1] == kind {
			kind = "zero-padding"
		}
		return expr{call("access-pad", c.args[0], kind, c.args[2], c.args[3], c.args[4]), c.t.Split}
	}},
	{Name: "swapped leading dimension", in: inAll, apply: func(w *weaver, c site) expr {
		if c.rank() < 2 {
			return expr{}
		}
		a := w.rng.IntN(c.rank() - 1)
		dims := slices.Clone(c.t.Dims)
		dims[a], dims[a+1] = dims[a+1], dims[a]
		p := identity(c.rank())
		p[a], p[a+1] = p[a+1], p[a]
		return expr{call("access-transpose", reshape(c.text, dims, c.t.Split), list(p)), c.t.Split}
	}},
	{Name: "transposed operand", in: inAll, apply: func(w *weaver, c site) expr {
		for a := range c.rank() {
			for b := a + 1; b < c.rank(); b++ {
				if c.t.Dims[a].Equal(c.t.Dims[b]) && !isNumber(c.t.Dims[a], 1) {
					p := identity(c.rank())
					p[a], p[b] = b, a
					return expr{call("access-transpose", c.text, list(p)), c.t.Split}
				}
			}
		}
		return expr{}
	}},
	{Name: "inverse permutation forgotten", in: inAll, Op: "access-transpose relay-transpose",
		apply: func(w *weaver, c site) expr {
			x := w.dims(c.n.Args[0])
			for range 6 {
				p := w.rng.Perm(c.rank())
				if list(p) == c.args[1] {
					continue
				}
				ok := true
				for i, a := range p {
					ok = ok && x[a].Equal(c.t.Dims[i])
				}
				if ok {
					return expr{callText(c.n, []string{c.args[0], list(p)}), c.t.Split}
				}
			}
			if c.args[1] != list(identity(c.rank())) { // not transposed at all
				return expr{reshape(c.args[0], c.t.Dims, c.t.Split), c.t.Split}
			}
			return expr{}
		}},
	{Name: "tuple axis taken for a compute axis", in: inAll, Op: "dot-product elementwise-add elementwise-mul elementwise-div",
		apply: func(w *weaver, c site) expr {
			x := w.ty.Type(c.n.Args[0])
			for i, d := range x.Compute()[1:] {
				p := identity(len(x.Dims))
				a, b := x.Split, x.Split+1+i
				if d.Equal(x.Dims[a]) {
					p[a], p[b] = b, a
					return expr{compute(c.n.Op.Name, call("access-transpose", c.args[0], list(p))), c.t.Split}
				}
			}
			if len(x.Compute()) < 2 {
				return expr{}
			}
			return expr{compute(c.n.Op.Name, reshape(call("access-transpose", c.args[0], list(swapped(len(x.Dims), x.Split))), x.Dims, x.Split)),
				c.t.Split}
		}},
	{Name: "a condition of its own: an axis of one", in: inAll, apply: func(w *weaver, c site) expr {
		if c.rank() == 0 {
			return expr{}
		}
		a := w.rng.IntN(c.rank())
		if isNumber(c.t.Dims[a], 1) {
			return expr{}
		}
		one := call("access-slice", c.text, a, 0, 1)
		return expr{call("access-broadcast", one, call("access-shape", shapeText(c.t.Dims...), "(shape)")), c.t.Split}
	}},
	{Name: "a condition of its own: a window that fits", in: inAll, apply: func(w *weaver, c site) expr {
		for a, d := range c.t.Dims {
			if !isConst(d) { // right where the axis has more than two
				return expr{call("access-concatenate", call("access-slice", c.text, a, 0, 2), call("access-slice", c.text, a, 2, d), a), c.t.Split}
			}
		}
		return expr{}
	}},
	{Name: "a condition of its own: a divisor", in: inReal | inWrap, apply: func(w *weaver, c site) expr {
		return expr{relay("relay-multiply", c.text, relay("relay-divide", c.text, c.text)), c.rank()}
	}},
	{Name: "a condition of its own: a divisor", in: inReal, Op: "relay-divide",
		apply: func(w *weaver, c site) expr {
			// (x + y) / y - 1
			return expr{relay("relay-add", relay("relay-divide", relay("relay-add", c.args[0], c.args[1]), c.args[1]), lit("-1.5")), c.rank()}
		}},
	{Name: "signedness", in: inAll &^ inReal, apply: func(w *weaver, c site) expr {
		other := c.t.Elem
		switch other.Kind {
		case domain.ElemInt:
			other.Kind = domain.ElemUint
		case domain.ElemUint:
			other.Kind = domain.ElemInt
		default:
			return expr{relay("relay-maximum", c.text, relay("relay-negative", c.text)), c.rank()}
		}
		switch c.n.Op.Name {
		case "relu", "relay-relu", "relay-divide", "relay-maximum", "relay-minimum", "reduce-max", "reduce-mean", "relay-mean",
			"relay-max-pool2d", "relay-avg-pool2d", "relay-right-shift", "sqrt", "relay-sqrt", "relay-leaky-relu", "elementwise-div":
			args := slices.Clone(c.args)
			for i, a := range c.n.Args {
				if w.ty.Type(a).Kind == glenside.TypeAccess {
					args[i] = relay("relay-cast", args[i], other.String())
				}
			}
			return expr{relay("relay-cast", callText(c.n, args), c.t.Elem.String()), c.t.Split}
		}
		return expr{}
	}},
	{Name: "signedness", in: inReal, Op: "negative relay-negative relu relay-relu relay-leaky-relu relay-clip",
		apply: func(w *weaver, c site) expr {
			return expr{relay("relay-maximum", c.args[0], relay("relay-negative", c.args[0])), c.rank()}
		}},
	{Name: "saturation sign", in: inAll, Op: "relay-clip relu relay-relu", apply: func(w *weaver, c site) expr {
		low, high := "0", "1"
		if c.n.Op.Name == "relay-clip" {
			low, high = c.args[1], c.args[2]
		}
		return expr{relay("relay-maximum", relay("relay-minimum", c.args[0], lit(low)), lit(high)), c.rank()}
	}},
	{Name: "saturation sign", in: inSat, apply: func(w *weaver, c site) expr {
		if c.n.Op.Name == "relay-add" {
			return expr{relay("relay-negative", relay("relay-add", relay("relay-negative", c.args[0]), relay("relay-negative", c.args[1]))), c.rank()}
		}
		return expr{relay("relay-negative", relay("relay-negative", c.text)), c.t.Split}
	}},
	{Name: "lost carry", in: inWrap, apply: func(w *weaver, c site) expr {
		half := c.t.Elem
		if half.Width == 8 {
			return expr{}
		}
		half.Width /= 2
		return expr{relay("relay-cast", relay("relay-cast", c.text, half.String()), c.t.Elem.String()), c.t.Split}
	}},
	{Name: "lost carry", in: inAll, Op: "relay-add relay-bias-add flex-linear",
		apply: func(w *weaver, c site) expr {
			if c.n.Op.Name == "flex-linear" {
				return expr{relay("relay-dense", c.args[0], c.args[1]), 2}
			}
			x := w.ty.Type(c.n.Args[0])
			if !equalDims(x.Dims, c.t.Dims) {
				return expr{}
			}
			return expr{c.args[0], x.Split}
		}},
	{Name: "another operator", in: inAll, apply: func(w *weaver, c site) expr {
		for _, group := range exchange {
			if !slices.Contains(group, c.n.Op.Name) {
				continue
			}
			to := group[w.rng.IntN(len(group))]
			if to == c.n.Op.Name {
				return expr{}
			}
			m := *c.n
			m.Op = glenside.LookupOp(to)
			return expr{callText(&m, c.args), c.t.Split}
		}
		return expr{}
	}},
	{Name: "operands swapped", in: inAll, apply: func(w *weaver, c site) expr {
		for i := 0; i+1 < len(c.n.Args); i++ {
			x, y := w.ty.Type(c.n.Args[i]), w.ty.Type(c.n.Args[i+1])
			if x.Kind == glenside.TypeAccess && y.Kind == glenside.TypeAccess && c.args[i] != c.args[i+1] {
				args := slices.Clone(c.args)
				args[i], args[i+1] = args[i+1], args[i]
				return expr{callText(c.n, args), c.t.Split}
			}
		}
		return expr{}
	}},
	{Name: "another input", in: inAll, apply: func(w *weaver, c site) expr {
		if c.n.Op != glenside.OpAccessTensor || c.n.Args[0].Kind != glenside.KindSymbol {
			return expr{}
		}
		var others []string
		for _, in := range w.ty.Program.Inputs {
			dims := make([]domain.Size, len(in.Dims))
			for i, d := range in.Dims {
				dims[i] = d.Size
			}
			if in.Elem == c.t.Elem && equalDims(dims, c.t.Dims) && in.Name != c.args[0] {
				others = append(others, in.Name)
			}
		}
		if len(others) == 0 {
			return expr{relay("relay-zeros", shapeText(c.t.Dims...)), c.rank()}
		}
		return expr{call("access-tensor", others[w.rng.IntN(len(others))]), c.rank()}
	}},
	{Name: "another layout", in: inAll, Op: "relay-conv2d relay-max-pool2d relay-avg-pool2d relay-global-avg-pool2d hlscnn-conv2d",
		apply: func(w *weaver, c site) expr {
			args := slices.Clone(c.args)
			other := map[string]string{nchwWord: nhwcWord, nhwcWord: nchwWord, oihwWord: hwioWord, hwioWord: oihwWord}
			for i := len(args) - 1; i >= 0; i-- {
				if to := other[args[i]]; to != "" && w.rng.IntN(2) == 0 {
					args[i] = to
					break
				}
			}
			return expr{callText(c.n, args), c.t.Split}
		}},
	{Name: "turned round", in: inAll, apply: func(w *weaver, c site) expr {
		for a, d := range c.t.Dims {
			if n, ok := number(d); ok && n > 1 {
				m := 1 + w.rng.IntN(n-1)
				return expr{call("access-concatenate", call("access-slice", c.text, a, m, n), call("access-slice", c.text, a, 0, m), a), c.t.Split}
			}
		}
		return expr{}
	}},
}

func identity(n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	return p
}

// swapped is the identity with a and a+1 exchanged.
func swapped(n, a int) []int {
	p := identity(n)
	p[a], p[a+1] = p[a+1], p[a]
	return p
}

// shorter replaces the last place of an axis by zeros.
func shorter(x string, d domain.Size, axis int) string {
	return call("access-pad", call("access-slice", x, axis, 0, d.Sub(size(1))), "zero-padding", axis, 0, 1)
}

// nudged returns an operand with one of its numbers changed by one.
func nudged(rng *rand.Rand, n *glenside.Node) (string, bool) {
	switch {
	case n.Kind == glenside.KindInt:
		d := size(1 - 2*rng.IntN(2))
		return n.Int.Add(d).String(), true
	case n.Kind == glenside.KindFloat:
		return map[string]string{"0": "1", "1": "2", "2.0": "1.0", "0.5": "0.25", "1e-5": "0.5"}[n.Text], n.Text != ""
	case n.Op == glenside.OpLiteral:
		return "(literal 7)", true
	case n.Op == glenside.OpShape || n.Op == glenside.OpList:
		if len(n.Args) == 0 {
			return "", false
		}
		i := rng.IntN(len(n.Args))
		var s strings.Builder
		fmt.Fprintf(&s, "(%s", n.Op.Name)
		for j, a := range n.Args {
			text := glenside.FormatNode(a)
			if j == i {
				text, _ = nudged(rng, a)
			}
			s.WriteString(" " + text)
		}
		s.WriteString(")")
		return s.String(), true
	}
	return "", false
}
