package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
)

// nothingFound is the verdict of a campaign that ran all its cases and found nothing.
const nothingFound = "nothing found"

// campaign lists a campaign of so many cases, run one at a time. least is the cases a second of processor time, that
// of the collector of garbage included, which must be reached; mb bounds the memory.
func (b *bench) campaign(name string, cases int, least, mb float64, args ...string) {
	flags := []string{"--budget", fmt.Sprintf("%dx", cases), "--seed", "1", "--jobs", "1", "--format", "json"}
	b.list = append(b.list, &run{Name: name, Want: nothingFound, LimitMB: mb, LeastPerSecond: least,
		args: append(append([]string{"fuzz"}, args...), flags...)})
}

// campaigns lists those whose speed is measured.
func (b *bench) campaigns() {
	b.campaign("campaign: inputs of a 4x4x4 int8 matmul pair", 400_000, 20_000, 0, "check", "--arith", "exact",
		"fuzz/testdata/matmul.sexp", "fuzz/testdata/matmul-swapped.sexp")
	b.campaign("campaign: program pairs with all oracles", 2_000, 200, 1500, "self")
	b.campaign("campaign: streams and drivers of machines", 600, 0, 0, "models")
	b.campaign("campaign: instances of rules", 3_000, 0, 0, "rules", "--expect", "glenside/rules/paper.rules",
		"glenside/rules/glenside.rules")
	b.campaign("campaign: programs of loops, but for the pass", 1_000, 50, 0, "passes", "--opt", "cat")
}

// judged reads the report of a campaign, and counts the cases a second of processor time: the greatest of all runs.
func (r *run) judged(report string, ended *exec.Cmd) {
	var doc struct {
		Campaign struct {
			Cases    int64 `json:"cases"`
			Findings int64 `json:"findings"`
		} `json:"campaign"`
	}
	r.Verdict = "failed"
	if json.Unmarshal([]byte(report), &doc) != nil || doc.Campaign.Cases == 0 {
		return
	}
	if r.Verdict = nothingFound; doc.Campaign.Findings > 0 {
		r.Verdict = "findings"
	}
	used := ended.ProcessState.UserTime() + ended.ProcessState.SystemTime()
	r.PerSecond = max(r.PerSecond, float64(doc.Campaign.Cases)/used.Seconds())
}
