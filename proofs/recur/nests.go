package recur

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"tv/proofs/algebra"
	"tv/proofs/loops"
	"tv/semantics/domain"
)

// A nest is one side: the statements of a procedure, in the order of the text.
type nest struct {
	side  string // before or after
	p     *loops.Procedure
	env   *domain.Env // what its names stand for
	stmts []*statement
	flat  map[*loops.Buffer]flat
}

// A statement writes an element, or begins a buffer.
type statement struct {
	*nest
	name   string        // LINE:COL, with /N for the N-th at one place; empty of a begin
	pos    int           // in the order of the text
	assign *loops.Assign // nil of a begin
	buffer *loops.Buffer
	path   []guard // around it, outermost first
	loops  []*loops.For
	reads  []*loops.Data // of the value, from left to right
}

// A guard is a loop around a statement, or a condition that holds there, or does not.
type guard struct {
	loop *loops.For
	cond *loops.Cond
	not  bool
}

func newNest(side string, p algebra.Program) *nest {
	n := &nest{side: side}
	var ok bool
	if n.p, n.env, ok = loops.Nest(p); !ok {
		unsupported("recurrences of what is not read as a nest of loops")
	}
	n.block(n.p.Body, nil, nil, map[string]int{})
	n.flats()
	return n
}

func (n *nest) block(block []loops.Stmt, path []guard, around []*loops.For, at map[string]int) {
	path, around = slices.Clip(path), slices.Clip(around)
	for _, s := range block {
		x := &statement{nest: n, pos: len(n.stmts), path: path, loops: around}
		switch s := s.(type) {
		case *loops.Assign:
			place := s.Span.Position()
			x.name = fmt.Sprintf("%d:%d", place.Line, place.Col)
			if at[x.name]++; at[x.name] > 1 {
				x.name += fmt.Sprintf("/%d", at[x.name])
			}
			x.assign, x.buffer = s, s.To.Buffer
			x.data(s.Value)
			n.stmts = append(n.stmts, x)
		case *loops.Alloc:
			x.buffer = s.Buffer
			n.stmts = append(n.stmts, x)
		case *loops.For:
			n.block(s.Body, append(path, guard{loop: s}), append(around, s), at)
		case *loops.If:
			n.block(s.Then, append(path, guard{cond: s.Cond}), around, at)
			n.block(s.Else, append(path, guard{cond: s.Cond, not: true}), around, at)
		}
	}
}

// data lists the reads of a value, and refuses operations that may end a call: whether one does is
// not looked at here.
func (s *statement) data(d *loops.Data) {
	if d.Op == loops.DataRead {
		s.reads = append(s.reads, d)
	}
	if !total(d) {
		unsupported("an operation that may end the call: %s", s.name)
	}
	for _, a := range d.Args {
		s.data(a)
	}
}

// total reports whether an operation has a result whatever its operands are, or is one of floats,
// which in the reals may have no value, and does not end the call.
func total(d *loops.Data) bool {
	if d.Checked {
		return false
	}
	switch d.Op {
	case loops.DataDiv, loops.DataApply:
		return d.Elem.Kind == domain.ElemFloat
	case loops.DataShift, loops.DataQuotient, loops.DataRemainder:
		by := d.Args[1]
		k, ok := new(big.Int).SetString(by.Text, 10)
		return by.Op == loops.DataLiteral && ok && k.Sign() >= 0 &&
			(d.Op == loops.DataShift || k.Sign() > 0) &&
			(d.Op != loops.DataShift || k.Cmp(big.NewInt(int64(d.Elem.Width))) < 0)
	case loops.DataConvert:
		return d.Args[0].Elem.Kind != domain.ElemFloat || d.Elem.Kind == domain.ElemFloat
	}
	return true
}

// valued reports whether all that is computed has a value whatever its operands are: contents
// before the call have one, so all that is read has one then.
func (n *nest) valued() bool {
	var partial func(d *loops.Data) bool
	partial = func(d *loops.Data) bool {
		switch d.Op {
		case loops.DataApply, loops.DataEnds:
			return true
		case loops.DataDiv:
			by, ok := spelled(d.Args[1])
			if d.Args[1].Op != loops.DataLiteral || !ok || by.Sign() == 0 {
				return true
			}
		case loops.DataLiteral:
			v, ok := spelled(d)
			if d.Elem.Kind != domain.ElemFloat && !(ok && algebra.Exact(d.Elem, v)) {
				return true
			}
		}
		return slices.ContainsFunc(d.Args, partial)
	}
	return !slices.ContainsFunc(n.stmts, func(s *statement) bool {
		return s.assign != nil && partial(s.assign.Value)
	})
}

// find returns the assignment of a name.
func (n *nest) find(name string) *statement {
	for _, s := range n.stmts {
		if s.name == name && s.assign != nil {
			return s
		}
	}
	malformed("%s has no statement %s", n.side, name)
	return nil
}

// parameter returns the one of a name.
func (n *nest) parameter(name string) *loops.Buffer {
	for _, b := range n.p.Params {
		if b.Name == name {
			return b
		}
	}
	malformed("%s has no parameter %s", n.side, name)
	return nil
}

// writers are the statements that write a buffer or begin it.
func (n *nest) writers(b *loops.Buffer) (out []*statement) {
	for _, s := range n.stmts {
		if s.buffer == b {
			out = append(out, s)
		}
	}
	return out
}

// size is one of a text as a form over BEFORE's.
func (n *nest) size(x domain.Size) Form {
	f, ok := (*place)(nil).affine(n.env.Size(x))
	if !ok {
		unsupported("the size %s is not affine", x)
	}
	return f
}

// dims are the extents of a buffer: of a flat one there are two.
func (n *nest) dims(b *loops.Buffer) (out []Form) {
	if f, ok := n.flat[b]; ok {
		return []Form{f.rows, f.width}
	}
	for _, d := range b.Dims {
		out = append(out, n.size(d))
	}
	return out
}

// copies reports whether a statement writes what it reads.
func (s *statement) copies() bool { return s.assign.Value.Op == loops.DataRead }

// Describe prints the statements of both sides of a question, with their counters and reads.
func Describe(q *algebra.Question) string {
	var b strings.Builder
	for i, p := range q.Programs {
		for _, s := range newNest(sides[i], p).stmts {
			if s.assign == nil {
				continue
			}
			fmt.Fprintf(&b, "%s %s writes %s, counters:", s.side, s.name, s.buffer.Name)
			for _, l := range s.loops {
				fmt.Fprintf(&b, " %d:%d", l.Span.Position().Line, l.Span.Position().Col)
			}
			b.WriteString(", reads:")
			for _, r := range s.reads {
				at := r.From.Span.Position()
				fmt.Fprintf(&b, " %s %d:%d", r.From.Buffer.Name, at.Line, at.Col)
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

var sides = [2]string{"before", "after"}
