//go:build !js

package cli

import (
	"fmt"
	"os"
	"sync"
	"time"

	"tv/fuzz"
	"tv/internal/terminal"
)

// lineEvery is how often the progress of a campaign is shown where there is no bar.
const lineEvery = 10 * time.Second

// A meter shows how far a campaign is on standard error: a bar on a terminal, a line every ten seconds
// elsewhere, and nothing there without timing: how many lines there are would say how long it took.
type meter struct {
	app      *app
	progress func() fuzz.Progress
	limit    time.Duration // of the campaign, or 0
	cases    int64         // that it has, unless it has a limit
	start    time.Time
	terminal bool

	mu    sync.Mutex // held while something is shown
	bar   *bar
	ended chan struct{}
	wait  sync.WaitGroup
}

// meter starts the meter of a campaign of so many cases, or of a time, that is about to run.
func (a *app) meter(progress func() fuzz.Progress, cases int64, limit time.Duration, noTiming bool) *meter {
	m := &meter{app: a, progress: progress, limit: limit, cases: cases, start: time.Now(), ended: make(chan struct{}),
		terminal: terminal.Is(a.stderr) && os.Getenv("TERM") != "dumb"}
	every := lineEvery
	if m.terminal {
		every = barEvery
	}
	m.show()
	if noTiming && !m.terminal {
		return m
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
				m.tick()
				m.mu.Unlock()
			}
		}
	})
	return m
}

func (m *meter) line() string {
	return progressLine(m.progress(), max(time.Since(m.start).Seconds(), 1e-3))
}

// tick moves the bar, or prints a line.
func (m *meter) tick() {
	switch {
	case !m.terminal:
		fmt.Fprintln(m.app.stderr, m.line())
	case m.limit > 0:
		m.bar.set(int64(min(time.Since(m.start), m.limit-1)))
	default:
		m.bar.set(m.progress().Cases)
	}
}

// show shows the bar on a terminal: its end is that of the time, or of the cases.
func (m *meter) show() {
	if !m.terminal {
		return
	}
	total := int64(m.limit)
	if total == 0 {
		total = m.cases + 1
	}
	m.bar = newBar(m.app.stderr, total, func(int64) string { return m.line() }, false)
	m.tick()
}

// hide removes the bar.
func (m *meter) hide() {
	if m.bar != nil {
		m.bar.remove()
		m.bar = nil
	}
}

// pause runs f, which prints, while no bar is shown that it would run into.
func (m *meter) pause(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.hide()
	f()
	m.show()
}

// stop removes the bar.
func (m *meter) stop() {
	close(m.ended)
	m.wait.Wait()
	m.hide()
}
