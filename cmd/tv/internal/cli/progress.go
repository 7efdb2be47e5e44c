package cli

import (
	"fmt"
	"os"

	"tv/internal/terminal"
)

// A progress shows how many questions are answered; the nil one shows nothing.
type progress struct{ bar *bar }

// progress shows a bar on standard error where that is a terminal and there is something to wait for.
func (a *app) progress(flags *checkFlags, questions int) *progress {
	if questions < 2 || flags.quiet || !terminal.Is(a.stderr) || os.Getenv("TERM") == "dumb" {
		return nil
	}
	count := func(done int64) string { return fmt.Sprintf("%d of %d", done, questions) }
	return &progress{newBar(a.stderr, int64(questions), count, true)}
}

func (p *progress) step() {
	if p != nil {
		p.bar.step()
	}
}

// stop removes the bar.
func (p *progress) stop() {
	if p != nil {
		p.bar.remove()
	}
}
