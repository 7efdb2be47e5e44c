// Package eval computes specifications on big integers, from the text's terms: the reference that provers are tested against.
package eval

import (
	"math/big"

	"tv/semantics/bits/bv"
)

// A Machine runs a specification cycle by cycle. It is not safe for concurrent use.
type Machine struct {
	spec   *bv.Spec
	code   []instruction
	values []*big.Int
	at     map[*bv.Term]int
	slots  map[string]int // of inputs and registers
	state  map[string]*big.Int
}

type instruction struct {
	t    *bv.Term
	args []int
}

// New returns the machine in its initial state; choose gives the registers that may start as anything their values, at cycle -1. A nil one,
// or a nil value, is 0.
func New(s *bv.Spec, choose func(name string, width, cycle int) *big.Int) *Machine {
	m := &Machine{spec: s, at: map[*bv.Term]int{}, slots: map[string]int{}, state: map[string]*big.Int{}}
	for _, st := range s.States {
		v := st.Initial
		if v == nil && choose != nil {
			v = choose(st.Name, st.Width, -1)
		}
		if v == nil {
			v = new(big.Int)
		}
		m.state[st.Name] = wrap(v, st.Width)
	}
	for _, o := range s.Outputs {
		m.compile(o.Term)
	}
	for _, a := range s.Assume {
		m.compile(a.Term)
	}
	for _, st := range s.States {
		m.compile(st.Next)
	}
	m.values = make([]*big.Int, len(m.code))
	return m
}

func (m *Machine) compile(t *bv.Term) int {
	if at, ok := m.at[t]; ok {
		return at
	}
	var args []int
	for _, a := range t.Args {
		args = append(args, m.compile(a))
	}
	at := len(m.code)
	if t.Op == bv.OpLet || t.Op == bv.OpBound {
		at = args[len(args)-1]
	} else {
		m.code = append(m.code, instruction{t, args})
	}
	m.at[t] = at
	return at
}

// Step computes the outputs of a cycle from its inputs, tells whether the assumptions hold, and goes on to the next cycle.
// Inputs are numbers of their widths, absent ones 0.
func (m *Machine) Step(inputs map[string]*big.Int) (outputs map[string]*big.Int, assumed bool) {
	for i, in := range m.code {
		m.values[i] = m.compute(in, inputs)
	}
	outputs = make(map[string]*big.Int, len(m.spec.Outputs))
	for _, o := range m.spec.Outputs {
		outputs[o.Name] = m.values[m.at[o.Term]]
	}
	assumed = true
	for _, a := range m.spec.Assume {
		assumed = assumed && m.values[m.at[a.Term]].Sign() != 0
	}
	next := make(map[string]*big.Int, len(m.state))
	for _, st := range m.spec.States {
		next[st.Name] = m.values[m.at[st.Next]]
	}
	m.state = next
	return outputs, assumed
}

var one = big.NewInt(1)

// wrap is v modulo 2^width.
func wrap(v *big.Int, width int) *big.Int {
	m := new(big.Int).Lsh(one, uint(width))
	return m.Mod(v, m)
}

func integer(v *big.Int, width int) *big.Int {
	if v.Bit(width-1) == 1 {
		return new(big.Int).Sub(v, new(big.Int).Lsh(one, uint(width)))
	}
	return v
}

func truth(b bool) *big.Int {
	if b {
		return big.NewInt(1)
	}
	return new(big.Int)
}

