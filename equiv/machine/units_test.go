package machine

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"tv/equiv"
	"tv/glenside"
	"tv/hwmodels/vta"
	"tv/ila/race"
	"tv/internal/source"
)

// Listings whose units run at once, each right one beside what is wrong in one token. What refutes by a race or a deadlock has a schedule that
// the units can follow.
func TestUnits(t *testing.T) {
	files, err := filepath.Glob("../../testdata/machines/*.txtar")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			head := string(a.Comment)
			_, want, _ := strings.Cut(head, "want: ")
			want, _, _ = strings.Cut(want, "\n")
			before, err := glenside.Parse(source.NewFile("before.sexp", string(a.Files[0].Data)))
			if err != nil {
				t.Fatal(err)
			}
			task, err := vta.ParseListing(source.NewFile("after.vta", string(a.Files[1].Data)), vta.Configs[0])
			if err != nil {
				t.Fatal(err)
			}
			r, err := Check(t.Context(), before, task, Options{Options: equiv.Options{Timeout: hang}, Sequential: strings.Contains(head, "--sequential")})
			if err != nil || r.Verdict.String() != want {
				t.Fatalf("%s (%s): %v, want %s", r.Verdict, r.Detail, err, want)
			}
			if r.Reason != "race" && r.Reason != "deadlock" || r.Verdict != equiv.Refuted {
				return
			}
			_, dead, err := race.Follow(task, source.NewFile("schedule", r.Counterexample.Schedule))
			if err != nil || (dead != nil) != (r.Reason == "deadlock") {
				t.Errorf("%s: the schedule ends in %+v, %v", r.Reason, dead, err)
			}
		})
	}
}
