package lower_test

import (
	"context"
	"fmt"
	"math/big"
	"testing"

	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/index"
	"tv/semantics/loops"
	"tv/semantics/loops/lower"
	"tv/semantics/loops/run"
	"tv/semantics/term"
	"tv/semantics/value"
)

var i32 = domain.Elem{Kind: domain.ElemInt, Width: 32}

var file = source.NewFile("test.c", "void f()\n")

var here = source.Span{File: file, Start: 0, End: 4}

func num(n int64) *loops.Int           { return loops.Num(n) }
func size(s string) *loops.Int         { return loops.SizeOf(s) }
func plus(x ...*loops.Int) *loops.Int  { return loops.Plus.Of(x...) }
func times(x, y *loops.Int) *loops.Int { return loops.Times.Of(x, y) }

func loop(name string, lo, hi *loops.Int, body func(i *loops.Int) []loops.Stmt) *loops.For {
	f := &loops.For{Name: name, Lo: []*loops.Int{lo}, Hi: []*loops.Int{hi}, Step: num(1), At: here}
	f.Body = body(loops.CounterOf(f))
	return f
}

func at(b *loops.Buffer, index ...*loops.Int) loops.Access {
	return loops.Access{Buffer: b, At: index, Where: here}
}

func read(b *loops.Buffer, index ...*loops.Int) *loops.Expr { return loops.Element(at(b, index...)) }

func op(o loops.Op, x ...*loops.Expr) *loops.Expr {
	return &loops.Expr{Op: o, Elem: i32, Args: x, At: here}
}

func lit(n int64) *loops.Expr {
	return &loops.Expr{Op: loops.Literal, Elem: i32, Number: big.NewRat(n, 1), At: here}
}

func set(a loops.Access, e *loops.Expr) loops.Stmt { return &loops.Assign{To: a, Value: e, At: here} }

func add(a loops.Access, e *loops.Expr) loops.Stmt { return set(a, op(loops.Add, loops.Element(a), e)) }

func array(name string, dims ...*loops.Int) *loops.Buffer {
	return &loops.Buffer{Name: name, Elem: i32, Dims: dims, Span: here}
}

func local(name string, dims ...*loops.Int) *loops.Buffer {
	return &loops.Buffer{Name: name, Elem: i32, Kind: loops.Local, Dims: dims, Span: here}
}

func procedure(sizes string, body []loops.Stmt, buffers ...*loops.Buffer) *loops.Procedure {
	p := &loops.Procedure{File: file, Name: "f", Span: here, Buffers: buffers, Body: body}
	for _, s := range sizes {
		p.Heading = append(p.Heading, &loops.Parameter{Size: string(s), Span: here})
	}
	for _, b := range buffers {
		if b.Kind <= loops.In {
			p.Heading = append(p.Heading, &loops.Parameter{Buffer: b, Span: here})
		}
	}
	return p
}

