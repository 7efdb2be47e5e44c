package calls

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"tv/semantics/domain"
	"tv/semantics/loops"
)

// A writer writes procedures as C.
type writer struct {
	text  strings.Builder
	depth int
	taken map[string]bool // names
	names map[any]string  // of buffers and counters
	wide  bool
}

// unwritable ends the writing of a procedure.
type unwritable struct{ what string }

// written writes a procedure with other statements. Errors: ErrText.
func written(p *loops.Procedure, list []*node) (text string, err error) {
	defer func() {
		if u, ok := recover().(unwritable); ok {
			err = fmt.Errorf("%s %w", u.what, ErrText)
		}
	}()
	w := &writer{taken: map[string]bool{}, names: map[any]string{}, wide: p.Wide}
	var heading []string
	for _, q := range p.Heading {
		if q.Buffer == nil {
			w.taken[q.Size] = true
		}
	}
	result := "void"
	var returned *loops.Buffer
	for _, b := range p.Buffers {
		w.named(b, b.Name)
		if b.Kind == loops.Returned {
			result, returned = typeName(b.Elem), b
		}
	}
	for _, q := range p.Heading {
		if q.Buffer == nil {
			heading = append(heading, w.counterType()+" "+q.Size)
			continue
		}
		text := w.declared(q.Buffer)
		if q.Buffer.Kind == loops.In && len(q.Buffer.Dims) > 0 {
			text = "const " + text
		} else if q.Buffer.Kind == loops.InOut && len(q.Buffer.Dims) == 0 {
			text += "[1]"
		}
		heading = append(heading, text)
	}
	w.line("%s", wrapped(result+" "+p.Name+"(", heading, ") {"))
	w.depth++
	if returned != nil {
		w.line("%s;", w.declared(returned))
	}
	w.block(list)
	if returned != nil {
		w.line("return %s;", w.names[returned])
	}
	w.depth--
	w.line("}")
	return w.text.String(), nil
}

// columns is how wide a heading may be before it goes on in the next line.
const columns = 100

// wrapped joins parameters, in lines that begin below the first one.
func wrapped(open string, list []string, end string) string {
	var b strings.Builder
	b.WriteString(open)
	at := len(open)
	for k, text := range list {
		if text += ","; k == len(list)-1 {
			text = strings.TrimSuffix(text, ",") + end
		}
		switch {
		case k > 0 && at+1+len(text) > columns:
			b.WriteString("\n" + strings.Repeat(" ", len(open)))
			at = len(open)
		case k > 0:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(text)
		at += len(text)
	}
	if len(list) == 0 {
		b.WriteString(end)
	}
	return b.String()
}

func (w *writer) line(format string, args ...any) {
	w.text.WriteString(strings.Repeat("  ", w.depth))
	fmt.Fprintf(&w.text, format, args...)
	w.text.WriteByte('\n')
}

// words are those of C, and of the macros that its subset knows, that no name may be.
var words = strings.Fields("auto break case char const continue default do double else enum extern float for goto if inline int long " +
	"max min register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while floord ceild")

// named finds a name that nothing else has.
func (w *writer) named(of any, name string) string {
	name = strings.NewReplacer(".", "_", "%", "v", "#", "_", "$", "_", "-", "_").Replace(name)
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "v" + name
	}
	free := name
	for n := 2; w.taken[free] || slices.Contains(words, free); n++ {
		free = name + "_" + strconv.Itoa(n)
	}
	w.taken[free], w.names[of] = true, free
	return free
}

func (w *writer) counterType() string {
	if w.wide {
		return "long"
	}
	return "int"
}

// typeName is that of elements in C.
func typeName(e domain.Elem) string {
	switch {
	case e == domain.Elem{Kind: domain.ElemFloat, Width: 32}:
		return "float"
	case e == domain.Elem{Kind: domain.ElemFloat, Width: 64}:
		return "double"
	case e.Kind == domain.ElemInt && e.Width <= 64:
		return fmt.Sprintf("int%d_t", e.Width)
	case e.Kind == domain.ElemUint && e.Width <= 64:
		return fmt.Sprintf("uint%d_t", e.Width)
	}
	panic(unwritable{"elements of type " + e.String()})
}

func (w *writer) declared(b *loops.Buffer) string {
	s := typeName(b.Elem) + " " + w.names[b]
	for k, d := range b.Dims {
		if k == 0 && b.Unsized {
			s += "[]"
			continue
		}
		s += "[" + w.integer(d, 0) + "]"
	}
	return s
}

func (w *writer) block(list []*node) {
	for _, n := range list {
		w.node(n)
	}
}

