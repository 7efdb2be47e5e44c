package equiv

import (
	"tv/semantics"
	"tv/semantics/domain"
)

// Environment unites the declarations of programs that are compared, BEFORE first, and those from outside. Where
// nothing is declared anywhere, the tensors are inferred from BEFORE alone. Errors: those of domain.Merge and
// of a language's Infer.
func Environment(programs []semantics.Source, outside []Declaration) (*domain.Env, error) {
	read := map[string]bool{}
	declared := false
	all := make([]domain.Declarations, len(programs))
	for i, p := range programs {
		all[i] = p.Declarations()
		declared = declared || len(all[i].Inputs) > 0
		for _, name := range p.Reads() {
			read[name] = true
		}
	}
	var kept []domain.Input
	for _, d := range outside {
		declared = true
		if !d.Weak || read[d.Name] {
			kept = append(kept, d.Input)
		}
	}
	env, err := domain.Merge(all, kept...)
	if err != nil || declared {
		return env, err
	}
	return programs[0].Infer()
}
