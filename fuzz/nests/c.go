package nests

import (
	"fmt"
	"strings"
)

// CHeader is what programs in C want before them.
const CHeader = `#define max(x, y) ((x) > (y) ? (x) : (y))
#define min(x, y) ((x) < (y) ? (x) : (y))
`

// CTypes are the types of C that elements have.
var CTypes = map[string]string{"i8": "signed char", "i32": "int", "i64": "long", "f32": "float"}

// C writes a program as a function of C. Divisions of data round to zero there, whatever they are in MLIR.
func (p *Program) C(name string) string {
	w := &cWriter{p: p}
	var params []string
	if p.Named() {
		params = append(params, "int n")
	}
	for _, a := range p.Arrays {
		if !a.Local {
			params = append(params, w.declaration(a))
		}
	}
	w.line("void %s(%s) {", name, strings.Join(params, ", "))
	w.depth++
	for _, a := range p.Arrays {
		if a.Local {
			w.line("%s;", w.declaration(a))
		}
	}
	w.stmts(p.Body)
	w.depth--
	w.line("}")
	return w.text.String()
}

// A cWriter writes a program.
type cWriter struct {
	p     *Program
	text  strings.Builder
	depth int
}

func (w *cWriter) line(s string, args ...any) {
	w.text.WriteString(strings.Repeat("  ", w.depth) + fmt.Sprintf(s, args...) + "\n")
}

func (w *cWriter) declaration(a *Array) string {
	s := CTypes[w.p.Elem] + " " + a.Name
	for _, d := range a.Dims {
		if d == 0 {
			s += "[n]"
		} else {
			s += fmt.Sprintf("[%d]", d)
		}
	}
	return s
}

func (w *cWriter) stmts(list []Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *Assign:
			w.line("%s = %s;", w.access(s.To), w.expr(s.Value))
		case *Loop:
			w.loop(s)
		case *If:
			op, conds := ">=", []string{}
			if s.Equal {
				op = "=="
			}
			for _, c := range s.Cond {
				conds = append(conds, fmt.Sprintf("%s %s 0", w.affine(c), op))
			}
			w.line("if (%s) {", strings.Join(conds, " && "))
			w.inside(s.Then)
			if len(s.Else) > 0 {
				w.line("} else {")
				w.inside(s.Else)
			}
			w.line("}")
		}
	}
}

func (w *cWriter) inside(list []Stmt) {
	w.depth++
	w.stmts(list)
	w.depth--
}

func (w *cWriter) loop(l *Loop) {
	if l.Carry != nil {
		w.line("%s %s_x = %s;", CTypes[w.p.Elem], l.Name, w.expr(l.Carry.Init))
	}
	step := l.Name + "++"
	if l.Step != 1 {
		step = fmt.Sprintf("%s += %d", l.Name, l.Step)
	}
	w.line("for (int %s = %s; %s < %s; %s) {", l.Name, w.bound("max", l.Lower), l.Name, w.bound("min", l.Upper), step)
	w.inside(l.Body)
	if l.Carry != nil {
		next := w.expr(&Expr{Op: l.Carry.Op, Args: []*Expr{{Op: "carried", Name: l.Name}, l.Carry.Term}})
		w.line("  %s_x = %s;", l.Name, next)
	}
	w.line("}")
	if l.Carry != nil {
		w.line("%s = %s_x;", w.access(l.Carry.To), l.Name)
	}
}

func (w *cWriter) bound(extreme string, list []Affine) string {
	s := w.affine(list[0])
	for _, a := range list[1:] {
		s = fmt.Sprintf("%s(%s, %s)", extreme, s, w.affine(a))
	}
	return s
}

func (w *cWriter) affine(a Affine) string {
	return a.text(func(n string) string { return n }, "/", "%")
}

func (w *cWriter) access(a Access) string {
	s := a.Array.Name
	for _, x := range a.At {
		s += "[" + w.affine(x) + "]"
	}
	return s
}

var cOperators = map[string]string{"add": "+", "sub": "-", "mul": "*", "and": "&", "xor": "^", "ceildiv": "/", "floordiv": "/",
	"div": "/", "rem": "%", "shl": "<<", "shr": ">>"}

func (w *cWriter) expr(e *Expr) string {
	switch e.Op {
	case "read":
		return w.access(e.Read)
	case "const":
		if w.p.Elem == "f32" {
			return fmt.Sprintf("%d.0f", e.Const)
		}
		return fmt.Sprint(e.Const)
	case "counter":
		return e.Name
	case "carried":
		return e.Name + "_x"
	}
	x, y := w.expr(e.Args[0]), w.expr(e.Args[1])
	switch e.Op {
	case "max":
		return fmt.Sprintf("(%s > %s ? %s : %s)", x, y, x, y)
	case "min", "less":
		return fmt.Sprintf("(%s < %s ? %s : %s)", x, y, x, y)
	}
	return fmt.Sprintf("(%s %s %s)", x, cOperators[e.Op], y)
}
