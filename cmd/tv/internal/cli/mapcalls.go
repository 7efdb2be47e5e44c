package cli

import (
	"context"
	"slices"

	"tv/equiv"
	"tv/internal/files"
	"tv/internal/languages"
	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/cnest"
	"tv/semantics/loops"
	"tv/semantics/loops/calls"
	"tv/semantics/tc"
)

// loopTargets are the targets of programs in languages of loops: libraries whose calls stand for parts of a text.
var loopTargets = []string{"cimblas"}

// procedureReaders are how texts are read that loop targets take, by the name of their language.
var procedureReaders = map[string]func(*source.File, string) (*loops.Procedure, error){"c": cnest.Parse, "tc": tc.Parse}

// isLoopTarget tells whether the flags name a target of loops, which has to be the only one.
func (f *mapFlags) isLoopTarget() (bool, error) {
	if !slices.ContainsFunc(f.targets, func(t string) bool { return slices.Contains(loopTargets, t) }) {
		return false, nil
	}
	switch {
	case len(f.targets) > 1:
		return false, usageError("--target %s stands alone: its programs are in C or TC", loopTargets[0])
	case len(f.rules) > 0 || f.explain != "" || f.pad || f.ideal || f.split || f.join:
		return false, usageError("--target %s is mapped onto without rules: it takes --arith, --timeout, --output and --format", loopTargets[0])
	}
	return true, nil
}

// mapProcedure maps one program in a language of loops.
func (a *app) mapProcedure(ctx context.Context, args []string, f *mapFlags) error {
	if len(args) != 1 {
		return usageError("tv map takes one program")
	}
	if err := notInputs(args, []string{f.out, f.page}); err != nil {
		return err
	}
	file, err := files.Read(args[0], a.stdin)
	if err != nil {
		return err
	}
	report, err := mapCalls(ctx, file, f)
	if err != nil {
		return err
	}
	return a.deliverMap(f, file, report)
}

// mapCalls finds calls of a library in a text of loops, and has the text with them compared with the text as it is: nothing else
// vouches for it. Where loops that were taken apart cannot be proved it tries them as they are, and then the text as it is.
func mapCalls(ctx context.Context, file *source.File, f *mapFlags) (*mapReport, error) {
	l := languageOf(file.Name, "")
	read := procedureReaders[l.Name]
	if read == nil {
		return nil, &source.Error{Name: file.Name, Code: codeMapTarget, Msg: "--target " + loopTargets[0] + " takes programs in C (.c) and in Tensor Comprehensions (.tc)"}
	}
	before, err := l.Parse(file)
	if err != nil {
		return nil, err
	}
	p, err := read(file, file.Function)
	if err != nil {
		return nil, err
	}
	n := calls.Statements(p)
	report := &mapReport{Schema: schemaMap, Program: file.Name, Targets: f.targets, Verdict: equiv.Proved.String(),
		Calls: map[string]int{loopTargets[0]: 0}, Host: mapCount{n, n}, Stopped: "saturated",
		Cost:  mapCost{Model: "calls", Before: []uint64{uint64(n), 0}, After: []uint64{uint64(n), 0}},
		Rules: []mapRule{}, Exact: []string{}, Notes: []string{}, Check: mapCheck{Verdict: equiv.Proved.String()}, mapped: file.Text}
	for _, distribute := range []bool{true, false} {
		found, err := calls.Replace(p, calls.Options{Distribute: distribute})
		if err != nil {
			report.note("nothing mapped: the procedure %s", err)
			return report, nil
		}
		if len(found.Sites) == 0 {
			break
		}
		answer, err := checkCalls(ctx, before, found.Text, f)
		if err != nil {
			return nil, err
		}
		if answer.Verdict != equiv.Proved {
			report.note("with %d calls the check says %s", len(found.Sites), answer.Verdict)
			continue
		}
		report.Calls[loopTargets[0]], report.mapped = len(found.Sites), found.Text
		report.Host.After = found.Statements
		report.Cost.After = []uint64{uint64(found.Statements), uint64(len(found.Sites))}
		report.Exact = arithmeticLines(&answer)
		return report, nil
	}
	report.note("nothing mapped")
	return report, nil
}

// checkCalls compares a text with the one that has calls.
func checkCalls(ctx context.Context, before semantics.Source, text string, f *mapFlags) (equiv.Result, error) {
	after, err := languages.C.Parse(source.NewFile("mapped.c", text))
	if err != nil {
		return equiv.Result{}, err
	}
	return equiv.Check(ctx, equiv.Question{Before: before, After: after}, equiv.Options{Timeout: f.timeout, Arith: arithOf(f.arith)})
}

// arithmeticLines say in which arithmetic a verdict holds, one line for an element type.
func arithmeticLines(r *equiv.Result) (out []string) {
	for _, t := range r.Types {
		text := t.Type.String() + " in real numbers"
		if t.Bits {
			text = t.Type.String() + " bit for bit"
		}
		out = append(out, text)
	}
	return out
}
