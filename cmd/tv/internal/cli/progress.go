package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"tv/equiv"
	"tv/internal/terminal"
	"tv/internal/watch"
)

// soon is how long one question is waited for before anything is shown.
const soon = 2 * time.Second

// A progress shows how far answers are; the nil one shows nothing.
type progress struct {
	start    time.Time
	bar      *bar
	stopping func() // of the one question: ends what shows it

	mu     sync.Mutex // the text is asked for by another goroutine
	total  int
	done   int
	counts [equiv.Refuted + 1]int
	errors int
}

// progress shows on standard error, where that is a terminal, how many of several questions are answered, and of one that takes
// long what the work is at, which the context that it returns tells it.
func (a *app) progress(ctx context.Context, flags *checkFlags, questions []*question) (context.Context, *progress) {
	if flags.quiet || !terminal.Is(a.stderr) || os.Getenv("TERM") == "dumb" {
		return ctx, nil
	}
	p := &progress{start: time.Now(), total: len(questions)}
	switch len(questions) {
	case 0:
		return ctx, nil
	case 1:
		w := &watch.Watch{}
		p.stopping = a.waitFor(w, flags.timeout)
		return watch.With(ctx, w), p
	}
	p.bar = newBar(a.stderr, int64(p.total), func(int64) string { return p.line(time.Since(p.start)) }, true)
	return ctx, p
}

// waitFor shows what a question is at once it has taken long; the bar is full when its time is up. It returns what ends that.
func (a *app) waitFor(w *watch.Watch, limit time.Duration) (stop func()) {
	ended := make(chan struct{})
	var wait sync.WaitGroup
	start := time.Now()
	wait.Go(func() {
		select {
		case <-ended:
			return
		case <-time.After(soon):
		}
		b := newBar(a.stderr, int64(limit), func(int64) string {
			return fmt.Sprintf("%s, %s", cmp.Or(w.String(), "working"), time.Since(start).Round(time.Second))
		}, false)
		defer b.remove()
		tick := time.NewTicker(barEvery)
		defer tick.Stop()
		for {
			select {
			case <-ended:
				return
			case <-tick.C:
				b.set(int64(min(time.Since(start), limit-1)))
			}
		}
	})
	return func() {
		close(ended)
		wait.Wait()
	}
}

// line says how far the questions are: "12 of 40: 11 proved, 1 refuted; 5 s left".
func (p *progress) line(elapsed time.Duration) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := fmt.Sprintf("%d of %d", p.done, p.total)
	var list []string
	for _, v := range []equiv.Verdict{equiv.Proved, equiv.Refuted, equiv.Unknown} {
		if n := p.counts[v]; n > 0 {
			list = append(list, fmt.Sprintf("%d %s", n, v))
		}
	}
	if p.errors > 0 {
		list = append(list, fmt.Sprintf("%d not asked", p.errors))
	}
	if list != nil {
		out += ": " + strings.Join(list, ", ")
	}
	if p.done > 0 && p.done < p.total && elapsed >= soon {
		left := elapsed / time.Duration(p.done) * time.Duration(p.total-p.done)
		out += fmt.Sprintf("; about %s left", max(left.Round(time.Second), time.Second))
	}
	return out
}

// step counts an answer; nil is one that an interrupt left open.
func (p *progress) step(ans *answer) {
	if p == nil || p.bar == nil {
		return
	}
	p.mu.Lock()
	p.done++
	switch {
	case ans == nil:
	case len(ans.errs) > 0:
		p.errors++
	case ans.rule != nil:
		p.counts[ans.rule.Verdict]++
	default:
		p.counts[ans.result.Verdict]++
	}
	p.mu.Unlock()
	p.bar.step()
}

// stop removes what is shown.
func (p *progress) stop() {
	switch {
	case p == nil:
	case p.bar != nil:
		p.bar.remove()
	default:
		p.stopping()
	}
}
