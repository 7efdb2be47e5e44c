package cluster

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tv/fuzz"
)

var began = time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)

// historyText prints moments: seconds since the beginning, and numbers.
func historyText(list []Moment) string {
	var b strings.Builder
	for _, m := range list {
		fmt.Fprintf(&b, "%g:%d/%d/%d/%d/%d ", m.Time.Sub(began).Seconds(), m.Ranges, m.Cases, m.Coverage, m.Findings, m.Workers)
	}
	return strings.TrimSuffix(b.String(), " ")
}

// TestHistory: results and findings count from when the server had them on; a clock that was set back by an hour makes time stand
// still, and neither loses nor repeats anything; where nothing comes any more the line goes on to now, but not beyond the end.
func TestHistory(t *testing.T) {
	type written struct {
		second  float64
		worker  string // "": a finding
		covered string
	}
	for _, test := range []struct {
		name   string
		ranges int64
		list   []written
		now    float64
		want   string
	}{
		{"nothing", 3, nil, 9, ""},
		{"in order", 3, []written{{0.2, "a", "x y"}, {0.3, "", ""}, {0.4, "b", "y z"}, {0.6, "a", ""}}, 0.7,
			"0:0/0/0/0/0 0.1:0/0/0/0/0 0.2:1/16/2/0/1 0.3:1/16/2/1/1 0.4:2/32/3/1/2 0.5:2/32/3/1/2 0.6:3/48/3/1/2"},
		{"under way", 4, []written{{0.1, "a", "x"}}, 0.3, "0:0/0/0/0/0 0.1:1/16/1/0/1 0.2:1/16/1/0/1 0.3:1/16/1/0/1"},
		{"no clock of the server", 4, []written{{0.1, "a", "x"}}, -1e9, "0:0/0/0/0/0 0.1:1/16/1/0/1"},
		{"a clock that was set back", 4, []written{{0.2, "a", "x"}, {-3600, "b", "y"}, {0.3, "a", ""}}, 0.3,
			"0:0/0/0/0/0 0.1:0/0/0/0/0 0.2:2/32/2/0/2 0.3:3/48/2/0/2"},
		{"a worker that is gone", 9, []written{{0, "a", ""}, {50, "b", ""}}, 100,
			"0:0/0/0/0/0 1:1/16/0/0/1 2:1/16/0/0/1 ... 30:1/16/0/0/1 31:1/16/0/0/0 ... 49:1/16/0/0/0 50:2/32/0/0/1 51:2/32/0/0/1 ... 80:2/32/0/0/1 81:2/32/0/0/0 ... 100:2/32/0/0/0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := newLedger(nil, nil)
			l.Cases, l.Size = test.ranges*leastSize, leastSize
			for i, w := range test.list {
				at := began.Add(time.Duration(w.second * float64(time.Second)))
				if w.worker == "" {
					l.findings[fmt.Sprint(i)] = &kept{&fuzz.Finding{}, at, uint64(i)}
					continue
				}
				pairs := map[string]int64{}
				for _, pair := range strings.Fields(w.covered) {
					pairs[pair] = 0
				}
				l.results[int64(i)] = &entry{result{Range: int64(i), Cases: leastSize, Worker: w.worker, Covered: pairs}, at, uint64(i)}
			}
			got := historyText(l.history(began, began.Add(time.Duration(test.now*float64(time.Second)))))
			at := 0
			for _, part := range strings.Split(test.want, " ... ") {
				i := strings.Index(got[at:]+" ", part+" ")
				if i < 0 || at == 0 && i > 0 {
					t.Fatalf("got\n%s\nwant\n%s", got, test.want)
				}
				at += i + len(part)
			}
			if at != len(got) {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// TestStepOf: a history has as many moments as a plot can show, however long it is.
func TestStepOf(t *testing.T) {
	for whole, want := range map[time.Duration]time.Duration{0: 100 * time.Millisecond, 12 * time.Second: 100 * time.Millisecond, 13 * time.Second: 200 * time.Millisecond,
		time.Hour: 30 * time.Second, 61 * time.Minute: time.Minute, 120 * 24 * time.Hour: 24 * time.Hour, 121 * 24 * time.Hour: 48 * time.Hour} {
		if got := StepOf(whole, moments); got != want {
			t.Errorf("StepOf(%v) = %v, want %v", whole, got, want)
		}
	}
}
