package ila

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"tv/semantics/term"
)

// Manual writes a model for people: parameters, state, instructions with their decodes, checks and updates.
func Manual(w io.Writer, m *Model) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s\n", m.Name, m.Doc)
	if len(m.Params) > 0 {
		b.WriteString("\nparameters\n")
		for _, p := range m.Params {
			fmt.Fprintf(&b, "  %-26s %-10s %s\n", p.Name, p.Value, p.Doc)
		}
	}
	m.functions(&b)
	m.manual(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// functions writes what is applied as a whole: functions by tables, and those of which nobody says what they are.
func (m *Model) functions(b *strings.Builder) {
	for _, kind := range []struct {
		title  string
		tables bool
	}{{"functions by tables", true}, {"uninterpreted functions", false}} {
		title := "\n" + kind.title + "\n"
		for _, f := range m.Functions {
			if (f.Tables != "") != kind.tables {
				continue
			}
			fmt.Fprintf(b, "%s  %-16s %-28s %s\n", title, f.Name, fmt.Sprintf("%d bits", f.Width), f.Doc)
			if title = ""; f.Tables != "" {
				fmt.Fprintf(b, "  %-16s tables: %s\n", "", f.Tables)
			}
			if f.Distance != nil {
				fmt.Fprintf(b, "  %-16s largest distance: %s\n", "", f.Distance())
			}
		}
	}
}

func (m *Model) manual(b *strings.Builder) {
	vars := func(title string, list []*Var) {
		if len(list) == 0 {
			return
		}
		fmt.Fprintf(b, "\n%s\n", title)
		for _, v := range list {
			size := fmt.Sprintf("%d bits", v.Width)
			if v.Depth > 0 {
				size = fmt.Sprintf("%d cells of %d bits", v.Depth, v.Width)
			}
			doc := v.Doc
			switch {
			case v.FreeAddress:
				doc += "; programs address and fill it"
			case v.FreeCells:
				doc += "; programs fill it"
			}
			fmt.Fprintf(b, "  %-16s %-28s %s\n", v.Name, size, doc)
		}
	}
	vars("inputs", m.Inputs)
	vars("state", m.State)
	m.statements(b)
	for _, i := range m.Instructions {
		p := newPrinter(i)
		fmt.Fprintf(b, "\n%s.%s\n  %s\n  when %s\n", m.Path(), i.Name, i.Doc, p.pretty(i.Decode))
		for _, t := range p.order {
			fmt.Fprintf(b, "  %s is %s\n", p.names[t], p.expand(t))
		}
		for _, c := range i.Checks {
			fmt.Fprintf(b, "  else %s (%s) unless %s\n", c.Code, c.Msg, p.pretty(c.Cond))
		}
		for _, s := range i.Sets {
			fmt.Fprintf(b, "  %s := %s\n", s.Var.Name, p.pretty(s.Value))
		}
		for _, e := range i.Eachs {
			indent := "  "
			if e.Var != nil {
				fmt.Fprintf(b, "  for %s < %d\n", e.Var.Name, e.N)
				indent = "    "
			}
			for _, s := range e.Stores {
				value := "nothing"
				if s.Value != nil {
					value = p.pretty(s.Value)
				}
				fmt.Fprintf(b, "%s%s[%s] := %s\n", indent, s.Memory.Name, p.pretty(s.Address), value)
			}
		}
	}
	for _, c := range m.Children {
		fmt.Fprintf(b, "\nchild %s\n\n%s\n", c.Path(), c.Doc)
		c.manual(b)
	}
}

// statements writes what a model states of its state, and of the end of programs.
func (m *Model) statements(b *strings.Builder) {
	p := &printer{}
	if len(m.Invariants)+len(m.Fillings) > 0 {
		b.WriteString("\ninvariants\n")
		for _, v := range m.Invariants {
			fmt.Fprintf(b, "  %-16s %s\n  %-16s %s\n", v.Name, v.Doc, "", p.pretty(v.Cond))
		}
		for _, f := range m.Fillings {
			fmt.Fprintf(b, "  %-16s is written when %s\n", f.String(), p.pretty(f.When))
		}
	}
	if len(m.Ends) > 0 {
		b.WriteString("\na program ends\n")
		for _, r := range m.Ends {
			fmt.Fprintf(b, "  else %s (%s) unless %s\n", r.Code, r.Msg, p.pretty(r.Cond))
		}
	}
}

var infix = map[term.Op]string{
	term.Add: "+", term.Mul: "*", term.And: "and", term.Or: "or", term.Xor: "xor", term.Equal: "=",
	term.LessU: "<u", term.LessS: "<s", term.Shl: "<<", term.ShrU: ">>u", term.ShrS: ">>s", term.Concat: "++",
}

// A printer prints the expressions of an instruction. Those that are long and occur more than once have names.
type printer struct {
	names map[*term.Term]string
	order []*term.Term // with names, each after those that it mentions
}

const longTerm = 12 // operations

func newPrinter(i *Instruction) *printer {
	p := &printer{names: map[*term.Term]string{}}
	uses := map[*term.Term]int{}
	var order []*term.Term // arguments first
	var visit func(t *term.Term)
	visit = func(t *term.Term) {
		if uses[t]++; uses[t] > 1 {
			return
		}
		for _, a := range t.Args {
			visit(a)
		}
		order = append(order, t)
	}
	i.terms(visit)
	size := map[*term.Term]int{} // as printed
	for _, t := range order {
		size[t] = 1
		for _, a := range t.Args {
			size[t] += size[a]
		}
		if uses[t] > 1 && size[t] >= longTerm {
			p.names[t] = fmt.Sprintf("t%d", len(p.order)+1)
			p.order = append(p.order, t)
			size[t] = 1
		}
	}
	return p
}

// pretty prints an expression of a model with the names of its variables.
func (p *printer) pretty(t *term.Term) string {
	if name, ok := p.names[t]; ok {
		return name
	}
	return p.expand(t)
}

// expand is pretty, but that t itself is not printed as a name.
func (p *printer) expand(t *term.Term) string {
	arg := func(i int) string { return p.pretty(t.Args[i]) }
	switch t.Op {
	case term.Const:
		v, _ := t.ConstBits()
		if t.Sort.Kind == term.Bool {
			return fmt.Sprint(v != 0)
		}
		return fmt.Sprint(v)
	case term.Read:
		return t.Tensor.Name[strings.LastIndexByte(t.Tensor.Name, '.')+1:]
	case term.Number:
		return t.Index[0].String()
	case term.Load:
		return fmt.Sprintf("%s[%s]", arg(0), arg(1))
	case term.Extract:
		return fmt.Sprintf("%s{%d:%d}", arg(0), t.Low()+t.Sort.Width-1, t.Low())
	case term.ExtendU:
		return arg(0)
	case term.ExtendS:
		return fmt.Sprintf("signed%d(%s)", t.Sort.Width, arg(0))
	case term.Choose:
		return fmt.Sprintf("(if %s then %s else %s)", arg(0), arg(1), arg(2))
	case term.Apply:
		args := make([]string, len(t.Args))
		for i := range args {
			args[i] = arg(i)
		}
		return t.Name + "(" + strings.Join(args, ", ") + ")"
	case term.Not:
		return "not " + arg(0)
	case term.Neg:
		return "-" + arg(0)
	case term.Reduce:
		return fmt.Sprintf("sum(%s < %d) %s", t.Vars[0].Name, Iterations(t.Vars[0]), arg(0))
	}
	if op, ok := infix[t.Op]; ok {
		return "(" + arg(0) + " " + op + " " + arg(1) + ")"
	}
	args := make([]string, len(t.Args))
	for i := range args {
		args[i] = arg(i)
	}
	return t.Op.BitsName() + "(" + strings.Join(args, ", ") + ")"
}

// ModelSchema is that of the JSON of models; ci/schema/model.schema.json describes it.
const ModelSchema = "tv.model/v1"

// The JSON of a model: the same as the manual, expressions as text.
type jsonModel struct {
	Schema       string            `json:"schema,omitempty"` // of the root
	Name         string            `json:"name"`
	Doc          string            `json:"doc"`
	Params       []jsonParam       `json:"params,omitempty"`
	Functions    []jsonVar         `json:"uninterpreted,omitempty"`
	Interpreted  []jsonFunction    `json:"functions,omitempty"`
	Inputs       []jsonVar         `json:"inputs,omitempty"`
	State        []jsonVar         `json:"state,omitempty"`
	Invariants   []jsonInvariant   `json:"invariants,omitempty"`
	Fillings     []jsonFilling     `json:"fillings,omitempty"`
	Ends         []jsonCheck       `json:"ends,omitempty"`
	Instructions []jsonInstruction `json:"instructions"`
	Children     []jsonModel       `json:"children,omitempty"`
}

type jsonParam struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Doc   string `json:"doc"`
}

