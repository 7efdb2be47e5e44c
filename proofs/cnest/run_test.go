package cnest

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

// A machine runs a procedure on numbers as package loops says what it means. Integers of data are
// big and wrapped, floats are those of Go.
type machine struct {
	sizes    map[string]int64
	counters map[*loops.For]*big.Int
	cells    map[*loops.Buffer][]*number0 // nil was not written
	budget   int
	guarded  bool // at what data decides about
}

// A number0 is an integer or a float.
type number0 struct {
	whole *big.Int
	float float64
}

// errGuarded is an error where C may have none: of what data decides about, and the form executes in
// any case.
var errRun, errGuarded = errors.New("an error"), errors.New("an error of nothing")

func (m *machine) fail() {
	if m.guarded {
		panic(errGuarded)
	}
	panic(errRun)
}

const maxBudget = 20_000

// held is what cell k of the parameter n holds before the call: in fours for floats.
func held(n, k int64) int64 { return (n*31+k*7+k*k*3)%23 - 11 }

func wrapped(elem domain.Elem, x *big.Int) *number0 {
	m := new(big.Int).Lsh(big.NewInt(1), uint(elem.Width))
	n := new(big.Int).Mod(x, m)
	if elem.Kind == domain.ElemInt && n.Bit(elem.Width-1) == 1 {
		n.Sub(n, m)
	}
	return &number0{whole: n}
}

func rounded(elem domain.Elem, x float64) *number0 {
	if elem.Width == 32 {
		x = float64(float32(x))
	}
	return &number0{float: x}
}

func asNumber(elem domain.Elem, v int64) *number0 {
	if elem.Kind == domain.ElemFloat {
		return &number0{float: float64(v) / 4}
	}
	return wrapped(elem, big.NewInt(v))
}

// run is what a procedure leaves at sizes; an error if it is one.
func run(p *loops.Procedure, sizes map[string]int64) (m *machine, err error) {
	m = &machine{sizes, map[*loops.For]*big.Int{}, map[*loops.Buffer][]*number0{}, maxBudget, false}
	defer func() {
		if r := recover(); r != nil {
			if r != any(errRun) && r != any(errGuarded) {
				panic(r)
			}
			err = r.(error)
		}
	}()
	for n, q := range p.Params {
		cells := m.begin(q)
		for k := range cells {
			cells[k] = asNumber(q.Elem, held(int64(n), int64(k)))
		}
	}
	m.block(p.Body)
	return m, nil
}

func (m *machine) dims(b *loops.Buffer) (out []int64, all int64) {
	all = 1
	for _, d := range b.Dims {
		n, err := d.Eval(m.sizes)
		if err != nil || n.Sign() < 0 {
			panic(errRun)
		}
		out, all = append(out, n.Int64()), all*n.Int64()
	}
	return out, all
}

