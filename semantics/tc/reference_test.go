package tc

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"tv/internal/source"
)

// What is here runs a definition on numbers, as its text says and with nothing but the words of it in common with what makes
// procedures: ranges are found by trying values, one after the other, and elements are numbers with their types.

// A rtype is a type: f, i, u or b, and a number of bits.
type rtype struct {
	kind byte
	bits int
}

var (
	rint32   = rtype{'i', 32}
	rfloat32 = rtype{'f', 32}
	rbool    = rtype{'b', 1}
)

// A rvalue is an element: n of integers and bools, f of floats.
type rvalue struct {
	t rtype
	n *big.Int
	f float64
}

// A rtensor is a tensor with its contents, row by row.
type rtensor struct {
	t     rtype
	dims  []int64
	cells []rvalue
	known bool
}

// nothing is panicked with where it is not known what a call leaves.
type nothing struct{ why string }

func undefined(format string, args ...any) { panic(nothing{fmt.Sprintf(format, args...)}) }

// tooLong is why nothing is said of what takes too many steps.
const tooLong = "too many steps"

// step counts steps.
func (r *reference) step(n int64) {
	if r.steps += int(min(n, 1<<30)); r.steps > 1<<20 {
		undefined(tooLong)
	}
}

// either is why nothing is said of the lesser and the greater of 0 and -0: it is either.
const either = "0 or -0"

// A reference is a run of a definition.
type reference struct {
	steps   int
	sizes   map[string]int64
	types   map[string]rtype // of sizes
	tensors map[string]*rtensor
	lets    map[string]*expr
	at      map[string]int64    // values of indices
	ranges  map[string][2]int64 // of those that are solved
	old     func(name string, offset int64, t rtype) rvalue
	order   []string // of indices: those of the left side first
}

func rtypeOf(word string) rtype {
	switch word {
	case "bool":
		return rbool
	case "float":
		return rfloat32
	case "double":
		return rtype{'f', 64}
	}
	var bits int
	kind := word[0]
	digits := word[len(word)-2:]
	if digits[0] < '0' || digits[0] > '9' {
		digits = digits[1:]
	}
	fmt.Sscan(digits, &bits)
	return rtype{kind, bits}
}

// window bounds the values that are tried for an index.
const window = 60

// known calls f. It returns why nothing is known of what it does, if that is so.
func known(f func()) (why string) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case nothing:
			why = e.why
		default:
			panic(e)
		}
	}()
	f()
	return ""
}

func (r *reference) statement(s *stmt) {
	r.lets, r.at, r.ranges, r.order = map[string]*expr{}, map[string]int64{}, map[string][2]int64{}, nil
	for _, w := range s.where {
		if w.op == lets {
			r.lets[w.name.text] = w.x
		}
	}
	for _, i := range s.indices {
		r.order = append(r.order, i.text)
	}
	r.names(s.value, func(n string) {
		if !slices.Contains(r.order, n) {
			r.order = append(r.order, n)
		}
	})
	for _, w := range s.where {
		if w.op == ranges {
			r.ranges[w.name.text] = [2]int64{r.control(w.x), r.control(w.y)}
		}
	}
	out := r.tensors[s.to.text]
	r.infer(s, out)
	if !out.known {
		out.t, _ = r.typeOf(s.value)
		cells := int64(1)
		for _, i := range s.indices {
			hi := r.ranges[i.text][1]
			if hi < 0 {
				undefined("an extent of %d", hi)
			}
			out.dims = append(out.dims, hi)
			cells *= hi
			r.step(cells)
		}
		for k := range cells {
			out.cells = append(out.cells, r.old(s.to.text, k, out.t))
		}
		out.known = true
	}
	left := r.order[:len(s.indices)]
	if s.init {
		r.each(left, func() { *r.cell(out, r.indices(s)) = first(s.op, out.t) })
	}
	r.each(r.order, func() {
		v := func() rvalue {
			if s.op == "=" {
				return r.eval(s.value)
			}
			_, literal := r.typeOf(s.value)
			t := out.t
			if !literal {
				vt, _ := r.typeOf(s.value)
				t = meet(out.t, vt)
			}
			old := convert(*r.cell(out, r.indices(s)), t)
			return combine(map[string]string{"+=": "+", "*=": "*", "min=": "min", "max=": "max"}[s.op], old, r.evalAs(s.value, t))
		}()
		*r.cell(out, r.indices(s)) = convert(v, out.t)
	})
}

