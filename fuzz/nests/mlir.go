package nests

import (
	"fmt"
	"slices"
	"strings"
)

// MLIR writes a program as a function of MLIR.
func (p *Program) MLIR(name string) string {
	w := &mlirWriter{p: p, carried: map[string]string{}}
	var params, heads []string
	for _, a := range p.Arrays {
		if !a.Local {
			params = append(params, fmt.Sprintf("%%%s: %s", a.Name, p.memref(a)))
			continue
		}
		named := strings.Repeat("%n, ", count(a.Dims, 0))
		heads = append(heads, fmt.Sprintf("%%%s = memref.alloc(%s) : %s", a.Name, strings.TrimSuffix(named, ", "), p.memref(a)))
	}
	if p.Named() {
		params = append(params, "%n: index")
	}
	w.line("func.func @%s(%s) {", name, strings.Join(params, ", "))
	w.depth++
	for _, h := range heads {
		w.line("%s", h)
	}
	w.stmts(p.Body)
	w.line("return")
	w.depth--
	w.line("}")
	return w.text.String()
}

func count(list []int, x int) (n int) {
	for _, y := range list {
		if x == y {
			n++
		}
	}
	return n
}

func (p *Program) memref(a *Array) string {
	s := "memref<"
	for _, d := range a.Dims {
		if d == 0 {
			s += "?x"
		} else {
			s += fmt.Sprintf("%dx", d)
		}
	}
	return s + p.Elem + ">"
}

// A mlirWriter writes a program.
type mlirWriter struct {
	p       *Program
	text    strings.Builder
	depth   int
	fresh   int
	carried map[string]string // by loop, the name of the value that goes round
}

func (w *mlirWriter) line(s string, args ...any) {
	w.text.WriteString(strings.Repeat("  ", w.depth) + fmt.Sprintf(s, args...) + "\n")
}

func (w *mlirWriter) value(s string, args ...any) string {
	w.fresh++
	v := fmt.Sprintf("%%v%d", w.fresh)
	w.line("%s = %s", v, fmt.Sprintf(s, args...))
	return v
}

func (w *mlirWriter) stmts(list []Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *Assign:
			w.store(s.To, w.expr(s.Value))
		case *Loop:
			w.loop(s)
		case *If:
			op := ">="
			if s.Equal {
				op = "=="
			}
			names, conds := mapped(s.Cond)
			for i := range conds {
				conds[i] += fmt.Sprintf(" %s 0", op)
			}
			w.line("affine.if affine_set<%s : (%s)>%s {", heading(names), strings.Join(conds, ", "), operands(names))
			w.inside(s.Then)
			if len(s.Else) > 0 {
				w.line("} else {")
				w.inside(s.Else)
			}
			w.line("}")
		}
	}
}

func (w *mlirWriter) inside(list []Stmt) {
	w.depth++
	w.stmts(list)
	w.depth--
}

func (w *mlirWriter) store(to Access, v string) {
	w.line("affine.store %s, %s", v, w.access(to))
}

func (w *mlirWriter) access(a Access) string {
	var at []string
	for _, x := range a.At {
		at = append(at, x.text(func(n string) string {
			if n == size {
				return "symbol(%n)"
			}
			return "%" + n
		}, "floordiv", "mod"))
	}
	return fmt.Sprintf("%%%s[%s] : %s", a.Array.Name, strings.Join(at, ", "), w.p.memref(a.Array))
}

func (w *mlirWriter) loop(l *Loop) {
	head := fmt.Sprintf("affine.for %%%s = %s to %s", l.Name, bound("max", l.Lower), bound("min", l.Upper))
	if l.Step != 1 {
		head += fmt.Sprintf(" step %d", l.Step)
	}
	if l.Carry == nil {
		w.line("%s {", head)
		w.inside(l.Body)
		w.line("}")
		return
	}
	first := w.expr(l.Carry.Init)
	w.carried[l.Name] = "%" + l.Name + "_x"
	w.line("%%%s_r = %s iter_args(%s = %s) -> (%s) {", l.Name, head, w.carried[l.Name], first, w.p.Elem)
	w.inside(l.Body)
	w.depth++
	next := w.expr(&Expr{Op: l.Carry.Op, Args: []*Expr{{Op: "carried", Name: l.Name}, l.Carry.Term}})
	w.line("affine.yield %s : %s", next, w.p.Elem)
	w.depth--
	w.line("}")
	w.store(l.Carry.To, "%"+l.Name+"_r")
}

