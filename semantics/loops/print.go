package loops

import (
	"fmt"
	"strconv"
	"strings"

	"tv/semantics/domain"
)

// Format returns a procedure as text, for those who test or debug what reads a language. Everything that is implied in a
// language is written out in it: conversions name their types, divisions the way that they round.
//
//	procedure f(size N, int32 A[N], in float32 x) {
//	  for i = 0; i < N {
//	    A[i] = A[i] +.int32 convert<float32, int32>(x)
//	  }
//	}
func Format(p *Procedure) string {
	w := &printer{counters: map[*For]string{}}
	var heading []string
	for _, q := range p.Heading {
		if q.Buffer == nil {
			heading = append(heading, "size "+q.Size)
			continue
		}
		prefix := map[Kind]string{In: "in "}[q.Buffer.Kind]
		heading = append(heading, prefix+w.buffer(q.Buffer))
	}
	w.line("procedure %s(%s) {", p.Name, strings.Join(heading, ", "))
	w.depth++
	for _, b := range p.Buffers {
		if b.Kind == Returned {
			w.line("returned %s", w.buffer(b))
		}
	}
	w.block(p.Body)
	w.depth--
	w.line("}")
	return w.text.String()
}

type printer struct {
	text     strings.Builder
	depth    int
	counters map[*For]string // unique among the loops around
	around   []*For
}

func (w *printer) line(format string, args ...any) {
	w.text.WriteString(strings.Repeat("  ", w.depth))
	fmt.Fprintf(&w.text, format, args...)
	w.text.WriteByte('\n')
}

func (w *printer) buffer(b *Buffer) string {
	s := b.Elem.String() + " " + b.Name
	for k, d := range b.Dims {
		if k == 0 && b.Unsized {
			s += "[]"
			continue
		}
		s += "[" + w.int(d, 0) + "]"
	}
	return s
}

func (w *printer) block(list []Stmt) {
	for _, s := range list {
		w.statement(s)
	}
}

// branches prints what runs where a condition holds and where it does not.
func (w *printer) branches(heading string, then, otherwise []Stmt) {
	w.line("%s {", heading)
	w.depth++
	w.block(then)
	w.depth--
	if len(otherwise) > 0 {
		w.line("} else {")
		w.depth++
		w.block(otherwise)
		w.depth--
	}
	w.line("}")
}

func (w *printer) statement(s Stmt) {
	switch s := s.(type) {
	case *Alloc:
		w.line("local %s", w.buffer(s.Buffer))
	case *Assign:
		w.line("%s = %s", w.access(s.To), w.expr(s.Value, 0))
	case *For:
		w.loop(s)
	case *If:
		w.branches("if "+w.cond(s.Cond, 0), s.Then, s.Else)
	case *When:
		w.branches("when "+w.expr(s.Cond, 0), s.Then, s.Else)
	case *Require:
		w.line("require %s: %s %s", s.Obligation, w.cond(s.Cond, 0), strconv.Quote(s.Message))
	}
}

// loop prints a loop: with > where it runs downwards, and with != where its step may have either sign.
func (w *printer) loop(s *For) {
	word, relation := "for", "!="
	if s.Step.Op == Number {
		relation = map[bool]string{true: "<", false: ">"}[s.Step.N > 0]
	}
	if s.Parallel != nil {
		word = "parallel for"
	}
	hi := w.bound(map[bool]string{true: "max", false: "min"}[relation == ">"], s.Hi)
	lo, step := w.bound("max", s.Lo), w.int(s.Step, 0) // all three are taken outside
	name := s.Name
	for again := 2; w.taken(name); again++ {
		name = fmt.Sprintf("%s.%d", s.Name, again)
	}
	w.counters[s], w.around = name, append(w.around, s)
	text := fmt.Sprintf("%s %s = %s; %s %s %s", word, name, lo, name, relation, hi)
	if step != "1" {
		text += "; step " + step
	}
	if s.Parallel != nil && len(s.Parallel.Reductions) > 0 {
		text += "; reduces"
		for _, op := range s.Parallel.Reductions {
			text += " " + op.String()
		}
	}
	w.branches(text, s.Body, nil)
	w.around = w.around[:len(w.around)-1]
}

// taken tells whether a loop around has a counter of the name.
func (w *printer) taken(name string) bool {
	for _, l := range w.around {
		if w.counters[l] == name {
			return true
		}
	}
	return false
}

func (w *printer) bound(op string, list []*Int) string {
	if len(list) == 1 {
		return w.int(list[0], 0)
	}
	return op + "(" + w.ints(list) + ")"
}

func (w *printer) ints(list []*Int) string {
	out := make([]string, len(list))
	for i, x := range list {
		out[i] = w.int(x, 0)
	}
	return strings.Join(out, ", ")
}

func (w *printer) access(a Access) string {
	s := a.Buffer.Name
	for _, x := range a.At {
		s += "[" + w.int(x, 0) + "]"
	}
	return s
}

// Operators bind as in C; what has no operator there is a call.
const (
	choosing = iota + 1
	oring
	anding
	comparing
	adding
	multiplying
	negating
)

// within puts parentheses around a text whose operator binds less than the place asks for.
func within(s string, binds, place int) string {
	if binds < place {
		return "(" + s + ")"
	}
	return s
}

