package tc

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"tv/proofs/loops"
	"tv/proofs/loops/looptest"
	"tv/semantics/domain"
)

// operators are those of definitions as package loops names them.
var operators = map[string]loops.DataOp{"+": loops.DataAdd, "-": loops.DataSub, "*": loops.DataMul,
	"/": loops.DataDiv, "max": loops.DataMax, "min": loops.DataMin}

// A direct is an interpreter of definitions at numbers: ranges are found by trying all integers, and
// every statement is carried out in order, cell by cell.
type direct struct {
	sizes   map[string]int64
	dims    map[string][]int64
	elems   map[string]domain.Elem // none where a tensor is not written yet
	cells   map[string]map[string]looptest.Number
	entry   map[string]int64 // numbers of parameters
	at      map[string]int64 // of indices
	indices []string
}

// far bounds the integers that are tried.
const far = 60

// directly is what a definition leaves at sizes, or an error if it is one.
func directly(d *definition, sizes map[string]int64) (left string) {
	defer func() {
		if r := recover(); r == any(looptest.ErrRun) {
			left = "error"
		} else if r != nil {
			panic(r)
		}
	}()
	x := &direct{sizes, map[string][]int64{}, map[string]domain.Elem{},
		map[string]map[string]looptest.Number{}, map[string]int64{}, nil, nil}
	var names []string
	for _, q := range d.params {
		name := q.name.Text()
		x.elems[name] = types[q.typ.Text()]
		for _, n := range q.dims {
			x.dims[name] = append(x.dims[name], x.integer(n))
		}
		names = append(names, name)
	}
	for _, at := range d.outs {
		names = append(names, at.Text())
	}
	for k, name := range names {
		x.entry[name], x.cells[name] = int64(k), map[string]looptest.Number{}
	}
	for _, s := range d.body {
		x.statement(s)
	}
	for _, name := range names {
		x.box(name, nil, func(at []int64) { left += " " + x.cell(name, at).String() })
	}
	return left
}

// box calls f for all cells of a tensor.
func (x *direct) box(name string, at []int64, f func([]int64)) {
	if len(at) == len(x.dims[name]) {
		f(at)
		return
	}
	for i := range x.dims[name][len(at)] {
		x.box(name, append(slices.Clone(at), i), f)
	}
}

func (x *direct) cell(name string, at []int64) looptest.Number {
	flat := int64(0)
	for k, d := range x.dims[name] {
		if at[k] < 0 || at[k] >= d {
			panic(looptest.ErrRun)
		}
		flat = flat*d + at[k]
	}
	if v, written := x.cells[name][fmt.Sprint(at)]; written {
		return v
	}
	return looptest.Held(x.elems[name], x.entry[name], flat)
}

func (x *direct) integer(n *node) int64 {
	var args []int64
	for _, a := range n.args {
		args = append(args, x.integer(a))
	}
	switch n.op {
	case "number":
		var v int64
		fmt.Sscan(n.text, &v)
		return v
	case "name":
		if v, is := x.sizes[n.text]; is {
			return v
		}
		return x.at[n.text]
	case "extent":
		return x.dims[n.text][args[0]]
	case "let":
		return args[0]
	case "neg":
		return -args[0]
	case "+":
		return args[0] + args[1]
	case "-":
		return args[0] - args[1]
	case "*":
		return args[0] * args[1]
	case "/":
		return args[0] / args[1]
	case "%":
		return args[0] % args[1]
	}
	return map[string]func(...int64) int64{"min": func(l ...int64) int64 { return slices.Min(l) },
		"max": func(l ...int64) int64 { return slices.Max(l) }}[n.text](args...)
}

// free are the indices in an expression that have no range yet, in order.
func (x *direct) free(n *node, known map[string][2]int64) (out []string) {
	n.visit(func(n *node) {
		_, size := x.sizes[n.text]
		_, tensor := x.cells[n.text]
		_, solved := known[n.text]
		if n.op == "name" && !size && !tensor && !solved && !slices.Contains(out, n.text) {
			out = append(out, n.text)
		}
	})
	return out
}

