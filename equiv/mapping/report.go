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
	Zeros int64          // that padding adds to what calls read
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
	read := map[egraph.Term]bool{} // what calls read, by moves of elements alone
	for i := len(all) - 1; i >= 0; i-- {
		t := all[i]
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
		if isCall(x.op) || read[t] && (moves[x.op.Name] || x.op == opAccess || isMove[x.op.Name]) {
			for _, a := range g.Args(t) {
				read[a] = true
			}
		}
		if read[t] && (x.op.Name == "access-pad" || x.op.Name == "relay-pad") {
			out.Zeros = added(out.Zeros, max(elements(g.Data(g.Class(t)))-elements(args[0]), 0))
		}
	}
	return out
}

// isMove are the calls of Relay that move elements.
var isMove = map[string]bool{"relay-reshape": true, "relay-transpose": true, "relay-batch-flatten": true, "relay-pad": true,
	"relay-expand-dims": true, "relay-squeeze": true, "relay-strided-slice": true}

// below lists the terms below one and itself, arguments first.
func (g *graph) below(root egraph.Term) []egraph.Term {
	var out []egraph.Term
	done := map[egraph.Term]bool{}
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
