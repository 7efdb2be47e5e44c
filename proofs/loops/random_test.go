package loops

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"tv/internal/tier"
	"tv/proofs/algebra"
	"tv/semantics/domain"
)

// A maker draws procedures.
type maker struct {
	*rand.Rand
	elem     domain.Elem
	buffers  []*Buffer
	locals   []*Buffer
	counters []*For
	left     int // statements
}

func (r *maker) among(list ...any) any { return list[r.Intn(len(list))] }

func (r *maker) counter() any {
	if len(r.counters) == 0 || r.Intn(8) == 0 {
		return r.among(0, 1, "N", "M", minus("N", 1))
	}
	return r.counters[r.Intn(len(r.counters))]
}

func (r *maker) subscript() *Int {
	c, d := r.counter(), r.counter()
	return integer0(r.among(c, c, c, c, plus(c, 1), plus(c, 2), minus(c, 1), times(c, 2),
		plus(times(c, 2), 1), minus(plus("N", 1), c), plus(c, d), plus(times(c, 2), d),
		plus(times(c, 3), d), div(c, 2), div(c, "M"), minus(c, d), plus(times("M", c), d)))
}

func (r *maker) access(list []*Buffer) Access {
	b := list[r.Intn(len(list))]
	var at []any
	for range b.Dims {
		at = append(at, r.subscript())
	}
	return b.at(at...)
}

func (r *maker) data(depth int) *Data {
	switch k := r.Intn(6); {
	case k == 0:
		return number(r.elem, fmt.Sprint(r.Intn(3)))
	case k == 1 && depth > 0 && r.Intn(3) == 0:
		return r.chosen(depth)
	case k == 1 && depth > 0:
		return of([]DataOp{DataAdd, DataSub, DataMul, DataMax, DataMin}[r.Intn(5)],
			r.data(depth-1), r.data(depth-1))
	case k == 2 && r.elem != real32:
		wide := func(x *Data) *Data { return convert(int32s, x) }
		return convert(r.elem, of(DataMul, wide(r.data(0)), wide(r.data(0))))
	case k == 3 && len(r.locals) > 0:
		return read(r.access(r.locals))
	}
	return read(r.access(r.buffers))
}

// test is a condition on elements.
func (r *maker) test(depth int) *Data {
	x, y := r.data(0), r.data(0)
	if r.Intn(3) == 0 && r.elem != real32 {
		x, y = convert(int32s, x), convert(int32s, y)
	}
	c := &Data{Op: []DataOp{DataLess, DataLessEqual, DataEqual}[r.Intn(3)], Elem: algebra.Truth,
		Args: []*Data{x, y}}
	switch k := r.Intn(6); {
	case k == 0:
		return of(DataNot, c)
	case k < 3 && depth > 0:
		return of([]DataOp{DataBoth, DataEither}[k-1], c, r.test(depth-1))
	}
	return c
}

// chosen is a choice, or an operation on bits.
func (r *maker) chosen(depth int) *Data {
	x, y := r.data(depth-1), r.data(depth-1)
	switch k := r.Intn(8); {
	case r.elem == real32, k < 4:
		c := r.test(1)
		if k%4 == 0 {
			c = &Data{Op: DataLess, Elem: algebra.Truth, Args: []*Data{y, x}}
		}
		return &Data{Op: DataChoose, Elem: r.elem, Args: []*Data{c, x, y}}
	case k == 4:
		return of([]DataOp{DataShift, DataQuotient, DataRemainder}[r.Intn(3)], x,
			number(r.elem, fmt.Sprint(1+r.Intn(7))))
	}
	return of([]DataOp{DataBitAnd, DataBitOr, DataBitXor}[r.Intn(3)], x, y)
}

func (r *maker) condition() *Cond {
	x, y := r.counter(), r.counter()
	c := []*Cond{less(x, y), equal(x, y), less(x, plus(y, 1)), equal(mod(x, 2), 0), less(1, x)}[r.Intn(5)]
	switch r.Intn(5) {
	case 0:
		return not(c)
	case 1:
		return &Cond{Op: CondAll, Conds: []*Cond{c, r.condition()}}
	case 2:
		return &Cond{Op: CondAny, Conds: []*Cond{c, r.condition()}}
	}
	return c
}