func (m *Machine) compute(in instruction, inputs map[string]*big.Int) *big.Int {
	t := in.t
	u := func(i int) *big.Int { return m.values[in.args[i]] }
	s := func(i int) *big.Int { return integer(u(i), t.Args[i].Width) }
	holds := func(i int) bool { return u(i).Sign() != 0 }
	fold := func(f func(z, x, y *big.Int) *big.Int) *big.Int {
		z := new(big.Int).Set(u(0))
		for i := 1; i < len(in.args); i++ {
			f(z, z, u(i))
		}
		return wrap(z, t.Width)
	}
	z := new(big.Int)
	switch t.Op {
	case bv.OpConst:
		return t.Value
	case bv.OpSignal:
		if v, ok := m.state[t.Name]; ok {
			return v
		}
		if v := inputs[t.Name]; v != nil {
			return wrap(v, t.Width)
		}
		return z
	case "bvnot":
		return wrap(z.Not(u(0)), t.Width)
	case "bvneg":
		return wrap(z.Neg(u(0)), t.Width)
	case "bvand":
		return fold((*big.Int).And)
	case "bvor":
		return fold((*big.Int).Or)
	case "bvxor":
		return fold((*big.Int).Xor)
	case "bvnand":
		return wrap(z.Not(z.And(u(0), u(1))), t.Width)
	case "bvnor":
		return wrap(z.Not(z.Or(u(0), u(1))), t.Width)
	case "bvxnor":
		return wrap(z.Not(z.Xor(u(0), u(1))), t.Width)
	case "bvadd":
		return fold((*big.Int).Add)
	case "bvsub":
		return fold((*big.Int).Sub)
	case "bvmul":
		return fold((*big.Int).Mul)
	case "bvudiv", "bvsdiv":
		a, b := u(0), u(1)
		if t.Op == "bvsdiv" {
			a, b = s(0), s(1)
		}
		switch {
		case b.Sign() != 0:
			z.Quo(a, b)
		case a.Sign() < 0: // -a / 0 is all ones, and its negation 1
			z.SetInt64(1)
		default:
			z.SetInt64(-1)
		}
		return wrap(z, t.Width)
	case "bvurem", "bvsrem", "bvsmod":
		a, b := u(0), u(1)
		if t.Op != "bvurem" {
			a, b = s(0), s(1)
		}
		if b.Sign() == 0 {
			return u(0)
		}
		z.Rem(a, b)
		if t.Op == "bvsmod" && z.Sign() != 0 && z.Sign() != b.Sign() {
			z.Add(z, b)
		}
		return wrap(z, t.Width)
	case "bvshl", "bvlshr", "bvashr":
		by := uint(t.Width)
		if u(1).BitLen() <= 32 {
			by = uint(min(u(1).Uint64(), uint64(t.Width)))
		}
		switch t.Op {
		case "bvshl":
			return wrap(z.Lsh(u(0), by), t.Width)
		case "bvlshr":
			return z.Rsh(u(0), by)
		}
		return wrap(z.Rsh(s(0), by), t.Width)
	case "bvult":
		return truth(u(0).Cmp(u(1)) < 0)
	case "bvule":
		return truth(u(0).Cmp(u(1)) <= 0)
	case "bvugt":
		return truth(u(0).Cmp(u(1)) > 0)
	case "bvuge":
		return truth(u(0).Cmp(u(1)) >= 0)
	case "bvslt":
		return truth(s(0).Cmp(s(1)) < 0)
	case "bvsle":
		return truth(s(0).Cmp(s(1)) <= 0)
	case "bvsgt":
		return truth(s(0).Cmp(s(1)) > 0)
	case "bvsge":
		return truth(s(0).Cmp(s(1)) >= 0)
	case "bvcomp", "bveq", "=":
		same := true
		for i := 1; i < len(in.args); i++ {
			same = same && u(i).Cmp(u(i-1)) == 0
		}
		return truth(same)
	case "distinct":
		for i := range in.args {
			for j := range i {
				if u(i).Cmp(u(j)) == 0 {
					return truth(false)
				}
			}
		}
		return truth(true)
	case "concat":
		for i := range in.args {
			z.Add(z.Lsh(z, uint(t.Args[i].Width)), u(i))
		}
		return z
	case "extract":
		return wrap(z.Rsh(u(0), uint(t.Indices[1])), t.Width)
	case "zero_extend":
		return u(0)
	case "sign_extend":
		return wrap(s(0), t.Width)
	case "repeat":
		for range t.Indices[0] {
			z.Add(z.Lsh(z, uint(t.Args[0].Width)), u(0))
		}
		return z
	case "rotate_left", "rotate_right":
		left := t.Indices[0] % t.Width
		if t.Op == "rotate_right" {
			left = (t.Width - left) % t.Width
		}
		z.Lsh(u(0), uint(left))
		return z.Add(wrap(z, t.Width), new(big.Int).Rsh(u(0), uint(t.Width-left)))
	case "ite":
		if holds(0) {
			return u(1)
		}
		return u(2)
	case "not":
		return truth(!holds(0))
	case "and", "or", "xor":
		b := holds(0)
		for i := 1; i < len(in.args); i++ {
			switch t.Op {
			case "and":
				b = b && holds(i)
			case "or":
				b = b || holds(i)
			case "xor":
				b = b != holds(i)
			}
		}
		return truth(b)
	case "=>": // from the right: false only where the last is false and all before it are true
		for i := range len(in.args) - 1 {
			if !holds(i) {
				return truth(true)
			}
		}
		return u(len(in.args) - 1)
	case "bool->bitvector":
		return u(0)
	case "bitvector->bool":
		return truth(u(0).Sign() != 0)
	}
	panic("bv: no operation " + t.Op)
}
