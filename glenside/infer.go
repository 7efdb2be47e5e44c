package glenside

import (
	"fmt"

	"tv/internal/source"
	"tv/semantics/domain"
)

// Infer declares the tensors of a program that declares none: it finds their ranks from how the program uses
// them and names their dims NAME_0, NAME_1 and so on, which Check then relates by conditions. Elements are
// float32. Errors: source.Errors with code rank-unknown, one for each tensor whose rank the program leaves
// open.
func Infer(p *Program) (*domain.Env, error) {
	s := newRankSolver(p)
	s.propagate()
	env := &domain.Env{Tensors: map[string]domain.Tensor{}, Mins: map[string]int64{}}
	taken := map[string]bool{}
	for _, u := range p.Declarations().Sizes {
		taken[u.Name] = true
	}
	var errs source.Errors
	for _, n := range p.Nodes {
		if n.Kind != KindSymbol {
			continue
		}
		rank, ok := s.value(rankOf(n))
		switch {
		case !ok:
			errs = append(errs, source.Errorf(p.Span(n), "rank-unknown",
				"the program does not fix the rank of %s; add --input %s=DIMxDIM...", n.Text, n.Text))
			continue
		case rank < 0 || rank > maxRank:
			errs = append(errs, source.Errorf(p.Span(n), "rank-unknown",
				"the program asks for a rank of %d of %s, which no tensor has here", rank, n.Text))
			continue
		}
		t := domain.Tensor{Name: n.Text, Elem: domain.Float32}
		for i := range rank {
			name := fmt.Sprintf("%s_%d", n.Text, i)
			for taken[name] {
				name += "_"
			}
			taken[name] = true
			t.Dims = append(t.Dims, domain.NamedSize(name))
			env.Mins[name] = 1
		}
		env.Tensors[n.Text] = t
	}
	if len(errs) > 0 {
		return nil, errs
	}
	return env, nil
}

// A rankVar is an unknown of a node: its split or its rank. A shape and a list have a rank as well, the
// number of their entries; a tuple made by one operator has those of its components.
type rankVar int

func splitOf(n *Node) rankVar { return rankVar(2 * n.ID) }
func rankOf(n *Node) rankVar  { return rankVar(2*n.ID + 1) }

// A linear is a sum of unknowns with coefficients and a constant.
type linear struct {
	vars  []rankVar
	coefs []int
	k     int
}

func (a linear) plus(k int) linear { return linear{a.vars, a.coefs, a.k + k} }

// combine returns a + c*b.
func (a linear) combine(c int, b linear) linear {
	sum := linear{append([]rankVar{}, a.vars...), append([]int{}, a.coefs...), a.k + c*b.k}
	for i, v := range b.vars {
		sum.vars = append(sum.vars, v)
		sum.coefs = append(sum.coefs, c*b.coefs[i])
	}
	return sum
}

func (a linear) add(b linear) linear { return a.combine(1, b) }
func (a linear) sub(b linear) linear { return a.combine(-1, b) }

func constant(k int) linear  { return linear{k: k} }
func split(n *Node) linear   { return linear{[]rankVar{splitOf(n)}, []int{1}, 0} }
func rank(n *Node) linear    { return linear{[]rankVar{rankOf(n)}, []int{1}, 0} }
func compute(n *Node) linear { return rank(n).sub(split(n)) }

// A rankRule relates unknowns: a linear sum that is 0, or unknowns that give others when all are known.
type rankRule struct {
	zero linear
	from []rankVar
	then func()
}

// A rankSolver finds ranks by propagation: an equation with one unknown left gives its value.
type rankSolver struct {
	known  []bool
	values []int
	rules  [][]*rankRule // by unknown
	queue  []*rankRule
}

func newRankSolver(p *Program) *rankSolver {
	s := &rankSolver{
		known: make([]bool, 2*len(p.Nodes)), values: make([]int, 2*len(p.Nodes)),
		rules: make([][]*rankRule, 2*len(p.Nodes)),
	}
	for _, n := range p.Nodes {
		if n.Kind == KindCall {
			s.call(n)
		}
	}
	return s
}