func (w *writer) node(n *node) {
	if n.call != nil {
		w.line("%s;", n.call.write(w))
		return
	}
	switch s := n.stmt.(type) {
	case *loops.Alloc:
		w.line("%s;", w.declared(s.Buffer))
	case *loops.Assign:
		w.assign(s)
	case *loops.For:
		w.loop(s, n.body)
	case *loops.If:
		w.branches(w.condition(s.Cond), s.Then, s.Else)
	case *loops.When:
		w.branches(bare(w.element(s.Cond)), s.Then, s.Else)
	}
}

func (w *writer) branches(cond string, then, otherwise []loops.Stmt) {
	w.line("if (%s) {", cond)
	w.depth++
	w.block(nodes(then))
	w.depth--
	if len(otherwise) > 0 {
		w.line("} else {")
		w.depth++
		w.block(nodes(otherwise))
		w.depth--
	}
	w.line("}")
}

func (w *writer) loop(f *loops.For, body []*node) {
	if f.Step.Op != loops.Number || f.Step.N == 0 {
		panic(unwritable{"a loop whose step is no number"})
	}
	lo, hi := f.Lo, f.Hi
	name := w.named(f, f.Name)
	from, to, way, step := w.ends(lo, "max"), w.ends(hi, "min"), "<", "++"
	if f.Step.N < 0 {
		to, way = w.ends(hi, "max"), ">"
	}
	switch f.Step.N {
	case 1:
	case -1:
		step = "--"
	default:
		step = fmt.Sprintf(" += %d", f.Step.N)
	}
	w.line("for (%s %s = %s; %s %s %s; %s%s) {", w.counterType(), name, from, name, way, to, name, step)
	w.depth++
	w.block(body)
	w.depth--
	w.line("}")
	delete(w.taken, name)
}

// ends is the greatest or the least of some integers.
func (w *writer) ends(list []*loops.Int, by string) string {
	out := w.integer(list[0], 0)
	for _, x := range list[1:] {
		out = by + "(" + out + ", " + w.integer(x, 0) + ")"
	}
	return out
}

// Levels of binding: what stands within what without brackets.
const (
	sums = iota
	products
	primary
)

func bracketed(text string, level, within int) string {
	if level < within {
		return "(" + text + ")"
	}
	return text
}

// integer writes an integer of control.
func (w *writer) integer(x *loops.Int, within int) string {
	arg := func(k, level int) string { return w.integer(x.Args[k], level) }
	switch x.Op {
	case loops.Number:
		if x.N < 0 {
			return bracketed(strconv.FormatInt(x.N, 10), sums, within)
		}
		return strconv.FormatInt(x.N, 10)
	case loops.Size:
		return x.Name
	case loops.Counter:
		return w.names[x.Loop]
	case loops.Plus:
		text, alone := w.sum(sumOf(x), within)
		if alone {
			return text
		}
		return bracketed(text, sums, within)
	case loops.Times:
		if factor, negative := negatedInt(x); negative {
			return bracketed("-"+w.integer(factor, primary), sums, within)
		}
		return bracketed(arg(0, products)+" * "+arg(1, primary), products, within)
	case loops.FloorDiv:
		return "floord(" + arg(0, sums) + ", " + arg(1, sums) + ")"
	case loops.CeilDiv:
		return "ceild(" + arg(0, sums) + ", " + arg(1, sums) + ")"
	case loops.FloorMod:
		return bracketed(arg(0, products)+" - "+arg(1, primary)+" * floord("+arg(0, sums)+", "+arg(1, sums)+")", sums, within)
	case loops.TruncDiv:
		return bracketed(arg(0, products)+" / "+arg(1, primary), products, within)
	case loops.TruncMod:
		return bracketed(arg(0, products)+" % "+arg(1, primary), products, within)
	case loops.Least:
		return w.ends(x.Args, "min")
	case loops.Greatest:
		return w.ends(x.Args, "max")
	}
	return "(" + w.condition(x.Cond) + " ? " + arg(0, sums) + " : " + arg(1, sums) + ")"
}

// sum writes summands, the numbers among them as one at the end, and tells whether it is a single one.
func (w *writer) sum(list []*loops.Int, within int) (text string, alone bool) {
	var rest []*loops.Int
	number := int64(0)
	for _, x := range list {
		if factor, negative := negatedInt(x); negative && factor.Op == loops.Number {
			number -= factor.N
		} else if x.Op == loops.Number {
			number += x.N
		} else {
			rest = append(rest, x)
		}
	}
	slices.SortStableFunc(rest, func(x, y *loops.Int) int { // what is subtracted behind what it is subtracted from
		_, a := negatedInt(x)
		_, b := negatedInt(y)
		switch {
		case a == b:
			return 0
		case a:
			return 1
		}
		return -1
	})
	if number != 0 || len(rest) == 0 {
		rest = append(rest, loops.Num(number))
	}
	if len(rest) == 1 {
		return w.integer(rest[0], within), true
	}
	var b strings.Builder
	for k, x := range rest {
		factor, negative := negatedInt(x)
		switch {
		case k == 0:
			b.WriteString(w.integer(x, sums))
		case negative:
			b.WriteString(" - " + w.integer(factor, products))
		default:
			b.WriteString(" + " + w.integer(x, products))
		}
	}
	return b.String(), false
}

