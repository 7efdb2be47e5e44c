package algebra

import (
	"slices"

	"tv/semantics/domain"
)

// Bind returns what AFTER is typed under where its names are its own: the tensors that they stand
// for and no others, and its sizes in BEFORE's. Whatever stands for whatever, that is the
// statement; but a tensor has to have, in AFTER's text, the extents of what it stands for, or as
// many elements in other axes, in row-major order. Both become conditions of AFTER.
func (q *Question) Bind(names map[string]string, sizes map[string]domain.Size,
	after domain.Declarations) *domain.Env {
	q.names, q.InRows = names, map[string]bool{}
	env := &domain.Env{Tensors: map[string]domain.Tensor{}, Mins: q.Env.Mins, Names: names,
		Sizes: sizes}
	for name, other := range names {
		t, ok := q.Env.Tensors[other]
		if !ok {
			Fail(CodeStatement, "%q stands for no tensor", name)
		}
		env.Tensors[other] = t
	}
	for _, in := range after.Inputs {
		other, ok := names[in.Name]
		if !ok {
			continue
		}
		t := env.Tensors[other]
		if t.Elem != in.Elem {
			Fail(CodeStatement, "%q is of another type than what it stands for", in.Name)
		}
		if dims := under(env, in); otherDims(dims, t.Dims) {
			same := domain.Eq(places(dims), places(t.Dims))
			q.extents = append(q.extents, Condition{same, "as many elements: " + same.String()})
			q.InRows[other] = true
			env.Tensors[other] = domain.Tensor{Name: t.Name, Elem: t.Elem, Dims: dims}
			continue
		}
		for i, d := range in.Dims {
			same := domain.Eq(env.Size(d.Size), t.Dims[i])
			q.extents = append(q.extents, Condition{same, "extents agree: " + same.String()})
		}
	}
	return env
}

// Memory says whether arrays of a program are their contents in row-major order.
type Memory interface{ InMemory() bool }

// rowMajor reports whether one of both programs is about memory: otherwise a tensor has its axes.
func (q *Question) rowMajor() bool {
	return slices.ContainsFunc(q.Programs[:], func(p Program) bool {
		m, ok := p.(Memory)
		return ok && m.InMemory()
	})
}

// Shapes refuses other shapes where neither program is about memory.
func (q *Question) Shapes() {
	if len(q.InRows) > 0 && !q.rowMajor() {
		Fail(CodeStatement, "a tensor stands for one of another shape")
	}
}

// under are the dims of a declaration of AFTER.
func under(env *domain.Env, in *domain.Input) (dims []domain.Size) {
	for _, d := range in.Dims {
		dims = append(dims, env.Size(d.Size))
	}
	return dims
}

// otherDims reports whether two tensors are the same in row-major order alone, if they have as many
// elements: as they have other axes, or as many in a product of them and not in each.
func otherDims(x, y []domain.Size) bool {
	return len(x) != len(y) ||
		!slices.EqualFunc(x, y, domain.Size.Equal) && places(x).Equal(places(y))
}

// places is how many there are in a tensor.
func places(dims []domain.Size) domain.Size {
	n := domain.IntSize(1)
	for _, d := range dims {
		n = n.Mul(d)
	}
	return n
}