func (w *printer) int(x *Int, place int) string {
	switch x.Op {
	case Number:
		if x.N < 0 {
			return within(strconv.FormatInt(x.N, 10), negating, place)
		}
		return strconv.FormatInt(x.N, 10)
	case Size:
		return x.Name
	case Counter:
		if name, ok := w.counters[x.Loop]; ok {
			return name
		}
		return "?" + x.Loop.Name // of a loop that is not around
	case Plus:
		return within(w.sum(x), adding, place)
	case Times:
		return within(w.int(x.Args[0], multiplying)+"*"+w.int(x.Args[1], negating), multiplying, place)
	case Choose:
		s := w.cond(x.Cond, oring) + " ? " + w.int(x.Args[0], oring) + " : " + w.int(x.Args[1], choosing)
		return within(s, choosing, place)
	}
	name := [...]string{FloorDiv: "floordiv", CeilDiv: "ceildiv", FloorMod: "floormod", TruncDiv: "truncdiv",
		TruncMod: "truncmod", Least: "min", Greatest: "max"}[x.Op]
	return name + "(" + w.ints(x.Args) + ")"
}

// sum prints x - y for x + -1*y.
func (w *printer) sum(x *Int) string {
	s := ""
	for i, a := range x.Args {
		negative := a.Op == Number && a.N < 0 && a.N != -a.N
		minus := a.Op == Times && a.Args[0].Op == Number && a.Args[0].N == -1
		switch {
		case i == 0:
			s = w.int(a, adding)
		case negative:
			s += " - " + strconv.FormatInt(-a.N, 10)
		case minus:
			s += " - " + w.int(a.Args[1], multiplying)
		default:
			s += " + " + w.int(a, multiplying)
		}
	}
	if s == "" {
		return "0"
	}
	return s
}

func (w *printer) cond(x *Cond, place int) string {
	switch x.Op {
	case All, Any:
		word, binds := " && ", anding
		if x.Op == Any {
			word, binds = " || ", oring
		}
		list := make([]string, len(x.Conds))
		for i, y := range x.Conds {
			list[i] = w.cond(y, binds+1)
		}
		if len(list) == 0 {
			return map[bool]string{true: "true", false: "false"}[x.Op == All]
		}
		return within(strings.Join(list, word), binds, place)
	case None:
		return "!(" + w.cond(x.Conds[0], 0) + ")"
	}
	relation := [...]string{Less: " < ", LessEqual: " <= ", Equal: " == "}[x.Op]
	return within(w.int(x.A, adding)+relation+w.int(x.B, adding), comparing, place)
}

var opNames = [...]string{Read: "read", Literal: "literal", Special: "special", FromInt: "int", Convert: "convert",
	Negate: "-", Add: "+", Sub: "-", Mul: "*", Div: "/", Rem: "%", DivDown: "floordiv", DivUp: "ceildiv",
	BitAnd: "&", BitOr: "|", BitXor: "^", BitNot: "~", ShiftLeft: "<<", ShiftRight: ">>",
	IsEqual: "==", IsNotEqual: "!=", IsLess: "<", IsLessEqual: "<=",
	Choice: "choice", Minimum: "minimum", Maximum: "maximum", MinNum: "minnum", MaxNum: "maxnum", Absolute: "abs",
	Function: "function"}

// String returns the operator, or the name of the operation.
func (op Op) String() string { return opNames[op] }

// expr prints an element. Operators carry the type of their operands.
func (w *printer) expr(e *Expr, place int) string {
	switch e.Op {
	case Read:
		return w.access(e.From)
	case Literal:
		return typed(e.Number.RatString(), e.Elem)
	case Special:
		return typed(e.Name, e.Elem)
	case FromInt:
		return e.Elem.String() + "(" + w.int(e.Int, 0) + ")"
	case Convert:
		return "convert<" + e.Args[0].Elem.String() + ", " + e.Elem.String() + ">(" + w.exprs(e.Args) + ")"
	case Choice:
		return within(w.expr(e.Args[0], oring)+" ? "+w.expr(e.Args[1], oring)+" : "+w.expr(e.Args[2], choosing), choosing, place)
	case Negate, BitNot:
		return within(e.Op.String()+suffix(e.Elem)+" "+w.expr(e.Args[0], negating), negating, place)
	case Function:
		return e.Name + suffix(e.Elem) + "(" + w.exprs(e.Args) + ")"
	case DivDown, DivUp, Minimum, Maximum, MinNum, MaxNum, Absolute:
		return e.Op.String() + suffix(e.Elem) + "(" + w.exprs(e.Args) + ")"
	}
	// Between operators of elements there are no ranks to know by heart: all but sums and products have parentheses.
	binds := map[Op]int{Add: adding, Sub: adding, Mul: multiplying, Div: multiplying, Rem: multiplying}[e.Op]
	inner := binds
	if binds == 0 {
		binds, inner = comparing, adding
	}
	s := w.expr(e.Args[0], inner) + " " + e.Op.String() + suffix(e.Args[0].Elem) + " " + w.expr(e.Args[1], inner+1)
	return within(s, binds, place)
}

func (w *printer) exprs(list []*Expr) string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = w.expr(e, 0)
	}
	return strings.Join(out, ", ")
}

// suffix is the type of an operation, behind its operator.
func suffix(t domain.Elem) string { return "." + t.String() }

// typed is a number with its type.
func typed(s string, t domain.Elem) string { return s + ":" + t.String() }
