package algebra

import "tv/semantics/domain"

// Bind returns what AFTER is typed under where its names are its own: the tensors that they stand
// for and no others, and its sizes in BEFORE's. Whatever stands for whatever, that is the
// statement; but a tensor has to have, in AFTER's text, the extents of what it stands for, which
// become conditions of AFTER.
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
		if t.Elem != in.Elem || len(t.Dims) != len(in.Dims) {
			Fail(CodeStatement, "%q is of another type than what it stands for", in.Name)
		}
		for i, d := range in.Dims {
			same := domain.Eq(env.Size(d.Size), t.Dims[i])
			q.extents = append(q.extents, Condition{same, "extents agree: " + same.String()})
		}
	}
	return env
}
