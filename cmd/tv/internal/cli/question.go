package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"tv/semantics"
	"tv/semantics/domain"
	language "tv/semantics/glenside"

	"github.com/spf13/cobra"

	"tv/equiv"
	"tv/equiv/rules"
	"tv/glenside"
	"tv/hwmodels/vta"
	"tv/ila"
	"tv/internal/casefile"
	"tv/internal/files"
	"tv/internal/languages"
	"tv/internal/source"
)

// codeKind is the code of a file whose kind is not known, or not the one that is wanted.
const codeKind = "file-kind"

// The kinds of input files, as --lang names them; each is the extension of its files too.
const (
	langProgram = "sexp"
	langLitmus  = "txtar"
	langRules   = "rules"
	langListing = "vta"
)

// A question is a pair to compare, not read yet.
type question struct {
	name          string // in the report; see ci.Item
	step          int    // of a chain, from 1; else 0
	before, after string // what the report calls the programs
	want          equiv.Verdict
	wantWhereBoth *equiv.Verdict // of a rule
	replay        []string       // the command that asks it again
	place         source.Span    // of a rule
	load          func() (*pair, error)

	rule     func(ctx context.Context) (rules.Result, error)   // of a rule: asks it; load is nil then
	circuit  func(ctx context.Context) (*circuitAnswer, error) // of circuits: likewise
	refuting *circuitAnswer                                    // of a rule over bit-vectors: the instance that refutes it
	warnings []string                                          // about the cache
	trivial  bool                                              // of a rule: its sides are one text
	taken    *takenOver                                        // of a rule: what an earlier report says
}

// A pair is what a question is about.
type pair struct {
	before, after semantics.Source
	bind          []equiv.Binding
	exact         bool      // what is proved of real numbers has to hold bit for bit
	machine       *ila.Task // instead of after: the program of a listing
	listing       *source.File
	opts          equiv.Options

	implementation string // of the machine
	sequential     bool   // its instructions one after the other
}

// listed makes a listing the program after.
func (p *pair) listed(f *source.File, c vta.Config) (err error) {
	p.listing, p.implementation = f, c.Name
	p.machine, err = vta.ParseListing(f, c)
	return err
}

// questions returns what the arguments ask.
func (a *app) questions(cmd *cobra.Command, flags *checkFlags, args []string) ([]*question, error) {
	if hasCircuits {
		if circuits, err := circuitArgs(args, flags.lang.value); err != nil {
			return nil, err
		} else if circuits {
			return a.circuitQuestions(cmd, flags, args)
		}
	}
	if !hasTensors {
		return nil, usageError("these are no texts about circuits")
	}
	var kinds []string
	for i, name := range args {
		kind, err := fileKind(name, langOf(flags.lang.value, i, i == len(args)-1))
		if err != nil {
			return nil, err
		}
		kinds = append(kinds, kind)
	}
	stdins := 0
	for _, name := range append([]string{flags.shapes}, args...) {
		if name == files.Stdin {
			stdins++
		}
	}
	switch {
	case stdins > 1:
		return nil, usageError("standard input can be read once")
	case slices.Contains(kinds, langProgram) && slices.Contains(kinds, langLitmus):
		return nil, usageError("programs and litmus files do not go together: ask about one kind at a time")
	case cmd.Flags().Changed(implementationFlag) && kinds[len(kinds)-1] == langProgram:
		return nil, usageError("--%s is of the machine of a listing, and no program is one", implementationFlag)
	case cmd.Flags().Changed(sequentialFlag) && kinds[len(kinds)-1] == langProgram:
		return nil, usageError("--%s is of the machine of a listing, and no program is one", sequentialFlag)
	case kinds[0] == langLitmus:
		return a.litmusQuestions(cmd, flags, args)
	case slices.Contains(kinds[:len(kinds)-1], langListing):
		return nil, usageError("a listing is the last program: what it computes is compared with a program before it")
	case len(args) == 1:
		return nil, usageError("check wants two programs, BEFORE and AFTER; there is only %s", args[0])
	}
	return a.chain(cmd, flags, args)
}

// fileKind returns the kind of a file, of which --lang says lang.
func fileKind(name, lang string) (string, error) {
	ext := extensionOf(name)
	switch {
	case lang == langListing || lang == "" && ext == "."+langListing:
		return langListing, nil
	case lang == langLitmus || lang == "" && ext == "."+langLitmus:
		return langLitmus, nil
	case lang != "" || languages.ByExtension(ext) != nil:
		return langProgram, nil
	}
	if name == files.Stdin {
		return langProgram, nil
	}
	if info, err := os.Stat(name); err != nil || info.IsDir() { // then its kind is the lesser problem
		_, err := files.ReadBytes(name, nil)
		return "", err
	}
	return "", &source.Error{Name: name, Code: codeKind,
		Msg: fmt.Sprintf("its name does not tell what it is: %s is a program, .txtar a litmus file, --lang says it",
			programExtensions())}
}

