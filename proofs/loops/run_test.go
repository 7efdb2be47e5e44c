package loops

import (
	"errors"
	"fmt"
	"math/big"
	"strings"

	"tv/proofs/algebra"
	"tv/semantics/domain"
)

// A machine runs a procedure on numbers, as form.go says what it means, one statement after the other.
type machine struct {
	sizes    map[string]int64
	counters map[*For]int64
	cells    map[*Buffer]map[string]*big.Rat // what is missing was not written
	budget   int
}

var errRun = errors.New("an error")

// held is what a parameter holds before the call.
func held(name string, index []int64, elem domain.Elem) *big.Rat {
	n := int64(7)
	for _, c := range []byte(name) {
		n = n*31 + int64(c)
	}
	for _, i := range index {
		n = n*13 + 5*i + i*i
	}
	return wrapped(elem, big.NewRat(n%97-48, 1))
}

// wrapped is a number as one of a type.
func wrapped(elem domain.Elem, x *big.Rat) *big.Rat {
	if elem.Kind != domain.ElemInt && elem.Kind != domain.ElemUint {
		return x
	}
	m := new(big.Int).Lsh(big.NewInt(1), uint(elem.Width))
	n := new(big.Int).Mod(x.Num(), m)
	if elem.Kind == domain.ElemInt && n.Bit(elem.Width-1) == 1 {
		n.Sub(n, m)
	}
	return new(big.Rat).SetInt(n)
}

// run is what a procedure leaves at sizes.
func run(p *Procedure, sizes map[string]int64) (m *machine, err error) {
	m = &machine{sizes, map[*For]int64{}, map[*Buffer]map[string]*big.Rat{}, 100_000}
	defer func() {
		if r := recover(); r != nil {
			if r != any(errRun) {
				panic(r)
			}
			err = errRun
		}
	}()
	for _, q := range p.Params {
		m.cells[q] = map[string]*big.Rat{}
		indices(m.dims(q), func(at []int64) { m.cells[q][fmt.Sprint(at)] = held(q.Name, at, q.Elem) })
	}
	m.block(p.Body)
	return m, nil
}

func (m *machine) dims(b *Buffer) (out []int64) {
	for _, d := range b.Dims {
		n, err := d.Eval(m.sizes)
		if err != nil || n.Sign() < 0 {
			panic(errRun)
		}
		out = append(out, n.Int64())
	}
	return out
}

// indices calls f for all indices of dims.
func indices(dims []int64, f func([]int64)) {
	var next func(at []int64)
	next = func(at []int64) {
		if len(at) == len(dims) {
			f(at)
			return
		}
		for i := range dims[len(at)] {
			next(append(at[:len(at):len(at)], i))
		}
	}
	next([]int64{})
}

func floorDiv(x, y int64) int64 {
	if y <= 0 {
		panic(errRun)
	}
	q := x / y
	if x%y < 0 {
		q--
	}
	return q
}

func (m *machine) integer(x *Int) (out int64) {
	switch x.Op {
	case IntNumber:
		return x.N.Int64()
	case IntSize:
		return m.sizes[x.Name]
	case IntCounter:
		return m.counters[x.Loop]
	}
	for i, a := range x.Args {
		y := m.integer(a)
		switch {
		case i == 0:
			out = y
		case x.Op == IntAdd:
			out += y
		case x.Op == IntMul:
			out *= y
		case x.Op == IntDiv:
			out = floorDiv(out, y)
		case x.Op == IntMax:
			out = max(out, y)
		default:
			out = min(out, y)
		}
	}
	return out
}

func (m *machine) holds(x *Cond) bool {
	switch x.Op {
	case CondLess:
		return m.integer(x.X) < m.integer(x.Y)
	case CondLessEqual:
		return m.integer(x.X) <= m.integer(x.Y)
	case CondEqual:
		return m.integer(x.X) == m.integer(x.Y)
	case CondNot:
		return !m.holds(x.Conds[0])
	}
	for _, y := range x.Conds {
		if m.holds(y) == (x.Op == CondAny) {
			return x.Op == CondAny
		}
	}
	return x.Op == CondAll
}

