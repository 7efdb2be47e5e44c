package languages

import (
	"fmt"
	"strings"

	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/cnest"
)

// A Supplement is what somebody says of texts beside them. What is of texts in C is in C, and so in certificates and
// counterexamples as a part of the text.
type Supplement struct {
	Results   string // of procedures: the parameters that are, with commas; empty: all that are written
	Strict    bool   // signed overflow of data is undefined in C
	Alias     bool   // parameters may overlap
	Contracts string // in C: functions that texts in C call and do not have
}

// To is a text of a language with what is said of it. The error is a *source.Error: there is no language but C of which
// parameters may overlap.
func (s Supplement) To(l *semantics.Language, f *source.File) (*source.File, error) {
	if s.Results != "" && l.Functions {
		f.Results = s.Results
	}
	if l == MLIR && s.Alias {
		return nil, &source.Error{Name: f.Name, Code: "unsupported-op",
			Msg: fmt.Sprintf("whether memrefs of %s overlap is not asked: --alias may is of texts in C alone", f.Name)}
	}
	more := ""
	if s.Strict {
		more += cnest.OverflowLine + "\n"
	}
	if s.Alias {
		more += cnest.AliasLine + "\n"
	}
	if s.Contracts != "" {
		more += cnest.ContractsLine + "\n" + s.Contracts
	}
	if more == "" || l != C {
		return f, nil
	}
	out := source.NewFile(f.Name, strings.TrimSuffix(f.Text, "\n")+"\n"+more)
	out.Above, out.Function, out.Results = f.Above, f.Function, f.Results
	return out, nil
}
