package languages

import (
	"fmt"
	"strings"

	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/cnest"
	"tv/semantics/mlir"
)

// A Supplement is what somebody says of texts beside them. What is of texts in C is in C, and so in certificates and
// counterexamples as a part of the text.
type Supplement struct {
	Results   string // of procedures: the parameters that are, with commas; empty: all that are written
	Strict    bool   // signed overflow of data is undefined in C
	Alias     bool   // parameters may overlap, also in MLIR
	Contracts string // in C: functions that texts in C call and do not have
}

// To is a text of a language with what is said of it. The error is a *source.Error: of programs of RISE in MLIR nobody says whether
// their parameters overlap.
func (s Supplement) To(l *semantics.Language, f *source.File) (*source.File, error) {
	if s.Results != "" && l.Functions {
		f.Results = s.Results
	}
	if l == MLIR && s.Alias {
		if strings.Contains(f.Text, "rise.") {
			return nil, &source.Error{Name: f.Name, Code: "unsupported-op",
				Msg: fmt.Sprintf("whether memrefs of %s overlap is not asked: it is a program of RISE", f.Name)}
		}
		return extended(f, mlir.AliasLine+"\n"), nil
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
	return extended(f, more), nil
}

// extended is a text with lines behind it.
func extended(f *source.File, lines string) *source.File {
	out := source.NewFile(f.Name, strings.TrimSuffix(f.Text, "\n")+"\n"+lines)
	out.Above, out.Function, out.Results = f.Above, f.Function, f.Results
	return out
}
