package isa

import (
	"fmt"
	"math/big"
	"strings"

	"tv/equiv/egraph"
	"tv/internal/source"
	"tv/semantics/bits/bv"
)

// An operator is what a node of the graph has besides its children.
type operator struct {
	name        string // a word of SMT-LIB's, or one of the following
	indices     []int
	value       *big.Int // of opConst
	width       int      // of opVar and opConst
	instruction int      // of opApply
}

// Operators that are no words of SMT-LIB's.
const (
	opVar   = "var"
	opConst = "const"
	opApply = "apply"
)

// terms is the graph, whose operators are numbered. The data of a class is its width; 0 is Bool.
type terms struct {
	g            *egraph.Graph[int]
	ops          []operator
	numbered     map[string]egraph.Op
	instructions []*instruction
	known        map[string]int // instructions by their text and widths
}

func newTerms() *terms {
	t := &terms{numbered: map[string]egraph.Op{}, known: map[string]int{}}
	t.g = egraph.New(t)
	return t
}

func (o *operator) key(name string) string {
	key := fmt.Sprintf("%s %d %d %v %s", o.name, o.width, o.instruction, o.indices, name)
	if o.value != nil {
		key += " " + o.value.String()
	}
	return key
}

// op numbers an operator; name tells variables apart.
func (t *terms) op(o operator, name string) egraph.Op {
	key := o.key(name)
	n, ok := t.numbered[key]
	if !ok {
		n = egraph.Op(len(t.ops))
		t.numbered[key] = n
		t.ops = append(t.ops, o)
	}
	return n
}

// Make is the width of an operator of children of such widths. Errors: widths that do not fit.
func (t *terms) Make(n egraph.Op, children []int) (int, error) {
	o := &t.ops[n]
	bad := fmt.Errorf("%s of the widths %d", o.name, children)
	same := func(list []int) bool {
		for _, w := range list {
			if w != list[0] {
				return false
			}
		}
		return true
	}
	switch o.name {
	case opVar, opConst:
		return o.width, nil
	case opApply:
		return t.instructions[o.instruction].width, nil
	case "extract":
		if hi, lo := o.indices[0], o.indices[1]; lo >= 0 && lo <= hi && hi < children[0] {
			return hi - lo + 1, nil
		}
		return 0, bad
	case "concat":
		return children[0] + children[1], nil
	case "zero_extend", "sign_extend":
		return children[0] + o.indices[0], nil
	case "repeat":
		return children[0] * o.indices[0], nil
	case "rotate_left", "rotate_right":
		return children[0], nil
	case "bvcomp", "bool->bitvector":
		if !same(children) {
			return 0, bad
		}
		return max(1, sum(o.indices)), nil // Rosette's second argument is the width
	case "ite":
		if children[0] != 0 || !same(children[1:]) {
			return 0, bad
		}
		return children[1], nil
	case "not", "and", "or", "xor", "=>", "=", "distinct", "bveq", "bitvector->bool", "bvult", "bvule", "bvugt", "bvuge", "bvslt", "bvsle", "bvsgt", "bvsge":
		if !same(children) {
			return 0, bad
		}
		return 0, nil
	}
	if !same(children) || children[0] == 0 {
		return 0, bad
	}
	return children[0], nil
}

func sum(list []int) (s int) {
	for _, n := range list {
		s += n
	}
	return s
}

// Same implements egraph.Analysis.
func (t *terms) Same(a, b int) bool { return a == b }

// leftToRight are the operators of more than two arguments that are folded to two: the last one from the right.
var leftToRight = map[string]bool{"bvand": true, "bvor": true, "bvxor": true, "bvadd": true, "bvmul": true, "concat": true, "and": true, "or": true, "xor": true}

// call adds an operator of terms, folded to two arguments where it has more.
func (t *terms) call(name string, indices []int, args []egraph.Term) (egraph.Term, error) {
	n := t.op(operator{name: name, indices: indices}, "")
	switch {
	case leftToRight[name]:
		out := args[0]
		for _, a := range args[1:] {
			next, err := t.g.Add(n, out, a)
			if err != nil {
				return 0, err
			}
			out = next
		}
		return out, nil
	case name == "=>":
		out := args[len(args)-1]
		for i := len(args) - 2; i >= 0; i-- {
			next, err := t.g.Add(n, args[i], out)
			if err != nil {
				return 0, err
			}
			out = next
		}
		return out, nil
	}
	return t.g.Add(n, args...)
}

// entered adds a term of the specification of a number.
func (t *terms) entered(spec int, x *bv.Term) (egraph.Term, error) {
	done := map[*bv.Term]egraph.Term{}
	var add func(x *bv.Term) (egraph.Term, error)
	add = func(x *bv.Term) (egraph.Term, error) {
		if out, ok := done[x]; ok {
			return out, nil
		}
		var args []egraph.Term
		for _, a := range x.Args {
			arg, err := add(a)
			if err != nil {
				return 0, err
			}
			args = append(args, arg)
		}
		var out egraph.Term
		var err error
		switch x.Op {
		case bv.OpSignal:
			out, err = t.g.Add(t.op(operator{name: opVar, width: x.Width}, fmt.Sprintf("%d:%s", spec, x.Name)))
		case bv.OpConst:
			out, err = t.constant(x.Value, x.Width)
		case bv.OpBound, bv.OpLet:
			out = args[len(args)-1]
		default:
			out, err = t.call(x.Op, x.Indices, args)
		}
		if err != nil {
			return 0, source.Errors{source.Errorf(x.Span, "ill-typed", "%v", err)}
		}
		done[x] = out
		return out, nil
	}
	return add(x)
}

func (t *terms) constant(v *big.Int, width int) (egraph.Term, error) {
	return t.g.Add(t.op(operator{name: opConst, width: width, value: v}, ""))
}

// literal is a constant as SMT-LIB writes it.
func literal(v *big.Int, width int) string {
	if width == 0 {
		return map[bool]string{true: "true", false: "false"}[v.Sign() != 0]
	}
	return fmt.Sprintf("(_ bv%s %d)", v, width)
}

// head is an operator as SMT-LIB writes it.
func (o *operator) head() string {
	if len(o.indices) == 0 || o.name == "bool->bitvector" {
		return o.name
	}
	return strings.TrimSuffix(fmt.Sprintf("(_ %s %s", o.name, strings.Trim(fmt.Sprint(o.indices), "[]")), " ") + ")"
}
