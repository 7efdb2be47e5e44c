package tc

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"tv/proofs/loops"
	"tv/semantics/domain"
)

// A number is an element: an integer, or a float.
type number0 struct {
	whole *big.Int
	float float64
}

var errRun = errors.New("an error")

// held is what cell k of the parameter n holds before the call: in fours for floats.
func held(e domain.Elem, n, k int64) number0 {
	v := (n*31+k*7+k*k*3)%23 - 11
	if isFloat(e) {
		return number0{float: float64(v) / 4}
	}
	return wrapped(e, big.NewInt(v))
}

func wrapped(e domain.Elem, x *big.Int) number0 {
	m := new(big.Int).Lsh(big.NewInt(1), uint(e.Width))
	n := new(big.Int).Mod(x, m)
	if e.Kind == domain.ElemInt && n.Bit(e.Width-1) == 1 {
		n.Sub(n, m)
	}
	return number0{whole: n}
}

func rounded(e domain.Elem, x float64) number0 {
	if e.Width == 32 {
		x = float64(float32(x))
	}
	return number0{float: x}
}

// parsed is a literal as one of a type.
func parsed(e domain.Elem, text string) number0 {
	v, ok := new(big.Rat).SetString(text)
	if !ok {
		panic("no number")
	}
	if isFloat(e) {
		f, _ := v.Float64()
		if e.Width == 32 {
			g, _ := v.Float32()
			f = float64(g)
		}
		return number0{float: f}
	}
	n := wrapped(e, v.Num())
	if !v.IsInt() || n.whole.Cmp(v.Num()) != 0 {
		panic("a literal that its type has not: " + text)
	}
	return n
}

// changed is a conversion.
func changed(from, to domain.Elem, x number0) number0 {
	switch {
	case isFloat(from) && !isFloat(to):
		panic("a float to an integer")
	case !isFloat(to):
		return wrapped(to, x.whole)
	case isFloat(from):
		return rounded(to, x.float)
	case to.Width == 32:
		f, _ := new(big.Rat).SetInt(x.whole).Float32()
		return number0{float: float64(f)}
	}
	f, _ := new(big.Rat).SetInt(x.whole).Float64()
	return number0{float: f}
}

// computed is an operation on two numbers of a type.
func computed(op string, e domain.Elem, x, y number0) number0 {
	if isFloat(e) {
		of := map[string]float64{"+": x.float + y.float, "-": x.float - y.float,
			"*": x.float * y.float, "/": x.float / y.float, "max": max(x.float, y.float),
			"min": min(x.float, y.float)}
		return rounded(e, of[op])
	}
	z := new(big.Int)
	switch op {
	case "+":
		z.Add(x.whole, y.whole)
	case "-":
		z.Sub(x.whole, y.whole)
	case "*":
		z.Mul(x.whole, y.whole)
	case "max", "min":
		if z = x.whole; (y.whole.Cmp(z) > 0) == (op == "max") {
			z = y.whole
		}
	default:
		panic("an operation that integers have not")
	}
	return wrapped(e, z)
}

func printed(list []number0) string {
	var b strings.Builder
	for _, v := range list {
		switch {
		case v.whole != nil:
			fmt.Fprint(&b, " ", v.whole)
		case v.float == 0, math.IsNaN(v.float): // of either sign
			fmt.Fprint(&b, " ", math.Abs(v.float))
		default:
			fmt.Fprintf(&b, " %v", v.float)
		}
	}
	return b.String()
}

// A machine runs a procedure on numbers as package loops says what it means.
type machine struct {
	sizes    map[string]int64
	counters map[*loops.For]*big.Int
	cells    map[*loops.Buffer][]number0
}

// run is what a procedure leaves at sizes, or an error if it is one.
func run(p *loops.Procedure, sizes map[string]int64) (left string) {
	m := &machine{sizes, map[*loops.For]*big.Int{}, map[*loops.Buffer][]number0{}}
	defer func() {
		if r := recover(); r == any(errRun) {
			left = "error"
		} else if r != nil {
			panic(r)
		}
	}()
	for n, q := range p.Params {
		all := int64(1)
		for _, d := range m.dims(q) {
			all *= d
		}
		for k := range all {
			m.cells[q] = append(m.cells[q], held(q.Elem, int64(n), k))
		}
	}
	m.block(p.Body)
	for _, q := range p.Params {
		left += printed(m.cells[q])
	}
	return left
}

