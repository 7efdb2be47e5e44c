package cluster

import (
	"slices"
	"time"

	"tv/fuzz"
)

// A Moment is how far a campaign was at a time.
type Moment struct {
	Time     time.Time `json:"time"` // by the server's clock
	Ranges   int64     `json:"ranges"`
	Cases    int64     `json:"cases"`
	Coverage int64     `json:"coverage"`
	Findings int64     `json:"findings"`
	Workers  int64     `json:"workers"` // that wrote a result within the step before, or the last half minute if that is longer
}

// moments is how many a history has at most, but for the last.
const moments = 120

// alive is how long a worker counts as there after its last result.
const alive = 30 * time.Second

// steps are the times between two moments that people read; above them, multiples of the last.
var steps = []time.Duration{100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 5 * time.Second,
	10 * time.Second, 15 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute,
	30 * time.Minute, time.Hour, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour}

// StepOf is the least of the steps that people read by which a time has no more than so many parts.
func StepOf(whole time.Duration, parts int) time.Duration {
	n := time.Duration(parts)
	for _, step := range steps {
		if whole <= n*step {
			return step
		}
	}
	day := steps[len(steps)-1]
	return (whole/n/day + 1) * day
}

// An event is an entry that was written: a result, or else a finding.
type event struct {
	at       time.Time
	revision uint64
	result   *result
}

// history is how a campaign got where it is. Nothing is kept for it: each entry has the time at which the server had it,
// so that it is there whoever asks, and after a restart. A clock of the server that is set back makes time stand still.
// now is the server's too; zero where it is not known.
//
// The ledger's mu is held.
func (l *ledger) history(start, now time.Time) []Moment {
	var events []event
	for _, r := range l.results {
		events = append(events, event{r.at, r.revision, &r.result})
	}
	for _, f := range l.findings {
		events = append(events, event{f.at, f.revision, nil})
	}
	slices.SortFunc(events, func(a, b event) int { return int(int64(a.revision) - int64(b.revision)) })
	last := start
	for i := range events {
		if events[i].at.Before(last) {
			events[i].at = last
		}
		last = events[i].at
	}
	if len(events) == 0 {
		return nil
	}
	if now.After(last) && int64(len(l.results)) < l.ranges() { // it goes on, or should
		last = now
	}
	step := StepOf(last.Sub(start), moments)
	m := Moment{Time: start}
	out := []Moment{m}
	covered, seen := map[string]bool{}, map[string]time.Time{}
	for at := start.Add(step); ; at = at.Add(step) {
		if at.After(last) {
			at = last
		}
		for len(events) > 0 && !events[0].at.After(at) {
			m.count(events[0], covered, seen)
			events = events[1:]
		}
		m.Time, m.Workers = at, 0
		for _, when := range seen {
			if at.Sub(when) <= max(step, alive) {
				m.Workers++
			}
		}
		out = append(out, m)
		if !at.Before(last) {
			return out
		}
	}
}

// count adds an event.
func (m *Moment) count(e event, covered map[string]bool, seen map[string]time.Time) {
	if e.result == nil {
		m.Findings++
		return
	}
	m.Ranges++
	m.Cases += e.result.Cases
	for pair := range e.result.Covered {
		covered[pair] = true
	}
	m.Coverage = int64(len(covered))
	seen[e.result.Worker] = e.at
}

// A kept is a finding, and when the server, by its clock, had it.
type kept struct {
	*fuzz.Finding
	at       time.Time
	revision uint64
}
