package fuzz

import (
	"context"
	"fmt"
	"slices"

	"tv/internal/files"
	"tv/internal/source"
)

// A Keeper keeps the corpus of a campaign whose cases are run elsewhere: its directory ends as that of [Campaign.Run] with the same
// cases would, but for the state, as there is nothing to go on with here.
type Keeper struct {
	c       *Campaign
	report  func(Finding)
	settler Worker
}

// Keep replays the corpus in a directory, which is made if need be, with so many workers, and calls report for what it still shows
// wrong. warn says what was set aside. Errors: as [Campaign.Run].
func Keep(ctx context.Context, t Target, seed uint64, jobs int, dir string, warn func(string), report func(Finding)) (*Keeper, error) {
	c := &Campaign{Target: t, Seed: seed, Jobs: max(1, jobs), Corpus: dir, Warn: warn, writeFile: files.WriteAtomic,
		covered: map[string]bool{}, known: map[string]bool{}}
	if err := files.MakeDirectory(dir); err != nil {
		return nil, err
	}
	if err := files.Sweep(dir, named); err != nil {
		return nil, err
	}
	workers := make([]Worker, c.Jobs)
	for i := range workers {
		workers[i] = t.Worker()
	}
	return &Keeper{c, report, workers[0]}, c.replay(ctx, workers, report)
}

// Progress counts what the corpus brought and what was kept; Cases is 0.
func (k *Keeper) Progress() Progress { return k.c.Progress() }

// Fresh takes those of what a case covered that nothing before did. Cases come in their order.
func (k *Keeper) Fresh(covered []string) (fresh []string) {
	for _, pair := range covered {
		if !k.c.covered[pair] {
			fresh = append(fresh, pair)
			k.c.covered[pair] = true
		}
	}
	k.c.coverage.Store(int64(len(k.c.covered)))
	return fresh
}

// Case adds the text of a case, as [EntryOf] or [Holds] has it.
func (k *Keeper) Case(text []byte) error { return k.c.keep(text, k.settler) }

// Found writes a finding and reports it, unless it is known.
func (k *Keeper) Found(f Finding) error {
	return k.c.found(f.Case, &Suspect{Key: f.Key, Finding: func() Finding { return f }}, k.report)
}

// End removes the cases whose coverage others have.
func (k *Keeper) End() error { return k.c.minimise() }

// EntryOf runs a case again and writes it as a file of a corpus that covers what is wanted, which it covers; nil where the target writes none.
// Errors: that of the context.
func EntryOf(ctx context.Context, w Worker, seed uint64, k int64, wanted []string) ([]byte, error) {
	o := w.Case(ctx, seed, k)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if o.Suspect != nil || o.Entry == nil {
		return nil, nil
	}
	var list []string // in the order in which Run hands them over
	for _, pair := range o.Covered {
		if slices.Contains(wanted, pair) && !slices.Contains(list, pair) {
			list = append(list, pair)
		}
	}
	return o.Entry(list), nil
}

// Holds says what is wrong with a text that is to be a case of a target and to cover what is wanted.
func Holds(t Target, w Worker, text []byte, wanted []string) (err error) {
	defer func() {
		if p := recover(); p != nil { // others wrote the text
			err = fmt.Errorf("its case cannot be read: %v", p)
		}
	}()
	e, ours, err := readEntry(t.Name(), source.NewFile("a case", string(text)))
	if err != nil {
		return err
	}
	if !ours {
		return fmt.Errorf("is no case of tv fuzz %s", t.Name())
	}
	covered := w.Covered(e)
	for _, pair := range wanted {
		if !slices.Contains(covered, pair) {
			return fmt.Errorf("does not cover %q", pair)
		}
	}
	return nil
}
