package words

// trial computes both nodes for all numbers of the inputs, small ones first.
func (c *Circuit) trial(cone []*Node, x, y *Node, spend func(int)) Answer {
	value := make([]uint64, len(c.nodes))
	total := 0
	for _, n := range cone {
		if n.Kind == Input {
			total += n.Bits
		}
	}
	for number := range uint64(1) << total {
		if number&(1<<12-1) == 0 {
			spend(1 + len(cone))
		}
		rest := number
		for _, n := range cone {
			if n.Kind == Input {
				value[n.index] = rest & mask(n.Bits)
				rest >>= n.Bits
			} else {
				value[n.index] = n.compute(value)
			}
		}
		if value[x.index] == value[y.index] {
			continue
		}
		out := Answer{Known: true, Witness: map[*Node]uint64{}}
		for _, n := range cone {
			if n.Kind == Input {
				out.Witness[n] = value[n.index]
			}
		}
		return out
	}
	return Answer{Equal: true, Known: true}
}

// compute returns the bits of a node, those of its operands being known.
func (n *Node) compute(value []uint64) uint64 {
	var v [3]uint64
	for i, a := range n.Args {
		if a != nil {
			v[i] = value[a.index]
		}
	}
	return n.apply(v[0], v[1], v[2]) & mask(n.Bits)
}

func (n *Node) apply(x, y, z uint64) uint64 {
	is := func(holds bool) uint64 {
		if holds {
			return 1
		}
		return 0
	}
	switch n.Kind {
	case Literal:
		return n.Number
	case Plus:
		return x + y
	case Minus:
		return -x
	case Times:
		return x * y
	case Over, Remainder:
		return n.divide(x, y)
	case Both:
		return x & y
	case Either:
		return x | y
	case Differ:
		return x ^ y
	case Up:
		return x << (y & uint64(n.Bits-1))
	case Down:
		if n.Signed {
			return uint64(n.Args[0].signed(x) >> (y & uint64(n.Bits-1)))
		}
		return x >> (y & uint64(n.Bits-1))
	case Below:
		if n.Signed {
			return is(n.Args[0].signed(x) < n.Args[1].signed(y))
		}
		return is(x < y)
	case Alike:
		return is(x == y)
	case Pick:
		if x == 0 {
			return z
		}
		return y
	}
	if n.Signed { // Fit
		return uint64(n.Args[0].signed(x))
	}
	return x
}

func (n *Node) divide(x, y uint64) uint64 {
	quotient := n.Kind == Over
	switch {
	case y == 0 && quotient:
		return 0
	case y == 0:
		return x
	case n.Signed:
		a, b := n.Args[0].signed(x), n.Args[1].signed(y)
		if quotient {
			return uint64(a / b)
		}
		return uint64(a % b)
	case quotient:
		return x / y
	}
	return x % y
}

// signed is the number with a sign that bits of a node are.
func (n *Node) signed(x uint64) int64 {
	if x>>(n.Bits-1) == 1 {
		return int64(x | ^mask(n.Bits))
	}
	return int64(x)
}
