package run_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tv/semantics/loops"
	"tv/semantics/loops/run"
	"tv/semantics/value"
)

// A walker executes a procedure of int8 as its tree stands, with everything in maps: a second opinion, slow and simple.
type walker struct {
	sizes    sizes
	counters map[*loops.For]int64
	around   []*loops.For
	dims     map[*loops.Buffer][]int64
	cells    map[*loops.Buffer]map[string]wrote
	steps    int
}

type wrote struct {
	value int8
	by    *loops.Assign // nil: from before
	at    []run.Counter
}

type walkEnd struct {
	obligation loops.Obligation
	at         []run.Counter
}

type tooLong struct{}

func (w *walker) iteration() []run.Counter {
	list := []run.Counter{}
	for _, l := range w.around {
		list = append(list, run.Counter{Name: l.Name, Value: w.counters[l]})
	}
	return list
}

func (w *walker) end(o loops.Obligation) { panic(walkEnd{o, w.iteration()}) }

func (w *walker) int(x *loops.Int) int64 {
	arg := func(i int) int64 { return w.int(x.Args[i]) }
	switch x.Op {
	case loops.Number:
		return x.N
	case loops.Size:
		return w.sizes[x.Name]
	case loops.Counter:
		return w.counters[x.Loop]
	case loops.Plus:
		sum := int64(0)
		for i := range x.Args {
			sum += arg(i)
		}
		return sum
	case loops.Times:
		return arg(0) * arg(1)
	case loops.Choose:
		if w.cond(x.Cond) {
			return arg(0)
		}
		return arg(1)
	case loops.Least:
		return min(arg(0), arg(1))
	case loops.Greatest:
		return max(arg(0), arg(1))
	}
	n, d := arg(0), arg(1)
	if d == 0 {
		w.end(loops.Arithmetic)
	}
	floor := int64(math.Floor(float64(n) / float64(d)))
	switch x.Op {
	case loops.FloorDiv:
		return floor
	case loops.CeilDiv:
		return int64(math.Ceil(float64(n) / float64(d)))
	case loops.FloorMod:
		return n - d*floor
	case loops.TruncDiv:
		return int64(math.Trunc(float64(n) / float64(d)))
	}
	return n - d*int64(math.Trunc(float64(n)/float64(d)))
}

func (w *walker) cond(x *loops.Cond) bool {
	switch x.Op {
	case loops.Less:
		return w.int(x.A) < w.int(x.B)
	case loops.LessEqual:
		return w.int(x.A) <= w.int(x.B)
	case loops.Equal:
		return w.int(x.A) == w.int(x.B)
	case loops.None:
		return !w.cond(x.Conds[0])
	}
	for _, y := range x.Conds {
		if w.cond(y) != (x.Op == loops.All) {
			return x.Op == loops.Any
		}
	}
	return x.Op == loops.All
}

// cell returns the index of an access as text.
func (w *walker) cell(a loops.Access) string {
	index := make([]int64, len(a.At))
	for axis, x := range a.At {
		index[axis] = w.int(x)
	}
	for axis, i := range index {
		if i < 0 || i >= w.dims[a.Buffer][axis] {
			w.end(loops.Bounds)
		}
	}
	return fmt.Sprint(index)
}

func (w *walker) element(e *loops.Expr) int8 {
	arg := func(i int) int8 { return w.element(e.Args[i]) }
	switch e.Op {
	case loops.Read:
		c, ok := w.cells[e.From.Buffer][w.cell(e.From)]
		if !ok {
			w.end(loops.Initialised)
		}
		return c.value
	case loops.Literal:
		return int8(e.Number.Num().Int64())
	case loops.FromInt:
		return int8(w.int(e.Int))
	case loops.Choice:
		if w.holds(e.Args[0]) {
			return arg(1)
		}
		return arg(2)
	case loops.Add:
		return arg(0) + arg(1)
	case loops.Mul:
		return arg(0) * arg(1)
	}
	x, y := arg(0), arg(1)
	if y == 0 || x == -128 && y == -1 {
		w.end(loops.Arithmetic)
	}
	return x / y
}

func (w *walker) holds(e *loops.Expr) bool { return w.element(e.Args[0]) < w.element(e.Args[1]) }

