package loops

import (
	"math/big"
	"slices"

	"tv/semantics/domain"
)

// Signless implements algebra.Signless.
func (p *Procedure) Signless(name string) bool {
	return slices.ContainsFunc(p.Params, func(b *Buffer) bool {
		return b.Name == name && b.Signless
	})
}

// Unsigned implements algebra.Signless by law 14.
func (p *Procedure) Unsigned(names []string) {
	n := naming{params: p.Params, signed: map[*Buffer]domain.Elem{}, done: map[*Data]*Data{},
		named: map[named]*Data{}}
	var types []domain.Elem
	for _, b := range p.Params {
		if b.Signless && slices.Contains(names, b.Name) {
			types = append(types, b.Elem)
			n.signed[b] = b.Elem
		}
	}
	n.locals(p.Body, types)
	for b := range n.signed {
		b.Elem.Kind = domain.ElemUint
	}
	n.block(p.Body)
}

// A naming has statements take as numbers with a sign what is without one in buffers.
type naming struct {
	params []*Buffer
	signed map[*Buffer]domain.Elem // as the text has it
	done   map[*Data]*Data
	named  map[named]*Data
}

// named is an integer as one of a type.
type named struct {
	d  *Data
	to domain.Elem
}

// locals has those of some types be without a sign too.
func (n naming) locals(list []Stmt, types []domain.Elem) {
	for _, s := range list {
		switch s := s.(type) {
		case *Alloc:
			if slices.Contains(types, s.Buffer.Elem) && !slices.Contains(n.params, s.Buffer) {
				n.signed[s.Buffer] = s.Buffer.Elem
			}
		case *For:
			n.locals(s.Body, types)
		case *If:
			n.locals(s.Then, types)
			n.locals(s.Else, types)
		}
	}
}

func (n naming) block(list []Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *Assign:
			s.Value = n.data(s.Value)
			var under []*Data
			for _, d := range s.Under {
				under = append(under, n.data(d))
			}
			s.Under = under
			if n.signed[s.To.Buffer].Width > 0 {
				s.Value = n.modulo(s.Value, s.To.Buffer.Elem)
			}
		case *For:
			n.block(s.Body)
		case *If:
			n.block(s.Then)
			n.block(s.Else)
		}
	}
}

func (n naming) data(d *Data) *Data {
	if x := n.done[d]; x != nil {
		return x
	}
	changed := *d
	changed.Args = nil
	for _, a := range d.Args {
		changed.Args = append(changed.Args, n.data(a))
	}
	x := &changed
	signed := n.signed[d.From.Buffer]
	switch {
	case d.Op == DataRead && signed.Width > 0:
		x.Elem = d.From.Buffer.Elem
		x = n.modulo(x, signed)
	case d.Op == DataConvert && integer(d.Elem) && integer(d.Args[0].Elem):
		x = n.modulo(x.Args[0], d.Elem)
	}
	n.done[d] = x
	return x
}

// modulo is d as an integer of a type.
func (n naming) modulo(d *Data, to domain.Elem) *Data {
	for d.Op == DataConvert && integer(d.Elem) && integer(d.Args[0].Elem) &&
		d.Elem.Width >= to.Width {
		d = d.Args[0]
	}
	if d.Elem == to {
		return d
	}
	if x := n.named[named{d, to}]; x != nil {
		return x
	}
	x := &Data{Op: DataConvert, Elem: to, Args: []*Data{d}, Span: d.Span}
	if integer(d.Elem) && d.Elem.Width == to.Width && !d.Checked {
		other := *d
		other.Elem = to
		operands := slices.Clone(d.Args)
		switch d.Op {
		case DataInt:
			x = &other
		case DataLiteral:
			if v, ok := new(big.Int).SetString(d.Text, 10); ok && to.Kind == domain.ElemUint {
				all := new(big.Int).Lsh(big.NewInt(1), uint(to.Width))
				other.Text = v.Mod(v, all).String()
				x = &other
			}
		case DataNeg, DataAdd, DataSub, DataMul, DataBitAnd, DataBitOr, DataBitXor:
			for i, a := range operands {
				operands[i] = n.modulo(a, to)
			}
			other.Args, x = operands, &other
		case DataChoose:
			operands[1], operands[2] = n.modulo(operands[1], to), n.modulo(operands[2], to)
			other.Args, x = operands, &other
		}
	}
	n.named[named{d, to}] = x
	return x
}
