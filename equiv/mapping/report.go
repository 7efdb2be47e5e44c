package mapping

import (
	"tv/equiv/egraph"
	"tv/glenside"
)

// Counts are what a program has of calls and host operators; what it has twice counts once.
type Counts struct {
	Calls map[string]int // by group; those without are not there
	Host  int            // operators that compute or move elements on the host
	Work  int64          // multiply-adds of products and comparisons of pools on the host
	Done  int64          // of these those in calls
	Zeros int64          // that are put around operands
}

// Total counts calls of all groups.
func (c *Counts) Total() (n int) {
	for _, m := range c.Calls {
		n += m
	}
	return n
}

// counts goes through the terms below one.
func (g *graph) counts(root egraph.Term) *Counts {
	out := &Counts{Calls: map[string]int{}}
	all := g.below(root)
	for _, t := range all {
		x := g.operator(t)
		if x.op == nil {
			continue
		}
		args := make([]*glenside.Type, len(g.Args(t)))
		for i, a := range g.Args(t) {
			args[i] = g.Data(g.Class(a))
		}
		n := work(x, g.Data(g.Class(t)), args)
		switch {
		case isCall(x.op):
			out.Calls[group(x.op.Name)]++
			out.Done = added(out.Done, n)
		case isHost(x.op):
			out.Host++
			out.Work = added(out.Work, n)
		}
		out.Zeros = added(out.Zeros, zeros(x, g.Data(g.Class(t)), args))
	}
	return out
}

// zeros counts the zeros that an operator puts around its operand, if it pads with them.
func zeros(x *operator, t *glenside.Type, args []*glenside.Type) int64 {
	pads := func(of *glenside.Type, amounts []int64) int64 {
		n := int64(1)
		for i, d := range of.Dims {
			n = multiplied(n, number(d)+amounts[i])
		}
		return max(n-elements(of), 0)
	}
	switch name := x.op.Name; name {
	case "access-pad", "relay-pad":
		if name == "access-pad" && x.slots[1].text != "zero-padding" {
			return 0
		}
		return max(elements(t)-elements(args[0]), 0)
	case "relay-conv1d":
		p := x.slots[3].ints
		return pads(args[0], []int64{0, 0, p[0] + p[1]})
	case "relay-conv2d", "hlscnn-conv2d":
		p := x.slots[3].ints // top left bottom right
		h, w := p[0]+p[2], p[1]+p[3]
		for _, s := range x.slots {
			if s != nil && s.text == "relay-activation-layout-nhwc" {
				return pads(args[0], []int64{0, h, w, 0})
			}
		}
		return pads(args[0], []int64{0, 0, h, w})
	}
	return 0
}

// below lists the terms below one and itself, arguments first.
func (g *graph) below(root egraph.Term) []egraph.Term { return g.above(root, nil) }

// above lists those that are not below some.
func (g *graph) above(root egraph.Term, without []egraph.Term) []egraph.Term {
	var out []egraph.Term
	done := map[egraph.Term]bool{}
	for _, t := range without {
		done[t] = true
	}
	stack := []egraph.Term{root}
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		ready := true
		for _, a := range g.Args(t) {
			if !done[a] {
				stack, ready = append(stack, a), false
			}
		}
		if !ready {
			continue
		}
		stack = stack[:len(stack)-1]
		if !done[t] {
			done[t] = true
			out = append(out, t)
		}
	}
	return out
}
