package rule

import (
	"fmt"
	"slices"

	"tv/semantics/domain"
)

// int returns the value of an integer over the names of the case.
func (e *elaborator) int(x *Expr) domain.Size {
	switch x.Kind {
	case Int:
		return domain.BigSize(x.Value)
	case IntName:
		if s, ok := e.a.ints[x.Text]; ok {
			return s
		}
		if p, ok := e.a.places[x.Text]; ok {
			panic(escape{fmt.Sprintf("%s is counted with, an axis behind %s", x.Text, p.by)})
		}
		if s, ok := e.a.sizes[x.Text]; ok {
			return s
		}
		return domain.NamedSize(e.programName(x.Text))
	}
	switch x.Text {
	case "rank":
		if x.Args[0].Kind == ListName {
			if n, ok := e.lengths[x.Args[0].Text]; ok {
				return n
			}
			return length(e.list(x.Args[0]))
		}
		return ranks(e.parts(x.Args[0]))
	case "size":
		return sizes(e.parts(x.Args[0]))
	case "dim":
		v, p := e.expr(x.Args[0]), e.position(x.Args[1])
		if by := v.word.then(p.by); len(by) > 0 {
			panic(escape{fmt.Sprintf("%s moves the axis %s", by, x.Args[1].Span.Text())})
		}
		return v.segs[e.axisOr(p.at, v.segs)].size
	case "at":
		return e.at(e.list(x.Args[0]), e.int(x.Args[1]))
	}
	out := e.int(x.Args[0])
	if x.Text == "-" && len(x.Args) == 1 {
		return domain.IntSize(0).Sub(out)
	}
	for _, a := range x.Args[1:] {
		y := e.int(a)
		switch x.Text {
		case "+":
			out = out.Add(y)
		case "-":
			out = out.Sub(y)
		case "*":
			out = out.Mul(y)
		case "min":
			out = out.Min(y)
		case "max":
			out = out.Max(y)
		case "div", "mod":
			if n, ok := y.Const(); ok && n.Sign() <= 0 {
				panic(noValue{fmt.Sprintf("division by %s", n)})
			}
			if x.Text == "div" {
				out = out.Div(y)
			} else {
				out = out.Mod(y)
			}
		}
	}
	return out
}

// natural returns an integer that has to be at least 0 where it stands: on the left side that settles its sign.
func (e *elaborator) natural(x *Expr) domain.Size {
	if x.Kind == IntName && !e.right && slices.Contains(e.rule.Ints, x.Text) {
		if _, settled := e.a.ints[x.Text]; !settled {
			e.a.signed[x.Text] = true
		}
	}
	return e.int(x)
}

// axisOr finds an axis; one that is not there is an integer without a value.
func (e *elaborator) axisOr(x domain.Size, segs []seg) int {
	defer func() {
		if r := recover(); r != nil {
			if bad, ok := r.(illFormed); ok {
				panic(noValue(bad))
			}
			panic(r)
		}
	}()
	return e.find(x, segs, true)
}

// parts returns the dims of a group or of an expression.
func (e *elaborator) parts(x *Expr) []seg {
	if x.Kind == Group {
		return e.group(x.Text)
	}
	return e.expr(x).segs
}

func (e *elaborator) group(name string) []seg {
	segs, ok := e.a.groups[name]
	if !ok {
		panic("rule: group " + name)
	}
	return segs
}

// list returns the value of a list.
func (e *elaborator) list(x *Expr) []run {
	if x.Kind == ListName {
		l, ok := e.a.lists[x.Text]
		if !ok {
			panic(unknownList{x.Text})
		}
		return l
	}
	switch x.Text {
	case "list":
		var out []run
		for _, a := range x.Args {
			n := e.int(a)
			out = append(out, run{n, n.Add(domain.IntSize(1))})
		}
		return out
	case "iota":
		return e.runOf(domain.IntSize(0), e.int(x.Args[0]))
	case "range":
		return e.runOf(e.int(x.Args[0]), e.int(x.Args[1]))
	case "append":
		var out []run
		for _, a := range x.Args {
			out = append(out, e.list(a)...)
		}
		return out
	case "compose":
		l, m := e.list(x.Args[0]), e.list(x.Args[1])
		var out []run
		for _, r := range m {
			out = append(out, e.sublist(l, r)...)
		}
		return out
	}
	return e.inverse(e.list(x.Args[0]))
}

