package ci

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"tv/equiv"
	"tv/internal/files"
	"tv/internal/source"
)

// The types below are the part of SARIF 2.1.0 [sarif] that tv writes.
//
// [sarif] Static Analysis Results Interchange Format (SARIF) Version 2.1.0, OASIS Standard, 2020.

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool        sarifTool         `json:"tool"`
	Invocations []sarifInvocation `json:"invocations"`
	Results     []sarifResult     `json:"results"`
	ColumnKind  string            `json:"columnKind"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID               string    `json:"id"`
	ShortDescription sarifText `json:"shortDescription"`
	Default          struct {
		Level string `json:"level"`
	} `json:"defaultConfiguration"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifInvocation struct {
	Arguments  []string `json:"arguments"`
	Successful bool     `json:"executionSuccessful"`
	Exit       int      `json:"exitCode"`
}

type sarifResult struct {
	RuleID        string            `json:"ruleId"`
	RuleIndex     int               `json:"ruleIndex"`
	Level         string            `json:"level"`
	Message       sarifText         `json:"message"`
	Locations     []sarifLocation   `json:"locations"`
	Related       []sarifLocation   `json:"relatedLocations,omitempty"`
	Prints        map[string]string `json:"partialFingerprints,omitempty"`
	BaselineState string            `json:"baselineState,omitempty"`
}

type sarifLocation struct {
	ID       int            `json:"id,omitempty"`
	Physical *sarifPhysical `json:"physicalLocation,omitempty"`
	Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	Message  *sarifText     `json:"message,omitempty"`
}

