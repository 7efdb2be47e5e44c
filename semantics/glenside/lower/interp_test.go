package lower

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"

	"tv/semantics/domain"
	"tv/semantics/index"
	"tv/semantics/term"
	"tv/semantics/value"
)

// This file evaluates terms at points, so that the lowering can be compared with the reference
// evaluator. It is as direct as can be: one case an operation, no memory.

// A number is the value of a term.
type number struct {
	rat     *big.Rat
	special string // "min", "nan", "inf", "-inf", "-0", or "" for rat
	rough   bool   // rat is an approximation in float64
}

func (x number) String() string {
	switch {
	case x.special != "":
		return x.special
	case x.rat == nil:
		return "nothing"
	case x.rough:
		f, _ := x.rat.Float64()
		return fmt.Sprintf("about %g", f)
	}
	return x.rat.RatString()
}

var (
	errUndefined     = errors.New("undefined")
	errUninterpreted = errors.New("uninterpreted")
	errRange         = errors.New("beyond float64")
)

// A world gives inputs, named sizes and the element types of tensors.
type world struct {
	inputs value.Inputs
	point  domain.Point
}

// bindings are the values of variables.
type bindings struct {
	atom  *index.Atom
	value *big.Int
	outer *bindings
}

func (w *world) atom(env *bindings) func(*index.Atom) *big.Int {
	return func(a *index.Atom) *big.Int {
		for b := env; b != nil; b = b.outer {
			if b.atom == a {
				return b.value
			}
		}
		if a.Kind == index.Size {
			return big.NewInt(w.point[a.Name])
		}
		panic("free variable " + a.Name)
	}
}

func (w *world) index(e *index.Expr, env *bindings) *big.Int {
	v, err := e.Eval(w.atom(env))
	if err != nil {
		panic(err)
	}
	return v
}

// fail ends an evaluation.
type fail struct{ err error }

func undefined(why string) { panic(fail{fmt.Errorf("%w: %s", errUndefined, why)}) }

func (w *world) eval(t *term.Term, env *bindings) number {
	arg := func(i int) number { return w.eval(t.Args[i], env) }
	switch t.Op {
	case term.Const:
		if t.Name != "" {
			return number{special: t.Name}
		}
		return number{rat: t.Value}
	case term.Lowest:
		return lowestOf(t.Sort)
	case term.Number:
		return w.round(t.Sort, new(big.Rat).SetInt(w.index(t.Index[0], env)))
	case term.Read:
		offset := new(big.Int)
		for i, d := range t.Tensor.Dims {
			n, at := w.index(d, env), w.index(t.Index[i], env)
			if at.Sign() < 0 || at.Cmp(n) >= 0 {
				panic(fmt.Sprintf("read of %s at %s, axis %d has size %s", t.Tensor.Name, at, i, n))
			}
			offset.Add(offset.Mul(offset, n), at)
		}
		if strings.Contains(t.Tensor.Name, `"`) {
			panic(fail{fmt.Errorf("%w: %s", errUninterpreted, t.Tensor.Name)})
		}
		return w.input(t, offset.Int64())
	case term.Add, term.Mul, term.Div, term.Max, term.Min:
		return w.binary(t.Op, t.Sort, arg(0), arg(1))
	case term.Neg:
		return w.binary(term.Mul, t.Sort, arg(0), number{rat: big.NewRat(-1, 1)})
	case term.Apply:
		args := make([]number, len(t.Args))
		for i := range t.Args {
			if t.Name == fnLeakyRelu && i == 1 && positive(args[0]) {
				return args[0]
			}
			args[i] = arg(i)
		}
		return w.apply(t, args)
	case term.Reduce:
		return w.reduce(t, env)
	case term.If:
		if w.index(t.Index[0], env).Sign() >= 0 {
			return arg(0)
		}
		return arg(1)
	case term.Gather:
		i := arg(1)
		v := t.Vars[0]
		lo, hi := w.index(v.Lo, env), w.index(v.Hi, env)
		if !i.rat.IsInt() || i.rat.Num().Cmp(lo) < 0 || i.rat.Num().Cmp(hi) >= 0 {
			undefined("gather at " + i.String())
		}
		return w.eval(t.Args[0], &bindings{v, i.rat.Num(), env})
	case term.Convert:
		return w.convert(t.Sort, t.Args[0].Sort, arg(0))
	}
	panic("operation")
}

func positive(x number) bool { return x.special == "inf" || x.special == "" && x.rat.Sign() > 0 }