func (m *machine) block(list []Stmt) {
	for _, s := range list {
		if m.budget--; m.budget < 0 {
			panic("too long")
		}
		switch s := s.(type) {
		case *Assign:
			v := m.data(s.Value)
			m.cells[s.To.Buffer][m.index(s.To)] = v
		case *If:
			if m.holds(s.Cond) {
				m.block(s.Then)
			} else {
				m.block(s.Else)
			}
		case *Require:
			if !m.holds(s.Cond) {
				panic(errRun)
			}
		case *Alloc:
			m.cells[s.Buffer] = map[string]*big.Rat{}
		case *For:
			m.loop(s)
		}
	}
}

func (m *machine) loop(s *For) {
	step := m.integer(s.Step)
	ends := func(list []*Int, greatest bool) int64 {
		out := m.integer(list[0])
		for _, x := range list {
			if v := m.integer(x); (v > out) == greatest {
				out = v
			}
		}
		return out
	}
	lo, hi := ends(s.Lo, step > 0), ends(s.Hi, step < 0)
	for i := lo; step > 0 && i < hi || step < 0 && i > hi; i += step {
		m.counters[s] = i
		m.block(s.Body)
	}
}

func (m *machine) index(a Access) string {
	at := []int64{}
	for k, d := range m.dims(a.Buffer) {
		i := m.integer(a.At[k])
		if i < 0 || i >= d {
			panic(errRun)
		}
		at = append(at, i)
	}
	return fmt.Sprint(at)
}

func (m *machine) data(d *Data) *big.Rat {
	switch d.Op { // an operand that does not count is not executed
	case DataChoose, DataBoth, DataEither:
		c := m.data(d.Args[0])
		switch holds := c.Sign() != 0; {
		case holds == (d.Op != DataEither):
			return m.data(d.Args[1])
		case d.Op == DataChoose:
			return m.data(d.Args[2])
		}
		return c
	}
	var args []*big.Rat
	for _, a := range d.Args {
		args = append(args, m.data(a))
	}
	out := new(big.Rat)
	switch d.Op {
	case DataRead:
		if out = m.cells[d.From.Buffer][m.index(d.From)]; out == nil {
			panic(errRun)
		}
	case DataLiteral:
		out.SetString(d.Text)
	case DataInt:
		out.SetInt64(m.integer(d.Int))
	case DataConvert:
		out = args[0]
	case DataNeg:
		out.Neg(args[0])
	case DataAdd:
		out.Add(args[0], args[1])
	case DataSub:
		out.Sub(args[0], args[1])
	case DataMul:
		out.Mul(args[0], args[1])
	case DataMax, DataMin:
		if out = args[0]; (args[1].Cmp(out) > 0) == (d.Op == DataMax) {
			out = args[1]
		}
	default:
		name := map[DataOp]string{DataLess: algebra.Less, DataLessEqual: algebra.AtMost,
			DataEqual: algebra.Equal, DataNot: algebra.Not, DataBitAnd: algebra.BitAnd,
			DataBitOr: algebra.BitOr, DataBitXor: algebra.BitXor, DataQuotient: algebra.Divided,
			DataShift: "right-shift"}[d.Op]
		if d.Op == DataRemainder {
			return wrapped(d.Elem, new(big.Rat).SetInt(new(big.Int).Rem(args[0].Num(), args[1].Num())))
		}
		out = function(name, args)
	}
	return wrapped(d.Elem, out)
}

