package cli

import (
	"os"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"tv/internal/terminal"
)

// A progress shows how many questions are answered; the nil one shows nothing.
type progress struct {
	all *mpb.Progress
	bar *mpb.Bar
}

// progress shows a bar on standard error where that is a terminal and there is something to wait for.
func (a *app) progress(flags *checkFlags, questions int) *progress {
	if questions < 2 || flags.quiet || !terminal.Is(a.stderr) || os.Getenv("TERM") == "dumb" {
		return nil
	}
	all := mpb.New(mpb.WithOutput(a.stderr), mpb.WithRefreshRate(100*time.Millisecond))
	bar := all.AddBar(int64(questions), mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.CountersNoUnit("%d of %d ")),
		mpb.AppendDecorators(decor.Elapsed(decor.ET_STYLE_GO)))
	return &progress{all, bar}
}

func (p *progress) step() {
	if p != nil {
		p.bar.Increment()
	}
}

// stop removes the bar.
func (p *progress) stop() {
	if p == nil {
		return
	}
	p.bar.Abort(true)
	p.all.Wait()
}
