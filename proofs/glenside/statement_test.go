package glenside

import (
	"errors"
	"math/big"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"tv/glenside"
	"tv/internal/source"
	"tv/internal/tier"
	"tv/proofs/algebra"
	"tv/semantics/domain"
	"tv/semantics/glenside/eval"
	"tv/semantics/value"
)

// A reader computes terms with numbers for variables: what the statements of lower.go mean.
type reader struct {
	in   value.Inputs
	vars map[*algebra.Atom]int64
	work int
}

var (
	errOther  = errors.New("not a rational function")
	errLowest = errors.New("MIN")
	errNone   = errors.New("undefined")
)

func (r *reader) index(e *algebra.Expr) int64 {
	var sum int64
	for _, t := range e.Terms() {
		n, _ := t.Coef.Int64()
		for _, a := range t.Atoms() {
			switch a.Kind {
			case algebra.KindFloor:
				q, _ := algebra.Int(r.index(a.X)).DivMod(algebra.Int(r.index(a.Y)))
				k, _ := q.Int64()
				n *= k
			case algebra.KindMax:
				n *= max(r.index(a.X), r.index(a.Y))
			case algebra.KindMin:
				n *= min(r.index(a.X), r.index(a.Y))
			default:
				n *= r.vars[a]
			}
		}
		sum += n
	}
	return sum
}

func (r *reader) value(t *algebra.Scalar) (*big.Rat, error) {
	if r.work--; r.work < 0 {
		return nil, errOther
	}
	var args []*big.Rat
	if t.Op != algebra.OpReduce && t.Op != algebra.OpIf && t.Op != algebra.OpGather && t.Op != algebra.OpMax {
		for _, a := range t.Args {
			x, err := r.value(a)
			if err != nil {
				return nil, err
			}
			args = append(args, x)
		}
	}
	out := new(big.Rat)
	switch t.Op {
	case algebra.OpConst:
		if t.Val == nil {
			return nil, errOther
		}
		return t.Val, nil
	case algebra.OpLowest:
		return nil, errLowest
	case algebra.OpNumber:
		return out.SetInt64(r.index(t.E)), nil
	case algebra.OpRead:
		v := r.in.Element(t.Name, r.index(t.E))
		if v.Err() != nil {
			return nil, errOther
		}
		if _, ok := out.SetString(v.String()); !ok {
			return nil, errOther
		}
		return out, nil
	case algebra.OpAdd:
		return out.Add(args[0], args[1]), nil
	case algebra.OpNeg:
		return out.Neg(args[0]), nil
	case algebra.OpMul:
		return out.Mul(args[0], args[1]), nil
	case algebra.OpDiv:
		if args[1].Sign() == 0 {
			return nil, errNone
		}
		return out.Quo(args[0], args[1]), nil
	case algebra.OpMin:
		if args[0].Cmp(args[1]) < 0 {
			return args[0], nil
		}
		return args[1], nil
	case algebra.OpMax:
		return r.fold(algebra.FoldMax, 2, func(i int64) (*big.Rat, error) { return r.value(t.Args[i]) })
	case algebra.OpIf:
		if r.index(t.E) >= 0 {
			return r.value(t.Args[0])
		}
		return r.value(t.Args[1])
	case algebra.OpGather:
		at, err := r.value(t.Args[1])
		if err != nil || !at.IsInt() {
			return nil, errNone
		}
		k := at.Num().Int64()
		if k < 0 || k >= r.index(t.Vars[0].Hi) {
			return nil, errNone
		}
		r.vars[t.Vars[0]] = k
		return r.value(t.Args[0])
	case algebra.OpReduce:
		return r.over(t, t.Vars)
	}
	return nil, errOther
}

func (r *reader) over(t *algebra.Scalar, vars []*algebra.Atom) (*big.Rat, error) {
	if len(vars) == 0 {
		return r.value(t.Args[0])
	}
	lo, hi := r.index(vars[0].Lo), r.index(vars[0].Hi)
	return r.fold(t.Fold, hi-lo, func(i int64) (*big.Rat, error) {
		r.vars[vars[0]] = lo + i
		return r.over(t, vars[1:])
	})
}

func (r *reader) fold(f algebra.Fold, n int64, item func(int64) (*big.Rat, error)) (*big.Rat, error) {
	out := big.NewRat(int64(map[algebra.Fold]int{algebra.FoldProduct: 1}[f]), 1)
	found := false
	for i := range n {
		x, err := item(i)
		if f == algebra.FoldMax && errors.Is(err, errLowest) {
			continue
		}
		if err != nil {
			return nil, err
		}
		switch {
		case f == algebra.FoldSum:
			out = new(big.Rat).Add(out, x)
		case f == algebra.FoldProduct:
			out = new(big.Rat).Mul(out, x)
		case !found || x.Cmp(out) > 0:
			out = x
		}
		found = true
	}
	if f == algebra.FoldMax && !found {
		return nil, errLowest
	}
	return out, nil
}