// function is what one of the algebra means.
func function(name string, args []*big.Rat) *big.Rat {
	bit := func(b bool) *big.Rat { return big.NewRat(map[bool]int64{true: 1}[b], 1) }
	whole := new(big.Int)
	x, y := args[0], args[len(args)-1]
	switch name, _, _ = strings.Cut(name, " of "); name {
	case algebra.Less:
		return bit(x.Cmp(y) < 0)
	case algebra.AtMost:
		return bit(x.Cmp(y) <= 0)
	case algebra.Equal:
		return bit(x.Cmp(y) == 0)
	case algebra.Not:
		return bit(x.Sign() == 0)
	case algebra.Both:
		return bit(x.Sign() != 0 && y.Sign() != 0)
	case algebra.Chosen:
		if x.Sign() != 0 {
			return args[1]
		}
		return args[2]
	case algebra.BitAnd:
		whole.And(x.Num(), y.Num())
	case algebra.BitOr:
		whole.Or(x.Num(), y.Num())
	case algebra.BitXor:
		whole.Xor(x.Num(), y.Num())
	case algebra.Divided:
		whole.Quo(x.Num(), y.Num())
	case "right-shift":
		whole.Rsh(x.Num(), uint(y.Num().Uint64()))
	default:
		panic("no function of the test: " + name)
	}
	return new(big.Rat).SetInt(whole)
}

// A point computes elements of the checker's algebra with numbers for sizes and variables.
type point struct {
	sizes map[string]int64
	vars  map[*algebra.Atom]int64
	param map[string]*Buffer
	m     *machine
}

func (p *point) index(e *algebra.Expr) (sum int64) {
	for _, t := range e.Terms() {
		n, _ := t.Coef.Int64()
		for _, a := range t.Atoms() {
			switch v, bound := p.vars[a]; {
			case a.Kind == algebra.KindFloor:
				n *= floorDiv(p.index(a.X), p.index(a.Y))
			case a.Kind == algebra.KindMax:
				n *= max(p.index(a.X), p.index(a.Y))
			case a.Kind == algebra.KindMin:
				n *= min(p.index(a.X), p.index(a.Y))
			case a.Kind == algebra.KindSize:
				n *= p.sizes[a.Name]
			case !bound:
				panic("a variable that nothing binds")
			default:
				n *= v
			}
		}
		sum += n
	}
	return sum
}

// value is nil for MIN.
func (p *point) value(t *algebra.Scalar) *big.Rat {
	out := new(big.Rat)
	switch t.Op {
	case algebra.OpConst:
		if t.Val == nil {
			panic("a constant without a value: " + t.Name)
		}
		return t.Val
	case algebra.OpLowest:
		return nil
	case algebra.OpNumber:
		out.SetInt64(p.index(t.E))
	case algebra.OpIf:
		if p.index(t.E) >= 0 {
			return p.value(t.Args[0])
		}
		return p.value(t.Args[1])
	case algebra.OpReduce:
		if out = p.fold(t, t.Vars, p.value); out == nil {
			return nil
		}
		return wrapped(t.Elem, out)
	case algebra.OpRead:
		q := p.param[t.Name]
		rest, dims := p.index(t.E), p.m.dims(q)
		at := make([]int64, len(dims))
		for k := len(dims) - 1; k >= 0; k-- {
			at[k], rest = rest%dims[k], rest/dims[k]
		}
		return held(q.Name, at, q.Elem)
	case algebra.OpMax, algebra.OpMin:
		x, y := p.value(t.Args[0]), p.value(t.Args[1])
		if x == nil {
			return y
		} else if y != nil && (y.Cmp(x) > 0) == (t.Op == algebra.OpMax) {
			return y
		}
		return x
	case algebra.OpAdd:
		out.Add(p.value(t.Args[0]), p.value(t.Args[1]))
	case algebra.OpMul:
		out.Mul(p.value(t.Args[0]), p.value(t.Args[1]))
	case algebra.OpNeg:
		out.Neg(p.value(t.Args[0]))
	case algebra.OpConvert:
		out = p.value(t.Args[0])
	case algebra.OpFunction, algebra.OpApply:
		var args []*big.Rat
		for _, a := range t.Args {
			args = append(args, p.value(a))
		}
		out = function(t.Name, args)
	default:
		panic("no operation of the test")
	}
	return wrapped(t.Elem, out)
}

