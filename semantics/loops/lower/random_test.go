package lower_test

import (
	"context"
	"errors"
	"math/big"
	"testing"

	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/cnest"
	"tv/semantics/domain"
	"tv/semantics/index"
	"tv/semantics/loops"
	"tv/semantics/loops/lower"
	"tv/semantics/loops/run"
	"tv/semantics/term"
	"tv/semantics/value"
)

// TestRandomAgree: random C programs leave what their terms say, and end where their conditions do not hold, and nowhere
// else.
func TestRandomAgree(t *testing.T) {
	traced := 0
	const programs = uint64(60)
	for seed := range programs {
		text := draw(seed)
		p, err := cnest.Parse(source.NewFile("random.c", text), "")
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		r := random{t: t, seed: seed, text: text, p: p}
		if r.agree() {
			traced++
		}
	}
	t.Logf("%d of %d programs were traced", traced, programs)
	if traced < int(programs)/3 {
		t.Errorf("%d of %d programs were traced", traced, programs)
	}
}

// A random program.
type random struct {
	t    *testing.T
	seed uint64
	text string
	p    *loops.Procedure
}

func (r *random) fatal(format string, args ...any) {
	r.t.Helper()
	r.t.Fatalf("seed %d: "+format+"\n%s", append(append([]any{r.seed}, args...), r.text)...)
}

func (r *random) agree() (traced bool) {
	s, err := loops.SourceOf(r.p, false)
	if err != nil {
		return false
	}
	env, err := domain.Merge([]domain.Declarations{s.Declarations()})
	if err != nil {
		r.fatal("%v", err)
	}
	typed, err := s.Under(env, nil)
	if err != nil {
		return false // what it owes is no condition on sizes that can be stated
	}
	b := term.NewBuilder()
	out, err := lower.Lower(typed, b, semantics.LowerOptions{Arith: domain.Auto, Whole: true,
		Size: func(n string) *index.Expr { return b.Index.Size(n, 1) }})
	for n := int64(1); n <= 4; n++ {
		sizes := map[string]int64{}
		for i, h := range r.p.Heading {
			if h.Buffer == nil {
				sizes[h.Size] = 1 + (n*int64(i+1)+int64(r.seed))%4
			}
		}
		r.at(typed, b, out, sizes)
	}
	return err == nil
}

// at compares at one point.
func (r *random) at(typed *loops.Typed, b *term.Builder, out *semantics.Lowered, sizes map[string]int64) {
	holds := true
	for _, c := range typed.Conditions() {
		ok, err := c.Pred.Eval(domain.Point(sizes))
		holds = holds && ok && err == nil
	}
	contents := func(b *loops.Buffer, offset int64) value.Value {
		return value.Of(value.Auto, b.Elem).Integer(int64(content(b.Name, offset) % 50))
	}
	x, err := run.New(r.p, run.Options{Arith: value.Auto, Sizes: sizes, Input: func(b *loops.Buffer, offset int64) value.Value {
		return contents(b, offset)
	}})
	if err != nil {
		r.fatal("%v", err)
	}
	err = x.Do(context.Background())
	var ended *run.Ended
	switch {
	case errors.As(err, &ended) && holds && (ended.Obligation == loops.Bounds || ended.Obligation == loops.Index):
		r.fatal("conditions hold at %v, where the call ends: %v", sizes, err)
	case err == nil && !holds:
		r.fatal("conditions do not hold at %v, where the call does not end", sizes)
	case err != nil || out == nil:
		return
	}
	for i, c := range out.Components {
		part := len(typed.Parts()) - 1
		if len(out.Components) > 1 {
			part = typed.Parts()[part].Operands[i]
		}
		buffer := typed.Writes(part)
		if buffer == nil {
			buffer = typed.Writes(typed.Parts()[part].Operands[0])
		}
		r.component(c.Array, b, x, buffer, rationals{sizes, typed})
	}
}

// component compares the cells of a parameter, each as any cell and as that one.
func (r *random) component(a term.Array, b *term.Builder, x *run.Run, buffer *loops.Buffer, w rationals) {
	dims := x.Dims(buffer)
	any, vars := make([]*index.Atom, len(dims)), make([]*index.Expr, len(dims))
	total := int64(1)
	for k, d := range a.Dims {
		any[k] = b.Index.NewVar("x", b.Index.Const(0), d)
		vars[k], total = any[k].Expr(), total*dims[k]
	}
	somewhere := a.Element(b.Index.Root(), vars)
	for offset := range total {
		at, where, rest := make([]*index.Expr, len(dims)), binding{}, offset
		for k := len(dims) - 1; k >= 0; k-- {
			at[k], where[any[k]] = b.Index.Const(rest%dims[k]), rest%dims[k]
			rest /= dims[k]
		}
		want := x.Value(buffer, offset)
		terms := map[*term.Term]binding{somewhere: where}
		if offset == int64(r.seed)%total {
			terms[a.Element(b.Index.Root(), at)] = nil
		}
		for t, at := range terms {
			got := w.try(t, at)
			if got == nil || want.Err() != nil {
				continue
			}
			if value.Compare(value.Of(value.Auto, buffer.Elem).Constant(got), want) != value.Same {
				r.fatal("%v: %s[%d] is %s, want %v; term %s", w.sizes, buffer.Name, offset, got.RatString(), want, somewhere)
			}
		}
	}
}