type sarifPhysical struct {
	Artifact struct {
		URI string `json:"uri"`
	} `json:"artifactLocation"`
	Region *sarifRegion `json:"region,omitempty"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
	EndLine     int `json:"endLine"`
	EndColumn   int `json:"endColumn"`
}

type sarifLogical struct {
	Name string `json:"fullyQualifiedName"`
}

// sarifReport writes r as SARIF 2.1.0: a result for each question that is refuted, unknown or could not be asked, and
// for each problem of the run. Proofs are no results: viewers show all they are given as alerts.
func sarifReport(w io.Writer, r *Run) error {
	run := sarifRun{
		Tool: sarifTool{sarifDriver{Name: "tv", Version: r.Version, Rules: []sarifRule{}}},
		Invocations: []sarifInvocation{{
			Arguments: list(r.Args), Successful: r.Exit != 2 && r.Exit != 130, Exit: r.Exit,
		}},
		Results:    []sarifResult{},
		ColumnKind: "unicodeCodePoints",
	}
	for i := range r.Items {
		it := &r.Items[i]
		if s := r.status(it); s == failed || s == known || s == undecided {
			run.Results = append(run.Results, sarifItem(r, it, s))
		}
	}
	for _, e := range r.AllErrors() {
		run.Results = append(run.Results, sarifError(e))
	}
	levels := map[string]string{}
	for i := range run.Results {
		res := &run.Results[i]
		levels[res.RuleID] = res.Level
		if r.Baseline == nil {
			continue
		}
		if res.BaselineState = "new"; r.Baseline[res.Prints[printName]] {
			res.BaselineState = "unchanged"
		}
	}
	for _, id := range sortedNames(levels) {
		rule := sarifRule{ID: id, ShortDescription: sarifText{r.meaning(id)}}
		rule.Default.Level = levels[id]
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule)
	}
	for i := range run.Results {
		id := run.Results[i].RuleID
		run.Results[i].RuleIndex = slices.IndexFunc(run.Tool.Driver.Rules,
			func(r sarifRule) bool { return r.ID == id })
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	return enc.Encode(sarifLog{
		Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run},
	})
}

// printName is the name of our fingerprints, with their version.
const printName = "tvFinding/v1"

func sarifItem(r *Run, it *Item, s status) sarifResult {
	out := sarifResult{
		RuleID: verdictRule(r, it), Level: "error", Message: sarifText{itemText(r, it)},
		Locations: []sarifLocation{},
	}
	if print := it.Print(); print != "" {
		out.Prints = map[string]string{printName: print}
	}
	if s == undecided {
		out.Level = "warning"
	}
	for i, span := range it.places() {
		loc, ok := sarifPlace(span.Position().File, span)
		switch {
		case !ok:
		case i == 0:
			out.Locations = append(out.Locations, loc)
		default:
			loc.ID = i
			loc.Message = &sarifText{"to blame as well: " + shorten(span.Text(), 120)}
			out.Related = append(out.Related, loc)
		}
	}
	if len(out.Locations) == 0 {
		out.Locations = append(out.Locations, sarifLocation{Logical: []sarifLogical{{it.title()}}})
	}
	return out
}

func sarifError(e *source.Error) sarifResult {
	out := sarifResult{RuleID: e.Code, Level: "error", Message: sarifText{e.Msg}, Locations: []sarifLocation{}}
	if loc, ok := sarifPlace(e.Position().File, e.Span); ok {
		out.Locations = append(out.Locations, loc)
	}
	return out
}

// sarifPlace returns the location of a span, or of a whole file where the span is none. Standard input has none.
func sarifPlace(file string, span source.Span) (sarifLocation, bool) {
	if file == "" || file == files.Stdin {
		return sarifLocation{}, false
	}
	p := &sarifPhysical{}
	p.Artifact.URI = uri(file)
	if span.File != nil {
		start, end := span.Position(), span.EndPosition()
		p.Region = &sarifRegion{start.Line, start.Col, end.Line, end.Col}
	}
	return sarifLocation{Physical: p}, true
}

// uri returns the name of a file as a URI: a relative one stays relative, to the root of the sources.
func uri(file string) string {
	u := url.URL{Path: filepath.ToSlash(filepath.Clean(file))}
	if strings.HasPrefix(u.Path, "/") {
		u.Scheme = "file"
	}
	return u.String()
}

// verdictRule names the rule that an item breaks: its verdict and the reason for it.
func verdictRule(r *Run, it *Item) string {
	res := &it.Result
	if r.Expect && !it.AsWanted() && res.Verdict == equiv.Proved {
		return "unwanted-proved"
	}
	return joinNonEmpty("-", res.Verdict.String(), res.Reason)
}

// verdictRules says what the rules of verdictRule mean.
var verdictRules = map[string]string{
	"refuted":             "AFTER is not equal to BEFORE",
	"refuted-values":      "AFTER has other values than BEFORE",
	"refuted-shape":       "AFTER has another shape than BEFORE",
	"refuted-type":        "AFTER has another element type than BEFORE",
	"refuted-split":       "AFTER is split into access and compute dims in another place than BEFORE",
	"refuted-undefined":   "AFTER is undefined where BEFORE is defined",
	"refuted-race":        "AFTER leaves something else where units of its machine run in another order",
	"refuted-deadlock":    "AFTER never comes to its end: an instruction waits for ever",
	"unknown-timeout":     "no answer in the time allowed",
	"unknown-rlimit":      "no answer within the resources that a solver may use",
	"unknown-memory":      "no answer in the memory allowed",
	"unknown-unsupported": "the question rests on something that tv does not interpret",
	"unknown-incomplete":  "neither a proof nor a counterexample was found",
	"unknown":             "neither proved nor refuted",
	"refuted-ill-formed":  "the right side of a rule has no meaning, or another type, in an instance that the rule admits",
	"unknown-certificate": "what was found has no certificate that the checker accepts",
	"unknown-deep":        "the stages in which a network is proved do not tell whether it holds bit for bit",
	"unknown-interrupted": "the run was stopped",
	"unknown-resources":   "no answer within the steps that an engine takes",
	"unknown-vacuous":     "no instance is known in which both sides of the rule are well formed",
	"unwanted-proved":     "proved, though another verdict is wanted",

	// of campaigns
	"refuted-difference":                          "an input tells the programs apart",
	"refuted-wrong-rule":                          "an instance of the rule is wrong",
	"refuted-wrong-proof":                         "tv proves programs that the evaluator tells apart",
	"refuted-wrong-refutation":                    "tv refutes programs, and its counterexample shows no difference",
	"refuted-wrong-law":                           "two programs that a law calls equal differ",
	"refuted-fault":                               "tv, or its checker of certificates, fails",
	"refuted-evaluator-against-kernel":            "the evaluator and a reference kernel differ",
	"refuted-simulator-against-symbolic-executor": "two ways to run a machine differ",
	"refuted-driver-against-contract":             "what a driver's instructions compute is not its contract",
	"refuted-contract-against-kernel":             "a contract and a reference kernel differ",
	"refuted-lowering-against-evaluator":          "what a program is lowered to and the evaluator differ",
	"refuted-unlike-itself":                       "a program is not proved equal to itself",
	"refuted-wrong-certificate":                   "the checker accepts a certificate of programs that the evaluator tells apart",
	"refuted-miscompile":                          "a pass changes what a program computes: the compiled programs show it",
	"refuted-unconfirmed":                         "tv refutes what a pass made, and no compiled program shows it",
	"refuted-evaluator":                           "tv's evaluator and a compiled program differ",
	"refuted-unrefuted":                           "the evaluator tells programs apart that tv neither proves nor refutes",
	"refuted-refuted":                             "tv refutes what a pass made, and nobody has compiled it",
	"refuted-unread":                              "a command wrote what tv does not read",
	"refuted-crash":                               "a command ended by a signal or an assertion",
	"refuted-error":                               "a command ended with another status than 0",
	"refuted-hang":                                "a command did not end in its time",
	"refuted-words":                               "the words that proofs are made of and the evaluator of cells differ",
	"refuted-simulator":                           "the model of a cell that others wrote and the evaluator differ",
	"refuted-checker":                             "the checker's model of a cell and the evaluator differ",
	"refuted-refusal":                             "the checker takes no such cell: a proof with one is unknown",
}

// Words returns what reports say in place of sentences, with what it means: verdicts, and rules of SARIF, which are a verdict and
// a reason joined by a dash.
func Words() map[string]string { return maps.Clone(verdictRules) }

// meaning says in one line what a rule or an error code means.
func (r *Run) meaning(id string) string {
	if text, ok := verdictRules[id]; ok {
		return text
	}
	if r.Meaning != nil {
		if text := r.Meaning(id); text != "" {
			return text
		}
	}
	if verdict, _, ok := strings.Cut(id, "-"); ok && verdict == equiv.Refuted.String() {
		return verdictRules[verdict] // for a reason of another command's own
	}
	return fmt.Sprintf("see tv explain %s", id)
}

// sortedNames returns the keys of m in order.
func sortedNames[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