// programs are nests of every kind that is traced.
func programs() map[string]*loops.Procedure {
	N, M := size("N"), size("M")
	all := map[string]*loops.Procedure{}
	{
		A, B, C := array("A", N, M), array("B", M, N), array("C", N, N)
		all["matmul"] = procedure("NM", []loops.Stmt{
			loop("i", num(0), N, func(i *loops.Int) []loops.Stmt {
				return []loops.Stmt{loop("j", num(0), N, func(j *loops.Int) []loops.Stmt {
					return []loops.Stmt{set(at(C, i, j), lit(0)), loop("k", num(0), M, func(k *loops.Int) []loops.Stmt {
						return []loops.Stmt{add(at(C, i, j), op(loops.Mul, read(A, i, k), read(B, k, j)))}
					})}
				})}
			})}, A, B, C)
	}
	{
		A, C, s := array("A", N), array("C", N), local("s")
		all["prefix"] = procedure("N", []loops.Stmt{&loops.Alloc{Buffer: s, At: here}, set(at(s), lit(7)),
			loop("i", num(0), N, func(i *loops.Int) []loops.Stmt {
				return []loops.Stmt{add(at(s), read(A, i)), set(at(C, i), read(s))}
			})}, A, C, s)
	}
	{
		A, C := array("A", N), array("C", N, N)
		all["triangle"] = procedure("N", []loops.Stmt{loop("i", num(0), N, func(i *loops.Int) []loops.Stmt {
			return []loops.Stmt{loop("j", i, N, func(j *loops.Int) []loops.Stmt {
				return []loops.Stmt{set(at(C, i, j), read(A, j)), set(at(C, j, i), op(loops.Mul, read(A, i), lit(3)))}
			})}
		})}, A, C)
	}
	{
		A, C := array("A", times(num(2), N)), array("C", times(num(2), N))
		all["unrolled"] = procedure("N", []loops.Stmt{loop("i", num(0), N, func(i *loops.Int) []loops.Stmt {
			return []loops.Stmt{set(at(C, times(num(2), i)), read(A, i)),
				set(at(C, plus(times(num(2), i), num(1))), op(loops.Sub, read(A, plus(i, N)), read(A, i)))}
		})}, A, C)
	}
	{
		A, C := array("A", N), array("C", N)
		tile := &loops.For{Name: "t", Lo: []*loops.Int{num(0)}, Hi: []*loops.Int{N}, Step: num(3), At: here}
		t := loops.CounterOf(tile)
		inner := &loops.For{Name: "i", Lo: []*loops.Int{t}, Hi: []*loops.Int{plus(t, num(3)), N}, Step: num(1), At: here}
		i := loops.CounterOf(inner)
		inner.Body = []loops.Stmt{set(at(C, i), op(loops.Mul, read(A, i), read(A, i)))}
		tile.Body = []loops.Stmt{inner}
		all["tiled"] = procedure("N", []loops.Stmt{tile}, A, C)
	}
	{
		A, C := array("A", N), array("C", N)
		down := &loops.For{Name: "i", Lo: []*loops.Int{loops.Minus(N, num(1))}, Hi: []*loops.Int{num(-1)}, Step: num(-1), At: here}
		i := loops.CounterOf(down)
		down.Body = []loops.Stmt{set(at(C, num(0)), read(A, i)), set(at(C, i), read(A, loops.Minus(loops.Minus(N, num(1)), i)))}
		all["down"] = procedure("N", []loops.Stmt{down}, A, C)
	}
	{
		A, C, T := array("A", N), array("C", N), local("T", N)
		all["produced"] = procedure("N", []loops.Stmt{&loops.Alloc{Buffer: T, At: here},
			loop("i", num(0), N, func(i *loops.Int) []loops.Stmt {
				return []loops.Stmt{set(at(T, i), op(loops.Add, read(A, i), lit(1))),
					&loops.If{Cond: &loops.Cond{Op: loops.LessEqual, A: num(2), B: i}, At: here,
						Then: []loops.Stmt{set(at(C, i), op(loops.Sub, read(T, i), read(T, loops.Minus(i, num(2)))))},
						Else: []loops.Stmt{add(at(C, num(0)), read(T, i))}}}
			})}, A, C, T)
	}
	{
		C := array("C", N, M)
		all["carried along"] = procedure("NM", []loops.Stmt{loop("i", num(1), N, func(i *loops.Int) []loops.Stmt {
			return []loops.Stmt{loop("j", num(0), M, func(j *loops.Int) []loops.Stmt {
				return []loops.Stmt{set(at(C, i, j), op(loops.Sub, read(C, loops.Minus(i, num(1)), j), read(C, i, j)))}
			})}
		})}, C)
	}
	{
		A, C := array("A", N, M), array("C", N)
		all["stepped"] = procedure("NM", []loops.Stmt{loop("i", num(0), N, func(i *loops.Int) []loops.Stmt {
			f := &loops.For{Name: "k", Lo: []*loops.Int{num(1)}, Hi: []*loops.Int{M}, Step: num(2), At: here}
			k := loops.CounterOf(f)
			f.Body = []loops.Stmt{set(at(C, i), op(loops.Sub, op(loops.Add, read(A, i, k), read(C, i)), read(A, i, loops.Minus(k, num(1)))))}
			return []loops.Stmt{f}
		})}, A, C)
	}
	{
		C := array("C", N)
		all["carried"] = procedure("N", []loops.Stmt{loop("i", num(1), N, func(i *loops.Int) []loops.Stmt {
			return []loops.Stmt{set(at(C, i), op(loops.Mul, read(C, loops.Minus(i, num(1))), read(C, i)))}
		})}, C)
		all["recurrence"] = procedure("N", []loops.Stmt{loop("i", num(2), N, func(i *loops.Int) []loops.Stmt {
			return []loops.Stmt{set(at(C, i), op(loops.Mul, read(C, loops.Minus(i, num(1))), read(C, loops.Minus(i, num(2)))))}
		})}, C)
	}
	return all
}

// TestAgree: what cells hold is what the evaluator leaves in them.
func TestAgree(t *testing.T) {
	for name, p := range programs() {
		t.Run(name, func(t *testing.T) {
			for n := int64(1); n <= 5; n++ {
				compare(t, p, map[string]int64{"N": n, "M": 1 + n%3}, name == "recurrence")
			}
		})
	}
}

