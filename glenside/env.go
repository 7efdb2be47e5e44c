package glenside

// MergeEnv stub replaced below.
func MergeEnv(programs []*Program, outside ...Input) (*Env, error) {
	env := &Env{Tensors: map[string]Tensor{}, Mins: map[string]int64{}}
	for _, p := range programs {
		for _, in := range p.Inputs {
			t := Tensor{Name: in.Name, Elem: in.Elem}
			for _, d := range in.Dims {
				t.Dims = append(t.Dims, d.Size)
				if n := d.Size.Name(); n != "" {
					env.Mins[n] = d.Min
				}
			}
			env.Tensors[in.Name] = t
		}
	}
	return env, nil
}
