package accuracy

import (
	"math"
	"math/rand/v2"
	"slices"

	"tv/ila"
)

// grid is the unit of numbers that are drawn: sums of products of them are exact in float64.
const grid = 1 << 20

// maxCodes bounds the bits of an element all of whose codes are listed.
const maxCodes = 16

// A drawing draws operands.
type drawing struct {
	t    *ila.Task
	op   Operator
	p    Plan
	near [][]float64 // by input: numbers that have codes, in the range, in order
}

func newDrawing(t *ila.Task, op Operator, p Plan) *drawing {
	d := &drawing{t: t, op: op, p: p}
	for i, x := range t.Inputs {
		var list []float64
		for code := range uint64(1) << min(x.Width, maxCodes) {
			if v := op.Decode[i](code); v >= p.Lo && v <= p.Hi {
				list = append(list, v)
			}
		}
		if p.AsGiven {
			list = append(list, d.inside(p.Lo), d.inside(p.Hi))
		}
		slices.Sort(list)
		list = slices.Compact(list)
		if len(list) == 0 { // no number of the range has a code
			list = []float64{d.inside(p.Lo)}
		}
		d.near = append(d.near, list)
	}
	return d
}

// inside returns a number of the grid next to x, in the range if the range has one there.
func (d *drawing) inside(x float64) float64 {
	down, up := math.Floor(x*grid)/grid, math.Ceil(x*grid)/grid
	if down >= d.p.Lo && down <= d.p.Hi {
		return down
	}
	if up >= d.p.Lo && up <= d.p.Hi {
		return up
	}
	return x
}

// uniform tells whether sample n is uniform.
func (d *drawing) uniform(n int) bool { return d.p.Uniform || n%2 == 0 }

// draw returns operands as codes, and the numbers that the ideal result is of.
func (d *drawing) draw(n int, r *rand.Rand) (codes [][]uint64, numbers [][]float64) {
	kind := r.IntN(8)
	shared := make([]int, 64) // signs that go together in all operands, so that products have one
	for i := range shared {
		shared[i] = r.IntN(2)
	}
	for i, x := range d.t.Inputs {
		list := d.near[i]
		j := r.IntN(len(list))
		level := list[j]
		if r.IntN(2) == 0 {
			level = d.halfway(list, j, r)
		}
		alike, kind := r.IntN(2), kind
		if r.IntN(2) == 0 {
			kind = r.IntN(8)
		}
		code, number := make([]uint64, x.Size()), make([]float64, x.Size())
		for at := range code {
			v := 0.0
			switch {
			case d.uniform(n):
				v = d.inside(d.p.Lo + r.Float64()*(d.p.Hi-d.p.Lo))
			case kind == 0: // one end, or its neighbours
				v = d.end(list, alike, r.IntN(3))
			case kind == 1: // ends, alternating
				v = d.end(list, (at+alike)%2, 0)
			case kind == 2: // products of one sign
				v = d.end(list, shared[at%len(shared)], r.IntN(4)/2)
			case kind == 3: // one number everywhere, but for few
				if v = level; r.IntN(16) == 0 {
					v = list[r.IntN(len(list))]
				}
			case kind == 4:
				v = list[r.IntN(len(list))]
			case kind == 5: // one number everywhere
				v = level
			case kind == 6: // halfway between neighbours, or next to it
				v = d.halfway(list, r.IntN(len(list)), r)
			default: // one end, but for few
				if v = d.end(list, alike, 0); r.IntN(8) == 0 {
					v = list[r.IntN(len(list))]
				}
			}
			code[at] = d.op.Encode[i](v)
			if number[at] = v; !d.p.AsGiven {
				number[at] = d.op.Decode[i](code[at])
			}
		}
		codes, numbers = append(codes, code), append(numbers, number)
	}
	return codes, numbers
}

// halfway returns a number halfway between neighbours, or next to it.
func (d *drawing) halfway(list []float64, j int, r *rand.Rand) float64 {
	return d.inside((list[j]+list[max(j-1, 0)])/2 + float64(r.IntN(3)-1)/grid)
}

// decoded returns the numbers that codes stand for.
func (d *drawing) decoded(codes [][]uint64) [][]float64 {
	out := make([][]float64, len(codes))
	for i, list := range codes {
		for _, c := range list {
			out[i] = append(out[i], d.op.Decode[i](c))
		}
	}
	return out
}

// end returns the first or last number, or one so far from it.
func (d *drawing) end(list []float64, which, far int) float64 {
	far = min(far, len(list)-1)
	if which == 1 {
		return list[len(list)-1-far]
	}
	return list[far]
}