func first(op string, t rtype) rvalue {
	switch op {
	case "+=":
		return rnumber(big.NewRat(0, 1), t)
	case "*=":
		return rnumber(big.NewRat(1, 1), t)
	}
	lo, hi := span(t)
	if t.kind == 'f' {
		f := math.MaxFloat64
		if t.bits == 32 {
			f = math.MaxFloat32
		}
		if op == "max=" {
			f = -f
		}
		return rvalue{t: t, f: f}
	}
	if op == "max=" {
		return rvalue{t: t, n: lo}
	}
	return rvalue{t: t, n: hi}
}

func (r *reference) indices(s *stmt) (at []int64) {
	for _, i := range s.indices {
		at = append(at, r.at[i.text])
	}
	return at
}

func (r *reference) cell(t *rtensor, at []int64) *rvalue {
	offset := int64(0)
	for k, i := range at {
		if i < 0 || i >= t.dims[k] {
			undefined("subscript %d of %d", i, t.dims[k])
		}
		offset = offset*t.dims[k] + i
	}
	return &t.cells[offset]
}

// each calls f for all values of some indices, row by row.
func (r *reference) each(list []string, f func()) {
	if len(list) == 0 {
		f()
		return
	}
	for v := r.ranges[list[0]][0]; v < r.ranges[list[0]][1]; v++ {
		r.step(1)
		r.at[list[0]] = v
		r.each(list[1:], f)
	}
	delete(r.at, list[0])
}

// names calls f for each index in an expression, in order.
func (r *reference) names(x *expr, f func(string)) {
	if x.op == opName {
		_, size := r.sizes[x.name]
		switch {
		case r.lets[x.name] != nil:
			r.names(r.lets[x.name], f)
		case !size && r.tensors[x.name] == nil:
			f(x.name)
		}
	}
	for _, a := range x.args {
		r.names(a, f)
	}
}

// accesses calls f for each subscript and its extent.
func (r *reference) accesses(x *expr, f func(at *expr, extent int64)) {
	if x.op == opName && r.lets[x.name] != nil {
		r.accesses(r.lets[x.name], f)
	}
	if t := r.tensors[x.name]; x.op == opApply && t != nil {
		for k, a := range x.args {
			f(a, t.dims[k])
		}
	}
	for _, a := range x.args {
		r.accesses(a, f)
	}
}

// A racc is a subscript and the extent that it has to be below.
type racc struct {
	at     *expr
	extent int64
}

// infer finds ranges in rounds.
func (r *reference) infer(s *stmt, out *rtensor) {
	var all []racc
	add := func(at *expr, extent int64) { all = append(all, racc{at, extent}) }
	r.accesses(s.value, add)
	for _, w := range s.where {
		if w.op == exists {
			r.accesses(w.x, add)
		}
	}
	if out.known {
		for k, i := range s.indices {
			add(&expr{op: opName, name: i.text}, out.dims[k])
		}
	}
	for len(r.ranges) < len(r.order) {
		found := map[string][2]int64{}
		for _, v := range r.order {
			if _, ok := r.ranges[v]; ok {
				continue
			}
			if mine := r.alone(v, all); len(mine) > 0 {
				found[v] = r.largest(v, mine)
			}
		}
		if len(found) == 0 {
			panic("not inferable")
		}
		for v, b := range found {
			r.ranges[v] = b
		}
	}
}

// alone lists the subscripts in which an index is the only one without a range.
func (r *reference) alone(v string, all []racc) (mine []racc) {
	for _, a := range all {
		only, has := true, false
		r.names(a.at, func(n string) {
			_, solved := r.ranges[n]
			has = has || n == v
			only = only && (n == v || solved)
		})
		if only && has {
			mine = append(mine, a)
		}
	}
	return mine
}

