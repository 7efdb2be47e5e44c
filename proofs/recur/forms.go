package recur

import (
	"maps"
	"math/big"
	"slices"
	"strings"

	"tv/proofs/algebra"
	"tv/semantics/domain"
)

// A Form is an affine form: N, and the factor of each variable, of which none is 0. Variables are
// sizes of BEFORE, by name, and #0, #1, ... and ~0, ~1, ... of the place where it stands. Forms are
// never changed.
type Form struct {
	N  *big.Int
	Of map[string]*big.Int
}

// A Row says that a form is 0, or not negative.
type Row struct {
	Form
	Equal      bool
	key, other string // of a reduced inequality: what stands beside the constant, and its negative
	never      bool   // of a reduced row: it holds nowhere, as it stands
}

func number(n int64) Form { return Form{N: big.NewInt(n)} }

func named(name string) Form {
	return Form{N: new(big.Int), Of: map[string]*big.Int{name: big.NewInt(1)}}
}

// plus returns f + k·g.
func (f Form) plus(k int64, g Form) Form { return f.with(big.NewInt(k), g) }

func (f Form) with(k *big.Int, g Form) Form {
	out := Form{new(big.Int).Mul(k, g.N), maps.Clone(f.Of)}
	out.N.Add(out.N, f.N)
	if out.Of == nil {
		out.Of = map[string]*big.Int{}
	}
	for name, v := range g.Of {
		sum := new(big.Int).Mul(k, v)
		if old := out.Of[name]; old != nil {
			sum.Add(sum, old)
		}
		if out.Of[name] = sum; sum.Sign() == 0 {
			delete(out.Of, name)
		}
	}
	return out
}

func (f Form) minus(g Form) Form          { return f.plus(-1, g) }
func (f Form) shifted(n int64) Form       { return f.plus(1, number(n)) }
func (f Form) times(n *big.Int) Form      { return number(0).with(n, f) }
func (f Form) zero() bool                 { return len(f.Of) == 0 && f.N.Sign() == 0 }
func (f Form) constant() (*big.Int, bool) { return f.N, len(f.Of) == 0 }

func atLeast0(f Form) Row { return Row{Form: f} }
func equal0(f Form) Row   { return Row{Form: f, Equal: true} }

// below is f < g.
func below(f, g Form) Row { return atLeast0(g.minus(f).shifted(-1)) }

// not is what a row excludes: what is no equation has one alternative, an equation two.
func (r Row) not() []Row {
	less := atLeast0(r.times(big.NewInt(-1)).shifted(-1))
	if r.Equal {
		return []Row{less, atLeast0(r.shifted(-1))}
	}
	return []Row{less}
}

// shared is what all factors of a form share; 0 without variables.
func (f Form) shared() *big.Int {
	g := new(big.Int)
	for _, v := range f.Of {
		g.GCD(nil, nil, g, new(big.Int).Abs(v))
	}
	return g
}

// reduced is a row divided by what its factors share: of an inequality the constant is rounded
// down, as all else is an integer. An equation whose constant is no multiple stays.
func (r Row) reduced() Row {
	g := r.shared()
	if g.Sign() != 0 && !(g.IsInt64() && g.Int64() == 1) {
		q, rest := new(big.Int).DivMod(r.N, g, new(big.Int))
		if r.Equal && rest.Sign() != 0 {
			r.never = true
			return r
		}
		out := Row{Form: Form{q, map[string]*big.Int{}}, Equal: r.Equal}
		for name, v := range r.Of {
			out.Of[name] = new(big.Int).Quo(v, g)
		}
		r = out
	}
	if g.Sign() == 0 {
		r.never = r.N.Sign() < 0 || r.Equal && r.N.Sign() != 0
	}
	if !r.Equal {
		r.key, r.other = r.variables(), r.times(big.NewInt(-1)).variables()
	}
	return r
}

// empty reports whether reduced rows exclude each other as they stand: one holds nowhere, or two
// inequalities sum up to a negative number.
func empty(rows []Row) bool {
	least := map[string]*big.Int{} // by what stands beside the constant
	for _, r := range rows {
		if r.never {
			return true
		}
		if r.Equal {
			continue
		}
		if n := least[r.other]; n != nil && new(big.Int).Add(n, r.N).Sign() < 0 {
			return true
		}
		if n := least[r.key]; n == nil || r.N.Cmp(n) < 0 {
			least[r.key] = r.N
		}
	}
	return false
}

