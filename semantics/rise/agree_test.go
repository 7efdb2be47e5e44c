package rise

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"testing"

	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/index"
	"tv/semantics/rise/syntax"
	"tv/semantics/term"
	"tv/semantics/value"
)

// content is what an input holds: integers that differ, from -20 to 20.
func content(name string, offset int64) int64 {
	return (int64(len(name))*31+int64(name[0])*17+offset*offset*7+offset*13)%41 - 20
}

type contents struct{}

func (contents) Element(name string, offset int64) value.Value {
	return value.BitsValue(uint64(content(name, offset))&0xffffffff, i32)
}

var i32 = domain.Elem{Kind: domain.ElemInt, Width: 32}

// A world evaluates terms of integers of 32 bits.
type world struct{ sizes map[string]int64 }

type binding map[*index.Atom]int64

var errNone = errors.New("no value")

func (w world) index(e *index.Expr, at binding) int64 {
	n, err := e.Eval(func(a *index.Atom) *big.Int {
		if v, ok := at[a]; ok {
			return big.NewInt(v)
		}
		n, ok := w.sizes[a.Name]
		if !ok {
			panic("free variable " + a.Name)
		}
		return big.NewInt(n)
	})
	if err != nil {
		panic(err)
	}
	return n.Int64()
}

func (w world) eval(t *term.Term, at binding) int32 {
	arg := func(i int) int32 { return w.eval(t.Args[i], at) }
	truth := func(b bool) int32 {
		if b {
			return 1
		}
		return 0
	}
	switch t.Op {
	case term.Const:
		return int32(t.Value.Num().Int64())
	case term.Number:
		return int32(w.index(t.Index[0], at))
	case term.Convert:
		return arg(0)
	case term.Lowest:
		return -1 << 31
	case term.Read:
		offset := int64(0)
		for i, x := range t.Index {
			n, k := w.index(t.Tensor.Dims[i], at), w.index(x, at)
			if k < 0 || k >= n {
				panic(fmt.Sprintf("%s is read at %d of %d", t.Tensor.Name, k, n))
			}
			offset = offset*n + k
		}
		return int32(content(t.Tensor.Name, offset))
	case term.Add:
		return arg(0) + arg(1)
	case term.Mul:
		return arg(0) * arg(1)
	case term.Neg:
		return -arg(0)
	case term.Max:
		return max(arg(0), arg(1))
	case term.Min:
		return min(arg(0), arg(1))
	case term.If:
		if w.index(t.Index[0], at) >= 0 {
			return arg(0)
		}
		return arg(1)
	case term.Reduce:
		return w.fold(t, t.Vars, at)
	case term.Apply:
		switch t.Name {
		case "c.lt":
			return truth(arg(0) < arg(1))
		case "c.le":
			return truth(arg(0) <= arg(1))
		case "c.eq":
			return truth(arg(0) == arg(1))
		case "c.choose":
			if arg(0) != 0 {
				return arg(1)
			}
			return arg(2)
		case "c.floordiv":
			x, y := arg(0), arg(1)
			if y == 0 {
				panic(errNone)
			}
			q := x / y
			if x%y != 0 && (x < 0) != (y < 0) {
				q--
			}
			return q
		}
	}
	panic(fmt.Sprint("a term ", t))
}

func (w world) fold(t *term.Term, vars []*index.Atom, at binding) int32 {
	if len(vars) == 0 {
		return w.eval(t.Args[0], at)
	}
	total := map[term.Fold]int32{term.Product: 1, term.Maximum: -1 << 31}[t.Fold]
	for v := w.index(vars[0].Lo, at); v < w.index(vars[0].Hi, at); v++ {
		in := binding{vars[0]: v}
		for a, x := range at {
			in[a] = x
		}
		switch x := w.fold(t, vars[1:], in); t.Fold {
		case term.Product:
			total *= x
		case term.Maximum:
			total = max(total, x)
		default:
			total += x
		}
	}
	return total
}

