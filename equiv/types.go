package equiv

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"tv/equiv/sample"
	"tv/equiv/sizes"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/value"
)

// types is the type engine: it answers where the results differ in kind. It returns nil where they do not.
func (q *question) types() *Result { return q.sameType(q.before.Result(), q.after.Result(), nil) }

// SameType reports whether the results of two programs without named sizes are of the same kind.
func SameType(before, after semantics.Program, equal Equality) bool {
	q := &question{opts: Options{Equal: equal}, pair: pair{before: before, after: after}, small: []domain.Point{{}}}
	return q.types() == nil
}

func (q *question) sameType(x, y *semantics.Type, path []int) *Result {
	where := ""
	if len(path) > 0 {
		where = fmt.Sprintf("component %v: ", path)
	}
	points := slices.Concat(q.small, q.points)
	refute := func(points []domain.Point, reason, format string, args ...any) *Result {
		r := q.refuted("type", reason, where+fmt.Sprintf(format, args...))
		if len(points) > 0 { // for rules there may be none
			r.Counterexample = q.bare(points[0])
			r.Counterexample.Path = path
		}
		r.Form, r.Failed = true, q.owing("type")
		if r.Failed != "" {
			r.Detail = r.Failed + ": " + r.Detail
		}
		return &r
	}
	if x.Tuple || y.Tuple {
		if x.Tuple != y.Tuple || len(x.Items) != len(y.Items) {
			return refute(points, "shape", "BEFORE is %s, AFTER is %s", x.Text, y.Text)
		}
		for i := range x.Items {
			if r := q.sameType(x.Items[i], y.Items[i], append(path[:len(path):len(path)], i)); r != nil {
				return r
			}
		}
		return nil
	}
	if len(x.Dims) != len(y.Dims) {
		return refute(points, "shape", "BEFORE is %s, AFTER is %s", x.Text, y.Text)
	}
	if x.Elem != y.Elem {
		return refute(points, "type", "BEFORE is of %s, AFTER of %s", x.Elem, y.Elem)
	}
	if q.opts.Equal == Access && x.Split != y.Split {
		return refute(points, "split", "BEFORE is %s, AFTER is %s", x.Text, y.Text)
	}
	for at, pt := range points {
		for i := range x.Dims {
			m, errM := x.Dims[i].Eval(pt)
			n, errN := y.Dims[i].Eval(pt)
			if errM == nil && errN == nil && m.Cmp(n) != 0 {
				place := ""
				if len(pt) > 0 {
					place = " at " + sizes.FormatPoint(pt)
				}
				return refute(points[at:], "shape", "axis %d has %s elements in BEFORE and %s in AFTER%s", i, m, n, place)
			}
		}
	}
	return nil
}

// undefined refutes: the condition of AFTER does not hold at the point, which is called there. It returns nil where BEFORE's call
// ended on all contents that were tried: they are no part of its domain.
func (q *question) undefined(engine string, pt domain.Point, c semantics.Condition) *Result {
	example := q.called(pt)
	if example == nil {
		return nil
	}
	detail, span, text := "AFTER is undefined", q.after.At(c.Part), q.after.Text(c.Part)
	if detail += at(pt) + ": "; c.Owed != "" && c.At.File != nil {
		detail += c.At.Position().String() + ": " + c.Owed + ": "
		span, text = c.At, c.At.Text()
	}
	what, owed := detail+c.Msg, cmp.Or(c.Owed, "type")
	if c.Owed != "" {
		if run := q.breach(pt); run != nil && run.Breached() == c.Owed && run.Place().Position() == c.At.Position() {
			what = fmt.Sprintf("AFTER is undefined%s: %v", at(pt), run)
		}
	}
	r := q.refuted(engine, "undefined", what)
	r.Counterexample = example
	r.Form, r.Failed = true, q.owing(owed)
	r.Blame = []sample.Blame{{Side: "after", Span: span, Text: text}}
	return &r
}

// mostShown bounds the elements of a counterexample that stands for sizes alone.
const mostShown = 1 << 20

// called is a counterexample of sizes, with contents that BEFORE's call does not end on: by a division, a shift or a read of what
// was not written. It is nil where it ended on all that were tried. What takes too long to tell counts as none.
func (q *question) called(pt domain.Point) *sample.Counterexample {
	c := q.bare(pt)
	e, ok := q.before.(semantics.Ender)
	if !ok || q.elements(pt) > mostShown {
		return c
	}
	for _, in := range sample.Plainly(q.opts.Arith, q.before, q.after) {
		if err := e.Ends(q.opts.Arith, pt, in); !errors.Is(err, value.ErrUndefined) {
			c.Show(in)
			return c
		}
	}
	return nil
}

// at says at which point something is, where sizes have names.
func at(pt domain.Point) string {
	if len(pt) == 0 {
		return ""
	}
	return " at " + sizes.FormatPoint(pt)
}

// breach is what AFTER's call ends at, run on zeros at a point, where one is found: the access and its iteration, say.
func (q *question) breach(pt domain.Point) semantics.Breach {
	var b semantics.Breach
	if e, ok := q.after.(semantics.Ender); ok {
		errors.As(e.Ends(q.opts.Arith, pt, sample.Zeros(q.opts.Arith, q.before, q.after)), &b)
	}
	return b
}

// owing is the name of an obligation, if AFTER is known to have such.
func (q *question) owing(name string) string {
	if len(q.blank.Owed[1]) == 0 {
		return ""
	}
	return name
}

// bare is a counterexample by its sizes alone.
func (q *question) bare(pt domain.Point) *sample.Counterexample {
	return sample.Bare(pt, q.before, q.after, q.opts.SampleSeed())
}

// SampleSeed is the seed of the sample engine.
func (o *Options) SampleSeed() uint64 { return o.Seed + 1 }