// litmusQuestions returns one question a file.
func (a *app) litmusQuestions(cmd *cobra.Command, flags *checkFlags, args []string) ([]*question, error) {
	// Mistakes in the flags are those of the run, not of each file.
	common, err := flags.options(a.reader())
	if err != nil {
		return nil, err
	}
	var list []*question
	for _, name := range args {
		q := &question{name: name, before: name + "/before.sexp", after: name + "/after.sexp", want: equiv.Proved,
			replay: slices.Concat([]string{"tv", "check"}, replayArgs(cmd.Flags()), []string{name})}
		f, err := files.Read(name, a.stdin)
		var l *casefile.Litmus
		if err == nil {
			l, err = casefile.ReadLitmus(f)
		}
		if err != nil {
			q.load = func() (*pair, error) { return nil, err }
		} else {
			q.want, q.before, q.after = l.Want, name+"/before"+l.Extensions[0], name+"/after"+l.Extensions[1]
			q.load = func() (*pair, error) { return loadLitmus(flags.questionFlags, common.Tensors, l) }
		}
		list = append(list, q)
	}
	return list, nil
}

// loadLitmus parses the programs of a litmus file and adds its flags to those of the command line, whose
// declarations are read already.
func loadLitmus(flags *questionFlags, common []equiv.Declaration, l *casefile.Litmus) (*pair, error) {
	p := &pair{}
	own := *flags
	own.shapes, own.inputs = "", nil
	with, err := own.withLitmusArgs(l)
	if err != nil {
		return nil, err
	}
	if p.opts, err = with.options(section(l)); err != nil {
		return nil, err
	}
	more, err := with.supplement(section(l))
	if err != nil {
		return nil, err
	}
	p.opts.Tensors, p.exact = slices.Concat(common, p.opts.Tensors), with.exact
	if p.bind, err = bindings(with.bind); err != nil {
		return nil, err
	}
	if l.Extensions[1] != "."+langListing {
		if p.before, p.after, err = sourcesOf([]*source.File{l.Before, l.After}, l.Extensions, with.function, more); err == nil {
			p.before, err = assumed(p.before, with.assume)
		}
		return p, err
	}
	if l.Extensions[0] == "."+langListing {
		return nil, source.Errorf(source.Span{File: l.Before}, casefile.CodeLitmus, "a listing is the program after")
	}
	if p.before, _, err = sourcesOf([]*source.File{l.Before, l.Before}, [2]string{l.Extensions[0], l.Extensions[0]}, "", more); err != nil {
		return nil, err
	}
	p.sequential = with.sequential
	return p, p.listed(l.After, implementationOf(with.implementation))
}

// section finds the files that flags of a litmus file name: they are sections of it.
func section(l *casefile.Litmus) func(string) (*source.File, error) {
	return func(name string) (*source.File, error) {
		if f, ok := l.Section(name); ok {
			return f, nil
		}
		return nil, source.Errorf(l.ArgsSpan, casefile.CodeLitmus, "args: there is no section -- %s --", name)
	}
}

// A chained program is one of P0 P1 ... Pn.
type chained struct {
	prog    semantics.Source
	listing *source.File // instead of prog
	errs    source.Errors
}

// listingFlags refuses flags that a listing has no meaning for: what a machine computes is bit for bit, and its
// memory has no access patterns.
func listingFlags(cmd *cobra.Command) error {
	switch f := cmd.Flags(); {
	case f.Changed("arith") && f.Lookup("arith").Value.String() == equiv.Real.String():
		return usageError("a listing is compared with --arith exact or auto")
	case f.Changed("equal") && f.Lookup("equal").Value.String() != equiv.Tensor.String():
		return usageError("a listing is compared with --equal tensor")
	}
	return nil
}

