package cli

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"tv/fuzz"
	"tv/internal/terminal"
)

// meterEvery is the time between two lines of a campaign's progress.
const meterEvery = 10 * time.Second

// A meter shows how far a campaign is on standard error: a bar on a terminal, a line every ten seconds elsewhere.
type meter struct {
	mu    sync.Mutex // held while something else is printed
	bar   *mpb.Bar
	all   *mpb.Progress
	ended chan struct{}
	wait  sync.WaitGroup
}

// meter starts the meter of a campaign that is about to run.
func (a *app) meter(c *fuzz.Campaign) *meter {
	m := &meter{ended: make(chan struct{})}
	start := time.Now()
	line := func() string { return progressLine(c.Progress(), max(time.Since(start).Seconds(), 1e-3)) }
	every := meterEvery
	if terminal.Is(a.stderr) && os.Getenv("TERM") != "dumb" {
		every = 100 * time.Millisecond
		m.all = mpb.New(mpb.WithOutput(a.stderr), mpb.WithRefreshRate(every))
		m.bar = m.all.AddBar(c.Cases/int64(max(1, c.Shards)), mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(decor.Any(func(decor.Statistics) string { return line() + " " })),
			mpb.AppendDecorators(decor.Elapsed(decor.ET_STYLE_GO)))
	}
	m.wait.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-m.ended:
				return
			case <-tick.C:
				m.mu.Lock()
				if m.bar != nil {
					m.bar.SetCurrent(c.Progress().Cases)
				} else {
					fmt.Fprintln(a.stderr, line())
				}
				m.mu.Unlock()
			}
		}
	})
	return m
}

// pause runs f while the meter shows nothing new.
func (m *meter) pause(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f()
}

// stop removes the bar.
func (m *meter) stop() {
	close(m.ended)
	m.wait.Wait()
	if m.bar != nil {
		m.bar.Abort(true)
		m.all.Wait()
	}
}