func (w *walker) block(list []loops.Stmt) {
	for _, s := range list {
		if w.steps++; w.steps > 3000 {
			panic(tooLong{})
		}
		switch s := s.(type) {
		case *loops.Alloc:
			for axis, d := range s.Buffer.Dims {
				if w.dims[s.Buffer][axis] = w.int(d); w.dims[s.Buffer][axis] < 0 {
					w.end(loops.Index)
				}
			}
			w.cells[s.Buffer] = map[string]wrote{}
		case *loops.Assign:
			v := w.element(s.Value)
			w.cells[s.To.Buffer][w.cell(s.To)] = wrote{v, s, w.iteration()}
		case *loops.Require:
			if !w.cond(s.Cond) {
				w.end(s.Obligation)
			}
		case *loops.If:
			w.block(map[bool][]loops.Stmt{true: s.Then, false: s.Else}[w.cond(s.Cond)])
		case *loops.When:
			w.block(map[bool][]loops.Stmt{true: s.Then, false: s.Else}[w.holds(s.Cond)])
		case *loops.For:
			w.loop(s)
		}
	}
}

func (w *walker) loop(s *loops.For) {
	lo, hi, step := int64(math.MinInt64), []int64{}, w.int(s.Step)
	for _, x := range s.Lo {
		lo = max(lo, w.int(x))
	}
	for _, x := range s.Hi {
		hi = append(hi, w.int(x))
	}
	if step == 0 {
		w.end(loops.Termination)
	}
	w.around = append(w.around, s)
	for i := lo; step > 0 && i < slices.Min(hi) || step < 0 && i > slices.Max(hi); i += step {
		if w.steps++; w.steps > 3000 {
			panic(tooLong{})
		}
		w.counters[s] = i
		w.block(s.Body)
	}
	w.around = w.around[:len(w.around)-1]
}

// A maker draws procedures.
type maker struct {
	*rapid.T
	around  []*loops.For
	buffers []*loops.Buffer // that live
	all     []*loops.Buffer
	loops   int
}

func (m *maker) pick(n int) int { return rapid.IntRange(0, n-1).Draw(m.T, "pick") }

func (m *maker) int(depth int) *loops.Int {
	kind := m.pick(12)
	if len(m.around) > 0 && (kind < 5 || depth == 0 && kind < 9) {
		return loops.CounterOf(m.around[m.pick(len(m.around))])
	}
	if depth == 0 || kind < 7 {
		return []*loops.Int{num(-1), num(0), num(1), num(2), num(3), N, M}[m.pick(7)]
	}
	x, y := m.int(depth-1), m.int(depth-1)
	if kind < 9 {
		return plus(x, y)
	}
	if kind == 9 {
		return times(num(int64(m.pick(5))-2), x)
	}
	o := []loops.IntOp{loops.Times, loops.FloorDiv, loops.CeilDiv, loops.FloorMod, loops.TruncDiv, loops.TruncMod, loops.Least,
		loops.Greatest, loops.Choose}[m.pick(9)]
	out := o.Of(x, y)
	if o == loops.Choose {
		out.Cond = m.cond(1)
	}
	return out
}

func (m *maker) cond(depth int) *loops.Cond {
	c := &loops.Cond{Op: loops.CondOp(m.pick(6)), A: m.int(1), B: m.int(1)}
	if depth == 0 && c.Op > loops.Equal {
		c.Op = loops.Less
	}
	if c.Op > loops.Equal {
		c.Conds = []*loops.Cond{m.cond(depth - 1), m.cond(depth - 1)}
	}
	return c
}

// access mostly stays within bounds: remainders by the dims.
func (m *maker) access(b *loops.Buffer) loops.Access {
	a := loops.Access{Buffer: b}
	for _, d := range b.Dims {
		x := m.int(2)
		if m.pick(6) > 0 && d.Op == loops.Size || d.Op == loops.Number {
			x = loops.FloorMod.Of(m.int(1), d)
		}
		a.At = append(a.At, x)
	}
	return a
}

