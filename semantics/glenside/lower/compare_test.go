package lower

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"tv/glenside"
	"tv/semantics/domain"
	"tv/semantics/glenside/eval"
	"tv/semantics/index"
	"tv/semantics/term"
	"tv/semantics/value"
)

// compare lowers a program and compares every element, up to some, with what the reference evaluator
// says.
func compare(t *testing.T, text string, arith value.Arith, point domain.Point, mode value.Mode, seed uint64) {
	t.Helper()
	ty := typed(t, text)
	in := value.Random(seed, arith, mode, ty.Tensors)
	ev, err := eval.New(ty, arith, point, in)
	if err != nil {
		return // ill formed at the point
	}
	b, p := lowered(t, ty, arith == value.Exact)
	w := &world{inputs: in, point: point}
	for _, c := range p.Components {
		dims := ev.Dims(c.Path)
		for i, d := range c.Array.Dims {
			if got := w.index(d, nil); !got.IsInt64() || got.Int64() != dims[i] {
				t.Fatalf("%s\n%v: axis %d has size %s, want %d", text, point, i, got, dims[i])
			}
		}
		vars := make([]*index.Atom, len(dims))
		at := make([]*index.Expr, len(dims))
		for i, d := range c.Array.Dims {
			vars[i] = b.Index.NewVar(fmt.Sprintf("i%d", i), b.Index.Const(0), d)
			at[i] = vars[i].Expr()
		}
		symbolic := c.Array.Element(b.Index.Root(), at)
		for n := range elements(dims, mostElements) {
			concrete := make([]*index.Expr, len(dims))
			var env *bindings
			for i, x := range n {
				concrete[i] = b.Index.Const(x)
				env = &bindings{vars[i], big.NewInt(x), env}
			}
			where := fmt.Sprintf("%s\n%v %v %v %d %v %v", text, arith, point, mode, seed, c.Path, n)
			want, wantErr := ev.Element(c.Path, n)
			got, err := w.valueAt(symbolic, env)
			agree(t, where, symbolic, got, err, want, wantErr)
			direct := c.Array.Element(b.Index.Root(), concrete)
			got, err = w.valueAt(direct, nil)
			agree(t, where+" asked directly", direct, got, err, want, wantErr)
		}
	}
}

// mostElements bounds the elements of a tensor that are compared.
const mostElements = 12

func (w *world) valueAt(t *term.Term, env *bindings) (x number, err error) {
	defer func() {
		if r := recover(); r != nil {
			f, ok := r.(fail)
			if !ok {
				panic(fmt.Sprintf("%v in %s", r, t))
			}
			err = f.err
		}
	}()
	return w.eval(t, env), nil
}

// agree reports a value of tm that is not what the evaluator wants.
func agree(t *testing.T, where string, tm *term.Term, got number, err error, want value.Value, wantErr error) {
	t.Helper()
	var symbol *value.UninterpretedError
	opaque, rests := errors.Is(err, errUninterpreted), errors.As(wantErr, &symbol)
	switch {
	case opaque && (rests || strings.Contains(err.Error(), "elementwise-div")):
		return
	case opaque && errors.Is(wantErr, value.ErrUndefined), errors.Is(err, errUndefined) && rests:
		return // one of them met what is undefined first
	case errors.Is(wantErr, value.ErrUndecided), errors.Is(err, errRange):
		return
	case errors.Is(err, errUndefined) && errors.Is(wantErr, value.ErrUndefined):
		return
	case err == nil && wantErr == nil && equal(tm.Sort, got, want):
		return
	}
	t.Fatalf("%s: %s\nlowering: %v %v\nevaluator: %v %v", where, tm, got, err, want, wantErr)
}

func equal(s term.Sort, x number, v value.Value) bool {
	switch {
	case x.special == "min":
		return v.IsMin()
	case x.special != "":
		return v.String() == x.special
	case x.rough:
		return roughlyEqual(x, v)
	}
	r, ok := v.Rat()
	if !ok {
		return roughlyEqual(x, v)
	}
	return (v.String() != "-0" || s.Kind == term.Adaptive) && r.Cmp(x.rat) == 0
}

// elements lists indices within dims: all, or evenly spread ones.
func elements(dims []int64, most int64) func(yield func([]int64) bool) {
	count := int64(1)
	for _, d := range dims {
		count *= d
	}
	step := max(1, count/most)
	return func(yield func([]int64) bool) {
		for n := int64(0); n < count; n += step {
			at := make([]int64, len(dims))
			rest := n
			for i := len(dims) - 1; i >= 0; i-- {
				at[i] = rest % dims[i]
				rest /= dims[i]
			}
			if !yield(at) {
				return
			}
		}
	}
}

var inputDecl = regexp.MustCompile(`\(input (\w+) \(shape([^()]*)\)( \w+)?\)`)

// withType gives the inputs of a program that have no element type another one.
func withType(text, elem string) string {
	return inputDecl.ReplaceAllStringFunc(text, func(s string) string {
		m := inputDecl.FindStringSubmatch(s)
		if m[3] != "" {
			return s
		}
		return fmt.Sprintf("(input %s (shape%s) %s)", m[1], m[2], elem)
	})
}

var elemNames = []string{
	"float32", "float16", "bfloat16", "float64", "int8", "int32", "uint8", "bool", "sat8", "fix4.4", "adaptive8.3",
}

var modes = []value.Mode{value.Small, value.NonNegative, value.Positive, value.Distinct, value.Edges}

// checks tells whether a program is well typed.
func checks(text string) bool {
	p, err := glenside.Parse(file(text))
	if err != nil {
		return false
	}
	_, err = glenside.Check(p, nil)
	return err == nil
}

func TestExamplesAgree(t *testing.T) {
	for _, op := range glenside.Ops() {
		t.Run(op.Name, func(t *testing.T) {
			for i, mode := range modes {
				compare(t, op.Example, value.Real, nil, mode, 1)
				for j, elem := range elemNames {
					if text := withType(op.Example, elem); (i+j)%2 == 0 && checks(text) {
						compare(t, text, value.Exact, nil, mode, uint64(j))
					}
				}
			}
		})
	}
}