// negatedInt is x where an integer is -x, or -n for a number n.
func negatedInt(x *loops.Int) (*loops.Int, bool) {
	switch {
	case x.Op == loops.Number && x.N < 0:
		return loops.Num(-x.N), true
	case x.Op == loops.Times && x.Args[0].Op == loops.Number && x.Args[0].N == -1:
		return x.Args[1], true
	}
	return x, false
}

func (w *writer) condition(c *loops.Cond) string {
	compared := func(op string) string { return w.integer(c.A, sums) + " " + op + " " + w.integer(c.B, sums) }
	joined := func(op, none string) string {
		var all []string
		for _, d := range c.Conds {
			all = append(all, "("+w.condition(d)+")")
		}
		if len(all) == 0 {
			return none
		}
		return strings.Join(all, op)
	}
	switch c.Op {
	case loops.Less:
		return compared("<")
	case loops.LessEqual:
		return compared("<=")
	case loops.Equal:
		return compared("==")
	case loops.All:
		return joined(" && ", "1")
	case loops.Any:
		return joined(" || ", "0")
	}
	return "!(" + w.condition(c.Conds[0]) + ")"
}

func (w *writer) access(x loops.Access) string {
	if len(x.At) == 0 && x.Buffer.Kind == loops.InOut {
		return w.names[x.Buffer] + "[0]"
	}
	out := w.names[x.Buffer]
	for _, e := range x.At {
		out += "[" + w.integer(e, sums) + "]"
	}
	return out
}

// assign writes an assignment, with += where something is added to what is written.
func (w *writer) assign(s *loops.Assign) {
	v := s.Value
	if op := map[loops.Op]string{loops.Add: "+", loops.Sub: "-", loops.Mul: "*"}[v.Op]; op != "" &&
		v.Args[0].Op == loops.Read && v.Args[0].From.Same(s.To) {
		w.line("%s %s= %s;", w.access(s.To), op, bare(w.element(v.Args[1])))
		return
	}
	w.line("%s = %s;", w.access(s.To), bare(w.element(v)))
}

// bare takes the brackets around a whole expression away.
func bare(text string) string {
	if !strings.HasPrefix(text, "(") {
		return text
	}
	depth := 0
	for i, c := range text {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 && i < len(text)-1 {
				return text
			}
		}
	}
	return text[1 : len(text)-1]
}

// operators are those of two elements.
var operators = map[loops.Op]string{loops.Add: "+", loops.Sub: "-", loops.Mul: "*", loops.Div: "/", loops.Rem: "%",
	loops.BitAnd: "&", loops.BitOr: "|", loops.BitXor: "^", loops.ShiftLeft: "<<", loops.ShiftRight: ">>",
	loops.IsEqual: "==", loops.IsNotEqual: "!=", loops.IsLess: "<", loops.IsLessEqual: "<="}

// element writes an element, of which each operation is in brackets and has its type.
func (w *writer) element(e *loops.Expr) string {
	arg := func(k int) string { return w.element(e.Args[k]) }
	float := e.Elem.Kind == domain.ElemFloat
	suffix := ""
	if float && e.Elem.Width == 32 {
		suffix = "f"
	}
	typed := func(text string) string { // narrow integers are computed as int, and wrap where they are stored
		if !float && e.Elem.Kind != domain.ElemBool && e.Elem.Width < 32 {
			return "((" + typeName(e.Elem) + ")" + text + ")"
		}
		return text
	}
	switch e.Op {
	case loops.Read:
		return w.access(e.From)
	case loops.Literal:
		return typed(number(e.Number, float, suffix))
	case loops.FromInt:
		return "((" + typeName(e.Elem) + ")(" + w.integer(e.Int, sums) + "))"
	case loops.Convert:
		return "((" + typeName(e.Elem) + ")" + arg(0) + ")"
	case loops.Negate:
		return typed("(-" + arg(0) + ")")
	case loops.BitNot:
		return typed("(~" + arg(0) + ")")
	case loops.Choice:
		return "(" + arg(0) + " ? " + arg(1) + " : " + arg(2) + ")"
	case loops.Minimum, loops.MinNum, loops.Maximum, loops.MaxNum:
		least := e.Op == loops.Minimum || e.Op == loops.MinNum
		if float {
			return map[bool]string{true: "fmin", false: "fmax"}[least] + suffix + "(" + bare(arg(0)) + ", " + bare(arg(1)) + ")"
		}
		return "(" + arg(0) + map[bool]string{true: " < ", false: " > "}[least] + arg(1) + " ? " + arg(0) + " : " + arg(1) + ")"
	case loops.Absolute:
		if float {
			return "fabs" + suffix + "(" + bare(arg(0)) + ")"
		}
	case loops.Function:
		var all []string
		for k := range e.Args {
			all = append(all, bare(arg(k)))
		}
		return e.Name + suffix + "(" + strings.Join(all, ", ") + ")"
	}
	if op := operators[e.Op]; op != "" {
		return typed("(" + arg(0) + " " + op + " " + arg(1) + ")")
	}
	panic(unwritable{"an operation on " + e.Elem.String()})
}

