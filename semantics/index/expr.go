// Package index holds the integers of tensor programs: the sizes of axes and the positions on them.
//
//	Num      an exact integer
//	Atom     a named size, a variable with a range, or a floor division
//	Expr     a polynomial over atoms with integer coefficients; equal expressions are one pointer
//	Context  what is known at a place: ranges of variables narrowed, further facts e >= 0
//	Builder  makes and simplifies expressions, decides e >= 0
//	Next     the index after one, in row-major order
//
// There is no mod: t mod q is t - q·(t div q), so that q·(t div q) + t mod q = t holds by the normal
// form, and the offset of any chain of reshapes is a polynomial again. Division is by floor; a
// divisor is positive wherever it is used.
package index

import (
	"sort"
	"strconv"
	"strings"
)

// Kind tells atoms apart.
type Kind uint8

const (
	Size  Kind = iota // a named size, at least Min
	Var               // a variable with Lo <= v < Hi
	Slot              // a bound variable in canonical form, numbered, without a range of its own
	Floor             // Num div Den
	Max               // the greater of Num and Den
	Min               // the smaller of Num and Den
)

// An Atom is an indeterminate of expressions.
type Atom struct {
	id       int
	Kind     Kind
	Name     string // of a size or a variable
	Least    int64  // of a size: its least value
	Lo, Hi   *Expr  // of a variable: its range [Lo, Hi)
	N        int    // of a slot: its number
	Num, Den *Expr  // of a Floor, Max or Min
	expr     *Expr
	self     []*Atom // the atom alone, as the variable list of its expression
}

// ID numbers atoms in the order of their making.
func (a *Atom) ID() int { return a.id }

// Expr returns the atom as an expression.
func (a *Atom) Expr() *Expr { return a.expr }

// A mono is a product of atoms, sorted by id, an atom repeated for its power; the empty product is 1.
type mono struct {
	id    int
	atoms []*Atom
}

// A Term is a coefficient and a product of atoms.
type Term struct {
	Coef Num
	mono *mono
}

// Atoms returns the atoms of the product, an atom repeated for its power. It must not be changed.
func (t Term) Atoms() []*Atom { return t.mono.atoms }

// An Expr is a polynomial: terms sorted by degree, then by atoms, the constant last. Expressions of a
// Builder are equal exactly when their pointers are.
type Expr struct {
	id    int
	hash  uint64
	next  *Expr // of those with the same hash
	terms []Term
	free  []*Atom // variables, slots and sizes that occur, inside divisions too, sorted by id
}

// ID numbers expressions in the order of their making.
func (e *Expr) ID() int { return e.id }

// Terms returns the terms. They must not be changed.
func (e *Expr) Terms() []Term { return e.terms }

// Free returns the sizes, variables and slots that occur in e, inside divisions too, in the order of
// their making. It must not be changed.
func (e *Expr) Free() []*Atom { return e.free }

// Mentions reports whether the size, variable or slot a occurs in e.
func (e *Expr) Mentions(a *Atom) bool {
	i := sort.Search(len(e.free), func(i int) bool { return e.free[i].id >= a.id })
	return i < len(e.free) && e.free[i] == a
}

// Const returns the value of an expression without atoms.
func (e *Expr) Const() (Num, bool) {
	switch {
	case len(e.terms) == 0:
		return Num{}, true
	case len(e.terms) == 1 && len(e.terms[0].mono.atoms) == 0:
		return e.terms[0].Coef, true
	}
	return Num{}, false
}

// IsZero reports whether e is the constant 0.
func (e *Expr) IsZero() bool { return len(e.terms) == 0 }

// ConstTerm returns the constant term.
func (e *Expr) ConstTerm() Num {
	if n := len(e.terms); n > 0 && len(e.terms[n-1].mono.atoms) == 0 {
		return e.terms[n-1].Coef
	}
	return Num{}
}

