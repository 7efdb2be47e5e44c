package equiv

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"
)

// Limit returns ctx with the time and the memory that a question may take: it ends when one of them is spent.
// The caller has to call cancel.
func Limit(ctx context.Context, opts Options) (limited context.Context, cancel func()) {
	ctx, stop := context.WithTimeout(ctx, cmp.Or(opts.Timeout, DefaultTimeout))
	ctx, tooMuch := context.WithCancelCause(ctx)
	watchMemory(ctx, opts.Memory, tooMuch)
	return ctx, func() { tooMuch(nil); stop() }
}

// Spent says why a context of Limit ended: the reason of an unknown, and a line about it.
func Spent(ctx context.Context, opts Options) (reason, detail string) {
	return spent(context.Cause(ctx), opts)
}

func spent(err error, opts Options) (reason, detail string) {
	switch {
	case errors.Is(err, errMemory):
		return "memory", "no answer within the memory allowed"
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout", fmt.Sprintf("no answer within %s", cmp.Or(opts.Timeout, DefaultTimeout))
	}
	return "timeout", "interrupted"
}

// DefaultTimeout is the time that a question may take where Options say nothing.
const DefaultTimeout = 60 * time.Second

// DefaultSteps is what the engines of tv's own may take on a question where Options say nothing: they give up by
// count, so that verdicts do not depend on the clock.
const DefaultSteps = 20_000_000

// steps is what the engines of tv's own may take.
func (o *Options) steps() int { return cmp.Or(o.Steps, DefaultSteps) }

// DefaultMemory is the memory that a question may take where Options say nothing, in bytes.
const DefaultMemory = 4 << 30

var errMemory = errors.New("out of memory")

// memoryPeriod is how often it is looked how much memory is held.
const memoryPeriod = 50 * time.Millisecond

// watchMemory ends a run that holds more live memory than it may. Most questions are answered before it looks: a timer
// costs them less than a goroutine.
func watchMemory(ctx context.Context, limit int64, stop context.CancelCauseFunc) {
	if limit == 0 {
		limit = DefaultMemory
	}
	time.AfterFunc(memoryPeriod, func() {
		switch {
		case ctx.Err() != nil:
		case beyond(limit):
			stop(errMemory)
		default:
			watchMemory(ctx, limit, stop)
		}
	})
}

// beyond tells whether more is live than a limit: garbage does not count.
func beyond(limit int64) bool {
	held := func() bool {
		var heap runtime.MemStats // runtime/metrics makes tables at the start of a process, asked or not
		runtime.ReadMemStats(&heap)
		return heap.HeapAlloc > uint64(limit)
	}
	if !held() {
		return false
	}
	runtime.GC()
	return held()
}
