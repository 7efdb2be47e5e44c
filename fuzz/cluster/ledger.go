package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tv/fuzz"
	"tv/internal/source"
)

// Keys of a bucket.
const (
	keyStart   = "start"
	keyMark    = "mark"
	keyRange   = "range."   // and its number
	keyFinding = "finding." // and the digest of what it is known by
	keyRefused = "refused." // and the number of the message
	keyPiece   = "piece."   // and the digest of a value that is longer than a message, and a number
)

// bucketPrefix and the id of a campaign are the name of its bucket; streamPrefix and the id that of its queue.
const (
	bucketPrefix = "tv-"
	streamPrefix = "tv-queue-"
)

// A ledger is the queue and the bucket of a campaign on a server.
type ledger struct {
	description
	js     jetstream.JetStream
	bucket jetstream.KeyValue
	queue  jetstream.Stream
	orders jetstream.Consumer
	log    func(text string)

	created time.Time // when the server, by its clock, had the description; of a ledger that is read

	mu       sync.Mutex // held by poll
	revision uint64     // of the last entry that was read
	results  map[int64]*entry
	findings map[string]*kept
	refused  int
}

// An entry is a result and when the server, by its clock, had it.
type entry struct {
	result
	at       time.Time
	revision uint64
}

func newLedger(js jetstream.JetStream, log func(string)) *ledger {
	return &ledger{js: js, log: log, results: map[int64]*entry{}, findings: map[string]*kept{}}
}

// open opens the ledger of a campaign, which the first worker makes. A range whose worker says nothing for so long goes
// to another. Errors: *source.Error with code cluster-build where workers of another build have made it.
func open(ctx context.Context, js jetstream.JetStream, want description, ackWait time.Duration, log func(string)) (*ledger, error) {
	l := newLedger(js, log)
	l.description = want
	err := again(ctx, func(ctx context.Context) (err error) {
		l.bucket, err = js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: bucketPrefix + want.Campaign, Storage: jetstream.FileStorage})
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := l.describe(ctx); err != nil {
		return nil, err
	}
	return l, again(ctx, func(ctx context.Context) (err error) {
		l.queue, err = js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: streamPrefix + l.Campaign, Subjects: []string{l.subject()},
			Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage})
		if err != nil {
			return err
		}
		l.orders, err = l.queue.CreateConsumer(ctx, jetstream.ConsumerConfig{Durable: "workers", AckPolicy: jetstream.AckExplicitPolicy,
			AckWait: ackWait, MaxDeliver: -1, MaxAckPending: -1})
		if errors.Is(err, jetstream.ErrConsumerExists) { // of a worker with another patience
			l.orders, err = l.queue.Consumer(ctx, "workers")
		}
		return err
	})
}

// describe writes what the campaign is, or compares it with what the first worker wrote.
func (l *ledger) describe(ctx context.Context) error {
	return again(ctx, func(ctx context.Context) error {
		_, err := l.bucket.Create(ctx, keyStart, encode(l.description))
		if !errors.Is(err, jetstream.ErrKeyExists) {
			return err
		}
		e, err := l.bucket.Get(ctx, keyStart)
		if err != nil {
			return err
		}
		var there description
		if err := decode(e.Value(), &there); err != nil {
			return refused(keyStart, "%v", err)
		}
		if there.Build != l.Build && there.Schema == l.Schema {
			return &source.Error{Code: CodeBuild, Msg: fmt.Sprintf("campaign %s is run by build %.40s of tv, and this is build %s: "+
				"what their cases are may differ", l.Campaign, there.Build, l.Build)}
		}
		if err := there.belongs(l.envelope); err != nil {
			return refused(keyStart, "%v", err)
		}
		if there != l.description {
			return refused(keyStart, "describes another campaign")
		}
		return nil
	})
}

// subject is that of the messages of the queue.
func (l *ledger) subject() string { return "tv." + l.Campaign + ".ranges" }

