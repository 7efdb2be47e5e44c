package procedures

import (
	"fmt"
	"slices"

	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
)

// An Index takes the values Lo <= i < Hi, none where there are none. Lo and Hi are sizes of the text; a Lo that is
// not set is 0.
type Index struct {
	Name   string
	Lo, Hi domain.Size
	Span   source.Span
}

// A Subscript is Rest, a size of the text, + the sum of Factor·Index, each index once.
type Subscript struct {
	Rest  domain.Size
	Terms []Product
	Span  source.Span
}

// A Product is one of a number and an index.
type Product struct {
	Factor int64
	Index  *Index
}

// maxFactor bounds the numbers that indices are multiplied by.
const maxFactor = 1 << 31

// Affine takes a polynomial over indices and sizes apart. Where it is none that is affine in the indices with numbers
// as factors, it returns an index that shows it. Span is left to the caller.
func Affine(x domain.Size, indices []*Index) (s Subscript, wrong *Index) {
	s.Rest = x
	for _, i := range indices {
		at := func(v int64) domain.Size { return x.Subst(map[string]domain.Size{i.Name: domain.IntSize(v)}) }
		factor, ok := at(1).Sub(at(0)).Int64()
		if !ok || max(factor, -factor) > maxFactor {
			return s, i
		}
		if factor != 0 {
			s.Terms = append(s.Terms, Product{factor, i})
			s.Rest = s.Rest.Sub(domain.NamedSize(i.Name).Mul(domain.IntSize(factor)))
		}
	}
	for _, i := range indices {
		if slices.Contains(s.Rest.Names(), i.Name) { // a power of it
			return s, i
		}
	}
	return s, nil
}

// An Access is a subscript for an axis of a tensor in a part. Over are the indices around it: where the range of one is
// empty there is no access, whether the subscript has it or not. All sizes are those of the text.
type Access struct {
	Part   int
	Tensor *Parameter
	Axis   int
	At     Subscript
	Over   []*Index
}

// Within requires an access to be within its tensor. A subscript is affine: where no range is empty it is least where each
// index is at the end that the sign of its factor tells, and greatest at the other ends. So a condition for all
// indices is one on sizes alone; it is stated in the sizes of the question.
func (t *Typed) Within(a Access) {
	least, most := t.Size(a.At.Rest), t.Size(a.At.Rest)
	for _, p := range a.At.Terms {
		f := domain.IntSize(p.Factor)
		first, last := f.Mul(t.Size(p.Index.Lo)), f.Mul(t.Size(p.Index.Hi).Sub(domain.IntSize(1)))
		if p.Factor < 0 {
			first, last = last, first
		}
		least, most = least.Add(first), most.Add(last)
	}
	var empty []*domain.Pred
	for _, i := range a.Over {
		empty = append(empty, domain.Le(t.Size(i.Hi), t.Size(i.Lo)))
	}
	dim := t.Size(a.Tensor.Dims[a.Axis])
	for _, p := range []*domain.Pred{domain.Le(domain.IntSize(0), least), domain.Lt(most, dim)} {
		if p.Decide(&domain.Facts{Mins: t.Env.Mins}) != domain.Always {
			t.Require(a.Part, domain.Or(append(slices.Clone(empty), p)...), "index-out-of-bounds",
				"axis %d of %s (%s) is accessed from %s to %s",
				a.Axis, a.Tensor.Name, dim.Formula(), least.Formula(), most.Formula())
		}
	}
}

// Require adds a condition on sizes, unless it always holds or is there already.
func (t *Typed) Require(part int, p *domain.Pred, code, format string, args ...any) {
	t.Owe(semantics.Condition{Pred: p, Part: part, Code: code, Msg: fmt.Sprintf(format, args...)})
}

// Owe adds a condition as Require does.
func (t *Typed) Owe(c semantics.Condition) {
	again := func(d semantics.Condition) bool { return d.Code == c.Code && d.Pred.String() == c.Pred.String() }
	if !slices.ContainsFunc(t.conditions, again) && c.Pred.Decide(&domain.Facts{Mins: t.Env.Mins}) != domain.Always {
		t.conditions = append(t.conditions, c)
	}
}
