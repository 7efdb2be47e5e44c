// Package looptest runs what the checker reads of texts of languages of loops, for tests of the
// readings: a procedure of package loops on numbers, as that package says what it means.
//
//	Run      what a procedure leaves at sizes, or why it is an error
//	Held     what a parameter holds before the call
//	Number   an element; Wrapped, Rounded, Parsed, Converted and Computed make them
//
// It is the oracle of the readings: what it leaves is compared with what compiled programs leave, and
// knows nothing of terms, normal forms or conditions.
package looptest

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"

	"tv/proofs/algebra"
	"tv/proofs/loops"
	"tv/semantics/domain"
)

// A Number is an element: an integer, or a float.
type Number struct {
	whole *big.Int
	float float64
}

// What a run ends with that does not reach its end. ErrGuarded is an error where C may have none: of
// what data decides about, and the form executes in any case.
var (
	ErrRun     = errors.New("an error")
	ErrUnset   = errors.New("a cell that is not written")
	ErrGuarded = errors.New("an error of nothing")
)

// maxSteps bounds the statements of a run: a test is wrong whose programs take more.
const maxSteps = 100_000

// Held is what cell k of parameter n holds before the call: in fours for floats. Tests have the same
// line in C.
func Held(e domain.Elem, n, k int64) Number {
	v := (n*31+k*7+k*k*3)%23 - 11
	if e.Kind == domain.ElemFloat {
		return Number{float: float64(v) / 4}
	}
	return Wrapped(e, big.NewInt(v))
}

// Wrapped is an integer modulo 2^w, of w bits.
func Wrapped(e domain.Elem, x *big.Int) Number {
	m := new(big.Int).Lsh(big.NewInt(1), uint(e.Width))
	n := new(big.Int).Mod(x, m)
	if e.Kind == domain.ElemInt && n.Bit(e.Width-1) == 1 {
		n.Sub(n, m)
	}
	return Number{whole: n}
}

// Rounded is a float of a type.
func Rounded(e domain.Elem, x float64) Number {
	if e.Width == 32 {
		x = float64(float32(x))
	}
	return Number{float: x}
}

// ratio is the float of a type that is nearest to a rational number.
func ratio(e domain.Elem, x *big.Rat) Number {
	f, _ := x.Float64()
	if e.Width == 32 { // once: 64 bits before would round twice
		g, _ := x.Float32()
		f = float64(g)
	}
	return Number{float: f}
}

// Parsed is a literal as one of a type.
func Parsed(e domain.Elem, text string) Number {
	if s, ok := strings.CutSuffix(text, "inf"); ok && e.Kind == domain.ElemFloat {
		return Number{float: math.Inf(map[string]int{"": 1, "-": -1}[s])}
	}
	v, ok := new(big.Rat).SetString(text)
	if !ok {
		panic("no number: " + text)
	}
	if e.Kind == domain.ElemFloat {
		return ratio(e, v)
	}
	n := Wrapped(e, v.Num())
	if !v.IsInt() || n.whole.Cmp(v.Num()) != 0 {
		panic("a literal that its type has not: " + text)
	}
	return n
}

// Converted is a number of a type in another.
func Converted(from, to domain.Elem, x Number) Number {
	switch {
	case from.Kind == domain.ElemFloat && to.Kind != domain.ElemFloat:
		panic("a float to an integer")
	case to.Kind != domain.ElemFloat:
		return Wrapped(to, x.whole)
	case from.Kind == domain.ElemFloat:
		return Rounded(to, x.float)
	}
	return ratio(to, new(big.Rat).SetInt(x.whole))
}

// Applied is a function of a float.
func Applied(e domain.Elem, name string, x Number) Number {
	return Rounded(e, map[string]func(float64) float64{"exp": math.Exp, "sqrt": math.Sqrt,
		"log": math.Log, "erf": math.Erf, "tanh": math.Tanh}[name](x.float))
}

