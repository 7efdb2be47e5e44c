// Package words tells whether two machine integers are equal whatever the numbers are that they are computed
// from, or finds numbers for which they differ.
//
//	words.go   circuits of operations on integers, and the question
//	trial.go   the answer by trying all numbers, if there are few
//	diagram.go binary decision diagrams, one for each bit, which are canonical
//	adder.go   operations as diagrams; adders, multipliers, dividers, shifters
//
// Operations are total: a division by 0 and a shift too far give some number, so that functions that are equal
// here agree wherever both have a value in a program. Whether a program has one is asked elsewhere.
package words

// A Kind is what a node computes.
type Kind uint8

const (
	Input   Kind = iota // any number, told from others by Number
	Literal             // Number
	Plus
	Minus // of one operand
	Times
	Over      // towards 0; 0 where the divisor is 0
	Remainder // with the sign of the dividend, which it is where the divisor is 0
	Both      // bit by bit
	Either
	Differ
	Up    // shifted left, by Args[1] modulo the width
	Down  // shifted right; filled with the sign if Signed
	Below // Args[0] < Args[1], of one bit
	Alike // Args[0] = Args[1], of one bit
	Pick  // Args[1] if Args[0], of one bit, is 1, else Args[2]
	Fit   // Args[0] in another width, as it is if it fits and modulo 2^width
)

// A Node is an operation of a circuit. Operands have its width but for Pick's first, Below, Alike and Fit; they are
// read as numbers with a sign if Signed, where that matters.
type Node struct {
	Kind   Kind
	Bits   int // its width: 1 to 64, of Up and Down a power of two
	Signed bool
	Number uint64
	Args   [3]*Node

	index int // in its circuit, after those of its operands
}

// A Circuit holds nodes, each once. The zero value has none.
type Circuit struct {
	nodes []*Node
	table map[Node]*Node
}

// Node returns the node that is like n.
func (c *Circuit) Node(n Node) *Node {
	n.index = 0
	if known := c.table[n]; known != nil {
		return known
	}
	if c.table == nil {
		c.table = map[Node]*Node{}
	}
	out := n
	out.index = len(c.nodes)
	c.table[n] = &out
	c.nodes = append(c.nodes, &out)
	return &out
}

// Literal returns a number modulo 2^bits.
func (c *Circuit) Literal(bits int, n uint64) *Node {
	return c.Node(Node{Kind: Literal, Bits: bits, Number: n & mask(bits)})
}

// Op returns an operation.
func (c *Circuit) Op(k Kind, bits int, signed bool, args ...*Node) *Node {
	n := Node{Kind: k, Bits: bits, Signed: signed}
	copy(n.Args[:], args)
	return c.Node(n)
}

func mask(bits int) uint64 { return 1<<bits - 1 }

// An Answer says whether two nodes are equal. Where they are not, Witness holds numbers of inputs for which they
// differ; others may have any. Known is false where that takes too much.
type Answer struct {
	Equal, Known bool
	Witness      map[*Node]uint64
}

// Inputs of up to trialBits bits are tried without more ado; others where diagrams get too large and no more than mostTrials nodes
// are to be computed.
const (
	trialBits  = 16
	mostTrials = 1 << 28
)

// Compare compares two nodes of one width. spend is told of work, and may panic.
func (c *Circuit) Compare(x, y *Node, spend func(int)) Answer {
	if x == y {
		return Answer{Equal: true, Known: true}
	}
	cone := c.cone(x, y)
	bits := 0
	for _, n := range cone {
		if n.Kind == Input {
			bits += n.Bits
		}
	}
	if bits > trialBits {
		if a := c.diagrams(cone, x, y, spend); a.Known || bits >= 32 || len(c.nodes)<<bits > mostTrials {
			return a
		}
	}
	return c.trial(cone, x, y, spend)
}

// cone lists what two nodes are computed from, and them, operands first.
func (c *Circuit) cone(x, y *Node) (out []*Node) {
	in := make([]bool, len(c.nodes))
	in[x.index], in[y.index] = true, true
	for i := max(x.index, y.index); i >= 0; i-- {
		for _, a := range c.nodes[i].Args {
			if in[i] && a != nil {
				in[a.index] = true
			}
		}
	}
	for i, n := range c.nodes {
		if in[i] {
			out = append(out, n)
		}
	}
	return out
}
