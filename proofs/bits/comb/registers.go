package comb

import (
	"slices"

	"tv/proofs/bits/circuit"
	"tv/proofs/bits/gates"
)

// A state is what a register reads: a word, and with a reset what it is then; with an enable, in
// which cycles.
type state struct {
	data, reset, value, enable string // names of values; empty: none
	isAsync                    bool
}

// register reads a compreg: %in, %clk [, %ce] [reset %r, %v] : TYPE.
func (r *reader) register(name string, hasEnable bool) []circuit.Wire {
	s := state{data: r.Name('%')}
	r.Want(",")
	r.clocked(r.Name('%'))
	if hasEnable {
		r.Want(",")
		s.enable = r.Name('%')
	}
	if r.Take("reset") {
		s.reset = r.Name('%')
		r.Want(",")
		s.value = r.Name('%')
	}
	return r.held(name, s)
}

// firreg reads %in clock %clk [reset sync|async %r, %v] : TYPE.
func (r *reader) firreg(name string) []circuit.Wire {
	s := state{data: r.Name('%')}
	r.Want("clock")
	r.clocked(r.Name('%'))
	if r.Take("reset") {
		s.isAsync = r.Take("async")
		if !s.isAsync {
			r.Want("sync")
		}
		s.reset = r.Name('%')
		r.Want(",")
		s.value = r.Name('%')
	}
	return r.held(name, s)
}

func (r *reader) clocked(name string) {
	gates.Need(r.clocks[name], "%%%s is no clock", name)
}

// held is what a register holds. A reset beats an enable; one that is asynchronous has to be
// constant 0.
func (r *reader) held(name string, s state) []circuit.Wire {
	r.ended()
	w := r.width()
	g := r.Graph
	register := &circuit.Register{Name: name, Initial: slices.Repeat(gates.Vec{circuit.Unknown}, w)}
	held := r.View.Held(register, w)
	next := r.use(s.data, w)
	if s.enable != "" {
		enable, data := r.use(s.enable, 1)[0], next
		next = make([]circuit.Wire, w)
		for i := range next {
			next[i] = func(d int) gates.Lit {
				e := enable(d)
				if e == gates.Yes {
					return data[i](d)
				}
				return g.Mux(e, data[i](d), held[i](d))
			}
		}
	}
	if s.reset != "" {
		reset, value, data := r.use(s.reset, 1)[0], r.use(s.value, w), next
		next = make([]circuit.Wire, w)
		for i := range next {
			next[i] = func(d int) gates.Lit {
				now := reset(d)
				gates.Need(!s.isAsync || now == gates.No, "the asynchronous reset of %s", name)
				if now == gates.Yes {
					return value[i](d)
				}
				return g.Mux(now, value[i](d), data[i](d))
			}
		}
	}
	for i := range next {
		register.Next = append(register.Next, circuit.Once(next[i]))
	}
	r.circuit.Registers = append(r.circuit.Registers, register)
	return held
}
