package lower

import (
	"fmt"
	"math"
	"math/big"

	"tv/semantics/domain"
	"tv/semantics/term"
	"tv/semantics/value"
)

// input returns an element of an input as a number.
func (w *world) input(t *term.Term, offset int64) number {
	v := w.inputs.Element(t.Tensor.Name, offset)
	if v.IsMin() {
		return number{special: "min"}
	}
	if t.Sort.Kind == term.Adaptive && v.String() == "-0" {
		return number{rat: new(big.Rat)} // the sign of a zero is not looked at
	}
	if s := v.String(); s == "-0" || s == "nan" || s == "inf" || s == "-inf" {
		return number{special: s}
	}
	r, ok := v.Rat()
	if !ok {
		panic("input " + v.String())
	}
	return number{rat: r}
}

// elemType returns the element type of a sort.
func elemType(s term.Sort) domain.Elem {
	kinds := [...]domain.ElemKind{
		term.Float: domain.ElemFloat, term.Signed: domain.ElemInt, term.Unsigned: domain.ElemUint,
		term.Bool: domain.ElemBool, term.Saturate: domain.ElemSat, term.Fixed: domain.ElemFix,
		term.Adaptive: domain.ElemAdaptive,
	}
	return domain.Elem{Kind: kinds[s.Kind], Width: s.Width, Frac: s.Frac}
}

// round brings the exact result of an operation into a sort.
func (w *world) round(s term.Sort, r *big.Rat) number {
	switch s.Kind {
	case term.Real:
		return number{rat: r}
	case term.Float:
		r, name := roundFloat(s, r)
		return number{rat: r, special: name}
	case term.Adaptive:
		v, err := value.ParseValue(r.RatString(), value.Exact, elemType(s))
		if err != nil {
			panic(err)
		}
		r, _ := v.Rat()
		return number{rat: r}
	case term.Saturate:
		low := lowestOf(s).rat
		high := new(big.Rat).Sub(new(big.Rat).Neg(low), big.NewRat(1, 1))
		if r.Cmp(low) < 0 {
			return number{rat: low}
		}
		if r.Cmp(high) > 0 {
			return number{rat: high}
		}
		return number{rat: r}
	}
	scaled := new(big.Rat).Mul(r, power2(s.Frac))
	n := floor(scaled)
	n.Mod(n, new(big.Int).Lsh(big.NewInt(1), uint(s.Width)))
	if s.Kind != term.Unsigned && s.Kind != term.Bool && n.BitLen() == s.Width {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(s.Width)))
	}
	return number{rat: new(big.Rat).Mul(new(big.Rat).SetInt(n), power2(-s.Frac))}
}

func floor(r *big.Rat) *big.Int {
	q, m := new(big.Int), new(big.Int)
	q.DivMod(r.Num(), r.Denom(), m)
	return q
}

// float applies an operation of IEEE-754.
func (w *world) float(op term.Op, s term.Sort, x, y number) number {
	switch {
	case x.special == "nan" || y.special == "nan":
		return number{special: "nan"}
	case x.infinite() || y.infinite():
		return infiniteResult(op, x, y)
	}
	a, b := x.real(), y.real()
	negative := x.negative() != y.negative()
	r := new(big.Rat)
	switch op {
	case term.Add:
		if r.Add(a, b); r.Sign() == 0 {
			return zero(x.negative() && y.negative())
		}
	case term.Mul:
		if r.Mul(a, b); r.Sign() == 0 {
			return zero(negative)
		}
	case term.Div:
		switch {
		case a.Sign() == 0 && b.Sign() == 0:
			return number{special: "nan"}
		case b.Sign() == 0:
			return infinity(negative)
		case a.Sign() == 0:
			return zero(negative)
		}
		r.Quo(a, b)
	}
	return w.round(s, r)
}

func (x number) infinite() bool { return x.special == "inf" || x.special == "-inf" }

func (x number) negative() bool {
	return x.special == "-inf" || x.special == "-0" || x.special == "" && x.rat.Sign() < 0
}

func zero(negative bool) number {
	if negative {
		return number{special: "-0"}
	}
	return number{rat: new(big.Rat)}
}

func infinity(negative bool) number {
	if negative {
		return number{special: "-inf"}
	}
	return number{special: "inf"}
}

func infiniteResult(op term.Op, x, y number) number {
	nan := number{special: "nan"}
	negative := x.negative() != y.negative()
	switch op {
	case term.Add:
		if x.infinite() && y.infinite() && negative {
			return nan
		}
		if x.infinite() {
			return x
		}
		return y
	case term.Mul:
		if !x.infinite() && x.real().Sign() == 0 || !y.infinite() && y.real().Sign() == 0 {
			return nan
		}
		return infinity(negative)
	}
	if x.infinite() && y.infinite() {
		return nan
	}
	if x.infinite() {
		return infinity(negative)
	}
	return zero(negative)
}

