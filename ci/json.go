package ci

import (
	"encoding/json"
	"io"
	"slices"
	"time"

	"tv/equiv"
	"tv/equiv/rules"
	"tv/equiv/sample"
	"tv/internal/casefile"
	"tv/internal/source"
)

const schemaName = "tv.report/v1"

// The types below are those of the schema, in the order of its fields.

type report struct {
	Schema  string        `json:"schema"`
	Tool    tool          `json:"tool"`
	Args    []string      `json:"args"`
	Exit    int           `json:"exit"`
	Results []any         `json:"results"` // of results, or as an earlier report has them
	Summary Summary       `json:"summary"`
	Errors  []reportError `json:"errors"`
	Known   *[]string     `json:"known,omitempty"` // with a baseline: fingerprints of the results that it has

	Shard    *Shard    `json:"shard,omitempty"`    // of check and certify
	Campaign *Campaign `json:"campaign,omitempty"` // of tv fuzz
}

type tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

type result struct {
	Kind           string            `json:"kind"`
	Name           string            `json:"name"`
	Before         string            `json:"before"`
	After          string            `json:"after"`
	SHA256         string            `json:"sha256"`
	Verdict        string            `json:"verdict"`
	Reason         string            `json:"reason"`
	Detail         string            `json:"detail,omitempty"`
	Failed         string            `json:"failed,omitempty"`      // of a refutation: the obligation that AFTER does not meet
	Fingerprint    string            `json:"fingerprint,omitempty"` // of what is not proved
	Engine         string            `json:"engine"`
	Arith          string            `json:"arith"`
	Arithmetics    map[string]string `json:"arithmetics"` // real or exact, by element type
	Equal          string            `json:"equal"`
	Domain         []string          `json:"domain"`
	Bound          string            `json:"bound,omitempty"` // who of AFTER is who of BEFORE, where names differ
	Disjoint       string            `json:"disjoint,omitempty"`
	Obligations    *obligations      `json:"obligations,omitempty"`
	Scope          *scope            `json:"scope"`
	Where          []string          `json:"where,omitempty"`
	Exact          []exact           `json:"exact"`
	RestsOn        []contract        `json:"rests_on"`
	Idealised      []string          `json:"idealised"`
	Trusts         []string          `json:"trusts"`
	Certificate    *certificate      `json:"certificate"`
	Counterexample any               `json:"counterexample"` // *counterexample or *circuit
	Blame          []blame           `json:"blame"`
	Regions        []string          `json:"regions,omitempty"`
	Explanation    []string          `json:"explanation,omitempty"` // with --explain, and of machines
	Instance       string            `json:"instance,omitempty"`    // of a rule: the smallest admitted
	Cases          int               `json:"cases,omitempty"`       // of a rule: programs compared
	Trivial        bool              `json:"trivial,omitempty"`     // of a rule: both sides are one text
	Case           []string          `json:"case,omitempty"`        // of a refuted rule: what groups, axes and lists are
	Left           string            `json:"left,omitempty"`        // of a refuted rule: its sides in that case, as programs
	Right          string            `json:"right,omitempty"`
	WhereBoth      *whereBoth        `json:"where_well_formed,omitempty"` // of a refuted rule: its second verdict
	Way            string            `json:"way,omitempty"`               // of a proved rule whose converse was asked: two-way or one-way
	Converse       *whereBoth        `json:"converse,omitempty"`          // what was answered then
	Mend           *mend             `json:"mend,omitempty"`
	Finding        *Finding          `json:"finding,omitempty"` // of a campaign
	Synth          *found            `json:"synth,omitempty"`   // of tv synth
	Counts         counts            `json:"counts"`
	Timing         *timing           `json:"timing,omitempty"`
}

// counts tell the work of a result in units that do not depend on the machine.
type counts struct {
	Nodes    int `json:"nodes"`
	Terms    int `json:"terms"`
	Queries  int `json:"queries"`
	Contexts int `json:"contexts"`
	Samples  int `json:"samples"`
}

