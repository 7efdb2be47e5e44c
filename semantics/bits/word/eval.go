package word

import "math/big"

// Eval returns the value of each word that roots reach, where leaf gives those of inputs, states and what is open. Values are shared: they are
// not to be changed.
func Eval(leaf func(*Word) *big.Int, roots ...*Word) map[*Word]*big.Int {
	values := map[*Word]*big.Int{}
	args := []*big.Int{}
	for _, w := range Reach(roots...) {
		if w.Op == Input || w.Op == State || w.Op == Open {
			values[w] = Mod(leaf(w), w.Width)
			continue
		}
		args = args[:0]
		for _, a := range w.Args {
			args = append(args, values[a])
		}
		values[w] = compute(w, args)
	}
	return values
}

// compute applies the operation of w to values of its arguments.
func compute(w *Word, v []*big.Int) *big.Int {
	z := new(big.Int)
	truth := func(t bool) *big.Int {
		if t {
			return z.SetInt64(1)
		}
		return z.SetInt64(0)
	}
	argWidth := 0
	if len(w.Args) > 0 {
		argWidth = w.Args[0].Width
	}
	signed := func(i int) *big.Int { return Signed(v[i], w.Args[i].Width) }
	switch w.Op {
	case Const:
		return w.Value
	case Not:
		z.Not(v[0])
	case Neg:
		z.Neg(v[0])
	case And, Or, Xor, Add, Mul:
		z.Set(v[0])
		for _, x := range v[1:] {
			switch w.Op {
			case And:
				z.And(z, x)
			case Or:
				z.Or(z, x)
			case Xor:
				z.Xor(z, x)
			case Add:
				z.Add(z, x)
			case Mul:
				z.Mul(z, x)
				z.Set(Mod(z, w.Width))
			}
		}
	case Sub:
		z.Sub(v[0], v[1])
	case UDiv:
		if v[1].Sign() == 0 {
			return Mod(z.SetInt64(-1), w.Width)
		}
		z.Quo(v[0], v[1])
	case URem:
		if v[1].Sign() == 0 {
			return v[0]
		}
		z.Rem(v[0], v[1])
	case SDiv:
		if v[1].Sign() == 0 { // the sign of the dividend decides: -1 unless it is negative
			if signed(0).Sign() < 0 {
				return z.SetInt64(1)
			}
			return Mod(z.SetInt64(-1), w.Width)
		}
		z.Quo(signed(0), signed(1))
	case SRem:
		if v[1].Sign() == 0 {
			return v[0]
		}
		z.Rem(signed(0), signed(1))
	case SMod:
		if v[1].Sign() == 0 {
			return v[0]
		}
		s, t := signed(0), signed(1)
		if z.Rem(s, t); z.Sign() != 0 && s.Sign()*t.Sign() < 0 {
			z.Add(z, t)
		}
	case Shl, LShr, AShr:
		n := argWidth
		if v[1].IsInt64() && v[1].Int64() < int64(argWidth) {
			n = int(v[1].Int64())
		}
		switch w.Op {
		case Shl:
			z.Lsh(v[0], uint(n))
		case LShr:
			z.Rsh(v[0], uint(n))
		case AShr:
			z.Rsh(signed(0), uint(n))
		}
	case Eq:
		return truth(v[0].Cmp(v[1]) == 0)
	case ULT:
		return truth(v[0].Cmp(v[1]) < 0)
	case ULE:
		return truth(v[0].Cmp(v[1]) <= 0)
	case SLT:
		return truth(signed(0).Cmp(signed(1)) < 0)
	case SLE:
		return truth(signed(0).Cmp(signed(1)) <= 0)
	case Ite:
		if v[0].Sign() != 0 {
			return v[1]
		}
		return v[2]
	case Concat:
		for i, x := range v {
			z.Or(z.Lsh(z, uint(w.Args[i].Width)), x)
		}
	case Extract:
		z.Rsh(v[0], uint(w.Lo))
	case ZeroExt:
		return v[0]
	case SignExt:
		z.Set(signed(0))
	case Lookup:
		at := 0
		for i, x := range v {
			at |= int(x.Bit(0)) << i
		}
		return z.SetInt64(int64(w.Value.Bit(at)))
	case RedAnd:
		return truth(v[0].Cmp(Mod(big.NewInt(-1), argWidth)) == 0)
	case RedOr:
		return truth(v[0].Sign() != 0)
	case RedXor:
		n := 0
		for i := range argWidth {
			n ^= int(v[0].Bit(i))
		}
		return z.SetInt64(int64(n))
	default:
		check(false, "Eval(%s)", w.Op)
	}
	return Mod(z, w.Width)
}

// Signed is the number that v is in two's complement.
func Signed(v *big.Int, width int) *big.Int {
	if v.Bit(width-1) == 0 {
		return new(big.Int).Set(v)
	}
	return new(big.Int).Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(width)))
}
