// Package reticle reads the intermediate representation of Reticle: one function of operations on bools, integers and vectors of these, and of
// registers.
//
//	reticle.go  Parse: functions, types, instructions
//	op.go       what instructions take
package reticle

import (
	"math/big"
	"strconv"
	"strings"

	"tv/internal/source"
	"tv/semantics/bits"
	"tv/semantics/bits/flow"
)

// A typ is a type: bool, uN, iN, or a vector of one of these.
type typ struct {
	width  int // of a lane
	signed bool
	bool   bool
	lanes  int
}

func (t typ) bits() int { return t.width * t.lanes }

func (t typ) String() string {
	s := "u" + strconv.Itoa(t.width)
	if t.signed {
		s = "i" + strconv.Itoa(t.width)
	}
	if t.bool {
		s = "bool"
	}
	if t.lanes > 1 {
		s += "<" + strconv.Itoa(t.lanes) + ">"
	}
	return s
}

type reader struct {
	*flow.Lexer
	p      *flow.Program
	values map[string]int
	types  map[int]typ
	instrs []*instruction
	order  bool // a comparison depends on the signs of types
}

// An instruction is read before what it names is known.
type instruction struct {
	name    string
	at      source.Span
	typ     typ
	op      string
	opAt    source.Span
	numbers []*big.Int
	args    []string
	argsAt  []source.Span
	values  []int
	result  int
}

func (x *instruction) errorf(code, format string, args ...any) error {
	return source.Errorf(x.opAt, code, format, args...)
}

// Parse reads a text.
func Parse(f *source.File) (*flow.Program, error) {
	r := &reader{Lexer: &flow.Lexer{File: f, Extra: "?", Marks: []string{"->", "??"}}, p: &flow.Program{Name: f.Name}, values: map[string]int{},
		types: map[int]typ{}}
	if err := r.Next(); err != nil {
		return nil, err
	}
	if r.Tok.Kind == flow.End {
		return nil, source.Errorf(source.Span{File: f}, "no-module", "the text has no def")
	}
	if err := r.function(); err != nil {
		return nil, err
	}
	if r.Is("def") {
		return nil, r.Errorf("unsupported", "a second function")
	}
	if r.Tok.Kind != flow.End {
		return nil, r.Refused("the end of the text")
	}
	if err := r.resolve(); err != nil {
		return nil, err
	}
	if r.order {
		r.p.Trusts = append(r.p.Trusts, "lt, gt, le and ge of Reticle compare as the types say: i signed, u and bool unsigned")
	}
	return r.p, r.p.Ordered()
}

// function reads def NAME(a:i8)->(y:i8) { .. }.
func (r *reader) function() error {
	if err := r.Expect("def"); err != nil {
		return err
	}
	name, _, err := r.Name("the name of a function")
	if err != nil {
		return err
	}
	r.p.Top = name
	if err := r.Expect("("); err != nil {
		return err
	}
	inputs, types, err := r.ports()
	if err != nil {
		return err
	}
	for i, port := range inputs {
		v, err := r.define(port.Name, port.Span, types[i])
		if err != nil {
			return err
		}
		r.p.Inner = append(r.p.Inner, v)
	}
	r.p.Inputs = inputs
	if err := r.Expect("->", "("); err != nil {
		return err
	}
	outputs, outTypes, err := r.ports()
	if err != nil {
		return err
	}
	if err := r.Expect("{"); err != nil {
		return err
	}
	for !r.Is("}") {
		if err := r.instruction(); err != nil {
			return err
		}
	}
	for i, port := range outputs {
		v, ok := r.values[port.Name]
		if !ok {
			return source.Errorf(port.Span, "undriven", "output %s: no instruction computes it", port.Name)
		}
		if r.types[v] != outTypes[i] {
			return source.Errorf(port.Span, "ill-typed", "output %s is %s, and is computed as %s", port.Name, outTypes[i], r.types[v])
		}
		r.p.Outputs = append(r.p.Outputs, flow.Output{Port: port, Value: v})
	}
	return r.Next()
}

// ports reads names with types, and ).
func (r *reader) ports() (ports []bits.Port, types []typ, err error) {
	for n := 0; !r.Is(")"); n++ {
		if n > 0 {
			if err := r.Expect(","); err != nil {
				return nil, nil, err
			}
		}
		name, at, err := r.Name("a port")
		if err != nil {
			return nil, nil, err
		}
		if err := r.Expect(":"); err != nil {
			return nil, nil, err
		}
		t, err := r.typ()
		if err != nil {
			return nil, nil, err
		}
		ports, types = append(ports, bits.Port{Name: name, Width: t.bits(), Span: at}), append(types, t)
	}
	return ports, types, r.Next()
}