// A scope says for which ranks and sizes a proof holds.
type scope struct {
	Ranks struct {
		All bool `json:"all"`
		Max *int `json:"max,omitempty"`
	} `json:"ranks"`
	Sizes struct {
		All bool   `json:"all"`
		Min *int64 `json:"min,omitempty"`
		Max *int64 `json:"max,omitempty"`
	} `json:"sizes"`
}

type exact struct {
	Type    string          `json:"type"`
	Verdict string          `json:"verdict"`
	Reason  string          `json:"reason"`
	Witness *counterexample `json:"witness"`
}

type contract struct {
	Contract string `json:"contract"`
	Verdict  string `json:"verdict"`
}

type certificate struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

type counterexample struct {
	Sizes     map[string]int64           `json:"sizes,omitempty"`
	Inputs    map[string]casefile.Tensor `json:"inputs"`
	Component []int                      `json:"component,omitempty"`
	Element   []int64                    `json:"element"`
	Before    string                     `json:"before"`
	After     string                     `json:"after"`

	WroteBefore string `json:"wrote_before,omitempty"`
	WroteAfter  string `json:"wrote_after,omitempty"`
	Schedule    string `json:"schedule,omitempty"`

	Overlap *overlap `json:"overlap,omitempty"`
}

// overlap puts two parameters into one memory.
type overlap struct {
	Of       string `json:"of"`
	Behind   string `json:"behind"`
	Distance int64  `json:"distance"`
}

type blame struct {
	Side    string   `json:"side"`
	File    string   `json:"file"`
	Line    int      `json:"line"`
	Col     int      `json:"col"`
	Text    string   `json:"text"`
	Path    []string `json:"path,omitempty"`
	Instead *instead `json:"instead,omitempty"`
}

// instead is a token with which the programs agree on all that was tried.
type instead struct {
	Line int    `json:"line"`
	Col  int    `json:"col"`
	Of   string `json:"of"`
	Text string `json:"text"`
}

// mend is a guard under which a refuted rule is right.
type mend struct {
	Guard    string `json:"guard"`
	Exact    bool   `json:"exact"`
	Shapes   int    `json:"shapes"`
	Right    int    `json:"right"`
	Excluded int    `json:"excluded"`
}

// whereBoth says whether a refuted rule is right wherever both sides are well formed and have one type.
type whereBoth struct {
	SHA256         string          `json:"sha256"`
	Verdict        string          `json:"verdict"`
	Reason         string          `json:"reason"`
	Detail         string          `json:"detail,omitempty"`
	Engine         string          `json:"engine"`
	Domain         []string        `json:"domain"`
	Scope          *scope          `json:"scope"`
	Trusts         []string        `json:"trusts"`
	Certificate    *certificate    `json:"certificate"`
	Counterexample *counterexample `json:"counterexample"`
	Cases          int             `json:"cases"`
	Case           []string        `json:"case,omitempty"`
	Left           string          `json:"left,omitempty"`
	Right          string          `json:"right,omitempty"`
}

type timing struct {
	TotalMS float64  `json:"total_ms"`
	GuardMS *float64 `json:"guard_ms,omitempty"` // of a refuted rule, beside that

	WellFormedMS *float64 `json:"well_formed_ms,omitempty"` // of a second verdict, likewise
	ConverseMS   *float64 `json:"converse_ms,omitempty"`    // of a converse, likewise
}

type reportError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	Col     int    `json:"col"`
	EndLine int    `json:"end_line"`
	EndCol  int    `json:"end_col"`
}

