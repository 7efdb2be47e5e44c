package cli

import (
	"io"
	"testing"
	"time"

	"tv/equiv"
	"tv/equiv/rules"
	"tv/internal/source"
)

func TestProgressLine(t *testing.T) {
	p := &progress{total: 6}
	p.bar = newBar(io.Discard, 6, func(int64) string { return "" }, true)
	defer p.stop()
	answers := []*answer{
		{result: equiv.Result{Verdict: equiv.Refuted}}, {rule: &rules.Result{Result: equiv.Result{Verdict: equiv.Proved}}},
		{errs: source.Errors{{Msg: "a problem"}}}, nil, {result: equiv.Result{Verdict: equiv.Unknown}},
		{result: equiv.Result{Verdict: equiv.Proved}},
	}
	for i, want := range []string{
		"0 of 6", "1 of 6: 1 refuted; about 5m0s left", "2 of 6: 1 proved, 1 refuted; about 2m0s left",
		"3 of 6: 1 proved, 1 refuted, 1 not asked; about 1m0s left", "4 of 6: 1 proved, 1 refuted, 1 not asked; about 30s left",
		"5 of 6: 1 proved, 1 refuted, 1 unknown, 1 not asked; about 12s left", "6 of 6: 2 proved, 1 refuted, 1 unknown, 1 not asked",
	} {
		if got := p.line(time.Minute); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if i < len(answers) {
			p.step(answers[i])
		}
	}
	p.done = 1
	if got, want := p.line(soon-1), "1 of 6: 2 proved, 1 refuted, 1 unknown, 1 not asked"; got != want {
		t.Errorf("%s, want %s: too early to tell", got, want)
	}
}