func (m *machine) dims(b *loops.Buffer) (out []int64) {
	for _, d := range b.Dims {
		n, err := d.Eval(m.sizes)
		if err != nil || n.Sign() < 0 {
			panic(errRun)
		}
		out = append(out, n.Int64())
	}
	return out
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

func (m *machine) block(list []loops.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *loops.Assign:
			if s.Value.Elem != s.To.Buffer.Elem {
				panic("a value of another type")
			}
			v := m.data(s.Value)
			m.cells[s.To.Buffer][m.index(s.To)] = v
		case *loops.Require:
			if !m.holds(s.Cond) {
				panic(errRun)
			}
		case *loops.Alloc:
			m.cells[s.Buffer] = make([]number0, 1)
		case *loops.If:
			if m.holds(s.Cond) {
				m.block(s.Then)
			} else {
				m.block(s.Else)
			}
		case *loops.For:
			m.loop(s)
		default:
			panic("a statement that comprehensions are not made of")
		}
	}
}

func (m *machine) holds(c *loops.Cond) bool {
	switch c.Op {
	case loops.CondLess:
		return m.integer(c.X).Cmp(m.integer(c.Y)) < 0
	case loops.CondLessEqual:
		return m.integer(c.X).Cmp(m.integer(c.Y)) <= 0
	case loops.CondEqual:
		return m.integer(c.X).Cmp(m.integer(c.Y)) == 0
	case loops.CondNot:
		return !m.holds(c.Conds[0])
	}
	any := c.Op == loops.CondAny
	return any == slices.ContainsFunc(c.Conds, func(d *loops.Cond) bool { return m.holds(d) == any })
}

func (m *machine) loop(s *loops.For) {
	i, hi := m.integer(s.Lo[0]), m.integer(s.Hi[0])
	for _, x := range s.Lo {
		if v := m.integer(x); v.Cmp(i) > 0 {
			i = v
		}
	}
	for _, x := range s.Hi {
		if v := m.integer(x); v.Cmp(hi) < 0 {
			hi = v
		}
	}
	for ; i.Cmp(hi) < 0; i = new(big.Int).Add(i, m.integer(s.Step)) {
		m.counters[s] = i
		m.block(s.Body)
	}
}

func (m *machine) index(a loops.Access) (out int64) {
	for k, d := range m.dims(a.Buffer) {
		i := m.integer(a.At[k])
		if i.Sign() < 0 || i.Cmp(big.NewInt(d)) >= 0 {
			panic(errRun)
		}
		out = out*d + i.Int64()
	}
	return out
}

var operators = map[loops.DataOp]string{loops.DataAdd: "+", loops.DataSub: "-", loops.DataMul: "*",
	loops.DataDiv: "/", loops.DataMax: "max", loops.DataMin: "min"}

func (m *machine) data(d *loops.Data) number0 {
	var args []number0
	for _, a := range d.Args {
		if args = append(args, m.data(a)); a.Elem != d.Elem && d.Op != loops.DataConvert {
			panic("operands of two types")
		}
	}
	switch d.Op {
	case loops.DataRead:
		if d.Elem != d.From.Buffer.Elem {
			panic("read as another type")
		}
		return m.cells[d.From.Buffer][m.index(d.From)]
	case loops.DataLiteral:
		return parsed(d.Elem, d.Text)
	case loops.DataInt:
		return wrapped(d.Elem, m.integer(d.Int))
	case loops.DataConvert:
		return changed(d.Args[0].Elem, d.Elem, args[0])
	case loops.DataNeg:
		if isFloat(d.Elem) {
			return number0{float: -args[0].float}
		}
		return wrapped(d.Elem, new(big.Int).Neg(args[0].whole))
	case loops.DataApply:
		return rounded(d.Elem, applied(d.Text, args[0].float))
	}
	return computed(operators[d.Op], d.Elem, args[0], args[1])
}

func applied(name string, x float64) float64 {
	return map[string]func(float64) float64{"exp": math.Exp, "sqrt": math.Sqrt, "log": math.Log,
		"erf": math.Erf, "tanh": math.Tanh}[name](x)
}