func compare(t *testing.T, p *loops.Procedure, sizes map[string]int64, open bool) {
	t.Helper()
	s, err := loops.SourceOf(p, false)
	if err != nil {
		t.Fatal(err)
	}
	env, err := domain.Merge([]domain.Declarations{s.Declarations()})
	if err != nil {
		t.Fatal(err)
	}
	typed, err := s.Under(env, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range typed.Conditions() {
		if ok, _ := c.Pred.Eval(domain.Point(sizes)); !ok {
			t.Fatalf("%s (%s) does not hold at %v", c.Pred, c.Msg, sizes)
		}
	}
	b := term.NewBuilder()
	out, err := lower.Lower(typed, b, semantics.LowerOptions{Arith: domain.Exact, Whole: true,
		Size: func(n string) *index.Expr { return b.Index.Size(n, 1) }})
	if open {
		if err == nil {
			t.Fatal("a recurrence has a closed form")
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := run.New(p, run.Options{Arith: value.Exact, Sizes: sizes, Input: func(b *loops.Buffer, offset int64) value.Value {
		return value.BitsValue(uint64(content(b.Name, offset)), i32)
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Do(context.Background()); err != nil {
		t.Fatal(err)
	}
	paths := typed.Result().Components()
	for i, c := range out.Components {
		part := len(typed.Parts()) - 1
		if len(paths) > 1 {
			part = typed.Parts()[part].Operands[i]
		}
		buffer := typed.Writes(part)
		if buffer == nil {
			buffer = typed.Writes(typed.Parts()[part].Operands[0])
		}
		dims := r.Dims(buffer)
		any, vars := make([]*index.Atom, len(dims)), make([]*index.Expr, len(dims))
		for k, d := range c.Array.Dims {
			any[k] = b.Index.NewVar("x", b.Index.Const(0), d)
			vars[k] = any[k].Expr()
		}
		somewhere := c.Array.Element(b.Index.Root(), vars)
		total := int64(1)
		for _, d := range dims {
			total *= d
		}
		for offset := range total {
			at, rest := make([]*index.Expr, len(dims)), offset
			for k := len(dims) - 1; k >= 0; k-- {
				at[k], rest = b.Index.Const(rest%dims[k]), rest/dims[k]
			}
			w, where := world{sizes: sizes}, binding{}
			for k, v := range any {
				n, _ := at[k].Const()
				where[v] = n.Big().Int64()
			}
			want := r.Value(buffer, offset)
			for _, got := range []int32{w.eval(c.Array.Element(b.Index.Root(), at), nil), w.eval(somewhere, where)} {
				if value.Compare(value.BitsValue(uint64(got), i32), want) != value.Same {
					t.Fatalf("%v: %s[%d] is %d, want %v", sizes, buffer.Name, offset, got, want)
				}
			}
		}
	}
}

func content(name string, offset int64) int32 {
	return int32(int64(name[0])*7 + offset*offset*13 - offset*5)
}

// A world evaluates terms of int32.
type world struct{ sizes map[string]int64 }

type binding map[*index.Atom]int64

func (w world) index(e *index.Expr, at binding) int64 {
	n, err := e.Eval(func(a *index.Atom) *big.Int {
		if v, ok := at[a]; ok {
			return big.NewInt(v)
		}
		return big.NewInt(w.sizes[a.Name])
	})
	if err != nil {
		panic(err)
	}
	return n.Int64()
}

func (w world) eval(t *term.Term, at binding) int32 {
	arg := func(i int) int32 { return w.eval(t.Args[i], at) }
	switch t.Op {
	case term.Const:
		return int32(t.Value.Num().Int64())
	case term.Read:
		offset := int64(0)
		for i, x := range t.Index {
			offset = offset*w.index(t.Tensor.Dims[i], at) + w.index(x, at)
		}
		return content(t.Tensor.Name, offset)
	case term.Add:
		return arg(0) + arg(1)
	case term.Mul:
		return arg(0) * arg(1)
	case term.Neg:
		return -arg(0)
	case term.If:
		if w.index(t.Index[0], at) >= 0 {
			return arg(0)
		}
		return arg(1)
	case term.Reduce:
		return w.fold(t, t.Vars, at)
	}
	panic(fmt.Sprint("a term of kind ", t.Op))
}

func (w world) fold(t *term.Term, vars []*index.Atom, at binding) int32 {
	if len(vars) == 0 {
		return w.eval(t.Args[0], at)
	}
	total := int32(0)
	if t.Fold == term.Product {
		total = 1
	} else if t.Fold != term.Sum {
		panic(fmt.Sprint("a fold of kind ", t.Fold))
	}
	for v := w.index(vars[0].Lo, at); v < w.index(vars[0].Hi, at); v++ {
		in := binding{vars[0]: v}
		for a, x := range at {
			in[a] = x
		}
		if x := w.fold(t, vars[1:], in); t.Fold == term.Product {
			total *= x
		} else {
			total += x
		}
	}
	return total
}
