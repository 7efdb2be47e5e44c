package trace

import (
	"math"
	"slices"

	"tv/equiv/sample"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/value"
)

// What is shown of a tensor: so many cells, panels, and rows and columns of each; of one that is sampled a window in full.
const (
	maxCells  = 600
	minCells  = 40
	maxPanels = 4
	maxLines  = 32
	window    = 12
)

// A Field is a tensor as far as it is shown.
type Field struct {
	Name   string
	Dims   []int64
	Elem   domain.Elem
	Panels []Panel
	Marked map[int64]bool // row-major offsets of elements that the differing one rests on
}

// A Panel is a rectangle of elements: of the last two axes, at one index of those before. A tensor of one axis has one row.
type Panel struct {
	Leading    []int64
	Rows, Cols []int64 // indices that are shown
	Sampled    bool    // each cell stands for the elements up to the next one
	Window     bool    // a part of the panel before, in full
	Values     [2][]value.Value
	Known      [2][]bool            // by cell: it was computed
	Writes     [2][]semantics.Write // by cell, of procedures: what wrote it last; nil: nothing is known of that
}

// newField lays out a tensor in about so many cells, so that focus is among what is shown; nil: no element matters more than others.
func newField(name string, dims, focus []int64, cells int) Field {
	f := Field{Name: name, Dims: dims}
	rank := len(dims)
	if sample.Product(dims) == 0 {
		return f
	}
	if len(focus) != rank {
		focus = make([]int64, rank)
	}
	matrix := max(rank-2, 0)
	most := min(max(int64(math.Sqrt(float64(cells))), 5), maxLines)
	left := cells
	for _, leading := range leadings(dims[:matrix], focus[:matrix]) {
		focused := slices.Equal(leading, focus[:matrix])
		p := Panel{Leading: leading, Rows: []int64{0}, Cols: []int64{0}}
		var all [2]bool
		all[0], all[1] = true, true
		if rank > 0 {
			p.Cols, all[1] = lines(dims[rank-1], focus[rank-1], most)
		}
		if rank > 1 {
			p.Rows, all[0] = lines(dims[rank-2], focus[rank-2], most)
		}
		p.Sampled = !all[0] || !all[1]
		if left -= len(p.Rows) * len(p.Cols); left < 0 && !focused {
			continue
		}
		f.Panels = append(f.Panels, p)
		if p.Sampled && focused {
			near := min(most, window)
			w := Panel{Leading: leading, Rows: []int64{0}, Cols: around(dims[rank-1], focus[rank-1], near), Window: true}
			if rank > 1 {
				w.Rows = around(dims[rank-2], focus[rank-2], near)
			}
			f.Panels = append(f.Panels, w)
		}
	}
	return f
}

// leadings are indices of the axes before the last two: that of the focus, and the first others.
func leadings(dims, focus []int64) (out [][]int64) {
	out = [][]int64{focus}
	for at := range min(sample.Product(dims), maxPanels) {
		if index := sample.Unravel(at, dims); len(out) < maxPanels && !slices.Equal(index, focus) {
			out = append(out, index)
		}
	}
	slices.SortFunc(out, slices.Compare[[]int64])
	return out
}

// lines are the indices of an axis that are shown, the focus among them; all of few.
func lines(n, focus, most int64) (out []int64, all bool) {
	if n <= most {
		for i := range n {
			out = append(out, i)
		}
		return out, true
	}
	for i := range most {
		from, to := i*n/most, (i+1)*n/most
		if from <= focus && focus < to {
			from = focus
		}
		out = append(out, from)
	}
	return out, false
}

// around are the indices near the focus.
func around(n, focus, most int64) (out []int64) {
	from := min(max(focus-most/2, 0), max(n-most, 0))
	for i := from; i < min(from+most, n); i++ {
		out = append(out, i)
	}
	return out
}

// Index is that of a cell.
func (p *Panel) Index(rank, row, col int) []int64 {
	index := slices.Clone(p.Leading)
	if rank > 1 {
		index = append(index, p.Rows[row])
	}
	if rank > 0 {
		index = append(index, p.Cols[col])
	}
	return index
}

// fill computes the elements of a side; get fails where there would be too much work.
func (f *Field) fill(side int, get func(index []int64) (value.Value, bool)) {
	for i := range f.Panels {
		p := &f.Panels[i]
		for row := range p.Rows {
			for col := range p.Cols {
				v, ok := get(p.Index(len(f.Dims), row, col))
				p.Values[side] = append(p.Values[side], v)
				p.Known[side] = append(p.Known[side], ok)
			}
		}
	}
}

// written hands out what wrote the cells of a side, in the order of fill; where not all are known, to none.
func (f *Field) written(side int, writes []semantics.Write) {
	n := 0
	for i := range f.Panels {
		n += len(f.Panels[i].Values[side])
	}
	if n != len(writes) {
		return
	}
	for i := range f.Panels {
		n := len(f.Panels[i].Values[side])
		f.Panels[i].Writes[side], writes = writes[:n], writes[n:]
	}
}

// Offset returns the row-major offset of an element.
func Offset(dims, index []int64) (at int64) {
	for i, n := range dims {
		at = at*n + index[i]
	}
	return at
}
