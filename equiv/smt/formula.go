package smt

import (
	"fmt"
	"math/big"

	"tv/semantics/term"
)

// A sort of formulas.
type sort struct {
	kind byte // 'b' Bool, 'r' Real, 'v' bit-vector, 'f' float
	n, m int  // bits of a bit-vector; exponent and significand bits of a float
}

var (
	boolSort   = sort{kind: 'b'}
	realSort   = sort{kind: 'r'}
	brainSort  = sort{kind: 'f', n: 8, m: 8} // bfloat16
	singleSort = sort{kind: 'f', n: 8, m: 24}
	// wideFloat holds every number of the other floats and every integer of up to 113 bits, also after
	// multiplication by any power of two that occurs in a fixed-point format.
	wideFloat = sort{kind: 'f', n: 15, m: 113}
)

func vector(n int) sort { return sort{kind: 'v', n: n} }

// floatSort returns the binary interchange format of IEEE 754 with the width of a sort, or bfloat16.
func floatSort(s term.Sort) (sort, bool) {
	switch s.Width {
	case 16:
		if s.Frac == 8 {
			return brainSort, true
		}
		return sort{'f', 5, 11}, true
	case 32:
		return singleSort, true
	case 64:
		return sort{'f', 11, 53}, true
	}
	return sort{}, false
}

// bits returns the width of a bit-vector or a float.
func (s sort) bits() int { return s.n + s.m }

func (s sort) String() string {
	switch s.kind {
	case 'b':
		return "Bool"
	case 'r':
		return "Real"
	case 'v':
		return fmt.Sprintf("(_ BitVec %d)", s.n)
	}
	return fmt.Sprintf("(_ FloatingPoint %d %d)", s.n, s.m)
}

// A mode is how a float operation rounds, as SMT-LIB spells it; empty for operations that do not round.
type mode string

const (
	nearestEven mode = "RNE"
	nearestAway mode = "RNA"
	toZero      mode = "RTZ"
	down        mode = "RTN"
)

// A form is a node of a formula. Equal forms of a Query are one pointer; arguments have smaller ids.
//
//	op        args   what
//	true false       of Bool
//	const            the free constant name
//	num              the number value: of Real, or of a bit-vector, 0 <= value < 2^n
//	ite       3      and any other operation of SMT-LIB under its name there
type form struct {
	id     int
	op     string
	mode   mode
	name   string
	params []int // of an indexed operation: (_ extract 7 0)
	value  *big.Rat
	args   []*form
	sort   sort
}

// formKey tells forms apart.
type formKey struct {
	op, name, value string
	mode            mode
	sort            sort
	params          [2]int
	args            [3]*form
}

// mk returns the one form that equals f. Operations in which the order of operands does not matter, of floats
// too, get them in the order of their ids.
func (q *Query) mk(f form) *form {
	switch f.op {
	case "=", "and", "or", "+", "*", "bvadd", "bvmul", "fp.add", "fp.mul":
		if f.args[0].id > f.args[1].id {
			f.args[0], f.args[1] = f.args[1], f.args[0]
		}
	}
	k := formKey{op: f.op, name: f.name, mode: f.mode, sort: f.sort}
	if f.value != nil {
		k.value = f.value.RatString()
	}
	copy(k.params[:], f.params)
	copy(k.args[:], f.args)
	if x := q.forms[k]; x != nil {
		return x
	}
	f.id = len(q.list)
	q.forms[k] = &f
	q.list = append(q.list, &f)
	return &f
}

func (q *Query) truth(v bool) *form {
	return q.mk(form{op: fmt.Sprint(v), sort: boolSort})
}

// rational returns a number of the reals.
func (q *Query) rational(v *big.Rat) *form { return q.mk(form{op: "num", value: v, sort: realSort}) }

// word returns the bit-vector v modulo 2^n.
func (q *Query) word(n int, v *big.Int) *form {
	v = new(big.Int).Mod(v, power2(n))
	return q.mk(form{op: "num", value: new(big.Rat).SetInt(v), sort: vector(n)})
}