func (w *world) reduce(t *term.Term, env *bindings) number {
	var total *number
	var walk func(vars []*index.Atom, env *bindings)
	walk = func(vars []*index.Atom, env *bindings) {
		if len(vars) == 0 {
			x := w.eval(t.Args[0], env)
			switch {
			case total == nil && t.Fold == term.Maximum:
				x = w.binary(term.Max, t.Sort, lowestOf(t.Sort), x)
			case total != nil:
				op := [...]term.Op{term.Add, term.Mul, term.Max}[t.Fold]
				x = w.binary(op, t.Sort, *total, x)
			}
			total = &x
			return
		}
		hi := w.index(vars[0].Hi, env)
		for i := w.index(vars[0].Lo, env); i.Cmp(hi) < 0; i = new(big.Int).Add(i, big.NewInt(1)) {
			walk(vars[1:], &bindings{vars[0], i, env})
		}
	}
	walk(t.Vars, env)
	if total != nil {
		return *total
	}
	switch t.Fold {
	case term.Sum:
		return number{rat: new(big.Rat)}
	case term.Product:
		return number{rat: big.NewRat(1, 1)}
	}
	return lowestOf(t.Sort)
}

func (w *world) apply(t *term.Term, args []number) number {
	s := t.Sort
	x := number{}
	if len(args) > 0 {
		x = args[0]
	}
	if s.Kind == term.Real {
		if x.special == "min" {
			undefined("a function of MIN")
		}
		f := 0.0
		if x.rat != nil {
			f, _ = x.rat.Float64()
		}
		switch t.Name {
		case term.Exp:
			return roughly(math.Exp(f), x)
		case term.Log:
			if x.rat.Sign() <= 0 {
				undefined("log")
			}
			return roughly(math.Log(f), x)
		case term.Erf:
			return roughly(math.Erf(f), x)
		case term.Sqrt:
			if x.rat.Sign() < 0 {
				undefined("sqrt")
			}
			return roughly(math.Sqrt(f), x)
		}
		panic(fail{fmt.Errorf("%w: %s", errUninterpreted, t.Name)})
	}
	return w.applyExact(t, args)
}

func roughly(f float64, x number) number {
	r, ok := new(big.Rat).SetString(fmt.Sprintf("%g", f))
	if !ok {
		panic(fail{errRange})
	}
	return number{rat: r, rough: true}
}

// binary applies an operation that is defined on all sorts.
func (w *world) binary(op term.Op, s term.Sort, x, y number) number {
	if op == term.Max || op == term.Min {
		return extreme(op, x, y)
	}
	if s.Kind == term.Float {
		return w.float(op, s, x, y)
	}
	if x.special != "" || y.special != "" {
		undefined("arithmetic on " + x.String() + " and " + y.String())
	}
	r := new(big.Rat)
	switch op {
	case term.Add:
		r.Add(x.rat, y.rat)
	case term.Mul:
		r.Mul(x.rat, y.rat)
	case term.Div:
		if y.rat.Sign() == 0 {
			undefined("division by zero")
		}
		r.Quo(x.rat, y.rat)
		if isInteger(s) {
			r.SetInt(new(big.Int).Quo(r.Num(), r.Denom()))
			if s.Kind == term.Signed && x.rat.Cmp(lowestOf(s).rat) == 0 && y.rat.Cmp(big.NewRat(-1, 1)) == 0 {
				undefined("MIN / -1")
			}
		}
	}
	n := w.round(s, r)
	n.rough = x.rough || y.rough
	return n
}

func isInteger(s term.Sort) bool {
	return s.Kind == term.Signed || s.Kind == term.Unsigned || s.Kind == term.Bool || s.Kind == term.Saturate
}

// order of a number: -inf, numbers and MIN of the reals, inf.
func (x number) less(y number) bool {
	rank := func(z number) int {
		switch z.special {
		case "-inf":
			return -2
		case "min":
			return -1
		case "inf":
			return 1
		}
		return 0
	}
	if rank(x) != 0 || rank(y) != 0 {
		return rank(x) < rank(y)
	}
	return x.real().Cmp(y.real()) < 0
}

// real returns the number that x or a zero of either sign is.
func (x number) real() *big.Rat {
	if x.special == "-0" {
		return new(big.Rat)
	}
	return x.rat
}

func extreme(op term.Op, x, y number) number {
	switch {
	case x.special == "nan":
		return y
	case y.special == "nan":
		return x
	case op == term.Max && x.less(y), op == term.Min && y.less(x):
		return y
	}
	return x
}

func lowestOf(s term.Sort) number {
	switch s.Kind {
	case term.Real:
		return number{special: "min"}
	case term.Float:
		p, most := 53, 1023
		if s.Width == 16 && s.Frac == 8 {
			p, most = 8, 127
		} else if s.Width == 16 {
			p, most = 11, 15
		} else if s.Width == 32 {
			p, most = 24, 127
		}
		r := new(big.Rat).Sub(power2(p), big.NewRat(1, 1))
		return number{rat: r.Neg(r.Mul(r, power2(most-p+1)))}
	case term.Unsigned, term.Bool:
		return number{rat: new(big.Rat)}
	case term.Adaptive:
		r, _ := value.MinValue(value.Exact, elemType(s)).Rat()
		return number{rat: r}
	}
	r := power2(s.Width - 1 - s.Frac)
	return number{rat: r.Neg(r)}
}