func (r *maker) assign() Stmt {
	list := r.buffers
	if len(r.locals) > 0 && r.Intn(3) == 0 {
		list = r.locals
	}
	to := r.access(list)
	switch r.Intn(6) {
	case 5: // x = c ? x op e : x, x < e ? e : x and the like
		ops := []DataOp{DataAdd, DataAdd, DataSub, DataMul, DataMax}
		e, c := r.data(0), r.test(0)
		list := []*Data{c, of(ops[r.Intn(5)], read(to), e), read(to)}
		if r.Intn(2) == 0 {
			list[0] = &Data{Op: DataLess, Elem: algebra.Truth, Args: []*Data{read(to), e}}
			list[1] = e
		}
		if r.Intn(2) == 0 {
			list[1], list[2] = list[2], list[1]
		}
		return set(to, &Data{Op: DataChoose, Elem: r.elem, Args: list})
	case 0:
		ops := []DataOp{DataAdd, DataAdd, DataSub, DataMul, DataMax, DataMin}
		return set(to, of(ops[r.Intn(6)], read(to), r.data(0)))
	case 1:
		if r.elem == real32 {
			return add(to, of(DataMul, r.data(0), r.data(0)))
		}
		wide := func(x *Data) *Data { return convert(int32s, x) }
		return set(to, convert(r.elem, of(DataAdd, wide(read(to)), wide(r.data(1)))))
	}
	return set(to, r.data(1))
}

func (r *maker) loop(depth int) Stmt {
	c := r.counter()
	los := []any{0, 0, 0, 1, c, plus(c, 1), minus("N", 2)}
	his := []any{"N", "N", "M", c, plus(c, 1), plus(c, 2), minus("N", 1), div("N", 2), times(div("N", 2), 2)}
	f := &For{Lo: ints(r.among(los...)), Hi: ints(r.among(his...)), Step: Number(1)}
	switch r.Intn(10) {
	case 6:
		f.Step = SizeOf("M")
	case 7:
		f.Lo, f.Hi, f.Step = ints(minus(r.among(his...), 1)), ints(minus(r.among(los...), 1)), times(-1, "M")
	case 0:
		f.Lo, f.Hi, f.Step = ints(minus(r.among(his...), 1)), ints(minus(r.among(los...), 1)), Number(-1)
	case 1:
		f.Step = Number(int64(2 + r.Intn(2)))
	case 2:
		f.Lo, f.Hi, f.Step = ints(minus(r.among(his...), 1)), ints(minus(r.among(los...), 1)), Number(-2)
	case 3:
		f.Hi = append(f.Hi, ints(r.among(his...))...)
	case 4:
		f.Lo = append(f.Lo, ints(r.among(los...))...)
	case 5: // a tile
		f.Step = Number(2)
		r.counters = append(r.counters, f)
		in := &For{Lo: ints(f), Hi: ints(plus(f, 2), f.Hi[0]), Step: Number(1)}
		r.counters = append(r.counters, in)
		in.Body = r.block(depth - 1)
		r.counters = r.counters[:len(r.counters)-2]
		f.Body = one(in)
		return f
	}
	r.counters = append(r.counters, f)
	f.Body = r.block(depth - 1)
	r.counters = r.counters[:len(r.counters)-1]
	return f
}

func (r *maker) block(depth int) (out []Stmt) {
	for range 1 + r.Intn(2) {
		r.left--
		switch k := r.Intn(8); {
		case depth > 0 && k < 4 && r.left > 0:
			out = append(out, r.loop(depth))
		case depth > 0 && k == 4 && r.left > 0:
			s := &If{Cond: r.condition(), Then: r.block(depth - 1)}
			if r.Intn(2) == 0 {
				s.Else = r.block(depth - 1)
			}
			out = append(out, s)
		case k == 5 && r.Intn(4) == 0:
			out = append(out, &Require{Cond: r.condition(), Text: "required"})
		default:
			out = append(out, r.assign())
		}
	}
	return out
}

func drawn(seed int64) *Procedure {
	r := &maker{Rand: rand.New(rand.NewSource(seed)), elem: real32, left: 7}
	if r.Intn(3) == 0 {
		r.elem = int8s
	}
	r.buffers = []*Buffer{buffer("X", r.elem, "N+3"), buffer("Y", r.elem, "N+3"),
		buffer("A", r.elem, "N+2", "M+2"), buffer("s", r.elem)}
	p := procedure("NM", r.buffers)
	if r.Intn(2) == 0 {
		r.locals = []*Buffer{buffer("T", r.elem, "N+3"), buffer("t", r.elem)}
		for _, l := range r.locals {
			p.Body = append(p.Body, &Alloc{Buffer: l})
			if r.Intn(2) == 0 {
				f := loop(0, integer0("N"), func(i *For) []Stmt { return nil })
				to := l.at()
				if len(l.Dims) > 0 {
					to = l.at(CounterOf(f))
				}
				f.Body = one(set(to, number(r.elem, "1")))
				f.Hi = ints(plus("N", 3))
				p.Body = append(p.Body, f)
			}
		}
	}
	p.Body = append(p.Body, r.block(3)...)
	return p
}

