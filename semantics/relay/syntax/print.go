package syntax

import (
	"fmt"
	"strconv"
	"strings"
)

// Print writes a module as TVM's printer does: the entry, each expression that it needs bound to a number, and the metadata as they
// stand. What the result does not reach, definitions of types and notes of types are left out. The text reads as the same program.
func (m *Module) Print() string {
	p := &printer{names: map[*Expr]string{}, params: map[*Param]string{}, taken: map[string]bool{}, lists: map[*Func][]*Expr{}}
	p.name(m.Entry)
	p.order(m.Entry.Body)
	if m.Version == headerOld[1:] {
		p.text.WriteString(headerOld + "\n")
	} else {
		p.text.WriteString("#[version = \"" + headerVersion + "\"]\n")
	}
	p.text.WriteString("def @" + m.Entry.Name)
	p.function(m.Entry, "")
	p.text.WriteString("\n")
	if m.Metadata != nil {
		mark := metadataNew
		if m.Version == headerOld[1:] {
			mark = metadataOld
		}
		p.text.WriteString(mark + "\n" + strings.TrimSpace(m.File.Text[m.Metadata.at.Start:]) + "\n")
	}
	return p.text.String()
}

// A printer writes a module.
type printer struct {
	text   strings.Builder
	names  map[*Expr]string // of expressions that are bound, once they are
	params map[*Param]string
	taken  map[string]bool
	lists  map[*Func][]*Expr // what is bound in a function, operands first
	next   int
}

// name gives parameters names that no other has.
func (p *printer) name(f *Func) {
	for _, v := range f.Params {
		name := v.Name
		for n := 1; p.taken[name]; n++ {
			name = fmt.Sprintf("%s_%d", v.Name, n)
		}
		p.taken[name] = true
		p.params[v] = name
	}
}

// bound tells whether an expression gets a number; others are written where they stand.
func (e *Expr) bound() bool {
	switch e.Kind {
	case ExprParam, ExprNumber, ExprBool, ExprConstant, ExprItem:
		return false
	}
	return true
}

// order lists what is bound, in the functions in which it stands. Bodies are long: there is no recursion.
func (p *printer) order(root *Expr) {
	type visit struct {
		e    *Expr
		next int
	}
	seen := map[*Expr]bool{root: true}
	stack := []visit{{e: root}}
	for len(stack) > 0 {
		v := &stack[len(stack)-1]
		operands := v.e.Args
		if v.e.Kind == ExprFunc {
			operands = []*Expr{v.e.Func.Body}
			if v.next == 0 {
				p.name(v.e.Func)
			}
		}
		if v.next < len(operands) {
			o := operands[v.next]
			v.next++
			if !seen[o] {
				seen[o] = true
				stack = append(stack, visit{e: o})
			}
			continue
		}
		if v.e.bound() {
			p.lists[v.e.of] = append(p.lists[v.e.of], v.e)
		}
		stack = stack[:len(stack)-1]
	}
}

// function writes what is behind the name of a function.
func (p *printer) function(f *Func, indent string) {
	var list []string
	for _, v := range f.Params {
		text := "%" + p.params[v]
		if v.Type != nil {
			text += ": " + v.Type.String()
		}
		list = append(list, text)
	}
	list = append(list, attributes(f.Attrs)...)
	p.text.WriteString("(" + strings.Join(list, ", ") + ")")
	if f.Result != nil {
		p.text.WriteString(" -> " + f.Result.String())
	}
	p.text.WriteString(" {\n")
	for _, e := range p.lists[f] {
		if e == f.Body {
			continue
		}
		name := "%" + strconv.Itoa(p.next)
		p.next++
		p.text.WriteString(indent + "  " + name + " = ")
		p.expr(e, indent+"  ")
		p.text.WriteString(";\n")
		p.names[e] = name
	}
	p.text.WriteString(indent + "  ")
	if p.names[f.Body] != "" { // bound in a function around
		p.text.WriteString(p.names[f.Body])
	} else {
		p.expr(f.Body, indent+"  ")
	}
	p.text.WriteString("\n" + indent + "}")
}

func attributes(attrs []Attr) (list []string) {
	for _, a := range attrs {
		list = append(list, a.Name+"="+a.Value.String())
	}
	return list
}

// operand writes an expression where it is used.
func (p *printer) operand(e *Expr) string {
	switch {
	case p.names[e] != "":
		return p.names[e]
	case e.Kind == ExprItem:
		items := ""
		for e.Kind == ExprItem {
			items = "." + strconv.Itoa(e.Index) + items
			e = e.Args[0]
		}
		return p.operand(e) + items
	case e.Kind == ExprParam:
		return "%" + p.params[e.Param]
	case e.Kind == ExprNumber:
		text := e.Number.Text + e.Number.Suffix
		if e.Note != nil { // which the number may have its type from
			text += " /* ty=" + e.Note.String() + " */"
		}
		return text
	case e.Kind == ExprConstant:
		return e.Meta.String()
	}
	return e.Name
}

// expr writes an expression with its operands by their names.
func (p *printer) expr(e *Expr, indent string) {
	var list []string
	for _, a := range e.Args {
		list = append(list, p.operand(a))
	}
	switch e.Kind {
	case ExprFunc:
		p.text.WriteString("fn ")
		p.function(e.Func, indent)
	case ExprCall:
		list = append(list, attributes(e.Attrs)...)
		if e.Meta != nil {
			list = append(list, e.Meta.String())
		}
		p.text.WriteString(e.Name + "(" + strings.Join(list, ", ") + ")")
	case ExprApply:
		p.text.WriteString(list[0] + "(" + strings.Join(list[1:], ", ") + ")")
	case ExprTuple:
		if len(list) == 1 {
			list = append(list, "")
		}
		p.text.WriteString("(" + strings.TrimSuffix(strings.Join(list, ", "), " ") + ")")
	case ExprIf:
		p.text.WriteString(fmt.Sprintf("if (%s) {\n%s  %s\n%s} else {\n%s  %s\n%s}", list[0], indent, list[1], indent, indent, list[2],
			indent))
	default:
		p.text.WriteString(p.operand(e))
	}
}

// String prints a reference as Relay does.
func (r *MetaRef) String() string { return fmt.Sprintf("meta[%s][%d]", r.Key, r.Index) }
