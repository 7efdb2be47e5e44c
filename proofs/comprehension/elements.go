package comprehension

import (
	"tv/proofs/algebra"
	"tv/proofs/procedures"
	"tv/semantics/domain"
)

// A typing is a program whose sizes stand for those of a question.
type typing struct {
	*procedures.Typing
	statements []*statement
}

// Type implements Source.
func (p *program) Type(env *domain.Env) (algebra.Program, error) {
	t, err := p.Under(env)
	if err != nil {
		return nil, err
	}
	return typing{t, p.statements}, nil
}

// Elements implements Program.
func (t typing) Elements(s *algebra.State, cuts map[int]string) algebra.Elements {
	l := elements{t.Typing.Elements(s, cuts), t}
	l.Written = l.written
	return l
}

type elements struct {
	*procedures.Elements
	t typing
}

// written is an element of what a statement writes to, after it.
func (l elements) written(k int, c *algebra.Context, at []*algebra.Expr) *algebra.Scalar {
	s := l.t.statements[k]
	values := map[string]*algebra.Expr{}
	for i, x := range s.free {
		values[x.Name] = at[i]
	}
	return l.Inside(k, s.free, c, at, func(c *algebra.Context) *algebra.Scalar {
		elem := l.t.Params[s.target].Elem
		sum := l.Sum(elem, s.summed, values, func(all map[string]*algebra.Expr) *algebra.Scalar {
			return l.value(k, s.value, c, all)
		})
		if s.op == "+=" {
			return l.Op2(algebra.OpAdd, l.Before(k, s.target, c, at), sum)
		}
		return sum
	})
}

// value is that of n in statement k, with values for indices.
func (l elements) value(k int, n *node, c *algebra.Context,
	values map[string]*algebra.Expr) *algebra.Scalar {
	switch n.Op {
	case '0':
		return l.Decimal(l.t.Params[l.t.statements[k].target].Elem, n.Span.Text())
	case '(':
		at := make([]*algebra.Expr, len(n.Subs))
		for i, sub := range n.Subs {
			at[i] = l.Subscript(sub, values)
		}
		return l.Before(k, n.Param, c, at)
	}
	var args []*algebra.Scalar
	for _, a := range n.Args {
		args = append(args, l.value(k, a, c, values))
	}
	return l.Arithmetic(n.Op, args)
}
