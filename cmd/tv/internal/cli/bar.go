//go:build !js

package cli

import (
	"io"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// barEvery is how often a bar is drawn.
const barEvery = 100 * time.Millisecond

// A bar shows on a terminal how much of something is done.
type bar struct {
	all *mpb.Progress
	bar *mpb.Bar
}

// newBar shows a bar that ends at total, behind what text says of how far it is, and before the time that went by where elapsed.
func newBar(w io.Writer, total int64, text func(current int64) string, elapsed bool) *bar {
	all := mpb.New(mpb.WithOutput(w), mpb.WithRefreshRate(barEvery))
	options := []mpb.BarOption{mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Any(func(s decor.Statistics) string { return text(s.Current) + " " }))}
	if elapsed {
		options = append(options, mpb.AppendDecorators(decor.Elapsed(decor.ET_STYLE_GO)))
	}
	return &bar{all, all.AddBar(total, options...)}
}

func (b *bar) set(current int64) { b.bar.SetCurrent(current) }
func (b *bar) step()             { b.bar.Increment() }

// remove takes the bar off the terminal.
func (b *bar) remove() {
	b.bar.Abort(true)
	b.all.Wait()
}
