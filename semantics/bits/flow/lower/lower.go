// Package lower turns texts of operations into designs of words.
package lower

import (
	"fmt"
	"math/big"
	"slices"

	"tv/semantics/bits"
	"tv/semantics/bits/flow"
	"tv/semantics/bits/word"
)

// Design is what a text denotes.
func Design(p *flow.Program, b *word.Builder) *bits.Design {
	d := &bits.Design{Name: p.Name, Builder: b, Inputs: p.Inputs, Clock: p.Clocked, Trusts: p.Trusts}
	words := make([]*word.Word, len(p.Values))
	for i, port := range p.Inputs {
		words[p.Inner[i]] = b.Input(port.Name, port.Width, 0)
	}
	active := func(c *flow.Clear) *word.Word {
		if c.Low {
			return b.Apply(word.Not, words[c.Input])
		}
		return words[c.Input]
	}
	for _, r := range p.Registers {
		v := p.Values[r.Value]
		words[r.Value] = b.State(v.Name, v.Width)
		if c := r.Clear; c != nil {
			words[r.Value] = b.Apply(word.Ite, b.Apply(word.Or, active(c), words[c.Was]), b.Const(v.Width, c.To), words[r.Value])
		}
	}
	for i := range p.Ops {
		o := &p.Ops[i]
		words[o.Result] = b.Simplify((&lowering{p, b, words}).operation(o))
	}
	for _, r := range p.Registers {
		v := p.Values[r.Value]
		now := words[r.Value]
		next := words[r.Input]
		if r.Enable >= 0 {
			next = b.Apply(word.Ite, words[r.Enable], next, now)
		}
		if r.Clear != nil {
			now = b.State(v.Name, v.Width)
			next = b.Apply(word.Ite, active(r.Clear), b.Const(v.Width, r.Clear.To), next)
		} else if r.Reset >= 0 {
			next = b.Apply(word.Ite, words[r.Reset], words[r.ResetTo], next)
		}
		d.Registers = append(d.Registers, bits.Register{Name: v.Name, Width: v.Width, Initial: r.Initial, Now: now, Next: b.Simplify(next), Span: v.Span})
	}
	if len(d.Registers) > 0 {
		d.Edge = bits.Rising
	}
	for _, o := range p.Outputs {
		d.Outputs = append(d.Outputs, bits.Output{Port: o.Port, Word: words[o.Value]})
	}
	return d
}

type lowering struct {
	p     *flow.Program
	b     *word.Builder
	words []*word.Word
}

// operation is the word of an operation: lane by lane of a vector.
func (l *lowering) operation(o *flow.Op) *word.Word {
	result := l.p.Values[o.Result]
	var args []*word.Word
	for _, a := range o.Args {
		args = append(args, l.words[a])
	}
	if result.Lanes == 1 || o.Kind == "reticle.const" {
		return l.one(o, args, result.Width)
	}
	width := result.Width / result.Lanes
	parts := make([]*word.Word, result.Lanes)
	for lane := range parts {
		cut := slices.Clone(args)
		for i, a := range o.Args {
			if v := l.p.Values[a]; v.Lanes > 1 {
				w := v.Width / v.Lanes
				cut[i] = l.b.Simplify(l.b.Extract(args[i], lane*w+w-1, lane*w))
			}
		}
		parts[result.Lanes-1-lane] = l.one(o, cut, width)
	}
	return l.b.Concat(parts...)
}

// direct are operations that words have.
var direct = map[string]word.Op{
	"comb.add": word.Add, "comb.mul": word.Mul, "comb.and": word.And, "comb.or": word.Or, "comb.xor": word.Xor, "comb.sub": word.Sub,
	"comb.shl": word.Shl, "comb.shru": word.LShr, "comb.shrs": word.AShr, "comb.mux": word.Ite, "comb.parity": word.RedXor, "comb.concat": word.Concat,
	"comb.icmp.eq": word.Eq, "comb.icmp.slt": word.SLT, "comb.icmp.sle": word.SLE, "comb.icmp.ult": word.ULT, "comb.icmp.ule": word.ULE,
	"std_not": word.Not, "std_and": word.And, "std_or": word.Or, "std_xor": word.Xor, "std_add": word.Add, "std_sub": word.Sub, "std_mult": word.Mul,
	"std_sadd": word.Add, "std_ssub": word.Sub, "std_lt": word.ULT, "std_le": word.ULE, "std_eq": word.Eq, "std_slt": word.SLT, "std_sle": word.SLE,
	"std_seq": word.Eq, "std_lsh": word.Shl, "std_rsh": word.LShr, "std_slsh": word.Shl, "std_srsh": word.AShr, "std_mux": word.Ite,
	"std_cat": word.Concat, "reticle.not": word.Not, "reticle.mux": word.Ite, "reticle.add": word.Add, "reticle.sub": word.Sub,
	"reticle.mul": word.Mul, "reticle.and": word.And, "reticle.or": word.Or, "reticle.xor": word.Xor, "reticle.eq": word.Eq,
}

