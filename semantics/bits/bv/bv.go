// Package bv reads specifications over bit-vectors (.bv): lists of ports, assumptions and registers, with terms of SMT-LIB 2 QF_BV.
//
//	bv.go      Spec and Term; Parse
//	term.go    terms and their types
//	format.go  Format
//	eval       the reference evaluator, on big integers
//	lower      to a bits.Design
package bv

import (
	"math/big"
	"slices"
	"strconv"

	"tv/internal/sexpr"
	"tv/internal/source"
)

// MaxWidth bounds ports, maxTermWidth what is computed from them.
const (
	MaxWidth     = 4096
	maxTermWidth = 1 << 16
)

// A Port is an input or output.
type Port struct {
	Name  string
	Width int
	Span  source.Span
}

// An Output is a port and its term.
type Output struct {
	Port
	Term *Term
}

// A State is a register: Initial nil is any value.
type State struct {
	Port
	Initial *big.Int
	Next    *Term
}

// An Assumption is a Bool that holds at every cycle.
type Assumption struct {
	Term *Term
	Span source.Span
}

// A Spec is a text.
type Spec struct {
	File    *source.File
	Span    source.Span
	Inputs  []Port
	States  []State
	Assume  []Assumption
	Outputs []Output
	Clock   string
	Latency int
	order   []item
}

// item is a line of the specification, for Format.
type item struct {
	kind  string
	index int
}

// Parse reads a specification and types it.
func Parse(f *source.File) (*Spec, error) {
	forms, err := sexpr.Read(f)
	if err != nil {
		return nil, recoded(err)
	}
	if len(forms) == 0 {
		return nil, source.Errorf(source.Span{File: f}, "syntax", "the text has no (spec ...)")
	}
	if len(forms) > 1 {
		return nil, forms[1].Errorf("syntax", "one (spec ...) is read, and there is more")
	}
	top := forms[0]
	if top.Head() != "spec" {
		return nil, top.Errorf("syntax", "a specification is (spec ...)")
	}
	p := &parser{spec: &Spec{File: f, Span: top.Span}, signals: map[string]*Term{}}
	for _, x := range top.List[1:] { // what terms name, first
		if err := p.declare(x); err != nil {
			return nil, err
		}
	}
	for _, x := range top.List[1:] {
		if err := p.define(x); err != nil {
			return nil, err
		}
	}
	if len(p.spec.Outputs) == 0 {
		return nil, top.Errorf("syntax", "a specification has an (out NAME WIDTH TERM)")
	}
	return p.spec, nil
}

// recoded gives errors of the reader the one code that texts of this world have.
func recoded(e *source.Error) *source.Error {
	c := *e
	c.Code = "syntax"
	return &c
}

type parser struct {
	spec    *Spec
	signals map[string]*Term
	scope   []binding
	once    [2]bool // clock, latency
}

type binding struct {
	name string
	term *Term
}

func (p *parser) declare(x *sexpr.Form) error {
	switch x.Head() {
	case "in", "state":
		kind := x.Head()
		if kind == "in" && len(x.List) != 3 {
			return x.Errorf("syntax", "an input is (in NAME WIDTH)")
		}
		if kind == "state" && len(x.List) != 5 {
			return x.Errorf("syntax", "a register is (state NAME WIDTH INITIAL NEXT)")
		}
		port, err := readPort(x)
		if err != nil {
			return err
		}
		if p.signals[port.Name] != nil {
			return x.List[1].Errorf("ill-typed", "%s is declared twice", port.Name)
		}
		p.signals[port.Name] = &Term{Span: port.Span, Op: OpSignal, Name: port.Name, Width: port.Width}
	}
	return nil
}

