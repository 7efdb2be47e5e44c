package ci

import (
	"encoding/json"

	"tv/equiv"
	"tv/internal/source"
)

// CodeReport is the code of a file that is no JSON report of tv.
const CodeReport = "bad-report"

// ReadBaseline returns the fingerprints of the results that a JSON report refutes.
// Errors: a *source.Error with code bad-report.
func ReadBaseline(f *source.File) (map[string]bool, error) {
	var doc struct {
		Schema  string
		Results []struct{ Verdict, Fingerprint string }
	}
	bad := func(msg string) error {
		return &source.Error{Name: f.Name, Code: CodeReport, Msg: msg}
	}
	if err := json.Unmarshal([]byte(f.Text), &doc); err != nil || doc.Schema != schemaName {
		return nil, bad("it is not a JSON report of tv")
	}
	prints := map[string]bool{}
	for _, r := range doc.Results {
		if r.Verdict != equiv.Refuted.String() {
			continue
		}
		if r.Fingerprint == "" {
			return nil, bad("a refutation in it has no fingerprint: write the report anew")
		}
		prints[r.Fingerprint] = true
	}
	return prints, nil
}
