package domain

import "fmt"

// Limits say that a text is meant for sizes below 2^Sizes and tensors of fewer than 2^Counts elements: beyond, its
// integers may not lie in their types. The zero value is no limit.
type Limits struct{ Sizes, Counts uint }

// With returns the limits of two texts.
func (l Limits) With(m Limits) Limits {
	return Limits{lesser(l.Sizes, m.Sizes), lesser(l.Counts, m.Counts)}
}

// lesser returns the lesser of two exponents, 0 standing for none.
func lesser(x, y uint) uint {
	if x == 0 || y != 0 && y < x {
		return y
	}
	return x
}

// Holds tells whether a size is below the limit.
func (l Limits) Holds(size int64) bool { return l.Sizes == 0 || size>>l.Sizes == 0 }

// String says so, for people; without limits it is empty.
func (l Limits) String() string {
	switch {
	case l.Sizes == 0:
		return ""
	case l.Sizes == l.Counts:
		return fmt.Sprintf("sizes and element counts below 2^%d", l.Sizes)
	}
	return fmt.Sprintf("sizes below 2^%d and element counts below 2^%d", l.Sizes, l.Counts)
}