func (p *parser) define(x *sexpr.Form) error {
	s := p.spec
	add := func(n int) { s.order = append(s.order, item{x.Head(), n}) }
	switch x.Head() {
	case "in":
		port, err := readPort(x)
		if err != nil {
			return err
		}
		add(len(s.Inputs))
		s.Inputs = append(s.Inputs, port)
	case "state":
		port, err := readPort(x)
		if err != nil {
			return err
		}
		st := State{Port: port}
		if initial := x.List[3]; initial.IsList || initial.Atom != "any" {
			t, err := p.term(initial, 0)
			if err != nil {
				return err
			}
			if t.Op != OpConst || t.Width != port.Width {
				return initial.Errorf("ill-typed", "the initial value of %s is a constant of %d bits, or any", port.Name, port.Width)
			}
			st.Initial = t.Value
		}
		if st.Next, err = p.word(x.List[4], port); err != nil {
			return err
		}
		add(len(s.States))
		s.States = append(s.States, st)
	case "out":
		if len(x.List) != 4 {
			return x.Errorf("syntax", "an output is (out NAME WIDTH TERM)")
		}
		port, err := readPort(x)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(s.Inputs, func(q Port) bool { return q.Name == port.Name }) {
			return x.List[1].Errorf("ill-typed", "%s is an input", port.Name)
		}
		for _, o := range s.Outputs {
			if o.Name == port.Name {
				return x.List[1].Errorf("ill-typed", "%s is declared twice", port.Name)
			}
		}
		t, err := p.word(x.List[3], port)
		if err != nil {
			return err
		}
		add(len(s.Outputs))
		s.Outputs = append(s.Outputs, Output{port, t})
	case "assume":
		if len(x.List) != 2 {
			return x.Errorf("syntax", "an assumption is (assume BOOL)")
		}
		t, err := p.term(x.List[1], 0)
		if err != nil {
			return err
		}
		if t.Width != 0 {
			return x.List[1].Errorf("ill-typed", "an assumption is a Bool, and this has %d bits", t.Width)
		}
		add(len(s.Assume))
		s.Assume = append(s.Assume, Assumption{t, x.Span})
	case "clock":
		if len(x.List) != 2 || x.List[1].IsList || p.once[0] {
			return x.Errorf("syntax", "the clock is (clock NAME), once")
		}
		p.once[0] = true
		s.Clock = x.List[1].Atom
		add(0)
	case "latency":
		if len(x.List) != 2 || x.List[1].IsList || p.once[1] {
			return x.Errorf("syntax", "the latency is (latency CYCLES), once")
		}
		n, err := strconv.Atoi(x.List[1].Atom)
		if err != nil || n < 0 || n > 4096 {
			return x.List[1].Errorf("syntax", "a latency is a number of cycles, at most 4096")
		}
		p.once[1] = true
		s.Latency = n
		add(0)
	default:
		return x.Errorf("syntax", "in a specification are (in ..), (assume ..), (clock ..), (latency ..), (state ..) and (out ..)")
	}
	return nil
}

// readPort reads NAME WIDTH, the second and third of a list.
func readPort(x *sexpr.Form) (Port, error) {
	name, width := x.List[1], x.List[2]
	if name.IsList || name.Quoted || name.Atom == "" || name.Atom[0] == '#' || name.Atom[0] >= '0' && name.Atom[0] <= '9' {
		return Port{}, name.Errorf("syntax", "a name is expected")
	}
	if name.Atom == "true" || name.Atom == "false" {
		return Port{}, name.Errorf("syntax", "%s is a constant", name.Atom)
	}
	n, err := strconv.Atoi(width.Atom)
	if width.IsList || err != nil || n < 1 || n > MaxWidth {
		return Port{}, width.Errorf("ill-typed", "a width is 1 to %d", MaxWidth)
	}
	return Port{name.Atom, n, name.Span}, nil
}

// word reads a term of the width of a port.
func (p *parser) word(x *sexpr.Form, port Port) (*Term, error) {
	t, err := p.term(x, 0)
	if err != nil {
		return nil, err
	}
	if t.Width != port.Width {
		return nil, x.Errorf("ill-typed", "%s has %d bits, and its term is %s", port.Name, port.Width, sort(t.Width))
	}
	return t, nil
}
