package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"tv/fuzz"
	"tv/internal/source"
)

// A Campaign is one that all workers with the same target, flags, seed and number of cases run together.
type Campaign struct {
	Target  fuzz.Target
	Flags   []string // those of the command line that change what is asked and are not in the target's ID
	Seed    uint64
	Cases   int64         // of all workers together
	Tool    string        // of the report: "tv v1.2.3"
	Jobs    int           // ranges at a time; 0 means 1
	AckWait time.Duration // a range whose worker says nothing for so long goes to another; 0 means 30 seconds
	Build   string        // see [Build]
	Corpus  string        // directory that is replayed, and that ends as that of one run of the whole; "" keeps nothing
	// Log says what the report does not: lost connections, messages that were set aside, findings as they come in.
	// Jobs call it at the same time.
	Log func(text string)
	// Warn says what was set aside of a damaged corpus; nil: nobody is told.
	Warn func(text string)

	cases, coverage, findings atomic.Int64
}

// defaultAckWait is long enough that a worker on a busy machine keeps its range.
const defaultAckWait = 30 * time.Second

// Progress is that of all workers. It may be asked while Run runs.
func (c *Campaign) Progress() fuzz.Progress {
	return fuzz.Progress{Cases: c.cases.Load(), Coverage: c.coverage.Load(), Findings: c.findings.Load()}
}

// ID names the campaign: a digest of what is hunted, of the seed and of the number of cases.
func (c *Campaign) ID() string {
	return digest(c.Target.Name(), c.Target.ID(), strings.Join(c.Flags, "\x01"), fmt.Sprint(c.Seed), fmt.Sprint(c.Cases))
}

// Start is the first line of the report.
func (c *Campaign) Start() fuzz.Start {
	whole := fuzz.Campaign{Target: c.Target, Seed: c.Seed}
	return whole.Start(c.Tool, fmt.Sprintf("%dx", c.Cases))
}

// Run works until every range of the campaign has a result, whoever ran it, and returns the report of the whole: what
// [fuzz.Merge] would say of its shards, but that Coverage is that of all together. With a corpus it begins with what that still
// shows wrong, and each finding has its file. The report is there too where a file could not be written.
//
// Errors: the context's; *source.Error with code cluster-server, cluster-build or cluster-message; those of the corpus.
func (c *Campaign) Run(ctx context.Context, s Server) (*fuzz.Lines, error) {
	nc, js, err := s.connect(c.Log)
	if err != nil {
		return nil, err
	}
	defer nc.Close()
	var reported []fuzz.Finding
	var keeper *fuzz.Keeper
	if c.Corpus != "" {
		keeper, err = fuzz.Keep(ctx, c.Target, c.Seed, c.Jobs, c.Corpus, c.Warn, func(f fuzz.Finding) { reported = append(reported, f) })
		if err != nil {
			return nil, err
		}
	}
	w, err := c.work(ctx, js)
	if err != nil {
		return nil, s.own(ctx, err)
	}
	out := w.lines()
	if keeper == nil {
		return out, nil
	}
	err = s.own(ctx, c.keep(ctx, w, keeper))
	p := keeper.Progress()
	out.Findings, out.End.Coverage, out.End.Findings, out.End.SetAside = reported, p.Coverage, p.Findings, p.SetAside
	return out, err
}

// work runs all jobs until the campaign ends.
func (c *Campaign) work(ctx context.Context, js jetstream.JetStream) (*worker, error) {
	d := description{envelope{Schema, c.ID(), c.Build}, c.Start(), c.Cases, sizeOf(c.Cases), false}
	ackWait := cmp.Or(c.AckWait, defaultAckWait)
	l, err := open(ctx, js, d, ackWait, c.Log)
	if err != nil {
		return nil, err
	}
	w := &worker{ledger: l, name: workerName(), beat: ackWait / 3, shared: map[string]int64{}}
	w.runner = func() func(context.Context, int64) error {
		runner := c.Target.Worker()
		return func(ctx context.Context, n int64) error { return w.run(ctx, c, runner, n) }
	}
	w.seen = func(f *fuzz.Finding) { c.Log(fmt.Sprintf("a finding of case %d: %s", f.Case, f.Key)) }
	w.looked = func(cases, coverage, findings int64) {
		c.cases.Store(cases)
		c.coverage.Store(coverage)
		c.findings.Store(findings)
	}
	return w, w.drive(ctx, c.Jobs)
}

