package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tv/fuzz"
	"tv/internal/source"
	"tv/internal/visible"
)

// A Status is how far a campaign is.
type Status struct {
	Campaign string         `json:"campaign"`
	Build    string         `json:"build"`
	Target   string         `json:"target"`          // or the command, of a batch
	Batch    bool           `json:"batch,omitempty"` // cases are parts of the questions of a command line
	Seed     uint64         `json:"seed,string"`
	Cases    int64          `json:"cases"`    // of the whole
	Done     int64          `json:"done"`     // cases of ranges with a result
	Ranges   int64          `json:"ranges"`   // of the whole
	Left     int64          `json:"left"`     // without a result
	UnderWay int            `json:"underWay"` // with a worker that is alive, or was not long ago
	Coverage int64          `json:"coverage"`
	Refused  int            `json:"refused"` // messages that were set aside
	Workers  []WorkerStatus `json:"workers"` // that wrote results, by name
	Findings []FoundStatus  `json:"findings"`
	History  []Moment       `json:"history"` // the first is when the campaign began; without a result there is none
}

// A WorkerStatus is what a worker did.
type WorkerStatus struct {
	Name   string    `json:"name"`
	Ranges int64     `json:"ranges"`
	Cases  int64     `json:"cases"`
	Last   time.Time `json:"last"` // when the server, by its clock, had the last result
}

// A FoundStatus is a finding in short.
type FoundStatus struct {
	Case int64  `json:"case"`
	Key  string `json:"key"`
}

// A Viewer looks at the campaigns of a server, again and again: each time it reads what was written since.
type Viewer struct {
	server  Server
	nc      *nats.Conn
	js      jetstream.JetStream
	log     func(text string)
	ledgers map[string]*ledger
}

// View connects to a server. log is told of lost connections and of entries that no worker wrote.
// Errors: *source.Error with code cluster-server.
func View(s Server, log func(text string)) (*Viewer, error) {
	nc, js, err := s.connect(log)
	if err != nil {
		return nil, err
	}
	return &Viewer{server: s, nc: nc, js: js, log: log, ledgers: map[string]*ledger{}}, nil
}

// Close ends the connection.
func (v *Viewer) Close() { v.nc.Close() }

// Status returns how far the campaigns are, by their ids. One call at a time.
// Errors: *source.Error with code cluster-server, also where the context ends first.
func (v *Viewer) Status(ctx context.Context) ([]Status, error) {
	ids, err := v.ids(ctx)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(v.ledgers, func(id string, _ *ledger) bool { return !slices.Contains(ids, id) })
	out := []Status{}
	for _, id := range ids {
		l, err := v.ledger(ctx, id)
		if own := (*source.Error)(nil); errors.As(err, &own) { // a bucket of others, or of another version
			v.log(err.Error())
			continue
		}
		if err != nil {
			return nil, v.server.fail(err)
		}
		status, err := l.status(ctx)
		if err != nil {
			return nil, v.server.fail(err)
		}
		out = append(out, *status)
	}
	return out, nil
}

// ids are those of the buckets of campaigns, sorted.
func (v *Viewer) ids(ctx context.Context) (ids []string, err error) {
	names := v.js.KeyValueStoreNames(ctx)
	for name := range names.Name() {
		if id, ok := strings.CutPrefix(name, bucketPrefix); ok {
			ids = append(ids, id)
		}
	}
	if err := names.Error(); err != nil && !errors.Is(err, jetstream.ErrEndOfData) {
		return nil, v.server.fail(err)
	}
	slices.Sort(ids)
	return ids, nil
}

// ledger opens that of a campaign, unless it is open. One that was forgotten and began anew is another.
func (v *Viewer) ledger(ctx context.Context, id string) (*ledger, error) {
	fresh, err := read(ctx, v.js, id, v.log)
	if err != nil {
		delete(v.ledgers, id)
		return nil, err
	}
	if l := v.ledgers[id]; l != nil && l.created.Equal(fresh.created) {
		return l, nil
	}
	v.ledgers[id] = fresh
	return fresh, nil
}

// ReadStatus looks once. See [View] and [Viewer.Status].
func ReadStatus(ctx context.Context, s Server, log func(text string)) ([]Status, error) {
	v, err := View(s, log)
	if err != nil {
		return nil, err
	}
	defer v.Close()
	return v.Status(ctx)
}

