package run_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"tv/internal/source"
	"tv/semantics/domain"
	"tv/semantics/loops"
	"tv/semantics/loops/run"
	"tv/semantics/value"
)

var (
	boolean = domain.Elem{Kind: domain.ElemBool, Width: 1}
	int8s   = domain.Elem{Kind: domain.ElemInt, Width: 8}
	int32s  = domain.Elem{Kind: domain.ElemInt, Width: 32}
	int64s  = domain.Elem{Kind: domain.ElemInt, Width: 64}
	uint8s  = domain.Elem{Kind: domain.ElemUint, Width: 8}
	floats  = domain.Float32
	doubles = domain.Elem{Kind: domain.ElemFloat, Width: 64}
)

// N, K and M are sizes; num is a number; plus, minus and times are on integers.
var (
	N = loops.SizeOf("N")
	K = loops.SizeOf("K")
	M = loops.SizeOf("M")
)

func num(n int64) *loops.Int                { return loops.Num(n) }
func plus(x ...*loops.Int) *loops.Int       { return loops.Plus.Of(x...) }
func minus(x, y *loops.Int) *loops.Int      { return loops.Minus(x, y) }
func times(x, y *loops.Int) *loops.Int      { return loops.Times.Of(x, y) }
func ints(list ...*loops.Int) []*loops.Int  { return list }
func stmts(list ...loops.Stmt) []loops.Stmt { return list }

func array(name string, t domain.Elem, dims ...*loops.Int) *loops.Buffer {
	return &loops.Buffer{Name: name, Elem: t, Dims: dims}
}

func local(name string, t domain.Elem, dims ...*loops.Int) *loops.Buffer {
	return &loops.Buffer{Name: name, Elem: t, Dims: dims, Kind: loops.Local}
}

// at is an element of a buffer.
func at(b *loops.Buffer, x ...*loops.Int) loops.Access { return loops.Access{Buffer: b, At: x} }

func read(b *loops.Buffer, x ...*loops.Int) *loops.Expr { return loops.Element(at(b, x...)) }

func lit(t domain.Elem, n int64) *loops.Expr {
	return &loops.Expr{Op: loops.Literal, Elem: t, Number: big.NewRat(n, 1)}
}

// op is an operation whose result has the type of its last operand, or bool of a comparison.
func op(o loops.Op, args ...*loops.Expr) *loops.Expr {
	t := args[0].Elem
	switch o {
	case loops.IsEqual, loops.IsNotEqual, loops.IsLess, loops.IsLessEqual:
		t = boolean
	case loops.Choice:
		t = args[1].Elem
	}
	return &loops.Expr{Op: o, Elem: t, Args: args}
}

func add(x, y *loops.Expr) *loops.Expr { return op(loops.Add, x, y) }
func mul(x, y *loops.Expr) *loops.Expr { return op(loops.Mul, x, y) }

func convert(t domain.Elem, x *loops.Expr) *loops.Expr {
	return &loops.Expr{Op: loops.Convert, Elem: t, Args: []*loops.Expr{x}}
}

func set(to loops.Access, v *loops.Expr) *loops.Assign { return &loops.Assign{To: to, Value: v} }

// loop is a loop from lo to hi in steps of one; body gets the counter.
func loop(name string, lo, hi *loops.Int, body func(i *loops.Int) []loops.Stmt) *loops.For {
	return steps(name, lo, hi, 1, body)
}

func steps(name string, lo, hi *loops.Int, step int64, body func(i *loops.Int) []loops.Stmt) *loops.For {
	f := &loops.For{Name: name, Lo: ints(lo), Hi: ints(hi), Step: num(step)}
	f.Body = body(loops.CounterOf(f))
	return f
}

// parallel is a loop whose iterations may run in any order.
func parallel(f *loops.For, reductions ...loops.Op) *loops.For {
	f.Parallel = &loops.Parallel{Reductions: reductions}
	return f
}

// procedure makes one of the buffers that occur in statements.
func procedure(body []loops.Stmt, buffers ...*loops.Buffer) *loops.Procedure {
	return &loops.Procedure{Name: "p", Buffers: buffers, Body: body}
}

type sizes = map[string]int64

// contents are elements of buffers before a call, by name; what is not there is a number of its offset.
type contents map[string][]int64

// asked counts how often cells were asked for.
type asked map[string]int

// prepared makes a run; inputs are elements of the types of buffers.
func prepared(t testing.TB, p *loops.Procedure, a value.Arith, n sizes, in contents, limit int) (*run.Run, asked) {
	t.Helper()
	count := asked{}
	r, err := run.New(p, run.Options{Arith: a, Sizes: n, Limit: limit, Input: func(b *loops.Buffer, offset int64) value.Value {
		if count[fmt.Sprint(b.Name, offset)]++; count[fmt.Sprint(b.Name, offset)] > 1 {
			t.Errorf("%s[%d] is asked for again", b.Name, offset)
		}
		x := 7*offset%11 - 3
		if list := in[b.Name]; list != nil {
			x = list[offset]
		}
		return value.IntValue(x, a, b.Elem)
	}})
	if err != nil {
		t.Fatal(err)
	}
	return r, count
}

// call runs a procedure, which has to come to its end.
func call(t testing.TB, p *loops.Procedure, a value.Arith, n sizes, in contents) *run.Run {
	t.Helper()
	r, _ := prepared(t, p, a, n, in, 0)
	if err := r.Do(context.Background()); err != nil {
		t.Fatal(err)
	}
	return r
}

// texts returns the elements of a buffer after a call.
func texts(r *run.Run, b *loops.Buffer) []string {
	count := int64(1)
	for _, n := range r.Dims(b) {
		count *= n
	}
	list := make([]string, count)
	for i := range list {
		v := r.Value(b, int64(i))
		var symbol *value.UninterpretedError
		switch err := v.Err(); {
		case errors.Is(err, value.ErrUndefined):
			list[i] = "undefined"
		case errors.Is(err, value.ErrUndecided):
			list[i] = "undecided"
		case errors.As(err, &symbol):
			list[i] = "uninterpreted"
		default:
			list[i] = v.String()
		}
	}
	return list
}

func expect[T any](t *testing.T, r *run.Run, b *loops.Buffer, want []T) {
	t.Helper()
	list := make([]string, len(want))
	for i, x := range want {
		list[i] = fmt.Sprint(x)
	}
	if got, wanted := strings.Join(texts(r, b), " "), strings.Join(list, " "); got != wanted {
		t.Errorf("%s is\n%s, want\n%s", b.Name, got, wanted)
	}
}

// input is what prepared gives where nothing else is said.
func input(offset int) int64 { return 7*int64(offset)%11 - 3 }

// file has a line for each statement, so that places are told apart.
func file(lines int) func(line int) source.Span {
	f := source.NewFile("p.c", strings.Repeat("x\n", lines))
	return func(line int) source.Span { return source.Span{File: f, Start: 2 * (line - 1), End: 2*line - 1} }
}