type jsonVar struct {
	Name  string `json:"name"`
	Width int    `json:"width"`
	Depth uint64 `json:"depth,omitempty"`
	Doc   string `json:"doc"`
}

type jsonFunction struct {
	Name     string `json:"name"`
	Width    int    `json:"width"`
	Doc      string `json:"doc"`
	Tables   string `json:"tables"`
	Distance string `json:"distance,omitempty"`
}

type jsonInvariant struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`
	Cond string `json:"cond"`
}

type jsonFilling struct {
	Memory string `json:"memory"`
	First  uint64 `json:"first"`
	Count  uint64 `json:"count"`
	When   string `json:"when"`
}

type jsonInstruction struct {
	Name   string      `json:"name"`
	Doc    string      `json:"doc"`
	Decode string      `json:"decode"`
	Where  []jsonName  `json:"where,omitempty"` // names for expressions that occur more than once
	Checks []jsonCheck `json:"checks,omitempty"`
	Sets   []jsonSet   `json:"sets,omitempty"`
	Stores []jsonStore `json:"stores,omitempty"`
}

type jsonName struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type jsonCheck struct {
	Cond string `json:"cond"`
	Code string `json:"code"`
	Msg  string `json:"message"`
}

type jsonSet struct {
	Var   string `json:"var"`
	Value string `json:"value"`
}

type jsonStore struct {
	For     string  `json:"for,omitempty"`
	Memory  string  `json:"memory"`
	Address string  `json:"address"`
	Value   *string `json:"value"` // null where the cell loses its value
	When    string  `json:"when,omitempty"`
}

// JSON writes a model for programs: what the manual says, with expressions as text.
func JSON(w io.Writer, m *Model) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	j := m.json()
	j.Schema = ModelSchema
	return e.Encode(j)
}

func (m *Model) json() jsonModel {
	j := jsonModel{Name: m.Name, Doc: m.Doc}
	for _, p := range m.Params {
		j.Params = append(j.Params, jsonParam(p))
	}
	for _, f := range m.Functions {
		if f.Tables == "" {
			j.Functions = append(j.Functions, jsonVar{Name: f.Name, Width: f.Width, Doc: f.Doc})
			continue
		}
		of := jsonFunction{Name: f.Name, Width: f.Width, Doc: f.Doc, Tables: f.Tables}
		if f.Distance != nil {
			of.Distance = f.Distance()
		}
		j.Interpreted = append(j.Interpreted, of)
	}
	vars := func(list []*Var) (out []jsonVar) {
		for _, v := range list {
			out = append(out, jsonVar{v.Name, v.Width, v.Depth, v.Doc})
		}
		return out
	}
	j.Inputs, j.State = vars(m.Inputs), vars(m.State)
	p := &printer{}
	for _, v := range m.Invariants {
		j.Invariants = append(j.Invariants, jsonInvariant{v.Name, v.Doc, p.pretty(v.Cond)})
	}
	for _, f := range m.Fillings {
		j.Fillings = append(j.Fillings, jsonFilling{f.Memory.Name, f.First, f.Count, p.pretty(f.When)})
	}
	for _, r := range m.Ends {
		j.Ends = append(j.Ends, jsonCheck{p.pretty(r.Cond), r.Code, r.Msg})
	}
	for _, i := range m.Instructions {
		p := newPrinter(i)
		ji := jsonInstruction{Name: i.Name, Doc: i.Doc, Decode: p.pretty(i.Decode)}
		for _, t := range p.order {
			ji.Where = append(ji.Where, jsonName{p.names[t], p.expand(t)})
		}
		for _, c := range i.Checks {
			ji.Checks = append(ji.Checks, jsonCheck{p.pretty(c.Cond), c.Code, c.Msg})
		}
		for _, s := range i.Sets {
			ji.Sets = append(ji.Sets, jsonSet{s.Var.Name, p.pretty(s.Value)})
		}
		for _, e := range i.Eachs {
			for _, s := range e.Stores {
				js := jsonStore{Memory: s.Memory.Name, Address: p.pretty(s.Address)}
				if e.Var != nil {
					js.For = fmt.Sprintf("%s < %d", e.Var.Name, e.N)
				}
				if s.Value != nil {
					text := p.pretty(s.Value)
					js.Value = &text
				}
				if s.When != nil {
					js.When = p.pretty(s.When)
				}
				ji.Stores = append(ji.Stores, js)
			}
		}
		j.Instructions = append(j.Instructions, ji)
	}
	for _, c := range m.Children {
		j.Children = append(j.Children, c.json())
	}
	return j
}
