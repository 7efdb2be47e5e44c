package mlir

import (
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
	cells    map[*loops.Buffer][]*content // nil was not written
	budget   int
}

// A content is an integer or a float.
type content struct {
	whole *big.Int
	float float64
}

var (
	errRun   = errors.New("an error")
	errUnset = errors.New("a local that is not written")
)

// held is what cell k of the parameter n holds before the call: in fours for floats.
func held(n, k int64) int64 { return (n*31+k*7+k*k*3)%23 - 11 }

func wrapped(e domain.Elem, x *big.Int) *content {
	m := new(big.Int).Lsh(big.NewInt(1), uint(e.Width))
	n := new(big.Int).Mod(x, m)
	if e.Kind == domain.ElemInt && n.Bit(e.Width-1) == 1 {
		n.Sub(n, m)
	}
	return &content{whole: n}
}

func rounded(e domain.Elem, x float64) *content {
	if e.Width == 32 {
		x = float64(float32(x))
	}
	return &content{float: x}
}

// run is what a procedure leaves at sizes; an error if it is one.
func run(p *loops.Procedure, sizes map[string]int64) (m *machine, err error) {
	m = &machine{sizes, map[*loops.For]*big.Int{}, map[*loops.Buffer][]*content{}, 100_000}
	defer func() {
		if r := recover(); r == any(errRun) || r == any(errUnset) {
			err = r.(error)
		} else if r != nil {
			panic(r)
		}
	}()
	for n, q := range p.Params {
		cells := m.begin(q)
		for k := range cells {
			if v := held(int64(n), int64(k)); q.Elem.Kind == domain.ElemFloat {
				cells[k] = &content{float: float64(v) / 4}
			} else {
				cells[k] = wrapped(q.Elem, big.NewInt(v))
			}
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

func (m *machine) begin(b *loops.Buffer) []*content {
	_, n := m.dims(b)
	m.cells[b] = make([]*content, n)
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
			v := m.data(s.Value)
			m.cells[s.To.Buffer][m.index(s.To)] = v
		case *loops.If:
			if m.holds(s.Cond) {
				m.block(s.Then)
			} else {
				m.block(s.Else)
			}
		case *loops.Require:
			if !m.holds(s.Cond) {
				panic(errRun)
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
	if step.Sign() <= 0 {
		panic("a step that is not positive")
	}
	i, hi := m.integer(loops.IntMax.Of(s.Lo...)), m.integer(loops.IntMin.Of(s.Hi...))
	for ; i.Cmp(hi) < 0; i = new(big.Int).Add(i, step) {
		m.counters[s] = i
		m.block(s.Body)
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
			panic(errRun)
		}
		out = out*d + i.Int64()
	}
	return out
}

func (m *machine) data(d *loops.Data) *content {
	if d.Op == loops.DataChoose {
		return m.data(d.Args[map[bool]int{true: 1, false: 2}[m.chosen(d.Args[0])]])
	}
	if d.Elem == algebra.Truth && d.Op != loops.DataRead {
		return &content{whole: map[bool]*big.Int{true: big.NewInt(1), false: new(big.Int)}[m.chosen(d)]}
	}
	var args []*content
	for _, a := range d.Args {
		if args = append(args, m.data(a)); a.Elem != d.Elem && d.Op != loops.DataConvert {
			panic("operands of two types")
		}
	}
	switch d.Op {
	case loops.DataRead:
		v := m.cells[d.From.Buffer][m.index(d.From)]
		if v == nil {
			panic(errUnset)
		}
		if d.Elem != d.From.Buffer.Elem {
			panic("read as another type")
		}
		return v
	case loops.DataLiteral:
		return m.literal(d)
	case loops.DataInt:
		return wrapped(d.Elem, m.integer(d.Int))
	case loops.DataConvert:
		return m.convert(d, args[0])
	case loops.DataApply:
		return rounded(d.Elem, map[string]func(float64) float64{"sqrt": math.Sqrt}[d.Text](args[0].float))
	}
	if d.Elem.Kind == domain.ElemFloat {
		return m.floats(d, args)
	}
	x := args[0].whole
	if d.Op == loops.DataNeg {
		return wrapped(d.Elem, new(big.Int).Neg(x))
	}
	switch y := args[1].whole; d.Op {
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
		x = new(big.Int).And(x, y)
	case loops.DataBitOr:
		x = new(big.Int).Or(x, y)
	case loops.DataBitXor:
		x = new(big.Int).Xor(x, y)
	case loops.DataQuotient, loops.DataRemainder:
		if y.Sign() == 0 {
			panic(errRun)
		}
		q, r := new(big.Int).QuoRem(x, y, new(big.Int))
		x = map[bool]*big.Int{true: q, false: r}[d.Op == loops.DataQuotient]
	default:
		panic("an operation that integers have not")
	}
	return wrapped(d.Elem, x)
}

// chosen tells whether a condition on elements does.
func (m *machine) chosen(d *loops.Data) bool {
	switch d.Op {
	case loops.DataNot:
		return !m.chosen(d.Args[0])
	case loops.DataEither:
		return m.chosen(d.Args[0]) || m.chosen(d.Args[1])
	case loops.DataBoth:
		return m.chosen(d.Args[0]) && m.chosen(d.Args[1])
	case loops.DataRead, loops.DataChoose:
		return m.data(d).whole.Sign() != 0
	}
	if d.Args[0].Elem != d.Args[1].Elem {
		panic("a comparison of two types")
	}
	x, y := m.data(d.Args[0]), m.data(d.Args[1])
	less, equal := x.float < y.float, x.float == y.float
	if d.Args[0].Elem.Kind != domain.ElemFloat {
		less, equal = x.whole.Cmp(y.whole) < 0, x.whole.Cmp(y.whole) == 0
	}
	return less && d.Op != loops.DataEqual || equal && d.Op != loops.DataLess
}

func (m *machine) literal(d *loops.Data) *content {
	if s, ok := strings.CutSuffix(d.Text, "inf"); ok {
		return &content{float: math.Inf(map[string]int{"": 1, "-": -1}[s])}
	}
	v, ok := new(big.Rat).SetString(d.Text)
	if !ok {
		panic("no number")
	}
	if f, _ := v.Float64(); d.Elem.Kind == domain.ElemFloat && d.Elem.Width == 64 {
		return &content{float: f}
	}
	if f, _ := v.Float32(); d.Elem.Kind == domain.ElemFloat {
		return &content{float: float64(f)}
	}
	n := wrapped(d.Elem, v.Num())
	if !v.IsInt() || n.whole.Cmp(v.Num()) != 0 {
		panic("a literal that its type has not")
	}
	return n
}

func (m *machine) convert(d *loops.Data, x *content) *content {
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
		return &content{float: float64(f)}
	default:
		f, _ := new(big.Rat).SetInt(x.whole).Float64()
		return &content{float: f}
	}
}

func (m *machine) floats(d *loops.Data, args []*content) *content {
	x := args[0].float
	if d.Op == loops.DataNeg {
		return &content{float: -x}
	}
	switch y := args[1].float; d.Op {
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