func (m *maker) element(depth int) *loops.Expr {
	kind := m.pick(9)
	switch {
	case kind < 3:
		return loops.Element(m.access(m.buffers[m.pick(len(m.buffers))]))
	case depth == 0 || kind == 3:
		return lit(int8s, int64(m.pick(256)-128))
	case kind == 4:
		return &loops.Expr{Op: loops.FromInt, Elem: int8s, Int: m.int(2)}
	case kind == 5:
		return op(loops.Choice, op(loops.IsLess, m.element(depth-1), m.element(depth-1)), m.element(depth-1), m.element(depth-1))
	}
	return op([]loops.Op{loops.Add, loops.Mul, loops.Div}[kind-6], m.element(depth-1), m.element(depth-1))
}

func (m *maker) assign() loops.Stmt {
	return set(m.access(m.buffers[m.pick(len(m.buffers))]), m.element(2))
}

func (m *maker) when(depth int) loops.Stmt {
	branch := func() []loops.Stmt {
		var list []loops.Stmt
		for range m.pick(3) {
			if depth > 0 && m.pick(4) == 0 {
				list = append(list, m.when(depth-1))
			} else {
				list = append(list, m.assign())
			}
		}
		return list
	}
	return &loops.When{Cond: op(loops.IsLess, m.element(1), m.element(1)), Then: branch(), Else: branch()}
}

func (m *maker) block(depth int) []loops.Stmt {
	live := len(m.buffers)
	defer func() { m.buffers = m.buffers[:live] }()
	var list []loops.Stmt
	for range 1 + m.pick(3) {
		switch kind := m.pick(10); {
		case kind < 3 && depth > 0:
			list = append(list, m.loop(depth))
		case kind == 3 && depth > 0:
			list = append(list, &loops.If{Cond: m.cond(1), Then: m.block(depth - 1), Else: m.block(depth - 1)})
		case kind == 4:
			list = append(list, m.when(1))
		case kind == 5 && m.pick(3) == 0:
			list = append(list, &loops.Require{Cond: m.cond(1), Obligation: loops.Overflow})
		case kind == 6 && m.pick(2) == 0:
			b, first := local(fmt.Sprint("t", len(m.all)), int8s), m.element(1)
			m.buffers, m.all = append(m.buffers, b), append(m.all, b)
			list = append(list, &loops.Alloc{Buffer: b}, set(at(b), first))
		case kind == 6:
			b := local(fmt.Sprint("t", len(m.all)), int8s, []*loops.Int{num(3), plus(m.int(0), num(2))}[m.pick(2)])
			m.buffers, m.all = append(m.buffers, b), append(m.all, b)
			list = append(list, &loops.Alloc{Buffer: b})
			if m.pick(3) > 0 {
				list = append(list, loop("z", num(0), b.Dims[0], func(z *loops.Int) []loops.Stmt {
					return stmts(set(at(b, z), &loops.Expr{Op: loops.FromInt, Elem: int8s, Int: z}))
				}))
			}
		default:
			list = append(list, m.assign())
		}
	}
	return list
}

func (m *maker) loop(depth int) loops.Stmt {
	m.loops++
	f := &loops.For{Name: fmt.Sprint("i", m.loops), Step: num([]int64{1, 1, 2, 3, -1, -2}[m.pick(6)])}
	if m.pick(20) == 0 {
		f.Step = m.int(1)
	}
	f.Lo, f.Hi = ints(m.int(1)), ints(m.int(1))
	if f.Step.Op == loops.Number && f.Step.N > 0 && m.pick(3) == 0 {
		f.Lo = append(f.Lo, m.int(1))
	}
	if m.pick(3) == 0 {
		f.Hi = append(f.Hi, m.int(1))
	}
	m.around = append(m.around, f)
	f.Body = m.block(depth - 1)
	m.around = m.around[:len(m.around)-1]
	return f
}