// rationals evaluates terms of integers, modulo their widths, and of real numbers.
type rationals struct {
	sizes map[string]int64
	typed *loops.Typed
}

type unknown struct{}

// try returns nil where a term has a function of which nothing is known here.
func (w rationals) try(t *term.Term, at binding) (v *big.Rat) {
	defer func() {
		if e := recover(); e != nil {
			if _, ok := e.(unknown); !ok {
				panic(e)
			}
			v = nil
		}
	}()
	return w.eval(t, at)
}

func (w rationals) index(e *index.Expr, at binding) int64 { return world{w.sizes}.index(e, at) }

// wrapped is a number as an element of a sort.
func wrapped(s term.Sort, x *big.Rat) *big.Rat {
	if s.Kind != term.Signed && s.Kind != term.Unsigned {
		return x
	}
	n := new(big.Int).And(x.Num(), new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(s.Width)), big.NewInt(1)))
	if s.Kind == term.Signed && n.Bit(s.Width-1) == 1 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(s.Width)))
	}
	return new(big.Rat).SetInt(n)
}

func (w rationals) eval(t *term.Term, at binding) *big.Rat {
	arg := func(i int) *big.Rat { return w.eval(t.Args[i], at) }
	return wrapped(t.Sort, func() *big.Rat {
		switch t.Op {
		case term.Const:
			return t.Value
		case term.Number:
			return new(big.Rat).SetInt64(w.index(t.Index[0], at))
		case term.Read:
			offset := int64(0)
			for i, x := range t.Index {
				offset = offset*w.index(t.Tensor.Dims[i], at) + w.index(x, at)
			}
			for _, b := range w.typed.Procedure.Buffers {
				if b.Name == t.Tensor.Name && b.Kind <= loops.In {
					n := content(b.Name, offset) % 50
					return wrapped(t.Sort, asInput(b.Elem, int64(n)))
				}
			}
		case term.Add:
			return new(big.Rat).Add(arg(0), arg(1))
		case term.Mul:
			return new(big.Rat).Mul(arg(0), arg(1))
		case term.Neg:
			return new(big.Rat).Neg(arg(0))
		case term.Max, term.Min:
			x, y := arg(0), arg(1)
			if (x.Cmp(y) < 0) == (t.Op == term.Max) {
				return y
			}
			return x
		case term.Convert:
			x := arg(0)
			if t.Sort.Kind == term.Real || x.IsInt() {
				return x
			}
		case term.If:
			if w.index(t.Index[0], at) >= 0 {
				return arg(0)
			}
			return arg(1)
		case term.Reduce:
			return w.fold(t, t.Vars, at)
		}
		panic(unknown{})
	}())
}

// asInput is what an integer is as an element.
func asInput(e domain.Elem, n int64) *big.Rat {
	s := term.Sort{}
	switch e.Kind {
	case domain.ElemInt:
		s = term.Sort{Kind: term.Signed, Width: e.Width}
	case domain.ElemUint:
		s = term.Sort{Kind: term.Unsigned, Width: e.Width}
	}
	return wrapped(s, new(big.Rat).SetInt64(n))
}

func (w rationals) fold(t *term.Term, vars []*index.Atom, at binding) *big.Rat {
	if len(vars) == 0 {
		return w.eval(t.Args[0], at)
	}
	total := new(big.Rat)
	switch t.Fold {
	case term.Product:
		total.SetInt64(1)
	case term.Maximum:
		panic(unknown{})
	}
	for v := w.index(vars[0].Lo, at); v < w.index(vars[0].Hi, at); v++ {
		in := binding{vars[0]: v}
		for a, x := range at {
			in[a] = x
		}
		if x := w.fold(t, vars[1:], in); t.Fold == term.Product {
			total = wrapped(t.Sort, new(big.Rat).Mul(total, x))
		} else {
			total = wrapped(t.Sort, new(big.Rat).Add(total, x))
		}
	}
	return total
}
