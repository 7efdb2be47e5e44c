package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tv/fuzz"
	"tv/internal/source"
)

// A Status is how far a campaign is.
type Status struct {
	Campaign string         `json:"campaign"`
	Build    string         `json:"build"`
	Target   string         `json:"target"`
	Seed     uint64         `json:"seed,string"`
	Cases    int64          `json:"cases"`    // of the whole
	Done     int64          `json:"done"`     // of ranges with a result
	Ranges   int64          `json:"ranges"`   // of the whole
	Left     int64          `json:"left"`     // without a result
	UnderWay int            `json:"underWay"` // with a worker that is alive, or was not long ago
	Coverage int64          `json:"coverage"`
	Refused  int            `json:"refused"` // messages that were set aside
	Workers  []WorkerStatus `json:"workers"` // that wrote results, by name
	Findings []FoundStatus  `json:"findings"`
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

// ReadStatus returns how far the campaigns of a server are, by their ids. log is told of entries that no worker wrote.
// Errors: *source.Error with code cluster-server.
func ReadStatus(ctx context.Context, s Server, log func(text string)) ([]Status, error) {
	nc, js, err := s.connect(log)
	if err != nil {
		return nil, err
	}
	defer nc.Close()
	var ids []string
	names := js.KeyValueStoreNames(ctx)
	for name := range names.Name() {
		if id, ok := strings.CutPrefix(name, bucketPrefix); ok {
			ids = append(ids, id)
		}
	}
	if err := names.Error(); err != nil && !errors.Is(err, jetstream.ErrEndOfData) {
		return nil, s.fail(err)
	}
	slices.Sort(ids)
	var out []Status
	for _, id := range ids {
		l, err := read(ctx, js, id, log)
		if own := (*source.Error)(nil); errors.As(err, &own) { // a bucket of others, or of another version
			log(err.Error())
			continue
		}
		if err != nil {
			return nil, s.fail(err)
		}
		status, err := l.status(ctx)
		if err != nil {
			return nil, s.fail(err)
		}
		out = append(out, *status)
	}
	return out, nil
}

// read opens the ledger of a campaign without a change to it. Errors: *source.Error where the bucket holds none.
func read(ctx context.Context, js jetstream.JetStream, id string, log func(string)) (*ledger, error) {
	l := &ledger{js: js, log: log, results: map[int64]*entry{}, findings: map[string]*fuzz.Finding{}}
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
		if err := decode(start.Value(), d); err != nil || d.belongs(envelope{Schema, id, d.Build}) != nil || d.Cases < 1 || d.Size != sizeOf(d.Cases) {
			return refused(bucketPrefix+id, "describes no campaign of version %s", Schema)
		}
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
	out := &Status{Campaign: l.Campaign, Build: l.Build, Target: l.Start.Target, Seed: l.Start.Seed, Cases: l.Cases, Ranges: l.ranges(),
		Workers: []WorkerStatus{}, Findings: []FoundStatus{}}
	if err := l.poll(ctx, func(f *fuzz.Finding) {}); err != nil {
		return nil, err
	}
	err := again(ctx, func(ctx context.Context) error {
		info, err := l.orders.Info(ctx)
		if err == nil {
			out.UnderWay = info.NumAckPending
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
	slices.SortFunc(out.Workers, func(a, b WorkerStatus) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(out.Findings, func(a, b FoundStatus) int { return cmp.Compare(a.Case, b.Case) })
	return out, err
}

// String prints a status for people.
func (s *Status) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, seed %d: %d of %d cases, coverage %d, %d findings\n", s.Campaign, s.Target, s.Seed, s.Done, s.Cases, s.Coverage, len(s.Findings))
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
