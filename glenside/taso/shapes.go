package taso

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tv/internal/source"
	"tv/semantics/domain"
)

// operators says how many operands a term has and how many of them, from the first, are numbers.
var operators = map[string]struct{ args, numbers int }{
	"matmul": {2, 0}, "ewadd": {2, 0}, "ewmul": {2, 0}, "smul": {2, 0}, "relu": {1, 0}, "transpose": {1, 0},
	"concat": {3, 1}, "split_0": {2, 1}, "split_1": {2, 1}, "conv2d": {6, 4}, "poolmax": {6, 5}, "poolavg": {6, 5},
	"enlarge": {3, 2}, "Iconv": {2, 2}, "Cpool": {2, 2}, "Imatmul": {0, 0}, "Iewmul": {0, 0},
}

// A class is the inputs whose shapes are tied to each other: they have one rank.
type class struct {
	up   *class
	rank int // -1: not known
	axes int // at least as many leading axes are told apart
	name string
}

func (c *class) find() *class {
	for c.up != nil {
		c = c.up
	}
	return c
}

// inference finds out the ranks of inputs.
type inference struct {
	inputs map[string]*class
}

func isInput(name string) bool { return strings.HasPrefix(name, "input_") }

// check looks for names, numbers of operands and numbers that are none.
func check(t *Term) *source.Error {
	if isInput(t.Name) && len(t.Args) == 0 {
		return nil
	}
	op, ok := operators[t.Name]
	if !ok {
		return source.Errorf(t.Span, "bad-equation", "there is no operator %s", t.Name)
	}
	if len(t.Args) != op.args {
		return source.Errorf(t.Span, "bad-equation", "%s takes %d operands, got %d", t.Name, op.args, len(t.Args))
	}
	for i, a := range t.Args {
		if i >= op.numbers {
			if err := check(a); err != nil {
				return err
			}
			continue
		}
		if _, err := strconv.ParseUint(a.Name, 10, 31); err != nil || len(a.Args) > 0 {
			return source.Errorf(a.Span, "bad-equation", "operand %d of %s is a number", i+1, t.Name)
		}
	}
	for i, kind := range numbers[t.Name] {
		n := t.number(i)
		msg := ""
		switch {
		case kind == 'a' && n > maxAxis:
			msg = fmt.Sprintf("axis %d is beyond %d", n, maxAxis)
		case kind == 's' && n < 1:
			msg = "a stride is at least 1"
		case kind == 'k' && n < 1:
			msg = "a window is at least 1"
		case kind == 'p' && n > 1:
			msg = fmt.Sprintf("padding is 0 (same) or 1 (valid), got %d", n)
		case kind == 'f' && n != 0 && n != 2:
			msg = fmt.Sprintf("an activation is 0 (none) or 2 (relu), got %d", n)
		}
		if msg != "" {
			return source.Errorf(t.Args[i].Span, "bad-equation", "%s", msg)
		}
	}
	return nil
}

// numbers says what the numbers of a term are: an axis, a stride, a side of a window, a padding, an activation.
var numbers = map[string]string{
	"concat": "a", "split_0": "a", "split_1": "a", "conv2d": "sspf", "poolmax": "kkssp", "poolavg": "kkssp", "Iconv": "kk", "Cpool": "kk",
}

// maxAxis bounds the axes that are told apart.
const maxAxis = 15

func (t *Term) number(i int) int64 {
	n, _ := strconv.ParseInt(t.Args[i].Name, 10, 64) // check has seen it
	return n
}

// ranks unifies the ranks in a term. clash is why it has no rank, "" if it has.
func (f *inference) ranks(t *Term) (c *class, clash string) {
	if isInput(t.Name) {
		if f.inputs[t.Name] == nil {
			f.inputs[t.Name] = &class{rank: -1, name: t.Name}
		}
		return f.inputs[t.Name].find(), ""
	}
	var parts []*class
	for _, a := range t.Args[operators[t.Name].numbers:] {
		c, clash := f.ranks(a)
		if clash != "" {
			return nil, clash
		}
		parts = append(parts, c)
	}
	fix := func(rank int, list ...*class) {
		for _, c := range list {
			if clash == "" {
				clash = unify(c, &class{rank: rank})
			}
		}
	}
	switch t.Name {
	case "matmul":
		fix(2, parts...)
		return &class{rank: 2}, clash
	case "ewadd", "ewmul":
		return parts[0].find(), unify(parts[0], parts[1])
	case "smul":
		fix(0, parts[1])
		return parts[0].find(), clash
	case "relu":
		return parts[0], ""
	case "transpose":
		fix(2, parts[0])
		return parts[0].find(), clash
	case "concat":
		if clash = unify(parts[0], parts[1]); clash == "" {
			clash = unify(parts[0], &class{rank: -1, axes: int(t.number(0)) + 1})
		}
		return parts[0].find(), clash
	case "split_0", "split_1":
		return parts[0].find(), unify(parts[0], &class{rank: -1, axes: int(t.number(0)) + 1})
	case "Imatmul":
		return &class{rank: 2}, ""
	case "Iewmul":
		return &class{rank: -1}, ""
	}
	fix(4, parts...) // convolutions, pools, kernels
	return &class{rank: 4}, clash
}

