package fuzz

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"tv/internal/source"
)

// Schema is that of the lines that campaigns write; ci/schema/fuzz.schema.json describes them.
const Schema = "tv.fuzz/v1"

// CodeLines is the code of a file that does not hold what a campaign writes with --format jsonl.
const CodeLines = "fuzz-lines"

// A Start is the first line of a campaign.
type Start struct {
	Schema string `json:"schema"`
	Line   string `json:"line"` // "start"
	Tool   string `json:"tool"`
	Target string `json:"target"`
	ID     string `json:"id"`
	Seed   uint64 `json:"seed,string"`
	Shard  int    `json:"shard"`
	Shards int    `json:"shards"`
	Budget string `json:"budget"`
}

// A Found is the line of a finding.
type Found struct {
	Line string `json:"line"` // "finding"
	Finding
}

// An End is the last line of a campaign, and of a merge.
type End struct {
	Line        string  `json:"line"` // "end"
	Cases       int64   `json:"cases"`
	Coverage    int64   `json:"coverage"`
	Findings    int64   `json:"findings"`
	Interrupted bool    `json:"interrupted"`
	SetAside    int64   `json:"set_aside,omitempty"` // files of the corpus that hold no case
	Timing      *Timing `json:"timing,omitempty"`
}

// Timing is what differs from run to run.
type Timing struct {
	Seconds float64 `json:"seconds"`
}

// Start returns the first line of a campaign.
func (c *Campaign) Start(tool, budget string) Start {
	return Start{Schema, "start", tool, c.Target.Name(), c.Target.ID(), c.Seed, c.Shard, max(1, c.Shards), budget}
}

// WriteLine writes a line of JSON.
func WriteLine(w io.Writer, line any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(line); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// Lines are those of one campaign.
type Lines struct {
	Start    Start
	Findings []Finding
	End      *End // nil where the campaign was killed
}

// ReadLines reads what a campaign wrote. A last line without its end, which a campaign that was killed
// leaves, is no error. Errors: *source.Error with code fuzz-lines.
func ReadLines(f *source.File) (*Lines, error) {
	out := &Lines{}
	r := bufio.NewReader(bytes.NewReader([]byte(f.Text)))
	offset := 0
	for number := 0; ; number++ {
		text, err := r.ReadBytes('\n')
		if err != nil { // what is left has no end: it was never written whole
			break
		}
		fail := func(format string, args ...any) (*Lines, error) {
			span := source.Span{File: f, Start: offset, End: offset + len(text) - 1}
			return nil, source.Errorf(span, CodeLines, format, args...)
		}
		var kind struct{ Line string }
		if err := json.Unmarshal(text, &kind); err != nil {
			return fail("is not a line of JSON: %v", err)
		}
		switch {
		case number == 0 && kind.Line == "start":
			err = json.Unmarshal(text, &out.Start)
			if err == nil && out.Start.Schema != Schema {
				return fail("is of schema %q, not %q", out.Start.Schema, Schema)
			}
		case number > 0 && out.End == nil && kind.Line == "finding":
			var found Found
			if err = json.Unmarshal(text, &found); err == nil {
				out.Findings = append(out.Findings, found.Finding)
			}
		case number > 0 && out.End == nil && kind.Line == "end":
			out.End = &End{}
			err = json.Unmarshal(text, out.End)
		default:
			return fail("a line %q has no place here", kind.Line)
		}
		if err != nil {
			return fail("%v", err)
		}
		offset += len(text)
	}
	if out.Start.Line == "" {
		return nil, &source.Error{Name: f.Name, Code: CodeLines, Msg: "holds no line that a campaign begins with"}
	}
	return out, nil
}

// Merge unites the shards of one campaign: its findings in the order of cases, each key once, that of the
// least case. It fails with code fuzz-lines where the parts are of different campaigns. missing lists shards
// that are not there or did not end.
func Merge(parts []*Lines) (all *Lines, missing []int, err error) {
	all = &Lines{Start: parts[0].Start, End: &End{Line: "end"}}
	ended := map[int]bool{}
	for _, p := range parts {
		a, b := p.Start, all.Start
		if a.Shard = b.Shard; a != b {
			return nil, nil, &source.Error{Code: CodeLines,
				Msg: fmt.Sprintf("these are not shards of one campaign: %s of seed %d, budget %s, in %d shards, "+
					"and %s of seed %d, budget %s, in %d shards", a.Target, a.Seed, a.Budget, a.Shards,
					b.Target, b.Seed, b.Budget, b.Shards)}
		}
		if ended[p.Start.Shard] {
			return nil, nil, &source.Error{Code: CodeLines,
				Msg: fmt.Sprintf("shard %d is there twice", p.Start.Shard)}
		}
		all.Findings = append(all.Findings, p.Findings...)
		if p.End == nil {
			continue
		}
		ended[p.Start.Shard] = !p.End.Interrupted
		all.End.Cases += p.End.Cases
		all.End.Coverage = max(all.End.Coverage, p.End.Coverage)
		all.End.SetAside += p.End.SetAside // shards of one corpus share these: each counts those that it moved
		all.End.Interrupted = all.End.Interrupted || p.End.Interrupted
	}
	slices.SortStableFunc(all.Findings, func(a, b Finding) int { return int(a.Case - b.Case) })
	known := map[string]bool{}
	all.Findings = slices.DeleteFunc(all.Findings, func(f Finding) bool {
		again := known[f.Key]
		known[f.Key] = true
		return again
	})
	all.End.Findings = int64(len(all.Findings))
	for i := range all.Start.Shards {
		if !ended[i] {
			missing = append(missing, i)
		}
	}
	all.Start.Shard, all.Start.Shards = 0, 1
	return all, missing, nil
}
