package recur

import (
	"fmt"
	"slices"

	"tv/internal/source"
	"tv/semantics/domain"
	"tv/semantics/loops"
)

// A lost is why the engine gives up.
type lost struct{ text string }

// Error implements error.
func (e lost) Error() string { return e.text }

func give(at source.Span, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if at.File != nil {
		text = fmt.Sprintf("%s: %s", at.Position(), text)
	}
	panic(lost{text})
}

// Names are the variables of a question: sizes first. All others are made by and by.
type names struct {
	sizes []string
	next  int
	// quotients are variables that are x div d rounded down; of each (x, d) there is one.
	quotients map[int]quotient
	interned  map[string]int
	// sizeFacts hold at all sizes that are asked about.
	sizeFacts []fact
	grown     int     // cases of trees so far
	large     []large // numbers of the texts that stand for others in runs
	dividing  bool    // quotients of sizes may be made: what defines them becomes one of sizeFacts
}

type quotient struct {
	of lin
	by int64
}

func (n *names) fresh() int {
	n.next++
	return n.next - 1
}

// quotient is the variable x div d, d above 0, with what defines it.
func (n *names) quotient(x lin, d int64) (q int, facts []fact) {
	key := fmt.Sprint(x, d)
	q, ok := n.interned[key]
	if !ok {
		q = n.fresh()
		n.interned[key], n.quotients[q] = q, quotient{x, d}
	}
	return q, defining(q, x, d)
}

func defining(q int, x lin, d int64) []fact {
	rest := x.plus(-d, variable(q))
	return []fact{{lin: rest, defines: true}, {lin: rest.times(-1).add(d - 1), defines: true}}
}

// A side is a procedure as statements.
type side struct {
	*names
	typed *loops.Typed
	stmts []*stmt // assignments and begins of locals, in the order of the text
	ends  []*stmt // one for each parameter that is written
	loops map[*loops.For]int
	flat  map[*loops.Buffer]flat
	whens map[*loops.When][]loops.Stmt // what branches on data do
	width *lin                         // of the rows of what a subscript is read of, if it is flat
}

// A stmt is a statement that writes; or the end of the call, which reads all cells of a parameter.
type stmt struct {
	at       source.Span
	number   int // of assignments, in the order of the text; -1 of others
	order    int // in the text
	around   []*loops.For
	later    []int64 // of each loop: 1 where the greater counter is the later one, else -1
	counters []int
	cases    []*instance
	buffer   *loops.Buffer // that it writes; of an end, that it reads
	begin    bool          // of a local: all cells are undefined
	end      bool
	assign   *loops.Assign
	value    *loops.Expr
	reads    []*loops.Expr // of the value, in its order
	trees    []*tree       // of each read
	chain    *chain        // if it is one
}

// An instance is a case of a statement: the instances at which some facts hold. No two cases have one in common.
type instance struct {
	of    *stmt
	facts []fact
	cell  []lin   // that it writes
	from  [][]lin // that the reads read
	ints  []lin   // integers of control in the value, in its order
	rows  []fact  // that hold if flat subscripts are rows and columns
}

// own lists the variables of an instance: its counters, and quotients of what they are in, each behind those that it is made of.
// Quotients of sizes alone are the same for all.
func (n *names) own(x *instance) []int {
	out := slices.Clone(x.of.counters)
	var see func(a lin)
	see = func(a lin) {
		for _, t := range a.terms {
			if t.v < len(n.sizes) || slices.Contains(out, t.v) {
				continue
			}
			see(n.quotients[t.v].of)
			if slices.ContainsFunc(n.quotients[t.v].of.terms, func(t scaled) bool { return slices.Contains(out, t.v) }) {
				out = append(out, t.v)
			}
		}
	}
	for _, f := range x.facts {
		see(f.lin)
	}
	for _, a := range x.cell {
		see(a)
	}
	for _, list := range x.from {
		for _, a := range list {
			see(a)
		}
	}
	for _, a := range x.ints {
		see(a)
	}
	return out
}

// size is a size of the text as a lin of the question's sizes.
func (s *side) size(x domain.Size, at source.Span) lin {
	return s.sized(s.typed.Size(x), at)
}