// largest is the largest interval in which all subscripts lie in their extents.
func (r *reference) largest(v string, mine []racc) (best [2]int64) {
	from := int64(-window)
	for value := int64(-window); value <= window; value++ {
		if !r.allowed(v, value, mine) {
			from = value + 1
		} else if value+1-from > best[1]-best[0] {
			best = [2]int64{from, value + 1}
		}
	}
	switch {
	case best[0] >= best[1]:
		undefined("%s has no values", v)
	case best[0] == -window || best[1] == window+1:
		undefined(tooLong)
	}
	return best
}

// allowed tells whether subscripts lie in their extents at a value of an index, for all values of the others.
func (r *reference) allowed(v string, value int64, mine []racc) bool {
	ok := true
	r.at[v] = value
	defer delete(r.at, v)
	for _, a := range mine {
		var others []string
		r.names(a.at, func(n string) {
			if n != v && !slices.Contains(others, n) {
				others = append(others, n)
			}
		})
		for _, n := range others {
			if r.ranges[n][0] >= r.ranges[n][1] {
				undefined("%s has no values", n)
			}
		}
		r.each(others, func() {
			e := r.control(a.at)
			ok = ok && 0 <= e && e < a.extent
		})
	}
	return ok
}

// control is an integer of mathematics.
func (r *reference) control(x *expr) int64 {
	switch x.op {
	case opNumber:
		return x.num.Num().Int64()
	case opName:
		if l := r.lets[x.name]; l != nil {
			return r.control(l)
		}
		if n, ok := r.sizes[x.name]; ok {
			return n
		}
		return r.at[x.name]
	case opExtent:
		return r.tensors[x.name].dims[x.axis]
	}
	var a []int64
	for _, y := range x.args {
		a = append(a, r.control(y))
	}
	switch x.op + x.name {
	case "+":
		return a[0] + a[1]
	case "-":
		if len(a) == 1 {
			return -a[0]
		}
		return a[0] - a[1]
	case "*":
		return a[0] * a[1]
	case "/":
		return a[0] / a[1]
	case "%":
		return a[0] % a[1]
	case "applymin":
		return min(a[0], a[1])
	case "applymax":
		return max(a[0], a[1])
	}
	panic("control " + x.op + x.name)
}

// meet is the type in which two operands are matched.
func meet(a, b rtype) rtype {
	switch {
	case a == b:
		return a
	case a.kind == 'f' && b.kind != 'f':
		return a
	case b.kind == 'f' && a.kind != 'f':
		return b
	}
	t := rtype{a.kind, max(a.bits, b.bits)}
	if b.kind == 'i' || t.kind == 'b' && b.kind == 'u' {
		t.kind = b.kind
	}
	return t
}

// typeOf is the type of an expression, and whether it is a literal.
func (r *reference) typeOf(x *expr) (t rtype, literal bool) {
	switch x.op {
	case opNumber:
		if x.float {
			return rfloat32, true
		}
		return rint32, true
	case opName:
		if l := r.lets[x.name]; l != nil {
			return r.typeOf(l)
		}
		if t, ok := r.types[x.name]; ok {
			return t, false
		}
		if a := r.tensors[x.name]; a != nil {
			return a.t, false
		}
		return rint32, false
	case opExtent:
		return rint32, false
	case opCast:
		return rtypeOf(x.typ.String()), false
	case "!", "&&", "||", "<", ">", "<=", ">=", "==", "!=":
		return rbool, false
	case "?:":
		return r.pair(x.args[1], x.args[2]), false
	case opApply:
		if a := r.tensors[x.name]; a != nil {
			return a.t, false
		}
		if x.name != "min" && x.name != "max" {
			t := rfloat32
			for _, a := range x.args {
				if u, literal := r.typeOf(a); u == (rtype{'f', 64}) && !literal && x.name != "ceilf" {
					t = u
				}
			}
			return t, false
		}
	}
	if len(x.args) == 1 {
		return r.typeOf(x.args[0])
	}
	return r.pair(x.args[0], x.args[1]), false
}

func (r *reference) pair(x, y *expr) rtype {
	a, literalA := r.typeOf(x)
	b, literalB := r.typeOf(y)
	switch {
	case literalA && !literalB && b != rbool:
		return b
	case literalB && !literalA && a != rbool:
		return a
	}
	return meet(a, b)
}