func (s *rankSolver) value(v rankVar) (int, bool) { return s.values[v], s.known[v] }

func (s *rankSolver) set(v rankVar, value int) {
	if !s.known[v] {
		s.known[v], s.values[v] = true, value
		s.queue = append(s.queue, s.rules[v]...)
	}
}

func (s *rankSolver) addRule(r *rankRule, vars []rankVar) {
	for _, v := range vars {
		s.rules[v] = append(s.rules[v], r)
	}
	s.queue = append(s.queue, r)
}

// equal states that a = b.
func (s *rankSolver) equal(a, b linear) {
	zero := a.sub(b)
	s.addRule(&rankRule{zero: zero}, zero.vars)
}

// given calls then once the unknowns are known.
func (s *rankSolver) given(then func(), from ...rankVar) {
	s.addRule(&rankRule{from: from, then: then}, from)
}

func (s *rankSolver) propagate() {
	for len(s.queue) > 0 {
		r := s.queue[len(s.queue)-1]
		s.queue = s.queue[:len(s.queue)-1]
		if r.then == nil {
			s.solve(r.zero)
			continue
		}
		ready := true
		for _, v := range r.from {
			ready = ready && s.known[v]
		}
		if ready {
			r.then()
		}
	}
}

// solve gives the one unknown that is left of a sum that is 0 its value.
func (s *rankSolver) solve(zero linear) {
	open, coef, rest := rankVar(-1), 0, zero.k
	for i, v := range zero.vars {
		switch {
		case s.known[v]:
			rest += zero.coefs[i] * s.values[v]
		case open == v || open < 0:
			open, coef = v, coef+zero.coefs[i]
		default:
			return
		}
	}
	if coef != 0 && rest%coef == 0 {
		s.set(open, -rest/coef)
	}
}

// is states the split and the rank of n.
func (s *rankSolver) is(n *Node, splits, ranks linear) {
	s.equal(split(n), splits)
	s.equal(rank(n), ranks)
}

// fixed states that nodes have a rank.
func (s *rankSolver) fixed(r int, nodes ...*Node) {
	for _, n := range nodes {
		s.equal(rank(n), constant(r))
	}
}

// alike states that two patterns have the same split and rank.
func (s *rankSolver) alike(a, b *Node) { s.is(a, split(b), rank(b)) }

// splitFrom derives the split of n from that of x.
func (s *rankSolver) splitFrom(n, x *Node, f func(splits int) int) {
	s.given(func() { s.set(splitOf(n), f(s.values[splitOf(x)])) }, splitOf(x))
}

