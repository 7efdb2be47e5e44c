package rise

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"tv/internal/source"
	"tv/semantics/domain"
)

// A condition on sizes under which a text is well formed.
type condition struct {
	at   source.Span
	code string
	pred *domain.Pred
}

// An equation is that of the sizes of two arrays.
type equation struct {
	at   source.Span
	x, y size
}

func (f *inference) ask(at source.Span, code string, p *domain.Pred) {
	f.asked = append(f.asked, condition{at, code, p})
}

func (f *inference) equate(at source.Span, x, y size) {
	if !x.Equal(y) {
		f.equations = append(f.equations, equation{at, x, y})
	}
}

// unknownSize is a size that equations determine. Its name is none of a text.
func (f *inference) unknownSize(code string) size {
	name := fmt.Sprintf("?%d", len(f.codes))
	f.codes[name] = code
	return domain.NamedSize(name)
}

// unknowns are the sizes in x that are not known.
func unknowns(x size) (out []string) {
	for _, n := range x.Names() {
		if strings.HasPrefix(n, "?") {
			out = append(out, n)
		}
	}
	return out
}

// size is the value of an expression over sizes; names says what those are.
func (f *inference) size(n *node, names func(source.Span) size) (out size) {
	var args []size
	switch n.op {
	case "number":
		v, ok := parsed(n.text)
		check(ok, n.at, "bad-size", "%s is no integer", n.text)
		return v
	case "name":
		return names(n.at)
	case "+", "-", "~", "*", "/", "%":
		for _, a := range n.args {
			args = append(args, f.size(a, names))
		}
	}
	switch n.op {
	case "+":
		out = args[0].Add(args[1])
	case "-":
		out = args[0].Sub(args[1])
	case "~":
		out = out.Sub(args[0])
	case "*":
		out = args[0].Mul(args[1])
	case "/", "%":
		f.ask(n.at, "bad-divisor", domain.Le(one, args[1]))
		if out = args[0].Div(args[1]); n.op == "%" {
			out = args[0].Mod(args[1])
		}
	default:
		check(false, n.at, "size-wanted", "an expression over sizes is wanted")
	}
	check(!out.TooLarge(), n.at, "too-large", "a size is too large")
	return out
}

// parsed is the natural that a text spells.
func parsed(text string) (out size, ok bool) {
	v, ok := new(big.Int).SetString(text, 10)
	if ok {
		out = domain.BigSize(v)
	}
	return out, ok
}

// solve finds the sizes that equations determine, and asks for what these are to be naturals. An
// equation that determines none is a condition.
func (f *inference) solve() {
	for f.determine(true) || f.determine(false) {
	}
	for _, e := range f.equations {
		x, y := e.x.Subst(f.solved), e.y.Subst(f.solved)
		d := x.Sub(y)
		check(unknowns(d) == nil, e.at, "size-unbound", "a size that nothing determines")
		n, number := d.Const()
		check(!number || n.Sign() == 0, e.at, "shape-mismatch", "%s elements, where %s are wanted",
			y.Formula(), x.Formula())
		if !number {
			f.ask(e.at, "shape-mismatch", domain.Eq(x, y))
		}
	}
	for i, c := range f.asked {
		f.asked[i].pred = c.pred.Subst(f.solved)
	}
}

// determine solves equations for an unknown that stands alone, or else one in which it is
// multiplied; it reports whether there are any.
func (f *inference) determine(alone bool) (some bool) {
	var left []equation
	for _, e := range f.equations {
		f.step(e.at)
		if some && !alone || !f.determined(e, alone) {
			left = append(left, e)
		} else {
			some = true
		}
	}
	f.equations = left
	return some
}

func (f *inference) determined(e equation, alone bool) bool {
	x, y := e.x.Subst(f.solved), e.y.Subst(f.solved)
	for _, name := range unknowns(x.Sub(y)) {
		by, rest, ok := isolated(name, x, y)
		if !ok || by.Equal(one) != alone || !alone && len(unknowns(rest.Add(by))) > 0 {
			continue
		}
		if !alone {
			f.ask(e.at, f.codes[name], domain.Divides(by, rest))
			rest = rest.Div(by)
		}
		f.ask(e.at, f.codes[name], domain.Le(size{}, rest))
		with := map[string]size{name: rest}
		for other, v := range f.solved {
			f.solved[other] = v.Subst(with)
		}
		f.solved[name] = rest
		check(!rest.TooLarge(), e.at, "too-large", "a size is too large")
		return true
	}
	return false
}

// isolated brings x = y into the form by·name = rest, if it has it: a name on one side alone is
// multiplied by naturals there.
func isolated(name string, x, y size) (by, rest size, ok bool) {
	if slices.Contains(y.Names(), name) {
		x, y = y, x
	}
	if slices.Contains(y.Names(), name) {
		x, y = x.Sub(y), size{}
	}
	at := func(v int64) size { return x.Subst(map[string]size{name: domain.IntSize(v)}) }
	by, rest = at(1).Sub(at(0)), y.Sub(at(0))
	if n, number := by.Const(); number && n.Sign() < 0 {
		by, rest = (size{}).Sub(by), (size{}).Sub(rest)
	}
	return by, rest, x.Sub(at(0)).Equal(at(1).Sub(at(0)).Mul(domain.NamedSize(name)))
}
