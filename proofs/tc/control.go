package tc

import (
	"fmt"
	"math/big"
	"slices"

	"tv/internal/source"
	"tv/proofs/loops"
	"tv/semantics/domain"
)

// size is a subscript or bound: made of sizes by their names, and of indices by names with #.
type size = domain.Size

var zero, one = domain.IntSize(0), domain.IntSize(1)

func (l *lowering) nonneg(x size) bool { return l.within.Nonneg(x) }

func index(name string) size { return domain.NamedSize("#" + name) }

// constant reports whether no index occurs in x.
func constant(x size) bool { return len(over(x)) == 0 }

// over are the indices that occur in x.
func over(x size) (names []string) {
	for _, s := range x.Names() {
		if s[0] == '#' {
			names = append(names, s[1:])
		}
	}
	return names
}

func integer(n *node) size {
	v, ok := new(big.Int).SetString(n.text, 10)
	check(ok, n.at, "not-static-control", "%s is no integer", n.text)
	return domain.BigSize(v)
}

// control computes a subscript or bound.
func (l *lowering) control(n *node) (x size) {
	var args []size
	for _, a := range n.args {
		args = append(args, l.control(a))
	}
	switch n.op {
	case "number":
		x = integer(n)
	case "name":
		check(l.tensors[n.text] == nil, n.at, "not-static-control", "%s is data", n.text)
		if x = index(n.text); l.isSize(n.text) {
			x = domain.NamedSize(n.text)
		}
	case "let":
		x = args[0]
	case "extent":
		x = l.extent(n)
	case "neg":
		x = zero.Sub(args[0])
	case "+":
		x = args[0].Add(args[1])
	case "-":
		x = args[0].Sub(args[1])
	case "*":
		x = args[0].Mul(args[1])
	case "/", "%":
		check(constant(args[1]) && l.nonneg(args[1].Sub(one)) && l.nonneg(args[0]), n.at,
			"not-affine", "a quotient of what may be negative, or by what may not be positive")
		if x = args[0].Div(args[1]); n.op == "%" {
			x = args[0].Sub(args[1].Mul(x))
		}
	default:
		refuse(n.at, "not-static-control", "%s in a subscript", n.op)
	}
	l.require(x, n.at)
	return x
}

func (l *lowering) isSize(name string) bool { return slices.Contains(l.p.Sizes, name) }

// isIndex reports whether a name is that of an index.
func (l *lowering) isIndex(name string) bool { return l.tensors[name] == nil && !l.isSize(name) }

// tensor is one that is read.
func (l *lowering) tensor(n *node) *tensor {
	t := l.tensors[n.text]
	check(t != nil, n.at, "unbound-name", "%s is no tensor", n.text)
	check(t.of != nil, n.at, "unbound-name", "%s is not written yet", n.text)
	return t
}

// extent is one of a tensor.
func (l *lowering) extent(n *node) size {
	dims := l.tensor(n).of.Dims
	k, small := integer(n.args[0]).Int64()
	check(small && k < int64(len(dims)), n.at, "unbound-name", "%s has no such extent", n.text)
	return dims[k]
}

// require asks for x to be an integer of 32 bits, where that is not known.
func (l *lowering) require(x size, at source.Span) {
	check(!x.TooLarge(), at, "too-large", "an integer is too large")
	end := domain.BigSize(loops.Beyond(31))
	least, most := zero.Sub(end), end.Sub(one)
	all := &loops.Cond{Op: loops.CondAll}
	for _, p := range [][2]size{{least, x}, {x, most}} {
		if !l.nonneg(p[1].Sub(p[0])) {
			all.Conds = append(all.Conds, l.compare(loops.CondLessEqual, p[0], p[1]))
		}
	}
	if all.Conds != nil {
		text := fmt.Sprintf("the integer of %s has 32 bits", at.Text())
		l.emit(&loops.Require{Cond: all, Text: text, Span: at})
	}
}

func (l *lowering) compare(op loops.CondOp, x, y size) *loops.Cond {
	return &loops.Cond{Op: op, X: l.form(x), Y: l.form(y)}
}

// form is x as the form of loops has it.
func (l *lowering) form(x size) *loops.Int { return loops.IntOf(x, l.counters) }

func (l *lowering) emit(s loops.Stmt) { *l.out = append(*l.out, s) }

// block returns the statements of what is done.
func (l *lowering) block(do func()) (list []loops.Stmt) {
	out := l.out
	l.out = &list
	do()
	l.out = out
	return list
}
