package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"tv/ci"
	"tv/equiv"
	"tv/hwmodels"
	"tv/internal/source"
)

// TestIlaAsk: what was answered before an interrupt, or beside a question that cannot be asked, is reported.
func TestIlaAsk(t *testing.T) {
	yes := func(context.Context) (ci.Item, error) {
		return ci.Item{Kind: "ila", Result: equiv.Result{Before: "c", After: "d 1", Verdict: equiv.Proved, Engine: "symbolic"}}, nil
	}
	for _, test := range []struct {
		name string
		ask  func(stop context.CancelFunc) error
		exit int
		want string // of the report: what follows the first result
		said string // on standard error
	}{
		{"interrupted", func(stop context.CancelFunc) error { stop(); return context.Canceled }, exitInterrupted,
			"not answered: contract => d 2\nnot answered: contract => d 3\n1 proved, 0 refuted, 0 unknown, 2 not answered\n",
			"stopped with 1 of 3 questions answered [interrupted]\n"},
		{"ill sized", func(context.CancelFunc) error { return &source.Error{Code: "machine-sizes", Msg: "odd"} }, exitError,
			"proved: c => d 1 (real, tensor, fixed sizes, symbolic)\n2 proved, 0 refuted, 0 unknown, 1 could not be asked\n",
			"odd [machine-sizes]\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			var out, errs bytes.Buffer
			a := &app{stdout: &out, stderr: &errs}
			flags := &reportFlags{format: newChoice("text"), noTiming: true}
			err := a.ilaAsk(ctx, flags, hwmodels.Driver{Name: "d"}, claim{}, []ilaQuestion{
				{nil, "d 1", yes},
				{nil, "d 2", func(context.Context) (ci.Item, error) { return ci.Item{}, test.ask(stop) }},
				{nil, "d 3", yes},
			})
			if err != nil {
				t.Fatal(err)
			}
			if a.exit != test.exit || errs.String() != test.said {
				t.Errorf("exit status %d and %q, want %d and %q", a.exit, &errs, test.exit, test.said)
			}
			if _, got, _ := strings.Cut(out.String(), "\n"); got != test.want {
				t.Errorf("the report goes on with\n%s, want\n%s", got, test.want)
			}
		})
	}
}
