package programs

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"tv/glenside"
	"tv/semantics"
	"tv/semantics/domain"
)

// Indices lists up to limit indices into dims: all of them, or random ones.
func Indices(rng *rand.Rand, dims []int64, limit int) [][]int64 {
	total := int64(1)
	for _, d := range dims {
		if total *= d; total == 0 {
			return nil
		}
	}
	out := make([][]int64, 0, min(total, int64(limit)))
	for k := int64(0); k < min(total, int64(limit)); k++ {
		at := k
		if total > int64(limit) {
			at = rng.Int64N(total)
		}
		index := make([]int64, len(dims))
		for i := len(dims) - 1; i >= 0; i-- {
			index[i] = at % dims[i]
			at /= dims[i]
		}
		out = append(out, index)
	}
	return out
}

// Declarations prints those of a program.
func Declarations(p *glenside.Program) string {
	var s strings.Builder
	for _, in := range p.Inputs {
		fmt.Fprintln(&s, glenside.FormatInput(in))
	}
	return s.String()
}

// assumptions prints what a program assumes.
func assumptions(p *glenside.Program) string {
	var s strings.Builder
	for _, a := range p.Assumes {
		fmt.Fprintf(&s, "(assume %s)\n", a.Pred)
	}
	return s.String()
}

// LeastSizes returns the least value of each named size of a program, of those that no declaration says 1.
func LeastSizes(declared []*domain.Input, names []string) map[string]int64 {
	out := map[string]int64{}
	for _, n := range names {
		out[n] = 1
	}
	for _, in := range declared {
		for _, d := range in.Dims {
			if n := d.Size.Name(); n != "" && d.Min < out[n] {
				out[n] = d.Min
			}
		}
	}
	return out
}

// Holds tells whether a program may be run at a point: what it assumes is true, and it is well formed there.
func Holds(p semantics.Program, pt domain.Point) bool {
	for _, a := range p.Source().Declarations().Assumes {
		if ok, err := a.Pred.Eval(pt); err != nil || !ok {
			return false
		}
	}
	for _, c := range p.Conditions() {
		if ok, err := c.Pred.Eval(pt); err != nil || !ok {
			return false
		}
	}
	return true
}

// SameType says how two types differ for any sizes: "" where they need not.
func SameType(x, y *semantics.Type) string {
	switch {
	case x.Tuple || y.Tuple:
		if x.Tuple != y.Tuple || len(x.Items) != len(y.Items) {
			return fmt.Sprintf("%s and %s", x.Text, y.Text)
		}
		for i := range x.Items {
			if how := SameType(x.Items[i], y.Items[i]); how != "" {
				return how
			}
		}
	case len(x.Dims) != len(y.Dims) || x.Elem != y.Elem:
		return fmt.Sprintf("%s and %s", x.Text, y.Text)
	}
	return ""
}