// unify makes two classes one and says why that is impossible.
func unify(x, y *class) string {
	x, y = x.find(), y.find()
	if x == y {
		return ""
	}
	rank, axes := x.rank, max(x.axes, y.axes)
	if rank < 0 {
		rank = y.rank
	}
	if x.rank >= 0 && y.rank >= 0 && x.rank != y.rank {
		return fmt.Sprintf("a rank is %d and %d", x.rank, y.rank)
	}
	if rank >= 0 && axes > rank {
		return fmt.Sprintf("axis %d of a tensor of rank %d", axes-1, rank)
	}
	x.rank, x.axes = rank, axes
	y.up = x
	return ""
}

// A layout is what is known of the shapes of inputs.
type layout struct {
	dims  map[string][]domain.Size
	wants map[string]*class // where the right side is not always defined, what it takes inputs for; nil if that is nothing
}

// known is what the left side says of a class of inputs.
type known struct {
	root       *class
	rank, axes int
}

// layout infers the ranks of the inputs, the left side's first. vacuous is why the left side is nowhere defined, broken
// why the right side is not always.
func (e *Equation) layout() (l *layout, vacuous, broken string) {
	f := &inference{inputs: map[string]*class{}}
	if _, clash := f.ranks(e.Left); clash != "" {
		return nil, clash, ""
	}
	left := map[string]known{}
	for n, c := range f.inputs {
		r := c.find()
		left[n] = known{r, r.rank, r.axes}
	}
	_, broken = f.ranks(e.Right)
	clash := broken != ""
	rests := map[*class]int{} // of a class whose rank the left side leaves open: axes that nobody tells apart
	for _, n := range names(e.Left) {
		k, now := left[n], f.inputs[n].find()
		if k.rank >= 0 {
			continue
		}
		if _, ok := rests[k.root]; !ok {
			rests[k.root] = 1
		}
		switch {
		case now.rank >= 0:
			broken = fmt.Sprintf("it wants a tensor of rank %d", now.rank)
			if k.axes+1 == now.rank {
				rests[k.root] = 2
			}
		case now.axes > k.axes:
			broken = fmt.Sprintf("it wants a tensor of rank at least %d", now.axes)
			rests[k.root] = 0
		}
		for _, m := range names(e.Left) {
			if o := left[m]; broken == "" && o.root != k.root && o.rank < 0 && f.inputs[m].find() == now {
				broken = fmt.Sprintf("it wants %s and %s to have one rank", n, m)
				rests[k.root] = 2
			}
		}
	}
	l = &layout{dims: map[string][]domain.Size{}}
	for _, n := range names(e.Left, e.Right) {
		c := f.inputs[n].find()
		rank, axes, rest, owner := c.rank, c.axes, 1, n
		if k, ok := left[n]; ok {
			rank, axes, rest, owner = k.rank, k.axes, rests[k.root], k.root.name
		}
		if rank >= 0 {
			axes, rest = rank, 0
		}
		for i := range axes {
			l.dims[n] = append(l.dims[n], dimName(n, fmt.Sprint(i)))
		}
		for i := range rest { // one for the class: where the left side is defined, these dims agree
			l.dims[n] = append(l.dims[n], dimName(owner, fmt.Sprintf("rest%d", i)))
		}
	}
	if broken != "" && !clash {
		l.wants = map[string]*class{}
		for n, c := range f.inputs {
			l.wants[n] = c.find()
		}
	}
	return l, "", broken
}

// common is what both sides together say of the shapes of inputs: ranks are unified over the two, and as there, all axes that
// nobody tells apart stand as one. It is nil where they contradict each other.
func (e *Equation) common() *layout {
	f := &inference{inputs: map[string]*class{}}
	x, clash := f.ranks(e.Left)
	if clash != "" {
		return nil
	}
	y, clash := f.ranks(e.Right)
	if clash != "" || unify(x, y) != "" {
		return nil
	}
	l := &layout{dims: map[string][]domain.Size{}}
	owners := map[*class]string{}
	for _, n := range names(e.Left, e.Right) {
		c := f.inputs[n].find()
		axes, rest := max(c.rank, c.axes), c.rank < 0
		for i := range axes {
			l.dims[n] = append(l.dims[n], dimName(n, fmt.Sprint(i)))
		}
		if owners[c] == "" {
			owners[c] = n
		}
		if rest { // one for the class: where both sides are defined, these dims agree
			l.dims[n] = append(l.dims[n], dimName(owners[c], "rest0"))
		}
	}
	return l
}

// as returns dims in the number that a class has: with ones behind them, or without the last ones.
func (c *class) as(dims []domain.Size) []domain.Size {
	out := slices.Clone(dims)
	for len(out) < max(c.rank, c.axes) {
		out = append(out, num(1))
	}
	if c.rank >= 0 {
		out = out[:c.rank]
	}
	return out
}

func dimName(input, axis string) domain.Size {
	return domain.NamedSize("n" + strings.TrimPrefix(input, "input_") + "." + axis)
}

// names lists the inputs of terms, sorted.
func names(terms ...*Term) []string {
	var out []string
	var walk func(t *Term)
	walk = func(t *Term) {
		if isInput(t.Name) && !slices.Contains(out, t.Name) {
			out = append(out, t.Name)
		}
		for _, a := range t.Args {
			walk(a)
		}
	}
	for _, t := range terms {
		walk(t)
	}
	slices.Sort(out)
	return out
}
