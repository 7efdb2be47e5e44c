package loops

import (
	"math/big"
	"strings"
	"testing"

	"tv/semantics/domain"
)

// Each statement and operation, with types and the ways that divisions round.
func TestFormat(t *testing.T) {
	bit, word, wide := domain.Elem{Kind: domain.ElemBool, Width: 1}, domain.Elem{Kind: domain.ElemInt, Width: 32}, domain.Elem{Kind: domain.ElemInt, Width: 64}
	n := SizeOf("N")
	a := &Buffer{Name: "A", Elem: word, Dims: []*Int{n, Plus.Of(n, Num(1))}}
	x := &Buffer{Name: "x", Elem: domain.Float32, Kind: In}
	tmp := &Buffer{Name: "t", Elem: word, Kind: Local, Dims: []*Int{Num(4)}}
	ret := &Buffer{Name: "return", Elem: bit, Kind: Returned}
	outer := &For{Name: "i", Lo: []*Int{Num(0)}, Hi: []*Int{n}, Step: Num(1)}
	inner := &For{Name: "i", Lo: []*Int{CounterOf(outer), Num(2)}, Hi: []*Int{n, Plus.Of(CounterOf(outer), Num(4))}, Step: Num(2),
		Parallel: &Parallel{Reductions: []Op{Add, Maximum}}}
	down := &For{Name: "k", Lo: []*Int{Minus(n, Num(1))}, Hi: []*Int{Num(-1), Neg(n)}, Step: Num(-1)}
	either := &For{Name: "k", Lo: []*Int{Num(0)}, Hi: []*Int{n}, Step: Minus(n, Num(3))}
	i, j := CounterOf(outer), CounterOf(inner)
	read := func(b *Buffer, at ...*Int) *Expr { return Element(Access{Buffer: b, At: at}) }
	op := func(o Op, t domain.Elem, args ...*Expr) *Expr { return &Expr{Op: o, Elem: t, Args: args} }
	seven := &Expr{Op: Literal, Elem: word, Number: big.NewRat(7, 1)}
	to := Access{Buffer: a, At: []*Int{i, FloorMod.Of(Times.Of(Plus.Of(j, Num(1)), n), Num(3))}}
	less := op(IsLess, bit, read(x), &Expr{Op: Literal, Elem: domain.Float32, Number: big.NewRat(-1, 2)})
	choose := &Int{Op: Choose, Cond: &Cond{Op: None, Conds: []*Cond{{Op: Equal, A: i, B: Num(0)}}}, Args: []*Int{i, Times.Of(Num(-2), i)}}
	inner.Body = []Stmt{
		&Alloc{Buffer: tmp},
		&Assign{To: to, Value: op(Add, word, read(a, i, Minus(j, Plus.Of(i, Num(-1)))),
			op(Convert, word, op(Div, domain.Float32, read(x), op(Function, domain.Float32, read(x)))))},
		&When{Cond: op(BitAnd, bit, less, op(BitNot, bit, less)),
			Then: []Stmt{&Assign{To: Access{Buffer: tmp, At: []*Int{choose}},
				Value: op(Mul, word, op(Sub, word, seven, op(Sub, word, seven, seven)), op(Negate, word, seven))}},
			Else: []Stmt{&Assign{To: Access{Buffer: ret}, Value: op(Choice, bit, less, less, op(IsEqual, bit, seven, op(DivDown, word, seven, seven)))}}},
	}
	inner.Body[1].(*Assign).Value.Args[1].Args[0].Args[1].Name = "sqrt"
	either.Body = []Stmt{&Assign{To: Access{Buffer: x}, Value: &Expr{Op: Special, Elem: domain.Float32, Name: "-inf"}},
		&Assign{To: Access{Buffer: tmp, At: []*Int{Greatest.Of(Num(0), TruncDiv.Of(n, Num(2)))}},
			Value: op(ShiftLeft, word, &Expr{Op: FromInt, Elem: word, Int: n}, op(Convert, wide, seven))}}
	outer.Body = []Stmt{inner, &If{
		Cond: &Cond{Op: All, Conds: []*Cond{{Op: Less, A: i, B: n}, {Op: Any, Conds: []*Cond{{Op: LessEqual, A: i, B: n}, {Op: Equal, A: i, B: n}}}}},
		Then: []Stmt{down}, Else: []Stmt{either}}}
	p := &Procedure{Name: "f", Heading: []*Parameter{{Size: "N"}, {Buffer: a}, {Buffer: x}}, Buffers: []*Buffer{a, x, tmp, ret},
		Body: []Stmt{&Require{Cond: &Cond{Op: LessEqual, A: n, B: Num(9)}, Obligation: Index, Message: "n as a char"}, outer}}
	want := strings.TrimLeft(`
procedure f(size N, int32 A[N][N + 1], in float32 x) {
  returned bool return
  require index: N <= 9 "n as a char"
  for i = 0; i < N {
    parallel for i.2 = max(i, 2); i.2 < min(N, i + 4); step 2; reduces + maximum {
      local int32 t[4]
      A[i][floormod((i.2 + 1)*N, 3)] = A[i][i.2 - (i - 1)] +.int32 convert<float32, int32>(x /.float32 sqrt.float32(x))
      when (x <.float32 -1/2:float32) &.bool ~.bool (x <.float32 -1/2:float32) {
        t[!(i == 0) ? i : -2*i] = (7:int32 -.int32 (7:int32 -.int32 7:int32)) *.int32 -.int32 7:int32
      } else {
        return = x <.float32 -1/2:float32 ? x <.float32 -1/2:float32 : 7:int32 ==.int32 floordiv.int32(7:int32, 7:int32)
      }
    }
    if i < N && (i <= N || i == N) {
      for k = N - 1; k > max(-1, -1*N); step -1 {
      }
    } else {
      for k = 0; k != N; step N - 3 {
        x = -inf:float32
        t[max(0, truncdiv(N, 2))] = int32(N) <<.int32 convert<int32, int64>(7:int32)
      }
    }
  }
}
`, "\n")
	if got := Format(p); got != want {
		t.Errorf("got\n%s", got)
	}
	if again := Format(p); again != want {
		t.Error("another text the second time")
	}
}