// all calls f for all values of indices.
func (x *direct) all(names []string, ranges map[string][2]int64, f func()) {
	if len(names) == 0 {
		f()
		return
	}
	for i := ranges[names[0]][0]; i < ranges[names[0]][1]; i++ {
		x.at[names[0]] = i
		x.all(names[1:], ranges, f)
	}
}

// ranges finds them in rounds.
func (x *direct) ranges(s *statement) map[string][2]int64 {
	known := map[string][2]int64{}
	for _, c := range s.clauses {
		known[c.name.Text()] = [2]int64{x.integer(c.lo), x.integer(c.hi)}
	}
	for {
		found := map[string][2]int64{}
		try := func(n *node, extent int64) {
			open := x.free(n, known)
			if len(open) != 1 {
				return
			}
			old, twice := found[open[0]]
			if !twice {
				old = [2]int64{-far, far}
			}
			lo, hi := int64(far), int64(-far)
			for v := old[0]; v < old[1]; v++ {
				ok := true
				x.all(x.free(n, map[string][2]int64{open[0]: {}}), known, func() {
					x.at[open[0]] = v
					e := x.integer(n)
					ok = ok && e >= 0 && e < extent
				})
				if ok {
					lo, hi = min(lo, v), v+1
				}
			}
			found[open[0]] = [2]int64{lo, hi}
		}
		for _, of := range append([]*node{s.value}, s.exists...) {
			of.visit(func(n *node) {
				for k, d := range x.dims[n.text] {
					if n.op == "call" {
						try(n.args[k], d)
					}
				}
			})
		}
		for k, none := 0, len(found) == 0; none && k < len(s.indices); k++ { // left alone
			if name := s.indices[k].Text(); len(x.free(&node{op: "name", text: name}, known)) > 0 {
				found[name] = [2]int64{0, x.dims[s.at.Text()][k]}
			}
		}
		if len(found) == 0 {
			return known
		}
		for name, r := range found {
			if known[name] = r; r[0] >= r[1] {
				panic(looptest.ErrRun)
			}
		}
	}
}

func (x *direct) statement(s *statement) {
	name := s.at.Text()
	x.at = map[string]int64{}
	ranges := x.ranges(s)
	if _, written := x.elems[name]; !written {
		x.elems[name] = x.typeOf(s.value)
		for _, at := range s.indices {
			x.dims[name] = append(x.dims[name], ranges[at.Text()][1])
		}
	}
	e := x.elems[name]
	outer := []string{}
	for _, at := range s.indices {
		outer = append(outer, at.Text())
	}
	inner := outer
	for _, other := range x.free(s.value, map[string][2]int64{}) {
		if !slices.Contains(outer, other) {
			inner = append(slices.Clip(inner), other)
		}
	}
	place := func() (at []int64) {
		for _, index := range outer {
			at = append(at, x.at[index])
		}
		x.cell(name, at)
		return at
	}
	op, begins := s.op, s.op[len(s.op)-1] == '!'
	if begins {
		op = op[:len(op)-1]
		least, most := looptest.Wrapped(e, new(big.Int)), looptest.Wrapped(e, big.NewInt(-1))
		if e.Kind == domain.ElemInt {
			half := new(big.Int).Lsh(big.NewInt(1), uint(e.Width-1))
			least, most = looptest.Wrapped(e, half), looptest.Wrapped(e, half.Sub(half, big.NewInt(1)))
		}
		if isFloat(e) {
			end := math.MaxFloat32
			if e.Width == 64 {
				end = math.MaxFloat64
			}
			least, most = looptest.Rounded(e, -end), looptest.Rounded(e, end)
		}
		x.all(outer, ranges, func() {
			v := map[string]looptest.Number{"min=": most, "max=": least}
			if op == "+=" || op == "*=" {
				v[op] = looptest.Parsed(e, map[string]string{"+=": "0", "*=": "1"}[op])
			}
			x.cells[name][fmt.Sprint(place())] = v[op]
		})
	}
	x.all(inner, ranges, func() {
		for _, n := range s.exists {
			x.value(n, x.elems[n.text])
		}
		v := looptest.Converted(x.typeOf(s.value), e, x.value(s.value, x.typeOf(s.value)))
		at := place()
		if op != "=" {
			v = looptest.Computed(operators[op[:len(op)-1]], e, x.cell(name, at), v)
		}
		x.cells[name][fmt.Sprint(at)] = v
	})
}