// call states what an operator fixes of the ranks of its operands and its result.
func (s *rankSolver) call(n *Node) {
	var x, y, z *Node // the first operands
	if len(n.Args) > 0 {
		x = n.Args[0]
	}
	if len(n.Args) > 1 {
		y = n.Args[1]
	}
	if len(n.Args) > 2 {
		z = n.Args[2]
	}
	switch n.Op.Name {
	case "literal", "construct-tuple":
	case "tuple-get-item":
		if item := component(x, y.number()); item != nil {
			s.alike(n, item)
		}
	case "access-literal", "vta-conv1d":
		s.is(n, constant(0), constant(0))
	case "constant-tensor":
		s.equal(rank(n), rank(y))
	case "shape", "list":
		s.fixed(len(n.Args), n)
	case "access-shape":
		s.is(n, rank(x), rank(x).add(rank(y)))
	case "shape-of":
		s.equal(rank(n), rank(x))
	case "slice-shape":
		if from, ok := y.Int.Int64(); ok {
			s.equal(rank(n), rank(x).plus(-int(from)))
		}
	case "shape-insert-axis":
		s.equal(rank(n), rank(x).plus(1))
	case "shape-remove-axis":
		s.equal(rank(n), rank(x).plus(-1))
	case "access-tensor":
		s.is(n, rank(x), rank(x))
	case "access":
		if at, ok := y.Int.Int64(); ok {
			s.is(n, constant(int(at)), rank(x))
		}
	case "access-transpose":
		s.alike(n, x)
		s.equal(rank(x), rank(y))
	case "access-cartesian-product":
		s.equal(compute(x), compute(y))
		s.is(n, split(x).add(split(y)), split(n).add(compute(x)).plus(1))
	case "access-pair":
		s.alike(x, y)
		s.is(n, split(x), rank(x).plus(1))
	case "access-windows":
		s.equal(compute(x), rank(y))
		s.equal(compute(x), rank(z))
		s.is(n, rank(x), rank(x).add(rank(y)))
	case "access-concatenate":
		s.alike(x, y)
		s.alike(n, x)
	case "access-squeeze", "access-insert-axis", "relay-expand-dims":
		s.moved(n, x)
	case "access-broadcast":
		s.alike(n, x)
		s.equal(rank(x), rank(y))
	case "access-reshape":
		s.alike(n, y)
	case "access-flatten":
		s.splitFrom(n, x, func(splits int) int { return min(splits, 1) })
		s.given(func() {
			splits := s.values[splitOf(x)]
			s.set(rankOf(n), min(splits, 1)+min(s.values[rankOf(x)]-splits, 1))
		}, splitOf(x), rankOf(x))
	case "access-shift-right":
		s.splitFrom(n, x, func(splits int) int { return max(splits-1, 0) })
		s.equal(rank(n), rank(x))
	case "dot-product", "reduce-sum", "reduce-max", "reduce-mean":
		s.is(n, split(x), split(x))
	case "elementwise-add", "elementwise-mul", "elementwise-div":
		s.is(n, split(x), rank(x).plus(-1))
	case "softmax":
		s.equal(compute(x), constant(1))
		s.alike(n, x)
	case "systolic-array", "systolic-array-with-blocking":
		s.is(n.Args[3], constant(0), constant(2))
		s.equal(compute(z), constant(1))
		s.is(n, split(z).plus(1), split(z).plus(1))
	case "systolic-array-conv2d-nchw-oihw-with-blocking", "systolic-array-conv2d-nhwc-hwio-with-blocking",
		"systolic-array-conv2d-im2col-nchw-oihw-with-blocking",
		"systolic-array-conv2d-im2col-nhwc-hwio-with-blocking":
		s.fixed(4, z, n.Args[3])
		s.is(n, constant(4), constant(4))
	case "relay-add", "relay-multiply", "relay-divide", "relay-maximum", "relay-minimum":
		s.equal(split(n), rank(n))
		s.given(func() {
			s.set(rankOf(n), max(s.values[rankOf(x)], s.values[rankOf(y)]))
		}, rankOf(x), rankOf(y))
	case "relay-batch-norm-inference":
		s.fixed(1, n.Args[1:5]...)
		s.alike(n, x)
	case "relay-layer-norm":
		s.fixed(1, y, z)
		s.alike(n, x)
	case "relay-bias-add":
		s.fixed(1, y)
		s.alike(n, x)
	case "relay-dense", "vta-dense":
		s.fixed(2, x, y)
		s.is(n, constant(2), constant(2))
	case "cim-gemm":
		s.fixed(2, x, y, z)
		s.is(n, constant(2), constant(2))
	case "flex-linear":
		s.fixed(2, x, y)
		s.fixed(1, z)
		s.is(n, constant(2), constant(2))
	case "relay-batch-matmul":
		s.fixed(3, x, y)
		s.is(n, constant(3), constant(3))
	case "relay-conv1d":
		s.fixed(3, x, y)
		s.is(n, constant(0), constant(3))
	case "relay-conv2d", "hlscnn-conv2d":
		s.fixed(4, x, y)
		s.is(n, constant(4), constant(4))
	case "relay-max-pool2d", "relay-avg-pool2d", "relay-global-avg-pool2d":
		s.fixed(4, x)
		s.alike(n, x)
	case "relay-upsampling":
		s.is(x, constant(4), constant(4))
		s.alike(n, x)
	case "relay-batch-flatten":
		s.is(n, constant(2), constant(2))
	case "relay-reshape":
		s.is(n, constant(0), rank(y))
	case "relay-zeros":
		s.is(n, rank(x), rank(x))
	case "relay-transpose", "relay-strided-slice":
		s.equal(rank(x), rank(y))
		s.is(n, rank(x), rank(x))
	case "relay-squeeze":
		s.is(n, rank(n), rank(x).sub(rank(y)))
	case "relay-pad":
		s.equal(rank(x).add(rank(x)), rank(y))
		s.alike(n, x)
	case "relay-concatenate":
		s.concatenation(n)
	case "relay-stack":
		for _, a := range n.Args[1 : len(n.Args)-1] {
			s.equal(rank(x), rank(a))
		}
		s.is(n, rank(n), rank(x).plus(1))
	case "relay-split":
		s.is(n, constant(0), rank(x))
	case "relay-take":
		s.is(n, rank(n), rank(x).add(rank(y)).plus(-1))
	case "relay-mean":
		s.is(n, constant(0), rank(x).plus(-1))
	case "flex-layernorm":
		s.is(x, constant(2), constant(2))
		s.is(y, constant(1), constant(1))
		s.is(z, constant(1), constant(1))
		s.alike(n, x)
	case "flex-attention":
		s.is(x, constant(2), constant(2))
		s.is(y, constant(1), constant(1))
		s.is(n, constant(1), constant(1))
	case "flex-lstm", "flex-lstm-cells":
		last := n.Args[len(n.Args)-1]
		s.is(n, rank(last), rank(last))
	case "flex-maxpool", "flex-meanpool":
		s.is(x, constant(0), constant(2))
		s.is(n, constant(0), constant(2))
	default: // what keeps the shape, or all of it but sizes
		s.alike(n, x)
	}
}

