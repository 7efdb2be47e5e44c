//go:build !js

package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tv/ci"
	"tv/equiv"
	"tv/equiv/sample"
	"tv/fuzz"
	"tv/internal/source"
	"tv/internal/visible"
)

// formatLines is the format of campaigns alone: lines of JSON, which tv fuzz merge reads.
const formatLines = "jsonl"

// A campaignReport writes the reports of a campaign. Text and lines go to standard output as the campaign runs;
// all else is written when it ends.
type campaignReport struct {
	app   *app
	flags *reportFlags
	plan  *reportPlan
	run   *ci.Run
	start time.Time

	streams bool         // standard output gets text or lines while the campaign runs
	lines   bytes.Buffer // all lines of JSON
	err     error        // the first failure to write to standard output
}

// campaignReport begins the reports of a campaign.
func (a *app) campaignReport(cmd *cobra.Command, flags *reportFlags, plan *reportPlan, args []string, s fuzz.Start,
) *campaignReport {
	first := plan.files[0]
	r := &campaignReport{app: a, flags: flags, plan: plan, start: time.Now(),
		streams: first.name == "" && (first.format == ci.Formats[0] || first.format == formatLines),
		run: &ci.Run{Baseline: plan.baseline, Campaign: &ci.Campaign{Target: s.Target, ID: s.ID, Seed: s.Seed,
			Shard: s.Shard, Shards: s.Shards, Budget: s.Budget,
			Opening: fmt.Sprintf("seed %d, shard %d/%d", s.Seed, s.Shard, s.Shards)}}}
	r.run.Args = slices.Concat([]string{"fuzz", cmd.Name()}, args)
	r.stream(r.run.Campaign.Opening+"\n", s)
	return r
}

// stream adds to what is written while the campaign runs: a text, or a line of JSON.
func (r *campaignReport) stream(text string, line any) {
	var b bytes.Buffer
	if err := fuzz.WriteLine(&b, line); err != nil {
		r.err = cmp.Or(r.err, err)
	}
	r.lines.Write(b.Bytes())
	if !r.streams {
		return
	}
	data := []byte(text)
	if r.plan.files[0].format == formatLines {
		data = b.Bytes()
	}
	if r.err == nil {
		r.err = r.app.output("", data)
	}
}

// finding reports a finding.
func (r *campaignReport) finding(f *fuzz.Finding) {
	item := findingItem(f)
	r.run.Items = append(r.run.Items, item)
	text := item.Text
	if r.flags.quiet {
		text, _, _ = strings.Cut(text, "\n")
		text += "\n"
	} else if r.run.Known(&item) {
		first, more, _ := strings.Cut(text, "\n")
		text = first + "\n  known: the baseline has it\n" + more
	}
	r.stream(text, fuzz.Found{Line: "finding", Finding: *f})
}

// findingItem is a finding as an item of a report.
func findingItem(f *fuzz.Finding) ci.Item {
	item := ci.Item{Kind: "fuzz", Name: f.Target + ": " + f.Key, Place: f.Place, Replay: shellQuote(f.Command()...),
		Finding: &ci.Finding{Case: f.Case, Kind: f.Kind, Key: f.Key, File: f.File, Text: f.Text, Replay: f.Command()}}
	if f.Result != nil {
		item.Result = *f.Result
	} else {
		for _, b := range f.Blame {
			side, text, _ := strings.Cut(b, ": ")
			item.Result.Blame = append(item.Result.Blame, sample.Blame{Side: side, Text: text})
		}
	}
	item.Result.Verdict, item.Result.Engine = equiv.Refuted, "fuzz"
	item.Result.Reason, item.Result.Detail = strings.ReplaceAll(f.Kind, " ", "-"), f.Detail

	where := fmt.Sprintf("case %d", f.Case)
	if f.Case < 0 {
		where = "in the corpus"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %s\n", f.Kind, where, strings.ReplaceAll(f.Detail, "\n", " "))
	for _, text := range f.Blame {
		fmt.Fprintf(&b, "  blame %s\n", text)
	}
	if f.File == "" {
		b.WriteString("  to see it, save this:\n" + f.Text)
	}
	fmt.Fprintf(&b, "  replay: %s\n", item.Replay)
	item.Text = visible.Text(b.String()) // on a cluster others wrote it
	return item
}

// end writes what is left to write. errs are the errors of the campaign.
func (r *campaignReport) end(p fuzz.Progress, interrupted bool, errs source.Errors) error {
	seconds := 0.0
	c := r.run.Campaign
	c.Cases, c.Coverage, c.Findings, c.Interrupted, c.SetAside = p.Cases, p.Coverage, p.Findings, interrupted, p.SetAside
	end := fuzz.End{Line: "end", Cases: p.Cases, Coverage: p.Coverage, Findings: p.Findings, Interrupted: interrupted, SetAside: p.SetAside}
	if p.SetAside > 0 { // what they show was not looked at: the run is not all that it says
		errs = append(errs, &source.Error{Code: fuzz.CodeCorpus, Msg: fmt.Sprintf("%d files of the corpus hold no case that can be run, and were set aside",
			p.SetAside)})
	}
	if !r.flags.noTiming {
		took := time.Since(r.start)
		seconds = took.Seconds()
		end.Timing = &fuzz.Timing{Seconds: float64(took.Milliseconds()) / 1000}
		c.Took(took)
	}
	c.Closing = progressLine(p, seconds)
	r.run.Errors = errs
	r.stream(c.Closing+r.run.KnownCount()+"\n", end)
	if r.err != nil {
		r.run.Errors = append(r.run.Errors, source.AsErrors(r.err)...)
	}
	plan := *r.plan
	if r.streams {
		plan.files = plan.files[1:]
	}
	return r.app.deliver(r.run, r.flags, &plan, map[string][]byte{formatLines: r.lines.Bytes()})
}

// progressLine says how far a campaign is; without seconds, nothing of how fast.
func progressLine(p fuzz.Progress, seconds float64) string {
	rate := ""
	if seconds > 0 {
		rate = fmt.Sprintf("%.0f a second, ", float64(p.Cases)/seconds)
	}
	covered := ""
	if p.Coverage > 0 {
		covered = fmt.Sprintf("coverage %d, ", p.Coverage)
	}
	aside := ""
	if p.SetAside > 0 {
		aside = fmt.Sprintf(", %d files set aside", p.SetAside)
	}
	return fmt.Sprintf("%d cases, %s%s%d findings%s", p.Cases, rate, covered, p.Findings, aside)
}