// sized is a size of the question.
func (n *names) sized(x domain.Size, at source.Span) lin {
	if v, ok := x.Int64(); ok {
		return number(v)
	}
	switch x.Op() {
	case domain.SizeName:
		i := slices.Index(n.sizes, x.Name())
		if i < 0 {
			give(at, "nothing is known of %s", x.Name())
		}
		return variable(i)
	case domain.SizeAdd:
		out := lin{}
		for _, a := range x.Operands() {
			out = out.plus(1, n.sized(a, at))
		}
		return out
	case domain.SizeMul:
		args := x.Operands()
		if k, ok := args[0].Int64(); ok && len(args) == 2 {
			return n.sized(args[1], at).times(k)
		}
	case domain.SizeDiv, domain.SizeMod:
		if d, ok := x.Operands()[1].Int64(); ok && d > 0 && n.dividing {
			of := n.sized(x.Operands()[0], at)
			v, facts := n.quotient(of, d)
			n.sizeFacts = append(n.sizeFacts, facts...)
			if x.Op() == domain.SizeMod {
				return of.plus(-d, variable(v))
			}
			return variable(v)
		}
	}
	give(at, "%s is not affine", x)
	return lin{}
}

// A value is a form under facts: an integer of control has one in each of some cases.
type value struct {
	lin
	row   lin // of a flat subscript: so many rows are added
	facts []fact
}

func (s *side) int(x *loops.Int) []value {
	switch x.Op {
	case loops.Number:
		return []value{{lin: number(x.N)}}
	case loops.Size:
		return []value{{lin: s.size(domain.NamedSize(x.Name), x.At)}}
	case loops.Counter:
		v, ok := s.loops[x.Loop]
		if !ok {
			give(x.At, "a counter is used outside its loop")
		}
		return []value{{lin: variable(v)}}
	case loops.Plus:
		out := []value{{}}
		for _, a := range x.Args {
			out = combined(out, s.int(a), func(x, y value) value { return value{lin: x.plus(1, y.lin), row: x.row.plus(1, y.row)} })
		}
		return out
	case loops.Times:
		return combined(s.int(x.Args[0]), s.int(x.Args[1]), func(a, b value) value {
			rows := len(a.row.terms) + len(b.row.terms)
			switch {
			case s.width != nil && rows == 0 && a.equal(*s.width):
				return value{row: b.lin}
			case s.width != nil && rows == 0 && b.equal(*s.width):
				return value{row: a.lin}
			case len(a.terms) == 0 && a.row.equal(lin{}):
				return value{lin: b.times(a.c), row: b.row.times(a.c)}
			case len(b.terms) == 0 && b.row.equal(lin{}):
				return value{lin: a.times(b.c), row: a.row.times(b.c)}
			}
			give(x.At, "a product of two that vary is not affine")
			return value{}
		})
	case loops.Least, loops.Greatest:
		return s.extreme(x)
	case loops.Choose:
		var out []value
		for i, not := range []bool{false, true} {
			for _, c := range s.cond(x.Cond, not) {
				for _, v := range s.int(x.Args[i]) {
					out = append(out, value{v.lin, v.row, slices.Concat(c, v.facts)})
				}
			}
		}
		return out
	}
	return s.division(x)
}

func combined(x, y []value, op func(x, y value) value) (out []value) {
	for _, a := range x {
		for _, b := range y {
			v := op(a, b)
			v.facts = slices.Concat(a.facts, b.facts)
			out = append(out, v)
		}
	}
	return out
}

// extreme is the first of the least, or of the greatest, of some integers.
func (s *side) extreme(x *loops.Int) (out []value) {
	all := []value{{}} // facts alone; the forms are in lists
	lists := [][]lin{nil}
	for _, a := range x.Args {
		var nextAll []value
		var nextLists [][]lin
		for i, c := range all {
			for _, v := range s.plain(a) {
				nextAll = append(nextAll, value{facts: slices.Concat(c.facts, v.facts)})
				nextLists = append(nextLists, append(slices.Clip(lists[i]), v.lin))
			}
		}
		all, lists = nextAll, nextLists
	}
	for n, c := range all {
		for i, a := range lists[n] {
			facts := slices.Clone(c.facts)
			for k, b := range lists[n] {
				way := b.minus(a) // of the least: a <= b
				if x.Op == loops.Greatest {
					way = a.minus(b)
				}
				if k < i {
					way = way.add(-1)
				}
				if k != i {
					facts = append(facts, natural(way))
				}
			}
			out = append(out, value{lin: a, facts: facts})
		}
	}
	return out
}