// bound writes a list of bounds, of which the extreme counts.
func bound(extreme string, list []Affine) string {
	if n, ok := list[0].constant(); ok && len(list) == 1 {
		return fmt.Sprint(n)
	}
	names, texts := mapped(list)
	s := fmt.Sprintf("affine_map<%s -> (%s)>%s", heading(names), strings.Join(texts, ", "), operands(names))
	if len(list) > 1 {
		s = extreme + " " + s
	}
	return s
}

// mapped writes expressions over the dims and symbols of a map, which stand for these names.
func mapped(list []Affine) (names, texts []string) {
	for _, a := range list {
		for _, t := range a.Terms {
			if !slices.Contains(names, t.Name) {
				names = append(names, t.Name)
			}
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return order(a) - order(b) })
	for _, a := range list {
		texts = append(texts, a.text(func(n string) string {
			if n == size {
				return "s0"
			}
			return fmt.Sprint("d", slices.Index(names, n))
		}, "floordiv", "mod"))
	}
	return names, texts
}

// order has the size last.
func order(name string) int {
	if name == size {
		return 1
	}
	return 0
}

func heading(names []string) string {
	var dims []string
	for k, n := range names {
		if n == size {
			return "(" + strings.Join(dims, ", ") + ")[s0]"
		}
		dims = append(dims, fmt.Sprint("d", k))
	}
	return "(" + strings.Join(dims, ", ") + ")"
}

func operands(names []string) string {
	var dims []string
	for _, n := range names {
		if n == size {
			return "(" + strings.Join(dims, ", ") + ")[%n]"
		}
		dims = append(dims, "%"+n)
	}
	return "(" + strings.Join(dims, ", ") + ")"
}

// text writes an expression; terms that are added come first.
func (a Affine) text(name func(string) string, div, mod string) string {
	s := ""
	add := func(t Term) {
		n, c := name(t.Name), t.Coef
		if c < 0 {
			c = -c
		}
		if c > 1 {
			n = fmt.Sprintf("%s * %d", n, c)
		}
		switch {
		case t.Coef < 0:
			s += " - " + n
		case s != "":
			s += " + " + n
		default:
			s = n
		}
	}
	for _, t := range a.Terms {
		if t.Coef > 0 {
			add(t)
		}
	}
	switch {
	case s == "":
		s = fmt.Sprint(a.Const)
	case a.Const > 0:
		s += fmt.Sprintf(" + %d", a.Const)
	case a.Const < 0:
		s += fmt.Sprintf(" - %d", -a.Const)
	}
	for _, t := range a.Terms {
		if t.Coef < 0 {
			add(t)
		}
	}
	switch {
	case a.Div > 0:
		s = fmt.Sprintf("(%s) %s %d", s, div, a.Div)
	case a.Mod > 0:
		s = fmt.Sprintf("(%s) %s %d", s, mod, a.Mod)
	}
	return s
}

// operations are those of integers and of floats.
var operations = map[string][2]string{
	"add": {"addi", "addf"}, "sub": {"subi", "subf"}, "mul": {"muli", "mulf"}, "max": {"maxsi", "maximumf"}, "min": {"minsi", ""},
	"and": {"andi", ""}, "xor": {"xori", ""}, "ceildiv": {"ceildivsi", ""}, "floordiv": {"floordivsi", ""}, "div": {"divsi", ""},
	"rem": {"remsi", ""}, "shl": {"shli", ""}, "shr": {"shrsi", ""},
}

func (w *mlirWriter) expr(e *Expr) string {
	typ := w.p.Elem
	switch e.Op {
	case "read":
		return w.value("affine.load %s", w.access(e.Read))
	case "const":
		if typ == "f32" {
			return w.value("arith.constant %d.0 : f32", e.Const)
		}
		return w.value("arith.constant %d : %s", e.Const, typ)
	case "counter":
		return w.value("arith.index_cast %%%s : index to %s", e.Name, typ)
	case "carried":
		return w.carried[e.Name]
	}
	x, y := w.expr(e.Args[0]), w.expr(e.Args[1])
	if e.Op == "less" {
		b := w.value("arith.cmpi slt, %s, %s : %s", x, y, typ)
		return w.value("arith.select %s, %s, %s : %s", b, x, y, typ)
	}
	kind := 0
	if typ == "f32" {
		kind = 1
	}
	if kind == 1 && e.Op == "max" { // the operation has another name in each version of MLIR
		b := w.value("arith.cmpf ogt, %s, %s : %s", x, y, typ)
		return w.value("arith.select %s, %s, %s : %s", b, x, y, typ)
	}
	return w.value("arith.%s %s, %s : %s", operations[e.Op][kind], x, y, typ)
}