// number writes a literal.
func number(r *big.Rat, float bool, suffix string) string {
	text := r.RatString()
	if float {
		digits, exact := r.FloatPrec()
		if !exact || digits > 60 {
			panic(unwritable{"the number " + text})
		}
		text = r.FloatString(max(digits, 1)) + suffix
	}
	if strings.HasPrefix(text, "-") {
		return "(" + text + ")"
	}
	return text
}

// call writes a call of the library.
func (w *writer) call(u *update, s shape, beta *term) string {
	among := s.loops()
	atTo, _ := places(u.to, among)
	atA, _ := places(u.a, among)
	atB, _ := places(u.b, among)
	size := func(r role) string { return w.integer(extent(s[r]), sums) }
	var args []string
	if s[batch] != nil {
		args = append(args, size(batch))
	}
	if s[column] == nil {
		// of the stored matrix: rows, and what lies in a row
		trans, m, n := "0", row, summed
		if atA[s[row]].axis == len(u.a.At)-1 {
			trans, m, n = "1", summed, row
		}
		args = append(args, trans, size(m), size(n), w.factor(&u.alpha), w.block0(u.a, atA), w.stride(u.a, atA[s[m]]),
			w.block0(u.b, atB), w.stride(u.b, atB[s[summed]]), w.factor(beta), w.block0(u.to, atTo), w.stride(u.to, atTo[s[row]]))
		return u.function(s) + "(" + strings.Join(args, ", ") + ")"
	}
	transposed := func(x loops.Access, at map[*loops.For]place, first, second role) (flag, ld string) {
		if at[s[second]].axis == len(x.At)-1 {
			return "0", w.stride(x, at[s[first]])
		}
		return "1", w.stride(x, at[s[second]])
	}
	ta, lda := transposed(u.a, atA, row, summed)
	tb, ldb := transposed(u.b, atB, summed, column)
	args = append(args, ta, tb, size(row), size(column), size(summed), w.factor(&u.alpha), w.block0(u.a, atA), lda, w.block0(u.b, atB),
		ldb, w.factor(beta), w.block0(u.to, atTo), w.stride(u.to, atTo[s[row]]))
	return u.function(s) + "(" + strings.Join(args, ", ") + ")"
}

// factor writes a product of numbers and scalars; 0 for none at all.
func (w *writer) factor(t *term) string {
	if t == nil {
		return "0"
	}
	var all []string
	for _, f := range t.factors {
		all = append(all, w.element(f))
	}
	text := strings.Join(all, " * ")
	if text == "" {
		text = "1"
	}
	if t.negative {
		return "-" + text
	}
	return text
}

// stride is how far apart the elements of neighbouring places on an axis lie.
func (w *writer) stride(x loops.Access, at place) string {
	var all []string
	for _, d := range x.Buffer.Dims[at.axis+1:] {
		all = append(all, w.integer(d, primary))
	}
	if len(all) == 0 {
		return "1"
	}
	return strings.Join(all, " * ")
}

// block0 writes where an operand begins: its element at the first iteration of all loops that have a role.
func (w *writer) block0(x loops.Access, at map[*loops.For]place) string {
	first, all := w.names[x.Buffer], true
	text := first
	for axis, e := range x.At {
		if f := counterAt(at, axis); f != nil {
			e = loops.Plus.Of(append([]*loops.Int{f.Lo[0]}, at[f].rest.Args...)...)
			if len(at[f].rest.Args) == 0 {
				e = f.Lo[0]
			}
		}
		all = all && e.Op == loops.Number && e.N == 0
		text += "[" + w.integer(e, sums) + "]"
	}
	if all {
		return first
	}
	return "&" + text
}
