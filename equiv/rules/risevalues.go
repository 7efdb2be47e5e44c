package rules

import (
	"errors"
	"math/rand/v2"
	"slices"

	"tv/equiv"
	"tv/equiv/sample"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/index"
	"tv/semantics/rise/syntax"
	"tv/semantics/value"
)

// Inputs of an instance of a rule: an element type of which nothing is known has the values 0 to 3, a free function is a
// table of these, and the table of one with laws has them.

// mostInputs bounds the elements of the inputs of an instance.
const mostInputs = 4000

// draw are inputs at a point, nil where there are too many. The first ones are small.
func (s *riseSides) draw(pt domain.Point, number int) value.Tensors {
	rng := rand.New(rand.NewPCG(s.seed, uint64(number)))
	most := int64(syntax.Values)
	if number == 0 {
		most = 2
	}
	in, total := value.Tensors{}, int64(0)
	for _, p := range s.programs {
		for _, t := range p.Inputs() {
			n := sample.Product(sample.DimsAt(t.Dims, pt))
			if total += n; total > mostInputs {
				return nil
			}
			a := value.Of(value.Arith(s.arith), t.Elem)
			values := make([]value.Value, n)
			for i := range values {
				values[i] = a.Integer(rng.Int64N(most))
			}
			in[t.Name] = values
		}
	}
	for _, f := range s.rule.Functions {
		if f.Is == "" && (f.Assoc || f.Comm || f.Unit != nil) {
			s.lawful(f, in, rng)
		}
	}
	return in
}

// A magma is an operation on 0 to 3.
type magma [syntax.Values][syntax.Values]int64

// associative are operations that are associative: all others that are drawn are these with other names for the values.
var associative = []func(x, y int64) int64{
	func(x, y int64) int64 { return (x + y) % 4 }, func(x, y int64) int64 { return x ^ y }, func(x, y int64) int64 { return max(x, y) },
	func(x, y int64) int64 { return x * y % 4 }, func(x, y int64) int64 { return x & y }, func(x, _ int64) int64 { return x },
	func(_, y int64) int64 { return y },
	func(x, y int64) int64 { // 0 is the unit of what keeps the first of the others
		if x == 0 {
			return y
		}
		return x
	},
	func(x, y int64) int64 {
		if y == 0 {
			return x
		}
		return y
	},
}

// lawful draws a table with the laws of a function, and its unit.
func (s *riseSides) lawful(f *syntax.Function, in value.Tensors, rng *rand.Rand) {
	for {
		var m magma
		names := rng.Perm(syntax.Values)
		op := associative[rng.IntN(len(associative))]
		for x := range int64(syntax.Values) {
			for y := range int64(syntax.Values) {
				m[names[x]][names[y]] = int64(names[op(x, y)])
			}
		}
		unit := int64(rng.IntN(syntax.Values))
		if !f.Assoc {
			m.free(f, unit, rng)
		}
		if !m.has(f, unit) {
			continue
		}
		a := value.Of(value.Arith(s.arith), f.Result.Elem)
		for x, row := range m {
			for y, z := range row {
				in[f.Name][x*syntax.Values+y] = a.Integer(z)
			}
		}
		if f.Unit != nil {
			if e := in[f.Unit.Name]; len(e) > 0 {
				e[0] = a.Integer(unit)
			}
		}
		return
	}
}

// free draws an operation that may have a unit and be commutative, and is likely nothing else.
func (m *magma) free(f *syntax.Function, unit int64, rng *rand.Rand) {
	for x := range m {
		for y := range m {
			m[x][y] = rng.Int64N(syntax.Values)
			if f.Comm && y < x {
				m[x][y] = m[y][x]
			}
		}
	}
	if f.Unit != nil {
		for x := range m {
			m[x][unit], m[unit][x] = int64(x), int64(x)
		}
	}
}

// has tells whether the laws of a function hold that is not associative by nature.
func (m *magma) has(f *syntax.Function, unit int64) bool {
	for x := range m {
		if f.Unit != nil && (m[x][unit] != int64(x) || m[unit][x] != int64(x)) {
			return false
		}
		for y := range m {
			if f.Comm && m[x][y] != m[y][x] {
				return false
			}
		}
	}
	return true
}

// differs finds an element at which the sides differ on inputs.
func (s *riseSides) differs(pt domain.Point, in value.Inputs) *sample.Difference {
	var sides [2]semantics.Evaluator
	for i, p := range s.programs {
		var err error
		if sides[i], err = p.Evaluate(value.Arith(s.arith), pt, in, nil); err != nil {
			return nil
		}
	}
	for _, c := range s.programs[0].Result().Components() {
		dims := sides[0].Dims(c.Path)
		if !slices.Equal(dims, sides[1].Dims(c.Path)) || slices.Contains(dims, 0) {
			continue
		}
		at := make([]int64, len(dims))
		for range moreElems {
			x, err := sides[0].Element(c.Path, at)
			if err == nil {
				y, err := sides[1].Element(c.Path, at)
				if errors.Is(err, value.ErrUndefined) || err == nil && value.Compare(x, y) == value.Different {
					d := &sample.Difference{Point: pt, Inputs: in, Path: c.Path, Index: at}
					if err != nil {
						d.Bad = err
					}
					return d
				}
			}
			if !index.Next(at, dims) {
				break
			}
		}
	}
	return nil
}

// shown refutes with inputs that are made small.
func (s *riseSides) shown(pt domain.Point, in value.Tensors) *equiv.Result {
	s.smaller(pt, in)
	d := s.differs(pt, in)
	c, ok := sample.New(s.programs[0], s.programs[1], value.Arith(s.arith), s.seed).Counterexample(d)
	if !ok {
		return nil
	}
	r := &equiv.Result{Verdict: equiv.Refuted, Reason: "values", Engine: "sample", Counterexample: c}
	if d.Bad != nil {
		r.Reason, r.Detail = "undefined", "AFTER is "+d.Bad.Error()
	}
	return r
}

// smaller makes elements of inputs as small as they may be, one after the other; tables with laws stay.
func (s *riseSides) smaller(pt domain.Point, in value.Tensors) {
	runs := 0
	for _, t := range s.programs[0].Inputs() {
		if slices.ContainsFunc(s.rule.Functions, func(f *syntax.Function) bool {
			return f.Name == t.Name && (f.Assoc || f.Comm || f.Unit != nil) || f.Unit != nil && f.Unit.Name == t.Name
		}) {
			continue
		}
		a := value.Of(value.Arith(s.arith), t.Elem)
		for i, was := range in[t.Name] {
			for n := range int64(syntax.Values) {
				less := a.Integer(n)
				if value.Compare(less, was) == value.Same || runs >= shrinkRuns {
					break
				}
				runs++
				if in[t.Name][i] = less; s.differs(pt, in) != nil {
					break
				}
				in[t.Name][i] = was
			}
		}
	}
}
