// Package circuittest runs, for tests, what texts about circuits were read as: from the first cycle
// on, with inputs in binary.
package circuittest

import (
	"errors"
	"math/rand/v2"

	"tv/proofs/bits/circuit"
	"tv/proofs/bits/gates"
)

// Run is what output has in each cycle, highest bit first, given what each input has in each; ?
// where a bit depends on what the text leaves open, which is tried as all zeros, all ones, and at
// random. An error is what the reading refuses.
func Run(read func(v *circuit.View) *circuit.Circuit, clock, output string,
	stream []map[string]string) (out []string, err error) {
	defer func() {
		if r, ok := recover().(gates.Refusal); ok {
			err = errors.New(r.Text)
		}
	}()
	g := gates.NewGraph()
	last := len(stream) - 1
	v := &circuit.View{Graph: g, After: true, Clock: clock, Late: last, Start: last}
	v.First = func(r *circuit.Register, bit int) gates.Lit {
		if l := r.Initial[bit]; l != circuit.Unknown {
			return l
		}
		return g.Signal(gates.Signal{Kind: gates.StateAfter, Port: r.Name, Bit: bit, Delay: last})
	}
	c := read(v)
	var words []gates.Vec
	for t := range stream {
		words = append(words, c.Outputs(output, last-t))
	}
	values := simulated(g, stream)
	for _, w := range words {
		b := make([]byte, len(w))
		for i, l := range w {
			b[len(w)-1-i] = digit(values[l>>1] ^ -uint64(l&1))
		}
		out = append(out, string(b))
	}
	return out, nil
}

// simulated has 64 runs that differ in what is open.
func simulated(g *gates.Graph, stream []map[string]string) []uint64 {
	draw := rand.New(rand.NewPCG(1, 1))
	signals := g.All()
	in := make([]uint64, len(signals))
	for i, s := range signals {
		if s.Kind != gates.Input {
			in[i] = draw.Uint64()&^3 | 2
			continue
		}
		if s.Delay < 0 { // the clock
			continue
		}
		if bits := stream[len(stream)-1-s.Delay][s.Port]; bits[len(bits)-1-s.Bit] == '1' {
			in[i] = ^uint64(0)
		}
	}
	values := make([]uint64, g.Size())
	g.Simulate(in, values)
	return values
}

func digit(runs uint64) byte {
	switch runs {
	case 0:
		return '0'
	case ^uint64(0):
		return '1'
	}
	return '?'
}
