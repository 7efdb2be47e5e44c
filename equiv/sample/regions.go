package sample

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"tv/semantics"
)

// Limits of the search for the part of the output that differs.
const (
	regionLines    = 2_000   // indices of all axes together
	regionAll      = 400     // elements of outputs that are looked at as a whole
	regionElements = 160     // of larger ones, to hold a guess against
	regionReads    = 400_000 // elements read by both sides
	regionPieces   = 4       // ranges of one axis that are worth a line
)

// A differing tells at which elements of a component the programs differ on random inputs.
type differing struct {
	s      *Sampler
	path   []int
	sides  [][2]semantics.Evaluator // one pair for each draw of inputs
	inputs []*randomInputs
}

func (r *differing) at(index []int64) bool {
	for _, side := range r.sides {
		if o, _, _, _ := r.s.at(side[0], side[1], r.path, index); o == differ {
			return true
		}
	}
	return false
}

// spent reports whether more was read than the answer is worth.
func (r *differing) spent() bool {
	reads := 0
	for _, in := range r.inputs {
		reads += in.reads
	}
	return reads*r.s.weight > regionReads
}

// Regions describes the part of the output in which the programs differ on random inputs, where it is a box ("rows 0 and
// 55, columns 3 to 5") or all but a box ("rows 0 and 55", "columns 0 and 55"): from the lines through an element that
// differs, or through one that does not, and held against other elements. It is empty where the part has another form,
// is the whole output, or was not looked at for its size.
func (s *Sampler) Regions(ctx context.Context, d *Difference) []string {
	r := &differing{s: s, path: d.Path}
	for _, m := range []mode{positive, wide} {
		inX := s.inputs(s.seed+uint64(m), m)
		inY := inX.fork() // each side counts what it reads, as the two may run at once
		x, errX := s.before.Evaluate(s.arith, d.Point, inX, nil)
		y, errY := s.after.Evaluate(s.arith, d.Point, inY, nil)
		if errX != nil || errY != nil {
			return nil
		}
		r.sides, r.inputs = append(r.sides, [2]semantics.Evaluator{x, y}), append(r.inputs, inX, inY)
	}
	dims := r.sides[0][0].Dims(d.Path)
	lines, total := int64(0), int64(1)
	for _, n := range dims {
		lines += n
		total = min(total, regionAll+1) * min(n, regionAll+1)
	}
	if lines > regionLines || !r.at(d.Index) {
		return nil
	}
	list := Pick(dims, nil, regionElements, s.seed, nil)
	if total <= regionAll {
		list = Pick(dims, nil, regionAll, s.seed, nil)
	}
	rng := rand.New(rand.NewPCG(s.seed, 0x626f78))
	for range regionElements / 4 { // neighbours of the difference
		index := slices.Clone(d.Index)
		for k, n := range dims {
			if rng.IntN(2) == 0 {
				index[k] = max(0, min(n-1, index[k]+rng.Int64N(5)-2))
			}
		}
		list = append(list, index)
	}
	differs := make([]bool, len(list))
	var equal []int64
	for i, index := range list {
		if ctx.Err() != nil || r.spent() {
			return nil
		}
		if differs[i] = r.at(index); !differs[i] && equal == nil {
			equal = index
		}
	}
	if equal == nil {
		return nil
	}
	for _, guess := range []struct {
		from []int64
		all  bool
	}{{d.Index, true}, {equal, false}} {
		sets := r.lines(dims, guess.from)
		if sets == nil {
			return nil
		}
		right := true
		for i, index := range list {
			in := guess.all
			for k := range dims {
				if sets[k][index[k]] != guess.all {
					in = !guess.all
				}
			}
			right = right && in == differs[i]
		}
		if right {
			return describeSets(dims, sets, guess.all)
		}
	}
	return nil
}

// lines returns, for each axis, the indices at which the line through an element differs; nil if that is too much to
// read.
func (r *differing) lines(dims, through []int64) [][]bool {
	sets := make([][]bool, len(dims))
	for k, n := range dims {
		sets[k] = make([]bool, n)
		index := slices.Clone(through)
		for i := range n {
			if r.spent() {
				return nil
			}
			index[k] = i
			sets[k][i] = r.at(index)
		}
	}
	return sets
}

// describeSets names the product of the sets, or the union of the parts of the output that each set cuts out.
func describeSets(dims []int64, sets [][]bool, all bool) []string {
	var parts []string
	for k := range dims {
		if slices.Contains(sets[k], !all) && slices.Contains(sets[k], true) {
			text := describeSet(axisName(k, len(dims)), sets[k])
			if text == "" {
				return nil
			}
			parts = append(parts, text)
		}
	}
	if all && len(parts) > 0 {
		return []string{strings.Join(parts, ", ")}
	}
	return parts
}

func axisName(k, rank int) string {
	switch {
	case rank == 1:
		return "element"
	case k == rank-2:
		return "row"
	case k == rank-1:
		return "column"
	}
	return fmt.Sprintf("axis %d at", k)
}

// describeSet names the members of a set: "rows 0, 3 to 5 and 9"; empty where it has too many pieces.
func describeSet(name string, set []bool) string {
	var pieces []string
	count := 0
	for i := 0; i < len(set); i++ {
		if !set[i] {
			continue
		}
		j := i
		for j+1 < len(set) && set[j+1] {
			j++
		}
		count += j - i + 1
		switch {
		case j == i:
			pieces = append(pieces, fmt.Sprint(i))
		case j == i+1:
			pieces = append(pieces, fmt.Sprint(i), fmt.Sprint(j))
		default:
			pieces = append(pieces, fmt.Sprintf("%d to %d", i, j))
		}
		i = j
	}
	if len(pieces) > regionPieces {
		return ""
	}
	if count > 1 && !strings.HasPrefix(name, "axis") {
		name += "s"
	}
	if n := len(pieces); n > 1 {
		return name + " " + strings.Join(pieces[:n-1], ", ") + " and " + pieces[n-1]
	}
	return name + " " + pieces[0]
}
