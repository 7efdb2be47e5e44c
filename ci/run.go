package ci

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"tv/equiv"
	"tv/equiv/bits"
	"tv/equiv/bits/repair"
	"tv/equiv/bits/synth"
	"tv/equiv/machine"
	"tv/equiv/rules"
	"tv/equiv/trace"
	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/bits/netlist"
)

// Schema is the JSON schema of the reports that JSON writes.
//
//go:embed schema/report.schema.json
var Schema string

// A Run is what a report says.
type Run struct {
	Version string   // of tv
	Args    []string // the question as arguments of tv; nothing that only concerns the run or its report
	Items   []Item   // in the order asked
	Errors  source.Errors
	Exit    int  // exit status
	Timing  bool // say how long it took
	Chain   bool // the items are the steps of a chain
	Rules   bool // the items are rules
	Expect  bool // the items' Want counts

	Shard *Shard // the part of the questions that this run has; nil: all

	Campaign *Campaign // of tv fuzz, whose findings the items are; nil: questions

	Baseline map[string]bool          // fingerprints of refutations that are known; nil: no baseline
	Meaning  func(code string) string // what an error code means, in one line; may be nil
}

// A Shard is a part of the questions of a command: those whose number, counted from 0, is Index modulo Of.
type Shard struct {
	Index     int `json:"index"`
	Of        int `json:"of"`
	Questions int `json:"questions"` // of the whole command
}

// opening is the first line of a report of a part of a run, or of a campaign; empty: neither.
func (r *Run) opening() string {
	switch s := r.Shard; {
	case r.Campaign != nil:
		return r.Campaign.Opening
	case s != nil:
		return fmt.Sprintf("shard %d/%d: %d of %d questions", s.Index, s.Of, len(r.Items), s.Questions)
	}
	return ""
}

// An Item is one question of a run.
type Item struct {
	Kind   string // of question, as in the report; empty: check
	Name   string // "step 1 of 2", the name of a litmus file; empty for the only question
	Result equiv.Result
	Errors source.Errors // why the question could not be asked; Result says nothing then
	Open   bool          // stopped before there was an answer; Result has the names only
	Want   equiv.Verdict // what --expect compares with

	WantWhereBoth *equiv.Verdict // of a rule: likewise the second verdict; nil: any
	Replay        string         // the command that brings a counterexample back
	Place         source.Span    // where the question stands: the expression of AFTER, the rule
	Step          bool           // of a chain

	Certificate       string // the file that the certificate of a proof was written to
	CertificateSHA256 string // of that file

	WhereBothCertificate       string // the file that the certificate of a second verdict was written to
	WhereBothCertificateSHA256 string

	ConverseCertificate       string // the file that the certificate of the converse of a rule was written to
	ConverseCertificateSHA256 string

	Rule    *rules.Result   // where the question is about a rule: Result is its
	Resumed json.RawMessage // the result as an earlier report has it, taken over

	ResumedPrint string // the fingerprint that Resumed has

	Circuit *bits.Counterexample // where the question is about circuits: what refutes
	Repair  *repair.Repair       // and the change that mends the netlist, if one does
	Netlist *netlist.Netlist     // for pages: the second text, if that is a netlist; else nil
	Synth   *synth.Result        // of tv synth: how the netlist was found, or why none

	Finding *Finding // of a campaign; its result says what is refuted
	Text    string   // what the text report says in place of the lines of a result

	// For pages, which show programs and what they compute; nil: they show neither.
	Texts    [2]*source.File      // of BEFORE and AFTER
	Programs [2]semantics.Program // typed
	Trace    *trace.Trace         // of the counterexample
	Scene    *machine.Scene       // of a listing: what the machine did on it
}

// answered tells whether the item has a result.
func (it *Item) answered() bool { return len(it.Errors) == 0 && !it.Open }

// counted tells whether the item counts: a rule whose sides are one text says nothing.
func (it *Item) counted() bool { return it.answered() && (it.Rule == nil || !it.Rule.Trivial) }

// AsWanted tells whether the item came out as --expect wants it.
func (it *Item) AsWanted() bool {
	return it.answered() && it.Result.Verdict == it.Want &&
		(it.WantWhereBoth == nil || it.Rule != nil && it.Rule.SecondVerdict() == *it.WantWhereBoth)
}

// wanted says what --expect compares with.
func (it *Item) wanted() string {
	if it.WantWhereBoth == nil {
		return it.Want.String()
	}
	return fmt.Sprintf("%s, and %s where both sides are well formed", it.Want, it.WantWhereBoth)
}

// AllErrors returns the errors of the run and of its items, in order, each once: the steps of a chain
// share programs.
func (r *Run) AllErrors() source.Errors {
	var all source.Errors
	seen := map[*source.Error]bool{}
	add := func(list source.Errors) {
		for _, e := range list {
			if !seen[e] {
				seen[e] = true
				all = append(all, e)
			}
		}
	}
	add(r.Errors)
	for i := range r.Items {
		add(r.Items[i].Errors)
	}
	return all
}

// Summary counts the answers.
type Summary struct {
	Proved  int `json:"proved"`
	Refuted int `json:"refuted"`
	Unknown int `json:"unknown"`
}

func (r *Run) summary() Summary {
	var s Summary
	for i := range r.Items {
		if !r.Items[i].counted() {
			continue
		}
		switch r.Items[i].Result.Verdict {
		case equiv.Proved:
			s.Proved++
		case equiv.Refuted:
			s.Refuted++
		default:
			s.Unknown++
		}
	}
	return s
}
