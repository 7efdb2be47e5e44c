package algebra

import "tv/semantics/domain"

// Bind returns what AFTER is typed under where its names are its own: the tensors that they stand
// for and no others, and its sizes in BEFORE's. Whatever stands for whatever, that is the
// statement; but a tensor has to have, in AFTER's text, the extents of what it stands for, or where
// it has more or fewer axes as many elements in row-major order. Both become conditions of AFTER.
func (q *Question) Bind(names map[string]string, sizes map[string]domain.Size,
	after domain.Declarations) *domain.Env {
	q.names = names
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
		if len(t.Dims) != len(in.Dims) {
			env.Tensors[other] = q.inRows(t, in, env)
			continue
		}
		for i, d := range in.Dims {
			same := domain.Eq(env.Size(d.Size), t.Dims[i])
			q.extents = append(q.extents, Condition{same, "extents agree: " + same.String()})
		}
	}
	return env
}

// inRows is a tensor with the dims of AFTER's text, in which it has another rank. All that is known
// of an element is its place in row-major order, in which both have as many.
func (q *Question) inRows(t domain.Tensor, in *domain.Input, env *domain.Env) domain.Tensor {
	out := domain.Tensor{Name: t.Name, Elem: t.Elem}
	for _, d := range in.Dims {
		out.Dims = append(out.Dims, env.Size(d.Size))
	}
	same := domain.Eq(places(out.Dims), places(t.Dims))
	q.extents = append(q.extents, Condition{same, "as many elements: " + same.String()})
	return out
}

// places is how many there are in a tensor.
func places(dims []domain.Size) domain.Size {
	n := domain.IntSize(1)
	for _, d := range dims {
		n = n.Mul(d)
	}
	return n
}
