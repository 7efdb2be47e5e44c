package comb

import (
	"math/big"
	"slices"

	"tv/proofs/bits/circuit"
	"tv/proofs/bits/gates"
)

// A state is what a register reads: a word, and with a reset what it is then; with an enable, in
// which cycles.
type state struct {
	data, reset, value, enable string // names of values; empty: none
	isAsync                    bool
	preset                     *big.Int // what it holds first; nil: any value
}

// register reads a compreg: %in, %clk [, %ce] [reset %r, %v] : TYPE.
func (r *reader) register(name string, hasEnable bool) []circuit.Wire {
	r.symbol()
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

// symbol passes a name for others, which nothing here reads.
func (r *reader) symbol() {
	for r.Take("sym") || r.Take("name") {
		r.Next()
	}
}

// firreg reads %in clock %clk [reset sync|async %r, %v] [preset N] : TYPE.
func (r *reader) firreg(name string) []circuit.Wire {
	s := state{data: r.Name('%')}
	r.Want("clock")
	r.clocked(r.Name('%'))
	r.symbol()
	if r.Take("reset") {
		s.isAsync = r.Take("async")
		if !s.isAsync {
			r.Want("sync")
		}
		s.reset = r.Name('%')
		r.Want(",")
		s.value = r.Name('%')
	}
	if r.Take("preset") {
		n, ok := new(big.Int).SetString(r.Next(), 10)
		gates.Need(ok && n.Sign() >= 0, "no number")
		s.preset = n
	}
	return r.held(name, s)
}

func (r *reader) clocked(name string) {
	gates.Need(r.clocks[name], "%%%s is no clock", name)
}

// held is what a register holds. A reset beats an enable.
func (r *reader) held(name string, s state) []circuit.Wire {
	r.ended()
	w := r.width()
	g := r.Graph
	register := &circuit.Register{Name: name, Initial: slices.Repeat(gates.Vec{circuit.Unknown}, w)}
	if s.preset != nil {
		gates.Need(s.preset.BitLen() <= w, "%s in %d bits", s.preset, w)
		for i := range register.Initial {
			register.Initial[i] = gates.Bit(s.preset.Bit(i) == 1)
		}
	}
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
	if s.isAsync {
		held, next = r.cleared(name, s, held, next)
	} else if s.reset != "" {
		reset, value, data := r.use(s.reset, 1)[0], r.use(s.value, w), next
		next = make([]circuit.Wire, w)
		for i := range next {
			next[i] = func(d int) gates.Lit {
				now := reset(d)
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

// cleared is what others see of a register with an asynchronous reset, and what it holds next. What
// it is reset to has to be constant.
func (r *reader) cleared(name string, s state, held, next []circuit.Wire) (seen,
	to []circuit.Wire,
) {
	clear := &circuit.Clear{Active: r.use(s.reset, 1)[0], What: "%" + name}
	r.resets = append(r.resets, clear)
	value := r.use(s.value, len(held))
	for i := range held {
		constant := func() gates.Lit {
			l := value[i](circuit.Probe)
			gates.Need(l <= gates.Yes, "an asynchronous reset of %s to what is not constant", name)
			return l
		}
		seen = append(seen, func(d int) gates.Lit {
			return clear.Seen(r.Graph, held[i], constant())(d)
		})
		to = append(to, func(d int) gates.Lit {
			return clear.Next(r.Graph, next[i], constant())(d)
		})
	}
	return seen, to
}