// An unknownList is asked for before anything fixes its elements.
type unknownList struct{ name string }

// runOf returns the integers lo .. hi-1.
func (e *elaborator) runOf(lo, hi domain.Size) []run {
	n := hi.Sub(lo)
	if e.atLeast(domain.IntSize(0).Sub(n), 0) {
		return nil
	}
	if !e.atLeast(n, 0) {
		e.open(n, nil)
	}
	return []run{{lo, hi}}
}

func (r run) length() domain.Size { return r.hi.Sub(r.lo) }

func length(l []run) domain.Size {
	n := domain.IntSize(0)
	for _, r := range l {
		n = n.Add(r.length())
	}
	return n
}

// at returns element i of a list. An integer of the rule that nothing fixed so far takes the case apart: it is the place
// of each element.
func (e *elaborator) at(l []run, i domain.Size) domain.Size {
	if q := e.unsettled(i.Name()); q != "" && !e.right {
		if n, ok := length(l).Int64(); ok {
			var alts []alternative
			for k := range n {
				alts = append(alts, func(a *assignment) {
					a.ints[q] = domain.IntSize(k)
					a.note("%s = %d", q, k)
				})
			}
			if n == 0 {
				panic(noValue{"a list has no elements"})
			}
			panic(split{alts})
		}
	}
	r := e.sublist(l, run{i, i.Add(domain.IntSize(1))})
	return r[0].lo
}

// sublist returns the elements of l at the positions of a run.
func (e *elaborator) sublist(l []run, at run) []run {
	var out []run
	start := domain.IntSize(0)
	missing := noValue{fmt.Sprintf("a list has no elements %s .. %s", at.lo, at.hi.Sub(domain.IntSize(1)))}
	lo := at.lo
	for _, r := range l {
		if lo.Equal(at.hi) {
			return out
		}
		end := start.Add(r.length())
		d := lo.Sub(start)
		if !e.atLeast(d, 0) {
			if e.atLeast(domain.IntSize(0).Sub(d), 1) {
				panic(missing)
			}
			e.open(d, nil)
		}
		if e.atLeast(lo.Sub(end), 0) {
			start = end
			continue
		}
		if !e.atLeast(end.Sub(lo), 1) {
			e.open(lo.Sub(end), nil)
		}
		hi := at.hi
		if e.atLeast(at.hi.Sub(end), 0) {
			hi = end
		} else if !e.atLeast(end.Sub(at.hi), 0) {
			e.open(at.hi.Sub(end), nil)
		}
		out = append(out, run{r.lo.Add(d), r.lo.Add(hi.Sub(start))})
		lo, start = hi, end
	}
	if !lo.Equal(at.hi) {
		d := at.hi.Sub(lo)
		if e.atLeast(d, 1) {
			panic(missing)
		}
		e.open(d, nil)
	}
	return out
}

// inverse returns the inverse of a permutation of 0 .. n-1.
func (e *elaborator) inverse(l []run) []run {
	var out []run
	next := domain.IntSize(0)
	for range l {
		at := domain.IntSize(0)
		found := false
		for _, r := range l {
			if r.lo.Equal(next) && !r.length().Equal(domain.IntSize(0)) {
				out = append(out, run{at, at.Add(r.length())})
				next, found = r.hi, true
				break
			}
			at = at.Add(r.length())
		}
		if !found {
			for _, r := range l {
				for _, name := range append(r.lo.Names(), r.hi.Names()...) {
					if isRank(name) {
						e.peel(name[1:len(name)-1], false)
					}
				}
			}
			panic(noValue{"a list is not a permutation"})
		}
	}
	return out
}

// permutation returns the order of segs that a list gives: out[k] is the index of the k-th part.
func (e *elaborator) permutation(l []run, segs []seg) []int {
	var out []int
	times := make([]int, len(segs))
	for _, r := range l {
		lo, hi := e.findRun(r, segs)
		for i := lo; i < hi; i++ {
			times[i]++
			out = append(out, i)
		}
	}
	block := "" // that is not there once: it may be without dims
	for i, n := range times {
		switch {
		case n != 1 && segs[i].block == "":
			panic(illFormed{"the list of a transpose does not hold each axis once"})
		case n != 1 && block == "":
			block = segs[i].block
		}
	}
	if block != "" {
		e.peel(block, false)
	}
	return out
}

