package words

// byValues tries all values of the leaves.
func (p *Program) byValues(x, y int, spend func(int)) bool {
	var leaves, rest []int
	total := 0
	for i, in := range p.needed(x, y) {
		switch {
		case !in:
		case p.words[i].Op == Leaf:
			leaves = append(leaves, i)
			total += p.words[i].Width
		default:
			rest = append(rest, i)
		}
	}
	values := make([]uint64, len(p.words))
	for n := range uint64(1) << total {
		if n%4096 == 0 {
			spend(len(rest))
		}
		left := n
		for _, i := range leaves {
			values[i] = left & ones(p.words[i].Width)
			left >>= p.words[i].Width
		}
		for _, i := range rest {
			values[i] = p.value(&p.words[i], values)
		}
		if values[x] != values[y] {
			return false
		}
	}
	return true
}

// value computes a word from those before it, all as numbers that are not negative.
func (p *Program) value(w *Word, values []uint64) uint64 {
	x, y := values[w.Args[0]], values[w.Args[1]]
	var out uint64
	switch w.Op {
	case Const:
		out = w.Value
	case Add:
		out = x + y
	case Neg:
		out = -x
	case Mul:
		out = x * y
	case Div:
		out = w.quotient(x, y)
	case Rem:
		out = x - y*w.quotient(x, y)
	case And:
		out = x & y
	case Or:
		out = x | y
	case Xor:
		out = x ^ y
	case ShiftLeft:
		out = x << (y % uint64(w.Width))
	case ShiftRight:
		if by := y % uint64(w.Width); w.Signed {
			out = uint64(signed(x, w.Width) >> by)
		} else {
			out = x >> by
		}
	case Less:
		if n := p.words[w.Args[0]].Width; w.Signed {
			out = truth(signed(x, n) < signed(y, n))
		} else {
			out = truth(x < y)
		}
	case Equal:
		out = truth(x == y)
	case Choose:
		if out = values[w.Args[2]]; x == 1 {
			out = y
		}
	case Convert:
		if out = x; w.Signed {
			out = uint64(signed(x, p.words[w.Args[0]].Width))
		}
	}
	return out & ones(w.Width)
}

func (w *Word) quotient(x, y uint64) uint64 {
	switch {
	case y == 0:
		return 0
	case w.Signed: // the least number by -1 is itself
		return uint64(signed(x, w.Width) / signed(y, w.Width))
	}
	return x / y
}

// signed reads the lowest bits of x as a number with a sign.
func signed(x uint64, width int) int64 {
	return int64(x<<(64-width)) >> (64 - width)
}

func truth(c bool) uint64 {
	if c {
		return 1
	}
	return 0
}
