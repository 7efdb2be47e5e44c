package loops

import (
	"math/big"
	"slices"

	"tv/semantics/domain"
)

// Unsigned has the integers of parameters that are Signless be numbers without a sign, and those of locals of these types. The
// statements have the sign that their text gives them: what is read is converted to it, and what is written from it, which changes
// no bit. What computes modulo 2^width computes without a sign then.
func (p *Procedure) Unsigned(names []string) {
	w := signless{of: map[*Buffer]domain.Elem{}, seen: map[*Expr]*Expr{}, low: map[lowBits]*Expr{}}
	var types []domain.Elem
	for _, b := range p.Buffers {
		if b.Signless && slices.Contains(names, b.Name) {
			types = append(types, b.Elem)
			w.of[b] = b.Elem
		}
	}
	for _, b := range p.Buffers {
		if b.Kind == Local && slices.Contains(types, b.Elem) {
			w.of[b] = b.Elem
		}
	}
	for b := range w.of {
		b.Elem.Kind = domain.ElemUint
	}
	w.block(p.Body)
}

// A signless is the work on a procedure.
type signless struct {
	of   map[*Buffer]domain.Elem // the types in the text
	seen map[*Expr]*Expr
	low  map[lowBits]*Expr
}

// lowBits are those of an element that an integer type has.
type lowBits struct {
	of *Expr
	to domain.Elem
}

func (w signless) block(list []Stmt) {
	for _, t := range list {
		switch t := t.(type) {
		case *Assign:
			t.Value = w.element(t.Value)
			if _, ok := w.of[t.To.Buffer]; ok {
				t.Value = w.bits(t.To.Buffer.Elem, t.Value)
			}
		case *For:
			w.block(t.Body)
		case *If:
			w.block(t.Then)
			w.block(t.Else)
		case *When:
			t.Cond = w.element(t.Cond)
			w.block(t.Then)
			w.block(t.Else)
		}
	}
}

func (w signless) element(e *Expr) *Expr {
	if out := w.seen[e]; out != nil {
		return out
	}
	out := *e
	out.Args = make([]*Expr, len(e.Args))
	for i, a := range e.Args {
		out.Args[i] = w.element(a)
	}
	x := &out
	switch elem, ok := w.of[e.From.Buffer]; {
	case e.Op == Read && ok:
		x.Elem = e.From.Buffer.Elem
		x = w.bits(elem, x)
	case e.Op == Convert && integers(e.Elem, e.Args[0].Elem):
		x = w.bits(e.Elem, x.Args[0])
	}
	w.seen[e] = x
	return x
}

// bits converts between integers. Conversions to types that are no narrower leave the bits that are kept, and so do operations
// modulo 2^width their operands'.
func (w signless) bits(to domain.Elem, x *Expr) *Expr {
	for x.Op == Convert && integers(x.Elem, x.Args[0].Elem) && to.Width <= x.Elem.Width {
		x = x.Args[0]
	}
	if x.Elem == to {
		return x
	}
	if out := w.low[lowBits{x, to}]; out != nil {
		return out
	}
	out := &Expr{Op: Convert, Elem: to, Args: []*Expr{x}, At: x.At}
	if integers(x.Elem) && to.Width == x.Elem.Width && !x.Checked {
		same := *x
		same.Elem = to
		switch x.Op {
		case Literal:
			same.Number = new(big.Rat).SetInt(inType(x.Number.Num(), to))
			out = &same
		case FromInt:
			out = &same
		case Negate, Add, Sub, Mul, BitAnd, BitOr, BitXor, BitNot, Choice:
			same.Args = slices.Clone(x.Args)
			for i, a := range x.Args {
				if x.Op != Choice || i > 0 {
					same.Args[i] = w.bits(to, a)
				}
			}
			out = &same
		}
	}
	w.low[lowBits{x, to}] = out
	return out
}

// inType is a number modulo 2^width, as an integer type has it.
func inType(n *big.Int, t domain.Elem) *big.Int {
	all := new(big.Int).Lsh(big.NewInt(1), uint(t.Width))
	n = new(big.Int).Mod(n, all)
	if t.Kind == domain.ElemInt && n.Bit(t.Width-1) == 1 {
		n.Sub(n, all)
	}
	return n
}

func integers(list ...domain.Elem) bool {
	return !slices.ContainsFunc(list, func(t domain.Elem) bool { return t.Kind != domain.ElemInt && t.Kind != domain.ElemUint })
}