// Computed is an operation on two numbers of a type. It panics with ErrRun where there is no value.
func Computed(op loops.DataOp, e domain.Elem, x, y Number) Number {
	if e.Kind == domain.ElemFloat {
		return Rounded(e, floats(op, x.float, y.float))
	}
	return Wrapped(e, integers(op, e, x.whole, y.whole))
}

func floats(op loops.DataOp, x, y float64) float64 {
	switch op {
	case loops.DataAdd:
		return x + y
	case loops.DataSub:
		return x - y
	case loops.DataMul:
		return x * y
	case loops.DataDiv:
		return x / y
	case loops.DataMax:
		return max(x, y)
	case loops.DataMin:
		return min(x, y)
	}
	panic("an operation that floats have not")
}

func integers(op loops.DataOp, e domain.Elem, x, y *big.Int) *big.Int {
	out := new(big.Int)
	switch op { // what ends the call
	case loops.DataShift, loops.DataShiftLeft:
		if y.Sign() < 0 || y.Cmp(big.NewInt(int64(e.Width))) >= 0 {
			panic(ErrRun)
		}
	case loops.DataQuotient, loops.DataRemainder:
		if y.Sign() == 0 || out.Cmp(Wrapped(e, out.Quo(x, y)).whole) != 0 {
			panic(ErrRun)
		}
	}
	switch op {
	case loops.DataAdd:
		return out.Add(x, y)
	case loops.DataSub:
		return out.Sub(x, y)
	case loops.DataMul:
		return out.Mul(x, y)
	case loops.DataMax, loops.DataMin:
		if (y.Cmp(x) > 0) == (op == loops.DataMax) {
			return y
		}
		return x
	case loops.DataBitAnd:
		return out.And(x, y) // of both in two's complement, as long as it takes
	case loops.DataBitOr:
		return out.Or(x, y)
	case loops.DataBitXor:
		return out.Xor(x, y)
	case loops.DataShift:
		return out.Rsh(x, uint(y.Uint64()))
	case loops.DataShiftLeft:
		return out.Lsh(x, uint(y.Uint64()))
	case loops.DataQuotient:
		return out.Quo(x, y)
	case loops.DataRemainder:
		return out.Rem(x, y)
	}
	panic("an operation that integers have not")
}

// Compared says whether x op y, of an order: no NaN is in any.
func Compared(op loops.DataOp, x, y Number) bool {
	order := 0
	switch {
	case x.whole != nil:
		order = x.whole.Cmp(y.whole)
	case math.IsNaN(x.float) || math.IsNaN(y.float):
		return false
	default:
		order = cmp.Compare(x.float, y.float)
	}
	switch op {
	case loops.DataLess:
		return order < 0
	case loops.DataLessEqual:
		return order <= 0
	case loops.DataEqual:
		return order == 0
	}
	panic("no comparison")
}

// String prints a number as the drivers in C do: zeros of either sign alike, floats by their bits.
func (v Number) String() string {
	switch {
	case v.whole != nil:
		return v.whole.String()
	case v.float == 0:
		return "0"
	case math.IsNaN(v.float):
		return "nan"
	}
	return fmt.Sprintf("%x", math.Float64bits(v.float))
}

// A machine runs a procedure. Integers of data are wrapped, floats are those of Go.
type machine struct {
	sizes    map[string]int64
	counters map[*loops.For]*big.Int
	cells    map[*loops.Buffer][]*Number // nil was not written
	steps    int
	guarded  bool // at what data decides about
}