// drive runs so many jobs until every range has a result.
func (w *worker) drive(ctx context.Context, jobs int) error {
	var g errgroup.Group
	ctx, cancel := context.WithCancelCause(ctx)
	watching, stop := context.WithCancel(ctx)
	var watched sync.WaitGroup
	watched.Go(func() {
		if err := w.watch(watching); err != nil {
			cancel(err)
		}
	})
	defer watched.Wait()
	defer stop()
	defer cancel(nil)
	for range max(1, jobs) {
		g.Go(func() error {
			err := w.loop(ctx)
			if err != nil {
				cancel(err)
			}
			return err
		})
	}
	err := g.Wait()
	if gone := (*source.Error)(nil); err != nil && errors.As(context.Cause(ctx), &gone) { // the jobs wait for a stream that there is no more
		return gone
	}
	return err
}

// workerName tells workers apart for people.
func workerName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "somewhere"
	}
	return fmt.Sprintf("%s/%d", host, os.Getpid())
}

// A worker is this process's share of a campaign.
type worker struct {
	*ledger
	name string
	beat time.Duration // how often the server is told that a range is under way

	runner func() func(ctx context.Context, n int64) error // of a job: what runs a range and writes its result
	seen   func(f *fuzz.Finding)                           // is told of findings, whoever wrote them
	looked func(cases, coverage, findings int64)           // is told of the progress of all workers

	idling sync.Mutex // held by the job that looks whether the campaign has ended

	sharing sync.Mutex
	shared  map[string]int64 // what is in results that this worker wrote, with the least case
}

// watchEvery is how often a worker looks at what others did.
const watchEvery = 500 * time.Millisecond

// watch keeps the progress of all workers, until the context ends. It returns an error where the campaign was forgotten.
func (w *worker) watch(ctx context.Context) error {
	for tick := time.NewTicker(watchEvery); ; {
		select {
		case <-ctx.Done():
			tick.Stop()
			return nil
		case <-tick.C:
			once, cancel := context.WithTimeout(ctx, opTimeout)
			_, err := w.js.KeyValue(once, bucketPrefix+w.Campaign)
			if err == nil {
				_ = w.look(once) // the jobs run into its errors
			}
			cancel()
			if errors.Is(err, jetstream.ErrBucketNotFound) {
				return &source.Error{Name: w.Campaign, Code: CodeForgotten, Msg: "somebody had the server forget the campaign"}
			}
		}
	}
}

// look reads what others wrote.
func (w *worker) look(ctx context.Context) error {
	err := w.poll(ctx, w.seen)
	w.mu.Lock()
	defer w.mu.Unlock()
	cases, coverage := w.covered()
	w.looked(cases, coverage, int64(len(w.findings)))
	return err
}

// loop takes ranges from the queue and runs them, until the campaign has ended.
func (w *worker) loop(ctx context.Context) error {
	run := w.runner()
	for pause := time.Duration(0); ; {
		m, err := w.next(ctx, pause)
		if err != nil {
			return err
		}
		if m != nil {
			if err := w.handle(ctx, run, m); err != nil {
				return err
			}
			pause = 0
			continue
		}
		more, ended, err := w.idle(ctx)
		if ended || err != nil {
			return err
		}
		if pause = watchEvery; more {
			pause = 0
		}
	}
}