// read opens the ledger of a campaign without a change to it. Errors: *source.Error where the bucket holds none.
func read(ctx context.Context, js jetstream.JetStream, id string, log func(string)) (*ledger, error) {
	l := newLedger(js, log)
	err := again(ctx, func(ctx context.Context) (err error) {
		if l.bucket, err = js.KeyValue(ctx, bucketPrefix+id); err != nil {
			return err
		}
		start, err := l.bucket.Get(ctx, keyStart)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			return refused(bucketPrefix+id, "has no campaign")
		}
		if err != nil {
			return err
		}
		d := &l.description
		if err = decode(start.Value(), d); err == nil {
			err = d.check(id)
		}
		if err != nil {
			return refused(bucketPrefix+id, "%v", err)
		}
		l.created = start.Created()
		if l.queue, err = js.Stream(ctx, streamPrefix+id); err == nil {
			l.orders, err = l.queue.Consumer(ctx, "workers")
		}
		if errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrConsumerNotFound) {
			return refused(bucketPrefix+id, "has no queue: its first worker is about to make it, or ended before it did")
		}
		return err
	})
	return l, err
}

// status sums up what the ledger says.
func (l *ledger) status(ctx context.Context) (*Status, error) {
	out := &Status{Campaign: l.Campaign, Build: l.Build, Target: l.Start.Target, Batch: l.Batch, Seed: l.Start.Seed, Cases: l.Cases, Ranges: l.ranges(),
		Workers: []WorkerStatus{}, Findings: []FoundStatus{}, History: []Moment{}}
	if err := l.poll(ctx, func(f *fuzz.Finding) {}); err != nil {
		return nil, err
	}
	var now time.Time
	err := again(ctx, func(ctx context.Context) error {
		info, err := l.orders.Info(ctx)
		if err == nil {
			out.UnderWay, now = info.NumAckPending, info.TimeStamp
		}
		return err
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	out.Done, out.Coverage = l.covered()
	out.Left, out.Refused = out.Ranges-int64(len(l.results)), l.refused
	workers := map[string]*WorkerStatus{}
	for _, r := range l.results {
		w := workers[r.Worker]
		if w == nil {
			w = &WorkerStatus{Name: r.Worker}
			workers[r.Worker] = w
		}
		w.Ranges++
		w.Cases += r.Cases
		if r.at.After(w.Last) {
			w.Last = r.at
		}
	}
	for _, w := range workers {
		out.Workers = append(out.Workers, *w)
	}
	for _, f := range l.findings {
		out.Findings = append(out.Findings, FoundStatus{f.Case, f.Key})
	}
	out.History = append(out.History, l.history(l.created, now)...)
	slices.SortFunc(out.Workers, func(a, b WorkerStatus) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(out.Findings, func(a, b FoundStatus) int { return cmp.Compare(a.Case, b.Case) })
	return out, err
}

// String prints a status for people.
func (s *Status) String() string {
	var b strings.Builder
	if s.Batch {
		fmt.Fprintf(&b, "%s: questions of tv %s: %d of %d parts\n", visible.Line(s.Campaign), visible.Line(s.Target), s.Done, s.Cases)
	} else {
		fmt.Fprintf(&b, "%s: %s, seed %d: %d of %d cases, coverage %d, %d findings\n", visible.Line(s.Campaign), visible.Line(s.Target), s.Seed, s.Done, s.Cases, s.Coverage, len(s.Findings))
	}
	if s.Left > 0 {
		fmt.Fprintf(&b, "  %d of %d ranges are left, %d of them under way\n", s.Left, s.Ranges, s.UnderWay)
	}
	if s.Refused > 0 {
		fmt.Fprintf(&b, "  %d messages were set aside\n", s.Refused)
	}
	for _, w := range s.Workers {
		fmt.Fprintf(&b, "  %.80q: %d ranges, %d cases, the last at %s\n", w.Name, w.Ranges, w.Cases, w.Last.UTC().Format(time.RFC3339))
	}
	for _, f := range s.Findings {
		fmt.Fprintf(&b, "  case %d: %.200q\n", f.Case, f.Key)
	}
	return b.String()
}