// stated counts elements that the checker and the evaluator agree on, and the operators of their programs.
type stated struct {
	sync.Mutex
	elements int
	ops      map[string]bool
}

// TestStatements holds what the checker states of the programs of the corpus against the reference
// evaluator, element by element.
func TestStatements(t *testing.T) {
	tier.Sweep(t)
	files, err := filepath.Glob("../../testdata/check/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no litmus files: %v", err)
	}
	all := stated{ops: map[string]bool{}}
	t.Run("files", func(t *testing.T) {
		for _, f := range files {
			t.Run(filepath.Base(f), func(t *testing.T) {
				t.Parallel()
				a, err := txtar.ParseFile(f)
				if err != nil || len(a.Files) < 2 {
					t.Fatalf("%d sections (%v)", len(a.Files), err)
				}
				before, after := string(a.Files[0].Data), string(a.Files[1].Data)
				var inputs []string
				for _, line := range strings.Split(before, "\n") {
					if strings.HasPrefix(line, "(input ") && !strings.Contains(after, "(input ") {
						inputs = append(inputs, line)
					}
				}
				all.compare(t, "before", before)
				all.compare(t, "after", strings.Join(inputs, "\n")+"\n"+after)
			})
		}
	})
	for _, op := range glenside.Ops() {
		all.compare(t, "example of "+op.Name, op.Example)
	}
	t.Logf("%d elements, %d operators", all.elements, len(all.ops))
	if all.elements < 3000 || len(all.ops) < 60 {
		t.Errorf("only %d elements and %d operators", all.elements, len(all.ops))
	}
}

// compare holds some elements of a program, if it is a tensor of fixed sizes, against the evaluator.
func (all *stated) compare(t *testing.T, name, text string) {
	t.Helper()
	p, err := glenside.Parse(source.NewFile(name, text))
	if err != nil {
		return
	}
	ty, err := glenside.Check(p, nil)
	if err != nil || ty.Root().Kind > glenside.TypeTensor || len(ty.Conds) > 0 || len(p.Assumes) > 0 {
		return
	}
	in := value.Random(7, value.Real, value.Positive, ty.Tensors)
	ev, err := eval.New(ty, value.Real, domain.Point{}, in)
	if err != nil {
		return
	}
	b := algebra.NewBuilder()
	size := func(d domain.Size) *algebra.Expr {
		n, _ := d.Int64()
		return b.Const(n)
	}
	program := typed(ty)
	elements := program.Elements(&algebra.State{B: b, Size: size, Terms: algebra.NewTerms()}, nil)
	dims := ev.Dims(nil)
	total := int64(1)
	symbolic := make([]*algebra.Expr, len(dims))
	axes := make([]*algebra.Atom, len(dims))
	for i, d := range dims {
		total *= d
		axes[i] = b.NewVar(b.Const(0), b.Const(d))
		symbolic[i] = axes[i].Expr()
	}
	if total == 0 {
		return
	}
	x := elements.At(program.Root(), nil, b.Root, symbolic)
	compared := 0
	for k := int64(0); k < total; k += 1 + total/23 {
		r := &reader{in: in, vars: map[*algebra.Atom]int64{}, work: 200_000}
		index := make([]int64, len(dims))
		for i, rest := len(dims)-1, k; i >= 0; i-- {
			index[i], rest = rest%dims[i], rest/dims[i]
			r.vars[axes[i]] = index[i]
		}
		got, err := r.value(x)
		if errors.Is(err, errOther) {
			continue
		}
		want, errWant := ev.Element(nil, index)
		if errWant != nil {
			continue
		}
		wanted, ok := new(big.Rat).SetString(want.String())
		switch {
		case want.Err() != nil != errors.Is(err, errNone):
			t.Errorf("%s: element %v is %v, want %s", name, index, err, want)
		case errors.Is(err, errNone):
		case !ok != errors.Is(err, errLowest), ok && got.Cmp(wanted) != 0:
			t.Errorf("%s: element %v is %v (%v), want %s", name, index, got, err, want)
		default:
			compared++
		}
	}
	all.Lock()
	defer all.Unlock()
	all.elements += compared
	for _, n := range p.Nodes {
		if n.Kind == glenside.KindCall && compared > 0 {
			all.ops[n.Op.Name] = true
		}
	}
}