// moved is for the operators that remove or insert axes: the split depends on where.
func (s *rankSolver) moved(n, x *Node) {
	at, ok := n.Args[1].Int.Int64()
	if !ok {
		return
	}
	axis := int(at)
	switch n.Op.Name {
	case "access-squeeze":
		s.equal(rank(n), rank(x).plus(-1))
		s.splitFrom(n, x, func(splits int) int {
			if axis < splits {
				splits--
			}
			return splits
		})
	case "access-insert-axis":
		s.equal(rank(n), rank(x).plus(1))
		s.splitFrom(n, x, func(splits int) int {
			if axis <= splits {
				splits++
			}
			return splits
		})
	default: // relay-expand-dims
		more, ok := n.Args[2].Int.Int64()
		if !ok || more > maxRank {
			return
		}
		s.equal(rank(n), rank(x).plus(int(more)))
		s.given(func() {
			splits, before := s.values[splitOf(x)], axis
			if before < 0 {
				before += s.values[rankOf(x)] + 1
			}
			if before < splits {
				splits += int(more)
			}
			s.set(splitOf(n), splits)
		}, splitOf(x), rankOf(x))
	}
}

// concatenation relates the components of the tuple that relay-concatenate takes.
func (s *rankSolver) concatenation(n *Node) {
	tuple := n.Args[1]
	s.equal(split(n), rank(n))
	first := component(tuple, 0)
	if first == nil {
		return
	}
	if op := first.Op; op != nil && (op.Name == "relay-split" || op.Name == "relay-dropout") {
		s.equal(rank(n), rank(first)) // which stands for all its components
		return
	}
	for i := int64(0); ; i++ {
		item := component(tuple, i)
		if item == nil {
			return
		}
		s.equal(rank(n), rank(item))
	}
}