// findRun returns the parts that a run of axes is. One without elements may be anywhere.
func (e *elaborator) findRun(r run, segs []seg) (lo, hi int) {
	n := r.length()
	defer func() {
		if p := recover(); p != nil {
			if _, bad := p.(illFormed); bad && !e.atLeast(n, 1) {
				e.open(n, segs)
			}
			panic(p)
		}
	}()
	return e.find(r.lo, segs, n.Equal(domain.IntSize(1))), e.find(r.hi, segs, false)
}

// permute returns the order that the list of a transpose gives. A list of the rule that nothing fixed so far takes
// the case apart: it is each permutation.
func (e *elaborator) permute(x *Expr, segs []seg) []int {
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		u, ok := r.(unknownList)
		if !ok {
			panic(r)
		}
		if x.Kind != ListName && e.a.ranked {
			e.eachPermutation(u.name)
		}
		if x.Kind != ListName || hasBlock(segs) {
			panic(escape{fmt.Sprintf("%s permutes dims of groups", u.name)})
		}
		if e.right && !e.a.ranked {
			panic(escape{fmt.Sprintf("%s is a list that the left side does not fix", u.name)})
		}
		if len(segs) > maxListed {
			panic(escape{fmt.Sprintf("%s permutes %d dims", u.name, len(segs))})
		}
		panic(split{e.permutationsOf(u.name, len(segs))})
	}()
	return e.permutation(e.list(x), segs)
}

func constants(list []int) []run {
	out := []run{}
	for _, n := range list {
		out = append(out, run{domain.IntSize(int64(n)), domain.IntSize(int64(n) + 1)})
	}
	return out
}

// permutations returns those of 0 .. n-1 in lexicographic order.
func permutations(n int) [][]int {
	if n == 0 {
		return [][]int{{}}
	}
	var out [][]int
	var rec func(prefix []int, used int)
	rec = func(prefix []int, used int) {
		if len(prefix) == n {
			out = append(out, append([]int{}, prefix...))
			return
		}
		for i := range n {
			if used&(1<<i) == 0 {
				rec(append(prefix, i), used|1<<i)
			}
		}
	}
	rec(nil, 0)
	return out
}

// shape returns the parts of a shape.
func (e *elaborator) shape(x *Expr) []seg {
	switch {
	case x.Kind == Shape:
		var out []seg
		for _, d := range x.Args {
			if d.Kind == Group {
				out = append(out, e.group(d.Text)...)
			} else {
				out = append(out, dimSeg(e.dim(d)))
			}
		}
		return out
	case x.Text == "shape-of":
		return e.raw(x.Args[0]).segs
	}
	segs := e.shape(x.Args[0])
	n := e.int(x.Args[1])
	switch x.Text {
	case "slice-shape":
		return segs[e.find(n, segs, false):]
	case "shape-insert-axis":
		i := e.find(n, segs, false)
		return with(segs, i, i, dimSeg(domain.IntSize(1)))
	}
	i := e.find(n, segs, true)
	return with(segs, i, i+1)
}

// dim returns a size that stands in a shape.
func (e *elaborator) dim(x *Expr) domain.Size {
	s := e.natural(x)
	if n, ok := s.Const(); ok && n.Sign() < 0 {
		panic(illFormed{fmt.Sprintf("a dim of %s", n)})
	}
	return e.sized(s)
}

// sized is x where it stands for a size, a bound or an amount: it must not count dims of blocks.
func (e *elaborator) sized(x domain.Size) domain.Size {
	for _, name := range x.Names() {
		if isRank(name) {
			panic(escape{fmt.Sprintf("the number of dims of %s is used as a size", name[1:len(name)-1])})
		}
	}
	return x
}

// ashape returns an access shape.
func (e *elaborator) ashape(x *Expr) (segs []seg, split int) {
	if x.Kind == Access {
		s := e.shape(x.Args[0])
		return cat(s, e.shape(x.Args[1])), len(s)
	}
	v := e.inOrder(x.Args[0])
	return v.segs, v.split
}
