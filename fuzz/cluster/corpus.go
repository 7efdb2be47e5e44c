package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"tv/fuzz"
)

// objectPrefix and the id of a campaign are the name of its object store.
const objectPrefix = "tv-objects-"

// objects opens the object store of a campaign, and makes it if need be.
func (l *ledger) objects(ctx context.Context) (store jetstream.ObjectStore, err error) {
	name := objectPrefix + l.Campaign
	return store, again(ctx, func(ctx context.Context) (err error) {
		store, err = l.js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: name, Storage: jetstream.FileStorage})
		if errors.Is(err, jetstream.ErrBucketExists) {
			store, err = l.js.ObjectStore(ctx, name)
		}
		return err
	})
}

// maxCase is the length of the longest case of a corpus in bytes.
const maxCase = 64 << 20

// A credit is a case that covers what none before it did.
type credit struct {
	number int64
	fresh  []string // sorted
}

// credits are those of a campaign that has ended, in the order of cases; what the corpus in a directory covers is not fresh.
// Each pair is that of the least case that covers it, as of a campaign of one machine: this is why the order in which ranges were run is nowhere in them.
func (l *ledger) credits(keeper *fuzz.Keeper) (out []credit) {
	least := map[string]int64{}
	for _, r := range l.results {
		for pair, k := range r.Covered {
			if there, ok := least[pair]; !ok || k < there {
				least[pair] = k
			}
		}
	}
	cases := map[int64][]string{}
	for pair, k := range least {
		cases[k] = append(cases[k], pair)
	}
	for _, k := range slices.Sorted(maps.Keys(cases)) {
		slices.Sort(cases[k])
		if fresh := keeper.Fresh(cases[k]); len(fresh) > 0 {
			out = append(out, credit{k, fresh})
		}
	}
	return out
}

// name is that of the object with the case: what is asked for says what is answered, whoever answers.
func (c credit) name() string {
	return "case." + digest(append([]string{fmt.Sprint(c.number)}, c.fresh...)...)
}

// keep brings what a campaign that has ended found and covered into this worker's corpus. Cases that other workers with a corpus have
// written are taken from the object store; the others are run again, and written there. Without the store all would be the same, but slower.
func (c *Campaign) keep(ctx context.Context, w *worker, keeper *fuzz.Keeper) error {
	store, err := w.objects(ctx)
	if err != nil {
		return err
	}
	w.mu.Lock()
	list := w.credits(keeper)
	findings := make([]fuzz.Finding, 0, len(w.findings))
	for _, f := range w.findings {
		findings = append(findings, *f.Finding)
	}
	w.mu.Unlock()
	texts := make([][]byte, len(list))
	// Workers begin at different cases, so that each writes what the others will take.
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(w.name)) // it has no errors
	begin := int(hash.Sum32()) & (1<<30 - 1)
	var taken atomic.Int64
	var g errgroup.Group
	for range max(1, c.Jobs) {
		runner := c.Target.Worker()
		g.Go(func() error {
			for {
				n := int(taken.Add(1)) - 1
				if n >= len(list) {
					return nil
				}
				i := (begin + n) % len(list)
				text, err := c.caseText(ctx, store, runner, list[i])
				if err != nil {
					return err
				}
				texts[i] = text
			}
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for i := range list {
		if len(texts[i]) == 0 {
			continue
		}
		if err := keeper.Case(texts[i]); err != nil {
			return err
		}
	}
	slices.SortFunc(findings, func(a, b fuzz.Finding) int { return int(a.Case - b.Case) })
	for _, f := range findings {
		if err := keeper.Found(f); err != nil {
			return err
		}
	}
	return keeper.End()
}

// caseText is the text of a case: another worker's, or written here. What is in the store under its name and is no such case is
// said, and written over. Targets that write no cases have empty ones.
func (c *Campaign) caseText(ctx context.Context, store jetstream.ObjectStore, runner fuzz.Worker, want credit) ([]byte, error) {
	text, err := readObject(ctx, store, want.name(), maxCase)
	switch {
	case err == nil && len(text) == 0:
		return nil, nil
	case err == nil:
		if err = fuzz.Holds(c.Target, runner, text, want.fresh); err == nil {
			return text, nil
		}
		c.Log(refused(want.name(), "%v", err).Error())
	case errors.Is(err, errObject):
		c.Log(refused(want.name(), "%v", err).Error())
	case !errors.Is(err, jetstream.ErrObjectNotFound):
		return nil, err
	}
	if text, err = fuzz.EntryOf(ctx, runner, c.Seed, want.number, want.fresh); err != nil {
		return nil, err
	}
	return text, putObject(ctx, store, want.name(), text)
}

// putObject writes an object.
func putObject(ctx context.Context, store jetstream.ObjectStore, name string, data []byte) error {
	return again(ctx, func(ctx context.Context) error {
		_, err := store.PutBytes(ctx, name, data)
		return err
	})
}

// errObject is the error of an object that is not to be read.
var errObject = errors.New("is no object of tv's")

// readObject reads an object of at most so many bytes. Errors: jetstream.ErrObjectNotFound, [errObject], the server's.
func readObject(ctx context.Context, store jetstream.ObjectStore, name string, most uint64) (data []byte, err error) {
	return data, again(ctx, func(ctx context.Context) (err error) {
		data, err = readOnce(ctx, store, name, most)
		return err
	})
}

func readOnce(ctx context.Context, store jetstream.ObjectStore, name string, most uint64) ([]byte, error) {
	o, err := store.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	info, err := o.Info()
	if err != nil {
		return nil, err
	}
	if info.Size > most {
		return nil, fmt.Errorf("%w: it has %d bytes, more than %d", errObject, info.Size, most)
	}
	var b bytes.Buffer
	if _, err := io.Copy(&b, io.LimitReader(o, int64(most)+1)); err != nil {
		if errors.Is(err, jetstream.ErrDigestMismatch) {
			return nil, fmt.Errorf("%w: %v", errObject, err)
		}
		return nil, err
	}
	if uint64(b.Len()) != info.Size {
		return nil, fmt.Errorf("%w: it has %d bytes, not %d", errObject, b.Len(), info.Size)
	}
	return b.Bytes(), nil
}