// Linear splits e = c·a + r for an atom a that occurs with power one and outside other atoms; the
// coefficient c may hold other atoms. It fails where a occurs otherwise.
func (b *Builder) Linear(e *Expr, a *Atom) (c, r *Expr, ok bool) {
	in, out := b.parts[0][:0], b.parts[1][:0]
	for _, t := range e.terms {
		n := 0
		for _, x := range t.mono.atoms {
			if x == a {
				n++
			} else if x.Kind >= Floor && x.expr.Mentions(a) {
				return nil, nil, false
			}
		}
		switch n {
		case 0:
			out = append(out, t)
		case 1:
			b.rest = b.rest[:0]
			for _, x := range t.mono.atoms {
				if x != a {
					b.rest = append(b.rest, x)
				}
			}
			in = append(in, Term{t.Coef, b.mono(b.rest)})
		default:
			return nil, nil, false
		}
	}
	b.parts = [2][]Term{in, out}
	return b.sum(in), b.sum(out), true
}

// Spelt returns a name of a program, quoted where something else is written like it: a product, a variable, or a size that
// the prover makes up, such as N', N/16 or lo#0.
func Spelt(name string) string {
	if isPlain(name) && !isVariable(name) {
		return name
	}
	return strconv.Quote(name)
}

// isPlain reports whether a name is empty, or a letter or underscore and then letters, digits, underscores, points, minus signs.
func isPlain(name string) bool {
	for i := range len(name) {
		switch c := name[i]; {
		case c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
		case i > 0 && (c == '-' || c == '.' || '0' <= c && c <= '9'):
		default:
			return false
		}
	}
	return true
}

// isVariable reports whether a name is written like a variable: i0, k12.
func isVariable(name string) bool {
	return len(name) > 1 && (name[0] == 'i' || name[0] == 'k') && strings.Trim(name[1:], "0123456789") == ""
}

// String prints the polynomial: "16*i + j - 1".
func (e *Expr) String() string {
	if len(e.terms) == 0 {
		return "0"
	}
	var s strings.Builder
	for i, t := range e.terms {
		c := t.Coef
		switch {
		case i > 0 && c.Sign() < 0:
			s.WriteString(" - ")
			c = c.Neg()
		case i > 0:
			s.WriteString(" + ")
		case c.Sign() < 0 && len(t.mono.atoms) > 0:
			s.WriteString("-")
			c = c.Neg()
		}
		if !c.IsOne() || len(t.mono.atoms) == 0 {
			s.WriteString(c.String())
			if len(t.mono.atoms) > 0 {
				s.WriteString("*")
			}
		}
		for j, a := range t.mono.atoms {
			if j > 0 {
				s.WriteString("*")
			}
			s.WriteString(a.String())
		}
	}
	return s.String()
}

// String prints the atom: "N", "i", "((i + 1) div 4)".
func (a *Atom) String() string {
	switch a.Kind {
	case Size, Var:
		return a.Name
	case Slot:
		return "k" + Int(int64(a.N)).String()
	case Max:
		return "max(" + a.Num.String() + ", " + a.Den.String() + ")"
	case Min:
		return "min(" + a.Num.String() + ", " + a.Den.String() + ")"
	}
	return "(" + operand(a.Num) + " div " + operand(a.Den) + ")"
}

func operand(e *Expr) string {
	if len(e.terms) > 1 || len(e.terms) == 1 && (e.terms[0].Coef.Sign() < 0 || len(e.terms[0].mono.atoms) > 0 && !e.terms[0].Coef.IsOne()) {
		return "(" + e.String() + ")"
	}
	return e.String()
}

// compareMono orders products: higher degree first, then by atoms. The order is admissible (it is kept by
// multiplication), as polynomial division wants.
func compareMono(x, y *mono) int {
	if x == y {
		return 0
	}
	if len(x.atoms) != len(y.atoms) {
		return len(y.atoms) - len(x.atoms)
	}
	for i := range x.atoms {
		if x.atoms[i] != y.atoms[i] {
			return x.atoms[i].id - y.atoms[i].id
		}
	}
	return 0
}

// hashMask keeps all bits of a hash: a hash only finds the bucket. A test takes them away.
var hashMask = ^uint64(0)
