package fuzz

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"tv/internal/files"
	"tv/internal/mix"
)

// A Target is what a campaign hunts in.
type Target interface {
	// Name is the word after "tv fuzz".
	Name() string
	// ID tells what is hunted apart from all else: the state of a campaign with another ID is not resumed.
	ID() string
	// Worker returns a runner of cases. Workers share nothing that changes.
	Worker() Worker
}

// A Worker runs cases, one at a time.
type Worker interface {
	// Case runs a case, which depends on the seed and its number alone. Where the context ends, what came of it
	// does not count.
	Case(ctx context.Context, seed uint64, k int64) Outcome
	// Covered says what a file of a corpus exercises; it was run before.
	Covered(e *Entry) []string
	// Again runs a case that a file of a corpus holds, without generator or seed.
	// Errors: *source.Error with code corpus-file where it holds none.
	Again(e *Entry) (Outcome, error)
}

// A batcher is a Worker that prepares cases that follow one another, all at once. Case runs what was not prepared too.
type batcher interface {
	Prepare(ctx context.Context, seed uint64, cases []int64)
}

// An Outcome is what came of a case.
type Outcome struct {
	Covered []string // what it exercised: pairs of an operator and one of its operands, say
	// Entry writes the case as a file of a corpus, smaller if that still covers what is wanted; nil where it
	// is none.
	Entry   func(wanted []string) []byte
	Suspect *Suspect // what is wrong, or nil
}

// A Suspect is something wrong that is not worked out yet. Suspects with the same key are one finding.
type Suspect struct {
	Key     string
	Finding func() Finding
}

// A Campaign runs cases of a target. A case depends on the seed and its number alone, so shards of one
// campaign have nothing in common, and together they are the whole.
type Campaign struct {
	Target        Target
	Seed          uint64
	Cases         int64  // the number of cases of all shards together; 0: until the context ends
	Shard, Shards int    // cases k with k mod Shards = Shard; Shards 0 means 1
	Jobs          int    // cases at a time; 0 means 1
	Corpus        string // directory for findings, cases and the state that Resume reads; "" keeps nothing
	Resume        bool   // go on after the last case that a run with the same seed and shard ended with
	First         bool   // end with the first finding

	Warn func(text string) // says in one line what was set aside of a damaged corpus; nil: nobody is told

	writeFile func(name string, data []byte) error // files.WriteAtomic, but for tests

	done     atomic.Int64
	findings atomic.Int64
	coverage atomic.Int64
	aside    atomic.Int64

	covered map[string]bool // changes between blocks only
	known   map[string]bool // keys of findings
	corpus  []*Entry
}

// Progress is how far a campaign is. SetAside counts files of the corpus that hold no case, and were moved out of the way or left
// alone.
type Progress struct {
	Cases, Coverage, Findings, SetAside int64
}

// Progress may be asked while Run runs.
func (c *Campaign) Progress() Progress {
	return Progress{c.done.Load(), c.coverage.Load(), c.findings.Load(), c.aside.Load()}
}

// Blocks of cases after which all workers meet, findings are reported and the state is written: from
// firstBlock cases on, larger while a block takes less than blockTime.
const (
	firstBlock = 32
	mostBlock  = 1 << 16
	blockTime  = 700 * time.Millisecond
)

// chunk is the number of cases of a block that a worker takes at once.
const chunk = 16

// Run replays the corpus, then runs the campaign, and calls report for each finding, in the order of cases,
// after it has been written. It returns the context's error if that ended it before the last case.
func (c *Campaign) Run(ctx context.Context, report func(Finding)) error {
	c.Shards, c.Jobs = max(1, c.Shards), max(1, c.Jobs)
	c.covered, c.known = map[string]bool{}, map[string]bool{}
	if c.writeFile == nil {
		c.writeFile = files.WriteAtomic
	}
	next := int64(c.Shard)
	if c.Corpus != "" {
		if err := files.MakeDirectory(c.Corpus); err != nil {
			return err
		}
		if err := files.Sweep(c.Corpus, named); err != nil {
			return err
		}
		if err := files.Writable(c.stateFile()); err != nil { // so that no case is in vain
			return err
		}
		if c.Resume {
			s, err := c.readState()
			if err != nil {
				return err
			}
			next = max(next, s.Next)
		}
	}
	workers := make([]Worker, c.Jobs)
	for i := range workers {
		workers[i] = c.Target.Worker()
	}
	if err := c.replay(ctx, workers, report); err != nil {
		return err
	}
	size := int64(firstBlock)
	for c.Cases == 0 || next < c.Cases {
		if err := ctx.Err(); err != nil {
			return err
		}
		if c.First && len(c.known) > 0 {
			break
		}
		count := size
		if c.Cases > 0 { // the last case of the shard may come earlier
			count = min(count, (c.Cases-1-next)/int64(c.Shards)+1)
		}
		start := time.Now()
		stopped, err := c.block(ctx, workers, next, count, report)
		if err != nil {
			return err
		}
		if stopped != nil {
			return stopped
		}
		next += count * int64(c.Shards)
		if err := c.writeState(next); err != nil {
			return err
		}
		if time.Since(start) < blockTime && size < mostBlock {
			size *= 2
		}
	}
	return c.minimise()
}