// jsonReport writes r as one document on one line.
func jsonReport(w io.Writer, r *Run) error {
	doc := report{
		Schema:  schemaName,
		Tool:    tool{Name: "tv", Version: r.Version},
		Args:    list(r.Args),
		Exit:    r.Exit,
		Results: []any{}, Shard: r.Shard, Campaign: r.Campaign,
		Summary: r.summary(),
		Errors:  []reportError{},
	}
	for i := range r.Items {
		switch it := &r.Items[i]; {
		case it.Resumed != nil:
			doc.Results = append(doc.Results, it.Resumed)
		case it.answered():
			doc.Results = append(doc.Results, newResult(it, r.Timing))
		}
	}
	if r.Baseline != nil {
		known := []string{}
		for i := range r.Items {
			if it := &r.Items[i]; r.Known(it) {
				known = append(known, it.Print())
			}
		}
		doc.Known = &known
	}
	for _, e := range r.AllErrors() {
		doc.Errors = append(doc.Errors, newError(e))
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false) // "=>" stays readable
	return enc.Encode(doc)
}

// conditions returns under which conditions a result holds: on sizes, and on the order of instructions.
func conditions(r *equiv.Result) []string {
	if r.Order == "" {
		return r.Domain
	}
	return slices.Concat(r.Domain, []string{r.Order})
}

func newResult(it *Item, timed bool) result {
	r := &it.Result
	out := result{
		Kind: it.kind(), Name: it.Name, Before: r.Before, After: r.After, SHA256: r.SHA256,
		Verdict: r.Verdict.String(), Reason: r.Reason, Detail: r.Detail, Failed: r.Failed, Fingerprint: it.Print(),
		Engine: r.Engine,
		Arith:  r.Arith.String(), Arithmetics: arithmetics(r), Equal: r.Equal.String(), Domain: list(conditions(r)), Bound: r.Bound, Disjoint: r.Disjoint, Obligations: newObligations(r), Where: r.Where,
		Exact: []exact{}, RestsOn: []contract{}, Idealised: list(r.Idealised), Trusts: list(r.Trusts),
		Counterexample: newCounterexample(r.Counterexample), Blame: []blame{}, Regions: r.Regions, Explanation: r.Explanation, Counts: counts(r.Stats),
	}
	if r.Verdict == equiv.Proved {
		// A question about two programs has the ranks that they have and all sizes of the domain.
		out.Scope = fullScope()
	}
	if it.Certificate != "" {
		out.Certificate = &certificate{it.Certificate, it.CertificateSHA256}
	}
	if timed {
		out.Timing = &timing{TotalMS: milliseconds(r.Elapsed)}
	}
	if it.Rule != nil {
		out.rule(it.Rule)
		out.second(it)
	}
	out.Finding = it.Finding
	if it.Synth != nil {
		out.Synth = newFound(it.Synth)
	}
	if it.Circuit != nil {
		out.Counterexample = newCircuit(it.Circuit, it.Repair)
	}
	for _, e := range r.Exact {
		out.Exact = append(out.Exact, exact{e.Type.String(), e.Verdict, e.Reason, newCounterexample(e.Witness)})
	}
	for _, c := range r.RestsOn {
		out.RestsOn = append(out.RestsOn, contract{c.Name, c.Verdict.String()})
	}
	for _, b := range r.Blame {
		p := b.Span.Position()
		one := blame{b.Side, p.File, p.Line, p.Col, b.Text, b.Path, nil}
		if b.Instead != nil {
			at := b.Instead.Span.Position()
			one.Instead = &instead{at.Line, at.Col, b.Instead.Span.Text(), b.Instead.Text}
		}
		out.Blame = append(out.Blame, one)
	}
	return out
}

func arithmetics(r *equiv.Result) map[string]string {
	out := map[string]string{}
	for _, t := range r.Types {
		out[t.Type.String()] = t.String()
	}
	return out
}

// rule adds what is said of rules alone.
func (out *result) rule(r *rules.Result) {
	out.Instance, out.Cases, out.Trivial = r.Instance, r.Cases, r.Trivial
	if r.Verdict == equiv.Refuted {
		out.Case, out.Left, out.Right = r.Choices, r.Programs[0], r.Programs[1]
	}
	if took := milliseconds(r.Mending); r.Mending > 0 && out.Timing != nil {
		out.Timing.GuardMS = &took
	}
	if r.Mend != nil {
		m := mend(*r.Mend)
		out.Mend = &m
	}
	out.Scope.upTo(r)
}