// variables prints a form without its constant.
func (f Form) variables() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(f.Of)) {
		switch v := f.Of[name]; {
		case v.IsInt64() && v.Int64() == 1:
			b.WriteString("+" + name)
		case v.IsInt64() && v.Int64() == -1:
			b.WriteString("-" + name)
		case v.Sign() > 0:
			b.WriteString("+" + v.String() + "*" + name)
		default:
			b.WriteString(v.String() + "*" + name)
		}
	}
	return b.String()
}

// String prints a form as certificates write it.
func (f Form) String() string {
	text := strings.TrimPrefix(f.variables(), "+")
	switch {
	case text == "":
		return f.N.String()
	case f.N.Sign() > 0:
		return text + "+" + f.N.String()
	case f.N.Sign() < 0:
		return text + f.N.String()
	}
	return text
}

// String prints a row.
func (r Row) String() string {
	if r.Equal {
		return r.Form.String() + " = 0"
	}
	return r.Form.String() + " >= 0"
}

// parse reads a form: a sum of N, NAME and N*NAME, each with its sign.
func parse(text string, known func(name string) (Form, bool)) Form {
	out, rest := number(0), text
	for first := true; rest != ""; first = false {
		k := big.NewInt(1)
		switch {
		case rest[0] == '-':
			k.SetInt64(-1)
			rest = rest[1:]
		case rest[0] == '+' && !first:
			rest = rest[1:]
		case !first:
			malformed("%q is no form", text)
		}
		end := strings.IndexAny(rest, "+-")
		if end < 0 {
			end = len(rest)
		}
		factor, name, product := strings.Cut(rest[:end], "*")
		rest = rest[end:]
		if !digits(factor) {
			if factor == "" || product {
				malformed("%q is no form", text)
			}
			factor, name, product = "1", factor, true
		}
		n, _ := new(big.Int).SetString(factor, 10)
		k.Mul(k, n)
		if !product {
			out = out.with(k, number(1))
			continue
		} else if name == "" {
			malformed("%q is no form", text)
		}
		x, ok := known(name)
		if !ok {
			malformed("%q has no variable %s here", text, name)
		}
		out = out.with(k, x)
	}
	if text == "" {
		malformed("an empty form")
	}
	return out
}

// digits reports whether a text is a natural number of a length that is in hand.
func digits(text string) bool {
	return text != "" && len(text) <= maxDigits &&
		!strings.ContainsFunc(text, func(r rune) bool { return r < '0' || r > '9' })
}

const maxDigits = 256

// affine is a size as a form over names, if it is one. At a place, if there is one, quotients by
// numbers become variables.
func (p *place) affine(x domain.Size) (out Form, ok bool) {
	if n, ok := x.Const(); ok {
		return Form{N: n}, true
	}
	if x.Op() == domain.SizeName {
		return named(x.Name()), plain(x.Name())
	}
	for i, y := range x.Operands() {
		f, ok := p.affine(y)
		n, number := f.constant()
		m, also := out.constant()
		switch {
		case !ok:
			return out, false
		case i == 0:
			out = f
		case x.Op() == domain.SizeAdd:
			out = out.plus(1, f)
		case x.Op() == domain.SizeMul && number:
			out = out.times(n)
		case x.Op() == domain.SizeMul && also:
			out = f.times(m)
		case x.Op() == domain.SizeDiv && number && n.Sign() > 0 && p != nil:
			out = p.floor(out, f)
		case x.Op() == domain.SizeMod && number && n.Sign() > 0 && p != nil:
			out = out.minus(p.floor(out, f).times(n))
		default:
			return out, false
		}
	}
	return out, true
}

// plain reports whether certificates can write a name.
func plain(name string) bool {
	return name != "" && !strings.ContainsAny(name, "#~+-*:() \t\r\n") && !digits(name[:1])
}

func product(x, y Form) Form {
	if n, ok := x.constant(); ok {
		return y.times(n)
	}
	n, ok := y.constant()
	if !ok {
		unsupported("a product of names or counters")
	}
	return x.times(n)
}

func unsupported(format string, args ...any) {
	algebra.Fail(algebra.CodeUnsupported, format, args...)
}

func malformed(format string, args ...any) { algebra.Fail(algebra.CodeWitness, format, args...) }