// next takes a message from the queue; nil where there is none, also not after a pause.
func (w *worker) next(ctx context.Context, pause time.Duration) (m jetstream.Msg, err error) {
	err = again(ctx, func(context.Context) error {
		var b jetstream.MessageBatch
		var err error
		if pause == 0 {
			b, err = w.orders.FetchNoWait(1)
		} else {
			b, err = w.orders.Fetch(1, jetstream.FetchMaxWait(pause))
		}
		if err != nil {
			return err
		}
		for one := range b.Messages() {
			m = one
		}
		return b.Error()
	})
	return m, err
}

// idle is what a job does that found the queue empty: it fills it, and puts back what got lost. more says that there are
// ranges again, ended that all have results.
func (w *worker) idle(ctx context.Context) (more, ended bool, err error) {
	w.idling.Lock()
	defer w.idling.Unlock()
	if more, err = w.fill(ctx); more || err != nil {
		return more, false, err
	}
	// In this order: what was acknowledged before the queue was empty has its result.
	empty, err := w.empty(ctx)
	if err != nil {
		return false, false, err
	}
	if err := w.look(ctx); err != nil {
		return false, false, err
	}
	missing := w.missing()
	if len(missing) > 0 && empty {
		return true, false, w.putBack(ctx, missing)
	}
	return false, len(missing) == 0, nil
}

// handle runs the range that a message names, writes what came of it, and acknowledges the message then alone.
func (w *worker) handle(ctx context.Context, run func(context.Context, int64) error, m jetstream.Msg) error {
	meta, err := m.Metadata()
	if err != nil {
		return err
	}
	n, err := readOrder(m.Data(), w.envelope, w.ranges())
	if err != nil {
		w.log(refused(fmt.Sprintf("message %d", meta.Sequence.Stream), "%v", err).Error())
		if err := w.setAside(ctx, meta.Sequence.Stream, err); err != nil {
			return err
		}
		return m.Term() // it comes no more
	}
	if meta.NumDelivered > 1 { // another may have been slow, and not dead
		if err := w.look(ctx); err != nil {
			return err
		}
	}
	if w.done(n) {
		return m.Ack()
	}
	beating, stop := context.WithCancel(ctx)
	defer stop()
	go w.keep(beating, m)
	if err := run(ctx, n); err != nil {
		_ = m.Nak() // so that another has it soon; if that does not arrive, the wait ends by itself
		return err
	}
	return m.Ack()
}

// keep tells the server that a message is being worked on, until the context ends.
func (w *worker) keep(ctx context.Context, m jetstream.Msg) {
	for tick := time.NewTicker(w.beat); ; {
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-tick.C:
			_ = m.InProgress() // a server that is gone may be back for the next
		}
	}
}

// run runs a range: its findings are written before its result.
func (w *worker) run(ctx context.Context, c *Campaign, runner fuzz.Worker, n int64) error {
	first, end := w.cases(n)
	stretch, err := fuzz.RunStretch(ctx, c.Target, runner, c.Seed, first, end)
	if err != nil {
		return err
	}
	for _, s := range stretch.Suspects {
		if w.known(s.Suspect.Key, s.Case) {
			continue
		}
		if err := w.report(ctx, s.Finding()); err != nil {
			return err
		}
	}
	fresh := w.fresh(stretch.Covered)
	stored, err := w.store(ctx, &result{Range: n, Cases: end - first, Worker: w.name, Covered: fresh})
	if stored {
		w.share(fresh)
	}
	return err
}

// fresh are those of pairs that no result of this worker has of an earlier case.
func (w *worker) fresh(pairs map[string]int64) map[string]int64 {
	w.sharing.Lock()
	defer w.sharing.Unlock()
	out := map[string]int64{}
	for pair, k := range pairs {
		if there, ok := w.shared[pair]; !ok || k < there {
			out[pair] = k
		}
	}
	return out
}

// share notes what a result has that was written.
func (w *worker) share(pairs map[string]int64) {
	w.sharing.Lock()
	defer w.sharing.Unlock()
	for pair, k := range pairs {
		if there, ok := w.shared[pair]; !ok || k < there {
			w.shared[pair] = k
		}
	}
}