// agree compares the elements of a program with its terms at a point, and returns how many it has compared, or why there
// are no terms.
func agree(t *testing.T, text string, pt domain.Point) (n int, err error) {
	t.Helper()
	src, err := Language.Parse(source.NewFile("p", text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	env, err := src.Infer()
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	p, err := src.Type(env)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	holds := true
	for _, c := range p.Conditions() {
		ok, err := c.Pred.Eval(pt)
		holds = holds && ok && err == nil
	}
	e, err := p.Evaluate(domain.Auto, pt, contents{}, nil)
	if (err == nil) != holds {
		t.Fatalf("%s at %v: conditions hold: %v, and the evaluator says %v", text, pt, holds, err)
	}
	if err != nil {
		return 0, nil
	}
	b := term.NewBuilder()
	for _, c := range p.Conditions() { // as the prover has them
		if c.Pred.Op == domain.PredLe {
			x, err1 := sizeOf(b, c.Pred.A)
			y, err2 := sizeOf(b, c.Pred.B)
			if err1 == nil && err2 == nil {
				b.Index.Fact(b.Index.Sub(y, x))
			}
		}
	}
	out, err := p.Lower(b, semantics.LowerOptions{Whole: true, Size: func(n string) *index.Expr { return b.Index.Size(n, 1) }})
	if err != nil {
		return 0, err
	}
	w := world{pt}
	for _, c := range out.Components {
		dims := e.Dims(c.Path)
		for i, d := range c.Array.Dims {
			if got := w.index(d, nil); got != dims[i] {
				t.Fatalf("%s at %v: axis %d of %v has %d elements, and %d as terms", text, pt, i, c.Path, dims[i], got)
			}
		}
		at, vars := make([]*index.Expr, len(dims)), make([]*index.Atom, len(dims))
		for i := range at {
			vars[i] = b.Index.NewVar(fmt.Sprint("i", i), b.Index.Const(0), c.Array.Dims[i])
			at[i] = vars[i].Expr()
		}
		if slices.Contains(dims, 0) {
			continue
		}
		anywhere := c.Array.Element(b.Index.Root(), at)
		for place := make([]int64, len(dims)); ; {
			v, err := e.Element(c.Path, place)
			bind := binding{}
			for i, x := range vars {
				bind[x] = place[i]
			}
			if got, ok := w.try(anywhere, bind); ok != (err == nil) || ok &&
				value.Compare(v, value.IntValue(int64(got), domain.Auto, domain.Elem{Kind: domain.ElemInt, Width: c.Array.Sort.Width})) != value.Same {
				t.Fatalf("%s at %v: element %d of %v is %v (%v), and %d (%v) as a term: %s", text, pt, place, c.Path, v, err, got, ok, anywhere)
			}
			n++
			if !index.Next(place, dims) {
				break
			}
		}
	}
	return n, nil
}

func sizeOf(b *term.Builder, s domain.Size) (*index.Expr, error) {
	switch s.Op() {
	case domain.SizeName:
		return b.Index.Size(s.Name(), 1), nil
	case domain.SizeConst:
		n, _ := s.Int64()
		return b.Index.Const(n), nil
	}
	var e *index.Expr
	for i, o := range s.Operands() {
		x, err := sizeOf(b, o)
		switch {
		case err != nil:
			return nil, err
		case i == 0:
			e = x
		case s.Op() == domain.SizeAdd:
			e = b.Index.Add(e, x)
		case s.Op() == domain.SizeMul:
			e = b.Index.Mul(e, x)
		default:
			return nil, errNone
		}
	}
	return e, nil
}

func (w world) try(t *term.Term, at binding) (x int32, ok bool) {
	defer func() {
		if e := recover(); e == any(errNone) {
			ok = false
		} else if e != nil {
			panic(e)
		}
	}()
	return w.eval(t, at), true
}

// TestAgree: the evaluator and the lowering, on programs that use each pattern, at sizes that fit and others.
func TestAgree(t *testing.T) {
	for _, body := range []string{
		"X |> map(fun(x, x * 10))", "zip(X, X |> map(neg)) |> map(mult)", "zip(X, X |> map(neg))",
		"zip(A, A |> map(map(neg))) |> unzip |> snd", "makePair(X, A) |> mapFst(map(neg)) |> mapSnd(transpose)",
		"X |> reduce(add, 0)", "X |> reduce(add, 5)", "X |> reduce(max, 5)", "X |> reduce(mult)(3)", "X |> reduce(sub, 1)",
		"X |> reduceSeq(fun((a, x), 3 + x + a + x * x), 1)", "X |> scanSeq(add, 0)", "X |> scanSeq(fun((x, a), a - x), 2)",
		"A |> transpose", "A |> join", "X |> split(2)", "X |> split(K)", "X |> split(K) |> map(reduce(add, 0)) |> reduce(add, 0)",
		"X |> split(2) |> map(map(neg)) |> join", "X |> slide(3, 1)", "X |> slide(2, 2) |> map(reduce(add, 0))",
		"X |> slide(K, 2) |> transpose", "X |> pad(2, 1)", "X |> padClamp(K, K) |> slide(2 * K + 1, 1) |> map(reduce(add, 0))",
		"X |> padCst(1, K, 9)", "A |> padCst(1, 1, X |> map(neg) |> take(1) |> fun(y, generate(M, fun(i, idx(0, y)))))",
		"X |> padEmpty(K) |> take(N)", "X |> take(2)", "X |> drop(N - 1)", "concat(X, A |> join)", "concat(X, X) |> split(2)",
		"generate(K, fun(i, i * i - 1))", "generate(N, fun(i, idx(N - 1 - i, X)))", "generate(N, fun(i, idx((i + 1) % N, X)))",
		"X |> reorder(N, fun(i, N - 1 - i), fun(i, N - 1 - i))", "let(X |> reduce(add, 0), fun(s, X |> map(mult(s)) |> reduce(add, 0)))",
		"let(X |> reduce(add, 0), fun(s, A |> map(fun(r, r |> map(fun(x, x * s + s)) |> reduce(add, 0)))))",
		"X |> id |> toMem |> map(sub(1))", "X |> map(fun(x, select(x < 2, 0 - x, x + 1)))", "X |> map(fun(x, select(x < 2, x, 2)))",
		"generate(N, fun(i, select(i < K, idx(i, X), 7)))", "X |> map(fun(x, x / 3 + x % 4))", "X |> map(fun(x, 5 / x))",
		"X |> (take(2) >> map(neg))", "X |> map(add(1) >> mult(10))", "(X |> take(2) |> map(mult(N)), [1, K, idx(0, X)])",
		"A |> reduce(fun((a, r), zip(a, r) |> map(add)), generate(M, fun(i, 0)))",
		"A |> map(fun(r, A |> map(fun(s, zip(r, s) |> map(mult) |> reduce(add, 0)))))",
		"A |> map(reduce(add, 0)) |> reduce(max, -1000)", "A |> join |> split(M) |> transpose |> join",
		"A |> map(slide(2, 1)) |> slide(2, 1) |> map(transpose) |> map(map(join)) |> map(map(reduce(add, 0)))",
		"zip(X, X) |> take(3) |> reduce(fun((a, p), (fst(a) + fst(p), max(snd(a), fst(a)))), (0, 0))",
		"X |> asVector(2) |> map(map(add(1))) |> asScalar |> slide(3, 1) |> map(fun(w, idx(0, w) + idx(2, w)))",
	} {
		text, compared := "fun((X: N.i32, A: N.M.i32), "+body+")", 0
		for _, pt := range []domain.Point{{"N": 1, "M": 1, "K": 1}, {"N": 4, "M": 3, "K": 2}, {"N": 6, "M": 2, "K": 3}, {"N": 5, "M": 5, "K": 1}, {"N": 3, "M": 2, "K": 7}} {
			n, err := agree(t, text, pt)
			if err != nil {
				t.Errorf("%s: %v", text, err)
				break
			}
			compared += n
		}
		if compared == 0 {
			t.Errorf("%s: nothing compared", text)
		}
	}
}

// TestRandomAgree: the same on random programs; the layout of a text is one of the same program, and stays as it is.
func TestRandomAgree(t *testing.T) {
	points := []domain.Point{{"N": 1, "M": 1, "K": 1}, {"N": 4, "M": 3, "K": 2}, {"N": 6, "M": 2, "K": 3}, {"N": 3, "M": 6, "K": 1}}
	programs, stated, compared := 0, 0, 0
	for seed := range uint64(300) {
		text := string(syntax.Generate(seed))
		p, err := syntax.Parse(source.NewFile("p", text))
		if err != nil {
			t.Fatal(err)
		}
		layout := syntax.Format(p)
		again, err := syntax.Parse(source.NewFile("p", layout))
		if err != nil || again.Body.Type.String() != p.Body.Type.String() || syntax.Format(again) != layout {
			t.Fatalf("%s: %v, laid out %s", text, err, layout)
		}
		programs++
		all := 0
		for _, pt := range points {
			n, err := agree(t, text, pt)
			if err != nil {
				all = 0
				break
			}
			all += n
		}
		if all > 0 {
			stated++
		}
		compared += all
	}
	t.Logf("%d programs, %d stated, %d elements", programs, stated, compared)
	if stated < programs/2 {
		t.Errorf("%d of %d programs were stated", stated, programs)
	}
}