func (p *point) fold(t *algebra.Scalar, vars []*algebra.Atom,
	value func(*algebra.Scalar) *big.Rat) (out *big.Rat) {
	if len(vars) == 0 {
		return value(t.Args[0])
	}
	if t.Fold != algebra.FoldMax {
		out = big.NewRat(int64(t.Fold), 1) // a sum has 0, a product 1
	}
	for i := p.index(vars[0].Lo); i < p.index(vars[0].Hi); i++ {
		p.vars[vars[0]] = i
		x := p.fold(t, vars[1:], value)
		switch {
		case t.Fold == algebra.FoldSum:
			out = new(big.Rat).Add(out, x)
		case t.Fold == algebra.FoldProduct:
			out = new(big.Rat).Mul(out, x)
		case out == nil || x != nil && x.Cmp(out) > 0:
			out = x
		}
	}
	return out
}

// compare holds conditions and elements against the machine, at all sizes up to most. It returns why
// the procedure is refused, if it is, what is wrong, and how many elements were compared.
func compare(p *Procedure, most int64) (refused string, compared int, wrong error) {
	stated, refused := stateOf(p)
	if refused != "" {
		return refused, 0, nil
	}
	ranges := make([]int64, len(p.Sizes))
	for i := range ranges {
		ranges[i] = most
	}
	indices(ranges, func(at []int64) {
		if wrong != nil {
			return
		}
		sizes := map[string]int64{}
		for i, name := range p.Sizes {
			sizes[name] = at[i] + 1
		}
		n, err := stated.at(p, sizes)
		if compared += n; err != nil {
			wrong = fmt.Errorf("at %v: %w", sizes, err)
		}
	})
	return "", compared, wrong
}

// A statement is what the checker states of a procedure.
type statement struct {
	program  algebra.Program
	axes     [][]*algebra.Atom
	elements []*algebra.Scalar
	builder  *algebra.Builder
}

func stateOf(p *Procedure) (out *statement, refused string) {
	defer func() {
		if r := recover(); r != nil {
			why, ok := r.(algebra.Refusal)
			if !ok {
				panic(r)
			}
			refused = why.Msg
		}
	}()
	env, err := domain.Merge([]domain.Declarations{p.Declarations()})
	if err != nil {
		return nil, err.Error()
	}
	program, err := p.Type(env)
	if err != nil {
		return nil, err.Error()
	}
	b := algebra.NewBuilder()
	n := &conditioner{integers: integers{Builder: b}, t: program.(*typing)}
	s := &algebra.State{B: b, Size: n.place, Terms: algebra.NewTerms()}
	out = &statement{program: program, builder: b}
	elements := program.Elements(s, nil)
	for i := range program.Results() {
		part := len(p.Params) + i
		t, _ := program.Part(part)
		var axes []*algebra.Atom
		var at []*algebra.Expr
		for _, d := range t.Dims {
			v := b.NewVar(b.Const(0), n.place(d))
			axes, at = append(axes, v), append(at, v.Expr())
		}
		x := elements.At(part, nil, b.Root, at)
		out.axes, out.elements = append(out.axes, axes), append(out.elements, x)
	}
	return out, ""
}

// at compares at sizes.
func (s *statement) at(p *Procedure, sizes map[string]int64) (compared int, err error) {
	m, failed := run(p, sizes)
	var broken []string
	for _, c := range s.program.Conditions() {
		if ok, err := c.Pred.Eval(sizes); err != nil {
			return 0, err
		} else if !ok {
			broken = append(broken, c.Pred.String()+": "+c.Msg)
		}
	}
	if (failed != nil) != (broken != nil) {
		return 0, fmt.Errorf("the run says %v, conditions %v", failed, broken)
	}
	if failed != nil {
		return 1, nil
	}
	params := map[string]*Buffer{}
	for _, q := range p.Params {
		params[q.Name] = q
	}
	for i, k := range s.program.(*typing).Steps {
		q := p.Params[k]
		indices(m.dims(q), func(at []int64) {
			x := &point{sizes, map[*algebra.Atom]int64{}, params, m}
			for k, v := range s.axes[i] {
				x.vars[v] = at[k]
			}
			got, want := x.value(s.elements[i]), m.cells[q][fmt.Sprint(at)]
			if compared++; err == nil && (got == nil || got.Cmp(want) != 0) {
				err = fmt.Errorf("%s%v is %v, want %v", q.Name, at, got, want)
			}
		})
	}
	return compared, err
}

