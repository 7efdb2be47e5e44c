package ci

import (
	"fmt"
	"strings"
	"testing"

	"tv/ci/page/pagetest"
	"tv/equiv"
)

// Whatever a run has, its page can be read by everyone, and says every verdict and error.
func TestHTML(t *testing.T) {
	for name, run := range map[string]*Run{"everything": everything(t), "hostile": hostile(t), "empty": {}} {
		text := write(t, "html", run)
		for _, problem := range pagetest.Problems(text) {
			t.Errorf("%s: %s", name, problem)
		}
		for _, it := range run.Items {
			if it.answered() && !strings.Contains(text, `<span class="verdict `+it.Result.Verdict.String()) {
				t.Errorf("%s: no result is %s", name, it.Result.Verdict)
			}
		}
		if got, want := strings.Contains(text, "<h2>Errors</h2>"), len(run.AllErrors()) > 0; got != want {
			t.Errorf("%s: errors are listed: %t", name, got)
		}
	}
}

// Of many results the page has the refutations first, and is bounded.
func TestHTMLOfMany(t *testing.T) {
	run := &Run{Args: []string{"check"}}
	for i := range 10_000 {
		run.Items = append(run.Items, Item{Name: fmt.Sprintf("case%d", i), Result: equiv.Result{Verdict: equiv.Proved}})
	}
	run.Items[9_000].Result = equiv.Result{Verdict: equiv.Refuted, Detail: "the one that is wrong"}
	text := write(t, "html", run)
	if len(text) > 400_000 {
		t.Errorf("the page has %d bytes", len(text))
	}
	for _, want := range []string{`<h1>tv check: refuted</h1>`, `<tr><th scope="row"><a href="#r1">case9000</a>`, "9000 more results are not in the table"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the page", want)
		}
	}
	for _, problem := range pagetest.Problems(text) {
		t.Error(problem)
	}
}
