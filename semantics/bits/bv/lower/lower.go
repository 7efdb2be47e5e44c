// Package lower turns specifications into designs of words.
package lower

import (
	"tv/semantics/bits"
	"tv/semantics/bits/bv"
	"tv/semantics/bits/word"
)

// Design is what a specification denotes. A Bool is a word of one bit.
func Design(s *bv.Spec, b *word.Builder) *bits.Design {
	d := &bits.Design{Name: s.File.Name, Builder: b, Clock: s.Clock, Latency: s.Latency}
	l := &lowering{b: b, done: map[*bv.Term]*word.Word{}, states: map[string]bool{}}
	port := func(p bv.Port) bits.Port { return bits.Port{Name: p.Name, Width: p.Width, Span: p.Span} }
	for _, in := range s.Inputs {
		d.Inputs = append(d.Inputs, port(in))
	}
	for _, st := range s.States {
		l.states[st.Name] = true
	}
	for _, st := range s.States {
		d.Registers = append(d.Registers, bits.Register{Name: st.Name, Width: st.Width, Initial: st.Initial,
			Now: b.State(st.Name, st.Width), Next: l.term(st.Next), Span: st.Span})
	}
	for _, a := range s.Assume {
		d.Assume = append(d.Assume, bits.Assumption{Word: l.term(a.Term), Text: a.Term.Span.Text(), Span: a.Span})
	}
	for _, o := range s.Outputs {
		d.Outputs = append(d.Outputs, bits.Output{Port: port(o.Port), Word: l.term(o.Term)})
	}
	return d
}

type lowering struct {
	b      *word.Builder
	done   map[*bv.Term]*word.Word
	states map[string]bool
}

// direct are operations that words have under another name or the same.
var direct = map[string]word.Op{
	"bvnot": word.Not, "bvneg": word.Neg, "bvand": word.And, "bvor": word.Or, "bvxor": word.Xor, "bvadd": word.Add,
	"bvmul": word.Mul, "bvsub": word.Sub, "bvudiv": word.UDiv, "bvurem": word.URem, "bvsdiv": word.SDiv, "bvsrem": word.SRem,
	"bvsmod": word.SMod, "bvshl": word.Shl, "bvlshr": word.LShr, "bvashr": word.AShr, "bvult": word.ULT, "bvule": word.ULE,
	"bvslt": word.SLT, "bvsle": word.SLE, "bvcomp": word.Eq, "bveq": word.Eq, "concat": word.Concat, "ite": word.Ite,
	"not": word.Not, "and": word.And, "or": word.Or, "xor": word.Xor, "bitvector->bool": word.RedOr,
}

// exchanged are comparisons with their arguments the other way round.
var exchanged = map[string]word.Op{"bvugt": word.ULT, "bvuge": word.ULE, "bvsgt": word.SLT, "bvsge": word.SLE}

// negated are the operations of which a text has the complement.
var negated = map[string]word.Op{"bvnand": word.And, "bvnor": word.Or, "bvxnor": word.Xor}

func (l *lowering) term(t *bv.Term) *word.Word {
	if w := l.done[t]; w != nil {
		return w
	}
	w := l.lower(t)
	l.done[t] = w
	return w
}

func (l *lowering) lower(t *bv.Term) *word.Word {
	b := l.b
	var args []*word.Word
	for _, a := range t.Args {
		args = append(args, l.term(a))
	}
	if op, ok := direct[t.Op]; ok {
		return b.Apply(op, args...)
	}
	if op, ok := exchanged[t.Op]; ok {
		return b.Apply(op, args[1], args[0])
	}
	if op, ok := negated[t.Op]; ok {
		return b.Apply(word.Not, b.Apply(op, args...))
	}
	switch t.Op {
	case bv.OpConst:
		return b.Const(max(t.Width, 1), t.Value)
	case bv.OpSignal:
		if l.states[t.Name] {
			return b.State(t.Name, t.Width)
		}
		return b.Input(t.Name, t.Width, 0)
	case bv.OpBound, bv.OpLet:
		return args[len(args)-1]
	case "=", "distinct":
		var all *word.Word
		for i := range args {
			for j := i + 1; j < len(args) && (t.Op == "distinct" || j == i+1); j++ {
				x := b.Apply(word.Eq, args[i], args[j])
				if t.Op == "distinct" {
					x = b.Apply(word.Not, x)
				}
				if all == nil {
					all = x
				} else {
					all = b.Apply(word.And, all, x)
				}
			}
		}
		return all
	case "=>":
		w := args[len(args)-1]
		for i := len(args) - 2; i >= 0; i-- {
			w = b.Apply(word.Or, b.Apply(word.Not, args[i]), w)
		}
		return w
	case "extract":
		return b.Extract(args[0], t.Indices[0], t.Indices[1])
	case "zero_extend", "bool->bitvector":
		return b.Extend(word.ZeroExt, args[0], t.Width)
	case "sign_extend":
		return b.Extend(word.SignExt, args[0], t.Width)
	case "repeat":
		parts := make([]*word.Word, t.Indices[0])
		for i := range parts {
			parts[i] = args[0]
		}
		return b.Concat(parts...)
	case "rotate_left", "rotate_right":
		low := t.Indices[0] % t.Width // the width of what goes to the other end
		if t.Op == "rotate_left" {
			low = (t.Width - low) % t.Width
		}
		if low == 0 {
			return args[0]
		}
		return b.Concat(b.Extract(args[0], low-1, 0), b.Extract(args[0], t.Width-1, low))
	}
	panic("bv: no operation " + t.Op)
}
