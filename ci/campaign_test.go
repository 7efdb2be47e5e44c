package ci

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tv/equiv"
	"tv/equiv/sample"
	"tv/internal/source"
)

// campaign returns a run of tv fuzz with a finding that has a place in a file and one that has none.
func campaign() *Run {
	after := source.NewFile("after.sexp", "(input A (shape 2))\n(compute relu (access A 1))\n")
	span := source.Span{File: after, Start: 20, End: 47}
	return &Run{
		Version: "v0.0.0", Args: []string{"fuzz", "check", "before.sexp", "after.sexp", "--seed=3"}, Exit: 1,
		Campaign: &Campaign{Target: "check", ID: "0a", Seed: 1<<64 - 1, Shards: 1, Budget: "500x", Cases: 500,
			Coverage: 7, Findings: 2, Opening: "seed 3, shard 0/1", Closing: "500 cases, coverage 7, 2 findings"},
		Items: []Item{
			{
				Kind: "fuzz", Name: "check: difference: after compute",
				Text: "difference: case 4, element [1]: 1 before, 0 after\n  blame after: (compute relu)\n",
				Finding: &Finding{Case: 4, Kind: "difference", Key: "difference: after compute", File: "found/a.txtar",
					Text: "# tv\n", Replay: []string{"tv", "replay", "found/a.txtar"}},
				Result: equiv.Result{Before: "before.sexp", After: "after.sexp", Verdict: equiv.Refuted,
					Reason: "difference", Engine: "fuzz", Blame: []sample.Blame{{Side: "after", Span: span, Text: span.Text()}}},
			},
			{
				Kind: "fuzz", Name: "self: wrong proof: before relu",
				Text: "wrong proof: in the corpus, 1 and 2 & <more>\n  replay: tv replay b.txtar\n",
				Finding: &Finding{Case: -1, Kind: "wrong proof", Key: "wrong proof: before relu", Text: "# tv\n",
					Replay: []string{"tv", "replay", "b.txtar"}},
				Result: equiv.Result{Verdict: equiv.Refuted, Reason: "wrong-proof", Engine: "fuzz",
					Blame: []sample.Blame{{Side: "before", Text: "(compute relu)"}}},
			},
		},
	}
}

// TestCampaign writes a campaign in every format; JSON and SARIF are as their schemas say.
func TestCampaign(t *testing.T) {
	run := campaign()
	for _, test := range []struct{ format, file string }{
		{"text", "txt"}, {"json", "json"}, {"junit", "xml"}, {"sarif", "sarif"}, {"github", "github.txt"},
	} {
		text := write(t, test.format, run)
		if test.format == "json" {
			validate(t, []byte(text))
			var b bytes.Buffer
			if err := json.Indent(&b, []byte(text), "", " "); err != nil {
				t.Fatal(err)
			}
			text = b.String()
		}
		if test.format == "sarif" {
			value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			if err := sarifSchema(t).Validate(value); err != nil {
				t.Error(err)
			}
		}
		golden(t, "campaign."+test.file, text)
	}
	var b bytes.Buffer
	if err := StepSummary(&b, run); err != nil {
		t.Fatal(err)
	}
	golden(t, "campaign.summary.md", b.String())
}

// TestCampaignBaseline: what a campaign found is known to the next by kind and key, not by case or file.
func TestCampaignBaseline(t *testing.T) {
	run := campaign()
	prints, err := ReadBaseline(source.NewFile("b.json", write(t, "json", run)))
	if err != nil || len(prints) != 2 {
		t.Fatal(prints, err)
	}
	again := campaign()
	again.Items[0].Finding.Case, again.Items[0].Finding.File, again.Items[0].Name = 9, "elsewhere.txtar", "else"
	again.Items[1].Finding.Key = "wrong proof: before tanh"
	again.Baseline = prints
	if !again.Known(&again.Items[0]) || again.Known(&again.Items[1]) {
		t.Error("the first finding is known, the second is not")
	}
	if text := write(t, "text", again); !strings.Contains(text, "2 findings; 1 known\n") ||
		!strings.Contains(text, "after\n  known: the baseline has it\n  blame after") {
		t.Errorf("the report is\n%s", text)
	}
	again.Items[0].Finding.Kind = "wrong rule"
	if again.Known(&again.Items[0]) {
		t.Error("a finding of another kind is known")
	}
}

// TestCampaignTimes: only timing differs from run to run, and an interrupted campaign is no case that passed.
func TestCampaignTimes(t *testing.T) {
	run := campaign()
	run.Items = nil
	run.Campaign.Took(90 * time.Second)
	text := write(t, "json", run)
	validate(t, []byte(text))
	if !strings.Contains(text, `"timing":{"total_ms":90000}`) || !strings.Contains(text, `"results":[]`) {
		t.Error(text)
	}
	if text := write(t, "junit", run); !strings.Contains(text, `tests="1" failures="0"`) {
		t.Errorf("a campaign without findings is no suite that passes:\n%s", text)
	}
	run.Campaign.Interrupted = true
	if text := write(t, "junit", run); !strings.Contains(text, `skipped="1"`) {
		t.Errorf("an interrupted campaign passes:\n%s", text)
	}
}