func (r *reader) typ() (t typ, err error) {
	name, at, err := r.Name("a type")
	if err != nil {
		return t, err
	}
	t.lanes = 1
	switch {
	case name == "bool":
		t.width, t.bool = 1, true
	case name[0] == 'i' || name[0] == 'u':
		if t.width, err = strconv.Atoi(name[1:]); err != nil || t.width < 1 || t.width > flow.MaxWidth || name[1] == '0' {
			return t, source.Errorf(at, "ill-typed", "%s is no type", name)
		}
		t.signed = name[0] == 'i'
	default:
		return t, source.Errorf(at, "ill-typed", "%s is no type", name)
	}
	if ok, err := r.Accept("<"); err != nil || !ok {
		return t, err
	}
	where := r.Span()
	if t.lanes, err = r.Int("how many lanes there are"); err != nil {
		return t, err
	}
	if t.lanes < 1 || t.bits() > flow.MaxWidth {
		return t, source.Errorf(where, "ill-typed", "a vector of %d lanes", t.lanes)
	}
	return t, r.Expect(">")
}

func (r *reader) define(name string, at source.Span, t typ) (int, error) {
	if _, ok := r.values[name]; ok {
		return 0, source.Errorf(at, "two-drivers", "%s is defined twice", name)
	}
	v := r.p.Add(flow.Value{Name: name, Width: t.bits(), Signed: t.signed, Lanes: t.lanes, Span: at})
	r.values[name], r.types[v] = v, t
	return v, nil
}

// instruction reads y:i8 = OP[NUMBERS](ARGS) @PLACE;
func (r *reader) instruction() (err error) {
	x := &instruction{}
	if x.name, x.at, err = r.Name("a name"); err != nil {
		return err
	}
	if err := r.Expect(":"); err != nil {
		return err
	}
	if x.typ, err = r.typ(); err != nil {
		return err
	}
	if err := r.Expect("="); err != nil {
		return err
	}
	if x.op, x.opAt, err = r.Name("an operation"); err != nil {
		return err
	}
	if ok, err := r.Accept("["); err != nil {
		return err
	} else if ok {
		for !r.Is("]") {
			if len(x.numbers) > 0 {
				if err := r.Expect(","); err != nil {
					return err
				}
			}
			v, err := r.Big("a number")
			if err != nil {
				return err
			}
			x.numbers = append(x.numbers, v)
		}
		if err := r.Next(); err != nil {
			return err
		}
	}
	if ok, err := r.Accept("("); err != nil {
		return err
	} else if ok {
		for !r.Is(")") {
			if len(x.args) > 0 {
				if err := r.Expect(","); err != nil {
					return err
				}
			}
			name, at, err := r.Name("a name")
			if err != nil {
				return err
			}
			x.args, x.argsAt = append(x.args, name), append(x.argsAt, at)
		}
		if err := r.Next(); err != nil {
			return err
		}
	}
	if ok, err := r.Accept("@"); err != nil {
		return err
	} else if ok { // where it goes on the device
		for !r.Is(";") {
			if r.Tok.Kind == flow.End || r.Is("}") {
				return r.Refused(`";"`)
			}
			if err := r.Next(); err != nil {
				return err
			}
		}
	}
	if err := r.Expect(";"); err != nil {
		return err
	}
	if x.result, err = r.define(x.name, x.at, x.typ); err != nil {
		return err
	}
	r.instrs = append(r.instrs, x)
	return nil
}

// resolve finds what instructions name, and makes operations and registers of them.
func (r *reader) resolve() error {
	for _, x := range r.instrs {
		for i, name := range x.args {
			v, ok := r.values[name]
			if !ok {
				return source.Errorf(x.argsAt[i], "undriven", "nothing computes %s", name)
			}
			x.values = append(x.values, v)
		}
		rule, ok := rules[x.op]
		if !ok {
			if strings.HasPrefix(x.op, "lut") || strings.HasPrefix(x.op, "dsp") || strings.Contains(x.op, "ram") || x.op == "carry" {
				return x.errorf("unsupported", "the primitive or memory %s", x.op)
			}
			return x.errorf("unsupported", "the operation %s", x.op)
		}
		if err := rule(r, x); err != nil {
			return err
		}
	}
	return nil
}