func (q *Query) int(n int, v int64) *form { return q.word(n, big.NewInt(v)) }

// float returns the float with the given bits.
func (q *Query) float(s sort, bits *big.Int) *form {
	return q.indexed(s, "to_fp", "", []int{s.n, s.m}, q.word(s.bits(), bits))
}

// app returns an operation that does not round.
func (q *Query) app(s sort, op string, args ...*form) *form {
	return q.mk(form{op: op, args: args, sort: s})
}

// rounded returns an operation on floats that rounds.
func (q *Query) rounded(s sort, op string, m mode, args ...*form) *form {
	return q.mk(form{op: op, mode: m, args: args, sort: s})
}

func (q *Query) indexed(s sort, op string, m mode, params []int, args ...*form) *form {
	return q.mk(form{op: op, mode: m, params: params, args: args, sort: s})
}

func (q *Query) not(x *form) *form {
	switch x.op {
	case "true":
		return q.truth(false)
	case "false":
		return q.truth(true)
	case "not":
		return x.args[0]
	}
	return q.app(boolSort, "not", x)
}

func (q *Query) and(x, y *form) *form {
	switch {
	case x.op == "true", x == y:
		return y
	case y.op == "true":
		return x
	case x.op == "false", y.op == "false", q.not(x) == y:
		return q.truth(false)
	}
	return q.app(boolSort, "and", x, y)
}

func (q *Query) or(x, y *form) *form {
	switch {
	case x.op == "false", x == y:
		return y
	case y.op == "false":
		return x
	case x.op == "true", y.op == "true", q.not(x) == y:
		return q.truth(true)
	}
	return q.app(boolSort, "or", x, y)
}

func (q *Query) implies(x, y *form) *form { return q.or(q.not(x), y) }

func (q *Query) equal(x, y *form) *form {
	switch {
	case x == y:
		return q.truth(true)
	case x.op == "num" && y.op == "num": // equal ones are one form
		return q.truth(false)
	}
	return q.app(boolSort, "=", x, y)
}

func (q *Query) ite(c, x, y *form) *form {
	switch {
	case c.op == "true" || x == y:
		return x
	case c.op == "false":
		return y
	case x.sort == boolSort:
		return q.and(q.implies(c, x), q.implies(q.not(c), y))
	}
	return q.app(x.sort, "ite", c, x, y)
}

// resize returns the integer x, signed or not, modulo 2^n.
func (q *Query) resize(n int, signed bool, x *form) *form {
	switch d := n - x.sort.n; {
	case d < 0:
		return q.indexed(vector(n), "extract", "", []int{n - 1, 0}, x)
	case d == 0:
		return x
	case signed:
		return q.indexed(vector(n), "sign_extend", "", []int{d}, x)
	default:
		return q.indexed(vector(n), "zero_extend", "", []int{d}, x)
	}
}

// conjuncts adds the parts of a conjunction to a set.
func conjuncts(f *form, to map[*form]bool) {
	if to[f] {
		return
	}
	to[f] = true
	if f.op == "and" {
		for _, a := range f.args {
			conjuncts(a, to)
		}
	}
}

// without returns the conjunction f without the parts that are known to hold.
func (q *Query) without(f *form, known map[*form]bool) *form {
	memo := map[*form]*form{}
	var walk func(f *form) *form
	walk = func(f *form) *form {
		if known[f] {
			return q.truth(true)
		}
		if f.op != "and" {
			return f
		}
		if _, ok := memo[f]; !ok {
			memo[f] = q.and(walk(f.args[0]), walk(f.args[1]))
		}
		return memo[f]
	}
	return walk(f)
}

func power2(n int) *big.Int { return new(big.Int).Lsh(big.NewInt(1), uint(n)) }

// scale returns v·2^e.
func scale(v *big.Rat, e int) *big.Rat {
	if e < 0 {
		return new(big.Rat).Quo(v, new(big.Rat).SetInt(power2(-e)))
	}
	return new(big.Rat).Mul(v, new(big.Rat).SetInt(power2(e)))
}