// What tests write procedures with.

var (
	real32 = domain.Float32
	int8s  = domain.Elem{Kind: domain.ElemInt, Width: 8}
	int32s = domain.Elem{Kind: domain.ElemInt, Width: 32}
)

// buffer declares NAME, with dims that are sizes by name or numbers.
func buffer(name string, elem domain.Elem, dims ...string) *Buffer {
	b := &Buffer{Name: name, Elem: elem}
	for _, d := range dims {
		var n int64
		if _, err := fmt.Sscan(d, &n); err == nil {
			b.Dims = append(b.Dims, domain.IntSize(n))
			continue
		}
		name, more, _ := strings.Cut(d, "+")
		fmt.Sscan(more, &n)
		b.Dims = append(b.Dims, domain.NamedSize(name).Add(domain.IntSize(n)))
	}
	return b
}

// procedure makes one whose sizes are those of one letter.
func procedure(sizes string, params []*Buffer, body ...Stmt) *Procedure {
	p := &Procedure{Params: params, Body: body}
	for _, c := range sizes {
		p.Sizes = append(p.Sizes, string(c))
	}
	return p
}

// integer reads a number, a size, a counter or an Int.
func integer0(x any) *Int {
	switch x := x.(type) {
	case int:
		return Number(int64(x))
	case string:
		return SizeOf(x)
	case *For:
		return CounterOf(x)
	}
	return x.(*Int)
}

func ints(list ...any) (out []*Int) {
	for _, x := range list {
		out = append(out, integer0(x))
	}
	return out
}

func plus(list ...any) *Int           { return IntAdd.Of(ints(list...)...) }
func times(x, y any) *Int             { return IntMul.Of(ints(x, y)...) }
func minus(x, y any) *Int             { return Minus(integer0(x), integer0(y)) }
func div(x, y any) *Int               { return IntDiv.Of(ints(x, y)...) }
func less(x, y any) *Cond             { return &Cond{Op: CondLess, X: integer0(x), Y: integer0(y)} }
func equal(x, y any) *Cond            { return &Cond{Op: CondEqual, X: integer0(x), Y: integer0(y)} }
func not(x *Cond) *Cond               { return &Cond{Op: CondNot, Conds: []*Cond{x}} }
func mod(x any, y int) *Int           { return minus(x, times(div(x, y), y)) }
func (b *Buffer) at(at ...any) Access { return Access{Buffer: b, At: ints(at...)} }
func read(a Access) *Data             { return &Data{Op: DataRead, Elem: a.Buffer.Elem, From: a} }
func set(a Access, v *Data) Stmt      { return &Assign{To: a, Value: v} }
func number(elem domain.Elem, text string) *Data {
	return &Data{Op: DataLiteral, Elem: elem, Text: text}
}
func of(op DataOp, args ...*Data) *Data { return &Data{Op: op, Elem: args[0].Elem, Args: args} }
func convert(elem domain.Elem, x *Data) *Data {
	return &Data{Op: DataConvert, Elem: elem, Args: []*Data{x}}
}

// add is A[..] += v.
func add(a Access, v *Data) Stmt { return set(a, of(DataAdd, read(a), v)) }

// loop is for lo <= i < hi, and steps one with a step.
func loop(lo, hi any, body func(i *For) []Stmt) *For { return steps(lo, hi, 1, body) }

func steps(lo, hi, step any, body func(i *For) []Stmt) *For {
	f := &For{Lo: ints(lo), Hi: ints(hi), Step: integer0(step)}
	f.Body = body(f)
	return f
}

func one(s Stmt) []Stmt { return []Stmt{s} }