func (m *machine) begin(b *loops.Buffer) []*number0 {
	_, n := m.dims(b)
	m.cells[b] = make([]*number0, n)
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
		if m.budget--; m.budget < 0 {
			panic("too long")
		}
		switch s := s.(type) {
		case *loops.Assign:
			if s.Value.Elem != s.To.Buffer.Elem {
				panic("a value of another type")
			}
			m.guarded = s.Guarded
			v := m.data(s.Value)
			m.cells[s.To.Buffer][m.index(s.To)] = v
		case *loops.If:
			if m.holds(s.Cond) {
				m.block(s.Then)
			} else {
				m.block(s.Else)
			}
		case *loops.Require:
			if m.guarded = s.Guarded; !m.holds(s.Cond) {
				m.fail()
			}
		case *loops.Alloc:
			m.begin(s.Buffer)
		case *loops.For:
			m.loop(s)
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
}

func (m *machine) index(a loops.Access) (out int64) {
	dims, _ := m.dims(a.Buffer)
	if len(dims) != len(a.At) {
		panic("another number of subscripts than dims")
	}
	for k, d := range dims {
		i := m.integer(a.At[k])
		if i.Sign() < 0 || i.Cmp(big.NewInt(d)) >= 0 {
			m.fail()
		}
		out = out*d + i.Int64()
	}
	return out
}

func (m *machine) data(d *loops.Data) *number0 {
	if d.Op >= loops.DataChoose && d.Op <= loops.DataNot {
		return m.conditional(d)
	}
	var args []*number0
	for _, a := range d.Args {
		args = append(args, m.data(a))
		if a.Elem != d.Elem && d.Op != loops.DataConvert && d.Op != loops.DataEnds {
			panic("operands of two types")
		}
	}
	switch d.Op {
	case loops.DataEnds: // is counted and not executed
		return &number0{}
	case loops.DataRead:
		v := m.cells[d.From.Buffer][m.index(d.From)]
		if v == nil {
			m.fail()
		}
		if d.Elem != d.From.Buffer.Elem {
			panic("read as another type")
		}
		return v
	case loops.DataLiteral:
		v, ok := new(big.Rat).SetString(d.Text)
		if !ok {
			panic("no number")
		}
		if f, _ := v.Float64(); d.Elem.Kind == domain.ElemFloat && d.Elem.Width == 64 {
			return &number0{float: f}
		}
		if f, _ := v.Float32(); d.Elem.Kind == domain.ElemFloat {
			return &number0{float: float64(f)}
		}
		n := wrapped(d.Elem, v.Num())
		if !v.IsInt() || n.whole.Cmp(v.Num()) != 0 {
			panic("a literal that its type has not")
		}
		return n
	case loops.DataInt:
		return wrapped(d.Elem, m.integer(d.Int))
	case loops.DataConvert:
		return m.convert(d, args[0])
	case loops.DataApply:
		if d.Text != "sqrt" {
			panic("no function of the test")
		}
		return rounded(d.Elem, math.Sqrt(args[0].float))
	}
	if d.Elem.Kind == domain.ElemFloat {
		return m.floats(d, args)
	}
	x := args[0].whole
	if d.Op == loops.DataNeg {
		return wrapped(d.Elem, new(big.Int).Neg(x))
	}
	y := args[1].whole
	switch d.Op { // what ends the call
	case loops.DataShift, loops.DataShiftLeft:
		if y.Sign() < 0 || y.Cmp(big.NewInt(int64(d.Elem.Width))) >= 0 {
			m.fail()
		}
	case loops.DataQuotient, loops.DataRemainder:
		q := new(big.Int)
		if y.Sign() == 0 || q.Cmp(wrapped(d.Elem, q.Quo(x, y)).whole) != 0 {
			m.fail()
		}
	}
	switch d.Op {
	case loops.DataAdd:
		x = new(big.Int).Add(x, y)
	case loops.DataSub:
		x = new(big.Int).Sub(x, y)
	case loops.DataMul:
		x = new(big.Int).Mul(x, y)
	case loops.DataMax, loops.DataMin:
		if (y.Cmp(x) > 0) == (d.Op == loops.DataMax) {
			x = y
		}
	case loops.DataBitAnd:
		x = new(big.Int).And(x, y) // of both in two's complement, as long as it takes
	case loops.DataBitOr:
		x = new(big.Int).Or(x, y)
	case loops.DataBitXor:
		x = new(big.Int).Xor(x, y)
	case loops.DataShift:
		x = new(big.Int).Rsh(x, uint(y.Uint64()))
	case loops.DataShiftLeft:
		x = new(big.Int).Lsh(x, uint(y.Uint64()))
	case loops.DataQuotient:
		x = new(big.Int).Quo(x, y)
	case loops.DataRemainder:
		x = new(big.Int).Rem(x, y)
	default:
		panic("an operation that integers have not")
	}
	return wrapped(d.Elem, x)
}

// conditional executes of its operands those that count.
func (m *machine) conditional(d *loops.Data) *number0 {
	bit := func(b bool) *number0 {
		return &number0{whole: big.NewInt(map[bool]int64{true: 1}[b])}
	}
	holds := func(x *loops.Data) bool {
		if x.Elem != algebra.Truth {
			panic("a condition that is none")
		}
		return m.data(x).whole.Sign() != 0
	}
	switch d.Op {
	case loops.DataChoose:
		if d.Args[1].Elem != d.Elem || d.Args[2].Elem != d.Elem {
			panic("a choice of two types")
		}
		if holds(d.Args[0]) {
			return m.data(d.Args[1])
		}
		return m.data(d.Args[2])
	case loops.DataBoth:
		return bit(holds(d.Args[0]) && holds(d.Args[1]))
	case loops.DataEither:
		return bit(holds(d.Args[0]) || holds(d.Args[1]))
	case loops.DataNot:
		return bit(!holds(d.Args[0]))
	}
	if d.Args[0].Elem != d.Args[1].Elem || d.Elem != algebra.Truth {
		panic("a comparison of two types")
	}
	x, y := m.data(d.Args[0]), m.data(d.Args[1])
	order := 0
	if x.whole != nil {
		order = x.whole.Cmp(y.whole)
	} else if math.IsNaN(x.float) || math.IsNaN(y.float) {
		return bit(false)
	} else {
		order = cmp.Compare(x.float, y.float)
	}
	return bit(map[loops.DataOp]bool{loops.DataLess: order < 0, loops.DataLessEqual: order <= 0,
		loops.DataEqual: order == 0}[d.Op])
}

func (m *machine) convert(d *loops.Data, x *number0) *number0 {
	from := d.Args[0].Elem
	switch to := d.Elem; {
	case to.Kind != domain.ElemFloat && from.Kind == domain.ElemFloat:
		panic("a float to an integer")
	case to.Kind != domain.ElemFloat:
		return wrapped(to, x.whole)
	case from.Kind == domain.ElemFloat:
		return rounded(to, x.float)
	case to.Width == 32:
		f, _ := new(big.Rat).SetInt(x.whole).Float32()
		return &number0{float: float64(f)}
	default:
		f, _ := new(big.Rat).SetInt(x.whole).Float64()
		return &number0{float: f}
	}
}

func (m *machine) floats(d *loops.Data, args []*number0) *number0 {
	x := args[0].float
	if d.Op == loops.DataNeg {
		return &number0{float: -x}
	}
	y := args[1].float
	switch d.Op {
	case loops.DataAdd:
		x += y
	case loops.DataSub:
		x -= y
	case loops.DataMul:
		x *= y
	case loops.DataDiv:
		x /= y
	case loops.DataMax:
		x = max(x, y)
	case loops.DataMin:
		x = min(x, y)
	}
	return rounded(d.Elem, x)
}

// after prints all cells of the parameters.
func (m *machine) after(p *loops.Procedure) string {
	var b strings.Builder
	for _, q := range p.Params {
		for _, v := range m.cells[q] {
			switch {
			case v == nil:
				fmt.Fprint(&b, " none")
			case v.whole != nil:
				fmt.Fprint(&b, " ", v.whole)
			case v.float == 0: // of either sign
				fmt.Fprint(&b, " 0")
			case math.IsNaN(v.float):
				fmt.Fprint(&b, " nan")
			default:
				fmt.Fprintf(&b, " %x", math.Float64bits(v.float))
			}
		}
	}
	return b.String()
}