// division is one by a number.
func (s *side) division(x *loops.Int) (out []value) {
	for _, d := range s.plain(x.Args[1]) {
		if len(d.terms) > 0 || d.c == 0 {
			give(x.At, "a divisor that is no number is not affine")
		}
		for _, a := range s.plain(x.Args[0]) {
			a.facts = slices.Concat(a.facts, d.facts)
			out = append(out, s.divided(x, a, d.c)...)
		}
	}
	return out
}

func (s *side) divided(x *loops.Int, a value, d int64) []value {
	down := func(n lin, d int64) value {
		if len(n.terms) == 0 && d > 0 {
			return value{lin: number(floor(n.c, d)), facts: a.facts}
		}
		if d < 0 {
			n, d = n.times(-1), -d
		}
		q, facts := s.quotient(n, d)
		return value{lin: variable(q), facts: slices.Concat(a.facts, facts)}
	}
	rest := func(q value, d int64) value { return value{lin: a.plus(-d, q.lin), facts: q.facts} }
	switch x.Op {
	case loops.FloorDiv:
		return []value{down(a.lin, d)}
	case loops.FloorMod:
		return []value{rest(down(a.lin, d), d)}
	case loops.CeilDiv:
		q := down(a.times(-1), d)
		return []value{{lin: q.times(-1), facts: q.facts}}
	}
	below := a.times(-1) // towards 0: of what is below 0 the quotient of -a, negated
	up, q := down(a.lin, magnitudeOf(d)), down(below, magnitudeOf(d))
	q.lin = q.times(-1)
	if d < 0 {
		up.lin, q.lin = up.times(-1), q.times(-1)
	}
	up.facts, q.facts = append(up.facts, natural(a.lin)), append(q.facts, natural(below.add(-1)))
	if x.Op == loops.TruncMod {
		return []value{rest(up, d), rest(q, d)}
	}
	return []value{up, q}
}

func magnitudeOf(d int64) int64 { return max(d, -d) }

// cond lists the cases of a condition, or of its negation. No two hold at once.
func (s *side) cond(c *loops.Cond, not bool) [][]fact {
	switch c.Op {
	case loops.None:
		return s.cond(c.Conds[0], !not)
	case loops.All, loops.Any:
		union := (c.Op == loops.Any) != not
		var out [][]fact
		rest := [][]fact{nil}
		for _, d := range c.Conds {
			cases := s.cond(d, not)
			if union {
				out = append(out, both(rest, cases)...)
				cases = s.cond(d, !not)
			}
			rest = both(rest, cases)
		}
		if union {
			return out
		}
		return rest
	}
	var out [][]fact
	for _, way := range combined(s.plain(c.A), s.plain(c.B), func(a, b value) value { return value{lin: b.minus(a.lin)} }) {
		for _, f := range compared(c.Op, not, way.lin) {
			out = append(out, append(slices.Clip(way.facts), f))
		}
	}
	return out
}

// compared lists what a comparison says of b - a.
func compared(op loops.CondOp, not bool, way lin) []fact {
	back := way.times(-1)
	switch {
	case op == loops.Equal && not:
		return []fact{natural(way.add(-1)), natural(back.add(-1))}
	case op == loops.Equal:
		return []fact{equation(way)}
	case op == loops.Less && !not:
		return []fact{natural(way.add(-1))}
	case op == loops.Less:
		return []fact{natural(back)}
	case not:
		return []fact{natural(back.add(-1))}
	}
	return []fact{natural(way)}
}

func both(x, y [][]fact) (out [][]fact) {
	for _, a := range x {
		for _, b := range y {
			out = append(out, slices.Concat(a, b))
		}
	}
	return out
}