// publish adds ranges to the queue. Of messages that are published twice within minutes, under names that begin with the
// same prefix, the server keeps one.
func (l *ledger) publish(ctx context.Context, prefix string, ranges []int64) error {
	var futures []jetstream.PubAckFuture
	for _, n := range ranges {
		m := &nats.Msg{Subject: l.subject(), Data: encode(order{l.envelope, n})}
		f, err := l.js.PublishMsgAsync(m, jetstream.WithMsgID(fmt.Sprintf("%s.%d", prefix, n)))
		if err != nil {
			return err
		}
		futures = append(futures, f)
	}
	for _, f := range futures {
		select {
		case <-f.Ok():
		case err := <-f.Err():
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// atOnce is how many ranges are published at once.
const atOnce = 512

// fill publishes the next ranges and moves the mark. It returns false where all have been published.
func (l *ledger) fill(ctx context.Context) (filled bool, err error) {
	err = again(ctx, func(ctx context.Context) error {
		m, revision, err := l.readMark(ctx)
		if err != nil || m.Next >= l.ranges() {
			return err
		}
		next := min(m.Next+atOnce, l.ranges())
		if err := l.publish(ctx, "fill", upTo(m.Next, next)); err != nil {
			return err
		}
		filled = true
		m.Next = next
		return l.moveMark(ctx, m, revision)
	})
	return filled, err
}

// putBack publishes ranges again.
func (l *ledger) putBack(ctx context.Context, ranges []int64) error {
	return again(ctx, func(ctx context.Context) error {
		m, revision, err := l.readMark(ctx)
		if err != nil {
			return err
		}
		m.Round++
		if err := l.publish(ctx, fmt.Sprintf("back.%d", m.Round), ranges); err != nil {
			return err
		}
		return l.moveMark(ctx, m, revision)
	})
}

// readMark returns the mark and its revision; where there is none, or one that no worker wrote, all is to be published.
func (l *ledger) readMark(ctx context.Context) (m mark, revision uint64, err error) {
	e, err := l.bucket.Get(ctx, keyMark)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return mark{envelope: l.envelope}, 0, nil
	}
	if err != nil {
		return m, 0, err
	}
	if err := decode(e.Value(), &m); err != nil || m.belongs(l.envelope) != nil || m.Next < 0 || m.Next > l.ranges() {
		m = mark{envelope: l.envelope}
	}
	return m, e.Revision(), nil
}

// moveMark writes the mark unless another worker did: then that one published the same.
func (l *ledger) moveMark(ctx context.Context, m mark, revision uint64) error {
	_, err := l.bucket.Update(ctx, keyMark, encode(m), revision)
	if isConflict(err) {
		return nil
	}
	return err
}

// isConflict tells the error of a compare-and-swap that another won.
func isConflict(err error) bool {
	api := (*jetstream.APIError)(nil)
	return errors.Is(err, jetstream.ErrKeyExists) || errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence ||
		api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// upTo lists the numbers from first to end-1.
func upTo(first, end int64) []int64 {
	out := make([]int64, 0, end-first)
	for n := first; n < end; n++ {
		out = append(out, n)
	}
	return out
}

// empty tells whether no range waits, and none is with a worker.
func (l *ledger) empty(ctx context.Context) (bool, error) {
	var messages uint64
	err := again(ctx, func(ctx context.Context) error {
		info, err := l.queue.Info(ctx)
		if err == nil {
			messages = info.State.Msgs
		}
		return err
	})
	return messages == 0, err
}

// poll reads the entries that were written since it was last called, and calls seen for each finding that is new.
func (l *ledger) poll(ctx context.Context, seen func(f *fuzz.Finding)) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return again(ctx, func(ctx context.Context) error {
		w, err := l.bucket.Watch(ctx, ">", jetstream.ResumeFromRevision(l.revision+1))
		if err != nil {
			return err
		}
		defer w.Stop()
		for {
			select {
			case e, ok := <-w.Updates():
				if !ok {
					return errCut
				}
				if e == nil { // that was all
					return nil
				}
				if e.Revision() > l.revision {
					if err := l.take(ctx, e, seen); err != nil {
						return err
					}
					l.revision = e.Revision()
				}
			case <-ctx.Done():
				return errCut
			}
		}
	})
}

// take reads an entry. One that no worker wrote counts for nothing, and is written anew by who has a right one.
// Errors: those of the server.
func (l *ledger) take(ctx context.Context, e jetstream.KeyValueEntry, seen func(f *fuzz.Finding)) error {
	fail := func(err error) error {
		if ctx.Err() != nil || transient(err) {
			return err
		}
		l.log(refused(e.Key(), "%v", err).Error())
		return nil
	}
	switch key := e.Key(); {
	case strings.HasPrefix(key, keyRange):
		n, err := strconv.ParseInt(key[len(keyRange):], 10, 64)
		if err != nil || n < 0 || n >= l.ranges() {
			return fail(errors.New("is no range of this campaign"))
		}
		delete(l.results, n)
		r, err := l.readResult(ctx, e, n)
		if err != nil {
			return fail(err)
		}
		l.results[n] = &entry{*r, e.Created(), e.Revision()}
	case strings.HasPrefix(key, keyFinding):
		name := key[len(keyFinding):]
		f, err := l.readFinding(ctx, e, name)
		if err != nil {
			delete(l.findings, name)
			return fail(err)
		}
		isNew := l.findings[name] == nil
		l.findings[name] = &kept{f, e.Created(), e.Revision()}
		if isNew {
			seen(f)
		}
	case strings.HasPrefix(key, keyRefused):
		l.refused++
	}
	return nil
}

// readResult and readFinding read an entry. Errors: what is wrong with it; those of the server, which [transient] knows.
func (l *ledger) readResult(ctx context.Context, e jetstream.KeyValueEntry, n int64) (*result, error) {
	r := &result{}
	data, err := l.value(ctx, e)
	if err == nil {
		err = decode(data, r)
	}
	if err != nil {
		return nil, err
	}
	return r, r.check(&l.description, n)
}

func (l *ledger) readFinding(ctx context.Context, e jetstream.KeyValueEntry, digest string) (*fuzz.Finding, error) {
	f := &found{}
	data, err := l.value(ctx, e)
	if err == nil {
		err = decode(data, f)
	}
	if err != nil {
		return nil, err
	}
	return &f.Finding, f.check(&l.description, digest)
}

// missing lists the ranges that had no result when poll was last called.
func (l *ledger) missing() (out []int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for n := range l.ranges() {
		if l.results[n] == nil {
			out = append(out, n)
		}
	}
	return out
}

// done tells whether a range had a result when poll was last called.
func (l *ledger) done(n int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.results[n] != nil
}

// store writes the result of a range, unless there is one.
func (l *ledger) store(ctx context.Context, r *result) (stored bool, err error) {
	r.envelope = l.envelope
	return l.swap(ctx, keyRange+strconv.FormatInt(r.Range, 10), encode(r), func(ctx context.Context, e jetstream.KeyValueEntry) (bool, error) {
		_, err := l.readResult(ctx, e, r.Range)
		return err != nil, err
	})
}

// known tells whether there is a finding by the same key of this case, or one before it.
func (l *ledger) known(key string, k int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.findings[KeyDigest(key)]
	return f != nil && f.Case <= k
}

// report writes a finding, unless there is one by the same key of a case before it.
func (l *ledger) report(ctx context.Context, f fuzz.Finding) error {
	name := KeyDigest(f.Key)
	_, err := l.swap(ctx, keyFinding+name, encode(found{l.envelope, f}), func(ctx context.Context, e jetstream.KeyValueEntry) (bool, error) {
		there, err := l.readFinding(ctx, e, name)
		return err != nil || f.Case < there.Case, err
	})
	return err
}

// swap writes an entry where there is none, or one that is to be replaced. What is wrong with one that is there is no error.
func (l *ledger) swap(ctx context.Context, key string, value []byte, replace func(ctx context.Context, there jetstream.KeyValueEntry) (bool, error),
) (done bool, err error) {
	if value, err = l.shorten(ctx, value); err != nil {
		return false, err
	}
	look := false // most often there is none: it is looked for where the server says that there is
	for {
		err = again(ctx, func(ctx context.Context) error {
			done = false
			revision := uint64(0)
			if look {
				e, err := l.bucket.Get(ctx, key)
				switch {
				case err == nil:
					if instead, err := replace(ctx, e); !instead || err != nil && (transient(err) || ctx.Err() != nil) {
						return err
					}
					revision = e.Revision()
				case !errors.Is(err, jetstream.ErrKeyNotFound):
					return err
				}
			}
			_, err = l.bucket.Update(ctx, key, value, revision)
			done = err == nil
			return err
		})
		if !isConflict(err) {
			return done, err
		}
		look = true
	}
}

// setAside notes that a message of the queue was refused.
func (l *ledger) setAside(ctx context.Context, number uint64, reason error) error {
	return again(ctx, func(ctx context.Context) error {
		_, err := l.bucket.Put(ctx, keyRefused+strconv.FormatUint(number, 10), encode(setAside{l.envelope, reason.Error()}))
		return err
	})
}

// lines is the report of the campaign, when every range has a result.
func (l *ledger) lines() *fuzz.Lines {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := &fuzz.Lines{Start: l.Start, End: &fuzz.End{Line: "end", Findings: int64(len(l.findings))}}
	for _, f := range l.findings {
		out.Findings = append(out.Findings, *f.Finding)
	}
	slices.SortFunc(out.Findings, func(a, b fuzz.Finding) int { return int(a.Case - b.Case) })
	out.End.Cases, out.End.Coverage = l.covered()
	return out
}

// covered counts the cases of the results, and what they covered.
func (l *ledger) covered() (cases, coverage int64) {
	pairs := map[string]bool{}
	for _, r := range l.results {
		cases += r.Cases
		for pair := range r.Covered {
			pairs[pair] = true
		}
	}
	return cases, int64(len(pairs))
}