// Random procedures against the walker: contents, who wrote each cell, and how the call ends.
func TestAgainstWalker(t *testing.T) {
	ended, complete := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		a, b, s := array("A", int8s, N, M), array("B", int8s, N), array("s", int8s)
		m := &maker{T: t, buffers: []*loops.Buffer{a, b, s}, all: []*loops.Buffer{a, b, s}}
		body := m.block(3)
		p := procedure(body, m.all...)
		w := &walker{sizes: sizes{"N": int64(1 + m.pick(4)), "M": int64(1 + m.pick(3))}, counters: map[*loops.For]int64{},
			dims: map[*loops.Buffer][]int64{}, cells: map[*loops.Buffer]map[string]wrote{}}
		given := func(b *loops.Buffer, offset int64) int8 { return int8(offset*37 + int64(len(b.Dims))*11) }
		for _, x := range m.all {
			w.dims[x], w.cells[x] = make([]int64, len(x.Dims)), map[string]wrote{}
		}
		each := func(x *loops.Buffer, f func(offset int64, index string)) {
			w.dims[x] = nil
			count := int64(1)
			for _, d := range x.Dims {
				n := w.int(d)
				w.dims[x], count = append(w.dims[x], n), count*n
			}
			for offset := range count {
				index := []int64{}
				switch len(x.Dims) {
				case 1:
					index = []int64{offset}
				case 2:
					index = []int64{offset / w.dims[x][1], offset % w.dims[x][1]}
				}
				f(offset, fmt.Sprint(index))
			}
		}
		for _, x := range m.all[:3] {
			each(x, func(offset int64, index string) { w.cells[x][index] = wrote{value: given(x, offset)} })
		}
		var want *walkEnd
		long := false
		func() {
			defer func() {
				switch e := recover().(type) {
				case nil:
				case walkEnd:
					want = &e
				case tooLong:
					long = true
				default:
					panic(e)
				}
			}()
			w.block(body)
		}()
		if long {
			return
		}
		input := func(b *loops.Buffer, offset int64) value.Value {
			return value.IntValue(int64(given(b, offset)), value.Auto, int8s)
		}
		r, err := run.New(p, run.Options{Sizes: w.sizes, Input: input})
		if err != nil {
			t.Fatal(err)
		}
		part, err := run.New(p, run.Options{Sizes: w.sizes})
		if err != nil {
			t.Fatal(err)
		}
		longer := r.Longer(500)
		err = r.Do(context.Background())
		if n := r.Steps(); err == nil && (longer != (n > 500) || r.Longer(n) || !r.Longer(n-1)) {
			t.Fatalf("%d steps are longer than 500: %t\n%s", n, longer, loops.Format(p))
		}
		var got *run.Ended
		if errors.As(err, &got); (got == nil) != (want == nil) || err != nil && got == nil {
			t.Fatalf("%v, want %v\n%s", err, want, loops.Format(p))
		}
		if want != nil {
			if ended++; got.Obligation != want.obligation || !slices.Equal(got.Iteration, want.at) {
				t.Fatalf("%v, want %v\n%s", err, want, loops.Format(p))
			}
		} else {
			complete++
		}
		branches := strings.Contains(loops.Format(p), "when ") || strings.Contains(loops.Format(p), "choice")
		for _, x := range m.all[:3] {
			each(x, func(offset int64, index string) {
				c := w.cells[x][index]
				if v := r.Value(x, offset); v.String() != fmt.Sprint(c.value) {
					t.Fatalf("%s%s is %s, want %d\n%s", x.Name, index, v, c.value, loops.Format(p))
				}
				by, ok := r.Writer(x, offset)
				if ok != (c.by != nil) || ok && (by.Stmt != c.by || !slices.Equal(by.Iteration, c.at)) {
					t.Fatalf("%s%s was written by %+v, want %+v\n%s", x.Name, index, by, c, loops.Format(p))
				}
				if want != nil || !run.Sliceable(p) {
					return
				}
				at := make([]int64, len(x.Dims))
				for axis, rest := len(at)-1, offset; axis >= 0; axis-- {
					at[axis], rest = rest%w.dims[x][axis], rest/w.dims[x][axis]
				}
				part.Only(input, run.Slice(p, w.sizes, x, at))
				err := part.Do(context.Background())
				if errors.As(err, &got) && got.Obligation == loops.Bounds && branches {
					return // a branch that the call does not take, as what it depends on was left out: nothing is said then
				}
				if err != nil {
					t.Fatalf("a slice for %s%s: %v\n%s", x.Name, index, err, loops.Format(p))
				}
				by, ok = part.Writer(x, offset)
				if v := part.Value(x, offset); v.String() != fmt.Sprint(c.value) || ok != (c.by != nil) ||
					ok && (by.Stmt != c.by || !slices.Equal(by.Iteration, c.at)) {
					t.Fatalf("in a slice %s%s is %s by %+v, want %+v\n%s", x.Name, index, v, by, c, loops.Format(p))
				}
			})
		}
	})
	if ended+complete == 0 {
		t.Error("all procedures run too long")
	}
}