func TestRandom(t *testing.T) {
	most := tier.Pick(60, 400)
	count, reasons := map[string]int{}, map[string]int{}
	for seed := range int64(most) {
		p := drawn(seed)
		refused, n, wrong := compare(p, 3)
		switch {
		case wrong != nil:
			t.Errorf("seed %d: %v\n%s", seed, wrong, text(p))
			if count["wrong"]++; count["wrong"] > 3 {
				t.FailNow()
			}
		case refused != "":
			count["refused"]++
			if i := strings.Index(refused, "error["); i >= 0 {
				refused = refused[i:]
			}
			reasons[refused]++
		case n == 0:
			count["nowhere"]++
		default:
			count["compared"]++
		}
	}
	t.Log(count)
	for why, n := range reasons {
		if n > 5 {
			t.Log(n, why)
		}
	}
}

// text prints a procedure.
func text(p *Procedure) string {
	var out strings.Builder
	names := map[*For]string{}
	var integer func(x *Int) string
	integer = func(x *Int) string {
		switch x.Op {
		case IntNumber:
			return x.N.String()
		case IntSize:
			return x.Name
		case IntCounter:
			return names[x.Loop]
		}
		var args []string
		for _, a := range x.Args {
			args = append(args, integer(a))
		}
		if x.Op > IntDiv {
			return []string{"max", "min"}[x.Op-IntMax] + "(" + strings.Join(args, ", ") + ")"
		}
		return "(" + strings.Join(args, []string{IntAdd: " + ", IntMul: "*", IntDiv: " div "}[x.Op]) + ")"
	}
	list := func(xs []*Int) string {
		var args []string
		for _, x := range xs {
			args = append(args, integer(x))
		}
		return strings.Join(args, ", ")
	}
	var cond func(x *Cond) string
	cond = func(x *Cond) string {
		if x.X != nil {
			return integer(x.X) + []string{" < ", " <= ", " = "}[x.Op] + integer(x.Y)
		}
		var args []string
		for _, a := range x.Conds {
			args = append(args, cond(a))
		}
		return []string{"all", "any", "not"}[x.Op-CondAll] + "(" + strings.Join(args, "; ") + ")"
	}
	access := func(a Access) string { return a.Buffer.Name + "[" + list(a.At) + "]" }
	var data func(d *Data) string
	data = func(d *Data) string {
		switch d.Op {
		case DataRead:
			return access(d.From)
		case DataLiteral:
			return d.Text
		case DataInt:
			return integer(d.Int)
		}
		var args []string
		for _, a := range d.Args {
			args = append(args, data(a))
		}
		names := []string{DataConvert: d.Elem.String(), DataNeg: "-", DataAdd: "+", DataSub: "-", DataMul: "*",
			DataMax: "max", DataMin: "min", DataChoose: "?", DataLess: "<", DataLessEqual: "<=", DataEqual: "=",
			DataBoth: "and", DataEither: "or", DataNot: "not", DataBitAnd: "&", DataBitOr: "|", DataBitXor: "^",
			DataShift: ">>", DataQuotient: "/", DataRemainder: "%"}
		return "(" + names[d.Op] + " " + strings.Join(args, " ") + ")"
	}
	var block func(list []Stmt, in string)
	block = func(stmts []Stmt, in string) {
		for _, s := range stmts {
			switch s := s.(type) {
			case *Assign:
				fmt.Fprintf(&out, "%s%s = %s\n", in, access(s.To), data(s.Value))
			case *Alloc:
				fmt.Fprintf(&out, "%salloc %s\n", in, s.Buffer.Name)
			case *Require:
				fmt.Fprintf(&out, "%srequire %s\n", in, cond(s.Cond))
			case *If:
				fmt.Fprintf(&out, "%sif %s\n", in, cond(s.Cond))
				block(s.Then, in+"  ")
				fmt.Fprintf(&out, "%selse\n", in)
				block(s.Else, in+"  ")
			case *For:
				lo, hi := list(s.Lo), list(s.Hi)
				names[s] = fmt.Sprintf("i%d", len(names))
				fmt.Fprintf(&out, "%sfor %s from %s to %s step %s\n", in, names[s], lo, hi, integer(s.Step))
				block(s.Body, in+"  ")
			}
		}
	}
	block(p.Body, "")
	return out.String()
}
