package cli

import (
	"slices"
	"strings"

	"tv/ci"
	"tv/equiv"
	"tv/equiv/machine"
	"tv/equiv/prove"
	"tv/equiv/trace"
	"tv/glenside"
	"tv/ila"
	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/bits/languages"
	"tv/semantics/bits/netlist"
	language "tv/semantics/glenside"
	"tv/semantics/value"
)

// shown is what pages show of a question beside its answer.
type shown struct {
	texts    [2]*source.File
	programs [2]semantics.Program
	trace    *trace.Trace
	scene    *machine.Scene
	elements *[2]prove.Description // of both programs, where they are proved and not large
	netlist  *netlist.Netlist      // of AFTER
}

// wants tells whether a report in a format is to be written.
func (r *reportFlags) wants(format string) bool {
	return r.format.value == format ||
		slices.ContainsFunc(r.reports, func(report string) bool { return strings.HasPrefix(report, format+"=") })
}

// show types the programs of a question again, and traces what refutes it. What cannot be had is not shown: it is no error, as
// the answer stands without it.
func show(asked equiv.Question, opts equiv.Options, r *equiv.Result) *shown {
	s := &shown{texts: [2]*source.File{asked.Before.File(), asked.After.File()}}
	before, after, err := equiv.Programs(asked, opts.Tensors...)
	if err != nil {
		return s
	}
	c := r.Counterexample
	if c != nil && c.Overlap != nil {
		if x, y, ok := equiv.Overlapping(before, after, *c.Overlap); ok {
			before, after = x, y
		}
	}
	s.programs = [2]semantics.Program{before, after}
	if c != nil && r.Reason == "values" {
		if t, err := trace.Of(before, after, value.Arith(r.Arith), c); err == nil {
			s.trace = t
		}
	}
	return s
}

// shown is what pages show of a question about circuits.
func (c *circuitAnswer) shown() *shown {
	s := &shown{texts: [2]*source.File{c.before.file, c.after.file}}
	s.netlist = languages.Cells(c.after.program)
	return s
}

// How long programs and their elements are that are written out, and what work that may be: nobody reads what is longer.
const (
	mostDescribed = 200    // expressions of a program
	mostWritten   = 60     // operators of an element
	describeSteps = 20_000 // of the normal form
)

// describe finds out what the elements of both programs are.
func (s *shown) describe(asked equiv.Question, opts equiv.Options) {
	for _, p := range s.programs {
		if p == nil || len(p.Parts()) > mostDescribed {
			return
		}
	}
	opts.Steps = describeSteps
	both, err := equiv.DescribePair(asked, opts, mostWritten)
	if err == nil && both[0].Cases == 1 { // of others only the first is known
		s.elements = &both
	}
}

// showListing is show for a listing, which is compared with a program of Glenside.
func showListing(before *glenside.Program, listing *source.File, task *ila.Task, r *equiv.Result) *shown {
	s := &shown{texts: [2]*source.File{before.File, listing}}
	if c := r.Counterexample; c != nil {
		if scene, err := machine.SceneOf(before, task, c, r.Blame); err == nil {
			s.scene = scene
		}
	}
	return s
}

// showCase is show for the case of a rule that tells, whose sides are programs of Glenside.
func showCase(before, after *source.File, r *equiv.Result) *shown {
	var asked equiv.Question
	var err error
	if asked.Before, err = language.Language.Parse(before); err == nil {
		asked.After, err = language.Language.Parse(after)
	}
	if err != nil {
		return &shown{texts: [2]*source.File{before, after}}
	}
	return show(asked, equiv.Options{}, r)
}

// steps are those of the answer, as far as they are known.
func (s *shown) steps(r *equiv.Result) []string {
	if s.trace != nil {
		return ci.RefutationSteps(s.trace)
	}
	return ci.ProofSteps(r, s.programs, s.elements)
}
