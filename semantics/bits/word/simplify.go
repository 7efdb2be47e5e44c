package word

import "math/big"

// Simplify returns a word of the same value for all inputs, with constants computed, fields read through concatenations and
// extensions, and neutral elements gone. It is a normal form of bit fields, not of sums.
func (b *Builder) Simplify(root *Word) *Word {
	// What is simple already is not walked through again: a netlist is simplified word by word as it is built.
	for stack := []*Word{root}; len(stack) > 0; {
		w := stack[len(stack)-1]
		ready := b.simplified(w) == nil
		if ready {
			for _, a := range w.Args {
				if b.simplified(a) == nil {
					stack, ready = append(stack, a), false
				}
			}
			if !ready {
				continue
			}
			s := b.step(w)
			b.settle(w, s)
			b.settle(s, s)
		}
		stack = stack[:len(stack)-1]
	}
	return b.simplified(root)
}

// simplified is what a word of b was simplified to, or nil.
func (b *Builder) simplified(w *Word) *Word {
	if w.ID < len(b.simple) {
		return b.simple[w.ID]
	}
	return nil
}

func (b *Builder) settle(w, s *Word) {
	for len(b.simple) <= w.ID {
		b.simple = append(b.simple, make([]*Word, len(b.words)-len(b.simple))...)
	}
	b.simple[w.ID] = s
}

// step simplifies a word whose arguments have been.
func (b *Builder) step(w *Word) *Word {
	if len(w.Args) == 0 {
		return w
	}
	args, constant := make([]*Word, len(w.Args)), true
	for i, a := range w.Args {
		args[i] = b.simplified(a)
		constant = constant && args[i].Op == Const
	}
	if constant {
		values := make([]*big.Int, len(args))
		for i, a := range args {
			values[i] = a.Value
		}
		return b.Const(w.Width, compute(w, values))
	}
	isZero := func(a *Word) bool { return a.Op == Const && a.Value.Sign() == 0 }
	isOnes := func(a *Word) bool { return a.Op == Const && a.Value.Cmp(Mod(big.NewInt(-1), a.Width)) == 0 }
	switch w.Op {
	case Extract:
		return b.field(args[0], w.Hi, w.Lo)
	case ZeroExt, SignExt:
		return b.Extend(w.Op, args[0], w.Width)
	case Lookup:
		return b.table(w.Value, args)
	case Ite:
		switch {
		case args[0].Op == Const && args[0].Value.Sign() != 0, args[1] == args[2]:
			return args[1]
		case args[0].Op == Const:
			return args[2]
		}
	case And, Or, Xor, Add:
		var rest []*Word
		for _, a := range args {
			switch {
			case w.Op == And && isZero(a), w.Op == Or && isOnes(a):
				return a
			case w.Op == And && isOnes(a), w.Op != And && isZero(a):
			default:
				rest = append(rest, a)
			}
		}
		switch len(rest) {
		case 0: // all were neutral
			return args[0]
		case 1:
			return rest[0]
		}
		args = rest
	case Not:
		if args[0].Op == Not {
			return args[0].Args[0]
		}
	case Eq:
		if args[0] == args[1] {
			return b.Bool(true)
		}
	case Concat:
		return b.row(args)
	case RedAnd, RedOr, RedXor:
		if args[0].Width == 1 {
			return args[0]
		}
	}
	return b.Apply(w.Op, args...)
}

// field is bits hi..lo of a word that is simple.
func (b *Builder) field(a *Word, hi, lo int) *Word {
	switch {
	case lo == 0 && hi == a.Width-1:
		return a
	case a.Op == Const:
		return b.Const(hi-lo+1, new(big.Int).Rsh(a.Value, uint(lo)))
	case a.Op == Extract:
		return b.field(a.Args[0], a.Lo+hi, a.Lo+lo)
	case a.Op == ZeroExt || a.Op == SignExt:
		in := a.Args[0]
		switch {
		case hi < in.Width:
			return b.field(in, hi, lo)
		case a.Op == ZeroExt && lo >= in.Width:
			return b.Int(hi-lo+1, 0)
		}
	case a.Op == Concat:
		base := a.Width
		var parts []*Word
		for _, p := range a.Args {
			base -= p.Width
			if from, to := max(lo, base), min(hi, base+p.Width-1); from <= to {
				parts = append(parts, b.field(p, to-base, from-base))
			}
		}
		return b.row(parts)
	}
	return b.Extract(a, hi, lo)
}

// row concatenates simple words: neighbours that are fields of one word, or constants, become one.
func (b *Builder) row(parts []*Word) *Word {
	var out []*Word
	for _, p := range parts {
		if p.Op == Concat {
			for _, q := range p.Args {
				out = b.beside(out, q)
			}
			continue
		}
		out = b.beside(out, p)
	}
	return b.Concat(out...)
}

func (b *Builder) beside(out []*Word, p *Word) []*Word {
	if len(out) > 0 {
		last := out[len(out)-1]
		lw, lhi, llo := bounds(last)
		pw, phi, plo := bounds(p)
		switch {
		case last.Op == Const && p.Op == Const:
			v := new(big.Int).Lsh(last.Value, uint(p.Width))
			out[len(out)-1] = b.Const(last.Width+p.Width, v.Or(v, p.Value))
			return out
		case lw == pw && llo == phi+1:
			out[len(out)-1] = b.field(lw, lhi, plo)
			return out
		}
	}
	return append(out, p)
}

// bounds says of which word w is which field.
func bounds(w *Word) (of *Word, hi, lo int) {
	if w.Op == Extract {
		return w.Args[0], w.Hi, w.Lo
	}
	return w, w.Width - 1, 0
}

// table is a lookup without the inputs that are constant or on which it does not depend.
func (b *Builder) table(t *big.Int, inputs []*Word) *Word {
	rest := append([]*Word(nil), inputs...)
	t = new(big.Int).Set(t)
	// halves are the tables with input i at 0 and at 1.
	halves := func(i int) (out [2]*big.Int) {
		for v := range out {
			out[v] = new(big.Int)
			for k := range 1 << (len(rest) - 1) {
				at := k>>i<<(i+1) | v<<i | k&(1<<i-1)
				out[v].SetBit(out[v], k, t.Bit(at))
			}
		}
		return out
	}
	drop := func(i int, table *big.Int) {
		t = table
		rest = append(rest[:i], rest[i+1:]...)
	}
	// Constants go first: what a table depends on is known only then.
	for i := len(rest) - 1; i >= 0; i-- {
		if rest[i].Op == Const {
			drop(i, halves(i)[rest[i].Value.Bit(0)])
		}
	}
	for i := len(rest) - 1; i >= 0; i-- {
		if h := halves(i); h[0].Cmp(h[1]) == 0 {
			drop(i, h[0])
		}
	}
	if len(rest) == 1 { // it depends on that input
		if t.Bit(1) == 1 {
			return rest[0]
		}
		return b.Apply(Not, rest[0])
	}
	return b.Lookup(t, rest...)
}