func cast(n *node) bool { return n.op == "call" && types[n.text].Width > 0 }

// bare reports whether an expression is a literal, whose type is that of what is beside it.
func bare(n *node) bool { return n.op == "number" || n.op == "neg" && bare(n.args[0]) }

// typeOf is the type of an expression.
func (x *direct) typeOf(n *node) domain.Elem {
	e, tensor := x.elems[n.text]
	switch {
	case cast(n):
		return types[n.text]
	case n.op == "number":
		if _, ok := new(big.Int).SetString(n.text, 10); !ok {
			return types["float32"]
		}
	case (n.op == "name" || n.op == "call") && tensor:
		return e
	case len(n.args) == 1 && n.op != "extent":
		return x.typeOf(n.args[0])
	case len(n.args) >= 2:
		return x.common(n.args[len(n.args)-2], n.args[len(n.args)-1])
	}
	return types["int32"]
}

func (x *direct) common(a, b *node) domain.Elem {
	s, t := x.typeOf(a), x.typeOf(b)
	switch {
	case bare(a):
		return t
	case bare(b):
		return s
	case isFloat(s) != isFloat(t):
		return map[bool]domain.Elem{true: s, false: t}[isFloat(s)]
	case s.Width != t.Width:
		return map[bool]domain.Elem{true: s, false: t}[s.Width > t.Width]
	case s.Kind == domain.ElemInt:
		return s
	}
	return t
}

// value is that of an expression in a type.
func (x *direct) value(n *node, e domain.Elem) looptest.Number {
	own := x.typeOf(n)
	if n.op == "number" {
		return looptest.Parsed(e, n.text)
	}
	if bare(n) { // with a sign
		return looptest.Computed(loops.DataMul, e, wrappedOrFloat(e, -1), x.value(n.args[0], e))
	}
	var v looptest.Number
	_, tensor := x.elems[n.text]
	switch {
	case tensor && n.op != "extent":
		var at []int64
		for _, a := range n.args {
			at = append(at, x.integer(a))
		}
		v = x.cell(n.text, at)
	case n.op == "name" || n.op == "extent":
		v = looptest.Wrapped(own, big.NewInt(x.integer(n)))
	case cast(n):
		v = looptest.Converted(x.typeOf(n.args[0]), own, x.value(n.args[0], x.typeOf(n.args[0])))
	case n.op == "let":
		v = x.value(n.args[0], own)
	case n.op == "neg":
		v = looptest.Computed(loops.DataMul, own, wrappedOrFloat(own, -1), x.value(n.args[0], own))
	case len(n.args) == 1:
		v = looptest.Applied(own, n.text, x.value(n.args[0], own))
	case n.op == "?:":
		if x.holds(n.args[0]) {
			v = x.value(n.args[1], own)
		} else {
			v = x.value(n.args[2], own)
		}
	default:
		op := n.op
		if op == "call" {
			op = n.text[len(n.text)-3:]
		}
		v = looptest.Computed(operators[op], own, x.value(n.args[0], own), x.value(n.args[1], own))
	}
	return looptest.Converted(own, e, v)
}

// holds is a condition, on elements too.
func (x *direct) holds(n *node) bool {
	switch a := n.args; n.op {
	case "&&":
		return x.holds(a[0]) && x.holds(a[1])
	case "||":
		return x.holds(a[0]) || x.holds(a[1])
	case "!":
		return !x.holds(a[0])
	case ">", ">=":
		less := map[string]string{">": "<", ">=": "<="}
		return x.holds(&node{op: less[n.op], args: []*node{a[1], a[0]}})
	case "!=":
		return !x.holds(&node{op: "==", args: a})
	}
	e := x.common(n.args[0], n.args[1])
	a, b := x.value(n.args[0], e), x.value(n.args[1], e)
	op := map[string]loops.DataOp{"<": loops.DataLess, "<=": loops.DataLessEqual, "==": loops.DataEqual}[n.op]
	return looptest.Compared(op, a, b)
}

func wrappedOrFloat(e domain.Elem, v int64) looptest.Number {
	if isFloat(e) {
		return looptest.Rounded(e, float64(v))
	}
	return looptest.Wrapped(e, big.NewInt(v))
}