// Run is what a procedure leaves in its parameters at sizes, all cells with a blank before each, or
// ErrRun, ErrUnset, ErrGuarded.
func Run(p *loops.Procedure, sizes map[string]int64) (left string, err error) {
	m := &machine{sizes: sizes, counters: map[*loops.For]*big.Int{},
		cells: map[*loops.Buffer][]*Number{}}
	defer func() {
		switch r := recover(); {
		case r == any(ErrRun) && m.guarded:
			err = ErrGuarded
		case r == any(ErrRun), r == any(ErrUnset):
			err = r.(error)
		case r != nil:
			panic(r)
		}
	}()
	for n, q := range p.Params {
		cells := m.begin(q)
		for k := range cells {
			v := Held(q.Elem, int64(n), int64(k))
			cells[k] = &v
		}
	}
	m.block(p.Body)
	var b strings.Builder
	for _, q := range p.Params {
		for _, v := range m.cells[q] {
			fmt.Fprint(&b, " ", v)
		}
	}
	return b.String(), nil
}

func (m *machine) dims(b *loops.Buffer) (out []int64, all int64) {
	all = 1
	for _, d := range b.Dims {
		n, err := d.Eval(m.sizes)
		if err != nil || n.Sign() < 0 {
			panic(ErrRun)
		}
		out, all = append(out, n.Int64()), all*n.Int64()
	}
	return out, all
}

func (m *machine) begin(b *loops.Buffer) []*Number {
	_, n := m.dims(b)
	m.cells[b] = make([]*Number, n)
	return m.cells[b]
}

func (m *machine) integer(x *loops.Int) (out *big.Int) {
	switch x.Op {
	case loops.IntNumber:
		return x.N
	case loops.IntSize:
		return big.NewInt(m.sizes[x.Name])
	case loops.IntCounter:
		return m.counters[x.Loop]
	}
	for i, a := range x.Args {
		y := m.integer(a)
		switch {
		case i == 0:
			out = y
		case x.Op == loops.IntAdd:
			out = new(big.Int).Add(out, y)
		case x.Op == loops.IntMul:
			out = new(big.Int).Mul(out, y)
		case x.Op == loops.IntDiv:
			if y.Sign() <= 0 {
				panic("a divisor that is not positive")
			}
			out = new(big.Int).Div(out, y)
		case (x.Op == loops.IntMax) == (y.Cmp(out) > 0):
			out = y
		}
	}
	return out
}

func (m *machine) holds(x *loops.Cond) bool {
	switch x.Op {
	case loops.CondLess:
		return m.integer(x.X).Cmp(m.integer(x.Y)) < 0
	case loops.CondLessEqual:
		return m.integer(x.X).Cmp(m.integer(x.Y)) <= 0
	case loops.CondEqual:
		return m.integer(x.X).Cmp(m.integer(x.Y)) == 0
	case loops.CondNot:
		return !m.holds(x.Conds[0])
	}
	for _, y := range x.Conds {
		if m.holds(y) == (x.Op == loops.CondAny) {
			return x.Op == loops.CondAny
		}
	}
	return x.Op == loops.CondAll
}

func (m *machine) block(list []loops.Stmt) {
	for _, s := range list {
		if m.steps++; m.steps > maxSteps {
			panic("too long")
		}
		switch s := s.(type) {
		case *loops.Assign:
			if s.Value.Elem != s.To.Buffer.Elem {
				panic("a value of another type")
			}
			m.guarded = s.Guarded
			v := m.data(s.Value)
			m.cells[s.To.Buffer][m.index(s.To)] = &v
			m.guarded = false
		case *loops.If:
			if m.holds(s.Cond) {
				m.block(s.Then)
			} else {
				m.block(s.Else)
			}
		case *loops.Require:
			if m.guarded = s.Guarded; !m.holds(s.Cond) {
				panic(ErrRun)
			}
			m.guarded = false
		case *loops.Alloc:
			m.begin(s.Buffer)
		case *loops.For:
			m.loop(s)
		default:
			panic("a statement that is none")
		}
	}
}

