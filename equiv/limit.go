package equiv

import (
	"context"
	"errors"
	"fmt"
)

// Limit returns ctx with the time and the memory that a question may take: it ends when one of them is spent.
// The caller has to call cancel.
func Limit(ctx context.Context, opts Options) (limited context.Context, cancel func()) {
	if opts.Timeout == 0 {
		opts.Timeout = DefaultTimeout
	}
	ctx, stop := context.WithTimeout(ctx, opts.Timeout)
	ctx, tooMuch := context.WithCancelCause(ctx)
	go watchMemory(ctx, opts.Memory, tooMuch)
	return ctx, func() { tooMuch(nil); stop() }
}

// Spent says why a context of Limit ended: the reason of an unknown, and a line about it.
func Spent(ctx context.Context, opts Options) (reason, detail string) {
	if opts.Timeout == 0 {
		opts.Timeout = DefaultTimeout
	}
	switch err := context.Cause(ctx); {
	case errors.Is(err, errMemory):
		return "memory", "no answer within the memory allowed"
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout", fmt.Sprintf("no answer within %s", opts.Timeout)
	}
	return "timeout", "interrupted"
}