// chain returns one question a step. Each program is read once.
func (a *app) chain(cmd *cobra.Command, flags *checkFlags, args []string) ([]*question, error) {
	opts, err := flags.options(a.reader())
	if err != nil {
		return nil, err
	}
	bind, err := bindings(flags.bind)
	if err != nil {
		return nil, err
	}
	more, err := flags.supplement(a.reader())
	if err != nil {
		return nil, err
	}
	programs := make([]chained, len(args))
	for i, name := range args {
		f, err := files.Read(name, a.stdin)
		lang := langOf(flags.lang.value, i, i == len(args)-1)
		kind, _ := fileKind(name, lang) // the caller knows that it has one
		switch {
		case err != nil:
		case kind == langListing:
			programs[i].listing = f
			err = listingFlags(cmd)
		default:
			l := languageOf(name, lang)
			if f, err = more.To(l, f); err == nil {
				programs[i].prog, err = parse(l, f, functionOf(flags.function, i))
			}
		}
		programs[i].errs = source.AsErrors(err)
		if j := slices.Index(args, name); j < i && err != nil {
			programs[i].errs = programs[j].errs // what is wrong with a file is said once
		}
	}
	if err := programsRead(opts.Tensors, programs); err != nil {
		return nil, err
	}
	for i, p := range programs {
		if slices.Index(args, args[i]) == i && len(p.errs) == 0 {
			a.notes(p.prog, nil)
		}
	}
	if flags.function != "" && !slices.ContainsFunc(programs, func(c chained) bool {
		return len(c.errs) > 0 || c.prog != nil && c.prog.Language().Functions
	}) {
		return nil, usageError("--function: no text here is in a language whose texts have several functions")
	}
	given := replayArgs(cmd.Flags())
	var list []*question
	for i := range args[1:] {
		q := &question{before: args[i], after: args[i+1], want: equiv.Proved}
		if len(args) > 2 {
			q.step, q.name = i+1, fmt.Sprintf("step %d of %d", i+1, len(args)-1)
		}
		before, inherits := inherit(programs[0].prog, programs[i].prog)
		steps := args[i : i+2]
		if inherits {
			steps = args
		}
		q.replay = slices.Concat([]string{"tv", "check"}, given, steps)
		q.load = func() (*pair, error) {
			// What is wrong with P0 is said once, by the first step.
			if errs := slices.Concat(programs[0].errs, programs[i].errs, programs[i+1].errs); len(errs) > 0 {
				return nil, errs
			}
			before, err := assumed(before, flags.assume)
			if err != nil {
				return nil, err
			}
			p := &pair{before: before, after: programs[i+1].prog, bind: bind, opts: opts, exact: flags.exact}
			if f := programs[i+1].listing; f != nil {
				p.sequential = flags.sequential
				return p, p.listed(f, implementationOf(flags.implementation))
			}
			return p, nil
		}
		list = append(list, q)
	}
	return list, nil
}

// programsRead is readInputs for a chain; where a program could not be parsed, that is what there is to say.
func programsRead(list []equiv.Declaration, chain []chained) error {
	var programs []semantics.Source
	for _, c := range chain {
		if len(c.errs) > 0 {
			return nil
		}
		if c.prog != nil {
			programs = append(programs, c.prog)
		}
	}
	return readInputs(list, programs...)
}

// sourcesOf reads two programs in the languages of their extensions, of which --function says function,
// with more behind them: see languages.Supplement.
func sourcesOf(files []*source.File, extensions [2]string, function string, more languages.Supplement) (
	b, a semantics.Source, err error,
) {
	var out []semantics.Source
	var errs source.Errors
	for i, f := range files {
		l := languages.ByExtension(extensions[i])
		if l == nil {
			return nil, nil, &source.Error{Name: f.Name, Code: codeKind, Msg: fmt.Sprintf(
				"the section %s%s is no program: those are %s", [...]string{"before", "after"}[i], extensions[i], programExtensions())}
		}
		f, err := more.To(l, f)
		var s semantics.Source
		if err == nil {
			s, err = parse(l, f, functionOf(function, i))
		}
		out, errs = append(out, s), append(errs, source.AsErrors(err)...)
	}
	if len(errs) > 0 {
		return nil, nil, errs
	}
	return out[0], out[1], nil
}

// glensideOf returns a program that is one of Glenside.
func glensideOf(s semantics.Source) (*glenside.Program, bool) {
	if g, ok := s.(*language.Source); ok && g != nil {
		return g.Program, true
	}
	return nil, false
}

// assumed is a program as a BEFORE under what --assume says.
func assumed(before semantics.Source, conditions []string) (semantics.Source, error) {
	var list []*domain.Assume
	for _, text := range conditions {
		f := source.NewFile("--assume", text)
		p, err := glenside.ParsePred(f)
		if err != nil {
			return nil, err
		}
		list = append(list, &domain.Assume{Pred: p, Span: source.Span{File: f, End: len(text)}})
	}
	of, ok := before.(semantics.Assumer)
	switch {
	case len(list) == 0:
		return before, nil
	case !ok:
		return nil, usageError("--assume: programs in %s are not restricted", before.Language().Name)
	}
	return of.Assuming(list), nil
}

// bindings reads the values of --bind.
func bindings(values []string) (out []equiv.Binding, err error) {
	for _, v := range values {
		for _, pair := range strings.Split(v, ",") {
			before, after, ok := strings.Cut(pair, "=")
			if !ok || before == "" || after == "" {
				return nil, usageError("--bind takes BEFORE=AFTER, two names, not %q", pair)
			}
			out = append(out, equiv.Binding{Before: before, After: after})
		}
	}
	return out, nil
}

// inherit returns a later program of a chain as a BEFORE: what the first program declares and assumes
// holds for the whole chain.
func inherit(from, to semantics.Source) (program semantics.Source, inherits bool) {
	first, ok := glensideOf(from)
	p, both := glensideOf(to)
	if !ok || !both || first == p {
		return to, false
	}
	with := *p
	declared := map[string]bool{}
	for _, in := range p.Inputs {
		declared[in.Name] = true
	}
	for _, in := range first.Inputs {
		if !declared[in.Name] {
			with.Inputs = append(slices.Clip(with.Inputs), in)
			inherits = true
		}
	}
	if len(first.Assumes) > 0 {
		with.Assumes = slices.Concat(first.Assumes, p.Assumes)
		inherits = true
	}
	return language.Of(&with), inherits
}