func (m *machine) loop(s *loops.For) {
	step := m.integer(s.Step)
	up := step.Sign() > 0
	if step.Sign() == 0 {
		panic("a step of 0")
	}
	ends := func(list []*loops.Int, greatest bool) *big.Int {
		out := m.integer(list[0])
		for _, x := range list {
			if v := m.integer(x); (v.Cmp(out) > 0) == greatest {
				out = v
			}
		}
		return out
	}
	i, hi := ends(s.Lo, up), ends(s.Hi, !up)
	for up && i.Cmp(hi) < 0 || !up && i.Cmp(hi) > 0 {
		m.counters[s] = i
		m.block(s.Body)
		i = new(big.Int).Add(i, step)
	}
	delete(m.counters, s)
}

func (m *machine) index(a loops.Access) (out int64) {
	dims, _ := m.dims(a.Buffer)
	if len(dims) != len(a.At) || m.cells[a.Buffer] == nil {
		panic("another number of subscripts than dims, or no Alloc")
	}
	for k, d := range dims {
		i := m.integer(a.At[k])
		if i.Sign() < 0 || i.Cmp(big.NewInt(d)) >= 0 {
			panic(ErrRun)
		}
		out = out*d + i.Int64()
	}
	return out
}

// data executes an expression, of choices and of conditions no more than what counts.
func (m *machine) data(d *loops.Data) Number {
	switch d.Op {
	case loops.DataChoose:
		if d.Args[1].Elem != d.Elem || d.Args[2].Elem != d.Elem {
			panic("a choice of two types")
		}
		return m.data(d.Args[map[bool]int{true: 1, false: 2}[m.truth(d.Args[0])]])
	case loops.DataNot, loops.DataBoth, loops.DataEither, loops.DataLess, loops.DataLessEqual,
		loops.DataEqual:
		if d.Elem != algebra.Truth {
			panic("a condition of another type")
		}
		return Number{whole: big.NewInt(map[bool]int64{true: 1}[m.condition(d)])}
	}
	var args []Number
	for _, a := range d.Args {
		args = append(args, m.data(a))
		if a.Elem != d.Elem && d.Op != loops.DataConvert && d.Op != loops.DataEnds {
			panic("operands of two types")
		}
	}
	switch d.Op {
	case loops.DataEnds: // is counted and not executed
		return Number{}
	case loops.DataRead:
		v := m.cells[d.From.Buffer][m.index(d.From)]
		if v == nil && m.guarded {
			panic(ErrRun)
		} else if v == nil {
			panic(ErrUnset)
		}
		if d.Elem != d.From.Buffer.Elem {
			panic("read as another type")
		}
		return *v
	case loops.DataLiteral:
		return Parsed(d.Elem, d.Text)
	case loops.DataInt:
		return Wrapped(d.Elem, m.integer(d.Int))
	case loops.DataConvert:
		return Converted(d.Args[0].Elem, d.Elem, args[0])
	case loops.DataApply:
		return Applied(d.Elem, d.Text, args[0])
	case loops.DataNeg:
		if d.Elem.Kind == domain.ElemFloat {
			return Number{float: -args[0].float}
		}
		return Wrapped(d.Elem, new(big.Int).Neg(args[0].whole))
	}
	return Computed(d.Op, d.Elem, args[0], args[1])
}

// truth executes a value that is true or false.
func (m *machine) truth(d *loops.Data) bool {
	if d.Elem != algebra.Truth {
		panic("a condition that is none")
	}
	return m.data(d).whole.Sign() != 0
}

func (m *machine) condition(d *loops.Data) bool {
	switch d.Op {
	case loops.DataNot:
		return !m.truth(d.Args[0])
	case loops.DataEither:
		return m.truth(d.Args[0]) || m.truth(d.Args[1])
	case loops.DataBoth:
		return m.truth(d.Args[0]) && m.truth(d.Args[1])
	}
	if d.Args[0].Elem != d.Args[1].Elem {
		panic("a comparison of two types")
	}
	return Compared(d.Op, m.data(d.Args[0]), m.data(d.Args[1]))
}
