package equiv

import (
	"tv/glenside"
	"tv/semantics/domain"
)

// Environment unites the declarations of programs that are compared, BEFORE first, and those from outside. Where
// nothing is declared anywhere, the tensors are inferred from BEFORE alone. Errors: those of glenside.MergeEnv and
// glenside.Infer.
func Environment(programs []*glenside.Program, outside []Declaration) (*domain.Env, error) {
	read := map[string]bool{}
	declared := false
	for _, p := range programs {
		declared = declared || len(p.Inputs) > 0
		for _, n := range p.Nodes {
			if n.Kind == glenside.KindSymbol {
				read[n.Text] = true
			}
		}
	}
	var kept []domain.Input
	for _, d := range outside {
		declared = true
		if !d.Weak || read[d.Name] {
			kept = append(kept, d.Input)
		}
	}
	env, err := glenside.MergeEnv(programs, kept...)
	if err != nil || declared {
		return env, err
	}
	return glenside.Infer(programs[0])
}