// stopGrace is how long cases on their way are waited for where the context has ended: each asks it, but no step
// between two looks at it has a bound.
const stopGrace = 500 * time.Millisecond

// An Unfinished is the context's error where cases went on after it, and were left alone.
type Unfinished struct {
	Cases []int64
	err   error
}

// Error names the cases.
func (u *Unfinished) Error() string { return fmt.Sprintf("%v while cases %v went on", u.err, u.Cases) }

// Unwrap returns the context's error.
func (u *Unfinished) Unwrap() error { return u.err }

// block runs so many cases from one on. stopped is the context's error where that ended it early.
func (c *Campaign) block(ctx context.Context, workers []Worker, first, count int64, report func(Finding),
) (stopped, err error) {
	var taken atomic.Int64
	var mu sync.Mutex
	notable, under := map[int64]Outcome{}, map[int64]bool{}
	one := func(w Worker, k int64) error {
		mu.Lock()
		under[k] = true
		mu.Unlock()
		o := w.Case(ctx, c.Seed, k)
		mu.Lock()
		defer mu.Unlock()
		delete(under, k)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if o.Suspect != nil || c.news(o) {
			notable[k] = o
		}
		c.done.Add(1)
		return nil
	}
	var g errgroup.Group
	for _, w := range workers {
		g.Go(func() error {
			for {
				lo := taken.Add(chunk) - chunk
				if lo >= count {
					return nil
				}
				if b, ok := w.(batcher); ok {
					var cases []int64
					for i := lo; i < min(lo+chunk, count); i++ {
						cases = append(cases, first+i*int64(c.Shards))
					}
					b.Prepare(ctx, c.Seed, cases)
				}
				for i := lo; i < min(lo+chunk, count); i++ {
					if ctx.Err() != nil {
						return ctx.Err()
					}
					if err := one(w, first+i*int64(c.Shards)); err != nil {
						return err
					}
				}
			}
		})
	}
	settler := workers[0]
	ended := make(chan error, 1)
	go func() { ended <- g.Wait() }()
	select {
	case stopped = <-ended:
	case <-ctx.Done():
		select {
		case stopped = <-ended:
		case <-time.After(stopGrace): // what was found before is not lost for a case that goes on and on
			mu.Lock()
			stopped = &Unfinished{slices.Sorted(maps.Keys(under)), ctx.Err()}
			mu.Unlock()
			settler = c.Target.Worker()
		}
	}
	mu.Lock()
	found := maps.Clone(notable)
	mu.Unlock()
	for _, k := range slices.Sorted(maps.Keys(found)) {
		if err := c.settle(settler, k, found[k], report); err != nil {
			return stopped, err
		}
	}
	return stopped, nil
}

// news tells whether a case covers anything that none did before the block.
func (c *Campaign) news(o Outcome) bool {
	return slices.ContainsFunc(o.Covered, func(pair string) bool { return !c.covered[pair] })
}

// settle keeps what a case brought: its finding, if it is a new one, or else the case itself, if it covers
// anything new.
func (c *Campaign) settle(w Worker, k int64, o Outcome, report func(Finding)) error {
	if o.Suspect != nil {
		return c.found(k, o.Suspect, report)
	}
	var fresh []string
	for _, pair := range o.Covered {
		if !c.covered[pair] {
			fresh = append(fresh, pair)
			c.covered[pair] = true
		}
	}
	c.coverage.Store(int64(len(c.covered)))
	if c.Corpus == "" || o.Entry == nil || len(fresh) == 0 {
		return nil
	}
	return c.keep(o.Entry(fresh), w)
}

// found works a suspect out, writes it and reports it, unless it is known.
func (c *Campaign) found(k int64, s *Suspect, report func(Finding)) error {
	if c.known[s.Key] {
		return nil
	}
	c.known[s.Key] = true
	f := s.Finding()
	f.Case, f.Key, f.Target = k, s.Key, c.Target.Name()
	err := c.writeFinding(&f)
	c.findings.Add(1)
	report(f) // also where it could not be written: it must not be lost
	return err
}

// writeFinding writes a finding to the corpus, if there is one.
func (c *Campaign) writeFinding(f *Finding) error {
	if c.Corpus == "" {
		return nil
	}
	name := filepath.Join(c.Corpus, f.fileName())
	if err := c.writeFile(name, []byte(f.Text)); err != nil {
		return err
	}
	f.File = name
	return nil
}

// caseSeed returns the seed of a case.
func caseSeed(seed uint64, k int64) uint64 { return mix.Spread(seed ^ mix.Spread(uint64(k))) }