// exchanged are comparisons with their arguments the other way round.
var exchanged = map[string]word.Op{
	"comb.icmp.sgt": word.SLT, "comb.icmp.sge": word.SLE, "comb.icmp.ugt": word.ULT, "comb.icmp.uge": word.ULE,
	"std_gt": word.ULT, "std_ge": word.ULE, "std_sgt": word.SLT, "std_sge": word.SLE,
}

// negated are equalities that do not hold.
var negated = map[string]word.Op{"comb.icmp.ne": word.Eq, "std_neq": word.Eq, "std_sneq": word.Eq, "reticle.neq": word.Eq}

// divisions are open by 0.
var divisions = map[string]word.Op{"comb.divu": word.UDiv, "comb.divs": word.SDiv, "comb.modu": word.URem, "comb.mods": word.SRem}

// ordered are Reticle's comparisons of unsigned and of signed words, and whether the arguments are exchanged.
var ordered = map[string]struct {
	unsigned, signed word.Op
	exchanged        bool
}{
	"reticle.lt": {word.ULT, word.SLT, false}, "reticle.le": {word.ULE, word.SLE, false},
	"reticle.gt": {word.ULT, word.SLT, true}, "reticle.ge": {word.ULE, word.SLE, true},
}

// one is the word of an operation whose result has a width.
func (l *lowering) one(o *flow.Op, args []*word.Word, width int) *word.Word {
	b := l.b
	if op, ok := direct[o.Kind]; ok {
		if len(args) == 1 && op != word.Not && op != word.RedXor { // of one operand it is that operand
			return args[0]
		}
		return b.Apply(op, args...)
	}
	if op, ok := exchanged[o.Kind]; ok {
		return b.Apply(op, args[1], args[0])
	}
	if op, ok := negated[o.Kind]; ok {
		return b.Apply(word.Not, b.Apply(op, args...))
	}
	if op, ok := divisions[o.Kind]; ok {
		p := l.p.Values[o.Result].Span.Position() // a place has its name from where the result is named
		zero := b.Apply(word.Eq, args[1], b.Int(width, 0))
		return b.Apply(word.Ite, zero, b.Open(fmt.Sprintf("%d:%d", p.Line, p.Col), width, 0), b.Apply(op, args...))
	}
	if c, ok := ordered[o.Kind]; ok {
		op := c.unsigned
		if l.p.Values[o.Args[0]].Signed {
			op = c.signed
		}
		if c.exchanged {
			return b.Apply(op, args[1], args[0])
		}
		return b.Apply(op, args[0], args[1])
	}
	number := func() int { return o.Numbers[0] }
	switch o.Kind {
	case "comb.constant", "std_const", "reticle.const":
		var parts []*word.Word
		for i := len(o.Consts) - 1; i >= 0; i-- {
			parts = append(parts, b.Const(width/len(o.Consts), o.Consts[i]))
		}
		return b.Concat(parts...)
	case "comb.wire", "std_wire", "reticle.id":
		return args[0]
	case "comb.extract", "std_bit_slice", "reticle.ext":
		return b.Extract(args[0], number()+width-1, number())
	case "std_slice":
		return b.Extract(args[0], width-1, 0)
	case "std_pad":
		return b.Extend(word.ZeroExt, args[0], width)
	case "std_signext":
		return b.Extend(word.SignExt, args[0], width)
	case "std_const_mult":
		return b.Apply(word.Mul, args[0], b.Const(width, o.Consts[0]))
	case "comb.replicate":
		return b.Concat(slices.Repeat(args, width/args[0].Width)...)
	case "comb.reverse":
		parts := make([]*word.Word, width)
		for i := range parts {
			parts[i] = b.Bit(args[0], i)
		}
		return b.Concat(parts...)
	case "comb.truth_table":
		// A lookup has its first input lowest, and entry 0 as bit 0: the order of the inputs is turned round.
		table := new(big.Int)
		for i, v := range o.Consts {
			table.SetBit(table, i, v.Bit(0))
		}
		inputs := slices.Clone(args)
		slices.Reverse(inputs)
		return b.Lookup(table, inputs...)
	case "reticle.sll", "reticle.srl", "reticle.sra":
		op := map[string]word.Op{"reticle.sll": word.Shl, "reticle.srl": word.LShr, "reticle.sra": word.AShr}[o.Kind]
		return b.Apply(op, args[0], b.Int(32, int64(number())))
	case "reticle.cat":
		parts := slices.Clone(args)
		slices.Reverse(parts)
		return b.Concat(parts...)
	}
	panic("flow: no operation " + o.Kind)
}