// applyExact applies a function to values of a sort other than the reals.
func (w *world) applyExact(t *term.Term, args []number) number {
	s, x := t.Sort, number{}
	if len(args) > 0 {
		x = args[0]
	}
	switch t.Name {
	case fnRelu:
		if x.special == "nan" || x.special == "-inf" || x.special == "" && x.rat.Sign() < 0 {
			return number{rat: new(big.Rat)}
		}
		return x
	case fnLeakyRelu: // of an x that is not positive
		return w.binary(term.Mul, s, args[1], x)
	case fnMean:
		if args[1].rat.Sign() == 0 {
			undefined("mean of nothing")
		}
		if s.Kind == term.Float && (x.special != "" || x.rat.Sign() == 0) {
			return w.float(term.Div, s, x, args[1])
		}
		r := new(big.Rat).Quo(x.rat, args[1].rat)
		if isInteger(s) {
			r.SetInt(new(big.Int).Quo(r.Num(), r.Denom()))
		}
		return w.round(s, r)
	case fnSubtract:
		return w.round(s, new(big.Rat).Sub(x.rat, args[1].rat))
	case fnRound:
		if x.special != "" {
			return x
		}
		half := new(big.Rat).Add(new(big.Rat).Abs(x.rat), big.NewRat(1, 2))
		r := new(big.Rat).SetInt(floor(half))
		if x.rat.Sign() < 0 {
			if r.Sign() == 0 && s.Kind == term.Float {
				return zero(true)
			}
			r.Neg(r)
		}
		return w.round(s, r)
	case fnLeftShift, fnRightShift:
		if !interpreted(t.Name, s) {
			break
		}
		n := args[1].rat.Num().Int64()
		if n < 0 || n >= int64(s.Width) {
			undefined("shift")
		}
		if t.Name == fnRightShift {
			n = -n
		}
		bits := new(big.Rat).SetInt(floor(new(big.Rat).Mul(x.rat, power2(int(n)+s.Frac))))
		return w.round(s, bits.Mul(bits, power2(-s.Frac)))
	case term.Sqrt:
		return w.sqrt(s, x)
	}
	panic(fail{fmt.Errorf("%w: %s", errUninterpreted, t.Name)})
}

// sqrt is correctly rounded, by way of more digits than any sort has.
func (w *world) sqrt(s term.Sort, x number) number {
	if s.Kind == term.Float {
		switch {
		case x.special == "nan" || x.special == "inf" || x.special == "-0":
			return x
		case x.negative():
			return number{special: "nan"}
		}
	}
	if x.rat.Sign() < 0 {
		undefined("sqrt")
	}
	if x.rat.Sign() == 0 {
		return x
	}
	root := new(big.Float).SetPrec(400).SetRat(x.rat)
	r, _ := root.Sqrt(root).Rat(nil)
	if isInteger(s) {
		r.SetInt(floor(r))
	}
	return w.round(s, r)
}

// convert casts x.
func (w *world) convert(to, from term.Sort, x number) number {
	switch {
	case to.Kind == term.Float && from.Kind == term.Float && x.special != "":
		return x
	case to.Kind == term.Bool:
		return number{rat: big.NewRat(int64(sign(x)*sign(x)), 1)}
	case (to.Kind == term.Saturate || to.Kind == term.Adaptive) && x.infinite():
		most := number{rat: power2(to.Width)}
		if x.negative() {
			most.rat.Neg(most.rat)
		}
		return w.round(to, most.rat)
	case x.special == "nan" || x.infinite():
		undefined("cast of " + x.special)
	}
	r := x.real()
	if to.Kind == term.Float || to.Kind == term.Adaptive {
		return w.round(to, r)
	}
	if isInteger(to) {
		r = new(big.Rat).SetInt(new(big.Int).Quo(r.Num(), r.Denom()))
	}
	got := w.round(to, r)
	off := new(big.Rat).Sub(got.rat, r)
	if !isInteger(from) && to.Kind != term.Saturate && off.Abs(off).Cmp(power2(-to.Frac)) >= 0 {
		undefined("cast out of range")
	}
	return got
}

// sign returns -1, 0 or 1; NaN is not 0.
func sign(x number) int {
	if x.special == "nan" || x.infinite() {
		return 1
	}
	return x.real().Sign()
}

// roughlyEqual compares a number with an enclosure that the evaluator prints.
func roughlyEqual(x number, v value.Value) bool {
	var lo, hi float64
	if _, err := fmt.Sscanf(v.String(), "[%g, %g]", &lo, &hi); err != nil {
		r, ok := v.Rat()
		if !ok {
			return false
		}
		lo, _ = r.Float64()
		hi = lo
	}
	f, _ := x.rat.Float64()
	return math.Abs(f-(lo+hi)/2) <= 1e-6*(1+math.Abs(f))
}
