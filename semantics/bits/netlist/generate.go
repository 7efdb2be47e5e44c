package netlist

import (
	"fmt"
	"maps"
	"math/big"

	"tv/internal/source"
	"tv/semantics/bits/verilog"
	"tv/semantics/bits/word"
)

// generate makes the blocks of what is generated.
func (s *scope) generate(g *verilog.Generate) error {
	if g.Of != nil {
		arm, err := s.labelled(g)
		if arm == nil || err != nil {
			return err
		}
		return s.block(arm.Body, g.Label(arm.Body), s.signals)
	}
	if !g.Loop {
		for _, a := range g.Arms {
			if a.Cond != nil {
				c, err := s.constantOf(a.Cond)
				if err != nil {
					return err
				}
				if c.word.Value.Sign() == 0 {
					continue
				}
			}
			return s.block(a.Body, g.Label(a.Body), s.signals)
		}
		return nil
	}
	body, name := g.Arms[0].Body, g.Init.Left.Text
	value, err := s.number(g.Init.Right)
	if err != nil {
		return err
	}
	seen := map[int]bool{}
	for {
		// What counts is a number of its own in each block.
		in := *s
		in.signals = maps.Clone(s.signals)
		sig := &signal{name: s.path + name, span: g.Init.Span, ranged: true, signed: true}
		sig.bits = integerBits(value)
		in.signals[name] = sig
		c, err := in.constantOf(g.Arms[0].Cond)
		switch {
		case err != nil:
			return err
		case c.word.Value.Sign() == 0:
			return nil
		case seen[value]:
			return source.Errorf(g.Span, "unsupported", "a loop that comes to %d twice", value)
		case len(seen) == maxGenerated:
			return source.Errorf(g.Span, "unsupported", "a loop of more than %d blocks", maxGenerated)
		}
		seen[value] = true
		if err := s.block(body, fmt.Sprintf("%s[%d]", g.Label(body), value), in.signals); err != nil {
			return err
		}
		if value, err = in.number(g.Step.Right); err != nil {
			return err
		}
	}
}

// labelled is the arm of a case, if there is one. What is compared is as wide as the widest, and has a sign if all have.
func (s *scope) labelled(g *verilog.Generate) (*verilog.Arm, error) {
	width, signed, err := s.size(g.Of)
	if err != nil {
		return nil, err
	}
	for _, a := range g.Arms {
		for _, l := range a.Labels {
			w, sign, err := s.size(l)
			if err != nil {
				return nil, err
			}
			width, signed = max(width, w), signed && sign
		}
	}
	value, err := s.constantAs(g.Of, width, signed)
	if err != nil {
		return nil, err
	}
	var other *verilog.Arm
	for i := range g.Arms {
		a := &g.Arms[i]
		if a.Labels == nil {
			other = a
		}
		for _, l := range a.Labels {
			v, err := s.constantAs(l, width, signed)
			if err != nil {
				return nil, err
			}
			if v.Value.Cmp(value.Value) == 0 {
				return a, nil
			}
		}
	}
	return other, nil
}

// maxGenerated bounds the blocks of a loop.
const maxGenerated = 1 << 13

// integerBits are the bits of an integer.
func integerBits(value int) (out []Bit) {
	v := word.Mod(big.NewInt(int64(value)), 32)
	for i := range 32 {
		out = append(out, Bit(v.Bit(i)))
	}
	return out
}

// block makes a block, which sees the names around it.
func (s *scope) block(m *verilog.Module, label string, around map[string]*signal) error {
	own := *m
	own.Functions = append(own.Functions[:len(own.Functions):len(own.Functions)], s.module.Functions...)
	own.Calls = s.module.Calls
	b := &scope{elaborator: s.elaborator, module: &own, path: s.path + label + ".", signals: maps.Clone(around), decls: map[string]*verilog.Decl{},
		generated: true}
	if err := b.declared(nil, nil); err != nil {
		return err
	}
	s.inner = append(s.inner, b)
	return b.items()
}

// all are a scope and what is generated in it, blocks in blocks too.
func (s *scope) all() []*scope {
	out := []*scope{s}
	for _, b := range s.inner {
		out = append(out, b.all()...)
	}
	return out
}