// evalAs is the value of an operand in a type; of a literal it is the number.
func (r *reference) evalAs(x *expr, t rtype) rvalue {
	if n := r.literal(x); n != nil {
		return rnumber(n, t)
	}
	return convert(r.eval(x), t)
}

func (r *reference) literal(x *expr) *big.Rat {
	switch {
	case x.op == opNumber:
		return x.num
	case x.op == opName && r.lets[x.name] != nil:
		return r.literal(r.lets[x.name])
	case x.op == "-" && len(x.args) == 1:
		if n := r.literal(x.args[0]); n != nil {
			return new(big.Rat).Neg(n)
		}
	}
	return nil
}

func (r *reference) eval(x *expr) rvalue {
	t, _ := r.typeOf(x)
	if n := r.literal(x); n != nil {
		return rnumber(n, t)
	}
	truth := func(x *expr) bool { return r.eval(x).n.Sign() != 0 }
	switch x.op {
	case opName:
		if l := r.lets[x.name]; l != nil {
			return r.eval(l)
		}
		if a := r.tensors[x.name]; a != nil {
			return *r.cell(a, nil)
		}
		return wrap(big.NewInt(r.control(x)), t)
	case opExtent:
		return wrap(big.NewInt(r.control(x)), t)
	case opCast:
		return convert(r.eval(x.args[0]), t)
	case "!":
		return flag(!truth(x.args[0]))
	case "&&":
		return flag(truth(x.args[0]) && truth(x.args[1]))
	case "||":
		return flag(truth(x.args[0]) || truth(x.args[1]))
	case "?:":
		if truth(x.args[0]) {
			return r.evalAs(x.args[1], t)
		}
		return r.evalAs(x.args[2], t)
	case "<", ">", "<=", ">=", "==", "!=":
		u := r.pair(x.args[0], x.args[1])
		return flag(holdsBetween(x.op, r.evalAs(x.args[0], u), r.evalAs(x.args[1], u)))
	case opApply:
		if a := r.tensors[x.name]; a != nil {
			var at []int64
			for _, y := range x.args {
				at = append(at, r.control(y))
			}
			return *r.cell(a, at)
		}
		var args []rvalue
		for _, y := range x.args {
			args = append(args, r.evalAs(y, t))
		}
		if len(args) == 2 {
			return combine(x.name[len(x.name)-3:], args[0], args[1])
		}
		f := map[string]func(float64) float64{"fabs": math.Abs, "sqrt": math.Sqrt, "floor": math.Floor, "ceilf": math.Ceil,
			"trunc": math.Trunc}[x.name]
		return round(f(args[0].f), t)
	}
	if len(x.args) == 1 {
		v := r.eval(x.args[0])
		if t.kind == 'f' {
			return rvalue{t: t, f: -v.f}
		}
		return wrap(new(big.Int).Neg(v.n), t)
	}
	return combine(x.op, r.evalAs(x.args[0], t), r.evalAs(x.args[1], t))
}

func flag(b bool) rvalue {
	n := big.NewInt(0)
	if b {
		n.SetInt64(1)
	}
	return rvalue{t: rbool, n: n}
}

func holdsBetween(op string, a, b rvalue) bool {
	less, equal := a.f < b.f, a.f == b.f
	more := a.f > b.f
	if a.t.kind != 'f' {
		c := a.n.Cmp(b.n)
		less, equal, more = c < 0, c == 0, c > 0
	}
	switch op {
	case "<":
		return less
	case ">":
		return more
	case "<=":
		return less || equal
	case ">=":
		return more || equal
	case "==":
		return equal
	}
	return !equal
}

