package equiv

import (
	"tv/glenside"
)

// environment unites the declarations of both programs and those from outside.
func environment(before, after *glenside.Program, opts Options) (*glenside.Env, error) {
	read := map[string]bool{}
	for _, p := range []*glenside.Program{before, after} {
		for _, n := range p.Nodes {
			if n.Kind == glenside.KindSymbol {
				read[n.Text] = true
			}
		}
	}
	var outside []glenside.Input
	for _, d := range opts.Tensors {
		if !d.Weak || read[d.Name] {
			outside = append(outside, d.Input)
		}
	}
	return glenside.MergeEnv([]*glenside.Program{before, after}, outside...)
}
