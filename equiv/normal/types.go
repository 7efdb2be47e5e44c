package normal

import (
	"math/big"

	"tv/semantics/index"
	"tv/semantics/term"
)

// Laws say which laws the arithmetic in force admits beyond those of a commutative ring with maxima. Those of real numbers
// are for terms of that sort alone: integers that wrap may stand beside them.
type Laws struct {
	Field    bool     // a/b = a·inv(b), inv(b)·b = 1 where b is not 0; exp, log and sqrt by their laws
	Negation bool     // min(a, b) = -max(-a, -b)
	Modulus  *big.Int // coefficients count modulo this; nil: they do not
}

// RealLaws are those of the real numbers.
var RealLaws = Laws{Field: true, Negation: true}

// WrapLaws are those of integers of the given width that wrap.
func WrapLaws(bits int) Laws { return Laws{Modulus: new(big.Int).Lsh(big.NewInt(1), uint(bits))} }

// atomKind tells atoms apart.
type atomKind uint8

const (
	readAtom   atomKind = iota // tensor at offset
	numberAtom                 // an atom of package index as a number
	applyAtom                  // name(polys)
	powerAtom                  // polys[0], to a negative power only: an inverse that no law takes apart
	valueAtom                  // polys[0], the only factor of a body of a maxAtom or foldAtom
	maxAtom                    // the greatest of the terms of polys[0] over their steps
	foldAtom                   // the product of the term of polys[0] over its steps
	gatherAtom                 // polys[0] with slot replaced by the value of polys[1]
	lowestAtom                 // MIN
)

// An Atom is a factor of a body. Atoms are interned.
type Atom struct {
	id     int
	kind   atomKind
	name   string // of a maxAtom: the domain of its terms
	tensor *term.Tensor
	offset *index.Expr // of a read: row-major
	number *index.Atom
	polys  []*Poly
	slot   int           // of a gather
	free   []*index.Atom // variables, sizes and slots that occur free, sorted by id
	height int           // greater than every slot bound inside
}

// A factor is an atom to a power that is not 0.
type factor struct {
	atom *Atom
	exp  int
}

// A summand is coef · Σ over the box of vars of [all guards >= 0] · product of factors. Each variable's
// range is its own Lo and Hi. A term (of a maximum or a product) has a value instead of factors, which no
// law may take apart. Summands are immutable.
type summand struct {
	coef    *big.Rat
	vars    []*index.Atom
	guards  []*index.Expr
	factors []factor // sorted by atom
	isTerm  bool
	value   sum // of a term
}

// A sum is an open polynomial.
type sum []*summand

// A body is what a closed summand sums: slots base..height-1 are bound. Bodies are interned.
type body struct {
	id      int
	guards  []*index.Expr // sorted by id
	factors []factor
	base    int
	slots   int
	free    []*index.Atom // without the slots bound here
	term    bool          // of a maximum or a product: the only factor is a valueAtom
}

// A part of a closed polynomial is a body and how often each point of its box counts.
type part struct {
	body  *body
	steps *steps
}

// A Poly is a closed polynomial or, in a maxAtom, a set of terms: parts sorted by body. Polys are interned.
type Poly struct {
	id     int
	parts  []part
	max    bool // steps tell membership, not multiplicity
	free   []*index.Atom
	height int
}

// A dim of a step function is a free variable or a slot.
type dim struct {
	v    *index.Atom // a free variable, or nil
	slot int
}

func (d dim) before(o dim) bool {
	switch {
	case d.v != nil && o.v != nil:
		return d.v.ID() < o.v.ID()
	case d.v != nil || o.v != nil:
		return d.v != nil
	}
	return d.slot < o.slot
}

// steps is a step function over dims: constant on boxes. A leaf has no segments. Dims are nested in a fixed
// order and equal neighbours are merged, so equal functions are one pointer.
type steps struct {
	id   int
	coef *big.Rat // of a leaf
	dim  dim
	segs []segment // ascending, not touching with the same value; outside of them the function is 0
}

type segment struct {
	lo, hi *index.Expr
	to     *steps
}

// interval is a range of a dim.
type interval struct {
	dim    dim
	lo, hi *index.Expr
}

// box is a coefficient on a product of intervals, sorted by dim; free variables without one are unrestricted.
type box struct {
	coef   *big.Rat
	ranges []interval
}

var one = big.NewRat(1, 1)