// combine is an operator of two operands of one type.
func combine(op string, a, b rvalue) rvalue {
	if a.t.kind == 'f' {
		switch op {
		case "+":
			return round(a.f+b.f, a.t)
		case "-":
			return round(a.f-b.f, a.t)
		case "*":
			return round(a.f*b.f, a.t)
		case "/":
			return round(a.f/b.f, a.t)
		case "min", "max":
			switch {
			case a.f == 0 && b.f == 0 && math.Signbit(a.f) != math.Signbit(b.f):
				undefined(either)
			case math.IsNaN(a.f):
				return b
			case math.IsNaN(b.f):
				return a
			case op == "min":
				return rvalue{t: a.t, f: math.Min(a.f, b.f)}
			}
			return rvalue{t: a.t, f: math.Max(a.f, b.f)}
		}
	}
	z := new(big.Int)
	switch op {
	case "+":
		z.Add(a.n, b.n)
	case "-":
		z.Sub(a.n, b.n)
	case "*":
		z.Mul(a.n, b.n)
	case "/", "%":
		lo, _ := span(a.t)
		if b.n.Sign() == 0 || a.t.kind == 'i' && a.n.Cmp(lo) == 0 && b.n.Cmp(big.NewInt(-1)) == 0 {
			undefined("%s %s %s", a.n, op, b.n)
		}
		if op == "/" {
			z.Quo(a.n, b.n)
		} else {
			z.Rem(a.n, b.n)
		}
	case "min", "max":
		if (a.n.Cmp(b.n) < 0) == (op == "min") {
			return a
		}
		return b
	default:
		panic(op)
	}
	return wrap(z, a.t)
}

// span is the least and the greatest number of an integer type.
func span(t rtype) (lo, hi *big.Int) {
	lo, hi = big.NewInt(0), new(big.Int).Lsh(big.NewInt(1), uint(t.bits))
	if t.kind == 'i' {
		hi.Rsh(hi, 1)
		lo.Neg(hi)
	}
	return lo, hi.Sub(hi, big.NewInt(1))
}

func wrap(n *big.Int, t rtype) rvalue {
	m := new(big.Int).Lsh(big.NewInt(1), uint(t.bits))
	z := new(big.Int).Mod(n, m)
	if _, hi := span(t); z.Cmp(hi) > 0 {
		z.Sub(z, m)
	}
	return rvalue{t: t, n: z}
}

func round(f float64, t rtype) rvalue {
	if t.bits == 32 {
		f = float64(float32(f))
	}
	return rvalue{t: t, f: f}
}

func rnumber(n *big.Rat, t rtype) rvalue {
	if t.kind != 'f' {
		if !n.IsInt() {
			panic("literal")
		}
		return wrap(n.Num(), t)
	}
	f, _ := n.Float64()
	if t.bits == 32 {
		g, _ := n.Float32()
		f = float64(g)
	}
	return rvalue{t: t, f: f}
}

func convert(v rvalue, t rtype) rvalue {
	switch {
	case v.t == t:
		return v
	case t == rbool && v.t.kind == 'f':
		return flag(v.f != 0)
	case t == rbool:
		return flag(v.n.Sign() != 0)
	case t.kind == 'f' && v.t.kind == 'f':
		return round(v.f, t)
	case t.kind == 'f':
		return rnumber(new(big.Rat).SetInt(v.n), t)
	case v.t.kind == 'f':
		if math.IsNaN(v.f) || math.IsInf(v.f, 0) {
			undefined("%v as an integer", v.f)
		}
		n, _ := big.NewFloat(math.Trunc(v.f)).Int(nil)
		if lo, hi := span(t); n.Cmp(lo) < 0 || n.Cmp(hi) > 0 {
			undefined("%v as an integer", v.f)
		}
		return rvalue{t: t, n: n}
	}
	return wrap(v.n, t)
}

// bitsOf are the bits of an element.
func (v rvalue) bitsOf() uint64 {
	switch {
	case v.t == rfloat32:
		return uint64(math.Float32bits(float32(v.f)))
	case v.t.kind == 'f':
		return math.Float64bits(v.f)
	}
	return new(big.Int).And(v.n, new(big.Int).SetUint64(math.MaxUint64)).Uint64() & (^uint64(0) >> (64 - v.t.bits))
}

// fromBits is the element that bits stand for.
func fromBits(n uint64, t rtype) rvalue {
	switch {
	case t == rfloat32:
		return rvalue{t: t, f: float64(math.Float32frombits(uint32(n)))}
	case t.kind == 'f':
		return rvalue{t: t, f: math.Float64frombits(n)}
	}
	return wrap(new(big.Int).SetUint64(n), t)
}

// textFile is a file that holds a text.
func textFile(text string) *source.File { return source.NewFile("x.tc", text) }