// fullScope is the scope of all ranks and sizes.
func fullScope() *scope {
	s := new(scope)
	s.Ranks.All, s.Sizes.All = true, true
	return s
}

// upTo narrows the scope of a rule that is proved at some ranks alone.
func (s *scope) upTo(r *rules.Result) {
	if s != nil && !r.Cover.All {
		s.Ranks.All, s.Ranks.Max = false, &r.Cover.Ranks
	}
	if s != nil && r.Cover.Widths > 0 {
		s.Sizes.All, s.Sizes.Max = false, &r.Cover.Widths
	}
}

// second adds the second verdict of a rule, and what was answered of its converse.
func (out *result) second(it *Item) {
	if r := it.Rule.Converse; r != nil {
		out.Way, out.Converse = "one-way", weaker(r, it.ConverseCertificate, it.ConverseCertificateSHA256)
		if it.Rule.TwoWay() {
			out.Way = "two-way"
		}
		if took := milliseconds(r.Elapsed); out.Timing != nil {
			out.Timing.ConverseMS = &took
		}
	}
	r := it.Rule.WhereBoth
	if r == nil {
		return
	}
	out.WhereBoth = weaker(r, it.WhereBothCertificate, it.WhereBothCertificateSHA256)
	if took := milliseconds(r.Elapsed); out.Timing != nil {
		out.Timing.WellFormedMS = &took
	}
}

// weaker is what is answered of a rule wherever both sides are well formed, and where its certificate was written to.
func weaker(r *rules.Result, file, sum string) *whereBoth {
	w := &whereBoth{SHA256: r.SHA256, Verdict: r.Verdict.String(), Reason: r.Reason, Detail: r.Detail, Engine: r.Engine,
		Domain: list(r.Domain), Trusts: list(r.Trusts), Counterexample: newCounterexample(r.Counterexample), Cases: r.Cases}
	switch r.Verdict {
	case equiv.Proved:
		w.Scope = fullScope()
		w.Scope.upTo(r)
	case equiv.Refuted:
		w.Case, w.Left, w.Right = r.Choices, r.Programs[0], r.Programs[1]
	}
	if file != "" {
		w.Certificate = &certificate{file, sum}
	}
	return w
}

// obligations counts what the programs owe by name.
type obligations struct {
	Before map[string]int `json:"before,omitempty"`
	After  map[string]int `json:"after,omitempty"`
}

func newObligations(r *equiv.Result) *obligations {
	of := func(list []equiv.Obligation) map[string]int {
		out := map[string]int{}
		for _, o := range list {
			out[o.Name] = o.Count
		}
		return out
	}
	if len(r.Owed[0])+len(r.Owed[1]) == 0 {
		return nil
	}
	return &obligations{of(r.Owed[0]), of(r.Owed[1])}
}

func newCounterexample(c *sample.Counterexample) *counterexample {
	if c == nil {
		return nil
	}
	out := &counterexample{
		Sizes: c.Point, Inputs: map[string]casefile.Tensor{},
		Component: c.Path, Element: list(c.Index), Before: c.Before, After: c.After,
		WroteBefore: c.WroteBefore, WroteAfter: c.WroteAfter, Schedule: c.Schedule,
	}
	if c.Overlap != nil {
		o := overlap(*c.Overlap)
		out.Overlap = &o
	}
	for _, in := range c.Inputs {
		out.Inputs[in.Name] = casefile.NewTensor(in)
	}
	return out
}

func newError(e *source.Error) reportError {
	out := reportError{Code: e.Code, Message: e.Msg, File: e.Position().File}
	if e.Span.File != nil {
		start, end := e.Span.Position(), e.Span.EndPosition()
		out.Line, out.Col, out.EndLine, out.EndCol = start.Line, start.Col, end.Line, end.Col
	}
	return out
}

// list makes the nil list an empty one: arrays of a report are never null.
func list[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}

// milliseconds rounds to tenths, as far as timings of single runs mean anything.
func milliseconds(d time.Duration) float64 { return float64(d.Round(100*time.Microsecond)) / 1e6 }
